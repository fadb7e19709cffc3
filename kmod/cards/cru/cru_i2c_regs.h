/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ALICE CRU, BAR2: the I2C cores and the chips behind them. Included by cru_regs.h.
 */
#ifndef CRU_I2C_REGS_H
#define CRU_I2C_REGS_H

/* I2C cores */
#define CRU_I2C_TEMPERATURE 0x30000
#define CRU_I2C_SFP1 0x30200
#define CRU_I2C_MINIPOD 0x30300
#define CRU_I2C_SI5344 0x30400
#define CRU_I2C_SI5345_1 0x30500
#define CRU_I2C_SI5345_2 0x30600
#define CRU_I2C_SFP2 0x30700
#define CRU_I2C_EEPROM 0x30800
#define CRU_I2C_CONFIG 0x00 /* offsets from a core */
#define CRU_I2C_CONFIG_CHIP_SHIFT 16
#define CRU_I2C_CONFIG_CHIP 0x007f0000
#define CRU_I2C_CONFIG_REG_SHIFT 8
#define CRU_I2C_CONFIG_REG 0x0000ff00
#define CRU_I2C_CONFIG_DATA 0x000000ff
#define CRU_I2C_COMMAND 0x04 /* strobes: write the value, then 0 */
#define CRU_I2C_WRITE (1u << 0)
#define CRU_I2C_READ (1u << 1)
#define CRU_I2C_PROBE (1u << 2)
#define CRU_I2C_RESET (1u << 3)
#define CRU_I2C_DATA 0x10
#define CRU_I2C_DATA_DONE (1u << 31) /* a chip acknowledged */
#define CRU_I2C_DATA_VALUE 0xff
#define CRU_I2C_POLL_US 100 /* between polls of CRU_I2C_DATA_DONE, of which there is at least one */
#define CRU_I2C_POLLS 10
#define CRU_I2C_CHIPS 0x80			     /* addresses */
#define CRU_I2C_CHIP_LTC2990(n) (0x4c + (n) + !!(n)) /* 0..2: 0x4c, 0x4e, 0x4f */
#define CRU_I2C_CHIP_EEPROM 0x50
#define CRU_EEPROM_TEXT_MAX 125
#define CRU_I2C_CHIP_SFP_DIAGNOSTICS 0x51
#define CRU_SFP_RX_POWER 0x68 /* MSB first, 0.1 uW */
#define CRU_I2C_CHIP_PLL 0x68
#define CRU_PLL_PAGE 0x01
#define CRU_PLL_INPUT 0x052a /* of Si5345 #2 */
#define CRU_PLL_INPUT_SHIFT 1
#define CRU_PLL_INPUT_MASK 0x3
#define CRU_PLL_INPUT_LOCAL 0 /* others: TTC */
#define CRU_PLL_INPUT_TTC 1
#define CRU_PLL_NVM_WRITE 0x00e3 /* burns the registers into memory that allows two more writes */
#define CRU_PLL_PREAMBLE 0x0540	 /* 1 before, 0 after; a pause follows each; page of the input */
#define CRU_PLL_PREAMBLE_ON (1u << 0)
/* Possible addresses of receivers; the board's wiring selects one for each. */
#define CRU_MINIPOD_RECEIVERS 0x30
#define CRU_MINIPOD_ADDRESSES 8
#define CRU_MINIPOD_TYPE 177
#define CRU_MINIPOD_TYPE_RECEIVER 50
#define CRU_MINIPOD_POWER(n) (64 + 2 * (n)) /* 0..11, MSB first, 0.1 uW */
#define CRU_MINIPOD_CHANNELS 12
/* Index of the value of a link among the values of all receivers in order of their addresses. */
#define CRU_MINIPOD_OF_LINK(e, l) (11 - (l) + 12 * (e))

#endif /* CRU_I2C_REGS_H */
