/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict parsers for numbers, sizes, times and lists of links on the command line.
 *
 * Each function sets *value and returns NULL, or returns a constant text that completes a message
 * ("... is not a number") and leaves *value unchanged. Nothing is truncated or rounded silently.
 * Fuzzers link this file without the option parser.
 */
#ifndef ROC_UTILS_NUMBERS_H
#define ROC_UTILS_NUMBERS_H

#include <stdint.h>

/* Hexadecimal, with or without 0x. */
const char *number_hex32(const char *text, uint32_t *value);
/* Decimal, or hexadecimal with 0x. */
const char *number_value(const char *text, uint64_t *value);
const char *number_value32(const char *text, uint32_t *value);
/* TCP port, up to 65535; 0: any. */
const char *number_port(const char *text, uint16_t *value);
/*
 * Digits with k M G T P E (powers of 1000) or Ki Mi Gi Ti Pi Ei (powers of 1024), or a number with
 * 0x.
 */
const char *number_size(const char *text, uint64_t *value);
/*
 * Seconds from hours, minutes and seconds in any order, as in 5h30m10s, 90s or 2h. The sum fits in
 * 32 bits, so that it fits in 64 bits as nanoseconds.
 */
const char *number_time(const char *text, uint64_t *value);
/* Bit mask of links from a list as in 0,2,4-6 or a mask as in 0xfff. */
const char *number_links(const char *text, uint32_t *value);

/* Differences of counters in card registers. */

/*
 * Difference of a 32-bit counter between @before and @now. The counter may have wrapped or been
 * reset: a CRU resets it when its run enable is set, as by the start of the first channel. If fewer
 * than 2^31 counts lie between two reads, the difference distinguishes the two cases, unless the
 * counter was within 2^31 of its end at the reset.
 */
static inline uint64_t counter32_since(uint64_t before, uint64_t now)
{
	uint32_t difference = (uint32_t)(now - before);

	return now >= before || difference < UINT32_C(1) << 31 ? difference : now;
}

/* The same for a 64-bit counter, which does not wrap: a smaller value means a reset. */
static inline uint64_t counter64_since(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

#endif
