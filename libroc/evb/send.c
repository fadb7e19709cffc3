// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readout unit: send MFPs to a builder. Push: write them into its segments. Command: the same by
 * messages. Pull: announce their addresses to the builder, which reads them.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DATA_LEAST 8 /* free operations required to start an MFP */

/* Bytes of the segment of part m->part, with its head. */
static uint64_t segment_bytes(const struct evb_destination *d, const struct evb_mfp *m)
{
	uint64_t room = d->pair.peer.segment - EVB_SEGMENT_HEAD;
	uint64_t left = m->bytes - m->part * room;

	return EVB_SEGMENT_HEAD + (left < room ? left : room);
}

/* The heads are contiguous; that of part 0 is the last one, directly before the head of the MFP. */
static unsigned char *segment_head(const struct evb_mfp *m, uint32_t part)
{
	return part ? m->heads + (size_t)(part - 1) * EVB_SEGMENT_HEAD : m->head - EVB_SEGMENT_HEAD;
}

/* Get the next contiguous bytes of the segment, at most @limit, and advance @at. */
static struct iovec run(const struct evb_mfp *m, struct evb_cursor *at, uint64_t limit)
{
	const struct iovec *piece = &m->pieces[at->piece];
	struct iovec v;

	if (at->in_part < EVB_SEGMENT_HEAD) {
		v.iov_base = segment_head(m, m->part) + at->in_part;
		v.iov_len = EVB_SEGMENT_HEAD - at->in_part;
		/* The head of the MFP follows the head of its first segment. */
		if (!m->part)
			v.iov_len += piece->iov_len;
	} else {
		v.iov_base = (char *)piece->iov_base + at->offset;
		v.iov_len = piece->iov_len - at->offset;
	}
	if (v.iov_len > limit)
		v.iov_len = limit;
	limit = v.iov_len;
	if (at->in_part < EVB_SEGMENT_HEAD) {
		uint64_t head = EVB_SEGMENT_HEAD - at->in_part;

		head = head < limit ? head : limit;
		limit -= head;
		at->in_part += head;
	}
	at->in_part += limit;
	at->offset += limit;
	if (at->offset == piece->iov_len) {
		at->piece++;
		at->offset = 0;
	}
	return v;
}

/* Count the writes of the current part. */
static uint32_t count_writes(const struct evb_destination *d, const struct evb_mfp *m, bool command)
{
	uint64_t bytes = segment_bytes(d, m);
	struct evb_cursor at = m->at;
	uint32_t runs = 0, limit = d->pair.fabric.iov_limit;

	if (command)
		return (uint32_t)((bytes + EVB_PAYLOAD - 1) / EVB_PAYLOAD);
	while (at.in_part < bytes) {
		run(m, &at, bytes - at.in_part);
		runs++;
	}
	return (runs + limit - 1) / limit;
}

static void segment_address(const struct evb_greeting *g, uint32_t segment, uint64_t *to,
			    uint64_t *key)
{
	const struct evb_region *r = &g->regions[segment / g->per_region];

	*to = r->base + segment % g->per_region * g->segment;
	*key = r->key;
}

static int write_some(struct roc_evb *e, struct evb_destination *d, struct evb_mfp *m,
		      struct evb_cursor *at)
{
	uint64_t bytes = segment_bytes(d, m), to, key;
	struct pair_op *op = pair_op(&d->pair);
	struct iovec pieces[FABRIC_IOV];
	struct fabric_write w = {0};
	unsigned int n = 0;
	int ret;

	if (!op)
		return -EAGAIN;
	segment_address(&d->pair.peer, m->segments[m->part], &to, &key);
	w.to = to + at->in_part;
	w.key = key;
	w.number = evb_notice(m->segments[m->part], m->writes);
	w.context = op;
	op->of = m;
	while (n < d->pair.fabric.iov_limit && at->in_part < bytes)
		pieces[n++] = run(m, at, bytes - at->in_part);
	ret = fabric_end_gather(&d->pair.fabric, &d->pair.end, pieces, n, &w);
	e->n.calls++;
	if (ret)
		pair_op_free(&d->pair, op);
	else
		m->flying++;
	return ret && ret != -EAGAIN ? pair_fail(&d->pair, -ret, "cannot write to its memory: %s.",
						 strerror(-ret))
				     : ret;
}

static int announce_some(struct roc_evb *e, struct evb_destination *d, struct evb_mfp *m,
			 struct evb_cursor *at)
{
	uint64_t bytes = segment_bytes(d, m), from = at->in_part;
	unsigned char *text = pair_message(&d->pair);
	struct evb_message message = {
		.type = EVB_PIECE_OF, .number = m->segments[m->part], .a = from, .b = m->writes};

	if (!text)
		return -EAGAIN;
	if (bytes > from + EVB_PAYLOAD)
		bytes = from + EVB_PAYLOAD;
	while (at->in_part < bytes) {
		struct iovec v = run(m, at, bytes - at->in_part);

		memcpy(text + EVB_HEAD + message.count, v.iov_base, v.iov_len);
		message.count += (uint32_t)v.iov_len;
	}
	e->n.copied += message.count;
	e->n.calls++;
	return pair_send(&d->pair, text, &message);
}

