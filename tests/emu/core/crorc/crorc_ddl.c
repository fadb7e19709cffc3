// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detector data link of a C-RORC channel: replies of DIU, SIU and front end to commands.
 *
 * The DIU is on the card. Commands to SIU and front end, and those that the DIU forwards to the
 * SIU, need the fibre. Without it there is no reply at all.
 */
#include "crorc.h"

#include <stdio.h>
#include <string.h>

/* Command codes. run() selects the commands of each end. */
#define CODE_READ_STATUS 0
#define CODE_RDYRX 1
#define CODE_STBRD 5
#define CODE_HARDWARE_ID 6
#define CODE_LOOP 9
#define CODE_LINK_RESET 10
#define CODE_LINK_INIT 11
#define CODE_EOBTR 11
#define CODE_FECTRL 12
#define CODE_SIU_RESET 15

#define PORT_NO_SIGNAL 4
#define PORT_SHIFT 12
#define REMOTE_SHIFT 15 /* DIU only */
#define REMOTE_NO_SIGNAL 4
#define DIU_LOOP_BIT (1u << 30)
#define SIU_LOOP_BIT (1u << 16)
#define SIU_FEE_OPEN_BIT (1u << 15)
#define SIU_SERIAL 12345

static void reply(struct crorc_channel *ch, uint32_t word)
{
	struct crorc_ddl *d = &ch->ddl;
	unsigned int at = (d->head + d->count) % CRORC_DDL_WORDS;

	if (d->count == CRORC_DDL_WORDS) {
		ch->n.ddl_overflow++;
		return;
	}
	d->fifo[at].word = word;
	d->fifo[at].due_ns = crorc_now(ch->card) + ch->set.ddl_latency_us * 1000ull;
	d->count++;
	ch->n.ddl_replies++;
}

/* A word of status @code to @command: same end, same transaction. */
static uint32_t answer(uint32_t command, unsigned int code, uint32_t parameter)
{
	return (command & 0xf0f) | code << 4 | parameter << 12;
}

static void transmitted(struct crorc_channel *ch, uint32_t command)
{
	reply(ch, answer(command, CRORC_DDL_CTSTW, CRORC_DDL_PARAMETER(command)));
}

void crorc_label(char *label, const char *name, const char *version, int channel,
		 unsigned int serial)
{
	char text[16];

	memset(label, ' ', CRORC_LABEL - 1);
	label[CRORC_LABEL - 1] = '\0';
	memcpy(label, name, strlen(name));
	memcpy(label + 7, version, strlen(version));
	if (channel >= 0) {
		label[11] = 'C';
		label[12] = 'h';
		label[13] = '0' + channel / 10;
		label[14] = '0' + channel % 10;
	}
	snprintf(text, sizeof(text), "S/N: %05u", serial % 100000);
	memcpy(label + 28, text, strlen(text));
}

static void hardware_id(struct crorc_channel *ch, uint32_t command)
{
	uint32_t index = CRORC_DDL_PARAMETER(command);
	char label[CRORC_LABEL];
	uint8_t c;

	crorc_label(label, "SIU2", "2.0", ch->nr, SIU_SERIAL + ch->nr);
	c = index < CRORC_LABEL ? label[index] : 0;
	reply(ch, answer(command, CRORC_DDL_HWSTW, (uint32_t)c << 8));
	transmitted(ch, command);
}

static void interface_status(struct crorc_channel *ch, uint32_t command)
{
	const struct crorc_ddl *d = &ch->ddl;
	bool up = crorc_link_up(ch);
	uint32_t word = answer(command, CRORC_DDL_IFSTW, 0);

	if (CRORC_DDL_END(command) == CRORC_DDL_END_DIU) {
		word |= (up ? CRORC_DDL_PORT_ONLINE : PORT_NO_SIGNAL) << PORT_SHIFT;
		word |= (up ? CRORC_DDL_PORT_ONLINE : REMOTE_NO_SIGNAL) << REMOTE_SHIFT;
		word |= d->diu_loop ? DIU_LOOP_BIT : 0;
	} else {
		word |= CRORC_DDL_PORT_ONLINE << PORT_SHIFT;
		word |= d->siu_loop ? SIU_LOOP_BIT : 0;
		word |= d->fee_open ? SIU_FEE_OPEN_BIT : 0;
	}
	reply(ch, word);
	transmitted(ch, command);
}

