// SPDX-License-Identifier: GPL-2.0-or-later
/* Test card ids and the parsing of sysfs attributes, without a sysfs. */
#include <errno.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* The sentence of the last failure has this in it. */
static void pci_addresses(void)
{
	static const struct {
		const char *text;
		long domain;
		unsigned int bus, device, function;
	} good[] = {
		{"3b:00.0", -1, 0x3b, 0, 0},	{"0000:3b:00.0", 0, 0x3b, 0, 0},
		{"FF:1f.7", -1, 0xff, 0x1f, 7}, {"10000:e1:00.1", 0x10000, 0xe1, 0, 1},
		{"1:2.3", -1, 1, 2, 3},		{"abcd:00:1A.0", 0xabcd, 0, 0x1a, 0},
	};
	struct libroc_id id;
	size_t i;

	for (i = 0; i < N(good); i++) {
		UNIT_EQ(libroc_id_parse(good[i].text, &id), 0);
		UNIT_EQ(id.kind, LIBROC_ID_PCI);
		UNIT_EQ(id.domain, good[i].domain);
		UNIT_EQ(id.bus, good[i].bus);
		UNIT_EQ(id.device, good[i].device);
		UNIT_EQ(id.function, good[i].function);
	}
}

static void serials(void)
{
	static const struct {
		const char *text;
		int serial, endpoint;
	} good[] = {
		{"0", 0, -1},		{"7", 7, -1},	       {"10243", 10243, -1},
		{"999999", 999999, -1}, {"10243:0", 10243, 0}, {"245:1", 245, 1},
		{"245:12", 245, 12},	{"000245", 245, -1},
	};
	struct libroc_id id;
	size_t i;

	for (i = 0; i < N(good); i++) {
		UNIT_EQ(libroc_id_parse(good[i].text, &id), 0);
		UNIT_EQ(id.kind, LIBROC_ID_SERIAL);
		UNIT_EQ(id.serial, good[i].serial);
		UNIT_EQ(id.endpoint, good[i].endpoint);
	}
}

/* Any number: existing software accepts only 0 to 7. */
static void sequence_numbers(void)
{
	static const int good[] = {0, 7, 8, 9, 18, 99, 2147483647};
	struct libroc_id id;
	char text[16];
	size_t i;

	for (i = 0; i < N(good); i++) {
		snprintf(text, sizeof(text), "#%d", good[i]);
		UNIT_EQ(libroc_id_parse(text, &id), 0);
		UNIT_EQ(id.kind, LIBROC_ID_SEQUENCE);
		UNIT_EQ(id.sequence, good[i]);
	}
}

static void malformed_ids(void)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"", "empty"},
		{"zz", "serial[:endpoint]"},
		{" 245", "serial[:endpoint]"},
		{"245 ", "serial[:endpoint]"},
		{"-1", "serial[:endpoint]"},
		{"+5", "serial[:endpoint]"},
		{"0x12", "serial[:endpoint]"},
		{"245x", "serial[:endpoint]"},
		{"1234567", "has 7 digits, more than 6"},
		{"1234567:0", "has 7 digits, more than 6"},
		{"245:", "endpoint after ':'"},
		{"245:x", "endpoint after ':'"},
		{"245:-1", "endpoint after ':'"},
		{"245:100", "endpoint after ':'"},
		{"245:0:0", "endpoint after ':'"},
		{"3b:00", "serial[:endpoint]"},
		{"10:00",
		 NULL}, /* serial 10, endpoint 0: fine, although a PCI address in the making */
		{"3b:00.", "not a PCI address"},
		{".0", "not a PCI address"},
		{"3b.0", "not a PCI address"},
		{"3b:00.0 ", "not a PCI address"},
		{" 3b:00.0", "not a PCI address"},
		{"3b:00.00", "not a PCI address"},
		{"3b::00.0", "not a PCI address"},
		{"0:0000:3b:00.0", "not a PCI address"},
		{"0x3b:00.0", "not a PCI address"},
		{"3b:00.g", "not a PCI address"},
		{"123456789:3b:00.0", "not a PCI address"},
		{"100:00.0", "bus 100 is above ff"},
		{"0000:100:00.0", "bus 100 is above ff"},
		{"3b:20.0", "device 20 is above 1f"},
		{"3b:00.8", "function 8 is above 7"},
		{"#", "decimal number"},
		{"#x", "decimal number"},
		{"#1x", "decimal number"},
		{"#-1", "decimal number"},
		{"# 1", "decimal number"},
		{"##1", "decimal number"},
		{"#2147483648", "above 2147483647"},
		{"#99999999999999999999", "decimal number"},
		{"000000000000000000000000000000000000000000000000000000000000000000", "too long"},
	};
	struct libroc_id id;
	size_t i;

	for (i = 0; i < N(bad); i++) {
		int ret = libroc_id_parse(bad[i].text, &id);

		UNIT_EQ(ret, bad[i].error ? -EINVAL : 0);
		if (ret != (bad[i].error ? -EINVAL : 0) ||
		    (bad[i].error && !strstr(roc_error(), bad[i].error)))
			CU_assertImplementation(CU_FALSE, __LINE__, bad[i].text, roc_error(), "",
						CU_FALSE);
	}
	UNIT_EQ(libroc_id_parse(NULL, &id), -EINVAL);
}

