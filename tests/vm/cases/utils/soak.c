// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-bench-dma --soak on all channels at once: verdicts, the limits that end it, a log that a
 * later call continues, and exit codes for scripts. ROC_SOAK_SECONDS makes it last longer (make
 * soak).
 */
#include "common/case.h"

#include <stdlib.h>

#define SOAK                                                                                       \
	"roc-bench-dma --soak=%us --verdict-every=%us --buffer-size=16Mi --superpage-size=256Ki "
/* The same, ended once its log has two periods. SIGINT is ignored behind "&". */
#define INTERRUPTED(options)                                                                       \
	SOAK options " --log=log & pid=$!; "                                                       \
		     "for i in $(seq 1200); do [ \"$(cat log 2> /dev/null | wc -l)\" -gt 2 ] && "  \
		     "break; "                                                                     \
		     "sleep 0.05; done; kill -TERM $pid; wait $pid"
#define ALL_ENDPOINTS 4 /* of the CRUs */

static unsigned int wanted_seconds(void)
{
	const char *text = getenv("ROC_SOAK_SECONDS");
	unsigned int seconds = text ? (unsigned int)strtoul(text, NULL, 10) : 0;

	return seconds ? seconds : 2;
}

/* Data rates on all cards that a slow guest can keep up with. */
static bool calm(void)
{
	unsigned int card;

	tool_enter("/tmp/soak");
	RUN("rm -f log plot.svg");
	if (!card_needed(EP0, "CRU"))
		return false;
	for (card = CARD0; card <= CARD1; card++) {
		emu_normal(card, FOUR_LINKS);
		emu(card, "set all rate %llu", emu_rate(8 << 20));
	}
	emu_normal_crorc(CRORC0);
	emu(CRORC0, "set all rate %llu", emu_rate(4 << 20));
	return true;
}

static const char *channel(const char *name)
{
	const char *c = json_at(json_get(out, "channels"), 0);

	while (c && !json_is(json_get(c, "name"), name))
		c = json_next(c);
	if (!c)
		unit_note("no channel %s in: %.500s", name, out);
	return c;
}

static int soak(unsigned int seconds, unsigned int every, const char *options)
{
	return RUN(SOAK "%s", seconds, every, options);
}

static void everything(void)
{
	static const char *const names[] = {"0245:0", "0245:1",		  "0246:0",
					    "0246:1", "1003:0 channel 0", "1003:0 channel 5"};
	unsigned int i, seconds = wanted_seconds(), every = seconds > 20 ? 10 : 1;
	int code;

	if (!calm())
		return;
	code = soak(seconds, every, "--log=log --plot=plot.svg --json 2> note");
	if (code)
		unit_note("%.800s", out);
	UNIT_EQ(code, 0);
	CU_ASSERT(json_valid(out));
	CU_ASSERT(!json_is(json_get(out, "verdict"), "FAIL"));
	CU_ASSERT(json_real(json_get(out, "seconds")) >= seconds);
	for (i = 0; i < N(names); i++) {
		const char *c = channel(names[i]);

		UNIT_NEED(c);
		UNIT_EQ(json_number(json_get(c, "errors")), 0);
		UNIT_EQ(json_number(json_get(c, "dropped")), 0);
		CU_ASSERT(json_number(json_get(c, "bytes")) > 0);
		CU_ASSERT(json_number(json_get(c, "periods")) >= 1);
		if (i < ALL_ENDPOINTS)
			CU_ASSERT(json_real(json_get(c, "temperature")) > 44);
	}
	UNIT_EQ(RUN("grep -c '^<polyline' plot.svg"), 0);
	CU_ASSERT(strtol(out, NULL, 10) >= 10 + ALL_ENDPOINTS);
	/* Nothing is left to do: it prints the result again, without a card. */
	UNIT_EQ(soak(seconds, every, "--log=log"), 0);
	OUTPUT_HAS("Soak: ");
}

/*
 * Interrupt it, then repeat the command; and a log whose writer was killed in the middle of a line.
 */
