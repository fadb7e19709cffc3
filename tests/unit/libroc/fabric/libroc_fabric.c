// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes and their numbers, with an endpoint of libfabric played here: where a number goes in a
 * write of its own it comes behind its data, once, and before the next data, also when libfabric
 * takes no more in between. And what is opened and closed, by libfabric itself.
 */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "libroc/fabric/fabric.h"

#define WRITES 16

static struct {
	struct {
		uint64_t flags, to, key, data;
		size_t bytes, pieces;
		void *context;
	} writes[WRITES];
	unsigned int count, room;     /* writes that came; how many more are taken */
	unsigned int messages_behind; /* so many writes the last message came */
	ssize_t refusal;	      /* of the others */
	struct fi_cq_data_entry entries[8];
	unsigned int entry_count, empty_reads; /* full ones of data only, before those */
} played;

static ssize_t writemsg(struct fid_ep *ep, const struct fi_msg_rma *m, uint64_t flags)
{
	unsigned int n = played.count;
	size_t i;

	if (!played.room)
		return played.refusal;
	UNIT_NEED(n < WRITES);
	played.room--;
	played.count++;
	played.writes[n].flags = flags;
	played.writes[n].to = m->rma_iov->addr;
	played.writes[n].key = m->rma_iov->key;
	played.writes[n].data = m->data;
	played.writes[n].pieces = m->iov_count;
	played.writes[n].context = m->context;
	played.writes[n].bytes = 0;
	for (i = 0; i < m->iov_count; i++)
		played.writes[n].bytes += m->msg_iov[i].iov_len;
	UNIT_EQ(m->rma_iov_count, 1);
	UNIT_EQ(m->rma_iov->len, played.writes[n].bytes);
	return 0;
}

static ssize_t cq_read(struct fid_cq *cq, void *buf, size_t count)
{
	size_t n = played.entry_count;

	if (played.empty_reads) {
		played.empty_reads--;
		memset(buf, 0, count * sizeof(played.entries[0]));
		return (ssize_t)count;
	}
	if (!n)
		return -FI_EAGAIN;
	memcpy(buf, played.entries, n * sizeof(played.entries[0]));
	played.entry_count = 0;
	return (ssize_t)n;
}

/* A message is of its own sort: it has no bytes here. */
static ssize_t send_message(struct fid_ep *e, const void *buf, size_t len, void *desc, fi_addr_t to,
			    void *context)
{
	if (!played.room)
		return played.refusal;
	played.room--;
	played.messages_behind = played.count;
	return 0;
}

static struct fi_ops_msg messages = {.size = sizeof(messages), .send = send_message};
static struct fi_ops_rma rma = {.size = sizeof(rma), .writemsg = writemsg};
static struct fi_ops_cq cq_ops = {.size = sizeof(cq_ops), .read = cq_read};
static struct fid_ep ep = {.rma = &rma, .msg = &messages};
static struct fid_cq cq = {.ops = &cq_ops};

static char memory[64], reason[FABRIC_REASON];
static int mine[2]; /* contexts */

static struct fabric_end fresh(unsigned int room)
{
	memset(&played, 0, sizeof(played));
	played.room = room;
	played.refusal = -FI_EAGAIN;
	return (struct fabric_end){.ep = &ep, .cq = &cq, .fd = -1};
}

static int put(const struct fabric *f, struct fabric_end *e, unsigned int i, bool more)
{
	const struct fabric_write w = {
		.head = memory,
		.data = memory + 16,
		.head_bytes = 16,
		.data_bytes = 32,
		.to = 0x1000 * (i + 1),
		.key = 7,
		.number = 40 + i,
		.context = &mine[i],
		.more = more,
	};

	return fabric_end_write(f, e, &w);
}

static void is_data(unsigned int n, unsigned int i)
{
	UNIT_EQ(played.writes[n].flags & FI_REMOTE_CQ_DATA, 0);
	CU_ASSERT(!!(played.writes[n].flags & FI_MORE));
	UNIT_EQ(played.writes[n].to, 0x1000 * (i + 1));
	UNIT_EQ(played.writes[n].key, 7);
	UNIT_EQ(played.writes[n].bytes, 48);
	UNIT_EQ(played.writes[n].pieces, 2);
	CU_ASSERT_PTR_NULL(played.writes[n].context);
}

static void is_number(unsigned int n, unsigned int i, bool more)
{
	CU_ASSERT(!!(played.writes[n].flags & FI_REMOTE_CQ_DATA));
	UNIT_EQ(!!(played.writes[n].flags & FI_MORE), more);
	UNIT_EQ(played.writes[n].data, 40 + i);
	UNIT_EQ(played.writes[n].to, 0x1000 * (i + 1));
	UNIT_EQ(played.writes[n].key, 7);
	UNIT_EQ(played.writes[n].bytes, 0);
	CU_ASSERT_PTR_EQUAL(played.writes[n].context, &mine[i]);
}

