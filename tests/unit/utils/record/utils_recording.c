// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings from inside: the index as bytes, units of any place and size there and back, and the
 * book of what was dropped.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <inttypes.h>
#include <liburing.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "tests/unit/utils/no_submit.h"
#include "utils/record/recording.h"
#include "utils/units/pump.h"
#include "utils/units/sink_check.h"
#include "utils/units/source_synthetic.h"

static char dir[] = "/tmp/roc-recording-XXXXXX";
static char why[UNITS_WHY];

static void leave_nothing(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static const char *fresh(const char *name)
{
	static char path[128];
	char command[160];

	if (strstr(dir, "XXXXXX")) {
		UNIT_NEED(mkdtemp(dir));
		atexit(leave_nothing);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	UNIT_EQ(system(command), 0);
	why[0] = '\0';
	return path;
}

static const struct recording_header header = {
	.flags = RECORDING_CLOSED,
	.content = UNIT_DDG,
	.page_bytes = 8192,
	.number = 7,
	.run = 0x123456789abcdef0,
	.time = 1700000000000000000,
	.entries = 3,
	.bytes = 4096,
	.unit_max = 1 << 20,
	.from = "0000:3b:00.0 channel 0",
};

static void swap(unsigned char *at, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes / 2; i++) {
		unsigned char c = at[i];

		at[i] = at[bytes - 1 - i];
		at[bytes - 1 - i] = c;
	}
}

/* By the page, not by the code: what other programs build on. */
static void layout(void)
{
	static const unsigned char head[] = {'R', 'O', 'C', '-', 'I', 'D', 'X', '\n', 4, 3, 2,
					     1,	  1,   0,   0,	 0,   0,   1,	0,    0, 64};
	struct recording_entry e = {.offset = 4096, .bytes = 5, .first = 77, .link = -1}, g;
	unsigned char text[RECORDING_HEADER], entry[RECORDING_ENTRY];
	struct recording_header h;

	recording_put_header(text, &header);
	UNIT_EQ(memcmp(text, head, sizeof(head)), 0);
	UNIT_EQ(text[40], 7);
	UNIT_EQ(text[48], 0xf0);
	UNIT_EQ(text[65], 0);
	UNIT_EQ(text[64], 3);
	UNIT_STR((char *)text + 96, header.from);
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_GOOD);
	UNIT_EQ(h.run, header.run);
	UNIT_EQ(h.unit_max, header.unit_max);
	UNIT_STR(h.from, header.from);
	UNIT_EQ(recording_crc("123456789", 9), 0xe3069283); /* CRC-32C's own test */
	recording_put_entry(entry, &e);
	UNIT_EQ(entry[1], 0x10);
	UNIT_EQ(entry[40], 0xff);
	CU_ASSERT_TRUE(recording_get_entry(entry, &g));
	UNIT_EQ(g.link, -1);
	UNIT_EQ(g.first, 77);
	entry[9] ^= 1;
	CU_ASSERT_FALSE(recording_get_entry(entry, &g));
	memset(entry, 0, sizeof(entry));
	CU_ASSERT_FALSE(recording_get_entry(entry, &g));
}

static void wrong_headers(void)
{
	unsigned char text[RECORDING_HEADER];
	struct recording_header h;
	unsigned int i;

	recording_put_header(text, &header);
	for (i = 0; i < RECORDING_HEADER; i++)
		UNIT_EQ(recording_get_header(text, i, &h), RECORDING_SHORT);
	text[100] ^= 1;
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_CORRUPT);
	recording_put_header(text, &header);
	text[12] = 2;
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_NEWER);
	recording_put_header(text, &header);
	swap(text + 8, 4);
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_FOREIGN);
	recording_put_header(text, &header);
	text[3] = '_';
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_NO_INDEX);
}

