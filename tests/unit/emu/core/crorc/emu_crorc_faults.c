// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's faults: each has the effect of its help text, on the selected channels only.
 */
#include "emu_crorc.h"

static void clear_fault(const char *name)
{
	UNIT_NEED(crorc_card.fault_clear(host.card, 0, name));
}

/* Push superpage n of a channel and fill it. Returns the count that the host reads. */
static uint32_t fill(unsigned int ch, unsigned int n)
{
	push(ch, n);
	run(0);
	return block(ch)->count;
}

static void stall(void)
{
	host_begin();
	start(0);
	start(1);
	push(0, 0);
	push(1, 0);
	packets(4);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "stall", 0x1));
	run(0);
	flush(0);
	UNIT_EQ(block(0)->count, 0xff);
	UNIT_EQ(block(1)->count, 0);
	UNIT_EQ(count(0, 0, "generated"), 2);
	clear_fault("stall");
	run(0);
	UNIT_EQ(block(0)->size, SP);
	/* Completions that are pending wait, too. */
	channel_fault("late-completion", 0x1, 1);
	push(0, 1);
	run(0);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "stall", 0x1));
	run_for(0, 5000000);
	UNIT_EQ(block(0)->count, 0);
	clear_fault("stall");
	run(0);
	UNIT_EQ(block(0)->count, 1);
	host_end();
}

/*
 * A write is lost while the latest write of another channel was not read back, within the given
 * time.
 */
static void write_race(void)
{
	host_begin();
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "write-race", 100));
	wr(0, CRORC_SP_LOW, 0x1000);
	wr(1, CRORC_SP_LOW, 0x2000);
	UNIT_EQ(rd(1, CRORC_SP_LOW), 0);
	wr(1, CRORC_SP_LOW, 0x2000); /* reading another register does not help */
	UNIT_EQ(rd(1, CRORC_SP_LOW), 0);
	UNIT_EQ(rd(0, CRORC_SP_LOW), 0x1000);
	wr(1, CRORC_SP_LOW, 0x2000);
	UNIT_EQ(rd(1, CRORC_SP_LOW), 0x2000);
	UNIT_EQ(count(0, 1, "writes_lost"), 2);
	UNIT_EQ(count(0, 0, "writes_lost"), 0);
	/* Successive writes of one channel are safe, and so are writes after the time. */
	wr(2, CRORC_SP_LOW, 1);
	wr(2, CRORC_SP_LOW, 2);
	host.now += 100000;
	wr(3, CRORC_SP_LOW, 3);
	UNIT_EQ(rd(2, CRORC_SP_LOW), 2);
	UNIT_EQ(rd(3, CRORC_SP_LOW), 3);
	/* Channels that read back every write lose none. */
	crorc_card.clear(host.card, 0);
	wr(0, CRORC_SP_HIGH, 5);
	rd(0, CRORC_SP_HIGH);
	wr(1, CRORC_SP_HIGH, 6);
	rd(1, CRORC_CHAN_CSR);
	wr(0, CRORC_SP_HIGH, 7);
	UNIT_EQ(count(0, -1, "writes_lost"), 0);
	host_end();
}

static void lost_writes(void)
{
	host_begin();
	UNIT_NEED(
		crorc_card.fault_set(host.card, 0, "lost-write", (uint64_t)CRORC_SP_LOW << 32 | 3));
	wr(0, CRORC_SP_LOW, 1);
	wr(1, CRORC_SP_LOW, 2);
	wr(0, CRORC_SP_HIGH, 9);
	wr(0, CRORC_SP_LOW, 3);
	UNIT_EQ(rd(0, CRORC_SP_LOW), 1);
	UNIT_EQ(rd(1, CRORC_SP_LOW), 2);
	UNIT_EQ(rd(0, CRORC_SP_HIGH), 9);
	wr(0, CRORC_SP_LOW, 3);
	UNIT_EQ(rd(0, CRORC_SP_LOW), 3);
	UNIT_EQ(count(0, -1, "writes_lost"), 1);
	host_end();
}

static void lost_push(void)
{
	host_begin();
	channel_fault("lost-push", 0x2, 2);
	start(1);
	UNIT_EQ(fill(1, 0), 0);
	UNIT_EQ(rd(1, CRORC_SP_SIZE), SP << 8 | 1);
	UNIT_EQ(fill(1, 1), 0);
	UNIT_EQ(rd(1, CRORC_SP_SIZE), SP << 8 | 1); /* the host must detect this */
	UNIT_EQ(rd(1, CRORC_SP_LOW), (uint32_t)place(1, 1));
	UNIT_EQ(fill(1, 1), 1);
	UNIT_EQ(rd(1, CRORC_SP_SIZE), SP << 8 | 2);
	UNIT_EQ(count(0, 1, "pushes"), 2);
	UNIT_EQ(count(0, 1, "writes_lost"), 1);
	start(0);
	UNIT_EQ(fill(0, 0), 0);
	UNIT_EQ(fill(0, 1), 1);
	host_end();
}

