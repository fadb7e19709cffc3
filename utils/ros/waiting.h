/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiters for fragments. They are found by event id when a fragment arrives, and by time when the
 * wait ends. Nothing is allocated: a request contains its struct ros_waiter. All wait for the same
 * time, so they expire in their order. Short: a data structure with its test.
 */
#ifndef ROC_UTILS_ROS_WAITING_H
#define ROC_UTILS_ROS_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct ros_waiter {
	LIST_ENTRY(ros_waiter) chain;
	TAILQ_ENTRY(ros_waiter) order;
	uint64_t until; /* CLOCK_MONOTONIC ns */
	uint32_t event;
	uint32_t missing; /* links */
};

struct ros_waiting {
	LIST_HEAD(ros_waiting_chain, ros_waiter) * chains;
	uint32_t mask;
	TAILQ_HEAD(ros_waiting_order, ros_waiter) order;
	uint32_t count;
};

/* @expected: number of waiters; more are only slower. Return: false: out of memory. */
bool ros_waiting_init(struct ros_waiting *w, uint32_t expected);
void ros_waiting_free(struct ros_waiting *w);

/* @one: event, missing and until are set. */
void ros_waiting_add(struct ros_waiting *w, struct ros_waiter *one);
void ros_waiting_remove(struct ros_waiting *w, struct ros_waiter *one);

/* Find the next waiter for @event, newest first. @after: the previous one, NULL: start. */
struct ros_waiter *ros_waiting_find(struct ros_waiting *w, uint32_t event,
				    struct ros_waiter *after);
/* Return the first expired waiter, or NULL. */
struct ros_waiter *ros_waiting_expired(struct ros_waiting *w, uint64_t now);
/* Return when the first waiter expires; UINT64_MAX: there is none. */
uint64_t ros_waiting_until(struct ros_waiting *w);

#endif
