// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings and faults of the RobinNP on the command line and the control socket, except those of
 * all cards of units. Settings of the firmware are in BAR 2.
 */
#include "robinnp.h"
#include "../values.h"

#include <stdio.h>

#define MEMORY_MAX (4u << 20) /* KiB */

static int set_memory(void *card, unsigned int fn, const char *text, char *err)
{
	uint64_t value;

	if (value_count.parse(text, &value, err))
		return -1;
	if (value < 64 || value > MEMORY_MAX) {
		snprintf(err, CARD_ERR, "'%.40s' is not a number from 64 to %u", text, MEMORY_MAX);
		return -1;
	}
	((struct robinnp *)card)->memory = value;
	return 0;
}

static void get_memory(void *card, unsigned int fn, char *text, size_t size)
{
	value_count.print(((struct robinnp *)card)->memory, text, size);
}

VALUE_KEY(shuffle, value_on_off, struct robinnp, c->shuffle)

const struct card_key robinnp_keys[] = {
	{"rate", "bytes/s of data to host pages of a sub-unit, 0: no limit", UNIT_PER_CARD,
	 unit_set_rate, unit_get_rate},
	{"shuffle", "on or off: commands are carried out in another order", UNIT_PER_CARD,
	 set_shuffle, get_shuffle},
	{"count-start", "at which the counts of sub-units begin", UNIT_PER_CARD, unit_set_start,
	 unit_get_start},
	UNIT_KEYS,
	{"memory", "KiB of page memory of each link", UNIT_AT_START, set_memory, get_memory},
	UNIT_KEYS_AT_START,
	{},
};

const struct card_fault robinnp_fault_list[] = {
	UNIT_FAULT_LIST("subs"),
	[UNIT_STALL] = {"stall", "subs", NULL, "no data, no entry, no interrupt"},
	[UNIT_LOST_DOORBELL] = {"lost-doorbell", "subs", "N",
				"the next N writes of FREE or COMMAND are lost"},
	[UNIT_LOAD_SLOW] = {"load-slow", "subs", "ms", "the host-page table takes that long"},
	[UNIT_FETCH_ERROR] = {"fetch-error", "subs", "N",
			      "the next N reads of tables and rings fail"},
	[UNIT_WRITE_AFTER_OFF] = {"write-after-off", "subs", "ms",
				  "one entry is written that long after a disable"},
	[ROBINNP_DATA_LATE] = {"data-late", "subs", "us", "descriptors come later"},
	[ROBINNP_COUNT_EARLY] = {"count-early", "subs", NULL,
				 "DESCRIPTORS counts those that come later"},
	[ROBINNP_DONE_LATE] = {"done-late", "subs", "us", "commands are carried out later"},
	[ROBINNP_IRQ_LATE] = {"irq-late", "subs", "us", "interrupts come later"},
	[ROBINNP_WRONG_PHASE] = {"wrong-phase", "subs", "N",
				 "the next N descriptors have the wrong phase"},
	[ROBINNP_RECORD_HOLE] = {"record-hole", "subs", "N",
				 "the next N descriptors are counted and not written"},
	[ROBINNP_PAGE_RANGE] = {"page-range", "subs", "N",
				"the next N descriptors name a page that does not exist"},
	[ROBINNP_PAGE_FREE] = {"page-free", "subs", "N",
			       "the next N descriptors name an empty page"},
	[ROBINNP_SIZE_BIG] = {"size-big", "subs", "bytes",
			      "the next descriptor reports a size that is so much larger"},
	[ROBINNP_SKIP_EVENT] = {"skip-event", "subs", "N",
				"the event id of the next fragment is N too high"},
	[ROBINNP_WRONG_EVENT] = {"wrong-event", "subs", "N",
				 "the event id of one fragment is N too high, without a flag"},
	[ROBINNP_SHORT] =
		{"short", "subs", "bytes",
		 "so many bytes are missing at the end of the next fragment, without a flag"},
	[ROBINNP_NO_BYTES] = {"empty", "subs", "N", "the next N fragments have no bytes"},
	[ROBINNP_DAMAGED] = {"damaged", "subs", "N",
			     "the next N fragments are flagged, their content is right"},
	[ROBINNP_LINK_ERROR] = {"link-error", "subs", "N",
				"the next N fragments have a transmission error"},
	[ROBINNP_FORMAT] = {"format-error", "subs", "N", "the next N fragments have no header"},
	[ROBINNP_FLIP] = {"flip", "subs", "N", "one bit wrong in the next N fragments transferred"},
	[ROBINNP_ABORT] = {"abort", "subs", "N", "the next N transfers cannot read the page"},
	[ROBINNP_DONE_PHASE] = {"done-wrong-phase", "subs", "N",
				"the next N completions have the wrong phase"},
	[ROBINNP_DONE_HOLE] = {"done-hole", "subs", "N",
			       "the next N completions are counted and not written"},
	[ROBINNP_DONE_TAG] = {"done-tag", "subs", "N", "the next N completions have a wrong tag"},
	[ROBINNP_DONE_TWICE] = {"done-twice", "subs", "N", "the next N completions come twice"},
	[ROBINNP_DONE_LOST] = {"done-lost", "subs", "N", "the next N completions do not come"},
	[ROBINNP_DONE_SIZE] = {"done-size", "subs", "bytes",
			       "the next completion reports a size that is so much larger"},
	[ROBINNP_DONE_STATUS] = {"done-status", "subs", "N",
				 "the next N completions have an undefined status"},
	{},
};
