// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding finished superpages on a plain card, which has to be asked.
 *
 * Where asking is free (the card reports in host memory) it is asked often. Where it costs a
 * register read, the data themselves are looked at first. A card that fills its superpages in
 * order has finished one as soon as it has begun the next; so the kernel writes a mark where a
 * superpage, and its last DMA page, begin, and sees by memory alone that the card came by. What
 * memory cannot tell is asked: when a superpage is in its last page, or is overdue, or after long
 * silence, ever more rarely (pace.h); and now and then to prove the rest.
 *
 * A reader who writes into superpages it gave away fakes marks: the card's size entry, which is
 * always read, has a number of its own, so only that reader's run ends. Firmware without such
 * entries has nothing that could prove a mark: there is none then.
 */
#include "core/roc.h"

/* Superpages taken for finished by their marks before the counter is read again. */
#define ROC_PROVE 64
/* Of one look: a card that is slow to answer is heard out in the next ones. */
#define ROC_LOOK_NS 5000000ull

static u64 *roc_memory(const struct roc_flight *flight, u64 at)
{
	u64 address;

	if (roc_extents_find(&flight->buffer->memory, flight->fill.offset + at, sizeof(u64),
			     &address))
		return NULL;
	return (u64 *)(uintptr_t)address;
}

/* Where the marks of a superpage are: at offsets that are multiples of 4. */
void roc_find_marks(struct roc_session *s, struct roc_flight *flight)
{
	flight->first = NULL;
	if (!s->ch->ep->ops->marks || s->ch->no_sizes || !flight->buffer->memory.count ||
	    flight->fill.offset % sizeof(u64))
		return;
	flight->first = roc_memory(flight, 0);
	flight->last = roc_memory(flight, flight->fill.length - s->ch->ep->ops->page_size);
	if (!flight->last)
		flight->first = NULL;
}

/* Before the card gets it: the write that hands it over orders this before. */
void roc_mark(struct roc_session *s, struct roc_flight *flight)
{
	if (!flight->first || s->ch->event.on)
		return;
	flight->under_first = *flight->first;
	flight->under_last = *flight->last;
	WRITE_ONCE(*flight->first, s->mark);
	WRITE_ONCE(*flight->last, s->mark);
}

/* What the card did not write is as it was. Only when it is done with the superpage. */
void roc_unmark(struct roc_session *s, const struct roc_flight *flight)
{
	if (!flight->first || s->ch->event.on)
		return;
	if (READ_ONCE(*flight->last) == s->mark)
		WRITE_ONCE(*flight->last, flight->under_last);
	if (READ_ONCE(*flight->first) == s->mark)
		WRITE_ONCE(*flight->first, flight->under_first);
}

static bool roc_begun(struct roc_session *s, struct roc_link *link, u32 index)
{
	const struct roc_flight *flight = roc_flight(s, link, index);

	return flight->first && READ_ONCE(*flight->first) != s->mark;
}

/* Superpages of @link that are finished, because the one behind has begun. */
static u32 roc_by_marks(struct roc_session *s, struct roc_link *link)
{
	u32 n = 0;

	while (link->tail + n + 1 != link->head && roc_begun(s, link, link->tail + n + 1))
		n++;
	return n;
}

static enum roc_stage roc_stage(struct roc_session *s, struct roc_link *link)
{
	const struct roc_flight *flight = roc_flight(s, link, link->tail);

	if (!flight->first)
		return ROC_STAGE_UNKNOWN;
	if (READ_ONCE(*flight->last) != s->mark)
		return ROC_STAGE_LAST_PAGE;
	return roc_begun(s, link, link->tail) ? ROC_STAGE_BEGUN : ROC_STAGE_UNTOUCHED;
}

static bool roc_look_over(struct roc_session *s)
{
	if (ktime_get_ns() < s->until)
		return false;
	s->unfinished = true;
	return true;
}

static int roc_collect(struct roc_session *s, struct roc_link *link, u32 count, bool proved,
		       u64 now)
{
	struct roc_channel *ch = s->ch;
	u32 i = 0;

	while (i < count) {
		u32 length = roc_flight(s, link, link->tail)->fill.length, bytes;
		int err = ch->ep->ops->received(ch, link->slot, length, proved, s->until, &bytes);

		if (err && err != -EAGAIN)
			return err;
		if (!err) {
			link->found++;
			roc_finish(s, link, bytes, ROC_READY_FILLED, now);
			i++;
		}
		if (roc_look_over(s) || err)
			break;
	}
	return i;
}

