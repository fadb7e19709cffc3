// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory of the driver that the card fills and the reader maps. Behind an IOMMU the card
 * sees one contiguous range, else a table of segments.
 */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "stream/stream.h"

/* User space maps the ring twice, back to back, so that every unit is contiguous. */
static const struct roc_view roc_stream_views[] = {
	{.cookie = ROC_RING_COOKIE, .count = 2, .area = {ROC_AREA_RING, ROC_AREA_RING}},
	{.cookie = ROC_CONTROL_COOKIE,
	 .readonly = true,
	 .count = 2,
	 .area = {ROC_AREA_KERNEL, ROC_AREA_CARD}},
	{.cookie = ROC_READER_COOKIE, .count = 1, .area = {ROC_AREA_USER}},
};

/*
 * Allocate the pages of a ring on @node, in pieces of at least @least bytes, as the card requires.
 */
struct roc_stream_ring *roc_stream_ring_alloc(const struct roc_stream *st, struct roc_st_ring *arg,
					      int node, u64 least)
{
	struct roc_stream_ring *ring = roc_shared_new(sizeof(*ring), ROC_AREA_RING);
	struct roc_area *area;
	int err;

	BUILD_BUG_ON(offsetof(struct roc_stream_ring, shared));
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->log2 = ilog2(arg->length);
	ring->shared.view = roc_stream_views;
	ring->shared.views = ARRAY_SIZE(roc_stream_views);
	ring->shared.doorbell = st->doorbell;
	area = ring->shared.area;
	area[ROC_AREA_RING] = (struct roc_area){
		.pages = arg->length >> PAGE_SHIFT,
		.least = least >> PAGE_SHIFT,
		.direction = DMA_FROM_DEVICE,
	};
	area[ROC_AREA_CARD] =
		(struct roc_area){.pages = 1, .direction = DMA_FROM_DEVICE, .kernel_access = true};
	err = roc_shared_alloc(&ring->shared, node, &arg->reason, &arg->limit, &arg->pinned);
	if (err) {
		roc_shared_put(&ring->shared);
		return ERR_PTR(err);
	}
	return ring;
}

/*
 * Return log2 of the largest segments into which the pieces of the ring can be divided; 0: they
 * would be too many for the card's table.
 */
static unsigned int roc_stream_ring_segment(const struct roc_extents *ex, u32 log2,
					    u32 segments_max)
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

static int roc_stream_ring_fill_table(struct roc_stream_ring *ring, struct roc_endpoint *ep,
				      const struct roc_extents *ex)
{
	u64 bus;
	u32 i;

	ring->segments = 1u << (ring->log2 - ring->segment);
	if (roc_shared_table(&ring->shared, ep, ring->segments))
		return -ENOMEM;
	ring->bus = ring->shared.table_bus;
	for (i = 0; i < ring->segments; i++) {
		if (roc_extents_find(ex, (u64)i << ring->segment, 1ull << ring->segment, &bus))
			return -EIO;
		ring->shared.table[i] = cpu_to_le64(bus);
		cond_resched();
	}
	return 0;
}

static int roc_stream_ring_place(struct roc_stream_ring *ring, struct roc_channel *ch,
				 struct roc_st_ring *arg)
{
	struct sg_table *sgt = &ring->shared.area[ROC_AREA_RING].sgt;
	struct roc_extents ex = {.capacity = sgt->nents};
	struct scatterlist *sg;
	unsigned int i;
	int err = 0;

	ex.table = kvcalloc(ex.capacity, sizeof(*ex.table), ROC_PAGES_GFP);
	if (!ex.table)
		return -ENOMEM;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		roc_extents_append(&ex, sg_dma_address(sg), sg_dma_len(sg));
		cond_resched();
	}
	ring->segments = 1;
	ring->bus = ex.table[0].bus;
	if (ex.count > 1) {
		ring->segment =
			roc_stream_ring_segment(&ex, ring->log2, roc_stream(ch)->segments_max);
		if (ring->segment) {
			err = roc_stream_ring_fill_table(ring, ch->ep, &ex);
		} else {
			arg->reason = ROC_REASON_CONTIGUITY;
			err = -EOPNOTSUPP;
		}
	}
	kvfree(ex.table);
	return err;
}

/* Map the ring for the card: callback of roc_shared_attach(). */
int roc_stream_ring_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data)
{
	struct roc_stream_ring *ring = container_of(shared, struct roc_stream_ring, shared);
	struct roc_st_ring *arg = data;
	int err;

	err = roc_shared_map(ch, shared, &arg->reason);
	if (err)
		return err;
	err = roc_stream_ring_place(ring, ch, arg);
	if (err)
		roc_shared_release(shared, ch->ep);
	return err;
}
