/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core data structures: card, endpoint, channel and open file, and which lock guards what.
 *
 *  card      the board; its endpoints share one lock and the run-enable count: card.h
 *  endpoint  one PCI function, /dev/rocN
 *  channel   one DMA channel of an endpoint, /dev/rocNchM
 *  open      one open of a channel, extended by the channel type: channel_type.h
 *
 * Lock order: mmap_lock > endpoint SRCU (read side) > endpoint->registers > channel->lock >
 * card->lock > list of cards. A page fault only tries endpoint->registers and channel->lock: see
 * roc_fault_retry().
 *
 * User memory is neither accessed nor pinned inside the SRCU read side or under a lock of the
 * driver. A page fault may block forever if another process provides the memory (userfaultfd,
 * FUSE), and removal waits for these locks.
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
#define ROC_MINORS (ROC_CHANNELS_MAX + 1) /* one node for the endpoint, one for each channel */
#define ROC_GROUPS_MAX 8		  /* attribute groups of a channel */

/*
 * Counters that channels of every type have. They count from the probe on, across opens, and only
 * grow. Writers hold channel->lock, or run_lock for those of a run; readers take no lock. All
 * members are u64: see roc_counts_since().
 */
struct roc_stats {
	u64 bytes;
	u64 mmio_reads;
	u64 mmio_writes;
	u64 turns;
	u64 interrupts;
	u64 missed_interrupts;
	u64 spurious_interrupts;
	u64 purpose[ROC_PURPOSES_MAX]; /* interrupts for each purpose */
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
 * @cdev: character device /dev/rocNchM
 * @owner: process of the present opener; under @state_lock
 * @owner_name: command name of that process; under @state_lock
 * @state: see roc_state(); under @state_lock
 * @reason: reason of @state, or of the last refused start; under @state_lock
 * @stats: counters of the channel
 * @dev: device of /dev/rocNchM; holds a reference to the endpoint
 * @type: operations of the channel type
 * @groups: attribute groups of the channel type and of the card
 * @lock: guards @open and all its members, the channel state of the type and of the backend, and
 *	@stats
 * @base: @stats at the present open
 * @open: the open channel, NULL if the channel is not open
 * @state_lock: guards @state, @reason, @owner and @owner_name for readers without @lock: see
 *	channel_state.c
 * @starting: start calls in progress; under card->lock
 * @run_lock: guards @open for readers without @lock, @running, and the counters of a run; interrupt
 *	handlers take it
 * @running: run that is bound to interrupts and the watchdog, NULL: none; see run.h
 * @changes: number of changes of the settings that a run writes to the card; under @run_lock
 * @samples: last values of the card's own monitors; under roc_endpoint.sample_lock
 * @deferred: deferred frees: memory whose owner freed it while the card might still write to it;
 *	under @lock
 * @opens: number of the present open, from 1; under @lock
 * @bus_master: the channel needs bus mastering; under card->lock
 * @unquiesced: the driver has not verified in this binding that the channel is quiesced; written
 *	under @lock and card->lock. See quiesce.c
 * @dma_configured: the channel may have got addresses to write to, also from an earlier owner,
 *	since the driver last verified that it is quiesced. Only a reset with a visible effect
 *	verifies it now; under @lock
 * @reset_unobserved: unquiesced only because its reset had no visible effect; under @lock
 * @block: registers of the channel in the contract with the firmware, see block.h; NULL before the
 *	channel type's probe, or if there are none
 * @vector: index of the interrupt vector for each purpose of the channel type, -1: none. Written at
 *	probe and remove
 * @type_priv: state of the channel type, type->channel_size bytes
 * @priv: state of the backend
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
 * @dev: device of /dev/rocN; the structure lives until its last reference is dropped, beyond
 *	.remove
 * @pdev: valid between probe and the end of .remove
 * @srcu: read side of all users of the hardware, see roc_enter(); removal waits for it
 * @epoch: 0 while the hardware is not accessible, else a number that changes with every reset. A
 *	file that was opened in another epoch returns -ENODEV until it is closed
 * @last_epoch: the last epoch used; written by probe, remove and reset handlers only
 * @shut: mask of enum roc_shut_cause; under the device lock
 * @registers: held for reading by register accesses, and by faults that map registers, without a
 *	channel lock; held for writing by a start that resets the function
 * @resetting: a start resets the function, so that no access is allowed under a channel lock
 *	either. Set with all channel locks and @registers held, cleared with @registers held
 * @reset_wait: woken when @resetting is cleared
 * @reachable: registers may be accessed; also without an epoch, until removal unmaps them
 * @suspended: the machine is being suspended, and bus mastering is refused; under card->lock
 * @scratch: content of the scratch register before the suspend; see suspend.c
 * @gone_wait: waiters in poll() of the endpoint; woken when @epoch becomes 0
 * @inode: private inode whose mapping all openers share, so that one zap revokes all BAR mappings
 * @privileged_bars: mask of BARs that only CAP_SYS_RAWIO may map, whatever the policy allows
 * @bar: kernel mappings; valid under @srcu in the current epoch, or while a channel is open
 * @memory: host memory that the card writes to, ops->host_memory bytes, from probe to remove
 * @keep_dma: at unbind the card may still write, because bus mastering is not verified to be off or
 *	a channel never stopped. So roc_dma_free() keeps the memory
 * @kept_bytes: number of bytes that roc_dma_free() kept
 * @exports_lock: guards @exports
 * @exports: dma-bufs of memory of the channels; a dma-buf may outlive its channel
 * @sample_lock: guards @samples and @temperature, and the @samples of the channels
 * @cdev: character device /dev/rocN
 * @ops: constant operations of the card
 * @card: the board, shared with its other endpoints
 * @minor: N of /dev/rocN
 * @bar_start: physical address of each BAR
 * @bar_length: bytes of each BAR
 * @ordered: writes of the card become visible in memory in the order in which the card sent them
 * @translated: DMA goes through a translating IOMMU
 * @memory_bus: bus address of @memory
 * @irqs: interrupts, see irq.h
 * @serial: serial number of the card, -1: unknown. ops->identify() fills this and the members up to
 *	@user_logic, which are constant afterwards
 * @number: number of the endpoint on its card, -1: unknown
 * @fifo_depth: maximum number of superpages that each link of the card holds
 * @features: features of the firmware
 * @chip_id: identification of the FPGA
 * @caps: mask of ROC_CAP_*
 * @firmware: version, as text
 * @user_logic: version of the user logic, as text
 * @temperature: last sample of the sensor; under @sample_lock
 * @samples: last values of the endpoint's monitors; under @sample_lock
 * @hwmon: hwmon device, see monitor.c
 * @alarm_work: checks the temperature; the only writer of @alarm
 * @alarm_period: period of @alarm_work, milliseconds
 * @alarm: last alarm state of the temperature
 * @channels: channels of the endpoint, ops->channels of them
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
	wait_queue_head_t gone_wait;
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
	bool keep_dma;
	size_t kept_bytes;
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
 * Causes for which an endpoint is shut. Each ends independently; the endpoint opens again when the
 * last cause has ended. An endpoint without an epoch and without a cause belongs to a card that did
 * not answer when the last cause ended.
 */
enum roc_shut_cause {
	ROC_SHUT_RESET = BIT(0), /* from .reset_prepare to .reset_done */
	ROC_SHUT_ERROR = BIT(1), /* error recovery: until .resume, or until it fails */
	ROC_SHUT_END = BIT(2),	 /* removal or shutdown: until the end of the binding */
};

#define roc_to_endpoint(d) container_of(d, struct roc_endpoint, dev)
#define roc_to_channel(d) container_of(d, struct roc_channel, dev)

#define for_each_roc_channel(_ch, _ep)                                                             \
	for ((_ch) = (_ep)->channels; (_ch) < (_ep)->channels + (_ep)->ops->channels; (_ch)++)

/* @_level: suffix of the dev_*() function. */
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
 * mmap offsets below this one are register mappings, which are revoked when the hardware goes away.
 * Mappings above it stay valid until they are unmapped.
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

/* Lockless. A reader that sees a state also sees everything that was written before it was set. */
static inline enum roc_ch_state roc_state(const struct roc_channel *ch)
{
	/* Pairs with the release in roc_set_state(). */
	return smp_load_acquire(&ch->state);
}

/* channel.c */
extern const struct file_operations roc_channel_fops;

/* Was the hardware removed or reset since @o was opened, or has the claim ended? */
static inline bool roc_stale(const struct roc_open *o)
{
	u32 epoch = READ_ONCE(o->epoch);

	return !epoch || READ_ONCE(o->ch->ep->epoch) != epoch;
}

/*
 * Is the channel open, but not by the caller? @caller: the caller's open file of the channel, NULL
 * if the caller uses the endpoint's node. If so, the caller must not change the channel: see "A
 * channel is its opener's" in security.md.
 */
static inline bool roc_open_by_other(const struct roc_open *opened, const struct roc_open *caller)
{
	return opened && opened != caller;
}

/*
 * Take the channel lock for a call through @o. Return: -ENODEV if @o is retired, else as for
 * roc_channel_lock().
 */
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

/* Subtract @base from @since, structures that consist of u64 counters only. */
static inline void roc_counts_since(void *since, const void *base, size_t size)
{
	u64 *count = since;
	size_t i;

	for (i = 0; i < size / sizeof(*count); i++)
		count[i] -= ((const u64 *)base)[i];
}

/*
 * Serialise a group of register accesses of a card that needs it. Not for callers that hold
 * card->lock.
 */
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
 * Wait as long as the documentation of a card requires. msleep() rounds up to ticks and adds one:
 * 10 ms become 16 ms, which would lengthen a start with three such waits by 12 ms.
 */
static inline void roc_wait_ms(unsigned int ms)
{
	usleep_range(ms * USEC_PER_MSEC, ms * USEC_PER_MSEC + 100);
}

#endif /* ROC_H */
