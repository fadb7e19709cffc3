/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: packed blocks of events, version 1 of the layout that Documentation/mep.md describes.
 *
 *   MFP   what one source has of a block of events: a head, an index, the data
 *   MEP   the MFPs of all sources of the same block: a head, a table of sources, the MFPs
 *
 * A MFP need not be in one piece: a view of it is a list of segments. The iterators give every
 * fragment where it lies; nothing is copied. All of them look at every size before they use it, so
 * they may be let loose on anything that came from a network or a file.
 *
 * Nothing here allocates but roc_mep_events_new(). A view or an iterator is one thread's at a time;
 * what they look at is only read.
 */
#ifndef ROC_MEP_H
#define ROC_MEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_MEP_VERSION 1 /* of both */
#define ROC_MFP_HEAD 64	  /* bytes */
#define ROC_MFP_ENTRY 16  /* of the index, for each fragment */
#define ROC_MEP_HEAD 64
#define ROC_MEP_ENTRY 64 /* of the table of sources, for each */
#define ROC_MEP_ALIGN 8	 /* each fragment, and each MFP in a MEP, begins at a multiple of it */
#define ROC_MEP_NAME 32	 /* bytes of a source's name, with the 0 at its end */

#define ROC_MFP_EVENTS_MAX (1 << 20) /* events of a block */
#define ROC_MEP_SOURCES_MAX 4096
#define ROC_MFP_BYTES_MAX (UINT64_C(1) << 40)

/**
 * enum roc_mfp_flags - of a MFP, and of each fragment in it
 * @ROC_MFP_DAMAGED: the card, or who took the data from it, says that they are not all that they
 *	should be
 * @ROC_MFP_GAPS: of a MFP: the source has nothing of some events of the block
 */
enum roc_mfp_flags {
	ROC_MFP_DAMAGED = 1 << 0,
	ROC_MFP_GAPS = 1 << 1,
};

/**
 * struct roc_mfp - head of a MFP
 * @block: number of the block
 * @first_event: event id that the block begins with
 * @time: CLOCK_REALTIME ns at which the earliest fragment was taken, 0 not known
 * @bytes: of the whole MFP: head, index, data
 * @events: that the block can have, 1 to ROC_MFP_EVENTS_MAX: ids @first_event to @first_event +
 *	@events - 1
 * @count: fragments in it, at most @events
 * @source: number of the source in the table of assignment @epoch
 * @epoch: of that table
 * @flags: bits of enum roc_mfp_flags
 * @content: what is in the fragments, as the source has it; 0: bytes
 */
struct roc_mfp {
	uint64_t block;
	uint64_t first_event;
	uint64_t time;
	uint64_t bytes;
	uint32_t events;
	uint32_t count;
	uint32_t source;
	uint32_t epoch;
	uint32_t flags;
	uint32_t content;
};

/**
 * struct roc_mfp_entry - of the index of a MFP
 * @offset: of the event, from the first of the block
 * @flags: bits of enum roc_mfp_flags
 * @bytes: of the fragment
 */
struct roc_mfp_entry {
	uint32_t offset;
	uint32_t flags;
	uint64_t bytes;
};

/**
 * roc_mep_padded() - bytes, with what is left free behind them
 * @bytes: of a fragment or of a MFP
 *
 * Return: the multiple of ROC_MEP_ALIGN that has room for them.
 */
static inline uint64_t roc_mep_padded(uint64_t bytes)
{
	return (bytes + ROC_MEP_ALIGN - 1) & ~(uint64_t)(ROC_MEP_ALIGN - 1);
}

/**
 * roc_mfp_data() - where the data of a MFP begin
 * @count: of fragments
 *
 * Return: bytes from the start of the MFP: head and index.
 */
static inline uint64_t roc_mfp_data(uint32_t count)
{
	return ROC_MFP_HEAD + (uint64_t)count * ROC_MFP_ENTRY;
}

/**
 * roc_mfp_put() - write the head of a MFP
 * @to: ROC_MFP_HEAD bytes, at any address
 * @head: what to write
 */
void roc_mfp_put(void *to, const struct roc_mfp *head);

/**
 * roc_mfp_put_entry() - write an entry of its index
 * @mfp: start of the MFP, which is in one piece as far as the index goes
 * @i: which entry; entries are in the order of events
 * @entry: what to write
 */
