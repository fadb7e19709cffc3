// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a sub-unit: enabled, with its rings, card pages and table of host pages, reset,
 * disabled; and its turn.
 */
#include "robinnp.h"

int robinnp_init(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	unsigned int l;

	robinnp_of(sub)->memory = ROBINNP_MEMORY;
	for (l = 0; l < ROBINNP_LINKS; l++) {
		sub->link[l].sub = sub;
		sub->link[l].nr = l;
	}
	return 0;
}

void robinnp_free(struct unit *u)
{
	robinnp_pages_free(robinnp_sub(u));
}

bool robinnp_quiesced(const struct unit *u)
{
	return !u->enabled && !u->loading && !robinnp_sub(u)->error_due;
}

uint32_t robinnp_status(const struct unit *u)
{
	const struct robinnp_sub *sub = robinnp_sub(u);
	uint32_t status = 0;

	if (sub->irq[ROBINNP_IRQ_DATA].armed)
		status |= FRAGMENT_STATUS_DATA_ARMED;
	if (sub->irq[ROBINNP_IRQ_DONE].armed)
		status |= FRAGMENT_STATUS_DONE_ARMED;
	if (robinnp_any_held(sub))
		status |= FRAGMENT_STATUS_HELD;
	return status;
}

static bool within(uint32_t value, uint32_t min, uint32_t max)
{
	return value >= min && value <= max;
}

bool robinnp_setup_ok(const struct unit *u)
{
	const struct robinnp_sub *sub = robinnp_sub(u);
	uint64_t pages = (uint64_t)sub->pages * ROBINNP_LINKS;
	unsigned int i;

	for (i = 0; i < ROBINNP_TABLE; i++) {
		if (!unit_address_ok(u, i))
			return false;
	}
	if (!within(sub->data_size, FRAGMENT_RING_MIN, ROBINNP_DATA_MAX) ||
	    !within(sub->free_size, FRAGMENT_RING_MIN, ROBINNP_DATA_MAX) ||
	    !within(sub->command_size, FRAGMENT_RING_MIN, ROBINNP_COMMAND_MAX) ||
	    !within(sub->page_size, FRAGMENT_PAGE_MIN, FRAGMENT_PAGE_MAX) || !sub->pages ||
	    sub->pages > ((uint64_t)robinnp_of(sub)->memory << 10) >> sub->page_size ||
	    pages > 1u << sub->data_size || pages > 1u << sub->free_size)
		return false;
	if (!sub->host_pages)
		return true;
	return unit_address_ok(u, ROBINNP_TABLE) && sub->host_pages <= ROBINNP_HOST_PAGES &&
	       within(sub->host_page_size, FRAGMENT_HOST_PAGE_MIN, FRAGMENT_HOST_PAGE_MAX) &&
	       sub->host_page_size >= sub->page_size;
}

static void counts_begin(struct robinnp_sub *sub, uint32_t start)
{
	sub->run_start = start;
	sub->descriptors = start;
	sub->completions = start;
	sub->free_submitted = start;
	sub->freed = start;
	sub->commands_submitted = start;
	sub->fetched = start;
	sub->executed = start;
	sub->fetch_at = 0;
	sub->fetch_count = 0;
}

void robinnp_prepare(struct unit *u)
{
	robinnp_irq_begin(robinnp_sub(u));
	counts_begin(robinnp_sub(u), u->start);
}

void robinnp_take_over(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);

	sub->data_log2 = sub->data_size;
	sub->free_log2 = sub->free_size;
	sub->command_log2 = sub->command_size;
	sub->run_host_pages = sub->host_pages;
	sub->run_page_size = sub->page_size;
	sub->run_pages = sub->pages;
	u->table_at = u->base[ROBINNP_TABLE];
	u->entries = sub->host_pages;
	u->entry_align = 1u << sub->host_page_size;
}

bool robinnp_begin(struct unit *u)
{
	return !robinnp_pages_begin(robinnp_sub(u));
}

uint64_t robinnp_stray_at(const struct unit *u)
{
	return u->base[ROBINNP_DATA];
}

void robinnp_off(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	uint64_t now = unit_now(u);
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++)
		robinnp_source_off(&sub->link[l], now);
	u->total[FRAGMENT_COUNT_COMMANDS_DISCARDED] += robinnp_commands(sub);
	u->total[FRAGMENT_COUNT_FREES_DISCARDED] += robinnp_frees(sub);
	sub->fetch_at = 0;
	sub->fetch_count = 0;
	robinnp_pages_free(sub);
	robinnp_irq_begin(sub);
}

void robinnp_logic(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	unsigned int i;

	sub->data_size = 0;
	sub->free_size = 0;
	sub->command_size = 0;
	sub->host_pages = 0;
	sub->host_page_size = 0;
	sub->page_size = FRAGMENT_PAGE_DEFAULT;
	sub->pages = 0;
	sub->links = ROBINNP_ALL;
	counts_begin(sub, 0);
	for (i = 0; i < ROBINNP_PURPOSES; i++)
		sub->irq[i].seen = 0;
	for (i = 0; i < ROBINNP_LINKS; i++)
		generator_restart(&sub->link[i].gen, sub->link[i].first);
}

void robinnp_defaults(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	unsigned int i;

	for (i = 0; i < ROBINNP_PURPOSES; i++) {
		sub->irq[i].count = 0;
		sub->irq[i].ns = 0;
	}
	sub->error_enable = FRAGMENT_STATUS_ERRORS;
	for (i = 0; i < ROBINNP_LINKS; i++)
		robinnp_source_default(&sub->link[i]);
}

size_t robinnp_turn(struct unit *u, uint64_t now, size_t budget, uint64_t *when)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	size_t moved = 0;

	if (u->enabled) {
		robinnp_free_turn(sub);
		moved = robinnp_command_turn(sub, now, budget, when);
	}
	if (u->enabled) {
		moved += robinnp_source_turn(sub, now, budget, when);
		robinnp_describe_turn(sub, now, when);
	}
	*when = earlier(*when, robinnp_irq_turn(sub, now));
	return moved;
}
