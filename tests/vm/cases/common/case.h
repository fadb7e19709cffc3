/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common header of the cases: programs that run in the guest as root, one subject each.
 */
#ifndef CASE_H
#define CASE_H

#include <errno.h>

#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/cards/cru/cru_regs.h"
#include <unit.h>

#include "emu.h"
#include "json.h"
#include "limit.h"
#include "mem.h"
#include "node.h"
#include "point.h"
#include "rig.h"
#include "tool.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define KIB (1u << 10)
#define MIB (1u << 20)
#define HUGE (2u * MIB)
#define FOUR_LINKS 0xf
#define TWELVE_LINKS 0xfff

/*
 * Skip the test if the guest has no such card. Inline, because each program keeps its own skip
 * reason.
 */
static inline bool card_needed(const char *id, const char *name)
{
	if (card_there(id))
		return true;
	unit_skip("there is no %s in this guest", name);
	return false;
}

#endif /* CASE_H */
