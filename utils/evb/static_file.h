/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: the file of --coordinator static:FILE. A section for the system, and one for each node:
 *
 *	[system]
 *	name = testbed
 *	policy = barrel-shift	; round-robin, barrel-shift, random, least-loaded
 *	seed = 1		; of random
 *	readouts = 2		; readout units that the first table waits for
 *	builders = 2		; and builders
 *	lease-ms = 2000		; who is silent for so long is gone
 *
 *	[node1]
 *	roles = readout builder manager
 *	host = 10.0.0.1
 *	port = 9880		; where its builder unit listens; 0 or missing: any that is free
 *	manager-port = 9879	; where the manager listens, who is one of the nodes
 */
#ifndef ROC_UTILS_EVB_STATIC_FILE_H
#define ROC_UTILS_EVB_STATIC_FILE_H

#include "view.h"

#define EVB_MANAGER_PORT "9879"

struct evb_static_node {
	struct roc_evb_member m;
	char manager_port[ROC_EVB_PORT];
	unsigned int line;
};

struct evb_static_file {
	char system[ROC_EVB_NAME];
	unsigned int policy;
	uint64_t seed, lease_ms;
	uint64_t readouts, builders;
	struct evb_static_node *nodes;
	unsigned int count;
	const struct evb_static_node *manager;
};

/* Read and looked at as a whole. 0, or -errno with a sentence that has file and line. */
int evb_static_read(const char *path, struct evb_static_file *f, char why[ROC_EVB_WHY]);
void evb_static_free(struct evb_static_file *f);
/* NULL: it names no such node. */
const struct evb_static_node *evb_static_find(const struct evb_static_file *f, const char *name);

#endif
