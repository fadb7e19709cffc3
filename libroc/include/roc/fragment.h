/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: fragments on request, the channels of cards with ROC_CAP_FRAGMENTS. The card keeps what
 * its links send in its own memory and tells of each fragment; the host has those written into its
 * memory that it wants, and clears the others. Each channel is a *sub-unit* of some links:
 *
 *	roc_fragments_open("#0", "sub0", &f);
 *	roc_fragments_rings(f, 0, 0, 0, 0);
 *	roc_fragments_add(f, memory, length);
 *	roc_fragments_start(f);
 *	while (roc_fragments_wait(f, 1, 1, -1) > 0) {
 *		n = roc_fragments_take(f, kept, 64);		...new in the card: event, link...
 *		roc_fragments_request(f, event, ~0u, tag);	...the fragments of an event...
 *		n = roc_fragments_done(f, fetched, 64);		...are in host memory...
 *		roc_fragments_return(f, fetched[i].handle);	...and the memory is free again
 *		roc_fragments_clear(f, events, count);		...as the card's is now
 *		roc_fragments_flush(f);				...of which the card is told at once
 *	}
 *
 * None of these makes a system call but roc_fragments_wait(), when there is nothing, and
 * roc_fragments_flush() where the card's doorbell cannot be mapped. Nothing is allocated per
 * fragment.
 *
 * What is kept: roc_fragments_take() enters each fragment into an index from (event, link) to the
 * card's page, which is never full, because every entry has a page of the card. Event ids wrap at
 * 2^32. An event is forgotten when it is cleared. If the same (event, link) comes again, the newer
 * fragment counts and the older one's page goes back to the card. If so many have come since that
 * the ids have been all around, the whole old event does, so that no event is put together from
 * two. Both are counted (&roc_fragments_counts.replaced).
 *
 * What is lent: a fetched fragment is in a *host page*, which is the caller's to read until
 * roc_fragments_return(), in any order; see roc/lend.h for the words. Its fragment may have been
 * cleared meanwhile: the host page has a copy.
 *
 * Threads. One thread, the *taker*, calls everything that this page does not name here. Any thread,
 * at any time between open and close, may call roc_fragments_return() and roc_fragments_lent().
 * They take no lock. Who hands a host page to another thread must do so in a way that orders
 * memory, as every queue does.
 *
 * Errors of every function that talks to the driver are those of roc/roc.h. A descriptor or
 * completion that cannot be (of a page that the card does not have, of a command that is not
 * outstanding, longer than a page) is not taken: -EBADMSG, and again -EBADMSG, until the sub-unit
 * is started anew. The same holds for one that is missing in its ring although a later one is
 * there. roc_fragments_take(), _done() and _wait() find that without the driver: take and done look
 * at one later entry whenever they find nothing, so after as many calls as the ring has entries at
 * most. The driver ends the run within 3 s: ROC_CH_FAILED with ROC_WHY_RECORD.
 */
#ifndef ROC_FRAGMENT_H
#define ROC_FRAGMENT_H

#include <roc/fragment_index.h>
#include <roc/lend.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_fragments; /* owned by the caller from roc_fragments_open() to roc_fragments_close() */

/**
 * struct roc_fragment_kept - a fragment that the card keeps
 * @event: event id
 * @link: in the sub-unit, from 0
 * @size: bytes
 * @status: bits of enum roc_fr_fragment
 * @links: mask of the links of which the index has this event now, with this one
 * @page: word that names the card's page; for diagnosis
 */
struct roc_fragment_kept {
	uint32_t event;
	uint32_t link;
	uint32_t size;
	uint32_t status;
	uint32_t links;
	uint32_t page;
};

/**
 * struct roc_fragment_fetched - a fragment in host memory, or one that did not get there
 * @data: start, contiguous; NULL with @error
 * @handle: for roc_fragments_return(); never 0, and no other page has it again while the sub-unit
 *	is open. 0 with @error: there is nothing to return
 * @tag: of the request
 * @event: event id
 * @link: in the sub-unit, from 0
 * @size: bytes at @data; 0 with @error
 * @status: bits of enum roc_fr_fragment
 * @error: 0; -ECANCELED the sub-unit was stopped before; -EIO the card could not read its memory,
 *	or refused the command, which none of this library should meet
 * @reserved: 0
 */
