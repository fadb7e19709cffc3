// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CRU's faults: the behaviour of a broken card, switched on one fault at a time.
 */
#include "cru.h"

#include <string.h>

const struct card_fault cru_fault_list[] = {
	{"stall", NULL, NULL, "no data and no completion"},
	{"late-completion", "ms", NULL, "superpages are counted that much later"},
	{"wrong-count", "N", NULL, "the next completion counts N too many"},
	{"size-late", "us", NULL, "a size shows that long after the advance"},
	{"size-never", NULL, NULL, "the size register never changes"},
	{"size-zero", NULL, NULL, "the size register reads 0, as with old firmware"},
	{"size-index", "N", NULL, "the index of the next size is off by N"},
	{"offset-zero", "N", NULL, "offset to next is 0 in the next N packets"},
	{"reset-ignored", NULL, NULL, "general reset and flush do nothing"},
	{"flip", "N", NULL, "one payload bit wrong in the next N pages"},
	{"skip-packet", "N", NULL, "the next packet counter jumps over N"},
	{"bad-tf", "N", NULL, "the next N time frames start inside a superpage"},
	{"bad-link", "N", NULL, "wrong link id in the next N packets"},
	{"drop-serial", NULL, NULL, "the serial number reads 0 until it is loaded again"},
	{"no-serial", NULL, NULL, "the serial register always reads 0, as with old firmware"},
	{"i2c-silent", NULL, NULL, "no I2C chip answers"},
	{"addresses-read-back", NULL, NULL, "what is written to address registers can be read"},
	{"stuck-dma-register", "offset", "value", "this register of BAR0 does not change"},
	{"stuck-register", "offset", "value", "this register of BAR2 does not change"},
	{"reset-slow", "ms", NULL, "a general reset is done that much later"},
	EVENT_FAULTS,
	{},
};

/* Location of each fault's argument, in the order of the list. */
static uint64_t *place(struct cru_ep *ep, size_t n)
{
	struct cru_faults *f = &ep->fault;
	uint64_t *const places[] = {
		&f->stall,	   &f->late_ms,	    &f->wrong_count, &f->size_late_us,
		&f->size_never,	   &f->size_zero,   &f->size_index,  &f->offset_zero,
		&f->reset_ignored, &f->flip,	    &f->skip_packet, &f->bad_tf,
		&f->bad_link,	   &f->drop_serial, &f->no_serial,   &f->i2c_silent,
		&f->read_back,	   &f->stuck_bar0,  &f->stuck_bar2,  &f->reset_slow_ms,
	};

	return places[n];
}

static uint64_t *find(void *card, unsigned int fn, const char *name)
{
	uint64_t *of_events = event_fault(&((struct cru *)card)->ep[fn].events, name);
	size_t n;

	if (of_events)
		return of_events;

	for (n = 0; cru_fault_list[n].name; n++) {
		if (!strcmp(cru_fault_list[n].name, name))
			return place(&((struct cru *)card)->ep[fn], n);
	}
	return NULL;
}

bool cru_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	uint64_t *value = find(card, fn, name);

	if (!value)
		return false;
	event_fault_set(&((struct cru *)card)->ep[fn].events, value, arg);
	return true;
}

bool cru_fault_clear(void *card, unsigned int fn, const char *name)
{
	uint64_t *value;

	if (!name) {
		memset(&((struct cru *)card)->ep[fn].fault, 0, sizeof(struct cru_faults));
		memset(&((struct cru *)card)->ep[fn].events.fault, 0, sizeof(struct event_faults));
		return true;
	}
	value = find(card, fn, name);
	if (!value)
		return false;
	*value = 0;
	return true;
}

uint64_t cru_fault_get(void *card, unsigned int fn, const char *name)
{
	uint64_t *value = find(card, fn, name);

	return value ? *value : 0;
}

bool cru_fault_stuck(struct cru *c, unsigned int fn, unsigned int bar, uint32_t off,
		     uint32_t *value)
{
	unsigned int e;

	for (e = 0; e < CRU_ENDPOINTS; e++) {
		/* Both endpoints share BAR2; each has its own BAR0. */
		uint64_t stuck =
			bar == CRU_BAR_CARD ? c->ep[e].fault.stuck_bar2 : c->ep[e].fault.stuck_bar0;

		if (!stuck || stuck >> 32 != off || (bar == CRU_BAR_DMA && e != fn))
			continue;
		*value = (uint32_t)stuck;
		return true;
	}
	return false;
}
