// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test which failures systemd retries. A daemon exits with 2 for an error that only its
 * administrator can fix, after which the unit is not restarted, and with 1 for an error that may be
 * temporary.
 */
#include "unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/fake_sysfs.h"
#include "tests/unit/port.h"
#include "tests/unit/utils/tool_run.h"

#include "utils/common/tool.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define LONG_64 "/a-folder-with-a-name-of-sixty-four-characters-neither-more-or-less"

static const struct {
	const char *folder, *name;
} units[] = {{"utils/ros", "roc-rosd.service.in"}, {"utils/evb", "roc-evb@.service.in"}};

static char dir[] = "/tmp/roc-restarts-XXXXXX";
static char conf[64];
static unsigned int port;

static void leave_nothing(void)
{
	unlink(conf);
	rmdir(dir);
}

static void test_directory(void)
{
	if (!strstr(dir, "XXXXXX"))
		return;
	UNIT_NEED(mkdtemp(dir));
	atexit(leave_nothing);
	snprintf(conf, sizeof(conf), "%s/evb.conf", dir);
	port = free_port();
}

/* Section [m] is the manager, at a free port; NULL: no file. */
static void file(const char *more)
{
	FILE *f;

	test_directory();
	unlink(conf);
	if (!more)
		return;
	f = fopen(conf, "w");
	UNIT_NEED(f);
	fprintf(f, "[n1]\nroles = readout builder manager\nhost = 127.0.0.1\nmanager-port = %u\n%s",
		port, more);
	fclose(f);
}

static void ends(int code, const char *message, const char *tool, const char *arguments)
{
	int got = tool_run("%s %s", tool, arguments);

	if (got != code)
		unit_note("%s %s: exit %d, not %d: %.300s", tool, arguments, got, code,
			  tool_output);
	UNIT_EQ(got, code);
	CU_ASSERT_TRUE(tool_printed(message));
}

static void units_prevent_restart(void)
{
	char text[8192], path[64];
	size_t i, length;
	FILE *f;

	for (i = 0; i < N(units); i++) {
		snprintf(path, sizeof(path), "%s/%s", units[i].folder, units[i].name);
		f = fopen(path, "r");
		UNIT_NEED(f);
		length = fread(text, 1, sizeof(text) - 1, f);
		text[length] = '\0';
		fclose(f);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nRestart=on-failure\n"));
		CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nRestartPreventExitStatus=2\n"));
	}
	UNIT_EQ(TOOL_USAGE, 2);
}

static const struct {
	int code;
	const char *arguments, *message;
} rosd[] = {
	{TOOL_USAGE, "", "--id is missing"},
	{TOOL_USAGE, "--id=zz", "--id"},
	{TOOL_USAGE, "--source=synthetic --listen=127.0.0.1:ninety", "HOST:PORT"},
	{TOOL_USAGE, "--source=synthetic --listen=127.0.0.1", "HOST:PORT"},
	{TOOL_USAGE, "--source=synthetic --listen=127.0.0.1:65536", "HOST:PORT"},
	{TOOL_USAGE, "--source=synthetic --metrics-socket=" LONG_64 LONG_64, "too long"},
	/* A card may appear, an address may be assigned, a folder may be created. */
	{TOOL_FAILED, "--id=246", "246"},
	{TOOL_FAILED, "--source=synthetic --listen=192.0.2.1:9870", "Cannot listen on"},
	{TOOL_FAILED, "--source=synthetic --listen=127.0.0.1:0 --metrics-socket=/nowhere/at/all",
	 "Cannot create the metrics socket"},
};

static void rosd_ends(void)
{
	size_t i;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	for (i = 0; i < N(rosd); i++)
		ends(rosd[i].code, rosd[i].message, "rosd", rosd[i].arguments);
}

static const struct {
	int code;
	const char *more; /* of the file */
	const char *message;
} files[] = {
	{TOOL_USAGE, "nonsense\n", ":5: "},
	{TOOL_USAGE, "colour = red\n", "unknown key 'colour' of a node"},
	{TOOL_USAGE, "[n1]\nroles = readout\n", "the name n1 is used twice"},
	{TOOL_USAGE, "[m2]\nroles = manager\nhost = x\n", "a second manager"},
	{TOOL_USAGE, "[system]\nreadouts = 5\n", "is larger than the number of nodes"},
	{TOOL_USAGE, "[system]\nname = other\n", "is for the system other, but --system is roc"},
	/* The file may not be there yet. */
	{TOOL_FAILED, NULL, "cannot be read"},
};

