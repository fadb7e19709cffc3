// SPDX-License-Identifier: LGPL-2.1-or-later
/* Test GBT links with patterns. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libroc_cru.h"

#define SETTLE_US 100000
#define R(m) offsetof(struct roc_cru_loopback_link, m)

static const uint32_t mask_registers[3] = {CRU_GBT_MASK_LOW, CRU_GBT_MASK_MEDIUM,
					   CRU_GBT_MASK_HIGH};

static const uint32_t source_bits = CRU_GBT_SOURCE_GENERATOR | CRU_GBT_SOURCE_STATIC;

static const struct libroc_value results_table[] = {
	LIBROC_VALUE("pllLocked", LIBROC_GBT, CRU_GBT_STATUS, CRU_GBT_PLL_LOCKED, R(pll_locked),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("rxLocked", LIBROC_GBT, CRU_GBT_STATUS, CRU_GBT_RX_LOCKED, R(rx_locked),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("dataLayerUp", LIBROC_GBT, CRU_GBT_STATUS, CRU_GBT_DATA_UP, R(data_layer_up),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("gbtPhyUp", LIBROC_GBT, CRU_GBT_STATUS, CRU_GBT_PHY_UP, R(gbt_phy_up),
		     .kind = LIBROC_BOOL),
	LIBROC_VALUE("rxErrors", LIBROC_GBT, CRU_GBT_DATA_ERRORS, 0xffffffff, R(rx_errors)),
	LIBROC_VALUE("fecErrors", LIBROC_GBT, CRU_GBT_FEC_ERRORS, CRU_GBT_FEC_ERRORS_MASK,
		     R(fec_errors)),
};

void roc_cru_loopback_default(struct roc_cru_loopback *test)
{
	*test = (struct roc_cru_loopback){
		.links = ROC_CRU_ALL_LINKS,
		.mask_high = 0xffffffff,
		.mask_medium = 0xffffffff,
		.mask_low = 0xffffffff,
	};
}

static int begin(struct roc_endpoint *ep, struct libroc_pass *c, uint32_t links, bool lock)
{
	int ret;

	if (!links || links & ~ROC_CRU_ALL_LINKS) {
		roc_fail(ERANGE, "%s: invalid mask of links 0x%x: links are 0 to %d",
			 roc_endpoint_name(ep), links, ROC_CRU_LINKS - 1);
		return -ERANGE;
	}
	ret = libroc_cru_begin(ep, c, lock);
	if (ret)
		return ret;
	libroc_cru_find_links(c, links, NULL);
	return 0;
}

static void read_back(struct libroc_pass *c, struct roc_cru_loopback_saved *was)
{
	unsigned int l, i;

	was->wrapper = libroc_pass_read(c, CRU_BAR_CARD, CRU_WRAPPER(0) + CRU_WRAPPER_TEST);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		if (!(was->links & 1u << l))
			continue;
		was->source[l] = libroc_pass_read(c, CRU_BAR_CARD, c->base[l] + CRU_GBT_SOURCE);
		for (i = 0; i < 3; i++)
			was->masks[l][i] =
				libroc_pass_read(c, CRU_BAR_CARD, c->base[l] + mask_registers[i]);
	}
}

static void put_back(struct libroc_pass *c, const struct roc_cru_loopback_saved *was)
{
	unsigned int l, i;

	for (l = 0; l < ROC_CRU_LINKS; l++) {
		if (!(was->links & 1u << l))
			continue;
		libroc_pass_modify(c, CRU_BAR_CARD, c->base[l] + CRU_GBT_SOURCE, source_bits,
				   was->source[l] & source_bits);
		for (i = 0; i < 3; i++)
			libroc_pass_write(c, CRU_BAR_CARD, c->base[l] + mask_registers[i],
					  was->masks[l][i]);
	}
	libroc_pass_modify(c, CRU_BAR_CARD, CRU_WRAPPER(0) + CRU_WRAPPER_TEST,
			   CRU_WRAPPER_TEST_8BIT, was->wrapper & CRU_WRAPPER_TEST_8BIT);
}

/* Restore the links after a failure, which remains the error of the pass. */
static void put_back_failed(struct libroc_pass *c, const struct roc_cru_loopback_saved *was)
{
	char first[ROC_ERROR_MAX];
	int err = c->err;

	snprintf(first, sizeof(first), "%s", roc_error());
	c->err = 0;
	put_back(c, was);
	roc_fail(-err, "%.900s (%s)", first,
		 c->err ? "the links could not be restored: configure the card"
			: "the links were restored");
	c->err = err;
}

int roc_cru_loopback_start(struct roc_endpoint *ep, const struct roc_cru_loopback *test,
			   struct roc_cru_loopback_saved *saved)
{
	const uint32_t masks[3] = {test->mask_low, test->mask_medium, test->mask_high};
	struct roc_cru_loopback_saved was = {.links = test->links};
	struct libroc_pass c;
	unsigned int l, i;
	int ret;

	ret = begin(ep, &c, test->links, true);
	if (ret)
		return ret;
	libroc_pass_need_stopped(&c, "cannot test the links");
	read_back(&c, &was);
	if (c.err)
		return libroc_pass_end(&c);
	libroc_pass_modify(&c, CRU_BAR_CARD, CRU_WRAPPER(0) + CRU_WRAPPER_TEST,
			   CRU_WRAPPER_TEST_8BIT, test->counter_8bit ? CRU_WRAPPER_TEST_8BIT : 0);
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		if (!(test->links & 1u << l))
			continue;
		libroc_pass_modify(&c, CRU_BAR_CARD, c.base[l] + CRU_GBT_SOURCE, source_bits,
				   CRU_GBT_SOURCE_GENERATOR |
					   (test->static_pattern ? CRU_GBT_SOURCE_STATIC : 0));
		for (i = 0; i < 3; i++)
			libroc_pass_write(&c, CRU_BAR_CARD, c.base[l] + mask_registers[i],
					  masks[i]);
	}
	libroc_pass_sleep(&c, SETTLE_US);
	if (c.err)
		put_back_failed(&c, &was);
	ret = libroc_pass_end(&c);
	if (!ret)
		*saved = was;
	return ret;
}

int roc_cru_loopback_clear(struct roc_endpoint *ep, uint32_t links)
{
	struct libroc_pass c;
	unsigned int l;
	int ret;

	ret = begin(ep, &c, links, true);
	if (ret)
		return ret;
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (links & 1u << l)
			libroc_pass_pulse(&c, CRU_BAR_CARD, c.base[l] + CRU_GBT_SOURCE,
					  CRU_GBT_SOURCE_CLEAR);
	return libroc_pass_end(&c);
}

int roc_cru_loopback_read(struct roc_endpoint *ep, uint32_t links,
			  struct roc_cru_loopback_link *results)
{
	struct libroc_pass c;
	unsigned int l;
	int ret;

	ret = begin(ep, &c, links, false);
	if (ret)
		return ret;
	for (l = 0; l < ROC_CRU_LINKS && !c.err; l++)
		if (links & 1u << l)
			libroc_values_read(&c, results_table, LIBROC_COUNT(results_table), l,
					   &results[l]);
	return libroc_pass_end(&c);
}

int roc_cru_loopback_stop(struct roc_endpoint *ep, const struct roc_cru_loopback_saved *saved)
{
	struct libroc_pass c;
	int ret;

	ret = begin(ep, &c, saved->links, true);
	if (ret)
		return ret;
	put_back(&c, saved);
	return libroc_pass_end(&c);
}
