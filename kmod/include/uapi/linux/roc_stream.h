/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: streams. Included by roc.h, whose rules hold here, too.
 *
 * A channel of an endpoint with ROC_CAP_STREAMS is a *stream*: the card writes packets one
 * behind the other into one ring in host memory that the driver owns, and the reader consumes them
 * in order. The first opener of /dev/rocNchM has the stream until it closes (EBUSY for everybody
 * else; sysfs owner_pid tells who it is). Of the channel ioctls a stream has ROC_CH_EVENTFD, of the
 * others those of this file.
 *
 * A *position* is a 64-bit count of bytes that begins with &roc_st_start.position and runs free;
 * the byte of position p lies at p modulo the ring's length. Positions are multiples of
 * ROC_ST_UNIT, packets begin at one, and only whole packets are published. Because the ring is
 * mapped twice, back to back, whatever lies between the read and the write position can be read
 * without a seam.
 *
 *   card:    payload, then its write position into the card's page
 *   reader:  load-acquires roc_st_card.write; reads [read, write); is done with it, then
 *            store-releases roc_st_user.read. Both are aligned 64-bit accesses
 *   card:    reads roc_st_user.read by itself when it knows of little room
 *
 * That takes no system call and no register. Who has nothing to do sleeps in ROC_ST_WAIT, in poll()
 * (POLLIN: the low-water mark is reached) or on an eventfd; POLLERR says that the run failed, with
 * POLLHUP that the card is gone.
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
#define ROC_ST_FLUSH _IO(ROC_IOC_TYPE, 0x35)
#define ROC_ST_CONSUME _IO(ROC_IOC_TYPE, 0x36)
#define ROC_ST_WAIT _IO(ROC_IOC_TYPE, 0x37)
#define ROC_ST_RESET _IO(ROC_IOC_TYPE, 0x38)
#define ROC_ST_CARD _IO(ROC_IOC_TYPE, 0x39)

#define ROC_ST_UNIT 64
#define ROC_ST_RING_MIN (1ull << 16)
#define ROC_ST_RING_MAX (1ull << 36)

/**
 * struct roc_st_loss - what a stream held back, or cut short
 * @events: events that it happened to
 * @first: id of the first of these; with @events 0 it says nothing
 * @last: id of the last of these
 * @time: ns during which it happened
 * @bytes: bytes that did not come; of events held back 0, for they come later
 */
struct roc_st_loss {
	__aligned_u64 events;
	__aligned_u64 first;
	__aligned_u64 last;
	__aligned_u64 time;
	__aligned_u64 bytes;
};

/**
 * struct roc_st_info - ioctl(ROC_ST_INFO): state and counters of a stream
 * @size: sizeof(struct roc_st_info)
 * @flags: must be 0
 * @stream: in, on /dev/rocN: number of the stream; on /dev/rocNchM 0 or M; out: M
 * @state: out: enum roc_ch_state
 * @why: out: enum roc_why of the last failure
 * @run: out: number of the last start since open, from 1; 0: none
 * @owner: out: process that has the stream, as the caller sees it; 0: nobody, or not to be seen
 * @reserved: out: zero
 * @name: out: the stream's name: "main", "meta", "odin0" ...; NUL terminated
 * @ring: out: bytes of the ring, 0: there is none yet
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU
 * @segment: out: bytes of a piece
 * @write: out: write position that the kernel saw last
 * @read: out: read position that the kernel saw last
 * @packets: out: packets written in this run, or in the last one
 * @events: out: events of these
 * @level: out: bytes that wait in the card's own memory
 * @throttled: out: of the run: events that waited because the ring was full
 * @truncated: out: of the run: events whose data were cut off because it was too full
 * @bytes: out: bytes written, from here on since the driver took the card
 * @runs: out: starts
 * @interrupts: out: interrupts of the stream
 * @missed_interrupts: out: times the watchdog found data of which no interrupt had told
 * @spurious_interrupts: out: interrupts that had nothing new to tell
 * @arms: out: times the card was asked for an interrupt: one register write each
 * @doorbells: out: times the card was told of room: one register write each
 * @wakes: out: times that sleepers were woken
 * @mmio_reads: out: register reads while running
 * @mmio_writes: out: register writes while running
 * @bad_index: out: times the reader's position was out of range, as the kernel saw it
 *
 * Looking costs no register access. On the stream's own node the counters that the driver keeps
 * (from @bytes on) count since open.
 * Errors: ENOENT the card has no such stream; EOPNOTSUPP on /dev/rocN: its channels are no streams.
 */