static void files_end(void)
{
	char arguments[256];
	size_t i;

	for (i = 0; i < N(files); i++) {
		file(files[i].more);
		snprintf(arguments, sizeof(arguments),
			 "node --name=n1 --system=roc --coordinator=static:%s --source=synthetic",
			 conf);
		ends(files[i].code, files[i].message, "evb", arguments);
	}
	/* The same message for a watcher. */
	file("nonsense\n");
	snprintf(arguments, sizeof(arguments), "watch --once --coordinator=static:%s", conf);
	ends(TOOL_USAGE, ":5: ", "evb", arguments);
}

static const struct {
	int code;
	const char *coordinator; /* NULL: the file */
	const char *options, *message;
} nodes[] = {
	{TOOL_USAGE, NULL, "--name=n9", "has no section [n9]"},
	{TOOL_USAGE, "zookeeper:x", "--name=n1", "is not valid, use static:FILE or etcd:URL"},
	{TOOL_USAGE, "etcd:nowhere", "--name=n1", "is not http://HOST:PORT"},
	{TOOL_USAGE, NULL, "--name=n1 --roles=king", "is not a role"},
	{TOOL_USAGE, NULL, "--name=n1 --port=ninety", "--port"},
	{TOOL_USAGE, NULL, "--name=n1 --port=65536", "--port"},
	{TOOL_USAGE, NULL, "--name=n1", "--source is missing"},
	{TOOL_USAGE, NULL, "--name=n1 --source=nonsense", "Unknown source \"nonsense\""},
	{TOOL_USAGE, NULL, "--name=n1 --source=card:id=zz", "cannot be used as a source"},
	{TOOL_USAGE, NULL, "--name=n1 --source=card:id=245,buffer=1Ki",
	 "cannot be used as a source"},
	{TOOL_USAGE, NULL, "--name=n1 --source=card:id=245,superpage=0",
	 "cannot be used as a source"},
	{TOOL_USAGE, NULL, "--name=n1 --source=card:id=245,buffer=8Gi,superpage=4Gi",
	 "cannot be used as a source"},
	{TOOL_USAGE, NULL, "--name=n1 --source=synthetic:size=x", "size"},
	{TOOL_USAGE, NULL, "--name=n1 --source=synthetic --sink=nonsense",
	 "Unknown sink \"nonsense\""},
	{TOOL_USAGE, NULL,
	 "--name=n1 --source=synthetic --sink=file:" LONG_64 LONG_64 LONG_64 LONG_64,
	 "has more than 255 characters"},
	{TOOL_USAGE, NULL, "--name=n1 --source=synthetic --events=1024 --fragment=1Gi",
	 "exceed the size of an MFP"},
	{TOOL_USAGE, NULL, "--name=n1 --source=synthetic --fragment=1Mi --memory=4Ki", "memory"},
	/* Depends on another etcd, card, disk or library. */
	{TOOL_FAILED, "etcd:https://127.0.0.1:1?ca=/nowhere/ca.pem", "--name=n1",
	 "/nowhere/ca.pem"},
	{TOOL_FAILED, NULL, "--name=n1 --source=card:id=246", "cannot be used as a source"},
	{TOOL_FAILED, NULL, "--name=n1 --source=recording:/nowhere", "/nowhere"},
	{TOOL_FAILED, NULL, "--name=n1 --source=synthetic --sink=file:/proc/self/none",
	 "cannot be created"},
	{TOOL_FAILED, NULL, "--name=n1 --source=synthetic --provider=smoke",
	 "no provider \"smoke\""},
};

static void nodes_end(void)
{
	char arguments[512];
	size_t i;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	file("");
	for (i = 0; i < N(nodes); i++) {
		snprintf(arguments, sizeof(arguments), "node --coordinator=%s%s %s",
			 nodes[i].coordinator ? "" : "static:",
			 nodes[i].coordinator ? nodes[i].coordinator : conf, nodes[i].options);
		ends(nodes[i].code, nodes[i].message, "evb", arguments);
	}
}

/* The other manager may end. */
static void port_taken(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char arguments[256];
	int fd;

	file("");
	a.sin_port = htons((uint16_t)port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	UNIT_NEED(!bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 1));
	snprintf(arguments, sizeof(arguments),
		 "node --name=n1 --coordinator=static:%s --source=synthetic", conf);
	ends(TOOL_FAILED, "check that no second manager runs there", "evb", arguments);
	close(fd);
}

UNIT_MAIN("exit codes that restart a unit", {"units", units_prevent_restart},
	  {"roc-rosd", rosd_ends}, {"node file", files_end}, {"roc-evb", nodes_end},
	  {"port taken", port_taken})
