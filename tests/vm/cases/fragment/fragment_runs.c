// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test consecutive runs of a sub-unit: no state of a run affects the next one. And a card that has
 * lower limits when the driver is bound again.
 */
#include "fragment/fragment_case.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VSEC 0x200 /* where the emulated card has it */

static void start(struct taker *t, uint32_t rate, uint64_t limit)
{
	start_of(t, 64, 64, rate, limit);
}

/* Each impossible count of a reader counts once; impossible doorbells count once in each run. */
static void invalid_values_of_each_run(void)
{
	struct taker t = {.pages = 64};
	unsigned int run;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	for (run = 0; run < 2; run++) {
		taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
		UNIT_NEED(taker_start(&t, 0));
		CU_ASSERT(taker_run(&t, 100, 10000));
		t.bell->free = t.free_count + 1000000;
		CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index == 3 * run + 1, 5000));
		t.user->descriptors = t.data_count + t.made.descriptors - 1;
		CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index == 3 * run + 2, 5000));
		t.user->descriptors = t.data_count + t.made.descriptors - 2;
		CU_ASSERT(UNIT_WAIT(taker_info(&t).bad_index == 3 * run + 3, 5000));
		UNIT_EQ(taker_info(&t).state, ROC_CH_RUNNING);
		CU_ASSERT(taker_stop(&t));
	}
	taker_close(&t);
}

/* The reader chooses the start value of a run's counts, and its own counts begin there. */
static void counts_begin(void)
{
	struct taker t = {.pages = 64, .percent = 100};
	uint32_t i;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	for (i = 0; i < 2; i++) {
		struct roc_fr_start reply;

		t.start = 1000 - 700 * i;
		taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 2000, 0, 0);
		UNIT_EQ(taker_begin(&t, &reply), 0);
		UNIT_EQ(t.user->descriptors, t.start);
		UNIT_EQ(t.user->completions, t.start);
		taker_submit_pages(&t, 0);
		CU_ASSERT(taker_run(&t, 200, 10000));
		TAKER_OK(&t);
		CU_ASSERT(taker_stop(&t));
	}
	taker_close(&t);
}

static int rings_of_another(void *arg)
{
	struct roc_fr_rings rings = {.size = sizeof(rings), .pages = 8};

	return abi(*(const int *)arg, ROC_FR_RINGS, &rings) != -EPERM ||
	       rings.reason != ROC_REASON_OWNER;
}

/* The opener's memlock limit applies: a forked child cannot make rings with a limit of its own. */
static void forked(void)
{
	struct roc_fr_rings rings = {.size = sizeof(rings), .pages = 8};
	int fd = node_open(ROBINNP_ID, 0);

	UNIT_NEED(fd >= 0);
	UNIT_EQ(child_run(AS_ROOT, rings_of_another, &fd, 5000), 0);
	UNIT_EQ(abi(fd, ROC_FR_RINGS, &rings), 0);
	close(fd);
}

/* Register more pages beside the first ones; returns the handle. */
static uint32_t more_pages(struct taker *t, void *at, size_t length)
{
	struct roc_buf_register more;

	UNIT_EQ(buffer_register(t->fd, at, length, 0, &more), 0);
	return more.handle;
}

/* The driver makes a new table for the next run, which has more host pages. */
static void longer_table(void)
{
	struct taker t = {.pages = 64, .percent = 100};
	struct roc_fr_start reply;
	uint32_t handle;
	void *at;

	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 10000));
	CU_ASSERT(taker_stop(&t));
	at = memory_make(2 * HUGE, HUGE, LAYOUT_ASCENDING);
	handle = more_pages(&t, at, 2 * HUGE);
	UNIT_EQ(taker_begin(&t, &reply), 0);
	UNIT_EQ(reply.host_pages, 64 + 2 * HUGE / t.made.host_page_size);
	CU_ASSERT(emu_clean(CARD0));
	CU_ASSERT(taker_stop(&t));
	UNIT_EQ(buffer_unregister(t.fd, handle), 0);
	taker_close(&t);
	munmap(at, 2 * HUGE);
}

