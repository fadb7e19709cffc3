// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The PCIe40 as one card: the tables for the engine of units and for the server, and its counts.
 */
#include "p40.h"
#include "../values.h"

#include <string.h>

static void clear(struct unit *u)
{
	p40_source_update_counters(p40_stream(u), unit_now(u));
}

static void show(struct unit *u, struct json *j)
{
	const struct p40_stream *st = p40_stream(u);

	json_uint(j, "written", st->written);
	json_uint(j, "read", st->read);
	json_uint(j, "spill_level", st->spill.level);
}

/* Update the counters before their sums are shown. */
static void update_counters(struct unit_card *card, struct json *j)
{
	unsigned int i;

	for (i = 0; i < P40_STREAMS; i++)
		clear(unit_of(card, i));
}

static uint64_t waiting(const struct unit *u)
{
	return p40_waiting(p40_stream(u));
}

static const char *const counters[UNIT_COUNTERS] = {
	"units",	  "bytes",	   "offered",	      "events",		 "discarded",
	"throttles",	  "throttled",	   "throttle_cycles", "throttle_first",	 "throttle_from",
	"throttle_to",	  "truncations",   "truncated",	      "truncated_bytes", "truncate_cycles",
	"truncate_first", "truncate_from", "truncate_to",     "waiting",
};

#define OWN(count) offsetof(struct p40_stream, n.count)
#define UNIT(count) offsetof(struct p40_stream, unit.n.count)

static const struct unit_count counts[] = {
	{"recycled", OWN(recycled)},
	{"fulls", OWN(fulls)},
	{"doorbells", OWN(doorbells)},
	{"arms", UNIT(arms)},
	{"states", OWN(states)},
	{"interrupts", OWN(interrupts)},
	{"unrouted", UNIT(unrouted)},
	{"host_errors", UNIT(host_errors)},
	{"setup_errors", UNIT(setup_errors)},
	{"fetch_errors", UNIT(fetch_errors)},
	{"units_skipped", OWN(units_skipped)},
	{"doorbells_lost", UNIT(doorbells_lost)},
	{"stray_writes", UNIT(stray_writes)},
	{"closes", OWN(closes)},
	{"ends", OWN(ends)},
	{"resets", UNIT(resets)},
	{"dma_writes", UNIT(dma_writes)},
	{"dma_outside", UNIT(dma_outside)},
	{"dma_no_master", UNIT(dma_no_master)},
	{},
};

static const struct unit_waiting waits[] = {{P40_OFFERED, P40_WAITING, waiting}, {}};

static void vsec_words(const struct unit_card *c, uint32_t *word)
{
	const uint32_t words[] = {
		STREAM_VSEC_SIGNATURE_VALUE,
		P40_STREAMS | P40_RING_MAX << 8 | c->identity.messages.vectors << 16,
		P40_SEGMENTS,
		P40_BAR_DMA | P40_STREAM(0),
		P40_STREAM(1) - P40_STREAM(0),
		P40_BAR_DMA | P40_DOORBELL(0),
		P40_DOORBELL(1) - P40_DOORBELL(0),
		P40_BAR_DMA | P40_FUNCTION,
		P40_BAR_CARD | P40_CARD,
		P40_BAR_CARD | P40_SETTINGS(0),
		P40_SETTINGS(1) - P40_SETTINGS(0),
	};

	memcpy(word, words, sizeof(words));
	_Static_assert(sizeof(words) + VSEC_SIGNATURE == STREAM_VSEC_LENGTH, "all of it");
}

static const struct identity identity = {
	.id = STREAM_CARD_ID_VALUE,
	.units = P40_STREAMS,
	.features = CARD_FEATURE_GENERATORS | STREAM_FEATURE_SEGMENTS | STREAM_FEATURE_TRUNCATION,
	.source_default = STREAM_CARD_SOURCE_DEFAULT,
	.chip = 0x0000c0de40000000ull,
	.clock = P40_CLOCK,
	.messages =
		{
			.interrupts = EVENT_MSIX,
			.vectors = P40_VECTORS,
			.bar = P40_BAR_DMA,
			.table_offset = P40_MSIX_TABLE,
			.pending_offset = P40_MSIX_PENDING,
		},
	.serial = VALUE_SERIAL_WORD('4', '0', '0', '1'),
	.firmware = 0x40e0c0de,
	.temperature = 45000,
};

