/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capability, registers, control page and bits of the stream interface, shared by the driver, the
 * emulated card and the tests. Documentation/hardware/stream-interface.md describes them.
 * stream_packet.h describes the contents of the rings.
 *
 * Offsets are in bytes. Registers have 32 bits. All data in host memory are little endian.
 */
#ifndef STREAM_REGS_H
#define STREAM_REGS_H

#include <linux/types.h>

#include "../core/contract_regs.h"

/* PCIe vendor-specific extended capability, id 0x000b; offsets from its start */
#define STREAM_VSEC_ID 0x0e72
#define STREAM_VSEC_REVISION 1
#define STREAM_VSEC_LENGTH 0x34
#define STREAM_VSEC_SIGNATURE_VALUE 0x53434f52u /* "ROCS" */
#define STREAM_VSEC_LIMITS 0x0c
#define STREAM_VSEC_STREAMS 0x000000ffu
#define STREAM_VSEC_RING_MAX 0x0000ff00u /* log2 of the bytes of the largest ring */
#define STREAM_VSEC_VECTORS 0xffff0000u	 /* number of vectors; their numbers are 0 to this - 1 */
#define STREAM_VSEC_SEGMENTS 0x10	 /* entries of the largest segment table */
#define STREAM_VSEC_STREAM 0x14		 /* block of stream 0 */
#define STREAM_VSEC_STRIDE 0x18		 /* from one stream's block to the next */
#define STREAM_VSEC_DOORBELL 0x1c	 /* doorbell page of stream 0 */
#define STREAM_VSEC_DOORBELL_STRIDE 0x20
#define STREAM_VSEC_FUNCTION 0x24 /* block of the function */
#define STREAM_VSEC_CARD 0x28	  /* block of the card; open */
#define STREAM_VSEC_SETTINGS 0x2c /* settings and counters of stream 0; open */
#define STREAM_VSEC_SETTINGS_STRIDE 0x30

#define STREAM_LINE 64 /* unit of positions, bytes */
#define STREAM_LINE_LOG2 6
#define STREAM_ALIGN 4096  /* alignment of ring, segments, segment table and control page */
#define STREAM_RING_MIN 16 /* log2 of the bytes of the smallest ring */
#define STREAM_SEGMENT_MIN 16

/* Block of a stream, in addition to contract_regs.h */
#define STREAM_SIZE 0x80
#define STREAM_ID 0x00 /* [31:16] STREAM_ID_STREAM, [15:8] revision, [7:0] number */
#define STREAM_ID_STREAM 0x57e0u
#define STREAM_ID_FUNCTION 0x57efu
#define STREAM_ID_SETTINGS 0x57e5u
#define STREAM_TYPE 0x04 /* [7:0] STREAM_TYPE_*, [15:8] number among its type */
#define STREAM_TYPE_MAIN 1
#define STREAM_TYPE_META 2
#define STREAM_TYPE_ODIN 3
#define STREAM_TYPE_KIND(w) ((w)&0xff)
#define STREAM_TYPE_NUMBER(w) ((w) >> 8 & 0xff)
#define STREAM_CONTROL_CLOSE (1u << 1) /* reads 0 */
#define STREAM_STATUS_ENDED (1u << 3)
#define STREAM_STATUS_ARMED (1u << 4)
#define STREAM_STATUS_FULL (1u << 5)
#define STREAM_STATUS_THROTTLING (1u << 6)
#define STREAM_STATUS_TRUNCATING (1u << 7)
#define STREAM_RESET_FLUSH (1u << 1)
#define STREAM_RESET_ALL 0xfu
#define STREAM_RING_LOW 0x18 /* bus address of the ring, or of its segment table; write only */
#define STREAM_RING_HIGH 0x1c
#define STREAM_RING_SIZE 0x20	 /* log2 of its bytes */
#define STREAM_SEGMENT_SIZE 0x24 /* log2 of a segment's bytes; 0: contiguous, no table */
#define STREAM_PAGE_LOW 0x28	 /* bus address of the control page; write only */
#define STREAM_PAGE_HIGH 0x2c
#define STREAM_START 0x30 /* position at which the next run begins */
#define STREAM_ARM 0x34	  /* read position; the write arms */
#define STREAM_IRQ_BYTES 0x38
#define STREAM_IRQ_NS 0x3c
#define STREAM_VECTOR 0x40
#define STREAM_WRITTEN 0x44 /* position; for diagnosis */
#define STREAM_READ_NOW 0x48
#define STREAM_ARM_SEEN 0x4c /* position that the host has polled; the write arms */

/* Doorbell page of a stream: only this register */
#define STREAM_DOORBELL_SIZE 0x1000
#define STREAM_READ 0x00

/* Block of the function, in addition to contract_regs.h; FUNCTION_CHANNELS also shows THROTTLING */
#define STREAM_CAUSE_THROTTLE (1u << 9) /* a stream: THROTTLING */
#define STREAM_CAUSE_ALL 0x703u

/* Block of the card, in addition to contract_regs.h */
#define STREAM_CARD_ID_VALUE 0x43303450u /* "P40C" */
#define STREAM_FEATURE_SEGMENTS (1u << 2)
#define STREAM_FEATURE_TRUNCATION (1u << 3)
#define STREAM_CARD_SOURCE_DEFAULT 0x0400
#define STREAM_CARD_ENABLE 0x34 /* bit per stream */

