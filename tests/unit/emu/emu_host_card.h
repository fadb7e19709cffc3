/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A minimal host for tests of card models: memory, a clock that only the test advances, keys,
 * faults, counts. HOST_CARD is its card; emu_host.h and emu_crorc.h add the registers of one.
 *
 * Memory of HOST_MEMORY bytes is at bus address HOST_BASE; everything else is outside. Only one
 * host exists at a time: host_begin() creates it, host_end() destroys it.
 */
#ifndef ROC_UNIT_EMU_HOST_CARD_H
#define ROC_UNIT_EMU_HOST_CARD_H

#include <stdlib.h>
#include <string.h>

#include "tests/emu/core/card.h"
#include "unit.h"

#define HOST_BASE 0x240000000ull
#define HOST_MEMORY (64u << 20)
#define HOST_STEPS 1000000 /* a model that is not idle after so many steps is broken */

static struct {
	void *card;
	uint8_t *memory;
	uint64_t now;
	bool no_master;
	unsigned int vectors;		    /* that the host has enabled */
	unsigned int message[CARD_VECTORS]; /* that came, by vector */
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

static enum card_message host_message(void *ctx, unsigned int fn, unsigned int vector)
{
	if (host.no_master)
		return CARD_MESSAGE_NO_MASTER;
	if (vector >= host.vectors)
		return CARD_MESSAGE_OFF;
	host.message[vector]++;
	return CARD_MESSAGE_SENT;
}

static const struct card_host host_calls = {
	.dma = host_dma,
	.now = host_now,
	.dma_read = host_dma,
	.message = host_message,
};

__attribute__((unused)) static void host_begin(void)
{
	memset(&host, 0, sizeof(host));
	host.now = 1000000000;
	host.vectors = CARD_VECTORS;
	host.memory = malloc(HOST_MEMORY);
	UNIT_NEED(host.memory);
	memset(host.memory, 0xee, HOST_MEMORY);
	host.card = HOST_CARD.create(&host_calls);
	UNIT_NEED(host.card);
}

__attribute__((unused)) static void host_end(void)
{
	HOST_CARD.destroy(host.card);
	free(host.memory);
}

__attribute__((unused)) static const struct card_key *key_find(const char *name)
{
	const struct card_key *k;

	for (k = HOST_CARD.keys; k->name && strcmp(k->name, name); k++)
		;
	UNIT_NEED(k->name);
	return k;
}

__attribute__((unused)) static void key(unsigned int fn, const char *name, const char *value)
{
	char err[CARD_ERR];

	if (key_find(name)->set(host.card, fn, value, err))
		CU_FAIL_FATAL("a key is refused");
}

/* Returns the value as text, which the next call overwrites. */
__attribute__((unused)) static const char *key_get(unsigned int fn, const char *name)
{
	static char text[CARD_TEXT];

	key_find(name)->get(host.card, fn, text, sizeof(text));
	return text;
}

/* Check that the value is refused with a sentence and that the old value stays. */
__attribute__((unused)) static void key_refused(const char *name, const char *value)
{
	char before[CARD_TEXT], err[CARD_ERR] = "";

	strcpy(before, key_get(0, name));
	UNIT_EQ(key_find(name)->set(host.card, 0, value, err), -1);
	CU_ASSERT(strlen(err) > 10);
	UNIT_STR(key_get(0, name), before);
}

__attribute__((unused)) static void fault(unsigned int fn, const char *name, uint64_t arg)
{
	UNIT_NEED(HOST_CARD.fault_set(host.card, fn, name, arg));
}

/* Step until the model waits. Returns the result of the last step. */
__attribute__((unused)) static uint64_t run(unsigned int fn)
{
	uint64_t until;
	unsigned int i;

	for (i = 0; i < HOST_STEPS; i++) {
		until = HOST_CARD.step(host.card, fn, 65536);
		if (until != CARD_STEP_AGAIN)
			return until;
	}
	CU_FAIL_FATAL("the model never waits");
	return 0;
}

/* Advance the clock by @ns and step the model whenever it is due. */
__attribute__((unused)) static void run_for(unsigned int fn, uint64_t ns)
{
	uint64_t end = host.now + ns, until;

	while ((until = run(fn)) < end)
		host.now = until;
	host.now = end;
	run(fn);
}

/* Read a number from the counts of a function: "name" of the function, or of link l if l >= 0. */
__attribute__((unused)) static long long count(unsigned int fn, int l, const char *name)
{
	struct json j = {0};
	char find[64];
	const char *at;
	long long value;

	json_object(&j, NULL);
	HOST_CARD.counts(host.card, fn, &j);
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

/* Check that generated = packets + dropped + discarded + open, which holds at every moment. */
__attribute__((unused)) static void ledger(unsigned int fn)
{
	UNIT_EQ(count(fn, -1, "generated"), count(fn, -1, "packets") + count(fn, -1, "dropped") +
						    count(fn, -1, "discarded") +
						    count(fn, -1, "open"));
}

#endif /* ROC_UNIT_EMU_HOST_CARD_H */
