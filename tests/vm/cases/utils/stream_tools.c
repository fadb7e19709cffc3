// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the tools and the example for streams as users call them, on a PCIe40: their output,
 * messages for bad input, and exit codes.
 */
#include "tests/vm/cases/common/case.h"

#define ID "--id=4001 "

static bool there(void)
{
	return card_needed("4001", "PCIe40");
}

static void main_makes(const char *settings)
{
	UNIT_EQ(RUN("roc-stream reset " ID "--level=default"), 0);
	UNIT_EQ(RUN("roc-stream set " ID
		    "--stream=main --generator=distributed --fragment-min=0 --fragment-max=5000 --first-event=4294967290 %s",
		    settings),
		0);
}

/* Read data, and check every byte. */
static void follows(const char *stream, const char *options)
{
	int64_t begin = now_ms();

	UNIT_EQ(RUN("roc-stream follow " ID "--stream=%s --ring=1Mi --json %s", stream, options),
		0);
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	UNIT_EQ(json_number(json_get(out, "missing")), 0);
	/*
	 * If the card is silent for two seconds the driver reads its status; a slow guest may cause
	 * that.
	 */
	CU_ASSERT(json_number(json_get(out, "mmioReads")) <= (uint64_t)(now_ms() - begin) / 2000);
	CU_ASSERT(json_number(json_get(out, "packets")) > 0);
	CU_ASSERT(json_is(json_get(out, "stream"), stream));
}

static void every_byte(void)
{
	if (!there())
		return;
	main_makes("");
	follows("main", "--bytes=8Mi");
	follows("main", "--bytes=8Mi --busy");
	UNIT_EQ(json_number(json_get(out, "waits")), 0);
	main_makes("--pack-events=1 --align=64 --event-rate=20000");
	follows("main", "--packets=2000");
	UNIT_EQ(json_number(json_get(out, "packets")), 2000);
	UNIT_EQ(json_number(json_get(out, "events")), 2000);
	UNIT_EQ(RUN("roc-stream set " ID "--stream=odin3 --generator=fixed --event-rate=50000"), 0);
	follows("odin3", "--packets=5000");
	UNIT_EQ(RUN("as-user reader roc-stream dump " ID "--stream=odin3 --packets=2 --ring=1Mi"),
		0);
	OUTPUT_HAS("odin3 record 1 ");
	main_makes("");
	UNIT_EQ(RUN("roc-stream dump " ID
		    "--verbose --packets=1 --to-file-bin=packet && wc -c < packet"),
		0);
	OUTPUT_HAS("packet 0 source 0x0400 events 4294967290..");
	OUTPUT_HAS("  event 4294967297 type 1 bytes ");
}

static void example(void)
{
	if (!there())
		return;
	main_makes("");
	UNIT_EQ(RUN("/usr/lib/roc/stream 4001 main 300"), 0);
	OUTPUT_HAS("300 packets");
	OUTPUT_HAS("0 gaps");
	/* A record of meta has as many events as main's packet. */
	UNIT_EQ(RUN("/usr/lib/roc/stream 4001 meta 200 > meta & meta=$!; %s; roc-stream follow " ID
		    "> /dev/null & main=$!; wait $meta; code=$?; kill -TERM $main; wait $main; cat meta; exit $code",
		    until_running("4001", 1)),
		0);
	OUTPUT_HAS("200 packets");
	OUTPUT_HAS("0 gaps");
	UNIT_EQ(RUN("/usr/lib/roc/stream 4001 odin9"), 1);
	OUTPUT_HAS("it has main, meta, odin0");
}

static void second_reader(void)
{
	static const struct two_readers readers = {
		.id = "4001",
		.first = "roc-stream follow " ID,
		.second = "roc-stream dump " ID,
		.stats = "roc-stream stats " ID "--stream=0",
		.expected = {"4001 (0000:", "stream main is in use by PID ",
			     "(roc-stream): a stream has one owner"},
	};

	if (!there())
		return;
	main_makes("--event-rate=1000");
	second_reader_fails(&readers);
}

/* A function reset clears the card's counters; tools must not compare with older values. */
static void counts_after_a_function_reset(void)
{
	if (!there())
		return;
	main_makes("");
	follows("main", "--bytes=1Mi");
	UNIT_EQ(RUN("echo 1 > /sys/bus/pci/devices/%s/reset", pci_address("4001")), 0);
	UNIT_EQ(strtoull(node_attr("4001", 0, "units"), NULL, 10), 0);
	/* Not the driver's reset, which would read the counters. */
	UNIT_EQ(RUN("roc-stream set " ID "--stream=main --generator=fixed"), 0);
	follows("main", "--bytes=1Mi");
}

/*
 * The card answers all ones while units come. When it loses bus mastering its page is behind. Later
 * runs begin with the card's counts.
 */
static void counts_after_all_ones(void)
{
	int i;

	if (!there())
		return;
	main_makes("--pack-events=1 --event-rate=20000");
	UNIT_EQ(RUN("roc-stream follow " ID
		    "--json > first & pid=$!; %s; emuctl 0 fault 0 all-ones; kill -TERM $pid; wait $pid",
		    until_running("4001", 0)),
		1);
	emu(CARD0, "fault all clear");
	for (i = 0; i < 3; i++)
		follows("main", "--bytes=1Mi");
}

