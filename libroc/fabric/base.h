/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all files that use a network share: the sentence of a failure, the clocks, the limit of
 * messages that a peer can cause, an accept() that failed.
 */
#ifndef LIBROC_FABRIC_BASE_H
#define LIBROC_FABRIC_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <roc/idle.h>

#define FABRIC_REASON 512
#define FABRIC_NS_PER_S UINT64_C(1000000000)

/* Keep the first sentence; returns -err. */
int fabric_fail(char reason[FABRIC_REASON], int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

uint64_t fabric_now(void);	/* CLOCK_MONOTONIC ns */
uint64_t fabric_realtime(void); /* CLOCK_REALTIME ns */

/* Messages that a peer can cause: so many in a second, and how many were left out. */
#define RATE_LIMIT_MOST 20 /* sentences in a second */
#define RATE_LIMIT_DROPPED "%u more sentences were left out."

struct rate_limit {
	uint64_t since; /* fabric_now() of the first of this second */
	unsigned int count, left_out;
};

/* Of the second before, to be said first: how many were left out. Then ask rate_limit_admits(). */
static inline unsigned int rate_limit_dropped(struct rate_limit *o, uint64_t now)
{
	unsigned int left_out = o->left_out;

	if (now - o->since <= FABRIC_NS_PER_S)
		return 0;
	*o = (struct rate_limit){.since = now};
	return left_out;
}

static inline bool rate_limit_admits(struct rate_limit *o)
{
	if (o->count++ < RATE_LIMIT_MOST)
		return true;
	o->left_out++;
	return false;
}

#define ACCEPT_AGAIN_NS 50000000 /* until accept() is asked again that had no file left */

/*
 * accept() had no descriptor or no memory for a peer. The peer stays in the queue, so poll() would
 * return at once each time: leave the socket out for ACCEPT_AGAIN_NS.
 */
static inline bool accept_no_files(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

#endif
