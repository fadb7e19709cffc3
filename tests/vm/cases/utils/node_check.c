// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-node-check on this guest: unchanged, with a missing endpoint, with memory and card on
 * the wrong node, too warm, and as a user with few rights. tests/unit/utils/node/check/ tests all
 * rules with all faults.
 */
#include "common/case.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

/* Properties of this guest that a server should not have. */
#define LIMITS                                                                                     \
	"\"maxPayload\": 128, \"memoryPerChannel\": \"32Mi\", "                                    \
	"\"iommu\": [\"none\", \"identity\", \"DMA\", \"DMA-FQ\"]"
#define CHECK "roc-node-check --limits=limits.json"
#define HUGEPAGES "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"
#define LOOK_MS 15000 /* the driver polls every five seconds */

static void limits(const char *more)
{
	char text[512];

	snprintf(text, sizeof(text), "{" LIMITS "%s}\n", more);
	UNIT_EQ(RUN("rm -f limits.json && touch limits.json"), 0);
	UNIT_EQ(put_text("limits.json", text), 0);
}

/* The rule in the last JSON report. */
static const char *rule(const char *name)
{
	const char *r = json_at(json_get(out, "rules"), 0);

	while (r && !json_is(json_get(r, "rule"), name))
		r = json_next(r);
	if (!r)
		unit_note("no rule %s in: %.500s", name, out);
	return r;
}

static bool is(const char *name, const char *verdict)
{
	return json_is(json_get(rule(name), "verdict"), verdict);
}

/* True if the rule has this verdict for this subject. */
static bool of(const char *name, const char *verdict, const char *subject)
{
	const char *f = json_at(json_get(rule(name), "findings"), 0);

	for (; f; f = json_next(f))
		if (json_is(json_get(f, "subject"), subject) &&
		    json_is(json_get(f, "verdict"), verdict))
			return true;
	return false;
}

static void check(int code)
{
	static char json[sizeof(out)];
	int got = RUN(CHECK " --json 2> sentence");

	if (got != code) {
		memcpy(json, out, sizeof(json));
		RUN("cat sentence");
		unit_note("exit %d: %.500s", got, out);
		memcpy(out, json, sizeof(out));
	}
	UNIT_EQ(got, code);
	CU_ASSERT(json_valid(out));
}

static void as_it_is(void)
{
	static const char *const right[] = {
		"driver",     "cards",	      "endpoints",   "firmware",  "temperature",
		"link-speed", "link-width",   "max-payload", "aspm",	  "max-read-request",
		"numa-node",  "numa-balance", "sub-numa",    "hugepages", "irq-affinity",
		"iommu",      "secure-boot",  "permissions", "group",
	};
	uint64_t reads;
	size_t i;

	emu_normal(CARD0, FOUR_LINKS);
	limits("");
	reads = emu_reads(CARD0, 0) + emu_reads(CARD0, 1);
	check(0);
	UNIT_EQ(emu_reads(CARD0, 0) + emu_reads(CARD0, 1), reads);
	for (i = 0; i < N(right); i++) {
		if (!is(right[i], "PASS"))
			unit_note("%s", right[i]);
		CU_ASSERT(is(right[i], "PASS"));
	}
	CU_ASSERT(of("endpoints", "PASS", "245"));
	CU_ASSERT(of("numa-node", "PASS", "246:1"));
	/* The emulated machine does not report it. */
	CU_ASSERT(is("prefetchers", "UNKNOWN"));
	UNIT_EQ(RUN(CHECK " --strict"), 1);
	OUTPUT_HAS("roc-node-check: UNKNOWN: ");
	UNIT_EQ(RUN(CHECK " --verbose"), 0);
	OUTPUT_HAS("endpoints 0 to 1");
}

