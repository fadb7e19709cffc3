// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Start and end of roc-rosd: notifications to the service manager, metrics, SIGTERM with
 * outstanding replies, SIGKILL at full rate.
 */
#include <sys/stat.h>
#include <sys/un.h>

#include "unit.h"

#include "tests/unit/port.h"
#include "tests/unit/utils/ros/ros_daemon.h"
#include "tests/unit/utils/service_manager.h"

#define ALL UINT64_C(0xffffff)

static struct daemon d;
static struct client a;

/* Waiting requests are answered, new ones are refused, and the daemon ends. */
static void drain(void)
{
	struct client late = {.fd = -1};
	uint32_t event = 5;
	double begin;

	UNIT_NEED(daemon_start(&d, "--rate=0 --pages=64 --wait=30000"));
	UNIT_NEED(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(client_request(&a, 1, 1000000, ALL));
	CU_ASSERT_TRUE(client_requests(&a, 3, ALL)); /* the workers have the first one */
	CU_ASSERT_TRUE(client_clear(&a, 2, &event, 1));
	begin = daemon_ms();
	kill(d.pid, SIGTERM);
	while (client_hear(&a, LIMIT_MS) == HEARD_MESSAGE) {
		if (a.m.type == ROS_CLEARED) {
			UNIT_EQ(a.m.cleared.fragments, 24);
			continue;
		}
		UNIT_EQ(a.m.type, ROS_REPLY);
		UNIT_EQ(a.m.id, 1);
		UNIT_EQ(a.m.reply.entries[1], ROS_DRAINING);
	}
	CU_ASSERT_TRUE(daemon_ms() - begin < 5000 * slowness());
	CU_ASSERT_FALSE(client_connect(&late, &d, 0));
	client_close(&late);
	client_close(&a);
	daemon_ends_well(&d);
	UNIT_EQ(daemon_figure(&d, "replies"), 2);
	daemon_forget(&d);
}

/* A client that does not read its replies delays the end up to the limit. */
static void drain_limit(void)
{
	double begin;
	unsigned int i;

	UNIT_NEED(daemon_start(&d, "--rate=0 --size=2048 --max-requests=2000 --drain=300"));
	UNIT_NEED(client_open(&a, &d, 4096));
	for (i = 0; i < 300; i++)
		client_request(&a, i, i % 60, ALL);
	begin = daemon_ms();
	daemon_ends_well(&d);
	CU_ASSERT_TRUE(daemon_ms() - begin < 5000 * slowness());
	client_close(&a);
	daemon_forget(&d);
}

/* Under load, repeatedly: nothing is left on the machine, and the next daemon starts at once. */
static void killed(void)
{
	char command[256], options[128];
	unsigned int port = free_port();
	unsigned int i;
	FILE *load;

	for (i = 0; i < 3; i++) {
		snprintf(options, sizeof(options), "--rate=0 --wait=20000 --listen=127.0.0.1:%u",
			 port);
		UNIT_NEED(daemon_start(&d, options));
		/* An event that arrives when a thousand others have been cleared. */
		UNIT_NEED(client_open(&a, &d, 0));
		CU_ASSERT_TRUE(client_request(&a, 1, 6000, 1));
		snprintf(
			command, sizeof(command),
			"exec timeout %d \"$ROC_TOOL\" ros-load --connect=127.0.0.1:%u --clients=20 --json >/dev/null 2>&1",
			(int)(30 * slowness()), port);
		load = popen(command, "r");
		UNIT_NEED(load);
		CU_ASSERT_TRUE(client_hears(&a, ROS_REPLY));
		kill(d.pid, SIGKILL);
		UNIT_EQ(daemon_wait(&d), -1);
		UNIT_EQ(WTERMSIG(d.status), SIGKILL);
		client_close(&a);
		daemon_forget(&d);
		UNIT_EQ(WEXITSTATUS(pclose(load)), 1); /* the tool reports it and does not hang */
	}
}

static void service(void)
{
	char path[64];
	unsigned int i;

	snprintf(path, sizeof(path), "/tmp/roc-notify-%d", (int)getpid());
	manager_open(path);
	setenv("WATCHDOG_USEC", "600000", 1);
	UNIT_NEED(daemon_start(&d, "--rate=1000 --drain=30000"));
	UNIT_STR(manager_received(), "READY=1");
	for (i = 0; i < 3; i++)
		UNIT_STR(manager_received(), "WATCHDOG=1");
	kill(d.pid, SIGTERM);
	UNIT_STR(manager_received_other("WATCHDOG=1"), "STOPPING=1");
	/* The drain time, which is longer than the limit in the unit file, and more. */
	UNIT_STR(manager_received(), "EXTEND_TIMEOUT_USEC=40000000");
	unsetenv("WATCHDOG_USEC");
	daemon_ends_well(&d);
	manager_close(path);
	daemon_forget(&d);
}

/* systemd reports no problem of the unit, whatever it reports of others; nothing is started. */
static void unit_file(void)
{
	char command[1024], text[4096];
	size_t length;
	FILE *pipe;

	if (access("/usr/bin/systemd-analyze", X_OK)) {
		unit_skip("there is no systemd-analyze");
		return;
	}
	snprintf(command, sizeof(command),
		 "d=$(mktemp -d /tmp/roc-unit-XXXXXX) && ln -s \"$ROC_TOOL\" $d/roc-rosd && "
		 "sed \"s|@BINDIR@|$d|\" utils/ros/roc-rosd.service.in > $d/roc-rosd.service && "
		 "timeout %d systemd-analyze verify --man=no $d/roc-rosd.service > $d/output 2>&1; "
		 "s=$?; grep roc-rosd $d/output; "
		 "if [ $s -eq 1 -a -s $d/output ]; then s=0; fi; "
		 "echo status $s; rm -r $d",
		 (int)(120 * slowness()));
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = '\0';
	pclose(pipe);
	UNIT_STR(text, "status 0\n");
}

static char metrics_text[1 << 16];

static bool metrics_read(const char *path)
{
	FILE *in = fopen(path, "r");
	size_t got;

	if (!in)
		return false;
	got = fread(metrics_text, 1, sizeof(metrics_text) - 1, in);
	metrics_text[got] = '\0';
	fclose(in);
	return true;
}

static void metrics(void)
{
	char path[64], options[128], replies[128], unit[128];
	unsigned int i;

	snprintf(path, sizeof(path), "/tmp/roc-rosd-%d.prom", (int)getpid());
	snprintf(replies, sizeof(replies),
		 "roc_rosd_replies_total{listen=\"127.0.0.1:0\",file=\"%s\"} 7\n", path);
	snprintf(unit, sizeof(unit), "unit=\"synthetic3\",file=\"%s\"} 1\n", path);
	snprintf(options, sizeof(options), "--rate=0 --interval=1s --metrics=%s", path);
	UNIT_NEED(daemon_start(&d, options));
	UNIT_NEED(client_open(&a, &d, 0));
	for (i = 0; i < 7; i++)
		CU_ASSERT_TRUE(client_requests(&a, i, ALL));
	CU_ASSERT_TRUE(UNIT_WAIT(metrics_read(path) && strstr(metrics_text, replies), 5000));
	CU_ASSERT_PTR_NOT_NULL(strstr(metrics_text, unit));
	CU_ASSERT_PTR_NOT_NULL(strstr(metrics_text, "roc_rosd_reply_seconds_count"));
	CU_ASSERT_PTR_NOT_NULL(strstr(metrics_text, "roc_rosd_errors_total"));
	client_close(&a);
	daemon_ends_well(&d);
	unlink(path);
	daemon_forget(&d);
}

static unsigned int tool_printed_times(const char *text)
{
	unsigned int count = 0;
	const char *at;

	for (at = d.text; (at = strstr(at, text)); at++)
		count++;
	return count;
}

/* Read whole lines: the name and the message may arrive separately. */
static bool reads_lines(unsigned int count)
{
	while (tool_printed_times("\n") < count) {
		if (!daemon_hear(&d, d.err, LIMIT_MS))
			return false;
	}
	return true;
}

/* One line while the file cannot be written, however often that is tried; one when it can again. */
static void metrics_away(void)
{
	char folder[64], away[80], path[80], options[160];

	snprintf(folder, sizeof(folder), "/tmp/roc-rosd-%d", (int)getpid());
	snprintf(away, sizeof(away), "%s.away", folder);
	snprintf(path, sizeof(path), "%s/m.prom", folder);
	snprintf(options, sizeof(options), "--rate=0 --interval=1s --metrics=%s", path);
	UNIT_NEED(!mkdir(folder, 0755));
	UNIT_NEED(daemon_start(&d, options));
	CU_ASSERT_TRUE(UNIT_WAIT(metrics_read(path), LIMIT_MS));
	UNIT_NEED(!rename(folder, away));
	CU_ASSERT_TRUE(reads_lines(1));
	CU_ASSERT_FALSE(daemon_hear(&d, d.err, 2200));
	UNIT_NEED(!rename(away, folder));
	CU_ASSERT_TRUE(reads_lines(2));
	UNIT_EQ(tool_printed_times(
			"m.prom: No such file or directory. The next update tries again.\n"),
		1);
	UNIT_EQ(tool_printed_times("m.prom works again.\n"), 1);
	UNIT_EQ(tool_printed_times("\n"), 2);
	d.text[d.length = 0] = '\0';
	daemon_ends_well(&d);
	CU_ASSERT_TRUE(metrics_read(path));
	unlink(path);
	rmdir(folder);
	daemon_forget(&d);
}

static int scraper(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* Read everything into metrics_text; false: it did not end in time. */
static bool scrape(const char *path, const char *request)
{
	int fd = scraper(path);
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	size_t have = 0;
	ssize_t got = -1;

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return false;
	while (poll(&wait, 1, (int)(LIMIT_MS * slowness())) > 0) {
		got = recv(fd, metrics_text + have, sizeof(metrics_text) - 1 - have, 0);
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	metrics_text[have] = '\0';
	close(fd);
	return !got;
}

/* A reply is counted after it is sent, so its client may have it earlier. */
static bool scraped(const char *path, const char *request, const char *text)
{
	return UNIT_WAIT(scrape(path, request) && strstr(metrics_text, text), LIMIT_MS);
}

/*
 * Each request gets current values; a connection that sends nothing or does not read delays no
 * other.
 */
static void metrics_socket(void)
{
	static const char ask[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	char path[64], options[128], *body, *length;
	int silent[10];
	unsigned int i;

	snprintf(path, sizeof(path), "/tmp/roc-rosd-%d.sock", (int)getpid());
	snprintf(options, sizeof(options), "--rate=0 --metrics-socket=%s", path);
	/* A socket file is left by a killed daemon. */
	UNIT_NEED(daemon_start(&d, options));
	kill(d.pid, SIGKILL);
	daemon_wait(&d);
	daemon_forget(&d);
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	UNIT_NEED(daemon_start(&d, options));
	UNIT_NEED(client_open(&a, &d, 0));
	CU_ASSERT_TRUE(client_requests(&a, 1, ALL));
	CU_ASSERT_TRUE(scraped(path, ask, "roc_rosd_replies_total{listen=\"127.0.0.1:0\"} 1\n"));
	UNIT_EQ(strncmp(metrics_text, "HTTP/1.0 200 OK\r\n", 17), 0);
	length = strstr(metrics_text, "Content-Length: ");
	body = strstr(metrics_text, "\r\n\r\n");
	UNIT_NEED(length && body);
	UNIT_EQ((size_t)atoi(length + strlen("Content-Length: ")), strlen(body + 4));
	CU_ASSERT_TRUE(client_requests(&a, 2, ALL));
	CU_ASSERT_TRUE(scraped(path, ask, "127.0.0.1:0\"} 2\n"));
	CU_ASSERT_TRUE(scrape(path, "PUT / HTTP/1.1\r\n\r\n"));
	UNIT_EQ(strncmp(metrics_text, "HTTP/1.0 405 ", 13), 0);
	for (i = 0; i < 10; i++)
		silent[i] = scraper(path);
	CU_ASSERT_TRUE(client_requests(&a, 3, ALL));
	CU_ASSERT_TRUE(scraped(path, ask, "127.0.0.1:0\"} 3\n"));
	client_close(&a);
	/* Nor does a connection that is open at the end. */
	daemon_ends_well(&d);
	for (i = 0; i < 10; i++)
		close(silent[i]);
	UNIT_EQ(access(path, F_OK), -1);
	daemon_forget(&d);
}

static int exit_of(const char *arguments, const char *expected)
{
	char command[512], text[4096];
	size_t length;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "exec timeout 20 \"$ROC_TOOL\" %s 2>&1 </dev/null",
		 arguments);
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(text, 1, sizeof(text) - 1, pipe);
	text[length] = '\0';
	status = pclose(pipe);
	if (!strstr(text, expected))
		unit_note("%s: %s", arguments, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, expected));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Port 0 without an address: the reported port is that of both families. */
static void any_port(void)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		unit_skip("this host has no IPv6");
		return;
	}
	close(fd);
	UNIT_NEED(daemon_start(&d, "--rate=0 --listen=:0"));
	CU_ASSERT_TRUE(client_connect(&a, &d, 0));
	client_close(&a);
	at.sin6_port = htons(d.port);
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	UNIT_EQ(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);
	daemon_ends_well(&d);
	daemon_forget(&d);
}

static void refused(void)
{
	char arguments[128];

	UNIT_NEED(daemon_start(&d, "--rate=0"));
	snprintf(arguments, sizeof(arguments), "rosd --source=synthetic --listen=127.0.0.1:%u",
		 d.port);
	UNIT_EQ(exit_of(arguments, "Cannot listen on"), 1);
	daemon_ends_well(&d);
	snprintf(arguments, sizeof(arguments), "ros-load --connect=127.0.0.1:%u", d.port);
	UNIT_EQ(exit_of(arguments, "Check that roc-rosd runs there."), 1);
	UNIT_EQ(exit_of("ros-load --connect=[fe80::1]:7", "fe80::1%INTERFACE"), 1);
	UNIT_EQ(exit_of("rosd --source=synthetic --listen=[fe80::1]:7", "fe80::1%INTERFACE"), 2);
	UNIT_EQ(exit_of("rosd --source=synthetic --listen=nowhere", "HOST:PORT"), 2);
	UNIT_EQ(exit_of("rosd", "--id is missing"), 2);
	UNIT_EQ(exit_of("rosd --source=synthetic --id=245", "has no card"), 2);
	UNIT_EQ(exit_of("rosd --source=synthetic --size=17", "multiples of 4"), 2);
	UNIT_EQ(exit_of("rosd --source=synthetic --page-size=3000", "power of two"), 2);
	UNIT_EQ(exit_of("rosd --source=synthetic --metrics-socket=/nowhere/at/all",
			"Cannot create the metrics socket"),
		1);
	UNIT_EQ(exit_of("ros-load --size-max=1024", "--size"), 2);
	UNIT_EQ(exit_of("ros-load --fraction=101", "0..100"), 2);
	daemon_forget(&d);
}

UNIT_MAIN("roc-rosd: start and end", {"drain", drain}, {"drain with a limit", drain_limit},
	  {"killed at full rate", killed}, {"service manager", service}, {"unit file", unit_file},
	  {"metrics", metrics}, {"metrics whose folder was missing", metrics_away},
	  {"metrics on a socket", metrics_socket}, {"any port, by IPv4 and IPv6", any_port},
	  {"refused starts", refused})
