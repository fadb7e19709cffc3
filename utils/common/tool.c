// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of all tools.
 */
#include "tool.h"

#include <roc/roc.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAIN_MS 1000 /* time for the last messages */

static const char *running = "roc";
static struct line_queue *messages; /* NULL: messages are written directly */

static void drain_messages(void)
{
	if (messages)
		line_queue_drain(messages, DRAIN_MS);
}

void tool_write_messages(void)
{
	drain_messages();
	messages = NULL;
}

void tool_queue_messages(void)
{
	messages = line_queue_open(STDERR_FILENO);
	if (messages)
		atexit(drain_messages);
}

/* Queue a line. Once the queue has space again, report the number of lost messages. */
static void queue_line(const char *text, size_t length)
{
	static uint64_t reported;
	uint64_t lost = line_queue_lost(messages);
	char *note;
	int n;

	line_queue_put(messages, text, length);
	if (lost == reported || line_queue_lost(messages) != lost)
		return;
	n = asprintf(&note,
		     "roc-%s: %" PRIu64
		     " messages were lost because standard error was not read in time.\n",
		     running, lost - reported);
	if (n < 0)
		return;
	line_queue_put(messages, note, (size_t)n);
	free(note);
	reported = lost;
}

void tool_set_name(const char *name)
{
	running = name;
}

/*
 * Print a message. Parts of it may come from outside: replace control characters, which could add
 * lines or control the terminal.
 */
static void message(const char *fmt, va_list ap)
{
	char *line = NULL, *text, *whole;
	int length;

	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	for (text = line; text && *text; text++) {
		if (iscntrl((unsigned char)*text))
			*text = '?';
	}
	length = asprintf(&whole, "%s%s: %s\n", strcmp(running, "roc") ? "roc-" : "", running,
			  line ? line : "Cannot allocate a message.");
	free(line);
	if (length < 0)
		return;
	if (messages) {
		queue_line(whole, (size_t)length);
	} else {
		fflush(stdout);
		fwrite(whole, 1, (size_t)length, stderr);
	}
	free(whole);
}

int tool_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return TOOL_FAILED;
}

int tool_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return TOOL_USAGE;
}

void tool_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
}

int tool_fail_for(int err, const char *reason)
{
	return err == -EINVAL ? tool_usage("%s", reason) : tool_fail("%s", reason);
}

int tool_fail_card(int err)
{
	return err == -EINVAL ? tool_usage("--id: %s", roc_error()) : tool_fail("%s", roc_error());
}

int tool_finish(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return TOOL_OK;
	/* errno has changed since an earlier failure, so its reason is unknown. */
	return errno ? tool_fail("Cannot write the output: %s.", strerror(errno))
		     : tool_fail("Cannot write the output.");
}
