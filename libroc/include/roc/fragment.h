/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: fragments on request, the channels of cards with ROC_CAP_FRAGMENTS. The card keeps the
 * fragments of its links in its own memory and writes a descriptor for each. The host requests the
 * fragments that it needs, which the card writes into host memory, and clears the others. Each
 * channel is a *sub-unit* of several links:
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
 *		roc_fragments_flush(f);				...and one doorbell reports it all
 *	}
 *
 * Only two of these functions make a system call: roc_fragments_wait() when nothing is available,
 * and roc_fragments_flush() if the doorbell of the card cannot be mapped. The library allocates no
 * memory per fragment.
 *
 * Kept fragments: roc_fragments_take() enters each fragment into an index from (event, link) to the
 * card's page. The index is never full, because every entry has a page of the card. Event ids wrap
 * at 2^32. A clear removes an event from the index. If the same (event, link) comes again, the
 * newer fragment replaces the older one, whose page goes back to the card. If the event ids have
 * wrapped since, the newer fragment replaces the whole old event, so that no event mixes two.
 * &roc_fragments_counts.replaced counts both cases.
 *
 * Lent memory: a fetched fragment is in a *host page*. The caller may read it until
 * roc_fragments_return(), in any order; roc/lend.h defines the terms. The caller may clear the
 * fragment in the meantime, because the host page has a copy.
 *
 * Threads: one thread, the *consumer*, calls every function that this paragraph does not name. Any
 * thread may call roc_fragments_return() and roc_fragments_lent() at any time between open and
 * close. These two take no lock. A thread that passes a host page to another thread must order
 * memory, as every queue does.
 *
 * Errors of every function that calls the driver are those listed in roc/roc.h. The library rejects
 * an invalid descriptor or completion: one of a page that the card does not have, of a command that
 * is not outstanding, or longer than a page. It also rejects an entry that is missing in its ring
 * although a later entry is present. From then on calls return -EBADMSG until the next start of the
 * sub-unit. roc_fragments_take(), _done() and _wait() detect this without the driver. Whenever
 * roc_fragments_take() or _done() finds nothing, it checks one later entry. Detection thus takes at
 * most as many calls as the ring has entries. The driver ends the run within 3 s: ROC_CH_FAILED
 * with ROC_REASON_RECORD.
 */
#ifndef ROC_FRAGMENT_H
#define ROC_FRAGMENT_H

#include <roc/fragment_index.h>
#include <roc/lend.h>

