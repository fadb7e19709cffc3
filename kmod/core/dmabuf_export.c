// SPDX-License-Identifier: GPL-2.0-only
/*
 * Export memory of a channel as a dma-buf, for other devices and for processes that map it.
 *
 * Pages are exported, and each importer gets its own mapping of them for its device. So the dma-buf
 * does not need the card: it holds the pages, the structure of the endpoint and the module, and
 * lives until its last reference is dropped.
 *
 * When the card is removed or reset, the dma-buf is *revoked*, because no new data will arrive.
 * Dynamic importers are notified (move_notify), and new mappings fail. Existing mappings of devices
 * and processes remain valid until they are unmapped: to revoke them would kill a reader that
 * processes data it already has.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/compat/dma_buf.h"
#include "core/dmabuf.h"
#include "core/memory.h"
#include "core/roc.h"

ROC_IMPORT_DMA_BUF_NS;

/* The card and other importers have the pages mapped, too, so each side syncs explicitly. */
#define ROC_EXPORT_ATTRS DMA_ATTR_SKIP_CPU_SYNC

/**
 * struct roc_export - an exported dma-buf
 * @node: entry in roc_endpoint.exports, under its lock, until the release
 * @ep: reference to the endpoint
 * @memory: export reference to the memory
 * @dmabuf: the dma-buf, which owns this structure
 * @creator: task that created it, until roc_export_commit(), else NULL; under
 *	roc_endpoint.exports_lock
 * @revoked: written under dma_resv
 * @lock: guards @mappings
 * @mappings: mappings for the devices of importers
 */
struct roc_export {
	struct list_head node;
	struct roc_endpoint *ep;
	struct roc_memory *memory;
	struct dma_buf *dmabuf;
	const struct task_struct *creator;
	bool revoked;
	struct mutex lock;
	struct list_head mappings;
};

/* Mapping for one importer. */
struct roc_mapping {
	struct list_head node;
	struct device *dev;
	enum dma_data_direction direction;
	struct sg_table sgt;
};

static bool roc_export_revoked(const struct roc_export *export)
{
	return READ_ONCE(export->revoked);
}

static int roc_export_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attachment)
{
	return roc_export_revoked(dmabuf->priv) ? -ENODEV : 0;
}

/* Nothing to do: the pages never move. */
static int roc_export_pin(struct dma_buf_attachment *attachment)
{
	return roc_export_revoked(attachment->dmabuf->priv) ? -ENODEV : 0;
}

static void roc_export_unpin(struct dma_buf_attachment *attachment)
{
}

