// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams over a kernel made of a few lines: the linker turns the library's open(), ioctl(),
 * mmap(), roc_find() and roc_channel_owner() into ours. The ring is memory that is mapped twice, as
 * the driver maps it; card and kernel are this test.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include <roc/lend.h>
#include <roc/stream.h>

#include "kmod/stream/stream_packet.h"
#include "libroc/core/lend.h"
#include "libroc/core/libroc.h"
#include "libroc/core/stream.h"
#include "tests/unit/libroc/libroc_says.h"
#include "unit.h"

#include "tests/unit/libroc/holes.h"

#include "fake_address.h"
#include "wrap_ioctl.h"
#include "wrap_mmap.h"

#define FAILS(call, err, text)                                                                     \
	do {                                                                                       \
		UNIT_EQ(call, err);                                                                \
		SAYS(text);                                                                        \
	} while (0)

#define RING ROC_ST_RING_MIN
#define LINES (RING / ROC_ST_LINE)
/* Offsets in the file that stands for the node. */
#define CONTROL_AT RING
#define USER_AT (RING + 8192)
#define BELL_AT (RING + 12288)
#define FILE_END (RING + 16384)

static const char *const names[] = {"main", "meta", "odin0"};

static struct {
	int open_errno, errno_; /* of the next call */
	int start_errno;	/* of a start, when the positions are set back */
	bool pools;		/* the endpoint has no streams */
	bool no_bell;
	unsigned int calls;
	unsigned long request; /* last one */
	union {
		struct roc_st_ring ring;
		struct roc_st_settings settings;
		struct roc_st_reset reset;
		struct roc_st_wait wait;
		struct roc_st_card card;
	} in, out;
	uint32_t arrive; /* lines that a wait brings */
	uint32_t state, why;
	char opened[64];

	char *area; /* all of the file, for us */
	struct roc_st_kernel *kernel;
	struct roc_st_state *card;
	struct roc_st_user *user;
	uint32_t *bell;
} fake;

int __wrap_open(const char *path, int flags, ...);
int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size);

int __wrap_open(const char *path, int flags, ...)
{
	int fd;

	snprintf(fake.opened, sizeof(fake.opened), "%s", path);
	if (fake.open_errno && strstr(path, "ch")) {
		errno = fake.open_errno;
		return -1;
	}
	fd = memfd_create("node", MFD_CLOEXEC);
	UNIT_EQ(ftruncate(fd, FILE_END), 0);
	return fd;
}

int __wrap_roc_find(const char *id, struct roc_card *card)
{
	*card = (struct roc_card){.type = ROC_CARD_P40, .channels = 3};
	strcpy(card->node, "/dev/roc3");
	strcpy(card->pci_address, FAKE_ADDRESS);
	return strcmp(id, "245") ? roc_fail(ENOENT, "no such card") : 0;
}

int __wrap_roc_channel_owner(const char *id, unsigned int channel, int *pid, char *name,
			     size_t size)
{
	UNIT_EQ(channel, 1);
	*pid = 4711;
	snprintf(name, size, "roc-stream");
	return 0;
}

