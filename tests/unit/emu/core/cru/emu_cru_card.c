// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CRU as a card: BAR2 common to both endpoints, and the settings.
 */
#include "tests/unit/emu/emu_host.h"

static void power_on_values(void)
{
	uint32_t clock;
	unsigned int l;

	host_begin();
	UNIT_EQ(rd2(CRU_FW_HASH), 0xf6b5d742);
	UNIT_EQ(rd2(CRU_UL_HASH), 0xf6b5d742);
	UNIT_EQ(rd2(CRU_TEMPERATURE), 458);
	UNIT_EQ(rd2(CRU_SERIAL), 0x35343230);
	UNIT_EQ(rd2(CRU_ONU_STATUS), 0xff);
	UNIT_EQ(rd2(CRU_CLOCK_CTP), 240474000);
	UNIT_EQ(rd2(CRU_CLOCK_LOCAL), 240474000);
	UNIT_EQ(rd2(0x400000), 0x00066660);
	UNIT_EQ(rd2(0x400004), 0x18b69a00);
	clock = rd2(0x40000c);
	CU_ASSERT(rd2(0x40000c) != clock);
	UNIT_EQ(rd2(0x50000c), 0);
	UNIT_EQ(rd2(0x500000), 0);
	for (l = 0; l < 24; l++) {
		uint32_t link = CRU_GBT_LINK(0, l / 6, l % 6);

		UNIT_EQ(rd2(link), 0x2d00);
		UNIT_EQ(rd2(link + CRU_GBT_TX_CLOCK), 240474000);
		UNIT_EQ(rd2(link + CRU_GBT_RX_CLOCK), 240474000);
	}
	UNIT_EQ(rd2(CRU_GBT_LINK(0, 4, 0)), 0);
	UNIT_EQ(rd2(CRU_DATAPATH(0)), 0xf);
	UNIT_EQ(rd2(CRU_DATAPATH_LINK(1, 0) + CRU_DPL_FIRST_ORBIT), 0xffffffff);
	host_end();
}

static void plain_storage(void)
{
	static const uint32_t offsets[] = {0x1c,     0x100014, 0x200000, 0x260004,
					   0x422020, 0x6c0000, 0x642000, 0xc80004,
					   0xd00004, 0xf00000, 0xfffffc};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		wr2(offsets[i], 0xa5000000 + i);
		UNIT_EQ(cru_card.read(host.card, 1, CRU_BAR_CARD, offsets[i]), 0xa5000000 + i);
	}
	host_end();
}

static void read_only(void)
{
	static const uint32_t offsets[] = {0x0,	     0x4,      0x10,	 0x10008,  0x10018,
					   0x30818,  0x240000, 0x400004, 0x50000c, 0x600018,
					   0x60001c, 0x600030, 0x640014, 0x75e028, 0xc00004};
	uint32_t before;
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		before = rd2(offsets[i]);
		wr2(offsets[i], ~before);
		UNIT_EQ(rd2(offsets[i]), before);
	}
	host_end();
}

static void sticky_bits(void)
{
	uint32_t link = CRU_GBT_LINK(0, 2, 3);

	host_begin();
	CU_ASSERT(cru_card.poke(host.card, 0, CRU_BAR_CARD, link, 0xed00));
	UNIT_EQ(rd2(link), 0xed00);
	wr2(link + 0x38, 1);
	UNIT_EQ(rd2(link), 0xed00);
	wr2(link + 0x38, 0);
	UNIT_EQ(rd2(link), 0x2d00);
	host_end();
}

static void settings(void)
{
	host_begin();
	key(1, "rate", "1000000");
	UNIT_STR(key_get(1, "rate"), "1000000");
	UNIT_STR(key_get(0, "rate"), "0");
	key(0, "temperature", "30");
	UNIT_EQ(rd2(CRU_TEMPERATURE), 436);
	UNIT_STR(key_get(0, "temperature"), "30.07");
	key(0, "temperature", "none");
	UNIT_EQ(rd2(CRU_TEMPERATURE), 0);
	UNIT_STR(key_get(0, "temperature"), "none");
	wr2(CRU_DATAPATH(1), 0x80000001);
	key(1, "links-enabled", "0xff0");
	UNIT_EQ(rd2(CRU_DATAPATH(1)), 0x80000ff0);
	UNIT_STR(key_get(1, "links-enabled"), "0xff0");
	key(0, "firmware", "06955404");
	UNIT_EQ(rd2(CRU_FW_HASH), 0x6955404);
	UNIT_STR(key_get(0, "firmware"), "6955404");
	key(0, "user-logic", "1");
	UNIT_EQ(rd2(CRU_UL_HASH), 1);
	key(0, "features", "0001fffe");
	UNIT_EQ(rd(0, CRU_FEATURES), 0x1fffe);
	UNIT_EQ(rd(1, CRU_FEATURES), 0x40000000);
	key(0, "serial", "7");
	UNIT_EQ(rd2(CRU_SERIAL), 0x37303030);
	UNIT_STR(key_get(0, "serial"), "0007");
	UNIT_EQ(cru_card.vendor(host.card), 0x10dc);
	key(0, "pci-id", "1172:e001");
	UNIT_EQ(cru_card.vendor(host.card), 0x1172);
	UNIT_EQ(cru_card.device(host.card), 0xe001);
	key(0, "orbit", "4096");
	UNIT_STR(key_get(0, "orbit"), "4096");
	key(0, "orbit", "ctp");
	UNIT_STR(key_get(0, "orbit"), "ctp");
	key(0, "source-mode", "ctp");
	UNIT_STR(key_get(0, "source-mode"), "ctp");
	host_end();
}

