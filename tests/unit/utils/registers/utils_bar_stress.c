// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-bar-stress with a register in memory: the linker replaces the card. The child processes
 * end with their parent, however it ends.
 */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <roc/roc.h>

#include "child.h"

#include "utils/tools.h"

#define LENGTH 4096
#define VALUE 0x5a5au

static uint32_t *reg; /* shared by the tool's processes and the test */

int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map);
void __wrap_roc_bar_unmap(struct roc_bar *map);
int __wrap_roc_reg_read(struct roc_endpoint *ep, unsigned int bar, uint32_t offset,
			uint32_t *value);

static int answer; /* result of a register read through the driver: 0 or -errno */

int __wrap_roc_reg_read(struct roc_endpoint *ep, unsigned int bar, uint32_t offset, uint32_t *value)
{
	return answer;
}

int __wrap_roc_find(const char *id, struct roc_card *card)
{
	*card = (struct roc_card){.type = ROC_CARD_CRU, .pci_address = "0000:3b:00.0"};
	return 0;
}

int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep)
{
	*ep = NULL;
	return 0;
}

void __wrap_roc_close(struct roc_endpoint *ep)
{
}

int __wrap_roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map)
{
	*map = (struct roc_bar){.regs = reg, .length = LENGTH, .writable = write};
	return 0;
}

void __wrap_roc_bar_unmap(struct roc_bar *map)
{
}

static int stress(void)
{
	const struct tool *tool = tool_find("bar-stress");
	char *argv[] = {"roc-bar-stress", "--id=1001", "--channel=2",	"--address=0x0",
			"--value=0x5a5a", "--time=1h", "--processes=3", NULL};
	void *values = calloc(1, tool->values_size);
	char reason[256];

	if (!values || options_parse(tool, 7, argv, values, reason, sizeof(reason)) != OPTIONS_RUN)
		return TOOL_USAGE;
	return tool->run(values);
}

/* SIGKILL, as sent by kill -9 or by the OOM killer. */
static void killed(void)
{
	struct pollfd end = {.events = POLLIN};
	int ends[2], status = 0;
	pid_t pid;

	reg = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(reg != MAP_FAILED && !pipe(ends));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(ends[0]);
		_exit(stress());
	}
	UNIT_NEED(pid > 0);
	setpgid(pid, pid);
	close(ends[1]);
	/* All processes have started. */
	CU_ASSERT(UNIT_WAIT(*(volatile uint32_t *)reg == VALUE, 10000));
	UNIT_EQ(kill(pid, SIGKILL), 0);
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFSIGNALED(status));
	/* The pipe closes with the last process that has it. */
	end.fd = ends[0];
	CU_ASSERT(UNIT_WAIT(poll(&end, 1, 0) == 1 && end.revents & POLLHUP, 10000));
	kill(-pid, SIGKILL);
	close(ends[0]);
	munmap(reg, LENGTH);
}

static pid_t first_child(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	UNIT_NEED(f);
	if (fscanf(f, "%d", &child) != 1)
		child = 0;
	fclose(f);
	return child;
}

/* Started with SIGCHLD ignored, the tool still detects that one of its processes was killed. */
static void no_status(void)
{
	char text[512];
	pid_t pid, child;
	int ends[2];

	reg = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNIT_NEED(reg != MAP_FAILED);
	pid = child_begin(ends);
	if (!pid) {
		setpgid(0, 0);
		signal(SIGCHLD, SIG_IGN);
		dup2(ends[1], STDERR_FILENO);
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		_exit(stress());
	}
	setpgid(pid, pid);
	CU_ASSERT(UNIT_WAIT(*(volatile uint32_t *)reg == VALUE, 10000));
	child = first_child(pid);
	UNIT_NEED(child > 0);
	UNIT_EQ(kill(child, SIGKILL), 0);
	/* The others run until the signal. */
	CU_ASSERT(UNIT_WAIT(first_child(pid) != child, 10000));
	UNIT_EQ(kill(pid, SIGTERM), 0);
	CU_ASSERT(WIFEXITED(child_output(pid, ends, text, sizeof(text))));
	/* Only the killed one is reported. */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Process 0: "));
	CU_ASSERT_PTR_NULL(strstr(text, "Process 1: "));
	munmap(reg, LENGTH);
}

/* A store to a page without memory: the report depends on whether the card responds. */
static void bus_error(const char *reason)
{
	int ends[2];
	char text[2048];
	pid_t pid;

	pid = child_begin(ends);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		_exit(stress());
	}
	UNIT_EQ(WEXITSTATUS(child_output(pid, ends, text, sizeof(text))), TOOL_FAILED);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, reason));
}

static void bus_errors(void)
{
	FILE *f = tmpfile();

	UNIT_NEED(f);
	reg = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
	UNIT_NEED(reg != MAP_FAILED);
	bus_error(
		"register 0x0 of BAR 2 cannot be written through a mapping, because its page has a protected register: use roc-reg-write");
	answer = -ENODEV;
	bus_error("does not respond");
	answer = 0;
	munmap(reg, LENGTH);
	fclose(f);
}

UNIT_MAIN("bar stress", {"a store raises SIGBUS", bus_errors},
	  {"killed tool ends its processes", killed}, {"SIGCHLD is ignored", no_status})
