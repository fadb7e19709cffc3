// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The worker of a sub-unit, turn by turn, with a source controlled by the test: the card fails,
 * refuses requests, has no host pages, or is removed.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "unit.h"

#include "utils/ros/worker.h"

#define EVENTS 64
#define FLYING 256

/* A source of 64 events. */
static struct {
	struct ros_source source;
	uint32_t there[EVENTS]; /* links with a fragment that was taken */
	struct roc_fragment_kept news[FLYING];
	unsigned int new_count;
	struct {
		uint32_t event, link;
		uint64_t tag;
	} flying[FLYING];
	unsigned int flying_count;
	bool held_back; /* no request is completed */
	int error;	/* result of completed requests */
	int host_pages; /* free host pages */
	int take_error;
	/* this many times, done() returns done_error instead of completions */
	unsigned int done_later;
	int done_error;
	struct ros_worker *late; /* gets a host page only after it has checked for one */
	_Atomic bool overslept;
	_Atomic bool stopped;
	uint32_t published; /* links of event 3 that are announced just before the stop */
	unsigned int starts, stops, flushes;
	struct roc_fragments_damage damage;
	uint64_t lost;
	const char *reason;
} fake;

static int fake_start(struct ros_source *s)
{
	fake.starts++;
	return 0;
}

static int fake_stop(struct ros_source *s)
{
	fake.stops++;
	return 0;
}

static void fake_close(struct ros_source *s)
{
}

static int fake_take(struct ros_source *s, struct roc_fragment_kept *kept, unsigned int n)
{
	unsigned int i, count = fake.new_count;

	if (fake.take_error)
		return fake.take_error;
	if (fake.late && !fake.late->bell.armed)
		fake.host_pages = 0;
	for (i = 0; i < count; i++) {
		kept[i] = fake.news[i];
		fake.there[kept[i].event] |= 1u << kept[i].link;
	}
	fake.new_count = 0;
	return (int)count;
}

static uint32_t fake_find(struct ros_source *s, uint32_t event)
{
	return event < EVENTS ? fake.there[event] : 0;
}

static uint32_t fake_oldest(struct ros_source *s, uint32_t *event, uint64_t *age_ns)
{
	*age_ns = UINT64_MAX;
	for (*event = 0; *event < EVENTS; ++*event)
		if (fake.there[*event])
			return fake.there[*event];
	return 0;
}

static int fake_request(struct ros_source *s, uint32_t event, uint32_t links, uint64_t tag)
{
	unsigned int link;

	links &= fake_find(s, event);
	if (fake.host_pages < __builtin_popcount(links))
		return -EAGAIN;
	for (link = 0; link < ROS_SOURCE_LINKS_MAX; link++) {
		if (!(links & 1u << link))
			continue;
		fake.host_pages--;
		fake.flying[fake.flying_count].event = event;
		fake.flying[fake.flying_count].link = link;
		fake.flying[fake.flying_count++].tag = tag;
	}
	return (int)links;
}

static unsigned int fake_clear(struct ros_source *s, const uint32_t *events, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		fake.there[events[i]] = 0;
	return n;
}

static int fake_flush(struct ros_source *s)
{
	fake.flushes++;
	return 0;
}

static int fake_done(struct ros_source *s, struct roc_fragment_fetched *fetched, unsigned int n)
{
	unsigned int i;

	if (fake.late)
		fake.host_pages = 1;
	if (fake.held_back)
		return 0;
	if (fake.done_later) {
		fake.done_later--;
		return fake.done_error;
	}
	for (i = 0; i < fake.flying_count; i++) {
		fetched[i] = (struct roc_fragment_fetched){
			.data = fake.error ? NULL : "data",
			.handle = fake.error ? 0 : i + 1,
			.tag = fake.flying[i].tag,
			.event = fake.flying[i].event,
			.link = fake.flying[i].link,
			.size = fake.error ? 0 : 4,
			.error = fake.error,
		};
	}
	fake.flying_count = 0;
	return (int)i;
}

static void fake_return_page(struct ros_source *s, uint64_t handle)
{
}

