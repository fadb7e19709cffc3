/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many entries the least demanding of those who sleep wants. Whoever publishes wakes all when
 * there are so many, and takes it away; those who go on sleeping say it again. The same file is
 * tested in user space.
 */
#ifndef ROC_WANT_H
#define ROC_WANT_H

#include <linux/atomic.h>
#include <linux/types.h>

#define ROC_WANT_NOTHING 0xffffffffu

/* Several may say so at the same time, and none may lose its wish to another's larger one. */
static inline void roc_want(__u32 *fewest, __u32 count)
{
	__u32 old = READ_ONCE(*fewest);

	while (count < old && !try_cmpxchg(fewest, &old, count))
		;
}

#endif /* ROC_WANT_H */
