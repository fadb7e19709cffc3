// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the installed tools and the example as users call them: their output, messages for bad
 * input, and exit codes.
 */
#include "common/case.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void list_cards(void)
{
	static const char *const ids[] = {EP0, EP1, OTHER_EP0, OTHER_EP1};
	char key[16], hash[16];
	size_t i, found = 0;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(RUN("roc-list-cards --json"), 0);
	CU_ASSERT(json_valid(out));
	for (i = 0; i < 5; i++) {
		const char *c;
		size_t k;

		snprintf(key, sizeof(key), "%zu", i);
		c = json_get(out, key);
		if (json_is(json_get(c, "type"), "CRORC"))
			continue;
		CU_ASSERT(json_is(json_get(c, "type"), "CRU"));
		for (k = 0; k < N(ids); k++) {
			if (!json_is(json_get(c, "pciAddress"), pci_address(ids[k])))
				continue;
			found++;
			UNIT_EQ(json_number(json_get(c, "serial")), k < 2 ? 245 : 246);
			UNIT_EQ(json_number(json_get(c, "endpoint")), k % 2);
			UNIT_EQ(json_number(json_get(c, "numa")), k / 2);
		}
		snprintf(hash, sizeof(hash), "%x", emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_FW_HASH));
		CU_ASSERT(json_is(json_get(c, "firmwareHash"), hash));
	}
	UNIT_EQ(found, 4);
	UNIT_EQ(RUN("roc-list-cards"), 0);
	OUTPUT_HAS("PCI Addr");
	OUTPUT_HAS("0245");
	OUTPUT_HAS("0246");
	UNIT_EQ(RUN("as-user stranger roc-list-cards"), 0);
	OUTPUT_HAS("0245");
}

static void registers(void)
{
	UNIT_EQ(RUN("roc-reg-write --id=245 --channel=2 --address=0x100010 --value=0x1234"), 0);
	UNIT_STR(out, "0x1234\n");
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, 0x100010), 0x1234);
	UNIT_EQ(RUN("roc-reg-write --id=245 --channel=2 --address=100010 --value=77 --noread"), 0);
	UNIT_STR(out, "");
	UNIT_EQ(RUN("roc-reg-read --id=245:1 --channel=2 --address=0x100010"), 0);
	UNIT_STR(out, "0x4d\n");
	UNIT_EQ(RUN("roc-reg-modify --id=245 --channel=2 --address=100010 --position=4 --width=4 --value=0xf"),
		0);
	OUTPUT_HAS("0x4d");
	OUTPUT_HAS("0xfd");
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, 0x100010), 0xfd);
	UNIT_EQ(RUN("roc-reg-read --id=245 --channel=2 --address=0x100010 --json"), 0);
	CU_ASSERT(json_valid(out));
	UNIT_EQ(json_number(json_get(out, "value")), 0xfd);
	UNIT_EQ(RUN("roc-reg-read-range --id=245 --channel=0 --address=0x500 --range=4"), 0);
	OUTPUT_HAS("0x500");
	OUTPUT_HAS("0x50c");
	/* The file of that name is replaced, not overwritten in place. */
	UNIT_EQ(RUN("echo before > words && ln words kept && roc-reg-read-range --id=245 --channel=2 --address=0x0 --range=5 --file=words && wc -c < words && cat kept"),
		0);
	OUTPUT_HAS("20\nbefore\n");
	UNIT_EQ(RUN("roc-reg-write --id=245 --channel=2 --address=0x100010 --value=0"), 0);
	/* In group roc, without any capability. */
	UNIT_EQ(RUN("as-user reader roc-reg-read --id=245 --channel=0 --address=0x500"), 0);
	UNIT_STR(out, "0x0\n");
}

static void reset(void)
{
	/* After an earlier case the card may be unquiesced: an open verifies it then. */
	UNIT_EQ(RUN("roc-bench-dma --id=245 --bytes=1Mi --buffer-size=32Mi"), 0);
	emu(CARD0, "clear");
	UNIT_EQ(RUN("roc-reset --id=245 --channel=0 --reset=NOTHING"), 0);
	UNIT_EQ(emu_count(CARD0, 0, "resets"), 0);
	UNIT_EQ(RUN("as-user reader roc-reset --id=245 --channel=0 --reset=INTERNAL"), 0);
	CU_ASSERT(emu_count(CARD0, 0, "resets") >= 1);
	refuses(1, "reset level INTERNAL_SIU",
		"roc-reset --id=245 --channel=0 --reset=INTERNAL_SIU");
	UNIT_EQ(RUN("roc-reset --id=245 --channel=0 --reset=INTERNAL --json"), 0);
	CU_ASSERT(json_is(json_get(out, "reset"), "INTERNAL"));
}

