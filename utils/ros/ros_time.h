/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of daemon and load.
 */
#ifndef ROC_UTILS_ROS_TIME_H
#define ROC_UTILS_ROS_TIME_H

#include <stdint.h>
#include <time.h>

#define ROS_MS UINT64_C(1000000)
#define ROS_SECOND UINT64_C(1000000000)

/* CLOCK_MONOTONIC, ns. No system call where the clock is any good. */
static inline uint64_t ros_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * ROS_SECOND + (uint64_t)t.tv_nsec;
}

#endif
