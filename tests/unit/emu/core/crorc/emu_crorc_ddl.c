// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's detector data link: reply words, and commands without a reply.
 */
#include "emu_crorc.h"

static void one_word(void)
{
	static const uint32_t commands[][2] = {
		{CRORC_DDL_SIU_RESET, 0x01},
		{CRORC_DDL_LOOP_DIU, 0x01},
		{CRORC_DDL_LOOP_SIU, 0x02},
		{CRORC_DDL_RDYRX, 0x04},
		{CRORC_DDL_STBRD, 0x04},
		{CRORC_DDL_EOBTR, 0x04},
		{0xa1, 0x01},
		{0xb1, 0x01},
		{0x123457c4, 0x12345704},
		{0x72, 0x22},
		{0x41, 0x21},
		{0x24, 0x24},
	};
	unsigned int i;
	uint32_t first;

	host_begin();
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		UNIT_EQ(command(0, commands[i][0], &first), 1);
		UNIT_EQ(first, commands[i][1]);
	}
	/* These command codes do not exist. */
	UNIT_EQ(command(0, 0x10, NULL), 0);
	UNIT_EQ(command(0, 0x13, NULL), 0);
	UNIT_EQ(count(0, 0, "ddl_commands"), i + 2);
	UNIT_EQ(count(0, 0, "ddl_replies"), i);
	host_end();
}

/* Both words are queued before the first is read. */
static void interface_status(void)
{
	host_begin();
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_SIU | 0x500);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DDL_STATUS);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x000025c2);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x00000502);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_DIU);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x000120c1);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x00000001);
	/* The status shows an open transaction and the loops. */
	command(0, CRORC_DDL_RDYRX, NULL);
	command(0, CRORC_DDL_LOOP_SIU, NULL);
	command(0, CRORC_DDL_LOOP_DIU, NULL);
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_SIU);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x0001a0c2);
	rd(0, CRORC_DDL_STATUS);
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_READ_STATUS_DIU);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0x400120c1);
	host_end();
}

static void hardware_id(void)
{
	char text[65] = "";
	unsigned int i;
	uint32_t reply;

	host_begin();
	for (i = 0; i < 64; i++) {
		wr(2, CRORC_DDL_COMMAND, CRORC_DDL_HARDWARE_ID(i));
		reply = rd(2, CRORC_DDL_STATUS);
		UNIT_EQ(reply & 0xf00fffff, 0x62);
		text[i] = reply >> 20 & 0xff;
		UNIT_EQ(rd(2, CRORC_DDL_STATUS), 0x02 | i << 12);
		UNIT_EQ(rd(2, CRORC_CHAN_CSR), 0);
		if (!text[i])
			break;
	}
	UNIT_EQ(i, 63);
	CU_ASSERT(!strncmp(text, "SIU2   2.0 Ch02             S/N: 12347   ", 41));
	host_end();
}

static void link_down(void)
{
	static const uint32_t silent[] = {
		CRORC_DDL_SIU_RESET,	  CRORC_DDL_LOOP_SIU, CRORC_DDL_RDYRX,
		CRORC_DDL_STBRD,	  CRORC_DDL_EOBTR,    CRORC_DDL_READ_STATUS_SIU,
		CRORC_DDL_HARDWARE_ID(0),
	};
	unsigned int i;
	uint32_t first;

	host_begin();
	key(0, "link-state", "1=down");
	for (i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		UNIT_EQ(command(1, silent[i], NULL), 0);
		CU_ASSERT(command(0, silent[i], NULL) > 0);
	}
	host.now += 1000000000;
	UNIT_EQ(rd(1, CRORC_CHAN_CSR), CRORC_CHAN_CSR_LINK_DOWN);
	/* The DIU is on the card and reports that it receives nothing. */
	UNIT_EQ(command(1, CRORC_DDL_LOOP_DIU, NULL), 1);
	UNIT_EQ(command(1, 0xb1, NULL), 1);
	UNIT_EQ(command(1, CRORC_DDL_READ_STATUS_DIU, &first), 2);
	UNIT_EQ(first, 0x000240c1);
	host_end();
}

static void latency(void)
{
	host_begin();
	key(0, "ddl-latency-us", "50");
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_SIU_RESET);
	host.now += 49999;
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0);
	host.now += 1;
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DDL_STATUS);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 1);
	/* A reset discards unread words of its own channel only. */
	wr(0, CRORC_DDL_COMMAND, CRORC_DDL_LOOP_DIU);
	wr(1, CRORC_DDL_COMMAND, CRORC_DDL_LOOP_DIU);
	host.now += 50000;
	reset(0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	UNIT_EQ(rd(1, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DDL_STATUS);
	host_end();
}

/* Without reads, words beyond the FIFO are lost and counted; the others stay in order. */
static void overflow(void)
{
	unsigned int i;

	host_begin();
	for (i = 0; i < 258; i++)
		wr(0, CRORC_DDL_COMMAND, CRORC_DDL_EOBTR | i << 12);
	UNIT_EQ(count(0, 0, "ddl_overflow"), 2);
	for (i = 0; i < 256; i++)
		UNIT_EQ(rd(0, CRORC_DDL_STATUS), 4 | i << 12);
	UNIT_EQ(rd(0, CRORC_DDL_STATUS), 0);
	host_end();
}

UNIT_MAIN("emu_crorc_ddl", {"commands with one word", one_word},
	  {"interface status", interface_status}, {"hardware id", hardware_id},
	  {"link down", link_down}, {"latency and reset", latency}, {"unread words", overflow})
