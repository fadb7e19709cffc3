/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-gpu-src: measure the rate of copies from a device into host memory, by record size.
 *
 *	gpu_src.c	the tool
 *	sweep.c		the measurement, and the capacity of the link
 *	sweep_report.c	table and JSON
 *	copier*.c	copies from a device
 */
#ifndef ROC_UTILS_GPU_SWEEP_H
#define ROC_UTILS_GPU_SWEEP_H

#include <roc/roc.h>

#include <stdbool.h>

#include "copier.h"
#include "utils/common/tool.h"

/* The maximum rate of the link of a device, and its factors. Measured rates are divided by it. */

struct gpu_link {
	bool known;
	double speed; /* GT/s of a lane */
	unsigned int lanes;
	double encoding;      /* fraction of the bits on a lane that carry data */
	unsigned int payload; /* bytes in a packet */
	bool payload_assumed; /* the capability is readable only as root */
	double efficiency;    /* fraction of the bytes of a packet that are payload */
	double ceiling;	      /* Gb/s */
};

/*
 * Read the link of the device at @address. @known is false if there is no link, or the kernel does
 * not report it.
 */
void gpu_link_read(struct gpu_link *l, const char *root, const char *address);
/* Compute the link from its properties. */
void gpu_link_set(struct gpu_link *l, double speed, unsigned int lanes, unsigned int payload);

struct sweep_options {
	struct common_options common;
	unsigned int source; /* SWEEP_GPU or _CPU */
	uint32_t device;
	uint64_t record_min, record_max;
	uint32_t steps; /* record sizes per factor of ten */
	uint64_t bytes; /* of a repeat; at least one record is copied */
	uint32_t repeats;
	uint32_t streams;    /* maximum; measured with 1, 2, 4 and so on */
	unsigned int memory; /* SWEEP_BOTH, ... */
	const char *cpus;
	bool no_check, json;
};

enum {
	SWEEP_GPU,
	SWEEP_CPU
};
enum {
	SWEEP_BOTH,
	SWEEP_PINNED,
	SWEEP_PAGEABLE
};

#define SWEEP_REPEATS 1000

/* One combination of record size, memory type and number of streams. */
struct sweep_point {
	uint64_t record;
	bool pinned;
	unsigned int streams;
	unsigned int repeats;
	uint64_t bytes;	    /* of all repeats */
	double mean, sigma; /* Gb/s */
	double least, most;
	double system, user; /* CPU seconds per GiB */
	uint64_t errors;     /* records with a wrong byte */
};

#define SWEEP_POINTS 1024

struct sweep {
	const struct sweep_options *opt;
	struct copier *copier;
	struct gpu_link link;
	struct roc_memory memory;
	bool pinned;
	struct sweep_point points[SWEEP_POINTS];
	unsigned int count;
	unsigned int no_space, too_many; /* points that are not measured */
	uint64_t errors;
	char wrong[UNITS_REASON]; /* description of the first error */
};

/* Return: exit code; an error is already reported. */
int sweep_run(struct sweep *s);
void sweep_report(const struct sweep *s);

#endif
