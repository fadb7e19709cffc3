/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal structures of the roc driver: who owns what, which lock guards what.
 *
 *   card      the board; its endpoints share one lock and the run-enable count
 *   endpoint  one PCI function, /dev/rocN
 *   channel   one DMA channel of an endpoint, /dev/rocNchM
 *   session   one open of a channel: rings, buffers, the run
 *
 * Lock order: mmap_lock > endpoint SRCU (read side) > channel->lock > card->lock.
 * User memory is neither touched nor pinned inside the read side or under one of our locks: who
 * provides it may take for ever, and removal waits for all of them.
 */
#ifndef ROC_H
#define ROC_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/roc.h>

#include "pool/event.h"
#include "core/extent.h"
#include "pool/pace.h"
#include "core/points.h"
#include "pool/ring.h"
#include "pool/want.h"

#define ROC_BARS 6
#define ROC_CHANNELS_MAX 6
#define ROC_LINKS_MAX 16
#define ROC_ENDPOINTS_MAX 256
#define ROC_MINORS (ROC_CHANNELS_MAX + 1) /* the endpoint's node, then its channels' */
#define ROC_ALL_ONES 0xffffffffu
#define ROC_FIFO_DEPTH_MAX 4096
#define ROC_CARRIED_MAX 4
#define ROC_EVENT_LOG2_MAX 13 /* of a submission ring */

struct roc_channel;
struct roc_endpoint;
struct roc_session;

enum roc_alarm {
	ROC_ALARM_NONE,
	ROC_ALARM_TEMPERATURE,
	ROC_ALARM_CRITICAL,
};

/**
 * struct roc_card - a board, shared by its endpoints
 * @node: in the list of cards, under the list's lock
 * @refs: endpoints that have it and the file that holds the advisory lock, under the list's lock
 * @type: with @serial and @place the key; a card without a serial is never shared
 * @serial: -1 if unknown
 * @place: an identity, never followed
 * @endpoints: mask of those that it has now: two with the same number are not one card; under the
 *	list's lock
 * @lock: every read-modify-write of a register that endpoints share, and what follows
 * @writes: counts register writes of users; under @lock
 * @runs: channels that want the card's run enable
 * @holder: open file that has the advisory lock (an identity, never followed), NULL = nobody;
 *	taken by cmpxchg, so that a waiter can try without sleeping
 * @holder_pid: its process
 * @holder_wait: who wants the advisory lock
 */
struct roc_card {
	struct list_head node;
	unsigned int refs;
	enum roc_card_type type;
	int serial;
	const struct pci_bus *place;
	unsigned long endpoints;
	struct mutex lock;
	u32 writes;
	unsigned int runs;
	const void *holder;
	struct pid *holder_pid;
	wait_queue_head_t holder_wait;
};

/* Registers that users may not read: @words of them, @count times, @stride bytes apart. */
struct roc_hidden {
	u32 offset;
	u32 words;
	u32 count;
	u32 stride;
};

/*
 * What user space may do with a BAR without CAP_SYS_RAWIO. Hidden is what tells a bus address, or
 * whose read takes something away. Who may map a BAR sees it all.
 */
struct roc_bar_policy {
	u32 access;	     /* enum roc_bar_flags */
	const u32 *writable; /* allow-list of offsets when ROC_BAR_REG_WRITE is not set */
	unsigned int writable_count;
	const struct roc_hidden *hidden;
	unsigned int hidden_count;
};

struct roc_register {
	unsigned int bar;
	u32 offset;
};

/**
 * struct roc_card_ops - a kind of card: its constants and its hardware access
 *
 * Everything from @start on is called with channel->lock held. Nothing of it allocates. A card
 * with @serial does not bear two accesses at once: everybody takes card->lock for each group of
 * accesses, and the backend does so itself.
 */
