// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The action node: set up a node and run it. One thread runs engine, source, sink and coordinator
 * in turn.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator.h"
#include "evb_options.h"
#include "libroc/fabric/base.h"
#include "libroc/fabric/doze.h"
#include "libroc/fabric/fabric.h"
#include "node_report.h"
#include "sink.h"
#include "source.h"
#include "text.h"
#include "utils/common/files.h"
#include "utils/common/prometheus.h"
#include "utils/common/tool.h"

#define MS UINT64_C(1000000)
#define STEP_MS 100		      /* longest wait of a turn */
#define REPORT_NS FABRIC_NS_PER_S     /* interval of lines and metrics */
#define DRAIN_MS 1000		      /* limit for writing the last lines */
#define END_NS (30 * FABRIC_NS_PER_S) /* minimum of the limit for the end of a node */

struct node {
	const struct evb_options *o;
	uint32_t roles;
	struct evb_coordinator coordinator;
	struct evb_source source;
	struct evb_sink sink;
	struct roc_evb *evb;		    /* NULL: the node is only the manager */
	uint64_t began, reported, stopping; /* fabric_now(); stopping 0: it runs */
	uint64_t extended;		    /* last request for time to the service manager */
	struct metrics_file metrics;
	struct line_queue *lines; /* of --json; NULL: no such option */
	struct evb_node_report report;
};

static void log_message(void *self, const char *message)
{
	tool_note("%s", message);
}

/* "readout,builder" */
static int parse_roles(const char *text, uint32_t *roles)
{
	char copy[64], *rest = copy, *word;
	unsigned int i;

	*roles = 0;
	if (strlen(text) >= sizeof(copy))
		return tool_usage("--roles: \"%s\" has more than %zu characters.", text,
				  sizeof(copy) - 1);
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		i = options_choice(evb_roles, word);
		if (!evb_roles[i])
			return tool_usage(
				"--roles: \"%s\" is not a role: use readout, builder or manager.",
				word);
		*roles |= 1u << i;
	}
	return TOOL_OK;
}

static int open_coordinator(struct node *n)
{
	const struct evb_options *o = n->o;
	struct evb_coordinator_config cfg = {
		.text = o->coordinator,
		.system = o->system,
		.name = o->name,
		.lease_ns = o->lease * MS,
		.manager = {.policy = o->policy,
			    .seed = o->seed,
			    .readouts = o->readouts,
			    .builders = o->builders},
		.log = log_message,
	};
	char reason[ROC_EVB_REASON];
	int ret = evb_coordinator_open(&cfg, &n->coordinator, reason);

	if (ret)
		return tool_fail_for(ret, reason);
	n->roles = n->coordinator.me.roles;
	return o->roles ? parse_roles(o->roles, &n->roles) : TOOL_OK;
}

static int open_ends(struct node *n)
{
	const struct evb_options *o = n->o;
	char reason[UNITS_REASON] = "";
	const char *values;
	int err;

	if (n->roles & ROC_EVB_READOUT) {
		if (!o->source)
			return tool_usage(
				"--source is missing, but this node is a readout unit: use one of %s.",
				evb_source_kinds());
		err = evb_source_open(o->source, o->name, &n->source, reason);
		if (err)
			return tool_fail_for(err, reason);
	}
	if (n->roles & ROC_EVB_BUILDER) {
		/*
		 * A file system may block its writers, so files are written in a process of their
		 * own.
		 */
		err = evb_text_is(o->sink, "file", &values)
			      ? evb_sink_in_writer(o->sink, o->name, &n->sink, reason)
			      : evb_sink_open(o->sink, o->name, &n->sink, reason);
		if (err)
			return tool_fail_for(err, reason);
	}
	return TOOL_OK;
}

/* Text of the option, else that of the coordinator, else NULL. */
static const char *chosen(const char *option, const char *known)
{
	return option ? option : known[0] ? known : NULL;
}

/*
 * Choose the address at which a builder listens, and the one to which the other nodes connect.
 * Without an option only processes of this machine can connect.
 */
