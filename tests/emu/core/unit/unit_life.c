// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a unit: enable, with its table in host memory if it has one, disable, reset, status
 * and errors. See unit.h.
 */
#include "unit.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define TABLE_PIECE 512 /* entries in one read */
#define STRAY_MAX 64

uint32_t unit_status(const struct unit *u)
{
	const struct unit_ops *ops = u->card->ops;
	bool leaves = u->card->fault[UNIT_NEVER_QUIESCED] || u->stray_ns;
	const struct {
		bool set;
		uint32_t bit;
	} bits[] = {
		{u->enabled, BLOCK_STATUS_ENABLED},
		{!leaves && ops->quiesced(u), BLOCK_STATUS_QUIET},
		{u->loading && u->load_shows, BLOCK_STATUS_LOADING},
		{u->setup_error, BLOCK_STATUS_SETUP_ERROR},
		{u->fetch_error, BLOCK_STATUS_FETCH_ERROR},
		{u->host_error, BLOCK_STATUS_HOST_ERROR},
	};
	uint32_t status = ops->status(u);
	unsigned int i;

	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		status |= bits[i].set ? bits[i].bit : 0;
	return status;
}

static void error(struct unit *u, uint32_t status)
{
	bool fetch = status == BLOCK_STATUS_FETCH_ERROR;

	function_block_cause(&u->card->function,
			     fetch ? FUNCTION_CAUSE_FETCH : FUNCTION_CAUSE_HOST);
	u->card->ops->error(u, status);
}

void unit_host_error(struct unit *u)
{
	bool new = !u->host_error;

	u->n.host_errors++;
	u->host_error = true;
	if (new)
		error(u, BLOCK_STATUS_HOST_ERROR);
}

static void refused(struct unit *u)
{
	u->loading = false;
	if (u->card->ops->refusal_forgets)
		u->written = 0;
}

static void setup_failed(struct unit *u)
{
	refused(u);
	u->n.setup_errors++;
	u->setup_error = true;
	error(u, BLOCK_STATUS_SETUP_ERROR);
}

static void off(struct unit *u)
{
	if (u->enabled && u->fault[UNIT_WRITE_AFTER_OFF]) {
		u->stray_ns = unit_now(u) + u->fault[UNIT_WRITE_AFTER_OFF] * MS;
		u->stray_addr = u->card->ops->stray_at(u);
	}
	u->card->ops->off(u);
	u->enabled = false;
	u->loading = false;
	u->written = 0;
}

/* An enabled unit cannot go on without what it failed to read: disable it. */
void unit_fetch_failed(struct unit *u)
{
	if (u->enabled)
		off(u);
	else
		refused(u);
	u->n.fetch_errors++;
	u->fetch_error = true;
	error(u, BLOCK_STATUS_FETCH_ERROR);
}

bool unit_address_ok(const struct unit *u, unsigned int i)
{
	return (u->written >> 2 * i & 3) == 3 && !(u->address[i] % STREAM_ALIGN);
}

bool unit_doorbell(struct unit *u)
{
	if (unit_fault_take(u, UNIT_LOST_DOORBELL)) {
		u->n.doorbells_lost++;
		return false;
	}
	return u->enabled;
}

static void enabled(struct unit *u)
{
	u->loading = false;
	u->enabled = true;
	u->no_master = false;
	if (u->card->ops->begin(u))
		return;
	u->enabled = false;
	unit_fetch_failed(u); /* this process is out of memory for the card's table */
}

/* Load a piece of the table. False: the table is complete, or loading has to stop. */
static bool load_piece(struct unit *u)
{
	uint32_t n = u->entries - u->loaded, i;
	uint64_t entry[TABLE_PIECE];

	n = n < TABLE_PIECE ? n : TABLE_PIECE;
	switch (unit_get(u, u->table_at + 8ull * u->loaded, entry, 8 * n)) {
	case CARD_DMA_NO_MASTER:
		return false;
	case CARD_DMA_OUTSIDE:
		unit_fetch_failed(u);
		return false;
	case CARD_DMA_OK:
		break;
	}
	for (i = 0; i < n; i++) {
		uint64_t at = le64toh(entry[i]);

		if (at & (u->entry_align - 1)) {
			setup_failed(u);
			return false;
		}
		u->table[u->loaded++] = at;
	}
	return u->loaded < u->entries;
}

