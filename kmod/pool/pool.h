/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pool: a kind of channel to which the reader lends superpages, and that gives them back in the
 * order in which the card finishes them.
 *
 *   channel   what outlives an open: counters, the event path
 *   run       one open: rings, settings, superpages in the card; see core/run.h
 *   thread    polls, refills, sleeps
 *
 * Calls go one way: kind > ioctl > run > thread > look > flow > event > ring, pace.
 * A function that finds that the card broke its contract returns why; core/run.c ends the run.
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
 * struct roc_pool_ops - a card with a pool: its constants and its hardware access
 *
 * Constant, the card's. It is called with channel->lock held, and nothing of it allocates.
 *
 * @card: what the core asks of it
 * @link_slots: link slots of a channel
 * @superpage_align: in bytes
 * @superpage_max: bytes of the largest superpage
 * @peak: MB/s that an endpoint delivers at most, 0 = it waits rather than to drop
 * @page_size: bytes of a DMA page
 * @sources: mask of enum roc_source
 * @polls_memory: @finished reads host memory, not the card
 * @fills_in_order: the card fills superpages in order, each from its first byte
 * @flush_us: how long a flush may take to show, microseconds
 * @dropped: counter of the card, also read without the lock; NULL: the card has none
 * @fifo_empty: counter of the card; NULL: the card has none
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
	 * @start: Reset and set going; may sleep. Descriptor FIFOs are empty when it returns. After
	 * an error the caller makes the channel quiet. @configure: enum roc_configure_flags.
	 */
	int (*start)(struct roc_channel *ch, enum roc_source source, u32 links, u32 configure);
	/**
	 * @flow: It has superpages: data may come, where they would be lost without. NULL: they
	 * wait.
	 */
	void (*flow)(struct roc_channel *ch, enum roc_source source);
	/** @push: Give one superpage to the card. -EIO: it did not take it. */
	int (*push)(struct roc_channel *ch, unsigned int link, u64 bus, u32 length);
	/** @finished: Superpages that @link finished since start, modulo 2^32. */
	u32 (*finished)(struct roc_channel *ch, unsigned int link);
	/**
	 * @received: Bytes in the oldest finished superpage not yet asked for. -EIO: the card does
	 * not say.
	 * -EMSGSIZE: more than @length.
	 * -EAGAIN: it does not say yet, and will be asked again: at once if it is not @confirmed to
	 * be finished, else not before @until.
	 */
	int (*received)(struct roc_channel *ch, unsigned int link, u32 length, bool confirmed,
			u64 until, u32 *bytes);
	/** @flush: No new data; close what is partly filled. */
	void (*flush)(struct roc_channel *ch);
	/** @command: One command over the link; NULL: there is none. */
	int (*command)(struct roc_channel *ch, struct roc_ch_command *command);
	u32 (*dropped)(struct roc_channel *ch);
	u32 (*fifo_empty)(struct roc_channel *ch);
};

/* As struct roc_stats, of a pool. */
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
 * struct roc_pool - a channel's pool, whoever opens it; lives as long as the channel. Its lock
 * @stats: counters of the channel
 * @base: @stats at the present open
 * @no_sizes: the card reports no superpage sizes, so nothing would confirm a sentinel: see flow.c
 * @empties: of this run, as @stats has it: see roc_pool_count_fifo_empty()
 * @dropped_known: what the card said last of what it dropped; channel lock
 * @dropped: sample for sysfs; under the endpoint's lock of samples
 * @fifo_empty: the same for empty FIFOs
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
	u32 head;	 /* pushed, free running */
	u32 tail;	 /* came back, free running */
	u32 found;	 /* finished by the card's count */
	u64 busy;	 /* when it was last seen to have work: see roc_link_count_gap() */
	u32 unrung;	 /* pushed, and the doorbell not yet rung: see flow.c */
	u32 unconfirmed; /* taken for finished since its counter was last read */
	bool pending;	 /* the card finished more than was collected */
	struct roc_flight *flights; /* [depth] of the run */
	struct roc_pace pace;	    /* where a look is free */
	struct roc_backoff backoff; /* where it is not */
};

/* What the next start will do. Channel lock; sysfs reads @mode under run_lock. */
struct roc_setting {
	enum roc_source source;
	enum roc_mode mode;
	u32 links;     /* 0 = all that are enabled */
	u32 configure; /* bits of enum roc_configure_flags */
};

/**
 * struct roc_watch - the watchdog of a card with events. Reset at start. Channel lock
 * @armed: an interrupt was asked for
 * @overdue_since: when it found records before their interrupt, 0 = no interrupt is overdue
 * @active: when the card last said something
 * @early: times that records were taken whose interrupt may still come
 * @early_at: the last of these
 * @check: when it looks
 * @queried: when the card was last known to be there, 0 = not yet in this run
 * @repeated: in this silence it was told again what it should know
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
 * Channel lock, but for @task and @kicked, which are used without it to wake the thread.
 *
 * @task: the thread, NULL: none
 * @kicked: set before each wake-up of @task
 * @fired: interrupts that no turn has counted; under roc_channel.run_lock
 * @min_ready: wake threshold of the last waiter, in superpages
 * @min_ready_turns: turns for which @min_ready still applies after its waiter was woken
 * @blocked: since when the ready ring has no room, 0 = it has
 * @blocked_at: and how far the fill ring had been taken
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

/* The rings of an open channel: an area of its own for each of their writers. */
struct roc_pool_rings {
	struct roc_shared_memory shared; /* first */
	u32 fill_entries;
	u32 ready_entries;
};

/**
 * struct roc_pool_run - an open channel with a pool, and its run
 * @run: first; its queue counts the entries of the ready ring
 * @ch: of @run
 * @pool: of @ch
 * @rings: shared with the reader
 * @sequence: of the next entry of the ready ring
 * @setting: what the next start will do
 * @thread: from the first start to the close
 * @links: of the run; from here on set up at start
 * @link_count: entries of @link
 * @depth: superpages that each link holds at most
 * @flight_mask: of roc_flight(): the power of two that has room for @depth, less one
 * @in_flight: superpages in the card, of all links
 * @in_flight_bytes: bytes of those that are @in_flight
 * @sentinel: random word by which DMA progress is detected: see flow.c
 * @until: of a look: then others get the channel lock
 * @next: link that the next look begins with
 * @unfinished: the last look had no time for all links
 * @rate: of the data, see pace.h
 * @flushed: the card was asked to end
 * @reclaimed: superpages that the card did not use, of the last run that ended
 * @link: of each link of the run
 *
 * Channel lock, but for the queue and what struct roc_thread says.
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

/* Superpages that a link is given with these settings, at most. */
static inline u32 roc_pool_depth(const struct roc_pool_run *p)
{
	return roc_pool_events(p) ? p->pool->event.depth : p->ch->ep->fifo_depth;
}

/* Have the thread look. Also from interrupts. */
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
	ROC_POLL_MEMORY,  /* what memory shows */
	ROC_POLL_DUE,	  /* and where something is expected */
	ROC_POLL_STARTED, /* where the card is at work */
	ROC_POLL_ALL,
};

enum roc_reason roc_pool_find_finished(struct roc_pool_run *p, u64 now, enum roc_poll_scope scope,
				       u32 *found);

/* flow.c */
enum roc_pool_refill {
	ROC_REFILL_DONE,    /* the fill ring is empty */
	ROC_REFILL_FULL,    /* the card has no room for more */
	ROC_REFILL_BLOCKED, /* the ready ring has no room for more */
	ROC_REFILL_MORE,    /* somebody else may want the channel lock first */
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
