// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A card left running without a driver. See left.h.
 */
#include "left.h"

#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/cards/cru/cru_regs.h"
#include "kmod/cards/p40/p40_regs.h"
#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "kmod/stream/stream_regs.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu.h"
#include "limit.h"

#define LENGTH_LOG2 21
#define LENGTH (1u << LENGTH_LOG2)
#define COMMAND 4 /* in configuration space */
#define COMMAND_MEMORY_MASTER 6
#define RESET_MS 100
#define QUEUED "\"queued\":"
#define BAR_MAP 4096
#define P40_MAP 8192 /* settings and blocks of the first streams */
/* Pages of each link: rings of 1 MiB at most, and fragments for a minute. */
#define ROBINNP_PAGES 10000
#define ROBINNP_RATE 100
#define ROBINNP_RINGS_LOG2 16
#define ROBINNP_COMMANDS_LOG2 6

static int master_bus(const char *address)
{
	char path[96];
	uint16_t command;
	int fd, err = 0;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, 2, COMMAND) != 2)
		err = -EIO;
	command |= COMMAND_MEMORY_MASTER;
	if (!err && pwrite(fd, &command, 2, COMMAND) != 2)
		err = -EIO;
	close(fd);
	return err;
}

static volatile uint32_t *map_bar(const char *address, unsigned int bar, size_t length)
{
	char path[96];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource%u", address, bar);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static void start_cru(volatile uint32_t *bar, uint64_t bus)
{
	bar[CRU_DATA_SOURCE / 4] = CRU_DATA_SOURCE_INTERNAL;
	bar[CRU_RESET_CONTROL / 4] = CRU_RESET_GENERAL;
	sleep_ms(RESET_MS);
	bar[CRU_SP_HIGH(0) / 4] = bus >> 32;
	bar[CRU_SP_LOW(0) / 4] = bus;
	bar[CRU_SP_PUSH(0) / 4] = LENGTH / CRU_PAGE_SIZE;
	bar[CRU_DMA_CONTROL / 4] = CRU_DMA_CONTROL_START;
	(void)bar[CRU_DMA_CONTROL / 4];
}

static void start_crorc(volatile uint32_t *bar, uint64_t bus, uint64_t done)
{
	bar[CRORC_CARD_CSR / 4] = CRORC_CARD_CSR_RESET;
	bar[CRORC_DONE_LOW / 4] = done;
	bar[CRORC_DONE_HIGH / 4] = done >> 32;
	bar[CRORC_CHAN_CSR / 4] = CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK;
	bar[CRORC_GENERATOR / 4] = CRORC_GENERATOR_RUN;
	bar[CRORC_SP_HIGH / 4] = bus >> 32;
	bar[CRORC_SP_LOW / 4] = bus;
	bar[CRORC_SP_SIZE / 4] = LENGTH;
	(void)bar[CRORC_CHAN_CSR / 4];
}

/* The other BAR enables the data of its generator. */
static void start_p40(volatile uint32_t *bar, volatile uint32_t *card, uint64_t bus, uint64_t done)
{
	volatile uint32_t *stream = bar + P40_STREAM(P40_STREAM_MAIN) / 4;
	volatile uint32_t *settings = card + P40_SETTINGS(P40_STREAM_MAIN) / 4;

	settings[STREAM_SET_SIZE_MIN / 4] = 1000;
	settings[STREAM_SET_RATE / 4] = 0;
	settings[STREAM_SET_LIMIT / 4] = 0;
	settings[STREAM_SET_GENERATOR / 4] = STREAM_GENERATOR_RUN;
	stream[BLOCK_RESET / 4] = BLOCK_RESET_LOGIC;
	sleep_ms(RESET_MS);
	stream[STREAM_RING_LOW / 4] = bus;
	stream[STREAM_RING_HIGH / 4] = bus >> 32;
	stream[STREAM_RING_SIZE / 4] = LENGTH_LOG2;
	stream[STREAM_SEGMENT_SIZE / 4] = 0;
	stream[STREAM_PAGE_LOW / 4] = done;
	stream[STREAM_PAGE_HIGH / 4] = done >> 32;
	stream[STREAM_START / 4] = 0;
	stream[BLOCK_CONTROL / 4] = BLOCK_CONTROL_ENABLE;
	(void)stream[BLOCK_CONTROL / 4];
}

static int p40_running(const struct target *t, uint64_t bus, uint64_t done)
{
	volatile uint32_t *bar = map_bar(t->address[0], P40_BAR_DMA, P40_MAP);
	volatile uint32_t *card = map_bar(t->address[0], P40_BAR_CARD, P40_MAP);

	if (!bar || !card)
		return -errno;
	start_p40(bar, card, bus, done);
	munmap((void *)bar, P40_MAP);
	munmap((void *)card, P40_MAP);
	return 0;
}

static void generate_robinnp(volatile uint32_t *card)
{
	unsigned int l;

	for (l = 0; l < ROBINNP_LINKS; l++) {
		volatile uint32_t *link = card + ROBINNP_LINK(l) / 4;

		link[FRAGMENT_LINK_SIZE_MIN / 4] = 64;
		link[FRAGMENT_LINK_RATE / 4] = ROBINNP_RATE;
		link[FRAGMENT_LINK_LIMIT / 4] = 0;
		link[FRAGMENT_LINK_LIMIT / 4 + 1] = 0;
		link[FRAGMENT_LINK_GENERATOR / 4] = FRAGMENT_GENERATOR_RUN;
	}
}

/* @done: bus address of the ring of free pages, mapped at @frees. @bus: the other pages. */
static int start_robinnp(volatile uint32_t *bar, uint64_t bus, uint64_t done, __le32 *frees)
{
	const uint64_t half = LENGTH / 2;
	const uint32_t set[][2] = {
		{FRAGMENT_DATA_LOW, bus},
		{FRAGMENT_DATA_HIGH, bus >> 32},
		{FRAGMENT_DONE_LOW, bus + half},
		{FRAGMENT_DONE_HIGH, (bus + half) >> 32},
		{FRAGMENT_COMMAND_LOW, bus + half + LENGTH / 4},
		{FRAGMENT_COMMAND_HIGH, (bus + half + LENGTH / 4) >> 32},
		{FRAGMENT_FREE_LOW, done},
		{FRAGMENT_FREE_HIGH, done >> 32},
		{FRAGMENT_DATA_SIZE, ROBINNP_RINGS_LOG2},
		{FRAGMENT_FREE_SIZE, ROBINNP_RINGS_LOG2},
		{FRAGMENT_COMMAND_SIZE, ROBINNP_COMMANDS_LOG2},
		{FRAGMENT_HOST_PAGES, 0},
		{FRAGMENT_PAGES, ROBINNP_PAGES},
		{FRAGMENT_START, 0},
		{BLOCK_CONTROL, BLOCK_CONTROL_ENABLE},
	};
	volatile uint32_t *sub = bar + ROBINNP_SUB(0) / 4;
	int64_t end = now_ms() + patience_ms(RESET_MS);
	unsigned int i;

	for (i = 0; i < ROBINNP_PAGES * ROBINNP_LINKS; i++)
		frees[i] = htole32(FRAGMENT_PAGE(i % ROBINNP_LINKS, i / ROBINNP_LINKS));
	sub[BLOCK_RESET / 4] = BLOCK_RESET_LOGIC;
	sleep_ms(RESET_MS);
	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		sub[set[i][0] / 4] = set[i][1];
	while (!(sub[BLOCK_STATUS / 4] & BLOCK_STATUS_ENABLED)) {
		if (now_ms() > end)
			return -EIO;
		sleep_ms(1);
	}
	bar[(ROBINNP_DOORBELL(0) + FRAGMENT_FREE) / 4] = ROBINNP_PAGES * ROBINNP_LINKS;
	return 0;
}

static int robinnp_running(const struct target *t, uint64_t bus, uint64_t done, __le32 *frees)
{
	volatile uint32_t *bar = map_bar(t->address[0], ROBINNP_BAR_DMA, ROBINNP_BAR_DMA_SIZE);
	volatile uint32_t *card = map_bar(t->address[0], ROBINNP_BAR_CARD, ROBINNP_BAR_CARD_SIZE);
	int err;

	if (!bar || !card)
		return -errno;
	generate_robinnp(card);
	err = start_robinnp(bar, bus, done, frees);
	munmap((void *)bar, ROBINNP_BAR_DMA_SIZE);
	munmap((void *)card, ROBINNP_BAR_CARD_SIZE);
	return err;
}

int left_running(const struct target *t, uint64_t bus, uint64_t done, void *seen)
{
	bool crorc = t->type == ROC_CARD_CRORC;
	volatile uint32_t *bar;
	int err = master_bus(t->address[0]);

	if (err)
		return err;
	if (t->type == ROC_CARD_P40)
		return p40_running(t, bus, done);
	if (t->type == ROC_CARD_ROBINNP)
		return robinnp_running(t, bus, done, seen);
	bar = map_bar(t->address[0], crorc ? t->channel : CRU_BAR_DMA, BAR_MAP);
	if (!bar)
		return -errno;
	if (crorc)
		start_crorc(bar, bus, done);
	else
		start_cru(bar, bus);
	munmap((void *)bar, BAR_MAP);
	return 0;
}

static bool zero(const char *what, unsigned int ep, unsigned int number, uint64_t value)
{
	if (value)
		printf("# left: endpoint %u, %u: %s is 0x%llx\n", ep, number, what,
		       (unsigned long long)value);
	return !value;
}

static bool crorc_nothing(unsigned int card)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < CRORC_CHANNELS; i++) {
		good &= zero("DMA in the CSR", 0, i,
			     emu_peek(card, 0, i, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DMA);
		good &= zero("the generator", 0, i,
			     emu_peek(card, 0, i, CRORC_GENERATOR) & CRORC_GENERATOR_RUN);
	}
	return good;
}

