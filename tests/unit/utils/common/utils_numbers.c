// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the parsers for numbers, sizes, times and lists of links: they accept a text exactly or
 * reject it.
 */
#include "unit.h"

#include <stdint.h>

#include "utils/common/numbers.h"

#define MARK UINT64_C(0x1122334455667788)

/* Expect a rejected text and an unchanged value. */
static void refuse64(const char *(*parse)(const char *, uint64_t *), const char *text)
{
	uint64_t v = MARK;
	const char *reason = parse(text, &v);

	if (!reason)
		unit_note("\"%s\" was accepted as %llu", text, (unsigned long long)v);
	CU_ASSERT_PTR_NOT_NULL(reason);
	UNIT_EQ(v, MARK);
}

static void accept64(const char *(*parse)(const char *, uint64_t *), const char *text,
		     uint64_t expected)
{
	uint64_t v = MARK;
	const char *reason = parse(text, &v);

	if (reason)
		unit_note("\"%s\" %s", text, reason);
	CU_ASSERT_PTR_NULL(reason);
	UNIT_EQ(v, expected);
}

static void refuse32(const char *(*parse)(const char *, uint32_t *), const char *text)
{
	uint32_t v = (uint32_t)MARK;
	const char *reason = parse(text, &v);

	if (!reason)
		unit_note("\"%s\" was accepted as 0x%x", text, v);
	CU_ASSERT_PTR_NOT_NULL(reason);
	UNIT_EQ(v, (uint32_t)MARK);
}

static void accept32(const char *(*parse)(const char *, uint32_t *), const char *text,
		     uint32_t expected)
{
	uint32_t v = (uint32_t)MARK;
	const char *reason = parse(text, &v);

	if (reason)
		unit_note("\"%s\" %s", text, reason);
	CU_ASSERT_PTR_NULL(reason);
	UNIT_EQ(v, expected);
}

static void hexadecimal(void)
{
	accept32(number_hex32, "0x18", 0x18);
	accept32(number_hex32, "18", 0x18);
	accept32(number_hex32, "0XdeadBEEF", 0xdeadbeef);
	accept32(number_hex32, "0", 0);
	accept32(number_hex32, "000000000ffffffff", 0xffffffff);
	refuse32(number_hex32, "100000000");
	refuse32(number_hex32, "0x");
	refuse32(number_hex32, "");
	refuse32(number_hex32, "0x1g");
	refuse32(number_hex32, "-4");
	refuse32(number_hex32, "0x0x4");
	refuse32(number_hex32, "4 ");
}

static void value(void)
{
	accept64(number_value, "0", 0);
	accept64(number_value, "010", 10);
	accept64(number_value, "0x10", 16);
	accept64(number_value, "18446744073709551615", UINT64_MAX);
	accept64(number_value, "0xffffffffffffffff", UINT64_MAX);
	refuse64(number_value, "18446744073709551616");
	refuse64(number_value, "0x10000000000000000");
	refuse64(number_value, "99999999999999999999999");
	refuse64(number_value, "");
	refuse64(number_value, "0x");
	refuse64(number_value, "-1");
	refuse64(number_value, "+1");
	refuse64(number_value, " 1");
	refuse64(number_value, "1 ");
	refuse64(number_value, "1f");
	refuse64(number_value, "1.5");
	accept32(number_value32, "10", 10);
	accept32(number_value32, "0x10", 16);
	accept32(number_value32, "4294967295", UINT32_MAX);
	refuse32(number_value32, "4294967296");
	refuse32(number_value32, "0x1ffffffff");
	refuse32(number_value32, "1f");
	refuse32(number_value32, "-1");
	refuse32(number_value32, "");
}

