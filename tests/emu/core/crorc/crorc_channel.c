// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One DMA channel of the C-RORC: a single superpage, pages written into it, and the completion
 * block.
 */
#include "crorc.h"

#include <string.h>

#define MS 1000000ull
#define SIZE_BITS 0xffffffu

static void no_master(struct crorc_channel *ch)
{
	/* The PCIe core delays the request. Count once per wait. */
	if (!ch->no_master)
		ch->n.dma_no_master++;
	ch->no_master = true;
}

/* Write @bytes to @addr in contiguous pieces. False: bus mastering is off. */
static bool put_bytes(struct crorc_channel *ch, uint64_t addr, const void *data, size_t bytes)
{
	const struct card_host *host = ch->card->host;
	const uint8_t *from = data;

	while (bytes) {
		size_t len = bytes;
		void *ptr;

		switch (host->dma(host->ctx, CRORC_FN, addr, &len, &ptr)) {
		case CARD_DMA_NO_MASTER:
			no_master(ch);
			return false;
		case CARD_DMA_OUTSIDE:
			ch->n.dma_outside++;
			ch->card->dma_outside_ever++;
			break;
		case CARD_DMA_OK:
			/*
			 * Write the block as one PCIe packet, so that a reader never sees half of
			 * it.
			 */
			if (len == 8 && !((uintptr_t)ptr % 8)) {
				uint64_t word;

				memcpy(&word, from, sizeof(word));
				__atomic_store_n((uint64_t *)ptr, word, __ATOMIC_RELEASE);
			} else {
				memcpy(ptr, from, len);
			}
			break;
		}
		addr += len;
		from += len;
		bytes -= len;
	}
	ch->no_master = false;
	return true;
}

bool crorc_channel_put(struct crorc_channel *ch, const struct page *page, uint32_t step)
{
	const struct card_host *host = ch->card->host;
	size_t bytes = page_bytes(page), len = bytes;
	void *ptr;

	if (host->dma(host->ctx, CRORC_FN, ch->addr + ch->used, &len, &ptr) == CARD_DMA_OK &&
	    len == bytes) {
		page_write(ptr, page);
		ch->no_master = false;
	} else {
		page_write(ch->card->scratch_page, page);
		if (!put_bytes(ch, ch->addr + ch->used, ch->card->scratch_page, bytes))
			return false;
	}
	ch->n.dma_writes++;
	ch->used += step;
	ch->cur_packets++;
	return true;
}

void crorc_channel_resume(struct crorc_channel *ch)
{
	uint64_t now = crorc_now(ch->card);

	if (!ch->xoff)
		return;
	ch->xoff = false;
	ch->n.xoff_ns += now - ch->xoff_since;
	if (ch->card->full_line && ch->source.pace_ns < now)
		ch->source.pace_ns = now;
}

void crorc_channel_push(struct crorc_channel *ch, uint32_t size)
{
	uint64_t addr = (uint64_t)ch->sp_high << 32 | ch->sp_low;

	if (event_enabled(&ch->card->events, ch->nr)) {
		event_pushed(&ch->card->events, ch->nr);
		return;
	}
	ch->sp_size = size & SIZE_BITS;
	ch->pushed++;
	ch->n.pushes++;
	/*
	 * The behaviour of the card with such a descriptor is unknown. Count it and do not use it.
	 */
	if (!size || size > CRORC_SUPERPAGE_MAX || size % CRORC_SUPERPAGE_ALIGN || addr % 4) {
		ch->n.bad_push++;
		return;
	}
	if (ch->open || ch->closing) {
		ch->n.protocol_errors++;
		return;
	}
	ch->open = true;
	ch->addr = addr;
	ch->size = size;
	ch->used = 0;
	ch->cur_packets = 0;
	crorc_channel_resume(ch);
}

/* Write the completion block after the payload. From then on the superpage belongs to the host. */
static bool complete(struct crorc_channel *ch)
{
	uint64_t addr = (uint64_t)ch->done_high << 32 | ch->done_low;
	uint8_t count = ch->done_next;
	uint32_t block[2];

	block[CRORC_DONE_SIZE_OFFSET / 4] = ch->done_size;
	block[CRORC_DONE_COUNT_OFFSET / 4] = count;
	if (!put_bytes(ch, addr, block, sizeof(block)))
		return false;
	ch->done_next = count + 1;
	ch->closing = false;
	ch->n.superpages++;
	ch->n.bytes += ch->done_bytes;
	ch->n.packets += ch->done_packets;
	return true;
}

static void write_stray(struct crorc_channel *ch)
{
	uint8_t *page = ch->card->scratch_page;

	memset(page, 0x5a, CRORC_PAGE_SIZE);
	if (!put_bytes(ch, ch->stray_addr, page, CRORC_PAGE_SIZE))
		return;
	ch->stray_due = 0;
	ch->n.dma_writes++;
	ch->n.stray_writes++;
}

