// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of guest mappings: access rights and addresses.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include "tests/emu/server/dma_table.h"
#include "unit.h"

#define PAGE 4096ull

static int memory(uint64_t size)
{
	int fd = memfd_create("unit", 0);

	UNIT_NEED(fd >= 0 && !ftruncate(fd, size));
	return fd;
}

/* Bytes that can be written at @addr, out of 1 MiB; 0 if outside. */
static size_t writable_bytes(struct dma_table *t, uint64_t addr)
{
	size_t len = 1 << 20;
	void *ptr;

	return dma_lookup(t, addr, &len, &ptr) ? len : 0;
}

static uint8_t *at(struct dma_table *t, uint64_t addr)
{
	size_t len = 1;
	void *ptr = NULL;

	return dma_lookup(t, addr, &len, &ptr) ? ptr : NULL;
}

static void lookup(void)
{
	struct dma_table t = {0};
	int fd = memory(8 * PAGE);
	size_t len;
	void *ptr;

	UNIT_EQ(dma_map(&t, 0x10000, 2 * PAGE, fd, 4 * PAGE, true), 0);
	UNIT_EQ(dma_map(&t, 0x20000, PAGE, fd, 0, true), 0);
	UNIT_EQ(writable_bytes(&t, 0x10000), 2 * PAGE);
	UNIT_EQ(writable_bytes(&t, 0x11ffc), 4);
	UNIT_EQ(writable_bytes(&t, 0x12000), 0);
	UNIT_EQ(writable_bytes(&t, 0xfffc), 0);
	/* The range up to the next mapping is outside. */
	len = 1 << 20;
	UNIT_EQ(dma_lookup(&t, 0x12000, &len, &ptr), false);
	UNIT_EQ(len, 0xe000);
	len = 16;
	UNIT_EQ(dma_lookup(&t, 0x30000, &len, &ptr), false);
	UNIT_EQ(len, 16);
	/* A file is mapped once; the bytes are those of the file. */
	*at(&t, 0x11005) = 0x5a;
	UNIT_NEED(pread(fd, &len, 1, 5 * PAGE + 5) == 1);
	UNIT_EQ(*(uint8_t *)&len, 0x5a);
	UNIT_EQ(at(&t, 0x10000) - at(&t, 0x20000), 4 * PAGE);
	dma_unmap_all(&t);
	UNIT_EQ(writable_bytes(&t, 0x10000), 0);
	close(fd);
}

static void refused(void)
{
	struct dma_table t = {0};
	int fd = memory(2 * PAGE);

	UNIT_EQ(dma_map(&t, 0, 0, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0, 4 * PAGE, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0, 2 * PAGE, fd, PAGE, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0, PAGE, fd, -PAGE, true), -EINVAL);
	UNIT_EQ(dma_map(&t, -PAGE, 2 * PAGE, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0x800, PAGE, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0, PAGE / 2, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0, PAGE, fd, 0x800, true), -EINVAL);
	UNIT_EQ(dma_unmap(&t, -PAGE, 2 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0, 0), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x800, 1 << 20), -EINVAL);
	UNIT_EQ(t.count, 0);
	CU_ASSERT_PTR_NULL(t.files.first);
	close(fd);
	/* Out of memory. */
	fd = eventfd(0, 0);
	UNIT_EQ(dma_map(&t, 0, PAGE, fd, 0, true), -EINVAL);
	close(fd);
	UNIT_EQ(dma_map(&t, 0, PAGE, fd, 0, true), -EBADF);
}

static void not_writable(void)
{
	struct dma_table t = {0};
	int fd = memory(2 * PAGE);
	size_t len = 4;
	void *ptr;

	UNIT_EQ(dma_map(&t, 0x1000, PAGE, fd, 0, false), 0);
	UNIT_EQ(dma_map(&t, 0x2000, PAGE, -1, 0, true), 0);
	UNIT_EQ(writable_bytes(&t, 0x1000), 0);
	UNIT_EQ(writable_bytes(&t, 0x2000), 0);
	UNIT_EQ(t.count, 2);
	dma_unmap_all(&t);
	close(fd);
	/* The mapping is writable, but the file is not. */
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	UNIT_NEED(fd >= 0);
	UNIT_EQ(dma_map(&t, 0x1000, PAGE, fd, 0, true), -EACCES);
	CU_ASSERT_PTR_NULL(t.files.first);
	UNIT_EQ(dma_map(&t, 0x1000, PAGE, fd, 0, false), 0);
	UNIT_EQ(writable_bytes(&t, 0x1000), 0);
	CU_ASSERT(dma_lookup_read(&t, 0x1000, &len, &ptr));
	CU_ASSERT(!memcmp(ptr, "\177ELF", 4));
	dma_unmap_all(&t);
	close(fd);
}

/* The same file again, with fewer rights. */
static int again(int fd, int flags)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, flags | O_CLOEXEC);
	UNIT_NEED(fd >= 0);
	return fd;
}

