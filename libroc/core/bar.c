// SPDX-License-Identifier: LGPL-2.1-or-later
/* Map BARs into the process. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"

int roc_bar_info_get(struct roc_endpoint *ep, unsigned int bar, struct roc_bar_info *info)
{
	struct roc_bar_info arg = {.size = sizeof(arg), .bar = bar};
	int ret = ep->backend->ioctl(ep, ROC_BAR_INFO, &arg);

	if (ret == -ENOENT)
		return roc_fail(ENOENT, "%s: the card has no BAR %u", ep->name, bar);
	if (ret < 0)
		return libroc_fail_ioctl(-ret, ep->name, "cannot read the size of a BAR");
	*info = arg;
	return 0;
}

static int fail_access(const struct roc_endpoint *ep, unsigned int bar, const char *how)
{
	return roc_fail(
		EACCES,
		"%s: cannot map BAR %u for %s without CAP_SYS_RAWIO, and never for writing if each of its pages has a protected register: use the register functions, or run as root",
		ep->name, bar, how);
}

int roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map)
{
	struct roc_bar_info info = {0};
	int saved = errno;
	char what[40];
	void *addr;
	int ret;

	ret = roc_bar_info_get(ep, bar, &info);
	if (ret)
		return ret;
	if (!(info.access & ROC_BAR_MMAP_READ))
		return fail_access(ep, bar, "reading");
	if (write && !(info.access & ROC_BAR_MMAP_WRITE))
		return fail_access(ep, bar, "writing");
	addr = mmap(NULL, info.length, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, ep->fd,
		    info.mmap_offset);
	if (addr == MAP_FAILED) {
		ret = errno;
		errno = saved;
		snprintf(what, sizeof(what), "cannot map BAR %u", bar);
		return libroc_fail_ioctl(ret, ep->name, what);
	}
	map->regs = addr;
	map->length = info.length;
	map->writable = write;
	map->pid = getpid();
	return 0;
}

void roc_bar_unmap(struct roc_bar *map)
{
	libroc_unmap(map->regs, map->length, map->pid);
	memset(map, 0, sizeof(*map));
}
