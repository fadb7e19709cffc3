// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of sub-units: find them by the capability (section 2 of the contract), start and stop a
 * sub-unit, and write the registers of the data path. No register is read while fragments flow.
 */
#include <linux/pci.h>

#include "fragment/fragment.h"

const struct roc_block_regs roc_fragment_regs = ROC_BLOCK_REGS(FRAGMENT_LOAD_MS);

void roc_sub_defaults(struct roc_sub *sub)
{
	sub->settings = (struct roc_sub_settings){
		.links = BIT(sub->links) - 1,
		.count = {[ROC_LANE_DATA] = 64, [ROC_LANE_DONE] = 16},
		.time = {[ROC_LANE_DATA] = 2 * NSEC_PER_MSEC,
			 [ROC_LANE_DONE] = 100 * NSEC_PER_USEC},
	};
}

static void roc_fragment_probe_one(struct roc_channel *ch, const struct roc_fragment_vsec *vsec,
				   const struct roc_fragment_open *open)
{
	struct roc_sub *sub = roc_sub(ch);
	unsigned int c = ch->number;

	sub->links = vsec->links;
	sub->memory = (u64)vsec->memory_kib << 10;
	sub->data_log2 = vsec->data_log2;
	sub->command_log2 = vsec->command_log2;
	sub->host_pages_max = vsec->host_pages;
	sub->doorbell.exists = true;
	sub->doorbell.bar = vsec->doorbell[c].bar;
	sub->doorbell.offset = vsec->doorbell[c].offset;
	sub->link = roc_block(ch->ep, &open->link) + c * sub->links * open->link_stride;
	sub->link_stride = open->link_stride;
	roc_sub_defaults(sub);
	sub->counts = roc_block(ch->ep, &vsec->counts[c]);
	ch->block = roc_block(ch->ep, &vsec->sub[c]);
}

static const char *roc_fragment_check(struct roc_endpoint *ep, struct roc_fragment_vsec *vsec,
				      const struct roc_fragment_open *open)
{
	struct roc_piece link = {.bar = open->link.bar, .size = FRAGMENT_LINK_SIZE};
	const char *reason;
	unsigned int i;

	/*
	 * User space writes the open registers without the driver, at the offsets and with the link
	 * numbers of the PCI ID. A card with another layout would get wrong settings.
	 */
	if (!roc_fragment_vsec_agrees(vsec, ep->ops->channels, open))
		return "the open registers are not where user space expects them";
	reason = roc_block_check(ep, &roc_fragment_contract, vsec);
	for (i = 0; i < open->links * ep->ops->channels && !reason; i++) {
		link.offset = open->link.offset + i * open->link_stride;
		if (!roc_block_is(ep, &link, FRAGMENT_ID_LINK, FRAGMENT_VSEC_REVISION, i))
			reason = "the ID register of a block does not match";
	}
	return reason;
}

int roc_fragment_probe(struct roc_endpoint *ep)
{
	const struct roc_fragment_ops *ops =
		container_of(ep->ops, const struct roc_fragment_ops, card);
	struct roc_fragment_vsec vsec;
	const char *reason;
	unsigned int c;

	if (roc_block_find(ep, &roc_fragment_contract, &vsec, &reason) > 0)
		reason = roc_fragment_check(ep, &vsec, &ops->open);
	if (reason) {
		dev_err(&ep->pdev->dev, "failed to set up the fragment interface: %s\n", reason);
		return -ENODEV;
	}
	for (c = 0; c < ep->ops->channels; c++)
		roc_fragment_probe_one(&ep->channels[c], &vsec, &ops->open);
	roc_block_interrupts(ep, &vsec.function, vsec.vectors,
			     FRAGMENT_CAUSE_ALL & ~FRAGMENT_CAUSE_PAGES_OUT);
	ep->caps |= ROC_CAP_FRAGMENTS;
	return 0;
}

/* Read the card's count of entries in a lane. Not used on the data path. */
u32 roc_fragment_written(struct roc_channel *ch, unsigned int lane)
{
	return roc_block_read(ch,
			      lane == ROC_LANE_DATA ? FRAGMENT_DESCRIPTORS : FRAGMENT_COMPLETIONS);
}

/* Set the mask of links from which the card accepts fragments. */
void roc_fragment_enable_links(struct roc_channel *ch, u32 links)
{
	iowrite32(links, ch->block + FRAGMENT_LINKS);
}

static void roc_fragment_write_settings(struct roc_channel *ch)
{
	const struct roc_sub_settings *s = &roc_sub(ch)->settings;
	bool stopping = roc_fragment_run(roc_run(ch->open))->stopping;

	roc_fragment_enable_links(ch, stopping ? 0 : READ_ONCE(s->links));
	iowrite32(READ_ONCE(s->count[ROC_LANE_DATA]), ch->block + FRAGMENT_DATA_COUNT);
	iowrite32(READ_ONCE(s->time[ROC_LANE_DATA]), ch->block + FRAGMENT_DATA_NS);
	iowrite32(READ_ONCE(s->count[ROC_LANE_DONE]), ch->block + FRAGMENT_DONE_COUNT);
	iowrite32(READ_ONCE(s->time[ROC_LANE_DONE]), ch->block + FRAGMENT_DONE_NS);
}

