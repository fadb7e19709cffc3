// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The manager: from who is there, what they reported and the time to the next assignment table.
 */
#include "manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEASE_NS (2 * SECOND) /* as it is if nothing is said; others have to be longer */
#define PACE_NS (200 * MS)    /* between two tables: nodes keep the last few only */
#define WEIGHTS_NS SECOND     /* between two tables for weights' sake */
#define CLOCK_MOST_NS (3600 * SECOND)
#define FAR_NS (2 * SECOND) /* a table that holds later than in that time holds too late */

int roc_evb_manager_new(const struct roc_evb_manager_config *cfg, struct roc_evb_manager **manager)
{
	struct roc_evb_manager_config *c;

	if (cfg->policy >= ROC_EVB_POLICIES)
		return -EINVAL;
	*manager = calloc(1, sizeof(**manager));
	if (!*manager)
		return -ENOMEM;
	c = &(*manager)->cfg;
	*c = *cfg;
	c->readouts = c->readouts ? c->readouts : 1;
	c->builders = c->builders ? c->builders : 1;
	c->settle_ns = c->settle_ns ? c->settle_ns : SECOND;
	c->lead_ns = c->lead_ns ? c->lead_ns : 300 * MS;
	c->lead_blocks = c->lead_blocks ? c->lead_blocks : 64;
	c->slow_row = c->slow_row ? c->slow_row : 8;
	c->lease_ns = c->lease_ns > LEASE_NS ? c->lease_ns : LEASE_NS;
	c->suspect_ns = c->suspect_ns ? c->suspect_ns : SECOND;
	c->grace_ns = c->grace_ns ? c->grace_ns : c->lease_ns + c->lease_ns / 2;
	c->backoff_ns = c->backoff_ns ? c->backoff_ns : 5 * SECOND;
	c->backoff_max_ns = c->backoff_max_ns ? c->backoff_max_ns : 60 * SECOND;
	c->clock_ns = c->clock_ns ? c->clock_ns : c->lease_ns / 2;
	c->clock_ns = c->clock_ns < CLOCK_MOST_NS ? c->clock_ns : CLOCK_MOST_NS;
	return 0;
}

void roc_evb_manager_free(struct roc_evb_manager *m)
{
	free(m);
}

void roc_evb_manager_adopt(struct roc_evb_manager *m, const struct roc_evb_table *table)
{
	m->table = *table;
}

/* Of readout units that are there the newest block is not known yet; it will be. */
static bool awaits_report(const struct roc_evb_manager *m, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < m->table.ru_count; i++) {
		const struct node *n = evb_manager_find(m, m->table.rus[i].name);

		if (n && n->alive && !n->reported &&
		    n->m.incarnation == m->table.rus[i].incarnation &&
		    evb_manager_passed(now, n->came) < FRESH_NS)
			return true;
	}
	return false;
}

/* The block behind all that builders have delivered. */
static uint64_t behind_built(const struct roc_evb_manager *m)
{
	uint64_t from = 0;
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		const struct node *n = &m->node[i];

		if (n->alive && n->reported && n->built && n->built_block >= from &&
		    n->built_block < UINT64_MAX)
			from = n->built_block + 1;
	}
	return from;
}

/* Who stands still behind is no measure of what others sent who were started anew since. */
static uint64_t not_built(const struct roc_evb_manager *m, uint64_t from)
{
	uint64_t behind = behind_built(m);

	return from > behind ? from : behind;
}

/*
 * A unit that is taken out, as one that stands still, has no block of the next table: where it may
 * be by now does not count, if there are others.
 */
static unsigned int drop_out(const struct roc_evb_manager *m, struct evb_position *p,
			     unsigned int count)
{
	unsigned int i, kept = 0;

	for (i = 0; i < count; i++)
		kept += !evb_manager_is_out(&m->node[p[i].index], false);
	if (!kept)
		return count;
	for (i = kept = 0; i < count; i++) {
		if (!evb_manager_is_out(&m->node[p[i].index], false))
			p[kept++] = p[i];
	}
	return kept;
}

/* Positions, and their majority. If no unit of the table votes, as after a start, all vote. */
static unsigned int positions(const struct roc_evb_manager *m, uint64_t now, struct evb_position *p,
			      struct evb_majority *most)
{
	unsigned int count = drop_out(m, p, evb_manager_positions(m, now, p)), i;

