// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of rules in the order of the report (presence, bus, NUMA and memory, firmware of the
 * machine, access), and the run of all rules.
 */
#include "check.h"

#define WARN_FAIL (CAN_WARN | CAN_FAIL)

const struct rule check_rules[] = {
	{"driver",
	 "A driver version that was not tested with these tools may lose data without an error.",
	 rule_driver, CAN_FAIL | CAN_UNKNOWN},
	{"cards", "Without the driver no data can be read from a card.", rule_cards,
	 WARN_FAIL | CAN_UNKNOWN},
	{"endpoints",
	 "Each endpoint of a CRU serves half of its links. An endpoint is missing if the slot is not bifurcated, or if the card did not start.",
	 rule_endpoints, CAN_FAIL | CAN_UNKNOWN},
	{"firmware", "Firmware that is not on the list is untested, or is known to be faulty.",
	 rule_firmware, CAN_FAIL | CAN_UNKNOWN},
	{"temperature",
	 "A card switches off at 80 C, even during a run. On a warmer day it will be hotter than now.",
	 rule_temperature, WARN_FAIL | CAN_UNKNOWN},
	{"link-speed", "A link that is slower than card and slot permit cannot carry all data.",
	 rule_link_speed, CAN_FAIL | CAN_UNKNOWN},
	{"link-width", "Missing lanes reduce the bandwidth, and are a sign of a bad contact.",
	 rule_link_width, CAN_FAIL | CAN_UNKNOWN},
	{"max-payload",
	 "Each packet on the bus has a header. Headers take one sixth of a link with 128 bytes of data per packet, one eleventh with 256. If a card sends more than its port accepts, the bus cuts the card off.",
	 rule_max_payload, WARN_FAIL | CAN_UNKNOWN},
	{"max-read-request",
	 "With small read requests the card waits for its descriptors more often.",
	 rule_max_read_request, CAN_WARN | CAN_UNKNOWN},
	{"aspm",
	 "A link needs microseconds to leave a sleep state, and some boards hang or report many errors.",
	 rule_aspm, WARN_FAIL | CAN_UNKNOWN},
	{"aer",
	 "Corrected errors cost time and tend to increase; other errors lose data. The usual cause is a connector, a riser or the cooling.",
	 rule_aer, WARN_FAIL | CAN_UNKNOWN},
	{"numa-node",
	 "Transfers from one socket to the other take up to twice as long, which has cost half of the bandwidth.",
	 rule_numa_node, CAN_FAIL | CAN_UNKNOWN},
	{"numa-balance",
	 "Cards on one socket share its memory bandwidth, while that of the other socket is unused.",
	 rule_numa_balance, CAN_WARN | CAN_UNKNOWN},
	{"sub-numa",
	 "Sub-NUMA clustering divides the memory channels of a socket, and a card uses only one part.",
	 rule_sub_numa, CAN_WARN | CAN_UNKNOWN},
	{"hugepages",
	 "Without a translating IOMMU a superpage must be contiguous memory on the node of its card.",
	 rule_hugepages, WARN_FAIL | CAN_UNKNOWN},
	{"irq-affinity", "An interrupt on the other socket wakes the reader late.",
	 rule_irq_affinity, CAN_WARN | CAN_UNKNOWN},
	{"memory-channels",
	 "Memory accesses interleave over the channels of a socket. On a server with two sockets of 6 channels, 12 modules gave 55 Gb/s per endpoint, 10 gave 55.6, 30.0 and 31.4, 8 were unstable, and 6 lost little.",
	 rule_memory_channels, WARN_FAIL | CAN_UNKNOWN},
	{"memory-modules",
	 "The slowest module determines the speed, and unequal modules do not interleave.",
	 rule_memory_modules, CAN_WARN | CAN_UNKNOWN},
	{"prefetchers",
	 "Prefetches of the processor use memory bandwidth that the cards need. The servers that reached 330 Gb/s had all four prefetchers off.",
	 rule_prefetchers, CAN_WARN | CAN_UNKNOWN},
	{"iommu",
	 "Without an IOMMU a faulty card can write to all memory. In a blocked domain a card can write to no memory.",
	 rule_iommu, WARN_FAIL | CAN_UNKNOWN},
	{"governor",
	 "A processor that must first raise its frequency handles the next superpage late.",
	 rule_governor, CAN_WARN | CAN_UNKNOWN},
	{"secure-boot", "With Secure Boot or lockdown the kernel loads only signed modules.",
	 rule_secure_boot, WARN_FAIL | CAN_UNKNOWN},
	{"memlock", "Buffers are pinned, and count against RLIMIT_MEMLOCK.", rule_memlock,
	 WARN_FAIL | CAN_UNKNOWN},
	{"permissions",
	 "Readers open the device nodes of a card as members of the group. Other users must not have access.",
	 rule_permissions, CAN_FAIL | CAN_UNKNOWN},
	{"group", "A user outside the group cannot use the cards.", rule_group,
	 WARN_FAIL | CAN_UNKNOWN},
	{NULL, NULL, NULL, 0},
};

/* Run a rule. If it has no finding, it applied to no card, and its verdict is UNKNOWN. */
static void run_rule(struct check *c, const struct rule *rule)
{
	size_t before = c->count;

	c->rule = rule;
	rule->run(c);
	if (c->count > before)
		return;
	add_finding(c, VERDICT_UNKNOWN, NULL, "a card to which this rule applies",
		    "see the rule cards, then run roc-node-check again", "no card to check");
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
