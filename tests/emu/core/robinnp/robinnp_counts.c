// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The books of the RobinNP: counters of its registers, and counts of the control socket.
 */
#include "robinnp.h"

#include <string.h>

static const char *const link_names[FRAGMENT_LINK_COUNTS] = {
	"offered",   "fragments",   "bytes",	     "discarded",	"waiting",
	"truncated", "link_errors", "format_errors", "sequence_errors", "cut",
	"holds",     "hold_cycles", "hold_event",
};

static const char *const sub_names[FRAGMENT_COUNTS] = {
	"commands",
	"ok",
	"bad_page",
	"bad_host_page",
	"bad_op",
	"aborted",
	"commands_discarded",
	"commands_waiting",
	"transfers",
	"releases",
	"transferred",
	"frees",
	"freed",
	"bad_free",
	"frees_discarded",
	"frees_waiting",
	"data_interrupts",
	"done_interrupts",
	"error_interrupts",
};

/* What a counter says that began at @base. */
static uint64_t link_since(struct robinnp_link *link, unsigned int nr, const uint64_t *base)
{
	switch (nr) {
	case FRAGMENT_LINK_WAITING:
		return robinnp_waiting(link);
	case FRAGMENT_LINK_HOLD_EVENT:
		return link->total[nr];
	case FRAGMENT_LINK_HOLD_CYCLES:
		return robinnp_hold_cycles(link, robinnp_now(link->sub->card)) - base[nr];
	}
	return link->total[nr] - base[nr];
}

static uint64_t sub_since(struct robinnp_sub *sub, unsigned int nr, const uint64_t *base)
{
	switch (nr) {
	case FRAGMENT_COUNT_COMMANDS_WAITING:
		return robinnp_commands(sub);
	case FRAGMENT_COUNT_FREES_WAITING:
		return robinnp_frees(sub);
	}
	return sub->total[nr] - base[nr];
}

uint64_t robinnp_link_counter(struct robinnp_link *link, unsigned int nr)
{
	return link_since(link, nr, link->base);
}

uint64_t robinnp_sub_counter(struct robinnp_sub *sub, unsigned int nr)
{
	return sub_since(sub, nr, sub->zero);
}

/* What waits was offered and told, too: the books stay even. */
static void begin_anew(struct robinnp_sub *sub, uint64_t *base)
{
	memcpy(base, sub->total, sizeof(sub->total));
	base[FRAGMENT_COUNT_COMMANDS] -= robinnp_commands(sub);
	base[FRAGMENT_COUNT_FREES] -= robinnp_frees(sub);
}

static void link_begin_anew(struct robinnp_link *link, uint64_t *base)
{
	robinnp_hold_cycles(link, robinnp_now(link->sub->card));
	memcpy(base, link->total, sizeof(link->total));
	base[FRAGMENT_LINK_OFFERED] -= robinnp_waiting(link);
}

void robinnp_reset_counters(struct robinnp_sub *sub)
{
	unsigned int l;

	begin_anew(sub, sub->zero);
	for (l = 0; l < ROBINNP_LINKS; l++) {
		link_begin_anew(&sub->link[l], sub->link[l].base);
		sub->link[l].total[FRAGMENT_LINK_HOLD_EVENT] = 0;
	}
}

static void show_link(struct json *j, struct robinnp_link *link)
{
	unsigned int i;

	json_object(j, NULL);
	json_uint(j, "link", link->sub->nr * ROBINNP_LINKS + link->nr);
	json_bool(j, "held", link->held);
	json_uint(j, "pages", link->sub->enabled ? link->sub->run_pages : 0);
	json_uint(j, "pages_free", link->list_count);
	json_uint(j, "pages_filled", link->filled);
	for (i = 0; i < FRAGMENT_LINK_COUNTS; i++)
		json_uint(j, link_names[i], link_since(link, i, link->clear));
	json_end_object(j);
}

