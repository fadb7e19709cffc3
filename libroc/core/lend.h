/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal structures of lenders: the table of lent units (lend.c), and the operations of each
 * lender type (lend_pool.c, lend_stream.c, lend_fragment.c).
 */
#ifndef LIBROC_LEND_H
#define LIBROC_LEND_H

#include <roc/fragment.h>

#include <pthread.h>

#include "libroc.h"

#define LIBROC_LEND_NONE UINT32_MAX

/* A unit and what its release needs */
struct libroc_loan {
	struct roc_unit unit;
	struct roc_fill fill; /* pool: the superpage */
	uint64_t end;  /* stream: position after the unit; fragment: handle of the host page */
	uint64_t held; /* bytes that the card cannot use meanwhile */
};

/* A slot of the table; in the list of free slots, or in the list of lent ones, oldest first. */
struct libroc_lend_slot {
	struct libroc_loan loan; /* unit.handle is 0 if the slot is free */
	bool returned;		 /* returned, but an older unit is still lent */
	uint32_t older, newer;
};

/*
 * Operations of a lender type. The consumer's thread calls them, except release() and kick(), which
 * any thread calls under the lock. A failed operation sets the error text.
 */
struct libroc_lend_type {
	/* Show the next unit without consuming it. Return 1; 0 if there is none; -errno. */
	int (*peek)(struct roc_lender *l, struct libroc_loan *loan);
	/* Consume the unit that peek() showed. */
	void (*taken)(struct roc_lender *l, const struct libroc_loan *loan);
	/*
	 * Return the memory to the card. -errno: the unit stays lent. If *@kick is set, kick() must
	 * follow.
	 */
	int (*release)(struct roc_lender *l, const struct libroc_loan *loan, bool *kick);
	int (*kick)(struct roc_lender *l);
	int (*wait)(struct roc_lender *l, int timeout_ms);
	void (*close)(struct roc_lender *l); /* may be NULL */
	bool in_order;
};

struct libroc_lend_buffer {
	char *addr;
	uint32_t handle;
};

/*
 * Handle of roc_lender_pool(), _stream() and _fragments(). The lock protects the slots, the lists,
 * the counts, and the state of the channel that release() changes. The consumer's thread owns the
 * rest.
 */
struct roc_lender {
	const struct libroc_lend_type *type;
	const struct libroc_node *node;
	struct roc_channel *ch;		 /* pool */
	struct roc_stream *stream;	 /* stream */
	struct roc_fragments *fragments; /* fragment */

	/* pool: indexed by the cookie of a superpage */
	struct libroc_lend_buffer *buffers;
	unsigned int buffer_count;
	/* superpages in circulation: those of all buffers, except refused ones */
	uint32_t superpages;

	uint64_t most; /* stream: maximum bytes of a unit, unless a single packet is larger */
	struct roc_fragment_fetched
		next; /* fragment: shown by peek() and not consumed; handle 0: none */

	pthread_mutex_t lock;
	struct libroc_lend_slot *slots;
	unsigned int shift;	 /* low bits of a handle, which hold the slot number */
	uint32_t free;		 /* first free slot; the others are linked by newer */
	uint32_t oldest, newest; /* of the lent units */
	struct roc_lent lent;	 /* without oldest_ns */
};

/* Allocate a lender of any type; the caller sets its source. */
int libroc_lender_new(const struct libroc_lend_type *type, const struct libroc_node *node,
		      unsigned int limit, struct roc_lender **lender);

#endif /* LIBROC_LEND_H */
