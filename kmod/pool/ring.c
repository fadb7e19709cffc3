// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel side of the rings of a pool channel. ring.h describes protocols and barriers.
 */
#include <linux/compiler.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

#include "pool/ring.h"

/* Count an invalid value once, however often the kernel loads it. */
static _Bool roc_ring_index_valid(struct roc_rings *r, struct roc_ring_index *index, __u32 value,
				  _Bool good)
{
	if (!good && (!index->wrong || index->value != value))
		(*r->bad_index)++;
	index->wrong = !good;
	index->value = value;
	return good;
}

__u32 roc_ring_fill_count(struct roc_rings *r)
{
	__u32 prod = smp_load_acquire(&r->user->fill_prod), count = prod - r->fill_cons; /* (A) */

	return roc_ring_index_valid(r, &r->fill_prod, prod, count <= r->fill_entries) ? count : 0;
}

void roc_ring_fill_take(struct roc_rings *r, struct roc_fill *fill)
{
	const struct roc_fill *shared = &r->fill[r->fill_cons & (r->fill_entries - 1)];

	/* One load per word: the reader may still write, and must not change what was checked. */
	fill->buffer = READ_ONCE(shared->buffer);
	fill->length = READ_ONCE(shared->length);
	fill->offset = READ_ONCE(shared->offset);
	fill->cookie = READ_ONCE(shared->cookie);
	fill->reserved = READ_ONCE(shared->reserved);
	r->fill_cons++;
}

__u32 roc_ring_ready_count(struct roc_rings *r)
{
	__u32 cons = smp_load_acquire(&r->user->ready_cons), ready = r->ready_prod - cons; /* (D) */

	return roc_ring_index_valid(r, &r->ready_cons, cons, ready <= r->ready_entries)
		       ? ready
		       : r->ready_entries;
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
	/* A reader that sees the new flags also sees all entries that were published before. */
	smp_store_release(&r->kernel->flags, (r->kernel->flags & ~clear) | set);
}

static const struct event_record *roc_record_at(const struct event_record *ring, unsigned int log2,
						__u32 number)
{
	return &ring[number & ((1u << log2) - 1)];
}

static _Bool roc_record_phase(__u32 status, unsigned int log2, __u32 number)
{
	return (status & EVENT_RECORD_PHASE) == EVENT_PHASE(number, log2);
}

_Bool roc_record_present(const struct event_record *ring, unsigned int log2, __u32 number)
{
	const struct event_record *r = roc_record_at(ring, log2, number);

	return roc_record_phase(__le32_to_cpu(READ_ONCE(r->status)), log2, number);
}

_Bool roc_record_read(const struct event_record *ring, unsigned int log2, __u32 number,
		      struct roc_record *record)
{
	const struct event_record *r = roc_record_at(ring, log2, number);

	record->status = __le32_to_cpu(READ_ONCE(r->status));
	if (!roc_record_phase(record->status, log2, number))
		return 0;
	dma_rmb(); /* the card writes the phase last */
	record->sequence = __le32_to_cpu(READ_ONCE(r->sequence));
	record->descriptor = __le32_to_cpu(READ_ONCE(r->descriptor));
	record->bytes = __le32_to_cpu(READ_ONCE(r->bytes));
	return 1;
}

_Bool roc_record_hole(const struct event_record *ring, unsigned int log2, __u32 number)
{
	__u32 i;

	for (i = 1; i < 1u << log2; i++) {
		if (!roc_record_present(ring, log2, number + i))
			continue;
		dma_rmb(); /* the card writes @number before the later one, or never */
		return !roc_record_present(ring, log2, number);
	}
	return 0;
}

_Bool roc_record_valid(const struct roc_record *record, __u32 number)
{
	_Bool empty = record->status & (EVENT_RECORD_END | EVENT_RECORD_REFUSED);

	return record->sequence == number && !record->bytes == empty;
}

_Bool roc_record_short(const struct roc_record *record, __u32 length)
{
	return record->bytes < length && !(record->status & EVENT_RECORD_PARTIAL);
}
