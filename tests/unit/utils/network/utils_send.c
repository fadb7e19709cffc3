// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-send and roc-recv on one machine, over the tcp and shm providers of libfabric: every loss is
 * counted, and memory does not grow.
 */
#include "unit.h"

#include <sys/syscall.h>

#include "tests/unit/port.h"
#include "tests/unit/utils/listens.h"
#include "tests/unit/utils/network/network_run.h"

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
	UNIT_EQ(tool_number("counters.units"), 99);
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

/* Send a recording and record it again: both are equal. */
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
	CU_ASSERT_TRUE(tool_printed("\"content\": \"ddg\""));
}

/* A recording whose run ended before its first unit. */
static void as_of_nothing(void)
{
	unsigned char text[RECORDING_HEADER];
	struct recording_header h;
	FILE *f = fopen(file("a/run-000000.index"), "r+");

	UNIT_NEED(f);
	UNIT_EQ(fread(text, 1, sizeof(text), f), sizeof(text));
	UNIT_EQ(recording_get_header(text, sizeof(text), &h), RECORDING_GOOD);
	h.entries = h.bytes = 0;
	recording_put_header(text, &h);
	rewind(f);
	UNIT_EQ(fwrite(text, 1, sizeof(text), f), sizeof(text));
	fclose(f);
	UNIT_EQ(truncate(file("a/run-000000.index"), RECORDING_HEADER), 0);
	UNIT_EQ(truncate(file("a/run-000000.data"), 0), 0);
}

static void nothing_sent(void)
{
	char options[160];
	pid_t pid;

	fresh();
	UNIT_EQ(tool_run("record %s " SMALL " --units=1", file("a")), 0);
	as_of_nothing();
	UNIT_EQ(tool_run("replay %s --json", file("a")), 0);
	UNIT_EQ(tool_number("units"), 0);
	snprintf(options, sizeof(options), "--record=%s", file("b"));
	pid = receiver("recv", 0, options);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --replay=%s --json", port, file("a")), 0);
	UNIT_EQ(tool_number("units"), 0);
	/* The next sender is served. */
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=10", port), 0);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 10);
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

/* Counters of another sender restart: that is not an error. */
static void one_after_the_other(void)
{
	unsigned int i;
	pid_t pid;

	fresh();
	pid = receiver("recv", 0, "--buffer-size=8Mi");
	for (i = 0; i < 2; i++) {
		UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=10 --json", port), 0);
		UNIT_EQ(tool_number("units"), 10);
	}
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 20);
	UNIT_EQ(tool_number("errors"), 0);
}

/*
 * Send a signal; false: the process has ended. Called without a pause, because its last steps are
 * short.
 */
static bool signalled(int fd)
{
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		if (syscall(SYS_pidfd_send_signal, fd, SIGINT, NULL, 0) && errno == ESRCH)
			return true;
	}
	return false;
}

/* Send signals until the process has ended. */
static void signals_until_end(void)
{
	pid_t pid, child;
	unsigned int i;
	int fd;

	fresh();
	for (i = 0; i < 5; i++) {
		pid = receiver("recv", 0, "--buffer-size=8Mi");
		child = tool_child(pid);
		UNIT_NEED(child > 0);
		fd = (int)syscall(SYS_pidfd_open, child, 0);
		UNIT_NEED(fd >= 0);
		/* Not during its start: signals count when it waits for senders. */
		UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=1", port), 0);
		CU_ASSERT_TRUE(UNIT_WAIT(signalled(fd), 20000));
		close(fd);
		UNIT_EQ(tool_wait(pid, 20000), 0);
		tool_read(file("recv"));
		UNIT_EQ(tool_number("units"), 1);
	}
}

/* Data whose time frames have an unusual length. */
static void time_frames(void)
{
	static const char *const options[] = {"--once", "--once --no-tf-check",
					      "--once --timeframe-length=512"};
	char command[256];
	unsigned int i;
	pid_t pid;

	fresh();
	UNIT_EQ(tool_run("record %s --synthetic --buffer-size=4Mi --superpage-size=256Ki --units=2",
			 file("a")),
		0);
	/* Orbit 256 in the last packet, which starts the next time frame. */
	snprintf(
		command, sizeof(command),
		"printf '\\000\\001' | dd of=%s/run-000000.data bs=1 seek=%d conv=notrunc status=none",
		file("a"), (1 << 19) - 8192 + 20);
	UNIT_EQ(system(command), 0);
	for (i = 0; i < 3; i++) {
		pid = receiver("recv", 0, options[i]);
		/* The checksum of the recording detects the change, whatever else is checked. */
		UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --replay=%s", port, file("a")), 1);
		UNIT_EQ(tool_wait(pid, 20000), 1);
		tool_read(file("recv"));
		UNIT_EQ(tool_number("errors"), i ? 0 : 1);
		unlink("readout_errors.txt");
	}
}

