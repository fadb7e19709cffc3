// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Open nodes of channels, and the process that may use them. The rings of a channel are not
 * inherited by a child of fork(), and a control that the child sends through its copy of the
 * descriptor would act on the run of its parent. So a handle works in the process that opened it.
 *
 * getpid() is a system call, and a handler of pthread_atfork() does not run after a bare clone(): a
 * page that the kernel zeroes in each new child costs one load and misses none.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"

uint32_t *libroc_process;
static uint32_t numbers; /* given out by this process and those that it was forked from */

/* A page that is zero in each new child; NULL: errno has the reason. */
static uint32_t *make_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	uint32_t *page, *first = NULL;
	int err;

	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		err = errno;
		munmap(page, size);
		errno = err;
		return NULL;
	}
	if (__atomic_compare_exchange_n(&libroc_process, &first, page, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return page;
	/* Another thread was faster. */
	munmap(page, size);
	return first;
}

int libroc_node_belongs(struct libroc_node *node, const char *name)
{
	uint32_t *page = __atomic_load_n(&libroc_process, __ATOMIC_ACQUIRE), number = 0;
	int saved = errno, err;

	if (!page)
		page = make_page();
	err = errno;
	errno = saved;
	if (!page)
		return roc_fail(err, "%s: cannot map the page that detects fork(): %s", name,
				strerror(err));
	node->process = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(page, &number, node->process, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		node->process = number;
	return 0;
}

int libroc_need_opener(const struct libroc_node *node, const char *name)
{
	return libroc_is_opener(node) ? 0 : libroc_fail_ioctl(EPERM, name, "cannot use it");
}

int libroc_node_ioctl(const struct libroc_node *node, unsigned long request, void *arg)
{
	return libroc_is_opener(node) ? libroc_ioctl(node->fd, request, arg) : -EPERM;
}

void libroc_node_unmap(const struct libroc_node *node, volatile const void *at, size_t length)
{
	/* In a child there was a hole, and may be its own memory by now: it is left alone. */
	if (at && libroc_is_opener(node))
		munmap((void *)at, length);
}