struct roc_fragment_fetched {
	const void *data;
	uint64_t handle;
	uint64_t tag;
	uint32_t event;
	uint32_t link;
	uint32_t size;
	uint32_t status;
	int32_t error;
	uint32_t reserved;
};

/**
 * struct roc_fragments_counts - what the library knows of an open sub-unit
 * @taken: fragments told of by the card and taken in, since open, as all in this block
 * @replaced: of these given back unasked because the same event id came again
 * @asked: fragments requested
 * @fetched: of these done, in host memory
 * @failed: of these done with an error, or given up by a stop
 * @cleared: fragments given back to the card by roc_fragments_clear()
 * @doorbells: register writes made, and
 * @tells: system calls in their place
 * @events: that the index has now, as all in this block
 * @kept: fragments in it
 * @outstanding: requests that are not done
 * @queued: of these the card was not told of yet
 * @unrung: pages given back of which the card was not told yet
 * @pages_out: pages that the host has: kept ones, and cleared ones that wait for their request
 * @free: host pages that no request has and nobody was lent
 * @room: requests that can be made now: the smaller of @free and what the command ring takes
 */
struct roc_fragments_counts {
	uint64_t taken;
	uint64_t replaced;
	uint64_t asked;
	uint64_t fetched;
	uint64_t failed;
	uint64_t cleared;
	uint64_t doorbells;
	uint64_t tells;
	uint32_t events;
	uint32_t kept;
	uint32_t outstanding;
	uint32_t queued;
	uint32_t unrung;
	uint32_t pages_out;
	uint32_t free;
	uint32_t room;
};

/**
 * struct roc_fragments_damage - fragments of an open sub-unit that are not what they should be
 * @damaged: taken in, and flagged by the card: truncated, with a link error, or without a header
 * @truncated: of these, longer than a page of the card
 * @sequence_errors: taken in with an event id that is not that of the link's fragment before plus
 *	one, flagged or not; and fetched with another event id in their header
 * @too_short: fetched with fewer bytes than their header names, though the card did not cut them,
 *	or with no room for a header. Content without a header of the generators is not judged
 * @empty: taken in without any bytes; a request for one ends with -EIO
 *
 * Counted since open. A fragment can be counted in more than one of them. What was left out of the
 * card's rings is counted by the driver: &roc_fr_info.lost.
 */
struct roc_fragments_damage {
	uint64_t damaged;
	uint64_t truncated;
	uint64_t sequence_errors;
	uint64_t too_short;
	uint64_t empty;
};

/**
 * roc_fragments_open() - become the owner of a sub-unit
 * @id: card, as for roc_find()
 * @sub: name of the sub-unit, as "sub0", or its number, which is M of /dev/rocNchM
 * @f: the new handle
 *
 * Open after fork(), in the process that takes the data. A child does not inherit the rings, and
 * what it did through the descriptor would act on its parent's run: there each function of the
 * sub-unit, and of a lender of it, returns -EPERM, roc_fragments_running() false and
 * roc_fragments_clear() 0. Those that only read counters work on the child's copy.
 * roc_fragments_close() is for a child, too.
 *
 * Return: 0; the errors of roc_open(); -ENOENT also if the card has no such sub-unit (the sentence
 * lists those it has); -EOPNOTSUPP the card has none at all; -EBUSY somebody else has it (the
 * sentence says PID and program).
 */
int roc_fragments_open(const char *id, const char *sub, struct roc_fragments **f);

/**
 * roc_fragments_open_card() - the same of an endpoint that was found before
 * @card: from roc_find() or roc_enumerate()
 * @id: what the user called it, for sentences, or NULL
 * @sub: as for roc_fragments_open()
 * @f: the new handle
 *
 * Return: as roc_fragments_open(), without the errors of roc_find(); -ENODEV also if the
 * card has not kept its @minor since it was found: find it again.
 */
