// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test truncated DMI tables and tables with wrong bytes. No memory is mapped behind the last byte,
 * so an access there crashes.
 */
#include "unit.h"

#include "tests/unit/utils/node/check/server_dmi.h"

#include <sys/mman.h>

#include "utils/node/check/machine.h"

#define TABLE 8192 /* bytes, of pages */
#define ROUNDS 20000

/* Map TABLE bytes with an unmapped page behind them. */
static uint8_t *before_hole(void)
{
	uint8_t *memory =
		mmap(NULL, 2 * TABLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	UNIT_NEED(memory != MAP_FAILED);
	UNIT_NEED(!mprotect(memory + TABLE, TABLE, PROT_NONE));
	return memory;
}

static size_t whole(uint8_t *table)
{
	static const unsigned int filled[] = {6, 4};
	size_t length = server_dmi_table(table, filled, 2);

	UNIT_NEED(length > 500 && length < TABLE);
	return length;
}

static unsigned int modules(const struct dmi *dmi)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < dmi->modules; i++)
		count += dmi->module[i].bytes > 0;
	return count;
}

static void right(void)
{
	uint8_t table[TABLE];
	struct dmi dmi;

	UNIT_EQ(dmi_parse(table, whole(table), &dmi), 0);
	CU_ASSERT_FALSE(dmi.damaged);
	UNIT_EQ(dmi.processors, 2);
	UNIT_EQ(dmi.modules, 24);
	UNIT_EQ(modules(&dmi), 10);
	UNIT_EQ(dmi.module[0].bytes, 16ull << 30);
	UNIT_EQ(dmi.module[0].speed, 2666);
	UNIT_STR(dmi.module[0].locator, "P1-DIMMA1");
	UNIT_STR(dmi.module[0].bank, "BANK 0");
	UNIT_STR(dmi.module[23].locator, "P2-DIMMF2");
	dmi_free(&dmi);
}

/*
 * The structures before the cut are parsed, and the cut is detected, also after a complete
 * structure.
 */
static void cut(void)
{
	uint8_t table[TABLE], *hole = before_hole();
	size_t length = whole(table), cut_at, before = 0;
	struct dmi dmi;

	for (cut_at = 0; cut_at < length; cut_at++) {
		uint8_t *at = hole + TABLE - cut_at;

		memcpy(at, table, cut_at);
		UNIT_EQ(dmi_parse(at, cut_at, &dmi), 0);
		CU_ASSERT(dmi.modules >= before && dmi.modules <= 24);
		before = dmi.modules;
		/* A cut between two structures cannot be detected. */
		if (cut_at && cut_at < length - 6 && table[cut_at - 1])
			CU_ASSERT_TRUE(dmi.damaged);
		dmi_free(&dmi);
	}
	UNIT_EQ(before, 24);
	munmap(hole, 2 * TABLE);
}

/* Structures that are too short for their type, and strings that are too long. */
static void odd(void)
{
	static const uint8_t stubs[][6] = {{17, 4}, {16, 4}, {4, 4}, {127, 4}, {17, 5, 0, 0, 9}};
	uint8_t *hole = before_hole(), *at;
	uint8_t device[0x12] = {17, sizeof(device), [0x0d] = 4, [0x10] = 1, [0x11] = 200};
	char letters[201];
	const char *const texts[] = {letters, "BANK", NULL};
	struct dmi dmi;
	size_t i;

	for (i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		at = hole + TABLE - sizeof(stubs[0]);
		memcpy(at, stubs[i], sizeof(stubs[0]));
		UNIT_EQ(dmi_parse(at, sizeof(stubs[0]), &dmi), 0);
		UNIT_EQ(dmi.modules, stubs[i][0] == 17 && stubs[i][1] == 4);
		UNIT_EQ(modules(&dmi), 0);
		dmi_free(&dmi);
	}
	memset(letters, 'x', sizeof(letters) - 1);
	letters[sizeof(letters) - 1] = '\0';
	letters[3] = '\x1b';
	i = server_dmi_entry(hole, device, sizeof(device), texts);
	at = memmove(hole + TABLE - i, hole, i);
	UNIT_EQ(dmi_parse(at, i, &dmi), 0);
	UNIT_EQ(dmi.modules, 1);
	UNIT_EQ(modules(&dmi), 1);
	UNIT_EQ(strlen(dmi.module[0].locator), DMI_TEXT_MAX - 1);
	UNIT_EQ(dmi.module[0].locator[3], '?');
	UNIT_STR(dmi.module[0].bank, "");
	dmi_free(&dmi);
	munmap(hole, 2 * TABLE);
}

/* A reproducible pseudo-random number, so that failures can be repeated. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void wrong_bytes(void)
{
	uint8_t table[TABLE], *hole = before_hole();
	size_t length = whole(table), i, k;
	uint32_t state = 4711;
	uint8_t *at = hole + TABLE - length;
	struct dmi dmi;

	for (i = 0; i < ROUNDS; i++) {
		memcpy(at, table, length);
		for (k = 0; k < 1 + i % 8; k++)
			at[next_random(&state) % length] = (uint8_t)next_random(&state);
		UNIT_EQ(dmi_parse(at, length, &dmi), 0);
		CU_ASSERT(dmi.modules <= length / 4);
		for (k = 0; k < dmi.modules; k++)
			CU_ASSERT(strlen(dmi.module[k].locator) < DMI_TEXT_MAX &&
				  strlen(dmi.module[k].bank) < DMI_TEXT_MAX);
		dmi_free(&dmi);
	}
	munmap(hole, 2 * TABLE);
}

/* Tables of random bytes. */
static void noise(void)
{
	uint8_t *hole = before_hole();
	uint32_t state = 815;
	struct dmi dmi;
	size_t i, k;

	for (i = 0; i < ROUNDS / 10; i++) {
		size_t length = next_random(&state) % 600;
		uint8_t *at = hole + TABLE - length;

		for (k = 0; k < length; k++)
			at[k] = (uint8_t)next_random(&state);
		UNIT_EQ(dmi_parse(at, length, &dmi), 0);
		dmi_free(&dmi);
	}
	munmap(hole, 2 * TABLE);
}

UNIT_MAIN("the DMI table", {"valid table", right}, {"cut at every byte", cut},
	  {"wrong bytes", wrong_bytes}, {"noise", noise}, {"odd structures", odd})
