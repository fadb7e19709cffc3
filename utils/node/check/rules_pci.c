// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for the PCI Express bus, for each endpoint and its upstream port. Speed, width and error
 * counters are world-readable in sysfs. The other values are in the PCI Express capability, which
 * only root may read (with libpci).
 */
#include "check.h"

#include <pci/header.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define PORT_MAX 16

void rule_link_speed(struct check *c)
{
	static const char same[] = "the maximum speed of the card";
	char expected[64];
	long now, can;
	size_t i;
	int err;

	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		err = node_pci_speed(&c->tree, card->address, "current_link_speed", &now);
		if (!err)
			err = node_pci_speed(&c->tree, card->address, "max_link_speed", &can);
		if (err) {
			add_unread(c, card->subject, same, err, "the speed of the link");
			continue;
		}
		snprintf(expected, sizeof(expected), "%.1f GT/s, the maximum of the card",
			 (double)can / 100);
		add_finding(
			c, now < can ? VERDICT_FAIL : VERDICT_PASS, card->subject, expected,
			now < can
				? "set the speed of the slot to automatic in the setup of the machine's firmware, reseat the card, or try without a riser"
				: NULL,
			"%.1f GT/s", (double)now / 100);
	}
}

void rule_link_width(struct check *c)
{
	static const char same[] = "all lanes of the card";
	char expected[64];
	long now, can;
	size_t i;
	int err;

	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		err = node_pci_width(&c->tree, card->address, "current_link_width", &now);
		if (!err)
			err = node_pci_width(&c->tree, card->address, "max_link_width", &can);
		if (err) {
			add_unread(c, card->subject, same, err, "the width of the link");
			continue;
		}
		snprintf(expected, sizeof(expected), "x%ld, the maximum of the card", can);
		add_finding(
			c, now < can ? VERDICT_FAIL : VERDICT_PASS, card->subject, expected,
			now < can
				? "use a slot with this number of lanes, enable its bifurcation in the setup of the machine's firmware (x8x8 for a CRU), or reseat the card"
				: NULL,
			"x%ld", now);
	}
}

/*
 * Read the capability of the endpoint and of its port. *@there: the port exists and could be read.
 */
static int read_both(const struct check *c, const struct node_card *card, struct node_pci *pci,
		     struct node_pci *port, bool *there)
{
	char name[PORT_MAX];

	*there = !node_pci_port(&c->tree, card->address, name, sizeof(name)) &&
		 !node_pci_read(&c->tree, name, port);
	return node_pci_read(&c->tree, card->address, pci);
}

void rule_max_payload(struct check *c)
{
	long limit = (long)c->limits.max_payload;
	struct node_pci pci, port;
	char expected[64];
	size_t i;
	int err;

	snprintf(expected, sizeof(expected), "%ld bytes or more, on card and port", limit);
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		bool there;

		err = read_both(c, card, &pci, &port, &there);
		if (err)
			add_unread(c, card->subject, expected, err, "the PCI Express capability");
		else if (there && node_pci_payload(&pci) > node_pci_payload(&port))
			add_finding(c, VERDICT_FAIL, card->subject, expected,
				    "boot with pci=pcie_bus_safe, or without pci=pcie_bus_tune_off",
				    "%u bytes, the port accepts %u", node_pci_payload(&pci),
				    node_pci_payload(&port));
		else if (node_pci_payload(&pci) < limit)
			add_finding(
				c, VERDICT_WARN, card->subject, expected,
				"boot with pci=pcie_bus_safe, or raise the maximum payload in the setup of the machine's firmware",
				"%u bytes, the card supports %u", node_pci_payload(&pci),
				node_pci_payload_max(&pci));
		else
			add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "%u bytes",
				    node_pci_payload(&pci));
	}
}

