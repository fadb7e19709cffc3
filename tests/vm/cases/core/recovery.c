// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test error recoveries of the PCI core, mostly caused by other devices below the same port.
 */
#include "common/case.h"
#include "common/recovery.h"

#include <poll.h>
#include <unistd.h>

#define LIMIT_MS 10000

static void works(struct rig r)
{
	CU_ASSERT(rig_once(&r, 20, LIMIT_MS));
	RIG_OK(&r);
	rig_close(&r);
}

static void reset_for_another(struct rig r)
{
	struct rig again = r;
	int64_t before = pins();
	struct pollfd p = {0};

	r.count = 8;
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 20, LIMIT_MS));
	/* With only roc devices the recovery is over here, and data go on. */
	UNIT_EQ(recovery(r.id, "normal,resume"), 0);
	CU_ASSERT(rig_run(&r, r.filled + 20, LIMIT_MS));
	UNIT_EQ(recovery(r.id, "normal,reset,resume"), 0);
	/* Readers get an error instead of data. */
	p.fd = rig_fd(&r);
	CU_ASSERT(poll(&p, 1, 0) == 1 && p.revents & POLLHUP);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_STOP, 0, 0), -ENODEV);
	rig_take(&r, false);
	UNIT_EQ(rig_missing(&r), 0);
	UNIT_EQ(pins(), before);
	rig_close(&r);
	works(again);
}