/* Send the next piece of an MFP to its segments. */
static int step_push(struct roc_evb *e, struct evb_destination *d, struct evb_mfp *m)
{
	bool command = e->cfg.protocol == ROC_EVB_COMMAND;
	struct evb_cursor at;
	uint64_t bytes;
	int ret;

	if (!m->at.in_part) {
		bytes = segment_bytes(d, m) - EVB_SEGMENT_HEAD;
		evb_put_segment(segment_head(m, m->part),
				&(struct evb_segment){.block = m->block,
						      .mfp_bytes = m->bytes,
						      .bytes = bytes,
						      .epoch = m->epoch,
						      .part = m->part,
						      .parts = m->parts});
		m->writes = count_writes(d, m, command);
		if (m->writes > EVB_WRITES_MAX)
			return pair_fail(
				&d->pair, EMSGSIZE,
				"its segments are too large: a part has more than %d pieces.",
				EVB_WRITES_MAX);
	}
	at = m->at;
	ret = command ? announce_some(e, d, m, &at) : write_some(e, d, m, &at);
	if (ret)
		return ret;
	m->at = at;
	if (at.in_part == segment_bytes(d, m)) {
		m->part++;
		m->at.in_part = 0;
		m->handed = m->part == m->parts;
	}
	return 0;
}

/* Get segments for the whole MFP: an MFP with only some would block segments that others need. */
static bool begin_push(struct evb_destination *d, struct evb_mfp *m)
{
	uint32_t i;

	m->parts = (uint32_t)evb_parts(m->bytes, d->pair.peer.segment - EVB_SEGMENT_HEAD);
	if (d->free_count < m->parts)
		return false;
	for (i = 0; i < m->parts; i++) {
		m->segments[i] = d->free_segments[--d->free_count];
		d->lent[m->segments[i]] = i + 1 < m->parts ? LENT_USED : LENT_LAST;
		d->events[m->segments[i]] = m->count;
	}
	return true;
}

/* Convert the address of a piece to region and offset, as announced in the greeting. */
static void locate(const struct roc_evb *e, const struct iovec *v, uint64_t done,
		   struct evb_piece *p)
{
	const struct evb_readout *r = &e->ru;
	const unsigned char *at = (const unsigned char *)v->iov_base + done;
	uint32_t chunks = (uint32_t)((r->memory_bytes + r->chunk - 1) / r->chunk), i;

	*p = (struct evb_piece){.bytes = v->iov_len - done};
	if (at >= r->memory && at < r->memory + r->memory_bytes) {
		p->region = (uint32_t)((size_t)(at - r->memory) / r->chunk);
		p->offset = (size_t)(at - r->memory) % r->chunk;
		return;
	}
	for (i = 0; i < r->region_count; i++) {
		const unsigned char *base = r->regions[i].addr;

		if (at >= base && at < base + r->regions[i].length) {
			p->region = chunks + i;
			p->offset = (size_t)(at - base);
			return;
		}
	}
}

/* Announce an MFP to the builder; a long list of pieces takes several messages. */
static int step_pull(struct roc_evb *e, struct evb_destination *d, struct evb_mfp *m)
{
	unsigned char *text = pair_message(&d->pair);
	uint32_t left = m->piece_count - m->pieces_announced, i;
	struct evb_message message = {.type = EVB_HAVE,
				      .number = (uint32_t)(m - e->ru.mfps),
				      .a = m->block,
				      .b = m->bytes,
				      .c = (uint64_t)m->pieces_announced << 32 | m->piece_count,
				      .d = m->epoch};
	struct evb_piece p;
	int ret;

	if (!text)
		return -EAGAIN;
	message.count = left < EVB_PIECES ? left : EVB_PIECES;
	for (i = 0; i < message.count; i++) {
		locate(e, &m->pieces[m->pieces_announced + i], 0, &p);
		evb_put_piece(text, i, &p);
	}
	ret = pair_send(&d->pair, text, &message);
	if (ret)
		return ret;
	m->pieces_announced += message.count;
	m->handed = m->pieces_announced == m->piece_count;
	return 0;
}

static void handed_over(struct roc_evb *e, struct evb_destination *d, struct evb_mfp *m)
{
	uint32_t i = evb_pop(e->ru.mfps, &d->queue);

	d->sent++;
	d->n.moved.count++;
	d->n.moved.bytes += m->bytes;
	if (++d->n.in_flight > d->n.in_flight_max)
		d->n.in_flight_max = d->n.in_flight;
	d->n.stale = 0;
	d->progress = e->now;
	e->n.sent.count++;
	e->n.sent.bytes += m->bytes;
	e->progress = true;
	if (e->cfg.protocol == ROC_EVB_PULL)
		evb_push(e->ru.mfps, &d->tickets, i);
	else if (!m->flying)
		evb_mfp_finish(e, i);
}

