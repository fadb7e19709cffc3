/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: streams. roc.h includes this file, and its rules also apply here.
 *
 * A channel of an endpoint with ROC_CAP_STREAMS is a *stream*. The card writes units (packets,
 * records) one after the other into one ring in host memory that the driver owns. The reader
 * consumes them in order. The first opener of /dev/rocNchM owns the stream until it closes it.
 * Other openers get EBUSY; sysfs owner_pid names the owner. Of the ioctls common to all channels a
 * stream has ROC_CH_RESET, ROC_CH_EVENTFD and, for its ring, ROC_BUF_EXPORT. This file has its
 * other ioctls.
 *
 * A *position* is a free-running 32-bit number of *lines* of ROC_ST_LINE bytes. It begins with
 * &roc_st_start.position and wraps; differences are taken modulo 2^32. Line p is at byte (p *
 * ROC_ST_LINE) modulo the ring's length. Units begin at a line, and the card publishes only whole
 * units. The ring is mapped twice, back to back, so that all data between the read and the write
 * position is contiguous.
 *
 *   card:    writes the payload, then its write position into its page
 *   reader:  load-acquires roc_st_state.written; reads up to there; after use
 *            store-releases roc_st_user.read and, once per batch, stores the same to its doorbell
 *            (with a barrier for device memory)
 *
 * This exchange takes no system call. An idle reader sleeps in ROC_ST_WAIT, in poll() (POLLIN: the
 * low-water mark is reached) or on an eventfd. ROC_ST_WAIT and poll() report roc_st_user.read to
 * the card before they sleep, so that such a reader needs no doorbell. A wait for an eventfd does
 * not enter this driver: ring the doorbell, or call ROC_ST_CONSUME, before it. Otherwise a full
 * ring waits up to half a second for the driver's watchdog.
 *
 * If the mark is already reached when an eventfd is set while the stream runs, the driver signals
 * it at once. poll() reports POLLERR when the run has failed, and POLLERR and POLLHUP when the card
 * was removed or reset.
 */
#ifndef _UAPI_LINUX_ROC_STREAM_H
#define _UAPI_LINUX_ROC_STREAM_H

#ifndef _UAPI_LINUX_ROC_H
#error "include roc.h, not this file by itself"
#endif

#define ROC_ST_INFO _IO(ROC_IOC_TYPE, 0x30)
#define ROC_ST_RING _IO(ROC_IOC_TYPE, 0x31)
#define ROC_ST_SETTINGS _IO(ROC_IOC_TYPE, 0x32)
#define ROC_ST_START _IO(ROC_IOC_TYPE, 0x33)
#define ROC_ST_STOP _IO(ROC_IOC_TYPE, 0x34)
#define ROC_ST_CONSUME _IO(ROC_IOC_TYPE, 0x35)
#define ROC_ST_WAIT _IO(ROC_IOC_TYPE, 0x36)
#define ROC_ST_RESET _IO(ROC_IOC_TYPE, 0x37)
#define ROC_ST_CARD _IO(ROC_IOC_TYPE, 0x38)

#define ROC_ST_LINE 64
#define ROC_ST_RING_MIN (1ull << 16)
#define ROC_ST_RING_MAX (1ull << 36)

/**
 * struct roc_st_counters - Counters of the card for a stream
 * @units: packets or records in the ring
 * @bytes: bytes of these units, with all padding
 * @offered: events that the source produced
 * @events: of these, events in the ring
 * @discarded: of these, events discarded by stops and resets
 * @waiting: of these, events that wait in the card
 * @throttles: times that the card stopped accepting events because its memory was full
 * @throttled: events lost during these times; 0 for a source that waits
 * @throttle_time: total duration in ns
 * @throttle_first: first event not accepted, of the first time; these three members are invalid if
 *	@throttles is 0
 * @throttle_from: first event not accepted, of the last time
 * @throttle_to: last event lost, of the last time; @throttle_from - 1 if none was lost
 * @truncations: times that the card began to truncate events
 * @truncated: events that it truncated; @events includes them
 * @truncated_bytes: bytes that it removed
 * @truncate_time: total duration in ns
 * @truncate_first: first event truncated; these three members are invalid if @truncations is 0
 * @truncate_from: first event truncated, of the last time
 * @truncate_to: last event truncated, of the last time
 *
 * @offered is at every moment the sum of @events, @throttled, @discarded and @waiting. The counters
 * continue over starts and stops until ROC_ST_RESET_COUNTERS or _DEFAULT, or a function reset.
 */
