/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-bench-dma --soak: everything at once, for long. Each channel, stream or sub-unit of the node
 * is a *lane*: a thread takes its data and looks at every byte. Once per period each gets
 * a verdict.
 *
 *	soak.c		the run: opens, waits, judges, ends
 *	soak_lane.c	a lane: what it is called, its thread, what it has counted
 *	soak_judge.c	limits and verdicts, pure functions of what was counted
 *	soak_log.c	the log, which a later call goes on with
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
#define SOAK_TICK_NS (UNITS_NS_PER_S / 5) /* how old what a lane has counted may be */
#define SOAK_WARM 5.0			  /* degrees below the limit: a warning */
#define SOAK_ALIKE 0.8 /* of the fastest lane of its kind; who is slower gets a warning */

/* What a lane has counted since it was started; published by its thread. */
struct soak_counts {
	uint64_t time; /* units_now() */
	uint64_t units, bytes;
	uint64_t errors, dropped;
};

struct soak_limits {
	double temperature;	  /* it must stay below */
	uint64_t errors, dropped; /* more are too many */
};

struct soak_lane {
	char name[SOAK_NAME];
	struct roc_card card;
	unsigned int channel;
	bool pool;	/* the driver knows of gaps */
	bool fragments; /* what is left in the card at the end is no drop */
	struct source *source;
	struct sink *sink;
	struct error_log errors;
	struct pump pump;
	pthread_t thread;
	bool running; /* the thread is */

	pthread_mutex_t lock; /* of the next three, which the thread writes */
	struct soak_counts now;
	bool over;
	char reason[SOAK_REASON]; /* it did not end as it was told */

	/* Of the main thread. */
	struct soak_counts last;		/* at the end of the last period */
	uint64_t errors_judged, dropped_judged; /* in all periods, also of earlier calls */
	int64_t gaps[ROC_GAPS];			/* then */
	double temperature, hottest;
};

/* What came of all periods of a lane. */
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
	double earlier;	      /* seconds that the log had */
	uint64_t begin;	      /* of this call, units_now() */
	bool interrupted;
	char reason[SOAK_REASON]; /* what failed first; empty: nothing */
};

int soak_run(const struct bench_options *o);

/* soak_lane.c */
/* All lanes of the node, or of @o->id; *@lanes is the caller's. Exit code, the message is out. */
int soak_lanes_find(const struct bench_options *o, struct soak_lane **lanes, unsigned int *count);
int soak_lane_open(struct soak_lane *l, const struct bench_options *o);
int soak_lane_start(struct soak_lane *l); /* -errno */
void soak_lane_join(struct soak_lane *l);
void soak_lane_close(struct soak_lane *l);
/* Thermometer and gaps, by what the driver shows to everybody. */
void soak_lane_poll(struct soak_lane *l);
int soak_lane_gap(struct soak_lane *l); /* bucket of the longest since the last call */

/* soak_judge.c */
/* Does it break a limit, with what the lane counted in all? @reason: a sentence then. */
bool soak_broken(const struct soak_limits *limits, const char *name, double temperature,
		 const struct soak_counts *total, char reason[SOAK_REASON]);
enum soak_verdict soak_judge(const struct soak_limits *limits, const struct soak_period *p);
void soak_add_up(const struct soak_history *h, unsigned int lane, struct soak_sum *sum);
/* Of lanes that are alike, one that is much slower gets a warning. */
bool soak_slow(const struct soak_sum *one, const struct soak_sum *fastest);
/* soak_report.c */
void soak_report_lines(FILE *out, const struct soak *s, size_t first, bool colours);
void soak_report_text(FILE *out, const struct soak *s, bool colours);
void soak_report_json(FILE *out, const struct soak *s);
enum soak_verdict soak_report_verdict(const struct soak *s);

/* soak_plot.c */
/* Exit code; after a failure the message is out. */
int soak_plot_write(const char *path, const struct soak *s);
void soak_plot(FILE *out, const struct soak *s);

#endif
