// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Access registers in a pass, which counts accesses and keeps the first error, and lock the card.
 */
#include <errno.h>
#include <string.h>

#include "libroc_pass.h"

/*
 * The high word of a counter changes at most once a second: if it differs at so many reads, the
 * register is broken.
 */
#define COUNT_READS 8

/* The caller may already have locked the card: then succeed and keep the previous error text. */
static int take_lock(struct libroc_pass *c)
{
	char before[ROC_ERROR_MAX];
	int ret;

	snprintf(before, sizeof(before), "%s", roc_error());
	ret = roc_card_lock(c->ep, LIBROC_LOCK_MS);
	c->locked = !ret;
	if (ret != -EDEADLK)
		return ret;
	roc_fail(EDEADLK, "%s", before);
	return 0;
}

int libroc_pass_begin(struct roc_endpoint *ep, struct libroc_pass *c, enum roc_card_type type,
		      bool lock, struct roc_ep_info *info)
{
	struct roc_ep_info unused;
	int ret;

	if (!info)
		info = &unused;
	memset(c, 0, sizeof(*c));
	c->ep = ep;
	ret = roc_info(ep, info);
	if (ret)
		return ret;
	if (info->card_type != type)
		return roc_fail(EOPNOTSUPP, "%s is a %s: only a %s supports this",
				roc_endpoint_name(ep), roc_card_type_name(info->card_type),
				roc_card_type_name(type));
	return lock ? take_lock(c) : 0;
}

int libroc_pass_end(struct libroc_pass *c)
{
	if (c->locked) {
		char first[ROC_ERROR_MAX];
		int ret;

		c->locked = false;
		snprintf(first, sizeof(first), "%s", roc_error());
		ret = roc_card_unlock(c->ep);
		/* Keep the error text of the first failure. */
		if (ret && c->err)
			roc_fail(-c->err, "%s", first);
		libroc_pass_fail(c, ret);
	}
	return c->err;
}

void libroc_pass_fail(struct libroc_pass *c, int ret)
{
	if (ret < 0 && !c->err)
		c->err = ret;
}

uint32_t libroc_pass_read(struct libroc_pass *c, unsigned int bar, uint32_t offset)
{
	uint32_t value = 0;

	if (c->err)
		return 0;
	c->reads++;
	libroc_pass_fail(c, roc_reg_read(c->ep, bar, offset, &value));
	return value;
}

uint32_t libroc_pass_read_once(struct libroc_pass *c, unsigned int bar, uint32_t offset)
{
	unsigned int i;
	uint32_t value;

	for (i = 0; i < c->cached; i++)
		if (c->cache[i].bar == bar && c->cache[i].offset == offset)
			return c->cache[i].value;
	value = libroc_pass_read(c, bar, offset);
	if (!c->err && c->cached < LIBROC_PASS_CACHE)
		c->cache[c->cached++] = (struct libroc_pass_cached){bar, offset, value};
	return value;
}

uint64_t libroc_pass_read_count(struct libroc_pass *c, unsigned int bar, uint32_t offset)
{
	uint32_t high = libroc_pass_read(c, bar, offset + 4), low, again;
	unsigned int i;

	for (i = 0; i < COUNT_READS && !c->err; i++) {
		low = libroc_pass_read(c, bar, offset);
		again = libroc_pass_read(c, bar, offset + 4);
		if (again == high)
			return (uint64_t)high << 32 | low;
		high = again;
	}
	if (!c->err)
		libroc_pass_fail(
			c,
			roc_fail(
				EBADMSG,
				"%s: the high word of a counter (BAR %u, 0x%x) changes at each read: the card's registers are unreliable",
				roc_endpoint_name(c->ep), bar, offset + 4));
	return 0;
}

void libroc_pass_write(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t value)
{
	if (c->err)
		return;
	libroc_pass_fail(c, roc_reg_write(c->ep, bar, offset, value));
	c->writes += !c->err;
}

uint32_t libroc_pass_modify(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask,
			    uint32_t value)
{
	uint32_t before = 0;

	if (c->err)
		return 0;
	libroc_pass_fail(c, roc_reg_modify(c->ep, bar, offset, mask, value, &before, NULL));
	c->writes += !c->err;
	return before;
}

void libroc_pass_modify_anyway(struct libroc_pass *c, unsigned int bar, uint32_t offset,
			       uint32_t mask, uint32_t value)
{
	char first[ROC_ERROR_MAX];
	int err = c->err;

	snprintf(first, sizeof(first), "%s", roc_error());
	c->err = 0;
	libroc_pass_modify(c, bar, offset, mask, value);
	if (!err)
		return;
	c->err = err;
	roc_fail(-err, "%s", first);
}

void libroc_pass_pulse(struct libroc_pass *c, unsigned int bar, uint32_t offset, uint32_t mask)
{
	libroc_pass_modify(c, bar, offset, mask, mask);
	libroc_pass_modify(c, bar, offset, mask, 0);
}

void libroc_pass_sleep(struct libroc_pass *c, unsigned int us)
{
	if (!c->err)
		roc_sleep(c->ep, us);
}

int libroc_pass_need_feature(struct roc_endpoint *ep, enum roc_card_type type,
			     struct libroc_where feature, const char *lacks)
{
	struct libroc_pass c;
	uint32_t word;
	int ret;

	ret = libroc_pass_begin(ep, &c, type, false, NULL);
	if (ret)
		return ret;
	word = libroc_pass_read(&c, feature.bar, feature.offset);
	if (!c.err && !(word & feature.mask))
		libroc_pass_fail(
			&c,
			roc_fail(
				EOPNOTSUPP,
				"%s: the card's firmware has no %s: load a firmware with it, or use the data of the card's inputs",
				roc_endpoint_name(ep), lacks));
	return libroc_pass_end(&c);
}

int libroc_pass_need_stopped(struct libroc_pass *c, const char *what)
{
	int ret = c->err ? c->err : roc_card_running(c->ep);

	if (ret > 0)
		ret = roc_fail(
			EBUSY,
			"%s: %s while a channel of the card runs: stop the readout of the whole card first",
			roc_endpoint_name(c->ep), what);
	libroc_pass_fail(c, ret);
	return c->err;
}

int libroc_pass_still_stopped(struct libroc_pass *c)
{
	int ret = c->err ? c->err : roc_card_running(c->ep);

	if (ret > 0)
		ret = roc_fail(
			EBUSY,
			"%s: readout was started while the card was configured, so its data may be wrong: stop it and configure the card again",
			roc_endpoint_name(c->ep));
	libroc_pass_fail(c, ret);
	return c->err;
}