/* Attributes as name, value, name, value, ..., NULL. */
static const char *pair_attr(void *context, const char *name)
{
	const char *const *pair;

	for (pair = context; *pair; pair += 2)
		if (!strcmp(pair[0], name))
			return pair[1];
	return NULL;
}

static unsigned int attr_reads;

static const char *counted_attr(void *context, const char *name)
{
	attr_reads++;
	return pair_attr(context, name);
}

static void attributes(void)
{
	const char *full[] = {
		"card_type", "cru",	"serial",     "10243", "endpoint",    "1",
		"firmware",  "d1c9f4b", "user_logic", "",      "pci_address", "0000:3b:00.0",
		"numa_node", "1",	"channels",   "1",     NULL};
	const char *unknown[] = {"card_type",	"future",	"serial",    "-1", "endpoint", "-1",
				 "pci_address", "0000:3b:00.0", "numa_node", "-1", "channels", "6",
				 NULL};
	const char *broken[] = {"card_type",   "crorc",	       "serial",
				"12junk",      "endpoint",     "",
				"pci_address", "0000:3b:00.0", "numa_node",
				"99999999999", "firmware",     "0123456789abcdef",
				NULL};
	const char *gone[] = {"card_type", "cru", NULL};
	struct roc_card card;

	UNIT_EQ(libroc_card_parse("roc12", pair_attr, full, &card), 0);
	UNIT_EQ(card.minor, 12);
	UNIT_EQ(card.type, ROC_CARD_CRU);
	UNIT_EQ(card.serial, 10243);
	UNIT_EQ(card.endpoint, 1);
	UNIT_EQ(card.numa_node, 1);
	UNIT_EQ(card.channels, 1);
	UNIT_STR(card.pci_address, "0000:3b:00.0");
	UNIT_STR(card.firmware, "d1c9f4b");
	UNIT_STR(card.user_logic, "");
	UNIT_STR(card.node, "/dev/roc12");

	UNIT_EQ(libroc_card_parse("roc0", pair_attr, unknown, &card), 0);
	UNIT_EQ(card.type, 0);
	UNIT_STR(roc_card_type_name(card.type), "unknown");
	UNIT_EQ(card.serial, -1);
	UNIT_EQ(card.endpoint, -1);
	UNIT_EQ(card.numa_node, -1);
	UNIT_STR(card.firmware, "");

	/* An invalid or too large number is unknown instead of truncated. */
	UNIT_EQ(libroc_card_parse("roc0", pair_attr, broken, &card), 0);
	UNIT_STR(roc_card_type_name(card.type), "CRORC");
	UNIT_EQ(card.serial, -1);
	UNIT_EQ(card.endpoint, -1);
	UNIT_EQ(card.numa_node, -1);
	UNIT_STR(card.firmware, "");

	/* Each attribute is a file: the identity needs only three. */
	attr_reads = 0;
	UNIT_EQ(libroc_card_identify("roc12", counted_attr, full, &card), 0);
	UNIT_EQ(attr_reads, 3);
	UNIT_EQ(card.minor, 12);
	UNIT_EQ(card.serial, 10243);
	UNIT_EQ(card.endpoint, 1);
	UNIT_STR(card.pci_address, "0000:3b:00.0");

	UNIT_EQ(libroc_card_parse("roc0", pair_attr, gone, &card), -ENOENT);
	UNIT_EQ(libroc_card_parse("roc0ch0", pair_attr, full, &card), -ENOENT);
	UNIT_EQ(libroc_card_parse("rocket", pair_attr, full, &card), -ENOENT);
	UNIT_EQ(libroc_card_parse("sda", pair_attr, full, &card), -ENOENT);
}

static struct roc_card card_with(const char *address, int serial, int endpoint)
{
	struct roc_card card = {.type = ROC_CARD_CRU, .serial = serial, .endpoint = endpoint};

	snprintf(card.pci_address, sizeof(card.pci_address), "%s", address);
	return card;
}

