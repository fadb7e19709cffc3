// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the lending of windows of a stream's ring. */
#include <roc/lend.h>

#include "fake_stream.h"
#include "kmod/stream/stream_packet.h"
#include "libroc/core/lend.h"

static uint32_t number; /* of the next packet */
static uint16_t flags;	/* of the next packets */
static uint64_t event;	/* of the fragment of the next packet */

/* Write @count packets of one fragment and @lines each at the write position. */
static void card_writes(uint32_t lines, unsigned int count)
{
	uint32_t at = fake.card->written;
	struct stream_packet *p;

	for (; count; count--, at += lines) {
		p = (void *)(node.area + at % LINES * 64);
		*p = (struct stream_packet){.magic = STREAM_MAGIC_PACKET,
					    .version = STREAM_UNIT_VERSION,
					    .align = 2,
					    .size = 64 * lines,
					    .number = number++,
					    .flags = flags,
					    .first_event = event++,
					    .data = 40,
					    .fragments = 1};
		((uint32_t *)p)[9] = 64 * lines - 40;
	}
	fake.card->written = at;
}

static void begin(struct roc_stream *s, uint32_t position)
{
	UNIT_NEED(!roc_stream_start(s, position));
	number = 0;
	flags = 0;
	event = 1000;
}

/* Windows contain whole packets; the ring is released up to the oldest lent window. */
static void windows_are_lent(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit a, b, c, last;
	struct roc_lent lent;

	FAILS(roc_lender_stream(s, 4, 1024, &l), -EPIPE, "roc_stream_ring()");
	UNIT_NEED(!roc_stream_ring(s, RING));
	FAILS(roc_lender_stream(s, 0, 1024, &l), -EINVAL, "1 to");
	UNIT_NEED(!roc_lender_stream(s, 4, 1024, &l));
	begin(s, LINES - 10); /* the first window crosses the end of the ring */
	UNIT_EQ(roc_lender_take(l, &a), 0);
	card_writes(5, 3);
	UNIT_EQ(roc_lender_wait(l, 0), 0);
	UNIT_EQ(roc_lender_take(l, &a), 1); /* three fit */
	UNIT_EQ(a.length, 960);
	UNIT_EQ(a.offset, LINES - 10);
	UNIT_EQ(a.run, 1);
	UNIT_EQ(fake.user->taken, LINES + 5);
	UNIT_EQ(fake.user->read, LINES - 10);
	card_writes(5, 4); /* three of them fit */
	UNIT_EQ(roc_lender_take(l, &b), 1);
	UNIT_EQ(b.length, 960);
	card_writes(40, 1); /* a single packet larger than the limit */
	UNIT_EQ(roc_lender_take(l, &c), 1);
	UNIT_EQ(c.length, 320);
	UNIT_EQ(roc_lender_return(l, c.handle), 0);
	UNIT_EQ(roc_lender_take(l, &last), 1);
	UNIT_EQ(last.length, 2560);
	UNIT_EQ(roc_lender_take(l, &c), 0);
	UNIT_EQ(fake.user->taken, LINES - 10 + 35 + 40);
	/* A wait is for data that were not taken. */
	fake.arrive = 1;
	UNIT_EQ(roc_lender_wait(l, 100), 0);
	UNIT_EQ(fake.in.wait.position, LINES - 10 + 35 + 40 + 1);
	/* The new data are not a packet. */
	memset(node.area + (fake.card->written - 1) % LINES * 64, 0xee, 64);
	l->most = 32;
	FAILS(roc_lender_take(l, &c), -EBADMSG, "0xeeee");
	roc_lender_lent(l, &lent);
	UNIT_EQ(lent.count, 3);
	UNIT_EQ(lent.waiting, 1);
	UNIT_EQ(lent.held, 75 * 64);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10);
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10 + 35); /* including the returned one that waited */
	FAILS(roc_lender_close(l), -EBUSY, "1 units are lent");
	UNIT_EQ(roc_lender_return(l, last.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10 + 75);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

static void a_lender_of_a_stream_that_ended(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 1, RING, &l));
	UNIT_NEED(!roc_stream_start(s, 0));
	fake.state = ROC_CH_STOPPED;
	FAILS(roc_lender_wait(l, 10), -ENODATA, "roc_stream_start()");
	fake.state = ROC_CH_FAILED;
	fake.reason = ROC_REASON_POSITION;
	FAILS(roc_lender_wait(l, 10), -ENODATA, roc_reason_text(ROC_REASON_POSITION));
	fake.state = ROC_CH_RUNNING;
	FAILS(roc_lender_wait(l, 10), -ETIME, "0 of 64");
	fake.card->written = LINES + 1;
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the free space ends at line 1024");
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* Valid packets are returned first, without an error text about the invalid one after them. */
static void wrong_behind_good_ones(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 2, 1024, &l));
	begin(s, 0);
	card_writes(5, 2);
	memset(node.area + fake.card->written % LINES * 64, 0xee, 64);
	fake.card->written += 40;
	roc_fail(EIO, "of before");
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(unit.length, 640);
	UNIT_STR(roc_error(), "of before");
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "0xeeee");
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* A window that fits entirely is checked, too. */
static void wrong_in_a_window_that_fits(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 2, RING, &l));
	begin(s, 0);
	card_writes(5, 2);
	/* A size beyond the write position. */
	card_writes(5, 1);
	fake.card->written -= 1;
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(unit.length, 640);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the size is 320 bytes, but only 256");
	/* A size of zero. */
	((struct stream_packet *)(node.area + 640))->size = 0;
	FAILS(roc_lender_take(l, &unit), -EBADMSG,
	      "the size is 0, but a packet has at least 64 bytes");
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* A missing packet at the start, between two windows, or within one; a new run begins at 0. */
static void packets_are_missing(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 4, RING, &l));
	begin(s, 0);
	number = 1;
	card_writes(5, 1);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "packet 1 is where packet 0 should be");
	begin(s, 0);
	card_writes(5, 2);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	card_writes(5, 1);
	number = 6;
	card_writes(5, 1);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(unit.length, 320);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "packet 6 is where packet 3 should be");
	begin(s, 0);
	card_writes(5, 1);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(roc_lender_close(l), 0);
	/* A lender made after the end of the run accepts the remaining packets with any number. */
	card_writes(5, 2);
	UNIT_NEED(!roc_lender_stream(s, 4, RING, &l));
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(unit.length, 640);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* Only the window with the damaged packet is flagged. */
static void damaged_packets_are_flagged(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit a, b, c;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 4, 640, &l));
	begin(s, 0);
	card_writes(5, 2);
	flags = STREAM_PACKET_AGED;
	card_writes(5, 1);
	flags = STREAM_PACKET_TRUNCATED | STREAM_PACKET_GAP;
	card_writes(5, 2);
	UNIT_EQ(roc_lender_take(l, &a), 1);
	UNIT_EQ(a.flags, 0);
	UNIT_EQ(roc_lender_take(l, &b), 1);
	UNIT_EQ(b.flags, ROC_UNIT_DAMAGED);
	UNIT_EQ(roc_lender_take(l, &c), 1);
	UNIT_EQ(c.flags, ROC_UNIT_DAMAGED);
	flags = 0;
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	UNIT_EQ(roc_lender_return(l, c.handle), 0);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* Gaps and backward steps in the event ids of lent packets, between two windows and within one. */
static void event_ids_are_followed(void)
{
	struct roc_stream *s = stream("main");
	struct roc_stream_damage d;
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 4, 640, &l));
	begin(s, 0);
	card_writes(5, 1);
	event += 3;
	flags = STREAM_PACKET_TRUNCATED;
	card_writes(5, 2);
	event -= 1;
	card_writes(5, 2);
	UNIT_EQ(roc_lender_take(l, &unit), 1); /* two of the five packets */
	roc_stream_damage(s, &d);
	UNIT_EQ(d.missing, 3);
	UNIT_EQ(d.damaged, 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	roc_stream_damage(s, &d);
	UNIT_EQ(d.missing, 3);
	UNIT_EQ(d.backward, 1);
	UNIT_EQ(d.damaged, 3);
	/* Another run may begin with any id, and the counters are kept. */
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	begin(s, 0);
	event = 7;
	card_writes(5, 1);
	UNIT_EQ(roc_lender_take(l, &unit), 1);
	UNIT_EQ(roc_lender_return(l, unit.handle), 0);
	roc_stream_damage(s, &d);
	UNIT_EQ(d.missing, 3);
	UNIT_EQ(d.backward, 1);
	UNIT_EQ(d.damaged, 4);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

UNIT_MAIN("libroc_stream_lend", {"windows are lent and returned", windows_are_lent},
	  {"a lender when the stream has ended", a_lender_of_a_stream_that_ended},
	  {"an error after valid packets is reported after them", wrong_behind_good_ones},
	  {"an invalid packet in a window that fits", wrong_in_a_window_that_fits},
	  {"packets are missing", packets_are_missing},
	  {"damaged packets are flagged", damaged_packets_are_flagged},
	  {"event ids are followed", event_ids_are_followed})
