// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the checker of packets with raw data headers with generated superpages: each class of error,
 * and broken chains.
 */
#include "unit.h"

#include <stdint.h>

#include "utils/check/check.h"
#include "utils/check/rdh.h"

#define SUPERPAGE 65536

static unsigned char data[SUPERPAGE] __attribute__((aligned(64)));
static struct error_log errors;
static struct checker checker;
static uint32_t used;	    /* bytes in the superpage so far */
static unsigned char *last; /* header of the packet added last */
static uint64_t number;

/* Values of the next packet; @packet counts up automatically. */
static struct {
	unsigned int link, packet;
	uint32_t orbit, trigger, counter;
} next;

static void set_word(unsigned char *rdh, unsigned int n, uint32_t value)
{
	value = htole32(value);
	memcpy(rdh + 4 * n, &value, 4);
}

static struct check_config config(enum check_data kind)
{
	return (struct check_config){
		.data = kind,
		.enabled = true,
		.payload = true,
		.resync = true,
		.tf_check = true,
		.page_size = 8192,
		.frequency = 1,
		.packet_modulo = 256,
		.tf_length = 256,
	};
}

static void start(struct check_config c)
{
	memset(&errors, 0, sizeof(errors));
	memset(&next, 0, sizeof(next));
	memset(data, 0, sizeof(data));
	used = 0;
	number = 0;
	check_init(&checker, &c, &errors);
}

static void add(uint32_t payload, uint32_t step)
{
	uint32_t i;

	UNIT_NEED(used + RDH_SIZE + payload <= SUPERPAGE);
	last = data + used;
	memset(last, 0, RDH_SIZE);
	set_word(last, 0, 7 | RDH_SIZE << 8 | 0xfee << 16);
	set_word(last, 2, step | (RDH_SIZE + payload) << 16);
	set_word(last, 3, next.link | next.packet << 8);
	set_word(last, 5, next.orbit);
	set_word(last, 8, next.trigger);
	for (i = 0; i < payload / 4; i++) {
		uint32_t c = next.counter + i / 4;
		uint32_t lane[4] = {c, c, c & 0xffff, 0};

		set_word(last + RDH_SIZE, i, lane[i % 4]);
	}
	next.counter += payload / 16;
	next.packet = (next.packet + 1) % 256;
	next.trigger = 0;
	used += step;
}

static uint64_t check_link(unsigned int link)
{
	struct check_superpage sp = {
		.data = data,
		.received = used,
		.length = SUPERPAGE,
		.link = link,
		.number = number++,
	};

	used = 0;
	return check_superpage(&checker, &sp);
}

static uint64_t check(void)
{
	return check_link(next.link);
}

/* Expect exactly one error that contains @part. */
static void one_error(const char *part)
{
	UNIT_EQ(errors.count, 1);
	if (!strstr(errors.last, part))
		unit_note("expected \"%s\" in \"%s\"", part, errors.last);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, part));
}

static void good(void)
{
	unsigned int tf, i;

	start(config(CHECK_DDG));
	next.counter = 0xfffe; /* the 16-bit lane wraps; later the payload has an odd length */
	for (tf = 0; tf < 200; tf++) {
		for (i = 0; i < 5; i++) {
			next.orbit = tf * 256 + i * 50;
			add(i == 4 ? 0 : 8128 - 16 * i, 8192);
		}
		UNIT_EQ(check(), 5);
	}
	UNIT_EQ(errors.count, 0);
	if (errors.count)
		unit_note("%s", errors.last);
}

static void packed(void)
{
	unsigned int i;

	start(config(CHECK_DDG));
	for (i = 0; i < 40; i++)
		add(100 + 4 * i, (RDH_SIZE + 100 + 4 * i + 31) / 32 * 32);
	UNIT_EQ(check(), 40);
	UNIT_EQ(errors.count, 0);
	/* Packets at unaligned offsets. */
	add(4, RDH_SIZE + 5);
	add(4, RDH_SIZE + 4);
	UNIT_EQ(check(), 2);
	UNIT_EQ(errors.count, 0);
}

static void versions(void)
{
	unsigned int version;

	for (version = 0; version < 10; version++) {
		start(config(CHECK_HEADERS));
		add(16, 8192);
		set_word(last, 0, version | RDH_SIZE << 8);
		check();
		UNIT_EQ(errors.count, version < 5 || version > 7);
	}
	one_error("invalid header: version 9");
	start(config(CHECK_HEADERS));
	add(16, 8192);
	set_word(last, 0, 7 | 32 << 8);
	add(16, 8192);
	UNIT_EQ(check(), 2);
	one_error("header size 32");
}

static void offset_to_next(unsigned int step, const char *what)
{
	start(config(CHECK_DDG));
	add(16, 8192);
	add(16, 8192);
	set_word(last, 2, step | (RDH_SIZE + 16) << 16);
	add(16, 8192);
	UNIT_EQ(check(), 1);
	one_error(what);
	/* The next superpage is checked as if nothing had happened. */
	next.packet += 3;
	add(16, 8192);
	UNIT_EQ(check(), 1);
	UNIT_EQ(errors.count, 1);
}

