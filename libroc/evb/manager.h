/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager, inside: what its files share. Calls go down this list:
 *
 *	manager.c		the next table, and the block that it holds from
 *	manager_places.c	who has a place in it
 *	manager_judge.c		whom the others speak against
 *	manager_time.c		whose clock or position contradicts the majority
 *	manager_nodes.c		who is there, and what they reported
 *	fit.c, ahead.c		who can be together; how far the system is
 */
#ifndef LIBROC_EVB_MANAGER_H
#define LIBROC_EVB_MANAGER_H

#include <roc/evb_manager.h>

#include "ahead.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define FRESH_NS (3 * SECOND) /* a report that is older says nothing of now */
#define MESSAGES 32
#define NODES (2 * ROC_EVB_NODES_MAX) /* each may have one role only */
#define WEIGHT_FULL 1000
#define MANAGER_CLOCKS 4 /* of its last reports */

struct suspicion {
	char name[ROC_EVB_NAME];
	uint64_t incarnation, since;
	uint32_t stale;
	bool gone, protocol_error, early;
};

struct node {
	struct roc_evb_member m;
	bool alive;
	uint32_t unfit; /* roles in which it is left out, which was said */
	enum roc_evb_state state;
	uint64_t came, in_since, entered; /* entered: a table */
	bool met;			  /* since then, by all who work with it */
	uint64_t until, backoff;	  /* out until; how long the last time */
	/* Of its last report. */
	bool reported, packs, built, ended;
	bool moved;		  /* it packs, and has packed since it came */
	uint64_t epoch;		  /* of the table that it had */
	uint64_t at, block, rate; /* when; the newest, and so many a second */
	struct evb_track track;
	uint64_t built_block;
	uint32_t weight;
	struct suspicion suspects[ROC_EVB_SUSPECTS];
	unsigned int suspect_count;
	/* Of manager_time.c. */
	int64_t clocks[MANAGER_CLOCKS]; /* CLOCK_REALTIME less ours */
	unsigned int clock_count;
	bool clock_known, clock_wrong; /* beside the majority */
	int64_t clock_ahead;
	bool deviation_known;
	int64_t deviation; /* blocks ahead of the majority */
	uint64_t deviates_since;
	bool by_clock; /* it was taken out with a wrong clock */
};

struct roc_evb_manager {
	struct roc_evb_manager_config cfg;
	struct node node[NODES];
	unsigned int count;
	struct roc_evb_table table; /* holds; epoch 0: there is none */
	uint64_t tried;		    /* the last epoch that was given out */
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

/* What was told last may be of a moment after that of the step. */
static inline uint64_t evb_manager_passed(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* Of manager_nodes.c */
void evb_manager_log(struct roc_evb_manager *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct node *evb_manager_find(const struct roc_evb_manager *m, const char *name);
/* Where a table has somebody, -1. */
int evb_manager_index(const struct roc_evb_table *t, const char *name, bool builder);
void evb_manager_note_clock(struct node *n, uint64_t clock, uint64_t now);
/* It is out from now on, each time for twice as long. */
void evb_manager_back_off(const struct roc_evb_manager *m, struct node *n, uint64_t now);

/* Of manager_judge.c */
void evb_manager_exclude(struct roc_evb_manager *m, uint64_t now);
void evb_manager_readmit(struct roc_evb_manager *m, uint64_t now);

/* Of manager_time.c */
void evb_manager_judge_time(struct roc_evb_manager *m, uint64_t now);
/* Has its process a place in the table? */
bool evb_manager_has_place(const struct roc_evb_manager *m, const struct node *n, bool builder);
/* It is not let in as a readout unit, for its clock. */
bool evb_manager_refuses(const struct roc_evb_manager *m, const struct node *n, uint64_t now);
/* Does a unit that is out for its position agree again? */
bool evb_manager_agrees(const struct roc_evb_manager *m, const struct node *n, uint64_t now);
/* Is it so far ahead that its blocks come too early? */
bool evb_manager_is_early(const struct roc_evb_manager *m, const struct node *n);
/* Positions of all that pack blocks; their number, at most NODES. */
unsigned int evb_manager_positions(const struct roc_evb_manager *m, uint64_t now,
				   struct evb_position *p);
void evb_manager_majority(const struct roc_evb_manager *m, struct evb_position *p,
			  unsigned int count, struct evb_majority *most);

/* Of manager_places.c */
void evb_manager_fill(struct roc_evb_manager *m, struct roc_evb_table *t, uint64_t now);
/* Is somebody of the table still there? Else it is of a run before, and all begins anew. */
bool evb_manager_runs(const struct roc_evb_manager *m);
/* Are they tables of others; do they have other weights? */
bool evb_manager_others(const struct roc_evb_table *a, const struct roc_evb_table *b);
bool evb_manager_other_weights(const struct roc_evb_table *a, const struct roc_evb_table *b);

/* fit.c: who can be in a table together: each node is made for so many of the other role. */
#define EVB_FIT_ITSELF UINT32_MAX

struct evb_fit {
	uint32_t who;	/* for the caller */
	uint32_t peers; /* that it is made for; 0: any number */
	bool holds;	/* it has its place already */
	bool fits;	/* the answer */
	uint32_t limit; /* if not: index of the one that it is too many for, or EVB_FIT_ITSELF */
};

/* Both in the order in which they are preferred. Who holds a place keeps it. */
void evb_fit(struct evb_fit *rus, unsigned int ru_count, struct evb_fit *bus,
	     unsigned int bu_count);

#endif
