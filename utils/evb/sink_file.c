// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink file: write blocks of events to files, one complete MEP after the other
 * (Documentation/mep.md), from the memory where they were built. Files are DIR/NAME-000000.mep,
 * -000001 and so on. Existing files are never overwritten.
 *
 * A file system may have a limit of the file size that is unknown until a write fails with EFBIG.
 * Then the blocks in flight to this file are lost; later files end before the limit.
 */
#include "sink.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "text.h"
#include "utils/common/files.h"
#include "utils/common/tool.h"
#include "utils/record/writer.h"

#define DEPTH 64	 /* limit of blocks in flight */
#define PIECES (1 << 14) /* of a block */

struct values {
	char dir[EVB_TEXT_MAX];
	uint64_t size;
};

static const struct evb_key keys[] = {
	{.name = "dir", .type = EVB_KEY_TEXT, .offset = offsetof(struct values, dir), .bare = true},
	{.name = "size", .type = EVB_KEY_SIZE, .offset = offsetof(struct values, size)},
};

struct block_file {
	struct writer_file base;
	int fd;
	unsigned int step; /* of end(): sync of the data, sync of the name */
	uint64_t end;	   /* bytes in use, with blocks in flight */
	bool too_long;	   /* a write failed with EFBIG below the known limit */
	bool hole;	   /* from @hole_at on blocks cannot be read */
	uint64_t hole_at;
};

struct block {
	struct writer_op op;
	struct block_file *file;
	uint64_t handle;
	unsigned char *head; /* header and table of the MEP */
	size_t head_room;
	struct iovec *pieces;
	unsigned int count, room;
	uint64_t begin; /* offset in the file */
	bool over, well;
	struct roc_mep_shape {
		uint64_t events, fragments, data;
		uint32_t flags, missing;
	} shape;
};

struct file_sink {
	struct writer w;
	struct values v;
	char name[ROC_EVB_NAME];
	bool syncing;
	unsigned int number;
	uint64_t limit; /* bytes of a file, as far as a limit is known */
	bool too_long_logged;
	struct block blocks[DEPTH]; /* a ring */
	unsigned int head, settled,
		tail; /* oldest block, first block that is not counted, next free entry */
	struct sink_counts calls;
	struct evb_sink_counters n;
	char reason[UNITS_REASON];
};

static const char padding[ROC_MEP_ALIGN];

static struct file_sink *around(struct writer *w)
{
	return (struct file_sink *)w;
}

static struct block *at(struct file_sink *s, unsigned int n)
{
	return &s->blocks[n % DEPTH];
}

/* Stop writing for good: continuing would leave a gap in the written blocks. */
static int no_space(struct file_sink *s, int err)
{
	s->w.full = true;
	s->reason[0] = '\0'; /* drop the reason of begin() */
	return units_fail(
		s->reason, ENOSPC,
		"%s: %s. The sink writes nothing more: free space there, and restart the node.",
		s->v.dir, strerror(err));
}

static int begin(struct writer *w)
{
	struct file_sink *s = around(w);
	struct block_file *f = calloc(1, sizeof(*f));
	char path[PATH_MAX];

	if (!f)
		return units_fail(s->reason, ENOMEM, "Cannot allocate the state of a file.");
	do {
		f->fd = numbered_create(s->v.dir, s->name, s->number++, ".mep", path);
	} while (f->fd == -EEXIST);
	if (f->fd < 0) {
		int ret = f->fd;

		free(f);
		s->number--;
		units_fail(s->reason, -ret, "%s cannot be created: %s.", path, strerror(-ret));
		return s->n.files && writer_no_space(ret) ? no_space(s, -ret) : ret;
	}
	s->w.file = &f->base;
	s->n.files++;
	return 0;
}

/* Truncate the file to its readable blocks. */
static int cut(struct file_sink *s, struct block_file *f)
{
	if (f->hole && ftruncate(f->fd, (off_t)f->hole_at))
		return units_fail(s->reason, errno,
				  "A file in %s cannot be truncated to its readable blocks: %s.",
				  s->v.dir, strerror(errno));
	return 0;
}

/* End a file: sync its data, then the folder with its name. */
static int end(struct writer *w, struct writer_file *file, int synced, int *fd)
{
	struct block_file *f = (struct block_file *)file;
	struct file_sink *s = around(w);
	int ret = f->step ? synced : cut(s, f);

	if (!ret && f->step < 2) {
		*fd = f->step++ ? w->folder : f->fd;
		return 1;
	}
	if (ret)
		writer_fail(w, ret);
	close(f->fd);
	free(f);
	return ret;
}

