// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Make and map the ring of a stream, and read data from it.
 *
 * The card writes its position into host memory, and the library writes the read position. When a
 * reader sleeps, the driver reports the read position to the card. A busy reader reports it with
 * the doorbell, a mapped page of the card, and rarely, because each doorbell is a register write.
 * It rings more often when the card knows of less free space than half of the ring: one packet may
 * need that much, so the card may be waiting.
 */
#include <endian.h>
#include <errno.h>
#include <sys/mman.h>

#include "barrier.h"
#include "libroc.h"
#include "stream.h"

int libroc_need_ring(const struct roc_stream *s)
{
	int ret = libroc_need_opener(&s->c.node, s->c.name);

	if (ret || s->lines)
		return ret;
	return roc_fail(
		EPIPE,
		"%s: the ring does not exist yet: call roc_stream_ring() or roc_stream_start() first",
		s->c.name);
}

/* Describe the reasons that come with a number. */
static int fail_reason(int err, const struct roc_stream *s, const struct roc_st_ring *arg)
{
	char length[32], limit[32];

	libroc_size_text(arg->length, length, sizeof(length));
	libroc_size_text(arg->limit, limit, sizeof(limit));
	switch (arg->reason) {
	case ROC_REASON_MEMLOCK:
		return roc_fail(
			err,
			"%s: cannot make a ring of %s, the limit is %llu bytes and %llu of them are in use: %s",
			s->c.name, length, (unsigned long long)arg->limit,
			(unsigned long long)arg->pinned, roc_reason_text(arg->reason));
	case ROC_REASON_LENGTH:
		return roc_fail(err, "%s: cannot make a ring of %s: the card supports at most %s",
				s->c.name, length, limit);
	case ROC_REASON_CONTIGUITY:
		return roc_fail(
			err,
			"%s: cannot make a ring of %s: its memory has more extents than the card supports: request at most %s, or boot with the IOMMU on",
			s->c.name, length, limit);
	case ROC_REASON_OWNER:
		return roc_fail(
			err,
			"%s: only the process that opened the stream can make its ring: open it after fork()",
			s->c.name);
	default:
		return roc_fail(err, "%s: cannot make a ring of %s: %s", s->c.name, length,
				roc_reason_text(arg->reason));
	}
}

static int fail_ring(int err, const struct roc_stream *s, const struct roc_st_ring *arg)
{
	char length[32];

	if (arg->reason)
		return fail_reason(err, s, arg);
	libroc_size_text(arg->length, length, sizeof(length));
	switch (err) {
	case EINVAL:
		return roc_fail(
			err,
			"%s: cannot make a ring of %llu bytes: use a power of two from %llu to %llu, or 0 for %llu",
			s->c.name, (unsigned long long)arg->length,
			(unsigned long long)ROC_ST_RING_MIN, (unsigned long long)ROC_ST_RING_MAX,
			(unsigned long long)ROC_STREAM_RING_DEFAULT);
	case EBUSY:
		return roc_fail(
			err,
			"%s: the ring exists already: it is made once per open; close the stream to change its size",
			s->c.name);
	case ENOMEM:
		return roc_fail(
			err,
			"%s: the kernel cannot allocate a ring of %s in ordinary pages, on the card's NUMA node first (free -h, numactl -H): request a smaller one, or reserve fewer hugepages",
			s->c.name, length);
	default:
		return libroc_fail_ioctl(err, s->c.name, "cannot make the ring");
	}
}

void libroc_stream_unmap(struct roc_stream *s)
{
	libroc_node_unmap(&s->c.node, s->ring, s->made.ring_length);
	libroc_node_unmap(&s->c.node, s->kernel, s->made.control_length);
	libroc_node_unmap(&s->c.node, s->user, s->made.user_length);
	libroc_node_unmap(&s->c.node, s->bell, s->made.bell_length);
	s->ring = NULL;
	s->kernel = NULL;
	s->user = NULL;
	s->bell = NULL;
}

