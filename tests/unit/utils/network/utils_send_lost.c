// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An end of roc-send and roc-recv that is killed, silent, interrupted, or has a full disk: every
 * missing unit is counted.
 */
#include "unit.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/fake_sysfs.h"
#include "tests/unit/port.h"
#include "tests/unit/utils/network/network_run.h"
#include "utils/network/network.h"

#define SEEN_MAX (1 << 16) /* units that are dropped without a receiver have numbers, too */

static bool file_has(const char *name, long entries)
{
	struct stat st;

	return !stat(file(name), &st) && st.st_size >= 256 + 64 * entries;
}

/*
 * The receiver is killed and another one starts, which writes to the same folder or, with --after,
 * to @another. The indexes have every unit that was sent exactly once.
 */
static void killed_after(const char *durability, unsigned int ms, bool another)
{
	const char *then = another ? "b/run-000000.index" : "a/two-000000.index";
	static unsigned char seen[SEEN_MAX];
	unsigned int twice, missing = 0, i;
	char options[256];
	pid_t first, second, sender;
	int64_t sent, dropped, again;

	fresh();
	memset(seen, 0, sizeof(seen));
	snprintf(options, sizeof(options),
		 "--connections=2 --buffer-size=8Mi --record=%s --durability=%s", file("a"),
		 durability);
	first = receiver("recv1", free_port(), options);
	/*
	 * Slower than the slowest machine, so that units are dropped only while there is no
	 * receiver.
	 */
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL " --rate=40Mi --json",
			    port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 1), 20000));
	usleep(ms * 1000);
	kill(-first, SIGKILL);
	tool_wait(first, 5000);
	snprintf(options, sizeof(options),
		 "--once --connections=2 --buffer-size=8Mi --durability=%s --record=%s %s%s",
		 durability, file(another ? "b" : "a"), another ? "--after=" : "--prefix=two",
		 another ? file("a") : "");
	second = receiver("recv2", port, options);
	/* It sends until both receivers have some units, however slow the machine is. */
	CU_ASSERT_TRUE(UNIT_WAIT(file_has(then, 64), 40000));
	kill(sender, SIGINT);
	UNIT_EQ(tool_wait(sender, 40000), 0);
	tool_read(file("send"));
	CU_ASSERT_TRUE(tool_printed("The receiver is lost"));
	sent = tool_number("units");
	UNIT_EQ(sent, tool_number("taken"));
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_wait(second, 20000), 0);
	tool_read(file("recv2"));
	CU_ASSERT_TRUE(tool_number("units") < sent);
	UNIT_EQ(tool_number("units"), tool_number("counters.units"));
	again = tool_number("cameAgain");
	twice = sequences(file("a"), seen, sizeof(seen));
	if (another)
		twice += sequences(file("b"), seen, sizeof(seen));
	UNIT_EQ(twice, 0);
	tool_read(file("send"));
	dropped = tool_number("counters.dropped") / 32;
	UNIT_NEED(sent + dropped <= SEEN_MAX);
	for (i = 0; i < sent + dropped; i++)
		missing += !seen[i];
	unit_note("%s: %d sent, %u twice, %d came again, %d dropped by the card, %u missing",
		  durability, (int)sent, twice, (int)again, (int)dropped, missing);
	/* The missing units are those that the card dropped. */
	UNIT_EQ(missing, dropped);
	CU_ASSERT_TRUE(again <= tool_number("again"));
}

/* At every durability level; ROC_KILLS: total number of kills. */
static void receiver_killed(void)
{
	const char *kills = getenv("ROC_KILLS");
	int i, count = kills ? atoi(kills) : 3;

	for (i = 0; i < count; i++)
		killed_after(recording_durabilities[i % 3], 150 + 83 * (unsigned int)i % 500,
			     i % 2);
}

/* Files of a killed receiver are checked according to their content type. */
static void killed_is_checked(void)
{
	char options[160], command[256];
	pid_t pid, sender;

	fresh();
	snprintf(options, sizeof(options), "--buffer-size=8Mi --record=%s", file("a"));
	pid = receiver("recv", 0, options);
	sender = tool_start(file("send"), "send 127.0.0.1 --port=%u " SMALL " --rate=20Mi", port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 3), 20000));
	kill(-pid, SIGKILL);
	tool_wait(pid, 5000);
	kill(-sender, SIGKILL);
	tool_wait(sender, 5000);
	UNIT_EQ(tool_run("replay %s --json", file("a")), 0);
	CU_ASSERT_TRUE(tool_printed("was not closed"));
	CU_ASSERT_TRUE(tool_printed("\"content\": \"ddg\""));
	CU_ASSERT_TRUE(tool_number("units") >= 3);
	UNIT_EQ(tool_number("errors"), 0);
	/* So wrong data are detected. */
	snprintf(command, sizeof(command),
		 "printf B | dd of=%s/run-000000.data bs=1 seek=100000 conv=notrunc status=none",
		 file("a"));
	UNIT_EQ(system(command), 0);
	UNIT_EQ(tool_run("replay %s", file("a")), 1);
	CU_ASSERT_TRUE(tool_printed("1 errors in the data"));
	unlink("readout_errors.txt");
}

