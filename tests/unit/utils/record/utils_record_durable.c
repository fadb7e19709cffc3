// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Durability of recordings. When a unit is returned to its source, its entry is in the index, and
 * the syncs of the durability level were done before, in the right order. Readers handle data that
 * do not match their entries.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>

#include "tests/unit/utils/no_submit.h"
#include "tests/unit/utils/record/recording_dir.h"
#include "tests/unit/utils/tool_run.h"
#include "utils/record/crc32c.h"
#include "utils/record/recording.h"

#define UNIT 8192

static unsigned char memory[UNIT] __attribute__((aligned(RECORDING_ALIGN)));
static struct source source = {.format.unit_max = UNIT};

static struct sink *open_sink(const char *path, enum recording_durability level)
{
	const struct record_options record = {
		.dir = path, .prefix = "run", .depth = 4, .durability = level};
	struct sink *sink = sink_record(&record, &source, reason);
	size_t i;

	for (i = 0; i < UNIT; i++)
		memory[i] = (unsigned char)(i * 2654435761u >> 9);
	UNIT_STR(reason, "");
	UNIT_NEED(sink);
	return sink;
}

static void put(struct sink *sink, uint64_t sequence)
{
	struct unit u = {
		.data = memory, .bytes = UNIT, .handle = sequence + 1, .sequence = sequence};

	UNIT_EQ(sink->ops->put(sink, &u), 1);
	UNIT_EQ(sink->ops->flush(sink), 0);
}

static bool comes_back(struct sink *sink)
{
	uint64_t handle;

	return sink->ops->done(sink, &handle, 1) == 1;
}

/* As another program reads it. */
static bool has_entry(unsigned int n, struct recording_entry *e)
{
	unsigned char text[RECORDING_ENTRY];
	off_t at = RECORDING_HEADER + (off_t)n * RECORDING_ENTRY;

	return pread(fd_of("/run-000000.index"), text, sizeof(text), at) == sizeof(text) &&
	       recording_get_entry(text, e);
}

/* When a unit is returned, its entry is in the file, at every level. */
static void entry_first(void)
{
	struct recording_entry e;
	struct sink *sink;
	unsigned int level, n;

	for (level = RECORDING_DURABLE_NONE; level <= RECORDING_DURABLE_DISK; level++) {
		sink = open_sink(fresh("entry"), level);
		for (n = 0; n < 5; n++) {
			put(sink, n);
			CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
			CU_ASSERT_TRUE(has_entry(n, &e));
			UNIT_EQ(e.sequence, n);
			UNIT_EQ(e.data_crc, crc32c(memory, UNIT));
			CU_ASSERT_FALSE(has_entry(n + 1, &e));
		}
		UNIT_EQ(sink->ops->finish(sink), 0);
		sink_close(sink);
	}
}

/* 's' and 'w': a sync and a write of @index, 'S' and 'W': of @data, 'F': a sync of the folder. */
static const char *operations(int data, int index)
{
	static char text[17];
	unsigned int i;

	for (i = 0; i < submissions && i < 16; i++) {
		bool sync = submitted[i].opcode == IORING_OP_FSYNC;

		text[i] = submitted[i].fd == data    ? (sync ? 'S' : 'W')
			  : submitted[i].fd == index ? (sync ? 's' : 'w')
						     : 'F';
	}
	text[i] = '\0';
	return text;
}

/* The first unit of a file, then another one. */
static void syncs_in_order(void)
{
	static const char *const first[] = {"Ww", "WFsSw", "WFsSws"};
	static const char *const later[] = {"Ww", "WSw", "WSws"};
	unsigned int level, n;
	struct sink *sink;

	for (level = RECORDING_DURABLE_NONE; level <= RECORDING_DURABLE_DISK; level++) {
		sink = open_sink(fresh("order"), level);
		for (n = 0; n < 3; n++) {
			submissions = 0;
			put(sink, n);
			CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
			UNIT_STR(operations(fd_of("/run-000000.data"), fd_of("/run-000000.index")),
				 n ? later[level] : first[level]);
		}
		UNIT_EQ(sink->ops->finish(sink), 0);
		sink_close(sink);
	}
}

/* Until the disk has confirmed the data there is no entry, and the unit is not returned. */
static void no_entry_before_its_data(void)
{
	struct sink *sink = open_sink(fresh("slow"), RECORDING_DURABLE_INDEX);
	struct recording_entry e;
	uint64_t handle;
	int end;

	put(sink, 0);
	CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
	end = begin_slow_sync();
	UNIT_NEED(end >= 0);
	put(sink, 1);
	/* Its write completes, and the sync starts. */
	submissions = 0;
	CU_ASSERT_TRUE(
		UNIT_WAIT(sink->ops->done(sink, &handle, 1) == 0 && submissions == 1, 20000));
	CU_ASSERT_TRUE(UNIT_STAYS(!comes_back(sink) && !has_entry(1, &e), 200));
	/* The disk may take longer than the pump's limit without progress. */
	CU_ASSERT_TRUE(sink->syncing);
	/* Units that are written meanwhile belong to the next commit. */
	put(sink, 2);
	CU_ASSERT_TRUE(UNIT_STAYS(!comes_back(sink), 100));
	end_slow_sync(end);
	CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
	CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
	CU_ASSERT_TRUE(has_entry(1, &e) && has_entry(2, &e));
	CU_ASSERT_FALSE(sink->syncing);
	UNIT_EQ(sink->ops->finish(sink), 0);
	sink_close(sink);
}

