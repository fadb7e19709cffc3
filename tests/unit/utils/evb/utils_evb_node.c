// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-evb as users call it, with small systems on the loopback: output, exit status and
 * notifications of the service manager. Compare the arithmetic of `roc-evb plan` with a running
 * system.
 */
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>

#include "tests/unit/utils/evb/etcd_run.h"
#include "tests/unit/utils/listens.h"
#include "tests/unit/utils/tool_run.h"
#include "tests/unit/utils/metrics_away.h"
#include "tests/unit/utils/no_fsync.h"
#include "tests/unit/utils/service_manager.h"

/* No lease expires on a busy machine. A killed node is detected by its closed connection. */
#define LEASE "20000"
#define PATIENT "--stale=10000 --lease=" LEASE

static char dir[] = "/tmp/roc-evb-node-XXXXXX";
static char conf[64];

static const char *file(const char *name)
{
	static char paths[8][128];
	static unsigned int n;
	char *path = paths[n++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static void leave_nothing(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static void begin(const char *policy)
{
	FILE *f;

	if (strstr(dir, "XXXXXX")) {
		UNIT_NEED(mkdtemp(dir));
		atexit(leave_nothing);
	}
	unlink(file("out1"));
	unlink(file("out2"));
	snprintf(conf, sizeof(conf), "%s", file("evb.conf"));
	f = fopen(conf, "w");
	UNIT_NEED(f);
	fprintf(f,
		"[system]\nname = small\npolicy = %s\nreadouts = 2\nbuilders = 2\n"
		"lease-ms = " LEASE "\n"
		"[node1]\nroles = readout builder manager\nhost = 127.0.0.1\nmanager-port = %u\n"
		"[node2]\nroles = readout builder\nhost = 127.0.0.1\n",
		policy, free_port());
	fclose(f);
}

static pid_t node(unsigned int number, const char *options)
{
	char out[32];

	snprintf(out, sizeof(out), "out%u", number);
	return tool_start(file(out), "evb node --name=node%u --coordinator=static:%s --json %s",
			  number, conf, options);
}

/* Parse the last line that a node printed into tool_json. */
static void last_line(unsigned int number)
{
	static char text[1 << 20];
	char out[32], *line, *last = NULL, *rest = text;
	size_t length = 0;
	FILE *f;

	snprintf(out, sizeof(out), "out%u", number);
	f = fopen(file(out), "r");
	if (f) {
		length = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[length] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == '{' && rest)
			last = line;
		else if (line[0])
			snprintf(tool_output, sizeof(tool_output), "%s", line);
	}
	json_object_put(tool_json);
	tool_json = last ? json_tokener_parse(last) : NULL;
}

static int64_t node_number(unsigned int number, const char *way)
{
	last_line(number);
	return tool_number(way);
}

/* All events arrive, once each. */
static void to_the_end(void)
{
	static const char options[] =
		"--source=synthetic:size=3000,events=2000 --events=16 --complete --protocol=pull " PATIENT;
	struct json_object *peers;
	pid_t a, b;

	begin("barrel-shift");
	UNIT_EQ(tool_run("evb node --name=node9 --coordinator=static:%s", conf), 2);
	CU_ASSERT_TRUE(tool_printed("has no section [node9]"));
	UNIT_EQ(tool_run(
			"evb node --name=node1 --roles=Readout,BUILDER,cook --coordinator=Static:%s",
			conf),
		2);
	CU_ASSERT_TRUE(tool_printed("\"cook\" is not a role"));
	a = node(1, options);
	b = node(2, options);
	UNIT_EQ(tool_wait(a, 30000), 0);
	UNIT_EQ(tool_wait(b, 30000), 0);
	UNIT_EQ(node_number(1, "sourceCounters.events"), 2000);
	UNIT_EQ(tool_number("sourceCounters.returned"), 2000);
	UNIT_EQ(tool_number("sinkCounters.events") + node_number(2, "sinkCounters.events"), 2000);
	UNIT_EQ(tool_number("sinkCounters.fragments") + node_number(1, "sinkCounters.fragments"),
		4000);
	UNIT_EQ(tool_number("incomplete"), 0);
	UNIT_EQ(json_object_get_boolean(json_object_object_get(tool_json, "ended")), 1);
	peers = json_object_object_get(tool_json, "peers");
	UNIT_NEED(json_object_is_type(peers, json_type_array));
	UNIT_EQ(json_object_array_length(peers), 4);
}

/* No readout unit can reach the builder. */
static void all_is_lost(void)
{
	static const char source[] =
		"--source=synthetic:size=3000,events=200 --events=16 --stale=300 --lease=" LEASE;
	pid_t a, b;
	FILE *f;

	begin("barrel-shift");
	f = fopen(conf, "w");
	UNIT_NEED(f);
	fprintf(f,
		"[system]\nname = small\nreadouts = 1\nbuilders = 1\nlease-ms = " LEASE "\n"
		"[node1]\nroles = readout manager\nhost = 127.0.0.1\nmanager-port = %u\n"
		"[node2]\nroles = builder\nhost = 127.0.0.1\n",
		free_port());
	fclose(f);
	a = node(1, source);
	b = node(2, "--advertise=127.0.0.9 --stale=300 --lease=" LEASE);
	UNIT_EQ(tool_wait(a, 60000), 1);
	tool_read(file("out1"));
	CU_ASSERT_TRUE(tool_printed("All 200 fragments of the source were lost"));
	kill(b, SIGINT);
	tool_wait(b, 30000);
}

/* Whether the metrics have a sample: @begin up to the label of the file, then @value. */
static bool metric(const char *begin, const char *value)
{
	static char text[256 << 10];
	char sample[320];
	FILE *f = fopen(file("node.prom"), "r");
	size_t length = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[length] = '\0';
	snprintf(sample, sizeof(sample), "%s,file=\"%s\"} %s", begin, file("node.prom"), value);
	if (strstr(text, sample))
		return true;
	unit_note("no \"%s\" in %zu bytes of metrics", sample, length);
	return false;
}

/* One of two nodes is killed: the other one reports it, and fails with --complete. */
static void killed(void)
{
	pid_t a, b;

	begin("barrel-shift");
	a = node(1, "--source=synthetic:size=2000,rate=500 --complete");
	b = node(2, "--source=synthetic:size=2000,rate=500 --complete");
	CU_ASSERT_TRUE(UNIT_WAIT(node_number(1, "complete") > 100, 15000));
	kill(-b, SIGKILL);
	tool_wait(b, 5000);
	CU_ASSERT_TRUE(UNIT_WAIT(node_number(1, "epoch") >= 2, 10000));
	kill(-a, SIGTERM);
	UNIT_EQ(tool_wait(a, 20000), 1);
	CU_ASSERT_TRUE(node_number(1, "incomplete") > 0);
	if (!strstr(tool_output, "this node lost data"))
		unit_note("last output: %.400s", tool_output);
	CU_ASSERT_PTR_NOT_NULL(strstr(tool_output, "this node lost data"));
	UNIT_EQ(tool_number("sinkCounters.errors"), 0);
}

/* Check the output of roc-evb watch. */
static void watched(void)
{
	struct json_object *lines, *one;
	pid_t also;

	also = tool_start(file("watch.json"), "evb watch --once --json --coordinator=static:%s",
			  conf);
	UNIT_EQ(tool_run("evb watch --once --coordinator=static:%s", conf), 0);
	CU_ASSERT_TRUE(
		tool_printed("System small, table 1 (barrel-shift): 2 readout units, 2 builders"));
	CU_ASSERT_TRUE(tool_printed("node1  RBM    in"));
	CU_ASSERT_TRUE(tool_printed("node2  RB     in"));
	UNIT_EQ(tool_wait(also, 5000), 0);
	json_object_put(tool_json);
	tool_json = json_object_from_file(file("watch.json"));
	UNIT_EQ(tool_number("epoch"), 1);
	lines = json_object_object_get(tool_json, "lines");
	one = lines ? json_object_object_get(lines, "node2") : NULL;
	CU_ASSERT_PTR_NOT_NULL(one);
	CU_ASSERT_TRUE(one && json_object_get_int64(json_object_object_get(one, "complete")) > 0);
}

static double plan_number(const char *key)
{
	return json_object_get_double(json_object_object_get(tool_json, key));
}

/* Moved bytes and bytes of an MFP; totals, or per second. */
struct moved {
	double time, sent, sent_count, received, mfp;
};

static struct moved moved_by(unsigned int number)
{
	last_line(number);
	return (struct moved){
		.time = (double)tool_number("time") / 1e9,
		.sent = (double)tool_number("sent.bytes"),
		.sent_count = (double)tool_number("sent.count"),
		.received = (double)tool_number("received.bytes"),
	};
}

/* Data that the first node moved since @before. */
static struct moved moved_since(const struct moved *before)
{
	struct moved m = moved_by(1);
	double sent = m.sent - before->sent;

	m.time -= before->time;
	m.sent = sent / m.time;
	m.received = (m.received - before->received) / m.time;
	m.mfp = sent / (m.sent_count - before->sent_count);
	return m;
}

static bool near(const struct moved *m, const struct moved *planned)
{
	return fabs(m->sent - planned->sent) < 0.05 * planned->sent &&
	       fabs(m->received - planned->received) < 0.05 * planned->received &&
	       fabs(m->mfp - planned->mfp) < 0.01 * planned->mfp;
}

/* The measured bytes of each link and of an MFP agree with the calculated ones within 5 %. */
static void as_planned(void)
{
	static const char options[] =
		"--source=synthetic:size=10000,rate=400 --events=4 --sink=count " PATIENT;
	struct moved planned, before, moved;
	char with_metrics[256];
	pid_t a, b;

	UNIT_EQ(tool_run("evb plan --nodes=2 --fragment=10000 --events=4 --event-rate=400 --json"),
		0);
	/*
	 * The engine counts data that a node sends to itself; in the calculation they need no link.
	 */
	planned.sent = 2 * plan_number("sendBytesPerSecond");
	planned.received = 2 * plan_number("receiveBytesPerSecond");
	planned.mfp = plan_number("mfpBytes");
	begin("barrel-shift");
	snprintf(with_metrics, sizeof(with_metrics), "%s --metrics=%s", options, file("node.prom"));
	a = node(1, with_metrics);
	b = node(2, options);
	CU_ASSERT_TRUE(UNIT_WAIT(node_number(2, "complete") > 40 && node_number(1, "complete") > 40,
				 15000));
	before = moved_by(1);
	watched();
	/* On a busy machine data are late, so compare the rates over some time. */
	CU_ASSERT_TRUE(UNIT_WAIT(
		(moved = moved_since(&before)).time > 2.5 && near(&moved, &planned), 15000));
	kill(-a, SIGTERM);
	kill(-b, SIGTERM);
	UNIT_EQ(tool_wait(a, 20000), 0);
	UNIT_EQ(tool_wait(b, 20000), 0);
	unit_note(
		"in %.1f s sent %.0f B/s (planned %.0f), received %.0f B/s (%.0f), MFP %.0f B (%.0f)",
		moved.time, moved.sent, planned.sent, moved.received, planned.received, moved.mfp,
		planned.mfp);
	CU_ASSERT_TRUE(metric(
		"# TYPE roc_evb_sent_bytes_total counter\nroc_evb_sent_bytes_total{system=\"small\",node=\"node1\"",
		""));
	CU_ASSERT_TRUE(metric("roc_evb_assigned{system=\"small\",node=\"node1\"", "1\n"));
	CU_ASSERT_TRUE(metric(
		"roc_evb_destination_queue_max{system=\"small\",node=\"node1\",builder=\"node2\"",
		""));
}

/* A builder with etcd: without an address option only processes of this machine can connect. */
static void listens_at(const char *options, enum listens where)
{
	unsigned int number = free_port();
	pid_t pid = tool_start(file("out1"),
			       "evb node --name=b --roles=builder --coordinator=%s --port=%u %s",
			       etcd_text, number, options);

	CU_ASSERT_TRUE(UNIT_WAIT(listens(number) != LISTENS_NOWHERE, 20000));
	UNIT_EQ(listens(number), where);
	kill(-pid, SIGTERM);
	UNIT_EQ(tool_wait(pid, 60000), 0);
}

static void where_it_listens(void)
{
	begin("random");
	if (!etcd_started(true))
		return;
	listens_at("", LISTENS_LOOPBACK);
	listens_at("--advertise=127.0.0.1", LISTENS_LOOPBACK);
	listens_at("--bind=::", LISTENS_ELSEWHERE);
	listens_at("--host=127.0.0.1 --bind=0.0.0.0", LISTENS_ELSEWHERE);
	/* The other nodes would connect to an address without a listener. */
	UNIT_EQ(tool_run("evb node --name=b --roles=builder --coordinator=%s --advertise=10.1.2.3",
			 etcd_text),
		2);
	CU_ASSERT_TRUE(tool_printed("set --host or --bind as well."));
	etcd_end(SIGKILL);
}

/* Three nodes with etcd; one of them is only the manager. */
static void by_etcd(void)
{
	static const char source[] =
		"--source=synthetic:size=3000,events=1000 --complete --events=8 " PATIENT;
	pid_t m, a, b;

	begin("random");
	if (!etcd_started(true))
		return;
	m = tool_start(
		file("out0"),
		"evb node --name=m --roles=manager --coordinator=%s --readouts=2 --builders=2 --policy=random --json " PATIENT,
		etcd_text);
	a = tool_start(
		file("out1"),
		"evb node --name=a --roles=readout,builder --host=127.0.0.1 --coordinator=%s --json %s",
		etcd_text, source);
	b = tool_start(file("out2"),
		       "evb node --name=b --roles=readout,builder --coordinator=%s --json %s",
		       etcd_text, source);
	UNIT_EQ(tool_wait(a, 30000), 0);
	UNIT_EQ(tool_wait(b, 30000), 0);
	UNIT_EQ(node_number(1, "sinkCounters.fragments") + node_number(2, "sinkCounters.fragments"),
		2000);
	/* A builder without an address option logs its address. */
	tool_read(file("out2"));
	CU_ASSERT_TRUE(tool_printed("The other nodes connect to this builder at 127.0.0.1"));
	tool_read(file("out1"));
	CU_ASSERT_PTR_NULL(strstr(tool_output, "The other nodes connect"));
	kill(-m, SIGTERM);
	UNIT_EQ(tool_wait(m, 5000), 0);
	etcd_end(SIGKILL);
}

/* The thread that writes the metrics runs the node, so it must not wait for a disk. */
static void metrics_without_disk(void)
{
	static const char options[] = "--source=synthetic:size=3000,events=100,rate=100 " PATIENT;
	char arguments[512];
	int code;
	pid_t b;

	begin("barrel-shift");
	snprintf(arguments, sizeof(arguments),
		 "evb node --name=node1 --coordinator=static:%s --json --metrics=%s %s", conf,
		 file("node.prom"), options);
	b = node(2, options);
	code = tool_without_fsync(file("out1"), arguments);
	if (code == NO_FSYNC_CANNOT) {
		kill(-b, SIGKILL);
		tool_wait(b, 5000);
		return;
	}
	UNIT_EQ(code, 0);
	UNIT_EQ(tool_wait(b, 30000), 0);
	CU_ASSERT_TRUE(metric("roc_evb_assigned{system=\"small\",node=\"node1\"", "1\n"));
}

/* A failure of the metrics does not change the exit status, even if it lasts to the end. */
static void metrics_away(void)
{
	pid_t a;

	begin("barrel-shift");
	UNIT_NEED(!mkdir(file("run"), 0755));
	a = tool_start(
		file("out1"),
		"evb node --name=node1 --coordinator=static:%s --source=synthetic:rate=50 --metrics=%s/m.prom",
		conf, file("run"));
	metrics_go_and_come(file("run"), file("out1"));
	UNIT_NEED(!rename(file("run"), file("run.away")));
	CU_ASSERT_TRUE(UNIT_WAIT(tool_printed_times(file("out1"), METRICS_FAIL) == 2, METRICS_MS));
	kill(-a, SIGTERM);
	UNIT_EQ(tool_wait(a, 60000), 0);
	UNIT_EQ(tool_printed_times(file("out1"), METRICS_FAIL), 2);
}

/* Run the node as systemd does. */
static void service(void)
{
	char path[128];
	pid_t a;

	begin("random");
	snprintf(path, sizeof(path), "%s", file("notify"));
	manager_open(path);
	setenv("WATCHDOG_USEC", "3000000", 1);
	a = node(1, "--source=synthetic:size=2000,rate=50");
	unsetenv("WATCHDOG_USEC");
	UNIT_STR(manager_received(), "READY=1");
	UNIT_STR(manager_received(), "WATCHDOG=1");
	kill(-a, SIGTERM);
	UNIT_STR(manager_received_other("WATCHDOG=1"), "STOPPING=1");
	/* The limit for the end of the node, with a margin. */
	UNIT_STR(manager_received(), "EXTEND_TIMEOUT_USEC=40000000");
	tool_wait(a, 15000);
	manager_close(path);
}

/* Whether the soft limit of open files of @pid is its hard limit. */
static bool has_all_files(pid_t pid)
{
	pid_t child = tool_child(pid);
	struct rlimit limit;

	return child && !prlimit(child, RLIMIT_NOFILE, NULL, &limit) &&
	       limit.rlim_cur == limit.rlim_max;
}

/* A hundred other nodes need more files than the usual soft limit, which is enough for forty. */
static void open_files(void)
{
	struct rlimit before, few;
	pid_t a;

	begin("barrel-shift");
	UNIT_NEED(!getrlimit(RLIMIT_NOFILE, &before) && before.rlim_max > 256);
	few = before;
	few.rlim_cur = 256;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &few));
	a = node(1, "--source=synthetic:size=2000,rate=50");
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	CU_ASSERT_TRUE(UNIT_WAIT(has_all_files(a), 10000));
	kill(-a, SIGKILL);
	tool_wait(a, 10000);
}

