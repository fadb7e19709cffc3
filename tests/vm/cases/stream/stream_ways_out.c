// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test how a stream's use ends while data flow: its opener is killed, the driver is unbound, the
 * function is reset. Afterwards the card writes no more, memory is freed, and remaining mappings
 * are harmless.
 */
#include "common/case.h"
#include "common/cgroup.h"
#include "common/reader.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/way.h"

/* Write twice: the first write faults in the page behind the mapping, the second one uses it. */
static bool bell_reaches_the_card(struct reader *r)
{
	uint64_t before = emu_touched(CARD0, 0, P40_BAR_DMA, P40_DOORBELL(r->stream)).writes;

	reader_consume(r, r->read, true);
	reader_consume(r, r->read, true);
	return emu_touched(CARD0, 0, P40_BAR_DMA, P40_DOORBELL(r->stream)).writes != before;
}

static void start(struct reader *r)
{
	UNIT_NEED(reader_open(r));
	reader_generate(r, 0, 1000, 1000, 20000, 0, 0);
	UNIT_NEED(reader_start(r));
	CU_ASSERT(reader_run(r, 100, 5000));
	READER_OK(r);
	CU_ASSERT(bell_reaches_the_card(r));
}

static void works(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/* More pages than the kernel caches for stacks of ended processes: 52 KB were seen. */
#define OPENERS 31

struct opener {
	uint64_t ring, events;
	volatile int flows;
};

static int hold(void *arg)
{
	struct opener *h = arg;
	struct reader r = {.ring = h->ring};

	if (cgroup_enter() || !reader_open(&r))
		return 1;
	reader_generate(&r, 0, 1000, 1000, 0, 0, 0);
	if (!reader_start(&r) || !reader_run(&r, h->events, 10000))
		return 2;
	h->flows = 1;
	for (;;)
		reader_run(&r, r.events + 100, 1000);
}

static void kill_opener(uint64_t ring, uint64_t events)
{
	struct opener *h = shared_alloc(sizeof(*h));
	pid_t pid;

	h->ring = ring;
	h->events = events;
	pid = child_start(AS_ROOT, hold, h);
	UNIT_NEED(UNIT_WAIT(h->flows, 10000));
	UNIT_EQ(atoi(node_attr(P40_ID, 0, "owner_pid")), pid);
	UNIT_EQ(pinned_by(pid), (ring >> 12) + 4);
	CU_ASSERT(cgroup_bytes() >= (int64_t)ring);
	child_kill(pid);
	CU_ASSERT(UNIT_WAIT(!strcmp(node_attr(P40_ID, 0, "owner_pid"), "0"), 5000));
	shared_free(h, sizeof(*h));
}

/*
 * Every page of its ring is freed. Temporary leftovers are less than a page for each opener, so a
 * leak of one page each would show.
 */
static void opener_killed(void)
{
	unsigned int i;

	emu_normal_p40(CARD0);
	UNIT_NEED(cgroup_make());
	kill_opener(64 * MIB, 1000);
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	for (i = 0; i < OPENERS; i++)
		kill_opener(64 * KIB, 10);
	CU_ASSERT(UNIT_WAIT(cgroup_left() < (OPENERS + 1) * 4096, 5000));
	unit_note("%lld bytes are left", (long long)cgroup_bytes());
	CU_ASSERT(cgroup_end());
	works();
}

/* The card is gone: the reader wakes up from every wait, and its mappings stay. */
static void sees_removal(struct reader *r)
{
	struct roc_st_consume c = {.size = sizeof(c)};
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	uint8_t byte = r->base[0];

	CU_ASSERT(UNIT_WAIT(r->kernel->flags & ROC_ST_GONE, 5000));
	CU_ASSERT(r->kernel->flags & ROC_ST_STOPPED);
	UNIT_EQ(poll(&p, 1, 0), 1);
	CU_ASSERT(p.revents & POLLERR && p.revents & POLLHUP);
	UNIT_EQ(reader_wait(r, 100), -ENODEV);
	UNIT_EQ(abi(r->fd, ROC_ST_CONSUME, &c), -ENODEV);
	CU_ASSERT(emu_idle(CARD0, 0, 50));
	/* Data in memory stay readable, and the doorbell has no effect. */
	UNIT_EQ(r->base[0], byte);
	UNIT_EQ(r->base[r->ring], byte);
	reader_take(r, false);
	READER_OK(r);
	CU_ASSERT(!bell_reaches_the_card(r));
	CU_ASSERT(mmap(NULL, r->made.ring_length, PROT_READ, MAP_SHARED, r->fd,
		       r->made.ring_offset) == MAP_FAILED &&
		  errno == ENODEV);
}

static int sleeper(void *arg)
{
	struct reader *r = arg;
	struct roc_st_wait w = {.size = sizeof(w)};

	w.position = r->read + reader_lines(r);
	w.deadline = now_ns() + 20000000000ull;
	return abi(r->fd, ROC_ST_WAIT, &w) == -ENODEV ? 0 : 1;
}

static void driver_unbound(void)
{
	struct reader r = {.ring = 64 * KIB};
	char address[32];
	pid_t pid;

	emu_normal_p40(CARD0);
	strcpy(address, pci_address(P40_ID));
	start(&r);
	/* The ring is full: the waiter's threshold cannot be reached. */
	pid = child_start(AS_ROOT, sleeper, &r);
	sleep_ms(20);
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(child_wait(pid, 10000), 0);
	sees_removal(&r);
	UNIT_EQ(module_unload(0), -EWOULDBLOCK);
	CU_ASSERT(driver_bind(address));
	/* Another card with the same name does not belong to this reader. */
	UNIT_EQ(reader_wait(&r, 100), -ENODEV);
	CU_ASSERT(!bell_reaches_the_card(&r));
	works();
	reader_close(&r);
}

static void function_reset(void)
{
	struct reader r = {.ring = 64 * KIB};
	char path[96];

	emu_normal_p40(CARD0);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci_address(P40_ID));
	start(&r);
	UNIT_EQ(put_text(path, "1"), 0);
	sees_removal(&r);
	/* Until close the stream belongs to this reader, which can do nothing with it. */
	UNIT_EQ(node_open(P40_ID, 0), -EBUSY);
	reader_close(&r);
	works();
}

UNIT_MAIN("stream_ways_out", {"opener killed", opener_killed}, {"driver unbound", driver_unbound},
	  {"function reset", function_reset})
