// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-bar-stress over a register that is memory: the linker puts a card of ours in its place. Its
 * processes end with the one that started them, however that ends.
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

#include "utils/tools.h"

#define LENGTH 4096
#define VALUE 0x5a5au

static uint32_t *reg; /* of the tool's processes and of ours */

int __wrap_roc_find(const char *id, struct roc_card *card);
int __wrap_roc_open_card(const struct roc_card *card, const char *id, struct roc_endpoint **ep);
void __wrap_roc_close(struct roc_endpoint *ep);
int __wrap_roc_bar_map(struct roc_endpoint *ep, unsigned int bar, bool write, struct roc_bar *map);
void __wrap_roc_bar_unmap(struct roc_bar *map);

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
	char why[256];

	if (!values || options_parse(tool, 7, argv, values, why, sizeof(why)) != OPTIONS_RUN)
		return TOOL_USAGE;
	return tool->run(values);
}

/* kill -9, or the killer that the kernel sends when memory is short. */
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
	/* They begin together: all are there. */
	CU_ASSERT(UNIT_WAIT(*(volatile uint32_t *)reg == VALUE, 10000));
	UNIT_EQ(kill(pid, SIGKILL), 0);
	UNIT_EQ(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFSIGNALED(status));
	/* The pipe ends with the last who has it. */
	end.fd = ends[0];
	CU_ASSERT(UNIT_WAIT(poll(&end, 1, 0) == 1 && end.revents & POLLHUP, 10000));
	kill(-pid, SIGKILL);
	close(ends[0]);
	munmap(reg, LENGTH);
}

UNIT_MAIN("bar stress", {"killed, its processes end", killed})
