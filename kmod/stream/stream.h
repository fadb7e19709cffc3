/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stream: a kind of channel whose card writes units one behind the other into one ring that the
 * driver owns. The contract is Documentation/hardware/stream-interface.md.
 *
 *   channel   what outlives an open: the card's registers, settings, counters
 *   reader    one open: the ring, the run, who sleeps
 *   ring      memory that the card writes to, and the pages shared with the reader
 *
 * Calls go one way: kind > ioctl, control > run > look > hw, position; ring and sysfs beside
 * them. Whoever finds that the card broke its contract returns why; run.c ends the run.
 */
#ifndef ROC_STREAM_H
#define ROC_STREAM_H

#include <linux/log2.h>

#include "core/block.h"
#include "core/compat/compat.h"
#include "core/roc.h"
#include "core/shared_memory.h"
#include "stream/position.h"
#include "stream/stream_regs.h"
#include "stream/stream_vsec.h"

/* mmap offsets */
#define ROC_CONTROL_COOKIE (0x10ull << 32)
#define ROC_READER_COOKIE (0x11ull << 32)
#define ROC_RING_COOKIE (0x40ull << 32)

#define ROC_WATCH_MS 500 /* period of the watchdog, ... */
#define ROC_LOOK_MS 5	 /* ... and where there is no interrupt */

#define ROC_STREAM_IOCTLS 8
#define ROC_STREAM_CARD_IOCTLS 4

struct roc_reader;

/* As struct roc_stats, of a stream. Under stream->lock, read without. */
struct roc_stream_stats {
	u64 arms;
	u64 doorbells;
	u64 wakes;
	u64 bad_index;
};

/**
 * struct roc_stream_settings - what the driver keeps of a stream's settings; the rest is the card's
 * @interrupt_bytes: 0 = by the ring
 * @interrupt_time: ns
 * @low_water: bytes
 * @changes: of @interrupt_bytes and @interrupt_time: how many there were
 *
 * Written under stream->lock, read without.
 */
struct roc_stream_settings {
	u32 interrupt_bytes;
	u32 interrupt_time;
	u64 low_water;
	u32 changes;
};

/**
 * struct roc_stream - a channel's stream, whoever opens it; lives as long as the channel
 * @open: registers that users may write, too: settings and counters
 * @card: the card's block
 * @bell: where its doorbell page is
 * @type: STREAM_TYPE_*
 * @name: constant after probe
 * @clock: of the counters, Hz
 * @ring_max: bytes; @segments_max: entries of the card's table
 * @settings: see there
 * @base: @stats at the present open
 * @lock: @opened, @reader, what they say that it guards, and all counters; taken by the interrupt
 * @opened: who has it, NULL: nobody
 * @reader: whose run it is, NULL: it does not run
 * @last: counters of the card; while it runs its page has newer ones
 */
