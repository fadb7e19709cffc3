// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring of a stream: the host memory of a position, and the accounting of units.
 */
#include "p40.h"

uint32_t p40_lines(const struct p40_stream *st)
{
	return 1u << (st->ring_log2 - STREAM_LINE_LOG2);
}

uint32_t p40_space(const struct p40_stream *st)
{
	return p40_lines(st) - (st->written - st->read);
}

enum card_dma p40_ring_at(struct p40_stream *st, uint32_t position, uint32_t offset, size_t *len,
			  void **ptr)
{
	const struct card_host *host = st->unit.card->host;
	uint64_t size = 1ull << st->ring_log2;
	uint64_t at = ((uint64_t)position * STREAM_LINE + offset) & (size - 1);
	uint64_t addr = st->unit.base[P40_RING] + at, left = size - at;
	enum card_dma how;

	if (st->unit.table) {
		uint64_t segment = 1ull << st->segment_log2, in = at & (segment - 1);

		addr = st->unit.table[at >> st->segment_log2] + in;
		left = segment - in;
	}
	if (*len > left)
		*len = left;
	how = host->dma(host->ctx, UNIT_FN, addr, len, ptr);
	if (how == CARD_DMA_OUTSIDE)
		unit_outside(&st->unit);
	if (how == CARD_DMA_NO_MASTER)
		unit_no_master(&st->unit);
	else
		st->unit.no_master = false;
	return how;
}

bool p40_unit_skip(struct p40_stream *st, uint32_t events)
{
	if (!unit_fault_take(&st->unit, P40_RECORD_HOLE))
		return false;
	st->skipped++;
	st->n.units_skipped++;
	st->unit.total[P40_DISCARDED] += events;
	st->counters_due = true;
	return true;
}

void p40_unit_done(struct p40_stream *st, uint32_t lines, uint32_t events, uint64_t last)
{
	uint64_t *total = st->unit.total;

	st->written += lines;
	st->units++;
	st->last_event = last;
	total[P40_UNITS]++;
	total[P40_BYTES] += (uint64_t)lines * STREAM_LINE;
	total[P40_EVENTS] += events;
	st->state_due = true;
	st->counters_due = true;
}
