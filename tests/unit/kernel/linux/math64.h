/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel files that are tested in user space need of the kernel's header of this name. */
#ifndef UNIT_LINUX_MATH64_H
#define UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline __u64 div_u64(__u64 dividend, __u32 divisor)
{
	return dividend / divisor;
}

#endif
