// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the sub-units and links of a card are, without opening a sub-unit: one that runs is not
 * disturbed. What the card counts is read from its open registers.
 */
#include "fragment.h"

#include <errno.h>
#include <inttypes.h>

#include "utils/common/card.h"
#include "utils/common/output.h"
#include "utils/common/table.h"
#include "utils/common/tool.h"

static const char *const states[] = {
	[ROC_CH_STOPPED] = "stopped",
	[ROC_CH_RUNNING] = "running",
	[ROC_CH_FAILED] = "failed",
	[ROC_CH_GONE] = "gone",
};

static const char *state_name(uint32_t state)
{
	return state < sizeof(states) / sizeof(states[0]) ? states[state] : "unknown";
}

int fragment_books_read(struct roc_endpoint *ep, unsigned int sub, struct fragment_books *b)
{
	unsigned int i;
	int err;

	err = roc_robinnp_sub_read(ep, sub, &b->sub);
	for (i = 0; i < ROC_ROBINNP_LINKS && !err; i++)
		err = roc_robinnp_link_read(ep, sub * ROC_ROBINNP_LINKS + i, &b->link[i]);
	return err;
}

int fragment_list_read(struct roc_endpoint *ep, const struct roc_card *card,
		       struct fragment_list *l)
{
	int err;

	*l = (struct fragment_list){.card = *card};
	for (; l->count < ROC_ROBINNP_SUBS; l->count++) {
		err = roc_card_fragments(ep, l->count, &l->info[l->count]);
		if (err == -ENOENT && l->count)
			break;
		if (err || fragment_books_read(ep, l->count, &l->books[l->count]))
			return tool_fail("%s", roc_error());
	}
	return TOOL_OK;
}

static void count_cell(struct table *t, uint64_t count, bool bad)
{
	table_cell(t, count && bad ? COLOUR_BAD : NULL, "%" PRIu64, count);
}

static uint64_t refused(const struct roc_robinnp_sub *s)
{
	return s->bad_page + s->bad_host_page + s->bad_op + s->bad_free;
}

static void sub_row(struct table *t, const struct roc_fr_info *i, const struct roc_robinnp_sub *s,
		    bool verbose)
{
	const char *colour = i->state == ROC_CH_RUNNING	 ? COLOUR_GOOD
			     : i->state == ROC_CH_FAILED ? COLOUR_BAD
							 : NULL;

	table_cell(t, NULL, "%u", i->sub);
	table_cell(t, NULL, "%s", i->name);
	table_cell(t, colour, "%s", state_name(i->state));
	if (i->owner)
		table_cell(t, NULL, "%d", i->owner);
	else
		table_cell(t, NULL, "-");
	count_cell(t, i->page_size, false);
	count_cell(t, i->host_pages, false);
	count_cell(t, s->transfers, false);
	count_cell(t, s->bytes, false);
	count_cell(t, s->commands_waiting, false);
	count_cell(t, s->freed, false);
	count_cell(t, refused(s), true);
	count_cell(t, s->aborted, true);
	count_cell(t, i->lost, true);
	if (!verbose)
		return;
	count_cell(t, s->commands, false);
	count_cell(t, s->commands_discarded, false);
	count_cell(t, s->releases, false);
	count_cell(t, i->interrupts, false);
	count_cell(t, i->missed_interrupts, true);
	count_cell(t, i->arms, false);
	count_cell(t, i->doorbells, false);
	count_cell(t, i->mmio_reads, false);
	count_cell(t, i->bad_index, true);
}

static void link_row(struct table *t, unsigned int number, const struct roc_robinnp_link *l,
		     bool verbose)
{
	const char *state = l->held ? "held" : l->masked ? "masked" : "open";

	table_cell(t, NULL, "%u", number);
	table_cell(t, l->held ? COLOUR_WARN : NULL, "%s", state);
	count_cell(t, l->fragments, false);
	count_cell(t, l->bytes, false);
	count_cell(t, l->waiting, false);
	count_cell(t, l->pages, false);
	count_cell(t, l->pages_host, false);
	count_cell(t, l->holds, false);
	count_cell(t, l->truncated, true);
	count_cell(t, l->link_errors + l->format_errors + l->sequence_errors, true);
	if (!verbose)
		return;
	count_cell(t, l->offered, false);
	count_cell(t, l->discarded, false);
	count_cell(t, l->pages_free, false);
	count_cell(t, l->pages_filled, false);
	count_cell(t, l->hold_cycles, false);
	count_cell(t, l->hold_event, false);
	count_cell(t, l->cut, false);
	count_cell(t, l->link_errors, true);
	count_cell(t, l->format_errors, true);
	count_cell(t, l->sequence_errors, true);
}

