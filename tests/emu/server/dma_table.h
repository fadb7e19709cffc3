/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest mappings of one function: an interval table over bus addresses.
 *
 * Ranges never overlap and are never split: a mapping exists as a whole or not at all. The owner of
 * the table serializes access. A pointer from dma_lookup() is valid until the next change, for the
 * calling thread. Memory whose file was truncated counts as mapped, because its loss is not an
 * error of the card.
 */
#ifndef EMU_DMA_TABLE_H
#define EMU_DMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory_file.h"

/*
 * A smaller unmap must cover exactly one mapping. A larger one may cover many mappings or none;
 * Documentation/emulator.md describes which client needs that.
 */
#define DMA_SWEEP (1u << 20)

struct dma_range {
	uint64_t addr, size;
	struct memory_file *file; /* NULL: mapped, but not accessible to this process */
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
 * @fd may be -1; the caller keeps it. Returns 0 or -errno: -EEXIST if a part is already mapped,
 * -EACCES if a writable mapping has a file that is not writable.
 */
int dma_map(struct dma_table *t, uint64_t addr, uint64_t size, int fd, uint64_t offset, bool write);
/*
 * Returns 0; -ENOENT: nothing is mapped there; -EINVAL: the range differs from the mapping, or it
 * would split one.
 */
int dma_unmap(struct dma_table *t, uint64_t addr, uint64_t size);
void dma_unmap_all(struct dma_table *t);

/*
 * Are *len bytes at @addr writable? True: *ptr is set, and *len is cut to what is contiguous.
 * False: *len is cut to what is not writable from @addr on.
 */
bool dma_lookup(struct dma_table *t, uint64_t addr, size_t *len, void **ptr);
/* The same for reading. */
bool dma_lookup_read(struct dma_table *t, uint64_t addr, size_t *len, void **ptr);

#endif /* EMU_DMA_TABLE_H */