/* Main makes packets of 4 events, none of them empty; later ones have this fault. */
static void main_has(const char *fault)
{
	main_makes("--pack-events=4 --event-rate=20000");
	UNIT_EQ(RUN("roc-stream set " ID "--stream=main --fragment-min=100"), 0);
	emu(CARD0, "fault 0 %s", fault);
}

/* Each fault of a unit ends its readers with status 1 and a message. */
static void faults_are_reported(void)
{
	static const struct {
		const char *fault, *followed, *recorded;
	} faults[] = {
		{"damaged 1 2", "The card flagged 2 of ", "units are damaged"},
		{"record-hole 1 3", "errors in the data", "packet 3 is where packet 0 should be"},
		{"skip-event 1 5", "errors in the data", "event ids of the stream are wrong"},
		{"size-zero 1 1", "the size is 0", "the size is 0"},
		/* The message depends on whether so many bytes are there already. */
		{"size-big 1 64", "Invalid packet data: packet", "packet at byte"},
		{"empty 1 1", "number of fragments, 0,", "number of fragments, 0,"},
		/* Only a reader that knows the generator's data can detect this one. */
		{"short 1 7", "errors in the data", NULL},
	};
	unsigned int i;

	if (!there())
		return;
	for (i = 0; i < N(faults); i++) {
		main_has(faults[i].fault);
		refuses(1, faults[i].followed, "roc-stream follow " ID "--bytes=1Mi");
		emu(CARD0, "fault all clear");
		if (!faults[i].recorded)
			continue;
		main_has(faults[i].fault);
		refuses(1, faults[i].recorded,
			"rm -rf rec; roc-record rec " ID
			"--stream=main --buffer-size=4Mi --superpage-size=256Ki --bytes=1Mi");
		emu(CARD0, "fault all clear");
	}
	follows("main", "--bytes=1Mi");
	UNIT_EQ(json_number(json_get(out, "damaged")), 0);
}

static void bad_input(void)
{
	if (!there())
		return;
	refuses(2, "power of two", "roc-stream follow " ID "--ring=100000");
	refuses(2, "65536..", "roc-stream follow " ID "--ring=4Ki");
	refuses(1, "cannot make a ring of 32 GiB", "roc-stream follow " ID "--ring=32Gi");
	refuses(1, "a ring of 16 GiB", "ulimit -l unlimited; roc-stream follow " ID "--ring=16Gi");
	refuses(1, "has no stream 'odin5'", "roc-stream follow " ID "--stream=odin5");
	refuses(1, "rejected a setting", "roc-stream set " ID "--stream=main --pack-events=65536");
	refuses(1, "the maximum is 1048576",
		"roc-stream set " ID "--stream=main --fragment-min=2Mi");
	refuses(1, "no generator", "roc-stream set " ID "--stream=meta --generator=fixed");
	refuses(1, "16 bits", "roc-stream set " ID "--source-id=65536");
	refuses(1, "does not have", "roc-stream set " ID "--enabled=0-7");
	/* A wrong name changes nothing, and a stream name is not a value. */
	UNIT_EQ(RUN("roc-stream set " ID "--enabled=0"), 0);
	refuses(1, "has no stream 'nosuch'",
		"roc-stream set " ID "--stream=nosuch --enabled=0x0 --source-id=7");
	UNIT_EQ(RUN("roc-stream set " ID "| grep -q 'enabled 0x01'"), 0);
	UNIT_EQ(RUN("roc-stream set " ID "--enabled=0x0 | grep -q 'enabled 0x00'"), 0);
	UNIT_EQ(RUN("roc-stream set " ID "--enabled=0-6"), 0);
	refuses(1, "roc-stream follow", "roc-bench-dma " ID);
	refuses(1, "roc-stream", "roc-pkt-monitor " ID);
	refuses(1, "roc-stream", "roc-config " ID "--links=0");
	/* Without data the tool reports that. */
	UNIT_EQ(RUN("roc-stream reset " ID "--level=default"), 0);
	refuses(1, "the source makes events", "roc-stream follow " ID "--stall-limit=1");
}

static void shown(void)
{
	if (!there())
		return;
	prints("as-user stranger roc-list-cards --verbose", "PCIe40");
	OUTPUT_HAS("main meta odin0 odin1 odin2 odin3 odin4");
	prints("as-user stranger roc-metrics " ID, "odin4");
	prints("as-user stranger roc-metrics " ID "--prometheus",
	       "roc_channel_throttled_events_total{");
	prints_json("roc-status " ID "--json");
	CU_ASSERT(json_is(json_get(out, "type"), "PCIe40"));
	ends(1, "roc-status " ID "--links=0");
	prints("roc-status " ID, "Source 0x0400");
	prints("roc-stream stats " ID "--stream=main --live --time=1s",
	       "main stopped   0 packets/s");
	CU_ASSERT_PTR_NULL(strchr(out, '\r'));
	prints_json("roc-stream set " ID "--json");
}

UNIT_MAIN("tools for streams", {"every byte of a stream", every_byte}, {"example", example},
	  {"a second reader", second_reader},
	  {"counts after a function reset", counts_after_a_function_reset},
	  {"counts after all ones", counts_after_all_ones},
	  {"faults are reported", faults_are_reported}, {"bad input", bad_input},
	  {"streams shown", shown})
