// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arithmetic of roc-evb plan.
 */
#include "plan_model.h"

#include <math.h>
#include <roc/evb.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 4096 /* deeper queues are counted as this */
#define WEIGHT 1000
#define SEGMENT_HEAD 64

/* A reproducible pseudo-random number from 0 to 1. */
static double dice(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / (double)(UINT64_C(1) << 53);
}

static double normal(uint64_t *state)
{
	double a = dice(state), b = dice(state);

	return sqrt(-2 * log(1 - a)) * cos(2 * M_PI * b);
}

static double mfp_bytes(const struct plan *p)
{
	/*
	 * Fragments begin at multiples of ROC_MEP_ALIGN. With varying sizes half of the alignment
	 * is lost in the mean.
	 */
	double padded = p->spread > 0 ? p->fragment + (ROC_MEP_ALIGN - 1) / 2.0
				      : ceil(p->fragment / ROC_MEP_ALIGN) * ROC_MEP_ALIGN;
	double mfp = ROC_MFP_HEAD + p->events * (ROC_MFP_ENTRY + padded);

	return mfp + SEGMENT_HEAD * ceil(mfp / (p->segment - SEGMENT_HEAD));
}

/* Binomial distribution: blocks of one builder if @n blocks go to @n builders at random. */
static void by_chance(unsigned int n, struct plan_cycle *c)
{
	double p = pow(1 - 1.0 / n, n), sum = p;
	unsigned int k;

	c->two = n > 1 ? 1 - p - n * (1.0 / n) * pow(1 - 1.0 / n, n - 1) : 0;
	if (n == 1) {
		c->p50 = c->p99 = c->p999 = 1;
		return;
	}
	c->p50 = c->p99 = c->p999 = 0;
	for (k = 0; k < n && sum < 0.999; k++) {
		if (sum < 0.5)
			c->p50 = k + 1;
		if (sum < 0.99)
			c->p99 = k + 1;
		c->p999 = k + 1;
		p *= (double)(n - k) / (k + 1) / (n - 1);
		sum += p;
	}
}

static void worst_of_cycles(const struct plan *p, const struct roc_evb_table *t,
			    struct plan_cycle *c)
{
	unsigned int counts[ROC_EVB_NODES_MAX], most, i, cycles = p->simulated / p->builders;
	uint64_t block = 0;
	double sum = 0;

	for (i = 0; i < cycles; i++) {
		unsigned int k;

		memset(counts, 0, sizeof(counts));
		for (k = 0, most = 0; k < p->builders; k++) {
			unsigned int n = ++counts[roc_evb_builder(t, block++)];

			most = n > most ? n : most;
		}
		sum += most;
		c->worst_ever = most > c->worst_ever ? most : c->worst_ever;
	}
	c->worst = cycles ? sum / cycles : 1;
}

static unsigned int quantile(const uint64_t *counts, uint64_t total, double part)
{
	uint64_t seen = 0;
	unsigned int i;

	for (i = 0; i < DEEPEST; i++) {
		seen += counts[i];
		if ((double)seen >= part * (double)total)
			break;
	}
	return i;
}

/* Times at which the incomplete blocks of a builder will be complete. */
struct lane {
	double finish[DEEPEST];
	uint64_t first, next;
};

/*
 * Simulate the queues: blocks arrive at constant intervals; the link of a builder transfers one
 * after the other.
 */
static bool follow(const struct plan *p, const struct roc_evb_table *t, double block_rate,
		   double bytes, struct plan_queue *q)
{
	double sigma = p->spread * sqrt((double)p->readouts * p->events), sum = 0;
	struct lane *lanes = calloc(p->builders, sizeof(*lanes));
	uint64_t *counts = calloc(DEEPEST + 1, sizeof(*counts)), state = p->seed + 1, block;

	for (block = 0; lanes && counts && block < p->simulated; block++) {
		struct lane *l = &lanes[roc_evb_builder(t, block)];
		double now = (double)block / block_rate, size = bytes, from = now;
		uint64_t depth;

		while (l->first < l->next && l->finish[l->first % DEEPEST] <= now)
			l->first++;
		if (l->first < l->next)
			from = l->finish[(l->next - 1) % DEEPEST];
		if (sigma > 0)
			size = fmax(size + sigma * normal(&state), 0);
		if (l->next - l->first < DEEPEST)
			l->finish[l->next++ % DEEPEST] = from + size / p->link;
		depth = l->next - l->first;
		counts[depth]++;
		sum += (double)depth;
		q->max = depth > q->max ? (unsigned int)depth : q->max;
	}
	if (lanes && counts) {
		q->mean = sum / p->simulated;
		q->p50 = quantile(counts, p->simulated, 0.5);
		q->p99 = quantile(counts, p->simulated, 0.99);
		q->p999 = quantile(counts, p->simulated, 0.999);
	}
	free(lanes);
	free(counts);
	return q->mean > 0;
}

static struct roc_evb_table *table_of(const struct plan *p)
{
	struct roc_evb_table *t = calloc(1, sizeof(*t));
	unsigned int i;

	if (!t)
		return NULL;
	t->epoch = 1;
	t->policy = p->policy;
	t->seed = p->seed;
	t->bu_count = p->builders;
	for (i = 0; i < p->builders; i++)
		t->bus[i].weight = WEIGHT;
	return t;
}

static void memory(const struct plan *p, struct plan_result *r)
{
	double mep = r->mfp * p->readouts, rate = r->block_rate / p->builders;

	r->builder_memory = (r->queue.p999 + p->hold * rate) * mep;
	r->builder_stale = p->stale * rate * (mep - r->mfp);
	/*
	 * A cycle of blocks, and the blocks that wait for a failed builder until the stale timeout.
	 */
	r->readout_memory = (p->builders + p->stale * rate) * r->mfp;
}

bool plan_solve(const struct plan *p, struct plan_result *r)
{
	/* Data that stay in the node need no link. */
	double away = p->both ? 1 - 1.0 / p->builders : 1, most;
	struct roc_evb_table *t;
	bool good;

	memset(r, 0, sizeof(*r));
	r->mfp = mfp_bytes(p);
	r->overhead = 1 - p->events * p->fragment / r->mfp;
	most = fmax(1, (double)p->readouts / p->builders) * r->mfp * away;
	r->max_event_rate = most > 0 ? p->link / most * p->events : INFINITY;
	r->event_rate = p->event_rate > 0 ? p->event_rate : r->max_event_rate * p->share;
	r->block_rate = r->event_rate / p->events;
	r->send = r->block_rate * r->mfp * away;
	r->receive = r->send * p->readouts / p->builders;
	r->send_share = r->send / p->link;
	r->receive_share = r->receive / p->link;
	r->at_once = p->policy == ROC_EVB_BARREL_SHIFT
			     ? (p->readouts + p->builders - 1) / p->builders
			     : p->readouts;
	r->cycle = (struct plan_cycle){.p50 = 1, .p99 = 1, .p999 = 1, .worst = 1, .worst_ever = 1};
	if (!isfinite(r->event_rate) || r->send_share >= 1 || r->receive_share >= 1)
		return false;
	t = table_of(p);
	if (!t)
		return false;
	if (p->policy == ROC_EVB_RANDOM)
		by_chance(p->builders, &r->cycle);
	worst_of_cycles(p, t, &r->cycle);
	good = follow(p, t, r->block_rate, r->mfp * p->readouts * away, &r->queue);
	free(t);
	memory(p, r);
	return good;
}
