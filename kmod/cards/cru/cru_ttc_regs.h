/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ALICE CRU, BAR2: timing, trigger and control: readout protocol, TTC, PON and ONU, clocks,
 * pattern player, CTP emulator. Included by cru_regs.h.
 */
#ifndef CRU_TTC_REGS_H
#define CRU_TTC_REGS_H

/* Readout protocol */
#define CRU_HBF_CONFIG 0x100000
#define CRU_HBF_CHECK_MASK 0x100004 /* [15:0] endpoint 0, [31:16] endpoint 1 */
#define CRU_HBF_ALLOCATION_FAILURES 0x100008
#define CRU_TTC_LINK_ERRORS 0x10000c /* does not change while the PON is good */
#define CRU_TTC_LINK_ERRORS_MS 10
#define CRU_HBF_NACK_DELAY 0x100010
#define CRU_VIRTUAL_IDS 0x100014 /* as CRU_DPL_IDS, for links 13, 14, 15 */

/* TTC: source and counters */
#define CRU_TTC_DATA 0x200000
#define CRU_TTC_DATA_CLOCK 0x3
#define CRU_TTC_DATA_CLOCK_TTC 0
#define CRU_TTC_DATA_CLOCK_LOCAL 2
#define CRU_TTC_DATA_DOWNSTREAM_SHIFT 16
#define CRU_TTC_DATA_DOWNSTREAM 0x00030000
#define CRU_TTC_DATA_CTP 0
#define CRU_TTC_DATA_PATTERN 1
#define CRU_TTC_DATA_MIDTRG 2
#define CRU_TTC_DATA_CLEAR_STICKY (1u << 28) /* pulse: clears CRU_ONU_STICKY */
#define CRU_TTC_HB 0x200004
#define CRU_TTC_PHY 0x200008
#define CRU_TTC_SOX_EOX 0x20000c
#define CRU_TTC_SOX 0x0f
#define CRU_TTC_EOX 0xf0
#define CRU_TTC_EOX_SHIFT 4
#define CRU_TTC_OK 0x200010
#define CRU_ONU_STICKY 0x200014 /* bits as in CRU_ONU_STATUS, 1: was bad; write 1, 0: clears */
#define CRU_ONU_STICKY_MASK 0xff
#define CRU_TTC_TOF_CAL 0x200018
#define CRU_TTC_TOF 0x0000ffff
#define CRU_TTC_CAL_SHIFT 16
#define CRU_ONU_GLITCHES 0x200020

/* TTC PON and ONU */
#define CRU_LOCK_TO_REF 0x220000
#define CRU_PON 0x222000 /* register bank */
#define CRU_REFGEN 0x222048
#define CRU_REFGEN_STROBE (1u << 31)
#define CRU_REFGEN_240MHZ 2
#define CRU_PON_ATX_PLL 0x224000
#define CRU_PON_ATX_REFCLK 0x448 /* from CRU_PON_ATX_PLL */
#define CRU_PON_ATX_REFCLK0 0x44c
#define CRU_PON_TRANSCEIVER 0x226000
#define CRU_ONU_CONTROL 0x22a000
#define CRU_ONU_CONTROL_RESET (1u << 0)
#define CRU_ONU_CONTROL_ADDRESS_SHIFT 1
#define CRU_ONU_CONTROL_ADDRESS 0x1fe
#define CRU_ONU_FEC_STATUS 0x22a004
#define CRU_ONU_FEC_CLEAR (1u << 0)
#define CRU_ONU_FEC_LATCH (1u << 1)
#define CRU_ONU_STATUS 0x22a00c
#define CRU_ONU_RX40_LOCKED (1u << 0)
#define CRU_ONU_PHASE_GOOD (1u << 1)
#define CRU_ONU_RX_LOCKED (1u << 2)
#define CRU_ONU_OPERATIONAL (1u << 3)
#define CRU_ONU_MGT_TX_READY (1u << 4)
#define CRU_ONU_MGT_RX_READY (1u << 5)
#define CRU_ONU_MGT_TX_PLL_LOCKED (1u << 6)
#define CRU_ONU_MGT_RX_PLL_LOCKED (1u << 7)
#define CRU_ONU_UPSTREAM 0x5a /* mask of the inverted sticky bits that are all set if it is up */
#define CRU_ONU_DOWNSTREAM 0xa5
#define CRU_ONU_FEC_SINGLE 0x22a020
#define CRU_ONU_FEC_DOUBLE 0x22a028
#define CRU_ONU_FEC_COUNT 0xff

