// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Superpages made in memory. Payloads start anew in each packet, so they are written once, and
 * only the headers are for each superpage.
 */
#include "sources.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "units.h"
#include "utils/check/rdh.h"

#define LINKS 32

struct synthetic {
	struct source source;
	struct synthetic_options opt;
	char *memory;
	size_t length;
	uint32_t *free_list; /* superpages that are the generator's */
	uint32_t count, free_count;
	uint64_t *out; /* by superpage: handle, 0: it is the generator's */
	struct pace pace;
	unsigned int links[LINKS], link_count;
	uint64_t made; /* superpages, with those dropped */
	uint64_t taken, bytes, dropped;
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

/* All of a packet but what numbers it. */
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

/* The superpage @number of all: its link, and what came on that link before. */
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

/* A card does not wait for its reader. At once: more may come due in the time that one takes. */
static void drop(struct synthetic *y)
{
	uint64_t n;

	if (!y->pace.rate || y->free_count)
		return;
	n = pace_due(&y->pace, y->opt.unit, units_now());
	pace_pass(&y->pace, n * y->opt.unit);
	y->dropped += n * packets(y);
	y->made += n;
}

static int take(struct source *s, struct unit *u)
{
	struct synthetic *y = of(s);
	uint32_t index;
	char *at;

	if (y->stopped)
		return -ENODATA;
	drop(y);
	if (!y->free_count)
		return -EAGAIN;
	s->paced = pace_wait(&y->pace, units_now());
	if (s->paced)
		return 0;
	index = y->free_list[--y->free_count];
	at = y->memory + (size_t)index * y->opt.unit;
	y->out[index] = units_handle(y->taken, index);
	*u = (struct unit){
		.data = at,
		.bytes = y->opt.unit,
		.handle = y->out[index],
		.sequence = y->made,
		.time = units_realtime(),
		.link = (int32_t)number_packets(y, at, y->made),
	};
	u->first = units_first(s->format.content, at, u->bytes);
	pace_pass(&y->pace, u->bytes);
	y->made++;
	y->taken++;
	y->bytes += u->bytes;
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	struct synthetic *y = of(s);
	uint32_t index = (uint32_t)handle;

	if (index >= y->count || !handle || y->out[index] != handle)
		return units_fail(s->why, EINVAL, "Unit 0x%" PRIx64 " is not out.", handle);
	y->out[index] = 0;
	y->free_list[y->free_count++] = index;
	return 0;
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

	if (y->free_count && !y->stopped)
		units_sleep_ns(sleep, pace_wait(&y->pace, units_now()));
}

static void books(struct source *s, struct unit_books *b)
{
	struct synthetic *y = of(s);

	*b = (struct unit_books){.known = true,
				 .units = y->taken,
				 .bytes = y->bytes,
				 .dropped = y->dropped,
				 .dropped_what = "packets"};
}

static void close_source(struct source *s)
{
	struct synthetic *y = of(s);

	if (y->memory)
		munmap(y->memory, y->length);
	free(y->free_list);
	free(y->out);
	free(y);
}

static const struct source_ops ops = {
	.name = "synthetic",
	.start = start,
	.take = take,
	.give_back = give_back,
	.stop = stop,
	.sleep = synthetic_sleep,
	.books = books,
	.close = close_source,
};

static int prepare(struct synthetic *y, char why[UNITS_WHY])
{
	size_t offset;
	void *memory;
	uint32_t i;

	y->count = (uint32_t)(y->opt.total / y->opt.unit);
	y->length = (size_t)y->count * y->opt.unit;
	memory = mmap(NULL, y->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return units_fail(why, ENOMEM, "There is no memory for %zu bytes of superpages.",
				  y->length);
	y->memory = memory;
	madvise(memory, y->length, MADV_HUGEPAGE);
	y->free_list = calloc(y->count, sizeof(*y->free_list));
	y->out = calloc(y->count, sizeof(*y->out));
	if (!y->free_list || !y->out)
		return units_fail(why, ENOMEM, "There is no memory left.");
	for (offset = 0; offset < y->length; offset += SYNTHETIC_PACKET)
		make_packet(y->memory + offset);
	for (i = 0; i < y->count; i++)
		y->free_list[i] = y->count - 1 - i;
	y->free_count = y->count;
	return 0;
}

struct source *source_synthetic(const struct synthetic_options *o, char why[UNITS_WHY])
{
	struct synthetic *y;
	unsigned int i;

	if (!o->unit || o->unit % SYNTHETIC_PACKET || o->total < o->unit ||
	    o->total / o->unit > UINT32_MAX) {
		units_fail(
			why, EINVAL,
			"Synthetic superpages are a multiple of %d bytes, and the buffer has room "
			"for one at least.",
			SYNTHETIC_PACKET);
		return NULL;
	}
	y = calloc(1, sizeof(*y));
	if (!y) {
		units_fail(why, ENOMEM, "There is no memory left.");
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
	if (prepare(y, why)) {
		close_source(&y->source);
		return NULL;
	}
	y->source.regions[0] = (struct unit_region){.addr = y->memory, .length = y->length};
	y->source.region_count = 1;
	return &y->source;
}