/* Each descriptor has its own access rights to a file, in whichever order they are used. */
static void descriptors_of_a_file(void)
{
	struct dma_table t = {0};
	int both = memory(2 * PAGE), in = again(both, O_RDONLY), out = again(both, O_WRONLY);
	int path = again(both, O_PATH);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		UNIT_EQ(dma_map(&t, 0x1000, PAGE, i ? both : in, 0, false), 0);
		UNIT_EQ(dma_map(&t, 0x2000, PAGE, i ? in : both, 0, false), 0);
		UNIT_EQ(dma_map(&t, 0x3000, PAGE, in, 0, true), -EACCES);
		UNIT_EQ(dma_map(&t, 0x3000, PAGE, out, 0, true), -EACCES);
		UNIT_EQ(dma_map(&t, 0x3000, PAGE, out, 0, false), -EACCES);
		UNIT_EQ(dma_map(&t, 0x3000, PAGE, path, 0, false), -EBADF);
		UNIT_EQ(dma_map(&t, 0x3000, PAGE, both, 0, true), 0);
		UNIT_EQ(writable_bytes(&t, 0x3000), PAGE);
		dma_unmap_all(&t);
		CU_ASSERT_PTR_NULL(t.files.first);
	}
	close(path);
	close(out);
	close(in);
	close(both);
}

static void unmap_forms(void)
{
	struct dma_table t = {0};
	int fd = memory(16 * PAGE);

	UNIT_EQ(dma_unmap(&t, 0x5000, PAGE), -ENOENT);
	UNIT_EQ(dma_map(&t, 0x10000, 4 * PAGE, fd, 0, true), 0);
	UNIT_EQ(dma_map(&t, 0x14000, 4 * PAGE, fd, 8 * PAGE, true), 0);
	/* Part of one, beyond one, two at once. */
	UNIT_EQ(dma_unmap(&t, 0x11000, PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x10000, 3 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x11000, 3 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0xf000, 5 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x14000, 5 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x10000, 8 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x18000, PAGE), -ENOENT);
	UNIT_EQ(dma_unmap(&t, 0xf000, PAGE), -ENOENT);
	UNIT_EQ(t.count, 2);
	UNIT_EQ(writable_bytes(&t, 0x10000), 4 * PAGE);
	UNIT_EQ(dma_unmap(&t, 0x10000, 4 * PAGE), 0);
	UNIT_EQ(writable_bytes(&t, 0x10000), 0);
	UNIT_EQ(dma_unmap(&t, 0x10000, 4 * PAGE), -ENOENT);
	UNIT_EQ(writable_bytes(&t, 0x14000), 4 * PAGE);
	dma_unmap_all(&t);
	close(fd);
}

/* A sweep covers whole mappings as well, but any number of them. */
static void sweeps(void)
{
	const uint64_t end = 0xfffffffffffff000;
	struct dma_table t = {0};
	int fd = memory(16 * PAGE);

	UNIT_EQ(dma_unmap(&t, 0, DMA_SWEEP), 0);
	UNIT_EQ(dma_unmap(&t, 0, DMA_SWEEP - PAGE), -ENOENT);
	UNIT_EQ(dma_map(&t, 0x10000, 4 * PAGE, fd, 0, true), 0);
	UNIT_EQ(dma_map(&t, 0x20000, 4 * PAGE, fd, 0, true), 0);
	UNIT_EQ(dma_map(&t, 1ull << 40, 4 * PAGE, fd, 4 * PAGE, true), 0);
	UNIT_EQ(dma_map(&t, end - PAGE, PAGE, fd, 0, true), 0);
	UNIT_EQ(dma_unmap(&t, 0x12000, 1ull << 30), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 1ull << 39, (1ull << 39) + 2 * PAGE), -EINVAL);
	UNIT_EQ(dma_unmap(&t, 0x30000, 1ull << 30), 0);
	UNIT_EQ(t.count, 4);
	UNIT_EQ(dma_unmap(&t, 0, 1ull << 30), 0);
	UNIT_EQ(t.count, 2);
	/* Up to the end of the address space. */
	UNIT_EQ(dma_unmap(&t, 0xfef00000, 0xffffffff01100000), 0);
	UNIT_EQ(t.count, 0);
	CU_ASSERT_PTR_NULL(t.files.first);
	UNIT_EQ(dma_unmap(&t, 0xfef00000, 0xffffffff01101000), -EINVAL);
	dma_unmap_all(&t);
	close(fd);
}

