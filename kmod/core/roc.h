/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the core keeps: who owns what, which lock guards what.
 *
 *   card      the board; its endpoints share one lock and the run-enable count: card.h
 *   endpoint  one PCI function, /dev/rocN
 *   channel   one DMA channel of an endpoint, /dev/rocNchM
 *   open      one open of a channel: channel_type.h. The kind of channel adds its own to it
 *
 * Lock order: mmap_lock > endpoint SRCU (read side) > endpoint->registers > channel->lock >
 * card->lock > list of cards. A page fault only tries endpoint->registers and channel->lock: see
 * roc_fault_retry().
 * User memory is neither touched nor pinned inside the read side or under one of our locks: who
 * provides it may take for ever, and removal waits for all of them.
 */
#ifndef ROC_H
#define ROC_H

#include <linux/cdev.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <uapi/linux/roc.h>

#include "core/buffer.h"
#include "core/card.h"
#include "core/channel_type.h"
#include "core/ioctl.h"
#include "core/irq.h"
#include "core/points.h"
#include "core/quiesce.h"
#include "core/sysfs.h"

#define ROC_ENDPOINTS_MAX 256
#define ROC_MINORS (ROC_CHANNELS_MAX + 1) /* the endpoint's node, then its channels' */
#define ROC_GROUPS_MAX 8		  /* of a channel's sysfs files */

/*
 * Counters of a channel that every kind has, since the driver took the card: they only grow,
 * across opens. Written under channel->lock, those of a run under run_lock, read without. Nothing
 * but u64: see roc_counts_since().
 */
struct roc_stats {
	u64 bytes;
	u64 mmio_reads;
	u64 mmio_writes;
	u64 turns;
	u64 interrupts;
	u64 missed_interrupts;
	u64 spurious_interrupts;
	u64 purpose[ROC_PURPOSES_MAX]; /* interrupts for each */
	u64 arms;
	u64 doorbells;
	u64 wakes;
	u64 bad_index;
	u64 lost;
};

/**
 * struct roc_channel - one DMA channel, embedded in its endpoint
 * @ep: endpoint in which the channel is embedded
 * @number: index of the channel in its endpoint
 * @cdev: of /dev/rocNchM
 * @owner: process of the present opener; under @state_lock
 * @owner_name: its command name; under @state_lock
 * @state: see roc_state(); under @state_lock
 * @reason: reason of @state, or of the last refusal; under @state_lock
 * @stats: counters of the channel
 * @dev: /dev/rocNchM; holds a reference to the endpoint
 * @type: operations of the channel type
 * @groups: sysfs files of the kind's and of the card's
 * @lock: @open and everything in it, the kind's and the backend's channel state, @stats
 * @base: @stats at the present open
 * @open: of the present opener, NULL if nobody has the channel
 * @state_lock: @state, @reason and the owner, for who looks without @lock: see channel_state.c
 * @starting: calls that start it now; under card->lock
 * @run_lock: @open for readers without @lock, @running, and the counters of a run; interrupts
 *	take it
 * @running: bound to interrupts and the watchdog, NULL: none; see run.h
 * @changes: of settings that a run writes to the card: how many there were; under @run_lock
 * @samples: of the card's own; under the endpoint's lock of them
 * @deferred: what its owner gave up while the card might still write there; under @lock
 * @opens: number of the present open, from 1; under @lock
 * @bus_master: may master the bus; under card->lock
 * @unquiesced: not proved to be quiet in this binding; written under @lock and card->lock. See
 *	quiesce.c
 * @dma_configured: was given memory to write to since its quiet was last proved, perhaps by
 *	somebody else: then only a reset that shows is a proof; under @lock
 * @reset_unobserved: suspect, but only because its reset changed nothing that can be seen; under
 *	@lock
 * @block: its registers in the contract with the firmware, see block.h. NULL = there are none (yet)
 * @vector: index of its interrupt for each purpose of the kind's, -1 = none. Written at probe and
 *	remove
 * @type_priv: the kind's own state, type->channel_size
 * @priv: the backend's own state
 */
