// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a stream: enabled, with its table of segments, closed, reset, disabled; and the step
 * of the engine, which serves the streams in turn.
 */
#include "p40.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define SLICE 16384 /* bytes of one stream before it is the next one's turn */

uint64_t p40_waiting(const struct p40_stream *st)
{
	return st->spill.count + (st->packet.written ? 0 : st->packet.count);
}

void p40_host_error(struct p40_stream *st)
{
	st->n.host_errors++;
	if (!st->host_error) {
		function_block_cause(&st->card->function, FUNCTION_CAUSE_HOST);
		st->urgent |= STREAM_REASON_ERROR;
	}
	st->host_error = true;
}

bool p40_unit_skip(struct p40_stream *st, uint32_t events)
{
	if (!p40_fault_take(st, P40_RECORD_HOLE))
		return false;
	st->skipped++;
	st->n.units_skipped++;
	st->total[P40_DISCARDED] += events;
	st->counters_due = true;
	return true;
}

void p40_unit_done(struct p40_stream *st, uint32_t lines, uint32_t events, uint64_t last)
{
	st->written += lines;
	st->units++;
	st->last_event = last;
	st->total[P40_UNITS]++;
	st->total[P40_BYTES] += (uint64_t)lines * STREAM_LINE;
	st->total[P40_EVENTS] += events;
	st->state_due = true;
	st->counters_due = true;
}

static bool quiet(const struct p40_stream *st)
{
	if (st->card->fault[P40_NEVER_QUIET] || st->stray_ns)
		return false;
	if (st->ended)
		return !p40_interrupt_to_come(st);
	return !st->enabled && !st->loading;
}

uint32_t p40_stream_status(const struct p40_stream *st)
{
	const struct {
		bool set;
		uint32_t bit;
	} bits[] = {
		{st->enabled, STREAM_STATUS_ENABLED},
		{quiet(st), STREAM_STATUS_QUIET},
		{st->loading && st->load_shows, STREAM_STATUS_LOADING},
		{st->ended, STREAM_STATUS_ENDED},
		{st->armed, STREAM_STATUS_ARMED},
		{st->full, STREAM_STATUS_FULL},
		{st->spill.throttling, STREAM_STATUS_THROTTLING},
		{st->spill.truncating, STREAM_STATUS_TRUNCATING},
		{st->setup_error, STREAM_STATUS_SETUP_ERROR},
		{st->fetch_error, STREAM_STATUS_FETCH_ERROR},
		{st->host_error, STREAM_STATUS_HOST_ERROR},
	};
	uint32_t status = 0;
	unsigned int i;

	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		status |= bits[i].set ? bits[i].bit : 0;
	return status;
}

static uint64_t join(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

static bool setup_ok(const struct p40_stream *st)
{
	uint32_t ring = st->ring_size, segment = st->segment_size;

	if (st->written_bases != 0xf || ring < STREAM_RING_MIN || ring > P40_RING_MAX ||
	    st->ring_low % STREAM_ALIGN || st->page_low % STREAM_ALIGN)
		return false;
	return !segment || (segment >= STREAM_SEGMENT_MIN && segment <= ring &&
			    1ull << (ring - segment) <= P40_SEGMENTS);
}

static void setup_failed(struct p40_stream *st)
{
	st->loading = false;
	st->setup_error = true;
	st->n.setup_errors++;
	function_block_cause(&st->card->function, FUNCTION_CAUSE_HOST);
}

static void fetch_failed(struct p40_stream *st)
{
	st->loading = false;
	st->fetch_error = true;
	st->n.fetch_errors++;
	function_block_cause(&st->card->function, FUNCTION_CAUSE_FETCH);
}

static void enabled(struct p40_stream *st)
{
	st->loading = false;
	st->enabled = true;
	st->no_master = false;
	p40_page_begin(st);
	p40_page_turn(st, p40_now(st->card));
}

/* A piece of the table; false: no more now. */
static bool load_piece(struct p40_stream *st)
{
	const struct card_host *host = st->card->host;
	size_t len = (st->segments - st->loaded) * sizeof(uint64_t), i;
	const void *ptr;
	enum card_dma how;

	how = host->dma_read(host->ctx, P40_FN, st->ring + st->loaded * sizeof(uint64_t), &len,
			     (void **)&ptr);
	if (how == CARD_DMA_NO_MASTER) {
		p40_no_master(st);
		return false;
	}
	if (how == CARD_DMA_OUTSIDE || len < sizeof(uint64_t)) {
		p40_outside(st);
		fetch_failed(st);
		return false;
	}
	for (i = 0; i < len / sizeof(uint64_t); i++) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)ptr + i * sizeof(word), sizeof(word));
		word = le64toh(word);
		if (word % STREAM_ALIGN) {
			setup_failed(st);
			return false;
		}
		st->segment[st->loaded++] = word;
	}
	return st->loaded < st->segments;
}

