// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU's I2C cores and chips, used as the real software does.
 */
#include "tests/unit/emu/emu_host.h"

#define DONE CRU_I2C_DATA_DONE
#define PLL CRU_I2C_CHIP_PLL

static uint32_t strobe(uint32_t core, uint32_t command)
{
	wr2(core + CRU_I2C_COMMAND, command);
	wr2(core + CRU_I2C_COMMAND, 0);
	return rd2(core + CRU_I2C_DATA);
}

static bool present(uint32_t core, uint32_t chip)
{
	wr2(core + CRU_I2C_CONFIG, chip << CRU_I2C_CONFIG_CHIP_SHIFT);
	return strobe(core, CRU_I2C_PROBE) & DONE;
}

static uint32_t get(uint32_t core, uint32_t chip, uint32_t reg)
{
	wr2(core + CRU_I2C_CONFIG,
	    chip << CRU_I2C_CONFIG_CHIP_SHIFT | reg << CRU_I2C_CONFIG_REG_SHIFT);
	return strobe(core, CRU_I2C_READ);
}

static uint32_t put(uint32_t core, uint32_t chip, uint32_t reg, uint32_t value)
{
	wr2(core + CRU_I2C_CONFIG,
	    chip << CRU_I2C_CONFIG_CHIP_SHIFT | reg << CRU_I2C_CONFIG_REG_SHIFT | value);
	return strobe(core, CRU_I2C_WRITE);
}

static void pll_put(uint32_t core, uint32_t address, uint32_t value)
{
	put(core, PLL, CRU_PLL_PAGE, address >> 8);
	put(core, PLL, address & 0xff, value);
}

static uint32_t value16(uint32_t core, uint32_t chip, uint32_t reg)
{
	return (get(core, chip, reg) & 0xff) << 8 | (get(core, chip, reg + 1) & 0xff);
}

static void probe(void)
{
	static const struct {
		uint32_t core;
		const char *chips;
	} expect[] = {
		{CRU_I2C_TEMPERATURE, "4c 4e 4f "},
		{CRU_I2C_SFP1, "50 51 "},
		{CRU_I2C_MINIPOD, "28 29 30 31 "},
		{CRU_I2C_SI5344, "68 "},
		{CRU_I2C_SI5345_1, "68 "},
		{CRU_I2C_SI5345_2, "68 "},
		{CRU_I2C_SFP2, ""},
		{CRU_I2C_EEPROM, "50 "},
	};
	unsigned int i, chip;
	char found[64];

	host_begin();
	for (i = 0; i < sizeof(expect) / sizeof(expect[0]); i++) {
		found[0] = '\0';
		for (chip = 0; chip < 0x80; chip++) {
			strobe(expect[i].core, CRU_I2C_RESET);
			if (present(expect[i].core, chip))
				sprintf(found + strlen(found), "%x ", chip);
		}
		UNIT_STR(found, expect[i].chips);
	}
	host_end();
}

static void done_bit(void)
{
	uint32_t data = CRU_I2C_SFP1 + CRU_I2C_DATA;

	host_begin();
	UNIT_EQ(rd2(data), 0);
	UNIT_EQ(get(CRU_I2C_SFP1, 0x50, 0), DONE | 3);
	wr2(data, 0);
	UNIT_EQ(rd2(data), DONE | 3);
	UNIT_EQ(strobe(CRU_I2C_SFP1, CRU_I2C_RESET), 0);
	UNIT_EQ(get(CRU_I2C_SFP1, 0x22, 0), 0);
	/* A command needs a rising edge: without a 0 in between nothing happens. */
	wr2(CRU_I2C_SFP1 + CRU_I2C_CONFIG, 0x50 << 16);
	wr2(CRU_I2C_SFP1 + CRU_I2C_COMMAND, CRU_I2C_READ);
	UNIT_EQ(rd2(data), DONE | 3);
	wr2(CRU_I2C_SFP1 + CRU_I2C_CONFIG, 0x50 << 16 | 1 << 8);
	wr2(CRU_I2C_SFP1 + CRU_I2C_COMMAND, CRU_I2C_READ);
	UNIT_EQ(rd2(data), DONE | 3);
	wr2(CRU_I2C_SFP1 + CRU_I2C_COMMAND, 0);
	fault(0, "i2c-silent", 1);
	UNIT_EQ(get(CRU_I2C_SFP1, 0x50, 0), 0);
	host_end();
}

