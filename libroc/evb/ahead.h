/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc-evb, inside: the block that a table may hold from. What readout units say of how far they
 * are is looked at beside what the others say: one id that is wrong must not hold up a system.
 */
#ifndef LIBROC_EVB_AHEAD_H
#define LIBROC_EVB_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <roc/evb.h>

#define EVB_POSITIONS (2 * ROC_EVB_NODES_MAX)

struct evb_position {
	uint64_t block, rate; /* the newest, as of now; blocks a second */
	/*
	 * Its usual rate, 0 if that is not known, and where it is by that. It may be faster for a
	 * moment, until it has made up for a stall; then it is there.
	 */
	uint64_t usual, reach;
	unsigned int who;
	bool votes; /* it counts for the majority */
};

/* Where most of the readout units are that vote. */
struct evb_majority {
	bool is; /* else they contradict each other, or none votes */
	unsigned int voters;
	uint64_t block, rate; /* of the one in the middle; a usual rate */
	uint64_t tolerance;   /* blocks by which others may be from there */
};

/* Sorts @p, farthest first. They may be apart by @ns at their usual rate, and by @blocks. */
void evb_majority(struct evb_position *p, unsigned int count, uint64_t ns, uint64_t blocks,
		  struct evb_majority *most);

/*
 * A block that none of @count (1 or more) has begun @lead_ns from now, @lead_blocks ahead at least.
 * @p: sorted; *@odd: how many at its beginning are not believed, being too far ahead of @most.
 */
uint64_t evb_ahead(const struct evb_position *p, unsigned int count,
		   const struct evb_majority *most, uint64_t lead_ns, uint32_t lead_blocks,
		   unsigned int *odd);

/* Where a readout unit was in the last seconds. */
#define EVB_TRACK 17
struct evb_track {
	struct {
		uint64_t at, block;
	} spot[EVB_TRACK];
	unsigned int count; /* that were ever noted */
};

/* @at: ns, never lower than before; @block: the newest then. Few of many in a second are kept. */
void evb_track_note(struct evb_track *t, uint64_t at, uint64_t block);
/*
 * Blocks a second over those seconds. A stall of most of them does not lower it, and the burst that
 * makes up for a stall does not raise it. 0: too little is known.
 */
uint64_t evb_track_rate(const struct evb_track *t);
/* Where it is @now at most, if it makes up for its stalls and is as fast as @rate otherwise. */
uint64_t evb_track_reach(const struct evb_track *t, uint64_t rate, uint64_t now);

/* How far somebody is by now who was at @block @age_ns ago. */
uint64_t evb_by_now(uint64_t block, uint64_t rate, uint64_t age_ns);

#endif
