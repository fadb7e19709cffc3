// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Manager: find members whose clock or position deviates from the majority.
 *
 * A wrong clock does no harm if a card numbers the events. So it only prevents the admission of a
 * new readout unit; a readout unit of the table is excluded for its position.
 */
#include "manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS (100 * MS)	  /* interval of comparisons */
#define CLOCKS_LEAST 3		  /* minimum number for a majority */
#define DEVIATION_PEER_BLOCKS 128 /* allowed deviation: these blocks for each builder ... */
#define DEVIATION_LEASES 5	  /* ... plus the blocks of this many leases */
#define DEVIATION_LEAST 8	  /* allowed deviation in blocks if the clock is wrong */
#define EARLY_NS (SECOND / 2)	  /* if ahead by more, blocks can arrive too early */

static double seconds(int64_t ns)
{
	return (double)(ns < 0 ? -ns : ns) / 1e9;
}

static const char *side(int64_t ahead)
{
	return ahead > 0 ? "ahead of" : "behind";
}

/* A delayed report makes the clock appear behind, so the highest of the kept readings counts. */
static int64_t clock_of(const struct node *n)
{
	unsigned int kept = n->clock_count < MANAGER_CLOCKS ? n->clock_count : MANAGER_CLOCKS, i;
	int64_t most = n->clocks[0];

	for (i = 1; i < kept; i++)
		most = n->clocks[i] > most ? n->clocks[i] : most;
	return most;
}

static bool is_fresh(const struct node *n, uint64_t now)
{
	return n->alive && n->reported && evb_manager_passed(now, n->at) <= FRESH_NS;
}

static int smallest_first(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Get the difference that most clocks agree on. Return false if there is no majority. */
static bool most_clocks(struct roc_evb_manager *m, uint64_t now, int64_t *most)
{
	unsigned int i, count = 0, within = 0;
	int64_t all[NODES], limit = (int64_t)m->cfg.clock_ns, distance;

	for (i = 0; i < m->count; i++) {
		if (is_fresh(&m->node[i], now) && m->node[i].clock_count)
			all[count++] = clock_of(&m->node[i]);
	}
	if (!count)
		return false;
	qsort(all, count, sizeof(all[0]), smallest_first);
	*most = all[count / 2];
	for (i = 0; i < count; i++)
		within += all[i] - *most <= limit && *most - all[i] <= limit;
	if (count >= CLOCKS_LEAST && 2 * within > count) {
		m->clocks_logged = false;
		return true;
	}
	distance = all[count - 1] - all[0];
	if (distance > limit && !m->clocks_logged)
		evb_manager_log(
			m,
			"The clocks of the nodes differ by %.1f s, and no majority agrees: synchronise them by NTP or PTP.",
			seconds(distance));
	m->clocks_logged = distance > limit;
	return false;
}

bool evb_manager_has_place(const struct roc_evb_manager *m, const struct node *n, bool builder)
{
	int at = evb_manager_index(&m->table, n->m.name, builder);

	return at >= 0 &&
	       (builder ? m->table.bus : m->table.rus)[at].incarnation == n->m.incarnation;
}

static void compare_clock(struct roc_evb_manager *m, struct node *n, int64_t most)
{
	int64_t limit = (int64_t)m->cfg.clock_ns, off;

	n->clock_ahead = clock_of(n) - most;
	n->clock_known = true;
	off = llabs(n->clock_ahead);
	if (!n->clock_wrong && off > limit) {
		n->clock_wrong = true;
		evb_manager_log(
			m,
			"The clock of %s is %.1f s %s those of most nodes (limit: %.1f s)%s: synchronise it by NTP or PTP.",
			n->m.name, seconds(off), side(n->clock_ahead), seconds(limit),
			(n->m.roles & ROC_EVB_READOUT) && !evb_manager_has_place(m, n, false)
				? ", so its readout unit is not admitted"
				: "");
	} else if (n->clock_wrong && off <= limit / 2) {
		n->clock_wrong = false;
		evb_manager_log(m, "The clock of %s agrees with those of most nodes again.",
				n->m.name);
	}
}

static void compare_clocks(struct roc_evb_manager *m, uint64_t now)
{
	bool known;
	int64_t most;
	unsigned int i;

	known = most_clocks(m, now, &most);
	m->clocks_known = known;
	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		if (known && is_fresh(n, now) && n->clock_count)
			compare_clock(m, n, most);
		else if (!known || !n->alive)
			n->clock_known = n->clock_wrong = false;
	}
}

