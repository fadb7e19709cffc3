/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register offsets and bits of the ALICE CRU, shared by the driver, the tools and the emulated
 * card.
 *
 * This file contains numbers only and includes no kernel header. Offsets are bytes from the start
 * of the BAR, registers have 32 bits. l is a link slot (0..15) of one endpoint, e an endpoint (0,
 * 1) of the card.
 */
#ifndef CRU_REGS_H
#define CRU_REGS_H

#define CRU_VENDOR_CERN 0x10dc
#define CRU_DEVICE 0x0034
#define CRU_VENDOR_ALTERA 0x1172 /* early cards on the Altera development board */
#define CRU_DEVICE_ALTERA 0xe001

#define CRU_BAR_DMA 0
#define CRU_BAR_CARD 2
#define CRU_BAR_DMA_SIZE 0x10000 /* size in the emulated card */
#define CRU_BAR_DMA_LEAST 0x1000
#define CRU_BAR_CARD_SIZE 0x1000000

#define CRU_ENDPOINTS 2
#define CRU_LINK_SLOTS 16
#define CRU_GBT_LINKS 12 /* slots 0..11; 13, 14 run statistics, 15 user logic */
#define CRU_PAGE_SIZE 8192
#define CRU_SUPERPAGE_ALIGN 0x8000
#define CRU_SUPERPAGE_MAX (0x1000000 - 0x8000) /* the size FIFO counts 24 bits */
#define CRU_PEAK 6700			       /* MB/s of an endpoint: 53 Gb/s over PCIe gen 3 x8 */
#define CRU_FIFO_DEPTH_DEFAULT 128	       /* if the depth register reads 0 */

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

/*
 * BAR2: the register space that both endpoints share, block by block. Larger blocks are in files of
 * their own, included below.
 */

/* BSP: firmware, user control, downlink multiplexers */
#define CRU_FW_DIRTY 0x00
#define CRU_FW_HASH 0x04
#define CRU_FW_DATE 0x08
#define CRU_FW_TIME 0x0c
#define CRU_BOARD_TYPE 0x10	    /* ASCII */
#define CRU_BOARD_TYPE_V20 0x763230 /* pre-production */
#define CRU_BOARD_TYPE_V22 0x763232 /* production */
#define CRU_USER_CONTROL 0x18
#define CRU_USER_CONTROL_RUN (1u << 0)
#define CRU_USER_CONTROL_CORE_RESET (1u << 1)
#define CRU_USER_CONTROL_LED 0x78
#define CRU_USER_CONTROL_GBT_TX_RESET (1u << 7) /* FIFOs; both are pulses */
#define CRU_USER_CONTROL_GBT_RX_RESET (1u << 8)
#define CRU_USER_CONTROL_CRU_ID_SHIFT 16
#define CRU_USER_CONTROL_CRU_ID 0x0fff0000
#define CRU_MUX(n) (0x1c + 4 * ((n) / 8)) /* physical link n 0..23, 4 bits each */
#define CRU_MUX_SHIFT(n) (4 * ((n) % 8))
#define CRU_MUX_PHYSICAL(e, l) ((l) + 12 * (e))
#define CRU_MUX_MASK 0xf
#define CRU_MUX_TTC 0
#define CRU_MUX_DDG 1
#define CRU_MUX_SWT 2
#define CRU_MUX_TTCUP 3
#define CRU_MUX_UL 4

/* BSP housekeeping */
#define CRU_GPIO_IN 0x10000
#define CRU_GPIO_OUT 0x10004
#define CRU_TEMPERATURE 0x10008
#define CRU_TEMPERATURE_RAW 0x3ff /* 0: no value; degC = raw * RANGE / 1024 - ZERO */
#define CRU_TEMPERATURE_RANGE 693
#define CRU_TEMPERATURE_ZERO 265
#define CRU_TEMPERATURE_LIMIT_SW 0x1000c
#define CRU_TEMPERATURE_LIMIT_HW 0x10010
#define CRU_CHIP_ID_HIGH 0x10014
#define CRU_CHIP_ID_LOW 0x10018
#define CRU_SPARE_IN 0x1001c /* changes while the 240 MHz clock runs */
/* VCC, 1V8 all, VCCR, VCCT, VCCPT, 1V8, 3V3, 2V5, 12V, 12V ATX, external ADC, unused, constant */
#define CRU_SUPPLY(n) (0x10020 + 4 * (n))
#define CRU_SUPPLIES 15

/* Remote system update: reloads the FPGA */
#define CRU_RSU 0x20000
#define CRU_RSU_SIZE 0x10000
#define CRU_RSU_CONDITION 0x20000
#define CRU_RSU_WATCHDOG_TIMEOUT 0x20008
#define CRU_RSU_WATCHDOG_ENABLE 0x2000c
#define CRU_RSU_PAGE 0x20010
#define CRU_RSU_MODE 0x20014
#define CRU_RSU_CONTROL 0x20018

/* Serial number, beside the I2C core of the EEPROM */
#define CRU_SERIAL_LOAD 0x30804
#define CRU_SERIAL_LOAD_GO 0x2
#define CRU_SERIAL_LOAD_MS 40
#define CRU_SERIAL 0x30818 /* four ASCII digits, first in the low byte */

