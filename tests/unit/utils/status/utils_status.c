// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test which options roc-status rejects for a card, and that it names the card as the user did. The
 * card is simulated; nothing is read from it.
 */
#include "unit.h"

#include <roc/roc.h>

#include "tests/unit/utils/tool_fails.h"

static enum roc_card_type type;
static char name[ROC_CARD_NAME_MAX]; /* of the open card */

int __wrap_roc_find(const char *id, struct roc_card *c);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
const char *__wrap_roc_endpoint_name(const struct roc_endpoint *ep);

int __wrap_roc_find(const char *id, struct roc_card *c)
{
	*c = (struct roc_card){.type = type, .pci_address = "0000:d8:00.0"};
	return 0;
}

int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep)
{
	roc_card_name(card, id, name, sizeof(name));
	*ep = NULL;
	return 0;
}

void __wrap_roc_close(struct roc_endpoint *ep)
{
}

const char *__wrap_roc_endpoint_name(const struct roc_endpoint *ep)
{
	return name;
}

static void refused(enum roc_card_type card, const char *option, const char *sentence)
{
	char *argv[] = {"roc-status", "--id=#3", (char *)option, NULL};

	type = card;
	UNIT_STR(tool_fails("status", argv), sentence);
}

static void links(void)
{
	refused(ROC_CARD_CRORC, "--links=5-6",
		"roc: --links: #3 (0000:d8:00.0) is a C-RORC, which has links 0 to 5.\n");
	refused(ROC_CARD_P40, "--links=0",
		"roc: #3 (0000:d8:00.0) is a PCIe40, whose links cannot be selected: omit --links.\n");
	refused(ROC_CARD_ROBINNP, "--links=0",
		"roc: #3 (0000:d8:00.0) is a RobinNP, whose links cannot be selected: omit --links.\n");
}

static void pon(void)
{
	refused(ROC_CARD_CRORC, "--onu-status",
		"roc: #3 (0000:d8:00.0) is a C-RORC, which has no PON: omit --onu-status.\n");
}

UNIT_MAIN("roc-status", {"links that a card lacks", links}, {"PON that a card lacks", pon})