static void *on_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	char *twice;

	if (flags != MAP_SHARED)
		return __real_mmap(at, length, prot, flags, fd, offset);
	if (offset)
		return __real_mmap(at, length, prot, flags, fd, offset);
	UNIT_EQ(length, 2 * RING);
	twice = __real_mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(twice != MAP_FAILED);
	UNIT_NEED(__real_mmap(twice, RING, prot, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	UNIT_NEED(__real_mmap(twice + RING, RING, prot, MAP_SHARED | MAP_FIXED, fd, 0) !=
		  MAP_FAILED);
	return twice;
}

static void make_ring(int fd, struct roc_st_ring *ring)
{
	fake.area = __real_mmap(NULL, FILE_END, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	UNIT_NEED(fake.area != MAP_FAILED);
	fake.kernel = (void *)(fake.area + CONTROL_AT);
	fake.card = (void *)(fake.area + CONTROL_AT + 4096);
	fake.user = (void *)(fake.area + USER_AT);
	fake.bell = (void *)(fake.area + BELL_AT);
	ring->ring_length = 2 * RING;
	ring->control_offset = CONTROL_AT;
	ring->control_length = 8192;
	ring->user_offset = USER_AT;
	ring->user_length = 4096;
	ring->bell_offset = BELL_AT;
	ring->bell_length = fake.no_bell ? 0 : 4096;
}

static int get_info(struct roc_st_info *info)
{
	if (fake.pools) {
		errno = ENOTTY;
		return -1;
	}
	if (info->stream >= 3) {
		errno = ENOENT;
		return -1;
	}
	strcpy(info->name, names[info->stream]);
	info->state = fake.state;
	info->why = fake.why;
	return 0;
}

static int on_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == ROC_EP_INFO) {
		((struct roc_ep_info *)arg)->caps = fake.pools ? 0 : ROC_CAP_STREAMS;
		return 0;
	}
	fake.request = request;
	fake.calls++;
	if (fake.errno_) {
		errno = fake.errno_;
		fake.errno_ = 0;
		if (request == ROC_ST_RING)
			memcpy((char *)arg + offsetof(struct roc_st_ring, why), &fake.out.ring.why,
			       sizeof(fake.out.ring) - offsetof(struct roc_st_ring, why));
		return -1;
	}
	switch (request) {
	case ROC_ST_INFO:
		return get_info(arg);
	case ROC_ST_RING:
		fake.in.ring = *(struct roc_st_ring *)arg;
		make_ring(fd, arg);
		return 0;
	case ROC_ST_START:
		fake.user->read = ((struct roc_st_start *)arg)->position;
		fake.user->taken = fake.user->read;
		fake.card->written = fake.user->read;
		if (fake.start_errno) {
			errno = fake.start_errno;
			return -1;
		}
		fake.kernel->flags = 0;
		fake.kernel->run++;
		return 0;
	case ROC_ST_STOP:
		((struct roc_st_stop *)arg)->lost = 17;
		if (fake.kernel)
			fake.kernel->flags = ROC_ST_STOPPED;
		return 0;
	case ROC_ST_SETTINGS:
		fake.in.settings = *(struct roc_st_settings *)arg;
		*(struct roc_st_settings *)arg = fake.out.settings;
		return 0;
	case ROC_ST_RESET:
		fake.in.reset = *(struct roc_st_reset *)arg;
		return 0;
	case ROC_ST_CARD:
		fake.in.card = *(struct roc_st_card *)arg;
		((struct roc_st_card *)arg)->streams = 3;
		return 0;
	case ROC_ST_WAIT:
		fake.in.wait = *(struct roc_st_wait *)arg;
		fake.card->written += fake.arrive;
		fake.arrive = 0;
		if ((int32_t)(fake.card->written - fake.in.wait.position) >= 0 ||
		    fake.state != ROC_CH_RUNNING)
			return 0;
		errno = ETIME;
		return -1;
	case ROC_CH_EVENTFD:
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

static struct roc_stream *stream(const char *name)
{
	struct roc_stream *s = NULL;

	memset(&fake, 0, sizeof(fake));
	fake.state = ROC_CH_RUNNING;
	UNIT_NEED(!roc_stream_open("245", name, &s));
	return s;
}

/* With a ring, running from @position. */
static struct roc_stream *running(uint32_t position)
{
	struct roc_stream *s = stream("main");

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_stream_start(s, position));
	return s;
}

static void finish(struct roc_stream *s)
{
	roc_stream_close(s);
	if (fake.area)
		munmap(fake.area, FILE_END);
	fake.area = NULL;
}

static void opening(void)
{
	struct roc_stream *s = stream("meta");
	struct roc_endpoint *ep;
	unsigned int number = 77;

	UNIT_EQ(roc_stream_number(s), 1);
	UNIT_STR(roc_stream_name(s), "meta");
	UNIT_STR(fake.opened, "/dev/roc3ch1");
	CU_ASSERT_TRUE(roc_stream_fd(s) >= 0);
	finish(s);
	s = stream("2");
	UNIT_STR(roc_stream_name(s), "odin0");
	UNIT_STR(fake.opened, "/dev/roc3ch2");
	finish(s);
	FAILS(roc_stream_open("999", "main", &s), -ENOENT, "no such card");
	FAILS(roc_stream_open("245", "odin1", &s), -ENOENT,
	      "no stream 'odin1'; it has main, meta, odin0");
	FAILS(roc_stream_open("245", "3", &s), -ENOENT, "no stream '3'");
	FAILS(roc_stream_open("245", "", &s), -ENOENT, "no stream ''");
	errno = 77;
	FAILS(roc_stream_open("245", "99999999999999999999", &s), -ENOENT, "no stream '9999");
	UNIT_EQ(errno, 77);
	fake.open_errno = EBUSY;
	FAILS(roc_stream_open("245", "meta", &s), -EBUSY,
	      "245 (0000:3b:00.0) stream meta is in use by PID 4711 (roc-stream): a stream has "
	      "one owner; end that program (kill 4711) or take another stream");
	fake.open_errno = EACCES;
	FAILS(roc_stream_open("245", "meta", &s), -EACCES, "group roc");
	fake.open_errno = 0;
	fake.pools = true;
	FAILS(roc_stream_open("245", "main", &s), -EOPNOTSUPP, "no streams");
	fake.pools = false;
	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_stream_find(ep, "odin0", &number), 0);
	UNIT_EQ(number, 2);
	fake.errno_ = ENOTTY;
	FAILS(roc_card_stream_find(ep, "odin0", &number), -ENOTTY, "modprobe");
	roc_close(ep);
}

