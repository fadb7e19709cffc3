// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test cards that violate their contract, one way each: the documented outcome, no hang, and a new
 * start that works.
 */
#include "common/case.h"

#include <linux/pci_regs.h>

#include <poll.h>

#define FAIL_MS 5000

static struct rig open_rig(enum roc_source source)
{
	return (struct rig){
		.id = EP0, .source = source, .superpage = 256 * KIB, .count = 64, .links = 0x1};
}

static bool running_rig(struct rig *r)
{
	emu_normal(CARD0, FOUR_LINKS);
	if (!rig_open(r))
		return false;
	rig_push(r, RIG_MAX);
	return rig_start(r) && rig_run(r, 20, 5000);
}

static uint32_t state(const struct rig *r)
{
	return ch_info(rig_fd(r)).state;
}

/* Take entries until the channel fails; then all superpages have been returned. */
static void fails_with(struct rig *r, uint32_t reason)
{
	int64_t end = now_ms() + patience_ms(FAIL_MS);
	struct pollfd p = {.fd = rig_fd(r), .events = POLLIN};
	struct roc_ch_info info;

	while (state(r) == ROC_CH_RUNNING && now_ms() < end) {
		roc_channel_wait(r->ch, 1, 20);
		rig_take(r, true);
	}
	info = ch_info(rig_fd(r));
	UNIT_EQ(info.state, ROC_CH_FAILED);
	UNIT_EQ(info.reason, reason);
	UNIT_EQ(info.in_flight, 0);
	CU_ASSERT(poll(&p, 1, 0) == 1 && p.revents & POLLERR);
	CU_ASSERT(r->rings->kernel->flags & ROC_RING_STOPPED);
	CU_ASSERT(rig_wait(r, 1, 2000) >= 0); /* does not sleep */
	rig_take(r, false);
	UNIT_EQ(rig_missing(r), 0);
	CU_ASSERT(r->reclaimed > 0);
	UNIT_EQ(r->reason, reason);
	/* The quiescence of a silent card is unknown. */
	UNIT_EQ(control(rig_fd(r), ROC_CH_STOP, 0, 0),
		reason == ROC_REASON_LOST ? -EIO : -EALREADY);
	UNIT_STR(node_attr(EP0, 0, "state"), "failed");
}

/* The same open channel starts again, with the remaining entries of its fill ring. */
static void recovers(struct rig *r)
{
	emu(CARD0, "fault all clear");
	/*
	 * A returned card goes on with its old superpages until the start resets it: submit new
	 * ones later.
	 */
	CU_ASSERT(rig_start(r));
	rig_push(r, RIG_MAX);
	CU_ASSERT(rig_run(r, 40, 5000));
	UNIT_EQ(state(r), ROC_CH_RUNNING);
	UNIT_EQ(ch_info(rig_fd(r)).reason, ROC_REASON_NONE);
	rig_stop(r);
	RIG_OK(r);
	rig_close(r);
	CU_ASSERT(emu_clean(CARD0));
}

static void all_ones(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);
	int fd = node_open(EP0, -1);
	uint32_t v;

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 all-ones");
	fails_with(&r, ROC_REASON_LOST);
	CU_ASSERT(emu_idle(CARD0, 0, 300));
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, CRU_FW_HASH, &v), -EIO);
	UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, CRU_CTP_INIT_ORBIT, 1, 1, NULL), -EIO);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	/* The other endpoint of the card is alive. */
	close(fd);
	fd = node_open(EP1, -1);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, CRU_FW_HASH, &v), 0);
	close(fd);
	recovers(&r);
}

/*
 * The reader of a lost card closes, then the card is back with its old descriptors and bus
 * mastering: the old memory must still be allocated until bus mastering can be disabled.
 */
static void lost_and_back(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);
	int64_t before = pins();

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "set 0 rate 10000000"); /* far from the end of its superpages */
	sleep_ms(50);
	rig_take(&r, true);
	emu(CARD0, "fault 0 all-ones");
	fails_with(&r, ROC_REASON_LOST);
	rig_close(&r);
	CU_ASSERT(pins() > before);
	emu(CARD0, "fault all clear");
	sleep_ms(100);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	CU_ASSERT(pins() > before);
	r = open_rig(ROC_SOURCE_DDG);
	UNIT_NEED(roc_channel_open(EP0, 0, &r.ch) == 0);
	UNIT_EQ(pins(), before);
	CU_ASSERT(!bus_master(EP0));
	CU_ASSERT(emu_idle(CARD0, 0, 200));
	rig_close(&r);
	emu(CARD0, "set 0 rate 0");
	UNIT_NEED(rig_open(&r));
	recovers(&r);
	UNIT_EQ(pins(), before);
}

