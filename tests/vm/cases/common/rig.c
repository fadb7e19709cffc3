// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader of a pool for tests. See rig.h. Its checks follow the card's documentation, not the
 * emulated card.
 */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu.h"
#include "limit.h"
#include "node.h"

#define POISON 0xdb
#define RDH 64
#define PAGE 8192
#define TF_LENGTH 256 /* orbits, the card's default */
#define TRIGGER_SOC (1u << 9)
#define TRIGGER_TF (1u << 11)
#define MIB (1u << 20)

static bool lib(struct rig *r, int ret, const char *what)
{
	if (ret >= 0)
		return true;
	find_wrong(&r->found, "%s: %d: %s", what, ret, roc_error());
	return false;
}

int rig_fd(const struct rig *r)
{
	return roc_channel_fd(r->ch);
}

unsigned int rig_missing(const struct rig *r)
{
	/* The other superpages are still in the fill ring. */
	return r->out - (r->rings->fill_prod - r->rings->kernel->fill_cons);
}

bool rig_open(struct rig *r)
{
	struct roc_channel_config config = {
		.source = r->source, .mode = r->mode, .links = r->links, .flags = r->configure};
	struct roc_card card;
	size_t length;

	/* By default the reader sleeps, and the card's events wake it. */
	if (r->mode == ROC_MODE_TIMER && !r->by_timer && has_events(r->id))
		r->mode = config.mode = ROC_MODE_EVENT;
	r->superpage = r->superpage ? r->superpage : MIB;
	r->count = r->count ? r->count : 16;
	memset(r->lent, 0, sizeof(r->lent));
	r->out = 0;
	r->pushed = 0;
	r->sequence = 0;
	r->run = 0;
	length = ((size_t)r->superpage * r->count + PAGE / 2 - 1) / (PAGE / 2) * (PAGE / 2);
	if (!lib(r, roc_find(r->id, &card), "find") ||
	    !lib(r, roc_channel_open(r->id, r->channel, &r->ch), "open"))
		return false;
	r->crorc = card.type == ROC_CARD_CRORC;
	r->base = r->memory;
	if (!r->base) {
		if (!lib(r, roc_memory_alloc(length, -1, 0, &r->own), "memory"))
			goto close;
		r->base = r->own.addr;
	}
	if (!lib(r,
		 r->import ? roc_buffer_import(r->ch, r->dmabuf, r->dmabuf_offset, length,
					       r->superpage, &r->handle)
			   : roc_buffer_register(r->ch, r->base, length, r->superpage, &r->handle),
		 r->import ? "import" : "register") ||
	    !lib(r, roc_channel_configure(r->ch, &config), "configure") ||
	    !lib(r, roc_channel_rings(r->ch, r->ring, r->ring), "rings"))
		goto close;
	r->rings = roc_channel_ring(r->ch);
	return true;

close:
	rig_close(r);
	return false;
}

void rig_close(struct rig *r)
{
	roc_channel_close(r->ch);
	r->ch = NULL;
	r->rings = NULL;
	roc_memory_free(&r->own);
}

unsigned int rig_push(struct rig *r, unsigned int max)
{
	unsigned int i, n = 0;

	for (i = 0; i < r->count && n < max; i++) {
		struct roc_fill *fill;

		if (r->lent[i])
			continue;
		fill = roc_fill_next(r->rings);
		if (!fill)
			break;
		if (!r->no_poison)
			memset(r->base + (size_t)i * r->superpage, POISON, r->superpage);
		*fill = (struct roc_fill){
			.buffer = r->handle,
			.length = r->superpage,
			.offset = (uint64_t)i * r->superpage,
			.cookie = 0xc00c1e0000000000ull + i,
		};
		r->lent[i] = true;
		r->out++;
		r->pushed++;
		n++;
	}
	if (n && roc_fill_publish(r->rings))
		lib(r, roc_channel_kick(r->ch), "kick");
	return n;
}

bool rig_start(struct rig *r)
{
	memset(r->link, 0, sizeof(r->link));
	r->counter = 0;
	r->pause = r->took = 0;
	r->filled = r->reclaimed = r->refused = r->bytes = r->packets = r->partial = 0;
	r->run++;
	return lib(r, roc_channel_start(r->ch), "start");
}

/* All lanes of a 256-bit word are the counter, which starts at 0 and never jumps. */
static void check_internal(struct rig *r, const struct roc_ready *e, const uint8_t *data)
{
	const uint64_t *p = (const uint64_t *)data;
	uint32_t words = e->received / 32, i;

	if (e->received % 32)
		find_wrong(&r->found, "internal: %u bytes are no number of words", e->received);
	for (i = 0; i < words; i++, p += 4) {
		uint64_t want = (uint64_t)r->counter << 32 | r->counter;

		if ((p[0] ^ want) | (p[1] ^ want) | (p[2] ^ want) | (p[3] ^ want)) {
			find_wrong(&r->found,
				   "internal: byte %u of superpage %llu: 0x%llx, not 0x%llx",
				   i * 32, (unsigned long long)r->filled, (unsigned long long)p[0],
				   (unsigned long long)want);
			r->counter = p[0];
		}
		r->counter++;
	}
	r->packets += e->received / PAGE;
}

