// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log lines of the process on stderr.
 */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Set while a writer has checked that stderr takes a line. A second writer may be a signal handler,
 * so it drops its line instead of waiting.
 */
static atomic_flag writing = ATOMIC_FLAG_INIT;

void emu_log_line(const char *line, size_t len)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (atomic_flag_test_and_set(&writing))
		return;
	/* A pipe that is writable at all has space for a line. */
	if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT && write(STDERR_FILENO, line, len) < 0)
		errno = 0; /* the reader of stderr has closed it */
	atomic_flag_clear(&writing);
}

/* Serializes callers of emu_log(). They may hold a function's lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void emu_log(const char *fmt, ...)
{
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
	pthread_mutex_lock(&lock);
	emu_log_line(line, (size_t)n);
	pthread_mutex_unlock(&lock);
}
