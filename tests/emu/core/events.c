// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event interface, data path: descriptors, records, interrupts, alarms. The registers are in
 * event_block.c.
 */
#include "events.h"

#include <endian.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull
#define PAGE 4096u

#define CAUSE_ERRORS (FUNCTION_CAUSE_FETCH | FUNCTION_CAUSE_STALL | FUNCTION_CAUSE_HOST)
#define URGENT (EVENT_RECORD_END | EVENT_RECORD_REFUSED | EVENT_RECORD_DAMAGED)

static uint64_t now_ns(const struct event_card *e)
{
	return e->host->now(e->host->ctx);
}

/* Newly set bits raise the interrupt. */
void event_cause(struct event_card *e, uint32_t bits)
{
	if (bits & e->enable & ~e->cause)
		e->interrupt_due = true;
	e->cause |= bits;
}

void event_host_error(struct event_channel *ch)
{
	ch->n.host_errors++;
	if (!ch->host_error)
		event_cause(ch->card, FUNCTION_CAUSE_HOST);
	ch->host_error = true;
}

static enum card_dma outside(struct event_card *e)
{
	e->dma_outside++;
	e->dma_outside_ever++;
	return CARD_DMA_OUTSIDE;
}

/* Write a few aligned words that are in one page; the last word becomes visible last. */
static enum card_dma put_words(struct event_card *e, uint64_t addr, const uint32_t *word,
			       unsigned int words)
{
	size_t len = 4 * words;
	enum card_dma how;
	void *ptr;

	how = e->host->dma(e->host->ctx, e->fn, addr, &len, &ptr);
	if (how == CARD_DMA_NO_MASTER)
		return how;
	if (how == CARD_DMA_OUTSIDE || len < 4 * words)
		return outside(e);
	memcpy(ptr, word, 4 * (words - 1));
	atomic_thread_fence(memory_order_release);
	((volatile uint32_t *)ptr)[words - 1] = word[words - 1];
	return CARD_DMA_OK;
}

static uint32_t entries(unsigned int log2)
{
	return 1u << log2;
}

static void push_done(struct event_channel *ch, const struct event_done *d)
{
	struct event_done *to = &ch->done[(ch->done_at + ch->done_count++) % ch->capacity];
	uint64_t late = now_ns(ch->card) + ch->card->fault.record_late_us * US;

	*to = *d;
	if (to->due_ns < late)
		to->due_ns = late;
}

/* Places reserved for superpages that a flush closes, its END, and descriptors read ahead. */
static bool done_full(const struct event_channel *ch)
{
	return ch->done_count + ch->card->ops->links + EVENT_FETCH + 1 >= ch->capacity;
}

/* Read the published descriptors up to the end of the ring or of the page. */
static enum card_dma fetch(struct event_channel *ch)
{
	struct event_card *e = ch->card;
	uint32_t at = ch->fetched & (entries(ch->submit_log2) - 1);
	uint64_t addr = ch->submit + (uint64_t)at * sizeof(struct event_descriptor);
	uint32_t count = ch->published - ch->fetched;
	size_t len, want;
	enum card_dma how;
	void *ptr;

	if (count > EVENT_FETCH)
		count = EVENT_FETCH;
	if (count > entries(ch->submit_log2) - at)
		count = entries(ch->submit_log2) - at;
	want = count * sizeof(struct event_descriptor);
	if (want > PAGE - addr % PAGE)
		want = PAGE - addr % PAGE;
	len = want;
	how = e->host->dma_read(e->host->ctx, e->fn, addr, &len, &ptr);
	if (how == CARD_DMA_NO_MASTER)
		return how;
	ch->n.fetches++;
	if (how == CARD_DMA_OK && len < want)
		how = CARD_DMA_OUTSIDE;
	if (how == CARD_DMA_OUTSIDE)
		outside(e);
	if (how == CARD_DMA_OUTSIDE || e->fault.fetch_error) {
		if (e->fault.fetch_error)
			e->fault.fetch_error--;
		ch->fetch_error = true;
		ch->n.fetch_errors++;
		event_cause(e, FUNCTION_CAUSE_FETCH);
		return CARD_DMA_OUTSIDE;
	}
	atomic_thread_fence(memory_order_acquire);
	memcpy(ch->fetch, ptr, want);
	ch->fetch_at = 0;
	ch->fetch_count = want / sizeof(struct event_descriptor);
	ch->fetched += ch->fetch_count;
	ch->n.descriptors += ch->fetch_count;
	return CARD_DMA_OK;
}