static void late_completion(void)
{
	host_begin();
	channel_fault("late-completion", 0x1, 3);
	start(0);
	push(0, 0);
	UNIT_EQ(run(0), host.now + 3000000);
	host.now += 2999999;
	run(0);
	UNIT_EQ(block(0)->count, 0xff);
	UNIT_EQ(count(0, 0, "superpages"), 0);
	ledger(0);
	push(0, 1); /* the host cannot detect that the superpage was full */
	UNIT_EQ(count(0, 0, "protocol_errors"), 1);
	host.now += 1;
	run(0);
	UNIT_EQ(block(0)->count, 0);
	/* A reset cancels pending completions. */
	push(0, 2);
	run(0);
	reset(0);
	host.now += 10000000;
	run(0);
	UNIT_EQ(block(0)->count, 0);
	UNIT_EQ(count(0, 0, "discarded"), 128);
	ledger(0);
	host_end();
}

static void late_flush(void)
{
	host_begin();
	channel_fault("late-flush", 0x1, 5);
	start(0);
	UNIT_EQ(fill(0, 0), 0);
	push(0, 1);
	packets(2);
	stop(0);
	UNIT_EQ(block(0)->count, 0);
	run_for(0, 4999999);
	UNIT_EQ(block(0)->count, 0);
	run_for(0, 1);
	UNIT_EQ(block(0)->count, 1);
	UNIT_EQ(block(0)->size, 2 * 8192);
	host_end();
}

static void wrong_blocks(void)
{
	host_begin();
	start(0);
	channel_fault("count-jump", 0x1, 2);
	UNIT_EQ(fill(0, 0), 2);
	UNIT_EQ(fill(0, 1), 3);
	channel_fault("size-big", 0x1, 4096);
	fill(0, 2);
	UNIT_EQ(block(0)->size, SP + 4096);
	fill(0, 3);
	UNIT_EQ(block(0)->size, SP);
	channel_fault("size-zero", 0x1, 2);
	fill(0, 4);
	UNIT_EQ(block(0)->size, 0);
	fill(0, 5);
	UNIT_EQ(block(0)->size, 0);
	UNIT_EQ(fill(0, 6), 8);
	UNIT_EQ(block(0)->size, SP);
	UNIT_EQ(count(0, 0, "bytes"), 7 * SP);
	host_end();
}

/* One page is written after DMA off or a reset, into the last superpage that the card had. */
static void write_after_off(void)
{
	host_begin();
	channel_fault("write-after-off", 0x1, 2);
	start(0);
	push(0, 3);
	packets(2);
	stop(0);
	memset(memory_at(place(0, 3)), 0, SP);
	reset(0);
	run_for(0, 1999999);
	UNIT_EQ(word(place(0, 3), 0, 8192, 0), 0);
	run_for(0, 1);
	UNIT_EQ(word(place(0, 3), 0, 8192, 0), 0x5a5a5a5a);
	UNIT_EQ(word(place(0, 3), 1, 8192, 0), 0);
	UNIT_EQ(count(0, 0, "stray_writes"), 1);
	start(0);
	push(0, 4);
	packets(1);
	reset(0);
	run_for(0, 2000000);
	UNIT_EQ(count(0, 0, "stray_writes"), 2);
	run_for(0, 10000000);
	UNIT_EQ(count(0, 0, "stray_writes"), 2);
	host_end();
}

static void reset_ignored(void)
{
	host_begin();
	start(0);
	push(0, 0);
	packets(1);
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "reset-ignored", 0x1));
	reset(0);
	run(0);
	UNIT_EQ(block(0)->count, 0);
	UNIT_EQ(rd(0, CRORC_SP_SIZE), SP << 8 | 1);
	UNIT_EQ(count(0, 0, "resets"), 4);
	host_end();
}

static void ddl(void)
{
	host_begin();
	UNIT_NEED(crorc_card.fault_set(host.card, 0, "ddl-stuck", 0x1));
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	UNIT_EQ(command(0, CRORC_DDL_RDYRX, NULL), 0);
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), CRORC_CHAN_CSR_DDL_BUSY);
	UNIT_EQ(command(1, CRORC_DDL_RDYRX, NULL), 1);
	clear_fault("ddl-stuck");
	UNIT_EQ(rd(0, CRORC_CHAN_CSR), 0);
	dma_on(0);
	packets(1);
	UNIT_EQ(count(0, 0, "xoff"), 0); /* the command was not carried out, either */
	channel_fault("ddl-extra", 0x1, 2);
	UNIT_EQ(command(0, CRORC_DDL_SIU_RESET, NULL), 2);
	UNIT_EQ(command(0, CRORC_DDL_READ_STATUS_SIU, NULL), 3);
	UNIT_EQ(command(0, CRORC_DDL_SIU_RESET, NULL), 1);
	host_end();
}