static int64_t entries_of(const char *name)
{
	struct recording recording;
	char reason[UNITS_REASON] = "";
	int64_t units;

	UNIT_EQ(recording_open(file(name), &recording, reason), 0);
	units = (int64_t)recording.units;
	recording_close(&recording);
	return units;
}

/* A receiver that ends when some units are in its index, before it sends any credit. */
static void index_and_die(const char *to, const char *at)
{
	const struct recv_options recv = {.host = "127.0.0.1",
					  .port = at,
					  .provider = "tcp",
					  .buffer = 8 << 20,
					  .connections = 2,
					  .silence = 10};
	const struct record_options record = {.dir = to, .prefix = "run", .depth = 8};
	char reason[UNITS_REASON] = "";
	struct source *source = source_recv(&recv, reason);
	struct sink *sink = source ? sink_record(&record, source, reason) : NULL;
	uint64_t handles[8];
	struct unit u;
	int n, back = 0;

	alarm(60);
	while (sink && back < 3) {
		if (source->ops->take(source, &u) == 1 && sink->ops->put(sink, &u) != 1)
			_exit(3);
		sink->ops->flush(sink);
		n = sink->ops->done(sink, handles, 8);
		back += n > 0 ? n : 0;
		source->ops->flush(source);
	}
	_exit(sink ? 0 : 2);
}

/* All units of the first receiver are sent again, and are not written again. */
static void indexed_without_credit(void)
{
	unsigned int number = free_port();
	static unsigned char seen[SEEN_MAX];
	char options[256], at[16];
	pid_t first, second, sender;
	int64_t had;

	fresh();
	memset(seen, 0, sizeof(seen));
	snprintf(at, sizeof(at), "%u", number);
	fflush(stdout);
	first = fork();
	if (!first)
		index_and_die(file("a"), at);
	UNIT_NEED(first > 0);
	CU_ASSERT_TRUE(UNIT_WAIT(file_has("a/run-000000.index", 0), 20000));
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL
			    " --rate=4Mi --units=40 --json",
			    number);
	UNIT_EQ(tool_wait(first, 60000), 0);
	had = entries_of("a");
	CU_ASSERT_TRUE(had >= 3);
	snprintf(options, sizeof(options),
		 "--once --connections=2 --buffer-size=8Mi --record=%s --prefix=two", file("a"));
	second = receiver("recv2", number, options);
	UNIT_EQ(tool_wait(sender, 60000), 0);
	UNIT_EQ(tool_wait(second, 60000), 0);
	tool_read(file("recv2"));
	UNIT_EQ(tool_number("cameAgain"), had);
	tool_read(file("send"));
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(entries_of("a"), tool_number("units"));
	UNIT_EQ(sequences(file("a"), seen, sizeof(seen)), 0);
}

/* Break the control connections of senders at this port. */
static unsigned int break_connections(unsigned int number)
{
	struct sockaddr_in at;
	unsigned int n = 0;
	socklen_t size;
	int fd;

	for (fd = 3; fd < 256; fd++) {
		size = sizeof(at);
		if (getsockname(fd, (struct sockaddr *)&at, &size) || at.sin_family != AF_INET ||
		    ntohs(at.sin_port) != number)
			continue;
		size = sizeof(at);
		n += !getpeername(fd, (struct sockaddr *)&at, &size) && !shutdown(fd, SHUT_RDWR);
	}
	return n;
}

/*
 * A receiver whose connections break when some units are in its index, before it returns any of
 * them, which it does a moment later. Exit status: 0, or the step that failed.
 */
