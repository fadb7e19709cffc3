// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test how other threads and processes affect a channel's reader: signals during a wait, and a
 * close while others have copies of its descriptor or mappings: a child between fork and exec, a
 * sleeping child, a receiver of SCM_RIGHTS. When the opener's last close returns, the card writes
 * no more, the opener has its memory, and the channel is free.
 *
 * Runs on the first card of a guest, whatever its channel type.
 */
#include "common/case.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
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
static uint8_t *memory; /* of the pool: card's target memory while the channel is open */

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

static bool pool_idle(void)
{
	return rig_start(&rig);
}

static int pool_wait(unsigned int ms)
{
	struct roc_ch_wait w = {
		.size = sizeof(w), .min_ready = 1, .deadline = now_ns() + ms * 1000000ull};

	return abi(rig_fd(&rig), ROC_CH_WAIT, &w);
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

static bool stream_idle(void)
{
	return reader_start(&reader);
}

static int stream_wait(unsigned int ms)
{
	return reader_wait(&reader, ms);
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

static bool sub_idle(void)
{
	return taker_start(&taker, 0);
}

static int sub_wait(unsigned int ms)
{
	return taker_wait(&taker, ROC_FR_WAIT_DATA, ms);
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

static bool card_idle(void)
{
	return emu_idle(CARD0, 0, 30);
}

static const struct type {
	const char *card, *id;
	unsigned int rounds; /* beside fork and exec; a stream starts and stops fastest */
	bool (*open)(void);
	bool (*start)(void);
	int (*fd)(void);
	void (*close)(void);
	bool (*intact)(void);
	void (*normal)(void);
	const volatile void *(*map)(void);
	const volatile void *(*bell)(void); /* NULL: there is none */
	bool (*idle)(void);		    /* start, without data */
	int (*wait)(unsigned int ms);	    /* wait in which no data come */
} types[] = {
	{"245", EP0, 100, pool_open, pool_start, pool_fd, pool_close, pool_intact, pool_normal,
	 pool_map, NULL, pool_idle, pool_wait},
	{"4001", P40_ID, 300, stream_open, stream_start, stream_fd, stream_close, card_idle,
	 stream_normal, stream_map, stream_bell, stream_idle, stream_wait},
	{"6001", ROBINNP_ID, 100, sub_open, sub_start, sub_fd, sub_close, card_idle, sub_normal,
	 sub_map, sub_bell, sub_idle, sub_wait},
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

/* A copy exists from fork to exec, in a child of another thread. */
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

/* A child that sleeps with its copy, then tries all calls on it. */
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

/*
 * The opener has started a run. It closes while @child has its inherited copies, and opens again.
 */
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

/* All calls of the child on its copy are refused. */
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
	/* Not by child_start(), whose children die with their parent. */
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

/* Copies in the opener itself keep the channel open, in whatever order they are closed. */
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

/* A child that has only a mapping, inherited by MADV_DOFORK. */
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
	if (type->bell)
		CU_ASSERT(madvise((void *)type->bell(), PAGE, MADV_DOFORK) && errno == EINVAL);
	if (madvise((void *)type->map(), PAGE, MADV_DOFORK)) {
		/* Since Linux 7 children do not inherit the mapping. */
		UNIT_EQ(errno, EINVAL);
		type->close();
	} else {
		close_beside(keep_mapping, h);
	}
	shared_free(h, sizeof(*h));
}

#define WAIT_MS 1500

static atomic_int waited;

static void *wait_in_thread(void *arg)
{
	waited = 1;
	waited = type->wait(WAIT_MS);
	return NULL;
}

/*
 * As beside system(): the calling thread blocks SIGCHLD, so the kernel interrupts another one for a
 * signal without a handler.
 */
static void signals_without_handler(void)
{
	sigset_t child, before;
	pthread_t thread;
	unsigned int i;

	if (!begin())
		return;
	UNIT_NEED(type->open());
	UNIT_NEED(type->idle());
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	waited = 0;
	UNIT_NEED(!pthread_create(&thread, NULL, wait_in_thread, NULL));
	pthread_sigmask(SIG_BLOCK, &child, &before);
	CU_ASSERT(UNIT_WAIT(waited, 10000));
	for (i = 0; waited == 1; i++) {
		kill(getpid(), SIGCHLD);
		usleep(2000);
	}
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	UNIT_EQ(waited, -ETIME);
	unit_note("%u signals", i);
	type->close();
}

struct stopped {
	volatile int ready, result;
};

static int wait_in_child(void *arg)
{
	struct stopped *s = arg;

	if (!type->open() || !type->idle())
		return 1;
	s->ready = 1;
	s->result = type->wait(WAIT_MS);
	type->close();
	return 0;
}

/* Ctrl-Z and fg. */
static void stopped_and_continued(void)
{
	struct stopped *s = shared_alloc(sizeof(*s));
	pid_t pid;
	int i;

	if (!begin())
		return;
	pid = child_start(AS_ROOT, wait_in_child, s);
	CU_ASSERT(UNIT_WAIT(s->ready, 20000));
	for (i = 0; i < 20 && !s->result; i++) {
		kill(pid, SIGSTOP);
		usleep(20000);
		kill(pid, SIGCONT);
		usleep(20000);
	}
	UNIT_EQ(child_wait(pid, 20000), 0);
	UNIT_EQ(s->result, -ETIME);
	shared_free(s, sizeof(*s));
}

static void on_signal(int number)
{
}

static void *signal_waiter(void *arg)
{
	const pthread_t *waiter = arg;

	while (waited == 1) {
		pthread_kill(*waiter, SIGUSR1);
		usleep(2000);
	}
	return NULL;
}

/* A signal handler ends the wait, also with SA_RESTART, as for poll(). */
static void signals_with_handler(void)
{
	static const int flags[] = {0, SA_RESTART};
	struct sigaction action = {.sa_handler = on_signal}, before;
	pthread_t self = pthread_self(), thread;
	size_t i;

	if (!begin())
		return;
	UNIT_NEED(type->open());
	UNIT_NEED(type->idle());
	for (i = 0; i < N(flags); i++) {
		action.sa_flags = flags[i];
		sigaction(SIGUSR1, &action, &before);
		waited = 1;
		UNIT_NEED(!pthread_create(&thread, NULL, signal_waiter, &self));
		waited = type->wait(20000);
		pthread_join(thread, NULL);
		UNIT_EQ(waited, -EINTR);
		sigaction(SIGUSR1, &before, NULL);
	}
	type->close();
}

UNIT_MAIN("close", {"signals without a handler", signals_without_handler},
	  {"stopped and continued", stopped_and_continued},
	  {"signals with a handler", signals_with_handler}, {"sleeping child", sleeping_child},
	  {"opener killed", opener_killed}, {"own copies", own_copies},
	  {"inherited mapping", inherited_mapping}, {"beside fork and exec", beside_fork_and_exec})