static void rings(void)
{
	struct roc_stream *s = stream("main");
	const void *data;
	uint64_t length = 0;

	FAILS(roc_stream_peek(s, &data), -EPIPE, "roc_stream_ring()");
	FAILS(roc_stream_consume(s, 0), -EPIPE, "roc_stream_ring()");
	FAILS(roc_stream_wait(s, 64, 0), -EPIPE, "roc_stream_ring()");
	CU_ASSERT_PTR_NULL(roc_stream_base(s, &length));
	fake.errno_ = EINVAL;
	FAILS(roc_stream_ring(s, 100000), -EINVAL, "100000 bytes: it must be a power of two");
	fake.errno_ = EBUSY;
	FAILS(roc_stream_ring(s, RING), -EBUSY, "once per open");
	fake.errno_ = ENOMEM;
	FAILS(roc_stream_ring(s, UINT64_C(1) << 36), -ENOMEM, "no memory for a ring of 64 GiB");
	fake.errno_ = ENOMEM;
	fake.out.ring = (struct roc_st_ring){.why = ROC_WHY_MEMLOCK, .limit = 8, .pinned = 5};
	FAILS(roc_stream_ring(s, RING), -ENOMEM, "limit is 8 bytes and 5 of them");
	fake.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.why = ROC_WHY_LENGTH, .limit = 1 << 30};
	FAILS(roc_stream_ring(s, 0), -EOPNOTSUPP, "ring of 64 MiB: the card takes 1 GiB at most");
	fake.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.why = ROC_WHY_CONTIGUITY, .limit = 4 << 20};
	FAILS(roc_stream_ring(s, 0), -EOPNOTSUPP, "ask for 4 MiB at most");
	fake.errno_ = EPERM;
	fake.out.ring = (struct roc_st_ring){.why = ROC_WHY_OWNER};
	FAILS(roc_stream_ring(s, 0), -EPERM, "after fork()");
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	UNIT_EQ(fake.in.ring.length, RING);
	data = roc_stream_base(s, &length);
	UNIT_EQ(length, RING);
	/* The same bytes follow themselves. */
	fake.area[5] = 'x';
	UNIT_EQ(((const char *)data)[5], 'x');
	UNIT_EQ(((const char *)data)[RING + 5], 'x');
	finish(s);
	/* A card that takes less than the default: only who asked for so much is told. */
	s = stream("main");
	fake.errno_ = EOPNOTSUPP;
	fake.out.ring = (struct roc_st_ring){.why = ROC_WHY_LENGTH, .limit = RING};
	FAILS(roc_stream_ring(s, 64 << 20), -EOPNOTSUPP, "the card takes 64 KiB at most");
	fake.errno_ = EOPNOTSUPP;
	UNIT_EQ(roc_stream_ring(s, 0), 0);
	UNIT_EQ(fake.in.ring.length, RING);
	finish(s);
}

/* Round the ring, and over 2^32 lines: always in one piece. */
/* It is made once per open: without address space for it, it waits to be mapped. */
static void a_ring_that_cannot_be_mapped(void)
{
	const void *data = NULL;
	struct roc_stream *s;
	unsigned int which;

	for (which = 1; which <= 4; which++) {
		s = stream("main");
		fake.calls = 0;
		refuse_map = which;
		FAILS(roc_stream_ring(s, RING), -ENOMEM, "then call again");
		UNIT_EQ(fake.calls, 1);
		refuse_map = 1;
		FAILS(roc_stream_ring(s, 0), -ENOMEM, "cannot map the ring");
		UNIT_EQ(fake.calls, 1);
		FAILS(roc_stream_peek(s, &data), -EPIPE, "roc_stream_ring()");
		UNIT_NEED(!roc_stream_start(s, 0));
		UNIT_EQ(fake.calls, 2);
		fake.card->written = 4;
		UNIT_EQ(roc_stream_peek(s, &data), 256);
		fake.errno_ = EBUSY;
		FAILS(roc_stream_ring(s, RING), -EBUSY, "once per open");
		finish(s);
	}
}

