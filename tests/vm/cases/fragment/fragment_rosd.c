// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-rosd on a RobinNP: the load of a trigger farm, and faults meanwhile.
 * tests/unit/utils/ros tests its clients' side on the host, without a card.
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

/*
 * Every byte is right, nothing is lost, and incoming data cost no register read and no system call.
 */
static void farm(void)
{
	int64_t events = 2000, taken;

	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 0, 0xfffffc00));
	ROSD_SCRIPT(0, "patience=30000; serve " ID "\n"
		       "request --clients=20 --events=2000 --first-event=0xfffffc00 || exit 91\n"
		       "end\n");
	UNIT_EQ(rosd_report("client", "errors"), 0);
	UNIT_EQ(rosd_report("client", "incomplete"), 0);
	UNIT_EQ(rosd_report("client", "requests"), events);
	UNIT_EQ(rosd_report("client", "clearedEvents"), events);
	UNIT_EQ(rosd_report("client", "clearedFragments"), events * ROSD_LINKS);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
	UNIT_EQ(rosd_units("failed"), 0);
	UNIT_EQ(rosd_units("cleared"), events * ROSD_LINKS);
	taken = rosd_units("taken");
	UNIT_EQ(taken - rosd_units("cleared"), rosd_units("kept"));
	CU_ASSERT(taken >= events * ROSD_LINKS);
	/* Reported in batches. */
	unit_note("%lld fragments, %lld fetched, %lld doorbells, %lld sleeps", (long long)taken,
		  (long long)rosd_units("fetched"), (long long)rosd_units("doorbells"),
		  (long long)rosd_units("sleeps"));
	CU_ASSERT(rosd_units("doorbells") * 4 < rosd_units("fetched") + taken);
	UNIT_EQ(rosd_units("tells"), 0);
}

/*
 * A client is killed with requests outstanding: the daemon releases its fragments and serves the
 * next one.
 */
static void client_killed(void)
{
	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 0, 0));
	ROSD_SCRIPT(
		0,
		"serve " ID " --host-pages=128 --max-age=1s\n"
		"for i in 1 2 3; do\n"
		"	roc-ros-load --connect=127.0.0.1:9870 --clients=20 --all=100 --json --clear=0 > /dev/null 2>&1 & load=$!\n"
		"	loaded; sleep 0.3; kill -9 $load; wait $load 2> /dev/null\n"
		"done\n"
		"end\n");
	CU_ASSERT(rosd_report("served", "requests") > 0);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
	UNIT_EQ(rosd_units("outstanding"), 0);
}

/* The daemon is killed while the card writes into its memory; the next one starts normally. */
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
		       "request --clients=4 --events=300 || exit 93\n"
		       "end\n");
	UNIT_EQ(rosd_report("client", "errors"), 0);
	UNIT_EQ(rosd_report("client", "replies"), 300);
	UNIT_EQ(rosd_units("hostPagesFree"), rosd_units("hostPages"));
}

/* A sub-unit whose card leaves entries out is given up at once, and the reason is reported. */
static void left_out(void)
{
	static const char *const faults[] = {"record-hole 1 1", "done-hole 1 1"};
	size_t i;

	if (!there())
		return;
	for (i = 0; i < N(faults); i++) {
		char script[600];

		UNIT_NEED(rosd_generate(ID, 400, 1600, 1000, 0));
		snprintf(script, sizeof(script),
			 "serve " ID " --max-age=1s\n"
			 "begin --clients=4 --all=100 --time=300s --stall-limit=0\n"
			 "loaded; emuctl 0 fault 0 %s > faulted\n"
			 "for i in $(seq 600); do\n"
			 "	grep -q 'is out of service' served.err && break; sleep 0.1\n"
			 "done\n"
			 "kill $load; wait $load; end\n",
			 faults[i]);
		ROSD_SCRIPT(1, script);
		CU_ASSERT(rosd_units("lost") > 0);
		UNIT_EQ(RUN("cat /tmp/rosd/served.err"), 0);
		OUTPUT_HAS("is out of service");
		CU_ASSERT(strstr(out, "is missing although") ||
			  strstr(out, "are missing, out of order"));
		emu(CARD0, "fault all clear");
	}
}

/* Clients get flagged fragments, which the daemon counts; they make its exit status 1. */
static void damage(void)
{
	if (!there())
		return;
	UNIT_NEED(rosd_generate(ID, 400, 1600, 1000, 0));
	ROSD_SCRIPT(1, "serve " ID " --max-age=1s\n"
		       "begin --clients=4 --all=100 --time=300s --stall-limit=0\n"
		       "loaded; emuctl 0 fault 0 damaged 3 3; emuctl 0 fault 0 skip-event 3 2\n"
		       "loaded; loaded; loaded; kill $load; wait $load; end\n");
	UNIT_EQ(rosd_units("damaged"), 6);
	UNIT_EQ(rosd_units("sequenceErrors"), 2);
	UNIT_EQ(rosd_units("lost"), 0);
	emu(CARD0, "fault all clear");
}

UNIT_MAIN("roc-rosd on a RobinNP", {"farm", farm}, {"client killed", client_killed},
	  {"daemon killed", daemon_killed}, {"entries left out by the card", left_out},
	  {"damage", damage})
