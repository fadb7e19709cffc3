// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory of the driver's, two that the card writes and two that the reader writes and the
 * card only reads.
 *
 * Pages as core/memory.h has them, of the card's node, each ring one piece for the card: by the
 * IOMMU, or because it is. Never unmapped while the card might still be at work: see struct
 * roc_held.
 */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "fragment/fragment.h"

#define ROC_PAGES_MORE 3 /* of the reader, the kernel, and behind the doorbell */

static const size_t roc_ring_entry[ROC_RINGS] = {
	[ROC_RING_DATA] = sizeof(struct fragment_descriptor),
	[ROC_RING_DONE] = sizeof(struct fragment_completion),
	[ROC_RING_FREE] = sizeof(__le32),
	[ROC_RING_COMMAND] = sizeof(struct fragment_command),
};

static enum dma_data_direction roc_ring_direction(enum roc_fragment_ring ring)
{
	return ring == ROC_RING_DATA || ring == ROC_RING_DONE ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

/* Bytes of the rings before @ring in the area that it is mapped in, behind the page of that. */
u64 roc_sub_rings_before(const struct roc_sub_rings *rings, enum roc_fragment_ring ring)
{
	switch (ring) {
	case ROC_RING_DONE:
	case ROC_RING_COMMAND:
		return PAGE_SIZE + rings->ring[ring - 1].bytes;
	default:
		return PAGE_SIZE;
	}
}

/* The last owner: neither card nor reader is left. */
static void roc_sub_rings_free(struct kref *refs)
{
	struct roc_sub_rings *rings = container_of(refs, struct roc_sub_rings, refs);
	unsigned int i;

	for (i = 0; i < ROC_RINGS; i++) {
		vunmap(rings->ring[i].cpu);
		roc_pages_free(&rings->ring[i].sgt);
	}
	if (rings->user_page)
		__free_page(rings->user_page);
	if (rings->kernel_page)
		__free_page(rings->kernel_page);
	if (rings->bell.idle)
		__free_page(rings->bell.idle);
	roc_uncharge(&rings->charge);
	kfree(rings);
}

void roc_sub_rings_put(struct roc_sub_rings *rings)
{
	kref_put(&rings->refs, roc_sub_rings_free);
}

/* One piece for the kernel, however it lies in memory. */
static int roc_ring_see(struct roc_ring_memory *ring)
{
	unsigned long count = ring->bytes >> PAGE_SHIFT, n = 0, i;
	struct scatterlist *sg;
	struct page **pages;
	unsigned int s;

	pages = kvmalloc_array(count, sizeof(*pages), ROC_PAGES_GFP);
	if (!pages)
		return -ENOMEM;
	for_each_sgtable_sg (&ring->sgt, sg, s) {
		for (i = 0; i < sg->length >> PAGE_SHIFT; i++)
			pages[n++] = sg_page(sg) + i;
		cond_resched();
	}
	ring->cpu = vmap(pages, n, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return ring->cpu ? 0 : -ENOMEM;
}

static int roc_ring_alloc(struct roc_ring_memory *ring, int node, bool whole, bool seen)
{
	unsigned long pages = ring->bytes >> PAGE_SHIFT;
	int err;

	err = roc_pages_alloc(&ring->sgt, pages, node, whole ? pages : 1);
	if (!err && seen)
		err = roc_ring_see(ring);
	return err;
}

static int roc_sub_rings_alloc_pages(struct roc_sub_rings *rings, int node)
{
	struct page **const each[ROC_PAGES_MORE] = {&rings->user_page, &rings->kernel_page,
						    &rings->bell.idle};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(each); i++) {
		*each[i] = alloc_pages_node(node, ROC_PAGES_GFP | __GFP_ZERO, 0);
		if (!*each[i])
			return -ENOMEM;
	}
	return 0;
}

/* @arg was checked. */
static unsigned long roc_sub_rings_size(struct roc_sub_rings *rings, const struct roc_fr_rings *arg)
{
	unsigned long pages = ROC_PAGES_MORE;
	unsigned int i;

	rings->page_log2 = ilog2(arg->page_size);
	rings->host_page_log2 = ilog2(arg->host_page_size);
	rings->pages = arg->pages;
	rings->ring[ROC_RING_DATA].log2 = ilog2(arg->descriptors);
	rings->ring[ROC_RING_FREE].log2 = ilog2(arg->frees);
	rings->ring[ROC_RING_DONE].log2 = ilog2(arg->commands);
	rings->ring[ROC_RING_COMMAND].log2 = ilog2(arg->commands);
	for (i = 0; i < ROC_RINGS; i++) {
		struct roc_ring_memory *ring = &rings->ring[i];

		ring->bytes = PAGE_ALIGN(roc_ring_entry[i] << ring->log2);
		pages += ring->bytes >> PAGE_SHIFT;
	}
	return pages;
}

/*
 * On @node; @whole: in one piece each. May take long, so nothing is held. The caller is the first
 * owner.
 */
struct roc_sub_rings *roc_sub_rings_alloc(const struct roc_sub *sub, struct roc_fr_rings *arg,
					  int node, bool whole)
{
	struct roc_sub_rings *rings;
	unsigned int i;
	int err;

	rings = kzalloc(sizeof(*rings), ROC_PAGES_GFP);
	if (!rings)
		return ERR_PTR(-ENOMEM);
	kref_init(&rings->refs);
	rings->bell = sub->bell;
	err = roc_charge(&rings->charge, current->mm, roc_sub_rings_size(rings, arg), &arg->why,
			 &arg->limit, &arg->pinned);
	if (!err)
		err = roc_sub_rings_alloc_pages(rings, node);
	for (i = 0; i < ROC_RINGS && !err; i++)
		err = roc_ring_alloc(&rings->ring[i], node, whole,
				     roc_ring_direction(i) == DMA_FROM_DEVICE);
	if (err) {
		roc_sub_rings_put(rings);
		return ERR_PTR(err);
	}
	return rings;
}

static void roc_sub_rings_unmap(struct roc_sub_rings *rings, struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ROC_RINGS; i++) {
		struct roc_ring_memory *ring = &rings->ring[i];

		if (ring->mapped)
			dma_unmap_sgtable(&ep->pdev->dev, &ring->sgt, roc_ring_direction(i),
					  ROC_PAGES_ATTRS);
		ring->mapped = false;
	}
}

