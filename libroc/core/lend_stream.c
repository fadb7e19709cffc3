// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lend windows of a stream's ring. Each contains whole packets, whose headers are checked before
 * they are lent. The ring is released to the card up to the oldest lent window.
 */
#include <errno.h>
#include <stdio.h>

#include <roc/packet.h>

#include "lend.h"
#include "libroc.h"
#include "stream.h"

/*
 * Check the sequence number of a packet, which reveals missing or overwritten units. A meta record
 * has the number of its packet, and not every packet has one.
 */
static int check_number(const struct roc_stream *s, const struct roc_packet *p)
{
	const struct libroc_stream_walk *w = &s->peeked;

	if (!w->numbered || p->number == w->number || p->kind == ROC_PACKET_META)
		return 0;
	return roc_fail(
		EBADMSG,
		"%s: packet %u is where packet %u should be, so units are missing: restart the run; if the error recurs, reload the card's firmware",
		s->c.name, p->number, w->number);
}

/*
 * Follow the event ids, which increase unless the source restarts. A gap is correct if events were
 * throttled.
 */
static void follow(struct libroc_stream_walk *w, const struct roc_packet *p)
{
	w->number = p->number + 1;
	w->numbered = true;
	if (p->kind == ROC_PACKET_META)
		return;
	if (w->begun && p->first_event > w->event)
		w->damage.missing += p->first_event - w->event;
	w->damage.backward += w->begun && p->first_event < w->event;
	w->damage.damaged += !!(p->flags & ROC_PACKET_TRUNCATED);
	w->event = p->first_event + p->fragments;
	w->begun = true;
}

/* Return the bytes of as many whole packets as fit into @most bytes, at least one; or -errno. */
static int64_t cut(struct roc_stream *s, const void *data, uint64_t bytes, uint64_t most)
{
	char before[ROC_ERROR_MAX];
	struct roc_packets walk;
	struct roc_packet packet;
	size_t whole = 0;
	int ret;

	snprintf(before, sizeof(before), "%s", roc_error());
	s->peeked = s->walk;
	roc_packets_begin(&walk, data, bytes);
	while ((ret = roc_packets_next(&walk, &packet)) > 0) {
		if (whole && walk.done > most)
			break;
		ret = check_number(s, &packet);
		if (ret)
			break;
		whole = walk.done;
		follow(&s->peeked, &packet);
	}
	if (!whole)
		return ret;
	/*
	 * Restore the error text: the error behind valid packets is reported when they have been
	 * consumed.
	 */
	if (ret < 0)
		roc_fail(-ret, "%s", before);
	return (int64_t)whole;
}

static int peek(struct roc_lender *l, struct libroc_loan *loan)
{
	struct roc_stream *s = l->stream;
	const void *data = NULL;
	int64_t bytes;

	bytes = libroc_stream_from(s, s->taken, &data);
	if (bytes > 0)
		bytes = cut(s, data, (uint64_t)bytes, l->most);
	if (bytes <= 0)
		return bytes;
	*loan = (struct libroc_loan){
		.unit = {.data = data,
			 .length = bytes,
			 .offset = s->taken,
			 .link = s->c.number,
			 .flags = s->peeked.damage.damaged != s->walk.damage.damaged
					  ? ROC_UNIT_DAMAGED
					  : 0,
			 .run = __atomic_load_n(&s->kernel->run, __ATOMIC_RELAXED)},
		.end = s->taken + bytes / ROC_ST_LINE,
		.held = bytes,
	};
	return 1;
}

static void taken(struct roc_lender *l, const struct libroc_loan *loan)
{
	struct roc_stream *s = l->stream;

	s->taken = loan->end;
	s->walk = s->peeked;
	/* poll() then no longer reports the data that the lender has. */
	__atomic_store_n(&s->user->taken, s->taken, __ATOMIC_RELEASE);
}

static int release(struct roc_lender *l, const struct libroc_loan *loan, bool *kick)
{
	libroc_stream_release(l->stream, loan->end);
	return 0;
}

static int fail_ended(struct roc_stream *s)
{
	struct roc_st_info info;
	int ret;

	ret = roc_stream_info(s, &info);
	if (ret)
		return ret;
	if (info.state == ROC_CH_FAILED)
		return roc_fail(ENODATA, "%s: the stream failed: %s", s->c.name,
				roc_reason_text(info.reason));
	return roc_fail(
		ENODATA,
		"%s: the stream does not run and has no data left: start it with roc_stream_start()",
		s->c.name);
}

static int wait_ready(struct roc_lender *l, int timeout_ms)
{
	int64_t bytes = libroc_stream_sleep(l->stream, l->stream->taken, 1, timeout_ms);

	if (bytes < 0)
		return bytes;
	return bytes ? 0 : fail_ended(l->stream);
}

static const struct libroc_lend_type stream = {
	.peek = peek,
	.taken = taken,
	.release = release,
	.wait = wait_ready,
	.in_order = true,
};

int roc_lender_stream(struct roc_stream *s, unsigned int limit, uint64_t bytes,
		      struct roc_lender **lender)
{
	int ret;

	ret = libroc_need_ring(s);
	if (ret)
		return ret;
	ret = libroc_lender_new(&stream, &s->c.node, limit, lender);
	if (ret)
		return ret;
	(*lender)->stream = s;
	(*lender)->most = bytes;
	s->taken = s->read;
	s->walk.numbered = false;
	s->walk.begun = false;
	return 0;
}
