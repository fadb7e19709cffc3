// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the sink shm: each block is returned once, also if filters exit or send invalid messages.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <roc/filter.h>
#include <roc/roc.h>

#include "tests/unit/filter_opening.h"
#include "tests/unit/utils/evb/blocks.h"
#include "utils/evb/sink.h"

#define MEMORY (4 << 20)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)

static char path[64], reason[UNITS_REASON];
static struct evb_sink sink;
static int memory = -1;
static struct block *block[64];
static unsigned int put_count, back_count;

static void begin(const char *options)
{
	char text[128];

	snprintf(path, sizeof(path), "/tmp/roc-evb-%d", getpid());
	snprintf(text, sizeof(text), "shm:%s%s", path, options);
	reason[0] = '\0';
	UNIT_EQ(evb_sink_open(text, "bu1", &sink, reason), 0);
	if (reason[0])
		unit_note("%s", reason);
	UNIT_NEED(sink.ops);
	memory = memfd_create("blocks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	UNIT_EQ(ftruncate(memory, MEMORY), 0);
	block_memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	UNIT_NEED(block_memory != MAP_FAILED);
	block_room = MEMORY;
	block_used = 0;
	put_count = back_count = 0;
	UNIT_EQ(sink.ops->memory(sink.self, memory, block_memory, MEMORY), -EPERM);
	UNIT_EQ(fcntl(memory, F_ADD_SEALS, SEALS), 0);
	UNIT_EQ(sink.ops->memory(sink.self, memory, block_memory, MEMORY), 0);
}

static void end(void)
{
	evb_sink_close(&sink);
	CU_ASSERT_TRUE(access(path, F_OK) < 0);
	while (put_count)
		free_block(block[--put_count]);
	munmap(block_memory, MEMORY);
	block_memory = NULL;
	close(memory);
}

static struct evb_sink_counters counters(void)
{
	struct evb_sink_counters n;

	sink.counters(sink.self, &n);
	return n;
}

/* Run one turn of a builder, and check that each block is returned once. */
static unsigned int turn(void)
{
	uint64_t handles[64];
	int n = sink.ops->done(sink.self, handles, 64), i, k;

	CU_ASSERT_TRUE(n >= 0);
	for (i = 0; i < n; i++) {
		for (k = 0; k < (int)put_count && block[k]->mep.handle != handles[i]; k++)
			;
		UNIT_NEED(k < (int)put_count);
		block[k]->mep.handle = UINT64_MAX;
		back_count++;
	}
	return back_count;
}

static int put(int missing)
{
	size_t used = block_used;
	struct block *b = make_block(put_count, put_count % 2 ? 150 : 5000, missing);
	int ret = sink.ops->put(sink.self, &b->mep);

	if (ret == 1) {
		block[put_count++] = b;
	} else {
		free_block(b);
		block_used = used;
	}
	return ret;
}

/* The builder sends the hello message in its turn. */
static struct roc_filter *new_filter(void)
{
	struct opening o = {.path = path};
	pthread_t thread;

	UNIT_EQ(pthread_create(&thread, NULL, open_in_thread, &o), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), o.over), 5000));
	pthread_join(thread, NULL);
	UNIT_EQ(o.ret, 0);
	UNIT_NEED(o.filter);
	return o.filter;
}