#ifdef __cplusplus
extern "C" {
#endif

struct roc_fragments; /* the caller owns it from roc_fragments_open() to _close() */

/**
 * struct roc_fragment_kept - A fragment that the card keeps
 * @event: event id
 * @link: link of the sub-unit, from 0
 * @size: size in bytes
 * @status: bits of enum roc_fr_fragment
 * @links: mask of the links for which the index now has a fragment of this event, including @link
 * @page: word that names the card's page; for diagnosis only
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
 * struct roc_fragment_fetched - A fragment in host memory, or a failed request
 * @data: start address, contiguous; NULL with @error
 * @handle: handle for roc_fragments_return(); never 0, and not reused for another page while the
 *	sub-unit is open. 0 with @error: there is nothing to return
 * @tag: tag of the request
 * @event: event id
 * @link: link of the sub-unit, from 0
 * @size: number of bytes at @data; 0 with @error
 * @status: bits of enum roc_fr_fragment
 * @error: 0 on success; -ECANCELED if the sub-unit was stopped before; -EIO if the card could not
 *	read its memory or rejected the command, which no command of this library should cause
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
 * struct roc_fragments_counts - Library counters of an open sub-unit
 * @taken: fragments reported by the card and taken. This counter and those down to @doorbell_calls
 *	count since open
 * @replaced: of these, released by the library because the same event id came again
 * @requested: fragments requested
 * @asked: deprecated name of @requested
 * @fetched: of these, complete in host memory
 * @failed: of these, ended with an error or cancelled by a stop
 * @cleared: fragments given back to the card by roc_fragments_clear()
 * @doorbells: register writes of doorbells
 * @doorbell_calls: system calls made instead of such writes
 * @tells: deprecated name of @doorbell_calls
 * @events: events in the index. This member and those below are current values
 * @kept: fragments in the index
 * @outstanding: requests that are not complete
 * @queued: of these, requests not yet reported to the card
 * @unrung: released pages not yet reported to the card
 * @pages_out: pages that the host holds: kept pages, and cleared pages that wait for their request
 * @free: host pages that belong to no request and are not lent
 * @space: requests that can be made now: the smaller of @free and the space in the command ring
 * @room: deprecated name of @space
 */
struct roc_fragments_counts {
	uint64_t taken;
	uint64_t replaced;
	union {
		uint64_t requested, asked;
	};
	uint64_t fetched;
	uint64_t failed;
	uint64_t cleared;
	uint64_t doorbells;
	union {
		uint64_t doorbell_calls, tells;
	};
	uint32_t events;
	uint32_t kept;
	uint32_t outstanding;
	uint32_t queued;
	uint32_t unrung;
	uint32_t pages_out;
	uint32_t free;
	union {
		uint32_t space, room;
	};
};

/**
 * struct roc_fragments_damage - Counters of damaged fragments of an open sub-unit
 * @damaged: fragments taken that the card flagged: truncated, with a link error, or without a
 *	header
 * @truncated: of these, fragments longer than a page of the card
 * @sequence_errors: fragments taken whose event id is not that of the link's previous fragment plus
 *	one, flagged or not; and fragments fetched with another event id in their header
 * @too_short: fragments fetched with fewer bytes than their header states, although the card did
 *	not truncate them, or too short for a header. Generator content without a header is not
 *	checked
 * @empty: fragments taken without any bytes; a request for one ends with -EIO
 *
 * The counters start at zero on open. A fragment can count in more than one of them. The driver
 * counts entries that are missing in the rings of the card: &roc_fr_info.lost.
 */
struct roc_fragments_damage {
	uint64_t damaged;
	uint64_t truncated;
	uint64_t sequence_errors;
	uint64_t too_short;
	uint64_t empty;
};

/**
 * roc_fragments_open() - Open a sub-unit and become its owner
 * @id: card, as for roc_find()
 * @sub: name of the sub-unit, such as "sub0", or its number, which is M of /dev/rocNchM
 * @f: the new handle
 *
 * Call it after fork(), in the process that takes the data. A child does not inherit the rings.
 * Calls of a child would act on the run of its parent. Each function of the sub-unit, and of a
 * lender of it, therefore returns -EPERM in a child. There roc_fragments_running() returns false
 * and roc_fragments_clear() 0. Functions that only read counters work on the child's copy. A child
 * may call roc_fragments_close().
 *
 * Return: 0 on success; the errors of roc_open(); -ENOENT also if the card has no such sub-unit
 * (roc_error() lists the sub-units); -EOPNOTSUPP if the card has no sub-units; -EBUSY if another
 * process has the sub-unit open (roc_error() names its PID and program).
 */
int roc_fragments_open(const char *id, const char *sub, struct roc_fragments **f);

/**
 * roc_fragments_open_card() - Open a sub-unit of an endpoint found before
 * @card: from roc_find() or roc_enumerate()
 * @id: id that the user gave, for messages, or NULL
 * @sub: as for roc_fragments_open()
 * @f: the new handle
 *
 * Return: as roc_fragments_open(), without the errors of roc_find(); -ENODEV also if the card no
 * longer has its @minor: find the card again.
 */
int roc_fragments_open_card(const struct roc_card *card, const char *id, const char *sub,
			    struct roc_fragments **f);

/**
 * roc_fragments_close() - Stop the sub-unit and release it
 * @f: handle, or NULL
 *
 * After this call no thread may use the handle. The card no longer writes, and the fragments that
 * it kept are lost. The memory of roc_fragments_add() and its content remain with the caller.
 */
void roc_fragments_close(struct roc_fragments *f);

/**
 * roc_fragments_name() - Return the name of a sub-unit
 * @f: handle
 *
 * Return: "sub0" and so on; valid until roc_fragments_close().
 */
const char *roc_fragments_name(const struct roc_fragments *f);

/**
 * roc_fragments_number() - Return the number of a sub-unit
 * @f: handle
 *
 * Return: M of /dev/rocNchM.
 */
unsigned int roc_fragments_number(const struct roc_fragments *f);

/**
 * roc_fragments_links() - Return the number of links of a sub-unit
 * @f: handle
 *
 * Return: number of links, up to ROC_FRAGMENTS_LINKS_MAX.
 */
unsigned int roc_fragments_links(const struct roc_fragments *f);

/**
 * roc_fragments_fd() - Return the file descriptor of a sub-unit
 * @f: handle, which still owns the descriptor
 *
 * Call roc_fragments_flush() before poll(), because otherwise the card has not received the queued
 * requests.
 *
 * Return: the descriptor, for poll(): POLLIN when there are descriptors or completions that were
 * not read yet, POLLERR when the run has failed, POLLERR | POLLHUP when the card was removed or
 * reset.
 */
int roc_fragments_fd(const struct roc_fragments *f);

/**
 * roc_fragments_eventfd() - Signal an eventfd when descriptors or completions arrive
 * @f: handle
 * @eventfd: descriptor from eventfd(), which the caller may close afterwards; -1 ends the signals
 *
 * Return: 0 on success; -EBADF if @eventfd is not open; -EINVAL if it is not an eventfd.
 */
int roc_fragments_eventfd(struct roc_fragments *f, int eventfd);

/**
 * roc_fragments_info() - Read state, limits and counters of card and driver
 * @f: handle
 * @info: filled in; see &struct roc_fr_info. Counters of the driver start at zero on open
 *
 * Return: 0 or a negative errno.
 */
int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info);

