// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readout unit: get fragments from the source, close MFPs at the end of their blocks, and assign
 * each to its builder by the assignment table.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define TAKE_MOST 256 /* fragments in one step */
#define SILENT 4      /* stale timeouts without a fragment after which a block is closed */
#define JUMP (UINT64_C(1) << 24) /* events */
#define POLL_NS 100000
#define TURN 4	 /* a builder loses its turn after 1/TURN of a stale timeout without progress */
#define BEHIND 4 /* stale timeouts after which a source behind its table is logged */

static struct evb_mfp *mfp(struct roc_evb *e, uint32_t i)
{
	return &e->ru.mfps[i];
}

/* Append to a list that is linked by next_turn. */
static void turn_push(struct evb_readout *r, struct evb_list *l, uint32_t i)
{
	r->mfps[i].next_turn = EVB_NONE;
	if (l->count++)
		r->mfps[l->last].next_turn = i;
	else
		l->first = i;
	l->last = i;
}

/* Release the gathered cycle: put each MFP into the turn of its builder. */
static void release_cycle(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	const struct evb_known *k;
	uint32_t at, n, left = r->gather.count;
	uint64_t step;

	if (!left)
		return;
	at = r->gather.first;
	k = evb_table(e, mfp(e, at)->block);
	for (step = 0; k && k->ru >= 0 && left && step < k->table.bu_count; step++) {
		uint64_t cycle = r->cycle * k->table.bu_count;
		uint64_t block = k->table.from_block +
				 roc_evb_turn(&k->table, (unsigned int)k->ru, cycle + step);

		for (at = r->gather.first, n = 0; n < r->gather.count; n++) {
			uint32_t next = mfp(e, at)->next_turn;

			if (!mfp(e, at)->released && mfp(e, at)->block == block)
				break;
			at = next;
		}
		if (n == r->gather.count)
			continue;
		mfp(e, at)->released = true;
		left--;
		r->order[r->order_count++] = at;
	}
	/* The table changed meanwhile: release the rest in the present order. */
	for (at = r->gather.first, n = 0; n < r->gather.count; n++, at = mfp(e, at)->next_turn) {
		if (mfp(e, at)->released)
			continue;
		mfp(e, at)->released = true;
		r->order[r->order_count++] = at;
	}
	for (n = 0; n < r->order_count; n++) {
		if (r->destinations[mfp(e, r->order[n])->destination].stuck)
			continue;
		mfp(e, r->order[n])->in_turns = true;
		turn_push(r, &r->turns, r->order[n]);
	}
	r->order_count = 0;
	r->gather = (struct evb_list){0};
}

/*
 * Barrel shift: remove a builder without progress from the turns, so that it does not block others.
 */
static void pass_turns(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	struct evb_destination *d = NULL;
	uint32_t at = r->turns.first, next, n;
	uint64_t since;

	for (n = 0; n < r->turns.count && n < e->cfg.window && !d; n++) {
		struct evb_mfp *m = mfp(e, at);

		m->turn = m->turn ? m->turn : e->now;
		d = &r->destinations[m->destination];
		since = d->moved > m->turn ? d->moved : m->turn;
		if (e->now - since < e->cfg.stale_ns / TURN)
			d = NULL;
		at = m->next_turn;
	}
	if (!d)
		return;
	d->stuck = true;
	at = r->turns.first;
	for (n = r->turns.count; n; n--, at = next) {
		next = mfp(e, at)->next_turn;
		if (mfp(e, at)->destination == (uint32_t)(d - r->destinations))
			evb_leave_turns(r, at);
	}
}

/* Queue an MFP for its builder. Barrel shift: it is released with its cycle. */
static void assign(struct roc_evb *e, uint32_t i)
{
	struct evb_readout *r = &e->ru;
	struct evb_mfp *m = mfp(e, i);
	const struct evb_known *k = evb_table(e, m->block);
	int slot = k->destination[roc_evb_builder(&k->table, m->block)];
	struct evb_destination *d;
	uint64_t cycle;

	if (slot < 0) {
		e->n.dropped++;
		e->n.dropped_events += m->count;
		evb_mfp_finish(e, i);
		return;
	}
	d = &r->destinations[slot];
	m->destination = (uint32_t)slot;
	evb_push(r->mfps, &d->queue, i);
	d->n.queue = d->queue.count;
	if (d->n.queue > d->n.queue_max)
		d->n.queue_max = d->n.queue;
	if (k->table.policy != ROC_EVB_BARREL_SHIFT || k->table.bu_count < 2) {
		m->released = true;
		return;
	}
	cycle = (m->block - k->table.from_block) / k->table.bu_count;
	if (cycle != r->cycle || k->table.epoch != r->cycle_epoch)
		release_cycle(e);
	r->cycle = cycle;
	r->cycle_epoch = k->table.epoch;
	turn_push(r, &r->gather, i);
	if ((m->block - k->table.from_block) % k->table.bu_count == k->table.bu_count - 1)
		release_cycle(e);
}

