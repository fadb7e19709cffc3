// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test that a card without a reader is quiesced, whatever left it running. The tests check the
 * card's registers, and memory that the card was given and that another process has now.
 */
#include "common/case.h"

#include "kmod/pool/event_regs.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#define LIMIT_MS 10000
#define CHANNEL 0
#define NEIGHBOUR 3
#define PATTERN 0x5a
#define BAR_MAP 4096
#define VSEC 0x200 /* where the emulated card has it */

/* When bus mastering is enabled, no earlier run goes on. */
static void cru_is_quiesced(unsigned int card, unsigned int ep)
{
	unsigned int l;

	UNIT_EQ(emu_peek(card, ep, CRU_BAR_DMA, CRU_DMA_CONTROL), 0);
	UNIT_EQ(emu_peek(card, ep, CRU_BAR_CARD, CRU_USER_CONTROL) & CRU_USER_CONTROL_RUN, 0);
	for (l = 0; l < CRU_LINK_SLOTS; l++)
		UNIT_EQ(emu_link_count(card, ep, l, "queued"), 0);
}

static void crorc_is_quiesced(unsigned int channel)
{
	UNIT_EQ(emu_peek(CRORC0, 0, channel, CRORC_CHAN_CSR) &
			(CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK),
		0);
	UNIT_EQ(emu_peek(CRORC0, 0, channel, CRORC_GENERATOR) & CRORC_GENERATOR_RUN, 0);
	UNIT_EQ(emu_peek(CRORC0, 0, channel, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT, 0);
}

/* A reader that closes as soon as it detects the removal. */
struct leaver {
	struct rig r;
	volatile bool runs;
};

static int leave_at_once(void *arg)
{
	struct leaver *l = arg;
	struct pollfd p = {.events = 0};

	if (!rig_open(&l->r))
		return 1;
	rig_push(&l->r, RIG_MAX);
	if (!rig_start(&l->r))
		return 2;
	p.fd = rig_fd(&l->r);
	l->runs = true;
	if (poll(&p, 1, patience_ms(LIMIT_MS)) != 1)
		return 3;
	rig_close(&l->r);
	return 0;
}

/* The close comes in the middle of the removal. */
static bool unbind_under(const char *address, struct rig r)
{
	struct leaver *l = shared_alloc(sizeof(*l));
	int64_t end = now_ms() + patience_ms(LIMIT_MS);
	pid_t pid;
	bool good;

	l->r = r;
	pid = child_start(AS_ROOT, leave_at_once, l);
	while (!l->runs && now_ms() < end)
		sleep_ms(5);
	sleep_ms(20);
	good = l->runs && driver_unbind(address) == 0;
	good = child_wait(pid, LIMIT_MS) == 0 && good;
	shared_free(l, sizeof(*l));
	return good;
}

static void left_in_removal(void)
{
	struct rig cru = {.id = EP0, .source = ROC_SOURCE_DDG};
	struct rig crorc = {.id = CRORC_ID, .channel = CHANNEL};
	char address[ROC_TEXT_MAX];
	unsigned int i;

	emu_normal(CARD0, FOUR_LINKS);
	emu_normal_crorc(CRORC0);
	for (i = 0; i < 3; i++) {
		strcpy(address, pci_address(EP0));
		CU_ASSERT(unbind_under(address, cru));
		cru_is_quiesced(CARD0, 0);
		UNIT_NEED(driver_bind(address));
		strcpy(address, pci_address(CRORC_ID));
		CU_ASSERT(unbind_under(address, crorc));
		crorc_is_quiesced(CHANNEL);
		UNIT_NEED(driver_bind(address));
	}
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	UNIT_EQ(emu_count(CRORC0, 0, "dma_outside"), 0);
}

/* Software other than the driver, which uses registers and physical addresses. */
struct foreign {
	volatile uint32_t *bar;
	uint8_t *memory; /* the card's target memory */
	uint64_t bus;
};

static void foreign_open(struct foreign *f, const char *address, unsigned int bar)
{
	char path[128];
	int fd, config;
	uint16_t command;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable", address);
	UNIT_EQ(put_text(path, "1"), 0);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	config = open(path, O_RDWR | O_CLOEXEC);
	CU_ASSERT(pread(config, &command, 2, 4) == 2);
	command |= 0x6; /* memory, bus mastering */
	CU_ASSERT(pwrite(config, &command, 2, 4) == 2);
	close(config);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource%u", address, bar);
	fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	f->bar = mmap(NULL, BAR_MAP, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CU_ASSERT_FATAL(f->bar != MAP_FAILED);
	close(fd);
	f->memory = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	f->bus = memory_physical(f->memory);
}

static void foreign_write(struct foreign *f, uint32_t offset, uint32_t value)
{
	f->bar[offset / 4] = value;
}

/* It is killed; its memory is freed and given to another process, this one. */
static void foreign_dies(struct foreign *f)
{
	munmap((void *)f->bar, BAR_MAP);
	memset(f->memory, PATTERN, HUGE);
}

static void foreign_memory_is_ours(struct foreign *f)
{
	size_t i, wrong = 0;

	for (i = 0; i < HUGE; i++)
		wrong += f->memory[i] != PATTERN;
	UNIT_EQ(wrong, 0);
	munmap(f->memory, HUGE);
}

/* True once at least @n more pages were written. */
static bool writes(unsigned int card, unsigned int n)
{
	uint64_t before = emu_count(card, 0, "dma_writes");
	int64_t end = now_ms() + patience_ms(LIMIT_MS);

	while (emu_count(card, 0, "dma_writes") < before + n) {
		if (now_ms() > end)
			return false;
		sleep_ms(5);
	}
	return true;
}

static bool foreign_possible(void)
{
	if (!translated(EP0))
		return true;
	unit_skip("an IOMMU keeps the card from unmapped memory");
	return false;
}

static void foreign_crorc(struct foreign *f, const char *address)
{
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "set rate 0=%llu", emu_rate(1000000));
	foreign_open(f, address, CHANNEL);
	foreign_write(f, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
	foreign_write(f, CRORC_DONE_LOW, (uint32_t)(f->bus + MIB));
	foreign_write(f, CRORC_DONE_HIGH, f->bus >> 32);
	foreign_write(f, CRORC_CHAN_CSR, CRORC_CHAN_CSR_DMA | CRORC_CHAN_CSR_LOOPBACK);
	foreign_write(f, CRORC_GENERATOR, CRORC_GENERATOR_RUN);
	foreign_write(f, CRORC_SP_HIGH, f->bus >> 32);
	foreign_write(f, CRORC_SP_LOW, (uint32_t)f->bus);
	foreign_write(f, CRORC_SP_SIZE, MIB);
	CU_ASSERT(writes(CRORC0, 3));
	foreign_dies(f);
}

/* A C-RORC's channel goes on for a dead process; then another channel needs bus mastering. */
static void left_running_crorc(void)
{
	struct rig r = {.id = CRORC_ID, .channel = NEIGHBOUR};
	char address[ROC_TEXT_MAX];
	struct foreign f;

	if (!foreign_possible())
		return;
	strcpy(address, pci_address(CRORC_ID));
	UNIT_EQ(driver_unbind(address), 0);
	foreign_crorc(&f, address);
	CU_ASSERT(driver_bind(address));
	memset(f.memory, PATTERN, HUGE); /* until now it could */
	crorc_is_quiesced(CHANNEL);
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	foreign_memory_is_ours(&f);
	emu_normal_crorc(CRORC0);
}

/* The same with a reset that has no effect, which the push counter would show. */
static void left_running_crorc_reset_ignored(void)
{
	struct rig r = {.id = CRORC_ID, .channel = NEIGHBOUR};
	char address[ROC_TEXT_MAX];
	struct foreign f;

	if (!foreign_possible())
		return;
	strcpy(address, pci_address(CRORC_ID));
	UNIT_EQ(driver_unbind(address), 0);
	foreign_crorc(&f, address);
	emu(CRORC0, "fault 0 reset-ignored 0x1");
	CU_ASSERT(driver_bind(address));
	memset(f.memory, PATTERN, HUGE);
	/* The function was reset: nothing less verifies quiescence. */
	crorc_is_quiesced(CHANNEL);
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	foreign_memory_is_ours(&f);
	emu_normal_crorc(CRORC0);
}

/* With no descriptor completed, an ignored reset looks like a working one. */
static void left_running_cru(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};
	char address[ROC_TEXT_MAX];
	struct foreign f;

	if (!foreign_possible())
		return;
	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP0));
	UNIT_EQ(driver_unbind(address), 0);
	emu(CARD0, "set 0 rate %llu", emu_rate(1000000));
	foreign_open(&f, address, CRU_BAR_DMA);
	foreign_write(&f, CRU_DATA_SOURCE, CRU_DATA_SOURCE_INTERNAL);
	foreign_write(&f, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	foreign_write(&f, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
	foreign_write(&f, CRU_SP_HIGH(0), f.bus >> 32);
	foreign_write(&f, CRU_SP_LOW(0), (uint32_t)f.bus);
	foreign_write(&f, CRU_SP_PUSH(0), HUGE / CRU_PAGE_SIZE);
	CU_ASSERT(writes(CARD0, 3));
	emu(CARD0, "fault 0 reset-ignored");
	foreign_dies(&f);
	CU_ASSERT(driver_bind(address));
	memset(f.memory, PATTERN, HUGE);
	cru_is_quiesced(CARD0, 0);
	emu(CARD0, "fault 0 clear");
	emu(CARD0, "set 0 rate 0");
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	foreign_memory_is_ours(&f);
}

/* Started, with superpages, of which none is completed. */
static bool idle_rig(struct rig *r)
{
	if (!rig_open(r))
		return false;
	rig_push(r, RIG_MAX);
	return rig_start(r);
}

/*
 * A reset without a visible effect verifies nothing: bus mastering is disabled, and memory is not
 * written.
 */
static void nothing_finished(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.by_timer = true,
			.configure = ROC_CONFIGURE_PLAIN};
	int64_t before = pins();
	uint8_t *memory = memory_make(16 * HUGE, HUGE, LAYOUT_ASCENDING);
	size_t i, wrong = 0;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	r.memory = memory;
	r.superpage = HUGE;
	UNIT_NEED(idle_rig(&r));
	emu(CARD0, "fault 0 reset-ignored");
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(!bus_master(EP0));
	rig_close(&r);
	UNIT_EQ(pins(), before);
	memset(memory, PATTERN, 16 * HUGE);
	/* Now it would write, into freed memory, if it still had descriptors and bus mastering. */
	emu(CARD0, "fault 0 clear stall");
	r = (struct rig){.id = EP0,
			 .source = ROC_SOURCE_DDG,
			 .by_timer = true,
			 .configure = ROC_CONFIGURE_PLAIN};
	UNIT_NEED(rig_open(&r));
	control(rig_fd(&r), ROC_CH_START, 0, 0);
	sleep_ms(100);
	rig_close(&r);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	for (i = 0; i < 16 * HUGE; i++)
		wrong += memory[i] != PATTERN;
	UNIT_EQ(wrong, 0);
	munmap(memory, 16 * HUGE);
	/* With a working reset the card is usable. */
	emu(CARD0, "fault 0 clear");
	r = (struct rig){.id = EP0,
			 .source = ROC_SOURCE_DDG,
			 .by_timer = true,
			 .configure = ROC_CONFIGURE_PLAIN};
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	UNIT_EQ(pins(), before);
}

