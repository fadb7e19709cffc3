/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: fragments on request. Included by roc.h, whose rules hold here, too.
 *
 * A channel of an endpoint with ROC_CAP_FRAGMENTS is a *sub-unit*: the card keeps the fragments of
 * some links in its own memory, one fragment in one *card page*, tells of each with a descriptor,
 * and writes those that it is asked for into *host pages*, which are pieces of the buffers that the
 * reader registered. The first opener of /dev/rocNchM has the sub-unit until it closes (EBUSY for
 * everybody else; sysfs owner_pid tells who it is). Of the ioctls of all channels a sub-unit has
 * ROC_CH_RESET, ROC_CH_EVENTFD and ROC_BUF_*. Its other ioctls are in this file. The kernel does
 * not know numbers of events.
 *
 *   card:    a fragment into its memory, then a descriptor into the descriptor ring
 *   reader:  takes descriptors; puts commands into the command ring, and once per batch stores how
 *            many there were so far to the doorbell
 *   card:    the fragment into the host page, then a completion into the completion ring
 *   reader:  takes completions; gives card pages back, with the command that asked for them or by
 *            the free-page ring and its doorbell
 *
 * That takes no system call. All counts are free-running 32-bit numbers that begin with
 * &roc_fr_start.start and wrap; differences are taken modulo 2^32. Entry n of a ring is at n modulo
 * its entries, a power of two. Descriptors and completions say by themselves that they are there:
 * their ROC_FR_PHASE is 1 in the first lap from the start on, 0 in the second, and so on. A reader
 * loads that word first, with acquire semantics, then the others. When a run begins all card pages
 * are the reader's: those that may be filled go into the free-page ring.
 *
 * Rings have no read index that the card knows of, and cannot be overrun by a card that keeps its
 * contract: there are as many descriptors as card pages, and a reader gives a page back only after
 * it has taken the descriptor; at most as many commands may be outstanding (told to the card, their
 * completions not taken) as the command ring has entries. A reader who does otherwise spoils his
 * own run, and nothing else.
 *
 * Who has nothing to do sleeps in ROC_FR_WAIT, in poll() (POLLIN: there is a descriptor or a
 * completion that was not taken) or on an eventfd. poll() says POLLERR when the run failed, POLLERR
 * and POLLHUP when the card is gone.
 */
#ifndef _UAPI_LINUX_ROC_FRAGMENT_H
#define _UAPI_LINUX_ROC_FRAGMENT_H

#ifndef _UAPI_LINUX_ROC_H
#error "include roc.h, not this file by itself"
#endif

#define ROC_FR_INFO _IO(ROC_IOC_TYPE, 0x40)
#define ROC_FR_RINGS _IO(ROC_IOC_TYPE, 0x41)
#define ROC_FR_SETTINGS _IO(ROC_IOC_TYPE, 0x42)
#define ROC_FR_START _IO(ROC_IOC_TYPE, 0x43)
#define ROC_FR_STOP _IO(ROC_IOC_TYPE, 0x44)
#define ROC_FR_TELL _IO(ROC_IOC_TYPE, 0x45)
#define ROC_FR_WAIT _IO(ROC_IOC_TYPE, 0x46)
#define ROC_FR_RESET _IO(ROC_IOC_TYPE, 0x47)
#define ROC_FR_PAGES _IO(ROC_IOC_TYPE, 0x48)

/* Card pages and host pages, bytes; both powers of two */
#define ROC_FR_PAGE_MIN (1u << 10)
#define ROC_FR_PAGE_MAX (1u << 16)
#define ROC_FR_PAGE_DEFAULT (1u << 11)
#define ROC_FR_HOST_PAGE_MIN (1u << 11)
#define ROC_FR_HOST_PAGE_MAX (1u << 16)
#define ROC_FR_COMMANDS_MIN 16
#define ROC_FR_COMMANDS_MAX 65536
#define ROC_FR_COMMANDS_DEFAULT 4096

/* A card page: link of the sub-unit, and number among the link's */
#define ROC_FR_PAGE(_link, _number) ((__u32)(_link) << 28 | (_number))
#define ROC_FR_PAGE_LINK(_page) ((_page) >> 28)
#define ROC_FR_PAGE_NUMBER(_page) ((_page)&0x0fffffffu)

/* Status words of descriptors and completions */
#define ROC_FR_PHASE (1u << 31)
#define ROC_FR_STATUS(_word) ((_word)&0xffffu)

