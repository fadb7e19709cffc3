/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb node: what belongs to one.
 */
#ifndef ROC_UTILS_EVB_NODE_H
#define ROC_UTILS_EVB_NODE_H

#include "coordinator.h"
#include "evb_options.h"
#include "node_report.h"
#include "sink.h"
#include "source.h"
#include "utils/common/prometheus.h"

struct node {
	const struct evb_options *o;
	uint32_t roles;
	struct evb_coordinator coordinator;
	struct evb_source source;
	struct evb_sink sink;
	struct roc_evb *evb;		  /* NULL: it is the manager and nothing else */
	uint64_t began, looked, stopping; /* since when; 0: it is not */
	uint64_t extended;		  /* when the service manager was asked for time */
	struct metrics_file metrics;
	struct line_queue *lines; /* of --json, NULL: none */
	struct evb_node_report report;
};

#endif