static void broken_chains(void)
{
	unsigned int i;

	offset_to_next(0, "page 1 (offset 0x2000): offset to next is 0; 0x4000 bytes skipped");
	offset_to_next(1, "smaller than a header");
	offset_to_next(63, "smaller than a header");
	/*
	 * The offset leads out of the superpage, and out of the received data: a record that is
	 * 4099 bytes short.
	 */
	start(config(CHECK_HEADERS));
	for (i = 0; i < 8; i++)
		add(16, 8192);
	set_word(last, 2, 8193 | (RDH_SIZE + 16) << 16);
	UNIT_EQ(check(), 7);
	one_error("is beyond the received data");
	start(config(CHECK_DDG));
	for (i = 0; i < 8; i++)
		add(16, 8192);
	used -= 4099;
	UNIT_EQ(check(), 7);
	one_error("is beyond the received data");
	/* The rest is too short for a header. */
	start(config(CHECK_HEADERS));
	add(0, RDH_SIZE);
	used += 63;
	UNIT_EQ(check(), 1);
	one_error("too short for a header");
	/* Without checking, the packets are not walked through. */
	struct check_config c = config(CHECK_DDG);
	CU_ASSERT_TRUE(check_counts_pages(&c));
	c.enabled = false;
	CU_ASSERT_FALSE(check_counts_pages(&c));
	start(c);
	add(16, 8192);
	set_word(last, 2, 0);
	UNIT_EQ(check(), 0);
	UNIT_EQ(errors.count, 0);
	/* Only zeros. */
	start(config(CHECK_DDG));
	used = SUPERPAGE;
	UNIT_EQ(check(), 0);
	UNIT_EQ(errors.count, 1);
}

static void memory_size(void)
{
	start(config(CHECK_DDG));
	add(16, 8192);
	set_word(last, 2, 8192 | 63 << 16);
	check();
	one_error("memory size 0x3f is outside 0x40..0x2000");
	start(config(CHECK_DDG));
	add(16, 96);
	set_word(last, 2, 96 | 97 << 16);
	check();
	one_error("memory size 0x61 is outside 0x40..0x60");
	/* Fits in the offset to the next packet, but was not received. */
	start(config(CHECK_DDG));
	add(256, 8192);
	used = RDH_SIZE + 255;
	check();
	one_error("is beyond the received data; 0x13f bytes skipped");
}

static void link_id(void)
{
	start(config(CHECK_DDG));
	next.link = 5;
	add(16, 8192);
	check_link(5);
	UNIT_EQ(errors.count, 0);
	add(16, 8192);
	check_link(6);
	one_error("link 6 superpage 1 page 0 (offset 0x0): the header has link 5");
}

static void packet_counter(void)
{
	start(config(CHECK_DDG));
	next.packet = 250;
	add(16, 8192);
	add(16, 8192);
	check();
	next.packet = 254;
	add(16, 8192);
	add(16, 8192);
	add(16, 8192); /* wraps to 0 */
	check();
	one_error("packet counter is 254, expected 252");
}

static void packet_modulo(void)
{
	struct check_config c = config(CHECK_DDG);
	unsigned int i;

	c.packet_modulo = 10;
	start(c);
	for (i = 0; i < 25; i++) {
		next.packet = i % 10;
		add(16, 96);
	}
	check();
	UNIT_EQ(errors.count, 0);
	next.packet = 6;
	add(16, 96);
	check();
	UNIT_EQ(errors.count, 1);
}

static void packet_no_resync(void)
{
	struct check_config c = config(CHECK_DDG);

	c.resync = false;
	start(c);
	add(16, 96);
	next.packet = 5;
	add(16, 96);
	add(16, 96);
	check();
	UNIT_EQ(errors.count, 2);
}

static void links_apart(void)
{
	struct {
		unsigned int packet;
		uint32_t orbit;
	} state[3] = {{0, 0}, {100, 0}, {200, 512}};
	unsigned int i, link;

	start(config(CHECK_DDG));
	for (i = 0; i < 60; i++) {
		link = i * i % 3;
		next.link = link;
		next.packet = state[link].packet;
		next.orbit = state[link].orbit;
		add(16, 8192);
		add(16, 8192);
		check();
		state[link].packet = next.packet;
		state[link].orbit += 256;
	}
	UNIT_EQ(errors.count, 0);
}

static void frame_inside(void)
{
	start(config(CHECK_HEADERS));
	next.orbit = 255;
	add(16, 8192);
	next.orbit = 256;
	add(16, 8192);
	next.orbit = 257;
	add(16, 8192);
	check();
	one_error("page 1 (offset 0x2000): orbit 0x100 starts a time frame inside a superpage");
	next.orbit = 511;
	add(16, 8192);
	check();
	next.orbit = 512;
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 1);
}