struct roc_card_ops {
	enum roc_card_type type;
	const char *name;
	unsigned int bars;	  /* mask of BARs that must be there */
	unsigned int shared_bars; /* mask of those that are one space for all endpoints */
	unsigned int channels;
	unsigned int link_slots;
	unsigned int dma_bits;
	u32 superpage_align;
	u32 superpage_max;
	u32 peak; /* MB/s that an endpoint delivers at most, 0 = it waits rather than to drop */
	u32 page_size;
	u32 sources;			       /* mask of enum roc_source */
	bool serial;			       /* all access under card->lock */
	bool free_looks;		       /* finished() reads host memory, not the card */
	bool marks;			       /* begins superpages at their first byte, in order */
	unsigned int flush_us;		       /* how long a flush may take to show */
	size_t host_memory;		       /* endpoint->memory, for the card to write to */
	const struct roc_bar_policy *policy;   /* [ROC_BARS] */
	const struct roc_register *carried;    /* configuration that a function reset clears */
	unsigned int carried_count;	       /* up to ROC_CARRIED_MAX */
	size_t channel_size;		       /* of the backend's own state of a channel */
	const struct attribute_group **groups; /* card's own sysfs files of an endpoint */
	const struct attribute_group **channel_groups; /* and of a channel */
	long temperature_max;			       /* millidegrees: warn; see monitor.c */
	long temperature_crit;			       /* millidegrees: critical */

	/* Fill the endpoint's identity; -EIO if this is not a live card. */
	int (*identify)(struct roc_endpoint *ep);
	/* Does it answer at all? Tells a real 0xffffffff from a dead bus. See roc_alive(). */
	bool (*alive)(struct roc_endpoint *ep);
	/* Bits that may not change through the register ioctls while channels run. */
	u32 (*in_use)(struct roc_endpoint *ep, unsigned int bar, u32 offset);
	/* Millidegrees; -ENODATA: no value. NULL: the card has no sensor. */
	int (*temperature)(struct roc_endpoint *ep, long *value);
	/* Link slots that the card's configuration enables. */
	u32 (*enabled_links)(struct roc_channel *ch);

	/*
	 * Reset and set going; may sleep. Descriptor FIFOs are empty when it returns. After an
	 * error the caller makes the channel quiet.
	 */
	int (*start)(struct roc_channel *ch, enum roc_source source, u32 links);
	/* Give one superpage to the card. -EIO: it did not take it. */
	int (*push)(struct roc_channel *ch, unsigned int link, u64 bus, u32 length);
	/* Superpages that @link finished since start, modulo 2^32. */
	u32 (*finished)(struct roc_channel *ch, unsigned int link);
	/*
	 * Bytes in the oldest finished superpage not yet asked for. -EIO: the card does not say.
	 * -EAGAIN: it does not say yet, and will be asked again: at once if it is not @proved to
	 * be finished, else not before @until.
	 */
	int (*received)(struct roc_channel *ch, unsigned int link, u32 length, bool proved,
			u64 until, u32 *bytes);
	/* No new data; close what is partly filled. */
	void (*flush)(struct roc_channel *ch);
	/*
	 * Stop, forget all descriptors, let go of what the card's endpoints share, and prove that
	 * the card writes no more; -EIO if it does. Of a channel that is @loaded the reset must be
	 * seen to work, else -ENODATA: one that is ignored changes nothing, and nothing would tell.
	 * Also for channels that this driver never started. Not @present: no access, only let go.
	 */
	int (*quiesce)(struct roc_channel *ch, bool present);
	/* At probe: may the channel have been left with work to do? */
	bool (*left_running)(struct roc_channel *ch);
	/* The function was reset: see to what the card's endpoints share. NULL: nothing. */
	void (*after_reset)(struct roc_channel *ch);
	int (*reset)(struct roc_channel *ch, enum roc_reset_level level);
	/* One command over the link; NULL: there is none. */
	int (*command)(struct roc_channel *ch, struct roc_ch_command *command);
	/* Counters of the card; NULL: it has none. */
	u32 (*dropped)(struct roc_channel *ch);
	u32 (*fifo_empty)(struct roc_channel *ch);
};

/*
 * Counters of a channel since the driver took the card: they only grow, whoever opens it. Written
 * under channel->lock, read without. Nothing but u64: see roc_stats_since().
 */
struct roc_stats {
	u64 pushed;
	u64 completed;
	u64 bytes;
	u64 reclaimed;
	u64 refused;
	u64 looks;
	u64 mmio_reads;
	u64 mmio_writes;
	u64 retries;
	u64 turns;
	u64 interrupts;
	u64 missed_interrupts;
	u64 spurious_interrupts;
	u64 bad_index;
	u64 fifo_empty;
	u64 gaps[ROC_GAPS];
};

/* A value of the card's that everybody may ask for: see sample.c. */
struct roc_sample {
	bool taken;
	int err;
	u32 writes;
	u64 when;
	s64 value;
};