/* A function reset verifies that the card is quiesced, without another open. */
static void lost_and_reset(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);
	int64_t before = pins();
	char path[96];

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "set 0 rate 10000000");
	sleep_ms(50);
	rig_take(&r, true);
	emu(CARD0, "fault 0 all-ones");
	fails_with(&r, ROC_REASON_LOST);
	rig_close(&r);
	CU_ASSERT(pins() > before);
	emu(CARD0, "fault all clear");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci_address(EP0));
	UNIT_EQ(put_text(path, "1"), 0);
	UNIT_EQ(pins(), before);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	emu(CARD0, "set 0 rate 0");
	r = open_rig(ROC_SOURCE_DDG);
	UNIT_NEED(rig_open(&r));
	recovers(&r);
	UNIT_EQ(pins(), before);
}

/* The card is lost while idle: open, info and stop still answer. */
static void all_ones_when_idle(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);
	int ret;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 all-ones");
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	UNIT_EQ(state(&r), ROC_CH_STOPPED);
	rig_close(&r);
	emu(CARD0, "fault all clear");
	UNIT_NEED(running_rig(&r));
	/* All ones at the stop. */
	emu(CARD0, "fault 0 all-ones");
	ret = roc_channel_stop(r.ch, NULL);
	/* The driver's thread may have detected it before. */
	CU_ASSERT(ret == -EIO || ret == -EALREADY);
	UNIT_EQ(state(&r), ROC_CH_FAILED);
	UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_LOST);
	CU_ASSERT(emu_idle(CARD0, 0, 200));
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	recovers(&r);
}

static void stall(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);
	unsigned int reclaimed = 0;

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 stall");
	/* Superpages completed before are returned and submitted again, then the card has all. */
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	CU_ASSERT(rig_run(&r, emu_count(CARD0, 0, "superpages"), 5000));
	CU_ASSERT(UNIT_WAIT((rig_take(&r, true), ch_info(rig_fd(&r)).in_flight == 64), 5000));
	UNIT_EQ(roc_channel_wait(r.ch, 1, 200), -ETIME);
	UNIT_EQ(state(&r), ROC_CH_RUNNING);
	UNIT_EQ(roc_channel_stop(r.ch, &reclaimed), 0);
	UNIT_EQ(reclaimed, 64);
	rig_take(&r, false);
	UNIT_EQ(r.reclaimed, 64);
	UNIT_EQ(r.reason, ROC_REASON_STOPPED);
	recovers(&r);
}

static void late_completion(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 late-completion 50");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 200, 5000));
	/* Superpages that the card counts only after the stop are returned. */
	rig_stop(&r);
	UNIT_EQ(rig_missing(&r), 0);
	CU_ASSERT(emu_idle(CARD0, 0, 100));
	recovers(&r);
}

static void wrong_count(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 wrong-count 1000");
	fails_with(&r, ROC_REASON_COUNT);
	recovers(&r);
}

/* The size is written late, with the old value before it: only slower. */
static void size_late(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 packets-per-tf 20"); /* sizes that are not the length */
	emu(CARD0, "fault 0 size-late 300");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 20, 20000));
	CU_ASSERT(r.partial > 0);
	rig_stop(&r);
	rig_agrees(&r, CARD0, 0);
	recovers(&r);
}

static void size_never(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 size-never");
	fails_with(&r, ROC_REASON_SIZE);
	recovers(&r);
}

static void size_index(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 size-index 5");
	fails_with(&r, ROC_REASON_SIZE);
	recovers(&r);
}

/* Firmware before v3.4.0 has no sizes: every superpage is full. */
static void size_zero(void)
{
	struct rig r = open_rig(ROC_SOURCE_INTERNAL);
	struct rig partial = open_rig(ROC_SOURCE_DDG);

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 size-zero");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 100, 5000));
	r.sizes_unknown = true; /* of the one that the stop closes */
	rig_stop(&r);
	UNIT_EQ(r.partial, 0);
	rig_close(&r);
	RIG_OK(&r);
	/* The driver depends on the card's count. */
	emu(CARD0, "set 0 packets-per-tf 20");
	partial.sizes_unknown = true;
	partial.no_poison = true;
	CU_ASSERT(rig_once(&partial, 100, 5000));
	UNIT_EQ(partial.partial, 0);
	partial.sizes_unknown = false;
	recovers(&partial);
}

