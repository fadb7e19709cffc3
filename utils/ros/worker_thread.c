// SPDX-License-Identifier: GPL-2.0-or-later
/* Thread of a worker: turns, sleep, start and stop. */
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "utils/common/clock.h"
#include "utils/common/tool.h"

#define IDLE_TURNS 64 /* turns without work before a sleep */
/* maximum sleep, to detect a lost wake-up or a card that stopped without an interrupt */
#define SLEEP_MS 500

/* Return the time until the first wait ends, in ms for poll(). */
static int pause_ms(struct ros_worker *w)
{
	uint64_t until = ros_waiting_until(&w->waiting);
	struct ros_part *p = TAILQ_FIRST(&w->blocked);

	if (p && p->blocked_since + w->set.busy_ns < until)
		until = p->blocked_since + w->set.busy_ns;
	if (until <= w->now)
		return 0;
	until = (until - w->now + NS_PER_MS - 1) / NS_PER_MS;
	return until < SLEEP_MS ? (int)until : SLEEP_MS;
}

/* After a failure of the source, only jobs of the network thread wake the worker. */
static bool wait_for_work(struct ros_worker *w)
{
	struct pollfd fd = {.fd = w->bell.fd, .events = POLLIN};

	if (atomic_load_explicit(&w->gone, memory_order_relaxed))
		return poll(&fd, 1, SLEEP_MS) > 0;
	return w->source->ops->wait(w->source, w->bell.fd, pause_ms(w));
}

/* ros_worker_fail() also takes the completions that may have arrived since the last turn. */
static void fail_stopped(struct ros_worker *w)
{
	const char *reason = w->source->ops->reason ? w->source->ops->reason(w->source) : NULL;
	char text[sizeof(w->failure)];

	ros_worker_take_remaining(w);
	if (atomic_load_explicit(&w->gone, memory_order_relaxed))
		return;
	snprintf(text, sizeof(text), "The sub-unit stopped unexpectedly%s%s.", reason ? ": " : "",
		 reason ? reason : "");
	ros_worker_fail(w, text);
}

/*
 * A job that was queued before the bell was armed did not ring it, so run another full turn before
 * the sleep.
 */
static void worker_sleep(struct ros_worker *w)
{
	ros_bell_arm(&w->bell);
	if (!ros_worker_turn(w) && !atomic_load_explicit(&w->ending, memory_order_relaxed)) {
		ros_count_add(&w->counts.sleeps, 1);
		if (wait_for_work(w))
			ros_bell_clear(&w->bell);
	}
	ros_bell_disarm(&w->bell);
	if (!atomic_load_explicit(&w->gone, memory_order_relaxed) &&
	    !w->source->ops->running(w->source))
		fail_stopped(w);
}

static void *work(void *argument)
{
	struct ros_worker *w = argument;
	unsigned int idle = 0;

	while (!atomic_load_explicit(&w->ending, memory_order_relaxed)) {
		if (ros_worker_turn(w)) {
			idle = 0;
		} else if (++idle >= IDLE_TURNS) {
			worker_sleep(w);
			idle = 0;
		}
	}
	return NULL;
}

int ros_worker_init(struct ros_worker *w)
{
	TAILQ_INIT(&w->blocked);
	TAILQ_INIT(&w->flight);
	w->notified = true;
	w->bell.fd = -1;
	if (!ros_queue_init(&w->orders, w->set.jobs) || !ros_queue_init(&w->results, w->set.jobs) ||
	    !ros_waiting_init(&w->waiting, w->set.jobs))
		return -ENOMEM;
	if (!ros_bell_init(&w->bell))
		return -errno;
	return 0;
}

int ros_worker_start(struct ros_worker *w)
{
	sigset_t all, before;
	int err;

	if (w->source->ops->start(w->source))
		return tool_fail("%s: %s", w->source->name, roc_error());
	/* The main thread handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		w->source->ops->stop(w->source);
		return tool_fail("Cannot start a thread: %s.", strerror(err));
	}
	w->started = true;
	return TOOL_OK;
}

void ros_worker_stop(struct ros_worker *w)
{
	if (!w->started)
		return;
	atomic_store_explicit(&w->ending, true, memory_order_relaxed);
	ros_worker_wake(w);
	pthread_join(w->thread, NULL);
	w->started = false;
	w->source->ops->stop(w->source);
	w->now = now_ns();
	ros_worker_copy_counts(w);
}

void ros_worker_free(struct ros_worker *w)
{
	ros_queue_free(&w->orders);
	ros_queue_free(&w->results);
	ros_waiting_free(&w->waiting);
	ros_bell_free(&w->bell);
	if (w->source)
		w->source->ops->close(w->source);
	w->source = NULL;
}

void ros_worker_order(struct ros_worker *w, struct ros_job *job)
{
	ros_queue_push(&w->orders, job);
}

void ros_worker_wake(struct ros_worker *w)
{
	ros_bell_ring(&w->bell);
}

void ros_worker_return_page(struct ros_worker *w, uint64_t handle)
{
	w->source->ops->give_back(w->source, handle);
}

void ros_worker_drain(struct ros_worker *w)
{
	atomic_store_explicit(&w->draining, true, memory_order_relaxed);
	ros_bell_ring(&w->bell);
}
