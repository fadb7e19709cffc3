// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings and faults of the PCIe40 on the command line and the control socket, except those of all
 * cards of units. Settings of the firmware are in BAR 2.
 */
#include "p40.h"
#include "../values.h"

/* Bytes beyond the reported position are dropped when the key is switched. */
static int set_recycle(void *card, unsigned int fn, const char *text, char *err)
{
	struct p40 *c = card;
	uint64_t value;
	unsigned int i;

	if (value_on_off.parse(text, &value, err))
		return -1;
	c->recycle = value;
	for (i = 0; i < P40_STREAMS; i++)
		c->st[i].recycled = 0;
	return 0;
}

static void get_recycle(void *card, unsigned int fn, char *text, size_t size)
{
	value_on_off.print(((struct p40 *)card)->recycle, text, size);
}

VALUE_KEY(stamp, value_on_off, struct p40, c->stamp)

const struct card_key p40_keys[] = {
	{"rate", "bytes/s into the ring of a stream, 0: no limit", UNIT_PER_CARD, unit_set_rate,
	 unit_get_rate},
	{"recycle", "on or off: units are written and never reported", UNIT_PER_CARD, set_recycle,
	 get_recycle},
	{"stamp", "on or off: packets of main have the card's time in their payload", UNIT_PER_CARD,
	 set_stamp, get_stamp},
	{"position-start", "position at which streams begin", UNIT_PER_CARD, unit_set_start,
	 unit_get_start},
	UNIT_KEYS,
	UNIT_KEYS_AT_START,
	{},
};

const struct card_fault p40_fault_list[] = {
	UNIT_FAULT_LIST("streams"),
	[UNIT_STALL] = {"stall", "streams", NULL, "no data, no state, no interrupt, no end"},
	[UNIT_LOST_DOORBELL] = {"lost-doorbell", "streams", "N",
				"the next N writes of READ or ARM are lost"},
	[UNIT_LOAD_SLOW] = {"load-slow", "streams", "ms", "the table of segments takes that long"},
	[UNIT_FETCH_ERROR] = {"fetch-error", "streams", "N", "the next N reads of tables fail"},
	[UNIT_WRITE_AFTER_OFF] = {"write-after-off", "streams", "ms",
				  "one line is written that long after a stream was disabled"},
	[P40_STATE_LATE] = {"state-late", "streams", "us", "state and interrupts come later"},
	[P40_WRONG_POSITION] = {"wrong-position", "streams", "lines",
				"the next reported position is off by that much"},
	[P40_BEYOND_RING] = {"beyond-ring", "streams", "N",
			     "the next N reported positions are a line beyond the ring"},
	[P40_TORN_STATE] = {"torn-state", "streams", "N",
			    "the next N states are written without their end"},
	[P40_END_MISSING] = {"end-missing", "streams", NULL, "a stream that is closed never ends"},
	[P40_END_EARLY] = {"end-early", "streams", "N", "the next N states report ENDED too early"},
	[P40_BAD_MAGIC] = {"bad-magic", "streams", "N", "wrong magic in the next N units"},
	[P40_SIZE_ZERO] = {"size-zero", "streams", "N", "size 0 in the next N units"},
	[P40_SIZE_BIG] = {"size-big", "streams", "bytes",
			  "the next unit reports a size that is so much larger"},
	[P40_SKIP_EVENT] = {"skip-event", "streams", "N", "the next unit's event id is N too high"},
	[P40_RECORD_HOLE] = {"record-hole", "streams", "N",
			     "the next N units are numbered and not written"},
	[P40_SHORT] = {"short", "streams", "bytes",
		       "so many bytes are missing at the end of one fragment, without a flag"},
	[P40_EMPTY] = {"empty", "streams", "N", "the next N packets have no fragments"},
	[P40_DAMAGED] = {"damaged", "streams", "N",
			 "the next N packets are flagged, their content is right"},
	[P40_FLIP] = {"flip", "streams", "N", "one payload bit wrong in the next N units"},
	[P40_LOST_SEGMENTS] = {"lost-segments", "streams", "N",
			       "the next N writes of SEGMENT_SIZE are lost"},
	[P40_CYCLES_WRONG] = {"cycles-wrong", "streams", NULL,
			      "the counters of cycles are all ones"},
	{},
};
