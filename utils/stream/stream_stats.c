// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State of a card's streams. No stream is opened and no register is read, so a running stream is
 * not disturbed.
 */
#include "stream.h"

#include <inttypes.h>

#include "utils/common/numbers.h"
#include "utils/common/tool.h"
#include "utils/common/values.h"

int stream_read(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		void *info)
{
	return roc_card_stream(ep, number, info);
}

uint64_t stream_ring_level(const void *info)
{
	const struct roc_st_info *i = info;

	return i->ring ? (uint64_t)(uint32_t)(i->written - i->read) * ROC_ST_LINE : 0;
}

static void ring_cell(struct table *t, const void *o)
{
	uint64_t size = ((const struct roc_st_info *)o)->ring;

	if (!size)
		table_cell(t, NULL, "-");
	else if (size % (1 << 20))
		table_cell(t, NULL, "%" PRIu64 " KiB", size >> 10);
	else
		table_cell(t, NULL, "%" PRIu64 " MiB", size >> 20);
}

static double percent_full(const struct roc_st_info *i)
{
	return i->ring ? 100.0 * (double)stream_ring_level(i) / (double)i->ring : 0;
}

static void full_cell(struct table *t, const void *o)
{
	const struct roc_st_info *i = o;

	if (i->ring)
		table_cell(t, NULL, "%.0f", percent_full(i));
	else
		table_cell(t, NULL, "-");
}

/* Print a kind of loss: how often, how many events, and which ones. */
static void json_loss(struct json *j, const char *key, uint64_t times, uint64_t events, uint64_t ns,
		      uint64_t first, uint64_t from, uint64_t to)
{
	json_object(j, key);
	json_unsigned(j, "times", times);
	json_unsigned(j, "events", events);
	json_real(j, "seconds", (double)ns / 1e9);
	if (times) {
		json_unsigned(j, "firstEvent", first);
		json_unsigned(j, "lastFrom", from);
		json_unsigned(j, "lastTo", to);
	} else {
		json_null(j, "firstEvent");
		json_null(j, "lastFrom");
		json_null(j, "lastTo");
	}
	json_object_end(j);
}

static void json_losses(struct json *j, const void *o)
{
	const struct roc_st_counters *c = &((const struct roc_st_info *)o)->card;

	json_loss(j, "throttled", c->throttles, c->throttled, c->throttle_time, c->throttle_first,
		  c->throttle_from, c->throttle_to);
	json_loss(j, "truncated", c->truncations, c->truncated, c->truncate_time, c->truncate_first,
		  c->truncate_from, c->truncate_to);
}

#define INFO(member) VALUE(struct roc_st_info, member)

static const struct value values[] = {
	{INFO(stream), .name = ">#", .key = "channel"},
	{INFO(name), .name = "Stream", .key = "stream"},
	CHANNEL_STATE_VALUES(INFO),
	{.name = ">Ring", .cell = ring_cell},
	{.name = ">Full %", .cell = full_cell},
	{INFO(run), .key = "run"},
	{INFO(ring), .key = "ringBytes"},
	{INFO(segments), .key = "ringSegments"},
	{.key = "ringLevel", .count = stream_ring_level},
	{INFO(level), .key = "cardLevel"},
	{INFO(card.units), .name = ">Packets", .key = "packets"},
	{INFO(card.events), .name = ">Events"},
	{INFO(card.bytes), .name = ">Bytes", .key = "bytes"},
	{INFO(card.throttled), .name = ">Throttled", .error = true},
	{INFO(card.truncated), .name = ">Truncated", .error = true},
	{INFO(card.offered), .name = ">Offered", .key = "offered", .verbose = true},
	{INFO(card.events), .key = "events"},
	{INFO(card.discarded), .name = ">Discarded", .key = "discarded", .verbose = true},
	{INFO(card.waiting), .name = ">Waiting", .key = "waiting", .verbose = true},
	{INFO(card.throttles), .name = ">Throttles", .verbose = true},
	{INFO(card.truncations), .name = ">Truncations", .verbose = true},
	{.json = json_losses},
	{INFO(card.truncated_bytes), .key = "truncatedBytes"},
	{INFO(interrupts), .name = ">Interrupts", .key = "interrupts", .verbose = true},
	CHANNEL_DRIVER_VALUES(INFO),
};

const struct values stream_stats = VALUES(values);

static double since(uint64_t before, uint64_t now, double seconds)
{
	return (double)counter64_since(before, now) / seconds;
}

int stream_live_line(struct roc_endpoint *ep, unsigned int stream, double seconds, char *line,
		     size_t size)
{
	static struct roc_st_info before;
	struct roc_st_info i;

	if (roc_card_stream(ep, stream, &i))
		return tool_fail("%s", roc_error());
	snprintf(
		line, size,
		"  %s %s   %.0f packets/s   %.0f events/s   %.2f Gb/s   ring %.0f %%   throttled %" PRIu64
		"   truncated %" PRIu64,
		i.name, channel_state_name(i.state),
		since(before.card.units, i.card.units, seconds),
		since(before.card.events, i.card.events, seconds),
		since(before.card.bytes, i.card.bytes, seconds) * 8 / 1e9, percent_full(&i),
		(uint64_t)i.card.throttled, (uint64_t)i.card.truncated);
	before = i;
	return TOOL_OK;
}
