// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of the counts of the RobinNP, and the counters of its links.
 */
#include "robinnp.h"

#include <string.h>

static const char *const link_names[FRAGMENT_LINK_COUNTS] = {
	"offered",   "fragments",   "bytes",	     "discarded",	"waiting",
	"truncated", "link_errors", "format_errors", "sequence_errors", "cut",
	"holds",     "hold_cycles", "hold_event",
};

const char *const robinnp_counters[UNIT_COUNTERS] = {
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

/* Value of a counter since @base. */
static uint64_t link_since(struct robinnp_link *link, unsigned int nr, const uint64_t *base)
{
	switch (nr) {
	case FRAGMENT_LINK_WAITING:
		return robinnp_waiting(link);
	case FRAGMENT_LINK_HOLD_EVENT:
		return link->total[nr];
	case FRAGMENT_LINK_HOLD_CYCLES:
		return robinnp_hold_cycles(link, unit_now(&link->sub->unit)) - base[nr];
	}
	return link->total[nr] - base[nr];
}

uint64_t robinnp_link_counter(struct robinnp_link *link, unsigned int nr)
{
	return link_since(link, nr, link->base);
}

static void link_restart_counts(struct robinnp_link *link, uint64_t *base)
{
	robinnp_hold_cycles(link, unit_now(&link->sub->unit));
	memcpy(base, link->total, sizeof(link->total));
	base[FRAGMENT_LINK_OFFERED] -= robinnp_waiting(link);
}

void robinnp_reset_counters(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	unsigned int l;

	unit_restart_counts(u, u->zero);
	for (l = 0; l < ROBINNP_LINKS; l++) {
		link_restart_counts(&sub->link[l], sub->link[l].base);
		sub->link[l].total[FRAGMENT_LINK_HOLD_EVENT] = 0;
	}
}

void robinnp_clear(struct unit *u)
{
	struct robinnp_sub *sub = robinnp_sub(u);
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++)
		link_restart_counts(&sub->link[l], sub->link[l].clear);
}

#define OWN(count) offsetof(struct robinnp_sub, n.count)
#define UNIT(count) offsetof(struct robinnp_sub, unit.n.count)

const struct unit_count robinnp_count_list[] = {
	{"free_doorbells", OWN(free_doorbells)},
	{"command_doorbells", OWN(command_doorbells)},
	{"arms", UNIT(arms)},
	{"unrouted", UNIT(unrouted)},
	{"fetches", OWN(fetches)},
	{"host_errors", UNIT(host_errors)},
	{"setup_errors", UNIT(setup_errors)},
	{"fetch_errors", UNIT(fetch_errors)},
	{"entries_skipped", OWN(entries_skipped)},
	{"doorbells_lost", UNIT(doorbells_lost)},
	{"completions_lost", OWN(completions_lost)},
	{"completions_twice", OWN(completions_twice)},
	{"stray_writes", UNIT(stray_writes)},
	{"resets", UNIT(resets)},
	{"dma_writes", UNIT(dma_writes)},
	{"dma_outside", UNIT(dma_outside)},
	{"dma_no_master", UNIT(dma_no_master)},
	{},
};

void robinnp_show_sums(struct unit_card *card, struct json *j)
{
	struct robinnp *c = (struct robinnp *)card;
	unsigned int i, l;
	uint64_t sum;

	for (i = 0; i < FRAGMENT_LINK_HOLD_EVENT; i++) {
		for (l = 0, sum = 0; l < ROBINNP_SUBS * ROBINNP_LINKS; l++) {
			struct robinnp_link *link =
				&c->sub[l / ROBINNP_LINKS].link[l % ROBINNP_LINKS];

			sum += link_since(link, i, link->clear);
		}
		json_uint(j, link_names[i], sum);
	}
}

void robinnp_show_sub(struct unit *u, struct json *j)
{
	json_uint(j, "descriptors", robinnp_sub(u)->descriptors);
	json_uint(j, "completions", robinnp_sub(u)->completions);
}

static void show_link(struct json *j, struct robinnp_link *link)
{
	unsigned int i;

	json_object(j, NULL);
	json_uint(j, "link", link->sub->unit.nr * ROBINNP_LINKS + link->nr);
	json_bool(j, "held", link->held);
	json_uint(j, "pages", link->sub->unit.enabled ? link->sub->run_pages : 0);
	json_uint(j, "pages_free", link->list_count);
	json_uint(j, "pages_filled", link->filled);
	for (i = 0; i < FRAGMENT_LINK_COUNTS; i++)
		json_uint(j, link_names[i], link_since(link, i, link->clear));
	json_end_object(j);
}

void robinnp_show_links(struct unit_card *card, struct json *j)
{
	struct robinnp *c = (struct robinnp *)card;
	unsigned int s, l;

	json_array(j, "links");
	for (s = 0; s < ROBINNP_SUBS; s++) {
		for (l = 0; l < ROBINNP_LINKS; l++)
			show_link(j, &c->sub[s].link[l]);
	}
	json_end_array(j);
}
