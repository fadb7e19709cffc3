// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: process the writes and messages of a readout unit. All segments, sizes, blocks and
 * counts are validated before use. A readout unit that violates the protocol is disconnected.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int late(struct roc_evb *e, struct evb_sender *g)
{
	e->n.late++;
	return 0;
}

static bool is_ours(const struct roc_evb *e, const struct roc_evb_table *t, uint64_t block)
{
	return t->bu_count && !strcmp(t->bus[roc_evb_builder(t, block)].name, e->name);
}

static const struct roc_evb_table *table_of(const struct roc_evb *e, uint64_t epoch)
{
	unsigned int i;

	for (i = 0; i < e->table_count; i++) {
		if (e->tables[i].table.epoch == epoch)
			return &e->tables[i].table;
	}
	return NULL;
}

/* Return true if the known table @t assigns the block to this builder. */
static bool may_send(const struct roc_evb *e, const struct roc_evb_table *t, uint64_t number)
{
	return number >= t->from_block && is_ours(e, t, number);
}

static int another_s(struct evb_sender *g, uint64_t number, uint64_t epoch)
{
	return pair_fail(&g->pair, EPROTO,
			 "protocol violation: block %" PRIu64
			 " belongs to another builder by table %" PRIu64 ".",
			 number, epoch);
}

/*
 * Check a block that was sent by an unknown table. The table may not have arrived yet, may have
 * been missed, or may be too old. The block is checked again when the table arrives. From the first
 * block of a later table on, the later table decides.
 */
static int judge_unknown(struct roc_evb *e, struct evb_sender *g, uint64_t number, uint64_t epoch)
{
	const struct evb_known *newest = evb_newest(e), *later = evb_table(e, number);

	if (!epoch || (newest && epoch < newest->table.epoch && epoch > e->tables[0].table.epoch &&
		       !e->table_missed))
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: block %" PRIu64 " was sent by table %" PRIu64
				 ", which does not exist.",
				 number, epoch);
	return later && later->table.epoch > epoch && !is_ours(e, &later->table, number);
}

/*
 * Check that the sender may send this block now. Return 0, 1 if the block is valid but useless
 * here, or -errno.
 */
static int judge_block(struct roc_evb *e, struct evb_sender *g, uint64_t number, uint64_t bytes,
		       uint64_t epoch)
{
	const struct roc_evb_table *t = table_of(e, epoch);

	if (bytes > g->mfp_max)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: an MFP has %" PRIu64
				 " bytes, more than the announced maximum of %" PRIu64 ".",
				 bytes, g->mfp_max);
	if (number > UINT64_MAX / e->cfg.events - 1)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: block number %" PRIu64 " is too large.",
				 number);
	if (number < g->passed)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: block %" PRIu64
				 " was sent after PASSED for blocks below %" PRIu64 ".",
				 number, g->passed);
	if (!t)
		return judge_unknown(e, g, number, epoch);
	return may_send(e, t, number) ? 0 : another_s(g, number, epoch);
}

/* Check an arrival again, whose table is known now. Return 0 or -errno. */
static int judge_again(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	const struct roc_evb_table *t = table_of(e, a->epoch);
	uint64_t number = a->number;
	bool before = a->before;

	if (may_send(e, t, number))
		return 0;
	/* An incomplete arrival ends with the connection. */
	if (a->whole && a->block != EVB_NONE && e->bu.blocks[a->block].state == BLOCK_OPEN)
		evb_block_forget(e, g, a);
	return before ? 0 : another_s(g, number, t->epoch);
}

int evb_arrive_tables(struct roc_evb *e, struct evb_sender *g)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < g->arrivals_pool; i++) {
		struct evb_arrival *a = &g->arrivals[i];

		if (!a->used || a->judged || !table_of(e, a->epoch))
			continue;
		a->judged = true;
		if (judge_again(e, g, a))
			ret = -EPROTO;
	}
	return ret;
}

