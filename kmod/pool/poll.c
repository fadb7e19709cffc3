// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find finished superpages. The card writes the record ring of the event path, so every record is
 * validated before use.
 *
 * A card without event path is polled. If it reports completion in host memory, polls are cheap and
 * frequent. Otherwise a poll is a register read, so the driver checks the sentinels in the data
 * first (flow.c). It reads the counter when a superpage is in its last page, when one is overdue,
 * and after a long silence, with growing intervals (pace.h). It also reads the counter now and then
 * to confirm what the sentinels showed.
 */
#include "pool/pool.h"

/* Records per call, so that others get the channel lock. */
#define ROC_DRAIN_MAX 4096
/* Superpages that sentinels may show as finished before the counter is read again. */
#define ROC_CONFIRM_MAX 64
/* Duration of one poll. The next polls go on with a card that is slow to report sizes. */
#define ROC_POLL_NS 5000000ull

static bool roc_poll_expired(struct roc_pool_run *p)
{
	if (ktime_get_ns() < p->until)
		return false;
	p->unfinished = true;
	return true;
}

/* Reason for @err of roc_pool_ops.received(): the card reported no size, or an invalid one. */
static enum roc_reason roc_poll_size_reason(const struct roc_pool_run *p, int err)
{
	if (!roc_alive(p->ch->ep))
		return ROC_REASON_LOST;
	return err == -EMSGSIZE ? ROC_REASON_BYTES : ROC_REASON_SIZE;
}

static int roc_poll_collect(struct roc_pool_run *p, struct roc_link *link, u32 count,
			    bool confirmed, u64 now)
{
	struct roc_channel *ch = p->ch;
	u32 i = 0;

	while (i < count) {
		u32 length = roc_flight(p, link, link->tail)->fill.length, bytes;
		int err = roc_pool_ops(ch->ep)->received(ch, link->slot, length, confirmed,
							 p->until, &bytes);

		if (err && err != -EAGAIN)
			return err;
		if (!err) {
			link->found++;
			roc_pool_complete(p, link, bytes, ROC_READY_FILLED, now);
			i++;
		}
		if (roc_poll_expired(p) || err)
			break;
	}
	return i;
}

/*
 * Poll the card's counter of one link.
 *
 * Return: superpages found; -1 with @reason set if the card violated the protocol.
 */
static int roc_poll_counter(struct roc_pool_run *p, struct roc_link *link, u64 now,
			    enum roc_reason *reason)
{
	struct roc_channel *ch = p->ch;
	u32 fresh = roc_pool_ops(ch->ep)->finished(ch, link->slot) - link->found;
	int found;

	link->unconfirmed = 0;
	if (fresh > link->head - link->tail) {
		*reason = roc_alive(ch->ep) ? ROC_REASON_COUNT : ROC_REASON_LOST;
		return -1;
	}
	found = roc_poll_collect(p, link, fresh, true, now);
	if (found < 0)
		*reason = roc_poll_size_reason(p, found);
	link->pending = found >= 0 && (u32)found < fresh;
	return found;
}

static int roc_poll_completion(struct roc_pool_run *p, struct roc_link *link, u64 now,
			       enum roc_poll_scope scope, enum roc_reason *reason)
{
	int found;

	if (scope <= ROC_POLL_DUE && link->pace.next > now)
		return 0;
	found = roc_poll_counter(p, link, now, reason);
	if (!found && roc_pace_silent(&link->pace, now) && !roc_alive(p->ch->ep)) {
		*reason = ROC_REASON_LOST;
		return -1;
	}
	if (found >= 0)
		roc_pace_polled(&link->pace, now, found);
	return found;
}

static bool roc_poll_counter_due(struct roc_pool_run *p, struct roc_link *link, u64 now,
				 enum roc_poll_scope scope)
{
	enum roc_sentinel_stage stage;

	if (link->head == link->tail)
		return false;
	if (link->pending)
		return true;
	if (scope == ROC_POLL_MEMORY)
		return false;
	stage = roc_sentinel_stage(p, link);
	return scope == ROC_POLL_ALL ||
	       (scope == ROC_POLL_STARTED && stage >= ROC_STAGE_LAST_PAGE) ||
	       roc_backoff_due(&link->backoff, now, stage);
}

static int roc_poll_sentinels(struct roc_pool_run *p, struct roc_link *link, u64 now,
			      enum roc_poll_scope scope, enum roc_reason *reason)
{
	u32 done = roc_sentinel_finished(p, link);
	int found = 0, more = 0;

