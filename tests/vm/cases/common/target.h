/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A channel that something is done to, and its card: what tests that do the same to every kind of
 * card need of each.
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
	bool present; /* in this guest */
};

/* No fault, all keys as at power-on, counts 0; the driver need not be there. */
void target_normal(const struct target *t);
/* How many bytes/s of data the card may write. */
void target_rate(const struct target *t, unsigned int channel, unsigned int rate);
/* A fault of which its run fails soon. */
void target_fail(const struct target *t);
/*
 * A run of @channel of @id, each byte of it checked, in @memory of 2 MiB where the kind takes its
 * reader's; it ends by a stop, or by the close alone. False: it was not as it should be, noted.
 */
bool target_runs(const struct target *t, const char *id, unsigned int channel, void *memory,
		 bool stop);

#endif /* CASE_TARGET_H */
