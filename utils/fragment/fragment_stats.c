// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of a card's sub-units and links. No sub-unit is opened, so a running one is not disturbed;
 * the card's counters are in unprotected registers.
 */
#include "fragment.h"

#include <errno.h>
#include <inttypes.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/tool.h"

int fragment_links_check(const struct fragment_options *o, unsigned int links)
{
	if (!o->links.given || !(o->links.value >> links))
		return TOOL_OK;
	return tool_usage("--links: invalid link, the highest is %u.", links - 1);
}

int fragment_counters_read(struct roc_endpoint *ep, const struct fragment_registers *registers,
			   unsigned int sub, unsigned int links, struct fragment_counters *b)
{
	unsigned int i;
	int err;

	if (links > FRAGMENT_LINKS_MAX)
		return roc_fail(EOPNOTSUPP,
				"%s: sub-units have %u links, but these tools support only %d",
				roc_endpoint_name(ep), links, FRAGMENT_LINKS_MAX);
	b->links = links;
	err = registers->sub_read(ep, sub, &b->sub);
	for (i = 0; i < links && !err; i++) {
		b->link[i].number = sub * links + i;
		err = registers->link_read(ep, b->link[i].number, &b->link[i].counts);
	}
	return err;
}

int fragment_read(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		  void *unit)
{
	const struct fragment_registers *registers;
	struct fragment_unit *u = unit;
	int ret;

	ret = roc_card_fragments(ep, number, &u->info);
	if (ret)
		return ret;
	if (card_fragments(card, NULL, &registers))
		return TOOL_FAILED;
	if (fragment_counters_read(ep, registers, number, u->info.links, &u->counters))
		return tool_fail("%s", roc_error());
	return 0;
}

static uint64_t refused(const void *o)
{
	const struct roc_robinnp_sub *s = &((const struct fragment_unit *)o)->counters.sub;

	return s->bad_page + s->bad_host_page + s->bad_op + s->bad_free;
}

static const char *link_state(const void *o)
{
	const struct roc_robinnp_link *l = &((const struct fragment_link *)o)->counts;

	return l->held ? "held" : l->masked ? "masked" : "open";
}

static const char *link_colour(const void *o)
{
	return ((const struct fragment_link *)o)->counts.held ? COLOUR_WARN : NULL;
}

static uint64_t link_errors(const void *o)
{
	const struct roc_robinnp_link *l = &((const struct fragment_link *)o)->counts;

	return l->link_errors + l->format_errors + l->sequence_errors;
}

static bool was_held(const void *o)
{
	return ((const struct fragment_link *)o)->counts.holds;
}

#define LINK(member) VALUE(struct fragment_link, counts.member)

static const struct value link_value[] = {
	{VALUE(struct fragment_link, number), .name = ">Link", .key = "link"},
	{.name = "State", .text = link_state, .colour = link_colour},
	{LINK(fragments), .name = ">Fragments"},
	{LINK(bytes), .name = ">Bytes"},
	{LINK(waiting), .name = ">Waiting"},
	{LINK(pages), .name = ">Pages"},
	{LINK(pages_host), .name = ">Host's"},
	{LINK(holds), .name = ">Holds"},
	{LINK(truncated), .name = ">Truncated", .error = true},
	{.name = ">Errors", .count = link_errors, .error = true},
	{LINK(held), .key = "held"},
	{LINK(masked), .key = "masked"},
	{LINK(offered), .name = ">Offered", .key = "offered", .verbose = true},
	{LINK(fragments), .key = "fragments"},
	{LINK(discarded), .name = ">Discarded", .key = "discarded", .verbose = true},
	{LINK(pages_free), .name = ">Free", .verbose = true},
	{LINK(pages_filled), .name = ">Filled", .verbose = true},
	{LINK(hold_cycles), .name = ">Held for", .verbose = true},
	{LINK(hold_event), .name = ">Held at", .verbose = true},
	{LINK(waiting), .key = "waiting"},
	{LINK(bytes), .key = "bytes"},
	{LINK(truncated), .key = "truncated"},
	{LINK(cut), .name = ">Bytes truncated", .key = "cutBytes", .verbose = true},
	{LINK(link_errors), .name = ">Of link", .key = "linkErrors", .verbose = true,
	 .error = true},
	{LINK(format_errors), .name = ">Format", .key = "formatErrors", .verbose = true,
	 .error = true},
	{LINK(sequence_errors), .name = ">Sequence", .key = "sequenceErrors", .verbose = true,
	 .error = true},
	{LINK(holds), .key = "holds"},
	{LINK(hold_cycles), .key = "holdCycles"},
	{LINK(hold_event), .key = "holdEvent", .known = was_held},
	{LINK(pages), .key = "pages"},
	{LINK(pages_host), .key = "pagesHost"},
	{LINK(pages_free), .key = "pagesFree"},
	{LINK(pages_filled), .key = "pagesFilled"},
};

