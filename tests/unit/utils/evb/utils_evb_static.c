// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the coordinator static:FILE: errors in the file, and systems of a few nodes: nodes that join
 * and leave, a restarted manager, two nodes of one name, foreign connections and invalid messages.
 */
#include "unit.h"

#include <json-c/json.h>
#include <poll.h>
#include <sys/resource.h>

#include "libroc/fabric/control.h"
#include "tests/unit/utils/evb/evb_nodes.h"
#include "utils/evb/coordinator.h"
#include "utils/evb/static.h"

static char path[] = "/tmp/roc-evb-static-XXXXXX";
static char text[64];
static unsigned int port;

static void leave_nothing(void)
{
	unlink(path);
}

static void write_file(const char *content)
{
	FILE *f;

	if (strstr(path, "XXXXXX")) {
		close(mkstemp(path));
		atexit(leave_nothing);
	}
	f = fopen(path, "w");
	UNIT_NEED(f);
	fputs(content, f);
	fclose(f);
	snprintf(text, sizeof(text), "static:%s", path);
}

#define HEAD "[system]\nname = test\n"
#define M "[m]\nroles = manager\nhost = 127.0.0.1\nmanager-port = 9\n"
#define R "[r1]\nroles = readout\n"
#define B "[b1]\nroles = builder, readout\nhost = 127.0.0.1\nport = 5000\n"

static void file_good(void)
{
	struct evb_static_file f;

	write_file(HEAD "policy = random ; and a comment\nseed = 77\nreadouts = 2\nbuilders = 1\n"
			"lease-ms = 700\n" M R B);
	UNIT_NEED(!evb_static_read(path, &f, reason));
	CU_ASSERT_STRING_EQUAL(f.system, "test");
	UNIT_EQ(f.policy, ROC_EVB_RANDOM);
	UNIT_EQ(f.seed, 77);
	UNIT_EQ(f.readouts, 2);
	UNIT_EQ(f.builders, 1);
	UNIT_EQ(f.lease_ms, 700);
	UNIT_EQ(f.count, 3);
	CU_ASSERT_STRING_EQUAL(f.manager->m.name, "m");
	CU_ASSERT_STRING_EQUAL(f.manager->manager_port, "9");
	CU_ASSERT_STRING_EQUAL(evb_static_find(&f, "b1")->m.port, "5000");
	UNIT_EQ(evb_static_find(&f, "b1")->m.roles, ROC_EVB_BUILDER | ROC_EVB_READOUT);
	CU_ASSERT_PTR_NULL(evb_static_find(&f, "b2"));
	evb_static_free(&f);
	/* Policies and roles may be in upper or lower case. */
	write_file(HEAD "policy = Least-Loaded\n" M B "[r1]\nroles = Readout MANAGER builder\n"
			"host = x\n");
	UNIT_NEED(evb_static_read(path, &f, reason) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "a second manager"));
	write_file(HEAD "policy = Least-Loaded\n" M B "[r1]\nroles = Readout BUILDER\nhost = x\n");
	UNIT_NEED(!evb_static_read(path, &f, reason));
	UNIT_EQ(f.policy, ROC_EVB_LEAST_LOADED);
	UNIT_EQ(evb_static_find(&f, "r1")->m.roles, ROC_EVB_BUILDER | ROC_EVB_READOUT);
	evb_static_free(&f);
}

