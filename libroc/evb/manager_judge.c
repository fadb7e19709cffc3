// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Manager: exclude members that their peers suspect, one at a time, and readmit them.
 */
#include "manager.h"

#include <stdio.h>
#include <string.h>

#define GOOD_NS (60 * SECOND) /* time in the table after which the backoff starts again */

static bool in_table(const struct roc_evb_manager *m, const struct node *n)
{
	return n->alive && (evb_manager_index(&m->table, n->m.name, false) >= 0 ||
			    evb_manager_index(&m->table, n->m.name, true) >= 0);
}

/* Fast path: usually all members of the table are connected. */
static bool all_connected(const struct roc_evb_manager *m)
{
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		if (!m->node[i].connected && in_table(m, &m->node[i]))
			return false;
	}
	return true;
}

/*
 * Mark the members of the table as connected as soon as all of them have reported its epoch. A
 * suspicion leaves the mark of both the reporting and the suspected node unchanged.
 */
static void note_connected(struct roc_evb_manager *m)
{
	bool connected[NODES], in[NODES];
	unsigned int i, k;

	if (all_connected(m))
		return;
	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		connected[i] = n->connected;
		in[i] = in_table(m, n);
		if (in[i] && (!n->reported || n->epoch < m->table.epoch))
			return;
	}
	for (i = 0; i < m->count; i++)
		m->node[i].connected |= in[i];
	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i], *other;

		for (k = 0; in[i] && k < n->suspect_count; k++) {
			other = evb_manager_find(m, n->suspects[k].name);
			if (!other || other->m.incarnation != n->suspects[k].incarnation)
				continue;
			other->connected &= connected[other - m->node];
			n->connected &= connected[i];
		}
	}
}

/* The others connect to a new member one after another, so it has a grace time. */
static bool is_judgeable(const struct roc_evb_manager *m, const struct node *n, uint64_t now)
{
	return n->connected ||
	       evb_manager_passed(now, n->entered) >= m->cfg.lead_ns + m->cfg.grace_ns;
}

static enum roc_evb_state vote(const struct roc_evb_manager *m, const struct node *voter,
			       const struct node *n, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < voter->suspect_count; i++) {
		const struct suspicion *s = &voter->suspects[i];
		/* A suspicion from before the last exclusion refers to another table. */
		uint64_t since = s->since > m->judged ? s->since : m->judged;

		if (strcmp(s->name, n->m.name) || s->incarnation != n->m.incarnation)
			continue;
		if (s->protocol_error && voter->at > m->judged)
			return ROC_EVB_STATE_PROTOCOL_ERROR;
		since = since > n->entered ? since : n->entered;
		if (!is_judgeable(m, n, now) || !is_judgeable(m, voter, now))
			continue;
		if (s->stale >= m->cfg.slow_row && voter->at > m->judged) {
			if (!s->early)
				return ROC_EVB_STATE_SLOW;
			if (evb_manager_is_early(m, n))
				return ROC_EVB_STATE_TIME;
		}
		if (s->gone && evb_manager_passed(now, since) >= m->cfg.suspect_ns)
			return ROC_EVB_STATE_OUT;
	}
	return ROC_EVB_STATE_IN;
}

/* A node that suspects all of several others is cut off itself. */
static bool is_alone(const struct roc_evb_manager *m, const struct node *voter, bool builder,
		     uint64_t now)
{
	unsigned int i, count = builder ? m->table.bu_count : m->table.ru_count, others = 0;

	for (i = 0; i < count; i++) {
		const struct roc_evb_place *p = builder ? &m->table.bus[i] : &m->table.rus[i];
		const struct node *n = evb_manager_find(m, p->name);

		if (!n || n == voter || !n->alive)
			continue;
		if (vote(m, voter, n, now) == ROC_EVB_STATE_IN)
			return false;
		others++;
	}
	return others > 1;
}

/*
 * Return the share, in per mille, of the nodes of the other role that suspect @n as a builder or as
 * a readout unit. @of: the most frequent suspicion.
 */