/* The bench's count equals the card's. */
static void check_bench(const char *source, unsigned int ep)
{
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	UNIT_EQ(json_number(json_get(out, "superpages")), emu_count(CARD0, ep, "superpages"));
	UNIT_EQ(json_number(json_get(out, "bytes")), emu_count(CARD0, ep, "bytes"));
	UNIT_EQ(json_number(json_get(out, "dropped")), 0);
	CU_ASSERT(json_number(json_get(out, "bytes")) >= 48 * MIB);
	/* However short the run. */
	CU_ASSERT_DOUBLE_EQUAL(json_real(json_get(out, "temperature")), 45, 0.7);
	CU_ASSERT(json_is(json_get(out, "source"), source));
	CU_ASSERT(json_is(json_get(out, "end"), "bytes"));
}

#define BENCH "roc-bench-dma --id=245 --buffer-size=32Mi --superpage-size=256Ki --no-display "

static void bench(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(RUN(BENCH "--json --bytes=48Mi --data-source=INTERNAL --links=0"), 0);
	check_bench("INTERNAL", 0);
	emu(CARD0, "clear");
	UNIT_EQ(RUN(BENCH "--json --bytes=48Mi --data-source=DDG"), 0);
	check_bench("DDG", 0);
	emu(CARD0, "clear");
	UNIT_EQ(RUN(BENCH "--json --bytes=48Mi --data-source=DDG --mode=busy"), 0);
	check_bench("DDG", 0);
	/* Orbits and ready counts wrap at 2^32. */
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 orbit 0xfffffd00");
	emu(CARD0, "set 0 packets-per-tf 200");
	emu(CARD0, "set 0 count-start 0xfffffff0");
	UNIT_EQ(RUN(BENCH "--json --bytes=48Mi --data-source=DDG"), 0);
	check_bench("DDG", 0);
	emu_normal(CARD0, FOUR_LINKS);
	/* As users call it: with the table. */
	UNIT_EQ(RUN(BENCH "--bytes=16Mi --data-source=DDG"), 0);
	OUTPUT_HAS("Superpages");
	OUTPUT_HAS("Gb/s");
	OUTPUT_HAS("Errors                 0");
	CU_ASSERT(access("readout_errors.txt", F_OK) != 0);
}

static void bench_as_user(void)
{
	/* The installed limits apply to logins; set the same limit here. */
	UNIT_EQ(RUN("ulimit -l unlimited; as-user reader " BENCH "--bytes=16Mi --data-source=DDG"),
		0);
	UNIT_EQ(RUN("ulimit -l 1024; cd /tmp; as-user reader " BENCH "--bytes=16Mi"), 1);
	OUTPUT_HAS("RLIMIT_MEMLOCK");
	OUTPUT_HAS("1048576");
}

static void example(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(RUN("/usr/lib/roc/reader 245 50"), 0);
	OUTPUT_HAS("50 superpages");
	UNIT_EQ(RUN("/usr/lib/roc/reader 999"), 1);
	OUTPUT_HAS("reader: ");
	UNIT_EQ(RUN("/usr/lib/roc/lend 245 100 3"), 0);
	OUTPUT_HAS("100 superpages, 104857600 bytes");
	UNIT_EQ(RUN("/usr/lib/roc/lend 999"), 1);
	OUTPUT_HAS("lend: ");
}

static void bad_usage(void)
{
	refuses(2, "--id is missing", "roc-reg-read --channel=2 --address=0");
	refuses(2, "--id is missing", "roc-bench-dma");
	refuses(2, "hexadecimal", "roc-reg-read --id=245 --channel=2 --address=xyz");
	refuses(2, "32 bits", "roc-reg-read --id=245 --channel=2 --address=0x100000000");
	refuses(2, "32 bits", "roc-reg-write --id=245 --channel=2 --address=0 --value=0x123456789");
	refuses(2, "decimal", "roc-reg-write --id=245 --channel=2 --address=0 --value=12ab");
	refuses(2, "outside", "roc-reg-read --id=245 --channel=6 --address=0");
	refuses(2, "not a size", BENCH "--bytes=lots");
	refuses(2, "unit", BENCH "--bytes=10Kb");
	refuses(2, "too large", BENCH "--bytes=99999999999999999999");
	refuses(2, "not a time", BENCH "--time=soon");
	refuses(2, "is not one of", BENCH "--data-source=NOISE");
	refuses(2, "is not one of", "roc-reset --id=245 --channel=0 --reset=ALL");
	refuses(2, "Unknown option", "roc-reg-read --frobnicate");
	refuses(2, "needs a value", "roc-reg-read --id");
	refuses(2, "Unknown tool", "roc frobnicate");
}