enum roc_channel_sample {
	ROC_SAMPLE_DROPPED,
	ROC_SAMPLE_EMPTIES,
	ROC_SAMPLE_MONITORS, /* the card's own, from here on */
	ROC_CHANNEL_SAMPLES = ROC_SAMPLE_MONITORS + 4,
};

enum roc_endpoint_sample {
	ROC_SAMPLE_TEMPERATURE,
	ROC_SAMPLE_ENDPOINT_MONITORS,
	ROC_ENDPOINT_SAMPLES = ROC_SAMPLE_ENDPOINT_MONITORS + 6,
};

/**
 * struct roc_channel - one DMA channel, embedded in its endpoint
 * @dev: /dev/rocNchM; holds a reference to the endpoint
 * @lock: the session pointer, everything in the session, the backend's channel state, @stats
 * @base: @stats at the present open
 * @session: of the present opener, NULL if nobody has the channel
 * @owner_lock: @owner and @owner_name
 * @no_sizes: the card does not say how much is in a superpage, so nothing proves a mark: look.c
 * @empties: of this run, as @stats has it: see roc_count_empties()
 * @samples: under the endpoint's lock of them
 * @held: buffers whose owner gave them up while the card might still write; under @lock
 * @opens: number of the present open, from 1; under @lock
 * @mode: enum roc_mode of the present session, -1 = there is none; written under @lock
 * @bus: may master the bus; under card->lock
 * @suspect: not proved to be quiet in this binding; written under @lock and card->lock. See quiet.c
 * @loaded: was given superpages since its quiet was last proved, perhaps by somebody else: then
 *	only a reset that shows is a proof; under @lock
 * @unseen: suspect, but only because its reset changed nothing that can be seen; under @lock
 * @event: see event.h
 * @priv: the backend's own state
 */
struct roc_channel {
	struct roc_endpoint *ep;
	unsigned int number;
	struct device dev;
	struct cdev cdev;
	struct mutex lock;
	struct roc_session *session;
	spinlock_t owner_lock;
	struct pid *owner;
	char owner_name[TASK_COMM_LEN];
	enum roc_ch_state state;
	enum roc_why why;
	struct roc_stats stats;
	struct roc_stats base;
	bool no_sizes;
	u32 empties;
	struct roc_sample samples[ROC_CHANNEL_SAMPLES];
	struct roc_buffer *held;
	u32 opens;
	int mode;
	bool bus;
	bool suspect;
	bool loaded;
	bool unseen;
	struct roc_event event;
	void *priv;
};

/**
 * struct roc_endpoint - one PCI function
 * @dev: /dev/rocN; the structure lives until its last reference, beyond .remove
 * @pdev: valid between probe and the end of .remove
 * @srcu: read side = somebody uses the hardware; remove waits for it
 * @epoch: 0 while there is no hardware, else a number that changes with every reset: a file
 *	opened in another epoch gets -ENODEV for ever
 * @last_epoch: to count them; probe, remove and reset handlers only
 * @reachable: registers may be accessed; without an epoch until removal unmaps them
 * @gone: those who poll the endpoint; woken when @epoch becomes 0
 * @inode: private inode whose mapping all openers share, so that one zap revokes all BAR maps
 * @secret_bars: mask of those that nobody maps without CAP_SYS_RAWIO, whatever the policy says
 * @bar: kernel mappings; valid under @srcu with a good epoch, or while a session runs
 * @memory: host memory that the card writes to, ops->host_memory bytes, from probe to remove
 */
struct roc_endpoint {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	struct srcu_struct srcu;
	u32 epoch;
	u32 last_epoch;
	bool reachable;
	wait_queue_head_t gone;
	struct inode *inode;
	const struct roc_card_ops *ops;
	struct roc_card *card;
	int minor;
	u32 secret_bars;
	void __iomem *bar[ROC_BARS];
	resource_size_t bar_start[ROC_BARS];
	resource_size_t bar_length[ROC_BARS];
	bool ordered;	 /* memory shows what the card wrote in the order in which it did */
	bool translated; /* DMA goes through a translating IOMMU */
	void *memory;
	dma_addr_t memory_bus;
	struct roc_irqs irqs;

	/* Identity, filled by ops->identify() and then constant. */
	int serial;
	int number; /* endpoint of the card, -1 unknown */
	u32 fifo_depth;
	u32 features;
	u64 chip_id;
	u64 caps;
	char firmware[ROC_TEXT_MAX];
	char user_logic[ROC_TEXT_MAX];

