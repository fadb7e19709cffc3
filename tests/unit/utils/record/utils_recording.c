// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Internals of recordings: encoding of the index, units of any place and size, and counters of
 * dropped data.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "tests/unit/utils/record/recording_dir.h"
#include "utils/record/crc32c.h"
#include "utils/record/recording_write.h"
#include "utils/units/pump.h"
#include "utils/units/sources.h"

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

/* Checked against the page and not the code, because other programs rely on it. */
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
	UNIT_EQ(crc32c("123456789", 9), 0xe3069283); /* test value of CRC-32C */
	UNIT_EQ(crc32c_by_table("123456789", 9), 0xe3069283);
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

/* Instruction and table agree for every length around the block size of the instruction. */
static void checksums(void)
{
	static unsigned char data[32 << 10];
	size_t length, at, i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i * 2654435761u >> 13);
	for (length = 0; length < sizeof(data) - 8; length += length < 100 ? 1 : 509) {
		for (at = 0; at < 8; at++)
			UNIT_EQ(crc32c(data + at, length), crc32c_by_table(data + at, length));
	}
	/* RFC 3720, B.4 */
	memset(data, 0, 32);
	UNIT_EQ(crc32c(data, 32), 0x8a9136aa);
	memset(data, 0xff, 32);
	UNIT_EQ(crc32c(data, 32), 0x62a8ab43);
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

/*
 * Header fields are not trusted: they cause no access beyond the data, and no control characters.
 */
static void wrong_values(void)
{
	static const uint32_t pages[] = {1, 32, 65, 8191, UINT32_MAX};
	unsigned char text[RECORDING_HEADER];
	struct recording_header h, values;
	unsigned int i;

	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		values = header;
		values.page_bytes = pages[i];
		recording_put_header(text, &values);
		UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_PAGES);
	}
	values = header;
	strcpy(values.from, "\033[2J\ncard");
	recording_put_header(text, &values);
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_GOOD);
	UNIT_STR(h.from, "?[2J?card");
}

/* A source of units of any place and size, which are returned in another order. */
#define ODD 200
#define ODD_SPACE (4 << 20)

struct odd {
	struct source source;
	unsigned char *memory;
	unsigned int next, back;
	bool out[ODD];
};

static void odd_unit(unsigned int n, uint64_t *place, uint64_t *bytes)
{
	*place = (n * 12345u) % (ODD_SPACE / 2);
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

static void odd_counters(struct source *s, struct unit_counters *b)
{
	*b = (struct unit_counters){0};
}

static const struct source_ops odd_ops = {
	.name = "odd",
	.start = odd_start,
	.take = odd_take,
	.give_back = odd_back,
	.stop = odd_start,
	.sleep = odd_sleep,
	.counters = odd_counters,
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

	UNIT_EQ(posix_memalign(&memory, 4096, ODD_SPACE), 0);
	*o = (struct odd){.source = {.ops = &odd_ops, .format = {.unit_max = 70000, .from = "odd"}},
			  .memory = memory};
	for (i = 0; i < ODD_SPACE; i++)
		o->memory[i] = (unsigned char)(i * 2654435761u >> 24);
	o->source.regions[0] = (struct unit_region){.addr = memory, .length = ODD_SPACE / 2};
	o->source.region_count = 1;
	p.sink = sink_record(&record, &o->source, reason);
	UNIT_STR(reason, "");
	UNIT_NEED(p.sink);
	pump_run(&p);
	UNIT_STR(p.reason, "");
	UNIT_EQ(p.end, PUMP_END_SOURCE);
	UNIT_EQ(o->back, ODD);
	UNIT_EQ(p.sink->n.units, ODD);
	UNIT_EQ(p.sink->n.copied, 0);
	CU_ASSERT_TRUE(p.sink->n.files > 3);
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
			/* A second return is rejected. */
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
		replay = source_replay(&options, reason);
		UNIT_STR(reason, "");
		UNIT_NEED(replay);
		compare_odd(&o, replay);
		source_close(replay);
		free(o.memory);
	}
}

/*
 * A synthetic card that is faster than the disk: dropped superpages are gaps in the sequence
 * numbers.
 */
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
	p.source = source_synthetic(&y, reason);
	UNIT_NEED(p.source);
	p.sink = sink_record(&record, p.source, reason);
	UNIT_NEED(p.sink);
	pump_run(&p);
	UNIT_STR(p.reason, "");
	UNIT_EQ(p.counters.units, p.sink->n.units);
	UNIT_EQ(recording_open(record.dir, &recording, reason), 0);
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
	/*
	 * Packets, of which a superpage has eight; the last ones may have been dropped after the
	 * last unit.
	 */
	CU_ASSERT_TRUE(p.counters.dropped >= missing * 8);
	recording_close(&recording);
	sink_close(p.sink);
	source_close(p.source);
}

/* As the sink does, but synchronously. */
static int end_file(const struct recording_set *set, struct recording_file *f)
{
	int ret, fd, synced = 0;

	while ((ret = recording_file_end_step(set, f, synced, &fd, reason)) > 0)
		synced = fdatasync(fd) ? -errno : 0;
	return ret;
}

