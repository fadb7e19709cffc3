// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The copy loops. All data of the emulated card pass through here, so each loop has only vector
 * adds and stores.
 */
#include "pattern.h"

#include <string.h>

typedef uint32_t lanes __attribute__((vector_size(32), aligned(4), may_alias));

/*
 * One copy for machines with AVX2, one for all others, selected when the program is loaded, which
 * is too early for sanitizer instrumentation.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOR_THIS_CPU __attribute__((target_clones("avx2", "default")))
#else
#define FOR_THIS_CPU
#endif

/*
 * Write word after word: value & mask, value += step. Vectors are passed by pointer, because their
 * ABI depends on the CPU.
 */
FOR_THIS_CPU static void fill(uint8_t *to, uint32_t words, const uint32_t *start,
			      const uint32_t *add, const uint32_t *keep)
{
	lanes value = *(const lanes *)start;
	const lanes step = *(const lanes *)add, mask = *(const lanes *)keep;
	lanes *dst = (lanes *)to;

	while (words--) {
		*dst++ = value & mask;
		value += step;
	}
}

static void write_words(uint8_t *dst, uint32_t value, uint32_t add, uint32_t bytes)
{
	uint32_t start[8], step[8], mask[8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		start[i] = value;
		step[i] = add;
		mask[i] = ~0u;
	}
	fill(dst, bytes / 32, start, step, mask);
}

static void write_ddg(uint8_t *dst, uint32_t c, uint32_t bytes)
{
	static const uint32_t step[8] = {2, 2, 2, 0, 2, 2, 2, 0};
	static const uint32_t mask[8] = {~0u, ~0u, 0xffff, 0, ~0u, ~0u, 0xffff, 0};
	const uint32_t start[8] = {c, c, c, 0, c + 1, c + 1, c + 1, 0};

	fill(dst, bytes / 32, start, step, mask);
	if (bytes % 32) {
		uint32_t last = c + bytes / 16 - 1;
		uint32_t word[4] = {last, last, last & 0xffff, 0};

		memcpy(dst + bytes - sizeof(word), word, sizeof(word));
	}
}

static void write_count(uint8_t *dst, uint32_t c, uint32_t bytes)
{
	static const uint32_t step[8] = {8, 8, 8, 8, 8, 8, 8, 8};
	static const uint32_t mask[8] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
	const uint32_t start[8] = {c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7};
	uint32_t i, words = bytes / 4;

	fill(dst, bytes / 32, start, step, mask);
	for (i = words / 8 * 8; i < words; i++) {
		uint32_t word = c + i;

		memcpy(dst + 4 * i, &word, sizeof(word));
	}
}

void page_write(void *dst, const struct page *page)
{
	uint8_t *out = dst;

	if (page->header) {
		memcpy(out, page->header, 64);
		out += 64;
	}
	switch (page->pattern) {
	case PATTERN_COUNTER:
		write_words(out, page->counter, 1, page->payload);
		break;
	case PATTERN_CONSTANT:
		write_words(out, page->counter, 0, page->payload);
		break;
	case PATTERN_DDG:
		write_ddg(out, page->counter, page->payload);
		break;
	case PATTERN_WORDS:
		write_count(out, page->counter, page->payload);
		break;
	}
	/*
	 * Flip a bit in the second lane of a word, because a reader may take the counter from the
	 * first lane.
	 */
	if (page->flip && page->payload >= 16)
		out[page->payload / 32 * 16 + 4] ^= 0x10;
}