#define QUIET_ROUNDS 3

/* A front end without data is an everyday case: start, stop, start. */
static void nothing_sent(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_FEE,
			.by_timer = true,
			.configure = ROC_CONFIGURE_PLAIN};
	unsigned int i;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 source-mode ctp");
	for (i = 0; i < QUIET_ROUNDS; i++) {
		UNIT_NEED(idle_rig(&r));
		CU_ASSERT(rig_stop(&r));
		UNIT_EQ(r.filled, 0);
		RIG_OK(&r);
		rig_close(&r);
		cru_is_quiesced(CARD0, 0);
	}
	emu(CARD0, "set 0 source-mode free");
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	/*
	 * Quiescence is verified without a function reset, which the next start would need
	 * otherwise. A card that gets no CPU time may have its function reset, but not each time.
	 */
	CU_ASSERT(emu_count(CARD0, 0, "function_resets") < QUIET_ROUNDS);
}

/*
 * 256 pushes make the push counter 0, as after a reset. @silent: the last superpage stays open and
 * empty; otherwise it is filled.
 */
static bool push_256(struct rig *r, bool silent)
{
	bool open;

	*r = (struct rig){.id = CRORC_ID,
			  .source = ROC_SOURCE_INTERNAL,
			  .channel = CHANNEL,
			  .superpage = 32 * KIB,
			  .by_timer = true,
			  .configure = ROC_CONFIGURE_PLAIN};
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "set rate 0=50000000");
	if (!rig_open(r))
		return false;
	r->count = 1;
	open = rig_start(r);
	while (open && r->filled < 255) {
		if (r->pushed < 255)
			rig_push(r, 1);
		open = rig_wait(r, 1, LIMIT_MS) >= 0;
		rig_take(r, false);
	}
	if (silent)
		emu_poke(CRORC0, 0, CHANNEL, CRORC_GENERATOR, 0);
	rig_push(r, 1);
	if (!silent)
		open = open && rig_wait(r, 1, LIMIT_MS) >= 0;
	return open && r->pushed == 256 &&
	       UNIT_WAIT(!(emu_peek(CRORC0, 0, CHANNEL, CRORC_SP_SIZE) & CRORC_SP_SIZE_COUNT),
			 2000);
}

