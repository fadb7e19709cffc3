// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of a sub-unit: switching it on and off with proof, and those that are written while
 * fragments come. None is read meanwhile.
 */
#include <linux/iopoll.h>

#include "core/block.h"
#include "fragment/fragment.h"

/* Longer than the card's promise, because the card may be an emulated one on a busy machine. */
#define ROC_LOAD_TRY_US 200
#define ROC_LOAD_US (10 * FRAGMENT_LOAD_MS * USEC_PER_MSEC)
#define ROC_ENABLE_TRIES 3
#define ROC_ENABLE_ERRORS (FRAGMENT_STATUS_SETUP_ERROR | FRAGMENT_STATUS_FETCH_ERROR)

static u32 roc_sub_read(struct roc_channel *ch, u32 offset)
{
	return ioread32(roc_sub(ch)->block + offset);
}

static void roc_sub_write(struct roc_channel *ch, u32 offset, u32 value)
{
	iowrite32(value, roc_sub(ch)->block + offset);
}

static void roc_sub_write64(struct roc_channel *ch, u32 offset, u64 value)
{
	roc_sub_write(ch, offset, lower_32_bits(value));
	roc_sub_write(ch, offset + 4, upper_32_bits(value));
}

u32 roc_fragment_status(struct roc_channel *ch)
{
	return roc_sub_read(ch, FRAGMENT_STATUS);
}

/* Of one that was enabled. */
enum roc_why roc_fragment_trouble(struct roc_channel *ch)
{
	return roc_block_trouble(roc_fragment_status(ch), FRAGMENT_STATUS_ENABLED);
}

/* How many entries of a lane the card says that it has written: for diagnosis. */
u32 roc_fragment_written(struct roc_channel *ch, unsigned int lane)
{
	return roc_sub_read(ch,
			    lane == ROC_LANE_DATA ? FRAGMENT_DESCRIPTORS : FRAGMENT_COMPLETIONS);
}

/* What the card has counted is in memory: this is answered after all that it has sent. */
void roc_fragment_settle(struct roc_channel *ch)
{
	roc_sub_read(ch, FRAGMENT_GENERATION);
}

/* How many commands it was told of. */
u32 roc_fragment_commands(struct roc_channel *ch)
{
	return roc_sub_read(ch, FRAGMENT_COMMANDS);
}

static const struct roc_reset_regs roc_fragment_resets = {
	.reset = FRAGMENT_RESET,
	.generation = FRAGMENT_GENERATION,
	.status = FRAGMENT_STATUS,
	.quiet = FRAGMENT_STATUS_QUIET,
	.busy = FRAGMENT_STATUS_ENABLED | FRAGMENT_STATUS_LOADING,
	.quiet_ms = FRAGMENT_QUIET_MS,
};

/* Proved by the card: nothing more comes, or -EIO. For sub-units that never ran, too. */
int roc_fragment_disable(struct roc_channel *ch)
{
	roc_sub_write(ch, FRAGMENT_CONTROL, 0);
	return roc_block_reset(roc_sub(ch)->block, &roc_fragment_resets, FRAGMENT_RESET_LOGIC);
}

/* @level: FRAGMENT_RESET_*. Only COUNTERS while it runs. */
int roc_fragment_reset(struct roc_channel *ch, u32 level)
{
	if (level & (FRAGMENT_RESET_LOGIC | FRAGMENT_RESET_DEFAULT))
		return roc_block_reset(roc_sub(ch)->block, &roc_fragment_resets, level);
	roc_sub_write(ch, FRAGMENT_RESET, level);
	return roc_fragment_status(ch) == ROC_ALL_ONES ? -EIO : 0;
}

/* From which links fragments are taken, from now on. */
void roc_fragment_let_through(struct roc_channel *ch, u32 links)
{
	roc_sub_write(ch, FRAGMENT_LINKS, links);
}

