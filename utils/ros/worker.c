// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One turn of a worker: process requests and clears, announced and fetched fragments, and waiters.
 */
#include "worker.h"

#include <errno.h>
#include <stdio.h>

#include "utils/common/clock.h"

#define BATCH 256
#define COUNTS_NS (100 * NS_PER_MS) /* maximum age of the published counters */
#define TURN_NS NS_PER_S	    /* longer than the time between two turns, including sleeps */

static struct ros_part *part_of(struct ros_waiter *one)
{
	return (struct ros_part *)((char *)one - offsetof(struct ros_part, waiter));
}

/*
 * A waiter is either a part of a request or an event of a clear. A bit that is not a link marks a
 * clear.
 */
#define IS_CLEAR (UINT32_C(1) << 31)

static bool is_clear(const struct ros_waiter *one)
{
	return one->missing & IS_CLEAR;
}

static void result(struct ros_worker *w, struct ros_job *job)
{
	ros_queue_push(&w->results, job);
	w->notified = false;
}

static void part_finish(struct ros_worker *w, struct ros_part *p)
{
	if (!p->todo && !p->flying && !p->waiter.missing)
		result(w, &p->job);
}

static void part_status(struct ros_part *p, uint32_t links, enum ros_status status)
{
	for (; links; links &= links - 1)
		p->pieces[__builtin_ctz(links)] = (struct ros_piece){.status = (uint8_t)status};
}

/* Request the available fragments. Return: false: there are no host pages. */
static bool part_fetch(struct ros_worker *w, struct ros_part *p)
{
	int links = w->source->ops->request(w->source, p->event, p->todo, (uintptr_t)p);

	if (links == -EAGAIN)
		return false;
	if (links < 0)
		links = 0;
	if (links && !p->flying)
		TAILQ_INSERT_TAIL(&w->flight, p, flight);
	p->flying |= (uint32_t)links;
	p->requested = w->ran;
	/* These were cleared while the part waited for a page. */
	part_status(p, p->todo & ~(uint32_t)links, ROS_NOT_THERE);
	p->todo = 0;
	return true;
}

/* Request fragments now, or wait for host pages in order of arrival. */
static void part_go(struct ros_worker *w, struct ros_part *p)
{
	if (p->blocked_since)
		return; /* waits already */
	if (TAILQ_EMPTY(&w->blocked) && part_fetch(w, p))
		return;
	p->blocked_since = w->now;
	TAILQ_INSERT_TAIL(&w->blocked, p, blocked);
	atomic_store_explicit(&w->starving, true, memory_order_relaxed);
	ros_count_add(&w->counts.blocked, 1);
}

static void part_unblock(struct ros_worker *w, struct ros_part *p)
{
	TAILQ_REMOVE(&w->blocked, p, blocked);
	p->blocked_since = 0;
}

static unsigned int serve_blocked(struct ros_worker *w)
{
	struct ros_part *p;
	unsigned int served = 0;

	while ((p = TAILQ_FIRST(&w->blocked))) {
		if (part_fetch(w, p)) {
			part_unblock(w, p);
		} else if (w->now - p->blocked_since >= w->set.busy_ns) {
			part_unblock(w, p);
			part_status(p, p->todo, ROS_BUSY);
			p->todo = 0;
			ros_count_add(&w->counts.busy, 1);
		} else {
			return served;
		}
		part_finish(w, p);
		served++;
	}
	if (served)
		atomic_store_explicit(&w->starving, false, memory_order_relaxed);
	return served;
}

/*
 * Prefetch the available fragments of a part that waits for others, with at most half of the host
 * pages. Otherwise parts whose fragments may never arrive would block complete ones.
 */
static void part_ahead(struct ros_worker *w, struct ros_part *p, uint32_t links)
{
	uint32_t pages = (uint32_t)__builtin_popcount(links);

	if (!p->later && w->ahead + pages <= w->source->pages / 2) {
		p->ahead += pages;
		w->ahead += pages;
		p->todo |= links;
		return;
	}
	w->deferred += links && !p->later;
	p->later |= links;
}

/* Request deferred fragments now: the part waits no more, or a clear would discard them. */
static void part_catch_up(struct ros_worker *w, struct ros_part *p)
{
	w->deferred -= p->later != 0;
	p->todo |= p->later;
	p->later = 0;
}

static void part_complete(struct ros_worker *w, struct ros_part *p)
{
	ros_waiting_remove(&w->waiting, &p->waiter);
	w->ahead -= p->ahead;
	p->ahead = 0;
	part_catch_up(w, p);
}

