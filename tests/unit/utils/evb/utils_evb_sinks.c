// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sinks of event building: what is wrong in a block is found, what is right comes out of a file as
 * it went in, and each block is given back once.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/unit/utils/evb/blocks.h"
#include "tests/unit/utils/no_submit.h"
#include "utils/evb/check_files.h"
#include "utils/evb/inspect.h"

static struct evb_sink sink;
static char why[UNITS_WHY];

static void open_it(const char *text)
{
	why[0] = '\0';
	UNIT_EQ(evb_sink_open(text, "bu1", &sink, why), 0);
	if (why[0])
		unit_note("%s", why);
	UNIT_NEED(sink.ops);
}

static struct evb_sink_books books(void)
{
	struct evb_sink_books n;

	sink.books(sink.self, &n);
	return n;
}

/* Put, and wait until it is back. */
static int give(struct block *b)
{
	uint64_t handle = 0;
	int ret = 0;

	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->put(sink.self, &b->mep)) != 0 ||
					 sink.ops->done(sink.self, &handle, 0) < 0,
				 20000));
	if (ret < 0)
		return ret;
	if (sink.ops->flush)
		UNIT_EQ(sink.ops->flush(sink.self), 0);
	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->done(sink.self, &handle, 1)) != 0, 2000));
	UNIT_EQ(ret, 1);
	UNIT_EQ(handle, b->mep.handle);
	return 1;
}

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
	UNIT_EQ(books().blocks, 30);
	UNIT_EQ(books().events, 30 * EVENTS);
	UNIT_EQ(books().fragments, fragments);
	UNIT_EQ(books().bytes, bytes);
	UNIT_EQ(books().incomplete, 1);
	UNIT_EQ(books().missing, 1);
	UNIT_EQ(books().errors, 0);
	if (books().errors)
		unit_note("%s", books().wrong);
	evb_sink_close(&sink);
}

/* One block with something wrong in it, which is found and named. */
static void finds(struct block *b, const char *says)
{
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(books().errors, 1);
	if (!strstr(books().wrong, says))
		unit_note("%s", books().wrong);
	CU_ASSERT_TRUE(strstr(books().wrong, says) != NULL);
	evb_sink_close(&sink);
	free_block(b);
}

static void wrong(void)
{
	struct block *b = make_block(5, 200, -1);
	unsigned int last = b->sources[2].view.count - 1;

	((char *)b->segments[2][last].iov_base)[0] ^= 1;
	finds(b, " of ru3: byte ");

	b = make_block(5, 200, -1);
	strcpy(b->sources[0].name, "ru9");
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(books().errors, EVENTS);
	evb_sink_close(&sink);
	free_block(b);

	b = make_block(5, 200, 1);
	b->mep.flags = 0;
	finds(b, "Block 5 lacks 1 sources, and does not say so.");

	b = make_block(5, 200, -1);
	b->mep.flags = ROC_MEP_INCOMPLETE;
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(books().errors, 0);
	UNIT_EQ(books().incomplete, 1);
	evb_sink_close(&sink);
	free_block(b);

	b = make_block(5, 200, -1);
	b->sources[1].view.head.flags |= ROC_MFP_DAMAGED;
	finds(b, "Block 5 has damaged data");

	b = make_block(5, 200, -1);
	b->mep.block = 6;
	b->mep.first_event = 48;
	open_it("check");
	UNIT_EQ(give(b), 1);
	UNIT_EQ(books().errors, 3);
	CU_ASSERT_TRUE(strstr(books().wrong, "what is there of ru1 is of block 5") != NULL);
	evb_sink_close(&sink);
	free_block(b);
}

static void twice(void)
{
	/* Back and forth, over the border of the window, and round it. */
	static const uint64_t blocks[] = {70, 3, 69, 4, 65541, 65540, 200000, 199999, 1 << 30};
	unsigned int i;

	open_it("check");
	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		struct block *b = make_block(blocks[i], 5000, -1);

		UNIT_EQ(give(b), 1);
		UNIT_EQ(books().errors, i);
		UNIT_EQ(give(b), 1);
		UNIT_EQ(books().errors, i + 1);
		free_block(b);
	}
	CU_ASSERT_TRUE(strstr(books().wrong, "Block 70 came twice.") != NULL);
	evb_sink_close(&sink);
}

