// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readout unit: build an MFP from fragments. Small fragments are copied; large ones stay in the
 * memory of the source until they are sent.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY_MOST                                                                                \
	(UINT64_C(256) << 20) /* limit for all MFPs, unless that allows fewer than MFPS_LEAST */
#define MFPS_LEAST 4

void evb_push(struct evb_mfp *mfps, struct evb_list *l, uint32_t i)
{
	mfps[i].next = EVB_NONE;
	if (l->count++)
		mfps[l->last].next = i;
	else
		l->first = i;
	l->last = i;
}

uint32_t evb_pop(struct evb_mfp *mfps, struct evb_list *l)
{
	uint32_t i = l->first;

	l->first = mfps[i].next;
	l->count--;
	return i;
}

uint32_t evb_pop_second(struct evb_mfp *mfps, struct evb_list *l)
{
	uint32_t first = l->first, i = mfps[first].next;

	mfps[first].next = mfps[i].next;
	if (l->last == i)
		l->last = first;
	l->count--;
	return i;
}

void evb_return_fragment(struct roc_evb *e, uint64_t handle)
{
	int ret = e->source->give_back(e->source_self, handle);

	if (ret)
		e->failed =
			evb_fail(e, -ret, "The source: %.400s", e->source->reason(e->source_self));
}

uint32_t evb_mfp_new(struct roc_evb *e, uint64_t block)
{
	struct evb_readout *r = &e->ru;
	uint32_t i = evb_pop(r->mfps, &r->free);
	struct evb_mfp *m = &r->mfps[i];

	*m = (struct evb_mfp){
		.next = EVB_NONE,
		.destination = EVB_NONE,
		.block = block,
		.since = e->now,
		.heads = m->heads,
		.head = m->head,
		.copies = m->copies,
		.pieces = m->pieces,
		.piece_count = 1,
		.handles = m->handles,
		.segments = m->segments,
	};
	return i;
}

/* Regions may be adjacent, but a piece must lie in one region, whose key is used for it. */
static bool begins_region(const struct evb_readout *r, const void *data)
{
	unsigned int i;

	for (i = 0; i < r->region_count && r->regions[i].addr != data; i++)
		;
	return i < r->region_count;
}

