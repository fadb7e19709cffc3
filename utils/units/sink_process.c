// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pass units to the writer process and back through rings of slots in shared memory. Each side
 * makes system calls only to sleep or to wake the other one.
 */
#include "sink_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "utils/common/writer_process.h"
#include "utils/common/tool.h"

#define SLOTS SINK_PROCESS_UNITS
#define BATCH 64
#define NO_PROGRESS_NS (10 * UNITS_NS_PER_S)
#define SECOND_SIGNAL_NS (5 * UNITS_NS_PER_S) /* wait after the second stop signal */
#define POLL_MS 100
#define LOCK_NS 100000000
#define KILL_MS 200 /* until a killed process that is not in the kernel has ended */

/* One side puts, the other takes. A slot is in one ring at a time, so no ring can overflow. */
struct ring {
	_Atomic uint32_t put, taken;
	uint32_t slots[SLOTS];
};

/* A side that sleeps on its eventfd. */
struct sleeper {
	int fd;
	atomic_bool sleeps;
};

enum use {
	FREE,
	OUT,
	BACK, /* in a ring of the writer process when that was killed */
};

enum request {
	OPEN,
	FINISH,
	ABANDON,
	CLOSE,
};

/* Status of the sink in the writer process. */
struct report {
	struct sink_counts n;
	char reason[UNITS_REASON], note[UNITS_REASON];
	const char *state;
};

struct process_sink {
	struct sink sink;
	struct sink_ops ops; /* name: of the sink */
	struct writer_process process;
	const char *place;

	/* Used by this process. */
	const struct source *source;
	struct unit units[SLOTS];  /* with the handles of the source */
	unsigned char used[SLOTS]; /* enum use */
	uint32_t free_slots[SLOTS], free_count;
	bool waits; /* sleeps on its eventfd */
	bool finishing;
	bool gone; /* the writer process was killed, or the file system does not respond */

	/* Shared. */
	struct ring in, done, lost;
	struct sleeper here, there;
	_Atomic unsigned int requests, answers;
	enum request request;
	int answer; /* to the last request */
	atomic_bool full, failed;
	pthread_mutex_t lock; /* protects format and report */
	struct unit_format format;
	struct report report;

	/* Used by the writer process. */
	const struct sink_process_type *type;
	void *options;
	struct source copy;
	struct sink *inner;
	uint64_t refused, refused_bytes; /* units that the sink did not accept: they are lost */
};

static struct process_sink *of(struct sink *s)
{
	return (struct process_sink *)s;
}

static void push(struct ring *r, uint32_t slot)
{
	r->slots[r->put % SLOTS] = slot;
	r->put++;
}

static bool pull(struct ring *r, uint32_t *slot)
{
	if (r->taken == r->put)
		return false;
	*slot = r->slots[r->taken % SLOTS];
	r->taken++;
	return true;
}

