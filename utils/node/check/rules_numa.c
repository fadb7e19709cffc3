// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for NUMA: the nodes of cards, their memory and their interrupts.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static const char nodes_file[] = "/sys/devices/system/node";

/* The node of a card in the limits; -1: any. */
static int planned_node(const struct limits *limits, int serial)
{
	size_t i;

	for (i = 0; i < limits->cards; i++)
		if (limits->card[i].serial == serial)
			return limits->card[i].node;
	return -1;
}

/* The node of another endpoint of the board if it differs; -1: none. */
static int other_node(const struct node_cards *cards, const struct node_card *card)
{
	size_t i;

	for (i = 0; card->serial >= 0 && i < cards->count; i++)
		if (node_same_board(&cards->card[i], card) && cards->card[i].node != card->node)
			return cards->card[i].node;
	return -1;
}

static void check_node(struct check *c, const struct numa *numa, const struct node_card *card)
{
	int planned = planned_node(&c->limits, card->serial);
	const struct numa_node *node = numa_find(numa, card->node);
	char expected[64] = "a node with processors and memory, one for the whole board";

	if (planned >= 0)
		snprintf(expected, sizeof(expected), "node %d, as in the limits", planned);
	if (card->node < 0 && numa->count > 1)
		add_finding(
			c, VERDICT_FAIL, card->subject, expected,
			"update the machine's firmware: its ACPI tables do not assign a node to the slot",
			"unknown");
	else if (card->node < 0 && numa->count)
		add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "the only node");
	else if (planned >= 0 && card->node != planned)
		add_finding(c, VERDICT_FAIL, card->subject, expected,
			    "put the card into a slot of the other socket, or correct the limits",
			    "node %d", card->node);
	else if (!node || !node->has_cpus)
		add_finding(c, VERDICT_FAIL, card->subject, expected,
			    "put the card into a slot of a socket with a processor",
			    "node %d, which %s", card->node,
			    node ? "has no processors" : "does not exist");
	else if (other_node(&c->cards, card) >= 0)
		add_finding(
			c, VERDICT_FAIL, card->subject, expected,
			"update the machine's firmware, or use a slot whose lanes belong to one socket",
			"node %d, the other endpoint is on node %d", card->node,
			other_node(&c->cards, card));
	else
		add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "node %d", card->node);
}

void rule_numa_node(struct check *c)
{
	struct numa numa;
	int err = numa_read(&c->tree, &numa);
	size_t i;

	if (err) {
		add_unread(c, NULL, "NUMA nodes", err, nodes_file);
		return;
	}
	for (i = 0; i < c->cards.count; i++)
		check_node(c, &numa, &c->cards.card[i]);
}

void rule_numa_balance(struct check *c)
{
	unsigned int least = ~0u, most = 0;
	char expected[64], found[256];
	struct numa numa;
	size_t n, i, used = 0;
	int err = numa_read(&c->tree, &numa);

	snprintf(expected, sizeof(expected), "nodes that differ by %lld cards at most",
		 (long long)c->limits.node_imbalance);
	if (err) {
		add_unread(c, NULL, expected, err, nodes_file);
		return;
	}
	found[0] = '\0';
	for (n = 0; c->cards.count && n < numa.count; n++) {
		unsigned int boards = 0;

		if (!numa.node[n].has_cpus)
			continue;
		for (i = 0; i < c->cards.count; i++)
			boards += numa_find(&numa, c->cards.card[i].node) == &numa.node[n] &&
				  node_card_first(&c->cards, i);
		least = boards < least ? boards : least;
		most = boards > most ? boards : most;
		if (used < sizeof(found))
			used += (size_t)snprintf(found + used, sizeof(found) - used,
						 "%s%u on node %d", used ? ", " : "", boards,
						 numa.node[n].number);
	}
	if (!used)
		return;
	if (most - least > (unsigned int)c->limits.node_imbalance)
		add_finding(c, VERDICT_WARN, NULL, expected,
			    "move a card to a slot of the other socket", "%s", found);
	else
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%s", found);
}

void rule_sub_numa(struct check *c)
{
	char expected[64], socket[24];
	struct numa numa;
	int err = numa_read(&c->tree, &numa);
	size_t n, k;

	snprintf(expected, sizeof(expected), "%lld node%s per socket",
		 (long long)c->limits.nodes_per_socket, c->limits.nodes_per_socket == 1 ? "" : "s");
	if (err) {
		add_unread(c, NULL, expected, err, nodes_file);
		return;
	}
	for (n = 0; n < numa.count; n++) {
		const struct numa_node *node = &numa.node[n];
		unsigned int count = 0;
		bool first = true;

		if (!node->has_cpus)
			continue;
		if (node->socket < 0) {
			add_unread(c, NULL, expected, -ENOENT, "the socket of node %d",
				   node->number);
			continue;
		}
		for (k = 0; k < numa.count; k++) {
			if (!numa.node[k].has_cpus || numa.node[k].socket != node->socket)
				continue;
			count++;
			first &= k >= n;
		}
		if (!first)
			continue;
		snprintf(socket, sizeof(socket), "socket %d", node->socket);
		add_finding(
			c, count > c->limits.nodes_per_socket ? VERDICT_WARN : VERDICT_PASS, socket,
			expected,
			count > c->limits.nodes_per_socket
				? "switch sub-NUMA clustering (SNC, NPS, cluster on die) off in the setup of the machine's firmware"
				: NULL,
			"%u", count);
	}
}

