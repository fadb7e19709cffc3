/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-node-check --find-latency: find the number of superpages that must wait for each link so that
 * no data are lost while a finished superpage is replaced. Each run lends more superpages to the
 * card, but fewer than its FIFOs hold. So it simulates FIFOs of any smaller depth with the same
 * firmware.
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

/* The result of all runs. */
struct latency_result {
	unsigned int needed;  /* the sufficient depth; 0: none */
	unsigned int shallow; /* the largest insufficient depth; 0: none */
	double rate;	      /* bytes per second of the sufficient run, else of the last one */
	double least, most;   /* limits of the refill time in seconds; most 0: unknown */
	enum verdict verdict;
};

/* Exit code. */
int latency_run(const struct latency_options *options, bool json);

/* The depth of the next run; 0: no further run is needed. */
unsigned int latency_next(const struct latency *l);
void latency_judge(const struct latency *l, struct latency_result *result);
void latency_text(FILE *out, const struct latency *l);
void latency_json(FILE *out, const struct latency *l);

#endif
