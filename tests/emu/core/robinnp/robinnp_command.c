// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands of the host: fetched from their ring, checked, carried out one after the other, and
 * completed.
 */
#include "robinnp.h"
#include "../pattern.h"

#include <endian.h>
#include <string.h>

#define WORTH 64 /* bytes of the budget for a command without data */

void robinnp_command_doorbell(struct robinnp_sub *sub, uint32_t value)
{
	sub->n.command_doorbells++;
	if (!unit_doorbell(&sub->unit))
		return;
	if (value - sub->executed > 1u << sub->command_log2 ||
	    value - sub->executed < sub->commands_submitted - sub->executed) {
		unit_host_error(&sub->unit);
		return;
	}
	sub->unit.total[FRAGMENT_COUNT_COMMANDS] += value - sub->commands_submitted;
	sub->commands_submitted = value;
}

/* Fetch the available commands up to the end of the ring. */
static void fetch(struct robinnp_sub *sub)
{
	uint32_t slot = fragment_slot(sub->fetched, sub->command_log2);
	uint32_t n = (1u << sub->command_log2) - slot,
		 left = sub->commands_submitted - sub->fetched;

	n = n < left ? n : left;
	n = n < ROBINNP_FETCH ? n : ROBINNP_FETCH;
	if (!n)
		return;
	if (unit_fault_take(&sub->unit, UNIT_FETCH_ERROR)) {
		unit_fetch_failed(&sub->unit);
		return;
	}
	switch (unit_get(&sub->unit, sub->unit.base[ROBINNP_COMMAND] + slot * sizeof(sub->fetch[0]),
			 sub->fetch, n * sizeof(sub->fetch[0]))) {
	case CARD_DMA_NO_MASTER:
		return;
	case CARD_DMA_OUTSIDE:
		unit_fetch_failed(&sub->unit);
		return;
	case CARD_DMA_OK:
		break;
	}
	sub->n.fetches++;
	sub->fetch_at = 0;
	sub->fetch_count = n;
	sub->fetched += n;
}

static uint32_t check_command(const struct robinnp_sub *sub, const struct fragment_command *c)
{
	uint32_t op = le32toh(c->op), word = le32toh(c->page);
	const struct robinnp_page *page;

	if (!op || op & ~(FRAGMENT_OP_TRANSFER | FRAGMENT_OP_RELEASE))
		return FRAGMENT_DONE_BAD_OP;
	if (!robinnp_page_there(sub, word))
		return FRAGMENT_DONE_BAD_PAGE;
	page = robinnp_page((struct robinnp_sub *)sub, word);
	if (page->state != ROBINNP_HOST || (op & FRAGMENT_OP_TRANSFER && !page->fragment.size))
		return FRAGMENT_DONE_BAD_PAGE;
	if (op & FRAGMENT_OP_TRANSFER && le32toh(c->host_page) >= sub->run_host_pages)
		return FRAGMENT_DONE_BAD_HOST_PAGE;
	return FRAGMENT_DONE_OK;
}

/* The words of a fragment, including its header. */
static void build(const struct robinnp_fragment *f, uint32_t source, bool flip, void *to)
{
	const bool format = f->status & FRAGMENT_IS_FORMAT;
	struct fragment_header h = {
		.magic = htole32(format ? 0 : FRAGMENT_MAGIC),
		.event = htole32(f->event),
		.source = htole32(source),
		.size = htole32(f->full),
	};
	struct page page = {
		.pattern = PATTERN_WORDS,
		.counter = fragment_pattern(source, f->event),
		.payload = f->size > sizeof(h) ? f->size - sizeof(h) : 0,
		.flip = flip && f->size > sizeof(h),
	};

	memcpy(to, &h, f->size < sizeof(h) ? f->size : sizeof(h));
	if (page.payload)
		page_write((uint8_t *)to + sizeof(h), &page);
}

static bool transfer(struct robinnp_sub *sub, const struct fragment_command *c)
{
	const struct card_host *host = sub->unit.card->host;
	uint32_t word = le32toh(c->page);
	const struct robinnp_fragment *f = &robinnp_page(sub, word)->fragment;
	uint32_t source =
		fragment_source(f->source, sub->unit.nr * ROBINNP_LINKS + FRAGMENT_PAGE_LINK(word));
	uint64_t at = sub->unit.table[le32toh(c->host_page)];
	bool flip = f->flip;
	uint8_t copy[1 << FRAGMENT_PAGE_MAX];
	size_t len = f->size;
	void *ptr;

	switch (host->dma(host->ctx, UNIT_FN, at, &len, &ptr)) {
	case CARD_DMA_NO_MASTER:
		unit_no_master(&sub->unit);
		return false;
	case CARD_DMA_OUTSIDE:
		break;
	case CARD_DMA_OK:
		if (len < f->size)
			break;
		flip |= unit_fault_take(&sub->unit, ROBINNP_FLIP);
		build(f, source, flip, ptr);
		sub->unit.n.dma_writes++;
		sub->unit.no_master = false;
		return true;
	}
	/* Is the host page missing, or not contiguous? */
	build(f, source, flip, copy);
	sub->unit.n.dma_writes++;
	return unit_put(&sub->unit, at, copy, f->size);
}