static void optical_power(void)
{
	unsigned int l;

	host_begin();
	UNIT_EQ(get(CRU_I2C_MINIPOD, 0x30, CRU_MINIPOD_TYPE), DONE | CRU_MINIPOD_TYPE_RECEIVER);
	UNIT_EQ(get(CRU_I2C_MINIPOD, 0x31, CRU_MINIPOD_TYPE), DONE | CRU_MINIPOD_TYPE_RECEIVER);
	CU_ASSERT(get(CRU_I2C_MINIPOD, 0x28, CRU_MINIPOD_TYPE) !=
		  (DONE | CRU_MINIPOD_TYPE_RECEIVER));
	key(0, "optical-power", "0=1.1,3=300.4,11=6553.5");
	key(1, "optical-power", "2=77.7");
	/* v[11 - l] for endpoint 0, v[23 - l] for endpoint 1: the second receiver. */
	UNIT_EQ(value16(CRU_I2C_MINIPOD, 0x30, 64 + 2 * 11), 11);
	UNIT_EQ(value16(CRU_I2C_MINIPOD, 0x30, 64 + 2 * 8), 3004);
	UNIT_EQ(value16(CRU_I2C_MINIPOD, 0x30, 64), 65535);
	UNIT_EQ(value16(CRU_I2C_MINIPOD, 0x31, 64 + 2 * 9), 777);
	for (l = 0; l < 12; l++) {
		if (l != 0 && l != 3 && l != 11)
			UNIT_EQ(value16(CRU_I2C_MINIPOD, 0x30, CRU_MINIPOD_POWER(11 - l)), 5000);
	}
	host_end();
}

static void pon_power(void)
{
	host_begin();
	UNIT_EQ(value16(CRU_I2C_SFP1, 0x51, CRU_SFP_RX_POWER), 1000);
	key(0, "pon-power", "31.6");
	UNIT_EQ(value16(CRU_I2C_SFP1, 0x51, CRU_SFP_RX_POWER), 316);
	host_end();
}

static void thermometers(void)
{
	uint32_t t;

	host_begin();
	key(0, "temperature", "60");
	t = value16(CRU_I2C_TEMPERATURE, 0x4e, 4);
	CU_ASSERT(t & 0x8000);
	/* In sixteenths of a degree, as near as the raw value allows. */
	CU_ASSERT((t & 0x1fff) > 59.3 * 16 && (t & 0x1fff) < 60.7 * 16);
	host_end();
}

static void eeprom(void)
{
	char text[CRU_EEPROM_TEXT_MAX + 1] = "";
	unsigned int i;

	host_begin();
	key(0, "serial", "312");
	for (i = 0; i < CRU_EEPROM_TEXT_MAX; i++) {
		text[i] = get(CRU_I2C_EEPROM, CRU_I2C_CHIP_EEPROM, i);
		if (text[i] == '}')
			break;
	}
	CU_ASSERT(text[0] == '{' && strchr(text, '}'));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"pn\":\"p40_fv22b0312\""));
	host_end();
}

/* Reading the EEPROM core and loading the serial number are the same write. */
static void serial_register(void)
{
	host_begin();
	fault(0, "no-serial", 1);
	UNIT_EQ(rd2(CRU_SERIAL), 0);
	wr2(CRU_SERIAL_LOAD, CRU_SERIAL_LOAD_GO);
	host.now += CRU_SERIAL_LOAD_MS * 1000000;
	UNIT_EQ(rd2(CRU_SERIAL), 0);
	UNIT_EQ(cru_card.fault_clear(host.card, 0, "no-serial"), true);
	UNIT_EQ(rd2(CRU_SERIAL), 0x35343230);
	host_end();
}

static void pll_pages(void)
{
	uint32_t core = CRU_I2C_SI5345_1;

	host_begin();
	/* The part number, on page 0. */
	UNIT_EQ(get(core, PLL, 2), DONE | 0x45);
	UNIT_EQ(get(core, PLL, 3), DONE | 0x53);
	UNIT_EQ(get(CRU_I2C_SI5344, PLL, 2), DONE | 0x44);
	pll_put(core, 0x0302, 0x77);
	pll_put(core, 0x0b02, 0x88);
	UNIT_EQ(get(core, PLL, CRU_PLL_PAGE), DONE | 0xb);
	UNIT_EQ(get(core, PLL, 2), DONE | 0x88);
	put(core, PLL, CRU_PLL_PAGE, 3);
	UNIT_EQ(get(core, PLL, 2), DONE | 0x77);
	put(core, PLL, CRU_PLL_PAGE, 0);
	UNIT_EQ(get(core, PLL, 2), DONE | 0x45);
	host_end();
}