static void index_and_break(const char *to, unsigned int number)
{
	char at[16], reason[UNITS_REASON] = "";
	const struct recv_options recv = {.host = "127.0.0.1",
					  .port = at,
					  .provider = "tcp",
					  .buffer = 8 << 20,
					  .connections = 4,
					  .silence = 10,
					  .once = true};
	const struct record_options record = {.dir = to, .prefix = "run", .depth = 64};
	uint64_t handles[64], again = 0;
	struct source *source;
	struct sink *sink;
	int n = 0, i, ret = 0;
	uint64_t known = 0;
	struct unit u;

	alarm(60);
	snprintf(at, sizeof(at), "%u", number);
	source = source_recv(&recv, reason);
	sink = source ? sink_record(&record, source, reason) : NULL;
	if (!sink)
		_exit(2);
	while (ret != -ENODATA) {
		ret = source->ops->take(source, &u);
		if (ret == 1 && sink->ops->put(sink, &u) != 1)
			_exit(3);
		sink->ops->flush(sink);
		if (n < 3 || !again)
			n += sink->ops->done(sink, handles + n, 64 - (unsigned int)n);
		if (n >= 3 && !again) {
			if (!break_connections(number))
				_exit(4);
			again = units_now() + UNITS_NS_PER_S;
		}
		/* The sender has tried to reconnect meanwhile. */
		if (again && units_now() > again) {
			for (i = 0; i < n; i++)
				source->ops->give_back(source, handles[i]);
			n = sink->ops->done(sink, handles, 64);
			for (i = 0; i < n; i++)
				source->ops->give_back(source, handles[i]);
			n = 0;
		}
		source->ops->flush(source);
		known = source->duplicates;
	}
	if (sink->ops->finish(sink))
		_exit(5);
	source_close(source);
	_exit(known < 3 ? 6 : 0);
}

/* Only the connection broke: the recording already has the units that the sender sends again. */
static void connection_breaks(void)
{
	static unsigned char seen[SEEN_MAX];
	unsigned int number = free_port();
	pid_t receives, sender;

	fresh();
	memset(seen, 0, sizeof(seen));
	fflush(stdout);
	receives = fork();
	if (!receives)
		index_and_break(file("a"), number);
	UNIT_NEED(receives > 0);
	CU_ASSERT_TRUE(UNIT_WAIT(file_has("a/run-000000.index", 0), 20000));
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL
			    " --rate=4Mi --units=40 --json",
			    number);
	UNIT_EQ(tool_wait(sender, 60000), 0);
	UNIT_EQ(tool_wait(receives, 60000), 0);
	tool_read(file("send"));
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(entries_of("a"), tool_number("units"));
	UNIT_EQ(sequences(file("a"), seen, sizeof(seen)), 0);
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
	CU_ASSERT_TRUE(tool_printed("did not reconnect within 1 s"));
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
	UNIT_EQ(tool_number("returned"), tool_number("taken"));
	UNIT_EQ(tool_number("counters.units"), tool_number("taken") + tool_number("left"));
	CU_ASSERT_TRUE(tool_number("lost") > 0);
	/* Units that a killed receiver had may be in its index. */
	CU_ASSERT_TRUE(tool_number("unconfirmed") <= tool_number("lost"));
	CU_ASSERT_TRUE(entries_of("a") >= tool_number("units"));
	CU_ASSERT_TRUE(entries_of("a") <= tool_number("units") + tool_number("unconfirmed"));
}

/*
 * Of @taken units, including those that the card dropped, each is in exactly one of both
 * recordings.
 */
static void in_one_of_both(int64_t taken)
{
	static unsigned char seen[SEEN_MAX];
	unsigned int twice, missing = 0, i;
	int64_t dropped;

	memset(seen, 0, sizeof(seen));
	twice = sequences(file("a"), seen, sizeof(seen)) + sequences(file("b"), seen, sizeof(seen));
	tool_read(file("send"));
	dropped = tool_number("counters.dropped") / 32;
	UNIT_NEED(taken + dropped <= SEEN_MAX);
	for (i = 0; i < taken + dropped; i++)
		missing += !seen[i];
	unit_note("%d sent, %u twice, %u missing, %d dropped by the card", (int)taken, twice,
		  missing, (int)dropped);
	UNIT_EQ(missing, dropped);
	UNIT_EQ(twice, 0);
}

/*
 * A receiver ends in order during the transfer, and another one starts. The sender has the credits
 * of the first, so no unit is sent twice and none is missing.
 */
