// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of interrupt vectors in /proc/interrupts: the card, the channel and the purpose.
 */
#include "common/case.h"
#include "common/reader.h"
#include "common/taker.h"

static const char *const ids[] = {EP0, CRORC_ID, P40_ID, ROBINNP_ID};

static unsigned long number(void)
{
	return strtoul(out, NULL, 10);
}

/* Lines of /proc/interrupts whose name matches @pattern. */
static unsigned long lines(const char *node, const char *pattern)
{
	RUN("grep -cE ' %s:%s *$' /proc/interrupts", node, pattern);
	return number();
}

static void each_purpose(const char *node, unsigned int channels, bool fragments)
{
	static const char *const of_fragment[] = {"-data", "-done", "-error"}, *const of_other[] = {
										       ""};
	const char *const *purpose = fragments ? of_fragment : of_other;
	unsigned int c, p;
	char name[32];

	for (c = 0; c < channels; c++) {
		for (p = 0; p < (fragments ? N(of_fragment) : N(of_other)); p++) {
			snprintf(name, sizeof(name), "ch%u%s", c, purpose[p]);
			UNIT_EQ(lines(node, name), 1);
		}
	}
}

static void names_of(const char *id)
{
	const char *node = node_path(id, -1) + strlen("/dev/");
	bool fragments = has_fragments(id);
	unsigned long vectors, full;
	struct roc_card card;

	UNIT_NEED(!roc_find(id, &card));
	full = card.channels * (fragments ? 3 : 1) + 1;
	RUN("ls /sys/bus/pci/devices/%s/msi_irqs | wc -l", pci_address(id));
	vectors = number();
	printf("# %s is %s: %lu of %lu vectors\n", id, node, vectors, full);
	UNIT_EQ(lines(node, ".*"), vectors);
	if (vectors == 1) {
		UNIT_EQ(lines(node, "shared0"), 1);
		return;
	}
	UNIT_EQ(lines(node, "card"), 1);
	UNIT_EQ(lines(node, "shared0"), 0);
	if (vectors == full)
		return each_purpose(node, card.channels, fragments);
	UNIT_EQ(lines(node, "shared1"), 1);
	UNIT_EQ(lines(node, "(shared[1-9]|ch[0-6](-[a-z]+)?)"), vectors - 1);
}

static bool interrupts(const char *id)
{
	return card_there(id) && (has_events(id) || has_streams(id) || has_fragments(id)) &&
	       !RUN("ls /sys/bus/pci/devices/%s/msi_irqs", pci_address(id));
}

static void names(void)
{
	unsigned int i, found = 0;

	for (i = 0; i < N(ids); i++) {
		if (!interrupts(ids[i]))
			continue;
		found++;
		names_of(ids[i]);
	}
	if (!found)
		unit_skip("no card has interrupts");
}

/* An unbound card leaves no name; bound again it has the same ones. */
static void again(void)
{
	char address[ROC_TEXT_MAX], node[16];
	unsigned int i;

	for (i = 0; i < N(ids) && !interrupts(ids[i]); i++)
		;
	if (i == N(ids))
		return unit_skip("no card has interrupts");
	snprintf(address, sizeof(address), "%s", pci_address(ids[i]));
	snprintf(node, sizeof(node), "%s", node_path(ids[i], -1) + strlen("/dev/"));
	UNIT_EQ(driver_unbind(address), 0);
	UNIT_EQ(lines(node, ".*"), 0);
	UNIT_NEED(driver_bind(address));
	names_of(ids[i]);
}

UNIT_MAIN("interrupts", {"names", names}, {"unbound and bound", again})