static void order_is_by_address(void)
{
	struct roc_card cards[] = {
		card_with("10000:01:00.0", 3, 0), card_with("f000:01:00.0", 5, 0),
		card_with("0000:af:00.0", 2, 0),  card_with("0001:01:00.0", 4, 0),
		card_with("0000:3b:00.1", 1, 1),  card_with("0000:3b:00.0", 1, 0),
	};

	libroc_cards_sort(cards, N(cards));
	UNIT_STR(cards[0].pci_address, "0000:3b:00.0");
	UNIT_STR(cards[1].pci_address, "0000:3b:00.1");
	UNIT_STR(cards[2].pci_address, "0000:af:00.0");
	UNIT_STR(cards[3].pci_address, "0001:01:00.0");
	UNIT_STR(cards[4].pci_address, "f000:01:00.0");
	UNIT_STR(cards[5].pci_address, "10000:01:00.0");
	UNIT_EQ(cards[5].sequence, 5);
}

static void ids_choose_cards(void)
{
	struct roc_card cards[] = {
		card_with("0000:3b:00.0", 245, 1), card_with("0000:3c:00.0", 245, 0),
		card_with("0000:af:00.0", 246, 0), card_with("0001:af:00.0", 246, 1),
		card_with("0000:b0:00.0", 300, 0), card_with("0000:b1:00.0", 300, 0),
		card_with("0000:b2:00.0", -1, -1), card_with("0000:b3:00.0", -1, -1),
	};
	static const struct {
		/* address NULL: rejected with err and an error text that contains text */
		const char *id, *address;
		int err;
		const char *error;
	} cases[] = {
		{"3b:00.0", "0000:3b:00.0", 0, NULL},
		{"0000:3B:0.0", "0000:3b:00.0", 0, NULL},
		{"1:af:00.0", "0001:af:00.0", 0, NULL},
		{"af:00.0", NULL, ENOTUNIQ, "0000:af:00.0 and 0001:af:00.0"},
		{"2:3b:00.0", NULL, ENOENT, "there are #0 CRU 245:1 at 0000:3b:00.0, #1"},
		{"245", "0000:3c:00.0", 0, NULL}, /* the lowest endpoint, not the first address */
		{"245:1", "0000:3b:00.0", 0, NULL},
		{"245:2", NULL, ENOENT, "there is no card '245:2'"},
		{"246:1", "0001:af:00.0", 0, NULL},
		{"300", NULL, ENOTUNIQ, "0000:b0:00.0 and 0000:b1:00.0"},
		{"300:0", NULL, ENOTUNIQ, "0000:b0:00.0 and 0000:b1:00.0"},
		{"#2", "0000:af:00.0", 0, NULL},
		{"#8", NULL, ENOENT, "there is no card '#8'"},
		{"#x", NULL, EINVAL, "decimal"},
	};
	struct roc_card card;
	size_t i;

	libroc_cards_sort(cards, N(cards));
	for (i = 0; i < N(cases); i++) {
		memset(&card, 0, sizeof(card));
		UNIT_EQ(libroc_card_choose(cases[i].id, cards, N(cards), &card), -cases[i].err);
		UNIT_STR(card.pci_address, cases[i].address ? cases[i].address : "");
		if (cases[i].error)
			ERROR_HAS(cases[i].error);
	}
	UNIT_EQ(libroc_card_choose("#0", cards, 0, &card), -ENOENT);
	UNIT_EQ(libroc_card_choose("#5", cards, 1, &card), -ENOENT);
	UNIT_STR(roc_error(), "there is no card '#5'; there is #0 CRU 245:1 at 0000:3b:00.0");
}

/* The list of cards is cut after a whole card and marked as incomplete. */
static void many_cards_in_an_error_text(void)
{
	struct roc_card cards[64];
	struct roc_card card;
	char address[16];
	size_t i;

	for (i = 0; i < N(cards); i++) {
		snprintf(address, sizeof(address), "0000:%02zx:00.0", i);
		cards[i] = card_with(address, 100000 + i, 1);
	}
	libroc_cards_sort(cards, N(cards));
	UNIT_EQ(libroc_card_choose("#64", cards, N(cards), &card), -ENOENT);
	ERROR_HAS("#0 CRU 100000:1 at 0000:00:00.0, ");
	ERROR_HAS(" more");
	CU_ASSERT_TRUE(strlen(roc_error()) < 1000);
}

UNIT_MAIN("libroc_id", {"PCI addresses", pci_addresses}, {"serial numbers", serials},
	  {"sequence numbers", sequence_numbers}, {"malformed ids", malformed_ids},
	  {"attributes of a card", attributes}, {"order is by address", order_is_by_address},
	  {"ids choose cards", ids_choose_cards},
	  {"many cards in an error text", many_cards_in_an_error_text})