struct roc_st_info {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 state;
	__u32 why;
	__u32 run;
	__s32 owner;
	__u32 reserved;
	char name[ROC_TEXT_MAX];
	__aligned_u64 ring;
	__aligned_u64 segments;
	__aligned_u64 segment;
	__aligned_u64 write;
	__aligned_u64 read;
	__aligned_u64 packets;
	__aligned_u64 events;
	__aligned_u64 level;
	struct roc_st_loss throttled;
	struct roc_st_loss truncated;
	__aligned_u64 bytes;
	__aligned_u64 runs;
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
 * @read: position up to which the reader is done
 *
 * Mapped read-write. The card reads it; neither card nor kernel believes it: a position that is not
 * between the last good one and the write position, or no multiple of ROC_ST_UNIT, does not count.
 * The kernel sets it at start.
 */
struct roc_st_user {
	__aligned_le64 read;
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
 * struct roc_st_line - a loss as the card tells of it; members as in struct roc_st_loss
 * @events: see there
 * @first: see there
 * @last: see there
 * @time: see there
 * @bytes: see there
 * @reserved: zero
 */
struct roc_st_line {
	__aligned_le64 events;
	__aligned_le64 first;
	__aligned_le64 last;
	__aligned_le64 time;
	__aligned_le64 bytes;
	__aligned_le64 reserved[3];
};

/**
 * struct roc_st_card - second page of the control area: what the card writes
 * @write: position up to which whole packets are in the ring
 * @packets: packets of this run
 * @events: events of this run
 * @level: bytes in the card's own memory
 * @run: number that the kernel gave this run; not &roc_st_kernel.run
 * @flags: the card's own, for the kernel
 * @reserved: zero
 * @throttled: events held back
 * @truncated: events cut short
 *
 * Mapped read-only, as the page before it. The card writes each 64 bytes of it at once, and @write
 * after all that it tells of; who reads several members may see them from two such writes. A reader
 * that looks at @write by itself should expect a card that lies: more than the ring's length ahead
 * of the read position is nothing to follow. The kernel ends such a run.
 */
struct roc_st_card {
	__aligned_le64 write;
	__aligned_le64 packets;
	__aligned_le64 events;
	__aligned_le64 level;
	__le32 run;
	__le32 flags;
	__aligned_le64 reserved[3];
	struct roc_st_line throttled;
	struct roc_st_line truncated;
};

/**
 * struct roc_st_ring - ioctl(ROC_ST_RING): make the stream's ring, once per open
 * @size: sizeof(struct roc_st_ring)
 * @flags: must be 0
 * @length: in: bytes, a power of two, ROC_ST_RING_MIN..ROC_ST_RING_MAX
 * @ring_offset: out: mmap offset of the ring (MAP_SHARED; PROT_READ, PROT_WRITE if you like)
 * @ring_length: out: twice @length: the same bytes follow themselves; map exactly this
 * @control_offset: out: mmap offset of the control area (PROT_READ, MAP_SHARED): struct
 *	roc_st_kernel, and one page behind it struct roc_st_card
 * @control_length: out: its length; map exactly this
 * @user_offset: out: mmap offset of the reader's page (PROT_READ | PROT_WRITE, MAP_SHARED)
 * @user_length: out: its length; map exactly this
 * @segments: out: pieces of the ring as the card sees it; 1 behind an IOMMU
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @limit: out, also with an error: the value of the limit that @why names; must be 0 on entry
 * @pinned: out, also with an error: when @why is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry
 *
 * The ring is memory of the card's NUMA node, if there is enough, in ordinary pages: direct I/O and
 * RDMA can use it in place. It counts against RLIMIT_MEMLOCK of the process that opened the stream
 * and against its memory cgroup, until the last close. Mappings are not inherited by fork().
 *
 * Errors: EINVAL @length; EBUSY there is one already; EPERM (why OWNER) not the process that opened
 * the stream; ENOMEM (why MEMLOCK, or no memory when why is 0); EOPNOTSUPP (why LENGTH: more pieces
 * than the card takes, use a shorter ring or an IOMMU; DMA_MASK; BOUNCE); EINTR killed meanwhile.
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
	__u32 segments;
	__u32 why;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * enum roc_st_policy - what a stream does when the ring gets full
 * @ROC_ST_THROTTLE: it waits; what comes meanwhile waits in the card and before it
 * @ROC_ST_TRUNCATE: above a threshold events come without their data, marked so: every event id is
 *	there. When the ring is full it waits all the same
 */
enum roc_st_policy {
	ROC_ST_THROTTLE = 0,
	ROC_ST_TRUNCATE = 1,
};

/**
 * enum roc_st_set - which members of struct roc_st_settings to set
 * @ROC_ST_SET_POLICY: &roc_st_settings.policy
 * @ROC_ST_SET_THRESHOLD: &roc_st_settings.threshold
 * @ROC_ST_SET_PACKING: &roc_st_settings.packing
 * @ROC_ST_SET_INTERRUPT_BYTES: &roc_st_settings.interrupt_bytes
 * @ROC_ST_SET_INTERRUPT_TIME: &roc_st_settings.interrupt_time
 * @ROC_ST_SET_LOW_WATER: &roc_st_settings.low_water
 */
enum roc_st_set {
	ROC_ST_SET_POLICY = 1 << 0,
	ROC_ST_SET_THRESHOLD = 1 << 1,
	ROC_ST_SET_PACKING = 1 << 2,
	ROC_ST_SET_INTERRUPT_BYTES = 1 << 3,
	ROC_ST_SET_INTERRUPT_TIME = 1 << 4,
	ROC_ST_SET_LOW_WATER = 1 << 5,
};

/**
 * struct roc_st_settings - ioctl(ROC_ST_SETTINGS): set some, and tell all
 * @size: sizeof(struct roc_st_settings)
 * @flags: must be 0
 * @stream: on /dev/rocN: number of the stream; on /dev/rocNchM 0 or M
 * @set: bits of enum roc_st_set; 0: only tell
 * @policy: enum roc_st_policy
 * @packing: events per packet, 1..ROC_ST_PACKING_MAX
 * @threshold: TRUNCATE: bytes in the ring above which events are cut short, a multiple of
 *	ROC_ST_UNIT; 0 = three quarters of the ring
 * @interrupt_bytes: a sleeper is told of no fewer bytes than that, a multiple of ROC_ST_UNIT, ...
 * @interrupt_time: ... unless the last interrupt was that many ns ago: at most 65535000, in steps
 *of 1000. After silence the first packet is told of at once. 0: no moderation. With
 *	@interrupt_bytes 0: a quarter of the ring, at most 8 MiB
 * @low_water: bytes in the ring from which on poll() says POLLIN and an eventfd is signalled; 0
 *	and 1 are the same: any
 *
 * In: members that @set names, others are not looked at; out: all, as they are from now on. They
 * belong to the stream, not to the open file, and hold until they are changed, the stream is reset
 * with ROC_ST_RESET_DEFAULT, or the driver leaves the card; may be set while it runs.
 * Errors: ENOENT the card has no such stream; EOPNOTSUPP on /dev/rocN: its channels are no streams;
 * ERANGE a value out of range: nothing was set.
 */
struct roc_st_settings {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 set;
	__u32 policy;
	__u32 packing;
	__aligned_u64 threshold;
	__aligned_u64 interrupt_bytes;
	__aligned_u64 interrupt_time;
	__aligned_u64 low_water;
};

#define ROC_ST_PACKING_MAX 65535

/**
 * struct roc_st_start - ioctl(ROC_ST_START): let data flow
 * @size: sizeof(struct roc_st_start)
 * @flags: must be 0
 * @position: in: where positions begin, a multiple of ROC_ST_UNIT; 0 as a rule
 *
 * What the ring held is forgotten: read and write position are @position.
 * Errors: EINVAL @position; EBUSY running; EPIPE no ring; ENOLINK the stream is not enabled in the
 * card (see ROC_ST_CARD); EIO the card does not answer or takes no orders.
 */
struct roc_st_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 position;
};

/**
 * struct roc_st_stop - ioctl(ROC_ST_STOP, ROC_ST_FLUSH)
 * @size: sizeof(struct roc_st_stop)
 * @flags: must be 0
 * @position: out: STOP: write position at the end; FLUSH: as far as it is known; 0 on entry
 *
 * FLUSH closes the packet that is being filled, and data flow on. STOP does the same, and then ends
 * the run: when it returns the card does not write any more, and what the ring holds can still be
 * read.
 * Errors: EALREADY not running; EIO the card broke its contract meanwhile.
 */
struct roc_st_stop {
	__u32 size;
	__u32 flags;
	__aligned_u64 position;
};

/**
 * struct roc_st_consume - ioctl(ROC_ST_CONSUME): give bytes back, and tell the card now
 * @size: sizeof(struct roc_st_consume)
 * @flags: must be 0
 * @bytes: in: how many, a multiple of ROC_ST_UNIT; 0: only tell the card
 * @available: out: bytes in the ring now; 0 on entry
 *
 * The same as a store to &roc_st_user.read, but checked, and the card need not find out. At most
 * once per batch: it is a register write.
 * Errors: EINVAL @bytes is no multiple; ERANGE more than there is (@available is valid); EPIPE no
 * ring.
 */
struct roc_st_consume {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__aligned_u64 available;
};

/**
 * struct roc_st_wait - ioctl(ROC_ST_WAIT): sleep until there is enough to read
 * @size: sizeof(struct roc_st_wait)
 * @flags: must be 0
 * @bytes: in: return when that many are in the ring, 1 .. its length
 * @available: out: bytes in the ring; 0 on entry
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that a signal can restart it
 *
 * Returns also when the stream is not running or stops. Tells the card of the read position, too.
 * Errors: EINVAL @bytes; ETIME the deadline passed (@available is valid); EINTR; EPIPE no ring.
 */
struct roc_st_wait {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__aligned_u64 available;
	__aligned_u64 deadline;
};

/**
 * enum roc_st_level - how much ROC_ST_RESET resets
 * @ROC_ST_RESET_DEFAULT: the settings
 * @ROC_ST_RESET_LOGIC: the card's state machines
 * @ROC_ST_RESET_FLUSH: what the card's own memory holds is thrown away
 * @ROC_ST_RESET_COUNTERS: the card's counters of packets, events and losses
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
 * @stream: on /dev/rocN: number of the stream, or ROC_ST_ALL: the card with all its streams; on
 *	/dev/rocNchM 0 or M
 * @level: enum roc_st_level
 *
 * Errors: ENOENT the card has no such stream; EOPNOTSUPP on /dev/rocN: its channels are no streams;
 * EBUSY it, or one of them, runs (but for COUNTERS); EIO the card does not answer.
 */
struct roc_st_reset {
	__u32 size;
	__u32 flags;
	__u32 stream;
	__u32 level;
};

/**
 * enum roc_st_card_set - which members of struct roc_st_control to set
 * @ROC_ST_CARD_ENABLE: &roc_st_control.enabled
 */
enum roc_st_card_set {
	ROC_ST_CARD_ENABLE = 1 << 0,
};

/**
 * struct roc_st_control - ioctl(ROC_ST_CARD) on /dev/rocN: the card's streams
 * @size: sizeof(struct roc_st_control)
 * @flags: must be 0
 * @set: bits of enum roc_st_card_set; 0: only tell
 * @streams: out: streams that the firmware has, bit per stream
 * @enabled: in, if @set names it; out: streams that may be started, bit per stream
 * @running: out: streams that run
 *
 * Errors: EOPNOTSUPP the card's channels are no streams; ENOENT enabling one that the firmware
 * lacks; EBUSY disabling one that runs; EIO the card does not answer.
 */
struct roc_st_control {
	__u32 size;
	__u32 flags;
	__u32 set;
	__u32 streams;
	__u32 enabled;
	__u32 running;
};

#endif /* _UAPI_LINUX_ROC_STREAM_H */