static void join(struct roc_evb *e, uint32_t block, struct evb_sender *g, struct evb_arrival *a,
		 uint64_t epoch)
{
	a->epoch = epoch;
	a->judged = table_of(e, epoch) != NULL;
	evb_block_join(e, block, g, a, epoch);
}

/* All parts have arrived: check that they are the announced MFP. */
static int completed(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	uint32_t i;
	int ret;

	for (i = 0; i < a->parts; i++) {
		uint64_t left = a->bytes - i * g->room;

		a->pieces[i] = (struct iovec){
			.iov_base = evb_segment_at(g, a->segments[i]) + EVB_SEGMENT_HEAD,
			.iov_len = left < g->room ? left : g->room,
		};
	}
	ret = roc_mfp_open(&a->view, a->pieces, a->parts);
	if (ret == -EPROTONOSUPPORT)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: its MFPs have layout version %" PRIu32
				 ", this node supports version %d.",
				 a->view.head.count, ROC_MEP_VERSION);
	if (ret || a->view.head.bytes != a->bytes || a->view.head.block != a->number ||
	    a->view.head.events != e->cfg.events ||
	    a->view.head.first_event != a->number * e->cfg.events)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: the MFP of block %" PRIu64 " is malformed.",
				 a->number);
	evb_arrival_got(g, a);
	if (a->block == EVB_NONE) {
		evb_arrival_free(e, g, a);
		return late(e, g);
	}
	evb_block_has(e, g, a);
	return 0;
}

/* All writes to a segment have arrived. */
static int part_came(struct roc_evb *e, struct evb_sender *g, uint32_t segment)
{
	struct evb_segment head;
	struct evb_arrival *a;
	uint32_t block, i;
	int ret;

	if (!evb_get_segment(evb_segment_at(g, segment), g->room, &head))
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: malformed head of a segment.");
	g->got += !head.part;
	/* Check the block before opening it. */
	block = evb_block_find(e, head.block);
	i = block == EVB_NONE ? EVB_NONE : e->bu.blocks[block].arrivals[g - e->bu.senders];
	a = i == EVB_NONE ? evb_arrival_abandoned(g, head.block) : &g->arrivals[i];
	/*
	 * The first part arrived too late for the block and was dropped. Writes are not ordered
	 * with PASSED, so a further part can arrive after it.
	 */
	if (!a && head.part && head.block < g->passed) {
		evb_segment_free(e, g, segment);
		return 0;
	}
	/* Arrivals of a previous connection stay; what the new connection sends of them is late. */
	if (!a || a->before) {
		ret = judge_block(e, g, head.block, head.mfp_bytes, head.epoch);
		if (ret < 0)
			return ret;
		block = ret || a ? EVB_NONE : evb_block_of(e, head.block);
		if (block == EVB_NONE) {
			evb_segment_free(e, g, segment);
			return head.part ? 0 : late(e, g);
		}
		a = evb_arrival_new(g, head.block, head.mfp_bytes);
		if (!a)
			evb_block_unless_begun(e, block);
		/*
		 * Arrivals of its previous connection occupy the limit, which the sender cannot
		 * know.
		 */
		if (!a && g->arrivals_before) {
			evb_segment_free(e, g, segment);
			return head.part ? 0 : late(e, g);
		}
		if (!a)
			return pair_fail(&g->pair, EPROTO,
					 "protocol violation: more than %" PRIu32 " MFPs at once.",
					 g->arrivals_max);
		join(e, block, g, a, head.epoch);
	}
	if (a->bytes != head.mfp_bytes || a->segments[head.part] != EVB_NONE)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: block %" PRIu64 " was sent twice.",
				 head.block);
	g->slots[segment].state = SEGMENT_HELD;
	a->segments[head.part] = segment;
	return ++a->here == a->parts ? completed(e, g, a) : 0;
}

