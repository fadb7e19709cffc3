/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libroc: packed blocks of events, version 1 of the layout that Documentation/mep.md describes.
 *
 *  MFP   data of one source for a block of events: a head, an index, the data
 *  MEP   the MFPs of all sources of the same block: a head, a table of sources, the MFPs
 *
 * An MFP need not be contiguous: a view of it is a list of segments. The iterators return every
 * fragment in place, without a copy. They check every size before they use it, so that they are
 * safe for any input from a network or a file.
 *
 * Only roc_mep_events_new() allocates memory. At most one thread at a time may use a view or an
 * iterator. The functions only read the data.
 */
#ifndef ROC_MEP_H
#define ROC_MEP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROC_MEP_VERSION 1 /* version of MFP and MEP */
#define ROC_MFP_HEAD 64	  /* bytes */
#define ROC_MFP_ENTRY 16  /* bytes of an index entry, one per fragment */
#define ROC_MEP_HEAD 64
#define ROC_MEP_ENTRY 64 /* bytes of an entry of the table of sources */
#define ROC_MEP_ALIGN 8	 /* each fragment, and each MFP in a MEP, begins at a multiple of it */
#define ROC_MEP_NAME 32	 /* bytes of a source's name, with the final NUL */

#define ROC_MFP_EVENTS_MAX (1 << 20) /* events of a block */
#define ROC_MEP_SOURCES_MAX 4096
#define ROC_MFP_BYTES_MAX (UINT64_C(1) << 40)

/**
 * enum roc_mfp_flags - Flags of an MFP, and of each fragment in it
 * @ROC_MFP_DAMAGED: the card, or the software that took the data from it, reports that the data is
 *	damaged or incomplete
 * @ROC_MFP_GAPS: of an MFP: the source has no data for some events of the block
 */
enum roc_mfp_flags {
	ROC_MFP_DAMAGED = 1 << 0,
	ROC_MFP_GAPS = 1 << 1,
};

/**
 * struct roc_mfp - Head of an MFP
 * @block: number of the block
 * @first_event: first event id of the block
 * @time: CLOCK_REALTIME ns at which the earliest fragment was taken, 0 if unknown
 * @bytes: size of the whole MFP in bytes: head, index, data
 * @events: maximum number of events of the block, 1 to ROC_MFP_EVENTS_MAX: ids @first_event to
 *	@first_event + @events - 1
 * @count: number of fragments, at most @events
 * @source: number of the source in the assignment table @epoch
 * @epoch: epoch of that table
 * @flags: bits of enum roc_mfp_flags
 * @content: content of the fragments, as defined by the source; 0 for bytes
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
 * struct roc_mfp_entry - Entry of the index of an MFP
 * @offset: event id minus the first event id of the block
 * @flags: bits of enum roc_mfp_flags
 * @bytes: size of the fragment in bytes
 */
struct roc_mfp_entry {
	uint32_t offset;
	uint32_t flags;
	uint64_t bytes;
};

/**
 * roc_mep_padded() - Return a size with its padding
 * @bytes: size of a fragment or of an MFP in bytes
 *
 * Return: @bytes rounded up to a multiple of ROC_MEP_ALIGN.
 */
static inline uint64_t roc_mep_padded(uint64_t bytes)
{
	return (bytes + ROC_MEP_ALIGN - 1) & ~(uint64_t)(ROC_MEP_ALIGN - 1);
}

/**
 * roc_mfp_data() - Return the offset of the data in an MFP
 * @count: number of fragments
 *
 * Return: size of head and index in bytes.
 */
static inline uint64_t roc_mfp_data(uint32_t count)
{
	return ROC_MFP_HEAD + (uint64_t)count * ROC_MFP_ENTRY;
}

/**
 * roc_mfp_put() - Write the head of an MFP
 * @to: ROC_MFP_HEAD bytes, at any address
 * @head: head to write
 */
void roc_mfp_put(void *to, const struct roc_mfp *head);

/**
 * roc_mfp_put_entry() - Write an entry of the index of an MFP
 * @mfp: start of the MFP, which is contiguous up to the end of the index
 * @i: number of the entry; entries are in the order of events
 * @entry: entry to write
 */
