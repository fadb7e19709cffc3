// SPDX-License-Identifier: LGPL-2.1-or-later
/* Control the example generator of user logic that comes with the firmware. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "libroc_cru.h"

#define P(m) offsetof(struct roc_cru_ul, m)

static const struct libroc_value size[] = {
	LIBROC_VALUE("event size", LIBROC_CARD, CRU_UL_EVENT_SIZE, 0xffffffff, P(event_size)),
};

static const struct libroc_value random_size[] = {
	LIBROC_VALUE("random event size", LIBROC_CARD, CRU_UL_RANDOM_SIZE, 1, P(random_size),
		     .kind = LIBROC_BOOL),
};

static const struct libroc_value ids[] = {
	LIBROC_VALUE("system id", LIBROC_CARD, CRU_UL_SYSTEM_ID, 0xff, P(system_id)),
	LIBROC_VALUE("link id", LIBROC_CARD, CRU_UL_LINK_ID, 0xff, P(link_id)),
};

void roc_cru_ul_default(struct roc_cru_ul *ul)
{
	*ul = (struct roc_cru_ul){.event_size = 100, .system_id = 0xff, .link_id = 0xf};
}

int roc_cru_ul_set(struct roc_endpoint *ep, const struct roc_cru_ul *ul)
{
	struct libroc_pass c;
	uint32_t random;
	int ret;

	ret = libroc_values_check("user logic", ids, LIBROC_COUNT(ids), ul);
	if (ret)
		return ret;
	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	libroc_pass_write(&c, CRU_BAR_CARD, CRU_UL_RESET, 0);
	libroc_values_write(&c, "user logic", size, LIBROC_COUNT(size), ul);
	/* A write toggles the register, so read it first. */
	random = libroc_pass_read(&c, CRU_BAR_CARD, CRU_UL_RANDOM_SIZE) & 1;
	if (random != ul->random_size)
		libroc_pass_write(&c, CRU_BAR_CARD, CRU_UL_RANDOM_SIZE, CRU_UL_RANDOM_SIZE_TOGGLE);
	random = libroc_pass_read(&c, CRU_BAR_CARD, CRU_UL_RANDOM_SIZE) & 1;
	if (!c.err && random != ul->random_size)
		libroc_pass_fail(
			&c,
			roc_fail(
				EBADMSG,
				"%s: user logic: random event size (register 0x%x of BAR %d) does not toggle: check that the firmware contains user logic",
				roc_endpoint_name(ep), CRU_UL_RANDOM_SIZE, CRU_BAR_CARD));
	libroc_values_write(&c, "user logic", ids, LIBROC_COUNT(ids), ul);
	return libroc_pass_end(&c);
}

int roc_cru_ul_read(struct roc_endpoint *ep, struct roc_cru_ul *ul)
{
	struct roc_cru_ul now = {0};
	struct libroc_pass c;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	libroc_values_read(&c, size, LIBROC_COUNT(size), 0, &now);
	libroc_values_read(&c, random_size, LIBROC_COUNT(random_size), 0, &now);
	libroc_values_read(&c, ids, LIBROC_COUNT(ids), 0, &now);
	ret = libroc_pass_end(&c);
	if (!ret)
		*ul = now;
	return ret;
}
