// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the speed of the emulated card without a guest. A host in this process always has
 * superpages ready. The engine, the model and the copy loops run as they do for a guest; only the
 * register accesses need no socket.
 */
#include "emu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include "kmod/cards/crorc/crorc_regs.h"
#include "kmod/cards/cru/cru_regs.h"
#include "kmod/cards/p40/p40_regs.h"
#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_regs.h"
#include "kmod/stream/stream_regs.h"

#define MEMORY (128u << 20)
#define SUPERPAGE (1u << 20)
#define PLACES (MEMORY / SUPERPAGE - 1) /* the last one is for the C-RORC's completion blocks */
#define CRORC_SUPERPAGE (8 * SUPERPAGE) /* one at a time: the host needs time for the next */
#define BUS_ADDRESS 0x100000000ull
#define P40_RING 23 /* log2 of the bytes */
#define BLOCKS (PLACES * SUPERPAGE)

/* Memory layout of sub-unit s of a RobinNP: */
#define NP_DATA(s) (MEMORY / 2 * (s))
#define NP_FREE(s) (NP_DATA(s) + 4 * SUPERPAGE)
#define NP_COMMAND(s) (NP_DATA(s) + 5 * SUPERPAGE)
#define NP_DONE(s) (NP_DATA(s) + 6 * SUPERPAGE)
#define NP_TABLE(s) (NP_DATA(s) + 7 * SUPERPAGE)
#define NP_HOST(s) (NP_DATA(s) + 8 * SUPERPAGE)
#define NP_DATA_LOG2 18
#define NP_COMMAND_LOG2 16
#define NP_PAGES 32768 /* of a link */
#define NP_PAGE_LOG2 11
#define NP_HOST_PAGES 16384
#define NP_RATE 100000

/* The host's side of one function. */
struct host {
	struct function *f;
	uint8_t *memory;
	uint32_t pushed, next;
	unsigned int channels;	    /* C-RORC; streams of a PCIe40; of a RobinNP 1: fetch all */
	uint32_t read[P40_STREAMS]; /* positions */
	uint32_t taken[ROBINNP_SUBS], freed[ROBINNP_SUBS], requested[ROBINNP_SUBS]; /* counts */
	uint64_t bytes;
};

struct done {
	uint32_t size, count;
};