static int choose_addresses(const struct node *n, struct roc_evb_config *cfg)
{
	const struct evb_options *o = n->o;
	const char *host = chosen(o->host, n->coordinator.me.host);
	bool all = o->bind && (!strcmp(o->bind, "::") || !strcmp(o->bind, "0.0.0.0"));

	cfg->host = host;
	cfg->advertise = o->advertise;
	if (!(n->roles & ROC_EVB_BUILDER))
		return TOOL_OK;
	if (!o->bind && !host && o->advertise && strncmp(o->advertise, "127.", 4) &&
	    strcmp(o->advertise, "::1"))
		return tool_usage(
			"--advertise=%s: the builder listens at 127.0.0.1 only: set --host or --bind as well.",
			o->advertise);
	/* Only a file of nodes has the host of a builder. */
	if (!host && !o->advertise && (!o->bind || all))
		tool_note(
			"The other nodes connect to this builder at 127.0.0.1: if they run on other machines, set --host, or --bind and --advertise.");
	if (o->bind) {
		cfg->host = all ? NULL : o->bind;
		cfg->advertise = chosen(o->advertise, host ? host : "");
	} else if (!host) {
		cfg->host = "127.0.0.1";
	}
	return TOOL_OK;
}

static int open_engine(struct node *n)
{
	const struct evb_options *o = n->o;
	struct roc_evb_config cfg = {
		.system = n->coordinator.system,
		.name = o->name,
		.port = chosen(o->port, n->coordinator.me.port),
		.provider = o->provider,
		.roles = n->roles,
		.protocol = (enum roc_evb_protocol)o->protocol,
		.single = o->single,
		.events = o->events,
		.fragment_max = o->fragment ? o->fragment : n->source.fragment_max,
		.mfp_max = o->mfp,
		.blocks = o->blocks,
		.window = o->window,
		.in_flight = o->in_flight,
		.copy_below = o->copy_below,
		.memory = o->memory,
		.peers = o->peers,
		.segment = o->segment,
		.max_region = o->region,
		.max_regions = o->regions,
		.stale_ns = o->stale * MS,
		.patience_ns = o->patience * MS,
		.lease_ns = n->coordinator.lease_ns,
		.spin_ns = o->spin ? o->spin * UINT64_C(1000) : ROC_EVB_NO_SPIN,
		.log = log_message,
	};
	char reason[ROC_EVB_REASON] = "";
	int ret = choose_addresses(n, &cfg);

	if (ret)
		return ret;
	ret = roc_evb_open(&cfg, n->source.ops, n->source.self, n->sink.ops, n->sink.self,
			   n->coordinator.ops, n->coordinator.self, &n->evb, reason);
	/* -ENOSPC: the configuration does not fit into --memory, which is a usage error. */
	if (ret)
		return tool_fail_for(ret == -ENOSPC ? -EINVAL : ret,
				     reason[0] ? reason : strerror(-ret));
	if (reason[0])
		tool_note("%s", reason);
	return TOOL_OK;
}

/* A node that is only the manager has no engine: join the coordinator directly. */
static int join_manager(struct node *n)
{
	struct roc_evb_member me = n->coordinator.me;

	memset(me.name, 0, sizeof(me.name));
	strcpy(me.name, n->o->name);
	me.roles = n->roles;
	me.incarnation = fabric_realtime();
	return n->coordinator.ops->join(n->coordinator.self, &me)
		       ? tool_fail("%s", n->coordinator.ops->reason(n->coordinator.self))
		       : TOOL_OK;
}

static void handle_news(struct node *n, const struct roc_evb_news *news)
{
	if (news->what == ROC_EVB_LOST)
		n->report.now.contact = false;
	else if (news->what == ROC_EVB_BACK || news->what == ROC_EVB_LEADER)
		n->report.now.contact = true;
	else if (news->what == ROC_EVB_TABLE)
		n->report.now.epoch = news->table->epoch;
	if (news->text)
		tool_note("%s", news->text);
}

static int step_manager(struct node *n)
{
	struct roc_idle idle = {.ns = STEP_MS * MS};
	struct roc_evb_news news;
	int ret;

	while ((ret = n->coordinator.ops->poll(n->coordinator.self, &news)) == 1) {
		handle_news(n, &news);
		if (news.what == ROC_EVB_OUT && join_manager(n))
			return -EIO;
	}
	if (ret < 0)
		return ret;
	if (n->stopping)
		return 1;
	n->coordinator.ops->idle(n->coordinator.self, &idle);
	doze(&(struct doze){0}, &idle);
	return 0;
}

static void print_metrics(struct prometheus *p, void *report)
{
	evb_node_prometheus(p, report);
}

