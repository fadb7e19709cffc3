// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast is the emulated card by itself? A host that always has superpages ready, in this
 * process: the engine, the model and the copy loops run as they do for a guest, only the register
 * accesses come without a socket.
 */
#include "emu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include "../../../kmod/cru_regs.h"

#define MEMORY (128u << 20)
#define SUPERPAGE (1u << 20)
#define BUS_ADDRESS 0x100000000ull

struct host {
	struct function *f;
	uint32_t pushed, next;
};

static void write_bar(struct function *f, unsigned int bar, uint32_t off, uint32_t value)
{
	function_bar_write(f, bar, off, &value, sizeof(value));
}

static uint32_t read_bar(struct function *f, unsigned int bar, uint32_t off)
{
	uint32_t value;

	function_bar_read(f, bar, off, &value, sizeof(value));
	return value;
}

static void push(struct host *h)
{
	uint64_t addr = BUS_ADDRESS + (uint64_t)h->next * SUPERPAGE;

	write_bar(h->f, CRU_BAR_DMA, CRU_SP_HIGH(0), addr >> 32);
	write_bar(h->f, CRU_BAR_DMA, CRU_SP_LOW(0), addr);
	write_bar(h->f, CRU_BAR_DMA, CRU_SP_PUSH(0), SUPERPAGE / CRU_PAGE_SIZE);
	h->next = (h->next + 1) % (MEMORY / SUPERPAGE);
	h->pushed++;
}

/* A guest's side of one function: memory, mapping, PCI enables, DMA start. */
static int prepare(struct host *h, struct function *f, uint32_t source)
{
	struct vu_dma_map map = {
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.address = BUS_ADDRESS,
		.size = MEMORY,
	};
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	int fd = memfd_create("speed", 0);
	void *memory;

	if (fd < 0 || ftruncate(fd, MEMORY) || function_map(f, &map, fd)) {
		perror("roc-emu: memory");
		return -1;
	}
	/* All pages there before the clock starts. */
	memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return -1;
	memset(memory, 0, MEMORY);
	munmap(memory, MEMORY);
	close(fd);
	h->f = f;
	function_config_write(f, PCI_COMMAND, &command, sizeof(command));
	write_bar(f, CRU_BAR_CARD, CRU_DATAPATH(f->nr) + CRU_DATAPATH_ENABLE, 1);
	write_bar(f, CRU_BAR_DMA, CRU_DATA_SOURCE, source);
	write_bar(f, CRU_BAR_DMA, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	while (h->pushed < CRU_FIFO_DEPTH_DEFAULT)
		push(h);
	write_bar(f, CRU_BAR_DMA, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	return 0;
}

static void refill(struct host *h)
{
	uint32_t ready = read_bar(h->f, CRU_BAR_DMA, CRU_SP_READY(0));

	while (h->pushed - ready < CRU_FIFO_DEPTH_DEFAULT) {
		write_bar(h->f, CRU_BAR_DMA, CRU_SP_SIZE(0), CRU_SP_SIZE_ADVANCE);
		push(h);
	}
}

static int measure(const char *name, uint32_t source, unsigned int functions, double seconds)
{
	struct emu *emu = emu_create(&cru_card);
	struct host host[CARD_FUNCTIONS] = {0};
	uint64_t start, elapsed, bytes = 0;
	int rc = 1;
	unsigned int i;

	if (!emu || emu_start(emu)) {
		fprintf(stderr, "roc-emu: cannot start\n");
		return 1;
	}
	for (i = 0; i < functions; i++) {
		if (prepare(&host[i], &emu->fn[i], source))
			goto out;
	}
	write_bar(&emu->fn[0], CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
	start = emu_now();
	do {
		for (i = 0; i < functions; i++)
			refill(&host[i]);
		usleep(500);
		elapsed = emu_now() - start;
	} while (elapsed < seconds * 1e9);
	for (i = 0; i < functions; i++)
		bytes += (uint64_t)read_bar(&emu->fn[i], CRU_BAR_DMA, CRU_SP_READY(0)) * SUPERPAGE;
	printf("%-10s %u endpoint%s %6.2f GB/s\n", name, functions, functions > 1 ? "s" : " ",
	       (double)bytes / elapsed);
	rc = 0;
out:
	emu_destroy(emu);
	return rc;
}

int speed_run(double seconds)
{
	static const struct {
		const char *name;
		uint32_t source;
	} sources[] = {
		{"internal", CRU_DATA_SOURCE_INTERNAL},
		{"ddg", CRU_DATA_SOURCE_DATAPATH},
	};
	unsigned int i, functions;

	for (i = 0; i < 2; i++) {
		for (functions = 1; functions <= CARD_FUNCTIONS; functions++) {
			if (measure(sources[i].name, sources[i].source, functions, seconds))
				return 1;
		}
	}
	return 0;
}