static uint32_t selected(void)
{
	uint32_t value;

	strobe(CRU_I2C_SI5345_2, CRU_I2C_RESET);
	put(CRU_I2C_SI5345_2, PLL, CRU_PLL_PAGE, CRU_PLL_INPUT >> 8);
	value = get(CRU_I2C_SI5345_2, PLL, CRU_PLL_INPUT & 0xff);
	UNIT_EQ(value & DONE, DONE);
	return value >> CRU_PLL_INPUT_SHIFT & CRU_PLL_INPUT_MASK;
}

static void reconf(uint32_t space, uint32_t reg, uint32_t value)
{
	wr2(space + CRU_RECONF(reg), value);
}

static void copy(uint32_t space, uint32_t to, uint32_t from)
{
	reconf(space, to, rd2(space + CRU_RECONF(from)));
}

/* A calibration requested with @bits begins when the arbitration is returned. */
static void calibrate(uint32_t space, uint32_t bits)
{
	reconf(space, CRU_RECONF_ARBITRATION, CRU_RECONF_ARBITRATION_REQUEST);
	reconf(space, CRU_RECONF_CAL_STATUS, 0);
	reconf(space, CRU_RECONF_CALIBRATE, bits);
	reconf(space, CRU_RECONF_ARBITRATION, CRU_RECONF_ARBITRATION_RELEASE);
}

/* A link is up when all three of its parts were calibrated for the clock. */
static void calibrate_link(uint32_t link)
{
	uint32_t transceiver = link + CRU_GBT_TRANSCEIVER;
	uint32_t fpll = CRU_GBT_BANK(0, 0) + CRU_GBT_BANK_FPLL;

	UNIT_EQ(rd2(link), 0xc100);
	calibrate(transceiver, CRU_RECONF_CALIBRATE_TX | CRU_RECONF_CALIBRATE_RX);
	copy(fpll, CRU_RECONF_FPLL_REF_A, CRU_RECONF_FPLL_LOOKUP_A + 2);
	copy(fpll, CRU_RECONF_FPLL_REF_B, CRU_RECONF_FPLL_LOOKUP_B + 2);
	calibrate(fpll, CRU_RECONF_CALIBRATE_FPLL);
	/* The receiver had another reference. */
	UNIT_EQ(rd2(link), 0xc100);
	copy(transceiver, CRU_RECONF_CDR_REF, CRU_RECONF_CDR_LOOKUP + 2);
	calibrate(transceiver, CRU_RECONF_CALIBRATE_RX);
	UNIT_EQ(rd2(link), 0xed00);
	/* Nor while it is in reset. */
	wr2(CRU_USER_CONTROL, CRU_USER_CONTROL_GBT_RX_RESET);
	UNIT_EQ(rd2(link), 0xc100);
	wr2(CRU_USER_CONTROL, 0);
}

static void clock_change(void)
{
	uint32_t link = CRU_GBT(0, 0);

	host_begin();
	key(0, "clock-ctp", "240474001");
	UNIT_EQ(selected(), CRU_PLL_INPUT_LOCAL);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 240474000);
	pll_put(CRU_I2C_SI5345_2, CRU_PLL_PREAMBLE, 1);
	/* While a table is written the links have no clock. */
	UNIT_EQ(rd2(link), 0xc000);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 0);
	UNIT_EQ(rd2(CRU_WRAPPER(0) + CRU_WRAPPER_CLOCK), rd2(CRU_WRAPPER(0) + CRU_WRAPPER_CLOCK));
	pll_put(CRU_I2C_SI5345_2, CRU_PLL_INPUT, 0x03);
	UNIT_EQ(rd2(link), 0xc000);
	pll_put(CRU_I2C_SI5345_2, CRU_PLL_PREAMBLE, 0);
	calibrate_link(link);
	UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 240474001);
	UNIT_EQ(rd2(link + CRU_GBT_RX_CLOCK), 240474001);
	UNIT_EQ(selected(), CRU_PLL_INPUT_TTC);
	/* Now the links depend on the TTC clock. */
	wr2(link + CRU_GBT_CLEAR_STICKY, 0);
	key(0, "clock-local", "0");
	UNIT_EQ(rd2(link), 0x2d00);
	key(0, "clock-ctp", "0");
	UNIT_EQ(rd2(link), 0xc000);
	/* The same register of another PLL selects nothing. */
	key(0, "clock-local", "240000000");
	pll_put(CRU_I2C_SI5345_1, CRU_PLL_INPUT, 0x01);
	UNIT_EQ(rd2(link), 0xc000);
	host_end();
}

UNIT_MAIN("emulated CRU, I2C", {"probe of every address", probe},
	  {"done bit, reset, edges", done_bit}, {"optical power", optical_power},
	  {"PON power", pon_power}, {"thermometers", thermometers}, {"EEPROM text", eeprom},
	  {"serial register", serial_register}, {"PLL pages", pll_pages},
	  {"clock change", clock_change})
