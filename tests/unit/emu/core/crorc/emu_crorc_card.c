// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of the whole C-RORC, its serial number, optical power, laser, and its keys.
 */
#include "emu_crorc.h"

static void power_on(void)
{
	unsigned int ch;

	host_begin();
	UNIT_EQ(crorc_card.vendor(host.card), 0x10dc);
	UNIT_EQ(crorc_card.device(host.card), 0x0033);
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		UNIT_EQ(crorc_card.bar_size[ch], 4096);
		UNIT_EQ(rd(ch, CRORC_CHAN_CSR), 0);
		UNIT_EQ(rd(ch, CRORC_DDL_STATUS), 0);
		UNIT_EQ(rd(ch, CRORC_SP_SIZE), 0);
		UNIT_EQ(rd(ch, CRORC_SERIAL), 0x31303031);
		UNIT_EQ(rd(ch, CRORC_FW_HASH), 0x828801a2);
		UNIT_EQ(rd(ch, CRORC_CONFIG_A), 0);
		UNIT_EQ(rd(ch, CRORC_CONFIG_B), 0x1100);
		/* Registers of the card exist in its BAR only. */
		UNIT_EQ(rd(ch, 0x144), ch ? 0 : 0x0fa00fa0);
		UNIT_EQ(rd(ch, 0x148), ch ? 0 : 0x0fa00fa0);
		UNIT_EQ(rd(ch, 0x154), ch ? 0 : 0x0fa00fa0);
		UNIT_EQ(rd(ch, CRORC_FLASH_READY), ch ? 0 : 1);
		UNIT_EQ(rd(ch, CRORC_LINK_STATUS), 0);
	}
	host_end();
}

static void nothing_there(void)
{
	uint32_t off;

	host_begin();
	for (off = 0x200; off < CRORC_BAR_SIZE; off += 4) {
		wr(0, off, 0xffffffff);
		UNIT_EQ(rd(0, off), 0);
	}
	UNIT_EQ(rd(0, CRORC_CARD_CSR), 0);
	UNIT_EQ(rd(0, 0x14c), 0);
	UNIT_EQ(rd(0, 0x150), 0);
	wr(0, CRORC_SERIAL, 1);
	wr(0, CRORC_FW_HASH, 1);
	wr(0, CRORC_PACKETS, 1);
	UNIT_EQ(rd(0, CRORC_SERIAL), 0x31303031);
	UNIT_EQ(rd(0, CRORC_FW_HASH), 0x828801a2);
	UNIT_EQ(rd(0, CRORC_PACKETS), 0);
	host_end();
}

/* All six BARs show the same configuration; the other registers are of one channel. */
static void aliases(void)
{
	unsigned int ch;

	host_begin();
	wr(3, CRORC_CONFIG_A, 0xffffffff);
	wr(4, CRORC_CONFIG_B, 0xffffffff & ~CRORC_CONFIG_B_FLUSH);
	wr(2, CRORC_GENERATOR, 0x12345678);
	for (ch = 0; ch < CRORC_CHANNELS; ch++) {
		UNIT_EQ(rd(ch, CRORC_CONFIG_A), 0xfff1);
		UNIT_EQ(rd(ch, CRORC_CONFIG_B), 0x1fff);
		UNIT_EQ(rd(ch, CRORC_GENERATOR), ch == 2 ? 0x12345678 : 0);
	}
	host_end();
}

static void laser(void)
{
	host_begin();
	wr(1, CRORC_I2C_COMMAND, CRORC_I2C_LASER_ON);
	wr(0, CRORC_I2C_COMMAND, 0x40);
	UNIT_EQ(rd(0, CRORC_LINK_STATUS), 0);
	wr(0, CRORC_I2C_COMMAND, CRORC_I2C_LASER_ON);
	UNIT_EQ(rd(0, CRORC_LINK_STATUS), 0x80000000);
	key(0, "laser", "off");
	UNIT_EQ(rd(0, CRORC_LINK_STATUS), 0);
	host_end();
}

static void light(void)
{
	host_begin();
	key(0, "optical-power", "0=1.5,1=0,5=6553.5");
	UNIT_EQ(rd(0, CRORC_OPTICAL_POWER(0)), 15);
	UNIT_EQ(rd(0, CRORC_OPTICAL_POWER(2)), 0x0fa00fa0);
	UNIT_EQ(rd(0, CRORC_OPTICAL_POWER(5)), 0xffff0fa0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	UNIT_EQ(rd(1, CRORC_CHAN_CSR), CRORC_CHAN_CSR_LINK_DOWN);
	key(0, "link-state", "5=down");
	UNIT_EQ(rd(5, CRORC_CHAN_CSR), CRORC_CHAN_CSR_LINK_DOWN);
	host_end();
}

/*
 * The serial number is 0 until a load was requested through any BAR and half a second has passed.
 */
static void serial(void)
{
	host_begin();
	key(0, "serial", "2942");
	UNIT_EQ(rd(0, CRORC_SERIAL), 0x32343932);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "drop-serial", 1));
	UNIT_EQ(rd(0, CRORC_SERIAL), 0);
	wr(2, CRORC_FLASH_COMMAND, CRORC_SERIAL_LOAD);
	host.now += 499999999;
	UNIT_EQ(rd(0, CRORC_SERIAL), 0);
	host.now += 1;
	UNIT_EQ(peek(0, CRORC_SERIAL), 0x32343932);
	UNIT_EQ(rd(5, CRORC_SERIAL), 0x32343932);
	UNIT_EQ(crorc_card.fault_get(host.card, 0, "drop-serial"), 0);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "no-serial", 1));
	wr(0, CRORC_FLASH_COMMAND, CRORC_SERIAL_LOAD);
	host.now += 1000000000;
	UNIT_EQ(rd(0, CRORC_SERIAL), 0);
	host_end();
}