	struct mutex sample_lock; /* @samples, and the channels' */
	struct roc_sample samples[ROC_ENDPOINT_SAMPLES];

	/* monitor.c; the work is the only writer of @alarm */
	struct device *hwmon;
	struct delayed_work alarm_work;
	enum roc_alarm alarm;

	struct roc_channel channels[ROC_CHANNELS_MAX];
};

/* A register that sysfs shows. */
struct roc_monitor {
	struct device_attribute attr;
	unsigned int sample; /* which of the card's own */
	unsigned int bar;    /* a channel's file: + number of the channel */
	u32 offset;	     /* of endpoint 0 */
	u32 stride;	     /* to endpoint 1; 0 = common to the card */
	u32 mask;
};

/* A superpage in the card. */
struct roc_flight {
	struct roc_fill fill;
	u64 bus;
	struct roc_buffer *buffer;
	u32 number; /* of its descriptor, event path */
	u64 *first; /* where the card begins, as the CPU sees it; NULL: not known. See look.c */
	u64 *last;  /* where it begins the last DMA page */
	u64 under_first; /* what the marks cover */
	u64 under_last;
};

/* One link of a run: a FIFO of superpages in push order. */
struct roc_link {
	unsigned int slot;
	u32 head;		    /* pushed, free running */
	u32 tail;		    /* came back, free running */
	u32 found;		    /* finished by the card's count */
	u64 busy;		    /* when it was last seen to have work: see roc_count_gap() */
	u32 untold;		    /* pushed, and the doorbell not yet rung: see flow.c */
	u32 unproved;		    /* taken for finished since its counter was last read */
	bool pending;		    /* the card finished more than was collected */
	struct roc_flight *flights; /* [session->depth] */
	struct roc_pace pace;	    /* where a look is free */
	struct roc_doubt doubt;	    /* where it is not */
};

/* Pinned and mapped user memory. Owned by the session's xarray, or by the channel's @held. */
struct roc_buffer {
	struct roc_buffer *next; /* in the channel's @held, or the session's @untold */
	u32 handle;		 /* while in the latter */
	struct mm_struct *mm;	 /* whose pinned_vm it is charged to */
	unsigned long pages;
	u64 length;
	struct roc_extents extents;
	struct roc_extents memory; /* the same as the CPU sees it; empty: not seen */
	struct roc_extents pieces; /* where each byte is in memory; only with @sync */
	bool sync;		   /* the CPU's view must be synced after DMA */
	bool mapped;
	struct sg_append_table sgt;
};

/**
 * struct roc_session - one open of a channel
 *
 * Owned by the file; ends at the last close. Everything is guarded by channel->lock, except
 * @rings_ready (published once, read by mmap), the queues, @wanted and @thread's wake-up.
 *
 * @retired: no hardware any more (removed, reset, closing); buffers are gone
 * @leak: quiet could not be proved: buffers given up now go to the channel's @held
 */
struct roc_session {
	struct roc_channel *ch;
	struct mm_struct *mm; /* of the opener: whose memory may be registered */
	u32 epoch;
	bool retired;
	bool leak;

	struct roc_rings rings;
	bool rings_ready;
	unsigned long user_length;
	unsigned long kernel_length;
	wait_queue_head_t wait;	 /* poll */
	wait_queue_head_t batch; /* ROC_CH_WAIT */
	u32 wanted;		 /* fewest entries that one of these wants: see want.h */
	struct eventfd_ctx *eventfd;

	struct xarray buffers;
	struct roc_buffer *untold; /* registered, and the caller does not know it yet */
	enum roc_source source;
	enum roc_mode mode;
	u32 links_wanted; /* 0 = all that are enabled */
	u32 configure;	  /* bits of enum roc_configure_flags */

	u32 run;   /* number of the run, from 1 */
	u32 links; /* of this run */
	unsigned int link_count;
	u32 depth;
	u32 flight_mask; /* of roc_flight(): the power of two that has room for depth, less one */
	u32 in_flight;
	u64 held; /* bytes of these */
	u64 sequence;
	u64 mark;	   /* what the kernel writes where the card will */
	u64 until;	   /* of a look: then others get the channel lock */
	unsigned int next; /* link that the next look begins with */
	bool unfinished;   /* the last look had no time for all links */
	struct roc_rate rate;
	struct roc_link link[ROC_LINKS_MAX];