static const struct {
	const char *content, *expected;
} faults[] = {
	{"nonsense", ":1: expected [section]"},
	{HEAD M R B R, "13: the name r1 is used twice, first in line 7"},
	{HEAD M R B "[m2]\nroles = manager\nhost = x\n", "a second manager, beside m in line 3"},
	{HEAD R B, "no node has the role manager"},
	{HEAD M R, "no node has the role readout, or none has the role builder"},
	{HEAD M "[r1]\nroles = reader\n", ":8: 'reader' is not a role"},
	{HEAD M R "[b1]\nroles = builder\n", ":9: node b1 has no host"},
	{HEAD "[r 1]\nroles = readout\n", ":3: [r 1] is not a name of a node"},
	{HEAD M "[r1]\nhost = y\n", ":7: node r1 has no roles"},
	{HEAD M "[r1]\nroles = readout\nport = 65536\n",
	 ":9: the value of 'port' is not a port number"},
	{HEAD M "[r1]\nweight = 5\n", ":8: unknown key 'weight' of a node"},
	{HEAD "policy = best\n", ":3: 'best' is not a policy"},
	{HEAD "colour = red\n", ":3: unknown key 'colour' of [system]"},
	{HEAD "lease-ms = -1\n", ":3: the value of 'lease-ms' is not a number"},
	{HEAD "lease-ms = 1\n" M R B, "lease-ms is 1, the minimum is 100"},
	{HEAD "readouts = 3\n" M R B, "is larger than the number of nodes in the file"},
	{HEAD HEAD, ":3: section [system] occurs twice"},
	{"[system]\nname = a b\n", ":2: 'a b' is not a name of a system"},
};

static void file_faults(void)
{
	struct evb_static_file f;
	size_t i;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		write_file(faults[i].content);
		CU_ASSERT_TRUE(evb_static_read(path, &f, reason) < 0);
		if (!strstr(reason, faults[i].expected))
			unit_note("missing: \"%s\", but: %s", faults[i].expected, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, faults[i].expected));
	}
	CU_ASSERT_TRUE(evb_static_read("/nowhere", &f, reason) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "/nowhere cannot be read"));
	UNIT_EQ(node_open(&nodes[0], "r1", "zookeeper:x"), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "is not valid, use static:FILE or etcd:URL"));
	CU_ASSERT_TRUE(node_open(&nodes[0], "r1", "Static:/nowhere") < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "/nowhere cannot be read"));
}

#define LONG "20000" /* ms: a lease that does not expire on a busy machine */
#define OVER_SOON                                                                                  \
	"6000" /* ms: a lease that expires in the test, but not if the machine stalls for seconds */

static void system_file(const char *lease, const char *more)
{
	char content[1024];

	port = free_port();
	snprintf(content, sizeof(content),
		 HEAD "policy = barrel-shift\nreadouts = 2\nbuilders = 2\nlease-ms = %s\n"
		      "[m]\nroles = manager\nhost = 127.0.0.1\nmanager-port = %u\n"
		      "[r1]\nroles = readout\n[r2]\nroles = readout\n"
		      "[b1]\nroles = builder\nhost = 127.0.0.1\n"
		      "[b2]\nroles = builder\nhost = 127.0.0.1\n%s",
		 lease, port, more);
	write_file(content);
}

static void open_all(void)
{
	static const char *const names[] = {"m", "r1", "r2", "b1", "b2"};
	unsigned int i;

	for (i = 0; i < 5; i++)
		UNIT_EQ(node_open(&nodes[i], names[i], text), 0);
}

static void come_and_go(void)
{
	system_file(OVER_SOON, "");
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	UNIT_EQ(nodes[1].table.policy, ROC_EVB_BARREL_SHIFT);
	UNIT_EQ(nodes[1].table.epoch, 1);
	UNIT_EQ(nodes[4].member_count, 5);
	CU_ASSERT_STRING_EQUAL(nodes[2].leader, "m is the manager.");
	CU_ASSERT_STRING_EQUAL(nodes[4].c.system, "test");

	/* One node ends and closes its connection. */
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 3000));
	UNIT_EQ(node_open(&nodes[4], "b2", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));

	/* One node sends nothing any more, but its connection stays open. */
	nodes[2].stopped = true;
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 | b1 b2"), 15000));
	nodes[2].stopped = false;
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 8000));
	UNIT_EQ(nodes[2].losts, 1);
	UNIT_EQ(nodes[2].backs, 1);

	/* Half of the readout units report a builder as suspect. */
	nodes[1].report.suspect_count = 1;
	strcpy(nodes[1].report.suspects[0].name, "b1");
	nodes[1].report.suspects[0].incarnation = nodes[3].me.incarnation;
	nodes[1].report.suspects[0].protocol_error = true;
	nodes[1].report.has_newest = true;
	nodes[1].report.newest_block = 5000;
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b2"), 6000));
	CU_ASSERT_TRUE(logged("b1 is excluded"));
	UNIT_EQ(nodes[1].table.from_block, 5064);
	close_all();
}

