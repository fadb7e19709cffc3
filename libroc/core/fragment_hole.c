// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find entries that the card left out of the descriptor ring or the completion ring. Entries come
 * in the order of their counts, so one that is missing while a later one is there never comes.
 */
#include <errno.h>

#include "fragment.h"
#include "libroc.h"

/* Entries that the card may have written and we have not taken: pages and commands that it has. */
static uint32_t due(const struct roc_fragments *f, enum libroc_fragment_lane lane)
{
	if (lane == LIBROC_LANE_DONE)
		return f->commanded_told - f->done;
	return f->links * f->pages - f->pages_out - (f->freed - f->freed_told);
}

static bool there(const struct roc_fragments *f, enum libroc_fragment_lane lane, uint32_t count)
{
	uint32_t word;

	if (lane == LIBROC_LANE_DONE)
		return libroc_fragment_there(f->completions, f->command_entries, count, f->start,
					     &word);
	return libroc_fragment_there(f->descriptors, f->descriptor_entries, count, f->start, &word);
}

int libroc_fail_left_out(const struct roc_fragments *f, enum libroc_fragment_lane lane,
			 uint32_t later)
{
	return roc_fail(
		EBADMSG,
		"%s: %s %u is missing although number %u is there: the card left it out, and what comes from there on is lost: start again; if it comes back, load the card's firmware anew",
		f->c.name, lane == LIBROC_LANE_DONE ? "completion" : "descriptor",
		lane == LIBROC_LANE_DONE ? f->done : f->taken, later);
}

int libroc_fragment_left_out(struct roc_fragments *f, enum libroc_fragment_lane lane)
{
	uint32_t next = lane == LIBROC_LANE_DONE ? f->done : f->taken, most = due(f, lane), ahead;

	if (most < 2)
		return 0;
	ahead = f->probed[lane] % (most - 1) + 1;
	/* In this order: the next one may have come meanwhile, and the later one behind it. */
	if (there(f, lane, next + ahead) && !there(f, lane, next))
		return libroc_fail_left_out(f, lane, next + ahead);
	/* What was found stays: the next call finds it again. */
	f->probed[lane] = ahead;
	return 0;
}
