// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes and their numbers, with a simulated libfabric endpoint. If a number needs a write of its
 * own, it follows its data, once, and before the next data, even if libfabric returns -FI_EAGAIN in
 * between. Open and close are tested with libfabric itself.
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
	unsigned int count, capacity; /* received writes; number of further calls that succeed */
	unsigned int writes_before_message; /* number of writes before the last message */
	ssize_t refusal;		    /* error of the other calls */
	struct fi_cq_data_entry entries[8];
	unsigned int entry_count,
		empty_reads; /* reads of unreported completions, before the entries */
} simulated;

static ssize_t writemsg(struct fid_ep *ep, const struct fi_msg_rma *m, uint64_t flags)
{
	unsigned int n = simulated.count;
	size_t i;

	if (!simulated.capacity)
		return simulated.refusal;
	UNIT_NEED(n < WRITES);
	simulated.capacity--;
	simulated.count++;
	simulated.writes[n].flags = flags;
	simulated.writes[n].to = m->rma_iov->addr;
	simulated.writes[n].key = m->rma_iov->key;
	simulated.writes[n].data = m->data;
	simulated.writes[n].pieces = m->iov_count;
	simulated.writes[n].context = m->context;
	simulated.writes[n].bytes = 0;
	for (i = 0; i < m->iov_count; i++)
		simulated.writes[n].bytes += m->msg_iov[i].iov_len;
	UNIT_EQ(m->rma_iov_count, 1);
	UNIT_EQ(m->rma_iov->len, simulated.writes[n].bytes);
	return 0;
}

static ssize_t cq_read(struct fid_cq *cq, void *buf, size_t count)
{
	size_t n = simulated.entry_count;

	if (simulated.empty_reads) {
		simulated.empty_reads--;
		memset(buf, 0, count * sizeof(simulated.entries[0]));
		return (ssize_t)count;
	}
	if (!n)
		return -FI_EAGAIN;
	memcpy(buf, simulated.entries, n * sizeof(simulated.entries[0]));
	simulated.entry_count = 0;
	return (ssize_t)n;
}

/* The data of a message are ignored. */
static ssize_t send_message(struct fid_ep *e, const void *buf, size_t len, void *desc, fi_addr_t to,
			    void *context)
{
	if (!simulated.capacity)
		return simulated.refusal;
	simulated.capacity--;
	simulated.writes_before_message = simulated.count;
	return 0;
}

static struct fi_ops_msg messages = {.size = sizeof(messages), .send = send_message};
static struct fi_ops_rma rma = {.size = sizeof(rma), .writemsg = writemsg};
static struct fi_ops_cq cq_ops = {.size = sizeof(cq_ops), .read = cq_read};
static struct fid_ep ep = {.rma = &rma, .msg = &messages};
static struct fid_cq cq = {.ops = &cq_ops};

static char memory[64], reason[FABRIC_REASON];
static int contexts[2]; /* contexts */

static struct fabric_end new_end(unsigned int capacity)
{
	memset(&simulated, 0, sizeof(simulated));
	simulated.capacity = capacity;
	simulated.refusal = -FI_EAGAIN;
	return (struct fabric_end){.ep = &ep, .cq = &cq, .fd = -1};
}

static int write_fragment(const struct fabric *f, struct fabric_end *e, unsigned int i, bool more)
{
	const struct fabric_write w = {
		.head = memory,
		.data = memory + 16,
		.head_bytes = 16,
		.data_bytes = 32,
		.to = 0x1000 * (i + 1),
		.key = 7,
		.number = 40 + i,
		.context = &contexts[i],
		.more = more,
	};

	return fabric_end_write(f, e, &w);
}

static void is_data(unsigned int n, unsigned int i)
{
	UNIT_EQ(simulated.writes[n].flags & FI_REMOTE_CQ_DATA, 0);
	CU_ASSERT(!!(simulated.writes[n].flags & FI_MORE));
	UNIT_EQ(simulated.writes[n].to, 0x1000 * (i + 1));
	UNIT_EQ(simulated.writes[n].key, 7);
	UNIT_EQ(simulated.writes[n].bytes, 48);
	UNIT_EQ(simulated.writes[n].pieces, 2);
	CU_ASSERT_PTR_NULL(simulated.writes[n].context);
}

static void is_number(unsigned int n, unsigned int i, bool more)
{
	CU_ASSERT(!!(simulated.writes[n].flags & FI_REMOTE_CQ_DATA));
	UNIT_EQ(!!(simulated.writes[n].flags & FI_MORE), more);
	UNIT_EQ(simulated.writes[n].data, 40 + i);
	UNIT_EQ(simulated.writes[n].to, 0x1000 * (i + 1));
	UNIT_EQ(simulated.writes[n].key, 7);
	UNIT_EQ(simulated.writes[n].bytes, 0);
	CU_ASSERT_PTR_EQUAL(simulated.writes[n].context, &contexts[i]);
}

static const struct fabric separate = {.number_separate = true},
			   combined = {.number_separate = false};

