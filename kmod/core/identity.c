// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verify that a function answers, and that it is the card that its PCI IDs name, by reads only.
 */
#include <linux/pci.h>

#include "core/roc.h"

enum roc_answer {
	ROC_ANSWER_OK,
	ROC_ANSWER_NONE, /* configuration space reads all ones */
	ROC_ANSWER_BARS, /* BAR registers differ from what the kernel assigned */
	ROC_ANSWER_ZERO, /* all identity registers read 0 */
	ROC_ANSWER_ONES, /* one of them reads all ones, the others 0 or all ones */
};

static const char *const roc_answer_text[] = {
	[ROC_ANSWER_NONE] =
		"its configuration space reads all ones: check its slot and power, then rescan the bus",
	[ROC_ANSWER_BARS] =
		"its BARs lost their addresses in a reset: write 1 to the device's remove in sysfs, then to /sys/bus/pci/rescan",
	[ROC_ANSWER_ZERO] =
		"its identity registers read 0: reload its firmware, then remove and rescan the device",
	[ROC_ANSWER_ONES] =
		"its identity registers read all ones: check its link and power, then remove and rescan the device",
};

/* Check for missing or short BARs without accessing the function. */
int roc_check_bars(struct pci_dev *pdev, const struct roc_card_ops *ops)
{
	unsigned int i;

	for (i = 0; i < ROC_BARS; i++) {
		resource_size_t size = pci_resource_len(pdev, i);

		if (!ops->bar_size[i])
			continue;
		if (pci_resource_flags(pdev, i) & IORESOURCE_MEM && size >= ops->bar_size[i])
			continue;
		dev_info(
			&pdev->dev,
			"not a %s: BAR %u has %llu bytes of memory, at least %u are needed, device left untouched\n",
			ops->name, i, (unsigned long long)size, ops->bar_size[i]);
		return -ENODEV;
	}
	return 0;
}

/* A reset after which the kernel restores nothing, as without a driver, clears the addresses. */
static bool roc_bar_lost(struct pci_dev *pdev, unsigned int bar)
{
	const struct resource *resource = &pdev->resource[bar];
	unsigned int at = PCI_BASE_ADDRESS_0 + 4 * bar;
	struct pci_bus_region region;
	u32 low = 0, high = 0;

	pcibios_resource_to_bus(pdev->bus, &region, (struct resource *)resource);
	pci_read_config_dword(pdev, at, &low);
	if (resource->flags & IORESOURCE_MEM_64)
		pci_read_config_dword(pdev, at + 4, &high);
	return ((u64)high << 32 | (low & PCI_BASE_ADDRESS_MEM_MASK)) != region.start;
}

static bool roc_bars_lost(struct roc_endpoint *ep)
{
	unsigned int i;

	for (i = 0; i < ROC_BARS; i++)
		if (ep->bar[i] && roc_bar_lost(ep->pdev, i))
			return true;
	return false;
}

/*
 * The caller holds the card lock if the card needs it. Probe does not: no other code uses the card.
 */
static enum roc_answer roc_answer(struct roc_endpoint *ep)
{
	enum roc_answer answer = ROC_ANSWER_ZERO;
	unsigned int i;

	if (!pci_device_is_present(ep->pdev))
		return ROC_ANSWER_NONE;
	if (roc_bars_lost(ep))
		return ROC_ANSWER_BARS;
	for (i = 0; i < ep->ops->identity_count; i++) {
		u32 word = roc_read(ep, ep->ops->identity[i].bar, ep->ops->identity[i].offset);

		if (word && word != ROC_ALL_ONES)
			return ROC_ANSWER_OK;
		if (word)
			answer = ROC_ANSWER_ONES;
	}
	return answer;
}

static void roc_answer_log(struct roc_endpoint *ep, enum roc_answer answer)
{
	dev_err(&ep->pdev->dev, "the card does not answer: %s\n", roc_answer_text[answer]);
}

/*
 * Check the card in probe, before the first write to it and before its configuration is changed.
 * Return: -EIO if the card does not answer, -ENODEV for another design with the same PCI IDs.
 */
int roc_identity_check(struct roc_endpoint *ep)
{
	enum roc_answer answer = roc_answer(ep);
	bool readable = answer != ROC_ANSWER_NONE && answer != ROC_ANSWER_BARS;

	if (readable && ep->ops->foreign && ep->ops->foreign(ep)) {
		dev_info(
			&ep->pdev->dev,
			"not a %s: another design with the PCI IDs %04x:%04x, device left untouched\n",
			ep->ops->name, ep->pdev->vendor, ep->pdev->device);
		return -ENODEV;
	}
	if (answer == ROC_ANSWER_OK)
		return 0;
	roc_answer_log(ep, answer);
	return -EIO;
}

/*
 * Check the card after a reset or power loss. Return: false, with a reason in the log, if it must
 * not be used.
 */
bool roc_answers(struct roc_endpoint *ep)
{
	enum roc_answer answer;

	roc_serial_lock(ep);
	answer = roc_answer(ep);
	roc_serial_unlock(ep);
	if (answer == ROC_ANSWER_OK)
		return true;
	roc_answer_log(ep, answer);
	return false;
}
