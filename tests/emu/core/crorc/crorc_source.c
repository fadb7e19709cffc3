// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packet sources of a C-RORC channel, and their pace.
 *
 * Generator and front end send the same kind of stream: orbits of `packets-per-orbit` packets, time
 * frames of as many orbits as the configuration says, counted from the stream's first one. Without
 * a superpage the source is stopped (XOFF), so no packet is ever dropped.
 */
#include "crorc.h"

#define NS 1000000000ull
#define PACE_CATCH_UP_NS 10000000 /* lost time beyond this is not made up for */
#define PACE_GRAIN_NS 200000 /* shorter intervals are sent as bursts, because a wake-up costs */
#define FLIP_MIN 16	     /* payload in which a bit can be wrong */

static uint32_t tf_length(const struct crorc_channel *ch)
{
	return ch->card->config_b & CRORC_CONFIG_B_LENGTH;
}

static void start(struct crorc_channel *ch)
{
	struct crorc_source *s = &ch->source;

	s->started = true;
	s->first = true;
	s->packet_counter = 0;
	s->payload = 0;
	s->orbit = ch->set.orbit;
	s->page = 0;
	s->tf_orbit = s->orbit;
	s->tf_id++;
	s->pace_ns = 0;
	ch->orbit_sor = s->orbit;
}

/*
 * Does data reach the channel now? It comes from the generator through any of three loops, else
 * from the front end.
 */
static bool flows(const struct crorc_channel *ch)
{
	bool generator = ch->generator & CRORC_GENERATOR_RUN;

	if (!ch->dma_on)
		return false;
	if (ch->loopback || ch->ddl.diu_loop)
		return generator;
	if (!crorc_link_up(ch))
		return false;
	return ch->ddl.siu_loop ? generator : ch->ddl.fee_open;
}

static bool pace(struct crorc_channel *ch, uint64_t now, uint64_t *when)
{
	uint64_t *at = &ch->source.pace_ns;

	if (!ch->set.rate)
		return true;
	if (!*at || *at + PACE_CATCH_UP_NS < now)
		*at = *at ? now - PACE_CATCH_UP_NS : now;
	if (*at <= now)
		return true;
	*when = *at;
	if (CRORC_PAGE_SIZE * NS / ch->set.rate < PACE_GRAIN_NS)
		*when += PACE_GRAIN_NS;
	return false;
}

static void xoff(struct crorc_channel *ch, uint64_t now)
{
	if (ch->xoff)
		return;
	ch->xoff = true;
	ch->xoff_since = now;
	ch->n.xoff++;
}

static void roll_second(struct crorc_channel *ch)
{
	uint64_t second = crorc_now(ch->card) / NS;

	if (second == ch->second)
		return;
	ch->rate_last = second == ch->second + 1 ? ch->rate_now : 0;
	ch->rate_now = 0;
	ch->second = second;
}

uint32_t crorc_source_rate(struct crorc_channel *ch)
{
	roll_second(ch);
	return ch->rate_last;
}

static uint32_t trigger(const struct crorc_channel *ch)
{
	const struct crorc_source *s = &ch->source;
	uint32_t t = RDH_TRIGGER_ORBIT | RDH_TRIGGER_HB;

	if (s->first)
		t |= RDH_TRIGGER_SOC;
	if (tf_length(ch) && s->orbit == s->tf_orbit && !s->page)
		t |= RDH_TRIGGER_TF;
	return t;
}

/* Describe the next packet without consuming it. Returns the bytes up to the packet after it. */
static uint32_t build(struct crorc_channel *ch, uint32_t *header, struct page *page)
{
	const struct crorc_source *s = &ch->source;
	uint32_t config = ch->card->config_a, step;
	struct rdh rdh = {
		.fee_id = ch->nr,
		.link = ch->nr,
		.packet_counter = s->packet_counter + crorc_fault_on(ch, CRORC_SKIP_PACKET),
		.card_id = (config & CRORC_CONFIG_A_ID) >> CRORC_CONFIG_A_ID_SHIFT,
		.orbit = s->orbit,
		.trigger = trigger(ch),
		.page = s->page,
		.stop = s->page + 1 >= ch->set.packets_per_orbit,
	};

	*page = (struct page){
		.header = header,
		.pattern = PATTERN_WORDS,
		.counter = s->payload,
		.payload = ch->set.packet,
	};
	page->flip = page->payload >= FLIP_MIN && crorc_fault_on(ch, CRORC_FLIP);
	rdh.bytes = page_bytes(page);
	step = config & CRORC_CONFIG_A_DYNAMIC ? rdh.bytes : CRORC_PAGE_SIZE;
	rdh.offset = crorc_fault_on(ch, CRORC_OFFSET_ZERO) ? 0 : step;
	rdh_build(header, &rdh);
	return step;
}

