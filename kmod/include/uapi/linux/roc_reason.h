/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* Reasons of rejections and failures, as the structures of roc.h report them. */

#ifndef _UAPI_LINUX_ROC_REASON_H
#define _UAPI_LINUX_ROC_REASON_H

/**
 * enum roc_reason - Reason of a rejection, of an unfilled superpage, or of a failure
 * @ROC_REASON_NONE: no reason: nothing was rejected and nothing failed
 * @ROC_REASON_MEMLOCK: RLIMIT_MEMLOCK is lower than the memory to pin plus the memory already
 *	pinned; &roc_buf_register.limit has the limit in bytes
 * @ROC_REASON_CONTIGUITY: no IOMMU translates and a granule is not physically contiguous; limit has
 *	the length of the shortest extent. Use hugepages
 * @ROC_REASON_DMA_MASK: the card cannot address this memory
 * @ROC_REASON_BOUNCE: the kernel would bounce (copy) DMA, which cannot work for superpages
 * @ROC_REASON_PIN: the memory cannot be pinned (file-backed, device memory, unmapped)
 * @ROC_REASON_HANDLE: no such buffer
 * @ROC_REASON_RANGE: outside the buffer
 * @ROC_REASON_LENGTH: the length is zero, not a multiple of superpage_align, or above superpage_max
 * @ROC_REASON_ALIGN: the offset is not a multiple of 4
 * @ROC_REASON_EXTENT: the superpage crosses from one extent of the buffer into the next
 * @ROC_REASON_RESERVED: a reserved field of the entry is not zero
 * @ROC_REASON_STOPPED: the run ended before the card used the superpage
 * @ROC_REASON_COUNT: the card reported more superpages than it had received
 * @ROC_REASON_SIZE: the card's size entry did not arrive or has the wrong index
 * @ROC_REASON_LOST: the card reads as all ones
 * @ROC_REASON_REMOVED: the card was removed, or reset by another party
 * @ROC_REASON_PUSH: the card did not accept a superpage after several pushes, or rejected its
 *	descriptor
 * @ROC_REASON_RECORD: the card's records, or a sub-unit's descriptors, are out of order, have
 *	invalid contents, or are missing although the card wrote later ones or counted them
 * @ROC_REASON_CARD: the card reports that it could not read descriptors, or that a request was
 *	invalid
 * @ROC_REASON_OWNER: the caller is not the process that opened the channel, but a child of it, or
 *	the program that replaced it by exec()
 * @ROC_REASON_POSITION: the card's write position moved backwards, or is beyond the ring
 * @ROC_REASON_PEER: the dma-buf's exporter does not let the card reach its memory, which belongs to
 *	another device without a path between the two
 * @ROC_REASON_NO_P2P: as PEER, and this kernel was built without CONFIG_PCI_P2PDMA, so that there
 *	is no path between any two devices
 * @ROC_REASON_EXPORTER: the dma-buf's exporter does not keep the memory in place, does not map all
 *	of it, or has revoked it (ENODEV: the exporting device was removed or reset)
 * @ROC_REASON_SUSPENDED: the machine was suspended or hibernated while the channel was running
 * @ROC_REASON_BYTES: the card reported more bytes in a superpage than its size
 * @ROC_REASON_SETUP: start: the card rejected the addresses or sizes of its rings in all three
 *	tries
 * @ROC_REASON_RESET: start: the channel did not complete its reset, or did not quiesce
 * @ROC_REASON_NEIGHBOUR: start: another channel of the function is not quiesced, so the driver must
 *	not enable bus mastering; the function can be reset only when no channel of it runs
 */
enum roc_reason {
	ROC_REASON_NONE = 0,
	ROC_REASON_MEMLOCK = 1,
	ROC_REASON_CONTIGUITY = 2,
	ROC_REASON_DMA_MASK = 3,
	ROC_REASON_BOUNCE = 4,
	ROC_REASON_PIN = 5,
	ROC_REASON_HANDLE = 6,
	ROC_REASON_RANGE = 7,
	ROC_REASON_LENGTH = 8,
	ROC_REASON_ALIGN = 9,
	ROC_REASON_EXTENT = 10,
	ROC_REASON_RESERVED = 11,
	ROC_REASON_STOPPED = 12,
	ROC_REASON_COUNT = 13,
	ROC_REASON_SIZE = 14,
	ROC_REASON_LOST = 15,
	ROC_REASON_REMOVED = 16,
	ROC_REASON_PUSH = 17,
	ROC_REASON_RECORD = 18,
	ROC_REASON_CARD = 19,
	ROC_REASON_OWNER = 20,
	ROC_REASON_POSITION = 21,
	ROC_REASON_PEER = 22,
	ROC_REASON_NO_P2P = 23,
	ROC_REASON_EXPORTER = 24,
	ROC_REASON_SUSPENDED = 25,
	ROC_REASON_BYTES = 26,
	ROC_REASON_SETUP = 27,
	ROC_REASON_RESET = 28,
	ROC_REASON_NEIGHBOUR = 29,
};

/* Deprecated names, for programs written for roc 0.3. */
#define roc_why roc_reason
#define ROC_WHY_NONE ROC_REASON_NONE
#define ROC_WHY_MEMLOCK ROC_REASON_MEMLOCK
#define ROC_WHY_CONTIGUITY ROC_REASON_CONTIGUITY
#define ROC_WHY_DMA_MASK ROC_REASON_DMA_MASK
#define ROC_WHY_BOUNCE ROC_REASON_BOUNCE
#define ROC_WHY_PIN ROC_REASON_PIN
#define ROC_WHY_HANDLE ROC_REASON_HANDLE
#define ROC_WHY_RANGE ROC_REASON_RANGE
#define ROC_WHY_LENGTH ROC_REASON_LENGTH
#define ROC_WHY_ALIGN ROC_REASON_ALIGN
#define ROC_WHY_EXTENT ROC_REASON_EXTENT
#define ROC_WHY_RESERVED ROC_REASON_RESERVED
#define ROC_WHY_STOPPED ROC_REASON_STOPPED
#define ROC_WHY_COUNT ROC_REASON_COUNT
#define ROC_WHY_SIZE ROC_REASON_SIZE
#define ROC_WHY_LOST ROC_REASON_LOST
#define ROC_WHY_REMOVED ROC_REASON_REMOVED
#define ROC_WHY_PUSH ROC_REASON_PUSH
#define ROC_WHY_RECORD ROC_REASON_RECORD
#define ROC_WHY_CARD ROC_REASON_CARD
#define ROC_WHY_OWNER ROC_REASON_OWNER
#define ROC_WHY_POSITION ROC_REASON_POSITION
#define ROC_WHY_PEER ROC_REASON_PEER
#define ROC_WHY_NO_P2P ROC_REASON_NO_P2P
#define ROC_WHY_EXPORTER ROC_REASON_EXPORTER
#define ROC_WHY_SUSPENDED ROC_REASON_SUSPENDED
#define ROC_WHY_BYTES ROC_REASON_BYTES
#define ROC_WHY_SETUP ROC_REASON_SETUP
#define ROC_WHY_RESET ROC_REASON_RESET
#define ROC_WHY_NEIGHBOUR ROC_REASON_NEIGHBOUR

#endif /* _UAPI_LINUX_ROC_REASON_H */
