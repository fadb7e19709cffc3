// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node's line, as a watcher reads it.
 */
#include "watch_line.h"

#include <json-c/json.h>
#include <string.h>

/* As in "sourceIn" "bytesPerSecond"; whatever is no number is 0. */
static uint64_t number(struct json_object *o, const char *a, const char *b)
{
	struct json_object *v = json_object_object_get(o, a);

	if (b)
		v = json_object_is_type(v, json_type_object) ? json_object_object_get(v, b) : NULL;
	return json_object_is_type(v, json_type_int) ? json_object_get_uint64(v) : 0;
}

bool watch_line_read(const char *text, struct watch_line *line)
{
	struct json_object *o = json_tokener_parse(text);
	bool good = json_object_is_type(o, json_type_object);

	memset(line, 0, sizeof(*line));
	if (good)
		*line = (struct watch_line){
			.time = number(o, "time", NULL),
			.in = number(o, "sourceIn", "bytesPerSecond"),
			.sent = number(o, "sent", "bytesPerSecond"),
			.received = number(o, "received", "bytesPerSecond"),
			.out = number(o, "sinkOut", "bytesPerSecond"),
			.blocks = number(o, "sinkOut", "countPerSecond"),
			.p99_ns = number(o, "latency", "p99Ns"),
			.queue = number(o, "queue", NULL),
			.open_blocks = number(o, "openBlocks", NULL),
			.free_segments = number(o, "freeSegments", NULL),
			.all_segments = number(o, "allSegments", NULL),
			.incomplete = number(o, "incomplete", NULL),
			.dropped = number(o, "dropped", NULL),
		};
	json_object_put(o);
	return good;
}
