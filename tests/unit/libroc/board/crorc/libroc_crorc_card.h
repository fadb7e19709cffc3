/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connect the library to the model of an emulated C-RORC; see libroc_card.h. */
#ifndef ROC_UNIT_LIBROC_CRORC_CARD_H
#define ROC_UNIT_LIBROC_CRORC_CARD_H

#define HOST_CARD crorc_card
#include "tests/unit/emu/emu_host_card.h"
#include "libroc/board/crorc/libroc_crorc.h"

#define CARD_TYPE ROC_CARD_CRORC
#define CARD_SERIAL_NUMBER 1001
#define CARD_HASH_AT 2, CRORC_FW_HASH
#include "tests/unit/libroc/board/libroc_card.h"

static struct roc_endpoint *const ep = &card.ep[0];

__attribute__((unused)) static uint32_t peek(unsigned int bar, uint32_t offset)
{
	return crorc_card.peek(host.card, 0, bar, offset);
}

__attribute__((unused)) static void poke(unsigned int bar, uint32_t offset, uint32_t value)
{
	UNIT_NEED(crorc_card.poke(host.card, 0, bar, offset, value));
}

#endif /* ROC_UNIT_LIBROC_CRORC_CARD_H */
