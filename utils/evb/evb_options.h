/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb as a tool: its options, and its actions. Short: each action has files of its own.
 *
 *	evb.c		the options
 *	node.c		a node: from the options to its end
 *	node_report.c	what a node says of itself: lines, Prometheus text
 *	watch.c		the whole system on a terminal
 *	check.c		what a sink wrote, afterwards
 *	plan.c		a system on paper; plan_model.c its arithmetic
 *	coordinator.h	who is there, and who builds what
 *	source.h, sink.h	where data come from, and where they go
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

/* Exit codes. */
int evb_node(const struct evb_options *o);
int evb_plan(const struct evb_options *o);
int evb_watch(const struct evb_options *o);
int evb_check(const struct evb_options *o);

#endif