/* Process one of @of writes to a segment. */
static int wrote(struct roc_evb *e, struct evb_sender *g, uint32_t segment, uint32_t of)
{
	struct evb_slot *s;

	if (segment >= g->segments || !of)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: write to segment %" PRIu32 " of %" PRIu32 ".",
				 segment, g->segments);
	s = &g->slots[segment];
	if (s->state == SEGMENT_LENT) {
		*s = (struct evb_slot){.state = SEGMENT_WRITING, .of = of};
		g->lent--;
	}
	if (s->state != SEGMENT_WRITING || s->of != of)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: write to segment %" PRIu32
				 ", which it has no credit for.",
				 segment);
	return ++s->writes == s->of ? part_came(e, g, segment) : 0;
}

static int written(void *self, struct pair *p, uint32_t number)
{
	struct roc_evb *e = self;

	if (e->cfg.protocol != ROC_EVB_PUSH)
		return pair_fail(p, EPROTO,
				 "protocol violation: a write, although the protocol is not push.");
	return wrote(e, evb_sender_of_pair(p), number & 0xffff, number >> 16);
}

/* Process a message with a piece of a segment. */
static int piece_came(struct roc_evb *e, struct evb_sender *g, const struct evb_message *m)
{
	if (e->cfg.protocol != ROC_EVB_COMMAND || m->number >= g->segments || !m->count ||
	    m->a > g->segment || m->count > g->segment - m->a || m->b > EVB_WRITES_MAX ||
	    (g->slots[m->number].state != SEGMENT_LENT &&
	     g->slots[m->number].state != SEGMENT_WRITING))
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: invalid piece for segment %" PRIu32 ".",
				 m->number);
	memcpy(evb_segment_at(g, m->number) + m->a, m->payload, m->count);
	e->n.copied += m->count;
	return wrote(e, g, m->number, (uint32_t)m->b);
}

/* Pull: process the announcement of an MFP; a long list of pieces takes several messages. */
static int announced(struct roc_evb *e, struct evb_sender *g, const struct evb_message *m)
{
	uint32_t first = (uint32_t)(m->c >> 32), all = (uint32_t)m->c, i, block;
	struct evb_arrival *a = NULL;
	uint64_t bytes = 0;
	int ret;

	if (e->cfg.protocol != ROC_EVB_PULL || !m->count || !all || all > g->pieces_max ||
	    first > all || m->count > all - first || m->b < ROC_MFP_HEAD)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: invalid announcement of block %" PRIu64 ".",
				 m->a);
	if (!first) {
		ret = judge_block(e, g, m->a, m->b, m->d);
		if (ret < 0)
			return ret;
		if (g->announcing == EVB_NONE && g->announced < g->arrivals_max)
			a = evb_arrival_new(g, m->a, m->b);
		if (!a)
			return pair_fail(&g->pair, EPROTO,
					 "protocol violation: more than %" PRIu32
					 " MFPs announced at once.",
					 g->arrivals_max);
		g->announced++;
		a->ticket = m->number;
		a->from_count = all;
		g->announcing = (uint32_t)(a - g->arrivals);
		g->got++;
		block = ret ? EVB_NONE : evb_block_of(e, m->a);
		i = block == EVB_NONE ? 0 : e->bu.blocks[block].arrivals[g - e->bu.senders];
		if (block != EVB_NONE && i == EVB_NONE)
			join(e, block, g, a, m->d);
		/* The new connection may announce again what the previous one sent. */
		else if (block != EVB_NONE && !g->arrivals[i].before)
			return pair_fail(
				&g->pair, EPROTO,
				"protocol violation: block %" PRIu64 " was announced twice.", m->a);
	} else if (g->announcing != EVB_NONE) {
		a = &g->arrivals[g->announcing];
	}
	if (!a || a->ticket != m->number || a->pieces_announced != first || a->from_count != all)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: pieces of an MFP that was not announced.");
	for (i = 0; i < m->count; i++) {
		struct evb_piece *p = &a->from[first + i];

		evb_get_piece(m, i, p);
		if (p->region >= g->pair.peer.region_count || !p->bytes ||
		    p->bytes > g->pair.peer.regions[p->region].bytes ||
		    p->offset > g->pair.peer.regions[p->region].bytes - p->bytes)
			return pair_fail(&g->pair, EPROTO,
					 "protocol violation: announced data outside its memory.");
	}
	a->pieces_announced += m->count;
	if (a->pieces_announced < a->from_count)
		return 0;
	g->announcing = EVB_NONE;
	for (i = 0; i < a->from_count; i++) {
		bytes += a->from[i].bytes;
		if (a->from[i].bytes > a->bytes || bytes > a->bytes)
			break;
	}
	if (bytes != a->bytes || i < a->from_count)
		return pair_fail(
			&g->pair, EPROTO,
			"protocol violation: the announced pieces do not add up to the MFP.");
	if (a->block == EVB_NONE) {
		evb_arrival_free(e, g, a);
		return late(e, g);
	}
	/* Arrivals are read in the order of their announcement. */
	a->listed = true;
	a->next = EVB_NONE;
	if (g->first_read == EVB_NONE)
		g->first_read = (uint32_t)(a - g->arrivals);
	else
		g->arrivals[g->last_read].next = (uint32_t)(a - g->arrivals);
	g->last_read = (uint32_t)(a - g->arrivals);
	return 0;
}