/* The card is not at work any more: its part goes. */
static void roc_sub_rings_release(struct roc_held *held, struct roc_endpoint *ep)
{
	struct roc_sub_rings *rings = container_of(held, struct roc_sub_rings, held);

	roc_sub_rings_unmap(rings, ep);
	roc_table_free(rings, ep);
	roc_sub_rings_put(rings);
}

/* The card may write for ever, so the pages and the table are nobody's from now on. */
static void roc_sub_rings_abandon(struct roc_held *held, struct roc_endpoint *ep)
{
	struct roc_sub_rings *rings = container_of(held, struct roc_sub_rings, held);

	roc_sub_rings_unmap(rings, ep);
	roc_uncharge(&rings->table_charge);
	roc_uncharge(&rings->charge);
}

static int roc_ring_map(struct roc_ring_memory *ring, struct roc_endpoint *ep,
			enum dma_data_direction direction, struct roc_fr_rings *arg)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 end;
	int err;

	err = dma_map_sgtable(&ep->pdev->dev, &ring->sgt, direction, ROC_PAGES_ATTRS);
	if (err)
		return err;
	ring->mapped = true;
	ring->bus = sg_dma_address(ring->sgt.sgl);
	if (!roc_pages_plain(ep, ring->bus)) {
		arg->why = ROC_WHY_BOUNCE;
		return -EOPNOTSUPP;
	}
	end = ring->bus;
	for_each_sgtable_dma_sg (&ring->sgt, sg, i) {
		if (sg_dma_address(sg) != end) {
			arg->why = ROC_WHY_CONTIGUITY;
			return -EOPNOTSUPP;
		}
		end += sg_dma_len(sg);
		cond_resched();
	}
	return 0;
}

/*
 * For the card, which is the second owner until roc_sub_rings_drop(). Inside the SRCU read side;
 * takes no lock.
 */
int roc_sub_rings_map(struct roc_channel *ch, struct roc_sub_rings *rings, struct roc_fr_rings *arg)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ROC_RINGS && !err; i++)
		err = roc_ring_map(&rings->ring[i], ch->ep, roc_ring_direction(i), arg);
	if (err) {
		roc_sub_rings_unmap(rings, ch->ep);
		return err;
	}
	rings->held.free = roc_sub_rings_release;
	rings->held.abandon = roc_sub_rings_abandon;
	kref_get(&rings->refs);
	return 0;
}

/* The card's part: goes now, or when the channel is proved quiet. Channel lock held. */
void roc_sub_rings_drop(struct roc_channel *ch, struct roc_sub_rings *rings)
{
	if (ch->open->leak)
		roc_hold(ch, &rings->held);
	else
		roc_sub_rings_release(&rings->held, ch->ep);
}

/* As a run finds them: no entry of the card's is there. The card is quiet; channel lock held. */
void roc_sub_rings_clear(struct roc_sub_rings *rings)
{
	memset(rings->ring[ROC_RING_DATA].cpu, 0, rings->ring[ROC_RING_DATA].bytes);
	memset(rings->ring[ROC_RING_DONE].cpu, 0, rings->ring[ROC_RING_DONE].bytes);
}
