/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fragments on request: a kind of channel whose card keeps the data, and writes to memory what it
 * is asked for. The contract is Documentation/hardware/fragment-interface.md.
 *
 *   sub-unit  what outlives an open: the card's registers, settings, counters
 *   holder    one open: the rings, the run, who sleeps
 *   rings     memory that the card reads and writes, and the pages shared with the reader
 *
 * The kernel looks at no command, no descriptor and no completion, but for the phase of the latter
 * two when somebody sleeps. What a command names is a page of the sub-unit's own, or an index into
 * the table that the kernel makes of the holder's buffers before a run.
 *
 * Calls go one way: kind > ioctl, control > run > look > hw, count; rings, table and sysfs
 * beside them. Whoever finds that the card broke its contract returns why; run.c ends the run.
 */
#ifndef ROC_FRAGMENT_H
#define ROC_FRAGMENT_H

#include "core/block.h"
#include "core/compat/compat.h"
#include "core/roc.h"
#include "core/shared_memory.h"
#include "fragment/count.h"
#include "fragment/fragment_regs.h"
#include "fragment/fragment_vsec.h"

/* mmap offsets */
#define ROC_FRAGMENT_KERNEL_COOKIE (0x10ull << 32)
#define ROC_FRAGMENT_USER_COOKIE (0x11ull << 32)

#define ROC_FRAGMENT_WATCH_MS 500 /* period of the watchdog, ... */
#define ROC_FRAGMENT_LOOK_MS 5	  /* ... and where there is no interrupt */

#define ROC_FRAGMENT_IOCTLS 9
#define ROC_FRAGMENT_CARD_IOCTLS 3

struct roc_holder;

/* What a sub-unit has interrupts for; data and completions have a *lane* each. */
enum roc_fragment_purpose {
	ROC_LANE_DATA,
	ROC_LANE_DONE,
	ROC_LANES,
	ROC_FRAGMENT_ERROR = ROC_LANES,
	ROC_FRAGMENT_PURPOSES,
};

/* As struct roc_stats, of a sub-unit. Under sub->lock, read without. */
struct roc_sub_stats {
	u64 told[ROC_FRAGMENT_PURPOSES]; /* interrupts */
	u64 arms;
	u64 doorbells;
	u64 wakes;
	u64 bad_index;
	u64 lost;
};

/* Under sub->lock, read without. */
struct roc_sub_settings {
	u32 links;
	u32 count[ROC_LANES];
	u32 time[ROC_LANES]; /* ns */
	u32 changes;	     /* how many there were */
};

/**
 * struct roc_sub - a channel's sub-unit, whoever opens it; lives as long as the channel
 * @counts: what it counts; users may read that, too
 * @link: block of its first link, and @link_stride to the next one; the same
 * @bell: where its doorbell page is
 * @links: that it has
 * @memory: bytes of page memory of each
 * @data_log2: of the entries of the largest descriptor and free-page ring
 * @command_log2: and command and completion ring
 * @host_pages_max: entries of the largest table
 * @settings: see there
 * @base: @stats at the present open
 * @lock: @opened, @holder, what they say that it guards, and all counters; taken by the interrupt
 * @opened: who has it, NULL: nobody
 * @holder: whose run it is, NULL: it does not run
 * @stopping: that run is being stopped, no link is let through; @lock
 */