static void there_and_back(void)
{
	struct inspect *in = calloc(1, sizeof(*in));
	const struct roc_mep *mep[3];
	struct roc_filter *f;
	unsigned int i;

	begin(",depth=2");
	UNIT_EQ(put(-1), 0); /* no filter */
	f = new_filter();
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(put(2), 1);
	UNIT_EQ(put(-1), 0);
	UNIT_EQ(roc_filter_take(f, &mep[0]), 1);
	UNIT_EQ(roc_filter_take(f, &mep[1]), 1);
	UNIT_EQ(roc_filter_take(f, &mep[2]), 0);
	for (i = 0; i < 2; i++)
		UNIT_EQ(inspect_block(in, mep[i]), 0);
	UNIT_EQ(in->n.errors, 0);
	UNIT_EQ(in->n.missing, 1);
	UNIT_EQ(in->n.fragments, counters().fragments);
	UNIT_EQ(turn(), 0);
	UNIT_EQ(roc_filter_return(f, mep[1], 5), 0);
	UNIT_EQ(roc_filter_return(f, mep[1], 5), -EINVAL);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 1, 2000));
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(roc_filter_return(f, mep[0], 1000), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 2, 2000));
	UNIT_EQ(counters().accepted, 5 + EVENTS);
	UNIT_EQ(roc_filter_take(f, &mep[0]), 1);
	UNIT_EQ(mep[0]->block, 2);
	roc_filter_close(f);
	inspect_end(in);
	free(in);
	end();
}

/*
 * The blocks of a filter that exits go to another one. A block during which three filters exit is
 * lost.
 */
static void filter_dies(void)
{
	const struct roc_mep *mep;
	struct roc_filter *a, *b;

	begin(",depth=3");
	a = new_filter();
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(put(-1), 1);
	b = new_filter();
	roc_filter_close(a);
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), counters().again == 2), 2000));
	UNIT_EQ(roc_filter_take(b, &mep), 1);
	UNIT_EQ(roc_filter_return(b, mep, 0), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 1, 2000));
	roc_filter_close(b);
	turn();
	roc_filter_close(new_filter());
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 2, 2000));
	UNIT_EQ(counters().lost, 1);
	UNIT_EQ(counters().again, 3);
	UNIT_EQ(put(-1), 0);
	end();
}

/* With pass, blocks pass again after the last filter exits. */
static void last_filter_dies(void)
{
	const struct roc_mep *mep;
	struct roc_filter *f;

	begin(",pass,depth=2");
	f = new_filter();
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(put(-1), 0);
	UNIT_EQ(roc_filter_take(f, &mep), 1);
	roc_filter_close(f);
	CU_ASSERT_TRUE(UNIT_WAIT(put(-1) == 1, 2000));
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 3, 2000));
	UNIT_EQ(counters().blocks, 3);
	UNIT_EQ(counters().unknown, 3);
	UNIT_EQ(counters().lost, 0);
	/* A filter that connects then gets new blocks. */
	f = new_filter();
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(roc_filter_take(f, &mep), 1);
	UNIT_EQ(mep->block, 3);
	UNIT_EQ(roc_filter_return(f, mep, 1), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 4, 2000));
	roc_filter_close(f);
	end();
}

/*
 * A filter that keeps a block for too long is disconnected. A filter that does not read gets no
 * blocks.
 */
static void filter_hangs(void)
{
	const struct roc_mep *mep;
	struct roc_filter *a, *b;

	begin(",hold=2s,depth=4");
	a = new_filter();
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(roc_filter_take(a, &mep), 1);
	b = new_filter();
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), counters().again == 1), 5000));
	UNIT_EQ(roc_filter_return(a, mep, 1), -ENODATA);
	UNIT_EQ(roc_filter_take(b, &mep), 1);
	UNIT_EQ(roc_filter_return(b, mep, 1), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 1, 2000));
	UNIT_EQ(counters().accepted, 1);
	roc_filter_close(a);
	roc_filter_close(b);
	end();
}

