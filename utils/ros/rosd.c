// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-rosd: options, startup and shutdown. */
#include "rosd.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fragment_check.h"
#include "utils/common/clock.h"
#include "utils/common/numbers.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

#define SYNTHETIC_LINKS 6 /* of a sub-unit, as in a RobinNP */
#define SYNTHETIC_PAGES 4096
#define WATCH_NS (100 * NS_PER_MS)	 /* between two checks of the main thread */
#define HANG_NS (UINT64_C(3) * NS_PER_S) /* a thread without a turn for this time hangs */
/* a card that does not write a fragment for this time hangs */
#define FETCH_NS (UINT64_C(30) * NS_PER_S)

static const char *const sources[] = {
	[ROSD_CARD] = "card",
	[ROSD_SYNTHETIC] = "synthetic",
	NULL,
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct rosd_options, member)

static const struct option_spec options[] = {
	{AT("id", OPTION_TEXT, id), .arg = "ID,...",
	 .help = "Select the cards; all their sub-units are served"},
	{AT("listen", OPTION_TEXT, listen), .arg = "HOST:PORT", .fallback = "127.0.0.1:9870",
	 .help = "Set the address to listen on; port 0: any free port"},
	FLAG_OPTION(struct rosd_options, "json", json, "Print the counters as JSON at the end"),

	{AT("max-clients", OPTION_NUMBER, max_clients), .arg = "N", .fallback = "512", .min = 1,
	 .max = 16384, .help = "Set the maximum number of clients"},
	{AT("max-requests", OPTION_NUMBER, max_requests), .arg = "N", .fallback = "64", .min = 1,
	 .max = 4096, .help = "Set the maximum of outstanding requests per client"},
	{AT("max-clears", OPTION_NUMBER, max_clears), .arg = "N", .fallback = "8", .min = 1,
	 .max = 256, .help = "Set the maximum of outstanding clears per client"},
	{AT("max-events", OPTION_NUMBER, max_events), .arg = "N", .fallback = "1024", .min = 1,
	 .max = 65536, .help = "Set the maximum of events per clear"},
	{AT("max-backlog", OPTION_SIZE, max_backlog), .arg = "SIZE", .fallback = "4Mi",
	 .min = 1 << 16, .max = 1 << 30,
	 .help = "Stop reading from a client with this many bytes of unsent answers"},
	{AT("max-spill", OPTION_SIZE, max_spill), .arg = "SIZE", .fallback = "256Mi",
	 .help = "Set the memory for unsent answers to slow clients when host pages are scarce"},
	{AT("wait", OPTION_NUMBER, wait), .arg = "MS", .fallback = "100", .min = 0, .max = 60000,
	 .help = "Set the time to wait for a missing fragment in ms"},
	{AT("patience", OPTION_NUMBER, patience), .arg = "MS", .fallback = "5000", .min = 10,
	 .max = 600000,
	 .help = "Set the time in ms after which a client is disconnected that does not read or sends half a message"},
	{AT("drain", OPTION_NUMBER, drain), .arg = "MS", .fallback = "5000", .min = 0,
	 .max = 600000, .help = "Set the time in ms to send the remaining answers at the end"},
	{AT("max-age", OPTION_TIME, max_age), .arg = "TIME",
	 .help = "Clear fragments older than this, as in 30s (default: never)"},
	/*
	 * MSG_ZEROCOPY pays off from this size on: sendmsg() then needs a third less CPU time, 18
	 * us instead of 27 with fragments of 1 KB, and 37 instead of 58 with fragments of 64 KiB.
	 * At 4 KiB it needs 3.4 instead of 4.0, which is not worth keeping host pages until they
	 * are acknowledged. On a path that copies anyway (loopback, veth) it costs up to three
	 * times as much: see ros_send_zerocopied().
	 */
	{AT("zerocopy", OPTION_SIZE, zerocopy), .arg = "SIZE", .fallback = "32Ki", .max = 1 << 30,
	 .help = "Send messages from this size on without a copy in the kernel, 0 = never"},
	{AT("host-pages", OPTION_NUMBER, host_pages), .arg = "N", .fallback = "4096", .min = 64,
	 .max = 65536, .help = "Set the host pages per sub-unit"},
	{AT("page-size", OPTION_NUMBER, page_size), .arg = "BYTES", .fallback = "2048",
	 .power = true, .min = ROC_FR_PAGE_MIN, .max = ROC_FR_PAGE_MAX,
	 .help = "Set the page size in the card; longer fragments are truncated"},

	{AT("pages", OPTION_NUMBER, pages), .arg = "N", .fallback = "0", .min = 0, .max = 1 << 20,
	 .help = "Set the pages per link, 0 = all of a card, 4096 of a synthetic one"},

	{AT("metrics", OPTION_TEXT, metrics), .arg = "FILE",
	 .help = "Write Prometheus text to a file periodically"},
	{AT("metrics-socket", OPTION_TEXT, metrics_socket), .arg = "PATH",
	 .help = "Serve Prometheus text over HTTP on a Unix socket"},
	{AT("interval", OPTION_TIME, interval), .arg = "TIME", .fallback = "5s", .min = 1,
	 .max = 86400, .help = "Set the interval of the metrics file"},

	{AT("source", OPTION_CHOICE, source), .arg = "SOURCE", .fallback = "card",
	 .choices = sources, .help = "Select the source of the fragments"},
	{AT("units", OPTION_NUMBER, units), .arg = "N", .fallback = "4", .min = 1, .max = ROS_UNITS,
	 .help = "synthetic: set the number of sub-units, with six links each"},
	{AT("size", OPTION_SIZE, size), .arg = "SIZE", .fallback = "1024", .min = ROS_FRAGMENT_MIN,
	 .max = 65536, .help = "synthetic: set the fragment size"},
	{AT("size-max", OPTION_SIZE, size_max), .arg = "SIZE", .fallback = "0", .max = 65536,
	 .help = "synthetic: set the size of the largest fragments, if distributed"},
	{AT("rate", OPTION_NUMBER, rate), .arg = "N", .fallback = "1000", .min = 0, .max = 1000000,
	 .help = "synthetic: set the events per second, 0 = as fast as they are cleared"},
	{AT("first-event", OPTION_NUMBER, first_event), .arg = "N", .fallback = "0",
	 .help = "synthetic: set the first event id"},
	{AT("source-id", OPTION_NUMBER, source_id), .arg = "N", .fallback = "0", .min = 0,
	 .max = 65535, .help = "synthetic: set the source id of the first card"},
};

