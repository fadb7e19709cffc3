/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * User ABI of the roc driver: readout cards of physics experiments.
 *
 * Two kinds of device node. /dev/rocN is an *endpoint* (one PCI function): any number of
 * openers, information, registers, BAR mappings. /dev/rocNchM is a DMA *channel*: one opener,
 * start and stop. What else a channel has is its *kind*: a pool (buffers of the reader's, two rings
 * in shared memory) or, on an endpoint with ROC_CAP_STREAMS, a stream (one ring of the driver's):
 * roc_stream.h; or, with ROC_CAP_FRAGMENTS, a sub-unit that keeps its fragments until it is asked
 * for them: roc_fragment.h.
 *
 * A channel belongs to the process that opened it (more exactly, to its table of descriptors). When
 * that process closes its last descriptor of the open file, or ends, the driver stops the card,
 * unpins all buffers and frees the channel for the next opener before the close() returns. Copies
 * that others have (a child of fork(), a receiver of SCM_RIGHTS, a fixed file of io_uring) and
 * mappings do not keep the channel: calls through such a copy then fail with ENODEV. exec() closes
 * a descriptor with O_CLOEXEC; one without it goes on, and keeps the channel, in the new program.
 * Mappings are not inherited by fork(). MADV_DOFORK is refused for a doorbell only: a child that
 * has another mapping reaches the pages of this open file, never those of the next opener.
 *
 * As long as a channel is open it is changed through its own node only. On /dev/rocN whatever
 * resets it, or sets what the driver keeps of its settings, fails with EBUSY. Counters may be
 * reset, and what a card has in a BAR that users may write is slow control's: see security.md.
 *
 * General ioctl format. Every structure starts with @size, the size of the structure as the
 * caller was compiled with, then @flags. A structure that grows keeps its number for ever, and any
 * size from the first published one on is taken: members that the caller does not have are 0 and
 * are not written, bytes that the kernel does not know must be 0 and are not written either.
 *
 *   ENOTTY      this ioctl number does not exist (here)
 *   E2BIG       the caller set bytes that this kernel does not know
 *   EOPNOTSUPP  known field or flag, unsupported value or combination on this card
 *   EINVAL      plainly wrong: @size below the first published, unknown flag, non-zero reserved
 *               field, bad alignment
 *   ENOENT      no such handle
 *   ENODEV      the card is gone or was reset, or the process that opened the channel has closed
 *               it; close the fd and open it again
 *   EFAULT      a pointer cannot be read or written. Nothing has happened, unless the memory was
 *               taken away while the call ran; even then no lock is held, no buffer registered and
 *               no ring made
 *
 * Further errors are listed with each structure. All times are nanoseconds of CLOCK_MONOTONIC,
 * all sizes and offsets bytes. No kernel pointer, physical or bus address is ever handed out.
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
 * enum roc_card_type - what kind of card an endpoint belongs to
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
 * enum roc_caps - what an endpoint can do, bits of &roc_ep_info.caps
 * @ROC_CAP_TEMPERATURE: the card has a temperature sensor
 * @ROC_CAP_LINK_FIFOS: one descriptor FIFO per link (else one per channel)
 * @ROC_CAP_PARTIAL: superpages may come back partly filled
 * @ROC_CAP_GENERATOR: internal data generator
 * @ROC_CAP_DDG: detector data generator behind the datapath
 * @ROC_CAP_EVENTS: completion records in host memory and interrupts
 * @ROC_CAP_IOMMU: DMA goes through a translating IOMMU: any user memory may be registered
 * @ROC_CAP_DDL: channels have a detector data link that takes commands: ROC_CH_COMMAND
 * @ROC_CAP_STREAMS: channels are streams: the ioctls ROC_ST_*, and of the others ROC_CH_RESET,
 *	ROC_CH_EVENTFD and ROC_BUF_EXPORT (of the ring; memory of others is EOPNOTSUPP)
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
 * struct roc_ep_info - ioctl(ROC_EP_INFO): what this endpoint is
 * @size: sizeof(struct roc_ep_info)
 * @flags: must be 0
 * @card_type: enum roc_card_type
 * @minor: N of /dev/rocN
 * @serial: card serial number, -1 if the card does not know it
 * @endpoint: number of this endpoint on its card, -1 if the card does not know it
 * @numa_node: NUMA node of the slot, -1 if unknown
 * @channels: number of DMA channels, nodes /dev/rocNch0 ...
 * @link_slots: number of link slots of a channel
 * @fifo_depth: superpage descriptors that one link FIFO holds
 * @superpage_align: a superpage's length must be a multiple of this
 * @superpage_max: largest superpage
 * @page_size: largest DMA page (packet) that the card writes
 * @features: raw firmware feature word of the card
 * @chip_id: FPGA chip identity, high word shifted left by 32; 0 if unknown
 * @caps: bits of enum roc_caps
 * @vendor: PCI vendor id
 * @device: PCI device id
 * @reserved: zero
 * @pci_address: "dddd:bb:dd.f", NUL terminated
 * @firmware: firmware version: git hash, lower-case hex without leading zeros, of a PCIe40 and a
 *	RobinNP eight digits
 * @user_logic: user-logic version, same form; empty if the card has none
 *
 * No error of its own.
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
 * enum roc_bar_flags - what this caller may do with a BAR
 * @ROC_BAR_MMAP_READ: may be mapped with PROT_READ
 * @ROC_BAR_MMAP_WRITE: may be mapped with PROT_WRITE too; stores to pages that hold a protected
 *	register raise SIGBUS
 * @ROC_BAR_REG_WRITE: every register that is not protected may be written through the register
 *	ioctls; without this bit only those on the card's allow-list
 *
 * A protected register replaces the card's firmware or changes what outlasts the power: see
 * Documentation/security.md. The ioctls write it for a caller with CAP_SYS_RAWIO while no channel
 * of the card runs. No caller maps its page for writing.
 */
enum roc_bar_flags {
	ROC_BAR_MMAP_READ = 1 << 0,
	ROC_BAR_MMAP_WRITE = 1 << 1,
	ROC_BAR_REG_WRITE = 1 << 2,
};

/**
 * struct roc_bar_info - ioctl(ROC_BAR_INFO): size, policy and mmap offset of a BAR
 * @size: sizeof(struct roc_bar_info)
 * @flags: must be 0
 * @bar: in: BAR number 0..5
 * @access: out: bits of enum roc_bar_flags, for this caller
 * @length: out: length in bytes
 * @mmap_offset: out: offset for mmap() of this fd; map [0, @length) or page-aligned parts
 *
 * A mapping is revoked when the card goes: touching it then raises SIGBUS. mmap() with PROT_WRITE
 * of pages that all hold protected registers fails with EPERM.
 * Errors: ENOENT the card has no such BAR.
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
 * struct roc_reg - ioctl(ROC_REG_READ, ROC_REG_WRITE, ROC_REG_MODIFY): one 32-bit register
 * @size: sizeof(struct roc_reg)
 * @flags: must be 0
 * @bar: BAR number
 * @offset: byte offset, a multiple of 4
 * @value: READ out; WRITE in; MODIFY in: wanted bits, out: the word written
 * @mask: MODIFY: bits to change (not 0); else must be 0
 * @old: MODIFY out: the word found before; else must be 0 on entry and stays 0
 * @reserved: must be 0
 *
 * MODIFY reads, replaces the bits of @mask by those of @value and writes, under one lock per
 * card: two processes, or the two endpoints of a card, cannot lose each other's bits.
 *
 * Errors: ENOENT no such BAR; EINVAL @offset not a multiple of 4; ERANGE @offset beyond the
 * BAR, or @value has bits outside @mask; EPERM a protected register, needs CAP_SYS_RAWIO
 * and a kernel that is not under lockdown: to write what can make the card write anywhere, replaces
 * its firmware or outlasts the power, to read what tells a bus address or is taken away by the
 * read; EBUSY the bit is in use by running channels (run enable), or a protected register and a
 * channel of the card runs; EIO the card answers all ones.
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
 * struct roc_card_lock - ioctl(ROC_CARD_LOCK, ROC_CARD_UNLOCK): one configurator per card
 * @size: sizeof(struct roc_card_lock)
 * @flags: must be 0
 * @owner: out, also with an error but EINTR: PID of the process that took the lock; 0 if it is
 *	free, or if the process has ended and left the descriptor to another; must be 0 on entry
 * @reserved: must be 0
 * @deadline: LOCK: CLOCK_MONOTONIC ns until which to wait, 0 = do not wait; UNLOCK: must be 0
 *
 * Exclusive, advisory, one for all endpoints of a card. It belongs to the open file and goes
 * with its last close. Single register accesses neither need nor respect it: it is for
 * sequences, such as a configuration or an I2C transaction.
 * Errors: LOCK: EBUSY somebody has it (and @deadline passed, if there was one); EDEADLK this
 * file has it already; EINTR a signal handler ran. UNLOCK: EPERM this file does not have it.
 */
struct roc_card_lock {
	__u32 size;
	__u32 flags;
	__s32 owner;
	__u32 reserved;
	__aligned_u64 deadline;
};

/**
 * enum roc_ch_state - life of a channel
 * @ROC_CH_STOPPED: no superpage is in the card
 * @ROC_CH_RUNNING: started
 * @ROC_CH_FAILED: the card broke its contract, or the machine was suspended; &roc_ch_info.why has
 *	the reason. Stopped and quiet, all superpages were handed back; a new start recovers
 * @ROC_CH_GONE: the card was removed
 */
enum roc_ch_state {
	ROC_CH_STOPPED = 0,
	ROC_CH_RUNNING = 1,
	ROC_CH_FAILED = 2,
	ROC_CH_GONE = 3,
};

/**
 * enum roc_source - where the data of a run comes from
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
 * enum roc_mode - who looks for finished superpages
 * @ROC_MODE_TIMER: the kernel, with an adaptive period
 * @ROC_MODE_BUSY: the reader, with ROC_CH_KICK and ROC_KICK_LOOK
 * @ROC_MODE_EVENT: the card says so by an interrupt; needs ROC_CAP_EVENTS
 *
 * A card with ROC_CAP_EVENTS writes records into host memory in every mode: then the modes differ
 * only in who looks at them, and none of them reads a register.
 */
enum roc_mode {
	ROC_MODE_TIMER = 0,
	ROC_MODE_BUSY = 1,
	ROC_MODE_EVENT = 2,
};

/**
 * enum roc_why - why something was refused, came back unfilled, or failed
 * @ROC_WHY_NONE: it was not
 * @ROC_WHY_MEMLOCK: RLIMIT_MEMLOCK is lower than the memory to pin with what is pinned already;
 *	&roc_buf_register.limit has the limit in bytes
 * @ROC_WHY_CONTIGUITY: no IOMMU translates and a granule is not physically contiguous;
 *	limit has the length of the shortest extent. Use hugepages
 * @ROC_WHY_DMA_MASK: the card cannot address this memory
 * @ROC_WHY_BOUNCE: the kernel would bounce (copy) DMA, which cannot work for superpages
 * @ROC_WHY_PIN: the memory cannot be pinned (file-backed, device memory, unmapped)
 * @ROC_WHY_HANDLE: no such buffer
 * @ROC_WHY_RANGE: outside the buffer
 * @ROC_WHY_LENGTH: length zero, not a multiple of superpage_align, or above superpage_max
 * @ROC_WHY_ALIGN: offset not a multiple of 4
 * @ROC_WHY_EXTENT: the superpage crosses from one extent of the buffer into the next
 * @ROC_WHY_RESERVED: reserved field of the entry not zero
 * @ROC_WHY_STOPPED: the run ended before the card used it
 * @ROC_WHY_COUNT: the card reported more superpages than it was given
 * @ROC_WHY_SIZE: the card's size entry did not arrive or has the wrong index
 * @ROC_WHY_LOST: the card answers all ones
 * @ROC_WHY_REMOVED: the card was removed or reset by somebody else
 * @ROC_WHY_PUSH: the card did not take a superpage, although it was pushed several times, or
 *	refused its descriptor
 * @ROC_WHY_RECORD: the card's records, or a sub-unit's descriptors, are out of order, have contents
 *	that cannot be, or are not there although the card wrote later ones or counted them
 * @ROC_WHY_CARD: the card reports that it could not read descriptors, or was asked nonsense
 * @ROC_WHY_OWNER: not the process that opened the channel, but a child of it, or a program that it
 *	became
 * @ROC_WHY_POSITION: the card's write position went backwards, or is beyond the ring
 * @ROC_WHY_PEER: the dma-buf's exporter does not let the card reach its memory: that of another
 *	device, without a way between the two
 * @ROC_WHY_NO_P2P: the same, and this kernel was built without CONFIG_PCI_P2PDMA, so there is no
 *	way between any two devices
 * @ROC_WHY_EXPORTER: the dma-buf's exporter does not keep the memory in place, does not map all of
 *	it, or has taken it back (ENODEV: the device whose it was is gone or was reset)
 * @ROC_WHY_SUSPENDED: the machine was suspended or hibernated while the channel was running
 * @ROC_WHY_BYTES: the card reported more bytes in a superpage than it has room for
 * @ROC_WHY_SETUP: start: the card refused the addresses or sizes of its rings, each of three times
 * @ROC_WHY_RESET: start: the channel did not carry out its reset, or did not quiesce
 * @ROC_WHY_NEIGHBOUR: start: another channel of the function is not quiesced, so the function may
 *	not master the bus; it can be reset only when no channel of it runs
 */
enum roc_why {
	ROC_WHY_NONE = 0,
	ROC_WHY_MEMLOCK = 1,
	ROC_WHY_CONTIGUITY = 2,
	ROC_WHY_DMA_MASK = 3,
	ROC_WHY_BOUNCE = 4,
	ROC_WHY_PIN = 5,
	ROC_WHY_HANDLE = 6,
	ROC_WHY_RANGE = 7,
	ROC_WHY_LENGTH = 8,
	ROC_WHY_ALIGN = 9,
	ROC_WHY_EXTENT = 10,
	ROC_WHY_RESERVED = 11,
	ROC_WHY_STOPPED = 12,
	ROC_WHY_COUNT = 13,
	ROC_WHY_SIZE = 14,
	ROC_WHY_LOST = 15,
	ROC_WHY_REMOVED = 16,
	ROC_WHY_PUSH = 17,
	ROC_WHY_RECORD = 18,
	ROC_WHY_CARD = 19,
	ROC_WHY_OWNER = 20,
	ROC_WHY_POSITION = 21,
	ROC_WHY_PEER = 22,
	ROC_WHY_NO_P2P = 23,
	ROC_WHY_EXPORTER = 24,
	ROC_WHY_SUSPENDED = 25,
	ROC_WHY_BYTES = 26,
	ROC_WHY_SETUP = 27,
	ROC_WHY_RESET = 28,
	ROC_WHY_NEIGHBOUR = 29,
};

#define ROC_GAPS 16

/**
 * struct roc_ch_info - ioctl(ROC_CH_INFO): state and counters of a channel
 * @size: sizeof(struct roc_ch_info)
 * @flags: must be 0
 * @minor: N of /dev/rocNchM
 * @channel: M of /dev/rocNchM
 * @state: enum roc_ch_state
 * @why: enum roc_why of the last failure
 * @source: enum roc_source configured
 * @mode: enum roc_mode configured
 * @links: links in use (bit per slot): of the run, or of the next start
 * @in_flight: superpages in the card now
 * @capacity: superpages that the card's FIFOs hold with @links
 * @reserved: zero
 * @pushed: superpages given to the card since open
 * @completed: superpages filled or partly filled since open
 * @bytes: bytes received since open
 * @reclaimed: superpages handed back unfilled at stop since open
 * @refused: fill entries refused since open
 * @dropped: packets the card dropped for want of superpages, card's own counter of 32 bits: it runs
 *	over, and begins anew when the card's run enable is set; what it said last when it does not
 *	answer
 * @fifo_empty: times the card found a link's FIFO empty in this run, a sum of 32 bits that runs
 *	over; the channel's fifo_empty in sysfs goes on, over runs, too
 * @looks: passes over the card's counters since open
 * @mmio_reads: register reads on the data path since open
 * @mmio_writes: register writes on the data path since open
 * @bad_index: ring indices from user space that were out of range since open; each value counts
 *	once
 * @retries: pushes repeated since open because the card had not taken them
 * @gaps: since open, how long the card had room between finishing a superpage and getting the
 *	next, as far as the kernel can see it: [i] counts gaps below 2^i microseconds and not below
 *	the one before, the last one everything longer
 * @turns: times the kernel's thread woke for this channel since open
 * @interrupts: of this channel since open
 * @missed_interrupts: times the watchdog found superpages of which no interrupt had told
 * @spurious_interrupts: interrupts that had nothing new to tell
 */
struct roc_ch_info {
	__u32 size;
	__u32 flags;
	__u32 minor;
	__u32 channel;
	__u32 state;
	__u32 why;
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
	__aligned_u64 looks;
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
 * struct roc_ch_losses - ioctl(ROC_CH_LOSSES): superpages that are not as they should be
 * @size: sizeof(struct roc_ch_losses)
 * @flags: must be 0
 * @damaged: superpages since open that came back with ROC_READY_DAMAGED
 * @short_: superpages since open that came back with ROC_READY_SHORT
 * @lost: superpages since open that the card had when a run failed, and that came back with
 *	ROC_READY_RECLAIMED: what the card wrote into them is lost
 *
 * No error of its own.
 */
struct roc_ch_losses {
	__u32 size;
	__u32 flags;
	__aligned_u64 damaged;
	__aligned_u64 short_;
	__aligned_u64 lost;
};

/**
 * struct roc_fill - one entry of the fill ring: a free superpage
 * @buffer: handle from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @length: bytes; a multiple of superpage_align, at most superpage_max
 * @offset: byte offset inside the buffer, a multiple of 4
 * @cookie: comes back with the superpage, the kernel does not look at it
 * @reserved: must be 0
 *
 * While the superpage is away its content is not the reader's to look at or write: the kernel may
 * mark it, so as to see the card come by. What the card did not write is as it was afterwards.
 * Every entry that the kernel took comes back exactly once in the ready ring.
 */
struct roc_fill {
	__u32 buffer;
	__u32 length;
	__aligned_u64 offset;
	__aligned_u64 cookie;
	__aligned_u64 reserved;
};

/**
 * enum roc_ready_flags - what a ready entry says about its superpage
 * @ROC_READY_FILLED: the card wrote &roc_ready.received bytes
 * @ROC_READY_RECLAIMED: handed back unused at stop; received is 0
 * @ROC_READY_REFUSED: the driver did not give it to the card, or the card did not take it;
 *	&roc_ready.why says why
 * @ROC_READY_DAMAGED: with FILLED: the card says that not all of the content is what it should be
 * @ROC_READY_SHORT: with FILLED: the card reports fewer bytes than the superpage has, and no reason
 *	for it (cards with ROC_CAP_EVENTS), or no bytes at all (other cards)
 */
enum roc_ready_flags {
	ROC_READY_FILLED = 1 << 0,
	ROC_READY_RECLAIMED = 1 << 1,
	ROC_READY_REFUSED = 1 << 2,
	ROC_READY_DAMAGED = 1 << 3,
	ROC_READY_SHORT = 1 << 4,
};

/**
 * struct roc_ready - one entry of the ready ring: a superpage that came back
 * @cookie: of the fill entry
 * @offset: of the fill entry
 * @time: CLOCK_MONOTONIC ns at which the kernel saw it
 * @sequence: number of this entry since open, from 0
 * @buffer: of the fill entry
 * @length: of the fill entry
 * @received: bytes the card wrote, contiguous from @offset
 * @link: link slot that filled it, or that it was queued at; -1 if the driver refused it, which
 *	never reached the card
 * @flags: bits of enum roc_ready_flags
 * @why: enum roc_why
 * @run: number of the start since open, from 1; nothing of run n carries n + 1
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
	__u32 why;
	__u32 run;
	__u32 reserved;
};

/**
 * struct roc_ring_user - first page of the user area: what the reader writes
 * @fill_prod: free-running count of entries put into the fill ring
 * @pad0: keeps the two indices on separate cache lines (and the prefetcher's next one)
 * @ready_cons: free-running count of entries taken from the ready ring
 * @pad1: rest of the line pair
 *
 * Mapped read-write. The fill entries follow at &roc_ch_rings.fill_entries_offset.
 */
struct roc_ring_user {
	__u32 fill_prod;
	__u32 pad0[31];
	__u32 ready_cons;
	__u32 pad1[31];
};

/**
 * enum roc_ring_flags - &roc_ring_kernel.flags
 * @ROC_RING_NEED_KICK: the kernel sleeps and may not see new fill entries in time: call
 *	ROC_CH_KICK after adding some
 * @ROC_RING_STOPPED: the channel is not running; nothing more will come
 * @ROC_RING_GONE: the card is gone; close the fd
 */
enum roc_ring_flags {
	ROC_RING_NEED_KICK = 1 << 0,
	ROC_RING_STOPPED = 1 << 1,
	ROC_RING_GONE = 1 << 2,
};

/**
 * struct roc_ring_kernel - first page of the kernel area: what the kernel writes
 * @fill_cons: free-running count of entries taken from the fill ring
 * @pad0: separate cache lines
 * @ready_prod: free-running count of entries put into the ready ring
 * @pad1: separate cache lines
 * @flags: bits of enum roc_ring_flags
 * @pad2: rest of the line pair
 *
 * Mapped read-only, cannot be made writable. The ready entries follow at
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
 * struct roc_ch_rings - ioctl(ROC_CH_RINGS): make the two rings, once per open
 * @size: sizeof(struct roc_ch_rings)
 * @flags: must be 0
 * @fill_entries: in: power of two, ROC_RING_MIN..ROC_RING_MAX, 0 = ROC_RING_DEFAULT; out: used
 * @ready_entries: the same for the ready ring
 * @user_offset: out: mmap offset of the user area (PROT_READ | PROT_WRITE, MAP_SHARED)
 * @user_length: out: its length; map exactly this
 * @kernel_offset: out: mmap offset of the kernel area (PROT_READ, MAP_SHARED)
 * @kernel_length: out: its length; map exactly this
 * @fill_entries_offset: out: where the fill entries start inside the user area
 * @ready_entries_offset: out: where the ready entries start inside the kernel area
 *
 * Room in the ready ring is reserved before a superpage is taken from the fill ring, so the
 * ready ring cannot overflow. The rings are charged to the memory cgroup of the process that opened
 * the channel, and only it makes them (see &struct roc_buf_register).
 * Errors: EBUSY the rings exist already; EPERM not the process that opened the channel.
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
 * enum roc_configure_flags - &roc_ch_configure.flags
 * @ROC_CONFIGURE_STBRD: open the front-end with "start block read" in place of "ready to
 *	receive"; for ROC_SOURCE_FEE on a card with ROC_CAP_DDL
 * @ROC_CONFIGURE_PLAIN: use a card with ROC_CAP_EVENTS as one without: push registers and
 *	counters. Not with ROC_MODE_EVENT
 */
enum roc_configure_flags {
	ROC_CONFIGURE_STBRD = 1 << 0,
	ROC_CONFIGURE_PLAIN = 1 << 1,
};

/**
 * struct roc_ch_configure - ioctl(ROC_CH_CONFIGURE): what the next start will do
 * @size: sizeof(struct roc_ch_configure)
 * @flags: bits of enum roc_configure_flags
 * @source: enum roc_source
 * @mode: enum roc_mode
 * @links: bit per link slot, a subset of the links enabled in the card; 0 = all of these
 * @page_size: DMA page size, 0 or the card's &roc_ep_info.page_size
 *
 * Without this call: ROC_SOURCE_INTERNAL, ROC_MODE_TIMER, all enabled links.
 * Errors: EBUSY running; EOPNOTSUPP source, mode or page size that the card does not have;
 * ENOLINK a link that is not enabled in the card.
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
 * struct roc_ch_mode - ioctl(ROC_CH_MODE): who looks for finished superpages from now on
 * @size: sizeof(struct roc_ch_mode)
 * @flags: must be 0
 * @mode: enum roc_mode
 * @reserved: must be 0
 *
 * The mode of ROC_CH_CONFIGURE, but also while the channel runs.
 * Errors: EOPNOTSUPP the card has no events.
 */
struct roc_ch_mode {
	__u32 size;
	__u32 flags;
	__u32 mode;
	__u32 reserved;
};

/**
 * enum roc_reset_level - how much ROC_CH_RESET resets
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
 * @flags: KICK: bits of enum roc_kick_flags; else must be 0
 * @level: RESET: enum roc_reset_level; else must be 0
 * @count: STOP out: superpages handed back unfilled. KICK with ROC_KICK_LOOK out: superpages
 *	found ready. Must be 0 on entry
 *
 * START resets the card's DMA block and sets it going (it sleeps for the card's documented
 * waits: CRU 210 ms, C-RORC 100 ms). Superpages already in the fill ring are pushed at once.
 * STOP flushes, waits for what the flush closes, resets the DMA block, and hands back every
 * superpage that the card held; entries still in the fill ring stay there. When it returns 0
 * the card does not write any more.
 *
 * Errors:
 * START: EBUSY running; ENOLINK no links are enabled in the card, or the link is down; EPIPE no
 * rings; EIO the card does not answer; ETIME the far end of the link does not answer; EAGAIN the
 * machine is being suspended.
 * STOP: EALREADY not running, and quiet; EIO the card broke its contract meanwhile, or does not
 * answer, and the channel is FAILED; or it is STOPPED and the card could not be stopped: then it
 * may still write into the superpages that came back, until a start succeeds or the card is reset.
 * Of a run that ended by itself, or whose STOP failed, the card is asked once more: EIO as long as
 * it is not quiet.
 * RESET: EBUSY running; EOPNOTSUPP level that the card does not have; ENOLINK, ETIME as above.
 * KICK: EPIPE no rings; EALREADY LOOK and not running.
 */
struct roc_ch_control {
	__u32 size;
	__u32 flags;
	__u32 level;
	__u32 count;
};

/**
 * enum roc_kick_flags - flags of ROC_CH_KICK
 * @ROC_KICK_LOOK: look at the card now, in this call (busy mode; allowed in every mode).
 *	Without it the kernel's own thread is woken
 */
enum roc_kick_flags {
	ROC_KICK_LOOK = 1 << 0,
};

/**
 * struct roc_ch_wait - ioctl(ROC_CH_WAIT): sleep until superpages are ready
 * @size: sizeof(struct roc_ch_wait)
 * @flags: must be 0
 * @min_ready: return when that many entries are in the ready ring (1 .. ready_entries)
 * @ready: out: entries in the ready ring
 * @deadline: CLOCK_MONOTONIC ns at which to give up; absolute, so that a signal can restart it
 *
 * Returns also when the channel is not running or stops. The reader's &roc_ring_user.ready_cons
 * tells how many entries are in the ring.
 * Errors: ETIME the deadline passed (@ready is valid); EINTR a signal handler ran, while signals
 * without one do not end the wait; EPIPE no rings.
 */
struct roc_ch_wait {
	__u32 size;
	__u32 flags;
	__u32 min_ready;
	__u32 ready;
	__aligned_u64 deadline;
};

/**
 * struct roc_ch_eventfd - ioctl(ROC_CH_EVENTFD): signal an eventfd when there is something to see
 * @size: sizeof(struct roc_ch_eventfd)
 * @flags: must be 0
 * @fd: eventfd, or -1 to remove
 * @reserved: must be 0
 *
 * It is signalled when superpages became ready, and when the channel stops, fails, or loses its
 * card; at once, when it is set, if superpages are ready or the channel has failed already. The
 * count says nothing: look at the ready ring and at the ring's flags.
 *
 * Errors: EBADF, EINVAL not an eventfd.
 */
struct roc_ch_eventfd {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 reserved;
};

#define ROC_COMMAND_REPLIES 4

/**
 * struct roc_ch_command - ioctl(ROC_CH_COMMAND): one command over the detector data link
 * @size: sizeof(struct roc_ch_command)
 * @flags: must be 0
 * @command: command word, as the link's protocol has it
 * @count: in: reply words to wait for, 0..ROC_COMMAND_REPLIES; out: how many came
 * @reply: out: the reply words; must be 0 on entry
 *
 * Words that wait from an earlier command are thrown away first. Each reply has the card's
 * documented 100 ms.
 * Errors: EOPNOTSUPP the card has no such link (no ROC_CAP_DDL); EBUSY running; ENOLINK the link
 * is down, for a command to its far end; ETIME a reply did not come, @count and @reply have those
 * that did; EIO the card does not answer.
 */
struct roc_ch_command {
	__u32 size;
	__u32 flags;
	__u32 command;
	__u32 count;
	__u32 reply[ROC_COMMAND_REPLIES];
};

/**
 * struct roc_buf_register - ioctl(ROC_BUF_REGISTER): pin and map user memory for this channel
 * @size: sizeof(struct roc_buf_register)
 * @flags: must be 0
 * @addr: start, page aligned
 * @length: bytes, a multiple of the page size
 * @granule: superpage size that will be used, 0 = superpage_align: every granule-sized piece
 *	of the buffer (counted from its start) must be contiguous for the card
 * @handle: out: for &roc_fill.buffer; must be 0 on entry
 * @extents: out: contiguous pieces as the card sees them; must be 0 on entry
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @limit: out, also with an error: the value of the limit that @why names; must be 0 on entry
 * @pinned: out, also with an error: when @why is MEMLOCK, bytes that count against that limit
 *	already; must be 0 on entry. Not in the structure as first published (48 bytes)
 *
 * The memory stays pinned until unregistered or the fd is closed, whatever the process does
 * with its mapping. It counts against RLIMIT_MEMLOCK of the process that opened the channel, and
 * only that address space can register: its threads can, a child of fork() that has inherited the
 * fd, one that got it over a socket, and the process after exec() cannot (EPERM). Nor can they
 * export it (ROC_BUF_EXPORT). As long as the opener has the channel a child may start, stop, wait
 * and unregister; it has to map the rings itself, for mappings are not inherited.
 *
 * The same memory may be registered several times, with this and with other channels, and counts as
 * often. (A kernel with CONFIG_DMA_API_DEBUG can count seven mappings of a page; it says so once
 * and stops to check that page. Nothing else comes of it.)
 *
 * Errors: EPERM (why OWNER); EINVAL alignment, granule not a multiple of superpage_align;
 * EOVERFLOW; EFAULT (why PIN); ENOMEM (why MEMLOCK, or no memory when why is 0); EOPNOTSUPP (why
 * CONTIGUITY, DMA_MASK, BOUNCE); ENOSPC too many buffers; EBUSY running.
 */
struct roc_buf_register {
	__u32 size;
	__u32 flags;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 granule;
	__u32 handle;
	__u32 extents;
	__u32 why;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * struct roc_buf_unregister - ioctl(ROC_BUF_UNREGISTER): unmap and unpin
 * @size: sizeof(struct roc_buf_unregister)
 * @flags: must be 0
 * @handle: from ROC_BUF_REGISTER or ROC_BUF_IMPORT
 * @reserved: must be 0
 *
 * Errors: ENOENT no such buffer; EBUSY the channel is running.
 */
struct roc_buf_unregister {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__u32 reserved;
};

/* The other kinds of channel, with the words of this file. */

/**
 * enum roc_export_flags - &roc_buf_export.flags
 * @ROC_EXPORT_CLOEXEC: the new descriptor is closed by exec()
 * @ROC_EXPORT_WRITE: it may be mapped with PROT_WRITE, too. (It says nothing about devices: whoever
 *	has the descriptor can have the memory mapped for one that writes)
 */
enum roc_export_flags {
	ROC_EXPORT_CLOEXEC = 1 << 0,
	ROC_EXPORT_WRITE = 1 << 1,
};

/**
 * struct roc_buf_export - ioctl(ROC_BUF_EXPORT): a dma-buf of a registered buffer, or of a ring
 * @size: sizeof(struct roc_buf_export)
 * @flags: bits of enum roc_export_flags
 * @handle: from ROC_BUF_REGISTER; 0: the ring of a stream, once ROC_ST_RING has made it
 * @fd: out: descriptor of the dma-buf, as long as the buffer or (once) the ring; must be 0 on entry
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @reserved: must be 0
 * @limit: out, also with an error: when @why is MEMLOCK, RLIMIT_MEMLOCK; must be 0 on entry
 * @pinned: out, also with an error: when @why is MEMLOCK, bytes of this user that count against it
 *	already; must be 0 on entry
 *
 * Other devices import it and see what the card writes, as processes do that map it (MAP_SHARED, up
 * to its length). Also while the channel runs. What is ready only the ready ring says, or a
 * stream's positions: there are no fences. DMA_BUF_IOCTL_SYNC brackets the CPU's accesses where
 * another device writes.
 *
 * The dma-buf keeps the memory when the buffer is unregistered and the channel closed, pinned,
 * until the last descriptor, mapping and importer have gone. When the card is removed or reset it
 * is revoked: importers that want to know are told (move_notify), attach, map, mmap and the begin
 * of a CPU access fail with ENODEV. Mappings that exist go on showing the memory as it is. An
 * importer whose DMA the kernel would bounce (swiotlb) cannot map it: EBUSY. Stale copies would
 * overwrite what the card wrote.
 *
 * Memory that is exported counts against RLIMIT_MEMLOCK of the user, too, once however often it is
 * exported, as long as there is a dma-buf of it: that may outlive the process.
 *
 * Errors: ENOENT; EPERM (why OWNER) the caller is not the process that opened the channel; EACCES
 * the channel's descriptor is not open for writing; EPIPE the stream has no ring yet; EOPNOTSUPP
 * the buffer was imported: share that descriptor, or the kernel has no dma-bufs; ENOMEM (why
 * MEMLOCK, or no memory when why is 0); EMFILE.
 */
struct roc_buf_export {
	__u32 size;
	__u32 flags;
	__u32 handle;
	__s32 fd;
	__u32 why;
	__u32 reserved;
	__aligned_u64 limit;
	__aligned_u64 pinned;
};

/**
 * struct roc_buf_import - ioctl(ROC_BUF_IMPORT): map a dma-buf for this channel
 * @size: sizeof(struct roc_buf_import)
 * @flags: must be 0
 * @fd: descriptor of a dma-buf, open for writing
 * @granule: as &roc_buf_register.granule, counted from @offset
 * @offset: where the buffer begins in the dma-buf, a multiple of the page size
 * @length: bytes, a multiple of the page size, 0 = all from @offset on; out: used
 * @handle: out: for &roc_fill.buffer; must be 0 on entry
 * @extents: out: contiguous pieces as the card sees them; must be 0 on entry
 * @why: out, also with an error: enum roc_why; must be 0 on entry
 * @error: out, with an error: errno that the exporter answered, 0 = it is not the exporter's; must
 *	be 0 on entry
 * @limit: out, also with an error: as &roc_buf_register.limit; must be 0 on entry
 *
 * The card writes into memory of somebody else's: of another driver, of udmabuf (a memfd), or of a
 * peer device if its driver and the kernel find a way. The dma-buf is pinned where it is, and its
 * exporter's memory held, until the buffer is unregistered or the descriptor of the channel closed,
 * and the card is proved quiet. ROC_BUF_UNREGISTER undoes it. @fd may be closed at once. Nothing of
 * it counts against a limit of the caller: that is the exporter's. An exporter that still moves its
 * memory, as a GPU's does, is waited for; after five seconds its answer is ETIMEDOUT.
 *
 * The kernel does not look into such a buffer. So a card without a completion block or records in
 * host memory (CRU without ROC_CAP_EVENTS) is asked by register reads more often. The CPU reads it
 * through a mapping of @fd, and DMA_BUF_IOCTL_SYNC where its exporter wants that.
 *
 * Errors: EBADF; EINVAL not a dma-buf, alignment, granule not a multiple of superpage_align; EACCES
 * @fd is not open for writing; ERANGE outside the dma-buf; EOPNOTSUPP (why PEER, NO_P2P, EXPORTER,
 * CONTIGUITY, DMA_MASK, BOUNCE; or the kernel has no dma-bufs when why is 0); ENOMEM; ENOSPC too
 * many buffers; EBUSY running; EINTR.
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
	__u32 why;
	__u32 error;
	__aligned_u64 limit;
};

#include "roc_fragment.h"
#include "roc_stream.h"

#endif /* _UAPI_LINUX_ROC_H */