static int piece(struct file_sink *s, struct block *b, const void *data, size_t bytes)
{
	struct iovec *more;

	if (!bytes)
		return 0;
	if (b->count == b->room) {
		if (b->room == PIECES)
			return units_fail(
				s->reason, E2BIG,
				"A block has more than %d pieces: use fewer events in a block, or larger segments.",
				PIECES);
		more = realloc(b->pieces, 2 * b->room * sizeof(*more));
		if (!more)
			return units_fail(s->reason, ENOMEM,
					  "Cannot allocate %u pieces of a block.", 2 * b->room);
		b->pieces = more;
		b->room *= 2;
	}
	b->pieces[b->count++] =
		(struct iovec){.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	return 0;
}

/* Add the pieces of an MFP, which begins at the start of its first segment. */
static int pieces_of(struct file_sink *s, struct block *b, const struct roc_mep_source *source)
{
	uint64_t left = source->view.head.bytes;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < source->view.count && left && !ret; i++) {
		const struct iovec *segment = &source->view.segments[i];
		size_t n = segment->iov_len < left ? segment->iov_len : left;

		ret = piece(s, b, segment->iov_base, n);
		left -= n;
	}
	b->shape.fragments += source->view.head.count;
	/* A source may lack events, so the largest count is used. */
	if (source->view.head.count > b->shape.events)
		b->shape.events = source->view.head.count;
	b->shape.data += source->view.head.bytes - roc_mfp_data(source->view.head.count);
	return ret ? ret
		   : piece(s, b, padding,
			   roc_mep_padded(source->view.head.bytes) - source->view.head.bytes);
}

static int lay_out(struct file_sink *s, struct block *b, const struct roc_mep *mep)
{
	size_t head = ROC_MEP_HEAD + (size_t)mep->count * ROC_MEP_ENTRY;
	unsigned char *more;
	unsigned int i;
	int ret;

	if (head > b->head_room) {
		more = realloc(b->head, head);
		if (!more)
			return units_fail(s->reason, ENOMEM,
					  "Cannot allocate the header of a block (%zu bytes).",
					  head);
		b->head = more;
		b->head_room = head;
	}
	b->handle = mep->handle;
	b->count = 0;
	b->shape = (struct roc_mep_shape){.flags = mep->flags};
	ret = piece(s, b, b->head, roc_mep_put(b->head, mep));
	for (i = 0; i < mep->count && !ret; i++) {
		b->shape.missing += mep->sources[i].state == ROC_MEP_MISSING;
		if (mep->sources[i].state == ROC_MEP_HERE)
			ret = pieces_of(s, b, &mep->sources[i]);
	}
	return ret;
}

/* A write failed with EFBIG, so its offset is the limit of later files. */
static void handle_file_limit(struct file_sink *s, struct block *b)
{
	b->file->too_long = true;
	if (b->op.place < s->limit)
		s->limit = b->op.place;
	if (!s->too_long_logged)
		tool_note(
			"A file in %s reached the limit of ulimit -f or of its file system. Blocks in flight are lost, and so is each block that is larger than the limit; the next files end before it.",
			s->v.dir);
	s->too_long_logged = true;
}

static void written(struct writer *w, struct writer_op *op, int err)
{
	struct block *b = (struct block *)op;
	struct file_sink *s = around(w);

	b->over = true;
	b->well = !err;
	if (err == -EFBIG)
		handle_file_limit(s, b);
	else if (writer_no_space(err))
		no_space(s, -err); /* blocks before this one are complete */
	else if (err)
		writer_fail(w, err);
}

static int put(void *self, const struct roc_mep *mep)
{
	uint64_t bytes = roc_mep_bytes(mep);
	struct file_sink *s = self;
	struct block_file *f = (struct block_file *)s->w.file;
	struct block *b = at(s, s->tail);
	int ret;

	if (s->w.full)
		return -ENOSPC;
	if (s->tail - s->head == DEPTH)
		return 0;
	if (f && f->too_long) {
		/* The next block begins at the hole if it fits below the limit. */
		ret = f->base.pending ? 0 : cut(s, f) ?: 1;
		if (ret <= 0)
			return ret;
		f->end = f->hole_at;
		f->hole = f->too_long = false;
	}
	ret = writer_next(&s->w, f && f->end && f->end + bytes > s->limit);
	if (ret <= 0)
		return ret;
	ret = lay_out(s, b, mep);
	if (ret)
		return ret;
	f = (struct block_file *)s->w.file;
	b->file = f;
	b->begin = f->end;
	b->over = false;
	b->op = (struct writer_op){.complete = written,
				   .fd = f->fd,
				   .pieces = b->pieces,
				   .count = b->count,
				   .buffer = -1,
				   .place = f->end,
				   .left = bytes};
	f->end += bytes;
	f->base.pending++;
	s->tail++;
	writer_start(&s->w, &b->op);
	return 1;
}

static void add_up(struct file_sink *s, const struct block *b)
{
	s->n.blocks++;
	s->n.events += b->shape.events;
	s->n.fragments += b->shape.fragments;
	s->n.bytes += b->shape.data;
	s->n.incomplete += !!(b->shape.flags & ROC_MEP_INCOMPLETE);
	s->n.damaged += !!(b->shape.flags & ROC_MEP_DAMAGED);
	s->n.missing += b->shape.missing;
}

/*
 * Count completed blocks. A block behind one that could not be written cannot be read. So blocks
 * are returned and counted in the order of the file, and the sum is correct even if a write never
 * completes.
 */
