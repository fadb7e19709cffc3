// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read and check the record ring of a card with an event path. See record.h.
 */
#include <linux/compiler.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

#include "pool/record.h"

static const struct event_record *roc_record_at(const struct event_record *ring, unsigned int log2,
						__u32 number)
{
	return &ring[number & ((1u << log2) - 1)];
}

static _Bool roc_record_phase(__u32 status, unsigned int log2, __u32 number)
{
	return (status & EVENT_RECORD_PHASE) == EVENT_PHASE(number, log2);
}

_Bool roc_record_there(const struct event_record *ring, unsigned int log2, __u32 number)
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
	dma_rmb(); /* the phase was written last */
	record->sequence = __le32_to_cpu(READ_ONCE(r->sequence));
	record->descriptor = __le32_to_cpu(READ_ONCE(r->descriptor));
	record->bytes = __le32_to_cpu(READ_ONCE(r->bytes));
	return 1;
}

_Bool roc_record_hole(const struct event_record *ring, unsigned int log2, __u32 number)
{
	__u32 i;

	for (i = 1; i < 1u << log2; i++) {
		if (!roc_record_there(ring, log2, number + i))
			continue;
		dma_rmb(); /* @number was written before it, or is not at all */
		return !roc_record_there(ring, log2, number);
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