static bool put_entry(struct robinnp_sub *sub, struct fragment_completion *d)
{
	uint32_t slot = fragment_slot(sub->completions, sub->command_log2);
	uint32_t phase = fragment_phase(sub->completions, sub->run_start, sub->command_log2);
	uint64_t at = sub->unit.base[ROBINNP_DONE] + slot * sizeof(*d);
	const size_t last = offsetof(struct fragment_completion, status);

	if (unit_fault_take(&sub->unit, ROBINNP_DONE_PHASE))
		phase ^= FRAGMENT_PHASE;
	d->status = htole32(FRAGMENT_DONE_STATUS(le32toh(d->status)) | phase);
	/* Write the word with the phase last. */
	if (!unit_put(&sub->unit, at, d, last))
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	unit_put(&sub->unit, at + last, &d->status, sizeof(d->status));
	sub->unit.n.dma_writes++;
	sub->completions++;
	return true;
}

/* False: bus mastering is off. */
static bool complete(struct robinnp_sub *sub, const struct fragment_command *c, uint32_t status)
{
	uint32_t op = le32toh(c->op), word = le32toh(c->page), size = 0, event = 0;
	bool ok = status == FRAGMENT_DONE_OK;
	struct fragment_completion d;

	if (ok) {
		event = robinnp_page(sub, word)->fragment.event;
		size = op & FRAGMENT_OP_TRANSFER ? robinnp_page(sub, word)->fragment.size : 0;
	}
	if (unit_fault_take(&sub->unit, ROBINNP_DONE_STATUS))
		status = 0x7777;
	d = (struct fragment_completion){
		.tag = c->tag,
		.size = htole32(size + unit_fault_once(&sub->unit, ROBINNP_DONE_SIZE)),
		.event = htole32(event),
		.status = htole32(status),
	};
	if (unit_fault_take(&sub->unit, ROBINNP_DONE_TAG))
		d.tag = ~d.tag;
	if (unit_fault_take(&sub->unit, ROBINNP_DONE_HOLE)) {
		sub->n.entries_skipped++;
		sub->completions++;
	} else if (unit_fault_take(&sub->unit, ROBINNP_DONE_LOST))
		sub->n.completions_lost++;
	else if (!put_entry(sub, &d))
		return false;
	else if (unit_fault_take(&sub->unit, ROBINNP_DONE_TWICE))
		sub->n.completions_twice += put_entry(sub, &d);
	return true;
}

static void count(struct robinnp_sub *sub, const struct fragment_command *c, uint32_t status)
{
	uint32_t op = le32toh(c->op), word = le32toh(c->page);

	sub->executed++;
	sub->unit.total[FRAGMENT_COUNT_OK + status]++;
	if (status != FRAGMENT_DONE_OK)
		return;
	if (op & FRAGMENT_OP_TRANSFER) {
		sub->unit.total[FRAGMENT_COUNT_TRANSFERS]++;
		sub->unit.total[FRAGMENT_COUNT_BYTES] += robinnp_page(sub, word)->fragment.size;
	}
	if (op & FRAGMENT_OP_RELEASE) {
		sub->unit.total[FRAGMENT_COUNT_RELEASES]++;
		robinnp_page_back(sub, word);
	}
}

/* False: bus mastering is off, wait. */
static bool carry_out(struct robinnp_sub *sub, const struct fragment_command *c)
{
	uint32_t status = check_command(sub, c);
	bool data = le32toh(c->op) & FRAGMENT_OP_TRANSFER;

	if (status == FRAGMENT_DONE_OK && data) {
		if (unit_fault_take(&sub->unit, ROBINNP_ABORT))
			status = FRAGMENT_DONE_ABORTED;
		else if (!transfer(sub, c))
			return false;
	}
	if (!complete(sub, c, status))
		return false;
	count(sub, c, status);
	return true;
}

/* With the key shuffle: the last command that shares no page with an earlier one. */
static unsigned int pick(const struct robinnp_sub *sub)
{
	unsigned int i, k;

	if (!robinnp_of(sub)->shuffle)
		return sub->fetch_at;
	for (i = sub->fetch_count - 1; i > sub->fetch_at; i--) {
		for (k = sub->fetch_at; k < i && sub->fetch[k].page != sub->fetch[i].page; k++)
			;
		if (k == i)
			break;
	}
	return i;
}

/* Select one of the fetched commands. */
static bool next(struct robinnp_sub *sub)
{
	unsigned int i = pick(sub);
	struct fragment_command c = sub->fetch[i];

	if (!carry_out(sub, &c))
		return false;
	for (; i > sub->fetch_at; i--)
		sub->fetch[i] = sub->fetch[i - 1];
	sub->fetch_at++;
	return true;
}

static bool late(struct robinnp_sub *sub, uint64_t now, uint64_t *when)
{
	uint32_t us = sub->unit.fault[ROBINNP_DONE_LATE];

	if (!us || sub->commands_submitted == sub->executed)
		sub->done_ns = 0;
	else if (unit_late(us, &sub->done_ns, now, when))
		return true;
	return unit_paced(&sub->unit, now, when);
}

size_t robinnp_command_turn(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when)
{
	size_t moved = 0;

	while (moved < budget && sub->unit.enabled) {
		uint64_t before = sub->unit.total[FRAGMENT_COUNT_BYTES];

		if (late(sub, now, when))
			break;
		if (sub->fetch_at == sub->fetch_count)
			fetch(sub);
		if (!sub->unit.enabled || sub->fetch_at == sub->fetch_count || !next(sub))
			break;
		moved += WORTH + sub->unit.total[FRAGMENT_COUNT_BYTES] - before;
		unit_pace(&sub->unit, sub->unit.total[FRAGMENT_COUNT_BYTES] - before);
		sub->done_ns = 0;
	}
	return moved;
}
