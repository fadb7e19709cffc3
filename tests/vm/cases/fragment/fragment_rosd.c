// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-rosd on a RobinNP: the load of a trigger farm, and what may go wrong meanwhile. Everything
 * about its clients is tested on the host, without a card (tests/unit/utils/ros).
 */
#include "common/case.h"
#include "common/rosd.h"

#define ID "6001"

static bool there(void)
{
	struct roc_card card;

	if (!roc_find(ID, &card)) {
		UNIT_NEED(rosd_loopback());
		return true;
	}
	unit_skip("there is no RobinNP in this guest");
	return false;
}

/* Every byte, nothing lost, no register read and no system call for what came in. */
static void farm(void)
{
	int64_t events = 2000, taken;

	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 0, 0xfffffc00));
	ROSD_SCRIPT(0, "patience=30000; serve " ID "\n"
		       "ask --clients=20 --events=2000 --first-event=0xfffffc00 || exit 91\n"
		       "end\n");
	UNIT_EQ(rosd_said("asked", "errors"), 0);
	UNIT_EQ(rosd_said("asked", "incomplete"), 0);
	UNIT_EQ(rosd_said("asked", "requests"), events);
	UNIT_EQ(rosd_said("asked", "clearedEvents"), events);
	UNIT_EQ(rosd_said("asked", "clearedFragments"), events * ROSD_LINKS);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
	UNIT_EQ(rosd_units("failed"), 0);
	UNIT_EQ(rosd_units("cleared"), events * ROSD_LINKS);
	taken = rosd_units("taken");
	UNIT_EQ(taken - rosd_units("cleared"), rosd_units("kept"));
	CU_ASSERT(taken >= events * ROSD_LINKS);
	/* Told of in batches. */
	unit_note("%lld fragments, %lld fetched, %lld doorbells, %lld sleeps", (long long)taken,
		  (long long)rosd_units("fetched"), (long long)rosd_units("doorbells"),
		  (long long)rosd_units("sleeps"));
	CU_ASSERT(rosd_units("doorbells") * 4 < rosd_units("fetched") + taken);
	UNIT_EQ(rosd_units("tells"), 0);
}

/* Killed with requests outstanding: what it had goes back, the next one is served. */
static void client_killed(void)
{
	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 0, 0));
	ROSD_SCRIPT(0,
		    "serve " ID " --host-pages=128 --max-age=1s\n"
		    "for i in 1 2 3; do\n"
		    "	roc-ros-load --connect=127.0.0.1:9870 --clients=20 --all=100 --json "
		    "--clear=0 > /dev/null 2>&1 & load=$!\n"
		    "	loaded; sleep 0.3; kill -9 $load; wait $load 2> /dev/null\n"
		    "done\n"
		    "end\n");
	CU_ASSERT(rosd_said("served", "requests") > 0);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
	UNIT_EQ(rosd_units("outstanding"), 0);
}

/* With the card writing into its memory; the next one begins as if nothing had been. */
static void daemon_killed(void)
{
	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 0, 0));
	ROSD_SCRIPT(0, "serve " ID "\n"
		       "begin --clients=20 --stall-limit=5\n"
		       "loaded; sleep 0.3; kill -9 $daemon; wait $daemon\n"
		       "wait $load && exit 92\n"
		       "serve " ID "\n"
		       "ask --clients=4 --events=300 || exit 93\n"
		       "end\n");
	UNIT_EQ(rosd_said("asked", "errors"), 0);
	UNIT_EQ(rosd_said("asked", "replies"), 300);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
}

UNIT_MAIN("roc-rosd on a RobinNP", {"farm", farm}, {"client killed", client_killed},
	  {"daemon killed", daemon_killed})