/* Make a new list of the same pages, in segments of at most @max bytes. */
static int roc_copy_pages(struct sg_table *to, const struct sg_table *from, unsigned int max)
{
	unsigned int i, at, nents = 0;
	struct scatterlist *in, *out;
	int err;

	max = max_t(unsigned int, round_down(max, PAGE_SIZE), PAGE_SIZE);
	for_each_sgtable_sg(from, in, i) {
		nents += (in->length - 1) / max + 1;
		cond_resched();
	}
	err = sg_alloc_table(to, nents, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (err)
		return err;
	out = to->sgl;
	for_each_sgtable_sg(from, in, i) {
		for (at = 0; at < in->length; at += out->length, out = sg_next(out)) {
			struct page *page =
				pfn_to_page(page_to_pfn(sg_page(in)) + (at >> PAGE_SHIFT));

			sg_set_page(out, page, min(in->length - at, max), 0);
			cond_resched();
		}
	}
	return 0;
}

static struct sg_table *roc_export_map(struct dma_buf_attachment *attachment,
				       enum dma_data_direction direction)
{
	struct roc_export *export = attachment->dmabuf->priv;
	struct device *dev = attachment->dev;
	struct roc_mapping *mapping;
	int err;

	if (roc_export_revoked(export))
		return ERR_PTR(-ENODEV);
	mapping = kzalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return ERR_PTR(-ENOMEM);
	mapping->dev = dev;
	mapping->direction = direction;
	err = roc_copy_pages(&mapping->sgt, export->memory->pages, dma_get_max_seg_size(dev));
	if (err)
		goto err_free;
	err = dma_map_sgtable(dev, &mapping->sgt, direction, ROC_EXPORT_ATTRS);
	if (err)
		goto err_table;
	/* Each sync, and the unmap, would copy stale bounce buffers over what the card wrote. */
	err = -EBUSY;
	if (roc_bounced(dev, &mapping->sgt))
		goto err_unmap;
	dma_sync_sgtable_for_device(dev, &mapping->sgt, direction);
	mutex_lock(&export->lock);
	list_add(&mapping->node, &export->mappings);
	mutex_unlock(&export->lock);
	return &mapping->sgt;

err_unmap:
	dev_dbg(dev, "roc%d: failed to map a dma-buf: the kernel would bounce this device's DMA\n",
		export->ep->minor);
	dma_unmap_sgtable(dev, &mapping->sgt, direction, ROC_EXPORT_ATTRS);
err_table:
	sg_free_table(&mapping->sgt);
err_free:
	kfree(mapping);
	return ERR_PTR(err);
}

static void roc_export_unmap(struct dma_buf_attachment *attachment, struct sg_table *sgt,
			     enum dma_data_direction direction)
{
	struct roc_mapping *mapping = container_of(sgt, struct roc_mapping, sgt);
	struct roc_export *export = attachment->dmabuf->priv;

	mutex_lock(&export->lock);
	list_del(&mapping->node);
	mutex_unlock(&export->lock);
	dma_sync_sgtable_for_cpu(mapping->dev, &mapping->sgt, mapping->direction);
	dma_unmap_sgtable(mapping->dev, &mapping->sgt, mapping->direction, ROC_EXPORT_ATTRS);
	sg_free_table(&mapping->sgt);
	kfree(mapping);
}

static int roc_export_begin_cpu_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct roc_export *export = dmabuf->priv;
	struct roc_mapping *mapping;

	if (roc_export_revoked(export))
		return -ENODEV;
	if (mutex_lock_interruptible(&export->lock))
		return -ERESTARTSYS;
	list_for_each_entry(mapping, &export->mappings, node)
		dma_sync_sgtable_for_cpu(mapping->dev, &mapping->sgt, mapping->direction);
	mutex_unlock(&export->lock);
	return 0;
}

/* Also after a revocation: an access that has begun must be ended. */
static int roc_export_end_cpu_access(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct roc_export *export = dmabuf->priv;
	struct roc_mapping *mapping;

	mutex_lock(&export->lock);
	list_for_each_entry(mapping, &export->mappings, node)
		dma_sync_sgtable_for_device(mapping->dev, &mapping->sgt, mapping->direction);
	mutex_unlock(&export->lock);
	return 0;
}

/*
 * Map by page frame: anonymous and huge pages cannot be inserted as pages into another mapping. The
 * mapping holds the file and therefore the pages. The dma-buf core has checked the range.
 */
static int roc_export_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct roc_export *export = dmabuf->priv;
	unsigned long at = vma->vm_start, skip = vma->vm_pgoff << PAGE_SHIFT, length;
	struct scatterlist *sg;
	unsigned int i;
	int err;

	if (roc_export_revoked(export))
		return -ENODEV;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	for_each_sgtable_sg(export->memory->pages, sg, i) {
		if (at == vma->vm_end)
			break;
		if (skip >= sg->length) {
			skip -= sg->length;
			continue;
		}
		length = min(sg->length - skip, vma->vm_end - at);
		err = remap_pfn_range(vma, at, page_to_pfn(sg_page(sg)) + (skip >> PAGE_SHIFT),
				      length, vma->vm_page_prot);
		if (err)
			return err;
		at += length;
		skip = 0;
		cond_resched();
	}
	return 0;
}

static void roc_export_free(struct roc_export *export)
{
	put_device(&export->ep->dev);
	mutex_destroy(&export->lock);
	kfree(export);
}

