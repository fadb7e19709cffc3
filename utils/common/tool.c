// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The messages that all tools print.
 */
#include "tool.h"

#include <roc/roc.h>

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *running = "roc";

void tool_set_name(const char *name)
{
	running = name;
}

/* Some of it was said by others: no line of theirs, and nothing that moves a terminal. */
static void message(const char *fmt, va_list ap)
{
	char *line = NULL, *text;

	fflush(stdout);
	fprintf(stderr, "%s%s: ", strcmp(running, "roc") ? "roc-" : "", running);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	for (text = line; text && *text; text++) {
		if (iscntrl((unsigned char)*text))
			*text = '?';
	}
	fprintf(stderr, "%s\n", line ? line : "There is no memory left.");
	free(line);
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

int tool_fail_for(int err, const char *why)
{
	return err == -EINVAL ? tool_usage("%s", why) : tool_fail("%s", why);
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
	/* Of what failed before only that is known: errno was another's since. */
	return errno ? tool_fail("The output could not be written: %s.", strerror(errno))
		     : tool_fail("The output could not be written.");
}