static void close_stream(void *s)
{
	roc_stream_close(s);
}

/* A child has no ring, but a handle that it may close. */
static void children_let_go(void)
{
	struct roc_stream *s = running(0);
	struct iovec areas[] = {{(void *)s->ring, RING},
				{(char *)s->ring + RING, RING},
				{(void *)s->kernel, 8192},
				{s->user, 4096},
				{(void *)s->bell, 4096}};
	unsigned int i;

	UNIT_EQ(child_lets_go(areas, 5, close_stream, s), 0);
	finish(s);
	for (i = 0; i < 5; i++)
		CU_ASSERT_FALSE(is_mapped(&areas[i]));
}

static void data_in_place(void)
{
	struct roc_stream *s = running(UINT32_MAX - 2 * LINES + 3);
	const char *base = roc_stream_base(s, NULL);
	uint32_t position = UINT32_MAX - 2 * LINES + 3, k, step;
	const void *data = NULL;
	unsigned int calls = fake.calls, round;

	UNIT_EQ(roc_stream_peek(s, &data), 0);
	CU_ASSERT_PTR_NULL(data);
	for (round = 0; round < 200; round++) {
		step = 1 + round * 37 % LINES;
		fake.card->written = position + step;
		UNIT_EQ(roc_stream_peek(s, &data), step * 64);
		CU_ASSERT_PTR_EQUAL(data, base + position % LINES * 64);
		for (k = 0; k < step; k++)
			fake.area[(position + k) % LINES * 64] = round;
		for (k = 0; k < step; k++)
			UNIT_EQ(((const char *)data)[k * 64], (char)round);
		FAILS(roc_stream_consume(s, step * 64 + 64), -ERANGE, "showed");
		FAILS(roc_stream_consume(s, 63), -EINVAL, "multiples of 64");
		UNIT_EQ(fake.user->read, position);
		/* In two steps. */
		UNIT_EQ(roc_stream_consume(s, step / 2 * 64), 0);
		UNIT_EQ(fake.user->read, position + step / 2);
		UNIT_EQ(roc_stream_peek(s, &data), (step - step / 2) * 64);
		UNIT_EQ(roc_stream_consume(s, (step - step / 2) * 64), 0);
		position += step;
		UNIT_EQ(fake.user->read, position);
		UNIT_EQ(roc_stream_peek(s, &data), 0);
	}
	CU_ASSERT_TRUE(position < UINT32_MAX / 2);
	UNIT_EQ(fake.calls, calls); /* no system call */
	FAILS(roc_stream_consume(s, 64), -ERANGE,
	      "cannot consume 64 bytes: roc_stream_peek() showed 0");
	finish(s);
}

/* Told for every half of the ring, and with the position then; not at all if the driver does. */
static void doorbell(void)
{
	struct roc_stream *s = running(0);
	unsigned int i, rings = 0;
	uint32_t last = 0;
	const void *data;

	for (i = 1; i <= 4 * LINES; i++) {
		fake.card->written = i;
		roc_stream_peek(s, &data);
		roc_stream_consume(s, 64);
		if (*fake.bell == last)
			continue;
		UNIT_EQ(*fake.bell, i);
		UNIT_EQ(i - last, LINES / 2);
		last = i;
		rings++;
	}
	UNIT_EQ(rings, 8);
	/* A card that knows of little room is told sooner. */
	fake.card->written += LINES;
	roc_stream_peek(s, &data);
	for (i = 1; i < LINES / 2; i++) {
		roc_stream_consume(s, 64);
		UNIT_EQ(*fake.bell, last + i / (LINES / 32) * (LINES / 32));
	}
	roc_stream_peek(s, &data);
	roc_stream_consume(s, RING - i * 64 + 64);
	UNIT_EQ(*fake.bell, last + LINES);
	/* A wait tells it. */
	last = *fake.bell;
	fake.card->written += LINES / 2 - 1;
	roc_stream_peek(s, &data);
	roc_stream_consume(s, RING / 2 - 64);
	fake.arrive = LINES / 2;
	UNIT_EQ(roc_stream_wait(s, 64, 1000), RING / 2);
	roc_stream_consume(s, RING / 4);
	UNIT_EQ(*fake.bell, last);
	roc_stream_consume(s, RING / 4);
	UNIT_EQ(*fake.bell, fake.user->read);
	finish(s);
	s = stream("main");
	fake.no_bell = true;
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	UNIT_EQ(roc_stream_start(s, 0), 0);
	fake.card->written = LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	UNIT_EQ(roc_stream_consume(s, RING), 0);
	UNIT_EQ(*fake.bell, 0);
	finish(s);
}

