// SPDX-License-Identifier: GPL-2.0-only
/*
 * User memory, pinned and charged.
 *
 * Pinned in batches (no array of all pages) and merged into a scatter-gather table as it grows: a
 * hugepage is one entry. Charged to the owner's pinned_vm against RLIMIT_MEMLOCK, as RDMA does:
 * readout buffers are usually registered there too.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/memory.h"
#include "core/pin.h"

#define ROC_PIN_BATCH (PAGE_SIZE / sizeof(struct page *))

struct roc_pin {
	struct roc_memory memory;
	struct sg_append_table table;
	unsigned long pages;
	struct mm_struct *mm; /* whose pinned_vm it is charged to */
};

static int roc_pin_charge(struct roc_pin *pin, struct roc_buf_register *arg)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	s64 pinned = atomic64_add_return(pin->pages, &current->mm->pinned_vm);

	if (pinned > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pin->pages, &current->mm->pinned_vm);
		arg->why = ROC_WHY_MEMLOCK;
		arg->limit = rlimit(RLIMIT_MEMLOCK);
		arg->pinned = (u64)(pinned - pin->pages) << PAGE_SHIFT;
		return -ENOMEM;
	}
	pin->mm = current->mm;
	mmgrab(pin->mm);
	return 0;
}

static void roc_pin_uncharge(struct roc_pin *pin)
{
	if (pin->mm) {
		atomic64_sub(pin->pages, &pin->mm->pinned_vm);
		mmdrop(pin->mm);
	}
}

static void roc_pin_free(struct roc_memory *memory)
{
	struct roc_pin *pin = container_of(memory, struct roc_pin, memory);
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg (&pin->table.sgt, sg, i)
		unpin_user_page_range_dirty_lock(sg_page(sg), DIV_ROUND_UP(sg->length, PAGE_SIZE),
						 true);
	sg_free_append_table(&pin->table);
	roc_pin_uncharge(pin);
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
	err = roc_pin_charge(pin, arg);
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