static void comes(uint32_t event, uint32_t links);

static bool fake_running(struct ros_source *s)
{
	if (fake.stopped) {
		comes(3, fake.published);
		fake.published = 0;
	}
	return !fake.stopped;
}

static void fake_counts(struct ros_source *s, struct roc_fragments_counts *c)
{
	*c = (struct roc_fragments_counts){0};
}

static void fake_damage(struct ros_source *s, struct roc_fragments_damage *d, uint64_t *lost)
{
	*d = fake.damage;
	*lost = fake.stops ? fake.lost : 0;
}

static const char *fake_reason(struct ros_source *s)
{
	return fake.reason;
}

static bool fake_wait(struct ros_source *s, int fd, int ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	if (fake.late && fake.host_pages && fake.late->starving)
		fake.overslept = true;
	return poll(&poll_fd, 1, ms < 5 ? ms : 5) > 0;
}

static const struct ros_source_ops ops = {
	.start = fake_start,
	.stop = fake_stop,
	.close = fake_close,
	.take = fake_take,
	.find = fake_find,
	.oldest = fake_oldest,
	.request = fake_request,
	.clear = fake_clear,
	.flush = fake_flush,
	.done = fake_done,
	.give_back = fake_return_page,
	.running = fake_running,
	.counts = fake_counts,
	.damage = fake_damage,
	.reason = fake_reason,
	.wait = fake_wait,
};

static struct ros_worker w;
static struct ros_bell network;

#define MS UINT64_C(1000000)

static void begin(uint64_t wait_ms, uint64_t busy_ms)
{
	memset(&fake, 0, sizeof(fake));
	fake.source = (struct ros_source){.ops = &ops, .links = 0x3f, .pages = FLYING};
	fake.host_pages = FLYING;
	memset(&w, 0, sizeof(w));
	w.source = &fake.source;
	w.network = &network;
	w.set = (struct ros_worker_settings){
		.wait_ns = wait_ms * MS, .busy_ns = busy_ms * MS, .jobs = 64};
	UNIT_NEED(ros_bell_init(&network));
	UNIT_NEED(!ros_worker_init(&w));
}

static void end(void)
{
	CU_ASSERT_PTR_NULL(ros_queue_pop(&w.results));
	UNIT_EQ(w.waiting.count, 0);
	CU_ASSERT_TRUE(TAILQ_EMPTY(&w.blocked) && TAILQ_EMPTY(&w.flight));
	ros_worker_free(&w);
	ros_bell_free(&network);
}

static void comes(uint32_t event, uint32_t links)
{
	for (; links; links &= links - 1)
		fake.news[fake.new_count++] = (struct roc_fragment_kept){
			.event = event, .link = (uint32_t)__builtin_ctz(links)};
}

static struct ros_part parts[40];

static struct ros_part *request(unsigned int i, uint32_t event, uint32_t links)
{
	parts[i] = (struct ros_part){.event = event, .links = links};
	ros_worker_order(&w, &parts[i].job);
	return &parts[i];
}

/* The next job done is this one, and its links have this status. */
static void is_done(struct ros_part *p, uint32_t links, enum ros_status status)
{
	CU_ASSERT_PTR_EQUAL(ros_queue_pop(&w.results), p);
	for (; links; links &= links - 1)
		UNIT_EQ(p->pieces[__builtin_ctz(links)].status, status);
}

static bool result(void)
{
	ros_worker_turn(&w);
	return !ros_queue_empty(&w.results);
}

static void served(void)
{
	struct ros_part *p;

	begin(1000, 1000);
	comes(3, 0x3f);
	ros_worker_turn(&w);
	p = request(0, 3, 0x15);
	ros_worker_turn(&w);
	is_done(p, 0x15, ROS_OK);
	UNIT_EQ(p->pieces[2].size, 4);
	CU_ASSERT_TRUE(p->pieces[2].handle != 0);
	CU_ASSERT_TRUE(fake.flushes > 0);
	end();
}

