// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test what roc-stream takes at its end, with a simulated card: ODIN records in memory, most of
 * which arrive with the stop.
 */
#include "unit.h"

#include <endian.h>
#include <errno.h>

#include "kmod/stream/stream_packet.h"
#include "tests/unit/utils/error_logged.h"
#include "utils/common/tool.h"
#include "utils/stream/stream.h"

#define RECORDS 23
#define FIRST 3	      /* before the signal */
#define POLLS_MAX 100 /* far more than the number of records */
#define BEFORE 1000   /* records of earlier runs */

static struct stream_odin ring[RECORDS];
static struct stream_options options;

static struct {
	unsigned int available, taken; /* records */
	unsigned int polls;
	bool stopped, requested;
	bool reset; /* the card's counters are reset before the stop */
	bool fails; /* the stream stops by itself, and the rest arrives just before that */
} card;

/* A card without registers: the settings of its generator are unknown. */
const struct card_type card_types[] = {{0}};

int __wrap_roc_find(const char *id, struct roc_card *c);

int __wrap_roc_find(const char *id, struct roc_card *c)
{
	memset(c, 0, sizeof(*c));
	return 0;
}

int roc_stream_open_card(const struct roc_card *c, const char *id, const char *stream,
			 struct roc_stream **s)
{
	*s = (struct roc_stream *)&card;
	return 0;
}

void roc_stream_close(struct roc_stream *s)
{
}

const char *roc_stream_name(const struct roc_stream *s)
{
	return "odin0";
}

unsigned int roc_stream_number(const struct roc_stream *s)
{
	return 2;
}

int roc_stream_ring(struct roc_stream *s, uint64_t length)
{
	return 0;
}

int roc_stream_info(struct roc_stream *s, struct roc_st_info *info)
{
	memset(info, 0, sizeof(*info));
	info->state = card.stopped ? ROC_CH_STOPPED : ROC_CH_RUNNING;
	info->card.units = card.available + (card.reset && card.stopped ? 0 : BEFORE);
	info->card.bytes = info->card.units * sizeof(ring[0]);
	return 0;
}

int roc_stream_start(struct roc_stream *s, uint32_t position)
{
	card.available = FIRST;
	return 0;
}

int roc_stream_stop(struct roc_stream *s, unsigned int *lost)
{
	card.stopped = true;
	card.available = RECORDS;
	*lost = 0;
	return 0;
}

bool roc_stream_running(const struct roc_stream *s)
{
	if (card.fails) {
		card.stopped = true;
		card.available = RECORDS;
	}
	return !card.stopped;
}

/* A caller that polls for ever finds nothing at last. */
int64_t roc_stream_peek(struct roc_stream *s, const void **data)
{
	if (++card.polls > POLLS_MAX || card.taken == card.available)
		return 0;
	*data = &ring[card.taken];
	return (int64_t)((card.available - card.taken) * sizeof(ring[0]));
}

int roc_stream_consume(struct roc_stream *s, uint64_t bytes)
{
	card.taken += (unsigned int)(bytes / sizeof(ring[0]));
	return 0;
}

int64_t roc_stream_wait(struct roc_stream *s, uint64_t bytes, int timeout_ms)
{
	if (card.taken < card.available)
		return (int64_t)((card.available - card.taken) * sizeof(ring[0]));
	card.requested = true;
	return -EINTR;
}

void stop_on_first_signals(void)
{
}

void stop_not_by_readers(void)
{
}

bool stop_requested(void)
{
	return card.requested;
}

static void start(enum stream_action action)
{
	unsigned int i, k;

	for (i = 0; i < RECORDS; i++) {
		ring[i] = (struct stream_odin){.magic = htole16(STREAM_MAGIC_ODIN),
					       .version = STREAM_UNIT_VERSION,
					       .size = htole32(sizeof(ring[i])),
					       .event = htole64(i),
					       .number = htole32(i),
					       .bunch = htole16((uint16_t)i),
					       .trigger = htole16(STREAM_ODIN_TRIGGER)};
		for (k = 0; k < 6; k++)
			ring[i].word[k] = htole32(stream_pattern(0, i) + k);
	}
	memset(&card, 0, sizeof(card));
	options = (struct stream_options){.channel = {.action = action, .id = "#0"}};
}

static void packets(uint64_t n)
{
	options.packets.given = true;
	options.packets.value = n;
}

/* Expect this many records and this end. Return an exit code. */
static int take(unsigned int records, const char *end)
{
	char *printed, line[64];
	FILE *out = stdout;
	size_t length;
	int code;

	stdout = open_memstream(&printed, &length);
	options.channel.json = true;
	code = stream_take(&options);
	fclose(stdout);
	stdout = out;
	UNIT_EQ(card.taken, records);
	CU_ASSERT_TRUE(card.polls <= POLLS_MAX);
	snprintf(line, sizeof(line), "\"end\": \"%s\"", end);
	CU_ASSERT_TRUE(options.channel.action != STREAM_FOLLOW || strstr(printed, line));
	free(printed);
	return code;
}

static void takes(unsigned int records, const char *end)
{
	UNIT_EQ(take(records, end), 0);
}

static void all_available(void)
{
	start(STREAM_FOLLOW);
	takes(RECORDS, "signal");
	start(STREAM_FOLLOW);
	packets(RECORDS + 1);
	takes(RECORDS, "signal");
	start(STREAM_DUMP);
	packets(0);
	takes(RECORDS, "signal");
}

static void packet_limit(void)
{
	start(STREAM_FOLLOW);
	packets(5);
	takes(5, "packets");
	start(STREAM_FOLLOW);
	options.bytes = sizeof(ring[0]);
	packets(5);
	takes(5, "packets");
	start(STREAM_DUMP);
	takes(10, "packets");
}

static void packets_before_signal(void)
{
	start(STREAM_FOLLOW);
	packets(2);
	takes(2, "packets");
	UNIT_EQ(card.requested, false);
}

/* The reset is reported, and no missing packets. */
static void counters_reset(void)
{
	start(STREAM_FOLLOW);
	card.reset = true;
	UNIT_EQ(take(RECORDS, "signal"), 1);
	UNIT_STR(error_logged, COUNTERS_RESET);
}

/* Data between the last empty poll and the stop are delivered before the failure. */
static void stopped_by_itself(void)
{
	start(STREAM_FOLLOW);
	options.channel.busy = true;
	card.fails = true;
	UNIT_EQ(take(RECORDS, "failed"), 1);
}

UNIT_MAIN("utils stream take", {"signal: all available records", all_available},
	  {"signal: no more than --packets", packet_limit},
	  {"--packets without a signal", packets_before_signal},
	  {"card counters reset during the run", counters_reset},
	  {"data just before the stream stops, in a busy run", stopped_by_itself})
