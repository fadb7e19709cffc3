// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The I2C cores and the chips on them: thermometers, one SFP module, four minipods (two receive,
 * two transmit), three clock PLLs, the EEPROM, from which the serial number is loaded.
 *
 * A command takes effect on its rising edge: software must write 0 between two commands. A chip
 * answers at once. If no chip has the address, the done bit stays 0.
 */
#include "cru.h"

#include <stdio.h>
#include <string.h>

#define SERIAL_RELOAD_NS 20000000 /* within the 40 ms the software waits */
#define CORES 9
#define CORE_STRIDE 0x100
#define TYPE_TRANSMITTER 49
#define PLL_PAGE_BYTES 256
#define STROBES (CRU_I2C_WRITE | CRU_I2C_READ | CRU_I2C_PROBE | CRU_I2C_RESET)

enum chip {
	CHIP_THERMO_0,
	CHIP_THERMO_1,
	CHIP_THERMO_2,
	CHIP_SFP,
	CHIP_SFP_DIAGNOSTICS,
	CHIP_MINIPOD_TX_0,
	CHIP_MINIPOD_TX_1,
	CHIP_MINIPOD_RX_0,
	CHIP_MINIPOD_RX_1,
	CHIP_SI5344,
	CHIP_SI5345_1,
	CHIP_SI5345_2,
	CHIP_EEPROM,
};

static const struct {
	uint32_t core;
	uint8_t addr;
	bool paged;
} chips[CRU_CHIPS] = {
	[CHIP_THERMO_0] = {CRU_I2C_TEMPERATURE, CRU_I2C_CHIP_LTC2990(0), false},
	[CHIP_THERMO_1] = {CRU_I2C_TEMPERATURE, CRU_I2C_CHIP_LTC2990(1), false},
	[CHIP_THERMO_2] = {CRU_I2C_TEMPERATURE, CRU_I2C_CHIP_LTC2990(2), false},
	[CHIP_SFP] = {CRU_I2C_SFP1, 0x50, false},
	[CHIP_SFP_DIAGNOSTICS] = {CRU_I2C_SFP1, CRU_I2C_CHIP_SFP_DIAGNOSTICS, false},
	[CHIP_MINIPOD_TX_0] = {CRU_I2C_MINIPOD, 0x28, false},
	[CHIP_MINIPOD_TX_1] = {CRU_I2C_MINIPOD, 0x29, false},
	[CHIP_MINIPOD_RX_0] = {CRU_I2C_MINIPOD, 0x30, false},
	[CHIP_MINIPOD_RX_1] = {CRU_I2C_MINIPOD, 0x31, false},
	[CHIP_SI5344] = {CRU_I2C_SI5344, CRU_I2C_CHIP_PLL, true},
	[CHIP_SI5345_1] = {CRU_I2C_SI5345_1, CRU_I2C_CHIP_PLL, true},
	[CHIP_SI5345_2] = {CRU_I2C_SI5345_2, CRU_I2C_CHIP_PLL, true},
	[CHIP_EEPROM] = {CRU_I2C_EEPROM, CRU_I2C_CHIP_EEPROM, false},
};

static uint8_t *chip_regs(struct cru *c, enum chip n)
{
	return c->board.chip[n].reg;
}

uint32_t cru_pll_input(struct cru *c)
{
	return chip_regs(c, CHIP_SI5345_2)[CRU_PLL_INPUT] >> CRU_PLL_INPUT_SHIFT &
	       CRU_PLL_INPUT_MASK;
}

bool cru_pll_open(struct cru *c)
{
	return chip_regs(c, CHIP_SI5344)[CRU_PLL_PREAMBLE] ||
	       chip_regs(c, CHIP_SI5345_1)[CRU_PLL_PREAMBLE] ||
	       chip_regs(c, CHIP_SI5345_2)[CRU_PLL_PREAMBLE];
}

static void put_be16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static int temperature_sixteenths(struct cru *c)
{
	uint32_t raw = cru_temperature_raw(c);

	return (int)(raw * 693 * 16 / 1024) - 265 * 16;
}

/* Update the values that chips measure. */
static void measure(struct cru *c)
{
	int t = temperature_sixteenths(c);
	unsigned int i, e, l;

	for (i = CHIP_THERMO_0; i <= CHIP_THERMO_2; i++) {
		uint8_t *reg = chip_regs(c, i);

		reg[0] = 0x02;				  /* internal temperature is ready */
		put_be16(&reg[4], 0x8000 | (t & 0x1fff)); /* valid, 1/16 degree */
	}
	put_be16(&chip_regs(c, CHIP_SFP_DIAGNOSTICS)[96], t * 16);
	put_be16(&chip_regs(c, CHIP_SFP_DIAGNOSTICS)[CRU_SFP_RX_POWER], c->board.pon_power);
	for (e = 0; e < CRU_ENDPOINTS; e++) {
		for (l = 0; l < CRU_GBT_LINKS; l++) {
			unsigned int n = CRU_MINIPOD_OF_LINK(e, l);
			uint8_t *reg = chip_regs(c, CHIP_MINIPOD_RX_0 + n / CRU_MINIPOD_CHANNELS);

			put_be16(&reg[CRU_MINIPOD_POWER(n % CRU_MINIPOD_CHANNELS)],
				 c->board.gbt[e][l].power);
		}
	}
}

static struct cru_chip *find_chip(struct cru *c, uint32_t core, uint32_t addr)
{
	unsigned int i;

	if (c->ep[0].fault.i2c_silent || c->ep[1].fault.i2c_silent)
		return NULL;
	for (i = 0; i < CRU_CHIPS; i++) {
		if (c->board.chip[i].core == core && c->board.chip[i].addr == addr)
			return &c->board.chip[i];
	}
	return NULL;
}

