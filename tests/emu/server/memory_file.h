/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory files. Each is mapped once and as a whole, even if it is passed several times with
 * the same access rights.
 *
 * The client can truncate its file at any time. The card's next access to the lost part raises
 * SIGBUS in the accessing thread. The handler here redirects the access to empty memory and counts
 * it. The owner of the list serializes access.
 */
#ifndef EMU_MEMORY_FILE_H
#define EMU_MEMORY_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct memory_file {
	struct memory_file *next;
	dev_t dev;
	ino_t ino;
	uint8_t *base;
	uint64_t size;
	int mode;    /* access mode of its descriptor: O_RDONLY, O_RDWR, ... */
	size_t page; /* granularity of replacing parts of the mapping */
	int fd;	     /* for fstat() */
	bool writable;
	volatile sig_atomic_t cut; /* pages were lost when they were used */
	size_t users;
};

struct memory_files {
	struct memory_file *first;
	volatile uint64_t lost; /* lost pages that were used, and later accesses to them */
};

/* The caller keeps @fd. Returns 0 or -errno; release with memory_file_put(). */
int memory_file_get(struct memory_files *files, int fd, struct memory_file **file);
void memory_file_put(struct memory_files *files, struct memory_file *file);

/*
 * Is @offset still in the file? Then *len is cut to the part that is. Call this before memory is
 * used; it returns true as long as no loss was detected.
 */
bool memory_file_there(struct memory_files *files, struct memory_file *file, uint64_t offset,
		       size_t *len);
/*
 * Declare that this thread uses memory of these files from now on, under the lock of their owner.
 */
void memory_files_used(struct memory_files *files);

#endif /* EMU_MEMORY_FILE_H */
