/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came from outside, over a network or out of a file, before it is believed.
 */
#ifndef ROC_UTILS_OUTSIDE_H
#define ROC_UTILS_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text of @size bytes that ends with 0 or does not: what no terminal obeys. */
void outside_text(char *to, const void *from, size_t size);
/* Bytes of a page that units of this content can have. */
bool outside_page(uint32_t content, uint32_t page_bytes);

#endif
