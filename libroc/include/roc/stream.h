/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: streams, the channels of cards with ROC_CAP_STREAMS. The card writes packets one behind
 * the other into one ring that the driver owns; the reader looks at them in place, and says how far
 * it is:
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
 * What roc_stream_peek() shows has no seam, also where the ring ends: it is mapped twice, back to
 * back. Looking and consuming make no system call; sleeping makes one. One thread at a time per
 * handle, but for what roc/lend.h says of lenders.
 *
 * Sizes are bytes. Everything in the ring begins at a multiple of ROC_ST_LINE (64). Errors of every
 * function that talks to the driver are those of roc/roc.h.
 */
#ifndef ROC_STREAM_H
#define ROC_STREAM_H

#include <roc/roc.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_stream; /* owned by the caller from roc_stream_open() to roc_stream_close() */

#define ROC_STREAM_RING_DEFAULT (UINT64_C(64) << 20)

/**
 * struct roc_stream_damage - packets of an open stream that are not what they should be
 * @damaged: with truncated fragments, as the card flagged them
 * @missing: events between packets that are not there. The card throttled or discarded so many, see
 *	&roc_st_counters, or event ids are wrong
 * @backward: with an event id that is lower than it should be: it is wrong, or the source of the
 *	events began anew
 *
 * Of packets and ODIN records that roc_lender_take() has given out, since open.
 */
struct roc_stream_damage {
	uint64_t damaged;
	uint64_t missing;
	uint64_t backward;
};

/**
 * roc_stream_open() - become the reader of a stream
 * @id: card, as for roc_find()
 * @stream: name of the stream, as "main", or its number, which is M of /dev/rocNchM
 * @s: the new handle
 *
 * Open after fork(), in the process that takes the data. A child does not inherit the ring, and
 * what it did through the descriptor would act on its parent's run: there each function of the
 * stream, and of a lender of it, returns -EPERM, roc_stream_running() false and roc_stream_base()
 * NULL. roc_stream_close() is for a child, too.
 *
 * Return: 0; the errors of roc_open(); -ENOENT also if the card has no such stream (the sentence
 * lists those it has); -EOPNOTSUPP the card has no streams; -EBUSY somebody else reads it (the
 * sentence says PID and program).
 */
int roc_stream_open(const char *id, const char *stream, struct roc_stream **s);

/**
 * roc_stream_open_card() - the same of an endpoint that was found before
 * @card: from roc_find() or roc_enumerate()
 * @id: what the user called it, for sentences, or NULL
 * @stream: as for roc_stream_open()
 * @s: the new handle
 *
 * Return: as roc_stream_open(), without the errors of roc_find(); -ENODEV also if the
 * card has not kept its @minor since it was found: find it again.
 */
int roc_stream_open_card(const struct roc_card *card, const char *id, const char *stream,
			 struct roc_stream **s);

/**
 * roc_stream_close() - stop the stream and give it up
 * @s: handle, or NULL
 *
 * The ring is gone with it, and what was in it.
 */
void roc_stream_close(struct roc_stream *s);

/**
 * roc_stream_name() - name of a stream
 * @s: handle
 *
 * Return: "main", "meta", "odin0" and so on; valid as long as the handle.
 */
const char *roc_stream_name(const struct roc_stream *s);

/**
 * roc_stream_number() - number of a stream
 * @s: handle
 *
 * Return: M of /dev/rocNchM.
 */
unsigned int roc_stream_number(const struct roc_stream *s);

/**
 * roc_stream_fd() - file descriptor of a stream
 * @s: handle; keeps the descriptor
 *
 * Return: the descriptor, for poll(): POLLIN when as much as &roc_st_settings.low_water is there
 * that was not taken yet, POLLERR when the run failed, POLLERR | POLLHUP when the card is gone.
 */
int roc_stream_fd(const struct roc_stream *s);

/**
 * roc_stream_eventfd() - signal an eventfd whenever there is something to see
 * @s: handle
 * @eventfd: descriptor from eventfd(), which the caller may close; -1 ends the signals
 *
 * Signalled when the low-water mark is reached, at once if it is already, and when the stream
 * stops, fails or loses its card. Before a start or while it runs, as you like. Unlike
 * roc_stream_wait() and poll(), a wait for an eventfd does not tell the card how far the reader is.
 * A ring that is full although its reader gave back data, but not half of it, is found by the
 * driver after half a second: use the other two where that matters.
 *
 * Return: 0; -EBADF; -EINVAL not an eventfd.
 */
