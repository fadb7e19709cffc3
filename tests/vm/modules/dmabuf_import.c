// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second device: a PCI function of the guest that maps dma-bufs; the module reads and writes for
 * it.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/compat/dma_buf.h"
#include "dmabuf.h"

atomic_t dmabuf_imports_alive = ATOMIC_INIT(0);

struct imported {
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attachment;
	struct device *dev;
	struct sg_table *sgt;
	u64 mask; /* the device's own mask, to be restored; 0: unchanged */
	bool dynamic;
	bool moved; /* under dma_resv: the mapping is no longer valid */
	u32 moves;
};

static void import_moved(struct dma_buf_attachment *attachment)
{
	struct imported *im = attachment->importer_priv;

	im->moved = true;
	im->moves++;
}

static const struct dma_buf_attach_ops import_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = import_moved,
};

/* Until detached the device has DMA addresses of @bits bits. */
static int limit(struct imported *im, u32 bits)
{
	u64 mask = dma_get_mask(im->dev);
	int err;

	if (!bits)
		return 0;
	err = dma_set_mask(im->dev, DMA_BIT_MASK(bits));
	if (!err)
		im->mask = mask;
	return err;
}

static void unlimit(struct imported *im)
{
	if (im->mask)
		WARN_ON(dma_set_mask(im->dev, im->mask));
}

int dmabuf_attach(struct dmabuf_file *f, struct dmabuf_attach *arg)
{
	struct imported *im;
	int err;

	arg->device[sizeof(arg->device) - 1] = 0;
	im = kzalloc(sizeof(*im), GFP_KERNEL);
	if (!im)
		return -ENOMEM;
	im->dynamic = arg->dynamic;
	err = -ENXIO;
	im->dev = bus_find_device_by_name(&pci_bus_type, NULL, arg->device);
	if (!im->dev)
		goto err_free;
	err = limit(im, arg->bits);
	if (err)
		goto err_device;
	im->dmabuf = dma_buf_get(arg->fd);
	err = PTR_ERR_OR_ZERO(im->dmabuf);
	if (err)
		goto err_unlimit;
	im->attachment = im->dynamic ? dma_buf_dynamic_attach(im->dmabuf, im->dev, &import_ops, im)
				     : dma_buf_attach(im->dmabuf, im->dev);
	err = PTR_ERR_OR_ZERO(im->attachment);
	if (err)
		goto err_put;
	err = xa_alloc(&f->imports, &arg->id, im, XA_LIMIT(1, 100), GFP_KERNEL);
	if (err)
		goto err_detach;
	atomic_inc(&dmabuf_imports_alive);
	return 0;

err_detach:
	dma_buf_detach(im->dmabuf, im->attachment);
err_put:
	dma_buf_put(im->dmabuf);
err_unlimit:
	unlimit(im);
err_device:
	put_device(im->dev);
err_free:
	kfree(im);
	return err;
}

static void import_lock(struct imported *im)
{
	dma_resv_lock(im->dmabuf->resv, NULL);
}

static void import_unlock(struct imported *im)
{
	dma_resv_unlock(im->dmabuf->resv);
}

