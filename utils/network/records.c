// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records on a control connection.
 */
#include "records.h"

#include <errno.h>

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

int control_beat(struct control *c, uint64_t now)
{
	struct wire_record r = {.type = WIRE_BEAT};
	unsigned char text[WIRE_RECORD];

	if (now > c->heard && now - c->heard > CONTROL_SILENCE)
		return -ETIMEDOUT;
	if (now > c->told && now - c->told > UNITS_NS_PER_S) {
		wire_put_record(text, &r);
		control_queue(c, text, sizeof(text));
		c->told = now;
	}
	return 0;
}