struct measurement {
	const char *name;
	const struct card_ops *ops;
	unsigned int functions, channels;
	uint32_t source;
	void (*start)(struct host *h, const struct measurement *m);
	void (*refill)(struct host *h);
	void (*finish)(struct host *h); /* final update of the byte count */
	unsigned int pause_us;
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

static uint64_t next_place(struct host *h, uint32_t size)
{
	uint64_t addr = BUS_ADDRESS + (uint64_t)h->next * size;

	h->next = (h->next + 1) % (PLACES * SUPERPAGE / size);
	return addr;
}

static void cru_push(struct host *h)
{
	uint64_t addr = next_place(h, SUPERPAGE);

	write_bar(h->f, CRU_BAR_DMA, CRU_SP_HIGH(0), addr >> 32);
	write_bar(h->f, CRU_BAR_DMA, CRU_SP_LOW(0), addr);
	write_bar(h->f, CRU_BAR_DMA, CRU_SP_PUSH(0), SUPERPAGE / CRU_PAGE_SIZE);
	h->pushed++;
}

static void cru_start(struct host *h, const struct measurement *m)
{
	struct function *f = h->f;

	write_bar(f, CRU_BAR_CARD, CRU_DATAPATH(f->nr) + CRU_DATAPATH_ENABLE, 1);
	write_bar(f, CRU_BAR_DMA, CRU_DATA_SOURCE, m->source);
	write_bar(f, CRU_BAR_DMA, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	while (h->pushed < PLACES)
		cru_push(h);
	write_bar(f, CRU_BAR_DMA, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	write_bar(f, CRU_BAR_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_RUN);
}

static void cru_refill(struct host *h)
{
	uint32_t ready = read_bar(h->f, CRU_BAR_DMA, CRU_SP_READY(0));

	while (h->pushed - ready < PLACES) {
		write_bar(h->f, CRU_BAR_DMA, CRU_SP_SIZE(0), CRU_SP_SIZE_ADVANCE);
		cru_push(h);
	}
}

static void cru_finish(struct host *h)
{
	h->bytes = (uint64_t)read_bar(h->f, CRU_BAR_DMA, CRU_SP_READY(0)) * SUPERPAGE;
}

static volatile struct done *block(struct host *h, unsigned int channel)
{
	return (volatile struct done *)(h->memory + BLOCKS) + channel;
}

static void crorc_push(struct host *h, unsigned int channel)
{
	uint64_t addr = next_place(h, CRORC_SUPERPAGE);

	block(h, channel)->count = CRORC_DONE_COUNT_START + 1; /* not a valid count */
	write_bar(h->f, channel, CRORC_SP_HIGH, addr >> 32);
	write_bar(h->f, channel, CRORC_SP_LOW, addr);
	write_bar(h->f, channel, CRORC_SP_SIZE, CRORC_SUPERPAGE);
}

static void crorc_start(struct host *h, const struct measurement *m)
{
	uint64_t blocks = BUS_ADDRESS + BLOCKS;
	unsigned int c;

	h->channels = m->channels;
	for (c = 0; c < m->channels; c++) {
		write_bar(h->f, c, CRORC_DONE_LOW, blocks + c * sizeof(struct done));
		write_bar(h->f, c, CRORC_DONE_HIGH, blocks >> 32);
		write_bar(h->f, c, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
		write_bar(h->f, c, CRORC_GENERATOR, CRORC_GENERATOR_RUN);
		crorc_push(h, c);
	}
}

static void crorc_refill(struct host *h)
{
	unsigned int c;

	for (c = 0; c < h->channels; c++) {
		if (block(h, c)->count > CRORC_DONE_COUNT_START)
			continue;
		h->bytes += block(h, c)->size;
		crorc_push(h, c);
	}
}

static void nothing_left(struct host *h)
{
}

/* A ring of 8 MiB for each stream, its control page behind all of them. */
static uint64_t p40_page(unsigned int stream)
{
	return BLOCKS + 4096ull * stream;
}

static const volatile struct stream_state *p40_state(struct host *h, unsigned int stream)
{
	return (const volatile struct stream_state *)(h->memory + p40_page(stream));
}

static void p40_begin(struct host *h, unsigned int stream)
{
	uint64_t ring = BUS_ADDRESS + ((uint64_t)stream << P40_RING), page = p40_page(stream);

	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + STREAM_RING_LOW, ring);
	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + STREAM_RING_HIGH, ring >> 32);
	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + STREAM_PAGE_LOW, BUS_ADDRESS + page);
	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + STREAM_PAGE_HIGH, BUS_ADDRESS >> 32);
	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + STREAM_RING_SIZE, P40_RING);
	write_bar(h->f, P40_BAR_DMA, P40_STREAM(stream) + BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	write_bar(h->f, P40_BAR_CARD, P40_SETTINGS(stream) + STREAM_SET_GENERATOR,
		  STREAM_GENERATOR_RUN);
}

static void p40_start(struct host *h, const struct measurement *m)
{
	const uint32_t main = P40_SETTINGS(P40_STREAM_MAIN);
	unsigned int s;

	h->channels = m->channels;
	write_bar(h->f, P40_BAR_CARD, main + STREAM_SET_SIZE_MIN, m->source);
	for (s = 0; s < m->channels; s++)
		p40_begin(h, s);
}

static void p40_refill(struct host *h)
{
	unsigned int s;

	for (s = 0; s < h->channels; s++) {
		uint32_t written = p40_state(h, s)->written;

		h->bytes += (uint64_t)(written - h->read[s]) * STREAM_LINE;
		h->read[s] = written;
		write_bar(h->f, P40_BAR_DMA, P40_DOORBELL(s) + STREAM_READ, written);
	}
}

static void np_write(struct host *h, unsigned int sub, uint32_t off, uint32_t value)
{
	write_bar(h->f, ROBINNP_BAR_DMA, ROBINNP_SUB(sub) + off, value);
}

static void np_base(struct host *h, unsigned int sub, uint32_t off, uint64_t at)
{
	np_write(h, sub, off, BUS_ADDRESS + at);
	np_write(h, sub, off + 4, (BUS_ADDRESS + at) >> 32);
}

static void np_free_page(struct host *h, unsigned int sub, uint32_t word)
{
	uint32_t *ring = (uint32_t *)(h->memory + NP_FREE(sub));

	ring[fragment_slot(h->freed[sub]++, NP_DATA_LOG2)] = word;
}

