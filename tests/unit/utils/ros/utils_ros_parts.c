// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data structures of the daemon and the load generator: waiters, queues and doorbells between
 * threads, the histogram, the content of fragments.
 */
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "unit.h"

#include "utils/ros/fragment_check.h"
#include "utils/common/histogram.h"
#include "utils/ros/queue.h"
#include "utils/ros/waiting.h"

#define WAITERS 5000

static struct ros_waiter waiters[WAITERS];

static unsigned int found(struct ros_waiting *w, uint32_t event)
{
	struct ros_waiter *one = NULL;
	unsigned int n = 0;

	while ((one = ros_waiting_find(w, event, one))) {
		UNIT_EQ(one->event, event);
		n++;
	}
	return n;
}

static void waiting(void)
{
	struct ros_waiting w;
	uint32_t i;

	UNIT_NEED(ros_waiting_init(&w, 16)); /* far fewer than there will be */
	CU_ASSERT_TRUE(ros_waiting_until(&w) == UINT64_MAX);
	for (i = 0; i < WAITERS; i++) {
		waiters[i].event = i % 1000 * 65537 - 500;
		waiters[i].until = 100 + i;
		ros_waiting_add(&w, &waiters[i]);
	}
	UNIT_EQ(w.count, WAITERS);
	UNIT_EQ(ros_waiting_until(&w), 100);
	for (i = 0; i < 1000; i++)
		UNIT_EQ(found(&w, i * 65537 - 500), WAITERS / 1000);
	UNIT_EQ(found(&w, 1), 0);
	/* Waiters for one event: newest first. */
	CU_ASSERT_PTR_EQUAL(ros_waiting_find(&w, waiters[7].event, NULL), &waiters[WAITERS - 993]);
	for (i = 0; i < WAITERS; i += 2)
		ros_waiting_remove(&w, &waiters[i]);
	CU_ASSERT_PTR_NULL(ros_waiting_expired(&w, 100));
	CU_ASSERT_PTR_EQUAL(ros_waiting_expired(&w, 101), &waiters[1]);
	for (i = 1; i < WAITERS; i += 2) {
		struct ros_waiter *one = ros_waiting_expired(&w, UINT64_MAX);

		UNIT_NEED(one == &waiters[i]);
		ros_waiting_remove(&w, one);
	}
	UNIT_EQ(w.count, 0);
	CU_ASSERT_PTR_NULL(ros_waiting_expired(&w, UINT64_MAX));
	ros_waiting_free(&w);
}

static void queue_full(void)
{
	struct ros_queue q;
	uintptr_t i;

	UNIT_NEED(ros_queue_init(&q, 17));
	for (i = 1; i <= 32; i++)
		CU_ASSERT_TRUE(ros_queue_push(&q, (void *)i));
	CU_ASSERT_FALSE(ros_queue_push(&q, (void *)i));
	for (i = 1; i <= 32; i++)
		CU_ASSERT_TRUE(ros_queue_pop(&q) == (void *)i);
	CU_ASSERT_PTR_NULL(ros_queue_pop(&q));
	CU_ASSERT_TRUE(ros_queue_empty(&q));
	/* Where the indices wrap. */
	q.head = q.tail = UINT32_MAX - 3;
	for (i = 1; i <= 32; i++)
		CU_ASSERT_TRUE(ros_queue_push(&q, (void *)i));
	CU_ASSERT_FALSE(ros_queue_push(&q, (void *)i));
	for (i = 1; i <= 32; i++)
		CU_ASSERT_TRUE(ros_queue_pop(&q) == (void *)i);
	ros_queue_free(&q);
}

#define TOKENS 200000

struct pair {
	struct ros_queue there, back;
	struct ros_bell bells[2];
	int limit; /* ms */
};

static atomic_uint slept_through; /* sleeps that timed out although an entry had been queued */

