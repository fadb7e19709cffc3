/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Content that a receiver can check byte for byte. It needs only the name of the source, the number
 * of the event and the expected length.
 *
 * The content consists of 64-bit little-endian words. The first eight (the head) are a counter. Its
 * start is a hash of source, event and length, so a wrong value of any of the three is detected.
 * The rest (the body) is a piece of an endless counter of the source, from a place that depends on
 * the event. So a body can be generated for each event, sent from memory that was filled once, or
 * copied from a GPU. Short: the interface of content.c alone.
 */
#ifndef ROC_UTILS_CONTENT_H
#define ROC_UTILS_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_HEAD 64	    /* bytes */
#define CONTENT_PLACES 4096 /* distinct start words of bodies */

struct content {
	uint64_t head; /* first word of the head */
	uint64_t body; /* word 0 of the source's endless counter */
	uint64_t place;
};

/* Return the number for a source of this name. */
uint64_t content_source(const char *name);
/* Return 64 pseudo-random bits that depend only on the two numbers. */
uint64_t content_mix(uint64_t a, uint64_t b);

struct content content_of(uint64_t source, uint64_t event, uint64_t bytes);
/* Write bytes @from (a multiple of 8) to @from + @bytes of the content. */
void content_write(const struct content *c, uint64_t from, void *to, size_t bytes);
/* Write the endless counter of the source, from word @place on. Bodies are pieces of it. */
void content_body(uint64_t source, uint64_t place, void *to, size_t bytes);
/*
 * Check that @data holds bytes @from and following, with any alignment. Return: the first wrong
 * byte, or -1.
 */
int64_t content_check(const struct content *c, uint64_t from, const void *data, size_t bytes);

#endif
