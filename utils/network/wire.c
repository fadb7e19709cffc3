// SPDX-License-Identifier: GPL-2.0-or-later
/* Encode and decode the control connection. */
#include "wire.h"

#include <errno.h>
#include <string.h>

#include "libroc/core/bytes.h"
#include "network.h"
#include "utils/units/units.h"

#define HELLO(offset, member) BYTES_FIELD(offset, struct wire_hello, member)
static const struct bytes_field hello_numbers[] = {
	HELLO(16, connection), HELLO(20, connections), HELLO(24, content), HELLO(28, page_bytes),
	HELLO(32, flags),      HELLO(36, name_bytes),  HELLO(40, run),	   HELLO(48, unit_max)};

#define WELCOME(offset, member) BYTES_FIELD(offset, struct wire_welcome, member)
static const struct bytes_field welcome_numbers[] = {
	WELCOME(16, status), WELCOME(20, slots),  WELCOME(24, name_bytes), WELCOME(32, base),
	WELCOME(40, key),    WELCOME(48, stride), WELCOME(56, slot_bytes)};

#define RECORD(offset, member) BYTES_FIELD(offset, struct wire_record, member)
static const struct bytes_field record_numbers[] = {RECORD(0, type), RECORD(4, count), RECORD(8, a),
						    RECORD(16, b)};

#define HEAD(offset, member) BYTES_FIELD(offset, struct wire_head, member)
static const struct bytes_field head_numbers[] = {
	HEAD(0, bytes), HEAD(8, sequence), HEAD(16, first), HEAD(24, time),
	HEAD(32, link), HEAD(36, flags),   HEAD(40, run)};

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
		return WIRE_NOT_ROC;
	*version = get32(from + 8);
	return *version == WIRE_VERSION ? WIRE_GOOD : WIRE_VERSION_WRONG;
}

void wire_put_hello(unsigned char *to, const struct wire_hello *h)
{
	put_greeting(to, h->version, WIRE_HELLO);
	put_fields(to, h, BYTES_FIELDS(hello_numbers));
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
	get_fields(h, from, BYTES_FIELDS(hello_numbers));
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
	put_fields(to, w, BYTES_FIELDS(welcome_numbers));
	memcpy(to + 64, w->provider, sizeof(w->provider));
	memcpy(to + 128, w->reason, sizeof(w->reason));
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
	get_fields(w, from, BYTES_FIELDS(welcome_numbers));
	outside_text(w->provider, from + 64, sizeof(w->provider));
	outside_text(w->reason, from + 128, sizeof(w->reason));
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
	put_fields(to, r, BYTES_FIELDS(record_numbers));
}

bool wire_get_record(const unsigned char *from, struct wire_record *r)
{
	get_fields(r, from, BYTES_FIELDS(record_numbers));
	if (r->type < WIRE_BEAT || r->type > WIRE_TOTALS)
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
	put_fields(to, h, BYTES_FIELDS(head_numbers));
}

void wire_get_head(const unsigned char *from, struct wire_head *h)
{
	get_fields(h, from, BYTES_FIELDS(head_numbers));
}

static size_t record_bytes(const struct wire_record *r)
{
	return WIRE_RECORD + (r->type == WIRE_CREDIT ? 4 * (size_t)r->count : 0);
}

int control_record(const struct control *c, struct wire_record *r)
{
	if (c->in_bytes < WIRE_RECORD)
		return 0;
	if (!wire_get_record(c->in, r))
		return -EPROTO;
	return c->in_bytes >= record_bytes(r);
}

void control_drop_record(struct control *c, const struct wire_record *r)
{
	control_drop(c, record_bytes(r));
}

int control_beat(struct control *c, uint64_t now, uint32_t silence)
{
	uint64_t limit = silence * UNITS_NS_PER_S;
	/* The other end may have a short limit, too. */
	uint64_t pause = limit / 4 < UNITS_NS_PER_S ? limit / 4 : UNITS_NS_PER_S;
	struct wire_record r = {.type = WIRE_BEAT};
	unsigned char text[WIRE_RECORD];

	if (now > c->received_at && now - c->received_at > limit)
		return -ETIMEDOUT;
	if (now > c->sent_at && now - c->sent_at > pause) {
		wire_put_record(text, &r);
		control_queue(c, text, sizeof(text));
		c->sent_at = now;
	}
	return 0;
}