	struct task_struct *thread;
	u32 wish; /* the last that waited wanted so many */
	u32 wish_turns;
	u64 blocked;	/* since when the ready ring has no room, 0 = it has */
	u32 blocked_at; /* and how far the fill ring had been taken */
	bool kicked;
	bool doubt; /* the card says that something is wrong with the channel */
	bool armed; /* event mode: an interrupt was asked for */
	u64 watch;  /* since when the watchdog has records without an interrupt, 0 = none */
	u64 heard;  /* when the card last said something */
	u32 early;  /* times that records were taken whose interrupt may still come */
	u64 took;   /* the last of these */
	u64 check;  /* when the watchdog looks */
	u64 asked;  /* when the card was last known to be there, 0 = not yet in this run */
};

/* card.c */
int roc_card_get(struct roc_endpoint *ep);
void roc_card_put(struct roc_endpoint *ep);
int roc_card_lock(struct roc_endpoint *ep, u32 epoch, const void *holder,
		  struct roc_card_lock *arg);
int roc_card_unlock(struct roc_card *card, const void *holder);
int roc_reg_access(struct roc_endpoint *ep, unsigned int nr, struct roc_reg *reg);
u32 roc_bar_access(struct roc_endpoint *ep, unsigned int bar);
bool roc_users_may_write(const struct roc_endpoint *ep, unsigned int bar, u64 offset, u32 size);
void roc_card_flush(struct roc_endpoint *ep, unsigned int bar);
u32 roc_card_read(struct roc_endpoint *ep, unsigned int bar, u32 offset);
bool roc_alive(struct roc_endpoint *ep);
bool roc_reachable(struct roc_endpoint *ep);
int roc_parse_serial(u32 word);

/* chardev.c */
/**
 * struct roc_ioctl - an ioctl and its structure
 * @nr: number
 * @first: size of the structure when it was first published; never changes
 * @size: of the structure now
 * @handler: called inside the endpoint's SRCU read side
 * @settle: what the handler made becomes real when the caller was told of it, and is undone when
 *	it could not be. Nobody else can use it, or take it away, before. Outside the read side
 * @enters: the handler goes in by itself, because it waits for user memory outside
 */
struct roc_ioctl {
	unsigned int nr;
	u32 first;
	u32 size;
	int (*handler)(struct file *file, void *arg);
	void (*settle)(struct file *file, const void *arg, bool told);
	bool enters;
};
int roc_chardev_init(void);
void roc_chardev_exit(void);
struct roc_endpoint *roc_endpoint_alloc(struct pci_dev *pdev, const struct roc_card_ops *ops);
void roc_endpoint_put(struct roc_endpoint *ep);
int roc_endpoint_publish(struct roc_endpoint *ep);
void roc_endpoint_unpublish(struct roc_endpoint *ep);
long roc_ioctl_dispatch(struct file *file, unsigned int cmd, unsigned long arg,
			struct roc_endpoint *ep, u32 epoch, const struct roc_ioctl *table,
			unsigned int count);
bool roc_enter(struct roc_endpoint *ep, u32 epoch, int *idx);
void roc_leave(struct roc_endpoint *ep, int idx);

/* endpoint.c */
extern const struct file_operations roc_endpoint_fops;

/* channel.c */
extern const struct file_operations roc_channel_fops;

/* session.c */
struct roc_session *roc_session_open(struct roc_channel *ch, u32 epoch);
void roc_session_close(struct roc_session *s);
void roc_session_wake(struct roc_session *s);
void roc_session_mode(struct roc_session *s, enum roc_mode mode);
bool roc_session_events(const struct roc_session *s);
u32 roc_session_depth(const struct roc_session *s);
void roc_session_retire(struct roc_session *s, bool present);
int roc_session_rings(struct roc_session *s, struct roc_ch_rings *arg);
void roc_session_rings_settle(struct roc_session *s, bool told);

/* run.c */
int roc_run_start(struct roc_session *s);
int roc_run_stop(struct roc_session *s, u32 *reclaimed);
void roc_run_abort(struct roc_session *s, enum roc_ch_state state, enum roc_why why, bool present);

/* quiet.c */
bool roc_suspects(struct roc_endpoint *ep);
int roc_bus_give(struct roc_channel *ch);
int roc_bus_give_function(struct roc_endpoint *ep);
void roc_bus_off(struct roc_endpoint *ep);
void roc_make_quiet(struct roc_session *s, bool present);
bool roc_settle(struct roc_channel *ch, bool present);
int roc_settle_all(struct roc_endpoint *ep);
void roc_settle_by_reset(struct roc_endpoint *ep);
int roc_reset_function(struct roc_endpoint *ep);

