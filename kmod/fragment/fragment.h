/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fragments on request: the channel type in which the card stores the data, and writes to host
 * memory only what the reader requests. Documentation/hardware/fragment-interface.md is the
 * contract.
 *
 *   sub-unit  state that outlives an open: the card's registers, settings, counters
 *   run       one open: the rings, the counts; see core/run.h
 *   rings     memory that the card reads and writes, and the pages shared with the reader
 *
 * The kernel reads no command, descriptor or completion, except the phase of the latter two while a
 * reader waits. A command can name only a page of its own sub-unit, or an index into the table that
 * the kernel fills from the reader's buffers before a run.
 *
 * Calls go one way: channel_type > run, ioctl > control > hw, count, table; rings and sysfs beside
 * them.
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

/* Purposes of the interrupts of a sub-unit. Data and completions have a *lane* each. */
enum roc_fragment_purpose {
	ROC_LANE_DATA,
	ROC_LANE_DONE,
	ROC_LANES,
	ROC_FRAGMENT_ERROR = ROC_LANES,
	ROC_FRAGMENT_PURPOSES,
};

/* Written under roc_channel.run_lock, read without it. */
struct roc_sub_settings {
	u32 links;
	u32 count[ROC_LANES];
	u32 time[ROC_LANES]; /* ns */
};

/**
 * struct roc_sub - sub-unit state that outlives an open; lives as long as the channel
 * @counts: block of its counters, which users may read, too
 * @link: block of its first link, which users may read, too
 * @link_stride: bytes from the block of one link to the next
 * @doorbell: location of the doorbell page
 * @links: number of links
 * @memory: page memory of each link, bytes
 * @data_log2: log2 of the entries of the largest descriptor and free-page ring
 * @command_log2: log2 of the entries of the largest command and completion ring
 * @host_pages_max: entries of the largest host-page table
 * @settings: settings that the driver keeps
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
 * struct roc_sub_rings - the rings of an open sub-unit and their pages; constant once they are
 * attached, except the table
 * @shared: their memory; first. The table has the DMA address of each host page; channel lock
 * @log2: log2 of the entries of each ring
 * @page_log2: log2 of the bytes of a card page
 * @host_page_log2: log2 of the bytes of a host page
 * @pages: card pages in use, of each link
 * @host_pages: entries of the table in use
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
 * struct roc_fragment_lane - descriptors or completions of a run. Under roc_channel.run_lock
 * @count: progress of the card, by phase bits
 * @counted: the card's own count of entries, as last read
 */
struct roc_fragment_lane {
	struct roc_count count;
	u32 counted;
};

/**
 * struct roc_fragment_run - an open sub-unit channel, and its run
 * @run: first
 * @lane: from here to @stopping under roc_channel.run_lock
 * @bad: the reader's counts were invalid
 * @stopping: the run is being stopped, and all links are disabled
 * @drained: the card's counts at the stop are known; from here on channel lock
 * @commands: count of commands at the stop, valid if @drained
 * @written: count of entries in each lane at the stop, valid if @drained
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

/* The caller has checked that there are rings: see roc_open.shared. */
static inline struct roc_sub_rings *roc_fragment_rings(const struct roc_run *run)
{
	return container_of(run->open.shared, struct roc_sub_rings, shared);
}

/* Count of entries that the reader has taken from a lane. Not validated. */
static inline u32 roc_lane_taken(const struct roc_run *run, unsigned int lane)
{
	const struct roc_fr_user *user = run->open.shared->area[ROC_AREA_USER].cpu;
	const u32 *at = lane == ROC_LANE_DATA ? &user->descriptors : &user->completions;

	/* The kernel must see all entries that the reader has seen. */
	return smp_load_acquire(at);
}

/* Operations of a card with sub-units, and locations of its registers that user space expects. */
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
void roc_fragment_ring_doorbells(struct roc_channel *ch, const struct roc_fr_doorbell *arg);
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
