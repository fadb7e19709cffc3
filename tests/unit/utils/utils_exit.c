// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the exit codes of all tools on a machine without the module and on one without a card: 2 for
 * a command line that is wrong on every machine, else 1, with a message that has the remedy.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "unit.h"

#include "tests/unit/fake_sysfs.h"

#include "utils/tools.h"

/* A valid command line of each tool. */
static const struct {
	const char *tool, *arguments;
} good[] = {
	{"list-cards", ""},
	{"reg-read", "--id=245 --channel=2 --address=0x4"},
	{"reg-read-range", "--id=245 --channel=2 --address=0x4 --range=2"},
	{"reg-write", "--id=245 --channel=2 --address=0x4 --value=1"},
	{"reg-modify", "--id=245 --channel=2 --address=0x4 --value=1"},
	{"reset", "--id=245 --channel=0 --reset=INTERNAL"},
	{"bench-dma", "--id=245"},
	{"config", "--id=245 --links=0-3"},
	{"status", "--id=245"},
	{"metrics", "--id=245"},
	{"pkt-monitor", "--id=245"},
	{"trig-monitor", "--id=245"},
	{"loopback", "--id=245 --count=1"},
	{"pat-player", "--id=245"},
	{"ctp-emulator", "--id=245"},
	{"ul", "--id=245"},
	{"siu-status", "--id=245 --channel=0"},
	{"flash", "--id=245 --serial=1 --confirm=1"},
	{"flash-read", "--id=245 --words=1"},
	{"fw-check", ""},
	{"bar-stress", "--id=245 --channel=2 --address=0x4"},
	{"stream", "stats --id=245"},
	{"fragment", "stats --id=245"},
	{"record", "/tmp/roc-nowhere --id=245"},
	{"replay", "/tmp/roc-nowhere"},
	{"rosd", "--id=245"},
	{"ros-load", "--connect=127.0.0.1:1"},
	{"node-check", ""},
	{"send", "localhost --id=245"},
	{"recv", "--bind=127.0.0.1 --port=0 --record=/tmp/roc-nowhere/x"},
	{"gpu-src", ""},
	{"evb", "node --name=r1 --coordinator=static:/tmp/roc-nowhere"},
};