static void links_text(FILE *out, const struct fragment_list *l, bool verbose, bool colours)
{
	static const char *const few[] = {
		">Link",   "State",  ">Fragments", ">Bytes",  ">Waiting", ">Pages",
		">Host's", ">Holds", ">Truncated", ">Errors", NULL,
	};
	static const char *const all[] = {
		">Link",   "State",	">Fragments", ">Bytes",	  ">Waiting",	">Pages",
		">Host's", ">Holds",	">Truncated", ">Errors",  ">Offered",	">Discarded",
		">Free",   ">Filled",	">Held for",  ">Held at", ">Cut bytes", ">Of link",
		">Format", ">Sequence", NULL,
	};
	struct table t;
	unsigned int i, k;

	table_start(&t, verbose ? all : few);
	for (i = 0; i < l->count; i++)
		for (k = 0; k < ROC_ROBINNP_LINKS; k++)
			link_row(&t, l->info[i].sub * ROC_ROBINNP_LINKS + k, &l->books[i].link[k],
				 verbose);
	table_print(&t, out, colours);
}

void fragment_list_text(FILE *out, const struct fragment_list *l, bool verbose, bool colours)
{
	static const char *const few[] = {
		">#",	  "Sub",      "State",	"Owner",    ">Page",	">Host pages", ">Sent",
		">Bytes", ">Waiting", ">Freed", ">Refused", ">Aborted", ">Lost",       NULL,
	};
	static const char *const all[] = {
		">#",	 "Sub",	       "State",	     "Owner",	   ">Page",	  ">Host pages",
		">Sent", ">Bytes",     ">Waiting",   ">Freed",	   ">Refused",	  ">Aborted",
		">Lost", ">Commands",  ">Discarded", ">Released",  ">Interrupts", ">Missed",
		">Arms", ">Doorbells", ">Reads",     ">Bad index", NULL,
	};
	struct table t;
	unsigned int i;

	table_start(&t, verbose ? all : few);
	for (i = 0; i < l->count; i++)
		sub_row(&t, &l->info[i], &l->books[i].sub, verbose);
	table_print(&t, out, colours);
	fputc('\n', out);
	links_text(out, l, verbose, colours);
}

static void json_link(struct json *j, unsigned int number, const struct roc_robinnp_link *l)
{
	json_object(j, NULL);
	json_unsigned(j, "link", number);
	json_bool(j, "held", l->held);
	json_bool(j, "masked", l->masked);
	json_unsigned(j, "offered", l->offered);
	json_unsigned(j, "fragments", l->fragments);
	json_unsigned(j, "discarded", l->discarded);
	json_unsigned(j, "waiting", l->waiting);
	json_unsigned(j, "bytes", l->bytes);
	json_unsigned(j, "truncated", l->truncated);
	json_unsigned(j, "cutBytes", l->cut);
	json_unsigned(j, "linkErrors", l->link_errors);
	json_unsigned(j, "formatErrors", l->format_errors);
	json_unsigned(j, "sequenceErrors", l->sequence_errors);
	json_unsigned(j, "holds", l->holds);
	json_unsigned(j, "holdCycles", l->hold_cycles);
	if (l->holds)
		json_unsigned(j, "holdEvent", l->hold_event);
	else
		json_null(j, "holdEvent");
	json_unsigned(j, "pages", l->pages);
	json_unsigned(j, "pagesHost", l->pages_host);
	json_unsigned(j, "pagesFree", l->pages_free);
	json_unsigned(j, "pagesFilled", l->pages_filled);
	json_object_end(j);
}