static bool cru_nothing(unsigned int card)
{
	bool good = zero("run enable", 0, 0,
			 emu_peek(card, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN);
	unsigned int ep;

	for (ep = 0; ep < CRU_ENDPOINTS; ep++)
		good &= zero("DMA control", ep, 0,
			     emu_peek(card, ep, CRU_BAR_DMA, CRU_DMA_CONTROL));
	return good;
}

static bool p40_nothing(unsigned int card)
{
	bool good = true;
	unsigned int s;

	for (s = 0; s < P40_STREAMS; s++) {
		uint32_t status = emu_peek(card, 0, P40_BAR_DMA, P40_STREAM(s) + BLOCK_STATUS);

		good &= zero("run flags in the status", 0, s,
			     status & (BLOCK_STATUS_ENABLED | BLOCK_STATUS_LOADING));
		good &= zero("the status without QUIET", 0, s, ~status & BLOCK_STATUS_QUIET);
		good &= zero("the control register", 0, s,
			     emu_peek(card, 0, P40_BAR_DMA, P40_STREAM(s) + BLOCK_CONTROL));
	}
	return good;
}

static bool robinnp_nothing(unsigned int card)
{
	bool good = true;
	unsigned int s;

	for (s = 0; s < ROBINNP_SUBS; s++) {
		uint32_t status = emu_peek(card, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(s) + BLOCK_STATUS);

		good &= zero("run flags in the status", 0, s,
			     status & (BLOCK_STATUS_ENABLED | BLOCK_STATUS_LOADING));
		good &= zero("the status without QUIET", 0, s, ~status & BLOCK_STATUS_QUIET);
		good &= zero("the control register", 0, s,
			     emu_peek(card, 0, ROBINNP_BAR_DMA, ROBINNP_SUB(s) + BLOCK_CONTROL));
	}
	return good;
}

static bool card_nothing(const struct target *t)
{
	switch (t->type) {
	case ROC_CARD_CRORC:
		return crorc_nothing(t->card);
	case ROC_CARD_P40:
		return p40_nothing(t->card);
	case ROC_CARD_ROBINNP:
		return robinnp_nothing(t->card);
	default:
		return cru_nothing(t->card);
	}
}

bool left_nothing(const struct target *t)
{
	bool good = card_nothing(t);
	const char *counts = emu(t->card, "counts"), *p;

	/* Of all links. */
	for (p = counts; (p = strstr(p, QUEUED)); p += strlen(QUEUED))
		good &= zero("queued", 0, 0, strtoull(p + strlen(QUEUED), NULL, 10));
	good &= zero("an event channel enabled", 0, 0, !!strstr(counts, "\"enabled\":true"));
	return good;
}
