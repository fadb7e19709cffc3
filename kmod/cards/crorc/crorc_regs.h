/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register offsets and bits of the ALICE C-RORC, shared by the driver, the tools and the emulated
 * card. This file contains numbers only and includes no kernel header.
 *
 * The card has six BARs, one per DMA channel, with the same map. "Channel" registers belong to the
 * channel of the BAR. "Card" registers are common; they are in BAR 0 only, unless a comment states
 * that they are in every BAR. Offsets are in bytes, registers have 32 bits.
 */
#ifndef CRORC_REGS_H
#define CRORC_REGS_H

#define CRORC_VENDOR 0x10dc
#define CRORC_DEVICE 0x0033

#define CRORC_CHANNELS 6
#define CRORC_BAR_CARD 0 /* where card registers are used */
#define CRORC_BAR_SIZE 0x1000
#define CRORC_PAGE_SIZE 8192
#define CRORC_SUPERPAGE_ALIGN 0x8000
#define CRORC_SUPERPAGE_MAX (0x1000000 - 0x8000) /* size has 24 bits, in the echo and in memory */

/*
 * Card: both bits together are the only reset in use; self-clearing. Written in the BAR of a
 * channel, it resets that channel only.
 */
#define CRORC_CARD_CSR 0x000
#define CRORC_CARD_CSR_RESET 0x3

/* Channel. Written ones of TOGGLE bits flip them, all other bits are ignored on write. */
#define CRORC_CHAN_CSR 0x010
#define CRORC_CHAN_CSR_DMA (1u << 9)	   /* toggle */
#define CRORC_CHAN_CSR_LOOPBACK (1u << 12) /* toggle: generator inside the card */
#define CRORC_CHAN_CSR_LINK_DOWN (1u << 13)
#define CRORC_CHAN_CSR_DDL_BUSY (1u << 16)
#define CRORC_CHAN_CSR_DDL_STATUS (1u << 23) /* a word waits in CRORC_DDL_STATUS */

/* Channel: detector data link. A read of the status pops one word. */
#define CRORC_DDL_COMMAND 0x018
#define CRORC_DDL_STATUS 0x01c
#define CRORC_DDL_SIU_RESET 0xf1 /* to the DIU */
#define CRORC_DDL_LOOP_DIU 0x91
#define CRORC_DDL_LOOP_SIU 0x92
#define CRORC_DDL_RDYRX 0x14
#define CRORC_DDL_STBRD 0x54
#define CRORC_DDL_EOBTR 0xb4
#define CRORC_DDL_READ_STATUS_DIU 0x01 /* read and clear the interface status */
#define CRORC_DDL_READ_STATUS_SIU 0x02
#define CRORC_DDL_HARDWARE_ID(i) (0x62u | (i) << 12) /* character i of the SIU's name */
/* Words of both directions */
#define CRORC_DDL_END(w) ((w)&0xf) /* destination of a command, source of a reply */
#define CRORC_DDL_CODE(w) ((w) >> 4 & 0xf)
#define CRORC_DDL_TRANSACTION(w) ((w) >> 8 & 0xf)
#define CRORC_DDL_PARAMETER(w) ((w) >> 12 & 0x7ffff)
#define CRORC_DDL_ERROR (1u << 31)
#define CRORC_DDL_END_RORC 0
#define CRORC_DDL_END_DIU 1
#define CRORC_DDL_END_SIU 2
#define CRORC_DDL_END_FEE 4
#define CRORC_DDL_CTSTW 0    /* command transmitted */
#define CRORC_DDL_CTSTW_TO 1 /* the same with front-end timeout, or start of transaction */
#define CRORC_DDL_ILCMD 2
#define CRORC_DDL_HWSTW 6 /* hardware id: character in [27:20] */
#define CRORC_DDL_HWSTW_SHIFT 20
#define CRORC_DDL_IFSTW 12
#define CRORC_DDL_PORT_STATE(w) ((w) >> 12 & 0x7)
#define CRORC_DDL_PORT_ONLINE 2
#define CRORC_DDL_REMOTE_STATE(w) ((w) >> 15 & 0x7) /* DIU only */
#define CRORC_DDL_TIMEOUT_MS 100
#define CRORC_LINK_READS 1000	   /* consecutive reads that must show the link up */
#define CRORC_LINK_TIMEOUT_MS 2000 /* time limit for these reads */