static void waits(void)
{
	struct ros_part *p, *q;

	begin(60000, 1000);
	p = request(0, 3, 0x3);
	q = request(1, 3, 0x2);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	comes(3, 1);
	comes(4, 2);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	UNIT_EQ(w.waiting.count, 2);
	comes(3, 2);
	ros_worker_turn(&w);
	is_done(q, 2, ROS_OK);
	is_done(p, 3, ROS_OK);
	UNIT_EQ(w.counts.waited, 2);
	end();
}

static void in_vain(void)
{
	struct ros_part *p;

	begin(50, 1000);
	comes(3, 1);
	p = request(0, 3, 0x3);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	CU_ASSERT_TRUE(UNIT_WAIT(result(), 5000));
	is_done(p, 1, ROS_OK);
	UNIT_EQ(p->pieces[1].status, ROS_NOT_THERE);
	UNIT_EQ(w.counts.expired, 1);
	end();
	/* There is no waiter, or none any more. */
	begin(0, 1000);
	p = request(0, 3, 0x3);
	ros_worker_turn(&w);
	is_done(p, 3, ROS_NOT_THERE);
	end();
	begin(60000, 1000);
	p = request(0, 3, 0x3);
	ros_worker_turn(&w);
	ros_worker_drain(&w);
	ros_worker_turn(&w);
	is_done(p, 3, ROS_DRAINING);
	end();
}

/* In order of arrival; a small request does not overtake. */
static void no_pages(void)
{
	struct ros_part *p[3];

	begin(1000, 60000);
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.host_pages = 7;
	p[0] = request(0, 1, 0x3f);
	p[1] = request(1, 1, 0x3);
	p[2] = request(2, 1, 0x1);
	ros_worker_turn(&w);
	is_done(p[0], 0x3f, ROS_OK);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	CU_ASSERT_TRUE(w.starving);
	UNIT_EQ(w.counts.blocked, 2);
	fake.host_pages = 3;
	ros_worker_turn(&w);
	is_done(p[1], 3, ROS_OK);
	is_done(p[2], 1, ROS_OK);
	CU_ASSERT_FALSE(w.starving);
	end();
}

static void busy(void)
{
	struct ros_part *p;

	begin(1000, 50);
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.host_pages = 0;
	p = request(0, 1, 0x3);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	CU_ASSERT_TRUE(UNIT_WAIT(result(), 5000));
	is_done(p, 3, ROS_BUSY);
	UNIT_EQ(w.counts.busy, 1);
	end();
}

static void card_fails(void)
{
	struct ros_part *p;

	begin(1000, 1000);
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.error = -EIO;
	p = request(0, 1, 0x21);
	ros_worker_turn(&w);
	is_done(p, 0x21, ROS_FAILED);
	UNIT_EQ(p->pieces[5].handle, 0);
	UNIT_EQ(w.counts.failed, 2);
	end();
}

/* Jobs in every state at the same time: waiting, without a page, in flight; and afterwards. */
static void card_removed(void)
{
	struct ros_part *p[4];

	begin(60000, 60000);
	comes(1, 0x3f);
	comes(2, 0x3f);
	ros_worker_turn(&w);
	fake.held_back = true;
	fake.host_pages = 6;
	p[0] = request(0, 1, 0x3f);
	p[1] = request(1, 2, 0x3);
	p[2] = request(2, 9, 0x7);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	fake.take_error = -ENODEV;
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(w.gone);
	UNIT_EQ(fake.stops, 1);
	is_done(p[0], 0x3f, ROS_GONE);
	is_done(p[1], 3, ROS_GONE);
	is_done(p[2], 7, ROS_GONE);
	p[3] = request(3, 1, 1);
	ros_worker_turn(&w);
	is_done(p[3], 1, ROS_GONE);
	UNIT_EQ(fake.stops, 1);
	end();
}

/*
 * The driver reports the removal of the card first, and then the end of the run with canceled
 * requests: jobs that are done are not done again.
 */