static void size(void)
{
	accept64(number_size, "4096", 4096);
	accept64(number_size, "0xfffffff0", UINT64_C(0xfffffff0));
	accept64(number_size, "1k", 1000);
	accept64(number_size, "1Ki", 1024);
	accept64(number_size, "3M", 3000000);
	accept64(number_size, "3Mi", 3 << 20);
	accept64(number_size, "2G", 2000000000);
	accept64(number_size, "1Gi", 1 << 30);
	accept64(number_size, "1T", UINT64_C(1000000000000));
	accept64(number_size, "1Ti", UINT64_C(1) << 40);
	accept64(number_size, "1P", UINT64_C(1000000000000000));
	accept64(number_size, "1Pi", UINT64_C(1) << 50);
	accept64(number_size, "1E", UINT64_C(1000000000000000000));
	accept64(number_size, "15Ei", UINT64_C(15) << 60);
	refuse64(number_size, "16Ei");
	refuse64(number_size, "19E");
	refuse64(number_size, "1K");
	refuse64(number_size, "1ki");
	refuse64(number_size, "1KiB");
	refuse64(number_size, "1GB");
	refuse64(number_size, "1 G");
	refuse64(number_size, "1i");
	refuse64(number_size, "k");
	refuse64(number_size, "");
	refuse64(number_size, "1.5Gi");
	refuse64(number_size, "-1Gi");
	refuse64(number_size, "0x");
	refuse64(number_size, "0x1k");
	refuse64(number_size, "0x10000000000000000");
}

static void time_span(void)
{
	accept64(number_time, "5h30m10s", 5 * 3600 + 30 * 60 + 10);
	accept64(number_time, "90s", 90);
	accept64(number_time, "2h", 7200);
	accept64(number_time, "1h5s", 3605);
	accept64(number_time, "0s", 0);
	accept64(number_time, "1s2h3m", 2 * 3600 + 3 * 60 + 1);
	refuse64(number_time, "90");
	refuse64(number_time, "5m5");
	refuse64(number_time, "");
	refuse64(number_time, "s");
	refuse64(number_time, "5s3m2s");
	refuse64(number_time, "5m3m");
	refuse64(number_time, "1d");
	refuse64(number_time, "-5s");
	refuse64(number_time, "5 s");
	refuse64(number_time, "4294967296s");
	/* It must fit in 64 bits as nanoseconds. */
	accept64(number_time, "1193046h28m15s", UINT32_MAX);
	refuse64(number_time, "1193046h28m16s");
	refuse64(number_time, "4294967295h");
}

static void links(void)
{
	accept32(number_links, "0", 1);
	accept32(number_links, "0-11", 0xfff);
	accept32(number_links, "0,2,4-6", 0x75);
	accept32(number_links, "31", 0x80000000);
	accept32(number_links, "0-31", 0xffffffff);
	accept32(number_links, "3,3", 8);
	accept32(number_links, "0xa5", 0xa5);
	refuse32(number_links, "");
	refuse32(number_links, "32");
	refuse32(number_links, "5-2");
	refuse32(number_links, "1,");
	refuse32(number_links, ",1");
	refuse32(number_links, "1-");
	refuse32(number_links, "-1");
	refuse32(number_links, "1;2");
	refuse32(number_links, "0x0");
	refuse32(number_links, "0xg");
	refuse32(number_links, "all");
	refuse32(number_links, "0-99999999999");
}

static void ports(void)
{
	static const char *const bad[] = {"", "http", "0x50", "-1", " 80", "80 ", "65536"};
	uint16_t port = 7;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_PTR_NOT_NULL(number_port(bad[i], &port));
		UNIT_EQ(port, 7);
	}
	CU_ASSERT_PTR_NULL(number_port("65535", &port));
	UNIT_EQ(port, 65535);
	CU_ASSERT_PTR_NULL(number_port("0", &port));
	UNIT_EQ(port, 0);
}

UNIT_MAIN("utils numbers", {"hexadecimal numbers", hexadecimal},
	  {"decimal numbers, or with 0x", value}, {"sizes", size}, {"times", time_span},
	  {"lists of links", links}, {"ports", ports})
