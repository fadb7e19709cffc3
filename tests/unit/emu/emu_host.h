/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host with a CRU; see emu_host_card.h.
 */
#ifndef ROC_UNIT_EMU_HOST_H
#define ROC_UNIT_EMU_HOST_H

#define HOST_CARD cru_card
#include "emu_host_card.h"
#include "kmod/cards/cru/cru_regs.h"

static uint32_t rd(unsigned int fn, uint32_t off)
{
	return cru_card.read(host.card, fn, CRU_BAR_DMA, off);
}

static void wr(unsigned int fn, uint32_t off, uint32_t value)
{
	cru_card.write(host.card, fn, CRU_BAR_DMA, off, value);
}

__attribute__((unused)) static uint32_t rd2(uint32_t off)
{
	return cru_card.read(host.card, 0, CRU_BAR_CARD, off);
}

__attribute__((unused)) static void wr2(uint32_t off, uint32_t value)
{
	cru_card.write(host.card, 0, CRU_BAR_CARD, off, value);
}

/* Superpage n of @pages pages for a link; memory is used as if all were of that size. */
__attribute__((unused)) static void push_at(unsigned int fn, unsigned int l, uint64_t addr,
					    uint32_t pages)
{
	wr(fn, CRU_SP_HIGH(l), addr >> 32);
	wr(fn, CRU_SP_LOW(l), addr);
	wr(fn, CRU_SP_PUSH(l), pages);
}

__attribute__((unused)) static uint8_t *superpage(unsigned int n, uint32_t pages)
{
	return host.memory + (size_t)n * pages * CRU_PAGE_SIZE;
}

__attribute__((unused)) static void push(unsigned int fn, unsigned int l, unsigned int n,
					 uint32_t pages)
{
	push_at(fn, l, HOST_BASE + (uint64_t)n * pages * CRU_PAGE_SIZE, pages);
}

/* Start data flow of the DMA block, in the order of the real software. */
__attribute__((unused)) static void start(unsigned int fn, uint32_t source)
{
	wr(fn, CRU_DATA_SOURCE, source);
	wr(fn, CRU_RESET_CONTROL, CRU_RESET_GENERATOR);
	wr(fn, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	wr(fn, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
}

/* Advance the size FIFO by one entry. */
__attribute__((unused)) static uint32_t next_size(unsigned int fn, unsigned int l)
{
	wr(fn, CRU_SP_SIZE(l), CRU_SP_SIZE_ADVANCE);
	return rd(fn, CRU_SP_SIZE(l));
}

#endif /* ROC_UNIT_EMU_HOST_H */
