// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RobinNP as one card: the tables for the engine of units and for the server.
 */
#include "robinnp.h"
#include "../values.h"

#include <string.h>

static uint64_t commands(const struct unit *u)
{
	return robinnp_commands(robinnp_sub(u));
}

static uint64_t frees(const struct unit *u)
{
	return robinnp_frees(robinnp_sub(u));
}

static const struct unit_waiting waits[] = {
	{FRAGMENT_COUNT_COMMANDS, FRAGMENT_COUNT_COMMANDS_WAITING, commands},
	{FRAGMENT_COUNT_FREES, FRAGMENT_COUNT_FREES_WAITING, frees},
	{},
};

static void vsec_words(const struct unit_card *c, uint32_t *word)
{
	const uint32_t words[] = {
		FRAGMENT_VSEC_SIGNATURE_VALUE,
		ROBINNP_SUBS | ROBINNP_LINKS << 4 | ROBINNP_DATA_MAX << 8 |
			ROBINNP_COMMAND_MAX << 16 | c->identity.messages.vectors << 24,
		((const struct robinnp *)c)->memory,
		ROBINNP_HOST_PAGES,
		ROBINNP_BAR_DMA | ROBINNP_SUB(0),
		ROBINNP_SUB(1) - ROBINNP_SUB(0),
		ROBINNP_BAR_DMA | ROBINNP_DOORBELL(0),
		ROBINNP_DOORBELL(1) - ROBINNP_DOORBELL(0),
		ROBINNP_BAR_DMA | ROBINNP_FUNCTION,
		ROBINNP_BAR_CARD | ROBINNP_CARD,
		ROBINNP_BAR_CARD | ROBINNP_COUNTS(0),
		ROBINNP_COUNTS(1) - ROBINNP_COUNTS(0),
		ROBINNP_BAR_CARD | ROBINNP_LINK(0),
		ROBINNP_LINK(1) - ROBINNP_LINK(0),
	};

	memcpy(word, words, sizeof(words));
	_Static_assert(sizeof(words) + VSEC_SIGNATURE == FRAGMENT_VSEC_LENGTH, "all of it");
}

static const struct identity identity = {
	.id = FRAGMENT_CARD_ID_VALUE,
	.units = ROBINNP_SUBS | ROBINNP_LINKS << 8,
	.features = CARD_FEATURE_GENERATORS,
	.source_default = FRAGMENT_CARD_SOURCE_DEFAULT,
	.chip = 0x0000c0de0b100000ull,
	.clock = ROBINNP_CLOCK,
	.messages =
		{
			.interrupts = EVENT_MSIX,
			.vectors = ROBINNP_VECTORS,
			.bar = ROBINNP_BAR_DMA,
			.table_offset = ROBINNP_MSIX_TABLE,
			.pending_offset = ROBINNP_MSIX_PENDING,
		},
	.serial = VALUE_SERIAL_WORD('6', '0', '0', '1'),
	.firmware = 0x40b1c0de,
	.temperature = 45000,
};

static const struct unit_ops ops = {
	.vendor = ROBINNP_VENDOR,
	.device = ROBINNP_DEVICE,
	.card_size = sizeof(struct robinnp),
	.identity = &identity,
	.function =
		{
			.id = (uint32_t)FRAGMENT_ID_FUNCTION << 16 | FRAGMENT_VSEC_REVISION << 8 |
			      ROBINNP_SUBS,
			.enables = FRAGMENT_CAUSE_ALL,
			.units = ROBINNP_SUBS,
			.levels = FRAGMENT_RESET_ALL,
			UNIT_FUNCTION_OPS,
		},
	.at = {ROBINNP_FUNCTION, ROBINNP_SUB(0), FRAGMENT_SIZE, ROBINNP_DOORBELL(0)},
	.vsec = {FRAGMENT_VSEC_ID, FRAGMENT_VSEC_REVISION,
		 (FRAGMENT_VSEC_LENGTH - VSEC_SIGNATURE) / 4},
	.vsec_words = vsec_words,
	.one = "sub",
	.many = "subs",
	.count = ROBINNP_SUBS,
	.units_at = offsetof(struct robinnp, sub),
	.unit_size = sizeof(struct robinnp_sub),
	.id = FRAGMENT_ID_SUB,
	.trouble = FRAGMENT_STATUS_ERRORS,
	.last_kept = FRAGMENT_START,
	.address =
		{
			[ROBINNP_DATA] = FRAGMENT_DATA_LOW,
			[ROBINNP_FREE] = FRAGMENT_FREE_LOW,
			[ROBINNP_COMMAND] = FRAGMENT_COMMAND_LOW,
			[ROBINNP_DONE] = FRAGMENT_DONE_LOW,
			[ROBINNP_TABLE] = FRAGMENT_TABLE_LOW,
		},
	.regs = robinnp_registers,
	.vectors = ROBINNP_PURPOSES,
	.slice = 8192,
	.stray = sizeof(struct fragment_descriptor),
	.refusal_forgets = true,
	.faults = robinnp_fault_list,
	.counters = robinnp_counters,
	.waiting = waits,
	.counts = robinnp_count_list,
	.open_read = robinnp_open_read,
	.open_write = robinnp_open_write,
	.open_poke = robinnp_open_poke,
	.show_first = robinnp_show_sums,
	.show_last = robinnp_show_links,
	.read = robinnp_read,
	.write = robinnp_write,
	.before_read = robinnp_before_read,
	.doorbell_read = robinnp_doorbell_read,
	.doorbell_write = robinnp_doorbell_write,
	.doorbell_wakes_engine = robinnp_doorbell_wakes_engine,
	.init = robinnp_init,
	.free = robinnp_free,
	.setup_ok = robinnp_setup_ok,
	.prepare = robinnp_prepare,
	.take_over = robinnp_take_over,
	.begin = robinnp_begin,
	.stray_at = robinnp_stray_at,
	.off = robinnp_off,
	.logic = robinnp_logic,
	.reset_counters = robinnp_reset_counters,
	.defaults = robinnp_defaults,
	.error = robinnp_error,
	.quiesced = robinnp_quiesced,
	.status = robinnp_status,
	.turn = robinnp_turn,
	.spurious = robinnp_spurious,
	.clear = robinnp_clear,
	.show = robinnp_show_sub,
};

static void *create(const struct card_host *host)
{
	_Static_assert(FRAGMENT_COUNTS == UNIT_COUNTERS, "a sub-unit has as many as the engine");
	_Static_assert(ROBINNP_VECTOR(1) == 1 + ROBINNP_PURPOSES, "one for each purpose");
	return unit_card_create(host, &ops);
}

const struct card_ops robinnp_card = {
	.name = "robinnp",
	.bar_size =
		{
			[ROBINNP_BAR_DMA] = ROBINNP_BAR_DMA_SIZE,
			[ROBINNP_BAR_CARD] = ROBINNP_BAR_CARD_SIZE,
		},
	.pcie_gen = 2,
	.create = create,
	.keys = robinnp_keys,
	.faults = robinnp_fault_list,
	UNIT_CARD_OPS,
};