/* Three published air flows: two limit the temperature, with the third it exceeds 60 degC. */
static void gets_warmer(void)
{
	static const struct {
		const char *slope;
		double ends;
	} air[] = {{"0.5@52", 52}, {"0.5@53", 53}, {"0.5@68", 68}};
	unsigned int i;

	for (i = 0; i < sizeof(air) / sizeof(air[0]); i++) {
		host_begin();
		key(0, "temperature", "45");
		key(0, "temperature-slope", air[i].slope);
		UNIT_STR(key_get(0, "temperature-slope"), air[i].slope);
		UNIT_EQ(rd2(CRU_TEMPERATURE), 458);
		host.now += 10000000000ull;
		CU_ASSERT_DOUBLE_EQUAL(atof(key_get(0, "temperature")), 50, 0.7);
		host.now += 1000000000000ull;
		CU_ASSERT_DOUBLE_EQUAL(atof(key_get(0, "temperature")), air[i].ends, 0.7);
		CU_ASSERT_DOUBLE_EQUAL(rd2(CRU_TEMPERATURE) * 693 / 1024.0 - 265, air[i].ends, 0.7);
		/* The temperature stays constant, or decreases. */
		key(0, "temperature-slope", "0");
		CU_ASSERT_DOUBLE_EQUAL(atof(key_get(0, "temperature")), air[i].ends, 0.7);
		key(0, "temperature-slope", "10@40");
		host.now += 1000000000ull;
		CU_ASSERT_DOUBLE_EQUAL(atof(key_get(0, "temperature")), air[i].ends - 10, 0.7);
		CU_ASSERT_FALSE(cru_card.off(host.card));
		host_end();
	}
	host_begin();
	key(0, "temperature-cut", "80");
	UNIT_STR(key_get(0, "temperature-cut"), "80");
	key(0, "temperature", "79");
	CU_ASSERT_FALSE(cru_card.off(host.card));
	key(0, "temperature-slope", "1@90");
	host.now += 500000000ull;
	CU_ASSERT_FALSE(cru_card.off(host.card));
	host.now += 1000000000ull;
	CU_ASSERT_TRUE(cru_card.off(host.card));
	key(0, "temperature-cut", "none");
	CU_ASSERT_FALSE(cru_card.off(host.card));
	key(0, "temperature-cut", "80");
	key(0, "temperature", "81");
	CU_ASSERT_TRUE(cru_card.off(host.card));
	host_end();
}

static void settings_refused(void)
{
	host_begin();
	key_refused("rate", "-1");
	key_refused("rate", "fast");
	key_refused("rate", "");
	key_refused("rate", "99999999999999999999999");
	key_refused("packet", "8144");
	key_refused("packet", "24");
	key_refused("packets-per-tf", "1");
	key_refused("fifo-depth", "0");
	key_refused("fifo-depth", "4097");
	key_refused("temperature", "500");
	key_refused("temperature", "warm");
	key_refused("temperature-slope", "1");
	key_refused("temperature-slope", "1@");
	key_refused("temperature-slope", "0@60");
	key_refused("temperature-slope", "-1@60");
	key_refused("temperature-slope", "1e9@60");
	key_refused("temperature-slope", "1@500");
	key_refused("temperature-slope", "1@60 ");
	key_refused("temperature-cut", "hot");
	key_refused("temperature-cut", "1e300");
	key(0, "temperature", "none");
	key_refused("temperature-slope", "1@60");
	key(0, "temperature", "45");
	key_refused("links-enabled", "0x10000");
	key_refused("source-mode", "never");
	key_refused("pci-id", "8086:1234");
	key_refused("serial", "12345");
	key_refused("serial", "12a");
	key_refused("firmware", "xyz");
	key_refused("orbit", "0x100000000");
	host_end();
}

/* Every key has a help text and returns a value that it accepts. */
static void keys_round_trip(void)
{
	const struct card_key *k;
	char text[CARD_TEXT], err[CARD_ERR];

	host_begin();
	for (k = cru_card.keys; k->name; k++) {
		CU_ASSERT(strlen(k->help) > 3);
		k->get(host.card, 0, text, sizeof(text));
		UNIT_EQ(k->set(host.card, 0, text, err), 0);
	}
	host_end();
}

UNIT_MAIN("emulated CRU, card", {"power-on values", power_on_values},
	  {"plain storage, common to both endpoints", plain_storage},
	  {"read-only registers", read_only}, {"sticky link bits", sticky_bits},
	  {"settings", settings}, {"settings refused", settings_refused},
	  {"it gets warmer", gets_warmer}, {"every setting accepts its own value", keys_round_trip})
