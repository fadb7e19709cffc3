/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detect writes into free memory: this process allocates all free hugepages and a part of the other
 * free memory, and stores its own address in each word. Any write of a card into it shows as a
 * changed word.
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

/* Returns false if there is no free hugepage. */
bool free_memory_hold(struct free_memory *m);
/* Check that no byte has changed, else print where, and free the memory. */
bool free_memory_unchanged(struct free_memory *m);

/* The same for memory of the caller. */
void memory_fill(uint64_t *words, size_t length);
bool memory_unchanged(const char *what, const uint64_t *words, size_t length);

#endif /* CASE_FREE_MEMORY_H */
