// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that cards write to: allocate pages of the driver, pin user memory, charge a process for
 * them, and count references and exports. See memory.h.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/swiotlb.h>
#include <uapi/linux/roc.h>

#include "core/memory.h"
#include "core/order.h"
#include "core/roc.h"

/* Check a charge against the limit of the caller. @now: pages charged including the last @pages. */
static int roc_check_memlock(u64 now, unsigned long pages, __u32 *reason, __u64 *limit,
			     __u64 *pinned)
{
	if (now <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT || capable(CAP_IPC_LOCK))
		return 0;
	*reason = ROC_REASON_MEMLOCK;
	*limit = rlimit(RLIMIT_MEMLOCK);
	*pinned = (now - pages) << PAGE_SHIFT;
	return -ENOMEM;
}

/* Charge pinned_vm as RDMA does, because readout buffers are usually registered there, too. */
int roc_charge(struct roc_charge *charge, struct mm_struct *mm, unsigned long pages, __u32 *reason,
	       __u64 *limit, __u64 *pinned)
{
	u64 now = atomic64_add_return(pages, &mm->pinned_vm);
	int err = roc_check_memlock(now, pages, reason, limit, pinned);

	if (err) {
		atomic64_sub(pages, &mm->pinned_vm);
		return err;
	}
	charge->mm = mm;
	charge->pages = pages;
	mmgrab(charge->mm);
	return 0;
}

void roc_uncharge(struct roc_charge *charge)
{
	if (!charge->mm)
		return;
	atomic64_sub(charge->pages, &charge->mm->pinned_vm);
	mmdrop(charge->mm);
	charge->mm = NULL;
}

/*
 * Exported memory may outlive the process, but the limit on pinned_vm ends with the process. So the
 * user of the process that exports memory is charged, too, as in io_uring.
 */

/* Guards @export_cred and @exports of all memory; a leaf lock. */
static DEFINE_MUTEX(roc_memory_exports_lock);

static int roc_memory_charge(struct roc_memory *memory, struct roc_buf_export *arg)
{
	unsigned long pages = memory->length >> PAGE_SHIFT;
	struct user_struct *user = current_user();
	u64 now = atomic_long_add_return(pages, &user->locked_vm);
	int err = roc_check_memlock(now, pages, &arg->reason, &arg->limit, &arg->pinned);

	if (err)
		atomic_long_sub(pages, &user->locked_vm);
	else
		memory->export_cred = get_current_cred();
	return err;
}

int roc_memory_export_get(struct roc_memory *memory, struct roc_buf_export *arg)
{
	int err = 0;

	mutex_lock(&roc_memory_exports_lock);
	if (!memory->exports)
		err = roc_memory_charge(memory, arg);
	if (!err) {
		memory->exports++;
		roc_memory_get(memory);
	}
	mutex_unlock(&roc_memory_exports_lock);
	return err;
}

void roc_memory_export_put(struct roc_memory *memory)
{
	mutex_lock(&roc_memory_exports_lock);
	if (!--memory->exports) {
		atomic_long_sub(memory->length >> PAGE_SHIFT,
				&memory->export_cred->user->locked_vm);
		put_cred(memory->export_cred); /* free_uid() is not exported before Linux 6.2 */
	}
	mutex_unlock(&roc_memory_exports_lock);
	roc_memory_put(memory);
}

static void roc_memory_release(struct kref *refs)
{
	struct roc_memory *memory = container_of(refs, struct roc_memory, refs);

	memory->free(memory);
}

void roc_memory_put(struct roc_memory *memory)
{
	kref_put(&memory->refs, roc_memory_release);
}

/*
 * Allocate a piece of @order->current_order or less, at most @left pages. The allocator tries
 * harder for pieces of order @least: a smaller piece is useless, unless it is the last one.
 */
static struct page *roc_alloc_piece(int node, struct roc_order *order, unsigned int least,
				    unsigned long left)
{
	order->current_order = min_t(unsigned int, order->current_order, ilog2(left));
	for (;; roc_order_failure(order)) {
		gfp_t gfp = order->current_order > least ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
		struct page *page = alloc_pages_node(node, ROC_PAGES_GFP | __GFP_ZERO | gfp,
						     order->current_order);

		if (page) {
			set_page_private(page, order->current_order);
			roc_order_success(order);
			return page;
		}
		if (order->current_order <= least)
			return NULL;
	}
}

static void roc_free_pieces(struct list_head *pieces)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, pieces, lru) {
		__free_pages(page, page_private(page));
		cond_resched();
	}
}

static int roc_alloc_pieces(struct list_head *pieces, unsigned int *count, int node,
			    unsigned long pages, unsigned int least)
{
	struct roc_order order = {.current_order = ROC_PIECE_ORDER, .max = ROC_PIECE_ORDER};

	for (*count = 0; pages; (*count)++) {
		struct page *page;

		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		page = roc_alloc_piece(node, &order, least, pages);
		if (!page)
			return -ENOMEM;
		list_add_tail(&page->lru, pieces);
		pages -= 1ul << page_private(page);
	}
	return 0;
}

