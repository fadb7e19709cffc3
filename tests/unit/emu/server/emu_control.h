/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A served CRU that is driven by control commands, with register accesses as a host makes them.
 * Only one exists at a time: begin() creates it, end() destroys it.
 */
#ifndef ROC_UNIT_EMU_CONTROL_H
#define ROC_UNIT_EMU_CONTROL_H

#include "kmod/cards/cru/cru_regs.h"
#include "tests/emu/server/emu.h"
#include "unit.h"

#include <linux/pci_regs.h>

static struct emu *emu;
static struct json reply;

static const char *run(const char *line)
{
	control_run(emu, line, &reply);
	return reply.text;
}

static void begin(void)
{
	uint16_t on = PCI_COMMAND_MEMORY;
	unsigned int i;

	emu = emu_create(&cru_card);
	UNIT_NEED(emu && !emu_start(emu));
	for (i = 0; i < 2; i++)
		function_config_write(&emu->fn[i], PCI_COMMAND, &on, sizeof(on));
}

static void end(void)
{
	emu_destroy(emu);
	json_free(&reply);
}

static uint32_t rd(unsigned int fn, unsigned int bar, uint32_t off)
{
	uint32_t value;

	function_bar_read(&emu->fn[fn], bar, off, &value, 4);
	return value;
}

static void wr(unsigned int fn, unsigned int bar, uint32_t off, uint32_t value)
{
	function_bar_write(&emu->fn[fn], bar, off, &value, 4);
}

#define OK "{\"ok\":true}"

#endif /* ROC_UNIT_EMU_CONTROL_H */
