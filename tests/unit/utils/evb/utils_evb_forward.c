// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the sink forward with a roc-recv: each block is returned once, and the received data are
 * those of the blocks.
 */
#include "unit.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/unit/utils/evb/blocks.h"
#include "tests/unit/utils/network/network_run.h"
#include "utils/evb/sink.h"
#include "utils/record/recording.h"

#define MEMORY (8 << 20)
#define COUNT 60

static struct evb_sink sink;
static char reason[UNITS_REASON];
static struct block *blocks[COUNT];
static unsigned int back;

static void begin(void)
{
	char text[64];

	snprintf(text, sizeof(text), "forward:127.0.0.1:%u,largest=64Ki", port);
	reason[0] = '\0';
	UNIT_EQ(evb_sink_open(text, "bu1", &sink, reason), 0);
	UNIT_NEED(sink.ops);
	block_memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(block_memory != MAP_FAILED);
	block_room = MEMORY;
	block_used = back = 0;
	UNIT_EQ(sink.ops->memory(sink.self, -1, block_memory, MEMORY), 0);
}

static void turn(void)
{
	uint64_t handles[16];
	int n, i;

	UNIT_EQ(sink.ops->flush(sink.self), 0);
	n = sink.ops->done(sink.self, handles, 16);
	CU_ASSERT_TRUE(n >= 0);
	for (i = 0; i < n; i++) {
		struct block *b = handles[i] - 1000 < COUNT ? blocks[handles[i] - 1000] : NULL;

		UNIT_NEED(b && b->mep.handle == handles[i]);
		b->mep.handle = 0;
		back++;
	}
}

static int finishes(void)
{
	int ret = 0;

	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->finish(sink.self)) != 0, 20000));
	return ret;
}

/* Compare the MFP of @source in block @number with the next units of its link. */
static unsigned int wrong_mfp(const struct recording *r, uint64_t *next, unsigned int number,
			      unsigned int source, FILE *data)
{
	const struct roc_mfp_view *v = &blocks[number]->sources[source].view;
	static char got[1 << 16];
	unsigned int i, wrong = 0;

	for (i = 0; i < v->count; i++) {
		const struct recording_entry *e;

		while (*next < r->parts[0].count &&
		       r->parts[0].entries[*next].link != (int32_t)source)
			++*next;
		if (*next == r->parts[0].count)
			return wrong + 1;
		e = &r->parts[0].entries[(*next)++];
		UNIT_NEED(e->bytes == v->segments[i].iov_len && e->bytes <= sizeof(got));
		UNIT_EQ(fseek(data, (long)e->offset, SEEK_SET), 0);
		UNIT_EQ(fread(got, 1, e->bytes, data), e->bytes);
		wrong += memcmp(got, v->segments[i].iov_base, e->bytes) != 0;
		wrong += e->first != number * EVENTS;
	}
	return wrong;
}

static void there(void)
{
	struct recording r = {0};
	unsigned int i, s, wrong = 0;
	char options[160];
	uint64_t next;
	FILE *data;
	pid_t pid;

	fresh();
	snprintf(options, sizeof(options), "--once --buffer-size=1Mi --record=%s", file("a"));
	pid = receiver("recv", 0, options);
	begin();
	for (i = 0; i < COUNT; i++) {
		blocks[i] = make_block(i, i % 3 ? 200 : 5000, -1);
		CU_ASSERT_TRUE(
			UNIT_WAIT((turn(), sink.ops->put(sink.self, &blocks[i]->mep) == 1), 5000));
	}
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), back == COUNT), 20000));
	UNIT_EQ(finishes(), 1);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	UNIT_EQ(recording_open(file("a"), &r, reason), 0);
	UNIT_NEED(r.count == 1);
	data = fopen(r.parts[0].data, "r");
	UNIT_NEED(data);
	for (s = 0; s < SOURCES; s++) {
		for (i = 0, next = 0; i < COUNT; i++)
			wrong += wrong_mfp(&r, &next, i, s, data);
	}
	UNIT_EQ(wrong, 0);
	fclose(data);
	recording_close(&r);
	evb_sink_close(&sink);
	for (i = 0; i < COUNT; i++)
		free_block(blocks[i]);
	munmap(block_memory, MEMORY);
}

/* The receiver is lost permanently: all blocks are returned and counted as lost. */
static void lost(void)
{
	struct evb_sink_counters n;
	unsigned int i;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--buffer-size=1Mi");
	begin();
	for (i = 0; i < 10; i++) {
		blocks[i] = make_block(i, 300, -1);
		UNIT_EQ(sink.ops->put(sink.self, &blocks[i]->mep), 1);
	}
	kill(-pid, SIGKILL);
	tool_wait(pid, 5000);
	sink.ops->abandon(sink.self);
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), back == 10), 5000));
	sink.counters(sink.self, &n);
	CU_ASSERT_TRUE(n.lost <= 10);
	evb_sink_close(&sink);
	for (i = 0; i < 10; i++)
		free_block(blocks[i]);
	munmap(block_memory, MEMORY);
}

/* A receiver that hangs does not block the caller of done(). */
static void receiver_hangs(void)
{
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--buffer-size=1Mi");
	begin();
	blocks[0] = make_block(0, 300, -1);
	UNIT_EQ(sink.ops->put(sink.self, &blocks[0]->mep), 1);
	CU_ASSERT_TRUE(UNIT_WAIT((turn(), back == 1), 10000));
	kill(-pid, SIGSTOP);
	UNIT_EQ(sink.ops->finish(sink.self), 0);
	kill(-pid, SIGCONT);
	UNIT_EQ(finishes(), 1);
	evb_sink_close(&sink);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	free_block(blocks[0]);
	munmap(block_memory, MEMORY);
}

static void refused(void)
{
	CU_ASSERT_TRUE(evb_sink_open("forward", "bu1", &sink, reason) < 0);
	CU_ASSERT_TRUE(strstr(reason, "the host of roc-recv is missing") != NULL);
	reason[0] = '\0';
	CU_ASSERT_TRUE(evb_sink_open("forward:[::1", "bu1", &sink, reason) < 0);
	CU_ASSERT_TRUE(strstr(reason, "is not [ADDRESS] or [ADDRESS]:PORT") != NULL);
	reason[0] = '\0';
	UNIT_EQ(evb_sink_open("forward:[::1]:1,largest=4096", "bu1", &sink, reason), 0);
	UNIT_EQ(sink.ops->memory(sink.self, -1, NULL, 0), -EIO);
	CU_ASSERT_TRUE(sink.ops->reason(sink.self)[0] != '\0');
	evb_sink_close(&sink);
}

UNIT_MAIN("Sink forward", {"received data are those of the blocks", there}, {"lost receiver", lost},
	  {"hanging receiver", receiver_hangs}, {"refused arguments", refused})