static uint64_t load_turn(struct p40_stream *st, uint64_t now)
{
	if (!st->loading)
		return CARD_STEP_IDLE;
	if (st->load_ns > now)
		return st->load_ns;
	if (st->segment && st->fault[P40_FETCH_ERROR]) {
		st->fault[P40_FETCH_ERROR]--;
		fetch_failed(st);
		return CARD_STEP_IDLE;
	}
	while (st->segment && load_piece(st))
		;
	if (st->loading && st->loaded == st->segments)
		enabled(st);
	return CARD_STEP_IDLE;
}

static bool table_room(struct p40_stream *st)
{
	st->segment_log2 = st->segment_size;
	st->segments = 1u << (st->ring_log2 - st->segment_log2);
	st->segment = calloc(st->segments, sizeof(*st->segment));
	return st->segment;
}

/* What is carried out later shows nothing until then, with a table or without. */
static void load(struct p40_stream *st)
{
	uint64_t now = p40_now(st->card), late = st->fault[P40_ENABLE_SLOW];

	st->loading = true;
	st->load_shows = st->segment && !late;
	st->load_ns = now + (late + (st->segment ? st->fault[P40_LOAD_SLOW] : 0)) * MS;
	load_turn(st, now);
}

void p40_stream_enable(struct p40_stream *st)
{
	if (st->enabled || st->loading)
		return;
	st->setup_error = false;
	st->fetch_error = false;
	st->host_error = false;
	st->closing = false;
	st->ended = false;
	st->armed = false;
	st->full = false;
	st->written = st->start;
	st->told = st->start;
	st->read = st->start;
	st->seen = st->start;
	st->recycled = 0;
	st->units = 0;
	st->skipped = 0;
	st->last_event = 0;
	st->meta_dropping = false;
	if (!setup_ok(st)) {
		setup_failed(st);
		return;
	}
	st->ring = join(st->ring_high, st->ring_low);
	st->page = join(st->page_high, st->page_low);
	st->ring_log2 = st->ring_size;
	free(st->segment);
	st->segment = NULL;
	st->segments = 0;
	st->loaded = 0;
	if (st->segment_size && !table_room(st))
		fetch_failed(st);
	else
		load(st);
}

static void off(struct p40_stream *st)
{
	uint64_t now = p40_now(st->card), events;

	if (st->enabled && st->fault[P40_WRITE_AFTER_OFF]) {
		st->stray_ns = now + st->fault[P40_WRITE_AFTER_OFF] * MS;
		st->stray_addr = st->segment ? st->segment[0] : st->ring;
	}
	p40_source_off(st, now);
	events = p40_source_drop(st, now);
	events += p40_packet_drop(st, true);
	st->total[P40_DISCARDED] += events;
	st->enabled = false;
	st->loading = false;
	st->closing = false;
	st->ended = false;
	st->armed = false;
	st->full = false;
	st->urgent = 0;
	st->written_bases = 0;
}

void p40_stream_disable(struct p40_stream *st)
{
	if (st->fault[P40_RESET_IGNORED])
		return;
	off(st);
}

void p40_stream_close(struct p40_stream *st)
{
	if (!st->enabled || st->closing)
		return;
	p40_source_settle(st, p40_now(st->card));
	st->closing = true;
	st->n.closes++;
	st->gen.clock.flows = false;
}

