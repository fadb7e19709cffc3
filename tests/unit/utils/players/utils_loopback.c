// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the cleanup of roc-loopback without a card: the linker replaces functions of the library.
 * However the tool ends, it restores the links and keeps the card locked until then.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <roc/cru.h>

#include "child.h"
#include "utils/tools.h"

#define ALL_IN_ORDER "lock start clear read stop unlock close "

static int pending_signal; /* signal that arrives after the first round */
static bool locked;

int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_roc_card_lock(struct roc_endpoint *ep, int timeout_ms);
int __wrap_roc_card_unlock(struct roc_endpoint *ep);
int __wrap_roc_cru_loopback_start(struct roc_endpoint *ep, const struct roc_cru_loopback *test,
				  struct roc_cru_loopback_saved *saved);
int __wrap_roc_cru_loopback_clear(struct roc_endpoint *ep, uint32_t links);
int __wrap_roc_cru_loopback_read(struct roc_endpoint *ep, uint32_t links,
				 struct roc_cru_loopback_link *results);
int __wrap_roc_cru_loopback_stop(struct roc_endpoint *ep,
				 const struct roc_cru_loopback_saved *saved);

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
	fputs("close ", stderr);
}

int __wrap_roc_card_lock(struct roc_endpoint *ep, int timeout_ms)
{
	fputs("lock ", stderr);
	return locked ? roc_fail(EBUSY, "another process has the lock") : 0;
}

int __wrap_roc_card_unlock(struct roc_endpoint *ep)
{
	fputs("unlock ", stderr);
	return 0;
}

int __wrap_roc_cru_loopback_start(struct roc_endpoint *ep, const struct roc_cru_loopback *test,
				  struct roc_cru_loopback_saved *saved)
{
	fputs("start ", stderr);
	return 0;
}

int __wrap_roc_cru_loopback_clear(struct roc_endpoint *ep, uint32_t links)
{
	fputs("clear ", stderr);
	return 0;
}

int __wrap_roc_cru_loopback_read(struct roc_endpoint *ep, uint32_t links,
				 struct roc_cru_loopback_link *results)
{
	unsigned int l;

	fputs("read ", stderr);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		results[l] = (struct roc_cru_loopback_link){.pll_locked = true,
							    .rx_locked = true,
							    .data_layer_up = true,
							    .gbt_phy_up = true};
	if (pending_signal)
		raise(pending_signal);
	return 0;
}

int __wrap_roc_cru_loopback_stop(struct roc_endpoint *ep,
				 const struct roc_cru_loopback_saved *saved)
{
	fputs("stop ", stderr);
	return 0;
}

static int test_links(const char *count)
{
	const struct tool *tool = tool_find("loopback");
	char *argv[] = {"roc-loopback", "--id=1001", (char *)count, NULL};
	void *values = calloc(1, tool->values_size);
	char reason[256];

	if (!values || options_parse(tool, 3, argv, values, reason, sizeof(reason)) != OPTIONS_RUN)
		return TOOL_USAGE;
	return tool->run(values);
}

/*
 * Return the sequence of calls and messages until the tool ends, and its exit code; -1: ended by a
 * signal.
 */
static const char *run_tool(const char *count, int output, int *code)
{
	static char printed[512];
	int ends[2], status;
	pid_t pid;

	pid = child_begin(ends);
	if (!pid) {
		alarm(100);
		if (pending_signal)
			signal(pending_signal, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		dup2(output, STDOUT_FILENO);
		close(ends[0]);
		_exit(test_links(count));
	}
	status = child_output(pid, ends, printed, sizeof(printed));
	*code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return printed;
}

/* The card is locked from the first change of the links until they are restored. */
static void locked_throughout(void)
{
	int nowhere = open("/dev/null", O_WRONLY), code;

	UNIT_NEED(nowhere >= 0);
	UNIT_STR(run_tool("--count=1", nowhere, &code), ALL_IN_ORDER);
	UNIT_EQ(code, TOOL_OK);
	locked = true;
	UNIT_STR(run_tool("--count=1", nowhere, &code),
		 "lock roc: another process has the lock\nclose ");
	UNIT_EQ(code, TOOL_FAILED);
	locked = false;
	close(nowhere);
}

static void signals(void)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP};
	int nowhere = open("/dev/null", O_WRONLY), code;
	size_t i;

	UNIT_NEED(nowhere >= 0);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		pending_signal = all[i];
		UNIT_STR(run_tool("--count=0", nowhere, &code), ALL_IN_ORDER);
		UNIT_EQ(code, TOOL_OK);
	}
	pending_signal = 0;
	close(nowhere);
}

/* As with `| head -1`. */
static void no_reader(void)
{
	static const char begin[] = "lock start clear read roc: Cannot write the output";
	static const char end[] = "stop unlock close ";
	const char *printed;
	int ends[2], code;

	UNIT_NEED(!pipe(ends));
	close(ends[0]);
	printed = run_tool("--count=0", ends[1], &code);
	UNIT_EQ(strncmp(printed, begin, strlen(begin)), 0);
	UNIT_NEED(strlen(printed) > strlen(end));
	UNIT_STR(printed + strlen(printed) - strlen(end), end);
	UNIT_EQ(code, TOOL_FAILED);
	close(ends[1]);
}

UNIT_MAIN("loopback", {"card is locked throughout", locked_throughout}, {"signals", signals},
	  {"output has no reader", no_reader})
