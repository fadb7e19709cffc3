/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory cgroup for one test: what the kernel has charged to whoever was in it, page by page.
 * Other than the free memory of the system this is nobody else's: pages that are free again, but on
 * a processor's own list, do not count in it.
 */
#ifndef CASE_CGROUP_H
#define CASE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* False, with a note: this kernel has none. */
bool cgroup_make(void);
/* The caller is in it from now on, and whoever it forks. 0 or -errno. */
int cgroup_enter(void);
/* Bytes charged to it, with what processors have charged ahead. */
int64_t cgroup_bytes(void);
/* The same when nobody is in it any more, without what is charged ahead. */
int64_t cgroup_left(void);
/* False: somebody is still in it. */
bool cgroup_end(void);

#endif /* CASE_CGROUP_H */