static void packet(unsigned char *at, uint32_t orbit, uint32_t next)
{
	uint32_t words[6] = {64 << 8 | 7, 0, next << 16 | next, 0, 0, orbit};

	memset(at, 0, next);
	memcpy(at, words, sizeof(words));
}

/* Packets of an orbit, wherever segments end. */
static void packets(uint32_t orbit, const char *says)
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
	UNIT_EQ(books().errors, says != NULL);
	if (says)
		CU_ASSERT_TRUE(strstr(books().wrong, says) != NULL);
	UNIT_EQ(books().unknown, 0);
	evb_sink_close(&sink);
}

static void headers(void)
{
	packets(5, NULL);
	packets(6, "Event 1 of cru: the packet at byte 264 is of another orbit.");
}

static char dir[] = "/tmp/roc-evb-XXXXXX";

static void clean(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static int end(void)
{
	int ret = 0;

	CU_ASSERT_TRUE(UNIT_WAIT((ret = sink.ops->finish(sink.self)) != 0, 20000));
	return ret;
}

/* Write @count blocks; what the sink said of them. */
static struct evb_sink_books record(const char *options, unsigned int count)
{
	struct evb_sink_books n;
	char text[128];
	unsigned int i;

	snprintf(text, sizeof(text), "file:%s%s", dir, options);
	open_it(text);
	for (i = 0; i < count; i++) {
		struct block *b = make_block(i, i % 2 ? 90 + i : 5000, i == 11 ? 0 : -1);

		UNIT_EQ(give(b), 1);
		free_block(b);
	}
	UNIT_EQ(end(), 1);
	n = books();
	evb_sink_close(&sink);
	return n;
}

static char *file(unsigned int number)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/bu1-%06u.mep", dir, number);
	return path;
}

static void files(void)
{
	struct evb_sink_books in, out;

	UNIT_NEED(mkdtemp(dir));
	atexit(clean);
	in = record(",size=40000", 60);
	UNIT_EQ(in.blocks, 60);
	CU_ASSERT_TRUE(in.files > 3);
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.blocks, in.blocks);
	UNIT_EQ(out.fragments, in.fragments);
	UNIT_EQ(out.files, in.files);
	UNIT_EQ(out.incomplete, 1);
	UNIT_EQ(out.errors, 0);
	/* A second run leaves the first alone. */
	record("", 5);
	why[0] = '\0';
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.files, in.files + 1);
	UNIT_EQ(out.blocks, in.blocks + 5);
	UNIT_EQ(out.errors, 5); /* the same blocks, again */
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

/* What cannot be read is said, and what is before it counts. */
static void broken(void)
{
	struct evb_sink_books out;
	struct evb_sink_books whole;
	long at;

	UNIT_EQ(evb_check_files(file(0), &whole, why), 0);
	for (at = 0; at < 64; at++) {
		why[0] = '\0';
		change(file(0), at, 0x80);
		evb_check_files(file(0), &out, why);
		change(file(0), at, 0x80);
	}
	why[0] = '\0';
	change(file(0), 0, 1);
	UNIT_EQ(evb_check_files(file(0), &out, why), -EPROTO);
	CU_ASSERT_TRUE(strstr(why, "byte 0: there is no block") != NULL);
	UNIT_EQ(out.blocks, 0);
	change(file(0), 0, 1);
	why[0] = '\0';
	UNIT_EQ(truncate(file(0), 30000), 0);
	UNIT_EQ(evb_check_files(file(0), &out, why), -EMSGSIZE);
	CU_ASSERT_TRUE(strstr(why, "the file ends inside a block") != NULL);
	CU_ASSERT_TRUE(out.blocks > 2 && out.blocks < whole.blocks);
	UNIT_EQ(out.errors, 0);
	why[0] = '\0';
	UNIT_EQ(evb_check_files("/tmp/roc-nowhere", &out, why), -ENOENT);
}

