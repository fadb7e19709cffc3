/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Order memory accesses before a store to a device register, for the doorbells of streams and of
 * fragments.
 */
#ifndef LIBROC_BARRIER_H
#define LIBROC_BARRIER_H

/*
 * Order all earlier loads and stores before all later register stores, as seen by the device. The
 * device then finds the entries that the doorbell counts, and overwrites no data that the caller
 * still reads. An atomic fence would order the caller only against other threads.
 */
static inline void libroc_device_barrier(void)
{
#if defined(__x86_64__) || defined(__i386__)
	/* x86 keeps this order for uncached registers; only the compiler must not reorder. */
	__asm__ volatile("" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb osh" ::: "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("sync" ::: "memory");
#elif defined(__riscv)
	__asm__ volatile("fence rw, ow" ::: "memory");
#else
#error "libroc_device_barrier() is missing for this architecture"
#endif
}

#endif /* LIBROC_BARRIER_H */
