/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of event building, as tables of functions of roc/evb.h.
 *
 *	source_synthetic.c	content that each receiver can check, made in memory
 *	source_copier.c		the same content, copied from a GPU or by the processors
 *	source_units.c		the sources of utils/units: cards, recordings
 *	assemble.c		assembles fragments from the units of many links
 *	source_common.c		the trigger clock of several sources
 *	endpoints.c		opens the source of --source
 */
#ifndef ROC_UTILS_EVB_SOURCE_H
#define ROC_UTILS_EVB_SOURCE_H

#include <roc/evb.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/units/units.h"

/* Content of fragments, for &roc_evb_source_ops.content. The numbers are stored in files. */
enum evb_content {
	EVB_CONTENT_BYTES = 0,	   /* not specified */
	EVB_CONTENT_SYNTHETIC = 1, /* utils/units/content.h */
	EVB_CONTENT_RDH = 2,	   /* packets with a raw data header, of one orbit */
	EVB_CONTENT_P40 = 3,	   /* the data of one event in a packet of a stream */
	EVB_CONTENT_ROBINNP = 4,   /* fragments of the links of a sub-unit */
};

/* Counters of a source since its start. */
struct evb_source_counters {
	uint64_t events, bytes; /* lent */
	uint64_t returned;	/* fragments that were returned */
	uint64_t gaps;		/* events for which the source has no data */
	uint64_t dropped;	/* events that were dropped because the buffer was full */
	uint64_t damaged;	/* fragments that were lent and marked as damaged */
	uint64_t late;		/* pieces of events that were already emitted */
	uint64_t disorder;	/* pieces in wrong order */
	uint64_t flagged;	/* units that the card flagged as damaged */
	const char *note;	/* another fault that is known at the end, or NULL */
};

struct evb_source {
	const struct roc_evb_source_ops *ops;
	void *self;
	uint64_t fragment_max; /* bytes of the largest fragment; 0: unknown */
	void (*counters)(void *self, struct evb_source_counters *counters);
	void (*close)(void *self);
};

/*
 * Open a source. @text: as in "synthetic:size=64Ki,rate=1k", see roc-evb(1). @name: of the node,
 * which is also the name of the source. 0, or -errno with the reason.
 */
int evb_source_open(const char *text, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON]);
void evb_source_close(struct evb_source *source);
/* The names of all sources for messages: "synthetic, ..." */
const char *evb_source_kinds(void);

/* As evb_source_open(). @values: the text behind the colon. */
int evb_source_synthetic(const char *values, const char *name, struct evb_source *source,
			 char reason[UNITS_REASON]);
int evb_source_cpu(const char *values, const char *name, struct evb_source *source,
		   char reason[UNITS_REASON]);
int evb_source_gpu(const char *values, const char *name, struct evb_source *source,
		   char reason[UNITS_REASON]);
int evb_source_card(const char *values, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON]);
int evb_source_recording(const char *values, const char *name, struct evb_source *source,
			 char reason[UNITS_REASON]);

/*
 * The trigger of sources without a card: which event is due when. With a rate and without a first
 * event, ids follow the clock: event e is due e / rate seconds after the start of 1970. So all
 * nodes of a system agree without communication, also a restarted one.
 */

#define EVB_TRIGGER_CLOCK UINT64_MAX /* for the first event */

struct evb_trigger {
	uint64_t rate; /* events per second, 0: on request */
	uint64_t first;
	uint64_t start; /* CLOCK_REALTIME ns at which @first is due */
	bool clock;	/* ids follow the clock */
};

/* Start the trigger. @now: CLOCK_REALTIME ns. It sets t->first to the first event. */
void evb_trigger_start(struct evb_trigger *t, uint64_t rate, uint64_t first, uint64_t now);
/*
 * Continue from @event, which is due at @now. False: ids follow the clock, or @event is before
 * @next.
 */
bool evb_trigger_go_on(struct evb_trigger *t, uint64_t event, uint64_t next, uint64_t now);
/* CLOCK_REALTIME ns at which @event is due; without a rate 0. */
uint64_t evb_trigger_due(const struct evb_trigger *t, uint64_t event);
/* The first event that is not due yet. The trigger must have a rate. */
uint64_t evb_trigger_next(const struct evb_trigger *t, uint64_t now);
/* ns until @event is due, 0: now. */
uint64_t evb_trigger_wait(const struct evb_trigger *t, uint64_t event, uint64_t now);

#endif
