// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA of the emulated card into guest memory over vfio-user: its addresses, what stops it, and how
 * fast.
 */
#include "emu_client.h"

static void dma_lands(void)
{
	uint32_t word;

	begin_dma();
	push(BASE + 0x100000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	bar_write(0, CRU_SP_SIZE(0), CRU_SP_SIZE_ADVANCE);
	UNIT_EQ(bar_read(0, CRU_SP_SIZE(0)), BYTES);
	memcpy(&word, vu.memory + 0x100000 + BYTES - 4, 4);
	UNIT_EQ(word, BYTES / 32 - 1);
	UNIT_EQ(vu.memory[0x100000 + BYTES], 0);
	UNIT_EQ(vu.memory[0xfffff], 0);
	UNIT_EQ(counted("bytes"), BYTES);
	/* A second range of the same file, from its middle on. */
	UNIT_EQ(map_region(0x10000, 1 << 20, 4 << 20, vu.memory_fd, RW), 0);
	push(0x18000, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 2, LIMIT_MS));
	memcpy(&word, vu.memory + (4 << 20) + 0x8000, 4);
	UNIT_EQ(word, BYTES / 32);
	UNIT_EQ(counted("dma_outside"), 0);
	end();
}

static void outside_is_seen(void)
{
	begin();
	UNIT_EQ(map_region(BASE, 1 << 20, 0, vu.memory_fd, RW), 0);
	UNIT_EQ(map_region(BASE + (2 << 20), 1 << 20, 2 << 20, vu.memory_fd,
			   VFIO_DMA_MAP_FLAG_READ),
		0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	bar_write(0, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
	bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	freopen("/dev/null", "w", stderr); /* its log lines are expected here */
	push(BASE + (1 << 20), 2);
	push(BASE + (2 << 20), 3);
	push(BASE + (1 << 20) - CRU_PAGE_SIZE, 2);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 3, LIMIT_MS));
	UNIT_EQ(counted("dma_outside"), 2 + 3 + 1);
	UNIT_EQ(vu.memory[(1 << 20) + 32], 0);
	UNIT_EQ(vu.memory[(2 << 20) + 32], 0);
	UNIT_EQ(vu.memory[(1 << 20) - CRU_PAGE_SIZE + 1], 5); /* five pages later */
	end();
}

static void bus_master_gate(void)
{
	begin_dma();
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	push(BASE, PAGES);
	UNIT_NEED(UNIT_WAIT(counted("dma_no_master") == 1, LIMIT_MS));
	UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(counted("dma_writes"), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	end();
}

static void unmaps(void)
{
	begin_dma();
	UNIT_EQ(map_region(0xfed00000, 0x1000, 0, -1, RW), 0);
	UNIT_EQ(counted("mappings"), 2);
	UNIT_EQ(unmap_region(0xfed00000, 0x1000, 0), 0);
	UNIT_EQ(vu.head.size, sizeof(vu.head) + sizeof(struct vu_dma_unmap));
	UNIT_EQ(map_region(0xfed00000, 0x1000, 0, -1, RW), 0);
	UNIT_EQ(unmap_region(0, 1ull << 48, 0), 0);
	UNIT_EQ(counted("mappings"), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	UNIT_EQ(unmap_region(0, 0, VFIO_DMA_UNMAP_FLAG_ALL), 0);
	UNIT_EQ(counted("mappings"), 0);
	end();
}

/* After the answer to an unmap the card writes nothing there, however busy it is. */
static void unmap_is_synchronous(void)
{
	unsigned int round, i, late = 0;

	freopen("/dev/null", "w", stderr);
	begin_dma();
	for (round = 0; round < 30; round++) {
		if (round)
			UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		for (i = 0; i < 100; i++)
			push(BASE + i % 8 * (1 << 20), (1 << 20) / CRU_PAGE_SIZE);
		UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
		memset(vu.memory, 0, MEMORY);
		usleep(1000);
		for (i = 0; i < MEMORY; i += CRU_PAGE_SIZE)
			late += vu.memory[i + 32] != 0;
	}
	UNIT_EQ(late, 0);
	/* The last pushes are still to be done. */
	CU_ASSERT(UNIT_WAIT(counted("dma_outside") > 0, LIMIT_MS));
	end();
}

/* The same for the general reset: when the next read is answered, the card is quiesced. */
static void reset_is_synchronous(void)
{
	unsigned int round, i, late = 0;
	uint64_t writes = 0;

	begin_dma();
	for (round = 0; round < 30; round++) {
		for (i = 0; i < 100; i++)
			push(BASE + i % 8 * (1 << 20), (1 << 20) / CRU_PAGE_SIZE);
		/* Reset at any moment, also while the card writes. */
		if (round % 2)
			UNIT_NEED(UNIT_WAIT(counted("dma_writes") != writes, LIMIT_MS));
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 0);
		memset(vu.memory, 0, MEMORY);
		usleep(1000);
		for (i = 0; i < MEMORY; i += CRU_PAGE_SIZE)
			late += vu.memory[i + 32] != 0;
		UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 0);
		writes = counted("dma_writes");
	}
	UNIT_EQ(late, 0);
	end();
}

