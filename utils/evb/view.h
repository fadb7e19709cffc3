/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: what a node knows of its system: members, the newest table, and whether who tells it can
 * be reached. Coordinators put in what they hear; what is new of it comes out as news, once each.
 */
#ifndef ROC_UTILS_EVB_VIEW_H
#define ROC_UTILS_EVB_VIEW_H

#include <roc/evb.h>

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
/* What was left by those of before: the manager goes on from it, and nobody follows it. */
void evb_view_found(struct evb_view *v, const struct roc_evb_table *table);
void evb_view_leader(struct evb_view *v, const char *name);
/* Sentences are said once, however often it happens. */
void evb_view_lost(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void evb_view_back(struct evb_view *v);
void evb_view_out(struct evb_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 1 news, 0 none: a coordinator's poll(). */
int evb_view_poll(struct evb_view *v, struct roc_evb_news *news);

#endif