static void manager_goes(void)
{
	uint64_t epoch, term;
	unsigned int losts;

	system_file("2000", "");
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	/* Advance by some tables, so that the first table of the next manager would be too old. */
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 3000));
	UNIT_EQ(node_open(&nodes[4], "b2", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	epoch = nodes[1].table.epoch;
	term = nodes[1].table.term;
	losts = nodes[1].losts;
	node_close(&nodes[0]);
	CU_ASSERT_TRUE(
		TURN_UNTIL(nodes[1].lost && nodes[2].lost && nodes[3].lost && nodes[4].lost, 3000));
	/* The nodes keep their table. */
	CU_ASSERT_TRUE(all_have("r1 r2 | b1 b2"));
	CU_ASSERT_TRUE(TURN_WHILE(!nodes[1].ended && nodes[1].losts == losts + 1, 2400));
	/* The new manager has no table of the old one; its term may be the same second. */
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(!nodes[1].lost && !nodes[2].lost && !nodes[3].lost &&
					  !nodes[4].lost && nodes[0].table.epoch,
				  6000));
	CU_ASSERT_TRUE(all_have("r1 r2 | b1 b2"));
	node_close(&nodes[4]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1"), 6000));
	CU_ASSERT_TRUE(nodes[1].table.epoch > epoch);
	CU_ASSERT_TRUE(nodes[1].table.term > term);
	close_all();
}

static void two_of_a_name(void)
{
	system_file(OVER_SOON, "");
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	UNIT_EQ(node_open(&nodes[5], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[5].ended, 20000));
	UNIT_EQ(nodes[5].ended, -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(nodes[5].c.ops->reason(nodes[5].c.self), "the name r1 is already in use"));
	/* The first node is not affected. */
	UNIT_EQ(nodes[1].losts, 0);
	UNIT_EQ(nodes[1].table.epoch, 1);
	node_close(&nodes[5]);
	/* A node that is restarted before its lease expires is admitted after that. */
	nodes[1].stopped = true;
	UNIT_EQ(node_open(&nodes[5], "r1", text), 0);
	CU_ASSERT_TRUE(
		TURN_UNTIL(table_is(&nodes[5], "r1 r2 | b1 b2") &&
				   nodes[5].table.rus[0].incarnation == nodes[5].me.incarnation,
			   20000));
	UNIT_EQ(nodes[5].ended, 0);
	close_all();
}

static void two_managers(void)
{
	system_file("500", "");
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	UNIT_EQ(node_open(&nodes[1], "m", text), -EADDRINUSE);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "check that no second manager runs there"));
	close_all();
}

/* The host of the manager is an address of another machine (RFC 5737: of no machine). */
static void elsewhere(void)
{
	write_file(HEAD "[m]\nroles = manager\nhost = 192.0.2.1\nmanager-port = 4711\n" R B);
	UNIT_EQ(node_open(&nodes[0], "m", text), -EADDRNOTAVAIL);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "Cannot listen at 192.0.2.1 port 4711: "));
}

