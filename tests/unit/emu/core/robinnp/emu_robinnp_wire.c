// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP through vfio-user: its configuration space, MSI-X through eventfds, a host that
 * fetches reported fragments and checks every byte while the engine runs, removed mappings.
 */
#include <endian.h>

#define CLIENT_CARD robinnp_card
#include "tests/unit/emu/server/emu_client_irq.h"
#include "kmod/cards/robinnp/robinnp_regs.h"
#include "kmod/fragment/fragment_data.h"
#include "kmod/fragment/fragment_regs.h"

/* Memory layout of sub-unit s: */
#define PIECE(s) (MEMORY / 2 * (s))
#define DATA(s) PIECE(s) /* 1 << LOG2 entries */
#define FREE(s) (PIECE(s) + 0x40000)
#define COMMAND(s) (PIECE(s) + 0x60000) /* 1 << COMMAND_LOG2 entries */
#define DONE(s) (PIECE(s) + 0x80000)
#define TABLE(s) (PIECE(s) + 0xa0000)
#define HOST(s) (PIECE(s) + 0x100000)
#define LOG2 14
#define COMMAND_LOG2 9
#define HOST_LOG2 12
#define CARD_PAGES 2000

static struct {
	uint32_t taken, freed, requested, done;		   /* counts */
	uint32_t next[ROBINNP_LINKS];			   /* event ids */
	uint32_t host_page[1 << COMMAND_LOG2], host_pages; /* that are free */
	uint64_t fragments, transfers, bytes;
} reader[ROBINNP_SUBS];

static void configuration(void)
{
	uint32_t at;

	begin();
	ids_and_bars_are(0xe1a010dc);
	msix_is(ROBINNP_VECTORS, ROBINNP_MSIX_TABLE, ROBINNP_MSIX_PENDING);
	at = our_capability(FRAGMENT_VSEC_ID, FRAGMENT_VSEC_LENGTH);
	UNIT_EQ(config(at + VSEC_SIGNATURE, 4), FRAGMENT_VSEC_SIGNATURE_VALUE);
	UNIT_EQ(config(at + FRAGMENT_VSEC_LINK, 4), 0x2002);
	UNIT_EQ(config(at + FRAGMENT_VSEC_LINK_STRIDE, 4), 0x100);
	config_set(at + FRAGMENT_VSEC_LINK, 0, 4);
	UNIT_EQ(config(at + FRAGMENT_VSEC_LINK, 4), 0x2002);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(bar_read(0, ROBINNP_SUB(1)), 0xf7a00101);
	UNIT_EQ(bar_read(2, ROBINNP_CARD), FRAGMENT_CARD_ID_VALUE);
	CU_ASSERT(replies("info", "\"card\":\"robinnp\",\"endpoints\":1,"));
	CU_ASSERT(replies("counts", "\"subs\":[{\"sub\":0,\"enabled\":false,"));
	control_is("size-big");
	end();
}

static void wr(unsigned int s, uint32_t off, uint32_t value)
{
	bar_write(0, ROBINNP_SUB(s) + off, value);
}

static uint32_t status(unsigned int s)
{
	return bar_read(0, ROBINNP_SUB(s) + BLOCK_STATUS);
}

static void base(unsigned int s, uint32_t off, uint64_t at)
{
	wr(s, off, BASE + at);
	wr(s, off + 4, (BASE + at) >> 32);
}

static void ring_bell(unsigned int s, uint32_t which, uint32_t value)
{
	bar_write(0, ROBINNP_DOORBELL(s) + which, value);
}

static void give(unsigned int s, uint32_t word)
{
	uint32_t *ring = (uint32_t *)(vu.memory + FREE(s));

	__atomic_store_n(&ring[fragment_slot(reader[s].freed++, LOG2)], htole32(word),
			 __ATOMIC_RELAXED);
}

static void enable(unsigned int s)
{
	uint64_t *table = (uint64_t *)(vu.memory + TABLE(s));
	uint32_t l, p;

	memset(&reader[s], 0, sizeof(reader[s]));
	memset(vu.memory + PIECE(s), 0, HOST(s) - PIECE(s));
	base(s, FRAGMENT_DATA_LOW, DATA(s));
	base(s, FRAGMENT_FREE_LOW, FREE(s));
	base(s, FRAGMENT_COMMAND_LOW, COMMAND(s));
	base(s, FRAGMENT_DONE_LOW, DONE(s));
	base(s, FRAGMENT_TABLE_LOW, TABLE(s));
	for (p = 0; p < 1 << COMMAND_LOG2; p++) {
		table[p] = htole64(BASE + HOST(s) + (p << HOST_LOG2));
		reader[s].host_page[reader[s].host_pages++] = p;
	}
	wr(s, FRAGMENT_DATA_SIZE, LOG2);
	wr(s, FRAGMENT_FREE_SIZE, LOG2);
	wr(s, FRAGMENT_COMMAND_SIZE, COMMAND_LOG2);
	wr(s, FRAGMENT_HOST_PAGES, 1 << COMMAND_LOG2);
	wr(s, FRAGMENT_HOST_PAGE_SIZE, HOST_LOG2);
	wr(s, FRAGMENT_PAGES, CARD_PAGES);
	wr(s, BLOCK_CONTROL, BLOCK_CONTROL_ENABLE);
	UNIT_NEED(status(s) & BLOCK_STATUS_ENABLED);
	for (l = 0; l < ROBINNP_LINKS; l++) {
		for (p = 0; p < CARD_PAGES; p++)
			give(s, FRAGMENT_PAGE(l, p));
	}
	ring_bell(s, FRAGMENT_FREE, reader[s].freed);
}

