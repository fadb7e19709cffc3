// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader of a stream for tests. See reader.h.
 */
#include "reader.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu.h"
#include "limit.h"
#include "node.h"

static bool map_all(struct reader *r)
{
	const struct roc_st_ring *m = &r->made;
	uint8_t *control;

	r->base = find_map(&r->found, r->fd, m->ring_length, PROT_READ, m->ring_offset);
	control = find_map(&r->found, r->fd, m->control_length, PROT_READ, m->control_offset);
	r->user =
		find_map(&r->found, r->fd, m->user_length, PROT_READ | PROT_WRITE, m->user_offset);
	r->bell =
		find_map(&r->found, r->fd, m->bell_length, PROT_READ | PROT_WRITE, m->bell_offset);
	if (!r->base || !control || !r->user || !r->bell)
		return false;
	r->kernel = (void *)control;
	r->state = (void *)(control + m->control_length / 2);
	return true;
}

bool reader_open(struct reader *r)
{
	int err;

	r->id = r->id ?: P40_ID;
	r->found.count = 0;
	r->fd = node_open(r->id, r->stream);
	if (r->fd < 0)
		return find_failed(&r->found, "open", r->fd);
	r->made = (struct roc_st_ring){.size = sizeof(r->made), .length = r->ring ?: 1 << 20};
	err = abi(r->fd, ROC_ST_RING, &r->made);
	if (err)
		return find_failed(&r->found, "ROC_ST_RING", err);
	return map_all(r);
}

void reader_close(struct reader *r)
{
	const struct roc_st_ring *m = &r->made;

	if (r->base)
		munmap(r->base, m->ring_length);
	if (r->kernel)
		munmap((void *)r->kernel, m->control_length);
	if (r->user)
		munmap((void *)r->user, m->user_length);
	if (r->bell)
		munmap((void *)r->bell, m->bell_length);
	if (r->fd >= 0)
		close(r->fd);
	r->base = NULL;
	r->kernel = NULL;
	r->user = NULL;
	r->bell = NULL;
	r->fd = -1;
}

bool reader_set(struct reader *r, uint32_t offset, uint32_t value)
{
	int err = endpoint_write(r->id ?: P40_ID, P40_BAR_CARD, P40_SETTINGS(r->stream) + offset,
				 value);

	return err ? find_failed(&r->found, "a setting", err) : true;
}

bool reader_generate(struct reader *r, uint64_t first, uint32_t min, uint32_t max, uint32_t rate,
		     uint64_t limit, uint32_t more)
{
	bool ok;

	r->min = min;
	r->max = max;
	r->event = first;
	ok = reader_set(r, STREAM_SET_GENERATOR, 0) && reader_set(r, STREAM_SET_RATE, rate) &&
	     reader_set(r, STREAM_SET_FIRST, first) &&
	     reader_set(r, STREAM_SET_FIRST + 4, first >> 32) &&
	     reader_set(r, STREAM_SET_LIMIT, limit) &&
	     reader_set(r, STREAM_SET_LIMIT + 4, limit >> 32);
	if (r->stream == P40_STREAM_MAIN)
		ok = ok && reader_set(r, STREAM_SET_SIZE_MIN, min) &&
		     reader_set(r, STREAM_SET_SIZE_MAX, max);
	return ok && reader_set(r, STREAM_SET_GENERATOR,
				STREAM_GENERATOR_RUN | more |
					(min < max ? STREAM_GENERATOR_DISTRIBUTED : 0));
}

bool reader_start(struct reader *r)
{
	struct roc_st_start start = {.size = sizeof(start), .position = r->position};
	int err;

	r->read = r->position;
	r->number = 0;
	r->units = r->events = r->truncated = r->bytes = r->gaps = r->straddled = 0;
	err = abi(r->fd, ROC_ST_START, &start);
	return err ? find_failed(&r->found, "ROC_ST_START", err) : true;
}

bool reader_stop(struct reader *r)
{
	struct roc_st_stop stop = {.size = sizeof(stop)};
	int err = abi(r->fd, ROC_ST_STOP, &stop);

	return err ? find_failed(&r->found, "ROC_ST_STOP", err) : true;
}

uint32_t reader_lines(const struct reader *r)
{
	return r->made.length / ROC_ST_LINE;
}

uint32_t reader_available(const struct reader *r)
{
	return le32toh(__atomic_load_n((const uint32_t *)&r->state->written, __ATOMIC_ACQUIRE)) -
	       r->read;
}

static bool payload(const uint8_t *at, uint32_t bytes, uint32_t word)
{
	uint32_t i, n, le;

	for (i = 0; i < bytes; i += n, word++) {
		n = bytes - i < 4 ? bytes - i : 4;
		le = htole32(word);
		if (memcmp(at + i, &le, n))
			return false;
	}
	return true;
}

/* Count the events missing before @event. */
static void gap(struct reader *r, uint64_t event)
{
	if (event == r->event)
		return;
	if (event < r->event)
		find_wrong(&r->found, "event %llu after %llu", (unsigned long long)event,
			   (unsigned long long)r->event - 1);
	r->gaps += event - r->event;
	r->first_gap = r->event;
	r->last_gap = event - 1;
	r->event = event;
}

static void cut(struct reader *r, uint64_t event)
{
	if (!r->truncated++)
		r->first_cut = event;
	r->last_cut = event;
}

