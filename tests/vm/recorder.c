// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In a guest that loses its power: write units whose content depends on their number, and print
 * each unit that was returned. After the next boot, check which units the recording has.
 *
 *	recorder write FOLDER LEVEL [buffered]	until the power goes, "back N" for every unit
 *	recorder check FOLDER			"entries N first-gap N wrong N cut N"
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/record/recording.h"

#define UNIT_MAX (64 << 10)
#define MEMORY (32 * UNIT_MAX)
#define FILE_BYTES (2 << 20) /* the end and begin of files are tested, too */

static char reason[UNITS_REASON];

static int fail(const char *what)
{
	printf("failed %s: %s\n", what, reason[0] ? reason : strerror(errno));
	return 1;
}

static uint64_t bytes_of(uint64_t sequence)
{
	return 512 + (sequence * 2654435761u >> 7) % (UNIT_MAX - 512);
}

static void fill(uint64_t *words, uint64_t bytes, uint64_t sequence)
{
	uint64_t i;

	for (i = 0; i < (bytes + 7) / 8; i++)
		words[i] = (sequence << 32 | i) * UINT64_C(0x9e3779b97f4a7c15);
}

static int take_back(struct sink *sink, uint64_t *back)
{
	uint64_t handles[32];
	int i, n = sink->ops->done(sink, handles, 32);

	for (i = 0; i < n; i++) {
		if (handles[i] != ++*back)
			return -EPROTO;
	}
	if (n > 0) {
		printf("back %" PRIu64 "\n", *back);
		fflush(stdout);
	}
	return n;
}

static int write_units(const char *folder, const char *level, bool buffered)
{
	struct record_options record = {.dir = folder,
					.prefix = "run",
					.file_bytes = FILE_BYTES,
					.depth = 16,
					.buffered = buffered};
	static struct source source = {.format.unit_max = UNIT_MAX, .format.from = "recorder"};
	uint64_t put = 0, back = 0;
	struct sink *sink;
	char *memory;
	int ret = 0;

	while (recording_durabilities[record.durability] &&
	       strcmp(recording_durabilities[record.durability], level))
		record.durability++;
	memory = aligned_alloc(RECORDING_ALIGN, MEMORY);
	sink = memory ? sink_record(&record, &source, reason) : NULL;
	if (!sink)
		return fail("to begin");
	while (ret >= 0) {
		/* A slot is free when its unit was returned. */
		while (put - back < MEMORY / UNIT_MAX) {
			struct unit u = {.data = memory + put % (MEMORY / UNIT_MAX) * UNIT_MAX,
					 .bytes = bytes_of(put),
					 .sequence = put,
					 .handle = put + 1};

			fill((uint64_t *)(uintptr_t)u.data, u.bytes, put);
			ret = sink->ops->put(sink, &u);
			if (ret <= 0)
				break;
			put++;
		}
		if (ret >= 0)
			ret = sink->ops->flush(sink);
		if (ret >= 0)
			ret = take_back(sink, &back);
		if (!ret) {
			struct units_sleep sleep = {.ns = UNITS_NS_PER_S / 10};

			sink->ops->sleep(sink, &sleep);
			if (sleep.ns && sleep.count)
				poll(sleep.fds, sleep.count, 100);
		}
	}
	memcpy(reason, sink->reason, sizeof(reason));
	return fail("to write");
}

struct found {
	uint64_t entries, wrong, next, gap;
};

static int check_part(const struct recording_part *p, struct found *f)
{
	static uint64_t expected[UNIT_MAX / 8 + 1], got[UNIT_MAX / 8 + 1];
	int fd = open(p->data, O_RDONLY | O_CLOEXEC);
	uint64_t i;

	if (fd < 0)
		return fail("to open the data");
	for (i = 0; i < p->count; i++) {
		const struct recording_entry *e = &p->entries[i];

		fill(expected, bytes_of(e->sequence), e->sequence);
		f->entries++;
		f->wrong += e->bytes != bytes_of(e->sequence) ||
			    pread(fd, got, e->bytes, (off_t)e->offset) != (ssize_t)e->bytes ||
			    memcmp(got, expected, e->bytes);
		f->next += e->sequence == f->next;
	}
	close(fd);
	return 0;
}

static int check_units(const char *folder)
{
	struct recording recording;
	struct found f = {0};
	uint64_t lost = 0;
	unsigned int i;

	/* The power may have gone before the first commit. */
	if (recording_open(folder, &recording, reason)) {
		printf("entries 0 first-gap 0 wrong 0 cut 0: cannot be opened (%s)\n", reason);
		return 0;
	}
	for (i = 0; i < recording.count; i++) {
		if (check_part(&recording.parts[i], &f))
			return 1;
		lost += recording.parts[i].cut ? recording.parts[i].lost : 0;
	}
	printf("entries %" PRIu64 " first-gap %" PRIu64 " wrong %" PRIu64 " cut %" PRIu64 "\n",
	       f.entries, f.next, f.wrong, lost);
	recording_close(&recording);
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc >= 4 && !strcmp(argv[1], "write"))
		return write_units(argv[2], argv[3], argc == 5);
	if (argc == 3 && !strcmp(argv[1], "check"))
		return check_units(argv[2]);
	return 2;
}