static void a_card_that_lies(void)
{
	struct roc_stream *s = running(10);
	const void *data = NULL;

	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	fake.card->written = 10 + LINES + 1;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "the ring ends at 1034");
	FAILS(roc_stream_wait(s, 64, 0), -EBADMSG, "written up to line 1035");
	fake.card->written = 10 + LINES - 1; /* back */
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "but we saw 1034");
	fake.card->written = 5;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "up to line 5");
	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_consume(s, RING), 0);
	UNIT_EQ(roc_stream_peek(s, &data), 0);
	fake.card->written = 0xffffffff;
	FAILS(roc_stream_peek(s, &data), -EBADMSG, "4294967295");
	fake.card->written = 10 + LINES + 2;
	fake.kernel->flags = ROC_ST_STOPPED | ROC_ST_GONE;
	UNIT_EQ(roc_stream_peek(s, &data), 128); /* what is there can be read */
	UNIT_EQ(roc_stream_consume(s, 128), 0);
	FAILS(roc_stream_peek(s, &data), -ENODEV, "removed");
	finish(s);
}

static struct roc_stream *raced;

/* In the moment in which the reader looks at what was written: half goes back, half is new. */
/* The driver sets positions back, and then the card takes no orders. */
static void a_start_that_fails(void)
{
	/* What was left, whether somebody had looked at it, and where the stream begins anew. */
	static const struct {
		uint32_t lines;
		bool peek;
		uint32_t position;
	} left[] = {{0, true, 0}, {4, true, 0}, {4, false, 0}, {4, true, 10}, {0, true, 5000}};
	const void *data = NULL;
	struct roc_stream *s;
	unsigned int i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		s = running(10);
		fake.card->written = 20;
		UNIT_EQ(roc_stream_peek(s, &data), 640);
		UNIT_EQ(roc_stream_consume(s, 640), 0);
		fake.card->written = 20 + left[i].lines;
		if (left[i].peek)
			UNIT_EQ(roc_stream_peek(s, &data), 64 * left[i].lines);
		UNIT_EQ(roc_stream_stop(s, NULL), 0);
		/* Nothing was touched: what the run left behind is there. */
		fake.errno_ = EIO;
		FAILS(roc_stream_start(s, left[i].position), -EIO, "as it is told");
		UNIT_EQ(roc_stream_peek(s, &data), 64 * left[i].lines);
		fake.start_errno = EIO;
		FAILS(roc_stream_start(s, left[i].position), -EIO, "as it is told");
		UNIT_EQ(roc_stream_peek(s, &data), 0);
		FAILS(roc_stream_consume(s, 64), -ERANGE, "showed 0");
		fake.start_errno = 0;
		UNIT_EQ(roc_stream_start(s, 7), 0);
		fake.card->written = 8;
		UNIT_EQ(roc_stream_peek(s, &data), 64);
		finish(s);
	}
	/* Set back to where it was read from last: only what was not read is gone. */
	s = running(0);
	fake.card->written = 4;
	UNIT_EQ(roc_stream_peek(s, &data), 256);
	/* One that runs is let alone. */
	fake.errno_ = EBUSY;
	FAILS(roc_stream_start(s, 0), -EBUSY, "running already");
	fake.card->written = 2;
	UNIT_EQ(roc_stream_peek(s, &data), -EBADMSG);
	UNIT_EQ(roc_stream_stop(s, NULL), 0);
	fake.start_errno = EIO;
	FAILS(roc_stream_start(s, 0), -EIO, "as it is told");
	UNIT_EQ(roc_stream_peek(s, &data), 0);
	finish(s);
}

static void give_and_write(int number)
{
	uint32_t position = fake.user->read + LINES / 2;

	UNIT_EQ(number, SIGSEGV);
	mprotect((void *)(uintptr_t)raced->state, 4096, PROT_READ);
	libroc_stream_give(raced, position);
	fake.card->written = position + LINES;
}

