// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as a source. Units are read ahead in their order, by io_uring, into memory that is
 * allocated here, and are lent from there. As with a channel, the number of lent units is limited;
 * in contrast to a channel, the source waits.
 *
 * A data file is open from its first read until all of it is read and the next one is open: there
 * may be more files than descriptors.
 */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crc32c.h"
#include "file_io.h"
#include "utils/units/content.h"
#include "utils/units/units.h"

/* Other threads may use all descriptors for a short time. */
#define FILE_WAIT_NS (5 * UNITS_NS_PER_S)
#define FILE_AGAIN_NS (100 * 1000 * 1000)

enum state {
	FREE,
	READING,
	READ,
	OUT,
};

struct file {
	int fd;		      /* -1: closed */
	unsigned int reading; /* units being read from it */
};

struct slot {
	enum state state;
	const struct recording_entry *entry;
	const struct recording_part *part; /* part of the unit */
	uint64_t handle;		   /* while it is lent */
	uint64_t place;			   /* offset in the file of the slot's first byte */
	uint64_t length, done;
	struct file *file;
};

struct replay {
	struct source source;
	struct replay_options opt;
	struct recording recording;
	struct direct direct;
	struct file *files;  /* data file of each part */
	struct file *newest; /* opened last */
	/* time before which no other open is tried for lack of descriptors, 0: none failed */
	uint64_t again;
	uint64_t retry_until; /* time at which the open fails */
	struct io_uring ring;
	bool have_ring;
	bool fixed;
	char *memory;
	size_t length;
	uint64_t slot_bytes; /* bytes of a slot */
	struct slot *slots;
	uint32_t count;
	uint32_t *order; /* ring of slots being read, in the order of the units */
	uint64_t head, tail;
	uint32_t *free_list, free_count;
	unsigned int reading, queued;
	unsigned int part; /* part of the next unit to read */
	uint64_t unit;
	uint64_t lent;
	struct pace pace;
	bool stopped;
	bool wrong; /* a unit did not match its checksum */
};

static struct replay *of(struct source *s)
{
	return (struct replay *)s;
}

static char *memory_of(const struct replay *r, const struct slot *slot)
{
	return r->memory + (uint64_t)(slot - r->slots) * r->slot_bytes;
}

static void queue(struct replay *r, struct slot *slot)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&r->ring);
	unsigned int left = (unsigned int)(slot->length - slot->done);
	char *to = memory_of(r, slot) + slot->done;

	if (r->fixed)
		io_uring_prep_read_fixed(sqe, slot->file->fd, to, left, slot->place + slot->done,
					 0);
	else
		io_uring_prep_read(sqe, slot->file->fd, to, left, slot->place + slot->done);
	io_uring_sqe_set_data(sqe, slot);
	r->queued++;
	r->reading++;
}

static int open_data(struct replay *r, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	direct_begin(&r->direct, fd, name, r->source.note);
	return fd;
}

static int fail_data(struct replay *r, const char *name, int err)
{
	return units_fail(r->source.reason, err, "%s cannot be read: %s.", name, strerror(err));
}