/* The largest table fits into a line, and a node that reconnects reports it. */
static void largest(void)
{
	static struct roc_evb_table t;
	struct json_object *o;
	unsigned int i;
	char name[ROC_EVB_NAME];
	size_t length;

	memset(&t, 0, sizeof(t));
	t.from_block = t.seed = UINT64_MAX;
	t.term = t.epoch = UINT64_MAX / 2;
	t.ru_count = t.bu_count = ROC_EVB_NODES_MAX;
	for (i = 0; i < ROC_EVB_NODES_MAX; i++) {
		snprintf(name, sizeof(name), "a-name-of-thirty-one-letters%03u", i);
		strcpy(t.rus[i].name, name);
		strcpy(t.bus[i].name, name);
		t.rus[i].incarnation = t.bus[i].incarnation = UINT64_MAX;
		t.bus[i].weight = 1000;
	}
	o = evb_table_record(&t);
	json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN, &length);
	unit_note("the largest table has %zu bytes", length);
	CU_ASSERT_TRUE(length + 512 < LINE_MAX_BYTES);
	memset(&t, 0, sizeof(t));
	UNIT_EQ(evb_table_read(o, &t, reason), 0);
	UNIT_EQ(t.bus[ROC_EVB_NODES_MAX - 1].incarnation, UINT64_MAX);
	json_object_put(o);
	/* A table with the highest epoch could never be replaced. */
	t.epoch++;
	o = evb_table_record(&t);
	UNIT_EQ(evb_table_read(o, &t, reason), -EINVAL);
	json_object_put(o);
}

static void strangers(void)
{
	static const char other[] =
		HEAD "[m]\nroles = manager\nhost = 127.0.0.1\nmanager-port = %u\n"
		     "[b9]\nroles = builder readout\nhost = 127.0.0.1\n"
		     "[r1]\nroles = builder readout\nhost = 127.0.0.1\n";
	char content[512];

	system_file("500", "");
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	UNIT_EQ(node_open(&nodes[1], "x", text), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "has no section [x]"));
	/* An invalid host is refused at once. */
	write_file(HEAD "[m]\nroles = manager\nhost = no.such.host.invalid.\n" R B);
	UNIT_EQ(node_open(&nodes[1], "r1", text), -EHOSTUNREACH);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "\"no.such.host.invalid.\", cannot be resolved"));
	/* Nodes with other files than the manager. */
	snprintf(content, sizeof(content), other, port);
	write_file(content);
	UNIT_EQ(node_open(&nodes[1], "b9", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[1].ended, 3000));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(nodes[1].c.ops->reason(nodes[1].c.self), "b9 is not in the file"));
	UNIT_EQ(node_open(&nodes[2], "r1", text), 0);
	nodes[2].me.roles = ROC_EVB_BUILDER | ROC_EVB_READOUT;
	nodes[2].c.ops->join(nodes[2].c.self, &nodes[2].me);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[2].ended, 3000));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(nodes[2].c.ops->reason(nodes[2].c.self), "has a role that the file"));
	content[strlen("[system]\nname = t")] = 'u';
	write_file(content);
	UNIT_EQ(node_open(&nodes[3], "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[3].ended, 3000));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(nodes[3].c.ops->reason(nodes[3].c.self), "but this manager to system test"));
	close_all();
}

static int dial(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	a.sin_port = htons((uint16_t)port);
	connect(fd, (struct sockaddr *)&a, sizeof(a));
	return fd;
}

/* The manager closes a connection with invalid messages, and continues with the others. */
static void nonsense(void)
{
	static const char *const lines[] = {
		"\n",
		"hello\n",
		"[1, 2]\n",
		"{\"report\": {}}\n",
		"{\"join\": 5, \"system\": \"test\", \"version\": 1}\n",
		"{\"join\": {\"name\": \"r1\"}, \"system\": \"test\", \"version\": 1}\n",
		"{\"join\": {}, \"system\": \"test\", \"version\": 2}\n",
		"{\"join\": {\"name\": \"r1\", \"host\": \"\", \"port\": \"\", \"incarnation\": -4, \"roles\": 1, \"peers\": 8}, \"system\": \"test\", \"version\": 1}\n",
		"{\"join\": {\"name\": \"r1\", \"host\": \"\", \"port\": \"\", \"incarnation\": 4, "
		"\"roles\": 1, \"peers\": 8}, \"system\": \"test\", \"version\": 1}\n{\"report\": "
		"{\"epoch\": "
		"1}}\n",
		"{{{{{{{{{{{{{{{{{{{\n",
		"\xff\xfe\n",
	};
	char got[4096];
	size_t i;
	ssize_t n;
	int fd;

	system_file(LONG, "");
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	node_close(&nodes[1]);
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r2 | b1 b2"), 6000));
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fd = dial();
		CU_ASSERT_TRUE(
			TURN_UNTIL(send(fd, lines[i], strlen(lines[i]), MSG_NOSIGNAL) > 0, 1000));
		/* The peer receives the reason and the end of the connection. */
		memset(got, 0, sizeof(got));
		CU_ASSERT_TRUE(TURN_UNTIL(
			(n = recv(fd, got + strlen(got), sizeof(got) - strlen(got) - 1, 0)) == 0,
			2000));
		if (!strstr(got, "refused"))
			unit_note("%s: %s", lines[i], got);
		CU_ASSERT_PTR_NOT_NULL(strstr(got, "refused"));
		close(fd);
	}
	/* A line without an end. */
	fd = dial();
	memset(got, 'x', sizeof(got));
	CU_ASSERT_TRUE(
		TURN_UNTIL(send(fd, got, sizeof(got), MSG_NOSIGNAL) < 0 && errno != EAGAIN, 8000));
	close(fd);
	UNIT_EQ(nodes[2].losts, 0);
	UNIT_EQ(nodes[3].losts, 0);
	close_all();
}

