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
	[P40_END_EARLY] = {"end-early", MASK, "N", "the next N states say ENDED all the same"},
	[P40_BAD_MAGIC] = {"bad-magic", MASK, "N", "wrong magic in the next N units"},
	[P40_SIZE_ZERO] = {"size-zero", MASK, "N", "size 0 in the next N units"},
	[P40_SIZE_BIG] = {"size-big", MASK, "bytes", "the next unit says it is so much larger"},
	[P40_SKIP_EVENT] = {"skip-event", MASK, "N", "the next unit's event id is N too high"},
	[P40_RECORD_HOLE] = {"record-hole", MASK, "N",
			     "the next N units are numbered and not written"},
	[P40_SHORT] = {"short", MASK, "bytes",
		       "so many bytes are missing at the end of one fragment, without a flag"},
	[P40_EMPTY] = {"empty", MASK, "N", "the next N packets have no fragments"},
	[P40_DAMAGED] = {"damaged", MASK, "N",
			 "the next N packets are flagged, their content is right"},
	[P40_FLIP] = {"flip", MASK, "N", "one payload bit wrong in the next N units"},
	[P40_LOST_DOORBELL] = {"lost-doorbell", MASK, "N",
			       "the next N writes of READ or ARM are lost"},
	[P40_LOST_SEGMENTS] = {"lost-segments", MASK, "N",
			       "the next N writes of SEGMENT_SIZE are lost"},
	[P40_IRQ_LOST] = {"irq-lost", MASK, "N", "the next N interrupts do not arrive"},
	[P40_IRQ_SPURIOUS] = {"irq-spurious", "ms", NULL,
			      "an interrupt for nothing now, and every ms"},
	[P40_ENABLE_SLOW] = {"enable-slow", MASK, "ms", "enables are carried out that much later"},
	[P40_LOAD_SLOW] = {"load-slow", MASK, "ms", "the table of segments takes that long"},
	[P40_FETCH_ERROR] = {"fetch-error", MASK, "N", "the next N reads of tables fail"},
	[P40_NEVER_QUIET] = {"never-quiet", NULL, NULL, "QUIET is never shown"},
	[P40_RESET_IGNORED] = {"reset-ignored", MASK, NULL, "reset and disable do nothing"},
	[P40_RESET_SLOW] = {"reset-slow", MASK, "ms", "resets are carried out that much later"},
	[P40_WRITE_AFTER_OFF] = {"write-after-off", MASK, "ms",
				 "one line is written that long after a stream was disabled"},
	[P40_CYCLES_WRONG] = {"cycles-wrong", MASK, NULL, "the counters of cycles are all ones"},
	{},
};

static const struct unit_faults faults = {p40_fault_list, MASK, P40_STREAMS};

static uint32_t *of_stream(void *card, unsigned int i)
{
	return ((struct p40 *)card)->st[i].fault;
}

bool p40_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	struct p40 *c = card;

	c->spurious_now |= !strcmp(name, p40_fault_list[P40_IRQ_SPURIOUS].name);
	return unit_faults_set(&faults, c->fault, of_stream, c, name, arg);
}

bool p40_fault_clear(void *card, unsigned int fn, const char *name)
{
	struct p40 *c = card;

	return unit_faults_clear(&faults, c->fault, of_stream, c, name);
}

uint64_t p40_fault_get(void *card, unsigned int fn, const char *name)
{
	struct p40 *c = card;

	return unit_faults_get(&faults, c->fault, of_stream, c, name);
}
