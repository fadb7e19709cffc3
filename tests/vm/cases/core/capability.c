// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a card with events and an invalid capability: the driver uses it as a plain one, and values
 * that users may write never become the address of a ring or of an interrupt message. All
 * invalid capabilities are in tests/unit/kmod/core/kmod_vsec.c; this tests that the module checks
 * them.
 */
#include "common/case.h"

#include "kmod/pool/event_regs.h"

#define VSEC 0x200	 /* where the emulated card has it */
#define BLOCKS 0x1000	 /* BAR0 */
#define STORAGE 0x600100 /* BAR2: keeps what users write */

static char address[ROC_TEXT_MAX];

static bool skip(void)
{
	if (has_events(EP0))
		return false;
	unit_skip("no card with the event interface");
	return true;
}

/* Unbind and bind the driver; returns whether the card has events now. */
static bool events_again(void)
{
	strcpy(address, pci_address(EP0));
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_NEED(driver_bind(address));
	return has_events(EP0);
}

static void works(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};

	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(rig_once(&r, 20, 10000));
	RIG_OK(&r);
	rig_close(&r);
}

/* Change this word: the card is used without events, for that reason. */
static void invalid(uint32_t offset, uint32_t value, const char *reason)
{
	uint32_t before = emu_config(CARD0, 0, offset);

	emu_config_set(CARD0, 0, offset, value);
	CU_ASSERT(!events_again());
	UNIT_EQ(RUN("dmesg | grep 'roc %s' | tail -3", address), 0);
	OUTPUT_HAS(reason);
	emu_config_set(CARD0, 0, offset, before);
}

static void invalid_words(void)
{
	if (skip())
		return;
	invalid(VSEC + EVENT_VSEC_LIMITS, emu_config(CARD0, 0, VSEC + EVENT_VSEC_LIMITS) | 255 << 8,
		"largest ring size is out of range");
	works();
	/* Rings that may be, but with fewer entries than there are links. */
	invalid(VSEC + EVENT_VSEC_LIMITS,
		(emu_config(CARD0, 0, VSEC + EVENT_VSEC_LIMITS) & ~0xff00u) | 4 << 8,
		"rings are too small");
	works();
	invalid(VSEC + EVENT_VSEC_CARD, BLOCKS + 0x800,
		"the ID register of a block does not match");
	CU_ASSERT(events_again());
}

/* Its MSI-X table has two messages, and it can use one of them. */
static void fewer_vectors(void)
{
	uint32_t limits;

	if (skip())
		return;
	limits = emu_config(CARD0, 0, VSEC + EVENT_VSEC_LIMITS);
	emu_config_set(CARD0, 0, VSEC + EVENT_VSEC_LIMITS, (limits & 0xffff) | 1 << 16);
	CU_ASSERT(events_again());
	UNIT_EQ(RUN("dmesg | grep 'roc %s' | tail -3", address), 0);
	OUTPUT_HAS("1 of 2 interrupt vectors");
	works();
	emu_config_set(CARD0, 0, VSEC + EVENT_VSEC_LIMITS, limits);
}

/* A block in BAR 2, with the contents of a valid block. */
static void in_reach_of_users(void)
{
	int fd = node_open(EP0, -1);

	if (skip()) {
		close(fd);
		return;
	}
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, STORAGE + EVENT_ID,
			  EVENT_ID_CHANNEL << 16 | EVENT_VSEC_REVISION << 8),
		0);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, STORAGE + EVENT_LIMITS, 16 << 16 | 128), 0);
	close(fd);
	invalid(VSEC + EVENT_VSEC_CHANNEL, STORAGE | CRU_BAR_CARD, "where users may write");
	invalid(VSEC + EVENT_VSEC_CARD, STORAGE | CRU_BAR_CARD, "where users may write");
	CU_ASSERT(events_again());
}

/* Without memory the probe fails; the card is not used as a plain one. */
static void no_memory(void)
{
	if (skip())
		return;
	if (!points_there())
		return unit_skip("needs a module with points");
	strcpy(address, pci_address(EP0));
	UNIT_EQ(driver_unbind(address), 0);
	point_fail("event_rings", 1);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENOMEM);
	point_fail("event_notice", 1);
	UNIT_EQ(put_text("/sys/bus/pci/drivers/roc/bind", address), -ENOMEM);
	UNIT_NEED(driver_bind(address));
	CU_ASSERT(has_events(EP0));
}

static void leave(void)
{
	if (skip())
		return;
	CU_ASSERT(events_again());
	works();
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("capability", {"invalid words", invalid_words},
	  {"fewer vectors than messages", fewer_vectors},
	  {"blocks users may write", in_reach_of_users}, {"no memory", no_memory},
	  {"card works as before", leave})