static const struct fabric apart = {.number_separate = true}, whole = {.number_separate = false};

static void together(void)
{
	struct fabric_end e = fresh(WRITES);

	UNIT_EQ(put(&whole, &e, 0, true), 0);
	UNIT_EQ(played.count, 1);
	CU_ASSERT(!!(played.writes[0].flags & FI_REMOTE_CQ_DATA));
	CU_ASSERT(!!(played.writes[0].flags & FI_MORE));
	UNIT_EQ(played.writes[0].data, 40);
	UNIT_EQ(played.writes[0].bytes, 48);
	CU_ASSERT_PTR_EQUAL(played.writes[0].context, &mine[0]);
}

static void number_behind(void)
{
	struct fabric_end e = fresh(WRITES);

	UNIT_EQ(put(&apart, &e, 0, true), 0);
	UNIT_EQ(put(&apart, &e, 1, false), 0);
	UNIT_EQ(played.count, 4);
	is_data(0, 0);
	is_number(1, 0, true);
	is_data(2, 1);
	is_number(3, 1, false);
}

/* The data are taken, the number is not: it is said when events are asked for, once. */
static void number_later(void)
{
	struct fabric_end e = fresh(1);
	struct fabric_event events[4];

	UNIT_EQ(put(&apart, &e, 0, false), 0);
	UNIT_EQ(played.count, 1);
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(played.count, 1);
	played.room = WRITES;
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(played.count, 2);
	is_data(0, 0);
	is_number(1, 0, false);
}

static void number_first(void)
{
	struct fabric_end e = fresh(1);

	UNIT_EQ(put(&apart, &e, 0, false), 0);
	/* Not even the next data. */
	UNIT_EQ(put(&apart, &e, 1, false), -EAGAIN);
	UNIT_EQ(played.count, 1);
	/* The number, and no data. */
	played.room = 1;
	UNIT_EQ(put(&apart, &e, 1, false), -EAGAIN);
	UNIT_EQ(played.count, 2);
	is_number(1, 0, false);
	played.room = WRITES;
	UNIT_EQ(put(&apart, &e, 1, false), 0);
	UNIT_EQ(played.count, 4);
	is_data(2, 1);
	is_number(3, 1, false);
}

/* A message that says that all was sent must not come before it. */
static void number_before_message(void)
{
	struct fabric_end e = fresh(1);

	UNIT_EQ(put(&apart, &e, 0, false), 0);
	UNIT_EQ(fabric_end_send(&apart, &e, memory, 8, &mine[1]), -EAGAIN);
	played.room = WRITES;
	UNIT_EQ(fabric_end_send(&apart, &e, memory, 8, &mine[1]), 0);
	UNIT_EQ(played.count, 2);
	is_number(1, 0, false);
	UNIT_EQ(played.messages_behind, 2);
}

static void number_refused(void)
{
	struct fabric_end e = fresh(1);
	struct fabric_event events[4];

	UNIT_EQ(put(&apart, &e, 0, false), 0);
	played.refusal = -FI_ENOTCONN;
	reason[0] = 0;
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), -ENOTCONN);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "The transfer over libfabric failed"));
	UNIT_EQ(played.count, 1);
	e = fresh(1);
	played.refusal = -FI_ENOTCONN;
	UNIT_EQ(put(&apart, &e, 0, false), -ENOTCONN);
}

/* Data whose number follows are told of by that. */
static void events_once(void)
{
	struct fabric_end e = fresh(WRITES);
	struct fabric_event events[8];

	played.entries[0] = (struct fi_cq_data_entry){.flags = FI_RMA | FI_WRITE};
	played.entries[1] = (struct fi_cq_data_entry){
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, .data = 11};
	played.entries[2] =
		(struct fi_cq_data_entry){.flags = FI_RMA | FI_WRITE, .op_context = &mine[1]};
	played.entries[3] =
		(struct fi_cq_data_entry){.flags = FI_RECV, .op_context = &mine[0], .len = 5};
	played.entry_count = 4;
	played.empty_reads = 3;
	UNIT_EQ(fabric_end_events(&e, events, 8, reason), 3);
	CU_ASSERT_PTR_NULL(events[0].context);
	UNIT_EQ(events[0].data, 11);
	CU_ASSERT_FALSE(events[0].received);
	CU_ASSERT_PTR_EQUAL(events[1].context, &mine[1]);
	CU_ASSERT_FALSE(events[1].received);
	CU_ASSERT_PTR_EQUAL(events[2].context, &mine[0]);
	CU_ASSERT_TRUE(events[2].received);
	UNIT_EQ(events[2].bytes, 5);
}

