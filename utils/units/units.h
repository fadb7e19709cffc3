/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of data on their way from where they come to where they go, without a copy: superpages of a
 * pool, windows of a stream, fragments, what was read from a recording or came over a network. A
 * source lends units and takes them back in any order; a sink keeps each for a while and says which
 * it is done with. The pump between the two (pump.h) knows neither.
 *
 *	source_card.c		a channel of a card: pool or stream, by libroc's lender
 *	source_fragment.c	a sub-unit of a card: fragments, fetched as they come
 *	source_synthetic.c	superpages made in memory, as a card's data generator makes them
 *	sink_check.c		looks at the data, or only counts them
 *	pump.c			takes, puts, gives back; limits, the stop
 *	outside.c		what came from a network or a file, before it is believed
 *	units.c			what sources and sinks share: names, a rate, units of a lender
 *	units_options.c		what the tools have in common on their command line
 *	units_report.c		live line, table, JSON, metrics
 *
 * utils/record/ has the source and the sink that are files.
 * Everything here runs in one thread, but for a sink in a writer process (sink_process.h).
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
/* What is to be written when all is to end: the kernel may refuse it so long, asked so often. */
#define UNITS_TAKE_NS (10 * UNITS_NS_PER_S)
#define UNITS_AGAIN_NS (1000 * 1000)

/*
 * The kernel refused an operation for now. @since: time of the first refusal, 0 before and after a
 * success. False: it refused it for UNITS_TAKE_NS.
 */
static inline bool units_again(uint64_t *since)
{
	uint64_t now = fabric_now();

	if (!*since)
		*since = now;
	return now - *since < UNITS_TAKE_NS;
}

/* What is in a unit. The numbers are in files and on the wire: new ones go to the end. */
enum unit_content {
	UNIT_BYTES = 0,	  /* nobody knows */
	UNIT_COUNTER = 1, /* pages with a counter in all lanes, no header */
	UNIT_DDG = 2,	  /* packets with a raw data header, and a counter that each starts anew */
	UNIT_RUNNING = 3, /* the same, and a 32-bit counter that runs on from packet to packet */
	UNIT_HEADERS = 4, /* the same, and whatever the front end sends */
	UNIT_PACKETS = 5, /* packets of a stream */
	UNIT_FRAGMENTS = 6, /* one fragment, made by a generator */
	UNIT_CONTENTS
};

/* The same numbers in files and on the wire. */
enum unit_flags {
	UNIT_DAMAGED = 1 << 0,	/* the card says that not all of it is what it should be */
	UNIT_ANY_LINK = 1 << 1, /* as unit_format's any_link, where not all have it */
};

#define UNIT_FIRST_UNKNOWN UINT64_MAX

/*
 * One unit. The data are the receiver's to read until it says that it is done with the handle. Only
 * a source gives handles a meaning.
 */
struct unit {
	const void *data;
	uint64_t bytes;
	uint64_t handle;
	uint64_t sequence; /* number since the source began; one that is missing was lost */
	uint64_t first;	   /* orbit or event id at its start, UNIT_FIRST_UNKNOWN */
	uint64_t time;	   /* CLOCK_REALTIME ns at which it was taken from the card */
	uint64_t run;	   /* what continues does so in one of them: a sender, a recording */
	int32_t link;	   /* link slot, or number of the stream */
	uint32_t flags;
};

/* Memory in which all units of a source lie: for who registers it once. */
struct unit_region {
	void *addr;
	size_t length;
};

#define UNITS_REGIONS 4
#define UNITS_LINKS 64 /* that counts are kept of */

/* Of all units of a source; does not change after it was opened, but for a network's. */
struct unit_format {
	enum unit_content content;
	bool any_link;	     /* the link in a raw data header says nothing, in all units */
	uint32_t page_bytes; /* UNIT_COUNTER: of a page; UNIT_FRAGMENTS: longer ones were cut */
	uint64_t unit_max;   /* bytes of the largest unit */
	char from[64];	     /* in words: the card and channel, or what else it was */
};

/* What the other side of a source counted, after the stop. */
struct unit_counters {
	bool known;
	uint64_t units, bytes; /* it wrote */
	uint64_t dropped;      /* it threw away for want of room: packets, or events */
	const char *dropped_what;
};

/* What units share with all that has to do with a network, by their names. */
#define UNITS_REASON FABRIC_REASON
#define units_sleep roc_idle
#define units_sleep_fd roc_idle_fd
#define units_sleep_ns roc_idle_ns
#define units_fail fabric_fail
#define units_now fabric_now
#define units_realtime fabric_realtime

struct source;