/* Move the pieces to a table, and split them into independent pages. */
static int roc_list_pieces(struct sg_table *sgt, struct list_head *pieces, unsigned int count)
{
	struct page *page, *next;
	struct scatterlist *sg;
	int err;

	err = sg_alloc_table(sgt, count, ROC_PAGES_GFP);
	if (err) {
		/* sg_alloc_table() frees a long table after an error, but leaves its count. */
		*sgt = (struct sg_table){};
		return err;
	}
	sg = sgt->sgl;
	list_for_each_entry_safe(page, next, pieces, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		if (order)
			split_page(page, order);
		sg_set_page(sg, page, PAGE_SIZE << order, 0);
		sg = sg_next(sg);
		cond_resched();
	}
	return 0;
}

int roc_pages_alloc(struct sg_table *sgt, unsigned long pages, int node, unsigned long least)
{
	unsigned int count;
	LIST_HEAD(pieces);
	int err;

	err = roc_alloc_pieces(&pieces, &count, node, pages, ilog2(least));
	if (!err)
		err = roc_list_pieces(sgt, &pieces, count);
	roc_free_pieces(&pieces);
	return err;
}

void roc_pages_free(struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i, page;

	for_each_sgtable_sg(sgt, sg, i) {
		for (page = 0; page < sg->length >> PAGE_SHIFT; page++)
			__free_page(sg_page(sg) + page);
		cond_resched();
	}
	sg_free_table(sgt);
}

/* Does the DMA of @dev go through a translating IOMMU? */
bool roc_translated(struct device *dev)
{
	const struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && (domain->type & __IOMMU_DOMAIN_DMA_API);
}

/*
 * Would the kernel bounce DMA of @dev to or from the whole pages that are mapped for it? Not behind
 * an IOMMU. dma_need_sync() is true for any page of a non-coherent device, so such a device is
 * judged by its DMA mask.
 */
bool roc_bounced(struct device *dev, const struct sg_table *sgt)
{
	struct scatterlist *sg;
	unsigned int i;

	if (roc_translated(dev))
		return false;
	if (!dev_is_dma_coherent(dev))
		return is_swiotlb_force_bounce(dev) || dma_addressing_limited(dev);
	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (dma_need_sync(dev, sg_dma_address(sg)))
			return true;
		cond_resched();
	}
	return false;
}

/*
 * Does the CPU see what the card writes without a sync? A reader that polls memory makes no call in
 * which the driver could sync. Behind an IOMMU older kernels report that all memory needs a sync,
 * but whole pages are not bounced there.
 */
bool roc_pages_coherent(struct roc_endpoint *ep, dma_addr_t bus)
{
	struct device *dev = &ep->pdev->dev;

	return ep->translated ? dev_is_dma_coherent(dev) : !dma_need_sync(dev, bus);
}

/*
 * User memory is pinned in batches, without an array of all pages, and merged into a growing
 * scatter-gather table: a hugepage is one entry. A batch inside one hugepage is appended as a
 * whole: merging it page by page would take most of the time that pinning a gigabyte takes.
 */

#define ROC_PIN_BATCH (PAGE_SIZE / sizeof(struct page *))
#define ROC_UNPIN_BATCH 4096ul /* an entry may have 4 GiB */

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

	for_each_sgtable_sg(&pin->table.sgt, sg, i) {
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

/*
 * Is the batch a contiguous part of one folio? Check all pages: one in the middle may belong to
 * another mapping.
 */
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
 * Is the page part of a file that another process may provide? A FUSE daemon can keep pages of its
 * files locked without limit, and unpinning them would wait for it. Kernels from 6.5 on refuse to
 * pin them. Anonymous memory, shmem, hugetlbfs and device memory have no such provider, and a page
 * without a mapping belongs to no file any more.
 */
static bool roc_page_is_file_backed(struct page *page)
{
	struct folio *folio = page_folio(page);

	return READ_ONCE(folio->mapping) && !folio_test_anon(folio) &&
	       !folio_test_swapbacked(folio) && !PageHuge(page) && !is_zone_device_page(page);
}

static bool roc_batch_is_file_backed(struct page **batch, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		if (roc_page_is_file_backed(batch[i]))
			return true;
	}
	return false;
}

/* Extend the last entry of the table if the pages follow it directly. */
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
		if (roc_batch_is_file_backed(batch, whole ? 1 : got)) {
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
	err = roc_charge(&pin->charge, current->mm, pin->pages, &arg->reason, &arg->limit,
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
		arg->reason = ROC_REASON_PIN;
		err = -EFAULT;
	}
	return ERR_PTR(err);
}
