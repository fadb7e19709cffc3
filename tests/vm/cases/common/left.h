/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that nobody has: set going by register writes while no driver is there, and what is left
 * of a run in a card's registers.
 */
#ifndef CASE_LEFT_H
#define CASE_LEFT_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>

struct target {
	const char *kind;
	enum roc_card_type type;
	unsigned int card; /* emulated card */
	unsigned int endpoints;
	const char *id;
	unsigned int channel;
	const char *other_id; /* the neighbour */
	unsigned int other_channel;
	enum roc_source source;
	char address[2][32]; /* of the endpoints; the first is that of @id */
	bool events;
	bool present; /* in this guest */
};

/*
 * As software that crashed: the channel runs, masters the bus, and fills 2 MiB at @bus, whose
 * completion block, or control page, is at @done. The driver is not there. 0 or -errno.
 */
int left_running(const struct target *t, uint64_t bus, uint64_t done);

/* Nothing of the card is started, enabled or queued; else it is noted. */
bool left_nothing(const struct target *t);

#endif /* CASE_LEFT_H */
