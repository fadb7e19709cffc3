// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The messages of roc-rosd as specified in Documentation/ros-protocol.md, byte for byte; refused
 * messages with their limits.
 */
#include "unit.h"

#include "libroc/core/bytes.h"
#include "utils/ros/protocol.h"

static const struct ros_limits limits = {
	.links = 0xffffff,
	.message = 8216,
	.requests = 64,
	.clears = 8,
	.events = 1024,
	.fragment = 2048,
	.wait = 100,
	.patience = 5000,
	.backlog = 4 << 20,
};

static uint8_t at[16384];
static struct ros_message m;
static struct ros_refusal reason;

static enum ros_decoded client(size_t have)
{
	memset(&m, 0xa5, sizeof(m));
	memset(&reason, 0xa5, sizeof(reason));
	return ros_decode_client(at, have, &limits, &m, &reason);
}

static enum ros_decoded server(size_t have)
{
	memset(&m, 0xa5, sizeof(m));
	memset(&reason, 0xa5, sizeof(reason));
	return ros_decode_daemon(at, have, sizeof(at), &m, &reason);
}

static void header(uint32_t length, uint16_t type)
{
	memset(at, 0, sizeof(at));
	put32(at, length);
	put16(at + 4, type);
	put64(at + 8, 0x1122334455667788);
}

static void hello(void)
{
	static const uint8_t bytes[] = {24, 0, 0, 0, 1,	  0,   0,   0,	 8, 7, 6, 5,
					4,  3, 2, 1, 'R', 'O', 'S', 'R', 1, 0, 2, 0};
	struct ros_hello h = {.lowest = 1, .highest = 2};

	UNIT_EQ(ros_encode_hello(at, 0x0102030405060708, &h), sizeof(bytes));
	CU_ASSERT_EQUAL(memcmp(at, bytes, sizeof(bytes)), 0);
	UNIT_EQ(client(24), ROS_MESSAGE);
	UNIT_EQ(m.type, ROS_HELLO);
	UNIT_EQ(m.id, 0x0102030405060708);
	UNIT_EQ(m.hello.lowest, 1);
	UNIT_EQ(m.hello.highest, 2);
}

static void versions(void)
{
	UNIT_EQ(ros_version(&(struct ros_hello){1, 1}), 1);
	UNIT_EQ(ros_version(&(struct ros_hello){0, 9}), ROS_VERSION);
	UNIT_EQ(ros_version(&(struct ros_hello){ROS_VERSION + 1, 9}), 0);
	UNIT_EQ(ros_version(&(struct ros_hello){0, 0}), 0);
}

static void request(void)
{
	static const uint8_t bytes[] = {32, 0, 0,    0, 2, 0,	0,   0,	  9,   0,   0,
					0,  0, 0,    0, 0, 254, 255, 255, 255, 0,   0,
					0,  0, 0x21, 0, 0, 0,	0,   0,	  0,   0x80};
	struct ros_request r = {.event = 0xfffffffe, .links = 0x8000000000000021};

	UNIT_EQ(ros_encode_request(at, 9, &r), sizeof(bytes));
	CU_ASSERT_EQUAL(memcmp(at, bytes, sizeof(bytes)), 0);
	UNIT_EQ(client(32), ROS_MESSAGE);
	UNIT_EQ(m.request.event, 0xfffffffe);
	CU_ASSERT_TRUE(m.request.links == 0x8000000000000021);
}

static void clear(void)
{
	uint32_t events[1024], i;

	for (i = 0; i < 1024; i++)
		events[i] = 0xfffffff0 + i;
	UNIT_EQ(ros_encode_clear(at, 3, events, 1024), 24 + 4 * 1024);
	UNIT_EQ(get32(at), 24 + 4 * 1024);
	UNIT_EQ(get16(at + 4), 3);
	UNIT_EQ(get32(at + 16), 1024);
	UNIT_EQ(client(sizeof(at)), ROS_MESSAGE);
	UNIT_EQ(m.clear.count, 1024);
	for (i = 0; i < 1024 && ros_clear_event(&m.clear, i) == events[i]; i++)
		;
	UNIT_EQ(i, 1024);
}