static int check(const struct rosd_options *o)
{
	const char *colon = strrchr(o->listen, ':');
	uint16_t port;

	if (!colon || number_port(colon + 1, &port))
		return tool_usage("--listen: \"%s\" is not HOST:PORT.", o->listen);
	if (o->source == ROSD_CARD && !o->id)
		return tool_usage("--id is missing. Example: roc-rosd --id=3b:00.0,af:00.0");
	if (o->source == ROSD_SYNTHETIC && o->id)
		return tool_usage("--id: a synthetic source has no card.");
	if (o->size % 4 || o->size_max % 4 || (o->size_max && o->size_max < o->size))
		return tool_usage(
			"--size, --size-max: sizes must be multiples of 4 bytes, and --size-max must not be smaller than --size.");
	if (o->metrics_socket && !scrape_path_fits(o->metrics_socket))
		return tool_usage("--metrics-socket: \"%s\" is too long for the path of a socket.",
				  o->metrics_socket);
	return TOOL_OK;
}

static int open_synthetic(struct rosd *d)
{
	const struct rosd_options *o = d->opt;
	struct ros_synthetic set = {
		.links = SYNTHETIC_LINKS,
		.source = o->source_id,
		.size_min = (uint32_t)o->size,
		.size_max = (uint32_t)(o->size_max ? o->size_max : o->size),
		.rate = o->rate,
		.first_event = o->first_event,
		.pages = o->pages ? o->pages : SYNTHETIC_PAGES,
		.host_pages = o->host_pages,
	};

	for (set.unit = 0; set.unit < o->units; set.unit++) {
		struct ros_source *s = ros_source_synthetic(&set);

		if (!s)
			return tool_fail("Cannot allocate the synthetic source.");
		d->workers[d->server.units++].source = s;
	}
	return TOOL_OK;
}

/* Return: false if there are more links than a request can name. */
static bool add_source(struct rosd *d, struct ros_source *s)
{
	if (d->server.units == ROS_UNITS || d->links + s->link_count > ROS_LINKS)
		return false;
	d->links += s->link_count;
	d->workers[d->server.units++].source = s;
	return true;
}

/* Open all sub-units of one card. */
static int open_card(struct rosd *d, const char *id)
{
	struct roc_card card;
	unsigned int sub;
	int err;

	err = roc_find(id, &card);
	if (err)
		return tool_fail_card(err);
	for (sub = 0;; sub++) {
		struct ros_source *s;

		errno = 0;
		s = ros_source_card(&card, id, sub, d->opt->host_pages, d->opt->page_size,
				    d->opt->pages);
		if (!s && errno == ENOENT && sub)
			return TOOL_OK;
		if (!s)
			return tool_fail("%s", roc_error());
		if (!add_source(d, s)) {
			s->ops->close(s);
			return tool_fail(
				"--id: the cards have more than %u sub-units, whose links fit into a request.",
				d->server.units);
		}
	}
}