static void continued(void)
{
	if (!calm())
		return;
	UNIT_EQ(RUN(INTERRUPTED("--id=0245:0"), 100, 1), 3);
	OUTPUT_HAS("continues the soak");
	OUTPUT_HAS("Soak: unfinished after ");
	UNIT_EQ(RUN("printf '{\"lane\":0,\"at\":9' >> log"), 0);
	UNIT_EQ(RUN("wc -l < log"), 0);
	UNIT_EQ(RUN(SOAK "--id=0245:0 --log=log --json", 4, 1), 0);
	CU_ASSERT(json_real(json_get(out, "earlierSeconds")) > 0.5);
	CU_ASSERT(json_real(json_get(out, "seconds")) >= 4);
	UNIT_EQ(RUN(SOAK "--id=0246:0 --log=log", 4, 1), 1);
	OUTPUT_HAS("is the log of other channels");
	UNIT_EQ(RUN("roc-bench-dma --soak=3s --bytes=1Mi"), 2);
	UNIT_EQ(RUN("roc-bench-dma --bytes=1Mi"), 2);
	UNIT_EQ(RUN("roc-bench-dma --id=0245 --log=log"), 2);
}

/* A soak beyond a limit ends long before its time; its first sentence is the reason. */
static void fails(const char *options, const char *sentence)
{
	int code = soak(100, 1, options);

	if (code != 1 || !strstr(out, sentence))
		unit_note("%s: exit %d: %.500s", options, code, out);
	UNIT_EQ(code, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, sentence));
	CU_ASSERT_PTR_NOT_NULL(strstr(out, "Soak: FAIL after "));
}

static void limits(void)
{
	if (!calm())
		return;
	/* A page with a wrong word. */
	emu(CARD1, "fault 0 flip 50");
	fails("--id=0246:0", "errors in the data");
	emu(CARD1, "fault all clear");
	/* Two errors are within the limit; with two more of the next call they are not. */
	emu(CARD1, "fault 0 flip 2");
	UNIT_EQ(RUN(INTERRUPTED("--id=0246:0 --max-errors=3"), 100, 1), 3);
	emu(CARD1, "fault 0 flip 2");
	fails("--id=0246:0 --max-errors=3 --log=log", "errors in the data, see");
	emu(CARD1, "fault all clear");
	RUN("rm log");
	/* More than any reader here takes. Missing data are an error in the data, too. */
	emu(CARD0, "set 1 rate 4000000000");
	fails("--id=0245:1 --data-source=DDG --no-errorcheck", "0245:1: the card dropped ");
	fails("--id=0245:1 --data-source=DDG", "0245:1: ");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	fails("--id=0245:0 --stall-limit=1 --log=log", "0245:0: no data arrived for 1 s");
	/* A failed soak cannot be continued. */
	UNIT_EQ(soak(100, 1, "--id=0245:0 --log=log"), 1);
	OUTPUT_HAS("The soak in log has already failed (0245:0: no data arrived for 1 s");
	/* The same if it ends before that is detected. */
	UNIT_EQ(soak(1, 1, "--id=0245:0"), 1);
	OUTPUT_HAS("0245:0: no data arrived:");
	emu(CARD0, "fault all clear");
}

/* All streams of a card, and both sub-units of another, each with its generator on. */
static void other_kinds(void)
{
	static const char *const sets[] = {
		/* Meta's data describe main's. */
		"roc-stream set --id=4001 --stream=main --generator=distributed --fragment-min=0 "
		"--fragment-max=3000 --event-rate=1000 && for n in 0 1 2 3 4; do roc-stream set "
		"--id=4001 --stream=odin$n --generator=fixed --event-rate=2000 || exit 1; done",
		"roc-fragment set --id=6001 --generator=distributed --fragment-min=400 --fragment-max=1600 --event-rate=300",
	};
	static const char *const ids[] = {"4001", "6001"};
	static const char *const resets[] = {"roc-stream reset --id=4001 --level=default",
					     "roc-fragment reset --id=6001 --level=default"};
	unsigned int i, any = 0, channels;
	const char *c;
	int code;

	tool_enter("/tmp/soak");
	for (i = 0; i < N(sets); i++) {
		if (!card_there(ids[i]))
			continue;
		any++;
		UNIT_EQ(RUN("%s", resets[i]), 0);
		UNIT_EQ(RUN("%s", sets[i]), 0);
		code = soak(2, 1, "--json");
		if (code)
			unit_note("%.800s", out);
		UNIT_EQ(code, 0);
		channels = 0;
		for (c = json_at(json_get(out, "channels"), 0); c; c = json_next(c)) {
			UNIT_EQ(json_number(json_get(c, "errors")), 0);
			CU_ASSERT(json_number(json_get(c, "units")) > 0);
			CU_ASSERT(json_real(json_get(c, "temperature")) > 44);
			channels++;
		}
		UNIT_EQ(channels, i ? 2 : 7);
		RUN("%s", resets[i]);
	}
	if (!any)
		unit_skip("there are only pools in this guest");
}

