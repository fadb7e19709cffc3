/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reader's fast path: fill ring and ready ring without a system call.
 *
 * Both rings have free-running 32-bit indices and a power of two of entries; an entry's position is
 * its index AND mask; the ring is full when producer - consumer is the number of entries. All
 * differences are taken modulo 2^32, so the wrap needs no care. One thread at a time per channel.
 *
 * Barriers, each with its partner in the kernel:
 *   A  fill_prod is stored with release: the kernel sees the entries before the index
 *   B  fill_cons is loaded with acquire: the kernel has read an entry before the reader reuses it
 *   C  ready_prod is loaded with acquire: the reader sees all entries that the index covers
 *   D  ready_cons is stored with release: the reader has read an entry before the kernel
 *	reuses it
 *   E  a full fence between A's store and the load of the flags. The kernel sets
 *	ROC_RING_NEED_KICK, executes a full fence and reads fill_prod again. At least one of the two
 *	sees the store of the other, so no entry remains unnoticed while the kernel sleeps
 *
 * The compiler's atomic builtins are C11's operations on plain integers: the same header serves
 * C and C++, and the shared structures keep the types of the kernel's header.
 */
#ifndef ROC_RINGS_H
#define ROC_RINGS_H

#include <roc/roc.h>

static inline uint32_t roc_fill_space(struct roc_rings *r)
{
	r->fill_cons = __atomic_load_n(&r->kernel->fill_cons, __ATOMIC_ACQUIRE); /* B */
	return r->fill_mask + 1 - (r->fill_prod + r->filled - r->fill_cons);
}

static inline uint32_t roc_fill_room(struct roc_rings *r)
{
	return roc_fill_space(r);
}

static inline struct roc_fill *roc_fill_next(struct roc_rings *r)
{
	uint32_t next = r->fill_prod + r->filled;

	/* The kernel's index is on its cache line: read it only when the cached copy says full. */
	if (next - r->fill_cons > r->fill_mask && !roc_fill_space(r))
		return NULL;
	r->filled++;
	return &r->fill[next & r->fill_mask];
}

static inline bool roc_fill_publish(struct roc_rings *r)
{
	if (!r->filled)
		return false;
	r->fill_prod += r->filled;
	r->filled = 0;
	__atomic_store_n(&r->user->fill_prod, r->fill_prod, __ATOMIC_RELEASE); /* A */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);			       /* E */
	return __atomic_load_n(&r->kernel->flags, __ATOMIC_RELAXED) & ROC_RING_NEED_KICK;
}

static inline uint32_t roc_ready_count(struct roc_rings *r)
{
	r->ready_prod = __atomic_load_n(&r->kernel->ready_prod, __ATOMIC_ACQUIRE); /* C */
	return r->ready_prod - r->ready_cons;
}

static inline const struct roc_ready *roc_ready_at(struct roc_rings *r, uint32_t i)
{
	if (i >= r->ready_prod - r->ready_cons && i >= roc_ready_count(r))
		return NULL;
	return &r->ready[(r->ready_cons + i) & r->ready_mask];
}

static inline const struct roc_ready *roc_ready_peek(struct roc_rings *r)
{
	return roc_ready_at(r, 0);
}

static inline void roc_ready_release(struct roc_rings *r, uint32_t n)
{
	uint32_t seen = r->ready_prod - r->ready_cons;

	r->ready_cons += n < seen ? n : seen;
	__atomic_store_n(&r->user->ready_cons, r->ready_cons, __ATOMIC_RELEASE); /* D */
}

#endif /* ROC_RINGS_H */