/**
 * roc_fragments_counts() - Read the counters of the library
 * @f: handle
 * @counts: filled in
 *
 * No system call.
 */
void roc_fragments_counts(const struct roc_fragments *f, struct roc_fragments_counts *counts);

/**
 * roc_fragments_damage() - Read the counters of damaged fragments
 * @f: handle
 * @damage: filled in
 *
 * No system call. Only the consumer may call it.
 */
void roc_fragments_damage(const struct roc_fragments *f, struct roc_fragments_damage *damage);

/**
 * roc_fragments_settings() - Change settings and read all of them
 * @f: handle
 * @settings: in: &roc_fr_settings.set and the members that it names; zeroed only reads. Out: all
 *	settings as they are now. The library fills in size and flags
 *
 * The sub-unit may be running.
 *
 * Return: 0 on success; -ERANGE if the card rejects a value.
 */
int roc_fragments_settings(struct roc_fragments *f, struct roc_fr_settings *settings);

/**
 * roc_fragments_reset() - Reset the card's side of the sub-unit
 * @f: handle
 * @level: extent of the reset; see enum roc_fr_level
 *
 * Return: 0 on success; -EBUSY if the sub-unit runs (except for COUNTERS); -EIO; -EINVAL.
 */
int roc_fragments_reset(struct roc_fragments *f, enum roc_fr_level level);

/**
 * roc_fragments_rings() - Create the rings and map them
 * @f: handle
 * @page: size of a card page in bytes, a power of two; the card truncates longer fragments. 0 for
 *	ROC_FR_PAGE_DEFAULT
 * @pages: number of card pages to use per link; 0 for all. A smaller number makes the rings
 *	smaller, but the card then applies back pressure to its links earlier
 * @host_page: size of a host page in bytes, a power of two, at least @page; 0 for the smallest
 * @commands: maximum number of outstanding requests, a power of two; 0 for ROC_FR_COMMANDS_DEFAULT,
 *	or the maximum of the card if that is less
 *
 * Call it once per open. roc_fragments_add() and roc_fragments_start() create rings of the default
 * sizes if the caller did not.
 *
 * Return: 0 on success; -EINVAL if a number is invalid (roc_error() states the limits); -EBUSY if
 * there are already rings; -ENOMEM above RLIMIT_MEMLOCK, or if the card's node has too little
 * memory; -EPERM if another process opened the sub-unit. If roc_error() reports that the rings
 * cannot be mapped, or that there is no memory for the tables, the rings exist, and the next call
 * continues from there.
 */
int roc_fragments_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
			uint32_t commands);

