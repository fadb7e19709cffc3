/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-gpu-src: how fast records of each size come from a device into our memory.
 *
 *	gpu_src.c	the tool
 *	sweep.c		the measurement, and the link that the rate is compared with
 *	sweep_report.c	table and JSON
 *	copier*.c	where the records come from
 */
#ifndef ROC_UTILS_GPU_SWEEP_H
#define ROC_UTILS_GPU_SWEEP_H

#include <roc/roc.h>

#include <stdbool.h>

#include "copier.h"
#include "utils/common/tool.h"

/*
 * What the link of a device can carry at most, and how that comes about: the number that a measured
 * rate is to be divided by.
 */

struct gpu_link {
	bool known;
	double speed; /* GT/s of a lane */
	unsigned int lanes;
	double encoding;      /* of the bits on a lane those that are not for the line itself */
	unsigned int payload; /* bytes in a packet */
	bool payload_assumed; /* the capability is root's to read, and we are not */
	double efficiency;    /* of a packet's bytes those that are payload */
	double ceiling;	      /* Gb/s */
};

/* Of the device at @address. Not known: there is no link, or the kernel does not say. */
void gpu_link_read(struct gpu_link *l, const char *root, const char *address);
/* The same from what it is made of. */
void gpu_link_set(struct gpu_link *l, double speed, unsigned int lanes, unsigned int payload);

struct sweep_options {
	struct common_options common;
	unsigned int source; /* SWEEP_GPU or _CPU */
	uint32_t device;
	uint64_t record_min, record_max;
	uint32_t steps; /* sizes in a factor of ten */
	uint64_t bytes; /* of a repeat, at least one record */
	uint32_t repeats;
	uint32_t streams;    /* up to so many: 1, 2, 4 and so on */
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

/* One size of records, kind of memory and number of streams. */
struct sweep_point {
	uint64_t record;
	bool pinned;
	unsigned int streams;
	unsigned int repeats;
	uint64_t bytes;	    /* of all repeats */
	double mean, sigma; /* Gb/s */
	double least, most;
	double system, user; /* seconds of processor per GiB */
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
	char wrong[UNITS_REASON]; /* the first of them */
};

/* Exit code, the message is out. */
int sweep_run(struct sweep *s);
void sweep_report(const struct sweep *s);

#endif
