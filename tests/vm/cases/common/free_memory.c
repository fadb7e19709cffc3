// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detect writes into free memory. See free_memory.h.
 */
#include "free_memory.h"

#include <stdio.h>
#include <sys/mman.h>

#include "mem.h"

#define HUGE (2u << 20)
/* The kernel allocates a ring that was just freed next. */
#define PAGES_HELD (16u << 20)

static size_t free_hugepages(void)
{
	size_t value = 0;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "HugePages_Free: %zu", &value);
	if (f)
		fclose(f);
	return value;
}

void memory_fill(uint64_t *words, size_t length)
{
	size_t i;

	for (i = 0; i < length / 8; i++)
		words[i] = (uintptr_t)&words[i] * 0x9e3779b97f4a7c15ull;
}

bool memory_unchanged(const char *what, const uint64_t *words, size_t length)
{
	size_t i, wrong = 0, first = 0;

	for (i = 0; i < length / 8; i++) {
		if (words[i] == (uintptr_t)&words[i] * 0x9e3779b97f4a7c15ull)
			continue;
		first = wrong++ ? first : i;
	}
	if (wrong)
		printf("# %s: %zu of %zu bytes were overwritten, first at 0x%zx: 0x%llx\n", what,
		       wrong * 8, length, first * 8, (unsigned long long)words[first]);
	return !wrong;
}

bool free_memory_hold(struct free_memory *m)
{
	m->length = free_hugepages() * HUGE;
	if (!m->length)
		return false;
	m->words = mmap(NULL, m->length, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	m->pages =
		mmap(NULL, PAGES_HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->words == MAP_FAILED || m->pages == MAP_FAILED)
		return false;
	madvise(m->pages, PAGES_HELD, MADV_NOHUGEPAGE);
	memory_fill(m->pages, PAGES_HELD);
	memory_fill(m->words, m->length);
	return true;
}

bool free_memory_unchanged(struct free_memory *m)
{
	bool good = memory_unchanged("memory that was free", m->words, m->length);

	good = memory_unchanged("pages that were free", m->pages, PAGES_HELD) && good;
	munmap(m->words, m->length);
	munmap(m->pages, PAGES_HELD);
	return good;
}
