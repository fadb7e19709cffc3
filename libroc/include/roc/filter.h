/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: blocks of events lent to a filter process by a builder unit on the same machine (the sink
 * "shm" of roc-evb). The process sees them where they were built, read-only and without a copy, and
 * gives each back, in any order, with how many of its events it wants to be kept. Of a process that
 * ends, whatever it had is lent to another.
 *
 * The builder listens at a socket of the file system (SOCK_SEQPACKET) and sends a hello with a
 * descriptor of the memory that blocks are built in, a memfd with F_SEAL_SHRINK; then a message for
 * each block, and gets one for each. A handle is one thread's at a time.
 */
#ifndef ROC_FILTER_H
#define ROC_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include <roc/mep.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_FILTER_MAGIC UINT64_C(0x31524c4946434f52) /* "ROCFILR1" */
#define ROC_FILTER_DEPTH_MAX 256

/**
 * struct roc_filter_hello - first message of the builder, with the descriptor
 * @magic: ROC_FILTER_MAGIC
 * @length: bytes of memory
 * @depth: blocks that one process has at most, 1 to ROC_FILTER_DEPTH_MAX
 * @message: bytes of the largest message that will come
 */
struct roc_filter_hello {
	uint64_t magic;
	uint64_t length;
	uint32_t depth;
	uint32_t message;
};

/**
 * struct roc_filter_block - a block that is lent: struct roc_mep as a message. Behind it @count
 *	struct roc_filter_source, then @segments struct roc_filter_segment
 * @handle: for the answer, struct roc_filter_return
 * @block: as in struct roc_mep, and so are the next four
 * @first_event: event id
 * @time: ns
 * @events: number of events
 * @epoch: of the table
 * @flags: enum roc_mep_flags
 * @count: sources
 * @segments: pieces of memory, of all sources
 * @reserved: 0
 */
struct roc_filter_block {
	uint64_t handle;
	uint64_t block;
	uint64_t first_event;
	uint64_t time;
	uint32_t events;
	uint32_t epoch;
	uint32_t flags;
	uint32_t count;
	uint32_t segments;
	uint32_t reserved;
};

/**
 * struct roc_filter_source - a source in it
 * @name: of the source
 * @state: enum roc_mep_state
 * @segments: of its MFP: the next ones of the message
 */
struct roc_filter_source {
	char name[ROC_MEP_NAME];
	uint32_t state;
	uint32_t segments;
};

/**
 * struct roc_filter_segment - a piece of a MFP
 * @offset: bytes from the start of the memory
 * @bytes: of it
 */
struct roc_filter_segment {
	uint64_t offset;
	uint64_t bytes;
};

/**
 * struct roc_filter_return - a block that goes back
 * @handle: of it
 * @accepted: events that are to be kept
 */
struct roc_filter_return {
	uint64_t handle;
	uint64_t accepted;
};

struct roc_filter; /* owned by the caller from roc_filter_open() to _close() */

/**
 * roc_filter_open() - be a filter process of a builder
 * @path: of its socket
 * @filter: the new handle
 *
 * Waits until the builder has said hello, ten seconds at most.
 *
 * Return: 0; -ENOENT, -ECONNREFUSED nobody is there; -EACCES; -ETIME; -EINTR a signal came, open
 * it again; -EPROTO it is no builder, or could make the memory shorter (no F_SEAL_SHRINK), which is
 * a SIGBUS for who looks at it; -ENOMEM. The sentence is in roc_error().
 */
int roc_filter_open(const char *path, struct roc_filter **filter);

/**
 * roc_filter_fd() - descriptor for poll(): readable when there is a block, or the builder is gone
 * @filter: handle
 *
 * Return: the descriptor, which stays the library's.
 */
int roc_filter_fd(const struct roc_filter *filter);

/**
 * roc_filter_take() - the next block
 * @filter: handle
 * @mep: the block, until it is returned: for the iterators of roc/mep.h
 *
 * Return: 1; 0 there is none now; -ENODATA the builder is gone: what was taken can still be looked
 * at; -EBADMSG it sent what is no block, and the connection is over: the next call says -ENODATA;
 * -ENOMEM no memory for this block, which the next call tries again: the descriptor of
 * roc_filter_fd() need not be readable for it.
 */
int roc_filter_take(struct roc_filter *filter, const struct roc_mep **mep);

/**
 * roc_filter_return() - a block goes back
 * @filter: handle
 * @mep: as roc_filter_take() gave it
 * @accepted: events of it that are to be kept
 *
 * Return: 0; -EINVAL it was not taken, or was returned already; -ENODATA the builder is gone.
 */
int roc_filter_return(struct roc_filter *filter, const struct roc_mep *mep, uint64_t accepted);

/**
 * roc_filter_close() - be no filter any more
 * @filter: handle, or NULL
 *
 * What was not returned is lent to another.
 */
void roc_filter_close(struct roc_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