/* A folder's name is no pattern: a[b] has the broken file, and ab the good one. */
static void folder_of_any_name(void)
{
	struct evb_sink_books out;
	char strange[64], plain[64], path[128];
	FILE *f;

	snprintf(strange, sizeof(strange), "%s/a[b]", dir);
	snprintf(plain, sizeof(plain), "%s/ab", dir);
	UNIT_NEED(!mkdir(strange, 0755) && !mkdir(plain, 0755));
	snprintf(path, sizeof(path), "%s/x.mep", plain);
	UNIT_NEED(!link(file(1), path));
	why[0] = '\0';
	UNIT_EQ(evb_check_files(strange, &out, why), -ENOENT);
	CU_ASSERT_TRUE(strstr(why, "a[b] has no files *.mep.") != NULL);
	snprintf(path, sizeof(path), "%s/x.mep", strange);
	f = fopen(path, "w");
	UNIT_NEED(f);
	fputs("no block", f);
	fclose(f);
	UNIT_EQ(evb_check_files(strange, &out, why), -EMSGSIZE);
	UNIT_EQ(out.files, 1);
	UNIT_EQ(out.blocks, 0);
	UNIT_EQ(evb_check_files(plain, &out, why), 0);
	UNIT_EQ(out.files, 1);
	CU_ASSERT_TRUE(out.blocks > 0);
	/* Another program's, not finished, and what only ends alike. */
	snprintf(path, sizeof(path), "%s/.x.mep", plain);
	UNIT_NEED(!link(file(1), path));
	snprintf(path, sizeof(path), "%s/x.mep.part", plain);
	UNIT_NEED(!link(file(1), path));
	UNIT_EQ(evb_check_files(plain, &out, why), 0);
	UNIT_EQ(out.files, 1);
}

/* Put at once, as far as they are taken: so many, which are all back. */
static unsigned int give_all(struct block *blocks[], unsigned int count)
{
	unsigned int put = 0, back = 0;
	uint64_t handles[64];
	int ret = 0;

	while (put < count && sink.ops->put(sink.self, &blocks[put]->mep) == 1)
		put++;
	UNIT_EQ(sink.ops->flush(sink.self), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(
		(ret = sink.ops->done(sink.self, handles, 64)) >= 0 && (back += ret) == put, 5000));
	return put;
}

/* What is in the folder is what the sink said. */
static void is_there(const struct evb_sink_books *n)
{
	struct evb_sink_books out;

	why[0] = '\0';
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.blocks, n->blocks);
	UNIT_EQ(out.fragments, n->fragments);
	UNIT_EQ(out.errors, 0);
}

/*
 * The disk is full: what is there can be read, every block comes back, and the sink says how many
 * are not there. A batch is on its way at once: blocks behind the one that failed are lost, too,
 * though there was room for them.
 */
static void full(void)
{
	struct block *batch[60];
	struct evb_sink_books n;
	unsigned int i, put;
	char text[128];

	clean();
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	full_disk = open("/dev/full", O_WRONLY | O_CLOEXEC);
	UNIT_NEED(full_disk >= 0);
	disk_ends = 40000;
	for (i = 0; i < 60; i++)
		batch[i] = make_block(i, 500, i < 5 || i > 6 ? 1 : -1);
	put = give_all(batch, 60);
	UNIT_EQ(sink.ops->put(sink.self, &batch[0]->mep), -ENOSPC);
	n = books();
	UNIT_EQ(n.lost + n.blocks, put);
	CU_ASSERT_TRUE(n.lost > 1 && n.blocks > 0);
	CU_ASSERT_TRUE(strstr(sink.ops->why(sink.self), "What comes now is not written") != NULL);
	evb_sink_close(&sink);
	close(full_disk);
	full_disk = -1;
	for (i = 0; i < 60; i++)
		free_block(batch[i]);
	is_there(&n);
}

