// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The manager: from who is there, what they reported and the time to the next assignment table.
 */
#include <roc/evb_manager.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "fit.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define FRESH_NS (3 * SECOND) /* a report that is older says nothing of now */
#define PACE_NS (200 * MS)    /* between two tables: nodes keep the last few only */
#define WEIGHTS_NS SECOND     /* between two tables for weights' sake */
#define FAR_NS (2 * SECOND)   /* a table that holds later than in that time holds too late */
#define GOOD_NS (60 * SECOND) /* in the table for so long: what was before is forgotten */
#define SENTENCES 32
#define NODES (2 * ROC_EVB_NODES_MAX) /* each may have one role only */
#define WEIGHT_FULL 1000
#define WEIGHT_MIN                                                                                 \
	50 /* a builder that is full gets a little, else it could not show that it is not */

struct suspicion {
	char name[ROC_EVB_NAME];
	uint64_t incarnation, since;
	uint32_t stale;
	bool gone, lied;
};

struct node {
	struct roc_evb_member m;
	bool alive;
	uint32_t unfit; /* roles in which it is left out, which was said */
	enum roc_evb_state state;
	uint64_t came, in_since, entered; /* entered: a table */
	uint64_t until, backoff;	  /* out until; how long the last time */
	/* Of its last report. */
	bool reported, packs, built;
	uint64_t at, block, rate; /* when; the newest, and so many a second */
	uint64_t built_block;
	uint32_t weight;
	struct suspicion suspects[ROC_EVB_SUSPECTS];
	unsigned int suspect_count;
};

struct roc_evb_manager {
	struct roc_evb_manager_config cfg;
	struct node node[NODES];
	unsigned int count;
	struct roc_evb_table table; /* holds; epoch 0: there is none */
	uint64_t tried;		    /* the last epoch that was given out */
	uint64_t tabled, weighed, judged;
	char sentence[SENTENCES][256];
	unsigned int said, asked;
};

static void say(struct roc_evb_manager *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void say(struct roc_evb_manager *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->sentence[m->said++ % SENTENCES], sizeof(m->sentence[0]), fmt, ap);
	va_end(ap);
	if (m->said - m->asked > SENTENCES)
		m->asked = m->said - SENTENCES;
}

const char *roc_evb_manager_says(struct roc_evb_manager *m)
{
	return m->asked == m->said ? NULL : m->sentence[m->asked++ % SENTENCES];
}

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
	c->suspect_ns = c->suspect_ns ? c->suspect_ns : SECOND;
	c->grace_ns = c->grace_ns ? c->grace_ns : 3 * SECOND;
	c->backoff_ns = c->backoff_ns ? c->backoff_ns : 5 * SECOND;
	c->backoff_max_ns = c->backoff_max_ns ? c->backoff_max_ns : 60 * SECOND;
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

/* What was told last may be of a moment after that of the step. */
static uint64_t passed(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static struct node *find(const struct roc_evb_manager *m, const char *name)
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
	const struct node *n = find(m, name);

	return n ? (int)n->state : -ENOENT;
}

/* A place for somebody new; of those who are gone the one that has been known for longest. */
static struct node *place(struct roc_evb_manager *m)
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

static void comes(struct roc_evb_manager *m, const struct roc_evb_member *member, uint64_t now)
{
	struct node *n = find(m, member->name);

	if (n && n->alive && n->m.incarnation == member->incarnation) {
		n->m = *member;
		return;
	}
	if (!n) {
		n = place(m);
		if (!n) {
			say(m, "%s is not let in: there are %u nodes already, more cannot be.",
			    member->name, NODES);
			return;
		}
		memset(n, 0, sizeof(*n));
	} else if (n->m.incarnation != member->incarnation) {
		/* Whatever was wrong with the one before. */
		n->state = ROC_EVB_STATE_IN;
		n->until = 0;
		n->backoff = 0;
	}
	n->m = *member;
	n->alive = true;
	n->came = now;
	n->in_since = now;
	n->reported = false;
	n->suspect_count = 0;
	n->unfit = 0;
	n->weight = WEIGHT_FULL;
}

void roc_evb_manager_members(struct roc_evb_manager *m, const struct roc_evb_member *members,
			     unsigned int count, uint64_t now)
{
	unsigned int i, k;

	/* First those who went: their places may be wanted. */
	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		for (k = 0; k < count && strcmp(members[k].name, n->m.name); k++)
			;
		if (n->alive && k == count) {
			n->alive = false;
			say(m, "%s is gone.", n->m.name);
		}
	}
	for (k = 0; k < count; k++) {
		if (roc_evb_name_valid(members[k].name))
			comes(m, &members[k], now);
	}
}

