/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal interface of named channels, the common part of streams and sub-units. Each has a number
 * and a name. The library queries, sets and resets it through its own node, or through the endpoint
 * without opening it.
 */
#ifndef LIBROC_NAMED_H
#define LIBROC_NAMED_H

#include "libroc.h"

struct libroc_target;

struct libroc_named_type {
	const char *one, *many; /* for error texts: "stream", "streams" */
	const char *title;	/* prefix of a channel's name in error texts */
	uint32_t cap;		/* capability of an endpoint that has such channels */
	const char *lacks;	/* error text for an endpoint that has none */
	const char *levels;	/* enum with the reset levels */
	const char *mild;	/* reset levels that a busy channel allows */
	const char *busy;	/* why other levels fail, with the remedy */
	size_t handle_size;	/* size of the handle, which begins with struct libroc_named */

	/* Ioctl requests and the sizes of their arguments, which begin like the structures below */
	unsigned long info, settings, reset, stop;
	size_t info_size, settings_size;
	size_t settings_zero; /* offset of a 32-bit member that must be 0 on entry */

	/* Set the error text for rejected settings and return -errno; 0 for other errors. */
	int (*fail_settings)(const struct libroc_target *t, int err, const void *settings);
};

/* First members of struct roc_st_info and struct roc_fr_info */
struct libroc_named_info {
	uint32_t size, flags, number, state, reason, run;
	char name[ROC_TEXT_MAX];
};

/* First members of struct roc_st_settings and struct roc_fr_settings */
struct libroc_named_settings {
	uint32_t size, flags, number;
};

/* Layout of struct roc_st_reset and struct roc_fr_reset */
struct libroc_named_reset {
	uint32_t size, flags, number, level;
};

#define LIBROC_NAMED_MAX 512 /* maximum bytes of an info or of settings */

#define LIBROC_NAMED_MEMBER(type, member, head, its)                                               \
	_Static_assert(offsetof(struct type, member) == offsetof(struct head, its) &&              \
			       sizeof(struct type) <= LIBROC_NAMED_MAX,                            \
		       #type "." #member)
/* Check that the structures of a type begin like those above; @prefix: roc_st or roc_fr. */
#define LIBROC_NAMED_LAYOUT(prefix, its_number)                                                    \
	LIBROC_NAMED_MEMBER(prefix##_info, its_number, libroc_named_info, number);                 \
	LIBROC_NAMED_MEMBER(prefix##_info, state, libroc_named_info, state);                       \
	LIBROC_NAMED_MEMBER(prefix##_info, reason, libroc_named_info, reason);                     \
	LIBROC_NAMED_MEMBER(prefix##_info, name, libroc_named_info, name);                         \
	LIBROC_NAMED_MEMBER(prefix##_settings, its_number, libroc_named_settings, number);         \
	LIBROC_NAMED_MEMBER(prefix##_reset, its_number, libroc_named_reset, number);               \
	LIBROC_NAMED_MEMBER(prefix##_reset, level, libroc_named_reset, level);                     \
	_Static_assert(sizeof(struct prefix##_reset) == sizeof(struct libroc_named_reset), "reset")

/* An open channel; first member of the handle of its type */
struct libroc_named {
	const struct libroc_named_type *type;
	struct libroc_node node;
	unsigned int number;
	char own[ROC_TEXT_MAX];		   /* name of the channel */
	char name[ROC_CARD_NAME_MAX + 32]; /* of the card and the channel, for error texts */
};

/* A channel, and the descriptor for its requests: the endpoint or the channel's own node */
struct libroc_target {
	const struct libroc_named_type *type;
	struct roc_endpoint *ep; /* NULL: use @node */
	const struct libroc_node *node;
	const char *name; /* for error texts */
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
 * Send a request. Return -EOPNOTSUPP, without an error text, if the endpoint has no channel of this
 * type. Such an endpoint may reject the request with -ENOTTY, as does every endpoint of an old
 * module.
 */
int libroc_target_ioctl(const struct libroc_target *t, unsigned long request, void *arg);

/* Set the error text and return -EOPNOTSUPP. */
int libroc_fail_lacks(const struct libroc_named_type *type, const char *name);

/*
 * Find the channel @which, a name or a number as text, and open it. @info: as for
 * libroc_named_info(). *@c is the start of a zeroed handle of the type's size. The caller frees it
 * after close(c->node.fd).
 */
int libroc_named_open(const struct roc_card *card, const char *id, const char *which,
		      const struct libroc_named_type *type, void *info, struct libroc_named **c);
int libroc_named_find(const struct libroc_named_type *type, struct roc_endpoint *ep,
		      const char *which, unsigned int *number);

/* On an error these set the error text and leave @info and @settings unchanged. */
int libroc_named_info(struct libroc_target t, void *info);
int libroc_named_settings(struct libroc_target t, void *settings);
int libroc_named_reset(struct libroc_target t, unsigned int level);
/* @arg: stop argument of the type */
int libroc_named_stop(const struct libroc_named *c, void *arg);
/* Set the error text of a failed start through the channel's own node. */
int libroc_fail_start(int err, const char *name);

#endif /* LIBROC_NAMED_H */