/* An endpoint missing on the bus, and one without the driver. */
static void missing_endpoint(void)
{
	char address[16], path[64];

	limits("");
	snprintf(address, sizeof(address), "%s", pci_address(EP1));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	UNIT_EQ(put_text(path, "1"), 0);
	check(1);
	CU_ASSERT(of("endpoints", "FAIL", "245"));
	CU_ASSERT(of("endpoints", "PASS", "246"));
	CU_ASSERT(is("cards", "PASS"));
	UNIT_EQ(RUN("cat sentence"), 0);
	OUTPUT_HAS("roc-node-check: FAIL: endpoints.");
	UNIT_EQ(put_text("/sys/bus/pci/rescan", "1"), 0);
	CU_ASSERT(wait_nodes(5));

	snprintf(address, sizeof(address), "%s", pci_address(EP1));
	UNIT_EQ(driver_unbind(address), 0);
	check(1);
	CU_ASSERT(of("endpoints", "FAIL", "245"));
	CU_ASSERT(of("cards", "FAIL", address));
	CU_ASSERT(driver_bind(address));
	CU_ASSERT(wait_nodes(5));
	check(0);
}

static void wrong_node(void)
{
	char before[16];

	/* The limits expect the first card at the second one's place. */
	limits(", \"cards\": {\"245\": 1, \"246\": 1, \"1003\": null}");
	check(1);
	CU_ASSERT(of("numa-node", "FAIL", "245:0"));
	CU_ASSERT(of("numa-node", "FAIL", "245:1"));
	CU_ASSERT(of("numa-node", "PASS", "246:0"));
	CU_ASSERT(is("cards", "PASS"));
	limits(", \"cards\": {\"245\": 0, \"246\": 1, \"1003\": 0, \"247\": null}");
	check(1);
	CU_ASSERT(is("numa-node", "PASS"));
	CU_ASSERT(of("cards", "FAIL", "247"));

	/* Hugepages on the other node only. */
	limits("");
	UNIT_EQ(RUN("cat " HUGEPAGES), 0);
	snprintf(before, sizeof(before), "%.*s", (int)strcspn(out, "\n"), out);
	UNIT_EQ(put_text(HUGEPAGES, "0"), 0);
	check(1);
	CU_ASSERT(of("hugepages", "FAIL", "node 0"));
	CU_ASSERT(of("hugepages", "PASS", "node 1"));
	UNIT_EQ(put_text(HUGEPAGES, before), 0);
	check(0);
}

static bool warm(const char *verdict)
{
	RUN(CHECK " --json 2> sentence");
	return of("temperature", verdict, EP0);
}

static void too_warm(void)
{
	limits("");
	emu(CARD0, "set temperature 57");
	CU_ASSERT(UNIT_WAIT(warm("WARN"), LOOK_MS));
	emu(CARD0, "set temperature 68");
	CU_ASSERT(UNIT_WAIT(warm("FAIL"), LOOK_MS));
	CU_ASSERT(of("temperature", "PASS", OTHER_EP0));
	emu_normal(CARD0, FOUR_LINKS);
	CU_ASSERT(UNIT_WAIT(warm("PASS"), LOOK_MS));
}

/* A user with few rights gets a report of what could not be read. */
static void unprivileged(void)
{
	limits("");
	UNIT_EQ(RUN("chmod 755 . && chmod 644 limits.json"), 0);
	RUN("as-user stranger " CHECK " --json 2>/dev/null");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(is("endpoints", "PASS"));
	CU_ASSERT(is("permissions", "PASS"));
	CU_ASSERT(is("link-width", "PASS"));
	CU_ASSERT(is("max-payload", "UNKNOWN"));
	CU_ASSERT(is("memory-channels", "UNKNOWN"));
	OUTPUT_HAS("permission denied");
	UNIT_EQ(RUN("mkdir -p empty/sys && " CHECK " --root=empty"), 1);
	OUTPUT_HAS("FAIL: driver, cards");
	UNIT_EQ(RUN("roc-node-check --limits=nowhere.json"), 1);
	OUTPUT_HAS("nowhere.json: cannot be read");
}