/* Channel: data generator */
#define CRORC_GENERATOR 0x020
#define CRORC_GENERATOR_RUN (1u << 31)

/*
 * Channel: one superpage at a time; the write of the size pushes it. The registers read back what
 * was written, except SP_SIZE, which is size << 8 | pushes since reset, modulo 256.
 */
#define CRORC_SP_SIZE 0x028
#define CRORC_SP_SIZE_SHIFT 8
#define CRORC_SP_SIZE_COUNT 0xff
#define CRORC_SP_LOW 0x02c
#define CRORC_SP_HIGH 0x030

/* Channel: bus address of the completion block (8 bytes: size, count) */
#define CRORC_DONE_LOW 0x040
#define CRORC_DONE_HIGH 0x044
#define CRORC_OLD_ADDRESSES 0x078 /* up to firmware 2.8: addresses of DMA and its FIFOs */
#define CRORC_OLD_ADDRESSES_COUNT 9
#define CRORC_DONE_SIZE_OFFSET 0
#define CRORC_DONE_COUNT_OFFSET 4
#define CRORC_DONE_COUNT_START 0xff /* the host's preset; the first completion writes 0 */
#define CRORC_DONE_BYTES 0x00ffffff

/* Channel: statistics */
#define CRORC_RATE 0x050
#define CRORC_PACKETS 0x054
#define CRORC_ORBIT_SOR 0x060

/* Card, BAR 0 */
#define CRORC_LINK_STATUS 0x0a0
#define CRORC_LINK_STATUS_LASER (1u << 31)
#define CRORC_I2C_COMMAND 0x0d0
#define CRORC_I2C_LASER_ON 0x80
/* Optical power of links 2i and 2i + 1 in the low and high half, 0.1 uW */
#define CRORC_OPTICAL_POWER(link) ((link) < 4 ? 0x144 + 4 * ((link) / 2) : 0x154)

/* Card, BAR 0: flash. Opcode in [31:24] of the command */
#define CRORC_FLASH_COMMAND 0x0f0
#define CRORC_FLASH_ADDRESS 0x01000000u /* | 24-bit word address */
#define CRORC_FLASH_WRITE 0x03000000u	/* | 16-bit value, to the latched address */
#define CRORC_FLASH_READ 0x04000000u	/* result in CRORC_FLASH_DATA */
#define CRORC_FLASH_DATA 0x0f4
#define CRORC_FLASH_READY 0x0f8
#define CRORC_LABEL_SERIAL 28 /* column of "S/N: ddddd" in the 64 characters of a label */
#define CRORC_SERIAL_LOAD 0xc0000000u
#define CRORC_SERIAL_LOAD_MS 500

/* Card, every BAR */
#define CRORC_SERIAL 0x0fc /* four ASCII digits, first in [7:0] */
#define CRORC_FW_HASH 0x19c

/* Card, aliased in every BAR */
#define CRORC_CONFIG_A 0x1f0
#define CRORC_CONFIG_A_DYNAMIC (1u << 0)
#define CRORC_CONFIG_A_ID_SHIFT 4
#define CRORC_CONFIG_A_ID 0xfff0
#define CRORC_CONFIG_B 0x1f4
#define CRORC_CONFIG_B_LENGTH 0xfff /* orbits; written with 11 bits */
#define CRORC_CONFIG_B_LENGTH_MAX 256
#define CRORC_CONFIG_B_DETECT (1u << 12)
#define CRORC_CONFIG_B_FLUSH (1u << 16) /* of the BAR's channel, self-clearing */

/* Waits of the documented sequences */
#define CRORC_START_WAIT_MS 100

#endif /* CRORC_REGS_H */