static void close_file(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/*
 * Close a file that is completely read. The newest one stays open, so that its descriptor can be
 * used for the next file.
 */
static void leave_file(struct replay *r, struct file *f)
{
	if (!f->reading && f < &r->files[r->part] &&
	    (f != r->newest || r->part == r->recording.count))
		close_file(f);
}

/* Return the part of the next unit, NULL: none. */
static const struct recording_part *next_part(struct replay *r)
{
	while (r->part < r->recording.count && r->unit == r->recording.parts[r->part].count) {
		r->part++;
		r->unit = 0;
		if (r->newest)
			leave_file(r, r->newest);
	}
	return r->part == r->recording.count || r->stopped ? NULL : &r->recording.parts[r->part];
}

static bool no_descriptor(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

/*
 * Open the file of the next unit. Return: 1 if it is open; 0 if there is no descriptor yet; -errno.
 */
static int open_file(struct replay *r, struct file *file, const char *name)
{
	struct file *before = r->newest;
	uint64_t now = units_now();

	if (file->fd >= 0)
		return 1;
	if (now < r->again)
		return 0;
	file->fd = open_data(r, name);
	/* A file whose reads are outstanding will be closed. */
	if (no_descriptor(file->fd) && r->reading)
		return 0;
	/* Otherwise close the previous file, and use its descriptor at once. */
	if (no_descriptor(file->fd) && before) {
		close_file(before);
		file->fd = open_data(r, name);
	}
	if (no_descriptor(file->fd)) {
		if (!r->again)
			r->retry_until = now + FILE_WAIT_NS;
		r->again = now + FILE_AGAIN_NS;
		if (now < r->retry_until)
			return 0;
	}
	if (file->fd < 0)
		return fail_data(r, name, -file->fd);
	r->again = 0;
	r->newest = file;
	if (before)
		leave_file(r, before);
	return 1;
}

/* Read ahead as far as there are free slots, with one call. */
static int read_ahead(struct replay *r)
{
	const struct recording_part *part;
	int ret;

	while (r->free_count && r->reading < r->opt.depth && (part = next_part(r))) {
		struct file *file = &r->files[r->part];
		const struct recording_entry *e = &part->entries[r->unit];
		uint64_t before = e->offset % RECORDING_ALIGN;
		struct slot *slot;
		uint32_t index;

		ret = open_file(r, file, part->data);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		r->unit++;
		file->reading++;
		index = r->free_list[--r->free_count];
		slot = &r->slots[index];
		*slot = (struct slot){
			.state = READING,
			.entry = e,
			.part = part,
			.place = e->offset - before,
			.length = (before + e->bytes + RECORDING_ALIGN - 1) &
				  ~(uint64_t)(RECORDING_ALIGN - 1),
			.file = file,
		};
		r->order[r->tail++ % r->count] = index;
		queue(r, slot);
	}
	if (!r->queued)
		return 0;
	ret = io_uring_submit(&r->ring);
	r->source.calls++;
	if (ret < 0 && ret != -EAGAIN && ret != -EBUSY && ret != -EINTR)
		return units_fail(r->source.reason, -ret, "The kernel accepts no reads: %s.",
				  strerror(-ret));
	if (ret > 0)
		r->queued -= (unsigned int)ret;
	return 0;
}

static int finished(struct replay *r, struct slot *slot, int res)
{
	uint64_t needed = slot->entry->offset - slot->place + slot->entry->bytes;
	uint64_t before = slot->done;

	r->reading--;
	if (res == -EAGAIN || res == -EINTR) {
		queue(r, slot);
		return 0;
	}
	if (res < 0)
		return units_fail(r->source.reason, -res, "The recording cannot be read: %s.",
				  strerror(-res));
	slot->done += (uint64_t)res;
	/* The padding after the last unit of a file may be missing. */
	if (slot->done >= needed) {
		slot->state = READ;
		slot->file->reading--;
		leave_file(r, slot->file);
		return 0;
	}
	slot->done &= ~(uint64_t)(RECORDING_ALIGN - 1);
	/* A partial block is the end of the file; reading it again would make no progress. */
	if (slot->done == before)
		return units_fail(r->source.reason, EIO,
				  "The recording was truncated while it was read.");
	queue(r, slot);
	return 0;
}

static int reap(struct replay *r)
{
	struct io_uring_cqe *cqe;
	int ret = 0;

	while (!io_uring_peek_cqe(&r->ring, &cqe)) {
		struct slot *slot = io_uring_cqe_get_data(cqe);
		int res = cqe->res;

		io_uring_cqe_seen(&r->ring, cqe);
		ret = finished(r, slot, res);
		if (ret)
			break;
	}
	return ret;
}

static int start(struct source *s)
{
	struct replay *r = of(s);

	pace_start(&r->pace, r->opt.rate, units_now());
	return read_ahead(r);
}

/*
 * Lend the unit even if its checksum is wrong, flagged as damaged: the following units may be
 * right.
 */
static void verify(struct replay *r, const struct recording_part *part, struct unit *u,
		   uint32_t crc)
{
	if (!(part->header.flags & RECORDING_DATA_CRC) || crc32c(u->data, u->bytes) == crc)
		return;
	u->flags |= UNIT_DAMAGED;
	if (!r->wrong && !r->source.incomplete)
		units_fail(r->source.note, 0,
			   "%s: unit %" PRIu64
			   " does not match its checksum. Copy the file again, if there is a copy.",
			   part->data, u->sequence);
	r->wrong = true;
}

static int take(struct source *s, struct unit *u)
{
	struct replay *r = of(s);
	const struct recording_header *h;
	const struct recording_entry *e;
	struct slot *slot;
	int ret;

	ret = reap(r);
	if (ret)
		return ret;
	if (r->stopped)
		return -ENODATA;
	if (r->head == r->tail) {
		if (r->part == r->recording.count)
			return -ENODATA;
		return r->free_count ? 0 : -EAGAIN;
	}
	slot = &r->slots[r->order[r->head % r->count]];
	s->paced = slot->state == READ && pace_wait(&r->pace, units_now());
	if (slot->state != READ || s->paced)
		return 0;
	r->head++;
	e = slot->entry;
	slot->state = OUT;
	slot->handle = units_handle(r->lent++, (uint32_t)(slot - r->slots));
	h = &slot->part->header;
	*u = (struct unit){
		.data = memory_of(r, slot) + (e->offset - slot->place),
		.bytes = e->bytes,
		.handle = slot->handle,
		.sequence = e->sequence,
		.first = e->first,
		.time = e->time,
		.run = e->run ? content_mix(h->run, e->run) : h->run,
		.link = e->link,
		.flags = e->flags | (h->flags & RECORDING_ANY_LINK ? UNIT_ANY_LINK : 0),
	};
	verify(r, slot->part, u, e->data_crc);
	pace_pass(&r->pace, u->bytes);
	return 1;
}

static int give_back(struct source *s, uint64_t handle)
{
	struct replay *r = of(s);
	uint32_t index = (uint32_t)handle;

	if (index >= r->count || r->slots[index].state != OUT || r->slots[index].handle != handle)
		return units_fail(s->reason, EINVAL,
				  "Unit 0x%" PRIx64
				  " is not lent: its handle is wrong, or it was returned before.",
				  handle);
	r->slots[index].state = FREE;
	r->free_list[r->free_count++] = index;
	return 0;
}

static int flush(struct source *s)
{
	struct replay *r = of(s);

	return r->stopped ? 0 : read_ahead(r);
}

static int stop(struct source *s)
{
	of(s)->stopped = true;
	return 0;
}

static void replay_sleep(struct source *s, struct units_sleep *sleep)
{
	struct replay *r = of(s);

	if (r->stopped || (r->head == r->tail && r->part == r->recording.count))
		return;
	if (r->head != r->tail && r->slots[r->order[r->head % r->count]].state == READ)
		units_sleep_ns(sleep, pace_wait(&r->pace, units_now()));
	else if (r->reading)
		units_sleep_fd(sleep, r->ring.ring_fd, POLLIN);
	else if (r->again)
		units_sleep_ns(sleep, FILE_AGAIN_NS);
	else if (r->free_count)
		sleep->ns = 0;
}

static void counters(struct source *s, struct unit_counters *b)
{
	struct replay *r = of(s);

	*b = (struct unit_counters){
		.known = true, .units = r->recording.units, .bytes = r->recording.bytes};
}

static void close_source(struct source *s)
{
	struct replay *r = of(s);
	struct io_uring_cqe *cqe;
	unsigned int i;
	int ret;

	/* The kernel writes to the memory until its reads complete. */
	while (r->reading > r->queued) {
		ret = io_uring_wait_cqe(&r->ring, &cqe);
		/* A signal does not cancel a read. */
		if (ret == -EINTR)
			continue;
		if (ret)
			break;
		io_uring_cqe_seen(&r->ring, cqe);
		r->reading--;
	}
	if (r->have_ring)
		io_uring_queue_exit(&r->ring);
	for (i = 0; r->files && i < r->recording.count; i++)
		close_file(&r->files[i]);
	if (r->memory)
		munmap(r->memory, r->length);
	recording_close(&r->recording);
	free(r->files);
	free(r->slots);
	free(r->order);
	free(r->free_list);
	free(r);
}

static const struct source_ops ops = {
	.name = "replay",
	.start = start,
	.take = take,
	.give_back = give_back,
	.flush = flush,
	.stop = stop,
	.sleep = replay_sleep,
	.counters = counters,
	.close = close_source,
};

/* Return whether the flag is set in all parts. If it is set in some, their units have it. */
static bool any_link(const struct recording *r)
{
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		if (!(r->parts[i].header.flags & RECORDING_ANY_LINK))
			return false;
	}
	return true;
}

/* Report an unreadable file before any unit is lent. */
static int check_files(struct replay *r)
{
	unsigned int i;
	int fd;

	r->files = calloc(r->recording.count, sizeof(*r->files));
	if (!r->files)
		return units_fail(r->source.reason, ENOMEM, "Cannot allocate the list of files.");
	for (i = 0; i < r->recording.count; i++)
		r->files[i].fd = -1;
	for (i = 0; i < r->recording.count; i++) {
		fd = open_data(r, r->recording.parts[i].data);
		if (fd < 0)
			return fail_data(r, r->recording.parts[i].data, -fd);
		close(fd);
	}
	return 0;
}

static int make_slots(struct replay *r)
{
	struct iovec region;
	void *memory;
	uint32_t i;
	int ret;

	/* Space for a unit and the surrounding bytes up to the alignment. */
	r->slot_bytes = (r->recording.unit_max + 2 * RECORDING_ALIGN - 1) &
			~(uint64_t)(RECORDING_ALIGN - 1);
	if (r->slot_bytes > INT32_MAX)
		return units_fail(r->source.reason, E2BIG,
				  "The recording has units of %" PRIu64
				  " bytes, which are too large: the limit is %d bytes.",
				  r->recording.unit_max, INT32_MAX - 2 * RECORDING_ALIGN + 1);
	r->count = (uint32_t)(r->opt.buffer / r->slot_bytes);
	if (r->count < 2)
		r->count = 2;
	r->length = (size_t)r->count * r->slot_bytes;
	memory = mmap(NULL, r->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return units_fail(r->source.reason, ENOMEM,
				  "Cannot allocate the buffer (%zu bytes).", r->length);
	r->memory = memory;
	madvise(memory, r->length, MADV_HUGEPAGE);
	r->slots = calloc(r->count, sizeof(*r->slots));
	r->order = calloc(r->count, sizeof(*r->order));
	r->free_list = calloc(r->count, sizeof(*r->free_list));
	if (!r->slots || !r->order || !r->free_list)
		return units_fail(r->source.reason, ENOMEM,
				  "Cannot allocate the slots of the buffer.");
	for (i = 0; i < r->count; i++)
		r->free_list[i] = r->count - 1 - i;
	r->free_count = r->count;
	ret = uring_open(&r->ring, r->opt.depth, r->source.reason);
	if (ret)
		return ret;
	r->have_ring = true;
	region = (struct iovec){.iov_base = r->memory, .iov_len = r->length};
	r->fixed =
		r->length <= UINT64_C(1) << 30 && !io_uring_register_buffers(&r->ring, &region, 1);
	return 0;
}

struct source *source_replay(const struct replay_options *o, char reason[UNITS_REASON])
{
	struct replay *r = calloc(1, sizeof(*r));
	const struct recording_header *h;
	const char *found;

	if (!r) {
		units_fail(reason, ENOMEM, "Cannot allocate the source for a recording.");
		return NULL;
	}
	r->source.ops = &ops;
	r->opt = *o;
	r->direct.buffered = o->buffered;
	if (recording_open(o->path, &r->recording, r->source.reason) || check_files(r) ||
	    make_slots(r)) {
		units_fail(reason, EIO, "%s", r->source.reason);
		close_source(&r->source);
		return NULL;
	}
	h = &r->recording.parts[0].header;
	r->source.format = (struct unit_format){
		.content = h->content < UNIT_CONTENTS ? h->content : UNIT_BYTES,
		.any_link = any_link(&r->recording),
		.page_bytes = h->page_bytes,
		.unit_max = r->recording.unit_max,
	};
	memcpy(r->source.format.from, h->from, sizeof(h->from));
	r->source.regions[0] = (struct unit_region){.addr = r->memory, .length = r->length};
	r->source.region_count = 1;
	/*
	 * Missing units are reported as a failure at the end; until then the available units are
	 * lent.
	 */
	found = r->recording.reason[0] ? r->recording.reason : r->recording.note;
	if (found[0])
		memcpy(r->source.note, found, sizeof(r->source.note));
	r->source.incomplete = r->recording.reason[0];
	return &r->source;
}