static int stranger(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	strcpy(to.sun_path, path);
	UNIT_EQ(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	turn();
	return fd;
}

static bool sleeps(void)
{
	struct roc_idle idle = {.ns = UNITS_NS_PER_S};

	sink.ops->idle(sink.self, &idle);
	return idle.ns && !poll(idle.fds, idle.count, 0);
}

/* Without a free file descriptor the sink does not poll the listener in a busy loop. */
static void no_files(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct roc_filter_hello hello;
	struct rlimit limit, none;
	int fd, next;

	begin("");
	CU_ASSERT_TRUE(sleeps());
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	UNIT_NEED(!connect(fd, (struct sockaddr *)&to, sizeof(to)));
	CU_ASSERT_FALSE(sleeps());
	next = dup(fd);
	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	turn();
	CU_ASSERT_TRUE(sleeps());
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	turn();
	UNIT_EQ(recv(fd, &hello, sizeof(hello), MSG_DONTWAIT), sizeof(hello));
	CU_ASSERT_TRUE(sleeps());
	close(fd);
	end();
}

/* No message of a filter can return the blocks of another one. */
static void bad_filters(void)
{
	struct roc_filter_return bad[] = {{0, 0},
					  {UINT64_C(1) << 32 | 1, 0},
					  {UINT64_MAX, 0},
					  {UINT64_C(2) << 32, 0},
					  {UINT64_C(1) << 32, 0}};
	const struct roc_mep *mep;
	struct roc_filter *f;
	unsigned int i;
	char byte;
	int fd;

	begin("");
	f = new_filter();
	UNIT_EQ(put(-1), 1);
	for (i = 0; i < 6; i++) {
		fd = stranger();
		if (i < 5)
			UNIT_EQ(send(fd, &bad[i], sizeof(bad[i]), 0), sizeof(bad[i]));
		else
			UNIT_EQ(send(fd, "x", 1, 0), 1);
		UNIT_EQ(turn(), 0);
		/* The filter receives the hello message, then the end of the connection. */
		recv(fd, &byte, 1, 0);
		UNIT_EQ(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
		close(fd);
	}
	UNIT_EQ(roc_filter_take(f, &mep), 1);
	UNIT_EQ(roc_filter_return(f, mep, 1), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(turn() == 1, 2000));
	roc_filter_close(f);
	/* The filter cannot write to the memory of the descriptor. */
	fd = stranger();
	{
		char hello[64], room[CMSG_SPACE(sizeof(int))];
		struct iovec v = {.iov_base = hello, .iov_len = sizeof(hello)};
		struct msghdr m = {.msg_iov = &v,
				   .msg_iovlen = 1,
				   .msg_control = room,
				   .msg_controllen = sizeof(room)};
		int got, anew;

		UNIT_EQ(recvmsg(fd, &m, 0), sizeof(struct roc_filter_hello));
		memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(got));
		CU_ASSERT_TRUE(mmap(NULL, MEMORY, PROT_WRITE, MAP_SHARED, got, 0) == MAP_FAILED);
		/* Nor after opening it again through /proc. */
		snprintf(hello, sizeof(hello), "/proc/self/fd/%d", got);
		anew = open(hello, O_RDWR);
		CU_ASSERT_TRUE(anew < 0 || (mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED,
						 anew, 0) == MAP_FAILED &&
					    ftruncate(anew, 0) < 0 && write(anew, hello, 1) < 0));
		close(anew);
		close(got);
	}
	close(fd);
	end();
}

static void on_alarm(int number)
{
	UNIT_EQ(number, SIGALRM);
}

/* A signal must not end the wait as a timeout does, and errno must be kept. */
static void a_signal_while_opening(void)
{
	struct itimerval soon = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct sigaction alarm = {.sa_handler = on_alarm}, before;
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct roc_filter *f = NULL;

	snprintf(path, sizeof(path), "/tmp/roc-evb-%d", getpid());
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	UNIT_NEED(!bind(listener, (struct sockaddr *)&at, sizeof(at)) && !listen(listener, 1));
	UNIT_EQ(sigaction(SIGALRM, &alarm, &before), 0);
	UNIT_EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
	errno = 4711;
	UNIT_EQ(roc_filter_open(path, &f), -EINTR);
	UNIT_EQ(errno, 4711);
	UNIT_EQ(setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL), 0);
	UNIT_EQ(sigaction(SIGALRM, &before, NULL), 0);
	close(listener);
	unlink(path);
}

/*
 * Create a listener at path that does not accept, with a full queue. Return the connection in the
 * queue.
 */