/* Ask the card about one link. Superpages found, or -1 with @why: it broke its contract. */
static int roc_ask(struct roc_session *s, struct roc_link *link, u64 now, enum roc_why *why)
{
	struct roc_channel *ch = s->ch;
	u32 fresh = ch->ep->ops->finished(ch, link->slot) - link->found;
	int found;

	link->unproved = 0;
	if (fresh > link->head - link->tail) {
		*why = roc_alive(ch->ep) ? ROC_WHY_COUNT : ROC_WHY_LOST;
		return -1;
	}
	found = roc_collect(s, link, fresh, true, now);
	if (found < 0)
		*why = roc_alive(ch->ep) ? ROC_WHY_SIZE : ROC_WHY_LOST;
	link->pending = found >= 0 && (u32)found < fresh;
	return found;
}

static int roc_look_free(struct roc_session *s, struct roc_link *link, u64 now, enum roc_look what,
			 enum roc_why *why)
{
	int found;

	if (what <= ROC_LOOK_DUE && link->pace.next > now)
		return 0;
	found = roc_ask(s, link, now, why);
	if (!found && roc_pace_silent(&link->pace, now) && !roc_alive(s->ch->ep)) {
		*why = ROC_WHY_LOST;
		return -1;
	}
	if (found >= 0)
		roc_pace_looked(&link->pace, now, found);
	return found;
}

static bool roc_worth_asking(struct roc_session *s, struct roc_link *link, u64 now,
			     enum roc_look what)
{
	enum roc_stage stage;

	if (link->head == link->tail)
		return false;
	if (link->pending)
		return true;
	if (what == ROC_LOOK_SHOWN)
		return false;
	stage = roc_stage(s, link);
	return what == ROC_LOOK_ALL || (what == ROC_LOOK_BEGUN && stage >= ROC_STAGE_LAST_PAGE) ||
	       roc_doubt_due(&link->doubt, now, stage);
}

static int roc_look_marks(struct roc_session *s, struct roc_link *link, u64 now, enum roc_look what,
			  enum roc_why *why)
{
	u32 done = roc_by_marks(s, link);
	int found = 0, more = 0;

	/* The first of a run is always asked for: it tells what kind of firmware this is. */
	if (done && link->found && link->unproved < ROC_PROVE) {
		found = roc_collect(s, link, done, false, now);
		if (found < 0) {
			*why = roc_alive(s->ch->ep) ? ROC_WHY_SIZE : ROC_WHY_LOST;
			return found;
		}
		link->unproved += found;
	}
	/* What marks show, and the card did not confirm, the card is asked about. */
	if (!s->unfinished && (found < done || (!found && roc_worth_asking(s, link, now, what)))) {
		more = roc_ask(s, link, now, why);
		if (more < 0)
			return more;
		roc_doubt_asked(&link->doubt, now);
	}
	if (found + more)
		roc_doubt_found(&link->doubt, now, found + more);
	return found + more;
}

/* Superpages that the card has finished, as far as memory shows it without a register read. */
u32 roc_shown(struct roc_session *s)
{
	unsigned int i;
	u32 n = 0;

	for (i = 0; i < s->link_count; i++)
		if (s->link[i].head != s->link[i].tail)
			n += roc_by_marks(s, &s->link[i]);
	return n;
}

/* One pass over the links, as far as there is time for it. Superpages found. */
u32 roc_look_plain(struct roc_session *s, u64 now, enum roc_look what)
{
	unsigned int first = s->next, i;
	u32 total = 0;

	s->until = now + ROC_LOOK_NS;
	s->unfinished = false;
	for (i = 0; i < s->link_count && !s->unfinished; i++) {
		struct roc_link *link = &s->link[(first + i) % s->link_count];
		enum roc_why why;
		int found;

		if (link->head == link->tail)
			continue;
		found = s->ch->ep->ops->free_looks ? roc_look_free(s, link, now, what, &why)
						   : roc_look_marks(s, link, now, what, &why);
		if (found < 0) {
			roc_run_abort(s, ROC_CH_FAILED, why, why != ROC_WHY_LOST);
			return total;
		}
		if (link->head != link->tail)
			link->busy = now;
		total += found;
	}
	/* One link that is slow does not keep the others from being looked at. */
	s->next = s->unfinished ? (first + i) % s->link_count : 0;
	return total;
}
