// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-config as operators use it: the card's registers afterwards, no repeated writes, files,
 * refusals, and two processes at once.
 */
#include "common/case.h"

#include <roc/cru.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static uint32_t peek(uint32_t offset)
{
	return emu_peek(CARD0, 0, CRU_BAR_CARD, offset);
}

static uint64_t writes(unsigned int card)
{
	return emu_count(card, 0, "mmio_writes") + emu_count(card, 1, "mmio_writes");
}

#define WANTED                                                                                     \
	"--links=0-3,5 --cru-id=0x123 --system-id=0x20 --fee-id=0xabcd "                           \
	"--trigger-window-size=777 --tf-length=128 --dyn-offset --drop-bad-rdh "                   \
	"--allow-rejection --downstreamdata=MIDTRG --gbtmode=WB --loopback "                       \
	"--set link2.gbtMux=DDG,link5.feeId=0x55"

static void enter(void)
{
	tool_enter("/tmp/config");
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal(CARD1, FOUR_LINKS);
}

static void registers(void)
{
	unsigned int l;

	ends(0, "roc-config --id=245:0 " WANTED);
	OUTPUT_HAS("configured");
	UNIT_EQ(peek(CRU_USER_CONTROL) & CRU_USER_CONTROL_CRU_ID,
		0x123u << CRU_USER_CONTROL_CRU_ID_SHIFT);
	/* The clock was already the requested one, so the tool did not select it. */
	UNIT_EQ(peek(CRU_TTC_DATA) & CRU_TTC_DATA_CLOCK, CRU_TTC_DATA_CLOCK_TTC);
	UNIT_EQ((peek(CRU_TTC_DATA) & CRU_TTC_DATA_DOWNSTREAM) >> CRU_TTC_DATA_DOWNSTREAM_SHIFT,
		CRU_TTC_DATA_MIDTRG);
	UNIT_EQ(peek(CRU_DATAPATH(0) + CRU_DATAPATH_ENABLE) & CRU_DATAPATH_LINKS, 0x2f);
	UNIT_EQ(peek(CRU_DATAPATH(0) + CRU_DATAPATH_ENABLE) & CRU_DATAPATH_DYNAMIC_OFFSET,
		CRU_DATAPATH_DYNAMIC_OFFSET);
	UNIT_EQ(peek(CRU_DATAPATH(0) + CRU_DATAPATH_TRIGGER_WINDOW), 777);
	CU_ASSERT(peek(CRU_DATAPATH(0) + CRU_DATAPATH_DROP_BAD_RDH) != 0);
	UNIT_EQ(peek(CRU_DATAPATH(0) + CRU_DATAPATH_FLOW_CONTROL) & 1, 1);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME) >> CRU_TIME_FRAME_LENGTH_SHIFT,
		128);
	for (l = 0; l < 6; l++) {
		if (l == 4)
			continue;
		UNIT_EQ(peek(CRU_DATAPATH_LINK(0, l) + CRU_DPL_IDS),
			(l == 5 ? 0x55 : 0xabcd) | 0x20u << CRU_DPL_IDS_SYSTEM_SHIFT);
		UNIT_EQ(peek(CRU_DATAPATH_LINK(0, l) + CRU_DPL_CONTROL) & CRU_DPL_CONTROL_PACKET,
			CRU_DPL_CONTROL_PACKET);
		UNIT_EQ(peek(CRU_MUX(l)) >> CRU_MUX_SHIFT(l) & CRU_MUX_MASK,
			l == 2 ? CRU_MUX_DDG : CRU_MUX_TTC);
		UNIT_EQ(peek(CRU_GBT(0, l) + CRU_GBT_RX_CONTROL) & CRU_GBT_WIDE_BUS,
			CRU_GBT_WIDE_BUS);
		UNIT_EQ(peek(CRU_GBT(0, l) + CRU_GBT_TX_CONTROL) & CRU_GBT_WIDE_BUS, 0);
		UNIT_EQ(peek(CRU_GBT(0, l) + CRU_GBT_SOURCE) & CRU_GBT_SOURCE_LOOPBACK,
			CRU_GBT_SOURCE_LOOPBACK);
	}
	/* The card's other endpoint is unchanged. */
	UNIT_EQ(peek(CRU_DATAPATH(1) + CRU_DATAPATH_ENABLE) & CRU_DATAPATH_LINKS, FOUR_LINKS);
}

