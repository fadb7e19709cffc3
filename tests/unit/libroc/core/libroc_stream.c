// SPDX-License-Identifier: GPL-2.0-or-later
/* Test streams: open, failures to make the ring, reading in place, doorbell and waits. */
#include "fake_stream.h"

#include <roc/lend.h>

#include "tests/unit/libroc/holes.h"

static void opening(void)
{
	struct roc_stream *s = stream("meta");
	struct roc_endpoint *ep;
	unsigned int number = 77;

	UNIT_EQ(roc_stream_number(s), 1);
	UNIT_STR(roc_stream_name(s), "meta");
	UNIT_STR(node.opened, "/dev/roc3ch1");
	CU_ASSERT_TRUE(roc_stream_fd(s) >= 0);
	finish(s);
	s = stream("2");
	UNIT_STR(roc_stream_name(s), "odin0");
	UNIT_STR(node.opened, "/dev/roc3ch2");
	finish(s);
	FAILS(roc_stream_open("999", "main", &s), -ENOENT, "no such card");
	FAILS(roc_stream_open("245", "odin1", &s), -ENOENT,
	      "no stream 'odin1'; it has main, meta, odin0");
	FAILS(roc_stream_open("245", "3", &s), -ENOENT, "no stream '3'");
	FAILS(roc_stream_open("245", "", &s), -ENOENT, "no stream ''");
	errno = 77;
	FAILS(roc_stream_open("245", "99999999999999999999", &s), -ENOENT, "no stream '9999");
	UNIT_EQ(errno, 77);
	node.open_errno = EBUSY;
	FAILS(roc_stream_open("245", "meta", &s), -EBUSY,
	      "245 (0000:3b:00.0) stream meta is in use by PID 4711 (roc-stream): a stream has one owner; end that program (kill 4711) or open another stream");
	node.open_errno = EACCES;
	FAILS(roc_stream_open("245", "meta", &s), -EACCES, "group roc");
	node.open_errno = 0;
	node.other = true;
	FAILS(roc_stream_open("245", "main", &s), -EOPNOTSUPP, "no streams");
	node.other = false;
	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_stream_find(ep, "odin0", &number), 0);
	UNIT_EQ(number, 2);
	node.old = true;
	FAILS(roc_card_stream_find(ep, "odin0", &number), -ENOTTY, "modprobe");
	roc_close(ep);
}

static void rings(void)
{
	struct roc_stream *s = stream("main");
	const void *data;
	uint64_t length = 0;

	FAILS(roc_stream_peek(s, &data), -EPIPE, "roc_stream_ring()");
	FAILS(roc_stream_consume(s, 0), -EPIPE, "roc_stream_ring()");
	FAILS(roc_stream_wait(s, 64, 0), -EPIPE, "roc_stream_ring()");
	CU_ASSERT_PTR_NULL(roc_stream_base(s, &length));
	node.errno_ = EINVAL;
	FAILS(roc_stream_ring(s, 100000), -EINVAL, "100000 bytes: use a power of two");
	node.errno_ = EBUSY;
	FAILS(roc_stream_ring(s, RING), -EBUSY, "once per open");
	node.errno_ = ENOMEM;
	FAILS(roc_stream_ring(s, UINT64_C(1) << 36), -ENOMEM, "cannot allocate a ring of 64 GiB");
	node.errno_ = ENOMEM;
	fake.out.ring = (struct roc_st_ring){.reason = ROC_REASON_MEMLOCK, .limit = 8, .pinned = 5};
	FAILS(roc_stream_ring(s, RING), -ENOMEM, "limit is 8 bytes and 5 of them");
	node.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.reason = ROC_REASON_LENGTH, .limit = 1 << 30};
	FAILS(roc_stream_ring(s, 0), -EOPNOTSUPP,
	      "ring of 64 MiB: the card supports at most 1 GiB");
	node.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.reason = ROC_REASON_CONTIGUITY, .limit = 4 << 20};
	FAILS(roc_stream_ring(s, 0), -EOPNOTSUPP, "request at most 4 MiB");
	node.errno_ = EPERM;
	fake.out.ring = (struct roc_st_ring){.reason = ROC_REASON_OWNER};
	FAILS(roc_stream_ring(s, 0), -EPERM, "after fork()");
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	UNIT_EQ(fake.in.ring.length, RING);
	data = roc_stream_base(s, &length);
	UNIT_EQ(length, RING);
	/* The second mapping shows the same bytes. */
	node.area[5] = 'x';
	UNIT_EQ(((const char *)data)[5], 'x');
	UNIT_EQ(((const char *)data)[RING + 5], 'x');
	finish(s);
	/* If the card supports less than the default, only an explicit length fails. */
	s = stream("main");
	node.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.reason = ROC_REASON_LENGTH, .limit = RING};
	FAILS(roc_stream_ring(s, 64 << 20), -EOPNOTSUPP, "the card supports at most 64 KiB");
	node.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_stream_ring(s, 0), 0);
	UNIT_EQ(fake.in.ring.length, RING);
	finish(s);
}

