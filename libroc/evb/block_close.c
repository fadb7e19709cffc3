// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: close a block. Its complete arrivals become a MEP, the rest is abandoned, and all
 * are counted.
 */
#include "block.h"

#include <string.h>

bool evb_block_has_none(const struct evb_block *k, const struct evb_sender *g, unsigned int sender)
{
	return k->arrivals[sender] == EVB_NONE && g->passed > k->number;
}

struct evb_arrival *evb_block_whole(struct evb_builder *b, const struct evb_block *k, int sender)
{
	struct evb_arrival *a;

	if (sender < 0 || k->arrivals[sender] == EVB_NONE)
		return NULL;
	a = &b->senders[sender].arrivals[k->arrivals[sender]];
	return a->whole ? a : NULL;
}

/* Convert the time of an MFP to the clock of this node. */
static uint64_t our_time(const struct evb_sender *g, uint64_t time)
{
	return g->pair.round_trip ? time - (uint64_t)g->pair.skew : time;
}

/*
 * Return true if most readout units of the table have neither sent nor passed the block: those that
 * have sent it are too early, for example because of a fast clock.
 */
static bool is_early(struct evb_builder *b, const struct evb_block *k, const struct evb_known *t)
{
	unsigned int here = 0, lacking = 0;
	uint32_t i;

	for (i = 0; i < k->mep.count; i++) {
		int sender = t->sender[i];

		if (evb_block_whole(b, k, sender))
			here++;
		else if (sender < 0 ||
			 !evb_block_has_none(k, &b->senders[sender], (unsigned int)sender))
			lacking++;
	}
	return lacking > here;
}

static void one_source(struct roc_evb *e, struct evb_block *k, int sender, const char *name,
		       uint32_t i, bool early)
{
	struct evb_arrival *a = evb_block_whole(&e->bu, k, sender);
	struct roc_mep_source *s = &k->sources[i];
	struct evb_sender *g = sender < 0 ? NULL : &e->bu.senders[sender];
	uint64_t time;

	memset(s->name, 0, sizeof(s->name));
	memcpy(s->name, name, strnlen(name, sizeof(s->name) - 1));
	if (a) {
		s->state = ROC_MEP_HERE;
		s->view = a->view;
		if (a->view.head.flags & ROC_MFP_DAMAGED)
			k->mep.flags |= ROC_MEP_DAMAGED;
		time = our_time(g, a->view.head.time);
		if (a->view.head.time && (!k->mep.time || time < k->mep.time))
			k->mep.time = time;
		if (early)
			evb_count_late(e, &g->late, &g->n, true);
		else
			g->n.stale = 0;
		return;
	}
	k->mep.flags |= ROC_MEP_INCOMPLETE;
	s->state = g && evb_block_has_none(k, g, (unsigned int)sender) ? ROC_MEP_GONE
								       : ROC_MEP_MISSING;
	if (s->state == ROC_MEP_GONE) {
		e->n.gone++;
	} else {
		e->n.missing++;
		k->lacks = true;
		if (g && !early)
			evb_count_late(e, &g->late, &g->n, false);
	}
}

uint64_t roc_evb_latency_ns(unsigned int bin)
{
	/* Four bins per power of two; below 4 ns one bin per ns. */
	if (bin < 4)
		return bin;
	return (uint64_t)(4 + bin % 4) << (bin / 4 - 1);
}

/* Count the time from the trigger to now. */
static void count_latency(struct roc_evb *e, uint64_t time)
{
	uint64_t now = fabric_realtime();
	unsigned int bin = 0;

	if (!time)
		return;
	while (bin + 1 < ROC_EVB_LATENCIES && now > time &&
	       now - time >= roc_evb_latency_ns(bin + 1))
		bin++;
	e->n.latency[bin]++;
}

/*
 * Note how far the system has built; restarted nodes continue from there. Only a block that all
 * readout units have sent or passed is proof. An incomplete block may come from one unit with a
 * wrong event id.
 */
static void note_built(struct evb_builder *b, const struct evb_block *k)
{
	if (!k->lacks) {
		if (!b->has_built || k->number > b->whole)
			b->whole = k->number;
		b->has_built = true;
	} else if (!b->has_built ||
		   (k->number > b->whole && k->number - b->whole > EVB_DELIVERED)) {
		return;
	}
	if (k->number > b->built)
		b->built = k->number;
}

/* Abandon incomplete arrivals, and arrivals of senders that are not in the table. */
static void drop_rest(struct roc_evb *e, struct evb_block *k, const struct evb_known *t)
{
	struct evb_builder *b = &e->bu;
	uint32_t n;

	for (n = 0; n < b->count; n++) {
		struct evb_sender *g = &b->senders[n];
		struct evb_arrival *a;

		if (k->arrivals[n] == EVB_NONE)
			continue;
		a = &g->arrivals[k->arrivals[n]];
		if (a->whole && t && t->ru_of[n] >= 0)
			continue;
		e->n.late += a->whole;
		k->arrivals[n] = EVB_NONE;
		evb_arrival_abandon(e, g, a);
	}
}

static bool has_any(struct evb_builder *b, const struct evb_block *k, const struct evb_known *t)
{
	uint32_t n;

	for (n = 0; t && n < b->count; n++) {
		if (t->ru_of[n] >= 0 && evb_block_whole(b, k, (int)n))
			return true;
	}
	return false;
}

bool evb_block_close(struct roc_evb *e, uint32_t i)
{
	struct evb_builder *b = &e->bu;
	struct evb_block *k = &b->blocks[i];
	const struct evb_known *t = evb_table(e, k->number);
	bool early;
	uint32_t n;

	evb_block_unlink(b, &b->open, i);
	e->progress = true;
	/*
	 * A block without an arrival of the table's units is not remembered: they may still send
	 * it.
	 */
	if (!has_any(b, k, t)) {
		drop_rest(e, k, t);
		evb_block_release(e, i);
		return false;
	}
	evb_block_append(b, &b->ready, i);
	k->state = BLOCK_READY;
	k->mep = (struct roc_mep){
		.block = k->number,
		.first_event = k->number * e->cfg.events,
		.handle = (uint64_t)k->generation << 32 | i,
		.events = e->cfg.events,
		.epoch = (uint32_t)t->table.epoch,
		.count = t->table.ru_count <= b->count ? t->table.ru_count : b->count,
		.sources = k->sources,
	};
	k->lacks = false;
	early = is_early(b, k, t);
	for (n = 0; n < k->mep.count; n++)
		one_source(e, k, t->sender[n], t->table.rus[n].name, n, early);
	/* The block was sent by a table that never arrived, which may have more sources. */
	if (k->epoch > t->table.epoch) {
		k->mep.flags |= ROC_MEP_INCOMPLETE;
		k->lacks = true;
	}
	drop_rest(e, k, t);
	evb_block_remember(b, k);
	note_built(b, k);
	if (k->mep.flags & ROC_MEP_INCOMPLETE) {
		e->n.incomplete++;
	} else {
		e->n.complete++;
		count_latency(e, k->mep.time);
	}
	e->n.damaged += !!(k->mep.flags & ROC_MEP_DAMAGED);
	return true;
}