/* Sleep whenever the queue is empty, until the bell rings. */
static void *take(struct ros_queue *q, struct ros_bell *bell, int limit)
{
	struct pollfd fd = {.fd = bell->fd, .events = POLLIN};
	void *entry;

	while (!(entry = ros_queue_pop(q))) {
		ros_bell_arm(bell);
		if (ros_queue_empty(q)) {
			if (poll(&fd, 1, limit) == 1)
				ros_bell_clear(bell);
			else
				slept_through += !ros_queue_empty(q);
		}
		ros_bell_disarm(bell);
	}
	return entry;
}

static void *echo(void *argument)
{
	struct pair *p = argument;
	unsigned int i;

	for (i = 0; i < TOKENS; i++) {
		ros_queue_push(&p->back, take(&p->there, &p->bells[0], p->limit));
		ros_bell_ring(&p->bells[1]);
	}
	return NULL;
}

static void queue_threads(void)
{
	uintptr_t sent = 0, got = 0;
	struct pair p = {.limit = 60000};
	pthread_t thread;

	UNIT_NEED(ros_queue_init(&p.there, 64) && ros_queue_init(&p.back, 64));
	UNIT_NEED(ros_bell_init(&p.bells[0]) && ros_bell_init(&p.bells[1]));
	UNIT_NEED(!pthread_create(&thread, NULL, echo, &p));
	while (got < TOKENS) {
		while (sent < TOKENS && sent - got < 1 + sent % 64)
			ros_queue_push(&p.there, (void *)++sent);
		ros_bell_ring(&p.bells[0]);
		if (take(&p.back, &p.bells[1], p.limit) != (void *)++got)
			break;
	}
	pthread_join(thread, NULL);
	UNIT_EQ(got, TOKENS);
	UNIT_EQ(slept_through, 0);
	unit_note("%u pointers in both directions, %llu and %llu rings", TOKENS,
		  (unsigned long long)p.bells[0].rung, (unsigned long long)p.bells[1].rung);
	ros_queue_free(&p.there);
	ros_queue_free(&p.back);
	ros_bell_free(&p.bells[0]);
	ros_bell_free(&p.bells[1]);
}

static struct histogram h;

static void percentiles(void)
{
	static const uint64_t values[] = {0, 1, 2047, 2048, 4095, 4096, 123456789, HISTOGRAM_MAX};
	uint64_t i, got;

	memset(&h, 0, sizeof(h));
	UNIT_EQ(histogram_percentile(&h, 50), 0);
	/* Each value is returned with three digits, rounded up. */
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		memset(&h, 0, sizeof(h));
		histogram_add(&h, values[i]);
		histogram_add(&h, HISTOGRAM_MAX);
		got = histogram_percentile(&h, 50);
		CU_ASSERT_TRUE(got >= values[i] && got - values[i] <= values[i] / 1000);
	}
	memset(&h, 0, sizeof(h));
	for (i = 1; i <= 100000; i++)
		histogram_add(&h, i * 100);
	UNIT_EQ(h.max, 10000000);
	CU_ASSERT_TRUE(fabs((double)histogram_percentile(&h, 50) - 5000000) <= 5000);
	CU_ASSERT_TRUE(fabs((double)histogram_percentile(&h, 99.9) - 9990000) <= 10000);
	UNIT_EQ(histogram_percentile(&h, 100), 10000000);
	histogram_add(&h, UINT64_MAX);
	UNIT_EQ(histogram_percentile(&h, 100), HISTOGRAM_MAX);
}

