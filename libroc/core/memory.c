// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Allocate memory for DMA: hugepages of a memfd on one NUMA node, all present on return.
 *
 * The mapping is shared, not private: after fork() the kernel would copy pinned private pages, and
 * copies of hugepages come out of the same small pool.
 */
#include <errno.h>
#include <linux/memfd.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc.h"

#ifndef MADV_POPULATE_WRITE /* glibc before 2.35 */
#define MADV_POPULATE_WRITE 23
#endif

#define SIZE_1M (1UL << 20)
#define SIZE_2M (1UL << 21)
#define SIZE_1G (1UL << 30)

/* Check that the node exists, has memory, and is allowed by the cpuset of this process. */
static bool node_usable(int node)
{
	struct bitmask *allowed;
	bool usable;

	if (node < 0)
		return node == -1;
	if (numa_available() < 0)
		return node == 0;
	if (node > numa_max_node())
		return false;
	allowed = numa_get_mems_allowed();
	usable = numa_bitmask_isbitset(allowed, node);
	numa_bitmask_free(allowed);
	return usable;
}

/*
 * Bind before the first access: the policy applies to page faults, including those of
 * MADV_POPULATE_WRITE.
 */
static int bind_node(void *addr, size_t length, int node)
{
	struct bitmask *mask;
	long ret;

	if (numa_available() < 0)
		return 0;
	mask = numa_allocate_nodemask();
	numa_bitmask_setbit(mask, node);
	ret = mbind(addr, length, MPOL_BIND, mask->maskp, mask->size + 1, 0) ? -errno : 0;
	numa_bitmask_free(mask);
	return ret;
}

static int node_of(void *addr)
{
	int node;

	if (numa_available() < 0 ||
	    get_mempolicy(&node, NULL, 0, addr, MPOL_F_NODE | MPOL_F_ADDR) < 0)
		return -1;
	return node;
}

/*
 * Try to allocate with one page size, without setting the error text. -EINVAL: the node cannot be
 * used; -EMFILE or -ENFILE: no file could be opened; -ENOMEM: all other failures.
 */
static int try_alloc(size_t length, size_t page_size, int node, struct roc_memory *mem)
{
	unsigned int flags = MFD_CLOEXEC;
	void *addr;
	int fd, ret;

	if (page_size == SIZE_1G)
		flags |= MFD_HUGETLB | MFD_HUGE_1GB;
	else if (page_size == SIZE_2M)
		flags |= MFD_HUGETLB | MFD_HUGE_2MB;
	if (length > SIZE_MAX - page_size)
		return -ENOMEM;
	length = (length + page_size - 1) & ~(page_size - 1);

	fd = memfd_create("roc", flags);
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : -ENOMEM;
	if (ftruncate(fd, length)) {
		close(fd);
		return -ENOMEM;
	}
	addr = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd); /* the mapping keeps the memory */
	if (addr == MAP_FAILED)
		return -ENOMEM;

	if (node >= 0) {
		ret = bind_node(addr, length, node);
		if (ret)
			goto unmap;
	}
	/*
	 * If the pool is empty on the node, madvise() fails, whereas an access would raise SIGBUS.
	 */
	if (madvise(addr, length, MADV_POPULATE_WRITE) || madvise(addr, length, MADV_DONTFORK)) {
		ret = -ENOMEM;
		goto unmap;
	}
	mem->addr = addr;
	mem->length = length;
	mem->page_size = page_size;
	mem->numa_node = node_of(addr);
	mem->pid = getpid();
	return 0;

unmap:
	munmap(addr, length);
	return ret;
}

static int fail_node(int node)
{
	if (numa_available() < 0)
		return roc_fail(EINVAL,
				"there is no NUMA node %d: this machine has one node, use 0 or -1",
				node);
	return roc_fail(
		EINVAL,
		"cannot allocate on NUMA node %d: this machine has nodes 0 to %d, and a cpuset may allow fewer (see numactl --hardware, numactl --show)",
		node, numa_max_node());
}