struct roc_stream {
	void __iomem *open;
	void __iomem *card;
	struct roc_bell bell;
	unsigned int type;
	char name[ROC_TEXT_MAX];
	u32 clock;
	u64 ring_max;
	u32 segments_max;
	struct roc_stream_settings settings;
	struct roc_stream_stats stats;
	struct roc_stream_stats base;
	spinlock_t lock;
	struct roc_reader *opened;
	struct roc_reader *reader;
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
 * struct roc_reader - one open of a stream, and its run
 * @open: what the core has of it; first
 * @ring: NULL: none yet; channel lock
 * @run: number of the run, from 1; channel lock
 * @discarded: by the card before the run; channel lock
 * @period: ms, of the watchdog
 * @position: where it is; from here to @why under stream->lock
 * @known: read position that the card was last told by the driver
 * @changes: of the settings, when the card was told of them; channel lock
 * @armed: an interrupt was asked for, and has not come; @seen: for what lies behind that
 * @sent: interrupts of the card's count that came
 * @wanting: somebody in ROC_ST_WAIT wants @want, and nobody less
 * @edge: who polls does so for edges
 * @sequence: of the card's state as the watchdog saw it last
 * @silent: ticks of the watchdog since that changed
 * @overdue: ticks of the watchdog since an interrupt should have come
 * @refused: the card told that the reader's position was impossible
 * @why: the run has to end, and the watchdog will see to it
 * @watch: the watchdog; ends a run that failed, too
 */
struct roc_reader {
	struct roc_open open;
	struct roc_stream_ring *ring;
	u32 run;
	u64 discarded;
	unsigned int period;
	struct roc_position position;
	u32 known;
	u32 changes;
	bool armed;
	u32 seen;
	u32 sent;
	bool wanting;
	u32 want;
	bool edge;
	u32 sequence;
	u32 silent;
	u32 overdue;
	bool refused;
	enum roc_why why;
	struct delayed_work watch;
};

/* Pieces that a ring can have at most: a power of two, as its length is and that of each. */
static inline u64 roc_ring_pieces(const struct roc_stream *st)
{
	return rounddown_pow_of_two(st->segments_max | 1);
}

static inline struct roc_stream *roc_stream(const struct roc_channel *ch)
{
	return ch->kind_priv;
}

static inline struct roc_reader *roc_reader(struct roc_open *o)
{
	return container_of(o, struct roc_reader, open);
}

static inline struct roc_st_user *roc_ring_user(const struct roc_stream_ring *ring)
{
	return ring->shared.area[ROC_AREA_USER].cpu;
}

static inline struct roc_st_kernel *roc_ring_kernel(const struct roc_stream_ring *ring)
{
	return ring->shared.area[ROC_AREA_KERNEL].cpu;
}

static inline struct stream_state *roc_ring_state(const struct roc_stream_ring *ring)
{
	return ring->shared.area[ROC_AREA_CARD].cpu + STREAM_PAGE_STATE;
}

static inline struct stream_counters *roc_ring_counters(const struct roc_stream_ring *ring)
{
	return ring->shared.area[ROC_AREA_CARD].cpu + STREAM_PAGE_COUNTERS;
}

/* What the kind asks of a card beyond what the core does: its open registers' place, its TYPEs. */
struct roc_stream_ops {
	struct roc_card_ops card;
	struct roc_stream_open open;
	const u16 *types;
};

/* kind.c */
extern const struct roc_kind roc_stream_kind;

/* ring.c */
struct roc_stream_ring *roc_stream_ring_alloc(const struct roc_stream *st, struct roc_st_ring *arg,
					      int node, u64 least);
int roc_stream_ring_map(struct roc_channel *ch, struct roc_shared_memory *shared, void *data);

/* hw.c: the registers of streams */
extern const struct roc_block_regs roc_stream_regs;
int roc_stream_probe(struct roc_endpoint *ep);
void roc_stream_defaults(struct roc_stream *st);
int roc_stream_enable(struct roc_channel *ch, u32 position);
int roc_stream_disable(struct roc_channel *ch);
void roc_stream_finish(struct roc_channel *ch);
void roc_stream_tell_read(struct roc_reader *r);
void roc_stream_arm(struct roc_reader *r);
void roc_stream_moderate(struct roc_reader *r);
bool roc_stream_read_counters(struct roc_channel *ch, struct stream_counters *counters);
void roc_stream_refresh(struct roc_channel *ch);
bool roc_stream_page_counters(const struct roc_stream_ring *ring, struct stream_counters *counters);

/* look.c: under stream->lock, but for the first three */
void roc_stream_irq(struct roc_channel *ch, u32 purposes, bool shared);
bool roc_stream_tick(struct roc_reader *r);
void roc_stream_doubt(struct roc_open *o);
bool roc_stream_look(struct roc_reader *r);
bool roc_stream_readable(struct roc_reader *r);
void roc_stream_relieve(struct roc_reader *r);
void roc_stream_attend(struct roc_reader *r);
void roc_stream_marked(struct roc_reader *r);

/* run.c: channel lock */
int roc_stream_start(struct roc_reader *r, u32 position);
int roc_stream_stop(struct roc_reader *r, enum roc_why reason, struct roc_st_stop *arg);
void roc_stream_abort(struct roc_reader *r, enum roc_ch_state state, enum roc_why why,
		      bool present);
void roc_stream_watch(struct work_struct *work);
void roc_stream_flags(struct roc_reader *r, u32 set, u32 clear);

/* ioctl.c: on the stream's node */
extern const struct roc_ioctl roc_stream_ioctls[ROC_STREAM_IOCTLS];

/* control.c: on the stream's node and the endpoint's */
extern const struct roc_ioctl roc_stream_card_ioctls[ROC_STREAM_CARD_IOCTLS];
int roc_stream_info(struct roc_channel *ch, struct roc_st_info *info, bool since_open);
int roc_stream_set(struct roc_channel *ch, struct roc_st_settings *arg,
		   const struct roc_open *caller);
int roc_stream_reset_one(struct roc_channel *ch, const struct roc_st_reset *arg,
			 const struct roc_open *caller);
void roc_stream_counters(struct roc_stream *st, struct roc_st_counters *to);

/* sysfs.c */
extern const struct attribute_group *roc_stream_groups[];

#endif /* ROC_STREAM_H */