/* The ring is made once per open. If mmap() fails, a later call maps it. */
static void a_ring_that_cannot_be_mapped(void)
{
	const void *data = NULL;
	struct roc_stream *s;
	unsigned int which;

	for (which = 1; which <= 4; which++) {
		s = stream("main");
		node.calls = 0;
		refuse_map = which;
		FAILS(roc_stream_ring(s, RING), -ENOMEM, "then call again");
		UNIT_EQ(node.calls, 1);
		refuse_map = 1;
		FAILS(roc_stream_ring(s, 0), -ENOMEM, "cannot map the ring");
		UNIT_EQ(node.calls, 1);
		FAILS(roc_stream_peek(s, &data), -EPIPE, "roc_stream_ring()");
		UNIT_NEED(!roc_stream_start(s, 0));
		UNIT_EQ(node.calls, 2);
		fake.card->written = 4;
		UNIT_EQ(roc_stream_peek(s, &data), 256);
		node.errno_ = EBUSY;
		FAILS(roc_stream_ring(s, RING), -EBUSY, "once per open");
		finish(s);
	}
}

static void close_stream(void *s)
{
	roc_stream_close(s);
}

static int use_stream(void *arg)
{
	struct roc_st_settings settings = {.set = 0};
	struct roc_stream *s = arg;
	unsigned int calls = node.calls, lost;
	struct roc_lender *l;
	struct roc_st_info info;
	const void *data;
	int at = 0;

	REFUSED(at, roc_stream_peek(s, &data));
	REFUSED(at, roc_stream_consume(s, 64));
	REFUSED(at, roc_stream_wait(s, 64, 0));
	IN_CHILD(at, !roc_stream_running(s));
	IN_CHILD(at, !roc_stream_base(s, NULL));
	REFUSED(at, roc_stream_ring(s, 0));
	REFUSED(at, roc_stream_start(s, 0));
	REFUSED(at, roc_stream_stop(s, &lost));
	REFUSED(at, roc_stream_reset(s, ROC_ST_RESET_COUNTERS));
	REFUSED(at, roc_stream_settings(s, &settings));
	REFUSED(at, roc_stream_info(s, &info));
	REFUSED(at, roc_stream_eventfd(s, -1));
	REFUSED(at, roc_lender_stream(s, 1, 64, &l));
	IN_CHILD(at, node.calls == calls);
	return 0;
}

/* The ring is not inherited, and a child's ioctls would affect its parent's run. */
static void in_a_child_of_fork(void)
{
	struct roc_stream *s = running(0);
	struct iovec areas[] = {{(void *)s->ring, RING},
				{(char *)s->ring + RING, RING},
				{(void *)s->kernel, 8192},
				{s->user, 4096},
				{(void *)s->bell, 4096}};
	const void *data;

	fake.card->written = 4;
	UNIT_EQ(child_without(areas, 5, use_stream, s), 0);
	CU_ASSERT_TRUE(roc_stream_running(s));
	UNIT_EQ(roc_stream_peek(s, &data), 256);
	finish(s);
}

/* A child has no ring, but may close its handle. */
static void children_let_go(void)
{
	struct roc_stream *s = running(0);
	struct iovec areas[] = {{(void *)s->ring, RING},
				{(char *)s->ring + RING, RING},
				{(void *)s->kernel, 8192},
				{s->user, 4096},
				{(void *)s->bell, 4096}};
	unsigned int i;

	UNIT_EQ(child_lets_go(areas, 5, close_stream, s), 0);
	finish(s);
	for (i = 0; i < 5; i++)
		CU_ASSERT_FALSE(is_mapped(&areas[i]));
}

