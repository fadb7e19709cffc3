// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test sinks of event building: errors in blocks are found, and files contain the blocks unchanged.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/utils/evb/sink_run.h"
#include "utils/evb/sink.h"

static void right(void)
{
	static const size_t segments[] = {100000, 1000, 160};
	uint64_t bytes = 0, fragments = 0;
	unsigned int i, s, e;

	open_it("check");
	for (i = 0; i < 30; i++) {
		struct block *b = make_block(i * 2, segments[i % 3], i == 7 ? 2 : -1);

		UNIT_EQ(give(b), 1);
		for (s = 0; s < SOURCES; s++) {
			for (e = i * 2 * EVENTS; e < (i * 2 + 1) * EVENTS; e++) {
				if ((s == 1 && e % 3 == 0) || (s == 2 && i == 7))
					continue;
				fragments++;
				bytes += size_of(s, e);
			}
		}
		free_block(b);
	}
	UNIT_EQ(counters().blocks, 30);
	UNIT_EQ(counters().events, 30 * EVENTS);
	UNIT_EQ(counters().fragments, fragments);
	UNIT_EQ(counters().bytes, bytes);
	UNIT_EQ(counters().incomplete, 1);
	UNIT_EQ(counters().missing, 1);
	UNIT_EQ(counters().errors, 0);
	if (counters().errors)
		unit_note("%s", counters().wrong);
	evb_sink_close(&sink);
}

/* The sink must report the error of the block. */
static void finds_error(struct block *b, const char *expected)
{
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(counters().errors, 1);
	if (!strstr(counters().wrong, expected))
		unit_note("%s", counters().wrong);
	CU_ASSERT_TRUE(strstr(counters().wrong, expected) != NULL);
	evb_sink_close(&sink);
	free_block(b);
}

static void wrong(void)
{
	struct block *b = make_block(5, 200, -1);
	unsigned int last = b->sources[2].view.count - 1;

	((char *)b->segments[2][last].iov_base)[0] ^= 1;
	finds_error(b, " of ru3: byte ");

	b = make_block(5, 200, -1);
	strcpy(b->sources[0].name, "ru9");
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(counters().errors, EVENTS);
	evb_sink_close(&sink);
	free_block(b);

	b = make_block(5, 200, 1);
	b->mep.flags = 0;
	finds_error(b, "Block 5 lacks 1 sources, but is not marked as incomplete.");

	b = make_block(5, 200, -1);
	b->mep.flags = ROC_MEP_INCOMPLETE;
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(counters().errors, 0);
	UNIT_EQ(counters().incomplete, 1);
	evb_sink_close(&sink);
	free_block(b);

	b = make_block(5, 200, -1);
	b->sources[1].view.head.flags |= ROC_MFP_DAMAGED;
	finds_error(b, "Block 5 has damaged data");

	b = make_block(5, 200, -1);
	b->mep.block = 6;
	b->mep.first_event = 48;
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(counters().errors, 3);
	CU_ASSERT_TRUE(strstr(counters().wrong, "the part of ru1 is of block 5") != NULL);
	evb_sink_close(&sink);
	free_block(b);
}

static void twice(void)
{
	/* Block numbers that go up and down, cross the border of the window, and wrap in it. */
	static const uint64_t blocks[] = {70, 3, 69, 4, 65541, 65540, 200000, 199999, 1 << 30};
	unsigned int i;

	open_it("check");
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct block *b = make_block(blocks[i], 5000, -1);

		UNIT_EQ(give(b), 1);
		UNIT_EQ(counters().errors, i);
		UNIT_EQ(give(b), 1);
		UNIT_EQ(counters().errors, i + 1);
		free_block(b);
	}
	CU_ASSERT_TRUE(strstr(counters().wrong, "Block 70 was delivered twice.") != NULL);
	evb_sink_close(&sink);
}

static void packet(unsigned char *at, uint32_t orbit, uint32_t next)
{
	uint32_t words[6] = {64 << 8 | 7, 0, next << 16 | next, 0, 0, orbit};

	memset(at, 0, next);
	memcpy(at, words, sizeof(words));
}

