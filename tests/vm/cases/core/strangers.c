// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test what a group member without an open file can do to a channel that another process has open,
 * for each channel type: see "A channel is its opener's" in Documentation/security.md.
 */
#include "common/case.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/reader.h"
#include "common/taker.h"

#define LIMIT_MS 10000

/* The IDs of the cards in schedules.c. */
#define P40 3
#define STREAM_CARD "4004:0"
#define ROBINNP 4
#define SUB_CARD "6005:0"

union argument {
	uint32_t size;
	struct roc_st_info st_info;
	struct roc_st_settings st_settings;
	struct roc_st_reset st_reset;
	struct roc_st_card st_card;
	struct roc_st_stop st_stop;
	struct roc_fr_info fr_info;
	struct roc_fr_settings fr_settings;
	struct roc_fr_reset fr_reset;
	struct roc_fr_stop fr_stop;
	struct roc_ch_control control;
	struct roc_ch_mode mode;
	uint8_t bytes[512];
};

/* One call on the endpoint's node. */
struct attempt {
	const char *what;
	unsigned long nr;
	int expected;
	union argument arg;
};

#define CALL(_nr, _expected, _member, ...)                                                         \
	{                                                                                          \
#_nr " " #__VA_ARGS__, _nr, _expected,                                             \
		{                                                                                  \
			._member = {.size = sizeof(((union argument *)0)->_member), __VA_ARGS__ }  \
		}                                                                                  \
	}

#define SET(...) CALL(ROC_ST_SETTINGS, __VA_ARGS__)
#define RESET(_expected, ...) CALL(ROC_ST_RESET, _expected, st_reset, __VA_ARGS__)
#define FR_SET(_expected, ...) CALL(ROC_FR_SETTINGS, _expected, fr_settings, __VA_ARGS__)
#define FR_RESET(_expected, ...) CALL(ROC_FR_RESET, _expected, fr_reset, __VA_ARGS__)

static const struct attempt at_a_stream[] = {
	CALL(ROC_ST_INFO, 0, st_info, .stream = 0),
	SET(0, st_settings, .set = 0),
	SET(-EBUSY, st_settings, .set = ROC_ST_SET_LOW_WATER, .low_water = 64),
	SET(-EBUSY, st_settings, .set = ROC_ST_SET_LOW_WATER, .low_water = 1ull << 36),
	SET(-EBUSY, st_settings, .set = ROC_ST_SET_INTERRUPT_TIME, .interrupt_time = 4000000000),
	SET(-EBUSY, st_settings, .set = ROC_ST_SET_INTERRUPT_BYTES, .interrupt_bytes = 1 << 30),
	SET(-EBUSY, st_settings, .set = ROC_ST_SET_POLICY | ROC_ST_SET_LOW_WATER, .policy = 3),
	SET(0, st_settings, .set = ROC_ST_SET_PACK_EVENTS, .pack_events = 256),
	RESET(-EBUSY, .level = ROC_ST_RESET_FLUSH),
	RESET(-EBUSY, .level = ROC_ST_RESET_LOGIC),
	RESET(-EBUSY, .level = ROC_ST_RESET_DEFAULT),
	RESET(-EBUSY, .stream = ROC_ST_ALL, .level = ROC_ST_RESET_FLUSH),
	RESET(-EBUSY, .stream = ROC_ST_ALL, .level = ROC_ST_RESET_LOGIC),
	RESET(-EBUSY, .stream = ROC_ST_ALL, .level = ROC_ST_RESET_DEFAULT),
	RESET(0, .level = ROC_ST_RESET_COUNTERS),
	RESET(0, .stream = ROC_ST_ALL, .level = ROC_ST_RESET_COUNTERS),
	CALL(ROC_ST_CARD, 0, st_card, .set = ROC_ST_CARD_ENABLED, .enabled = 0x7f),
	CALL(ROC_ST_STOP, -ENOTTY, st_stop, .flags = 0),
	CALL(ROC_CH_RESET, -ENOTTY, control, .level = ROC_RESET_INTERNAL),
};

