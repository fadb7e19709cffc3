// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode and decode greetings, messages and heads of segments.
 */
#include "message.h"

#include <roc/evb_manager.h>

#include <string.h>

#include "libroc/core/bytes.h"

#define MAGIC_BYTES 8
#define REGIONS_AT 1024
#define SEGMENT_MAGIC UINT32_C(0x47455352) /* RSEG */

#define GREETING(offset, member) BYTES_FIELD(offset, struct evb_greeting, member)
static const struct bytes_field greeting_numbers[] = {
	GREETING(8, version),	GREETING(16, status),	   GREETING(20, layout),
	GREETING(24, protocol), GREETING(28, events),	   GREETING(32, in_flight),
	GREETING(36, pieces),	GREETING(40, name_bytes),  GREETING(44, region_count),
	GREETING(48, segments), GREETING(52, per_region),  GREETING(56, segment),
	GREETING(64, mfp_max),	GREETING(72, incarnation), GREETING(80, to_incarnation)};

#define MESSAGE(offset, member) BYTES_FIELD(offset, struct evb_message, member)
static const struct bytes_field message_numbers[] = {
	MESSAGE(0, type), MESSAGE(8, count), MESSAGE(12, number), MESSAGE(16, a),
	MESSAGE(24, b),	  MESSAGE(32, c),    MESSAGE(40, d)};

#define SEGMENT(offset, member) BYTES_FIELD(offset, struct evb_segment, member)
static const struct bytes_field segment_numbers[] = {SEGMENT(8, block),	 SEGMENT(16, mfp_bytes),
						     SEGMENT(24, bytes), SEGMENT(32, epoch),
						     SEGMENT(40, part),	 SEGMENT(44, parts)};

/* Copy a field of @size bytes, and terminate it. */
static void get_text(char *to, const unsigned char *from, size_t size)
{
	memcpy(to, from, size);
	to[size - 1] = '\0';
}

void evb_put_greeting(unsigned char *to, const struct evb_greeting *g)
{
	uint32_t i;

	memset(to, 0, EVB_GREETING);
	memcpy(to, EVB_MAGIC, MAGIC_BYTES);
	put_fields(to, g, BYTES_FIELDS(greeting_numbers));
	put32(to + 12, EVB_GREETING);
	memcpy(to + 128, g->system, sizeof(g->system));
	memcpy(to + 160, g->name, sizeof(g->name));
	memcpy(to + 192, g->to, sizeof(g->to));
	memcpy(to + 224, g->provider, sizeof(g->provider));
	memcpy(to + 256, g->reason, sizeof(g->reason));
	memcpy(to + 512, g->end_name, sizeof(g->end_name));
	for (i = 0; i < g->region_count && i < EVB_REGIONS; i++) {
		put64(to + REGIONS_AT + 24 * i, g->regions[i].base);
		put64(to + REGIONS_AT + 24 * i + 8, g->regions[i].key);
		put64(to + REGIONS_AT + 24 * i + 16, g->regions[i].bytes);
	}
}

enum evb_wrong evb_get_version(const unsigned char *from, uint32_t *version)
{
	if (memcmp(from, EVB_MAGIC, MAGIC_BYTES))
		return EVB_STRANGER;
	*version = get32(from + 8);
	return *version == EVB_VERSION ? EVB_GOOD : EVB_VERSION_WRONG;
}

/* Return true if sizes and numbers are inconsistent. */
static bool contradicts(const struct evb_greeting *g)
{
	uint32_t i;

	if (!g->name_bytes || g->name_bytes > FABRIC_NAME || g->region_count > EVB_REGIONS ||
	    !roc_evb_name_valid(g->name) || !g->events || g->events > ROC_MFP_EVENTS_MAX ||
	    g->pieces > EVB_PIECES_MAX || g->mfp_max > ROC_MFP_BYTES_MAX ||
	    g->segments > EVB_SEGMENTS)
		return true;
	if (!g->segments)
		return false;
	if (g->segment < EVB_SEGMENT_MIN || g->segment > ROC_MFP_BYTES_MAX || !g->per_region ||
	    g->per_region > EVB_SEGMENTS || g->segments > (uint64_t)g->per_region * g->region_count)
		return true;
	for (i = 0; i < g->region_count; i++) {
		if (g->regions[i].bytes / g->segment < g->per_region)
			return true;
	}
	return false;
}

enum evb_wrong evb_get_greeting(const unsigned char *from, struct evb_greeting *g)
{
	enum evb_wrong wrong;
	uint32_t i;