static void check_fragment(struct reader *r, const struct stream_packet *p, uint32_t i,
			   uint32_t *offset)
{
	const uint8_t *at = (const uint8_t *)p;
	uint64_t event = le64toh(p->first_event) + i;
	uint32_t bytes, want = r->min < r->max ? stream_size(event, r->min, r->max) : r->min;
	bool truncated = at[STREAM_PACKET_TYPES + i] & STREAM_FRAGMENT_TRUNCATED;

	memcpy(&bytes, at + STREAM_PACKET_SIZES(le32toh(p->fragments)) + 4 * i, sizeof(bytes));
	bytes = le32toh(bytes);
	if (truncated)
		cut(r, event);
	if (truncated ? bytes != 0 : bytes != want)
		find_wrong(&r->found, "event %llu has %u bytes, not %u", (unsigned long long)event,
			   bytes, want);
	else if (!payload(at + *offset, bytes, stream_pattern(le16toh(p->source), event)))
		find_wrong(&r->found, "event %llu: payload", (unsigned long long)event);
	*offset = (*offset + bytes + (1u << p->align) - 1) & ~((1u << p->align) - 1);
}

static void check_packet(struct reader *r, const struct stream_packet *p)
{
	uint32_t offset = le32toh(p->data), fragments = le32toh(p->fragments), i;

	if (le32toh(p->number) != r->number)
		find_wrong(&r->found, "packet %u, not %u", le32toh(p->number), r->number);
	gap(r, le64toh(p->first_event));
	for (i = 0; i < fragments && !r->found.count; i++)
		check_fragment(r, p, i, &offset);
	if (((offset + 63) & ~63u) != le32toh(p->size))
		find_wrong(&r->found, "packet of %u bytes, not %u", le32toh(p->size),
			   (offset + 63) & ~63u);
	r->event += fragments;
	r->events += fragments;
}

static void check_odin(struct reader *r, const struct stream_odin *o)
{
	uint64_t event = le64toh(o->event);

	if (le32toh(o->number) != r->number)
		find_wrong(&r->found, "record %u, not %u", le32toh(o->number), r->number);
	gap(r, event);
	if (!payload((const uint8_t *)o->word, sizeof(o->word),
		     stream_pattern(le16toh(o->source), event)))
		find_wrong(&r->found, "event %llu: words", (unsigned long long)event);
	r->event++;
	r->events++;
}

static void check_unit(struct reader *r, const struct stream_unit *u, uint32_t offset)
{
	switch (le16toh(u->magic)) {
	case STREAM_MAGIC_PACKET:
		check_packet(r, (const void *)u);
		break;
	case STREAM_MAGIC_ODIN:
		check_odin(r, (const void *)u);
		break;
	case STREAM_MAGIC_META:
		break;
	default:
		find_wrong(&r->found, "unit with magic %#x at %#x", le16toh(u->magic), offset);
	}
}

/*
 * The reader stores the position before it rings the doorbell, so the kernel is never behind the
 * card.
 */
void reader_consume(struct reader *r, uint32_t position, bool ring)
{
	__atomic_store_n(&r->user->read, position, __ATOMIC_RELEASE);
	if (ring)
		*r->bell = position;
}

unsigned int reader_take(struct reader *r, bool back)
{
	uint32_t there = reader_available(r), lines = reader_lines(r);
	unsigned int units = 0;

	if (there > lines)
		find_wrong(&r->found, "%u lines in a ring of %u", there, lines);
	while (there && !r->found.count) {
		uint32_t offset = (r->read & (lines - 1)) * ROC_ST_LINE;
		const struct stream_unit *u = (const void *)(r->base + offset);
		uint32_t size = le32toh(u->size);

		if (!size || size % ROC_ST_LINE || size / ROC_ST_LINE > there) {
			find_wrong(&r->found, "a unit of %u bytes with %u lines there", size,
				   there);
			break;
		}
		check_unit(r, u, offset);
		r->straddled += offset + size > r->made.length;
		r->read += size / ROC_ST_LINE;
		there -= size / ROC_ST_LINE;
		r->bytes += size;
		r->units++;
		r->number++;
		units++;
	}
	if (back && units)
		reader_consume(r, r->read, false);
	return units;
}

int reader_wait(struct reader *r, unsigned int ms)
{
	struct roc_st_wait wait = {.size = sizeof(wait), .position = r->read + 1};

	wait.deadline = (now_ms() + limit_ms(ms)) * 1000000ull;
	return abi(r->fd, ROC_ST_WAIT, &wait);
}

bool reader_run(struct reader *r, uint64_t events, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);
	int err;

	while (r->events < events && !r->found.count && now_ms() < end) {
		if (reader_take(r, true))
			continue;
		err = reader_wait(r, ms);
		if (err && err != -ETIME)
			return find_failed(&r->found, "ROC_ST_WAIT", err);
		if (r->kernel->flags & ROC_ST_STOPPED && !reader_available(r))
			break;
	}
	return !r->found.count && r->events >= events;
}

struct roc_st_info reader_info(const struct reader *r)
{
	struct roc_st_info info = {.size = sizeof(info)};

	if (abi(r->fd, ROC_ST_INFO, &info))
		memset(&info, 0xff, sizeof(info));
	return info;
}

void emu_keys_p40(unsigned int card)
{
	static const char *const keys[] = {"rate 0", "recycle off", "stamp off", "position-start 0",
					   "temperature 45"};

	emu_keys(card, keys, sizeof(keys) / sizeof(keys[0]));
}

void emu_normal_p40(unsigned int card)
{
	struct roc_st_reset reset = {
		.size = sizeof(reset), .stream = ROC_ST_ALL, .level = ROC_ST_RESET_DEFAULT};

	emu_keys_p40(card);
	endpoint_abi(P40_ID, ROC_ST_RESET, &reset);
	emu(card, "clear");
}

uint64_t emu_stream(unsigned int card, unsigned int stream, const char *name)
{
	return emu_channel_count(card, "streams", stream, name);
}