void rule_max_read_request(struct check *c)
{
	long limit = (long)c->limits.max_read_request;
	char expected[64], cure[160];
	struct node_pci pci;
	size_t i;
	int err;

	snprintf(expected, sizeof(expected), "%ld bytes or more", limit);
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		err = node_pci_read(&c->tree, card->address, &pci);
		if (err)
			add_unread(c, card->subject, expected, err, "the PCI Express capability");
		else if (node_pci_read_request(&pci) >= limit)
			add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "%u bytes",
				    node_pci_read_request(&pci));
		else {
			snprintf(
				cure, sizeof(cure),
				"raise the value in the setup of the machine's firmware, or after each boot: sudo setpci -s %s CAP_EXP+8.w=%x000:7000",
				card->address, node_pci_request_code(limit));
			add_finding(c, VERDICT_WARN, card->subject, expected, cure, "%u bytes",
				    node_pci_read_request(&pci));
		}
	}
}

/* Read the policy in brackets, as in "default performance [powersave] powersupersave". */
static void read_policy(const struct check *c, char *policy, size_t size)
{
	char text[128], *begin, *end;

	policy[0] = '\0';
	if (tree_text(&c->tree, text, sizeof(text), "sys/module/pcie_aspm/parameters/policy"))
		return;
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end)
		snprintf(policy, size, "%.*s", (int)(end - begin - 1), begin + 1);
}

void rule_aspm(struct check *c)
{
	static const char expected[] = "no sleep states of the link (ASPM)";
	struct node_pci pci, port;
	char policy[32];
	size_t i;
	int err;

	read_policy(c, policy, sizeof(policy));
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		unsigned int on;
		bool there;

		err = read_both(c, card, &pci, &port, &there);
		if (err) {
			add_unread(c, card->subject, expected, err, "the PCI Express capability");
			continue;
		}
		on = (pci.link_control | (there ? port.link_control : 0)) & PCI_EXP_LNKCTL_ASPM;
		if (on)
			add_finding(
				c, VERDICT_FAIL, card->subject, expected,
				"switch ASPM off in the setup of the machine's firmware, or boot with pcie_aspm.policy=performance",
				"%s%s%s enabled", on & 1 ? "L0s" : "", on == 3 ? " and " : "",
				on & 2 ? "L1" : "");
		else if (!strncmp(policy, "power", 5))
			add_finding(c, VERDICT_WARN, card->subject, expected,
				    "boot with pcie_aspm.policy=performance",
				    "off, but the kernel's policy is %s", policy);
		else
			add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "off");
	}
}

/* Read the total in the last line, as in "TOTAL_ERR_COR 0". */
static int read_errors(const struct check *c, const char *address, const char *kind,
		       unsigned long long *count)
{
	char text[TREE_TEXT_MAX], *total, *end;
	int err = tree_text(&c->tree, text, sizeof(text), "sys/bus/pci/devices/%s/aer_dev_%s",
			    address, kind);

	if (err)
		return err;
	total = strstr(text, "TOTAL_ERR_");
	total = total ? strchr(total, ' ') : NULL;
	if (!total || total[1] < '0' || total[1] > '9')
		return -EINVAL;
	errno = 0;
	*count = strtoull(total + 1, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

static void check_errors(struct check *c, const char *subject, const char *address,
			 const char *where)
{
	static const char expected[] = "none";
	static const char cure[] =
		"reseat card and riser, and check the cooling; the counters are reset at each boot";
	unsigned long long fatal, nonfatal, correctable;
	int err = read_errors(c, address, "fatal", &fatal);

	if (!err)
		err = read_errors(c, address, "nonfatal", &nonfatal);
	if (!err)
		err = read_errors(c, address, "correctable", &correctable);
	if (err)
		add_unread(c, subject, expected, err, "error counters of %s %s", where, address);
	else if (fatal || nonfatal)
		add_finding(c, VERDICT_FAIL, subject, expected, cure,
			    "%s: %llu fatal, %llu not fatal", where, fatal, nonfatal);
	else if (correctable > (unsigned long long)c->limits.correctable_errors)
		add_finding(c, VERDICT_WARN, subject, expected, cure, "%s: %llu corrected", where,
			    correctable);
	else
		add_finding(c, VERDICT_PASS, subject, expected, NULL,
			    "%s: %llu corrected, 0 others", where, correctable);
}

void rule_aer(struct check *c)
{
	char port[PORT_MAX];
	size_t i;

	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		check_errors(c, card->subject, card->address, "card");
		if (!node_pci_port(&c->tree, card->address, port, sizeof(port)))
			check_errors(c, card->subject, port, "port");
	}
}