/* Packets of an orbit with all positions of the segment border. */
static void packets(uint32_t orbit, const char *expected)
{
	unsigned char data[80 + 64 + 100 * 3] = {0};
	struct roc_mfp head = {.block = 1,
			       .first_event = 1,
			       .events = 1,
			       .count = 1,
			       .content = EVB_CONTENT_RDH,
			       .bytes = sizeof(data)};
	struct roc_mfp_entry entry = {.bytes = 64 + 100 * 3};
	struct roc_mep_source source = {.name = "cru"};
	struct roc_mep mep = {.block = 1,
			      .first_event = 1,
			      .events = 1,
			      .count = 1,
			      .sources = &source,
			      .handle = 1};
	struct iovec segments[7];
	uint64_t handle;
	unsigned int i;

	roc_mfp_put(data, &head);
	roc_mfp_put_entry(data, 0, &entry);
	packet(data + 80, 5, 100);
	packet(data + 180, 5, 64);
	packet(data + 244, 5, 100);
	packet(data + 344, orbit, 100);
	for (i = 0; i < 7; i++) {
		size_t from = i ? 80 + (i - 1) * 61 : 0, to = i == 6 ? sizeof(data) : 80 + i * 61;

		segments[i] = (struct iovec){.iov_base = data + from, .iov_len = to - from};
	}
	UNIT_EQ(roc_mfp_open(&source.view, segments, 7), 0);
	open_it("check");
	UNIT_EQ(sink.ops->put(sink.self, &mep), 1);
	UNIT_EQ(sink.ops->done(sink.self, &handle, 1), 1);
	UNIT_EQ(counters().errors, expected != NULL);
	if (expected)
		CU_ASSERT_TRUE(strstr(counters().wrong, expected) != NULL);
	UNIT_EQ(counters().unknown, 0);
	evb_sink_close(&sink);
}

static void headers(void)
{
	packets(5, NULL);
	packets(6, "Event 1 of cru: the packet at byte 264 has another orbit.");
}

static char *file(unsigned int number)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/bu1-%06u.mep", dir, number);
	return path;
}

static void files(void)
{
	struct evb_sink_counters in, out;

	make_folder();
	in = record(",size=40000", 60);
	UNIT_EQ(in.blocks, 60);
	CU_ASSERT_TRUE(in.files > 3);
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.blocks, in.blocks);
	UNIT_EQ(out.fragments, in.fragments);
	UNIT_EQ(out.files, in.files);
	UNIT_EQ(out.incomplete, 1);
	UNIT_EQ(out.errors, 0);
	/* A second run does not change the files of the first one. */
	record("", 5);
	reason[0] = '\0';
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.files, in.files + 1);
	UNIT_EQ(out.blocks, in.blocks + 5);
	UNIT_EQ(out.errors, 5); /* each block for the second time */
	/* A run does not use gaps in the numbers: its files come after all others. */
	UNIT_EQ(close(creat(file(50), 0666)), 0);
	record("", 5);
	UNIT_EQ(access(file((unsigned int)in.files + 1), F_OK), -1);
	UNIT_EQ(access(file(51), F_OK), 0);
}

static void change(const char *path, long at, unsigned char mask)
{
	FILE *f = fopen(path, "r+");
	int c;

	UNIT_NEED(f);
	UNIT_EQ(fseek(f, at, SEEK_SET), 0);
	c = fgetc(f);
	UNIT_EQ(fseek(f, at, SEEK_SET), 0);
	fputc(c ^ mask, f);
	fclose(f);
}

/* A damaged part is reported, and the blocks before it are counted. */
static void broken(void)
{
	struct evb_sink_counters out;
	struct evb_sink_counters whole;
	long at;

	UNIT_EQ(evb_check_files(file(0), &whole, reason), 0);
	for (at = 0; at < 64; at++) {
		reason[0] = '\0';
		change(file(0), at, 0x80);
		evb_check_files(file(0), &out, reason);
		change(file(0), at, 0x80);
	}
	reason[0] = '\0';
	change(file(0), 0, 1);
	UNIT_EQ(evb_check_files(file(0), &out, reason), -EPROTO);
	CU_ASSERT_TRUE(strstr(reason, "byte 0: no block begins here") != NULL);
	UNIT_EQ(out.blocks, 0);
	change(file(0), 0, 1);
	reason[0] = '\0';
	UNIT_EQ(truncate(file(0), 30000), 0);
	UNIT_EQ(evb_check_files(file(0), &out, reason), -EMSGSIZE);
	CU_ASSERT_TRUE(strstr(reason, "the file ends inside a block") != NULL);
	CU_ASSERT_TRUE(out.blocks > 2 && out.blocks < whole.blocks);
	UNIT_EQ(out.errors, 0);
	reason[0] = '\0';
	UNIT_EQ(evb_check_files("/tmp/roc-nowhere", &out, reason), -ENOENT);
}

