/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connect the library to the model of an emulated CRU; see libroc_card.h. */
#ifndef ROC_UNIT_LIBROC_CRU_CARD_H
#define ROC_UNIT_LIBROC_CRU_CARD_H

#include "tests/unit/emu/emu_host.h"
#include "libroc/board/cru/libroc_cru.h"

#define CARD_TYPE ROC_CARD_CRU
#define CARD_SERIAL_NUMBER 245
#define CARD_HASH_AT CRU_BAR_CARD, CRU_FW_HASH
#include "tests/unit/libroc/board/libroc_card.h"

static void cru_begin(void)
{
	card_begin();
	card.stuck_bar = CRU_BAR_CARD;
	libroc_pll_directory = "/nonexistent";
}

__attribute__((unused)) static uint32_t peek(uint32_t offset)
{
	return cru_card.peek(host.card, 0, CRU_BAR_CARD, offset);
}

__attribute__((unused)) static void poke(uint32_t offset, uint32_t value)
{
	UNIT_NEED(cru_card.poke(host.card, 0, CRU_BAR_CARD, offset, value));
}

#endif /* ROC_UNIT_LIBROC_CRU_CARD_H */
