// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The action check: check the files that a sink file wrote.
 */
#include <inttypes.h>

#include "evb_options.h"
#include "sink.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

static void show(const struct evb_sink_counters *b, bool as_json)
{
	const struct {
		const char *key, *name;
		uint64_t value;
	} figures[] = {
		{"files", "Files", b->files},
		{"blocks", "Blocks", b->blocks},
		{"incomplete", "Incomplete", b->incomplete},
		{"missing", "Missing sources", b->missing},
		{"damaged", "Damaged", b->damaged},
		{"events", "Events", b->events},
		{"fragments", "Fragments", b->fragments},
		{"bytes", "Bytes", b->bytes},
		{"unknown", "Cannot be checked", b->unknown},
		{"errors", "Errors", b->errors},
	};
	struct json j;
	size_t i;

	if (as_json) {
		json_start(&j, stdout);
		json_object(&j, NULL);
	}
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (as_json)
			json_unsigned(&j, figures[i].key, figures[i].value);
		else
			printf("  %-20s%" PRIu64 "\n", figures[i].name, figures[i].value);
	}
	if (as_json)
		json_object_end(&j);
}

int evb_check(const struct evb_options *o)
{
	struct evb_sink_counters b = {0};
	char reason[UNITS_REASON] = "";
	int ret;

	if (!o->path)
		return tool_usage(
			"--path is missing: set it to a file that --sink=file wrote, or to a directory of such files.");
	ret = evb_check_files(o->path, &b, reason);
	show(&b, o->json);
	if (ret)
		return tool_fail("%s", reason);
	if (b.errors)
		return tool_fail("The data have %" PRIu64 " errors. The first: %s", b.errors,
				 b.wrong);
	if (o->complete && b.incomplete)
		return tool_fail("%" PRIu64 " of %" PRIu64 " blocks are incomplete.", b.incomplete,
				 b.blocks);
	return TOOL_OK;
}
