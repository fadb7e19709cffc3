// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Manager: choose the members of the next table, and compare tables.
 */
#include "manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_candidate(const struct roc_evb_manager *m, const struct node *n, bool builder,
			 uint64_t now)
{
	uint32_t role = builder ? ROC_EVB_BUILDER : ROC_EVB_READOUT;

	if (!n->alive || !(n->m.roles & role) || evb_manager_is_out(n, builder))
		return false;
	if (!builder && evb_manager_clock_refused(m, n, now))
		return false;
	/* A member of the table stays. A new node waits for others that start at the same time. */
	return evb_manager_index(&m->table, n->m.name, builder) >= 0 ||
	       evb_manager_passed(now, n->came) >= m->cfg.settle_ns;
}

/* Return true if one of these processes is still present. */
static bool any_present(const struct roc_evb_manager *m, const struct roc_evb_place *places,
			unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct node *n = evb_manager_find(m, places[i].name);

		if (n && n->alive && n->m.incarnation == places[i].incarnation)
			return true;
	}
	return false;
}

bool evb_manager_runs(const struct roc_evb_manager *m)
{
	return any_present(m, m->table.rus, m->table.ru_count) ||
	       any_present(m, m->table.bus, m->table.bu_count);
}

/* Return true if a node supports fewer peers than the first table has. */
static bool supports_too_few(struct roc_evb_manager *m, struct node *n, bool builder)
{
	uint32_t role = builder ? ROC_EVB_BUILDER : ROC_EVB_READOUT;
	uint32_t others = builder ? m->cfg.readouts : m->cfg.builders;

	if (!n->m.peers || n->m.peers >= others)
		return false;
	if (!(n->unfit & role))
		evb_manager_log(m,
				"%s is not admitted: it supports only %" PRIu32
				" %s, but the first table waits for %" PRIu32
				": start it with a larger number of peers.",
				n->m.name, n->m.peers, builder ? "readout units" : "builders",
				others);
	n->unfit |= role;
	return true;
}

static void add_place(struct roc_evb_place *places, uint32_t *count, struct node *n, uint32_t role,
		      uint32_t weight)
{
	n->unfit &= ~role;
	if (*count == ROC_EVB_NODES_MAX)
		return;
	strcpy(places[*count].name, n->m.name);
	places[*count].incarnation = n->m.incarnation;
	places[(*count)++].weight = weight;
}

/*
 * List the nodes that may be in the table, and return their number. They are sorted by name, so
 * that each manager makes the same choice.
 */
static unsigned int candidates(struct roc_evb_manager *m, bool first, bool builder, uint64_t now,
			       struct evb_fit *f)
{
	const struct roc_evb_place *places = builder ? m->table.bus : m->table.rus;
	unsigned int i, k, count = 0;
	int at;

	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		if (!is_candidate(m, n, builder, now) || (first && supports_too_few(m, n, builder)))
			continue;
		for (k = count++; k && strcmp(m->node[f[k - 1].index].m.name, n->m.name) > 0; k--)
			f[k] = f[k - 1];
		at = evb_manager_index(&m->table, n->m.name, builder);
		f[k] = (struct evb_fit){
			.index = i,
			.peers = n->m.peers,
			.in_table = at >= 0 && places[at].incarnation == n->m.incarnation,
		};
	}
	return count;
}

/* Log once that a node does not fit. */
static void log_not_admitted(struct roc_evb_manager *m, const struct evb_fit *f, bool builder,
			     const struct evb_fit *others, unsigned int other_count)
{
	const char *other = builder ? "readout units" : "builders";
	uint32_t role = builder ? ROC_EVB_BUILDER : ROC_EVB_READOUT;
	struct node *n = &m->node[f->index], *by;
	unsigned int i, count = 0;

	if (n->unfit & role)
		return;
	n->unfit |= role;
	if (f->limit == EVB_FIT_ITSELF) {
		for (i = 0; i < other_count; i++)
			count += others[i].fits;
		evb_manager_log(m,
				"%s is not admitted: it supports only %" PRIu32
				" %s, but there are %u: start it with a larger number of peers.",
				n->m.name, n->m.peers, other, count);
		return;
	}
	by = &m->node[others[f->limit].index];
	evb_manager_log(m,
			"%s is not admitted: %s supports only %" PRIu32
			" %s: start %s with a larger number of peers.",
			n->m.name, by->m.name, by->m.peers, builder ? "builders" : "readout units",
			by->m.name);
}

void evb_manager_fill(struct roc_evb_manager *m, struct roc_evb_table *t, uint64_t now)
{
	struct evb_fit rus[NODES], bus[NODES];
	bool first = !evb_manager_runs(m);
	unsigned int ru_count = candidates(m, first, false, now, rus);
	unsigned int bu_count = candidates(m, first, true, now, bus), i;
	bool weighs = m->cfg.policy == ROC_EVB_LEAST_LOADED;

	evb_fit(rus, ru_count, bus, bu_count);
	for (i = 0; i < ru_count; i++) {
		if (rus[i].fits)
			add_place(t->rus, &t->ru_count, &m->node[rus[i].index], ROC_EVB_READOUT, 0);
		else
			log_not_admitted(m, &rus[i], false, bus, bu_count);
	}
	for (i = 0; i < bu_count; i++) {
		struct node *n = &m->node[bus[i].index];

		if (bus[i].fits)
			add_place(t->bus, &t->bu_count, n, ROC_EVB_BUILDER,
				  weighs ? n->weight : WEIGHT_FULL);
		else
			log_not_admitted(m, &bus[i], true, rus, ru_count);
	}
}

static bool places_differ(const struct roc_evb_place *a, const struct roc_evb_place *b,
			  unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (strcmp(a[i].name, b[i].name) || a[i].incarnation != b[i].incarnation)
			return true;
	}
	return false;
}

bool evb_manager_members_differ(const struct roc_evb_table *a, const struct roc_evb_table *b)
{
	return a->ru_count != b->ru_count || a->bu_count != b->bu_count || a->policy != b->policy ||
	       a->seed != b->seed || places_differ(a->rus, b->rus, a->ru_count) ||
	       places_differ(a->bus, b->bus, a->bu_count);
}

bool evb_manager_weights_differ(const struct roc_evb_table *a, const struct roc_evb_table *b)
{
	unsigned int i;

	for (i = 0; i < a->bu_count; i++) {
		int64_t before = a->bus[i].weight, after = b->bus[i].weight;

		if (10 * llabs(after - before) > before)
			return true;
	}
	return false;
}
