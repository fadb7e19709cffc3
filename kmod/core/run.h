/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of a channel, from start to stop: meanwhile the card writes to memory by itself.
 *
 * All channel types share start and stop, binding to interrupts, and the callers of WAIT. Streams
 * and fragments also share the watchdog, poll() and eventfd, settings, and resets; a pool has a
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
#define ROC_POLL_MS 5	    /* ... and without interrupts */

#define ROC_QUEUES_MAX 2

/**
 * struct roc_run - an open channel and its run; the first member of the type's structure
 * @open: the core's part of the open channel; first
 * @number: number of the run, from 1; channel lock
 * @period: period of the watchdog, ms
 * @changes: roc_channel.changes when the settings were last written to the card; channel lock
 * @queue: event queues; the members from here to @reason are under roc_channel.run_lock
 * @edge: a caller uses edge-triggered poll()
 * @bad_index_reported: the card reported an invalid index of the reader in this run
 * @error_pending: the watchdog must query the card
 * @query_missed: the watchdog could not query the card at its last tick, because another call had
 *	the channel lock
 * @reason: reason for which the watchdog must end the run
 * @watchdog: detects silent cards and lost interrupts, and ends a run that failed
 */
struct roc_run {
	struct roc_open open;
	u32 number;
	unsigned int period;
	u32 changes;
	struct roc_event_queue queue[ROC_QUEUES_MAX];
	bool edge;
	bool bad_index_reported;
	bool error_pending;
	bool query_missed;
	enum roc_reason reason;
	struct delayed_work watchdog;
};

/* Flags in the page that the kernel writes, the same for all types. */
enum roc_run_flags {
	ROC_RUN_STOPPED = 1 << 0,
	ROC_RUN_FAILED = 1 << 1,
	ROC_RUN_GONE = 1 << 2,
};

struct roc_run_page {
	__u32 flags;
	__u32 run;
};

/* Common part of the arguments of reset ioctls. */
struct roc_reset_arg {
	__u32 size;
	__u32 flags;
	__u32 number; /* of the channel */
	__u32 level;  /* index of roc_run_ops.levels */
};

#define ROC_RESET_ALL 0xffffffffu

/**
 * struct roc_run_level - a reset level
 * @bits: bits for the reset register of the card
 * @stops: not allowed while the channel runs
 * @unowned: also allowed for callers other than the opener
 */
struct roc_run_level {
	u32 bits;
	bool stops;
	bool unowned;
};

/**
 * struct roc_run_ops - operations of a channel type for runs; constant
 * @queues: number of event queues that the core handles; their interrupts are the first purposes of
 *	the channel. 0: the type handles interrupts and polls by itself, and supplies @started
 * @levels: reset levels; level 0 resets everything to defaults
 * @level_count: number of @levels
 *
 * Called with the channel lock held:
 *
 * @enable: start a card that is verified to be quiesced; an error leaves it quiesced. NULL: the
 *	core starts a register block with @prepare, @begin and @setup
 * @start_failed: a start failed with -EIO before the run began. NULL: nothing to do
 * @started: serve the run, which users can see now; return the reason for which it must end, or
 *	NONE. NULL: the watchdog serves it
 * @flags: set and clear enum roc_run_flags in the page that the kernel writes. NULL: that page is a
 *	struct roc_run_page
 * @prepare: allocate what a start needs, after the card is verified to be quiesced. @arg: argument
 *	of the ioctl. NULL: nothing to do
 * @begin: initialise counts, the shared pages and the queues for a run
 * @setup: write the setup, for roc_block_enable()
 * @drain: let the card finish the data that it has, as far as @flags of the ioctl allow; return the
 *	reason for which it cannot, or NONE
 * @check: read the registers of the card; return the reason for which the run cannot continue, or
 *	NONE
 * @quiesce: save the registers that a reset clears, if the card may be accessed (@present). @reason
 *	is the reason for which the run ends. Return whether the card may be accessed afterwards
 * @finish: process what the card wrote until it was quiesced; return the reason for which the run
 *	failed, if only this shows it, or NONE
 * @report: fill in the result of a stop
 * @query: read the registers of the card, and end the run if the card does not respond or work
 * @reset: reset the channel to a level, with everything that follows from it
 * @reset_card: called after all channels were reset to defaults; NULL: nothing to do
 * @opened: the channel was opened. NULL: nothing to do
 * @closed: the claim ends; the channel lock is not held. NULL: nothing to do
 *
 * Called with roc_channel.run_lock held:
 *
 * @poll: read the positions of card and reader from memory, while the channel runs. NULL: nothing
 *	to do
 * @poll_stopped: read the position of the reader after the run; NULL: nothing to do
 * @readable: are there enough data for poll()?
 * @report_space: the reader does not sleep: report free space to the card if that is worth a
 *	register write. NULL: nothing to do
 * @wait: are there enough data for a WAIT with @arg? Otherwise, if the channel @runs, request an
 *	interrupt by roc_queue_wait()
 * @never_met: does @arg wait for more than the ring can hold? NULL: no @arg does
 * @wait_result: fill in the result of a WAIT
 * @tick: check for lost register writes at a tick of the watchdog; NULL: nothing to do
 * @moderate: write changed settings to the card
 * @activity: a number that changes whenever the card writes; NULL: the count of the queue
 * @armed_for: does the requested interrupt also cover data beyond @seen?
 * @arm: request one interrupt for data beyond @seen, or earlier; return the count from which it is
 * @sent: has the card sent an interrupt since the last call? @all: account for all of them. NULL:
 *	unknown
 * @for_data: was the cause of that interrupt data?
 * @due: maximum delay of the interrupt for data beyond @seen, ns; -1: no interrupt is due
 */
