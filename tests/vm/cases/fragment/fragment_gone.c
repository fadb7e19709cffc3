// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the loss of a card under roc-rosd, with load, in every way; and one daemon on two cards of
 * which one is lost: requests for its links get the reply "gone", the other links are served on.
 */
#include "common/case.h"
#include "common/host.h"
#include "common/klog.h"
#include "common/rosd.h"
#include "common/taker.h"

#include <string.h>

#define FIRST "6001"
#define SECOND "6002"
#define KERNEL_MS 30000

/* Act on the first card when file @at appears; then remove @at. */
struct deed {
	bool (*fn)(const char *address);
	char address[32];
};

static bool unbind(const char *address)
{
	return !driver_unbind(address);
}

static bool all_ones(const char *address)
{
	emu(CARD0, "fault 0 all-ones");
	return true;
}

static bool unplug(const char *address)
{
	int log = klog_open();
	bool good = host_do("unplug 0 0") && klog_wait(log, "will power off", KERNEL_MS) &&
		    !slot_off(address);

	close(log);
	return good;
}

static int act_on_card(void *arg)
{
	const struct deed *d = arg;

	return UNIT_WAIT(!access("/tmp/rosd/now", F_OK), 60000) && d->fn(d->address) &&
			       !unlink("/tmp/rosd/now")
		       ? 0
		       : 1;
}

/* Lines of a script at the point where the card is lost; it is lost when they are done. */
#define GOES "touch now; for i in $(seq 6000); do [ -e now ] || break; sleep 0.1; done\n"

static void gone(bool (*fn)(const char *address), bool (*back)(const char *address))
{
	struct deed d = {.fn = fn};
	pid_t pid;

	emu_normal_robinnp(CARD0);
	UNIT_NEED(rosd_loopback());
	UNIT_NEED(rosd_generate(FIRST, 400, 1600, 0, 0));
	strcpy(d.address, pci_address(FIRST ":0"));
	RUN("rm -rf /tmp/rosd");
	pid = child_start(AS_ROOT, act_on_card, &d);
	ROSD_SCRIPT(1, "serve " FIRST "\n"
		       "begin --clients=20 --stall-limit=5\n"
		       "loaded; sleep 0.3\n" GOES "wait $daemon; code=$?\n"
		       "wait $load\n"
		       "exit $code\n");
	UNIT_EQ(child_wait(pid, 5000), 0);
	UNIT_EQ(RUN("cat /tmp/rosd/served.err"), 0);
	OUTPUT_HAS("is out of service");
	OUTPUT_HAS("No sub-unit is in service");
	/* Outstanding commands of the card write only into memory that is still allocated. */
	CU_ASSERT(rosd_units("hostPages") > 0);
	UNIT_EQ(rosd_units("hostPagesFree") + rosd_units("outstanding"), rosd_units("hostPages"));
	CU_ASSERT(back(d.address));
	/* The card is there again; a new daemon serves it. */
	UNIT_NEED(rosd_generate(FIRST, 400, 1600, 0, 0));
	ROSD_SCRIPT(0, "serve " FIRST "\nrequest --clients=4 --events=300 || exit 94\nend\n");
}

static void by_unbind(void)
{
	gone(unbind, driver_bind);
}

static bool answers(const char *address)
{
	emu(CARD0, "fault all clear");
	return true;
}

static void by_all_ones(void)
{
	gone(all_ones, answers);
}

static bool plug(const char *address)
{
	return host_do("plug 0 0") && wait_nodes(2);
}

static void by_unplug(void)
{
	if (!host_there() || has_msix(pci_address(FIRST ":0"))) {
		unit_skip("needs --host, and a function without MSI-X");
		return;
	}
	gone(unplug, plug);
}

/* 24 links, then half of them, with the same clients. */
static void one_of_two(void)
{
	struct deed d = {.fn = unbind};
	int64_t events = 400;
	struct roc_card card;
	pid_t pid;

	if (roc_find(SECOND, &card)) {
		unit_skip("there is one card in this guest");
		return;
	}
	emu_normal_robinnp(CARD0);
	UNIT_NEED(rosd_loopback());
	UNIT_NEED(rosd_generate(FIRST, 400, 1600, 0, 0) && rosd_generate(SECOND, 400, 1600, 0, 0));
	ROSD_SCRIPT(0, "patience=30000; serve " FIRST "," SECOND "\n"
		       "request --clients=20 --all=50 --events=400 || exit 91\n"
		       "end\n");
	UNIT_EQ(rosd_report("served", "links"), 2 * ROSD_LINKS);
	UNIT_EQ(rosd_report("client", "errors") + rosd_report("client", "incomplete"), 0);
	UNIT_EQ(rosd_report("client", "requests"), events);
	UNIT_EQ(rosd_report("client", "clearedFragments"), events * 2 * ROSD_LINKS);
	UNIT_EQ(rosd_units("cleared"), events * 2 * ROSD_LINKS);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
	strcpy(d.address, pci_address(FIRST ":0"));
	RUN("rm -rf /tmp/rosd");
	pid = child_start(AS_ROOT, act_on_card, &d);
	ROSD_SCRIPT(0, "serve " FIRST "," SECOND "\n"
		       "begin --clients=20 --all=100 --time=300s\n"
		       "loaded; sleep 0.3\n" GOES "kill $load; wait $load; mv client meanwhile\n"
		       "request --clients=20 --all=100 --events=100\n"
		       "end\n");
	UNIT_EQ(child_wait(pid, 5000), 0);
	UNIT_EQ(rosd_report("meanwhile", "errors"), 0);
	CU_ASSERT(rosd_report("client", "incomplete") > 0);
	UNIT_EQ(rosd_report("client", "errors"), 0);
	/* Fragments of the second card keep coming, and none is missing. */
	UNIT_EQ(RUN("sed -n '/^{/,$p' /tmp/rosd/client"), 0);
	CU_ASSERT(json_number(json_get(json_get(out, "status"), "gone")) > 0);
	UNIT_EQ(json_number(json_get(json_get(out, "status"), "failed")), 0);
	CU_ASSERT(driver_bind(d.address));
}

UNIT_MAIN("cards that vanish under roc-rosd", {"by unbind", by_unbind},
	  {"by all ones", by_all_ones}, {"by unplug", by_unplug}, {"one of two", one_of_two})