void roc_mfp_put_entry(void *mfp, uint32_t i, const struct roc_mfp_entry *entry);

/**
 * struct roc_mfp_view - a MFP that is somewhere in memory
 * @head: its head, decoded
 * @segments: pieces of memory in which it lies, one behind the other; the caller's
 * @count: of @segments
 */
struct roc_mfp_view {
	struct roc_mfp head;
	const struct iovec *segments;
	unsigned int count;
};

/**
 * roc_mfp_open() - look at a MFP
 * @view: to fill in
 * @segments: where it lies; they and their array stay the caller's and must outlive @view
 * @count: of @segments
 *
 * Looks at the head and at every entry of the index: what the iterators will find is inside of the
 * segments, and events are in order. What is behind the MFP in the last segment is not looked at.
 *
 * Return: 0; -EPROTO it is no MFP; -EPROTONOSUPPORT a MFP of another version (@view->head.count is
 * then the version); -EMSGSIZE it is longer than the segments; -EBADMSG head and index contradict
 * each other.
 */
int roc_mfp_open(struct roc_mfp_view *view, const struct iovec *segments, unsigned int count);

/**
 * struct roc_mfp_fragment - one source's data of one event
 * @event: event id
 * @bytes: of data
 * @data: start of the data if they are in one piece, else NULL: see roc_mfp_parts()
 * @flags: bits of enum roc_mfp_flags
 * @source: number of the source in its MEP; 0 for a MFP alone
 * @view: MFP that it is in; NULL: the source has nothing of this event
 * @segment: in which it begins, and @offset there
 * @offset: bytes from the start of that segment
 */
struct roc_mfp_fragment {
	uint64_t event;
	uint64_t bytes;
	const void *data;
	uint32_t flags;
	uint32_t source;
	const struct roc_mfp_view *view;
	unsigned int segment;
	size_t offset;
};

/**
 * struct roc_mfp_walk - place in a MFP; fields are the library's own
 */
struct roc_mfp_walk {
	/* private: */
	const struct roc_mfp_view *view;
	uint32_t next;
	uint32_t least;
	unsigned int entry_segment, data_segment;
	size_t entry_offset, data_offset;
	uint64_t left;
};

/**
 * roc_mfp_begin() - walk the fragments of a MFP
 * @walk: to fill in
 * @view: as roc_mfp_open() made it; must outlive @walk
 */
void roc_mfp_begin(struct roc_mfp_walk *walk, const struct roc_mfp_view *view);

/**
 * roc_mfp_next() - the next fragment, in the order of event ids
 * @walk: place
 * @fragment: to fill in
 *
 * Return: 1; 0 there is none; -EBADMSG the MFP was written to since roc_mfp_open().
 */
int roc_mfp_next(struct roc_mfp_walk *walk, struct roc_mfp_fragment *fragment);

/**
 * roc_mfp_parts() - where a fragment lies
 * @fragment: as an iterator gave it
 * @parts: array to fill in
 * @room: of @parts
 *
 * Return: number of parts that it has, which may be more than @room.
 */
unsigned int roc_mfp_parts(const struct roc_mfp_fragment *fragment, struct iovec *parts,
			   unsigned int room);

/**
 * roc_mfp_copy() - the data of a fragment in one piece
 * @fragment: as an iterator gave it
 * @to: memory for them
 * @room: bytes of it
 *
 * Return: bytes that were copied: those of the fragment, or @room.
 */
size_t roc_mfp_copy(const struct roc_mfp_fragment *fragment, void *to, size_t room);

/**
 * enum roc_mep_state - what became of a source's MFP
 * @ROC_MEP_HERE: it is in the MEP
 * @ROC_MEP_GONE: the source says that it has nothing of this block
 * @ROC_MEP_MISSING: it did not come in time
 */
enum roc_mep_state {
	ROC_MEP_HERE = 0,
	ROC_MEP_GONE = 1,
	ROC_MEP_MISSING = 2,
};

/**
 * enum roc_mep_flags - of a MEP
 * @ROC_MEP_INCOMPLETE: not all sources are here, or which there should be is not known: the builder
 *	never had the table of assignment by which some of it was sent
 * @ROC_MEP_DAMAGED: some MFP is
 */
enum roc_mep_flags {
	ROC_MEP_INCOMPLETE = 1 << 0,
	ROC_MEP_DAMAGED = 1 << 1,
};

