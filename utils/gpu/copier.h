/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copy from device memory into host memory. The device is a GPU, accessed through its driver
 * library (copier_cuda.c), or this machine's memory, copied by threads (copier_cpu.c), which needs
 * no hardware. Copies of one stream are sequential, copies of different streams run in parallel.
 */
#ifndef ROC_UTILS_COPIER_H
#define ROC_UTILS_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/units/units.h"

#define COPIER_STREAMS 32

struct copier;

/* Unless stated otherwise, each operation returns 0, or -errno with the reason in @reason. */
struct copier_ops {
	const char *name;
	/* Lock host memory and register it with the device. */
	int (*pin)(struct copier *c, void *addr, size_t length);
	void (*unpin)(struct copier *c, void *addr, size_t length);
	/* Write to device memory at offset @at. Returns when the data are there. */
	int (*upload)(struct copier *c, uint64_t at, const void *data, size_t bytes);
	/* Start a copy from offset @from to @to. */
	int (*copy)(struct copier *c, unsigned int stream, void *to, uint64_t from, size_t bytes);
	/* Return 1 if all copies of the stream are done, 0 if not yet. */
	int (*done)(struct copier *c, unsigned int stream);
	/* Wait until all copies of the stream are done. */
	int (*wait)(struct copier *c, unsigned int stream);
	/* Wait for all streams and free. May be called after a failed open. */
	void (*close)(struct copier *c);
};

/* Head of every copier. The opener owns it until copier_close(). */
struct copier {
	const struct copier_ops *ops;
	unsigned int streams;
	uint64_t memory; /* bytes of the allocated device memory */
	char device[128];
	char pci[16]; /* PCI address as in sysfs; empty: there is no link */
	char reason[UNITS_REASON];
};

struct copier_options {
	unsigned int device, streams;
	uint64_t memory;
};

/* Return: NULL with the reason in @reason. */
struct copier *copier_cuda(const struct copier_options *o, char reason[UNITS_REASON]);
struct copier *copier_cpu(const struct copier_options *o, char reason[UNITS_REASON]);

static inline void copier_close(struct copier *c)
{
	if (c)
		c->ops->close(c);
}

/*
 * Fill the device memory with the endless counter of @source (utils/units/content.h), so that
 * bodies start at 8 times their place. @enough: polled in between, because gigabytes take seconds;
 * if it returns true, the result is -ECANCELED. May be NULL.
 */
int copier_fill(struct copier *c, uint64_t source, bool (*enough)(void));

#endif
