/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch of ioctls, and access to the hardware.
 */
#ifndef ROC_IOCTL_H
#define ROC_IOCTL_H

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct file;
struct roc_channel;
struct roc_endpoint;

/* Size of the largest structure, so that dispatch can use its stack. */
#define ROC_ARG_MAX 384

/**
 * struct roc_ioctl - an ioctl and its structure
 * @nr: request number
 * @first: size of the structure when it was first published; never changes
 * @size: present size of the structure
 * @handler: called inside the SRCU read side of the endpoint
 * @commit: publish what the handler created if the result was copied to the caller, else undo it.
 *	No other call can use or release it before. Called outside the read side
 * @enters: the handler calls roc_enter() itself, because it accesses user memory outside
 * @registers: the handler accesses registers without a channel lock, or before it takes one
 * @starts: the handler starts the channel; see roc_set_starting()
 * @locked: the handler is called with the lock of the open channel held
 */
struct roc_ioctl {
	unsigned int nr;
	u32 first;
	u32 size;
	int (*handler)(struct file *file, void *arg);
	void (*commit)(struct file *file, const void *arg, bool copied);
	bool enters;
	bool registers;
	bool starts;
	bool locked;
};

/* @_last: last member of the structure when it was first published. Later members are optional. */
#define ROC_IOCTL(_nr, _struct, _last, _handler, ...)                                              \
	{                                                                                          \
		.nr = (_nr), .first = offsetofend(struct _struct, _last),                          \
		.size = sizeof(struct _struct) +                                                   \
			BUILD_BUG_ON_ZERO(sizeof(struct _struct) > ROC_ARG_MAX),                   \
		.handler = (_handler), ##__VA_ARGS__                                               \
	}

/* Table of the ioctls of a node. */
struct roc_ioctl_table {
	const struct roc_ioctl *call;
	unsigned int count;
};

#define ROC_IOCTL_TABLE(_calls)                                                                    \
	{                                                                                          \
		.call = (_calls), .count = ARRAY_SIZE(_calls)                                      \
	}

const struct roc_ioctl *roc_ioctl_find(unsigned int cmd, const struct roc_ioctl_table *table);
long roc_ioctl_dispatch(struct file *file, const struct roc_ioctl *call, unsigned long arg,
			struct roc_endpoint *ep, u32 epoch);
bool roc_enter(struct roc_endpoint *ep, u32 epoch, int *idx);
void roc_leave(struct roc_endpoint *ep, int idx);
int roc_registers_lock(struct roc_endpoint *ep);
void roc_registers_unlock(struct roc_endpoint *ep);
int roc_channel_lock(struct roc_channel *ch);

#endif /* ROC_IOCTL_H */