bool evb_manager_clock_refused(const struct roc_evb_manager *m, const struct node *n, uint64_t now)
{
	if (evb_manager_has_place(m, n, false))
		return false;
	/* The clock is unknown until the first report. */
	if (m->clocks_known && !n->reported && evb_manager_passed(now, n->came) < FRESH_NS)
		return true;
	return n->clock_wrong;
}

/* A position is significant only if the unit is in the table and has packed blocks. */
static bool is_progressing(const struct roc_evb_manager *m, const struct node *n, uint64_t now)
{
	return n->moved && !n->ended && is_fresh(n, now) && evb_manager_has_place(m, n, false);
}

unsigned int evb_manager_positions(const struct roc_evb_manager *m, uint64_t now,
				   struct evb_position *p)
{
	unsigned int i, count = 0;

	for (i = 0; i < m->count; i++) {
		const struct node *n = &m->node[i];
		struct evb_position *one = &p[count];

		if (!n->alive || !n->reported || !n->packs)
			continue;
		*one = (struct evb_position){
			.block = evb_by_now(n->block, n->rate, evb_manager_passed(now, n->at)),
			.rate = n->rate,
			.usual = evb_track_rate(&n->track),
			.index = i,
			.votes = !n->clock_wrong && is_progressing(m, n, now),
		};
		one->reach = evb_track_reach(&n->track, one->usual, now);
		one->reach = one->reach > n->block ? one->reach : n->block;
		count++;
	}
	return count;
}

void evb_manager_majority(const struct roc_evb_manager *m, struct evb_position *p,
			  unsigned int count, struct evb_majority *most)
{
	evb_majority(p, count, DEVIATION_LEASES * m->cfg.lease_ns,
		     DEVIATION_PEER_BLOCKS * (m->table.bu_count + 1), most);
}

/* Return the allowed deviation in blocks. It is smaller if a wrong clock explains the deviation. */
static uint64_t tolerance(const struct roc_evb_manager *m, const struct node *n)
{
	uint64_t distance;

	if (!n->clock_wrong || (n->clock_ahead > 0) != (n->deviation > 0))
		return m->most.tolerance;
	distance = evb_by_now(DEVIATION_LEAST, m->most.rate, (uint64_t)llabs(n->clock_ahead) / 2);
	return distance < m->most.tolerance ? distance : m->most.tolerance;
}

static bool is_deviating(const struct roc_evb_manager *m, const struct node *n)
{
	return n->deviation_known && (uint64_t)llabs(n->deviation) > tolerance(m, n);
}

bool evb_manager_is_early(const struct roc_evb_manager *m, const struct node *n)
{
	return n->deviation_known && n->deviation > 0 &&
	       (uint64_t)n->deviation > evb_by_now(DEVIATION_LEAST, m->most.rate, EARLY_NS);
}

bool evb_manager_agrees(const struct roc_evb_manager *m, const struct node *n, uint64_t now)
{
	if (!m->table.ru_count)
		return true;
	/* An excluded unit packs no blocks, so only one that was ahead can still deviate. */
	if (n->clock_wrong || (n->deviation > 0 && is_deviating(m, n)))
		return false;
	return n->by_clock || now >= n->until;
}