/* The disk reports an error for the data: their units are lost, and no entry refers to them. */
static void sync_fails(void)
{
	struct sink *sink = open_sink(fresh("bad"), RECORDING_DURABLE_DISK);
	struct recording_entry e;
	uint64_t handle = 0;

	put(sink, 0);
	CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
	bad_sync = 1;
	put(sink, 1);
	CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->done(sink, &handle, 1) == 0 &&
					 sink->ops->lost(sink, &handle, 1) == 1,
				 20000));
	UNIT_EQ(handle, 2);
	UNIT_EQ(sink->n.units, 1);
	UNIT_EQ(sink->n.lost, 1);
	CU_ASSERT_FALSE(has_entry(1, &e));
	UNIT_STR(sink->reason, "The data of the recording cannot be synced: Bad file descriptor.");
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	sink_close(sink);
}

/*
 * The kernel accepts no operation for a while, during a commit: an abandoned commit stays abandoned
 * when the kernel accepts operations again.
 */
static void commit_abandoned(void)
{
	struct sink *sink = open_sink(fresh("given"), RECORDING_DURABLE_INDEX);
	struct recording_entry e;
	uint64_t handles[4];

	put(sink, 0);
	CU_ASSERT_TRUE(UNIT_WAIT(comes_back(sink), 20000));
	put(sink, 1);
	submit_result = -ENOMEM;
	submit_refuses = UINT_MAX;
	/* Its write has completed, and the commit cannot start. */
	CU_ASSERT_TRUE(UNIT_WAIT(sink->ops->done(sink, handles, 4) < 0, 20000));
	UNIT_EQ(sink->ops->put(sink, &(struct unit){.data = memory, .bytes = UNIT, .handle = 3}),
		1);
	submit_refuses = 1;
	sink->ops->abandon(sink);
	submit_refuses = 0;
	CU_ASSERT_FALSE(sink->syncing);
	CU_ASSERT_FALSE(has_entry(1, &e));
	UNIT_EQ(sink->ops->lost(sink, handles, 4), 2);
	UNIT_EQ(sink->n.units, 1);
	UNIT_EQ(sink->ops->finish(sink), -EIO);
	UNIT_EQ(sink->n.units + sink->n.lost, 3);
	sink_close(sink);
}

static void change_byte(const char *name, off_t at)
{
	unsigned char c;
	int fd = open(name, O_RDWR | O_CLOEXEC);

	UNIT_NEED(fd >= 0 && pread(fd, &c, 1, at) == 1);
	c ^= 1;
	UNIT_EQ(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

/* As a version without checksums of data wrote it. */
static void make_old(const char *name)
{
	unsigned char text[RECORDING_HEADER + 8 * RECORDING_ENTRY], *at;
	int fd = open(name, O_RDWR | O_CLOEXEC);
	struct recording_header h;
	struct recording_entry e;
	ssize_t bytes;

	UNIT_NEED(fd >= 0);
	bytes = pread(fd, text, sizeof(text), 0);
	UNIT_EQ(bytes, sizeof(text));
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_GOOD);
	UNIT_EQ(h.flags & (RECORDING_DATA_CRC | RECORDING_DATA_FIRST),
		RECORDING_DATA_CRC | RECORDING_DATA_FIRST);
	h.flags &= RECORDING_ANY_LINK | RECORDING_CLOSED;
	recording_put_header(text, &h);
	for (at = text + RECORDING_HEADER; at < text + bytes; at += RECORDING_ENTRY) {
		CU_ASSERT_TRUE(recording_get_entry(at, &e));
		e.data_crc = 0;
		recording_put_entry(at, &e);
	}
	UNIT_EQ(pwrite(fd, text, (size_t)bytes, 0), bytes);
	close(fd);
}

/* Changed data on the disk are counted, even where the tool's own check does not detect them. */
static void changed_data(void)
{
	const char *path = fresh("changed");
	char data[160], index[160];

	snprintf(data, sizeof(data), "%s/run-000000.data", path);
	snprintf(index, sizeof(index), "%s/run-000000.index", path);
	UNIT_EQ(tool_run("record %s --synthetic --superpage-size=64Ki --buffer-size=8Mi --units=8",
			 path),
		0);
	UNIT_EQ(tool_run("replay %s --no-errorcheck --json", path), 0);
	UNIT_EQ(tool_number("damaged"), 0);
	change_byte(data, 2 * (64 << 10) + 5000);
	change_byte(data, 5 * (64 << 10));
	UNIT_EQ(tool_run("replay %s --no-errorcheck --json", path), 1);
	CU_ASSERT_TRUE(tool_printed("run-000000.data: unit 2 does not match its checksum."));
	CU_ASSERT_TRUE(tool_printed("2 of 8 units are damaged"));
	UNIT_EQ(tool_number("damaged"), 2);
	UNIT_EQ(tool_number("units"), 8);
	make_old(index);
	UNIT_EQ(tool_run("replay %s --no-errorcheck --json", path), 0);
	UNIT_EQ(tool_number("units"), 8);
}

UNIT_MAIN("durability of recordings", {"a returned unit has its entry", entry_first},
	  {"order of syncs", syncs_in_order},
	  {"no entry before its data", no_entry_before_its_data},
	  {"data that cannot be synced are lost", sync_fails},
	  {"an abandoned commit", commit_abandoned},
	  {"changed data, and an old recording", changed_data})
