/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal structures of streams. */
#ifndef LIBROC_STREAM_H
#define LIBROC_STREAM_H

#include <roc/stream.h>

#include "named.h"

/* State of a lender's header checks at one position of a run */
struct libroc_stream_walk {
	uint32_t number; /* expected packet number, if @numbered */
	bool numbered;
	bool begun;
	uint64_t event; /* expected event id, if @begun */
	struct roc_stream_damage damage;
};

/* Handle of roc_stream_open(). All positions are in lines, modulo 2^32. */
struct roc_stream {
	struct libroc_named c;

	struct roc_st_ring made; /* ring that the driver has made; size 0: none */

	/* The mappings, either all or none; lines is 0 if there are none. */
	const char *ring; /* mapped twice in a row */
	const struct roc_st_kernel *kernel;
	const struct roc_st_state *state;
	struct roc_st_user *user;
	volatile uint32_t *bell; /* NULL: the card has no doorbell to map */
	uint32_t lines;		 /* length of the ring */

	uint32_t seen;	   /* last write position read */
	uint32_t read;	   /* read position: the card may write up to one ring length beyond */
	uint32_t reported; /* last read position reported to the card */
	uint32_t taken;	   /* position of the lender, if there is one */
	struct libroc_stream_walk walk; /* header checks up to @taken */
	/* header checks up to the end of the unit that peek() showed */
	struct libroc_stream_walk peeked;
};

/*
 * Check that the ring exists. -EPIPE: no ring yet; -EPERM: child of the opener. Sets the error
 * text.
 */
int libroc_need_ring(const struct roc_stream *s);

void libroc_stream_unmap(struct roc_stream *s);

/*
 * Return the bytes after @position, which lies between read and seen; *@data and errors as for
 * roc_stream_peek().
 */
int64_t libroc_stream_from(struct roc_stream *s, uint32_t position, const void **data);

/* Sleep until there are @lines after @position; see roc_stream_wait(). Return bytes or -errno. */
int64_t libroc_stream_sleep(struct roc_stream *s, uint32_t position, uint32_t lines,
			    int timeout_ms);

/* Release the data before @position to the card. */
void libroc_stream_release(struct roc_stream *s, uint32_t position);

#endif /* LIBROC_STREAM_H */
