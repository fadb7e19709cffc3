/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sentences that strangers may bring about: so many in a second, and how many were left out.
 */
#ifndef LIBROC_OFTEN_H
#define LIBROC_OFTEN_H

#include "base.h"

#define OFTEN_MOST 20 /* sentences in a second */
#define OFTEN_LEFT_OUT "%u more sentences were left out."

struct often {
	uint64_t since; /* fabric_now() of the first of this second */
	unsigned int count, left_out;
};

/* Of the second before, to be said first: how many were left out. Then ask often_may_say(). */
static inline unsigned int often_left_out(struct often *o, uint64_t now)
{
	unsigned int left_out = o->left_out;

	if (now - o->since <= FABRIC_NS_PER_S)
		return 0;
	*o = (struct often){.since = now};
	return left_out;
}

static inline bool often_may_say(struct often *o)
{
	if (o->count++ < OFTEN_MOST)
		return true;
	o->left_out++;
	return false;
}

#endif