static bool sleeps(const struct node *n)
{
	struct roc_idle idle = {.ns = FABRIC_NS_PER_S};

	n->c.ops->idle(n->c.self, &idle);
	return idle.ns && !poll(idle.fds, idle.count, 0);
}

/* Without a free file descriptor the manager does not poll the listener in a busy loop. */
static void no_files(void)
{
	struct rlimit limit, none;
	int fd, next;
	char byte;

	system_file(LONG, "");
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 1, 6000));
	CU_ASSERT_TRUE(TURN_UNTIL(sleeps(&nodes[0]), 6000));
	fd = dial();
	CU_ASSERT_TRUE(UNIT_WAIT(!sleeps(&nodes[0]), 6000));
	next = dup(fd);
	UNIT_NEED(next >= 0 && !close(next) && !getrlimit(RLIMIT_NOFILE, &limit));
	none = limit;
	none.rlim_cur = (rlim_t)next;
	UNIT_NEED(!setrlimit(RLIMIT_NOFILE, &none));
	CU_ASSERT_TRUE(TURN_UNTIL(sleeps(&nodes[0]), 6000));
	UNIT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	/* With a free descriptor the connection is accepted. */
	CU_ASSERT_TRUE(TURN_UNTIL(send(fd, "hello\n", 6, MSG_NOSIGNAL) > 0, 1000));
	CU_ASSERT_TRUE(TURN_UNTIL(recv(fd, &byte, 1, 0) == 1, 6000));
	close(fd);
	close_all();
}

#define STRANGERS 200

static unsigned int refusals_logged(void)
{
	static const char refusal[] = "A node was refused";
	const char *at = sentences;
	unsigned int n = 0;

	while ((at = strstr(at, refusal))) {
		at += strlen(refusal);
		n++;
	}
	return n;
}

static void one_stranger(void)
{
	static const char question[] = "GET / HTTP/1.0\r\n";
	int fd = dial();
	char got[512];

	CU_ASSERT_TRUE(TURN_UNTIL(send(fd, question, strlen(question), MSG_NOSIGNAL) > 0, 1000));
	CU_ASSERT_TRUE(TURN_UNTIL(recv(fd, got, sizeof(got), 0) == 0, 2000));
	close(fd);
}

/*
 * Foreign connections do not fill the log of the manager; the number of suppressed messages is
 * logged.
 */
