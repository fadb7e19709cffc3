// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exporters of all kinds: kernel pages behind a dma-buf with the behaviour that a test requests.
 */
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "core/compat/dma_buf.h"
#include "dmabuf.h"

#define PIECE_ORDER 9 /* 2 MiB */

atomic_t dmabuf_exports_alive = ATOMIC_INIT(0);

struct exported {
	u32 kind;
	size_t size;
	unsigned int order;
	unsigned int count;
	struct page **pieces;
	struct dma_fence *moving; /* under the reservation's lock */
	struct delayed_work moved;
	atomic_t attached;
	atomic_t pinned;
	atomic_t mapped;
};

/* An importer's mapping: @shown is returned to it, @own is its origin. */
struct mapping {
	struct sg_table shown;
	struct sg_table own;
};

static int export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	struct exported *e = dmabuf->priv;

	if (e->kind & DMABUF_NO_ATTACH)
		return -EOPNOTSUPP;
	if (e->kind & DMABUF_PEER)
		attachment->peer2peer = false;
	atomic_inc(&e->attached);
	return 0;
}

static void export_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	struct exported *e = dmabuf->priv;

	atomic_dec(&e->attached);
}

static const char *fence_name(struct dma_fence *fence)
{
	return "roc-test-dmabuf";
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_name,
	.get_timeline_name = fence_name,
};

static DEFINE_SPINLOCK(fence_lock);

static void has_moved(struct work_struct *work)
{
	struct exported *e = container_of(to_delayed_work(work), struct exported, moved);

	dma_fence_signal(e->moving);
}

/* Like a GPU's driver that copies to the final place, and signals a fence when it is done. */
static int begin_to_move(struct exported *e, struct dma_resv *resv)
{
	int err;

	err = dma_resv_reserve_fences(resv, 1);
	if (err)
		return err;
	e->moving = kzalloc(sizeof(*e->moving), GFP_KERNEL);
	if (!e->moving)
		return -ENOMEM;
	dma_fence_init(e->moving, &fence_ops, &fence_lock, dma_fence_context_alloc(1), 1);
	dma_resv_add_fence(resv, e->moving, DMA_RESV_USAGE_KERNEL);
	if (e->kind & DMABUF_BUSY)
		schedule_delayed_work(&e->moved, msecs_to_jiffies(DMABUF_BUSY_MS));
	return 0;
}

static void end_to_move(struct exported *e)
{
	if (!e->moving)
		return;
	cancel_delayed_work_sync(&e->moved);
	dma_fence_signal(e->moving);
	dma_fence_put(e->moving);
	e->moving = NULL;
}

static int export_pin(struct dma_buf_attachment *attachment)
{
	struct exported *e = attachment->dmabuf->priv;
	int err = 0;

	if (e->kind & DMABUF_NO_PIN)
		return -EBUSY;
	if (e->kind & DMABUF_INTERRUPTED)
		return -ERESTARTSYS;
	if (e->kind & (DMABUF_BUSY | DMABUF_STUCK) && !e->moving)
		err = begin_to_move(e, attachment->dmabuf->resv);
	if (!err)
		atomic_inc(&e->pinned);
	return err;
}

static void export_unpin(struct dma_buf_attachment *attachment)
{
	struct exported *e = attachment->dmabuf->priv;

	if (atomic_dec_and_test(&e->pinned))
		end_to_move(e);
}

static int make_own(struct exported *e, struct sg_table *own)
{
	unsigned int i, count = e->count;
	size_t length = PAGE_SIZE << e->order;
	struct scatterlist *sg;
	int err;

	if (e->kind & DMABUF_SHORT && !e->order)
		count--;
	err = sg_alloc_table(own, count, GFP_KERNEL);
	if (err)
		return err;
	for_each_sgtable_sg(own, sg, i)
		sg_set_page(sg, e->pieces[i], length, 0);
	return 0;
}

/* Only the addresses, without pages. */
static int make_shown(struct exported *e, struct mapping *m)
{
	struct scatterlist *in, *out;
	unsigned int i;
	int err;

	err = sg_alloc_table(&m->shown, m->own.nents, GFP_KERNEL);
	if (err)
		return err;
	out = m->shown.sgl;
	for_each_sgtable_dma_sg(&m->own, in, i) {
		if (!(e->kind & DMABUF_NO_PAGES))
			sg_set_page(out, sg_page(in), in->length, in->offset);
		sg_dma_address(out) = sg_dma_address(in);
		sg_dma_len(out) = sg_dma_len(in);
		out = sg_next(out);
	}
	return 0;
}

static struct sg_table *export_map(struct dma_buf_attachment *attachment,
				   enum dma_data_direction direction)
{
	struct exported *e = attachment->dmabuf->priv;
	struct mapping *m;
	int err;

	if (e->kind & DMABUF_PEER)
		return ERR_PTR(-EREMOTEIO);
	if (e->kind & DMABUF_NO_MEMORY)
		return ERR_PTR(-ENOMEM);
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return ERR_PTR(-ENOMEM);
	err = make_own(e, &m->own);
	if (err)
		goto err_free;
	err = dma_map_sgtable(attachment->dev, &m->own, direction, 0);
	if (err)
		goto err_own;
	err = make_shown(e, m);
	if (err)
		goto err_unmap;
	atomic_inc(&e->mapped);
	return &m->shown;

err_unmap:
	dma_unmap_sgtable(attachment->dev, &m->own, direction, 0);
err_own:
	sg_free_table(&m->own);
err_free:
	kfree(m);
	return ERR_PTR(err);
}