/* Barrel shift: return true if the MFP is in the window of turns. */
static bool has_turn(const struct roc_evb *e, uint32_t i)
{
	const struct evb_readout *r = &e->ru;
	uint32_t at = r->turns.first, n;

	if (!r->mfps[i].in_turns)
		return true;
	for (n = 0; n < r->turns.count && n < e->cfg.window; n++, at = r->mfps[at].next_turn) {
		if (at == i)
			return true;
	}
	return false;
}

int evb_send(struct roc_evb *e, struct evb_destination *d)
{
	bool pull = e->cfg.protocol == ROC_EVB_PULL;
	int ret = 0;

	while (d->queue.count && !ret) {
		uint32_t i = d->queue.first;
		struct evb_mfp *m = &e->ru.mfps[i];

		if (!m->sending) {
			if (!m->released || d->n.in_flight >= d->limit || !has_turn(e, i) ||
			    (!pull && (d->pair.data_free < DATA_LEAST || !begin_push(d, m))))
				break;
			m->sending = true;
		}
		ret = pull ? step_pull(e, d, m) : step_push(e, d, m);
		if (!ret && m->handed)
			handed_over(e, d, m);
	}
	d->n.queue = d->queue.count;
	return ret == -EAGAIN ? 0 : ret;
}

void evb_lose(struct roc_evb *e, struct evb_destination *d, uint32_t i)
{
	struct evb_mfp *m = &e->ru.mfps[i];

	e->n.dropped++;
	e->n.dropped_events += m->count;
	d->n.dropped++;
	evb_count_late(e, &d->late, &d->n, false);
	if (!d->lost_count++)
		d->lost_from = d->lost_to = m->block;
	if (m->block < d->lost_from)
		d->lost_from = m->block;
	if (m->block > d->lost_to)
		d->lost_to = m->block;
	d->send_passed = true;
	evb_mfp_finish(e, i);
}

static int add_credits(struct evb_destination *d, const struct evb_message *m)
{
	uint32_t i;

	for (i = 0; i < m->count; i++) {
		uint32_t segment = evb_get_number(m, i);

		if (segment >= d->pair.peer.segments || d->lent[segment] == LENT_FREE)
			return pair_fail(&d->pair, EPROTO,
					 "protocol violation: credit for segment %" PRIu32
					 ", which is free or does not exist.",
					 segment);
		if (d->lent[segment] == LENT_LAST && d->n.in_flight)
			d->n.in_flight--;
		d->lent[segment] = LENT_FREE;
		d->free_segments[d->free_count++] = segment;
	}
	return 0;
}

/* Release MFPs that the builder has read or does not need. */
static int take_tickets(struct roc_evb *e, struct evb_destination *d, const struct evb_message *m)
{
	struct evb_mfp *mfps = e->ru.mfps;
	uint32_t i, n;

	for (i = 0; i < m->count; i++) {
		uint32_t ticket = evb_get_number(m, i), at = EVB_NONE;

		/* Tickets usually return in order. */
		for (n = d->tickets.count; n; n--) {
			at = evb_pop(mfps, &d->tickets);
			if (at == ticket)
				break;
			evb_push(mfps, &d->tickets, at);
		}
		if (!n)
			return pair_fail(&d->pair, EPROTO,
					 "protocol violation: the builder returned MFP %" PRIu32
					 ", which was not announced.",
					 ticket);
		d->n.in_flight--;
		d->n.stale = 0;
		evb_mfp_finish(e, at);
	}
	return 0;
}

static void moved(struct roc_evb *e, struct evb_destination *d)
{
	d->moved = e->now;
	d->stuck = false;
}

static int receive(void *self, struct pair *p, const struct evb_message *m)
{
	struct roc_evb *e = self;
	struct evb_destination *d = evb_destination_of_pair(p);

	if (m->type != EVB_BEAT)
		moved(e, d);
	switch (m->type) {
	case EVB_BEAT:
		return 0;
	case EVB_CREDIT:
		d->progress = e->now;
		e->progress = true;
		return e->cfg.protocol == ROC_EVB_PULL
			       ? pair_fail(
					 p, EPROTO,
					 "protocol violation: credit, although the protocol is pull.")
			       : add_credits(d, m);
	case EVB_GOT:
		d->progress = e->now;
		e->progress = true;
		return take_tickets(e, d, m);
	case EVB_BYE:
		if (!d->end_sent)
			return pair_fail(p, EPROTO, "protocol violation: BYE before END.");
		d->bye = true;
		e->progress = true;
		return 0;
	default:
		return pair_fail(p, EPROTO,
				 "protocol violation: message type %u is not for readout units.",
				 (unsigned int)m->type);
	}
}

static int was_written(void *self, struct pair *p, uint32_t number)
{
	return pair_fail(p, EPROTO,
			 "protocol violation: the builder wrote to the memory of a readout unit.");
}

static int data_done(void *self, struct pair *p, struct pair_op *op)
{
	struct roc_evb *e = self;
	struct evb_mfp *m = op->of;

	pair_op_free(p, op);
	moved(e, evb_destination_of_pair(p));
	if (!--m->flying && m->handed)
		evb_mfp_finish(e, (uint32_t)(m - e->ru.mfps));
	return 0;
}

const struct pair_use evb_send_use = {
	.message = receive,
	.written = was_written,
	.done = data_done,
};
