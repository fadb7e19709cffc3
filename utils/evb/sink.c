// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of sinks.
 */
#include "sink.h"

#include <errno.h>
#include <string.h>

#include "text.h"

static const struct {
	const char *kind;
	int (*open)(const char *values, const char *name, struct evb_sink *sink,
		    char why[UNITS_WHY]);
} kinds[] = {
	{"check", evb_sink_check}, {"count", evb_sink_count},	  {"file", evb_sink_file},
	{"shm", evb_sink_shm},	   {"forward", evb_sink_forward},
};

const char *evb_sink_kinds(void)
{
	return "check, count, file, shm, forward";
}

int evb_sink_open(const char *text, const char *name, struct evb_sink *sink, char why[UNITS_WHY])
{
	const char *values;
	size_t i;

	memset(sink, 0, sizeof(*sink));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (evb_text_is(text, kinds[i].kind, &values))
			return kinds[i].open(values, name, sink, why);
	}
	return units_fail(why, EINVAL, "There is no sink \"%s\": known are %s.", text,
			  evb_sink_kinds());
}

void evb_sink_close(struct evb_sink *sink)
{
	if (sink->close)
		sink->close(sink->self);
	memset(sink, 0, sizeof(*sink));
}
