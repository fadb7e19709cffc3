// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Error messages and clocks. Short: the lowest layer, which all files of this folder use.
 */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

int fabric_fail(char reason[FABRIC_REASON], int err, const char *fmt, ...)
{
	va_list ap;

	if (!reason[0]) {
		va_start(ap, fmt);
		vsnprintf(reason, FABRIC_REASON, fmt, ap);
		va_end(ap);
	}
	return -err;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * FABRIC_NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t fabric_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t fabric_realtime(void)
{
	return clock_ns(CLOCK_REALTIME);
}
