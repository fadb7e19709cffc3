/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run one sink of event building at a time, with blocks for it and a folder for its files. The
 * program must be linked with --wrap=open. Included after unit.h.
 */
#ifndef ROC_UNIT_SINK_RUN_H
#define ROC_UNIT_SINK_RUN_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tests/unit/utils/evb/blocks.h"
#include "utils/evb/sink.h"

static struct evb_sink sink;
static char reason[UNITS_REASON];
static char dir[] = "/tmp/roc-evb-XXXXXX";
static unsigned int taken; /* number of file names that exist already */
static int opened;	   /* descriptor of the last opened file of blocks */
static bool no_inodes;	   /* opening another file of blocks fails */

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	const char *number = strstr(path, "/bu1-");
	mode_t mode = 0;
	va_list rest;

	va_start(rest, flags);
	if (flags & O_CREAT)
		mode = va_arg(rest, mode_t);
	va_end(rest);
	if (number && flags & O_EXCL && strtoul(number + 5, NULL, 10) < taken) {
		errno = EEXIST;
		return -1;
	}
	if (!number)
		return __real_open(path, flags, mode);
	if (no_inodes) {
		errno = ENOSPC;
		return -1;
	}
	opened = __real_open(path, flags, mode);
	return opened;
}

static void open_it(const char *text)
{
	reason[0] = '\0';
	UNIT_EQ(evb_sink_open(text, "bu1", &sink, reason), 0);
	if (reason[0])
		unit_note("%s", reason);
	UNIT_NEED(sink.ops);
}

static struct evb_sink_counters counters(void)
{
	struct evb_sink_counters n;

	sink.counters(sink.self, &n);
	return n;
}

/* Put a block and wait until it is returned. */
static int give(struct block *b)
{
	uint64_t handle = 0;
	int ret = 0;

	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->put(sink.self, &b->mep)) != 0 ||
					 sink.ops->done(sink.self, &handle, 0) < 0,
				 20000));
	if (ret < 0)
		return ret;
	if (sink.ops->flush)
		UNIT_EQ(sink.ops->flush(sink.self), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->done(sink.self, &handle, 1)) != 0, 2000));
	UNIT_EQ(ret, 1);
	UNIT_EQ(handle, b->mep.handle);
	return 1;
}

/* Remove the folder; the sink creates it again. */
static void clean(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static void make_folder(void)
{
	UNIT_NEED(mkdtemp(dir));
	atexit(clean);
}

static int end(void)
{
	int ret = 0;

	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->finish(sink.self)) != 0, 20000));
	return ret;
}

/* Write @count blocks and return the counters of the sink. */
static struct evb_sink_counters record(const char *options, unsigned int count)
{
	struct evb_sink_counters n;
	char text[128];
	unsigned int i;

	snprintf(text, sizeof(text), "file:%s%s", dir, options);
	open_it(text);
	for (i = 0; i < count; i++) {
		struct block *b = make_block(i, i % 2 ? 90 + i : 5000, i == 11 ? 0 : -1);

		UNIT_EQ(give(b), 1);
		free_block(b);
	}
	UNIT_EQ(end(), 1);
	n = counters();
	evb_sink_close(&sink);
	return n;
}

#endif
