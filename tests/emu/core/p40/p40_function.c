// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The function's block: errors, alarms, and the reset of all streams.
 */
#include "p40.h"

#include <endian.h>

void p40_cause(struct p40 *c, uint32_t bits)
{
	struct p40_function *f = &c->function;

	if (bits & f->enable & ~f->cause)
		f->interrupt_due = true;
	f->cause |= bits;
}

/* The alarms of temperature come again only after it was some degrees lower. */
static bool crossed(bool *above, int64_t temperature, int limit)
{
	bool was = *above;

	if (was)
		limit -= STREAM_TEMPERATURE_HYSTERESIS;
	*above = temperature != INT32_MIN && temperature > 1000 * limit;
	return *above && !was;
}

void p40_function_turn(struct p40 *c)
{
	struct p40_function *f = &c->function;
	uint32_t value;

	if (crossed(&f->hot, c->temperature, STREAM_TEMPERATURE_HIGH))
		p40_cause(c, STREAM_CAUSE_TEMPERATURE);
	if (crossed(&f->critical, c->temperature, STREAM_TEMPERATURE_CRITICAL))
		p40_cause(c, STREAM_CAUSE_CRITICAL);
	value = f->cause & f->enable;
	if (value != f->told)
		f->notice_due = true;
	f->told = value;
	if (f->notice_due && f->notice) {
		uint32_t word = htole32(value);

		if (!p40_put(&c->st[0], f->notice, &word, sizeof(word)))
			return;
	}
	f->notice_due = false;
	if (!f->interrupt_due || f->vector == STREAM_VECTOR_NONE)
		return;
	switch (c->host->message(c->host->ctx, P40_FN, f->vector)) {
	case CARD_MESSAGE_NO_MASTER:
		return;
	case CARD_MESSAGE_SENT:
		f->alarms++;
		break;
	case CARD_MESSAGE_OFF:
		break;
	}
	f->interrupt_due = false;
}

/* By a function-level reset, or at power-on. */
void p40_function_reset(struct p40 *c)
{
	struct p40_function *f = &c->function;

	*f = (struct p40_function){.alarms = f->alarms, .generation = f->generation + 1};
}

static uint32_t streams_in_trouble(const struct p40 *c)
{
	uint32_t mask = 0;
	unsigned int s;

	for (s = 0; s < P40_STREAMS; s++) {
		const struct p40_stream *st = &c->st[s];

		if (st->setup_error || st->fetch_error || st->host_error || st->spill.throttling)
			mask |= 1u << s;
	}
	return mask;
}

void p40_function_reset_done(struct p40_stream *st)
{
	struct p40_function *f = &st->card->function;

	if (!(f->resets & 1u << st->nr))
		return;
	f->resets &= ~(1u << st->nr);
	if (!f->resets)
		f->generation++;
}

static void reset_all(struct p40 *c, uint32_t levels)
{
	unsigned int s;

	if (levels & ~STREAM_RESET_ALL) {
		p40_cause(c, STREAM_CAUSE_HOST);
		return;
	}
	if (levels & (STREAM_RESET_LOGIC | STREAM_RESET_DEFAULT))
		c->function.resets = P40_ALL;
	for (s = 0; s < P40_STREAMS; s++)
		p40_stream_reset(&c->st[s], levels);
	if (levels & STREAM_RESET_DEFAULT && !c->fault[P40_RESET_IGNORED])
		p40_card_default(c);
}

uint32_t p40_function_read(const struct p40 *c, uint32_t off)
{
	const struct p40_function *f = &c->function;

	switch (off) {
	case STREAM_FUNCTION_ID:
		return (uint32_t)STREAM_ID_FUNCTION << 16 | STREAM_VSEC_REVISION << 8 | P40_STREAMS;
	case STREAM_FUNCTION_CAUSE:
		return f->cause;
	case STREAM_FUNCTION_ENABLE:
		return f->enable;
	case STREAM_FUNCTION_VECTOR:
		return f->vector;
	case STREAM_FUNCTION_STREAMS:
		return streams_in_trouble(c);
	case STREAM_FUNCTION_GENERATION:
		return f->generation;
	}
	return 0;
}

void p40_function_write(struct p40 *c, uint32_t off, uint32_t value)
{
	struct p40_function *f = &c->function;

	switch (off) {
	case STREAM_FUNCTION_CAUSE:
		f->cause &= ~value;
		f->interrupt_due = f->cause & f->enable;
		break;
	case STREAM_FUNCTION_ENABLE:
		f->enable = value & STREAM_CAUSE_ALL;
		f->interrupt_due = f->cause & f->enable;
		break;
	case STREAM_FUNCTION_VECTOR:
		f->vector = value & 0xffff;
		break;
	case STREAM_FUNCTION_NOTICE_LOW:
		f->notice_low = value;
		break;
	case STREAM_FUNCTION_NOTICE_HIGH:
		f->notice = (uint64_t)value << 32 | f->notice_low;
		f->notice_due = true;
		break;
	case STREAM_FUNCTION_RESET:
		reset_all(c, value);
		break;
	}
}
