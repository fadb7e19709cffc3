// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dispatch `roc TOOL ...`, or a link roc-TOOL to this binary, to the tool.
 */
#include <roc/roc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "utils/common/files.h"
#include "utils/common/tool.h"

static void list_tools(FILE *out)
{
	const struct tool *const *t;

	fprintf(out, "roc: tools for PCIe readout cards.\n\n"
		     "Usage: roc TOOL [OPTION]..., or roc-TOOL [OPTION]...\n\nTools:\n");
	for (t = tools; *t; t++)
		fprintf(out, "  %-16s%s\n", (*t)->name, (*t)->summary);
	fprintf(out,
		"\nRun roc TOOL --help for the options of a tool and roc --version for the version.\n");
}

static int run_tool(const struct tool *tool, int argc, char **argv)
{
	char reason[512];
	void *values;
	int code, written;

	tool_set_name(tool->name);
	values = calloc(1, tool->values_size);
	if (!values)
		return tool_fail("Cannot allocate the option values.");
	switch (options_parse(tool, argc, argv, values, reason, sizeof(reason))) {
	case OPTIONS_RUN:
		code = tool->run(values);
		written = code == TOOL_OK ? tool_finish() : TOOL_OK;
		/*
		 * An interrupted run succeeded even if its report has no reader: ^C ends all of a
		 * pipeline.
		 */
		if (code == TOOL_OK && !stop_report_optional())
			code = written;
		break;
	case OPTIONS_HELP:
		options_help(tool, stdout);
		code = tool_finish();
		break;
	case OPTIONS_VERSION:
		printf("roc-%s %s\n", tool->name, roc_version());
		code = tool_finish();
		break;
	default:
		code = tool_usage("%s", reason);
		break;
	}
	free(values);
	/*
	 * Block the signals until the process ends. Exit handlers, such as libfabric's, restore the
	 * signal handlers that they found; a second signal would then kill a successful run.
	 */
	stop_block_signals(NULL);
	return code;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	const struct tool *tool;

	if (descriptors_fill())
		return tool_fail("Cannot open /dev/null for a closed standard descriptor: %s.",
				 strerror(errno));
	/*
	 * A tool checks its writes for errors, so that it can clean up: SIGXFSZ must not kill it.
	 */
	stop_not_by_files();
	if (!strncmp(name, "roc-", 4)) {
		tool = tool_find(name);
		if (tool)
			return run_tool(tool, argc, argv);
	}
	if (argc < 2) {
		list_tools(stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		list_tools(stdout);
		return tool_finish();
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("roc %s\n", roc_version());
		return tool_finish();
	}
	tool = tool_find(argv[1]);
	if (!tool)
		return tool_usage("Unknown tool \"%s\": see roc --help for the list of tools.",
				  argv[1]);
	return run_tool(tool, argc - 1, argv + 1);
}
