// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bench-standin: a stand-in for a reader without a driver, as a reference in the same run. It
 * maps the registers of a CRU, polls its links in turn without sleeping, and for each superpage
 * reads one counter and one size and writes four registers. It does not read the data.
 *
 * It must run as root: it writes bus addresses to registers, which it finds in the page map, so
 * there must be no IOMMU. No other process may use the endpoint meanwhile. Without shared state it
 * runs for --seconds and prints its counts.
 */
#include "measured.h"

#include "kmod/cards/cru/cru_regs.h"
#include <roc/roc.h>

#include <errno.h>
#include <getopt.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/common/clock.h"

#define PCI_COMMAND 4
#define PCI_COMMAND_MASTER 4
#define RESET_MS 100
#define START_MS 10
#define SIZE_TRIES 100000
#define MI (UINT64_C(1) << 20)

/* Superpages in the card, in the order in which it fills them. */
struct link {
	unsigned int slot;
	uint32_t seen, pushed, taken;
	uint32_t ring[CRU_FIFO_DEPTH_DEFAULT];
};

static struct {
	struct roc_endpoint *ep;
	struct roc_ep_info info;
	struct roc_bar dma, card;
	struct roc_memory memory;
	uint64_t *bus; /* of each superpage */
	uint64_t superpage, buffer;
	struct link links[CRU_LINK_SLOTS];
	unsigned int count;
} standin;

static uint32_t get(const struct roc_bar *bar, uint32_t offset)
{
	return bar->regs[offset / 4];
}

static void put(const struct roc_bar *bar, uint32_t offset, uint32_t value)
{
	bar->regs[offset / 4] = value;
}

static void change(const struct roc_bar *bar, uint32_t offset, uint32_t mask, uint32_t value)
{
	put(bar, offset, (get(bar, offset) & ~mask) | value);
}