/* A lender's thread may give back at any time, and a card that waited for it writes at once. */
static void given_back_meanwhile(void)
{
	struct sigaction race = {.sa_handler = give_and_write}, before;
	struct roc_stream *s = running(10);
	const void *data = NULL;

	raced = s;
	fake.card->written = 10 + LINES;
	UNIT_EQ(roc_stream_peek(s, &data), RING);
	UNIT_EQ(sigaction(SIGSEGV, &race, &before), 0);
	UNIT_EQ(mprotect((void *)(uintptr_t)s->state, 4096, PROT_NONE), 0);
	UNIT_EQ(libroc_stream_from(s, 10 + LINES, &data), RING / 2);
	UNIT_EQ(sigaction(SIGSEGV, &before, NULL), 0);
	UNIT_EQ(fake.user->read, 10 + LINES / 2);
	finish(s);
}

/* The card writes for the last time, and is gone, between two looks of the reader. */
static void write_and_go(int number)
{
	UNIT_EQ(number, SIGSEGV);
	mprotect((void *)(uintptr_t)raced->kernel, 4096, PROT_READ);
	mprotect((void *)(uintptr_t)raced->state, 4096, PROT_READ);
	fake.card->written = 12;
	fake.kernel->flags = ROC_ST_STOPPED | ROC_ST_GONE;
}

/* -ENODEV says that nothing is left: whichever it looks at first, what was written is had. */
static void gone_meanwhile(void)
{
	struct sigaction race = {.sa_handler = write_and_go}, before;
	struct roc_stream *s = running(10);
	const void *data = NULL;

	raced = s;
	UNIT_EQ(sigaction(SIGSEGV, &race, &before), 0);
	UNIT_EQ(mprotect((void *)(uintptr_t)s->kernel, 4096, PROT_NONE), 0);
	UNIT_EQ(roc_stream_peek(s, &data), 128);
	UNIT_EQ(sigaction(SIGSEGV, &before, NULL), 0);
	UNIT_EQ(roc_stream_consume(s, 128), 0);
	FAILS(roc_stream_peek(s, &data), -ENODEV, "removed");
	finish(s);
}

static void waiting(void)
{
	struct roc_stream *s = running(100);
	unsigned int calls;

	fake.card->written = 103;
	calls = fake.calls;
	UNIT_EQ(roc_stream_wait(s, 0, 0), 192);
	UNIT_EQ(roc_stream_wait(s, 192, -1), 192);
	UNIT_EQ(roc_stream_wait(s, 129, -1), 192);
	UNIT_EQ(fake.calls, calls); /* it was there */
	fake.arrive = 10;
	UNIT_EQ(roc_stream_wait(s, 257, 50), 832);
	UNIT_EQ(fake.in.wait.position, 105);
	UNIT_EQ(fake.calls, calls + 1);
	FAILS(roc_stream_wait(s, RING, 20), -ETIME, "832 of 65536 bytes after 20 ms");
	FAILS(roc_stream_wait(s, RING + 1, 20), -EINVAL, "the ring holds 65536");
	FAILS(roc_stream_wait(s, 64, -2), -EINVAL, "-1 means");
	fake.errno_ = EINTR;
	FAILS(roc_stream_wait(s, RING, 20), -EINTR, "signal");
	fake.errno_ = ENODEV;
	UNIT_EQ(roc_stream_wait(s, RING, 20), 832); /* of a card that is gone this is left */
	fake.state = ROC_CH_STOPPED;
	UNIT_EQ(roc_stream_wait(s, RING, 20), 832);
	UNIT_EQ(roc_stream_consume(s, 832), 0);
	fake.errno_ = ENODEV;
	FAILS(roc_stream_wait(s, 64, 20), -ENODEV, "removed");
	UNIT_EQ(roc_stream_wait(s, 64, -1), 0);
	finish(s);
}

