// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the end of a node whose disk syncs longer than the limit for the end. The clock of the node
 * is set ahead meanwhile.
 */
#include "unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/port.h"
#include "tests/unit/utils/no_submit.h"
#include "tests/unit/utils/service_manager.h"
#include "utils/evb/evb_options.h"
#include "utils/tools.h"

#define LIMIT_MS 30000
#define AHEAD_NS                                                                                   \
	(UINT64_C(100) * 1000000000) /* more than the limit for the end, less than half a lease */

static char dir[] = "/tmp/roc-evb-end-XXXXXX";
static uint64_t *ahead; /* offset of the clock of the node; shared with its process */

uint64_t __real_fabric_now(void);
uint64_t __wrap_fabric_now(void);
uint64_t __wrap_fabric_now(void)
{
	return __real_fabric_now() + __atomic_load_n(ahead, __ATOMIC_RELAXED);
}

static void leave_nothing(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(command);
}

static const char *file(const char *name)
{
	static char paths[4][64];
	static unsigned int n;
	char *path = paths[n++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* Run a system of one node; exit code. */
static int node(void)
{
	char coordinator[80], sink[80], reason[256];
	char *argv[] = {"roc-evb",
			"node",
			"--name=n1",
			coordinator,
			sink,
			"--json",
			"--source=synthetic:size=3000,rate=200",
			NULL};
	struct evb_options o = {0};

	snprintf(coordinator, sizeof(coordinator), "--coordinator=static:%s", file("evb.conf"));
	snprintf(sink, sizeof(sink), "--sink=file:%s", file("run"));
	if (options_parse(tool_find("evb"), 7, argv, &o, reason, sizeof(reason)) != OPTIONS_RUN) {
		fprintf(stderr, "%s\n", reason);
		return 2;
	}
	return evb_node(&o);
}

static pid_t start(int writer)
{
	FILE *f = fopen(file("evb.conf"), "w");
	pid_t pid;

	UNIT_NEED(f);
	fprintf(f,
		"[system]\nname = one\nreadouts = 1\nbuilders = 1\nlease-ms = 600000\n"
		"[n1]\nroles = readout builder manager\nhost = 127.0.0.1\nmanager-port = %u\n",
		free_port());
	fclose(f);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		close(writer);
		/* End the process if it hangs. */
		alarm(250);
		if (!freopen(file("out"), "w", stdout))
			_exit(2);
		_exit(node());
	}
	UNIT_NEED(pid > 0);
	return pid;
}

/* Whether the first file has data. */
static bool written(void)
{
	char command[128];

	snprintf(command, sizeof(command), "find %s -type f -size +0 | grep -q .", file("run"));
	return !system(command);
}

static void disk_takes_its_time(void)
{
	static const char more[] = "EXTEND_TIMEOUT_USEC=40000000";
	int writer, status = -1;
	unsigned int i;
	char path[64];
	pid_t pid;

	UNIT_NEED(mkdtemp(dir));
	atexit(leave_nothing);
	ahead = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(ahead != MAP_FAILED);
	UNIT_NEED(!mkdir(file("run"), 0755));
	snprintf(path, sizeof(path), "%s", file("notify"));
	manager_open(path);
	writer = begin_slow_sync();
	UNIT_NEED(writer >= 0);
	pid = start(writer);
	UNIT_STR(manager_received(), "READY=1");
	CU_ASSERT_TRUE(UNIT_WAIT(written(), LIMIT_MS));
	kill(pid, SIGTERM);
	UNIT_STR(manager_received(), "STOPPING=1");
	UNIT_STR(manager_received(), more);
	/* The node extends the timeout each second during the sync. */
	UNIT_STR(manager_received(), more);
	__atomic_store_n(ahead, AHEAD_NS, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++)
		UNIT_STR(manager_received(), more);
	UNIT_EQ(waitpid(pid, &status, WNOHANG), 0);
	end_slow_sync(writer);
	CU_ASSERT_TRUE(UNIT_WAIT(waitpid(pid, &status, WNOHANG) == pid, LIMIT_MS));
	UNIT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
	manager_close(path);
}

UNIT_MAIN("the end of a node", {"slow sync of the disk", disk_takes_its_time})
