// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the checker with data of a C-RORC's generator: headers without a valid link, and one 32-bit
 * counter that continues through packets and superpages.
 */
#include "unit.h"

#include <stdint.h>

#include "utils/check/check.h"
#include "utils/check/rdh.h"

#define SUPERPAGE 65536
#define PACKET 8192
#define PAYLOAD ((PACKET - RDH_SIZE) / 4) /* words */

static uint32_t data[SUPERPAGE / 4] __attribute__((aligned(64)));
static struct error_log errors;
static struct checker checker;
static uint32_t used, counter, packet, orbit; /* of the next packet */
static uint32_t *last;
static uint64_t number;

static struct check_config config(void)
{
	return (struct check_config){
		.data = CHECK_RUNNING,
		.any_link = true,
		.enabled = true,
		.payload = true,
		.resync = true,
		.tf_check = true,
		.page_size = PACKET,
		.frequency = 1,
		.packet_modulo = 256,
		.tf_length = 256,
	};
}

static void start(struct check_config c)
{
	memset(&errors, 0, sizeof(errors));
	used = counter = packet = orbit = 0;
	number = 0;
	check_init(&checker, &c, &errors);
}

/* Add a packet of @words payload words. */
static void add(uint32_t words)
{
	uint32_t bytes = RDH_SIZE + 4 * words, i;

	UNIT_NEED(used + bytes <= SUPERPAGE);
	last = data + used / 4;
	memset(last, 0, RDH_SIZE);
	last[0] = htole32(7 | RDH_SIZE << 8);
	last[2] = htole32(bytes | bytes << 16);
	last[3] = htole32(19 | packet << 8 | 0xabc << 16);
	last[5] = htole32(orbit);
	for (i = 0; i < words; i++)
		last[RDH_SIZE / 4 + i] = htole32(counter++);
	packet = (packet + 1) % 256;
	used += bytes;
}

static uint64_t check(void)
{
	struct check_superpage sp = {
		.data = data, .received = used, .length = SUPERPAGE, .link = 0, .number = number++};

	used = 0;
	return check_superpage(&checker, &sp);
}

/* Add @n good superpages and expect no new error. */
static void go_on(unsigned int n, uint64_t errors_before)
{
	unsigned int i;

	for (; n; n--) {
		for (i = 0; i < 8; i++)
			add(PAYLOAD);
		UNIT_EQ(check(), 8);
	}
	UNIT_EQ(errors.count, errors_before);
	if (errors.count != errors_before)
		unit_note("%s", errors.last);
}

static void good(void)
{
	unsigned int i;

	start(config());
	counter = 0xffffff00; /* wraps */
	go_on(70, 0);	      /* the packet counter wraps as well */
	for (i = 1; i < 90; i++)
		add(i);
	UNIT_EQ(check(), 89);
	UNIT_EQ(errors.count, 0);
}

/* Any wrong byte of a payload is exactly one error. */
static void any_byte(void)
{
	uint32_t byte;

	for (byte = 4; byte < 4 * 300; byte++) {
		start(config());
		add(2);
		add(300);
		((unsigned char *)last)[RDH_SIZE + byte] ^= 1 << byte % 8;
		add(300);
		check();
		if (errors.count != 1) {
			UNIT_EQ(errors.count, 1);
			unit_note("byte %u", byte);
			return;
		}
	}
}

/* A wrong first word does not restart the counter. */
static void first_word(void)
{
	start(config());
	go_on(1, 0);
	add(PAYLOAD);
	last[RDH_SIZE / 4] ^= htole32(0x100);
	check();
	UNIT_EQ(errors.count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, "payload word 0 is 0x000"));
	go_on(3, 1);
}

static void words_are_missing(void)
{
	start(config());
	go_on(1, 0);
	counter += 1;
	go_on(1, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, "superpage 1 page 0"));
	counter -= 7;
	go_on(3, 2);
}

/* A lost packet is one error, not one for the header and one for the payload. */
static void packet_is_missing(void)
{
	start(config());
	go_on(1, 0);
	packet++;
	counter += PAYLOAD;
	go_on(3, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, "packet counter is 9, expected 8"));
}

static void broken_chain(void)
{
	start(config());
	add(PAYLOAD);
	add(PAYLOAD);
	last[2] = htole32(0);
	add(PAYLOAD);
	check();
	UNIT_EQ(errors.count, 1);
	go_on(2, 1);
}

static void not_resynchronised(void)
{
	struct check_config c = config();

	c.resync = false;
	start(c);
	go_on(1, 0);
	counter += 1;
	go_on(1, 8);
	counter -= 1;
	go_on(1, 8);
}

static void thinned_out(void)
{
	struct check_config c = config();

	c.frequency = 4;
	start(c);
	go_on(2, 0);
	add(PAYLOAD);
	add(PAYLOAD);
	last[RDH_SIZE / 4 + 7] ^= 1;
	check();
	UNIT_EQ(errors.count, 0);
	add(PAYLOAD);
	add(PAYLOAD);
	add(PAYLOAD);
	last[RDH_SIZE / 4 + 7] ^= 1;
	check();
	UNIT_EQ(errors.count, 1);
	/* Only headers are checked. */
	c = config();
	c.payload = false;
	start(c);
	go_on(1, 0);
	counter += 5;
	go_on(1, 0);
	packet++;
	go_on(1, 1);
}

/* The link in the header is checked where it is valid. */
static void links(void)
{
	struct check_config c = config();

	c.any_link = false;
	start(c);
	add(PAYLOAD);
	check();
	UNIT_EQ(errors.count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(errors.last, "the header has link 19"));
}

UNIT_MAIN("utils check running counter", {"good data", good},
	  {"any wrong payload byte is detected", any_byte}, {"wrong first word", first_word},
	  {"missing words", words_are_missing}, {"missing packet", packet_is_missing},
	  {"broken chain", broken_chain}, {"without resync", not_resynchronised},
	  {"check frequency", thinned_out}, {"link of the header", links})