static u32 roc_fragment_vector(const struct roc_channel *ch, unsigned int purpose)
{
	return ch->vector[purpose] < 0 ? FUNCTION_VECTOR_NONE : ch->vector[purpose];
}

/*
 * Set up a sub-unit. A lost register write must not make the card assume larger pages or rings, so
 * all sizes are read back.
 */
bool roc_fragment_setup(struct roc_channel *ch, u32 start)
{
	struct roc_run *run = roc_run(ch->open);
	const struct roc_sub_rings *rings = roc_fragment_rings(run);
	const struct roc_area *area = rings->shared.area;
	const struct {
		u32 offset;
		u32 value;
	} sizes[] = {
		{FRAGMENT_START, start},
		{FRAGMENT_DATA_SIZE, rings->log2[ROC_RING_DATA]},
		{FRAGMENT_FREE_SIZE, rings->log2[ROC_RING_FREE]},
		{FRAGMENT_COMMAND_SIZE, rings->log2[ROC_RING_COMMAND]},
		{FRAGMENT_HOST_PAGES, rings->host_pages},
		{FRAGMENT_HOST_PAGE_SIZE, rings->host_page_log2},
		{FRAGMENT_PAGE_SIZE, rings->page_log2},
		{FRAGMENT_PAGES, rings->pages},
	};
	unsigned int i;

	roc_run_settings(run);
	roc_block_write64(ch, FRAGMENT_DATA_LOW, area[ROC_RING_DATA].bus);
	roc_block_write64(ch, FRAGMENT_FREE_LOW, area[ROC_RING_FREE].bus);
	roc_block_write64(ch, FRAGMENT_COMMAND_LOW, area[ROC_RING_COMMAND].bus);
	roc_block_write64(ch, FRAGMENT_DONE_LOW, area[ROC_RING_DONE].bus);
	roc_block_write64(ch, FRAGMENT_TABLE_LOW, rings->shared.table_bus);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		roc_block_write(ch, sizes[i].offset, sizes[i].value);
	roc_fragment_write_settings(ch);
	roc_block_write(ch, FRAGMENT_DATA_VECTOR, roc_fragment_vector(ch, ROC_LANE_DATA));
	roc_block_write(ch, FRAGMENT_DONE_VECTOR, roc_fragment_vector(ch, ROC_LANE_DONE));
	roc_block_write(ch, FRAGMENT_ERROR_VECTOR, roc_fragment_vector(ch, ROC_FRAGMENT_ERROR));
	roc_block_write(ch, FRAGMENT_ERROR_ENABLE, FRAGMENT_STATUS_ERRORS);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		if (roc_block_read(ch, sizes[i].offset) != sizes[i].value)
			return false;
	return true;
}

/*
 * Request one interrupt for entries behind @seen. No entry can be missed between the poll and this
 * write. Under run_lock.
 */
u32 roc_fragment_arm(struct roc_run *run, struct roc_event_queue *q, u32 seen)
{
	q->late |= q->armed && roc_queue_fresh(q);
	iowrite32(seen, run->open.ch->block + (q->purpose == ROC_LANE_DATA ? FRAGMENT_ARM_DATA
									   : FRAGMENT_ARM_DONE));
	return seen;
}

/* Write new settings of a running sub-unit. */
void roc_fragment_moderate(struct roc_run *run)
{
	lockdep_assert_held(&run->open.ch->run_lock);
	run->open.ch->stats.mmio_writes += 5;
	roc_fragment_write_settings(run->open.ch);
}

/* Write the reader's counts to the doorbells. The card ignores invalid ones. */
void roc_fragment_ring_doorbells(struct roc_channel *ch, const struct roc_fr_doorbell *arg)
{
	const struct roc_sub *sub = roc_sub(ch);
	void __iomem *doorbell = ch->ep->bar[sub->doorbell.bar] + sub->doorbell.offset;

	lockdep_assert_held(&ch->run_lock);
	if (arg->what & ROC_FR_DOORBELL_FREE) {
		ch->stats.mmio_writes++;
		ch->stats.doorbells++;
		iowrite32(arg->free, doorbell + FRAGMENT_FREE);
	}
	if (arg->what & ROC_FR_DOORBELL_COMMAND) {
		ch->stats.mmio_writes++;
		ch->stats.doorbells++;
		iowrite32(arg->command, doorbell + FRAGMENT_COMMAND);
	}
}

u64 roc_fragment_counter(struct roc_sub *sub, unsigned int nr)
{
	return roc_block_counter(sub->counts + FRAGMENT_COUNTS_COUNTERS + 8 * nr);
}

/* Return the sum of a counter over all links. */
u64 roc_fragment_links_counter(struct roc_sub *sub, unsigned int nr)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < sub->links; i++)
		sum += roc_block_counter(sub->link + i * sub->link_stride + FRAGMENT_LINK_COUNTERS +
					 8 * nr);
	return sum;
}
