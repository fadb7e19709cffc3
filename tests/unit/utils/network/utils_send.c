// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-send and roc-recv on one machine, by libfabric's tcp and shm: nothing is lost that is not
 * counted, whoever dies.
 */
#include "unit.h"

#include "tests/unit/utils/network/network_run.h"
#include "utils/record/recording.h"

static void there(const char *provider, unsigned int connections)
{
	char options[160];
	pid_t pid;

	fresh();
	snprintf(options, sizeof(options), "--once --provider=%s --buffer-size=8Mi", provider);
	pid = receiver("recv", 0, options);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --provider=%s --connections=%u " SMALL
			 " --units=99 --json",
			 port, provider, connections),
		0);
	UNIT_EQ(tool_number("units"), 99);
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_number("again"), 0);
	UNIT_EQ(tool_number("copiedBytes"), 0);
	UNIT_EQ(tool_number("calls"), 99);
	UNIT_EQ(tool_number("books.units"), 99);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 99);
	UNIT_EQ(tool_number("bytes"), 99 << 18);
	UNIT_EQ(tool_number("errors"), 0);
}

static void by_tcp(void)
{
	there("tcp", 1);
}

static void by_tcp_thrice(void)
{
	there("tcp", 3);
}

static void by_shm(void)
{
	there("shm", 2);
}

/* Recorded, sent, recorded there: the same. */
static void recording_sent(void)
{
	char options[160], command[256];
	pid_t pid;

	fresh();
	UNIT_EQ(tool_run("record %s " SMALL " --units=70 --file-size=4Mi", file("a")), 0);
	snprintf(options, sizeof(options), "--once --record=%s --file-size=4Mi", file("b"));
	pid = receiver("recv", 0, options);
	UNIT_EQ(tool_run("send localhost --port=%u --replay=%s --json", port, file("a")), 0);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	snprintf(command, sizeof(command),
		 "cd %s && for f in a/*.data; do cmp $f b/${f#a/} || exit 1; done", dir);
	UNIT_EQ(system(command), 0);
	UNIT_EQ(tool_run("replay %s --json", file("b")), 0);
	UNIT_EQ(tool_number("units"), 70);
	CU_ASSERT_TRUE(tool_says("\"content\": \"ddg\""));
}

/* Sequences in the recordings below one path: each once at least; how many twice. */
static unsigned int sequences(const char *path, unsigned char *seen, unsigned int room)
{
	struct recording recording;
	unsigned int i, twice = 0;
	char why[UNITS_WHY] = "";
	uint64_t n;

	if (recording_open(path, &recording, why)) {
		unit_note("%s", why);
		return 0;
	}
	for (i = 0; i < recording.count; i++) {
		for (n = 0; n < recording.parts[i].count; n++) {
			uint64_t s = recording.parts[i].entries[n].sequence;

			UNIT_NEED(s < room);
			twice += seen[s];
			seen[s] = 1;
		}
	}
	recording_close(&recording);
	return twice;
}

static bool index_has(const char *name, long entries)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "%s/run-000000.index", file(name));
	return !stat(path, &st) && st.st_size >= 256 + 64 * entries;
}

/* The receiver dies in the middle, another one comes: not one unit is missing. */
static void receiver_killed(void)
{
	static unsigned char seen[4096];
	unsigned int twice, missing = 0, i;
	char options[160];
	pid_t first, second, sender;
	int64_t sent;

	fresh();
	memset(seen, 0, sizeof(seen));
	snprintf(options, sizeof(options), "--connections=2 --buffer-size=8Mi --record=%s",
		 file("a"));
	first = receiver("recv1", 0, options);
	/* Slower than the slowest machine: nothing is dropped for want of room but while it is
	 * away. */
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL
			    " --rate=40Mi --units=400 --json",
			    port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 64), 20000));
	kill(-first, SIGKILL);
	tool_wait(first, 5000);
	snprintf(options, sizeof(options), "--once --connections=2 --buffer-size=8Mi --record=%s",
		 file("b"));
	second = receiver("recv2", port, options);
	UNIT_EQ(tool_wait(sender, 40000), 0);
	tool_read(file("send"));
	CU_ASSERT_TRUE(tool_says("The receiver is lost"));
	sent = tool_number("units");
	UNIT_EQ(sent, tool_number("taken"));
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_wait(second, 20000), 0);
	/* What was said to have come from the first is in its files, or was in its hands. */
	tool_read(file("recv2"));
	CU_ASSERT_TRUE(tool_number("units") < sent);
	twice = sequences(file("b"), seen, sizeof(seen));
	UNIT_EQ(twice, 0);
	UNIT_EQ(tool_number("units"), tool_number("books.units"));
	twice = sequences(file("a"), seen, sizeof(seen));
	tool_read(file("send"));
	{
		int64_t made = sent + tool_number("books.dropped") / 32;

		for (i = 0; i < made; i++)
			missing += !seen[i];
		unit_note("%d sent, %u twice, %d dropped by the card, %u missing in the files",
			  (int)sent, twice, (int)(tool_number("books.dropped") / 32), missing);
		/* Entries of the killed one that were a second old at most were not written yet. */
		CU_ASSERT_TRUE(missing >= tool_number("books.dropped") / 32);
		CU_ASSERT_TRUE(missing <= tool_number("books.dropped") / 32 + 64);
	}
	CU_ASSERT_TRUE((int64_t)twice <= tool_number("again"));
}