void roc_mfp_put_entry(void *mfp, uint32_t i, const struct roc_mfp_entry *entry);

/**
 * struct roc_mfp_view - An MFP in memory
 * @head: decoded head
 * @segments: consecutive pieces of memory of the MFP, which the caller owns
 * @count: number of @segments
 */
struct roc_mfp_view {
	struct roc_mfp head;
	const struct iovec *segments;
	unsigned int count;
};

/**
 * roc_mfp_open() - Open a view of an MFP
 * @view: filled in
 * @segments: memory of the MFP. The caller owns the segments and their array, which must outlive
 *	@view
 * @count: number of @segments
 *
 * The function checks the head and every entry of the index. After success, all fragments are
 * inside of the segments, and events are in order. The function does not check data behind the MFP
 * in the last segment.
 *
 * Return: 0 on success; -EPROTO if it is not an MFP; -EPROTONOSUPPORT if it is an MFP of another
 * version (@view->head.count is then the version); -EMSGSIZE if it is longer than the segments;
 * -EBADMSG if head and index contradict each other.
 */
int roc_mfp_open(struct roc_mfp_view *view, const struct iovec *segments, unsigned int count);

/**
 * struct roc_mfp_fragment - Data of one source for one event
 * @event: event id
 * @bytes: size of the data in bytes
 * @data: start of the data if it is contiguous, otherwise NULL: see roc_mfp_parts()
 * @flags: bits of enum roc_mfp_flags
 * @source: number of the source in its MEP; 0 for a single MFP
 * @view: MFP of the fragment; NULL if the source has no data for this event
 * @segment: segment in which the data begins, at @offset
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
 * struct roc_mfp_walk - Position in an MFP; the fields are private to the library
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
 * roc_mfp_begin() - Start to iterate over the fragments of an MFP
 * @walk: filled in
 * @view: view from roc_mfp_open(); must outlive @walk
 */
void roc_mfp_begin(struct roc_mfp_walk *walk, const struct roc_mfp_view *view);

/**
 * roc_mfp_next() - Return the next fragment, in the order of event ids
 * @walk: position
 * @fragment: filled in
 *
 * Return: 1 on success; 0 if there is none; -EBADMSG if the MFP was modified since roc_mfp_open().
 */
int roc_mfp_next(struct roc_mfp_walk *walk, struct roc_mfp_fragment *fragment);

/**
 * roc_mfp_parts() - List the parts of a fragment
 * @fragment: fragment from an iterator
 * @parts: array, filled in
 * @capacity: size of @parts
 *
 * Return: number of parts of the fragment, which may be more than @capacity.
 */
unsigned int roc_mfp_parts(const struct roc_mfp_fragment *fragment, struct iovec *parts,
			   unsigned int capacity);

/**
 * roc_mfp_copy() - Copy the data of a fragment into contiguous memory
 * @fragment: fragment from an iterator
 * @to: memory for the data
 * @capacity: size of this memory in bytes
 *
 * Return: number of bytes copied: those of the fragment, at most @capacity.
 */
size_t roc_mfp_copy(const struct roc_mfp_fragment *fragment, void *to, size_t capacity);

/**
 * enum roc_mep_state - State of a source's MFP in a MEP
 * @ROC_MEP_HERE: it is in the MEP
 * @ROC_MEP_GONE: the source reports that it has no data for this block
 * @ROC_MEP_MISSING: it did not arrive in time
 */
enum roc_mep_state {
	ROC_MEP_HERE = 0,
	ROC_MEP_GONE = 1,
	ROC_MEP_MISSING = 2,
};

/**
 * enum roc_mep_flags - Flags of a MEP
 * @ROC_MEP_INCOMPLETE: not all sources are present, or the required sources are unknown: the
 *	builder never had the assignment table by which some of the data was sent
 * @ROC_MEP_DAMAGED: at least one MFP is damaged
 */
enum roc_mep_flags {
	ROC_MEP_INCOMPLETE = 1 << 0,
	ROC_MEP_DAMAGED = 1 << 1,
};

/**
 * struct roc_mep_source - One source in a MEP
 * @name: name of the source
 * @state: enum roc_mep_state
 * @view: its MFP; valid if @state is ROC_MEP_HERE
 */