static void check_payload(struct rig *r, struct rig_link *l, const uint8_t *data, uint32_t bytes)
{
	const uint64_t *p = (const uint64_t *)data;
	uint32_t i;

	for (i = 0; i < bytes / 16; i++, p += 2) {
		uint64_t low = (uint64_t)l->word << 32 | l->word, high = l->word & 0xffff;

		if ((p[0] ^ low) | (p[1] ^ high)) {
			find_wrong(&r->found, "payload word %u: 0x%llx 0x%llx, not 0x%llx 0x%llx",
				   i, (unsigned long long)p[0], (unsigned long long)p[1],
				   (unsigned long long)low, (unsigned long long)high);
			l->word = p[0];
		}
		l->word++;
	}
}

static void check_packets(struct rig *r, const struct roc_ready *e, const uint8_t *data)
{
	struct rig_link *l = &r->link[e->link & (RIG_LINKS - 1)];
	uint32_t at = 0;

	while (at < e->received) {
		const uint32_t *h = (const uint32_t *)(data + at);
		uint32_t step = h[2] & 0xffff, size = h[2] >> 16, tf;

		if (e->received - at < RDH || (h[0] & 0xff) != 7 || (h[0] >> 8 & 0xff) != RDH ||
		    step < RDH || size < RDH || size > step || step > e->received - at) {
			find_wrong(&r->found, "link %d: no header at byte %u of %u: %08x %08x %08x",
				   e->link, at, e->received, h[0], h[1], h[2]);
			return;
		}
		if ((h[3] & 0xff) != (uint32_t)e->link)
			find_wrong(&r->found, "link %u in the header, %d in the entry", h[3] & 0xff,
				   e->link);
		if ((uint8_t)(h[3] >> 8) != l->packet)
			find_wrong(&r->found, "link %d: packet %u, not %u", e->link,
				   h[3] >> 8 & 0xff, l->packet);
		if (!l->started != !!(h[8] & TRIGGER_SOC))
			find_wrong(&r->found, "link %d: start of run %s", e->link,
				   l->started ? "in the middle" : "is missing");
		tf = h[5] / TF_LENGTH;
		if (l->started && tf != l->tf && at)
			find_wrong(&r->found, "link %d: a time frame starts at byte %u", e->link,
				   at);
		if (!!(h[8] & TRIGGER_TF) != (!l->started || tf != l->tf))
			find_wrong(&r->found, "link %d: time-frame bit at orbit %u", e->link, h[5]);
		l->started = true;
		l->tf = tf;
		l->packet = (h[3] >> 8) + 1;
		check_payload(r, l, data + at + RDH, size - RDH);
		l->packets++;
		r->packets++;
		at += step;
	}
}

/* Bytes behind the data length that the card reported must be unchanged. */
static void check_poison(struct rig *r, const struct roc_ready *e, const uint8_t *data)
{
	const uint64_t *p = (const uint64_t *)(data + e->received);
	const uint64_t *end = (const uint64_t *)(data + e->length);

	for (; p < end; p++) {
		if (*p == POISON * 0x0101010101010101ull)
			continue;
		find_wrong(&r->found, "byte %zu of a superpage with %u bytes was written",
			   (size_t)((const uint8_t *)p - data), e->received);
		return;
	}
}

static void take_filled(struct rig *r, const struct roc_ready *e)
{
	const uint8_t *data = r->base + e->offset;

	if (e->link < 0 || e->link >= RIG_LINKS || !e->received || e->received > e->length ||
	    e->reason || (e->flags & ~r->spoils) != ROC_READY_FILLED) {
		find_wrong(&r->found, "filled: link %d, %u of %u bytes, flags 0x%x, why %u",
			   e->link, e->received, e->length, e->flags, e->reason);
		return;
	}
	if (r->sizes_unknown)
		;
	else if (r->crorc)
		rig_check_crorc(r, e, data);
	else if (r->source == ROC_SOURCE_INTERNAL)
		check_internal(r, e, data);
	else
		check_packets(r, e, data);
	if (!r->no_poison)
		check_poison(r, e, data);
	r->filled++;
	r->bytes += e->received;
	r->partial += e->received < e->length;
	r->damaged += !!(e->flags & ROC_READY_DAMAGED);
	r->short_ += !!(e->flags & ROC_READY_SHORT);
	r->link[e->link].superpages++;
	r->link[e->link].bytes += e->received;
}

