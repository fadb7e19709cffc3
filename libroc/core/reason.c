// SPDX-License-Identifier: LGPL-2.1-or-later
/* Describe each enum roc_reason, with the remedy. */
#include "libroc.h"

static const char *const reason_text[] = {
	[ROC_REASON_NONE] = "no failure",
	[ROC_REASON_MEMLOCK] =
		"RLIMIT_MEMLOCK is lower than what the process pins: put '@roc - memlock unlimited' into /etc/security/limits.d/roc.conf and log in again (service: LimitMEMLOCK=infinity)",
	[ROC_REASON_CONTIGUITY] =
		"without a translating IOMMU each superpage must be contiguous in memory, but this one is not: use hugepages (roc_memory_alloc() without plain pages), or boot with the IOMMU on",
	[ROC_REASON_DMA_MASK] =
		"the card cannot address this memory: use memory of another NUMA node, or boot with the IOMMU on",
	[ROC_REASON_BOUNCE] =
		"the kernel would copy (bounce) this DMA, which is not supported for superpages: boot without swiotlb=force, or with the IOMMU on in a protected guest",
	[ROC_REASON_PIN] =
		"the memory cannot be pinned: use anonymous memory, a memfd or hugepages, not a file, a device or unmapped addresses",
	[ROC_REASON_HANDLE] =
		"no buffer has this handle: use the one from roc_buffer_register() on this channel",
	[ROC_REASON_RANGE] =
		"the superpage goes beyond the end of its buffer: keep offset + length within it",
	[ROC_REASON_LENGTH] =
		"the superpage's length is 0, not a multiple of superpage_align, or above superpage_max: roc_info() returns both limits",
	[ROC_REASON_ALIGN] = "the superpage's offset must be a multiple of 4",
	[ROC_REASON_EXTENT] =
		"the superpage crosses from one contiguous extent of the buffer into the next: register the buffer with this superpage size as granule and use offsets that are multiples of it",
	[ROC_REASON_RESERVED] = "the reserved field of the fill entry must be 0",
	[ROC_REASON_STOPPED] =
		"the run ended before the card used the superpage: push it again in the next run",
	[ROC_REASON_COUNT] =
		"the card reported more superpages than were pushed: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_SIZE] =
		"the card did not report a superpage's size, or reported that of another superpage: restart the run; if the error recurs, load newer firmware",
	[ROC_REASON_LOST] =
		"the card answers all ones, because it is off the bus or its firmware is being loaded: wait for the load to finish, or power-cycle the server",
	[ROC_REASON_REMOVED] =
		"the card was removed, or reset by another process: close the channel and open it again",
	[ROC_REASON_PUSH] =
		"the card rejected a superpage, or did not accept it after several pushes: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_RECORD] =
		"the card's records or descriptors are missing, out of order or inconsistent: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_CARD] =
		"the card could not read its descriptors, or found invalid ones: restart the run; if the error recurs, check the kernel log for PCIe errors",
	[ROC_REASON_OWNER] =
		"only the process that opened the channel can register or export its memory: open the channel after fork()",
	[ROC_REASON_POSITION] =
		"the card's write position went backwards or beyond the ring: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_PEER] =
		"the memory belongs to another device, whose driver reports that this card cannot reach it (peer-to-peer): put both below one PCIe switch or host bridge, without access control (ACS) between them, or export host memory",
	[ROC_REASON_NO_P2P] =
		"the memory belongs to another device, and this kernel does not support transfers between devices: use a kernel with CONFIG_PCI_P2PDMA, or export host memory",
	[ROC_REASON_EXPORTER] =
		"the driver that exported the dma-buf does not pin its memory, does not map all of it, or revoked it because its device was removed: let it allocate memory that can be pinned, and export it again when its device is back",
	[ROC_REASON_SUSPENDED] =
		"the machine was suspended while the channel was running, so the driver ended the run: start again, or open the channel again if the card lost its state",
	[ROC_REASON_BYTES] =
		"the card reported more bytes in a superpage than the superpage can hold: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_SETUP] =
		"the card refused the addresses or sizes of its rings (SETUP_ERROR) three times: restart the run; if the error recurs, reload the card's firmware",
	[ROC_REASON_RESET] =
		"the channel did not complete its reset, or did not quiesce: stop all channels of the card and start again, which resets the function; if the error recurs, reload the card's firmware",
	[ROC_REASON_NEIGHBOUR] =
		"another channel of the card is not quiesced, so bus mastering cannot be enabled: stop all running channels and start again, which resets the function",
};

const char *roc_reason_text(unsigned int reason)
{
	if (reason >= sizeof(reason_text) / sizeof(reason_text[0]) || !reason_text[reason])
		return "unknown reason, because the library is older than the roc module: install the library of the module's version";
	return reason_text[reason];
}

const char *roc_why_text(unsigned int reason)
{
	return roc_reason_text(reason);
}
