/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which event is due when, for sources that have no card to tell them. With a rate and without a
 * first event, ids are those of the clock: event e is due e / rate seconds after 1970 began, so all
 * nodes of a system agree without a word, also one that was started anew.
 */
#ifndef ROC_UTILS_EVB_TRIGGER_H
#define ROC_UTILS_EVB_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

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