/* What a header says was written by anybody: it leads nobody out of the data, or off the line. */
static void lying_headers(void)
{
	static const uint32_t pages[] = {1, 32, 65, 8191, UINT32_MAX};
	unsigned char text[RECORDING_HEADER];
	struct recording_header h, lie;
	unsigned int i;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		lie = header;
		lie.page_bytes = pages[i];
		recording_put_header(text, &lie);
		UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_PAGES);
	}
	lie = header;
	strcpy(lie.from, "\033[2J\ncard");
	recording_put_header(text, &lie);
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_GOOD);
	UNIT_STR(h.from, "?[2J?card");
}

/* A source of units of any place and size, that come back in another order. */
#define ODD 200
#define ODD_ROOM (4 << 20)

struct odd {
	struct source source;
	unsigned char *memory;
	unsigned int next, back;
	bool out[ODD];
};

static void odd_unit(unsigned int n, uint64_t *place, uint64_t *bytes)
{
	*place = (n * 12345u) % (ODD_ROOM / 2);
	*bytes = n ? 1 + (n * 7919u) % 70000 : 1;
}

static int odd_start(struct source *s)
{
	return 0;
}

static int odd_take(struct source *s, struct unit *u)
{
	struct odd *o = (struct odd *)s;
	uint64_t place;

	if (o->next == ODD)
		return -ENODATA;
	odd_unit(o->next, &place, &u->bytes);
	*u = (struct unit){.data = o->memory + place,
			   .bytes = u->bytes,
			   .handle = o->next + 1,
			   .sequence = o->next * 3,
			   .first = o->next % 2 ? UNIT_FIRST_UNKNOWN : o->next * 100,
			   .time = 1000 + o->next,
			   .link = (int)(o->next % 5) - 1,
			   .flags = o->next % 7 ? 0 : UNIT_DAMAGED};
	o->out[o->next++] = true;
	return 1;
}

static int odd_back(struct source *s, uint64_t handle)
{
	struct odd *o = (struct odd *)s;

	if (!handle || handle > o->next || !o->out[handle - 1])
		return -EINVAL;
	o->out[handle - 1] = false;
	o->back++;
	return 0;
}

static void odd_sleep(struct source *s, struct units_sleep *sleep)
{
}

static void odd_books(struct source *s, struct unit_books *b)
{
	*b = (struct unit_books){0};
}

static const struct source_ops odd_ops = {
	.name = "odd",
	.start = odd_start,
	.take = odd_take,
	.give_back = odd_back,
	.stop = odd_start,
	.sleep = odd_sleep,
	.books = odd_books,
};

static void record_odd(struct odd *o, const char *path, bool buffered)
{
	struct record_options record = {.dir = path,
					.prefix = "odd",
					.file_bytes = 1 << 20,
					.depth = 9,
					.buffered = buffered};
	struct pump p = {.source = &o->source};
	unsigned int i;
	void *memory = NULL;

	UNIT_EQ(posix_memalign(&memory, 4096, ODD_ROOM), 0);
	*o = (struct odd){.source = {.ops = &odd_ops, .format = {.unit_max = 70000, .from = "odd"}},
			  .memory = memory};
	for (i = 0; i < ODD_ROOM; i++)
		o->memory[i] = (unsigned char)(i * 2654435761u >> 24);
	o->source.regions[0] = (struct unit_region){.addr = memory, .length = ODD_ROOM / 2};
	o->source.region_count = 1;
	p.sink = sink_record(&record, &o->source, why);
	UNIT_STR(why, "");
	UNIT_NEED(p.sink);
	pump_run(&p);
	UNIT_STR(p.why, "");
	UNIT_EQ(p.end, PUMP_END_SOURCE);
	UNIT_EQ(o->back, ODD);
	UNIT_EQ(p.sink->n.units, ODD);
	UNIT_EQ(p.sink->n.copied, 0);
	CU_ASSERT_TRUE(p.sink->n.files > 3);
	CU_ASSERT_TRUE(p.n.out_most <= 9);
	sink_close(p.sink);
}

