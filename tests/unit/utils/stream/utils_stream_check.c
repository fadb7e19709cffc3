// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the checker of roc-stream: it accepts data of the documented generator and detects every
 * changed byte.
 */
#include "unit.h"

#include <endian.h>

#include "kmod/stream/stream_packet.h"
#include "utils/stream/stream.h"

#define SOURCE 0x412

static unsigned char area[1 << 16];
static size_t used;
static struct error_log errors;
static struct stream_check check;

static void begin(uint32_t min, uint32_t max)
{
	memset(area, 0, sizeof(area));
	used = 0;
	memset(&errors, 0, sizeof(errors));
	check = (struct stream_check){
		.errors = &errors,
		.stream = 3,
		.expect = {.known = true,
			   .generator = {.size_min = min,
					 .size_max = max,
					 .distributed = max > min}},
	};
}

static uint32_t up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Add fragments with the documented sizes. @cut: fragment that is truncated to nothing. */
static struct stream_packet *add(uint64_t first, uint32_t number, uint32_t fragments, int cut)
{
	const struct roc_p40_generator *g = &check.expect.generator;
	unsigned char *at = area + used;
	struct stream_packet *p = (void *)at;
	uint32_t table = STREAM_PACKET_SIZES(fragments), offset = up(table + 4 * fragments, 8);
	uint32_t i, k, size, word;

	*p = (struct stream_packet){.magic = htole16(STREAM_MAGIC_PACKET),
				    .version = STREAM_UNIT_VERSION,
				    .align = 3,
				    .first_event = htole64(first),
				    .number = htole32(number),
				    .data = htole32(offset),
				    .fragments = htole32(fragments),
				    .source = htole16(SOURCE),
				    .flags = htole16(cut >= 0 ? STREAM_PACKET_TRUNCATED : 0)};
	for (i = 0; i < fragments; i++) {
		size = g->distributed ? stream_size(first + i, g->size_min, g->size_max)
				      : g->size_min;
		at[STREAM_PACKET_TYPES + i] = STREAM_FRAGMENT_GENERATED;
		if ((int)i == cut) {
			at[STREAM_PACKET_TYPES + i] |= STREAM_FRAGMENT_TRUNCATED;
			size = 0;
		}
		word = htole32(size);
		memcpy(at + table + 4 * i, &word, 4);
		for (k = 0; k < size; k += 4) {
			word = htole32(stream_pattern(SOURCE, first + i) + k / 4);
			memcpy(at + offset + k, &word, size - k < 4 ? size - k : 4);
		}
		offset = up(offset + size, 8);
	}
	p->size = htole32(up(offset, 64));
	used += up(offset, 64);
	return p;
}

/* Check all packets. Return the number of errors. */
static unsigned int walk(bool headers)
{
	struct roc_packets packets;
	struct roc_packet p;
	int ret;

	roc_packets_begin(&packets, area, used);
	while ((ret = roc_packets_next(&packets, &p)) > 0 &&
	       !(ret = stream_check_packet(&check, &p, headers)))
		;
	return (unsigned int)errors.count + (ret < 0);
}

static void good_data(void)
{
	begin(17, 300);
	add(UINT64_C(0xfffffffd), 0, 10, -1);
	add(UINT64_C(0x100000007), 1, 1, -1);
	add(UINT64_C(0x100000008), 2, 20, 4);
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.packets, 3);
	UNIT_EQ(check.events, 31);
	UNIT_EQ(check.truncated, 1);
	UNIT_EQ(check.damaged, 1);
	UNIT_EQ(check.gaps, 0);
	CU_ASSERT_TRUE(check.payload > 31 * 17 && check.payload < 31 * 300);
	begin(64, 0);
	add(5, 0, 3, -1);
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.payload, 192);
	begin(0, 0);
	add(5, 0, 3, -1);
	UNIT_EQ(walk(false), 0);
}

/* A changed byte is detected in a header, a table, a fragment or the padding. */
static void every_byte(void)
{
	size_t i, missed = 0;

	for (i = 0; i < 2 * 1024; i++) {
		begin(9, 60);
		add(100, 0, 12, 3);
		add(112, 1, 12, -1);
		if (i >= used)
			break;
		area[i] ^= 0x20;
		if (walk(false))
			continue;
		/* Not detectable: the flags closed, aged and gap of the last packet. */
		unit_note("byte %zu", i);
		missed++;
	}
	CU_ASSERT_TRUE(i > 800);
	UNIT_EQ(missed, 0);
}

