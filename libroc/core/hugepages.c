// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the kernel's hugepage pools, and describe a pool that is too small. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <numa.h>

#include "libroc.h"

#define NODES_SHOWN 8

static void pool_path(char *path, size_t size, int node, size_t page_size, const char *file)
{
	char where[48] = "/sys/kernel/mm";

	if (node >= 0)
		snprintf(where, sizeof(where), "/sys/devices/system/node/node%d", node);
	snprintf(path, size, "%s/hugepages/hugepages-%zukB/%s", where, page_size >> 10, file);
}

static int read_number(const char *path, unsigned long *value)
{
	FILE *f = fopen(path, "re");
	int n;

	if (!f)
		return -ENOENT;
	n = fscanf(f, "%lu", value);
	fclose(f);
	return n == 1 ? 0 : -EIO;
}

int libroc_hugepages(int node, size_t page_size, unsigned long *total, unsigned long *nr_free)
{
	char path[128];
	int ret;

	pool_path(path, sizeof(path), node, page_size, "nr_hugepages");
	ret = read_number(path, total);
	if (ret)
		return ret;
	pool_path(path, sizeof(path), node, page_size, "free_hugepages");
	return read_number(path, nr_free);
}

const char *libroc_size_text(size_t size, char *text, size_t text_size)
{
	static const struct {
		unsigned int shift;
		const char *name;
	} units[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (size && !(size & ((1UL << units[i].shift) - 1))) {
			snprintf(text, text_size, "%zu %s", size >> units[i].shift, units[i].name);
			return text;
		}
	}
	snprintf(text, text_size, "%zu bytes", size);
	return text;
}

/* "node 0 has 3 of 16 free, node 1 has 0 of 0 free" */
static void pools_text(size_t page_size, char *text, size_t size)
{
	int last = numa_available() < 0 ? -1 : numa_max_node();
	unsigned long total, nr_free;
	size_t used = 0;
	int node, shown = 0;

	text[0] = '\0';
	for (node = 0; node <= last && shown < NODES_SHOWN; node++) {
		if (libroc_hugepages(node, page_size, &total, &nr_free))
			continue;
		used += snprintf(text + used, size - used, "%snode %d has %lu of %lu free",
				 shown ? ", " : "", node, nr_free, total);
		shown++;
	}
	if (!shown && !libroc_hugepages(-1, page_size, &total, &nr_free))
		snprintf(text, size, "%lu of %lu are free", nr_free, total);
}

int libroc_fail_hugepages(size_t length, size_t page_size, int node)
{
	unsigned long need = (length + page_size - 1) / page_size;
	unsigned long total, nr_free;
	char requested[32], page[32];
	char where[40] = "";
	char pools[NODES_SHOWN * 48];
	char path[128];

	libroc_size_text(length, requested, sizeof(requested));
	libroc_size_text(page_size, page, sizeof(page));
	if (node >= 0)
		snprintf(where, sizeof(where), " on NUMA node %d", node);
	if (libroc_hugepages(node, page_size, &total, &nr_free))
		return roc_fail(
			ENOMEM,
			"cannot allocate %s of hugepages%s: this kernel has no hugepages of %s: allow plain pages (needs an IOMMU)",
			requested, where, page);
	pools_text(page_size, pools, sizeof(pools));
	if (nr_free >= need)
		return roc_fail(
			ENOMEM,
			"cannot allocate %s of hugepages%s: the %lu pages of %s are free (%s) but reserved by other programs or denied by the hugetlb or cpuset cgroup: end those programs, reserve more pages, or raise the cgroup's limit",
			requested, where, need, page, pools);
	pool_path(path, sizeof(path), node, page_size, "nr_hugepages");
	return roc_fail(
		ENOMEM,
		"cannot allocate %s of hugepages%s: %lu pages of %s are needed, and %s; reserve them: echo %lu | sudo tee %s",
		requested, where, need, page, pools, total + need - nr_free, path);
}