static int map_ring(struct roc_stream *s)
{
	const struct libroc_node *node = &s->c.node;
	const struct roc_st_ring *made = &s->made;
	const int read_write = PROT_READ | PROT_WRITE;
	int err = 0;

	s->ring = libroc_node_map(node, made->ring_length, made->ring_offset, read_write, &err);
	if (s->ring)
		s->kernel = libroc_node_map(node, made->control_length, made->control_offset,
					    PROT_READ, &err);
	if (s->kernel)
		s->user = libroc_node_map(node, made->user_length, made->user_offset, read_write,
					  &err);
	if (s->user && made->bell_length)
		s->bell = libroc_node_map(node, made->bell_length, made->bell_offset, read_write,
					  &err);
	if (err) {
		libroc_stream_unmap(s);
		return libroc_fail_map(err, s->c.name, "cannot map the ring");
	}
	s->state = (const void *)((const char *)s->kernel + made->control_length / 2);
	s->lines = made->length / ROC_ST_LINE;
	return 0;
}

static int make_ring(struct roc_stream *s, uint64_t length)
{
	struct roc_st_ring arg = {.size = sizeof(arg),
				  .length = length ? length : ROC_STREAM_RING_DEFAULT};
	int ret = libroc_node_ioctl(&s->c.node, ROC_ST_RING, &arg);

	/* Without a requested length, use the largest ring that the card supports. */
	if (ret && !length && arg.reason == ROC_REASON_LENGTH &&
	    arg.limit < ROC_STREAM_RING_DEFAULT) {
		arg = (struct roc_st_ring){.size = sizeof(arg), .length = arg.limit};
		ret = libroc_node_ioctl(&s->c.node, ROC_ST_RING, &arg);
	}
	if (ret)
		return fail_ring(-ret, s, &arg);
	s->made = arg;
	return 0;
}

int roc_stream_ring(struct roc_stream *s, uint64_t length)
{
	int ret = libroc_need_opener(&s->c.node, s->c.name);

	if (ret)
		return ret;
	if (!s->made.size || s->lines) {
		ret = make_ring(s, length);
		if (ret)
			return ret;
	}
	return map_ring(s);
}

const void *roc_stream_base(const struct roc_stream *s, uint64_t *length)
{
	if (!s->lines || !libroc_is_opener(&s->c.node))
		return NULL;
	if (length)
		*length = (uint64_t)s->lines * ROC_ST_LINE;
	return s->ring;
}

int64_t libroc_stream_from(struct roc_stream *s, uint32_t position, const void **data)
{
	uint32_t flags, written, read, lines;

	/* Load the flags before the position: if the run has ended, no more data come. */
	flags = __atomic_load_n(&s->kernel->flags, __ATOMIC_ACQUIRE);
	written = le32toh(__atomic_load_n(&s->state->written, __ATOMIC_ACQUIRE));
	/*
	 * Load the read position after the write position: another thread may release data, which
	 * the card overwrites at once.
	 */
	read = __atomic_load_n(&s->read, __ATOMIC_RELAXED);
	/* The write position must neither pass the end of the free space nor go backwards. */
	if (written - read > s->lines || (int32_t)(written - s->seen) < 0)
		return roc_fail(
			EBADMSG,
			"%s: the card reported an invalid write position, line %u, because the last one was line %u and the free space ends at line %u: restart the run; if the error recurs, reload the card's firmware",
			s->c.name, written, s->seen, read + s->lines);
	s->seen = written;
	lines = written - position;
	if (!lines) {
		if (flags & ROC_ST_GONE)
			return libroc_fail_ioctl(ENODEV, s->c.name, "cannot read");
		return 0;
	}
	*data = s->ring + (uint64_t)(position & (s->lines - 1)) * ROC_ST_LINE;
	return (uint64_t)lines * ROC_ST_LINE;
}

int64_t roc_stream_peek(struct roc_stream *s, const void **data)
{
	int ret = libroc_need_ring(s);

	return ret ? ret : libroc_stream_from(s, s->read, data);
}

bool roc_stream_running(const struct roc_stream *s)
{
	return s->lines && libroc_is_opener(&s->c.node) &&
	       !(__atomic_load_n(&s->kernel->flags, __ATOMIC_RELAXED) & ROC_ST_STOPPED);
}