/* The remedy of the first finding of a rule with this verdict; empty: none. */
static const char *remedy_of(const char *name, const char *verdict)
{
	static char cure[512];
	const char *f = json_at(json_get(rule(name), "findings"), 0);

	cure[0] = '\0';
	for (; f; f = json_next(f))
		if (json_is(json_get(f, "verdict"), verdict))
			break;
	if (f)
		sscanf(json_get(f, "cure"), "\"%511[^\"]", cure);
	return cure;
}

/* Run the part of a remedy that starts with @begin, without sudo. */
static void apply(const char *cure, const char *begin)
{
	const char *command = strstr(cure, begin);

	CU_ASSERT_PTR_NOT_NULL(command);
	if (!command)
		return;
	UNIT_EQ(RUN("sudo() { \"$@\"; }; %s", command), 0);
}

static void remedied_read_request(void)
{
	limits("");
	UNIT_EQ(RUN("setpci -s %s CAP_EXP+8.w=0000:7000", pci_address(EP0)), 0);
	check(0);
	CU_ASSERT(of("max-read-request", "WARN", EP0));
	apply(remedy_of("max-read-request", "WARN"), "sudo setpci");
	check(0);
	CU_ASSERT(is("max-read-request", "PASS"));
}

/* The firmware enabled @aspm at both ends before the kernel finds the endpoint. */
static void found_with_aspm(unsigned int aspm)
{
	char address[16], port[16];

	snprintf(address, sizeof(address), "%s", pci_address(EP0));
	UNIT_EQ(RUN("basename $(dirname $(readlink -f /sys/bus/pci/devices/%s))", address), 0);
	snprintf(port, sizeof(port), "%.*s", (int)strcspn(out, "\n"), out);
	UNIT_EQ(RUN("for f in %s %s; do setpci -s $f CAP_EXP+10.b=%u:3 || exit; done", port,
		    address, aspm),
		0);
	UNIT_EQ(RUN("echo 1 > /sys/bus/pci/devices/%s/remove && echo 1 > /sys/bus/pci/rescan",
		    address),
		0);
	CU_ASSERT(wait_nodes(5));
}

static void remedied_aspm(void)
{
	limits("");
	found_with_aspm(1);
	check(1);
	CU_ASSERT(of("aspm", "FAIL", EP0));
	CU_ASSERT_PTR_NOT_NULL(strstr(remedy_of("aspm", "FAIL"), "pcie_aspm.policy=performance"));
	/* This file has the same effect as the boot parameter. */
	UNIT_EQ(RUN("echo performance > /sys/module/pcie_aspm/parameters/policy"), 0);
	check(0);
	CU_ASSERT(is("aspm", "PASS"));
	UNIT_EQ(RUN("echo default > /sys/module/pcie_aspm/parameters/policy"), 0);
	found_with_aspm(0);
}

/* The group is missing when udev reads its rules, and created later. */
static void remedied_group(void)
{
	const char *cure;

	limits("");
	UNIT_EQ(RUN("cp -p /etc/group group && sed -i /^roc:/d /etc/group && udevadm control --reload && chown root:root /dev/roc*[0-9]"),
		0);
	check(1);
	CU_ASSERT(is("group", "FAIL"));
	CU_ASSERT(of("permissions", "FAIL", "roc0"));
	cure = remedy_of("group", "FAIL");
	CU_ASSERT_PTR_NOT_NULL(strstr(cure, "groupadd -r roc, then "));
	/* Not every guest has groupadd. */
	UNIT_EQ(RUN("cp -p group /etc/group"), 0);
	apply(cure, "sudo udevadm");
	CU_ASSERT(wait_nodes(5));
	check(0);
	CU_ASSERT(is("permissions", "PASS"));
}

static void enter(void)
{
	tool_enter("/tmp/node_check");
}

/* Time in which each of four links fills a superpage; a thread measures disturbances of the run. */
#define LINK_ROUND_MS 80
#define ATTEMPTS 6
#define LOOK_US 2000

static _Atomic bool looking;
static uint64_t longest; /* ns between two reads of the clock: the longest pause of this guest */

