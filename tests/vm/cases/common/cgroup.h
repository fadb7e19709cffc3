/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory cgroup for one test: the memory that the kernel has charged to its processes. Unlike the
 * system's free memory, other processes and per-CPU lists of free pages do not change this count.
 */
#ifndef CASE_CGROUP_H
#define CASE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Create the cgroup. False, with a note: this kernel has no memory cgroups. */
bool cgroup_make(void);
/* Move the caller, and its future children, into it. 0 or -errno. */
int cgroup_enter(void);
/* Bytes charged to it, including what CPUs have charged ahead. */
int64_t cgroup_bytes(void);
/* The same when it has no processes any more, without what CPUs have charged ahead. */
int64_t cgroup_left(void);
/* Remove it. False: it still has processes. */
bool cgroup_end(void);

#endif /* CASE_CGROUP_H */