static bool same(const struct suspicion *a, const struct suspicion *b)
{
	return !strcmp(a->name, b->name) && a->incarnation == b->incarnation;
}

static void take_suspects(struct node *n, const struct roc_evb_report *r, uint64_t now)
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
		s->lied = r->suspects[i].lied;
		for (k = 0; k < had && !(before[k].gone && same(&before[k], s)); k++)
			;
		s->since = k < had ? before[k].since : now;
		n->suspect_count++;
	}
}

/* Per mille of its memory that is free: what waits for a slow sink is in there, too. */
static uint32_t room(const struct roc_evb_report *r)
{
	uint64_t free = r->free_segments < r->all_segments ? r->free_segments : r->all_segments;
	uint32_t weight =
		r->all_segments ? (uint32_t)(WEIGHT_FULL * free / r->all_segments) : WEIGHT_FULL;

	return weight < WEIGHT_MIN ? WEIGHT_MIN : weight;
}

void roc_evb_manager_report(struct roc_evb_manager *m, const char *name,
			    const struct roc_evb_report *report, uint64_t now)
{
	struct node *n = find(m, name);

	/* One of before it was started anew says nothing of now. */
	if (!n || !n->alive || report->incarnation != n->m.incarnation)
		return;
	take_suspects(n, report, now);
	n->weight = n->reported ? (3 * n->weight + room(report)) / 4 : room(report);
	n->packs = report->has_newest;
	n->block = report->newest_block;
	n->rate = report->blocks_per_s;
	n->built = report->has_built;
	n->built_block = report->built_block;
	n->at = now;
	n->reported = true;
}

static int index_of(const struct roc_evb_table *t, const char *name, bool builder)
{
	unsigned int i, count = builder ? t->bu_count : t->ru_count;

	for (i = 0; i < count; i++) {
		if (!strcmp(builder ? t->bus[i].name : t->rus[i].name, name))
			return (int)i;
	}
	return -1;
}

static enum roc_evb_state vote(const struct roc_evb_manager *m, const struct node *voter,
			       const struct node *n, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < voter->suspect_count; i++) {
		const struct suspicion *s = &voter->suspects[i];
		/* What was said before the last judgement was said of another table. */
		uint64_t since = s->since > m->judged ? s->since : m->judged;
		bool settled_in = passed(now, n->entered) >= m->cfg.lead_ns + m->cfg.grace_ns;

		if (strcmp(s->name, n->m.name) || s->incarnation != n->m.incarnation)
			continue;
		if (s->lied && voter->at > m->judged)
			return ROC_EVB_STATE_LIED;
		since = since > n->entered ? since : n->entered;
		/* Who came lately is being connected with, by each of the others in its turn. */
		if (!settled_in)
			continue;
		if (s->stale >= m->cfg.slow_row && voter->at > m->judged)
			return ROC_EVB_STATE_SLOW;
		if (s->gone && passed(now, since) >= m->cfg.suspect_ns)
			return ROC_EVB_STATE_OUT;
	}
	return ROC_EVB_STATE_IN;
}

/* Who speaks against all others, and there are several, is alone himself. */
static bool is_alone(const struct roc_evb_manager *m, const struct node *voter, bool builder,
		     uint64_t now)
{
	unsigned int i, count = builder ? m->table.bu_count : m->table.ru_count, others = 0;

	for (i = 0; i < count; i++) {
		const struct roc_evb_place *p = builder ? &m->table.bus[i] : &m->table.rus[i];
		const struct node *n = find(m, p->name);

		if (!n || n == voter || !n->alive)
			continue;
		if (vote(m, voter, n, now) == ROC_EVB_STATE_IN)
			return false;
		others++;
	}
	return others > 1;
}

/*
 * Per mille of those who could tell of @n as a builder, or as a readout unit, and accuse it; and of
 * what most of them do.
 */
