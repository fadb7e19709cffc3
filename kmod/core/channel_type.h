/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kind of channel: whose the memory is, and how data come. The core knows a kind only by this
 * table, and what is common to all kinds is the core's: the claim, retirement, ioctl numbers that
 * every channel has, registered buffers, interrupts, proof of quiet.
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
 * struct roc_open - one open of a channel; the first member of what the kind has of it
 *
 * Owned by the file, and freed at the last close. The claim ends when the opener closes its last
 * descriptor, even if another process has a copy. Channel lock, except the queues.
 *
 * @ch: the channel
 * @mm: of the opener: whose memory may be registered
 * @files: the opener's descriptor table; compared only, never dereferenced
 * @epoch: of the endpoint when it was opened; 0 when retired, so that roc_enter() refuses it
 * @retired: no hardware any more (removed, reset, closing); buffers are gone
 * @ended: the claim ends, or has ended
 * @defer_free: quiet could not be proved: what is given up now goes to the channel's @deferred
 * @shared: what reader and card share, NULL: nothing yet. Set by the kind's share(), and from then
 *	on until the last close
 * @committed: the caller knows of @shared, and may map it; published once
 * @doorbell_maps: mappings of its doorbell
 * @wait: who polls
 * @batch: who waits in a system call
 * @eventfd_lock: @eventfd; interrupts take it
 * @eventfd: signalled with @wait; under @eventfd_lock
 * @buffers: registered, by handle
 * @uncommitted: registered, but the handle is not yet copied to the caller
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
 * struct roc_channel_type - what the core asks of a kind of channel
 * @name: as sysfs has it
 * @open_size: of the structure that begins with struct roc_open; zeroed by the core, and freed
 * @channel_size: of roc_channel.type_priv, 0: none; zeroed by the core, lives as long as the
 * channel
 * @purposes: that a channel has interrupts for, up to ROC_PURPOSES_MAX
 * @purpose_names: of each, in the names of interrupts; NULL if there is one purpose
 * @block: layout of a channel's registers in the contract with the firmware, NULL: there is none
 * @run: how an open channel runs, which begins with struct roc_run; see run.h
 * @groups: sysfs files of a channel, NULL: none
 * @ioctls: beside those that every channel has
 * @card_ioctls: on the endpoint's node, beside those that every endpoint has; NULL: none
 * @fdinfo: append the type's lines to /proc/PID/fdinfo/FD
 *
 * Hardware is there in all calls but @free.
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
	 * @probe: Once for each endpoint, at probe, when the card is identified and nobody has a
	 * node: find the firmware's interface, and memory that lives as long as the binding. An
	 * error ends the probe. NULL: nothing to do.
	 */
	int (*probe)(struct roc_endpoint *ep);
	/**
	 * @remove: At the end of remove, or after a failed probe. Coherent memory goes by
	 * roc_dma_free().
	 */
	void (*remove)(struct roc_endpoint *ep);
	/** @describe: What is the kind's in ROC_EP_INFO. NULL: nothing. */
	void (*describe)(struct roc_endpoint *ep, struct roc_ep_info *info);

	/**
	 * @free: Last close: give back what it has but @o and @o->shared. No lock held. NULL:
	 * nothing.
	 */
	void (*free)(struct roc_open *o);

	/** @poll: EPOLLIN and the like; errors and the end are the core's. No lock held. */
	__poll_t (*poll)(struct roc_open *o, struct poll_table_struct *pt);
	/**
	 * @eventfd_set: An eventfd was set, maybe while it runs: who has one need never call again,
	 *	and
	 * what is there already is signalled. Channel lock held.
	 */
	void (*eventfd_set)(struct roc_open *o);
	void (*fdinfo)(struct roc_open *o, struct seq_file *m);

	/**
	 * @check_buffer: What a registered buffer must be: fill in what the caller left to us, or
	 * refuse, with @arg->reason. *@kernel_access: the kernel reads what the card writes there.
	 * NULL: the kind has no registered buffers.
	 */
	int (*check_buffer)(struct roc_endpoint *ep, struct roc_buf_register *arg,
			    bool *kernel_access);

	/**
	 * @share: Set @o->shared, under the lock that protects it in interrupts. NULL: the caller
	 * could not be informed of the memory. Channel lock held.
	 */
	void (*share)(struct roc_open *o, struct roc_shared_memory *shared);

	/**
	 * @export_memory: The channel's own memory, for a dma-buf: what handle 0 of ROC_BUF_EXPORT
	 *	is; no
	 * reference. Channel lock held. NULL: the kind has none.
	 */
	struct roc_memory *(*export_memory)(struct roc_open *o);

	/**
	 * @irq: The channel's interrupt, in interrupt context, from the nodes' appearance to their
	 * end, whether it is open or not. @purposes: mask of those that it is for. @shared: others
	 * use it, too, so it may have nothing.
	 */
	void (*irq)(struct roc_channel *ch, u32 purposes, bool shared);
	/** @handle_error: The card reports an error of the channel. Channel lock held. */
	void (*handle_error)(struct roc_open *o);
	/**
	 * @disable: Switch off what is the kind's in the card, and prove it; -EIO if it does not
	 * stop. Called before the card's own quiesce, at probe too. NULL: there is nothing.
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
