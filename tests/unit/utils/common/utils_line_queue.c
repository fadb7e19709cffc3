// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the line queue with a pipe that is read late: each line is complete or counted as lost.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "utils/common/tool.h"

#define LINE 1000
#define LINES 4000 /* more than fits in the queue and the pipe */

static unsigned int whole_lines(int fd)
{
	static char text[8 << 20];
	unsigned int lines = 0;
	size_t have = 0, i;
	ssize_t n;

	while ((n = read(fd, text + have, sizeof(text) - have)) > 0)
		have += (size_t)n;
	for (i = 0; i < have; i++) {
		if (text[i] != '\n')
			continue;
		CU_ASSERT_TRUE(i % LINE == LINE - 1);
		lines++;
	}
	UNIT_EQ(have, lines * LINE);
	return lines;
}

static void late_reader(void)
{
	struct line_queue *q;
	char line[LINE];
	unsigned int i, lines = 0;
	int ends[2];

	memset(line, 'x', sizeof(line));
	line[LINE - 1] = '\n';
	UNIT_NEED(!pipe2(ends, O_CLOEXEC));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	q = line_queue_open(ends[1]);
	UNIT_NEED(q);
	for (i = 0; i < LINES; i++)
		line_queue_put(q, line, sizeof(line));
	CU_ASSERT_TRUE(line_queue_lost(q) > 0);
	UNIT_EQ(line_queue_error(q), 0);
	CU_ASSERT_TRUE(
		UNIT_WAIT((lines += whole_lines(ends[0])) + line_queue_lost(q) == LINES, 10000));
	line_queue_drain(q, 10000);
	UNIT_EQ(lines + line_queue_lost(q), LINES);
}

static void no_reader(void)
{
	struct line_queue *q;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	UNIT_NEED(!pipe2(ends, O_CLOEXEC));
	close(ends[0]);
	q = line_queue_open(ends[1]);
	UNIT_NEED(q);
	line_queue_put(q, "x\n", 2);
	line_queue_drain(q, 10000);
	UNIT_EQ(line_queue_lost(q), 1);
	UNIT_EQ(line_queue_error(q), EPIPE);
}

/* A drain ends even if the pipe is full; the remaining lines are counted. */
static void never_read(void)
{
	char line[LINE];
	struct line_queue *q;
	unsigned int i;
	int ends[2];

	memset(line, 'x', sizeof(line));
	UNIT_NEED(!pipe2(ends, O_CLOEXEC));
	UNIT_NEED(fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
	q = line_queue_open(ends[1]);
	UNIT_NEED(q);
	for (i = 0; i < 10; i++)
		line_queue_put(q, line, sizeof(line));
	line_queue_drain(q, 100);
	CU_ASSERT_TRUE(line_queue_lost(q) >= 6 && line_queue_lost(q) <= 10);
}

UNIT_MAIN("line queue", {"late reader", late_reader}, {"reader gone", no_reader},
	  {"pipe that is never read", never_read})
