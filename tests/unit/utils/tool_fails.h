/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a tool in a child of the test with simulated peers, and expect that it fails.
 */
#ifndef UNIT_TOOL_FAILS_H
#define UNIT_TOOL_FAILS_H

#include "tests/unit/child.h"
#include "utils/common/options.h"
#include "utils/common/tool.h"
#include "utils/tools.h"

/* Return the messages on stderr, valid until the next call; @argv ends with NULL. */
static inline const char *tool_fails(const char *name, char *argv[])
{
	const struct tool *tool = tool_find(name);
	void *values = calloc(1, tool->values_size);
	int ends[2], status, argc = 0;
	static char text[1024];
	char reason[256] = "";
	pid_t pid;

	while (argv[argc])
		argc++;
	UNIT_EQ(values && !pipe(ends), true);
	UNIT_EQ(options_parse(tool, argc, argv, values, reason, sizeof(reason)), OPTIONS_RUN);
	UNIT_STR(reason, "");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(100);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		_exit(tool->run(values));
	}
	status = child_output(pid, ends, text, sizeof(text));
	UNIT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, TOOL_FAILED);
	free(values);
	return text;
}

#endif
