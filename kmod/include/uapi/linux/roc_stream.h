/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: streams. Included by roc.h, whose rules hold here, too.
 *
 * A channel of an endpoint with ROC_CAP_STREAMS is a *stream*: the card writes units (packets,
 * records) one behind the other into one ring in host memory that the driver owns, and the reader
 * consumes them in order. The first opener of /dev/rocNchM has the stream until it closes (EBUSY
 * for everybody else; sysfs owner_pid tells who it is). Of the ioctls of all channels a stream has
 * ROC_CH_RESET, ROC_CH_EVENTFD and, for its ring, ROC_BUF_EXPORT. Its other ioctls are in this
 * file.
 *
 * A *position* is a free-running 32-bit number of *lines* of ROC_ST_LINE bytes: it begins with
 * &roc_st_start.position and wraps; differences are taken modulo 2^32. Line p is at byte
 * (p * ROC_ST_LINE) modulo the ring's length. Units begin at a line and only whole ones are
 * published. Because the ring is mapped twice, back to back, whatever lies between the read and
 * the write position can be read without a seam.
 *
 *   card:    payload, then its write position into its page
 *   reader:  load-acquires roc_st_state.written; reads up to there; is done with it, then
 *            store-releases roc_st_user.read and, once per batch, stores the same to its doorbell
 *            (with a barrier for device memory)
 *
 * That takes no system call. Who has nothing to do sleeps in ROC_ST_WAIT, in poll() (POLLIN: the
 * low-water mark is reached) or on an eventfd. The first two tell the card of roc_st_user.read
 * before they sleep, so a reader that sleeps in them needs no doorbell. Waiting for an eventfd is
 * no call of this driver's: ring the doorbell, or call ROC_ST_CONSUME, before; else a full ring
 * waits for the driver's watchdog, half a second. An eventfd that is set while the stream runs is
 * signalled at once if the mark is reached already. poll() says POLLERR when the run failed,
 * POLLERR and POLLHUP when the card is gone.
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
 * struct roc_st_counters - what the card counts of a stream
 * @units: packets or records in the ring
 * @bytes: bytes of these, with all padding
 * @offered: events that the source had
 * @events: of these in the ring
 * @discarded: of these thrown away by stops and resets
 * @waiting: of these in the card
 * @throttles: times that the card stopped taking events, because its memory was full
 * @throttled: events that passed by meanwhile and are lost; none of a source that waits
 * @throttle_time: ns that it lasted in all
 * @throttle_first: the first time: first event that was not taken; with @throttles 0 these three
 *	say nothing
 * @throttle_from: the last time: first event that was not taken
 * @throttle_to: the last time: last event that passed by; @throttle_from - 1: none did
 * @truncations: times that the card began to cut events short
 * @truncated: events that it cut; they are among @events
 * @truncated_bytes: what it cut off
 * @truncate_time: ns that it lasted in all
 * @truncate_first: first event cut; with @truncations 0 these three say nothing
 * @truncate_from: the last time: first event cut
 * @truncate_to: the last time: last event cut
 *
 * @offered is at every moment the sum of @events, @throttled, @discarded and @waiting. They run
 * over starts and stops until ROC_ST_RESET_COUNTERS or _DEFAULT, or a function reset.
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
 * struct roc_st_info - ioctl(ROC_ST_INFO): state and counters of a stream
 * @size: sizeof(struct roc_st_info)
 * @flags: must be 0
 * @stream: in: on /dev/rocN number of the stream, on /dev/rocNchM 0 or M; out: the number
 * @state: out: enum roc_ch_state
 * @why: out: enum roc_why of the last failure
 * @run: out: number of the last start since open, from 1; 0: none
 * @name: out: "main", "meta", "odin0" ...; NUL terminated
 * @owner: out: process that opened the stream, as the caller sees it; 0: not open, outside
 *	of the namespace, or ended: see sysfs owner_pid
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU, 0: there is no ring
 * @ring: out: bytes of the ring, 0: there is none
 * @written: out: write position that the kernel saw last
 * @read: out: read position that the kernel saw last
 * @level: out: bytes that wait in the card's own memory
 * @reserved: out: zero
 * @card: out: what the card counts, a few ms old while the stream runs
 * @bytes: out: bytes written into rings as the driver saw it; this and what follows counts since
 *	open on /dev/rocNchM, since the driver took the card on /dev/rocN
 * @interrupts: out: interrupts of the stream
 * @missed_interrupts: out: times the watchdog found data of which no interrupt had told
 * @spurious_interrupts: out: interrupts that had nothing new to tell
 * @arms: out: times the card was asked for an interrupt: one register write each
 * @doorbells: out: times the kernel told the card of room: one register write each
 * @wakes: out: times that sleepers were woken
 * @mmio_reads: out: register reads while running
 * @mmio_writes: out: register writes while running
 * @bad_index: out: positions of the reader that were out of range, as kernel and card saw it, or
 *	behind what its doorbell had reported to the card; each value counts once
 *
 * Looking costs no register access while the stream runs.
 * Errors: ENOENT the card has no such stream.
 */
