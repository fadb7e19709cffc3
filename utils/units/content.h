/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Content that whoever receives it can check byte for byte, and needs to know nothing but the name
 * of its source, the number of its event and how many bytes there should be.
 *
 * It is made of 64-bit little-endian words. The first eight (the head) are a counter whose start is
 * mixed of source, event and bytes: none of the three can be wrong unseen. The rest (the body) is a
 * piece of an endless counter that the source has alone, from a place on that the event says: so
 * it can be written anew for each event, or lie in memory once and be sent from there, or be copied
 * from a GPU. Short: the interface of content.c alone.
 */
#ifndef ROC_UTILS_CONTENT_H
#define ROC_UTILS_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_HEAD 64	    /* bytes */
#define CONTENT_PLACES 4096 /* words at which bodies begin */

struct content {
	uint64_t head; /* first word of the head */
	uint64_t body; /* word 0 of the source's endless counter */
	uint64_t place;
};

/* The number that a source of this name has. */
uint64_t content_source(const char *name);
/* 64 bits that look random and are the same for the same two numbers. */
uint64_t content_mix(uint64_t a, uint64_t b);

struct content content_of(uint64_t source, uint64_t event, uint64_t bytes);
/* Bytes @from (a multiple of 8) to @from + @bytes of it. */
void content_write(const struct content *c, uint64_t from, void *to, size_t bytes);
/* The source's endless counter from word @place on: what a body is a piece of. */
void content_body(uint64_t source, uint64_t place, void *to, size_t bytes);
/* @data should be bytes @from on, of any alignment: the first that is not, or -1. */
int64_t content_check(const struct content *c, uint64_t from, const void *data, size_t bytes);

#endif