static void compare_odd(const struct odd *o, struct source *replay)
{
	unsigned int n = 0;
	struct unit u;
	int ret;

	UNIT_EQ(replay->ops->start(replay), 0);
	while ((ret = replay->ops->take(replay, &u)) != -ENODATA) {
		uint64_t place, bytes;

		if (ret == 1) {
			odd_unit(n, &place, &bytes);
			UNIT_EQ(u.bytes, bytes);
			UNIT_EQ(memcmp(u.data, o->memory + place, bytes), 0);
			UNIT_EQ(u.sequence, n * 3);
			UNIT_EQ(u.link, (int)(n % 5) - 1);
			UNIT_EQ(u.time, 1000 + n);
			UNIT_EQ(u.flags, n % 7 ? 0 : UNIT_DAMAGED);
			UNIT_EQ(u.first, n % 2 ? UNIT_FIRST_UNKNOWN : n * 100);
			n++;
			UNIT_EQ(replay->ops->give_back(replay, u.handle), 0);
			/* Twice is once too often. */
			UNIT_EQ(replay->ops->give_back(replay, u.handle), -EINVAL);
		}
		UNIT_NEED(ret >= 0 || ret == -EAGAIN);
		UNIT_EQ(replay->ops->flush(replay), 0);
	}
	UNIT_EQ(n, ODD);
}

static void there_and_back(void)
{
	struct replay_options options = {.buffer = 1 << 20, .depth = 5};
	struct source *replay;
	struct odd o;
	int buffered;

	for (buffered = 0; buffered < 2; buffered++) {
		options.path = fresh("odd");
		record_odd(&o, options.path, buffered);
		replay = source_replay(&options, why);
		UNIT_STR(why, "");
		UNIT_NEED(replay);
		compare_odd(&o, replay);
		source_close(replay);
		free(o.memory);
	}
}

/* A synthetic card that is faster than the disk may be: what is dropped is a gap in the numbers. */
static void dropped_is_counted(void)
{
	struct synthetic_options y = {
		.unit = 64 << 10, .total = 128 << 10, .rate = UINT64_C(8) << 30, .links = 0x5};
	struct record_options record = {.prefix = "run", .depth = 2};
	struct recording recording;
	struct pump p = {.limits = {.units = 300}};
	struct recording_part *part;
	uint64_t next = 0, missing = 0, i;

	record.dir = fresh("dropped");
	p.source = source_synthetic(&y, why);
	UNIT_NEED(p.source);
	p.sink = sink_record(&record, p.source, why);
	UNIT_NEED(p.sink);
	pump_run(&p);
	UNIT_STR(p.why, "");
	UNIT_EQ(p.books.units, p.sink->n.units);
	UNIT_EQ(recording_open(record.dir, &recording, why), 0);
	UNIT_EQ(recording.count, 1);
	part = &recording.parts[0];
	UNIT_EQ(part->count, p.sink->n.units);
	for (i = 0; i < part->count; i++) {
		UNIT_NEED(part->entries[i].sequence >= next);
		missing += part->entries[i].sequence - next;
		next = part->entries[i].sequence + 1;
		UNIT_EQ(part->entries[i].link, part->entries[i].sequence % 2 ? 2 : 0);
		UNIT_EQ(part->entries[i].first, part->entries[i].sequence / 2);
	}
	unit_note("%" PRIu64 " of %" PRIu64 " superpages were dropped", missing, next);
	CU_ASSERT_TRUE(missing > 0);
	/* Packets, of which a superpage has eight; the last ones may have been dropped behind it.
	 */
	CU_ASSERT_TRUE(p.books.dropped >= missing * 8);
	recording_close(&recording);
	sink_close(p.sink);
	source_close(p.source);
}