/* Wrong on every machine. */
static const char *const usage[] = {
	"frobnicate",
	"list-cards stray",
	"fw-check --id=245",
	"reg-read --id=245 --channel=6 --address=0",
	"reg-read --id=245 --channel=2 --address=0x2",
	"reg-read --id=245 --channel=2 --address=xyz",
	"reg-read-range --id=245 --channel=2 --address=0x2 --range=2",
	"reg-write --id=245 --channel=2 --address=0x3 --value=1",
	"reg-modify --id=245 --channel=2 --address=0x1 --value=1",
	"reg-modify --id=245 --channel=2 --address=0x4 --value=2 --width=1",
	"bar-stress --id=245 --channel=2 --address=0x3",
	"bar-stress --id=245 --channel=2 --address=0x4 --value=x",
	"reset --id=245 --channel=0 --reset=ALL",
	"bench-dma --id=245 --buffer-size=64Ki",
	"bench-dma --id=245 --superpage-size=0",
	"bench-dma --id=245 --superpage-size=4097Mi --buffer-size=8Gi",
	"bench-dma --id=245 --data-source=DDG --stbrd",
	"bench-dma --id=245 --bytes=lots",
	"bench-dma --id=245 --mode=event --no-events",
	"bench-dma --soak=3s --bytes=1Mi",
	"bench-dma --soak=3s --id=245 --dma-channel=0",
	"bench-dma --soak=3s --channel=1",
	"bench-dma --soak=3s --page-size=8Ki",
	"bench-dma --soak=3s --no-temperature",
	"bench-dma --soak=3s --superpage-size=4Gi --buffer-size=8Gi",
	"bench-dma --id=245 --log=x",
	"bench-dma --id=245 --max-errors=1",
	"bench-dma --id=245 --max-temperature=50",
	"config --id=245 --config-all",
	"config --id=245 --links=0-12",
	"config --id=245 --config-uri=consul://localhost:8500/x",
	"config --id=245 --status-report=/tmp/%q",
	"status --id=245 --links=12",
	"status --id=245 --json --monitoring",
	"metrics --json --monitoring",
	"metrics --json --prometheus",
	"pkt-monitor --id=245 --json --monitoring",
	"trig-monitor --id=245 --count=1",
	"loopback --id=245 --links=12",
	"loopback --id=245 --interval=0",
	"pat-player --id=245 --pat0=0x1ffeeddccbbaa99887766",
	"pat-player --id=245 --pat1-trigger-select=32",
	"pat-player --id=245 --pat1-length=0xffffffff --pat1-delay=1",
	"pat-player --id=245 --read-back --pat1-length=3",
	"ctp-emulator --id=245 --trigger-freq=7",
	"ctp-emulator --id=245 --fixed-bc=1",
	"ctp-emulator --id=245 --hbmax=0x10000",
	"ul --id=245 --system-id=0x100",
	"ul --id=245 --link-id=256",
	"ul --id=245 --status --event-size=5",
	"ul --id=245 --status --random-event-size",
	"siu-status --id=245 --channel=6",
	"flash --id=245",
	"flash --id=245 --serial=100000",
	"flash-read --id=245",
	"flash-read --id=245 --address=0x1000000 --words=1",
	"flash-read --id=245 --words=0x1000001",
	"node-check stray",
	"node-check --root",
	"node-check --limits=",
	"node-check --find-latency",
	"node-check --id=245",
	"node-check --time=3s",
	"node-check --find-latency --id=245 --root=/",
	"node-check --find-latency --id=245 --strict",
	"node-check --find-latency --id=245 --mode=busy",
	"node-check --find-latency --id=245 --time=0",
	"node-check --find-latency --id=zz",
	"rosd",
	"rosd --id=245 --source=synthetic",
	"rosd --id=245 --listen=nowhere",
	"rosd --id=245 --page-size=3000",
	"ros-load --fraction=101",
	"ros-load --size=3",
	"ros-load --connect=host",
	"ros-load --connect=:9870",
	"ros-load --connect=host:port",
	"stream --id=245",
	"stream frobnicate --id=245",
	"stream stats",
	"stream stats dump --id=245",
	"stream follow --id=245 --ring=100000",
	"stream follow --id=245 --ring=0",
	"stream follow --id=245 --ring=1Ki",
	"stream follow --id=245 --ring=128Gi",
	"stream follow --id=245 --generator=fixed",
	"stream stats --id=245 --live --json",
	"stream stats --id=245 --time=5s",
	"stream set --id=245 --pack-events=7",
	"stream set --id=245 --stream=main --clocked --waiting",
	"stream set --id=245 --stream=main --pack-bytes=8Gi",
	"stream set --id=245 --stream=main --policy=perhaps",
	"fragment stats --id=245 --percent=5",
	"fragment run --id=245 --page=0",
	"fragment run --id=245 --page=512",
	"fragment run --id=245 --page=3000",
	"fragment run --id=245 --page=128Ki",
	"fragment run --id=245 --page=4Gi",
	"fragment run --id=245 --host-page=1Ki",
	"fragment run --id=245 --host-page=3000",
	"fragment run --id=245 --host-page=128Ki",
	"fragment run --id=245 --host-page=4Gi",
	"fragment run --id=245 --page=8Ki --host-page=4Ki",
	"fragment run --id=245 --commands=8",
	"fragment run --id=245 --commands=100",
	"fragment run --id=245 --commands=128Ki",
	"fragment run --id=245 --commands=4Gi",
	"record /tmp/roc-nowhere",
	"record --id=245",
	"record /tmp/roc-nowhere --id=245 --prefix=a/b",
	"record /tmp/roc-nowhere --id=245 --rate=5",
	"record /tmp/roc-nowhere --id=245 --superpage-size=0",
	"record /tmp/roc-nowhere --id=245 --page=512",
	"record /tmp/roc-nowhere --id=245 --page=3000",
	"record /tmp/roc-nowhere --id=245 --page=128Ki",
	"record /tmp/roc-nowhere --synthetic --buffer-size=64Ki",
	"replay",
	"replay /tmp/roc-nowhere --rate=fast",
	"replay /tmp/roc-nowhere --timeframe-length=4096",
	"send localhost",
	"send --id=245",
	"send localhost --id=245 --synthetic",
	"send localhost --id=245 --connections=33",
	"send localhost --synthetic --silence=0",
	"recv --connections=0",
	"recv --bind=127.0.0.1 --port=0 --silence=0",
	"recv --bind=127.0.0.1 --port=0 --record=/tmp/roc-nowhere/x --prefix=../x",
	"recv --timeframe-length=0",
	"recv stray",
	"recv --prefix=x",
	"recv --buffered",
	"evb",
	"evb frobnicate",
	"evb node",
	"evb node --coordinator=static:/tmp/roc-nowhere",
	"evb node --name=a/b --coordinator=static:/tmp/roc-nowhere",
	"evb watch",
	"evb check",
	"evb plan",
	"evb plan --nodes=4",
	"evb plan --nodes=4 --fragment=1Ki --sink=count",
	"evb plan --nodes=4 --builders=3 --fragment=1Ki",
	"evb plan --nodes=4 --fragment=1Ki --link-rate=fast",
	"evb plan --nodes=4 --fragment=1Ki --share=2",
	"gpu-src --source=fpga",
	"gpu-src --source=cpu --record-min=2M --record-max=1M",
	"gpu-src --source=cpu --record-max=100001",
	"gpu-src --source=cpu --streams=33",
	"gpu-src --source=cpu --cpus=none",
};