static void keys(void)
{
	static const char *const good[][3] = {
		{"rate", "5", "5,5,5,5,5,5"},
		{"rate", "0=7,5=1000000000000", "7,5,5,5,5,1000000000000"},
		{"rate", "1,2,3,4,5,6", "1,2,3,4,5,6"},
		{"packet", "2=4", "8128,8128,4,8128,8128,8128"},
		{"packets-per-orbit", "9", "9,9,9,9,9,9"},
		{"orbit", "4294967295",
		 "4294967295,4294967295,4294967295,4294967295,4294967295,4294967295"},
		{"link-state", "1=down,2=down", "up,down,down,up,up,up"},
		{"optical-power", "12.34", "12.3,12.3,12.3,12.3,12.3,12.3"},
		{"ddl-latency-us", "3=20", "0,0,0,20,0,0"},
		{"count-start", "250", "250,250,250,250,250,250"},
		{"laser", "on", "on"},
		{"flash-erase-us", "5", "5"},
		{"flash-program-us", "6", "6"},
		{"firmware", "59E9955", "59e9955"},
		{"serial", "7", "0007"},
	};
	static const char *const bad[][2] = {
		{"rate", ""},
		{"rate", "fast"},
		{"rate", "1,2"},
		{"rate", "6=1"},
		{"rate", "0=1,2"},
		{"rate", "1,2,3,4,5,6,7"},
		{"packet", "8132"},
		{"packet", "7"},
		{"packets-per-orbit", "0"},
		{"orbit", "-1"},
		{"orbit", "4294967296"},
		{"link-state", "bad"},
		{"count-start", "256"},
		{"laser", "yes"},
		{"firmware", "xyz"},
		{"serial", "10000"},
		{"serial", "12a"},
		{"optical-power", "-1"},
		{"flash-erase-us", "x"},
	};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		key(0, good[i][0], good[i][1]);
		UNIT_STR(key_get(0, good[i][0]), good[i][2]);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		key_refused(bad[i][0], bad[i][1]);
	UNIT_EQ(rd(0, CRORC_FW_HASH), 0x59e9955);
	key(0, "rate", "0");
	/* A new start value of the count applies after a reset. */
	start(0);
	push(0, 0);
	run(0);
	UNIT_EQ(block(0)->count, 250);
	host_end();
}

/* Control commands peek and poke: no side effects, and changes of read-only registers. */
static void peek_and_poke(void)
{
	static const uint32_t stored[] = {
		CRORC_CHAN_CSR, CRORC_GENERATOR, CRORC_SP_SIZE,	 CRORC_SP_LOW,	  CRORC_SP_HIGH,
		CRORC_DONE_LOW, CRORC_DONE_HIGH, CRORC_PACKETS,	 CRORC_ORBIT_SOR, CRORC_SERIAL,
		CRORC_FW_HASH,	CRORC_CONFIG_A,	 CRORC_CONFIG_B, 0x0a0,		  0x0f4,
		0x144,		0x148,		 0x154,
	};
	unsigned int i;

	host_begin();
	for (i = 0; i < sizeof(stored) / sizeof(stored[0]); i++) {
		/* 0x1200 fits into all registers except the laser's. */
		uint32_t value = stored[i] == 0x0a0 ? 0x80000000 : 0x1200;

		CU_ASSERT(crorc_card.poke(host.card, 0, 0, stored[i], value));
		UNIT_EQ(peek(0, stored[i]), value);
		UNIT_EQ(rd(0, stored[i]), value);
	}
	CU_ASSERT(!crorc_card.poke(host.card, 0, 0, CRORC_DDL_COMMAND, 1));
	CU_ASSERT(!crorc_card.poke(host.card, 0, 0, 0x800, 1));
	CU_ASSERT(!crorc_card.poke(host.card, 0, 1, 0x144, 1));
	wr(1, CRORC_DDL_COMMAND, CRORC_DDL_LOOP_DIU);
	UNIT_EQ(peek(1, CRORC_DDL_STATUS), 1);
	UNIT_EQ(peek(1, CRORC_DDL_STATUS), 1);
	UNIT_EQ(rd(1, CRORC_DDL_STATUS), 1);
	UNIT_EQ(peek(1, CRORC_DDL_STATUS), 0);
	host_end();
}

UNIT_MAIN("emu_crorc_card", {"power-on", power_on}, {"nothing there", nothing_there},
	  {"aliases", aliases}, {"laser", laser}, {"light and links", light},
	  {"serial number", serial}, {"keys", keys}, {"peek and poke", peek_and_poke})