static void export_unmap(struct dma_buf_attachment *attachment, struct sg_table *shown,
			 enum dma_data_direction direction)
{
	struct mapping *m = container_of(shown, struct mapping, shown);
	struct exported *e = attachment->dmabuf->priv;

	atomic_dec(&e->mapped);
	dma_unmap_sgtable(attachment->dev, &m->own, direction, 0);
	sg_free_table(&m->own);
	sg_free_table(&m->shown);
	kfree(m);
}

static int export_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	unsigned long at, page = vma->vm_pgoff;
	struct exported *e = dmabuf->priv;
	int err = 0;

	for (at = vma->vm_start; at < vma->vm_end && !err; at += PAGE_SIZE, page++) {
		unsigned long pfn =
			page_to_pfn(e->pieces[page >> e->order]) + (page & ((1ul << e->order) - 1));

		err = remap_pfn_range(vma, at, pfn, PAGE_SIZE, vma->vm_page_prot);
	}
	return err;
}

static void free_exported(struct exported *e)
{
	unsigned int i;

	for (i = 0; i < e->count; i++)
		if (e->pieces[i])
			__free_pages(e->pieces[i], e->order);
	kvfree(e->pieces);
	kfree(e);
}

static void export_release(struct dma_buf *dmabuf)
{
	free_exported(dmabuf->priv);
	atomic_dec(&dmabuf_exports_alive);
}

static const struct dma_buf_ops export_ops = {
	.attach = export_attach,
	.detach = export_detach,
	.map_dma_buf = export_map,
	.unmap_dma_buf = export_unmap,
	.mmap = export_mmap,
	.release = export_release,
};

static const struct dma_buf_ops export_dynamic_ops = {
	.attach = export_attach,
	.detach = export_detach,
	.pin = export_pin,
	.unpin = export_unpin,
	.map_dma_buf = export_map,
	.unmap_dma_buf = export_unmap,
	.mmap = export_mmap,
	.release = export_release,
};

/* In descending physical order, so that consecutive pages of the buffer are not adjacent. */
static int compare_pages(const void *a, const void *b)
{
	unsigned long x = page_to_pfn(*(struct page *const *)a);
	unsigned long y = page_to_pfn(*(struct page *const *)b);

	return x < y ? 1 : -1;
}

static struct exported *make_exported(const struct dmabuf_export *arg)
{
	struct exported *e = kzalloc(sizeof(*e), GFP_KERNEL);
	unsigned int i;

	if (!e)
		return NULL;
	e->kind = arg->kind;
	INIT_DELAYED_WORK(&e->moved, has_moved);
	e->size = arg->size;
	e->order = arg->kind & (DMABUF_SCATTERED | DMABUF_SHORT) ? 0 : PIECE_ORDER;
	e->count = arg->size >> PAGE_SHIFT >> e->order;
	e->pieces = kvcalloc(e->count, sizeof(*e->pieces), GFP_KERNEL);
	for (i = 0; e->pieces && i < e->count; i++) {
		e->pieces[i] = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_ZERO, e->order);
		if (!e->pieces[i])
			break;
	}
	if (!e->pieces || i < e->count) {
		e->count = i;
		free_exported(e);
		return NULL;
	}
	if (arg->kind & DMABUF_SCATTERED)
		sort(e->pieces, e->count, sizeof(*e->pieces), compare_pages, NULL);
	return e;
}

int dmabuf_export(struct dmabuf_export *arg)
{
	bool dynamic = arg->kind & (DMABUF_DYNAMIC | DMABUF_NO_PIN | DMABUF_BUSY | DMABUF_STUCK |
				    DMABUF_INTERRUPTED);
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	struct exported *e;

	if (!arg->size || arg->size % (PAGE_SIZE << PIECE_ORDER))
		return -EINVAL;
	e = make_exported(arg);
	if (!e)
		return -ENOMEM;
	info.ops = dynamic ? &export_dynamic_ops : &export_ops;
	info.size = e->size;
	info.flags = arg->kind & DMABUF_READ_ONLY ? O_RDONLY : O_RDWR;
	info.priv = e;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		free_exported(e);
		return PTR_ERR(dmabuf);
	}
	atomic_inc(&dmabuf_exports_alive);
	arg->fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (arg->fd < 0)
		dma_buf_put(dmabuf);
	return min(arg->fd, 0);
}

int dmabuf_use(struct dmabuf_use *arg)
{
	struct dma_buf *dmabuf = dma_buf_get(arg->fd);
	struct exported *e;
	int err = -EINVAL;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (dmabuf->ops == &export_ops || dmabuf->ops == &export_dynamic_ops) {
		e = dmabuf->priv;
		arg->attached = atomic_read(&e->attached);
		arg->pinned = atomic_read(&e->pinned);
		arg->mapped = atomic_read(&e->mapped);
		arg->moving = e->moving && !dma_fence_is_signaled(e->moving);
		err = 0;
	}
	dma_buf_put(dmabuf);
	return err;
}