/* No room for the index: what is on its way still gets its entries, when the file is cut. */
static void index_waits(void)
{
	const struct record_options record = {.dir = fresh("index"), .prefix = "run", .depth = 40};
	const struct unit_format format = {.unit_max = 4096};
	struct recording_set set = {.opt = &record, .format = &format};
	struct recording_entry e = {.bytes = 1};
	struct recording recording;
	struct recording_file f;
	unsigned int n, refused = 0;
	int index, fd;

	UNIT_EQ(mkdir(record.dir, 0777), 0);
	UNIT_EQ(recording_file_begin(&set, &f, why), 0);
	index = dup(f.index);
	fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	UNIT_NEED(index >= 0 && fd >= 0 && dup2(fd, f.index) >= 0);
	close(fd);
	for (n = 0; n < 64 + 40; n++) {
		e.sequence = n;
		refused += recording_file_note(&f, &e, why) == -ENOSPC;
		/* Behind it is somebody else's memory. */
		UNIT_NEED(f.text_bytes <= f.text_room);
	}
	UNIT_EQ(refused, 41);
	/* One more than can be on its way. */
	UNIT_EQ(recording_file_note(&f, &e, why), -ENOSPC);
	UNIT_EQ(f.text_bytes, f.text_room);
	UNIT_NEED(dup2(index, f.index) >= 0);
	close(index);
	why[0] = '\0';
	UNIT_EQ(recording_file_end(&set, &f, why), 0);
	UNIT_STR(why, "");
	UNIT_EQ(recording_open(record.dir, &recording, why), 0);
	UNIT_EQ(recording.units, 64 + 40);
	recording_close(&recording);
}

/* Names have six digits, until there are more files. */
static void many_files(void)
{
	const struct record_options record = {.dir = fresh("many"), .prefix = "run2", .depth = 4};
	const struct unit_format format = {.unit_max = 4096};
	struct recording_set set = {.opt = &record, .format = &format};
	static const unsigned int numbers[] = {1000000, 999999, 0, 100000, 99999, 9, 10};
	static const unsigned int sorted[] = {0, 9, 10, 99999, 100000, 999999, 1000000};
	struct recording_entry e = {.bytes = 0};
	struct recording recording;
	struct recording_file f;
	unsigned int i, n = sizeof(numbers) / sizeof(numbers[0]);

	UNIT_EQ(mkdir(record.dir, 0777), 0);
	for (i = 0; i < n; i++) {
		set.next = numbers[i];
		UNIT_EQ(recording_file_begin(&set, &f, why), 0);
		UNIT_EQ(recording_file_note(&f, &e, why), 0);
		UNIT_EQ(recording_file_end(&set, &f, why), 0);
	}
	UNIT_EQ(recording_open(record.dir, &recording, why), 0);
	UNIT_EQ(recording.count, n);
	for (i = 0; i < recording.count && i < n; i++)
		UNIT_EQ(recording.parts[i].header.number, sorted[i]);
	recording_close(&recording);
}

static bool no_sync;

int __wrap_fdatasync(int fd);
int __real_fdatasync(int fd);

/* As a disk behind the page cache says that it did not take what was written. */
int __wrap_fdatasync(int fd)
{
	if (!no_sync)
		return __real_fdatasync(fd);
	errno = EIO;
	return -1;
}

#define LARGE (700 << 10) /* two of them are too much for one file */

static struct sink *two_files(const char *path, void **memory)
{
	struct record_options record = {
		.dir = path, .prefix = "run", .file_bytes = 1 << 20, .depth = 4};
	static const struct source source = {.format = {.unit_max = 1 << 20}};
	struct sink *sink;

	*memory = NULL;
	UNIT_EQ(posix_memalign(memory, 4096, 1 << 20), 0);
	memset(*memory, 0x5a, 1 << 20);
	sink = sink_record(&record, &source, why);
	UNIT_STR(why, "");
	return sink;
}

