/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory files, each mapped once and whole, however often it is handed in with the same right
 * to it.
 *
 * Whoever hands in a file can truncate it at any time. The card's access to what is gone then
 * raises SIGBUS in the thread that makes it; here it becomes an access to nothing, which is
 * counted. Whoever owns the list guards it.
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
	int mode;    /* what its descriptor may: O_RDONLY, O_RDWR, ... */
	size_t page; /* what a part of the mapping can be replaced by, a multiple of it */
	int fd;	     /* to ask for its size */
	bool writable;
	volatile sig_atomic_t cut; /* pages of it were gone when they were used */
	size_t users;
};

struct memory_files {
	struct memory_file *first;
	volatile uint64_t lost; /* pages that were gone when they were used, accesses after that */
};

/* @fd stays the caller's. 0 or -errno; memory_file_put() when done with it. */
int memory_file_get(struct memory_files *files, int fd, struct memory_file **file);
void memory_file_put(struct memory_files *files, struct memory_file *file);

/*
 * Is @offset still there? Then *len is cut to what is there from it on. To be asked before memory
 * is used; says yes as long as nothing was seen to be gone.
 */
bool memory_file_there(struct memory_files *files, struct memory_file *file, uint64_t offset,
		       size_t *len);
/* From here on this thread uses memory of these files, under the lock of their owner. */
void memory_files_used(struct memory_files *files);

#endif /* EMU_MEMORY_FILE_H */