	evb_manager_majority(m, p, count, most);
	for (i = 0; i < count && !most->voters; i++)
		p[i].votes = true;
	if (!most->voters)
		evb_manager_majority(m, p, count, most);
	return count;
}

/*
 * A block that nobody has begun by the time it hears of the table. It may be before that of the
 * table that is published: then that one never holds.
 */
static uint64_t ahead(struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	struct evb_majority majority;
	unsigned int i, count = positions(m, now, p, &majority), outliers;
	uint64_t from;

	/* Nobody has begun any: but who has built some does not build them twice. */
	if (!count)
		return behind_built(m);
	/* The first table holds from the first block on anyhow. */
	if (!m->table.epoch)
		return 0;
	from = evb_ahead(p, count, &majority, m->cfg.lead_ns, m->cfg.lead_blocks, &outliers);
	for (i = 0; i < outliers; i++)
		evb_manager_log(m,
				"%s says that it is at block %" PRIu64
				", far ahead of most others: that does not count.",
				m->node[p[i].index].m.name, p[i].block);
	return not_built(m, from);
}

/*
 * Who stood still and makes up for it is fast for a moment; a table that was put as far ahead as
 * that would have taken him holds in minutes only, and until then whoever it lets in is out.
 */
static bool too_far(const struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	struct evb_majority majority;
	unsigned int count, outliers;
	uint64_t most;

	if (evb_manager_passed(now, m->tabled) < FAR_NS)
		return false;
	count = positions(m, now, p, &majority);
	if (!count)
		return false;
	most = evb_ahead(p, count, &majority, m->cfg.lead_ns + FAR_NS, m->cfg.lead_blocks,
			 &outliers);
	return m->table.from_block > not_built(m, most);
}

/* Is the first table to be written, or who came to be let in? */
static bool may_write_table(const struct roc_evb_manager *m, const struct roc_evb_table *t,
			    uint64_t now)
{
	unsigned int i;

	if (evb_manager_runs(m))
		return true;
	if (t->ru_count < m->cfg.readouts || t->bu_count < m->cfg.builders)
		return false;
	for (i = 0; i < m->count; i++) {
		if (m->node[i].alive && evb_manager_passed(now, m->node[i].came) < m->cfg.settle_ns)
			return false;
	}
	return true;
}

/* Who was not in the table before is not late with what went before. */
static void mark_new_members(struct roc_evb_manager *m, const struct roc_evb_table *next,
			     uint64_t now)
{
	const struct roc_evb_place *places;
	unsigned int b, i;
	int before;

	for (b = 0; b < 2; b++) {
		places = b ? next->bus : next->rus;
		for (i = 0; i < (b ? next->bu_count : next->ru_count); i++) {
			struct node *n = evb_manager_find(m, places[i].name);

			before = evb_manager_index(&m->table, places[i].name, b);
			if (n &&
			    (before < 0 || (b ? m->table.bus : m->table.rus)[before].incarnation !=
						   places[i].incarnation)) {
				n->entered = now;
				n->connected = false;
			}
		}
	}
}

int roc_evb_manager_step(struct roc_evb_manager *m, uint64_t term, uint64_t now,
			 struct roc_evb_table *next)
{
	bool weighs = m->cfg.policy == ROC_EVB_LEAST_LOADED, changed;

	evb_manager_judge_time(m, now);
	if (m->table.epoch)
		evb_manager_exclude(m, now);
	evb_manager_readmit(m, now);
	memset(next, 0, sizeof(*next));
	next->term = term;
	/* Of one whose publication failed nobody knows who has it: its number is not used again. */
	next->epoch = (m->tried > m->table.epoch ? m->tried : m->table.epoch) + 1;
	next->seed = m->cfg.seed;
	next->policy = m->cfg.policy;
	evb_manager_fill(m, next, now);
	if (!may_write_table(m, next, now) ||
	    (m->tabled && evb_manager_passed(now, m->tabled) < PACE_NS))
		return 0;
	changed = !m->table.epoch || evb_manager_members_differ(&m->table, next) || too_far(m, now);
	if (!changed && !(weighs && evb_manager_passed(now, m->weighed) >= WEIGHTS_NS &&
			  evb_manager_weights_differ(&m->table, next)))
		return 0;
	if (m->table.epoch && awaits_report(m, now))
		return 0;
	next->from_block = ahead(m, now);
	mark_new_members(m, next, now);
	m->tried = next->epoch;
	m->tabled = now;
	m->weighed = now;
	return 1;
}
