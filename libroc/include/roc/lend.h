/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: lend and return. What takes data to a network, a file or a GPU wants units that it may
 * keep for a while and give back in any order, and does not want to know which kind of channel
 * they came from: superpages of a pool, windows of a stream, or fragments that were requested.
 *
 * A lender stands on one open channel. It hands a unit out with roc_lender_take(); the unit's
 * memory is then the caller's to read until it says roc_lender_return(). How many units are out,
 * and how long the oldest has been, can be asked at any time: a unit that nobody returns shows.
 *
 *   pool    each superpage goes back to the card as soon as it is returned, whatever else is out
 *   stream  the ring is given back in order: up to the oldest unit that is still out. What was
 *           returned behind it waits, and its room with it
 *   fragment each host page can be written again as soon as it is returned, see roc/fragment.h
 *
 * Threads. One thread, the *taker*, calls everything that this page does not name here, and all
 * functions of the channel itself but those of other handles. Any thread, at any time between
 * roc_lender_pool(), _stream() or _fragments() and roc_lender_close(), may call roc_lender_return()
 * and roc_lender_lent(), also while the taker takes. They hold one lock for some dozen
 * instructions, never across a system call. Who hands a unit to another thread must do so in a way
 * that orders memory, as every queue does. Nothing is allocated per unit, and taking and returning
 * make no system call (but for the wake-up of a pool's driver that sleeps, see roc_channel_kick()).
 */
#ifndef ROC_LEND_H
#define ROC_LEND_H

#include <roc/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_lender; /* owned by the caller from roc_lender_pool(), _stream() or _fragments() to
		      _close() */

#define ROC_LENDER_MAX (1 << 20) /* units that one lender can have out */

/**
 * enum roc_unit_flags - what is to be known about a unit
 * @ROC_UNIT_DAMAGED: the card says that not all of the content is what it should be; of a pool:
 *	ROC_READY_DAMAGED or ROC_READY_SHORT; of a stream: at least one packet in the unit has
 *	truncated fragments
 */
enum roc_unit_flags {
	ROC_UNIT_DAMAGED = 1 << 0,
};

/**
 * struct roc_unit - data that was lent
 * @data: start, contiguous
 * @length: bytes that the card wrote there
 * @handle: for roc_lender_return(); never 0, and no other unit of the lender has it again
 * @sequence: number of the unit since the lender was made, from 0
 * @time: CLOCK_MONOTONIC ns at which it was taken
 * @offset: pool: of @data in the buffer, bytes; stream: position of @data in the stream, lines;
 *	fragment: event id
 * @buffer: pool: handle of the buffer, as roc_buffer_register() gave it; else 0
 * @link: pool: link slot that filled it; stream: number of the stream; fragment: link of the
 *	sub-unit
 * @flags: bits of enum roc_unit_flags
 * @run: number of the start since open, from 1
 */
struct roc_unit {
	const void *data;
	uint64_t length;
	uint64_t handle;
	uint64_t sequence;
	uint64_t time;
	uint64_t offset;
	uint32_t buffer;
	int32_t link;
	uint32_t flags;
	uint32_t run;
};

/**
 * struct roc_lent - what is lent now
 * @count: units out
 * @limit: that can be out at the same time
 * @waiting: stream: units returned already, behind one that is out; else 0
 * @reserved: 0
 * @bytes: of data in the units that are out
 * @held: bytes of memory that the card does not have because of them, with those of @waiting
 * @oldest: sequence of the unit that has been out longest; 0 if none is
 * @oldest_ns: how long it has been; 0 if none is
 * @taken: units taken since the lender was made
 * @returned: units returned since then
 */
struct roc_lent {
	uint32_t count;
	uint32_t limit;
	uint32_t waiting;
	uint32_t reserved;
	uint64_t bytes;
	uint64_t held;
	uint64_t oldest;
	uint64_t oldest_ns;
	uint64_t taken;
	uint64_t returned;
};

/**
 * roc_lender_pool() - lend the superpages of a channel
 * @ch: channel with rings and without a run; stays the caller's, and must be open as long as the
 *	lender is. Its two rings are the lender's from now on: no roc_push(), roc_pop() and the like
 * @limit: units that can be out at the same time, 1 to ROC_LENDER_MAX; more than there are
 *	superpages is of no use
 * @lender: the new handle
 *
 * Give it memory with roc_lender_add(), then call roc_channel_start(). A channel has one lender per
 * open: what that has pushed stays in the rings when it is closed.
 *
 * Return: 0; -EPIPE no rings; -EBUSY there are superpages in them; -EINVAL @limit; -ENOMEM.
 */
int roc_lender_pool(struct roc_channel *ch, unsigned int limit, struct roc_lender **lender);

/**
 * roc_lender_stream() - lend windows of a stream's ring
 * @s: stream with a ring and without a run; stays the caller's, and must be open as long as the
 *	lender is. No roc_stream_peek(), _consume() and _wait() beside it
 * @limit: units that can be out at the same time, 1 to ROC_LENDER_MAX
 * @bytes: of a unit at most. It is as many whole packets as are there and fit, but one at least
 * @lender: the new handle
 *
 * Call roc_stream_start() next. Units are out until they are returned: before another start, all
 * have to be back.
 *
 * Return: 0; -EPIPE no ring; -EINVAL @limit; -ENOMEM.
 */
int roc_lender_stream(struct roc_stream *s, unsigned int limit, uint64_t bytes,
		      struct roc_lender **lender);

/**
 * roc_lender_add() - register memory, and give the card all of it as superpages
 * @lender: of roc_lender_pool()
 * @addr: start, page aligned
 * @length: bytes, a multiple of @superpage
 * @superpage: bytes of a superpage, see roc_buffer_register()
 *
 * Return: 0; the errors of roc_buffer_register(); -EINVAL also if @length is not a multiple of
 * @superpage, or the lender is a stream's; -ENOSPC the fill ring has no room for so many
 * beside those that were added before, which all come back to it. After an error of
 * roc_channel_kick() the memory is added all the same.
 */
int roc_lender_add(struct roc_lender *lender, void *addr, size_t length, uint32_t superpage);

/**
 * roc_lender_take() - take the next unit
 * @lender: handle
 * @unit: filled in
 *
 * No system call. What the card did not fill (the run ended) goes back to it by itself, for the
 * next run.
 *
 * Return: 1 there was one, 0 there is none now; -EAGAIN there is one, but @limit units are out;
 * -EBADMSG the driver refused a superpage, or a stream's bytes are no packets, or a packet or ODIN
 * record is missing between two others: roc_error() says why. After any other error, those of
 * roc_channel_kick(), what the card did not fill has gone back all the same, and the units behind
 * it are still there: call again.
 */
int roc_lender_take(struct roc_lender *lender, struct roc_unit *unit);

/**
 * roc_lender_wait() - sleep until there is a unit to take
 * @lender: handle
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * No system call if there is one already. It counts what the card has ready, not what is out: with
 * @limit units out it returns at once, and roc_lender_take() says -EAGAIN.
 *
 * Return: 0; -ETIME; -EINTR; -ENODATA the channel does not run, and nothing is left of its last
 * run (the sentence says why, if it failed); -ENODEV.
 */
int roc_lender_wait(struct roc_lender *lender, int timeout_ms);

/**
 * roc_lender_return() - give a unit back
 * @lender: handle
 * @handle: of the unit
 *
 * Any thread may call it. Units come back in any order. As soon as the last unit is back, another
 * thread may close the lender, even before this call has returned.
 *
 * Return: 0; -ENOENT the unit was returned already; -EINVAL there never was such a unit; -EAGAIN
 * the fill ring is full (only if somebody else pushes into it), the unit stays out. After any other
 * error, those of roc_channel_kick(), the unit is returned all the same: do not return it again.
 */
int roc_lender_return(struct roc_lender *lender, uint64_t handle);

/**
 * roc_lender_lent() - how much is out, and for how long
 * @lender: handle
 * @lent: filled in
 *
 * Any thread may call it.
 */
void roc_lender_lent(struct roc_lender *lender, struct roc_lent *lent);

/**
 * roc_lender_close() - end lending
 * @lender: handle, or NULL
 *
 * No thread may use the handle any more. The channel and its buffers stay as they are. In a child
 * of the process that opened the channel it frees the child's copy, whatever is out.
 *
 * Return: 0; -EBUSY units are out (the sentence says how many, and how old the oldest is): get
 * them back first. Nothing has been closed.
 */
int roc_lender_close(struct roc_lender *lender);

#ifdef __cplusplus
}
#endif

#endif /* ROC_LEND_H */