static void advance(struct writer *w)
{
	struct file_sink *s = around(w);

	for (; s->settled != s->tail && at(s, s->settled)->over; s->settled++) {
		struct block *b = at(s, s->settled);
		struct block_file *f = b->file;

		if (!b->well && !f->hole) {
			f->hole = true;
			f->hole_at = b->begin;
		}
		if (f->hole)
			s->n.lost++;
		else
			add_up(s, b);
		writer_unit_done(w, &f->base);
	}
}

static int flush(void *self)
{
	return writer_flush(&((struct file_sink *)self)->w);
}

static int done(void *self, uint64_t *handles, unsigned int room)
{
	struct file_sink *s = self;
	int ret = writer_reap(&s->w);
	unsigned int n;

	if (ret)
		return ret;
	for (n = 0; n < room && s->head != s->settled; n++)
		handles[n] = at(s, s->head++)->handle;
	return n ? (int)n : s->w.failed ? -EIO : 0;
}

static int finish(void *self)
{
	struct file_sink *s = self;
	int ret = writer_reap(&s->w);

	if (ret)
		return ret;
	ret = writer_finish(&s->w);
	return ret ? ret : writer_flush(&s->w);
}

static void abandon(void *self)
{
	writer_abandon(&((struct file_sink *)self)->w);
}

static void idle(void *self, struct roc_idle *idle)
{
	struct file_sink *s = self;

	if (s->head != s->settled)
		roc_idle_ns(idle, 0);
	else
		writer_sleep(&s->w, idle);
}

static const char *reason_of(void *self)
{
	return ((struct file_sink *)self)->reason;
}

static void counters(void *self, struct evb_sink_counters *counters)
{
	struct file_sink *s = self;

	*counters = s->n;
	memcpy(counters->wrong, s->reason, sizeof(counters->wrong));
}

static bool syncing(void *self)
{
	return ((struct file_sink *)self)->syncing;
}

static void close_sink(void *self)
{
	struct file_sink *s = self;
	unsigned int i;

	writer_close(&s->w);
	for (i = 0; i < DEPTH; i++) {
		free(s->blocks[i].head);
		free(s->blocks[i].pieces);
	}
	free(s);
}

static const struct writer_format format = {.begin = begin, .end = end, .advance = advance};

static const struct roc_evb_sink_ops ops = {
	.name = "file",
	.put = put,
	.flush = flush,
	.done = done,
	.finish = finish,
	.abandon = abandon,
	.idle = idle,
	.reason = reason_of,
};

/* Files are read in the order of their names, so new files come after all existing ones. */
static int first_number(struct file_sink *s)
{
	static const char *const ends[] = {".mep", NULL};
	char name[NAME_MAX + 1];
	unsigned int last;
	int ret = numbered_last(s->v.dir, s->name, ends, name, &last);

	if (ret < 0)
		return units_fail(s->reason, -ret, "%s cannot be read: %s.", s->v.dir,
				  strerror(-ret));
	s->number = ret ? last + 1 : 0;
	return 0;
}

static int prepare(struct file_sink *s)
{
	struct rlimit limit;
	unsigned int i;
	int ret;

	if (!s->v.dir[0])
		return units_fail(s->reason, EINVAL,
				  "file: the directory is missing, as in file:/data/run1.");
	ret = writer_open(&s->w, DEPTH, true);
	if (!ret)
		ret = first_number(s);
	if (ret)
		return ret;
	for (i = 0; i < DEPTH; i++) {
		s->blocks[i].room = 64;
		s->blocks[i].pieces = calloc(s->blocks[i].room, sizeof(struct iovec));
		if (!s->blocks[i].pieces)
			return units_fail(s->reason, ENOMEM,
					  "Cannot allocate the pieces of %d blocks.", DEPTH);
	}
	s->limit = s->v.size ? s->v.size : UINT64_MAX;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < s->limit)
		s->limit = limit.rlim_cur;
	return begin(&s->w);
}

int evb_sink_file(const char *values, const char *name, struct evb_sink *sink,
		  char reason[UNITS_REASON])
{
	struct file_sink *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return units_fail(reason, ENOMEM, "Cannot allocate the state of the sink file.");
	s->w = (struct writer){.format = &format,
			       .dir = s->v.dir,
			       .reason = s->reason,
			       .syncing = &s->syncing,
			       .n = &s->calls,
			       .align = 1,
			       .folder = -1};
	s->v.size = UINT64_C(4) << 30;
	snprintf(s->name, sizeof(s->name), "%s", name);
	ret = evb_text_parse("file", values, keys, sizeof(keys) / sizeof(keys[0]), &s->v,
			     s->reason);
	if (!ret)
		ret = prepare(s);
	if (ret) {
		units_fail(reason, -ret, "%s", s->reason);
		close_sink(s);
		return ret;
	}
	*sink = (struct evb_sink){.ops = &ops,
				  .self = s,
				  .counters = counters,
				  .syncing = syncing,
				  .close = close_sink};
	return 0;
}
