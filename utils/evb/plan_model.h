/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb plan: the arithmetic of a system on paper. What is sent follows from the layout of
 * roc/mep.h, who gets it from the table's own function; a link is a queue that serves bytes at its
 * rate. Not in it: commands, retransmissions, what switches do.
 */
#ifndef ROC_UTILS_EVB_PLAN_MODEL_H
#define ROC_UTILS_EVB_PLAN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct plan {
	unsigned int readouts, builders;
	bool both; /* each node is a readout unit and a builder: what it sends itself needs no link
		    */
	unsigned int policy;
	uint64_t seed;
	uint32_t events;	 /* of a block */
	double fragment, spread; /* bytes: mean, standard deviation */
	double event_rate;	 /* per second; 0: as many as @share of the links carry */
	double share;
	double link;	    /* bytes a second, in each direction */
	double hold, stale; /* s */
	uint32_t simulated; /* blocks */
	double segment;	    /* bytes; each has a head of its own */
};

/* How many blocks of @builders blocks in a row one builder has. */
struct plan_cycle {
	double two; /* probability that it is two or more */
	unsigned int p50, p99, p999;
	double worst; /* that of the builder with most, in the mean, simulated */
	unsigned int worst_ever;
};

struct plan_queue { /* blocks that a builder should have and has not whole, when one is added */
	double mean;
	unsigned int p50, p99, p999, max;
};

struct plan_result {
	double mfp;	 /* bytes on the link, heads and index included */
	double overhead; /* of these that are no data, a part of 1 */
	double event_rate, block_rate;
	double send, receive; /* bytes a second over a readout unit's, a builder's link */
	double send_share, receive_share; /* of the link */
	double max_event_rate;		  /* at which the first link is full */
	unsigned int at_once; /* readout units that send to one builder at the same time */
	struct plan_cycle cycle;
	struct plan_queue queue;
	double builder_memory; /* bytes; as it goes */
	double builder_stale;  /* more, while blocks wait for one readout unit that is gone */
	double readout_memory; /* while a builder that is gone is waited for */
};

/* False: a link is overloaded, and there is no queue. */
bool plan_solve(const struct plan *p, struct plan_result *r);

#endif