static void many_strangers(void)
{
	unsigned int i, n;
	double seconds;

	system_file(LONG, "");
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	seconds = unit_seconds();
	for (i = 0; i < STRANGERS; i++)
		one_stranger();
	seconds = unit_seconds() - seconds;
	n = refusals_logged();
	unit_note("%u of %u refusals are logged in %.2f s", n, STRANGERS, seconds);
	CU_ASSERT_TRUE(n <= 20 * (1 + (unsigned int)seconds));
	seconds = unit_seconds();
	CU_ASSERT_TRUE(TURN_UNTIL(unit_seconds() - seconds > 1.1, 5000));
	one_stranger();
	/* On a slow machine all messages are within the rate limit. */
	CU_ASSERT_TRUE(n == STRANGERS || logged(" more messages were dropped."));
	close_all();
}

static void count_lines(void *self, const char *name, const char *line)
{
	unsigned int *found = self;

	*found |= !strcmp(name, "r1") && !strcmp(line, "{\"time\":1,\"in\":[2]}") ? 1 : 0;
	*found |= !strcmp(name, "b1") && !strcmp(line, "{\"time\":3}") ? 2 : 0;
}

static void watcher(void)
{
	struct evb_coordinator_config cfg = {.text = text};
	static const char one[] = "{ \"time\": 1, \"in\": [2]}", two[] = "{\"time\":3}";
	unsigned int found = 0;

	system_file(LONG, "");
	open_all();
	CU_ASSERT_TRUE(TURN_UNTIL(all_have("r1 r2 | b1 b2"), 6000));
	nodes[1].c.status(nodes[1].c.self, one, strlen(one));
	memset(&nodes[5], 0, sizeof(nodes[5]));
	UNIT_NEED(!evb_coordinator_open(&cfg, &nodes[5].c, reason));
	nodes[5].open = true;
	nodes[5].silent = true;
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[5].table.epoch && nodes[5].member_count == 5, 3000));
	nodes[3].c.status(nodes[3].c.self, two, strlen(two));
	CU_ASSERT_TRUE(TURN_UNTIL(
		(nodes[5].c.statuses(nodes[5].c.self, count_lines, &found), found == 3), 3000));
	/* The watcher is not a member. */
	UNIT_EQ(nodes[1].member_count, 5);
	/* The status line of a node that left is dropped. */
	node_close(&nodes[1]);
	CU_ASSERT_TRUE(TURN_UNTIL(
		(found = 0, nodes[5].c.statuses(nodes[5].c.self, count_lines, &found), found == 2),
		3000));
	close_all();
}

#define FLOOD 2000 /* lines of each size: far more than the buffer of a connection */

static void send_line(int fd, const char *line)
{
	size_t length = strlen(line), sent = 0;
	ssize_t n = 0;

	while (sent < length &&
	       TURN_UNTIL((n = send(fd, line + sent, length - sent, MSG_NOSIGNAL)) > 0, 5000))
		sent += (size_t)n;
	UNIT_NEED(sent == length);
}

/* Whether the watcher received that r1 left, or the end of its connection. */
static bool is_informed(int fd)
{
	static char heard[4 << 20];
	static size_t have;
	const char *at = heard, *last = NULL;
	ssize_t n;

	/* Keep the lease of the connection alive. */
	send(fd, "{}\n", 3, MSG_NOSIGNAL);
	n = recv(fd, heard + have, sizeof(heard) - 1 - have, 0);
	if (n <= 0)
		return !n || errno == ECONNRESET;
	have += (size_t)n;
	heard[have] = '\0';
	while ((at = strstr(at, "{\"members\":")) && strchr(at, '\n'))
		last = at++;
	return last && !memmem(last, (size_t)(strchr(last, '\n') - last), "\"r1\"", 4);
}