/* Push the next descriptor into its FIFO. False: it must wait. */
static bool place(struct event_channel *ch)
{
	const struct event_descriptor *d = &ch->fetch[ch->fetch_at];
	uint32_t number = ch->fetched - ch->fetch_count;
	unsigned int link = le16toh(d->link);
	enum event_put how = EVENT_PUT_BAD;
	struct event_card *e = ch->card;

	if (done_full(ch))
		return false;
	/* A length of 0 is as invalid as unknown flags. */
	if (link < e->ops->links)
		how = e->ops->put(e->model, ch->nr, link, le64toh(d->address),
				  d->flags ? 0 : le32toh(d->length), number);
	if (how == EVENT_PUT_FULL) {
		ch->n.waits += !ch->waiting;
		ch->waiting = true;
		return false;
	}
	if (how == EVENT_PUT_BAD) {
		ch->n.refused++;
		push_done(ch, &(struct event_done){.number = number,
						   .status = EVENT_RECORD_REFUSED |
							     EVENT_RECORD_LINK(link)});
	}
	ch->waiting = false;
	ch->fetch_at++;
	ch->fetch_count--;
	return true;
}

static bool fetch_turn(struct event_channel *ch)
{
	bool any = false;

	while (!ch->ending) {
		while (ch->fetch_count) {
			if (!place(ch))
				return any;
			any = true;
		}
		if (ch->fetch_error || ch->fetched == ch->published || fetch(ch) != CARD_DMA_OK)
			break;
	}
	return any;
}

/* @number determines the phase; a fault makes it differ from @sequence. */
static enum card_dma put_record(struct event_channel *ch, const struct event_done *d,
				uint32_t number, uint32_t sequence)
{
	struct event_card *e = ch->card;
	uint32_t slot = ch->written & (entries(ch->record_log2) - 1);
	uint32_t word[4] = {htole32(sequence), htole32(d->number), htole32(d->bytes)};

	word[3] = htole32(d->status | EVENT_PHASE(number, ch->record_log2));
	return put_words(e, ch->record + (uint64_t)slot * sizeof(struct event_record), word, 4);
}

static bool has_space(const struct event_channel *ch)
{
	return ch->written - ch->consumed < entries(ch->record_log2);
}

static void wrote(struct event_channel *ch, const struct event_done *d)
{
	ch->written++;
	ch->n.records++;
	if (!(d->status & URGENT))
		return;
	ch->urgent = ch->written;
	ch->has_urgent = true;
}

/* Use a counted fault once: does it apply now? */
static bool fault_take(uint64_t *fault)
{
	if (!*fault)
		return false;
	--*fault;
	return true;
}

/* Apply the faults to the record. The card's own counts of the superpage stay right. */
static struct event_done spoiled(struct event_faults *f, const struct event_done *done)
{
	struct event_done d = *done;

	if (d.status & (EVENT_RECORD_END | EVENT_RECORD_REFUSED))
		return d;
	if (fault_take(&f->damaged))
		d.status |= EVENT_RECORD_DAMAGED;
	if (fault_take(&f->empty)) {
		d.bytes = 0;
	} else if (f->short_bytes) {
		d.bytes -= f->short_bytes < d.bytes ? f->short_bytes : d.bytes;
		d.status &= ~EVENT_RECORD_PARTIAL;
		f->short_bytes = 0;
	}
	return d;
}

/* Count a record without writing its place in the ring. */
static bool skipped(struct event_faults *f, const struct event_done *d)
{
	return fault_take(&f->record_hole) ||
	       (d->status & EVENT_RECORD_FLUSHED && fault_take(&f->flushed_missing));
}