static void json_card_counts(struct json *j, const struct roc_robinnp_sub *s)
{
	json_unsigned(j, "commands", s->commands);
	json_unsigned(j, "ok", s->ok);
	json_unsigned(j, "badPage", s->bad_page);
	json_unsigned(j, "badHostPage", s->bad_host_page);
	json_unsigned(j, "badOp", s->bad_op);
	json_unsigned(j, "aborted", s->aborted);
	json_unsigned(j, "commandsDiscarded", s->commands_discarded);
	json_unsigned(j, "commandsWaiting", s->commands_waiting);
	json_unsigned(j, "transfers", s->transfers);
	json_unsigned(j, "releases", s->releases);
	json_unsigned(j, "bytes", s->bytes);
	json_unsigned(j, "frees", s->frees);
	json_unsigned(j, "freed", s->freed);
	json_unsigned(j, "badFree", s->bad_free);
	json_unsigned(j, "freesDiscarded", s->frees_discarded);
	json_unsigned(j, "freesWaiting", s->frees_waiting);
}

static void json_sub(struct json *j, const struct roc_fr_info *i, const struct fragment_books *b)
{
	unsigned int k;

	json_object(j, NULL);
	json_unsigned(j, "channel", i->sub);
	json_text(j, "sub", i->name);
	json_text(j, "state", state_name(i->state));
	output_number_json(j, "ownerPid", i->owner ? i->owner : -1);
	json_unsigned(j, "run", i->run);
	json_unsigned(j, "linkMemory", i->link_memory);
	json_unsigned(j, "pageBytes", i->page_size);
	json_unsigned(j, "pages", i->pages);
	json_unsigned(j, "hostPageBytes", i->host_page_size);
	json_unsigned(j, "hostPages", i->host_pages);
	json_unsigned(j, "linksEnabled", i->mask);
	json_card_counts(j, &b->sub);
	json_unsigned(j, "interrupts", i->interrupts);
	json_unsigned(j, "dataInterrupts", i->data_interrupts);
	json_unsigned(j, "doneInterrupts", i->done_interrupts);
	json_unsigned(j, "errorInterrupts", i->error_interrupts);
	json_unsigned(j, "missedInterrupts", i->missed_interrupts);
	json_unsigned(j, "spuriousInterrupts", i->spurious_interrupts);
	json_unsigned(j, "arms", i->arms);
	json_unsigned(j, "doorbells", i->doorbells);
	json_unsigned(j, "wakes", i->wakes);
	json_unsigned(j, "mmioReads", i->mmio_reads);
	json_unsigned(j, "mmioWrites", i->mmio_writes);
	json_unsigned(j, "badIndex", i->bad_index);
	json_unsigned(j, "lost", i->lost);
	json_array(j, "links");
	for (k = 0; k < ROC_ROBINNP_LINKS; k++)
		json_link(j, i->sub * ROC_ROBINNP_LINKS + k, &b->link[k]);
	json_array_end(j);
	json_object_end(j);
}

void fragment_list_json(struct json *j, const struct fragment_list *l)
{
	unsigned int i;

	json_array(j, "subUnits");
	for (i = 0; i < l->count; i++)
		json_sub(j, &l->info[i], &l->books[i]);
	json_array_end(j);
}

static void show(const struct fragment_options *o, const struct fragment_list *l)
{
	struct json j;

	if (!o->json) {
		fragment_list_text(stdout, l, o->common.verbose, output_colours(stdout));
		return;
	}
	json_start(&j, stdout);
	json_object(&j, NULL);
	output_card_json(&j, &l->card);
	fragment_list_json(&j, l);
	json_object_end(&j);
}

int fragment_stats(const struct fragment_options *o)
{
	struct roc_endpoint *ep;
	struct fragment_list l;
	struct roc_card card;
	unsigned int sub;
	int code;

	code = card_open_any(o->id, &card, &ep);
	if (code)
		return code;
	code = fragment_list_read(ep, &card, &l);
	if (!code && o->sub) {
		if (roc_card_fragments_find(ep, o->sub, &sub)) {
			code = tool_fail("%s", roc_error());
		} else {
			l.info[0] = l.info[sub];
			l.books[0] = l.books[sub];
			l.count = 1;
		}
	}
	if (!code)
		show(o, &l);
	roc_close(ep);
	return code;
}