/* A provider that cannot work is named before libfabric is loaded. */
static void unsupported(void)
{
	struct fabric f;

	reason[0] = '\0';
	UNIT_EQ(fabric_open(&f, "cxi", NULL, reason), -EINVAL);
	UNIT_STR(reason, "Provider cxi is not supported: use tcp, shm, verbs or efa.");
	fabric_close(&f, reason);
}

/* What a provider returns from the close of each part of an endpoint, or of a domain. */
static int closes[8];
static unsigned int close_count;

static int close_played(struct fid *fid)
{
	UNIT_NEED(close_count < 8);
	return closes[close_count++];
}

/* The first failure is reported, and the rest is closed all the same. */
static void not_closed(void)
{
	struct fi_ops ops = {.size = sizeof(ops), .close = close_played};
	struct fid_ep one = {.fid.ops = &ops};
	struct fid_cq queue = {.fid.ops = &ops};
	struct fid_av av = {.fid.ops = &ops};
	struct fid_mr mr = {.fid.ops = &ops};
	struct fid_domain domain = {.fid.ops = &ops};
	struct fabric_end e;
	struct fabric f;
	int i;

	for (i = 0; i < 2; i++) {
		closes[0] = i ? -FI_EBUSY : 0;
		closes[1] = i ? -FI_EINVAL : 0;
		close_count = 0;
		reason[0] = '\0';
		e = (struct fabric_end){.ep = &one, .cq = &queue, .av = &av};
		UNIT_EQ(fabric_end_close(&e, reason), i ? -EIO : 0);
		UNIT_EQ(close_count, 3);
		UNIT_STR(reason,
			 i ? "libfabric: cannot close an endpoint: Device or resource busy." : "");
		close_count = 0;
		reason[0] = '\0';
		f = (struct fabric){.mr = {&mr, &mr}, .region_count = 2, .domain = &domain};
		UNIT_EQ(fabric_close(&f, reason), i ? -EIO : 0);
		UNIT_EQ(close_count, 3);
		UNIT_STR(reason,
			 i ? "libfabric: cannot close registered memory: Device or resource busy."
			   : "");
		CU_ASSERT_PTR_NULL(f.domain);
	}
}

extern char **environ;

/* All variables, one behind the other. */
static char *environment(void)
{
	char *all = NULL, **v;
	size_t length;
	FILE *out = open_memstream(&all, &length);

	UNIT_NEED(out);
	for (v = environ; *v; v++)
		fprintf(out, "%s\n", *v);
	fclose(out);
	return all;
}

static void *open_and_close(void *unused)
{
	char failure[FABRIC_REASON] = "";
	struct fabric f;
	int ret = fabric_open(&f, "tcp", NULL, failure);

	if (!ret)
		ret = fabric_close(&f, failure);
	return (void *)(intptr_t)ret;
}

/* The caller's environment stays as it is, also if several threads are the first. */
static void first_of_several(void)
{
	pthread_t threads[4];
	char *before, *after;
	unsigned int i;
	void *ret;

	before = environment();
	for (i = 0; i < 4; i++)
		UNIT_NEED(!pthread_create(&threads[i], NULL, open_and_close, NULL));
	for (i = 0; i < 4; i++) {
		UNIT_EQ(pthread_join(threads[i], &ret), 0);
		UNIT_EQ((intptr_t)ret, 0);
	}
	after = environment();
	UNIT_STR(after, before);
	free(before);
	free(after);
}

/* A variable that breaks the order of writes is named, not removed. */
static void broken_order(void)
{
	struct fabric f;

	UNIT_EQ(setenv("FI_TCP_ZEROCOPY_SIZE", "1", 1), 0);
	reason[0] = '\0';
	UNIT_EQ(fabric_open(&f, "tcp", NULL, reason), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "FI_TCP_ZEROCOPY_SIZE"));
	UNIT_EQ(fabric_close(&f, reason), 0);
	UNIT_STR(getenv("FI_TCP_ZEROCOPY_SIZE"), "1");
	fabric_environment();
	CU_ASSERT_PTR_NULL(getenv("FI_TCP_ZEROCOPY_SIZE"));
	UNIT_STR(getenv("FI_UNIVERSE_SIZE"), "16");
}

UNIT_MAIN("writes and their numbers", {"together", together}, {"a number behind", number_behind},
	  {"a number later", number_later}, {"a number before the next data", number_first},
	  {"a number before a message", number_before_message},
	  {"a number that is refused", number_refused}, {"events", events_once},
	  {"what is not closed", not_closed}, {"no such provider", unsupported},
	  {"several threads", first_of_several}, {"broken order", broken_order})