void libroc_stream_release(struct roc_stream *s, uint32_t position)
{
	uint32_t reported, written;

	__atomic_store_n(&s->read, position, __ATOMIC_RELAXED);
	/*
	 * Release: reads of the data precede the new read position, as seen by the card and the
	 * driver.
	 */
	__atomic_store_n(&s->user->read, position, __ATOMIC_RELEASE);
	reported = __atomic_load_n(&s->reported, __ATOMIC_RELAXED);
	written = le32toh(__atomic_load_n(&s->state->written, __ATOMIC_RELAXED));
	if (!s->bell ||
	    position - reported < s->lines / (written - reported > s->lines / 2 ? 32 : 2))
		return;
	__atomic_store_n(&s->reported, position, __ATOMIC_RELAXED);
	libroc_device_barrier();
	*s->bell = htole32(position);
}

int roc_stream_consume(struct roc_stream *s, uint64_t bytes)
{
	int ret;

	ret = libroc_need_ring(s);
	if (ret)
		return ret;
	if (bytes % ROC_ST_LINE)
		return roc_fail(
			EINVAL,
			"%s: cannot consume %llu bytes: the number must be a multiple of %d",
			s->c.name, (unsigned long long)bytes, ROC_ST_LINE);
	if (bytes / ROC_ST_LINE > s->seen - s->read)
		return roc_fail(ERANGE,
				"%s: cannot consume %llu bytes: roc_stream_peek() returned %llu",
				s->c.name, (unsigned long long)bytes,
				(unsigned long long)(s->seen - s->read) * ROC_ST_LINE);
	libroc_stream_release(s, s->read + bytes / ROC_ST_LINE);
	return 0;
}

/* The wait ioctl has reported the read position to the card, up to @reported. */
static void reported_by_wait(struct roc_stream *s, uint32_t reported)
{
	if ((int32_t)(reported - __atomic_load_n(&s->reported, __ATOMIC_RELAXED)) > 0)
		__atomic_store_n(&s->reported, reported, __ATOMIC_RELAXED);
}

int64_t libroc_stream_sleep(struct roc_stream *s, uint32_t position, uint32_t lines, int timeout_ms)
{
	struct roc_st_wait arg = {.size = sizeof(arg), .position = position + lines};
	int64_t there, min_bytes = (int64_t)lines * ROC_ST_LINE;
	uint32_t read;
	const void *data;
	int ret;

	there = libroc_stream_from(s, position, &data);
	if (there < 0 || there >= min_bytes)
		return there;
	arg.deadline = libroc_deadline(timeout_ms);
	read = __atomic_load_n(&s->read, __ATOMIC_RELAXED);
	ret = libroc_node_ioctl(&s->c.node, ROC_ST_WAIT, &arg);
	if (!ret || ret == -ETIME)
		reported_by_wait(s, read - arg.unreported);
	/* Data may have arrived after the kernel's last check. */
	there = libroc_stream_from(s, position, &data);
	if (there < 0 || (there && ret == -ENODEV))
		return there;
	switch (-ret) {
	case 0:
		return there;
	case ETIME:
		if (there >= min_bytes)
			return there;
		return roc_fail(
			ETIME,
			"%s: timed out with %lld of %lld bytes after %d ms: check that its source sends data (roc-stream stats)",
			s->c.name, (long long)there, (long long)min_bytes, timeout_ms);
	case EINTR:
		return libroc_fail_text(
			EINTR, "the wait was interrupted by a signal: call again to continue");
	default:
		return libroc_fail_ioctl(-ret, s->c.name, "cannot wait");
	}
}

int64_t roc_stream_wait(struct roc_stream *s, uint64_t bytes, int timeout_ms)
{
	int ret;

	ret = libroc_need_ring(s);
	if (ret)
		return ret;
	if (bytes > (uint64_t)s->lines * ROC_ST_LINE)
		return roc_fail(EINVAL, "%s: cannot wait for %llu bytes: the ring holds %llu",
				s->c.name, (unsigned long long)bytes,
				(unsigned long long)s->lines * ROC_ST_LINE);
	if (timeout_ms < -1)
		return roc_fail(EINVAL,
				"%s: invalid timeout %d ms: use -1 for no limit, or at least 0",
				s->c.name, timeout_ms);
	return libroc_stream_sleep(s, s->read, (bytes + ROC_ST_LINE - 1) / ROC_ST_LINE, timeout_ms);
}