static void cancelled_late(void)
{
	struct ros_part *p;

	begin(60000, 60000);
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.held_back = true;
	p = request(0, 1, 0x7);
	ros_worker_turn(&w);
	fake.held_back = false;
	fake.error = -ECANCELED;
	fake.take_error = -ENODEV;
	fake.done_later = 1;
	ros_worker_turn(&w);
	is_done(p, 0x7, ROS_GONE);
	CU_ASSERT_PTR_NULL(ros_queue_pop(&w.results));
	UNIT_EQ(fake.stops, 1);
	end();
	/* The completions never arrive: the card is taken out of service once all the same. */
	begin(60000, 60000);
	fake.take_error = -ENODEV;
	fake.done_later = UINT_MAX;
	fake.done_error = -ENODEV;
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(w.gone);
	UNIT_EQ(fake.stops, 1);
	end();
}

/* The thread detects a sub-unit that stops without a notification. */
static void stops_by_itself(void)
{
	struct ros_part *p;

	begin(60000, 1000);
	UNIT_NEED(!ros_worker_start(&w));
	p = request(0, 3, 1);
	ros_worker_wake(&w);
	fake.stopped = true;
	CU_ASSERT_TRUE(UNIT_WAIT(!ros_queue_empty(&w.results), 5000));
	is_done(p, 1, ROS_GONE);
	ros_worker_stop(&w);
	UNIT_EQ(fake.starts, 1);
	UNIT_STR(w.failure, "The sub-unit stopped unexpectedly.");
	end();
	/* The driver's reason is reported. */
	begin(60000, 1000);
	fake.reason = "it left a descriptor out";
	fake.stopped = true;
	UNIT_NEED(!ros_worker_start(&w));
	CU_ASSERT_TRUE(UNIT_WAIT(w.gone, 5000));
	ros_worker_stop(&w);
	UNIT_STR(w.failure, "The sub-unit stopped unexpectedly: it left a descriptor out.");
	end();
}

/*
 * A host page is returned after the last check for one, before the worker can be woken: the worker
 * does not sleep.
 */
static void a_late_page(void)
{
	struct ros_part *p;

	begin(1000, 60000);
	comes(1, 0x3f);
	fake.host_pages = 0;
	ros_worker_turn(&w);
	p = request(0, 1, 1);
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(w.starving);
	fake.late = &w;
	UNIT_NEED(!ros_worker_start(&w));
	CU_ASSERT_TRUE(UNIT_WAIT(!ros_queue_empty(&w.results) || fake.overslept, 5000));
	ros_worker_stop(&w);
	CU_ASSERT_FALSE(fake.overslept);
	is_done(p, 1, ROS_OK);
	end();
}

/*
 * The card does not write a requested fragment, and no event is signaled: the request is answered.
 */
static void card_times_out(void)
{
	struct ros_part *p[3];

	begin(60000, 60000);
	w.set.fetch_ns = 50 * MS;
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.held_back = true;
	fake.host_pages = 3;
	p[0] = request(0, 1, 0x7);
	p[1] = request(1, 1, 0x1);
	p[2] = request(2, 9, 0x1);
	CU_ASSERT_TRUE(UNIT_WAIT(result(), 5000));
	CU_ASSERT_TRUE(w.gone);
	UNIT_EQ(fake.stops, 1);
	is_done(p[0], 0x7, ROS_GONE);
	is_done(p[1], 0x1, ROS_GONE);
	is_done(p[2], 0x1, ROS_GONE);
	end();
	/* Turns count, and not the time: the worker may have been stopped for an hour. */
	begin(60000, 60000);
	w.set.fetch_ns = 1800000 * MS;
	comes(1, 0x3f);
	ros_worker_turn(&w);
	fake.held_back = true;
	p[0] = request(0, 1, 0x7);
	ros_worker_turn(&w);
	w.now -= 3600000 * MS;
	ros_worker_turn(&w);
	CU_ASSERT_FALSE(w.gone);
	fake.held_back = false;
	ros_worker_turn(&w);
	is_done(p[0], 0x7, ROS_OK);
	end();
}

static struct ros_clear_part clear_part;
static struct ros_clear_waiter waiters[EVENTS];
static _Atomic uint8_t found[EVENTS];