static unsigned int accused(const struct roc_evb_manager *m, const struct node *n, bool builder,
			    uint64_t now, enum roc_evb_state *of)
{
	unsigned int i, all = 0, against = 0, counts[ROC_EVB_STATE_LIED + 1] = {0};

	for (i = 0; i < m->count; i++) {
		const struct node *voter = &m->node[i];
		enum roc_evb_state v;

		if (!voter->alive || !voter->reported || passed(now, voter->at) > FRESH_NS ||
		    voter == n || index_of(&m->table, voter->m.name, !builder) < 0)
			continue;
		v = vote(m, voter, n, now);
		if (v != ROC_EVB_STATE_IN && is_alone(m, voter, builder, now))
			continue;
		all++;
		against += v != ROC_EVB_STATE_IN;
		counts[v]++;
	}
	*of = ROC_EVB_STATE_LIED;
	for (i = ROC_EVB_STATE_LIED; i > ROC_EVB_STATE_IN; i--)
		*of = counts[i] > counts[*of] ? (enum roc_evb_state)i : *of;
	return all ? 1000 * against / all : 0;
}

/* Whom most speak against, if it is half of them; NULL: nobody. */
static struct node *judge(struct roc_evb_manager *m, bool builders, uint64_t now,
			  enum roc_evb_state *of)
{
	unsigned int i, most = 0, count = builders ? m->table.bu_count : m->table.ru_count;
	struct node *worst = NULL;

	for (i = 0; count > 1 && i < count; i++) {
		const struct roc_evb_place *at = builders ? &m->table.bus[i] : &m->table.rus[i];
		struct node *n = find(m, at->name);
		enum roc_evb_state state;
		unsigned int part;

		if (!n || !n->alive || n->state != ROC_EVB_STATE_IN)
			continue;
		part = accused(m, n, builders, now, &state);
		if (part >= 500 && part > most) {
			most = part;
			worst = n;
			*of = state;
		}
	}
	return worst;
}

static void take_out(struct roc_evb_manager *m, uint64_t now)
{
	static const char *const reasons[] = {
		[ROC_EVB_STATE_OUT] = "it cannot be reached",
		[ROC_EVB_STATE_SLOW] = "it is late with one block after the other",
		[ROC_EVB_STATE_LIED] = "it says what cannot be",
	};
	enum roc_evb_state of;
	struct node *n = judge(m, true, now, &of);

	if (!n)
		n = judge(m, false, now, &of);
	if (!n)
		return;
	n->backoff = n->backoff ? 2 * n->backoff : m->cfg.backoff_ns;
	if (n->backoff > m->cfg.backoff_max_ns)
		n->backoff = m->cfg.backoff_max_ns;
	n->until = now + n->backoff;
	n->state = of;
	m->judged = now;
	say(m, "%s is taken out for %.1f s: at least half of those who work with it say that %s.",
	    n->m.name, (double)n->backoff / 1e9, reasons[of]);
}

static void take_back(struct roc_evb_manager *m, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < m->count; i++) {
		struct node *n = &m->node[i];

		if (n->state != ROC_EVB_STATE_IN && now >= n->until) {
			n->state = ROC_EVB_STATE_IN;
			n->in_since = now;
			if (n->alive)
				say(m, "%s is taken back.", n->m.name);
		} else if (n->state == ROC_EVB_STATE_IN && n->backoff &&
			   passed(now, n->in_since) > GOOD_NS) {
			n->backoff = 0;
		}
	}
}

static bool wanted(const struct roc_evb_manager *m, const struct node *n, bool builder,
		   uint64_t now)
{
	uint32_t role = builder ? ROC_EVB_BUILDER : ROC_EVB_READOUT;

	if (!n->alive || !(n->m.roles & role) || n->state != ROC_EVB_STATE_IN)
		return false;
	/* Who is in stays; who came lately waits for those who come with it. */
	return index_of(&m->table, n->m.name, builder) >= 0 ||
	       passed(now, n->came) >= m->cfg.settle_ns;
}

static void enter(struct roc_evb_place *places, uint32_t *count, struct node *n, uint32_t role,
		  uint32_t weight)
{
	n->unfit &= ~role;
	if (*count == ROC_EVB_NODES_MAX)
		return;
	strcpy(places[*count].name, n->m.name);
	places[*count].incarnation = n->m.incarnation;
	places[(*count)++].weight = weight;
}

/* Who could be in, by name, so that each manager comes to the same: how many. */
static unsigned int candidates(const struct roc_evb_manager *m, bool builder, uint64_t now,
			       struct evb_fit *f)
{
	const struct roc_evb_place *places = builder ? m->table.bus : m->table.rus;
	unsigned int i, k, count = 0;
	int at;