static void push_counter_wraps(void)
{
	struct rig r;

	UNIT_NEED(push_256(&r, false));
	emu(CRORC0, "fault 0 reset-ignored 0x1");
	roc_channel_stop(r.ch, NULL);
	CU_ASSERT(!bus_master(CRORC_ID));
	emu(CRORC0, "fault 0 clear");
	rig_close(&r);
	r = (struct rig){.id = CRORC_ID,
			 .channel = NEIGHBOUR,
			 .by_timer = true,
			 .configure = ROC_CONFIGURE_PLAIN};
	CU_ASSERT(rig_once(&r, 10, LIMIT_MS));
	rig_close(&r);
	crorc_is_quiesced(CHANNEL);
	emu_normal_crorc(CRORC0);
}

/*
 * One more push on top of an open one has an unknown effect, so the driver cannot use it for
 * verification.
 */
static void push_counter_wraps_open(void)
{
	struct rig r;

	UNIT_NEED(push_256(&r, true));
	CU_ASSERT(rig_stop(&r));
	UNIT_EQ(r.filled, 255);
	UNIT_EQ(r.reclaimed, 1);
	RIG_OK(&r);
	rig_close(&r);
	crorc_is_quiesced(CHANNEL);
	CU_ASSERT(emu_clean(CRORC0));
	emu_normal_crorc(CRORC0);
}