	memset(g, 0, sizeof(*g));
	wrong = evb_get_version(from, &g->version);
	if (wrong)
		return wrong;
	if (get32(from + 12) != EVB_GREETING)
		return EVB_MALFORMED;
	get_fields(g, from, BYTES_FIELDS(greeting_numbers));
	get_text(g->system, from + 128, sizeof(g->system));
	get_text(g->name, from + 160, sizeof(g->name));
	get_text(g->to, from + 192, sizeof(g->to));
	get_text(g->provider, from + 224, sizeof(g->provider));
	get_text(g->reason, from + 256, sizeof(g->reason));
	memcpy(g->end_name, from + 512, sizeof(g->end_name));
	for (i = 0; i < g->region_count && i < EVB_REGIONS; i++)
		g->regions[i] = (struct evb_region){
			.base = get64(from + REGIONS_AT + 24 * i),
			.key = get64(from + REGIONS_AT + 24 * i + 8),
			.bytes = get64(from + REGIONS_AT + 24 * i + 16),
		};
	if (!g->status)
		return contradicts(g) ? EVB_MALFORMED : EVB_GOOD;
	/* A refusal has a reason and no valid sizes. */
	g->events = g->in_flight = g->pieces = g->name_bytes = g->region_count = 0;
	g->segments = g->per_region = 0;
	g->segment = g->mfp_max = 0;
	return g->status < EVB_STATUSES ? EVB_GOOD : EVB_MALFORMED;
}

/* Size of the payload. */
static size_t payload_bytes(enum evb_type type, uint32_t count)
{
	switch (type) {
	case EVB_CREDIT:
	case EVB_GOT:
		return 4 * (size_t)count;
	case EVB_HAVE:
		return EVB_PIECE * (size_t)count;
	case EVB_PIECE_OF:
		return count;
	default:
		return 0;
	}
}

size_t evb_put_message(unsigned char *to, const struct evb_message *m)
{
	size_t bytes = EVB_HEAD + payload_bytes(m->type, m->count);

	memset(to, 0, EVB_HEAD);
	put_fields(to, m, BYTES_FIELDS(message_numbers));
	put32(to + 4, (uint32_t)bytes);
	return bytes;
}

bool evb_get_message(const unsigned char *from, size_t bytes, struct evb_message *m)
{
	uint32_t type;

	if (bytes < EVB_HEAD || bytes > EVB_COMMAND)
		return false;
	type = get32(from);
	if (type < EVB_BEAT || type >= EVB_TYPES || get32(from + 4) != bytes)
		return false;
	*m = (struct evb_message){
		.type = type,
		.bytes = bytes,
		.payload = from + EVB_HEAD,
	};
	get_fields(m, from, BYTES_FIELDS(message_numbers));
	return m->count <= EVB_PAYLOAD && EVB_HEAD + payload_bytes(m->type, m->count) == bytes;
}

void evb_put_number(unsigned char *message, uint32_t i, uint32_t number)
{
	put32(message + EVB_HEAD + 4 * (size_t)i, number);
}

uint32_t evb_get_number(const struct evb_message *m, uint32_t i)
{
	return get32(m->payload + 4 * (size_t)i);
}

void evb_put_piece(unsigned char *message, uint32_t i, const struct evb_piece *p)
{
	size_t at = EVB_HEAD + EVB_PIECE * (size_t)i;

	put32(message + at, p->region);
	put32(message + at + 4, 0);
	put64(message + at + 8, p->offset);
	put64(message + at + 16, p->bytes);
}

void evb_get_piece(const struct evb_message *m, uint32_t i, struct evb_piece *p)
{
	size_t at = EVB_PIECE * (size_t)i;

	p->region = get32(m->payload + at);
	p->offset = get64(m->payload + at + 8);
	p->bytes = get64(m->payload + at + 16);
}

void evb_put_segment(unsigned char *to, const struct evb_segment *s)
{
	memset(to, 0, EVB_SEGMENT_HEAD);
	put32(to, SEGMENT_MAGIC);
	put32(to + 4, EVB_VERSION);
	put_fields(to, s, BYTES_FIELDS(segment_numbers));
}

bool evb_get_segment(const unsigned char *from, uint64_t room, struct evb_segment *s)
{
	uint64_t left;

	if (get32(from) != SEGMENT_MAGIC || get32(from + 4) != EVB_VERSION)
		return false;
	get_fields(s, from, BYTES_FIELDS(segment_numbers));
	if (s->mfp_bytes < ROC_MFP_HEAD || s->mfp_bytes > ROC_MFP_BYTES_MAX ||
	    s->parts != evb_parts(s->mfp_bytes, room) || s->part >= s->parts)
		return false;
	left = s->mfp_bytes - s->part * room;
	return s->bytes == (left < room ? left : room);
}
