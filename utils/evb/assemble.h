/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the links of a channel have of an event, put together without a copy, in memory that is
 * bounded: pieces of units come in, of each link in the order of events; fragments go out, in the
 * order of events. A unit goes back when all fragments that have a piece of it are back.
 *
 * When a fragment is whole is said by the way in which links send: at once (one link, one piece);
 * when all links have passed the event; or when all links have sent a piece. A link that was silent
 * for the hold time is not waited for, which is marked as damage; and before the first hold time is
 * over nothing goes out, for links may have to be seen yet.
 */
#ifndef ROC_UTILS_EVB_ASSEMBLE_H
#define ROC_UTILS_EVB_ASSEMBLE_H

#include <roc/evb.h>
#include <roc/packet.h>

#include "utils/units/units.h"

/*
 * Which bytes of a unit are of which event: nothing is copied, and nothing believed.
 *
 *	packets with a raw data header	the event is the heartbeat orbit, 32 bits
 *	packets of a stream		each fragment in them, 64 bits
 *	a fragment of a sub-unit	the whole unit, 32 bits
 *	anything else			the whole unit; the event is its number
 */

struct cut {
	enum unit_content content;
	struct unit unit;
	uint64_t at; /* bytes of it that are done */
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
/* 1; 0 the unit is over; -EBADMSG the rest of it is not what it should be: it is left alone. */
int cut_next(struct cut *c, struct cut_piece *p);
/* Have events of this content 32 bits, which wrap? */
bool cut_wraps(enum unit_content content);

enum assemble_way {
	ASSEMBLE_AT_ONCE,
	ASSEMBLE_PASSED,
	ASSEMBLE_EACH,
};

struct assemble_options {
	enum assemble_way way;
	uint64_t hold;	/* ns */
	uint64_t links; /* how many there are, 0: not known */
	bool wraps;	/* events have 32 bits */
	uint64_t high;	/* and begin with these above */
};

struct assemble_counts {
	uint64_t events, bytes, returned;
	uint64_t damaged;
	uint64_t late;	   /* pieces of events that had gone */
	uint64_t disorder; /* pieces whose event goes back, is far ahead, or is none */
	uint64_t cut;	   /* fragments that had more parts than there can be */
};

struct assemble; /* owned by the caller from assemble_new() to assemble_free() */

struct assemble *assemble_new(const struct assemble_options *o);
void assemble_free(struct assemble *a);

/* Room for a unit, and for a piece of it? */
bool assemble_room(const struct assemble *a);

/* A unit begins. Its pieces follow, then assemble_unit_end(). */
void assemble_unit(struct assemble *a, const struct unit *u, uint64_t now);
void assemble_piece(struct assemble *a, const struct cut_piece *p, uint64_t now);
/* The rest of the unit is no data. */
void assemble_bad(struct assemble *a);
void assemble_unit_end(struct assemble *a);

/* The next fragment: 1, 0 none is whole. @end: there will be no more units. */
int assemble_take(struct assemble *a, uint64_t now, bool end, struct roc_evb_fragment *f);
/* It is back: 0, -EINVAL it was not out. */
int assemble_return(struct assemble *a, uint64_t handle);
/* A unit that is done with: its handle in *@handle. */
bool assemble_done(struct assemble *a, uint64_t *handle);
/* Let go of everything, to be closed: whatever is out, assemble_done() has all units. */
void assemble_abandon(struct assemble *a);
/* Does anything wait for its time? ns until that. */
bool assemble_waits(const struct assemble *a, uint64_t now, uint64_t *ns);
void assemble_counts(const struct assemble *a, struct assemble_counts *n);

#endif
