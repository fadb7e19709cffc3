// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event interface: creation, the registers of the channels' and the function's blocks, and
 * enabling, disabling and reset.
 */
#include "events.h"

#include <stdlib.h>
#include <string.h>

static uint64_t join(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static bool size_ok(uint32_t log2)
{
	return log2 >= EVENT_RING_MIN && log2 <= EVENT_RING_MAX;
}

static bool setup_ok(const struct event_channel *ch)
{
	const struct event_card *e = ch->card;
	uint64_t submit = join(ch->submit_high, ch->submit_low);
	uint64_t record = join(ch->record_high, ch->record_low);

	return ch->written_bases == 0xf && size_ok(ch->submit_size) && size_ok(ch->record_size) &&
	       !(submit % (sizeof(struct event_descriptor) << ch->submit_size)) &&
	       !(record % (sizeof(struct event_record) << ch->record_size)) &&
	       !e->ops->has_descriptors(e->model, ch->nr);
}

/* Clear the state of the last run: counts, rings, errors. */
static void restart(struct event_channel *ch)
{
	ch->submit = join(ch->submit_high, ch->submit_low);
	ch->record = join(ch->record_high, ch->record_low);
	ch->submit_log2 = ch->submit_size;
	ch->record_log2 = ch->record_size;
	ch->published = 0;
	ch->fetched = 0;
	ch->written = 0;
	ch->consumed = 0;
	ch->has_urgent = false;
	ch->armed = false;
	ch->ending = false;
	ch->ended = false;
	ch->stalled = false;
	ch->waiting = false;
	ch->interrupted = false;
	ch->fetch_count = 0;
	ch->done_count = 0;
	ch->setup_error = false;
	ch->fetch_error = false;
	ch->host_error = false;
}

static void enable(struct event_channel *ch)
{
	bool ok = setup_ok(ch);

	restart(ch);
	if (ok) {
		ch->control = EVENT_CONTROL_ENABLE;
		return;
	}
	ch->setup_error = true;
	event_cause(ch->card, FUNCTION_CAUSE_HOST);
}

static void disable(struct event_channel *ch)
{
	struct event_card *e = ch->card;

	if (!(ch->control & EVENT_CONTROL_ENABLE))
		return;
	ch->control = 0;
	ch->written_bases = 0;
	ch->armed = false;
	ch->stalled = false;
	ch->ended = false;
	ch->fetch_count = 0;
	ch->done_count = 0;
	ch->quiesced_ns = e->host->now(e->host->ctx) + e->fault.quiesced_late_us * 1000;
	e->ops->drop_all(e->model, ch->nr);
}

void event_reset(struct event_card *e, unsigned int channel)
{
	struct event_channel *ch = &e->ch[channel];

	disable(ch);
	ch->submit_low = 0;
	ch->submit_high = 0;
	ch->record_low = 0;
	ch->record_high = 0;
	ch->submit_size = 0;
	ch->record_size = 0;
	ch->written_bases = 0;
	restart(ch);
	ch->moderation = 0;
	ch->vector = channel + 1 < e->setup->vectors ? channel + 1 : 0;
}

void event_reset_all(struct event_card *e)
{
	unsigned int c;

	for (c = 0; c < e->channels; c++)
		event_reset(e, c);
	e->cause = 0;
	e->enable = 0;
	e->vector = 0;
	e->notice_low = 0;
	e->notice = 0;
	e->reported = 0;
	e->notice_due = false;
	e->interrupt_due = false;
	e->hot = false;
	e->critical = false;
	e->links_known = false;
}

int event_init(struct event_card *e, const struct card_host *host, unsigned int fn,
	       unsigned int channels, uint32_t capacity)
{
	unsigned int c;

	e->host = host;
	e->fn = fn;
	e->channels = channels;
	for (c = 0; c < channels; c++) {
		struct event_channel *ch = &e->ch[c];

		ch->card = e;
		ch->nr = c;
		ch->capacity = capacity + e->ops->links + EVENT_FETCH + 2;
		ch->done = calloc(ch->capacity, sizeof(*ch->done));
		if (!ch->done)
			return -1;
	}
	event_reset_all(e);
	return 0;
}

void event_free(struct event_card *e)
{
	unsigned int c;

	for (c = 0; c < EVENT_CHANNELS; c++)
		free(e->ch[c].done);
}

static uint32_t status(const struct event_channel *ch)
{
	uint32_t s = 0;

	s |= ch->control & EVENT_CONTROL_ENABLE ? EVENT_STATUS_ENABLED : 0;
	s |= event_quiesced(ch) ? EVENT_STATUS_QUIET : 0;
	s |= ch->stalled ? EVENT_STATUS_STALLED : 0;
	s |= ch->ended ? EVENT_STATUS_ENDED : 0;
	s |= ch->armed ? EVENT_STATUS_ARMED : 0;
	s |= ch->setup_error ? EVENT_STATUS_SETUP_ERROR : 0;
	s |= ch->fetch_error ? EVENT_STATUS_FETCH_ERROR : 0;
	s |= ch->host_error ? EVENT_STATUS_HOST_ERROR : 0;
	return s;
}

static void ring_doorbell(struct event_channel *ch, uint32_t value)
{
	uint32_t ahead = value - ch->fetched;

	ch->n.doorbells++;
	if (!(ch->control & EVENT_CONTROL_ENABLE) || ch->ending)
		return;
	if (ahead > 1u << ch->submit_log2 || ahead < ch->published - ch->fetched)
		event_host_error(ch);
	else
		ch->published = value;
}

static bool consume(struct event_channel *ch, uint32_t value)
{
	if (!(ch->control & EVENT_CONTROL_ENABLE))
		return false;
	if (value - ch->consumed > ch->written - ch->consumed) {
		event_host_error(ch);
		return false;
	}
	ch->consumed = value;
	return true;
}

static void write_base(struct event_channel *ch, uint32_t *half, unsigned int bit, uint32_t value)
{
	*half = value;
	ch->written_bases |= 1u << bit;
}

static void write_channel(struct event_channel *ch, uint32_t off, uint32_t value)
{
	bool on = ch->control & EVENT_CONTROL_ENABLE;

	switch (off) {
	case EVENT_CONTROL:
		if (value & EVENT_CONTROL_ENABLE && !on)
			enable(ch);
		else if (!(value & EVENT_CONTROL_ENABLE))
			disable(ch);
		break;
	case EVENT_SUBMIT_LOW:
		write_base(ch, &ch->submit_low, 0, value);
		break;
	case EVENT_SUBMIT_HIGH:
		write_base(ch, &ch->submit_high, 1, value);
		break;
	case EVENT_SUBMIT_SIZE:
		ch->submit_size = value;
		break;
	case EVENT_DOORBELL:
		ring_doorbell(ch, value);
		break;
	case EVENT_RECORD_LOW:
		write_base(ch, &ch->record_low, 2, value);
		break;
	case EVENT_RECORD_HIGH:
		write_base(ch, &ch->record_high, 3, value);
		break;
	case EVENT_RECORD_SIZE:
		ch->record_size = value;
		break;
	case EVENT_ARM:
		ch->n.arms++;
		if (consume(ch, value))
			ch->armed = true;
		break;
	case EVENT_CONSUMED:
		consume(ch, value);
		break;
	case EVENT_MODERATION:
		ch->moderation = value;
		break;
	case EVENT_VECTOR:
		ch->vector = value & 0xffff;
		break;
	}
}

static uint32_t read_channel(const struct event_channel *ch, uint32_t off)
{
	const struct event_card *e = ch->card;

	switch (off) {
	case EVENT_ID:
		return (uint32_t)EVENT_ID_CHANNEL << 16 | EVENT_VSEC_REVISION << 8 | ch->nr;
	case EVENT_CONTROL:
		return ch->control;
	case EVENT_STATUS:
		return status(ch);
	case EVENT_LIMITS:
		return e->ops->links << 16 | e->ops->depth(e->model, ch->nr);
	case EVENT_SUBMIT_SIZE:
		return ch->submit_size;
	case EVENT_DOORBELL:
		return ch->published;
	case EVENT_RECORD_SIZE:
		return ch->record_size;
	case EVENT_ARM:
	case EVENT_CONSUMED:
		return ch->consumed;
	case EVENT_MODERATION:
		return ch->moderation;
	case EVENT_VECTOR:
		return ch->vector;
	case EVENT_WRITTEN:
		return ch->written;
	}
	return 0;
}

static uint32_t channels_in_trouble(const struct event_card *e)
{
	uint32_t mask = 0;
	unsigned int c;

	for (c = 0; c < e->channels; c++) {
		const struct event_channel *ch = &e->ch[c];

		if (ch->stalled || ch->setup_error || ch->fetch_error || ch->host_error)
			mask |= 1u << c;
	}
	return mask;
}

static uint32_t read_card(const struct event_card *e, uint32_t off)
{
	switch (off) {
	case FUNCTION_ID:
		return (uint32_t)EVENT_ID_CARD << 16 | EVENT_VSEC_REVISION << 8 | e->channels;
	case FUNCTION_CAUSE:
		return e->cause;
	case FUNCTION_ENABLE:
		return e->enable;
	case FUNCTION_VECTOR:
		return e->vector;
	case FUNCTION_CHANNELS:
		return channels_in_trouble(e);
	}
	return 0;
}

static void write_card(struct event_card *e, uint32_t off, uint32_t value)
{
	switch (off) {
	case FUNCTION_CAUSE:
		e->cause &= ~value;
		e->interrupt_due = e->cause & e->enable;
		break;
	case FUNCTION_ENABLE:
		e->enable = value & EVENT_CAUSE_ALL;
		e->interrupt_due = e->cause & e->enable;
		break;
	case FUNCTION_VECTOR:
		e->vector = value & 0xffff;
		break;
	case FUNCTION_NOTICE_LOW:
		e->notice_low = value;
		break;
	case FUNCTION_NOTICE_HIGH:
		e->notice = join(value, e->notice_low);
		e->notice_due = true;
		break;
	}
}

static bool in_card(const struct event_card *e, unsigned int bar, uint32_t off)
{
	return bar == e->setup->bar && off - e->setup->card_offset < EVENT_CARD_SIZE;
}

/* The channel whose block this is, or NULL. */
static struct event_channel *in_channel(const struct event_card *e, unsigned int bar, uint32_t off)
{
	const struct event_setup *s = e->setup;
	unsigned int c = s->bar_stride ? (bar - s->bar) / s->bar_stride : 0;

	if (off - s->channel_offset >= EVENT_CHANNEL_SIZE || bar != s->bar + c * s->bar_stride ||
	    c >= e->channels)
		return NULL;
	return (struct event_channel *)&e->ch[c];
}

bool event_find(const struct event_card *e, unsigned int bar, uint32_t off)
{
	return e->setup->offered && (in_card(e, bar, off) || in_channel(e, bar, off));
}

uint32_t event_read(struct event_card *e, unsigned int bar, uint32_t off)
{
	if (in_card(e, bar, off))
		return read_card(e, off - e->setup->card_offset);
	return read_channel(in_channel(e, bar, off), off - e->setup->channel_offset);
}

void event_write(struct event_card *e, unsigned int bar, uint32_t off, uint32_t value)
{
	bool fetched;

	if (in_card(e, bar, off))
		write_card(e, off - e->setup->card_offset, value);
	else
		write_channel(in_channel(e, bar, off), off - e->setup->channel_offset, value);
	event_turn(e, e->host->now(e->host->ctx), &fetched);
}