static bool no_file(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

static int fail_file(int err)
{
	return roc_fail(
		err,
		"cannot open a memfd to allocate memory, because this %s has too many open files: close some, or raise the limit (%s)",
		err == EMFILE ? "process" : "machine",
		err == EMFILE ? "ulimit -n" : "sysctl fs.file-max");
}

/* Return the sum in bytes of the lines of @path with one of @keys; 0 if it cannot be read. */
static size_t meminfo(const char *path, const char *const *keys)
{
	FILE *f = fopen(path, "re");
	unsigned long kib;
	size_t sum = 0, i;
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		for (i = 0; keys[i]; i++) {
			const char *at = strstr(line, keys[i]);

			if (at && sscanf(at + strlen(keys[i]), ": %lu kB", &kib) == 1)
				sum += (size_t)kib << 10;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* Return the memory in bytes that can be allocated without swapping or reclaiming from programs. */
static size_t available(int node)
{
	static const char *const here[] = {"MemAvailable", NULL};
	/* A node's meminfo has no MemAvailable: sum up an upper bound. */
	static const char *const there[] = {"MemFree", "Active(file)", "Inactive(file)",
					    "SReclaimable", NULL};
	size_t all = meminfo("/proc/meminfo", here), on_node = 0;
	char path[64];

	if (node >= 0) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
		on_node = meminfo(path, there);
	}
	if (!all)
		all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	return on_node && on_node < all ? on_node : all;
}

static int alloc_plain(size_t length, int node, struct roc_memory *mem)
{
	char requested[32], have[32];
	size_t most = available(node);
	int ret = -ENOMEM;

	/*
	 * The creation of a memfd is not limited, and populating too large a one triggers the OOM
	 * killer.
	 */
	if (length < most)
		ret = try_alloc(length, sysconf(_SC_PAGESIZE), node, mem);
	if (!ret)
		return 0;
	if (ret == -EINVAL)
		return fail_node(node);
	if (no_file(ret))
		return fail_file(-ret);
	most = available(node) & ~(SIZE_1M - 1);
	return roc_fail(
		ENOMEM, "cannot allocate %s of plain memory: %s are available%s: request less",
		libroc_size_text(length, requested, sizeof(requested)),
		libroc_size_text(most, have, sizeof(have)), node >= 0 ? " on that node" : "");
}

int roc_memory_alloc(size_t length, int numa_node, unsigned int flags, struct roc_memory *mem)
{
	const size_t first = length >= SIZE_1G ? SIZE_1G : SIZE_2M;
	const size_t second = length >= SIZE_1G ? SIZE_2M : SIZE_1G;
	int saved = errno;
	int ret;

	if (!length)
		return libroc_fail_text(EINVAL, "cannot allocate memory of length 0");
	if (flags & ~(unsigned int)(ROC_MEMORY_PLAIN_OK | ROC_MEMORY_PLAIN))
		return roc_fail(EINVAL, "unknown flags 0x%x: see enum roc_memory_flags", flags);
	if (!node_usable(numa_node)) {
		ret = fail_node(numa_node);
		goto out;
	}
	if (flags & ROC_MEMORY_PLAIN) {
		ret = alloc_plain(length, numa_node, mem);
		goto out;
	}
	ret = try_alloc(length, first, numa_node, mem);
	if (ret == -ENOMEM)
		ret = try_alloc(length, second, numa_node, mem);
	if (ret == -EINVAL)
		ret = fail_node(numa_node);
	else if (no_file(ret))
		ret = fail_file(-ret);
	else if (ret && flags & ROC_MEMORY_PLAIN_OK)
		ret = alloc_plain(length, numa_node, mem);
	else if (ret)
		ret = libroc_fail_hugepages(length, SIZE_2M, numa_node);
out:
	errno = saved;
	return ret;
}

void roc_memory_free(struct roc_memory *mem)
{
	libroc_unmap(mem->addr, mem->length, mem->pid);
	memset(mem, 0, sizeof(*mem));
}