	for (i = 0; i < m->count; i++) {
		const struct node *n = &m->node[i];

		if (!wanted(m, n, builder, now))
			continue;
		for (k = count++; k && strcmp(m->node[f[k - 1].who].m.name, n->m.name) > 0; k--)
			f[k] = f[k - 1];
		at = index_of(&m->table, n->m.name, builder);
		f[k] = (struct evb_fit){
			.who = i,
			.peers = n->m.peers,
			.holds = at >= 0 && places[at].incarnation == n->m.incarnation,
		};
	}
	return count;
}

/* Who does not fit is said to do so once. */
static void leave_out(struct roc_evb_manager *m, const struct evb_fit *f, bool builder,
		      const struct evb_fit *others, unsigned int other_count)
{
	const char *other = builder ? "readout units" : "builders";
	uint32_t role = builder ? ROC_EVB_BUILDER : ROC_EVB_READOUT;
	struct node *n = &m->node[f->who], *by;
	unsigned int i, count = 0;

	if (n->unfit & role)
		return;
	n->unfit |= role;
	if (f->limit == EVB_FIT_ITSELF) {
		for (i = 0; i < other_count; i++)
			count += others[i].fits;
		say(m,
		    "%s is not let in: it is made for %" PRIu32
		    " %s, and there are %u: start it with more peers.",
		    n->m.name, n->m.peers, other, count);
		return;
	}
	by = &m->node[others[f->limit].who];
	say(m,
	    "%s is not let in: %s is made for %" PRIu32
	    " %s, and has them: start that with more peers.",
	    n->m.name, by->m.name, by->m.peers, builder ? "builders" : "readout units");
}

static void fill(struct roc_evb_manager *m, struct roc_evb_table *t, uint64_t now)
{
	struct evb_fit rus[NODES], bus[NODES];
	unsigned int ru_count = candidates(m, false, now, rus);
	unsigned int bu_count = candidates(m, true, now, bus), i;
	bool weighs = m->cfg.policy == ROC_EVB_LEAST_LOADED;

	evb_fit(rus, ru_count, bus, bu_count);
	for (i = 0; i < ru_count; i++) {
		if (rus[i].fits)
			enter(t->rus, &t->ru_count, &m->node[rus[i].who], ROC_EVB_READOUT, 0);
		else
			leave_out(m, &rus[i], false, bus, bu_count);
	}
	for (i = 0; i < bu_count; i++) {
		struct node *n = &m->node[bus[i].who];

		if (bus[i].fits)
			enter(t->bus, &t->bu_count, n, ROC_EVB_BUILDER,
			      weighs ? n->weight : WEIGHT_FULL);
		else
			leave_out(m, &bus[i], true, rus, ru_count);
	}
}

static bool other_places(const struct roc_evb_place *a, const struct roc_evb_place *b,
			 unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (strcmp(a[i].name, b[i].name) || a[i].incarnation != b[i].incarnation)
			return true;
	}
	return false;
}

static bool others(const struct roc_evb_table *a, const struct roc_evb_table *b)
{
	return a->ru_count != b->ru_count || a->bu_count != b->bu_count || a->policy != b->policy ||
	       a->seed != b->seed || other_places(a->rus, b->rus, a->ru_count) ||
	       other_places(a->bus, b->bus, a->bu_count);
}

static bool other_weights(const struct roc_evb_table *a, const struct roc_evb_table *b)
{
	unsigned int i;

	for (i = 0; i < a->bu_count; i++) {
		int64_t before = a->bus[i].weight, after = b->bus[i].weight;

		if (10 * llabs(after - before) > before)
			return true;
	}
	return false;
}

