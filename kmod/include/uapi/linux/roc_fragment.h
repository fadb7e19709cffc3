/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: fragments on request. roc.h includes this file, and its rules also
 * apply here.
 *
 * A channel of an endpoint with ROC_CAP_FRAGMENTS is a *sub-unit*. The card keeps the fragments of
 * some links in its own memory, one fragment in one *card page*, and writes a descriptor for each.
 * It writes requested fragments into *host pages*, which are pieces of the buffers that the reader
 * registered. The first opener of /dev/rocNchM owns the sub-unit until it closes it. Other openers
 * get EBUSY; sysfs owner_pid names the owner. Of the ioctls common to all channels a sub-unit has
 * ROC_CH_RESET, ROC_CH_EVENTFD and ROC_BUF_*. This file has its other ioctls. The kernel does not
 * interpret event numbers.
 *
 *   card:    writes a fragment into its memory, then a descriptor into the descriptor ring
 *   reader:  takes descriptors; puts commands into the command ring, and once per batch stores
 *            their total count to the doorbell
 *   card:    writes the fragment into the host page, then a completion into the completion ring
 *   reader:  takes completions; gives card pages back, with the command that requested them or
 *            by the free-page ring and its doorbell
 *
 * This exchange takes no system call. All counts are free-running 32-bit numbers that begin with
 * &roc_fr_start.start and wrap; differences are taken modulo 2^32. Entry n of a ring is at n modulo
 * the number of its entries, a power of two. The phase bit of a descriptor or completion shows that
 * the entry is present: ROC_FR_PHASE is 1 in the first lap from the start on, 0 in the second, and
 * so on. A reader loads that word first, with acquire semantics, then the others. When a run
 * begins, the reader holds all card pages. It puts those that the card may fill into the free-page
 * ring.
 *
 * The card has no read index of the descriptor and completion rings. It cannot overrun them as long
 * as both sides follow the protocol. There are as many descriptors as card pages, and a reader
 * gives a page back only after it has taken the descriptor. At most as many commands may be
 * outstanding (reported to the card, their completions not taken) as the command ring has entries.
 * A reader that violates these rules corrupts its own run and nothing else.
 *
 * An idle reader sleeps in ROC_FR_WAIT, in poll() (POLLIN: there is a descriptor or a completion
 * that was not taken) or on an eventfd. poll() reports POLLERR when the run has failed, and POLLERR
 * and POLLHUP when the card was removed or reset.
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
#define ROC_FR_DOORBELL _IO(ROC_IOC_TYPE, 0x45)
#define ROC_FR_WAIT _IO(ROC_IOC_TYPE, 0x46)
#define ROC_FR_RESET _IO(ROC_IOC_TYPE, 0x47)
#define ROC_FR_PAGES _IO(ROC_IOC_TYPE, 0x48)

/* Deprecated names */
#define ROC_FR_TELL ROC_FR_DOORBELL
#define roc_fr_tell roc_fr_doorbell

/* Sizes of card pages and host pages in bytes; both are powers of two */
#define ROC_FR_PAGE_MIN (1u << 10)
#define ROC_FR_PAGE_MAX (1u << 16)
#define ROC_FR_PAGE_DEFAULT (1u << 11)
#define ROC_FR_HOST_PAGE_MIN (1u << 11)
#define ROC_FR_HOST_PAGE_MAX (1u << 16)
#define ROC_FR_COMMANDS_MIN 16
#define ROC_FR_COMMANDS_MAX 65536
#define ROC_FR_COMMANDS_DEFAULT 4096

/* A card page: link of the sub-unit, and number of the page in the link's memory */
#define ROC_FR_PAGE(_link, _number) ((__u32)(_link) << 28 | (_number))
#define ROC_FR_PAGE_LINK(_page) ((_page) >> 28)
#define ROC_FR_PAGE_NUMBER(_page) ((_page)&0x0fffffffu)

/* Status words of descriptors and completions */
#define ROC_FR_PHASE (1u << 31)
#define ROC_FR_STATUS(_word) ((_word)&0xffffu)

