// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test readers that are killed at any moment: the card stops, the pins are released, and the next
 * reader starts normally.
 */
#include "common/case.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ROUNDS 8

struct victim {
	volatile unsigned int filled; /* superpages so far */
	volatile unsigned int about;  /* its current operation: enum */
	volatile int failed;
	uint64_t until; /* stop_often: the moment to be killed at */
};

enum {
	IDLE,
	STARTING,
	STOPPING,
};

/* Take data until killed. */
static int read_for_ever(void *arg)
{
	struct victim *v = arg;
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 16, .no_poison = true};

	if (!rig_open(&r))
		goto fail;
	rig_push(&r, RIG_MAX);
	v->about = STARTING;
	if (!rig_start(&r))
		goto fail;
	v->about = IDLE;
	while (rig_run(&r, r.filled + 1, 10000))
		v->filled = r.filled;
fail:
	unit_note("victim: %s", r.found.first);
	v->failed = 1;
	return 1;
}

static int start_and_stop(void *arg)
{
	struct victim *v = arg;
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 16, .no_poison = true};

	if (!rig_open(&r))
		goto fail;
	for (;;) {
		rig_push(&r, RIG_MAX);
		v->about = STARTING;
		if (!rig_start(&r))
			break;
		v->about = IDLE;
		if (!rig_run(&r, 5, 10000))
			break;
		v->filled = r.filled;
		v->about = STOPPING;
		if (!rig_stop(&r))
			break;
		v->about = IDLE;
	}
fail:
	unit_note("victim: %s", r.found.first);
	v->failed = 1;
	return 1;
}

/* The card is quiesced, run enable off, nothing pinned, and the channel has no owner. */
static void nothing_left(int64_t pins_before, unsigned int quiet_ms)
{
	CU_ASSERT(emu_idle(CARD0, 0, quiet_ms));
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_DMA_CONTROL), 0);
	UNIT_EQ(emu_link_count(CARD0, 0, 0, "queued"), 0);
	UNIT_EQ(emu_count(CARD0, 0, "dma_outside"), 0);
	UNIT_EQ(pins(), pins_before);
	UNIT_STR(node_attr(EP0, 0, "owner_pid"), "0");
	UNIT_STR(node_attr(EP0, 0, "state"), "stopped");
}

static void works_again(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};

	CU_ASSERT(rig_once(&r, 20, 5000));
	RIG_OK(&r);
	rig_close(&r);
}

static void killed_in_transfer(void)
{
	struct victim *v = shared_alloc(sizeof(*v));
	int64_t before = pins();
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	pid = child_start(AS_ROOT, read_for_ever, v);
	CU_ASSERT(UNIT_WAIT(v->filled >= 50 || v->failed, 10000));
	UNIT_EQ(v->failed, 0);
	CU_ASSERT(pins() > before);
	CU_ASSERT(pinned_by(pid) > 0);
	CU_ASSERT(UNIT_WAIT(!emu_idle(CARD0, 0, 100), 5000));
	child_kill(pid);
	nothing_left(before, 1000);
	works_again();
	shared_free(v, sizeof(*v));
}

/* As an ordinary user, at random moments. */
static void killed_at_random(void)
{
	struct victim *v = shared_alloc(sizeof(*v));
	int64_t before = pins();
	unsigned int i, seed = getpid();
	pid_t pid;

	unit_note("seed %u", seed); /* another seed in each guest */
	emu_normal(CARD0, FOUR_LINKS);
	for (i = 0; i < ROUNDS; i++) {
		memset(v, 0, sizeof(*v));
		seed = seed * 1103515245 + 12345;
		pid = child_start(AS_ROOT, i % 2 ? start_and_stop : read_for_ever, v);
		sleep_ms((seed >> 16) % 500);
		UNIT_EQ(v->failed, 0);
		child_kill(pid);
		nothing_left(before, 20);
	}
	works_again();
	CU_ASSERT(emu_clean(CARD0));
	shared_free(v, sizeof(*v));
}