static const struct attempt at_a_sub_unit[] = {
	CALL(ROC_FR_INFO, 0, fr_info, .sub = 0),
	FR_SET(0, .set = 0),
	FR_SET(-EBUSY, .set = ROC_FR_SET_LINKS, .links = 0),
	FR_SET(-EBUSY, .set = ROC_FR_SET_DATA_COUNT, .data_count = 1000000),
	FR_SET(-EBUSY, .set = ROC_FR_SET_DATA_TIME, .data_time = 4000000000),
	FR_SET(-EBUSY, .set = ROC_FR_SET_DONE_COUNT, .done_count = 1000000),
	FR_SET(-EBUSY, .set = ROC_FR_SET_DONE_TIME, .done_time = 4000000000),
	FR_RESET(-EBUSY, .level = ROC_FR_RESET_LOGIC),
	FR_RESET(-EBUSY, .level = ROC_FR_RESET_DEFAULT),
	FR_RESET(-EBUSY, .sub = ROC_FR_ALL, .level = ROC_FR_RESET_LOGIC),
	FR_RESET(-EBUSY, .sub = ROC_FR_ALL, .level = ROC_FR_RESET_DEFAULT),
	FR_RESET(0, .level = ROC_FR_RESET_COUNTERS),
	FR_RESET(0, .sub = ROC_FR_ALL, .level = ROC_FR_RESET_COUNTERS),
	CALL(ROC_FR_STOP, -ENOTTY, fr_stop, .flags = ROC_FR_STOP_NOW),
	CALL(ROC_CH_RESET, -ENOTTY, control, .level = ROC_RESET_INTERNAL),
};

static const struct attempt at_a_pool[] = {
	CALL(ROC_CH_STOP, -ENOTTY, control, .flags = 0),
	CALL(ROC_CH_RESET, -ENOTTY, control, .level = ROC_RESET_INTERNAL),
	CALL(ROC_CH_KICK, -ENOTTY, control, .flags = 0),
	CALL(ROC_CH_MODE, -ENOTTY, mode, .mode = ROC_MODE_BUSY),
	SET(-ENOTTY, st_settings, .set = ROC_ST_SET_LOW_WATER),
	RESET(-ENOTTY, .level = ROC_ST_RESET_FLUSH),
	FR_SET(-ENOTTY, .set = ROC_FR_SET_LINKS),
	FR_RESET(-ENOTTY, .level = ROC_FR_RESET_LOGIC),
};

/* Run by the stranger; @other counts unexpected results, and @first has the first one. */
struct stranger {
	const char *id;
	const struct attempt *attempts;
	size_t count;
	unsigned int other;
	char first[160];
};

static void expect(struct stranger *s, const char *what, int answer, int expected)
{
	if (answer != expected && !s->other++)
		snprintf(s->first, sizeof(s->first), "%s: %d and not %d", what, answer, expected);
}

static int try_all(void *arg)
{
	struct stranger *s = arg;
	int fd = node_open(s->id, -1);
	size_t i;

	expect(s, "open of the channel", node_open(s->id, 0), -EBUSY);
	for (i = 0; i < s->count; i++) {
		union argument copy = s->attempts[i].arg;

		expect(s, s->attempts[i].what, abi(fd, s->attempts[i].nr, &copy),
		       s->attempts[i].expected);
	}
	close(fd);
	return fd < 0;
}

static void tries(const char *id, const struct attempt *attempts, size_t count)
{
	struct stranger *s = shared_alloc(sizeof(*s));

	*s = (struct stranger){.id = id, .attempts = attempts, .count = count};
	UNIT_EQ(child_run(AS_READER, try_all, s, 20000), 0);
	if (s->other)
		unit_note("%s", s->first);
	UNIT_EQ(s->other, 0);
	shared_free(s, sizeof(*s));
}

/* The tools name the process that has the channel open. */
static void refused(const char *command)
{
	char owner[32];

	UNIT_EQ(RUN("as-user reader %s", command), 1);
	snprintf(owner, sizeof(owner), "in use by PID %d", getpid());
	OUTPUT_HAS(owner);
	OUTPUT_HAS("only the process that opened the channel may change it");
}

