/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pseudo-random numbers for random hosts: the same seed gives the same numbers.
 */
#ifndef ROC_UNIT_EMU_DICE_H
#define ROC_UNIT_EMU_DICE_H

#include <stdint.h>

static uint32_t dice; /* the seed, at first */

static uint32_t any(uint32_t below)
{
	dice = dice * 1664525 + 1013904223;
	return (uint64_t)dice * below >> 32;
}

/* Returns a small, a large, or any number. */
static uint32_t any_value(void)
{
	switch (any(4)) {
	case 0:
		return any(70);
	case 1:
		return 1u << any(32);
	case 2:
		return any(1 << 20);
	}
	return any(~0u);
}

#endif /* ROC_UNIT_EMU_DICE_H */