/**
 * struct roc_fr_info - ioctl(ROC_FR_INFO): state and counters of a sub-unit
 * @size: sizeof(struct roc_fr_info)
 * @flags: must be 0
 * @sub: in: on /dev/rocN number of the sub-unit, on /dev/rocNchM 0 or M; out: the number
 * @state: out: enum roc_ch_state
 * @why: out: enum roc_why of the last failure
 * @run: out: number of the last start since open, from 1; 0: none
 * @name: out: "sub0", "sub1"; NUL terminated
 * @owner: out: process that opened the sub-unit, as the caller sees it; 0: not open,
 *	outside of the namespace, or ended: see sysfs owner_pid
 * @links: out: links that it has
 * @link_memory: out: bytes of page memory of each link
 * @host_pages_max: out: host pages that the card can be told of
 * @commands_max: out: entries of the largest command ring
 * @page_size: out: bytes of a card page; 0: there are no rings, and what depends on them is 0
 * @pages: out: card pages of each link
 * @host_page_size: out: bytes of a host page
 * @host_pages: out: host pages of the run, or of the last one; 0 before the first
 * @descriptors: out: descriptors of the run that the kernel saw, maybe long ago
 * @completions: out: the same of completions
 * @mask: out: bit per link that fragments are taken from: &roc_fr_settings.links
 * @lost: out: descriptors and completions that the card wrote or counted, from the first on that is
 *	missing in its ring, so that they cannot be taken: the run ended with ROC_WHY_RECORD. At
 *	most UINT32_MAX is reported; counts as @interrupts and what follows
 * @interrupts: out: in all; this and what follows counts since open on /dev/rocNchM, since the
 *	driver took the card on /dev/rocN
 * @data_interrupts: out: of these, told of descriptors
 * @done_interrupts: out: of these, told of completions
 * @error_interrupts: out: of these, told of an error
 * @missed_interrupts: out: times the watchdog found entries of which no interrupt had told
 * @spurious_interrupts: out: interrupts that had nothing new to tell
 * @arms: out: times the card was asked for an interrupt: one register write each
 * @doorbells: out: times the kernel told the card (ROC_FR_TELL): one register write each
 * @wakes: out: times that sleepers were woken
 * @mmio_reads: out: register reads while running
 * @mmio_writes: out: register writes while running
 * @bad_index: out: impossible counts of the reader, each value once, and in each run once
 *	for impossible doorbells
 *
 * Looking costs no register access. What the card counts is in its registers, of each link.
 * Errors: ENOENT the card has no such sub-unit.
 */
