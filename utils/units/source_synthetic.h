/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that is none: superpages in memory, with raw data headers and the counters of a detector
 * data generator, by what roc-bench-dma checks. Given a rate it does as a card does whose reader
 * is slow: what finds no room is dropped, and counted. Without one it waits.
 */
#ifndef ROC_UTILS_SOURCE_SYNTHETIC_H
#define ROC_UTILS_SOURCE_SYNTHETIC_H

#include "units.h"

struct synthetic_options {
	uint64_t unit;	/* bytes of a superpage, a multiple of the packet */
	uint64_t total; /* bytes of memory */
	uint64_t rate;	/* bytes per second, 0: as fast as they are taken */
	uint32_t links; /* mask; taken in turn */
};

#define SYNTHETIC_PACKET 8192

/* A failure has its sentence in @why. */
struct source *source_synthetic(const struct synthetic_options *o, char why[UNITS_WHY]);

#endif
