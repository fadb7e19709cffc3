/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Move units of data from a source to a sink without a copy. A unit is a superpage of a pool, a
 * window of a stream, a fragment, an entry of a recording, or what a network peer sent. A source
 * lends units and accepts them back in any order. A sink keeps each unit for a time and then
 * reports that it is done with it. The pump (pump.h) connects the two and does not depend on their
 * types.
 *
 *	source_card.c		a channel of a card: pool or stream, by libroc's lender
 *	source_fragment.c	a sub-unit of a card: fragments, fetched as they arrive
 *	source_synthetic.c	superpages generated in memory, as by a card's data generator
 *	sink_check.c		checks the data, or only counts units
 *	pump.c			moves units and returns them; limits, stop
 *	outside.c		validation of what came from a network or a file
 *	units.c			shared by sources and sinks: names, pacing, units of a lender
 *	units_options.c		command line options that the tools share
 *	units_report.c		live line, table, JSON, metrics
 *
 * The source and the sink for files are in utils/record/. Everything here runs in one thread,
 * except a sink in a writer process (sink_process.h).
 */
#ifndef ROC_UTILS_UNITS_H
#define ROC_UTILS_UNITS_H

#include <roc/lend.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libroc/fabric/base.h"

#define UNITS_NS_PER_S UINT64_C(1000000000)
#define UNITS_FOREVER UINT64_MAX
/*
 * Limits for a write that the kernel refuses at the end of a run: total time, and pause between
 * attempts.
 */
#define UNITS_TAKE_NS (10 * UNITS_NS_PER_S)
#define UNITS_AGAIN_NS (1000 * 1000)

/*
 * The kernel refused an operation for now. @since: time of the first refusal, 0 before the first
 * one and after a success. Return: false when the kernel has refused it for UNITS_TAKE_NS.
 */
static inline bool units_again(uint64_t *since)
{
	uint64_t now = fabric_now();

	if (!*since)
		*since = now;
	return now - *since < UNITS_TAKE_NS;
}

/*
 * Content of a unit. The values are stored in files and sent on the wire: append new ones at the
 * end.
 */
enum unit_content {
	UNIT_BYTES = 0,	  /* unknown */
	UNIT_COUNTER = 1, /* pages with a counter in all lanes, no header */
	UNIT_DDG = 2,	  /* packets with a raw data header; the counter restarts in each packet */
	/* as UNIT_DDG, with a 32-bit counter that continues from packet to packet */
	UNIT_RUNNING = 3,
	UNIT_HEADERS = 4,   /* as UNIT_DDG, with any payload from the front end */
	UNIT_PACKETS = 5,   /* packets of a stream */
	UNIT_FRAGMENTS = 6, /* one fragment of a generator */
	UNIT_CONTENTS
};

/* The values are stored in files and sent on the wire. */
enum unit_flags {
	UNIT_DAMAGED = 1 << 0,	/* the card flagged the data as incomplete or wrong */
	UNIT_ANY_LINK = 1 << 1, /* as any_link of struct unit_format, for this unit alone */
};

#define UNIT_FIRST_UNKNOWN UINT64_MAX

/*
 * One unit. The receiver may read the data until it reports that it is done with the handle. Only
 * the source that issued a handle interprets it.
 */
struct unit {
	const void *data;
	uint64_t bytes;
	uint64_t handle;
	uint64_t sequence; /* number since the source began; a missing number is a lost unit */
	uint64_t first;	   /* orbit or event id at its start, or UNIT_FIRST_UNKNOWN */
	uint64_t time;	   /* CLOCK_REALTIME ns at which it was taken from the card */
	uint64_t run; /* sender or recording; counters of the data continue only within one run */
	int32_t link; /* link slot, or number of the stream */
	uint32_t flags;
};

/* Memory in which all units of a source lie, so that a sink can register it once. */
struct unit_region {
	void *addr;
	size_t length;
};

#define UNITS_REGIONS 4
#define UNITS_LINKS 64 /* links with counters of their own */

/*
 * Format of all units of a source. It does not change after the open, except for a network source.
 */
struct unit_format {
	enum unit_content content;
	bool any_link; /* the link number in the raw data headers of all units is not valid */
	/* UNIT_COUNTER: bytes of a page; UNIT_FRAGMENTS: longer fragments were truncated */
	uint32_t page_bytes;
	uint64_t unit_max; /* bytes of the largest unit */
	char from[64];	   /* description of the origin, as card and channel */
};

/* Counters of the data producer behind a source, read after the stop. */
struct unit_counters {
	bool known;
	uint64_t units, bytes; /* written */
	uint64_t dropped;      /* dropped for lack of space: packets, events or fragments */
	const char *dropped_what;
};

/* Names of the facilities in libroc/fabric that units use, too. */
#define UNITS_REASON FABRIC_REASON
#define units_sleep roc_idle
#define units_sleep_fd roc_idle_fd
#define units_sleep_ns roc_idle_ns
#define units_fail fabric_fail
#define units_now fabric_now
#define units_realtime fabric_realtime

struct source;

