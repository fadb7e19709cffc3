/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Monotonic clock of all tools; inline, for the loops that move data.
 */
#ifndef ROC_UTILS_CLOCK_H
#define ROC_UTILS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC in ns. Needs no system call with a usable clock source. */
static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
