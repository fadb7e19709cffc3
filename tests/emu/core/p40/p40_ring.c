// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40's way into host memory: where a position of a ring is, and small writes besides.
 */
#include "p40.h"
#include "../dma.h"

uint32_t p40_lines(const struct p40_stream *st)
{
	return 1u << (st->ring_log2 - STREAM_LINE_LOG2);
}

uint32_t p40_room(const struct p40_stream *st)
{
	return p40_lines(st) - (st->written - st->read);
}

void p40_outside(struct p40_stream *st)
{
	st->n.dma_outside++;
	st->card->dma_outside_ever++;
}

void p40_no_master(struct p40_stream *st)
{
	/* The core holds the request back; one count for each time that happens. */
	if (!st->no_master)
		st->n.dma_no_master++;
	st->no_master = true;
}

enum card_dma p40_ring_at(struct p40_stream *st, uint32_t position, uint32_t offset, size_t *len,
			  void **ptr)
{
	const struct card_host *host = st->card->host;
	uint64_t size = 1ull << st->ring_log2;
	uint64_t at = ((uint64_t)position * STREAM_LINE + offset) & (size - 1);
	uint64_t addr = st->ring + at, left = size - at;
	enum card_dma how;

	if (st->segment) {
		uint64_t segment = 1ull << st->segment_log2, in = at & (segment - 1);

		addr = st->segment[at >> st->segment_log2] + in;
		left = segment - in;
	}
	if (*len > left)
		*len = left;
	how = host->dma(host->ctx, P40_FN, addr, len, ptr);
	if (how == CARD_DMA_OUTSIDE)
		p40_outside(st);
	if (how == CARD_DMA_NO_MASTER)
		p40_no_master(st);
	else
		st->no_master = false;
	return how;
}

bool p40_put(struct p40_stream *st, uint64_t addr, const void *data, size_t bytes)
{
	uint64_t outside = 0;

	if (!dma_put(st->card->host, P40_FN, addr, data, bytes, &outside)) {
		p40_no_master(st);
		return false;
	}
	while (outside--)
		p40_outside(st);
	st->no_master = false;
	return true;
}