int roc_fragments_open_card(const struct roc_card *card, const char *id, const char *sub,
			    struct roc_fragments **f);

/**
 * roc_fragments_close() - stop the sub-unit and give it up
 * @f: handle, or NULL
 *
 * Nobody may use the handle any more, in no thread. The card writes no more, what it kept is gone;
 * the memory of roc_fragments_add() stays the caller's, with what is in it.
 */
void roc_fragments_close(struct roc_fragments *f);

/**
 * roc_fragments_name() - name of a sub-unit
 * @f: handle
 *
 * Return: "sub0" and so on; valid as long as the handle.
 */
const char *roc_fragments_name(const struct roc_fragments *f);

/**
 * roc_fragments_number() - number of a sub-unit
 * @f: handle
 *
 * Return: M of /dev/rocNchM.
 */
unsigned int roc_fragments_number(const struct roc_fragments *f);

/**
 * roc_fragments_links() - links of a sub-unit
 * @f: handle
 *
 * Return: their number, up to ROC_FRAGMENTS_LINKS_MAX.
 */
unsigned int roc_fragments_links(const struct roc_fragments *f);

/**
 * roc_fragments_fd() - file descriptor of a sub-unit
 * @f: handle; keeps the descriptor
 *
 * Call roc_fragments_flush() before poll(), or the card does not know of what is wanted.
 *
 * Return: the descriptor, for poll(): POLLIN when there is something to take or done that was not
 * looked at yet, POLLERR when the run failed, POLLERR | POLLHUP when the card is gone.
 */
int roc_fragments_fd(const struct roc_fragments *f);

/**
 * roc_fragments_eventfd() - signal an eventfd whenever there is something to take or done
 * @f: handle
 * @eventfd: descriptor from eventfd(), which the caller may close; -1 ends the signals
 *
 * Return: 0; -EBADF; -EINVAL not an eventfd.
 */
int roc_fragments_eventfd(struct roc_fragments *f, int eventfd);

/**
 * roc_fragments_info() - state, limits and counters, as card and driver have them
 * @f: handle
 * @info: filled in; see &struct roc_fr_info. What the driver counts, it counts since open
 *
 * Return: 0 or a negative errno.
 */
int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info);

/**
 * roc_fragments_counts() - what the library counts
 * @f: handle
 * @counts: filled in
 *
 * No system call.
 */
void roc_fragments_counts(const struct roc_fragments *f, struct roc_fragments_counts *counts);

/**
 * roc_fragments_damage() - count fragments that are not what they should be
 * @f: handle
 * @damage: filled in
 *
 * No system call. The taker calls it.
 */
void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *damage);

/**
 * roc_fragments_settings() - change settings, and get all of them
 * @f: handle
 * @settings: in: &roc_fr_settings.set and the members it names; zeroed only asks. Out: all, as they
 *	are now; size and flags are the library's affair
 *
 * Also while the sub-unit runs.
 *
 * Return: 0; -ERANGE the card does not take a value.
 */
int roc_fragments_settings(struct roc_fragments *f, struct roc_fr_settings *settings);

/**
 * roc_fragments_reset() - reset the card's side of the sub-unit
 * @f: handle
 * @level: how much; see enum roc_fr_level
 *
 * Return: 0; -EBUSY it runs (but for COUNTERS); -EIO; -EINVAL.
 */
int roc_fragments_reset(struct roc_fragments *f, enum roc_fr_level level);

