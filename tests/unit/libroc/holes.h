/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of a process that has mappings which they do not inherit: where those are, a child has
 * holes, and by and by its own memory. Included after unit.h.
 */
#ifndef ROC_UNIT_LIBROC_HOLES_H
#define ROC_UNIT_LIBROC_HOLES_H

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_mapped(const struct iovec *area)
{
	size_t page = sysconf(_SC_PAGESIZE), at;
	unsigned char present;

	for (at = 0; at < area->iov_len; at += page)
		if (mincore((char *)area->iov_base + at, 1, &present))
			return false;
	return true;
}

/* A child has memory in all of them, and lets go of what it inherited. 0: it has its own still. */
static int child_lets_go(const struct iovec *areas, unsigned int count, void (*let_go)(void *),
			 void *what)
{
	int status = -1;
	unsigned int i;
	pid_t pid;

	for (i = 0; i < count; i++)
		UNIT_NEED(!madvise(areas[i].iov_base, areas[i].iov_len, MADV_DONTFORK));
	pid = fork();
	if (pid) {
		UNIT_EQ(waitpid(pid, &status, 0), pid);
		return status;
	}
	alarm(10);
	for (i = 0; i < count; i++)
		if (mmap(areas[i].iov_base, areas[i].iov_len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) != areas[i].iov_base)
			_exit(100);
	let_go(what);
	for (i = 0; i < count; i++)
		if (!is_mapped(&areas[i]))
			_exit(1 + (int)i);
	_exit(0);
}

#endif /* ROC_UNIT_LIBROC_HOLES_H */