/* Settings and counters of a stream */
#define STREAM_SETTINGS_SIZE 0x200
#define STREAM_SET_ID 0x00 /* [31:16] STREAM_ID_SETTINGS, [15:8] revision, [7:0] number */
#define STREAM_SET_POLICY 0x04
#define STREAM_POLICY_THROTTLE (1u << 0)
#define STREAM_POLICY_TRUNCATE (1u << 1)
#define STREAM_SET_PACK_EVENTS 0x08
#define STREAM_PACK_EVENTS_MAX 65535
#define STREAM_SET_PACK_BYTES 0x0c
#define STREAM_PACK_BYTES_MIN 128
#define STREAM_PACK_BYTES_MAX (1u << 20)
#define STREAM_SET_PACK_NS 0x10
#define STREAM_SET_ALIGN 0x14 /* log2 */
#define STREAM_SET_ALIGN_MIN 2
#define STREAM_SET_ALIGN_MAX 6
#define STREAM_SET_THROTTLE_ON 0x18 /* bytes in the spill buffer */
#define STREAM_SET_THROTTLE_OFF 0x1c
#define STREAM_SET_TRUNCATE_ON 0x20
#define STREAM_SET_SPILL_SIZE 0x24
#define STREAM_SET_SPILL_LEVEL 0x28
#define STREAM_SET_GENERATOR 0x40
#define STREAM_GENERATOR_RUN (1u << 0)
#define STREAM_GENERATOR_DISTRIBUTED (1u << 1)
#define STREAM_GENERATOR_CLOCKED (1u << 2)
#define STREAM_GENERATOR_ALL 0x7u
#define STREAM_SET_SIZE_MIN 0x44 /* bytes of a fragment; of every fragment without DISTRIBUTED */
#define STREAM_SET_SIZE_MAX 0x48
#define STREAM_FRAGMENT_MAX (1u << 20)
#define STREAM_SET_RATE 0x4c	  /* events per second; 0: as fast as the card accepts them */
#define STREAM_SET_FIRST 0x50	  /* event id of the first event; 64 bits */
#define STREAM_SET_LIMIT 0x58	  /* events until the generator stops; 0: no limit; 64 bits */
#define STREAM_SET_GENERATED 0x60 /* events generated towards LIMIT; 64 bits */
/* Counters, 64 bits each: low word, high word; in the order of struct stream_counters */
#define STREAM_SET_COUNTERS 0x100
#define STREAM_COUNTERS 19

#define STREAM_GENERATOR_RATE_MAX 100000000u

/* Control page. The card writes it and never reads it. */
#define STREAM_PAGE_STATE 0x000
#define STREAM_PAGE_COUNTERS 0x080
#define STREAM_PAGE_USED 0x140 /* the card never writes the rest */

/* Written in one write, in ascending order. */
struct stream_state {
	__le32 sequence;   /* number of this write since the stream was enabled */
	__le32 written;	   /* position behind the last complete unit in the ring */
	__le64 last_event; /* of that unit */
	__le32 units;	   /* total number of packets or records, free running */
	__le32 generation; /* as the register */
	__le32 status;	   /* as the register, except QUIET */
	__le32 reason;	   /* of the last interrupt: STREAM_REASON_* */
	__le32 interrupts; /* number sent since the stream was enabled, free running */
	__le32 read;	   /* read position that was last reported to the card */
	__le32 level;	   /* bytes in the spill buffer */
	__le32 throttles;  /* low words of the counters with these names */
	__le32 throttled;
	__le32 truncated;
	__le32 zero;
	__le32 sequence_end; /* as the first word */
};

#define STREAM_REASON_BYTES (1u << 0)
#define STREAM_REASON_TIME (1u << 1)
#define STREAM_REASON_ENDED (1u << 2)
#define STREAM_REASON_ERROR (1u << 3)
#define STREAM_REASON_THROTTLE (1u << 4)

struct stream_counters {
	__le32 sequence; /* number of this write */
	__le32 zero;
	__le64 units, bytes;		   /* in the ring; bytes with all padding */
	__le64 offered;			   /* events offered by the source */
	__le64 events;			   /* of those: events in the ring */
	__le64 discarded;		   /* discarded by disable and reset */
	__le64 throttles;		   /* times that throttling began */
	__le64 throttled;		   /* events rejected by throttling */
	__le64 throttle_cycles;		   /* total duration of throttling */
	__le64 throttle_first;		   /* first throttling: first event rejected */
	__le64 throttle_from, throttle_to; /* last throttling: first and last event rejected */
	__le64 truncations;		   /* times that truncation began */
	__le64 truncated;		   /* events truncated */
	__le64 truncated_bytes;		   /* bytes removed by truncation */
	__le64 truncate_cycles, truncate_first, truncate_from, truncate_to;
	__le64 waiting; /* events in the card: offered, but not yet in any other counter */
	__le32 sequence_end, zero_end;
};

/* Time limits of the card, ms and ns */
#define STREAM_LOAD_MS 10     /* from enabling to the end of LOADING */
#define STREAM_CLOSE_MS 10    /* from CLOSE to ENDED, if the ring has space */
#define STREAM_STATE_NS 20000 /* from a unit in the ring to the state that includes it */
#define STREAM_COUNTERS_MS 10 /* age of the counters in the page */

#endif /* STREAM_REGS_H */