/* A watcher that does not read is disconnected, instead of missing some messages. */
static void does_not_read(void)
{
	static const size_t sizes[] = {4000, 400, 40, 1};
	char line[4096], end;
	unsigned int i, k;
	int fd, room = 4096, other;

	system_file(LONG, "");
	UNIT_EQ(node_open(&nodes[0], "m", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 1, 6000));
	fd = dial();
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	send_line(fd, "{\"watch\": true, \"system\": \"test\", \"version\": 1}\n");
	other = dial();
	send_line(
		other,
		"{\"join\": {\"name\": \"r1\", \"host\": \"\", \"port\": \"\", \"incarnation\": 4, \"roles\": 1, \"peers\": 8}, \"system\": \"test\", \"version\": 1}\n");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(line, sizeof(line), "{\"status\": {\"x\": \"%0*d\"}}\n", (int)sizes[i], 0);
		for (k = 0; k < FLOOD; k++)
			send_line(other, line);
	}
	/* The manager has processed all earlier lines when it closes this connection. */
	send_line(other, "bye\n");
	CU_ASSERT_TRUE(TURN_UNTIL(recv(other, &end, 1, MSG_TRUNC) == 0, 10000));
	CU_ASSERT_TRUE(TURN_UNTIL(nodes[0].member_count == 1, 6000));
	CU_ASSERT_TRUE(TURN_UNTIL(is_informed(fd), 5000));
	close(other);
	close(fd);
	close_all();
}

/* Send a table as a manager. */
static void send_table(int fd, uint64_t term, uint64_t epoch)
{
	static struct roc_evb_table t;
	struct json_object *o = json_object_new_object();

	t.term = term;
	t.epoch = epoch;
	json_object_object_add(o, "table", evb_table_record(&t));
	dprintf(fd, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

/*
 * The clock of the manager was set back, and the manager was restarted. Its tables are older than
 * the table of a node that was disconnected meanwhile.
 */
static void older(void)
{
	char number[16], got[8192] = "";
	int listener, fd = -1;
	struct node *r1 = &nodes[0];

	system_file(LONG, "");
	snprintf(number, sizeof(number), "%u", port);
	listener = control_listen("127.0.0.1", number, reason);
	UNIT_NEED(listener >= 0);
	UNIT_EQ(node_open(r1, "r1", text), 0);
	CU_ASSERT_TRUE(TURN_UNTIL((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0, 6000));
	dprintf(fd, "{\"welcome\": true, \"manager\": \"m\"}\n");
	send_table(fd, 9, 5);
	CU_ASSERT_TRUE(TURN_UNTIL(r1->table.epoch == 5, 6000));
	UNIT_EQ(r1->outs, 0);
	CU_ASSERT_TRUE(TURN_UNTIL(recv(fd, got, sizeof(got) - 1, 0) > 0, 6000));
	/* The same table again is ignored. */
	send_table(fd, 9, 5);
	send_table(fd, 8, 6);
	CU_ASSERT_TRUE(TURN_UNTIL(r1->outs == 1, 6000));
	CU_ASSERT_PTR_NOT_NULL(strstr(r1->out_text, "is older than"));
	UNIT_EQ(r1->c.view->refused, 1);
	/* The node joins with another incarnation and without a table. */
	CU_ASSERT_TRUE(TURN_UNTIL(recv(fd, got, sizeof(got) - 1, MSG_PEEK) > 0, 6000));
	memset(got, 0, sizeof(got));
	CU_ASSERT_TRUE(recv(fd, got, sizeof(got) - 1, 0) > 0);
	CU_ASSERT_TRUE(strstr(got, "\"join\"") && !strstr(got, "\"have\""));
	send_table(fd, 8, 7);
	CU_ASSERT_TRUE(TURN_UNTIL(r1->table.term == 8 && r1->table.epoch == 7, 6000));
	close(fd);
	close(listener);
	close_all();
}

UNIT_MAIN("event building: static coordinator", {"file", file_good},
	  {"errors in the file", file_faults}, {"nodes join and leave", come_and_go},
	  {"manager restarts", manager_goes}, {"two nodes of one name", two_of_a_name},
	  {"two managers", two_managers}, {"manager at an address of another machine", elsewhere},
	  {"older table", older}, {"refused nodes", strangers}, {"largest table", largest},
	  {"invalid messages", nonsense}, {"watcher", watcher},
	  {"watcher that does not read", does_not_read}, {"no free file descriptor", no_files},
	  {"many refused connections", many_strangers})
