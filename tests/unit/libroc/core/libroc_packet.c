// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the decoding of packets in place: valid packets are returned unchanged, and invalid ones are
 * rejected with their position and the reason. The data end at an inaccessible page, so a read
 * beyond them is detected.
 */
#include <endian.h>
#include <errno.h>
#include <sys/mman.h>

#include <roc/packet.h>

#include "kmod/stream/stream_packet.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#define BAD(call, text) FAILS(call, -EBADMSG, text)

#define SPACE 65536

static unsigned char *area; /* SPACE bytes, then an inaccessible page */
static size_t used;	    /* bytes used; they are moved to the end of the area for a test */

static unsigned char *fresh(void)
{
	if (!area) {
		area = mmap(NULL, SPACE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
		UNIT_NEED(area != MAP_FAILED);
		UNIT_NEED(!mprotect(area + SPACE, 4096, PROT_NONE));
	}
	memset(area, 0xee, SPACE);
	used = 0;
	return area;
}

/*
 * Move the data to the end of the area, aligned like a ring, so that the inaccessible page follows
 * the last packet.
 */
static void *at_the_end(void)
{
	unsigned char *at = area + SPACE - (used + 63) / 64 * 64;

	memmove(at, area, used);
	return at;
}

static uint32_t up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Append a packet with fragments of source 7, which have the documented pattern. */
static struct stream_packet *add(uint64_t first, uint32_t fragments, const uint32_t *sizes,
				 unsigned int align)
{
	unsigned char *at = area + used;
	struct stream_packet *p = (void *)at;
	uint32_t table = STREAM_PACKET_SIZES(fragments), offset, i, k, word;

	offset = up(table + 4 * fragments, 1 << align);
	memset(at, 0, offset);
	p->magic = htole16(STREAM_MAGIC_PACKET);
	p->version = STREAM_UNIT_VERSION;
	p->align = align;
	p->first_event = htole64(first);
	p->number = htole32(40);
	p->data = htole32(offset);
	p->fragments = htole32(fragments);
	p->source = htole16(7);
	for (i = 0; i < fragments; i++) {
		at[STREAM_PACKET_TYPES + i] =
			STREAM_FRAGMENT_GENERATED | (sizes[i] ? 0 : STREAM_FRAGMENT_TRUNCATED);
		word = htole32(sizes[i]);
		memcpy(at + table + 4 * i, &word, 4);
		memset(at + offset, 0, up(sizes[i], 64));
		for (k = 0; k < sizes[i]; k += 4) {
			word = htole32(stream_pattern(7, first + i) + k / 4);
			memcpy(at + offset + k, &word, sizes[i] - k < 4 ? sizes[i] - k : 4);
		}
		offset = up(offset + sizes[i], 1 << align);
	}
	memset(at + offset, 0, up(offset, 64) - offset);
	p->size = htole32(up(offset, 64));
	used += up(offset, 64);
	return p;
}

static void expect_fragment(const struct roc_fragment *f, uint64_t event, uint32_t size)
{
	uint32_t word = htole32(stream_pattern(7, event));

	UNIT_EQ(f->event, event);
	UNIT_EQ(f->size, size);
	UNIT_EQ(f->type, ROC_FRAGMENT_GENERATED);
	UNIT_EQ(f->truncated, !size);
	if (size)
		CU_ASSERT_TRUE(!memcmp(f->data, &word, size < 4 ? size : 4));
}

static void good_ones(void)
{
	static const uint32_t sizes[] = {0, 1, 3, 4, 5, 63, 64, 65, 200, 0, 1000};
	unsigned int align, n, i, k;
	struct roc_fragment f;
	struct roc_packets walk;
	struct roc_packet p;
	const char *data;

	for (align = 2; align <= 6; align++) {
		for (n = 1; n <= 11; n++) {
			fresh();
			add(UINT64_C(0xfffffffe), n, sizes, align);
			add(9, n, sizes + 11 - n, align);
			data = at_the_end();
			roc_packets_begin(&walk, data, used);
			for (k = 0; k < 2; k++) {
				CU_ASSERT_PTR_EQUAL(walk.at, data + walk.done);
				UNIT_EQ(roc_packets_next(&walk, &p), 1);
				UNIT_EQ(p.kind, ROC_PACKET_EVENTS);
				UNIT_EQ(p.first_event, k ? 9 : 0xfffffffe);
				UNIT_EQ(p.fragments, n);
				UNIT_EQ(p.number, 40);
				UNIT_EQ(p.source, 7);
				UNIT_EQ(p.align, 1 << align);
				for (i = 0; i < n; i++) {
					UNIT_EQ(roc_packet_fragment(&p, &f), 1);
					expect_fragment(&f, p.first_event + i,
							sizes[k ? 11 - n + i : i]);
					UNIT_EQ((uintptr_t)f.data % p.align, 0);
				}
				UNIT_EQ(roc_packet_fragment(&p, &f), 0);
				UNIT_EQ(roc_packet_fragment(&p, &f), 0);
			}
			UNIT_EQ(walk.done, used);
			UNIT_EQ(roc_packets_next(&walk, &p), 0);
		}
	}
	roc_packets_begin(&walk, NULL, 0);
	UNIT_EQ(roc_packets_next(&walk, &p), 0);
}

static const uint32_t three[] = {100, 0, 300};

/* Check that the packet is rejected, also after a valid one. */
static void refused(const char *text)
{
	struct roc_packet p = {.number = 12345};
	struct roc_packets walk;
	const char *data = at_the_end();
	size_t good = le32toh(((const struct stream_packet *)data)->size);
	char place[80];

	/* The first packet is valid. */
	roc_packets_begin(&walk, data, used);
	UNIT_EQ(roc_packets_next(&walk, &p), 1);
	p.number = 12345;
	snprintf(place, sizeof(place), "at byte %zu: ", good);
	BAD(roc_packets_next(&walk, &p), text);
	ERROR_HAS(place);
	UNIT_EQ(walk.done, good);
	BAD(roc_packets_next(&walk, &p), text); /* the error repeats */
	UNIT_EQ(p.number, 12345);
}

#define BROKEN(change, text)                                                                       \
	do {                                                                                       \
		struct stream_packet *broken;                                                      \
		fresh();                                                                           \
		add(1, 3, three, 3);                                                               \
		broken = add(4, 3, three, 3);                                                      \
		change;                                                                            \
		refused(text);                                                                     \
	} while (0)

static void bad_headers(void)
{
	BROKEN(broken->magic = htole16(0x1234), "0x1234");
	BROKEN(broken->magic = 0, "0x0000");
	BROKEN(broken->version = 2, "version 2");
	BROKEN(broken->size = 0, "size is 0");
	BROKEN(broken->size = htole32(96), "multiple of 64");
	BROKEN(broken->size = htole32(1024), "but only");
	BROKEN(broken->size = htole32(0xffffffc0), "4294967232 bytes, but only");
	BROKEN(broken->align = 1, "2..6");
	BROKEN(broken->align = 7, "2..6");
	BROKEN(broken->align = 255, "2..6");
	BROKEN(broken->fragments = 0, "fragments, 0,");
	BROKEN(broken->fragments = htole32(65536), "fragments, 65536,");
	BROKEN(broken->fragments = htole32(0xffffffff), "fragments, 4294967295,");
	BROKEN(broken->fragments = htole32(65535), "tables of 65535");
	BROKEN(broken->fragments = htole32(200), "tables of 200");
	BROKEN(broken->data = htole32(40), "must be 48");
	BROKEN(broken->data = htole32(56), "must be 48");
	BROKEN(broken->data = htole32(0xfffffff0), "must be 48");
	/* A truncated packet. */
	fresh();
	add(1, 3, three, 3);
	add(4, 3, three, 3);
	used -= 64;
	refused("but only");
	fresh();
	add(1, 3, three, 3);
	used += 63;
	refused("63 bytes are left");
}

/* Check that the first fragment that does not fit is rejected. */
static void bad_fragment(uint32_t number, uint32_t size, unsigned int shown, const char *text)
{
	struct roc_fragment f = {.size = 77};
	struct roc_packets walk;
	struct roc_packet p;
	unsigned int i;

	fresh();
	add(UINT64_C(1) << 40, 3, three, 3);
	size = htole32(size);
	memcpy(area + STREAM_PACKET_SIZES(3) + 4 * number, &size, 4);
	roc_packets_begin(&walk, at_the_end(), used);
	UNIT_EQ(roc_packets_next(&walk, &p), 1);
	for (i = 0; i < shown; i++)
		UNIT_EQ(roc_packet_fragment(&p, &f), 1);
	f.size = 77;
	BAD(roc_packet_fragment(&p, &f), text);
	BAD(roc_packet_fragment(&p, &f), text);
	UNIT_EQ(f.size, 77);
}

static void bad_fragments(void)
{
	bad_fragment(0, 0xffffffff, 0, "packet 40: fragment 0 (event 1099511627776)");
	bad_fragment(0, 0x80000000, 0, "of 2147483648 bytes");
	bad_fragment(2, 361, 2, "fragment 2 (event 1099511627778) of 361 bytes ends at byte 513");
	bad_fragment(1, 500, 1, "fragment 1");
	/* The fragments fit, but do not fill the packet. */
	bad_fragment(2, 100, 3, "the fragments end at byte 256, but the packet has 512");
	bad_fragment(0, 10, 3, "but the packet has 512");
}

static void records(void)
{
	struct stream_meta *m;
	struct stream_odin *o;
	struct roc_packet_meta meta;
	struct roc_packet_odin odin;
	struct roc_packets walk;
	struct roc_fragment f;
	struct roc_packet p;
	char *data;

	memset(fresh(), 0, 128);
	m = (void *)area;
	*m = (struct stream_meta){.magic = htole16(STREAM_MAGIC_META),
				  .version = 1,
				  .size = htole32(64),
				  .first_event = htole64(UINT64_C(1) << 50),
				  .number = htole32(8),
				  .position = htole32(0xfffffff0),
				  .bytes = htole32(4096),
				  .fragments = htole32(9),
				  .truncated = htole32(2),
				  .source = htole16(0x400),
				  .flags = htole16(STREAM_PACKET_GAP),
				  .cycles = htole64(99)};
	o = (void *)(area + 64);
	*o = (struct stream_odin){.magic = htole16(STREAM_MAGIC_ODIN),
				  .version = 1,
				  .size = htole32(64),
				  .event = htole64(5),
				  .cycles = htole64(98),
				  .number = htole32(6),
				  .source = htole16(3),
				  .stream = htole16(4),
				  .orbit = htole32(7),
				  .bunch = htole16(11),
				  .trigger = htole16(1),
				  .word = {1, 2, 3, 4, 5, htole32(60)}};
	used = 128;
	data = at_the_end();
	roc_packets_begin(&walk, data, used);
	UNIT_EQ(roc_packets_next(&walk, &p), 1);
	UNIT_EQ(p.kind, ROC_PACKET_META);
	UNIT_EQ(p.first_event, UINT64_C(1) << 50);
	UNIT_EQ(p.fragments, 9);
	UNIT_EQ(p.flags, ROC_PACKET_GAP);
	UNIT_EQ(roc_packet_fragment(&p, &f), 0);
	UNIT_EQ(roc_packet_odin(&p, &odin), -EINVAL);
	UNIT_EQ(roc_packet_meta(&p, &meta), 0);
	UNIT_EQ(meta.position, 0xfffffff0);
	UNIT_EQ(meta.bytes, 4096);
	UNIT_EQ(meta.fragments, 9);
	UNIT_EQ(meta.truncated, 2);
	UNIT_EQ(meta.cycles, 99);
	UNIT_EQ(roc_packets_next(&walk, &p), 1);
	UNIT_EQ(p.kind, ROC_PACKET_ODIN);
	UNIT_EQ(p.first_event, 5);
	UNIT_EQ(p.source, 3);
	UNIT_EQ(roc_packet_fragment(&p, &f), 0);
	UNIT_EQ(roc_packet_meta(&p, &meta), -EINVAL);
	UNIT_EQ(roc_packet_odin(&p, &odin), 0);
	UNIT_EQ(odin.stream, 4);
	UNIT_EQ(odin.orbit, 7);
	UNIT_EQ(odin.bunch, 11);
	UNIT_EQ(odin.trigger, 1);
	UNIT_EQ(odin.word[5], 60);
	UNIT_EQ(roc_packets_next(&walk, &p), 0);
	((struct stream_meta *)data)->size = htole32(128);
	roc_packets_begin(&walk, data, used);
	BAD(roc_packets_next(&walk, &p), "the record has 128 bytes");
	((struct stream_odin *)(data + 64))->size = htole32(128);
	roc_packets_begin(&walk, data + 64, 64);
	BAD(roc_packets_next(&walk, &p), "but only 64");
}

/* With random bytes, the walk stays within the data and ends. */
static void noise(void)
{
	struct roc_packets walk;
	struct roc_fragment f;
	struct roc_packet p;
	unsigned int round, i, good = 0, bad = 0;
	unsigned char *data;
	int ret;

	srandom(4711);
	for (round = 0; round < 20000; round++) {
		fresh();
		add(1, 3, three, 2 + round % 5);
		add(4, 3, three, 2 + round % 5);
		data = at_the_end();
		for (i = 0; i <= round % 4; i++)
			data[random() % 64 + (round & 1) * (used / 2)] = random();
		roc_packets_begin(&walk, data, used);
		while ((ret = roc_packets_next(&walk, &p)) > 0) {
			while ((ret = roc_packet_fragment(&p, &f)) > 0)
				CU_ASSERT_TRUE((const unsigned char *)f.data >= data &&
					       (const unsigned char *)f.data + f.size <=
						       data + used);
			if (ret)
				break;
		}
		if (ret)
			bad++;
		else
			good++;
	}
	CU_ASSERT_TRUE(good > 100 && bad > 1000);
}

UNIT_MAIN("libroc_packet", {"valid packets of events", good_ones},
	  {"invalid headers and tables", bad_headers},
	  {"fragments that do not fit, or do not fill", bad_fragments},
	  {"meta and ODIN records", records}, {"noise stays inside", noise})
