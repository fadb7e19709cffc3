/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel header of this name that kernel files need in user-space tests. */
#ifndef UNIT_LINUX_MATH64_H
#define UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline __u64 div_u64(__u64 dividend, __u32 divisor)
{
	return dividend / divisor;
}

#endif
