/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: what a node reports of itself. Short: one structure and its printers.
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
	double seconds; /* since the look before */
	bool ended;	/* it is the last */
	bool cut;	/* of the line before there may be a part only */
	struct roc_evb_counts now, before;
	struct roc_evb_peer peers[EVB_PEERS_SHOWN];
	unsigned int peer_count;
	struct roc_evb_unit units[ROC_EVB_NODES_MAX]; /* of the manager */
	unsigned int unit_count;
	uint64_t sink_lost; /* blocks that it took, and that are nowhere */
};

/* What of the counts says that an event was not complete, or that something was lost here. */
uint64_t evb_node_losses(const struct roc_evb_counts *n);

/*
 * A line of JSON with every connection and bin; and what source and sink counted, as far as they
 * are open. False: nobody reads it any more. A line that is lost for another reason is no more than
 * that, and the next one is whole; @out has its error, for the end.
 */
bool evb_node_print(FILE *out, struct evb_node_report *r, const struct evb_source *source,
		    const struct evb_sink *sink);
/* The short one that watchers get, to be freed; NULL: no memory. */
char *evb_node_line(const struct evb_node_report *r, size_t *length);
void evb_node_prometheus(struct prometheus *p, const struct evb_node_report *r);
void evb_node_text(FILE *out, const struct evb_node_report *r);

#endif