struct roc_channel {
	struct roc_endpoint *ep;
	unsigned int number;
	struct device dev;
	struct cdev cdev;
	const struct roc_channel_type *type;
	const struct attribute_group *groups[ROC_GROUPS_MAX + 1];
	struct mutex lock;
	struct roc_open *open;
	spinlock_t state_lock;
	struct pid *owner;
	char owner_name[TASK_COMM_LEN];
	enum roc_ch_state state;
	enum roc_reason reason;
	unsigned int starting;
	struct roc_stats stats;
	struct roc_stats base;
	spinlock_t run_lock;
	struct roc_run *running;
	u32 changes;
	struct roc_sample samples[ROC_CHANNEL_MONITORS];
	struct list_head deferred;
	u32 opens;
	bool bus_master;
	bool unquiesced;
	bool dma_configured;
	bool reset_unobserved;
	void __iomem *block;
	int vector[ROC_PURPOSES_MAX];
	void *type_priv;
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
 * @shut: mask of enum roc_shut_cause; under the device's lock
 * @registers: for reading by accesses to registers, and by faults that map them, without a
 *	channel's lock; for writing by a start that resets the function
 * @resetting: a start resets the function: no access under a channel's lock either; set with all
 *	channels' locks and @registers held, cleared with @registers held
 * @reset_wait: woken at the end of that
 * @reachable: registers may be accessed; without an epoch until removal unmaps them
 * @suspended: the machine is being suspended, and no channel gets the bus; under card->lock
 * @scratch: content of the scratch register before the suspend; see suspend.c
 * @gone: those who poll the endpoint; woken when @epoch becomes 0
 * @inode: private inode whose mapping all openers share, so that one zap revokes all BAR maps
 * @privileged_bars: mask of those that nobody maps without CAP_SYS_RAWIO, whatever the policy says
 * @bar: kernel mappings; valid under @srcu with a good epoch, or while a channel is open
 * @memory: host memory that the card writes to, ops->host_memory bytes, from probe to remove
 * @keep: the binding ends, and the card may still write to the driver's memory: roc_dma_free()
 * @kept: bytes that were kept for that reason
 * @exports_lock: @exports
 * @exports: dma-bufs of its channels' memory, which may outlive these
 * @sample_lock: @samples and @temperature, and the channels'
 * @cdev: of /dev/rocN
 * @ops: of the card, constant
 * @card: the board, shared with its other endpoints
 * @minor: of /dev/rocN
 * @bar_start: physical address of each BAR
 * @bar_length: bytes of each BAR
 * @ordered: memory shows what the card wrote in the order in which it did
 * @translated: DMA goes through a translating IOMMU
 * @memory_bus: bus address of @memory
 * @irqs: interrupts, see irq.h
 * @serial: of the card; filled by ops->identify() like all up to @user_logic, and then constant
 * @number: endpoint of the card, -1 unknown
 * @fifo_depth: superpages that each link of the card holds at most
 * @features: of the firmware
 * @chip_id: of the FPGA
 * @caps: mask of ROC_CAP_*
 * @firmware: version, as text
 * @user_logic: version of the user logic, as text
 * @temperature: last sample of the sensor; under @sample_lock
 * @samples: of the endpoint's monitors; under @sample_lock
 * @hwmon: hwmon device, see monitor.c
 * @alarm_work: checks the temperature; the only writer of @alarm
 * @alarm_period: of @alarm_work, milliseconds
 * @alarm: last alarm state of the temperature
 * @channels: of the endpoint
 */
struct roc_endpoint {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	struct srcu_struct srcu;
	u32 epoch;
	u32 last_epoch;
	u32 shut;
	struct rw_semaphore registers;
	bool resetting;
	wait_queue_head_t reset_wait;
	bool reachable;
	bool suspended;
	u32 scratch;
	wait_queue_head_t gone;
	struct inode *inode;
	const struct roc_card_ops *ops;
	struct roc_card *card;
	int minor;
	u32 privileged_bars;
	void __iomem *bar[ROC_BARS];
	resource_size_t bar_start[ROC_BARS];
	resource_size_t bar_length[ROC_BARS];
	bool ordered;
	bool translated;
	void *memory;
	dma_addr_t memory_bus;
	bool keep;
	size_t kept;
	struct roc_irqs irqs;
	struct mutex exports_lock;
	struct list_head exports;

	int serial;
	int number;
	u32 fifo_depth;
	u32 features;
	u64 chip_id;
	u64 caps;
	char firmware[ROC_TEXT_MAX];
	char user_logic[ROC_TEXT_MAX];

	struct mutex sample_lock;
	struct roc_sample temperature;
	struct roc_sample samples[ROC_ENDPOINT_MONITORS];

	struct device *hwmon;
	struct delayed_work alarm_work;
	unsigned int alarm_period;
	enum roc_alarm alarm;

