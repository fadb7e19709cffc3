// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory of the driver. The card writes two of them; the reader writes the other two, and
 * the card reads them. Each is contiguous for the card, by the IOMMU or by its allocation.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "fragment/fragment.h"

static const size_t roc_sub_ring_entry_size[ROC_RINGS] = {
	[ROC_RING_DATA] = sizeof(struct fragment_descriptor),
	[ROC_RING_DONE] = sizeof(struct fragment_completion),
	[ROC_RING_FREE] = sizeof(__le32),
	[ROC_RING_COMMAND] = sizeof(struct fragment_command),
};

static const struct roc_view roc_fragment_views[] = {
	[ROC_VIEW_KERNEL] = {.cookie = ROC_FRAGMENT_KERNEL_COOKIE,
			     .readonly = true,
			     .count = 3,
			     .area = {ROC_AREA_KERNEL, ROC_RING_DATA, ROC_RING_DONE}},
	[ROC_VIEW_USER] = {.cookie = ROC_FRAGMENT_USER_COOKIE,
			   .count = 3,
			   .area = {ROC_AREA_USER, ROC_RING_FREE, ROC_RING_COMMAND}},
};

/* Describe the areas from the checked @arg. @whole: each ring needs contiguous memory. */
static void roc_sub_rings_areas(struct roc_sub_rings *rings, const struct roc_fr_rings *arg,
				bool whole)
{
	struct roc_area *area = rings->shared.area;
	unsigned int i;

	rings->page_log2 = ilog2(arg->page_size);
	rings->host_page_log2 = ilog2(arg->host_page_size);
	rings->pages = arg->pages;
	rings->log2[ROC_RING_DATA] = ilog2(arg->descriptors);
	rings->log2[ROC_RING_FREE] = ilog2(arg->frees);
	rings->log2[ROC_RING_DONE] = ilog2(arg->commands);
	rings->log2[ROC_RING_COMMAND] = ilog2(arg->commands);
	for (i = 0; i < ROC_RINGS; i++) {
		unsigned long pages =
			PAGE_ALIGN(roc_sub_ring_entry_size[i] << rings->log2[i]) >> PAGE_SHIFT;
		bool written = i == ROC_RING_DATA || i == ROC_RING_DONE;

		area[i] = (struct roc_area){
			.pages = pages,
			.least = whole ? pages : 1,
			.direction = written ? DMA_FROM_DEVICE : DMA_TO_DEVICE,
			.contiguous = true,
			.kernel_access = written,
		};
	}
}

/* Allocate the rings on @node; @whole: each in contiguous memory. */
struct roc_sub_rings *roc_sub_rings_alloc(const struct roc_sub *sub, struct roc_fr_rings *arg,
					  int node, bool whole)
{
	struct roc_sub_rings *rings = roc_shared_new(sizeof(*rings), ROC_RING_DATA);
	int err;

	BUILD_BUG_ON(offsetof(struct roc_sub_rings, shared));
	if (!rings)
		return ERR_PTR(-ENOMEM);
	rings->shared.view = roc_fragment_views;
	rings->shared.views = ARRAY_SIZE(roc_fragment_views);
	rings->shared.doorbell = sub->doorbell;
	roc_sub_rings_areas(rings, arg, whole);
	err = roc_shared_alloc(&rings->shared, node, &arg->reason, &arg->limit, &arg->pinned);
	if (err) {
		roc_shared_put(&rings->shared);
		return ERR_PTR(err);
	}
	return rings;
}

/* Map the rings for the card: callback of roc_shared_attach(). */
int roc_sub_rings_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data)
{
	struct roc_fr_rings *arg = data;

	return roc_shared_map(ch, shared, &arg->reason);
}

/* Report the mmap offsets and lengths of the rings. */
void roc_sub_rings_describe(const struct roc_sub_rings *rings, struct roc_fr_rings *arg)
{
	const struct roc_view *kernel = &roc_fragment_views[ROC_VIEW_KERNEL];
	const struct roc_view *user = &roc_fragment_views[ROC_VIEW_USER];

	arg->descriptors_offset = roc_view_offset(&rings->shared, kernel, ROC_RING_DATA);
	arg->completions_offset = roc_view_offset(&rings->shared, kernel, ROC_RING_DONE);
	arg->frees_offset = roc_view_offset(&rings->shared, user, ROC_RING_FREE);
	arg->commands_offset = roc_view_offset(&rings->shared, user, ROC_RING_COMMAND);
	arg->kernel_offset = kernel->cookie;
	arg->kernel_length = roc_view_length(&rings->shared, kernel);
	arg->user_offset = user->cookie;
	arg->user_length = roc_view_length(&rings->shared, user);
	arg->bell_offset = ROC_DOORBELL_COOKIE;
	arg->bell_length = ROC_DOORBELL_LENGTH;
}

/* Clear the rings that the card writes, for a new run. Card quiesced, channel lock held. */
void roc_sub_rings_clear(struct roc_sub_rings *rings)
{
	struct roc_area *area = rings->shared.area;

	memset(area[ROC_RING_DATA].cpu, 0, area[ROC_RING_DATA].pages << PAGE_SHIFT);
	memset(area[ROC_RING_DONE].cpu, 0, area[ROC_RING_DONE].pages << PAGE_SHIFT);
}
