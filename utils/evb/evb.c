// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-evb as a tool: its options.
 */
#include "evb_options.h"

#include <roc/evb.h>
#include <stddef.h>
#include <string.h>

#include "coordinator.h"
#include "libroc/fabric/doze.h"
#include "utils/common/tool.h"

static const char *const actions[] = {
	[EVB_NODE] = "node",
	[EVB_PLAN] = "plan",
	[EVB_WATCH] = "watch",
	[EVB_CHECK] = "check",
	NULL,
};

static const char *const protocols[] = {
	[ROC_EVB_PUSH] = "push",
	[ROC_EVB_PULL] = "pull",
	[ROC_EVB_COMMAND] = "command",
	NULL,
};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type), .offset = offsetof(struct evb_options, member)
#define FLAG(option_name, member, text) FLAG_OPTION(struct evb_options, option_name, member, text)
#define FLAG_FOR(actions, option_name, member, text)                                               \
	{                                                                                          \
		AT(option_name, OPTION_FLAG, member), .only = (actions), .help = (text)            \
	}
#define MS_MAX 600000

#define FOR_NODE (1u << EVB_NODE)
#define FOR_PLAN (1u << EVB_PLAN)
#define FOR_WATCH (1u << EVB_WATCH)
#define FOR_CHECK (1u << EVB_CHECK)

