/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lending, inside: the book of what is out (lend.c), and what a kind of channel does for it
 * (lend_pool.c, lend_stream.c, lend_fragment.c).
 */
#ifndef LIBROC_LEND_H
#define LIBROC_LEND_H

#include <roc/fragment.h>

#include <pthread.h>

#include "libroc.h"

#define LIBROC_LEND_NONE UINT32_MAX

/* A unit, and how its memory goes back. */
struct libroc_loan {
	struct roc_unit unit;
	struct roc_fill fill; /* pool: the superpage */
	uint64_t end;	      /* stream: position behind it; fragment: handle of the host page */
	uint64_t held;	      /* bytes that the card does without */
};

/* One place in the book; in the list of free ones, or in that of those out, oldest first. */
struct libroc_lend_slot {
	struct libroc_loan loan; /* unit.handle 0: free */
	bool returned;		 /* waits for an older one */
	uint32_t older, newer;
};

/*
 * Called by the thread that takes, except give() and kick(): any thread calls these under the lock.
 * Errors have their sentence.
 */
struct libroc_lend_type {
	/* The next unit, without taking it: 1, 0 there is none, -errno. */
	int (*peek)(struct roc_lender *l, struct libroc_loan *loan);
	/* The unit that peek() showed is out. */
	void (*taken)(struct roc_lender *l, const struct libroc_loan *loan);
	/* 0, or -errno: it stays out; *@kick: call kick(). */
	int (*release)(struct roc_lender *l, const struct libroc_loan *loan, bool *kick);
	int (*kick)(struct roc_lender *l);
	int (*wait)(struct roc_lender *l, int timeout_ms);
	void (*close)(struct roc_lender *l); /* or NULL */
	bool in_order;
};

struct libroc_lend_buffer {
	char *addr;
	uint32_t handle;
};

/*
 * Owned by the caller of roc_lender_pool(), _stream() or _fragments(). The lock guards the slots,
 * the lists and the counts; and of the channel whatever give() writes. The rest is the taker's.
 */
struct roc_lender {
	const struct libroc_lend_type *type;
	const struct libroc_node *node;
	struct roc_channel *ch;		 /* pool */
	struct roc_stream *stream;	 /* stream */
	struct roc_fragments *fragments; /* fragment */

	/* pool: by the cookies of its superpages */
	struct libroc_lend_buffer *buffers;
	unsigned int buffer_count;
	uint32_t superpages; /* that go round: of all buffers, without those refused */

	uint64_t most; /* stream: bytes of a unit, if one packet is not larger */
	struct roc_fragment_fetched
		next; /* fragment: was shown and not taken yet; handle 0: none */

	pthread_mutex_t lock;
	struct libroc_lend_slot *slots;
	unsigned int shift;	 /* bits of a handle that are the slot's number */
	uint32_t free;		 /* first free slot; the others by newer */
	uint32_t oldest, newest; /* of those out */
	struct roc_lent lent;	 /* without the age */
};

/* The book for any kind; the caller fills in the source. */
int libroc_lender_new(const struct libroc_lend_type *type, const struct libroc_node *node,
		      unsigned int limit, struct roc_lender **lender);

#endif /* LIBROC_LEND_H */