static bool diu(struct crorc_channel *ch, uint32_t command)
{
	struct crorc_ddl *d = &ch->ddl;

	switch (CRORC_DDL_CODE(command)) {
	case CODE_LOOP:
		d->diu_loop = true;
		return true;
	case CODE_SIU_RESET:
		d->siu_loop = false;
		d->fee_open = false;
		d->diu_loop = false;
		return true;
	case CODE_LINK_RESET:
	case CODE_LINK_INIT:
		d->diu_loop = false;
		return true;
	}
	return false;
}

static bool front_end(struct crorc_channel *ch, uint32_t command)
{
	switch (CRORC_DDL_CODE(command)) {
	case CODE_RDYRX:
	case CODE_STBRD:
		ch->ddl.fee_open = true;
		return true;
	case CODE_EOBTR:
		ch->ddl.fee_open = false;
		return true;
	case CODE_FECTRL:
		return true;
	}
	return false;
}

static bool siu(struct crorc_channel *ch, uint32_t command)
{
	if (CRORC_DDL_CODE(command) != CODE_LOOP)
		return false;
	ch->ddl.siu_loop = true;
	return true;
}

/* Each command has one status word as its reply, except two that have two words. */
static void run(struct crorc_channel *ch, uint32_t command)
{
	unsigned int end = CRORC_DDL_END(command), code = CRORC_DDL_CODE(command);
	bool known;

	if (end != CRORC_DDL_END_DIU && end != CRORC_DDL_END_SIU && end != CRORC_DDL_END_FEE)
		return; /* no receiver */
	if ((end != CRORC_DDL_END_DIU || code == CODE_SIU_RESET) && !crorc_link_up(ch))
		return;
	if (end != CRORC_DDL_END_FEE && code == CODE_READ_STATUS) {
		interface_status(ch, command);
		return;
	}
	if (end == CRORC_DDL_END_SIU && code == CODE_HARDWARE_ID) {
		hardware_id(ch, command);
		return;
	}
	if (end == CRORC_DDL_END_DIU)
		known = diu(ch, command);
	else
		known = end == CRORC_DDL_END_SIU ? siu(ch, command) : front_end(ch, command);
	if (known)
		transmitted(ch, command);
	else
		reply(ch, answer(command, CRORC_DDL_ILCMD, CRORC_DDL_PARAMETER(command)));
}

void crorc_ddl_command(struct crorc_channel *ch, uint32_t command)
{
	unsigned int before = ch->ddl.count;

	ch->n.ddl_commands++;
	ch->ddl.stuck = crorc_fault_on(ch, CRORC_DDL_STUCK);
	if (ch->ddl.stuck)
		return;
	run(ch, command);
	if (ch->ddl.count != before && crorc_fault_take(ch, CRORC_DDL_EXTRA))
		transmitted(ch, command);
}

bool crorc_ddl_waiting(const struct crorc_channel *ch, uint64_t now)
{
	return ch->ddl.count && ch->ddl.fifo[ch->ddl.head].due_ns <= now;
}

uint32_t crorc_ddl_status(struct crorc_channel *ch, uint64_t now, bool peek)
{
	struct crorc_ddl *d = &ch->ddl;
	uint32_t word;

	if (!crorc_ddl_waiting(ch, now))
		return 0;
	word = d->fifo[d->head].word;
	if (!peek) {
		d->head = (d->head + 1) % CRORC_DDL_WORDS;
		d->count--;
	}
	return word;
}

/*
 * A card reset does not reach the far end of the fibre. Only the SIU's loop is ended, because
 * nothing else would end it.
 */
void crorc_ddl_reset(struct crorc_channel *ch)
{
	ch->ddl.head = 0;
	ch->ddl.count = 0;
	ch->ddl.diu_loop = false;
	ch->ddl.siu_loop = false;
	ch->ddl.stuck = false;
}
