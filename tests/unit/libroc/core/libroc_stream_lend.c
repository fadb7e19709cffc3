// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows of streams that are lent to others.
 */
#include <roc/lend.h>

#include "fake_stream.h"
#include "kmod/stream/stream_packet.h"
#include "libroc/core/lend.h"

/* Packets of one fragment, @lines each, behind the write position. */
static void card_writes(uint32_t lines, unsigned int count)
{
	uint32_t at = fake.card->written;
	struct stream_packet *p;

	for (; count; count--, at += lines) {
		p = (void *)(fake.area + at % LINES * 64);
		*p = (struct stream_packet){.magic = STREAM_MAGIC_PACKET,
					    .version = STREAM_UNIT_VERSION,
					    .align = 2,
					    .size = 64 * lines,
					    .data = 40,
					    .fragments = 1};
		((uint32_t *)p)[9] = 64 * lines - 40;
	}
	fake.card->written = at;
}

/* Windows of whole packets; the ring is given back up to the oldest that is out. */
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
	UNIT_NEED(!roc_stream_start(s, LINES - 10)); /* the first window straddles the end */
	UNIT_EQ(roc_lender_take(l, &a), 0);
	card_writes(5, 3);
	UNIT_EQ(roc_lender_wait(l, 0), 0);
	UNIT_EQ(roc_lender_take(l, &a), 1); /* three fit */
	UNIT_EQ(a.length, 960);
	UNIT_EQ(a.offset, LINES - 10);
	UNIT_EQ(a.run, 1);
	UNIT_EQ(fake.user->taken, LINES + 5);
	UNIT_EQ(fake.user->read, LINES - 10);
	card_writes(5, 4); /* of which three fit */
	UNIT_EQ(roc_lender_take(l, &b), 1);
	UNIT_EQ(b.length, 960);
	card_writes(40, 1); /* one alone does not */
	UNIT_EQ(roc_lender_take(l, &c), 1);
	UNIT_EQ(c.length, 320);
	UNIT_EQ(roc_lender_return(l, c.handle), 0);
	UNIT_EQ(roc_lender_take(l, &last), 1);
	UNIT_EQ(last.length, 2560);
	UNIT_EQ(roc_lender_take(l, &c), 0);
	UNIT_EQ(fake.user->taken, LINES - 10 + 35 + 40);
	/* Sleeping is for what was not taken. */
	fake.arrive = 1;
	UNIT_EQ(roc_lender_wait(l, 100), 0);
	UNIT_EQ(fake.in.wait.position, LINES - 10 + 35 + 40 + 1);
	/* What came is no packet. */
	memset(fake.area + (fake.card->written - 1) % LINES * 64, 0xee, 64);
	l->most = 32;
	FAILS(roc_lender_take(l, &c), -EBADMSG, "0xeeee");
	roc_lender_lent(l, &lent);
	UNIT_EQ(lent.count, 3);
	UNIT_EQ(lent.waiting, 1);
	UNIT_EQ(lent.held, 75 * 64);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10);
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10 + 35); /* with the one that waited */
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
	fake.why = ROC_WHY_POSITION;
	FAILS(roc_lender_wait(l, 10), -ENODATA, roc_why_text(ROC_WHY_POSITION));
	fake.state = ROC_CH_RUNNING;
	FAILS(roc_lender_wait(l, 10), -ETIME, "0 of 64");
	fake.card->written = LINES + 1;
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the ring ends at 1024");
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

/* Good packets come first, without a word of what is behind them. */
static void wrong_behind_good_ones(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 2, 1024, &l));
	UNIT_NEED(!roc_stream_start(s, 0));
	card_writes(5, 2);
	memset(fake.area + fake.card->written % LINES * 64, 0xee, 64);
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

UNIT_MAIN("libroc_stream_lend", {"windows are lent and returned", windows_are_lent},
	  {"a lender when the stream has ended", a_lender_of_a_stream_that_ended},
	  {"what is wrong behind good packets is said in its turn", wrong_behind_good_ones})
