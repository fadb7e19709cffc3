// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test streams by the ABI: a ring of the driver, mapped twice and read in place; access rights;
 * settings; full rings, exact to the event.
 */
#include "stream/stream_case.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096ul

/* A unit across the ring's end is read in place, byte for byte. */
static void packets_over_the_wrap(void)
{
	struct reader r = {.ring = 64 * KIB};

	start(&r);
	UNIT_EQ(r.made.ring_length, 2 * r.ring);
	reader_set(&r, STREAM_SET_PACK_BYTES, 8 * KIB + 64);
	reader_generate(&r, 1000, 1, 3000, 0, 2000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 2000, 20000));
	CU_ASSERT(r.straddled > 10);
	UNIT_EQ(r.gaps, 0);
	finish(&r);
	UNIT_STR(node_attr(P40_ID, 0, "events"), "2000");
}

/* The count of lines wraps at 2^31 and 2^32 without effect on the data. */
static void counts_over_32_bits(void)
{
	static const uint32_t origins[] = {0xffffffff - 300, 0x7fffffff - 300};
	size_t i;

	for (i = 0; i < N(origins); i++) {
		struct reader r = {.ring = 64 * KIB, .position = origins[i]};

		start(&r);
		reader_generate(&r, 0xfffffff0, 900, 900, 0, 400, 0);
		UNIT_NEED(reader_start(&r));
		CU_ASSERT(reader_run(&r, 400, 10000));
		CU_ASSERT((int32_t)(r.read - origins[i]) > 4000);
		UNIT_EQ(reader_info(&r).written, r.read);
		UNIT_EQ(reader_info(&r).bad_index, 0);
		finish(&r);
	}
}

static void all_streams_at_once(void)
{
	struct reader r[P40_STREAMS];
	unsigned int s;

	emu_normal_p40(CARD0);
	/* Start main last, so that meta has a record of each of its packets. */
	for (s = P40_STREAMS; s-- > 0;) {
		r[s] = (struct reader){.stream = s, .ring = 128 * KIB};
		UNIT_NEED(reader_open(&r[s]));
		if (s != P40_STREAM_META)
			reader_generate(&r[s], 100 * s, 256, 256, 0, 500, 0);
		UNIT_NEED(reader_start(&r[s]));
	}
	for (s = 0; s < P40_STREAMS; s++) {
		if (s != P40_STREAM_META)
			CU_ASSERT(reader_run(&r[s], 500, 10000));
		READER_OK(&r[s]);
	}
	CU_ASSERT(UNIT_WAIT((reader_take(&r[1], true), r[1].units == r[0].units), 2000));
	for (s = 0; s < P40_STREAMS; s++)
		finish(&r[s]);
}

static int map_err(int fd, size_t length, int prot, int flags, uint64_t offset)
{
	void *p = mmap(NULL, length, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, length);
	return 0;
}

static void write_word(void *p)
{
	*(volatile uint32_t *)p = 1;
}

static void mappings(void)
{
	const struct roc_st_ring *m;
	struct reader r = {.ring = 64 * KIB};
	uint8_t *twice;

	start(&r);
	m = &r.made;
	UNIT_EQ(map_err(r.fd, m->ring_length / 2, PROT_READ, MAP_SHARED, m->ring_offset), -EINVAL);
	UNIT_EQ(map_err(r.fd, m->ring_length + PAGE, PROT_READ, MAP_SHARED, m->ring_offset),
		-EINVAL);
	UNIT_EQ(map_err(r.fd, m->ring_length, PROT_READ, MAP_PRIVATE, m->ring_offset), -EINVAL);
	UNIT_EQ(map_err(r.fd, m->ring_length, PROT_READ, MAP_SHARED, m->ring_offset + PAGE),
		-EINVAL);
	UNIT_EQ(map_err(r.fd, m->control_length, PROT_READ | PROT_WRITE, MAP_SHARED,
			m->control_offset),
		-EPERM);
	UNIT_EQ(map_err(r.fd, m->control_length, PROT_READ, MAP_PRIVATE, m->control_offset),
		-EINVAL);
	UNIT_EQ(map_err(r.fd, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, m->user_offset),
		-EINVAL);
	UNIT_EQ(map_err(r.fd, 2 * PAGE, PROT_WRITE, MAP_SHARED, m->bell_offset), -EINVAL);
	UNIT_EQ(map_err(r.fd, PAGE, PROT_READ, MAP_SHARED, 0), -EINVAL);
	CU_ASSERT(mprotect((void *)r.kernel, m->control_length, PROT_READ | PROT_WRITE) &&
		  errno == EACCES);
	UNIT_EQ(faults(write_word, (void *)r.state), SIGSEGV);
	CU_ASSERT(mremap(r.base, m->ring_length, m->ring_length + PAGE, MREMAP_MAYMOVE) ==
		  MAP_FAILED);
	/* The same bytes twice. */
	twice = mmap(NULL, m->ring_length, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd,
		     m->ring_offset);
	UNIT_NEED(twice != MAP_FAILED);
	CU_ASSERT(!twice[5] && !twice[r.ring - 1]);
	twice[5] = 0x5a;
	twice[2 * r.ring - 1] = 0xa5;
	UNIT_EQ(r.base[r.ring + 5], 0x5a);
	UNIT_EQ(r.base[r.ring - 1], 0xa5);
	munmap(twice, m->ring_length);
	reader_close(&r);
}