struct roc_st_counters {
	__aligned_u64 units;
	__aligned_u64 bytes;
	__aligned_u64 offered;
	__aligned_u64 events;
	__aligned_u64 discarded;
	__aligned_u64 waiting;
	__aligned_u64 throttles;
	__aligned_u64 throttled;
	__aligned_u64 throttle_time;
	__aligned_u64 throttle_first;
	__aligned_u64 throttle_from;
	__aligned_u64 throttle_to;
	__aligned_u64 truncations;
	__aligned_u64 truncated;
	__aligned_u64 truncated_bytes;
	__aligned_u64 truncate_time;
	__aligned_u64 truncate_first;
	__aligned_u64 truncate_from;
	__aligned_u64 truncate_to;
};

/**
 * struct roc_st_info - ioctl(ROC_ST_INFO): Read state and counters of a stream
 * @size: sizeof(struct roc_st_info)
 * @flags: must be 0
 * @stream: in: on /dev/rocN number of the stream, on /dev/rocNchM 0 or M; out: the number
 * @state: out: enum roc_ch_state
 * @reason: out: enum roc_reason of the last failure
 * @why: deprecated name of @reason
 * @run: out: number of the last start since open, from 1; 0 if there was none
 * @name: out: "main", "meta", "odin0" ...; NUL terminated
 * @owner: out: process that opened the stream, as the caller sees it; 0 if the stream is not open,
 *	or if the process has ended or is outside of the caller's namespace: see sysfs owner_pid
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU, 0 if there is no ring
 * @ring: out: bytes of the ring, 0 if there is none
 * @written: out: last write position that the kernel read
 * @read: out: last read position that the kernel read
 * @level: out: bytes that wait in the card's own memory
 * @reserved: out: zero
 * @card: out: counters of the card, a few ms old while the stream runs
 * @bytes: out: bytes written into rings as the driver saw it. This counter and those below count
 *	since open on /dev/rocNchM, and since the driver bound the card on /dev/rocN
 * @interrupts: out: interrupts of the stream
 * @missed_interrupts: out: times that the watchdog found data without an interrupt for it
 * @spurious_interrupts: out: interrupts without new data
 * @arms: out: times that the driver armed the interrupt: one register write each
 * @doorbells: out: times that the kernel reported the read position to the card: one register write
 *	each
 * @wakes: out: times that the driver woke waiters
 * @mmio_reads: out: register reads while running
 * @mmio_writes: out: register writes while running
 * @bad_index: out: positions of the reader that were out of range, as kernel and card saw it, or
 *	before the one that its doorbell had reported to the card; each value counts once
 *
 * The call makes no register access while the stream runs.
 *
 * Errors: ENOENT if the card has no such stream.
 */
struct roc_st_info {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 state;
	union {
		__u32 reason, why;
	};
	__u32 run;
	char name[ROC_TEXT_MAX];
	__s32 owner;
	__u32 segments;
	__aligned_u64 ring;
	__u32 written;
	__u32 read;
	__u32 level;
	__u32 reserved;
	struct roc_st_counters card;
	__aligned_u64 bytes;
	__aligned_u64 interrupts;
	__aligned_u64 missed_interrupts;
	__aligned_u64 spurious_interrupts;
	__aligned_u64 arms;
	__aligned_u64 doorbells;
	__aligned_u64 wakes;
	__aligned_u64 mmio_reads;
	__aligned_u64 mmio_writes;
	__aligned_u64 bad_index;
};

/**
 * struct roc_st_user - The reader's page: members that the reader writes
 * @read: position up to which the reader has released the ring to the card
 * @pad0: keeps the two members on separate cache lines
 * @taken: position up to which the reader has taken data, for a reader that releases data later
 *	than it takes it; data from this position on counts as new. The kernel ignores a value that
 *	is not beyond @read. A value that @read has passed counts again only when it changes
 * @pad1: rest of the line
 *
 * The page is mapped read-write. The kernel validates what it reads: it ignores a position that is
 * not between the last valid @read and the write position. If the doorbell released more than
 * @read, the card can have written more than a ring beyond @read. The value of the doorbell then
 * counts. This is an error of the reader, see &roc_st_info.bad_index, and the run continues. The
 * kernel sets both members at start.
 */