static int put_large(struct sink *sink, void *memory, uint64_t handle)
{
	struct unit u = {.data = memory, .bytes = LARGE, .handle = handle};

	return sink->ops->put(sink, &u);
}

/* As the pump does in each of its turns. */
static int turn(struct sink *sink, unsigned int *back)
{
	uint64_t handles[4];
	int n, ret = sink->ops->flush(sink);

	n = ret ? ret : sink->ops->done(sink, handles, 4);
	*back += n > 0 ? (unsigned int)n : 0;
	return n;
}

/* A file that was not the last one is not ended: its units went back, and the run still failed. */
static void end_fails(void)
{
	static const char *const says[] = {
		"A recording could not be ended: Bad file descriptor.",
		"The index of the recording could not be closed: Bad file descriptor.",
		"The index of the recording could not be closed: Bad file descriptor.",
	};
	unsigned int i, back;
	struct sink *sink;
	void *memory;

	for (i = 0; i < 3; i++) {
		back = 0;
		sink = two_files(fresh("end"), &memory);
		UNIT_NEED(sink);
		bad_sync = i + 1;
		UNIT_EQ(put_large(sink, memory, 1), 1);
		UNIT_EQ(put_large(sink, memory, 2), 1);
		UNIT_EQ(sink->n.files, 2);
		CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) < 0, 20000));
		UNIT_EQ(bad_sync, 0);
		UNIT_EQ(back, 2);
		UNIT_EQ(put_large(sink, memory, 3), -EIO);
		UNIT_EQ(sink->ops->finish(sink), -EIO);
		UNIT_STR(sink->why, says[i]);
		sink_close(sink);
		free(memory);
	}
}

/* The last one is not. */
static void finish_fails(void)
{
	struct sink *sink;
	void *memory;

	sink = two_files(fresh("finish"), &memory);
	UNIT_NEED(sink);
	no_sync = true;
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	no_sync = false;
	UNIT_STR(sink->why, "A recording could not be ended: Input/output error.");
	sink_close(sink);
	free(memory);
}

static unsigned int closed_files(const char *path)
{
	struct recording recording;
	unsigned int i, n = 0;

	why[0] = '\0';
	UNIT_EQ(recording_open(path, &recording, why), 0);
	UNIT_STR(why, "");
	for (i = 0; i < recording.count; i++)
		n += !!(recording.parts[i].header.flags & RECORDING_CLOSED);
	recording_close(&recording);
	return n;
}

static int slow_end;

static void end_it(int number)
{
	(void)number;
	close(slow_end);
}

/* The disk is not done with a file that is over: the next one is written, and nobody waits. */
static void end_lasts(void)
{
	const char *path = fresh("lasts");
	unsigned int back = 0, before = syncs;
	struct units_sleep sleep = {.ns = UNITS_NS_PER_S};
	struct sink *sink;
	void *memory;

	sink = two_files(path, &memory);
	UNIT_NEED(sink);
	slow_end = begin_slow_sync();
	UNIT_NEED(slow_end >= 0);
	UNIT_EQ(put_large(sink, memory, 1), 1);
	UNIT_EQ(put_large(sink, memory, 2), 1);
	CU_ASSERT_TRUE(UNIT_WAIT(!turn(sink, &back) && back == 2, 20000));
	UNIT_EQ(sink->ops->flush(sink), 0);
	UNIT_EQ(syncs - before, 1);
	/* The second file is full, and the first one not ended. */
	UNIT_EQ(put_large(sink, memory, 3), 0);
	UNIT_EQ(sink->n.files, 2);
	sink->ops->sleep(sink, &sleep);
	UNIT_EQ(sleep.ns, UNITS_NS_PER_S);
	UNIT_EQ(sleep.count, 1);
	end_slow_sync(slow_end);
	CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) >= 0 && put_large(sink, memory, 3) == 1, 20000));
	UNIT_EQ(sink->n.files, 3);
	UNIT_EQ(closed_files(path), 1);
	/* Whoever ends waits for the one before too. */
	slow_end = begin_slow_sync();
	UNIT_NEED(slow_end >= 0);
	CU_ASSERT_TRUE(UNIT_WAIT(!turn(sink, &back) && back == 3, 20000));
	signal(SIGALRM, end_it);
	alarm(1);
	UNIT_EQ(sink->ops->finish(sink), 0);
	signal(SIGALRM, SIG_DFL);
	close(slow_sync);
	slow_sync = -1;
	UNIT_EQ(closed_files(path), 3);
	sink_close(sink);
	free(memory);
}

