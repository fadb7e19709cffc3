// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: user memory (memory.c) or a dma-buf (dmabuf_import.c), mapped for the card.
 *
 * A buffer is mapped once, and converted to an extent table. It is never freed while the card might
 * still write to it; see struct roc_deferred_free.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "core/memory.h"
#include "core/roc.h"
#include "core/trace.h"

#define ROC_BUFFERS_MAX 1024
/* Where a sync is needed, each superpage is synced when it goes to the card and when it returns. */
#define ROC_MAP_ATTRS DMA_ATTR_SKIP_CPU_SYNC
/* The caller gets the error if memory is short; a warning in the log would not help. */
#define ROC_TABLE_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

/*
 * Build the table of bus addresses of @sgt from @skip on. Return: -ERANGE if @sgt is shorter than
 * the buffer.
 */
static int roc_make_extents(struct roc_buffer *buf, const struct sg_table *sgt, u64 skip)
{
	u64 left = buf->length, length, before;
	struct scatterlist *sg;
	unsigned int i;

	buf->extents.capacity = sgt->nents;
	buf->extents.table =
		kvcalloc(buf->extents.capacity, sizeof(struct roc_extent), ROC_TABLE_GFP);
	if (!buf->extents.table)
		return -ENOMEM;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		before = min_t(u64, skip, sg_dma_len(sg));
		length = min_t(u64, left, sg_dma_len(sg) - before);
		if (length)
			roc_extents_append(&buf->extents, sg_dma_address(sg) + before, length);
		skip -= before;
		left -= length;
		cond_resched();
	}
	return left ? -ERANGE : 0;
}

/*
 * Build the table of physical addresses. Behind an IOMMU one extent of the card may consist of many
 * physical pieces, and cache maintenance works on physical addresses.
 */
static int roc_make_pieces(struct roc_buffer *buf)
{
	struct scatterlist *sg;
	unsigned int i;

	buf->pieces.capacity = buf->backing->pages->orig_nents;
	buf->pieces.table =
		kvcalloc(buf->pieces.capacity, sizeof(struct roc_extent), ROC_TABLE_GFP);
	if (!buf->pieces.table)
		return -ENOMEM;
	for_each_sgtable_sg(buf->backing->pages, sg, i) {
		roc_extents_append(&buf->pieces, sg_phys(sg), sg->length);
		cond_resched();
	}
	return 0;
}

/* Build the table of kernel addresses, for cards whose progress the kernel detects in memory. */
static int roc_make_memory(struct roc_buffer *buf)
{
	struct scatterlist *sg;
	unsigned int i;

	buf->memory.capacity = buf->backing->pages->orig_nents;
	buf->memory.table =
		kvcalloc(buf->memory.capacity, sizeof(struct roc_extent), ROC_TABLE_GFP);
	if (!buf->memory.table)
		return -ENOMEM;
	for_each_sgtable_sg(buf->backing->pages, sg, i) {
		if (PageHighMem(sg_page(sg))) {
			buf->memory.count = 0;
			break;
		}
		roc_extents_append(&buf->memory, (uintptr_t)sg_virt(sg), sg->length);
		cond_resched();
	}
	return 0;
}

/*
 * Would DMA into this memory go to a bounce buffer? The card would write there, and the data would
 * reach this memory only by a copy, which does not work for superpages.
 */
static bool roc_buffer_bounced(struct roc_endpoint *ep, struct roc_buffer *buf)
{
	unsigned int i;

	for (i = 0; i < buf->extents.count && !ep->translated; i++) {
		if (dma_need_sync(&ep->pdev->dev, buf->extents.table[i].bus))
			return true;
		cond_resched();
	}
	return false;
}