#define EVENT_ID_COUNTERS(first) (1u << (first) | 1u << ((first) + 1) | 1u << ((first) + 2))

static const struct unit_ops ops = {
	.vendor = P40_VENDOR,
	.device = P40_DEVICE,
	.card_size = sizeof(struct p40),
	.identity = &identity,
	.function =
		{
			.id = (uint32_t)STREAM_ID_FUNCTION << 16 | STREAM_VSEC_REVISION << 8 |
			      P40_STREAMS,
			.enables = STREAM_CAUSE_ALL,
			.units = P40_STREAMS,
			.levels = STREAM_RESET_ALL,
			UNIT_FUNCTION_OPS,
		},
	.at = {P40_FUNCTION, P40_STREAM(0), STREAM_SIZE, P40_DOORBELL(0)},
	.vsec = {STREAM_VSEC_ID, STREAM_VSEC_REVISION, (STREAM_VSEC_LENGTH - VSEC_SIGNATURE) / 4},
	.vsec_words = vsec_words,
	.one = "stream",
	.many = "streams",
	.count = P40_STREAMS,
	.units_at = offsetof(struct p40, st),
	.unit_size = sizeof(struct p40_stream),
	.id = STREAM_ID_STREAM,
	.trouble = BLOCK_STATUS_SETUP_ERROR | BLOCK_STATUS_FETCH_ERROR | BLOCK_STATUS_HOST_ERROR |
		   STREAM_STATUS_THROTTLING,
	.last_kept = STREAM_START,
	.address = {[P40_RING] = STREAM_RING_LOW, [P40_PAGE] = STREAM_PAGE_LOW},
	.regs = p40_registers,
	.vectors = 1,
	.slice = 16384,
	.stray = STREAM_LINE,
	.faults = p40_fault_list,
	.counters = counters,
	.event_id_counters =
		EVENT_ID_COUNTERS(P40_THROTTLE_FIRST) | EVENT_ID_COUNTERS(P40_TRUNCATE_FIRST),
	.waiting = waits,
	.counts = counts,
	.card_default = p40_card_default,
	.open_read = p40_open_read,
	.open_write = p40_open_write,
	.open_poke = p40_open_poke,
	.show_first = update_counters,
	.read = p40_read,
	.write = p40_write,
	.control = p40_control,
	.doorbell_read = p40_doorbell_read,
	.doorbell_write = p40_doorbell_write,
	.doorbell_wakes_engine = p40_doorbell_wakes_engine,
	.init = p40_init,
	.free = p40_free,
	.setup_ok = p40_setup_ok,
	.prepare = p40_prepare,
	.take_over = p40_take_over,
	.begin = p40_begin,
	.stray_at = p40_stray_at,
	.off = p40_off,
	.logic = p40_logic,
	.reset_counters = p40_reset_counters,
	.defaults = p40_defaults,
	.flush = p40_flush,
	.error = p40_error,
	.quiesced = p40_quiesced,
	.status = p40_status,
	.turn = p40_turn,
	.spurious = p40_spurious,
	.clear = clear,
	.show = show,
};

static void *create(const struct card_host *host)
{
	_Static_assert(STREAM_COUNTERS == UNIT_COUNTERS, "a stream has as many as the engine");
	return unit_card_create(host, &ops);
}

const struct card_ops p40_card = {
	.name = "p40",
	.bar_size = {[P40_BAR_DMA] = P40_BAR_DMA_SIZE, [P40_BAR_CARD] = P40_BAR_CARD_SIZE},
	.pcie_gen = 3,
	.create = create,
	.keys = p40_keys,
	.faults = p40_fault_list,
	UNIT_CARD_OPS,
};