static int hang_listener(int *listener)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int waits = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	*listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	snprintf(path, sizeof(path), "/tmp/roc-evb-%d", getpid());
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	UNIT_NEED(!bind(*listener, (struct sockaddr *)&at, sizeof(at)) && !listen(*listener, 0));
	UNIT_NEED(!connect(waits, (struct sockaddr *)&at, sizeof(at)));
	return waits;
}

static void builder_hangs(void)
{
	int listener, before = hang_listener(&listener);
	struct opening o = {.path = path};
	pthread_t thread;

	UNIT_EQ(pthread_create(&thread, NULL, open_in_thread, &o), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(o.over, 15000));
	/* From here on no process listens. */
	close(listener);
	unlink(path);
	pthread_join(thread, NULL);
	UNIT_EQ(o.ret, -ETIME);
	close(before);
}

struct second {
	struct evb_sink sink;
	char text[80], reason[UNITS_REASON];
	int ret;
	atomic_bool done;
};

static void *open_second(void *argument)
{
	struct second *o = argument;

	o->ret = evb_sink_open(o->text, "bu2", &o->sink, o->reason);
	o->done = true;
	return NULL;
}

/* The socket of a hanging builder is not taken over: the second one fails without waiting. */
static void second_listener(void)
{
	int listener, before = hang_listener(&listener);
	struct second o = {0};
	pthread_t thread;

	snprintf(o.text, sizeof(o.text), "shm:%s", path);
	UNIT_EQ(pthread_create(&thread, NULL, open_second, &o), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(o.done, 2000));
	/* From here on no process listens. */
	close(listener);
	pthread_join(thread, NULL);
	UNIT_EQ(o.ret, -EADDRINUSE);
	CU_ASSERT_PTR_NOT_NULL(strstr(o.reason, "cannot listen at"));
	UNIT_EQ(access(path, F_OK), 0);
	if (!o.ret)
		evb_sink_close(&o.sink);
	unlink(path);
	close(before);
}

static void no_filter(void)
{
	struct roc_filter *f = NULL;
	struct evb_sink second;
	uint64_t handle;
	int fd;

	UNIT_EQ(roc_filter_open("/tmp/roc-nowhere", &f), -ENOENT);
	begin(",pass");
	/* Two builders use one socket. */
	{
		char text[80];

		snprintf(text, sizeof(text), "shm:%s", path);
		CU_ASSERT_TRUE(evb_sink_open(text, "bu2", &second, reason) < 0);
		CU_ASSERT_TRUE(strstr(reason, "cannot listen at") != NULL);
	}
	/* Without filters a block passes and is counted. */
	UNIT_EQ(put(-1), 1);
	UNIT_EQ(sink.ops->done(sink.self, &handle, 1), 1);
	UNIT_EQ(counters().unknown, 1);
	end();
	/* A regular file of that name is not replaced. */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	{
		char text[80];

		snprintf(text, sizeof(text), "shm:%s", path);
		reason[0] = '\0';
		UNIT_EQ(evb_sink_open(text, "bu1", &second, reason), -EADDRINUSE);
		UNIT_EQ(access(path, F_OK), 0);
		unlink(path);
	}
	/* A socket that a killed process left is taken over. */
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	{
		struct sockaddr_un at = {.sun_family = AF_UNIX};

		strcpy(at.sun_path, path);
		UNIT_EQ(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	}
	close(fd);
	begin("");
	/* Another process has replaced the socket. */
	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	evb_sink_close(&sink);
	UNIT_EQ(access(path, F_OK), 0);
	unlink(path);
	munmap(block_memory, MEMORY);
	block_memory = NULL;
	close(memory);
}

UNIT_MAIN("Sink shm", {"lend and return", there_and_back}, {"filter exits", filter_dies},
	  {"last filter exits", last_filter_dies}, {"hanging filter", filter_hangs},
	  {"no free file descriptor", no_files}, {"invalid messages of filters", bad_filters},
	  {"signal while a filter opens", a_signal_while_opening},
	  {"hanging builder", builder_hangs}, {"socket of a hanging builder", second_listener},
	  {"no filter", no_filter})
