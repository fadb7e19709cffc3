// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ros-load: options and main loop. It simulates the clients of a trigger farm, in one thread.
 */
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "fragment_check.h"
#include "utils/common/clock.h"
#include "utils/common/files.h"
#include "utils/common/numbers.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

#define EVENTS 128
#define FILES_EXTRA 64			    /* open besides the connections */
#define FINISH_NS (UINT64_C(10) * NS_PER_S) /* for outstanding requests at the end */

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct load_options, member)
#define FLAG(option_name, member, text) FLAG_OPTION(struct load_options, option_name, member, text)

static const struct option_spec options[] = {
	{AT("connect", OPTION_TEXT, connect), .arg = "HOST:PORT", .fallback = "127.0.0.1:9870",
	 .help = "Set the address of roc-rosd"},
	{AT("clients", OPTION_NUMBER, clients), .arg = "N", .fallback = "200", .min = 1,
	 .max = 16384, .help = "Set the number of connections"},
	{AT("outstanding", OPTION_NUMBER, outstanding), .arg = "N", .fallback = "8", .min = 1,
	 .max = 4096, .help = "Set the number of outstanding requests per connection"},
	{AT("event-rate", OPTION_NUMBER, event_rate), .arg = "N", .fallback = "0",
	 .help = "Set the events per second, 0 = as fast as they are answered"},
	{AT("fraction", OPTION_NUMBER, fraction), .arg = "PERCENT", .fallback = "100", .min = 0,
	 .max = 100, .help = "Set the percentage of events with requests"},
	{AT("few", OPTION_NUMBER, few), .arg = "N", .fallback = "2", .min = 1, .max = ROS_LINKS,
	 .help = "Set the number of requested links"},
	{AT("all", OPTION_NUMBER, all), .arg = "PERCENT", .fallback = "10", .min = 0, .max = 100,
	 .help = "Set the percentage of requests for all links instead"},
	{AT("clear", OPTION_NUMBER, clear), .arg = "N", .fallback = "100", .min = 0, .max = 8192,
	 .help = "Clear events in lists of this length, 0 = do not clear"},
	{AT("first-event", OPTION_NUMBER, first_event), .arg = "N", .fallback = "0",
	 .help = "Set the first event id"},
	{AT("events", OPTION_SIZE, events), .arg = "N", .fallback = "0",
	 .help = "Stop after this many events, 0 = never"},
	{AT("time", OPTION_TIME, time), .arg = "TIME",
	 .help = "Stop after this time, as in 90s (default: never)"},
	{AT("stall-limit", OPTION_NUMBER, stall_limit), .arg = "SECONDS", .fallback = "10",
	 .help = "Fail if no answer arrives within this time, 0 = never"},
	{AT("size", OPTION_SIZE, size), .arg = "SIZE", .fallback = "0", .max = 131072,
	 .help = "Set the expected fragment size, 0 = any"},
	{AT("size-max", OPTION_SIZE, size_max), .arg = "SIZE", .fallback = "0", .max = 131072,
	 .help = "Set the expected size of the largest fragments, if distributed"},
	{AT("seed", OPTION_NUMBER, seed), .arg = "N", .fallback = "1",
	 .help = "Set the seed for the selection of events and links"},
	{AT("hgrm", OPTION_TEXT, hgrm), .arg = "FILE",
	 .help = "Write the latency percentiles to a file in the format of HdrHistogram"},
	FLAG("no-errorcheck", no_errorcheck, "Do not check the fragments"),
	FLAG("no-display", no_display, "Do not show the live line"),
	FLAG("json", json, "Print the result as JSON"),
};

static int check(const struct load_options *o)
{
	const char *colon = strrchr(o->connect, ':');
	uint16_t port;

	if (!colon || colon == o->connect || colon - o->connect >= LOAD_HOST_MAX ||
	    number_port(colon + 1, &port))
		return tool_usage("--connect: \"%s\" is not HOST:PORT.", o->connect);
	if ((o->size && o->size < ROS_FRAGMENT_MIN) || o->size % 4 || o->size_max % 4 ||
	    (o->size_max && o->size_max < o->size) || (o->size_max && !o->size))
		return tool_usage(
			"--size, --size-max: sizes must be multiples of 4 bytes, at least %d, and --size-max must not be smaller than --size.",
			ROS_FRAGMENT_MIN);
	return TOOL_OK;
}

static bool wait_for(struct load *l, int ms)
{
	struct epoll_event events[EVENTS];
	int i, n = epoll_wait(l->epoll, events, EVENTS, ms);

	l->now = now_ns();
	for (i = 0; i < n; i++) {
		if (!load_client_event(events[i].data.ptr, events[i].events))
			return false;
	}
	return true;
}