static void metrics(struct node *n)
{
	const char *message = metrics_file_write(&n->metrics, print_metrics, &n->report);

	if (message)
		tool_note("%s", message);
}

static void send_status(struct node *n)
{
	size_t length;
	char *line = evb_node_line(&n->report, &length);

	if (line)
		n->coordinator.status(n->coordinator.self, line, length);
	free(line);
}

/*
 * Queue a line for the thread that writes standard output, so that data do not wait for its reader.
 */
static void print_line(struct node *n)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	evb_node_print(out, &n->report, &n->source, &n->sink);
	if (!fclose(out))
		line_queue_put(n->lines, text, length);
	free(text);
	if (line_queue_error(n->lines) == EPIPE)
		stop_request();
}

static void report(struct node *n, uint64_t now)
{
	struct evb_node_report *r = &n->report;
	struct evb_sink_counters counters = {0};

	r->time = fabric_realtime();
	r->seconds = (double)(now - n->reported) / 1e9;
	n->reported = now;
	if (n->evb) {
		roc_evb_counts(n->evb, &r->now);
		r->peer_count = roc_evb_peers(n->evb, r->peers, EVB_PEERS_SHOWN);
		if (r->peer_count > EVB_PEERS_SHOWN)
			r->peer_count = EVB_PEERS_SHOWN;
	}
	r->unit_count = evb_coordinator_units(&n->coordinator, r->units, ROC_EVB_NODES_MAX);
	/* The engine does not see tables that the coordinator refused because they are older. */
	r->now.refused_tables = (n->evb ? r->now.refused_tables : 0) + n->coordinator.view->refused;
	if (n->sink.ops) {
		n->sink.counters(n->sink.self, &counters);
		r->sink_lost = counters.lost;
	}
	if (n->lines)
		print_line(n);
	metrics(n);
	send_status(n);
	r->before = r->now;
}

/* Limit for the end of the node. It is longer than that of the engine. */
static uint64_t end_ns(const struct evb_options *o)
{
	uint64_t ns = (12 * o->stale + 2 * (o->patience ? o->patience : o->stale)) * MS;

	return ns > END_NS ? ns : END_NS;
}

static void extend_end(struct node *n, uint64_t now)
{
	notify_end_within(end_ns(n->o));
	n->extended = now;
}

/* Begin to stop when --time is over or a signal arrived. */
static void stop_in_time(struct node *n, uint64_t now)
{
	const struct evb_options *o = n->o;

	if (n->stopping ||
	    (!stop_requested() && !(o->time && now - n->began >= o->time * FABRIC_NS_PER_S)))
		return;
	n->stopping = now;
	notify_manager("STOPPING=1");
	extend_end(n, now);
	if (n->evb)
		roc_evb_stop(n->evb);
}

/* The limit does not count while the sink waits for a disk. */
static void stop_with_disk(struct node *n, uint64_t now)
{
	if (!n->stopping || !n->sink.syncing || !n->sink.syncing(n->sink.self))
		return;
	n->stopping = now; /* the limit counts from the end of the sync */
	if (now - n->extended >= REPORT_NS)
		extend_end(n, now);
}

static int loop(struct node *n)
{
	uint64_t ping = notify_watchdog() / 3, pinged = 0, now = fabric_now();
	int ret = 0;

	n->began = n->reported = now;
	while (!ret) {
		ret = n->evb ? roc_evb_step(n->evb, STEP_MS) : step_manager(n);
		now = fabric_now();
		stop_in_time(n, now);
		if (!ret && now - n->reported >= REPORT_NS)
			report(n, now);
		if (ping && now - pinged >= ping) {
			notify_manager("WATCHDOG=1");
			pinged = now;
		}
		stop_with_disk(n, now);
		if (!ret && n->stopping && now - n->stopping > end_ns(n->o))
			break;
	}
	n->report.ended = true;
	report(n, now);
	if (ret > 0)
		return TOOL_OK;
	if (!ret)
		return tool_fail(
			"The node did not deliver all data in progress within %llu s: the rest is lost.",
			(unsigned long long)(end_ns(n->o) / FABRIC_NS_PER_S));
	return tool_fail("%s", n->evb ? roc_evb_reason(n->evb)
				      : n->coordinator.ops->reason(n->coordinator.self));
}

