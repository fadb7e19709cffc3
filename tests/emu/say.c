// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the process says of itself, on stderr.
 */
#include "say.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* By whoever says something, and it may hold a function's lock. */
static pthread_mutex_t mouth = PTHREAD_MUTEX_INITIALIZER;

void emu_say(const char *fmt, ...)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	n = n < (int)sizeof(line) - 2 ? n : (int)sizeof(line) - 2;
	line[n++] = '\n';
	pthread_mutex_lock(&mouth);
	/* A pipe that has room at all has room for a line. */
	if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT)
		n = (int)write(STDERR_FILENO, line, (size_t)n);
	pthread_mutex_unlock(&mouth);
}
