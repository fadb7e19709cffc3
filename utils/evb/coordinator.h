/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coordinators of roc-evb, which --coordinator selects:
 *
 *	static:FILE	a file lists all nodes (static.h); one of them is the manager, and all
 *			others have a connection to it
 *	etcd:URL,...	an etcd of the site: a lease makes a node a member, watches deliver
 *			members and tables
 *
 * In a node with the role ROC_EVB_MANAGER the manager runs inside the coordinator. With static: the
 * file names the manager. With etcd: the first candidate becomes the manager, the others stand by.
 */
#ifndef ROC_UTILS_EVB_COORDINATOR_H
#define ROC_UTILS_EVB_COORDINATOR_H

#include <roc/evb.h>
#include <roc/evb_manager.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * The manager inside a coordinator. The coordinator passes it members and reports. The manager
 * returns the table that is to be published, and logs its decisions.
 */

struct manage {
	struct roc_evb_manager *m; /* NULL: this node is not the manager */
	struct roc_evb_table next;
	uint64_t term, stepped;
	void (*log)(void *self, const char *message);
	void *log_self;
};

/* Become the manager. @last: the newest known table, epoch 0 if there is none. 0, or -errno. */
int manage_begin(struct manage *m, const struct roc_evb_manager_config *cfg, uint64_t term,
		 const struct roc_evb_table *last);
void manage_end(struct manage *m);
/* A table that is to be published, or NULL. After success call manage_published(). */
const struct roc_evb_table *manage_step(struct manage *m, uint64_t now);
void manage_published(struct manage *m);
/* A node has a table of an earlier manager: continue from it. */
void manage_found(struct manage *m, const struct roc_evb_table *table);

/*
 * State of the system as one node has it: members, the newest table, and whether the coordinator
 * can be reached. Coordinators put in what they receive. Each change is returned once as news.
 */

#define EVB_MEMBERS_MAX (2 * ROC_EVB_NODES_MAX)
#define EVB_MESSAGE_MAX 256

struct evb_view {
	struct roc_evb_member members[EVB_MEMBERS_MAX];
	unsigned int member_count;
	struct roc_evb_table table; /* epoch 0: no table yet */
	char leader[ROC_EVB_NAME];
	bool lost;
	uint64_t refused;  /* number of tables that were older than the one before */
	unsigned int news; /* bit per enum roc_evb_what */
	char text[ROC_EVB_OUT + 1][EVB_MESSAGE_MAX];
};

/* Set all members. */
void evb_view_members(struct evb_view *v, const struct roc_evb_member *members, unsigned int count);
/* Set the table: 0; -ESTALE: @table is older than the present one. It is counted and not used. */
int evb_view_table(struct evb_view *v, const struct roc_evb_table *table);
/*
 * The coordinator @by has @table, which is older than ours, because it lost its data. A member
 * (@joins) joins again, a watcher uses the table.
 */
void evb_view_older(struct evb_view *v, const struct roc_evb_table *table, bool joins,
		    const char *by);
/* A table of an earlier run: the manager continues from its numbers, no node uses it. */
void evb_view_found(struct evb_view *v, const struct roc_evb_table *table);
void evb_view_leader(struct evb_view *v, const char *name);
/* Contact was lost, is back, or the node is out. Repeated calls are reported once. */
void evb_view_lost(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void evb_view_back(struct evb_view *v);
void evb_view_out(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Implement poll() of a coordinator: 1 news, 0 none. */
int evb_view_poll(struct evb_view *v, struct roc_evb_news *news);

struct evb_coordinator_config {
	const char *text;   /* argument of --coordinator */
	const char *system; /* NULL: the system in the file, "roc" with etcd */
	const char *name;   /* of this node; NULL: a watcher */
	uint64_t lease_ns;  /* etcd only; static uses lease-ms of the file */
	/* Static uses the policy, the seed and the minimum numbers of nodes of the file. */
	struct roc_evb_manager_config manager;
	void (*log)(void *self, const char *message);
	void *log_self;
};

/* Called with the newest status line of a node. */
typedef void evb_status_fn(void *self, const char *name, const char *line);

struct evb_coordinator {
	const struct roc_evb_coordinator_ops *ops;
	void *self;
	/* This node as the file describes it; zero with etcd. */
	struct roc_evb_member me;
	char system[ROC_EVB_NAME];
	uint64_t lease_ns;
	const struct evb_view *view;
	const struct manage *manage; /* NULL: this node is never the manager */
	/* Publish the status line of this node for watchers. */
	void (*status)(void *self, const char *line, size_t length);
	/* Call @fn with the newest status line of each node; for a watcher. */
	void (*statuses)(void *self, evb_status_fn *fn, void *fn_self);
	void (*close)(void *self);
};

/* 0, or -errno with the reason. -EINVAL: the option or the file is wrong. */
int evb_coordinator_open(const struct evb_coordinator_config *cfg, struct evb_coordinator *c,
			 char reason[ROC_EVB_REASON]);
void evb_coordinator_close(struct evb_coordinator *c);

/* Get the readout units if this node is the manager now: their number, at most @room. */
unsigned int evb_coordinator_units(const struct evb_coordinator *c, struct roc_evb_unit *units,
				   unsigned int room);

/* The types of coordinators. @where: the text behind the colon. */
int evb_coordinator_static(const struct evb_coordinator_config *cfg, const char *where,
			   struct evb_coordinator *c, char reason[ROC_EVB_REASON]);
int evb_coordinator_etcd(const struct evb_coordinator_config *cfg, const char *where,
			 struct evb_coordinator *c, char reason[ROC_EVB_REASON]);

/*
 * Members, tables and reports as JSON, the form in which coordinators store and send them. Readers
 * check a record completely (sizes, names, numbers) before they return any part of it.
 */

struct json_object;

#define EVB_STATUS_MAX 4096 /* bytes of the status line of a node, for watchers */

/* NULL: out of memory. */
struct json_object *evb_member_record(const struct roc_evb_member *m);
struct json_object *evb_table_record(const struct roc_evb_table *t);
struct json_object *evb_report_record(const struct roc_evb_report *r);

/* 0, or -EINVAL with the reason. */
int evb_member_read(struct json_object *record, struct roc_evb_member *m,
		    char reason[ROC_EVB_REASON]);
int evb_table_read(struct json_object *record, struct roc_evb_table *t,
		   char reason[ROC_EVB_REASON]);
int evb_report_read(struct json_object *record, struct roc_evb_report *r,
		    char reason[ROC_EVB_REASON]);

/* Names in options and files. */
extern const char *const evb_policies[ROC_EVB_POLICIES + 1];
extern const char *const evb_roles[4]; /* names of the bits, from the lowest */

/*
 * The values of a status line (node_report.h) that roc-evb watch shows.
 */

struct watch_line {
	uint64_t time;			  /* CLOCK_REALTIME ns */
	uint64_t in, sent, received, out; /* bytes per second */
	uint64_t blocks;		  /* per second, to the sink */
	uint64_t p99_ns;
	uint64_t queue, open_blocks, free_segments, all_segments;
	uint64_t incomplete, dropped;
};

/* False: @text is not a JSON object. Values that are not in it are 0. */
bool watch_line_read(const char *text, struct watch_line *line);

#endif
