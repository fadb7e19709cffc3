/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: streams, the channels of cards with ROC_CAP_STREAMS. The card writes packets one after
 * the other into one ring that the driver owns. The reader processes them in place and then reports
 * how far it has read:
 *
 *	roc_stream_open("#0", "main", &s);
 *	roc_stream_ring(s, 0);
 *	roc_stream_start(s, 0);
 *	while ((bytes = roc_stream_wait(s, 1, -1)) > 0) {
 *		bytes = roc_stream_peek(s, &data);
 *		...packets in data, see roc/packet.h...
 *		roc_stream_consume(s, bytes);
 *	}
 *
 * The library maps the ring twice, back to back. The data that roc_stream_peek() returns is
 * therefore contiguous, also across the end of the ring. roc_stream_peek() and roc_stream_consume()
 * make no system call; a sleep makes one. At most one thread at a time may use a handle, except
 * where roc/lend.h allows more for lenders.
 *
 * Sizes are in bytes. Each unit in the ring begins at a multiple of ROC_ST_LINE (64). The errors of
 * every function that calls the driver are those listed in roc/roc.h.
 */
#ifndef ROC_STREAM_H
#define ROC_STREAM_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_stream; /* the caller owns it from roc_stream_open() to roc_stream_close() */

#define ROC_STREAM_RING_DEFAULT (UINT64_C(64) << 20)

/**
 * struct roc_stream_damage - Counters of damaged, missing and misordered packets of an open stream
 * @damaged: packets with truncated fragments, as flagged by the card
 * @missing: events missing between packets. Either the card throttled or discarded them, see
 *	&roc_st_counters, or event ids are wrong
 * @backward: packets with an event id lower than expected: either the id is wrong, or the source of
 *	the events restarted
 *
 * The counters cover the packets and ODIN records that roc_lender_take() has returned since open.
 */
struct roc_stream_damage {
	uint64_t damaged;
	uint64_t missing;
	uint64_t backward;
};

/**
 * roc_stream_open() - Open a stream and become its reader
 * @id: card, as for roc_find()
 * @stream: name of the stream, such as "main", or its number, which is M of /dev/rocNchM
 * @s: the new handle
 *
 * Call it after fork(), in the process that takes the data. A child does not inherit the ring.
 * Calls of a child would act on the run of its parent. Each function of the stream, and of a lender
 * of it, therefore returns -EPERM in a child. There roc_stream_running() returns false and
 * roc_stream_base() NULL. A child may call roc_stream_close().
 *
 * Return: 0 on success; the errors of roc_open(); -ENOENT also if the card has no such stream
 * (roc_error() lists the streams); -EOPNOTSUPP if the card has no streams; -EBUSY if another
 * process has the stream open (roc_error() names its PID and program).
 */
int roc_stream_open(const char *id, const char *stream, struct roc_stream **s);

/**
 * roc_stream_open_card() - Open a stream of an endpoint found before
 * @card: from roc_find() or roc_enumerate()
 * @id: id that the user gave, for messages, or NULL
 * @stream: as for roc_stream_open()
 * @s: the new handle
 *
 * Return: as roc_stream_open(), without the errors of roc_find(); -ENODEV also if the card no
 * longer has its @minor: find the card again.
 */
int roc_stream_open_card(const struct roc_card *card, const char *id, const char *stream,
			 struct roc_stream **s);

/**
 * roc_stream_close() - Stop the stream and release it
 * @s: handle, or NULL
 *
 * The call removes the ring with its content.
 */
void roc_stream_close(struct roc_stream *s);

/**
 * roc_stream_name() - Return the name of a stream
 * @s: handle
 *
 * Return: "main", "meta", "odin0" and so on; valid until roc_stream_close().
 */
const char *roc_stream_name(const struct roc_stream *s);

/**
 * roc_stream_number() - Return the number of a stream
 * @s: handle
 *
 * Return: M of /dev/rocNchM.
 */
unsigned int roc_stream_number(const struct roc_stream *s);

/**
 * roc_stream_fd() - Return the file descriptor of a stream
 * @s: handle, which still owns the descriptor
 *
 * Return: the descriptor, for poll(): POLLIN when at least &roc_st_settings.low_water bytes are
 * available that were not taken yet, POLLERR when the run has failed, POLLERR | POLLHUP when the
 * card was removed or reset.
 */
int roc_stream_fd(const struct roc_stream *s);

/**
 * roc_stream_eventfd() - Signal an eventfd on events of the stream
 * @s: handle
 * @eventfd: descriptor from eventfd(), which the caller may close afterwards; -1 ends the signals
 *
 * The driver signals when the fill level reaches the low-water mark, and when the stream stops,
 * fails or loses its card. If the level is already reached, it signals at once. The caller may set
 * the eventfd before a start or while the stream runs.
 *
 * Unlike roc_stream_wait() and poll(), a wait for an eventfd does not report the read position to
 * the card. If the ring is full and the reader has consumed less than half of it, the driver's
 * watchdog reports the position after half a second. Use roc_stream_wait() or poll() where this
 * delay matters.
 *
 * Return: 0 on success; -EBADF if @eventfd is not open; -EINVAL if it is not an eventfd.
 */
