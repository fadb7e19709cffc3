// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory of the driver's that the card fills and the reader sees.
 *
 * Ordinary pages of the card's node, in pieces as large as they come, each split into single pages
 * so that a mapping, direct I/O or RDMA can hold any of them. For the card they are one piece
 * behind an IOMMU, else a table of segments. Never unmapped while the card might still write: see
 * struct roc_held.
 */
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "stream/stream.h"

/* What the page allocator has in one piece on every kernel. */
#define ROC_PIECE_ORDER 10
/* Memory that is short is the caller's news, not the log's. */
#define ROC_RING_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN)
#define ROC_PAGES_MORE 4 /* of the reader, the kernel and the card, and behind the doorbell */
#define ROC_RING_ATTRS DMA_ATTR_SKIP_CPU_SYNC

static int roc_ring_charge(struct roc_stream_ring *ring, struct roc_st_ring *arg)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	s64 pinned = atomic64_add_return(ring->pages, &current->mm->pinned_vm);

	if (pinned > limit && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(ring->pages, &current->mm->pinned_vm);
		arg->why = ROC_WHY_MEMLOCK;
		arg->limit = rlimit(RLIMIT_MEMLOCK);
		arg->pinned = (u64)(pinned - ring->pages) << PAGE_SHIFT;
		return -ENOMEM;
	}
	ring->mm = current->mm;
	mmgrab(ring->mm);
	return 0;
}

static void roc_ring_uncharge(struct roc_stream_ring *ring)
{
	if (!ring->mm)
		return;
	atomic64_sub(ring->pages, &ring->mm->pinned_vm);
	mmdrop(ring->mm);
	ring->mm = NULL;
}

/* Of @order or less, but not less than @least: that one is worth some work to the allocator. */
static struct page *roc_ring_piece(int node, unsigned int *order, unsigned int least)
{
	for (;; (*order)--) {
		gfp_t gfp = *order > least ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
		struct page *page = alloc_pages_node(node, ROC_RING_GFP | __GFP_ZERO | gfp, *order);

		if (page || *order == least)
			return page;
	}
}

static void roc_free_pieces(struct list_head *pieces)
{
	struct page *page, *next;

	list_for_each_entry_safe (page, next, pieces, lru)
		__free_pages(page, page_private(page));
}

static int roc_alloc_pieces(struct list_head *pieces, unsigned int *count, int node,
			    unsigned long pages, unsigned int least)
{
	unsigned int order = min_t(unsigned int, ilog2(pages), ROC_PIECE_ORDER);

	for (*count = 0; pages; (*count)++) {
		struct page *page;

		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		page = roc_ring_piece(node, &order, least);
		if (!page)
			return -ENOMEM;
		set_page_private(page, order);
		list_add_tail(&page->lru, pieces);
		pages -= 1ul << order;
	}
	return 0;
}

/* From here on each page stands for itself. */
static int roc_list_pieces(struct roc_stream_ring *ring, struct list_head *pieces,
			   unsigned int count)
{
	struct page *page, *next;
	struct scatterlist *sg;
	int err;

	err = sg_alloc_table(&ring->sgt, count, ROC_RING_GFP);
	if (err)
		return err;
	sg = ring->sgt.sgl;
	list_for_each_entry_safe (page, next, pieces, lru) {
		unsigned int order = page_private(page);

		list_del(&page->lru);
		set_page_private(page, 0);
		if (order)
			split_page(page, order);
		sg_set_page(sg, page, PAGE_SIZE << order, 0);
		sg = sg_next(sg);
	}
	return 0;
}

static int roc_alloc_ring(struct roc_stream_ring *ring, int node, unsigned int least)
{
	unsigned int count;
	LIST_HEAD(pieces);
	int err;

	err = roc_alloc_pieces(&pieces, &count, node, (1ull << ring->log2) >> PAGE_SHIFT, least);
	if (!err)
		err = roc_list_pieces(ring, &pieces, count);
	roc_free_pieces(&pieces);
	return err;
}

static int roc_alloc_shared(struct roc_stream_ring *ring, int node)
{
	struct page **const each[ROC_PAGES_MORE] = {&ring->user_page, &ring->kernel_page,
						    &ring->card_page, &ring->bell_page};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(each); i++) {
		*each[i] = alloc_pages_node(node, ROC_RING_GFP | __GFP_ZERO, 0);
		if (!*each[i])
			return -ENOMEM;
	}
	return 0;
}

