/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: blocks of events that a builder unit lends to a filter process on the same machine (the
 * sink "shm" of roc-evb). The process reads them where they were built, read-only and without a
 * copy. It returns each block, in any order, with the number of its events to keep. If a process
 * ends, the builder lends its blocks to another one.
 *
 * The builder listens at a socket of the file system (SOCK_SEQPACKET). It first sends a hello with
 * a descriptor of the memory that blocks are built in, a memfd with F_SEAL_SHRINK. It then sends a
 * message for each block and receives one for each. At most one thread at a time may use a handle.
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
 * struct roc_filter_hello - First message of the builder, with the descriptor
 * @magic: ROC_FILTER_MAGIC
 * @length: length of the memory in bytes
 * @depth: maximum number of blocks that one process has, 1 to ROC_FILTER_DEPTH_MAX
 * @message: size in bytes of the largest message to come
 */
struct roc_filter_hello {
	uint64_t magic;
	uint64_t length;
	uint32_t depth;
	uint32_t message;
};

/**
 * struct roc_filter_block - Message with a lent block
 * @handle: for the answer, struct roc_filter_return
 * @block: as in struct roc_mep, as are the next four members
 * @first_event: event id
 * @time: ns
 * @events: number of events
 * @epoch: epoch of the table
 * @flags: bits of enum roc_mep_flags
 * @count: number of sources
 * @segments: number of pieces of memory, of all sources
 * @reserved: 0
 *
 * The message continues with @count struct roc_filter_source, then @segments struct
 * roc_filter_segment.
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
 * struct roc_filter_source - Source of a block
 * @name: name of the source
 * @state: enum roc_mep_state
 * @segments: number of segments of its MFP: the next ones of the message
 */
struct roc_filter_source {
	char name[ROC_MEP_NAME];
	uint32_t state;
	uint32_t segments;
};

/**
 * struct roc_filter_segment - Piece of an MFP
 * @offset: bytes from the start of the memory
 * @bytes: size in bytes
 */
struct roc_filter_segment {
	uint64_t offset;
	uint64_t bytes;
};

/**
 * struct roc_filter_return - Message that returns a block
 * @handle: handle of the block
 * @accepted: number of events to keep
 */
struct roc_filter_return {
	uint64_t handle;
	uint64_t accepted;
};

struct roc_filter; /* the caller owns it from roc_filter_open() to _close() */

/**
 * roc_filter_open() - Connect to a builder as a filter process
 * @path: path of the builder's socket
 * @filter: the new handle
 *
 * The function waits for the hello of the builder for at most ten seconds.
 *
 * Return: 0 on success; -ENOENT, -ECONNREFUSED if no builder listens there; -EACCES if the user
 * lacks permission; -ETIME without a hello in time; -EINTR if a signal interrupted the wait: call
 * the function again; -EPROTO if the peer is no builder, or could shorten the memory (no
 * F_SEAL_SHRINK), which would raise SIGBUS in readers; -ENOMEM. roc_error() states the cause.
 */
int roc_filter_open(const char *path, struct roc_filter **filter);

/**
 * roc_filter_fd() - Return the descriptor for poll(): readable when there is a block, or the
 *	builder has disconnected
 * @filter: handle
 *
 * Return: the descriptor, which the library owns.
 */
int roc_filter_fd(const struct roc_filter *filter);

/**
 * roc_filter_take() - Take the next block
 * @filter: handle
 * @mep: receives the block, valid until it is returned: for the iterators of roc/mep.h
 *
 * Return: 1 on success; 0 if there is no block now; -ENODATA if the builder has disconnected, where
 * blocks taken before remain readable; -EBADMSG if it sent an invalid message, which ends the
 * connection, so that the next call returns -ENODATA; -ENOMEM if there is no memory for this block.
 * After -ENOMEM the next call tries the block again, although the descriptor of roc_filter_fd() may
 * not be readable.
 */
int roc_filter_take(struct roc_filter *filter, const struct roc_mep **mep);

/**
 * roc_filter_return() - Return a block
 * @filter: handle
 * @mep: block from roc_filter_take()
 * @accepted: number of its events to keep
 *
 * Return: 0 on success; -EINVAL if the block was not taken, or was already returned; -ENODATA if
 * the builder has disconnected.
 */
int roc_filter_return(struct roc_filter *filter, const struct roc_mep *mep, uint64_t accepted);

/**
 * roc_filter_close() - Disconnect from the builder
 * @filter: handle, or NULL
 *
 * The builder lends blocks that were not returned to another process.
 */
void roc_filter_close(struct roc_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