/**
 * struct roc_fr_info - ioctl(ROC_FR_INFO): Read state and counters of a sub-unit
 * @size: sizeof(struct roc_fr_info)
 * @flags: must be 0
 * @sub: in: on /dev/rocN number of the sub-unit, on /dev/rocNchM 0 or M; out: the number
 * @state: out: enum roc_ch_state
 * @reason: out: enum roc_reason of the last failure
 * @why: deprecated name of @reason
 * @run: out: number of the last start since open, from 1; 0 if there was none
 * @name: out: "sub0", "sub1"; NUL terminated
 * @owner: out: process that opened the sub-unit, as the caller sees it; 0 if the sub-unit is not
 *	open, or if the process has ended or is outside of the caller's namespace: see sysfs
 *	owner_pid
 * @links: out: number of links
 * @link_memory: out: bytes of page memory of each link
 * @host_pages_max: out: maximum number of host pages that the card supports
 * @commands_max: out: entries of the largest command ring
 * @page_size: out: bytes of a card page; 0 if there are no rings, in which case all members that
 *	depend on them are 0
 * @pages: out: card pages of each link
 * @host_page_size: out: bytes of a host page
 * @host_pages: out: host pages of the run, or of the last one; 0 before the first
 * @descriptors: out: last count of descriptors that the kernel read in the run, which can be old
 * @completions: out: the same for completions
 * @mask: out: one bit per link from which the card takes fragments: &roc_fr_settings.links
 * @lost: out: descriptors and completions that the card wrote or counted, from the first one on
 *	that is missing in its ring, so that they cannot be taken: the run ended with
 *	ROC_REASON_RECORD. At most UINT32_MAX is reported; counts as @interrupts and the members
 *	below it
 * @interrupts: out: interrupts in total. This counter and those below count since open on
 *	/dev/rocNchM, and since the driver bound the card on /dev/rocN
 * @data_interrupts: out: of these, interrupts for descriptors
 * @done_interrupts: out: of these, interrupts for completions
 * @error_interrupts: out: of these, interrupts for errors
 * @missed_interrupts: out: times that the watchdog found entries without an interrupt for them
 * @spurious_interrupts: out: interrupts without new entries
 * @arms: out: times that the driver armed the interrupt: one register write each
 * @doorbells: out: times that the kernel rang a doorbell (ROC_FR_DOORBELL): one register write each
 * @wakes: out: times that the driver woke waiters
 * @mmio_reads: out: register reads while running
 * @mmio_writes: out: register writes while running
 * @bad_index: out: invalid counts of the reader, each value once, and invalid doorbells, once per
 *	run
 *
 * The call makes no register access. The card has its own counters for each link in its registers.
 *
 * Errors: ENOENT if the card has no such sub-unit.
 */