static void close_open(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	uint32_t i = r->open;
	struct evb_known *k;

	if (i == EVB_NONE)
		return;
	r->open = EVB_NONE;
	r->next_block = mfp(e, i)->block + 1;
	r->packed++;
	k = evb_table(e, mfp(e, i)->block);
	if (k && k->ru >= 0 && k->table.bu_count) {
		evb_mfp_close(e, mfp(e, i), (uint32_t)k->ru, k->table.epoch);
		assign(e, i);
	} else {
		e->n.unassigned += mfp(e, i)->count;
		evb_mfp_finish(e, i);
	}
	if (r->next_block >= r->rescope)
		evb_readout_tables(e);
}

/* Skip blocks, and report this to the builders, which need not wait for them. */
static void skip_to(struct roc_evb *e, uint64_t block)
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	if (r->any && block > r->next_block) {
		for (i = 0; i < r->count; i++)
			r->destinations[i].send_passed = true;
	}
	r->next_block = block;
	if (r->next_block >= r->rescope)
		evb_readout_tables(e);
}

/*
 * Return true if an event id is implausible. An id far ahead of the previous one is wrong, unless
 * the next one follows it: one corrupted word must not make all later events too old.
 */
static bool is_jump(struct evb_readout *r, uint64_t event)
{
	bool again = r->jumped && event > r->jump && event - r->jump < JUMP;

	if (!r->seen || event < r->last_event || event - r->last_event < JUMP || again) {
		r->jumped = false;
		return false;
	}
	r->jumped = true;
	r->jump = event;
	return true;
}

/*
 * The events precede all known tables. A source that has just started reaches the blocks of the
 * table soon; a source that counts from zero never does. Log this once.
 */
static void be_behind(struct roc_evb *e, uint64_t event)
{
	struct evb_readout *r = &e->ru;
	const struct evb_known *k = evb_newest(e);

	if (!k || k->ru < 0 || event / e->cfg.events >= k->table.from_block)
		return;
	if (!r->behind)
		r->behind = e->now;
	if (r->behind_logged || e->now - r->behind < BEHIND * e->cfg.stale_ns)
		return;
	r->behind_logged = true;
	evb_log(e,
		"The source is at event %" PRIu64
		", but the table of this node begins at block %" PRIu64 ", event %" PRIu64
		": a source that restarts at event zero cannot rejoin a running system, restart all nodes.",
		event, k->table.from_block, k->table.from_block * e->cfg.events);
}

/* Pack a fragment into the open MFP, or return it at once. */
static void pack(struct roc_evb *e, const struct roc_evb_fragment *f)
{
	struct evb_readout *r = &e->ru;
	uint64_t block = f->event / e->cfg.events;
	const struct evb_known *k = evb_table(e, block);

	e->n.in.count++;
	e->n.in.bytes += f->bytes;
	if (is_jump(r, f->event) || (r->seen && f->event <= r->last_event) ||
	    (r->any && block < r->next_block)) {
		e->n.disorder++;
		if (r->closed_early && r->seen && f->event > r->last_event)
			evb_log(e,
				"Event %" PRIu64
				" is lost: the block was closed because the source delivered no data for %u stale timeouts: use fewer events per block.",
				f->event, SILENT);
		evb_return_fragment(e, f->handle);
		return;
	}
	r->seen = true;
	r->last_event = f->event;
	r->last_time = e->now;
	r->closed_early = false;
	if (!k || k->ru < 0 || !k->table.bu_count) {
		close_open(e);
		e->n.unassigned++;
		be_behind(e, f->event);
		evb_return_fragment(e, f->handle);
		return;
	}
	r->behind = 0;
	r->behind_logged = false;
	if (r->open != EVB_NONE && mfp(e, r->open)->block != block)
		close_open(e);
	if (r->open == EVB_NONE) {
		skip_to(e, block);
		r->any = true;
		r->open = evb_mfp_new(e, block);
	}
	if (f->bytes > e->cfg.fragment_max || f->count > ROC_EVB_PARTS ||
	    !evb_mfp_add(e, mfp(e, r->open), f)) {
		e->n.too_large++;
		mfp(e, r->open)->flags |= ROC_MFP_DAMAGED;
		evb_return_fragment(e, f->handle);
	}
	if (f->event % e->cfg.events == e->cfg.events - 1)
		close_open(e);
}