/* Fail if everything was lost that the node read, received or passed to its sink. */
static int all_lost(const struct roc_evb_counts *c, const struct evb_sink_counters *out)
{
	if (c->in.count && !c->sent.count)
		return tool_fail(
			"All %llu fragments of the source were lost: no builder accepted one. Check that this node can reach the --advertise address of each builder.",
			(unsigned long long)c->in.count);
	if (c->received.count && !c->out.count)
		return tool_fail(
			"All %llu MFPs that were received are lost: the sink accepted no block.",
			(unsigned long long)c->received.count);
	if (out->lost && !out->blocks)
		return tool_fail("All %llu blocks that the sink accepted are lost.",
				 (unsigned long long)out->lost);
	return TOOL_OK;
}

/* The exit code: failure if data were wrong or lost, or if output could not be written. */
static int exit_code(struct node *n, int code)
{
	struct evb_source_counters in = {0};
	struct evb_sink_counters out = {0};
	uint64_t lost = 0;
	int err = 0;

	if (n->lines) {
		line_queue_drain(n->lines, DRAIN_MS);
		lost = line_queue_lost(n->lines);
		err = line_queue_error(n->lines);
	}
	if (lost)
		code = tool_fail("%" PRIu64 " lines of --json were lost: %s.", lost,
				 err ? strerror(err) : "standard output was not read in time");
	if (code)
		return code;
	if (n->source.ops)
		n->source.counters(n->source.self, &in);
	if (n->sink.ops)
		n->sink.counters(n->sink.self, &out);
	if (out.errors)
		return tool_fail("The data have %llu errors. The first: %s",
				 (unsigned long long)out.errors, out.wrong);
	if (in.flagged)
		code = tool_fail(
			"The card flagged %llu units as damaged: their content is incomplete or wrong.",
			(unsigned long long)in.flagged);
	if (in.note)
		code = tool_fail("%s", in.note);
	if (code)
		return code;
	if (n->o->complete &&
	    evb_node_losses(&n->report.now) + out.lost + in.late + in.disorder + in.dropped)
		return tool_fail("--complete: events were incomplete, or this node lost data.");
	return all_lost(&n->report.now, &out);
}

static int run_node(struct node *n)
{
	int code = open_coordinator(n);
	bool works;

	if (code)
		return code;
	if (!n->roles)
		return tool_usage(
			"--roles is missing: set a list of readout, builder and manager.");
	works = n->roles & (ROC_EVB_READOUT | ROC_EVB_BUILDER);
	n->report.system = n->coordinator.system;
	n->report.name = n->o->name;
	n->report.roles = n->roles;
	code = open_ends(n);
	if (!code)
		code = works ? open_engine(n) : join_manager(n);
	if (code)
		return code;
	stop_on_signals();
	tool_queue_messages();
	n->lines = n->o->json ? line_queue_open(STDOUT_FILENO) : NULL;
	if (n->o->json && !n->lines)
		return tool_fail("Cannot start the thread that prints the lines of --json.");
	tool_note("Node %s of system %s is up.", n->o->name, n->coordinator.system);
	notify_manager("READY=1");
	code = loop(n);
	if (!n->o->json && works)
		evb_node_text(stdout, &n->report);
	return exit_code(n, code);
}

int evb_node(const struct evb_options *o)
{
	struct node *n;
	int code;

	if (!o->name || !roc_evb_name_valid(o->name))
		return tool_usage("--name: use a name of 1 to %d letters, digits and ._-.",
				  ROC_EVB_NAME - 1);
	n = calloc(1, sizeof(*n));
	if (!n)
		return tool_fail("Cannot allocate the state of the node (%zu bytes).", sizeof(*n));
	n->o = o;
	n->metrics.path = o->metrics;
	fabric_environment();
	/*
	 * SIGPIPE must not end the node, neither from standard output nor from etcd: TLS does not
	 * use MSG_NOSIGNAL.
	 */
	stop_not_by_pipes();
	/* libfabric opens about a dozen files for each connection. */
	files_raise(UINT64_MAX);
	code = run_node(n);
	if (n->evb)
		roc_evb_close(n->evb);
	else if (n->coordinator.ops)
		n->coordinator.ops->leave(n->coordinator.self);
	if (n->sink.ops)
		evb_sink_close(&n->sink);
	if (n->source.ops)
		evb_source_close(&n->source);
	evb_coordinator_close(&n->coordinator);
	free(n);
	return code;
}
