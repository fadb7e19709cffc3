/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams, inside.
 */
#ifndef LIBROC_STREAM_H
#define LIBROC_STREAM_H

#include <roc/stream.h>

#include "named.h"

/* State of a lender that checks the headers of a run, at one position. */
struct libroc_stream_walk {
	uint32_t number; /* of the packet there, if @numbered */
	bool numbered;
	bool begun;
	uint64_t event; /* that comes next, if @begun */
	struct roc_stream_damage damage;
};

/* Owned by the caller of roc_stream_open(). All positions are in lines, modulo 2^32. */
struct roc_stream {
	struct libroc_named c;

	struct roc_st_ring made; /* what the driver has made; size 0: nothing */

	/* The mappings, all or none; lines 0: none. */
	const char *ring; /* twice */
	const struct roc_st_kernel *kernel;
	const struct roc_st_state *state;
	struct roc_st_user *user;
	volatile uint32_t *bell; /* NULL: the card has none to map */
	uint32_t lines;		 /* of the ring */

	uint32_t seen;			  /* write position as we saw it last */
	uint32_t read;			  /* where the card's room ends */
	uint32_t reported;		  /* read position that the card was told */
	uint32_t taken;			  /* where a lender is; else not used */
	struct libroc_stream_walk walk;	  /* up to there */
	struct libroc_stream_walk peeked; /* up to the end of what the lender would take next */
};

/* -EPIPE: there is no ring yet; -EPERM: in a child of the opener. With a sentence. */
int libroc_need_ring(const struct roc_stream *s);

void libroc_stream_unmap(struct roc_stream *s);

/*
 * Bytes behind @position, which lies between read and seen; *@data as for roc_stream_peek(). Its
 * errors.
 */
int64_t libroc_stream_from(struct roc_stream *s, uint32_t position, const void **data);

/* Sleep until there are @lines behind @position; see roc_stream_wait(). Bytes, or -errno. */
int64_t libroc_stream_sleep(struct roc_stream *s, uint32_t position, uint32_t lines,
			    int timeout_ms);

/* What is before @position goes back to the card. */
void libroc_stream_release(struct roc_stream *s, uint32_t position);

#endif /* LIBROC_STREAM_H */
