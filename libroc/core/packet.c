// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decode packets in place. Each number that the card wrote is loaded once and checked against known
 * limits before use; sums are computed in 64 bits.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include <roc/packet.h>

#include "kmod/stream/stream_packet.h"
#include "libroc.h"

#define LINE 64
#define ALIGN_MIN 2
#define ALIGN_MAX 6
#define FRAGMENTS_MAX 65535

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

/* Start of every error text: offset of the packet in the walked data */
#define AT "packet at byte %zu: "

static int bad_size(const struct roc_packets *walk, uint32_t size)
{
	if (!size)
		return roc_fail(EBADMSG, AT "the size is 0, but a packet has at least %d bytes",
				walk->done, LINE);
	if (size % LINE)
		return roc_fail(EBADMSG, AT "the size of %u bytes is not a multiple of %d",
				walk->done, size, LINE);
	return roc_fail(EBADMSG, AT "the size is %u bytes, but only %zu bytes are left", walk->done,
			size, walk->left);
}

/* Check that the tables of an event packet fit and that the first fragment begins after them. */
static int check_tables(const struct roc_packets *walk, struct roc_packet *p, uint8_t align,
			uint32_t data)
{
	uint64_t end;

	if (align < ALIGN_MIN || align > ALIGN_MAX)
		return roc_fail(EBADMSG,
				AT "the fragment alignment of 2^%u is not in the range %d..%d",
				walk->done, align, ALIGN_MIN, ALIGN_MAX);
	if (!p->fragments || p->fragments > FRAGMENTS_MAX)
		return roc_fail(EBADMSG,
				AT "the number of fragments, %u, is not in the range 1..%d",
				walk->done, p->fragments, FRAGMENTS_MAX);
	p->align = 1 << align;
	end = STREAM_PACKET_SIZES(p->fragments) + (uint64_t)p->fragments * 4;
	if (end > p->size)
		return roc_fail(EBADMSG, AT "the tables of %u fragments do not fit into %u bytes",
				walk->done, p->fragments, p->size);
	if (data != round_up(end, p->align) || data > p->size)
		return roc_fail(EBADMSG,
				AT "the offset of the first fragment is %u, but must be %llu",
				walk->done, data, (unsigned long long)round_up(end, p->align));
	p->offset = data;
	return 0;
}

static int event_packet(const struct roc_packets *walk, struct roc_packet *p)
{
	const struct stream_packet *h = walk->at;

	p->kind = ROC_PACKET_EVENTS;
	p->first_event = le64toh(h->first_event);
	p->number = le32toh(h->number);
	p->fragments = le32toh(h->fragments);
	p->source = le16toh(h->source);
	p->flags = le16toh(h->flags);
	return check_tables(walk, p, h->align, le32toh(h->data));
}

static int check_record(const struct roc_packets *walk, struct roc_packet *p)
{
	if (p->size != LINE)
		return roc_fail(EBADMSG, AT "the record has %u bytes, but must have %d", walk->done,
				p->size, LINE);
	return 0;
}

static int meta_record(const struct roc_packets *walk, struct roc_packet *p)
{
	const struct stream_meta *h = walk->at;

	p->kind = ROC_PACKET_META;
	p->first_event = le64toh(h->first_event);
	p->number = le32toh(h->number);
	p->fragments = le32toh(h->fragments);
	p->source = le16toh(h->source);
	p->flags = le16toh(h->flags);
	return check_record(walk, p);
}

static int odin_record(const struct roc_packets *walk, struct roc_packet *p)
{
	const struct stream_odin *h = walk->at;

	p->kind = ROC_PACKET_ODIN;
	p->first_event = le64toh(h->event);
	p->number = le32toh(h->number);
	p->fragments = 1;
	p->source = le16toh(h->source);
	return check_record(walk, p);
}