/* None may be longer; 0: what they might be before. */
static void limit_files(rlim_t bytes)
{
	static struct rlimit before;
	struct rlimit limit;

	if (!bytes) {
		UNIT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
		return;
	}
	signal(SIGXFSZ, SIG_IGN);
	UNIT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = bytes;
	UNIT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static unsigned int notes;
static char note[512];

void __wrap_tool_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void __wrap_tool_note(const char *fmt, ...)
{
	va_list ap;

	notes++;
	va_start(ap, fmt);
	vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
}

/* A limit of the length of files ends one as its size does: nothing is lost. */
static void limit_known(void)
{
	struct evb_sink_books n;

	clean();
	limit_files(40000);
	n = record(",size=0", 60);
	limit_files(0);
	UNIT_EQ(n.blocks, 60);
	UNIT_EQ(n.lost, 0);
	CU_ASSERT_TRUE(n.files > 3);
	is_there(&n);
}

/* One that nobody tells costs what is on its way when it is found out, once, and that is said. */
static void limit_found(void)
{
	struct block *batch[120];
	struct evb_sink_books n;
	unsigned int i, put;
	char text[128];

	clean();
	notes = 0;
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	limit_files(40000);
	for (i = 0; i < 120; i++)
		batch[i] = make_block(i, 500, -1);
	put = give_all(batch, 60);
	n = books();
	UNIT_EQ(n.lost + n.blocks, put);
	CU_ASSERT_TRUE(n.lost > 1 && n.blocks > 0);
	UNIT_EQ(n.files, 1);
	UNIT_EQ(notes, 1);
	CU_ASSERT_TRUE(strstr(note, "may not be longer, by ulimit -f") != NULL);
	while (put < 120 && give(batch[put]) == 1)
		put++;
	UNIT_EQ(put, 120);
	UNIT_EQ(end(), 1);
	UNIT_EQ(books().lost, n.lost);
	n = books();
	UNIT_EQ(n.lost + n.blocks, 120);
	CU_ASSERT_TRUE(n.files > 3);
	UNIT_EQ(notes, 1);
	evb_sink_close(&sink);
	limit_files(0);
	for (i = 0; i < 120; i++)
		free_block(batch[i]);
	is_there(&n);
}

/* A block that is longer alone is lost, and no other. */
static void longer_than_files(void)
{
	struct block *large = make_block(0, 5000, -1), *small = make_block(1, 5000, 1);
	struct evb_sink_books n;
	char text[128];

	clean();
	UNIT_NEED(roc_mep_bytes(&small->mep) < roc_mep_bytes(&large->mep));
	limit_files(roc_mep_bytes(&large->mep) - 1);
	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	UNIT_EQ(give(large), 1);
	UNIT_EQ(books().lost, 1);
	UNIT_EQ(give(small), 1);
	UNIT_EQ(end(), 1);
	n = books();
	UNIT_EQ(n.lost, 1);
	UNIT_EQ(n.blocks, 1);
	UNIT_EQ(n.files, 1);
	evb_sink_close(&sink);
	limit_files(0);
	free_block(large);
	free_block(small);
	is_there(&n);
}

static unsigned int taken; /* that many names of blocks' files are there already */
static int opened;	   /* the last of blocks' files */
static bool no_inodes;	   /* for another of them */

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	const char *number = strstr(path, "/bu1-");
	mode_t mode = 0;
	va_list rest;

	va_start(rest, flags);
	if (flags & O_CREAT)
		mode = va_arg(rest, mode_t);
	va_end(rest);
	if (number && flags & O_EXCL && strtoul(number + 5, NULL, 10) < taken) {
		errno = EEXIST;
		return -1;
	}
	if (!number)
		return __real_open(path, flags, mode);
	if (no_inodes) {
		errno = ENOSPC;
		return -1;
	}
	opened = __real_open(path, flags, mode);
	return opened;
}

/* However many there were: the next one is begun, and read behind them. */
static void many(void)
{
	static const struct {
		unsigned int name, block, blocks;
	} parts[] = {{999999, 5, 2}, {1000000, 5 + INSPECT_WINDOW, 1}};
	struct evb_sink_books in, out;
	unsigned int i, n;

	clean();
	UNIT_EQ(mkdir(dir, 0777), 0);
	taken = 999998;
	in = record(",size=40000", 60);
	CU_ASSERT_TRUE(in.files > 3);
	UNIT_EQ(access(file(999998), F_OK), 0);
	UNIT_EQ(access(file(1000000), F_OK), 0);
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.files, in.files);
	UNIT_EQ(out.blocks, in.blocks);
	UNIT_EQ(out.errors, 0);

	/* What came twice is seen if the files are read one after the other. */
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
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.blocks, 3);
	UNIT_EQ(out.errors, 1);
}

