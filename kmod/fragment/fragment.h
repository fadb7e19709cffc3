/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fragments on request: a kind of channel whose card keeps the data, and writes to memory what it
 * is asked for. The contract is Documentation/hardware/fragment-interface.md.
 *
 *   sub-unit  what outlives an open: the card's registers, settings, counters
 *   run       one open: the rings, the counts; see core/run.h
 *   rings     memory that the card reads and writes, and the pages shared with the reader
 *
 * The kernel looks at no command, no descriptor and no completion, but for the phase of the latter
 * two when somebody sleeps. What a command names is a page of the sub-unit's own, or an index into
 * the table that the kernel makes of the reader's buffers before a run.
 *
 * Calls go one way: kind > run, ioctl > control > hw, count, table; rings and sysfs beside them.
 */
#ifndef ROC_FRAGMENT_H
#define ROC_FRAGMENT_H

#include "core/block.h"
#include "core/compat/compat.h"
#include "core/run.h"
#include "fragment/count.h"
#include "fragment/fragment_regs.h"
#include "fragment/fragment_vsec.h"

/* mmap offsets */
#define ROC_FRAGMENT_KERNEL_COOKIE (0x10ull << 32)
#define ROC_FRAGMENT_USER_COOKIE (0x11ull << 32)

/* What a sub-unit has interrupts for; data and completions have a *lane* each. */
enum roc_fragment_purpose {
	ROC_LANE_DATA,
	ROC_LANE_DONE,
	ROC_LANES,
	ROC_FRAGMENT_ERROR = ROC_LANES,
	ROC_FRAGMENT_PURPOSES,
};

/* Under roc_channel.run_lock, read without. */
struct roc_sub_settings {
	u32 links;
	u32 count[ROC_LANES];
	u32 time[ROC_LANES]; /* ns */
};

/**
 * struct roc_sub - a channel's sub-unit, whoever opens it; lives as long as the channel
 * @counts: what it counts; users may read that, too
 * @link: block of its first link; users may read that, too
 * @link_stride: bytes from the block of one link to the next
 * @doorbell: where its doorbell page is
 * @links: that it has
 * @memory: bytes of page memory of each
 * @data_log2: of the entries of the largest descriptor and free-page ring
 * @command_log2: and command and completion ring
 * @host_pages_max: entries of the largest table
 * @settings: see there
 */
struct roc_sub {
	void __iomem *counts;
	void __iomem *link;
	u64 link_stride;
	struct roc_doorbell doorbell;
	unsigned int links;
	u64 memory;
	unsigned int data_log2;
	unsigned int command_log2;
	u32 host_pages_max;
	struct roc_sub_settings settings;
};

/* The rings of a sub-unit, each an area of the shared memory. The card writes the first two. */
enum roc_fragment_ring {
	ROC_RING_DATA,
	ROC_RING_DONE,
	ROC_RING_FREE,
	ROC_RING_COMMAND,
	ROC_RINGS,
};

enum roc_fragment_view {
	ROC_VIEW_KERNEL,
	ROC_VIEW_USER,
};

/**
 * struct roc_sub_rings - the rings of an open sub-unit, and the pages that go with them; constant
 * once they are attached, but for the table
 * @shared: their memory; first. Its table holds the bus address of each host page; channel lock
 * @log2: of each ring's entries
 * @page_log2: of a card page's bytes
 * @host_page_log2: of a host page's
 * @pages: card pages in use, of each link
 * @host_pages: entries in use of the table
 */
struct roc_sub_rings {
	struct roc_shared_memory shared;
	unsigned int log2[ROC_RINGS];
	unsigned int page_log2;
	unsigned int host_page_log2;
	u32 pages;
	u32 host_pages;
};

/**
 * struct roc_fragment_lane - descriptors, or completions, of a run. Under roc_channel.run_lock
 * @count: how far the card is
 * @counted: entries that the card counted at the last read of its counts
 */
struct roc_fragment_lane {
	struct roc_count count;
	u32 counted;
};