/**
 * struct roc_mep_source - one source in a MEP
 * @name: of the source
 * @state: of enum roc_mep_state
 * @view: its MFP; valid if @state is ROC_MEP_HERE
 */
struct roc_mep_source {
	char name[ROC_MEP_NAME];
	uint32_t state;
	struct roc_mfp_view view;
};

/**
 * struct roc_mep - what all sources have of a block
 * @block: number of the block
 * @first_event: event id that it begins with
 * @handle: of who built it, for giving it back; 0 if it was read from a file
 * @time: CLOCK_REALTIME ns of its earliest fragment, by this machine's clock; 0 not known
 * @events: ids @first_event to @first_event + @events - 1
 * @epoch: of the table of assignment that says which sources there should be
 * @flags: bits of enum roc_mep_flags
 * @count: of @sources: all that there should be
 * @sources: in the order of the table of assignment
 */
struct roc_mep {
	uint64_t block;
	uint64_t first_event;
	uint64_t handle;
	uint64_t time;
	uint32_t events;
	uint32_t epoch;
	uint32_t flags;
	unsigned int count;
	const struct roc_mep_source *sources;
};

/**
 * roc_mep_bytes() - of a MEP in one piece
 * @mep: the MEP
 *
 * Return: bytes of head, table of sources and all MFPs, each padded.
 */
uint64_t roc_mep_bytes(const struct roc_mep *mep);

/**
 * roc_mep_put() - write head and table of sources of a MEP
 * @to: ROC_MEP_HEAD + @mep->count * ROC_MEP_ENTRY bytes
 * @mep: the MEP
 *
 * In a file, or wherever a MEP is in one piece, the MFPs of the sources that are here follow in
 * the order of @mep->sources, each with its padding.
 *
 * Return: bytes written.
 */
size_t roc_mep_put(void *to, const struct roc_mep *mep);

/**
 * roc_mep_open() - look at a MEP that is in one piece
 * @mep: to fill in; its @sources point into @sources
 * @data: start of the MEP
 * @bytes: that may be read from there
 * @sources: array to fill in
 * @segments: array to fill in; both must outlive @mep
 * @room: of @sources and of @segments
 *
 * Return: 0; -EPROTO it is no MEP; -EPROTONOSUPPORT one of another version (@mep->count is then the
 * version); -EMSGSIZE it is longer than @bytes (@mep->handle is then its length, as far as it is
 * known, else 0); -ENOSPC it has more sources than @room (@mep->count is how many); -EBADMSG head,
 * table and MFPs contradict each other.
 */
int roc_mep_open(struct roc_mep *mep, const void *data, uint64_t bytes,
		 struct roc_mep_source *sources, struct iovec *segments, unsigned int room);

struct roc_mep_events; /* owned by the caller from roc_mep_events_new() to _free() */

/**
 * struct roc_mep_event - what all sources have of one event
 * @event: event id
 * @here: how many of @fragments have a @view: sources that have data of it
 * @count: of @fragments: that of the MEP
 * @fragments: one for each source of the MEP, in its order
 */
struct roc_mep_event {
	uint64_t event;
	unsigned int here;
	unsigned int count;
	const struct roc_mfp_fragment *fragments;
};

/**
 * roc_mep_events_new() - an iterator, for any number of MEPs one after the other
 * @sources: that a MEP has at most, up to ROC_MEP_SOURCES_MAX
 * @events: the new handle
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int roc_mep_events_new(unsigned int sources, struct roc_mep_events **events);

/**
 * roc_mep_events_free() - give an iterator up
 * @events: handle, or NULL
 */
void roc_mep_events_free(struct roc_mep_events *events);

/**
 * roc_mep_events_begin() - walk the events of a MEP
 * @events: handle
 * @mep: must stay until the walk is over
 *
 * Return: 0; -ENOSPC it has more sources than the iterator was made for; -EBADMSG the MEP was
 * written to meanwhile.
 */
int roc_mep_events_begin(struct roc_mep_events *events, const struct roc_mep *mep);

/**
 * roc_mep_events_next() - the next event of which any source has data
 * @events: handle
 * @event: to fill in; its fragments are valid until the next call
 *
 * Return: 1; 0 there is none; -EBADMSG the MEP was written to meanwhile.
 */
int roc_mep_events_next(struct roc_mep_events *events, struct roc_mep_event *event);

#ifdef __cplusplus
}
#endif

#endif