static int open_cards(struct rosd *d)
{
	char *list = strdup(d->opt->id), *rest = list, *id;
	int code = TOOL_OK;

	if (!list)
		return tool_fail("Cannot allocate the list of cards.");
	while (!code && (id = strsep(&rest, ",")))
		code = open_card(d, id);
	free(list);
	return code;
}

static struct ros_server_settings settings(const struct rosd *d)
{
	const struct rosd_options *o = d->opt;
	struct ros_server_settings s = {
		.limits =
			{
				/*
				 * A clear that is somewhat too long is refused with an error that
				 * names the limit.
				 */
				.message = ROS_CLEAR_BYTES + 8 * o->max_events,
				.requests = o->max_requests,
				.clears = o->max_clears,
				.events = o->max_events,
				.wait = o->wait,
				.patience = o->patience,
				.backlog = (uint32_t)o->max_backlog,
			},
		.clients = o->max_clients,
		.zerocopy = (uint32_t)o->zerocopy,
		.spill = o->max_spill,
		.drain_ns = o->drain * NS_PER_MS,
		.listen = o->listen,
	};
	unsigned int i;

	if (s.limits.message < ROS_REQUEST_BYTES)
		s.limits.message = ROS_REQUEST_BYTES;
	for (i = 0; i < d->server.units; i++) {
		if (d->workers[i].source->fragment > s.limits.fragment)
			s.limits.fragment = d->workers[i].source->fragment;
	}
	return s;
}

static int prepare(struct rosd *d)
{
	const struct rosd_options *o = d->opt;
	struct ros_server *s = &d->server;
	unsigned int i;
	int code;

	s->epoll = -1;
	s->bell.fd = -1;
	s->workers = d->workers;
	for (i = 0; i < ROS_UNITS; i++)
		d->workers[i].bell.fd = -1;
	code = o->source == ROSD_SYNTHETIC ? open_synthetic(d) : open_cards(d);
	if (code)
		return code;
	s->set = settings(d);
	for (i = 0; i < s->units; i++) {
		struct ros_worker *w = &d->workers[i];

		w->number = i;
		w->network = &s->bell;
		w->set = (struct ros_worker_settings){
			.wait_ns = o->wait * NS_PER_MS,
			.busy_ns = o->patience * NS_PER_MS,
			.fetch_ns = FETCH_NS,
			.age_ns = o->max_age * NS_PER_S,
			.jobs = o->max_clients * (o->max_requests + o->max_clears),
		};
		if (ros_worker_init(w))
			return tool_fail("Cannot create the queues of %s.", w->source->name);
	}
	return ros_server_init(s);
}

static int start(struct rosd *d)
{
	unsigned int i;
	int code = TOOL_OK;

	for (i = 0; !code && i < d->server.units; i++)
		code = ros_worker_start(&d->workers[i]);
	if (!code)
		code = ros_server_start(&d->server);
	return code;
}

static void finish(struct rosd *d)
{
	unsigned int i;

	ros_server_stop(&d->server);
	for (i = 0; i < d->server.units; i++)
		ros_worker_stop(&d->workers[i]);
	d->ended = now_ns();
}

static void destroy(struct rosd *d)
{
	unsigned int i;

	if (d->server.clients.tqh_last)
		ros_server_free(&d->server);
	for (i = 0; i < d->server.units; i++)
		ros_worker_free(&d->workers[i]);
}

/*
 * The main thread writes the file in a separate process: a slow disk must not delay the watchdog.
 */
static void write_metrics(struct rosd *d)
{
	const char *sentence = metrics_file_write(&d->metrics, rosd_metrics, d);

	if (sentence)
		tool_note("%s", sentence);
}

/* What the main thread has seen of the other threads. */
struct seen {
	uint64_t turns[ROS_UNITS + 1], when[ROS_UNITS + 1];
	bool gone[ROS_UNITS];
	unsigned int gone_count;
};

static bool all_running(struct rosd *d, struct seen *seen, uint64_t now)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i <= d->server.units; i++) {
		uint64_t turns = ros_count_get(i < d->server.units ? &d->workers[i].counts.turns
								   : &d->server.counts.turns);

		if (turns != seen->turns[i] || !seen->when[i])
			seen->when[i] = now;
		seen->turns[i] = turns;
		all &= now - seen->when[i] < HANG_NS;
	}
	return all;
}

static void report_failed_units(struct rosd *d, struct seen *seen)
{
	unsigned int i;

	for (i = 0; i < d->server.units; i++) {
		if (seen->gone[i] ||
		    !atomic_load_explicit(&d->workers[i].gone, memory_order_acquire))
			continue;
		seen->gone[i] = true;
		seen->gone_count++;
		tool_note("%s is out of service: %s", d->workers[i].source->name,
			  d->workers[i].failure);
	}
}

