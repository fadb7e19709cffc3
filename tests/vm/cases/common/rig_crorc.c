// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check a C-RORC channel's data: packets with a header whose counter increments, and a payload of
 * 32-bit words that count on from packet to packet. See rig.h.
 */
#include "rig.h"

#define RDH 64
#define TF_LENGTH 256 /* orbits, the card's default */
#define TRIGGER_START (1u << 7 | 1u << 9)

static void check_words(struct rig *r, struct rig_link *l, const uint32_t *p, uint32_t words)
{
	uint32_t i;

	for (i = 0; i < words; i++) {
		if (p[i] != l->word)
			find_wrong(&r->found, "channel %u: payload word %u: 0x%x, not 0x%x",
				   r->channel, i, p[i], l->word);
		l->word = p[i] + 1;
	}
}

static uint32_t tf_length(const struct rig *r)
{
	return r->tf_length ? r->tf_length : TF_LENGTH;
}

/* A run begins with a first packet of its own, so data of the previous run are detected. */
static void check_start(struct rig *r, struct rig_link *l, bool start, uint32_t orbit)
{
	if (start == l->started)
		find_wrong(&r->found, "channel %u: start of run %s", r->channel,
			   start ? "in the middle" : "is missing");
	l->started = true;
	if (start)
		l->tf = orbit + tf_length(r);
}

static void check_time_frame(struct rig *r, struct rig_link *l, uint32_t orbit, uint32_t at)
{
	if ((int32_t)(orbit - l->tf) < 0)
		return;
	if (at)
		find_wrong(&r->found, "channel %u: a time frame starts at byte %u", r->channel, at);
	while ((int32_t)(orbit - l->tf) >= 0)
		l->tf += tf_length(r);
}

void rig_check_crorc(struct rig *r, const struct roc_ready *e, const uint8_t *data)
{
	struct rig_link *l = &r->link[0];
	uint32_t at = 0;

	if (e->link)
		find_wrong(&r->found, "channel %u: link slot %d", r->channel, e->link);
	while (at < e->received) {
		const uint32_t *h = (const uint32_t *)(data + at);
		uint32_t step = h[2] & 0xffff, size = h[2] >> 16;

		if (e->received - at < RDH || (h[0] >> 8 & 0xff) != RDH || step < RDH ||
		    size < RDH || size > step || step > e->received - at) {
			find_wrong(&r->found,
				   "channel %u: no header at byte %u of %u: %08x %08x %08x",
				   r->channel, at, e->received, h[0], h[1], h[2]);
			return;
		}
		check_start(r, l, h[8] & TRIGGER_START, h[5]);
		if ((uint8_t)(h[3] >> 8) != l->packet)
			find_wrong(&r->found, "channel %u: packet %u, not %u", r->channel,
				   h[3] >> 8 & 0xff, l->packet);
		check_time_frame(r, l, h[5], at);
		l->packet = (h[3] >> 8) + 1;
		check_words(r, l, (const uint32_t *)(data + at + RDH), (size - RDH) / 4);
		l->packets++;
		r->packets++;
		at += step;
	}
}
