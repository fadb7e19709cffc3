// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40 through vfio-user: its configuration space, MSI-X through eventfds, a reader that
 * checks every byte while the engine runs, removed mappings.
 */
#include <endian.h>

#define CLIENT_CARD p40_card
#include "tests/unit/emu/server/emu_client_irq.h"
#include "kmod/cards/p40/p40_regs.h"
#include "kmod/stream/stream_packet.h"
#include "kmod/stream/stream_regs.h"

#define PAGE 0x1000u /* in the memory */
#define RING 0x400000u
#define LOG2 20

static void configuration(void)
{
	uint32_t at;

	begin();
	ids_and_bars_are(0xe04010dc);
	msix_is(P40_VECTORS, P40_MSIX_TABLE, P40_MSIX_PENDING);
	at = our_capability(STREAM_VSEC_ID, STREAM_VSEC_LENGTH);
	UNIT_EQ(config(at + VSEC_SIGNATURE, 4), STREAM_VSEC_SIGNATURE_VALUE);
	UNIT_EQ(config(at + STREAM_VSEC_STREAM, 4), 0x1000);
	UNIT_EQ(config(at + STREAM_VSEC_SETTINGS, 4), 0x1002);
	config_set(at + STREAM_VSEC_STREAM, 0, 4);
	UNIT_EQ(config(at + STREAM_VSEC_STREAM, 4), 0x1000);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(bar_read(0, P40_STREAM(6)), 0x57e00106);
	UNIT_EQ(bar_read(2, P40_CARD), STREAM_CARD_ID_VALUE);
	CU_ASSERT(replies("info", "\"card\":\"p40\",\"endpoints\":1,"));
	CU_ASSERT(replies("counts", "\"streams\":[{\"stream\":0,\"enabled\":false,"));
	control_is("wrong-position");
	end();
}

static void wr(uint32_t off, uint32_t value)
{
	bar_write(0, P40_STREAM(P40_STREAM_MAIN) + off, value);
}

static void set(uint32_t off, uint32_t value)
{
	bar_write(2, P40_SETTINGS(P40_STREAM_MAIN) + off, value);
}

