/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel side of the rings of a pool channel: the fill ring and the ready ring, which are shared
 * with the reader, and the record ring of a card with an event path.
 *
 * Each open has two areas of shared memory. The *user area* (mapped read-write) has the two
 * indices that the reader owns, and the fill entries. The *kernel area* (mapped read-only) has the
 * two indices that the kernel owns, the flags and the ready entries. Indices are free running,
 * modulo 2^32.
 *
 * The kernel trusts no value in the user area: it keeps its own indices in struct roc_rings, reads
 * each shared word once, checks its range and works on a copy. An invalid index makes a ring look
 * empty (fill ring) or full (ready ring), and is counted. It cannot cause an access outside the
 * ring, or an endless loop.
 *
 * Barriers, named by the pair to which they belong:
 *   (A) reader writes fill entry, store-release fill_prod   | kernel load-acquires, reads entry
 *   (B) kernel reads entry, store-release fill_cons         | reader load-acquires, overwrites
 *   (C) kernel writes ready entry, store-release ready_prod | reader load-acquires, reads entry
 *   (D) reader reads entry, store-release ready_cons        | kernel load-acquires, overwrites
 *   (E) kernel sets NEED_KICK, full barrier, loads fill_prod | reader stores fill_prod, full
 *       barrier, loads flags: at least one of them sees the other's store, so no entry is missed.
 *
 * The channel lock serialises the callers. The unit tests compile this file in user space.
 */
#ifndef ROC_RING_H
#define ROC_RING_H

#include <linux/types.h>
#include <uapi/linux/roc.h>

#include "pool/event_regs.h"

/* The last value of an index that the reader owns, and whether it was invalid. */
struct roc_ring_index {
	_Bool wrong;
	__u32 value;
};

/* Rings of an open channel. The shared areas live as long as the open. */
struct roc_rings {
	struct roc_ring_user *user;
	struct roc_ring_kernel *kernel;
	struct roc_fill *fill;
	struct roc_ready *ready;
	__u32 fill_entries;
	__u32 ready_entries;
	__u32 fill_cons; /* the kernel's own indices */
	__u32 ready_prod;
	__u32 ready_published;
	struct roc_ring_index fill_prod;
	struct roc_ring_index ready_cons;
	__u64 *bad_index; /* counter of invalid values */
};

/* Number of fill entries that the reader has published and the kernel has not consumed. */
__u32 roc_ring_fill_count(struct roc_rings *r);
/* Consume the next fill entry. The caller has checked roc_ring_fill_count(). */
void roc_ring_fill_take(struct roc_rings *r, struct roc_fill *fill);
/* Number of ready entries that the reader has not consumed. */
__u32 roc_ring_ready_count(struct roc_rings *r);
/* Write an entry into reserved space. It becomes visible with roc_ring_publish(). */
void roc_ring_ready_put(struct roc_rings *r, const struct roc_ready *ready);
/* Publish both kernel indices. Return true if there are new ready entries. */
_Bool roc_ring_publish(struct roc_rings *r);
/* Set NEED_KICK. Return true if the reader has published entries: the caller must not sleep. */
_Bool roc_ring_arm_kick(struct roc_rings *r);
void roc_ring_set_flags(struct roc_rings *r, __u32 set, __u32 clear);

/*
 * Read the record ring: section 5.2 of Documentation/hardware/event-interface.md. The card may
 * write the ring at any time, so each word is read once and checked afterwards.
 */

/* A record in the byte order of the CPU. */
struct roc_record {
	__u32 sequence;
	__u32 descriptor;
	__u32 bytes;
	__u32 status;
};

/* Return true if record @number is in @ring, which has 1 << @log2 entries. */
_Bool roc_record_present(const struct event_record *ring, unsigned int log2, __u32 number);

/* Copy record @number to @record. Return false if it is not there. */
_Bool roc_record_read(const struct event_record *ring, unsigned int log2, __u32 number,
		      struct roc_record *record);

/*
 * Return true if record @number is missing although a later one is there. The card writes records
 * in order, so a missing one never comes. Reads up to the whole ring.
 */
_Bool roc_record_hole(const struct event_record *ring, unsigned int log2, __u32 number);

/* Return true if the contract allows @record as record @number. */
_Bool roc_record_valid(const struct roc_record *record, __u32 number);

/* Return true if the record has fewer bytes than @length of its descriptor, but is not PARTIAL. */
_Bool roc_record_short(const struct roc_record *record, __u32 length);

#endif /* ROC_RING_H */
