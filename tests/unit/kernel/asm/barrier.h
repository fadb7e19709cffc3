/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the kernel header of this name that kernel files need in user-space tests. */
#ifndef UNIT_ASM_BARRIER_H
#define UNIT_ASM_BARRIER_H

#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define dma_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)

#endif
