/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest has mapped for one function: an interval table over bus addresses.
 *
 * Ranges never overlap; a new one replaces what it covers, an unmap may cut ranges or cover many.
 * Whoever owns the table guards it; a pointer from dma_lookup() is good until the next change, for
 * the thread that asked. Memory whose file was truncated counts as there: to miss it is not the
 * card's fault.
 */
#ifndef EMU_DMA_TABLE_H
#define EMU_DMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory_file.h"

struct dma_range {
	uint64_t addr, size;
	uint8_t *ptr; /* NULL: mapped by the guest, but without a file we could write to */
	struct memory_file *file;
	bool write;
};

struct dma_table {
	struct dma_range *range; /* by address */
	size_t count, room;
	size_t last; /* where the last lookup ended */
	struct memory_files files;
	uint8_t nowhere[4096];
};

/* @fd may be -1; it stays the caller's. 0 or -errno. */
int dma_map(struct dma_table *t, uint64_t addr, uint64_t size, int fd, uint64_t offset, bool write);
int dma_unmap(struct dma_table *t, uint64_t addr, uint64_t size);
void dma_unmap_all(struct dma_table *t);

/*
 * May @len bytes at @addr be written? True: *ptr, and *len cut to what is contiguous there. False:
 * *len cut to what is not writable from there on.
 */
bool dma_lookup(struct dma_table *t, uint64_t addr, size_t *len, void **ptr);
/* The same for reading. */
bool dma_lookup_read(struct dma_table *t, uint64_t addr, size_t *len, void **ptr);

#endif /* EMU_DMA_TABLE_H */
