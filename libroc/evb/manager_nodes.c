// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Manager: present members, their reports, and messages.
 */
#include "manager.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A full builder still gets some blocks: without any it could not show that it has space again. */
#define WEIGHT_MIN 50
#define CLOCK_MOST (INT64_MAX / 2) /* so that the difference of two does not overflow */

void evb_manager_log(struct roc_evb_manager *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->message[m->written++ % MESSAGES], sizeof(m->message[0]), fmt, ap);
	va_end(ap);
	if (m->written - m->read > MESSAGES)
		m->read = m->written - MESSAGES;
}

const char *roc_evb_manager_message(struct roc_evb_manager *m)
{
	return m->read == m->written ? NULL : m->message[m->read++ % MESSAGES];
}

const char *roc_evb_manager_says(struct roc_evb_manager *m)
{
	return roc_evb_manager_message(m);
}

struct node *evb_manager_find(const struct roc_evb_manager *m, const char *name)
{
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		if (!strcmp(m->node[i].m.name, name))
			return (struct node *)&m->node[i];
	}
	return NULL;
}

int roc_evb_manager_state(const struct roc_evb_manager *m, const char *name)
{
	const struct node *n = evb_manager_find(m, name);

	return n ? (int)n->state : -ENOENT;
}

/* Return a free entry, else that of the absent node that joined first; NULL: all are present. */
static struct node *free_node(struct roc_evb_manager *m)
{
	struct node *old = NULL;
	unsigned int i;

	if (m->count < NODES)
		return &m->node[m->count++];
	for (i = 0; i < m->count; i++) {
		if (!m->node[i].alive && (!old || m->node[i].came < old->came))
			old = &m->node[i];
	}
	return old;
}

static void add_member(struct roc_evb_manager *m, const struct roc_evb_member *member, uint64_t now)
{
	struct node *n = evb_manager_find(m, member->name);

	if (n && n->alive && n->m.incarnation == member->incarnation) {
		n->m = *member;
		return;
	}
	if (!n) {
		n = free_node(m);
		if (!n) {
			evb_manager_log(
				m,
				"%s is not admitted: there are already %u nodes, the maximum: stop one.",
				member->name, NODES);
			return;
		}
		memset(n, 0, sizeof(*n));
	} else if (n->m.incarnation != member->incarnation) {
		/* The exclusion of the previous process does not apply to the new one. */
		n->state = ROC_EVB_STATE_IN;
		n->until = 0;
		n->backoff = 0;
	}
	n->m = *member;
	n->alive = true;
	n->came = now;
	n->in_since = now;
	n->reported = false;
	n->track.count = 0;
	n->moved = false;
	n->clock_count = 0;
	n->clock_known = n->clock_wrong = n->deviation_known = n->by_clock = false;
	n->deviates_since = 0;
	n->suspect_count = 0;
	n->unfit = 0;
	n->weight = WEIGHT_FULL;
}

void roc_evb_manager_members(struct roc_evb_manager *m, const struct roc_evb_member *members,
			     unsigned int count, uint64_t now)
{
	unsigned int i, k;

	/* Process nodes that left first: a new member may need their entry. */
	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		for (k = 0; k < count && strcmp(members[k].name, n->m.name); k++)
			;
		if (n->alive && k == count) {
			n->alive = false;
			evb_manager_log(m, "%s has left: it ended, or its lease expired.",
					n->m.name);
		}
	}
	for (k = 0; k < count; k++) {
		if (roc_evb_name_valid(members[k].name))
			add_member(m, &members[k], now);
	}
}

static bool same(const struct suspicion *a, const struct suspicion *b)
{
	return !strcmp(a->name, b->name) && a->incarnation == b->incarnation;
}

static void set_suspects(struct node *n, const struct roc_evb_report *r, uint64_t now)
{
	struct suspicion before[ROC_EVB_SUSPECTS];
	unsigned int i, k, had = n->suspect_count;

	memcpy(before, n->suspects, sizeof(before));
	n->suspect_count = 0;
	for (i = 0; i < r->suspect_count && i < ROC_EVB_SUSPECTS; i++) {
		struct suspicion *s = &n->suspects[n->suspect_count];

		if (!roc_evb_name_valid(r->suspects[i].name))
			continue;
		strcpy(s->name, r->suspects[i].name);
		s->incarnation = r->suspects[i].incarnation;
		s->stale = r->suspects[i].stale;
		s->gone = r->suspects[i].gone;
		s->protocol_error = r->suspects[i].protocol_error;
		s->early = r->suspects[i].early;
		for (k = 0; k < had && !(before[k].gone && same(&before[k], s)); k++)
			;
		s->since = k < had ? before[k].since : now;
		n->suspect_count++;
	}
}

/* Return the free memory in per mille. Blocks that wait for a slow sink are not free. */
static uint32_t free_memory(const struct roc_evb_report *r)
{
	uint64_t free = r->free_segments < r->all_segments ? r->free_segments : r->all_segments;
	uint32_t weight =
		r->all_segments ? (uint32_t)(WEIGHT_FULL * free / r->all_segments) : WEIGHT_FULL;

	return weight < WEIGHT_MIN ? WEIGHT_MIN : weight;
}

void evb_manager_note_clock(struct node *n, uint64_t clock, uint64_t now)
{
	if (!clock || clock > CLOCK_MOST || now > CLOCK_MOST)
		return;
	n->clocks[n->clock_count++ % MANAGER_CLOCKS] = (int64_t)clock - (int64_t)now;
}

void evb_manager_back_off(const struct roc_evb_manager *m, struct node *n, uint64_t now)
{
	n->backoff = n->backoff ? 2 * n->backoff : m->cfg.backoff_ns;
	if (n->backoff > m->cfg.backoff_max_ns)
		n->backoff = m->cfg.backoff_max_ns;
	n->until = now + n->backoff;
}

void roc_evb_manager_report(struct roc_evb_manager *m, const char *name,
			    const struct roc_evb_report *report, uint64_t now)
{
	struct node *n = evb_manager_find(m, name);

	/* A report of a previous process does not describe this one. */
	if (!n || !n->alive || report->incarnation != n->m.incarnation)
		return;
	set_suspects(n, report, now);
	n->weight = n->reported ? (3 * n->weight + free_memory(report)) / 4 : free_memory(report);
	n->moved |= n->reported && report->has_newest &&
		    (!n->packs || report->newest_block != n->block);
	n->ended = report->ended;
	n->epoch = report->epoch;
	evb_manager_note_clock(n, report->clock_ns, now);
	n->packs = report->has_newest;
	n->block = report->newest_block;
	n->rate = report->blocks_per_s;
	n->built = report->has_built;
	n->built_block = report->built_block;
	if (n->packs)
		evb_track_note(&n->track, now, n->block);
	n->at = now;
	n->reported = true;
}

int evb_manager_index(const struct roc_evb_table *t, const char *name, bool builder)
{
	unsigned int i, count = builder ? t->bu_count : t->ru_count;

	for (i = 0; i < count; i++) {
		if (!strcmp(builder ? t->bus[i].name : t->rus[i].name, name))
			return (int)i;
	}
	return -1;
}