/* Process PASSED. It takes effect once all @sent MFPs have arrived. */
static int has_passed(struct roc_evb *e, struct evb_sender *g, uint64_t block, uint64_t sent)
{
	if (block < g->passed_announced)
		return pair_fail(&g->pair, EPROTO,
				 "protocol violation: PASSED for a lower block than before.");
	g->passed_announced = block;
	g->passed_at = sent;
	return 0;
}

static int receive(void *self, struct pair *p, const struct evb_message *m)
{
	struct roc_evb *e = self;
	struct evb_sender *g = evb_sender_of_pair(p);

	switch (m->type) {
	case EVB_BEAT:
		return 0;
	case EVB_PASSED:
		return g->ended ? pair_fail(p, EPROTO, "protocol violation: PASSED after END.")
				: has_passed(e, g, m->a, m->b);
	case EVB_END:
		g->ended = true;
		return has_passed(e, g, UINT64_MAX, m->b);
	case EVB_PIECE_OF:
		return piece_came(e, g, m);
	case EVB_HAVE:
		return announced(e, g, m);
	default:
		return pair_fail(p, EPROTO,
				 "protocol violation: message type %u is not for builders.",
				 (unsigned int)m->type);
	}
}

/* Process the completion of a read. */
static int data_done(void *self, struct pair *p, struct pair_op *op)
{
	struct roc_evb *e = self;
	struct evb_sender *g = evb_sender_of_pair(p);
	struct evb_arrival *a = op->of;

	pair_op_free(p, op);
	p->received_at = e->now;
	if (--a->reads || a->listed)
		return 0;
	if (a->filled < a->bytes) {
		evb_arrival_free(e, g, a);
		return late(e, g);
	}
	return completed(e, g, a);
}

const struct pair_use evb_arrive_use = {
	.message = receive,
	.written = written,
	.done = data_done,
};

/* Get segments for the whole MFP, or none. */
static bool add_segments(struct evb_sender *g, struct evb_arrival *a)
{
	uint32_t i;

	if (a->segments[0] != EVB_NONE)
		return true;
	/* Keep enough free arrivals for all MFPs that may be announced. */
	if (g->free_count < a->parts || g->reading >= g->arrivals_pool - g->arrivals_max)
		return false;
	g->reading++;
	for (i = 0; i < a->parts; i++) {
		a->segments[i] = g->free_list[--g->free_count];
		g->slots[a->segments[i]].state = SEGMENT_HELD;
	}
	return true;
}

