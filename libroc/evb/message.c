// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Greetings, messages and heads of segments as bytes.
 */
#include "message.h"

#include <roc/evb_manager.h>

#include <string.h>

#include "libroc/core/bytes.h"

#define MAGIC_BYTES 8
#define REGIONS_AT 1024
#define SEGMENT_MAGIC UINT32_C(0x47455352) /* RSEG */

/* Text of a fixed length, ended with 0. */
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
	put32(to + 8, g->version);
	put32(to + 12, EVB_GREETING);
	put32(to + 16, g->status);
	put32(to + 20, g->layout);
	put32(to + 24, g->protocol);
	put32(to + 28, g->events);
	put32(to + 32, g->in_flight);
	put32(to + 36, g->pieces);
	put32(to + 40, g->name_bytes);
	put32(to + 44, g->region_count);
	put32(to + 48, g->segments);
	put32(to + 52, g->per_region);
	put64(to + 56, g->segment);
	put64(to + 64, g->mfp_max);
	put64(to + 72, g->incarnation);
	put64(to + 80, g->to_incarnation);
	memcpy(to + 128, g->system, sizeof(g->system));
	memcpy(to + 160, g->name, sizeof(g->name));
	memcpy(to + 192, g->to, sizeof(g->to));
	memcpy(to + 224, g->provider, sizeof(g->provider));
	memcpy(to + 256, g->why, sizeof(g->why));
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

/* Sizes and numbers that contradict each other. */
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
	g->status = get32(from + 16);
	g->layout = get32(from + 20);
	g->protocol = get32(from + 24);
	g->events = get32(from + 28);
	g->in_flight = get32(from + 32);
	g->pieces = get32(from + 36);
	g->name_bytes = get32(from + 40);
	g->region_count = get32(from + 44);
	g->segments = get32(from + 48);
	g->per_region = get32(from + 52);
	g->segment = get64(from + 56);
	g->mfp_max = get64(from + 64);
	g->incarnation = get64(from + 72);
	g->to_incarnation = get64(from + 80);
	get_text(g->system, from + 128, sizeof(g->system));
	get_text(g->name, from + 160, sizeof(g->name));
	get_text(g->to, from + 192, sizeof(g->to));
	get_text(g->provider, from + 224, sizeof(g->provider));
	get_text(g->why, from + 256, sizeof(g->why));
	memcpy(g->end_name, from + 512, sizeof(g->end_name));
	for (i = 0; i < g->region_count && i < EVB_REGIONS; i++)
		g->regions[i] = (struct evb_region){
			.base = get64(from + REGIONS_AT + 24 * i),
			.key = get64(from + REGIONS_AT + 24 * i + 8),
			.bytes = get64(from + REGIONS_AT + 24 * i + 16),
		};
	if (!g->status)
		return contradicts(g) ? EVB_MALFORMED : EVB_GOOD;
	/* Who refuses says why, and has no sizes that anybody could use. */
	g->events = g->in_flight = g->pieces = g->name_bytes = g->region_count = 0;
	g->segments = g->per_region = 0;
	g->segment = g->mfp_max = 0;
	return g->status < EVB_STATUSES ? EVB_GOOD : EVB_MALFORMED;
}

/* What a message carries. */
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
	put32(to, m->type);
	put32(to + 4, (uint32_t)bytes);
	put32(to + 8, m->count);
	put32(to + 12, m->number);
	put64(to + 16, m->a);
	put64(to + 24, m->b);
	put64(to + 32, m->c);
	put64(to + 40, m->d);
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
		.count = get32(from + 8),
		.number = get32(from + 12),
		.a = get64(from + 16),
		.b = get64(from + 24),
		.c = get64(from + 32),
		.d = get64(from + 40),
		.payload = from + EVB_HEAD,
	};
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
	put64(to + 8, s->block);
	put64(to + 16, s->mfp_bytes);
	put64(to + 24, s->bytes);
	put64(to + 32, s->epoch);
	put32(to + 40, s->part);
	put32(to + 44, s->parts);
}

bool evb_get_segment(const unsigned char *from, uint64_t room, struct evb_segment *s)
{
	uint64_t left;

	if (get32(from) != SEGMENT_MAGIC || get32(from + 4) != EVB_VERSION)
		return false;
	*s = (struct evb_segment){
		.block = get64(from + 8),
		.mfp_bytes = get64(from + 16),
		.bytes = get64(from + 24),
		.epoch = get64(from + 32),
		.part = get32(from + 40),
		.parts = get32(from + 44),
	};
	if (s->mfp_bytes < ROC_MFP_HEAD || s->mfp_bytes > ROC_MFP_BYTES_MAX ||
	    s->parts != evb_parts(s->mfp_bytes, room) || s->part >= s->parts)
		return false;
	left = s->mfp_bytes - s->part * room;
	return s->bytes == (left < room ? left : room);
}