/* Is entry @count of a ring present? */
static const uint32_t *entry(uint32_t at, uint32_t log2, uint32_t count)
{
	const uint32_t *word = (const uint32_t *)(vu.memory + at + 16 * fragment_slot(count, log2));
	uint32_t last = le32toh(__atomic_load_n(&word[3], __ATOMIC_ACQUIRE));

	return (last & FRAGMENT_PHASE) == fragment_phase(count, 0, log2) ? word : NULL;
}

static void one_message(void)
{
	int fd[ROBINNP_VECTORS], i;

	begin_mapped();
	vectors_on(fd, ROBINNP_VECTORS);
	enable(1);
	wr(1, FRAGMENT_ARM_DATA, 0);
	bar_write(2, ROBINNP_LINK(9) + FRAGMENT_LINK_LIMIT, 10);
	bar_write(2, ROBINNP_LINK(9) + FRAGMENT_LINK_GENERATOR, FRAGMENT_GENERATOR_RUN);
	CU_ASSERT(UNIT_WAIT(entry(DATA(1), LOG2, 9), LIMIT_MS));
	CU_ASSERT(UNIT_WAIT(came(fd[4]), LIMIT_MS));
	status(1);
	for (i = 0; i < ROBINNP_VECTORS; i++) {
		UNIT_EQ(came(fd[i]), 0);
		close(fd[i]);
	}
	end();
}

static bool content_ok(const uint32_t *word, uint32_t source, uint32_t event, uint32_t size)
{
	uint32_t pattern = fragment_pattern(source, event), i;

	if (word[0] != FRAGMENT_MAGIC || word[1] != event || word[2] != source || word[3] != size)
		return false;
	for (i = 4; i < size / 4; i++) {
		if (word[i] != pattern + i - 4)
			return false;
	}
	return true;
}

/* Every second event is fetched, the others are cleared. */
static bool take_in(unsigned int s)
{
	uint32_t *ring = (uint32_t *)(vu.memory + COMMAND(s));
	uint32_t before = reader[s].requested, cleared = reader[s].freed;
	const uint32_t *d;

	while (reader[s].host_pages && (d = entry(DATA(s), LOG2, reader[s].taken))) {
		uint32_t link = FRAGMENT_PAGE_LINK(d[1]);

		reader[s].taken++;
		if (link >= ROBINNP_LINKS || d[0] != reader[s].next[link]++ ||
		    d[3] & ~FRAGMENT_PHASE)
			return false;
		reader[s].fragments++;
		if (d[0] % 2) {
			give(s, d[1]);
			continue;
		}
		ring += 4 * fragment_slot(reader[s].requested++, COMMAND_LOG2);
		ring[0] = d[1];
		ring[1] = reader[s].host_page[--reader[s].host_pages];
		ring[2] = link << 16 | ring[1];
		ring[3] = FRAGMENT_OP_TRANSFER | FRAGMENT_OP_RELEASE;
		ring = (uint32_t *)(vu.memory + COMMAND(s));
	}
	if (reader[s].requested != before)
		ring_bell(s, FRAGMENT_COMMAND, reader[s].requested);
	if (reader[s].freed != cleared)
		ring_bell(s, FRAGMENT_FREE, reader[s].freed);
	return true;
}

static bool take_back(unsigned int s)
{
	const uint32_t *d;

	while ((d = entry(DONE(s), COMMAND_LOG2, reader[s].done))) {
		uint32_t page = d[0] & 0xffff, link = d[0] >> 16;
		uint32_t source =
			fragment_source(FRAGMENT_CARD_SOURCE_DEFAULT, s * ROBINNP_LINKS + link);

		reader[s].done++;
		if (FRAGMENT_DONE_STATUS(d[3]) != FRAGMENT_DONE_OK || d[2] % 2 ||
		    d[1] != fragment_size(source, d[2], 400, 1600) ||
		    !content_ok((uint32_t *)(vu.memory + HOST(s) + (page << HOST_LOG2)), source,
				d[2], d[1]))
			return false;
		reader[s].host_page[reader[s].host_pages++] = page;
		reader[s].transfers++;
		reader[s].bytes += d[1];
	}
	return true;
}