struct roc_sub {
	void __iomem *counts;
	void __iomem *link;
	u64 link_stride;
	struct roc_bell bell;
	unsigned int links;
	u64 memory;
	unsigned int data_log2;
	unsigned int command_log2;
	u32 host_pages_max;
	struct roc_sub_settings settings;
	struct roc_sub_stats stats;
	struct roc_sub_stats base;
	spinlock_t lock;
	struct roc_holder *opened;
	struct roc_holder *holder;
	bool stopping;
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
 * struct roc_sub_lane - descriptors, or completions, of a run, and who waits for them. sub->lock
 * @count: how far the card is
 * @counted: entries that the card counted at the last read of its counts
 * @armed: an interrupt was asked for, and has not come; @seen: for what lies behind that
 * @late: one that was asked for earlier may still be on its way
 * @wanting: somebody in ROC_FR_WAIT wants @want, and nobody less
 * @last: @count at the watchdog's last look
 * @overdue: ticks of the watchdog since an interrupt should have come
 * @silent: ms since anything came, or the card was asked, as the watchdog sees it
 */
struct roc_sub_lane {
	struct roc_count count;
	u32 counted;
	bool armed;
	u32 seen;
	bool late;
	bool wanting;
	u32 want;
	u32 last;
	u32 overdue;
	u32 silent;
};

/**
 * struct roc_holder - one open of a sub-unit, and its run
 * @open: what the core has of it; first
 * @rings: NULL: none yet; channel lock
 * @run: number of the run, from 1; channel lock
 * @period: ms, of the watchdog
 * @changes: of the settings, when the card was told of them; channel lock
 * @lane: from here to @why under sub->lock
 * @edge: who polls does so for edges
 * @refused: the card told that it was asked nonsense
 * @bad: the reader's counts were impossible
 * @doubt: the card told of an error: it has to be asked
 * @why: the run has to end, and the watchdog will see to it
 * @watch: the watchdog; ends a run that failed, too
 */
struct roc_holder {
	struct roc_open open;
	struct roc_sub_rings *rings;
	u32 run;
	unsigned int period;
	u32 changes;
	struct roc_sub_lane lane[ROC_LANES];
	bool edge;
	bool refused;
	bool bad;
	bool doubt;
	enum roc_why why;
	struct delayed_work watch;
};

static inline struct roc_sub *roc_sub(const struct roc_channel *ch)
{
	return ch->kind_priv;
}

static inline struct roc_holder *roc_holder(struct roc_open *o)
{
	return container_of(o, struct roc_holder, open);
}

static inline struct roc_fr_user *roc_sub_rings_user(const struct roc_sub_rings *rings)
{
	return rings->shared.area[ROC_AREA_USER].cpu;
}

static inline struct roc_fr_kernel *roc_sub_rings_kernel(const struct roc_sub_rings *rings)
{
	return rings->shared.area[ROC_AREA_KERNEL].cpu;
}

/* What the reader has taken of a lane; may be anything. */
static inline u32 roc_sub_lane_taken(const struct roc_holder *h, unsigned int lane)
{
	const struct roc_fr_user *user = roc_sub_rings_user(h->rings);
	const u32 *at = lane == ROC_LANE_DATA ? &user->descriptors : &user->completions;

	/* What the reader has seen of the ring we see, too. */
	return smp_load_acquire(at);
}

/* What the kind asks of a card: what the core does, and where users look for its registers. */
struct roc_fragment_ops {
	struct roc_card_ops card;
	struct roc_fragment_open open;
};

/* kind.c */
extern const struct roc_kind roc_fragment_kind;

/* rings.c */
struct roc_sub_rings *roc_sub_rings_alloc(const struct roc_sub *sub, struct roc_fr_rings *arg,
					  int node, bool whole);
int roc_sub_rings_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data);
void roc_sub_rings_describe(const struct roc_sub_rings *rings, struct roc_fr_rings *arg);
void roc_sub_rings_clear(struct roc_sub_rings *rings);

/* table.c: host pages; channel lock */
int roc_table_make(struct roc_holder *h, struct roc_fr_start *arg);
int roc_table_find(struct roc_holder *h, struct roc_fr_pages *arg);

/* hw.c: the registers of sub-units */
extern const struct roc_block_regs roc_fragment_regs;
int roc_fragment_probe(struct roc_endpoint *ep);
void roc_sub_defaults(struct roc_sub *sub);
u32 roc_fragment_written(struct roc_channel *ch, unsigned int lane);
void roc_fragment_settle(struct roc_channel *ch);
u32 roc_fragment_commands(struct roc_channel *ch);
int roc_fragment_enable(struct roc_channel *ch, u32 start);
void roc_fragment_let_through(struct roc_channel *ch, u32 links);
void roc_fragment_arm(struct roc_holder *h, unsigned int lane, u32 seen);
void roc_fragment_moderate(struct roc_holder *h);
void roc_fragment_ring_bells(struct roc_holder *h, const struct roc_fr_tell *arg);
u64 roc_fragment_counter(struct roc_sub *sub, unsigned int nr);
u64 roc_fragment_links_counter(struct roc_sub *sub, unsigned int nr);

/* look.c: under sub->lock, but for the first three */
void roc_fragment_irq(struct roc_channel *ch, u32 purposes, bool shared);
bool roc_fragment_tick(struct roc_holder *h);
void roc_fragment_doubt(struct roc_open *o);
bool roc_fragment_look(struct roc_holder *h);
void roc_fragment_hasten(struct roc_holder *h);
bool roc_fragment_readable(struct roc_holder *h);
void roc_fragment_attend(struct roc_holder *h, unsigned int lane);
void roc_fragment_want(struct roc_holder *h, unsigned int lane, u32 want);

/* run.c: channel lock */
int roc_fragment_start(struct roc_holder *h, struct roc_fr_start *arg);
int roc_fragment_stop(struct roc_holder *h, enum roc_why reason, struct roc_fr_stop *arg);
void roc_fragment_abort(struct roc_holder *h, enum roc_ch_state state, enum roc_why why,
			bool present);
void roc_fragment_watch(struct work_struct *work);
void roc_fragment_flags(struct roc_holder *h, u32 set, u32 clear);

/* ioctl.c: on the sub-unit's node */
extern const struct roc_ioctl roc_fragment_ioctls[ROC_FRAGMENT_IOCTLS];

/* control.c: on the sub-unit's node and the endpoint's */
extern const struct roc_ioctl roc_fragment_card_ioctls[ROC_FRAGMENT_CARD_IOCTLS];
int roc_sub_info(struct roc_channel *ch, struct roc_fr_info *info, bool since_open);
int roc_sub_set(struct roc_channel *ch, struct roc_fr_settings *arg, const struct roc_open *caller);
int roc_sub_reset(struct roc_channel *ch, const struct roc_fr_reset *arg,
		  const struct roc_open *caller);

/* sysfs.c */
extern const struct attribute_group *roc_fragment_groups[];

#endif /* ROC_FRAGMENT_H */
