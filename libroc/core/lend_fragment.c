// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lend fragments: each completed request is a unit. They return in any order. */
#include <errno.h>
#include <stdlib.h>

#include "fragment.h"
#include "lend.h"
#include "libroc.h"

/*
 * @next is a completion that was consumed from the sub-unit, but not lent yet because the lender
 * had no free slot.
 */
static int peek(struct roc_lender *l, struct libroc_loan *loan)
{
	struct roc_fragment_fetched *next = &l->next;
	int ret;

	while (!next->handle) {
		ret = roc_fragments_done(l->fragments, next, 1);
		if (ret <= 0)
			return ret;
	}
	*loan = (struct libroc_loan){
		.unit = {.data = next->data,
			 .length = next->size,
			 .offset = next->event,
			 .link = next->link,
			 .flags = libroc_fragment_is_damaged(next) ? ROC_UNIT_DAMAGED : 0,
			 .run = __atomic_load_n(&l->fragments->kernel->run, __ATOMIC_RELAXED)},
		.end = next->handle,
		.held = l->fragments->host_page_size,
	};
	return 1;
}

static void taken(struct roc_lender *l, const struct libroc_loan *loan)
{
	l->next.handle = 0;
}

static int release(struct roc_lender *l, const struct libroc_loan *loan, bool *kick)
{
	return roc_fragments_return(l->fragments, loan->end);
}

static int wait_ready(struct roc_lender *l, int timeout_ms)
{
	struct roc_fragments *f = l->fragments;
	int ret;

	if (l->next.handle)
		return 0;
	ret = roc_fragments_wait(f, 0, 1, timeout_ms);
	if (ret)
		return ret < 0 ? ret : 0;
	return roc_fail(
		ENODATA,
		"%s: no request is outstanding: call roc_fragments_start() if the sub-unit does not run, then roc_fragments_request()",
		f->c.name);
}

static void close_lender(struct roc_lender *l)
{
	if (l->next.handle)
		roc_fragments_return(l->fragments, l->next.handle);
}

static const struct libroc_lend_type fragments = {
	.peek = peek,
	.taken = taken,
	.release = release,
	.wait = wait_ready,
	.close = close_lender,
};

int roc_lender_fragments(struct roc_fragments *f, unsigned int limit, struct roc_lender **lender)
{
	int ret;

	ret = libroc_need_fragment_rings(f);
	if (ret)
		return ret;
	ret = libroc_lender_new(&fragments, &f->c.node, limit, lender);
	if (!ret)
		(*lender)->fragments = f;
	return ret;
}
