// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Check every byte of a stream. The library's packet iterator has checked headers and sizes. Here
 * the data are checked against the previous packets and, for the fragments of a card's generator,
 * against Documentation/hardware/stream-interface.md.
 */
#include "stream.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "kmod/stream/stream_packet.h"

#define FLAGS (ROC_PACKET_TRUNCATED | ROC_PACKET_CLOSED | ROC_PACKET_AGED | ROC_PACKET_GAP)

#define AT "packet %" PRIu32 " (event %" PRIu64 "): "
#define AT_ARGS(p) (p)->number, (p)->first_event

/* Return the offset of the first byte that differs from the pattern; @size if none does. */
static uint32_t pattern_bytes(const void *data, uint32_t size, uint32_t first)
{
	const unsigned char *at = data;
	uint32_t i, word;

	for (i = 0; i + 4 <= size; i += 4) {
		memcpy(&word, at + i, 4);
		if (word != htole32(first + i / 4))
			return i;
	}
	word = htole32(first + i / 4);
	return memcmp(at + i, &word, size - i) ? i : size;
}

static bool is_zero(const void *data, const void *end)
{
	const unsigned char *at;

	for (at = data; at < (const unsigned char *)end; at++) {
		if (*at)
			return false;
	}
	return true;
}

/*
 * Check that events are in order and count gaps. The flag for a gap may be missing if the gap
 * became known after the packet was closed, and records have no such flag. The count is compared
 * with the events that the card dropped.
 */
static void follow_events(struct stream_check *c, const struct roc_packet *p, uint32_t events)
{
	bool numbered = c->begun || (c->from_start && p->kind != ROC_PACKET_META);

	if (numbered && p->number != c->next_number)
		error_log_add(c->errors, AT "expected packet %" PRIu32, AT_ARGS(p), c->next_number);
	if (c->begun && p->first_event != c->next_event) {
		if (p->first_event < c->next_event) {
			error_log_add(c->errors, AT "expected event %" PRIu64, AT_ARGS(p),
				      c->next_event);
		} else {
			c->gaps++;
			c->missing += p->first_event - c->next_event;
		}
	}
	c->begun = true;
	c->next_number = p->number + 1;
	c->next_event = p->first_event + events;
	c->packets++;
	c->events += events;
}

static void check_fragment(struct stream_check *c, const struct roc_packet *p,
			   const struct roc_fragment *f)
{
	const struct roc_p40_generator *g = &c->expect.generator;
	uint32_t size, wrong;

	if (f->type != ROC_FRAGMENT_GENERATED) {
		/*
		 * Front-end data are arbitrary, but are an error while a generator is the source.
		 */
		if (c->expect.known || f->type != ROC_FRAGMENT_FRONT_END)
			error_log_add(c->errors, AT "event %" PRIu64 " is of type %u", AT_ARGS(p),
				      f->event, f->type);
		return;
	}
	if (c->expect.known) {
		size = g->size_min;
		if (g->distributed)
			size = stream_size(f->event, g->size_min, g->size_max);
		if (f->truncated ? f->size >= size && size : f->size != size)
			error_log_add(c->errors,
				      AT "event %" PRIu64 " has %" PRIu32 " bytes%s, not %" PRIu32,
				      AT_ARGS(p), f->event, f->size,
				      f->truncated ? " although it is truncated" : "", size);
	}
	wrong = pattern_bytes(f->data, f->size, stream_pattern(p->source, f->event));
	if (wrong < f->size)
		error_log_add(c->errors, AT "event %" PRIu64 ": wrong at byte %" PRIu32, AT_ARGS(p),
			      f->event, wrong);
}

