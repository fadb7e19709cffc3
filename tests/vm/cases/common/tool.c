// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands and what they say. See tool.h.
 */
#include "case.h"

char out[262144];

int tool_run(int code)
{
	const char *bad = json_bad_key(out);

	if (bad)
		unit_note("no camelCase in JSON: \"%.60s", bad);
	CU_ASSERT_PTR_NULL(bad);
	return code;
}

bool tool_says(const char *text)
{
	if (strstr(out, text))
		return true;
	unit_note("\"%s\" is not in: %.1500s", text, out);
	return false;
}

const char *until_running(const char *id, int channel)
{
	static char text[160];

	snprintf(text, sizeof(text),
		 "until grep -q running /sys/class/roc/%s/state; do sleep 0.1; done",
		 node_path(id, channel) + strlen("/dev/"));
	return text;
}

void ends(int code, const char *command)
{
	int got = RUN("%s", command);

	if (got != code)
		unit_note("%s: exit %d: %.1000s", command, got, out);
	UNIT_EQ(got, code);
}

void tool_enter(const char *directory)
{
	UNIT_EQ(RUN("rm -rf %s && mkdir -m 700 %s", directory, directory), 0);
	UNIT_NEED(!chdir(directory));
}
