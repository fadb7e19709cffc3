// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a sub-unit: enable, host-page table, disable, reset, and the step of the engine that
 * all sub-units share.
 */
#include "robinnp.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define SLICE 8192 /* bytes of a sub-unit before the other's turn */
#define TABLE_PIECE 512

uint64_t robinnp_waiting(const struct robinnp_link *link)
{
	return link->filled + link->held;
}

uint32_t robinnp_status(const struct robinnp_sub *sub)
{
	uint32_t status = 0;

	if (sub->enabled)
		status |= FRAGMENT_STATUS_ENABLED;
	if (sub->loading && sub->load_shows)
		status |= FRAGMENT_STATUS_LOADING;
	if (!sub->enabled && !sub->loading && !sub->error_due && !sub->stray_ns &&
	    !sub->card->fault[ROBINNP_NEVER_QUIET])
		status |= FRAGMENT_STATUS_QUIET;
	if (sub->irq[ROBINNP_IRQ_DATA].armed)
		status |= FRAGMENT_STATUS_DATA_ARMED;
	if (sub->irq[ROBINNP_IRQ_DONE].armed)
		status |= FRAGMENT_STATUS_DONE_ARMED;
	if (robinnp_held(sub))
		status |= FRAGMENT_STATUS_HELD;
	if (sub->setup_error)
		status |= FRAGMENT_STATUS_SETUP_ERROR;
	if (sub->fetch_error)
		status |= FRAGMENT_STATUS_FETCH_ERROR;
	if (sub->host_error)
		status |= FRAGMENT_STATUS_HOST_ERROR;
	return status;
}

void robinnp_host_error(struct robinnp_sub *sub)
{
	bool new = !sub->host_error;

	sub->n.host_errors++;
	sub->host_error = true;
	if (new)
		robinnp_error(sub, FRAGMENT_STATUS_HOST_ERROR);
}

static void setup_failed(struct robinnp_sub *sub)
{
	sub->loading = false;
	sub->written_bases = 0;
	sub->n.setup_errors++;
	sub->setup_error = true;
	robinnp_error(sub, FRAGMENT_STATUS_SETUP_ERROR);
}

static bool aligned(const struct robinnp_sub *sub, enum robinnp_base base)
{
	return (sub->written_bases >> 2 * base & 3) == 3 && !(sub->base_low[base] % FRAGMENT_ALIGN);
}

static bool within(uint32_t value, uint32_t min, uint32_t max)
{
	return value >= min && value <= max;
}

static bool setup_ok(const struct robinnp_sub *sub)
{
	uint64_t pages = (uint64_t)sub->pages * ROBINNP_LINKS;
	unsigned int i;

	for (i = 0; i < ROBINNP_TABLE; i++) {
		if (!aligned(sub, i))
			return false;
	}
	if (!within(sub->data_size, FRAGMENT_RING_MIN, ROBINNP_DATA_MAX) ||
	    !within(sub->free_size, FRAGMENT_RING_MIN, ROBINNP_DATA_MAX) ||
	    !within(sub->command_size, FRAGMENT_RING_MIN, ROBINNP_COMMAND_MAX) ||
	    !within(sub->page_size, FRAGMENT_PAGE_MIN, FRAGMENT_PAGE_MAX) || !sub->pages ||
	    sub->pages > ((uint64_t)sub->card->memory << 10) >> sub->page_size ||
	    pages > 1u << sub->data_size || pages > 1u << sub->free_size)
		return false;
	if (!sub->host_pages)
		return true;
	return aligned(sub, ROBINNP_TABLE) && sub->host_pages <= ROBINNP_HOST_PAGES &&
	       within(sub->host_page_size, FRAGMENT_HOST_PAGE_MIN, FRAGMENT_HOST_PAGE_MAX) &&
	       sub->host_page_size >= sub->page_size;
}

static void enabled(struct robinnp_sub *sub)
{
	sub->loading = false;
	if (robinnp_pages_begin(sub)) {
		robinnp_fetch_failed(sub); /* a machine without memory for the card's */
		return;
	}
	sub->enabled = true;
}

/* Entries of the table, a few. False: no further. */
static bool load_piece(struct robinnp_sub *sub)
{
	uint32_t n = sub->run_host_pages - sub->loaded, i;
	__le64 entry[TABLE_PIECE];

	n = n < TABLE_PIECE ? n : TABLE_PIECE;
	switch (robinnp_get(sub, sub->base[ROBINNP_TABLE] + 8ull * sub->loaded, entry, 8 * n)) {
	case CARD_DMA_NO_MASTER:
		return false;
	case CARD_DMA_OUTSIDE:
		robinnp_fetch_failed(sub);
		return false;
	case CARD_DMA_OK:
		break;
	}
	for (i = 0; i < n; i++) {
		uint64_t at = le64toh(entry[i]);

		if (at & ((1ull << sub->run_host_page_size) - 1)) {
			setup_failed(sub);
			return false;
		}
		sub->table[sub->loaded++] = at;
	}
	return sub->loaded < sub->run_host_pages;
}

