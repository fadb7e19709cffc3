/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock-free queue of pointers from one thread to another, without system calls, and a doorbell that
 * wakes a sleeping consumer with one system call.
 *
 * A queue has space for all entries that can exist, so it is never full, and the producer never
 * waits for the consumer.
 */
#ifndef ROC_UTILS_ROS_QUEUE_H
#define ROC_UTILS_ROS_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct ros_queue {
	void **slots;
	uint32_t mask;
	/* Each index has one writer, and a cache line of its own. */
	_Alignas(64) _Atomic uint32_t head; /* pushed */
	_Alignas(64) _Atomic uint32_t tail; /* popped */
};

/* Allocate space for at least @entries. Return: false: out of memory. */
static inline bool ros_queue_init(struct ros_queue *q, uint32_t entries)
{
	uint32_t size = 16;

	while (size < entries)
		size *= 2;
	q->slots = calloc(size, sizeof(*q->slots));
	q->mask = size - 1;
	atomic_init(&q->head, 0);
	atomic_init(&q->tail, 0);
	return q->slots;
}

static inline void ros_queue_free(struct ros_queue *q)
{
	free(q->slots);
	q->slots = NULL;
}

/* Return: false if the queue is full, which means that its creator counted wrongly. */
static inline bool ros_queue_push(struct ros_queue *q, void *entry)
{
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&q->tail, memory_order_acquire) > q->mask)
		return false;
	q->slots[head & q->mask] = entry;
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	return true;
}

/* Return: NULL if the queue is empty. */
static inline void *ros_queue_pop(struct ros_queue *q)
{
	uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
	void *entry;

	if (tail == atomic_load_explicit(&q->head, memory_order_acquire))
		return NULL;
	entry = q->slots[tail & q->mask];
	atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
	return entry;
}

static inline bool ros_queue_empty(struct ros_queue *q)
{
	return atomic_load_explicit(&q->tail, memory_order_relaxed) ==
	       atomic_load_explicit(&q->head, memory_order_acquire);
}

/*
 * The consumer arms the doorbell, polls all its sources once more, and only then sleeps in poll()
 * or epoll_wait() on @fd. The producer first pushes an entry and then rings. The full fences on
 * both sides ensure that the consumer finds the entry or the producer sees the armed bell.
 */
struct ros_bell {
	int fd;
	_Alignas(64) _Atomic bool armed;
	_Atomic uint64_t rung; /* system calls */
};

static inline bool ros_bell_init(struct ros_bell *b)
{
	b->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	atomic_init(&b->armed, false);
	atomic_init(&b->rung, 0);
	return b->fd >= 0;
}

static inline void ros_bell_free(struct ros_bell *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

static inline void ros_bell_arm(struct ros_bell *b)
{
	atomic_store_explicit(&b->armed, true, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

static inline void ros_bell_disarm(struct ros_bell *b)
{
	atomic_store_explicit(&b->armed, false, memory_order_relaxed);
}

static inline void ros_bell_ring(struct ros_bell *b)
{
	static const uint64_t one = 1;

	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&b->armed, memory_order_relaxed) ||
	    !atomic_exchange_explicit(&b->armed, false, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&b->rung, 1, memory_order_relaxed);
	/*
	 * The counter of the eventfd cannot overflow: the consumer reads it more often than that.
	 */
	if (write(b->fd, &one, sizeof(one)) < 0)
		return;
}

/* Reset the eventfd after poll() reported it. */
static inline void ros_bell_clear(struct ros_bell *b)
{
	uint64_t count;

	if (read(b->fd, &count, sizeof(count)) < 0)
		return;
}

/* A counter that one thread writes and others read. */
typedef _Atomic uint64_t ros_count;

static inline void ros_count_add(ros_count *c, uint64_t n)
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

static inline void ros_count_set(ros_count *c, uint64_t n)
{
	atomic_store_explicit(c, n, memory_order_relaxed);
}

static inline uint64_t ros_count_get(ros_count *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

#endif