static void killed_while(unsigned int about, unsigned int runs)
{
	struct victim *v = shared_alloc(sizeof(*v));
	int64_t before = pins();
	unsigned int i;
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	for (i = 0; i < runs; i++) {
		memset(v, 0, sizeof(*v));
		pid = child_start(AS_ROOT, start_and_stop, v);
		CU_ASSERT(UNIT_WAIT(v->about == about || v->failed, 10000));
		sleep_ms(i * 200 / runs);
		UNIT_EQ(v->failed, 0);
		child_kill(pid);
		nothing_left(before, 50);
	}
	works_again();
	shared_free(v, sizeof(*v));
}

static void killed_in_start(void)
{
	killed_while(STARTING, 3);
}

static void killed_in_stop(void)
{
	killed_while(STOPPING, 3);
}

static void send_fd(int sock, int fd)
{
	char byte = 'x', room[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = room,
			   .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(sock, &m, 0);
}

static int receive_fd(int sock)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = room,
			   .msg_controllen = sizeof(room)};
	struct timeval limit = {limit_ms(10000) / 1000, 0};
	int fd = -1;

	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static int pass_on(void *arg)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 16, .no_poison = true};

	if (!rig_open(&r))
		return 1;
	rig_push(&r, RIG_MAX);
	if (!rig_start(&r) || !rig_run(&r, 20, 10000))
		return 2;
	send_fd(*(int *)arg, rig_fd(&r));
	while (rig_run(&r, r.filled + 1, 10000))
		;
	return 3;
}

/*
 * The opener is killed, and a receiver has a copy of the descriptor: the run ends with the opener.
 */
static void descriptor_passed(void)
{
	int64_t before = pins();
	struct roc_buf_register reply;
	int sockets[2], fd;
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets));
	pid = child_start(AS_ROOT, pass_on, &sockets[1]);
	fd = receive_fd(sockets[0]);
	UNIT_NEED(fd >= 0);
	UNIT_EQ(ch_info(fd).state, ROC_CH_RUNNING);
	UNIT_EQ(node_open(EP0, 0), -EBUSY);
	CU_ASSERT(pins() > before);
	child_kill(pid);
	UNIT_EQ(control(fd, ROC_CH_STOP, 0, 0), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_START, 0, 0), -ENODEV);
	UNIT_EQ(control(fd, ROC_CH_KICK, 0, 0), -ENODEV);
	UNIT_EQ(buffer_register(fd, NULL, HUGE, 0, &reply), -EPERM);
	nothing_left(before, 200);
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
	works_again();
}

/* All volatile: data must be in memory before the index is. */
struct heir {
	struct rig *rig;
	volatile int ready, leave, touched, waited, popped, stopped;
};

static void touch_rings(void *arg)
{
	struct rig *r = arg;

	(void)*(volatile uint32_t *)&r->rings->kernel->ready_prod;
}

static int inherit(void *arg)
{
	struct heir *h = arg;

	struct roc_ready ready;

	h->touched = faults(touch_rings, h->rig);
	h->waited = roc_channel_wait(h->rig->ch, 1, 0);
	h->popped = roc_pop(h->rig->ch, &ready);
	h->stopped = roc_channel_stop(h->rig->ch, NULL);
	h->ready = 1;
	UNIT_WAIT(h->leave, 60000);
	return 0;
}

/* A child of fork cannot use the rings, and does not keep the channel open. */
static void forked_child(void)
{
	struct heir *h = shared_alloc(sizeof(*h));
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 8};
	int64_t before = pins();
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r) && rig_run(&r, 5, 5000));
	h->rig = &r;
	pid = child_start(AS_ROOT, inherit, h);
	CU_ASSERT(UNIT_WAIT(h->ready, 5000));
	UNIT_EQ(h->touched, SIGSEGV);
	UNIT_EQ(h->waited, -EPERM);
	UNIT_EQ(h->popped, -EPERM);
	UNIT_EQ(h->stopped, -EPERM);
	CU_ASSERT(rig_run(&r, r.filled + 20, 5000));
	rig_close(&r);
	nothing_left(before, 100);
	h->leave = 1;
	UNIT_EQ(child_wait(pid, 5000), 0);
	RIG_OK(&r);
	shared_free(h, sizeof(*h));
}