/**
 * roc_fragments_add() - Register memory as host pages
 * @f: handle of a sub-unit that is not running
 * @addr: start address, page aligned
 * @length: length in bytes, a multiple of the host page and of the system's page
 *
 * The memory remains pinned until the sub-unit is closed. Each host page must be contiguous for the
 * card, which memory of roc_memory_alloc() is. For host pages up to the system's page size any
 * memory is suitable.
 *
 * Return: 0 on success; -EINVAL if an argument is invalid; -EBUSY if the sub-unit runs; -ENOSPC if
 * the card supports fewer host pages (roc_error() states the limit); the errors of
 * roc_buffer_register().
 */
int roc_fragments_add(struct roc_fragments *f, void *addr, size_t length);

/**
 * roc_fragments_start() - Start the links
 * @f: handle
 *
 * On start the index is empty, no request is outstanding, and the card has all of its pages. Lent
 * host pages remain lent. The start discards completions of the last run that were not read.
 *
 * A start that fails after the driver has signalled the card also empties the rings. Nothing is
 * left for roc_fragments_take(), and roc_fragments_done() returns requests of the last run with
 * -ECANCELED.
 *
 * Return: 0 on success; -EBUSY if the sub-unit already runs; -EIO also if the card cannot be
 * quiesced before the start or does not acknowledge it; the errors of roc_fragments_rings(). After
 * an error of roc_fragments_flush() the sub-unit runs nevertheless, and roc_fragments_running()
 * returns true.
 */
int roc_fragments_start(struct roc_fragments *f);

/**
 * roc_fragments_stop() - Stop the links
 * @f: handle
 * @now: true to skip the flush and the wait for outstanding commands of the card, which may take a
 *	second
 *
 * After a return of 0 the card no longer writes and has discarded the fragments that it kept.
 * roc_fragments_take() still returns descriptors that the card has written before, so that they are
 * counted. roc_fragments_done() still returns complete requests, and incomplete ones with
 * -ECANCELED.
 *
 * Return: 0 on success; -EALREADY if the sub-unit is not running; -EIO if the card violated the
 * protocol or does not stop. In the latter case it may still write.
 */
int roc_fragments_stop(struct roc_fragments *f, bool now);

/**
 * roc_fragments_running() - Check whether more fragments can arrive
 * @f: handle
 *
 * No system call. A reader that polls without sleeping calls it when it finds nothing. The last
 * fragments may arrive between an empty roc_fragments_take() or roc_fragments_done() and this call.
 * After false, call those once more, and end only if they find nothing either.
 *
 * Return: false if the sub-unit is not running or has stopped by itself. roc_fragments_info() then
 * has the reason.
 */
bool roc_fragments_running(const struct roc_fragments *f);

/**
 * roc_fragments_take() - Take new descriptors of the card into the index
 * @f: handle
 * @kept: array of @n fragments, in the order of the card's descriptors; the fragments of each link
 *	are in the order in which it sent them. NULL to only update the index
 * @n: maximum number of fragments
 *
 * No system call.
 *
 * Return: number of fragments, 0 if there are none now; -EBADMSG as described at the top of this
 * file; -ENODEV if the card was removed or reset and nothing is left; -EPIPE if there are no rings.
 */
int roc_fragments_take(struct roc_fragments *f, struct roc_fragment_kept *kept, unsigned int n);

/**
 * roc_fragments_find() - Find the kept fragments of an event
 * @f: handle
 * @event: event id
 *
 * Return: mask of links whose fragment of @event was taken and not cleared; 0 if there is none.
 */
uint32_t roc_fragments_find(const struct roc_fragments *f, uint32_t event);

/**
 * roc_fragments_oldest() - Find the event that has been kept longest
 * @f: handle
 * @event: receives its event id
 * @age_ns: receives the time in ns since its first fragment was taken
 *
 * A caller can use it to detect events that are never requested or cleared.
 *
 * Return: mask of the links of the event; 0 if no event is kept.
 */
uint32_t roc_fragments_oldest(const struct roc_fragments *f, uint32_t *event, uint64_t *age_ns);

