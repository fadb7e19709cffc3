// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors, alarms, and the reset of all units of a function. See function_block.h.
 */
#include "function_block.h"

#include <endian.h>

#include "kmod/stream/stream_regs.h"

void function_block_cause(struct function_block *b, uint32_t bits)
{
	if (bits & b->enable & ~b->cause)
		b->interrupt_due = true;
	b->cause |= bits;
}

/* Temperature alarms are re-armed only after the temperature was some degrees lower. */
static bool crossed(bool *above, int64_t temperature, int limit)
{
	bool was = *above;

	if (was)
		limit -= FUNCTION_TEMPERATURE_HYSTERESIS;
	*above = temperature != INT32_MIN && temperature > 1000 * limit;
	return *above && !was;
}

void function_block_turn(struct function_block *b, const struct card_host *host, unsigned int fn,
			 int64_t temperature)
{
	uint32_t value;

	if (crossed(&b->hot, temperature, FUNCTION_TEMPERATURE_HIGH))
		function_block_cause(b, FUNCTION_CAUSE_TEMPERATURE);
	if (crossed(&b->critical, temperature, FUNCTION_TEMPERATURE_CRITICAL))
		function_block_cause(b, FUNCTION_CAUSE_CRITICAL);
	value = b->cause & b->enable;
	if (value != b->reported)
		b->notice_due = true;
	b->reported = value;
	if (b->notice_due && b->notice) {
		uint32_t word = htole32(value);

		if (!b->ops->put(b->model, b->notice, &word, sizeof(word)))
			return;
	}
	b->notice_due = false;
	if (!b->interrupt_due || b->vector == FUNCTION_VECTOR_NONE)
		return;
	switch (host->message(host->ctx, fn, b->vector)) {
	case CARD_MESSAGE_NO_MASTER:
		return;
	case CARD_MESSAGE_SENT:
		b->alarms++;
		break;
	case CARD_MESSAGE_OFF:
		break;
	}
	b->interrupt_due = false;
}

void function_block_reset(struct function_block *b)
{
	*b = (struct function_block){
		.ops = b->ops,
		.model = b->model,
		.alarms = b->alarms,
		.generation = b->generation + 1,
	};
}

void function_block_reset_done(struct function_block *b, unsigned int unit)
{
	if (!(b->resets & 1u << unit))
		return;
	b->resets &= ~(1u << unit);
	if (!b->resets)
		b->generation++;
}

static void reset_all(struct function_block *b, uint32_t levels)
{
	if (levels & ~b->ops->levels) {
		function_block_cause(b, FUNCTION_CAUSE_HOST);
		return;
	}
	if (levels & (BLOCK_RESET_LOGIC | BLOCK_RESET_DEFAULT))
		b->resets = (1u << b->ops->units) - 1;
	b->ops->reset(b->model, levels);
}

uint32_t function_block_read(const struct function_block *b, uint32_t off)
{
	switch (off) {
	case FUNCTION_ID:
		return b->ops->id;
	case FUNCTION_CAUSE:
		return b->cause;
	case FUNCTION_ENABLE:
		return b->enable;
	case FUNCTION_VECTOR:
		return b->vector;
	case FUNCTION_CHANNELS:
		return b->ops->trouble(b->model);
	case FUNCTION_GENERATION:
		return b->generation;
	}
	return 0;
}

void function_block_write(struct function_block *b, uint32_t off, uint32_t value)
{
	switch (off) {
	case FUNCTION_CAUSE:
		b->cause &= ~value;
		b->interrupt_due = b->cause & b->enable;
		break;
	case FUNCTION_ENABLE:
		b->enable = value & b->ops->enables;
		b->interrupt_due = b->cause & b->enable;
		break;
	case FUNCTION_VECTOR:
		b->vector = value & 0xffff;
		break;
	case FUNCTION_NOTICE_LOW:
		b->notice_low = value;
		break;
	case FUNCTION_NOTICE_HIGH:
		b->notice = (uint64_t)value << 32 | b->notice_low;
		b->notice_due = true;
		break;
	case FUNCTION_RESET:
		reset_all(b, value);
		break;
	}
}
