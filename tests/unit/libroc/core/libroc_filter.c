// SPDX-License-Identifier: GPL-2.0-or-later
/* Test a filter process. The test acts as the builder and sends valid and invalid messages. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <roc/filter.h>

#include "tests/unit/filter_opening.h"
#include "tests/unit/libroc/libroc_error.h"

#define LENGTH 4096
#define DESCRIPTORS 2 /* maximum sent with a hello */

static struct {
	char path[64];
	int listener, fd, memory;
	struct opening opening;
} builder;

static bool no_memory;

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	if (!no_memory)
		return __real_calloc(count, size);
	errno = ENOMEM;
	return NULL;
}

struct message {
	struct roc_filter_block b;
	struct roc_filter_source s;
	struct roc_filter_segment segment;
	uint64_t extra;
} __attribute__((packed));

static void say_hello(unsigned int descriptors)
{
	struct roc_filter_hello hello = {
		.magic = ROC_FILTER_MAGIC, .length = LENGTH, .depth = 2, .message = 4096};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(descriptors * sizeof(int)),
			      .cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS}};
	struct iovec v = {.iov_base = &hello, .iov_len = sizeof(hello)};
	struct msghdr with = {.msg_iov = &v,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = control.head.cmsg_len};
	int each[DESCRIPTORS] = {builder.memory, builder.memory};

	memcpy(CMSG_DATA(&control.head), each, descriptors * sizeof(int));
	UNIT_EQ(sendmsg(builder.fd, &with, 0), sizeof(hello));
}

/*
 * Open a filter on this builder's memory, which starts with an MFP. Return the result of the open.
 */
static int open_filter(int seals, unsigned int descriptors)
{
	struct roc_mfp head = {.events = 1, .bytes = ROC_MFP_HEAD};
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	unsigned char mfp[ROC_MFP_HEAD];
	pthread_t thread;

	snprintf(builder.path, sizeof(builder.path), "/tmp/roc-filter-%d", getpid());
	strcpy(at.sun_path, builder.path);
	unlink(builder.path);
	builder.listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	UNIT_EQ(bind(builder.listener, (struct sockaddr *)&at, sizeof(at)), 0);
	UNIT_EQ(listen(builder.listener, 1), 0);
	builder.memory = memfd_create("blocks", MFD_ALLOW_SEALING);
	UNIT_EQ(ftruncate(builder.memory, LENGTH), 0);
	roc_mfp_put(mfp, &head);
	UNIT_EQ(pwrite(builder.memory, mfp, sizeof(mfp), 0), sizeof(mfp));
	UNIT_EQ(fcntl(builder.memory, F_ADD_SEALS, seals), 0);
	builder.opening = (struct opening){.path = builder.path};
	UNIT_EQ(pthread_create(&thread, NULL, open_in_thread, &builder.opening), 0);
	builder.fd = accept(builder.listener, NULL, NULL);
	say_hello(descriptors);
	pthread_join(thread, NULL);
	return builder.opening.ret;
}

static struct roc_filter *filter(void)
{
	UNIT_NEED(!open_filter(F_SEAL_SHRINK, 1));
	return builder.opening.filter;
}

static void end(struct roc_filter *f)
{
	roc_filter_close(f);
	close(builder.fd);
	close(builder.memory);
	close(builder.listener);
	unlink(builder.path);
}

/* Send a block of one MFP. */
static void send_block(uint64_t handle)
{
	struct message m = {.b = {.handle = handle, .events = 1, .count = 1, .segments = 1},
			    .s = {.name = "ru1", .segments = 1},
			    .segment = {0, LENGTH}};

	UNIT_EQ(send(builder.fd, &m, sizeof(m) - 8, 0), sizeof(m) - 8);
}