static void open_small(void)
{
	char text[64];

	snprintf(text, sizeof(text), "file:%s,size=40000", dir);
	open_it(text);
}

/* Until the sink takes no more, or has so many files: 0, or -errno. */
static int fill(struct block *b, uint64_t files)
{
	uint64_t handle;
	int ret = 1;

	while (books().files < files && ret > 0) {
		ret = sink.ops->put(sink.self, &b->mep);
		if (ret <= 0)
			break;
		UNIT_EQ(sink.ops->flush(sink.self), 0);
		CU_ASSERT_TRUE(
			UNIT_WAIT((ret = sink.ops->done(sink.self, &handle, 1)) != 0, 20000));
	}
	return ret < 0 ? ret : 0;
}

/* There is no room for another file: that is as if there were none in it. */
static void no_next(void)
{
	struct block *b = make_block(0, 5000, -1);
	struct evb_sink_books n, out;

	clean();
	open_small();
	no_inodes = true;
	UNIT_EQ(fill(b, 2), -ENOSPC);
	no_inodes = false;
	UNIT_EQ(sink.ops->put(sink.self, &b->mep), -ENOSPC);
	CU_ASSERT_TRUE(strstr(sink.ops->why(sink.self), "What comes now is not written") != NULL);
	UNIT_EQ(end(), 1);
	n = books();
	UNIT_EQ(n.files, 1);
	UNIT_EQ(n.lost, 0);
	evb_sink_close(&sink);
	free_block(b);
	UNIT_EQ(evb_check_files(dir, &out, why), 0);
	UNIT_EQ(out.blocks, n.blocks);
	CU_ASSERT_TRUE(out.blocks > 1);
}

/* The disk is not done with a file that is over: the next one is written, and nobody waits. */
static void end_lasts(void)
{
	struct roc_idle idle = {.ns = UNITS_NS_PER_S};
	struct block *b = make_block(0, 5000, -1);
	unsigned int before = syncs;
	uint64_t handle;
	int writer;

	clean();
	open_small();
	writer = begin_slow_sync();
	UNIT_NEED(writer >= 0);
	UNIT_EQ(fill(b, 3), 0);
	UNIT_EQ(books().files, 2);
	UNIT_EQ(syncs - before, 1);
	UNIT_EQ(sink.ops->finish(sink.self), 0);
	sink.ops->idle(sink.self, &idle);
	UNIT_EQ(idle.ns, UNITS_NS_PER_S);
	UNIT_EQ(idle.count, 1);
	CU_ASSERT_TRUE(sink.syncing(sink.self));
	end_slow_sync(writer);
	CU_ASSERT_TRUE(UNIT_WAIT(sink.ops->done(sink.self, &handle, 0) >= 0 && !fill(b, 3) &&
					 books().files == 3,
				 20000));
	UNIT_EQ(end(), 1);
	/* Each file once. */
	UNIT_EQ(syncs - before, 3);
	evb_sink_close(&sink);
	free_block(b);
}

/* Of any file, not only of the last one. */
static void end_fails(void)
{
	struct block *b = make_block(0, 5000, -1);
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		clean();
		open_small();
		bad_sync = i;
		UNIT_EQ(fill(b, 2) ?: end(), -EBADF);
		UNIT_EQ(bad_sync, 0);
		CU_ASSERT_TRUE(strstr(sink.ops->why(sink.self), "Bad file descriptor") != NULL);
		evb_sink_close(&sink);
	}
	free_block(b);
}

#define ALARMS 5 /* until the pipe is emptied */

static volatile sig_atomic_t alarms;
static int pipe_out;

static void on_alarm(int number)
{
	static char much[1 << 16];
	int err = errno;

	/* It may be empty by then. */
	if (++alarms >= ALARMS && read(pipe_out, much, sizeof(much)) < 0)
		errno = err;
}