static void *measure_pauses(void *unused)
{
	uint64_t before = now_ns(), now;

	for (; looking; before = now) {
		usleep(LOOK_US);
		now = now_ns();
		if (now - before > longest)
			longest = now - before;
	}
	return NULL;
}

/*
 * Packets dropped in the run with this depth, from the report of --find-latency; -1: there was no
 * run.
 */
static int64_t dropped(unsigned int depth)
{
	const char *r = json_at(json_get(out, "runs"), 0);

	for (; r; r = json_next(r))
		if (json_number(json_get(r, "depth")) == depth)
			return (int64_t)json_number(json_get(r, "dropped"));
	return -1;
}

/* The depth that the tool reports when a superpage is usable so many us after its push. */
static uint64_t needed(unsigned int round_ms, unsigned int refill_us)
{
	char command[128];
	pthread_t looker;

	emu(CARD0, "set 0 rate %u", (unsigned int)(4 * 1048576000ull / round_ms));
	emu(CARD0, "set 0 refill-latency-us %u", refill_us);
	snprintf(command, sizeof(command),
		 "roc-node-check --find-latency --id=" EP0 " --time=%us --json",
		 (3 * round_ms + 999) / 1000);
	longest = 0;
	looking = true;
	UNIT_EQ(pthread_create(&looker, NULL, measure_pauses, NULL), 0);
	UNIT_EQ(RUN("%s", command), 0);
	looking = false;
	pthread_join(looker, NULL);
	return json_number(json_get(out, "neededDepth"));
}

static bool fits(uint64_t depth, uint64_t least, uint64_t most)
{
	return depth >= least && depth <= most && json_is(json_get(out, "verdict"), "PASS") &&
	       !dropped(2 * (unsigned int)depth);
}

/*
 * With a refill that takes @percent of a round. Other work of the guest, its host or the card's
 * process adds to it, and the test cannot see all of that: it repeats with slower cards, to which
 * it adds less. A wrong tool is wrong with each of them.
 */
static void needs(unsigned int percent, uint64_t least, uint64_t most)
{
	unsigned int round_ms = limit_ms(LINK_ROUND_MS), i;
	uint64_t depth;

	for (i = 0; i < ATTEMPTS; i++, round_ms *= 2) {
		depth = needed(round_ms, round_ms * percent * 10);
		unit_note("a round in %u ms, a refill in %u: %" PRIu64
			  " needed; stood still for %" PRIu64,
			  round_ms, round_ms * percent / 100, depth, longest / 1000000);
		if (fits(depth, least, most))
			break;
	}
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_is(json_get(out, "verdict"), "PASS"));
	UNIT_EQ(json_number(json_get(out, "links")), 4);
	CU_ASSERT(depth >= least);
	CU_ASSERT(depth <= most);
	for (i = 1; i < least; i++)
		CU_ASSERT(dropped(i) > 0);
	UNIT_EQ(dropped(2 * (unsigned int)depth), 0);
}

/* Published: a slower server dropped packets, and a FIFO of double depth solved it. */
static void find_latency(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	needs(180, 3, 4);
	needs(30, 2, 2);
	emu_normal(CARD0, FOUR_LINKS);

	UNIT_EQ(RUN("roc-node-check --find-latency --id=" CRORC_ID), 1);
	OUTPUT_HAS("--find-latency is for a CRU");
	UNIT_EQ(RUN("roc-node-check --find-latency --id=" EP0 " --superpage-size=1000"), 1);
	OUTPUT_HAS("must be a multiple of");
}

UNIT_MAIN("roc-node-check", {"enter", enter}, {"as it is", as_it_is},
	  {"a missing endpoint", missing_endpoint}, {"the wrong node", wrong_node},
	  {"a remedied read request", remedied_read_request}, {"a remedied link", remedied_aspm},
	  {"a remedied group", remedied_group}, {"too warm", too_warm},
	  {"user with few rights", unprivileged}, {"the depth of the FIFO", find_latency})