#define SMALL_RINGS                                                                                \
	"roc-bench-dma --soak=10s --verdict-every=1s --buffer-size=1Mi --superpage-size=256Ki "    \
	"--id=4001 --max-dropped=1000000000 --log=log --json 2> note"
/* When its log has this text, stop its reader for longer than the ring lasts. */
#define STAND_STILL(text)                                                                          \
	"until grep -qs '" text "' log; do sleep 0.05; done; "                                     \
	"kill -STOP $pid; sleep 0.7; kill -CONT $pid; "
/*
 * The soak cannot count what the card drops between its last poll and the reset. So main slows down
 * until its ring lasts for 20 s. The reset waits until the log of main, which is lane 0, has the
 * card's count five times in a row: while the card drops data, its count grows.
 */
#define THEN_RESET                                                                                 \
	"roc-stream set --id=4001 --stream=main --event-rate=20 > slow; agree=0; "                 \
	"for i in $(seq 100); do seen=0; "                                                         \
	"for n in $(sed -n '/\"lane\":0,/s/.*\"dropped\":\\([0-9]*\\).*/\\1/p' log); do "          \
	"seen=$((seen + n)); done; "                                                               \
	"[ $seen = \"$(cat /sys/class/roc/%s/throttled)\" ] && agree=$((agree + 1)) || agree=0; "  \
	"[ $agree = 5 ] && break; sleep 0.1; done; [ $agree = 5 ] || kill $pid; "                  \
	"roc-stream reset --id=4001 --level=counters > reset; wait $pid"

/* A card's counters are reset during a soak: data dropped before stay counted. */
static void counters_reset(void)
{
	const char *c;
	int code;

	tool_enter("/tmp/soak");
	if (!card_needed("4001", "PCIe40"))
		return;
	RUN("rm -f log");
	UNIT_EQ(RUN("roc-stream reset --id=4001 --level=default"), 0);
	UNIT_EQ(RUN("roc-stream set --id=4001 --stream=main --generator=fixed --fragment-max=2000 "
		    "--event-rate=5000 --clocked --policy=throttle --throttle-on=64Ki "
		    "--throttle-off=32Ki && for n in 0 1 2 3 4; do roc-stream set --id=4001 "
		    "--stream=odin$n --generator=fixed --event-rate=100 || exit 1; done"),
		0);
	code = RUN(SMALL_RINGS " & pid=$!; " STAND_STILL("verdict") STAND_STILL("\"dropped\":[1-9]")
			   THEN_RESET,
		   node_path("4001", 0) + strlen("/dev/"));
	if (code) {
		RUN("cat log note; cat /sys/class/roc/*/throttled");
		unit_note("exit %d: %.2000s", code, out);
	}
	UNIT_EQ(code, 0);
	CU_ASSERT(json_is(json_get(out, "verdict"), "WARN"));
	c = channel("4001:0 main");
	UNIT_NEED(c);
	CU_ASSERT(json_number(json_get(c, "dropped")) > 0);
	CU_ASSERT(json_number(json_get(c, "dropped")) < 1000000000);
	/* It can be read again: it lasted long enough. */
	UNIT_EQ(RUN(SMALL_RINGS), 0);
	UNIT_EQ(RUN("roc-stream reset --id=4001 --level=default"), 0);
}

UNIT_MAIN("soak", {"everything at once", everything}, {"continued from its log", continued},
	  {"limits end it", limits}, {"streams and sub-units", other_kinds},
	  {"counters reset", counters_reset})