/* A host on all links while the engine runs: an entry never comes before its data. */
static void every_byte(void)
{
	const double limit = 30 * slowness();
	double begin_s, seconds;
	uint64_t fragments, transfers;
	bool ok = true, few;
	unsigned int l;

	begin_mapped();
	enable(0);
	enable(1);
	for (l = 0; l < 12; l++) {
		bar_write(2, ROBINNP_LINK(l) + FRAGMENT_LINK_SIZE_MIN, 400);
		bar_write(2, ROBINNP_LINK(l) + FRAGMENT_LINK_SIZE_MAX, 1600);
		bar_write(2, ROBINNP_LINK(l) + FRAGMENT_LINK_RATE, 100000);
		bar_write(2, ROBINNP_LINK(l) + FRAGMENT_LINK_GENERATOR, 3);
	}
	begin_s = unit_seconds();
	/* Run for a second, longer on machines where too little happens in that time. */
	do {
		for (l = 0; l < ROBINNP_SUBS; l++)
			ok = ok && take_in(l) && take_back(l);
		seconds = unit_seconds() - begin_s;
		few = reader[0].transfers <= 2000 || reader[1].transfers <= 2000;
	} while (ok && (seconds < 1 || (few && seconds < limit)));
	CU_ASSERT(ok);
	fragments = reader[0].fragments + reader[1].fragments;
	transfers = reader[0].transfers + reader[1].transfers;
	CU_ASSERT_FALSE(few);
	unit_note("%.0f fragments/s, %.0f transfers/s (%.2f GB/s), every byte checked",
		  fragments / seconds, transfers / seconds,
		  (reader[0].bytes + reader[1].bytes) / seconds / 1e9);
	UNIT_EQ(counted("host_errors"), 0);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(counted("bad_page") + counted("bad_free"), 0);
	end();
}

/* Unmap after a disable: no DMA is outside. Then unmap without a disable. */
static void unmapped(void)
{
	begin_mapped();
	enable(0);
	/* Use a low rate, so that the free pages last even if the machine is busy for seconds. */
	bar_write(2, ROBINNP_LINK(0) + FRAGMENT_LINK_RATE, 100);
	bar_write(2, ROBINNP_LINK(0) + FRAGMENT_LINK_GENERATOR, FRAGMENT_GENERATOR_RUN);
	CU_ASSERT(UNIT_WAIT(entry(DATA(0), LOG2, 0), LIMIT_MS));
	wr(0, BLOCK_CONTROL, 0);
	UNIT_EQ(status(0), BLOCK_STATUS_QUIET);
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	usleep(5000);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	enable(0);
	CU_ASSERT(UNIT_WAIT(entry(DATA(0), LOG2, 0), LIMIT_MS));
	UNIT_EQ(unmap_region(BASE, MEMORY, 0), 0);
	CU_ASSERT(UNIT_WAIT(counted("dma_outside"), LIMIT_MS));
	/* A ring that cannot be read disables the sub-unit. */
	ring_bell(0, FRAGMENT_COMMAND, 1);
	CU_ASSERT(UNIT_WAIT(status(0) & BLOCK_STATUS_FETCH_ERROR, LIMIT_MS));
	UNIT_EQ(status(0), BLOCK_STATUS_QUIET | BLOCK_STATUS_FETCH_ERROR);
	/* A function-level reset clears the error. */
	config_set(0x50 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(status(0), BLOCK_STATUS_QUIET);
	end();
}

static void all_ones(void)
{
	begin_mapped();
	enable(0);
	CU_ASSERT(replies("fault 0 all-ones", "\"ok\":true"));
	UNIT_EQ(status(0), 0xffffffff);
	UNIT_EQ(bar_read(2, CARD_ID), 0xffffffff);
	/* The write is lost. It is posted, so read back before the control line. */
	bar_write(2, ROBINNP_LINK(0) + FRAGMENT_LINK_GENERATOR, FRAGMENT_GENERATOR_RUN);
	UNIT_EQ(bar_read(2, CARD_ID), 0xffffffff);
	CU_ASSERT(replies("fault 0 clear all-ones", "\"ok\":true"));
	UNIT_EQ(bar_read(2, ROBINNP_LINK(0) + FRAGMENT_LINK_GENERATOR), 0);
	UNIT_NEED(!entry(DATA(0), LOG2, 0));
	end();
}

static void no_words(void)
{
	begin_mapped();
	enable(0);
	no_words_into(ROBINNP_DOORBELL(0));
	UNIT_EQ(bar_read(0, ROBINNP_DOORBELL(0) + FRAGMENT_FREE), reader[0].freed);
	UNIT_EQ(bar_read(0, ROBINNP_DOORBELL(0) + FRAGMENT_COMMAND), 0);
	UNIT_EQ(status(0) & (BLOCK_STATUS_ENABLED | BLOCK_STATUS_HOST_ERROR), BLOCK_STATUS_ENABLED);
	end();
}

UNIT_MAIN("emulated RobinNP: from the wire", {"configuration space", configuration},
	  {"one message", one_message}, {"every byte while the engine runs", every_byte},
	  {"mappings that go", unmapped}, {"all ones", all_ones}, {"no words", no_words})