/* Clear an event. Requests that arrived before the clear get its fragments first. */
static void clear_now(struct ros_worker *w, uint32_t event)
{
	struct ros_waiter *one = w->deferred ? ros_waiting_find(&w->waiting, event, NULL) : NULL;

	for (; one; one = ros_waiting_find(&w->waiting, event, one)) {
		if (is_clear(one) || !part_of(one)->later)
			continue;
		part_catch_up(w, part_of(one));
		part_go(w, part_of(one));
	}
	w->source->ops->clear(w->source, &event, 1);
}

static bool is_gone(struct ros_worker *w)
{
	return atomic_load_explicit(&w->gone, memory_order_relaxed);
}

static bool may_wait(struct ros_worker *w)
{
	return w->set.wait_ns && !atomic_load_explicit(&w->draining, memory_order_relaxed);
}

static void take_request(struct ros_worker *w, struct ros_part *p)
{
	uint32_t there;

	p->flying = 0;
	p->later = 0;
	p->ahead = 0;
	p->blocked_since = 0;
	p->waiter.missing = 0;
	if (is_gone(w)) {
		p->todo = 0;
		part_status(p, p->links, ROS_GONE);
		result(w, &p->job);
		return;
	}
	there = p->links & w->source->ops->find(w->source, p->event);
	p->todo = there;
	if (p->links & ~there) {
		if (may_wait(w)) {
			p->todo = 0;
			part_ahead(w, p, there);
			p->waiter.event = p->event;
			p->waiter.missing = p->links & ~there;
			p->waiter.until = w->now + w->set.wait_ns;
			ros_waiting_add(&w->waiting, &p->waiter);
			ros_count_add(&w->counts.waited, 1);
		} else {
			part_status(p, p->links & ~there, ROS_NOT_THERE);
		}
	}
	if (p->todo)
		part_go(w, p);
	part_finish(w, p);
}

/* Clear one event; wait for the links without a fragment. */
static void clear_event(struct ros_worker *w, struct ros_clear_part *c, uint32_t number)
{
	uint32_t event = c->events[number], all = w->source->links;
	uint32_t there = w->source->ops->find(w->source, event);
	struct ros_clear_waiter *one = &c->waiters[number];

	if (there) {
		clear_now(w, event);
		c->fragments += (uint32_t)__builtin_popcount(there);
		atomic_store_explicit(&c->found[number], 1, memory_order_relaxed);
	}
	if (!(all & ~there) || !may_wait(w))
		return;
	one->part = c;
	one->waiter.event = event;
	one->waiter.missing = (all & ~there) | IS_CLEAR;
	one->waiter.until = w->now + w->set.wait_ns;
	ros_waiting_add(&w->waiting, &one->waiter);
	ros_count_add(&w->counts.waited, 1);
	c->waiting++;
}

static void take_clear(struct ros_worker *w, struct ros_clear_part *c)
{
	uint32_t i;

	c->waiting = 0;
	c->fragments = 0;
	if (!is_gone(w)) {
		for (i = 0; i < c->count; i++)
			clear_event(w, c, i);
	}
	ros_count_add(&w->counts.cleared, c->fragments);
	if (!c->waiting)
		result(w, &c->job);
}

static unsigned int take_orders(struct ros_worker *w)
{
	struct ros_job *job;
	unsigned int n;

	for (n = 0; n < BATCH && (job = ros_queue_pop(&w->orders)); n++) {
		if (job->type == ROS_JOB_REQUEST)
			take_request(w, (struct ros_part *)job);
		else
			take_clear(w, (struct ros_clear_part *)job);
	}
	ros_count_add(&w->counts.jobs, n);
	return n;
}

static void clear_some(struct ros_worker *w, struct ros_clear_waiter *c, uint32_t links)
{
	c->waiter.missing &= ~links;
	c->part->fragments += (uint32_t)__builtin_popcount(links);
	atomic_store_explicit(&c->part->found[c - c->part->waiters], 1, memory_order_relaxed);
	ros_count_add(&w->counts.cleared, (uint64_t)__builtin_popcount(links));
}

static void clear_over(struct ros_worker *w, struct ros_waiter *one)
{
	struct ros_clear_waiter *c = (struct ros_clear_waiter *)one;

	ros_waiting_remove(&w->waiting, one);
	if (!--c->part->waiting)
		result(w, &c->part->job);
}

/*
 * Serve the waiters of an event: first the requests, then the oldest clear. Fragments of other
 * links may have arrived at the same time. The clear discards them all, so all requests are served
 * before it.
 */