/* The driver of a neighbour, e.g. a network card, requests a reset after a non-fatal error. */
static void reset_for_a_neighbour(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal_crorc(CRORC0);
	reset_for_another((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
	reset_for_another((struct rig){.id = CRORC_ID});
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	UNIT_EQ(emu_count(CRORC0, 0, "dma_outside"), 0);
}

/* Settings of a run that a reset ended are reverted then, and not by a later run. */
static void reset_forgets_debug(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_INTERNAL, .links = 0x1, .count = 8};
	uint32_t v = 0;
	int fd;

	emu_normal(CARD0, FOUR_LINKS);
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 0);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 20, LIMIT_MS));
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME), CRU_TIME_FRAME_DEBUG);
	UNIT_EQ(recovery(EP0, "frozen,reset,resume"), 0);
	rig_take(&r, false);
	rig_close(&r);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME) & CRU_TIME_FRAME_DEBUG, 0);
	emu_poke(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME, 256u << 20);
	works((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
	fd = node_open(EP0, -1);
	UNIT_EQ(reg_read(fd, CRU_BAR_DMA, CRU_TIME_FRAME, &v), 0);
	UNIT_EQ(v, 256u << 20);
	close(fd);
}

/* A silent card does not become usable because another device recovered. */
static void lost_stays_lost(void)
{
	char reset[96];

	emu_normal(CARD0, FOUR_LINKS);
	snprintf(reset, sizeof(reset), "/sys/bus/pci/devices/%s/reset", pci_address(EP0));
	emu(CARD0, "fault 0 all-ones");
	UNIT_EQ(recovery(EP0, "frozen,normal,resume"), 0);
	UNIT_EQ(node_open(EP0, -1), -ENODEV);
	UNIT_EQ(node_open(EP0, 0), -ENODEV);
	emu(CARD0, "fault 0 clear");
	UNIT_EQ(put_text(reset, "1"), 0);
	works((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
}

static const struct rig plain = {
	.id = EP0, .source = ROC_SOURCE_DDG, .by_timer = true, .configure = ROC_CONFIGURE_PLAIN};

/* A channel whose run has ended without verified quiescence: it still has its descriptors. */
static bool leave_unquiesced(void)
{
	struct rig r = plain;
	bool good;

	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	good = rig_open(&r);
	if (good) {
		rig_push(&r, RIG_MAX);
		good = rig_start(&r);
		emu(CARD0, "fault 0 reset-ignored");
		good = rig_stop(&r) && good;
		rig_close(&r);
	}
	return good && emu_link_count(CARD0, 0, 0, "queued") > 0;
}

/* A start finds the unquiesced channel, and resets the function. */
static void start_resets(uint64_t before)
{
	struct rig r = plain;

	UNIT_EQ(emu_count(CARD0, 0, "function_resets"), before);
	UNIT_NEED(rig_open(&r));
	control(rig_fd(&r), ROC_CH_START, 0, 0);
	CU_ASSERT(emu_count(CARD0, 0, "function_resets") > before);
	rig_close(&r);
	emu(CARD0, "fault 0 clear");
	works(plain);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
}

/*
 * A recovery without a reset verifies nothing, even after one that froze the channel and never
 * ended. The driver does not reset the function in the recovery, which holds pci_bus_sem.
 */
static void recovery_verifies_nothing(void)
{
	uint64_t before;

	UNIT_NEED(leave_unquiesced());
	before = emu_count(CARD0, 0, "function_resets");
	UNIT_EQ(recovery(EP0, "normal,reset,resume"), 0);
	start_resets(before);

	UNIT_NEED(leave_unquiesced());
	before = emu_count(CARD0, 0, "function_resets");
	UNIT_EQ(recovery(EP0, "frozen"), 0);
	UNIT_EQ(recovery(EP0, "normal,reset,resume"), 0);
	start_resets(before);
}

/* The end of a reset does not end the recovery around it. */
static void reset_in_recovery(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(recovery(EP0, "frozen,prepare,done"), 0);
	UNIT_EQ(node_open(EP0, -1), -ENODEV);
	UNIT_EQ(node_open(EP0, 0), -ENODEV);
	UNIT_EQ(recovery(EP0, "reset,resume"), 0);
	works((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
}

/* A recovery or a reset does not reopen a card after a shutdown for the next kernel. */
static void shutdown_stays(void)
{
	char address[ROC_TEXT_MAX];

	emu_normal(CARD0, FOUR_LINKS);
	strcpy(address, pci_address(EP0));
	UNIT_EQ(recovery(EP0, "shutdown,frozen,reset,resume"), 0);
	UNIT_EQ(node_open(EP0, -1), -ENODEV);
	UNIT_EQ(recovery(EP0, "prepare,done"), 0);
	UNIT_EQ(node_open(EP0, 0), -ENODEV);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_NEED(driver_bind(address));
	works((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
}

/* A failed reset does not quiesce a running card. */
static void reset_that_failed(void)
{
	unsigned int l;
	uint64_t before;

	UNIT_NEED(leave_unquiesced());
	before = emu_count(CARD0, 0, "function_resets");
	UNIT_EQ(recovery(EP0, "prepare,done"), 0);
	CU_ASSERT(emu_count(CARD0, 0, "function_resets") > before);
	for (l = 0; l < CRU_LINK_SLOTS; l++)
		UNIT_EQ(emu_link_count(CARD0, 0, l, "queued"), 0);
	emu(CARD0, "fault 0 clear");
	works(plain);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
}

/*
 * The configuration that a reset clears is restored twice: after a function reset, which consumes
 * the saved state on older kernels, and after a recovery, which also does.
 */
static void restored_again(void)
{
	char reset[96];
	unsigned int i;

	emu_normal(CARD0, FOUR_LINKS);
	snprintf(reset, sizeof(reset), "/sys/bus/pci/devices/%s/reset", pci_address(EP0));
	UNIT_EQ(put_text(reset, "1"), 0);
	for (i = 0; i < 2; i++) {
		UNIT_EQ(recovery(EP0, "frozen,lost,reset,resume"), 0);
		works((struct rig){.id = EP0, .source = ROC_SOURCE_DDG});
	}
}

UNIT_MAIN("recovery", {"reset for a neighbour", reset_for_a_neighbour},
	  {"reset forgets debug", reset_forgets_debug}, {"lost card stays lost", lost_stays_lost},
	  {"recovery verifies nothing", recovery_verifies_nothing},
	  {"reset in a recovery", reset_in_recovery}, {"shutdown stays", shutdown_stays},
	  {"reset that failed", reset_that_failed}, {"restored again", restored_again})