/* Each returns 0, or what it says here, or -errno with the sentence in @reason. */
struct source_ops {
	const char *name;
	int (*start)(struct source *s);
	/* The next unit: 1; 0 none now; -EAGAIN as many are out as can be; -ENODATA there will be
	 * none, which every source says in the end after its stop. */
	int (*take)(struct source *s, struct unit *u);
	int (*give_back)(struct source *s, uint64_t handle);
	/* The same, of a unit that was not brought to its end: whoever sent it keeps it. May be
	 * NULL: give_back. */
	int (*refuse)(struct source *s, uint64_t handle);
	/* After a batch of the two above: tells the other side, with one call for all. May be NULL.
	 */
	int (*flush)(struct source *s);
	/* Nothing new comes; what is there already can still be taken. */
	int (*stop)(struct source *s);
	void (*sleep)(struct source *s, struct units_sleep *sleep);
	/* The same when no unit can be taken: only for what flush() does beside. May be NULL: it
	 * does nothing. */
	void (*sleep_blocked)(struct source *s, struct units_sleep *sleep);
	void (*counters)(struct source *s, struct unit_counters *counters);
	/* No unit is out. May be called in any state, also after a failed open. */
	void (*close)(struct source *s);
};

/* Head of every source; owned by who opened it until source_close(). */
struct source {
	const struct source_ops *ops;
	struct unit_format format;
	struct unit_region regions[UNITS_REGIONS];
	unsigned int region_count;
	/* What its metrics are told apart by, NULL: where data come from, which does not change */
	const char *listen;
	uint64_t calls;	     /* system calls for data, wherever they are known */
	uint64_t duplicates; /* that came again although they had arrived */
	char reason[UNITS_REASON];
	char note[UNITS_REASON]; /* what is to be said although nothing failed */
	bool paced;		 /* the next unit is there, and the rate has it wait: no stall */
	bool incomplete; /* and that it is less than there should be: a failure at the end */
};

struct sink;

struct sink_ops {
	const char *name;
	/* 1 it has the unit; 0 it has no room now; -ENOSPC it takes no more, but keeps the book. */
	int (*put)(struct sink *s, const struct unit *u);
	/* After a batch: one call for all. */
	int (*flush)(struct sink *s);
	/* Handles of units it is done with: how many were written to @handles. */
	int (*done)(struct sink *s, uint64_t *handles, unsigned int max);
	/*
	 * The same of those that it could not bring to their end, if done() has them not; -ENOSPC
	 * none now, and it takes no more: who has all its room in refused units offers none to
	 * put(). May be NULL.
	 */
	int (*lost)(struct sink *s, uint64_t *handles, unsigned int max);
	/* Nothing more is put and all units are done with: end in order. May take a moment. */
	int (*finish)(struct sink *s);
	/* Let go of all units at once, whatever becomes of them. After it done() has them all. */
	void (*abandon)(struct sink *s);
	void (*sleep)(struct sink *s, struct units_sleep *sleep);
	void (*close)(struct sink *s);
};

struct sink_counts {
	uint64_t units, bytes; /* it is done with, well */
	uint64_t lost;	       /* units it had and could not bring to their end */
	uint64_t lost_bytes;
	uint64_t calls;	      /* to the kernel or the network, for data */
	uint64_t batches;     /* of units: at most one call for each, but see the sink */
	uint64_t copied;      /* bytes of data that were copied by us */
	uint64_t again;	      /* units sent a second time, to another receiver */
	uint64_t unconfirmed; /* lost ones that the receiver may have all the same */
	uint64_t files;
	uint64_t errors; /* in the data */
};

struct sink {
	const struct sink_ops *ops;
	struct sink_counts n;
	char reason[UNITS_REASON];
	char note[UNITS_REASON];
	bool hung;	   /* its file system does not answer: @reason names it */
	bool syncing;	   /* a disk takes its time over what it has: no limit counts meanwhile */
	const char *state; /* for the live line: what is special now, NULL: nothing */
};

/* Orbit or event id at the start of a unit, as its content has it. */
uint64_t units_first(enum unit_content content, const void *data, uint64_t bytes);
const char *units_content_name(enum unit_content content);

/* Of a unit at @place, before which there were so many: never 0, and the next one has another. */
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

/*
 * A rate in bytes per second: when the next unit is due.
 */

struct pace {
	uint64_t rate;	/* bytes per second, 0: as fast as possible */
	uint64_t start; /* ns */
	uint64_t bytes; /* since then */
};

void pace_start(struct pace *p, uint64_t rate, uint64_t now);
/* Nanoseconds until the next unit is due, 0: now. */
uint64_t pace_wait(const struct pace *p, uint64_t now);
/* How many units of @bytes each are due. */
uint64_t pace_due(const struct pace *p, uint64_t bytes, uint64_t now);
/* A unit went by, or more. */
void pace_pass(struct pace *p, uint64_t bytes);

/*
 * Units that a lender of libroc (roc/lend.h) lends, as units of a source: what sources of all kinds
 * of channels share.
 */

/* The library's sentence is the source's; -errno. */
int lent_fail(struct source *s, int err);
/* All but first and link, which mean something else with each kind. */
void lent_unit(const struct roc_unit *from, struct unit *u);
int lent_return(struct source *s, struct roc_lender *lender, uint64_t handle);

/*
 * What came from outside, over a network or out of a file, before it is believed.
 */

/* Text of @size bytes that ends with 0 or does not: what no terminal obeys. */
void outside_text(char *to, const void *from, size_t size);
/* Bytes of a page that units of this content can have. */
bool outside_page(uint32_t content, uint32_t page_bytes);

#endif
