// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generate superpages in memory. The payload restarts in each packet, so it is written once, and
 * only the headers change from superpage to superpage.
 */
#include "sources.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"
#include "slots.h"
#include "utils/check/rdh.h"

#define LINKS 32

struct synthetic {
	struct source source;
	struct synthetic_options opt;
	struct unit_slots slots; /* the superpages */
	struct pace pace;
	unsigned int links[LINKS], link_count;
	uint64_t made; /* superpages, including dropped ones */
	uint64_t bytes, dropped;
	bool stopped;
};

static struct synthetic *of(struct source *s)
{
	return (struct synthetic *)s;
}

static uint32_t packets(const struct synthetic *y)
{
	return (uint32_t)(y->opt.unit / SYNTHETIC_PACKET);
}

static void put_word(char *at, unsigned int n, uint32_t value)
{
	value = htole32(value);
	memcpy(at + 4 * n, &value, sizeof(value));
}

/* Write a packet without the fields that number it. */
static void make_packet(char *at)
{
	uint32_t i;

	memset(at, 0, RDH_SIZE);
	put_word(at, 0, RDH_SIZE << 8 | RDH_VERSION_MAX);
	put_word(at, 2, SYNTHETIC_PACKET << 16 | SYNTHETIC_PACKET);
	for (i = 0; i < (SYNTHETIC_PACKET - RDH_SIZE) / 16; i++) {
		put_word(at + RDH_SIZE + 16 * i, 0, i);
		put_word(at + RDH_SIZE + 16 * i, 1, i);
		put_word(at + RDH_SIZE + 16 * i, 2, i & 0xffff);
		put_word(at + RDH_SIZE + 16 * i, 3, 0);
	}
}

/* Number the packets of superpage @number. Return: its link. */
static unsigned int number_packets(struct synthetic *y, char *at, uint64_t number)
{
	unsigned int link = y->links[number % y->link_count];
	uint64_t before = number / y->link_count;
	uint32_t i;

	for (i = 0; i < packets(y); i++, at += SYNTHETIC_PACKET) {
		put_word(at, 3, (uint32_t)(before * packets(y) + i) % 256 << 8 | link);
		put_word(at, 5, (uint32_t)before);
	}
	return link;
}

static int start(struct source *s)
{
	struct synthetic *y = of(s);

	pace_start(&y->pace, y->opt.rate, units_now());
	return 0;
}

/*
 * Drop the superpages that are due, as a card without a waiting reader does. All at once: more can
 * become due while one is processed.
 */
static void drop(struct synthetic *y)
{
	uint64_t n;

	if (!y->pace.rate || y->slots.free_count)
		return;
	n = pace_due(&y->pace, y->opt.unit, units_now());
	pace_pass(&y->pace, n * y->opt.unit);
	y->dropped += n * packets(y);
	y->made += n;
}

static int take(struct source *s, struct unit *u)
{
	struct synthetic *y = of(s);
	uint64_t handle;
	uint32_t slot;
	char *at;

	if (y->stopped)
		return -ENODATA;
	drop(y);
	if (!y->slots.free_count)
		return -EAGAIN;
	s->paced = pace_wait(&y->pace, units_now());
	if (s->paced)
		return 0;
	handle = unit_slots_lend(&y->slots, &slot);
	at = unit_slot(&y->slots, slot);
	*u = (struct unit){
		.data = at,
		.bytes = y->opt.unit,
		.handle = handle,
		.sequence = y->made,
		.time = units_realtime(),
		.link = (int32_t)number_packets(y, at, y->made),
	};
	u->first = units_first(s->format.content, at, u->bytes);
	pace_pass(&y->pace, u->bytes);
	y->made++;
	y->bytes += u->bytes;
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	uint32_t slot;

	return unit_slots_return(&of(s)->slots, handle, &slot, s->reason);
}

static int stop(struct source *s)
{
	struct synthetic *y = of(s);

	if (!y->stopped)
		drop(y);
	y->stopped = true;
	return 0;
}

static void synthetic_sleep(struct source *s, struct units_sleep *sleep)
{
	struct synthetic *y = of(s);

	if (y->slots.free_count && !y->stopped)
		units_sleep_ns(sleep, pace_wait(&y->pace, units_now()));
}

static void counters(struct source *s, struct unit_counters *b)
{
	struct synthetic *y = of(s);

	*b = (struct unit_counters){.known = true,
				    .units = y->slots.lent,
				    .bytes = y->bytes,
				    .dropped = y->dropped,
				    .dropped_what = "packets"};
}

static void close_source(struct source *s)
{
	struct synthetic *y = of(s);

	unit_slots_close(&y->slots);
	free(y);
}

static const struct source_ops ops = {
	.name = "synthetic",
	.start = start,
	.take = take,
	.give_back = give_back,
	.stop = stop,
	.sleep = synthetic_sleep,
	.counters = counters,
	.close = close_source,
};

static int prepare(struct synthetic *y, char reason[UNITS_REASON])
{
	static const struct unit_slots_names names = {"Unit", "superpages"};
	size_t offset;
	int ret;

	ret = unit_slots_open(&y->slots, y->opt.unit, (uint32_t)(y->opt.total / y->opt.unit), 0,
			      &names, reason);
	for (offset = 0; !ret && offset < y->slots.length; offset += SYNTHETIC_PACKET)
		make_packet(y->slots.memory + offset);
	return ret;
}

struct source *source_synthetic(const struct synthetic_options *o, char reason[UNITS_REASON])
{
	struct synthetic *y;
	unsigned int i;

	if (!o->unit || o->unit % SYNTHETIC_PACKET || o->total < o->unit ||
	    o->total / o->unit > UINT32_MAX) {
		units_fail(
			reason, EINVAL,
			"The size of a synthetic superpage must be a multiple of %d bytes, and the buffer must have space for one.",
			SYNTHETIC_PACKET);
		return NULL;
	}
	y = calloc(1, sizeof(*y));
	if (!y) {
		units_fail(reason, ENOMEM, "Cannot allocate the synthetic source.");
		return NULL;
	}
	y->opt = *o;
	for (i = 0; i < LINKS; i++) {
		if ((o->links ? o->links : 1) >> i & 1)
			y->links[y->link_count++] = i;
	}
	y->source = (struct source){.ops = &ops,
				    .format = {.content = UNIT_DDG,
					       .page_bytes = SYNTHETIC_PACKET,
					       .unit_max = o->unit,
					       .from = "synthetic"}};
	if (prepare(y, reason)) {
		close_source(&y->source);
		return NULL;
	}
	y->source.regions[0] =
		(struct unit_region){.addr = y->slots.memory, .length = y->slots.length};
	y->source.region_count = 1;
	return &y->source;
}