/* Barrel shift: return true if a new cycle must wait, because a builder's window is full. */
static bool blocked_by_window(struct roc_evb *e)
{
	const struct evb_readout *r = &e->ru;
	const struct evb_known *k = evb_table(e, r->next_block);
	unsigned int i;

	if (!k || k->table.policy != ROC_EVB_BARREL_SHIFT || r->gather.count || r->open != EVB_NONE)
		return false;
	for (i = 0; i < k->table.bu_count; i++) {
		const struct evb_destination *d =
			k->destination[i] < 0 ? NULL : &r->destinations[k->destination[i]];

		if (d && !d->stuck && d->queue.count >= e->cfg.window)
			return true;
	}
	return false;
}

/* Return true if fragments can be accepted now. */
static bool may_accept(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	const struct evb_known *k = evb_newest(e), *next;
	unsigned int i;

	if (!k || r->ended || !r->free.count)
		return false;
	next = r->any ? evb_table(e, r->next_block) : k;
	if (k->ru < 0 && (!next || next->ru < 0))
		return false;
	if (r->started)
		return !blocked_by_window(e);
	/* At the start, wait for the connections to all builders, at most for a stale timeout. */
	if (!r->hold)
		r->hold = e->now + e->cfg.stale_ns;
	for (i = 0; i < r->count && e->now < r->hold; i++) {
		if (r->destinations[i].wanted && r->destinations[i].pair.state != PAIR_READY)
			return false;
	}
	return true;
}

static int source_failed(struct roc_evb *e, int ret)
{
	return evb_fail(e, -ret, "The source: %.400s", e->source->reason(e->source_self));
}

/* After joining a table, have the source skip the events before it. */
static int go_on(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	const struct evb_known *k = evb_newest(e), *now = evb_table(e, r->next_block);
	int ret;

	if (r->gone_on == k->table.epoch)
		return 0;
	r->gone_on = k->table.epoch;
	if (!e->source->go_on || k->ru < 0 || (now && now->ru >= 0) ||
	    k->table.from_block > UINT64_MAX / e->cfg.events - 1)
		return 0;
	ret = e->source->go_on(e->source_self, k->table.from_block * e->cfg.events);
	/* The next id may be far from the last one. */
	r->seen = false;
	return ret ? source_failed(e, ret) : 0;
}

/*
 * Return true if the lack of fragments is not the source's silence. MFPs wait, and either no MFP is
 * free, or the waiting MFPs hold all memory of the source: a card without memory delivers nothing.
 */
static bool is_blocked(const struct evb_readout *r, int taken)
{
	uint32_t of_open = r->open == EVB_NONE ? 0 : r->mfps[r->open].handle_count;

	if (r->free.count + 1 >= r->mfp_count)
		return false;
	return !r->free.count || taken == -EAGAIN || (!taken && r->held > of_open);
}

static int take(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	struct roc_evb_fragment f;
	unsigned int n;
	int ret = 0;

	for (n = 0; n < TAKE_MOST && may_accept(e) && !e->failed; n++) {
		if (!r->started) {
			ret = e->source->start(e->source_self);
			if (ret)
				return source_failed(e, ret);
			r->started = true;
		}
		ret = go_on(e);
		if (ret)
			return ret;
		f = (struct roc_evb_fragment){0};
		ret = e->source->take(e->source_self, &f);
		if (ret < 1)
			break;
		pack(e, &f);
		e->progress = true;
	}
	if (is_blocked(r, ret))
		r->last_time = e->now;
	if (ret == -ENODATA)
		r->ended = true;
	else if (ret < 0 && ret != -EAGAIN)
		return source_failed(e, ret);
	return e->failed;
}

/* End the readout when the source has ended, or a stale timeout after a stop. */
static int come_to_end(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	int ret;

	if (e->stop && !e->stopped) {
		e->stopped = e->now;
		ret = r->started ? e->source->stop(e->source_self) : 0;
		if (ret)
			return source_failed(e, ret);
	}
	if (e->stopped && (!r->started || e->now - e->stopped > e->cfg.stale_ns))
		r->ended = true;
	if (r->ended && r->open != EVB_NONE)
		close_open(e);
	return 0;
}

/*
 * Return true if the gathered cycle cannot be completed, because there are fewer MFPs than blocks
 * in a cycle.
 */
static bool no_room_for_cycle(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	const struct evb_known *k = evb_table(e, mfp(e, r->gather.first)->block);

	return !r->free.count && !r->turns.count && k && k->table.bu_count >= r->mfp_count;
}

/* Release a gathered cycle and close an open MFP after a timeout, if the source is slow. */
static void linger(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;

	if (r->gather.count && (r->ended || no_room_for_cycle(e) ||
				e->now - mfp(e, r->gather.first)->since > e->cfg.stale_ns / 16))
		release_cycle(e);
	if (r->open == EVB_NONE || e->now - r->last_time < SILENT * e->cfg.stale_ns)
		return;
	r->closed_early = true;
	close_open(e);
}

