// SPDX-License-Identifier: LGPL-2.1-or-later
/* Begin a pass over a C-RORC and locate its values. */
#include "libroc_crorc.h"

static struct libroc_where where(const struct libroc_pass *c, const struct libroc_value *v,
				 unsigned int link)
{
	struct libroc_where w = {CRORC_BAR_CARD, v->offset, v->mask};

	switch ((enum libroc_crorc_place)v->place) {
	case LIBROC_CRORC_CARD:
		break;
	case LIBROC_CRORC_CHANNEL:
		w.bar = link;
		break;
	case LIBROC_CRORC_POWER:
		w.offset = CRORC_OPTICAL_POWER(link);
		w.mask = 0xffffu << link % 2 * 16;
		break;
	}
	return w;
}

int libroc_crorc_begin(struct roc_endpoint *ep, struct libroc_pass *c, bool lock)
{
	int ret = libroc_pass_begin(ep, c, ROC_CARD_CRORC, lock, NULL);

	c->where = where;
	return ret;
}
