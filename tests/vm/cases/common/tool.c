// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands and what they say. See tool.h.
 */
#include "case.h"

#include <sys/stat.h>

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

void ends(int code, const char *command)
{
	int got = RUN("%s", command);

	if (got != code)
		unit_note("%s: exit %d: %.1000s", command, got, out);
	UNIT_EQ(got, code);
}

void tool_enter(const char *directory)
{
	CU_ASSERT(!mkdir(directory, 0700) || errno == EEXIST);
	UNIT_NEED(!chdir(directory));
}
