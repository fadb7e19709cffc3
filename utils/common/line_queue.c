// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write lines to a descriptor in a thread, from a bounded queue.
 */
#include "tool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_BYTES (1 << 20) /* limit of the queued text */

struct line {
	struct line *next;
	size_t length;
	char text[];
};

/* Never freed: its thread may be blocked in a write until the process ends. */
struct line_queue {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct line *first, **last;
	size_t bytes; /* of the queued lines and the one being written */
	uint64_t lost;
	int error;
	int fd;
	bool cut; /* the last line was only partly written */
};

static bool write_all(struct line_queue *q, const char *text, size_t length)
{
	ssize_t n;

	while (length) {
		n = write(q->fd, text, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		q->cut = true;
		text += n;
		length -= (size_t)n;
	}
	q->cut = false;
	return true;
}

static void *write_lines(void *arg)
{
	struct line_queue *q = arg;
	struct line *l;
	int err;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->first)
			pthread_cond_wait(&q->filled, &q->lock);
		l = q->first;
		q->first = l->next;
		if (!q->first)
			q->last = &q->first;
		pthread_mutex_unlock(&q->lock);
		err = (!q->cut || write_all(q, "\n", 1)) && write_all(q, l->text, l->length)
			      ? 0
			      : errno;
		pthread_mutex_lock(&q->lock);
		q->lost += err != 0;
		q->error = err ? err : q->error;
		q->bytes -= l->length;
		free(l);
		pthread_cond_broadcast(&q->emptied);
	}
	return NULL;
}

struct line_queue *line_queue_open(int fd)
{
	struct line_queue *q = calloc(1, sizeof(*q));
	pthread_condattr_t clock;
	sigset_t all, before;
	pthread_t thread;
	int ret;

	if (!q)
		return NULL;
	q->fd = fd;
	q->last = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&q->emptied, &clock);
	pthread_condattr_destroy(&clock);
	/* The other threads handle the signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, NULL, write_lines, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ret) {
		pthread_detach(thread);
		return q;
	}
	free(q);
	return NULL;
}

void line_queue_put(struct line_queue *q, const char *text, size_t length)
{
	struct line *l = malloc(sizeof(*l) + length);

	pthread_mutex_lock(&q->lock);
	if (!l || q->bytes + length > QUEUE_BYTES) {
		q->lost++;
		free(l);
	} else {
		l->next = NULL;
		l->length = length;
		memcpy(l->text, text, length);
		*q->last = l;
		q->last = &l->next;
		q->bytes += length;
		pthread_cond_signal(&q->filled);
	}
	pthread_mutex_unlock(&q->lock);
}

uint64_t line_queue_lost(struct line_queue *q)
{
	uint64_t lost;

	pthread_mutex_lock(&q->lock);
	lost = q->lost;
	pthread_mutex_unlock(&q->lock);
	return lost;
}

int line_queue_error(struct line_queue *q)
{
	int error;

	pthread_mutex_lock(&q->lock);
	error = q->error;
	pthread_mutex_unlock(&q->lock);
	return error;
}

void line_queue_drain(struct line_queue *q, unsigned int ms)
{
	struct timespec end;
	struct line *l;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000L;
	if (end.tv_nsec >= 1000000000L) {
		end.tv_nsec -= 1000000000L;
		end.tv_sec++;
	}
	pthread_mutex_lock(&q->lock);
	while (q->bytes && !pthread_cond_timedwait(&q->emptied, &q->lock, &end))
		;
	/* Count the line that the thread is still writing. */
	q->lost += q->bytes != 0;
	while ((l = q->first)) {
		q->first = l->next;
		q->bytes -= l->length;
		q->lost++;
		free(l);
	}
	q->last = &q->first;
	pthread_mutex_unlock(&q->lock);
}
