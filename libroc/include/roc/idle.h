/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: what an idle loop waits for. Each participant of a loop adds its descriptors. If it
 * cannot express its condition by a descriptor, it lowers the timeout. The owner of the loop passes
 * the result to poll().
 */
#ifndef ROC_IDLE_H
#define ROC_IDLE_H

#include <poll.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_IDLE_FDS 256
#define ROC_IDLE_CROWDED_NS 1000000 /* poll interval if there are more descriptors */

/**
 * struct roc_idle - Descriptors and timeout of a wait
 * @fds: descriptors for poll()
 * @count: number of @fds
 * @ns: maximum time in ns; 0 to not wait
 */
struct roc_idle {
	struct pollfd fds[ROC_IDLE_FDS];
	unsigned int count;
	uint64_t ns;
};

/**
 * roc_idle_ns() - Limit the time of the wait
 * @idle: wait to change
 * @ns: maximum time in ns
 */
static inline void roc_idle_ns(struct roc_idle *idle, uint64_t ns)
{
	if (ns < idle->ns)
		idle->ns = ns;
}

/**
 * roc_idle_fd() - Add a descriptor to the wait
 * @idle: wait to change
 * @fd: descriptor
 * @events: events as for poll()
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