static struct ros_clear_part *clear(const uint32_t *events, uint32_t count)
{
	clear_part = (struct ros_clear_part){.job.type = ROS_JOB_CLEAR,
					     .events = events,
					     .waiters = waiters,
					     .found = found,
					     .count = count};
	memset(found, 0, sizeof(found));
	ros_worker_order(&w, &clear_part.job);
	return &clear_part;
}

static void cleared(void)
{
	static const uint32_t events[] = {1, 2, 3, 4};
	struct ros_clear_part *c;
	struct ros_part *p;

	begin(60000, 1000);
	comes(1, 0x3f);
	comes(2, 0x0f);
	ros_worker_turn(&w);
	c = clear(events, 3);
	p = request(0, 2, 0x30); /* for links without a fragment */
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(ros_queue_empty(&w.results));
	UNIT_EQ(fake.there[1], 0);
	UNIT_EQ(fake.there[2], 0);
	/* Both arrive at once: the request gets both, and then they are cleared. */
	comes(2, 0x30);
	ros_worker_turn(&w);
	is_done(p, 0x30, ROS_OK);
	UNIT_EQ(fake.there[2], 0);
	ros_worker_drain(&w);
	ros_worker_turn(&w);
	CU_ASSERT_PTR_EQUAL(ros_queue_pop(&w.results), c);
	UNIT_EQ(c->fragments, 12);
	UNIT_EQ(found[0] + 2 * found[1] + 4 * found[2], 3);
	end();
	/* No link has a fragment: the clear waits for all. */
	begin(60000, 1000);
	c = clear(events, 4);
	ros_worker_turn(&w);
	UNIT_EQ(c->waiting, 4);
	comes(1, 0x3f);
	comes(2, 0x3f);
	comes(3, 0x3f);
	comes(4, 0x3f);
	ros_worker_turn(&w);
	CU_ASSERT_PTR_EQUAL(ros_queue_pop(&w.results), c);
	UNIT_EQ(c->fragments, 24);
	UNIT_EQ(found[0] + found[1] + found[2] + found[3], 4);
	end();
}

/* Fragments between the last turn and the stop of the sub-unit are not lost. */
static void published_before_stop(void)
{
	static const uint32_t events[] = {3};
	struct ros_clear_part *c;

	begin(60000, 1000);
	fake.published = 0x3f;
	c = clear(events, 1);
	fake.stopped = true;
	UNIT_NEED(!ros_worker_start(&w));
	CU_ASSERT_TRUE(UNIT_WAIT(!ros_queue_empty(&w.results), 5000));
	CU_ASSERT_PTR_EQUAL(ros_queue_pop(&w.results), c);
	ros_worker_stop(&w);
	UNIT_EQ(c->fragments, 6);
	UNIT_EQ(found[0], 1);
	UNIT_EQ(w.counts.taken, 6);
	UNIT_STR(w.failure, "The sub-unit stopped unexpectedly.");
	end();
}

static void aged(void)
{
	begin(0, 0);
	w.set.age_ns = 1;
	comes(1, 0x3f);
	comes(2, 0x3f);
	ros_worker_turn(&w);
	UNIT_EQ(fake.there[1] | fake.there[2], 0);
	UNIT_EQ(w.counts.aged, 12);
	UNIT_EQ(w.counts.cleared, 12);
	end();
}

/*
 * Requests that wait for other links prefetch into at most half of the host pages; a clear
 * meanwhile does not take their fragments.
 */
