// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read NUMA nodes from four files per node. hwloc has neither memory modules nor huge pages per
 * node, and needs the files of a complete machine in a copied tree.
 */
#include "machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES "sys/devices/system/node"

static int read_hugepages(const struct tree *t, const char *folder, struct numa_node *node)
{
	struct tree_names sizes;
	unsigned long long kib;
	long long all, unused;
	size_t i;
	int err;

	err = tree_list(t, &sizes, "%s", folder);
	for (i = 0; !err && i < sizes.count; i++) {
		if (sscanf(sizes.name[i], "hugepages-%llukB", &kib) != 1 || kib > 1ull << 40)
			continue;
		err = tree_number(t, &all, "%s/%s/nr_hugepages", folder, sizes.name[i]);
		if (!err)
			err = tree_number(t, &unused, "%s/%s/free_hugepages", folder,
					  sizes.name[i]);
		if (!err && (all < 0 || all > 1 << 30 || unused < 0 || unused > all))
			err = -EINVAL;
		if (err)
			break;
		node->huge += (uint64_t)all * kib * 1024;
		node->huge_free += (uint64_t)unused * kib * 1024;
	}
	free(sizes.name);
	/* A kernel without huge pages does not have the folder. */
	return err == -ENOENT ? 0 : err;
}

static int read_node(const struct tree *t, int number, const char *cpulist, const char *hugepages,
		     struct numa_node *node)
{
	char text[TREE_TEXT_MAX];
	long long socket;
	int err, first;

	*node = (struct numa_node){.number = number, .socket = -1};
	err = tree_text(t, text, sizeof(text), "%s", cpulist);
	if (!err)
		err = tree_set_read(text, &node->cpus);
	if (err)
		return err;
	first = tree_set_first(&node->cpus);
	node->has_cpus = first >= 0;
	if (node->has_cpus &&
	    !tree_number(t, &socket, "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
			 first) &&
	    socket >= 0 && socket < 1024)
		node->socket = (int)socket;
	node->huge_err = read_hugepages(t, hugepages, node);
	return 0;
}

static int read_only_node(const struct tree *t, struct numa *numa)
{
	int err = read_node(t, 0, "sys/devices/system/cpu/online", "sys/kernel/mm/hugepages",
			    &numa->node[0]);

	numa->count = !err;
	return err;
}

int numa_read(const struct tree *t, struct numa *numa)
{
	char cpulist[64], hugepages[64];
	struct tree_names names;
	size_t i, digits;
	int err;

	*numa = (struct numa){.count = 0};
	err = tree_list(t, &names, NODES);
	if (err == -ENOENT) {
		err = read_only_node(t, numa);
		goto out;
	}
	for (i = 0; !err && i < names.count && numa->count < NUMA_NODES; i++) {
		if (strncmp(names.name[i], "node", 4))
			continue;
		digits = strspn(names.name[i] + 4, "0123456789");
		if (digits < 1 || digits > 4 || names.name[i][4 + digits])
			continue;
		snprintf(cpulist, sizeof(cpulist), NODES "/%.8s/cpulist", names.name[i]);
		snprintf(hugepages, sizeof(hugepages), NODES "/%.8s/hugepages", names.name[i]);
		err = read_node(t, atoi(names.name[i] + 4), cpulist, hugepages,
				&numa->node[numa->count]);
		if (!err)
			numa->count++;
	}
out:
	free(names.name);
	return err;
}

const struct numa_node *numa_find(const struct numa *numa, int number)
{
	size_t i;

	if (number < 0 && numa->count == 1)
		return &numa->node[0];
	for (i = 0; i < numa->count; i++)
		if (numa->node[i].number == number)
			return &numa->node[i];
	return NULL;
}