static int ring_err(int fd, uint64_t length, struct roc_st_ring *ring)
{
	*ring = (struct roc_st_ring){.size = sizeof(*ring), .length = length};
	return abi(fd, ROC_ST_RING, ring);
}

static int small_memlock(void *unused)
{
	struct rlimit limit = {MIB, MIB};
	struct roc_st_ring ring;
	int fd = node_open(P40_ID, 0);

	if (fd < 0 || setrlimit(RLIMIT_MEMLOCK, &limit))
		return 1;
	if (ring_err(fd, 2 * MIB, &ring) != -ENOMEM || ring.reason != ROC_REASON_MEMLOCK ||
	    ring.limit != MIB)
		return 2;
	return ring_err(fd, 512 * KIB, &ring) ? 3 : 0;
}

static void bad_rings(void)
{
	static const uint64_t bad[] = {0, 1, 4096, 32 * KIB, 64 * KIB + 64, 3 * MIB, 1ull << 37};
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_start begin = {.size = sizeof(begin)};
	struct roc_st_ring ring;
	size_t i;
	int fd;

	emu_normal_p40(CARD0);
	fd = node_open(P40_ID, 0);
	UNIT_NEED(fd >= 0);
	UNIT_EQ(abi(fd, ROC_ST_START, &begin), -EPIPE);
	UNIT_EQ(map_err(fd, 128 * KIB, PROT_READ, MAP_SHARED, 0x40ull << 32), -EPIPE);
	for (i = 0; i < N(bad); i++)
		UNIT_EQ(ring_err(fd, bad[i], &ring), -EINVAL);
	/*
	 * A ring beyond the card's or the machine's limits: the call fails without a change and
	 * without a kernel warning.
	 */
	UNIT_EQ(ring_err(fd, 1ull << 36, &ring), -EOPNOTSUPP);
	UNIT_EQ(ring.reason, ROC_REASON_LENGTH);
	UNIT_EQ(ring.limit, 1ull << P40_RING_MAX);
	UNIT_EQ(ring_err(fd, 1ull << P40_RING_MAX, &ring), -ENOMEM);
	UNIT_EQ(ring.reason, ROC_REASON_NONE);
	close(fd);
	UNIT_EQ(child_run(AS_READER, small_memlock, NULL, 10000), 0);
	start(&r);
	UNIT_EQ(ring_err(r.fd, 64 * KIB, &ring), -EBUSY);
	reader_close(&r);
}

static void one_opener(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info = {.size = sizeof(info)};
	int fd;

	start(&r);
	UNIT_EQ(node_open(P40_ID, 0), -EBUSY);
	UNIT_EQ(atoi(node_attr(P40_ID, 0, "owner_pid")), getpid());
	UNIT_STR(node_attr(P40_ID, 0, "kind"), "stream");
	UNIT_STR(node_attr(P40_ID, 0, "stream"), "main");
	UNIT_STR(node_attr(P40_ID, 6, "stream"), "odin4");
	/* Every process sees it on the endpoint's node, and gets an error for an absent stream. */
	fd = node_open(P40_ID, -1);
	UNIT_NEED(fd >= 0);
	UNIT_EQ(abi(fd, ROC_ST_INFO, &info), 0);
	UNIT_EQ(info.owner, getpid());
	UNIT_EQ(info.ring, r.ring);
	UNIT_STR(info.name, "main");
	info.flags = 0;
	info.stream = P40_STREAMS;
	UNIT_EQ(abi(fd, ROC_ST_INFO, &info), -ENOENT);
	info = (struct roc_st_info){.size = sizeof(info), .stream = 1};
	UNIT_EQ(abi(r.fd, ROC_ST_INFO, &info), -ENOENT);
	close(fd);
	reader_close(&r);
}

