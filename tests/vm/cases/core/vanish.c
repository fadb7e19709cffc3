// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test an endpoint that disappears from the bus while it runs, and stays away: endpoint 1 of the
 * second card is lost for the rest of this guest. Run it last.
 */
#include "common/case.h"

static void vanished(void)
{
	struct rig r = {.id = OTHER_EP1, .source = ROC_SOURCE_DDG, .count = 8};
	struct rig other = {.id = OTHER_EP0, .source = ROC_SOURCE_DDG, .count = 8};
	char address[ROC_TEXT_MAX];
	int64_t before, held, end;
	uint32_t v;
	int fd;

	emu_normal(CARD1, FOUR_LINKS);
	strcpy(address, pci_address(OTHER_EP1));
	fd = node_open(OTHER_EP1, -1);
	before = pins();
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 20, 5000));
	emu(CARD1, "fault 1 vanish");
	end = now_ms() + patience_ms(5000);
	while (ch_info(rig_fd(&r)).state == ROC_CH_RUNNING && now_ms() < end) {
		roc_channel_wait(r.ch, 1, 20);
		rig_take(&r, true);
	}
	UNIT_EQ(ch_info(rig_fd(&r)).state, ROC_CH_FAILED);
	UNIT_EQ(ch_info(rig_fd(&r)).reason, ROC_REASON_LOST);
	rig_take(&r, false);
	UNIT_EQ(reg_read(fd, CRU_BAR_CARD, CRU_FW_HASH, &v), -EIO);
	UNIT_EQ(control(rig_fd(&r), ROC_CH_START, 0, 0), -EIO);
	RIG_OK(&r);
	rig_close(&r);
	/* The card might return and write on: the memory stays allocated. */
	CU_ASSERT(pins() > before);
	UNIT_EQ(emu_count(CARD1, 1, "dma_outside"), 0);
	/* The other endpoint of the card works, and the lost one can be removed from the system. */
	CU_ASSERT(rig_once(&other, 20, 5000));
	RIG_OK(&other);
	rig_close(&other);
	close(fd);
	held = pins();
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(pins(), held);
	CU_ASSERT(rig_once(&other, 20, 5000));
	RIG_OK(&other);
	rig_close(&other);
}

UNIT_MAIN("vanish", {"vanished", vanished})
