// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open an endpoint, query it and access single registers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libroc.h"

int roc_open(const char *id, struct roc_endpoint **ep)
{
	struct roc_card card;
	int ret;

	ret = roc_find(id, &card);
	return ret ? ret : roc_open_card(&card, id, ep);
}

int roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep)
{
	struct roc_endpoint *new;
	int ret;

	new = calloc(1, sizeof(*new));
	if (!new)
		return libroc_fail_text(ENOMEM, "cannot allocate the handle of an endpoint");
	new->backend = &libroc_driver;
	strcpy(new->node, card->node);
	roc_card_name(card, id, new->name, sizeof(new->name));
	ret = libroc_open_node(card, new->name, new->node);
	if (ret < 0) {
		if (ret == -EBUSY)
			ret = libroc_fail_ioctl(EBUSY, new->name, "cannot open");
		free(new);
		return ret;
	}
	new->fd = ret;
	*ep = new;
	return 0;
}

void roc_close(struct roc_endpoint *ep)
{
	if (!ep)
		return;
	close(ep->fd);
	free(ep);
}

int roc_endpoint_fd(const struct roc_endpoint *ep)
{
	return ep->fd;
}

const char *roc_endpoint_name(const struct roc_endpoint *ep)
{
	return ep->name;
}

int roc_card_running(struct roc_endpoint *ep)
{
	return ep->backend->running(ep);
}

void roc_sleep(struct roc_endpoint *ep, unsigned int us)
{
	ep->backend->sleep(ep, us);
}

int roc_info(struct roc_endpoint *ep, struct roc_ep_info *info)
{
	struct roc_ep_info arg = {.size = sizeof(arg)};
	int ret = ep->backend->ioctl(ep, ROC_EP_INFO, &arg);

	if (ret < 0)
		return libroc_fail_ioctl(-ret, ep->name, "cannot read the card's information");
	*info = arg;
	return 0;
}

static int fail_reg(int err, const struct roc_endpoint *ep, const struct roc_reg *reg,
		    const char *verb)
{
	char what[64];

	snprintf(what, sizeof(what), "cannot %s register 0x%x of BAR %u", verb, reg->offset,
		 reg->bar);
	switch (err) {
	case ENOENT:
		return roc_fail(err, "%s: %s: the card has no BAR %u", ep->name, what, reg->bar);
	case EINVAL:
		if (reg->offset % 4)
			return roc_fail(
				err, "%s: %s: the offset counts bytes and must be a multiple of 4",
				ep->name, what);
		return roc_fail(err, "%s: %s: the mask must have at least one bit", ep->name, what);
	case ERANGE:
		if (reg->value & ~reg->mask && reg->mask)
			return roc_fail(err, "%s: %s: value 0x%x has bits outside mask 0x%x",
					ep->name, what, reg->value, reg->mask);
		return roc_fail(err, "%s: %s: the offset is beyond the end of the BAR", ep->name,
				what);
	case EPERM:
		if (!strcmp(verb, "read"))
			return roc_fail(
				err,
				"%s: %s: the register is protected, because it holds addresses that the card writes to, or because a read has side effects: run as root (CAP_SYS_RAWIO)",
				ep->name, what);
		return roc_fail(
			err,
			"%s: %s: the register is protected, because it can make the card write anywhere in memory, replace its firmware or damage the card permanently: run as root (CAP_SYS_RAWIO)",
			ep->name, what);
	case EBUSY:
		return roc_fail(
			err,
			"%s: %s: not while a channel of this card runs: stop all channels of the card first",
			ep->name, what);
	default:
		return libroc_fail_ioctl(err, ep->name, what);
	}
}

int roc_reg_read(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t *value)
{
	struct roc_reg reg = {.size = sizeof(reg), .bar = bar, .offset = offset};
	int ret = ep->backend->ioctl(ep, ROC_REG_READ, &reg);

	if (ret < 0)
		return fail_reg(-ret, ep, &reg, "read");
	*value = reg.value;
	return 0;
}

int roc_reg_write(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t value)
{
	struct roc_reg reg = {.size = sizeof(reg), .bar = bar, .offset = offset, .value = value};
	int ret = ep->backend->ioctl(ep, ROC_REG_WRITE, &reg);

	if (ret < 0)
		return fail_reg(-ret, ep, &reg, "write");
	return 0;
}

int roc_reg_modify(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t mask,
		   uint32_t value, uint32_t *before, uint32_t *after)
{
	struct roc_reg reg = {
		.size = sizeof(reg), .bar = bar, .offset = offset, .value = value, .mask = mask};
	int ret = ep->backend->ioctl(ep, ROC_REG_MODIFY, &reg);

	if (ret < 0)
		return fail_reg(-ret, ep, &reg, "modify");
	if (before)
		*before = reg.old;
	if (after)
		*after = reg.value;
	return 0;
}
