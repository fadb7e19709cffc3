/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ALICE CRU: register offsets and bits, once, for the driver, the tools and the emulated card.
 *
 * Pure numbers, no kernel header: everything that speaks of a CRU register includes this file.
 * All offsets are bytes inside the BAR, all registers 32 bit. l is a link slot (0..15) of one
 * endpoint, e an endpoint (0, 1) of the card.
 */
#ifndef CRU_REGS_H
#define CRU_REGS_H

#define CRU_VENDOR_CERN 0x10dc
#define CRU_DEVICE 0x0034
#define CRU_VENDOR_ALTERA 0x1172 /* early cards on the Altera development board */
#define CRU_DEVICE_ALTERA 0xe001

#define CRU_BAR_DMA 0
#define CRU_BAR_CARD 2
#define CRU_BAR_DMA_SIZE 0x10000
#define CRU_BAR_CARD_SIZE 0x1000000

#define CRU_ENDPOINTS 2
#define CRU_LINK_SLOTS 16
#define CRU_GBT_LINKS 12 /* slots 0..11; 13, 14 run statistics, 15 user logic */
#define CRU_PAGE_SIZE 8192
#define CRU_SUPERPAGE_ALIGN 0x8000
#define CRU_SUPERPAGE_MAX (0x1000000 - 0x8000) /* the size FIFO counts 24 bits */
#define CRU_FIFO_DEPTH_DEFAULT 128	       /* when the depth register reads 0 */

/* BAR0: DMA engine of one endpoint */
#define CRU_DMA_CONTROL 0x200
#define CRU_DMA_CONTROL_START (1u << 0)
#define CRU_DMA_CONTROL_FLUSH (1u << 8)
#define CRU_SP_HIGH(l) (0x204 + 0x10 * (l))
#define CRU_SP_LOW(l) (0x208 + 0x10 * (l))
#define CRU_SP_PUSH(l) (0x20c + 0x10 * (l)) /* size in DMA pages; this write pushes */
#define CRU_FIRMWARE_COMPILE_INFO 0x280
#define CRU_RESET_CONTROL 0x400
#define CRU_RESET_GENERAL 0x1
#define CRU_RESET_GENERATOR 0x2
#define CRU_SCRATCH 0x410
#define CRU_FEATURES 0x41c
#define CRU_FEATURES_STANDALONE 0x5afe /* in [15:0]; then bits 16.. are active-low enables */
#define CRU_FEATURE_DATA_SOURCE 16
#define CRU_FEATURE_TEMPERATURE 17
#define CRU_FEATURE_SERIAL 18
#define CRU_FEATURE_FIRMWARE_INFO 19
#define CRU_ENDPOINT_ID 0x500
#define CRU_ENDPOINT_ID_0 0x00000000
#define CRU_ENDPOINT_ID_1 0x11111111
#define CRU_GENERATOR(n) (0x600 + 4 * (n)) /* 0..3 */
#define CRU_GENERATOR_ENABLE (1u << 0)
#define CRU_GENERATOR_INJECT 0x608
#define CRU_DATA_SOURCE 0x700
#define CRU_DATA_SOURCE_DATAPATH 0x0
#define CRU_DATA_SOURCE_INTERNAL 0x1
#define CRU_SP_READY(l) (0x800 + 4 * (l))
#define CRU_SP_SIZE(l) (0x840 + 4 * (l))
#define CRU_SP_SIZE_ADVANCE 0x0badcafe
#define CRU_SP_SIZE_BYTES 0x00ffffff
#define CRU_SP_SIZE_INDEX_SHIFT 24
#define CRU_SP_EMPTY(l) (0x880 + 4 * (l))
#define CRU_TIME_FRAME 0xc00
#define CRU_TIME_FRAME_DEBUG (1u << 1)
#define CRU_TIME_FRAME_LENGTH_SHIFT 20
#define CRU_TIME_FRAME_LENGTH_DEFAULT 256 /* orbits */
#define CRU_FIFO_DEPTH 0xc04

