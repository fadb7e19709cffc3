/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small writes of a card into host memory, whatever pieces that is in.
 */
#ifndef EMU_DMA_H
#define EMU_DMA_H

#include "card.h"

/* False: no bus mastering, nothing was written. Each piece that is outside counts in *@outside. */
bool dma_put(const struct card_host *host, unsigned int fn, uint64_t addr, const void *data,
	     size_t bytes, uint64_t *outside);

#endif /* EMU_DMA_H */