/* Can the card use the mapping? */
static int roc_buffer_check_mapping(struct roc_buffer *buf, struct roc_endpoint *ep,
				    struct roc_buf_register *arg)
{
	if (roc_buffer_bounced(ep, buf)) {
		arg->reason = ROC_REASON_BOUNCE;
		return -EOPNOTSUPP;
	}
	if (!roc_extents_whole(&buf->extents, arg->granule)) {
		arg->reason = ROC_REASON_CONTIGUITY;
		arg->limit = roc_extents_shortest(&buf->extents);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int roc_map(struct roc_buffer *buf, struct roc_endpoint *ep, struct roc_buf_register *arg)
{
	struct sg_table *pages = buf->backing->pages;
	struct device *dev = &ep->pdev->dev;
	int err;

	err = dma_map_sgtable(dev, pages, DMA_FROM_DEVICE, ROC_MAP_ATTRS);
	if (err)
		return err;
	buf->mapped = true;
	err = roc_make_extents(buf, pages, 0);
	if (!err)
		err = roc_buffer_check_mapping(buf, ep, arg);
	if (err)
		return err;
	buf->sync = dma_need_sync(dev, buf->extents.table[0].bus);
	if (buf->sync)
		return roc_make_pieces(buf);
	if (buf->kernel_access && ep->ordered)
		return roc_make_memory(buf);
	return 0;
}

static void roc_unmap(struct roc_buffer *buf, struct roc_endpoint *ep)
{
	if (buf->mapped)
		dma_unmap_sgtable(&ep->pdev->dev, buf->backing->pages, DMA_FROM_DEVICE,
				  ROC_MAP_ATTRS);
	buf->mapped = false;
}

/* Free everything except the memory. */
static void roc_buffer_free_tables(struct roc_buffer *buf)
{
	kvfree(buf->extents.table);
	kvfree(buf->memory.table);
	kvfree(buf->pieces.table);
	kfree(buf);
}

static void roc_buffer_free(struct roc_buffer *buf, struct roc_endpoint *ep)
{
	roc_unmap(buf, ep);
	roc_import_put(&buf->import);
	if (buf->backing)
		roc_memory_put(buf->backing);
	roc_buffer_free_tables(buf);
}

static void roc_buffer_free_deferred(struct roc_deferred_free *deferred, struct roc_endpoint *ep)
{
	roc_buffer_free(container_of(deferred, struct roc_buffer, deferred), ep);
}

/* The pages stay pinned until reboot. */
static void roc_buffer_abandon(struct roc_deferred_free *deferred, struct roc_endpoint *ep)
{
	struct roc_buffer *buf = container_of(deferred, struct roc_buffer, deferred);

	roc_unmap(buf, ep);
	roc_import_abandon(&buf->import);
	roc_buffer_free_tables(buf);
}

static struct roc_buffer *roc_buffer_new(bool kernel_access)
{
	struct roc_buffer *buf = kzalloc(sizeof(*buf), GFP_KERNEL_ACCOUNT);

	if (!buf)
		return NULL;
	buf->deferred.free = roc_buffer_free_deferred;
	buf->deferred.abandon = roc_buffer_abandon;
	buf->kernel_access = kernel_access;
	return buf;
}

/* Sync a piece that goes to the card or returns; only for a buffer with @sync. */
void roc_buffer_sync(struct roc_endpoint *ep, const struct roc_buffer *buf, u64 offset, u64 length,
		     u64 bus, bool to_card)
{
	struct device *dev = &ep->pdev->dev;
	u64 at, run;

	for (at = 0; at < length; at += run) {
		run = min(roc_extents_run(&buf->pieces, offset + at), length - at);
		if (to_card)
			dma_sync_single_for_device(dev, bus + at, run, DMA_FROM_DEVICE);
		else
			dma_sync_single_for_cpu(dev, bus + at, run, DMA_FROM_DEVICE);
		cond_resched();
	}
}

static int roc_check_request(struct roc_endpoint *ep, struct roc_buf_register *arg,
			     bool *kernel_access)
{
	u64 end;
	int err;

	err = ep->ops->channel_type->check_buffer(ep, arg, kernel_access);
	if (err)
		return err;
	if (!arg->length || !PAGE_ALIGNED(arg->addr) || !PAGE_ALIGNED(arg->length))
		return -EINVAL;
	if (check_add_overflow(arg->addr, arg->length, &end) || arg->length >> PAGE_SHIFT > INT_MAX)
		return -EOVERFLOW;
	if (dma_addressing_limited(&ep->pdev->dev)) {
		arg->reason = ROC_REASON_DMA_MASK;
		return -EOPNOTSUPP;
	}
	/* The limit is finite exactly if the kernel may bounce DMA of this device. */
	if (dma_max_mapping_size(&ep->pdev->dev) < arg->length) {
		arg->reason = ROC_REASON_BOUNCE;
		arg->limit = dma_max_mapping_size(&ep->pdev->dev);
		return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * List the buffer under a handle of this open channel, unless the channel runs by now. Users cannot
 * find it until the handle is copied to the caller; removal and reset can.
 */
static int roc_buffer_add(struct roc_open *o, struct roc_buffer *buf, u32 *handle)
{
	struct roc_channel *ch = o->ch;
	int err;

	err = roc_open_lock(o);
	if (err)
		return err;
	if (ch->state == ROC_CH_RUNNING) {
		err = -EBUSY;
	} else {
		err = xa_alloc(&o->buffers, handle, NULL, XA_LIMIT(1, ROC_BUFFERS_MAX),
			       GFP_KERNEL_ACCOUNT);
		err = err == -EBUSY ? -ENOSPC : err;
	}
	if (!err) {
		buf->handle = *handle;
		list_add(&buf->node, &o->uncommitted);
	}
	mutex_unlock(&ch->lock);
	return err;
}

/* Map the buffer and list it. Inside the SRCU read side; no lock is held while mapping. */
static int roc_buffer_bind(struct roc_open *o, struct roc_buffer *buf, struct roc_buf_register *arg)
{
	struct roc_endpoint *ep = o->ch->ep;
	int err;

	err = roc_map(buf, ep, arg);
	if (!err)
		err = roc_buffer_add(o, buf, &arg->handle);
	if (err) {
		roc_unmap(buf, ep);
		return err;
	}
	arg->extents = buf->extents.count;
	trace_roc_buffer(o->ch, arg->handle, arg->length, arg->extents);
	return 0;
}

/*
 * The memory is pinned outside the SRCU read side. If the card goes away meanwhile, it is unpinned;
 * once it is mapped and listed, removal and reset release it.
 */
int roc_buffer_register(struct roc_open *o, struct roc_buf_register *arg)
{
	struct roc_endpoint *ep = o->ch->ep;
	unsigned int max_segment;
	struct roc_buffer *buf;
	bool kernel_access = false;
	int err, idx;

	if (!o->ch->type->check_buffer)
		return -EOPNOTSUPP;
	/* Otherwise each child of a fork would have its own limit for the same channel. */
	if (current->mm != o->mm) {
		arg->reason = ROC_REASON_OWNER;
		return -EPERM;
	}
	if (!roc_enter(ep, o->epoch, &idx))
		return -ENODEV;
	err = READ_ONCE(o->ch->state) == ROC_CH_RUNNING
		      ? -EBUSY
		      : roc_check_request(ep, arg, &kernel_access);
	max_segment = dma_get_max_seg_size(&ep->pdev->dev);
	roc_leave(ep, idx);
	if (err)
		return err;
	buf = roc_buffer_new(kernel_access);
	if (!buf)
		return -ENOMEM;
	buf->length = arg->length;
	buf->backing = roc_pin(arg, max_segment);
	if (IS_ERR(buf->backing)) {
		err = PTR_ERR(buf->backing);
		goto err_forget;
	}
	roc_point(ep, ROC_POINT_REGISTER);
	err = -ENODEV;
	if (!roc_enter(ep, o->epoch, &idx))
		goto err_unpin;
	err = roc_buffer_bind(o, buf, arg);
	roc_leave(ep, idx);
	if (err)
		goto err_unpin;
	return 0;

err_unpin:
	roc_memory_put(buf->backing);
err_forget:
	roc_buffer_free_tables(buf);
	return err;
}

/*
 * Map an imported dma-buf and list it; @as holds the arguments and results of an equivalent
 * registration. Inside the SRCU read side.
 */
static int roc_buffer_bind_import(struct roc_open *o, struct roc_buffer *buf,
				  struct roc_buf_import *arg, struct roc_buf_register *as)
{
	struct roc_endpoint *ep = o->ch->ep;
	bool kernel_access;
	int err;

	/* kernel_access is ignored: the kernel does not read memory of other drivers. */
	err = READ_ONCE(o->ch->state) == ROC_CH_RUNNING ? -EBUSY
							: roc_check_request(ep, as, &kernel_access);
	if (err)
		return err;
	err = roc_import_map(&buf->import, ep, &as->reason, &arg->error);
	if (err)
		return err;
	err = roc_make_extents(buf, buf->import.sgt, arg->offset);
	if (err == -ERANGE) {
		as->reason = ROC_REASON_EXPORTER;
		return -EOPNOTSUPP;
	}
	if (!err)
		err = roc_buffer_check_mapping(buf, ep, as);
	if (err)
		return err;
	roc_point(ep, ROC_POINT_IMPORT);
	err = roc_buffer_add(o, buf, &as->handle);
	if (!err)
		trace_roc_buffer(o->ch, as->handle, as->length, buf->extents.count);
	return err;
}

/* Check and complete the length of a piece of a dma-buf of @size bytes; 0 means up to its end. */
static int roc_import_length(u64 size, u64 offset, u64 *length)
{
	if (!PAGE_ALIGNED(offset) || !PAGE_ALIGNED(*length))
		return -EINVAL;
	if (offset >= size || *length > size - offset)
		return -ERANGE;
	if (!*length)
		*length = size - offset;
	return 0;
}

int roc_buffer_import(struct roc_open *o, struct roc_buf_import *arg)
{
	struct roc_buf_register as = {.granule = arg->granule};
	struct roc_endpoint *ep = o->ch->ep;
	struct roc_buffer *buf;
	int err, idx;
	u64 size;

	if (roc_stale(o))
		return -ENODEV; /* before any error about the descriptor */
	if (!o->ch->type->check_buffer)
		return -EOPNOTSUPP;
	buf = roc_buffer_new(false);
	if (!buf)
		return -ENOMEM;
	err = roc_import_get(&buf->import, arg->fd, &size);
	if (err)
		goto err_forget;
	err = roc_import_length(size, arg->offset, &arg->length);
	if (err)
		goto err_put;
	buf->length = arg->length;
	as.length = arg->length;
	err = -ENODEV;
	if (!roc_enter(ep, o->epoch, &idx))
		goto err_put;
	err = roc_buffer_bind_import(o, buf, arg, &as);
	if (err)
		roc_import_put(&buf->import); /* needs the device, so inside the read side */
	else
		arg->extents = buf->extents.count;
	roc_leave(ep, idx);
	arg->handle = as.handle;
	arg->reason = as.reason;
	arg->limit = as.limit;
	if (err)
		goto err_forget;
	return 0;

err_put:
	roc_import_put(&buf->import);
err_forget:
	roc_buffer_free_tables(buf);
	return err;
}

/* Memory behind @handle; 0 is the memory that the channel type allocated. */
static struct roc_memory *roc_buffer_memory(struct roc_open *o, u32 handle)
{
	struct roc_buffer *buf;

	if (!handle && o->ch->type->export_memory)
		return o->ch->type->export_memory(o);
	buf = xa_load(&o->buffers, handle);
	if (!buf)
		return ERR_PTR(-ENOENT);
	return buf->backing ?: ERR_PTR(-EOPNOTSUPP);
}

/* The caller drops the reference with roc_memory_export_put(). */
static struct roc_memory *roc_buffer_export_get(struct roc_open *o, struct roc_buf_export *arg)
{
	struct roc_memory *memory = roc_buffer_memory(o, arg->handle);
	int err;

	lockdep_assert_held(&o->ch->lock);
	if (IS_ERR(memory))
		return memory;
	err = roc_memory_export_get(memory, arg);
	return err ? ERR_PTR(err) : memory;
}

/* Context: inside the SRCU read side. */
int roc_buffer_export(struct roc_open *o, struct roc_buf_export *arg)
{
	struct roc_channel *ch = o->ch;
	struct roc_memory *memory;
	int err;

	/* Otherwise a process with a copy of the descriptor could export memory of the opener. */
	if (current->mm != o->mm) {
		arg->reason = ROC_REASON_OWNER;
		return -EPERM;
	}
	err = roc_open_lock(o);
	if (err)
		return err;
	memory = roc_buffer_export_get(o, arg);
	mutex_unlock(&ch->lock);
	if (IS_ERR(memory))
		return PTR_ERR(memory);
	err = roc_export(ch->ep, memory, arg->flags, &arg->fd);
	if (err)
		roc_memory_export_put(memory);
	return err;
}

static struct roc_buffer *roc_buffer_take_uncommitted(struct roc_open *o, u32 handle)
{
	struct roc_buffer *buf;

	lockdep_assert_held(&o->ch->lock);
	list_for_each_entry(buf, &o->uncommitted, node) {
		if (buf->handle == handle) {
			list_del(&buf->node);
			return buf;
		}
	}
	return NULL;
}

/* Make the buffer usable if the handle was @copied to the caller, else undo the registration. */
void roc_buffer_commit(struct roc_open *o, u32 handle, bool copied)
{
	struct roc_channel *ch = o->ch;
	struct roc_buffer *buf;
	int idx;

	if (!roc_enter(ch->ep, o->epoch, &idx))
		return; /* removal releases the buffer */
	mutex_lock(&ch->lock);
	buf = roc_buffer_take_uncommitted(o, handle);
	if (buf && copied) {
		/* xa_alloc() reserved the entry, so this does not allocate. */
		xa_store(&o->buffers, handle, buf, 0);
		buf = NULL;
	} else if (buf) {
		xa_erase(&o->buffers, handle);
	}
	mutex_unlock(&ch->lock);
	if (buf)
		roc_buffer_free(buf, ch->ep);
	roc_leave(ch->ep, idx);
}

/*
 * Remove a buffer from the open channel. Return: the buffer, for the caller to free; NULL if the
 * card may still write to it, and the free is deferred.
 */
static struct roc_buffer *roc_buffer_remove(struct roc_open *o, u32 handle)
{
	struct roc_buffer *buf = xa_load(&o->buffers, handle);

	if (!buf)
		return ERR_PTR(-ENOENT);
	xa_erase(&o->buffers, handle);
	if (!o->defer_free)
		return buf;
	roc_defer_free(o->ch, &buf->deferred);
	return NULL;
}

/* Context: inside the SRCU read side. */
int roc_buffer_unregister(struct roc_open *o, u32 handle)
{
	struct roc_channel *ch = o->ch;
	struct roc_buffer *buf;
	int err;

	err = roc_open_lock(o);
	if (err)
		return err;
	buf = ch->state == ROC_CH_RUNNING ? ERR_PTR(-EBUSY) : roc_buffer_remove(o, handle);
	mutex_unlock(&ch->lock);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	if (buf)
		roc_buffer_free(buf, ch->ep);
	return 0;
}

void roc_buffer_drop_all(struct roc_open *o)
{
	struct roc_buffer *buf, *next, *taken;
	unsigned long handle;

	/* The card never got an address of an uncommitted buffer. */
	list_for_each_entry_safe(buf, next, &o->uncommitted, node) {
		list_del(&buf->node);
		roc_buffer_free(buf, o->ch->ep);
	}
	xa_for_each(&o->buffers, handle, buf) {
		taken = roc_buffer_remove(o, handle);
		if (!IS_ERR_OR_NULL(taken))
			roc_buffer_free(taken, o->ch->ep);
	}
}