int roc_stream_eventfd(struct roc_stream *s, int eventfd);

/**
 * roc_stream_info() - Read state and counters of a stream
 * @s: handle
 * @info: filled in; see &struct roc_st_info. Counters of the driver start at zero on open
 *
 * Return: 0 or a negative errno.
 */
int roc_stream_info(struct roc_stream *s, struct roc_st_info *info);

/**
 * roc_stream_damage() - Read the counters of damaged, missing and misordered packets
 * @s: handle
 * @damage: filled in; see &struct roc_stream_damage
 *
 * No system call. The thread that takes units must call it.
 */
void roc_stream_damage(const struct roc_stream *s, struct roc_stream_damage *damage);

/**
 * roc_stream_settings() - Change settings and read all of them
 * @s: handle
 * @settings: in: &roc_st_settings.set and the members that it names; zeroed only reads. Out: all
 *	settings as they are now. The library fills in size and flags
 *
 * The stream may be running.
 *
 * Return: 0 on success; -ERANGE if the card rejects a value; -EINVAL if the low-water mark exceeds
 * the ring; -EOPNOTSUPP if the stream does not have this setting.
 */
int roc_stream_settings(struct roc_stream *s, struct roc_st_settings *settings);

/**
 * roc_stream_ring() - Create the ring and map it
 * @s: handle
 * @length: length in bytes, a power of two from ROC_ST_RING_MIN to ROC_ST_RING_MAX; 0 for
 *	ROC_STREAM_RING_DEFAULT, or the maximum of the card if that is less
 *
 * Call it once per open. roc_stream_start() creates a ring of the default length if the caller did
 * not.
 *
 * Return: 0 on success; -EINVAL if @length is not such a power of two; -EBUSY if there is already a
 * ring; -ENOMEM above RLIMIT_MEMLOCK, or if the card's node has too little memory; -EOPNOTSUPP if
 * the card cannot use the ring; -EPERM if another process opened the stream. roc_error() states the
 * cause with the limit. If it reports that the ring cannot be mapped, the ring exists, and the next
 * call maps it unchanged.
 */
int roc_stream_ring(struct roc_stream *s, uint64_t length);

/**
 * roc_stream_base() - Return the start address of the ring
 * @s: handle
 * @length: length of the ring in bytes, or NULL. The mapping holds the ring twice, back to back
 *
 * A caller can use it to register the whole ring once with a network or a GPU, instead of each
 * window.
 *
 * Return: the mapping, valid until roc_stream_close(); NULL if there is none yet.
 */
const void *roc_stream_base(const struct roc_stream *s, uint64_t *length);

/**
 * roc_stream_start() - Start the stream
 * @s: handle
 * @position: first position of the stream in lines; normally 0
 *
 * The start discards the previous content of the ring, even if it fails after the driver has
 * signalled the card.
 *
 * Return: 0 on success; -EBUSY if the stream already runs; -EIO also if the card cannot be quiesced
 * before the start or does not acknowledge it; the errors of roc_stream_ring().
 */
int roc_stream_start(struct roc_stream *s, uint32_t position);

/**
 * roc_stream_stop() - Flush the card's data into the ring and stop the stream
 * @s: handle
 * @lost: number of events that the card held and that did not fit into the ring, or NULL
 *
 * After a return of 0 the card no longer writes. The reader can still read the content of the ring.
 *
 * Return: 0 on success; -EALREADY if the stream is not running; -EIO if the card violated the
 * protocol or does not stop. In the latter case it may still write.
 */
int roc_stream_stop(struct roc_stream *s, unsigned int *lost);

/**
 * roc_stream_reset() - Reset the card's side of the stream
 * @s: handle
 * @level: extent of the reset; see enum roc_st_level. ROC_ST_RESET_FLUSH discards the events in the
 *	card
 *
 * Return: 0 on success; -EBUSY if the stream runs (except for FLUSH and COUNTERS); -EIO; -EINVAL.
 */
int roc_stream_reset(struct roc_stream *s, enum roc_st_level level);

/**
 * roc_stream_peek() - Return the readable data of the ring
 * @s: handle
 * @data: receives the address of the first byte. The data consists of whole packets, one after the
 *	other. Unchanged if there is none
 *
 * No system call. Each call returns all data not consumed yet, including new data.
 *
 * Return: number of bytes, 0 if there is no data; -EBADMSG if the card's position is beyond the
 * ring or has moved backwards; -ENODEV if the card was removed or reset and no data is left; -EPIPE
 * if there is no ring.
 */
