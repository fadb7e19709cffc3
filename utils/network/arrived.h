/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units that were brought to their end although their sender may not have the credit: because its
 * connection broke, or because the receiver was killed after the unit was in its index. The sender
 * sends them again; the receiver returns the credit and does not write them twice.
 */
#ifndef ROC_UTILS_ARRIVED_H
#define ROC_UTILS_ARRIVED_H

#include "utils/record/recording.h"

/* A set of keys. */
struct arrived {
	uint64_t *table; /* 0: free */
	size_t room, count;
};

/* Never 0. Two units with the same key are the same unit. */
uint64_t arrived_key(const struct recording_entry *e);
/* 0, or -ENOMEM. */
int arrived_add(struct arrived *a, uint64_t key);
bool arrived_has(const struct arrived *a, uint64_t key);
/*
 * Add what the indexes in @dir name, as far as it is there: after a restart of the machine, files
 * that were not closed count only if they were written with synced data. 0, or -ENOMEM.
 */
int arrived_recorded(struct arrived *a, const char *dir);
void arrived_free(struct arrived *a);

#endif
