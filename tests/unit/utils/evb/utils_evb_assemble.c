// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the assembly of fragments from the units of many links: order, each byte once, and no unit
 * is kept forever, whatever the links send.
 */
#include "unit.h"

#include <endian.h>
#include <errno.h>

#include "kmod/stream/stream_packet.h"
#include "utils/check/rdh.h"
#include "utils/evb/assemble.h"

#define MS UINT64_C(1000000)
#define HOLD (100 * MS)
#define PACKET 128

static struct assemble *a;
static uint64_t now, units_in, units_back;
static char memory[64][16 * PACKET];
static unsigned int used;

static void begin(enum assemble_way way, bool wraps, uint64_t links)
{
	struct assemble_options o = {.way = way, .hold = HOLD, .wraps = wraps, .links = links};

	assemble_free(a);
	a = assemble_new(&o);
	UNIT_NEED(a);
	now = 1000 * MS;
	units_in = units_back = used = 0;
}

/* A superpage of @link with a packet for each of @orbits. */
static void superpage(int link, const uint32_t *orbits, unsigned int count)
{
	char *at = memory[used++ % 64];
	struct unit u = {.data = at,
			 .bytes = count * PACKET,
			 .handle = ++units_in,
			 .link = link,
			 .time = now};
	struct cut_piece p;
	struct cut cut;
	unsigned int i;
	int ret;

	memset(at, 0, count * PACKET);
	for (i = 0; i < count; i++) {
		uint32_t words[6] = {RDH_SIZE << 8 | 6, 0, PACKET << 16 | PACKET,
				     (uint32_t)link,	0, orbits[i]};

		memcpy(at + i * PACKET, words, sizeof(words));
	}
	cut_begin(&cut, UNIT_DDG, &u);
	assemble_unit(a, &u, now);
	while ((ret = cut_next(&cut, &p)) > 0)
		assemble_piece(a, &p, now);
	if (ret < 0)
		assemble_bad(a);
	assemble_unit_end(a);
}

