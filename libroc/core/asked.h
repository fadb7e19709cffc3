/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What streams and sub-units have in common, inside: both have a number and a name, and can be
 * asked by their own node, or by the endpoint, without being opened.
 */
#ifndef LIBROC_ASKED_H
#define LIBROC_ASKED_H

#include "libroc.h"

struct libroc_kind {
	const char *one, *many; /* for sentences: "stream", "streams" */
	uint32_t cap;		/* of an endpoint that has them */
	const char *lacks;	/* what is said of an endpoint that has none */
	const char *levels;	/* where its levels of reset are */
	const char *mild;	/* of these, those that are for one that is busy */
	const char *busy;	/* why another level may have to wait */
	/* What number @number of a card is called. 0, -ENOENT: there is none, or -errno. */
	int (*name)(struct roc_endpoint *ep, unsigned int number, char name[ROC_TEXT_MAX]);
};

/* Who is asked: the endpoint, or the channel's own node. */
struct libroc_asked {
	const struct libroc_kind *kind;
	struct roc_endpoint *ep; /* NULL: the node */
	const struct libroc_node *node;
	const char *name; /* for sentences */
};

/*
 * An endpoint with other channels may not know the question (-ENOTTY), as an old module does not
 * know it anywhere. -EOPNOTSUPP, without a sentence: it has none of this kind.
 */
int libroc_ask(const struct libroc_asked *a, unsigned long request, void *arg);

/* -EOPNOTSUPP: the sentence. */
int libroc_fail_lacks(const struct libroc_kind *kind, const char *name);
/* What a question about number @number ends with, where it has no sentence of its own. */
int libroc_fail_asked(const struct libroc_asked *a, int err, unsigned int number, const char *what);

/* Of ROC_ST_RESET, ROC_FR_RESET: @arg is the kind's own structure. */
int libroc_reset_asked(const struct libroc_asked *a, unsigned long request, void *arg,
		       unsigned int number, unsigned int level);

/* By its name, or its number as text. */
int libroc_find_named(const struct libroc_kind *kind, struct roc_endpoint *ep, const char *name,
		      unsigned int *number);

/* Why one does not start, by its own node. */
int libroc_fail_start(int err, const char *name);

#endif /* LIBROC_ASKED_H */
