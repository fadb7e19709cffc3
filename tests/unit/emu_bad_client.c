// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients that take away what they gave: memory that is cut off. What they do must not stop the
 * card, nor be taken for a mistake of the card.
 */
#include "emu_client.h"

static uint64_t cleared(const char *name)
{
	struct json j = {0};

	control_run(vu.emu, "clear", &j);
	json_free(&j);
	return counted(name);
}

static void memory_is_cut_off(void)
{
	uint32_t word;

	begin_dma();
	push(BASE + 0x100000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	UNIT_EQ(counted("memory_lost"), 0);
	UNIT_NEED(!ftruncate(vu.memory_fd, 0x200000));
	push(BASE + 0x300000, PAGES);
	push(BASE + 0x180000, PAGES);
	push(BASE + 0x300000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 4, LIMIT_MS));
	/* The card did what it was told. */
	CU_ASSERT(counted("memory_lost") >= 2 * PAGES);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(counted("dma_writes"), 4 * PAGES);
	memcpy(&word, vu.memory + 0x180000 + BYTES - 4, 4);
	UNIT_EQ(word, 3 * BYTES / 32 - 1);
	UNIT_EQ(cleared("memory_lost"), 0);
	/* Mapped anew it is good again. */
	UNIT_NEED(!ftruncate(vu.memory_fd, MEMORY));
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	push(BASE + 0x300000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 5, LIMIT_MS));
	memcpy(&word, vu.memory + 0x300000 + BYTES - 4, 4);
	UNIT_EQ(word, 5 * BYTES / 32 - 1);
	UNIT_EQ(counted("memory_lost"), 0);
	end();
}

/* At whatever moment of its copying. */
static void cut_off_while_data_flow(void)
{
	unsigned int round, i;

	begin_dma();
	for (round = 0; round < 20; round++) {
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		for (i = 0; i < 100; i++)
			push(BASE + i % 8 * (1 << 20), (1 << 20) / CRU_PAGE_SIZE);
		UNIT_EQ(bar_read(0, CRU_DMA_CONTROL), CRU_DMA_CONTROL_START);
		usleep(100 * round);
		UNIT_NEED(!ftruncate(vu.memory_fd, 0));
		UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 100, 10 * LIMIT_MS));
		UNIT_NEED(!ftruncate(vu.memory_fd, MEMORY));
		UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
		UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	}
	CU_ASSERT(counted("memory_lost") > 0);
	UNIT_EQ(counted("dma_outside"), 0);
	end();
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{"memory is cut off", memory_is_cut_off},
		{"memory is cut off while data flow", cut_off_while_data_flow},
	};

	freopen("/dev/null", "w",
		stderr); /* what it says about this is not for the test's reader */
	return unit_run("bad clients", tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
