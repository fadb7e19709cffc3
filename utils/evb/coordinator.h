/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: coordinators, by what --coordinator says:
 *
 *	static:FILE	nodes are known beforehand (static.h); the manager is one of them, and
 *			all others have a connection to it
 *	etcd:URL,...	an etcd of the site: leases are membership, watches tell of members and
 *			tables
 *
 * A node of the role ROC_EVB_MANAGER has the manager inside of its coordinator: with static: it is
 * the one that the file names, with etcd: whoever comes first, the others stand by.
 */
#ifndef ROC_UTILS_EVB_COORDINATOR_H
#define ROC_UTILS_EVB_COORDINATOR_H

#include <roc/evb.h>
#include <roc/evb_manager.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * roc-evb: the manager beside a coordinator: gets what that hears, and says which table is to be
 * published, and to people what it decided.
 */

struct manage {
	struct roc_evb_manager *m; /* NULL: this one is not the manager */
	struct roc_evb_table next;
	uint64_t term, stepped;
	void (*log)(void *self, const char *sentence);
	void *log_self;
};

/* Become the manager. @last: the newest table that is known, epoch 0 if there is none. */
int manage_begin(struct manage *m, const struct roc_evb_manager_config *cfg, uint64_t term,
		 const struct roc_evb_table *last);
void manage_end(struct manage *m);
/* A table that is to be published; NULL: none. manage_published() when that went well. */
const struct roc_evb_table *manage_step(struct manage *m, uint64_t now);
void manage_published(struct manage *m);
/* What others had from a manager before may be newer than what we know. */
void manage_found(struct manage *m, const struct roc_evb_table *table);

/*
 * What a node knows of its system: members, the newest table, and whether their source can be
 * reached. Coordinators put in what they hear; changes come out as news, once each.
 */

#define EVB_MEMBERS_MAX (2 * ROC_EVB_NODES_MAX)
#define EVB_SENTENCE 256

struct evb_view {
	struct roc_evb_member members[EVB_MEMBERS_MAX];
	unsigned int member_count;
	struct roc_evb_table table; /* epoch 0: there is none */
	char leader[ROC_EVB_NAME];
	bool lost;
	uint64_t refused;  /* tables that are older than the one before */
	unsigned int news; /* bit per enum roc_evb_what */
	char text[ROC_EVB_OUT + 1][EVB_SENTENCE];
};

/* All members there are. */
void evb_view_members(struct evb_view *v, const struct roc_evb_member *members, unsigned int count);
/* 0; -ESTALE: it is older than ours, and counted: nothing is taken over. */
int evb_view_table(struct evb_view *v, const struct roc_evb_table *table);
/*
 * @by has this table, which is older than ours: it lost its data. A member (@joins) joins anew, a
 * watcher takes the table.
 */
void evb_view_older(struct evb_view *v, const struct roc_evb_table *table, bool joins,
		    const char *by);
/* A table of the members before: the manager goes on from it, and no node follows it. */
void evb_view_found(struct evb_view *v, const struct roc_evb_table *table);
void evb_view_leader(struct evb_view *v, const char *name);
/* Each sentence is reported once, however often it happens. */
void evb_view_lost(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void evb_view_back(struct evb_view *v);
void evb_view_out(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 1 news, 0 none: a coordinator's poll(). */
int evb_view_poll(struct evb_view *v, struct roc_evb_news *news);

struct evb_coordinator_config {
	const char *text;   /* of --coordinator */
	const char *system; /* NULL: the file's, "roc" with etcd */
	const char *name;   /* of this node; NULL: it only watches */
	uint64_t lease_ns;  /* etcd; with static: the file's counts */
	/* With static: policy, seed and how many are waited for are the file's. */
	struct roc_evb_manager_config manager;
	void (*log)(void *self, const char *sentence);
	void *log_self;
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
			 char reason[ROC_EVB_REASON]);
void evb_coordinator_close(struct evb_coordinator *c);

/* Readout units, if this node is the manager now: how many, at most @room. */
unsigned int evb_coordinator_units(const struct evb_coordinator *c, struct roc_evb_unit *units,
				   unsigned int room);

/* The kinds. @where: what comes behind the colon. */
int evb_coordinator_static(const struct evb_coordinator_config *cfg, const char *where,
			   struct evb_coordinator *c, char reason[ROC_EVB_REASON]);
int evb_coordinator_etcd(const struct evb_coordinator_config *cfg, const char *where,
			 struct evb_coordinator *c, char reason[ROC_EVB_REASON]);

/*
 * roc-evb: members, tables and reports as JSON, in which coordinators keep and carry them. What is
 * read is looked at as a whole before anything of it is believed: sizes, names, numbers.
 */

struct json_object;

#define EVB_STATUS_MAX 4096 /* of a node's line, of which watchers get the newest */

/* NULL: no memory. */
struct json_object *evb_member_record(const struct roc_evb_member *m);
struct json_object *evb_table_record(const struct roc_evb_table *t);
struct json_object *evb_report_record(const struct roc_evb_report *r);

/* 0, or -EINVAL with a sentence. */
int evb_member_read(struct json_object *record, struct roc_evb_member *m,
		    char reason[ROC_EVB_REASON]);
int evb_table_read(struct json_object *record, struct roc_evb_table *t,
		   char reason[ROC_EVB_REASON]);
int evb_report_read(struct json_object *record, struct roc_evb_report *r,
		    char reason[ROC_EVB_REASON]);

/* Names, for options and files. */
extern const char *const evb_policies[ROC_EVB_POLICIES + 1];
extern const char *const evb_roles[4]; /* of the bits, from the lowest */

/*
 * roc-evb watch: what it shows of a node's line (node_report.h).
 */

struct watch_line {
	uint64_t time;			  /* CLOCK_REALTIME ns */
	uint64_t in, sent, received, out; /* bytes a second */
	uint64_t blocks;		  /* a second, to the sink */
	uint64_t p99_ns;
	uint64_t queue, open_blocks, free_segments, all_segments;
	uint64_t incomplete, dropped;
};

/* False: it is none. What is not in it is 0. */
bool watch_line_read(const char *text, struct watch_line *line);

#endif
