// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host-page table: commands name host memory only by an index into this table. The card checks the
 * index, and only this file writes the addresses. Channel lock held.
 *
 * Host pages are numbered through all buffers in the order of their handles. No buffer can be
 * registered or unregistered while the sub-unit runs, and a start fails while a registration is
 * uncommitted, so the numbers cannot change during a run.
 */
#include <linux/xarray.h>

#include "fragment/fragment.h"

static u64 roc_host_pages_of(const struct roc_run *run, const struct roc_buffer *buf)
{
	return buf->length >> roc_fragment_rings(run)->host_page_log2;
}

/* Number of host pages of all buffers with a lower handle than @handle; 0: of all buffers. */
static u64 roc_host_pages_below(struct roc_run *run, u32 handle)
{
	struct roc_buffer *buf;
	unsigned long at;
	u64 pages = 0;

	xa_for_each(&run->open.buffers, at, buf)
		if (!handle || at < handle)
			pages += roc_host_pages_of(run, buf);
	return pages;
}

int roc_table_find(struct roc_run *run, struct roc_fr_pages *arg)
{
	const struct roc_buffer *buf = xa_load(&run->open.buffers, arg->handle);
	u64 total = roc_host_pages_below(run, 0);

	if (!buf)
		return -ENOENT;
	/* A start would fail. */
	if (total > roc_sub(run->open.ch)->host_pages_max)
		return -ENOSPC;
	arg->first = roc_host_pages_below(run, arg->handle);
	arg->count = roc_host_pages_of(run, buf);
	arg->total = total;
	return 0;
}

static int roc_table_alloc(struct roc_run *run, u32 pages, struct roc_fr_start *arg)
{
	struct roc_shared_memory *s = &roc_fragment_rings(run)->shared;
	struct roc_endpoint *ep = run->open.ch->ep;
	size_t size = PAGE_ALIGN(max(pages, 1u) * sizeof(*s->table));
	u64 pinned;
	int err;

	if (s->table && s->table_size >= size)
		return 0;
	roc_shared_free_table(s, ep);
	err = roc_charge(&s->table_charge, run->open.mm, size >> PAGE_SHIFT, &arg->reason,
			 &arg->limit, &pinned);
	if (!err)
		err = roc_shared_table(s, ep, max(pages, 1u));
	if (err)
		roc_shared_free_table(s, ep); /* also undoes the charge */
	return err;
}

static int roc_table_fill(struct roc_run *run, const struct roc_buffer *buf, u32 at,
			  struct roc_fr_start *arg)
{
	u64 size = 1ull << roc_fragment_rings(run)->host_page_log2,
	    count = roc_host_pages_of(run, buf), bus, i;

	/*
	 * The driver handles no completions, so it could not sync a bounce buffer: core/memory.h.
	 */
	if (buf->sync && !roc_pages_coherent(run->open.ch->ep, buf->extents.table[0].bus)) {
		arg->reason = ROC_REASON_BOUNCE;
		return -EOPNOTSUPP;
	}
	for (i = 0; i < count; i++) {
		if (roc_extents_find(&buf->extents, i * size, size, &bus) || bus & (size - 1)) {
			arg->reason = ROC_REASON_CONTIGUITY;
			arg->limit = roc_extents_shortest(&buf->extents);
			return -EOPNOTSUPP;
		}
		roc_fragment_rings(run)->shared.table[at + i] = cpu_to_le64(bus);
		cond_resched();
	}
	return 0;
}

/* Fill the table for a run. The channel is verified to be quiesced: the card does not read it. */
int roc_table_make(struct roc_run *run, void *data)
{
	struct roc_fr_start *arg = data;
	const struct roc_sub *sub = roc_sub(run->open.ch);
	struct roc_sub_rings *rings = roc_fragment_rings(run);
	u64 total = roc_host_pages_below(run, 0);
	struct roc_buffer *buf;
	unsigned long handle;
	u32 at = 0;
	int err;

	if (!list_empty(&run->open.uncommitted))
		return -EBUSY;
	if (total > sub->host_pages_max) {
		arg->reason = ROC_REASON_LENGTH;
		arg->limit = sub->host_pages_max;
		return -ENOSPC;
	}
	err = roc_table_alloc(run, total, arg);
	if (err)
		return err;
	xa_for_each(&run->open.buffers, handle, buf) {
		err = roc_table_fill(run, buf, at, arg);
		if (err)
			return err;
		at += roc_host_pages_of(run, buf);
	}
	rings->host_pages = total;
	arg->host_pages = total;
	return 0;
}