static void receiver_interrupted(void)
{
	char options[160];
	pid_t first, second, sender;

	fresh();
	snprintf(options, sizeof(options), "--connections=2 --buffer-size=8Mi --record=%s",
		 file("a"));
	first = receiver("recv1", free_port(), options);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL " --rate=40Mi --json",
			    port);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("a", 64), 20000));
	kill(first, SIGINT);
	UNIT_EQ(tool_wait(first, 5000), 0);
	snprintf(options, sizeof(options), "--once --connections=2 --buffer-size=8Mi --record=%s",
		 file("b"));
	second = receiver("recv2", port, options);
	CU_ASSERT_TRUE(UNIT_WAIT(index_has("b", 64), 40000));
	kill(sender, SIGINT);
	UNIT_EQ(tool_wait(sender, 40000), 0);
	UNIT_EQ(tool_wait(second, 20000), 0);
	tool_read(file("send"));
	in_one_of_both(tool_number("taken"));
}

/* Its files are intact; the sender still has the rest and sends it to the next receiver. */
static void full_disk(void)
{
	pid_t first, second, sender;
	char options[160];
	int64_t written;

	snprintf(options, sizeof(options), "--connections=2 --buffer-size=8Mi --record=%s",
		 file("a"));
	first = receiver("recv1", free_port(), options);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --connections=2 " SMALL
			    " --rate=40Mi --units=150 --json",
			    port);
	UNIT_EQ(tool_wait(first, 20000), 1);
	tool_read(file("recv1"));
	CU_ASSERT_TRUE(
		tool_printed("is full: the recording has ended, and data that were written"));
	CU_ASSERT_TRUE(tool_printed("\"end\": \"full\""));
	written = tool_number("units");
	CU_ASSERT_TRUE(written >= 20 && written < 40);
	UNIT_EQ(tool_number("taken"), written + tool_number("lost"));
	UNIT_EQ(tool_number("counters.units"), tool_number("taken") + tool_number("left"));
	UNIT_EQ(tool_run("replay %s --no-errorcheck --json", file("a")), 0);
	UNIT_EQ(tool_number("units"), written);
	snprintf(options, sizeof(options), "--once --connections=2 --buffer-size=8Mi --record=%s",
		 file("b"));
	second = receiver("recv2", port, options);
	UNIT_EQ(tool_wait(sender, 40000), 0);
	UNIT_EQ(tool_wait(second, 20000), 0);
	tool_read(file("recv2"));
	written += tool_number("units");
	tool_read(file("send"));
	UNIT_EQ(tool_number("lost"), 0);
	UNIT_EQ(tool_number("units"), written);
	in_one_of_both(tool_number("taken"));
}

/* Folder "a" is a disk of this @size during @run. */
static void with_disk(const char *size, void (*run)(void))
{
	if (!own_sysfs()) {
		unit_skip("a new mount namespace is not permitted here");
		return;
	}
	fresh();
	UNIT_EQ(mkdir(file("a"), 0777), 0);
	UNIT_NEED(!mount("roc-test", file("a"), "tmpfs", 0, size));
	run();
	UNIT_EQ(umount(file("a")), 0);
}

static void receiver_full(void)
{
	with_disk("size=10m", full_disk);
}

/* All memory of a sender is in units that could not be written, so no other unit arrives. */
static void full_without_memory(void)
{
	pid_t first, sender;
	char options[160];

	/* Memory for one unit. */
	snprintf(options, sizeof(options), "--connections=1 --buffer-size=320Ki --record=%s",
		 file("a"));
	first = receiver("recv1", free_port(), options);
	sender = tool_start(file("send"), "send 127.0.0.1 --port=%u --patience=1 " SMALL " --json",
			    port);
	UNIT_EQ(tool_wait(first, 20000), 1);
	tool_read(file("recv1"));
	CU_ASSERT_TRUE(tool_printed("\"end\": \"full\""));
	UNIT_EQ(tool_number("lost"), 1);
	UNIT_EQ(tool_wait(sender, 20000), 1);
}

static void receiver_has_no_memory(void)
{
	with_disk("size=1m", full_without_memory);
}

#define QUICK "--connections=1 --buffer-size=8Mi --no-errorcheck --silence=1"

static unsigned int timed_out(void)
{
	return tool_printed_times(file("send"), "is lost (Connection timed out)");
}

/* A receiver is silent but connected: after --silence the sender looks for another one. */
static void receiver_silent(void)
{
	pid_t first, second, sender;
	unsigned int before;
	double begin;

	fresh();
	first = receiver("recv1", free_port(), QUICK);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --silence=1 " SMALL
			    " --rate=20Mi --units=400 --metrics=%s --json",
			    port, file("m"));
	CU_ASSERT_TRUE(UNIT_WAIT(!access(file("m"), F_OK), 20000));
	/* On a slow machine the connection may have been lost before. */
	before = timed_out();
	begin = unit_seconds();
	kill(-first, SIGSTOP);
	CU_ASSERT_TRUE(UNIT_WAIT(timed_out() > before, 8000));
	/* Not at once, either. */
	CU_ASSERT_TRUE(unit_seconds() - begin > 0.7);
	kill(-first, SIGKILL);
	tool_wait(first, 5000);
	second = receiver("recv2", port, QUICK " --once");
	UNIT_EQ(tool_wait(sender, 40000), 0);
	UNIT_EQ(tool_wait(second, 20000), 0);
	tool_read(file("send"));
	UNIT_EQ(tool_number("taken"), tool_number("units"));
	UNIT_EQ(tool_number("lost"), 0);
}

