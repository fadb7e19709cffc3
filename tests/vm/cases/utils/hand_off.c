// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test recording a card's data, and sending them to another machine (a network namespace, with
 * delay and loss in between). The data that arrive must be those of the card's counters.
 */
#include "tests/vm/cases/common/case.h"

#define CARD "--id=0245 --data-source=DDG --buffer-size=8Mi --superpage-size=256Ki "
#define STREAM "--id=4001 --stream=main --buffer-size=4Mi --superpage-size=256Ki "
#define FAR "ip netns exec far "

static bool there(const char *id, const char *what)
{
	tool_enter("/tmp/hand_off");
	return card_needed(id, what);
}

static int64_t number(const char *key)
{
	return json_number(json_get(out, key));
}

/* The last tool's report: everything completed, and the card's counters agree. */
static void counters_agree(bool kept_up)
{
	const char *books = json_get(out, "books");

	UNIT_EQ(number("lost"), 0);
	UNIT_EQ(number("left"), 0);
	UNIT_EQ(number("copiedBytes"), 0);
	UNIT_EQ(number("taken"), number("units"));
	UNIT_NEED(books);
	UNIT_EQ(json_number(json_get(books, "bytes")), number("bytes"));
	if (kept_up)
		UNIT_EQ(json_number(json_get(books, "dropped")), 0);
}

static void recorded(void)
{
	int64_t units, bytes, card;

	if (!there("0245", "CRU"))
		return;
	emu_normal(0, 0xfff);
	RUN("rm -rf rec");
	UNIT_EQ(RUN("roc-record rec " CARD "--links=0,3 --bytes=8Mi --file-size=4Mi --json"), 0);
	counters_agree(true);
	units = number("units");
	bytes = number("bytes");
	CU_ASSERT_TRUE(bytes >= 8 << 20);
	CU_ASSERT_TRUE(number("files") >= 2);
	card = (int64_t)(emu_link_count(0, 0, 0, "superpages") +
			 emu_link_count(0, 0, 3, "superpages"));
	UNIT_EQ(units, card);
	UNIT_EQ(RUN("roc-replay rec --json"), 0);
	UNIT_EQ(number("units"), units);
	UNIT_EQ(number("bytes"), bytes);
	UNIT_EQ(number("errors"), 0);
}

static void stream_recorded(void)
{
	int64_t bytes;

	if (!there("4001", "PCIe40"))
		return;
	UNIT_EQ(RUN("roc-stream reset --id=4001 --level=default"), 0);
	UNIT_EQ(RUN("roc-stream set --id=4001 --stream=main --generator=distributed --fragment-min=0 --fragment-max=5000"),
		0);
	RUN("rm -rf rec");
	UNIT_EQ(RUN("roc-record rec " STREAM "--bytes=8Mi --json"), 0);
	counters_agree(true);
	bytes = number("bytes");
	UNIT_EQ(RUN("roc-replay rec --json"), 0);
	UNIT_EQ(number("bytes"), bytes);
	UNIT_EQ(number("errors"), 0);
	CU_ASSERT_TRUE(json_is(json_get(out, "content"), "packets"));
}

/* Each link sends exactly so many fragments. */
#define FRAGMENTS 300
#define SUB "--id=6001 --sub=sub1 "

static bool links_make(const char *rate)
{
	if (!there("6001", "RobinNP"))
		return false;
	UNIT_EQ(RUN("roc-fragment reset --id=6001 --level=default"), 0);
	UNIT_EQ(RUN("roc-fragment set " SUB
		    "--generator=distributed --fragment-min=400 --fragment-max=1600 --event-rate=%s --first-event=4294967200 --event-limit=%d",
		    rate, FRAGMENTS),
		0);
	return true;
}

/*
 * Host pages for all, then for few: fragments without space stay in the card, which waits. Then
 * fragments that are cut, and an end in the middle: fragments that the card has reported until then
 * still come, which is nearly all, because its links have enough pages.
 */
