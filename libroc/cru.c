// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One pass over a CRU: accesses that are counted and keep the first error, the card lock, and the
 * links that the card has.
 */
#include <errno.h>
#include <string.h>

#include "libroc_cru.h"

int libroc_cru_begin(struct roc_endpoint *ep, struct libroc_cru *c, bool lock)
{
	struct roc_ep_info info;
	int ret;

	memset(c, 0, sizeof(*c));
	c->ep = ep;
	ret = roc_info(ep, &info);
	if (ret)
		return ret;
	if (info.card_type != ROC_CARD_CRU)
		return libroc_fail(EOPNOTSUPP, "%s is a %s: only a CRU can do this", ep->node,
				   roc_card_type_name(info.card_type));
	if (info.endpoint < 0 || info.endpoint >= CRU_ENDPOINTS)
		return libroc_fail(EIO, "%s: the card does not say which of its endpoints this is",
				   ep->node);
	c->e = info.endpoint;
	if (!lock)
		return 0;
	ret = roc_card_lock(ep, LIBROC_CRU_LOCK_MS);
	if (ret && ret != -EDEADLK)
		return ret;
	c->locked = !ret;
	return 0;
}

int libroc_cru_end(struct libroc_cru *c)
{
	if (c->locked) {
		int ret;

		c->locked = false;
		/* The first failure's sentence is the one that helps. */
		if (c->err) {
			struct roc_card_lock arg = {.size = sizeof(arg)};

			c->ep->backend->ioctl(c->ep, ROC_CARD_UNLOCK, &arg);
			return c->err;
		}
		ret = roc_card_unlock(c->ep);
		libroc_cru_fail(c, ret);
	}
	return c->err;
}

void libroc_cru_fail(struct libroc_cru *c, int ret)
{
	if (ret < 0 && !c->err)
		c->err = ret;
}

uint32_t libroc_cru_read(struct libroc_cru *c, unsigned int bar, uint32_t offset)
{
	uint32_t value = 0;

	if (c->err)
		return 0;
	c->reads++;
	libroc_cru_fail(c, roc_reg_read(c->ep, bar, offset, &value));
	return value;
}

uint32_t libroc_cru_read_once(struct libroc_cru *c, unsigned int bar, uint32_t offset)
{
	unsigned int i;
	uint32_t value;

	for (i = 0; i < c->cached; i++)
		if (c->cache[i].bar == bar && c->cache[i].offset == offset)
			return c->cache[i].value;
	value = libroc_cru_read(c, bar, offset);
	if (!c->err && c->cached < LIBROC_CRU_CACHE)
		c->cache[c->cached++] = (struct libroc_cru_cached){bar, offset, value};
	return value;
}

void libroc_cru_write(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t value)
{
	if (c->err)
		return;
	c->writes++;
	libroc_cru_fail(c, roc_reg_write(c->ep, bar, offset, value));
}

uint32_t libroc_cru_modify(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t mask,
			   uint32_t value)
{
	uint32_t before = 0;

	if (c->err)
		return 0;
	c->writes++;
	libroc_cru_fail(c, roc_reg_modify(c->ep, bar, offset, mask, value, &before, NULL));
	return before;
}

void libroc_cru_pulse(struct libroc_cru *c, unsigned int bar, uint32_t offset, uint32_t mask)
{
	libroc_cru_modify(c, bar, offset, mask, mask);
	libroc_cru_modify(c, bar, offset, mask, 0);
}

void libroc_cru_sleep(struct libroc_cru *c, unsigned int us)
{
	if (!c->err)
		c->ep->backend->sleep(c->ep, us);
}

int libroc_cru_need_stopped(struct libroc_cru *c, const char *what)
{
	int ret = c->err ? c->err : c->ep->backend->running(c->ep);

	if (ret > 0)
		ret = libroc_fail(EBUSY,
				  "%s: %s while a channel of the card runs: stop the readout on "
				  "both endpoints first",
				  c->ep->node, what);
	libroc_cru_fail(c, ret);
	return c->err;
}

/* A wrapper exists if its clock counter moves. */
static bool has_wrapper(struct libroc_cru *c, unsigned int w)
{
	uint32_t offset = CRU_WRAPPER(w) + CRU_WRAPPER_CLOCK;

	return libroc_cru_read(c, CRU_BAR_CARD, offset) != libroc_cru_read(c, CRU_BAR_CARD, offset);
}

/*
 * Banks 2e and 2e + 1 of wrapper 0 belong to endpoint e; links alternate between them. Six links
 * a bank is the only layout there is.
 */
int libroc_cru_find_links(struct libroc_cru *c, uint32_t need)
{
	uint32_t layout;
	unsigned int b, k;

	if (has_wrapper(c, 0)) {
		layout = libroc_cru_read(c, CRU_BAR_CARD, CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG0);
		for (b = 0; b < 2 && !c->err; b++) {
			unsigned int bank = 2 * c->e + b;
			unsigned int n = layout >> CRU_WRAPPER_BANK_SHIFT(bank) & 0xf;

			for (k = 0; k < n && k < CRU_GBT_BANK_LINKS; k++) {
				c->links |= 1u << (2 * k + b);
				c->base[2 * k + b] = CRU_GBT_LINK(0, bank, k);
			}
		}
	}
	if (!c->err && need & ~c->links)
		libroc_cru_fail(c, libroc_fail(ENOLINK,
					       "%s: the card has no link %d: its firmware has "
					       "links of mask 0x%x on this endpoint",
					       c->ep->node, __builtin_ctz(need & ~c->links),
					       c->links));
	return c->err;
}
