/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stream: the channel type in which the card writes units, one after the other, into one ring that
 * the driver owns. Documentation/hardware/stream-interface.md is the contract.
 *
 *   channel   state that outlives an open: the card's registers, settings, counters
 *   run       one open: the ring, the positions; see core/run.h
 *   ring      memory that the card writes to, and the pages shared with the reader
 *
 * Calls go one way: channel_type > run, ioctl > control > hw, position; ring and sysfs beside them.
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
 * struct roc_stream_settings - settings that the driver keeps; the others are registers of the card
 * @interrupt_bytes: data that raise an interrupt, bytes; 0: derived from the ring
 * @interrupt_time: time after which less data raise one, ns
 * @low_water: data that wake a waiter, bytes
 *
 * Written under roc_channel.run_lock, read without it.
 */
struct roc_stream_settings {
	u32 interrupt_bytes;
	u32 interrupt_time;
	u64 low_water;
};

/**
 * struct roc_stream - stream state that outlives an open; lives as long as the channel
 * @open: block of settings and counters, which users may access, too
 * @card: block of the card
 * @doorbell: location of the doorbell page
 * @type: STREAM_TYPE_*
 * @name: constant after probe
 * @clock: clock of the card's counters, Hz
 * @ring_max: size of the largest ring, bytes
 * @segments_max: entries of the card's segment table
 * @settings: settings that the driver keeps
 * @last: counters of the card, under roc_channel.run_lock. While the stream runs, the card's page
 *	has newer ones
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

/* Areas of the shared memory: the ring, and the control page that the card writes. */
enum roc_stream_area {
	ROC_AREA_RING,
	ROC_AREA_CARD,
};

/**
 * struct roc_stream_ring - a ring and its pages; constant once it is attached
 * @shared: its memory; first. The table is that of the segments; NULL: the ring is contiguous
 * @log2: log2 of the bytes of the ring
 * @bus: DMA address of the ring, or of its table
 * @segment: log2 of the bytes of a segment
 * @segments: number of segments, for ROC_ST_INFO and sysfs
 */
struct roc_stream_ring {
	struct roc_shared_memory shared;
	u32 log2;
	dma_addr_t bus;
	unsigned int segment;
	u32 segments;
};

/**
 * struct roc_stream_run - an open stream channel, and its run
 * @run: first
 * @discarded: events that the card had discarded before the run; channel lock
 * @position: write and read position; from here on under roc_channel.run_lock
 * @known: read position that was last reported to the card
 * @sent: the card's count of interrupts, up to which they have been accounted for
 */
struct roc_stream_run {
	struct roc_run run;
	u64 discarded;
	struct roc_position position;
	u32 known;
	u32 sent;
};

/* Largest number of segments of a ring: a power of two, as are the sizes of ring and segment. */
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

/* The caller has checked that there is a ring: see roc_open.shared. */
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

/* Number of bytes that the reader has not released. */
static inline u64 roc_stream_level(const struct roc_run *run)
{
	const struct roc_position *p = &roc_stream_run(run)->position;

	lockdep_assert_held(&run->open.ch->run_lock);
	return (u64)(p->written - p->read) * STREAM_LINE;
}

/* Operations and constants of a card with streams: location of its open registers, stream types. */
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