/* Wait until all clients have a WELCOME before the first request. */
static bool connect_all(struct load *l)
{
	unsigned int i;

	for (i = 0; i < l->opt->clients; i++) {
		if (!load_connect(l, &l->clients[i]))
			return false;
	}
	l->progress = l->now = now_ns();
	while (l->welcomes < l->opt->clients) {
		if (!wait_for(l, 20))
			return false;
		if (stop_requested())
			return load_fail(l, "Interrupted before all clients were connected.");
		if (l->now - l->progress > FINISH_NS)
			return load_fail(l, "Of %u clients only %u were connected within %u s.",
					 l->opt->clients, l->welcomes,
					 (unsigned int)(FINISH_NS / NS_PER_S));
	}
	return true;
}

static bool flush_all(struct load *l)
{
	unsigned int i;

	for (i = 0; i < l->opt->clients; i++) {
		if (l->clients[i].queued && !l->clients[i].writing &&
		    !load_client_flush(&l->clients[i]))
			return false;
	}
	return true;
}

static void end(struct load *l, const char *reason)
{
	if (l->stopping)
		return;
	l->stopping = true;
	l->end = reason;
}

static void check_end(struct load *l)
{
	uint64_t stall = l->opt->stall_limit * NS_PER_S;

	if (stop_requested())
		end(l, "signal");
	if (l->opt->time && l->now - l->began >= l->opt->time * NS_PER_S)
		end(l, "time");
	if (!stall)
		stall = l->stopping ? FINISH_NS : UINT64_MAX;
	if (load_idle(l))
		l->progress = l->now;
	if (l->now - l->progress >= stall) {
		load_fail(l, "No reply arrived within %u s.", (unsigned int)(stall / NS_PER_S));
		l->end = "stall";
	}
}

static void measure(struct load *l)
{
	uint64_t tick;

	l->began = l->progress = l->now = now_ns();
	tick = l->began + NS_PER_S;
	while (!l->failure[0] && !(l->stopping && load_idle(l))) {
		load_events(l);
		if (!flush_all(l) || !wait_for(l, load_pause(l)))
			break;
		check_end(l);
		if (l->now < tick)
			continue;
		if (!l->opt->no_display && !l->opt->json && output_is_live(stdout))
			load_live(l);
		tick += NS_PER_S;
	}
	l->ended = now_ns();
	if (!l->opt->no_display && !l->opt->json && output_is_live(stdout))
		load_live_end(l);
}

static int write_hgrm(const struct load *l)
{
	FILE *out = fopen(l->opt->hgrm, "we");

	if (!out)
		return tool_fail("%s cannot be written: %s.", l->opt->hgrm, strerror(errno));
	histogram_print(&l->times, out, 1000);
	if (fclose(out))
		return tool_fail("%s could not be written: %s.", l->opt->hgrm, strerror(errno));
	return TOOL_OK;
}

static int report(struct load *l)
{
	int code = TOOL_OK;

	(l->opt->json ? load_json : load_text)(stdout, l);
	if (l->opt->hgrm)
		code = write_hgrm(l);
	if (l->failure[0])
		code = tool_fail("%s", l->failure);
	if (l->errors.count)
		code = tool_fail("The replies are wrong: %s.", l->errors.last);
	if (l->counts.marked)
		code = tool_fail("The card flagged %" PRIu64 " of %" PRIu64
				 " fragments as damaged.",
				 l->counts.marked, l->counts.fragments);
	return code;
}

static int run(const void *values)
{
	const struct load_options *o = values;
	struct load *l = NULL;
	unsigned int i;
	int code = check(o);

	if (code)
		return code;
	l = calloc(1, sizeof(*l));
	if (l)
		l->clients = calloc(o->clients, sizeof(*l->clients));
	if (l)
		l->decided.events = calloc((size_t)o->clients * o->outstanding + o->clear + 1,
					   sizeof(*l->decided.events));
	if (!l || !l->clients || !l->decided.events) {
		code = tool_fail("Cannot allocate the state of %u clients.", o->clients);
		goto out;
	}
	l->opt = o;
	l->random = o->seed;
	l->end = "events";
	for (i = 0; i < LOAD_CARDS; i++)
		l->sources[i] = -1;
	for (i = 0; i < o->clients; i++)
		l->clients[i] = (struct load_client){.load = l, .number = i, .fd = -1};
	stop_on_signals();
	stop_not_by_readers();
	files_raise(o->clients + FILES_EXTRA);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (connect_all(l)) {
		measure(l);
		code = report(l);
	} else {
		code = tool_fail("%s", l->failure);
	}
	for (i = 0; i < o->clients; i++)
		load_disconnect(&l->clients[i]);
	close(l->epoll);
out:
	if (l) {
		free(l->clients);
		free(l->decided.events);
	}
	free(l);
	return code;
}

const struct tool tool_ros_load = {
	.name = "ros-load",
	.summary = "Request fragments from roc-rosd as a trigger farm does, and check them",
	.example = "--connect=10.1.2.3:9870 --clients=200 --fraction=50 --time=60s",
	TOOL_OPTIONS(options, struct load_options),
	.run = run,
};
