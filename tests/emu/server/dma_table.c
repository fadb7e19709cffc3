// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interval table: this is what makes the emulated card a sanitizer for DMA.
 */
#include "dma_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A guest memory file, mapped whole. Owned by the table's list, gone with its last range. */
struct dma_file {
	struct dma_file *next;
	dev_t dev;
	ino_t ino;
	uint8_t *base;
	uint64_t size;
	bool writable;
	size_t users;
};

static struct dma_file *file_get(struct dma_table *t, int fd)
{
	struct dma_file *f;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	for (f = t->files; f; f = f->next) {
		if (f->dev == st.st_dev && f->ino == st.st_ino && f->size == (uint64_t)st.st_size) {
			f->users++;
			return f;
		}
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = st.st_size;
	f->writable = true;
	f->users = 1;
	f->base = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->base == MAP_FAILED) {
		f->writable = false;
		f->base = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (f->base == MAP_FAILED) {
		free(f);
		return NULL;
	}
	f->next = t->files;
	t->files = f;
	return f;
}

static void file_put(struct dma_table *t, struct dma_file *f)
{
	struct dma_file **at;

	if (!f || --f->users)
		return;
	for (at = &t->files; *at != f; at = &(*at)->next)
		;
	*at = f->next;
	munmap(f->base, f->size);
	free(f);
}

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
	if (t->count == t->room) {
		size_t room = t->room ? t->room * 2 : 64;
		struct dma_range *more = realloc(t->range, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->range = more;
		t->room = room;
	}
	memmove(&t->range[at + 1], &t->range[at], (t->count - at) * sizeof(*r));
	t->range[at] = *r;
	t->count++;
	return 0;
}

static void cut_front(struct dma_range *r, uint64_t bytes)
{
	r->addr += bytes;
	r->size -= bytes;
	if (r->ptr)
		r->ptr += bytes;
}

int dma_unmap(struct dma_table *t, uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;
	size_t first, i;
	int rc;

	if (end < addr)
		return -EINVAL;
	if (!size || !t->count)
		return 0;
	t->last = 0;
	first = find(t, addr);
	if (first < t->count && t->range[first].addr < addr) {
		struct dma_range *r = &t->range[first];

		if (range_end(r) > end) { /* a hole in the middle: two ranges from one */
			struct dma_range tail = *r;

			cut_front(&tail, end - tail.addr);
			rc = insert(t, first + 1, &tail);
			if (rc)
				return rc;
			r = &t->range[first];
			if (r->file)
				r->file->users++;
		}
		r->size = addr - r->addr;
		first++;
	}
	for (i = first; i < t->count && range_end(&t->range[i]) <= end; i++)
		file_put(t, t->range[i].file);
	if (i < t->count && t->range[i].addr < end)
		cut_front(&t->range[i], end - t->range[i].addr);
	memmove(&t->range[first], &t->range[i], (t->count - i) * sizeof(*t->range));
	t->count -= i - first;
	return 0;
}

int dma_map(struct dma_table *t, uint64_t addr, uint64_t size, int fd, uint64_t offset, bool write)
{
	struct dma_range r = {.addr = addr, .size = size, .write = write};
	int rc;

	if (!size || addr + size < addr)
		return -EINVAL;
	if (fd >= 0) {
		r.file = file_get(t, fd);
		if (!r.file)
			return -errno;
		if (offset > r.file->size || size > r.file->size - offset) {
			file_put(t, r.file);
			return -EINVAL;
		}
		r.ptr = r.file->base + offset;
	}
	rc = dma_unmap(t, addr, size);
	if (!rc)
		rc = insert(t, find(t, addr), &r);
	if (rc)
		file_put(t, r.file);
	return rc;
}

void dma_unmap_all(struct dma_table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		file_put(t, t->range[i].file);
	free(t->range);
	memset(t, 0, sizeof(*t));
}

static bool lookup(struct dma_table *t, uint64_t addr, size_t *len, void **ptr, bool write)
{
	const struct dma_range *r = NULL;
	uint64_t to_end;
	bool inside;
	size_t i = t->last;

	if (i < t->count)
		r = &t->range[i];
	if (!r || addr < r->addr || addr >= range_end(r)) {
		i = find(t, addr);
		r = i < t->count ? &t->range[i] : NULL;
		t->last = i;
	}
	inside = r && addr >= r->addr;
	if (!inside) {
		if (r && r->addr - addr < *len)
			*len = r->addr - addr;
		return false;
	}
	to_end = range_end(r) - addr;
	if (to_end < *len)
		*len = to_end;
	if ((write && !(r->write && r->file && r->file->writable)) || !r->ptr)
		return false;
	*ptr = r->ptr + (addr - r->addr);
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
