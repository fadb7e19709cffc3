// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC through vfio-user: its configuration space, and six channels that six threads use at
 * once while the engine runs.
 */
#include <sched.h>

#define CLIENT_CARD crorc_card
#include "tests/unit/emu/server/emu_client.h"
#include "kmod/cards/crorc/crorc_regs.h"

#define SUPERPAGE 0x20000u
#define ROUNDS 300
#define BLOCKS (MEMORY - 4096)

static void configuration(void)
{
	unsigned int i;

	begin();
	UNIT_EQ(config(PCI_VENDOR_ID, 4), 0x003310dc);
	UNIT_EQ(config(PCI_CLASS_REVISION, 4) >> 8, 0xff0000);
	UNIT_EQ(config(PCI_INTERRUPT_PIN, 1), 1);
	for (i = 0; i < 6; i++) {
		uint32_t at = PCI_BASE_ADDRESS_0 + 4 * i;

		/* 32 bits, memory, not prefetchable. */
		UNIT_EQ(config(at, 4), 0);
		config_set(at, 0xffffffff, 4);
		UNIT_EQ(config(at, 4), 0xfffff000);
		config_set(at, 0xfe800000 + 0x1000 * i, 4);
	}
	for (i = 0; i < 6; i++)
		UNIT_EQ(config(PCI_BASE_ADDRESS_0 + 4 * i, 4), 0xfe800000 + 0x1000 * i);
	UNIT_EQ(config(0x50 + PCI_EXP_LNKSTA, 2) & PCI_EXP_LNKSTA_CLS, 2); /* 5 GT/s */
	UNIT_EQ(config(0x50 + PCI_EXP_LNKCAP, 4) & PCI_EXP_LNKCAP_SLS, 2);
	for (i = 0; i < 6; i++) {
		struct vfio_region_info info = {.argsz = sizeof(info), .index = i};

		UNIT_EQ(ask(VU_GET_REGION_INFO, &info, sizeof(info), -1), 0);
		UNIT_EQ(((struct vfio_region_info *)vu.body)->size, 4096);
	}
	/* A function-level reset brings the BARs back to 0. */
	config_set(0x50 + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	UNIT_EQ(config(PCI_BASE_ADDRESS_0 + 20, 4), 0);
	config_set(PCI_BASE_ADDRESS_0 + 20, 0xffffffff, 4);
	UNIT_EQ(config(PCI_BASE_ADDRESS_0 + 20, 4), 0xfffff000);
	end();
}

static void registers(void)
{
	uint32_t value;
	unsigned int i;

	begin();
	UNIT_EQ(bar_read(0, CRORC_SERIAL), 0xffffffff); /* no decoding yet */
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	for (i = 0; i < 6; i++) {
		UNIT_EQ(bar_read(i, CRORC_SERIAL), 0x31303031);
		bar_write(i, CRORC_SP_LOW, 0x1000 * i);
	}
	for (i = 0; i < 6; i++)
		UNIT_EQ(bar_read(i, CRORC_SP_LOW), 0x1000 * i);
	UNIT_EQ(region_read(3, 4096, &value, 4), EINVAL);
	UNIT_EQ(region_read(3, 2, &value, 2), 0); /* answered, as the bus does, and counted */
	CU_ASSERT(replies("counts", "\"bad_access\":2,"));
	CU_ASSERT(replies("counts", "\"bar5_writes\":1,"));
	CU_ASSERT(replies("info", "\"card\":\"crorc\",\"endpoints\":1,"));
	CU_ASSERT(replies("peek 0 5 0x2c", "\"value\":\"0x5000\""));
	CU_ASSERT(replies("peek 1 0 0", "\"ok\":false"));
	CU_ASSERT(replies("mmio 0", "\"bar5\":{"));
	CU_ASSERT(replies("set link-state 2=down", "\"ok\":true"));
	CU_ASSERT(replies("get link-state", "\"up,up,down,up,up,up\""));
	UNIT_EQ(bar_read(2, CRORC_CHAN_CSR), CRORC_CHAN_CSR_LINK_DOWN);
	CU_ASSERT(replies("fault 0 lost-push 0x3 10", "\"ok\":true"));
	CU_ASSERT(replies("fault 0 lost-push 0x3", "\"ok\":false"));
	CU_ASSERT(replies("faults", "\"lost-push\":\"0x30000000a\""));
	CU_ASSERT(replies("fault 0 all-ones", "\"ok\":true"));
	UNIT_EQ(bar_read(2, CRORC_SERIAL), 0xffffffff);
	end();
}

/* The host of one channel. It bypasses the socket, as a processor that the bus does not delay. */
static struct {
	pthread_mutex_t lock; /* the driver's lock around all accesses to the card */
	bool serialised;
	struct {
		unsigned int done, lost, wrong;
	} channel[CRORC_CHANNELS];
} runner;

static void put(unsigned int ch, uint32_t off, uint32_t value)
{
	function_bar_write(vu.f, ch, off, &value, sizeof(value));
}

static uint32_t get(unsigned int ch, uint32_t off)
{
	uint32_t value;

	function_bar_read(vu.f, ch, off, &value, sizeof(value));
	return value;
}

static volatile uint32_t *block(unsigned int ch)
{
	return (volatile uint32_t *)(vu.memory + BLOCKS) + 2 * ch;
}

/* Push and read back; every lost write is counted and repeated. */
static void push_channel(unsigned int ch, uint64_t addr, uint8_t number)
{
	const struct {
		uint32_t off, value, back;
	} writes[] = {
		{CRORC_SP_HIGH, addr >> 32, addr >> 32},
		{CRORC_SP_LOW, addr, addr},
		{CRORC_SP_SIZE, SUPERPAGE, SUPERPAGE << CRORC_SP_SIZE_SHIFT | number},
	};
	double end = unit_seconds() + LIMIT_MS / 1000.0;
	unsigned int i;

	if (runner.serialised)
		pthread_mutex_lock(&runner.lock);
	for (i = 0; i < 3; i++) {
		put(ch, writes[i].off, writes[i].value);
		while (get(ch, writes[i].off) != writes[i].back && unit_seconds() < end) {
			runner.channel[ch].lost++;
			sched_yield();
			put(ch, writes[i].off, writes[i].value);
		}
	}
	if (runner.serialised)
		pthread_mutex_unlock(&runner.lock);
}

static void check(unsigned int ch, const uint8_t *at, uint32_t *next)
{
	uint32_t page, i;

	for (page = 0; page < SUPERPAGE / CRORC_PAGE_SIZE; page++) {
		const uint32_t *word = (const uint32_t *)(at + page * CRORC_PAGE_SIZE);

		if ((word[3] & 0xff) != ch)
			runner.channel[ch].wrong++;
		for (i = 16; i < CRORC_PAGE_SIZE / 4; i++)
			runner.channel[ch].wrong += word[i] != (*next)++;
	}
}

static void *one_channel(void *arg)
{
	unsigned int ch = (uintptr_t)arg, n;
	uint32_t offset = ch * SUPERPAGE, next = 0;

	for (n = 0; n < ROUNDS; n++) {
		push_channel(ch, BASE + offset, n + 1);
		if (!UNIT_WAIT(block(ch)[1] == (n & 0xff), LIMIT_MS) || block(ch)[0] != SUPERPAGE)
			break;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		check(ch, vu.memory + offset, &next);
		runner.channel[ch].done++;
	}
	return NULL;
}

/* Run all six at once. Returns the number of lost writes. */
static unsigned int six_channels(bool serialised)
{
	pthread_t thread[CRORC_CHANNELS];
	unsigned int ch, lost = 0;
	uint64_t blocks = BASE + BLOCKS;

	memset(&runner, 0, sizeof(runner));
	pthread_mutex_init(&runner.lock, NULL);
	runner.serialised = serialised;
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		put(ch, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
		block(ch)[1] = CRORC_DONE_COUNT_START;
		put(ch, CRORC_DONE_LOW, blocks + 8 * ch);
		put(ch, CRORC_DONE_HIGH, blocks >> 32);
		put(ch, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
		put(ch, CRORC_GENERATOR, CRORC_GENERATOR_RUN);
		get(ch, CRORC_GENERATOR);
	}
	for (ch = 0; ch < CRORC_CHANNELS; ch++)
		UNIT_NEED(!pthread_create(&thread[ch], NULL, one_channel, (void *)(uintptr_t)ch));
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		pthread_join(thread[ch], NULL);
		UNIT_EQ(runner.channel[ch].done, ROUNDS);
		UNIT_EQ(runner.channel[ch].wrong, 0);
		lost += runner.channel[ch].lost;
	}
	pthread_mutex_destroy(&runner.lock);
	return lost;
}

static void ready(void)
{
	begin();
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
}

static void at_once(void)
{
	ready();
	UNIT_EQ(six_channels(false), 0);
	UNIT_EQ(counted("superpages"), CRORC_CHANNELS * ROUNDS);
	UNIT_EQ(counted("protocol_errors"), 0);
	UNIT_EQ(counted("dma_outside"), 0);
	UNIT_EQ(counted("dma_no_master"), 0);
	end();
}

/* Fault write-race: without a lock around the card's accesses writes are lost, with one none is. */
static void write_race(void)
{
	unsigned int lost;

	ready();
	CU_ASSERT(replies("fault 0 write-race 1000000", "\"ok\":true"));
	UNIT_EQ(six_channels(true), 0);
	UNIT_EQ(counted("writes_lost"), 0);
	lost = six_channels(false);
	unit_note("%u writes lost without the lock", lost);
	CU_ASSERT(lost > 0);
	CU_ASSERT(counted("writes_lost") >= lost);
	UNIT_EQ(counted("protocol_errors"), 0);
	end();
}

UNIT_MAIN("emu_crorc_vfio", {"configuration space", configuration}, {"access", registers},
	  {"six channels at once", at_once}, {"write-race, with and without a lock", write_race})