static void take_entry(struct rig *r, const struct roc_ready *e)
{
	uint64_t index = e->offset / r->superpage;

	if (e->sequence != r->sequence)
		find_wrong(&r->found, "entry %llu, not %llu", (unsigned long long)e->sequence,
			   (unsigned long long)r->sequence);
	r->sequence = e->sequence + 1;
	if (index >= r->count || !r->lent[index] || e->cookie != 0xc00c1e0000000000ull + index ||
	    e->buffer != r->handle || e->length != r->superpage || e->reserved ||
	    e->run != r->run) {
		find_wrong(&r->found,
			   "entry %llu is not ours: offset 0x%llx cookie 0x%llx run %u of %u",
			   (unsigned long long)e->sequence, (unsigned long long)e->offset,
			   (unsigned long long)e->cookie, e->run, r->run);
		return;
	}
	if (e->flags & ROC_READY_FILLED) {
		take_filled(r, e);
	} else {
		if (e->received)
			find_wrong(&r->found, "%u bytes in a superpage that was not filled",
				   e->received);
		r->reclaimed += !!(e->flags & ROC_READY_RECLAIMED);
		r->refused += !!(e->flags & ROC_READY_REFUSED);
		r->reason = e->reason;
	}
	r->lent[index] = false;
	r->out--;
}

unsigned int rig_take(struct rig *r, bool again)
{
	uint64_t before = r->filled, reclaimed = r->reclaimed, now = now_ns();
	const struct roc_ready *e;
	unsigned int n = 0;

	if (r->took && now - r->took > r->pause)
		r->pause = now - r->took;
	r->took = now;
	while (n < RIG_MAX && (e = roc_ready_peek(r->rings))) {
		take_entry(r, e);
		roc_ready_release(r->rings, 1);
		n++;
	}
	/*
	 * Not after the end of the run: a lost card that comes back may write into its old
	 * superpages.
	 */
	if (again && n && r->reclaimed == reclaimed)
		rig_push(r, RIG_MAX);
	return r->filled - before;
}

bool rig_run(struct rig *r, uint64_t n, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);

	while (r->filled < n) {
		int64_t left = end - now_ms();
		int ret;

		if (left <= 0) {
			find_wrong(&r->found, "%llu of %llu superpages in %u ms",
				   (unsigned long long)r->filled, (unsigned long long)n, ms);
			return false;
		}
		if (rig_take(r, true))
			continue;
		if (r->mode == ROC_MODE_BUSY)
			ret = roc_channel_poll(r->ch);
		else
			ret = roc_channel_wait(r->ch, 1, left < 100 ? left : 100);
		if (ret < 0 && ret != -ETIME && !lib(r, ret, "wait"))
			return false;
	}
	return !r->found.count;
}

int rig_wait(struct rig *r, uint32_t n, unsigned int ms)
{
	return roc_channel_wait(r->ch, n, patience_ms(ms));
}

void rig_wait_reported(struct rig *r)
{
	ch_info(rig_fd(r)); /* takes the channel's lock, under which the driver reports entries */
}

bool rig_stop(struct rig *r)
{
	if (!lib(r, roc_channel_stop(r->ch, NULL), "stop"))
		return false;
	rig_take(r, false);
	return true;
}

bool rig_once(struct rig *r, uint64_t n, unsigned int ms)
{
	if (!rig_open(r))
		return false;
	rig_push(r, RIG_MAX);
	if (!rig_start(r) || !rig_run(r, n, ms))
		return false;
	return rig_stop(r);
}

/* The card's counts: of a C-RORC's channel, or of a CRU's endpoint. */
static void card_counts(const struct rig *r, unsigned int card, unsigned int ep,
			uint64_t *superpages, uint64_t *bytes)
{
	if (r->crorc) {
		*superpages = emu_link_count(card, ep, r->channel, "superpages");
		*bytes = emu_link_count(card, ep, r->channel, "bytes");
	} else {
		*superpages = emu_count(card, ep, "superpages");
		*bytes = emu_count(card, ep, "bytes");
	}
}

bool rig_agrees(struct rig *r, unsigned int card, unsigned int ep)
{
	uint64_t superpages, bytes;
	unsigned int l;

	card_counts(r, card, ep, &superpages, &bytes);
	if (r->filled != superpages || r->bytes != bytes)
		find_wrong(&r->found, "%llu superpages, %llu bytes; the card counted %llu, %llu",
			   (unsigned long long)r->filled, (unsigned long long)r->bytes,
			   (unsigned long long)superpages, (unsigned long long)bytes);
	for (l = 0; l < RIG_LINKS && !r->crorc; l++) {
		superpages = emu_link_count(card, ep, l, "superpages");
		bytes = emu_link_count(card, ep, l, "bytes");
		if (r->link[l].superpages != superpages || r->link[l].bytes != bytes)
			find_wrong(&r->found,
				   "link %u: %llu superpages, %llu bytes; the card %llu, %llu", l,
				   (unsigned long long)r->link[l].superpages,
				   (unsigned long long)r->link[l].bytes,
				   (unsigned long long)superpages, (unsigned long long)bytes);
	}
	return !r->found.count;
}