/* The last owner: neither card nor reader is left. */
static void roc_ring_free(struct roc_memory *memory)
{
	struct roc_stream_ring *ring = container_of(memory, struct roc_stream_ring, memory);
	struct scatterlist *sg;
	unsigned int i, page;

	for_each_sgtable_sg (&ring->sgt, sg, i) {
		for (page = 0; page < sg->length >> PAGE_SHIFT; page++)
			__free_page(sg_page(sg) + page);
		cond_resched();
	}
	sg_free_table(&ring->sgt);
	if (ring->user_page)
		__free_page(ring->user_page);
	if (ring->kernel_page)
		__free_page(ring->kernel_page);
	if (ring->card_page)
		__free_page(ring->card_page);
	if (ring->bell_page)
		__free_page(ring->bell_page);
	roc_ring_uncharge(ring);
	kfree(ring);
}

void roc_stream_ring_put(struct roc_stream_ring *ring)
{
	roc_memory_put(&ring->memory);
}

/*
 * The pages of a ring, on @node; the card takes no piece smaller than @least. May take long, so
 * nothing is held. The caller is the first owner.
 */
struct roc_stream_ring *roc_stream_ring_alloc(struct roc_st_ring *arg, int node, u64 least)
{
	unsigned int order = least > PAGE_SIZE ? ilog2(least) - PAGE_SHIFT : 0;
	struct roc_stream_ring *ring;
	int err;

	ring = kzalloc(sizeof(*ring), ROC_RING_GFP);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	roc_memory_init(&ring->memory, &ring->sgt, arg->length, roc_ring_free);
	ring->log2 = ilog2(arg->length);
	ring->pages = (arg->length >> PAGE_SHIFT) + ROC_PAGES_MORE;
	err = roc_ring_charge(ring, arg);
	if (!err)
		err = roc_alloc_shared(ring, node);
	if (!err)
		err = roc_alloc_ring(ring, node, order);
	if (err) {
		roc_stream_ring_put(ring);
		return ERR_PTR(err);
	}
	return ring;
}

static void roc_ring_unmap(struct roc_stream_ring *ring, struct roc_endpoint *ep)
{
	struct device *dev = &ep->pdev->dev;

	if (ring->mapped)
		dma_unmap_sgtable(dev, &ring->sgt, DMA_FROM_DEVICE, ROC_RING_ATTRS);
	if (ring->card_mapped)
		dma_unmap_page(dev, ring->card_bus, PAGE_SIZE, DMA_FROM_DEVICE);
	ring->mapped = false;
	ring->card_mapped = false;
}

static void roc_ring_free_table(struct roc_stream_ring *ring, struct roc_endpoint *ep)
{
	if (ring->table)
		dma_free_coherent(&ep->pdev->dev, ring->table_size, ring->table, ring->bus);
	ring->table = NULL;
}

/* The card writes no more: its part goes. */
static void roc_ring_release(struct roc_held *held, struct roc_endpoint *ep)
{
	struct roc_stream_ring *ring = container_of(held, struct roc_stream_ring, held);

	roc_ring_unmap(ring, ep);
	roc_ring_free_table(ring, ep);
	roc_stream_ring_put(ring);
}

/* The card may write for ever, so the pages and the table are nobody's from now on. */
static void roc_ring_abandon(struct roc_held *held, struct roc_endpoint *ep)
{
	struct roc_stream_ring *ring = container_of(held, struct roc_stream_ring, held);

	roc_ring_unmap(ring, ep);
	roc_ring_uncharge(ring);
}

/* The largest segments that the ring's pieces are made of; 0: the card's table has no room. */
static unsigned int roc_ring_segment(const struct roc_extents *ex, u32 log2, u32 segments_max)
{
	unsigned int segment;

	for (segment = log2; segment >= STREAM_SEGMENT_MIN; segment--)
		if (1ull << (log2 - segment) > segments_max ||
		    roc_extents_whole(ex, 1ull << segment))
			break;
	if (segment < STREAM_SEGMENT_MIN || 1ull << (log2 - segment) > segments_max)
		return 0;
	return segment;
}

