/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options and actions of the tool roc-evb.
 *
 *	evb.c		the options
 *	node.c		action node: set up a node and run it
 *	node_report.c	reports of a node: JSON lines, Prometheus text, final table
 *	watch.c		action watch: show the whole system on a terminal
 *	check.c		action check: check files that the sink file wrote
 *	plan.c		action plan: calculate a system; plan_model.c has the arithmetic
 *	coordinator.h	members of the system and the assignment table
 *	source.h, sink.h	sources of fragments and sinks of events
 */
#ifndef ROC_UTILS_EVB_OPTIONS_H
#define ROC_UTILS_EVB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/common/options.h"

enum evb_action {
	EVB_NODE,
	EVB_PLAN,
	EVB_WATCH,
	EVB_CHECK,
};

struct evb_options {
	struct common_options common;
	unsigned int action;
	bool json, complete, single, once, no_display;
	const char *system, *name, *coordinator, *roles, *source, *sink;
	const char *path, *host, *bind, *advertise, *port, *provider, *metrics;
	unsigned int protocol, policy;
	uint32_t events, blocks, window, in_flight, peers, regions, seed;
	uint32_t readouts, builders;
	uint32_t stale, patience, lease, spin;
	uint64_t fragment, mfp, copy_below, memory, segment, region;
	uint64_t time;
	/* plan */
	uint32_t nodes, event_rate, hold, simulate;
	uint64_t spread;
	const char *link_rate, *share;
};

/* The actions. Each returns the exit code of the tool: TOOL_OK, TOOL_USAGE, ... */
int evb_node(const struct evb_options *o);
int evb_plan(const struct evb_options *o);
int evb_watch(const struct evb_options *o);
int evb_check(const struct evb_options *o);

#endif
