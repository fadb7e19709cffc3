// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Exchange with the coordinator: members, assignment tables and reports. Without contact, the node
 * continues with the members and tables that it has.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define NEWS_MOST 16 /* in one step */

int evb_join(struct roc_evb *e)
{
	struct roc_evb_member me = {.roles = e->cfg.roles, .peers = e->cfg.peers};
	int ret;

	do {
		if (getrandom(&e->incarnation, sizeof(e->incarnation), 0) != sizeof(e->incarnation))
			e->incarnation = fabric_realtime();
	} while (!e->incarnation);
	me.incarnation = e->incarnation;
	memcpy(me.name, e->name, sizeof(me.name));
	memcpy(me.host, e->advertise, sizeof(me.host));
	if (e->bu.port)
		snprintf(me.port, sizeof(me.port), "%hu", (unsigned short)e->bu.port);
	ret = e->coordinator->join(e->coordinator_self, &me);
	if (ret)
		return evb_fail(e, -ret, "%.500s", e->coordinator->reason(e->coordinator_self));
	e->joined = true;
	return 0;
}

int evb_rejoin(struct roc_evb *e, const char *reason)
{
	evb_log(e, "%s This node drops its open blocks and joins again.", reason);
	if (e->source)
		evb_readout_drop(e);
	if (e->sink)
		evb_builder_drop(e);
	e->table_count = 0;
	e->member_count = 0;
	e->n.epoch = 0;
	e->n.assigned = false;
	e->n.rejoined++;
	return evb_join(e);
}

static void set_members(struct roc_evb *e, const struct roc_evb_news *news)
{
	unsigned int n = news->member_count;

	if (n > 2 * ROC_EVB_NODES_MAX)
		n = 2 * ROC_EVB_NODES_MAX;
	memcpy(e->members, news->members, n * sizeof(*e->members));
	e->member_count = n;
}

/*
 * Add a table. A later table replaces the tables whose first block is not below its own.
 */
static void add_table(struct roc_evb *e, const struct roc_evb_table *t)
{
	struct evb_known *k = evb_newest(e);
	char reason[ROC_EVB_REASON] = "";
	unsigned int i;

	if (k && t->term == k->table.term && t->epoch == k->table.epoch)
		return;
	if (k &&
	    (t->term < k->table.term || (t->term == k->table.term && t->epoch < k->table.epoch))) {
		e->n.refused_tables++;
		if (t->term < k->table.term)
			evb_log(e,
				"A table of term %" PRIu64
				" is refused: there is a newer manager, of term %" PRIu64 ".",
				t->term, k->table.term);
		else
			evb_log(e,
				"Table %" PRIu64 " is refused: it is older than table %" PRIu64 ".",
				t->epoch, k->table.epoch);
		return;
	}
	if (roc_evb_table_check(t, reason)) {
		e->n.refused_tables++;
		evb_log(e, "An assignment table is refused: %s", reason);
		return;
	}
	if ((e->sink && t->ru_count > e->cfg.peers) || (e->source && t->bu_count > e->cfg.peers)) {
		e->n.refused_tables++;
		evb_log(e,
			"The assignment table has %" PRIu32 " readout units and %" PRIu32
			" builders, but this node supports %" PRIu32
			" peers: raise the number of its peers.",
			t->ru_count, t->bu_count, e->cfg.peers);
		return;
	}
	/* The coordinator sends only the newest table to a slow node. */
	if (k && t->epoch != k->table.epoch + 1)
		e->table_missed = true;
	/* A table that begins at the same block or later never becomes valid. */
	while (e->table_count && e->tables[e->table_count - 1].table.from_block >= t->from_block) {
		e->table_count--;
		e->table_missed = true;
	}
	if (e->table_count == ROC_EVB_TABLES) {
		memmove(e->tables, e->tables + 1, (ROC_EVB_TABLES - 1) * sizeof(*e->tables));
		e->table_count--;
	}
	k = &e->tables[e->table_count++];
	k->table = *t;
	k->ru = -1;
	for (i = 0; i < t->ru_count; i++) {
		if (e->source && !strcmp(t->rus[i].name, e->name) &&
		    t->rus[i].incarnation == e->incarnation)
			k->ru = (int)i;
	}
	for (i = 0; i < ROC_EVB_NODES_MAX; i++)
		k->destination[i] = k->sender[i] = k->ru_of[i] = -1;
	e->n.epoch = t->epoch;
	e->n.assigned = k->ru >= 0;
	for (i = 0; i < t->bu_count; i++) {
		if (e->sink && !strcmp(t->bus[i].name, e->name) &&
		    t->bus[i].incarnation == e->incarnation)
			e->n.assigned = true;
	}
	e->tables_new = true;
	e->progress = true;
}

