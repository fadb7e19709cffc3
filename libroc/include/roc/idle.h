/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what a loop waits for when there is nothing to do. Whoever takes part in a loop enters
 * its descriptors, and lowers the time if it cannot say by a descriptor what it waits for; the one
 * whose loop it is gives all of it to poll().
 */
#ifndef ROC_IDLE_H
#define ROC_IDLE_H

#include <poll.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_IDLE_FDS 256
#define ROC_IDLE_CROWDED_NS 1000000 /* between two looks when there are more descriptors */

/**
 * struct roc_idle - what to wait for
 * @fds: for poll()
 * @count: of @fds
 * @ns: how long at most; 0: do not wait
 */
struct roc_idle {
	struct pollfd fds[ROC_IDLE_FDS];
	unsigned int count;
	uint64_t ns;
};

/**
 * roc_idle_ns() - wait no longer than that
 * @idle: what is waited for
 * @ns: at most
 */
static inline void roc_idle_ns(struct roc_idle *idle, uint64_t ns)
{
	if (ns < idle->ns)
		idle->ns = ns;
}

/**
 * roc_idle_fd() - wake for a descriptor as well
 * @idle: what is waited for
 * @fd: descriptor
 * @events: as poll() has them
 */
static inline void roc_idle_fd(struct roc_idle *idle, int fd, short events)
{
	if (idle->count == ROC_IDLE_FDS) {
		roc_idle_ns(idle, ROC_IDLE_CROWDED_NS);
		return;
	}
	idle->fds[idle->count].fd = fd;
	idle->fds[idle->count].events = events;
	idle->fds[idle->count++].revents = 0;
}

#ifdef __cplusplus
}
#endif

#endif
