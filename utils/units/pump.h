/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pump units from a source to a sink: take what is ready, put it as one batch, return what the sink
 * has completed, and sleep when there is nothing to do. At the end, stop the source, take its
 * remaining units, and wait until the sink has completed all.
 */
#ifndef ROC_UTILS_PUMP_H
#define ROC_UTILS_PUMP_H

#include "libroc/fabric/doze.h"
#include "units.h"

struct pump_limits {
	uint64_t bytes;	  /* 0: none */
	uint64_t units;	  /* 0: none */
	uint64_t time;	  /* seconds, 0: none */
	uint64_t stall;	  /* seconds without a unit until the run fails, 0: no limit */
	uint64_t finish;  /* seconds without progress at the end */
	bool second_stop; /* a second stop signal abandons the remaining units */
};

enum pump_end {
	PUMP_END_SOURCE, /* no more data */
	PUMP_END_BYTES,
	PUMP_END_UNITS,
	PUMP_END_TIME,
	PUMP_END_SIGNAL,
	PUMP_END_STALL,
	PUMP_END_FULL, /* the sink accepts no more */
	PUMP_END_FAILED,
};

struct pump_link {
	uint64_t units, bytes;
};

struct pump_counts {
	uint64_t start, finish; /* units_now() */
	uint64_t units, bytes;	/* taken */
	uint64_t damaged;	/* of these, by UNIT_DAMAGED */
	uint64_t returned;	/* units that went back to the source */
	uint64_t left;		/* units that the source had and the sink did not accept */
	uint64_t left_bytes;
	uint64_t out, out_most; /* units with the sink, now and at most */
	uint64_t sleeps;
	struct pump_link links[UNITS_LINKS];
};

struct pump {
	struct source *source;
	struct sink *sink;
	struct pump_limits limits;
	/* Called every @tick_ns (0: 1 s), and after the end. May be NULL. */
	void (*tick)(struct pump *p, void *context);
	uint64_t tick_ns;
	void *context;
	struct doze doze; /* spin time before a sleep, for tools that use a network */

	struct pump_counts n;
	enum pump_end end;
	struct unit_counters counters; /* after the end */
	char reason[UNITS_REASON];     /* a failure */

	struct unit pending; /* taken, but the sink had no space */
	bool has_pending;
	bool exhausted; /* the source has no unit until some are returned, or none at all */
	bool full;	/* the sink accepts no more */
	bool abandoned; /* after a second stop signal */
};

/* The caller determines the exit code: p->reason is empty if nothing failed. */
void pump_run(struct pump *p);

const char *pump_end_name(enum pump_end end);

#endif
