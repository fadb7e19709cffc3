/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict readers of what people type: numbers, sizes, times, lists of links.
 *
 * Each returns NULL and sets *value, or returns what is wrong with the text (a constant, made to
 * follow the text: "... is not a number") and leaves *value alone. Nothing is ever cut or
 * rounded silently.
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

#endif