static void enable(void)
{
	wr(STREAM_RING_LOW, (uint32_t)(BASE + RING));
	wr(STREAM_RING_HIGH, (BASE + RING) >> 32);
	wr(STREAM_PAGE_LOW, (uint32_t)(BASE + PAGE));
	wr(STREAM_PAGE_HIGH, BASE >> 32);
	wr(STREAM_RING_SIZE, LOG2);
	wr(BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(bar_read(0, P40_STREAM(0) + BLOCK_STATUS) & BLOCK_STATUS_ENABLED);
}

static uint32_t written(void)
{
	const struct stream_state *s = (const void *)(vu.memory + PAGE);

	return le32toh(__atomic_load_n(&s->written, __ATOMIC_ACQUIRE));
}

static void one_message(void)
{
	int fd[P40_VECTORS], i;

	begin_mapped();
	vectors_on(fd, P40_VECTORS);
	enable();
	wr(STREAM_ARM, 0);
	set(STREAM_SET_LIMIT, 10);
	set(STREAM_SET_PACK_EVENTS, 10);
	set(STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	CU_ASSERT(UNIT_WAIT(written(), LIMIT_MS));
	CU_ASSERT(UNIT_WAIT(came(fd[1]), LIMIT_MS));
	bar_read(0, P40_STREAM(0) + BLOCK_STATUS);
	for (i = 0; i < P40_VECTORS; i++) {
		UNIT_EQ(came(fd[i]), 0);
		close(fd[i]);
	}
	end();
}

/* Copy a packet out of the ring, which is not mapped twice here. */
static bool packet_ok(uint32_t position, uint64_t event, uint32_t *lines, uint32_t *events)
{
	static uint8_t unit[1 << LOG2];
	const struct stream_packet *p = (const void *)unit;
	uint32_t size, i, w, at, bytes;

	memcpy(unit, vu.memory + RING + (position * 64ull & ((1 << LOG2) - 1)), 64);
	size = p->size;
	if (p->magic != STREAM_MAGIC_PACKET || !size || size > sizeof(unit) / 2)
		return false;
	for (i = 0; i < size; i += 64)
		memcpy(unit + i, vu.memory + RING + ((position * 64ull + i) & ((1 << LOG2) - 1)),
		       64);
	at = p->data;
	for (i = 0; i < p->fragments; i++) {
		memcpy(&bytes, unit + STREAM_PACKET_SIZES(p->fragments) + 4 * i, 4);
		for (w = 0; w < bytes / 4; w++) {
			uint32_t word;

			memcpy(&word, unit + at + 4 * w, 4);
			if (word != stream_pattern(p->source, event + i) + w)
				return false;
		}
		at += (bytes + 7) / 8 * 8;
	}
	*lines = size / 64;
	*events = p->fragments;
	return p->first_event == event;
}

/* A reader while the engine runs: a position never comes before its data. */
static void every_byte(void)
{
	uint32_t read = 0xfffff000, lines, events;
	const double limit = 30 * slowness();
	uint64_t event = 0, bytes = 0;
	double begin_s, seconds = 0;
	bool ok = true;

	begin_mapped();
	wr(STREAM_START, read);
	set(STREAM_SET_SIZE_MIN, 100);
	set(STREAM_SET_SIZE_MAX, 5000);
	set(STREAM_SET_PACK_EVENTS, 20);
	enable();
	set(STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN | STREAM_GENERATOR_DISTRIBUTED);
	begin_s = unit_seconds();
	/* Run for a second, longer on machines where too little happens in that time. */
	while (ok && bytes < 256 << 20 && (seconds < 1 || (bytes <= 4 << 20 && seconds < limit))) {
		uint32_t end = written(), batch = 0;

		for (; ok && read != end; read += lines, event += events) {
			ok = packet_ok(read, event, &lines, &events);
			bytes += ok ? lines * 64 : 0;
			batch++;
			if (!ok)
				break;
		}
		if (batch)
			bar_write(0, P40_DOORBELL(0) + STREAM_READ, read);
		seconds = unit_seconds() - begin_s;
	}
	CU_ASSERT(ok);
	CU_ASSERT(bytes > 4 << 20);
	unit_note("%.2f GB/s, every byte checked", bytes / seconds / 1e9);
	UNIT_EQ(counted("host_errors"), 0);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(counted("throttled") + counted("truncated"), 0);
	end();
}

/* Unmap after a disable: no DMA is outside. Then unmap without a disable. */
static void unmapped(void)
{
	begin_mapped();
	enable();
	set(STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	CU_ASSERT(UNIT_WAIT(written(), LIMIT_MS));
	wr(BLOCK_CONTROL, 0);
	UNIT_EQ(bar_read(0, P40_STREAM(0) + BLOCK_STATUS), BLOCK_STATUS_QUIET);
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	usleep(5000);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd,
			   VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE),
		0);
	enable();
	CU_ASSERT(UNIT_WAIT(written(), LIMIT_MS));
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	bar_write(0, P40_DOORBELL(0), written());
	CU_ASSERT(UNIT_WAIT(counted("dma_outside"), LIMIT_MS));
	/* A function-level reset stops it. */
	config_set(0x50 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(bar_read(0, P40_STREAM(0) + BLOCK_STATUS), BLOCK_STATUS_QUIET);
	end();
}

static void all_ones(void)
{
	begin_mapped();
	enable();
	CU_ASSERT(replies("fault 0 all-ones", "\"ok\":true"));
	UNIT_EQ(bar_read(0, P40_STREAM(0) + BLOCK_STATUS), 0xffffffff);
	UNIT_EQ(bar_read(2, CARD_ID), 0xffffffff);
	set(STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN); /* lost */
	/* A write is posted, so read back before the control line. */
	UNIT_EQ(bar_read(2, CARD_ID), 0xffffffff);
	CU_ASSERT(replies("fault 0 clear all-ones", "\"ok\":true"));
	UNIT_EQ(bar_read(2, P40_SETTINGS(0) + STREAM_SET_GENERATOR), 0);
	UNIT_EQ(written(), 0);
	end();
}

static void no_words(void)
{
	begin_mapped();
	enable();
	no_words_into(P40_DOORBELL(0));
	UNIT_EQ(bar_read(0, P40_DOORBELL(0) + STREAM_READ), 0);
	UNIT_EQ(bar_read(0, P40_STREAM(0) + BLOCK_STATUS), BLOCK_STATUS_ENABLED);
	set(STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	CU_ASSERT(UNIT_WAIT(written(), LIMIT_MS));
	UNIT_EQ(counted("host_errors"), 0);
	end();
}

UNIT_MAIN("emulated PCIe40: from the wire", {"configuration space", configuration},
	  {"one message", one_message}, {"every byte while the engine runs", every_byte},
	  {"mappings that go", unmapped}, {"all ones", all_ones}, {"no words", no_words})