/* By the emulator's counts the second run writes no register at all. */
static void twice(void)
{
	ends(0, "roc-config --id=245:0 --force-config --json " WANTED);
	CU_ASSERT(writes(CARD0) > 0);
	UNIT_EQ(peek(CRU_TTC_DATA) & CRU_TTC_DATA_CLOCK, CRU_TTC_DATA_CLOCK_LOCAL);
	emu(CARD0, "clear");
	ends(0, "roc-config --id=245:0 " WANTED);
	OUTPUT_HAS("configured already");
	UNIT_EQ(writes(CARD0), 0);
	ends(0, "roc-config --id=245:0 --compare " WANTED);
	UNIT_EQ(writes(CARD0), 0);
	ends(1, "roc-config --id=245:0 --compare --cru-id=0x124");
	OUTPUT_HAS("cru.cruId");
	UNIT_EQ(writes(CARD0), 0);
}

static void files(void)
{
	ends(0, "roc-config --id=245:0 " WANTED);
	ends(0, "roc-config --id=245:0 --from-card --gen-cfg-file=card.cfg");
	ends(0, "roc-config --gen-cfg-file=options.json " WANTED);
	/* Both match the card, and so does one converted into the other. */
	ends(0, "roc-config --id=245:0 --compare --config-uri=ini://card.cfg");
	ends(0, "roc-config --id=245:0 --compare --config-uri=json://options.json");
	ends(0, "roc-config --config-uri=options.json --gen-cfg-file=again.cfg");
	ends(0, "roc-config --id=245:0 --compare --config-uri=again.cfg");
	/* Converted back, the bytes are the same. */
	ends(0, "roc-config --config-uri=again.cfg --gen-cfg-file=third.json");
	ends(0, "test \"$(cat options.json)\" = \"$(cat third.json)\"");
	/* Options override the file's values. */
	ends(1, "roc-config --id=245:0 --compare --config-uri=card.cfg --tf-length=64");
	OUTPUT_HAS("cru.timeFrameLength");
	ends(0, "roc-config --id=245:0 --from-card --set=link3.gbtMux=SWT,cru.cruId=0x77 -v");
	OUTPUT_HAS("link3.gbtMux");
	UNIT_EQ(peek(CRU_MUX(3)) >> CRU_MUX_SHIFT(3) & CRU_MUX_MASK, CRU_MUX_SWT);
	UNIT_EQ(peek(CRU_MUX(2)) >> CRU_MUX_SHIFT(2) & CRU_MUX_MASK, CRU_MUX_DDG);
}

/* Refused with this sentence, without a register write. */
static void refuses_unwritten(int code, const char *sentence, const char *command)
{
	emu(CARD0, "clear");
	refuses(code, sentence, command);
	UNIT_EQ(writes(CARD0), 0);
}

#define ID "roc-config --id=245:0 "

static void refusals(void)
{
	ends(0, "sed 's/^cruId/cruIdent/' card.cfg > unknown.cfg");
	ends(0, "sed 's/^triggerWindowSize=.*/triggerWindowSize=65536/' card.cfg > range.cfg");
	ends(0, "(cat card.cfg; grep -A3 link3 card.cfg) > double.cfg");
	ends(0, "printf '[crorc]\\ncrorcId=0x1\\ndynamicOffset=false\\n' > crorc.cfg");
	refuses_unwritten(1, "unknown.cfg:", ID "--config-uri=unknown.cfg");
	OUTPUT_HAS("cruIdent");
	refuses_unwritten(1, "range.cfg:", ID "--config-uri=range.cfg");
	OUTPUT_HAS("triggerWindowSize");
	refuses_unwritten(1, "double.cfg:", ID "--config-uri=double.cfg");
	OUTPUT_HAS("repeated");
	refuses_unwritten(1, "crorc.cfg:", ID "--config-uri=crorc.cfg");
	OUTPUT_HAS("C-RORC");
	refuses_unwritten(2, "Consul", ID "--config-uri=consul://localhost:8500/x");
	refuses_unwritten(1, "none.cfg", ID "--config-uri=none.cfg");
	refuses_unwritten(1, "a CRU has no such parameter", ID "--crorc-id=0x1");
	refuses_unwritten(1, "a CRU has no such parameter", ID "--no-tf-detection");
	refuses_unwritten(2, "--clock", ID "--clock=SUNDIAL");
	refuses_unwritten(2, "--cru-id", ID "--cru-id=0x1000");
	refuses_unwritten(2, "the highest is 11", ID "--links=0-12");
	refuses_unwritten(2, "userLogicEnabled", ID "--user-and-common-logic");
	refuses_unwritten(2, "SECTION.KEY=VALUE", ID "--set=cruId=1");
	refuses_unwritten(2, "linkx", ID "--set=linkx.enabled=true");
	refuses_unwritten(2, "--id is missing", "roc-config --clock=LOCAL");
	refuses_unwritten(2, "--config-uri", "roc-config --config-all");
	refuses_unwritten(2, "%i",
			  "roc-config --config-all --config-uri=card.cfg --status-report=/tmp/x");
}

