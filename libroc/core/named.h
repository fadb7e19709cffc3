/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named channels, inside: what streams and sub-units have in common. Each has a number and a name,
 * and can be queried and set through its own node, or through the endpoint without opening it.
 */
#ifndef LIBROC_NAMED_H
#define LIBROC_NAMED_H

#include "libroc.h"

struct libroc_named_type {
	const char *one, *many; /* for sentences: "stream", "streams" */
	const char *title;	/* before the name of one, in sentences */
	uint32_t cap;		/* of an endpoint that has them */
	const char *lacks;	/* sentence about an endpoint that has none */
	const char *levels;	/* where its levels of reset are */
	const char *mild;	/* of these, those that are for one that is busy */
	const char *busy;	/* why another level may have to wait */
	unsigned long info;	/* request; the structure begins with struct libroc_named_info */
	size_t info_size;
};

/* The first members of struct roc_st_info and struct roc_fr_info. */
struct libroc_named_info {
	uint32_t size, flags, number, state, why, run;
	char name[ROC_TEXT_MAX];
};

#define LIBROC_NAMED_INFO_MAX 512

#define LIBROC_NAMED_INFO(type, its_number)                                                        \
	_Static_assert(sizeof(type) <= LIBROC_NAMED_INFO_MAX, "union any_info is too small");      \
	_Static_assert(offsetof(type, its_number) == offsetof(struct libroc_named_info, number),   \
		       "number");                                                                  \
	_Static_assert(offsetof(type, state) == offsetof(struct libroc_named_info, state),         \
		       "state");                                                                   \
	_Static_assert(offsetof(type, why) == offsetof(struct libroc_named_info, why), "why");     \
	_Static_assert(offsetof(type, name) == offsetof(struct libroc_named_info, name), "name")

/* An open one; the first member of its handle. */
struct libroc_named {
	const struct libroc_named_type *type;
	struct libroc_node node;
	unsigned int number;
	char own[ROC_TEXT_MAX];		   /* its name */
	char name[ROC_CARD_NAME_MAX + 32]; /* of the card and its own, for sentences */
};

/* Where a request goes: the endpoint, or the channel's own node. */
struct libroc_target {
	const struct libroc_named_type *type;
	struct roc_endpoint *ep; /* NULL: the node */
	const struct libroc_node *node;
	const char *name; /* for sentences */
};

static inline struct libroc_target libroc_target_card(const struct libroc_named_type *type,
						      struct roc_endpoint *ep)
{
	return (struct libroc_target){.type = type, .ep = ep, .name = ep->name};
}

static inline struct libroc_target libroc_target_own(const struct libroc_named *c)
{
	return (struct libroc_target){.type = c->type, .node = &c->node, .name = c->name};
}

/*
 * An endpoint with other channels may not know the request (-ENOTTY), as an old module does not
 * know it anywhere. -EOPNOTSUPP, without a sentence: it has none of this type.
 */
int libroc_target_ioctl(const struct libroc_target *t, unsigned long request, void *arg);

/* -EOPNOTSUPP: the sentence. */
int libroc_fail_lacks(const struct libroc_named_type *type, const char *name);
/* How a request about number @number failed, where it has no sentence of its own. */
int libroc_fail_target(const struct libroc_target *t, int err, unsigned int number,
		       const char *what);

/* Find @which, a name or a number as text, and open it. @info: as for libroc_named_info(). */
int libroc_named_open(const struct roc_card *card, const char *id, const char *which,
		      const struct libroc_named_type *type, struct libroc_named *c, void *info);
int libroc_named_find(const struct libroc_named_type *type, struct roc_endpoint *ep,
		      const char *which, unsigned int *number);

/* Its info, of the type's size; untouched after an error, which has its sentence. */
int libroc_named_info(const struct libroc_target *t, unsigned int number, void *info);
/* Of ROC_ST_STOP, ROC_FR_STOP. */
int libroc_named_stop(const struct libroc_named *c, unsigned long request, void *arg);
/* Of ROC_ST_RESET, ROC_FR_RESET: @arg is the type's own structure. */
int libroc_target_reset(const struct libroc_target *t, unsigned long request, void *arg,
			unsigned int number, unsigned int level);
/* How a start by its own node failed. */
int libroc_fail_start(int err, const char *name);

#endif /* LIBROC_NAMED_H */