struct roc_st_info {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 state;
	__u32 why;
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
 * struct roc_st_user - the reader's page: what the reader writes
 * @read: position up to which the reader is done: room for the card
 * @pad0: keeps the two on separate cache lines
 * @taken: position up to which the reader has taken data, for one that gives back later than it
 *	takes; new is what lies behind it. At or behind @read it does not count, and a value that
 *	@read has passed counts again only when it changes
 * @pad1: rest of the line
 *
 * Mapped read-write. The kernel reads it and believes nothing: a position that is not between the
 * last good @read and the write position does not count. If the card has written more than a ring
 * beyond @read, because its doorbell told it of room that @read does not give, the doorbell counts:
 * that is the reader's error, see &roc_st_info.bad_index, and the run goes on. The kernel sets both
 * at start.
 */
struct roc_st_user {
	__u32 read;
	__u32 pad0[15];
	__u32 taken;
	__u32 pad1[15];
};

/**
 * enum roc_st_flags - &roc_st_kernel.flags
 * @ROC_ST_STOPPED: the stream is not running; nothing more will come
 * @ROC_ST_FAILED: and that because the card broke its contract: ROC_ST_INFO says how
 * @ROC_ST_GONE: the card is gone; close the fd
 */
enum roc_st_flags {
	ROC_ST_STOPPED = 1 << 0,
	ROC_ST_FAILED = 1 << 1,
	ROC_ST_GONE = 1 << 2,
};

/**
 * struct roc_st_kernel - first page of the control area: what the kernel writes
 * @flags: bits of enum roc_st_flags
 * @run: number of the start since open, from 1
 */
struct roc_st_kernel {
	__u32 flags;
	__u32 run;
};

/**
 * struct roc_st_state - second page of the control area: what the card writes
 * @sequence: of this write, since the start
 * @written: position behind the last whole unit in the ring
 * @last_event: id of the last event below @written
 * @units: packets or records since the start, free running
 * @generation: counts the card's resets
 * @status: the card's, for the kernel
 * @reason: of the last interrupt, for the kernel
 * @interrupts: sent since the start
 * @read: read position that the card knows
 * @level: bytes in the card's own memory
 * @throttles: low word of &roc_st_counters.throttles
 * @throttled: the same of throttled
 * @truncated: the same of truncated
 * @zero: 0
 * @sequence_end: as @sequence
 *
 * Mapped read-only, as the page before it. The card writes it in ascending order, and after all
 * data that it tells of. Whoever wants several members of one write loads @sequence_end, then
 * these, then @sequence, and takes them if both are equal; @written alone is good at any time. A
 * reader should expect a card that lies: a @written that is more than the ring's lines ahead of its
 * own position, or goes back, is nothing to follow. The kernel ends such a run.
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
 * struct roc_st_ring - ioctl(ROC_ST_RING): make the stream's ring, once per open
 * @size: sizeof(struct roc_st_ring)
 * @flags: must be 0
 * @length: in: bytes, a power of two, ROC_ST_RING_MIN..ROC_ST_RING_MAX
 * @ring_offset: out: mmap offset of the ring (MAP_SHARED; PROT_READ, PROT_WRITE if you like)
 * @ring_length: out: twice @length: the same bytes follow themselves; map exactly this
 * @control_offset: out: mmap offset of the control area (PROT_READ, MAP_SHARED): struct
 *	roc_st_kernel, and at half of its length struct roc_st_state
 * @control_length: out: its length; map exactly this
 * @user_offset: out: mmap offset of the reader's page (PROT_READ | PROT_WRITE, MAP_SHARED)
 * @user_length: out: its length; map exactly this
 * @bell_offset: out: mmap offset of the doorbell (PROT_WRITE, MAP_SHARED): a page of the card with
 *	one register, at 0: a 32-bit store of the read position, never more than once per batch
 * @bell_length: out: its length; map exactly this. 0: there is none, use ROC_ST_CONSUME
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @limit: out, also with an error: the value of the limit that @why names; must be 0 on entry
 * @pinned: out, also with an error: when @why is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry
 *
 * The ring is memory of the card's NUMA node, if there is enough, in ordinary pages: direct I/O and
 * RDMA can use it in place. It counts against RLIMIT_MEMLOCK of the process that opened the stream
 * and against its memory cgroup. Mappings are not inherited by fork(). They stay when the card
 * goes; what is written to that of the doorbell reaches nobody then.
 *
 * Errors: EINVAL @length; EBUSY there is one already; EPERM (why OWNER) not the process that opened
 * the stream; ENOMEM (why MEMLOCK, or no memory when why is 0); EOPNOTSUPP (why LENGTH: longer than
 * the card can, limit has the longest; CONTIGUITY: in more pieces than the card can, limit has the
 * longest that it could be, use that or an IOMMU; DMA_MASK; BOUNCE); EINTR killed meanwhile.
 * mmap(): EPIPE no ring; EINVAL wrong length or offset, or private; EPERM writable control area;
 * ENODEV the card is gone.
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
	__u32 why;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * enum roc_st_policy - what a stream does when the ring is full and the card's own memory fills up
 * @ROC_ST_THROTTLE: from &roc_st_settings.throttle_on bytes to throttle_off it takes no events.
 *	Without this bit the same happens when there is no room for the next one
 * @ROC_ST_TRUNCATE: from &roc_st_settings.truncate_on bytes on events come without their data,
 *	marked so: every event id is there
 */
enum roc_st_policy {
	ROC_ST_THROTTLE = 1 << 0,
	ROC_ST_TRUNCATE = 1 << 1,
};

/**
 * enum roc_st_set - which members of struct roc_st_settings to set
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
 * struct roc_st_settings - ioctl(ROC_ST_SETTINGS): set some, and tell all
 * @size: sizeof(struct roc_st_settings)
 * @flags: must be 0
 * @stream: on /dev/rocN number of the stream, on /dev/rocNchM 0 or M
 * @set: bits of enum roc_st_set; 0: only tell
 * @policy: bits of enum roc_st_policy
 * @pack_events: packing factor: events per packet
 * @pack_bytes: largest packet
 * @pack_time: ns after which a packet is closed that did not fill up, 0: never
 * @throttle_on: see enum roc_st_policy: bytes in the card's own memory
 * @throttle_off: see there
 * @truncate_on: see there
 * @spill: out: bytes of the card's own memory of the stream; in: not looked at
 * @interrupt_bytes: a sleeper is told of no fewer bytes than that ...
 * @interrupt_time: ... unless the last interrupt was that many ns ago. After silence the first unit
 *	is told of at once. @interrupt_time 0: no moderation. @interrupt_bytes 0: a quarter of the
 *	ring, at most 8 MiB
 * @low_water: bytes in the ring from which on poll() says POLLIN and an eventfd is signalled; 0
 *	and 1 are the same: any. More than half of the ring is as half of it: a ring may be full
 *	with that. Behind the end of a run any is enough, for no more comes
 *
 * In: members that @set names, others are not looked at; out: all, as they are from now on. They
 * belong to the stream, not to the open file, and hold until they are changed or the stream is
 * reset with ROC_ST_RESET_DEFAULT; may be set while it runs. Up to @spill they are the card's,
 * which has them from whoever wrote its registers last, and forgets them with a function reset:
 * these may be set on /dev/rocN at any time. The others belong to the opener as long as there is
 * one.
 *
 * Errors: ENOENT the card has no such stream; EOPNOTSUPP the stream does not have this setting;
 * EBUSY on /dev/rocN: @interrupt_bytes, @interrupt_time or @low_water of a stream that is open;
 * EINVAL @low_water is longer than the ring, or without a ring than the longest one: then none was
 * set; ERANGE the card does not take a value (those before it are set) or it is above 2^32 - 1; EIO
 * the card does not answer.
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
 * struct roc_st_start - ioctl(ROC_ST_START): let data flow
 * @size: sizeof(struct roc_st_start)
 * @flags: must be 0
 * @position: in: where positions begin; 0 as a rule
 * @reserved: must be 0
 *
 * What the ring held is forgotten: read and write position are @position.
 * Errors: EBUSY running; EPIPE no ring; EIO the card does not answer, or takes no orders; EAGAIN
 * the machine is being suspended.
 */
struct roc_st_start {
	__u32 size;
	__u32 flags;
	__u32 position;
	__u32 reserved;
};

/**
 * struct roc_st_stop - ioctl(ROC_ST_STOP): the end
 * @size: sizeof(struct roc_st_stop)
 * @flags: must be 0
 * @position: out: write position at the end; 0 on entry
 * @lost: out: events that the card had taken and that did not fit into the ring; 0 on entry
 *
 * The card takes no further events and writes those that it has, as far as there is room. When this
 * returns it does not write any more, and what the ring holds can still be read.
 * Errors: EALREADY not running, and quiet; EIO the card broke its contract meanwhile, or does not
 * stop: then it may still write to the ring. Of a run that ended by itself, or whose stop failed,
 * the card is asked once more: EIO as long as it is not quiet.
 */
struct roc_st_stop {
	__u32 size;
	__u32 flags;
	__u32 position;
	__u32 lost;
};

/**
 * struct roc_st_consume - ioctl(ROC_ST_CONSUME): give lines back, checked, and tell the card now
 * @size: sizeof(struct roc_st_consume)
 * @flags: must be 0
 * @lines: in: how many; 0: only tell the card
 * @available: out: lines in the ring now; 0 on entry
 *
 * Moves &roc_st_user.read, and rings the doorbell.
 * Errors: ERANGE more than there is (@available is valid); EPIPE no ring.
 */
struct roc_st_consume {
	__u32 size;
	__u32 flags;
	__u32 lines;
	__u32 available;
};

/**
 * struct roc_st_wait - ioctl(ROC_ST_WAIT): sleep until the card has come to a position
 * @size: sizeof(struct roc_st_wait)
 * @flags: must be 0
 * @position: in: return when the write position is there, or behind it
 * @written: out: write position; 0 on entry
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that a signal can restart it
 * @unreported: out, also with ETIME: lines before the read position that the driver has not
 *	reported to the card as room; 0 on entry
 * @reserved: 0
 *
 * Returns also when the stream is not running or stops. Reports the read position to the card. If
 * @position was reached and the call does not sleep, it leaves a little room out: see @unreported.
 * A ring may be full, for the next unit, when half of it is: who waits for more may wait for ever.
 * One line more than the ring is long comes when something of it is given back.
 * Errors: EINVAL @position is further than that from the read position; ETIME the deadline passed
 * (@written is valid); EINTR a signal handler ran; EPIPE no ring.
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
 * enum roc_st_level - how much ROC_ST_RESET resets
 * @ROC_ST_RESET_DEFAULT: all that follows, and the settings
 * @ROC_ST_RESET_LOGIC: the card's state machines and its generator
 * @ROC_ST_RESET_FLUSH: events in the card are thrown away
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
 * struct roc_st_reset - ioctl(ROC_ST_RESET): of a stream, or of the card
 * @size: sizeof(struct roc_st_reset)
 * @flags: must be 0
 * @stream: on /dev/rocN number of the stream, or ROC_ST_ALL: all of them; on /dev/rocNchM 0 or M
 * @level: enum roc_st_level
 *
 * On /dev/rocN a stream that is open takes COUNTERS only, its opener's node takes all levels.
 *
 * Errors: ENOENT the card has no such stream; EBUSY it, or one of them, is open: on /dev/rocN, of
 * all but COUNTERS; or runs: of DEFAULT and LOGIC; EIO the card does not answer, or the reset does
 * not show.
 */
struct roc_st_reset {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 level;
};

/**
 * enum roc_st_card_set - which members of struct roc_st_card to set
 * @ROC_ST_CARD_ENABLED: &roc_st_card.enabled
 * @ROC_ST_CARD_SOURCE: &roc_st_card.source
 */
enum roc_st_card_set {
	ROC_ST_CARD_ENABLED = 1 << 0,
	ROC_ST_CARD_SOURCE = 1 << 1,
};

/**
 * struct roc_st_card - ioctl(ROC_ST_CARD) on /dev/rocN: what all streams of the card share
 * @size: sizeof(struct roc_st_card)
 * @flags: must be 0
 * @set: bits of enum roc_st_card_set; 0: only tell
 * @streams: out: number of streams
 * @enabled: in, if @set names it; out: mask of streams whose source is let through; a source that
 *	is not stands still
 * @running: out: mask of streams that run
 * @source: in, if @set names it; out: source id that packets carry, 16 bits
 * @reserved: must be 0
 *
 * Both are registers of the open BAR, and slow control: they may be set while streams run.
 * Errors: ENOENT enabling a stream that the card
 *	does not have; ERANGE @source; EIO the card does not answer.
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
