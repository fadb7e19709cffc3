// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interval table of guest mappings. It makes the emulated card a sanitizer for DMA.
 */
#include "dma_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto.h"

static uint64_t range_end(const struct dma_range *r)
{
	return r->addr + r->size;
}

/* Index of the first range that ends above @addr. */
static size_t find(const struct dma_table *t, uint64_t addr)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (range_end(&t->range[mid]) > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int insert(struct dma_table *t, size_t at, const struct dma_range *r)
{
	if (t->count == t->capacity) {
		size_t capacity = t->capacity ? t->capacity * 2 : 64;
		struct dma_range *more = realloc(t->range, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->range = more;
		t->capacity = capacity;
	}
	memmove(&t->range[at + 1], &t->range[at], (t->count - at) * sizeof(*r));
	t->range[at] = *r;
	t->count++;
	return 0;
}

int dma_map(struct dma_table *t, uint64_t addr, uint64_t size, int fd, uint64_t offset, bool write)
{
	struct dma_range r = {.addr = addr, .size = size, .write = write};
	size_t at = find(t, addr);
	int rc;

	if (!size || addr + size < addr || (addr | size | offset) % VU_PAGE)
		return -EINVAL;
	if (at < t->count && t->range[at].addr < addr + size)
		return -EEXIST;
	if (fd >= 0) {
		rc = memory_file_get(&t->files, fd, &r.file);
		if (rc)
			return rc;
		rc = -EINVAL;
		if (offset > r.file->size || size > r.file->size - offset)
			goto put_file;
		rc = -EACCES;
		if (write && !r.file->writable)
			goto put_file;
		r.ptr = r.file->base + offset;
	}
	rc = insert(t, at, &r);
	if (!rc)
		return 0;
put_file:
	memory_file_put(&t->files, r.file);
	return rc;
}

int dma_unmap(struct dma_table *t, uint64_t addr, uint64_t size)
{
	uint64_t last = addr + size - 1;
	size_t first = find(t, addr), end, i;

	if (!size || last < addr || (addr | size) % VU_PAGE)
		return -EINVAL;
	for (end = first; end < t->count && t->range[end].addr <= last; end++)
		;
	if (end == first)
		return size < DMA_SWEEP ? -ENOENT : 0;
	if (t->range[first].addr < addr || range_end(&t->range[end - 1]) - 1 > last)
		return -EINVAL;
	if (size < DMA_SWEEP && t->range[first].size != size)
		return -EINVAL;
	for (i = first; i < end; i++)
		memory_file_put(&t->files, t->range[i].file);
	memmove(&t->range[first], &t->range[end], (t->count - end) * sizeof(*t->range));
	t->count -= end - first;
	t->last = 0;
	return 0;
}

void dma_unmap_all(struct dma_table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		memory_file_put(&t->files, t->range[i].file);
	free(t->range);
	t->range = NULL;
	t->count = 0;
	t->capacity = 0;
	t->last = 0;
}

/* Scratch memory that replaces truncated pages. */
static void *nowhere(struct dma_table *t, size_t *len, bool write)
{
	if (*len > sizeof(t->nowhere))
		*len = sizeof(t->nowhere);
	if (!write)
		memset(t->nowhere, 0, *len);
	return t->nowhere;
}

static bool lookup(struct dma_table *t, uint64_t addr, size_t *len, void **ptr, bool write)
{
	const struct dma_range *r;
	uint64_t to_end;

	if (t->last >= t->count || addr < t->range[t->last].addr ||
	    addr >= range_end(&t->range[t->last])) {
		t->last = find(t, addr);
		if (t->last == t->count)
			return false;
	}
	r = &t->range[t->last];
	if (addr < r->addr) {
		if (r->addr - addr < *len)
			*len = r->addr - addr;
		return false;
	}
	to_end = range_end(r) - addr;
	if (to_end < *len)
		*len = to_end;
	if ((write && !r->write) || !r->file)
		return false;
	memory_files_used(&t->files);
	*ptr = r->ptr + (addr - r->addr);
	if (!memory_file_there(&t->files, r->file, (uint8_t *)*ptr - r->file->base, len))
		*ptr = nowhere(t, len, write);
	return true;
}

bool dma_lookup(struct dma_table *t, uint64_t addr, size_t *len, void **ptr)
{
	return lookup(t, addr, len, ptr, true);
}

bool dma_lookup_read(struct dma_table *t, uint64_t addr, size_t *len, void **ptr)
{
	return lookup(t, addr, len, ptr, false);
}
