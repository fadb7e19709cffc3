// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lock a card against other processes that configure it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libroc.h"

static int fail_locked(const struct roc_endpoint *ep, int owner)
{
	char path[32], name[32] = "";
	int saved = errno;
	FILE *f;

	if (owner <= 0)
		return roc_fail(
			EBUSY,
			"%s: the card is locked by a process in another container, or by one that inherited the descriptor of a process that has ended: try again later",
			ep->name);
	snprintf(path, sizeof(path), "/proc/%d/comm", owner);
	f = fopen(path, "re");
	if (f) {
		if (fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = '\0';
		libroc_program_name(name);
		fclose(f);
	}
	errno = saved;
	return roc_fail(
		EBUSY,
		"%s: the card is locked by process %d%s%s%s: try again when that process has finished, or end that process",
		ep->name, owner, name[0] ? " (" : "", name, name[0] ? ")" : "");
}

int roc_card_lock(struct roc_endpoint *ep, int timeout_ms)
{
	struct roc_card_lock arg = {.size = sizeof(arg)};
	int ret;

	if (timeout_ms < 0)
		return roc_fail(EINVAL, "%s: invalid timeout %d ms for the card's lock", ep->name,
				timeout_ms);
	if (timeout_ms)
		arg.deadline = libroc_deadline(timeout_ms);
	ret = ep->backend->ioctl(ep, ROC_CARD_LOCK, &arg);
	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
		return fail_locked(ep, arg.owner);
	case EDEADLK:
		return roc_fail(EDEADLK, "%s: this handle has already locked the card", ep->name);
	case EINTR:
		return roc_fail(EINTR,
				"%s: the wait for the card's lock was interrupted by a signal",
				ep->name);
	default:
		return libroc_fail_ioctl(-ret, ep->name, "cannot lock the card");
	}
}

int roc_card_unlock(struct roc_endpoint *ep)
{
	struct roc_card_lock arg = {.size = sizeof(arg)};
	int ret = ep->backend->ioctl(ep, ROC_CARD_UNLOCK, &arg);

	if (ret == -EPERM)
		return roc_fail(EPERM, "%s: this handle has not locked the card", ep->name);
	if (ret < 0)
		return libroc_fail_ioctl(-ret, ep->name, "cannot unlock the card");
	return 0;
}
