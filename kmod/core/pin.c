// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory, pinned and charged.
 *
 * Pinned in batches (no array of all pages) and merged into a scatter-gather table as it grows: a
 * hugepage is one entry.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/charge.h"
#include "core/memory.h"
#include "core/pin.h"

#define ROC_PIN_BATCH (PAGE_SIZE / sizeof(struct page *))

struct roc_pin {
	struct roc_memory memory;
	struct sg_append_table table;
	unsigned long pages;
	struct roc_charge charge;
};

static void roc_pin_free(struct roc_memory *memory)
{
	struct roc_pin *pin = container_of(memory, struct roc_pin, memory);
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg (&pin->table.sgt, sg, i)
		unpin_user_page_range_dirty_lock(sg_page(sg), DIV_ROUND_UP(sg->length, PAGE_SIZE),
						 true);
	sg_free_append_table(&pin->table);
	roc_uncharge(&pin->charge);
	kfree(pin);
}

static int roc_pin_pages(struct roc_pin *pin, unsigned int max_segment, unsigned long addr)
{
	unsigned long left = pin->pages;
	struct page **batch;
	int err = 0;

	batch = (struct page **)__get_free_page(GFP_KERNEL_ACCOUNT);
	if (!batch)
		return -ENOMEM;
	while (left) {
		int want = min_t(unsigned long, left, ROC_PIN_BATCH);
		int got;

		cond_resched();
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		got = pin_user_pages_fast(addr, want, FOLL_WRITE | FOLL_LONGTERM, batch);
		if (got <= 0) {
			err = got ?: -EFAULT;
			break;
		}
		left -= got;
		addr += got * PAGE_SIZE;
		err = sg_alloc_append_table_from_pages(&pin->table, batch, got, 0, got * PAGE_SIZE,
						       max_segment, left, GFP_KERNEL_ACCOUNT);
		if (err) {
			unpin_user_pages(batch, got);
			break;
		}
	}
	free_page((unsigned long)batch);
	return err;
}

struct roc_memory *roc_pin(struct roc_buf_register *arg, unsigned int max_segment)
{
	struct roc_pin *pin;
	int err;

	pin = kzalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return ERR_PTR(-ENOMEM);
	roc_memory_init(&pin->memory, &pin->table.sgt, arg->length, roc_pin_free);
	pin->pages = arg->length >> PAGE_SHIFT;
	err = roc_charge(&pin->charge, pin->pages, &arg->why, &arg->limit, &arg->pinned);
	if (err) {
		kfree(pin);
		return ERR_PTR(err);
	}
	err = roc_pin_pages(pin, max_segment, arg->addr);
	if (!err)
		return &pin->memory;
	roc_memory_put(&pin->memory);
	if (err == -EFAULT || err == -EOPNOTSUPP) {
		arg->why = ROC_WHY_PIN;
		err = -EFAULT;
	}
	return ERR_PTR(err);
}