/* Data are contiguous across the end of the ring and the wrap at 2^32 lines. */
static void data_in_place(void)
{
	struct roc_stream *s = running(UINT32_MAX - 2 * LINES + 3);
	const char *base = roc_stream_base(s, NULL);
	uint32_t position = UINT32_MAX - 2 * LINES + 3, k, step;
	const void *data = NULL;
	unsigned int calls = node.calls, round;

	UNIT_EQ(roc_stream_peek(s, &data), 0);
	CU_ASSERT_PTR_NULL(data);
	for (round = 0; round < 200; round++) {
		step = 1 + round * 37 % LINES;
		fake.card->written = position + step;
		UNIT_EQ(roc_stream_peek(s, &data), step * 64);
		CU_ASSERT_PTR_EQUAL(data, base + position % LINES * 64);
		for (k = 0; k < step; k++)
			node.area[(position + k) % LINES * 64] = round;
		for (k = 0; k < step; k++)
			UNIT_EQ(((const char *)data)[k * 64], (char)round);
		FAILS(roc_stream_consume(s, step * 64 + 64), -ERANGE, "returned");
		FAILS(roc_stream_consume(s, 63), -EINVAL, "multiple of 64");
		UNIT_EQ(fake.user->read, position);
		/* In two steps. */
		UNIT_EQ(roc_stream_consume(s, step / 2 * 64), 0);
		UNIT_EQ(fake.user->read, position + step / 2);
		UNIT_EQ(roc_stream_peek(s, &data), (step - step / 2) * 64);
		UNIT_EQ(roc_stream_consume(s, (step - step / 2) * 64), 0);
		position += step;
		UNIT_EQ(fake.user->read, position);
		UNIT_EQ(roc_stream_peek(s, &data), 0);
	}
	CU_ASSERT_TRUE(position < UINT32_MAX / 2);
	UNIT_EQ(node.calls, calls); /* no system call */
	FAILS(roc_stream_consume(s, 64), -ERANGE,
	      "cannot consume 64 bytes: roc_stream_peek() returned 0");
	finish(s);
}

/*
 * The doorbell is rung with the current position after half of the ring, but not if the driver
 * rings it.
 */
static void doorbell(void)
{
	struct roc_stream *s = running(0);
	unsigned int i, rings = 0;
	uint32_t last = 0;
	const void *data;

	for (i = 1; i <= 4 * LINES; i++) {
		fake.card->written = i;
		roc_stream_peek(s, &data);
		roc_stream_consume(s, 64);
		if (*fake.bell == last)
			continue;
		UNIT_EQ(*fake.bell, i);
		UNIT_EQ(i - last, LINES / 2);
		last = i;
		rings++;
	}
	UNIT_EQ(rings, 8);
	/* If the card knows of little free space, the doorbell is rung sooner. */
	fake.card->written += LINES;
	roc_stream_peek(s, &data);
	for (i = 1; i < LINES / 2; i++) {
		roc_stream_consume(s, 64);
		UNIT_EQ(*fake.bell, last + i / (LINES / 32) * (LINES / 32));
	}
	roc_stream_peek(s, &data);
	roc_stream_consume(s, RING - i * 64 + 64);
	UNIT_EQ(*fake.bell, last + LINES);
	/* A wait reports the position. */
	last = *fake.bell;
	fake.card->written += LINES / 2 - 1;
	roc_stream_peek(s, &data);
	roc_stream_consume(s, RING / 2 - 64);
	fake.arrive = LINES / 2;
	UNIT_EQ(roc_stream_wait(s, 64, 1000), RING / 2);
	roc_stream_consume(s, RING / 4);
	UNIT_EQ(*fake.bell, last);
	roc_stream_consume(s, RING / 4);
	UNIT_EQ(*fake.bell, fake.user->read);
	finish(s);
	s = stream("main");
	node.no_bell = true;
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	UNIT_EQ(roc_stream_start(s, 0), 0);
	fake.card->written = LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	UNIT_EQ(roc_stream_consume(s, RING), 0);
	UNIT_EQ(*fake.bell, 0);
	finish(s);
}

/*
 * After the reader has consumed all data, the card always knows of at least half of the ring as
 * free.
 */
static void space_for_the_next_unit(void)
{
	struct roc_stream *s = running(LINES - 7);
	unsigned int i, waits = 0;
	uint32_t knows, state = 39;
	const void *data;
	int64_t bytes;

	*fake.bell = fake.known;
	for (i = 0; i < 20000; i++) {
		state = state * 1664525 + 1013904223;
		fake.arrive = 1 + (state >> 16) % (LINES / 2);
		if (state >> 12 & 1) {
			fake.card->written += fake.arrive;
			fake.arrive = 0;
		} else {
			UNIT_NEED(roc_stream_wait(s, 64, 1000) > 0);
			waits++;
		}
		bytes = roc_stream_peek(s, &data);
		UNIT_NEED(bytes > 0 && !roc_stream_consume(s, (uint64_t)bytes));
		knows = (int32_t)(*fake.bell - fake.known) > 0 ? *fake.bell : fake.known;
		if (fake.card->written - knows > LINES / 2)
			break;
	}
	UNIT_EQ(i, 20000);
	CU_ASSERT(waits > 5000);
	finish(s);
}

