/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool: the channel type in which the reader submits superpages, the card fills them, and the
 * driver returns them in the order in which the card finishes them.
 *
 *   channel   state that outlives an open: counters, the event path
 *   run       one open: rings, settings, superpages in the card; see core/run.h
 *   thread    polls, refills and sleeps
 *
 * Calls go one way: channel_type > ioctl > run > thread > poll > flow > event > ring, pace.
 * A function that detects a protocol violation of the card returns the reason; core/run.c ends the
 * run.
 */
#ifndef ROC_POOL_H
#define ROC_POOL_H

#include "core/block.h"
#include "core/run.h"
#include "core/shared_memory.h"
#include "pool/event.h"
#include "pool/event_vsec.h"
#include "pool/pace.h"
#include "pool/ring.h"

#define ROC_LINKS_MAX 16

struct roc_pool_run;

/**
 * struct roc_pool_ops - constants and operations of a card with pool channels
 *
 * The backend of the card defines it. The operations are called with the channel lock held and do
 * not allocate memory.
 *
 * @card: constants and operations that the core needs
 * @link_slots: link slots of a channel
 * @superpage_align: alignment of superpages, bytes
 * @superpage_max: bytes of the largest superpage
 * @peak: highest data rate of an endpoint, MB/s; 0: the card waits for superpages and drops nothing
 * @page_size: bytes of a DMA page
 * @sources: mask of enum roc_source
 * @polls_memory: @finished reads host memory, not the card
 * @fills_in_order: the card fills superpages in order, each from its first byte
 * @flush_us: time from a flush until its effect is visible, microseconds
 * @dropped: read the card's counter of dropped packets, also without the lock; NULL: it has none
 * @fifo_empty: read the card's counter of empty descriptor FIFOs; NULL: it has none
 */
struct roc_pool_ops {
	struct roc_card_ops card;
	unsigned int link_slots;
	u32 superpage_align;
	u32 superpage_max;
	u32 peak;
	u32 page_size;
	u32 sources;
	bool polls_memory;
	bool fills_in_order;
	unsigned int flush_us;

	/** @enabled_links: Link slots that the card's configuration enables. */
	u32 (*enabled_links)(struct roc_channel *ch);
	/**
	 * @start: Reset and start the card; may sleep. It returns with empty descriptor FIFOs.
	 * @configure: bits of enum roc_configure_flags. After an error the caller quiesces the
	 * channel.
	 */
	int (*start)(struct roc_channel *ch, enum roc_source source, u32 links, u32 configure);
	/**
	 * @flow: Enable the data, which would be lost without superpages; called once the card has
	 * some. NULL: the data wait.
	 */
	void (*flow)(struct roc_channel *ch, enum roc_source source);
	/** @push: Push one superpage to the card. -EIO: the card did not accept it. */
	int (*push)(struct roc_channel *ch, unsigned int link, u64 bus, u32 length);
	/** @finished: Superpages that @link finished since start, modulo 2^32. */
	u32 (*finished)(struct roc_channel *ch, unsigned int link);
	/**
	 * @received: Read how many bytes the oldest superpage has whose size was not yet read.
	 * -EIO: the card reports no size.
	 * -EMSGSIZE: the size is larger than @length.
	 * -EAGAIN: the size is not there yet, and the caller retries later. If the superpage is not
	 * @confirmed to be finished, return that at once, else wait for the size until @until.
	 */
	int (*received)(struct roc_channel *ch, unsigned int link, u32 length, bool confirmed,
			u64 until, u32 *bytes);
	/** @flush: Stop new data and close partly filled superpages. */
	void (*flush)(struct roc_channel *ch);
	/** @command: Send one command over the link; NULL: the card has no commands. */
	int (*command)(struct roc_channel *ch, struct roc_ch_command *command);
	u32 (*dropped)(struct roc_channel *ch);
	u32 (*fifo_empty)(struct roc_channel *ch);
};

/* Counters of a pool channel, in addition to struct roc_stats. */
struct roc_pool_stats {
	u64 pushed;
	u64 completed;
	u64 reclaimed;
	u64 refused;
	u64 damaged;
	u64 short_superpages;
	u64 polls;
	u64 retries;
	u64 fifo_empty;
	u64 gaps[ROC_GAPS];
};

/**
 * struct roc_pool - pool state that outlives an open; lives as long as the channel. Channel lock
 * @stats: counters of the channel
 * @base: @stats at the current open
 * @no_sizes: the card reports no superpage sizes, so nothing would confirm a sentinel: see flow.c
 * @fifo_empty_seen: the card's counter, up to which @stats has it: see roc_pool_count_fifo_empty()
 * @dropped_seen: the card's counter of dropped packets, as last read; channel lock
 * @dropped: sample of that counter for sysfs; under the endpoint's lock of samples
 * @fifo_empty: sample of the counter of empty FIFOs
 * @event: event path of the channel
 */