#define SUPERPAGE(link, ...)                                                                       \
	superpage(link, (uint32_t[]){__VA_ARGS__},                                                 \
		  sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void collect(void)
{
	uint64_t handle;

	while (assemble_done(a, &handle))
		units_back++;
}

/* The next fragment must be @event, with @parts parts and @packets packets; -1: no fragment. */
static uint64_t expect(int64_t event, unsigned int parts, unsigned int packets)
{
	struct roc_evb_fragment f = {.event = UINT64_MAX};
	int ret = assemble_take(a, now, false, &f);

	UNIT_EQ(ret, event >= 0);
	if (ret <= 0)
		return 0;
	UNIT_EQ(f.event, event);
	UNIT_EQ(f.count, parts);
	UNIT_EQ(f.bytes, packets * PACKET);
	return f.handle;
}

static void back(uint64_t handle)
{
	UNIT_EQ(assemble_return(a, handle), 0);
	collect();
}

static struct assemble_counts counts(void)
{
	struct assemble_counts n;

	assemble_counts(a, &n);
	return n;
}

static void together(void)
{
	uint64_t h[3];

	begin(ASSEMBLE_PASSED, true, 2);
	SUPERPAGE(0, 5, 5, 6, 7);
	expect(-1, 0, 0);
	SUPERPAGE(1, 5, 6, 6);
	/* Link 1 may still send more of event 6. */
	h[0] = expect(5, 2, 3);
	expect(-1, 0, 0);
	SUPERPAGE(1, 6, 7, 8);
	h[1] = expect(6, 3, 4);
	expect(-1, 0, 0);
	SUPERPAGE(0, 8, 9);
	h[2] = expect(7, 2, 2);
	UNIT_EQ(units_back, 0);
	back(h[1]);
	back(h[0]);
	/* Fragments 5 and 6 are returned: only the second unit has no other fragment. */
	UNIT_EQ(units_back, 1);
	back(h[2]);
	UNIT_EQ(units_back, 2);
	UNIT_EQ(assemble_return(a, h[2]), -EINVAL);
	UNIT_EQ(assemble_return(a, 0), -EINVAL);
	UNIT_EQ(assemble_return(a, UINT64_MAX), -EINVAL);
	UNIT_EQ(counts().late + counts().disorder, 0);
	assemble_abandon(a);
	collect();
	UNIT_EQ(units_back, units_in);
}

/* The number of links is unknown: fragments are emitted after the first hold time. */
static void learnt(void)
{
	begin(ASSEMBLE_PASSED, true, 0);
	SUPERPAGE(0, 1, 2, 3);
	expect(-1, 0, 0);
	now += HOLD / 2;
	SUPERPAGE(1, 1, 2, 3);
	expect(-1, 0, 0);
	now += HOLD / 2;
	SUPERPAGE(0, 4);
	back(expect(1, 2, 2));
	back(expect(2, 2, 2));
	expect(-1, 0, 0);
}

static void silent(void)
{
	struct roc_evb_fragment f;
	unsigned int i;

	begin(ASSEMBLE_PASSED, true, 2);
	SUPERPAGE(0, 1);
	SUPERPAGE(1, 1);
	for (i = 2; i < 12; i++) {
		now += HOLD / 5;
		SUPERPAGE(0, i);
	}
	/* The assembler no longer waits for link 1. */
	back(expect(1, 2, 2));
	UNIT_EQ(counts().damaged, 0);
	for (i = 2; i < 11; i++)
		back(expect(i, 1, 1));
	/* All of these fragments are marked as damaged. */
	UNIT_EQ(counts().damaged, 9);
	expect(-1, 0, 0);
	/* Link 1 continues with late pieces, and the assembler waits for it again. */
	SUPERPAGE(1, 10, 11);
	UNIT_EQ(counts().late, 1);
	expect(-1, 0, 0);
	SUPERPAGE(0, 12);
	expect(-1, 0, 0);
	now += HOLD;
	back(expect(11, 2, 2));
	back(expect(12, 1, 1));
	UNIT_EQ(units_back, units_in);
	UNIT_EQ(assemble_take(a, now, true, &f), 0);
}

static void wraps(void)
{
	begin(ASSEMBLE_PASSED, true, 2);
	SUPERPAGE(0, 0xfffffffe, 0xffffffff, 0, 1);
	SUPERPAGE(1, 0xffffffff, 0, 2);
	back(expect(0xfffffffe, 1, 1));
	back(expect(0xffffffff, 2, 2));
	back(expect(0x100000000, 2, 2));
	expect(-1, 0, 0);
	/* An id that is less than 2^31 behind goes back. */
	SUPERPAGE(0, 0xffffffff);
	UNIT_EQ(counts().disorder, 1);
	SUPERPAGE(0, 2, 3);
	back(expect(0x100000001, 1, 1));
}

static void broken(void)
{
	uint32_t orbits[] = {1, 2, 3};
	struct roc_evb_fragment f;

	begin(ASSEMBLE_PASSED, true, 1);
	superpage(0, orbits, 3);
	/* Another superpage, with an invalid third header. */
	units_in--;
	begin(ASSEMBLE_PASSED, true, 1);
	{
		char *at = memory[0];
		struct unit u = {.data = at, .bytes = 3 * PACKET, .handle = ++units_in};
		struct cut_piece p;
		struct cut cut;
		int ret;

		at[2 * PACKET] = 99;
		cut_begin(&cut, UNIT_DDG, &u);
		assemble_unit(a, &u, now);
		while ((ret = cut_next(&cut, &p)) > 0)
			assemble_piece(a, &p, now);
		UNIT_EQ(ret, -EBADMSG);
		assemble_bad(a);
		assemble_unit_end(a);
	}
	used = 1;
	SUPERPAGE(0, 3);
	back(expect(1, 1, 1));
	UNIT_EQ(assemble_take(a, now, false, &f), 1);
	UNIT_EQ(f.event, 2);
	CU_ASSERT_TRUE(f.flags & ROC_EVB_FRAGMENT_DAMAGED);
	UNIT_EQ(counts().disorder, 1);
}

/* Sizes in headers that point behind the superpage, or into the header itself. */
static void invalid_sizes(void)
{
	static const uint32_t sizes[] = {
		0,	    63,	       64 << 16, 64 << 16 | 63, 63 << 16 | 64, 129 << 16 | 128,
		0xffff0040, 0xffffffff};
	struct unit u = {.data = memory[0], .bytes = PACKET};
	struct cut_piece p;
	struct cut cut;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t words[6] = {RDH_SIZE << 8 | 6, 0, sizes[i]};

		memcpy(memory[0], words, sizeof(words));
		cut_begin(&cut, UNIT_DDG, &u);
		UNIT_EQ(cut_next(&cut, &p), -EBADMSG);
	}
	u.bytes = RDH_SIZE - 1;
	cut_begin(&cut, UNIT_DDG, &u);
	UNIT_EQ(cut_next(&cut, &p), -EBADMSG);
	u.bytes = 0;
	cut_begin(&cut, UNIT_DDG, &u);
	UNIT_EQ(cut_next(&cut, &p), 0);
}

