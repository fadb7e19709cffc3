/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of a node: one structure and its printers.
 */
#ifndef ROC_UTILS_EVB_NODE_REPORT_H
#define ROC_UTILS_EVB_NODE_REPORT_H

#include <roc/evb.h>
#include <stdbool.h>
#include <stdio.h>

#include <roc/evb_manager.h>

#include "sink.h"
#include "source.h"
#include "utils/common/prometheus.h"

#define EVB_PEERS_SHOWN (2 * ROC_EVB_NODES_MAX)

struct evb_node_report {
	const char *system, *name;
	uint32_t roles;
	uint64_t time;	/* CLOCK_REALTIME ns */
	double seconds; /* since the report before */
	bool ended;	/* the last report */
	bool cut;	/* the line before may be incomplete */
	struct roc_evb_counts now, before;
	struct roc_evb_peer peers[EVB_PEERS_SHOWN];
	unsigned int peer_count;
	struct roc_evb_unit units[ROC_EVB_NODES_MAX]; /* only on the manager */
	unsigned int unit_count;
	uint64_t sink_lost; /* blocks that the sink accepted and lost */
};

/* Sum of the counters of incomplete blocks and of lost data. */
uint64_t evb_node_losses(const struct roc_evb_counts *n);

/*
 * Print a line of JSON with each connection and bin, and with the counters of the open source and
 * sink. False: the reader of @out has exited (EPIPE). For another write error the line is lost and
 * the next line is complete; ferror(@out) is set.
 */
bool evb_node_print(FILE *out, struct evb_node_report *r, const struct evb_source *source,
		    const struct evb_sink *sink);
/* The short line for watchers, which the caller frees; NULL: out of memory. */
char *evb_node_line(const struct evb_node_report *r, size_t *length);
void evb_node_prometheus(struct prometheus *p, const struct evb_node_report *r);
void evb_node_text(FILE *out, const struct evb_node_report *r);

#endif
