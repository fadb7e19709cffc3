/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel files that are tested in user space need of the kernel's header of this name. */
#ifndef UNIT_LINUX_ATOMIC_H
#define UNIT_LINUX_ATOMIC_H

#include <linux/compiler.h>

#define try_cmpxchg(p, old, new)                                                                   \
	__atomic_compare_exchange_n((p), (old), (new), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#endif