static void resets(void)
{
	begin_dma();
	push(BASE, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	/* FLR by the device control register. */
	config_set(0x50 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	UNIT_EQ(config(PCI_COMMAND, 2), 0);
	UNIT_EQ(config(0x50 + PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_BCR_FLR, 0);
	/* An access before the configuration is restored. */
	bar_write(0, CRU_SCRATCH, 1); /* the read waits for it */
	UNIT_EQ(bar_read(0, CRU_SP_READY(0)), ~0u);
	UNIT_EQ(counted("reset_accesses"), 2);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 0);
	UNIT_EQ(bar_read(0, CRU_DMA_CONTROL), 0);
	UNIT_EQ(counted("mappings"), 1);
	bar_write(0, CRU_DATA_SOURCE, 1);
	UNIT_EQ(ask(VU_DEVICE_RESET, NULL, 0, -1), 0);
	UNIT_EQ(config(PCI_COMMAND, 2), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(bar_read(0, CRU_DATA_SOURCE), 0);
	UNIT_EQ(counted("function_resets"), 2);
	UNIT_EQ(counted("reset_accesses"), 2);
	end();
}

static void guest_comes_and_goes(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!i)
			begin_dma();
		bar_write(0, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
		bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
		push(BASE, PAGES);
		push(BASE, PAGES);
		UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 2, LIMIT_MS));
		disconnect_client();
		UNIT_EQ(counted("mappings"), 0);
		UNIT_EQ(vu.f->client_fd, -1);
		connect_client();
		UNIT_EQ(config(PCI_COMMAND, 2), 0);
		config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
		UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 0);
		UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	}
	end();
}

static void all_ones(void)
{
	struct json j = {0};

	begin_dma();
	push(BASE, PAGES);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 1, LIMIT_MS));
	control_run(vu.emu, "fault 0 all-ones", &j);
	UNIT_EQ(bar_read(0, CRU_SP_READY(0)), ~0u);
	UNIT_EQ(bar_read(2, CRU_SERIAL), ~0u);
	UNIT_EQ(config(PCI_VENDOR_ID, 4), ~0u);
	push(BASE, PAGES);
	config_set(PCI_COMMAND, 0, 2);
	control_run(vu.emu, "fault 0 clear all-ones", &j);
	json_free(&j);
	/* None of these writes arrived. */
	UNIT_EQ(bar_read(0, CRU_SP_READY(0)), 1);
	UNIT_EQ(counted("queued"), 0);
	UNIT_EQ(config(PCI_VENDOR_ID, 4), 0x003410dc);
	end();
}

/*
 * Register accesses are served while the engine works: 5 ms after the start of 1.6 GB the ready
 * count is not the last one. On a busy machine some attempts may fail, but not all.
 */
static void busy_engine_serves_registers(void)
{
	const double limit = 30 * slowness() * UNIT_PATIENCE;
	uint32_t first, fewest = ~0u, reads = 0, round, i;
	double start = unit_seconds();

	begin_dma();
	UNIT_EQ(map_region(BASE + MEMORY, MEMORY, 0, vu.memory_fd, RW), 0);
	for (round = 0; round < 5 || (fewest >= 50 && round < 20); round++) {
		bar_write(0, CRU_DMA_CONTROL, 0);
		bar_write(0, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
		for (i = 0; i < 100; i++)
			push(BASE, CRU_SUPERPAGE_MAX / CRU_PAGE_SIZE);
		bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
		usleep(5000); /* the engine holds the lock by now */
		first = bar_read(0, CRU_SP_READY(0));
		fewest = first < fewest ? first : fewest;
		while (bar_read(0, CRU_SP_READY(0)) < 100 && unit_seconds() - start < limit)
			reads++;
	}
	unit_note("%.1f GB/s beside %.0f register reads/s",
		  counted("bytes") / (unit_seconds() - start) / 1e9,
		  reads / (unit_seconds() - start));
	UNIT_EQ(counted("bytes"), round * 100ull * CRU_SUPERPAGE_MAX);
	UNIT_EQ(counted("dma_outside"), 0);
	CU_ASSERT(fewest < 50);
	end();
}

/* Without work the engine is idle nearly all the time, unless it waits for a processor. */
static bool idles(void)
{
	uint64_t run = counted("engine_run_ns"), idle = counted("engine_idle_ns");

	usleep(50000);
	run = counted("engine_run_ns") - run;
	idle = counted("engine_idle_ns") - idle;
	return idle >= 40000000 && run < 10000000;
}

/* Times with and without work: their sum never exceeds the elapsed time. */
static void engine_times(void)
{
	uint64_t run, idle, before, i;

	begin_dma();
	UNIT_EQ(map_region(BASE + MEMORY, MEMORY, 0, vu.memory_fd, RW), 0);
	CU_ASSERT(UNIT_WAIT(idles(), LIMIT_MS));
	for (i = 0; i < 100; i++)
		push(BASE, CRU_SUPERPAGE_MAX / CRU_PAGE_SIZE);
	before = emu_now();
	run = counted("engine_run_ns");
	idle = counted("engine_idle_ns");
	bar_write(0, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	UNIT_NEED(UNIT_WAIT(bar_read(0, CRU_SP_READY(0)) == 100, LIMIT_MS));
	run = counted("engine_run_ns") - run;
	idle = counted("engine_idle_ns") - idle;
	CU_ASSERT(run > 10000000);
	CU_ASSERT(run + idle <= emu_now() - before);
	end();
}

UNIT_MAIN("vfio-user server, DMA", {"DMA lands in guest memory", dma_lands},
	  {"DMA outside mappings", outside_is_seen}, {"bus mastering off", bus_master_gate},
	  {"unmap forms", unmaps}, {"unmap is synchronous", unmap_is_synchronous},
	  {"general reset is synchronous", reset_is_synchronous}, {"FLR and device reset", resets},
	  {"a guest connects and disconnects", guest_comes_and_goes}, {"all-ones", all_ones},
	  {"busy engine serves registers", busy_engine_serves_registers},
	  {"engine times", engine_times})