static const struct values link_values = VALUES(link_value);

static void json_links(struct json *j, const void *o)
{
	const struct fragment_counters *b = &((const struct fragment_unit *)o)->counters;

	values_list_json(j, "links", &link_values, b->link, sizeof(b->link[0]), b->links);
}

#define INFO(member) VALUE(struct fragment_unit, info.member)
#define SUB(member) VALUE(struct fragment_unit, counters.sub.member)

static const struct value value[] = {
	{INFO(sub), .name = ">#", .key = "channel"},
	{INFO(name), .name = "Sub", .key = "sub"},
	CHANNEL_STATE_VALUES(INFO),
	{INFO(page_size), .name = ">Page"},
	{INFO(host_pages), .name = ">Host pages"},
	{SUB(transfers), .name = ">Sent"},
	{SUB(bytes), .name = ">Bytes"},
	{SUB(commands_waiting), .name = ">Waiting"},
	{SUB(freed), .name = ">Freed"},
	{.name = ">Refused", .count = refused, .error = true},
	{SUB(aborted), .name = ">Aborted", .error = true},
	{INFO(lost), .name = ">Lost", .error = true},
	{INFO(run), .key = "run"},
	{INFO(link_memory), .key = "linkMemory"},
	{INFO(page_size), .key = "pageBytes"},
	{INFO(pages), .key = "pages"},
	{INFO(host_page_size), .key = "hostPageBytes"},
	{INFO(host_pages), .key = "hostPages"},
	{INFO(mask), .key = "linksEnabled"},
	{SUB(commands), .name = ">Commands", .key = "commands", .verbose = true},
	{SUB(ok), .key = "ok"},
	{SUB(bad_page), .key = "badPage"},
	{SUB(bad_host_page), .key = "badHostPage"},
	{SUB(bad_op), .key = "badOp"},
	{SUB(aborted), .key = "aborted"},
	{SUB(commands_discarded), .name = ">Discarded", .key = "commandsDiscarded",
	 .verbose = true},
	{SUB(commands_waiting), .key = "commandsWaiting"},
	{SUB(transfers), .key = "transfers"},
	{SUB(releases), .name = ">Released", .key = "releases", .verbose = true},
	{SUB(bytes), .key = "bytes"},
	{SUB(frees), .key = "frees"},
	{SUB(freed), .key = "freed"},
	{SUB(bad_free), .key = "badFree"},
	{SUB(frees_discarded), .key = "freesDiscarded"},
	{SUB(frees_waiting), .key = "freesWaiting"},
	{INFO(interrupts), .name = ">Interrupts", .key = "interrupts", .verbose = true},
	{INFO(data_interrupts), .key = "dataInterrupts"},
	{INFO(done_interrupts), .key = "doneInterrupts"},
	{INFO(error_interrupts), .key = "errorInterrupts"},
	CHANNEL_DRIVER_VALUES(INFO),
	{INFO(lost), .key = "lost"},
	{.json = json_links},
};

const struct values fragment_stats = VALUES(value);

void fragment_links_text(FILE *out, const void *units, unsigned int count, bool verbose,
			 bool colours)
{
	const char *heads[VALUES_COLUMNS_MAX];
	const struct fragment_unit *u;
	struct table t;
	unsigned int k;

	values_table(&t, &link_values, heads, verbose);
	for (u = units; u < (const struct fragment_unit *)units + count; u++)
		for (k = 0; k < u->counters.links; k++)
			values_cells(&t, &link_values, &u->counters.link[k], verbose);
	fputc('\n', out);
	table_print(&t, out, colours);
}
