// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding a CRU.
 */
#include "cru_tool.h"

#include <roc/cru.h>

#include <math.h>

#include "card.h"
#include "kmod/cards/cru/cru_regs.h"
#include "tool.h"

int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep)
{
	const struct card_kind *kind;
	int code = card_find(id, card, &kind);

	if (code)
		return code;
	if (!kind->cru)
		return tool_fail("%s is a %s; this tool is for a CRU.", card_called(card, id),
				 roc_card_type_name(card->type));
	if (roc_open_card(card, id, ep))
		return tool_fail("%s", roc_error());
	return TOOL_OK;
}

double cru_temperature(struct roc_endpoint *ep)
{
	uint32_t word, raw;

	if (roc_reg_read(ep, CRU_BAR_CARD, CRU_TEMPERATURE, &word) || word == UINT32_MAX)
		return NAN;
	raw = word & CRU_TEMPERATURE_RAW;
	return raw ? raw * (double)CRU_TEMPERATURE_RANGE / 1024 - CRU_TEMPERATURE_ZERO : NAN;
}
