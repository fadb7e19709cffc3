// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that is pinned once: a source's regions, in parts as io_uring takes them.
 */
#include "pinned.h"

#include <stdlib.h>

#define PART_MAX (UINT64_C(1) << 30) /* io_uring's own, of one registered buffer */
#define PARTS 1024

void pinned_register(struct pinned *p, struct io_uring *ring, const struct source *source)
{
	unsigned int i;

	p->parts = calloc(PARTS, sizeof(*p->parts));
	if (!p->parts)
		return;
	for (i = 0; i < source->region_count; i++) {
		char *addr = source->regions[i].addr;
		size_t left = source->regions[i].length;

		while (left && p->count < PARTS) {
			size_t part = left < PART_MAX ? left : PART_MAX;

			p->parts[p->count++] = (struct iovec){.iov_base = addr, .iov_len = part};
			addr += part;
			left -= part;
		}
	}
	if (p->count && io_uring_register_buffers(ring, p->parts, p->count))
		p->count = 0;
}

int pinned_find(const struct pinned *p, const char *from, uint64_t length)
{
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		const char *base = p->parts[i].iov_base;

		if (from >= base && from + length <= base + p->parts[i].iov_len)
			return (int)i;
	}
	return -1;
}

void pinned_free(struct pinned *p)
{
	free(p->parts);
}
