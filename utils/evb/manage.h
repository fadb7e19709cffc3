/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: the manager beside a coordinator: gets what that hears, and says which table is to be
 * published, and to people what it decided.
 */
#ifndef ROC_UTILS_EVB_MANAGE_H
#define ROC_UTILS_EVB_MANAGE_H

#include <roc/evb_manager.h>

struct manage {
	struct roc_evb_manager *m; /* NULL: this one is not the manager */
	struct roc_evb_table next;
	uint64_t term, stepped;
	void (*say)(void *self, const char *sentence);
	void *say_self;
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

#endif
