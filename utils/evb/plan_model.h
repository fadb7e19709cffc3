/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic of roc-evb plan. Sizes follow from the layout in roc/mep.h, and destinations from
 * the function of the assignment table. A link is a queue that serves bytes at its rate. The model
 * has no commands, no retransmissions and no switches.
 */
#ifndef ROC_UTILS_EVB_PLAN_MODEL_H
#define ROC_UTILS_EVB_PLAN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct plan {
	unsigned int readouts, builders;
	bool both; /* each node has both roles; data to itself need no link */
	unsigned int policy;
	uint64_t seed;
	uint32_t events;	 /* in a block */
	double fragment, spread; /* bytes: mean, standard deviation */
	double event_rate;	 /* per second; 0: as many as @share of the links carry */
	double share;
	double link;	    /* bytes per second, in each direction */
	double hold, stale; /* s */
	uint32_t simulated; /* blocks */
	double segment;	    /* bytes; each has its own header */
};

/* Number of blocks of one builder in a cycle of @builders consecutive blocks. */
struct plan_cycle {
	double two; /* probability that it is two or more */
	unsigned int p50, p99, p999;
	double worst; /* mean maximum of all builders, simulated */
	unsigned int worst_ever;
};

struct plan_queue { /* incomplete blocks of a builder when one more is sent */
	double mean;
	unsigned int p50, p99, p999, max;
};

struct plan_result {
	double mfp;	 /* bytes on the link, with headers and index */
	double overhead; /* fraction of these bytes that is not data */
	double event_rate, block_rate;
	double send, receive; /* bytes per second on the link of a readout unit, of a builder */
	double send_share, receive_share; /* of the link */
	double max_event_rate;		  /* events per second at which the first link is full */
	unsigned int at_once; /* readout units that send to one builder at the same time */
	struct plan_cycle cycle;
	struct plan_queue queue;
	double builder_memory; /* bytes, in normal operation */
	double builder_stale;  /* additional bytes while blocks wait for a failed readout unit */
	double readout_memory; /* bytes while it waits for a failed builder */
};

/* False: a link is overloaded, or out of memory; the queue is not calculated. */
bool plan_solve(const struct plan *p, struct plan_result *r);

#endif
