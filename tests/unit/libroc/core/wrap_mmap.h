/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linker redirects the library's mmap() to this one (--wrap=mmap), which fails on request, and
 * otherwise calls on_mmap() of the including test.
 */
#ifndef TESTS_WRAP_MMAP_H
#define TESTS_WRAP_MMAP_H

#include <errno.h>
#include <sys/mman.h>

static unsigned int refuse_map; /* number of the mapping from now on that fails; 0: none */

static void *on_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset);
void *__real_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (refuse_map && !--refuse_map) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return on_mmap(at, length, prot, flags, fd, offset);
}

#endif /* TESTS_WRAP_MMAP_H */
