/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread per sub-unit. It takes announced fragments, fetches requested ones and clears finished
 * events. Jobs arrive in a queue from the network thread and go back in another one when they are
 * done; no lock is shared. The network thread owns a job except in between.
 */
#ifndef ROC_UTILS_ROS_WORKER_H
#define ROC_UTILS_ROS_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"
#include "queue.h"
#include "source.h"
#include "waiting.h"

enum ros_job_type {
	ROS_JOB_REQUEST,
	ROS_JOB_CLEAR,
};

/* First member of each job. */
struct ros_job {
	enum ros_job_type type;
	uint8_t unit; /* number of the worker */
	void *owner;  /* of the network thread */
};

/* Result of one link. */
struct ros_piece {
	const void *data;
	uint64_t handle; /* of the host page; 0: none */
	uint32_t size;
	uint16_t marks;
	uint8_t status; /* enum ros_status */
};

/* Part of a request: its links in one sub-unit. */
struct ros_part {
	struct ros_job job;
	struct ros_waiter waiter; /* for links without a fragment */
	uint32_t event;
	uint32_t links;	 /* requested, of the sub-unit */
	uint32_t todo;	 /* available, and not requested from the card */
	uint32_t later;	 /* available, and requested when the others have arrived */
	uint32_t ahead;	 /* host pages used for prefetched fragments */
	uint32_t flying; /* requested from the card */
	uint64_t blocked_since;
	uint64_t requested; /* time of the request to the card, as in ros_worker.ran */
	TAILQ_ENTRY(ros_part) blocked;
	TAILQ_ENTRY(ros_part) flight; /* in the list while flying is not 0 */
	struct ros_piece pieces[ROS_SOURCE_LINKS_MAX];

	/* Used by the network thread. */
	bool back;   /* its worker is done with it */
	void *aside; /* copy of the data, made when host pages were scarce */
	size_t aside_bytes;
};

struct ros_clear_part;

/* An event of a clear that waits for fragments. */
struct ros_clear_waiter {
	struct ros_waiter waiter;
	struct ros_clear_part *part;
};

/* Part of a clear: its events in one sub-unit. */
struct ros_clear_part {
	struct ros_job job;
	const uint32_t *events;
	struct ros_clear_waiter *waiters; /* one for each event, so that a clear can wait for all */
	_Atomic uint8_t *found; /* shared by all sub-units: set for events with a fragment */
	uint32_t count;
	uint32_t waiting; /* events that wait for some link */
	uint32_t fragments;
};

struct ros_worker_counts {
	ros_count taken, fetched, failed;
	ros_count cleared; /* fragments */
	ros_count aged;	   /* of these, by age */
	ros_count waited;  /* requests, and events of clears, that waited for a fragment */
	ros_count expired; /* of these, timed out */
	ros_count blocked; /* requests that waited for a host page */
	ros_count busy;	   /* of these, timed out */
	ros_count jobs;
	ros_count turns, sleeps;
	/* Current state, at most COUNTS_NS old. */
	ros_count kept, events, outstanding, free_pages, doorbells, doorbell_calls;
	ros_count damaged, truncated, sequence_errors, too_short, empty, lost;
};

struct ros_worker_settings {
	uint64_t wait_ns;  /* maximum wait for a fragment */
	uint64_t busy_ns;  /* maximum wait for a host page */
	uint64_t fetch_ns; /* maximum time for the card to write a fragment; 0: no limit */
	uint64_t age_ns;   /* clear fragments that are older; 0: never */
	uint32_t jobs;	   /* maximum of outstanding jobs */
};

struct ros_worker {
	struct ros_source *source;
	unsigned int number;
	struct ros_worker_settings set;
	struct ros_bell *network; /* doorbell of the network thread */

	struct ros_queue orders;  /* from the network thread */
	struct ros_queue results; /* to the network thread */
	struct ros_bell bell;
	_Atomic bool starving; /* waits for host pages */
	_Atomic bool draining, ending, gone;
	struct ros_worker_counts counts;

	/* Used by the worker only. */
	struct ros_waiting waiting;
	uint32_t ahead;	   /* host pages used for prefetched fragments */
	uint32_t deferred; /* parts with deferred fragments */
	TAILQ_HEAD(ros_blocked, ros_part) blocked;
	TAILQ_HEAD(ros_flight, ros_part) flight;
	bool notified; /* the network thread was notified of all results */
	uint64_t now, counted_at, swept;
	uint64_t ran; /* ns of run time, without times when the process was stopped */
	pthread_t thread;
	bool started;
	char failure[256]; /* reason of the failure; valid after @gone is read as true */
};

/* worker_thread.c */

/* @w is zeroed except source, number, set and network. Return: 0 or a negative errno. */
int ros_worker_init(struct ros_worker *w);
/* Start the source and the thread. Return: exit code; an error is already reported. */
int ros_worker_start(struct ros_worker *w);
/* Stop the thread and the source. Jobs that are not done are dropped. */
void ros_worker_stop(struct ros_worker *w);
void ros_worker_free(struct ros_worker *w);

/* Called by the network thread: queue a job; then wake the worker once for many jobs. */
void ros_worker_order(struct ros_worker *w, struct ros_job *job);
void ros_worker_wake(struct ros_worker *w);
/* Called by the network thread: return a host page. */
void ros_worker_return_page(struct ros_worker *w, uint64_t handle);
/* End all waits for fragments, now and later. Any thread. */
void ros_worker_drain(struct ros_worker *w);

/* worker.c */

/* Run one turn of the thread. Return: whether there was something to do. */
bool ros_worker_turn(struct ros_worker *w);
/* Take the fragments that the card announced before it stopped, without completions. */
void ros_worker_take_remaining(struct ros_worker *w);
/* Take a failed sub-unit out of service and finish all its jobs with ROS_GONE. */
void ros_worker_fail(struct ros_worker *w, const char *reason);
/* Publish counters for other threads. */
void ros_worker_copy_counts(struct ros_worker *w);
/* Return the number of damaged and lost fragments in the published counters. */
uint64_t ros_worker_damage(struct ros_worker *w);

#endif
