/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations of a channel type: pool, stream or fragment.
 *
 * A channel type defines the owner of the memory and how data arrive in it. The core implements
 * what is common to all types: the claim, retirement, the ioctls that every channel has, registered
 * buffers, interrupts, and the verification of quiescence. It uses a type only through this table.
 */
#ifndef ROC_CHANNEL_TYPE_H
#define ROC_CHANNEL_TYPE_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <uapi/linux/roc.h>

struct attribute_group;
struct eventfd_ctx;
struct file;
struct files_struct;
struct roc_block_regs;
struct roc_channel;
struct roc_endpoint;
struct roc_memory;
struct roc_run_ops;
struct roc_shared_memory;

/**
 * struct roc_open - one open of a channel; the first member of the channel type's structure
 *
 * Owned by the file, and freed at the last close. The claim ends when the opener closes its last
 * descriptor, even if another process has a copy. The channel lock guards all members except the
 * wait queues.
 *
 * @ch: the channel
 * @mm: mm of the opener, whose memory may be registered
 * @files: the opener's descriptor table; compared only, never dereferenced
 * @epoch: epoch of the endpoint at the open; 0 when retired, so that roc_enter() refuses it
 * @retired: the hardware is not accessible through this open any more (removal, reset, close), and
 *	its buffers have been released
 * @ended: the claim is ending, or has ended
 * @defer_free: the channel could not be quiesced: memory that is freed now goes to
 *	roc_channel.deferred
 * @shared: memory shared by reader and card, NULL: none yet. Set by the type's share(), and
 *	constant from the commit until the last close
 * @committed: the caller has the description of @shared, and may map it; set once, with a release
 * @doorbell_maps: number of mappings of the doorbell
 * @wait: waiters in poll()
 * @batch: waiters in an ioctl
 * @eventfd_lock: guards @eventfd; interrupt handlers take it
 * @eventfd: signalled with @wait; under @eventfd_lock
 * @buffers: registered buffers, by handle
 * @uncommitted: buffers whose handle has not been copied to the caller yet
 */
struct roc_open {
	struct roc_channel *ch;
	struct mm_struct *mm;
	const struct files_struct *files;
	u32 epoch;
	bool retired;
	bool ended;
	bool defer_free;
	struct roc_shared_memory *shared;
	bool committed;
	atomic_t doorbell_maps;
	wait_queue_head_t wait;
	wait_queue_head_t batch;
	spinlock_t eventfd_lock;
	struct eventfd_ctx *eventfd;
	struct xarray buffers;
	struct list_head uncommitted;
};

/**
 * struct roc_channel_type - operations and constants of a channel type
 * @name: name in sysfs
 * @open_size: size of the type's structure that begins with struct roc_open; the core allocates it
 *	zeroed, and frees it
 * @channel_size: size of roc_channel.type_priv, 0: none; the core allocates it zeroed for the
 *	lifetime of the channel
 * @purposes: number of purposes for which a channel has interrupts, up to ROC_PURPOSES_MAX
 * @purpose_names: suffix of the interrupt name for each purpose; NULL if there is one purpose
 * @block: layout of the registers of a channel in the contract with the firmware, NULL: none
 * @run: operations of a run, for types whose structure begins with struct roc_run; see run.h
 * @groups: attribute groups of a channel, NULL: none
 * @ioctls: ioctls in addition to those that every channel has
 * @card_ioctls: ioctls of the endpoint's node, in addition to those of every endpoint; NULL: none
 * @fdinfo: append the type's lines to /proc/PID/fdinfo/FD
 *
 * The hardware is accessible in all operations except @free.
 */
struct roc_channel_type {
	const char *name;
	size_t open_size;
	size_t channel_size;
	unsigned int purposes;
	const char *const *purpose_names;
	const struct roc_block_regs *block;
	const struct roc_run_ops *run;
	const struct attribute_group **groups;
	const struct roc_ioctl_table *ioctls;
	const struct roc_ioctl_table *card_ioctls;

	/**
	 * @probe: Find the firmware's interface, and allocate memory that lives as long as the
	 *	binding. Called once for each endpoint, after the card is identified and before any
	 *	node exists. An error ends the probe. NULL: nothing to do.
	 */
	int (*probe)(struct roc_endpoint *ep);
	/**
	 * @remove: Undo @probe, at the end of remove or after a failed probe. Free coherent memory
	 *	with roc_dma_free(). NULL: nothing to do.
	 */
	void (*remove)(struct roc_endpoint *ep);
	/** @describe: Fill in the type's members of ROC_EP_INFO. NULL: none. */
	void (*describe)(struct roc_endpoint *ep, struct roc_ep_info *info);

	/**
	 * @free: Last close: free everything except @o and @o->shared. No lock is held. NULL:
	 *	nothing to do.
	 */
	void (*free)(struct roc_open *o);

	/** @poll: Return EPOLLIN and the like; the core adds errors and hangup. No lock is held. */
	__poll_t (*poll)(struct roc_open *o, struct poll_table_struct *pt);
	/**
	 * @eventfd_set: An eventfd was set, possibly during a run. Signal data that are already
	 *	there, because the opener may make no further call before the signal. Channel lock
	 *	held.
	 */
	void (*eventfd_set)(struct roc_open *o);
	void (*fdinfo)(struct roc_open *o, struct seq_file *m);

	/**
	 * @check_buffer: Check a buffer to be registered and fill in what the caller left to the
	 *	driver, or refuse it with @arg->reason. Set *@kernel_access if the kernel reads what
	 *	the card writes there. NULL: the type has no registered buffers.
	 */
	int (*check_buffer)(struct roc_endpoint *ep, struct roc_buf_register *arg,
			    bool *kernel_access);

	/**
	 * @share: Set @o->shared under the lock that guards it in interrupt handlers. @shared is
	 *	NULL if the description could not be copied to the caller. Channel lock held.
	 */
	void (*share)(struct roc_open *o, struct roc_shared_memory *shared);

	/**
	 * @export_memory: Return the memory of the channel that handle 0 of ROC_BUF_EXPORT names,
	 *	without a reference. Channel lock held. NULL: the type has none.
	 */
	struct roc_memory *(*export_memory)(struct roc_open *o);

	/**
	 * @irq: Handle an interrupt of the channel, open or not, in interrupt context, while the
	 *	nodes exist. @purposes: mask of the purposes that the vector serves. @shared: the
	 *	vector also serves others, so the channel may have nothing to do.
	 */
	void (*irq)(struct roc_channel *ch, u32 purposes, bool shared);
	/**
	 * @handle_error: The card reports an error of some channel: check this one. Channel lock
	 *	held.
	 */
	void (*handle_error)(struct roc_open *o);
	/**
	 * @disable: Switch off what the type uses in the card, and verify that it is off; -EIO if
	 *	it does not stop. Called before the card's @quiesce, also at probe. NULL: nothing to
	 *	do.
	 */
	int (*disable)(struct roc_channel *ch);
};

/* open.c */
struct roc_open *roc_open_claim(struct roc_channel *ch, u32 epoch);
void roc_open_flush(struct roc_open *o, const struct file *file, struct files_struct *files);
void roc_open_close(struct roc_open *o);
void roc_open_retire(struct roc_open *o, bool present);

/* event_queue.c */
void roc_open_signal(struct roc_open *o);
void roc_open_wake(struct roc_open *o);

#endif /* ROC_CHANNEL_TYPE_H */
