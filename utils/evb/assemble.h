/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assemble fragments from the links of a channel, without a copy and in bounded memory. Input is
 * the pieces of units, of each link in the order of events. Output is fragments in the order of
 * events. A unit is returned when all fragments that have a piece of it are returned.
 *
 * The way in which links send determines when a fragment is complete: at once (one link, one
 * piece), when all links have passed the event, or when all links have sent a piece. The assembler
 * does not wait for a link that was silent for the hold time, and marks the fragment as damaged.
 * Before the first hold time is over it emits nothing, because not all links may have sent yet.
 */
#ifndef ROC_UTILS_EVB_ASSEMBLE_H
#define ROC_UTILS_EVB_ASSEMBLE_H

#include <roc/evb.h>
#include <roc/packet.h>

#include "utils/units/units.h"

/*
 * Split a unit into pieces by event, without a copy. All lengths in the unit are checked.
 *
 *	packets with a raw data header	event: the heartbeat orbit, 32 bits
 *	packets of a stream		event: of each fragment in the packet, 64 bits
 *	a fragment of a sub-unit	the whole unit is a piece; event: 32 bits
 *	anything else			the whole unit is a piece; event: number of the unit
 */

struct cut {
	enum unit_content content;
	struct unit unit;
	uint64_t at; /* bytes of the unit that were split */
	struct roc_packets packets;
	struct roc_packet packet;
	bool in_packet;
};

struct cut_piece {
	uint64_t event;
	const void *data;
	uint64_t bytes;
	bool damaged;
};

void cut_begin(struct cut *c, enum unit_content content, const struct unit *u);
/* 1: *@p is the next piece; 0: end of the unit; -EBADMSG: the rest of the unit is invalid. */
int cut_next(struct cut *c, struct cut_piece *p);
/* Whether events of this content have 32 bits, which wrap. */
bool cut_wraps(enum unit_content content);

enum assemble_way {
	ASSEMBLE_AT_ONCE,
	ASSEMBLE_PASSED,
	ASSEMBLE_EACH,
};

struct assemble_options {
	enum assemble_way way;
	uint64_t hold;	/* ns */
	uint64_t links; /* number of links, 0: unknown */
	bool wraps;	/* events have 32 bits */
	uint64_t high;	/* initial upper 32 bits of the events */
};

struct assemble_counts {
	uint64_t events, bytes, returned;
	uint64_t damaged;
	uint64_t late;	   /* pieces of events that were already emitted */
	uint64_t disorder; /* pieces whose event goes back, is far ahead, or is invalid */
	uint64_t cut;	   /* fragments with more than ROC_EVB_PARTS parts */
};

struct assemble;

struct assemble *assemble_new(const struct assemble_options *o);
void assemble_free(struct assemble *a);

/* Whether there is space for a unit and for a piece of it. */
bool assemble_room(const struct assemble *a);

/* Begin a unit. Its pieces follow, then assemble_unit_end(). @now: CLOCK_MONOTONIC ns. */
void assemble_unit(struct assemble *a, const struct unit *u, uint64_t now);
void assemble_piece(struct assemble *a, const struct cut_piece *p, uint64_t now);
/* The rest of the unit is invalid. */
void assemble_bad(struct assemble *a);
void assemble_unit_end(struct assemble *a);

/* The next fragment: 1, or 0 if none is complete. @end: no more units will come. */
int assemble_take(struct assemble *a, uint64_t now, bool end, struct roc_evb_fragment *f);
/* Return a fragment: 0, or -EINVAL if @handle is not lent. */
int assemble_return(struct assemble *a, uint64_t handle);
/* A unit that no fragment uses any more: its handle is in *@handle. */
bool assemble_done(struct assemble *a, uint64_t *handle);
/* Release all units before the end, also those of fragments that are still lent. */
void assemble_abandon(struct assemble *a);
/* Whether an event waits for the hold time. *@ns: time until the next check. */
bool assemble_waits(const struct assemble *a, uint64_t now, uint64_t *ns);
void assemble_counts(const struct assemble *a, struct assemble_counts *n);

#endif
