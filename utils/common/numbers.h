/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict readers of what people type: numbers, sizes, times, lists of links.
 *
 * Each returns NULL and sets *value, or returns what is wrong with the text (a constant, made to
 * follow the text: "... is not a number") and leaves *value alone. Nothing is ever cut or
 * rounded silently. Short: fuzzers link this without the options.
 */
#ifndef ROC_UTILS_NUMBERS_H
#define ROC_UTILS_NUMBERS_H

#include <stdint.h>

/* Hexadecimal, with or without 0x. */
const char *number_hex32(const char *text, uint32_t *value);
/* Decimal, or hexadecimal with 0x. */
const char *number_value(const char *text, uint64_t *value);
const char *number_value32(const char *text, uint32_t *value);
/* Of TCP: up to 65535, 0 is any. */
const char *number_port(const char *text, uint16_t *value);
/* Digits with k M G T P E (powers of 1000) or Ki Mi Gi Ti Pi Ei (powers of 1024), or with 0x. */
const char *number_size(const char *text, uint64_t *value);
/*
 * Seconds, from hours, minutes, seconds as in 5h30m10s, 90s or 2h, in any order; no more than 32
 * bits, of which the nanoseconds fit 64.
 */
const char *number_time(const char *text, uint64_t *value);
/* Bit per link, from a list as in 0,2,4-6 or from a mask as in 0xfff. */
const char *number_links(const char *text, uint32_t *value);

/*
 * Counters that are registers of a card.
 */

/*
 * What a counter of 32 bits counted from @before to @now. It may have run over, or begun anew: a
 * CRU's does when the card's run enable is set, as with the first channel that starts. A read
 * before 2^31 were added can tell the two by the difference, unless the counter was that high when
 * it began anew.
 */
static inline uint64_t counter32_since(uint64_t before, uint64_t now)
{
	uint32_t difference = (uint32_t)(now - before);

	return now >= before || difference < UINT32_C(1) << 31 ? difference : now;
}

/* The same of a counter that does not run over: what is smaller began anew. */
static inline uint64_t counter64_since(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

#endif