/* A sync that the kernel never had: the file is not said to be closed. */
static void end_refused(void)
{
	const char *path = fresh("refused");
	unsigned int back = 0;
	struct sink *sink;
	void *memory;

	sink = two_files(path, &memory);
	UNIT_NEED(sink);
	UNIT_EQ(put_large(sink, memory, 1), 1);
	CU_ASSERT_TRUE(UNIT_WAIT(turn(sink, &back) == 1, 20000));
	UNIT_EQ(put_large(sink, memory, 2), 1);
	submit_says = -ENOMEM;
	submit_refuses = UINT_MAX;
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	UNIT_STR(sink->why, "The kernel takes no writes: Cannot allocate memory.");
	sink_close(sink);
	/* And the second one, of which nothing was written, is gone. */
	UNIT_EQ(closed_files(path), 0);
	free(memory);
}

/* Three units, of which the kernel has @first when it begins to refuse, are let go of. */
static struct sink *let_go(const char *path, void *memory, unsigned int first)
{
	struct record_options record = {.dir = path, .prefix = "run", .depth = 4};
	struct source source = {.format = {.unit_max = 4096}};
	struct unit u = {.data = memory, .bytes = 4096};
	unsigned int refuses = submit_refuses;
	struct sink *sink;

	memset(memory, 0x5a, 4096);
	sink = sink_record(&record, &source, why);
	UNIT_STR(why, "");
	UNIT_NEED(sink);
	submit_refuses = 0;
	for (u.handle = 1; u.handle <= 3; u.handle++) {
		if (u.handle == first + 1) {
			UNIT_EQ(sink->ops->flush(sink), 0);
			submit_refuses = refuses;
		}
		UNIT_EQ(sink->ops->put(sink, &u), 1);
	}
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	return sink;
}

/* What the kernel never had is not waited for, and goes back. */
static void never_begun(void)
{
	uint64_t handles[4];
	struct sink *sink;
	void *memory = NULL;
	unsigned int first;

	UNIT_EQ(posix_memalign(&memory, 4096, 4096), 0);
	for (first = 0; first < 3; first++) {
		submit_refuses = UINT_MAX;
		submit_says = -ENOMEM;
		sink = let_go(fresh("never"), memory, first);
		UNIT_EQ(sink->ops->done(sink, handles, 4), first);
		UNIT_EQ(sink->ops->lost(sink, handles, 4), 3 - first);
		UNIT_EQ(sink->n.lost, 3 - first);
		UNIT_EQ(sink->ops->finish(sink), -EIO);
		UNIT_STR(sink->why, "The kernel takes no writes: Cannot allocate memory.");
		sink_close(sink);
	}
	free(memory);
}

static void begun_late(void)
{
	uint64_t handles[4];
	struct sink *sink;
	void *memory = NULL;

	UNIT_EQ(posix_memalign(&memory, 4096, 4096), 0);
	submit_refuses = 3;
	submit_says = -EAGAIN;
	sink = let_go(fresh("late"), memory, 0);
	UNIT_EQ(sink->ops->done(sink, handles, 4), 3);
	UNIT_EQ(sink->ops->finish(sink), 0);
	UNIT_STR(sink->why, "");
	sink_close(sink);
	free(memory);
}

