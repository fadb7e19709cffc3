/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by all files that use a network: error messages, clocks, the rate limit of messages that a
 * peer can cause, and failures of accept().
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

/* Store a message in @reason unless it has one; return -@err. */
int fabric_fail(char reason[FABRIC_REASON], int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

uint64_t fabric_now(void);	/* CLOCK_MONOTONIC ns */
uint64_t fabric_realtime(void); /* CLOCK_REALTIME ns */

/* Rate limit for messages that a peer can cause. It counts the messages that it drops. */
#define RATE_LIMIT_MOST 20 /* messages per second */
#define RATE_LIMIT_DROPPED "%u more messages were dropped."

struct rate_limit {
	uint64_t since; /* fabric_now() of the first message of this second */
	unsigned int count, left_out;
};

/*
 * Return how many messages were dropped in the previous second, once. The caller logs this number
 * before it calls rate_limit_admits().
 */
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

#define ACCEPT_AGAIN_NS 50000000 /* pause of accept() after it had no descriptor */

/*
 * Return true if accept() failed for lack of descriptors or memory. The connection stays in the
 * queue, so poll() would return at once each time: do not poll the socket for ACCEPT_AGAIN_NS.
 */
static inline bool accept_no_files(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

#endif