static void firmware(void)
{
	ends(0, "roc-fw-check");
	OUTPUT_HAS("accepted");
	ends(0, "mkdir -p /etc/roc && printf '{\"format\": 1, \"version\": \"test\", \"cru\": "
		"[{\"hash\": \"1\", \"tag\": \"v0\", \"state\": \"accepted\"}]}' "
		"> /etc/roc/firmware.json");
	ends(1, "roc-fw-check --json 2>/dev/null");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_is(json_get(out, "listVersion"), "test"));
	refuses_unwritten(1, "--bypass-fw-check", ID "--cru-id=0x5");
	ends(0, ID "--cru-id=0x5 --bypass-fw-check");
	ends(1, "roc-config --config-all --config-uri=card.cfg");
	OUTPUT_HAS("0 of 4 done, 4 failed");
	ends(0, "roc-config --config-all --config-uri=card.cfg --bypass-fw-check");
	OUTPUT_HAS("4 of 4 done, 0 failed");
	ends(0, "rm -r /etc/roc");
}

/* A card that cannot be configured is reported and does not stop the others. */
static void all_cards(void)
{
	int code;

	ends(0, "roc-config --config-all --config-uri=card.cfg");
	code = RUN("roc-bench-dma --id=245:0 --buffer-size=32Mi --superpage-size=256Ki "
		   "--no-display --data-source=INTERNAL > /dev/null 2>&1 & pid=$!; %s; "
		   "roc-config --config-all --config-uri=card.cfg --tf-length=99; code=$?; "
		   "kill -TERM $pid; wait $pid; exit $code",
		   until_running(EP0, 0));
	UNIT_EQ(code, 1);
	OUTPUT_HAS("failed");
	/* Both endpoints of that card are refused; those of the other card are configured. */
	OUTPUT_HAS("2 of 4 done, 2 failed");
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME) >> CRU_TIME_FRAME_LENGTH_SHIFT,
		128);
	UNIT_EQ(emu_peek(CARD1, 0, CRU_BAR_DMA, CRU_TIME_FRAME) >> CRU_TIME_FRAME_LENGTH_SHIFT, 99);
	ends(0, "roc-config --config-all --config-uri=card.cfg --json 2>/dev/null");
	CU_ASSERT(json_valid(out));
	CU_ASSERT(json_is(json_get(json_at(out, 3), "result"), "configured"));
}

static void report(void)
{
	ends(0, ID "--config-uri=card.cfg --status-report=+report_%i");
	ends(0, ID "--config-uri=card.cfg --status-report=+report_%i");
	ends(0, "grep -c 'CRU ID' report_*");
	OUTPUT_HAS("2\n");
	ends(0, ID "--config-uri=card.cfg --status-report=stdout");
	OUTPUT_HAS("TTC:MIDTRG");
	ends(0, "echo before > status && ln status kept");
	ends(0, ID "--config-uri=card.cfg --status-report=status");
	ends(0, "grep -c 'CRU ID' status && cat kept");
	OUTPUT_HAS("1\nbefore\n");
	ends(1, ID "--config-uri=card.cfg --status-report=/nowhere/x");
	OUTPUT_HAS("/nowhere/x");
}

struct holder {
	volatile bool has, give;
};

static int hold(void *arg)
{
	struct holder *h = arg;
	struct roc_endpoint *ep;

	if (roc_open(EP1, &ep) || roc_card_lock(ep, 0))
		return 1;
	h->has = true;
	while (!h->give)
		sleep_ms(10);
	roc_close(ep);
	return 0;
}

/* Number of processes that sleep in the kernel for a card's lock. */
static unsigned long asleep(void)
{
	char text[16];

	shell(text, sizeof(text), 5000,
	      "cat /proc/[0-9]*/syscall | grep -c '^%d 0x[0-9a-f]* 0x%lx '", SYS_ioctl,
	      (unsigned long)ROC_CARD_LOCK);
	return strtoul(text, NULL, 10);
}

#define ONE "--links=0-11 --cru-id=0xa --tf-length=10 --fee-id=0xa --trigger-window-size=5"
#define OTHER "--links=3 --cru-id=0xb --tf-length=11 --fee-id=0xb"