static void invalid_write_positions(void)
{
	struct roc_stream *s = running(10);
	const void *data = NULL;

	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	fake.card->written = 10 + LINES + 1;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "the free space ends at line 1034");
	FAILS(roc_stream_wait(s, 64, 0), -EBADMSG, "write position, line 1035");
	fake.card->written = 10 + LINES - 1; /* a step back */
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "the last one was line 1034");
	fake.card->written = 5;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "write position, line 5");
	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_consume(s, RING), 0);
	UNIT_EQ(roc_stream_peek(s, &data), 0);
	fake.card->written = 0xffffffff;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "4294967295");
	fake.card->written = 10 + LINES + 2;
	fake.kernel->flags = ROC_ST_STOPPED | ROC_ST_GONE;
	UNIT_EQ(roc_stream_peek(s, &data), 128); /* available data can be read */
	UNIT_EQ(roc_stream_consume(s, 128), 0);
	FAILS(roc_stream_peek(s, &data), -ENODEV, "removed");
	finish(s);
}

static void waiting(void)
{
	struct roc_stream *s = running(100);
	unsigned int calls;

	fake.card->written = 103;
	calls = node.calls;
	UNIT_EQ(roc_stream_wait(s, 0, 0), 192);
	UNIT_EQ(roc_stream_wait(s, 192, -1), 192);
	UNIT_EQ(roc_stream_wait(s, 129, -1), 192);
	UNIT_EQ(node.calls, calls); /* already available */
	fake.arrive = 10;
	UNIT_EQ(roc_stream_wait(s, 257, 50), 832);
	UNIT_EQ(fake.in.wait.position, 105);
	UNIT_EQ(node.calls, calls + 1);
	FAILS(roc_stream_wait(s, RING, 20), -ETIME, "832 of 65536 bytes after 20 ms");
	FAILS(roc_stream_wait(s, RING + 1, 20), -EINVAL, "the ring holds 65536");
	FAILS(roc_stream_wait(s, 64, -2), -EINVAL, "use -1");
	node.errno_ = EINTR;
	FAILS(roc_stream_wait(s, RING, 20), -EINTR, "signal");
	node.errno_ = ENODEV;
	UNIT_EQ(roc_stream_wait(s, RING, 20), 832); /* the rest, after the removal of the card */
	fake.state = ROC_CH_STOPPED;
	UNIT_EQ(roc_stream_wait(s, RING, 20), 832);
	UNIT_EQ(roc_stream_consume(s, 832), 0);
	node.errno_ = ENODEV;
	FAILS(roc_stream_wait(s, 64, 20), -ENODEV, "removed");
	UNIT_EQ(roc_stream_wait(s, 64, -1), 0);
	finish(s);
}