struct roc_run_ops {
	unsigned int queues;
	const struct roc_run_level *levels;
	unsigned int level_count;

	int (*enable)(struct roc_run *run);
	void (*start_failed)(struct roc_run *run);
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
	void (*report_space)(struct roc_run *run);
	bool (*wait)(struct roc_run *run, void *arg, bool runs);
	bool (*never_met)(struct roc_run *run, const void *arg);
	void (*wait_result)(struct roc_run *run, void *arg);
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

/* Is the run active and bound to interrupts? */
static inline bool roc_run_bound(const struct roc_run *run)
{
	lockdep_assert_held(&run->open.ch->run_lock);
	return run->open.ch->running == run;
}

/* Poll the channel. Context: run_lock held. Return: false if there is no run, or if it must end. */
bool roc_run_poll(struct roc_run *run);
void roc_run_fail(struct roc_run *run, enum roc_reason reason);
void roc_run_readable(struct roc_run *run);
void roc_run_bad_index(struct roc_run *run);

/* End a run that failed. Context: channel lock held. */
void roc_run_abort(struct roc_run *run, enum roc_reason reason);

/* Copy the counters that the information of every type contains. */
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

/* Called before settings are written to a card that is set up. */
void roc_run_settings(struct roc_run *run);
/* Called after settings changed. Context: run_lock held. */
void roc_run_changed(struct roc_channel *ch);

/* Operations of the ioctls. @arg: see struct roc_run_ops. */
int roc_run_start(struct roc_run *run, u32 start, void *arg);
/*
 * Stop the run normally. @reason: NONE if the opener requests it. @arg: for the result, NULL: none.
 * Context: channel lock held.
 */
int roc_run_stop(struct roc_run *run, enum roc_reason reason, u32 flags, void *arg);
int roc_run_wait(struct roc_run *run, u64 deadline, void *arg);
int roc_run_reset(struct file *file, void *data);

/*
 * Find the channel that an ioctl names. On a channel's node @number is 0 or that of the channel,
 * and *@caller is set to the open channel; on the endpoint's node *@caller is set to NULL. See
 * roc_open_by_other(). Return: NULL if there is no such channel.
 */
struct roc_channel *roc_named_channel(struct file *file, u32 number,
				      const struct roc_open **caller);

/*
 * For open channels of every type. Context: channel lock held, except for roc_run_close().
 * roc_run_retire() ends the run without the reader, roc_run_suspend() stops it normally, and
 * roc_run_gone() sets ROC_RUN_GONE. @present: the card may be accessed.
 */
void roc_run_open(struct roc_open *o);
void roc_run_retire(struct roc_open *o, bool present);
void roc_run_suspend(struct roc_open *o);
void roc_run_gone(struct roc_open *o);
void roc_run_close(struct roc_open *o);

/* Common operations in struct roc_channel_type of types that the core polls. */
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
