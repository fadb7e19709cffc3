/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NUMA nodes of a tree, from sysfs: their processors, sockets and huge pages.
 */
#ifndef ROC_UTILS_NODE_NUMA_H
#define ROC_UTILS_NODE_NUMA_H

#include "tree.h"

#define NUMA_NODES 64

struct numa_node {
	int number;
	struct tree_set cpus;
	bool has_cpus;
	int socket;		  /* of its first processor, -1: not known */
	uint64_t huge, huge_free; /* bytes, of all sizes */
	int huge_err;		  /* they could not be read */
};

struct numa {
	struct numa_node node[NUMA_NODES];
	size_t count;
};

/* A kernel without NUMA has one node, 0, with all processors. */
int numa_read(const struct tree *t, struct numa *numa);
/* The only node for a negative @number, which the kernel may report there. NULL: none. */
const struct numa_node *numa_find(const struct numa *numa, int number);

#endif