static uint64_t load_turn(struct robinnp_sub *sub, uint64_t now)
{
	if (!sub->loading)
		return CARD_STEP_IDLE;
	if (sub->load_ns > now)
		return sub->load_ns;
	if (sub->table && robinnp_fault_take(sub, ROBINNP_FETCH_ERROR)) {
		robinnp_fetch_failed(sub);
		return CARD_STEP_IDLE;
	}
	while (sub->table && load_piece(sub))
		;
	if (sub->loading && sub->loaded == sub->run_host_pages)
		enabled(sub);
	return CARD_STEP_IDLE;
}

static bool table_room(struct robinnp_sub *sub)
{
	sub->table = calloc(sub->run_host_pages, sizeof(*sub->table));
	return sub->table;
}

/* What is carried out later shows nothing until then, with a table or without. */
static void load(struct robinnp_sub *sub)
{
	uint64_t now = robinnp_now(sub->card), late = sub->fault[ROBINNP_ENABLE_SLOW];

	sub->loading = true;
	sub->load_shows = sub->table && !late;
	sub->load_ns = now + (late + (sub->table ? sub->fault[ROBINNP_LOAD_SLOW] : 0)) * MS;
	load_turn(sub, now);
}

static void take_over(struct robinnp_sub *sub)
{
	unsigned int i;

	for (i = 0; i < ROBINNP_BASES; i++)
		sub->base[i] = (uint64_t)sub->base_high[i] << 32 | sub->base_low[i];
	sub->data_log2 = sub->data_size;
	sub->free_log2 = sub->free_size;
	sub->command_log2 = sub->command_size;
	sub->run_host_pages = sub->host_pages;
	sub->run_host_page_size = sub->host_page_size;
	sub->run_page_size = sub->page_size;
	sub->run_pages = sub->pages;
}

static void counts_begin(struct robinnp_sub *sub, uint32_t start)
{
	sub->run_start = start;
	sub->descriptors = start;
	sub->completions = start;
	sub->free_told = start;
	sub->freed = start;
	sub->command_told = start;
	sub->fetched = start;
	sub->executed = start;
	sub->fetch_at = 0;
	sub->fetch_count = 0;
}

void robinnp_enable(struct robinnp_sub *sub)
{
	if (sub->enabled || sub->loading)
		return;
	sub->setup_error = false;
	sub->fetch_error = false;
	sub->host_error = false;
	robinnp_irq_begin(sub);
	counts_begin(sub, sub->start);
	if (!setup_ok(sub)) {
		setup_failed(sub);
		return;
	}
	take_over(sub);
	free(sub->table);
	sub->table = NULL;
	sub->loaded = 0;
	if (sub->run_host_pages && !table_room(sub))
		robinnp_fetch_failed(sub);
	else
		load(sub);
}

static void off(struct robinnp_sub *sub)
{
	uint64_t now = robinnp_now(sub->card);
	unsigned int l;

	if (sub->enabled && sub->fault[ROBINNP_WRITE_AFTER_OFF]) {
		sub->stray_ns = now + sub->fault[ROBINNP_WRITE_AFTER_OFF] * MS;
		sub->stray_addr = sub->base[ROBINNP_DATA];
	}
	for (l = 0; l < ROBINNP_LINKS; l++)
		robinnp_source_off(&sub->link[l], now);
	sub->total[FRAGMENT_COUNT_COMMANDS_DISCARDED] += robinnp_commands(sub);
	sub->total[FRAGMENT_COUNT_FREES_DISCARDED] += robinnp_frees(sub);
	sub->fetch_at = 0;
	sub->fetch_count = 0;
	robinnp_pages_free(sub);
	sub->enabled = false;
	sub->loading = false;
	sub->written_bases = 0;
	robinnp_irq_begin(sub);
}

/* The card does not know what it missed. */
void robinnp_fetch_failed(struct robinnp_sub *sub)
{
	off(sub);
	sub->n.fetch_errors++;
	sub->fetch_error = true;
	robinnp_error(sub, FRAGMENT_STATUS_FETCH_ERROR);
}

void robinnp_disable(struct robinnp_sub *sub)
{
	if (!sub->fault[ROBINNP_RESET_IGNORED])
		off(sub);
}

void robinnp_vectors(struct robinnp_sub *sub)
{
	unsigned int i, vector;

	for (i = 0; i < ROBINNP_PURPOSES; i++) {
		vector = ROBINNP_VECTOR(sub->nr) + i;
		sub->irq[i].vector = vector < sub->card->identity.messages.vectors ? vector : 0;
	}
}

static void logic(struct robinnp_sub *sub)
{
	unsigned int i;

	off(sub);
	memset(sub->base_low, 0, sizeof(sub->base_low));
	memset(sub->base_high, 0, sizeof(sub->base_high));
	sub->data_size = 0;
	sub->free_size = 0;
	sub->command_size = 0;
	sub->host_pages = 0;
	sub->host_page_size = 0;
	sub->page_size = FRAGMENT_PAGE_DEFAULT;
	sub->pages = 0;
	sub->start = sub->card->count_start;
	sub->links = ROBINNP_ALL;
	counts_begin(sub, 0);
	for (i = 0; i < ROBINNP_PURPOSES; i++)
		sub->irq[i].seen = 0;
	sub->setup_error = false;
	sub->fetch_error = false;
	sub->host_error = false;
	for (i = 0; i < ROBINNP_LINKS; i++)
		robinnp_source_restart(&sub->link[i]);
}

