/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bytes of a unit are of which event: nothing is copied, and nothing believed.
 *
 *	packets with a raw data header	the event is the heartbeat orbit, 32 bits
 *	packets of a stream		each fragment in them, 64 bits
 *	a fragment of a sub-unit	the whole unit, 32 bits
 *	anything else			the whole unit; the event is its number
 */
#ifndef ROC_UTILS_EVB_CUT_H
#define ROC_UTILS_EVB_CUT_H

#include <roc/packet.h>

#include "utils/units/units.h"

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

#endif