static void settings(void)
{
	struct roc_st_settings s = {.size = sizeof(s)};
	struct roc_st_reset reset = {.size = sizeof(reset)};
	struct reader r = {.ring = 64 * KIB};
	int fd;

	start(&r);
	UNIT_EQ(set(r.fd, ROC_ST_SET_PACK_EVENTS, (struct roc_st_settings){.pack_events = 7}), 0);
	UNIT_EQ(set(r.fd, ROC_ST_SET_PACK_EVENTS, (struct roc_st_settings){}), -ERANGE);
	UNIT_EQ(set(r.fd, ROC_ST_SET_PACK_BYTES, (struct roc_st_settings){.pack_bytes = 100}),
		-ERANGE);
	UNIT_EQ(set(r.fd, ROC_ST_SET_POLICY, (struct roc_st_settings){.policy = 4}), -ERANGE);
	UNIT_EQ(set(r.fd, ROC_ST_SET_INTERRUPT_TIME,
		    (struct roc_st_settings){.interrupt_time = 1ull << 32}),
		-ERANGE);
	UNIT_EQ(set(r.fd, 1u << 31, s), -EINVAL);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER,
		    (struct roc_st_settings){.low_water = 64 * KIB + 1}),
		-EINVAL);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 64 * KIB}),
		0);
	UNIT_EQ(set(r.fd, ROC_ST_SET_LOW_WATER, (struct roc_st_settings){.low_water = 4096}), 0);
	reader_close(&r);
	/* Settings belong to the stream, not to the reader; others see and set them. */
	fd = node_open(P40_ID, -1);
	UNIT_EQ(abi(fd, ROC_ST_SETTINGS, &s), 0);
	UNIT_EQ(s.pack_events, 7);
	UNIT_EQ(s.low_water, 4096);
	UNIT_EQ(s.spill, P40_SPILL_MAIN);
	/* Settings that a stream does not have, and an absent stream. */
	UNIT_EQ(set(fd, ROC_ST_SET_PACK_EVENTS,
		    (struct roc_st_settings){.stream = P40_STREAM_ODIN, .pack_events = 7}),
		-EOPNOTSUPP);
	UNIT_EQ(set(fd, 0, (struct roc_st_settings){.stream = P40_STREAMS}), -ENOENT);
	/* Without a ring the card's longest ring is the limit. */
	UNIT_EQ(set(fd, ROC_ST_SET_LOW_WATER,
		    (struct roc_st_settings){.low_water = ROC_ST_RING_MAX + 1}),
		-EINVAL);
	UNIT_EQ(abi(fd, ROC_ST_RESET, &reset), 0);
	s = (struct roc_st_settings){.size = sizeof(s)};
	UNIT_EQ(abi(fd, ROC_ST_SETTINGS, &s), 0);
	UNIT_EQ(s.pack_events, 256);
	UNIT_EQ(s.low_water, 0);
	close(fd);
}

static int reset(int fd, uint32_t stream, uint32_t level)
{
	struct roc_st_reset r = {.size = sizeof(r), .stream = stream, .level = level};

	return abi(fd, ROC_ST_RESET, &r);
}

static void resets(void)
{
	struct roc_st_card card = {.size = sizeof(card)};
	struct reader r = {.ring = 64 * KIB};
	int fd;

	start(&r);
	fd = node_open(P40_ID, -1);
	reader_generate(&r, 0, 100, 100, 0, 50, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 50, 5000));
	/* Resets that would end the run are refused, of the stream and of the card. */
	UNIT_EQ(reset(r.fd, 0, ROC_ST_RESET_LOGIC), -EBUSY);
	UNIT_EQ(reset(fd, 0, ROC_ST_RESET_DEFAULT), -EBUSY);
	UNIT_EQ(reset(fd, ROC_ST_ALL, ROC_ST_RESET_LOGIC), -EBUSY);
	UNIT_EQ(reset(fd, 1, ROC_ST_RESET_LOGIC), 0);
	UNIT_EQ(reset(fd, P40_STREAMS, ROC_ST_RESET_LOGIC), -ENOENT);
	UNIT_EQ(reset(fd, 0, 4), -EINVAL);
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	UNIT_EQ(card.streams, P40_STREAMS);
	UNIT_EQ(card.enabled, 0x7f);
	UNIT_EQ(card.running, 1);
	UNIT_EQ(reset(fd, 0, ROC_ST_RESET_COUNTERS), 0);
	CU_ASSERT(UNIT_WAIT(!reader_info(&r).card.events, 1000));
	CU_ASSERT(reader_stop(&r));
	UNIT_EQ(reader_info(&r).card.events, 0);
	UNIT_EQ(reset(fd, 0, ROC_ST_RESET_LOGIC), -EBUSY);
	UNIT_EQ(reset(r.fd, 0, ROC_ST_RESET_LOGIC), 0);
	reader_close(&r);
	UNIT_EQ(reset(fd, 0, ROC_ST_RESET_LOGIC), 0);
	close(fd);
}