/* Run until a signal (TOOL_OK), or until no sub-unit is left. */
static int watch(struct rosd *d, const sigset_t *signals, struct seen *seen)
{
	uint64_t now = now_ns(), ping = notify_watchdog() / 3, pinged = now, written = 0;
	struct timespec interval = {.tv_nsec = (long)WATCH_NS};

	for (;;) {
		if (now - written >= d->opt->interval * NS_PER_S) {
			write_metrics(d);
			written = now;
		}
		report_failed_units(d, seen);
		if (seen->gone_count == d->server.units)
			return tool_fail("No sub-unit is in service.");
		if (sigtimedwait(signals, NULL, &interval) > 0)
			return TOOL_OK;
		now = now_ns();
		if (all_running(d, seen, now) && ping && now - pinged >= ping) {
			notify_manager("WATCHDOG=1");
			pinged = now;
		}
	}
}

/* Drain: clients get their replies. A second signal ends the drain. */
static void drain(struct rosd *d, const sigset_t *signals, struct seen *seen)
{
	struct timespec interval = {.tv_nsec = (long)(10 * NS_PER_MS)};
	bool ping = notify_watchdog();

	notify_manager("STOPPING=1");
	notify_end_within(d->opt->drain * NS_PER_MS);
	ros_server_drain(&d->server);
	while (!ros_server_ended(&d->server)) {
		if (sigtimedwait(signals, NULL, &interval) > 0)
			ros_server_hurry(&d->server);
		if (all_running(d, seen, now_ns()) && ping)
			notify_manager("WATCHDOG=1");
	}
}

static void report_ready(const struct rosd *d)
{
	char line[384];

	snprintf(line, sizeof(line), "Serving %u links of %u sub-units at %s, port %u.",
		 (unsigned int)__builtin_popcountll(d->server.set.limits.links), d->server.units,
		 d->opt->listen, d->server.port);
	/* With --json, standard output has only the JSON document. */
	if (d->opt->json)
		tool_note("%s", line);
	else
		printf("%s\n", line);
	fflush(stdout);
	notify_manager("READY=1");
}

/* Report the damage of the whole run. Clients have the status of each fragment. */
static int verdict(struct rosd *d, int code)
{
	struct ros_worker *w;
	unsigned int i;

	for (i = 0; i < d->server.units; i++) {
		w = &d->workers[i];
		if (ros_worker_damage(w))
			code = tool_fail(
				"%s: %" PRIu64 " fragments were flagged as damaged, %" PRIu64
				" had a wrong event id, %" PRIu64 " were too short, %" PRIu64
				" were empty, and %" PRIu64
				" were lost: run roc-fragment stats --verbose to find the link.",
				w->source->name, ros_count_get(&w->counts.damaged),
				ros_count_get(&w->counts.sequence_errors),
				ros_count_get(&w->counts.too_short),
				ros_count_get(&w->counts.empty), ros_count_get(&w->counts.lost));
	}
	return code;
}

static int run(const void *values)
{
	const struct rosd_options *o = values;
	struct rosd *d = NULL;
	struct scrape *scrape = NULL;
	struct seen seen = {0};
	sigset_t signals;
	int code = check(o);

	if (code)
		return code;
	d = aligned_alloc(_Alignof(struct rosd), sizeof(*d));
	if (!d)
		return tool_fail("Cannot allocate the state of the daemon.");
	memset(d, 0, sizeof(*d));
	d->opt = o;
	d->metrics.path = o->metrics;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	if (!stop_is_ignored(SIGINT))
		sigaddset(&signals, SIGINT);
	stop_not_by_readers();
	tool_queue_messages();
	code = prepare(d);
	if (code)
		goto out;
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	d->began = now_ns();
	if (o->metrics_socket) {
		scrape = scrape_start(o->metrics_socket, rosd_metrics, d);
		code = scrape ? TOOL_OK : TOOL_FAILED;
	}
	if (code)
		goto out;
	code = start(d);
	if (!code) {
		report_ready(d);
		code = watch(d, &signals, &seen);
		drain(d, &signals, &seen);
	}
	scrape_stop(scrape);
	finish(d);
	report_failed_units(d, &seen);
	if (d->server.counts.turns) {
		write_metrics(d);
		(o->json ? rosd_json : rosd_text)(stdout, d);
		code = verdict(d, code);
	}
out:
	destroy(d);
	free(d);
	return code;
}

const struct tool tool_rosd = {
	.name = "rosd",
	.summary = "Serve the fragments of cards to clients on the network",
	.example = "--id=3b:00.0,af:00.0 --listen=10.1.2.3:9870",
	TOOL_OPTIONS(options, struct rosd_options),
	.run = run,
};