static void settings_and_resets(void)
{
	struct roc_st_settings settings = {.set = ROC_ST_SET_POLICY, .policy = 3, .spill = 9};
	struct roc_st_card card = {.set = ROC_ST_CARD_SOURCE, .source = 7};
	struct roc_stream *s = stream("odin0");
	struct roc_endpoint *ep;
	struct roc_st_info info;
	unsigned int lost = 0;

	fake.out.settings.pack_events = 256;
	UNIT_EQ(roc_stream_settings(s, &settings), 0);
	UNIT_EQ(fake.in.settings.size, sizeof(settings));
	UNIT_EQ(fake.in.settings.stream, 2);
	UNIT_EQ(fake.in.settings.set, ROC_ST_SET_POLICY);
	UNIT_EQ(fake.in.settings.policy, 3);
	UNIT_EQ(fake.in.settings.spill, 0);
	UNIT_EQ(settings.pack_events, 256);
	settings = (struct roc_st_settings){.set = ROC_ST_SET_PACK_EVENTS, .pack_events = 70000};
	fake.errno_ = ERANGE;
	FAILS(roc_stream_settings(s, &settings), -ERANGE, "70000 events");
	UNIT_EQ(settings.pack_events, 70000);
	fake.errno_ = EOPNOTSUPP;
	FAILS(roc_stream_settings(s, &settings), -EOPNOTSUPP, "does not have a setting");
	fake.errno_ = EINVAL;
	FAILS(roc_stream_settings(s, &settings), -EINVAL, "enum roc_st_set");
	UNIT_EQ(roc_stream_reset(s, ROC_ST_RESET_FLUSH), 0);
	UNIT_EQ(fake.in.reset.level, ROC_ST_RESET_FLUSH);
	UNIT_EQ(fake.in.reset.stream, 2);
	fake.errno_ = EBUSY;
	FAILS(roc_stream_reset(s, ROC_ST_RESET_DEFAULT), -EBUSY, "stop it first");
	fake.errno_ = EINVAL;
	FAILS(roc_stream_reset(s, 9), -EINVAL, "no reset level 9");
	fake.errno_ = EIO;
	FAILS(roc_stream_reset(s, ROC_ST_RESET_LOGIC), -EIO, "does not show");
	UNIT_EQ(roc_stream_info(s, &info), 0);
	UNIT_STR(info.name, "odin0");
	UNIT_EQ(roc_stream_stop(s, &lost), 0);
	UNIT_EQ(lost, 17);
	fake.errno_ = EALREADY;
	FAILS(roc_stream_stop(s, NULL), -EALREADY, "not running");
	UNIT_EQ(roc_stream_ring(s, RING), 0);
	fake.errno_ = EBUSY;
	FAILS(roc_stream_start(s, 0), -EBUSY, "running already");
	fake.errno_ = EIO;
	FAILS(roc_stream_start(s, 0), -EIO, "as it is told");
	UNIT_EQ(roc_stream_eventfd(s, 5), 0);
	fake.errno_ = EINVAL;
	FAILS(roc_stream_eventfd(s, 5), -EINVAL, "no eventfd");
	finish(s);

	UNIT_NEED(!roc_open("245", &ep));
	UNIT_EQ(roc_card_stream(ep, 1, &info), 0);
	UNIT_STR(info.name, "meta");
	FAILS(roc_card_stream(ep, 3, &info), -ENOENT, "no stream 3");
	settings.set = 0;
	UNIT_EQ(roc_card_stream_settings(ep, 1, &settings), 0);
	UNIT_EQ(fake.in.settings.stream, 1);
	UNIT_EQ(roc_card_stream_reset(ep, ROC_ST_ALL, ROC_ST_RESET_COUNTERS), 0);
	UNIT_EQ(fake.in.reset.stream, ROC_ST_ALL);
	UNIT_EQ(roc_card_streams(ep, &card), 0);
	UNIT_EQ(fake.in.card.source, 7);
	UNIT_EQ(card.streams, 3);
	fake.errno_ = ENOENT;
	FAILS(roc_card_streams(ep, &card), -ENOENT, "does not have");
	fake.errno_ = ERANGE;
	FAILS(roc_card_streams(ep, &card), -ERANGE, "16 bits");
	fake.errno_ = ENOTTY;
	fake.pools = true;
	FAILS(roc_card_streams(ep, &card), -EOPNOTSUPP, "no streams");
	roc_close(ep);
}

/* Packets of one fragment, @lines each, behind the write position. */
static void card_writes(uint32_t lines, unsigned int count)
{
	uint32_t at = fake.card->written;
	struct stream_packet *p;

	for (; count; count--, at += lines) {
		p = (void *)(fake.area + at % LINES * 64);
		*p = (struct stream_packet){.magic = STREAM_MAGIC_PACKET,
					    .version = STREAM_UNIT_VERSION,
					    .align = 2,
					    .size = 64 * lines,
					    .data = 40,
					    .fragments = 1};
		((uint32_t *)p)[9] = 64 * lines - 40;
	}
	fake.card->written = at;
}

