/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test children of a process whose mappings are not inherited. At those addresses a child has
 * holes, and later possibly its own memory. Included after unit.h.
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

/* Run @run in a child that inherits none of the areas; return its exit status. */
static int child_without(const struct iovec *areas, unsigned int count, int (*run)(void *),
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
	_exit(run(what));
}

struct let_go {
	const struct iovec *areas;
	unsigned int count;
	void (*let_go)(void *);
	void *what;
};

static int fill_and_let_go(void *arg)
{
	const struct let_go *l = arg;
	unsigned int i;

	for (i = 0; i < l->count; i++)
		if (mmap(l->areas[i].iov_base, l->areas[i].iov_len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) != l->areas[i].iov_base)
			return 100;
	l->let_go(l->what);
	for (i = 0; i < l->count; i++)
		if (!is_mapped(&l->areas[i]))
			return 1 + (int)i;
	return 0;
}

/*
 * A child maps memory in all areas and then closes the inherited handles. Return 0 if its memory is
 * still mapped.
 */
__attribute__((unused)) static int child_lets_go(const struct iovec *areas, unsigned int count,
						 void (*let_go)(void *), void *what)
{
	struct let_go l = {.areas = areas, .count = count, .let_go = let_go, .what = what};

	return child_without(areas, count, fill_and_let_go, &l);
}

/*
 * In a child, check that the call is refused. @at counts the calls; the number of the first
 * accepted call is the exit status.
 */
#define REFUSED(at, call)                                                                          \
	do {                                                                                       \
		(at)++;                                                                            \
		if ((call) != -EPERM || !strstr(roc_error(), "after fork()"))                      \
			return at;                                                                 \
	} while (0)
#define IN_CHILD(at, condition)                                                                    \
	do {                                                                                       \
		(at)++;                                                                            \
		if (!(condition))                                                                  \
			return at;                                                                 \
	} while (0)

#endif /* ROC_UNIT_LIBROC_HOLES_H */