/* Two senders at once, both with link 0. */
static void two_at_once(const char *options)
{
	pid_t pid, senders[2];
	unsigned int i;

	pid = receiver("recv", 0, options);
	for (i = 0; i < 2; i++)
		senders[i] = tool_start(
			file(i ? "send1" : "send0"),
			"send 127.0.0.1 --port=%u --synthetic --links=0-2 --superpage-size=256Ki --buffer-size=16Mi --rate=8Mi --units=40",
			port);
	for (i = 0; i < 2; i++)
		UNIT_EQ(tool_wait(senders[i], 60000), 0);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 80);
}

static void two_are_checked(void)
{
	fresh();
	two_at_once("--buffer-size=32Mi");
	UNIT_EQ(tool_number("errors"), 0);
}

/* In one recording they remain two runs, also when it is sent again. */
static void two_are_recorded(void)
{
	char options[160];
	pid_t pid;

	fresh();
	snprintf(options, sizeof(options), "--buffer-size=32Mi --record=%s", file("a"));
	two_at_once(options);
	UNIT_EQ(tool_run("replay %s --json", file("a")), 0);
	UNIT_EQ(tool_number("units"), 80);
	UNIT_EQ(tool_number("errors"), 0);
	pid = receiver("recv", 0, "--once");
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --replay=%s", port, file("a")), 0);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	UNIT_EQ(tool_number("units"), 80);
	UNIT_EQ(tool_number("errors"), 0);
}

/* Turn the recording into one of a card without link numbers in its headers: they are 0. */
static void as_any_link(const char *index)
{
	unsigned char text[RECORDING_HEADER + 64 * RECORDING_ENTRY], *at;
	struct recording_header h;
	struct recording_entry e;
	FILE *f = fopen(index, "r+");
	size_t bytes;

	UNIT_NEED(f);
	bytes = fread(text, 1, sizeof(text), f);
	UNIT_EQ(recording_get_header(text, bytes, &h), RECORDING_GOOD);
	h.flags |= RECORDING_ANY_LINK;
	recording_put_header(text, &h);
	for (at = text + RECORDING_HEADER; at < text + bytes; at += RECORDING_ENTRY) {
		CU_ASSERT_TRUE(recording_get_entry(at, &e));
		UNIT_EQ(e.link, 1);
		e.link = 0;
		recording_put_entry(at, &e);
	}
	rewind(f);
	UNIT_EQ(fwrite(text, 1, bytes, f), bytes);
	fclose(f);
}

/*
 * Recordings of a CRU and a C-RORC: each is checked according to its type, in one folder and in one
 * recording.
 */
static void links_without_numbers(void)
{
	static const char *const names[] = {"cru", "crorc"};
	char options[160];
	unsigned int i;
	pid_t pid;

	fresh();
	for (i = 0; i < 2; i++)
		UNIT_EQ(tool_run(
				"record %s --prefix=%s --synthetic --links=1 --units=9 --buffer-size=4Mi --superpage-size=256Ki",
				file("a"), names[1 - i]),
			0);
	as_any_link(file("a/crorc-000000.index"));
	/* Its name makes it the first one. */
	UNIT_EQ(tool_run("replay %s --json", file("a")), 0);
	UNIT_EQ(tool_number("errors"), 0);
	UNIT_EQ(rename(file("a/crorc-000000.index"), file("a/rorc-000000.index")), 0);
	UNIT_EQ(rename(file("a/crorc-000000.data"), file("a/rorc-000000.data")), 0);
	UNIT_EQ(tool_run("replay %s --json", file("a")), 0);
	UNIT_EQ(tool_number("errors"), 0);
	snprintf(options, sizeof(options), "--buffer-size=32Mi --record=%s", file("b"));
	pid = receiver("recv", 0, options);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --replay=%s", port, file("a/rorc-000000.index")),
		0);
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u --replay=%s", port, file("a/cru-000000.index")),
		0);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	UNIT_EQ(tool_run("replay %s --json", file("b")), 0);
	UNIT_EQ(tool_number("units"), 18);
	UNIT_EQ(tool_number("errors"), 0);
}

/* Return the value of a metrics sample that begins with @begins; -1: none. */
static int64_t sample(const char *name, const char *begins)
{
	char text[4096] = "";
	const char *at;
	FILE *f = fopen(file(name), "r");

	if (!f)
		return -1;
	UNIT_NEED(fread(text, 1, sizeof(text) - 1, f) < sizeof(text) - 1);
	fclose(f);
	at = strstr(text, begins);
	at = at ? strchr(at, ' ') : NULL;
	return at ? strtoll(at, NULL, 10) : -1;
}

static int64_t so_far(const char *name)
{
	return sample(name, "_units_total{");
}

