// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error reports of the readers of pools, streams and fragments. Each reader checks its own data.
 * See findings.h.
 */
#include "findings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void find_wrong(struct findings *f, const char *fmt, ...)
{
	va_list ap;

	if (f->count++)
		return;
	va_start(ap, fmt);
	vsnprintf(f->first, sizeof(f->first), fmt, ap);
	va_end(ap);
}

bool find_failed(struct findings *f, const char *what, int err)
{
	find_wrong(f, "%s: %s", what, strerror(-err));
	return false;
}

void *find_map(struct findings *f, int fd, uint64_t length, int prot, uint64_t offset)
{
	void *p = mmap(NULL, length, prot, MAP_SHARED, fd, offset);

	if (p != MAP_FAILED)
		return p;
	find_failed(f, "mmap", -errno);
	return NULL;
}
