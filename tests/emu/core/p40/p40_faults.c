// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40's faults: what a broken or odd card may do, switched on one by one. Most are of single
 * streams: their first argument is a mask of streams, and each stream has its own copy.
 */
#include "p40.h"

#include <string.h>

#define MASK "streams"

const struct card_fault p40_fault_list[] = {
	[P40_STALL] = {"stall", MASK, NULL, "no data, no state, no interrupt, no end"},
	[P40_STATE_LATE] = {"state-late", MASK, "us", "state and interrupts come later"},
	[P40_WRONG_POSITION] = {"wrong-position", MASK, "lines",
				"the next position told is off by that much"},
	[P40_BEYOND_RING] = {"beyond-ring", MASK, "N",
			     "the next N positions told are a line beyond the ring"},
	[P40_TORN_STATE] = {"torn-state", MASK, "N",
			    "the next N states are written without their end"},
	[P40_END_MISSING] = {"end-missing", MASK, NULL, "a stream that is closed never ends"},
	[P40_BAD_MAGIC] = {"bad-magic", MASK, "N", "wrong magic in the next N units"},
	[P40_SIZE_ZERO] = {"size-zero", MASK, "N", "size 0 in the next N units"},
	[P40_SIZE_BIG] = {"size-big", MASK, "bytes", "the next unit says it is so much larger"},
	[P40_SKIP_EVENT] = {"skip-event", MASK, "N", "the next unit's event id is N too high"},
	[P40_FLIP] = {"flip", MASK, "N", "one payload bit wrong in the next N units"},
	[P40_LOST_DOORBELL] = {"lost-doorbell", MASK, "N",
			       "the next N writes of READ or ARM are lost"},
	[P40_IRQ_LOST] = {"irq-lost", MASK, "N", "the next N interrupts do not arrive"},
	[P40_IRQ_SPURIOUS] = {"irq-spurious", "ms", NULL,
			      "an interrupt for nothing now, and every ms"},
	[P40_LOAD_SLOW] = {"load-slow", MASK, "ms", "the table of segments takes that long"},
	[P40_FETCH_ERROR] = {"fetch-error", MASK, "N", "the next N reads of tables fail"},
	[P40_NEVER_QUIET] = {"never-quiet", NULL, NULL, "QUIET is never shown"},
	[P40_RESET_IGNORED] = {"reset-ignored", MASK, NULL, "reset and disable do nothing"},
	[P40_RESET_SLOW] = {"reset-slow", MASK, "ms", "resets are carried out that much later"},
	[P40_WRITE_AFTER_OFF] = {"write-after-off", MASK, "ms",
				 "one line is written that long after a stream was disabled"},
	{NULL},
};

static int find(const char *name)
{
	int n;

	for (n = 0; n < P40_FAULTS; n++) {
		if (!strcmp(p40_fault_list[n].name, name))
			return n;
	}
	return -1;
}

static bool of_streams(int n)
{
	return p40_fault_list[n].arg && !strcmp(p40_fault_list[n].arg, MASK);
}

bool p40_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	struct p40 *c = card;
	int n = find(name);
	unsigned int i;
	uint64_t mask;

	if (n < 0)
		return false;
	if (!of_streams(n)) {
		c->fault[n] = arg;
		c->spurious_now |= n == P40_IRQ_SPURIOUS;
		return true;
	}
	mask = p40_fault_list[n].low_arg ? arg >> 32 : arg;
	for (i = 0; i < P40_STREAMS; i++) {
		if (mask & 1u << i)
			c->st[i].fault[n] = p40_fault_list[n].low_arg ? (uint32_t)arg : 1;
	}
	return true;
}

bool p40_fault_clear(void *card, unsigned int fn, const char *name)
{
	struct p40 *c = card;
	int n = name ? find(name) : 0, last = name ? n : P40_FAULTS - 1;
	unsigned int i;

	if (n < 0)
		return false;
	for (; n <= last; n++) {
		c->fault[n] = 0;
		for (i = 0; i < P40_STREAMS; i++)
			c->st[i].fault[n] = 0;
	}
	return true;
}

/* With several streams: the mask, and the argument of the first of them. */
uint64_t p40_fault_get(void *card, unsigned int fn, const char *name)
{
	struct p40 *c = card;
	int n = find(name);
	uint64_t mask = 0, arg = 0;
	unsigned int i;

	if (n < 0)
		return 0;
	if (!of_streams(n))
		return c->fault[n];
	for (i = P40_STREAMS; i-- > 0;) {
		if (!c->st[i].fault[n])
			continue;
		mask |= 1u << i;
		arg = c->st[i].fault[n];
	}
	return p40_fault_list[n].low_arg ? mask << 32 | arg : mask;
}

bool p40_fault_take(struct p40_stream *st, enum p40_fault fault)
{
	if (!st->fault[fault])
		return false;
	st->fault[fault]--;
	return true;
}

uint32_t p40_fault_once(struct p40_stream *st, enum p40_fault fault)
{
	uint32_t arg = st->fault[fault];

	st->fault[fault] = 0;
	return arg;
}
