// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which process a mapping belongs to. Children of fork() do not inherit what the driver maps: in a
 * child the addresses are a hole, or memory of its own, and a handle made before must not touch
 * them. getpid() is a system call, so the process that maps a ring puts its PID into a page of its
 * own instead, which the kernel clears in every child, however the child is made.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"

const volatile int *libroc_process_mark;

static int make_mark(void)
{
	const volatile int *none = NULL;
	long page = sysconf(_SC_PAGESIZE);
	int saved = errno, err;
	void *mark;

	mark = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED || madvise(mark, page, MADV_WIPEONFORK)) {
		err = errno;
		if (mark != MAP_FAILED)
			munmap(mark, page);
		errno = saved;
		return -err;
	}
	/* Another thread may have been faster. */
	if (!__atomic_compare_exchange_n(&libroc_process_mark, &none, mark, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(mark, page);
	return 0;
}

int libroc_process(const char *name, int *pid)
{
	int ret = 0;

	if (!__atomic_load_n(&libroc_process_mark, __ATOMIC_ACQUIRE))
		ret = make_mark();
	if (ret)
		return roc_fail(-ret,
				"%s: cannot map a page that children do not inherit: Linux 4.14 or "
				"newer and a free page of memory are needed",
				name);
	*pid = getpid();
	*(volatile int *)libroc_process_mark = *pid;
	return 0;
}

int libroc_fail_inherited(const char *name)
{
	return roc_fail(EPERM,
			"%s: the rings belong to the process that opened it, and this process is a "
			"child of it: open after fork()",
			name);
}

void libroc_unmap(volatile const void *at, size_t length, int pid)
{
	if (at && (!pid || pid == getpid()))
		munmap((void *)at, length);
}