struct roc_pool {
	struct roc_pool_stats stats;
	struct roc_pool_stats base;
	bool no_sizes;
	u32 fifo_empty_seen;
	u32 dropped_seen;
	struct roc_sample dropped;
	struct roc_sample fifo_empty;
	struct roc_event event;
};

/* A superpage in the card. Owned by its link. */
struct roc_flight {
	struct roc_fill fill;
	u64 bus;
	struct roc_buffer *buffer;
	u32 number;	 /* of its descriptor, event path */
	u64 *first;	 /* first word, as the CPU sees it; NULL: no sentinels. See flow.c */
	u64 *last;	 /* first word of the last DMA page */
	u64 saved_first; /* what the sentinels have replaced */
	u64 saved_last;
};

/* One link of a run: a FIFO of superpages in push order. Channel lock. */
struct roc_link {
	unsigned int slot;
	u32 head;		    /* pushed, free running */
	u32 tail;		    /* returned, free running */
	u32 found;		    /* finished, as the card counts */
	u64 busy;		    /* when it last had a superpage: see roc_link_count_gap() */
	u32 unrung;		    /* pushed since the last doorbell: see flow.c */
	u32 unconfirmed;	    /* finished by sentinels since the counter was last read */
	bool pending;		    /* the card has finished more than was collected */
	struct roc_flight *flights; /* [depth] of the run */
	struct roc_pace pace;	    /* if polls read memory */
	struct roc_backoff backoff; /* if polls read a register */
};

/* Settings of the next start. Channel lock; sysfs reads @mode under run_lock. */
struct roc_setting {
	enum roc_source source;
	enum roc_mode mode;
	u32 links;     /* mask; 0: all that are enabled */
	u32 configure; /* bits of enum roc_configure_flags */
};

/**
 * struct roc_watch - the watchdog of a card with events. Reset at start. Channel lock
 * @armed: an interrupt is requested
 * @overdue_since: when records were found before their interrupt; 0: no interrupt is overdue
 * @active: when the card last showed activity
 * @early: number of times that records were taken whose interrupt may still come
 * @early_at: the last such time
 * @check: when to check for a lost interrupt
 * @queried: when the card was last known to be present; 0: not yet in this run
 * @repeated: the driver has rewritten its indices since the card fell silent
 * @scan: when the record ring may next be searched for a hole
 * @counted: when the card's count of records was last read, or a record last found
 * @recounted: the count was read since a record was last found
 * @error_pending: the card reported an error of the channel, which the thread has to check
 */
struct roc_watch {
	bool armed;
	u64 overdue_since;
	u64 active;
	u32 early;
	u64 early_at;
	u64 check;
	u64 queried;
	bool repeated;
	u64 scan;
	u64 counted;
	bool recounted;
	bool error_pending;
};

/**
 * struct roc_thread - the thread of an open channel, from its first start to its close
 *
 * Channel lock, except @task and @kicked, which wake the thread without it.
 *
 * @task: the thread, NULL: none
 * @kicked: set before each wake-up of @task
 * @fired: interrupts since the last turn; under roc_channel.run_lock
 * @min_ready: wake threshold of the last waiter, in superpages
 * @min_ready_turns: turns for which @min_ready still applies after its waiter was woken
 * @blocked: since when the ready ring has no space; 0: it has some
 * @blocked_at: consumer index of the fill ring at that time
 * @watch: watchdog of a card with events
 */
struct roc_thread {
	struct task_struct *task;
	bool kicked;
	unsigned int fired;
	u32 min_ready;
	u32 min_ready_turns;
	u64 blocked;
	u32 blocked_at;
	struct roc_watch watch;
};

/* The rings of an open channel. Each writer has its own area. */
struct roc_pool_rings {
	struct roc_shared_memory shared; /* first */
	u32 fill_entries;
	u32 ready_entries;
};

/**
 * struct roc_pool_run - an open pool channel, and its run
 * @run: first; its queue counts the entries of the ready ring
 * @ch: the channel
 * @pool: its pool
 * @rings: shared with the reader
 * @sequence: number of the next entry of the ready ring
 * @setting: settings of the next start
 * @thread: from the first start to the close
 * @links: mask of the run's links; from here on set up at start
 * @link_count: entries of @link
 * @depth: superpages that each link holds at most
 * @flight_mask: for roc_flight(): @depth, rounded up to a power of two, less one
 * @in_flight: superpages in the card, of all links
 * @in_flight_bytes: their bytes
 * @sentinel: random word by which DMA progress is detected: see flow.c
 * @until: end of the current poll, so that others get the channel lock
 * @next: link with which the next poll begins
 * @unfinished: the last poll ran out of time before it had polled all links
 * @rate: data rate, see pace.h
 * @flushed: the card was flushed
 * @reclaimed: superpages that the card did not fill, in the last run that ended
 * @link: state of each link of the run
 *
 * Channel lock, except the queue, and as struct roc_thread describes.
 */