/* Whether the metrics show that all memory of a sender is in units that were taken. */
static bool all_out(void)
{
	const char *at;

	tool_read(file("m"));
	at = strstr(tool_output, "\nroc_send_out_units{");
	at = at ? strstr(at, "} ") : NULL;
	return at && strtoul(at + 2, NULL, 10) == 16;
}

/*
 * A sender that is interrupted abandons the units of a silent receiver, and does not wait for
 * totals.
 */
static void end_while_silent(void)
{
	pid_t pid, sender;
	double begin;

	fresh();
	pid = receiver("recv", 0, QUICK);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --silence=200 --patience=200 " SMALL
			    " --rate=10Mi --metrics=%s --json",
			    port, file("m"));
	CU_ASSERT_TRUE(UNIT_WAIT(!access(file("m"), F_OK), 20000));
	kill(-pid, SIGSTOP);
	/* Values from now on are written while the receiver is silent. */
	unlink(file("m"));
	CU_ASSERT_TRUE(UNIT_WAIT(all_out(), 20000));
	begin = unit_seconds();
	kill(sender, SIGTERM);
	UNIT_EQ(tool_wait(sender, 40000), 1);
	/* 10 s for units in flight, and not a minute more. */
	CU_ASSERT_TRUE(unit_seconds() - begin < 50);
	tool_read(file("send"));
	CU_ASSERT_TRUE(tool_printed("were not completed: no progress within 10 s"));
	CU_ASSERT_TRUE(tool_number("lost") > 0);
	UNIT_EQ(tool_number("taken"), tool_number("units") + tool_number("lost"));
	kill(-pid, SIGKILL);
	tool_wait(pid, 5000);
}

/* A silent sender does not block other senders. */
static void sender_silent(void)
{
	pid_t pid, sender;

	fresh();
	pid = receiver("recv", 0, QUICK);
	sender = tool_start(file("send"),
			    "send 127.0.0.1 --port=%u --silence=1 " SMALL
			    " --rate=10Mi --metrics=%s",
			    port, file("m"));
	CU_ASSERT_TRUE(UNIT_WAIT(!access(file("m"), F_OK), 20000));
	kill(-sender, SIGSTOP);
	CU_ASSERT_TRUE(UNIT_WAIT(
		(tool_read(file("recv")), strstr(tool_output, "is lost (Connection timed out)")),
		8000));
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=20", port), 0);
	kill(-sender, SIGKILL);
	tool_wait(sender, 5000);
	kill(pid, SIGINT);
	UNIT_EQ(tool_wait(pid, 20000), 0);
}

/* If a sender is killed, the receiver keeps the units that arrived, and serves the next sender. */
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
	CU_ASSERT_TRUE(UNIT_WAIT((tool_read(file("recv")), strstr(tool_output, "is lost")), 20000));
	UNIT_EQ(tool_run("send 127.0.0.1 --port=%u " SMALL " --units=40 --json", port), 0);
	units = tool_number("units");
	UNIT_EQ(tool_wait(pid, 20000), 0);
	tool_read(file("recv"));
	CU_ASSERT_TRUE(tool_number("units") > units);
	UNIT_EQ(tool_number("taken"), tool_number("units"));
}

UNIT_MAIN("an end of roc-send and roc-recv that is lost",
	  {"a receiver is killed, another one starts", receiver_killed},
	  {"units in the index of a killed receiver are not written again", indexed_without_credit},
	  {"a connection breaks, its receiver continues", connection_breaks},
	  {"files of a killed receiver are checked", killed_is_checked},
	  {"a receiver is lost and not restarted", receiver_gone},
	  {"a receiver is interrupted, another one starts", receiver_interrupted},
	  {"a receiver's disk is full", receiver_full},
	  {"a receiver's disk is full, and all its memory", receiver_has_no_memory},
	  {"a receiver is silent", receiver_silent},
	  {"a sender ends, its receiver is silent", end_while_silent},
	  {"a sender is silent", sender_silent},
	  {"a sender is killed, another one starts", sender_killed})
