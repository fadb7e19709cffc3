// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test waits and polls while a run ends: they do not report the end before the card is quiesced and
 * its last data were read. A point in the module forces the order (kmod/core/points.h).
 */
#include "common/case.h"
#include "common/reader.h"
#include "common/taker.h"

#include <poll.h>

#define LIMIT_MS 10000
#define MEET_MS 300 /* time for a waiter to return if it does not sleep */

/* The IDs of the cards in schedules.c. */
#define P40 3
#define CARD_OF_STREAMS "4004:0"
#define ROBINNP 4
#define CARD_OF_SUBS "6005:0"

static int stop_stream(void *arg)
{
	return reader_stop(arg) ? 0 : 1;
}

static int stop_fragments(void *arg)
{
	return taker_stop(arg) ? 0 : 1;
}

static pid_t hold_stop(const char *id, int (*stop)(void *), void *arg)
{
	pid_t pid;

	point_hold("quiesce", id);
	pid = child_start(AS_ROOT, stop, arg);
	CU_ASSERT(point_reached("quiesce", LIMIT_MS));
	return pid;
}

static void ended(pid_t pid, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	UNIT_EQ(poll(&p, 1, 0), 0);
	points_release();
	UNIT_EQ(child_wait(pid, LIMIT_MS), 0);
}

static void stream_that_ends(void)
{
	struct reader r = {.id = CARD_OF_STREAMS, .stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	pid_t pid;

	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	emu_keys_p40(P40);
	UNIT_NEED(reader_open(&r));
	reader_generate(&r, 0, 64, 64, 0, 2, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 2, LIMIT_MS));
	pid = hold_stop(CARD_OF_STREAMS, stop_stream, &r);
	UNIT_EQ(reader_wait(&r, MEET_MS), -ETIME);
	UNIT_EQ(reader_info(&r).state, ROC_CH_RUNNING);
	ended(pid, r.fd);
	UNIT_EQ(reader_wait(&r, LIMIT_MS), 0);
	UNIT_EQ(reader_info(&r).state, ROC_CH_STOPPED);
	READER_OK(&r);
	reader_close(&r);
}

static void fragments_that_end(void)
{
	struct taker t = {.id = CARD_OF_SUBS, .pages = 64};
	pid_t pid;

	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	emu_keys_robinnp(ROBINNP);
	UNIT_NEED(taker_open(&t));
	taker_generate(&t, TAKER_ALL_LINKS, 64, 64, 0, 0, 2);
	UNIT_NEED(taker_start(&t, 0));
	CU_ASSERT(taker_run(&t, 2 * ROBINNP_LINKS, LIMIT_MS));
	while (!taker_wait(&t, ROC_FR_WAIT_DATA | ROC_FR_WAIT_DONE, MEET_MS))
		taker_pass(&t);
	pid = hold_stop(CARD_OF_SUBS, stop_fragments, &t);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA | ROC_FR_WAIT_DONE, MEET_MS), -ETIME);
	UNIT_EQ(taker_info(&t).state, ROC_CH_RUNNING);
	ended(pid, t.fd);
	UNIT_EQ(taker_wait(&t, ROC_FR_WAIT_DATA | ROC_FR_WAIT_DONE, LIMIT_MS), 0);
	UNIT_EQ(taker_info(&t).state, ROC_CH_STOPPED);
	TAKER_OK(&t);
	taker_close(&t);
}

UNIT_MAIN("ending", {"stream that ends", stream_that_ends},
	  {"fragments that end", fragments_that_end})
