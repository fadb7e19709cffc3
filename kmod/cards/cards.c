// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table of PCI IDs and cards. Only this file depends on all cards.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "cards/cards.h"
#include "cards/crorc/crorc_regs.h"
#include "cards/cru/cru_regs.h"
#include "cards/p40/p40_regs.h"
#include "cards/robinnp/robinnp_regs.h"
#include "fragment/fragment.h"
#include "pool/pool.h"
#include "stream/stream.h"

#define ROC_CARD(_vendor, _device, _ops)                                                           \
	{                                                                                          \
		PCI_DEVICE(_vendor, _device), .driver_data = (kernel_ulong_t) & (_ops).card,       \
	}

const struct pci_device_id roc_ids[] = {ROC_CARD(CRU_VENDOR_CERN, CRU_DEVICE, roc_cru_ops),
					ROC_CARD(CRU_VENDOR_ALTERA, CRU_DEVICE_ALTERA, roc_cru_ops),
					ROC_CARD(CRORC_VENDOR, CRORC_DEVICE, roc_crorc_ops),
					ROC_CARD(P40_VENDOR, P40_DEVICE, roc_p40_ops),
					ROC_CARD(ROBINNP_VENDOR, ROBINNP_DEVICE, roc_robinnp_ops),
					{}};
MODULE_DEVICE_TABLE(pci, roc_ids);
