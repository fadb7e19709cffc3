/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that nobody has: set going by register writes while no driver is there, and what is left
 * of a run in a card's registers.
 */
#ifndef CASE_LEFT_H
#define CASE_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

/*
 * As software that crashed: the channel runs, masters the bus, and fills 2 MiB at @bus, whose
 * completion block, control page, or ring of free pages is at @done, which the caller sees at
 * @seen. The driver is not there. 0 or -errno.
 */
int left_running(const struct target *t, uint64_t bus, uint64_t done, void *seen);

/* Nothing of the card is started, enabled or queued; else it is noted. */
bool left_nothing(const struct target *t);

#endif /* CASE_LEFT_H */