static void welcome(void)
{
	UNIT_EQ(ros_encode_welcome(at, 5, 1, &limits), 64);
	UNIT_EQ(get16(at + 4), 0x81);
	UNIT_EQ(get32(at + 32), 8216);
	UNIT_EQ(get32(at + 60), 4 << 20);
	UNIT_EQ(server(64), ROS_MESSAGE);
	UNIT_EQ(m.welcome.version, 1);
	CU_ASSERT_EQUAL(memcmp(&m.welcome.limits, &limits, sizeof(limits)), 0);
	/* A later version may be longer. */
	put32(at, 80);
	UNIT_EQ(server(80), ROS_MESSAGE);
	UNIT_EQ(m.length, 80);
}

static void reply(void)
{
	static const struct ros_entry entries[] = {
		{.link = 0, .status = ROS_OK, .size = 3},
		{.link = 7, .status = ROS_NOT_THERE},
		{.link = 63, .status = ROS_OK, .marks = 9, .size = 2},
	};
	struct ros_entry e;

	UNIT_EQ(ros_encode_reply(at, 77, 1234, ROS_INCOMPLETE, entries, 3, 5), 24 + 3 * 8);
	UNIT_EQ(get32(at), 24 + 3 * 8 + 5);
	UNIT_EQ(get16(at + 4), 0x82);
	UNIT_EQ(get16(at + 6), 1);
	UNIT_EQ(get16(at + 20), 3);
	UNIT_EQ(at[32], 7);
	UNIT_EQ(at[33], 1);
	UNIT_EQ(server(24 + 3 * 8 + 4), ROS_MORE);
	UNIT_EQ(server(24 + 3 * 8 + 5), ROS_MESSAGE);
	UNIT_EQ(m.id, 77);
	UNIT_EQ(m.reply.event, 1234);
	UNIT_EQ(m.reply.count, 3);
	CU_ASSERT_PTR_EQUAL(m.reply.data, at + 24 + 3 * 8);
	ros_reply_entry(&m.reply, 2, &e);
	UNIT_EQ(e.link, 63);
	UNIT_EQ(e.marks, 9);
	UNIT_EQ(e.size, 2);
}

static void bad_reply(unsigned int offset, uint8_t value)
{
	static const struct ros_entry entries[] = {
		{.link = 1, .status = ROS_OK, .size = 3},
		{.link = 7, .status = ROS_OK, .size = 2},
	};
	size_t head = ros_encode_reply(at, 77, 1234, 0, entries, 2, 5);

	at[offset] = value;
	UNIT_EQ(server(head + 5), ROS_REFUSED);
	UNIT_EQ(reason.code, ROS_E_MALFORMED);
}

static void bad_replies(void)
{
	bad_reply(20, 0);	     /* no entries */
	bad_reply(20, 65);	     /* more than there are links */
	bad_reply(20, 7);	     /* more than fit */
	bad_reply(24 + 8, 1);	     /* the same link twice */
	bad_reply(24 + 8, 64);	     /* no link */
	bad_reply(24 + 1, ROS_BUSY); /* bytes of a fragment that is not there */
	bad_reply(24 + 4, 4);	     /* more bytes than follow */
	bad_reply(24 + 4 + 3, 0x80);
	bad_reply(24 + 4, 2); /* fewer */
}

static void cleared(void)
{
	struct ros_cleared c = {.events = 5, .unknown = 2, .fragments = 110};

	UNIT_EQ(ros_encode_cleared(at, 8, &c), 32);
	UNIT_EQ(server(32), ROS_MESSAGE);
	UNIT_EQ(m.type, ROS_CLEARED);
	UNIT_EQ(m.cleared.events, 5);
	UNIT_EQ(m.cleared.unknown, 2);
	UNIT_EQ(m.cleared.fragments, 110);
}