/* True if every submitted superpage has this byte where the card would begin. */
static bool begins_with(const struct rig *r, uint8_t byte)
{
	unsigned int i, k;

	for (i = 0; i < r->count; i++)
		for (k = 0; r->lent[i] && k < sizeof(uint64_t); k++)
			if (r->base[(size_t)i * r->superpage + k] != byte)
				return false;
	return true;
}

/*
 * Without sizes nothing shows that the card wrote a superpage: a reader that writes into submitted
 * ones gains nothing, and the driver stores no sentinel there.
 */
static void size_zero_and_writing_reader(void)
{
	struct rig r = {.id = EP0, .superpage = 64 * KIB, .count = 32, .links = 0x1};
	uint64_t filled;
	unsigned int i;

	if (has_events(EP0))
		return unit_skip("a card with events reports sizes");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 size-zero");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 40, 5000));
	emu(CARD0, "fault 0 stall");
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	filled = emu_count(CARD0, 0, "superpages");
	CU_ASSERT(rig_run(&r, filled, 5000));
	for (i = 0; i < r.count; i++)
		if (r.lent[i])
			memset(r.base + (size_t)i * r.superpage, 0x77, sizeof(uint64_t));
	UNIT_EQ(roc_channel_wait(r.ch, 1, 300), -ETIME);
	UNIT_EQ(ch_info(rig_fd(&r)).completed, filled);
	rig_stop(&r);
	UNIT_EQ(rig_missing(&r), 0);
	/* The driver has detected it for this card now. */
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r));
	UNIT_EQ(ch_info(rig_fd(&r)).in_flight, r.count);
	CU_ASSERT(begins_with(&r, 0xdb));
	rig_stop(&r);
	recovers(&r);
}

/* If sizes vanish after they worked, that is an error, not old firmware. */
static void size_zero_in_the_middle(void)
{
	struct rig r = open_rig(ROC_SOURCE_DDG);

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 size-zero");
	fails_with(&r, ROC_REASON_SIZE);
	recovers(&r);
}

static void counter_wrap(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 64 * KIB};

	/* A stop takes at most a second; superpages not reported by then are returned as unused. */
	r.count = limit_ms(1) < 8 ? 64 : 32;
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 count-start 0xfffffff0");
	CU_ASSERT(rig_once(&r, 400, 10000));
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	CU_ASSERT(r.link[0].superpages > 16);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* Sizes are numbered modulo 256: beyond that on one link. */
static void index_wrap(void)
{
	struct rig r = {.id = EP0,
			.source = ROC_SOURCE_DDG,
			.superpage = 32 * KIB,
			/* A stop takes at most a second. */
			.count = limit_ms(1) < 8 ? 128 : 32,
			.links = 0x1};

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(rig_once(&r, 700, 10000));
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
}

/* The card ignores its reset: its bus mastering is disabled before any memory is released. */
static void reset_ignored(void)
{
	struct rig r = open_rig(ROC_SOURCE_INTERNAL);
	int64_t before = pins();

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 reset-ignored");
	UNIT_EQ(roc_channel_stop(r.ch, NULL), 0);
	CU_ASSERT(!bus_master(EP0));
	CU_ASSERT(emu_idle(CARD0, 0, 300));
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	rig_close(&r);
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_idle(CARD0, 0, 200));
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	r = open_rig(ROC_SOURCE_INTERNAL);
	UNIT_NEED(rig_open(&r));
	recovers(&r);
}

/* Bus mastering stays disabled until a reset works: the card still has the old descriptors. */
static void reset_ignored_for_ever(void)
{
	struct rig r = open_rig(ROC_SOURCE_INTERNAL);

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 reset-ignored");
	UNIT_EQ(roc_channel_stop(r.ch, NULL), 0);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	rig_close(&r);
	r = open_rig(ROC_SOURCE_DDG);
	UNIT_NEED(rig_open(&r));
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	UNIT_EQ(state(&r), ROC_CH_STOPPED);
	CU_ASSERT(!bus_master(EP0));
	CU_ASSERT(emu_idle(CARD0, 0, 200));
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	recovers(&r);
}