/* A masked source sends nothing until it is enabled. */
static void enable_mask(void)
{
	struct roc_st_card card = {.size = sizeof(card), .set = ROC_ST_CARD_ENABLED, .enabled = 0};
	struct reader r = {.ring = 64 * KIB};
	int fd;

	start(&r);
	fd = node_open(P40_ID, -1);
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	reader_generate(&r, 0, 100, 100, 0, 50, 0);
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(reader_wait(&r, 50), -ETIME);
	card = (struct roc_st_card){
		.size = sizeof(card), .set = ROC_ST_CARD_ENABLED, .enabled = 0x80};
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), -ENOENT);
	card = (struct roc_st_card){
		.size = sizeof(card), .set = ROC_ST_CARD_ENABLED, .enabled = 0x7f};
	UNIT_EQ(abi(fd, ROC_ST_CARD, &card), 0);
	CU_ASSERT(reader_run(&r, 50, 5000));
	close(fd);
	finish(&r);
}

static void consume(void)
{
	struct roc_st_consume c = {.size = sizeof(c)};
	struct roc_st_wait w = {.size = sizeof(w)};
	struct reader r = {.ring = 64 * KIB};
	uint32_t there;

	start(&r);
	reader_generate(&r, 0, 100, 100, 0, 50, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "events") == 50, 5000));
	there = reader_available(&r);
	CU_ASSERT(there > 1);
	c.lines = there + 1;
	UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &c), -ERANGE);
	UNIT_EQ(c.available, there);
	c = (struct roc_st_consume){.size = sizeof(c), .lines = ~0u};
	UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &c), -ERANGE);
	c = (struct roc_st_consume){.size = sizeof(c), .lines = there - 1};
	UNIT_EQ(abi(r.fd, ROC_ST_CONSUME, &c), 0);
	UNIT_EQ(c.available, 1);
	UNIT_EQ(r.user->read, there - 1);
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "read") == there - 1, 1000));
	/* A wait cannot go further than the first line behind a full ring. */
	w.position = there - 1 + reader_lines(&r) + 2;
	UNIT_EQ(abi(r.fd, ROC_ST_WAIT, &w), -EINVAL);
	w.position--;
	UNIT_EQ(abi(r.fd, ROC_ST_WAIT, &w), -ETIME);
	UNIT_EQ(w.written, there);
	CU_ASSERT(reader_stop(&r));
	reader_close(&r);
}

/* Without a reader the source waits, and nothing is lost. */
static void full_ring_waiting_source(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;

	start(&r);
	reader_generate(&r, 77, 1024, 1024, 0, 5000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.throttles == 1, 10000));
	CU_ASSERT(reader_available(&r) <= reader_lines(&r));
	CU_ASSERT(reader_run(&r, 5000, 30000));
	info = reader_info(&r);
	UNIT_EQ(r.gaps, 0);
	UNIT_EQ(info.card.throttled, 0);
	CU_ASSERT(info.card.throttle_time > 0);
	CU_ASSERT(info.card.throttle_first > 77 && info.card.throttle_first < 77 + 5000);
	finish(&r);
}

/* A detector does not wait: all lost events are counted exactly. */
static void full_ring_throttled(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;

	start(&r);
	reader_generate(&r, 0, 1024, 1024, 100000, 0, STREAM_GENERATOR_CLOCKED);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "throttled") > 100, 10000));
	reader_set(&r, STREAM_SET_GENERATOR, 0);
	/* All units that the card accepted are delivered. */
	CU_ASSERT(UNIT_WAIT(
		(reader_take(&r, true), reader_wait(&r, 10), !emu_stream(CARD0, 0, "waiting")),
		10000));
	CU_ASSERT(reader_stop(&r));
	reader_take(&r, true);
	info = reader_info(&r);
	UNIT_EQ(r.events, info.card.events);
	UNIT_EQ(info.card.throttles, 1);
	UNIT_EQ(r.gaps, 0);
	UNIT_EQ(info.card.throttle_from, r.event);
	UNIT_EQ(info.card.throttle_to - info.card.throttle_from + 1, info.card.throttled);
	UNIT_EQ(info.card.offered, info.card.events + info.card.throttled);
	READER_OK(&r);
	reader_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