/* Windows of whole packets; the ring is given back up to the oldest that is out. */
static void windows_are_lent(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit a, b, c, last;
	struct roc_lent lent;

	FAILS(roc_lender_stream(s, 4, 1024, &l), -EPIPE, "roc_stream_ring()");
	UNIT_NEED(!roc_stream_ring(s, RING));
	FAILS(roc_lender_stream(s, 0, 1024, &l), -EINVAL, "1 to");
	UNIT_NEED(!roc_lender_stream(s, 4, 1024, &l));
	UNIT_NEED(!roc_stream_start(s, LINES - 10)); /* the first window straddles the end */
	UNIT_EQ(roc_lender_take(l, &a), 0);
	card_writes(5, 3);
	UNIT_EQ(roc_lender_wait(l, 0), 0);
	UNIT_EQ(roc_lender_take(l, &a), 1); /* three fit */
	UNIT_EQ(a.length, 960);
	UNIT_EQ(a.offset, LINES - 10);
	UNIT_EQ(a.run, 1);
	UNIT_EQ(fake.user->taken, LINES + 5);
	UNIT_EQ(fake.user->read, LINES - 10);
	card_writes(5, 4); /* of which three fit */
	UNIT_EQ(roc_lender_take(l, &b), 1);
	UNIT_EQ(b.length, 960);
	card_writes(40, 1); /* one alone does not */
	UNIT_EQ(roc_lender_take(l, &c), 1);
	UNIT_EQ(c.length, 320);
	UNIT_EQ(roc_lender_return(l, c.handle), 0);
	UNIT_EQ(roc_lender_take(l, &last), 1);
	UNIT_EQ(last.length, 2560);
	UNIT_EQ(roc_lender_take(l, &c), 0);
	UNIT_EQ(fake.user->taken, LINES - 10 + 35 + 40);
	/* Sleeping is for what was not taken. */
	fake.arrive = 1;
	UNIT_EQ(roc_lender_wait(l, 100), 0);
	UNIT_EQ(fake.in.wait.position, LINES - 10 + 35 + 40 + 1);
	/* What came is no packet. */
	memset(fake.area + (fake.card->written - 1) % LINES * 64, 0xee, 64);
	l->most = 32;
	FAILS(roc_lender_take(l, &c), -EBADMSG, "0xeeee");
	roc_lender_lent(l, &lent);
	UNIT_EQ(lent.count, 3);
	UNIT_EQ(lent.waiting, 1);
	UNIT_EQ(lent.held, 75 * 64);
	UNIT_EQ(roc_lender_return(l, b.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10);
	UNIT_EQ(roc_lender_return(l, a.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10 + 35); /* with the one that waited */
	FAILS(roc_lender_close(l), -EBUSY, "1 units are lent");
	UNIT_EQ(roc_lender_return(l, last.handle), 0);
	UNIT_EQ(fake.user->read, LINES - 10 + 75);
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

static void a_lender_of_a_stream_that_ended(void)
{
	struct roc_stream *s = stream("main");
	struct roc_lender *l;
	struct roc_unit unit;

	UNIT_NEED(!roc_stream_ring(s, RING));
	UNIT_NEED(!roc_lender_stream(s, 1, RING, &l));
	UNIT_NEED(!roc_stream_start(s, 0));
	fake.state = ROC_CH_STOPPED;
	FAILS(roc_lender_wait(l, 10), -ENODATA, "roc_stream_start()");
	fake.state = ROC_CH_FAILED;
	fake.why = ROC_WHY_POSITION;
	FAILS(roc_lender_wait(l, 10), -ENODATA, roc_why_text(ROC_WHY_POSITION));
	fake.state = ROC_CH_RUNNING;
	FAILS(roc_lender_wait(l, 10), -ETIME, "0 of 64");
	fake.card->written = LINES + 1;
	FAILS(roc_lender_take(l, &unit), -EBADMSG, "the ring ends at 1024");
	UNIT_EQ(roc_lender_close(l), 0);
	finish(s);
}

UNIT_MAIN("libroc_stream", {"opened by name and number", opening},
	  {"every reason why there is no ring", rings},
	  {"a ring that cannot be mapped", a_ring_that_cannot_be_mapped},
	  {"children let go of what they have not", children_let_go},
	  {"data in one piece, round and round, without a system call", data_in_place},
	  {"the doorbell is rung for halves of the ring, and for less when it is full", doorbell},
	  {"a card that lies about its position", a_card_that_lies},
	  {"a start that fails when the positions are set back", a_start_that_fails},
	  {"lines that are given back while somebody looks", given_back_meanwhile},
	  {"a card that goes while somebody looks", gone_meanwhile}, {"waiting", waiting},
	  {"settings, resets, start and stop", settings_and_resets},
	  {"windows are lent and returned", windows_are_lent},
	  {"a lender when the stream has ended", a_lender_of_a_stream_that_ended})