static void defaults(struct robinnp_sub *sub)
{
	unsigned int i;

	for (i = 0; i < ROBINNP_PURPOSES; i++) {
		sub->irq[i].count = 0;
		sub->irq[i].ns = 0;
	}
	robinnp_vectors(sub);
	sub->error_enable = FRAGMENT_STATUS_ERRORS;
	for (i = 0; i < ROBINNP_LINKS; i++)
		robinnp_source_default(&sub->link[i]);
}

static void reset_now(struct robinnp_sub *sub, uint32_t levels)
{
	sub->n.resets++;
	if (levels & (FRAGMENT_RESET_LOGIC | FRAGMENT_RESET_DEFAULT))
		logic(sub);
	if (levels & (FRAGMENT_RESET_COUNTERS | FRAGMENT_RESET_DEFAULT))
		robinnp_reset_counters(sub);
	if (levels & FRAGMENT_RESET_DEFAULT)
		defaults(sub);
	if (!(levels & (FRAGMENT_RESET_LOGIC | FRAGMENT_RESET_DEFAULT)))
		return;
	sub->generation++;
	function_block_reset_done(&sub->card->function, sub->nr);
}

void robinnp_reset(struct robinnp_sub *sub, uint32_t levels)
{
	uint64_t now = robinnp_now(sub->card);

	if (!levels || sub->fault[ROBINNP_RESET_IGNORED])
		return;
	if (!sub->fault[ROBINNP_RESET_SLOW]) {
		reset_now(sub, levels);
		return;
	}
	if (!sub->reset_due)
		sub->reset_ns = now + sub->fault[ROBINNP_RESET_SLOW] * MS;
	sub->reset_due |= levels;
}

void robinnp_power_on(struct robinnp_sub *sub)
{
	sub->reset_due = 0;
	reset_now(sub, FRAGMENT_RESET_DEFAULT);
	sub->stray_ns = 0;
}

static uint64_t reset_turn(struct robinnp_sub *sub, uint64_t now)
{
	uint32_t levels = sub->reset_due;

	if (!levels)
		return CARD_STEP_IDLE;
	if (sub->reset_ns > now)
		return sub->reset_ns;
	sub->reset_due = 0;
	reset_now(sub, levels);
	return CARD_STEP_IDLE;
}

static uint64_t stray_turn(struct robinnp_sub *sub, uint64_t now)
{
	uint8_t entry[sizeof(struct fragment_descriptor)];

	if (!sub->stray_ns)
		return CARD_STEP_IDLE;
	if (sub->stray_ns > now)
		return sub->stray_ns;
	memset(entry, 0x5a, sizeof(entry));
	if (!robinnp_put(sub, sub->stray_addr, entry, sizeof(entry)))
		return CARD_STEP_IDLE;
	sub->stray_ns = 0;
	sub->n.stray_writes++;
	return CARD_STEP_IDLE;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One turn of a sub-unit: bytes that this was worth. */
static size_t serve(struct robinnp_sub *sub, uint64_t now, size_t budget, uint64_t *when)
{
	size_t moved = 0;

	*when = earlier(reset_turn(sub, now), stray_turn(sub, now));
	*when = earlier(*when, load_turn(sub, now));
	if (sub->enabled && !sub->fault[ROBINNP_STALL]) {
		robinnp_free_turn(sub);
		moved = robinnp_command_turn(sub, now, budget, when);
		if (sub->enabled) {
			moved += robinnp_source_turn(sub, now, budget, when);
			robinnp_describe_turn(sub, now, when);
		}
	}
	if (!sub->fault[ROBINNP_STALL])
		*when = earlier(*when, robinnp_irq_turn(sub, now));
	return moved;
}

uint64_t robinnp_step(struct robinnp *c, size_t budget)
{
	uint64_t now = robinnp_now(c), soonest = robinnp_spurious_turn(c, now), when;
	unsigned int idle = 0; /* sub-units in a row that had nothing to do */
	size_t moved = 0;

	while (moved < budget && idle < ROBINNP_SUBS) {
		size_t slice = budget - moved < SLICE ? budget - moved : SLICE;
		size_t bytes = serve(&c->sub[c->turn], now, slice, &when);

		c->turn = (c->turn + 1) % ROBINNP_SUBS;
		moved += bytes;
		idle = bytes ? 0 : idle + 1;
		soonest = earlier(soonest, when);
	}
	function_block_turn(&c->function, c->host, ROBINNP_FN, c->identity.temperature);
	return idle < ROBINNP_SUBS || soonest <= now ? CARD_STEP_AGAIN : soonest;
}

void robinnp_sub_free(struct robinnp_sub *sub)
{
	free(sub->table);
	robinnp_pages_free(sub);
}