/*
 * Every event comes; events of a full card come without data, and their numbers are known exactly.
 */
static void full_ring_truncated(void)
{
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;

	start(&r);
	UNIT_EQ(set(r.fd, ROC_ST_SET_POLICY, (struct roc_st_settings){.policy = ROC_ST_TRUNCATE}),
		0);
	reader_generate(&r, 0, 1024, 1024, 0, 10000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.truncated > 100, 20000));
	CU_ASSERT(reader_run(&r, 10000, 30000));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.events == 10000, 1000));
	info = reader_info(&r);
	UNIT_EQ(r.gaps, 0);
	UNIT_EQ(r.events, 10000);
	UNIT_EQ(r.truncated, info.card.truncated);
	UNIT_EQ(r.first_cut, info.card.truncate_first);
	UNIT_EQ(r.last_cut, info.card.truncate_to);
	UNIT_EQ(info.card.truncated_bytes, 1024 * info.card.truncated);
	finish(&r);
}

/* Data that a run could not write at its end are counted, and the stream can run again. */
static void stop_with_a_full_ring(void)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	struct reader r = {.ring = 64 * KIB};
	struct roc_st_info info;

	start(&r);
	reader_generate(&r, 0, 1024, 1024, 0, 3000, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).card.throttles == 1, 10000));
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), 0);
	CU_ASSERT(stop.lost > 0);
	CU_ASSERT(r.kernel->flags & ROC_ST_STOPPED);
	/* Data in the ring remain readable. */
	UNIT_EQ(reader_available(&r), stop.position);
	reader_take(&r, true);
	info = reader_info(&r);
	UNIT_EQ(r.events, info.card.events);
	UNIT_EQ(info.card.discarded, stop.lost);
	UNIT_EQ(info.state, ROC_CH_STOPPED);
	stop = (struct roc_st_stop){.size = sizeof(stop)};
	UNIT_EQ(abi(r.fd, ROC_ST_STOP, &stop), -EALREADY);
	r.event = 0;
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 3000, 20000));
	UNIT_EQ(reader_info(&r).run, 2);
	finish(&r);
}

/*
 * io_uring with the ring as a registered buffer: it pins the pages, which is impossible for a PFN
 * mapping.
 */
