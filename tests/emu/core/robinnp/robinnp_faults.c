// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's faults: what a broken or odd card may do, switched on one by one. Most are of
 * single sub-units: their first argument is a mask of sub-units, and each has its own copy.
 */
#include "robinnp.h"

#include <string.h>

#define MASK "subs"

const struct card_fault robinnp_fault_list[] = {
	[ROBINNP_STALL] = {"stall", MASK, NULL, "no data, no entry, no interrupt"},
	[ROBINNP_DATA_LATE] = {"data-late", MASK, "us", "descriptors come later"},
	[ROBINNP_COUNT_EARLY] = {"count-early", MASK, NULL,
				 "DESCRIPTORS counts those that come later"},
	[ROBINNP_DONE_LATE] = {"done-late", MASK, "us", "commands are carried out later"},
	[ROBINNP_IRQ_LATE] = {"irq-late", MASK, "us", "interrupts come later"},
	[ROBINNP_IRQ_LOST] = {"irq-lost", MASK, "N", "the next N interrupts do not arrive"},
	[ROBINNP_IRQ_SPURIOUS] = {"irq-spurious", "ms", NULL,
				  "an interrupt for nothing now, and every ms"},
	[ROBINNP_WRONG_PHASE] = {"wrong-phase", MASK, "N",
				 "the next N descriptors have the wrong phase"},
	[ROBINNP_RECORD_HOLE] = {"record-hole", MASK, "N",
				 "the next N descriptors are counted and not written"},
	[ROBINNP_PAGE_RANGE] = {"page-range", MASK, "N",
				"the next N descriptors are of a page that there is not"},
	[ROBINNP_PAGE_FREE] = {"page-free", MASK, "N",
			       "the next N descriptors are of a page that is empty"},
	[ROBINNP_SIZE_BIG] = {"size-big", MASK, "bytes",
			      "the next descriptor says that it is so much larger"},
	[ROBINNP_SKIP_EVENT] = {"skip-event", MASK, "N",
				"the event id of the next fragment is N too high"},
	[ROBINNP_WRONG_EVENT] = {"wrong-event", MASK, "N",
				 "the event id of one fragment is N too high, without a flag"},
	[ROBINNP_SHORT] =
		{"short", MASK, "bytes",
		 "so many bytes are missing at the end of the next fragment, without a flag"},
	[ROBINNP_NO_BYTES] = {"empty", MASK, "N", "the next N fragments have no bytes"},
	[ROBINNP_DAMAGED] = {"damaged", MASK, "N",
			     "the next N fragments are flagged, their content is right"},
	[ROBINNP_LINK_ERROR] = {"link-error", MASK, "N",
				"the next N fragments have a transmission error"},
	[ROBINNP_FORMAT] = {"format-error", MASK, "N", "the next N fragments have no header"},
	[ROBINNP_FLIP] = {"flip", MASK, "N", "one bit wrong in the next N fragments transferred"},
	[ROBINNP_ABORT] = {"abort", MASK, "N", "the next N transfers cannot read the page"},
	[ROBINNP_DONE_PHASE] = {"done-wrong-phase", MASK, "N",
				"the next N completions have the wrong phase"},
	[ROBINNP_DONE_HOLE] = {"done-hole", MASK, "N",
			       "the next N completions are counted and not written"},
	[ROBINNP_DONE_TAG] = {"done-tag", MASK, "N", "the next N completions have a wrong tag"},
	[ROBINNP_DONE_TWICE] = {"done-twice", MASK, "N", "the next N completions come twice"},
	[ROBINNP_DONE_LOST] = {"done-lost", MASK, "N", "the next N completions do not come"},
	[ROBINNP_DONE_SIZE] = {"done-size", MASK, "bytes",
			       "the next completion says that it is so much larger"},
	[ROBINNP_DONE_STATUS] = {"done-status", MASK, "N",
				 "the next N completions have a status that there is not"},
	[ROBINNP_LOST_DOORBELL] = {"lost-doorbell", MASK, "N",
				   "the next N writes of FREE or COMMAND are lost"},
	[ROBINNP_ENABLE_SLOW] = {"enable-slow", MASK, "ms",
				 "enables are carried out that much later"},
	[ROBINNP_LOAD_SLOW] = {"load-slow", MASK, "ms", "the host-page table takes that long"},
	[ROBINNP_FETCH_ERROR] = {"fetch-error", MASK, "N",
				 "the next N reads of tables and rings fail"},
	[ROBINNP_NEVER_QUIET] = {"never-quiet", NULL, NULL, "QUIET is never shown"},
	[ROBINNP_RESET_IGNORED] = {"reset-ignored", MASK, NULL, "reset and disable do nothing"},
	[ROBINNP_RESET_SLOW] = {"reset-slow", MASK, "ms", "resets are carried out that much later"},
	[ROBINNP_WRITE_AFTER_OFF] = {"write-after-off", MASK, "ms",
				     "one entry is written that long after a disable"},
	{},
};

static const struct unit_faults faults = {robinnp_fault_list, MASK, ROBINNP_SUBS};

static uint32_t *of_sub(void *card, unsigned int i)
{
	return ((struct robinnp *)card)->sub[i].fault;
}

bool robinnp_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	struct robinnp *c = card;

	c->spurious_now |= !strcmp(name, robinnp_fault_list[ROBINNP_IRQ_SPURIOUS].name);
	return unit_faults_set(&faults, c->fault, of_sub, c, name, arg);
}

bool robinnp_fault_clear(void *card, unsigned int fn, const char *name)
{
	struct robinnp *c = card;

	return unit_faults_clear(&faults, c->fault, of_sub, c, name);
}

uint64_t robinnp_fault_get(void *card, unsigned int fn, const char *name)
{
	struct robinnp *c = card;

	return unit_faults_get(&faults, c->fault, of_sub, c, name);
}
