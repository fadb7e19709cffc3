// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the tools and the example for fragments on request as users call them, on a RobinNP: their
 * output, messages for bad input, and exit codes.
 */
#include "tests/vm/cases/common/case.h"

#define ID "--id=6001 "

static bool there(void)
{
	return card_needed("6001", "RobinNP");
}

/* Ids wrap after some hundred events. */
static void links_make(unsigned int rate)
{
	UNIT_EQ(RUN("roc-fragment reset " ID "--level=default"), 0);
	UNIT_EQ(RUN("roc-fragment set " ID
		    "--generator=distributed --fragment-min=400 --fragment-max=1600 --event-rate=%u --first-event=4294967000",
		    rate),
		0);
}

/* Fragments are taken, some are fetched, every word is right, and the card's counters agree. */
static void runs_with(int code, const char *options)
{
	int64_t begin = now_ms();

	/* Messages on standard error are not part of the JSON. */
	UNIT_EQ(RUN("roc-fragment run " ID "--json %s 2> messages", options), code);
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	UNIT_EQ(json_number(json_get(out, "incomplete")), 0);
	UNIT_EQ(json_number(json_get(out, "replaced")), 0);
	UNIT_EQ(json_number(json_get(out, "failed")), 0);
	/*
	 * If the card is silent for two seconds the driver reads its status; a slow guest may cause
	 * that.
	 */
	CU_ASSERT(json_number(json_get(out, "mmioReads")) <=
		  (uint64_t)(now_ms() - begin) / 2000 * 4);
	UNIT_EQ(json_number(json_get(out, "fetched")), 6 * json_number(json_get(out, "requested")));
	UNIT_EQ(json_number(json_get(out, "checkedBytes")), json_number(json_get(out, "bytes")));
	CU_ASSERT(json_number(json_get(out, "fetched")) > 0);
}

static void runs(const char *options)
{
	runs_with(0, options);
	UNIT_EQ(json_number(json_get(out, "damaged")), 0);
	UNIT_EQ(json_number(json_get(out, "sequenceErrors")), 0);
	UNIT_EQ(json_number(json_get(out, "short")), 0);
	UNIT_EQ(json_number(json_get(out, "empty")), 0);
	UNIT_EQ(json_number(json_get(out, "lost")), 0);
}

static void every_word(void)
{
	if (!there())
		return;
	links_make(2000);
	runs("--pages=2048 --events=1000");
	runs("--pages=2048 --sub=sub1 --events=1000 --percent=10 --busy");
	UNIT_EQ(json_number(json_get(out, "waits")), 0);
	UNIT_EQ(json_number(json_get(out, "doneInterrupts")), 0);
	CU_ASSERT(json_is(json_get(out, "sub"), "sub1"));
	/* Fragments longer than a page are cut and counted, and the rest of each is right. */
	links_make(1000);
	runs_with(1, "--pages=2048 --page=1Ki --events=300");
	CU_ASSERT(json_number(json_get(out, "damaged")) > 0);
	UNIT_EQ(json_number(json_get(out, "damaged")), json_number(json_get(out, "truncated")));
	/* With few pages and little memory links stop and requests wait, and nothing is lost. */
	links_make(0);
	runs("--events=2000 --pages=16 --memory=64Ki --commands=16");
	CU_ASSERT(json_number(json_get(out, "holds")) > 0);
}

#define ENDS_ITSELF "true"
#define ENDS_BY_SIGNAL "sleep 0.5; kill $pid"

/* While data flow, not before: the first fragment of a link may have any event id. */
static void during(int code, const char *fault, const char *command, const char *ends)
{
	int got = RUN(
		"%s > printed 2> messages & pid=$!; timeout 30 sh -c '%s' || cat messages; sleep 0.3; emuctl 0 fault 0 %s > faulted; %s; wait $pid; code=$?; cat printed; exit $code",
		command, until_running("6001", 0), fault, ends);

	if (got != code) {
		unit_note("%s: %s: exit %d: %.1000s", fault, command, got, out);
		RUN("cat messages faulted");
		unit_note("%.500s", out);
	}
	UNIT_EQ(got, code);
	emu(CARD0, "fault all clear");
}