static void fragments_recorded(void)
{
	static const struct {
		const char *rate, *options;
		int units, pages;
		bool cut; /* the card flags cut fragments, and tools end with 1 */
	} ways[] = {
		{"2000", "--buffer-size=4Mi", 6 * FRAGMENTS, 1024, false},
		{"0", "--buffer-size=64Ki --page=1Ki", 6 * FRAGMENTS, 16, true},
		{"0", "--buffer-size=64Ki", 3 * FRAGMENTS, 16, false},
	};
	int64_t units, damaged;
	unsigned int i;

	for (i = 0; i < N(ways); i++) {
		bool all = ways[i].units == 6 * FRAGMENTS;

		if (!links_make(ways[i].rate))
			return;
		RUN("rm -rf rec");
		UNIT_EQ(RUN("roc-record rec " SUB "--superpage-size=4Ki %s --units=%d --json",
			    ways[i].options, ways[i].units),
			ways[i].cut);
		counters_agree(all);
		units = number("units");
		damaged = number("damaged");
		UNIT_EQ(damaged > 0, ways[i].cut);
		CU_ASSERT_TRUE(units >= (all ? 6 : 5) * FRAGMENTS && units <= 6 * FRAGMENTS);
		if (!all)
			unit_note("%lld units", (long long)units);
		UNIT_EQ(json_number(json_get(json_get(out, "books"), "units")), units);
		CU_ASSERT_TRUE(json_is(json_get(out, "content"), "fragments"));
		CU_ASSERT_TRUE(number("outMost") <= ways[i].pages);
		UNIT_EQ(RUN("roc-replay rec --json"), ways[i].cut);
		UNIT_EQ(number("units"), units);
		UNIT_EQ(number("damaged"), damaged);
		UNIT_EQ(number("errors"), 0);
	}
	/* A wrong word is detected. */
	UNIT_EQ(RUN("printf x | dd of=rec/run-000000.data bs=1 seek=300 conv=notrunc"), 0);
	UNIT_EQ(RUN("roc-replay rec"), 1);
	OUTPUT_HAS("1 errors in the data");
	UNIT_EQ(RUN("roc-record rec2 --id=6001 --stream=main"), 1);
	OUTPUT_HAS("are not streams");
}

/* Some links only, to a receiver that checks every word, until SIGINT. */
static void fragments_sent(void)
{
	int64_t units;
	int code;

	if (!links_make("1000"))
		return;
	UNIT_EQ(RUN("ip link set lo up"), 0);
	code = RUN(
		"timeout 300 roc-recv --once --buffer-size=4Mi --json > recv 2> note & "
		"recv=$!; for i in $(seq 1200); do ss -ltn | grep -q :4817 && break; "
		"sleep 0.1; done; "
		"timeout 300 roc-send 127.0.0.1 " SUB
		"--links=1,3 --buffer-size=1Mi --units=%d --json; code=$?; wait $recv || code=97; exit $code",
		2 * FRAGMENTS);
	UNIT_EQ(code, 0);
	counters_agree(true);
	units = number("units");
	UNIT_EQ(units, 2 * FRAGMENTS);
	UNIT_EQ(json_number(json_get(json_get(out, "books"), "units")), units);
	UNIT_EQ(RUN("cat recv"), 0);
	UNIT_EQ(number("units"), units);
	UNIT_EQ(number("errors"), 0);
	CU_ASSERT_TRUE(json_is(json_get(out, "content"), "fragments"));
}

static bool own_network(const char *trouble)
{
	int code;

	if (RUN("modprobe veth && modprobe sch_netem && ip link set lo up")) {
		unit_skip("this guest has no veth and netem");
		return false;
	}
	RUN("ip netns del far; ip link del v0");
	code = RUN(
		"ip netns add far && ip link add v0 type veth peer name v1 && ip link set v1 netns far && ip addr add 10.77.0.1/24 dev v0 && ip link set v0 up && " FAR
		"ip addr add 10.77.0.2/24 dev v1 && " FAR "ip link set v1 up && " FAR
		"ip link set lo up && tc qdisc add dev v0 root netem %s && " FAR
		"tc qdisc add dev v1 root netem %s",
		trouble, trouble);
	UNIT_EQ(code, 0);
	return true;
}

/* In a command: wait until roc-recv in the other namespace listens. */
#define LISTENING                                                                                  \
	"for i in $(seq 1200); do " FAR "ss -ltn | grep -q :4817 && break; sleep 0.1; done; "

/* And until the index of its recording there is larger than that. */
#define RECORDED(folder, bytes)                                                                    \
	"for i in $(seq 1200); do [ $(stat -c %%s " folder "/run-000000.index 2> /dev/null || "    \
	"echo 0) -gt " bytes " ] && break; sleep 0.1; done; "
#define RECORDED_ONE RECORDED("one", "1280") /* its header, and 64 bytes for each slot */
#define RECORDED_TWO RECORDED("two", "256")
#define SLOTS 16

/*
 * Two links over two connections, and the receiver is killed in the middle: the card may wait, but
 * its data are on one disk or both. The first receiver is killed when it has recorded more units
 * than it has slots (SLOTS): so at least one was acknowledged, which the sender does not send
 * again. (Libfabric with only one provider saves a slow guest seconds at either end; a guest that
 * pauses for ten seconds must not count as silent.)
 */
