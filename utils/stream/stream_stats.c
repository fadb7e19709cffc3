// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the streams of a card are, without opening one: a running stream is not disturbed, and no
 * register is read.
 */
#include "stream.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "utils/common/card.h"
#include "utils/common/clock.h"
#include "utils/common/counter.h"
#include "utils/common/output.h"
#include "utils/common/stop.h"
#include "utils/common/table.h"
#include "utils/common/tool.h"

static const char *const states[] = {
	[ROC_CH_STOPPED] = "stopped",
	[ROC_CH_RUNNING] = "running",
	[ROC_CH_FAILED] = "failed",
	[ROC_CH_GONE] = "gone",
};

static const char *state_name(uint32_t state)
{
	return state < sizeof(states) / sizeof(states[0]) ? states[state] : "unknown";
}

int stream_list_read(struct roc_endpoint *ep, const struct roc_card *card, struct stream_list *l)
{
	int err;

	*l = (struct stream_list){.card = *card};
	for (; l->count < ROC_P40_STREAMS; l->count++) {
		err = roc_card_stream(ep, l->count, &l->info[l->count]);
		if (err == -ENOENT && l->count)
			break;
		if (err)
			return tool_fail("%s", roc_error());
	}
	return TOOL_OK;
}

/* Bytes between the two positions. */
static uint64_t level(const struct roc_st_info *i)
{
	return i->ring ? (uint64_t)(uint32_t)(i->written - i->read) * ROC_ST_LINE : 0;
}

static void size_cell(struct table *t, uint64_t size)
{
	if (!size)
		table_cell(t, NULL, "-");
	else if (size % (1 << 20))
		table_cell(t, NULL, "%" PRIu64 " KiB", size >> 10);
	else
		table_cell(t, NULL, "%" PRIu64 " MiB", size >> 20);
}

static void count_cell(struct table *t, uint64_t count, bool bad)
{
	table_cell(t, count && bad ? COLOUR_BAD : NULL, "%" PRIu64, count);
}

static void row(struct table *t, unsigned int number, const struct roc_st_info *i, bool verbose)
{
	const char *colour = i->state == ROC_CH_RUNNING	 ? COLOUR_GOOD
			     : i->state == ROC_CH_FAILED ? COLOUR_BAD
							 : NULL;

	table_cell(t, NULL, "%u", number);
	table_cell(t, NULL, "%s", i->name);
	table_cell(t, colour, "%s", state_name(i->state));
	if (i->owner)
		table_cell(t, NULL, "%d", i->owner);
	else
		table_cell(t, NULL, "-");
	size_cell(t, i->ring);
	if (i->ring)
		table_cell(t, NULL, "%.0f", 100.0 * (double)level(i) / (double)i->ring);
	else
		table_cell(t, NULL, "-");
	count_cell(t, i->card.units, false);
	count_cell(t, i->card.events, false);
	count_cell(t, i->card.bytes, false);
	count_cell(t, i->card.throttled, true);
	count_cell(t, i->card.truncated, true);
	if (!verbose)
		return;
	count_cell(t, i->card.offered, false);
	count_cell(t, i->card.discarded, false);
	count_cell(t, i->card.waiting, false);
	count_cell(t, i->card.throttles, false);
	count_cell(t, i->card.truncations, false);
	count_cell(t, i->interrupts, false);
	count_cell(t, i->missed_interrupts, true);
	count_cell(t, i->arms, false);
	count_cell(t, i->doorbells, false);
	count_cell(t, i->mmio_reads, false);
	count_cell(t, i->bad_index, true);
}

void stream_list_text(FILE *out, const struct stream_list *l, bool verbose, bool colours)
{
	static const char *const few[] = {
		">#",	    "Stream",  "State",	 "Owner",      ">Ring",	     ">Full %",
		">Packets", ">Events", ">Bytes", ">Throttled", ">Cut short", NULL,
	};
	static const char *const all[] = {
		">#",	      "Stream",	    "State",	  "Owner",	  ">Ring",	 ">Full %",
		">Packets",   ">Events",    ">Bytes",	  ">Throttled",	  ">Cut short",	 ">Offered",
		">Discarded", ">Waiting",   ">Throttles", ">Truncations", ">Interrupts", ">Missed",
		">Arms",      ">Doorbells", ">Reads",	  ">Bad index",	  NULL,
	};
	struct table t;
	unsigned int i;

	table_start(&t, verbose ? all : few);
	for (i = 0; i < l->count; i++)
		row(&t, l->info[i].stream, &l->info[i], verbose);
	table_print(&t, out, colours);
}

/* A loss: how often, how much, and which events. */
static void json_loss(struct json *j, const char *key, uint64_t times, uint64_t events, uint64_t ns,
		      uint64_t first, uint64_t from, uint64_t to)
{
	json_object(j, key);
	json_unsigned(j, "times", times);
	json_unsigned(j, "events", events);
	json_real(j, "seconds", (double)ns / 1e9);
	if (times) {
		json_unsigned(j, "firstEvent", first);
		json_unsigned(j, "lastFrom", from);
		json_unsigned(j, "lastTo", to);
	} else {
		json_null(j, "firstEvent");
		json_null(j, "lastFrom");
		json_null(j, "lastTo");
	}
	json_object_end(j);
}