static void wrong(const char *text)
{
	CU_ASSERT_TRUE(walk(false) > 0);
	if (!strstr(errors.last, text))
		unit_note("\"%s\" does not contain \"%s\"", errors.last, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, text));
}

static void gaps(void)
{
	begin(8, 0);
	add(1, 0, 2, -1)->flags = htole16(STREAM_PACKET_GAP);
	add(13, 1, 2, -1);
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.gaps, 1);
	UNIT_EQ(check.missing, 10);
	begin(8, 0);
	add(1, 0, 2, -1);
	add(13, 1, 2, -1);
	/* The card did not know of the gap yet, or events were flushed. */
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.missing, 10);
	begin(8, 0);
	add(1, 0, 2, -1)->flags = htole16(STREAM_PACKET_GAP);
	add(2, 1, 2, -1);
	wrong("expected event 3");
	begin(8, 0);
	add(1, 0, 2, -1);
	add(3, 2, 2, -1);
	wrong("expected packet 1");
	/* A reader from the start of the run gets its first packet. */
	begin(8, 0);
	check.from_start = true;
	add(1, 2, 2, -1);
	wrong("expected packet 0");
}

static void sizes(void)
{
	begin(8, 0);
	add(1, 0, 2, -1);
	check.expect.generator.size_min = 12;
	wrong("has 8 bytes, not 12");
	begin(8, 0);
	add(1, 0, 2, 1)->flags = 0;
	wrong("1 fragments are truncated, but according to the flags none are");
	begin(8, 0);
	add(1, 0, 2, -1)->flags = htole16(STREAM_PACKET_TRUNCATED);
	wrong("according to the flags some are");
	/* Without generator settings, any size is accepted. */
	begin(8, 0);
	add(1, 0, 2, -1);
	check.expect.generator.size_min = 12;
	check.expect.known = false;
	UNIT_EQ(walk(false), 0);
	/* The contents are not checked. */
	begin(8, 0);
	add(1, 0, 2, -1);
	area[48] ^= 1;
	UNIT_EQ(walk(true), 0);
	UNIT_EQ(walk(false) > 0, 1);
}

static void records(void)
{
	struct stream_meta *m = (void *)area;
	struct stream_odin *o = (void *)area;
	unsigned int i, k;

	begin(0, 0);
	for (i = 0; i < 3; i++)
		m[i] = (struct stream_meta){.magic = htole16(STREAM_MAGIC_META),
					    .version = 1,
					    .size = htole32(64),
					    .first_event = htole64(100 + 10 * i),
					    .number = htole32(i),
					    .position = htole32(UINT32_MAX - 1 + 2 * i),
					    .bytes = htole32(128),
					    .fragments = htole32(10)};
	used = 192;
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.events, 30);
	check.begun = false;
	check.packets = 0;
	m[2].position = 0;
	wrong("at line 0 of main's ring, not at 2");
	begin(0, 0);
	for (i = 0; i < 3; i++) {
		o[i] = (struct stream_odin){.magic = htole16(STREAM_MAGIC_ODIN),
					    .version = 1,
					    .size = htole32(64),
					    .event = htole64(3563 + i),
					    .number = htole32(i),
					    .source = htole16(SOURCE),
					    .stream = htole16(3),
					    .orbit = htole32((3563 + i) / 3564),
					    .bunch = htole16((3563 + i) % 3564),
					    .trigger = htole16(STREAM_ODIN_TRIGGER)};
		for (k = 0; k < 6; k++)
			o[i].word[k] = htole32(stream_pattern(SOURCE, 3563 + i) + k);
	}
	used = 192;
	UNIT_EQ(walk(false), 0);
	UNIT_EQ(check.packets, 3);
	check.begun = false;
	o[1].word[3] ^= 1;
	wrong("word 3 is wrong");
	o[1].word[3] ^= 1;
	check.begun = false;
	o[2].stream = 2;
	wrong("stream 2");
	o[2].stream = htole16(3);
	check.begun = false;
	o[2].magic = htole16(STREAM_MAGIC_META);
	wrong("packet type differs");
}

UNIT_MAIN("utils stream check", {"generated data are accepted", good_data},
	  {"every changed byte is detected", every_byte}, {"gaps", gaps},
	  {"sizes and truncation", sizes}, {"meta and ODIN records", records})
