// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP's way into host memory, and what is counted there.
 */
#include "robinnp.h"
#include "../dma.h"

#include <string.h>

void robinnp_outside(struct robinnp_sub *sub)
{
	sub->n.dma_outside++;
	sub->card->dma_outside_ever++;
}

void robinnp_no_master(struct robinnp_sub *sub)
{
	/* The core holds the request back; one count for each time that happens. */
	if (!sub->no_master)
		sub->n.dma_no_master++;
	sub->no_master = true;
}

bool robinnp_put(struct robinnp_sub *sub, uint64_t addr, const void *data, size_t bytes)
{
	uint64_t outside = 0;

	if (!dma_put(sub->card->host, ROBINNP_FN, addr, data, bytes, &outside)) {
		robinnp_no_master(sub);
		return false;
	}
	while (outside--)
		robinnp_outside(sub);
	sub->no_master = false;
	return true;
}

enum card_dma robinnp_get(struct robinnp_sub *sub, uint64_t addr, void *data, size_t bytes)
{
	const struct card_host *host = sub->card->host;
	uint8_t *to = data;

	while (bytes) {
		size_t len = bytes;
		void *ptr;
		enum card_dma how = host->dma_read(host->ctx, ROBINNP_FN, addr, &len, &ptr);

		if (how == CARD_DMA_NO_MASTER)
			robinnp_no_master(sub);
		if (how == CARD_DMA_OUTSIDE)
			robinnp_outside(sub);
		if (how != CARD_DMA_OK)
			return how;
		memcpy(to, ptr, len);
		addr += len;
		to += len;
		bytes -= len;
	}
	sub->no_master = false;
	return CARD_DMA_OK;
}
