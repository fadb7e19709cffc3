/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory whose physical layout the test chooses, and what the kernel says about pinned memory.
 */
#ifndef CASE_MEM_H
#define CASE_MEM_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layout {
	LAYOUT_ASCENDING,  /* in order of physical addresses: as contiguous as can be */
	LAYOUT_DESCENDING, /* against it: no two neighbours are contiguous */
};

/*
 * Shared memory of pages of @page_size (4 KiB or 2 MiB), all present, mapped in the wanted order.
 * Root only (it looks at the page map). Ends the program if there is not enough.
 */
void *memory_make(size_t length, size_t page_size, enum layout layout);

/* Bytes from the start that lie in one piece of physical memory. */
size_t memory_contiguous(const void *addr, size_t length);

/* Where it lies for a card behind no IOMMU. It must be present; root only. */
uint64_t memory_physical(const void *addr);

/* Kernel-wide: pages pinned now (acquired less released). */
int64_t pins(void);
/* Pages pinned and charged to a process (0: us), in pages. */
int64_t pinned_by(int pid);

/* Raw registration: 0 or -errno; *reply always filled. */
int buffer_register(int fd, const void *addr, size_t length, uint32_t granule,
		    struct roc_buf_register *reply);
int buffer_unregister(int fd, uint32_t handle);

#endif /* CASE_MEM_H */