static void running_stream(void)
{
	struct roc_st_settings before = {.size = sizeof(before)}, after = before;
	struct reader r = {.id = STREAM_CARD, .ring = 64 * KIB};

	emu_keys_p40(P40);
	UNIT_NEED(reader_open(&r));
	reader_generate(&r, 0, 100, 400, 0, 0, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 100, LIMIT_MS));
	UNIT_EQ(abi(r.fd, ROC_ST_SETTINGS, &before), 0);
	tries(STREAM_CARD, at_a_stream, N(at_a_stream));
	refused("roc-stream set --id=4004 --stream=main --low-water=64Ki");
	refused("roc-stream reset --id=4004 --stream=main --level=flush");
	refused("roc-stream reset --id=4004 --level=default");
	UNIT_EQ(RUN("as-user reader roc-stream set --id=4004 --stream=main --pack-events=256"), 0);
	UNIT_EQ(abi(r.fd, ROC_ST_SETTINGS, &after), 0);
	CU_ASSERT(!memcmp(&before, &after, sizeof(before)));
	UNIT_EQ(reader_info(&r).card.discarded, 0);
	CU_ASSERT(reader_run(&r, r.events + 100, LIMIT_MS));
	/* The opener may, within the ring. */
	after.set = ROC_ST_SET_LOW_WATER;
	after.low_water = 64 * KIB + 1;
	UNIT_EQ(abi(r.fd, ROC_ST_SETTINGS, &after), -EINVAL);
	after.low_water = 64 * KIB;
	UNIT_EQ(abi(r.fd, ROC_ST_SETTINGS, &after), 0);
	READER_OK(&r);
	CU_ASSERT(reader_stop(&r));
	/* When stopped, it still belongs to the opener; when closed, to none. */
	tries(STREAM_CARD, at_a_stream, N(at_a_stream));
	reader_close(&r);
	UNIT_EQ(RUN("as-user reader roc-stream reset --id=4004 --level=default"), 0);
}

static void running_sub_unit(void)
{
	struct roc_fr_settings before = {.size = sizeof(before)}, after = before;
	struct taker t = {.id = SUB_CARD, .percent = 50};

	emu_keys_robinnp(ROBINNP);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 400, 0, 0, 0);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 100, LIMIT_MS));
	UNIT_EQ(abi(t.fd, ROC_FR_SETTINGS, &before), 0);
	tries(SUB_CARD, at_a_sub_unit, N(at_a_sub_unit));
	refused("roc-fragment set --id=6005 --sub=sub0 --data-count=1000");
	refused("roc-fragment reset --id=6005 --sub=sub0 --level=logic");
	UNIT_EQ(abi(t.fd, ROC_FR_SETTINGS, &after), 0);
	CU_ASSERT(!memcmp(&before, &after, sizeof(before)));
	CU_ASSERT(taker_run(&t, t.fragments + 100, LIMIT_MS));
	TAKER_OK(&t);
	CU_ASSERT(taker_stop(&t));
	tries(SUB_CARD, at_a_sub_unit, N(at_a_sub_unit));
	taker_close(&t);
	UNIT_EQ(RUN("as-user reader roc-fragment reset --id=6005 --level=default"), 0);
}

static int write_mode(void *arg)
{
	return -put_text(arg, "busy");
}

static void running_pool(void)
{
	struct rig r = {.id = EP0, .mode = ROC_MODE_TIMER, .by_timer = true, .count = 8};
	char path[96];

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_run(&r, 20, LIMIT_MS));
	tries(EP0, at_a_pool, N(at_a_pool));
	snprintf(path, sizeof(path), "/sys/class/roc/%s/mode", node_path(EP0, 0) + 5);
	UNIT_EQ(child_run(AS_READER, write_mode, path, 5000), EACCES);
	UNIT_STR(node_attr(EP0, 0, "mode"), "timer");
	CU_ASSERT(rig_run(&r, r.filled + 20, LIMIT_MS));
	rig_stop(&r);
	RIG_OK(&r);
	rig_close(&r);
}

UNIT_MAIN("strangers", {"running stream", running_stream}, {"running sub-unit", running_sub_unit},
	  {"running pool", running_pool})