/* Every tool that reads fragments counts each kind of damage, and none ends with 0. */
static void damage(void)
{
	static const struct {
		const char *fault, *key, *units_say;
		const char *file; /* of sysfs, with the card's count */
		int flagged;
	} kinds[] = {
		{"damaged 1 3", "damaged", "flagged", "damaged", 3},
		{"link-error 1 3", "damaged", "flagged", "damaged", 3},
		{"format-error 1 3", "damaged", "flagged", "damaged", 3},
		{"skip-event 1 3", "sequenceErrors", "wrong event id", "sequence_errors", 1},
		{"wrong-event 1 3", "sequenceErrors", "wrong event id", NULL, 0},
		{"short 1 8", "short", "flagged", NULL, 0},
		{"empty 1 3", "empty", "were empty", NULL, 0},
	};
	size_t i;

	if (!there())
		return;
	for (i = 0; i < N(kinds); i++) {
		links_make(500);
		during(1, kinds[i].fault, "roc-fragment run " ID "--json", ENDS_BY_SIGNAL);
		if (!json_number(json_get(out, kinds[i].key)))
			unit_note("%s: %.1500s", kinds[i].fault, out);
		CU_ASSERT(json_number(json_get(out, kinds[i].key)) > 0);
		UNIT_EQ(json_number(json_get(out, "lost")), 0);
		if (kinds[i].file) {
			UNIT_EQ(RUN("cat /sys/class/roc/%s/%s",
				    node_path("6001", 0) + strlen("/dev/"), kinds[i].file),
				0);
			UNIT_EQ(atoi(out), kinds[i].flagged);
		}
		links_make(500);
		during(1, kinds[i].fault,
		       "rm -rf rec; roc-record rec " ID
		       "--superpage-size=4Ki --buffer-size=4Mi --json",
		       ENDS_BY_SIGNAL);
		UNIT_EQ(RUN("cat messages"), 0);
		if (!strstr(out, kinds[i].units_say))
			unit_note("%s: %.500s", kinds[i].fault, out);
		CU_ASSERT_PTR_NOT_NULL(strstr(out, kinds[i].units_say));
	}
	links_make(500);
	UNIT_EQ(RUN("rm -rf rec; roc-record rec " ID
		    "--time=1s --superpage-size=4Ki --buffer-size=4Mi"),
		0);
	RUN("rm -rf rec");
}

/* A system of one node, which builds events from sub0 until a signal. */
static void built(int code, const char *fault, const char *expected)
{
	int got;

	links_make(500);
	got = RUN(
		"roc-evb node --name=n1 --coordinator=static:evb.conf --events=4 "
		"--source=card:id=6001,sub=sub0,buffer=4Mi --sink=check --metrics=evb.prom "
		"--json > printed 2> messages & pid=$!; timeout 30 sh -c '%s' || cat messages; sleep 1; "
		"%s > faulted; sleep 1; kill $pid; wait $pid; code=$?; cat messages; exit $code",
		until_running("6001", 0), fault);
	if (got != code || !strstr(out, expected))
		unit_note("%s: exit %d: %.1000s", fault, got, out);
	UNIT_EQ(got, code);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, expected));
	emu(CARD0, "fault all clear");
}

static void building(void)
{
	if (!there())
		return;
	UNIT_EQ(RUN("printf '[system]\\nname = one\\nreadouts = 1\\nbuilders = 1\\n"
		    "[n1]\\nroles = readout builder manager\\nhost = 127.0.0.1\\n' > evb.conf && ip link set lo up"),
		0);
	built(0, "true", "");
	built(1, "emuctl 0 fault 0 damaged 1 3", "flagged");
	built(1, "emuctl 0 fault 0 wrong-event 1 3", "wrong event id");
	built(1, "emuctl 0 fault 0 record-hole 1 1", "is missing");
}

/* Sleeping and polling readers detect at once that a card leaves entries out, without any limit. */
static void left_out(void)
{
	static const char *const faults[] = {"record-hole 1 1", "record-hole 1 200",
					     "done-hole 1 1", "done-hole 1 40"};
	static const char *const ways[] = {"", "--busy"};
	size_t i, w;

	if (!there())
		return;
	for (i = 0; i < N(faults); i++) {
		for (w = 0; w < N(ways); w++) {
			char command[160];

			links_make(1000);
			snprintf(command, sizeof(command),
				 "timeout 60 roc-fragment run " ID
				 "--pages=2048 --stall-limit=0 --json %s",
				 ways[w]);
			during(1, faults[i], command, ENDS_ITSELF);
			CU_ASSERT(json_valid(out));
			CU_ASSERT(json_is(json_get(out, "end"), "failed"));
			CU_ASSERT(json_number(json_get(out, "lost")) > 0);
			/* Each wait returns a batch, or sleeps. */
			CU_ASSERT(json_number(json_get(out, "waits")) < 5000);
			unit_note("%s %s: %llu waits, %llu lost", faults[i], ways[w],
				  (unsigned long long)json_number(json_get(out, "waits")),
				  (unsigned long long)json_number(json_get(out, "lost")));
			UNIT_EQ(RUN("roc-fragment stats " ID "--sub=0 --json"), 0);
			OUTPUT_HAS("\"state\": \"failed\"");
		}
	}
	links_make(1000);
	runs("--pages=2048 --events=300");
}

