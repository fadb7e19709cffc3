// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NUMA nodes, read by hand: four files a node. hwloc would know them too, but neither modules of
 * memory nor huge pages by node, and it wants a whole machine in a copied tree.
 */
#include "numa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES "sys/devices/system/node"

static int read_hugepages(const struct tree *t, struct numa_node *node)
{
	struct tree_names sizes;
	unsigned long long kib;
	long long all, unused;
	size_t i;
	int err;

	err = tree_list(t, &sizes, NODES "/node%d/hugepages", node->number);
	for (i = 0; !err && i < sizes.count; i++) {
		if (sscanf(sizes.name[i], "hugepages-%llukB", &kib) != 1 || kib > 1ull << 40)
			continue;
		err = tree_number(t, &all, NODES "/node%d/hugepages/%s/nr_hugepages", node->number,
				  sizes.name[i]);
		if (!err)
			err = tree_number(t, &unused, NODES "/node%d/hugepages/%s/free_hugepages",
					  node->number, sizes.name[i]);
		if (!err && (all < 0 || all > 1 << 30 || unused < 0 || unused > all))
			err = -EINVAL;
		if (err)
			break;
		node->huge += (uint64_t)all * kib * 1024;
		node->huge_free += (uint64_t)unused * kib * 1024;
	}
	free(sizes.name);
	/* A kernel without huge pages has none. */
	return err == -ENOENT ? 0 : err;
}

static int read_node(const struct tree *t, const char *name, struct numa_node *node)
{
	char text[TREE_TEXT_MAX];
	long long socket;
	int err, first;

	*node = (struct numa_node){.number = atoi(name + strlen("node")), .socket = -1};
	err = tree_text(t, text, sizeof(text), NODES "/%s/cpulist", name);
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
	node->huge_err = read_hugepages(t, node);
	return 0;
}

int numa_read(const struct tree *t, struct numa *numa)
{
	struct tree_names names;
	size_t i, digits;
	int err;

	*numa = (struct numa){.count = 0};
	err = tree_list(t, &names, NODES);
	for (i = 0; !err && i < names.count && numa->count < NUMA_NODES; i++) {
		if (strncmp(names.name[i], "node", 4))
			continue;
		digits = strspn(names.name[i] + 4, "0123456789");
		if (digits < 1 || digits > 4 || names.name[i][4 + digits])
			continue;
		err = read_node(t, names.name[i], &numa->node[numa->count]);
		if (!err)
			numa->count++;
	}
	free(names.name);
	return err;
}

const struct numa_node *numa_find(const struct numa *numa, int number)
{
	size_t i;

	for (i = 0; i < numa->count; i++)
		if (numa->node[i].number == number)
			return &numa->node[i];
	return NULL;
}