struct roc_pool_run {
	struct roc_run run;
	struct roc_channel *ch;
	struct roc_pool *pool;
	struct roc_rings rings;
	u64 sequence;
	struct roc_setting setting;
	struct roc_thread thread;

	u32 links;
	unsigned int link_count;
	u32 depth;
	u32 flight_mask;
	u32 in_flight;
	u64 in_flight_bytes;
	u64 sentinel;
	u64 until;
	unsigned int next;
	bool unfinished;
	struct roc_rate rate;
	bool flushed;
	u32 reclaimed;
	struct roc_link link[ROC_LINKS_MAX];
};

static inline const struct roc_pool_ops *roc_pool_ops(const struct roc_endpoint *ep)
{
	return container_of(ep->ops, struct roc_pool_ops, card);
}

static inline struct roc_pool *roc_pool(const struct roc_channel *ch)
{
	return ch->type_priv;
}

static inline struct roc_pool_run *roc_pool_run(const struct roc_run *run)
{
	return container_of((struct roc_run *)run, struct roc_pool_run, run);
}

/* Does a run with these settings use the card's event path? */
static inline bool roc_pool_events(const struct roc_pool_run *p)
{
	return p->ch->block && !(p->setting.configure & ROC_CONFIGURE_PLAIN);
}

/* The largest number of superpages in a link with these settings. */
static inline u32 roc_pool_depth(const struct roc_pool_run *p)
{
	return roc_pool_events(p) ? p->pool->event.depth : p->ch->ep->fifo_depth;
}

/* Wake the thread for a poll. Also called by interrupt handlers. */
static inline void roc_pool_kick(struct roc_pool_run *p)
{
	struct task_struct *task = READ_ONCE(p->thread.task);

	WRITE_ONCE(p->thread.kicked, true);
	if (task)
		wake_up_process(task);
}

static inline struct roc_flight *roc_flight(struct roc_pool_run *p, struct roc_link *link,
					    u32 index)
{
	return &link->flights[index & p->flight_mask];
}

/* channel_type.c */
extern const struct roc_channel_type roc_pool_type;

/* ioctl.c */
extern const struct roc_ioctl_table roc_pool_ioctls;

/* sysfs.c */
extern const struct attribute_group *roc_pool_groups[];

/* run.c */
extern const struct roc_run_ops roc_pool_run_ops;
u32 roc_pool_ready_now(struct roc_pool_run *p);
void roc_pool_count_fifo_empty(struct roc_channel *ch);

/* poll.c */
enum roc_poll_scope {
	ROC_POLL_MEMORY,  /* host memory only */
	ROC_POLL_DUE,	  /* also registers, where a superpage is due */
	ROC_POLL_STARTED, /* also registers, where the card is in the last page of one */
	ROC_POLL_ALL,	  /* all links */
};

enum roc_reason roc_pool_find_finished(struct roc_pool_run *p, u64 now, enum roc_poll_scope scope,
				       u32 *found);

/* flow.c */
enum roc_pool_refill {
	ROC_REFILL_DONE,    /* the fill ring is empty */
	ROC_REFILL_FULL,    /* the card has no space for more */
	ROC_REFILL_BLOCKED, /* the ready ring has no space for more */
	ROC_REFILL_MORE,    /* stopped early, so that others get the channel lock */
};

u32 roc_pool_space(struct roc_pool_run *p);
u32 roc_pool_submittable(struct roc_pool_run *p);
void roc_pool_complete(struct roc_pool_run *p, struct roc_link *link, u32 bytes, u32 flags,
		       u64 now);
enum roc_reason roc_pool_refill(struct roc_pool_run *p, u64 now, enum roc_pool_refill *left);
u32 roc_pool_reclaim(struct roc_pool_run *p, enum roc_reason reason);
void roc_pool_publish(struct roc_pool_run *p);

/* flow.c: sentinels */
u32 roc_sentinel_finished(struct roc_pool_run *p, struct roc_link *link);
enum roc_sentinel_stage roc_sentinel_stage(struct roc_pool_run *p, struct roc_link *link);
u32 roc_sentinel_finished_all(struct roc_pool_run *p);

/* thread.c */
int roc_thread_create(struct roc_pool_run *p);
void roc_thread_irq(struct roc_channel *ch, u32 purposes, bool shared);
void roc_thread_stop(struct roc_run *run);
u32 roc_thread_poll(struct roc_pool_run *p);
int roc_thread_mode(struct roc_pool_run *p, enum roc_mode mode);

#endif /* ROC_POOL_H */