/* Wake the other side. The data it waits for must be visible before. */
static void wake(struct sleeper *s)
{
	if (s->sleeps && atomic_exchange(&s->sleeps, false) &&
	    write(s->fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
		return; /* the counter is at its maximum, which wakes the sleeper, too */
}

static void awake(struct sleeper *s)
{
	uint64_t count;

	s->sleeps = false;
	while (read(s->fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/* The code of the writer process. */

static void report(struct process_sink *a)
{
	struct report *r = &a->report;

	pthread_mutex_lock(&a->lock);
	r->n = a->inner->n;
	r->n.lost += a->refused;
	r->n.lost_bytes += a->refused_bytes;
	r->state = a->inner->state;
	memcpy(r->reason, a->inner->reason, sizeof(r->reason));
	if (a->inner->note[0] && !r->note[0]) {
		memcpy(r->note, a->inner->note, sizeof(r->note));
		a->inner->note[0] = '\0';
	}
	pthread_mutex_unlock(&a->lock);
}

static void refuse(struct process_sink *a, uint32_t slot)
{
	a->refused++;
	a->refused_bytes += a->units[slot].bytes;
	push(&a->lost, slot);
}

/* Put units into the sink. Return: how many it accepted. */
static unsigned int feed(struct process_sink *a)
{
	unsigned int n = 0;
	struct unit u;
	uint32_t slot;
	int ret;

	if (a->in.taken == a->in.put)
		return 0;
	pthread_mutex_lock(&a->lock);
	a->copy.format = a->format;
	pthread_mutex_unlock(&a->lock);
	for (; a->in.taken != a->in.put; n++) {
		slot = a->in.slots[a->in.taken % SLOTS];
		u = a->units[slot];
		u.handle = slot;
		ret = a->full ? -ENOSPC : a->failed ? -EIO : a->inner->ops->put(a->inner, &u);
		if (!ret)
			break;
		a->in.taken++;
		if (ret == -ENOSPC)
			a->full = true;
		else if (ret < 0)
			a->failed = true;
		if (ret < 0)
			refuse(a, slot);
	}
	return n;
}

static unsigned int move_back(struct process_sink *a,
			      int (*out)(struct sink *, uint64_t *, unsigned int), struct ring *to)
{
	uint64_t handles[BATCH];
	int i, n = out(a->inner, handles, BATCH);

	if (n == -ENOSPC)
		a->full = true;
	else if (n < 0)
		a->failed = true;
	for (i = 0; i < n; i++)
		push(to, (uint32_t)handles[i]);
	return n > 0 ? (unsigned int)n : 0;
}

static unsigned int move_all_back(struct process_sink *a)
{
	const struct sink_ops *ops = a->inner->ops;

	return move_back(a, ops->done, &a->done) +
	       (ops->lost ? move_back(a, ops->lost, &a->lost) : 0);
}

static unsigned int turn(struct process_sink *a)
{
	unsigned int moved = feed(a);
	int ret = a->failed ? 0 : a->inner->ops->flush(a->inner);

	if (ret == -ENOSPC)
		a->full = true;
	else if (ret < 0)
		a->failed = true;
	moved += move_all_back(a);
	report(a);
	if (moved || a->failed || a->full)
		wake(&a->here);
	return moved;
}

static void process_wait(struct process_sink *a)
{
	struct units_sleep s = {.ns = UNITS_NS_PER_S};
	bool stuck = a->in.taken != a->in.put; /* the sink has no space */

	a->inner->ops->sleep(a->inner, &s);
	if (!s.ns)
		return;
	a->there.sleeps = true;
	if ((stuck || a->in.taken == a->in.put) && a->requests == a->answers) {
		units_sleep_fd(&s, a->there.fd, POLLIN);
		poll(s.fds, s.count, (int)(s.ns / 1000000));
	}
	awake(&a->there);
}

static void abandon_inner(struct process_sink *a)
{
	uint32_t slot;

	while (pull(&a->in, &slot))
		refuse(a, slot);
	a->inner->ops->abandon(a->inner);
	while (move_all_back(a))
		;
}

static int serve(struct process_sink *a, enum request request)
{
	switch (request) {
	case FINISH:
		return a->inner->ops->finish(a->inner);
	case ABANDON:
		abandon_inner(a);
		return 0;
	default:
		return 0;
	}
}

static void answer(struct process_sink *a, int ret)
{
	a->answer = ret;
	a->answers++;
	wake(&a->here);
}

static void run(void *context)
{
	struct process_sink *a = context;
	bool closed = false;
	int err = a->type->open(a->options, &a->copy, &a->inner, a->report.reason);

	if (err) {
		answer(a, err);
		return;
	}
	report(a);
	answer(a, 0);
	while (!closed) {
		unsigned int moved = turn(a);

		if (a->requests != a->answers) {
			enum request request = a->request;
			int ret = serve(a, request);

			closed = request == CLOSE;
			report(a);
			if (closed)
				sink_close(a->inner);
			answer(a, ret);
		} else if (!moved) {
			process_wait(a);
		}
	}
}

/* The code of this process. */

/*
 * Return whether a disk sync is in progress, also within a call. Valid before the sink is closed.
 */
static bool syncs(const struct process_sink *a)
{
	return a->inner && __atomic_load_n(&a->inner->syncing, __ATOMIC_RELAXED);
}

/*
 * Take the lock, with @wait for at most LOCK_NS: the writer process may have been killed while it
 * held it.
 */
static bool take_lock(struct process_sink *a, bool wait)
{
	struct timespec until;

	if (!wait)
		return !pthread_mutex_trylock(&a->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOCK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return !pthread_mutex_timedlock(&a->lock, &until);
}

/* @wait: for the final report, which must not be missed. */
static void update(struct process_sink *a, bool wait)
{
	struct sink *s = &a->sink;

	s->syncing = !a->gone && syncs(a);
	if (a->gone || !take_lock(a, wait))
		return;
	s->n = a->report.n;
	s->state = a->report.state;
	memcpy(s->reason, a->report.reason, sizeof(s->reason));
	if (a->report.note[0] && !s->note[0]) {
		memcpy(s->note, a->report.note, sizeof(s->note));
		a->report.note[0] = '\0';
	}
	pthread_mutex_unlock(&a->lock);
}

static uint64_t free_slot(struct process_sink *a, uint32_t slot)
{
	a->used[slot] = FREE;
	a->free_slots[a->free_count++] = slot;
	return a->units[slot].handle;
}

/* Mark units whose slots are in a ring: the sink has already counted those of the lost ring. */
static void mark_returned(struct process_sink *a, const struct ring *r)
{
	uint32_t i;

	for (i = r->taken; i != r->put; i++)
		a->used[r->slots[i % SLOTS]] = BACK;
}

/* Count all units that did not come back as lost. */
static void lose_outstanding(struct process_sink *a, uint64_t *n, uint64_t *bytes)
{
	uint32_t slot;

	*n = *bytes = 0;
	update(a, true);
	a->gone = a->failed = true;
	mark_returned(a, &a->done);
	mark_returned(a, &a->lost);
	for (slot = 0; slot < SLOTS; slot++) {
		if (a->used[slot] != OUT)
			continue;
		(*n)++;
		*bytes += a->units[slot].bytes;
	}
	a->sink.n.lost += *n;
	a->sink.n.lost_bytes += *bytes;
	a->sink.reason[0] = '\0';
}

static bool has_outstanding(const struct process_sink *a)
{
	return memchr(a->used, OUT, sizeof(a->used));
}

static int fail_ended(struct process_sink *a)
{
	uint64_t n, bytes;

	if (a->gone)
		return -ECHILD;
	lose_outstanding(a, &n, &bytes);
	return units_fail(
		a->sink.reason, ECHILD,
		"%s: the writer process was killed, and its outstanding units are lost: %" PRIu64
		" units, %" PRIu64 " bytes in total.",
		a->place, n, bytes);
}

/*
 * Units that did not come back are lost. The source reuses their memory from now on, so the writer
 * process must not continue: it would commit data that it did not write.
 */
static void fail_hung(struct process_sink *a)
{
	uint64_t n, bytes;
	unsigned int i;

	writer_process_kill(&a->process);
	for (i = 0; i < KILL_MS && !a->process.ended; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	lose_outstanding(a, &n, &bytes);
	a->sink.hung = true;
	units_fail(
		a->sink.reason, ETIME,
		"%s: the file system does not respond: it is frozen, or its device or server is lost. %" PRIu64
		" units, %" PRIu64
		" bytes in total, are lost; data that were committed before are intact. Process %d ends when the file system responds.",
		a->place, n, bytes, (int)a->process.pid);
}

static uint32_t progress(struct process_sink *a)
{
	return a->in.taken + a->done.put + a->lost.put;
}

/* Sleep until the writer process has answered or has something to report. */
static void wait_for_answer(struct process_sink *a)
{
	struct pollfd fd = {.fd = a->here.fd, .events = POLLIN};

	a->here.sleeps = true;
	if (a->requests != a->answers && !a->process.ended)
		poll(&fd, 1, POLL_MS);
	awake(&a->here);
}

static void post(struct process_sink *a, enum request what)
{
	a->request = what;
	a->requests++;
	wake(&a->there);
}

/*
 * Send a request and wait. Return: 0 with the answer in @a; -ECHILD: the process has ended; -ETIME:
 * the file system does not respond.
 */
static int request(struct process_sink *a, enum request what)
{
	uint64_t now = units_now(), until = now + NO_PROGRESS_NS, second_until = 0;
	uint32_t before = progress(a);

	post(a, what);
	while (a->requests != a->answers) {
		if (a->process.ended)
			return -ECHILD;
		now = units_now();
		if (progress(a) != before || (what != CLOSE && syncs(a)))
			until = now + NO_PROGRESS_NS;
		before = progress(a);
		if (stop_requested_twice() && !second_until)
			second_until = now + SECOND_SIGNAL_NS;
		if (now > until || (second_until && now > second_until))
			return -ETIME;
		wait_for_answer(a);
	}
	return 0;
}

static int put(struct sink *s, const struct unit *u)
{
	struct process_sink *a = of(s);
	uint32_t slot;

	if (a->full || a->failed) {
		update(a, false);
		return a->failed ? -EIO : -ENOSPC;
	}
	if (!a->free_count)
		return 0;
	/* A network source learns its format with the first unit. */
	if (memcmp(&a->format, &a->source->format, sizeof(a->format))) {
		if (!take_lock(a, true))
			return 0;
		a->format = a->source->format;
		pthread_mutex_unlock(&a->lock);
	}
	slot = a->free_slots[--a->free_count];
	a->units[slot] = *u;
	a->used[slot] = OUT;
	push(&a->in, slot);
	return 1;
}

static int flush(struct sink *s)
{
	struct process_sink *a = of(s);

	if (a->in.taken != a->in.put)
		wake(&a->there);
	return 0;
}

static unsigned int collect(struct process_sink *a, struct ring *from, uint64_t *handles,
			    unsigned int max)
{
	unsigned int n = 0;
	uint32_t slot;

	while (n < max && pull(from, &slot)) {
		if (a->used[slot])
			handles[n++] = free_slot(a, slot);
	}
	return n;
}

/* Report a failure only after all returned units are collected. */
static int fails(const struct process_sink *a, bool failed)
{
	return failed && a->done.taken == a->done.put && a->lost.taken == a->lost.put ? -EIO : 0;
}

static int done(struct sink *s, uint64_t *handles, unsigned int max)
{
	struct process_sink *a = of(s);
	bool failed = a->failed, ended = a->process.ended;
	unsigned int n;

	if (a->waits)
		awake(&a->here);
	a->waits = false;
	n = collect(a, &a->done, handles, max);
	update(a, false);
	if (n)
		return (int)n;
	if (ended && !a->gone)
		return fails(a, true) ? fail_ended(a) : 0;
	/* lost() returns them. */
	if (a->gone && has_outstanding(a))
		return 0;
	return fails(a, failed);
}

static int lost(struct sink *s, uint64_t *handles, unsigned int max)
{
	struct process_sink *a = of(s);
	bool failed = a->failed, full = a->full;
	unsigned int n = collect(a, &a->lost, handles, max);
	uint32_t slot;

	for (slot = 0; a->gone && slot < SLOTS && n < max; slot++) {
		if (a->used[slot] == OUT)
			handles[n++] = free_slot(a, slot);
	}
	if (n)
		return (int)n;
	if (failed)
		return fails(a, failed);
	return full ? -ENOSPC : 0;
}

static int finish(struct sink *s)
{
	struct process_sink *a = of(s);
	int ret = a->sink.hung ? -ETIME : request(a, FINISH);

	if (ret == -ECHILD)
		return fail_ended(a);
	if (ret) {
		if (!a->sink.hung)
			fail_hung(a);
		return -ETIME;
	}
	update(a, true);
	return a->answer;
}

int sink_process_finish(struct sink *s)
{
	struct process_sink *a = of(s);
	bool answered;

	if (a->waits)
		awake(&a->here);
	a->waits = false;
	if (a->sink.hung)
		return -ETIME;
	if (a->process.ended)
		return fail_ended(a);
	if (!a->finishing)
		post(a, FINISH);
	a->finishing = true;
	/* The writer process reports before it answers. */
	answered = a->requests == a->answers;
	update(a, answered);
	if (!answered)
		return 0;
	return a->answer ? a->answer : 1;
}

static void abandon(struct sink *s)
{
	struct process_sink *a = of(s);
	int ret = a->gone ? 0 : request(a, ABANDON);

	if (ret == -ECHILD)
		fail_ended(a);
	else if (ret)
		fail_hung(a);
	else
		update(a, true);
}

static void process_sleep(struct sink *s, struct units_sleep *sleep)
{
	struct process_sink *a = of(s);

	a->here.sleeps = a->waits = true;
	if (a->done.taken != a->done.put || a->lost.taken != a->lost.put || a->failed)
		sleep->ns = 0;
	else
		units_sleep_fd(sleep, a->here.fd, POLLIN);
}

static void free_all(struct process_sink *a)
{
	if (a->here.fd >= 0)
		close(a->here.fd);
	if (a->there.fd >= 0)
		close(a->there.fd);
	pthread_mutex_destroy(&a->lock);
	a->type->release(a->options);
	free(a);
}

/*
 * If the process has not ended, its memory, descriptors and options are leaked on purpose: it may
 * still use them, even if no earlier call detected that it hangs.
 */
static void close_sink(struct sink *s)
{
	struct process_sink *a = of(s);

	if (!a->sink.hung && !a->process.ended && request(a, CLOSE) == -ETIME)
		writer_process_kill(&a->process);
	if (writer_process_wait(&a->process, 1000))
		free_all(a);
}

static const struct sink_ops ops = {
	.put = put,
	.flush = flush,
	.done = done,
	.lost = lost,
	.finish = finish,
	.abandon = abandon,
	.sleep = process_sleep,
	.close = close_sink,
};

static int start(struct process_sink *a, char reason[UNITS_REASON])
{
	int ret;

	a->here.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	a->there.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (a->here.fd < 0 || a->there.fd < 0) {
		ret = -errno;
		units_fail(reason, errno, "Cannot create an eventfd: %s.", strerror(errno));
		free_all(a);
		return ret;
	}
	a->requests = 1;
	a->process = (struct writer_process){.run = run, .context = a, .wake = a->here.fd};
	ret = writer_process_start(&a->process, (int[]){a->here.fd, a->there.fd}, 2);
	if (ret) {
		units_fail(reason, -ret, "Cannot start the writer process for %s: %s.", a->place,
			   strerror(-ret));
		free_all(a);
		return ret;
	}
	while (a->requests != a->answers && !a->process.ended)
		wait_for_answer(a);
	update(a, true);
	ret = a->requests == a->answers ? a->answer : fail_ended(a);
	if (ret) {
		units_fail(reason, -ret, "%s", a->sink.reason);
		if (writer_process_wait(&a->process, 1000))
			free_all(a);
		return ret;
	}
	a->ops.name = a->inner->ops->name;
	return 0;
}

int sink_process(const struct sink_process_type *type, void *options, const struct source *source,
		 const char *place, struct sink **sink, char reason[UNITS_REASON])
{
	struct process_sink *a = calloc(1, sizeof(*a));

	if (!a) {
		type->release(options);
		return units_fail(reason, ENOMEM,
				  "Cannot allocate the state of the writer process for %s.", place);
	}
	*sink = &a->sink;
	a->ops = ops;
	a->sink.ops = &a->ops;
	a->type = type;
	a->options = options;
	a->place = place;
	a->source = source;
	a->copy = *source;
	a->format = source->format;
	while (a->free_count < SLOTS) {
		a->free_slots[a->free_count] = SLOTS - 1 - a->free_count;
		a->free_count++;
	}
	pthread_mutex_init(&a->lock, NULL);
	return start(a, reason);
}
