/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel header of this name that kernel files need in user-space tests. */
#ifndef UNIT_LINUX_ATOMIC_H
#define UNIT_LINUX_ATOMIC_H

#include <linux/compiler.h>

#define try_cmpxchg(p, old, new)                                                                   \
	__atomic_compare_exchange_n((p), (old), (new), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#endif
