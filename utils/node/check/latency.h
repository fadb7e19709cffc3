/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-node-check --find-latency: how many superpages each link must have waiting so that nothing is
 * lost while a finished one is replaced. Fewer superpages are lent to the card than its FIFOs hold,
 * a number more in each run, so that the FIFO is as deep as we like with any firmware.
 */
#ifndef ROC_UTILS_NODE_LATENCY_H
#define ROC_UTILS_NODE_LATENCY_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"

#define LATENCY_STEPS 24

struct latency_options {
	const char *id;
	uint32_t channel;
	uint64_t seconds; /* of each run */
	uint64_t superpage;
	unsigned int source, mode;
};

/* A run with @depth superpages for each link. */
struct latency_step {
	unsigned int depth;
	double seconds;
	uint64_t bytes, dropped, empty;
	uint64_t gaps[ROC_GAPS];
};

struct latency {
	char address[ROC_TEXT_MAX];
	unsigned int links, fifo; /* of the channel; superpages that a FIFO of the card holds */
	uint32_t superpage;
	struct latency_step step[LATENCY_STEPS];
	size_t steps;
};

/* What came of it. */
struct latency_result {
	unsigned int needed;  /* 0: nothing was enough */
	unsigned int shallow; /* the deepest that was not; 0: none */
	double rate;	      /* bytes a second, in the run that was enough, or the last one */
	double least, most;   /* seconds that a refill takes; most 0: not known */
	enum verdict verdict;
};

/* Exit code. */
int latency_run(const struct latency_options *options, bool json);

/* The depth of the next run; 0: it is known. */
unsigned int latency_next(const struct latency *l);
void latency_judge(const struct latency *l, struct latency_result *result);
void latency_text(FILE *out, const struct latency *l);
void latency_json(FILE *out, const struct latency *l);

#endif