/* Unless stated otherwise, each operation returns 0, or -errno with the reason in @reason. */
struct source_ops {
	const char *name;
	int (*start)(struct source *s);
	/*
	 * Take the next unit: 1; 0 when none is available now; -EAGAIN when all memory is lent;
	 * -ENODATA when no more units will come. Every source returns -ENODATA at some point after
	 * its stop.
	 */
	int (*take)(struct source *s, struct unit *u);
	int (*give_back)(struct source *s, uint64_t handle);
	/*
	 * As give_back, for a unit that the sink did not complete: its sender keeps it. May be
	 * NULL: give_back is used.
	 */
	int (*refuse)(struct source *s, uint64_t handle);
	/*
	 * Called after a batch of the two above: notifies the other side with one call. May be
	 * NULL.
	 */
	int (*flush)(struct source *s);
	/* Accept no new data; units that are there already can still be taken. */
	int (*stop)(struct source *s);
	void (*sleep)(struct source *s, struct units_sleep *sleep);
	/*
	 * As sleep, when no unit can be taken: wait only for the other work of flush(). May be
	 * NULL: there is none.
	 */
	void (*sleep_blocked)(struct source *s, struct units_sleep *sleep);
	void (*counters)(struct source *s, struct unit_counters *counters);
	/* Called when no unit is lent. Valid in any state, also after a failed open. */
	void (*close)(struct source *s);
};

/* Head of every source. The opener owns it until source_close(). */
struct source {
	const struct source_ops *ops;
	struct unit_format format;
	struct unit_region regions[UNITS_REGIONS];
	unsigned int region_count;
	/* Label of its metrics. NULL: format.from, which does not change. */
	const char *listen;
	uint64_t calls;	     /* system calls for data, where they are known */
	uint64_t duplicates; /* units that were sent again although they had arrived */
	char reason[UNITS_REASON];
	char note[UNITS_REASON]; /* information for the user, although nothing failed */
	bool paced;	 /* the next unit is ready and waits for the configured rate: not a stall */
	bool incomplete; /* @note reports missing data: a failure at the end */
};

struct sink;

struct sink_ops {
	const char *name;
	/*
	 * Accept a unit: 1; 0 when there is no space now; -ENOSPC when the sink accepts no more
	 * units but completes those it has.
	 */
	int (*put)(struct sink *s, const struct unit *u);
	/* Called after a batch: submits it with one call. */
	int (*flush)(struct sink *s);
	/* Write the handles of completed units to @handles, at most @max. Return: their number. */
	int (*done)(struct sink *s, uint64_t *handles, unsigned int max);
	/*
	 * As done(), for units that the sink could not complete and that done() does not return.
	 * Return: -ENOSPC when there are none now and the sink accepts no more. A sink whose memory
	 * is full of such units gets no put(). May be NULL.
	 */
	int (*lost)(struct sink *s, uint64_t *handles, unsigned int max);
	/*
	 * End in order. Called after the last put(), when all units are returned. May take a
	 * moment.
	 */
	int (*finish)(struct sink *s);
	/* Release all units at once, completed or not. Afterwards done() returns all of them. */
	void (*abandon)(struct sink *s);
	void (*sleep)(struct sink *s, struct units_sleep *sleep);
	void (*close)(struct sink *s);
};

struct sink_counts {
	uint64_t units, bytes; /* completed */
	uint64_t lost;	       /* accepted, but not completed */
	uint64_t lost_bytes;
	uint64_t calls;	      /* to the kernel or the network, for data */
	uint64_t batches;     /* of units: usually at most one call for each */
	uint64_t copied;      /* bytes of data that this process copied */
	uint64_t again;	      /* units sent a second time, to another receiver */
	uint64_t unconfirmed; /* lost units that the receiver may have received */
	uint64_t files;
	uint64_t errors; /* in the data */
};

struct sink {
	const struct sink_ops *ops;
	struct sink_counts n;
	char reason[UNITS_REASON];
	char note[UNITS_REASON];
	bool hung;	   /* its file system does not respond; @reason names it */
	bool syncing;	   /* a disk sync is in progress: time limits are suspended */
	const char *state; /* status for the live line, NULL: none */
};

/* Return the orbit or event id at the start of a unit, by its content. */
uint64_t units_first(enum unit_content content, const void *data, uint64_t bytes);
const char *units_content_name(enum unit_content content);

/*
 * Make a handle for a unit at @place, when @before units were lent before it: never 0, and
 * different from the next one of the same place.
 */
static inline uint64_t units_handle(uint64_t before, uint32_t place)
{
	return (before % UINT32_MAX + 1) << 32 | place;
}

static inline void source_close(struct source *s)
{
	if (s)
		s->ops->close(s);
}

static inline void sink_close(struct sink *s)
{
	if (s)
		s->ops->close(s);
}

/* Pace units at a rate in bytes per second. */

struct pace {
	uint64_t rate;	/* bytes per second, 0: unlimited */
	uint64_t start; /* ns */
	uint64_t bytes; /* since @start */
};

void pace_start(struct pace *p, uint64_t rate, uint64_t now);
/* Return the nanoseconds until the next unit is due, 0: now. */
uint64_t pace_wait(const struct pace *p, uint64_t now);
/* Return how many units of @bytes each are due. */
uint64_t pace_due(const struct pace *p, uint64_t bytes, uint64_t now);
/* Count the bytes of units that were moved. */
void pace_pass(struct pace *p, uint64_t bytes);

/* Helpers for units of a libroc lender (roc/lend.h), shared by the sources of all channel types. */

/* Copy the error message of libroc to the source and return -errno. */
int lent_fail(struct source *s, int err);
/* Fill in all members except first and link, whose meaning depends on the channel type. */
void lent_unit(const struct roc_unit *from, struct unit *u);
int lent_return(struct source *s, struct roc_lender *lender, uint64_t handle);

/* Validate input from outside the process, from a network or a file. */

/*
 * Copy text of @size bytes, with or without a final 0, and replace characters that are not
 * printable ASCII.
 */
void outside_text(char *to, const void *from, size_t size);
/* Return whether units of this content can have pages of this size. */
bool outside_page(uint32_t content, uint32_t page_bytes);

#endif
