/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host with a C-RORC; see emu_host_card.h. The completion blocks are in the last page of
 * the memory, 8 bytes per channel.
 */
#ifndef ROC_UNIT_EMU_CRORC_H
#define ROC_UNIT_EMU_CRORC_H

#define HOST_CARD crorc_card
#include "tests/unit/emu/emu_host_card.h"
#include "kmod/cards/crorc/crorc_regs.h"

#define SP 0x100000u /* the usual superpage */
#define BLOCKS (HOST_MEMORY - 4096)
#define RDH 64
#define PAYLOAD (CRORC_PAGE_SIZE - RDH)

struct block {
	uint32_t size, count;
};

__attribute__((unused)) static uint32_t rd(unsigned int ch, uint32_t off)
{
	return crorc_card.read(host.card, 0, ch, off);
}

__attribute__((unused)) static void wr(unsigned int ch, uint32_t off, uint32_t value)
{
	crorc_card.write(host.card, 0, ch, off, value);
}

__attribute__((unused)) static uint32_t peek(unsigned int ch, uint32_t off)
{
	return crorc_card.peek(host.card, 0, ch, off);
}

__attribute__((unused)) static struct block *block(unsigned int ch)
{
	return (struct block *)(host.memory + BLOCKS) + ch;
}

__attribute__((unused)) static uint8_t *memory_at(uint64_t addr)
{
	return host.memory + (addr - HOST_BASE);
}

/* Word @w of the packet that is @n packets of @step bytes behind @addr. */
__attribute__((unused)) static uint32_t word(uint64_t addr, unsigned int n, uint32_t step,
					     unsigned int w)
{
	uint32_t value;

	memcpy(&value, memory_at(addr) + (size_t)n * step + 4 * w, sizeof(value));
	return value;
}

__attribute__((unused)) static void reset(unsigned int ch)
{
	wr(ch, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
	wr(ch, CRORC_CARD_CSR, CRORC_CARD_CSR_RESET);
}

/* Common start of every source: reset, block address, DMA on. */
__attribute__((unused)) static void dma_on(unsigned int ch)
{
	uint64_t addr = HOST_BASE + BLOCKS + 8 * ch;

	*block(ch) = (struct block){0, CRORC_DONE_COUNT_START};
	reset(ch);
	wr(ch, CRORC_DONE_LOW, addr);
	wr(ch, CRORC_DONE_HIGH, addr >> 32);
	wr(ch, CRORC_CHAN_CSR, rd(ch, CRORC_CHAN_CSR) | CRORC_CHAN_CSR_DMA);
}

__attribute__((unused)) static void generator(unsigned int ch, bool on)
{
	uint32_t value = rd(ch, CRORC_GENERATOR) & ~CRORC_GENERATOR_RUN;

	wr(ch, CRORC_GENERATOR, value | (on ? CRORC_GENERATOR_RUN : 0));
}

/* Start a run with the generator looped back inside the card. */
__attribute__((unused)) static void start(unsigned int ch)
{
	dma_on(ch);
	wr(ch, CRORC_CHAN_CSR, CRORC_CHAN_CSR_LOOPBACK);
	generator(ch, true);
}

__attribute__((unused)) static void push_at(unsigned int ch, uint64_t addr, uint32_t size)
{
	wr(ch, CRORC_SP_HIGH, addr >> 32);
	wr(ch, CRORC_SP_LOW, addr);
	wr(ch, CRORC_SP_SIZE, size);
}

/* Superpage n of 1 MiB; each channel has eight before the ranges overlap. */
__attribute__((unused)) static uint64_t place(unsigned int ch, unsigned int n)
{
	return HOST_BASE + (uint64_t)(8 * ch + n % 8) * SP;
}

__attribute__((unused)) static void push(unsigned int ch, unsigned int n)
{
	push_at(ch, place(ch, n), SP);
}

__attribute__((unused)) static void flush(unsigned int ch)
{
	wr(ch, CRORC_CONFIG_B, rd(ch, CRORC_CONFIG_B) | CRORC_CONFIG_B_FLUSH);
}

__attribute__((unused)) static void stop(unsigned int ch)
{
	generator(ch, false);
	flush(ch);
	wr(ch, CRORC_CHAN_CSR, rd(ch, CRORC_CHAN_CSR) | CRORC_CHAN_CSR_DMA);
}

/* Send exactly @n packets by limiting the engine's budget. */
__attribute__((unused)) static void packets(unsigned int n)
{
	crorc_card.step(host.card, 0, (size_t)n * CRORC_PAGE_SIZE);
}

__attribute__((unused)) static void channel_fault(const char *name, unsigned int mask, uint32_t arg)
{
	UNIT_NEED(crorc_card.fault_set(host.card, 0, name, (uint64_t)mask << 32 | arg));
}

/* Send one command and read its replies. Returns their number, with the first in *first. */
__attribute__((unused)) static unsigned int command(unsigned int ch, uint32_t value,
						    uint32_t *first)
{
	unsigned int n = 0;
	uint32_t reply;

	wr(ch, CRORC_DDL_COMMAND, value);
	while (rd(ch, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_DDL_STATUS) {
		reply = rd(ch, CRORC_DDL_STATUS);
		if (first && !n)
			*first = reply;
		UNIT_NEED(++n < 100);
	}
	return n;
}

#endif /* ROC_UNIT_EMU_CRORC_H */
