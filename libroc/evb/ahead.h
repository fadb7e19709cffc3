/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the first block of a table from the positions that readout units report. The positions are
 * compared with each other: one wrong event id must not block the system.
 */
#ifndef LIBROC_EVB_AHEAD_H
#define LIBROC_EVB_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include <roc/evb.h>

#define EVB_POSITIONS (2 * ROC_EVB_NODES_MAX)

struct evb_position {
	uint64_t block, rate; /* newest block, extrapolated to now; blocks per second */
	/*
	 * Usual rate, 0: unknown, and the position that follows from it. After a stall, a unit is
	 * faster until it has reached that position.
	 */
	uint64_t usual, reach;
	unsigned int index; /* of the node, for the caller */
	bool votes;	    /* it counts in the majority */
};

/* Position of the majority of the voting readout units. */
struct evb_majority {
	bool known; /* false: the units contradict each other, or none votes */
	unsigned int voters;
	uint64_t block, rate; /* of the median unit; usual rate */
	uint64_t tolerance;   /* allowed distance of other units, in blocks */
};

/*
 * Find the majority and sort @p, highest block first. Units agree if they differ by at most @blocks
 * plus the blocks of @ns at their usual rate.
 */
void evb_majority(struct evb_position *p, unsigned int count, uint64_t ns, uint64_t blocks,
		  struct evb_majority *most);

/*
 * Return a block that none of @count units (at least 1) will have begun @lead_ns from now, at least
 * @lead_blocks ahead. @p is sorted. *@outliers: number of its first entries that are ignored,
 * because they are too far ahead of @most.
 */
uint64_t evb_ahead(const struct evb_position *p, unsigned int count,
		   const struct evb_majority *most, uint64_t lead_ns, uint32_t lead_blocks,
		   unsigned int *outliers);

/* Positions of a readout unit in the last seconds. */
#define EVB_TRACK 17
struct evb_track {
	struct {
		uint64_t at, block;
	} spot[EVB_TRACK];
	unsigned int count; /* ever noted */
};

/*
 * Note a position. @at: ns, not below the previous one; @block: the newest block at that time. Only
 * a few positions per second are kept.
 */
void evb_track_note(struct evb_track *t, uint64_t at, uint64_t block);
/*
 * Return the usual rate in blocks per second, 0: too few positions. A stall for most of the time
 * does not lower it, and the burst after a stall does not raise it.
 */
uint64_t evb_track_rate(const struct evb_track *t);
/*
 * Return the highest possible position @now: it catches up after stalls, and has @rate otherwise.
 */
uint64_t evb_track_reach(const struct evb_track *t, uint64_t rate, uint64_t now);

/* Extrapolate a position: @block @age_ns ago, @rate blocks per second. */
uint64_t evb_by_now(uint64_t block, uint64_t rate, uint64_t age_ns);

#endif