/*
 * Read the next bytes, up to the end of the segment, from as many pieces as one operation can read.
 * The head of an MFP is a separate piece, and a separate operation for it would cost as much as one
 * for the data.
 */
static int read_some(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a)
{
	uint64_t in_segment = a->filled % g->room, room = g->room - in_segment, done = a->from_done;
	struct fi_rma_iov from[FABRIC_IOV];
	struct pair_op *op = pair_op(&g->pair);
	uint32_t next = a->from_next;
	unsigned int n;
	int ret;

	if (!op)
		return -EAGAIN;
	op->of = a;
	for (n = 0; n < g->pair.fabric.rma_limit && room && next < a->from_count; n++) {
		const struct evb_piece *p = &a->from[next];
		const struct evb_region *r = &g->pair.peer.regions[p->region];
		uint64_t bytes = p->bytes - done < room ? p->bytes - done : room;

		from[n] = (struct fi_rma_iov){
			.addr = r->base + p->offset + done, .len = bytes, .key = r->key};
		room -= bytes;
		done += bytes;
		if (done == p->bytes) {
			next++;
			done = 0;
		}
	}
	ret = fabric_end_read(&g->pair.fabric, &g->pair.end,
			      evb_segment_at(g, a->segments[a->filled / g->room]) +
				      EVB_SEGMENT_HEAD + in_segment,
			      from, n, op);
	e->n.calls++;
	if (ret) {
		pair_op_free(&g->pair, op);
		return ret == -EAGAIN
			       ? ret
			       : pair_fail(&g->pair, -ret, "cannot read from its memory: %s.",
					   strerror(-ret));
	}
	a->reads++;
	a->filled += g->room - in_segment - room;
	a->from_next = next;
	a->from_done = done;
	return 0;
}

static int pull(struct roc_evb *e, struct evb_sender *g)
{
	int ret = 0;

	while (g->first_read != EVB_NONE && !ret) {
		struct evb_arrival *a = &g->arrivals[g->first_read];

		if (a->block == EVB_NONE) {
			/* Abandoned meanwhile: pending reads complete first. */
			g->first_read = a->next;
			a->listed = false;
			if (!a->reads) {
				evb_arrival_free(e, g, a);
				late(e, g);
			}
			continue;
		}
		if (!add_segments(g, a))
			return 0;
		while (a->filled < a->bytes && !ret)
			ret = read_some(e, g, a);
		if (a->filled == a->bytes) {
			g->first_read = a->next;
			a->listed = false;
		}
		e->progress |= !ret;
	}
	return ret == -EAGAIN ? 0 : ret;
}

static int send_got(struct evb_sender *g)
{
	struct evb_message m = {.type = EVB_GOT};
	unsigned char *text;
	uint32_t i;
	int ret;

	if (!g->got_count)
		return 0;
	text = pair_message(&g->pair);
	if (!text)
		return 0;
	m.count = g->got_count < EVB_PAYLOAD / 4 ? g->got_count : EVB_PAYLOAD / 4;
	for (i = 0; i < m.count; i++)
		evb_put_number(text, i, g->gots[i]);
	ret = pair_send(&g->pair, text, &m);
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	g->got_count -= m.count;
	g->announced -= m.count;
	memmove(g->gots, g->gots + m.count, g->got_count * sizeof(*g->gots));
	return 0;
}

int evb_arrive_step(struct roc_evb *e, struct evb_sender *g)
{
	int ret = 0;

	if (g->passed < g->passed_announced && g->got >= g->passed_at) {
		g->passed = g->passed_announced;
		evb_blocks_check(e);
		e->progress = true;
	}
	if (e->cfg.protocol != ROC_EVB_PULL)
		return 0;
	ret = pull(e, g);
	return ret ? ret : send_got(g);
}