#define TWINS 4 /* endpoints of two boards */

/* Two boards with the same serial number, which users can write. */
struct twins {
	char address[TWINS][ROC_TEXT_MAX];
	struct rig r[TWINS];
	uint32_t other; /* the second board's original number */
};

/* These endpoints take data at the same time; no driver is bound to the others. */
static void twins_run(struct twins *t, const unsigned int *which, unsigned int count)
{
	static const char *const ids[TWINS] = {EP0, EP1, OTHER_EP0, OTHER_EP1};
	unsigned int i;

	for (i = 0; i < TWINS; i++)
		strcpy(t->address[i], pci_address(ids[i]));
	t->other = emu_peek(CARD1, 0, CRU_BAR_CARD, CRU_SERIAL);
	for (i = 0; i < TWINS; i++)
		UNIT_EQ(driver_unbind(t->address[i]), 0);
	emu_normal(CARD0, 1);
	emu_normal(CARD1, 1);
	emu_poke(CARD1, 0, CRU_BAR_CARD, CRU_SERIAL, emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_SERIAL));
	for (i = 0; i < count; i++)
		CU_ASSERT(driver_bind(t->address[which[i]]));
	for (i = 0; i < count; i++) {
		t->r[i] = (struct rig){
			.id = t->address[which[i]], .source = ROC_SOURCE_DDG, .count = 4};
		UNIT_NEED(rig_open(&t->r[i]));
		rig_push(&t->r[i], RIG_MAX);
		UNIT_NEED(rig_start(&t->r[i]));
	}
	for (i = 0; i < count; i++) {
		CU_ASSERT(rig_run(&t->r[i], 10, LIMIT_MS));
		RIG_OK(&t->r[i]);
	}
}

