// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control connection as bytes.
 */
#include "wire.h"

#include <string.h>

#include "libroc/core/bytes.h"
#include "network.h"
#include "utils/units/outside.h"

static void put_greeting(unsigned char *to, uint32_t version, uint32_t bytes)
{
	memset(to, 0, bytes);
	memcpy(to, WIRE_MAGIC, 8);
	put32(to + 8, version);
	put32(to + 12, bytes);
}

enum wire_wrong wire_get_greeting(const unsigned char *from, uint32_t *version)
{
	if (memcmp(from, WIRE_MAGIC, 8))
		return WIRE_STRANGER;
	*version = get32(from + 8);
	return *version == WIRE_VERSION ? WIRE_GOOD : WIRE_VERSION_WRONG;
}

void wire_put_hello(unsigned char *to, const struct wire_hello *h)
{
	put_greeting(to, h->version, WIRE_HELLO);
	put32(to + 16, h->connection);
	put32(to + 20, h->connections);
	put32(to + 24, h->content);
	put32(to + 28, h->page_bytes);
	put32(to + 32, h->flags);
	put32(to + 36, h->name_bytes);
	put64(to + 40, h->run);
	put64(to + 48, h->unit_max);
	memcpy(to + 64, h->from, sizeof(h->from));
	memcpy(to + 128, h->provider, sizeof(h->provider));
	memcpy(to + 160, h->name, sizeof(h->name));
}

enum wire_wrong wire_get_hello(const unsigned char *from, struct wire_hello *h)
{
	enum wire_wrong wrong;

	memset(h, 0, sizeof(*h));
	wrong = wire_get_greeting(from, &h->version);
	if (wrong)
		return wrong;
	if (get32(from + 12) != WIRE_HELLO)
		return WIRE_MALFORMED;
	h->connection = get32(from + 16);
	h->connections = get32(from + 20);
	h->content = get32(from + 24);
	h->page_bytes = get32(from + 28);
	h->flags = get32(from + 32);
	h->name_bytes = get32(from + 36);
	h->run = get64(from + 40);
	h->unit_max = get64(from + 48);
	outside_text(h->from, from + 64, sizeof(h->from));
	outside_text(h->provider, from + 128, sizeof(h->provider));
	memcpy(h->name, from + 160, sizeof(h->name));
	if (!h->connections || h->connections > NETWORK_CONNECTIONS ||
	    h->connection >= h->connections || !h->unit_max || !h->name_bytes ||
	    h->name_bytes > FABRIC_NAME || h->content >= UNIT_CONTENTS ||
	    !outside_page(h->content, h->page_bytes))
		return WIRE_MALFORMED;
	return WIRE_GOOD;
}

void wire_put_welcome(unsigned char *to, const struct wire_welcome *w)
{
	put_greeting(to, w->version, WIRE_WELCOME);
	put32(to + 16, w->status);
	put32(to + 20, w->slots);
	put32(to + 24, w->name_bytes);
	put64(to + 32, w->base);
	put64(to + 40, w->key);
	put64(to + 48, w->stride);
	put64(to + 56, w->slot_bytes);
	memcpy(to + 64, w->provider, sizeof(w->provider));
	memcpy(to + 128, w->why, sizeof(w->why));
	memcpy(to + 384, w->name, sizeof(w->name));
}

enum wire_wrong wire_get_welcome(const unsigned char *from, struct wire_welcome *w)
{
	enum wire_wrong wrong;

	memset(w, 0, sizeof(*w));
	wrong = wire_get_greeting(from, &w->version);
	if (wrong)
		return wrong;
	if (get32(from + 12) != WIRE_WELCOME)
		return WIRE_MALFORMED;
	w->status = get32(from + 16);
	w->slots = get32(from + 20);
	w->name_bytes = get32(from + 24);
	w->base = get64(from + 32);
	w->key = get64(from + 40);
	w->stride = get64(from + 48);
	w->slot_bytes = get64(from + 56);
	outside_text(w->provider, from + 64, sizeof(w->provider));
	outside_text(w->why, from + 128, sizeof(w->why));
	memcpy(w->name, from + 384, sizeof(w->name));
	if (w->status)
		return WIRE_GOOD;
	if (!w->slots || w->slots > WIRE_SLOTS_MAX || !w->name_bytes ||
	    w->name_bytes > FABRIC_NAME || w->stride < WIRE_HEAD ||
	    w->slot_bytes > w->stride - WIRE_HEAD)
		return WIRE_MALFORMED;
	return WIRE_GOOD;
}

void wire_put_record(unsigned char *to, const struct wire_record *r)
{
	memset(to, 0, WIRE_RECORD);
	put32(to, r->type);
	put32(to + 4, r->count);
	put64(to + 8, r->a);
	put64(to + 16, r->b);
}

bool wire_get_record(const unsigned char *from, struct wire_record *r)
{
	*r = (struct wire_record){
		.type = get32(from),
		.count = get32(from + 4),
		.a = get64(from + 8),
		.b = get64(from + 16),
	};
	if (r->type < WIRE_BEAT || r->type > WIRE_BOOK)
		return false;
	return r->type == WIRE_CREDIT ? r->count && r->count <= WIRE_CREDITS : !r->count;
}

void wire_put_slot(unsigned char *to, uint32_t slot)
{
	put32(to, slot);
}

uint32_t wire_get_slot(const unsigned char *from)
{
	return get32(from);
}

void wire_put_head(unsigned char *to, const struct wire_head *h)
{
	memset(to, 0, WIRE_HEAD);
	put64(to, h->bytes);
	put64(to + 8, h->sequence);
	put64(to + 16, h->first);
	put64(to + 24, h->time);
	put32(to + 32, (uint32_t)h->link);
	put32(to + 36, h->flags);
}

void wire_get_head(const unsigned char *from, struct wire_head *h)
{
	*h = (struct wire_head){
		.bytes = get64(from),
		.sequence = get64(from + 8),
		.first = get64(from + 16),
		.time = get64(from + 24),
		.link = (int32_t)get32(from + 32),
		.flags = get32(from + 36),
	};
}