static void together(void)
{
	struct fabric_end e = new_end(WRITES);

	UNIT_EQ(write_fragment(&combined, &e, 0, true), 0);
	UNIT_EQ(simulated.count, 1);
	CU_ASSERT(!!(simulated.writes[0].flags & FI_REMOTE_CQ_DATA));
	CU_ASSERT(!!(simulated.writes[0].flags & FI_MORE));
	UNIT_EQ(simulated.writes[0].data, 40);
	UNIT_EQ(simulated.writes[0].bytes, 48);
	CU_ASSERT_PTR_EQUAL(simulated.writes[0].context, &contexts[0]);
}

static void number_behind(void)
{
	struct fabric_end e = new_end(WRITES);

	UNIT_EQ(write_fragment(&separate, &e, 0, true), 0);
	UNIT_EQ(write_fragment(&separate, &e, 1, false), 0);
	UNIT_EQ(simulated.count, 4);
	is_data(0, 0);
	is_number(1, 0, true);
	is_data(2, 1);
	is_number(3, 1, false);
}

/*
 * libfabric accepts the data but not the number: the next fetch of events sends the number, once.
 */
static void number_later(void)
{
	struct fabric_end e = new_end(1);
	struct fabric_event events[4];

	UNIT_EQ(write_fragment(&separate, &e, 0, false), 0);
	UNIT_EQ(simulated.count, 1);
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(simulated.count, 1);
	simulated.capacity = WRITES;
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), 0);
	UNIT_EQ(simulated.count, 2);
	is_data(0, 0);
	is_number(1, 0, false);
}

static void number_first(void)
{
	struct fabric_end e = new_end(1);

	UNIT_EQ(write_fragment(&separate, &e, 0, false), 0);
	/* The next data must wait for the number. */
	UNIT_EQ(write_fragment(&separate, &e, 1, false), -EAGAIN);
	UNIT_EQ(simulated.count, 1);
	/* The number is sent, but no data. */
	simulated.capacity = 1;
	UNIT_EQ(write_fragment(&separate, &e, 1, false), -EAGAIN);
	UNIT_EQ(simulated.count, 2);
	is_number(1, 0, false);
	simulated.capacity = WRITES;
	UNIT_EQ(write_fragment(&separate, &e, 1, false), 0);
	UNIT_EQ(simulated.count, 4);
	is_data(2, 1);
	is_number(3, 1, false);
}

/* A message must not overtake the number, because it can announce the end of the data. */
static void number_before_message(void)
{
	struct fabric_end e = new_end(1);

	UNIT_EQ(write_fragment(&separate, &e, 0, false), 0);
	UNIT_EQ(fabric_end_send(&separate, &e, memory, 8, &contexts[1]), -EAGAIN);
	simulated.capacity = WRITES;
	UNIT_EQ(fabric_end_send(&separate, &e, memory, 8, &contexts[1]), 0);
	UNIT_EQ(simulated.count, 2);
	is_number(1, 0, false);
	UNIT_EQ(simulated.writes_before_message, 2);
}

static void number_refused(void)
{
	struct fabric_end e = new_end(1);
	struct fabric_event events[4];

	UNIT_EQ(write_fragment(&separate, &e, 0, false), 0);
	simulated.refusal = -FI_ENOTCONN;
	reason[0] = 0;
	UNIT_EQ(fabric_end_events(&e, events, 4, reason), -ENOTCONN);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "The transfer over libfabric failed"));
	UNIT_EQ(simulated.count, 1);
	e = new_end(1);
	simulated.refusal = -FI_ENOTCONN;
	UNIT_EQ(write_fragment(&separate, &e, 0, false), -ENOTCONN);
}

/* The completion of data whose number is sent separately is not reported. */
static void events_once(void)
{
	struct fabric_end e = new_end(WRITES);
	struct fabric_event events[8];

	simulated.entries[0] = (struct fi_cq_data_entry){.flags = FI_RMA | FI_WRITE};
	simulated.entries[1] = (struct fi_cq_data_entry){
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, .data = 11};
	simulated.entries[2] =
		(struct fi_cq_data_entry){.flags = FI_RMA | FI_WRITE, .op_context = &contexts[1]};
	simulated.entries[3] =
		(struct fi_cq_data_entry){.flags = FI_RECV, .op_context = &contexts[0], .len = 5};
	simulated.entry_count = 4;
	simulated.empty_reads = 3;
	UNIT_EQ(fabric_end_events(&e, events, 8, reason), 3);
	CU_ASSERT_PTR_NULL(events[0].context);
	UNIT_EQ(events[0].data, 11);
	CU_ASSERT_FALSE(events[0].received);
	CU_ASSERT_PTR_EQUAL(events[1].context, &contexts[1]);
	CU_ASSERT_FALSE(events[1].received);
	CU_ASSERT_PTR_EQUAL(events[2].context, &contexts[0]);
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

/* Return all variables, one per line. */
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

/* The caller's environment does not change, even if several threads open the first fabric. */
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

UNIT_MAIN("writes and their numbers", {"data and number in one write", together},
	  {"number follows its data", number_behind}, {"number is sent later", number_later},
	  {"number before the next data", number_first},
	  {"number before a message", number_before_message}, {"number is refused", number_refused},
	  {"events", events_once}, {"failed close", not_closed},
	  {"unsupported provider", unsupported}, {"open by several threads", first_of_several},
	  {"environment that breaks the order", broken_order})