/* Somebody wrote over the head of the index: it cannot be closed, and that is said. */
static void index_spoilt(void)
{
	const struct record_options record = {.dir = fresh("spoilt"), .prefix = "run", .depth = 4};
	const struct unit_format format = {.unit_max = 4096};
	struct recording_set set = {.opt = &record, .format = &format};
	struct recording_entry e = {.bytes = 1};
	struct recording_file f;

	UNIT_EQ(mkdir(record.dir, 0777), 0);
	UNIT_EQ(recording_file_begin(&set, &f, why), 0);
	UNIT_EQ(recording_file_note(&f, &e, why), 0);
	UNIT_EQ(pwrite(f.index, "?", 1, 100), 1);
	UNIT_EQ(recording_file_end(&set, &f, why), -EIO);
	UNIT_STR(why, "The index of the recording is not as written.");
}

/* Cut in the middle of a unit's block after it was opened: it ends, with a sentence. */
static void cut_while_read(void)
{
	struct replay_options options = {.buffer = 1 << 20, .depth = 1};
	struct source *replay;
	char name[160];
	struct odd o;
	struct unit u;
	double end;
	int ret = 0;

	options.path = fresh("cut");
	record_odd(&o, options.path, true);
	free(o.memory);
	replay = source_replay(&options, why);
	UNIT_NEED(replay);
	snprintf(name, sizeof(name), "%s/odd-000000.data", options.path);
	UNIT_EQ(truncate(name, 4096 * 3 + 100), 0);
	end = unit_seconds() + 20;
	UNIT_EQ(replay->ops->start(replay), 0);
	while (ret >= 0 && unit_seconds() < end) {
		ret = replay->ops->take(replay, &u);
		if (ret > 0)
			UNIT_EQ(replay->ops->give_back(replay, u.handle), 0);
		if (ret >= 0)
			ret = replay->ops->flush(replay);
	}
	UNIT_EQ(ret, -EIO);
	UNIT_STR(replay->why, "The recording became shorter while it was read.");
	source_close(replay);
}

/* Of the open file whose name ends so. */
static int fd_of(const char *end)
{
	char link[32], name[PATH_MAX];
	ssize_t n;
	int fd;

	for (fd = 3; fd < 1024; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, name, sizeof(name));
		if (n > (ssize_t)strlen(end) && !memcmp(name + n - strlen(end), end, strlen(end)))
			return fd;
	}
	return -1;
}

/*
 * Neither data nor index can be written any more: the index is tried anew after a second, and that
 * it fails again keeps no unit from coming back.
 */
static void nothing_written(void)
{
	struct record_options record = {.dir = fresh("nothing"), .prefix = "run", .depth = 4};
	struct source source = {.format = {.unit_max = 4096}};
	struct unit u = {.bytes = 4096};
	struct sink *sink;
	uint64_t handles[4];
	void *memory = NULL;
	int n = 0, null, fd;

	UNIT_EQ(posix_memalign(&memory, 4096, 4096), 0);
	memset(memory, 0x5a, 4096);
	u.data = memory;
	sink = sink_record(&record, &source, why);
	UNIT_NEED(sink);
	for (u.handle = 1; u.handle <= 3; u.handle++) {
		UNIT_EQ(sink->ops->put(sink, &u), 1);
		if (u.handle == 1)
			UNIT_EQ(sink->ops->flush(sink), 0);
	}
	fd = fd_of("/run-000000.index");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	UNIT_NEED(fd >= 0 && null >= 0 && dup2(null, fd) == fd);
	close(null);
	CU_ASSERT_TRUE(UNIT_WAIT((n = sink->ops->done(sink, handles, 4)) != 0, 20000));
	UNIT_EQ(n, 1);
	submit_says = -ENOMEM;
	submit_refuses = UINT_MAX;
	alarm(60);
	sink->ops->abandon(sink);
	alarm(0);
	submit_refuses = 0;
	usleep(1100000);
	UNIT_EQ(sink->ops->done(sink, handles, 4), 0);
	UNIT_EQ(sink->ops->lost(sink, handles, 4), 2);
	UNIT_EQ(sink->n.lost, 2);
	UNIT_EQ(sink->n.units, 1);
	/* Nothing is in it any more: now it is said. */
	CU_ASSERT_TRUE(sink->ops->lost(sink, handles, 4) < 0);
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	sink_close(sink);
	free(memory);
}