struct roc_st_user {
	__u32 read;
	__u32 pad0[15];
	__u32 taken;
	__u32 pad1[15];
};

/**
 * enum roc_st_flags - Flags in &roc_st_kernel.flags
 * @ROC_ST_STOPPED: the stream is not running; no more data arrives
 * @ROC_ST_FAILED: the stream stopped because of a protocol violation of the card; ROC_ST_INFO has
 *	the reason
 * @ROC_ST_GONE: the card was removed or reset; close the fd
 */
enum roc_st_flags {
	ROC_ST_STOPPED = 1 << 0,
	ROC_ST_FAILED = 1 << 1,
	ROC_ST_GONE = 1 << 2,
};

/**
 * struct roc_st_kernel - First page of the control area: members that the kernel writes
 * @flags: bits of enum roc_st_flags
 * @run: number of the start since open, from 1
 */
struct roc_st_kernel {
	__u32 flags;
	__u32 run;
};

/**
 * struct roc_st_state - Second page of the control area: members that the card writes
 * @sequence: number of this write, since the start
 * @written: position after the last whole unit in the ring
 * @last_event: id of the last event below @written
 * @units: packets or records since the start, free running
 * @generation: counts the card's resets
 * @status: status of the card, for the kernel
 * @reason: reason of the last interrupt, for the kernel
 * @interrupts: interrupts sent since the start
 * @read: last read position that the card received
 * @level: bytes in the card's own memory
 * @throttles: low word of &roc_st_counters.throttles
 * @throttled: low word of &roc_st_counters.throttled
 * @truncated: low word of &roc_st_counters.truncated
 * @zero: 0
 * @sequence_end: as @sequence
 *
 * The page is mapped read-only, as the page before it. The card writes it in ascending order, after
 * all data that it reports. To get several members of one write, load @sequence_end, then these
 * members, then @sequence, and use them if both are equal. @written alone is valid at any time. A
 * reader should expect protocol violations: it must not follow a @written that is more than the
 * ring's lines ahead of its own position, or that moves backwards. The kernel ends such a run.
 */
struct roc_st_state {
	__le32 sequence;
	__le32 written;
	__aligned_le64 last_event;
	__le32 units;
	__le32 generation;
	__le32 status;
	__le32 reason;
	__le32 interrupts;
	__le32 read;
	__le32 level;
	__le32 throttles;
	__le32 throttled;
	__le32 truncated;
	__le32 zero;
	__le32 sequence_end;
};

/**
 * struct roc_st_ring - ioctl(ROC_ST_RING): Create the stream's ring, once per open
 * @size: sizeof(struct roc_st_ring)
 * @flags: must be 0
 * @length: in: bytes, a power of two, ROC_ST_RING_MIN..ROC_ST_RING_MAX
 * @ring_offset: out: mmap offset of the ring (MAP_SHARED; PROT_READ, optionally PROT_WRITE)
 * @ring_length: out: twice @length, because the ring is mapped twice; map exactly this
 * @control_offset: out: mmap offset of the control area (PROT_READ, MAP_SHARED): struct
 *	roc_st_kernel, and at half of its length struct roc_st_state
 * @control_length: out: length of the control area; map exactly this
 * @user_offset: out: mmap offset of the reader's page (PROT_READ | PROT_WRITE, MAP_SHARED)
 * @user_length: out: length of the reader's page; map exactly this
 * @bell_offset: out: mmap offset of the doorbell (PROT_WRITE, MAP_SHARED): a page of the card with
 *	one register at offset 0. The reader writes it by a 32-bit store of the read position, at
 *	most once per batch
 * @bell_length: out: length of the doorbell; map exactly this. 0 if there is none: use
 *	ROC_ST_CONSUME
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @limit: out, also with an error: the value of the limit that @reason names; must be 0 on entry
 * @pinned: out, also with an error: when @reason is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry
 *
 * The driver allocates the ring on the card's NUMA node if there is enough memory, in ordinary
 * pages, so that direct I/O and RDMA can use it in place. It counts against RLIMIT_MEMLOCK of the
 * process that opened the stream and against its memory cgroup. A child of fork() does not inherit
 * the mappings. They remain after the removal of the card; stores to the doorbell then have no
 * effect.
 *
 * Errors: EINVAL if @length is invalid; EBUSY if there is already a ring; EPERM (reason OWNER) if
 * the caller is not the process that opened the stream; ENOMEM (reason MEMLOCK, or no memory if
 * reason is 0); EINTR if a fatal signal arrived.
 *
 * EOPNOTSUPP with reason LENGTH if the ring is longer than the card supports, where limit has the
 * maximum; with reason CONTIGUITY if it has more pieces than the card supports, where limit has the
 * longest possible length: use that, or an IOMMU; also with reason DMA_MASK or BOUNCE.
 *
 * Errors of mmap(): EPIPE if there is no ring; EINVAL if length or offset is wrong, or the mapping
 * is private; EPERM for a writable control area; ENODEV if the card was removed or reset.
 */