static bool all_sent(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	if (!r->ended || r->open != EVB_NONE || r->free.count < r->mfp_count)
		return false;
	for (i = 0; i < r->count; i++) {
		const struct evb_destination *d = &r->destinations[i];

		if (!d->used || !d->wanted || d->bye || d->protocol_error)
			continue;
		if (d->pair.state == PAIR_READY || e->now - d->down < e->cfg.patience_ns)
			return e->stopped && e->now - e->stopped > 2 * e->cfg.stale_ns;
	}
	return true;
}

int evb_readout_step(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	unsigned int i, credits = 0;
	int ret;

	ret = take(e);
	if (!ret)
		ret = come_to_end(e);
	if (ret)
		return ret;
	linger(e);
	pass_turns(e);
	for (i = 0; i < r->count; i++) {
		if (!r->destinations[i].used)
			continue;
		evb_destination_step(e, &r->destinations[i]);
		credits += r->destinations[i].free_count;
	}
	e->n.credits = credits;
	e->n.mfps = r->mfp_count - r->free.count;
	if (r->started && e->source->flush) {
		ret = e->source->flush(e->source_self);
		if (ret)
			return source_failed(e, ret);
	}
	r->finished = all_sent(e);
	e->n.ended = r->finished;
	return e->failed;
}

void evb_readout_tables(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	unsigned int i, k;

	r->rescope = UINT64_MAX;
	for (i = 0; i < r->count; i++)
		r->destinations[i].wanted = false;
	/*
	 * The newest table first: a restarted builder has one connection, to its newest
	 * incarnation.
	 */
	for (k = e->table_count; k-- > 0;) {
		struct evb_known *known = &e->tables[k];
		uint64_t until =
			k + 1 < e->table_count ? e->tables[k + 1].table.from_block : UINT64_MAX;
		bool counts = until > r->next_block;

		if (counts && until < r->rescope)
			r->rescope = until;
		for (i = 0; i < known->table.bu_count; i++) {
			known->destination[i] = -1;
			if (counts && known->ru >= 0)
				known->destination[i] =
					(int16_t)evb_destination_of(e, &known->table.bus[i]);
		}
	}
	for (i = 0; i < r->count; i++) {
		struct evb_destination *d = &r->destinations[i];

		d->n.stale = 0;
		if (d->wanted)
			d->unwanted = 0;
		else if (d->used && !d->unwanted)
			d->unwanted = e->now;
	}
}

void evb_readout_drop(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	if (r->open != EVB_NONE) {
		e->n.dropped++;
		e->n.dropped_events += mfp(e, r->open)->count;
		r->next_block = mfp(e, r->open)->block + 1;
		evb_mfp_finish(e, r->open);
		r->open = EVB_NONE;
	}
	r->gather = (struct evb_list){0};
	for (i = 0; i < r->count; i++) {
		if (r->destinations[i].used)
			evb_destination_drop(e, &r->destinations[i]);
	}
}

void evb_readout_idle(struct roc_evb *e, struct roc_idle *idle)
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		if (!r->destinations[i].used)
			continue;
		pair_idle(&r->destinations[i].pair, idle);
		if (r->destinations[i].pair.state != PAIR_READY)
			roc_idle_ns(idle, 10 * EVB_MS);
	}
	if (!may_accept(e))
		return;
	if (e->source->idle)
		e->source->idle(e->source_self, idle);
	else
		roc_idle_ns(idle, POLL_NS);
}

int evb_readout_new(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct roc_evb_config *c = &e->cfg;
	struct evb_readout *r = &e->ru;
	unsigned int i;
	int ret;

	r->open = EVB_NONE;
	r->rescope = UINT64_MAX;
	r->mfp_max = c->mfp_max;
	if (e->source->regions)
		r->region_count = e->source->regions(e->source_self, r->regions, ROC_EVB_REGIONS);
	if (r->region_count > ROC_EVB_REGIONS)
		r->region_count = 0;
	/* Pull: the builder reads from registered regions. */
	for (i = 0; i < r->region_count && c->protocol == ROC_EVB_PULL; i++) {
		if ((c->max_region && r->regions[i].length > c->max_region) || c->max_regions)
			r->region_count = 0;
	}
	r->in_place = r->region_count && c->protocol != ROC_EVB_COMMAND;
	ret = evb_mfps_new(e, reason);
	if (!ret)
		ret = evb_destinations_new(e, reason);
	return ret;
}

void evb_readout_free(struct roc_evb *e)
{
	evb_destinations_free(e);
	evb_mfps_free(e);
}