/**
 * roc_fragments_rings() - make the rings and map them
 * @f: handle
 * @page: bytes of a page of the card, a power of two; a longer fragment is cut. 0 =
 *	ROC_FR_PAGE_DEFAULT
 * @pages: pages of the card to use, of each link; 0: all that it has. Fewer make smaller rings, and
 *	the card holds its links back sooner
 * @host_page: bytes of a host page, a power of two, @page at least; 0: the smallest
 * @commands: requests that can be outstanding, a power of two; 0 = ROC_FR_COMMANDS_DEFAULT, or the
 *	card's most if that is less
 *
 * Once per open. roc_fragments_add() and roc_fragments_start() do it with the defaults if it was
 * not done.
 *
 * Return: 0; -EINVAL not such numbers (the sentence has the limits); -EBUSY there are rings
 * already; -ENOMEM above RLIMIT_MEMLOCK, or more than the card's node has; -EPERM another process
 * opened the sub-unit. If the sentence says that they cannot be mapped, or that there is no memory
 * for the tables, they are made, and the next call goes on from there.
 */
int roc_fragments_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
			uint32_t commands);

/**
 * roc_fragments_add() - register memory as host pages
 * @f: handle of a sub-unit that does not run
 * @addr: start, page aligned
 * @length: bytes, a multiple of the host page and of the system's page
 *
 * The memory is pinned until the sub-unit is closed. Each host page must be contiguous for the
 * card, as roc_memory_alloc() has it; up to the system's page size any memory is.
 *
 * Return: 0; -EINVAL; -EBUSY it runs; -ENOSPC more host pages than the card takes (the sentence has
 * the limit); the errors of roc_buffer_register().
 */
int roc_fragments_add(struct roc_fragments *f, void *addr, size_t length);

/**
 * roc_fragments_start() - let the links send
 * @f: handle
 *
 * The index is empty, no request is outstanding, and the card has all of its pages. Host pages that
 * are lent stay so. A request of the last run whose end was not looked at is forgotten.
 *
 * A start that fails when the card was told already has emptied the rings, too: nothing is left to
 * be taken, and requests of the last run come from roc_fragments_done() with -ECANCELED.
 *
 * Return: 0; -EBUSY running already; -EIO also if the card does not do as it is told; the errors of
 * roc_fragments_rings(). After an error of roc_fragments_flush() the sub-unit runs all the same:
 * roc_fragments_running() returns true.
 */
int roc_fragments_start(struct roc_fragments *f);

/**
 * roc_fragments_stop() - nothing is sent any more
 * @f: handle
 * @now: do not flush, and wait until the card has done what it was asked for, which may take a
 *	second
 *
 * When it returns the card does not write any more, and has forgotten what it kept. What it told of
 * can still be taken, to be counted, and what it has done still be had with roc_fragments_done();
 * requests that were not done come there, too, with -ECANCELED.
 *
 * Return: 0; -EALREADY not running; -EIO the card broke its contract meanwhile, or does not stop:
 * then it may still write.
 */
int roc_fragments_stop(struct roc_fragments *f, bool now);

/**
 * roc_fragments_running() - will more come?
 * @f: handle
 *
 * No system call: for a reader that does not sleep and finds nothing. The last fragments may arrive
 * between an empty roc_fragments_take() or roc_fragments_done() and this call: after false, call
 * those once more, and end only if they find nothing either.
 *
 * Return: false if the sub-unit is not running, or has stopped by itself; roc_fragments_info() says
 * why.
 */
bool roc_fragments_running(const struct roc_fragments *f);

/**
 * roc_fragments_take() - take in what the card tells of
 * @f: handle
 * @kept: array of @n fragments, in the order in which the card told of them, each link's in the
 *	order in which it sent them; NULL: they only go into the index
 * @n: how many at most
 *
 * No system call.
 *
 * Return: how many, 0: there is nothing now; -EBADMSG see above; -ENODEV the card is gone, and
 * nothing is left; -EPIPE no rings.
 */
int roc_fragments_take(struct roc_fragments *f, struct roc_fragment_kept *kept, unsigned int n);

/**
 * roc_fragments_find() - what is kept of an event
 * @f: handle
 * @event: event id
 *
 * Return: mask of links whose fragment of @event was taken in and not cleared; 0: none.
 */
uint32_t roc_fragments_find(const struct roc_fragments *f, uint32_t event);

