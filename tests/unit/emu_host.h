/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host in small for tests of card models: memory, a clock that stands still, register access.
 *
 * Memory of HOST_MEMORY bytes is at bus address HOST_BASE; everything else is outside. One host at
 * a time: host_begin() makes it, host_end() takes it away.
 */
#ifndef ROC_UNIT_EMU_HOST_H
#define ROC_UNIT_EMU_HOST_H

#include <stdlib.h>
#include <string.h>

#include "../emu/core/card.h"
#include "../../kmod/cru_regs.h"
#include "unit.h"

#define HOST_BASE 0x240000000ull
#define HOST_MEMORY (64u << 20)
#define HOST_STEPS 1000000 /* a model that is not idle after that many is broken */

static struct {
	void *card;
	uint8_t *memory;
	uint64_t now;
	bool no_master;
} host;

static enum card_dma host_dma(void *ctx, unsigned int fn, uint64_t addr, size_t *len, void **ptr)
{
	uint64_t off = addr - HOST_BASE;

	if (host.no_master)
		return CARD_DMA_NO_MASTER;
	if (addr < HOST_BASE) {
		if (*len > HOST_BASE - addr)
			*len = HOST_BASE - addr;
		return CARD_DMA_OUTSIDE;
	}
	if (off >= HOST_MEMORY)
		return CARD_DMA_OUTSIDE;
	if (*len > HOST_MEMORY - off)
		*len = HOST_MEMORY - off;
	*ptr = host.memory + off;
	return CARD_DMA_OK;
}

static uint64_t host_now(void *ctx)
{
	return host.now;
}

static const struct card_host host_calls = {.dma = host_dma, .now = host_now};

static void host_begin(void)
{
	memset(&host, 0, sizeof(host));
	host.now = 1000000000;
	host.memory = malloc(HOST_MEMORY);
	UNIT_NEED(host.memory);
	memset(host.memory, 0xee, HOST_MEMORY);
	host.card = cru_card.create(&host_calls);
	UNIT_NEED(host.card);
}

static void host_end(void)
{
	cru_card.destroy(host.card);
	free(host.memory);
}

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

__attribute__((unused)) static void key(unsigned int fn, const char *name, const char *value)
{
	const struct card_key *k;
	char err[CARD_ERR] = "unknown key";

	for (k = cru_card.keys; k->name; k++) {
		if (!strcmp(k->name, name) && !k->set(host.card, fn, value, err))
			return;
	}
	CU_FAIL_FATAL("a key is refused");
}

__attribute__((unused)) static void fault(unsigned int fn, const char *name, uint64_t arg)
{
	UNIT_NEED(cru_card.fault_set(host.card, fn, name, arg));
}

/* Steps until the model wants to wait; what the last one said. */
static uint64_t run(unsigned int fn)
{
	uint64_t until;
	unsigned int i;

	for (i = 0; i < HOST_STEPS; i++) {
		until = cru_card.step(host.card, fn, 65536);
		if (until != CARD_STEP_AGAIN)
			return until;
	}
	CU_FAIL_FATAL("the model never waits");
	return 0;
}

/* The clock goes on to @ns from now, the model running whenever it wants to. */
__attribute__((unused)) static void run_for(unsigned int fn, uint64_t ns)
{
	uint64_t end = host.now + ns, until;

	while ((until = run(fn)) < end)
		host.now = until;
	host.now = end;
	run(fn);
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

/* Bring the DMA block to where data flows, in the order of the real software. */
__attribute__((unused)) static void start(unsigned int fn, uint32_t source)
{
	wr(fn, CRU_DATA_SOURCE, source);
	wr(fn, CRU_RESET_CONTROL, CRU_RESET_GENERATOR);
	wr(fn, CRU_RESET_CONTROL, CRU_RESET_GENERAL);
	wr(fn, CRU_DMA_CONTROL, CRU_DMA_CONTROL_START);
}

/* One step of the size FIFO. */
__attribute__((unused)) static uint32_t next_size(unsigned int fn, unsigned int l)
{
	wr(fn, CRU_SP_SIZE(l), CRU_SP_SIZE_ADVANCE);
	return rd(fn, CRU_SP_SIZE(l));
}

/* A number out of the counts of a function: "name" of the function, or of link l if l >= 0. */
__attribute__((unused)) static long long count(unsigned int fn, int l, const char *name)
{
	struct json j = {0};
	char find[64];
	const char *at;
	long long value;

	json_object(&j, NULL);
	cru_card.counts(host.card, fn, &j);
	json_end_object(&j);
	at = j.text;
	if (l >= 0) {
		snprintf(find, sizeof(find), "\"link\":%d,", l);
		at = strstr(at, find);
	}
	snprintf(find, sizeof(find), "\"%s\":", name);
	at = at ? strstr(at, find) : NULL;
	if (!at) {
		json_free(&j);
		CU_FAIL_FATAL("no such count");
		return -1;
	}
	value = atoll(at + strlen(find));
	json_free(&j);
	return value;
}

/* generated = packets + dropped + discarded + open, whatever happened. */
__attribute__((unused)) static void ledger(unsigned int fn)
{
	UNIT_EQ(count(fn, -1, "generated"), count(fn, -1, "packets") + count(fn, -1, "dropped") +
						    count(fn, -1, "discarded") +
						    count(fn, -1, "open"));
}

#endif /* ROC_UNIT_EMU_HOST_H */