	struct roc_channel channels[ROC_CHANNELS_MAX];
};

/*
 * Causes for which an endpoint is shut. Each ends on its own; the endpoint opens again when the
 * last of them has ended. Without a cause and without an epoch: the card did not answer at the end.
 */
enum roc_shut_cause {
	ROC_SHUT_RESET = BIT(0), /* from .reset_prepare to .reset_done */
	ROC_SHUT_ERROR = BIT(1), /* error recovery, to .resume or until the card is given up */
	ROC_SHUT_END = BIT(2),	 /* removal, shutdown: to the end of the binding */
};

#define roc_to_endpoint(d) container_of(d, struct roc_endpoint, dev)
#define roc_to_channel(d) container_of(d, struct roc_channel, dev)

#define for_each_roc_channel(_ch, _ep)                                                             \
	for ((_ch) = (_ep)->channels; (_ch) < (_ep)->channels + (_ep)->ops->channels; (_ch)++)

/* @_level: of the kernel's dev_*(). */
#define roc_ep_log(_level, _ep, _format, ...)                                                      \
	dev_##_level(&(_ep)->pdev->dev, "roc%d: " _format, (_ep)->minor, ##__VA_ARGS__)
#define roc_ch_log(_level, _ch, _format, ...)                                                      \
	dev_##_level(&(_ch)->ep->pdev->dev, "roc%dch%u: " _format, (_ch)->ep->minor,               \
		     (_ch)->number, ##__VA_ARGS__)

/* suspend.c */
void roc_endpoint_suspend(struct roc_endpoint *ep);
bool roc_endpoint_resume(struct roc_endpoint *ep, bool scratch_valid);

/* chardev.c */
int roc_chardev_init(void);
void roc_chardev_exit(void);
struct roc_endpoint *roc_endpoint_alloc(struct pci_dev *pdev, const struct roc_card_ops *ops);
void roc_endpoint_put(struct roc_endpoint *ep);
int roc_endpoint_publish(struct roc_endpoint *ep);
void roc_endpoint_unpublish(struct roc_endpoint *ep);

/* endpoint.c */
extern const struct file_operations roc_endpoint_fops;
struct roc_endpoint *roc_endpoint_of(struct file *file);

/*
 * mmap offsets below this are of registers: revoked when the hardware goes. What lies above stays
 * as long as it is mapped.
 */
#define ROC_REVOKED_END (0x08ull << 32)

/* channel_state.c */
struct roc_channel_snapshot {
	enum roc_ch_state state;
	enum roc_reason reason;
	pid_t owner; /* see roc_pid_for_caller() */
	char owner_name[TASK_COMM_LEN];
};

void roc_set_state(struct roc_channel *ch, enum roc_ch_state state, enum roc_reason reason);
void roc_set_refused(struct roc_channel *ch, enum roc_reason reason);
void roc_set_starting(struct roc_channel *ch, bool starting);
void roc_set_owner(struct roc_channel *ch, struct pid *pid, const char *name);
pid_t roc_pid_for_caller(struct pid *pid);
struct roc_channel_snapshot roc_channel_snapshot(struct roc_channel *ch);

/* Without any lock: whoever sees it sees what came before it, too. */
static inline enum roc_ch_state roc_state(const struct roc_channel *ch)
{
	/* Pairs with the release in roc_set_state(). */
	return smp_load_acquire(&ch->state);
}

/* channel.c */
extern const struct file_operations roc_channel_fops;

/* Is the hardware gone that @o was opened with, was it reset, or is the claim given up? */
static inline bool roc_stale(const struct roc_open *o)
{
	u32 epoch = READ_ONCE(o->epoch);

	return !epoch || READ_ONCE(o->ch->ep->epoch) != epoch;
}

/*
 * Is the channel that @opened has open not the caller's? @caller: the open file of the channel,
 * NULL: the caller uses the endpoint's node. If so, the caller changes nothing of it: see "A
 * channel is its opener's" in security.md.
 */
static inline bool roc_open_by_other(const struct roc_open *opened, const struct roc_open *caller)
{
	return opened && opened != caller;
}

/* The channel lock for a call through @o. -ENODEV: @o is retired. Else see roc_channel_lock(). */
static inline int roc_open_lock(struct roc_open *o)
{
	int err = roc_channel_lock(o->ch);

	if (err)
		return err;
	if (!o->retired)
		return 0;
	mutex_unlock(&o->ch->lock);
	return -ENODEV;
}

/* What happened since @base, in structures of nothing but u64. */
static inline void roc_counts_since(void *since, const void *base, size_t size)
{
	u64 *count = since;
	size_t i;

	for (i = 0; i < size / sizeof(*count); i++)
		count[i] -= ((const u64 *)base)[i];
}

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

/*
 * A wait that a card's documents ask for. msleep() counts in ticks and adds one, which makes 16 ms
 * of 10, and 12 ms too much of a start with three of them.
 */
static inline void roc_wait_ms(unsigned int ms)
{
	usleep_range(ms * USEC_PER_MSEC, ms * USEC_PER_MSEC + 100);
}

#endif /* ROC_H */