/* A run whose index fails ends with that, and all that was taken goes back. */
static void index_fails(void)
{
	struct synthetic_options y = {.unit = 64 << 10, .total = 8 << 20, .rate = 64 << 20};
	struct record_options record = {.dir = fresh("fails"), .prefix = "run", .depth = 8};
	struct pump p = {.limits = {.time = 30}};
	double begin = unit_seconds();
	int null, fd;

	p.source = source_synthetic(&y, why);
	UNIT_NEED(p.source);
	p.sink = sink_record(&record, p.source, why);
	UNIT_NEED(p.sink);
	fd = fd_of("/run-000000.index");
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	UNIT_NEED(fd >= 0 && null >= 0 && dup2(null, fd) == fd);
	close(null);
	pump_run(&p);
	UNIT_EQ(p.end, PUMP_END_FAILED);
	UNIT_STR(p.why, "The index of the recording cannot be written: Bad file descriptor.");
	UNIT_EQ(p.n.out, 0);
	UNIT_EQ(p.sink->n.units + p.sink->n.lost, p.n.units);
	CU_ASSERT_TRUE(unit_seconds() - begin < 20);
	sink_close(p.sink);
	source_close(p.source);
}

#define ALARMS 5 /* until there is something to read */

static volatile sig_atomic_t alarms;
static int pipe_in;

static void on_alarm(int number)
{
	int err = errno;

	if (++alarms == ALARMS && write(pipe_in, "", 1) < 0)
		alarms = 0;
	errno = err;
}

/* Signals while it is closed: the kernel still writes to our memory until its read has ended. */
static void closed_by_signals(void)
{
	struct itimerval often = {{.tv_usec = 20000}, {.tv_usec = 20000}}, never = {0};
	struct replay_options options = {.buffer = 1 << 20, .depth = 1};
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct source *replay;
	int ends[2], fd;
	struct odd o;

	options.path = fresh("signals");
	record_odd(&o, options.path, true);
	free(o.memory);
	replay = source_replay(&options, why);
	UNIT_NEED(replay);
	UNIT_EQ(pipe(ends), 0);
	pipe_in = ends[1];
	fd = fd_of("/odd-000000.data");
	UNIT_NEED(fd >= 0 && dup2(ends[0], fd) == fd);
	UNIT_EQ(replay->ops->start(replay), 0);
	alarms = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	source_close(replay);
	CU_ASSERT_TRUE(alarms >= ALARMS);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(ends[0]);
	close(ends[1]);
}

UNIT_MAIN("recordings", {"the index as the page has it", layout},
	  {"headers that are none", wrong_headers}, {"headers that lie", lying_headers},
	  {"units of any place and size come back as they were", there_and_back},
	  {"what is dropped is counted, and seen in the index", dropped_is_counted},
	  {"an index without room waits", index_waits},
	  {"a million files are read in their order", many_files},
	  {"a file that cannot be ended is no success", end_fails},
	  {"one that could not, in the end", finish_fails}, {"one that takes its time", end_lasts},
	  {"one that the kernel does not end", end_refused},
	  {"what the kernel did not take is let go of", never_begun},
	  {"what the kernel takes later is written", begun_late},
	  {"an index whose head is not as written", index_spoilt},
	  {"a file that is cut while it is read", cut_while_read},
	  {"neither data nor index can be written", nothing_written},
	  {"an index that fails ends the run", index_fails},
	  {"signals while a recording is closed", closed_by_signals})
