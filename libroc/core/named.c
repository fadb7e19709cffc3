// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Named channels: find, open, query, stop and reset streams and sub-units.
 */
#include "named.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32 /* channels of a card */

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

/* Ioctl argument of any channel type */
union any {
	struct libroc_named_info info;
	struct libroc_named_settings settings;
	uint64_t words[LIBROC_NAMED_MAX / 8];
};

static int get_info(const struct libroc_target *t, union any *arg)
{
	memset(arg, 0, t->type->info_size);
	arg->info.size = t->type->info_size;
	arg->info.number = t->number;
	return libroc_target_ioctl(t, t->type->info, arg);
}

static int name_of(const struct libroc_target *t, char name[ROC_TEXT_MAX])
{
	union any arg;
	int ret = get_info(t, &arg);

	if (!ret)
		snprintf(name, ROC_TEXT_MAX, "%.*s", ROC_TEXT_MAX - 1, arg.info.name);
	return ret;
}

/*
 * Report the process that has the channel open. If the channel number is too high, all channels are
 * meant: report the owner of the first open one.
 */
static int fail_owned(struct libroc_target t)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	char text[ROC_CARD_NAME_MAX + ROC_TEXT_MAX], its[ROC_TEXT_MAX] = "";
	int pid;

	if (t.ep->backend->ioctl(t.ep, ROC_EP_INFO, &info))
		return libroc_fail_ioctl(EBUSY, t.name, "cannot change the channel");
	if (t.number >= info.channels)
		for (t.number = 0; t.number + 1 < info.channels; t.number++)
			if (!roc_channel_owner(info.pci_address, t.number, &pid, NULL, 0))
				break;
	name_of(&t, its);
	snprintf(text, sizeof(text), "%s %s", t.name, its);
	return libroc_fail_owned(info.pci_address, t.number, text,
				 "only the process that opened the channel may change it",
				 " or make the change in that program");
}

/* Describe a failed request that has no error text of its own. */
static int fail_target(const struct libroc_target *t, int err, const char *what)
{
	if (err == EBUSY && t->ep)
		return fail_owned(*t);
	switch (err) {
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no %s %u", t->name, t->type->one,
				t->number);
	case EOPNOTSUPP:
		return libroc_fail_lacks(t->type, t->name);
	default:
		return libroc_fail_ioctl(err, t->name, what);
	}
}

int libroc_named_info(struct libroc_target t, void *info)
{
	union any arg;
	char what[64];
	int ret = get_info(&t, &arg);

	if (!ret) {
		memcpy(info, &arg, t.type->info_size);
		return 0;
	}
	if (t.ep) {
		snprintf(what, sizeof(what), "cannot read the state of a %s", t.type->one);
		return fail_target(&t, -ret, what);
	}
	snprintf(what, sizeof(what), "cannot read the state of the %s", t.type->one);
	return libroc_fail_ioctl(-ret, t.name, what);
}

int libroc_named_settings(struct libroc_target t, void *settings)
{
	union any arg;
	char what[64];
	int ret, err;

	memcpy(&arg, settings, t.type->settings_size);
	arg.settings.size = t.type->settings_size;
	arg.settings.flags = 0;
	arg.settings.number = t.number;
	memset((char *)&arg + t.type->settings_zero, 0, sizeof(uint32_t));
	ret = libroc_target_ioctl(&t, t.type->settings, &arg);
	if (!ret) {
		memcpy(settings, &arg, t.type->settings_size);
		return 0;
	}
	err = t.type->fail_settings(&t, -ret, &arg);
	if (err)
		return err;
	snprintf(what, sizeof(what), "cannot change the settings of the %s", t.type->one);
	return fail_target(&t, -ret, what);
}

