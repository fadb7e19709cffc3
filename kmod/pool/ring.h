/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's side of a pool's rings: fill ring and ready ring, which it shares with the reader,
 * and the record ring of a card with an event path.
 *
 * Two areas of shared memory per open. The *user area* (mapped read-write) has the two
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

#include "pool/event_regs.h"

/* The last value of an index that the reader owns, and whether it was impossible. */
struct roc_ring_index {
	_Bool wrong;
	__u32 value;
};

/* Of an open channel; the shared areas live as long as it. */
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
__u32 roc_ring_ready_count(struct roc_rings *r);
/* Write an entry; the caller reserved the room. Not visible before roc_ring_publish(). */
void roc_ring_ready_put(struct roc_rings *r, const struct roc_ready *ready);
/* Make taken fill entries and written ready entries visible. True if ready ones were new. */
_Bool roc_ring_publish(struct roc_rings *r);
/* Set NEED_KICK. True if the reader published entries meanwhile: then do not sleep. */
_Bool roc_ring_arm_kick(struct roc_rings *r);
void roc_ring_set_flags(struct roc_rings *r, __u32 set, __u32 clear);

/*
 * The record ring, as the host reads it: section 5.2 of Documentation/hardware/event-interface.md.
 * The card writes the ring at any time, so every word of it is read once and checked afterwards.
 */

/* A record in the order of bytes of this machine. */
struct roc_record {
	__u32 sequence;
	__u32 descriptor;
	__u32 bytes;
	__u32 status;
};

/* Is record @number in @ring, which has 1 << @log2 entries? */
_Bool roc_record_present(const struct event_record *ring, unsigned int log2, __u32 number);

/* Copy record @number to @record. False: it is not there. */
_Bool roc_record_read(const struct event_record *ring, unsigned int log2, __u32 number,
		      struct roc_record *record);

/*
 * Is any record behind @number there, although @number is not? The card writes records in order, so
 * @number never comes. Reads up to the whole ring.
 */
_Bool roc_record_hole(const struct event_record *ring, unsigned int log2, __u32 number);

/* Is the record itself what the contract allows as record @number? */
_Bool roc_record_valid(const struct roc_record *record, __u32 number);

/* Fewer bytes than the descriptor's @length, without the flag that explains it. */
_Bool roc_record_short(const struct roc_record *record, __u32 length);

#endif /* ROC_RING_H */
