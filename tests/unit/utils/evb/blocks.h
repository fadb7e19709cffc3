/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of events of three synthetic sources, in the form of a builder. Included after unit.h.
 */
#ifndef ROC_UNIT_EVB_BLOCKS_H
#define ROC_UNIT_EVB_BLOCKS_H

#include <stdlib.h>
#include <string.h>

#include "utils/evb/source.h"
#include "utils/units/content.h"

#define EVENTS 8 /* in a block */
#define SOURCES 3
#define SEGMENTS 64

static char *block_memory; /* NULL: each segment is allocated separately */
static size_t block_room, block_used;

static void *block_piece(size_t bytes)
{
	char *at = block_memory + block_used;

	if (!block_memory)
		return malloc(bytes);
	block_used += (bytes + 63) & ~UINT64_C(63);
	UNIT_NEED(block_used <= block_room);
	return at;
}

static void block_piece_free(void *piece)
{
	if (!block_memory)
		free(piece);
}

/* A block whose MFPs are in their own segments, as in a builder. */
struct block {
	struct roc_mep mep;
	struct roc_mep_source sources[SOURCES];
	struct iovec segments[SOURCES][SEGMENTS];
};

static uint64_t size_of(unsigned int source, uint64_t event)
{
	return content_mix(source, event) % 700;
}

static void make_mfp(struct block *b, unsigned int source, uint64_t number, size_t segment)
{
	struct roc_mfp head = {.block = number,
			       .first_event = number * EVENTS,
			       .events = EVENTS,
			       .source = source,
			       .content = EVB_CONTENT_SYNTHETIC};
	static char whole[EVENTS * 1024];
	uint64_t at, left;
	unsigned int i, n;

	/* The second source has no data for each third event. */
	for (i = 0; i < EVENTS; i++) {
		if (source != 1 || (head.first_event + i) % 3)
			head.count++;
	}
	at = roc_mfp_data(head.count);
	for (i = n = 0; i < EVENTS; i++) {
		uint64_t event = head.first_event + i, bytes = size_of(source, event);
		struct roc_mfp_entry entry = {.offset = i, .bytes = bytes};
		struct content c =
			content_of(content_source(b->sources[source].name), event, bytes);

		if (source == 1 && event % 3 == 0)
			continue;
		roc_mfp_put_entry(whole, n++, &entry);
		content_write(&c, 0, whole + at, bytes);
		at += roc_mep_padded(bytes);
	}
	head.bytes = at;
	roc_mfp_put(whole, &head);
	for (n = 0, left = at; left; n++) {
		size_t bytes = left < segment ? left : segment;

		UNIT_NEED(n < SEGMENTS);
		b->segments[source][n].iov_base = block_piece(bytes);
		b->segments[source][n].iov_len = bytes;
		memcpy(b->segments[source][n].iov_base, whole + at - left, bytes);
		left -= bytes;
	}
	b->sources[source].state = ROC_MEP_HERE;
	UNIT_EQ(roc_mfp_open(&b->sources[source].view, b->segments[source], n), 0);
}

/* @missing: index of a missing source, -1: none. */
static struct block *make_block(uint64_t number, size_t segment, int missing)
{
	struct block *b = calloc(1, sizeof(*b));
	unsigned int i;

	b->mep = (struct roc_mep){
		.block = number,
		.first_event = number * EVENTS,
		.handle = number + 1000,
		.events = EVENTS,
		.epoch = 1,
		.count = SOURCES,
		.sources = b->sources,
		.flags = missing >= 0 ? ROC_MEP_INCOMPLETE : 0,
	};
	for (i = 0; i < SOURCES; i++) {
		snprintf(b->sources[i].name, sizeof(b->sources[i].name), "ru%u", i + 1);
		if ((int)i == missing)
			b->sources[i].state = ROC_MEP_MISSING;
		else
			make_mfp(b, i, number, segment);
	}
	return b;
}

static void free_block(struct block *b)
{
	unsigned int i, k;

	for (i = 0; i < SOURCES; i++) {
		for (k = 0; k < SEGMENTS; k++)
			block_piece_free(b->segments[i][k].iov_base);
	}
	free(b);
}

#endif