static void note(struct recording_file *f, const struct recording_entry *e)
{
	unsigned char text[RECORDING_ENTRY];

	recording_put_entry(text, e);
	UNIT_EQ(pwrite(f->index, text, sizeof(text), (off_t)recording_file_index_bytes(f)),
		sizeof(text));
	recording_file_count(f, e);
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
		UNIT_EQ(recording_file_begin(&set, &f, reason), 0);
		note(&f, &e);
		UNIT_EQ(end_file(&set, &f), 0);
	}
	UNIT_EQ(recording_open(record.dir, &recording, reason), 0);
	UNIT_EQ(recording.count, n);
	for (i = 0; i < recording.count && i < n; i++)
		UNIT_EQ(recording.parts[i].header.number, sorted[i]);
	recording_close(&recording);
}

/*
 * The machine stopped before the last file had a unit: its index is empty, zeros, or exists alone.
 */
static void last_not_begun(void)
{
	const struct record_options record = {.dir = fresh("begun"), .prefix = "run", .depth = 4};
	const struct unit_format format = {.unit_max = 4096};
	struct recording_set set = {.opt = &record, .format = &format};
	struct recording_entry e = {.bytes = 0};
	struct recording recording;
	struct recording_file f;
	char name[160];

	UNIT_EQ(mkdir(record.dir, 0777), 0);
	UNIT_EQ(recording_file_begin(&set, &f, reason), 0);
	note(&f, &e);
	UNIT_EQ(end_file(&set, &f), 0);
	snprintf(name, sizeof(name), "%s/run-000001.index", record.dir);
	UNIT_EQ(close(creat(name, 0666)), 0);
	UNIT_EQ(recording_open(record.dir, &recording, reason), 0);
	UNIT_EQ(recording.count, 1);
	UNIT_EQ(recording.units, 1);
	UNIT_STR(recording.reason, "");
	CU_ASSERT_PTR_NOT_NULL(strstr(recording.note, "run-000001.index has no unit"));
	recording_close(&recording);
	UNIT_EQ(truncate(name, RECORDING_HEADER + RECORDING_ENTRY), 0);
	UNIT_EQ(recording_open(record.dir, &recording, reason), 0);
	UNIT_EQ(recording.units, 1);
	recording_close(&recording);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(recording_file_begin(&set, &f, reason), 0);
	snprintf(name, sizeof(name), "%s/run-000001.data", record.dir);
	UNIT_EQ(unlink(name), 0);
	UNIT_EQ(recording_open(record.dir, &recording, reason), 0);
	UNIT_EQ(recording.units, 1);
	recording_close(&recording);
	/* With an entry, its data file is missing. */
	note(&f, &e);
	UNIT_EQ(recording_open(record.dir, &recording, reason), -ENOENT);
	close(f.data);
	close(f.index);
}

/* The header of the index was overwritten: it cannot be closed, and that is reported. */
static void index_spoilt(void)
{
	const struct record_options record = {.dir = fresh("spoilt"), .prefix = "run", .depth = 4};
	const struct unit_format format = {.unit_max = 4096};
	struct recording_set set = {.opt = &record, .format = &format};
	struct recording_entry e = {.bytes = 1};
	struct recording_file f;

	UNIT_EQ(mkdir(record.dir, 0777), 0);
	UNIT_EQ(recording_file_begin(&set, &f, reason), 0);
	note(&f, &e);
	UNIT_EQ(pwrite(f.index, "?", 1, 100), 1);
	UNIT_EQ(end_file(&set, &f), -EIO);
	UNIT_STR(reason, "The index of the recording was changed while it was written.");
}

/* Truncated within a unit after it was opened: the replay ends with a message. */
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
	replay = source_replay(&options, reason);
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
	UNIT_STR(replay->reason, "The recording was truncated while it was read.");
	source_close(replay);
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

/* Signals during the close: the kernel writes to the memory until the reads have completed. */
static void closed_by_signals(void)
{
	struct itimerval often = {{.tv_usec = 20000}, {.tv_usec = 20000}}, never = {0};
	struct replay_options options = {.buffer = 1 << 20, .depth = 1};
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct source *replay;
	char data[160];
	struct odd o;

	options.path = fresh("signals");
	snprintf(data, sizeof(data), "%s/odd-000000.data", options.path);
	record_odd(&o, options.path, true);
	free(o.memory);
	replay = source_replay(&options, reason);
	UNIT_NEED(replay);
	/* Files are opened when they are read. */
	UNIT_EQ(unlink(data), 0);
	UNIT_EQ(mkfifo(data, 0600), 0);
	pipe_in = open(data, O_RDWR | O_CLOEXEC);
	UNIT_NEED(pipe_in >= 0);
	UNIT_EQ(replay->ops->start(replay), 0);
	alarms = 0;
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	source_close(replay);
	CU_ASSERT_TRUE(alarms >= ALARMS);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(pipe_in);
}

UNIT_MAIN("recordings", {"the index matches the page", layout}, {"checksums", checksums},
	  {"invalid headers", wrong_headers}, {"headers with wrong values", wrong_values},
	  {"units of any place and size", there_and_back},
	  {"dropped units are counted and are gaps in the index", dropped_is_counted},
	  {"order of a million files", many_files}, {"a last file without a unit", last_not_begun},
	  {"an index with an overwritten header", index_spoilt},
	  {"a file is truncated while it is read", cut_while_read},
	  {"signals while a recording is closed", closed_by_signals})
