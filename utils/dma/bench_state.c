// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all parts of roc-bench-dma use: the reason of a failure.
 */
#include "bench.h"

#include <stdarg.h>

void bench_fail(struct bench *b, const char *fmt, ...)
{
	va_list ap;

	if (b->failure[0])
		return;
	va_start(ap, fmt);
	vsnprintf(b->failure, sizeof(b->failure), fmt, ap);
	va_end(ap);
}