/* A changed clock invalidates calibrations that were made for the old one. */
static void write_chip(struct cru *c, struct cru_chip *chip, uint32_t reg, uint32_t value)
{
	uint32_t at = chip->page * PLL_PAGE_BYTES + reg;

	if (chip->paged && reg == CRU_PLL_PAGE) {
		chip->page = value % CRU_CHIP_PAGES;
		return;
	}
	if (chip->paged && chip->reg[at] != value &&
	    ((at == CRU_PLL_PREAMBLE && !value) ||
	     (at == CRU_PLL_INPUT && chip->core == CRU_I2C_SI5345_2)))
		c->board.epoch++;
	chip->reg[at] = value;
}

static uint32_t read_chip(const struct cru_chip *chip, uint32_t reg)
{
	if (chip->paged && reg == CRU_PLL_PAGE)
		return chip->page;
	return chip->reg[chip->page * PLL_PAGE_BYTES + reg];
}

static void command(struct cru *c, uint32_t core, uint32_t strobe)
{
	uint32_t config = *cru_bar2_word(c, core + CRU_I2C_CONFIG);
	uint32_t reg = (config & CRU_I2C_CONFIG_REG) >> CRU_I2C_CONFIG_REG_SHIFT;
	uint32_t *data = cru_bar2_word(c, core + CRU_I2C_DATA);
	struct cru_chip *chip;

	*data = 0;
	if (strobe & CRU_I2C_RESET)
		return;
	chip = find_chip(c, core, (config & CRU_I2C_CONFIG_CHIP) >> CRU_I2C_CONFIG_CHIP_SHIFT);
	if (!chip)
		return;
	measure(c);
	if (strobe & CRU_I2C_WRITE)
		write_chip(c, chip, reg, config & CRU_I2C_CONFIG_DATA);
	if (strobe & CRU_I2C_READ)
		*data = read_chip(chip, reg);
	*data |= CRU_I2C_DATA_DONE;
	if (strobe & CRU_I2C_WRITE && chip->paged)
		c->board.changed = true;
}

uint32_t cru_serial_read(struct cru *c, uint32_t off, bool peek)
{
	struct cru_faults *f0 = &c->ep[0].fault, *f1 = &c->ep[1].fault;

	if (c->serial_due && cru_now(c) >= c->serial_due) {
		*cru_bar2_word(c, off) = c->serial;
		c->serial_due = 0;
		f0->drop_serial = 0;
		f1->drop_serial = 0;
	}
	if (f0->drop_serial || f1->drop_serial || f0->no_serial || f1->no_serial)
		return 0;
	return *cru_bar2_word(c, off);
}

static void serial_load(struct cru *c, uint32_t value)
{
	if (value == CRU_SERIAL_LOAD_GO)
		c->serial_due = cru_now(c) + SERIAL_RELOAD_NS;
}

static void write_command(struct cru *c, uint32_t off, uint32_t value)
{
	uint32_t strobe = value & ~*cru_bar2_word(c, off) & STROBES;

	*cru_bar2_word(c, off) = value;
	if (off == CRU_SERIAL_LOAD)
		serial_load(c, value);
	if (strobe)
		command(c, off - CRU_I2C_COMMAND, strobe);
}

void cru_i2c_serial(struct cru *c, const char *digits)
{
	snprintf(
		(char *)chip_regs(c, CHIP_EEPROM), CRU_EEPROM_TEXT_MAX,
		"{\"cn\":\"FEC_PCIe40\",\"dt\":\"2018-11-05\",\"io\":\"24/24\",\"pn\":\"p40_fv22b%s\"}",
		digits);
}

void cru_i2c_power_on(struct cru *c)
{
	unsigned int i;

	for (i = 0; i < CRU_CHIPS; i++) {
		struct cru_chip *chip = &c->board.chip[i];

		memset(chip, 0, sizeof(*chip));
		chip->core = chips[i].core;
		chip->addr = chips[i].addr;
		chip->paged = chips[i].paged;
	}
	chip_regs(c, CHIP_SFP)[0] = 0x03; /* an SFP module */
	chip_regs(c, CHIP_MINIPOD_TX_0)[CRU_MINIPOD_TYPE] = TYPE_TRANSMITTER;
	chip_regs(c, CHIP_MINIPOD_TX_1)[CRU_MINIPOD_TYPE] = TYPE_TRANSMITTER;
	chip_regs(c, CHIP_MINIPOD_RX_0)[CRU_MINIPOD_TYPE] = CRU_MINIPOD_TYPE_RECEIVER;
	chip_regs(c, CHIP_MINIPOD_RX_1)[CRU_MINIPOD_TYPE] = CRU_MINIPOD_TYPE_RECEIVER;
	/* part numbers, low byte first */
	chip_regs(c, CHIP_SI5344)[2] = 0x44;
	chip_regs(c, CHIP_SI5345_1)[2] = 0x45;
	chip_regs(c, CHIP_SI5345_2)[2] = 0x45;
	for (i = CHIP_SI5344; i <= CHIP_SI5345_2; i++)
		chip_regs(c, i)[3] = 0x53;
	chip_regs(c, CHIP_SI5345_2)[CRU_PLL_INPUT] = 0x01; /* local clock */
}

#define EVERY_CORE                                                                                 \
	{                                                                                          \
		CORES, CORE_STRIDE                                                                 \
	}

const struct bar2_reg cru_i2c_regs[] = {
	{CRU_I2C_TEMPERATURE + CRU_I2C_COMMAND, {EVERY_CORE}, .write = write_command},
	{CRU_I2C_TEMPERATURE + CRU_I2C_DATA, {EVERY_CORE}, 0, RO},
	BAR2_END,
};