/* A unit for each event and link. Such units may overtake each other. */
static void fragment(int link, uint64_t event)
{
	struct unit u = {.data = memory[link],
			 .bytes = PACKET,
			 .handle = ++units_in,
			 .link = link,
			 .first = event};
	struct cut_piece p;
	struct cut cut;

	cut_begin(&cut, UNIT_FRAGMENTS, &u);
	assemble_unit(a, &u, now);
	while (cut_next(&cut, &p) > 0)
		assemble_piece(a, &p, now);
	assemble_unit_end(a);
}

static void fetched(void)
{
	begin(ASSEMBLE_EACH, true, 2);
	fragment(0, 1);
	fragment(0, 2);
	fragment(1, 2);
	expect(-1, 0, 0);
	fragment(1, 1);
	back(expect(1, 2, 2));
	back(expect(2, 2, 2));
	fragment(0, 3);
	expect(-1, 0, 0);
	/* Link 1 sends nothing of event 3. */
	now += HOLD;
	back(expect(3, 1, 1));
	fragment(1, 3);
	UNIT_EQ(counts().late, 1);
	collect();
	UNIT_EQ(units_back, units_in);
}

/* A link that was silent while the ids of the others wrapped continues at their ids. */
static void one_of(enum assemble_way way, int link, uint64_t id)
{
	if (way == ASSEMBLE_EACH)
		fragment(link, (uint32_t)id);
	else
		SUPERPAGE(link, (uint32_t)id);
}

static void long_silent(enum assemble_way way, uint64_t steps)
{
	uint64_t id = 10, i;

	begin(way, true, 2);
	one_of(way, 0, id);
	one_of(way, 1, id);
	if (way == ASSEMBLE_PASSED)
		now += HOLD;
	back(expect((int64_t)id, 2, 2));
	for (i = 0; i < steps; i++) {
		id += UINT64_C(1) << 23;
		one_of(way, 0, id);
		now += HOLD;
		back(expect((int64_t)id, 1, 1));
	}
	one_of(way, 0, id + 1);
	one_of(way, 1, id + 1);
	now += HOLD;
	back(expect((int64_t)id + 1, 2, 2));
	one_of(way, 1, id + 2);
	one_of(way, 0, id + 2);
	now += HOLD;
	back(expect((int64_t)id + 2, 2, 2));
	UNIT_EQ(counts().late, 0);
	UNIT_EQ(counts().disorder, 0);
	UNIT_EQ(units_back, units_in);
}

static void far_behind(void)
{
	uint64_t steps;

	/* The others advance by half of the id range, all of it, and more. */
	for (steps = 64; steps <= 1024; steps += 64) {
		long_silent(ASSEMBLE_PASSED, steps);
		long_silent(ASSEMBLE_EACH, steps);
	}
}

#define FAR (UINT64_C(1) << 30)

/* One wrong id affects only its own piece. */
static void wrong_id(enum assemble_way way)
{
	uint64_t id, event;
	int link;

	begin(way, true, 2);
	for (id = 1; id < 10; id++) {
		if (id == 5) {
			one_of(way, 0, id + FAR);
			one_of(way, 1, id + FAR);
		}
		one_of(way, 0, id);
		one_of(way, 1, id);
		now += HOLD / 20;
	}
	now += 2 * HOLD;
	for (event = 1; event < id; event++)
		back(expect((int64_t)event, 2, 2));
	expect(-1, 0, 0);
	UNIT_EQ(counts().late, 0);
	UNIT_EQ(counts().disorder, 2);
	UNIT_EQ(counts().damaged, 0);
	/* Two consecutive ids are accepted: only the first event lacks its rejected piece. */
	id += FAR;
	for (link = 0; link < 2; link++) {
		for (event = id; event < id + 3; event++)
			one_of(way, link, event);
	}
	now += 2 * HOLD;
	back(expect((int64_t)id, 1, 1));
	UNIT_EQ(counts().damaged, 1);
	back(expect((int64_t)id + 1, 2, 2));
	back(expect((int64_t)id + 2, 2, 2));
	UNIT_EQ(counts().damaged, 1);
	UNIT_EQ(counts().late, 0);
	UNIT_EQ(counts().disorder, 3);
	collect();
	UNIT_EQ(units_back, units_in);
}

