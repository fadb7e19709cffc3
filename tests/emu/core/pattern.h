/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data patterns of the cards' generators, written straight into host memory.
 */
#ifndef EMU_PATTERN_H
#define EMU_PATTERN_H

#include <stdint.h>

enum pattern {
	PATTERN_COUNTER,  /* 256-bit words, all eight lanes the counter */
	PATTERN_CONSTANT, /* every 32-bit lane the value in counter */
	PATTERN_DDG,	  /* 128-bit words c, c, c & 0xffff, 0 */
	PATTERN_WORDS,	  /* 32-bit words c, c + 1, ... */
};

struct page {
	const uint32_t *header; /* 16 words or NULL */
	enum pattern pattern;
	uint32_t counter; /* of the first word */
	uint32_t payload; /* bytes, whole words of the pattern */
	int flip;	  /* flip one payload bit */
};

static inline uint32_t page_bytes(const struct page *p)
{
	return (p->header ? 64 : 0) + p->payload;
}

/* Write page_bytes() bytes; @dst is 4-byte aligned. */
void page_write(void *dst, const struct page *page);

#endif /* EMU_PATTERN_H */
