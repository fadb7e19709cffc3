/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies from the memory of something that is no card of ours into host memory: a GPU by its driver
 * library (copier_cuda.c), or this machine's own memory by threads (copier_cpu.c), which is what
 * there is everywhere. Copies of a stream are made one after the other, those of different streams
 * at the same time.
 */
#ifndef ROC_UTILS_COPIER_H
#define ROC_UTILS_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/units/units.h"

#define COPIER_STREAMS 32

struct copier;

/* Each returns 0, or what it says here, or -errno with the sentence in @reason. */
struct copier_ops {
	const char *name;
	/* Memory of ours that copies go to, from now on locked and known to the device. */
	int (*pin)(struct copier *c, void *addr, size_t length);
	void (*unpin)(struct copier *c, void *addr, size_t length);
	/* Bytes @at on of the device's memory. Returns when they are there. */
	int (*upload)(struct copier *c, uint64_t at, const void *data, size_t bytes);
	/* Begin to copy bytes @from on to @to. */
	int (*copy)(struct copier *c, unsigned int stream, void *to, uint64_t from, size_t bytes);
	/* All that the stream was asked for is done: 1; 0 not yet. */
	int (*done)(struct copier *c, unsigned int stream);
	/* Wait until it is. */
	int (*wait)(struct copier *c, unsigned int stream);
	/* Waits for all streams. May be called after a failed open. */
	void (*close)(struct copier *c);
};

/* Head of every copier; owned by who opened it until copier_close(). */
struct copier {
	const struct copier_ops *ops;
	unsigned int streams;
	uint64_t memory; /* bytes of the device's memory that are ours */
	char device[128];
	char pci[16]; /* its address, as sysfs has it; empty: there is no link */
	char reason[UNITS_REASON];
};

struct copier_options {
	unsigned int device, streams;
	uint64_t memory;
};

/* NULL: the sentence is in @reason. */
struct copier *copier_cuda(const struct copier_options *o, char reason[UNITS_REASON]);
struct copier *copier_cpu(const struct copier_options *o, char reason[UNITS_REASON]);

static inline void copier_close(struct copier *c)
{
	if (c)
		c->ops->close(c);
}

/*
 * Bodies (utils/units/content.h) of @source, to be copied from 8 times the place on. @enough: asked
 * again and again, as gigabytes take seconds; true: -ECANCELED. May be NULL.
 */
int copier_fill(struct copier *c, uint64_t source, bool (*enough)(void));

#endif