/* What is let go of while signals come: the kernel still reads it until its write has ended. */
static void interrupted(void)
{
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct itimerval often = {{.tv_usec = 20000}, {.tv_usec = 20000}}, never = {0};
	struct block *b = make_block(0, 5000, -1);
	uint64_t handle = 0;
	int ends[2], room;
	char text[64];
	void *fill;

	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	UNIT_EQ(pipe(ends), 0);
	pipe_out = ends[0];
	UNIT_EQ(fcntl(pipe_out, F_SETFL, O_NONBLOCK), 0);
	room = fcntl(ends[1], F_GETPIPE_SZ);
	UNIT_NEED(room > 0);
	fill = calloc(1, (size_t)room);
	UNIT_NEED(fill);
	UNIT_EQ(write(ends[1], fill, (size_t)room), room);
	free(fill);
	UNIT_NEED(dup2(ends[1], opened) == opened);
	UNIT_EQ(sink.ops->put(sink.self, &b->mep), 1);
	alarms = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	sink.ops->abandon(sink.self);
	CU_ASSERT_TRUE(alarms >= ALARMS);
	UNIT_EQ(sink.ops->done(sink.self, &handle, 1), 1);
	UNIT_EQ(handle, b->mep.handle);
	UNIT_EQ(books().blocks, 1);
	evb_sink_close(&sink);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(ends[0]);
	close(ends[1]);
	free_block(b);
}

/* Three blocks, of which the kernel has @first when it begins to refuse, are let go of. */
static void let_go(unsigned int first, int says, unsigned int times, unsigned int well)
{
	struct block *blocks[3];
	uint64_t handles[4];
	unsigned int i;
	char text[64];

	snprintf(text, sizeof(text), "file:%s", dir);
	open_it(text);
	for (i = 0; i < 3; i++) {
		blocks[i] = make_block(i * 2, 5000, -1);
		if (i == first) {
			UNIT_EQ(sink.ops->flush(sink.self), 0);
			submit_says = says;
			submit_refuses = times;
		}
		UNIT_EQ(sink.ops->put(sink.self, &blocks[i]->mep), 1);
	}
	alarm(60);
	sink.ops->abandon(sink.self);
	alarm(0);
	submit_refuses = 0;
	UNIT_EQ(sink.ops->done(sink.self, handles, 4), 3);
	UNIT_EQ(books().blocks, well);
	evb_sink_close(&sink);
	for (i = 0; i < 3; i++)
		free_block(blocks[i]);
}

/* What the kernel never had is not waited for, and goes back. */
static void never_begun(void)
{
	unsigned int first;

	for (first = 0; first < 3; first++)
		let_go(first, -ENOMEM, UINT_MAX, first);
}

static void begun_late(void)
{
	let_go(0, -EAGAIN, 3, 3);
}

static void refused(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"disk", "There is no sink \"disk\""},	  {"file", "which folder?"},
		{"file:/proc/nowhere", "cannot be made"}, {"check:fast", "there is no \"fast\""},
		{"Check:fast", "there is no \"fast\""},
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		CU_ASSERT_TRUE(evb_sink_open(bad[i].text, "bu1", &sink, why) < 0);
		if (!strstr(why, bad[i].says))
			unit_note("%s: %s", bad[i].text, why);
		CU_ASSERT_TRUE(strstr(why, bad[i].says) != NULL);
		evb_sink_close(&sink);
	}
}

UNIT_MAIN("Sinks of event building", {"what is right", right}, {"what is wrong", wrong},
	  {"a block that comes twice", twice}, {"packets with headers", headers},
	  {"files, there and back", files}, {"files that are broken", broken},
	  {"a folder of any name", folder_of_any_name}, {"a full disk", full},
	  {"files with a limit", limit_known}, {"a limit that is found out", limit_found},
	  {"a block that is longer than files", longer_than_files},
	  {"no room for the next file", no_next}, {"a million files", many},
	  {"a file that takes its time to end", end_lasts}, {"one that does not end", end_fails},
	  {"signals while blocks are let go of", interrupted},
	  {"a kernel that takes no writes", never_begun}, {"one that takes them late", begun_late},
	  {"what is refused, and why", refused})
