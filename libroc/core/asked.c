// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Asking streams and sub-units, and finding one of them.
 */
#include "asked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32 /* of a card */

int libroc_ask(const struct libroc_asked *a, unsigned long request, void *arg)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	int ret;

	if (!a->ep)
		return libroc_node_ioctl(a->node, request, arg);
	ret = a->ep->backend->ioctl(a->ep, request, arg);
	if (ret == -ENOTTY && !a->ep->backend->ioctl(a->ep, ROC_EP_INFO, &info) &&
	    !(info.caps & a->kind->cap))
		return -EOPNOTSUPP;
	return ret;
}

int libroc_fail_lacks(const struct libroc_kind *kind, const char *name)
{
	return roc_fail(EOPNOTSUPP, "%s: %s", name, kind->lacks);
}

/*
 * Name the process that has channel @number open; if @number is beyond the last, the first open
 * channel.
 */
static int fail_owned(const struct libroc_asked *a, unsigned int number)
{
	struct roc_ep_info info = {.size = sizeof(info)};
	char text[ROC_CARD_NAME_MAX + ROC_TEXT_MAX], its[ROC_TEXT_MAX] = "";
	int pid;

	if (a->ep->backend->ioctl(a->ep, ROC_EP_INFO, &info))
		return libroc_fail_ioctl(EBUSY, a->name, "cannot change it");
	if (number >= info.channels)
		for (number = 0; number + 1 < info.channels; number++)
			if (!roc_channel_owner(info.pci_address, number, &pid, NULL, 0))
				break;
	a->kind->name(a->ep, number, its);
	snprintf(text, sizeof(text), "%s %s", a->name, its);
	return libroc_fail_owned(info.pci_address, number, text,
				 "only the process that opened it may change it",
				 " or make the change in it");
}

int libroc_fail_asked(const struct libroc_asked *a, int err, unsigned int number, const char *what)
{
	if (err == EBUSY && a->ep)
		return fail_owned(a, number);
	switch (err) {
	case ENOENT:
		return roc_fail(ENOENT, "%s: the card has no %s %u", a->name, a->kind->one, number);
	case EOPNOTSUPP:
		return libroc_fail_lacks(a->kind, a->name);
	default:
		return libroc_fail_ioctl(err, a->name, what);
	}
}

int libroc_reset_asked(const struct libroc_asked *a, unsigned long request, void *arg,
		       unsigned int number, unsigned int level)
{
	int ret = libroc_ask(a, request, arg);

	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		if (a->ep)
			return libroc_fail_asked(a, EBUSY, number, "cannot reset");
		return roc_fail(EBUSY, "%s: cannot reset so much of a %s that %s, or take %s",
				a->name, a->kind->one, a->kind->busy, a->kind->mild);
	case EINVAL:
		return roc_fail(EINVAL, "%s: there is no reset level %u: see %s", a->name, level,
				a->kind->levels);
	case EIO:
		return roc_fail(EIO,
				"%s: the card answers all ones, or the reset does not show: it is "
				"off the bus, or load its firmware anew",
				a->name);
	default:
		return libroc_fail_asked(a, -ret, number, "cannot reset");
	}
}

int libroc_find_named(const struct libroc_kind *kind, struct roc_endpoint *ep, const char *name,
		      unsigned int *number)
{
	char list[MOST * (ROC_TEXT_MAX + 2)] = "", what[64], its[ROC_TEXT_MAX], *end;
	int saved = errno, ret = 0;
	unsigned long wanted;
	unsigned int i;
	size_t used = 0;

	/* What is too large for it is none's number. */
	wanted = strtoul(name, &end, 10);
	errno = saved;
	for (i = 0; i < MOST; i++) {
		ret = kind->name(ep, i, its);
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
		return libroc_fail_lacks(kind, ep->name);
	snprintf(what, sizeof(what), "cannot ask for its %s", kind->many);
	if (ret && ret != -ENOENT)
		return libroc_fail_ioctl(-ret, ep->name, what);
	return roc_fail(ENOENT, "%s: the card has no %s '%s'; it has %s", ep->name, kind->one, name,
			used ? list : "none");
}

int libroc_fail_start(int err, const char *name)
{
	switch (err) {
	case EBUSY:
		return roc_fail(EBUSY, "%s: is running already: stop it first", name);
	case EIO:
		return roc_fail(EIO,
				"%s: the card does not do as it is told, or is off the bus: start "
				"again; if it comes back, load the card's firmware anew",
				name);
	default:
		return libroc_fail_ioctl(err, name, "cannot start");
	}
}
