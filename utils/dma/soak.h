/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-bench-dma --soak: take data from everything for a long time. Each channel, stream or sub-unit
 * of the node is a *lane*: a thread takes its data and checks every byte. Once per period each lane
 * gets a verdict.
 *
 *	soak.c		the run: open, wait, evaluate, end
 *	soak_lane.c	a lane: its name, thread and counters
 *	soak_judge.c	limits and verdicts, pure functions of the counters
 *	soak_log.c	the log, which a later call continues
 *	soak_report.c	lines, table, JSON
 *	soak_plot.c	rate and temperature over time, as SVG
 */
#ifndef ROC_UTILS_SOAK_H
#define ROC_UTILS_SOAK_H

#include <roc/roc.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench.h"
#include "soak_history.h"
#include "utils/units/pump.h"

#define SOAK_LANES 128
#define SOAK_NAME 64
#define SOAK_TICK_NS (UNITS_NS_PER_S / 5) /* maximum age of a lane's published counters */
#define SOAK_WARM 5.0			  /* degrees below the limit that cause a warning */
#define SOAK_ALIKE 0.8 /* a lane slower than this part of the fastest similar lane gets a warning */

/* Counters of a lane since its start; published by its thread. */
struct soak_counts {
	uint64_t time; /* units_now() */
	uint64_t units, bytes;
	uint64_t errors, dropped;
};

struct soak_limits {
	double temperature;	  /* must stay below */
	uint64_t errors, dropped; /* maximum allowed */
};

struct soak_lane {
	char name[SOAK_NAME];
	struct roc_card card;
	unsigned int channel;
	bool pool;	/* the driver measures gaps */
	bool fragments; /* fragments left in the card at the end are not dropped ones */
	struct source *source;
	struct sink *sink;
	struct error_log errors;
	struct pump pump;
	pthread_t thread;
	bool running; /* the thread was started */

	pthread_mutex_t lock; /* protects the next three members, which the thread writes */
	struct soak_counts now;
	bool over;
	char reason[SOAK_REASON]; /* why it ended unexpectedly */

	/* Owned by the main thread. */
	struct soak_counts last;		/* at the end of the last period */
	uint64_t errors_before, dropped_before; /* in all periods, including earlier calls */
	int64_t gaps[ROC_GAPS];			/* at the end of the last period */
	double temperature, hottest;
};

/* Totals of all periods of a lane. */
struct soak_sum {
	double seconds, slowest; /* bytes per second of the slowest period */
	uint64_t units, bytes, errors, dropped;
	int gap;
	double temperature;
	enum soak_verdict verdict;
	unsigned int periods;
};

struct soak {
	const struct bench_options *opt;
	struct soak_limits limits;
	struct soak_lane *lanes;
	const char *names[SOAK_LANES];
	unsigned int count;
	struct soak_history history;
	struct soak_log *log; /* NULL: none */
	double earlier;	      /* seconds that the log had at the start */
	uint64_t begin;	      /* start of this call, units_now() */
	bool interrupted;
	char reason[SOAK_REASON]; /* first failure; empty: none */
};

int soak_run(const struct bench_options *o);

/* soak_lane.c */
/*
 * Find all lanes of the node, or of card @o->id; the caller frees *@lanes. Return an exit code; a
 * failure has been reported.
 */
int soak_lanes_find(const struct bench_options *o, struct soak_lane **lanes, unsigned int *count);
int soak_lane_open(struct soak_lane *l, const struct bench_options *o);
int soak_lane_start(struct soak_lane *l); /* -errno */
void soak_lane_join(struct soak_lane *l);
void soak_lane_close(struct soak_lane *l);
/* Read the temperature from the world-readable sysfs files. */
void soak_lane_poll(struct soak_lane *l);
int soak_lane_gap(struct soak_lane *l); /* bucket of the longest gap since the last call */

/* soak_judge.c */
/*
 * Check the limits with the totals of the lane. Return true and a message in @reason if one is
 * exceeded.
 */
bool soak_broken(const struct soak_limits *limits, const char *name, double temperature,
		 const struct soak_counts *total, char reason[SOAK_REASON]);
enum soak_verdict soak_judge(const struct soak_limits *limits, const struct soak_period *p);
void soak_add_up(const struct soak_history *h, unsigned int lane, struct soak_sum *sum);
/* Return true if a lane is much slower than the fastest similar one. */
bool soak_slow(const struct soak_sum *one, const struct soak_sum *fastest);
/* soak_report.c */
void soak_report_lines(FILE *out, const struct soak *s, size_t first, bool colours);
void soak_report_text(FILE *out, const struct soak *s, bool colours);
void soak_report_json(FILE *out, const struct soak *s);
enum soak_verdict soak_report_verdict(const struct soak *s);

/* soak_plot.c */
/* Return an exit code; a failure has been reported. */
int soak_plot_write(const char *path, const struct soak *s);
void soak_plot(FILE *out, const struct soak *s);

#endif