/* The number of values up to a percentile is exact. */
static void ranks(void)
{
	uint64_t total, i;

	for (total = 1000; total <= 10000000; total *= 10) {
		UNIT_EQ(histogram_rank(99.9, total), total / 1000 * 999);
		UNIT_EQ(histogram_rank(99, total), total / 100 * 99);
		UNIT_EQ(histogram_rank(99.9, total + 1), total / 1000 * 999 + 1);
		UNIT_EQ(histogram_rank(100, total), total);
	}
	UNIT_EQ(histogram_rank(50, 3), 2);
	UNIT_EQ(histogram_rank(99.9, 0), 0);
	memset(&h, 0, sizeof(h));
	for (i = 1; i <= 1000; i++)
		histogram_add(&h, i);
	UNIT_EQ(histogram_percentile(&h, 99.9), 999);
}

/* Columns, increasing percentiles, and the end of the text in HdrHistogram format. */
static void hgrm(void)
{
	double value, percentile, last = -1;
	char *text = NULL, *line, *rest;
	unsigned long long count;
	unsigned int i, lines = 0;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	UNIT_NEED(out);
	memset(&h, 0, sizeof(h));
	for (i = 1; i <= 10000; i++)
		histogram_add(&h, i * 1000);
	histogram_print(&h, out, 1000);
	fclose(out);
	rest = text;
	line = strsep(&rest, "\n");
	UNIT_STR(line, "       Value     Percentile TotalCount 1/(1-Percentile)");
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && line[0] != '#') {
		UNIT_EQ(sscanf(line, "%lf %lf %llu", &value, &percentile, &count), 3);
		CU_ASSERT_TRUE(percentile > last);
		CU_ASSERT_TRUE(fabs(value - percentile * 10000) <= 11);
		last = percentile;
		lines++;
	}
	CU_ASSERT_TRUE(last == 1 && lines > 20 && lines < 200);
	CU_ASSERT_TRUE(line && strstr(line, "#[Mean    =     5000.500, StdDeviation   ="));
	line = strsep(&rest, "\n");
	CU_ASSERT_TRUE(line &&
		       strstr(line, "#[Max     =    10000.000, Total count    =        10000]"));
	free(text);
}

static void contents(void)
{
	static uint8_t data[2048];
	uint32_t source = ros_source_id(0x123, 7), size, card = 0, i;

	for (i = 0; i < 1000; i++) {
		size = ros_fragment_size(source, 0xfffffe00 + i, 16, 2048);
		CU_ASSERT_TRUE(size >= 16 && size <= 2048 && size % 4 == 0);
		ros_fragment_fill(data, source, 0xfffffe00 + i, size);
		CU_ASSERT_PTR_NULL(ros_fragment_check(data, size, 0xfffffe00 + i, 7, &card));
	}
	UNIT_EQ(card, 0x123);
	/* Any wrong bit, a wrong event, a wrong link. */
	ros_fragment_fill(data, source, 5, 64);
	for (i = 0; i < 64 * 8; i++) {
		data[i / 8] ^= (uint8_t)(1 << i % 8);
		/*
		 * Other values are allowed for the card's part of the source id, and for a larger
		 * size.
		 */
		if (i / 32 == 2 ? i % 32 < 4 : i / 32 != 3)
			CU_ASSERT_PTR_NOT_NULL(ros_fragment_check(data, 64, 5, 7, &card));
		data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	CU_ASSERT_PTR_NULL(ros_fragment_check(data, 60, 5, 7, &card)); /* truncated by the card */
	CU_ASSERT_PTR_NOT_NULL(ros_fragment_check(data, 68, 5, 7, &card));
	CU_ASSERT_PTR_NOT_NULL(ros_fragment_check(data, 64, 6, 7, &card));
	CU_ASSERT_PTR_NOT_NULL(ros_fragment_check(data, 64, 5, 6, &card));
	CU_ASSERT_PTR_NOT_NULL(ros_fragment_check(data, 12, 5, 7, &card));
}

UNIT_MAIN("parts of roc-rosd and roc-ros-load", {"waiters", waiting}, {"queue full", queue_full},
	  {"queue between threads", queue_threads}, {"percentiles", percentiles}, {"ranks", ranks},
	  {"HdrHistogram text", hgrm}, {"contents", contents})