/* Write one record, with faults applied. */
static enum card_dma write_record(struct event_channel *ch)
{
	struct event_card *e = ch->card;
	struct event_faults *f = &e->fault, kept = *f;
	struct event_done done = ch->done[ch->done_at], d = spoiled(f, &done);
	uint32_t number = ch->written + (f->record_overrun << ch->record_log2);
	enum card_dma how;

	if (skipped(f, &d)) {
		wrote(ch, &d);
	} else if (!(d.status & EVENT_RECORD_END && fault_take(&f->end_missing))) {
		how = put_record(ch, &d, number, number + f->record_sequence);
		if (how == CARD_DMA_NO_MASTER) {
			*f = kept; /* it is written later, and the faults apply then */
			return how;
		}
		f->record_sequence = 0;
		f->record_overrun = 0;
		wrote(ch, &d);
	}
	ch->done_at = (ch->done_at + 1) % ch->capacity;
	ch->done_count--;
	if (d.status & EVENT_RECORD_END) {
		ch->ended = true;
		ch->n.ends++;
	} else if (!(d.status & EVENT_RECORD_REFUSED)) {
		e->ops->counted(e->model, ch->nr, &done);
	}
	if (f->record_twice && has_space(ch) &&
	    put_record(ch, &d, ch->written, ch->written) == CARD_DMA_OK) {
		f->record_twice--;
		wrote(ch, &d);
	}
	return CARD_DMA_OK;
}

static uint64_t record_turn(struct event_channel *ch, uint64_t now)
{
	bool stalled = false;
	uint64_t when = CARD_STEP_IDLE;

	while (ch->done_count) {
		if (ch->done[ch->done_at].due_ns > now) {
			when = ch->done[ch->done_at].due_ns;
			break;
		}
		stalled = !has_space(ch);
		if (stalled || write_record(ch) == CARD_DMA_NO_MASTER)
			break;
	}
	if (stalled && !ch->stalled) {
		ch->n.stalls++;
		event_cause(ch->card, FUNCTION_CAUSE_STALL);
	}
	ch->stalled = stalled;
	return when;
}

/* False: bus mastering is off, try again later. */
static bool send_interrupt(struct event_channel *ch, uint64_t now)
{
	struct event_card *e = ch->card;

	if (e->fault.irq_lost) {
		e->fault.irq_lost--;
	} else {
		switch (e->host->message(e->host->ctx, e->fn, ch->vector)) {
		case CARD_MESSAGE_NO_MASTER:
			return false;
		case CARD_MESSAGE_OFF:
			ch->n.unrouted++;
			break;
		case CARD_MESSAGE_SENT:
			ch->n.interrupts++;
			break;
		}
	}
	ch->armed = false;
	ch->interrupted = true;
	ch->interrupt_ns = now;
	return true;
}

static bool urgent_pending(const struct event_channel *ch)
{
	return ch->has_urgent && (int32_t)(ch->urgent - ch->consumed) > 0;
}

bool event_interrupt_to_come(const struct event_channel *ch)
{
	return ch->armed && ch->vector != FUNCTION_VECTOR_NONE && ch->written != ch->consumed;
}

static uint64_t interrupt_turn(struct event_channel *ch, uint64_t now)
{
	uint64_t due = ch->interrupt_ns + EVENT_MODERATION_US(ch->moderation) * US;
	uint32_t count = EVENT_MODERATION_COUNT(ch->moderation);

	if (!event_interrupt_to_come(ch))
		return CARD_STEP_IDLE;
	if (ch->written - ch->consumed < count && ch->interrupted && due > now &&
	    !urgent_pending(ch))
		return due;
	send_interrupt(ch, now);
	return CARD_STEP_IDLE;
}

static uint64_t spurious_turn(struct event_card *e, uint64_t now)
{
	struct event_faults *f = &e->fault;
	unsigned int c;

	if (!f->spurious_now && (!f->irq_spurious_ms || f->spurious_ns > now))
		return f->irq_spurious_ms ? f->spurious_ns : CARD_STEP_IDLE;
	for (c = 0; c < e->channels; c++) {
		struct event_channel *ch = &e->ch[c];

		if (event_enabled(e, c) && ch->vector != FUNCTION_VECTOR_NONE &&
		    e->host->message(e->host->ctx, e->fn, ch->vector) == CARD_MESSAGE_SENT)
			ch->n.interrupts++;
	}
	f->spurious_now = false;
	f->spurious_ns = now + f->irq_spurious_ms * MS;
	return f->irq_spurious_ms ? f->spurious_ns : CARD_STEP_IDLE;
}