static void settings_and_resets(void)
{
	struct roc_st_settings settings = {.set = ROC_ST_SET_POLICY, .policy = 3, .spill = 9};
	struct roc_st_card card = {.set = ROC_ST_CARD_SOURCE, .source = 7};
	struct roc_stream *s = stream("odin0");
	struct roc_endpoint *ep;
	struct roc_st_info info;
	unsigned int lost = 0;

	fake.out.settings.pack_events = 256;
	UNIT_EQ(roc_stream_settings(s, &settings), 0);
	UNIT_EQ(fake.in.settings.size, sizeof(settings));
	UNIT_EQ(fake.in.settings.stream, 2);
	UNIT_EQ(fake.in.settings.set, ROC_ST_SET_POLICY);
	UNIT_EQ(fake.in.settings.policy, 3);
	UNIT_EQ(fake.in.settings.spill, 0);
	UNIT_EQ(settings.pack_events, 256);
	settings = (struct roc_st_settings){.set = ROC_ST_SET_PACK_EVENTS, .pack_events = 70000};
	node.errno_ = ERANGE;
	FAILS(roc_stream_settings(s, &settings), -ERANGE, "70000 events");
	UNIT_EQ(settings.pack_events, 70000);
	node.errno_ = EOPNOTSUPP;
	FAILS(roc_stream_settings(s, &settings), -EOPNOTSUPP, "does not have a setting");
	node.errno_ = EINVAL;
	FAILS(roc_stream_settings(s, &settings), -EINVAL, "enum roc_st_set");
	UNIT_EQ(roc_stream_reset(s, ROC_ST_RESET_FLUSH), 0);
	UNIT_EQ(fake.in.reset.level, ROC_ST_RESET_FLUSH);
	UNIT_EQ(fake.in.reset.stream, 2);
	node.errno_ = EBUSY;
	FAILS(roc_stream_reset(s, ROC_ST_RESET_DEFAULT), -EBUSY, "stop it first");
	node.errno_ = EINVAL;
	FAILS(roc_stream_reset(s, 9), -EINVAL, "no reset level 9");
	node.errno_ = EIO;
	FAILS(roc_stream_reset(s, ROC_ST_RESET_LOGIC), -EIO, "did not complete the reset");
	UNIT_EQ(roc_stream_info(s, &info), 0);
	UNIT_STR(info.name, "odin0");
	UNIT_EQ(roc_stream_stop(s, &lost), 0);
	UNIT_EQ(lost, 17);
	node.errno_ = EALREADY;
	FAILS(roc_stream_stop(s, NULL), -EALREADY, "not running");
	node.errno_ = EALREADY;
	node.failed_reason = ROC_REASON_LOST;
	FAILS(roc_stream_stop(s, NULL), -EALREADY, "the card answers all ones");
	node.failed_reason = 0;
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	node.errno_ = EBUSY;
	FAILS(roc_stream_start(s, 0), -EBUSY, "cannot start while running");
	node.errno_ = EIO;
	FAILS(roc_stream_start(s, 0), -EIO, "did not acknowledge the start");
	UNIT_EQ(roc_stream_eventfd(s, 5), 0);
	node.errno_ = EINVAL;
	FAILS(roc_stream_eventfd(s, 5), -EINVAL, "not an eventfd");
	finish(s);

	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_stream(ep, 1, &info), 0);
	UNIT_STR(info.name, "meta");
	FAILS(roc_card_stream(ep, 3, &info), -ENOENT, "no stream 3");
	settings.set = 0;
	UNIT_EQ(roc_card_stream_settings(ep, 1, &settings), 0);
	UNIT_EQ(fake.in.settings.stream, 1);
	UNIT_EQ(roc_card_stream_reset(ep, ROC_ST_ALL, ROC_ST_RESET_COUNTERS), 0);
	UNIT_EQ(fake.in.reset.stream, ROC_ST_ALL);
	settings.set = ROC_ST_SET_LOW_WATER;
	node.errno_ = EBUSY;
	FAILS(roc_card_stream_settings(ep, 1, &settings), -EBUSY, " meta is in use by PID 4711 (");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(roc_error(), "only the process that opened the channel may change it"));
	node.errno_ = EBUSY;
	FAILS(roc_card_stream_reset(ep, 1, ROC_ST_RESET_FLUSH), -EBUSY, "in use by PID 4711");
	node.errno_ = EBUSY;
	FAILS(roc_card_stream_reset(ep, ROC_ST_ALL, ROC_ST_RESET_FLUSH), -EBUSY,
	      "in use by PID 4711");
	UNIT_EQ(roc_card_streams(ep, &card), 0);
	UNIT_EQ(fake.in.card.source, 7);
	UNIT_EQ(card.streams, 3);
	node.errno_ = ENOENT;
	FAILS(roc_card_streams(ep, &card), -ENOENT, "does not have");
	node.errno_ = ERANGE;
	FAILS(roc_card_streams(ep, &card), -ERANGE, "16 bits");
	node.errno_ = ENOTTY;
	node.other = true;
	FAILS(roc_card_streams(ep, &card), -EOPNOTSUPP, "no streams");
	roc_close(ep);
}

UNIT_MAIN("libroc_stream", {"opened by name and number", opening},
	  {"failures to make the ring", rings},
	  {"a ring that cannot be mapped", a_ring_that_cannot_be_mapped},
	  {"children close handles without mappings", children_let_go},
	  {"a child of fork() is refused", in_a_child_of_fork},
	  {"contiguous data without a system call", data_in_place},
	  {"the doorbell is rung for halves of the ring, and for less when it is full", doorbell},
	  {"the card knows of space for the next unit", space_for_the_next_unit},
	  {"invalid write positions", invalid_write_positions}, {"waiting", waiting},
	  {"settings, resets, start and stop", settings_and_resets})
