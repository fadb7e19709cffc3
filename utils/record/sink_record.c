// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write units to the disk from their memory. A unit need not be aligned for direct I/O: the write
 * includes the surrounding bytes up to the alignment, and the index has the offset of the unit. A
 * batch is submitted with one call; completions are found without a call.
 *
 * Writes complete in any order. The index has the units in the order of put(), and a unit is
 * returned when its entry is in the index.
 */
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crc32c.h"
#include "recording_write.h"
#include "utils/units/sink_process.h"

/*
 * Units, in addition to the depth, that are written and wait for their commit, because a sync takes
 * long.
 */
#define WAITING 1024

enum state {
	IN_FLIGHT,
	WRITTEN,
	FAILED,
	COMMITTING,
	COMMITTED, /* its entry is in the index */
	RETURNED,
};

struct write {
	struct writer_op op;
	struct iovec piece; /* aligned for direct I/O */
	enum state state;
	struct recording_file *file;
	struct recording_entry entry;
	const void *data;
	uint64_t handle;
};

struct record {
	struct sink sink;
	struct writer w;
	struct record_options opt;
	struct recording_set set;
	struct pinned pinned;
	struct write *writes;  /* ring */
	unsigned int capacity; /* of the ring */
	uint64_t head, tail;
	uint64_t next; /* first unit that has neither been added to a commit nor failed */
	struct commit commit;
	uint64_t commit_from; /* first unit of the current commit; @next is after its last one */
	unsigned int writing; /* writes in flight */
	bool index_failed;    /* no more entries can be written */
};

static struct record *of(struct sink *s)
{
	return (struct record *)s;
}

static struct record *around(struct writer *w)
{
	return (struct record *)((char *)w - offsetof(struct record, w));
}

static struct write *at(struct record *r, uint64_t n)
{
	return &r->writes[n % r->capacity];
}

/* The disk is full, or a file has reached its maximum size: accept no more units. */
static int set_full(struct record *r, int err)
{
	r->w.full = true;
	if (err == -EFBIG)
		return units_fail(
			r->sink.reason, ENOSPC,
			"A file in %s has reached the maximum size of ulimit -f or of the file system: set a smaller --file-size. The recording has ended, and data that were written are intact.",
			r->opt.dir);
	return units_fail(
		r->sink.reason, ENOSPC,
		"%s is full: the recording has ended, and data that were written are intact.",
		r->opt.dir);
}

static int begin(struct writer *w)
{
	struct recording_file *f = calloc(1, sizeof(*f));
	struct record *r = around(w);
	char reason[UNITS_REASON] = "";
	int ret;

	if (!f)
		return units_fail(r->sink.reason, ENOMEM, "Cannot allocate the state of a file.");
	ret = recording_file_begin(&r->set, f, reason);
	if (ret) {
		free(f);
		/* For the first file, the reason of the error is more precise. */
		if (r->sink.n.files && writer_no_space(ret))
			return set_full(r, ret);
		units_fail(r->sink.reason, -ret, "%s", reason);
		return -EIO;
	}
	w->file = &f->base;
	r->sink.n.files++;
	return 0;
}

static int end(struct writer *w, struct writer_file *file, int synced, int *fd)
{
	struct recording_file *f = (struct recording_file *)file;
	struct record *r = around(w);
	int ret = recording_file_end_step(&r->set, f, synced, fd, r->sink.reason);

	if (ret > 0)
		return ret;
	r->sink.n.files -= !f->entries && f->number;
	free(f);
	return ret;
}

static bool file_is_over(const struct record *r, uint64_t bytes)
{
	const struct recording_file *f = (struct recording_file *)r->w.file;

	if (!f || !f->end)
		return false;
	if (r->opt.file_bytes && f->end + bytes > r->opt.file_bytes)
		return true;
	return r->opt.file_time && units_now() - f->begun >= r->opt.file_time * UNITS_NS_PER_S;
}

static void written(struct writer *writer, struct writer_op *op, int err)
{
	struct record *r = around(writer);

	r->writing--;
	((struct write *)op)->state = err ? FAILED : WRITTEN;
	if (writer_no_space(err))
		set_full(r, err);
	else if (err)
		writer_fail(writer, err);
}

