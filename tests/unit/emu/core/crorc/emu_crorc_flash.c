// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's flash, with the command sequences of the board's programming tool.
 */
#include "emu_crorc.h"

#define CHIP1 0x800000u

static void cmd(uint32_t value)
{
	wr(0, CRORC_FLASH_COMMAND, value);
	UNIT_EQ(rd(0, CRORC_FLASH_READY), 1);
}

static void at(uint32_t address)
{
	cmd(CRORC_FLASH_ADDRESS | address);
}

static void put(uint16_t value)
{
	cmd(CRORC_FLASH_WRITE | value);
}

static uint32_t get(void)
{
	cmd(CRORC_FLASH_READ);
	return rd(0, CRORC_FLASH_DATA);
}

static void flash_init(uint32_t address)
{
	put(0x50);
	at(0xbddf);
	put(0x60);
	put(0x03);
	at(address);
	put(0x70);
	UNIT_EQ(get(), 0x80);
}

/* Wait until the chip is done. Returns its status. */
static uint32_t wait_done(void)
{
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		uint32_t status = get();

		if (status & 0x80)
			return status;
		host.now += 1000;
	}
	return 0;
}

static uint32_t read_word(uint32_t address)
{
	at(address);
	put(0xff);
	return get();
}

static uint32_t unlock(uint32_t address)
{
	at(0xbddf);
	at(address);
	put(0x60);
	put(0xd0);
	return wait_done();
}

static uint32_t erase(uint32_t address)
{
	at(address);
	at(address);
	put(0x20);
	put(0xd0);
	return wait_done();
}

static uint32_t program(uint32_t address, uint16_t value)
{
	at(address);
	put(0x40);
	put(value);
	return wait_done();
}

/* Write @words words into a buffer that is announced as one of 32. */
static uint32_t program_buffer(uint32_t address, unsigned int words, uint16_t first)
{
	unsigned int i;

	at(address);
	put(0xe8);
	UNIT_EQ(wait_done() & 0x80, 0x80);
	put(0x1f);
	for (i = 0; i < words; i++) {
		at(address + i);
		put(first + i);
	}
	put(0xd0);
	return wait_done();
}

static void serial_text(void)
{
	uint16_t want[3] = {' ' << 8 | '0', '2' << 8 | '9', '4' << 8 | '2'};
	unsigned int i;

	host_begin();
	key(0, "serial", "2942");
	flash_init(0x470000);
	for (i = 0; i < 3; i++)
		UNIT_EQ(read_word(0x470010 + i), want[i]);
	UNIT_EQ(read_word(0x47001f), ' ' << 8);
	UNIT_EQ(read_word(0x470020), 0xffff);
	UNIT_EQ(read_word(0), 0xffff);
	host_end();
}

/* Programming clears bits, only an erase sets them, and only after an unlock. */
static void cells(void)
{
	host_begin();
	flash_init(0x10000);
	UNIT_EQ(program(0x10000, 0x1234), 0x92); /* locked at power-on */
	put(0x50);
	UNIT_EQ(get(), 0x80);
	UNIT_EQ(erase(0x10000), 0xa2);
	put(0x50);
	UNIT_EQ(unlock(0x10000), 0x80);
	UNIT_EQ(program(0x10000, 0xf0f0), 0x80);
	UNIT_EQ(program(0x10000, 0xff00), 0x80);
	UNIT_EQ(program(0x1ffff, 0x5555), 0x80);
	UNIT_EQ(read_word(0x10000), 0xf000);
	UNIT_EQ(read_word(0x1ffff), 0x5555);
	UNIT_EQ(program(0x20000, 0), 0x92); /* the next block is locked as before */
	UNIT_EQ(program(0x0ffff, 0), 0x92);
	put(0x50);
	UNIT_EQ(erase(0x1abcd), 0x80);
	UNIT_EQ(read_word(0x10000), 0xffff);
	UNIT_EQ(read_word(0x1ffff), 0xffff);
	UNIT_EQ(read_word(0x20000), 0xffff);
	/* Lock the block again by command. */
	at(0x10000);
	put(0x60);
	put(0x01);
	UNIT_EQ(program(0x10000, 0), 0x92);
	UNIT_EQ(count(0, -1, "flash_erases"), 1);
	UNIT_EQ(count(0, -1, "flash_programs"), 3);
	UNIT_EQ(count(0, -1, "flash_errors"), 5);
	host_end();
}

static void buffers(void)
{
	unsigned int i;

	host_begin();
	flash_init(0);
	unlock(0);
	UNIT_EQ(program_buffer(0x40, 32, 0x100), 0x80);
	/* The last buffer is short; the confirmation has no address before it. */
	UNIT_EQ(program_buffer(0x60, 5, 0xd0), 0x80);
	for (i = 0; i < 32; i++)
		UNIT_EQ(read_word(0x40 + i), 0x100 + i);
	for (i = 0; i < 5; i++)
		UNIT_EQ(read_word(0x60 + i), 0xd0 + i); /* 0xd0 with an address is data */
	UNIT_EQ(read_word(0x65), 0xffff);
	UNIT_EQ(count(0, -1, "flash_programs"), 37);
	/* Too many, too far apart, too long, or not confirmed: nothing is programmed. */
	at(0x100);
	put(0xe8);
	put(0x00);
	for (i = 0; i < 2; i++) {
		at(0x100 + i);
		put(0);
	}
	put(0xd0);
	UNIT_EQ(wait_done(), 0xb0);
	put(0x50);
	at(0x100);
	put(0xe8);
	put(0x1f);
	at(0x100);
	put(0);
	at(0x120);
	put(0);
	put(0xd0);
	UNIT_EQ(wait_done(), 0xb0);
	put(0x50);
	at(0x100);
	put(0xe8);
	put(0x20);
	UNIT_EQ(wait_done(), 0xb0);
	put(0x50);
	at(0x100);
	put(0xe8);
	put(0x00);
	at(0x100);
	put(0);
	put(0xff);
	UNIT_EQ(wait_done(), 0xb0);
	UNIT_EQ(read_word(0x100), 0xffff);
	UNIT_EQ(read_word(0x120), 0xffff);
	UNIT_EQ(count(0, -1, "flash_programs"), 37);
	host_end();
}

