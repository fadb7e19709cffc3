// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test that the ioctls of streams refuse invalid arguments and support longer structures, as abi.c
 * does for the core and pools. A table has valid arguments for each ioctl; every test makes one of
 * them invalid.
 */
#include "common/case.h"
#include "common/reader.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE 4096u
#define RING (64u * KIB)

/* A stopped stream with a ring, and its endpoint. */
static int ep_fd = -1, ch_fd = -1;

static int stop_it(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};

	return abi(ch_fd, ROC_ST_STOP, &stop);
}

static void make_stopped(void *arg)
{
	stop_it();
}

static void make_ring(void *arg)
{
	((struct roc_st_ring *)arg)->length = RING;
}

static void make_reset(void *arg)
{
	((struct roc_st_reset *)arg)->level = ROC_ST_RESET_COUNTERS;
}

#define NO_FIELD 0xffff
#define AT(type, field) offsetof(struct type, field)

static const struct call {
	const char *name;
	unsigned long nr;
	size_t size;  /* of the header that the test was built with */
	size_t first; /* as first published */
	bool channel;
	int result; /* of a valid call */
	void (*make)(void *arg);
	uint16_t zero[4]; /* members that must be 0; NO_FIELD ends the list */
} calls[] = {
	{"INFO", ROC_ST_INFO, sizeof(struct roc_st_info), 304, true, 0, NULL, {NO_FIELD}},
	{"RING",
	 ROC_ST_RING,
	 sizeof(struct roc_st_ring),
	 104,
	 true,
	 -EBUSY,
	 make_ring,
	 {AT(roc_st_ring, reason), AT(roc_st_ring, limit), AT(roc_st_ring, pinned), NO_FIELD}},
	{"SETTINGS",
	 ROC_ST_SETTINGS,
	 sizeof(struct roc_st_settings),
	 72,
	 true,
	 0,
	 NULL,
	 {NO_FIELD}},
	{"START",
	 ROC_ST_START,
	 sizeof(struct roc_st_start),
	 16,
	 true,
	 0,
	 make_stopped,
	 {AT(roc_st_start, reserved), NO_FIELD}},
	{"STOP",
	 ROC_ST_STOP,
	 sizeof(struct roc_st_stop),
	 16,
	 true,
	 -EALREADY,
	 make_stopped,
	 {AT(roc_st_stop, position), AT(roc_st_stop, lost), NO_FIELD}},
	{"CONSUME",
	 ROC_ST_CONSUME,
	 sizeof(struct roc_st_consume),
	 16,
	 true,
	 0,
	 NULL,
	 {AT(roc_st_consume, available), NO_FIELD}},
	{"WAIT",
	 ROC_ST_WAIT,
	 sizeof(struct roc_st_wait),
	 24,
	 true,
	 0,
	 NULL,
	 {AT(roc_st_wait, written), AT(roc_st_wait, unreported), AT(roc_st_wait, reserved),
	  NO_FIELD}},
	{"RESET", ROC_ST_RESET, sizeof(struct roc_st_reset), 16, true, 0, make_reset, {NO_FIELD}},
	{"INFO of the card",
	 ROC_ST_INFO,
	 sizeof(struct roc_st_info),
	 304,
	 false,
	 0,
	 NULL,
	 {NO_FIELD}},
	{"SETTINGS of the card",
	 ROC_ST_SETTINGS,
	 sizeof(struct roc_st_settings),
	 72,
	 false,
	 0,
	 NULL,
	 {NO_FIELD}},
	{"RESET of the card",
	 ROC_ST_RESET,
	 sizeof(struct roc_st_reset),
	 16,
	 false,
	 0,
	 make_reset,
	 {NO_FIELD}},
	{"CARD",
	 ROC_ST_CARD,
	 sizeof(struct roc_st_card),
	 32,
	 false,
	 0,
	 NULL,
	 {AT(roc_st_card, reserved), NO_FIELD}},
};

static bool set_up(void)
{
	struct roc_st_ring ring = {.size = sizeof(ring), .length = RING};

	if (ep_fd < 0) {
		emu_normal_p40(CARD0);
		ep_fd = node_open(P40_ID, -1);
		ch_fd = node_open(P40_ID, 0);
		if (ep_fd < 0 || ch_fd < 0 || abi(ch_fd, ROC_ST_RING, &ring))
			return false;
	}
	stop_it();
	return true;
}

static int fd_of(const struct call *c)
{
	return c->channel ? ch_fd : ep_fd;
}

static void make(const struct call *c, void *arg, size_t room)
{
	memset(arg, 0, room);
	*(uint32_t *)arg = c->size;
	if (c->make)
		c->make(arg);
}

static void is(const struct call *c, int got, int want)
{
	if (got != want)
		unit_note("%s: %d, not %d", c->name, got, want);
	CU_ASSERT_EQUAL(got, want);
}