static void frame_backwards(void)
{
	start(config(CHECK_HEADERS));
	next.orbit = 1000;
	add(16, 8192);
	next.orbit = 767;
	add(16, 8192);
	next.orbit = 700;
	add(16, 8192);
	check();
	one_error("orbit 0x2ff belongs to an earlier time frame");
	next.orbit = 768;
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 1);
}

static void frame_from_trigger(void)
{
	start(config(CHECK_HEADERS));
	next.orbit = 100;
	next.trigger = RDH_TRIGGER_SOC;
	add(16, 8192);
	next.orbit = 355; /* beyond 256, but the frame starts at 100 */
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 0);
	next.orbit = 356;
	add(16, 8192);
	next.orbit = 612;
	add(16, 8192);
	check();
	one_error("orbit 0x264 starts");
	start(config(CHECK_HEADERS));
	next.orbit = 7;
	add(16, 8192);
	next.orbit = 300;
	next.trigger = RDH_TRIGGER_SOT; /* a run starts: never an error */
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 0);
}

static void frame_wraps(void)
{
	start(config(CHECK_HEADERS));
	next.orbit = 0xffffff00;
	add(16, 8192);
	next.orbit = 0xffffffff; /* the frame ends at 0 */
	add(16, 8192);
	check();
	next.orbit = 0;
	add(16, 8192);
	check();
	next.orbit = 256;
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 0);
	next.orbit = 512;
	add(16, 8192);
	next.orbit = 768;
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 1);
}

static void frame_off(void)
{
	struct check_config c = config(CHECK_HEADERS);

	c.tf_check = false;
	start(c);
	add(16, 8192);
	next.orbit = 5000;
	add(16, 8192);
	check();
	UNIT_EQ(errors.count, 0);
}

/* Any wrong byte of a payload of any length is detected. */
static void any_byte(void)
{
	uint32_t bytes, i;

	for (bytes = 4; bytes <= 300; bytes += 37) {
		for (i = 0; i < bytes; i++) {
			start(config(CHECK_DDG));
			next.counter = 0xfff8;
			add(300, 8192);
			set_word(last, 2, 8192 | (RDH_SIZE + bytes) << 16);
			last[RDH_SIZE + i] ^= 1 << i % 8;
			check();
			/*
			 * The first lane defines the start of the counter, so an error in it alone
			 * cannot be detected.
			 */
			if (errors.count != (bytes > 4)) {
				UNIT_EQ(errors.count, bytes > 4);
				unit_note("length %u byte %u", bytes, i);
				return;
			}
		}
	}
}

static void payload_message(void)
{
	start(config(CHECK_DDG));
	next.counter = 0x1234;
	add(160, 8192);
	set_word(last + RDH_SIZE, 4 * 4 + 1, 0x77);
	check();
	one_error("page 0 (offset 0x0): payload byte 0x44 is in 0x00000077, expected 0x00001238");
}

static void payload_not_checked(void)
{
	struct check_config c = config(CHECK_DDG);

	c.payload = false;
	start(c);
	add(160, 8192);
	last[RDH_SIZE + 50] ^= 1;
	check();
	UNIT_EQ(errors.count, 0);
	/* Front-end data have no pattern. */
	start(config(CHECK_HEADERS));
	add(160, 8192);
	last[RDH_SIZE + 50] ^= 1;
	check();
	UNIT_EQ(errors.count, 0);
	/* Every second payload. */
	c = config(CHECK_DDG);
	c.frequency = 2;
	start(c);
	add(160, 8192);
	add(160, 8192);
	last[RDH_SIZE + 50] ^= 1;
	check();
	UNIT_EQ(errors.count, 0);
	add(160, 8192);
	last[RDH_SIZE + 50] ^= 1;
	check();
	UNIT_EQ(errors.count, 1);
}

/* With random bytes, the walk ends and never reads out of bounds (run under valgrind to check). */
static void garbage(void)
{
	unsigned int i, n;

	start(config(CHECK_DDG));
	srandom(1);
	for (n = 0; n < 300; n++) {
		for (i = 0; i < SUPERPAGE; i++)
			data[i] = (unsigned char)random();
		used = (uint32_t)random() % (SUPERPAGE + 1);
		CU_ASSERT_TRUE(check_link(n % 16) <= SUPERPAGE / RDH_SIZE);
	}
	CU_ASSERT_TRUE(errors.count >= 300);
}

UNIT_MAIN("utils check rdh", {"good data", good}, {"packed packets", packed},
	  {"header versions", versions}, {"broken chains", broken_chains},
	  {"memory size", memory_size}, {"link id", link_id}, {"packet counter", packet_counter},
	  {"limit of the packet counter", packet_modulo},
	  {"packet counter without resync", packet_no_resync},
	  {"links are independent", links_apart}, {"time frame inside a superpage", frame_inside},
	  {"earlier time frame", frame_backwards},
	  {"frames start at the trigger", frame_from_trigger}, {"orbit wraps", frame_wraps},
	  {"frames not checked", frame_off}, {"any wrong payload byte is detected", any_byte},
	  {"payload message", payload_message}, {"payload not checked", payload_not_checked},
	  {"garbage", garbage})