/* Only the truncated fragments of a unit are marked as damaged. */
static void truncated_fragments(void)
{
	const struct {
		struct stream_packet header;
		uint8_t type[4];
		uint32_t size[2];
		uint32_t word[5];
	} packet = {
		.header = {.magic = htole16(STREAM_MAGIC_PACKET),
			   .version = STREAM_UNIT_VERSION,
			   .align = 2,
			   .size = htole32(64),
			   .first_event = htole64(7),
			   .data = htole32(44),
			   .fragments = htole32(2),
			   .flags = htole16(STREAM_PACKET_TRUNCATED)},
		.type = {STREAM_FRAGMENT_GENERATED | STREAM_FRAGMENT_TRUNCATED,
			 STREAM_FRAGMENT_GENERATED},
		.size = {0, htole32(8)},
	};
	struct unit u = {.data = &packet, .bytes = 64, .flags = UNIT_DAMAGED};
	struct cut_piece p;
	struct cut c;

	cut_begin(&c, UNIT_PACKETS, &u);
	UNIT_EQ(cut_next(&c, &p), 1);
	UNIT_EQ(p.event, 7);
	CU_ASSERT_TRUE(p.damaged);
	UNIT_EQ(cut_next(&c, &p), 1);
	UNIT_EQ(p.event, 8);
	CU_ASSERT_FALSE(p.damaged);
	UNIT_EQ(cut_next(&c, &p), 0);
}

static void one_piece(uint64_t event)
{
	struct cut_piece p = {.event = event, .data = memory, .bytes = PACKET};
	struct unit u = {.data = memory, .bytes = PACKET, .handle = ++units_in};

	assemble_unit(a, &u, now);
	assemble_piece(a, &p, now);
	assemble_unit_end(a);
}

static void wrong_ids(void)
{
	wrong_id(ASSEMBLE_PASSED);
	wrong_id(ASSEMBLE_EACH);
	begin(ASSEMBLE_AT_ONCE, false, 1);
	/* The first id may be any. */
	one_piece(FAR << 10);
	back(expect(FAR << 10, 1, 1));
	one_piece(FAR << 30);
	expect(-1, 0, 0);
	one_piece((FAR << 10) + 1);
	back(expect((FAR << 10) + 1, 1, 1));
	UNIT_EQ(counts().late, 0);
	UNIT_EQ(counts().disorder, 1);
	collect();
	UNIT_EQ(units_back, units_in);
}

/* More pieces than there is space for: no write out of bounds, and no loss. */
static void crowded(void)
{
	struct cut_piece p = {.data = memory, .bytes = PACKET};
	struct roc_evb_fragment f;
	struct unit u = {.data = memory, .bytes = PACKET};
	uint64_t n = 0, out = 0;

	begin(ASSEMBLE_AT_ONCE, false, 1);
	for (; assemble_room(a); n++) {
		u.handle = ++units_in;
		p.event = n;
		assemble_unit(a, &u, now);
		assemble_piece(a, &p, now);
		assemble_unit_end(a);
	}
	CU_ASSERT_TRUE(n >= 1024);
	while (assemble_take(a, now, false, &f) > 0) {
		UNIT_EQ(f.event, out);
		out++;
		back(f.handle);
	}
	UNIT_EQ(out, n);
	UNIT_EQ(units_back, units_in);
	assemble_free(a);
	a = NULL;
}

UNIT_MAIN("Events of many links", {"two links", together}, {"unknown number of links", learnt},
	  {"silent link", silent}, {"ids that wrap", wraps}, {"invalid header", broken},
	  {"invalid sizes in headers", invalid_sizes}, {"fetched fragments", fetched},
	  {"wrong id", wrong_ids}, {"truncated fragments", truncated_fragments},
	  {"silent link while the ids of others wrap", far_behind}, {"no space", crowded})
