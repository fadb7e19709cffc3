// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of the tool roc-evb.
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
	 .help = "Select the action"},
	{AT("coordinator", OPTION_TEXT, coordinator), .arg = "WHICH", .only = FOR_NODE | FOR_WATCH,
	 .help = "set the coordinator: static:FILE or etcd:URL"},
	{AT("system", OPTION_TEXT, system), .arg = "NAME", .only = FOR_NODE | FOR_WATCH,
	 .help = "set the name of the system (default: from the file, else roc)"},
	{AT("name", OPTION_TEXT, name), .arg = "NAME", .only = FOR_NODE,
	 .help = "set the unique name of the node"},
	{AT("roles", OPTION_TEXT, roles), .arg = "LIST", .only = FOR_NODE,
	 .help = "set its roles, of readout,builder,manager (default: from the file)"},
	{AT("source", OPTION_TEXT, source), .arg = "KIND", .only = FOR_NODE,
	 .help = "set the data source"},
	{AT("sink", OPTION_TEXT, sink), .arg = "KIND", .fallback = "check", .only = FOR_NODE,
	 .help = "set the event sink"},
	FLAG("json", json, "node: print a line of JSON per second; other actions: print JSON"),
	FLAG_FOR(FOR_NODE | FOR_WATCH, "no-display", no_display,
		 "watch: do not overwrite the table on the terminal; node: no effect"),
	FLAG_FOR(FOR_NODE | FOR_CHECK, "complete", complete,
		 "fail if an event is incomplete or was lost here"),
	{AT("time", OPTION_TIME, time), .arg = "TIME", .only = FOR_NODE | FOR_WATCH,
	 .help = "stop after this time, as in 5h30m10s (default: never)"},
	{AT("metrics", OPTION_TEXT, metrics), .arg = "FILE", .only = FOR_NODE,
	 .help = "write Prometheus text to a file every second"},

	{AT("host", OPTION_TEXT, host), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "set the address that a builder listens on (default: from the file, else 127.0.0.1)"},
	{AT("bind", OPTION_TEXT, bind), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "set another address that a builder listens on, :: for all (default: --host)"},
	{AT("advertise", OPTION_TEXT, advertise), .arg = "ADDRESS", .only = FOR_NODE,
	 .help = "set the address that is published to other nodes (default: --host)"},
	{AT("port", OPTION_PORT, port), .arg = "PORT", .only = FOR_NODE,
	 .help = "set the port that a builder listens on (default: from the file, else any)"},
	{AT("provider", OPTION_TEXT, provider), .arg = "NAME", .fallback = "tcp", .only = FOR_NODE,
	 .help = "select the libfabric provider: tcp, shm, verbs or efa"},
	{AT("protocol", OPTION_CHOICE, protocol), .arg = "HOW", .fallback = "push",
	 .choices = protocols, .only = FOR_NODE, .help = "select the transfer protocol"},
	FLAG_FOR(FOR_NODE, "single", single, "require each MFP to fit in one segment"),
	{AT("events", OPTION_NUMBER, events), .arg = "N", .fallback = "1", .min = 1,
	 .max = ROC_MFP_EVENTS_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "set the events per block"},
	{AT("fragment", OPTION_SIZE, fragment), .arg = "SIZE", .fallback = "0",
	 .only = FOR_NODE | FOR_PLAN,
	 .help = "node: set the largest fragment, 0 = from the source; plan: set the mean fragment size"},
	{AT("mfp", OPTION_SIZE, mfp), .arg = "SIZE", .fallback = "0", .only = FOR_NODE,
	 .help = "set the largest MFP, 0 = computed from the largest fragments"},
	{AT("blocks", OPTION_NUMBER, blocks), .arg = "N", .fallback = "64", .min = 1, .max = 65536,
	 .only = FOR_NODE, .help = "set the number of open MFPs per readout unit"},
	{AT("window", OPTION_NUMBER, window), .arg = "N", .fallback = "2", .min = 1, .max = 65536,
	 .only = FOR_NODE,
	 .help = "barrel shift: set the number of waiting and outstanding MFPs per destination"},
	{AT("in-flight", OPTION_NUMBER, in_flight), .arg = "N", .fallback = "32", .min = 1,
	 .max = 65536, .only = FOR_NODE,
	 .help = "set the number of MFPs per readout unit that a builder holds"},
	{AT("copy-below", OPTION_SIZE, copy_below), .arg = "SIZE", .fallback = "8Ki",
	 .only = FOR_NODE, .help = "copy fragments below this size together"},
	{AT("memory", OPTION_SIZE, memory), .arg = "SIZE", .fallback = "64Mi", .only = FOR_NODE,
	 .help = "set the memory of a builder for MFPs"},
	{AT("peers", OPTION_NUMBER, peers), .arg = "N", .fallback = "8", .min = 1,
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE,
	 .help = "set the number of readout units that share this memory"},
	{AT("segment", OPTION_SIZE, segment), .arg = "SIZE", .fallback = "0",
	 .only = FOR_NODE | FOR_PLAN,
	 .help = "set the segment size of this memory, 0 = 256Ki, with --single the largest MFP"},
	{AT("max-region", OPTION_SIZE, region), .arg = "SIZE", .fallback = "0", .only = FOR_NODE,
	 .help = "set the largest memory region to register, 0 = no limit"},
	{AT("max-regions", OPTION_NUMBER, regions), .arg = "N", .fallback = "0", .only = FOR_NODE,
	 .help = "set the maximum number of memory regions, 0 = no limit"},
	{AT("stale", OPTION_NUMBER, stale), .arg = "MS", .fallback = "1000", .min = 10,
	 .max = MS_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "set the time in ms after which an open block is delivered as it is"},
	{AT("patience", OPTION_NUMBER, patience), .arg = "MS", .fallback = "0", .max = MS_MAX,
	 .only = FOR_NODE,
	 .help = "set the time in ms after which blocks for a slow builder are dropped, 0 = as --stale"},
	{AT("lease", OPTION_NUMBER, lease), .arg = "MS", .fallback = "2000", .min = 100,
	 .max = MS_MAX, .only = FOR_NODE,
	 .help = "set the time in ms after which a silent node is lost (static: default from the file)"},
	{AT("spin", OPTION_NUMBER, spin), .arg = "US", .fallback = DOZE_SPIN_TEXT,
	 .max = DOZE_SPIN_MOST_US, .only = FOR_NODE,
	 .help = "poll this long before a sleep, 0 = sleep at once"},

	{AT("policy", OPTION_CHOICE, policy), .arg = "POLICY", .fallback = "barrel-shift",
	 .choices = evb_policies, .only = FOR_NODE | FOR_PLAN,
	 .help = "select the assignment of blocks to builders (node: for a manager with etcd)"},
	{AT("seed", OPTION_NUMBER, seed), .arg = "N", .fallback = "1", .only = FOR_NODE | FOR_PLAN,
	 .help = "set the seed of policy random (node: for a manager with etcd)"},
	{AT("readouts", OPTION_NUMBER, readouts), .arg = "N", .fallback = "0",
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "set the number of readout units; a manager with etcd waits for them before the first table"},
	{AT("builders", OPTION_NUMBER, builders), .arg = "N", .fallback = "0",
	 .max = ROC_EVB_NODES_MAX, .only = FOR_NODE | FOR_PLAN,
	 .help = "set the number of builders; a manager with etcd waits for them before the first table"},

	{AT("nodes", OPTION_NUMBER, nodes), .arg = "N", .fallback = "0", .max = ROC_EVB_NODES_MAX,
	 .only = FOR_PLAN,
	 .help = "set the number of nodes that are both readout unit and builder"},
	{AT("spread", OPTION_SIZE, spread), .arg = "SIZE", .fallback = "0", .only = FOR_PLAN,
	 .help = "set the standard deviation of the fragment size"},
	{AT("event-rate", OPTION_NUMBER, event_rate), .arg = "N", .fallback = "0", .only = FOR_PLAN,
	 .help = "set the events per second, 0 = as many as the links carry at --share"},
	{AT("link-rate", OPTION_TEXT, link_rate), .arg = "GBPS", .fallback = "100",
	 .only = FOR_PLAN, .help = "set the data rate of a node's link in Gb/s, per direction"},
	{AT("share", OPTION_TEXT, share), .arg = "FRACTION", .fallback = "0.8", .only = FOR_PLAN,
	 .help = "set the used fraction of the link if no event rate is given"},
	{AT("hold", OPTION_NUMBER, hold), .arg = "MS", .fallback = "0", .max = MS_MAX,
	 .only = FOR_PLAN, .help = "set the time in ms that a sink holds an event"},
	{AT("simulate", OPTION_NUMBER, simulate), .arg = "N", .fallback = "200000", .min = 1000,
	 .max = 100000000, .only = FOR_PLAN, .help = "set the number of blocks to simulate"},
	{AT("path", OPTION_TEXT, path), .arg = "PATH", .only = FOR_CHECK,
	 .help = "select a file of the sink file, or a directory of such files"},
	FLAG_FOR(FOR_WATCH, "once", once, "print the table once and exit"),
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
	.summary = "Build events from the fragments of many nodes",
	.example = "node --name=node1 --coordinator=static:evb.conf --source=card:id=3b:00.0",
	TOOL_OPTIONS(options, struct evb_options),
	.run = run,
};