static void serve_waiters(struct ros_worker *w, uint32_t event)
{
	struct ros_waiter *one, *next, *clear = NULL;
	uint32_t there, bits;

	one = ros_waiting_find(&w->waiting, event, NULL);
	if (!one)
		return;
	there = w->source->ops->find(w->source, event);
	for (; one; one = next) {
		next = ros_waiting_find(&w->waiting, event, one);
		bits = one->missing & there;
		if (!bits)
			continue;
		if (is_clear(one)) {
			clear = one; /* the oldest one */
			continue;
		}
		one->missing &= ~bits;
		if (one->missing) {
			part_ahead(w, part_of(one), bits);
		} else {
			part_complete(w, part_of(one));
			part_of(one)->todo |= bits;
		}
		if (part_of(one)->todo)
			part_go(w, part_of(one));
		part_finish(w, part_of(one));
	}
	if (!clear)
		return;
	clear_now(w, event);
	clear_some(w, (struct ros_clear_waiter *)clear, there);
	if (clear->missing == IS_CLEAR)
		clear_over(w, clear);
}

static void end_wait(struct ros_worker *w, struct ros_waiter *one, enum ros_status status)
{
	ros_count_add(&w->counts.expired, 1);
	if (is_clear(one)) {
		clear_over(w, one);
		return;
	}
	part_status(part_of(one), one->missing, status);
	one->missing = 0;
	part_complete(w, part_of(one));
	if (status == ROS_GONE) {
		part_status(part_of(one), part_of(one)->todo, status);
		part_of(one)->todo = 0;
	}
	if (part_of(one)->todo)
		part_go(w, part_of(one));
	part_finish(w, part_of(one));
}

static unsigned int expire(struct ros_worker *w)
{
	bool draining = atomic_load_explicit(&w->draining, memory_order_relaxed);
	struct ros_waiter *one;
	unsigned int n = 0;

	while ((one = ros_waiting_expired(&w->waiting, draining ? UINT64_MAX : w->now))) {
		end_wait(w, one, one->until <= w->now ? ROS_NOT_THERE : ROS_DRAINING);
		n++;
	}
	return n;
}

static void fetched(struct ros_worker *w, const struct roc_fragment_fetched *f)
{
	struct ros_part *p = (struct ros_part *)(uintptr_t)f->tag;
	struct ros_piece *piece = &p->pieces[f->link];

	*piece = (struct ros_piece){.status = ROS_FAILED};
	if (!f->error) {
		piece->status = ROS_OK;
		piece->data = f->data;
		piece->handle = f->handle;
		piece->size = f->size;
		piece->marks = (uint16_t)f->status;
	} else if (f->error == -ECANCELED) {
		piece->status = ROS_GONE;
	}
	ros_count_add(f->error ? &w->counts.failed : &w->counts.fetched, 1);
	p->flying &= ~(UINT32_C(1) << f->link);
	if (!p->flying)
		TAILQ_REMOVE(&w->flight, p, flight);
	part_finish(w, p);
}

/* Take a failed sub-unit out of service and finish all its jobs with ROS_GONE. */
void ros_worker_fail(struct ros_worker *w, const char *reason)
{
	struct roc_fragment_fetched f[BATCH];
	struct ros_waiter *one;
	struct ros_part *p;
	int n, i;

	snprintf(w->failure, sizeof(w->failure), "%s", reason);
	atomic_store_explicit(&w->gone, true, memory_order_release);
	w->source->ops->stop(w->source);
	while ((n = w->source->ops->done(w->source, f, BATCH)) > 0) {
		for (i = 0; i < n; i++)
			fetched(w, &f[i]);
	}
	/*
	 * The card does not write into host pages any more: outstanding fragments will not arrive.
	 */
	while ((p = TAILQ_FIRST(&w->flight))) {
		TAILQ_REMOVE(&w->flight, p, flight);
		part_status(p, p->flying, ROS_GONE);
		p->flying = 0;
		part_finish(w, p);
	}
	while ((p = TAILQ_FIRST(&w->blocked))) {
		part_unblock(w, p);
		part_status(p, p->todo, ROS_GONE);
		p->todo = 0;
		part_finish(w, p);
	}
	atomic_store_explicit(&w->starving, false, memory_order_relaxed);
	while ((one = ros_waiting_expired(&w->waiting, UINT64_MAX)))
		end_wait(w, one, ROS_GONE);
}

static unsigned int take_in(struct ros_worker *w)
{
	struct roc_fragment_kept kept[BATCH];
	int i, n = w->source->ops->take(w->source, kept, BATCH);

	if (n < 0) {
		ros_worker_fail(w, roc_error());
		return 1;
	}
	for (i = 0; w->waiting.count && i < n; i++)
		serve_waiters(w, kept[i].event);
	ros_count_add(&w->counts.taken, (uint64_t)n);
	return (unsigned int)n;
}

