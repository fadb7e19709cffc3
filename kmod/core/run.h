/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: an open channel that a card writes to by itself, from its start to its stop.
 *
 * All channel types share start and stop, binding to interrupts, and the callers of WAIT. Streams
 * and fragments share the watchdog, poll() and eventfd, settings and resets, too; a pool has a
 * thread instead of the watchdog. A channel type supplies its ring protocol and its registers by
 * struct roc_run_ops.
 */
#ifndef ROC_RUN_H
#define ROC_RUN_H

#include <linux/workqueue.h>

#include "core/event_queue.h"
#include "core/roc.h"
#include "core/shared_memory.h"

#define ROC_WATCHDOG_MS 500 /* period of the watchdog, ... */
#define ROC_POLL_MS 5	    /* ... and without an interrupt */

#define ROC_QUEUES_MAX 2

/**
 * struct roc_run - an open channel and its run; the first member of the type's structure
 * @open: the core's part of the open channel; first
 * @number: of the run, from 1; channel lock
 * @period: of the watchdog, ms
 * @changes: roc_channel.changes when the settings were last written to the card; channel lock
 * @queue: from here to @reason under roc_channel.run_lock
 * @edge: a caller polls for edges
 * @refused: the card reported that an index of the reader's was impossible
 * @error_pending: the watchdog has to query the card
 * @query_missed: its last turn could not, because another call had the channel lock
 * @reason: why the run has to end, which the watchdog does
 * @watchdog: also ends a run that failed
 */
struct roc_run {
	struct roc_open open;
	u32 number;
	unsigned int period;
	u32 changes;
	struct roc_event_queue queue[ROC_QUEUES_MAX];
	bool edge;
	bool refused;
	bool error_pending;
	bool query_missed;
	enum roc_reason reason;
	struct delayed_work watchdog;
};

/* Flags of the page that the kernel writes: the same in all types. */
enum roc_run_flags {
	ROC_RUN_STOPPED = 1 << 0,
	ROC_RUN_FAILED = 1 << 1,
	ROC_RUN_GONE = 1 << 2,
};

struct roc_run_page {
	__u32 flags;
	__u32 run;
};

/* What the ioctls for a reset have in common. */
struct roc_reset_arg {
	__u32 size;
	__u32 flags;
	__u32 number; /* of the channel */
	__u32 level;  /* index of roc_run_ops.levels */
};

#define ROC_RESET_ALL 0xffffffffu

/**
 * struct roc_run_level - a level of reset
 * @bits: of the card's register
 * @stops: not while the channel runs
 * @unowned: also for others than the opener
 */
struct roc_run_level {
	u32 bits;
	bool stops;
	bool unowned;
};