static void np_begin(struct host *h, unsigned int sub)
{
	uint64_t *table = (uint64_t *)(h->memory + NP_TABLE(sub));
	uint32_t i, l;

	for (i = 0; i < NP_HOST_PAGES; i++)
		table[i] = BUS_ADDRESS + NP_HOST(sub) + (i << NP_PAGE_LOG2);
	np_base(h, sub, FRAGMENT_DATA_LOW, NP_DATA(sub));
	np_base(h, sub, FRAGMENT_FREE_LOW, NP_FREE(sub));
	np_base(h, sub, FRAGMENT_COMMAND_LOW, NP_COMMAND(sub));
	np_base(h, sub, FRAGMENT_DONE_LOW, NP_DONE(sub));
	np_base(h, sub, FRAGMENT_TABLE_LOW, NP_TABLE(sub));
	np_write(h, sub, FRAGMENT_DATA_SIZE, NP_DATA_LOG2);
	np_write(h, sub, FRAGMENT_FREE_SIZE, NP_DATA_LOG2);
	np_write(h, sub, FRAGMENT_COMMAND_SIZE, NP_COMMAND_LOG2);
	np_write(h, sub, FRAGMENT_HOST_PAGES, NP_HOST_PAGES);
	np_write(h, sub, FRAGMENT_HOST_PAGE_SIZE, NP_PAGE_LOG2);
	np_write(h, sub, FRAGMENT_PAGES, NP_PAGES);
	np_write(h, sub, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	for (l = 0; l < ROBINNP_LINKS; l++) {
		for (i = 0; i < NP_PAGES; i++)
			np_free_page(h, sub, FRAGMENT_PAGE(l, i));
	}
	write_bar(h->f, ROBINNP_BAR_DMA, ROBINNP_DOORBELL(sub) + FRAGMENT_FREE, h->freed[sub]);
}

static void np_start(struct host *h, const struct measurement *m)
{
	unsigned int i;

	h->channels = m->channels;
	for (i = 0; i < ROBINNP_SUBS; i++)
		np_begin(h, i);
	for (i = 0; i < ROBINNP_SUBS * ROBINNP_LINKS; i++) {
		uint32_t link = ROBINNP_LINK(i);

		write_bar(h->f, ROBINNP_BAR_CARD, link + FRAGMENT_LINK_SIZE_MIN, m->source);
		write_bar(h->f, ROBINNP_BAR_CARD, link + FRAGMENT_LINK_RATE, NP_RATE);
		write_bar(h->f, ROBINNP_BAR_CARD, link + FRAGMENT_LINK_GENERATOR,
			  FRAGMENT_GENERATOR_RUN);
	}
}

static void np_request(struct host *h, unsigned int sub, uint32_t word)
{
	struct fragment_command *ring = (void *)(h->memory + NP_COMMAND(sub));
	uint32_t count = h->requested[sub]++;

	ring[fragment_slot(count, NP_COMMAND_LOG2)] = (struct fragment_command){
		.page = word,
		.host_page = count % NP_HOST_PAGES,
		.tag = count,
		.op = FRAGMENT_OP_TRANSFER | FRAGMENT_OP_RELEASE,
	};
}

static void np_serve(struct host *h, unsigned int sub)
{
	const struct fragment_descriptor *ring = (void *)(h->memory + NP_DATA(sub));
	uint32_t done = read_bar(h->f, ROBINNP_BAR_DMA, ROBINNP_SUB(sub) + FRAGMENT_COMPLETIONS);

	while (h->requested[sub] - done < 1u << NP_COMMAND_LOG2) {
		uint32_t count = h->taken[sub];
		const struct fragment_descriptor *d = &ring[fragment_slot(count, NP_DATA_LOG2)];
		uint32_t status = __atomic_load_n(&d->status, __ATOMIC_ACQUIRE);

		if ((status & FRAGMENT_PHASE) != fragment_phase(count, 0, NP_DATA_LOG2))
			break;
		h->taken[sub]++;
		h->bytes += d->size;
		if (h->channels)
			np_request(h, sub, d->page);
		else
			np_free_page(h, sub, d->page);
	}
	write_bar(h->f, ROBINNP_BAR_DMA, ROBINNP_DOORBELL(sub) + FRAGMENT_FREE, h->freed[sub]);
	write_bar(h->f, ROBINNP_BAR_DMA, ROBINNP_DOORBELL(sub) + FRAGMENT_COMMAND,
		  h->requested[sub]);
}

static void np_refill(struct host *h)
{
	unsigned int i;

	for (i = 0; i < ROBINNP_SUBS; i++)
		np_serve(h, i);
}

/* Set up memory, the mapping, and the PCI enables. */
static int prepare(struct host *h, struct function *f)
{
	struct vu_dma_map map = {
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.address = BUS_ADDRESS,
		.size = MEMORY,
	};
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	int fd = memfd_create("speed", 0);

	if (fd < 0 || ftruncate(fd, MEMORY) || function_map(f, &map, fd)) {
		perror("roc-emu: memory");
		return -1;
	}
	h->memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h->memory == MAP_FAILED)
		return -1;
	/* Touch all pages before the measurement starts. */
	memset(h->memory, 0, MEMORY);
	close(fd);
	h->f = f;
	function_config_write(f, PCI_COMMAND, &command, sizeof(command));
	return 0;
}

