// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * enum roc_reason in words, each with its cure.
 */
#include "libroc.h"

static const char *const reason_text[] = {
	[ROC_REASON_NONE] = "nothing is wrong",
	[ROC_REASON_MEMLOCK] =
		"RLIMIT_MEMLOCK is lower than what the process pins: put '@roc - memlock unlimited' into /etc/security/limits.d/roc.conf and log in again (service: LimitMEMLOCK=infinity)",
	[ROC_REASON_CONTIGUITY] =
		"without a translating IOMMU each superpage must be contiguous in memory, and this is not: use hugepages (roc_memory_alloc() without plain pages), or boot with the IOMMU on",
	[ROC_REASON_DMA_MASK] =
		"the card cannot address this memory: take memory of another NUMA node, or boot with the IOMMU on",
	[ROC_REASON_BOUNCE] =
		"the kernel would copy (bounce) this DMA, which cannot work for superpages: boot without swiotlb=force, with the IOMMU on in a protected guest",
	[ROC_REASON_PIN] =
		"the memory cannot be pinned: use anonymous memory, a memfd or hugepages, not a file, a device or unmapped addresses",
	[ROC_REASON_HANDLE] =
		"no buffer has this handle: use the one from roc_buffer_register() on this channel",
	[ROC_REASON_RANGE] =
		"the superpage goes beyond the end of its buffer: keep offset + length within it",
	[ROC_REASON_LENGTH] =
		"the superpage's length is 0, not a multiple of superpage_align, or above superpage_max: roc_info() has both numbers",
	[ROC_REASON_ALIGN] = "the superpage's offset must be a multiple of 4",
	[ROC_REASON_EXTENT] =
		"the superpage crosses from one contiguous extent of the buffer into the next: register the buffer with this superpage size as granule and use offsets that are multiples of it",
	[ROC_REASON_RESERVED] = "the reserved field of the fill entry must be 0",
	[ROC_REASON_STOPPED] =
		"the run ended before the card used the superpage: push it again in the next run",
	[ROC_REASON_COUNT] =
		"the card reported more superpages than it was given: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_SIZE] =
		"the card did not report a superpage's size, or reported another one's: start again; if it comes back, load newer firmware",
	[ROC_REASON_LOST] =
		"the card answers all ones: it is off the bus or its firmware is being loaded; wait for that, or restart the server cold",
	[ROC_REASON_REMOVED] =
		"the card was removed, or reset by somebody else: close the channel and open it again",
	[ROC_REASON_PUSH] =
		"the card did not take a superpage, although it was pushed several times, or refused it: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_RECORD] =
		"the card's records or descriptors are out of order, missing, or contradict themselves: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_CARD] =
		"the card could not read its descriptors, or found nonsense in them: start again; if it comes back, look for PCIe errors in the kernel log",
	[ROC_REASON_OWNER] =
		"only the process that opened the channel can register or export its memory: open the channel after fork(), not before",
	[ROC_REASON_POSITION] =
		"the card's write position went backwards or beyond the ring: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_PEER] =
		"the memory is another device's, and its driver says that this card cannot reach it (peer-to-peer): put both below one PCIe switch or host bridge, without access control (ACS) between them, or export host memory",
	[ROC_REASON_NO_P2P] =
		"the memory is another device's, and this kernel has no way between two devices: take one with CONFIG_PCI_P2PDMA, or export host memory",
	[ROC_REASON_EXPORTER] =
		"the driver that exported the dma-buf does not keep its memory in place, does not map all of it, or has taken it back because its device went: have it allocate memory that can be pinned, and export it anew when its device is back",
	[ROC_REASON_SUSPENDED] =
		"the machine was suspended while the channel was running, so the driver ended the run: start again, or open the channel again if the card lost its state",
	[ROC_REASON_BYTES] =
		"the card reported more bytes in a superpage than it has room for: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_SETUP] =
		"the card refused the addresses or sizes of its rings (SETUP_ERROR) three times: start again; if it comes back, load the card's firmware anew",
	[ROC_REASON_RESET] =
		"the channel did not carry out its reset, or did not quiesce: stop all channels of the card and start again, which resets the function; if it comes back, load the card's firmware anew",
	[ROC_REASON_NEIGHBOUR] =
		"another channel of the card is not quiesced, so the card may not get the bus: stop the channels that run and start again, which resets the function",
};

const char *roc_reason_text(unsigned int reason)
{
	if (reason >= sizeof(reason_text) / sizeof(reason_text[0]) || !reason_text[reason])
		return "a reason that this library does not know: it is older than the roc module, install the library of the module's version";
	return reason_text[reason];
}

const char *roc_why_text(unsigned int reason)
{
	return roc_reason_text(reason);
}