/* Of readout units that are there the newest block is not known yet; it will be. */
static bool to_be_heard(const struct roc_evb_manager *m, uint64_t now)
{
	unsigned int i;

	for (i = 0; i < m->table.ru_count; i++) {
		const struct node *n = find(m, m->table.rus[i].name);

		if (n && n->alive && !n->reported &&
		    n->m.incarnation == m->table.rus[i].incarnation &&
		    passed(now, n->came) < FRESH_NS)
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

/* Where those are who pack blocks: how many they are. */
static unsigned int positions(const struct roc_evb_manager *m, uint64_t now, struct evb_position *p)
{
	unsigned int i, count = 0;

	for (i = 0; i < m->count; i++) {
		const struct node *n = &m->node[i];

		if (n->alive && n->reported && n->packs)
			p[count++] = (struct evb_position){
				.block = evb_by_now(n->block, n->rate, passed(now, n->at)),
				.rate = n->rate,
				.who = i,
			};
	}
	return count;
}

/*
 * A block that nobody has begun by the time it hears of the table. It may be before that of the
 * table that is published: then that one never holds.
 */
static uint64_t ahead(struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	unsigned int i, count = positions(m, now, p), odd;
	uint64_t from;

	/* Nobody has begun any: but who has built some does not build them twice. */
	if (!count)
		return behind_built(m);
	/* The first table holds from the first block on anyhow. */
	if (!m->table.epoch)
		return 0;
	from = evb_ahead(p, count, m->cfg.lead_ns, m->cfg.lead_blocks, &odd);
	for (i = 0; i < odd; i++)
		say(m,
		    "%s says that it is at block %" PRIu64 ", far ahead of all others: that is not "
		    "believed.",
		    m->node[p[i].who].m.name, p[i].block);
	return from;
}

/*
 * Who stood still and makes up for it is fast for a moment; a table that was put as far ahead as
 * that would have taken him holds in minutes only, and until then whoever it lets in is out.
 */
static bool too_far(const struct roc_evb_manager *m, uint64_t now)
{
	struct evb_position p[NODES];
	unsigned int count, odd;

	if (passed(now, m->tabled) < FAR_NS)
		return false;
	count = positions(m, now, p);
	return count && m->table.from_block > evb_ahead(p, count, m->cfg.lead_ns + FAR_NS,
							m->cfg.lead_blocks, &odd);
}

/* Is one of those still there? Else the table is of a run before, and all begins anew. */
static bool anybody(const struct roc_evb_manager *m, const struct roc_evb_place *places,
		    unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct node *n = find(m, places[i].name);

		if (n && n->alive && n->m.incarnation == places[i].incarnation)
			return true;
	}
	return false;
}

/* Is the first table to be written, or who came to be let in? */
static bool settled(const struct roc_evb_manager *m, const struct roc_evb_table *t, uint64_t now)
{
	unsigned int i;

	if (anybody(m, m->table.rus, m->table.ru_count) ||
	    anybody(m, m->table.bus, m->table.bu_count))
		return true;
	if (t->ru_count < m->cfg.readouts || t->bu_count < m->cfg.builders)
		return false;
	for (i = 0; i < m->count; i++) {
		if (m->node[i].alive && passed(now, m->node[i].came) < m->cfg.settle_ns)
			return false;
	}
	return true;
}

/* Who was not in the table before is not late with what went before. */
static void newcomers(struct roc_evb_manager *m, const struct roc_evb_table *next, uint64_t now)
{
	const struct roc_evb_place *places;
	unsigned int b, i;
	int before;

	for (b = 0; b < 2; b++) {
		places = b ? next->bus : next->rus;
		for (i = 0; i < (b ? next->bu_count : next->ru_count); i++) {
			struct node *n = find(m, places[i].name);

			before = index_of(&m->table, places[i].name, b);
			if (n &&
			    (before < 0 || (b ? m->table.bus : m->table.rus)[before].incarnation !=
						   places[i].incarnation))
				n->entered = now;
		}
	}
}

int roc_evb_manager_step(struct roc_evb_manager *m, uint64_t term, uint64_t now,
			 struct roc_evb_table *next)
{
	bool weighs = m->cfg.policy == ROC_EVB_LEAST_LOADED, changed;

	if (m->table.epoch)
		take_out(m, now);
	take_back(m, now);
	memset(next, 0, sizeof(*next));
	next->term = term;
	/* Of one whose publication failed nobody knows who has it: its number is not used again. */
	next->epoch = (m->tried > m->table.epoch ? m->tried : m->table.epoch) + 1;
	next->seed = m->cfg.seed;
	next->policy = m->cfg.policy;
	fill(m, next, now);
	if (!settled(m, next, now) || (m->tabled && passed(now, m->tabled) < PACE_NS))
		return 0;
	changed = !m->table.epoch || others(&m->table, next) || too_far(m, now);
	if (!changed &&
	    !(weighs && passed(now, m->weighed) >= WEIGHTS_NS && other_weights(&m->table, next)))
		return 0;
	if (m->table.epoch && to_be_heard(m, now))
		return 0;
	next->from_block = ahead(m, now);
	newcomers(m, next, now);
	m->tried = next->epoch;
	m->tabled = now;
	m->weighed = now;
	return 1;
}