/* With the lock held if it is dynamic. */
static int map_now(struct imported *im)
{
	struct sg_table *sgt;

	sgt = im->dynamic ? dma_buf_map_attachment(im->attachment, DMA_BIDIRECTIONAL)
			  : dma_buf_map_attachment_unlocked(im->attachment, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	im->sgt = sgt;
	im->moved = false;
	return 0;
}

static void unmap_now(struct imported *im)
{
	if (!im->sgt)
		return;
	if (im->dynamic)
		dma_buf_unmap_attachment(im->attachment, im->sgt, DMA_BIDIRECTIONAL);
	else
		dma_buf_unmap_attachment_unlocked(im->attachment, im->sgt, DMA_BIDIRECTIONAL);
	im->sgt = NULL;
}

int dmabuf_map(struct dmabuf_file *f, struct dmabuf_import *arg)
{
	struct imported *im = xa_load(&f->imports, arg->id);
	int err;

	if (!im)
		return -ENOENT;
	if (im->sgt)
		return -EBUSY;
	if (im->dynamic)
		import_lock(im);
	err = map_now(im);
	if (im->dynamic)
		import_unlock(im);
	if (!err)
		arg->pieces = im->sgt->nents;
	return err;
}

static void unmap(struct imported *im)
{
	if (im->dynamic)
		import_lock(im);
	unmap_now(im);
	if (im->dynamic)
		import_unlock(im);
}

int dmabuf_unmap(struct dmabuf_file *f, struct dmabuf_import *arg)
{
	struct imported *im = xa_load(&f->imports, arg->id);

	if (!im)
		return -ENOENT;
	unmap(im);
	return 0;
}

int dmabuf_state(struct dmabuf_file *f, struct dmabuf_import *arg)
{
	struct imported *im = xa_load(&f->imports, arg->id);

	if (!im)
		return -ENOENT;
	import_lock(im);
	arg->moves = im->moves;
	arg->mapped = im->sgt != NULL;
	import_unlock(im);
	return 0;
}

static void drop(struct imported *im)
{
	unmap(im);
	dma_buf_detach(im->dmabuf, im->attachment);
	dma_buf_put(im->dmabuf);
	unlimit(im);
	put_device(im->dev);
	kfree(im);
	atomic_dec(&dmabuf_imports_alive);
}

int dmabuf_detach(struct dmabuf_file *f, struct dmabuf_import *arg)
{
	struct imported *im = xa_erase(&f->imports, arg->id);

	if (!im)
		return -ENOENT;
	drop(im);
	return 0;
}

void dmabuf_detach_all(struct dmabuf_file *f)
{
	struct imported *im;
	unsigned long id;

	xa_for_each(&f->imports, id, im)
		drop(im);
}

/* The memory that the device's access would reach. */
static void *as_device(struct imported *im, dma_addr_t bus)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(im->dev);
	phys_addr_t at = bus;

	if (domain && domain->type & __IOMMU_DOMAIN_PAGING)
		at = iommu_iova_to_phys(domain, bus);
	return at && pfn_valid(PHYS_PFN(at)) ? phys_to_virt(at) : NULL;
}

static int copy_piece(struct imported *im, struct dmabuf_copy *arg, dma_addr_t bus, u64 length)
{
	void __user *user = (void __user *)(uintptr_t)arg->memory;
	void *at;

	while (length) {
		u64 part = min_t(u64, length, PAGE_SIZE - offset_in_page(bus));

		at = as_device(im, bus);
		if (!at)
			return -EIO;
		if (arg->write ? copy_from_user(at, user, part) : copy_to_user(user, at, part))
			return -EFAULT;
		bus += part;
		user += part;
		arg->memory += part;
		length -= part;
	}
	return 0;
}

static int copy_all(struct imported *im, struct dmabuf_copy *arg)
{
	struct scatterlist *sg;
	u64 skip = arg->offset;
	unsigned int i;
	int err;

	for_each_sgtable_dma_sg(im->sgt, sg, i) {
		u64 part;

		if (skip >= sg_dma_len(sg)) {
			skip -= sg_dma_len(sg);
			continue;
		}
		part = min_t(u64, sg_dma_len(sg) - skip, arg->length);
		err = copy_piece(im, arg, sg_dma_address(sg) + skip, part);
		if (err)
			return err;
		arg->length -= part;
		skip = 0;
		if (!arg->length)
			return 0;
	}
	return -ERANGE;
}

/* A dynamic importer maps again after a move notification. */
int dmabuf_copy(struct dmabuf_file *f, struct dmabuf_copy *arg)
{
	struct imported *im = xa_load(&f->imports, arg->id);
	int err = 0;

	if (!im)
		return -ENOENT;
	if (!im->sgt)
		return -EINVAL;
	if (im->dynamic)
		import_lock(im);
	if (im->moved) {
		unmap_now(im);
		err = map_now(im);
	}
	if (im->dynamic)
		import_unlock(im);
	return err ?: copy_all(im, arg);
}