/* BAR2: one common register space of the card */
#define CRU_FW_DIRTY 0x00
#define CRU_FW_HASH 0x04
#define CRU_FW_DATE 0x08
#define CRU_FW_TIME 0x0c
#define CRU_BOARD_TYPE 0x10
#define CRU_USER_CONTROL 0x18
#define CRU_USER_CONTROL_RUN (1u << 0)
#define CRU_USER_CONTROL_CRU_ID_SHIFT 16
#define CRU_USER_CONTROL_CRU_ID 0x0fff0000
#define CRU_MUX(n) (0x1c + 4 * ((n) / 8)) /* physical link 0..23, 4 bits each */
#define CRU_MUX_SHIFT(n) (4 * ((n) % 8))
#define CRU_TEMPERATURE 0x10008
#define CRU_TEMPERATURE_RAW 0x3ff /* 0: no value; degC = raw * 693 / 1024 - 265 */
#define CRU_CHIP_ID_HIGH 0x10014
#define CRU_CHIP_ID_LOW 0x10018
#define CRU_SERIAL_LOAD 0x30804
#define CRU_SERIAL_LOAD_GO 0x2
#define CRU_SERIAL_LOAD_MS 40
#define CRU_SERIAL 0x30818 /* four ASCII digits, first in the low byte */
#define CRU_ONU_STATUS 0x22a00c
#define CRU_CLOCK_CTP 0x240000	  /* Hz */
#define CRU_CLOCK_LOCAL 0x240004  /* Hz */
#define CRU_CTP_RUN_MODE 0x280010 /* [1:0] 0 manual, 1 periodic, 2 continuous, 3 idle */
#define CRU_CTP_INIT_ORBIT 0x280028
#define CRU_WRAPPER(w) (0x400000 + 0x100000 * (w))
#define CRU_WRAPPER_CONFIG0 0x00
#define CRU_WRAPPER_CONFIG1 0x04
#define CRU_WRAPPER_CLOCK 0x0c
#define CRU_GBT_LINK(w, b, k) (CRU_WRAPPER(w) + 0x20000 * ((b) + 1) + 0x2000 * ((k) + 1))
#define CRU_GBT_STATUS 0x00
#define CRU_GBT_TX_CLOCK 0x04
#define CRU_GBT_RX_CLOCK 0x08
#define CRU_DATAPATH(e) (0x600000 + 0x100000 * (e))
#define CRU_DATAPATH_ENABLE 0x00
#define CRU_DATAPATH_LINKS 0x0000ffff
#define CRU_DATAPATH_DYNAMIC_OFFSET (1u << 31)
#define CRU_DATAPATH_TOTAL_PACKETS 0x18
#define CRU_DATAPATH_DROPPED_PACKETS 0x1c
#define CRU_DATAPATH_PACKET_RATE 0x2c
#define CRU_DATAPATH_DROPPED_RATE 0x30
#define CRU_DATAPATH_LINK(e, l) (CRU_DATAPATH(e) + 0x40000 + 0x2000 * (l))
#define CRU_DPL_CONTROL 0x00
#define CRU_DPL_IDS 0x04 /* [15:0] FEE id, [23:16] system id */
#define CRU_DPL_REJECTED 0x08
#define CRU_DPL_ACCEPTED 0x0c
#define CRU_DPL_FORCED 0x10
#define CRU_DPL_PROCESSED 0x14
#define CRU_DPL_ORBIT_SOR 0x28
#define CRU_DPL_FIRST_ORBIT 0x2c /* link 0 only */
#define CRU_UL_HASH 0xc00004

/* Times the card's documentation asks for, in ms. */
#define CRU_RESET_WAIT_MS 100 /* after each write to CRU_RESET_CONTROL */
#define CRU_START_WAIT_MS 10  /* after CRU_DMA_CONTROL_START */

/* The size entry: bytes used and number of the superpage modulo 256. */
#define CRU_SP_SIZE_ENTRY(index, bytes)                                                            \
	(((unsigned int)(index) << CRU_SP_SIZE_INDEX_SHIFT) | ((bytes)&CRU_SP_SIZE_BYTES))

#endif /* CRU_REGS_H */
