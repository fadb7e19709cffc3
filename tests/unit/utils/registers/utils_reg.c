// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the register tools: bit fields and the output line of a register.
 */
#include "unit.h"

#include <stdint.h>

#include "utils/registers/registers.h"

static char reason[512];

static void field(uint32_t position, uint32_t width, uint32_t value, uint32_t mask, uint32_t bits)
{
	uint32_t m = 0, b = 0;

	CU_ASSERT_TRUE(reg_field(position, width, value, &m, &b, reason, sizeof(reason)));
	UNIT_EQ(m, mask);
	UNIT_EQ(b, bits);
}

static void no_field(uint32_t position, uint32_t width, uint32_t value)
{
	uint32_t m = 1, b = 2;

	reason[0] = '\0';
	CU_ASSERT_FALSE(reg_field(position, width, value, &m, &b, reason, sizeof(reason)));
	CU_ASSERT_TRUE(strlen(reason) > 10);
	UNIT_EQ(m, 1);
	UNIT_EQ(b, 2);
}

static void fields(void)
{
	field(0, 1, 1, 1, 1);
	field(0, 1, 0, 1, 0);
	field(31, 1, 1, 0x80000000, 0x80000000);
	field(4, 8, 0xa5, 0xff0, 0xa50);
	field(0, 32, 0xffffffff, 0xffffffff, 0xffffffff);
	field(1, 31, 0x7fffffff, 0xfffffffe, 0xfffffffe);
	no_field(0, 1, 2);
	no_field(0, 0, 0);
	no_field(0, 33, 0);
	no_field(1, 32, 0);
	no_field(32, 1, 0);
	no_field(31, 2, 0);
	no_field(0, 4, 16);
	no_field(UINT32_MAX, 1, 0);
	no_field(UINT32_MAX, UINT32_MAX, 0);
}

static void line(void)
{
	char text[REG_LINE_MAX];

	reg_line(0x18, 0xdeadbeef, text);
	UNIT_STR(
		text,
		"  0x018  =>  0xdead.beef  =  0b1101.1110.1010.1101.1011.1110.1110.1111  =  3735928559");
	reg_line(0xc00004, 0, text);
	UNIT_STR(text,
		 "  0xc00004  =>  0x0000.0000  =  0b0000.0000.0000.0000.0000.0000.0000.0000  =  0");
	reg_line(0xfffffffc, 0xffffffff, text);
	UNIT_EQ(strlen(text),
		strlen("  0xfffffffc  =>  0xffff.ffff  =  0b1111.1111.1111.1111.1111.1111.1111.1111  =  4294967295"));
}

UNIT_MAIN("utils registers", {"bit fields", fields}, {"register line", line})
