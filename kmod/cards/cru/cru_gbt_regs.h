/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ALICE CRU, BAR2: GBT wrappers, their links, and the transceivers behind them. Included by
 * cru_regs.h.
 */
#ifndef CRU_GBT_REGS_H
#define CRU_GBT_REGS_H

/* GBT wrapper w, bank b, link k in the bank */
#define CRU_WRAPPER(w) (0x400000 + 0x100000 * (w))
#define CRU_WRAPPER_CONFIG0 0x00 /* links of bank b: 4 bits at CRU_WRAPPER_BANK_SHIFT(b) */
#define CRU_WRAPPER_BANK_SHIFT(b) (4 * (b) + 4)
#define CRU_WRAPPER_CONFIG1 0x04
#define CRU_WRAPPER_TEST 0x08
#define CRU_WRAPPER_TEST_8BIT (1u << 7)	       /* test counter of 8 bits, not 30 */
#define CRU_WRAPPER_CLOCK 0x0c		       /* changes if the wrapper is present */
#define CRU_WRAPPER_REFCLK(n) (0x10 + 4 * (n)) /* 0..3, Hz */
#define CRU_WRAPPER_ATX_PLL 0xe0000
#define CRU_GBT_BANK(w, b) (CRU_WRAPPER(w) + 0x20000 * ((b) + 1))
#define CRU_GBT_BANK_FPLL 0xe000
#define CRU_GBT_LINK(w, b, k) (CRU_GBT_BANK(w, b) + 0x2000 * ((k) + 1))
#define CRU_GBT_BANK_LINKS 6 /* the only supported layout */
/* Link l of endpoint e, with one wrapper of that layout */
#define CRU_GBT(e, l) CRU_GBT_LINK(0, 2 * (e) + ((l)&1), (l) >> 1)
#define CRU_GBT_STATUS 0x00
#define CRU_GBT_PLL_LOCKED (1u << 8)
#define CRU_GBT_RX_LOCKED (1u << 10)
#define CRU_GBT_DATA_UP (1u << 11)
#define CRU_GBT_PHY_UP (1u << 13)
#define CRU_GBT_PHY_WAS_DOWN (1u << 14) /* sticky; also shows that it is down */
#define CRU_GBT_DATA_WAS_DOWN (1u << 15)
#define CRU_GBT_TX_CLOCK 0x04 /* Hz */
#define CRU_GBT_RX_CLOCK 0x08 /* Hz */
#define CRU_GBT_FRAME 0x0c
#define CRU_GBT_DATA_ERRORS 0x10 /* test pattern */
#define CRU_GBT_FEC_ERRORS 0x1c
#define CRU_GBT_FEC_ERRORS_MASK 0xffff
#define CRU_GBT_MASK_HIGH 0x20
#define CRU_GBT_MASK_MEDIUM 0x24
#define CRU_GBT_MASK_LOW 0x28
#define CRU_GBT_TX_CONTROL 0x2c
#define CRU_GBT_RX_CONTROL 0x3c
#define CRU_GBT_WIDE_BUS (1u << 8) /* in both of them */
#define CRU_GBT_RX_DDG_SHORTCUT (1u << 16)
#define CRU_GBT_SOURCE 0x30
#define CRU_GBT_SOURCE_RESET (1u << 0)	  /* pulse */
#define CRU_GBT_SOURCE_GENERATOR 0x6	  /* both bits: test generator, none: upstream data */
#define CRU_GBT_SOURCE_LOOPBACK (1u << 4) /* internal, serial */
#define CRU_GBT_SOURCE_STATIC (1u << 5)	  /* test pattern: static, not a counter */
#define CRU_GBT_SOURCE_CLEAR (1u << 6)	  /* pulse: error counters */
#define CRU_GBT_CLEAR_STICKY 0x38	  /* write 0 */
#define CRU_GBT_GLITCHES 0x44
#define CRU_GBT_TRANSCEIVER 0x1000 /* reconfiguration space of a link */

/* Reconfiguration spaces: one byte register r in each word */
#define CRU_RECONF(r) (4 * (r))
#define CRU_RECONF_ARBITRATION 0x000
#define CRU_RECONF_ARBITRATION_REQUEST 0x02
#define CRU_RECONF_ARBITRATION_RELEASE 0x01
#define CRU_RECONF_CALIBRATE 0x100
#define CRU_RECONF_CALIBRATE_ATX (1u << 0)
#define CRU_RECONF_CALIBRATE_RX (1u << 1)
#define CRU_RECONF_CALIBRATE_FPLL (1u << 1)
#define CRU_RECONF_CALIBRATE_TX (1u << 5)
#define CRU_RECONF_CALIBRATE_RX_ENABLE (1u << 6)
#define CRU_RECONF_FPLL_REF_A 0x114 /* set to the lookup at CRU_RECONF_FPLL_LOOKUP_A + r */
#define CRU_RECONF_FPLL_REF_B 0x11c
#define CRU_RECONF_FPLL_LOOKUP_A 0x117
#define CRU_RECONF_FPLL_LOOKUP_B 0x11d
#define CRU_RECONF_FPLL_FEEDBACK 0x126
#define CRU_RECONF_FPLL_FEEDBACK_BIT (1u << 0)
#define CRU_RECONF_CDR_REF 0x141 /* set to the lookup at CRU_RECONF_CDR_LOOKUP + r */
#define CRU_RECONF_CDR_LOOKUP 0x16a
#define CRU_RECONF_STATUS 0x280
#define CRU_RECONF_STATUS_CALIBRATING (1u << 1)
#define CRU_RECONF_STATUS_NOT_GRANTED (1u << 2)
#define CRU_RECONF_CAL_STATUS 0x281
#define CRU_RECONF_CAL_STATUS_BUSY (1u << 1)
#define CRU_RECONF_CAL_STATUS_RX_EN (1u << 4)
#define CRU_RECONF_CAL_STATUS_TX_EN (1u << 5)
#define CRU_RECONF_WAIT_MS 500

#endif /* CRU_GBT_REGS_H */
