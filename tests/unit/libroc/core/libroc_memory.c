// SPDX-License-Identifier: GPL-2.0-or-later
/* Test memory for DMA: plain pages, and hugepages if this machine has some. */
#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <roc/roc.h>

#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "tests/unit/libroc/holes.h"

/* Check that smaps has this text in the line of @key for the mapping that starts at @addr. */
static bool smaps_has(const void *addr, const char *key, const char *text)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	bool ours = false, has = false;
	char line[512], start[32];

	UNIT_NEED(f);
	snprintf(start, sizeof(start), "%08lx-", (unsigned long)addr);
	while (fgets(line, sizeof(line), f)) {
		if (strchr("0123456789abcdef", line[0]))
			ours = !strncmp(line, start, strlen(start));
		else if (ours && !strncmp(line, key, strlen(key)))
			has |= strstr(line, text) != NULL;
	}
	fclose(f);
	return has;
}

static void check_memory(const struct roc_memory *mem, size_t page_size, size_t length)
{
	const uint64_t *words = mem->addr;
	unsigned char present;
	size_t i, at;

	UNIT_EQ(mem->page_size, page_size);
	UNIT_EQ(mem->length, length);
	UNIT_EQ((uintptr_t)mem->addr % page_size, 0);
	for (at = 0; at < length; at += page_size) {
		present = 0;
		UNIT_EQ(mincore((char *)mem->addr + at, 1, &present), 0);
		if (!(present & 1))
			CU_FAIL("a page is not there");
	}
	for (i = 0; i < length / sizeof(*words); i++)
		if (words[i])
			break;
	UNIT_EQ(i, length / sizeof(*words));
	CU_ASSERT_TRUE(smaps_has(mem->addr, "VmFlags:", " sh ")); /* shared */
	CU_ASSERT_TRUE(smaps_has(mem->addr, "VmFlags:", " dc ")); /* not inherited by children */
}

static void plain_pages(void)
{
	struct roc_memory mem = {0};
	size_t page = sysconf(_SC_PAGESIZE);
	char rss[32];

	errno = 77;
	UNIT_NEED(!roc_memory_alloc(1000001, -1, ROC_MEMORY_PLAIN, &mem));
	UNIT_EQ(errno, 77);
	snprintf(rss, sizeof(rss), " %zu kB", mem.length >> 10);
	CU_ASSERT_TRUE(smaps_has(mem.addr, "Rss:", rss)); /* before the first access */
	check_memory(&mem, page, (1000001 + page - 1) / page * page);
	memset(mem.addr, 0xa5, mem.length);
	roc_memory_free(&mem);
	CU_ASSERT_PTR_NULL(mem.addr);
	UNIT_EQ(mem.length, 0);
	roc_memory_free(&mem);
}

/* A lack of descriptors is not reported as a lack of memory, for any page size. */
static void no_file_for_it(void)
{
	static const unsigned int flags[] = {0, ROC_MEMORY_PLAIN_OK, ROC_MEMORY_PLAIN};
	struct roc_memory mem = {0};
	struct rlimit limit, none;
	unsigned int i;
	int next = dup(0);

	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	for (i = 0; i < 3; i++) {
		UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
		errno = 77;
		UNIT_EQ(roc_memory_alloc(4096, -1, flags[i], &mem), -EMFILE);
		UNIT_EQ(errno, 77);
		UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &limit));
		ERROR_HAS("too many open files");
		ERROR_HAS("ulimit -n");
		CU_ASSERT_PTR_NULL(mem.addr);
	}
}

/* Return the last node with usable memory; -1: none. */
static int last_node(void)
{
	struct bitmask *allowed = numa_get_mems_allowed();
	int node = numa_max_node();

	while (node >= 0 && (!numa_bitmask_isbitset(allowed, (unsigned int)node) ||
			     numa_node_size64(node, NULL) <= 0))
		node--;
	numa_bitmask_free(allowed);
	return node;
}