static void prefetch(void)
{
	static const uint32_t first = 1;
	struct ros_part *p[4];

	begin(60000, 60000);
	fake.source.pages = 8;
	comes(1, 0x1f);
	comes(2, 0x01);
	comes(3, 0x07);
	comes(4, 0x01);
	comes(5, 0x3f);
	ros_worker_turn(&w);
	p[0] = request(0, 1, 0x3f);
	p[1] = request(1, 2, 0x09);
	p[2] = request(2, 3, 0x3f);
	p[3] = request(3, 4, 0x03);
	ros_worker_turn(&w);
	UNIT_EQ(FLYING - fake.host_pages, 4); /* of the second and the third */
	is_done((request(4, 5, 0x3f), ros_worker_turn(&w), &parts[4]), 0x3f, ROS_OK);
	/* Fragments are fetched before they are cleared. */
	clear(&first, 1);
	ros_worker_turn(&w);
	UNIT_EQ(FLYING - fake.host_pages, 4 + 6 + 5);
	UNIT_EQ(fake.there[1], 0);
	/* The rest arrives, and there are host pages for the following requests. */
	comes(2, 0x08);
	ros_worker_turn(&w);
	is_done(p[1], 0x09, ROS_OK);
	comes(4, 0x02);
	ros_worker_turn(&w);
	is_done(p[3], 0x03, ROS_OK);
	comes(3, 0x38);
	ros_worker_turn(&w);
	is_done(p[2], 0x3f, ROS_OK);
	/* The wait ends: what is available is sent. */
	ros_worker_drain(&w);
	UNIT_NEED(UNIT_WAIT(result(), 1000));
	is_done(p[0], 0x1f, ROS_OK);
	UNIT_EQ(p[0]->pieces[5].status, ROS_DRAINING);
	CU_ASSERT_PTR_EQUAL(ros_queue_pop(&w.results), &clear_part);
	UNIT_EQ(w.ahead, 0);
	UNIT_EQ(w.deferred, 0);
	end();
	/* The card is removed: nothing is requested from it for waiting requests. */
	begin(60000, 60000);
	fake.source.pages = 2;
	comes(1, 0x3);
	ros_worker_turn(&w);
	p[0] = request(0, 1, 0x7);
	ros_worker_turn(&w);
	fake.take_error = -ENODEV;
	ros_worker_turn(&w);
	is_done(p[0], 0x7, ROS_GONE);
	UNIT_EQ(fake.host_pages, FLYING);
	UNIT_EQ(w.deferred, 0);
	end();
}

/* The daemon reports each type of damage at its end. */
static void damage(void)
{
	static const struct roc_fragments_damage kinds[] = {{.damaged = 3, .truncated = 1},
							    {.sequence_errors = 3},
							    {.too_short = 3},
							    {.empty = 3}};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		begin(0, 0);
		ros_worker_turn(&w);
		UNIT_EQ(ros_worker_damage(&w), 0);
		fake.damage = kinds[i];
		ros_worker_copy_counts(&w);
		UNIT_EQ(ros_worker_damage(&w), 3);
		UNIT_EQ(w.counts.damaged, kinds[i].damaged);
		UNIT_EQ(w.counts.truncated, kinds[i].truncated);
		UNIT_EQ(w.counts.sequence_errors, kinds[i].sequence_errors);
		end();
	}
}

/* The card skipped an entry: the sub-unit is taken out of service at once, with the reason. */
static void entry_skipped(void)
{
	begin(0, 0);
	fake.lost = 7;
	fake.take_error = roc_fail(EBADMSG, "descriptor 12 is missing");
	ros_worker_turn(&w);
	CU_ASSERT_TRUE(w.gone);
	UNIT_STR(w.failure, "descriptor 12 is missing");
	UNIT_EQ(fake.stops, 1);
	ros_worker_copy_counts(&w);
	UNIT_EQ(w.counts.lost, 7);
	UNIT_EQ(ros_worker_damage(&w), 7);
	end();
}

UNIT_MAIN("worker of a sub-unit", {"served", served}, {"waiting requests", waits},
	  {"expired waits", in_vain}, {"no host pages", no_pages}, {"busy", busy},
	  {"the card fails", card_fails}, {"the card is removed", card_removed},
	  {"cancelled late", cancelled_late}, {"the sub-unit stops", stops_by_itself},
	  {"fragments before the stop", published_before_stop},
	  {"a host page is returned late", a_late_page},
	  {"the card does not write a fragment", card_times_out}, {"cleared", cleared},
	  {"aged", aged}, {"prefetch for incomplete requests", prefetch}, {"damage", damage},
	  {"an entry skipped by the card", entry_skipped})
