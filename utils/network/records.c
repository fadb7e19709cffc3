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

int control_beat(struct control *c, uint64_t now, uint32_t silence)
{
	uint64_t limit = silence * UNITS_NS_PER_S;
	/* Who has little patience may have told the other end so. */
	uint64_t pause = limit / 4 < UNITS_NS_PER_S ? limit / 4 : UNITS_NS_PER_S;
	struct wire_record r = {.type = WIRE_BEAT};
	unsigned char text[WIRE_RECORD];

	if (now > c->heard && now - c->heard > limit)
		return -ETIMEDOUT;
	if (now > c->told && now - c->told > pause) {
		wire_put_record(text, &r);
		control_queue(c, text, sizeof(text));
		c->told = now;
	}
	return 0;
}
