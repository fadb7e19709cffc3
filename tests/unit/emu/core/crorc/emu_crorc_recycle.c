// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys recycle and stamp of the emulated C-RORC: its superpage is reused without the host, and a
 * superpage has the time of its completion.
 */
#include "emu_crorc.h"

#define GRAIN_NS 200000 /* with a rate packets come in bursts of that time */

static void recycled_are_not_shown(void)
{
	host_begin();
	key(0, "rate", "1000000000");
	key(0, "recycle", "on");
	start(0);
	push(0, 0);
	run_for(0, 10000000);
	UNIT_EQ(block(0)->count, CRORC_DONE_COUNT_START);
	CU_ASSERT(count(0, -1, "recycled") > 10000000 - 2 * SP);
	CU_ASSERT(count(0, -1, "recycled") <= 10000000 + SP);
	UNIT_EQ(memory_at(place(0, 1))[0], 0xee);
	ledger(0);
	key(0, "recycle", "off");
	run_for(0, 10000000);
	UNIT_EQ(count(0, -1, "superpages"), 1);
	UNIT_EQ(block(0)->size, SP);
	ledger(0);
	host_end();
}

static void stamped(void)
{
	uint64_t stamp, begin;

	host_begin();
	key(0, "rate", "1000000000");
	key(0, "stamp", "on");
	start(0);
	begin = host.now;
	push(0, 0);
	run_for(0, 10000000);
	memcpy(&stamp, memory_at(place(0, 0)), sizeof(stamp));
	CU_ASSERT(stamp >= begin + SP - 2 * CRORC_PAGE_SIZE);
	CU_ASSERT(stamp <= begin + SP + GRAIN_NS);
	host_end();
}

UNIT_MAIN("C-RORC for the ledger", {"a recycled superpage is not shown", recycled_are_not_shown},
	  {"a superpage begins with the time", stamped})