int evb_node_step(struct roc_evb *e)
{
	struct roc_evb_news news;
	unsigned int i;
	int ret;

	for (i = 0; i < NEWS_MOST; i++) {
		news = (struct roc_evb_news){0};
		ret = e->coordinator->poll(e->coordinator_self, &news);
		if (ret < 0)
			return evb_fail(e, -ret, "%.500s",
					e->coordinator->reason(e->coordinator_self));
		if (!ret)
			break;
		switch (news.what) {
		case ROC_EVB_MEMBERS:
			set_members(e, &news);
			break;
		case ROC_EVB_TABLE:
			add_table(e, news.table);
			break;
		case ROC_EVB_LOST:
			e->n.contact = false;
			break;
		case ROC_EVB_BACK:
			e->n.contact = true;
			break;
		case ROC_EVB_OUT:
			ret = evb_rejoin(e, "The coordinator excluded this node.");
			if (ret)
				return ret;
			break;
		default:
			break;
		}
		if (news.text)
			evb_log(e, "%s", news.text);
	}
	if (!e->tables_new)
		return 0;
	e->tables_new = false;
	if (e->source)
		evb_readout_tables(e);
	if (e->sink)
		evb_builder_tables(e);
	return 0;
}

static void suspect(struct roc_evb_report *r, const char *name, const struct roc_evb_suspect *what)
{
	struct roc_evb_suspect *s;

	if ((!what->stale && !what->gone && !what->protocol_error) ||
	    r->suspect_count == ROC_EVB_SUSPECTS)
		return;
	s = &r->suspects[r->suspect_count++];
	*s = *what;
	memcpy(s->name, name, sizeof(s->name));
}

/* Report nodes of the newest table that are late, not connected, or violated the protocol. */
static void suspects(struct roc_evb *e, struct roc_evb_report *r)
{
	const struct evb_known *t = evb_newest(e);
	unsigned int i;

	for (i = 0; e->source && i < e->ru.count; i++) {
		const struct evb_destination *d = &e->ru.destinations[i];

		if (!d->used || !d->wanted || d->bye)
			continue;
		suspect(r, d->name,
			&(struct roc_evb_suspect){
				.incarnation = d->incarnation,
				.stale = evb_late_row(e, &d->late, &d->n),
				.gone = d->pair.state != PAIR_READY &&
					(!d->reached || e->now - d->down > 100 * EVB_MS),
				.protocol_error = d->protocol_error,
			});
	}
	for (i = 0; e->sink && t && i < t->table.ru_count; i++) {
		const struct evb_sender *g = t->sender[i] < 0 ? NULL : &e->bu.senders[t->sender[i]];
		const struct roc_evb_place *p = &t->table.rus[i];

		if (g && g->passed == UINT64_MAX)
			continue;
		suspect(r, p->name,
			&(struct roc_evb_suspect){
				.incarnation = p->incarnation,
				.stale = g ? evb_late_row(e, &g->late, &g->n) : 0,
				.gone = !g || g->pair.state != PAIR_READY,
				.protocol_error = g && g->protocol_error,
				.early = g && g->late.early,
			});
	}
}

int evb_report(struct roc_evb *e)
{
	struct roc_evb_report r = {
		.incarnation = e->incarnation,
		.epoch = e->n.epoch,
		.open_blocks = e->n.open_blocks,
		.ready_blocks = e->n.ready_blocks,
		.free_segments = e->n.free_segments,
		.all_segments = e->n.all_segments,
		.has_built = e->bu.has_built,
		.built_block = e->bu.built,
		.clock_ns = fabric_realtime(),
	};
	uint64_t passed = e->now - e->reported;
	unsigned int i;
	int ret;

	if (passed < e->cfg.lease_ns / 20)
		return 0;
	if (e->source) {
		r.has_newest = e->ru.packed > 0;
		r.newest_block = e->ru.next_block ? e->ru.next_block - 1 : 0;
		r.blocks_per_s = (uint64_t)((double)(e->ru.packed - e->reported_packed) *
					    FABRIC_NS_PER_S / (double)passed);
		r.ended = e->n.ended;
		e->reported_packed = e->ru.packed;
	}
	for (i = 0; e->sink && i < e->bu.count; i++) {
		const struct evb_sender *g = &e->bu.senders[i];

		r.backlog_bytes += (g->segments - g->free_count - g->lent) * g->segment;
	}
	suspects(e, &r);
	e->reported = e->now;
	ret = e->coordinator->report(e->coordinator_self, &r);
	return ret ? evb_fail(e, -ret, "%.500s", e->coordinator->reason(e->coordinator_self)) : 0;
}
