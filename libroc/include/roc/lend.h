/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: lend and return. A consumer that passes data to a network, a file or a GPU keeps units
 * for a while and returns them in any order. A lender gives it units independently of the channel
 * type: superpages of a pool, windows of a stream, or requested fragments.
 *
 * A lender uses one open channel. roc_lender_take() lends a unit; the caller may then read its
 * memory until roc_lender_return(). roc_lender_lent() reports at any time how many units are lent
 * and the age of the oldest. A unit that is never returned is thus visible.
 *
 *   pool    each superpage goes back to the card as soon as it is returned, independently of others
 *   stream  the ring goes back to the card in order, up to the oldest lent unit. Units returned
 *           behind it wait, and so does their space
 *   fragment each host page can be written again as soon as it is returned, see roc/fragment.h
 *
 * Threads: one thread, the *consumer*, calls every function that this paragraph does not name, and
 * all functions of the channel itself except those of other handles. Any thread may call
 * roc_lender_return() and roc_lender_lent() at any time between roc_lender_pool(), _stream() or
 * _fragments() and roc_lender_close(), also while the consumer takes units. These two hold one lock
 * for some dozen instructions, never across a system call. A thread that passes a unit to another
 * thread must order memory, as every queue does.
 *
 * The library allocates no memory per unit. Taking and returning make no system call, except to
 * wake the sleeping driver of a pool, see roc_channel_kick().
 */
#ifndef ROC_LEND_H
#define ROC_LEND_H

#include <roc/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_lender; /* the caller owns it from roc_lender_pool(), _stream() or _fragments()
			     to _close() */

#define ROC_LENDER_MAX (1 << 20) /* maximum number of lent units of one lender */

/**
 * enum roc_unit_flags - Flags of a unit
 * @ROC_UNIT_DAMAGED: the card reports that the content is damaged or incomplete. Pool:
 *	ROC_READY_DAMAGED or ROC_READY_SHORT; stream: at least one packet in the unit has truncated
 *	fragments
 */
enum roc_unit_flags {
	ROC_UNIT_DAMAGED = 1 << 0,
};

/**
 * struct roc_unit - Lent data
 * @data: start address, contiguous
 * @length: bytes that the card wrote there
 * @handle: handle for roc_lender_return(); never 0, and not reused by the lender for another unit
 * @sequence: number of the unit since the lender was created, from 0
 * @time: CLOCK_MONOTONIC ns at which the unit was taken
 * @offset: pool: of @data in the buffer, bytes; stream: position of @data in the stream, lines;
 *	fragment: event id
 * @buffer: pool: handle of the buffer from roc_buffer_register(); otherwise 0
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
 * struct roc_lent - Currently lent units
 * @count: number of lent units
 * @limit: maximum number of lent units
 * @waiting: stream: units already returned that wait behind a lent unit; otherwise 0
 * @reserved: 0
 * @bytes: bytes of data in the lent units
 * @held: bytes of memory that the card cannot use because of them, including those of @waiting
 * @oldest: sequence of the unit lent for the longest time; 0 if there is none
 * @oldest_ns: time in ns for which it has been lent; 0 if there is none
 * @taken: units taken since the lender was created
 * @returned: units returned since the lender was created
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
 * roc_lender_pool() - Create a lender for the superpages of a channel
 * @ch: channel with rings and without a run. The caller still owns it and must keep it open as long
 *	as the lender exists. The lender owns its two rings from now on: the caller must not use
 *	roc_push(), roc_pop() and similar functions
 * @limit: maximum number of lent units, 1 to ROC_LENDER_MAX; a limit above the number of superpages
 *	has no effect
 * @lender: the new handle
 *
 * Add memory with roc_lender_add(), then call roc_channel_start(). A channel can have one lender
 * per open, because superpages that the lender has pushed remain in the rings when it is closed.
 *
 * Return: 0 on success; -EPIPE if there are no rings; -EBUSY if there are superpages in them;
 * -EINVAL if @limit is out of range; -ENOMEM.
 */
int roc_lender_pool(struct roc_channel *ch, unsigned int limit, struct roc_lender **lender);

