// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory with a physical layout chosen by the test. See mem.h.
 */
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "node.h"

#define BASE_PAGE 4096ul
#define FRAME_BITS ((1ull << 55) - 1)

static void bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(2);
}

static int64_t number_after(const char *path, const char *word)
{
	size_t length = strlen(word);
	int64_t value = -1;
	char line[256];
	FILE *f = fopen(path, "re");

	if (!f)
		bail(path);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, word, length) && strchr(" :\t", line[length]))
			value = strtoll(line + length + strspn(line + length, ": \t"), NULL, 10);
	fclose(f);
	return value;
}

/* Page frame number; 0 if the page map has none. */
static uint64_t frame(int pagemap, const void *addr)
{
	uint64_t entry = 0;

	if (pread(pagemap, &entry, 8, (uintptr_t)addr / BASE_PAGE * 8) != 8)
		bail("/proc/self/pagemap");
	if (!(entry & FRAME_BITS))
		bail("no page frame numbers (root?)");
	return entry & FRAME_BITS;
}

uint64_t memory_physical(const void *addr)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t page = frame(pagemap, addr);

	close(pagemap);
	return page * BASE_PAGE + (uintptr_t)addr % BASE_PAGE;
}

struct piece {
	uint64_t frame;
	off_t offset;
};

static int ascending(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static int descending(const void *a, const void *b)
{
	return ascending(b, a);
}

/* Present pages of a new memfd, in the requested order. */
static struct piece *make_pieces(size_t count, size_t page_size, enum layout layout, int *fd)
{
	unsigned int flags = page_size == BASE_PAGE ? 0 : MFD_HUGETLB | MFD_HUGE_2MB;
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct piece *pieces = calloc(count, sizeof(*pieces));
	char *plain;
	size_t i;

	*fd = memfd_create("case", flags | MFD_CLOEXEC);
	if (*fd < 0 || pagemap < 0 || !pieces || ftruncate(*fd, count * page_size))
		bail("memory");
	plain = mmap(NULL, count * page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		     *fd, 0);
	if (plain == MAP_FAILED)
		bail("not enough memory of this page size");
	for (i = 0; i < count; i++) {
		plain[i * page_size] = 0;
		pieces[i].offset = i * page_size;
		pieces[i].frame = frame(pagemap, plain + i * page_size);
	}
	munmap(plain, count * page_size);
	close(pagemap);
	qsort(pieces, count, sizeof(*pieces), layout == LAYOUT_ASCENDING ? ascending : descending);
	return pieces;
}

/* Index of the first of @wanted consecutive pieces; @count if there are none. */
static size_t find_row(const struct piece *pieces, size_t count, size_t wanted, size_t page_size)
{
	size_t i, row = 1;

	for (i = 1; i < count && row < wanted; i++) {
		bool next = pieces[i].frame == pieces[i - 1].frame + page_size / BASE_PAGE;

		row = next ? row + 1 : 1;
	}
	return row >= wanted ? i - wanted : count;
}

void *memory_make(size_t length, size_t page_size, enum layout layout)
{
	size_t count = length / page_size, taken = count, first, i;
	size_t most = page_size == BASE_PAGE ? 0 : number_after("/proc/meminfo", "HugePages_Free");
	struct piece *pieces;
	char *plain, *addr;
	int fd;

	/*
	 * The page allocator returns pages in any order: allocate more until enough are
	 * consecutive.
	 */
	for (;;) {
		pieces = make_pieces(taken, page_size, layout, &fd);
		first = find_row(pieces, taken, count, page_size);
		if (first < taken || layout == LAYOUT_DESCENDING || taken >= most)
			break;
		free(pieces);
		close(fd);
		taken = taken * 4 < most ? taken * 4 : most;
	}
	if (first == taken)
		first = 0;
	for (i = 0; i < taken; i++)
		if (i < first || i >= first + count)
			fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, pieces[i].offset,
				  page_size);
	/*
	 * Reserve addresses aligned to the page size, then map one page of the file after the
	 * other.
	 */
	plain = mmap(NULL, length + page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (plain == MAP_FAILED)
		bail("address space");
	addr = (char *)(((uintptr_t)plain + page_size - 1) / page_size * page_size);
	for (i = 0; i < count; i++)
		if (mmap(addr + i * page_size, page_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
			 pieces[first + i].offset) == MAP_FAILED)
			bail("mapping a page");
	free(pieces);
	close(fd);
	return addr;
}

size_t memory_contiguous(const void *addr, size_t length)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t first = frame(pagemap, addr);
	size_t at;

	for (at = BASE_PAGE; at < length; at += BASE_PAGE) {
		/*
		 * Touch each page: a present page of shared memory may be missing in the page
		 * table.
		 */
		(void)*(const volatile char *)((const char *)addr + at);
		if (frame(pagemap, (const char *)addr + at) != first + at / BASE_PAGE)
			break;
	}
	close(pagemap);
	return at;
}

/* The kernel folds its per-CPU counters now and then; this folds them now. */
static void fold_counters(void)
{
	char c;
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &c, 1) < 0)
		bail("/proc/sys/vm/stat_refresh");
	close(fd);
}

int64_t pins(void)
{
	int64_t acquired, released;

	fold_counters();
	acquired = number_after("/proc/vmstat", "nr_foll_pin_acquired");
	released = number_after("/proc/vmstat", "nr_foll_pin_released");

	if (acquired < 0 || released < 0)
		bail("no pin counters in /proc/vmstat");
	return acquired - released;
}

int64_t pinned_by(int pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", pid ? pid : getpid());
	return number_after(path, "VmPin") / 4;
}

int buffer_register(int fd, const void *addr, size_t length, uint32_t granule,
		    struct roc_buf_register *reply)
{
	*reply = (struct roc_buf_register){
		.size = sizeof(*reply),
		.addr = (uintptr_t)addr,
		.length = length,
		.granule = granule,
	};
	return abi(fd, ROC_BUF_REGISTER, reply);
}

int buffer_unregister(int fd, uint32_t handle)
{
	struct roc_buf_unregister arg = {.size = sizeof(arg), .handle = handle};

	return abi(fd, ROC_BUF_UNREGISTER, &arg);
}