/**
 * roc_fragments_request() - Request fragments of an event into host memory
 * @f: handle
 * @event: event id
 * @links: mask of the requested links; links without a kept fragment are ignored
 * @tag: value of the caller, for &roc_fragment_fetched.tag
 *
 * The next roc_fragments_flush() reports all requests made so far to the card. The same fragment
 * can be requested again at any time, also while a request is outstanding. It remains kept until it
 * is cleared.
 *
 * Return: mask of the requested links, 0 if none of @links has a kept fragment; -EAGAIN if too few
 * host pages are free or too many requests are outstanding (&roc_fragments_counts.space). After
 * -EAGAIN nothing was requested.
 */
int roc_fragments_request(struct roc_fragments *f, uint32_t event, uint32_t links, uint64_t tag);

/**
 * roc_fragments_clear() - Release the card pages of events
 * @f: handle
 * @events: array of @n event ids; the call removes their fragments of all links from the index. It
 *	ignores an event that is not kept
 * @n: number of event ids
 *
 * No system call. Outstanding requests for the fragments still complete; their pages go back
 * afterwards. The library reports many released pages to the card at once: at the latest with the
 * roc_fragments_flush() that finds one of the links short of pages.
 *
 * Return: number of @events that were kept.
 */
unsigned int roc_fragments_clear(struct roc_fragments *f, const uint32_t *events, unsigned int n);

/**
 * roc_fragments_flush() - Report requests, and many released pages, to the card
 * @f: handle
 *
 * The call makes at most two register writes and no read. It makes no system call if the doorbell
 * of the card can be mapped. Call it once per batch and before a sleep in poll().
 * roc_fragments_wait() includes it.
 *
 * Return: 0 on success; the errors of the system call if there is one.
 */
int roc_fragments_flush(struct roc_fragments *f);

/**
 * roc_fragments_done() - Take completed requests
 * @f: handle
 * @fetched: array of @n requests, in the order in which the card finished them, which may be any
 *	order
 * @n: maximum number of requests
 *
 * No system call.
 *
 * After a removal or reset of the card the function returns every outstanding request, incomplete
 * ones with -ECANCELED. The driver reports the end of the run some time later, which can be some
 * seconds after other calls returned -ENODEV. Until then this function returns 0, and
 * roc_fragments_wait() does not wait for the report. A caller that needs none of these requests can
 * close the handle.
 *
 * Return: number of requests, 0 if there are none now; -EBADMSG as described at the top of this
 * file; -ENODEV if the card was removed or reset and no request is outstanding; -EPIPE if there are
 * no rings.
 */
int roc_fragments_done(struct roc_fragments *f, struct roc_fragment_fetched *fetched,
		       unsigned int n);

/**
 * roc_fragments_return() - Return a host page
 * @f: handle
 * @handle: &roc_fragment_fetched.handle
 *
 * Any thread may call it, also while the sub-unit is stopped. Host pages may be returned in any
 * order.
 *
 * Return: 0 on success; -ENOENT if the page is not lent, because it was already returned; -EINVAL
 * if no page ever had this handle.
 */
int roc_fragments_return(struct roc_fragments *f, uint64_t handle);

/**
 * roc_fragments_lent() - Report how many host pages are lent, and for how long
 * @f: handle
 * @lent: filled in; &roc_lent.limit has the number of host pages. The call scans every host page:
 *	use it for monitoring, not per fragment
 *
 * Any thread may call it, from the first start on.
 */
void roc_fragments_lent(const struct roc_fragments *f, struct roc_lent *lent);

/**
 * enum roc_fragments_there - Results of roc_fragments_wait()
 * @ROC_FRAGMENTS_DATA: descriptors for roc_fragments_take()
 * @ROC_FRAGMENTS_DONE: completions for roc_fragments_done()
 */
enum roc_fragments_there {
	ROC_FRAGMENTS_DATA = 1 << 0,
	ROC_FRAGMENTS_DONE = 1 << 1,
};