static int check_events(struct stream_check *c, struct roc_packet *p, bool headers)
{
	const char *start = p->data, *end, *tables;
	uint32_t truncated = 0;
	struct roc_fragment f;
	int ret;

	tables = start + STREAM_PACKET_TYPES + p->fragments;
	if (!is_zero(tables, start + STREAM_PACKET_SIZES(p->fragments)))
		error_log_add(c->errors, AT "padding behind the types is not 0", AT_ARGS(p));
	end = start + STREAM_PACKET_SIZES(p->fragments) + 4 * (size_t)p->fragments;
	while ((ret = roc_packet_fragment(p, &f)) > 0) {
		if (!is_zero(end, f.data))
			error_log_add(c->errors, AT "padding before event %" PRIu64 " is not 0",
				      AT_ARGS(p), f.event);
		end = (const char *)f.data + f.size;
		truncated += f.truncated;
		c->payload += f.size;
		if (!headers)
			check_fragment(c, p, &f);
	}
	if (ret)
		return ret;
	if (!is_zero(end, start + p->size))
		error_log_add(c->errors, AT "padding at its end is not 0", AT_ARGS(p));
	if (p->flags & ~FLAGS)
		error_log_add(c->errors, AT "unknown flags 0x%x", AT_ARGS(p), p->flags);
	if (!truncated != !(p->flags & ROC_PACKET_TRUNCATED))
		error_log_add(c->errors,
			      AT "%" PRIu32
				 " fragments are truncated, but according to the flags %s are",
			      AT_ARGS(p), truncated, truncated ? "none" : "some");
	c->truncated += truncated;
	c->damaged += !!(p->flags & ROC_PACKET_TRUNCATED);
	return 0;
}

static void check_meta(struct stream_check *c, const struct roc_packet *p)
{
	struct roc_packet_meta m;

	if (roc_packet_meta(p, &m))
		return;
	if (c->packets > 1 && m.position != c->next_position)
		error_log_add(c->errors, AT "at line %" PRIu32 " of main's ring, not at %" PRIu32,
			      AT_ARGS(p), m.position, c->next_position);
	if (!m.bytes || m.bytes % ROC_ST_LINE || m.truncated > m.fragments ||
	    !m.truncated != !(p->flags & ROC_PACKET_TRUNCATED))
		error_log_add(c->errors,
			      AT "%" PRIu32 " bytes, %" PRIu32 " of %" PRIu32
				 " fragments truncated: the values are inconsistent",
			      AT_ARGS(p), m.bytes, m.truncated, m.fragments);
	c->next_position = m.position + m.bytes / ROC_ST_LINE;
	c->truncated += m.truncated;
}

static void check_odin(struct stream_check *c, const struct roc_packet *p)
{
	uint32_t first = stream_pattern(p->source, p->first_event), i;
	struct roc_packet_odin o;

	if (roc_packet_odin(p, &o))
		return;
	if (o.stream != c->stream || o.bunch != p->first_event % STREAM_ODIN_BUNCHES ||
	    o.orbit != (uint32_t)(p->first_event / STREAM_ODIN_BUNCHES) ||
	    o.trigger != STREAM_ODIN_TRIGGER)
		error_log_add(c->errors,
			      AT "stream %u, orbit %" PRIu32
				 ", bunch %u, trigger 0x%x do not match the event",
			      AT_ARGS(p), o.stream, o.orbit, o.bunch, o.trigger);
	for (i = 0; i < 6; i++) {
		if (o.word[i] == first + i)
			continue;
		error_log_add(c->errors, AT "word %" PRIu32 " is wrong", AT_ARGS(p), i);
		break;
	}
}

int stream_check_packet(struct stream_check *c, struct roc_packet *p, bool headers)
{
	if (!c->begun)
		c->kind = p->kind;
	if (p->kind != c->kind) {
		error_log_add(c->errors, AT "the packet type differs from that of the stream",
			      AT_ARGS(p));
		return 0;
	}
	follow_events(c, p, p->fragments);
	switch (p->kind) {
	case ROC_PACKET_EVENTS:
		return check_events(c, p, headers);
	case ROC_PACKET_META:
		check_meta(c, p);
		return 0;
	case ROC_PACKET_ODIN:
		c->payload += p->size;
		if (!headers)
			check_odin(c, p);
		return 0;
	}
	return 0;
}