static void pause_ms(unsigned int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

/* Enables or disables bus mastering; no other process uses the card. */
static void bus_master(bool may)
{
	char path[80];
	uint16_t command;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", standin.info.pci_address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || pread(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		fail("%s: %s", path, strerror(errno));
	command = may ? command | PCI_COMMAND_MASTER : command & ~PCI_COMMAND_MASTER;
	if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		fail("%s: %s", path, strerror(errno));
	close(fd);
}

/* Superpages lie in hugepages, so the first byte's address gives all addresses. */
static void find_addresses(void)
{
	uint64_t n = standin.buffer / standin.superpage, i, word;
	long page = sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	standin.bus = calloc(n, sizeof(*standin.bus));
	if (fd < 0 || !standin.bus)
		fail("/proc/self/pagemap: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		uint64_t at = (uintptr_t)standin.memory.addr + i * standin.superpage;

		if (pread(fd, &word, sizeof(word), (off_t)(at / page * sizeof(word))) !=
			    sizeof(word) ||
		    !(word << 9))
			fail("the page map does not say where memory is");
		standin.bus[i] = (word & ((UINT64_C(1) << 55) - 1)) * page;
	}
	close(fd);
}

static void push(struct link *l, uint32_t index)
{
	put(&standin.dma, CRU_SP_HIGH(l->slot), (uint32_t)(standin.bus[index] >> 32));
	put(&standin.dma, CRU_SP_LOW(l->slot), (uint32_t)standin.bus[index]);
	put(&standin.dma, CRU_SP_PUSH(l->slot), (uint32_t)(standin.superpage / CRU_PAGE_SIZE));
	l->ring[l->pushed++ % CRU_FIFO_DEPTH_DEFAULT] = index;
}

/* The oldest superpage of a link is complete. */
static uint32_t take(struct link *l)
{
	unsigned int tries = SIZE_TRIES;
	uint32_t entry;

	put(&standin.dma, CRU_SP_SIZE(l->slot), CRU_SP_SIZE_ADVANCE);
	do {
		entry = get(&standin.dma, CRU_SP_SIZE(l->slot));
		if (!tries--)
			fail("link %u does not tell a size", l->slot);
	} while (entry >> CRU_SP_SIZE_INDEX_SHIFT != (l->taken & 0xff));
	if (!state->marks[BENCH_FIRST])
		mark(BENCH_FIRST);
	state->channels[0].superpages++;
	state->channels[0].bytes += entry & CRU_SP_SIZE_BYTES;
	return l->ring[l->taken++ % CRU_FIFO_DEPTH_DEFAULT];
}

/* One superpage of a link, if there is one. */
static bool turn(struct link *l, bool again)
{
	uint32_t index;

	if (get(&standin.dma, CRU_SP_READY(l->slot)) - l->seen == l->taken)
		return false;
	index = take(l);
	if (again)
		push(l, index);
	return true;
}

static void prepare(const char *id)
{
	uint32_t enabled, slot;

	if (roc_open(id, &standin.ep) || roc_info(standin.ep, &standin.info))
		fail("%s", roc_error());
	mark(BENCH_FOUND);
	if (standin.info.card_type != ROC_CARD_CRU || standin.info.caps & ROC_CAP_IOMMU)
		fail("only for a CRU without an IOMMU");
	if (roc_bar_map(standin.ep, CRU_BAR_DMA, true, &standin.dma) ||
	    roc_bar_map(standin.ep, CRU_BAR_CARD, true, &standin.card))
		fail("%s", roc_error());
	enabled = get(&standin.card, CRU_DATAPATH(standin.info.endpoint) + CRU_DATAPATH_ENABLE) &
		  CRU_DATAPATH_LINKS;
	for (slot = 0; slot < CRU_LINK_SLOTS; slot++) {
		if (enabled & 1u << slot)
			standin.links[standin.count++].slot = slot;
	}
	if (!standin.count)
		fail("no links are enabled");
	mark(BENCH_OPENED);
	if (roc_memory_alloc(standin.buffer, standin.info.numa_node, 0, &standin.memory))
		fail("%s", roc_error());
	mark(BENCH_ALLOCATED);
	/* Register accesses from the card's node are faster. */
	run_on_node(standin.info.numa_node);
	find_addresses();
	mark(BENCH_REGISTERED);
}

static void start(void)
{
	uint64_t n = standin.buffer / standin.superpage, i;

	put(&standin.dma, CRU_DATA_SOURCE, CRU_DATA_SOURCE_DATAPATH);
	change(&standin.card, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	put(&standin.dma, CRU_RESET_CONTROL, CRU_RESET_GENERATOR);
	pause_ms(RESET_MS);
	put(&standin.dma, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	pause_ms(RESET_MS);
	for (i = 0; i < standin.count; i++)
		standin.links[i].seen = get(&standin.dma, CRU_SP_READY(standin.links[i].slot));
	bus_master(true);
	put(&standin.dma, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	pause_ms(START_MS);
	change(&standin.card, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, CRU_USER_CONTROL_RUN);
	mark(BENCH_STARTED);
	for (i = 0; i < n && i / standin.count < CRU_FIFO_DEPTH_DEFAULT; i++)
		push(&standin.links[i % standin.count], (uint32_t)i);
	mark(BENCH_FILLED);
}

static void stop(void)
{
	unsigned int i, idle;

	change(&standin.dma, CRU_DMA_CONTROL, CRU_DMA_CONTROL_FLUSH, CRU_DMA_CONTROL_FLUSH);
	change(&standin.card, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN, 0);
	for (idle = 0; idle < 3; idle++, pause_ms(1)) {
		for (i = 0; i < standin.count; i++) {
			while (turn(&standin.links[i], false))
				idle = 0;
		}
	}
	state->channels[0].dropped = get(&standin.card, CRU_DATAPATH(standin.info.endpoint) +
								CRU_DATAPATH_DROPPED_PACKETS);
	/* The card must not reach this memory once another process has it. */
	put(&standin.dma, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	pause_ms(RESET_MS);
	put(&standin.dma, CRU_DMA_CONTROL, 0);
	bus_master(false);
}

static void run(uint64_t seconds)
{
	uint64_t end = seconds ? now_ns() + seconds * NS_PER_S : UINT64_MAX;
	unsigned int i;

	state->phase = BENCH_RUNNING;
	while (!state->stop && now_ns() < end) {
		for (i = 0; i < standin.count; i++)
			turn(&standin.links[i], true);
	}
}

/*
 * Also accepts options of the measured reader, and ignores them. The endpoint: ID/CHANNEL, as
 * there.
 */
static const char *parse(int argc, char **argv, uint64_t *seconds)
{
	const struct measured_option options[] = {
		{"superpage", .number = &standin.superpage},
		{"buffer", .number = &standin.buffer},
		{"seconds", .number = seconds},
		{.name = "source"},
		{.name = "mode"},
		{.name = "rest"},
		{.name = "batch"},
		{.name = "limit-ms"},
		{.name = NULL},
	};

	standin.superpage = MI;
	standin.buffer = 256 * MI;
	measured_parse(argc, argv, options);
	if (optind != argc - 1 || !standin.superpage || standin.superpage % CRU_PAGE_SIZE ||
	    standin.buffer < standin.superpage)
		measured_usage(
			"[--state FD | --seconds N] [--superpage BYTES] [--buffer BYTES] ID[/CHANNEL]");
	argv[optind][strcspn(argv[optind], "/")] = '\0';
	return argv[optind];
}

int main(int argc, char **argv)
{
	uint64_t begin, end, seconds = 0;
	const char *id = parse(argc, argv, &seconds);

	prepare(id);
	start();
	begin = now_ns();
	run(seconds);
	end = now_ns();
	if (seconds)
		printf("{\"seconds\":%.3f,\"superpages\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n",
		       (double)(end - begin) / 1e9, state->channels[0].superpages,
		       state->channels[0].bytes);
	stop();
	state->phase = BENCH_ENDED;
	roc_memory_free(&standin.memory);
	roc_bar_unmap(&standin.card);
	roc_bar_unmap(&standin.dma);
	roc_close(standin.ep);
	return 0;
}