void ros_worker_take_remaining(struct ros_worker *w)
{
	while (!is_gone(w) && take_in(w) == BATCH)
		;
}

static unsigned int take_done(struct ros_worker *w)
{
	struct roc_fragment_fetched f[BATCH];
	int i, n = w->source->ops->done(w->source, f, BATCH);

	if (n < 0) {
		ros_worker_fail(w, roc_error());
		return 1;
	}
	for (i = 0; i < n; i++)
		fetched(w, &f[i]);
	return (unsigned int)n;
}

/*
 * Fail if the card does not write a fragment in time. Requests must not wait forever, and the card
 * may write to the page until it is stopped.
 */
static unsigned int fail_timed_out(struct ros_worker *w)
{
	struct ros_part *oldest = TAILQ_FIRST(&w->flight);
	char reason[64];

	if (!w->set.fetch_ns || !oldest || w->ran - oldest->requested < w->set.fetch_ns)
		return 0;
	snprintf(reason, sizeof(reason), "The card did not write a fragment within %u s.",
		 (unsigned int)(w->set.fetch_ns / NS_PER_S));
	ros_worker_fail(w, reason);
	return 1;
}

/* Clear events by age that no client requests or clears. */
static unsigned int sweep(struct ros_worker *w)
{
	uint32_t event, links;
	uint64_t age;
	unsigned int n;

	for (n = 0; n < BATCH; n++) {
		links = w->source->ops->oldest(w->source, &event, &age);
		if (!links || age < w->set.age_ns)
			break;
		clear_now(w, event);
		ros_count_add(&w->counts.aged, (uint64_t)__builtin_popcount(links));
		ros_count_add(&w->counts.cleared, (uint64_t)__builtin_popcount(links));
	}
	w->swept = n < BATCH ? w->now : 0;
	return n;
}

static void copy_damage(struct ros_worker *w)
{
	struct roc_fragments_damage d;
	uint64_t lost;

	if (!w->source->ops->damage)
		return;
	w->source->ops->damage(w->source, &d, &lost);
	ros_count_set(&w->counts.damaged, d.damaged);
	ros_count_set(&w->counts.truncated, d.truncated);
	ros_count_set(&w->counts.sequence_errors, d.sequence_errors);
	ros_count_set(&w->counts.too_short, d.too_short);
	ros_count_set(&w->counts.empty, d.empty);
	ros_count_set(&w->counts.lost, lost);
}

uint64_t ros_worker_damage(struct ros_worker *w)
{
	struct ros_worker_counts *c = &w->counts;

	return ros_count_get(&c->damaged) + ros_count_get(&c->sequence_errors) +
	       ros_count_get(&c->too_short) + ros_count_get(&c->empty) + ros_count_get(&c->lost);
}

void ros_worker_copy_counts(struct ros_worker *w)
{
	struct roc_fragments_counts c;

	w->source->ops->counts(w->source, &c);
	ros_count_set(&w->counts.kept, c.kept);
	ros_count_set(&w->counts.events, c.events);
	ros_count_set(&w->counts.outstanding, c.outstanding);
	ros_count_set(&w->counts.free_pages, c.free);
	ros_count_set(&w->counts.doorbells, c.doorbells);
	ros_count_set(&w->counts.doorbell_calls, c.doorbell_calls);
	copy_damage(w);
	w->counted_at = w->now;
}

/*
 * The source may fail in each step. Then all jobs are finished and may be reused, so completions
 * that the driver reports afterwards must be ignored.
 */
static unsigned int poll_card(struct ros_worker *w)
{
	unsigned int n = take_in(w), done;

	if (is_gone(w))
		return n;
	n += serve_blocked(w);
	w->source->ops->flush(w->source);
	done = take_done(w);
	n += done;
	if (is_gone(w))
		return n;
	if (w->set.age_ns && w->now - w->swept >= COUNTS_NS)
		n += sweep(w);
	return done < BATCH ? n + fail_timed_out(w) : n;
}

bool ros_worker_turn(struct ros_worker *w)
{
	uint64_t now = now_ns();
	unsigned int n;

	w->ran += now - w->now < TURN_NS ? now - w->now : TURN_NS;
	w->now = now;
	n = take_orders(w);
	if (!is_gone(w))
		n += poll_card(w);
	n += expire(w);
	if (w->now - w->counted_at >= COUNTS_NS)
		ros_worker_copy_counts(w);
	ros_count_add(&w->counts.turns, 1);
	if (!w->notified) {
		w->notified = true;
		ros_bell_ring(w->network);
	}
	return n;
}
