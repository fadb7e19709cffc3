// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event interface of the C-RORC: six channels with one link slot each. With it a channel queues
 * CRORC_EVENT_DEPTH superpages instead of one.
 */
#include "crorc.h"

#include <limits.h>

#define CAPACITY 1024 /* finished superpages without a record */

static unsigned int queued(const struct crorc_channel *ch)
{
	return ch->fifo_count + ch->open;
}

static enum event_put put(void *model, unsigned int channel, unsigned int link, uint64_t addr,
			  uint32_t bytes, uint32_t number)
{
	struct crorc_channel *ch = &((struct crorc *)model)->ch[channel];

	if (!bytes || bytes > CRORC_SUPERPAGE_MAX || bytes % CRORC_SUPERPAGE_ALIGN || addr % 4)
		return queued(ch) || ch->closing ? EVENT_PUT_FULL : EVENT_PUT_BAD;
	if (queued(ch) == CRORC_EVENT_DEPTH)
		return EVENT_PUT_FULL;
	ch->fifo[(ch->fifo_head + ch->fifo_count++) % CRORC_EVENT_DEPTH] =
		(struct crorc_desc){.addr = addr, .size = bytes, .number = number};
	return EVENT_PUT_TAKEN;
}

static bool has_descriptors(void *model, unsigned int channel)
{
	const struct crorc_channel *ch = &((struct crorc *)model)->ch[channel];

	return queued(ch) || ch->closing;
}

void crorc_events_drop_all(struct crorc_channel *ch)
{
	/* Count packets that were written and will never be completed as discarded. */
	if (ch->open)
		ch->n.discarded += ch->cur_packets;
	if (ch->closing)
		ch->n.discarded += ch->done_packets;
	ch->n.discarded += ch->unrecorded;
	ch->unrecorded = 0;
	ch->fifo_count = 0;
	ch->open = false;
	ch->closing = false;
	ch->used = 0;
	ch->cur_packets = 0;
}

static void drop_all(void *model, unsigned int channel)
{
	crorc_events_drop_all(&((struct crorc *)model)->ch[channel]);
}

static void counted(void *model, unsigned int channel, const struct event_done *d)
{
	struct crorc_channel *ch = &((struct crorc *)model)->ch[channel];

	ch->unrecorded -= d->packets;
	ch->n.superpages++;
	ch->n.bytes += d->bytes;
	ch->n.packets += d->packets;
}

static uint32_t depth(void *model, unsigned int channel)
{
	return CRORC_EVENT_DEPTH;
}

static const struct event_ops ops = {
	.links = 1,
	.put = put,
	.has_descriptors = has_descriptors,
	.drop_all = drop_all,
	.counted = counted,
	.depth = depth,
};

void crorc_events_next(struct crorc_channel *ch)
{
	const struct crorc_desc *d = &ch->fifo[ch->fifo_head];

	if (!ch->fifo_count)
		return;
	ch->open = true;
	ch->addr = d->addr;
	ch->size = d->size;
	ch->number = d->number;
	ch->used = 0;
	ch->cur_packets = 0;
	ch->fifo_head = (ch->fifo_head + 1) % CRORC_EVENT_DEPTH;
	ch->fifo_count--;
}

void crorc_events_close(struct crorc_channel *ch, uint32_t bytes, uint64_t due, bool flush)
{
	uint32_t status = 0;

	if (ch->used < ch->size)
		status |= EVENT_RECORD_PARTIAL;
	if (flush)
		status |= EVENT_RECORD_FLUSHED;
	ch->open = false;
	ch->unrecorded += ch->cur_packets;
	event_finish(&ch->card->events, ch->nr,
		     &(struct event_done){.due_ns = due,
					  .number = ch->number,
					  .bytes = bytes,
					  .status = status,
					  .packets = ch->cur_packets});
}

/* The card has no temperature sensor. It reports only link states. */
void crorc_events_observe(struct crorc *c)
{
	uint32_t up = 0;
	unsigned int i;

	for (i = 0; i < CRORC_CHANNELS; i++)
		up |= (uint32_t)crorc_link_up(&c->ch[i]) << i;
	event_observe(&c->events, INT_MIN, up);
}

bool crorc_events_read(struct crorc *c, unsigned int bar, uint32_t off, uint32_t *value)
{
	if (!event_find(&c->events, bar, off))
		return false;
	*value = event_read(&c->events, bar, off);
	return true;
}

bool crorc_events_write(struct crorc *c, unsigned int bar, uint32_t off, uint32_t value)
{
	bool control = off == c->event_setup.channel_offset + EVENT_CONTROL;

	if (!event_find(&c->events, bar, off))
		return false;
	/* With the fault reset-ignored, this path must not stop the channel either. */
	if (!(control && crorc_fault_on(&c->ch[bar], CRORC_RESET_IGNORED)))
		event_write(&c->events, bar, off, value);
	return true;
}

void crorc_events_setup(struct event_setup *s)
{
	*s = (struct event_setup){
		.vectors = 8,
		.bar = CRORC_BAR_CARD,
		.channel_offset = 0x800,
		.bar_stride = 1,
		.card_offset = 0x880,
		.table_offset = 0xc00,
		.pending_offset = 0xe00,
	};
}

int crorc_events_init(struct crorc *c)
{
	c->events.ops = &ops;
	c->events.model = c;
	c->events.setup = &c->event_setup;
	return event_init(&c->events, c->host, CRORC_FN, CRORC_CHANNELS, CAPACITY);
}