static void link_flap(void)
{
	unsigned int i, down = 0;

	host_begin();
	channel_fault("link-flap", 0x1, 500);
	for (i = 1; i <= 1000; i++) {
		if (rd(0, CRORC_CHAN_CSR) & CRORC_CHAN_CSR_LINK_DOWN) {
			down++;
			UNIT_EQ(i % 500, 0);
		}
		UNIT_EQ(peek(0, CRORC_CHAN_CSR), 0);
		UNIT_EQ(rd(1, CRORC_CHAN_CSR), 0);
	}
	UNIT_EQ(down, 2);
	host_end();
}

static void wrong_data(void)
{
	unsigned int i, wrong = 0;

	host_begin();
	start(0);
	channel_fault("flip", 0x1, 1);
	channel_fault("skip-packet", 0x1, 3);
	channel_fault("offset-zero", 0x1, 2);
	push(0, 0);
	run(0);
	for (i = 0; i < PAYLOAD / 4; i++)
		wrong += word(place(0, 0), 0, 8192, RDH / 4 + i) != i;
	UNIT_EQ(wrong, 1);
	for (i = 0; i < PAYLOAD / 4; i++)
		wrong += word(place(0, 0), 1, 8192, RDH / 4 + i) != PAYLOAD / 4 + i;
	UNIT_EQ(wrong, 1);
	UNIT_EQ(word(place(0, 0), 0, 8192, 3) >> 8 & 0xff, 3);
	UNIT_EQ(word(place(0, 0), 1, 8192, 3) >> 8 & 0xff, 4);
	UNIT_EQ(word(place(0, 0), 1, 8192, 2) & 0xffff, 0);
	UNIT_EQ(word(place(0, 0), 2, 8192, 2) & 0xffff, 8192);
	host_end();
}

static void bad_tf(void)
{
	host_begin();
	key(0, "packets-per-orbit", "8");
	wr(0, CRORC_CONFIG_B, 10 | CRORC_CONFIG_B_DETECT); /* 80 packets a frame */
	start(0);
	channel_fault("bad-tf", 0x1, 1);
	fill(0, 0);
	UNIT_EQ(block(0)->size, SP);
	UNIT_EQ(word(place(0, 0), 80, 8192, 5), 10);
	fill(0, 1);
	UNIT_EQ(block(0)->size, 32 * 8192);
	host_end();
}

static void all_of_them(void)
{
	const struct card_fault *f;

	host_begin();
	for (f = crorc_card.faults; f->name; f++) {
		bool channels = f->arg && !strcmp(f->arg, "channels");
		uint64_t arg = f->low_arg ? 5ull << 32 | 3 : 5;

		CU_ASSERT(f->help && f->help[0]);
		UNIT_EQ(crorc_card.fault_get(host.card, 0, f->name), 0);
		UNIT_NEED(crorc_card.fault_set(host.card, 0, f->name, arg));
		UNIT_EQ(crorc_card.fault_get(host.card, 0, f->name), arg);
		if (channels && f->low_arg) { /* the others keep theirs */
			UNIT_NEED(crorc_card.fault_set(host.card, 0, f->name, 1ull << 32));
			UNIT_EQ(crorc_card.fault_get(host.card, 0, f->name), 4ull << 32 | 3);
		}
	}
	UNIT_NEED(crorc_card.fault_clear(host.card, 0, NULL));
	for (f = crorc_card.faults; f->name; f++)
		UNIT_EQ(crorc_card.fault_get(host.card, 0, f->name), 0);
	UNIT_EQ(crorc_card.fault_set(host.card, 0, "no-such-fault", 1), false);
	UNIT_EQ(crorc_card.fault_clear(host.card, 0, "no-such-fault"), false);
	host_end();
}

UNIT_MAIN("emu_crorc_faults", {"stall", stall}, {"write-race", write_race},
	  {"lost-write", lost_writes}, {"lost-push", lost_push},
	  {"late-completion", late_completion}, {"late-flush", late_flush},
	  {"count-jump, size-big, size-zero", wrong_blocks}, {"write-after-off", write_after_off},
	  {"reset-ignored", reset_ignored}, {"ddl-stuck, ddl-extra", ddl}, {"link-flap", link_flap},
	  {"flip, skip-packet, offset-zero", wrong_data}, {"bad-tf", bad_tf},
	  {"set, get, clear", all_of_them})