static int put(struct sink *s, const struct unit *u)
{
	struct record *r = of(s);
	struct recording_file *f;
	uint64_t before, length;
	struct write *w;
	int ret;

	if (r->w.full)
		return -ENOSPC;
	if (r->w.failed)
		return -EIO;
	if (r->writing == r->opt.depth || r->tail - r->head == r->capacity)
		return 0;
	before = (uintptr_t)u->data % RECORDING_ALIGN;
	length = (before + u->bytes + RECORDING_ALIGN - 1) & ~(uint64_t)(RECORDING_ALIGN - 1);
	if (length > INT32_MAX)
		return units_fail(s->reason, E2BIG,
				  "A unit of %" PRIu64
				  " bytes is too large: the limit is %d bytes.",
				  u->bytes, INT32_MAX - (RECORDING_ALIGN - 1) - (int)before);
	ret = writer_next(&r->w, file_is_over(r, length));
	if (ret <= 0)
		return ret;
	f = (struct recording_file *)r->w.file;
	if (recording_file_reserve(&r->set, f, length))
		return set_full(r, -ENOSPC);
	w = at(r, r->tail++);
	*w = (struct write){
		.op = {.complete = written,
		       .fd = f->data,
		       .pieces = &w->piece,
		       .count = 1,
		       .place = f->end,
		       .left = length},
		.piece = {.iov_base = (char *)(uintptr_t)u->data - before, .iov_len = length},
		.state = IN_FLIGHT,
		.file = f,
		.entry = {.offset = f->end + before,
			  .bytes = u->bytes,
			  .first = u->first,
			  .sequence = u->sequence,
			  .time = u->time,
			  .run = u->run,
			  .link = u->link,
			  .flags = u->flags},
		.data = u->data,
		.handle = u->handle,
	};
	w->op.buffer = pinned_find(&r->pinned, w->piece.iov_base, length);
	f->end += length;
	f->base.pending++;
	r->writing++;
	/* A unit without data has only an entry: a write of 0 bytes would look like a full disk. */
	if (length)
		writer_start(&r->w, &w->op);
	else
		written(&r->w, &w->op, 0);
	return 1;
}

static int flush(struct sink *s)
{
	return writer_flush(&of(s)->w);
}

static void end_commit(struct writer *writer, int err, const char *reason)
{
	struct record *r = around(writer);
	uint64_t i;

	for (i = r->commit_from; i != r->next; i++) {
		struct write *w = at(r, i);

		if (w->state != COMMITTING)
			continue;
		w->state = err ? FAILED : COMMITTED;
		if (!err)
			recording_file_count(w->file, &w->entry);
	}
	if (writer_no_space(err)) {
		set_full(r, err);
	} else if (err) {
		units_fail(r->sink.reason, -err, "%s", reason);
		writer->failed = true;
	}
	r->index_failed |= err != 0;
	for (i = r->commit_from; i != r->next; i++)
		writer_unit_done(writer, &at(r, i)->file->base);
	r->commit_from = r->next;
}

static void add_to_commit(struct record *r, struct write *w)
{
	w->entry.data_crc = crc32c(w->data, w->entry.bytes);
	commit_add(&r->commit, w->file, &w->entry);
	w->state = COMMITTING;
}

/*
 * Start a commit with all units that are written, up to the first one that is not, or to the end of
 * the file. Only one commit runs at a time; other units wait for the next one.
 */
static void advance(struct writer *writer)
{
	struct record *r = around(writer);

	while (r->commit_from == r->next && r->next != r->tail) {
		for (; r->next != r->tail; r->next++) {
			struct write *w = at(r, r->next);

			if (w->state == WRITTEN && r->index_failed)
				w->state = FAILED;
			if (w->state == IN_FLIGHT || (r->commit.file && w->file != r->commit.file))
				break;
			if (w->state == WRITTEN)
				add_to_commit(r, w);
		}
		if (r->commit.file)
			commit_start(&r->commit);
		else if (r->commit_from != r->next)
			end_commit(writer, 0, "");
		else
			return;
	}
}

/* Collect handles of units in this state, oldest first. */
static unsigned int collect(struct record *r, enum state state, uint64_t *handles,
			    unsigned int capacity)
{
	unsigned int n = 0;
	uint64_t i;

	for (i = r->head; i != r->commit_from && n < capacity; i++) {
		struct write *w = at(r, i);

		if (w->state != state)
			continue;
		w->state = RETURNED;
		if (state == COMMITTED) {
			/* The kernel copies data into the page cache. This process never does. */
			r->sink.n.units++;
			r->sink.n.bytes += w->entry.bytes;
		} else {
			r->sink.n.lost++;
			r->sink.n.lost_bytes += w->entry.bytes;
		}
		handles[n++] = w->handle;
	}
	while (r->head != r->commit_from && at(r, r->head)->state == RETURNED)
		r->head++;
	return n;
}

