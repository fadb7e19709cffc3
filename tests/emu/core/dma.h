/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small writes of a card into host memory, split at the borders of mappings.
 */
#ifndef EMU_DMA_H
#define EMU_DMA_H

#include "card.h"

/*
 * Returns false and writes nothing if bus mastering is off. Each piece that is outside counts in
 * *@outside.
 */
bool dma_put(const struct card_host *host, unsigned int fn, uint64_t addr, const void *data,
	     size_t bytes, uint64_t *outside);

#endif /* EMU_DMA_H */
