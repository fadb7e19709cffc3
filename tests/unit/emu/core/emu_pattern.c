// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copy loops: correct to the byte at every size and alignment, and their speed.
 */
#include <stdbool.h>

#include "tests/emu/core/pattern.h"
#include "unit.h"

#define CAPACITY 8192
#define SENTINEL 0xc3

static uint8_t buffer[64 + CAPACITY + 64];

static uint32_t expected(const struct page *p, uint32_t lane)
{
	uint32_t c = p->counter + lane / 4;

	switch (p->pattern) {
	case PATTERN_COUNTER:
		return p->counter + lane / 8;
	case PATTERN_CONSTANT:
		return p->counter;
	case PATTERN_DDG:
		return lane % 4 == 3 ? 0 : lane % 4 == 2 ? c & 0xffff : c;
	case PATTERN_WORDS:
		return p->counter + lane;
	}
	return 0;
}

/* Number of wrong bytes before, in and after the page. */
static unsigned int wrong(const struct page *p, unsigned int shift)
{
	unsigned int i, n = 0, start = 64 + shift;
	uint32_t word;

	memset(buffer, SENTINEL, sizeof(buffer));
	page_write(buffer + start, p);
	for (i = 0; i < start; i++)
		n += buffer[i] != SENTINEL;
	if (p->header) {
		n += memcmp(buffer + start, p->header, 64) != 0;
		start += 64;
	}
	for (i = 0; i < p->payload / 4; i++) {
		memcpy(&word, buffer + start + 4 * i, 4);
		n += word != expected(p, i);
	}
	for (i = start + p->payload; i < sizeof(buffer); i++)
		n += buffer[i] != SENTINEL;
	return n;
}

static void every_size(void)
{
	uint32_t header[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct page p = {.counter = 0x12340000};
	unsigned int shift, bad = 0;

	for (shift = 0; shift <= 32; shift += 4) {
		for (p.payload = 0; p.payload <= CAPACITY - 64; p.payload += 16) {
			p.header = header;
			p.pattern = PATTERN_DDG;
			bad += wrong(&p, shift);
			p.header = NULL;
			p.pattern = PATTERN_COUNTER;
			if (p.payload % 32 == 0)
				bad += wrong(&p, shift);
			p.pattern = PATTERN_CONSTANT;
			if (p.payload % 32 == 0)
				bad += wrong(&p, shift);
		}
		p.header = header;
		p.pattern = PATTERN_WORDS;
		for (p.payload = 0; p.payload <= CAPACITY - 64; p.payload += 4)
			bad += wrong(&p, shift);
	}
	UNIT_EQ(bad, 0);
}

static void counter_wraps(void)
{
	struct page p = {.counter = 0xfffffff0, .payload = CAPACITY, .pattern = PATTERN_COUNTER};

	UNIT_EQ(wrong(&p, 0), 0);
	p.pattern = PATTERN_DDG;
	UNIT_EQ(wrong(&p, 0), 0);
	p.counter = 0x2fff8;
	UNIT_EQ(wrong(&p, 0), 0);
	p.pattern = PATTERN_WORDS;
	p.counter = 0xfffffff1;
	UNIT_EQ(wrong(&p, 0), 0);
}

/* Measure processor time, because other programs may use the processor, too. */
static double used_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A bad build of these loops is slower by a factor, which makes every speed of the card wrong. */
static void speed(void)
{
	static const char *const names[] = {"counter", "constant", "ddg", "words"};
	uint8_t *memory = malloc(64 << 20);
	unsigned int kind, i;
	double t;

	UNIT_NEED(memory);
	memset(memory, 0, 64 << 20);
	for (kind = PATTERN_COUNTER; kind <= PATTERN_WORDS; kind++) {
		struct page p = {.payload = CAPACITY, .pattern = kind};

		t = used_seconds();
		for (i = 0; i < (64 << 20) / CAPACITY; i++) {
			p.counter += 256;
			page_write(memory + (size_t)i * CAPACITY, &p);
		}
		t = used_seconds() - t;
		unit_note("%s: %.1f GB/s", names[kind], (64 << 20) / t / 1e9);
		CU_ASSERT((64 << 20) / t > 0.5e9 / slowness());
	}
	free(memory);
}

UNIT_MAIN("copy loops", {"every size and alignment", every_size}, {"counters wrap", counter_wraps},
	  {"speed", speed})
