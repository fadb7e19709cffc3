/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named channels, inside: what streams and sub-units have in common. Each has a number and a name.
 * The library queries, sets and resets it through its own node, or through the endpoint without
 * opening it.
 */
#ifndef LIBROC_NAMED_H
#define LIBROC_NAMED_H

#include "libroc.h"

struct libroc_target;

struct libroc_named_type {
	const char *one, *many; /* for sentences: "stream", "streams" */
	const char *title;	/* before the name of one, in sentences */
	uint32_t cap;		/* of an endpoint that has them */
	const char *lacks;	/* sentence about an endpoint that has none */
	const char *levels;	/* where its levels of reset are */
	const char *mild;	/* of these, those that are for one that is busy */
	const char *busy;	/* why another level may have to wait */
	size_t handle_size;	/* of a structure that begins with struct libroc_named */

	/* Requests and the sizes of their structures, which begin as those below. */
	unsigned long info, settings, reset, stop;
	size_t info_size, settings_size;
	size_t settings_zero; /* member of 32 bits that must be 0 on entry */

	/* The sentence about settings that the card refuses; for other errors 0. */
	int (*fail_settings)(const struct libroc_target *t, int err, const void *settings);
};

/* The first members of struct roc_st_info and struct roc_fr_info. */
struct libroc_named_info {
	uint32_t size, flags, number, state, reason, run;
	char name[ROC_TEXT_MAX];
};

/* The first members of struct roc_st_settings and struct roc_fr_settings. */
struct libroc_named_settings {
	uint32_t size, flags, number;
};

/* struct roc_st_reset and struct roc_fr_reset. */
struct libroc_named_reset {
	uint32_t size, flags, number, level;
};

#define LIBROC_NAMED_MAX 512 /* bytes of an info, or of settings */

#define LIBROC_NAMED_MEMBER(type, member, head, its)                                               \
	_Static_assert(offsetof(struct type, member) == offsetof(struct head, its) &&              \
			       sizeof(struct type) <= LIBROC_NAMED_MAX,                            \
		       #type "." #member)
/* The structures of a type begin as those above: @prefix roc_st or roc_fr. */
#define LIBROC_NAMED_LAYOUT(prefix, its_number)                                                    \
	LIBROC_NAMED_MEMBER(prefix##_info, its_number, libroc_named_info, number);                 \
	LIBROC_NAMED_MEMBER(prefix##_info, state, libroc_named_info, state);                       \
	LIBROC_NAMED_MEMBER(prefix##_info, reason, libroc_named_info, reason);                     \
	LIBROC_NAMED_MEMBER(prefix##_info, name, libroc_named_info, name);                         \
	LIBROC_NAMED_MEMBER(prefix##_settings, its_number, libroc_named_settings, number);         \
	LIBROC_NAMED_MEMBER(prefix##_reset, its_number, libroc_named_reset, number);               \
	LIBROC_NAMED_MEMBER(prefix##_reset, level, libroc_named_reset, level);                     \
	_Static_assert(sizeof(struct prefix##_reset) == sizeof(struct libroc_named_reset), "reset")

/* An open channel; the first member of its handle. */
struct libroc_named {
	const struct libroc_named_type *type;
	struct libroc_node node;
	unsigned int number;
	char own[ROC_TEXT_MAX];		   /* its name */
	char name[ROC_CARD_NAME_MAX + 32]; /* of the card and its own, for sentences */
};

/* A channel and where requests about it go: the endpoint, or the channel's own node. */
struct libroc_target {
	const struct libroc_named_type *type;
	struct roc_endpoint *ep; /* NULL: the node */
	const struct libroc_node *node;
	const char *name; /* for sentences */
	unsigned int number;
};

static inline struct libroc_target libroc_target_card(const struct libroc_named_type *type,
						      struct roc_endpoint *ep, unsigned int number)
{
	return (struct libroc_target){.type = type, .ep = ep, .name = ep->name, .number = number};
}

static inline struct libroc_target libroc_target_own(const struct libroc_named *c)
{
	return (struct libroc_target){
		.type = c->type, .node = &c->node, .name = c->name, .number = c->number};
}

/*
 * An endpoint with other channels may not know the request (-ENOTTY), as an old module does not
 * know it anywhere. -EOPNOTSUPP, without a sentence: it has none of this type.
 */
int libroc_target_ioctl(const struct libroc_target *t, unsigned long request, void *arg);

/* -EOPNOTSUPP: the sentence. */
int libroc_fail_lacks(const struct libroc_named_type *type, const char *name);

/*
 * Find @which, a name or a number as text, and open it. @info: as for libroc_named_info().
 * *@c begins a handle of the type's size, the rest of which is 0; free() it after
 * close(c->node.fd).
 */
int libroc_named_open(const struct roc_card *card, const char *id, const char *which,
		      const struct libroc_named_type *type, void *info, struct libroc_named **c);
int libroc_named_find(const struct libroc_named_type *type, struct roc_endpoint *ep,
		      const char *which, unsigned int *number);

/* On an error they set the sentence; @info and @settings, of the type, stay as they were. */
int libroc_named_info(struct libroc_target t, void *info);
int libroc_named_settings(struct libroc_target t, void *settings);
int libroc_named_reset(struct libroc_target t, unsigned int level);
/* @arg: of the type. */
int libroc_named_stop(const struct libroc_named *c, void *arg);
/* How a start by its own node failed. */
int libroc_fail_start(int err, const char *name);

#endif /* LIBROC_NAMED_H */