static void show_rest(struct json *j, const struct robinnp_counts *n)
{
	json_uint(j, "free_doorbells", n->free_doorbells);
	json_uint(j, "command_doorbells", n->command_doorbells);
	json_uint(j, "arms", n->arms);
	json_uint(j, "unrouted", n->unrouted);
	json_uint(j, "fetches", n->fetches);
	json_uint(j, "host_errors", n->host_errors);
	json_uint(j, "setup_errors", n->setup_errors);
	json_uint(j, "fetch_errors", n->fetch_errors);
	json_uint(j, "entries_skipped", n->entries_skipped);
	json_uint(j, "doorbells_lost", n->doorbells_lost);
	json_uint(j, "completions_lost", n->completions_lost);
	json_uint(j, "completions_twice", n->completions_twice);
	json_uint(j, "stray_writes", n->stray_writes);
	json_uint(j, "resets", n->resets);
	json_uint(j, "dma_writes", n->dma_writes);
	json_uint(j, "dma_outside", n->dma_outside);
	json_uint(j, "dma_no_master", n->dma_no_master);
}

static void add(uint64_t *sum, const uint64_t *value, unsigned int count)
{
	while (count--)
		sum[count] += value[count];
}

/* Sums over everything. */
static void show_all(struct json *j, struct robinnp *c)
{
	uint64_t links[FRAGMENT_LINK_COUNTS] = {0}, subs[FRAGMENT_COUNTS] = {0};
	struct robinnp_counts n = {0};
	unsigned int s, l, i;

	_Static_assert(sizeof(n) % sizeof(uint64_t) == 0, "only 64-bit counts");
	for (s = 0; s < ROBINNP_SUBS; s++) {
		struct robinnp_sub *sub = &c->sub[s];

		for (i = 0; i < FRAGMENT_COUNTS; i++)
			subs[i] += sub_since(sub, i, sub->clear);
		add((uint64_t *)&n, (const uint64_t *)&sub->n, sizeof(n) / sizeof(uint64_t));
		for (l = 0; l < ROBINNP_LINKS; l++) {
			for (i = 0; i < FRAGMENT_LINK_HOLD_EVENT; i++)
				links[i] += link_since(&sub->link[l], i, sub->link[l].clear);
		}
	}
	for (i = 0; i < FRAGMENT_LINK_HOLD_EVENT; i++)
		json_uint(j, link_names[i], links[i]);
	for (i = 0; i < FRAGMENT_COUNTS; i++)
		json_uint(j, sub_names[i], subs[i]);
	show_rest(j, &n);
}

static void show_sub(struct json *j, struct robinnp_sub *sub)
{
	unsigned int i;

	json_object(j, NULL);
	json_uint(j, "sub", sub->nr);
	json_bool(j, "enabled", sub->enabled);
	json_uint(j, "descriptors", sub->descriptors);
	json_uint(j, "completions", sub->completions);
	for (i = 0; i < FRAGMENT_COUNTS; i++)
		json_uint(j, sub_names[i], sub_since(sub, i, sub->clear));
	show_rest(j, &sub->n);
	json_end_object(j);
}

void robinnp_counts(void *card, unsigned int fn, struct json *j)
{
	struct robinnp *c = card;
	unsigned int s, l;

	show_all(j, c);
	json_uint(j, "alarms", c->function.alarms);
	json_uint(j, "function_resets", c->function_resets);
	json_array(j, "subs");
	for (s = 0; s < ROBINNP_SUBS; s++)
		show_sub(j, &c->sub[s]);
	json_end_array(j);
	json_array(j, "links");
	for (s = 0; s < ROBINNP_SUBS; s++) {
		for (l = 0; l < ROBINNP_LINKS; l++)
			show_link(j, &c->sub[s].link[l]);
	}
	json_end_array(j);
}

void robinnp_clear(void *card, unsigned int fn)
{
	struct robinnp *c = card;
	unsigned int s, l;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		memset(&c->sub[s].n, 0, sizeof(c->sub[s].n));
		begin_anew(&c->sub[s], c->sub[s].clear);
		for (l = 0; l < ROBINNP_LINKS; l++)
			link_begin_anew(&c->sub[s].link[l], c->sub[s].link[l].clear);
	}
	c->function.alarms = 0;
	c->function_resets = 0;
}