static void sent_far(void)
{
	int64_t units, again, first, second;
	int code;

	if (!there("0245", "CRU") || !own_network("delay 3ms loss 0.5%"))
		return;
	emu_normal(0, 0xfff);
	RUN("rm -rf one two");
	code = RUN(
		"export FI_PROVIDER=tcp; timeout 300 " FAR
		"roc-recv --bind=0.0.0.0 --silence=60 --buffer-size=4Mi --connections=2 --record=one > recv 2>&1 & first=$!; " LISTENING
		"timeout 300 roc-send 10.77.0.2 " CARD
		"--links=0,3 --connections=2 --patience=60 --silence=60 --json > sent 2> note & sender=$!; " RECORDED_ONE
		"kill -9 $(ip netns pids far); wait $first; timeout 300 " FAR
		"roc-recv --bind=0.0.0.0 --once --silence=60 --buffer-size=16Mi --connections=2 --record=two --json > recv 2>&1 & second=$!; " RECORDED_TWO
		"kill $sender; wait $sender; code=$?; wait $second || code=97; exit $code");
	if (code && !RUN("cat note recv"))
		unit_note("%.600s", out);
	UNIT_EQ(code, 0);
	UNIT_EQ(RUN("cat sent"), 0);
	counters_agree(false);
	units = number("units");
	again = number("again");
	UNIT_EQ(units, (int64_t)(emu_link_count(0, 0, 0, "superpages") +
				 emu_link_count(0, 0, 3, "superpages")));
	UNIT_EQ(RUN("roc-replay one --no-errorcheck --json 2> other"), 0);
	first = number("units");
	UNIT_EQ(RUN("roc-replay two --no-errorcheck --json"), 0);
	second = number("units");
	CU_ASSERT_TRUE(again <= SLOTS);
	CU_ASSERT_TRUE(second > 0 && second < units);
	/* Units sent twice are in both; the killed receiver's last second has no index. */
	CU_ASSERT_TRUE(first + second <= units + again);
	unit_note("%lld arrived, %lld sent again; %lld and %lld in the recordings",
		  (long long)units, (long long)again, (long long)first, (long long)second);
	UNIT_EQ(RUN("cat note"), 0);
	OUTPUT_HAS("The receiver is lost");
}

/*
 * A write ends in the middle, because its sender is killed, gives up, or is left by a receiver that
 * ends. Units are far larger than socket buffers, so a stopped process is in the middle of one. A
 * receiver that goes on serves the next sender, and ends with 1 for the lost one.
 */
#define CUT_RECV "roc-recv --buffer-size=64Mi --connections=1 --silence=%u --record=one > recv 2>&1"
#define CUT_SEND "roc-send 127.0.0.1 --synthetic --links=0 --silence=60 --buffer-size=64Mi "
#define CUT_NEXT                                                                                   \
	"for i in $(seq 600); do grep -q 'is lost' recv && break; sleep 0.1; done; "               \
	"kill -9 $sender; " CUT_SEND "--superpage-size=256Ki --units=4 > again 2>&1 || code=98; "  \
	"kill -TERM $recv; "

static void cut_in_a_write(void)
{
	static const struct {
		const char *how;
		int code;
	} ways[] = {
		{"kill -STOP $recv; sleep 2; kill -9 $sender; kill -CONT $recv; " CUT_NEXT, 1},
		{"kill -STOP $sender; " CUT_NEXT, 1},
		{"kill -STOP $sender; sleep 0.5; kill -TERM $recv; ", 0},
	};
	unsigned int i;
	int code;

	if (!there("0245", "CRU"))
		return;
	UNIT_EQ(RUN("ip link set lo up"), 0);
	for (i = 0; i < N(ways); i++) {
		code = RUN(
			"rm -rf one; export FI_PROVIDER=tcp; " CUT_RECV
			" & recv=$!; for i in $(seq 600); do ss -ltn | grep -q :4817 && break; sleep 0.1; done; " CUT_SEND
			"--superpage-size=16Mi > sent 2>&1 & sender=$!; "
			"for i in $(seq 600); do [ -s one/run-000000.data ] && break; "
			"sleep 0.1; done; %s wait $recv || code=$?; kill -9 $sender; exit $code",
			limit_ms(4000) / 1000, ways[i].how);
		UNIT_EQ(code, ways[i].code);
		if (code != ways[i].code && !RUN("cat recv"))
			unit_note("way %u: %.600s", i, out);
	}
}

UNIT_MAIN("hand-off", {"a CRU's data are recorded", recorded},
	  {"a stream is recorded", stream_recorded}, {"fragments are recorded", fragments_recorded},
	  {"fragments are sent", fragments_sent},
	  {"sent over a network with delay and loss, to a receiver that dies", sent_far},
	  {"cut in the middle of a write", cut_in_a_write})