/* Every page is on the node, according to the kernel. */
static void on_the_node(void)
{
	struct roc_memory mem;
	int node, none, policy, actual;
	size_t at;

	if (numa_available() < 0) {
		unit_skip("this kernel has no NUMA");
		return;
	}
	node = last_node();
	none = numa_max_node() + 1;
	UNIT_NEED(node >= 0);
	UNIT_NEED(!roc_memory_alloc(1 << 20, node, ROC_MEMORY_PLAIN, &mem));
	UNIT_EQ(mem.numa_node, node);
	UNIT_EQ(get_mempolicy(&policy, NULL, 0, mem.addr, MPOL_F_ADDR), 0);
	UNIT_EQ(policy, MPOL_BIND);
	for (at = 0; at < mem.length; at += mem.page_size) {
		actual = -1;
		get_mempolicy(&actual, NULL, 0, (char *)mem.addr + at, MPOL_F_NODE | MPOL_F_ADDR);
		if (actual != node)
			CU_FAIL("a page is on another node");
	}
	roc_memory_free(&mem);
	UNIT_EQ(roc_memory_alloc(1 << 20, none, ROC_MEMORY_PLAIN, &mem), -EINVAL);
	ERROR_HAS("NUMA node");
	UNIT_EQ(roc_memory_alloc(1 << 20, none, 0, &mem), -EINVAL);
	UNIT_EQ(roc_memory_alloc(1 << 20, -2, ROC_MEMORY_PLAIN, &mem), -EINVAL);
}

static unsigned long hugepages_of(const char *kind)
{
	unsigned long number = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-2048kB/%s_hugepages",
		 kind);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%lu", &number) != 1)
			number = 0;
		fclose(f);
	}
	return number;
}

/* Check without the library whether the kernel can allocate hugepages. */
static bool gives_hugepages(size_t length)
{
	void *addr = mmap(NULL, length, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << 26, -1, 0);

	if (addr == MAP_FAILED)
		return false;
	munmap(addr, length);
	return true;
}

static void hugepages(void)
{
	const size_t page = 2 << 20;
	struct roc_memory mem;
	int ret;

	/* Some of the free hugepages are reserved by other programs. */
	if (hugepages_of("free") < hugepages_of("resv") + 2) {
		unit_skip("fewer than two hugepages of 2 MiB are free on this machine");
		return;
	}
	ret = roc_memory_alloc(page + 1, -1, 0, &mem);
	if (ret == -ENOMEM && !gives_hugepages(2 * page)) {
		unit_skip(
			"another program took the hugepages, or this process is not permitted to use them");
		return;
	}
	UNIT_NEED(!ret);
	check_memory(&mem, page, 2 * page);
	roc_memory_free(&mem);
}

/*
 * Request more hugepages than any machine has. The fallback to plain pages must not fill the
 * memory.
 */