	/*
	 * The first superpage of a run needs the counter: it shows whether the firmware has sizes.
	 */
	if (done && link->found && link->unconfirmed < ROC_CONFIRM_MAX) {
		found = roc_poll_collect(p, link, done, false, now);
		if (found < 0) {
			*reason = roc_poll_size_reason(p, found);
			return found;
		}
		link->unconfirmed += found;
	}
	/* Read the counter if sentinels show more superpages than the card's sizes confirm. */
	if (!p->unfinished &&
	    (found < done || (!found && roc_poll_counter_due(p, link, now, scope)))) {
		more = roc_poll_counter(p, link, now, reason);
		if (more < 0)
			return more;
		roc_backoff_polled(&link->backoff, now);
	}
	if (found + more)
		roc_backoff_found(&link->backoff, now, found + more);
	return found + more;
}

/* Poll the links, for at most ROC_POLL_NS. Not 0: the card violated the protocol. */
static enum roc_reason roc_poll_plain(struct roc_pool_run *p, u64 now, enum roc_poll_scope scope,
				      u32 *found)
{
	bool memory = roc_pool_ops(p->ch->ep)->polls_memory;
	unsigned int first = p->next, i;
	enum roc_reason reason;

	*found = 0;
	p->until = now + ROC_POLL_NS;
	p->unfinished = false;
	for (i = 0; i < p->link_count && !p->unfinished; i++) {
		struct roc_link *link = &p->link[(first + i) % p->link_count];
		int n;

		if (link->head == link->tail)
			continue;
		n = memory ? roc_poll_completion(p, link, now, scope, &reason)
			   : roc_poll_sentinels(p, link, now, scope, &reason);
		if (n < 0)
			return reason;
		if (link->head != link->tail)
			link->busy = now;
		*found += n;
	}
	/* A slow link must not keep the driver from polling the others. */
	p->next = p->unfinished ? (first + i) % p->link_count : 0;
	return ROC_REASON_NONE;
}

static struct roc_link *roc_link_find(struct roc_pool_run *p, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < p->link_count; i++)
		if (p->link[i].slot == slot)
			return &p->link[i];
	return NULL;
}

static enum roc_reason roc_poll_record(struct roc_pool_run *p, const struct roc_record *r, u64 now)
{
	struct roc_event *ev = &p->pool->event;
	struct roc_flight *flight;
	struct roc_link *link;
	u32 flags = ROC_READY_FILLED;

	if (!roc_record_valid(r, ev->consumed) || ev->ended)
		return ROC_REASON_RECORD;
	if (r->status & EVENT_RECORD_END) {
		if (!p->flushed)
			return ROC_REASON_RECORD;
		ev->ended = true;
		return ROC_REASON_NONE;
	}
	link = roc_link_find(p, EVENT_RECORD_LINK(r->status));
	if (!link || link->head == link->tail)
		return ROC_REASON_RECORD;
	flight = roc_flight(p, link, link->tail);
	if (flight->number != r->descriptor)
		return ROC_REASON_RECORD;
	if (r->bytes > flight->fill.length)
		return ROC_REASON_BYTES;
	if (r->status & EVENT_RECORD_REFUSED) {
		flags = ROC_READY_REFUSED;
	} else {
		if (r->status & EVENT_RECORD_DAMAGED)
			flags |= ROC_READY_DAMAGED;
		if (roc_record_short(r, flight->fill.length))
			flags |= ROC_READY_SHORT;
	}
	roc_pool_complete(p, link, r->bytes, flags, now);
	if (link->head != link->tail)
		link->busy = now;
	return ROC_REASON_NONE;
}

/* Consume the records that the card wrote. Not 0: the card violated the protocol. */
static enum roc_reason roc_poll_records(struct roc_pool_run *p, u64 now, u32 *found)
{
	struct roc_event *ev = &p->pool->event;
	enum roc_reason reason = ROC_REASON_NONE;
	u32 n;

	*found = 0;
	for (n = 0; n < ROC_DRAIN_MAX; n++) {
		struct roc_record r;

		if (!roc_record_read(ev->record, ev->record_log2, ev->consumed, &r))
			break;
		reason = roc_poll_record(p, &r, now);
		if (reason)
			break;
		ev->consumed++;
		*found += !ev->ended;
	}
	return reason;
}

/*
 * Complete all finished superpages within @scope. Not 0: the card violated the protocol; *@found is
 * valid in any case.
 */
enum roc_reason roc_pool_find_finished(struct roc_pool_run *p, u64 now, enum roc_poll_scope scope,
				       u32 *found)
{
	p->pool->stats.polls++;
	return p->pool->event.on ? roc_poll_records(p, now, found)
				 : roc_poll_plain(p, now, scope, found);
}
