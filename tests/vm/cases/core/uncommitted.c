// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that create an object, while another thread write-protects the memory for the result: the
 * driver undoes the call. Forced by a point in the module (kmod/core/points.h).
 */
#include "common/case.h"
#include "common/point.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define LIMIT_MS 10000

struct call {
	int fd;
	unsigned long nr;
	void *arg; /* a page */
	int result;
};

static void *call(void *arg)
{
	struct call *c = arg;

	c->result = abi(c->fd, c->nr, c->arg);
	return NULL;
}

static void *page(const void *from, size_t size)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	UNIT_NEED(at != MAP_FAILED);
	memcpy(at, from, size);
	return at;
}

/* The IDs of the cards in schedules.c. */
#define STREAM_ID "4004:0"
#define SUB_ID "6005:0"

/* The first call cannot copy its result out and is undone; the second one succeeds. */
static void uncommitted(const char *id, unsigned long nr, const void *from, size_t size)
{
	struct call c = {.nr = nr, .arg = page(from, size)};
	pthread_t thread;

	if (!points_there()) {
		unit_skip("this module has no points");
		return;
	}
	c.fd = node_open(id, 0);
	UNIT_NEED(c.fd >= 0);
	point_hold("register", id);
	UNIT_NEED(!pthread_create(&thread, NULL, call, &c));
	CU_ASSERT(point_reached("register", LIMIT_MS));
	UNIT_EQ(mprotect(c.arg, PAGE, PROT_READ), 0);
	points_release();
	pthread_join(thread, NULL);
	UNIT_EQ(c.result, -EFAULT);
	UNIT_EQ(mprotect(c.arg, PAGE, PROT_READ | PROT_WRITE), 0);
	memcpy(c.arg, from, size);
	UNIT_EQ(abi(c.fd, nr, c.arg), 0);
	UNIT_EQ(abi(c.fd, nr, memcpy(c.arg, from, size)), -EBUSY);
	close(c.fd);
	munmap(c.arg, PAGE);
}

static void ring_of_a_stream(void)
{
	const struct roc_st_ring ring = {.size = sizeof(ring), .length = 64 * KIB};

	uncommitted(STREAM_ID, ROC_ST_RING, &ring, sizeof(ring));
}

static void rings_of_a_sub_unit(void)
{
	const struct roc_fr_rings rings = {.size = sizeof(rings), .pages = 64};

	uncommitted(SUB_ID, ROC_FR_RINGS, &rings, sizeof(rings));
}

UNIT_MAIN("uncommitted", {"ring of a stream", ring_of_a_stream},
	  {"rings of a sub-unit", rings_of_a_sub_unit})