static const struct option_spec options[] = {
	{AT("ACTION", OPTION_CHOICE, action), .word = true, .required = true, .choices = actions,
	 .help = "What to do"},
	{AT("coordinator", OPTION_TEXT, coordinator), .arg = "WHICH", .only = FOR_NODE | FOR_WATCH,
	 .help = "static:FILE or etcd:URL"},
	{AT("system", OPTION_TEXT, system), .arg = "NAME", .only = FOR_NODE | FOR_WATCH,
	 .help = "name of the system (the file's, else roc)"},
	{AT("name", OPTION_TEXT, name), .arg = "NAME", .only = FOR_NODE,
	 .help = "its name in the system"},
	{AT("roles", OPTION_TEXT, roles), .arg = "LIST", .only = FOR_NODE,
	 .help = "of readout,builder,manager (the file's)"},
	{AT("source", OPTION_TEXT, source), .arg = "KIND", .only = FOR_NODE,
	 .help = "where data come from"},
	{AT("sink", OPTION_TEXT, sink), .arg = "KIND", .fallback = "check", .only = FOR_NODE,
	 .help = "where events go"},
	FLAG("json", json, "node: a line of JSON per second; the others: JSON"),
	FLAG_FOR(FOR_NODE | FOR_WATCH, "no-display", no_display,
		 "watch: do not replace the table on the terminal; node: no effect"),
	FLAG_FOR(FOR_NODE | FOR_CHECK, "complete", complete,
		 "fail if an event is not complete, or was lost here"),
	{AT("time", OPTION_TIME, time), .arg = "TIME", .only = FOR_NODE | FOR_WATCH,
	 .help = "end after this time, as in 5h30m10s (never)"},
	{AT("metrics", OPTION_TEXT, metrics), .arg = "FILE", .only = FOR_NODE,
	 .help = "write Prometheus text to a file, every second"},

	{AT("host", OPTION_TEXT, host), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "a builder listens at this address (the file's, else 127.0.0.1)"},
	{AT("bind", OPTION_TEXT, bind), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "a builder listens at this address instead, :: for all (--host)"},
	{AT("advertise", OPTION_TEXT, advertise), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "address that the others are told (--host)"},
	{AT("port", OPTION_PORT, port), .arg = "PORT", .only = FOR_NODE,
	 .help = "port at which a builder listens (the file's, else any)"},
	{AT("provider", OPTION_TEXT, provider), .arg = "NAME", .fallback = "tcp", .only = FOR_NODE,
	 .help = "of libfabric: tcp, shm, verbs, efa"},
	{AT("protocol", OPTION_CHOICE, protocol), .arg = "HOW", .fallback = "push",
	 .choices = protocols, .only = FOR_NODE, .help = "who moves the data"},
	FLAG_FOR(FOR_NODE, "single", single, "a MFP fits one segment"),
	{AT("events", OPTION_NUMBER, events), .arg = "N", .fallback = "1", .min = 1,
	 .max = ROC_MFP_EVENTS_MAX, .only = FOR_NODE | FOR_PLAN, .help = "events of a block"},
	{AT("fragment", OPTION_SIZE, fragment), .arg = "SIZE", .fallback = "0",
	 .only = FOR_NODE | FOR_PLAN,
	 .help = "largest fragment, 0 = what the source says; plan: of all, in the mean"},
	{AT("mfp", OPTION_SIZE, mfp), .arg = "SIZE", .fallback = "0", .only = FOR_NODE,
	 .help = "largest MFP, 0 = of largest fragments"},
	{AT("blocks", OPTION_NUMBER, blocks), .arg = "N", .fallback = "64", .min = 1, .max = 65536,
	 .only = FOR_NODE, .help = "MFPs that a readout unit has open"},
	{AT("window", OPTION_NUMBER, window), .arg = "N", .fallback = "2", .min = 1, .max = 65536,
	 .only = FOR_NODE,
	 .help = "barrel shift: MFPs of a destination that wait or are on their way"},
	{AT("in-flight", OPTION_NUMBER, in_flight), .arg = "N", .fallback = "32", .min = 1,
	 .max = 65536, .only = FOR_NODE, .help = "MFPs of a readout unit that a builder has"},
	{AT("copy-below", OPTION_SIZE, copy_below), .arg = "SIZE", .fallback = "8Ki",
	 .only = FOR_NODE, .help = "smaller fragments are copied together"},
	{AT("memory", OPTION_SIZE, memory), .arg = "SIZE", .fallback = "64Mi", .only = FOR_NODE,
	 .help = "of a builder, for MFPs"},
	{AT("peers", OPTION_NUMBER, peers), .arg = "N", .fallback = "8", .min = 1,
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE,
	 .help = "readout units that it is shared out among"},
	{AT("segment", OPTION_SIZE, segment), .arg = "SIZE", .fallback = "0",
	 .only = FOR_NODE | FOR_PLAN,
	 .help = "piece of that memory (--single: the largest MFP, else 256Ki)"},
	{AT("max-region", OPTION_SIZE, region), .arg = "SIZE", .fallback = "0", .only = FOR_NODE,
	 .help = "largest memory that is registered in one piece, 0 = no limit"},
	{AT("max-regions", OPTION_NUMBER, regions), .arg = "N", .fallback = "0", .only = FOR_NODE,
	 .help = "how many such pieces, 0 = no limit"},
	{AT("stale", OPTION_NUMBER, stale), .arg = "MS", .fallback = "1000", .min = 10,
	 .max = MS_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "a block that is open for so long is given up"},
	{AT("patience", OPTION_NUMBER, patience), .arg = "MS", .fallback = "0", .max = MS_MAX,
	 .only = FOR_NODE,
	 .help = "what a builder does not take for so long is dropped, 0 = as --stale"},
	{AT("lease", OPTION_NUMBER, lease), .arg = "MS", .fallback = "2000", .min = 100,
	 .max = MS_MAX, .only = FOR_NODE,
	 .help = "who is silent for so long is gone (static: the file's)"},
	{AT("spin", OPTION_NUMBER, spin), .arg = "US", .fallback = DOZE_SPIN_TEXT,
	 .max = DOZE_SPIN_MOST_US, .only = FOR_NODE,
	 .help = "look for so long for what comes next before a sleep, 0 = sleep at once"},

	{AT("policy", OPTION_CHOICE, policy), .arg = "POLICY", .fallback = "barrel-shift",
	 .choices = evb_policies, .only = FOR_NODE | FOR_PLAN,
	 .help = "which builder has a block (node: of a manager with etcd)"},
	{AT("seed", OPTION_NUMBER, seed), .arg = "N", .fallback = "1", .only = FOR_NODE | FOR_PLAN,
	 .help = "of random (node: of a manager with etcd)"},
	{AT("readouts", OPTION_NUMBER, readouts), .arg = "N", .fallback = "0",
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "readout units; a manager with etcd waits for so many before the first table"},
	{AT("builders", OPTION_NUMBER, builders), .arg = "N", .fallback = "0",
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE | FOR_PLAN, .help = "the same of builders"},

	{AT("nodes", OPTION_NUMBER, nodes), .arg = "N", .fallback = "0", .max = ROC_EVB_NODES_MAX,
	 .only = FOR_PLAN, .help = "nodes that are both"},
	{AT("spread", OPTION_SIZE, spread), .arg = "SIZE", .fallback = "0", .only = FOR_PLAN,
	 .help = "standard deviation of a fragment's size"},
	{AT("event-rate", OPTION_NUMBER, event_rate), .arg = "N", .fallback = "0", .only = FOR_PLAN,
	 .help = "events per second, 0 = as many as the links carry at --share"},
	{AT("link-rate", OPTION_TEXT, link_rate), .arg = "GBPS", .fallback = "100",
	 .only = FOR_PLAN, .help = "Gb/s of a node's link, in each direction, for data"},
	{AT("share", OPTION_TEXT, share), .arg = "FRACTION", .fallback = "0.8", .only = FOR_PLAN,
	 .help = "of the link that is used, if no event rate is given"},
	{AT("hold", OPTION_NUMBER, hold), .arg = "MS", .fallback = "0", .max = MS_MAX,
	 .only = FOR_PLAN, .help = "how long a sink keeps an event"},
	{AT("simulate", OPTION_NUMBER, simulate), .arg = "N", .fallback = "200000", .min = 1000,
	 .max = 100000000, .only = FOR_PLAN, .help = "blocks for which queues are followed"},
	{AT("path", OPTION_TEXT, path), .arg = "PATH", .only = FOR_CHECK,
	 .help = "file of the sink file, or folder of such"},
	FLAG_FOR(FOR_WATCH, "once", once, "look once, then end"),
};

static int run(const void *values)
{
	const struct evb_options *o = values;

	if ((o->action == EVB_NODE || o->action == EVB_WATCH) && !o->coordinator)
		return tool_usage(
			"--coordinator is missing. Example: roc-evb %s --coordinator=static:/etc/roc/evb.conf",
			actions[o->action]);
	switch ((enum evb_action)o->action) {
	case EVB_NODE:
		return evb_node(o);
	case EVB_PLAN:
		return evb_plan(o);
	case EVB_WATCH:
		return evb_watch(o);
	case EVB_CHECK:
		return evb_check(o);
	}
	return TOOL_USAGE;
}

const struct tool tool_evb = {
	.name = "evb",
	.summary = "Build events: bring the fragments of many nodes together",
	.example = "node --name=node1 --coordinator=static:evb.conf --source=card:id=3b:00.0",
	TOOL_OPTIONS(options, struct evb_options),
	.run = run,
};
