/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host with a card of units (streams, sub-units): registers, and tests that are common to
 * all such cards. See emu_host_card.h. UNIT_BLOCK(u) is the offset of a unit's block in BAR 0.
 */
#ifndef ROC_UNIT_EMU_HOST_UNITS_H
#define ROC_UNIT_EMU_HOST_UNITS_H

#include "tests/unit/emu/emu_host_card.h"
#include "kmod/core/contract_regs.h"

#define BAR_DMA 0
#define BAR_CARD 2 /* begins with the block of the card */

__attribute__((unused)) static uint32_t rd0(uint32_t off)
{
	return HOST_CARD.read(host.card, 0, BAR_DMA, off);
}

__attribute__((unused)) static void wr0(uint32_t off, uint32_t value)
{
	HOST_CARD.write(host.card, 0, BAR_DMA, off, value);
}

__attribute__((unused)) static uint32_t rd(unsigned int u, uint32_t off)
{
	return rd0(UNIT_BLOCK(u) + off);
}

__attribute__((unused)) static void wr(unsigned int u, uint32_t off, uint32_t value)
{
	wr0(UNIT_BLOCK(u) + off, value);
}

__attribute__((unused)) static uint32_t card_rd(uint32_t off)
{
	return HOST_CARD.read(host.card, 0, BAR_CARD, off);
}

__attribute__((unused)) static void card_wr(uint32_t off, uint32_t value)
{
	HOST_CARD.write(host.card, 0, BAR_CARD, off, value);
}

__attribute__((unused)) static uint64_t wide(uint32_t off)
{
	return card_rd(off) | (uint64_t)card_rd(off + 4) << 32;
}

static uint32_t letters(const char *four)
{
	return four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24;
}

__attribute__((unused)) static void identity_is(unsigned int device, const char *id,
						const char *serial, uint32_t units,
						uint32_t features)
{
	host_begin();
	UNIT_EQ(HOST_CARD.vendor(host.card), 0x10dc);
	UNIT_EQ(HOST_CARD.device(host.card), device);
	UNIT_EQ(HOST_CARD.bar_size[BAR_DMA], 0x20000);
	UNIT_EQ(HOST_CARD.bar_size[BAR_CARD], 0x10000);
	UNIT_EQ(HOST_CARD.functions, 1);
	UNIT_EQ(card_rd(CARD_ID), letters(id));
	UNIT_EQ(card_rd(CARD_REVISION), 1);
	UNIT_EQ(card_rd(CARD_UNITS), units);
	UNIT_EQ(card_rd(CARD_SERIAL), letters(serial));
	UNIT_EQ(card_rd(CARD_TEMPERATURE), 45000);
	UNIT_EQ(card_rd(CARD_FEATURES), features);
	UNIT_EQ(card_rd(CARD_CLOCK), 250000000);
	UNIT_EQ(card_rd(CARD_CYCLES), 0);
	host.now += 4000000000;
	UNIT_EQ(card_rd(CARD_CYCLES), 1000000000);
	host_end();
}

/* Undefined registers read 0 and ignore writes; read-only registers keep their value. */
__attribute__((unused)) static void nothing_but(bool (*in_dma)(uint32_t), bool (*in_card)(uint32_t))
{
	uint32_t off, before;

	host_begin();
	for (off = 0; off < HOST_CARD.bar_size[BAR_DMA]; off += 4) {
		if (in_dma(off))
			continue;
		wr0(off, ~0u);
		UNIT_EQ(rd0(off), 0);
	}
	for (off = 0; off < HOST_CARD.bar_size[BAR_CARD]; off += 4) {
		if (off == CARD_TEST || in_card(off))
			continue;
		before = card_rd(off);
		card_wr(off, ~0u);
		UNIT_EQ(card_rd(off), before);
	}
	UNIT_EQ(run(0), CARD_STEP_IDLE);
	UNIT_EQ(count(0, -1, "dma_writes"), 0);
	host_end();
}

__attribute__((unused)) static void source_and_test(void)
{
	card_wr(CARD_SOURCE, 0xffff);
	card_wr(CARD_SOURCE, 0x10000);
	UNIT_EQ(card_rd(CARD_SOURCE), 0xffff);
	card_wr(CARD_TEST, 0xdeadbeef);
	UNIT_EQ(card_rd(CARD_TEST), 0xdeadbeef);
}

/* @features: without a thermometer. */
__attribute__((unused)) static void keys_of_identity(uint32_t features)
{
	key(0, "temperature", "-3.25");
	UNIT_EQ((int32_t)card_rd(CARD_TEMPERATURE), -3250);
	key(0, "temperature", "none");
	UNIT_EQ(card_rd(CARD_TEMPERATURE), CARD_TEMPERATURE_NONE);
	UNIT_EQ(card_rd(CARD_FEATURES), features);
	key_refused("temperature", "428");
	key_refused("serial", "12345");
	key(0, "serial", "77");
	UNIT_STR(key_get(0, "serial"), "0077");
	key(0, "firmware", "abc");
	UNIT_EQ(card_rd(CARD_HASH), 0xabc);
}

__attribute__((unused)) static void no_vectors(void)
{
	struct card_messages m;

	key(0, "vectors", "0");
	HOST_CARD.messages(host.card, &m);
	UNIT_EQ(m.msix | m.msi, 0);
}

/* Every fault can be set, read and cleared. */
__attribute__((unused)) static void every_fault(void)
{
	const struct card_fault *f;

	host_begin();
	for (f = HOST_CARD.faults; f->name; f++) {
		uint64_t arg = f->low_arg ? 0x300000003 : f->arg && !strcmp(f->arg, "ms") ? 9 : 3;

		UNIT_NEED(HOST_CARD.fault_set(host.card, 0, f->name, arg));
		UNIT_EQ(HOST_CARD.fault_get(host.card, 0, f->name), arg);
		UNIT_NEED(HOST_CARD.fault_clear(host.card, 0, f->name));
		UNIT_EQ(HOST_CARD.fault_get(host.card, 0, f->name), 0);
	}
	UNIT_NEED(!HOST_CARD.fault_set(host.card, 0, "no-such-fault", 1));
	UNIT_NEED(!HOST_CARD.fault_clear(host.card, 0, "no-such-fault"));
	host_end();
}

#endif /* ROC_UNIT_EMU_HOST_UNITS_H */