static bool comes(int fd)
{
	char c;

	return read(fd, &c, 1) == 1;
}

/* The reader of standard output exits: the node ends in order and fails. */
static void reader_gone(void)
{
	pid_t a;
	int fd;

	begin("barrel-shift");
	UNIT_NEED(!mkfifo(file("out1"), 0600));
	fd = open(file("out1"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	UNIT_NEED(fd >= 0);
	a = node(1, "--source=synthetic:size=2000,rate=50");
	CU_ASSERT_TRUE(UNIT_WAIT(comes(fd), 30000));
	close(fd);
	UNIT_EQ(tool_wait(a, 60000), 1);
}

/* Standard output and error are a pipe that is never read: data and metrics continue. */
static void pipe_is_full(void)
{
	struct stat before = {0}, now;
	unsigned int i;
	int fd, end;
	pid_t a;

	begin("barrel-shift");
	unlink(file("node.prom"));
	UNIT_NEED(!mkfifo(file("out1"), 0600));
	fd = open(file("out1"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	end = open(file("out1"), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	UNIT_NEED(fd >= 0 && end >= 0);
	UNIT_NEED(fcntl(fd, F_SETPIPE_SZ, 4096) > 0);
	/* Fill the pipe before the node starts. */
	while (write(end, "", 1) == 1)
		;
	a = tool_start(
		file("out1"),
		"evb node --name=node1 --coordinator=static:%s --json --source=synthetic:rate=50 --metrics=%s",
		conf, file("node.prom"));
	for (i = 0; i < 4; i++) {
		CU_ASSERT_TRUE(UNIT_WAIT(
			!stat(file("node.prom"), &now) && now.st_ino != before.st_ino, METRICS_MS));
		before = now;
	}
	kill(-a, SIGTERM);
	UNIT_EQ(tool_wait(a, 60000), 1);
	close(fd);
	close(end);
}

/* Lost lines, as with a full disk of the log, do not end the node; they are reported at the end. */
static void lines_lost(void)
{
	struct stat before = {0}, now;
	unsigned int i;
	pid_t a;

	begin("barrel-shift");
	unlink(file("node.prom"));
	a = tool_start(
		"/dev/full",
		"evb node --name=node1 --coordinator=static:%s --json --source=synthetic:rate=50 --metrics=%s",
		conf, file("node.prom"));
	/* The read lines are from another file each time. */
	for (i = 0; i < 4; i++) {
		UNIT_NEED(UNIT_WAIT(!stat(file("node.prom"), &now) && now.st_ino != before.st_ino,
				    METRICS_MS));
		before = now;
	}
	kill(-a, SIGTERM);
	UNIT_EQ(tool_wait(a, 60000), 1);
}

UNIT_MAIN("roc-evb", {"run to the end", to_the_end}, {"all data lost", all_is_lost},
	  {"killed node", killed}, {"rates as planned, and watch", as_planned},
	  {"listening addresses", where_it_listens}, {"etcd", by_etcd},
	  {"metrics do not wait for a disk", metrics_without_disk},
	  {"missing folder of the metrics", metrics_away}, {"service", service},
	  {"open files", open_files}, {"reader of the output exits", reader_gone},
	  {"lost lines", lines_lost}, {"full pipe", pipe_is_full})