static void json_stream(struct json *j, unsigned int number, const struct roc_st_info *i)
{
	const struct roc_st_counters *c = &i->card;

	json_object(j, NULL);
	json_unsigned(j, "channel", number);
	json_text(j, "stream", i->name);
	json_text(j, "state", state_name(i->state));
	output_number_json(j, "ownerPid", i->owner ? i->owner : -1);
	json_unsigned(j, "run", i->run);
	json_unsigned(j, "ringBytes", i->ring);
	json_unsigned(j, "ringSegments", i->segments);
	json_unsigned(j, "ringLevel", level(i));
	json_unsigned(j, "cardLevel", i->level);
	json_unsigned(j, "packets", c->units);
	json_unsigned(j, "bytes", c->bytes);
	json_unsigned(j, "offered", c->offered);
	json_unsigned(j, "events", c->events);
	json_unsigned(j, "discarded", c->discarded);
	json_unsigned(j, "waiting", c->waiting);
	json_loss(j, "throttled", c->throttles, c->throttled, c->throttle_time, c->throttle_first,
		  c->throttle_from, c->throttle_to);
	json_loss(j, "truncated", c->truncations, c->truncated, c->truncate_time, c->truncate_first,
		  c->truncate_from, c->truncate_to);
	json_unsigned(j, "truncatedBytes", c->truncated_bytes);
	json_unsigned(j, "interrupts", i->interrupts);
	json_unsigned(j, "missedInterrupts", i->missed_interrupts);
	json_unsigned(j, "spuriousInterrupts", i->spurious_interrupts);
	json_unsigned(j, "arms", i->arms);
	json_unsigned(j, "doorbells", i->doorbells);
	json_unsigned(j, "wakes", i->wakes);
	json_unsigned(j, "mmioReads", i->mmio_reads);
	json_unsigned(j, "mmioWrites", i->mmio_writes);
	json_unsigned(j, "badIndex", i->bad_index);
	json_object_end(j);
}

void stream_list_json(struct json *j, const struct stream_list *l)
{
	unsigned int i;

	json_array(j, "streams");
	for (i = 0; i < l->count; i++)
		json_stream(j, l->info[i].stream, &l->info[i]);
	json_array_end(j);
}

static void live_line(const struct roc_st_info *i, const struct roc_st_info *before, double s)
{
	double bytes = (double)counter64_since(before->card.bytes, i->card.bytes);
	double units = (double)counter64_since(before->card.units, i->card.units);
	double events = (double)counter64_since(before->card.events, i->card.events);

	char line[512];

	snprintf(line, sizeof(line),
		 "  %s %s   %.0f packets/s   %.0f events/s   %.2f Gb/s   ring %.0f %%   throttled "
		 "%" PRIu64 "   cut short %" PRIu64,
		 i->name, state_name(i->state), units / s, events / s, bytes * 8 / 1e9 / s,
		 i->ring ? 100.0 * (double)level(i) / (double)i->ring : 0,
		 (uint64_t)i->card.throttled, (uint64_t)i->card.truncated);
	if (output_is_live(stdout)) {
		output_live(stdout, "%s", line);
		return;
	}
	puts(line);
	fflush(stdout);
}

/* A line each second, over the one before if it is a terminal. */
static int live(struct roc_endpoint *ep, unsigned int stream, uint64_t limit_s)
{
	uint64_t begin = now_ns(), last = begin, now;
	struct timespec second = {.tv_sec = 1};
	struct roc_st_info before, info;

	stop_on_first_signals();
	if (roc_card_stream(ep, stream, &before))
		return tool_fail("%s", roc_error());
	while (!stop_asked()) {
		nanosleep(&second, NULL);
		now = now_ns();
		if (roc_card_stream(ep, stream, &info))
			return tool_fail("%s", roc_error());
		live_line(&info, &before, (double)(now - last) / 1e9);
		before = info;
		last = now;
		if (limit_s && now - begin >= limit_s * NS_PER_S)
			break;
	}
	if (output_is_live(stdout))
		putchar('\n');
	return TOOL_OK;
}

static void show(const struct stream_options *o, const struct stream_list *l)
{
	struct json j;

	if (!o->json) {
		stream_list_text(stdout, l, o->common.verbose, output_colours(stdout));
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	output_card_json(&j, &l->card);
	stream_list_json(&j, l);
	json_object_end(&j);
}

int stream_stats(const struct stream_options *o)
{
	struct roc_endpoint *ep;
	struct stream_list l;
	struct roc_card card;
	unsigned int stream = 0;
	int code;

	code = card_open_any(o->id, &card, &ep);
	if (code)
		return code;
	if (o->stream && roc_card_stream_find(ep, o->stream, &stream)) {
		code = tool_fail("%s", roc_error());
	} else if (o->live) {
		code = live(ep, stream, o->time);
	} else {
		code = stream_list_read(ep, &card, &l);
		if (!code && o->stream) {
			l.info[0] = l.info[stream];
			l.count = 1;
		}
		if (!code)
			show(o, &l);
	}
	roc_close(ep);
	return code;
}