static int two(void *unused)
{
	return shell(NULL, 0, TOOL_LIMIT, ID ONE " & a=$!; " ID OTHER "; b=$?; wait $a && exit $b");
}

/*
 * Two processes wait for a third one, which has locked the card by its other endpoint, and then for
 * each other.
 */
static void serialised(void)
{
	struct holder *h = shared_alloc(sizeof(*h));
	pid_t holder, both;
	int code[2];

	ends(0, ID "--config-uri=card.cfg --cru-id=0x9");
	emu(CARD0, "clear");
	holder = child_start(AS_ROOT, hold, h);
	CU_ASSERT(UNIT_WAIT(h->has, 10000));
	both = child_start(AS_ROOT, two, NULL);
	CU_ASSERT(UNIT_WAIT(asleep() == 2, 5000));
	UNIT_EQ(writes(CARD0), 0);
	h->give = true;
	UNIT_EQ(child_wait(holder, 15000), 0);
	UNIT_EQ(child_wait(both, TOOL_LIMIT), 0);
	shared_free(h, sizeof(*h));
	/* The card has all values of one process or all of the other. */
	code[0] = RUN(ID "--compare " ONE);
	code[1] = RUN(ID "--compare " OTHER);
	UNIT_EQ(code[0] + code[1], 1);
}

/* A change that fails half-way: the tool reports it, and the card is unchanged. */
static void restored_after(const char *change, const char *reason)
{
	static const uint32_t looked_at[] = {
		CRU_TTC_DATA,
		CRU_USER_CONTROL,
		CRU_DATAPATH(0) + CRU_DATAPATH_ENABLE,
		CRU_DATAPATH(0) + CRU_DATAPATH_TRIGGER_WINDOW,
		CRU_DATAPATH_LINK(0, 0) + CRU_DPL_IDS,
		CRU_DATAPATH_LINK(0, 11) + CRU_DPL_IDS,
		CRU_MUX(3),
		CRU_GBT(0, 3) + CRU_GBT_RX_CONTROL,
	};
	uint32_t before[N(looked_at)], length;
	size_t i;

	for (i = 0; i < N(looked_at); i++)
		before[i] = peek(looked_at[i]);
	length = emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME);
	emu(CARD0, "clear");
	ends(1, change);
	OUTPUT_HAS(reason);
	OUTPUT_HAS("restored");
	CU_ASSERT(writes(CARD0) > 20);
	for (i = 0; i < N(looked_at); i++)
		UNIT_EQ(peek(looked_at[i]), before[i]);
	UNIT_EQ(emu_peek(CARD0, 0, CRU_BAR_DMA, CRU_TIME_FRAME), length);
	ends(0, ID "--compare --config-uri=card.cfg");
}

#define CHANGE                                                                                     \
	" --cru-id=0x55 --links=0-11 --fee-id=0x77 --tf-length=33 --trigger-window-size=5 "        \
	"--gbtmux=SWT"

static void restored(void)
{
	const uint32_t stuck = CRU_DATAPATH_LINK(0, 11) + CRU_DPL_IDS;
	char name[16];

	ends(0, ID "--config-uri=card.cfg");
	/* One of the last registers does not keep its value. */
	emu(CARD0, "fault 0 stuck-register 0x%x 0x%x", stuck, peek(stuck));
	snprintf(name, sizeof(name), "0x%x", stuck);
	restored_after(ID CHANGE, name);
	emu(CARD0, "fault 0 clear");
	/* The clock is missing. */
	emu(CARD0, "set onu down");
	restored_after(ID "--clock=TTC" CHANGE, "PON RX calibration failed");
	emu(CARD0, "set onu up");
	ends(0, ID CHANGE);
	UNIT_EQ(peek(stuck) & 0xffff, 0x77);
	ends(0, ID "--config-uri=card.cfg");
}

/* Settings that the other cases expect. */
static void leave(void)
{
	ends(0,
	     "roc-config --gen-cfg-file=plain.cfg --links=0-3 && roc-config --config-all --config-uri=plain.cfg");
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal(CARD1, FOUR_LINKS);
	CU_ASSERT(emu_clean(CARD0));
	CU_ASSERT(emu_clean(CARD1));
}

UNIT_MAIN("config", {"enter", enter}, {"the card's registers", registers}, {"twice", twice},
	  {"files", files}, {"refusals", refusals}, {"firmware", firmware},
	  {"all cards", all_cards}, {"status report", report}, {"two at once", serialised},
	  {"put back", restored}, {"cards were left alone", leave})
