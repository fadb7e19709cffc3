// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of rules, in the order in which they are shown: what must be there, the bus, NUMA and
 * memory, the firmware of the machine, and access. And the run over all of them.
 */
#include "check.h"

#define WARN_FAIL (CAN_WARN | CAN_FAIL)

const struct rule check_rules[] = {
	{"driver", "A driver that nobody has tried with these tools may lose data without a word.",
	 rule_driver, CAN_FAIL | CAN_UNKNOWN},
	{"cards", "A card that the driver does not have takes no data.", rule_cards,
	 WARN_FAIL | CAN_UNKNOWN},
	{"endpoints",
	 "Half of a CRU's links are behind each of its endpoints; one that is missing is a slot that was not divided, or a card that did not come up.",
	 rule_endpoints, CAN_FAIL | CAN_UNKNOWN},
	{"firmware", "Firmware that is not on the list was not tried, or is known to be bad.",
	 rule_firmware, CAN_FAIL | CAN_UNKNOWN},
	{"temperature",
	 "A card cuts its power at 80 C, in the middle of a run; what it has here it exceeds on a warmer day.",
	 rule_temperature, WARN_FAIL | CAN_UNKNOWN},
	{"link-speed",
	 "A link that came up slower than card and slot can carries less than the data.",
	 rule_link_speed, CAN_FAIL | CAN_UNKNOWN},
	{"link-width",
	 "Missing lanes are missing bandwidth, and a connector that does not fit well.",
	 rule_link_width, CAN_FAIL | CAN_UNKNOWN},
	{"max-payload",
	 "Each packet on the bus has a header: of a link they take one part in six with 128 bytes of data, one in eleven with 256. A card that sends more than its port takes is cut off.",
	 rule_max_payload, WARN_FAIL | CAN_UNKNOWN},
	{"max-read-request", "Small reads make the card wait for its descriptors more often.",
	 rule_max_read_request, CAN_WARN | CAN_UNKNOWN},
	{"aspm",
	 "A link that sleeps takes microseconds to wake, and some boards hang or make floods of errors.",
	 rule_aspm, WARN_FAIL | CAN_UNKNOWN},
	{"aer",
	 "Errors that were corrected cost time and grow; others lose data. A connector, a riser or cooling is the usual cause.",
	 rule_aer, WARN_FAIL | CAN_UNKNOWN},
	{"numa-node",
	 "Data that cross from one socket to the other take up to twice as long; half of the bandwidth was lost so.",
	 rule_numa_node, CAN_FAIL | CAN_UNKNOWN},
	{"numa-balance", "Cards on one socket share its memory while the other one's lies idle.",
	 rule_numa_balance, CAN_WARN | CAN_UNKNOWN},
	{"sub-numa",
	 "Sub-NUMA clustering cuts a socket's memory channels in parts, and a card has only one of them.",
	 rule_sub_numa, CAN_WARN | CAN_UNKNOWN},
	{"hugepages",
	 "Without a translating IOMMU a superpage must be contiguous, on the node of its card.",
	 rule_hugepages, WARN_FAIL | CAN_UNKNOWN},
	{"irq-affinity", "An interrupt on the other socket wakes the reader late.",
	 rule_irq_affinity, CAN_WARN | CAN_UNKNOWN},
	{"memory-channels",
	 "Memory interleaves over the channels of a socket. On a server with 6 of them for each of two sockets, 12 modules gave 55 Gb/s per endpoint, 10 gave 55.6, 30.0 and 31.4, 8 were unstable, and 6 lost little.",
	 rule_memory_channels, WARN_FAIL | CAN_UNKNOWN},
	{"memory-modules", "The slowest module sets the pace, and unequal ones do not interleave.",
	 rule_memory_modules, CAN_WARN | CAN_UNKNOWN},
	{"prefetchers",
	 "What the processor fetches ahead takes memory bandwidth from the cards; the servers that reached 330 Gb/s had all four prefetchers off.",
	 rule_prefetchers, CAN_WARN | CAN_UNKNOWN},
	{"iommu",
	 "Without an IOMMU a faulty card can write everywhere; a domain that blocks lets it write nowhere.",
	 rule_iommu, WARN_FAIL | CAN_UNKNOWN},
	{"governor", "A processor that has to speed up first is late for the next superpage.",
	 rule_governor, CAN_WARN | CAN_UNKNOWN},
	{"secure-boot", "With Secure Boot or lockdown the kernel takes signed modules only.",
	 rule_secure_boot, WARN_FAIL | CAN_UNKNOWN},
	{"memlock", "Buffers are pinned and count against RLIMIT_MEMLOCK.", rule_memlock,
	 WARN_FAIL | CAN_UNKNOWN},
	{"permissions",
	 "A reader opens the card's nodes as a member of the group, and nobody else may.",
	 rule_permissions, CAN_FAIL | CAN_UNKNOWN},
	{"group", "Who is not in the group cannot use the cards.", rule_group,
	 WARN_FAIL | CAN_UNKNOWN},
	{NULL, NULL, NULL, 0},
};

/* A rule that found nothing to judge has judged nothing. */
static void run_rule(struct check *c, const struct rule *rule)
{
	size_t before = c->count;

	c->rule = rule;
	rule->run(c);
	if (c->count > before)
		return;
	add_finding(c, VERDICT_UNKNOWN, NULL, "a card that this concerns",
		    "see the rule cards; then run roc-node-check again", "nothing to look at");
	if (c->count > before)
		c->findings[before].nothing = true;
}

void check_run(struct check *c)
{
	const struct rule *rule;
	int err;

	c->rule = check_rules;
	err = node_cards_read(&c->tree, &c->cards);
	if (err)
		add_unread(c, NULL, "sysfs", err, "/sys/class/roc and /sys/bus/pci");
	for (rule = check_rules; rule->name; rule++)
		run_rule(c, rule);
}

unsigned int check_count(const struct check *c, enum verdict verdict)
{
	const struct rule *rule;
	unsigned int count = 0;

	for (rule = check_rules; rule->name; rule++)
		count += check_worst(c, rule) == verdict;
	return count;
}