/**
 * roc_fragments_oldest() - the event that has been kept longest
 * @f: handle
 * @event: its id
 * @age_ns: since when its first fragment was taken in, in ns before now
 *
 * For those that nobody asks for and nobody clears.
 *
 * Return: mask of its links; 0: nothing is kept.
 */
uint32_t roc_fragments_oldest(const struct roc_fragments *f, uint32_t *event, uint64_t *age_ns);

/**
 * roc_fragments_request() - have fragments of an event written into host memory
 * @f: handle
 * @event: event id
 * @links: mask of the links that are wanted; those that are not kept are left out
 * @tag: the caller's, for &roc_fragment_fetched.tag
 *
 * The card is told with the next roc_fragments_flush(), of all requests made until then. The same
 * fragment can be requested again at any time, also while it is outstanding. It stays kept until
 * it is cleared.
 *
 * Return: mask of the links that were requested, 0: none of @links is kept; -EAGAIN not enough host
 * pages are free or too many requests are outstanding (&roc_fragments_counts.room): nothing was
 * requested.
 */
int roc_fragments_request(struct roc_fragments *f, uint32_t event, uint32_t links, uint64_t tag);

/**
 * roc_fragments_clear() - give the card its pages back
 * @f: handle
 * @events: array of @n event ids; their fragments of all links are forgotten. One that is not kept
 *	is passed over
 * @n: how many
 *
 * No system call. What is outstanding of them is still fetched; its page goes back after that. The
 * card is told once for many pages: at the latest with the roc_fragments_flush() that finds one of
 * its links short of them.
 *
 * Return: how many of @events were kept.
 */
unsigned int roc_fragments_clear(struct roc_fragments *f, const uint32_t *events, unsigned int n);

/**
 * roc_fragments_flush() - tell the card of requests, and of pages if there are many
 * @f: handle
 *
 * At most two register writes, no read, and no system call if the card's doorbell can be mapped.
 * Once per batch, and before sleeping in poll(); roc_fragments_wait() does it.
 *
 * Return: 0; where it takes a system call also its errors.
 */
int roc_fragments_flush(struct roc_fragments *f);

/**
 * roc_fragments_done() - take requests that are done
 * @f: handle
 * @fetched: array of @n, in the order in which the card finished them, which may be any
 * @n: how many at most
 *
 * No system call.
 *
 * Of a card that is gone all that was outstanding is told of, and what it had not done has
 * -ECANCELED. The driver says so when it has ended the run, which can be some seconds after other
 * calls said -ENODEV; until then this says 0, and roc_fragments_wait() does not wait for it. Who
 * needs none of it closes.
 *
 * Return: how many, 0: there is nothing now; -EBADMSG see above; -ENODEV the card is gone, and
 * nothing is outstanding; -EPIPE no rings.
 */
int roc_fragments_done(struct roc_fragments *f, struct roc_fragment_fetched *fetched,
		       unsigned int n);

/**
 * roc_fragments_return() - give a host page back
 * @f: handle
 * @handle: &roc_fragment_fetched.handle
 *
 * Any thread may call it, also while the sub-unit is stopped. Host pages come back in any order.
 *
 * Return: 0; -ENOENT it is not lent: it was returned already; -EINVAL there never was such a
 * handle.
 */
int roc_fragments_return(struct roc_fragments *f, uint64_t handle);

/**
 * roc_fragments_lent() - how many host pages are out, and for how long
 * @f: handle
 * @lent: filled in; &roc_lent.limit has the number of host pages. It looks at each of them: for a
 *	monitor, not for each fragment
 *
 * Any thread may call it, from the first start on.
 */
void roc_fragments_lent(const struct roc_fragments *f, struct roc_lent *lent);

/**
 * enum roc_fragments_there - what roc_fragments_wait() found
 * @ROC_FRAGMENTS_DATA: for roc_fragments_take()
 * @ROC_FRAGMENTS_DONE: for roc_fragments_done()
 */
enum roc_fragments_there {
	ROC_FRAGMENTS_DATA = 1 << 0,
	ROC_FRAGMENTS_DONE = 1 << 1,
};