uint64_t crorc_channel_count_done(struct crorc_channel *ch, uint64_t now)
{
	uint64_t when = CARD_STEP_IDLE;

	if (crorc_fault_on(ch, CRORC_STALL))
		return when;
	if (ch->stray_due && ch->stray_due <= now)
		write_stray(ch);
	else if (ch->stray_due)
		when = ch->stray_due;
	if (!ch->closing)
		return when;
	if (ch->done_due > now)
		return ch->done_due < when ? ch->done_due : when;
	complete(ch);
	return when;
}

/*
 * Reuse the superpage as if the host had returned it at once. This shows the card's speed without
 * waits.
 */
static void use_again(struct crorc_channel *ch)
{
	ch->n.recycled += ch->used;
	ch->n.discarded += ch->cur_packets;
	ch->used = 0;
	ch->cur_packets = 0;
}

/* Read the clock here: the stamp must be the time of completion, not that of the step's start. */
static void stamp(struct crorc_channel *ch)
{
	const struct card_host *host = ch->card->host;
	uint64_t now = crorc_now(ch->card);
	size_t len = sizeof(now);
	void *ptr;

	if (host->dma(host->ctx, CRORC_FN, ch->addr, &len, &ptr) == CARD_DMA_OK &&
	    len == sizeof(now))
		memcpy(ptr, &now, sizeof(now));
}

static void close_at(struct crorc_channel *ch, uint64_t now, uint64_t due, bool flush)
{
	if (ch->card->recycle) {
		use_again(ch);
		return;
	}
	if (ch->card->stamp)
		stamp(ch);
	ch->done_bytes = ch->used;
	ch->done_packets = ch->cur_packets;
	ch->done_size = ch->used & CRORC_DONE_BYTES;
	if (crorc_fault_on(ch, CRORC_SIZE_BIG))
		ch->done_size = ch->size + crorc_fault_once(ch, CRORC_SIZE_BIG);
	else if (crorc_fault_take(ch, CRORC_SIZE_ZERO))
		ch->done_size = 0;
	if (event_enabled(&ch->card->events, ch->nr)) {
		crorc_events_close(ch, ch->done_size, due, flush);
		return;
	}
	ch->done_next += crorc_fault_once(ch, CRORC_COUNT_JUMP);
	ch->done_due = due;
	ch->open = false;
	ch->closing = true;
	crorc_channel_count_done(ch, now);
}

void crorc_channel_close(struct crorc_channel *ch, uint64_t now)
{
	close_at(ch, now, now + crorc_fault_on(ch, CRORC_LATE_COMPLETION) * MS, false);
}

void crorc_channel_flush(struct crorc_channel *ch)
{
	uint64_t now = crorc_now(ch->card);
	uint64_t late = crorc_fault_on(ch, CRORC_LATE_FLUSH);
	bool fetched;

	ch->n.flushes++;
	if (!late)
		late = crorc_fault_on(ch, CRORC_LATE_COMPLETION);
	if (crorc_fault_on(ch, CRORC_STALL))
		return;
	if (ch->open && ch->used)
		close_at(ch, now, now + late * MS, true);
	event_flush(&ch->card->events, ch->nr);
	event_turn(&ch->card->events, now, &fetched);
}

/* Fault write-after-off: the card writes after it was disabled. */
static void note_off(struct crorc_channel *ch)
{
	uint64_t late = crorc_fault_on(ch, CRORC_WRITE_AFTER_OFF);

	if (!ch->dma_on || !late || !ch->size)
		return;
	ch->stray_due = crorc_now(ch->card) + late * MS;
	ch->stray_addr = ch->addr;
}

void crorc_channel_dma_off(struct crorc_channel *ch)
{
	note_off(ch);
	ch->dma_on = false;
}

static void reset(struct crorc_channel *ch)
{
	event_reset(&ch->card->events, ch->nr);
	crorc_events_drop_all(ch);
	crorc_channel_resume(ch);
	crorc_source_restart(ch);
	crorc_ddl_reset(ch);
	ch->dma_on = false;
	ch->loopback = false;
	ch->generator = 0;
	ch->sp_high = 0;
	ch->sp_low = 0;
	ch->sp_size = 0;
	ch->pushed = 0;
	ch->done_next = ch->set.count_start;
	ch->packets = 0;
	ch->rate_now = 0;
	ch->rate_last = 0;
}

void crorc_channel_reset(struct crorc_channel *ch)
{
	ch->n.resets++;
	if (crorc_fault_on(ch, CRORC_RESET_IGNORED))
		return;
	note_off(ch);
	reset(ch);
}

void crorc_channel_power_on(struct crorc_channel *ch)
{
	reset(ch);
	ch->done_low = 0;
	ch->done_high = 0;
	ch->orbit_sor = 0;
	ch->size = 0;
	ch->stray_due = 0;
	ch->unread_ns = 0;
	ch->ddl.fee_open = false;
}