static void use_up(struct crorc_channel *ch, const struct page *page, uint32_t step)
{
	struct crorc_source *s = &ch->source;

	if (page->flip)
		crorc_fault_take(ch, CRORC_FLIP);
	crorc_fault_take(ch, CRORC_OFFSET_ZERO);
	s->packet_counter += crorc_fault_once(ch, CRORC_SKIP_PACKET) + 1;
	s->payload += page->payload / 4;
	s->first = false;
	if (ch->set.rate)
		s->pace_ns += step * NS / ch->set.rate;
	ch->n.generated++;
	ch->packets++;
	roll_second(ch);
	ch->rate_now++;
	if (++s->page < ch->set.packets_per_orbit)
		return;
	s->page = 0;
	s->orbit++;
	if (tf_length(ch) && s->orbit - s->tf_orbit >= tf_length(ch)) {
		s->tf_orbit = s->orbit;
		s->tf_id++;
	}
}

/* If time frames are detected, a new one needs a new superpage. The fault skips one such switch. */
static bool frame_ended(struct crorc_channel *ch)
{
	if (!(ch->card->config_b & CRORC_CONFIG_B_DETECT) || !ch->used ||
	    ch->cur_tf == ch->source.tf_id)
		return false;
	if (!crorc_fault_take(ch, CRORC_BAD_TF))
		return true;
	ch->cur_tf = ch->source.tf_id;
	return false;
}

/* Send one packet. Returns its bytes, or 0 with *when set to the time of the next try. */
static uint32_t send(struct crorc_channel *ch, uint64_t now, uint64_t *when)
{
	uint32_t header[RDH_BYTES / 4], step;
	struct page page;

	*when = CARD_STEP_IDLE;
	if (!flows(ch) || crorc_fault_on(ch, CRORC_STALL) ||
	    event_backpressure(&ch->card->events, ch->nr))
		return 0;
	if (!ch->source.started)
		start(ch);
	if (ch->open && frame_ended(ch))
		crorc_channel_close(ch, now);
	if (!ch->open)
		crorc_events_next(ch);
	if (!ch->open) {
		xoff(ch, now);
		return 0;
	}
	crorc_channel_resume(ch);
	if (!pace(ch, now, when))
		return 0;
	step = build(ch, header, &page);
	if (!crorc_channel_put(ch, &page, step)) {
		*when = CARD_STEP_IDLE;
		return 0;
	}
	ch->cur_tf = ch->source.tf_id;
	use_up(ch, &page, step);
	if (ch->size - ch->used < CRORC_PAGE_SIZE)
		crorc_channel_close(ch, now);
	return step;
}

static uint64_t move(struct crorc *c, size_t budget)
{
	uint64_t now = crorc_now(c), soonest = CARD_STEP_IDLE, when;
	unsigned int idle = 0; /* channels in a row that sent nothing */
	size_t moved = 0;

	while (moved < budget && idle < CRORC_CHANNELS) {
		struct crorc_channel *ch = &c->ch[c->turn];
		uint32_t bytes = send(ch, now, &when);
		uint64_t due = crorc_channel_count_done(ch, now);

		c->turn = (c->turn + 1) % CRORC_CHANNELS;
		moved += bytes;
		idle = bytes ? 0 : idle + 1;
		if (due < soonest)
			soonest = due;
		if (when < soonest)
			soonest = when;
	}
	return idle < CRORC_CHANNELS ? CARD_STEP_AGAIN : soonest;
}

uint64_t crorc_step(struct crorc *c, size_t budget)
{
	uint64_t until, when;
	bool fetched;

	crorc_events_observe(c);
	event_turn(&c->events, crorc_now(c), &fetched);
	until = move(c, budget);
	/*
	 * Write records of superpages that were just finished, and use descriptors that were just
	 * fetched.
	 */
	when = event_turn(&c->events, crorc_now(c), &fetched);
	if (fetched || until == CARD_STEP_AGAIN)
		return CARD_STEP_AGAIN;
	return when < until ? when : until;
}
