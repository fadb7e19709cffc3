// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run tools and check their output. See tool.h.
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

bool tool_printed(const char *text)
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

void refuses(int code, const char *sentence, const char *command)
{
	ends(code, command);
	OUTPUT_HAS(sentence);
}

void prints(const char *command, const char *sentence)
{
	refuses(0, sentence, command);
}

void prints_json(const char *command)
{
	ends(0, command);
	CU_ASSERT(json_valid(out));
}

void second_reader_fails(const struct two_readers *r)
{
	unsigned int i;

	UNIT_EQ(RUN("%s --json > first & pid=$!; %s; %s; code=$?; %s --json | grep ownerPid; kill -TERM $pid; wait $pid || code=99; exit $code",
		    r->first, until_running(r->id, 0), r->second, r->stats),
		1);
	for (i = 0; i < N(r->expected); i++)
		OUTPUT_HAS(r->expected[i]);
	OUTPUT_HAS("\"ownerPid\": ");
	ends(0, "cat first");
	CU_ASSERT(json_is(json_get(out, "end"), "signal"));
	UNIT_EQ(json_number(json_get(out, "errors")), 0);
}

void tool_enter(const char *directory)
{
	UNIT_EQ(RUN("rm -rf %s && mkdir -m 700 %s", directory, directory), 0);
	UNIT_NEED(!chdir(directory));
}