static void twins_end(struct twins *t, const unsigned int *which, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		rig_close(&t->r[i]);
	for (i = 0; i < count; i++)
		UNIT_EQ(driver_unbind(t->address[which[i]]), 0);
	emu_poke(CARD1, 0, CRU_BAR_CARD, CRU_SERIAL, t->other);
	for (i = 0; i < TWINS; i++)
		CU_ASSERT(driver_bind(t->address[i]));
}

static void twins(void)
{
	static const unsigned int all[] = {0, 1, 2, 3};
	struct twins t;
	unsigned int i;

	twins_run(&t, all, N(all));
	/* One board stops, the other one goes on. */
	rig_stop(&t.r[0]);
	rig_stop(&t.r[1]);
	for (i = 2; i < TWINS; i++)
		CU_ASSERT(rig_run(&t.r[i], t.r[i].filled + 10, LIMIT_MS));
	twins_end(&t, all, N(all));
}

/* Another endpoint of each board: only their places show that they are two boards. */
static void half_twins(void)
{
	static const unsigned int halves[] = {0, 3};
	struct twins t;

	twins_run(&t, halves, N(halves));
	twins_end(&t, halves, N(halves));
}

/* A failed start leaves nothing enabled for the next run without events. */
static void failed_start_of_events(void)
{
	struct rig r = {.id = CRORC_ID, .channel = CHANNEL, .source = ROC_SOURCE_FEE};

	if (!has_events(CRORC_ID)) {
		unit_skip("a card without events");
		return;
	}
	emu_normal_crorc(CRORC0);
	/*
	 * The first start of an open resets the far end; only the next one fails after the set-up.
	 */
	UNIT_NEED(rig_open(&r));
	CU_ASSERT(rig_start(&r));
	rig_stop(&r);
	emu(CRORC0, "set link-state %u=down", CHANNEL);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -ENOLINK);
	crorc_is_quiesced(CHANNEL);
	rig_close(&r);
	r = (struct rig){.id = CRORC_ID,
			 .channel = CHANNEL,
			 .by_timer = true,
			 .configure = ROC_CONFIGURE_PLAIN};
	CU_ASSERT(rig_once(&r, 10, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
	emu_normal_crorc(CRORC0);
}

static uint32_t card_cause(uint32_t block)
{
	return emu_peek(CARD0, 0, block & 7, (block & ~7u) + FUNCTION_CAUSE);
}

/*
 * An idle card reports alarms on its own. If it does not answer during the unbind, it reports one
 * after its return: not into memory that another process has.
 */
static void notice_after_unbind(void)
{
	uint32_t block = emu_config(CARD0, 0, VSEC + EVENT_VSEC_CARD);
	char address[ROC_TEXT_MAX];
	uint64_t outside;

	if (!has_events(EP0) || !translated(EP0))
		return unit_skip("seen with an IOMMU, on a card with events");
	if (!access("/sys/kernel/debug/dma-api", F_OK))
		return unit_skip("this kernel complains of memory that a driver keeps");
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(UNIT_WAIT(bus_master(EP0), LIMIT_MS));
	outside = emu_count(CARD0, 0, "dma_outside");
	strcpy(address, pci_address(EP0));
	emu(CARD0, "fault 0 all-ones");
	UNIT_EQ(driver_unbind(address), 0);
	emu(CARD0, "fault 0 clear");
	emu(CARD0, "set temperature 85");
	/* It has an alarm and reports it. */
	CU_ASSERT(UNIT_WAIT(card_cause(block) & FUNCTION_CAUSE_TEMPERATURE, LIMIT_MS));
	CU_ASSERT(UNIT_STAYS(emu_count(CARD0, 0, "dma_outside") == outside, 500));
	emu(CARD0, "set temperature 45");
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(has_events(EP0));
}

UNIT_MAIN("quiesce", {"left in the removal", left_in_removal},
	  {"C-RORC left running", left_running_crorc},
	  {"C-RORC left running, reset ignored", left_running_crorc_reset_ignored},
	  {"CRU left running", left_running_cru}, {"nothing finished", nothing_finished},
	  {"nothing sent", nothing_sent}, {"push counter wraps", push_counter_wraps},
	  {"push counter wraps, open", push_counter_wraps_open}, {"twins", twins},
	  {"half twins", half_twins}, {"failed start of events", failed_start_of_events},
	  {"notice after unbind", notice_after_unbind})
