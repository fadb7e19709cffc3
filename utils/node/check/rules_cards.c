// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules for the presence and the state of driver, cards and their firmware.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <roc/firmware.h>
#include <roc/roc.h>

#include "utils/common/card.h"

void rule_driver(struct check *c)
{
	const struct limits_texts *allowed = &c->limits.drivers;
	char expected[256], version[LIMITS_TEXT_MAX];
	size_t i, used = 0;
	int err;

	used = (size_t)snprintf(expected, sizeof(expected), "version %s",
				allowed->count ? allowed->text[0] : roc_version());
	for (i = 1; i < allowed->count && used < sizeof(expected); i++)
		used += (size_t)snprintf(expected + used, sizeof(expected) - used, " or %s",
					 allowed->text[i]);
	if (!tree_exists(&c->tree, "sys/module/roc")) {
		add_finding(
			c, VERDICT_FAIL, NULL, expected,
			"sudo modprobe roc; if modprobe does not find the module, install it first with make dkms-install",
			"not loaded");
		return;
	}
	err = tree_text(&c->tree, version, sizeof(version), "sys/module/roc/version");
	if (err) {
		add_unread(c, NULL, expected, err, "/sys/module/roc/version");
		return;
	}
	for (i = 0; i < allowed->count && strcmp(allowed->text[i], version); i++)
		;
	if (allowed->count ? i < allowed->count : !strcmp(version, roc_version()))
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "version %s", version);
	else
		add_finding(
			c, VERDICT_FAIL, NULL, expected,
			"install that version (make install, make dkms-install), then sudo modprobe -r roc && sudo modprobe roc; or add this version to drivers of the limits",
			"version %s", version);
}

static bool planned(const struct limits *limits, int serial)
{
	size_t i;

	for (i = 0; i < limits->cards; i++)
		if (limits->card[i].serial == serial)
			return true;
	return false;
}

static bool has_serial(const struct node_cards *cards, int serial)
{
	size_t i;

	for (i = 0; i < cards->count; i++)
		if (cards->card[i].serial == serial)
			return true;
	return false;
}

static void check_boards(struct check *c)
{
	size_t i;

	for (i = 0; i < c->cards.boards; i++) {
		const struct node_board *b = &c->cards.board[i];

		if (b->shared_id)
			add_finding(
				c, VERDICT_WARN, b->address,
				"driver roc, if this is a readout card",
				"sudo modprobe roc; if the driver refuses the card, the kernel log gives the reason; a development kit with this ID needs no driver",
				"the ID of an early CRU, with %s%s",
				*b->driver ? "driver " : "no driver", b->driver);
		else
			add_finding(
				c, VERDICT_FAIL, b->address, "driver roc",
				*b->driver
					? "unload that driver, then sudo modprobe -r roc && sudo modprobe roc"
					: "sudo modprobe roc; if roc is loaded, the kernel log has the reason why it refused the card",
				"%s with %s%s", b->kind->name, *b->driver ? "driver " : "no driver",
				b->driver);
	}
}

static void check_plan(struct check *c)
{
	char serial[24];
	size_t i;

	for (i = 0; i < c->limits.cards; i++) {
		if (has_serial(&c->cards, c->limits.card[i].serial))
			continue;
		snprintf(serial, sizeof(serial), "%d", c->limits.card[i].serial);
		add_finding(
			c, VERDICT_FAIL, serial, "the card, as in the limits",
			"lspci -nnk -d 10dc: (early CRUs: -d 1172:e001) shows whether the card is in a slot; reseat the card, or correct the limits",
			"not found");
	}
	for (i = 0; c->limits.cards && i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		if (card->serial < 0 || planned(&c->limits, card->serial) ||
		    !node_card_first(&c->cards, i))
			continue;
		add_finding(c, VERDICT_WARN, card->subject, "only cards of the limits",
			    "add the card to cards of the limits, or remove it",
			    "an additional card");
	}
}

void rule_cards(struct check *c)
{
	static const char expected[] = "cards, all with driver roc";
	size_t before = c->count, boards = 0, i;

	check_boards(c);
	check_plan(c);
	if (!c->cards.count && c->count == before)
		add_finding(
			c, VERDICT_FAIL, NULL, expected,
			"lspci -nnk -d 10dc: (early CRUs: -d 1172:e001) shows whether a card is in a slot, and its driver",
			"no card");
	if (c->count > before)
		return;
	for (i = 0; i < c->cards.count; i++) {
		boards += node_card_first(&c->cards, i);
		if (!c->cards.card[i].kind)
			add_finding(c, VERDICT_UNKNOWN, c->cards.card[i].subject, expected,
				    "install tools of the version of the driver",
				    "a card type that these tools do not support");
	}
	if (c->count == before)
		add_finding(c, VERDICT_PASS, NULL, expected, NULL, "%zu", boards);
}

/* The endpoints of the board as a bit mask, and whether a number occurs twice. */
static unsigned int board_endpoints(const struct node_cards *cards, const struct node_card *of,
				    bool *twice)
{
	unsigned int bits = 0;
	size_t i;

	*twice = false;
	for (i = 0; i < cards->count; i++) {
		const struct node_card *card = &cards->card[i];

		if (!node_same_board(card, of) || card->endpoint < 0 || card->endpoint > 31)
			continue;
		*twice |= bits >> card->endpoint & 1;
		bits |= 1u << card->endpoint;
	}
	return bits;
}