/* Contiguous memory is not enough: a host page starts at a multiple of its size. */
static void host_pages_askew(void)
{
	struct taker t = {.page_size = 16384, .pages = 64};
	struct roc_fr_start reply;
	void *at;

	if (translated(ROBINNP_ID)) {
		unit_skip("behind an IOMMU the kernel chooses where they begin");
		return;
	}
	emu_normal_robinnp(CARD0);
	UNIT_NEED(taker_open(&t));
	at = memory_make(HUGE, HUGE, LAYOUT_ASCENDING);
	more_pages(&t, (char *)at + 4096, 1 << 20);
	UNIT_EQ(taker_begin(&t, &reply), -EOPNOTSUPP);
	UNIT_EQ(reply.reason, ROC_REASON_CONTIGUITY);
	taker_close(&t);
	munmap(at, HUGE);
}

/* Bind the driver with these values of the capability's @limits and @host_pages. */
static bool driver_again(uint32_t limits, uint32_t host_pages)
{
	char address[32];

	strcpy(address, pci_address(ROBINNP_ID));
	UNIT_EQ(driver_unbind(address), 0);
	emu_config_set(CARD0, 0, VSEC + FRAGMENT_VSEC_LIMITS, limits);
	emu_config_set(CARD0, 0, VSEC + FRAGMENT_VSEC_HOST_PAGES, host_pages);
	return driver_bind(address);
}

/*
 * Register as many host pages as the card supports: more get no numbers and a start with them
 * fails.
 */
static void no_more_pages(struct taker *t)
{
	void *at = memory_make(4096, 4096, LAYOUT_ASCENDING);
	struct roc_fr_pages pages = {.size = sizeof(pages)};
	struct roc_buf_register more;
	struct roc_fr_start reply;

	UNIT_EQ(buffer_register(t->fd, at, 4096, 0, &more), 0);
	pages.handle = more.handle;
	UNIT_EQ(abi(t->fd, ROC_FR_PAGES, &pages), -ENOSPC);
	UNIT_EQ(taker_begin(t, &reply), -ENOSPC);
	UNIT_EQ(reply.reason, ROC_REASON_LENGTH);
	UNIT_EQ(reply.limit, 40);
	munmap(at, 4096);
}

/* Without requested values the rings have the card's limits, however low: 16 commands. */
static void smaller_card(void)
{
	uint32_t limits = emu_config(CARD0, 0, VSEC + FRAGMENT_VSEC_LIMITS);
	uint32_t host_pages = emu_config(CARD0, 0, VSEC + FRAGMENT_VSEC_HOST_PAGES);
	struct taker t = {.percent = 50, .pages = 21, .host_pages = 40};

	emu_normal_robinnp(CARD0);
	UNIT_NEED(driver_again((limits & 0xff0000ff) | 7 << 8 | 4 << 16, 40));
	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 10000));
	TAKER_OK(&t);
	UNIT_EQ(t.made.commands, 16);
	UNIT_EQ(t.made.descriptors, 128);
	UNIT_EQ(taker_info(&t).host_pages_max, 40);
	CU_ASSERT(taker_stop(&t));
	no_more_pages(&t);
	taker_close(&t);
	UNIT_NEED(driver_again(limits, host_pages));
	t = (struct taker){.percent = 50};
	start(&t, 2000, 0);
	CU_ASSERT(taker_run(&t, 100, 10000));
	stop(&t);
}

/* The driver refuses a card whose register layout libraries do not know, and logs the reason. */
static void other_links(void)
{
	uint32_t limits = emu_config(CARD0, 0, VSEC + FRAGMENT_VSEC_LIMITS);
	char address[32];

	strcpy(address, pci_address(ROBINNP_ID));
	UNIT_EQ(driver_unbind(address), 0);
	emu_config_set(CARD0, 0, VSEC + FRAGMENT_VSEC_LIMITS, (limits & ~0xf0u) | 5 << 4);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENODEV);
	UNIT_EQ(RUN("dmesg | grep 'roc %s' | tail -3", address), 0);
	OUTPUT_HAS("open registers are not where");
	emu_config_set(CARD0, 0, VSEC + FRAGMENT_VSEC_LIMITS, limits);
	UNIT_NEED(driver_bind(address));
}

UNIT_MAIN("fragment_runs", {"invalid values of each run", invalid_values_of_each_run},
	  {"counts begin", counts_begin}, {"forked", forked}, {"longer table", longer_table},
	  {"host pages askew", host_pages_askew}, {"smaller card", smaller_card},
	  {"other links", other_links})