/* Report a failure only when all units are returned, if necessary as lost. */
static int fails(const struct record *r)
{
	return r->w.failed && r->head == r->tail ? -EIO : 0;
}

static int done(struct sink *s, uint64_t *handles, unsigned int capacity)
{
	struct record *r = of(s);
	int ret = writer_reap(&r->w);
	unsigned int n;

	if (ret)
		return ret;
	n = collect(r, COMMITTED, handles, capacity);
	return n ? (int)n : fails(r);
}

static int lost(struct sink *s, uint64_t *handles, unsigned int capacity)
{
	struct record *r = of(s);
	unsigned int n;

	if (!r->w.full && !r->w.failed)
		return 0;
	n = collect(r, FAILED, handles, capacity);
	if (n)
		return (int)n;
	return r->w.failed ? fails(r) : -ENOSPC;
}

static void record_sleep(struct sink *s, struct units_sleep *sleep)
{
	writer_sleep(&of(s)->w, sleep);
}

static void abandon(struct sink *s)
{
	writer_abandon(&of(s)->w);
}

static int finish(struct sink *s)
{
	struct record *r = of(s);
	int ret = writer_end(&r->w);

	if (ret < 0)
		return ret;
	return r->w.full ? -ENOSPC : 0;
}

static void close_sink(struct sink *s)
{
	struct record *r = of(s);

	writer_close(&r->w);
	pinned_free(&r->pinned);
	free(r->commit.text);
	free(r->writes);
	free(r);
}

static const struct sink_ops ops = {
	.name = "record",
	.put = put,
	.flush = flush,
	.done = done,
	.lost = lost,
	.finish = finish,
	.abandon = abandon,
	.sleep = record_sleep,
	.close = close_sink,
};

static const struct writer_format format = {.begin = begin, .end = end, .advance = advance};

static int prepare(struct record *r, const struct source *source)
{
	char *reason = r->sink.reason;
	int ret;

	/* For the writes, and one operation of a commit. */
	ret = writer_open(&r->w, r->opt.depth + 1, r->opt.durability != RECORDING_DURABLE_NONE);
	if (!ret)
		ret = recording_set_begin(&r->set, reason);
	if (ret)
		return ret;
	r->capacity = r->opt.depth + WAITING;
	r->writes = calloc(r->capacity, sizeof(*r->writes));
	r->commit.text = malloc((size_t)r->capacity * RECORDING_ENTRY);
	if (!r->writes || !r->commit.text)
		return units_fail(reason, ENOMEM, "Cannot allocate the list of writes.");
	pinned_register(&r->pinned, &r->w.ring, source);
	/* Report an unwritable folder before the card starts. */
	return begin(&r->w);
}

struct sink *sink_record(const struct record_options *o, const struct source *source,
			 char reason[UNITS_REASON])
{
	struct record *r = calloc(1, sizeof(*r));

	if (!r) {
		units_fail(reason, ENOMEM, "Cannot allocate the sink for a recording.");
		return NULL;
	}
	r->sink.ops = &ops;
	r->opt = *o;
	r->w = (struct writer){.format = &format,
			       .dir = o->dir,
			       .reason = r->sink.reason,
			       .syncing = &r->sink.syncing,
			       .n = &r->sink.n,
			       .align = RECORDING_ALIGN,
			       .folder = -1};
	r->set = (struct recording_set){
		.opt = &r->opt,
		.format = &source->format,
		.run = units_realtime(),
		.direct.buffered = o->buffered,
		.note = r->sink.note,
	};
	r->commit = (struct commit){.writer = &r->w, .set = &r->set, .ended = end_commit};
	if (prepare(r, source)) {
		units_fail(reason, EIO, "%s", r->sink.reason);
		close_sink(&r->sink);
		return NULL;
	}
	return &r->sink;
}

static int open_in_process(void *options, const struct source *source, struct sink **sink,
			   char reason[UNITS_REASON])
{
	*sink = sink_record(options, source, reason);
	return *sink ? 0 : -EIO;
}

/* The options belong to the caller, which keeps them. */
static void keep_options(void *options)
{
	(void)options;
}

struct sink *sink_record_process(const struct record_options *o, const struct source *source,
				 char reason[UNITS_REASON])
{
	static const struct sink_process_type type = {.open = open_in_process,
						      .release = keep_options};
	struct sink *sink;

	return sink_process(&type, (void *)(uintptr_t)o, source, o->dir, &sink, reason) ? NULL
											: sink;
}
