// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test races of a stream's reader: a start that fails halfway, lines released during a read, and
 * the removal of the card.
 */
#include "fake_stream.h"

#include <signal.h>

static struct roc_stream *raced;

/* The driver resets the positions, and then the card does not start. */
static void a_start_that_fails(void)
{
	/* Remaining data, whether the reader had seen them, and the new start position */
	static const struct {
		uint32_t lines;
		bool peek;
		uint32_t position;
	} left[] = {{0, true, 0}, {4, true, 0}, {4, false, 0}, {4, true, 10}, {0, true, 5000}};
	const void *data = NULL;
	struct roc_stream *s;
	unsigned int i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		s = running(10);
		fake.card->written = 20;
		UNIT_EQ(roc_stream_peek(s, &data), 640);
		UNIT_EQ(roc_stream_consume(s, 640), 0);
		fake.card->written = 20 + left[i].lines;
		if (left[i].peek)
			UNIT_EQ(roc_stream_peek(s, &data), 64 * left[i].lines);
		UNIT_EQ(roc_stream_stop(s, NULL), 0);
		/* The positions were not reset: the data of the last run are still available. */
		node.errno_ = EIO;
		FAILS(roc_stream_start(s, left[i].position), -EIO, "did not acknowledge the start");
		UNIT_EQ(roc_stream_peek(s, &data), 64 * left[i].lines);
		node.start_errno = EIO;
		FAILS(roc_stream_start(s, left[i].position), -EIO, "did not acknowledge the start");
		UNIT_EQ(roc_stream_peek(s, &data), 0);
		FAILS(roc_stream_consume(s, 64), -ERANGE, "returned 0");
		node.start_errno = 0;
		UNIT_EQ(roc_stream_start(s, 7), 0);
		fake.card->written = 8;
		UNIT_EQ(roc_stream_peek(s, &data), 64);
		finish(s);
	}
	/* Reset to the read position: only unread data are lost. */
	s = running(0);
	fake.card->written = 4;
	UNIT_EQ(roc_stream_peek(s, &data), 256);
	/* A running stream is not changed. */
	node.errno_ = EBUSY;
	FAILS(roc_stream_start(s, 0), -EBUSY, "cannot start while running");
	fake.card->written = 2;
	UNIT_EQ(roc_stream_peek(s, &data), -EBADMSG);
	UNIT_EQ(roc_stream_stop(s, NULL), 0);
	node.start_errno = EIO;
	FAILS(roc_stream_start(s, 0), -EIO, "did not acknowledge the start");
	UNIT_EQ(roc_stream_peek(s, &data), 0);
	finish(s);
}

/* While the reader loads the write position, release half of the data and write new ones. */
static void give_and_write(int number)
{
	uint32_t position = fake.user->read + LINES / 2;

	UNIT_EQ(number, SIGSEGV);
	mprotect((void *)(uintptr_t)raced->state, 4096, PROT_READ);
	libroc_stream_release(raced, position);
	fake.card->written = position + LINES;
}

/* Another thread may release data at any time, and a waiting card writes at once. */
static void released_meanwhile(void)
{
	struct sigaction race = {.sa_handler = give_and_write}, before;
	struct roc_stream *s = running(10);
	const void *data = NULL;

	raced = s;
	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	UNIT_EQ(sigaction(SIGSEGV, &race, &before), 0);
	UNIT_EQ(mprotect((void *)(uintptr_t)s->state, 4096, PROT_NONE), 0);
	UNIT_EQ(libroc_stream_from(s, 10 + LINES, &data), RING / 2);
	UNIT_EQ(sigaction(SIGSEGV, &before, NULL), 0);
	UNIT_EQ(fake.user->read, 10 + LINES / 2);
	finish(s);
}

/* Between two loads of the reader, the card writes for the last time and is removed. */
static void write_and_go(int number)
{
	UNIT_EQ(number, SIGSEGV);
	mprotect((void *)(uintptr_t)raced->kernel, 4096, PROT_READ);
	mprotect((void *)(uintptr_t)raced->state, 4096, PROT_READ);
	fake.card->written = 12;
	fake.kernel->flags = ROC_ST_STOPPED | ROC_ST_GONE;
}

/*
 * -ENODEV means that no data are left: with any order of events, all written data must be returned
 * first.
 */
static void removed_meanwhile(void)
{
	struct sigaction race = {.sa_handler = write_and_go}, before;
	struct roc_stream *s = running(10);
	const void *data = NULL;

	raced = s;
	UNIT_EQ(sigaction(SIGSEGV, &race, &before), 0);
	UNIT_EQ(mprotect((void *)(uintptr_t)s->kernel, 4096, PROT_NONE), 0);
	UNIT_EQ(roc_stream_peek(s, &data), 128);
	UNIT_EQ(sigaction(SIGSEGV, &before, NULL), 0);
	UNIT_EQ(roc_stream_consume(s, 128), 0);
	FAILS(roc_stream_peek(s, &data), -ENODEV, "removed");
	finish(s);
}

UNIT_MAIN("libroc_stream_end",
	  {"a start that fails after the positions were reset", a_start_that_fails},
	  {"lines released during a read", released_meanwhile},
	  {"a card removed during a read", removed_meanwhile})
