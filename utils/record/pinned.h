/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a source that io_uring was told of: it is pinned once, not for each write.
 */
#ifndef ROC_UTILS_PINNED_H
#define ROC_UTILS_PINNED_H

#include <liburing.h>

#include "utils/units/units.h"

/* Owned by who has the ring; zeroed before the first use. */
struct pinned {
	struct iovec *parts;
	unsigned int count;
};

/* Without the right to pin so much there are no parts, and each write pins its own. */
void pinned_register(struct pinned *p, struct io_uring *ring, const struct source *source);
/* Number of the part that has all of this, or -1. */
int pinned_find(const struct pinned *p, const char *from, uint64_t length);
void pinned_free(struct pinned *p);

#endif
