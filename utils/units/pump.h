/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a source to a sink: takes what is there, hands it over as one batch, gives back what the
 * sink is done with, and sleeps when there is nothing to do. At the end the source is stopped, what
 * it had is taken, and the sink brings all of it to its end.
 */
#ifndef ROC_UTILS_PUMP_H
#define ROC_UTILS_PUMP_H

#include "libroc/fabric/doze.h"
#include "units.h"

struct pump_limits {
	uint64_t bytes;	 /* 0: none */
	uint64_t units;	 /* 0: none */
	uint64_t time;	 /* seconds, 0: none */
	uint64_t stall;	 /* seconds without a unit that are a failure, 0: none */
	uint64_t finish; /* seconds without any progress, at the end */
	bool twice;	 /* a second signal to end: what is left then is given up */
};

enum pump_end {
	PUMP_END_SOURCE, /* there is no more */
	PUMP_END_BYTES,
	PUMP_END_UNITS,
	PUMP_END_TIME,
	PUMP_END_SIGNAL,
	PUMP_END_STALL,
	PUMP_END_FULL, /* the sink takes no more */
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
	uint64_t left;		/* units that the source had and the sink did not take any more */
	uint64_t left_bytes;
	uint64_t out, out_most; /* units with the sink, now and at most */
	uint64_t sleeps;
	struct pump_link links[UNITS_LINKS];
};

struct pump {
	struct source *source;
	struct sink *sink;
	struct pump_limits limits;
	/* Once a second, or as often as @tick_ns has it, and after the end; may be NULL. */
	void (*tick)(struct pump *p, void *context);
	uint64_t tick_ns;
	void *context;
	struct doze doze; /* who is at a network gives it a time to look on */

	struct pump_counts n;
	enum pump_end end;
	struct unit_counters counters; /* after the end */
	char reason[UNITS_REASON];     /* a failure */

	struct unit pending; /* taken, and the sink had no room */
	bool has_pending;
	bool exhausted; /* the source has none before some are back, or none at all */
	bool full;	/* the sink takes no more */
	bool abandoned; /* and that because it is told so */
};

/* Exit code is for the caller to say: p->reason is empty if all went well. */
void pump_run(struct pump *p);

const char *pump_end_name(enum pump_end end);

#endif