static void alarm_turn(struct event_card *e)
{
	uint32_t value = e->cause & e->enable;

	if (value != e->reported)
		e->notice_due = true;
	e->reported = value;
	if (e->notice_due && e->notice) {
		uint32_t word = htole32(value);

		if (put_words(e, e->notice, &word, 1) == CARD_DMA_NO_MASTER)
			return;
	}
	e->notice_due = false;
	if (!e->interrupt_due || e->vector == FUNCTION_VECTOR_NONE)
		return;
	switch (e->host->message(e->host->ctx, e->fn, e->vector)) {
	case CARD_MESSAGE_NO_MASTER:
		return;
	case CARD_MESSAGE_SENT:
		e->alarms++;
		break;
	case CARD_MESSAGE_OFF:
		break;
	}
	e->interrupt_due = false;
}

uint64_t event_turn(struct event_card *e, uint64_t now, bool *fetched)
{
	uint64_t soonest, when;
	unsigned int c;

	*fetched = false;
	if (!e->setup->offered)
		return CARD_STEP_IDLE;
	soonest = spurious_turn(e, now);
	for (c = 0; c < e->channels; c++) {
		struct event_channel *ch = &e->ch[c];

		if (!event_enabled(e, c))
			continue;
		*fetched |= fetch_turn(ch);
		when = record_turn(ch, now);
		soonest = when < soonest ? when : soonest;
		when = interrupt_turn(ch, now);
		soonest = when < soonest ? when : soonest;
	}
	alarm_turn(e);
	return soonest;
}

bool event_backpressure(const struct event_card *e, unsigned int channel)
{
	const struct event_channel *ch = &e->ch[channel];

	return event_enabled(e, channel) && (ch->ending || ch->stalled || done_full(ch));
}

void event_finish(struct event_card *e, unsigned int channel, const struct event_done *d)
{
	push_done(&e->ch[channel], d);
}

void event_flush(struct event_card *e, unsigned int channel)
{
	struct event_channel *ch = &e->ch[channel];

	if (!event_enabled(e, channel) || ch->ending)
		return;
	ch->ending = true;
	push_done(ch, &(struct event_done){.number = ch->fetched, .status = EVENT_RECORD_END});
}

void event_pushed(struct event_card *e, unsigned int channel)
{
	event_host_error(&e->ch[channel]);
}

bool event_quiesced(const struct event_channel *ch)
{
	const struct event_card *e = ch->card;

	if (e->fault.never_quiesced)
		return false;
	if (!event_enabled(e, ch->nr))
		return now_ns(e) >= ch->quiesced_ns;
	if (ch->done_count || event_interrupt_to_come(ch))
		return false;
	if (ch->ending)
		return true;
	if (ch->fetch_count || (ch->fetched != ch->published && !ch->fetch_error))
		return false;
	return !e->ops->has_descriptors(e->model, ch->nr);
}

/* Temperature alarms are re-armed only after the temperature was some degrees lower. */
static uint32_t crossed(bool *above, int temperature, int limit)
{
	bool was = *above;

	if (was)
		limit -= FUNCTION_TEMPERATURE_HYSTERESIS;
	*above = temperature > 1000 * limit;
	return *above && !was;
}

void event_observe(struct event_card *e, int temperature, uint32_t links_up)
{
	if (!e->setup->offered)
		return;
	if (temperature != INT_MIN) {
		if (crossed(&e->hot, temperature, FUNCTION_TEMPERATURE_HIGH))
			event_cause(e, FUNCTION_CAUSE_TEMPERATURE);
		if (crossed(&e->critical, temperature, FUNCTION_TEMPERATURE_CRITICAL))
			event_cause(e, FUNCTION_CAUSE_CRITICAL);
	}
	if (e->links_known && e->links != links_up)
		event_cause(e, FUNCTION_CAUSE_LINK);
	e->links = links_up;
	e->links_known = true;
}