int roc_stream_eventfd(struct roc_stream *s, int eventfd);

/**
 * roc_stream_info() - state and counters
 * @s: handle
 * @info: filled in; see &struct roc_st_info. What the driver counts, it counts since open
 *
 * Return: 0 or a negative errno.
 */
int roc_stream_info(struct roc_stream *s, struct roc_st_info *info);

/**
 * roc_stream_damage() - count packets that are not what they should be
 * @s: handle
 * @damage: filled in; see &struct roc_stream_damage
 *
 * No system call. For the thread that takes units.
 */
void roc_stream_damage(const struct roc_stream *s, struct roc_stream_damage *damage);

/**
 * roc_stream_settings() - change settings, and get all of them
 * @s: handle
 * @settings: in: &roc_st_settings.set and the members it names; zeroed only asks. Out: all, as they
 *	are now; size and flags are the library's affair
 *
 * Also while the stream runs.
 *
 * Return: 0; -ERANGE the card does not take a value; -EINVAL a low-water mark above the ring;
 * -EOPNOTSUPP the stream does not have this setting.
 */
int roc_stream_settings(struct roc_stream *s, struct roc_st_settings *settings);

/**
 * roc_stream_ring() - make the ring and map it
 * @s: handle
 * @length: bytes, a power of two from ROC_ST_RING_MIN to ROC_ST_RING_MAX; 0 =
 *	ROC_STREAM_RING_DEFAULT, or as much as the card takes if that is less
 *
 * Once per open. roc_stream_start() does it with the default if it was not done.
 *
 * Return: 0; -EINVAL not such a number; -EBUSY there is one already; -ENOMEM above RLIMIT_MEMLOCK,
 * or more than the card's node has; -EOPNOTSUPP the card cannot use it; -EPERM another process
 * opened the stream. The sentence says which, with the limit. If it says that the ring cannot be
 * mapped it is made, and the next call maps it as it is.
 */
int roc_stream_ring(struct roc_stream *s, uint64_t length);

/**
 * roc_stream_base() - where the ring is
 * @s: handle
 * @length: bytes of the ring, which is there twice, back to back; or NULL
 *
 * For who wants to register it with a network or a GPU once, in place of each window.
 *
 * Return: the mapping, valid until roc_stream_close(); NULL: there is none yet.
 */
const void *roc_stream_base(const struct roc_stream *s, uint64_t *length);

/**
 * roc_stream_start() - let data flow
 * @s: handle
 * @position: where the stream's positions begin, in lines; 0 as a rule
 *
 * What was in the ring is forgotten, also by a start that fails when the card was told already.
 *
 * Return: 0; -EBUSY running already; -EIO also if the card does not do as it is told; the errors of
 * roc_stream_ring().
 */
int roc_stream_start(struct roc_stream *s, uint32_t position);

/**
 * roc_stream_stop() - the card writes what it has, and stops
 * @s: handle
 * @lost: events that it had and that found no room in the ring, or NULL
 *
 * When it returns the card does not write any more. What is in the ring can still be read.
 *
 * Return: 0; -EALREADY not running; -EIO the card broke its contract meanwhile, or does not stop:
 * then it may still write.
 */
int roc_stream_stop(struct roc_stream *s, unsigned int *lost);

/**
 * roc_stream_reset() - reset the card's side of the stream
 * @s: handle
 * @level: how much; see enum roc_st_level. ROC_ST_RESET_FLUSH throws away the events in the card
 *
 * Return: 0; -EBUSY it runs (but for FLUSH and COUNTERS); -EIO; -EINVAL.
 */
int roc_stream_reset(struct roc_stream *s, enum roc_st_level level);

/**
 * roc_stream_peek() - what is there to be read
 * @s: handle
 * @data: its first byte; whole packets, one behind the other; untouched if there are none
 *
 * No system call. Everything not consumed yet is shown again, with what came since.
 *
 * Return: bytes, 0: nothing; -EBADMSG the card's position is beyond the ring, or has gone back;
 * -ENODEV the card is gone, and nothing is left; -EPIPE no ring.
 */
int64_t roc_stream_peek(struct roc_stream *s, const void **data);