static void too_much(void)
{
	const size_t huge = 1ull << 45;
	struct roc_memory mem = {.length = 5};

	errno = 77;
	UNIT_EQ(roc_memory_alloc(huge, 0, 0, &mem), -ENOMEM);
	ERROR_HAS("32768 GiB of hugepages on NUMA node 0");
	ERROR_HAS("16777216 pages of 2 MiB");
	ERROR_HAS(
		"| sudo tee /sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages");
	UNIT_EQ(roc_memory_alloc(huge, -1, 0, &mem), -ENOMEM);
	ERROR_HAS("| sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
	UNIT_EQ(roc_memory_alloc(huge, -1, ROC_MEMORY_PLAIN_OK, &mem), -ENOMEM);
	ERROR_HAS("plain memory");
	UNIT_EQ(roc_memory_alloc(SIZE_MAX - 5, -1, 0, &mem), -ENOMEM);
	UNIT_EQ(mem.length, 5);
	UNIT_EQ(errno, 77);
}

static size_t populated = SIZE_MAX; /* by the rejected call; SIZE_MAX: not rejected */

int __wrap_madvise(void *addr, size_t length, int advice);
int __real_madvise(void *addr, size_t length, int advice);

int __wrap_madvise(void *addr, size_t length, int advice)
{
	if (advice != MADV_POPULATE_WRITE || populated == SIZE_MAX)
		return __real_madvise(addr, length, advice);
	populated = length;
	errno = ENOMEM;
	return -1;
}

/* An allocation must not trigger the OOM killer: memory of other programs is not available. */
static void more_than_free(void)
{
	struct roc_memory mem;
	size_t kib = 0, length;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	UNIT_NEED(f);
	/* Less than the total memory, more than is ever available. */
	while (!kib && fgets(line, sizeof(line), f))
		sscanf(line, "MemTotal: %zu", &kib);
	fclose(f);
	UNIT_NEED(kib);
	length = (kib << 10) - 4096;
	populated = 0;
	UNIT_EQ(roc_memory_alloc(length, -1, ROC_MEMORY_PLAIN, &mem), -ENOMEM);
	UNIT_EQ(populated, 0);
	ERROR_HAS(" are available: request less");
	UNIT_EQ(roc_memory_alloc(length, 0, ROC_MEMORY_PLAIN, &mem), -ENOMEM);
	UNIT_EQ(populated, 0);
	ERROR_HAS("on that node");
	UNIT_EQ(roc_memory_alloc(1 << 20, -1, ROC_MEMORY_PLAIN, &mem), -ENOMEM);
	UNIT_EQ(populated, 1 << 20);
	populated = SIZE_MAX;
}

static void bad_arguments(void)
{
	struct roc_memory mem;

	UNIT_EQ(roc_memory_alloc(0, -1, ROC_MEMORY_PLAIN, &mem), -EINVAL);
	ERROR_HAS("length 0");
	UNIT_EQ(roc_memory_alloc(4096, -1, 4 | ROC_MEMORY_PLAIN, &mem), -EINVAL);
	ERROR_HAS("unknown flags 0x6");
}

/* The fallback to plain pages is used only if it is allowed. */
static void fallback(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct roc_memory mem;

	UNIT_NEED(!roc_memory_alloc(page, -1, ROC_MEMORY_PLAIN_OK, &mem));
	CU_ASSERT_TRUE(mem.page_size >= page);
	UNIT_EQ(mem.length, mem.page_size);
	roc_memory_free(&mem);
}

/* A child does not inherit the memory, and so cannot copy or keep it. */
static void children_do_not_have_it(void)
{
	struct roc_memory mem;
	int status = -1;
	pid_t pid;

	UNIT_NEED(!roc_memory_alloc(4096, -1, ROC_MEMORY_PLAIN, &mem));
	pid = fork();
	if (!pid) {
		unsigned char present;

		_exit(mincore(mem.addr, 1, &present) == -1 && errno == ENOMEM ? 42 : 1);
	}
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE(WIFEXITED(status));
	UNIT_EQ(WEXITSTATUS(status), 42);
	roc_memory_free(&mem);
}

static void free_memory(void *mem)
{
	roc_memory_free(mem);
}

/* Nor does a child unmap its own memory at the same address. */
static void children_let_go(void)
{
	struct roc_memory mem;
	struct iovec area;

	UNIT_NEED(!roc_memory_alloc(1 << 20, -1, ROC_MEMORY_PLAIN, &mem));
	area = (struct iovec){mem.addr, mem.length};
	UNIT_EQ(child_lets_go(&area, 1, free_memory, &mem), 0);
	roc_memory_free(&mem);
	CU_ASSERT_FALSE(is_mapped(&area));
}

UNIT_MAIN("libroc_memory", {"plain pages", plain_pages}, {"no descriptors left", no_file_for_it},
	  {"on the node", on_the_node}, {"hugepages", hugepages}, {"too much", too_much},
	  {"more than is free", more_than_free}, {"bad arguments", bad_arguments},
	  {"fallback to plain pages", fallback},
	  {"children do not inherit it", children_do_not_have_it},
	  {"children keep their own memory", children_let_go})