static void example(void)
{
	unsigned int events = 0, fetched = 0;

	if (!there())
		return;
	links_make(2000);
	UNIT_EQ(RUN("as-user reader /usr/lib/roc/fragment 6001 sub1 500 5"), 0);
	/*
	 * A fifth of the events, six links each: it ends with the batch that reaches the requested
	 * number, and the events may have gaps.
	 */
	UNIT_EQ(sscanf(out, "%u events, %u fragments fetched", &events, &fetched), 2);
	CU_ASSERT(events >= 500 && fetched >= 600 && !(fetched % 6) && fetched <= 2 * events);
	OUTPUT_HAS(" 0 bad");
	UNIT_EQ(RUN("/usr/lib/roc/fragment 6001 sub7"), 1);
	OUTPUT_HAS("it has sub0, sub1");
}

static void second_reader(void)
{
	static const struct two_readers readers = {
		.id = "6001",
		.first = "roc-fragment run " ID,
		.second = "roc-fragment run " ID,
		.stats = "roc-fragment stats " ID "--sub=0",
		.expected = {"6001 (0000:", "sub0 is in use by PID ",
			     "(roc-fragment): a sub-unit has one owner"},
	};

	if (!there())
		return;
	links_make(2000);
	second_reader_fails(&readers);
}

static void bad_input(void)
{
	if (!there())
		return;
	links_make(2000);
	refuses(2, "power of two", "roc-fragment run " ID "--page=3000");
	refuses(1, "memory for 99999999 pages", "roc-fragment run " ID "--pages=99999999");
	refuses(2, "16..65536", "roc-fragment run " ID "--commands=8");
	refuses(1, "has no sub-unit 'sub2'", "roc-fragment run " ID "--sub=sub2");
	refuses(2, "--percent", "roc-fragment run " ID "--percent=101");
	refuses(2, "does not fit in 32 bits", "roc-fragment set " ID "--first-event=4294967296");
	refuses(1, "the maximum is 1000000", "roc-fragment set " ID "--event-rate=1000001");
	refuses(1, "in multiples of 4", "roc-fragment set " ID "--fragment-min=1001");
	refuses(1, "roc-fragment run", "roc-bench-dma " ID);
	refuses(1, "roc-fragment stats", "roc-pkt-monitor " ID);
	refuses(1, "roc-fragment set", "roc-config " ID "--links=0");
	/* Without data the tool reports that. */
	UNIT_EQ(RUN("roc-fragment reset " ID "--level=default"), 0);
	refuses(1, "no generator runs", "roc-fragment run " ID);
	refuses(1, "all links of --links send",
		"roc-fragment run " ID "--links=0-5 --stall-limit=1");
}

static void shown(void)
{
	if (!there())
		return;
	prints("as-user stranger roc-list-cards --verbose", "RobinNP");
	prints("as-user stranger roc-metrics " ID, "Sub-unit");
	prints("as-user stranger roc-metrics " ID "--prometheus",
	       "roc_channel_transferred_fragments_total{");
	prints_json("roc-status " ID "--json");
	CU_ASSERT(json_is(json_get(out, "type"), "RobinNP"));
	ends(1, "roc-status " ID "--links=0");
	prints("roc-status " ID, "2 sub-units of 6 links");
	prints_json("roc-fragment set " ID "--json");
	ends(0, "roc-fragment stats " ID "--json");
	CU_ASSERT(json_is(json_get(json_at(json_get(out, "subUnits"), 1), "sub"), "sub1"));
	prints("roc-fragment stats " ID, "sub1");
}

UNIT_MAIN("tools for fragments", {"every word of what is fetched", every_word}, {"damage", damage},
	  {"events of damaged fragments", building}, {"entries left out by the card", left_out},
	  {"example", example}, {"a second reader", second_reader}, {"bad input", bad_input},
	  {"sub-units shown", shown})