int libroc_named_reset(struct libroc_target t, unsigned int level)
{
	struct libroc_named_reset arg = {.size = sizeof(arg), .number = t.number, .level = level};
	int ret = libroc_target_ioctl(&t, t.type->reset, &arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		if (t.ep)
			return fail_owned(t);
		return roc_fail(EBUSY, "%s: cannot reset a %s at this level while it %s, or use %s",
				t.name, t.type->one, t.type->busy, t.type->mild);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see %s", t.name, level,
				t.type->levels);
	case EIO:
		return roc_fail(
			EIO,
			"%s: the card answers all ones or did not complete the reset: check that it is on the bus, or reload its firmware",
			t.name);
	default:
		return fail_target(&t, -ret, "cannot reset");
	}
}

int libroc_named_find(const struct libroc_named_type *type, struct roc_endpoint *ep,
		      const char *name, unsigned int *number)
{
	char list[MOST * (ROC_TEXT_MAX + 2)] = "", what[64], its[ROC_TEXT_MAX], *end;
	int saved = errno, ret = 0;
	struct libroc_target t;
	unsigned long value;
	size_t used = 0;

	/* A number that strtoul() cannot represent is ULONG_MAX, which no channel has. */
	value = strtoul(name, &end, 10);
	errno = saved;
	for (t = libroc_target_card(type, ep, 0); t.number < MOST; t.number++) {
		ret = name_of(&t, its);
		if (ret)
			break;
		if ((*name && !*end && value == t.number) || !strcmp(name, its)) {
			*number = t.number;
			return 0;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 t.number ? ", " : "", its);
	}
	if (ret == -EOPNOTSUPP)
		return libroc_fail_lacks(type, ep->name);
	snprintf(what, sizeof(what), "cannot list its %s", type->many);
	if (ret && ret != -ENOENT)
		return libroc_fail_ioctl(-ret, ep->name, what);
	return roc_fail(ENOENT, "%s: the card has no %s '%s'; it has %s", ep->name, type->one, name,
			used ? list : "none");
}

int libroc_named_open(const struct roc_card *card, const char *id, const char *which,
		      const struct libroc_named_type *type, void *info, struct libroc_named **c)
{
	const struct libroc_named_info *head = info;
	struct libroc_named *new;
	struct roc_endpoint *ep;
	int ret;

	new = calloc(1, type->handle_size);
	if (!new)
		return roc_fail(ENOMEM, "cannot allocate the handle of a %s", type->one);
	new->type = type;
	ret = roc_open_card(card, id, &ep);
	if (ret)
		goto free_handle;
	ret = libroc_named_find(type, ep, which, &new->number);
	if (!ret)
		ret = libroc_named_info(libroc_target_card(type, ep, new->number), info);
	if (!ret) {
		snprintf(new->own, sizeof(new->own), "%.*s", ROC_TEXT_MAX - 1, head->name);
		snprintf(new->name, sizeof(new->name), "%s %s%s", ep->name, type->title, new->own);
	}
	roc_close(ep);
	if (ret)
		goto free_handle;
	ret = libroc_open_channel(card, new->number, new->name, type->one, &new->node);
	if (ret)
		goto free_handle;
	*c = new;
	return 0;

free_handle:
	free(new);
	return ret;
}

int libroc_named_stop(const struct libroc_named *c, void *arg)
{
	struct libroc_target t = libroc_target_own(c);
	int ret = libroc_node_ioctl(&c->node, c->type->stop, arg);
	union any now;

	if (ret != -EALREADY)
		return ret ? libroc_fail_stop(-ret, c->name) : 0;
	if (get_info(&t, &now))
		now.info.state = ROC_CH_STOPPED;
	return libroc_fail_idle(c->name, now.info.state, now.info.reason, LIBROC_NOTHING_TO_STOP);
}

int libroc_fail_start(int err, const char *name)
{
	switch (err) {
	case EBUSY:
		return roc_fail(EBUSY, "%s: cannot start while running: stop it first", name);
	case EIO:
		return roc_fail(
			EIO,
			"%s: the card cannot be quiesced, did not acknowledge the start, or is off the bus: start again; if the error recurs, reload the card's firmware",
			name);
	default:
		return libroc_fail_ioctl(err, name, "cannot start");
	}
}