struct roc_fr_info {
	__u32 size;
	__u32 flags;
	__u32 sub;
	__u32 state;
	__u32 why;
	__u32 run;
	char name[ROC_TEXT_MAX];
	__s32 owner;
	__u32 links;
	__aligned_u64 link_memory;
	__u32 host_pages_max;
	__u32 commands_max;
	__u32 page_size;
	__u32 pages;
	__u32 host_page_size;
	__u32 host_pages;
	__u32 descriptors;
	__u32 completions;
	__u32 mask;
	__u32 lost;
	__aligned_u64 interrupts;
	__aligned_u64 data_interrupts;
	__aligned_u64 done_interrupts;
	__aligned_u64 error_interrupts;
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
 * enum roc_fr_fragment - &roc_fr_descriptor.status, beside ROC_FR_PHASE
 * @ROC_FR_TRUNCATED: longer than a card page; the rest is lost
 * @ROC_FR_LINK_ERROR: the link had transmission errors meanwhile
 * @ROC_FR_FORMAT: it does not begin with a header, so @event says nothing
 * @ROC_FR_SEQUENCE: its event id is not that of the link's fragment before plus one
 */
enum roc_fr_fragment {
	ROC_FR_TRUNCATED = 1 << 0,
	ROC_FR_LINK_ERROR = 1 << 1,
	ROC_FR_FORMAT = 1 << 2,
	ROC_FR_SEQUENCE = 1 << 3,
};

/**
 * struct roc_fr_descriptor - entry of the descriptor ring, written by the card: a fragment came
 * @event: event id
 * @page: ROC_FR_PAGE(): where it is; the page is the reader's to give back
 * @size: bytes of it that are there
 * @status: ROC_FR_PHASE and bits of enum roc_fr_fragment
 *
 * A reader should expect a card that lies: a page that there is not, or that is the card's, or a
 * size beyond the page.
 */
struct roc_fr_descriptor {
	__le32 event;
	__le32 page;
	__le32 size;
	__le32 status;
};

/**
 * enum roc_fr_op - &roc_fr_command.op
 * @ROC_FR_TRANSFER: write the fragment to the host page
 * @ROC_FR_RELEASE: give the card page back to the card, after that. Alone: only that
 */
enum roc_fr_op {
	ROC_FR_TRANSFER = 1 << 0,
	ROC_FR_RELEASE = 1 << 1,
};

/**
 * struct roc_fr_command - entry of the command ring, written by the reader
 * @page: ROC_FR_PAGE() of a descriptor that was taken
 * @host_page: index of a host page: see struct roc_fr_pages; not looked at without TRANSFER
 * @tag: comes back with the completion
 * @op: bits of enum roc_fr_op
 *
 * The card checks each: what names a page that is not the reader's, a host page that there is not,
 * or no known operation, does nothing and completes with an error.
 */
struct roc_fr_command {
	__le32 page;
	__le32 host_page;
	__le32 tag;
	__le32 op;
};

/**
 * enum roc_fr_done - &roc_fr_completion.status, beside ROC_FR_PHASE
 * @ROC_FR_OK: done
 * @ROC_FR_BAD_PAGE: @page is not one that the reader holds
 * @ROC_FR_BAD_HOST_PAGE: there is no such host page
 * @ROC_FR_BAD_OP: no operation
 * @ROC_FR_ABORTED: not done: the card could not read its page memory
 */
enum roc_fr_done {
	ROC_FR_OK = 0,
	ROC_FR_BAD_PAGE = 1,
	ROC_FR_BAD_HOST_PAGE = 2,
	ROC_FR_BAD_OP = 3,
	ROC_FR_ABORTED = 4,
};

/**
 * struct roc_fr_completion - entry of the completion ring, written by the card: a command is done
 * @tag: of the command
 * @size: bytes written to the host page
 * @event: event id of the fragment in the card page
 * @status: ROC_FR_PHASE, and enum roc_fr_done in ROC_FR_STATUS()
 *
 * Exactly one for each command, in any order.
 */
struct roc_fr_completion {
	__le32 tag;
	__le32 size;
	__le32 event;
	__le32 status;
};

/**
 * struct roc_fr_user - first page of the user area: what the reader writes for the kernel
 * @descriptors: count of descriptors that it has taken
 * @pad0: keeps the two on separate cache lines
 * @completions: count of completions that it has taken
 * @pad1: rest of the line
 *
 * Mapped read-write. So the kernel knows what is new to who sleeps; it sets both at start, and
 * believes nothing. A reader that never sleeps need not write them, one that sleeps writes them
 * before.
 */
struct roc_fr_user {
	__u32 descriptors;
	__u32 pad0[15];
	__u32 completions;
	__u32 pad1[15];
};

/**
 * enum roc_fr_flags - &roc_fr_kernel.flags
 * @ROC_FR_STOPPED: the sub-unit is not running; nothing more will come
 * @ROC_FR_FAILED: and that because the card broke its contract: ROC_FR_INFO says how
 * @ROC_FR_GONE: the card is gone; close the fd. Told at once; %ROC_FR_STOPPED always follows, when
 *	nothing is written to memory any more, or ROC_FR_STOP says EIO
 */
enum roc_fr_flags {
	ROC_FR_STOPPED = 1 << 0,
	ROC_FR_FAILED = 1 << 1,
	ROC_FR_GONE = 1 << 2,
};

/**
 * struct roc_fr_kernel - first page of the kernel area: what the kernel writes
 * @flags: bits of enum roc_fr_flags
 * @run: number of the start since open, from 1
 */
struct roc_fr_kernel {
	__u32 flags;
	__u32 run;
};

/**
 * struct roc_fr_bell - the doorbell: a page of the card with two registers, written by the reader
 * @free: count of entries put into the free-page ring
 * @command: the same of the command ring
 *
 * One aligned 32-bit store of a __le32 each, after the entries (with a barrier for device memory),
 * and never more than once per batch. What is more than a ring ahead of the card is ignored there,
 * and counts as &roc_fr_info.bad_index.
 */
struct roc_fr_bell {
	__le32 free;
	__le32 command;
};

/**
 * struct roc_fr_rings - ioctl(ROC_FR_RINGS): make the rings, once per open
 * @size: sizeof(struct roc_fr_rings)
 * @flags: must be 0
 * @page_size: in: bytes of a card page, ROC_FR_PAGE_MIN..ROC_FR_PAGE_MAX, 0: ROC_FR_PAGE_DEFAULT;
 *	out: used. A longer fragment is cut
 * @host_page_size: in: bytes of a host page, ROC_FR_HOST_PAGE_MIN..ROC_FR_HOST_PAGE_MAX and not
 *	below @page_size, 0: the smallest; out: used
 * @commands: in: entries of the command ring, a power of two,
 *	ROC_FR_COMMANDS_MIN..ROC_FR_COMMANDS_MAX, 0: ROC_FR_COMMANDS_DEFAULT, or the card's most if
 *	that is less; out: used, and as many has the completion ring
 * @links: out: links of the sub-unit
 * @pages: in: card pages of each link, 0: as many as its memory has; out: used
 * @descriptors: out: entries of the descriptor ring, @links x @pages or more
 * @frees: out: entries of the free-page ring, the same
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @kernel_offset: out: mmap offset of the kernel area (PROT_READ, MAP_SHARED): struct roc_fr_kernel
 * @kernel_length: out: its length; map exactly this
 * @user_offset: out: mmap offset of the user area (PROT_READ | PROT_WRITE, MAP_SHARED): struct
 *	roc_fr_user
 * @user_length: out: its length; map exactly this
 * @bell_offset: out: mmap offset of the doorbell (PROT_WRITE, MAP_SHARED): struct roc_fr_bell
 * @bell_length: out: its length; map exactly this. 0: there is none, use ROC_FR_TELL
 * @descriptors_offset: out: where the descriptor ring starts inside the kernel area
 * @completions_offset: out: the same of the completion ring
 * @frees_offset: out: where the free-page ring starts inside the user area: one __le32 per entry,
 *	ROC_FR_PAGE()
 * @commands_offset: out: the same of the command ring
 * @limit: out, also with an error: the value of the limit that @why names; must be 0 on entry
 * @pinned: out, also with an error: when @why is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry
 *
 * The rings are memory of the card's NUMA node, and count against RLIMIT_MEMLOCK of the process
 * that opened the sub-unit and against its memory cgroup. Mappings are not inherited by fork().
 * They stay when the card goes; the doorbell then becomes a page that does nothing.
 *
 * Errors: EINVAL a size that is no power of two, or out of its bounds, or more @pages than there
 * are; EBUSY there are some
 * already; EPERM (why OWNER) not the process that opened the sub-unit; ENOMEM (why MEMLOCK, or no
 * memory when why is 0); EOPNOTSUPP (why LENGTH: more commands, or larger card or host pages, than
 * the card can, limit has the most; CONTIGUITY: no memory in one piece, and no IOMMU; DMA_MASK;
 * BOUNCE); EINTR killed meanwhile. mmap(): EPIPE no rings; EINVAL wrong length or offset, or
 * private; EPERM writable kernel area; ENODEV the card is gone.
 */
struct roc_fr_rings {
	__u32 size;
	__u32 flags;
	__u32 page_size;
	__u32 host_page_size;
	__u32 commands;
	__u32 links;
	__u32 pages;
	__u32 descriptors;
	__u32 frees;
	__u32 why;
	__aligned_u64 kernel_offset;
	__aligned_u64 kernel_length;
	__aligned_u64 user_offset;
	__aligned_u64 user_length;
	__aligned_u64 bell_offset;
	__aligned_u64 bell_length;
	__u32 descriptors_offset;
	__u32 completions_offset;
	__u32 frees_offset;
	__u32 commands_offset;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * struct roc_fr_pages - ioctl(ROC_FR_PAGES): which host pages a registered buffer is
 * @size: sizeof(struct roc_fr_pages)
 * @flags: must be 0
 * @handle: from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @first: out: index of its first host page; 0 on entry
 * @count: out: host pages that it has: whole ones, from its beginning on; 0 on entry
 * @total: out: of all buffers; 0 on entry
 *
 * Host page @first + i is the bytes from i * host_page_size of the buffer on. Pages are numbered
 * through all buffers in the order of their handles: so the numbers hold from the last registration
 * (or unregistration) before a start on, and cannot change while the sub-unit runs.
 *
 * Errors: ENOENT no such buffer; EPIPE no rings, so the size of a page is not known yet; ENOSPC
 * more than the card can be told of.
 */
struct roc_fr_pages {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 first;
	__u32 count;
	__u32 total;
};

/**
 * enum roc_fr_set - which members of struct roc_fr_settings to set
 * @ROC_FR_SET_LINKS: &roc_fr_settings.links
 * @ROC_FR_SET_DATA_COUNT: &roc_fr_settings.data_count
 * @ROC_FR_SET_DATA_TIME: &roc_fr_settings.data_time
 * @ROC_FR_SET_DONE_COUNT: &roc_fr_settings.done_count
 * @ROC_FR_SET_DONE_TIME: &roc_fr_settings.done_time
 */
enum roc_fr_set {
	ROC_FR_SET_LINKS = 1 << 0,
	ROC_FR_SET_DATA_COUNT = 1 << 1,
	ROC_FR_SET_DATA_TIME = 1 << 2,
	ROC_FR_SET_DONE_COUNT = 1 << 3,
	ROC_FR_SET_DONE_TIME = 1 << 4,
};

/**
 * struct roc_fr_settings - ioctl(ROC_FR_SETTINGS): set some, and tell all
 * @size: sizeof(struct roc_fr_settings)
 * @flags: must be 0
 * @sub: on /dev/rocN number of the sub-unit, on /dev/rocNchM 0 or M
 * @set: bits of enum roc_fr_set; 0: only tell
 * @links: bit per link that fragments are taken from; the source of another one stands still
 * @data_count: who sleeps for descriptors is told of no fewer than that ...
 * @data_time: ... unless the last interrupt of this purpose was that many ns ago. After silence the
 *	first is told of at once. @data_time 0: no moderation
 * @done_count: the same for completions
 * @done_time: the same for completions
 * @reserved: must be 0
 *
 * In: members that @set names, others are not looked at; out: all, as they are from now on. They
 * belong to the sub-unit, not to the open file, and hold until they are changed or the sub-unit is
 * reset with ROC_FR_RESET_DEFAULT; may be set while it runs. Without this call: all links, 64 and
 * 2 ms, 16 and 100 us.
 *
 * Errors: ENOENT the card has no such sub-unit; ERANGE @links that it does not have; EBUSY on
 * /dev/rocN, with @set: the sub-unit is open.
 */
struct roc_fr_settings {
	__u32 size;
	__u32 flags;
	__u32 sub;
	__u32 set;
	__u32 links;
	__u32 data_count;
	__u32 data_time;
	__u32 done_count;
	__u32 done_time;
	__u32 reserved;
};

/**
 * struct roc_fr_start - ioctl(ROC_FR_START): let fragments come
 * @size: sizeof(struct roc_fr_start)
 * @flags: must be 0
 * @start: in: with which all counts begin; 0 as a rule
 * @host_pages: out: host pages that the card was told of; must be 0 on entry
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @reserved: must be 0
 * @limit: out, also with an error: the value of the limit that @why names; must be 0 on entry
 *
 * What the rings held is forgotten, all card pages are the reader's. Buffers can neither be
 * registered nor unregistered until the stop. Without any buffer fragments can be released, not
 * transferred.
 *
 * Errors: EBUSY running, or a buffer is just being registered; EPIPE no rings; ENOSPC (why LENGTH)
 * more host pages than the card can be told of, limit has how many it can; EOPNOTSUPP (why
 * CONTIGUITY) a host page is not contiguous for the card, and aligned to its size there: register
 * with a granule of host_page_size, or use huge pages; ENOMEM (why MEMLOCK: the table of host
 * pages, 8 bytes of each, would be more than RLIMIT_MEMLOCK); EIO the card does not answer, or
 * takes no orders; EAGAIN the machine is being suspended.
 */
struct roc_fr_start {
	__u32 size;
	__u32 flags;
	__u32 start;
	__u32 host_pages;
	__u32 why;
	__u32 reserved;
	__aligned_u64 limit;
};

/**
 * enum roc_fr_stop_flags - &roc_fr_stop.flags
 * @ROC_FR_STOP_NOW: do not wait for what the card has been asked for
 */
enum roc_fr_stop_flags {
	ROC_FR_STOP_NOW = 1 << 0,
};

/**
 * struct roc_fr_stop - ioctl(ROC_FR_STOP): the end
 * @size: sizeof(struct roc_fr_stop)
 * @flags: bits of enum roc_fr_stop_flags
 * @descriptors: out: count of descriptors at the end; 0 on entry
 * @completions: out: the same of completions; 0 on entry
 * @lost: out: commands told to the card whose completions did not come; not known, and 0, of a
 *	card that does not answer; 0 on entry
 * @reserved: must be 0
 *
 * No fragment is taken from a link any more; commands that the card has are done, for which it has
 * a second. When this returns it does not write any more, and what the rings hold can still be
 * read; fragments in the card are gone.
 * Errors: EALREADY not running, and quiet; EIO the card broke its contract meanwhile, or does not
 * stop: then it may still write to rings and host pages. Of a run that ended by itself, or whose
 * stop failed, the card is asked once more: EIO as long as it is not quiet.
 */
struct roc_fr_stop {
	__u32 size;
	__u32 flags;
	__u32 descriptors;
	__u32 completions;
	__u32 lost;
	__u32 reserved;
};

/**
 * enum roc_fr_bells - &roc_fr_tell.what
 * @ROC_FR_TELL_FREE: &roc_fr_tell.free
 * @ROC_FR_TELL_COMMAND: &roc_fr_tell.command
 */
enum roc_fr_bells {
	ROC_FR_TELL_FREE = 1 << 0,
	ROC_FR_TELL_COMMAND = 1 << 1,
};

/**
 * struct roc_fr_tell - ioctl(ROC_FR_TELL): ring doorbells
 * @size: sizeof(struct roc_fr_tell)
 * @flags: must be 0
 * @what: bits of enum roc_fr_bells
 * @free: as &roc_fr_bell.free
 * @command: as &roc_fr_bell.command
 * @reserved: must be 0
 *
 * Errors: EPIPE no rings; EALREADY not running.
 */
struct roc_fr_tell {
	__u32 size;
	__u32 flags;
	__u32 what;
	__u32 free;
	__u32 command;
	__u32 reserved;
};

/**
 * enum roc_fr_for - what somebody waits for
 * @ROC_FR_WAIT_DATA: descriptors
 * @ROC_FR_WAIT_DONE: completions
 */
enum roc_fr_for {
	ROC_FR_WAIT_DATA = 1 << 0,
	ROC_FR_WAIT_DONE = 1 << 1,
};

/**
 * struct roc_fr_wait - ioctl(ROC_FR_WAIT): sleep until the card has come so far
 * @size: sizeof(struct roc_fr_wait)
 * @flags: must be 0
 * @mask: bits of enum roc_fr_for: for which of the two; one that comes is enough
 * @ready: out: which of these came; 0 on entry
 * @descriptors: in: return when the count of descriptors is there, or further; out: where it is
 * @completions: the same of completions
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that a signal can restart it
 *
 * Returns also when the sub-unit is not running or stops. &struct roc_fr_user must be up to date.
 * Errors: EINVAL @mask, or more than a ring beyond what the card has written; ETIME the deadline
 * passed (what is out is valid); EINTR a signal handler ran; EPIPE no rings.
 */
struct roc_fr_wait {
	__u32 size;
	__u32 flags;
	__u32 mask;
	__u32 ready;
	__u32 descriptors;
	__u32 completions;
	__aligned_u64 deadline;
};

/**
 * enum roc_fr_level - how much ROC_FR_RESET resets
 * @ROC_FR_RESET_DEFAULT: all that follows, and the settings
 * @ROC_FR_RESET_LOGIC: the card's state machines and its generators
 * @ROC_FR_RESET_COUNTERS: what the card counts
 */
enum roc_fr_level {
	ROC_FR_RESET_DEFAULT = 0,
	ROC_FR_RESET_LOGIC = 1,
	ROC_FR_RESET_COUNTERS = 2,
};

#define ROC_FR_ALL 0xffffffffu

/**
 * struct roc_fr_reset - ioctl(ROC_FR_RESET): of a sub-unit, or of the card
 * @size: sizeof(struct roc_fr_reset)
 * @flags: must be 0
 * @sub: on /dev/rocN number of the sub-unit, or ROC_FR_ALL: all of them; on /dev/rocNchM 0 or M
 * @level: enum roc_fr_level
 *
 * On /dev/rocN a sub-unit that is open takes COUNTERS only.
 *
 * Errors: ENOENT the card has no such sub-unit; EBUSY it, or one of them, runs: of DEFAULT and
 * LOGIC; or, on /dev/rocN, is open: of the same; EIO the card does not answer, or the reset does
 * not show.
 */
struct roc_fr_reset {
	__u32 size;
	__u32 flags;
	__u32 sub;
	__u32 level;
};

#endif /* _UAPI_LINUX_ROC_FRAGMENT_H */
