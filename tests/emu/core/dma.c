// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * See dma.h.
 */
#include "dma.h"

#include <string.h>

bool dma_put(const struct card_host *host, unsigned int fn, uint64_t addr, const void *data,
	     size_t bytes, uint64_t *outside)
{
	const uint8_t *from = data;

	while (bytes) {
		size_t len = bytes;
		void *ptr;

		switch (host->dma(host->ctx, fn, addr, &len, &ptr)) {
		case CARD_DMA_NO_MASTER:
			return false;
		case CARD_DMA_OUTSIDE:
			++*outside;
			break;
		case CARD_DMA_OK:
			memcpy(ptr, from, len);
			break;
		}
		addr += len;
		from += len;
		bytes -= len;
	}
	return true;
}