static int measure(const struct measurement *m, double seconds)
{
	struct emu *emu = emu_create(m->ops);
	struct host host[CARD_FUNCTIONS] = {0};
	uint64_t start, elapsed, bytes = 0;
	unsigned int i;
	int rc = 1;

	if (!emu || emu_start(emu)) {
		fprintf(stderr, "roc-emu: cannot start\n");
		return 1;
	}
	for (i = 0; i < m->functions; i++) {
		if (prepare(&host[i], &emu->fn[i]))
			goto out;
	}
	for (i = 0; i < m->functions; i++)
		m->start(&host[i], m);
	start = emu_now();
	do {
		for (i = 0; i < m->functions; i++)
			m->refill(&host[i]);
		if (m->pause_us)
			usleep(m->pause_us);
		elapsed = emu_now() - start;
	} while (elapsed < seconds * 1e9);
	for (i = 0; i < m->functions; i++) {
		m->finish(&host[i]);
		bytes += host[i].bytes;
	}
	printf("%-6s %-22s %6.2f GB/s\n", m->ops->name, m->name, (double)bytes / elapsed);
	rc = 0;
out:
	emu_destroy(emu);
	for (i = 0; i < m->functions; i++) {
		if (host[i].memory && host[i].memory != MAP_FAILED)
			munmap(host[i].memory, MEMORY);
	}
	return rc;
}

#define CRU(name, functions, source)                                                               \
	{                                                                                          \
		name, &cru_card, functions, 1, source, cru_start, cru_refill, cru_finish, 500      \
	}
#define CRORC(name, channels)                                                                      \
	{                                                                                          \
		name, &crorc_card, 1, channels, 0, crorc_start, crorc_refill, nothing_left, 20     \
	}

#define P40(name, streams, fragment)                                                               \
	{                                                                                          \
		name, &p40_card, 1, streams, fragment, p40_start, p40_refill, nothing_left, 100    \
	}

/* Limited by the generators: 12 links at 100 kHz, if the card keeps up. */
#define ROBINNP(name, fetch, fragment)                                                             \
	{                                                                                          \
		name, &robinnp_card, 1, fetch, fragment, np_start, np_refill, nothing_left, 500    \
	}

int speed_run(double seconds)
{
	static const struct measurement list[] = {
		CRU("internal, 1 endpoint", 1, CRU_DATA_SOURCE_INTERNAL),
		CRU("internal, 2 endpoints", 2, CRU_DATA_SOURCE_INTERNAL),
		CRU("ddg, 1 endpoint", 1, CRU_DATA_SOURCE_DATAPATH),
		CRU("ddg, 2 endpoints", 2, CRU_DATA_SOURCE_DATAPATH),
		CRORC("1 channel", 1),
		CRORC("6 channels", 6),
		P40("main, 100 B", 1, 100),
		P40("main, 1 KiB", 1, 1024),
		P40("main, 16 KiB", 1, 16384),
		P40("7 streams, 1 KiB", 7, 1024),
		ROBINNP("12 links, cleared", 0, 1000),
		ROBINNP("12 links, 400 B", 1, 400),
		ROBINNP("12 links, 1600 B", 1, 1600),
	};
	unsigned int i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (measure(&list[i], seconds))
			return 1;
	}
	return 0;
}