/**
 * struct roc_run_ops - what a channel type supplies; constant
 * @queues: event queues that the core serves; their interrupts are the first purposes of the
 *	channel. 0: the type serves interrupts and polls by itself, and supplies @started
 * @levels: of resets; 0 sets all to its default
 * @level_count: of @levels
 *
 * With the channel lock:
 *
 * @enable: all that a start does to a card that is verified to be quiesced, as @prepare, @begin and
 *	@setup do it for a block; an error leaves the card quiesced. NULL: these do
 * @refused: a start failed with -EIO before there was a run. NULL: nothing
 * @started: serve the run, which users can see now; returns why it has to end. NULL: the watchdog
 *	serves it
 * @flags: set and clear enum roc_run_flags in the user's page. NULL: that is struct roc_run_page
 * @prepare: make what a start needs, once the card is verified to be quiesced. @arg: of the ioctl.
 *	NULL: nothing
 * @begin: set counts, the user's page and the queues to the beginning of a run
 * @setup: for roc_block_enable()
 * @drain: have the card finish what it has, as far as @flags of the ioctl allow; returns why it
 *	cannot
 * @check: why the run cannot go on, from the card's registers
 * @quiesce: keep what the card's registers hold, which a reset clears. @reason: why the run ends.
 *	If @present, the card may be touched. Returns whether it may be touched after this
 * @finish: take what the card wrote until it was quiesced; returns why the run failed, which only
 *	this shows
 * @report: fill in the result of a stop
 * @query: read the card's registers: is it there, and does it work?
 * @reset: by @bits of a level, with all that follows
 * @reset_card: after all channels were set to their defaults; NULL: nothing
 * @opened: the channel was opened. NULL: nothing
 * @closed: the claim ends; the channel lock is not held. NULL: nothing
 *
 * With roc_channel.run_lock:
 *
 * @poll: find out from memory how far card and reader are. The channel runs. NULL: nothing
 * @poll_stopped: the same after the run, of the reader alone; NULL: nothing
 * @readable: is there enough for poll()?
 * @relieve: the reader does not sleep: report room to the card if that is worth it. NULL: nothing
 * @wait: is there enough for a WAIT with @arg? Else, if the channel @runs, request an interrupt by
 *	roc_queue_wait()
 * @beyond: @arg waits for what cannot come. NULL: no such @arg
 * @waited: fill in the result of a WAIT
 * @tick: the watchdog's check for lost register writes; NULL: nothing
 * @moderate: write changed settings to the card
 * @activity: changes whenever the card wrote anything; NULL: the count of the queue does
 * @armed_for: the interrupt that is requested serves for what comes behind @seen, too
 * @arm: request one interrupt for what comes behind @seen, or earlier; returns from where
 * @sent: did the card send an interrupt since the last call? @all: account for all. NULL: unknown
 * @for_data: was it for data?
 * @due: the longest delay of an interrupt for what came behind @seen, ns; -1: none need come
 */
struct roc_run_ops {
	unsigned int queues;
	const struct roc_run_level *levels;
	unsigned int level_count;

	int (*enable)(struct roc_run *run);
	void (*refused)(struct roc_run *run);
	enum roc_reason (*started)(struct roc_run *run);
	void (*flags)(struct roc_run *run, u32 set, u32 clear);
	int (*prepare)(struct roc_run *run, void *arg);
	void (*begin)(struct roc_run *run, u32 start);
	bool (*setup)(struct roc_channel *ch, u32 start);
	enum roc_reason (*drain)(struct roc_run *run, u32 flags);
	enum roc_reason (*check)(struct roc_channel *ch);
	bool (*quiesce)(struct roc_run *run, enum roc_reason reason, bool present);
	enum roc_reason (*finish)(struct roc_run *run, enum roc_reason reason);
	void (*report)(struct roc_run *run, void *arg);
	void (*query)(struct roc_run *run);
	int (*reset)(struct roc_channel *ch, unsigned int level);
	int (*reset_card)(struct roc_endpoint *ep);
	void (*opened)(struct roc_run *run);
	void (*closed)(struct roc_run *run);

	void (*poll)(struct roc_run *run);
	void (*poll_stopped)(struct roc_run *run);
	bool (*readable)(const struct roc_run *run);
	void (*relieve)(struct roc_run *run);
	bool (*wait)(struct roc_run *run, void *arg, bool runs);
	bool (*beyond)(struct roc_run *run, const void *arg);
	void (*waited)(struct roc_run *run, void *arg);
	void (*tick)(struct roc_run *run);
	void (*moderate)(struct roc_run *run);
	u32 (*activity)(const struct roc_run *run);
	bool (*armed_for)(const struct roc_run *run, const struct roc_event_queue *q, u32 seen);
	u32 (*arm)(struct roc_run *run, struct roc_event_queue *q, u32 seen);
	bool (*sent)(struct roc_run *run, bool all);
	bool (*for_data)(const struct roc_run *run);
	s64 (*due)(const struct roc_run *run, const struct roc_event_queue *q);
};

static inline const struct roc_run_ops *roc_run_ops(const struct roc_run *run)
{
	return run->open.ch->type->run;
}

