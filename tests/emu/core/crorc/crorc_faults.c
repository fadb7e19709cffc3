// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C-RORC's faults: the behaviour of a broken card, switched on one fault at a time.
 *
 * Most faults apply to single channels: their first argument is a mask of channels. Each channel
 * has its own copy, so setting a fault for one channel does not change the others.
 */
#include "crorc.h"

#include <string.h>

#define MASK "channels"

const struct card_fault crorc_fault_list[] = {
	[CRORC_STALL] = {"stall", MASK, NULL, "no data and no completion"},
	[CRORC_WRITE_RACE] =
		{"write-race", "us", NULL,
		 "writes are lost while one in another BAR, not read back, is younger"},
	[CRORC_LOST_WRITE] = {"lost-write", "offset", "N",
			      "every Nth write of this register is lost"},
	[CRORC_LOST_PUSH] = {"lost-push", MASK, "N", "every Nth push is lost"},
	[CRORC_LATE_COMPLETION] = {"late-completion", MASK, "ms", "completions come later"},
	[CRORC_LATE_FLUSH] = {"late-flush", MASK, "ms", "the completion of a flush comes later"},
	[CRORC_COUNT_JUMP] = {"count-jump", MASK, "N", "the next completion counts N too many"},
	[CRORC_SIZE_BIG] =
		{"size-big", MASK, "bytes",
		 "the next completion reports so many bytes more than the superpage has"},
	[CRORC_SIZE_ZERO] = {"size-zero", MASK, "N", "the next N completions report 0 bytes"},
	[CRORC_WRITE_AFTER_OFF] = {"write-after-off", MASK, "ms",
				   "one page is written that long after DMA went off"},
	[CRORC_RESET_IGNORED] = {"reset-ignored", MASK, NULL, "reset does nothing"},
	[CRORC_DDL_STUCK] = {"ddl-stuck", MASK, NULL, "commands are lost and get no reply"},
	[CRORC_DDL_EXTRA] = {"ddl-extra", MASK, "N", "one word too many for the next N commands"},
	[CRORC_LINK_FLAP] = {"link-flap", MASK, "N",
			     "every Nth read of the status shows the link down"},
	[CRORC_FLIP] = {"flip", MASK, "N", "one payload bit wrong in the next N packets"},
	[CRORC_SKIP_PACKET] = {"skip-packet", MASK, "N", "the next packet counter jumps over N"},
	[CRORC_BAD_TF] = {"bad-tf", MASK, "N", "the next N time frames start inside a superpage"},
	[CRORC_OFFSET_ZERO] = {"offset-zero", MASK, "N",
			       "offset to next is 0 in the next N packets"},
	[CRORC_DROP_SERIAL] = {"drop-serial", NULL, NULL,
			       "the serial number reads 0 until it is loaded again"},
	[CRORC_NO_SERIAL] = {"no-serial", NULL, NULL, "the serial register always reads 0"},
	[CRORC_FLASH_FAIL] = {"flash-fail", "skip", "N",
			      "after so many good ones, N programs or erases fail"},
	[CRORC_FLASH_BUSY] = {"flash-busy", NULL, NULL, "program and erase operations never end"},
	[CRORC_FLASH_NOT_READY] = {"flash-not-ready", NULL, NULL,
				   "the flash interface never reports ready"},
	EVENT_FAULTS,
	{},
};

static int find(const char *name)
{
	int n;

	for (n = 0; n < CRORC_FAULTS; n++) {
		if (!strcmp(crorc_fault_list[n].name, name))
			return n;
	}
	return -1;
}

static bool of_channels(int n)
{
	return crorc_fault_list[n].arg && !strcmp(crorc_fault_list[n].arg, MASK);
}

bool crorc_fault_set(void *card, unsigned int fn, const char *name, uint64_t arg)
{
	struct crorc *c = card;
	uint64_t *of_events = event_fault(&c->events, name);
	int n = find(name);
	unsigned int i;
	uint64_t mask;

	if (of_events) {
		event_fault_set(&c->events, of_events, arg);
		return true;
	}
	if (n < 0)
		return false;
	if (!of_channels(n)) {
		c->fault[n] = arg;
		return true;
	}
	mask = crorc_fault_list[n].low_arg ? arg >> 32 : arg;
	for (i = 0; i < CRORC_CHANNELS; i++) {
		if (mask & 1u << i)
			c->ch[i].fault[n] = crorc_fault_list[n].low_arg ? (uint32_t)arg : 1;
	}
	return true;
}

bool crorc_fault_clear(void *card, unsigned int fn, const char *name)
{
	struct crorc *c = card;
	int n = name ? find(name) : 0, last = name ? n : CRORC_FAULTS - 1;
	uint64_t *of_events = name ? event_fault(&c->events, name) : NULL;
	unsigned int i;

	if (of_events) {
		*of_events = 0;
		return true;
	}
	if (n < 0)
		return false;
	if (!name)
		memset(&c->events.fault, 0, sizeof(c->events.fault));
	for (; n <= last; n++) {
		c->fault[n] = 0;
		for (i = 0; i < CRORC_CHANNELS; i++)
			c->ch[i].fault[n] = 0;
	}
	return true;
}

/* With several channels, return the mask of channels and the argument of the first one. */
uint64_t crorc_fault_get(void *card, unsigned int fn, const char *name)
{
	struct crorc *c = card;
	int n = find(name);
	uint64_t *of_events = event_fault(&c->events, name);
	uint64_t mask = 0, arg = 0;
	unsigned int i;

	if (of_events)
		return *of_events;
	if (n < 0)
		return 0;
	if (!of_channels(n))
		return c->fault[n];
	for (i = CRORC_CHANNELS; i-- > 0;) {
		if (!c->ch[i].fault[n])
			continue;
		mask |= 1u << i;
		arg = c->ch[i].fault[n];
	}
	return crorc_fault_list[n].low_arg ? mask << 32 | arg : mask;
}

uint32_t crorc_fault_on(const struct crorc_channel *ch, enum crorc_fault fault)
{
	return ch->fault[fault];
}

bool crorc_fault_take(struct crorc_channel *ch, enum crorc_fault fault)
{
	if (!ch->fault[fault])
		return false;
	ch->fault[fault]--;
	return true;
}

uint32_t crorc_fault_once(struct crorc_channel *ch, enum crorc_fault fault)
{
	uint32_t arg = ch->fault[fault];

	ch->fault[fault] = 0;
	return arg;
}