/* Not a valid form of an id. */
static const char *const ids[] = {"zz", "1:2:3", "#x", "3b:00.9", "245:x", "''"};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static char out[32768];

/* Run a tool. Return its exit code; @out has its output. */
static int run(const char *tool, const char *arguments)
{
	char command[512];
	size_t length;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "timeout 20 \"$ROC_TOOL\" %s %s 2>&1 < /dev/null", tool,
		 arguments);
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(out, 1, sizeof(out) - 1, pipe);
	out[length] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ends(int code, const char *message, const char *tool, const char *arguments)
{
	int got = run(tool, arguments);

	if (got != code || !strstr(out, message))
		unit_note("%s %s: exit %d: %.300s", tool, arguments, got, out);
	UNIT_EQ(got, code);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, message));
}

static bool takes_id(const char *name)
{
	const struct tool *t = tool_find(name);
	size_t i;

	for (i = 0; i < t->option_count; i++)
		if (!strcmp(t->options[i].name, "id"))
			return true;
	return false;
}

/* Some tools with arguments need neither driver nor card; they lack something else. */
static const struct {
	const char *tool, *message;
} without_card[] = {
	{"ros-load", "Check that roc-rosd runs there."},
	{"gpu-src", "--source=cpu"},
};

static const char *lacks(size_t i, const char *message)
{
	size_t k;

	for (k = 0; k < N(without_card); k++) {
		if (!strcmp(without_card[k].tool, good[i].tool))
			return without_card[k].message;
	}
	return good[i].arguments[0] && !takes_id(good[i].tool) ? "/tmp/roc-nowhere" : message;
}

static void all_tools(void)
{
	const struct tool *const *t;
	size_t i, count = 0;

	for (t = tools; *t; t++, count++) {
		for (i = 0; i < N(good) && strcmp(good[i].tool, (*t)->name); i++)
			;
		if (i == N(good))
			unit_note("roc-%s is not in the table", (*t)->name);
		CU_ASSERT_TRUE(i < N(good));
	}
	UNIT_EQ(count, N(good));
}

static void no_module(void)
{
	size_t i;

	if (!fresh_sysfs())
		return;
	rmdir("/sys/class/roc");
	for (i = 0; i < N(good); i++)
		ends(TOOL_FAILED, lacks(i, "modprobe roc"), good[i].tool, good[i].arguments);
	ends(TOOL_FAILED, "modprobe roc", "metrics", "");
	ends(TOOL_FAILED, "modprobe roc", "metrics", "--prometheus");
	ends(TOOL_FAILED, "modprobe roc", "list-cards", "--json");
	ends(TOOL_FAILED, "modprobe roc", "fw-check", "--json");
	ends(TOOL_FAILED, "modprobe roc", "config", "--config-all --from-card");
	ends(TOOL_FAILED, "modprobe roc", "node-check", "--json");
	ends(TOOL_FAILED, "FAIL: driver, cards", "node-check", "--strict");
	ends(TOOL_FAILED, "modprobe roc", "node-check", "--find-latency --id=245");
	ends(TOOL_FAILED, "has no directory sys", "node-check", "--root=/nowhere");
	ends(TOOL_FAILED, "is not a directory", "node-check", "--root=/proc/self/status");
	ends(TOOL_FAILED, "cannot be read", "node-check", "--limits=/nowhere");
	ends(TOOL_FAILED, "not JSON", "node-check", "--limits=/proc/self/status");
}