static inline struct roc_run *roc_run(struct roc_open *o)
{
	return container_of(o, struct roc_run, open);
}

/* Does it run, and is it bound to interrupts? */
static inline bool roc_run_bound(const struct roc_run *run)
{
	lockdep_assert_held(&run->open.ch->run_lock);
	return run->open.ch->running == run;
}

/* Under run_lock. False: it does not run, or not for long any more. */
bool roc_run_poll(struct roc_run *run);
void roc_run_fail(struct roc_run *run, enum roc_reason reason);
void roc_run_readable(struct roc_run *run);
void roc_run_bad_index(struct roc_run *run);

/* With the channel lock: end a run that failed. */
void roc_run_abort(struct roc_run *run, enum roc_reason reason);

/* The counters that the information of each type has. */
#define roc_run_info(_info, _stats)                                                                \
	do {                                                                                       \
		(_info)->interrupts = (_stats)->interrupts;                                        \
		(_info)->missed_interrupts = (_stats)->missed_interrupts;                          \
		(_info)->spurious_interrupts = (_stats)->spurious_interrupts;                      \
		(_info)->arms = (_stats)->arms;                                                    \
		(_info)->doorbells = (_stats)->doorbells;                                          \
		(_info)->wakes = (_stats)->wakes;                                                  \
		(_info)->mmio_reads = (_stats)->mmio_reads;                                        \
		(_info)->mmio_writes = (_stats)->mmio_writes;                                      \
		(_info)->bad_index = (_stats)->bad_index;                                          \
	} while (0)

struct roc_stats roc_run_stats(const struct roc_channel *ch, bool since_open);

/* Before settings are written to a card that is set up. */
void roc_run_settings(struct roc_run *run);
/* After they changed. Under run_lock. */
void roc_run_changed(struct roc_channel *ch);

/* The ioctls. @arg: see struct roc_run_ops. */
int roc_run_start(struct roc_run *run, u32 start, void *arg);
/*
 * In good order, with the channel lock. @reason: NONE if the reader requests it. @arg: for the
 * result, NULL: none.
 */
int roc_run_stop(struct roc_run *run, enum roc_reason reason, u32 flags, void *arg);
int roc_run_wait(struct roc_run *run, u64 deadline, void *arg);
int roc_run_reset(struct file *file, void *data);

/*
 * The channel that an ioctl names, NULL: none. On a channel's node @number is 0 or its own, and
 * *@caller is the open channel; on the endpoint's node that is NULL. See roc_open_by_other().
 */
struct roc_channel *roc_named_channel(struct file *file, u32 number,
				      const struct roc_open **caller);

/*
 * Of an open channel of any type; with the channel lock, but for roc_run_close(). Without the
 * reader's help roc_run_retire() ends the run, and roc_run_suspend() stops it in good order.
 * @present: the card may be touched. roc_run_gone() sets ROC_RUN_GONE.
 */
void roc_run_open(struct roc_open *o);
void roc_run_retire(struct roc_open *o, bool present);
void roc_run_suspend(struct roc_open *o);
void roc_run_gone(struct roc_open *o);
void roc_run_close(struct roc_open *o);

/* What the types that the core polls for have in struct roc_channel_type. */
#define ROC_RUN_TYPE_OPS                                                                           \
	.poll = roc_run_poll_events, .eventfd_set = roc_run_eventfd_set, .share = roc_run_share,   \
	.irq = roc_run_irq, .handle_error = roc_run_handle_error

void roc_run_share(struct roc_open *o, struct roc_shared_memory *shared);
__poll_t roc_run_poll_events(struct roc_open *o, struct poll_table_struct *pt);
void roc_run_eventfd_set(struct roc_open *o);
void roc_run_irq(struct roc_channel *ch, u32 purposes, bool shared);
void roc_run_handle_error(struct roc_open *o);
extern const struct attribute_group roc_run_group, roc_queue_group;

#endif /* ROC_RUN_H */