static uint64_t load_turn(struct unit *u, uint64_t now)
{
	if (!u->loading)
		return CARD_STEP_IDLE;
	if (u->load_ns > now)
		return u->load_ns;
	if (u->table && unit_fault_take(u, UNIT_FETCH_ERROR)) {
		unit_fetch_failed(u);
		return CARD_STEP_IDLE;
	}
	while (u->table && load_piece(u))
		;
	if (u->loading && u->loaded == u->entries)
		enabled(u);
	return CARD_STEP_IDLE;
}

/* A delayed enable does not show LOADING before it is carried out. */
static void load(struct unit *u)
{
	uint64_t now = unit_now(u), late = u->fault[UNIT_ENABLE_SLOW];

	u->loading = true;
	u->load_shows = u->table && !late;
	u->load_ns = now + (late + (u->table ? u->fault[UNIT_LOAD_SLOW] : 0)) * MS;
	load_turn(u, now);
}

static void no_errors(struct unit *u)
{
	u->setup_error = false;
	u->fetch_error = false;
	u->host_error = false;
}

static bool table_has_space(struct unit *u)
{
	u->table = calloc(u->entries, sizeof(*u->table));
	return u->table;
}

void unit_enable(struct unit *u)
{
	if (u->enabled || u->loading)
		return;
	no_errors(u);
	u->card->ops->prepare(u);
	if (!u->card->ops->setup_ok(u)) {
		setup_failed(u);
		return;
	}
	memcpy(u->base, u->address, sizeof(u->base));
	free(u->table);
	u->table = NULL;
	u->entries = 0;
	u->loaded = 0;
	u->card->ops->take_over(u);
	if (u->entries && !table_has_space(u))
		unit_fetch_failed(u);
	else
		load(u);
}

void unit_disable(struct unit *u)
{
	if (!u->fault[UNIT_RESET_IGNORED])
		off(u);
}

void unit_vectors(struct unit *u)
{
	unsigned int first = 1 + u->nr * u->card->ops->vectors, i;

	for (i = 0; i < u->card->ops->vectors; i++)
		u->vector[i] = first + i < u->card->identity.messages.vectors ? first + i : 0;
}

static void logic(struct unit *u)
{
	off(u);
	memset(u->address, 0, sizeof(u->address));
	u->start = u->card->start;
	no_errors(u);
	u->card->ops->logic(u);
}

static void reset_now(struct unit *u, uint32_t levels)
{
	u->n.resets++;
	if (levels & STREAM_RESET_FLUSH)
		u->card->ops->flush(u);
	if (levels & (BLOCK_RESET_LOGIC | BLOCK_RESET_DEFAULT))
		logic(u);
	if (levels & (BLOCK_RESET_COUNTERS | BLOCK_RESET_DEFAULT))
		u->card->ops->reset_counters(u);
	if (levels & BLOCK_RESET_DEFAULT) {
		unit_vectors(u);
		u->card->ops->defaults(u);
	}
	if (!(levels & (BLOCK_RESET_LOGIC | BLOCK_RESET_DEFAULT)))
		return;
	u->generation++;
	function_block_reset_done(&u->card->function, u->nr);
}

void unit_reset(struct unit *u, uint32_t levels)
{
	uint32_t slow = u->fault[UNIT_RESET_SLOW];

	if (!levels || u->fault[UNIT_RESET_IGNORED])
		return;
	if (!slow) {
		reset_now(u, levels);
		return;
	}
	if (!u->reset_due)
		u->reset_ns = unit_now(u) + slow * MS;
	u->reset_due |= levels;
}

void unit_power_on(struct unit *u)
{
	u->reset_due = 0;
	reset_now(u, BLOCK_RESET_DEFAULT);
	u->stray_ns = 0;
}

static uint64_t reset_turn(struct unit *u, uint64_t now)
{
	uint32_t levels = u->reset_due;

	if (!levels)
		return CARD_STEP_IDLE;
	if (u->reset_ns > now)
		return u->reset_ns;
	u->reset_due = 0;
	reset_now(u, levels);
	return CARD_STEP_IDLE;
}

static uint64_t stray_turn(struct unit *u, uint64_t now)
{
	uint8_t data[STRAY_MAX];

	if (!u->stray_ns)
		return CARD_STEP_IDLE;
	if (u->stray_ns > now)
		return u->stray_ns;
	memset(data, 0x5a, sizeof(data));
	if (!unit_put(u, u->stray_addr, data, u->card->ops->stray))
		return CARD_STEP_IDLE;
	u->stray_ns = 0;
	u->n.stray_writes++;
	return CARD_STEP_IDLE;
}

uint64_t unit_life_turn(struct unit *u, uint64_t now)
{
	uint64_t when = earlier(reset_turn(u, now), stray_turn(u, now));

	return earlier(when, load_turn(u, now));
}
