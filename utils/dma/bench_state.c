// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all parts of roc-bench-dma use: the signal's flag, the time, the reason of a failure.
 */
#include "bench.h"

#include <stdarg.h>
#include <time.h>

volatile sig_atomic_t bench_interrupted;

uint64_t bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void bench_fail(struct bench *b, const char *fmt, ...)
{
	va_list ap;

	if (b->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(b->failure, sizeof(b->failure), fmt, ap);
	va_end(ap);
}