/**
 * roc_fragments_wait() - Flush, and sleep until descriptors or completions arrive
 * @f: handle
 * @data: number of descriptors to wait for; 0 to ignore descriptors
 * @done: number of completed requests to wait for; 0 to ignore completions
 * @timeout_ms: milliseconds to wait at most; -1: no limit
 *
 * The function makes no system call if enough is already there, or if both numbers are 0. The
 * driver does not wake the reader below the thresholds of its settings, unless their time has
 * passed. @data is limited to half of the card pages of one link, because possibly only one link
 * sends. @done is limited to the outstanding requests and to half of the commands.
 *
 * Return: bits of enum roc_fragments_there whose number is reached, or, if the sub-unit no longer
 * runs, for which anything is left; 0 if the sub-unit does not run and nothing is left, or if
 * nothing was requested that can arrive; -ETIME after @timeout_ms; -EINTR if a signal interrupted
 * the wait; -EINVAL if @timeout_ms is below -1; -ENODEV if the card was removed or reset, where
 * roc_fragments_take() and roc_fragments_done() return what is left; -EPIPE if there are no rings;
 * -EBADMSG as described at the top of this file.
 */
int roc_fragments_wait(struct roc_fragments *f, unsigned int data, unsigned int done,
		       int timeout_ms);

/**
 * roc_lender_fragments() - Create a lender (roc/lend.h) for the fragments of a sub-unit
 * @f: sub-unit with rings. The caller still owns it and must keep it open as long as the lender
 *	exists. The caller must not use roc_fragments_done() and _return() at the same time
 * @limit: maximum number of lent units, 1 to ROC_LENDER_MAX
 * @lender: the new handle
 *
 * A lender serves callers that process units independently of the channel type. The consumer
 * requests and clears fragments as described above. roc_lender_take() returns completed requests:
 * &roc_unit.offset is the event id, link the link, and buffer 0. ROC_UNIT_DAMAGED is set with any
 * &roc_fragment_fetched.status except SEQUENCE, and if the fragment is too short or its header
 * belongs to another event. The lender skips requests that end with an error.
 *
 * Return: 0 on success; -EPIPE if there are no rings; -EINVAL if @limit is out of range; -ENOMEM.
 */
int roc_lender_fragments(struct roc_fragments *f, unsigned int limit, struct roc_lender **lender);

/**
 * roc_card_fragments() - Read state and counters of a sub-unit through its endpoint
 * @ep: handle of the endpoint; any process may have the sub-unit open
 * @sub: number of the sub-unit
 * @info: filled in. Counters of the driver start at zero when the driver binds the card
 *
 * Return: 0 on success; -ENOENT if there is no such sub-unit; -EOPNOTSUPP if the card has no
 * sub-units.
 */
int roc_card_fragments(struct roc_endpoint *ep, unsigned int sub, struct roc_fr_info *info);

/**
 * roc_card_fragments_find() - Find the number of a sub-unit by its name
 * @ep: handle of the endpoint
 * @name: name of the sub-unit, or its number as text
 * @sub: receives the number
 *
 * Return: 0 on success; -ENOENT if there is no such sub-unit (roc_error() lists the sub-units of
 * the card); -EOPNOTSUPP if the card has no sub-units.
 */
int roc_card_fragments_find(struct roc_endpoint *ep, const char *name, unsigned int *sub);

/**
 * roc_card_fragments_settings() - Change settings of a sub-unit through its endpoint
 * @ep: handle
 * @sub: number of the sub-unit, which any process may have open
 * @settings: as for roc_fragments_settings()
 *
 * Return: as roc_fragments_settings(); -EBUSY if a process has the sub-unit open (roc_error() names
 * the process); -ENOENT if there is no such sub-unit; -EOPNOTSUPP if the card has no sub-units.
 */
int roc_card_fragments_settings(struct roc_endpoint *ep, unsigned int sub,
				struct roc_fr_settings *settings);

/**
 * roc_card_fragments_reset() - Reset a sub-unit through its endpoint
 * @ep: handle
 * @sub: number of the sub-unit, or ROC_FR_ALL for all sub-units
 * @level: as for roc_fragments_reset()
 *
 * Return: as roc_fragments_reset(); -EBUSY if @level is not COUNTERS and a process has the sub-unit
 * open (ROC_FR_ALL: any sub-unit), which roc_error() names; -ENOENT if there is no such sub-unit;
 * -EOPNOTSUPP if the card has no sub-units.
 */
int roc_card_fragments_reset(struct roc_endpoint *ep, unsigned int sub, enum roc_fr_level level);

#ifdef __cplusplus
}
#endif

#endif /* ROC_FRAGMENT_H */