/* The same with the last close instead of a stop. */
static void reset_ignored_at_close(void)
{
	struct rig r = open_rig(ROC_SOURCE_INTERNAL);
	int64_t before = pins();

	UNIT_NEED(running_rig(&r));
	emu(CARD0, "fault 0 reset-ignored");
	rig_close(&r);
	CU_ASSERT(!bus_master(EP0));
	UNIT_EQ(pins(), before);
	CU_ASSERT(emu_idle(CARD0, 0, 300));
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	r = open_rig(ROC_SOURCE_INTERNAL);
	UNIT_NEED(rig_open(&r));
	recovers(&r);
}

/* Firmware without a FIFO-depth register has 128. */
static void depth_unknown(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 32 * KIB, .count = 600};

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set all depth-register 0");
	UNIT_NEED(rebind_card(CARD0));
	CU_ASSERT(rig_once(&r, 1000, 10000));
	UNIT_EQ(ch_info(rig_fd(&r)).capacity, 4 * 128);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
	emu(CARD0, "set all depth-register 128");
}

static void depth_small(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 32 * KIB, .count = 64};

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set all fifo-depth 3");
	UNIT_NEED(rebind_card(CARD0));
	CU_ASSERT(rig_once(&r, 300, 10000));
	UNIT_EQ(ch_info(rig_fd(&r)).capacity, 4 * 3);
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
	emu(CARD0, "set all fifo-depth 128");
	UNIT_NEED(rebind_card(CARD0));
}

/* The serial number is missing until the card is requested to load it. */
static void serial_dropped(void)
{
	char address[ROC_TEXT_MAX];
	struct roc_card card;

	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP0));
	emu(CARD0, "fault all drop-serial");
	UNIT_EQ(driver_unbind(address), 0);
	CU_ASSERT(driver_bind(address));
	UNIT_EQ(roc_find(address, &card), 0);
	UNIT_EQ(card.serial, 245);
	emu(CARD0, "fault all clear");
}

/* The card accepts superpages slowly: gaps are counted, nothing is lost. */
static void slow_refill(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .superpage = 64 * KIB, .count = 16};

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set all refill-latency-us 5000");
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	CU_ASSERT(rig_start(&r) && rig_run(&r, 100, 10000));
	CU_ASSERT(ch_info(rig_fd(&r)).fifo_empty > 0);
	rig_stop(&r);
	rig_agrees(&r, CARD0, 0);
	RIG_OK(&r);
	rig_close(&r);
	emu_normal(CARD0, FOUR_LINKS);
}

#define DEVICE_CONTROL (0x50 + PCI_EXP_DEVCTL) /* where the emulated cards have it */
#define UNORDERED (PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN)

static bool unordered(unsigned int card, unsigned int ep)
{
	return emu_config(card, ep, DEVICE_CONTROL) & UNORDERED;
}

/* The card's writes become visible in order; cards power on with relaxed ordering. */
static void ordered_writes(void)
{
	char address[ROC_TEXT_MAX], path[96];

	CU_ASSERT(!unordered(CARD0, 0) && !unordered(CARD0, 1) && !unordered(CRORC0, 0));
	strcpy(address, pci_address(EP0));
	emu_config_set(CARD0, 0, DEVICE_CONTROL, emu_config(CARD0, 0, DEVICE_CONTROL) | UNORDERED);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(!unordered(CARD0, 0));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", address);
	UNIT_EQ(put_text(path, "1"), 0);
	CU_ASSERT(!unordered(CARD0, 0));
}

UNIT_MAIN("hazards", {"ordered writes", ordered_writes}, {"all ones", all_ones},
	  {"lost and back", lost_and_back}, {"lost and reset", lost_and_reset},
	  {"all ones when idle", all_ones_when_idle}, {"stall", stall},
	  {"late completion", late_completion}, {"wrong count", wrong_count},
	  {"size late", size_late}, {"size never", size_never}, {"size index", size_index},
	  {"size zero", size_zero},
	  {"size zero and a writing reader", size_zero_and_writing_reader},
	  {"size zero in the middle", size_zero_in_the_middle}, {"counter wrap", counter_wrap},
	  {"index wrap", index_wrap}, {"reset ignored", reset_ignored},
	  {"reset ignored for ever", reset_ignored_for_ever},
	  {"reset ignored at close", reset_ignored_at_close}, {"depth unknown", depth_unknown},
	  {"depth small", depth_small}, {"serial dropped", serial_dropped},
	  {"slow refill", slow_refill})