static int roc_ring_make_table(struct roc_stream_ring *ring, struct roc_endpoint *ep,
			       const struct roc_extents *ex)
{
	u64 bus;
	u32 i;

	ring->segments = 1u << (ring->log2 - ring->segment);
	ring->table_size = PAGE_ALIGN(ring->segments * sizeof(*ring->table));
	ring->table = dma_alloc_coherent(&ep->pdev->dev, ring->table_size, &ring->bus,
					 GFP_KERNEL | __GFP_NOWARN);
	if (!ring->table)
		return -ENOMEM;
	for (i = 0; i < ring->segments; i++) {
		if (roc_extents_find(ex, (u64)i << ring->segment, 1ull << ring->segment, &bus))
			return -EIO;
		ring->table[i] = cpu_to_le64(bus);
	}
	return 0;
}

static int roc_ring_place(struct roc_stream_ring *ring, struct roc_channel *ch,
			  struct roc_st_ring *arg)
{
	struct roc_extents ex = {.room = ring->sgt.nents};
	struct scatterlist *sg;
	unsigned int i;
	int err = 0;

	ex.table = kvcalloc(ex.room, sizeof(*ex.table), ROC_RING_GFP);
	if (!ex.table)
		return -ENOMEM;
	for_each_sgtable_dma_sg (&ring->sgt, sg, i)
		roc_extents_append(&ex, sg_dma_address(sg), sg_dma_len(sg));
	ring->segments = 1;
	ring->bus = ex.table[0].bus;
	if (ex.count > 1) {
		ring->segment = roc_ring_segment(&ex, ring->log2, roc_stream(ch)->segments_max);
		if (ring->segment) {
			err = roc_ring_make_table(ring, ch->ep, &ex);
		} else {
			arg->why = ROC_WHY_CONTIGUITY;
			err = -EOPNOTSUPP;
		}
	}
	kvfree(ex.table);
	return err;
}

/*
 * Does the CPU see what the card writes? Nobody could copy, or clean caches, when the reader just
 * looks. Behind an IOMMU older kernels say that all memory needs a sync; whole pages are not copied
 * there.
 */
static bool roc_ring_plain(struct roc_endpoint *ep, dma_addr_t bus)
{
	struct device *dev = &ep->pdev->dev;

	return ep->translated ? dev_is_dma_coherent(dev) : !dma_need_sync(dev, bus);
}

static int roc_ring_map(struct roc_stream_ring *ring, struct roc_channel *ch,
			struct roc_st_ring *arg)
{
	struct device *dev = &ch->ep->pdev->dev;
	int err;

	err = dma_map_sgtable(dev, &ring->sgt, DMA_FROM_DEVICE, ROC_RING_ATTRS);
	if (err)
		return err;
	ring->mapped = true;
	ring->card_bus = dma_map_page(dev, ring->card_page, 0, PAGE_SIZE, DMA_FROM_DEVICE);
	if (dma_mapping_error(dev, ring->card_bus))
		return -ENOMEM;
	ring->card_mapped = true;
	if (!roc_ring_plain(ch->ep, sg_dma_address(ring->sgt.sgl)) ||
	    !roc_ring_plain(ch->ep, ring->card_bus)) {
		arg->why = ROC_WHY_BOUNCE;
		return -EOPNOTSUPP;
	}
	return roc_ring_place(ring, ch, arg);
}

/*
 * For the card, which is the second owner until roc_stream_ring_drop(). Inside the SRCU read side;
 * takes no lock.
 */
int roc_stream_ring_map(struct roc_channel *ch, struct roc_stream_ring *ring,
			struct roc_st_ring *arg)
{
	int err;

	err = roc_ring_map(ring, ch, arg);
	if (err) {
		roc_ring_free_table(ring, ch->ep);
		roc_ring_unmap(ring, ch->ep);
		return err;
	}
	ring->held.free = roc_ring_release;
	ring->held.abandon = roc_ring_abandon;
	roc_memory_get(&ring->memory);
	return 0;
}

/* The card's part: goes now, or when the channel is proved quiet. Channel lock held. */
void roc_stream_ring_drop(struct roc_channel *ch, struct roc_stream_ring *ring)
{
	if (ch->open->leak)
		roc_hold(ch, &ring->held);
	else
		roc_ring_release(&ring->held, ch->ep);
}
