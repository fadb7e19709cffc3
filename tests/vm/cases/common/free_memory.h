/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that nobody has: all free hugepages, and some of what else is free, held by this process
 * for a while, each word with its own address in it. Whoever writes to memory that is not his is
 * seen.
 */
#ifndef CASE_FREE_MEMORY_H
#define CASE_FREE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct free_memory {
	uint64_t *words, *pages;
	size_t length;
};

/* False: there is no free hugepage. */
bool free_memory_hold(struct free_memory *m);
/* No byte of it has changed; else a note says which. It is free again then. */
bool free_memory_unchanged(struct free_memory *m);

/* The same for memory of the caller's. */
void memory_fill(uint64_t *words, size_t length);
bool memory_unchanged(const char *what, const uint64_t *words, size_t length);

#endif /* CASE_FREE_MEMORY_H */