/* Extend the last piece or add one. Return false if there is no free piece. */
static bool add_piece(struct evb_readout *r, struct evb_mfp *m, const void *data, size_t bytes)
{
	struct iovec *last = &m->pieces[m->piece_count - 1];

	if (m->piece_count > 1 && (const char *)last->iov_base + last->iov_len == data &&
	    !begins_region(r, data)) {
		last->iov_len += bytes;
		return true;
	}
	if (m->piece_count == r->pieces_max)
		return false;
	m->pieces[m->piece_count++] =
		(struct iovec){.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	return true;
}

static bool add_copy(struct evb_readout *r, struct evb_mfp *m, const void *data, size_t bytes)
{
	unsigned char *to = m->copies + m->copied;

	if (bytes > r->copy_space - m->copied || !add_piece(r, m, to, bytes))
		return false;
	if (data)
		memcpy(to, data, bytes);
	else
		memset(to, 0, bytes);
	m->copied += bytes;
	return true;
}

static bool in_regions(const struct evb_readout *r, const struct roc_evb_part *p)
{
	unsigned int i;

	for (i = 0; i < r->region_count; i++) {
		const char *base = r->regions[i].addr, *data = p->data;

		if (data >= base && p->bytes <= r->regions[i].length &&
		    (size_t)(data - base) <= r->regions[i].length - p->bytes)
			return true;
	}
	return false;
}

static bool stays(struct roc_evb *e, const struct evb_mfp *m, const struct roc_evb_fragment *f)
{
	const struct evb_readout *r = &e->ru;
	unsigned int i;

	/* One piece is left for data that are copied after it. */
	if (!r->in_place || f->bytes < e->cfg.copy_below ||
	    m->piece_count + f->count >= r->pieces_max)
		return false;
	for (i = 0; i < f->count; i++) {
		if (!in_regions(r, &f->parts[i]))
			return false;
	}
	return true;
}

/* Return true if the copy leaves space for all small fragments that may follow. */
static bool may_copy(const struct roc_evb *e, const struct evb_mfp *m,
		     const struct roc_evb_fragment *f)
{
	const struct evb_readout *r = &e->ru;
	uint64_t follow = e->cfg.events - 1 - (f->event - m->block * e->cfg.events);

	return f->bytes < e->cfg.copy_below ||
	       m->copied + f->bytes + follow * r->copy_each <= r->copy_space;
}

bool evb_mfp_add(struct roc_evb *e, struct evb_mfp *m, const struct roc_evb_fragment *f)
{
	struct evb_readout *r = &e->ru;
	uint64_t padding = roc_mep_padded(m->bytes) - m->bytes;
	struct evb_mfp before = *m;
	size_t last = m->pieces[m->piece_count - 1].iov_len;
	bool stay, fits = true;
	unsigned int i;

	if (roc_mfp_data(m->count + 1) + roc_mep_padded(m->bytes) + f->bytes > r->mfp_max)
		return false;
	if (padding)
		fits = add_copy(r, m, NULL, padding);
	stay = stays(e, m, f);
	fits = fits && (stay || may_copy(e, m, f));
	for (i = 0; i < f->count && fits; i++) {
		const struct roc_evb_part *p = &f->parts[i];

		if (!p->bytes)
			continue;
		fits = stay ? add_piece(r, m, p->data, p->bytes)
			    : add_copy(r, m, p->data, p->bytes);
	}
	if (!fits) {
		*m = before;
		m->pieces[m->piece_count - 1].iov_len = last;
		return false;
	}
	if (stay) {
		m->handles[m->handle_count++] = f->handle;
		r->held++;
	} else {
		e->n.copied += f->bytes;
	}
	roc_mfp_put_entry(
		m->head, m->count++,
		&(struct roc_mfp_entry){
			.offset = (uint32_t)(f->event - m->block * e->cfg.events),
			.flags = f->flags & ROC_EVB_FRAGMENT_DAMAGED ? ROC_MFP_DAMAGED : 0,
			.bytes = f->bytes,
		});
	m->bytes += padding + f->bytes;
	if (f->flags & ROC_EVB_FRAGMENT_DAMAGED)
		m->flags |= ROC_MFP_DAMAGED;
	if (f->time && (!m->time || f->time < m->time))
		m->time = f->time;
	/* A copied fragment is returned at once. */
	if (!stay)
		evb_return_fragment(e, f->handle);
	return true;
}

void evb_mfp_close(struct roc_evb *e, struct evb_mfp *m, uint32_t source, uint64_t epoch)
{
	struct roc_mfp head = {
		.block = m->block,
		.first_event = m->block * e->cfg.events,
		.time = m->time,
		.bytes = roc_mfp_data(m->count) + m->bytes,
		.events = e->cfg.events,
		.count = m->count,
		.source = source,
		.epoch = (uint32_t)epoch,
		.flags = m->flags | (m->count < e->cfg.events ? ROC_MFP_GAPS : 0),
		.content = e->source->content,
	};

	roc_mfp_put(m->head, &head);
	m->pieces[0] = (struct iovec){.iov_base = m->head, .iov_len = roc_mfp_data(m->count)};
	m->bytes = head.bytes;
	m->epoch = epoch;
	m->since = e->now;
}

void evb_leave_turns(struct evb_readout *r, uint32_t i)
{
	uint32_t at = r->turns.first, before = EVB_NONE, n;

	for (n = 0; n < r->turns.count; n++, before = at, at = r->mfps[at].next_turn) {
		if (at != i)
			continue;
		if (before == EVB_NONE)
			r->turns.first = r->mfps[i].next_turn;
		else
			r->mfps[before].next_turn = r->mfps[i].next_turn;
		if (r->turns.last == i)
			r->turns.last = before;
		r->turns.count--;
		break;
	}
	r->mfps[i].in_turns = false;
}

void evb_mfp_finish(struct roc_evb *e, uint32_t i)
{
	struct evb_mfp *m = &e->ru.mfps[i];
	uint32_t k;

	if (m->in_turns)
		evb_leave_turns(&e->ru, i);
	for (k = 0; k < m->handle_count; k++)
		evb_return_fragment(e, m->handles[k]);
	e->ru.held -= m->handle_count;
	m->handle_count = 0;
	evb_push(e->ru.mfps, &e->ru.free, i);
	e->progress = true;
}

/* Calculate number and size of the MFPs. */
static int plan(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	const struct roc_evb_config *c = &e->cfg;
	struct evb_readout *r = &e->ru;
	uint64_t copies, most, pieces = 2;
	size_t own;

	r->parts_max =
		c->single ? 1 : (uint32_t)evb_parts(r->mfp_max, EVB_SEGMENT_MIN - EVB_SEGMENT_HEAD);
	if (r->parts_max > EVB_SEGMENTS)
		r->parts_max = EVB_SEGMENTS;
	copies = c->copy_below < c->fragment_max && r->in_place ? c->copy_below : c->fragment_max;
	copies = roc_mep_padded(copies) + ROC_MEP_ALIGN;
	r->copy_each = r->in_place ? copies : 0;
	copies *= c->events;
	if (copies >= r->mfp_max) {
		copies = r->mfp_max;
		r->copy_each = 0;
	}
	r->copy_space = copies;
	/* The parts of each fragment and its alignment. Unused memory is never touched. */
	if (r->in_place && c->copy_below <= c->fragment_max)
		pieces += (uint64_t)c->events * (ROC_EVB_PARTS + 1);
	r->pieces_max = pieces < EVB_PIECES_MAX ? (uint32_t)pieces : EVB_PIECES_MAX;
	own = (size_t)r->parts_max * EVB_SEGMENT_HEAD + roc_mfp_data(c->events) + r->copy_space;
	r->stride = (own + 4095) & ~(size_t)4095;
	r->mfp_count = c->blocks;
	most = MEMORY_MOST / r->stride;
	if (r->mfp_count > most)
		r->mfp_count = most < MFPS_LEAST ? MFPS_LEAST : (uint32_t)most;
	r->chunk = r->stride * r->mfp_count;
	/* Pull: the builder reads from registered regions. */
	if (c->protocol == ROC_EVB_PULL && c->max_region && c->max_region < r->chunk) {
		uint64_t per_chunk = c->max_region / r->stride;
		/* The greeting has space for EVB_REGIONS, including those of the source. */
		uint64_t chunks = EVB_REGIONS - r->region_count;

		if (c->max_regions && c->max_regions < chunks)
			chunks = c->max_regions;

		if (per_chunk * chunks < MFPS_LEAST)
			return evb_fail(
				e, ENOSPC,
				"A readout unit with protocol pull needs %d MFPs of %zu bytes, which do not fit %llu regions of %llu bytes: use fewer events per block, or larger regions.",
				MFPS_LEAST, r->stride, (unsigned long long)chunks,
				(unsigned long long)c->max_region);
		r->chunk = r->stride * per_chunk;
		if (r->mfp_count > per_chunk * chunks)
			r->mfp_count = (uint32_t)(per_chunk * chunks);
	}
	return 0;
}

int evb_mfps_new(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct evb_readout *r = &e->ru;
	uint32_t i, events = e->cfg.events;
	uint64_t *handles;
	uint32_t *segments;
	struct iovec *pieces;
	int ret = plan(e, reason);

	if (ret)
		return ret;
	r->memory_bytes = r->stride * r->mfp_count;
	r->memory = mmap(NULL, r->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (r->memory == MAP_FAILED)
		r->memory = NULL;
	r->mfps = calloc(r->mfp_count, sizeof(*r->mfps));
	handles = calloc((size_t)r->mfp_count * events, sizeof(*handles));
	segments = calloc((size_t)r->mfp_count * r->parts_max, sizeof(*segments));
	pieces = calloc((size_t)r->mfp_count * r->pieces_max, sizeof(*pieces));
	if (!r->memory || !r->mfps || !handles || !segments || !pieces) {
		free(handles);
		free(segments);
		free(pieces);
		return -ENOMEM;
	}
	for (i = 0; i < r->mfp_count; i++) {
		struct evb_mfp *m = &r->mfps[i];

		m->heads = r->memory + (size_t)i * r->stride;
		m->head = m->heads + (size_t)r->parts_max * EVB_SEGMENT_HEAD;
		m->copies = m->head + roc_mfp_data(events);
		m->handles = handles + (size_t)i * events;
		m->segments = segments + (size_t)i * r->parts_max;
		m->pieces = pieces + (size_t)i * r->pieces_max;
		evb_push(r->mfps, &r->free, i);
	}
	return 0;
}

void evb_mfps_free(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;

	if (r->mfps) {
		free(r->mfps[0].handles);
		free(r->mfps[0].segments);
		free(r->mfps[0].pieces);
	}
	free(r->mfps);
	r->mfps = NULL;
	if (r->memory && !r->stuck)
		munmap(r->memory, r->memory_bytes);
	r->memory = NULL;
}