static void roc_fragment_write_settings(struct roc_channel *ch)
{
	const struct roc_sub_settings *s = &roc_sub(ch)->settings;

	roc_fragment_let_through(ch, roc_sub(ch)->stopping ? 0 : READ_ONCE(s->links));
	roc_sub_write(ch, FRAGMENT_DATA_COUNT, READ_ONCE(s->count[ROC_LANE_DATA]));
	roc_sub_write(ch, FRAGMENT_DATA_NS, READ_ONCE(s->time[ROC_LANE_DATA]));
	roc_sub_write(ch, FRAGMENT_DONE_COUNT, READ_ONCE(s->count[ROC_LANE_DONE]));
	roc_sub_write(ch, FRAGMENT_DONE_NS, READ_ONCE(s->time[ROC_LANE_DONE]));
}

static u32 roc_fragment_vector(const struct roc_channel *ch, unsigned int purpose)
{
	return ch->vector[purpose] < 0 ? FRAGMENT_VECTOR_NONE : ch->vector[purpose];
}

static void roc_fragment_setup(struct roc_holder *h, u32 start)
{
	const struct roc_sub_rings *rings = h->rings;
	struct roc_channel *ch = h->open.ch;

	h->changes = READ_ONCE(roc_sub(ch)->settings.changes);
	smp_rmb(); /* what was set with those is written below, or another change is seen later */
	roc_sub_write64(ch, FRAGMENT_DATA_LOW, rings->ring[ROC_RING_DATA].bus);
	roc_sub_write64(ch, FRAGMENT_FREE_LOW, rings->ring[ROC_RING_FREE].bus);
	roc_sub_write64(ch, FRAGMENT_COMMAND_LOW, rings->ring[ROC_RING_COMMAND].bus);
	roc_sub_write64(ch, FRAGMENT_DONE_LOW, rings->ring[ROC_RING_DONE].bus);
	roc_sub_write64(ch, FRAGMENT_TABLE_LOW, rings->table_bus);
	roc_sub_write(ch, FRAGMENT_DATA_SIZE, rings->ring[ROC_RING_DATA].log2);
	roc_sub_write(ch, FRAGMENT_FREE_SIZE, rings->ring[ROC_RING_FREE].log2);
	roc_sub_write(ch, FRAGMENT_COMMAND_SIZE, rings->ring[ROC_RING_COMMAND].log2);
	roc_sub_write(ch, FRAGMENT_HOST_PAGES, rings->host_pages);
	roc_sub_write(ch, FRAGMENT_HOST_PAGE_SIZE, rings->host_page_log2);
	roc_sub_write(ch, FRAGMENT_PAGE_SIZE, rings->page_log2);
	roc_sub_write(ch, FRAGMENT_PAGES, rings->pages);
	roc_sub_write(ch, FRAGMENT_START, start);
	roc_fragment_write_settings(ch);
	roc_sub_write(ch, FRAGMENT_DATA_VECTOR, roc_fragment_vector(ch, ROC_LANE_DATA));
	roc_sub_write(ch, FRAGMENT_DONE_VECTOR, roc_fragment_vector(ch, ROC_LANE_DONE));
	roc_sub_write(ch, FRAGMENT_ERROR_VECTOR, roc_fragment_vector(ch, ROC_FRAGMENT_ERROR));
	roc_sub_write(ch, FRAGMENT_ERROR_ENABLE, FRAGMENT_STATUS_ERRORS);
}

/* A lost register write must not make the card take pages for larger than they are. */
static bool roc_fragment_is_set_up(struct roc_holder *h, u32 start)
{
	const struct roc_sub_rings *rings = h->rings;
	struct roc_channel *ch = h->open.ch;

	return roc_sub_read(ch, FRAGMENT_START) == start &&
	       roc_sub_read(ch, FRAGMENT_DATA_SIZE) == rings->ring[ROC_RING_DATA].log2 &&
	       roc_sub_read(ch, FRAGMENT_FREE_SIZE) == rings->ring[ROC_RING_FREE].log2 &&
	       roc_sub_read(ch, FRAGMENT_COMMAND_SIZE) == rings->ring[ROC_RING_COMMAND].log2 &&
	       roc_sub_read(ch, FRAGMENT_HOST_PAGES) == rings->host_pages &&
	       roc_sub_read(ch, FRAGMENT_HOST_PAGE_SIZE) == rings->host_page_log2 &&
	       roc_sub_read(ch, FRAGMENT_PAGE_SIZE) == rings->page_log2 &&
	       roc_sub_read(ch, FRAGMENT_PAGES) == rings->pages;
}