static void nothing_is_replaced(void)
{
	struct dma_table t = {0};
	int a = memory(8 * PAGE), b = memory(8 * PAGE);

	UNIT_EQ(dma_map(&t, 0x10000, 4 * PAGE, a, 0, true), 0);
	UNIT_EQ(dma_map(&t, 0x10000, 4 * PAGE, b, 0, true), -EEXIST);
	UNIT_EQ(dma_map(&t, 0x11000, 2 * PAGE, b, 0, true), -EEXIST);
	UNIT_EQ(dma_map(&t, 0xf000, 2 * PAGE, b, 0, true), -EEXIST);
	UNIT_EQ(dma_map(&t, 0x13000, 2 * PAGE, -1, 0, true), -EEXIST);
	UNIT_EQ(dma_map(&t, 0x8000, 1 << 20, -1, 0, true), -EEXIST);
	UNIT_EQ(t.count, 1);
	UNIT_EQ(writable_bytes(&t, 0x10000), 4 * PAGE);
	/* Side by side is no overlap. */
	UNIT_EQ(dma_map(&t, 0x14000, PAGE, b, 0, true), 0);
	UNIT_EQ(dma_map(&t, 0xf000, PAGE, b, 0, true), 0);
	dma_unmap_all(&t);
	close(a);
	close(b);
}

/* The client truncates memory that it has mapped. Accesses to it are lost and counted. */
static void truncated(void)
{
	struct dma_table t = {0};
	int fd = memory(8 * PAGE);
	size_t len = 4 * PAGE;
	uint8_t *ptr;

	UNIT_EQ(dma_map(&t, 0x10000, 8 * PAGE, fd, 0, true), 0);
	UNIT_NEED(dma_lookup(&t, 0x12000, &len, (void **)&ptr));
	UNIT_EQ(len, 4 * PAGE);
	/* Truncate between the check and the use. */
	UNIT_NEED(!ftruncate(fd, 4 * PAGE));
	memset(ptr, 0x5a, len);
	UNIT_EQ(t.files.lost, 2);
	UNIT_NEED(pread(fd, &len, 1, 3 * PAGE) == 1);
	UNIT_EQ((uint8_t)len, 0x5a);
	/* The remaining part is usable, and no more than that. */
	len = 8 * PAGE;
	UNIT_NEED(dma_lookup(&t, 0x11000, &len, (void **)&ptr));
	UNIT_EQ(len, 3 * PAGE);
	UNIT_EQ(t.files.lost, 2);
	len = 1 << 20;
	UNIT_NEED(dma_lookup(&t, 0x14000, &len, (void **)&ptr));
	CU_ASSERT(len >= 512 && len <= 4 * PAGE);
	memset(ptr, 0x77, len);
	len = 64;
	UNIT_NEED(dma_lookup_read(&t, 0x17000, &len, (void **)&ptr));
	UNIT_EQ(len, 64);
	UNIT_EQ(ptr[0] + ptr[63], 0);
	UNIT_EQ(t.files.lost, 4);
	/* After another map the new size applies. */
	UNIT_EQ(dma_unmap(&t, 0x10000, 8 * PAGE), 0);
	CU_ASSERT_PTR_NULL(t.files.first);
	UNIT_EQ(dma_map(&t, 0x10000, 8 * PAGE, fd, 0, true), -EINVAL);
	UNIT_EQ(dma_map(&t, 0x10000, 4 * PAGE, fd, 0, true), 0);
	UNIT_EQ(*at(&t, 0x13000), 0x5a);
	UNIT_EQ(t.files.lost, 4);
	dma_unmap_all(&t);
	close(fd);
}

/* A guest with an IOMMU: thousands of small ranges of one file, in random order. */
static void many(void)
{
	const unsigned int n = 20000;
	struct dma_table t = {0};
	int fd = memory(n * PAGE);
	unsigned int i, wrong = 0;

	for (i = 0; i < n; i++) {
		uint64_t k = i * 7919ull % n;

		wrong += dma_map(&t, 2 * k * PAGE, PAGE, fd, k * PAGE, true) != 0;
	}
	UNIT_EQ(t.count, n);
	for (i = 0; i < n; i++) {
		wrong += at(&t, 2 * i * PAGE) != at(&t, 0) + i * PAGE;
		wrong += writable_bytes(&t, 2 * i * PAGE) != PAGE;
		wrong += writable_bytes(&t, (2 * i + 1) * PAGE) != 0;
	}
	UNIT_EQ(wrong, 0);
	UNIT_EQ(dma_unmap(&t, 2 * 7 * PAGE, PAGE), 0);
	UNIT_EQ(dma_unmap(&t, 0, n * PAGE), 0);
	UNIT_EQ(t.count, n / 2);
	dma_unmap_all(&t);
	close(fd);
}

UNIT_MAIN("guest mappings", {"lookup", lookup}, {"refused", refused},
	  {"read-only and without a file", not_writable},
	  {"descriptors of a file", descriptors_of_a_file}, {"every form of unmap", unmap_forms},
	  {"sweeps", sweeps}, {"nothing mapped is replaced", nothing_is_replaced},
	  {"a file is truncated", truncated}, {"20000 ranges", many})