#define TRACE "/sys/kernel/tracing/"
#define SLEEPS TRACE "events/roctest/sleep/"
#define QUIET_US 10000 /* CRU_QUIET_US: time for which a card that was reset must not change */

/* From now on the kernel counts sleeps of each thread in drivers, by their length. */
static bool count_sleeps(void)
{
	return !put_text(TRACE "kprobe_events",
			 "p:roctest/sleep usleep_range_state us=$arg1:u64") &&
	       !put_text(SLEEPS "trigger", "hist:keys=common_pid,us:size=2048");
}

/*
 * No sleep of @thread was longer than the one in which a card that was reset must not change. That
 * one occurred @once; shorter ones belong to polls.
 */
static void slept_no_longer(pid_t thread, unsigned int once)
{
	unsigned int longest = 0, n, times = 0, polls = 0;
	unsigned long long pid, us;
	char *line, *rest;

	RUN("cat " SLEEPS "hist");
	for (line = strtok_r(out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "{ common_pid: %llu, us: %llu } hitcount: %u", &pid, &us, &n) !=
			    3 ||
		    pid != (unsigned long long)thread)
			continue;
		longest = us > longest ? us : longest;
		times += us >= QUIET_US ? n : 0;
		polls += us < QUIET_US ? n : 0;
	}
	unit_note("%u sleeps of %u us or more, the longest %u us, and %u shorter", times, QUIET_US,
		  longest, polls);
	UNIT_EQ(times, once);
	UNIT_EQ(longest, QUIET_US);
	UNIT_EQ(put_text(SLEEPS "trigger", "!hist:keys=common_pid,us:size=2048"), 0);
	UNIT_EQ(put_text(TRACE "kprobe_events", "-:roctest/sleep"), 0);
}

/* The stop waits only for the card's reset and its verification, not for the waits of a start. */
static void sleeps_of_a_stop(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 512, .superpage = 32 * KIB};
	int64_t begin;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_run(&r, 600, 10000));
	UNIT_NEED(count_sleeps());
	begin = now_ms();
	CU_ASSERT(rig_stop(&r));
	unit_note("stop took %lld ms", (long long)(now_ms() - begin));
	slept_no_longer(getpid(), 1);
	RIG_OK(&r);
	rig_close(&r);
}

static void sleeps_of_a_killed_reader(void)
{
	struct victim *v = shared_alloc(sizeof(*v));
	int64_t before = pins(), begin;
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	pid = child_start(AS_ROOT, read_for_ever, v);
	CU_ASSERT(UNIT_WAIT(v->filled >= 50 || v->failed, 10000));
	UNIT_EQ(v->failed, 0);
	UNIT_NEED(count_sleeps());
	begin = now_ms();
	child_kill(pid);
	unit_note("the end took %lld ms", (long long)(now_ms() - begin));
	nothing_left(before, 1000);
	slept_no_longer(pid, 1);
	works_again();
	shared_free(v, sizeof(*v));
}

/* A card may take the full time that the reference software allows for each reset. */
static void slow_reset(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG, .count = 16};

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_NEED(rig_open(&r));
	rig_push(&r, RIG_MAX);
	UNIT_NEED(rig_start(&r));
	CU_ASSERT(rig_run(&r, 50, 10000));
	emu(CARD0, "fault 0 reset-slow 60");
	CU_ASSERT(rig_stop(&r));
	CU_ASSERT(bus_master(EP0));
	UNIT_EQ(rig_missing(&r), 0);
	CU_ASSERT(emu_idle(CARD0, 0, 100));
	UNIT_EQ(emu_link_count(CARD0, 0, 0, "queued"), 0);
	RIG_OK(&r);
	rig_close(&r);
	works_again();
	emu(CARD0, "fault 0 clear");
	works_again();
}

UNIT_MAIN("kill", {"killed in transfer", killed_in_transfer}, {"killed in start", killed_in_start},
	  {"killed in stop", killed_in_stop}, {"killed at random", killed_at_random},
	  {"descriptor passed", descriptor_passed}, {"forked child", forked_child},
	  {"sleeps of a stop", sleeps_of_a_stop},
	  {"sleeps of a killed reader", sleeps_of_a_killed_reader}, {"slow reset", slow_reset})
