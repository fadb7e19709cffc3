/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory with a physical layout chosen by the test, and the kernel's counts of pinned memory.
 */
#ifndef CASE_MEM_H
#define CASE_MEM_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum layout {
	LAYOUT_ASCENDING,  /* ascending physical addresses: as contiguous as possible */
	LAYOUT_DESCENDING, /* descending: no two neighbours are contiguous */
};

/*
 * Shared memory of pages of @page_size (4 KiB or 2 MiB), all present, mapped in the requested
 * order. Root only, because it reads the page map. Ends the program if there is not enough.
 */
void *memory_make(size_t length, size_t page_size, enum layout layout);

/* Length of the first physically contiguous part, in bytes. */
size_t memory_contiguous(const void *addr, size_t length);

/* Its physical address, which a card without an IOMMU uses. It must be present; root only. */
uint64_t memory_physical(const void *addr);

/* Pages pinned now in the whole kernel (acquired less released). */
int64_t pins(void);
/* Pages pinned and charged to a process (0: this one). */
int64_t pinned_by(int pid);

/* Register by ioctl: 0 or -errno; *reply is always filled. */
int buffer_register(int fd, const void *addr, size_t length, uint32_t granule,
		    struct roc_buf_register *reply);
int buffer_unregister(int fd, uint32_t handle);

#endif /* CASE_MEM_H */
