/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest has mapped for one function: an interval table over bus addresses.
 *
 * Ranges never overlap and are never cut: one is there as it was mapped or it is not. Whoever owns
 * the table guards it; a pointer from dma_lookup() is good until the next change, for the thread
 * that asked. Memory whose file was truncated counts as there: to miss it is not the card's fault.
 */
#ifndef EMU_DMA_TABLE_H
#define EMU_DMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory_file.h"

/*
 * Unmaps of less than this are of one mapping and of all of it. Larger ones may be of many or of
 * none: see Documentation/emulator.md for who needs that.
 */
#define DMA_SWEEP (1u << 20)

struct dma_range {
	uint64_t addr, size;
	struct memory_file *file; /* NULL: mapped, but nothing that we could reach */
	uint8_t *ptr;
	bool write;
};

struct dma_table {
	struct dma_range *range; /* by address */
	size_t count, capacity;
	size_t last; /* where the last lookup ended */
	struct memory_files files;
	uint8_t nowhere[4096];
};

/*
 * @fd may be -1; it stays the caller's. 0, or -errno: -EEXIST when something is mapped there,
 * -EACCES when what may be written is in a file that may not.
 */
int dma_map(struct dma_table *t, uint64_t addr, uint64_t size, int fd, uint64_t offset, bool write);
/* 0; -ENOENT: nothing is mapped there; -EINVAL: not what was mapped, or it would cut a mapping. */
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
