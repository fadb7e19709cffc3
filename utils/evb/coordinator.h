/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: coordinators, by what --coordinator says:
 *
 *	static:FILE	nodes are known beforehand (static_file.h); the manager is one of them, and
 *			all others have a connection to it
 *	etcd:URL,...	an etcd of the site: leases are membership, watches tell of members and
 *			tables
 *
 * A node of the role ROC_EVB_MANAGER has the manager inside of its coordinator: with static: it is
 * the one that the file names, with etcd: whoever comes first, the others stand by.
 */
#ifndef ROC_UTILS_EVB_COORDINATOR_H
#define ROC_UTILS_EVB_COORDINATOR_H

#include "manage.h"
#include "view.h"

struct evb_coordinator_config {
	const char *text;   /* of --coordinator */
	const char *system; /* NULL: the file's, "roc" with etcd */
	const char *name;   /* of this node; NULL: it only watches */
	uint64_t lease_ns;  /* etcd; with static: the file's counts */
	/* With static: policy, seed and how many are waited for are the file's. */
	struct roc_evb_manager_config manager;
	void (*say)(void *self, const char *sentence);
	void *say_self;
};

/* What a watcher sees of a node: its newest line. */
typedef void evb_status_fn(void *self, const char *name, const char *line);

struct evb_coordinator {
	const struct roc_evb_coordinator_ops *ops;
	void *self;
	/* What the coordinator knows of this node before it joined, else zero. */
	struct roc_evb_member me;
	char system[ROC_EVB_NAME];
	uint64_t lease_ns;
	const struct evb_view *view;
	const struct manage *manage; /* NULL: this node is never the manager */
	/* This node's line for watchers. */
	void (*status)(void *self, const char *line, size_t length);
	/* Newest line of each node, for who watches. */
	void (*statuses)(void *self, evb_status_fn *fn, void *fn_self);
	void (*close)(void *self);
};

/* 0, or -errno with a sentence. -EINVAL: what was said of it, here or in its file, is wrong. */
int evb_coordinator_open(const struct evb_coordinator_config *cfg, struct evb_coordinator *c,
			 char why[ROC_EVB_WHY]);
void evb_coordinator_close(struct evb_coordinator *c);

/* Readout units, if this node is the manager now: how many, at most @room. */
unsigned int evb_coordinator_units(const struct evb_coordinator *c, struct roc_evb_unit *units,
				   unsigned int room);

/* The kinds. @where: what comes behind the colon. */
int evb_coordinator_static(const struct evb_coordinator_config *cfg, const char *where,
			   struct evb_coordinator *c, char why[ROC_EVB_WHY]);
int evb_coordinator_etcd(const struct evb_coordinator_config *cfg, const char *where,
			 struct evb_coordinator *c, char why[ROC_EVB_WHY]);

#endif