/**
 * roc_lender_stream() - Create a lender for windows of a stream's ring
 * @s: stream with a ring and without a run. The caller still owns it and must keep it open as long
 *	as the lender exists. The caller must not use roc_stream_peek(), _consume() and _wait() at
 *	the same time
 * @limit: maximum number of lent units, 1 to ROC_LENDER_MAX
 * @bytes: maximum size of a unit in bytes. A unit has as many whole packets as are available and
 *	fit, but at least one
 * @lender: the new handle
 *
 * Call roc_stream_start() next. Units remain lent until they are returned. All units must be
 * returned before another start.
 *
 * Return: 0 on success; -EPIPE if there is no ring; -EINVAL if @limit is out of range; -ENOMEM.
 */
int roc_lender_stream(struct roc_stream *s, unsigned int limit, uint64_t bytes,
		      struct roc_lender **lender);

/**
 * roc_lender_add() - Register memory and push all of it to the card as superpages
 * @lender: lender from roc_lender_pool()
 * @addr: start address, page aligned
 * @length: length in bytes, a multiple of @superpage
 * @superpage: size of a superpage in bytes, see roc_buffer_register()
 *
 * Return: 0 on success; the errors of roc_buffer_register(); -EINVAL also if @length is not a
 * multiple of @superpage, or if the lender is that of a stream; -ENOSPC if the fill ring has no
 * space for so many superpages in addition to all those added before. After an error of
 * roc_channel_kick() the memory has been added nevertheless.
 */
int roc_lender_add(struct roc_lender *lender, void *addr, size_t length, uint32_t superpage);

/**
 * roc_lender_take() - Take the next unit
 * @lender: handle
 * @unit: filled in
 *
 * No system call. Superpages that the card did not fill (the run ended) go back to the card
 * automatically, for the next run.
 *
 * Return: 1 if there was a unit, 0 if there is none now; -EAGAIN if there is one, but @limit units
 * are lent; -EBADMSG if the driver rejected a superpage, if a stream's bytes are no packets, or if
 * a packet or ODIN record is missing between two others (roc_error() has the reason). After any
 * other error, those of roc_channel_kick(), unfilled superpages have gone back nevertheless, and
 * the units behind them are still there: call again.
 */
int roc_lender_take(struct roc_lender *lender, struct roc_unit *unit);

/**
 * roc_lender_wait() - Sleep until there is a unit to take
 * @lender: handle
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * The function makes no system call if there is already a unit. It counts units that the card has
 * ready, not lent units. If @limit units are lent, it returns at once, and roc_lender_take()
 * returns -EAGAIN.
 *
 * Return: 0 if there is a unit; -ETIME after @timeout_ms; -EINTR if a signal interrupted the wait;
 * -ENODATA if the channel does not run and nothing is left of its last run (if it failed,
 * roc_error() has the reason); -ENODEV if the card was removed or reset.
 */
int roc_lender_wait(struct roc_lender *lender, int timeout_ms);

/**
 * roc_lender_return() - Return a unit
 * @lender: handle
 * @handle: handle of the unit
 *
 * Any thread may call it. Units may be returned in any order. As soon as the last unit is returned,
 * another thread may close the lender, even before this call has returned.
 *
 * Return: 0 on success; -ENOENT if the unit was already returned; -EINVAL if there never was such a
 * unit; -EAGAIN if the fill ring is full (only if another caller pushes into it), after which the
 * unit remains lent. After any other error, those of roc_channel_kick(), the unit has been returned
 * nevertheless: do not return it again.
 */
int roc_lender_return(struct roc_lender *lender, uint64_t handle);

/**
 * roc_lender_lent() - Report how much is lent, and for how long
 * @lender: handle
 * @lent: filled in
 *
 * Any thread may call it.
 */
void roc_lender_lent(struct roc_lender *lender, struct roc_lent *lent);

/**
 * roc_lender_close() - Close a lender
 * @lender: handle, or NULL
 *
 * After this call no thread may use the handle. The channel and its buffers remain unchanged. In a
 * child of the process that opened the channel the call frees the child's copy, even if units are
 * lent.
 *
 * Return: 0 on success; -EBUSY if units are lent (roc_error() states how many, and the age of the
 * oldest). The lender is then still open: return the units first.
 */
int roc_lender_close(struct roc_lender *lender);

#ifdef __cplusplus
}
#endif

#endif /* ROC_LEND_H */
