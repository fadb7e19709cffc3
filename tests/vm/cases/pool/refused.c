// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test starts that the card refuses: the library's message, sysfs and the kernel log have the
 * reason of each. The next successful start clears it.
 */
#include "common/case.h"

#include "common/klog.h"
#include "kmod/pool/event_regs.h"

#define EVENTS 0x1000 /* a CRU's channel block, in BAR 0 */
#define SUBMIT_SIZE (EVENTS + EVENT_SUBMIT_SIZE)

static void refused(struct rig *r, enum roc_reason reason, const char *log)
{
	int fd = klog_open();
	char number[16];

	UNIT_NEED(fd >= 0);
	UNIT_EQ(roc_channel_start(r->ch), -EIO);
	if (!strstr(roc_error(), roc_reason_text(reason)))
		unit_note("%s", roc_error());
	CU_ASSERT(strstr(roc_error(), roc_reason_text(reason)) != NULL);
	UNIT_EQ(ch_info(rig_fd(r)).reason, reason);
	snprintf(number, sizeof(number), "%u", reason);
	UNIT_STR(node_attr(r->id, (int)r->channel, "failure_reason"), number);
	CU_ASSERT(klog_wait(fd, log, 5000) != NULL);
	close(fd);
}

static void starts_again(struct rig *r)
{
	rig_push(r, RIG_MAX);
	CU_ASSERT(rig_start(r) && rig_run(r, 20, 10000));
	UNIT_EQ(ch_info(rig_fd(r)).reason, ROC_REASON_NONE);
	UNIT_STR(node_attr(r->id, (int)r->channel, "failure_reason"), "0");
	rig_stop(r);
	RIG_OK(r);
	rig_close(r);
}

static void card_gone(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	emu(CARD0, "fault 0 all-ones");
	refused(&r, ROC_REASON_LOST, "failed to start: the card answers all ones");
	emu(CARD0, "fault 0 clear");
	starts_again(&r);
}

static void rings_refused(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};

	if (!has_events(EP0)) {
		unit_skip("a card without events");
		return;
	}
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	emu(CARD0, "fault 0 stuck-dma-register 0x%x 0", SUBMIT_SIZE);
	refused(&r, ROC_REASON_SETUP, "failed to start: the card refused its rings");
	emu(CARD0, "fault 0 clear");
	starts_again(&r);
}

static void reset_ignored(void)
{
	struct rig r = {.id = CRORC_ID};

	if (!has_events(CRORC_ID)) {
		unit_skip("a card without events");
		return;
	}
	emu_normal_crorc(CRORC0);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, 1);
	emu(CRORC0, "fault 0 reset-ignored 0x1");
	refused(&r, ROC_REASON_RESET, "failed to start: the channel did not complete its reset");
	emu(CRORC0, "fault 0 clear");
	starts_again(&r);
	emu_normal_crorc(CRORC0);
}

/* Channel 2 does not quiesce while channel 1 runs: channel 3, which is healthy, gets no bus. */
static void neighbour(void)
{
	struct rig runs = {.id = CRORC_ID, .channel = 1, .superpage = 32 * KIB};
	struct rig deaf = {.id = CRORC_ID, .channel = 2, .superpage = 32 * KIB};
	struct rig r = {.id = CRORC_ID, .channel = 3, .superpage = 32 * KIB};

	emu_normal_crorc(CRORC0);
	UNIT_NEED(rig_once(&deaf, 10, 10000));
	UNIT_NEED(rig_open(&runs) && rig_open(&r));
	rig_push(&runs, RIG_MAX);
	rig_push(&deaf, RIG_MAX);
	UNIT_NEED(rig_start(&runs) && rig_start(&deaf));
	CU_ASSERT(rig_run(&runs, 10, 10000) && rig_run(&deaf, 10, 10000));
	emu(CRORC0, "fault 0 reset-ignored 0x4");
	UNIT_EQ(roc_channel_stop(deaf.ch, NULL), -EIO);
	refused(&r, ROC_REASON_NEIGHBOUR, "failed to start: another channel of the function");
	emu(CRORC0, "fault 0 clear");
	roc_channel_stop(deaf.ch, NULL);
	starts_again(&r);
	rig_take(&deaf, false);
	rig_close(&deaf);
	CU_ASSERT(rig_run(&runs, runs.filled + 10, 10000));
	rig_stop(&runs);
	RIG_OK(&runs);
	rig_close(&runs);
	emu_normal_crorc(CRORC0);
}

/* If the driver refuses a card, the log has the exceeded limit. */
static void fifo_too_deep(void)
{
	char address[ROC_TEXT_MAX];
	int fd = klog_open();

	UNIT_NEED(fd >= 0);
	strcpy(address, pci_address(EP0));
	UNIT_EQ(driver_unbind(address), 0);
	emu(CARD0, "set 0 depth-register 4097");
	CU_ASSERT(!driver_bind(address));
	CU_ASSERT(klog_wait(fd,
			    "FIFO depth register 0xc04 reads 4097, which exceeds the limit of 4096",
			    5000) != NULL);
	close(fd);
	emu(CARD0, "set 0 depth-register 128");
	UNIT_NEED(driver_bind(address));
}

UNIT_MAIN("refused", {"a card that is gone", card_gone}, {"rings refused", rings_refused},
	  {"a reset that is ignored", reset_ignored},
	  {"a neighbour that is not quiesced", neighbour},
	  {"a FIFO that is too deep", fifo_too_deep})