/* Whether a translating IOMMU is in front of this endpoint. Then memory need not be contiguous. */
static bool translated(const struct check *c, const struct node_card *card)
{
	char type[32];

	return !tree_text(&c->tree, type, sizeof(type), "sys/bus/pci/devices/%s/iommu_group/type",
			  card->address) &&
	       !strncmp(type, "DMA", 3);
}

#define MIB(bytes) ((unsigned long long)((bytes) >> 20))
#define GIB_UP(bytes) ((unsigned long long)(((bytes) + (1 << 30) - 1) >> 30))

/* Bytes of huge pages that the cards of this node need; false: the node has no card. */
static bool huge_need(const struct check *c, const struct numa *numa, const struct numa_node *node,
		      uint64_t *need)
{
	bool any = false;
	size_t i;

	*need = 0;
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		if (numa_find(numa, card->node) != node)
			continue;
		any = true;
		if (!translated(c, card))
			*need += (uint64_t)card->pools * c->limits.memory_per_channel;
	}
	return any;
}

/*
 * The boot parameter must have all nodes: a second one for the same page size replaces the first.
 */
static void huge_cure(const struct check *c, const struct numa *numa, const struct numa_node *node,
		      char *text, size_t size)
{
	char list[NUMA_NODES * 16] = "", folder[64] = "/sys/kernel/mm/hugepages";
	size_t n, used = 0;
	uint64_t need;

	for (n = 0; numa->count > 1 && n < numa->count; n++) {
		huge_need(c, numa, &numa->node[n], &need);
		if (need && used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d:%llu",
						 used ? "," : "", numa->node[n].number,
						 GIB_UP(need));
	}
	huge_need(c, numa, node, &need);
	if (numa->count > 1)
		snprintf(folder, sizeof(folder), "%s/node%d/hugepages", nodes_file, node->number);
	else
		snprintf(list, sizeof(list), "%llu", GIB_UP(need));
	snprintf(
		text, size,
		"boot with hugepagesz=1G hugepages=%s, or write %llu to %s/hugepages-1048576kB/nr_hugepages",
		list, GIB_UP(need), folder);
}

void rule_hugepages(struct check *c)
{
	struct numa numa;
	int err = numa_read(&c->tree, &numa);
	size_t n;

	if (err) {
		add_unread(c, NULL, "huge pages on the nodes of the cards", err, nodes_file);
		return;
	}
	for (n = 0; n < numa.count; n++) {
		char subject[24], expected[80], cure[NUMA_NODES * 16 + 256];
		const struct numa_node *node = &numa.node[n];
		uint64_t need;

		if (!huge_need(c, &numa, node, &need))
			continue;
		snprintf(subject, sizeof(subject), "node %d", node->number);
		snprintf(expected, sizeof(expected), "%llu MiB free for the cards of the node",
			 MIB(need));
		if (node->huge_err) {
			add_unread(c, subject, expected, node->huge_err, "the node's hugepages");
			continue;
		}
		huge_cure(c, &numa, node, cure, sizeof(cure));
		add_finding(c,
			    node->huge < need	     ? VERDICT_FAIL
			    : node->huge_free < need ? VERDICT_WARN
						     : VERDICT_PASS,
			    subject, expected,
			    node->huge < need ? cure
			    : node->huge_free < need
				    ? "stop the programs that use huge pages, or reserve more"
				    : NULL,
			    "%llu MiB, %llu MiB free", MIB(node->huge), MIB(node->huge_free));
	}
}

/* Read the set of processors that receive an interrupt. */
static int read_affinity(const struct check *c, const char *irq, struct tree_set *set)
{
	char text[TREE_TEXT_MAX];
	int err =
		tree_text(&c->tree, text, sizeof(text), "proc/irq/%s/effective_affinity_list", irq);

	if (err || !*text)
		err = tree_text(&c->tree, text, sizeof(text), "proc/irq/%s/smp_affinity_list", irq);
	return err ? err : tree_set_read(text, set);
}

static void check_interrupts(struct check *c, const struct node_card *card,
			     const struct numa_node *node)
{
	static const char expected[] = "interrupts on processors of the card's node";
	struct tree_names irqs;
	struct tree_set set;
	size_t i, wrong = 0;
	int err;

	err = tree_list(&c->tree, &irqs, "sys/bus/pci/devices/%s/msi_irqs", card->address);
	if (err == -ENOENT || (!err && !irqs.count)) {
		add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "no interrupts");
		goto out;
	}
	for (i = 0; !err && i < irqs.count; i++) {
		err = read_affinity(c, irqs.name[i], &set);
		wrong += !err && !tree_sets_meet(&set, &node->cpus);
	}
	if (err)
		add_unread(c, card->subject, expected, err, "/proc/irq/%s",
			   i ? irqs.name[i - 1] : "");
	else if (wrong)
		add_finding(
			c, VERDICT_WARN, card->subject, expected,
			"write processors of the node to /proc/irq/N/smp_affinity_list, and keep irqbalance from changing it",
			"%zu of %zu are on other nodes", wrong, irqs.count);
	else
		add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "%zu", irqs.count);
out:
	free(irqs.name);
}

void rule_irq_affinity(struct check *c)
{
	struct numa numa;
	int err = numa_read(&c->tree, &numa);
	size_t i;

	if (err) {
		add_unread(c, NULL, "interrupts on processors of the card's node", err, nodes_file);
		return;
	}
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		const struct numa_node *node = numa_find(&numa, card->node);

		if (node && node->has_cpus)
			check_interrupts(c, card, node);
		else
			add_finding(c, VERDICT_UNKNOWN, card->subject, "a known node",
				    "see the rule numa-node", "the node of the card is unknown");
	}
}