int64_t roc_stream_peek(struct roc_stream *s, const void **data);

/**
 * roc_stream_running() - Check whether more data can arrive
 * @s: handle
 *
 * No system call. A reader that polls without sleeping calls it when it finds no data. The last
 * bytes may arrive between an empty roc_stream_peek() and this call. After false, peek once more,
 * and end only if that call finds no data either.
 *
 * Return: false if the stream is not running or has stopped by itself. roc_stream_info() then has
 * the reason.
 */
bool roc_stream_running(const struct roc_stream *s);

/**
 * roc_stream_consume() - Return the oldest bytes to the card
 * @s: handle
 * @bytes: number of bytes, a multiple of 64, at most what the last roc_stream_peek() returned
 *
 * Call it once per batch. The library reports the read position by one register write for each
 * consumed half of the ring, and more often while the ring is nearly full. A call that sleeps
 * reports it as well. No system call.
 *
 * Return: 0 on success; -EINVAL if @bytes is not a multiple of 64; -ERANGE if @bytes exceeds the
 * available data, of which none is consumed; -EPIPE if there is no ring.
 */
int roc_stream_consume(struct roc_stream *s, uint64_t bytes);

/**
 * roc_stream_wait() - Sleep until data is available
 * @s: handle
 * @bytes: number of bytes to wait for, at most the length of the ring; 0 does not sleep
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * The function makes no system call if the data is already there. The driver does not wake the
 * reader for less than &roc_st_settings.interrupt_bytes, unless &roc_st_settings.interrupt_time has
 * passed. The function returns early, with less data and possibly none, if the stream is not
 * running or stops.
 *
 * More than half of the ring may never be available at once, because the card writes a packet only
 * if the whole packet fits.
 *
 * Return: number of available bytes; -ETIME if there are fewer than @bytes after @timeout_ms;
 * -EINTR if a signal interrupted the wait; -EINVAL if @bytes exceeds the ring or @timeout_ms is
 * below -1; the errors of roc_stream_peek().
 */
int64_t roc_stream_wait(struct roc_stream *s, uint64_t bytes, int timeout_ms);

/**
 * roc_card_stream() - Read state and counters of a stream through its endpoint
 * @ep: handle of the endpoint; any process may have the stream open
 * @stream: number of the stream
 * @info: filled in. Counters of the driver start at zero when the driver binds the card
 *
 * Return: 0 on success; -ENOENT if there is no such stream; -EOPNOTSUPP if the card has no streams.
 */
int roc_card_stream(struct roc_endpoint *ep, unsigned int stream, struct roc_st_info *info);

/**
 * roc_card_stream_find() - Find the number of a stream by its name
 * @ep: handle of the endpoint
 * @name: name of the stream, or its number as text
 * @stream: receives the number
 *
 * Return: 0 on success; -ENOENT if there is no such stream (roc_error() lists the streams of the
 * card); -EOPNOTSUPP if the card has no streams.
 */
int roc_card_stream_find(struct roc_endpoint *ep, const char *name, unsigned int *stream);

/**
 * roc_card_stream_settings() - Change settings of a stream through its endpoint
 * @ep: handle
 * @stream: number of the stream, which any process may have open
 * @settings: as for roc_stream_settings()
 *
 * Return: as roc_stream_settings(); -EBUSY if a process has the stream open and @settings names
 * interrupt_bytes, interrupt_time or low_water (roc_error() names the process); -ENOENT if there is
 * no such stream; -EOPNOTSUPP also if the card has no streams.
 */
int roc_card_stream_settings(struct roc_endpoint *ep, unsigned int stream,
			     struct roc_st_settings *settings);

/**
 * roc_card_stream_reset() - Reset a stream through its endpoint
 * @ep: handle
 * @stream: number of the stream, or ROC_ST_ALL for all streams
 * @level: as for roc_stream_reset()
 *
 * Return: as roc_stream_reset(); -EBUSY if @level is not COUNTERS and a process has the stream open
 * (ROC_ST_ALL: any stream), which roc_error() names; -ENOENT if there is no such stream;
 * -EOPNOTSUPP if the card has no streams.
 */
int roc_card_stream_reset(struct roc_endpoint *ep, unsigned int stream, enum roc_st_level level);

/**
 * roc_card_streams() - Change and read the settings that all streams of a card share
 * @ep: handle
 * @streams: in: &roc_st_card.set and the members that it names; zeroed only reads. Out: all members
 *
 * Return: 0 on success; -EOPNOTSUPP if the card has no streams; -ENOENT if an enabled stream does
 * not exist; -ERANGE if the source id is out of range.
 */
int roc_card_streams(struct roc_endpoint *ep, struct roc_st_card *streams);

#ifdef __cplusplus
}
#endif

#endif /* ROC_STREAM_H */
