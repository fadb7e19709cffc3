// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begin a pass over a CRU, locate its values, and find the links of the card. */
#include <errno.h>

#include "libroc_cru.h"

static struct libroc_where where(const struct libroc_pass *c, const struct libroc_value *v,
				 unsigned int link)
{
	struct libroc_where w = {CRU_BAR_CARD, v->offset, v->mask};
	unsigned int physical = CRU_MUX_PHYSICAL(c->e, link);

	switch ((enum libroc_place)v->place) {
	case LIBROC_DMA:
		w.bar = CRU_BAR_DMA;
		break;
	case LIBROC_CARD:
		break;
	case LIBROC_DATAPATH_LINK:
		w.mask <<= link;
		w.offset += CRU_DATAPATH(c->e);
		break;
	case LIBROC_DATAPATH_EP:
		w.mask <<= c->e;
		w.offset += CRU_DATAPATH(c->e);
		break;
	case LIBROC_DATAPATH:
		w.offset += CRU_DATAPATH(c->e);
		break;
	case LIBROC_DPL:
		w.offset += CRU_DATAPATH_LINK(c->e, link);
		break;
	case LIBROC_DPL_UL:
		w.offset += CRU_DATAPATH_LINK(c->e, CRU_LINK_USER_LOGIC);
		break;
	case LIBROC_GBT:
		w.offset += c->base[link];
		break;
	case LIBROC_MUX:
		w.offset = CRU_MUX(physical);
		w.mask = (uint32_t)CRU_MUX_MASK << CRU_MUX_SHIFT(physical);
		break;
	}
	return w;
}

int libroc_cru_begin(struct roc_endpoint *ep, struct libroc_pass *c, bool lock)
{
	struct roc_ep_info info;
	int ret;

	ret = libroc_pass_begin(ep, c, ROC_CARD_CRU, lock, &info);
	if (ret)
		return ret;
	if (info.endpoint < 0 || info.endpoint >= CRU_ENDPOINTS) {
		libroc_pass_fail(c,
				 roc_fail(EIO, "%s: cannot read the endpoint number from the card",
					  roc_endpoint_name(ep)));
		return libroc_pass_end(c);
	}
	c->where = where;
	c->e = info.endpoint;
	return 0;
}

/* A wrapper exists and its clock runs if its clock counter advances. */
static bool has_wrapper(struct libroc_pass *c, unsigned int w)
{
	uint32_t offset = CRU_WRAPPER(w) + CRU_WRAPPER_CLOCK;

	return libroc_pass_read(c, CRU_BAR_CARD, offset) !=
	       libroc_pass_read(c, CRU_BAR_CARD, offset);
}

/*
 * Banks 2e and 2e + 1 of wrapper 0 belong to endpoint e, and links alternate between them. Other
 * layouts than six links per bank do not exist.
 */
static uint32_t layout_links(struct libroc_pass *c)
{
	unsigned int b, k, n;
	uint32_t links = 0;

	for (b = 0; b < 2; b++) {
		n = libroc_cru_bank_links(c, 2 * c->e + b);
		for (k = 0; k < n; k++) {
			links |= 1u << (2 * k + b);
			c->base[2 * k + b] = CRU_GBT_LINK(0, 2 * c->e + b, k);
		}
	}
	return links;
}

unsigned int libroc_cru_bank_links(struct libroc_pass *c, unsigned int bank)
{
	uint32_t layout =
		libroc_pass_read_once(c, CRU_BAR_CARD, CRU_WRAPPER(0) + CRU_WRAPPER_CONFIG0);
	unsigned int n = layout >> CRU_WRAPPER_BANK_SHIFT(bank) & 0xf;

	return n < CRU_GBT_BANK_LINKS ? n : CRU_GBT_BANK_LINKS;
}

int libroc_cru_find_links(struct libroc_pass *c, uint32_t need, bool *still)
{
	bool runs = has_wrapper(c, 0);
	uint32_t links = runs || need ? layout_links(c) : 0;
	bool missing = need & ~links;

	if (runs)
		c->links = links;
	if (still)
		*still = !runs && need && !missing;
	if (c->err || (still && *still))
		return c->err;
	if (missing)
		libroc_pass_fail(
			c,
			roc_fail(
				ENOLINK,
				"%s: link %d does not exist: the firmware has the links of mask 0x%x on this endpoint",
				roc_endpoint_name(c->ep), __builtin_ctz(need & ~links), links));
	else if (need && !runs)
		libroc_pass_fail(
			c,
			roc_fail(
				ENOLINK,
				"%s: the clock of the GBT links has stopped: select the clock with roc-config; if that fails, check the clock input",
				roc_endpoint_name(c->ep)));
	return c->err;
}
