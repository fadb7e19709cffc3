/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of the fill ring and the ready ring.
 *
 * Two areas of shared memory per session. The *user area* (mapped read-write) has the two
 * indices that the reader owns and the fill entries; the *kernel area* (mapped read-only) has
 * the two indices that we own, the flags and the ready entries. Indices run free modulo 2^32.
 *
 * The kernel never believes a value in the user area: it keeps its own indices here, reads each
 * shared word once, bounds it, and works on a copy. A bad index makes a ring look empty (or
 * full) and is counted; it cannot make us read or write outside, or loop.
 *
 * Barriers, named by the pair they close:
 *   (A) reader writes fill entry, store-release fill_prod   | we load-acquire it, read entry
 *   (B) we read the entry, store-release fill_cons          | reader load-acquires, overwrites
 *   (C) we write ready entry, store-release ready_prod      | reader load-acquires, reads entry
 *   (D) reader reads entry, store-release ready_cons        | we load-acquire it, overwrite
 *   (E) we set NEED_KICK, full barrier, load fill_prod      | reader stores fill_prod, full
 *       barrier, loads flags: one of the two sees the other, so no entry is left lying.
 *
 * One user at a time: the channel lock. The same file is tested in user space.
 */
#ifndef ROC_RING_H
#define ROC_RING_H

#include <linux/types.h>
#include <uapi/linux/roc.h>

/* The last value of an index that the reader owns, and whether it was impossible. */
struct roc_ring_index {
	_Bool wrong;
	__u32 value;
};

/* Owned by the session; the shared areas live as long as it. */
struct roc_rings {
	struct roc_ring_user *user;
	struct roc_ring_kernel *kernel;
	struct roc_fill *fill;
	struct roc_ready *ready;
	__u32 fill_entries;
	__u32 ready_entries;
	__u32 fill_cons; /* the true indices */
	__u32 ready_prod;
	__u32 ready_published;
	struct roc_ring_index fill_prod;
	struct roc_ring_index ready_cons;
	__u64 *bad_index; /* impossible values that the reader wrote */
};

/* Fill entries that the reader published and we did not take. */
__u32 roc_ring_fill_count(struct roc_rings *r);
/* Copy of the next fill entry; only if roc_ring_fill_count() said there is one. */
void roc_ring_fill_take(struct roc_rings *r, struct roc_fill *fill);
/* Ready entries that the reader has not given back. */
__u32 roc_ring_ready_held(struct roc_rings *r);
/* Write an entry; the caller reserved the room. Not visible before roc_ring_publish(). */
void roc_ring_ready_put(struct roc_rings *r, const struct roc_ready *ready);
/* Make taken fill entries and written ready entries visible. True if ready ones were new. */
_Bool roc_ring_publish(struct roc_rings *r);
/* Set NEED_KICK. True if the reader published entries meanwhile: then do not sleep. */
_Bool roc_ring_arm_kick(struct roc_rings *r);
void roc_ring_set_flags(struct roc_rings *r, __u32 set, __u32 clear);

#endif /* ROC_RING_H */