/* Datapath wrapper of endpoint e */
#define CRU_DATAPATH(e) (0x600000 + 0x100000 * (e))
#define CRU_DATAPATH_ENABLE 0x00
#define CRU_DATAPATH_LINKS 0x0000ffff
#define CRU_DATAPATH_USER_COMMON (1u << 30) /* user logic in addition to the links, not instead */
#define CRU_DATAPATH_DYNAMIC_OFFSET (1u << 31)
#define CRU_LINK_RUN_STATISTICS(e) (13 + (e))
#define CRU_LINK_USER_LOGIC 15
#define CRU_DATAPATH_GENERATOR 0x04
#define CRU_DATAPATH_GENERATOR_RESET (1u << 0) /* pulse */
#define CRU_DATAPATH_GENERATOR_ENABLE (1u << 1)
#define CRU_DATAPATH_GENERATOR_INJECT (1u << 2) /* pulse */
#define CRU_DATAPATH_GENERATOR_SOURCE (1u << 31)
#define CRU_DATAPATH_GENERATOR_STATUS 0x08
#define CRU_DATAPATH_FIFO_LEVEL 0x0c
#define CRU_DATAPATH_TOTAL_WORDS 0x10
#define CRU_DATAPATH_DROPPED_WORDS 0x14
#define CRU_DATAPATH_TOTAL_PACKETS 0x18
#define CRU_DATAPATH_DROPPED_PACKETS 0x1c
#define CRU_DATAPATH_HEARTBEAT 0x20
#define CRU_DATAPATH_CORE_CLOCK(n) (0x24 + 4 * (n)) /* 0, 1 */
#define CRU_DATAPATH_PACKET_RATE 0x2c
#define CRU_DATAPATH_DROPPED_RATE 0x30
#define CRU_DATAPATH_TRIGGER_WINDOW 0x34 /* GBT words */
#define CRU_DATAPATH_TRIGGER_WINDOW_MAX 65535
#define CRU_DATAPATH_DROP_BAD_RDH 0x38 /* any value other than 0 enables it */
#define CRU_DATAPATH_FLOW_CONTROL 0xc0000
#define CRU_DATAPATH_FLOW_CONTROL_REJECT (1u << 0) /* heartbeat frames may be rejected */
#define CRU_DATAPATH_FLOW_REJECTED 0xc0004
#define CRU_DATAPATH_FLOW_TOTAL 0xc0008
#define CRU_DATAPATH_LINK(e, l) (CRU_DATAPATH(e) + 0x40000 + 0x2000 * (l))
#define CRU_DPL_CONTROL 0x00
#define CRU_DPL_CONTROL_LENGTH 0x1ff
#define CRU_DPL_CONTROL_LENGTH_DEFAULT 0x1fc
#define CRU_DPL_CONTROL_PACKET (1u << 31) /* not streaming */
#define CRU_DPL_IDS 0x04		  /* [15:0] FEE id, [23:16] system id */
#define CRU_DPL_IDS_FEE 0x0000ffff
#define CRU_DPL_IDS_SYSTEM 0x00ff0000
#define CRU_DPL_IDS_SYSTEM_SHIFT 16
#define CRU_DPL_REJECTED 0x08
#define CRU_DPL_ACCEPTED 0x0c
#define CRU_DPL_FORCED 0x10
#define CRU_DPL_PROCESSED 0x14
#define CRU_DPL_ERROR_PROTOCOL 0x18
#define CRU_DPL_ERROR_CHECK1 0x1c
#define CRU_DPL_ERROR_CHECK1_RDH_SHIFT 16 /* 8 bits: bad headers dropped */
#define CRU_DPL_ERROR_CHECK2 0x20
#define CRU_DPL_ERROR_OVERSIZE 0x24
#define CRU_DPL_ORBIT_SOR 0x28
#define CRU_DPL_FIRST_ORBIT 0x2c /* link 0 only */
#define CRU_ORBIT_UNKNOWN 0xffffffff

/* Serial flash, from which the FPGA loads its firmware at power-on */
#define CRU_FLASH 0xa00000
#define CRU_FLASH_SIZE 0x200000
#define CRU_FLASH_CSR 0xa00000
#define CRU_FLASH_DATA 0xb00000
#define CRU_FLASH_WRITE_DATA 0xb00004

/* User logic */
#define CRU_UL_ID 0xc00000
#define CRU_UL_HASH 0xc00004
#define CRU_UL_DATE 0xc00008
#define CRU_UL_TIME 0xc0000c
#define CRU_UL_RESET 0xc80000
#define CRU_UL_EVENT_SIZE 0xc80004  /* 128-bit words */
#define CRU_UL_RANDOM_SIZE 0xc80008 /* reads 1 when on; writing 1 toggles it */
#define CRU_UL_RANDOM_SIZE_TOGGLE 1
#define CRU_UL_SYSTEM_ID 0xc8000c
#define CRU_UL_LINK_ID 0xc80010

/* Downlink data generator */
#define CRU_DDG_CONTROL 0xd00000
#define CRU_DDG_IDLE 0xd00004
#define CRU_DDG_RANDOM_RANGE 0xd00008
#define CRU_DDG_TRIGGER_MASK 0xd0000c
#define CRU_DDG_PACKETS 0xd00010
#define CRU_DDG_MISSED_TRIGGERS 0xd00014

/* Slow control: one page per GBT channel n 0..23 */
#define CRU_SLOW_CONTROL(n) (0xf00000 + 0x100 * (n))
#define CRU_SLOW_CONTROL_RESET 0x7c /* write 1, 0 */

#include "cru_i2c_regs.h"
#include "cru_ttc_regs.h"
#include "cru_gbt_regs.h"

/* Times that the card's documentation requires, in ms. */
#define CRU_RESET_WAIT_MS 100 /* after each write to CRU_RESET_CONTROL */
#define CRU_START_WAIT_MS 10  /* after CRU_DMA_CONTROL_START */

/* The size entry: bytes used and number of the superpage modulo 256. */
#define CRU_SP_SIZE_ENTRY(index, bytes)                                                            \
	(((unsigned int)(index) << CRU_SP_SIZE_INDEX_SHIFT) | ((bytes)&CRU_SP_SIZE_BYTES))

#endif /* CRU_REGS_H */
