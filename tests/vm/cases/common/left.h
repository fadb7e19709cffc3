/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card left running without a driver: starts it by register writes, and checks what a run leaves
 * in a card's registers.
 */
#ifndef CASE_LEFT_H
#define CASE_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

/*
 * Leave the card as crashed software does: the channel runs, masters the bus, and fills 2 MiB at
 * @bus. @done is the bus address of its completion block, control page, or ring of free pages,
 * mapped at @seen. The driver must not be bound. 0 or -errno.
 */
int left_running(const struct target *t, uint64_t bus, uint64_t done, void *seen);

/* True if nothing of the card is started, enabled or queued; else print what is. */
bool left_nothing(const struct target *t);

#endif /* CASE_LEFT_H */