static void roc_export_release(struct dma_buf *dmabuf)
{
	struct roc_export *export = dmabuf->priv;

	mutex_lock(&export->ep->exports_lock);
	list_del(&export->node);
	mutex_unlock(&export->ep->exports_lock);
	roc_memory_export_put(export->memory);
	roc_export_free(export);
}

static const struct dma_buf_ops roc_export_ops = {
	.attach = roc_export_attach,
	.pin = roc_export_pin,
	.unpin = roc_export_unpin,
	.map_dma_buf = roc_export_map,
	.unmap_dma_buf = roc_export_unmap,
	.begin_cpu_access = roc_export_begin_cpu_access,
	.end_cpu_access = roc_export_end_cpu_access,
	.mmap = roc_export_mmap,
	.release = roc_export_release,
};

static struct roc_export *roc_export_make(struct roc_endpoint *ep, struct roc_memory *memory,
					  int mode)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct roc_export *export;

	export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);
	if (!export)
		return ERR_PTR(-ENOMEM);
	get_device(&ep->dev);
	export->ep = ep;
	export->memory = memory;
	export->creator = current;
	mutex_init(&export->lock);
	INIT_LIST_HEAD(&export->mappings);
	info.ops = &roc_export_ops;
	info.size = memory->length;
	info.flags = mode;
	info.priv = export;
	export->dmabuf = dma_buf_export(&info);
	if (IS_ERR(export->dmabuf)) {
		int err = PTR_ERR(export->dmabuf);

		roc_export_free(export);
		return ERR_PTR(err);
	}
	mutex_lock(&ep->exports_lock);
	list_add(&export->node, &ep->exports);
	mutex_unlock(&ep->exports_lock);
	return export;
}

int roc_export(struct roc_endpoint *ep, struct roc_memory *memory, u32 flags, s32 *fd)
{
	struct roc_export *export;
	int number;

	number = get_unused_fd_flags(flags & ROC_EXPORT_CLOEXEC ? O_CLOEXEC : 0);
	if (number < 0)
		return number;
	export = roc_export_make(ep, memory, flags & ROC_EXPORT_WRITE ? O_RDWR : O_RDONLY);
	if (IS_ERR(export)) {
		put_unused_fd(number);
		return PTR_ERR(export);
	}
	roc_point(ep, ROC_POINT_EXPORT);
	*fd = number;
	return 0;
}

/* A task creates one dma-buf at a time. */
static struct dma_buf *roc_export_uncommitted(struct roc_endpoint *ep)
{
	struct dma_buf *dmabuf = NULL;
	struct roc_export *export;

	mutex_lock(&ep->exports_lock);
	list_for_each_entry(export, &ep->exports, node) {
		if (export->creator != current)
			continue;
		export->creator = NULL;
		dmabuf = export->dmabuf;
		break;
	}
	mutex_unlock(&ep->exports_lock);
	return dmabuf;
}

void roc_export_commit(struct roc_endpoint *ep, s32 fd, bool copied)
{
	struct dma_buf *dmabuf = roc_export_uncommitted(ep);

	if (copied) {
		fd_install(fd, dmabuf->file);
	} else {
		put_unused_fd(fd);
		dma_buf_put(dmabuf);
	}
}

/*
 * The release of a dma-buf takes exports_lock, so every dma-buf in the list exists, even if its
 * last descriptor is already closed.
 */
void roc_exports_revoke(struct roc_endpoint *ep)
{
	struct roc_export *export;

	mutex_lock(&ep->exports_lock);
	list_for_each_entry(export, &ep->exports, node) {
		roc_point(ep, ROC_POINT_REVOKE);
		dma_resv_lock(export->dmabuf->resv, NULL);
		if (!export->revoked) {
			WRITE_ONCE(export->revoked, true);
			dma_buf_invalidate_mappings(export->dmabuf);
		}
		dma_resv_unlock(export->dmabuf->resv);
	}
	mutex_unlock(&ep->exports_lock);
}