/*
 * Every message gives the reason; the exit code is 2 if no machine could accept the input. The card
 * is unchanged.
 */
static void bad_input(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	refuses(1, "999", "roc-reg-read --id=999 --channel=2 --address=0");
	refuses(1, "245", "roc-reg-read --id=999 --channel=2 --address=0"); /* the present ones */
	refuses(2, "zz", "roc-reg-read --id=zz --channel=2 --address=0");
	refuses(1, "#9", "roc-bench-dma --id='#9' --bytes=1Mi");
	refuses(2, "multiple of 4", "roc-reg-read --id=245 --channel=2 --address=0x2");
	refuses(2, "multiple of 4", "roc-reg-write --id=245 --channel=2 --address=0x3 --value=1");
	refuses(1, "no data source SIU", BENCH "--bytes=1Mi --data-source=SIU");
	refuses(1, "BAR", "roc-reg-read --id=245 --channel=2 --address=0x1000000");
	refuses(1, "BAR", "roc-reg-read --id=245 --channel=1 --address=0x0");
	refuses(1, "exceed BAR 0",
		"roc-reg-read-range --id=245 --channel=0 --address=0xfff0 --range=5");
	refuses(1, "rotected",
		"as-user reader roc-reg-write --id=245 --channel=0 --address=0x200 --value=1");
	refuses(1, "ermission denied",
		"as-user stranger roc-reg-read --id=245 --channel=0 --address=0x500");
	refuses(1, "group roc", "as-user stranger roc-bench-dma --id=245 --bytes=1Mi");
	refuses(1, "multiple of 32 KiB",
		"roc-bench-dma --id=245 --superpage-size=40000 --bytes=1Mi");
	refuses(1, "at most", "roc-bench-dma --id=245 --superpage-size=16Mi --buffer-size=32Mi");
	refuses(2, "smaller than one superpage", "roc-bench-dma --id=245 --buffer-size=64Ki");
	refuses(1, "no channel 3", "roc-bench-dma --id=245 --dma-channel=3 --buffer-size=32Mi");
	if (translated(EP0)) {
		refuses(1, "request less", "roc-bench-dma --id=245 --buffer-size=100Gi");
	} else {
		refuses(1, "hugepages", "roc-bench-dma --id=245 --buffer-size=100Gi");
		refuses(1, "echo ", "roc-bench-dma --id=245 --buffer-size=100Gi"); /* the remedy */
	}
	UNIT_EQ(emu_count(CARD0, 0, "resets"), 0);
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
	emu(CARD0, "set all links-enabled 0");
	refuses(1, "no links are enabled", BENCH "--bytes=1Mi --data-source=DDG");
	refuses(1, "enabled", BENCH "--bytes=1Mi --data-source=DDG --links=0-3");
	UNIT_EQ(emu_count(CARD0, 0, "mmio_writes"), 0);
	emu_normal(CARD0, FOUR_LINKS);
}

static void plain_memory(void)
{
	if (translated(EP0)) {
		UNIT_EQ(RUN(BENCH "--plain-memory --bytes=16Mi --data-source=DDG"), 0);
		return;
	}
	/* So much memory, in such large pieces, that it cannot be contiguous by chance. */
	refuses(1, "hugepages",
		"roc-bench-dma --id=245 --plain-memory --buffer-size=256Mi --superpage-size=8Mi");
}

static void owned_by_another(void)
{
	int fd = node_open(EP0, 0);
	const char *channel;
	char text[32];

	snprintf(text, sizeof(text), "%d", getpid());
	refuses(1, "in use by", BENCH "--bytes=1Mi");
	OUTPUT_HAS(text);
	refuses(1, "in use by", "roc-reset --id=245 --channel=0 --reset=INTERNAL");
	/* All users can see the owner. */
	UNIT_EQ(RUN("as-user stranger roc-metrics --id=245 --json"), 0);
	channel = json_at(json_get(json_at(out, 0), "channels"), 0);
	UNIT_EQ(json_number(json_get(channel, "ownerPid")), getpid());
	CU_ASSERT(json_is(json_get(channel, "state"), "stopped"));
	/* The endpoint is usable by all. */
	UNIT_EQ(RUN("roc-reg-read --id=245 --channel=0 --address=0x500"), 0);
	close(fd);
}

/*
 * Break the data once they flow: a bench accepts the first packet of a link as it is. Slowly until
 * then, so that enough is left.
 */
static int break_data(void *fault)
{
	if (!UNIT_WAIT(emu_count(CARD0, 0, "superpages") > 8, 20000))
		return 1;
	emu(CARD0, "fault 0 %s", (const char *)fault);
	emu(CARD0, "set 0 rate 0");
	return 0;
}