/**
 * struct roc_fragment_run - an open sub-unit, and its run
 * @run: first
 * @lane: from here to @stopping under roc_channel.run_lock
 * @bad: the reader's counts were impossible
 * @stopping: the run is being stopped, no link is let through
 * @drained: the card's counts at the stop are known; from here on channel lock
 * @commands: that were reported to the card, valid when @drained
 * @written: entries that the card wrote to each lane, valid when @drained
 */
struct roc_fragment_run {
	struct roc_run run;
	struct roc_fragment_lane lane[ROC_LANES];
	bool bad;
	bool stopping;
	bool drained;
	u32 commands;
	u32 written[ROC_LANES];
};

static inline struct roc_sub *roc_sub(const struct roc_channel *ch)
{
	return ch->type_priv;
}

static inline struct roc_fragment_run *roc_fragment_run(const struct roc_run *run)
{
	return container_of((struct roc_run *)run, struct roc_fragment_run, run);
}

/* There are some: see roc_open.shared. */
static inline struct roc_sub_rings *roc_fragment_rings(const struct roc_run *run)
{
	return container_of(run->open.shared, struct roc_sub_rings, shared);
}

/* What the reader has taken of a lane; may be anything. */
static inline u32 roc_lane_taken(const struct roc_run *run, unsigned int lane)
{
	const struct roc_fr_user *user = run->open.shared->area[ROC_AREA_USER].cpu;
	const u32 *at = lane == ROC_LANE_DATA ? &user->descriptors : &user->completions;

	/* What the reader has seen of the ring we see, too. */
	return smp_load_acquire(at);
}

/* What the kind asks of a card: what the core does, and where users look for its registers. */
struct roc_fragment_ops {
	struct roc_card_ops card;
	struct roc_fragment_open open;
};

/* channel_type.c */
extern const struct roc_channel_type roc_fragment_type;

/* rings.c */
struct roc_sub_rings *roc_sub_rings_alloc(const struct roc_sub *sub, struct roc_fr_rings *arg,
					  int node, bool whole);
int roc_sub_rings_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data);
void roc_sub_rings_describe(const struct roc_sub_rings *rings, struct roc_fr_rings *arg);
void roc_sub_rings_clear(struct roc_sub_rings *rings);

/* table.c: host pages; channel lock */
int roc_table_make(struct roc_run *run, void *data);
int roc_table_find(struct roc_run *run, struct roc_fr_pages *arg);

/* hw.c: the registers of sub-units */
extern const struct roc_block_regs roc_fragment_regs;
int roc_fragment_probe(struct roc_endpoint *ep);
void roc_sub_defaults(struct roc_sub *sub);
bool roc_fragment_setup(struct roc_channel *ch, u32 start);
u32 roc_fragment_written(struct roc_channel *ch, unsigned int lane);
void roc_fragment_enable_links(struct roc_channel *ch, u32 links);
u32 roc_fragment_arm(struct roc_run *run, struct roc_event_queue *q, u32 seen);
void roc_fragment_moderate(struct roc_run *run);
void roc_fragment_ring_doorbells(struct roc_channel *ch, const struct roc_fr_tell *arg);
u64 roc_fragment_counter(struct roc_sub *sub, unsigned int nr);
u64 roc_fragment_links_counter(struct roc_sub *sub, unsigned int nr);

/* run.c */
extern const struct roc_run_ops roc_fragment_run_ops;

/* ioctl.c: on the sub-unit's node */
extern const struct roc_ioctl_table roc_fragment_ioctls;

/* control.c: on the sub-unit's node and the endpoint's */
extern const struct roc_ioctl_table roc_fragment_card_ioctls;
int roc_sub_info(struct file *file, void *data);
int roc_sub_set(struct file *file, void *data);
int roc_fragment_reset(struct roc_channel *ch, unsigned int level);

/* sysfs.c */
extern const struct attribute_group *roc_fragment_groups[];

#endif /* ROC_FRAGMENT_H */
