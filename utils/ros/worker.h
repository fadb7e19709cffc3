/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread per sub-unit: takes in what the card tells of, has fetched what is asked for, clears
 * what is done with. What it is to do comes in a queue from the network's thread, and goes back in
 * another when it is done; no lock is shared. A job is its maker's but for the time between.
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

/* Begins each job. */
struct ros_job {
	enum ros_job_type type;
	uint8_t unit; /* number of the worker */
	void *owner;  /* the network's */
};

/* What came of one link. */
struct ros_piece {
	const void *data;
	uint64_t handle; /* of the host page; 0: none */
	uint32_t size;
	uint16_t marks;
	uint8_t status; /* enum ros_status */
};

/* The links of one sub-unit that a request names. */
struct ros_part {
	struct ros_job job;
	struct ros_waiter waiter; /* for those that have not come */
	uint32_t event;
	uint32_t links;	 /* wanted, of the sub-unit */
	uint32_t todo;	 /* there, and no host page yet */
	uint32_t later;	 /* there, and fetched when the others have come */
	uint32_t ahead;	 /* host pages for what came before the others */
	uint32_t flying; /* on their way into host pages */
	uint64_t blocked_since;
	uint64_t requested; /* the card, by the worker's clock in ran */
	TAILQ_ENTRY(ros_part) blocked;
	TAILQ_ENTRY(ros_part) flight; /* while flying is not 0 */
	struct ros_piece pieces[ROS_SOURCE_LINKS_MAX];

	/* The network's. */
	bool back;   /* its worker is done with it */
	void *aside; /* what was copied of it when host pages were scarce */
	size_t aside_bytes;
};

struct ros_clear_part;

/* A clear that waits for one event. */
struct ros_clear_waiter {
	struct ros_waiter waiter;
	struct ros_clear_part *part;
};

/* A list of events to clear, in one sub-unit. */
struct ros_clear_part {
	struct ros_job job;
	const uint32_t *events;
	struct ros_clear_waiter *waiters; /* one for each: nobody's clear takes another's */
	_Atomic uint8_t *found; /* set for those of which there was one; of all sub-units */
	uint32_t count;
	uint32_t waiting; /* events of which some link has not come */
	uint32_t fragments;
};

struct ros_worker_counts {
	ros_count taken, fetched, failed;
	ros_count cleared; /* fragments */
	ros_count aged;	   /* of these, cleared by age */
	ros_count waited;  /* requests and clears of events that had not come, */
	ros_count expired; /* and of these, that did not come in time */
	ros_count blocked; /* requests that had to wait for a host page, */
	ros_count busy;	   /* and of these, that got none in time */
	ros_count jobs;
	ros_count turns, sleeps;
	/* How things are; some time ago. */
	ros_count kept, events, outstanding, free_pages, doorbells, tells;
	ros_count damaged, truncated, sequence_errors, too_short, empty, lost;
};

struct ros_worker_settings {
	uint64_t wait_ns;  /* for what has not come */
	uint64_t busy_ns;  /* for a host page */
	uint64_t fetch_ns; /* for the card to write what it was asked for; 0: without end */
	uint64_t age_ns;   /* fragments older than that are cleared; 0: never */
	uint32_t jobs;	   /* that can be outstanding */
};

struct ros_worker {
	struct ros_source *source;
	unsigned int number;
	struct ros_worker_settings set;
	struct ros_bell *network; /* who is told of what is done */

	struct ros_queue orders;  /* from the network */
	struct ros_queue results; /* to it */
	struct ros_bell bell;
	_Atomic bool starving; /* for host pages */
	_Atomic bool draining, ending, gone;
	struct ros_worker_counts counts;

	/* The worker's own. */
	struct ros_waiting waiting;
	uint32_t ahead;	   /* host pages of parts that wait for the rest of theirs */
	uint32_t deferred; /* parts with something for later */
	TAILQ_HEAD(ros_blocked, ros_part) blocked;
	TAILQ_HEAD(ros_flight, ros_part) flight;
	bool notified; /* there are results that the network was not told of */
	uint64_t now, counted_at, swept;
	uint64_t ran; /* ns, without those for which the process was stopped */
	pthread_t thread;
	bool started;
	char failure[256]; /* why it is gone; to be read when gone is seen */
};

/* worker_thread.c */

/* 0 or a negative errno. @w is zeroed but for source, number, set, network. */
int ros_worker_init(struct ros_worker *w);
/* The source and the thread. Exit code; after a failure the message is out. */
int ros_worker_start(struct ros_worker *w);
/* Ends the thread and the source; jobs that are still there are forgotten. */
void ros_worker_stop(struct ros_worker *w);
void ros_worker_free(struct ros_worker *w);

/* By the network: hand over a job, then once for many say that there are some. */
void ros_worker_order(struct ros_worker *w, struct ros_job *job);
void ros_worker_wake(struct ros_worker *w);
/* By the network: a host page is not needed any more. */
void ros_worker_return_page(struct ros_worker *w, uint64_t handle);
/* From now on nothing is waited for. Any thread. */
void ros_worker_drain(struct ros_worker *w);

/* worker.c */

/* One turn of the thread. True: there was something to do. */
bool ros_worker_turn(struct ros_worker *w);
/* Take the fragments that the card published before it stopped; completions are not among them. */
void ros_worker_take_remaining(struct ros_worker *w);
/* Nothing comes from this sub-unit any more: everybody is told. */
void ros_worker_fail(struct ros_worker *w, const char *reason);
/* Figures that others may read. */
void ros_worker_copy_counts(struct ros_worker *w);
/* What was wrong or lost, as of those figures. */
uint64_t ros_worker_damage(struct ros_worker *w);

#endif
