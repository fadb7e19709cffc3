// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Look up cards and their types, and format their names for messages.
 */
#include "card.h"

#include <roc/cru.h>

#include <math.h>
#include <unistd.h>

#include "kmod/cards/cru/cru_regs.h"
#include "tool.h"

const struct card_type *card_type_find(enum roc_card_type type)
{
	const struct card_type *found;

	for (found = card_types; found->type; found++)
		if (found->type == type)
			return found;
	return NULL;
}

const char *card_name(enum roc_card_type type)
{
	const struct card_type *found = card_type_find(type);

	return found ? found->name : "a card of an unknown type";
}

const char *card_called(const struct roc_card *card, const char *id)
{
	static char text[ROC_CARD_NAME_MAX];

	roc_card_name(card, id, text, sizeof(text));
	return text;
}

int card_fail_unknown(const struct roc_card *card, const char *id)
{
	return tool_fail("%s has a card type that these tools do not support: install newer tools.",
			 card_called(card, id));
}

int card_fragments(const struct roc_card *card, const char *id,
		   const struct fragment_registers **registers)
{
	const struct card_type *found = card_type_find(card->type);

	*registers = found ? found->fragments : NULL;
	return *registers ? TOOL_OK : card_fail_unknown(card, id);
}

int card_find(const char *id, struct roc_card *card, const struct card_type **type)
{
	int err = roc_find(id, card);

	if (err)
		return tool_fail_card(err);
	*type = card_type_find(card->type);
	return *type ? TOOL_OK : card_fail_unknown(card, id);
}

int cards_list(struct roc_card **cards, size_t *count)
{
	if (roc_enumerate(cards, count))
		return tool_fail("%s", roc_error());
	if (*count)
		return TOOL_OK;
	if (access("/sys/class/roc", F_OK))
		return tool_fail(
			"No card found: the roc module is not loaded. Load it with sudo modprobe roc, or install it first with make dkms-install.");
	return tool_fail(
		"No card found: the roc module is loaded but bound to no device. Check with lspci -nnk -d 10dc: whether the card is in a slot and which driver is bound to it.");
}

int card_open(const char *id, struct roc_card *card, struct roc_endpoint **ep,
	      const struct card_type **type)
{
	int code = card_find(id, card, type);

	if (!code && roc_open_card(card, id, ep))
		code = tool_fail("%s", roc_error());
	return code;
}

int card_open_any(const char *id, struct roc_card *card, struct roc_endpoint **ep)
{
	int err = roc_find(id, card);

	if (err)
		return tool_fail_card(err);
	return roc_open_card(card, id, ep) ? tool_fail("%s", roc_error()) : TOOL_OK;
}

int card_serial_check(const struct roc_card *card, const char *id, bool force)
{
	static const char sentence[] =
		"%s has no valid serial number, so the card is in a bad state: load its firmware again%s.";

	if (card->serial > 0 && card->serial != 0x7fffffff)
		return TOOL_OK;
	if (!force)
		return tool_fail(sentence, card_called(card, id), ", or use --force-report");
	tool_note(sentence, card_called(card, id), "");
	return TOOL_OK;
}

int cru_open(const char *id, struct roc_card *card, struct roc_endpoint **ep)
{
	const struct card_type *found = NULL;
	int code = card_find(id, card, &found);

	if (!found)
		return code;
	if (!found->cru)
		return tool_fail("%s is a %s: this tool supports only a CRU.",
				 card_called(card, id), roc_card_type_name(card->type));
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