static void exclude(struct roc_evb_manager *m, struct node *n, uint64_t now)
{
	char clock[64] = "";

	n->state = ROC_EVB_STATE_TIME;
	n->by_clock = n->clock_wrong;
	evb_manager_back_off(m, n, now);
	m->judged = now;
	if (n->clock_wrong)
		snprintf(clock, sizeof(clock), ", and its clock is %.1f s %s theirs",
			 seconds(n->clock_ahead), side(n->clock_ahead));
	evb_manager_log(m,
			"%s is excluded until it agrees again: its block %" PRIu64 " is %" PRIu64
			" blocks %s most readout units%s. Check clocks and event ids.",
			n->m.name, n->block, (uint64_t)llabs(n->deviation), side(n->deviation),
			clock);
}

/* A single wrong event id is transient, so two reports must show the deviation. */
static bool still_deviates(const struct roc_evb_manager *m, struct node *n, uint64_t now)
{
	/* A new member reports old blocks until it has packed the first block of the table. */
	if (!is_deviating(m, n) || (n->deviation < 0 && evb_manager_passed(now, n->entered) <
								m->cfg.lead_ns + m->cfg.grace_ns)) {
		n->deviates_since = 0;
		return false;
	}
	if (!n->deviates_since)
		n->deviates_since = now;
	return evb_manager_passed(now, n->deviates_since) >= m->cfg.suspect_ns &&
	       n->at > n->deviates_since;
}

static void log_no_majority(struct roc_evb_manager *m, const struct evb_position *p,
			    unsigned int count)
{
	const struct evb_position *far = NULL, *near = NULL;
	unsigned int i;
	bool distance;

	for (i = 0; i < count; i++) {
		if (!p[i].votes)
			continue;
		far = far ? far : &p[i];
		near = &p[i];
	}
	distance = far && !m->most.known && far->block - near->block > m->most.tolerance;
	if (distance && !m->spread_logged)
		evb_manager_log(
			m,
			"%s is at block %" PRIu64 " and %s at block %" PRIu64
			", and no majority of readout units agrees: no unit is excluded. Check clocks and event ids.",
			m->node[far->index].m.name, far->block, m->node[near->index].m.name,
			near->block);
	m->spread_logged = distance;
}

static void compare_positions(struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	unsigned int i, count = evb_manager_positions(m, now, p);
	struct evb_majority majority;

	evb_manager_majority(m, p, count, &majority);
	/* Without fresh reports the last majority stays valid. */
	if (!majority.voters)
		return;
	m->most = majority;
	log_no_majority(m, p, count);
	for (i = 0; i < m->count; i++)
		m->node[i].deviation_known = false;
	for (i = 0; i < count && m->most.known; i++) {
		struct node *n = &m->node[p[i].index];
		uint64_t distance = p[i].block > m->most.block ? p[i].block - m->most.block
							       : m->most.block - p[i].block;

		distance = distance < INT64_MAX ? distance : INT64_MAX;
		n->deviation = p[i].block > m->most.block ? (int64_t)distance : -(int64_t)distance;
		n->deviation_known = true;
		if (is_progressing(m, n, now) && n->state == ROC_EVB_STATE_IN &&
		    still_deviates(m, n, now))
			exclude(m, n, now);
	}
}

void evb_manager_judge_time(struct roc_evb_manager *m, uint64_t now)
{
	if (m->compared && evb_manager_passed(now, m->compared) < POLL_NS)
		return;
	m->compared = now;
	compare_clocks(m, now);
	compare_positions(m, now);
}

unsigned int roc_evb_manager_units(const struct roc_evb_manager *m, struct roc_evb_unit *units,
				   unsigned int room)
{
	unsigned int i, count = 0;

	for (i = 0; i < m->count; i++) {
		const struct node *n = &m->node[i];

		if (!n->alive || !(n->m.roles & ROC_EVB_READOUT))
			continue;
		if (count++ >= room)
			continue;
		units[count - 1] = (struct roc_evb_unit){
			.state = n->state,
			.assigned = evb_manager_has_place(m, n, false),
			.position_known = n->deviation_known,
			.blocks_ahead = n->deviation_known ? n->deviation : 0,
			.clock_known = n->clock_known,
			.clock_ahead_ns = n->clock_known ? n->clock_ahead : 0,
		};
		memcpy(units[count - 1].name, n->m.name, sizeof(n->m.name));
	}
	return count;
}