/* A text for each code, with limit and value where it has them. */
static void errors(void)
{
	char text[ROS_SENTENCE_MAX + 1];
	unsigned int code;

	for (code = ROS_E_NONE + 1; code < ROS_CODES; code++) {
		struct ros_refusal r = {
			.code = (enum ros_code)code, .id = 6, .limit = 4711, .value = 4712};
		size_t length = ros_encode_error(at, &r);

		UNIT_EQ(server(length), ROS_MESSAGE);
		UNIT_EQ(m.error.code, code);
		UNIT_EQ(m.error.limit, 4711);
		UNIT_EQ(m.error.value, 4712);
		UNIT_EQ(m.length, 32 + m.error.length);
		UNIT_EQ(!!(m.flags & ROS_CLOSES), ros_closes((enum ros_code)code));
		snprintf(text, sizeof(text), "%.*s", (int)m.error.length, m.error.text);
		CU_ASSERT_TRUE(strlen(text) > 10 && text[strlen(text) - 1] == '.');
		if (strstr(ros_code_name((enum ros_code)code), "TOO_"))
			CU_ASSERT_TRUE(strstr(text, "4711") && strstr(text, "4712"));
	}
	put32(at + 28, 200);
	UNIT_EQ(server(get32(at)), ROS_REFUSED);
}

static void refused(size_t have, enum ros_code code, uint32_t limit, uint32_t value)
{
	UNIT_EQ(client(have), ROS_REFUSED);
	UNIT_EQ(reason.code, code);
	UNIT_EQ(reason.limit, limit);
	UNIT_EQ(reason.value, value);
	CU_ASSERT_TRUE(reason.id == 0x1122334455667788);
}

static void refusals(void)
{
	/* Refused after the header, because any length could follow. */
	header(8217, ROS_CLEAR);
	UNIT_EQ(client(15), ROS_MORE);
	refused(16, ROS_E_TOO_LONG, 8216, 8217);
	header(UINT32_MAX, ROS_CLEAR);
	refused(16, ROS_E_TOO_LONG, 8216, UINT32_MAX);
	header(15, ROS_REQUEST);
	refused(16, ROS_E_MALFORMED, 0, 0);
	header(16, 4);
	refused(16, ROS_E_UNKNOWN_TYPE, ROS_CLEAR, 4);
	header(8000, ROS_WELCOME);
	refused(16, ROS_E_UNKNOWN_TYPE, ROS_CLEAR, ROS_WELCOME);
	header(32, ROS_REQUEST);
	put64(at + 24, 1);
	put16(at + 6, 1);
	refused(16, ROS_E_MALFORMED, 0, 0);
	put16(at + 6, 0);
	put32(at + 20, 1);
	refused(32, ROS_E_MALFORMED, 0, 0);
	header(40, ROS_REQUEST);
	put64(at + 24, 1);
	refused(40, ROS_E_MALFORMED, 0, 0);
	header(24, ROS_HELLO);
	refused(24, ROS_E_BAD_MAGIC, 0, 0);
	put32(at + 16, ROS_MAGIC);
	put16(at + 20, 2);
	put16(at + 22, 1);
	refused(24, ROS_E_MALFORMED, 0, 0);
	header(24, ROS_CLEAR);
	refused(24, ROS_E_MALFORMED, 0, 0); /* no event */
	header(31, ROS_CLEAR);
	put32(at + 16, 1);
	refused(31, ROS_E_MALFORMED, 0, 0); /* one and three quarters */
	header(28, ROS_CLEAR);
	put32(at + 16, 0x40000001); /* 4 * n is 4 in 32 bits */
	refused(28, ROS_E_MALFORMED, 0, 0);
}

/* The next message follows. */
static void refusals_that_do_not_close(void)
{
	header(32, ROS_REQUEST);
	refused(32, ROS_E_NO_LINKS, 0, 0);
	UNIT_EQ(m.length, 32);
	CU_ASSERT_FALSE(ros_closes(reason.code));
	header(24 + 4 * 1025, ROS_CLEAR);
	put32(at + 16, 1025);
	refused(24 + 4 * 1025, ROS_E_TOO_MANY_EVENTS, 1024, 1025);
	UNIT_EQ(m.length, 24 + 4 * 1025);
	CU_ASSERT_FALSE(ros_closes(reason.code));
}

UNIT_MAIN("protocol of roc-rosd", {"hello", hello}, {"versions", versions}, {"request", request},
	  {"clear", clear}, {"welcome", welcome}, {"reply", reply}, {"bad replies", bad_replies},
	  {"cleared", cleared}, {"errors", errors}, {"refusals", refusals},
	  {"refusals that do not close", refusals_that_do_not_close})