/* flow.c */
static inline struct roc_flight *roc_flight(struct roc_session *s, struct roc_link *link, u32 index)
{
	return &link->flights[index & s->flight_mask];
}

enum roc_refill {
	ROC_REFILL_DONE,    /* the fill ring is empty */
	ROC_REFILL_FULL,    /* the card has no room for more */
	ROC_REFILL_BLOCKED, /* the ready ring has no room for more */
	ROC_REFILL_MORE,    /* somebody else may want the channel lock first */
};

u32 roc_room(struct roc_session *s);
u32 roc_waiting(struct roc_session *s);
void roc_finish(struct roc_session *s, struct roc_link *link, u32 bytes, u32 flags, u64 now);
enum roc_refill roc_refill(struct roc_session *s, u64 now);
u32 roc_reclaim(struct roc_session *s, enum roc_why why);
void roc_publish(struct roc_session *s);

/* look.c: plain cards */
enum roc_look {
	ROC_LOOK_SHOWN, /* what memory shows */
	ROC_LOOK_DUE,	/* and where something is expected */
	ROC_LOOK_BEGUN, /* where the card is at work */
	ROC_LOOK_ALL,
};
void roc_find_marks(struct roc_session *s, struct roc_flight *flight);
void roc_mark(struct roc_session *s, struct roc_flight *flight);
void roc_unmark(struct roc_session *s, const struct roc_flight *flight);
u32 roc_shown(struct roc_session *s);
u32 roc_look_plain(struct roc_session *s, u64 now, enum roc_look what);

/* drain.c: cards with an event path */
u32 roc_drain(struct roc_session *s, u64 now);

/* thread.c */
u32 roc_look(struct roc_session *s, u64 now, enum roc_look what);
u32 roc_run_look(struct roc_session *s);
int roc_run_mode(struct roc_session *s, enum roc_mode mode);
int roc_thread_create(struct roc_session *s);
void roc_run_kick(struct roc_session *s);

/* buffer.c */
int roc_buffer_register(struct roc_session *s, struct roc_buf_register *arg);
void roc_buffer_settle(struct roc_session *s, u32 handle, bool told);
int roc_buffer_unregister(struct roc_session *s, u32 handle);
void roc_buffer_drop_all(struct roc_session *s);
void roc_buffer_free_held(struct roc_channel *ch);
bool roc_buffer_abandon_held(struct roc_channel *ch);

void roc_buffer_sync(struct roc_endpoint *ep, const struct roc_flight *flight, bool to_card);

/* monitor.c */
void roc_monitor_start(struct roc_endpoint *ep);
void roc_monitor_stop(struct roc_endpoint *ep);
void roc_monitor_now(struct roc_endpoint *ep);
void roc_announce_link(struct roc_endpoint *ep);

/* sample.c */
int roc_sample(struct roc_endpoint *ep, struct roc_sample *sample,
	       int (*read)(const void *what, s64 *value), const void *what, s64 *value);
void roc_count_empties(struct roc_channel *ch);

/* sysfs.c */
ssize_t roc_monitor_show(struct device *dev, struct device_attribute *attr, char *buf);
ssize_t roc_channel_monitor_show(struct device *dev, struct device_attribute *attr, char *buf);
extern const struct attribute_group *roc_endpoint_groups[];
extern const struct attribute_group *roc_channel_groups[];

/* cru.c */
extern const struct roc_card_ops roc_cru_ops;

/* crorc.c */
extern const struct roc_card_ops roc_crorc_ops;

/* Around each group of accesses, for those who do not hold the card's lock anyway. */
static inline void roc_serial_lock(struct roc_endpoint *ep)
{
	if (ep->ops->serial)
		mutex_lock(&ep->card->lock);
}

static inline void roc_serial_unlock(struct roc_endpoint *ep)
{
	if (ep->ops->serial)
		mutex_unlock(&ep->card->lock);
}

static inline u32 roc_read(struct roc_endpoint *ep, unsigned int bar, u32 offset)
{
	return ioread32(ep->bar[bar] + offset);
}

static inline void roc_write(struct roc_endpoint *ep, unsigned int bar, u32 offset, u32 value)
{
	iowrite32(value, ep->bar[bar] + offset);
}

#endif /* ROC_H */