/**
 * roc_fragments_wait() - flush, and sleep until there is something
 * @f: handle
 * @data: return when that many fragments are there to take; 0: not for them
 * @done: return when that many requests are done; 0: not for them
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * No system call if it is there already, or with both 0. The driver does not wake for less than its
 * settings say, unless their time is over. @data is cut to half of the pages that the card has of
 * one link (perhaps no other sends), @done to what is outstanding and to half of the commands.
 *
 * Return: bits of enum roc_fragments_there: as much as was wanted of it is there, or anything if
 * the sub-unit is not running any more; 0: it is not running and nothing is left, or nothing was
 * wanted that can come; -ETIME; -EINTR a signal came; -EINVAL @timeout_ms below -1; -ENODEV the
 * card is gone: roc_fragments_take() has what is left, and so has roc_fragments_done(), see there;
 * -EPIPE no rings; -EBADMSG see above.
 */
int roc_fragments_wait(struct roc_fragments *f, unsigned int data, unsigned int done,
		       int timeout_ms);

/**
 * roc_lender_fragments() - lend the fragments of a sub-unit, by roc/lend.h
 * @f: sub-unit with rings; stays the caller's, and must be open as long as the lender is. No
 *	roc_fragments_done() and _return() beside it
 * @limit: units that can be out at the same time, 1 to ROC_LENDER_MAX
 * @lender: the new handle
 *
 * For what takes units and does not want to know which kind of channel they came from. The taker
 * requests and clears as above; roc_lender_take() gives what is done: &roc_unit.offset is the event
 * id, link the link, buffer 0, ROC_UNIT_DAMAGED is set with any &roc_fragment_fetched.status but
 * SEQUENCE, and if the fragment is too short or its header is another event's. Requests that end
 * with an error are passed over.
 *
 * Return: 0; -EPIPE no rings; -EINVAL @limit; -ENOMEM.
 */
int roc_lender_fragments(struct roc_fragments *f, unsigned int limit, struct roc_lender **lender);

/**
 * roc_card_fragments() - a sub-unit of a card, seen from its endpoint
 * @ep: handle of the endpoint; the sub-unit may be anybody's
 * @sub: its number
 * @info: filled in. What the driver counts, it counts since it took the card
 *
 * Return: 0; -ENOENT no such sub-unit; -EOPNOTSUPP the card has none.
 */
int roc_card_fragments(struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info);

/**
 * roc_card_fragments_find() - number of a sub-unit by its name
 * @ep: handle of the endpoint
 * @name: name, or the number itself
 * @sub: the number
 *
 * Return: 0; -ENOENT no such sub-unit (the sentence lists those it has); -EOPNOTSUPP the card has
 * none.
 */
int roc_card_fragments_find(struct roc_endpoint *ep, const char *name, unsigned int *sub);

/**
 * roc_card_fragments_settings() - as roc_fragments_settings(), from the endpoint
 * @ep: handle
 * @sub: number of the sub-unit, which may be anybody's
 * @settings: see there
 *
 * Return: as roc_fragments_settings(); -EBUSY a process has the sub-unit open: the sentence names
 * it; -ENOENT no such sub-unit; -EOPNOTSUPP the card has none.
 */
int roc_card_fragments_settings(struct roc_endpoint *ep, unsigned int sub,
				struct roc_fr_settings *settings);

/**
 * roc_card_fragments_reset() - as roc_fragments_reset(), from the endpoint
 * @ep: handle
 * @sub: number of the sub-unit, or ROC_FR_ALL: all of them
 * @level: see there
 *
 * Return: as roc_fragments_reset(); -EBUSY @level is not COUNTERS and a process has the
 * sub-unit open (ROC_FR_ALL: any sub-unit); roc_error() names it; -ENOENT, -EOPNOTSUPP as above.
 */
int roc_card_fragments_reset(struct roc_endpoint *ep, unsigned int sub, enum roc_fr_level level);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FRAGMENT_H */