/* One error in the data: exit code 1, counted, and in the file. */
static void finds(const char *fault)
{
	pid_t pid;

	unlink("readout_errors.txt");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "set 0 packets-per-tf 100");
	emu(CARD0, "set 0 rate %llu", emu_rate(10000000));
	pid = child_start(AS_ROOT, break_data, (void *)fault);
	UNIT_EQ(RUN(BENCH "--json --bytes=12Mi --data-source=DDG --stall-limit=%u",
		    limit_ms(5000) / 1000),
		1);
	UNIT_EQ(child_wait(pid, 1000), 0);
	CU_ASSERT(json_number(json_get(out, "errors")) >= 1);
	if (!json_number(json_get(out, "errors")))
		unit_note("%s: %.500s", fault, out);
	CU_ASSERT(access("readout_errors.txt", F_OK) == 0);
	unlink("readout_errors.txt");
}

static void wrong_data(void)
{
	finds("flip 1");
	finds("skip-packet 1");
	finds("bad-tf 1");
	finds("bad-link 1");
	finds("offset-zero 1"); /* and does not hang on it */
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 flip 1");
	UNIT_EQ(RUN(BENCH "--bytes=16Mi --data-source=INTERNAL --links=0"), 1);
	OUTPUT_HAS("errors in the data");
	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(RUN(BENCH "--bytes=16Mi --data-source=DDG"), 0);
}

static void stalled(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 stall");
	UNIT_EQ(RUN(BENCH "--bytes=16Mi --data-source=DDG --stall-limit=1"), 1);
	OUTPUT_HAS("No superpage arrived");
	emu_normal(CARD0, FOUR_LINKS);
	emu(CARD0, "fault 0 wrong-count 1000");
	/* Far more bytes than come before the driver reads the count. */
	UNIT_EQ(RUN(BENCH "--bytes=100Gi --data-source=DDG --stall-limit=%u",
		    limit_ms(5000) / 1000),
		1);
	OUTPUT_HAS("more superpages than were pushed");
	emu_normal(CARD0, FOUR_LINKS);
}

/* Once data flow: send a signal, given by its name. */
static int interrupt(void *name)
{
	if (!UNIT_WAIT(emu_count(CARD0, 0, "superpages") > 20, 20000))
		return 1;
	return shell(NULL, 0, TOOL_LIMIT, "kill -%s $(cat bench.pid)", (const char *)name);
}

/* This signal ends an endless run in order: stopped, counted, exit code 0. */
static void in_order_at(char *name)
{
	int64_t before = pins();
	pid_t pid;

	emu_normal(CARD0, FOUR_LINKS);
	pid = child_start(AS_ROOT, interrupt, name);
	/* Not behind "&", where a shell ignores SIGINT. */
	ends(0, "echo $$ > bench.pid; exec " BENCH "--data-source=DDG --json");
	UNIT_EQ(child_wait(pid, 1000), 0);
	CU_ASSERT(json_is(json_get(out, "end"), "signal"));
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
	CU_ASSERT(json_number(json_get(out, "superpages")) > 0);
	UNIT_EQ(json_number(json_get(out, "superpages")), emu_count(CARD0, 0, "superpages"));
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_CARD, CRU_USER_CONTROL) & 1, 0);
	CU_ASSERT(emu_idle(CARD0, 0, 100));
	UNIT_EQ(pins(), before);
}

static void interrupted(void)
{
	in_order_at("INT");
}

static void terminal_closed(void)
{
	in_order_at("HUP");
}

static void leave(void)
{
	CU_ASSERT(emu_clean(CARD0));
	CU_ASSERT(emu_clean(CARD1));
}

static void enter(void)
{
	tool_enter("/tmp/tools");
	chmod("/tmp/tools", 01777);
	UNIT_EQ(RUN("roc --version"), 0);
	OUTPUT_HAS(roc_version());
	UNIT_EQ(RUN("roc-bench-dma --help"), 0);
	OUTPUT_HAS("--superpage-size");
}

UNIT_MAIN("tools", {"version and help", enter}, {"list cards", list_cards},
	  {"registers", registers}, {"reset", reset}, {"bench", bench},
	  {"bench as user", bench_as_user}, {"example", example}, {"bad usage", bad_usage},
	  {"bad input", bad_input}, {"plain memory", plain_memory},
	  {"owned by another", owned_by_another}, {"wrong data", wrong_data}, {"stalled", stalled},
	  {"interrupted", interrupted}, {"a closed terminal", terminal_closed},
	  {"cards were left alone", leave})
