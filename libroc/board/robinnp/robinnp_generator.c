// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Set up the generators of a RobinNP's links. The card keeps the old value if it does not support a
 * new one, so every write is read back.
 */
#include <errno.h>

#include <roc/robinnp.h>

#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "libroc/board/libroc_pass.h"

static int check_link(struct roc_endpoint *ep, unsigned int link)
{
	if (link < ROBINNP_SUBS * ROBINNP_LINKS)
		return 0;
	return roc_fail(ENOENT, "%s: link %u does not exist: a RobinNP has %d",
			roc_endpoint_name(ep), link, ROBINNP_SUBS * ROBINNP_LINKS);
}

static uint32_t word(struct libroc_pass *c, unsigned int link, uint32_t offset)
{
	return libroc_pass_read(c, ROBINNP_BAR_CARD, ROBINNP_LINK(link) + offset);
}

/* Read a 64-bit setting, which does not change meanwhile. */
static uint64_t wide(struct libroc_pass *c, unsigned int link, uint32_t offset)
{
	uint32_t low = word(c, link, offset);

	return (uint64_t)word(c, link, offset + 4) << 32 | low;
}

static void read_all(struct libroc_pass *c, unsigned int link, struct roc_robinnp_generator *g)
{
	uint32_t control = word(c, link, FRAGMENT_LINK_GENERATOR);

	*g = (struct roc_robinnp_generator){
		.limit = wide(c, link, FRAGMENT_LINK_LIMIT),
		.generated = libroc_pass_read_count(c, ROBINNP_BAR_CARD,
						    ROBINNP_LINK(link) + FRAGMENT_LINK_GENERATED),
		.first = word(c, link, FRAGMENT_LINK_FIRST),
		.size_min = word(c, link, FRAGMENT_LINK_SIZE_MIN),
		.size_max = word(c, link, FRAGMENT_LINK_SIZE_MAX),
		.rate = word(c, link, FRAGMENT_LINK_RATE),
		.running = control & FRAGMENT_GENERATOR_RUN,
		.distributed = control & FRAGMENT_GENERATOR_DISTRIBUTED,
	};
}

int roc_robinnp_generator_read(struct roc_endpoint *ep, unsigned int link,
			       struct roc_robinnp_generator *generator)
{
	struct roc_robinnp_generator now;
	struct libroc_pass c;
	int ret;

	ret = check_link(ep, link);
	if (ret)
		return ret;
	ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, false, NULL);
	if (ret)
		return ret;
	read_all(&c, link, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*generator = now;
	return ret;
}

static bool no_size(uint32_t bytes)
{
	return bytes < FRAGMENT_BYTES_MIN || bytes > FRAGMENT_BYTES_MAX || bytes % 4;
}

static int check_card(struct roc_endpoint *ep)
{
	const struct libroc_where feature = {ROBINNP_BAR_CARD, ROBINNP_CARD + CARD_FEATURES,
					     CARD_FEATURE_GENERATORS};

	return libroc_pass_need_feature(ep, ROC_CARD_ROBINNP, feature, "generators");
}

static int check_values(struct roc_endpoint *ep, const struct roc_robinnp_generator *g)
{
	if (g->rate > FRAGMENT_RATE_MAX)
		return roc_fail(
			ERANGE,
			"%s: the rate of %u fragments per second is too high: the maximum is %u",
			roc_endpoint_name(ep), g->rate, FRAGMENT_RATE_MAX);
	if (no_size(g->size_min) || no_size(g->size_max))
		return roc_fail(
			ERANGE,
			"%s: the sizes of fragments, %u to %u bytes, are invalid: use %u to %u, in multiples of 4",
			roc_endpoint_name(ep), g->size_min, g->size_max, FRAGMENT_BYTES_MIN,
			FRAGMENT_BYTES_MAX);
	if (g->distributed && g->size_min > g->size_max)
		return roc_fail(
			ERANGE,
			"%s: the sizes of fragments, %u to %u bytes, are reversed: the second must not be lower",
			roc_endpoint_name(ep), g->size_min, g->size_max);
	return 0;
}

static void put(struct libroc_pass *c, unsigned int link, uint32_t offset, uint32_t value)
{
	uint32_t at = ROBINNP_LINK(link) + offset, now;

	if (c->err || libroc_pass_read(c, ROBINNP_BAR_CARD, at) == value)
		return;
	libroc_pass_write(c, ROBINNP_BAR_CARD, at, value);
	now = libroc_pass_read(c, ROBINNP_BAR_CARD, at);
	if (!c->err && now != value)
		libroc_pass_fail(
			c,
			roc_fail(
				EIO,
				"%s: the card reads 0x%x from register 0x%x of BAR %d after 0x%x was written: this library does not support its firmware",
				roc_endpoint_name(c->ep), now, at, ROBINNP_BAR_CARD, value));
}

int roc_robinnp_generator_set(struct roc_endpoint *ep, unsigned int link,
			      const struct roc_robinnp_generator *g)
{
	uint32_t control = (g->running ? FRAGMENT_GENERATOR_RUN : 0) |
			   (g->distributed ? FRAGMENT_GENERATOR_DISTRIBUTED : 0);
	struct roc_robinnp_generator now;
	struct libroc_pass c;
	int ret;

	ret = check_link(ep, link);
	if (!ret)
		ret = check_card(ep);
	if (!ret)
		ret = check_values(ep, g);
	if (!ret)
		ret = libroc_pass_begin(ep, &c, ROC_CARD_ROBINNP, true, NULL);
	if (ret)
		return ret;
	read_all(&c, link, &now);
	/* @first and @limit take effect at the start. */
	if (now.running && (now.first != g->first || now.limit != g->limit))
		put(&c, link, FRAGMENT_LINK_GENERATOR, control & ~FRAGMENT_GENERATOR_RUN);
	put(&c, link, FRAGMENT_LINK_FIRST, g->first);
	put(&c, link, FRAGMENT_LINK_LIMIT, g->limit);
	put(&c, link, FRAGMENT_LINK_LIMIT + 4, g->limit >> 32);
	put(&c, link, FRAGMENT_LINK_SIZE_MIN, g->size_min);
	put(&c, link, FRAGMENT_LINK_SIZE_MAX, g->size_max);
	put(&c, link, FRAGMENT_LINK_RATE, g->rate);
	put(&c, link, FRAGMENT_LINK_GENERATOR, control);
	return libroc_pass_end(&c);
}
