/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of event building: tables of functions as roc/evb.h has them.
 *
 *	source_synthetic.c	content that every receiver can check, made in memory
 *	source_copier.c		the same content, copied from a GPU or by this machine's processors
 *	source_units.c		whatever utils/units has: cards, recordings
 *	assemble.c		units of many links put together by event, for the latter
 *	source_common.c		triggers, for more than one of them
 *	endpoints.c		one of them, by what people type
 */
#ifndef ROC_UTILS_EVB_SOURCE_H
#define ROC_UTILS_EVB_SOURCE_H

#include <roc/evb.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/units/units.h"

/* What is in fragments: numbers of &roc_evb_source_ops.content, which are in files, too. */
enum evb_content {
	EVB_CONTENT_BYTES = 0,	   /* nobody knows */
	EVB_CONTENT_SYNTHETIC = 1, /* utils/units/content.h */
	EVB_CONTENT_RDH = 2,	   /* packets with a raw data header, of one orbit */
	EVB_CONTENT_P40 = 3,	   /* what one event has in a packet of a stream */
	EVB_CONTENT_ROBINNP = 4,   /* fragments of the links of a sub-unit */
};

/* What a source did, since its start. */
struct evb_source_counters {
	uint64_t events, bytes; /* lent */
	uint64_t returned;	/* fragments that came back */
	uint64_t gaps;		/* events of which it has nothing, by itself */
	uint64_t dropped;	/* events that it threw away for want of room */
	uint64_t damaged;	/* lent and marked so */
	uint64_t late,
		disorder; /* pieces that came for an event that had gone, or in wrong order */
	uint64_t flagged; /* units that the card flagged as damaged */
	const char *note; /* what else was wrong, known at the end; or NULL */
};

struct evb_source {
	const struct roc_evb_source_ops *ops;
	void *self;
	uint64_t fragment_max; /* bytes of the largest fragment; 0: nobody knows */
	void (*counters)(void *self, struct evb_source_counters *counters);
	void (*close)(void *self);
};

/*
 * @text: as in "synthetic:size=64Ki,rate=1k", see roc-evb(1). @name: of the node, which is the
 * source's. 0, or -errno with the sentence.
 */
int evb_source_open(const char *text, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON]);
void evb_source_close(struct evb_source *source);
/* The kinds there are, for help: "synthetic, ..." */
const char *evb_source_kinds(void);

/* @values: behind the colon. As evb_source_open(). */
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
 * Which event is due when, for sources that have no card to tell them. With a rate and without a
 * first event, ids are those of the clock: event e is due e / rate seconds after 1970 began, so all
 * nodes of a system agree without a word, also one that was started anew.
 */

#define EVB_TRIGGER_CLOCK UINT64_MAX /* for the first event */

struct evb_trigger {
	uint64_t rate; /* events per second, 0: as fast as they are taken */
	uint64_t first;
	uint64_t start; /* CLOCK_REALTIME ns at which @first is due */
	bool clock;	/* ids are the clock's */
};

/* @now: CLOCK_REALTIME ns. The first event is in t->first after it. */
void evb_trigger_start(struct evb_trigger *t, uint64_t rate, uint64_t first, uint64_t now);
/* Go on from an event, which is due now. False: not if ids are the clock's, and never back from
 * @next.
 */
bool evb_trigger_go_on(struct evb_trigger *t, uint64_t event, uint64_t next, uint64_t now);
/* CLOCK_REALTIME ns at which @event is due; with no rate 0. */
uint64_t evb_trigger_due(const struct evb_trigger *t, uint64_t event);
/* The first event that is not due yet; of a trigger with a rate. */
uint64_t evb_trigger_next(const struct evb_trigger *t, uint64_t now);
/* ns until then, 0: now. */
uint64_t evb_trigger_wait(const struct evb_trigger *t, uint64_t event, uint64_t now);

#endif