static bool lost(struct p40_stream *st)
{
	if (!p40_fault_take(st, P40_LOST_DOORBELL))
		return false;
	st->n.doorbells_lost++;
	return true;
}

/* Somebody was faster. */
static bool is_late(const struct p40_stream *st, uint32_t value)
{
	return st->read - value <= p40_lines(st);
}

/* From the read position to what the host was told. */
static bool in_bounds(const struct p40_stream *st, uint32_t value)
{
	return value - st->read <= st->told - st->read;
}

void p40_stream_read(struct p40_stream *st, uint32_t value)
{
	st->n.doorbells++;
	if (lost(st) || !st->enabled)
		return;
	if (!in_bounds(st, value)) {
		if (!is_late(st, value))
			p40_host_error(st);
		return;
	}
	if (value - st->read > st->seen - st->read)
		st->seen = value;
	st->read = value;
}

void p40_stream_arm(struct p40_stream *st, uint32_t value, bool read)
{
	st->n.arms++;
	if (lost(st) || !st->enabled)
		return;
	if (in_bounds(st, value)) {
		st->seen = value;
		st->read = read ? value : st->read;
	} else if (is_late(st, value)) {
		st->seen = st->read;
	} else {
		p40_host_error(st);
		return;
	}
	st->armed = true;
}

static void reset_counters(struct p40_stream *st)
{
	p40_source_settle(st, p40_now(st->card));
	memcpy(st->base, st->total, sizeof(st->base));
	st->base[P40_OFFERED] -= p40_waiting(st);
	memset(&st->total[P40_THROTTLE_FIRST], 0, 3 * sizeof(uint64_t));
	memset(&st->total[P40_TRUNCATE_FIRST], 0, 3 * sizeof(uint64_t));
	st->meta_dropping = false;
	st->counters_due = true;
}

static void flush(struct p40_stream *st)
{
	uint64_t now = p40_now(st->card);

	st->total[P40_DISCARDED] += p40_source_drop(st, now) + p40_packet_drop(st, false);
	st->counters_due = true;
}

static void logic(struct p40_stream *st)
{
	off(st);
	st->ring_low = 0;
	st->ring_high = 0;
	st->page_low = 0;
	st->page_high = 0;
	st->ring_size = 0;
	st->segment_size = 0;
	st->start = st->card->position_start;
	st->written = 0;
	st->read = 0;
	st->seen = 0;
	st->setup_error = false;
	st->fetch_error = false;
	st->host_error = false;
	p40_source_restart(st);
}

static void defaults(struct p40_stream *st)
{
	st->irq_bytes = 0;
	st->irq_ns = 0;
	st->vector = st->nr + 1 < st->card->identity.messages.vectors ? st->nr + 1 : 0;
	p40_source_default(st);
	p40_settings_default(st);
	p40_source_restart(st);
}

static void reset_now(struct p40_stream *st, uint32_t levels)
{
	st->n.resets++;
	if (levels & STREAM_RESET_FLUSH)
		flush(st);
	if (levels & (STREAM_RESET_LOGIC | STREAM_RESET_DEFAULT))
		logic(st);
	if (levels & (STREAM_RESET_COUNTERS | STREAM_RESET_DEFAULT))
		reset_counters(st);
	if (levels & STREAM_RESET_DEFAULT)
		defaults(st);
	if (!(levels & (STREAM_RESET_LOGIC | STREAM_RESET_DEFAULT)))
		return;
	st->generation++;
	function_block_reset_done(&st->card->function, st->nr);
}

void p40_stream_reset(struct p40_stream *st, uint32_t levels)
{
	uint64_t now = p40_now(st->card);

	if (!levels || st->fault[P40_RESET_IGNORED])
		return;
	if (!st->fault[P40_RESET_SLOW]) {
		reset_now(st, levels);
		return;
	}
	if (!st->reset_due)
		st->reset_ns = now + st->fault[P40_RESET_SLOW] * MS;
	st->reset_due |= levels;
}

void p40_stream_power_on(struct p40_stream *st)
{
	st->reset_due = 0;
	st->stray_ns = 0;
	reset_now(st, STREAM_RESET_DEFAULT);
	st->stray_ns = 0;
}

