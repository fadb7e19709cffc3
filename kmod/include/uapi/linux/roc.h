/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: readout cards of physics experiments.
 *
 * There are two device node types. /dev/rocN is an *endpoint* (one PCI function): any number of
 * openers, information, registers, BAR mappings. /dev/rocNchM is a DMA *channel*: one opener, start
 * and stop. Further ioctls depend on the *channel type*. A pool uses buffers of the reader and two
 * rings in shared memory. A stream (endpoints with ROC_CAP_STREAMS) has one ring of the driver:
 * roc_stream.h. A sub-unit (endpoints with ROC_CAP_FRAGMENTS) keeps its fragments until the reader
 * requests them: roc_fragment.h.
 *
 * A channel belongs to the process that opened it (more exactly, to its table of descriptors). When
 * that process closes its last descriptor of the open file, or ends, the driver stops the card. It
 * then unpins all buffers and frees the channel for the next opener, before the close() returns.
 * Mappings do not keep the channel open, nor do copies of the descriptor elsewhere: in a child of
 * fork(), a receiver of SCM_RIGHTS, or a fixed file of io_uring. Calls through such a copy then
 * fail with ENODEV. exec() closes a descriptor with O_CLOEXEC. A descriptor without it remains open
 * in the new program and keeps the channel. A child of fork() does not inherit mappings, unless the
 * process calls MADV_DOFORK, which fails for a doorbell only. A child that has another mapping
 * reaches the pages of this open file, never those of the next opener.
 *
 * While a channel is open, only its own node can change it. On /dev/rocN every call that resets the
 * channel, or changes settings that the driver keeps for it, fails with EBUSY. Counters may be
 * reset. The registers in a BAR that users may write belong to slow control: see security.md.
 *
 * General ioctl format. Every structure starts with @size, the size of the structure that the
 * caller was compiled with, followed by @flags. A structure that grows keeps its number for ever.
 * The kernel accepts any size from the first published one on. Members that the caller does not
 * have are 0 and are not written. Bytes that the kernel does not know must be 0 and are not written
 * either.
 *
 *   ENOTTY      this ioctl number does not exist for this node
 *   E2BIG       the caller set bytes that this kernel does not know
 *   EOPNOTSUPP  known field or flag, unsupported value or combination on this card
 *   EINVAL      invalid argument: @size below the first published, unknown flag, non-zero reserved
 *               field, bad alignment
 *   ENOENT      no such handle
 *   ENODEV      the card was removed or reset, or the process that opened the channel has closed
 *               it; close the fd and open it again
 *   EFAULT      a pointer cannot be read or written. The call had no effect, unless the memory
 *               became inaccessible while it ran; even then no lock is held, no buffer registered
 *               and no ring created
 *
 * Further errors are listed with each structure. All times are nanoseconds of CLOCK_MONOTONIC, all
 * sizes and offsets are bytes. The driver never returns a kernel pointer, physical address or bus
 * address.
 *
 * Type 0xB9, numbers 0x00-0x4F. (Not registered in the kernel's ioctl-number table.)
 */
#ifndef _UAPI_LINUX_ROC_H
#define _UAPI_LINUX_ROC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define ROC_IOC_TYPE 0xB9

#define ROC_EP_INFO _IO(ROC_IOC_TYPE, 0x00)
#define ROC_BAR_INFO _IO(ROC_IOC_TYPE, 0x01)
#define ROC_REG_READ _IO(ROC_IOC_TYPE, 0x02)
#define ROC_REG_WRITE _IO(ROC_IOC_TYPE, 0x03)
#define ROC_REG_MODIFY _IO(ROC_IOC_TYPE, 0x04)
#define ROC_CARD_LOCK _IO(ROC_IOC_TYPE, 0x05)
#define ROC_CARD_UNLOCK _IO(ROC_IOC_TYPE, 0x06)

#define ROC_CH_INFO _IO(ROC_IOC_TYPE, 0x10)
#define ROC_CH_RINGS _IO(ROC_IOC_TYPE, 0x11)
#define ROC_CH_CONFIGURE _IO(ROC_IOC_TYPE, 0x12)
#define ROC_CH_START _IO(ROC_IOC_TYPE, 0x13)
#define ROC_CH_STOP _IO(ROC_IOC_TYPE, 0x14)
#define ROC_CH_RESET _IO(ROC_IOC_TYPE, 0x15)
#define ROC_CH_KICK _IO(ROC_IOC_TYPE, 0x16)
#define ROC_CH_WAIT _IO(ROC_IOC_TYPE, 0x17)
#define ROC_CH_EVENTFD _IO(ROC_IOC_TYPE, 0x18)
#define ROC_CH_COMMAND _IO(ROC_IOC_TYPE, 0x19)
#define ROC_CH_MODE _IO(ROC_IOC_TYPE, 0x1a)
#define ROC_CH_LOSSES _IO(ROC_IOC_TYPE, 0x1b)

#define ROC_BUF_REGISTER _IO(ROC_IOC_TYPE, 0x20)
#define ROC_BUF_UNREGISTER _IO(ROC_IOC_TYPE, 0x21)
#define ROC_BUF_EXPORT _IO(ROC_IOC_TYPE, 0x22)
#define ROC_BUF_IMPORT _IO(ROC_IOC_TYPE, 0x23)

/**
 * enum roc_card_type - Card type of an endpoint
 * @ROC_CARD_CRU: ALICE Common Readout Unit
 * @ROC_CARD_CRORC: ALICE C-RORC
 * @ROC_CARD_P40: LHCb PCIe40
 * @ROC_CARD_ROBINNP: ATLAS RobinNP: other firmware on the board of the C-RORC
 */
enum roc_card_type {
	ROC_CARD_CRU = 1,
	ROC_CARD_CRORC = 2,
	ROC_CARD_P40 = 3,
	ROC_CARD_ROBINNP = 4,
};

/**
 * enum roc_caps - Capabilities of an endpoint, bits of &roc_ep_info.caps
 * @ROC_CAP_TEMPERATURE: the card has a temperature sensor
 * @ROC_CAP_LINK_FIFOS: one descriptor FIFO per link (otherwise one per channel)
 * @ROC_CAP_PARTIAL: superpages may come back partly filled
 * @ROC_CAP_GENERATOR: internal data generator
 * @ROC_CAP_DDG: detector data generator behind the datapath
 * @ROC_CAP_EVENTS: completion records in host memory and interrupts
 * @ROC_CAP_IOMMU: DMA goes through a translating IOMMU: any user memory may be registered
 * @ROC_CAP_DDL: channels have a detector data link that accepts commands: ROC_CH_COMMAND
 * @ROC_CAP_STREAMS: channels are streams: the ioctls ROC_ST_*, and of the others ROC_CH_RESET,
 *	ROC_CH_EVENTFD and ROC_BUF_EXPORT (of the ring; other memory is EOPNOTSUPP)
 * @ROC_CAP_FRAGMENTS: channels are sub-units: the ioctls ROC_FR_*, and of the others ROC_CH_RESET,
 *	ROC_CH_EVENTFD and ROC_BUF_*
 */
enum roc_caps {
	ROC_CAP_TEMPERATURE = 1 << 0,
	ROC_CAP_LINK_FIFOS = 1 << 1,
	ROC_CAP_PARTIAL = 1 << 2,
	ROC_CAP_GENERATOR = 1 << 3,
	ROC_CAP_DDG = 1 << 4,
	ROC_CAP_EVENTS = 1 << 5,
	ROC_CAP_IOMMU = 1 << 6,
	ROC_CAP_DDL = 1 << 7,
	ROC_CAP_STREAMS = 1 << 8,
	ROC_CAP_FRAGMENTS = 1 << 9,
};

#define ROC_TEXT_MAX 16

/**
 * struct roc_ep_info - ioctl(ROC_EP_INFO): Read the properties of an endpoint
 * @size: sizeof(struct roc_ep_info)
 * @flags: must be 0
 * @card_type: enum roc_card_type
 * @minor: N of /dev/rocN
 * @serial: card serial number, -1 if the card does not report it
 * @endpoint: number of this endpoint on its card, -1 if the card does not report it
 * @numa_node: NUMA node of the slot, -1 if unknown
 * @channels: number of DMA channels, nodes /dev/rocNch0 ...
 * @link_slots: number of link slots of a channel
 * @fifo_depth: superpage descriptors that one link FIFO holds
 * @superpage_align: a superpage's length must be a multiple of this
 * @superpage_max: size of the largest superpage in bytes
 * @page_size: size of the largest DMA page (packet) that the card writes, in bytes
 * @features: raw firmware feature word of the card
 * @chip_id: FPGA chip identity, high word shifted left by 32; 0 if unknown
 * @caps: bits of enum roc_caps
 * @vendor: PCI vendor id
 * @device: PCI device id
 * @reserved: zero
 * @pci_address: "dddd:bb:dd.f", NUL terminated
 * @firmware: firmware version: git hash, lower-case hex without leading zeros; eight digits for a
 *	PCIe40
 * @user_logic: user-logic version, same form; empty if the card has none
 *
 * The ioctl has no errors of its own.
 */
struct roc_ep_info {
	__u32 size;
	__u32 flags;
	__u32 card_type;
	__u32 minor;
	__s32 serial;
	__s32 endpoint;
	__s32 numa_node;
	__u32 channels;
	__u32 link_slots;
	__u32 fifo_depth;
	__u32 superpage_align;
	__u32 superpage_max;
	__u32 page_size;
	__u32 features;
	__aligned_u64 chip_id;
	__aligned_u64 caps;
	__u16 vendor;
	__u16 device;
	__u32 reserved;
	char pci_address[ROC_TEXT_MAX];
	char firmware[ROC_TEXT_MAX];
	char user_logic[ROC_TEXT_MAX];
};

/**
 * enum roc_bar_flags - Access of this caller to a BAR
 * @ROC_BAR_MMAP_READ: may be mapped with PROT_READ
 * @ROC_BAR_MMAP_WRITE: may be mapped with PROT_WRITE too; stores to pages that hold a protected
 *	register raise SIGBUS
 * @ROC_BAR_REG_WRITE: the register ioctls may write every register that is not protected; without
 *	this bit only those on the card's allow-list
 *
 * A protected register replaces the card's firmware or changes content that survives a power cycle:
 * see Documentation/security.md. The ioctls write it for a caller with CAP_SYS_RAWIO while no
 * channel of the card runs. No caller can map its page for writing.
 */
enum roc_bar_flags {
	ROC_BAR_MMAP_READ = 1 << 0,
	ROC_BAR_MMAP_WRITE = 1 << 1,
	ROC_BAR_REG_WRITE = 1 << 2,
};

/**
 * struct roc_bar_info - ioctl(ROC_BAR_INFO): Read size, policy and mmap offset of a BAR
 * @size: sizeof(struct roc_bar_info)
 * @flags: must be 0
 * @bar: in: BAR number 0..5
 * @access: out: bits of enum roc_bar_flags, for this caller
 * @length: out: length in bytes
 * @mmap_offset: out: offset for mmap() of this fd; map [0, @length) or page-aligned parts
 *
 * The driver revokes a mapping when the card is removed: an access then raises SIGBUS. mmap() with
 * PROT_WRITE of pages that all contain protected registers fails with EPERM.
 * Errors: ENOENT if the card has no such BAR.
 */
struct roc_bar_info {
	__u32 size;
	__u32 flags;
	__u32 bar;
	__u32 access;
	__aligned_u64 length;
	__aligned_u64 mmap_offset;
};

/**
 * struct roc_reg - ioctl(ROC_REG_READ, ROC_REG_WRITE, ROC_REG_MODIFY): Access one 32-bit register
 * @size: sizeof(struct roc_reg)
 * @flags: must be 0
 * @bar: BAR number
 * @offset: byte offset, a multiple of 4
 * @value: READ: out; WRITE: in; MODIFY: in: new bits, out: the value written
 * @mask: MODIFY: bits to change (not 0); otherwise must be 0
 * @old: MODIFY: out: the value before; otherwise must be 0 on entry and remains 0
 * @reserved: must be 0
 *
 * MODIFY reads the register, replaces the bits of @mask by those of @value and writes the result,
 * under one lock per card. Two processes, or the two endpoints of a card, therefore cannot lose
 * each other's bits.
 * Errors: ENOENT if there is no such BAR; EINVAL if @offset is not a multiple of 4; ERANGE if
 * @offset is beyond the BAR, or @value has bits outside @mask; EBUSY if running channels use the
 * bit (run enable), or the register is protected and a channel of the card runs; EIO if the card
 * reads as all ones.
 *
 * EPERM if the caller lacks CAP_SYS_RAWIO or the kernel is under lockdown, and the access is one of
 * these: a write that can make the card write to any address, replaces its firmware, or changes
 * content that survives a power cycle; a read that returns a bus address, or whose side effect
 * removes the data read.
 */
struct roc_reg {
	__u32 size;
	__u32 flags;
	__u32 bar;
	__u32 offset;
	__u32 value;
	__u32 mask;
	__u32 old;
	__u32 reserved;
};

/**
 * struct roc_card_lock - ioctl(ROC_CARD_LOCK, ROC_CARD_UNLOCK): Lock the card for one configurator
 * @size: sizeof(struct roc_card_lock)
 * @flags: must be 0
 * @owner: out, also with an error except EINTR: PID of the process that took the lock; 0 if it is
 *	free, or if the process has ended and left the descriptor to another; must be 0 on entry
 * @reserved: must be 0
 * @deadline: LOCK: CLOCK_MONOTONIC ns until which to wait, 0 to not wait; UNLOCK: must be 0
 *
 * The lock is exclusive and advisory, and covers all endpoints of a card. It belongs to the open
 * file; the last close releases it. Single register accesses neither need nor respect it. Callers
 * hold it across sequences, such as a configuration or an I2C transaction.
 * Errors of LOCK: EBUSY if another open file holds the lock (after @deadline, if there was one);
 * EDEADLK if this file already holds it; EINTR if a signal handler ran. Errors of UNLOCK: EPERM if
 * this file does not hold it.
 */
struct roc_card_lock {
	__u32 size;
	__u32 flags;
	__s32 owner;
	__u32 reserved;
	__aligned_u64 deadline;
};

/**
 * enum roc_ch_state - State of a channel
 * @ROC_CH_STOPPED: no superpage is in the card
 * @ROC_CH_RUNNING: started
 * @ROC_CH_FAILED: the card violated the protocol, or the machine was suspended; &roc_ch_info.reason
 *	has the reason. The channel is stopped and quiesced, and all superpages were returned; a new
 *	start recovers it
 * @ROC_CH_GONE: the card was removed
 */
enum roc_ch_state {
	ROC_CH_STOPPED = 0,
	ROC_CH_RUNNING = 1,
	ROC_CH_FAILED = 2,
	ROC_CH_GONE = 3,
};

/**
 * enum roc_source - Data source of a run
 * @ROC_SOURCE_INTERNAL: generator in the DMA engine, counter pattern without headers
 * @ROC_SOURCE_DDG: detector data generator, RDH and counter payload
 * @ROC_SOURCE_FEE: front-end electronics
 * @ROC_SOURCE_DIU: generator of the card, looped back at the card's end of the link (C-RORC)
 * @ROC_SOURCE_SIU: generator of the card, looped back at the far end of the link (C-RORC)
 */
enum roc_source {
	ROC_SOURCE_INTERNAL = 0,
	ROC_SOURCE_DDG = 1,
	ROC_SOURCE_FEE = 2,
	ROC_SOURCE_DIU = 3,
	ROC_SOURCE_SIU = 4,
};

/**
 * enum roc_mode - Method of detecting finished superpages
 * @ROC_MODE_TIMER: the kernel polls with an adaptive period
 * @ROC_MODE_BUSY: the reader polls with ROC_CH_KICK and ROC_KICK_POLL
 * @ROC_MODE_EVENT: the card signals by an interrupt; needs ROC_CAP_EVENTS
 *
 * A card with ROC_CAP_EVENTS writes records into host memory in every mode. The modes then differ
 * only in which side polls the records, and none of them reads a register.
 */
enum roc_mode {
	ROC_MODE_TIMER = 0,
	ROC_MODE_BUSY = 1,
	ROC_MODE_EVENT = 2,
};

#define ROC_GAPS 16

/**
 * struct roc_ch_info - ioctl(ROC_CH_INFO): Read state and counters of a channel
 * @size: sizeof(struct roc_ch_info)
 * @flags: must be 0
 * @minor: N of /dev/rocNchM
 * @channel: M of /dev/rocNchM
 * @state: enum roc_ch_state
 * @reason: enum roc_reason of the last failure
 * @why: deprecated name of @reason
 * @source: enum roc_source configured
 * @mode: enum roc_mode configured
 * @links: links in use (one bit per slot) of the run, or of the next start
 * @in_flight: superpages in the card now
 * @capacity: superpages that the card's FIFOs hold with @links
 * @reserved: zero
 * @pushed: superpages pushed to the card since open
 * @completed: superpages filled or partly filled since open
 * @bytes: bytes received since open
 * @reclaimed: superpages returned unfilled at stop since open
 * @refused: fill entries rejected since open
 * @dropped: packets that the card dropped for lack of superpages. This 32-bit counter of the card
 *	wraps, and restarts when the card's run enable is set. If the card does not answer, it has
 *	the last value read
 * @fifo_empty: times that the card found a link's FIFO empty in this run, a 32-bit sum that wraps;
 *	the channel's fifo_empty in sysfs continues over wraps and runs
 * @polls: polls for finished superpages since open
 * @looks: deprecated name of @polls
 * @mmio_reads: register reads on the data path since open
 * @mmio_writes: register writes on the data path since open
 * @bad_index: ring indices from user space that were out of range since open; each value counts
 *	once
 * @retries: pushes repeated since open because the card had not accepted them
 * @gaps: histogram, since open, of the time for which the card had space between finishing a
 *	superpage and getting the next, as far as the kernel can measure it: [i] counts gaps below
 *	2^i microseconds and not below the previous bound, the last one all longer gaps
 * @turns: times that the kernel's thread woke for this channel since open
 * @interrupts: interrupts of this channel since open
 * @missed_interrupts: times that the watchdog found superpages without an interrupt for them
 * @spurious_interrupts: interrupts without new superpages
 */
struct roc_ch_info {
	__u32 size;
	__u32 flags;
	__u32 minor;
	__u32 channel;
	__u32 state;
	union {
		__u32 reason, why;
	};
	__u32 source;
	__u32 mode;
	__u32 links;
	__u32 in_flight;
	__u32 capacity;
	__u32 reserved;
	__aligned_u64 pushed;
	__aligned_u64 completed;
	__aligned_u64 bytes;
	__aligned_u64 reclaimed;
	__aligned_u64 refused;
	__aligned_u64 dropped;
	__aligned_u64 fifo_empty;
	union {
		__aligned_u64 polls, looks;
	};
	__aligned_u64 mmio_reads;
	__aligned_u64 mmio_writes;
	__aligned_u64 bad_index;
	__aligned_u64 retries;
	__aligned_u64 gaps[ROC_GAPS];
	__aligned_u64 turns;
	__aligned_u64 interrupts;
	__aligned_u64 missed_interrupts;
	__aligned_u64 spurious_interrupts;
};

/**
 * struct roc_ch_losses - ioctl(ROC_CH_LOSSES): Count damaged, short and lost superpages
 * @size: sizeof(struct roc_ch_losses)
 * @flags: must be 0
 * @damaged: superpages since open that came back with ROC_READY_DAMAGED
 * @short_: superpages since open that came back with ROC_READY_SHORT
 * @lost: superpages since open that the card held when a run failed, and that came back with
 *	ROC_READY_RECLAIMED: any data that the card wrote into them is lost
 *
 * The ioctl has no errors of its own.
 */
struct roc_ch_losses {
	__u32 size;
	__u32 flags;
	__aligned_u64 damaged;
	__aligned_u64 short_;
	__aligned_u64 lost;
};

/**
 * struct roc_fill - Entry of the fill ring: a free superpage
 * @buffer: handle from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @length: bytes; a multiple of superpage_align, at most superpage_max
 * @offset: byte offset inside the buffer, a multiple of 4
 * @cookie: comes back with the superpage; the kernel does not interpret it
 * @reserved: must be 0
 *
 * Until the superpage comes back the reader must neither read nor write its content. The kernel may
 * write sentinel values into it to detect DMA progress. Memory that the card did not write has its
 * old content when the superpage comes back. Every entry that the kernel accepted comes back
 * exactly once in the ready ring.
 */
struct roc_fill {
	__u32 buffer;
	__u32 length;
	__aligned_u64 offset;
	__aligned_u64 cookie;
	__aligned_u64 reserved;
};

/**
 * enum roc_ready_flags - Status of the superpage of a ready entry
 * @ROC_READY_FILLED: the card wrote &roc_ready.received bytes
 * @ROC_READY_RECLAIMED: returned unused at stop; received is 0
 * @ROC_READY_REFUSED: the driver did not give it to the card, or the card did not accept it;
 *	&roc_ready.reason has the reason
 * @ROC_READY_DAMAGED: with FILLED: the card reports that the content is damaged or incomplete
 * @ROC_READY_SHORT: with FILLED: the card reports fewer bytes than the superpage has, without a
 *	reason (cards with ROC_CAP_EVENTS), or no bytes at all (other cards)
 */
enum roc_ready_flags {
	ROC_READY_FILLED = 1 << 0,
	ROC_READY_RECLAIMED = 1 << 1,
	ROC_READY_REFUSED = 1 << 2,
	ROC_READY_DAMAGED = 1 << 3,
	ROC_READY_SHORT = 1 << 4,
};

/**
 * struct roc_ready - Entry of the ready ring: a superpage that came back
 * @cookie: of the fill entry
 * @offset: of the fill entry
 * @time: CLOCK_MONOTONIC ns at which the kernel detected it
 * @sequence: number of this entry since open, from 0
 * @buffer: of the fill entry
 * @length: of the fill entry
 * @received: bytes the card wrote, contiguous from @offset
 * @link: link slot that filled it, or at which it was queued; -1 if the driver rejected it, so that
 *	it never reached the card
 * @flags: bits of enum roc_ready_flags
 * @reason: enum roc_reason
 * @why: deprecated name of @reason
 * @run: number of the start since open, from 1; no entry of run n carries n + 1
 * @reserved: zero
 */
struct roc_ready {
	__aligned_u64 cookie;
	__aligned_u64 offset;
	__aligned_u64 time;
	__aligned_u64 sequence;
	__u32 buffer;
	__u32 length;
	__u32 received;
	__s32 link;
	__u32 flags;
	union {
		__u32 reason, why;
	};
	__u32 run;
	__u32 reserved;
};

/**
 * struct roc_ring_user - First page of the user area: members that the reader writes
 * @fill_prod: free-running count of entries put into the fill ring
 * @pad0: keeps the two indices on separate cache lines (and the prefetcher's next one)
 * @ready_cons: free-running count of entries taken from the ready ring
 * @pad1: rest of the line pair
 *
 * The page is mapped read-write. The fill entries follow at &roc_ch_rings.fill_entries_offset.
 */
struct roc_ring_user {
	__u32 fill_prod;
	__u32 pad0[31];
	__u32 ready_cons;
	__u32 pad1[31];
};

/**
 * enum roc_ring_flags - Flags in &roc_ring_kernel.flags
 * @ROC_RING_NEED_KICK: the kernel sleeps and may not see new fill entries in time: call ROC_CH_KICK
 *	after adding entries
 * @ROC_RING_STOPPED: the channel is not running; no more data arrives
 * @ROC_RING_GONE: the card was removed or reset; close the fd
 */
enum roc_ring_flags {
	ROC_RING_NEED_KICK = 1 << 0,
	ROC_RING_STOPPED = 1 << 1,
	ROC_RING_GONE = 1 << 2,
};

/**
 * struct roc_ring_kernel - First page of the kernel area: members that the kernel writes
 * @fill_cons: free-running count of entries taken from the fill ring
 * @pad0: separate cache lines
 * @ready_prod: free-running count of entries put into the ready ring
 * @pad1: separate cache lines
 * @flags: bits of enum roc_ring_flags
 * @pad2: rest of the line pair
 *
 * The page is mapped read-only and cannot be made writable. The ready entries follow at
 * &roc_ch_rings.ready_entries_offset.
 */
struct roc_ring_kernel {
	__u32 fill_cons;
	__u32 pad0[31];
	__u32 ready_prod;
	__u32 pad1[31];
	__u32 flags;
	__u32 pad2[31];
};

#define ROC_RING_MIN 16
#define ROC_RING_MAX 65536
#define ROC_RING_DEFAULT 4096

/**
 * struct roc_ch_rings - ioctl(ROC_CH_RINGS): Create the two rings, once per open
 * @size: sizeof(struct roc_ch_rings)
 * @flags: must be 0
 * @fill_entries: in: power of two, ROC_RING_MIN..ROC_RING_MAX, 0 for ROC_RING_DEFAULT; out: used
 * @ready_entries: the same for the ready ring
 * @user_offset: out: mmap offset of the user area (PROT_READ | PROT_WRITE, MAP_SHARED)
 * @user_length: out: length of the user area; map exactly this
 * @kernel_offset: out: mmap offset of the kernel area (PROT_READ, MAP_SHARED)
 * @kernel_length: out: length of the kernel area; map exactly this
 * @fill_entries_offset: out: where the fill entries start inside the user area
 * @ready_entries_offset: out: where the ready entries start inside the kernel area
 *
 * The driver reserves space in the ready ring before it takes a superpage from the fill ring, so
 * that the ready ring cannot overflow. The rings are charged to the memory cgroup of the process
 * that opened the channel. Only this process can create them (see &struct roc_buf_register).
 * Errors: EBUSY if the rings already exist; EPERM if the caller is not the process that opened the
 * channel.
 */
struct roc_ch_rings {
	__u32 size;
	__u32 flags;
	__u32 fill_entries;
	__u32 ready_entries;
	__aligned_u64 user_offset;
	__aligned_u64 user_length;
	__aligned_u64 kernel_offset;
	__aligned_u64 kernel_length;
	__u32 fill_entries_offset;
	__u32 ready_entries_offset;
};

/**
 * enum roc_configure_flags - Flags in &roc_ch_configure.flags
 * @ROC_CONFIGURE_STBRD: open the front-end with "start block read" instead of "ready to receive";
 *	for ROC_SOURCE_FEE on a card with ROC_CAP_DDL
 * @ROC_CONFIGURE_PLAIN: use a card with ROC_CAP_EVENTS as one without: push registers and counters.
 *	Not allowed with ROC_MODE_EVENT
 */
enum roc_configure_flags {
	ROC_CONFIGURE_STBRD = 1 << 0,
	ROC_CONFIGURE_PLAIN = 1 << 1,
};

/**
 * struct roc_ch_configure - ioctl(ROC_CH_CONFIGURE): Configure the next start
 * @size: sizeof(struct roc_ch_configure)
 * @flags: bits of enum roc_configure_flags
 * @source: enum roc_source
 * @mode: enum roc_mode
 * @links: one bit per link slot, a subset of the links enabled in the card; 0 for all of these
 * @page_size: DMA page size, 0 or the card's &roc_ep_info.page_size
 *
 * The defaults without this call are ROC_SOURCE_INTERNAL, ROC_MODE_TIMER and all enabled links.
 * Errors: EBUSY if the channel runs; EOPNOTSUPP if the card does not support the source, mode or
 * page size; ENOLINK if a link is not enabled in the card.
 */
struct roc_ch_configure {
	__u32 size;
	__u32 flags;
	__u32 source;
	__u32 mode;
	__u32 links;
	__u32 page_size;
};

/**
 * struct roc_ch_mode - ioctl(ROC_CH_MODE): Change the method of detecting finished superpages
 * @size: sizeof(struct roc_ch_mode)
 * @flags: must be 0
 * @mode: enum roc_mode
 * @reserved: must be 0
 *
 * The call sets the mode of ROC_CH_CONFIGURE, also while the channel runs.
 * Errors: EOPNOTSUPP if the card has no events.
 */
struct roc_ch_mode {
	__u32 size;
	__u32 flags;
	__u32 mode;
	__u32 reserved;
};

/**
 * enum roc_reset_level - Extent of ROC_CH_RESET
 * @ROC_RESET_NOTHING: nothing
 * @ROC_RESET_INTERNAL: the card's DMA block
 * @ROC_RESET_INTERNAL_SIU: also the far end of the link (C-RORC)
 */
enum roc_reset_level {
	ROC_RESET_NOTHING = 0,
	ROC_RESET_INTERNAL = 1,
	ROC_RESET_INTERNAL_SIU = 2,
};

/**
 * struct roc_ch_control - ioctl(ROC_CH_START, ROC_CH_STOP, ROC_CH_RESET, ROC_CH_KICK)
 * @size: sizeof(struct roc_ch_control)
 * @flags: KICK: bits of enum roc_kick_flags; otherwise must be 0
 * @level: RESET: enum roc_reset_level; otherwise must be 0
 * @count: STOP: out: superpages returned unfilled. KICK with ROC_KICK_POLL: out: superpages found
 *	ready. Must be 0 on entry
 *
 * START resets the card's DMA block and starts it. The call sleeps for the card's documented waits
 * (CRU 210 ms, C-RORC 100 ms). Superpages that are already in the fill ring are pushed at once.
 *
 * STOP flushes, waits for the superpages that the flush closes, resets the DMA block, and returns
 * every superpage that the card held. Entries still in the fill ring remain there. After a return
 * of 0 the card no longer writes.
 * Errors of START: EBUSY if the channel runs; ENOLINK if no links are enabled in the card, or the
 * link is down; EPIPE if there are no rings; EIO if the card does not answer, cannot be quiesced,
 * does not complete its reset, refuses its setup, or does not accept a superpage; ETIME if the far
 * end of the link does not answer; EAGAIN if the machine is being suspended.
 * Errors of STOP: EALREADY if the channel is not running and is quiesced; EIO in two cases. If the
 * card violated the protocol or does not answer, the channel is FAILED. If the card could not be
 * stopped, the channel is STOPPED, and the card may still write into the returned superpages until
 * a start succeeds or the card is reset. If the run ended by itself, or its STOP failed, another
 * STOP checks the card again and returns EIO until the card is quiesced.
 * Errors of RESET: EBUSY if the channel runs; EOPNOTSUPP if the card does not have this level;
 * ENOLINK, ETIME as for START.
 * Errors of KICK: EPIPE if there are no rings; EALREADY with POLL if the channel is not running.
 */
struct roc_ch_control {
	__u32 size;
	__u32 flags;
	__u32 level;
	__u32 count;
};

/**
 * enum roc_kick_flags - Flags of ROC_CH_KICK
 * @ROC_KICK_POLL: poll the card now, in this call (busy mode; allowed in every mode). Without it
 *	the call wakes the kernel's thread
 * @ROC_KICK_LOOK: deprecated name of ROC_KICK_POLL
 */
enum roc_kick_flags {
	ROC_KICK_POLL = 1 << 0,
	ROC_KICK_LOOK = ROC_KICK_POLL,
};

/**
 * struct roc_ch_wait - ioctl(ROC_CH_WAIT): Sleep until superpages are ready
 * @size: sizeof(struct roc_ch_wait)
 * @flags: must be 0
 * @min_ready: return when that many entries are in the ready ring (1 .. ready_entries)
 * @ready: out: entries in the ready ring
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that the call can restart after a
 *	signal
 *
 * The call also returns when the channel is not running or stops. The kernel counts the entries in
 * the ring from the reader's &roc_ring_user.ready_cons.
 * Errors: ETIME if the deadline passed (@ready is valid); EINTR if a signal handler ran, while
 * signals without a handler do not end the wait; EPIPE if there are no rings.
 */
struct roc_ch_wait {
	__u32 size;
	__u32 flags;
	__u32 min_ready;
	__u32 ready;
	__aligned_u64 deadline;
};

/**
 * struct roc_ch_eventfd - ioctl(ROC_CH_EVENTFD): Signal an eventfd on events of the channel
 * @size: sizeof(struct roc_ch_eventfd)
 * @flags: must be 0
 * @fd: eventfd, or -1 to remove
 * @reserved: must be 0
 *
 * The driver signals when superpages become ready, and when the channel stops, fails or loses its
 * card. It signals at once, when the eventfd is set, if superpages are already ready or the channel
 * has already failed. The count of the eventfd has no meaning: check the ready ring and the flags
 * of the ring.
 * Errors: EBADF if @fd is not open; EINVAL if it is not an eventfd.
 */
struct roc_ch_eventfd {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 reserved;
};

#define ROC_COMMAND_REPLIES 4

/**
 * struct roc_ch_command - ioctl(ROC_CH_COMMAND): Send one command over the detector data link
 * @size: sizeof(struct roc_ch_command)
 * @flags: must be 0
 * @command: command word as defined by the protocol of the link
 * @count: in: reply words to wait for, 0..ROC_COMMAND_REPLIES; out: words received
 * @reply: out: the reply words; must be 0 on entry
 *
 * The driver first discards words that wait from an earlier command. The timeout of each reply is
 * the card's documented 100 ms.
 * Errors: EOPNOTSUPP if the card has no such link (no ROC_CAP_DDL); EBUSY if the channel runs;
 * ENOLINK if the link is down and the command addresses its far end; ETIME if a reply did not
 * arrive, where @count and @reply have those that did; EIO if the card does not answer.
 */
struct roc_ch_command {
	__u32 size;
	__u32 flags;
	__u32 command;
	__u32 count;
	__u32 reply[ROC_COMMAND_REPLIES];
};

/**
 * struct roc_buf_register - ioctl(ROC_BUF_REGISTER): Pin and map user memory for this channel
 * @size: sizeof(struct roc_buf_register)
 * @flags: must be 0
 * @addr: start address, page aligned
 * @length: bytes, a multiple of the page size
 * @granule: size of the superpages to be used, 0 for superpage_align: every piece of this size
 *	(counted from the start of the buffer) must be contiguous for the card
 * @handle: out: for &roc_fill.buffer; must be 0 on entry
 * @extents: out: number of contiguous pieces as the card sees them; must be 0 on entry
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @limit: out, also with an error: the value of the limit that @reason names; must be 0 on entry
 * @pinned: out, also with an error: when @reason is MEMLOCK, bytes that already count against that
 *	limit; must be 0 on entry. Not in the structure as first published (48 bytes)
 *
 * The memory remains pinned until it is unregistered or the fd is closed, independently of the
 * mapping of the process. It counts against RLIMIT_MEMLOCK of the process that opened the channel.
 * Only that address space can register memory or export it (ROC_BUF_EXPORT). Its threads can. A
 * child of fork() with the inherited fd, a process that got the fd over a socket, and the process
 * after exec() cannot (EPERM).
 *
 * While the opener has the channel, a child may start, stop, wait and unregister. It must map the
 * rings itself, because mappings are not inherited.
 *
 * The same memory may be registered several times, with this and with other channels, and then
 * counts several times. (A kernel with CONFIG_DMA_API_DEBUG can count seven mappings of a page. It
 * logs this once and stops checking that page. There is no other effect.)
 * Errors: EPERM (reason OWNER); EINVAL if the alignment is invalid or the granule is not a multiple
 * of superpage_align; EOVERFLOW if the range exceeds the address space; EFAULT (reason PIN); ENOMEM
 * (reason MEMLOCK, or no memory if reason is 0); EOPNOTSUPP (reason CONTIGUITY, DMA_MASK, BOUNCE);
 * ENOSPC if there are too many buffers; EBUSY if the channel runs.
 */
struct roc_buf_register {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 granule;
	__u32 handle;
	__u32 extents;
	union {
		__u32 reason, why;
	};
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * struct roc_buf_unregister - ioctl(ROC_BUF_UNREGISTER): Unmap and unpin a buffer
 * @size: sizeof(struct roc_buf_unregister)
 * @flags: must be 0
 * @handle: from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @reserved: must be 0
 *
 * Errors: ENOENT if there is no such buffer; EBUSY if the channel runs.
 */
struct roc_buf_unregister {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/* Buffers and rings as dma-bufs. */

/**
 * enum roc_export_flags - Flags in &roc_buf_export.flags
 * @ROC_EXPORT_CLOEXEC: exec() closes the new descriptor
 * @ROC_EXPORT_WRITE: the dma-buf may also be mapped with PROT_WRITE. (The flag does not restrict
 *	devices: any owner of the descriptor can have the memory mapped for a device that writes)
 */
enum roc_export_flags {
	ROC_EXPORT_CLOEXEC = 1 << 0,
	ROC_EXPORT_WRITE = 1 << 1,
};

/**
 * struct roc_buf_export - ioctl(ROC_BUF_EXPORT): Export a registered buffer, or a ring, as a
 *	dma-buf
 * @size: sizeof(struct roc_buf_export)
 * @flags: bits of enum roc_export_flags
 * @handle: from ROC_BUF_REGISTER; 0 for the ring of a stream, once ROC_ST_RING has created it
 * @fd: out: descriptor of a dma-buf with the length of the buffer, or of the ring without its
 *	second mapping; must be 0 on entry
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @reserved: must be 0
 * @limit: out, also with an error: when @reason is MEMLOCK, RLIMIT_MEMLOCK; must be 0 on entry
 * @pinned: out, also with an error: when @reason is MEMLOCK, bytes of this user that already count
 *	against it; must be 0 on entry
 *
 * Other devices import the dma-buf and see the data that the card writes. So do processes that map
 * it (MAP_SHARED, up to its length). The channel may be running. Only the ready ring, or a stream's
 * positions, report which data is ready: there are no fences. Use DMA_BUF_IOCTL_SYNC around
 * accesses of the CPU if another device writes.
 *
 * The dma-buf keeps the memory pinned after the buffer is unregistered and the channel is closed,
 * until the last descriptor, mapping and importer are released. When the card is removed or reset,
 * the driver revokes it and notifies importers that support this (move_notify). Then attach, map,
 * mmap and the begin of a CPU access fail with ENODEV. Existing mappings still show the memory. An
 * importer whose DMA the kernel would bounce (swiotlb) cannot map the dma-buf (EBUSY), because
 * stale copies would overwrite data of the card.
 *
 * Exported memory also counts against RLIMIT_MEMLOCK of the user, once for any number of exports,
 * as long as there is a dma-buf of it. That may outlive the process.
 * Errors: ENOENT if there is no such buffer; EPERM (reason OWNER) if the caller is not the process
 * that opened the channel; EACCES if the channel's descriptor is not open for writing; EPIPE if the
 * stream has no ring yet; EOPNOTSUPP if the buffer was imported (share the original descriptor
 * instead) or the kernel has no dma-bufs; ENOMEM (reason MEMLOCK, or no memory if reason is 0);
 * EMFILE if too many files are open.
 */
struct roc_buf_export {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__s32 fd;
	union {
		__u32 reason, why;
	};
	__u32 reserved;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * struct roc_buf_import - ioctl(ROC_BUF_IMPORT): Map a dma-buf for this channel
 * @size: sizeof(struct roc_buf_import)
 * @flags: must be 0
 * @fd: descriptor of a dma-buf, open for writing
 * @granule: as &roc_buf_register.granule, counted from @offset
 * @offset: where the buffer begins in the dma-buf, a multiple of the page size
 * @length: bytes, a multiple of the page size, 0 for all from @offset on; out: used
 * @handle: out: for &roc_fill.buffer; must be 0 on entry
 * @extents: out: number of contiguous pieces as the card sees them; must be 0 on entry
 * @reason: out, also with an error: enum roc_reason; must be 0 on entry
 * @why: deprecated name of @reason
 * @error: out, with an error: errno that the exporter returned, 0 if the error is not the
 *	exporter's; must be 0 on entry
 * @limit: out, also with an error: as &roc_buf_register.limit; must be 0 on entry
 *
 * The card writes into memory of another exporter: of another driver, of udmabuf (a memfd), or of a
 * peer device if its driver and the kernel find a path. The driver pins the dma-buf in place and
 * keeps the exporter's memory. It releases both after the buffer is unregistered or the descriptor
 * of the channel is closed, and after it has verified that the card is quiesced. ROC_BUF_UNREGISTER
 * removes it. The caller may close @fd at once.
 *
 * The memory counts against the limits of the exporter, not of the caller. If an exporter still
 * moves its memory, as that of a GPU does, the driver waits for it. After five seconds the call
 * fails, with ETIMEDOUT in @error.
 *
 * The kernel does not read such a buffer. The driver therefore polls the registers of a card
 * without a completion block or records in host memory (CRU without ROC_CAP_EVENTS) more often. The
 * CPU reads the buffer through a mapping of @fd, with DMA_BUF_IOCTL_SYNC where its exporter
 * requires it.
 * Errors: EBADF if @fd is not open; EINVAL if it is not a dma-buf, the alignment is invalid, or the
 * granule is not a multiple of superpage_align; EACCES if @fd is not open for writing; ERANGE if
 * the range is outside the dma-buf; EOPNOTSUPP (reason PEER, NO_P2P, EXPORTER, CONTIGUITY,
 * DMA_MASK, BOUNCE; or the kernel has no dma-bufs if reason is 0); ENOMEM; ENOSPC if there are too
 * many buffers; EBUSY if the channel runs; EINTR if a signal interrupted the call.
 */
struct roc_buf_import {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 granule;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 handle;
	__u32 extents;
	union {
		__u32 reason, why;
	};
	__u32 error;
	__aligned_u64 limit;
};

#include "roc_fragment.h"
#include "roc_reason.h"
#include "roc_stream.h"

#endif /* _UAPI_LINUX_ROC_H */
