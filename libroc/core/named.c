// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Named channels: find, open, query, stop and reset streams and sub-units.
 */
#include "named.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32 /* of a card */

int libroc_target_ioctl(const struct libroc_target *t, unsigned long request, void *arg)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	int ret;

	if (!t->ep)
		return libroc_node_ioctl(t->node, request, arg);
	ret = t->ep->backend->ioctl(t->ep, request, arg);
	if (ret == -ENOTTY && !t->ep->backend->ioctl(t->ep, ROC_EP_INFO, &info) &&
	    !(info.caps & t->type->cap))
		return -EOPNOTSUPP;
	return ret;
}

int libroc_fail_lacks(const struct libroc_named_type *type, const char *name)
{
	return roc_fail(EOPNOTSUPP, "%s: %s", name, type->lacks);
}

static int get_info(const struct libroc_target *t, unsigned int number, void *arg)
{
	struct libroc_named_info *info = arg;

	memset(arg, 0, t->type->info_size);
	info->size = t->type->info_size;
	info->number = number;
	return libroc_target_ioctl(t, t->type->info, arg);
}

/* An info of any type. */
union any_info {
	struct libroc_named_info head;
	uint64_t words[LIBROC_NAMED_INFO_MAX / 8];
};

static int name_of(const struct libroc_target *t, unsigned int number, char name[ROC_TEXT_MAX])
{
	union any_info info;
	int ret = get_info(t, number, &info);

	if (!ret)
		snprintf(name, ROC_TEXT_MAX, "%.*s", ROC_TEXT_MAX - 1, info.head.name);
	return ret;
}

int libroc_named_info(const struct libroc_target *t, unsigned int number, void *info)
{
	union any_info arg;
	char what[64];
	int ret = get_info(t, number, &arg);

	if (!ret) {
		memcpy(info, &arg, t->type->info_size);
		return 0;
	}
	if (t->ep) {
		snprintf(what, sizeof(what), "cannot ask for a %s's state", t->type->one);
		return libroc_fail_target(t, -ret, number, what);
	}
	snprintf(what, sizeof(what), "cannot get the %s's state", t->type->one);
	return libroc_fail_ioctl(-ret, t->name, what);
}

/*
 * Name the process that has channel @number open; if @number is beyond the last, the first open
 * channel.
 */
static int fail_owned(const struct libroc_target *t, unsigned int number)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	char text[ROC_CARD_NAME_MAX + ROC_TEXT_MAX], its[ROC_TEXT_MAX] = "";
	int pid;

	if (t->ep->backend->ioctl(t->ep, ROC_EP_INFO, &info))
		return libroc_fail_ioctl(EBUSY, t->name, "cannot change it");
	if (number >= info.channels)
		for (number = 0; number + 1 < info.channels; number++)
			if (!roc_channel_owner(info.pci_address, number, &pid, NULL, 0))
				break;
	name_of(t, number, its);
	snprintf(text, sizeof(text), "%s %s", t->name, its);
	return libroc_fail_owned(info.pci_address, number, text,
				 "only the process that opened it may change it",
				 " or make the change in it");
}

int libroc_fail_target(const struct libroc_target *t, int err, unsigned int number,
		       const char *what)
{
	if (err == EBUSY && t->ep)
		return fail_owned(t, number);
	switch (err) {
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no %s %u", t->name, t->type->one, number);
	case EOPNOTSUPP:
		return libroc_fail_lacks(t->type, t->name);
	default:
		return libroc_fail_ioctl(err, t->name, what);
	}
}

int libroc_target_reset(const struct libroc_target *t, unsigned long request, void *arg,
			unsigned int number, unsigned int level)
{
	int ret = libroc_target_ioctl(t, request, arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		if (t->ep)
			return libroc_fail_target(t, EBUSY, number, "cannot reset");
		return roc_fail(EBUSY, "%s: cannot reset so much of a %s that %s, or take %s",
				t->name, t->type->one, t->type->busy, t->type->mild);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see %s", t->name, level,
				t->type->levels);
	case EIO:
		return roc_fail(
			EIO,
			"%s: the card answers all ones, or the reset does not show: it is off the bus, or load its firmware anew",
			t->name);
	default:
		return libroc_fail_target(t, -ret, number, "cannot reset");
	}
}

int libroc_named_find(const struct libroc_named_type *type, struct roc_endpoint *ep,
		      const char *name, unsigned int *number)
{
	char list[MOST * (ROC_TEXT_MAX + 2)] = "", what[64], its[ROC_TEXT_MAX], *end;
	int saved = errno, ret = 0;
	struct libroc_target t = libroc_target_card(type, ep);
	unsigned long wanted;
	unsigned int i;
	size_t used = 0;

	/* What is too large for it is none's number. */
	wanted = strtoul(name, &end, 10);
	errno = saved;
	for (i = 0; i < MOST; i++) {
		ret = name_of(&t, i, its);
		if (ret)
			break;
		if ((*name && !*end && wanted == i) || !strcmp(name, its)) {
			*number = i;
			return 0;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 its);
	}
	if (ret == -EOPNOTSUPP)
		return libroc_fail_lacks(type, ep->name);
	snprintf(what, sizeof(what), "cannot ask for its %s", type->many);
	if (ret && ret != -ENOENT)
		return libroc_fail_ioctl(-ret, ep->name, what);
	return roc_fail(ENOENT, "%s: the card has no %s '%s'; it has %s", ep->name, type->one, name,
			used ? list : "none");
}

int libroc_named_open(const struct roc_card *card, const char *id, const char *which,
		      const struct libroc_named_type *type, struct libroc_named *c, void *info)
{
	const struct libroc_named_info *head = info;
	struct roc_endpoint *ep;
	struct libroc_target t;
	int ret;

	ret = roc_open_card(card, id, &ep);
	if (ret)
		return ret;
	t = libroc_target_card(type, ep);
	ret = libroc_named_find(type, ep, which, &c->number);
	if (!ret)
		ret = libroc_named_info(&t, c->number, info);
	if (!ret) {
		snprintf(c->own, sizeof(c->own), "%.*s", ROC_TEXT_MAX - 1, head->name);
		snprintf(c->name, sizeof(c->name), "%s %s%s", ep->name, type->title, c->own);
	}
	roc_close(ep);
	if (ret)
		return ret;
	c->type = type;
	return libroc_open_channel(card, c->number, c->name, type->one, &c->node);
}

int libroc_named_stop(const struct libroc_named *c, unsigned long request, void *arg)
{
	struct libroc_target t = libroc_target_own(c);
	int ret = libroc_node_ioctl(&c->node, request, arg);
	union any_info info;

	if (ret != -EALREADY)
		return ret ? libroc_fail_stop(-ret, c->name) : 0;
	if (get_info(&t, c->number, &info))
		info.head.state = ROC_CH_STOPPED;
	return libroc_fail_idle(c->name, info.head.state, info.head.why, LIBROC_NOTHING_TO_STOP);
}

int libroc_fail_start(int err, const char *name)
{
	switch (err) {
	case EBUSY:
		return roc_fail(EBUSY, "%s: is running already: stop it first", name);
	case EIO:
		return roc_fail(
			EIO,
			"%s: the card does not do as it is told, or is off the bus: start again; if it comes back, load the card's firmware anew",
			name);
	default:
		return libroc_fail_ioctl(err, name, "cannot start");
	}
}
