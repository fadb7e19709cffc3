/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record ring of a card with an event path, as the host reads it: section 5.2 of
 * Documentation/hardware/event-interface.md. The card writes the ring at any time, so every word
 * of it is read once and checked afterwards. The same file is tested in user space.
 */
#ifndef ROC_RECORD_H
#define ROC_RECORD_H

#include "pool/event_regs.h"

/* A record in the order of bytes of this machine. */
struct roc_record {
	__u32 sequence;
	__u32 descriptor;
	__u32 bytes;
	__u32 status;
};

/* Is record @number in @ring, which has 1 << @log2 entries? */
_Bool roc_record_there(const struct event_record *ring, unsigned int log2, __u32 number);

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

#endif /* ROC_RECORD_H */