int roc_packets_next(struct roc_packets *walk, struct roc_packet *packet)
{
	const struct stream_unit *unit = walk->at;
	struct roc_packet p = {.data = walk->at};
	uint16_t magic;
	int ret;

	if (!walk->left)
		return 0;
	if (walk->left < LINE)
		return roc_fail(EBADMSG, AT "%zu bytes are left, which is too short for a packet",
				walk->done, walk->left);
	magic = le16toh(unit->magic);
	if (magic != STREAM_MAGIC_PACKET && magic != STREAM_MAGIC_META &&
	    magic != STREAM_MAGIC_ODIN)
		return roc_fail(EBADMSG, AT "unknown magic number 0x%04x", walk->done, magic);
	if (unit->version != STREAM_UNIT_VERSION)
		return roc_fail(EBADMSG,
				AT "unsupported version %u: this library supports version %d",
				walk->done, unit->version, STREAM_UNIT_VERSION);
	p.size = le32toh(unit->size);
	if (!p.size || p.size % LINE || p.size > walk->left)
		return bad_size(walk, p.size);
	if (magic == STREAM_MAGIC_PACKET)
		ret = event_packet(walk, &p);
	else if (magic == STREAM_MAGIC_META)
		ret = meta_record(walk, &p);
	else
		ret = odin_record(walk, &p);
	if (ret)
		return ret;
	walk->at = (const char *)walk->at + p.size;
	walk->left -= p.size;
	walk->done += p.size;
	*packet = p;
	return 1;
}

/* After the last fragment: only padding of less than a line may follow. */
static int check_end(const struct roc_packet *p)
{
	if (round_up(p->offset, LINE) == p->size)
		return 0;
	return roc_fail(EBADMSG,
			"packet %u: the fragments end at byte %u, but the packet has %u bytes",
			p->number, p->offset, p->size);
}

int roc_packet_fragment(struct roc_packet *p, struct roc_fragment *fragment)
{
	const uint8_t *types = (const uint8_t *)p->data + STREAM_PACKET_TYPES;
	uint32_t size;
	uint64_t end;
	uint8_t type;

	if (p->kind != ROC_PACKET_EVENTS)
		return 0;
	if (p->next == p->fragments)
		return check_end(p);
	type = types[p->next];
	memcpy(&size, (const char *)p->data + STREAM_PACKET_SIZES(p->fragments) + p->next * 4,
	       sizeof(size));
	size = le32toh(size);
	end = (uint64_t)p->offset + size;
	if (end > p->size)
		return roc_fail(
			EBADMSG,
			"packet %u: fragment %u (event %llu) of %u bytes ends at byte %llu, but the packet has %u",
			p->number, p->next, (unsigned long long)(p->first_event + p->next), size,
			(unsigned long long)end, p->size);
	*fragment = (struct roc_fragment){
		.data = (const char *)p->data + p->offset,
		.event = p->first_event + p->next,
		.size = size,
		.type = type & ~STREAM_FRAGMENT_TRUNCATED,
		.truncated = type & STREAM_FRAGMENT_TRUNCATED,
	};
	p->next++;
	/* At most the size of the packet, which is a multiple of every alignment */
	p->offset = round_up(end, p->align);
	return 1;
}

int roc_packet_meta(const struct roc_packet *packet, struct roc_packet_meta *meta)
{
	const struct stream_meta *m = packet->data;

	if (packet->kind != ROC_PACKET_META)
		return libroc_fail_text(
			EINVAL,
			"the packet is not a meta record: check the kind of the packet first");
	*meta = (struct roc_packet_meta){
		.position = le32toh(m->position),
		.bytes = le32toh(m->bytes),
		.fragments = le32toh(m->fragments),
		.truncated = le32toh(m->truncated),
		.cycles = le64toh(m->cycles),
	};
	return 0;
}

int roc_packet_odin(const struct roc_packet *packet, struct roc_packet_odin *odin)
{
	const struct stream_odin *o = packet->data;
	unsigned int i;

	if (packet->kind != ROC_PACKET_ODIN)
		return libroc_fail_text(
			EINVAL,
			"the packet is not an ODIN record: check the kind of the packet first");
	*odin = (struct roc_packet_odin){
		.cycles = le64toh(o->cycles),
		.orbit = le32toh(o->orbit),
		.stream = le16toh(o->stream),
		.bunch = le16toh(o->bunch),
		.trigger = le16toh(o->trigger),
	};
	for (i = 0; i < 6; i++)
		odin->word[i] = le32toh(o->word[i]);
	return 0;
}