static int uring_write(int file, const void *base, size_t ring, const void *at, size_t length)
{
	struct io_uring_params p = {0};
	struct iovec iov = {(void *)base, ring};
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	uint8_t *sq, *cq;
	int fd = syscall(SYS_io_uring_setup, 4, &p), err = -1;

	if (fd < 0)
		return -errno;
	sq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
	sqe = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqe == MAP_FAILED ||
	    syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &iov, 1)) {
		err = -errno;
	} else {
		*sqe = (struct io_uring_sqe){.opcode = IORING_OP_WRITE_FIXED,
					     .fd = file,
					     .addr = (uintptr_t)at,
					     .len = length};
		((uint32_t *)(sq + p.sq_off.array))[0] = 0;
		__atomic_store_n((uint32_t *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
			err = -errno;
		cqe = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
		if (__atomic_load_n((uint32_t *)(cq + p.cq_off.tail), __ATOMIC_ACQUIRE))
			err = cqe->res;
	}
	close(fd);
	return err;
}

/*
 * By a pipe that holds the pages themselves, which every kernel supports for pages, and never for
 * PFNs.
 */
static int splice_write(int file, const void *at, size_t length)
{
	struct iovec iov = {(void *)at, length};
	ssize_t got = -1, put = -1;
	int pipes[2];

	if (pipe(pipes))
		return -errno;
	got = vmsplice(pipes[1], &iov, 1, 0);
	if (got > 0)
		put = splice(pipes[0], NULL, file, NULL, got, 0);
	close(pipes[0]);
	close(pipes[1]);
	return put;
}

static void written_straight_to_a_file(void)
{
	struct reader r = {.ring = 64 * KIB};
	uint32_t there, skip;
	uint8_t *base;
	char *copy;
	FILE *f;
	int err;

	start(&r);
	/* So that the data cross the ring's end. */
	reader_generate(&r, 0, 1024, 1024, 0, 30, 0);
	UNIT_NEED(reader_start(&r));
	CU_ASSERT(reader_run(&r, 30, 5000));
	skip = r.read * ROC_ST_LINE;
	reader_set(&r, STREAM_SET_LIMIT, 30 + 40);
	CU_ASSERT(UNIT_WAIT(emu_stream(CARD0, 0, "events") == 70, 5000));
	there = reader_available(&r) * ROC_ST_LINE;
	CU_ASSERT(skip + there > r.ring);
	f = tmpfile();
	copy = malloc(there);
	/* Pinning needs a writable mapping. */
	base = mmap(NULL, r.made.ring_length, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd,
		    r.made.ring_offset);
	UNIT_NEED(f && copy && base != MAP_FAILED);
	UNIT_EQ(splice_write(fileno(f), base + skip, there), (int)there);
	UNIT_EQ(pread(fileno(f), copy, there, 0), there);
	CU_ASSERT(!memcmp(copy, r.base + skip, there));
	CU_ASSERT(!ftruncate(fileno(f), 0) && !lseek(fileno(f), 0, SEEK_SET));
	memset(copy, 0, there);
	err = uring_write(fileno(f), base, r.made.ring_length, base + skip, there);
	munmap(base, r.made.ring_length);
	/* Older kernels register no file mapping at all, whatever the driver does. */
	if (err == -EOPNOTSUPP) {
		unit_note("this kernel's io_uring registers no such memory");
	} else {
		UNIT_EQ(err, (int)there);
		UNIT_EQ(pread(fileno(f), copy, there, 0), there);
		CU_ASSERT(!memcmp(copy, r.base + skip, there));
	}
	reader_take(&r, true);
	UNIT_EQ(r.events, 70);
	free(copy);
	fclose(f);
	finish(&r);
}

#define TRACE "/sys/kernel/tracing/"

/* Tracepoints of a run. */
static void traced(void)
{
	struct reader r = {.stream = P40_STREAM_ODIN, .ring = 64 * KIB};
	char node[32], line[128];

	snprintf(node, sizeof(node), "%s", node_path(P40_ID, r.stream) + strlen("/dev/"));
	start(&r);
	UNIT_EQ(put_text(TRACE "trace", ""), 0);
	UNIT_EQ(put_text(TRACE "events/roc/enable", "1"), 0);
	reader_generate(&r, 0, 64, 64, 0, 2, 0);
	reader_set(&r, STREAM_SET_GENERATOR, 0);
	UNIT_NEED(reader_start(&r));
	UNIT_EQ(reader_wait(&r, 1), -ETIME);
	reader_set(&r, STREAM_SET_GENERATOR, STREAM_GENERATOR_RUN);
	CU_ASSERT(reader_run(&r, 2, 5000));
	CU_ASSERT(UNIT_WAIT(reader_info(&r).interrupts > 0, 5000));
	finish(&r);
	UNIT_EQ(put_text(TRACE "events/roc/enable", "0"), 0);
	UNIT_EQ(RUN("cat " TRACE "trace"), 0);
	snprintf(line, sizeof(line), "roc_run_start: %s run=1 reason=0 count=0", node);
	OUTPUT_HAS(line);
	snprintf(line, sizeof(line), "roc_queue_arm: %s purpose=0 count=0 seen=0", node);
	OUTPUT_HAS(line);
	snprintf(line, sizeof(line), "roc_queue_interrupt: %s purpose=0 count=", node);
	OUTPUT_HAS(line);
	snprintf(line, sizeof(line), "roc_run_end: %s run=1 reason=0 count=2", node);
	OUTPUT_HAS(line);
}

UNIT_MAIN("stream", {"packets over the wrap", packets_over_the_wrap},
	  {"counts over 32 bits", counts_over_32_bits},
	  {"all streams at once", all_streams_at_once}, {"mappings", mappings},
	  {"bad rings", bad_rings}, {"one opener", one_opener}, {"settings", settings},
	  {"resets", resets}, {"enable mask", enable_mask}, {"consume", consume},
	  {"full ring, waiting source", full_ring_waiting_source},
	  {"full ring, throttled", full_ring_throttled},
	  {"full ring, truncated", full_ring_truncated},
	  {"stop with a full ring", stop_with_a_full_ring},
	  {"written straight to a file", written_straight_to_a_file}, {"traced", traced})
