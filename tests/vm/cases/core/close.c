// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Close of a channel while others hold copies of its descriptor or mappings: a child between fork
 * and exec, a child that sleeps, a receiver of SCM_RIGHTS. When the opener's last close returns the
 * card writes no more, the memory is the opener's, and the channel is free. Runs on the first card
 * of a guest, whatever its channel type.
 */
#include "common/case.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/dmabuf.h"
#include "common/reader.h"
#include "common/taker.h"

#define LENGTH HUGE
#define FRESH 0xa5

static struct rig rig;
static struct reader reader;
static struct taker taker;
static uint8_t *memory; /* of the pool: what the card writes to while the channel is open */

static bool pool_open(void)
{
	rig = (struct rig){.id = EP0,
			   .source = ROC_SOURCE_DDG,
			   .superpage = 128 * KIB,
			   .count = LENGTH / (128 * KIB),
			   .memory = memory,
			   .no_poison = true};
	return rig_open(&rig);
}

static bool pool_start(void)
{
	rig_push(&rig, RIG_MAX);
	return rig_start(&rig);
}

static int pool_fd(void)
{
	return rig_fd(&rig);
}

static const volatile void *pool_map(void)
{
	return rig.rings->kernel;
}

static void pool_close(void)
{
	rig_close(&rig);
	memset(memory, FRESH, LENGTH);
}

static bool pool_intact(void)
{
	return memory[0] == FRESH && !memcmp(memory, memory + 1, LENGTH - 1);
}

static void pool_normal(void)
{
	memory = memory ?: memory_make(LENGTH, HUGE, LAYOUT_ASCENDING);
	memset(memory, FRESH, LENGTH);
	emu_normal(CARD0, FOUR_LINKS);
}

static bool stream_open(void)
{
	reader = (struct reader){.ring = 64 * KIB};
	return reader_open(&reader);
}

static bool stream_start(void)
{
	return reader_generate(&reader, 0, 100, 400, 0, 0, 0) && reader_start(&reader);
}

static int stream_fd(void)
{
	return reader.fd;
}

static const volatile void *stream_map(void)
{
	return reader.base;
}

static const volatile void *stream_bell(void)
{
	return reader.bell;
}

static void stream_close(void)
{
	reader_close(&reader);
}

static void stream_normal(void)
{
	emu_normal_p40(CARD0);
}

static bool sub_open(void)
{
	taker = (struct taker){.percent = 50};
	return taker_open(&taker);
}

static bool sub_start(void)
{
	return taker_generate(&taker, TAKER_ALL_LINKS, 100, 400, 0, 0, 0) && taker_start(&taker, 0);
}

static int sub_fd(void)
{
	return taker.fd;
}

static const volatile void *sub_map(void)
{
	return taker.kernel;
}

static const volatile void *sub_bell(void)
{
	return taker.bell;
}

static void sub_close(void)
{
	taker_close(&taker);
}

static void sub_normal(void)
{
	emu_normal_robinnp(CARD0);
}

static bool card_quiet(void)
{
	return emu_quiet(CARD0, 0, 30);
}

static const struct type {
	const char *card, *id;
	unsigned int rounds; /* beside fork and exec; others start and stop slower than a stream */
	bool (*open)(void);
	bool (*start)(void);
	int (*fd)(void);
	void (*close)(void);
	bool (*intact)(void);
	void (*normal)(void);
	const volatile void *(*map)(void);
	const volatile void *(*bell)(void); /* NULL: there is none */
} types[] = {
	{"245", EP0, 100, pool_open, pool_start, pool_fd, pool_close, pool_intact, pool_normal,
	 pool_map, NULL},
	{"4001", P40_ID, 300, stream_open, stream_start, stream_fd, stream_close, card_quiet,
	 stream_normal, stream_map, stream_bell},
	{"6001", ROBINNP_ID, 100, sub_open, sub_start, sub_fd, sub_close, card_quiet, sub_normal,
	 sub_map, sub_bell},
};

static const struct type *type;

/* Of the first card. False: the test is skipped. */
static bool begin(void)
{
	size_t i;

	for (i = 0; i < N(types) && !type; i++)
		if (card_there(types[i].card))
			type = &types[i];
	if (!type) {
		unit_skip("there is no CRU, PCIe40 or RobinNP");
		return false;
	}
	type->normal();
	return true;
}

static atomic_bool done;
static atomic_uint executed;

static void *fork_and_execute(void *arg)
{
	while (!done) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		if (pid > 0 && waitpid(pid, NULL, 0) == pid)
			executed++;
	}
	return NULL;
}

/* A copy lives from fork to exec, in a child of another thread. */
static void beside_fork_and_exec(void)
{
	unsigned int round, refused = 0, changed = 0;
	pthread_t thread;

	if (!begin())
		return;
	done = false;
	UNIT_NEED(!pthread_create(&thread, NULL, fork_and_execute, NULL));
	for (round = 0; round < type->rounds && !refused; round++) {
		if (type->open()) {
			changed += type == types && !pool_intact();
			CU_ASSERT(type->start());
		} else {
			refused++;
		}
		type->close();
	}
	done = true;
	pthread_join(thread, NULL);
	UNIT_EQ(refused, 0);
	UNIT_EQ(changed, 0);
	CU_ASSERT(type->intact());
	CU_ASSERT(executed > 0);
	unit_note("%u closes beside %u times fork and exec", round, executed);
}

