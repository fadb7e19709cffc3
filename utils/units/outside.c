// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Validate input from a network or a file. Short: the fuzzers of these formats link it without
 * libroc.
 */
#include "units.h"

/* A page consists of words of 256 bits. The maximum is larger than the pages of any card. */
#define WORD 32
#define PAGE_MIN 64
#define PAGE_MAX (1 << 20)

void outside_text(char *to, const void *from, size_t size)
{
	const char *text = from;
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	for (; i < size; i++)
		to[i] = '\0';
}

bool outside_page(uint32_t content, uint32_t page_bytes)
{
	if (page_bytes > PAGE_MAX)
		return false;
	/* For a sub-unit, this is the length at which a fragment is truncated. */
	if (content == UNIT_FRAGMENTS)
		return true;
	return !page_bytes || (page_bytes >= PAGE_MIN && !(page_bytes % WORD));
}
