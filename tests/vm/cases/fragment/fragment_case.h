/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Common functions of the fragment cases: begin and end a run of sub-unit 0 of a fresh card. */
#ifndef CASE_FRAGMENT_CASE_H
#define CASE_FRAGMENT_CASE_H

#include "common/case.h"
#include "common/taker.h"

static inline void start_of(struct taker *t, uint32_t min, uint32_t max, uint32_t rate,
			    uint64_t limit)
{
	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(t));
	taker_generate(t, TAKER_ALL_LINKS, min, max, rate, 0, limit);
	UNIT_NEED(taker_start(t, 0));
}

static inline void stop(struct taker *t)
{
	TAKER_OK(t);
	CU_ASSERT(taker_stop(t));
	CU_ASSERT(emu_idle(CARD0, 0, 30));
	taker_close(t);
}

#endif
