/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A channel under test and its card: operations that tests apply to every card type.
 */
#ifndef CASE_TARGET_H
#define CASE_TARGET_H

#include <roc/roc.h>

#include <stdbool.h>

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
	bool present; /* present in this guest */
};

/* Clear all faults and counts, set all keys to power-on values; works without the driver. */
void target_normal(const struct target *t);
/* Set the card's data rate in bytes/s. */
void target_rate(const struct target *t, unsigned int channel, unsigned int rate);
/* Inject a fault that soon makes the run fail. */
void target_fail(const struct target *t);
/*
 * Run @channel of @id and check each byte, in @memory of 2 MiB for channel types that use the
 * reader's memory. It ends by a stop, or by the close alone. False, with a note: an error.
 */
bool target_runs(const struct target *t, const char *id, unsigned int channel, void *memory,
		 bool stop);

#endif /* CASE_TARGET_H */