/**
 * roc_stream_running() - will more come?
 * @s: handle
 *
 * No system call: for a reader that does not sleep and finds nothing. The last bytes may arrive
 * between an empty roc_stream_peek() and this call: after false, peek once more, and end only if
 * that finds nothing either.
 *
 * Return: false if the stream is not running, or has stopped by itself; roc_stream_info() says why.
 */
bool roc_stream_running(const struct roc_stream *s);

/**
 * roc_stream_consume() - give the oldest bytes back to the card
 * @s: handle
 * @bytes: how many, a multiple of 64, at most what roc_stream_peek() showed last
 *
 * Once per batch: the card is told, by one register write, whenever half of the ring was given
 * back, and more often while it is nearly full; who sleeps tells it then. No system call.
 *
 * Return: 0; -EINVAL no multiple of 64; -ERANGE more than is there, nothing was consumed; -EPIPE no
 * ring.
 */
int roc_stream_consume(struct roc_stream *s, uint64_t bytes);

/**
 * roc_stream_wait() - sleep until there is something to be read
 * @s: handle
 * @bytes: return when that much is there, at most the ring's length; 0 does not sleep
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * No system call if it is there already. The driver does not wake for less than
 * &roc_st_settings.interrupt_bytes, unless &roc_st_settings.interrupt_time is over. Returns early,
 * with less and maybe nothing, if the stream is not running or stops. More than half of the ring
 * may never be there at once: the card writes a packet only when all of it has room.
 *
 * Return: bytes that are there; -ETIME fewer than @bytes after @timeout_ms; -EINTR a signal came;
 * -EINVAL more than the ring is long, or @timeout_ms below -1; the errors of roc_stream_peek().
 */
int64_t roc_stream_wait(struct roc_stream *s, uint64_t bytes, int timeout_ms);

/**
 * roc_card_stream() - a stream of a card, seen from its endpoint
 * @ep: handle of the endpoint; the stream may be anybody's
 * @stream: its number
 * @info: filled in. What the driver counts, it counts since it took the card
 *
 * Return: 0; -ENOENT no such stream; -EOPNOTSUPP the card has no streams.
 */
int roc_card_stream(struct roc_endpoint *ep, unsigned int stream, struct roc_st_info *info);

/**
 * roc_card_stream_find() - number of a stream by its name
 * @ep: handle of the endpoint
 * @name: name, or the number itself
 * @stream: the number
 *
 * Return: 0; -ENOENT no such stream (the sentence lists those it has); -EOPNOTSUPP the card has no
 * streams.
 */
int roc_card_stream_find(struct roc_endpoint *ep, const char *name, unsigned int *stream);

/**
 * roc_card_stream_settings() - as roc_stream_settings(), from the endpoint
 * @ep: handle
 * @stream: number of the stream, which may be anybody's
 * @settings: see there
 *
 * Return: as roc_stream_settings(); -EBUSY a process has the stream open, and @settings names
 * interrupt_bytes, interrupt_time or low_water: the sentence names the process; -ENOENT no such
 * stream; -EOPNOTSUPP also if the card has no streams.
 */
int roc_card_stream_settings(struct roc_endpoint *ep, unsigned int stream,
			     struct roc_st_settings *settings);

/**
 * roc_card_stream_reset() - as roc_stream_reset(), from the endpoint
 * @ep: handle
 * @stream: number of the stream, or ROC_ST_ALL: all of them
 * @level: see there
 *
 * Return: as roc_stream_reset(); -EBUSY @level is not COUNTERS and a process has the stream
 * open (ROC_ST_ALL: any stream); roc_error() names it; -ENOENT, -EOPNOTSUPP as above.
 */
int roc_card_stream_reset(struct roc_endpoint *ep, unsigned int stream, enum roc_st_level level);

/**
 * roc_card_streams() - what all streams of a card share
 * @ep: handle
 * @streams: in: &roc_st_card.set and the members it names; zeroed only asks. Out: all
 *
 * Return: 0; -EOPNOTSUPP the card has no streams; -ENOENT enabling one that it does not have;
 * -ERANGE the source id.
 */
int roc_card_streams(struct roc_endpoint *ep, struct roc_st_card *streams);

#ifdef __cplusplus
}
#endif

#endif /* ROC_STREAM_H */
