/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared part of the tests of a capability: find a valid one, and reject invalid ones. A test
 * includes this once and defines @test and agrees().
 */
#ifndef ROC_UNIT_KMOD_VSEC_TEST_H
#define ROC_UNIT_KMOD_VSEC_TEST_H

#include "unit.h"

#include <string.h>

#include "core/contract_regs.h"
#include "core/vsec.h"

#define VSEC_AT 0x200
struct vsec_word {
	unsigned int at;
	__u32 value;
};

struct vsec_words {
	const struct vsec_word *word;
	size_t count;
};

#define VSEC_WORDS(words)                                                                          \
	{                                                                                          \
		words, sizeof(words) / sizeof((words)[0])                                          \
	}

static const struct vsec_test {
	const struct roc_vsec_contract *contract;
	struct roc_vsec_card card;
	void *result;
	struct vsec_words good;	 /* a valid capability */
	struct vsec_words bad;	 /* each of these words makes it invalid */
	struct vsec_words moved; /* with each of these it is valid, but has another layout */
} test;

/* Return true if the layout is the one that user space expects by the PCI ID. */
static _Bool agrees(void);

static __u32 space[1024];
static __u32 open_bar;

static __u32 read_word(void *context, unsigned int at)
{
	return space[at / 4];
}

static _Bool is_user_writable(void *context, const struct roc_piece *piece)
{
	return piece->bar == open_bar;
}

/* BARs and MSI-X tables of a card, from the constants in its register header. */
#define VSEC_CARD(CARD, count)                                                                     \
	{                                                                                          \
		.read = read_word, .user_writable = is_user_writable, .channels = (count),         \
		.bar_length = {[CARD##_BAR_DMA] = CARD##_BAR_DMA_SIZE,                             \
			       [CARD##_BAR_CARD] = CARD##_BAR_CARD_SIZE},                          \
		.table = {                                                                         \
			{CARD##_BAR_DMA, CARD##_MSIX_TABLE, CARD##_VECTORS * 16},                  \
			{CARD##_BAR_DMA, CARD##_MSIX_PENDING, 8},                                  \
		},                                                                                 \
	}

static void put(unsigned int at, __u32 value)
{
	space[(VSEC_AT + at) / 4] = value;
}

static void good(void)
{
	size_t i;

	memset(space, 0, sizeof(space));
	open_bar = 2;
	space[0x100 / 4] = 0x0001 | 1 << 16 | VSEC_AT << 20; /* AER, followed by the capability */
	put(0, 0x000b | 1 << 16);
	for (i = 0; i < test.good.count; i++)
		put(test.good.word[i].at, test.good.word[i].value);
}

static int find(void)
{
	const char *reason;

	return roc_vsec_find(&test.card, test.contract, test.result, &reason);
}

static void absent(void)
{
	good();
	put(VSEC_SIGNATURE, 0);
	UNIT_EQ(find(), 0);
	good();
	space[(VSEC_AT + VSEC_HEADER) / 4] += 1 << 16; /* the next revision */
	UNIT_EQ(find(), 0);
}

static void refused(void)
{
	size_t i;

	for (i = 0; i < test.bad.count; i++) {
		good();
		put(test.bad.word[i].at, test.bad.word[i].value);
		UNIT_EQ(find(), -1);
	}
	good();
	open_bar = 0;
	UNIT_EQ(find(), -1);
}

/* Valid capabilities with another layout than user space expects by the PCI ID. */
static void other_layout(void)
{
	size_t i;

	good();
	UNIT_EQ(find(), 1);
	CU_ASSERT(agrees());
	for (i = 0; i < test.moved.count; i++) {
		good();
		put(test.moved.word[i].at, test.moved.word[i].value);
		UNIT_EQ(find(), 1);
		CU_ASSERT(!agrees());
	}
}

#endif /* ROC_UNIT_KMOD_VSEC_TEST_H */