static void board(struct check *c, const struct node_card *card)
{
	char serial[24], expected[32];
	unsigned int bits;
	int endpoints, i;
	bool twice;

	endpoints = card->kind->endpoints;
	snprintf(serial, sizeof(serial), "%d", card->serial);
	snprintf(expected, sizeof(expected), endpoints == 1 ? "endpoint 0" : "endpoints 0 to %d",
		 endpoints - 1);
	bits = board_endpoints(&c->cards, card, &twice);
	if (twice) {
		add_finding(c, VERDICT_FAIL, serial, "each endpoint once",
			    "two boards have the same serial number: change the number of one",
			    "an endpoint number occurs twice");
		return;
	}
	for (i = 0; i < endpoints && bits >> i & 1; i++)
		;
	if (i == endpoints)
		add_finding(c, VERDICT_PASS, serial, expected, NULL, "%s", expected);
	else
		add_finding(
			c, VERDICT_FAIL, serial, expected,
			"enable bifurcation of the slot in the setup of the machine's firmware (x8x8 for a CRU), reseat the card, or look for another driver in lspci -nnk",
			"endpoint %d is missing", i);
}

void rule_endpoints(struct check *c)
{
	size_t i;

	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];

		if (!card->kind)
			add_finding(c, VERDICT_UNKNOWN, card->subject, "a supported card",
				    "install tools of the version of the driver",
				    "a card type that these tools do not support");
		else if (card->serial < 0 || card->endpoint < 0)
			add_finding(
				c, VERDICT_FAIL, card->subject, "a serial number and an endpoint",
				"load the firmware of the card again; a card without a number cannot be distinguished from others",
				"no %s", card->serial < 0 ? "serial number" : "endpoint number");
		else if (node_card_first(&c->cards, i))
			board(c, card);
	}
}

void rule_firmware(struct check *c)
{
	static const char expected[] = "firmware on the list (roc-fw-check)";
	char site[TREE_ROOT_MAX + 64], text[80];
	struct roc_firmware_list *list;
	size_t i;

	tree_path(&c->tree, site, sizeof(site), "%s", &ROC_FIRMWARE_SITE[1]);
	if (roc_firmware_open(&(struct roc_firmware_paths){.site = site}, &list)) {
		add_finding(c, VERDICT_UNKNOWN, NULL, expected, "correct or remove this file", "%s",
			    roc_error());
		return;
	}
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		enum roc_firmware_state state;
		const char *tag;

		state = roc_firmware_find_for(list, card->kind ? card->kind->type : 0,
					      card->firmware, &tag);
		snprintf(text, sizeof(text), "%s%s%s", tag ? tag : "", tag ? " " : "",
			 *card->firmware ? card->firmware : "unknown");
		if (!card->kind)
			add_finding(c, VERDICT_UNKNOWN, card->subject, expected,
				    "install tools of the version of the driver", "%s", text);
		else if (!roc_firmware_check(list, card->kind->type, card->firmware))
			add_finding(c, VERDICT_PASS, card->subject, expected, NULL, "%s", text);
		else if (state == ROC_FIRMWARE_UNKNOWN &&
			 !roc_firmware_covers(list, card->kind->type))
			add_finding(
				c, VERDICT_UNKNOWN, card->subject, expected,
				"ask the developers of the firmware whether it is suitable, then add it to /etc/o2.d/readoutcard/o2-roc-fw-list.json",
				"%s: the list has no firmware for %s", text, card->kind->name);
		else
			add_finding(
				c, VERDICT_FAIL, card->subject, expected,
				"load accepted firmware (roc-fw-check names it), or add this firmware to /etc/o2.d/readoutcard/o2-roc-fw-list.json",
				"%s: %s", text,
				state == ROC_FIRMWARE_DENIED ? "known to be faulty"
				: state == ROC_FIRMWARE_OLD  ? "no longer accepted"
							     : "not on the list");
	}
	roc_firmware_close(list);
}

/* Read the sensor of the board in millidegrees Celsius. */
static int read_sensor(const struct check *c, const struct node_card *card, long long *value)
{
	struct tree_names names;
	int err = tree_list(&c->tree, &names, "sys/bus/pci/devices/%s/hwmon", card->address);

	if (!err)
		err = names.count ? tree_number(&c->tree, value,
						"sys/bus/pci/devices/%s/hwmon/%s/temp1_input",
						card->address, names.name[0])
				  : -ENOENT;
	free(names.name);
	return err;
}

void rule_temperature(struct check *c)
{
	const struct limits *l = &c->limits;
	char expected[64];
	long long value;
	size_t i;
	int err;

	snprintf(expected, sizeof(expected), "below %lld C", (long long)l->temperature_warn);
	for (i = 0; i < c->cards.count; i++) {
		const struct node_card *card = &c->cards.card[i];
		enum verdict verdict;

		if (!card->kind || !card->kind->sensor || card->endpoint > 0)
			continue;
		err = read_sensor(c, card, &value);
		if (err) {
			add_unread(c, card->subject, expected, err, "the card's sensor (hwmon)");
			continue;
		}
		verdict = value >= 1000 * l->temperature_fail	? VERDICT_FAIL
			  : value >= 1000 * l->temperature_warn ? VERDICT_WARN
								: VERDICT_PASS;
		add_finding(
			c, verdict, card->subject, expected,
			verdict ? "set the fans to full speed in the setup of the machine's firmware, cover empty slots, and leave the slot beside the card free; the card needs an air flow of 3 m/s"
				: NULL,
			"%.1f C", (double)value / 1000);
	}
}
