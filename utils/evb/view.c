// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of the system as one node has it, and the news about it.
 */
#include "coordinator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void is_new(struct evb_view *v, enum roc_evb_what what)
{
	v->news |= 1u << what;
}

void evb_view_members(struct evb_view *v, const struct roc_evb_member *members, unsigned int count)
{
	if (count > EVB_MEMBERS_MAX)
		count = EVB_MEMBERS_MAX;
	if (count == v->member_count && !memcmp(v->members, members, count * sizeof(*members)))
		return;
	memcpy(v->members, members, count * sizeof(*members));
	v->member_count = count;
	is_new(v, ROC_EVB_MEMBERS);
}

int evb_view_table(struct evb_view *v, const struct roc_evb_table *table)
{
	if (table->term == v->table.term && table->epoch == v->table.epoch)
		return 0;
	if (table->term < v->table.term || table->epoch <= v->table.epoch) {
		v->refused++;
		return -ESTALE;
	}
	v->table = *table;
	is_new(v, ROC_EVB_TABLE);
	return 0;
}

void evb_view_older(struct evb_view *v, const struct roc_evb_table *table, bool joins,
		    const char *by)
{
	struct roc_evb_table ours = v->table;

	memset(&v->table, 0, sizeof(v->table));
	v->news &= ~(1u << ROC_EVB_TABLE);
	if (!joins) {
		evb_view_table(v, table);
		return;
	}
	evb_view_out(v,
		     "The assignment table of %s (term %" PRIu64 ", epoch %" PRIu64
		     ") is older than that of this node (term %" PRIu64 ", epoch %" PRIu64
		     "): %s lost its data or has an older copy.",
		     by, table->term, table->epoch, ours.term, ours.epoch, by);
}

void evb_view_found(struct evb_view *v, const struct roc_evb_table *table)
{
	if (table->epoch > v->table.epoch && table->term >= v->table.term)
		v->table = *table;
}

void evb_view_leader(struct evb_view *v, const char *name)
{
	if (!strcmp(v->leader, name))
		return;
	snprintf(v->leader, sizeof(v->leader), "%s", name);
	if (!*name)
		return;
	snprintf(v->text[ROC_EVB_LEADER], EVB_MESSAGE_MAX, "%s is the manager.", name);
	is_new(v, ROC_EVB_LEADER);
}

void evb_view_lost(struct evb_view *v, const char *fmt, ...)
{
	va_list ap;

	if (v->lost)
		return;
	va_start(ap, fmt);
	vsnprintf(v->text[ROC_EVB_LOST], EVB_MESSAGE_MAX, fmt, ap);
	va_end(ap);
	v->lost = true;
	v->news &= ~(1u << ROC_EVB_BACK);
	is_new(v, ROC_EVB_LOST);
}

void evb_view_back(struct evb_view *v)
{
	if (!v->lost)
		return;
	v->lost = false;
	snprintf(v->text[ROC_EVB_BACK], EVB_MESSAGE_MAX, "The coordinator can be reached again.");
	is_new(v, ROC_EVB_BACK);
}

void evb_view_out(struct evb_view *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->text[ROC_EVB_OUT], EVB_MESSAGE_MAX, fmt, ap);
	va_end(ap);
	is_new(v, ROC_EVB_OUT);
}

int evb_view_poll(struct evb_view *v, struct roc_evb_news *news)
{
	/*
	 * Changes of the contact come before the news that it brought, members before their table.
	 */
	static const enum roc_evb_what order[] = {ROC_EVB_OUT,	   ROC_EVB_LOST,   ROC_EVB_BACK,
						  ROC_EVB_MEMBERS, ROC_EVB_LEADER, ROC_EVB_TABLE};
	size_t i;

	if (!v->news)
		return 0;
	for (i = 0; !(v->news & 1u << order[i]); i++)
		;
	v->news &= ~(1u << order[i]);
	*news = (struct roc_evb_news){
		.what = order[i],
		.members = v->members,
		.member_count = v->member_count,
		.table = &v->table,
		.text = v->text[order[i]][0] ? v->text[order[i]] : NULL,
	};
	return 1;
}
