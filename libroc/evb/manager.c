// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Manager: compute the next assignment table from the members, their reports and the time.
 */
#include "manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEASE_NS (2 * SECOND)	      /* default and minimum */
#define PACE_NS (200 * MS)	      /* between two tables, because nodes keep only the last few */
#define WEIGHTS_NS SECOND	      /* between two tables that differ only in weights */
#define CLOCK_MOST_NS (3600 * SECOND) /* maximum of clock_ns */
#define FAR_NS (2 * SECOND)	      /* after lead_ns: a later first block is too far ahead */

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

/* Return true if the first report of a present readout unit of the table is still expected. */
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

/* Return the block after the last one that any builder has delivered. */
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

/*
 * A readout unit that stalls at an old block does not show how far units got that were restarted
 * since. So no table starts at a block that a builder has delivered.
 */
static uint64_t not_built(const struct roc_evb_manager *m, uint64_t from)
{
	uint64_t behind = behind_built(m);

	return from > behind ? from : behind;
}

/*
 * An excluded unit, for example a stalled one, sends no block of the next table. Its position does
 * not count unless all units are excluded.
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

/* Get the positions and their majority. If no unit of the table votes, as after a start, all do. */
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
 * Return a block that no unit has begun when it receives the table. It may precede the first block
 * of the published table, which then never becomes valid.
 */
static uint64_t ahead(struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	struct evb_majority majority;
	unsigned int i, count = positions(m, now, p, &majority), outliers;
	uint64_t from;

	/*
	 * No unit has begun a block. Blocks that a builder has delivered must not be built twice.
	 */
	if (!count)
		return behind_built(m);
	/* The first table is valid from the first block on. */
	if (!m->table.epoch)
		return 0;
	from = evb_ahead(p, count, &majority, m->cfg.lead_ns, m->cfg.lead_blocks, &outliers);
	for (i = 0; i < outliers; i++)
		evb_manager_log(
			m,
			"%s reports block %" PRIu64
			", far ahead of most readout units: the next table ignores this position. Check its clock and event ids.",
			m->node[p[i].index].m.name, p[i].block);
	return not_built(m, from);
}

/*
 * A unit that catches up after a stall is fast for a moment. A table that was placed by that rate
 * may become valid only after minutes, and until then its new members get no blocks.
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

/*
 * The first table waits for the configured numbers of units, and until no member has joined for
 * settle_ns. In later tables each new member waits on its own.
 */
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

/* A new member of the table is not responsible for earlier blocks: start its grace time. */
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
	/* A table whose publication failed may have reached some nodes: do not reuse its epoch. */
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
