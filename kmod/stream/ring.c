// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory of the driver's that the card fills and the reader sees.
 *
 * Pages as core/memory.h has them, of the card's node. For the card they are one piece behind an
 * IOMMU, else a table of segments. Never unmapped while the card might still write: see struct
 * roc_held.
 */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "stream/stream.h"

#define ROC_PAGES_MORE 4 /* of the reader, the kernel and the card, and behind the doorbell */

static int roc_alloc_shared(struct roc_stream_ring *ring, int node)
{
	struct page **const each[ROC_PAGES_MORE] = {&ring->user_page, &ring->kernel_page,
						    &ring->card_page, &ring->bell.idle};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(each); i++) {
		*each[i] = alloc_pages_node(node, ROC_PAGES_GFP | __GFP_ZERO, 0);
		if (!*each[i])
			return -ENOMEM;
	}
	return 0;
}

/* The last owner: neither card nor reader is left. */
static void roc_ring_free(struct roc_memory *memory)
{
	struct roc_stream_ring *ring = container_of(memory, struct roc_stream_ring, memory);

	roc_pages_free(&ring->sgt);
	if (ring->user_page)
		__free_page(ring->user_page);
	if (ring->kernel_page)
		__free_page(ring->kernel_page);
	if (ring->card_page)
		__free_page(ring->card_page);
	if (ring->bell.idle)
		__free_page(ring->bell.idle);
	roc_uncharge(&ring->charge);
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
	unsigned long pages = arg->length >> PAGE_SHIFT;
	struct roc_stream_ring *ring;
	int err;

	ring = kzalloc(sizeof(*ring), ROC_PAGES_GFP);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	roc_memory_init(&ring->memory, &ring->sgt, arg->length, roc_ring_free);
	ring->log2 = ilog2(arg->length);
	err = roc_charge(&ring->charge, current->mm, pages + ROC_PAGES_MORE, &arg->why, &arg->limit,
			 &arg->pinned);
	if (!err)
		err = roc_alloc_shared(ring, node);
	if (!err)
		err = roc_pages_alloc(&ring->sgt, pages, node, max_t(u64, least >> PAGE_SHIFT, 1));
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
		dma_unmap_sgtable(dev, &ring->sgt, DMA_FROM_DEVICE, ROC_PAGES_ATTRS);
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
	roc_uncharge(&ring->charge);
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
		cond_resched();
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

	ex.table = kvcalloc(ex.room, sizeof(*ex.table), ROC_PAGES_GFP);
	if (!ex.table)
		return -ENOMEM;
	for_each_sgtable_dma_sg (&ring->sgt, sg, i) {
		roc_extents_append(&ex, sg_dma_address(sg), sg_dma_len(sg));
		cond_resched();
	}
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

static int roc_ring_map(struct roc_stream_ring *ring, struct roc_channel *ch,
			struct roc_st_ring *arg)
{
	struct device *dev = &ch->ep->pdev->dev;
	int err;

	err = dma_map_sgtable(dev, &ring->sgt, DMA_FROM_DEVICE, ROC_PAGES_ATTRS);
	if (err)
		return err;
	ring->mapped = true;
	ring->card_bus = dma_map_page(dev, ring->card_page, 0, PAGE_SIZE, DMA_FROM_DEVICE);
	if (dma_mapping_error(dev, ring->card_bus))
		return -ENOMEM;
	ring->card_mapped = true;
	if (!roc_pages_plain(ch->ep, sg_dma_address(ring->sgt.sgl)) ||
	    !roc_pages_plain(ch->ep, ring->card_bus)) {
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
	ring->bell.bar = roc_stream(ch)->bell_bar;
	ring->bell.offset = roc_stream(ch)->bell;
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