/* Until the card says what came of it. At first it may show nothing at all. */
static u32 roc_fragment_enabled(struct roc_channel *ch)
{
	u32 status;

	read_poll_timeout(roc_fragment_status, status,
			  status & (FRAGMENT_STATUS_ENABLED | ROC_ENABLE_ERRORS), ROC_LOAD_TRY_US,
			  ROC_LOAD_US, false, ch);
	return status;
}

/*
 * The sub-unit was reset, and has the bus. The card refuses when an address did not arrive, and
 * says what sizes did. Fragments may come from here on, once there are free pages.
 */
int roc_fragment_enable(struct roc_holder *h, u32 start)
{
	struct roc_channel *ch = h->open.ch;
	unsigned int tries;
	u32 status;

	for (tries = 0; tries < ROC_ENABLE_TRIES; tries++) {
		roc_fragment_setup(h, start);
		if (!roc_fragment_is_set_up(h, start))
			continue;
		roc_sub_write(ch, FRAGMENT_CONTROL, FRAGMENT_CONTROL_ENABLE);
		status = roc_fragment_enabled(ch);
		if (status == ROC_ALL_ONES)
			break;
		if (status & FRAGMENT_STATUS_ENABLED && !(status & ROC_ENABLE_ERRORS))
			return 0;
		/* A read of the table that is still on its way must not come into the next try. */
		if (roc_fragment_disable(ch))
			break;
	}
	return -EIO;
}

/*
 * Ask for one interrupt for what comes behind @seen. There is no moment between looking and arming
 * in which something could be missed. sub->lock.
 */
void roc_fragment_arm(struct roc_holder *h, unsigned int lane, u32 seen)
{
	struct roc_sub_lane *l = &h->lane[lane];
	struct roc_channel *ch = h->open.ch;

	ch->stats.mmio_writes++;
	roc_sub(ch)->stats.arms++;
	l->late |= l->armed && roc_count_reached(&l->count, l->seen + 1);
	l->seen = seen;
	l->armed = true;
	l->overdue = 0;
	roc_sub_write(ch, lane == ROC_LANE_DATA ? FRAGMENT_ARM_DATA : FRAGMENT_ARM_DONE, seen);
}

/* New settings, while it runs. sub->lock. */
void roc_fragment_moderate(struct roc_holder *h)
{
	h->open.ch->stats.mmio_writes += 5;
	roc_fragment_write_settings(h->open.ch);
}

/* What the reader says; the card ignores what cannot be. sub->lock. */
void roc_fragment_ring_bells(struct roc_holder *h, const struct roc_fr_tell *arg)
{
	struct roc_channel *ch = h->open.ch;
	struct roc_sub *sub = roc_sub(ch);
	void __iomem *bell = ch->ep->bar[sub->bell.bar] + sub->bell.offset;

	if (arg->what & ROC_FR_TELL_FREE) {
		ch->stats.mmio_writes++;
		sub->stats.doorbells++;
		iowrite32(arg->free, bell + FRAGMENT_FREE);
	}
	if (arg->what & ROC_FR_TELL_COMMAND) {
		ch->stats.mmio_writes++;
		sub->stats.doorbells++;
		iowrite32(arg->command, bell + FRAGMENT_COMMAND);
	}
}

u64 roc_fragment_counter(struct roc_sub *sub, unsigned int nr)
{
	return roc_block_counter(sub->counts + FRAGMENT_COUNTS_COUNTERS + 8 * nr);
}

/* The sum of a counter of its links. */
u64 roc_fragment_links_counter(struct roc_sub *sub, unsigned int nr)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < sub->links; i++)
		sum += roc_block_counter(sub->link + i * sub->link_stride + FRAGMENT_LINK_COUNTERS +
					 8 * nr);
	return sum;
}
