/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel header of this name that kernel files need in user-space tests. */
#ifndef UNIT_LINUX_COMPILER_H
#define UNIT_LINUX_COMPILER_H

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

#endif