/* TTC clock generator; frequencies in Hz */
#define CRU_CLOCK_CTP 0x240000
#define CRU_CLOCK_LOCAL 0x240004
#define CRU_CLOCK_PON_RX 0x240008
#define CRU_CLOCK_PON_TX 0x24000c
#define CRU_CLOCK_CONTROL 0x240010
#define CRU_CLOCK_CONTROL_FPLL_RESET (1u << 24) /* pulse */
#define CRU_CLOCK_STATUS 0x240014
#define CRU_PON_TX_PLL 0x240018
#define CRU_PON_TX_PLL_MANUAL 0x1
#define CRU_PON_TX_PLL_STEP_0 0x00300000 /* a phase step is these two writes */
#define CRU_PON_TX_PLL_STEP_1 0x00200000
#define CRU_PON_PLL_STATUS 0x24001c
#define CRU_CLOCK_NOT_OK 0x240028
#define CRU_PHASE_HISTORY 0x24002c
#define CRU_ONU_FPLL 0x248000

/* Pattern player; patterns are 80 bits in three words, low first */
#define CRU_PAT_CONFIG 0x260000
#define CRU_PAT_CONFIG_EDIT (1u << 0)
#define CRU_PAT_CONFIG_RUN_PAT2 (1u << 4) /* pulse */
#define CRU_PAT_CONFIG_RUN_PAT1 (1u << 8) /* pulse */
#define CRU_PAT_CONFIG_PAT1_AT_START (1u << 12)
#define CRU_PAT(n) ((n) == 3 ? 0x260048 : 0x260004 + 12 * (n)) /* 0 idle, 1 sync, 2 reset, 3 */
#define CRU_PAT1_LENGTH 0x260028			       /* length and delay */
#define CRU_PAT1_DELAY 0x26002c
#define CRU_PAT2_LENGTH 0x260030
#define CRU_PAT_TRIGGER(n) (0x260034 + 4 * ((n)-1)) /* 1..3: bit number in the TTC word */
#define CRU_PAT2_COUNTERS 0x260040
#define CRU_PAT2_COUNTERS_TF_SHIFT 20
#define CRU_PAT2_COUNTERS_ORBIT 0x000ff000
#define CRU_PAT2_COUNTERS_BC 0x00000fff
#define CRU_PAT3_LENGTH 0x260044

/* CTP emulator */
#define CRU_CTP_CONTROL 0x280000
#define CRU_CTP_CONTROL_RESET (1u << 31)
#define CRU_CTP_BCMAX 0x280004
#define CRU_CTP_BCMAX_LAST 3563
#define CRU_CTP_HBMAX 0x280008 /* heartbeats of a time frame - 1 */
#define CRU_CTP_PRESCALER 0x28000c
#define CRU_CTP_PRESCALER_KEEP 0x0000ffff /* comes first */
#define CRU_CTP_PRESCALER_DROP_SHIFT 16
#define CRU_CTP_RUN_MODE 0x280010
#define CRU_CTP_MODE 0x3
#define CRU_CTP_MANUAL 0
#define CRU_CTP_PERIODIC 1
#define CRU_CTP_CONTINUOUS 2
#define CRU_CTP_IDLE 3 /* entering it: EOX */
#define CRU_CTP_FLOW_CONTROL (1u << 2)
#define CRU_CTP_TRIGGER (1u << 8) /* pulse: one physics trigger, manual mode */
#define CRU_CTP_PHYSDIV 0x280014
#define CRU_CTP_PHYSDIV_OFF 7 /* no such triggers up to this value */
#define CRU_CTP_HCDIV 0x280018
#define CRU_CTP_HCDIV_OFF 10
#define CRU_CTP_USER_BITS 0x28001c
#define CRU_CTP_CALDIV 0x280020
#define CRU_CTP_CALDIV_OFF 18
#define CRU_CTP_DIV_MASK 0x0fffffff
#define CRU_CTP_FIXED_BC 0x280024 /* written CRU_CTP_FIXED_BCS times; 0: slot off */
#define CRU_CTP_FIXED_BCS 9
#define CRU_CTP_INIT_ORBIT 0x280028

#endif /* CRU_TTC_REGS_H */
