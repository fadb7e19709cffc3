/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream: a kind of channel whose card writes units one behind the other into one ring that the
 * driver owns. The contract is Documentation/hardware/stream-interface.md.
 *
 *   channel   what outlives an open: the card's registers, settings, counters
 *   run       one open: the ring, the positions; see core/run.h
 *   ring      memory that the card writes to, and the pages shared with the reader
 *
 * Calls go one way: kind > run, ioctl > control > hw, position; ring and sysfs beside them.
 */
#ifndef ROC_STREAM_H
#define ROC_STREAM_H

#include <linux/log2.h>

#include "core/block.h"
#include "core/compat/compat.h"
#include "core/run.h"
#include "stream/position.h"
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

/* mmap offsets */
#define ROC_CONTROL_COOKIE (0x10ull << 32)
#define ROC_READER_COOKIE (0x11ull << 32)
#define ROC_RING_COOKIE (0x40ull << 32)

/**
 * struct roc_stream_settings - what the driver keeps of a stream's settings; the rest is the card's
 * @interrupt_bytes: 0 = by the ring
 * @interrupt_time: ns
 * @low_water: bytes
 *
 * Written under roc_channel.run_lock, read without.
 */
struct roc_stream_settings {
	u32 interrupt_bytes;
	u32 interrupt_time;
	u64 low_water;
};

/**
 * struct roc_stream - a channel's stream, whoever opens it; lives as long as the channel
 * @open: registers that users may write, too: settings and counters
 * @card: the card's block
 * @doorbell: where its doorbell page is
 * @type: STREAM_TYPE_*
 * @name: constant after probe
 * @clock: of the counters, Hz
 * @ring_max: bytes
 * @segments_max: entries of the card's table
 * @settings: see there
 * @last: counters of the card, under roc_channel.run_lock; while it runs its page has newer ones
 */
struct roc_stream {
	void __iomem *open;
	void __iomem *card;
	struct roc_doorbell doorbell;
	unsigned int type;
	char name[ROC_TEXT_MAX];
	u32 clock;
	u64 ring_max;
	u32 segments_max;
	struct roc_stream_settings settings;
	struct stream_counters last;
};

/* Areas of the shared memory: the ring, and a page that the card writes. */
enum roc_stream_area {
	ROC_AREA_RING,
	ROC_AREA_CARD,
};

/**
 * struct roc_stream_ring - a ring, and the pages that go with it; constant once it is attached
 * @shared: its memory; first. Its table is that of the segments, NULL: the card sees one piece
 * @log2: of its bytes
 * @bus: address of the ring, or of its table
 * @segment: log2 of the bytes of a segment
 * @segments: pieces, for those who ask
 */
struct roc_stream_ring {
	struct roc_shared_memory shared;
	u32 log2;
	dma_addr_t bus;
	unsigned int segment;
	u32 segments;
};

/**
 * struct roc_stream_run - an open stream, and its run
 * @run: first
 * @discarded: by the card before the run; channel lock
 * @position: where it is; from here on under roc_channel.run_lock
 * @known: read position that the driver last reported to the card
 * @sent: interrupts of the card's count that came
 */
struct roc_stream_run {
	struct roc_run run;
	u64 discarded;
	struct roc_position position;
	u32 known;
	u32 sent;
};

/* Pieces that a ring can have at most: a power of two, as its length is and that of each. */
static inline u64 roc_stream_ring_segments_max(const struct roc_stream *st)
{
	return rounddown_pow_of_two(st->segments_max | 1);
}

static inline struct roc_stream *roc_stream(const struct roc_channel *ch)
{
	return ch->type_priv;
}

static inline struct roc_stream_run *roc_stream_run(const struct roc_run *run)
{
	return container_of((struct roc_run *)run, struct roc_stream_run, run);
}

/* There is one: see roc_open.shared. */
static inline struct roc_stream_ring *roc_stream_ring(const struct roc_run *run)
{
	return container_of(run->open.shared, struct roc_stream_ring, shared);
}

static inline struct roc_st_user *roc_stream_user(const struct roc_run *run)
{
	return run->open.shared->area[ROC_AREA_USER].cpu;
}

static inline struct stream_state *roc_stream_state(const struct roc_run *run)
{
	return run->open.shared->area[ROC_AREA_CARD].cpu + STREAM_PAGE_STATE;
}

static inline struct stream_counters *roc_stream_ring_counters(const struct roc_run *run)
{
	return run->open.shared->area[ROC_AREA_CARD].cpu + STREAM_PAGE_COUNTERS;
}

/* Bytes that the reader has not given back. */
static inline u64 roc_stream_level(const struct roc_run *run)
{
	const struct roc_position *p = &roc_stream_run(run)->position;

	lockdep_assert_held(&run->open.ch->run_lock);
	return (u64)(p->written - p->read) * STREAM_LINE;
}

/* What the kind asks of a card beyond what the core does: its open registers' place, its TYPEs. */
struct roc_stream_ops {
	struct roc_card_ops card;
	struct roc_stream_open open;
	const u16 *types;
};

/* channel_type.c */
extern const struct roc_channel_type roc_stream_type;

/* ring.c */
struct roc_stream_ring *roc_stream_ring_alloc(const struct roc_stream *st, struct roc_st_ring *arg,
					      int node, u64 least);
int roc_stream_ring_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data);

/* hw.c: the registers of streams */
extern const struct roc_block_regs roc_stream_regs;
int roc_stream_probe(struct roc_endpoint *ep);
void roc_stream_defaults(struct roc_stream *st);
bool roc_stream_setup(struct roc_channel *ch, u32 position);
int roc_stream_disable(struct roc_channel *ch);
void roc_stream_report_read(struct roc_run *run);
u32 roc_stream_arm(struct roc_run *run, struct roc_event_queue *q, u32 seen);
void roc_stream_moderate(struct roc_run *run);
bool roc_stream_read_counters(struct roc_channel *ch, struct stream_counters *counters);
void roc_stream_refresh(struct roc_channel *ch);
bool roc_stream_page_counters(const struct roc_run *run, struct stream_counters *counters);

/* run.c */
extern const struct roc_run_ops roc_stream_run_ops;

/* ioctl.c: on the stream's node */
extern const struct roc_ioctl_table roc_stream_ioctls;

/* control.c: on the stream's node and the endpoint's */
extern const struct roc_ioctl_table roc_stream_card_ioctls;
int roc_stream_info(struct file *file, void *data);
int roc_stream_set(struct file *file, void *data);
int roc_stream_reset(struct roc_channel *ch, unsigned int level);
int roc_stream_reset_card(struct roc_endpoint *ep);
void roc_stream_counters(struct roc_channel *ch, struct roc_st_counters *to);

/* sysfs.c */
extern const struct attribute_group *roc_stream_groups[];

#endif /* ROC_STREAM_H */