struct roc_fr_info {
	__u32 size;
	__u32 flags;
	__u32 sub;
	__u32 state;
	union {
		__u32 reason, why;
	};
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
 * enum roc_fr_fragment - Bits of &roc_fr_descriptor.status, beside ROC_FR_PHASE
 * @ROC_FR_TRUNCATED: longer than a card page; the rest is lost
 * @ROC_FR_LINK_ERROR: the link had transmission errors during the fragment
 * @ROC_FR_FORMAT: the fragment does not begin with a header, so @event is invalid
 * @ROC_FR_SEQUENCE: the event id is not that of the link's previous fragment plus one
 */
enum roc_fr_fragment {
	ROC_FR_TRUNCATED = 1 << 0,
	ROC_FR_LINK_ERROR = 1 << 1,
	ROC_FR_FORMAT = 1 << 2,
	ROC_FR_SEQUENCE = 1 << 3,
};

/**
 * struct roc_fr_descriptor - Entry of the descriptor ring, written by the card for each fragment
 * @event: event id
 * @page: ROC_FR_PAGE(): page of the fragment, which the reader holds until it gives it back
 * @size: bytes of the fragment in the page
 * @status: ROC_FR_PHASE and bits of enum roc_fr_fragment
 *
 * A reader should expect protocol violations of the card: a page that does not exist or that the
 * card holds, or a size beyond the page.
 */
struct roc_fr_descriptor {
	__le32 event;
	__le32 page;
	__le32 size;
	__le32 status;
};

/**
 * enum roc_fr_op - Operations in &roc_fr_command.op
 * @ROC_FR_TRANSFER: write the fragment to the host page
 * @ROC_FR_RELEASE: give the card page back to the card, after the transfer if TRANSFER is also set
 */
enum roc_fr_op {
	ROC_FR_TRANSFER = 1 << 0,
	ROC_FR_RELEASE = 1 << 1,
};

/**
 * struct roc_fr_command - Entry of the command ring, written by the reader
 * @page: ROC_FR_PAGE() of a descriptor that the reader has taken
 * @host_page: index of a host page: see struct roc_fr_pages; ignored without TRANSFER
 * @tag: comes back with the completion
 * @op: bits of enum roc_fr_op
 *
 * The card validates each command. A command with a page that the reader does not hold, a host page
 * that does not exist, or no known operation has no effect and completes with an error.
 */
struct roc_fr_command {
	__le32 page;
	__le32 host_page;
	__le32 tag;
	__le32 op;
};

/**
 * enum roc_fr_done - Result in &roc_fr_completion.status, beside ROC_FR_PHASE
 * @ROC_FR_OK: the command is complete
 * @ROC_FR_BAD_PAGE: the reader does not hold @page
 * @ROC_FR_BAD_HOST_PAGE: there is no such host page
 * @ROC_FR_BAD_OP: there is no such operation
 * @ROC_FR_ABORTED: the card could not read its page memory and did not execute the command
 */
enum roc_fr_done {
	ROC_FR_OK = 0,
	ROC_FR_BAD_PAGE = 1,
	ROC_FR_BAD_HOST_PAGE = 2,
	ROC_FR_BAD_OP = 3,
	ROC_FR_ABORTED = 4,
};

/**
 * struct roc_fr_completion - Entry of the completion ring, written by the card for each command
 * @tag: of the command
 * @size: bytes written to the host page
 * @event: event id of the fragment in the card page
 * @status: ROC_FR_PHASE, and enum roc_fr_done in ROC_FR_STATUS()
 *
 * The card writes exactly one completion for each command, in any order.
 */
struct roc_fr_completion {
	__le32 tag;
	__le32 size;
	__le32 event;
	__le32 status;
};

/**
 * struct roc_fr_user - First page of the user area: members that the reader writes for the kernel
 * @descriptors: count of descriptors that the reader has taken
 * @pad0: keeps the two members on separate cache lines
 * @completions: count of completions that the reader has taken
 * @pad1: rest of the line
 *
 * The page is mapped read-write. From these counts the kernel determines which entries are new for
 * a waiter. It sets both at start and validates what it reads. A reader that never sleeps need not
 * write them. A reader that sleeps writes them before.
 */
struct roc_fr_user {
	__u32 descriptors;
	__u32 pad0[15];
	__u32 completions;
	__u32 pad1[15];
};

/**
 * enum roc_fr_flags - Flags in &roc_fr_kernel.flags
 * @ROC_FR_STOPPED: the sub-unit is not running; no more data arrives
 * @ROC_FR_FAILED: the sub-unit stopped because of a protocol violation of the card; ROC_FR_INFO has
 *	the reason
 * @ROC_FR_GONE: the card was removed or reset; close the fd. The driver sets this flag at once.
 *	%ROC_FR_STOPPED always follows: then nothing is written to memory any more, or ROC_FR_STOP
 *	returns EIO
 */
enum roc_fr_flags {
	ROC_FR_STOPPED = 1 << 0,
	ROC_FR_FAILED = 1 << 1,
	ROC_FR_GONE = 1 << 2,
};

/**
 * struct roc_fr_kernel - First page of the kernel area: members that the kernel writes
 * @flags: bits of enum roc_fr_flags
 * @run: number of the start since open, from 1
 */
struct roc_fr_kernel {
	__u32 flags;
	__u32 run;
};

/**
 * struct roc_fr_bell - The doorbell: a page of the card with two registers, written by the reader
 * @free: count of entries put into the free-page ring
 * @command: count of entries put into the command ring
 *
 * Each register takes one aligned 32-bit store of a __le32 after the entries (with a barrier for
 * device memory), at most once per batch. The card ignores a count that is more than a ring ahead
 * of its own. Such a count increments &roc_fr_info.bad_index.
 */
struct roc_fr_bell {
	__le32 free;
	__le32 command;
};

/**
 * struct roc_fr_rings - ioctl(ROC_FR_RINGS): Create the rings, once per open
 * @size: sizeof(struct roc_fr_rings)
 * @flags: must be 0
 * @page_size: in: bytes of a card page, ROC_FR_PAGE_MIN..ROC_FR_PAGE_MAX, 0 for
 *	ROC_FR_PAGE_DEFAULT; out: used. The card truncates longer fragments
 * @host_page_size: in: bytes of a host page, ROC_FR_HOST_PAGE_MIN..ROC_FR_HOST_PAGE_MAX and not
 *	below @page_size, 0 for the smallest; out: used
 * @commands: in: entries of the command ring, a power of two,
 *	ROC_FR_COMMANDS_MIN..ROC_FR_COMMANDS_MAX, 0 for ROC_FR_COMMANDS_DEFAULT, or the maximum of
 *	the card if that is less; out: used. The completion ring has the same number
 * @links: out: number of links of the sub-unit
 * @pages: in: card pages of each link, 0 for as many as its memory has; out: used
 * @descriptors: out: entries of the descriptor ring, @links x @pages or more
 * @frees: out: entries of the free-page ring, the same number
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @kernel_offset: out: mmap offset of the kernel area (PROT_READ, MAP_SHARED): struct roc_fr_kernel
 * @kernel_length: out: length of the kernel area; map exactly this
 * @user_offset: out: mmap offset of the user area (PROT_READ | PROT_WRITE, MAP_SHARED): struct
 *	roc_fr_user
 * @user_length: out: length of the user area; map exactly this
 * @bell_offset: out: mmap offset of the doorbell (PROT_WRITE, MAP_SHARED): struct roc_fr_bell
 * @bell_length: out: length of the doorbell; map exactly this. 0 if there is none: use
 *	ROC_FR_DOORBELL
 * @descriptors_offset: out: where the descriptor ring starts inside the kernel area
 * @completions_offset: out: where the completion ring starts inside the kernel area
 * @frees_offset: out: where the free-page ring starts inside the user area: one __le32 per entry,
 *	ROC_FR_PAGE()
 * @commands_offset: out: where the command ring starts inside the user area
 * @limit: out, also with an error: the value of the limit that @reason names; must be 0 on entry
 * @pinned: out, also with an error: when @reason is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry
 *
 * The driver allocates the rings on the card's NUMA node. They count against RLIMIT_MEMLOCK of the
 * process that opened the sub-unit and against its memory cgroup. A child of fork() does not
 * inherit the mappings. They remain after the removal of the card; stores to the doorbell then have
 * no effect.
 *
 * Errors: EINVAL if a size is no power of two or out of its range, or if @pages exceeds the memory;
 * EBUSY if there are already rings; EPERM (reason OWNER) if the caller is not the process that
 * opened the sub-unit; ENOMEM (reason MEMLOCK, or no memory if reason is 0); EINTR if a fatal
 * signal arrived.
 *
 * EOPNOTSUPP with reason LENGTH for more commands, or larger card or host pages, than the card
 * supports, where limit has the maximum; with reason CONTIGUITY if there is no contiguous memory
 * and no IOMMU; also with reason DMA_MASK or BOUNCE.
 *
 * Errors of mmap(): EPIPE if there are no rings; EINVAL if length or offset is wrong, or the
 * mapping is private; EPERM for a writable kernel area; ENODEV if the card was removed or reset.
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
	union {
		__u32 reason, why;
	};
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
 * struct roc_fr_pages - ioctl(ROC_FR_PAGES): Read the host page numbers of a registered buffer
 * @size: sizeof(struct roc_fr_pages)
 * @flags: must be 0
 * @handle: from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @first: out: index of the first host page of the buffer; 0 on entry
 * @count: out: number of whole host pages in the buffer, from its beginning on; 0 on entry
 * @total: out: number of host pages of all buffers; 0 on entry
 *
 * Host page @first + i begins at byte i * host_page_size of the buffer. The driver numbers the
 * pages through all buffers in the order of their handles. The numbers are therefore valid from the
 * last registration (or unregistration) before a start on, and cannot change while the sub-unit
 * runs.
 *
 * Errors: ENOENT if there is no such buffer; EPIPE if there are no rings, because the size of a
 * page is not yet defined; ENOSPC if there are more pages than the card supports.
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
 * enum roc_fr_set - Members of struct roc_fr_settings to set
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
 * struct roc_fr_settings - ioctl(ROC_FR_SETTINGS): Change settings and read all of them
 * @size: sizeof(struct roc_fr_settings)
 * @flags: must be 0
 * @sub: on /dev/rocN number of the sub-unit, on /dev/rocNchM 0 or M
 * @set: bits of enum roc_fr_set; 0 only reads
 * @links: one bit per link from which the card takes fragments; the source of another link does not
 *	send
 * @data_count: wake threshold for descriptors: an interrupt wakes a waiter for no fewer than this,
 *	unless @data_time has passed
 * @data_time: ns since the last interrupt for descriptors after which any descriptor wakes the
 *	waiter. After an idle time the first one wakes it at once. 0 for no moderation
 * @done_count: the same for completions
 * @done_time: the same for completions
 * @reserved: must be 0
 *
 * In: the members that @set names; others are ignored. Out: all members, as they are from now on.
 * The settings belong to the sub-unit, not to the open file. They remain until they are changed or
 * the sub-unit is reset with ROC_FR_RESET_DEFAULT. They may be set while it runs. The defaults are
 * all links, 64 descriptors and 2 ms, 16 completions and 100 us.
 *
 * Errors: ENOENT if the card has no such sub-unit; ERANGE if @links names links that do not exist;
 * EBUSY on /dev/rocN, with @set, if the sub-unit is open.
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
 * struct roc_fr_start - ioctl(ROC_FR_START): Start the sub-unit
 * @size: sizeof(struct roc_fr_start)
 * @flags: must be 0
 * @start: in: first value of all counts; normally 0
 * @host_pages: out: host pages reported to the card; must be 0 on entry
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @reserved: must be 0
 * @limit: out, also with an error: the value of the limit that @reason names; must be 0 on entry
 *
 * The start discards the content of the rings, and the reader holds all card pages. Buffers can be
 * neither registered nor unregistered until the stop. Without any buffer, fragments can be released
 * but not transferred.
 *
 * Errors: EBUSY if the sub-unit already runs, or a buffer is being registered; EPIPE if there are
 * no rings; EIO if the card does not answer, cannot be quiesced, or does not acknowledge the start;
 * EAGAIN if the machine is being suspended.
 *
 * ENOSPC (reason LENGTH) if there are more host pages than the card supports, where limit has the
 * maximum; ENOMEM (reason MEMLOCK) if the table of host pages, 8 bytes for each, would exceed
 * RLIMIT_MEMLOCK.
 *
 * EOPNOTSUPP (reason CONTIGUITY) if a host page is not contiguous for the card, or not aligned
 * there to its size: register with a granule of host_page_size, or use huge pages.
 */
struct roc_fr_start {
	__u32 size;
	__u32 flags;
	__u32 start;
	__u32 host_pages;
	union {
		__u32 reason, why;
	};
	__u32 reserved;
	__aligned_u64 limit;
};

/**
 * enum roc_fr_stop_flags - Flags in &roc_fr_stop.flags
 * @ROC_FR_STOP_NOW: do not wait for outstanding commands of the card
 */
enum roc_fr_stop_flags {
	ROC_FR_STOP_NOW = 1 << 0,
};

/**
 * struct roc_fr_stop - ioctl(ROC_FR_STOP): Stop the sub-unit
 * @size: sizeof(struct roc_fr_stop)
 * @flags: bits of enum roc_fr_stop_flags
 * @descriptors: out: count of descriptors at the end; 0 on entry
 * @completions: out: count of completions at the end; 0 on entry
 * @lost: out: commands reported to the card whose completions did not arrive; unknown, and 0, if
 *	the card does not answer; 0 on entry
 * @reserved: must be 0
 *
 * The card takes no more fragments from the links. It executes outstanding commands, for at most
 * one second. After this call it no longer writes, and the reader can still read the content of the
 * rings. Fragments in the card are lost.
 *
 * Errors: EALREADY if the sub-unit is not running and is quiesced; EIO if the card violated the
 * protocol, or does not stop: then it may still write to rings and host pages. If the run ended by
 * itself, or its stop failed, another stop checks the card again and returns EIO until the card is
 * quiesced.
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
 * enum roc_fr_bells - Doorbells in &roc_fr_doorbell.what
 * @ROC_FR_DOORBELL_FREE: &roc_fr_doorbell.free
 * @ROC_FR_DOORBELL_COMMAND: &roc_fr_doorbell.command
 * @ROC_FR_TELL_FREE: deprecated name of ROC_FR_DOORBELL_FREE
 * @ROC_FR_TELL_COMMAND: deprecated name of ROC_FR_DOORBELL_COMMAND
 */
enum roc_fr_bells {
	ROC_FR_DOORBELL_FREE = 1 << 0,
	ROC_FR_DOORBELL_COMMAND = 1 << 1,
	ROC_FR_TELL_FREE = ROC_FR_DOORBELL_FREE,
	ROC_FR_TELL_COMMAND = ROC_FR_DOORBELL_COMMAND,
};

/**
 * struct roc_fr_doorbell - ioctl(ROC_FR_DOORBELL): Ring doorbells
 * @size: sizeof(struct roc_fr_doorbell)
 * @flags: must be 0
 * @what: bits of enum roc_fr_bells
 * @free: as &roc_fr_bell.free
 * @command: as &roc_fr_bell.command
 * @reserved: must be 0
 *
 * Errors: EPIPE if there are no rings; EALREADY if the sub-unit is not running.
 */
struct roc_fr_doorbell {
	__u32 size;
	__u32 flags;
	__u32 what;
	__u32 free;
	__u32 command;
	__u32 reserved;
};

/**
 * enum roc_fr_for - Rings that a caller waits for
 * @ROC_FR_WAIT_DATA: descriptors
 * @ROC_FR_WAIT_DONE: completions
 */
enum roc_fr_for {
	ROC_FR_WAIT_DATA = 1 << 0,
	ROC_FR_WAIT_DONE = 1 << 1,
};

/**
 * struct roc_fr_wait - ioctl(ROC_FR_WAIT): Sleep until the card reaches a count
 * @size: sizeof(struct roc_fr_wait)
 * @flags: must be 0
 * @mask: bits of enum roc_fr_for: the counts to wait for; one of them is enough
 * @ready: out: bits of the counts that were reached; 0 on entry
 * @descriptors: in: return when the count of descriptors is there, or further; out: current count
 * @completions: in and out: the same for completions
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that the call can restart after a
 *	signal
 *
 * The call also returns when the sub-unit is not running or stops. &struct roc_fr_user must be up
 * to date.
 *
 * Errors: EINVAL if @mask is invalid, or a count is more than a ring beyond what the card has
 * written; ETIME if the deadline passed (the outputs are valid); EINTR if a signal handler ran;
 * EPIPE if there are no rings.
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
 * enum roc_fr_level - Extent of ROC_FR_RESET
 * @ROC_FR_RESET_DEFAULT: all levels below, and the settings
 * @ROC_FR_RESET_LOGIC: the card's state machines and its generators
 * @ROC_FR_RESET_COUNTERS: the counters of the card
 */
enum roc_fr_level {
	ROC_FR_RESET_DEFAULT = 0,
	ROC_FR_RESET_LOGIC = 1,
	ROC_FR_RESET_COUNTERS = 2,
};

#define ROC_FR_ALL 0xffffffffu

/**
 * struct roc_fr_reset - ioctl(ROC_FR_RESET): Reset a sub-unit, or all sub-units of the card
 * @size: sizeof(struct roc_fr_reset)
 * @flags: must be 0
 * @sub: on /dev/rocN number of the sub-unit, or ROC_FR_ALL for all sub-units; on /dev/rocNchM 0 or
 *	M
 * @level: enum roc_fr_level
 *
 * On /dev/rocN an open sub-unit accepts only COUNTERS.
 *
 * Errors: ENOENT if the card has no such sub-unit; EBUSY for DEFAULT and LOGIC if the sub-unit, or
 * one of them, runs, or, on /dev/rocN, is open; EIO if the card does not answer or does not
 * acknowledge the reset.
 */
struct roc_fr_reset {
	__u32 size;
	__u32 flags;
	__u32 sub;
	__u32 level;
};

#endif /* _UAPI_LINUX_ROC_FRAGMENT_H */