static int open_files(void)
{
	int fd, count = 0;

	for (fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* A hello has one descriptor; the library must close all others. */
static void other_descriptors(void)
{
	unsigned int descriptors;
	int before;

	for (descriptors = 0; descriptors <= DESCRIPTORS; descriptors++) {
		before = open_files();
		UNIT_EQ(open_filter(F_SEAL_SHRINK, descriptors), descriptors == 1 ? 0 : -EPROTO);
		end(builder.opening.filter);
		UNIT_EQ(open_files(), before);
	}
}

/* Memory without a seal could be truncated, which would kill the reader by SIGBUS. */
static void memory_that_may_shrink(void)
{
	UNIT_EQ(open_filter(F_SEAL_GROW, 1), -EPROTO);
	CU_ASSERT_PTR_NULL(builder.opening.filter);
	end(builder.opening.filter);
}

/*
 * After an invalid message no block is accepted, even if it arrived before the connection was
 * closed.
 */
static void blocks_after_an_invalid_message(void)
{
	const struct roc_mep *mep = NULL, *none = NULL;
	struct roc_filter *f = filter();

	send_block(1);
	UNIT_EQ(send(builder.fd, "x", 1, 0), 1);
	send_block(2);
	UNIT_EQ(roc_filter_take(f, &mep), 1);
	UNIT_EQ(roc_filter_take(f, &none), -EBADMSG);
	UNIT_EQ(roc_filter_take(f, &none), -ENODATA);
	ERROR_HAS("the connection was closed");
	CU_ASSERT_PTR_NULL(none);
	UNIT_EQ(mep->handle, 1);
	UNIT_EQ(roc_filter_return(f, mep, 0), -ENODATA);
	UNIT_EQ(roc_filter_take(f, &none), -ENODATA);
	end(f);
}

/* A block whose tables could not be allocated is delivered by a later call. */
static void no_memory_for_a_block(void)
{
	const struct roc_mep *mep[2] = {NULL, NULL};
	struct roc_filter *f = filter();
	int i;

	send_block(1);
	send_block(2);
	errno = 77;
	for (i = 0; i < 2; i++) {
		no_memory = true;
		UNIT_EQ(roc_filter_take(f, &mep[i]), -ENOMEM);
		UNIT_EQ(roc_filter_take(f, &mep[i]), -ENOMEM);
		no_memory = false;
		ERROR_HAS("call again");
		UNIT_EQ(errno, 77);
		UNIT_EQ(roc_filter_take(f, &mep[i]), 1);
		UNIT_NEED(mep[i] != NULL);
		UNIT_EQ(mep[i]->handle, i + 1);
	}
	UNIT_EQ(roc_filter_return(f, mep[1], 0), 0);
	UNIT_EQ(roc_filter_return(f, mep[0], 0), 0);
	UNIT_EQ(roc_filter_take(f, &mep[0]), 0);
	end(f);
}

/* Invalid messages of a builder do not harm the filter. */
static void invalid_messages(void)
{
	static const struct {
		uint32_t count, segments, state, of_source;
		uint64_t offset, bytes;
		int extra;
	} say[] = {
		{1, 1, 0, 1, 4096, 1, 0}, {1, 1, 0, 1, UINT64_MAX, 2, 0},
		{1, 1, 0, 1, 0, 4097, 0}, {1, 1, 0, 1, 0, UINT64_MAX, 0},
		{1, 1, 0, 2, 0, 100, 0},  {1, 1, 3, 1, 0, 100, 0},
		{1, 1, 1, 0, 0, 100, 0},  {1, 1, 0, 1, 0, 100, 8},
		{5000, 0, 0, 0, 0, 0, 0}, {1, 1, 0, 1, 1, 100, 0},
		{1, 1, 0, 1, 0, 4096, 0},
	};
	/* The last one is valid. */
	size_t i;

	for (i = 0; i < sizeof(say) / sizeof(say[0]); i++) {
		struct roc_filter *f = filter();
		const struct roc_mep *mep;
		struct message m = {
			.b = {.events = 1, .count = say[i].count, .segments = say[i].segments},
			.s = {.name = "ru1", .state = say[i].state, .segments = say[i].of_source},
			.segment = {say[i].offset, say[i].bytes},
		};
		size_t bytes = sizeof(m) - 8 + (size_t)say[i].extra;

		UNIT_EQ(send(builder.fd, &m, bytes, 0), bytes);
		UNIT_EQ(roc_filter_take(f, &mep),
			i + 1 < sizeof(say) / sizeof(say[0]) ? -EBADMSG : 1);
		end(f);
	}
}

/* A valid MFP that belongs to another block than the header. */
static void mfp_of_another_block(void)
{
	static const struct roc_filter_block heads[] = {
		{.events = 2, .count = 1, .segments = 1},
		{.events = 0, .count = 1, .segments = 1},
		{.events = 1, .count = 1, .segments = 1, .block = 1},
		{.events = 1, .count = 1, .segments = 1, .first_event = UINT64_MAX},
	};
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct roc_filter *f = filter();
		const struct roc_mep *mep = NULL;
		struct message m = {
			.b = heads[i], .s = {.name = "ru1", .segments = 1}, .segment = {0, LENGTH}};

		UNIT_EQ(send(builder.fd, &m, sizeof(m) - 8, 0), sizeof(m) - 8);
		UNIT_EQ(roc_filter_take(f, &mep), -EBADMSG);
		CU_ASSERT_PTR_NULL(mep);
		end(f);
	}
}

UNIT_MAIN("libroc_filter", {"invalid messages", invalid_messages},
	  {"unexpected descriptors", other_descriptors},
	  {"memory without a seal against shrinking", memory_that_may_shrink},
	  {"blocks after an invalid message", blocks_after_an_invalid_message},
	  {"no memory for a block", no_memory_for_a_block},
	  {"an MFP of another block", mfp_of_another_block})