struct roc_st_ring {
	__u32 size;
	__u32 flags;
	__aligned_u64 length;
	__aligned_u64 ring_offset;
	__aligned_u64 ring_length;
	__aligned_u64 control_offset;
	__aligned_u64 control_length;
	__aligned_u64 user_offset;
	__aligned_u64 user_length;
	__aligned_u64 bell_offset;
	__aligned_u64 bell_length;
	__u32 segments;
	union {
		__u32 reason, why;
	};
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * enum roc_st_policy - Behaviour of a stream when the ring is full and the card's own memory fills
 *	up
 * @ROC_ST_THROTTLE: from &roc_st_settings.throttle_on bytes down to throttle_off the card accepts
 *	no events. Without this bit the card does so when it has no space for the next event
 * @ROC_ST_TRUNCATE: from &roc_st_settings.truncate_on bytes on the card removes the data of events
 *	and marks them so; every event id remains
 */
enum roc_st_policy {
	ROC_ST_THROTTLE = 1 << 0,
	ROC_ST_TRUNCATE = 1 << 1,
};

/**
 * enum roc_st_set - Members of struct roc_st_settings to set
 * @ROC_ST_SET_POLICY: &roc_st_settings.policy
 * @ROC_ST_SET_PACK_EVENTS: &roc_st_settings.pack_events
 * @ROC_ST_SET_PACK_BYTES: &roc_st_settings.pack_bytes
 * @ROC_ST_SET_PACK_TIME: &roc_st_settings.pack_time
 * @ROC_ST_SET_THROTTLE_ON: &roc_st_settings.throttle_on
 * @ROC_ST_SET_THROTTLE_OFF: &roc_st_settings.throttle_off
 * @ROC_ST_SET_TRUNCATE_ON: &roc_st_settings.truncate_on
 * @ROC_ST_SET_INTERRUPT_BYTES: &roc_st_settings.interrupt_bytes
 * @ROC_ST_SET_INTERRUPT_TIME: &roc_st_settings.interrupt_time
 * @ROC_ST_SET_LOW_WATER: &roc_st_settings.low_water
 */
enum roc_st_set {
	ROC_ST_SET_POLICY = 1 << 0,
	ROC_ST_SET_PACK_EVENTS = 1 << 1,
	ROC_ST_SET_PACK_BYTES = 1 << 2,
	ROC_ST_SET_PACK_TIME = 1 << 3,
	ROC_ST_SET_THROTTLE_ON = 1 << 4,
	ROC_ST_SET_THROTTLE_OFF = 1 << 5,
	ROC_ST_SET_TRUNCATE_ON = 1 << 6,
	ROC_ST_SET_INTERRUPT_BYTES = 1 << 7,
	ROC_ST_SET_INTERRUPT_TIME = 1 << 8,
	ROC_ST_SET_LOW_WATER = 1 << 9,
};

/**
 * struct roc_st_settings - ioctl(ROC_ST_SETTINGS): Change settings and read all of them
 * @size: sizeof(struct roc_st_settings)
 * @flags: must be 0
 * @stream: on /dev/rocN number of the stream, on /dev/rocNchM 0 or M
 * @set: bits of enum roc_st_set; 0 only reads
 * @policy: bits of enum roc_st_policy
 * @pack_events: packing factor: events per packet
 * @pack_bytes: largest packet in bytes
 * @pack_time: ns after which the card closes a packet that is not full; 0 for never
 * @throttle_on: bytes in the card's own memory, see enum roc_st_policy
 * @throttle_off: bytes in the card's own memory, see enum roc_st_policy
 * @truncate_on: bytes in the card's own memory, see enum roc_st_policy
 * @spill: out: bytes of the card's own memory for the stream; in: ignored
 * @interrupt_bytes: wake threshold: an interrupt wakes a waiter for no fewer bytes than this,
 *	unless @interrupt_time has passed. 0 for a quarter of the ring, at most 8 MiB
 * @interrupt_time: ns since the last interrupt after which any data wakes the waiter. After an idle
 *	time the first unit wakes it at once. 0 for no moderation
 * @low_water: bytes in the ring from which on poll() reports POLLIN and an eventfd is signalled; 0
 *	and 1 both mean any data. More than half of the ring counts as half of it, because a ring
 *	may be full at that level. After the end of a run any data is enough, because no more
 *	arrives
 *
 * In: the members that @set names; others are ignored. Out: all members, as they are from now on.
 * The settings belong to the stream, not to the open file. They remain until they are changed or
 * the stream is reset with ROC_ST_RESET_DEFAULT. They may be set while the stream runs.
 *
 * The members up to @spill are registers of the card. It has them from the last writer of these
 * registers and loses them with a function reset. They may be set on /dev/rocN at any time. The
 * others belong to the opener while the stream is open.
 *
 * Errors: ENOENT if the card has no such stream; EOPNOTSUPP if the stream does not have this
 * setting; EBUSY on /dev/rocN for @interrupt_bytes, @interrupt_time or @low_water of an open
 * stream; EINVAL if @low_water is longer than the ring, or than the longest ring if there is none:
 * then none was set; ERANGE if the card rejects a value (those before it are set) or the value is
 * above 2^32 - 1; EIO if the card does not answer.
 */
struct roc_st_settings {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 set;
	__u32 policy;
	__u32 pack_events;
	__u32 pack_bytes;
	__u32 pack_time;
	__u32 throttle_on;
	__u32 throttle_off;
	__u32 truncate_on;
	__u32 spill;
	__aligned_u64 interrupt_bytes;
	__aligned_u64 interrupt_time;
	__aligned_u64 low_water;
};

/**
 * struct roc_st_start - ioctl(ROC_ST_START): Start the stream
 * @size: sizeof(struct roc_st_start)
 * @flags: must be 0
 * @position: in: first position; normally 0
 * @reserved: must be 0
 *
 * The start discards the content of the ring and sets read and write position to @position.
 *
 * Errors: EBUSY if the stream already runs; EPIPE if there is no ring; EIO if the card does not
 * answer, cannot be quiesced, or does not acknowledge the start; EAGAIN if the machine is being
 * suspended.
 */
struct roc_st_start {
	__u32 size;
	__u32 flags;
	__u32 position;
	__u32 reserved;
};

/**
 * struct roc_st_stop - ioctl(ROC_ST_STOP): Stop the stream
 * @size: sizeof(struct roc_st_stop)
 * @flags: must be 0
 * @position: out: write position at the end; 0 on entry
 * @lost: out: events that the card had accepted and that did not fit into the ring; 0 on entry
 *
 * The card accepts no further events and writes those that it has, as far as there is space. After
 * this call it no longer writes, and the reader can still read the content of the ring.
 *
 * Errors: EALREADY if the stream is not running and is quiesced; EIO if the card violated the
 * protocol, or does not stop: then it may still write to the ring. If the run ended by itself, or
 * its stop failed, another stop checks the card again and returns EIO until the card is quiesced.
 */
struct roc_st_stop {
	__u32 size;
	__u32 flags;
	__u32 position;
	__u32 lost;
};

/**
 * struct roc_st_consume - ioctl(ROC_ST_CONSUME): Release lines, validate them, and notify the card
 *	now
 * @size: sizeof(struct roc_st_consume)
 * @flags: must be 0
 * @lines: in: number of lines; 0 only notifies the card
 * @available: out: lines in the ring now; 0 on entry
 *
 * The call moves &roc_st_user.read and rings the doorbell.
 *
 * Errors: ERANGE if @lines exceeds the content of the ring (@available is valid); EPIPE if there is
 * no ring.
 */
struct roc_st_consume {
	__u32 size;
	__u32 flags;
	__u32 lines;
	__u32 available;
};

/**
 * struct roc_st_wait - ioctl(ROC_ST_WAIT): Sleep until the card reaches a position
 * @size: sizeof(struct roc_st_wait)
 * @flags: must be 0
 * @position: in: return when the write position is there, or beyond it
 * @written: out: write position; 0 on entry
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that the call can restart after a
 *	signal
 * @unreported: out, also with ETIME: lines before the read position that the driver has not
 *	reported to the card as room; 0 on entry
 * @reserved: 0
 *
 * The call also returns when the stream is not running or stops. It reports the read position to
 * the card. If @position was reached and the call does not sleep, it may leave a few lines
 * unreported: see @unreported.
 *
 * A ring may have no space for the next unit when half of it is full. A wait for more may therefore
 * never end. A wait for one line more than the ring is long ends when the reader releases data.
 *
 * Errors: EINVAL if @position is beyond the read position by more than the ring and one line; ETIME
 * if the deadline passed (@written is valid); EINTR if a signal handler ran; EPIPE if there is no
 * ring.
 */
struct roc_st_wait {
	__u32 size;
	__u32 flags;
	__u32 position;
	__u32 written;
	__aligned_u64 deadline;
	__u32 unreported;
	__u32 reserved;
};

/**
 * enum roc_st_level - Extent of ROC_ST_RESET
 * @ROC_ST_RESET_DEFAULT: all levels below, and the settings
 * @ROC_ST_RESET_LOGIC: the card's state machines and its generator
 * @ROC_ST_RESET_FLUSH: discard the events in the card
 * @ROC_ST_RESET_COUNTERS: struct roc_st_counters
 */
enum roc_st_level {
	ROC_ST_RESET_DEFAULT = 0,
	ROC_ST_RESET_LOGIC = 1,
	ROC_ST_RESET_FLUSH = 2,
	ROC_ST_RESET_COUNTERS = 3,
};

#define ROC_ST_ALL 0xffffffffu

/**
 * struct roc_st_reset - ioctl(ROC_ST_RESET): Reset a stream, or all streams of the card
 * @size: sizeof(struct roc_st_reset)
 * @flags: must be 0
 * @stream: on /dev/rocN number of the stream, or ROC_ST_ALL for all streams; on /dev/rocNchM 0 or M
 * @level: enum roc_st_level
 *
 * On /dev/rocN an open stream accepts only COUNTERS. The opener's node accepts all levels.
 *
 * Errors: ENOENT if the card has no such stream; EBUSY on /dev/rocN for all levels except COUNTERS
 * if the stream, or one of them, is open; EBUSY for DEFAULT and LOGIC if it runs; EIO if the card
 * does not answer or does not acknowledge the reset.
 */
struct roc_st_reset {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 level;
};

/**
 * enum roc_st_card_set - Members of struct roc_st_card to set
 * @ROC_ST_CARD_ENABLED: &roc_st_card.enabled
 * @ROC_ST_CARD_SOURCE: &roc_st_card.source
 */
enum roc_st_card_set {
	ROC_ST_CARD_ENABLED = 1 << 0,
	ROC_ST_CARD_SOURCE = 1 << 1,
};

/**
 * struct roc_st_card - ioctl(ROC_ST_CARD) on /dev/rocN: Settings that all streams of the card share
 * @size: sizeof(struct roc_st_card)
 * @flags: must be 0
 * @set: bits of enum roc_st_card_set; 0 only reads
 * @streams: out: number of streams
 * @enabled: in, if @set names it; out: mask of streams whose source is enabled; a disabled source
 *	does not send
 * @running: out: mask of streams that run
 * @source: in, if @set names it; out: source id that packets carry, 16 bits
 * @reserved: must be 0
 *
 * Both settings are registers of the open BAR and belong to slow control. They may be set while
 * streams run.
 *
 * Errors: ENOENT if an enabled stream does not exist; ERANGE if @source is out of range; EIO if the
 * card does not answer.
 */
struct roc_st_card {
	__u32 size;
	__u32 flags;
	__u32 set;
	__u32 streams;
	__u32 enabled;
	__u32 running;
	__u32 source;
	__u32 reserved;
};

#endif /* _UAPI_LINUX_ROC_STREAM_H */