static void no_card(void)
{
	size_t i;

	if (!fresh_sysfs())
		return;
	for (i = 0; i < N(good); i++)
		ends(TOOL_FAILED, lacks(i, "lspci"), good[i].tool, good[i].arguments);
	ends(TOOL_FAILED, "lspci", "metrics", "");
	ends(TOOL_FAILED, "lspci", "config", "--config-all --from-card");
	/* The largest values, and those that the card chooses. */
	ends(TOOL_FAILED, "lspci", "fragment",
	     "run --id=245 --page=64Ki --host-page=0 --commands=0");
	ends(TOOL_FAILED, "lspci", "fragment",
	     "run --id=245 --page=64Ki --host-page=64Ki --commands=64Ki");
	ends(TOOL_FAILED, "lspci", "stream", "follow --id=245 --ring=64Gi");
}

/* There are cards, but not this one. */
static void another_card(void)
{
	size_t i;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "246", "0");
	for (i = 0; i < N(good); i++) {
		if (takes_id(good[i].tool))
			ends(TOOL_FAILED, "246:0", good[i].tool, good[i].arguments);
	}
	ends(TOOL_OK, "0246", "list-cards", "");
}

static void wrong_usage(void)
{
	char arguments[256];
	size_t i;

	if (!fresh_sysfs())
		return;
	for (i = 0; i < N(usage); i++)
		ends(TOOL_USAGE, "roc", usage[i], "");
	for (i = 0; i < N(good); i++) {
		snprintf(arguments, sizeof(arguments), "%s --frobnicate", good[i].arguments);
		ends(TOOL_USAGE, "Unknown option --frobnicate", good[i].tool, arguments);
	}
}

static void wrong_ids(void)
{
	char arguments[256];
	const char *rest;
	size_t i;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	for (i = 0; i < N(good); i++) {
		rest = strstr(good[i].arguments, "--id=245");
		if (!rest)
			continue;
		snprintf(arguments, sizeof(arguments), "--id=%s%s", ids[i % N(ids)],
			 rest + strlen("--id=245"));
		ends(TOOL_USAGE, "--id", good[i].tool, arguments);
	}
}

/* Start the tool with the descriptors of mask @closed closed, stopped at its exit. */
static pid_t start_closed(unsigned int closed, const char *tool, const char *arguments)
{
	char text[256], *rest = text, *argv[32] = {(char *)"roc", (char *)tool};
	int fd, n = 2;
	pid_t pid;

	snprintf(text, sizeof(text), "%s", arguments);
	while ((argv[n] = strsep(&rest, " ")))
		n += argv[n][0] != '\0';
	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	alarm(20);
	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (dup2(open("/dev/zero", O_RDWR | O_CLOEXEC), fd) < 0)
			_exit(127);
	}
	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		if (closed & 1u << fd)
			close(fd);
	}
	if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		execv(getenv("ROC_TOOL"), argv);
	_exit(127);
}

/*
 * The tool leaves descriptors 0 to 2 on /dev/null: nothing else has taken the place of a closed
 * one.
 */
static void leaves_null(pid_t pid, unsigned int closed, const char *tool)
{
	char link[64], target[64];
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
		memset(target, 0, sizeof(target));
		if (readlink(link, target, sizeof(target) - 1) < 0)
			snprintf(target, sizeof(target), "nothing");
		if (strcmp(target, closed & 1u << fd ? "/dev/null" : "/dev/zero"))
			unit_note("%s: descriptor %d is %s, closed were 0x%x", tool, fd, target,
				  closed);
		UNIT_STR(target, closed & 1u << fd ? "/dev/null" : "/dev/zero");
	}
}

static void closed_for(unsigned int closed, const char *tool, const char *arguments)
{
	pid_t pid = start_closed(closed, tool, arguments);
	bool stopped = false;
	int status, signal;

	UNIT_NEED(pid > 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (status >> 16 == PTRACE_EVENT_EXIT) {
			leaves_null(pid, closed, tool);
			stopped = true;
		}
		ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
		ptrace(PTRACE_CONT, pid, NULL, signal);
	}
	if (!stopped)
		unit_note("%s was not stopped at its exit", tool);
	CU_ASSERT_TRUE(stopped);
}

/* A socket or file that became descriptor 1 or 2 would get the messages of the tool. */
static void closed_descriptors(void)
{
	unsigned int closed;
	size_t i;

	if (!fresh_sysfs())
		return;
	for (i = 0; i < N(good); i++) {
		for (closed = 1; closed < 8; closed++)
			closed_for(closed, good[i].tool, good[i].arguments);
	}
}

UNIT_MAIN("exit codes of all tools", {"every tool is in the table", all_tools},
	  {"without the module", no_module}, {"without a card", no_card},
	  {"another card", another_card}, {"wrong usage", wrong_usage}, {"invalid ids", wrong_ids},
	  {"descriptors 0 to 2 closed", closed_descriptors})