static unsigned int suspected_share(const struct roc_evb_manager *m, const struct node *n,
				    bool builder, uint64_t now, enum roc_evb_state *of)
{
	unsigned int i, all = 0, suspecting = 0, counts[ROC_EVB_STATE_TIME + 1] = {0};

	for (i = 0; i < m->count; i++) {
		const struct node *voter = &m->node[i];
		enum roc_evb_state v;

		if (!voter->alive || !voter->reported ||
		    evb_manager_passed(now, voter->at) > FRESH_NS || voter == n ||
		    evb_manager_index(&m->table, voter->m.name, !builder) < 0)
			continue;
		v = vote(m, voter, n, now);
		if (v != ROC_EVB_STATE_IN && is_alone(m, voter, builder, now))
			continue;
		all++;
		suspecting += v != ROC_EVB_STATE_IN;
		counts[v]++;
	}
	*of = ROC_EVB_STATE_PROTOCOL_ERROR;
	for (i = ROC_EVB_STATE_TIME; i > ROC_EVB_STATE_IN; i--)
		*of = counts[i] > counts[*of] ? (enum roc_evb_state)i : *of;
	return all ? 1000 * suspecting / all : 0;
}

/* Return the node with the largest share of suspecting peers; NULL: no share reaches one half. */
static struct node *most_suspected(struct roc_evb_manager *m, bool builders, uint64_t now,
				   enum roc_evb_state *of)
{
	unsigned int i, most = 0, count = builders ? m->table.bu_count : m->table.ru_count;
	struct node *worst = NULL;

	for (i = 0; count > 1 && i < count; i++) {
		const struct roc_evb_place *at = builders ? &m->table.bus[i] : &m->table.rus[i];
		struct node *n = evb_manager_find(m, at->name);
		enum roc_evb_state state;
		unsigned int part;

		if (!n || !n->alive || evb_manager_is_out(n, builders))
			continue;
		part = suspected_share(m, n, builders, now, &state);
		if (part >= 500 && part > most) {
			most = part;
			worst = n;
			*of = state;
		}
	}
	return worst;
}

void evb_manager_exclude(struct roc_evb_manager *m, uint64_t now)
{
	static const char *const reasons[] = {
		[ROC_EVB_STATE_OUT] = "it cannot be reached",
		[ROC_EVB_STATE_SLOW] = "it is late with consecutive blocks",
		[ROC_EVB_STATE_PROTOCOL_ERROR] = "it violates the protocol",
		[ROC_EVB_STATE_TIME] =
			"its blocks arrive too early, before those of most readout units",
	};
	enum roc_evb_state of;
	char until[40];
	struct node *n;

	note_connected(m);
	n = most_suspected(m, true, now, &of);
	if (!n)
		n = most_suspected(m, false, now, &of);
	if (!n)
		return;
	evb_manager_back_off(m, n, now);
	n->state = of;
	n->by_clock = n->clock_wrong;
	m->judged = now;
	snprintf(until, sizeof(until), "for %.1f s", (double)n->backoff / 1e9);
	/*
	 * The peers that detected the violation refuse it until then: a table with it loses blocks.
	 */
	if (of == ROC_EVB_STATE_PROTOCOL_ERROR) {
		n->until = UINT64_MAX;
		strcpy(until, "until it is restarted");
	}
	evb_manager_log(m, "%s is excluded %s: at least half of its peers report that %s.",
			n->m.name, until, reasons[of]);
}

void evb_manager_readmit(struct roc_evb_manager *m, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		if (n->state == ROC_EVB_STATE_TIME
			    ? evb_manager_agrees(m, n, now)
			    : n->state != ROC_EVB_STATE_IN && now >= n->until) {
			n->state = ROC_EVB_STATE_IN;
			n->in_since = now;
			n->deviates_since = 0;
			if (n->alive)
				evb_manager_log(m, "%s is readmitted.", n->m.name);
		} else if (n->state == ROC_EVB_STATE_IN && n->backoff &&
			   evb_manager_passed(now, n->in_since) > GOOD_NS) {
			n->backoff = 0;
		}
	}
}