static void receiver_gone(void)
{
	char options[160];
	pid_t pid, sender;

	fresh();
	snprintf(options, sizeof(options), "--buffer-size=8Mi --record=%s", file("a"));
	pid = receiver("recv", 0, options);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --patience=1 " SMALL " --rate=40Mi --json",
			    port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 5), 20000));
	kill(-pid, SIGKILL);
	tool_wait(pid, 5000);
	UNIT_EQ(tool_wait(sender, 20000), 1);
	tool_read(file("send"));
	CU_ASSERT_TRUE(tool_says("did not come back within 1 s"));
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	UNIT_EQ(tool_number("books.units"), tool_number("taken") + tool_number("left"));
	CU_ASSERT_TRUE(tool_number("lost") > 0);
}

/* Of a sender that dies the receiver keeps what came, and hears the next one. */
static void sender_killed(void)
{
	char options[160];
	pid_t pid, sender;
	int64_t units;

	fresh();
	snprintf(options, sizeof(options), "--once --connections=1 --buffer-size=8Mi --record=%s",
		 file("a"));
	pid = receiver("recv", 0, options);
	sender = tool_start(file("send"), "send 127.0.0.1 --port=%u " SMALL " --rate=40Mi", port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 5), 20000));
	kill(-sender, SIGKILL);
	tool_wait(sender, 5000);
	CU_ASSERT_TRUE(UNIT_WAIT((tool_read(file("recv")), strstr(tool_said, "is gone")), 20000));
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=40 --json", port), 0);
	units = tool_number("units");
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	CU_ASSERT_TRUE(tool_number("units") > units);
	UNIT_EQ(tool_number("taken"), tool_number("units"));
}

static void interrupted(void)
{
	char options[160];
	pid_t pid, sender;
	int64_t units;

	fresh();
	snprintf(options, sizeof(options), "--once --buffer-size=8Mi --connections=1 --record=%s",
		 file("a"));
	pid = receiver("recv", 0, options);
	sender = tool_start(file("send"), "send 127.0.0.1 --port=%u " SMALL " --rate=40Mi --json",
			    port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 5), 20000));
	kill(sender, SIGINT);
	UNIT_EQ(tool_wait(sender, 20000), 0);
	tool_read(file("send"));
	units = tool_number("units");
	CU_ASSERT_TRUE(units > 0);
	UNIT_EQ(units, tool_number("taken"));
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), units);
}

/* Three slots and a card that does not wait: memory stays, and what is dropped is a gap. */
static void slow_receiver(void)
{
	static unsigned char seen[1 << 20];
	unsigned int last = 0, missing = 0, i;
	char options[160];
	int64_t dropped;
	pid_t pid;

	fresh();
	memset(seen, 0, sizeof(seen));
	snprintf(options, sizeof(options), "--once --connections=1 --buffer-size=1Mi --record=%s",
		 file("a"));
	pid = receiver("recv", 0, options);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --rate=4Gi --units=300 --json", port),
		0);
	dropped = tool_number("books.dropped");
	CU_ASSERT_TRUE(tool_number("outMost") <= 16);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	CU_ASSERT_TRUE(tool_number("outMost") <= 3);
	UNIT_EQ(sequences(file("a"), seen, sizeof(seen)), 0);
	for (i = 0; i < sizeof(seen); i++)
		last = seen[i] ? i : last;
	for (i = 0; i < last; i++)
		missing += !seen[i];
	unit_note("%u of %u superpages dropped by the card", missing, last + 1);
	CU_ASSERT_TRUE(missing > 0);
	/* Packets; the last ones may have been dropped behind the last that came. */
	CU_ASSERT_TRUE(dropped >= missing * 32);
}

UNIT_MAIN("roc-send and roc-recv", {"by tcp", by_tcp}, {"by three connections", by_tcp_thrice},
	  {"by shm", by_shm}, {"a recording is sent and recorded", recording_sent},
	  {"a receiver is killed, another one comes", receiver_killed},
	  {"a receiver is gone for good", receiver_gone},
	  {"a sender is killed, another one comes", sender_killed},
	  {"an interrupted sender ends in order", interrupted},
	  {"a slow receiver costs the card, not memory", slow_receiver})
