/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Order of memory accesses and a store to a device's register, for the doorbells of streams and of
 * fragments.
 */
#ifndef LIBROC_BARRIER_H
#define LIBROC_BARRIER_H

/*
 * All loads and stores before this happen before the register stores after it, as the device sees
 * them: it finds the entries that the doorbell counts, and overwrites no data that are still being
 * read. An atomic fence orders the caller with other threads only.
 */
static inline void libroc_device_barrier(void)
{
#if defined(__x86_64__) || defined(__i386__)
	/* The processor keeps this order for uncached registers. */
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