/* A child that sleeps with its copy, then tries what can be done with it. */
struct heir {
	int fd;
	volatile int asleep, wake, start, info, read_only;
};

static int inherit(void *arg)
{
	struct heir *h = arg;
	struct roc_ch_eventfd none = {.size = sizeof(none), .fd = -1};

	h->asleep = 1;
	UNIT_WAIT(h->wake, 60000);
	h->info = abi(h->fd, ROC_CH_EVENTFD, &none);
	return 0;
}

/* The opener has started a run. It closes while @child has what it inherited, and opens again. */
static void close_beside(int (*child)(void *arg), struct heir *h)
{
	pid_t pid = child_start(AS_ROOT, child, h);

	CU_ASSERT(UNIT_WAIT(h->asleep, 10000));
	type->close();
	UNIT_STR(node_attr(type->id, 0, "owner_pid"), "0");
	UNIT_STR(node_attr(type->id, 0, "state"), "stopped");
	CU_ASSERT(type->intact());
	UNIT_NEED(type->open());
	CU_ASSERT(type->start());
	h->wake = 1;
	UNIT_EQ(child_wait(pid, 10000), 0);
	UNIT_STR(node_attr(type->id, 0, "state"), "running");
	type->close();
	CU_ASSERT(type->intact());
}

/* What the child does with its copy is refused. */
static void sleeping_child(void)
{
	struct heir *h = shared_alloc(sizeof(*h));

	if (!begin())
		return;
	UNIT_NEED(type->open());
	UNIT_NEED(type->start());
	h->fd = type->fd();
	close_beside(inherit, h);
	UNIT_EQ(h->info, -ENODEV);
	shared_free(h, sizeof(*h));
}

/* The opener is killed while its child sleeps with a copy. */
static int open_and_fork(void *arg)
{
	struct heir *h = arg;

	if (!type->open() || !type->start())
		return 1;
	h->fd = type->fd();
	/* Not by child_start(): its children die with their parent. */
	if (!fork())
		_exit(inherit(h));
	UNIT_WAIT(h->wake, 60000);
	return 2;
}

static void opener_killed(void)
{
	struct heir *h = shared_alloc(sizeof(*h));
	pid_t pid;

	if (!begin())
		return;
	pid = child_start(AS_ROOT, open_and_fork, h);
	CU_ASSERT(UNIT_WAIT(h->asleep, 20000));
	child_kill(pid);
	UNIT_STR(node_attr(type->id, 0, "owner_pid"), "0");
	UNIT_NEED(type->open());
	CU_ASSERT(type->start());
	h->wake = 1;
	CU_ASSERT(UNIT_WAIT(h->info, 10000));
	UNIT_EQ(h->info, -ENODEV);
	type->close();
	shared_free(h, sizeof(*h));
}

/* The opener's own copies keep the channel, in whatever order they are closed. */
static void own_copies(void)
{
	int copy, last;

	if (!begin())
		return;
	UNIT_NEED(type->open());
	UNIT_NEED(type->start());
	copy = dup(type->fd());
	last = dup(copy);
	close(copy);
	UNIT_STR(node_attr(type->id, 0, "state"), "running");
	type->close();
	UNIT_STR(node_attr(type->id, 0, "state"), "running");
	UNIT_EQ(node_open(type->id, 0), -EBUSY);
	close(last);
	UNIT_STR(node_attr(type->id, 0, "state"), "stopped");
	UNIT_NEED(type->open());
	type->close();
}

#define PAGE 4096ul

/* A child that has nothing but a mapping, which MADV_DOFORK left to it. */
static int keep_mapping(void *arg)
{
	const volatile uint8_t *at = (const volatile uint8_t *)type->map();
	struct heir *h = arg;
	unsigned int sum;

	close(h->fd);
	sum = at[0];
	h->asleep = 1;
	UNIT_WAIT(h->wake, 60000);
	return (sum + at[PAGE - 1]) & 0;
}

static void inherited_mapping(void)
{
	struct heir *h = shared_alloc(sizeof(*h));

	if (!begin())
		return;
	UNIT_NEED(type->open());
	UNIT_NEED(type->start());
	h->fd = type->fd();
	UNIT_EQ(madvise((void *)type->map(), PAGE, MADV_DOFORK), 0);
	if (type->bell)
		CU_ASSERT(madvise((void *)type->bell(), PAGE, MADV_DOFORK) && errno == EINVAL);
	close_beside(keep_mapping, h);
	shared_free(h, sizeof(*h));
}

UNIT_MAIN("close", {"sleeping child", sleeping_child}, {"opener killed", opener_killed},
	  {"own copies", own_copies}, {"inherited mapping", inherited_mapping},
	  {"beside fork and exec", beside_fork_and_exec})
