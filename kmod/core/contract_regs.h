/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers that all contracts between driver and firmware have in common: the start of the
 * capability, and the block of the function with errors and alarms. All contracts except the event
 * interface also share the blocks of a channel and of the card.
 *
 * Used by the driver, the library, the emulated cards and the tests. See
 * Documentation/hardware/event-interface.md, section 4, and stream-interface.md.
 *
 * All offsets are in bytes, all registers have 32 bits, and everything in host memory is little
 * endian.
 */
#ifndef CONTRACT_REGS_H
#define CONTRACT_REGS_H

/* PCIe vendor-specific extended capability, id 0x000b; offsets from its start */
#define VSEC_HEADER 0x04 /* [15:0] id, [19:16] revision, [31:20] length */
#define VSEC_SIGNATURE 0x08
/* Places: BAR in [2:0], offset in [31:3] */
#define VSEC_BAR(w) ((w)&0x7)
#define VSEC_OFFSET(w) ((w) & ~0x7u)

/* Block of a channel; the event interface has another layout, with the same bits of STATUS */
#define BLOCK_CONTROL 0x08
#define BLOCK_CONTROL_ENABLE (1u << 0)
#define BLOCK_STATUS 0x0c
#define BLOCK_STATUS_ENABLED (1u << 0)
#define BLOCK_STATUS_QUIET (1u << 1)
#define BLOCK_STATUS_LOADING (1u << 2)
#define BLOCK_STATUS_SETUP_ERROR (1u << 8)
#define BLOCK_STATUS_FETCH_ERROR (1u << 9)
#define BLOCK_STATUS_HOST_ERROR (1u << 10)
#define BLOCK_RESET 0x10 /* BLOCK_RESET_*, and those of the contract; reads 0 */
#define BLOCK_RESET_COUNTERS (1u << 0)
#define BLOCK_RESET_LOGIC (1u << 2)
#define BLOCK_RESET_DEFAULT (1u << 3)
#define BLOCK_GENERATION 0x14
#define BLOCK_QUIET_MS 1 /* from disabling or reset to QUIET */

/* Block of the function. The event interface has no RESET, which resets all channels. */
#define FUNCTION_SIZE 0x40
#define FUNCTION_ID 0x00    /* [31:16] the contract's id, [15:8] revision, [7:0] channels */
#define FUNCTION_CAUSE 0x04 /* a written 1 clears */
#define FUNCTION_ENABLE 0x08
#define FUNCTION_VECTOR 0x0c
#define FUNCTION_VECTOR_NONE 0xffff /* also as the vector of a channel */
#define FUNCTION_CHANNELS 0x10	    /* bit for each channel: an error bit, or STALLED */
#define FUNCTION_NOTICE_LOW 0x14    /* bus address of the notice; write-only */
#define FUNCTION_NOTICE_HIGH 0x18   /* writing this makes both halves take effect */
#define FUNCTION_RESET 0x1c	    /* levels, of the card; reads 0 */
#define FUNCTION_GENERATION 0x20

/* Bits of CAUSE. A contract has some of them, and its own in addition. */
#define FUNCTION_CAUSE_TEMPERATURE (1u << 0) /* rose above FUNCTION_TEMPERATURE_HIGH */
#define FUNCTION_CAUSE_CRITICAL (1u << 1)    /* rose above FUNCTION_TEMPERATURE_CRITICAL */
#define FUNCTION_CAUSE_LINK (1u << 2)	     /* a link went up or down */
#define FUNCTION_CAUSE_FETCH (1u << 8)	     /* FETCH_ERROR of a channel */
#define FUNCTION_CAUSE_STALL (1u << 9)	     /* STALLED of a channel */
#define FUNCTION_CAUSE_HOST (1u << 10)	     /* HOST_ERROR or SETUP_ERROR of a channel */

#define FUNCTION_TEMPERATURE_HIGH 60 /* degC */
#define FUNCTION_TEMPERATURE_CRITICAL 80
#define FUNCTION_TEMPERATURE_HYSTERESIS 2

/* Block of the card */
#define CARD_SIZE 0x80
#define CARD_ID 0x00
#define CARD_REVISION 0x04
#define CARD_FIRMWARE 0x08 /* [31:16] major, [15:8] minor, [7:0] patch */
#define CARD_HASH 0x0c	   /* of the firmware's source */
#define CARD_DATE 0x10	   /* 0xYYYYMMDD, decimal digits */
#define CARD_TIME 0x14	   /* 0x00hhmmss, decimal digits */
#define CARD_FEATURES 0x18
#define CARD_FEATURE_TEMPERATURE (1u << 0)
#define CARD_FEATURE_GENERATORS (1u << 1)
#define CARD_UNITS 0x1c	 /* [7:0] channels; the rest is the contract's */
#define CARD_SERIAL 0x20 /* four decimal digits as characters, the first in [7:0] */
#define CARD_CHIP_LOW 0x24
#define CARD_CHIP_HIGH 0x28
#define CARD_SOURCE 0x2c /* source id, 16 bits */
#define CARD_TEST 0x30
#define CARD_TEMPERATURE 0x38 /* 1/1000 degC, signed */
#define CARD_TEMPERATURE_NONE 0x80000000u
#define CARD_CLOCK 0x3c	 /* cycles per second */
#define CARD_CYCLES 0x40 /* since power-on; 64 bits */

#endif /* CONTRACT_REGS_H */