/* The name of a folder is not a pattern: a[b] has the broken file, ab the good one. */
static void folder_of_any_name(void)
{
	struct evb_sink_counters out;
	char strange[64], plain[64], path[128];
	FILE *f;

	snprintf(strange, sizeof(strange), "%s/a[b]", dir);
	snprintf(plain, sizeof(plain), "%s/ab", dir);
	UNIT_NEED(!mkdir(strange, 0755) && !mkdir(plain, 0755));
	snprintf(path, sizeof(path), "%s/x.mep", plain);
	UNIT_NEED(!link(file(1), path));
	reason[0] = '\0';
	UNIT_EQ(evb_check_files(strange, &out, reason), -ENOENT);
	CU_ASSERT_TRUE(strstr(reason, "a[b] has no files *.mep.") != NULL);
	snprintf(path, sizeof(path), "%s/x.mep", strange);
	f = fopen(path, "w");
	UNIT_NEED(f);
	fputs("no block", f);
	fclose(f);
	UNIT_EQ(evb_check_files(strange, &out, reason), -EMSGSIZE);
	UNIT_EQ(out.files, 1);
	UNIT_EQ(out.blocks, 0);
	UNIT_EQ(evb_check_files(plain, &out, reason), 0);
	UNIT_EQ(out.files, 1);
	CU_ASSERT_TRUE(out.blocks > 0);
	/* A temporary file of another program, and a file whose name only ends in the same way. */
	snprintf(path, sizeof(path), "%s/.x.mep", plain);
	UNIT_NEED(!link(file(1), path));
	snprintf(path, sizeof(path), "%s/x.mep.part", plain);
	UNIT_NEED(!link(file(1), path));
	UNIT_EQ(evb_check_files(plain, &out, reason), 0);
	UNIT_EQ(out.files, 1);
}

static unsigned int calloc_fails; /* this call, counted from 1; 0: none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	if (calloc_fails && !--calloc_fails)
		return NULL;
	return __real_calloc(count, size);
}

/* Each failed allocation ends the check with its own message; a sanitizer finds leaks. */
static void no_memory(void)
{
	static const char *const text[] = {"the state of the check", "the tables of 64 sources",
					   "the tables of 64 sources"};
	struct evb_sink_counters out;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		reason[0] = '\0';
		calloc_fails = i + 1;
		UNIT_EQ(evb_check_files("/tmp/roc-nowhere", &out, reason), -ENOMEM);
		calloc_fails = 0;
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, text[i]));
	}
}

/* A file with a number above 999999 is created, and read after the others. */
static void many(void)
{
	static const struct {
		unsigned int name, block, blocks;
	} parts[] = {{999999, 5, 2}, {1000000, 5 + INSPECT_WINDOW, 1}};
	struct evb_sink_counters in, out;
	unsigned int i, n;

	clean();
	UNIT_EQ(mkdir(dir, 0777), 0);
	taken = 999998;
	in = record(",size=40000", 60);
	CU_ASSERT_TRUE(in.files > 3);
	UNIT_EQ(access(file(999998), F_OK), 0);
	UNIT_EQ(access(file(1000000), F_OK), 0);
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.files, in.files);
	UNIT_EQ(out.blocks, in.blocks);
	UNIT_EQ(out.errors, 0);

	/* A block in two files is detected if the files are read in order. */
	clean();
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char text[64];

		taken = parts[i].name;
		snprintf(text, sizeof(text), "file:%s", dir);
		open_it(text);
		for (n = 0; n < parts[i].blocks; n++) {
			struct block *b = make_block(parts[i].block, 5000, -1);

			UNIT_EQ(give(b), 1);
			free_block(b);
		}
		evb_sink_close(&sink);
	}
	taken = 0;
	UNIT_EQ(evb_check_files(dir, &out, reason), 0);
	UNIT_EQ(out.blocks, 3);
	UNIT_EQ(out.errors, 1);
}

static void refused(void)
{
	static const struct {
		const char *text, *expected;
	} bad[] = {
		{"disk", "Unknown sink \"disk\""},
		{"file", "the directory is missing"},
		{"file:/proc/nowhere", "cannot be created"},
		{"check:fast", "unknown parameter \"fast\""},
		{"Check:fast", "unknown parameter \"fast\""},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		reason[0] = '\0';
		CU_ASSERT_TRUE(evb_sink_open(bad[i].text, "bu1", &sink, reason) < 0);
		if (!strstr(reason, bad[i].expected))
			unit_note("%s: %s", bad[i].text, reason);
		CU_ASSERT_TRUE(strstr(reason, bad[i].expected) != NULL);
		evb_sink_close(&sink);
	}
}

UNIT_MAIN("Sinks of event building", {"valid blocks", right}, {"errors in blocks", wrong},
	  {"block delivered twice", twice}, {"packets with headers", headers},
	  {"write and check files", files}, {"broken files", broken},
	  {"folder with special characters", folder_of_any_name}, {"a million files", many},
	  {"check without memory", no_memory}, {"refused arguments", refused})