static uint64_t reset_turn(struct p40_stream *st, uint64_t now)
{
	uint32_t levels = st->reset_due;

	if (!levels)
		return CARD_STEP_IDLE;
	if (st->reset_ns > now)
		return st->reset_ns;
	st->reset_due = 0;
	reset_now(st, levels);
	return CARD_STEP_IDLE;
}

static uint64_t stray_turn(struct p40_stream *st, uint64_t now)
{
	uint8_t line[STREAM_LINE];

	if (!st->stray_ns)
		return CARD_STEP_IDLE;
	if (st->stray_ns > now)
		return st->stray_ns;
	memset(line, 0x5a, sizeof(line));
	if (!p40_put(st, st->stray_addr, line, sizeof(line)))
		return CARD_STEP_IDLE;
	st->stray_ns = 0;
	st->n.stray_writes++;
	return CARD_STEP_IDLE;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One turn of a stream: bytes that it wrote. */
static size_t serve(struct p40_stream *st, uint64_t now, size_t budget, uint64_t *when)
{
	uint64_t data = CARD_STEP_IDLE;
	size_t moved = 0;

	*when = earlier(reset_turn(st, now), stray_turn(st, now));
	*when = earlier(*when, load_turn(st, now));
	if (!st->enabled || st->fault[P40_STALL])
		return 0;
	if (!st->ended && st->kind == STREAM_TYPE_MAIN)
		moved = p40_packet_turn(st, now, budget, &data);
	else if (!st->ended && st->kind == STREAM_TYPE_ODIN)
		moved = p40_odin_turn(st, now, budget, &data);
	*when = earlier(*when, data);
	*when = earlier(*when, p40_page_turn(st, now));
	return moved;
}

uint64_t p40_step(struct p40 *c, size_t budget)
{
	uint64_t now = p40_now(c), soonest = p40_spurious_turn(c, now), when;
	unsigned int idle = 0; /* streams in a row that wrote nothing */
	size_t moved = 0;

	while (moved < budget && idle < P40_STREAMS) {
		struct p40_stream *st = &c->st[c->turn];
		size_t slice = budget - moved < SLICE ? budget - moved : SLICE;
		size_t bytes = serve(st, now, slice, &when);

		/* What main has written meta tells of at once, whoever's turn it is. */
		if (bytes && st->kind == STREAM_TYPE_MAIN)
			soonest = earlier(soonest, p40_page_turn(&c->st[P40_STREAM_META], now));
		c->turn = (c->turn + 1) % P40_STREAMS;
		moved += bytes;
		idle = bytes ? 0 : idle + 1;
		soonest = earlier(soonest, when);
	}
	function_block_turn(&c->function, c->host, P40_FN, c->identity.temperature);
	return idle < P40_STREAMS || soonest <= now ? CARD_STEP_AGAIN : soonest;
}

int p40_stream_init(struct p40_stream *st)
{
	struct p40_spill *s = &st->spill;
	struct p40_packet *p = &st->packet;

	st->vector = st->nr + 1;
	if (st->kind == STREAM_TYPE_META)
		return 0;
	s->size = st->kind == STREAM_TYPE_MAIN ? P40_SPILL_MAIN : P40_SPILL_ODIN;
	s->room = s->size / (st->kind == STREAM_TYPE_MAIN ? P40_EVENT_BYTES : STREAM_LINE) + 1;
	s->event = calloc(s->room, sizeof(*s->event));
	if (!s->event || st->kind != STREAM_TYPE_MAIN)
		return s->event ? 0 : -1;
	p->size = calloc(STREAM_PACK_EVENTS_MAX, sizeof(*p->size));
	p->type = calloc(STREAM_PACK_EVENTS_MAX, 1);
	p->header = calloc(1, P40_HEADER_MAX);
	return p->size && p->type && p->header ? 0 : -1;
}

void p40_stream_free(struct p40_stream *st)
{
	free(st->segment);
	free(st->spill.event);
	free(st->packet.size);
	free(st->packet.type);
	free(st->packet.header);
}
