/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rate in bytes per second: when the next unit is due.
 */
#ifndef ROC_UTILS_PACE_H
#define ROC_UTILS_PACE_H

#include <stdint.h>

struct pace {
	uint64_t rate;	/* bytes per second, 0: as fast as possible */
	uint64_t start; /* ns */
	uint64_t bytes; /* since then */
};

void pace_start(struct pace *p, uint64_t rate, uint64_t now);
/* Nanoseconds until the next unit is due, 0: now. */
uint64_t pace_wait(const struct pace *p, uint64_t now);
/* How many units of @bytes each are due. */
uint64_t pace_due(const struct pace *p, uint64_t bytes, uint64_t now);
/* A unit went by, or more. */
void pace_pass(struct pace *p, uint64_t bytes);

#endif
