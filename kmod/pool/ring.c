// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of the fill ring and the ready ring. Protocol and barriers: ring.h.
 */
#include <linux/compiler.h>
#include <asm/barrier.h>

#include "pool/ring.h"

__u32 roc_ring_fill_count(struct roc_rings *r)
{
	__u32 count = smp_load_acquire(&r->user->fill_prod) - r->fill_cons; /* (A) */

	if (count <= r->fill_entries)
		return count;
	(*r->bad_index)++;
	return 0;
}

void roc_ring_fill_take(struct roc_rings *r, struct roc_fill *fill)
{
	const struct roc_fill *shared = &r->fill[r->fill_cons & (r->fill_entries - 1)];

	/* Once per word: the reader may still be scribbling, and must not change what we checked.
	 */
	fill->buffer = READ_ONCE(shared->buffer);
	fill->length = READ_ONCE(shared->length);
	fill->offset = READ_ONCE(shared->offset);
	fill->cookie = READ_ONCE(shared->cookie);
	fill->reserved = READ_ONCE(shared->reserved);
	r->fill_cons++;
}

__u32 roc_ring_ready_held(struct roc_rings *r)
{
	__u32 held = r->ready_prod - smp_load_acquire(&r->user->ready_cons); /* (D) */

	if (held <= r->ready_entries)
		return held;
	(*r->bad_index)++;
	return r->ready_entries;
}

void roc_ring_ready_put(struct roc_rings *r, const struct roc_ready *ready)
{
	r->ready[r->ready_prod & (r->ready_entries - 1)] = *ready;
	r->ready_prod++;
}

_Bool roc_ring_publish(struct roc_rings *r)
{
	_Bool fresh = r->ready_published != r->ready_prod;

	smp_store_release(&r->kernel->fill_cons, r->fill_cons);	  /* (B) */
	smp_store_release(&r->kernel->ready_prod, r->ready_prod); /* (C) */
	r->ready_published = r->ready_prod;
	return fresh;
}

_Bool roc_ring_arm_kick(struct roc_rings *r)
{
	roc_ring_set_flags(r, ROC_RING_NEED_KICK, 0);
	smp_mb(); /* (E) */
	return roc_ring_fill_count(r) != 0;
}

void roc_ring_set_flags(struct roc_rings *r, __u32 set, __u32 clear)
{
	/* What was published before is there for whoever sees them. */
	smp_store_release(&r->kernel->flags, (r->kernel->flags & ~clear) | set);
}