static void sizes(void)
{
	static uint8_t arg[2 * PAGE] __attribute__((aligned(8)));
	static const uint32_t more[] = {1, 4, 8, 100};
	uint32_t *size = (uint32_t *)arg, short_one;
	size_t i, k, at;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];

		CU_ASSERT(c->size >= c->first);
		make(c, arg, sizeof(arg));
		is(c, abi(fd_of(c), c->nr, arg), c->result);
		/* The structure of an older caller ends where it was first published. */
		make(c, arg, sizeof(arg));
		*size = c->first;
		memset(arg + c->first, 0x5a, 64);
		is(c, abi(fd_of(c), c->nr, arg), c->result);
		for (at = 0; at < 64; at++)
			CU_ASSERT_EQUAL(arg[c->first + at], 0x5a);
		for (short_one = 0; short_one < c->first; short_one++) {
			make(c, arg, sizeof(arg));
			*size = short_one;
			is(c, abi(fd_of(c), c->nr, arg), -EINVAL);
		}
		for (k = 0; k < N(more); k++) {
			make(c, arg, sizeof(arg));
			*size = c->size + more[k];
			/* Bytes beyond the structure: the kernel neither reads nor writes them. */
			memset(arg + c->size + more[k], 0x5a, 64);
			is(c, abi(fd_of(c), c->nr, arg), c->result);
			for (at = 0; at < 64; at++)
				CU_ASSERT_EQUAL(arg[c->size + more[k] + at], 0x5a);
			UNIT_EQ(*size, c->size + more[k]);
			make(c, arg, sizeof(arg));
			*size = c->size + more[k];
			arg[c->size + more[k] - 1] = 1;
			is(c, abi(fd_of(c), c->nr, arg), -E2BIG);
		}
		make(c, arg, sizeof(arg));
		*size = PAGE + 1;
		is(c, abi(fd_of(c), c->nr, arg), -E2BIG);
	}
	stop_it();
}

static void flags_and_reserved(void)
{
	static uint8_t arg[512] __attribute__((aligned(8)));
	unsigned int bit, byte;
	size_t i, k;

	UNIT_NEED(set_up());
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];

		for (bit = 0; bit < 32; bit++) {
			make(c, arg, sizeof(arg));
			((uint32_t *)arg)[1] = 1u << bit;
			is(c, abi(fd_of(c), c->nr, arg), -EINVAL);
		}
		for (k = 0; k < N(c->zero) && c->zero[k] != NO_FIELD; k++) {
			for (byte = 0; byte < 4; byte++) {
				make(c, arg, sizeof(arg));
				arg[c->zero[k] + byte] = 0x80;
				is(c, abi(fd_of(c), c->nr, arg), -EINVAL);
			}
		}
	}
	/* None of these calls started it. */
	UNIT_EQ(stop_it(), -EALREADY);
}

static void bad_pointers(void)
{
	uint8_t *two =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	UNIT_NEED(set_up());
	UNIT_NEED(two != MAP_FAILED && !munmap(two + PAGE, PAGE));
	for (i = 0; i < N(calls); i++) {
		const struct call *c = &calls[i];
		uint8_t *fits = two + PAGE - c->size, *over = fits + 4;

		make(c, fits, c->size);
		memmove(over, fits, c->size - 4);
		is(c, abi(fd_of(c), c->nr, over), -EFAULT);
		is(c, abi(fd_of(c), c->nr, NULL), -EFAULT);
		/* The result cannot be copied out. */
		make(c, fits, c->size);
		UNIT_NEED(!mprotect(two, PAGE, PROT_READ));
		is(c, abi(fd_of(c), c->nr, fits), -EFAULT);
		UNIT_NEED(!mprotect(two, PAGE, PROT_READ | PROT_WRITE));
		/* Then the call has no effect: the stream does not run, and ... */
		UNIT_EQ(stop_it(), -EALREADY);
	}
	munmap(two, PAGE);
}

/* ... there is no ring. */
static void ring_not_copied_out(void)
{
	struct roc_st_ring *ring =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = node_open(P40_ID, P40_STREAM_ODIN);

	UNIT_NEED(fd >= 0 && ring != MAP_FAILED);
	*ring = (struct roc_st_ring){.size = sizeof(*ring), .length = RING};
	UNIT_NEED(!mprotect(ring, PAGE, PROT_READ));
	UNIT_EQ(abi(fd, ROC_ST_RING, ring), -EFAULT);
	UNIT_EQ(pinned_by(0), ch_fd >= 0 ? RING / PAGE + 4 : 0);
	UNIT_NEED(!mprotect(ring, PAGE, PROT_READ | PROT_WRITE));
	UNIT_EQ(abi(fd, ROC_ST_RING, ring), 0);
	close(fd);
	munmap(ring, PAGE);
}

/* Ioctls of pools fail on a stream, and ioctls of a stream fail on the endpoint. */
static void calls_of_others(void)
{
	uint32_t arg[128] = {sizeof(arg)};

	UNIT_NEED(set_up());
	UNIT_EQ(abi(ch_fd, ROC_CH_RINGS, arg), -ENOTTY);
	UNIT_EQ(abi(ch_fd, ROC_CH_KICK, arg), -ENOTTY);
	UNIT_EQ(abi(ch_fd, ROC_ST_CARD, arg), -ENOTTY);
	UNIT_EQ(abi(ep_fd, ROC_ST_RING, arg), -ENOTTY);
	UNIT_EQ(abi(ep_fd, ROC_ST_CONSUME, arg), -ENOTTY);
	close(ch_fd);
	close(ep_fd);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("stream_abi", {"sizes", sizes}, {"flags and reserved members", flags_and_reserved},
	  {"bad pointers", bad_pointers},
	  {"ring whose result cannot be copied out", ring_not_copied_out},
	  {"calls of others", calls_of_others})