static void busy(void)
{
	host_begin();
	key(0, "flash-erase-us", "500");
	flash_init(0);
	unlock(0);
	at(0);
	put(0x20);
	put(0xd0);
	UNIT_EQ(get(), 0);
	put(0xff); /* ignored */
	host.now += 499999;
	UNIT_EQ(get(), 0);
	host.now += 1;
	UNIT_EQ(get(), 0x80);
	put(0xff);
	UNIT_EQ(get(), 0xffff);
	/* The other chip is not affected. */
	at(0);
	put(0x20);
	put(0xd0);
	UNIT_EQ(read_word(CHIP1), 0xffff);
	host_end();
}

static void sequences(void)
{
	host_begin();
	flash_init(0);
	put(0x20);
	put(0xff);
	UNIT_EQ(get(), 0xb0);
	put(0x60);
	put(0x70);
	UNIT_EQ(get(), 0xb0);
	put(0x50);
	UNIT_EQ(get(), 0x80);
	put(0x90);
	at(0);
	UNIT_EQ(get(), 0x0049);
	at(2);
	UNIT_EQ(get(), 1);
	at(5);
	UNIT_EQ(get(), 0xbddf);
	unlock(0);
	put(0x90);
	at(2);
	UNIT_EQ(get(), 0);
	host_end();
}

/* Bit 23 selects the chip; in place of its last main block each chip has four small ones. */
static void geometry(void)
{
	host_begin();
	flash_init(0);
	unlock(CHIP1 | 0x7f0000);
	UNIT_EQ(program(CHIP1 | 0x7f0000, 1), 0x80);
	UNIT_EQ(program(CHIP1 | 0x7f3fff, 2), 0x80);
	UNIT_EQ(program(CHIP1 | 0x7f4000, 3), 0x92);
	UNIT_EQ(program(0x7f0000, 4), 0x92);
	at(CHIP1);
	put(0x50);
	unlock(CHIP1 | 0x7fc000);
	UNIT_EQ(program(CHIP1 | 0x7fffff, 5), 0x80);
	UNIT_EQ(erase(CHIP1 | 0x7f0000), 0x80);
	UNIT_EQ(read_word(CHIP1 | 0x7f3fff), 0xffff);
	UNIT_EQ(read_word(CHIP1 | 0x7fffff), 5);
	UNIT_EQ(read_word(0x7fffff), 0xffff);
	host_end();
}

/* The flash is in BAR 0 only; neither resets nor a host's disconnect change its content. */
static void other_bars(void)
{
	host_begin();
	flash_init(0);
	unlock(0);
	UNIT_EQ(program(7, 0xbeef), 0x80);
	at(7);
	wr(3, CRORC_FLASH_COMMAND, CRORC_FLASH_ADDRESS | 8);
	wr(3, CRORC_FLASH_COMMAND, CRORC_FLASH_WRITE | 0xff);
	UNIT_EQ(get(), 0x80);
	put(0xff);
	UNIT_EQ(get(), 0xbeef);
	UNIT_EQ(rd(3, CRORC_FLASH_DATA), 0);
	reset(0);
	crorc_card.reset(host.card, 0);
	UNIT_EQ(read_word(7), 0xbeef);
	host_end();
}

static void faults(void)
{
	host_begin();
	flash_init(0);
	unlock(0);
	/* Two operations succeed, then two fail. */
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "flash-fail", 2ull << 32 | 2));
	UNIT_EQ(program_buffer(0, 32, 1), 0x80);
	UNIT_EQ(program_buffer(32, 32, 33), 0x80);
	UNIT_EQ(program_buffer(64, 32, 65), 0x90);
	UNIT_EQ(read_word(64), 0xffff);
	put(0x50);
	UNIT_EQ(erase(0), 0xa0);
	UNIT_EQ(read_word(0), 1);
	put(0x50);
	UNIT_EQ(crorc_card.fault_get(host.card, 0, "flash-fail"), 0);
	UNIT_EQ(erase(0), 0x80);
	UNIT_EQ(read_word(0), 0xffff);
	/* The operation never ends. */
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "flash-busy", 1));
	at(0);
	put(0x40);
	put(0);
	UNIT_EQ(wait_done(), 0);
	UNIT_NEED(crorc_card.fault_clear(host.card, 0, "flash-busy"));
	UNIT_EQ(wait_done(), 0x80);
	UNIT_EQ(read_word(0), 0xffff);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "flash-not-ready", 1));
	UNIT_EQ(rd(0, CRORC_FLASH_READY), 0);
	host_end();
}

UNIT_MAIN("emu_crorc_flash", {"serial number's text", serial_text}, {"cells and locks", cells},
	  {"buffered programming", buffers}, {"busy", busy}, {"sequences and identity", sequences},
	  {"chips and blocks", geometry}, {"BAR 0 only, and kept", other_bars}, {"faults", faults})
