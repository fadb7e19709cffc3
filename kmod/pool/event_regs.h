/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers, ring entries and bits of the event interface, shared by the driver, the emulated card
 * and the tests. Documentation/hardware/event-interface.md describes them.
 *
 * Offsets are in bytes. Registers have 32 bits. All data in host memory are little endian.
 */
#ifndef EVENT_REGS_H
#define EVENT_REGS_H

#include <linux/types.h>

#include "../core/contract_regs.h"

/* PCIe vendor-specific extended capability, id 0x000b; offsets from its start */
#define EVENT_VSEC_ID 0x0e71
#define EVENT_VSEC_REVISION 1
#define EVENT_VSEC_LENGTH 0x1c
#define EVENT_VSEC_HEADER_REVISION(w) ((w) >> 16 & 0xf)
#define EVENT_VSEC_HEADER_LENGTH(w) ((w) >> 20)
#define EVENT_VSEC_SIGNATURE_VALUE 0x45434f52u /* "ROCE" */
#define EVENT_VSEC_LIMITS 0x0c
#define EVENT_VSEC_CHANNELS 0x000000ffu
#define EVENT_VSEC_RING_MAX 0x0000ff00u /* log2 of the entries of the largest ring */
#define EVENT_VSEC_VECTORS 0xffff0000u	/* number of vectors; their numbers are 0 to this - 1 */
#define EVENT_VSEC_CHANNEL 0x10		/* block of channel 0 */
#define EVENT_VSEC_STRIDE 0x14		/* from one channel's block to the next: BARs and bytes */
#define EVENT_VSEC_CARD 0x18		/* block of the function */

/* Block of a channel */
#define EVENT_CHANNEL_SIZE 0x40
#define EVENT_ID 0x00 /* [31:16] EVENT_ID_CHANNEL, [15:8] revision, [7:0] number */
#define EVENT_ID_CHANNEL 0xe7c0u
#define EVENT_ID_CARD 0xe7cau
#define EVENT_CONTROL 0x04
#define EVENT_CONTROL_ENABLE (1u << 0)
#define EVENT_STATUS 0x08
#define EVENT_STATUS_ENABLED (1u << 0)
#define EVENT_STATUS_QUIET (1u << 1)
#define EVENT_STATUS_STALLED (1u << 2)
#define EVENT_STATUS_ENDED (1u << 3)
#define EVENT_STATUS_ARMED (1u << 4)
#define EVENT_STATUS_SETUP_ERROR (1u << 8)
#define EVENT_STATUS_FETCH_ERROR (1u << 9)
#define EVENT_STATUS_HOST_ERROR (1u << 10)
#define EVENT_LIMITS 0x0c /* [15:0] descriptors per link, [23:16] link slots */
#define EVENT_LIMITS_DEPTH(w) ((w)&0xffff)
#define EVENT_LIMITS_LINKS(w) ((w) >> 16 & 0xff)
#define EVENT_SUBMIT_LOW 0x10 /* bus address of the submission ring; write only */
#define EVENT_SUBMIT_HIGH 0x14
#define EVENT_SUBMIT_SIZE 0x18 /* log2 of its entries */
#define EVENT_DOORBELL 0x1c
#define EVENT_RECORD_LOW 0x20 /* bus address of the record ring; write only */
#define EVENT_RECORD_HIGH 0x24
#define EVENT_RECORD_SIZE 0x28 /* log2 of its entries */
#define EVENT_ARM 0x2c
#define EVENT_CONSUMED 0x30
#define EVENT_MODERATION 0x34
#define EVENT_MODERATION_VALUE(count, us) ((__u32)(us) << 16 | (count))
#define EVENT_MODERATION_COUNT(w) ((w)&0xffff)
#define EVENT_MODERATION_US(w) ((w) >> 16)
#define EVENT_VECTOR 0x38
#define EVENT_WRITTEN 0x3c /* records written */

#define EVENT_RING_MIN 2 /* log2 of the entries of the smallest ring */

/* Host to card. Descriptor number n is in slot n modulo the entries of the ring. */
struct event_descriptor {
	__le64 address;
	__le32 length; /* bytes */
	__le16 link;
	__le16 flags; /* 0 */
};

/* Card to host, written in one write in ascending order. */
struct event_record {
	__le32 sequence;   /* number of the record since the channel was enabled */
	__le32 descriptor; /* number of the descriptor; in an END record: descriptors fetched */
	__le32 bytes;
	__le32 status;
};

#define EVENT_RECORD_LINK(w) ((w)&0xff)
#define EVENT_RECORD_PARTIAL (1u << 16) /* closed before it was full */
#define EVENT_RECORD_FLUSHED (1u << 17) /* closed by a flush */
#define EVENT_RECORD_DAMAGED (1u << 18) /* the card could not write all of the data */
#define EVENT_RECORD_REFUSED (1u << 19) /* bad descriptor: nothing was written */
#define EVENT_RECORD_END (1u << 30)	/* no superpage: no record follows */
#define EVENT_RECORD_PHASE (1u << 31)

/* Phase of record number @sequence in a ring of 1 << @log2 entries: 1 in the first pass. */
#define EVENT_PHASE(sequence, log2) ((sequence) >> (log2)&1 ? 0u : EVENT_RECORD_PHASE)

/* Block of the function: contract_regs.h without the registers from FUNCTION_RESET on */
#define EVENT_CARD_SIZE 0x20
#define EVENT_CAUSE_ALL 0x707u

/* Time limits of the card, ms */
#define EVENT_QUIET_MS 1 /* from disabling to QUIET */
#define EVENT_END_MS 10	 /* from flush to the END record */

#endif /* EVENT_REGS_H */