struct roc_mep_source {
	char name[ROC_MEP_NAME];
	uint32_t state;
	struct roc_mfp_view view;
};

/**
 * struct roc_mep - Data of all sources for a block
 * @block: number of the block
 * @first_event: first event id of the block
 * @handle: handle of the builder, for returning the MEP; 0 if it was read from a file
 * @time: CLOCK_REALTIME ns of its earliest fragment, by this machine's clock; 0 if unknown
 * @events: ids @first_event to @first_event + @events - 1
 * @epoch: epoch of the assignment table that defines the required sources
 * @flags: bits of enum roc_mep_flags
 * @count: number of @sources: all required ones
 * @sources: sources in the order of the assignment table
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
 * roc_mep_bytes() - Return the size of a contiguous MEP
 * @mep: the MEP
 *
 * Return: bytes of head, table of sources and all MFPs, each padded.
 */
uint64_t roc_mep_bytes(const struct roc_mep *mep);

/**
 * roc_mep_put() - Write head and table of sources of a MEP
 * @to: ROC_MEP_HEAD + @mep->count * ROC_MEP_ENTRY bytes
 * @mep: the MEP
 *
 * In a file, and in every contiguous MEP, the MFPs of the present sources follow in the order of
 * @mep->sources, each with its padding.
 *
 * Return: bytes written.
 */
size_t roc_mep_put(void *to, const struct roc_mep *mep);

/**
 * roc_mep_open() - Open a contiguous MEP
 * @mep: filled in; its @sources point into @sources
 * @data: start of the MEP
 * @bytes: number of readable bytes from there
 * @sources: array, filled in
 * @segments: array, filled in; both must outlive @mep
 * @capacity: size of @sources and of @segments
 *
 * Return: 0 on success; -EPROTO if it is not a MEP; -EPROTONOSUPPORT if it is one of another
 * version (@mep->count is then the version); -EMSGSIZE if it is longer than @bytes (@mep->handle is
 * then its length if known, otherwise 0); -ENOSPC if it has more sources than @capacity
 * (@mep->count is then their number); -EBADMSG if head, table and MFPs contradict each other.
 */
int roc_mep_open(struct roc_mep *mep, const void *data, uint64_t bytes,
		 struct roc_mep_source *sources, struct iovec *segments, unsigned int capacity);

struct roc_mep_events; /* the caller owns it from roc_mep_events_new() to _free() */

/**
 * struct roc_mep_event - Data of all sources for one event
 * @event: event id
 * @here: number of @fragments with a @view: sources that have data for the event
 * @count: number of @fragments: the number of sources of the MEP
 * @fragments: one for each source of the MEP, in its order
 */
struct roc_mep_event {
	uint64_t event;
	unsigned int here;
	unsigned int count;
	const struct roc_mfp_fragment *fragments;
};

/**
 * roc_mep_events_new() - Create an iterator for any number of MEPs, one after the other
 * @sources: maximum number of sources of a MEP, up to ROC_MEP_SOURCES_MAX
 * @events: the new handle
 *
 * Return: 0 on success; -EINVAL if @sources is out of range; -ENOMEM.
 */
int roc_mep_events_new(unsigned int sources, struct roc_mep_events **events);

/**
 * roc_mep_events_free() - Free an iterator
 * @events: handle, or NULL
 */
void roc_mep_events_free(struct roc_mep_events *events);

/**
 * roc_mep_events_begin() - Start to iterate over the events of a MEP
 * @events: handle
 * @mep: MEP, which must remain valid until the end of the iteration
 *
 * Return: 0 on success; -ENOSPC if it has more sources than the iterator supports; -EBADMSG if the
 * MEP was modified meanwhile.
 */
int roc_mep_events_begin(struct roc_mep_events *events, const struct roc_mep *mep);

/**
 * roc_mep_events_next() - Return the next event for which any source has data
 * @events: handle
 * @event: filled in; its fragments are valid until the next call
 *
 * Return: 1 on success; 0 if there is none; -EBADMSG if the MEP was modified meanwhile.
 */
int roc_mep_events_next(struct roc_mep_events *events, struct roc_mep_event *event);

#ifdef __cplusplus
}
#endif

#endif
