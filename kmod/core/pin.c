// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory, pinned and charged.
 *
 * Pinned in batches (no array of all pages) and merged into a scatter-gather table as it grows: a
 * hugepage is one entry. A batch from within one is taken as a whole: to merge it page by page is
 * most of the time that a gigabyte takes.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/charge.h"
#include "core/memory.h"
#include "core/pin.h"

#define ROC_PIN_BATCH (PAGE_SIZE / sizeof(struct page *))
#define ROC_UNPIN_BATCH 4096ul /* an entry may be 4 GiB long */

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

	for_each_sgtable_sg (&pin->table.sgt, sg, i) {
		unsigned long pages = DIV_ROUND_UP(sg->length, PAGE_SIZE), at, now;

		for (at = 0; at < pages; at += now) {
			now = min(pages - at, ROC_UNPIN_BATCH);
			unpin_user_page_range_dirty_lock(pfn_to_page(page_to_pfn(sg_page(sg)) + at),
							 now, true);
			cond_resched();
		}
	}
	sg_free_append_table(&pin->table);
	roc_uncharge(&pin->charge);
	kfree(pin);
}

/* Of one folio, without a hole. All pages are looked at: the middle may be of another mapping. */
static bool roc_batch_is_whole(struct page **batch, int count)
{
	int i;

	if (page_folio(batch[0]) != page_folio(batch[count - 1]))
		return false;
	for (i = 1; i < count; i++) {
		if (batch[i] != batch[0] + i)
			return false;
	}
	return true;
}

/*
 * Who provides a file (a FUSE daemon) can keep its pages locked as long as he likes, and whoever
 * unpins them would wait for him. Kernels from 6.5 on pin none. Nobody is behind anonymous memory,
 * shmem, hugetlbfs or a device's memory, and without a mapping a page is no file's any more.
 */
static bool roc_page_is_of_file(struct page *page)
{
	struct folio *folio = page_folio(page);

	return READ_ONCE(folio->mapping) && !folio_test_anon(folio) &&
	       !folio_test_swapbacked(folio) && !PageHuge(page) && !is_zone_device_page(page);
}

static bool roc_batch_is_of_file(struct page **batch, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (roc_page_is_of_file(batch[i]))
			return true;
	}
	return false;
}

/* Do these pages go on where the table's last entry ends? Then that one is longer, and no more. */
static bool roc_pin_extend(struct sg_append_table *table, struct page *first, int count,
			   unsigned int max_segment, unsigned long left)
{
	size_t length = (size_t)count << PAGE_SHIFT;
	struct scatterlist *last = table->prv;

	if (!last ||
	    page_to_pfn(first) != page_to_pfn(sg_page(last)) + (last->length >> PAGE_SHIFT) ||
	    last->length + length > max_segment)
		return false;
	last->length += length;
	if (!left)
		sg_mark_end(last);
	return true;
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
		bool whole;
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
		whole = roc_batch_is_whole(batch, got);
		if (roc_batch_is_of_file(batch, whole ? 1 : got)) {
			unpin_user_pages(batch, got);
			err = -EFAULT;
			break;
		}
		left -= got;
		addr += got * PAGE_SIZE;
		if (whole && roc_pin_extend(&pin->table, batch[0], got, max_segment, left))
			continue;
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
	err = roc_charge(&pin->charge, current->mm, pin->pages, &arg->why, &arg->limit,
			 &arg->pinned);
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
