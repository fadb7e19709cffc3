// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units of a lender.
 */
#include "lent.h"

int lent_fail(struct source *s, int err)
{
	return units_fail(s->why, -err, "%s", roc_error());
}

void lent_unit(const struct roc_unit *from, struct unit *u)
{
	*u = (struct unit){
		.data = from->data,
		.bytes = from->length,
		.handle = from->handle,
		.sequence = from->sequence,
		.time = units_realtime(),
		.flags = from->flags & ROC_UNIT_DAMAGED ? UNIT_DAMAGED : 0,
	};
}

int lent_return(struct source *s, struct roc_lender *lender, uint64_t handle)
{
	int ret = roc_lender_return(lender, handle);

	return ret ? lent_fail(s, ret) : 0;
}