/* Metrics keep their labels, whichever sender is connected. */
static void metrics_of_one(void)
{
	char options[160], label[192];
	pid_t pid;

	fresh();
	snprintf(options, sizeof(options), "--buffer-size=8Mi --metrics=%s", file("r"));
	pid = receiver("recv", 0, options);
	snprintf(label, sizeof(label), "roc_recv_units_total{listen=\"127.0.0.1:%u\",file=\"%s\"}",
		 port, file("r"));
	CU_ASSERT_TRUE(UNIT_WAIT(sample("r", label) == 0, 20000));
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=10", port), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(sample("r", label) == 10, 20000));
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/* Only processes of this machine can connect, unless --bind allows others. */
static void where_it_listens(void)
{
	unsigned int number = free_port();
	pid_t pid;

	fresh();
	pid = tool_start(file("recv"), "recv --port=%u --buffer-size=8Mi", number);
	CU_ASSERT_TRUE(UNIT_WAIT(listens(number) != LISTENS_NOWHERE, 20000));
	UNIT_EQ(listens(number), LISTENS_LOOPBACK);
	kill(-pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	pid = tool_start(file("recv"), "recv --bind=0.0.0.0 --port=%u --buffer-size=8Mi", number);
	CU_ASSERT_TRUE(UNIT_WAIT(listens(number) != LISTENS_NOWHERE, 20000));
	UNIT_EQ(listens(number), LISTENS_ELSEWHERE);
	kill(-pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/*
 * Three slots and a card that does not wait: memory does not grow, and dropped units leave a gap.
 */
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
	dropped = tool_number("counters.dropped");
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
	/* Packets; the last ones may have been dropped after the last unit that arrived. */
	CU_ASSERT_TRUE(dropped >= missing * 32);
}

/* Resident memory of a tool in KiB. */
static long resident(pid_t pid)
{
	char path[64], line[128];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tool_child(pid));
	f = fopen(path, "r");
	UNIT_NEED(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &kib);
	fclose(f);
	CU_ASSERT_TRUE(kib > 0);
	return kib;
}

/*
 * Much more data than both ends have memory for, to a slow receiver: neither end grows, and not
 * more units are in flight than there are slots.
 */
static void memory_stays(void)
{
	long sends, takes, sent, took;
	char options[160];
	pid_t pid, sender;
	int64_t before;

	fresh();
	snprintf(options, sizeof(options),
		 "--once --connections=1 --buffer-size=1Mi --no-errorcheck --metrics=%s",
		 file("r"));
	pid = receiver("recv", 0, options);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u " SMALL " --rate=4Gi --metrics=%s --json",
			    port, file("m"));
	CU_ASSERT_TRUE(UNIT_WAIT(so_far("m") > 0 && so_far("r") > 0, 20000));
	before = so_far("m");
	sends = resident(sender);
	takes = resident(pid);
	/* Stop it completely for a moment. */
	kill(-pid, SIGSTOP);
	usleep(300000);
	kill(-pid, SIGCONT);
	CU_ASSERT_TRUE(UNIT_WAIT(so_far("m") > before + 500, 20000));
	sent = resident(sender);
	took = resident(pid);
	unit_note("%d units of 256 KiB later: sender %ld KiB more, receiver %ld KiB",
		  (int)(so_far("m") - before), sent - sends, took - takes);
	CU_ASSERT_TRUE(sent - sends < 512);
	CU_ASSERT_TRUE(took - takes < 512);
	kill(sender, SIGINT);
	UNIT_EQ(tool_wait(sender, 20000), 0);
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("send"));
	CU_ASSERT_TRUE(tool_number("counters.dropped") > 0);
	CU_ASSERT_TRUE(tool_number("outMost") <= 16);
	tool_read(file("recv"));
	/* Not more than it gave credits for. */
	CU_ASSERT_TRUE(tool_number("outMost") <= 3);
	CU_ASSERT_TRUE(tool_number("units") > 500);
}

UNIT_MAIN("roc-send and roc-recv", {"listening address", where_it_listens}, {"over tcp", by_tcp},
	  {"over three connections", by_tcp_thrice}, {"over shm", by_shm},
	  {"a recording is sent and recorded", recording_sent},
	  {"an empty recording is sent", nothing_sent},
	  {"an interrupted sender ends in order", interrupted},
	  {"one sender after the other", one_after_the_other},
	  {"repeated signals until the end", signals_until_end},
	  {"time frames of another length", time_frames}, {"two senders at once", two_are_checked},
	  {"two senders in one recording", two_are_recorded},
	  {"links without numbers beside others", links_without_numbers},
	  {"metrics keep their labels", metrics_of_one},
	  {"a slow receiver does not grow memory", slow_receiver},
	  {"memory does not grow", memory_stays})
