/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal structures of the manager, and the functions of its files. Calls go down this list:
 *
 *	manager.c		the next table, and its first block
 *	manager_places.c	members of the next table
 *	manager_judge.c		excludes members that the others suspect
 *	manager_time.c		members whose clock or position deviates from the majority
 *	manager_nodes.c		present members and their reports
 *	fit.c, ahead.c		sizes of members; positions of readout units
 */
#ifndef LIBROC_EVB_MANAGER_H
#define LIBROC_EVB_MANAGER_H

#include <roc/evb_manager.h>

#include "ahead.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define FRESH_NS (3 * SECOND) /* an older report is ignored */
#define MESSAGES 32
#define NODES (2 * ROC_EVB_NODES_MAX) /* each node may have only one role */
#define WEIGHT_FULL 1000
#define MANAGER_CLOCKS 4 /* clocks kept per node */

struct suspicion {
	char name[ROC_EVB_NAME];
	uint64_t incarnation, since;
	uint32_t stale;
	bool gone, protocol_error, early;
};

struct node {
	struct roc_evb_member m;
	bool alive;
	uint32_t unfit; /* roles for which it was logged that it does not fit */
	enum roc_evb_state state;
	uint64_t came, in_since, entered; /* entered: joined a table */
	bool connected;		 /* all its peers have reported a connection since @entered */
	uint64_t until, backoff; /* end of the exclusion; its last duration */
	/* From its last report. */
	bool reported, packs, built, ended;
	bool moved;		  /* it packs blocks, and has packed some since it came */
	uint64_t epoch;		  /* epoch of its table */
	uint64_t at, block, rate; /* time, newest block, blocks per second */
	struct evb_track track;
	uint64_t built_block;
	uint32_t weight;
	struct suspicion suspects[ROC_EVB_SUSPECTS];
	unsigned int suspect_count;
	/* Of manager_time.c. */
	int64_t clocks[MANAGER_CLOCKS]; /* CLOCK_REALTIME of the node minus ours */
	unsigned int clock_count;
	bool clock_known, clock_wrong; /* compared with the majority */
	int64_t clock_ahead;
	bool deviation_known;
	int64_t deviation; /* blocks ahead of the majority */
	uint64_t deviates_since;
	bool by_clock; /* it was excluded with a wrong clock */
};

struct roc_evb_manager {
	struct roc_evb_manager_config cfg;
	struct node node[NODES];
	unsigned int count;
	struct roc_evb_table table; /* valid table; epoch 0: none */
	uint64_t tried;		    /* newest epoch that was used */
	uint64_t tabled, weighed, judged, compared;
	struct evb_majority most;
	bool clocks_known, clocks_logged, spread_logged;
	char message[MESSAGES][256];
	unsigned int written, read;
};

/* A wrong position concerns the readout unit only. */
static inline bool evb_manager_is_out(const struct node *n, bool builder)
{
	return n->state != ROC_EVB_STATE_IN && !(builder && n->state == ROC_EVB_STATE_TIME);
}

/* Return the time since @then, 0 if @then is later: a report can be newer than the step's clock. */
static inline uint64_t evb_manager_passed(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* Of manager_nodes.c */
void evb_manager_log(struct roc_evb_manager *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct node *evb_manager_find(const struct roc_evb_manager *m, const char *name);
/* Return the index of a node in a table, -1: it is not there. */
int evb_manager_index(const struct roc_evb_table *t, const char *name, bool builder);
void evb_manager_note_clock(struct node *n, uint64_t clock, uint64_t now);
/* Exclude a node from now on, each time for twice as long. */
void evb_manager_back_off(const struct roc_evb_manager *m, struct node *n, uint64_t now);

/* Of manager_judge.c */
void evb_manager_exclude(struct roc_evb_manager *m, uint64_t now);
void evb_manager_readmit(struct roc_evb_manager *m, uint64_t now);

/* Of manager_time.c */
void evb_manager_judge_time(struct roc_evb_manager *m, uint64_t now);
/* Return true if the node's process is in the table. */
bool evb_manager_has_place(const struct roc_evb_manager *m, const struct node *n, bool builder);
/* Return true if the node must not become a readout unit because of its clock. */
bool evb_manager_clock_refused(const struct roc_evb_manager *m, const struct node *n, uint64_t now);
/* Return true if a unit that was excluded for its position agrees with the majority again. */
bool evb_manager_agrees(const struct roc_evb_manager *m, const struct node *n, uint64_t now);
/* Return true if the unit is so far ahead that its blocks arrive too early. */
bool evb_manager_is_early(const struct roc_evb_manager *m, const struct node *n);
/* Get the positions of all nodes that pack blocks. Return their number, at most NODES. */
unsigned int evb_manager_positions(const struct roc_evb_manager *m, uint64_t now,
				   struct evb_position *p);
void evb_manager_majority(const struct roc_evb_manager *m, struct evb_position *p,
			  unsigned int count, struct evb_majority *most);

/* Of manager_places.c */
void evb_manager_fill(struct roc_evb_manager *m, struct roc_evb_table *t, uint64_t now);
/* Return true if a member of the table is present. Else the table is of a previous run. */
bool evb_manager_runs(const struct roc_evb_manager *m);
/* Return true if the tables have different members, or different weights. */
bool evb_manager_members_differ(const struct roc_evb_table *a, const struct roc_evb_table *b);
bool evb_manager_weights_differ(const struct roc_evb_table *a, const struct roc_evb_table *b);

/* fit.c: which nodes can be in a table together. Each node supports a number of peers. */
#define EVB_FIT_ITSELF UINT32_MAX

struct evb_fit {
	uint32_t index; /* of the node, for the caller */
	uint32_t peers; /* supported number; 0: any */
	bool in_table;	/* it is in the current table */
	bool fits;	/* result */
	/* Not fitting: index of the node whose limit it exceeds, or EVB_FIT_ITSELF. */
	uint32_t limit;
};

/*
 * Choose the nodes of a table. Both arrays are in order of preference. Holders keep their places.
 */
void evb_fit(struct evb_fit *rus, unsigned int ru_count, struct evb_fit *bus,
	     unsigned int bu_count);

#endif
