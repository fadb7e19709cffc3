// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open the source of --source and the sink of --sink.
 */
#include <errno.h>
#include <string.h>

#include "sink.h"
#include "source.h"
#include "text.h"

static const struct {
	const char *kind;
	int (*open)(const char *values, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON]);
} sources[] = {
	{"synthetic", evb_source_synthetic},
	{"card", evb_source_card},
	{"recording", evb_source_recording},
	{"cpu", evb_source_cpu},
	{"gpu", evb_source_gpu},
};

const char *evb_source_kinds(void)
{
	return "synthetic, card, recording, cpu, gpu";
}

int evb_source_open(const char *text, const char *name, struct evb_source *source,
		    char reason[UNITS_REASON])
{
	const char *values;
	size_t i;

	memset(source, 0, sizeof(*source));
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (evb_text_is(text, sources[i].kind, &values))
			return sources[i].open(values, name, source, reason);
	}
	return units_fail(reason, EINVAL, "Unknown source \"%s\": valid are %s.", text,
			  evb_source_kinds());
}

void evb_source_close(struct evb_source *source)
{
	if (source->close)
		source->close(source->self);
	memset(source, 0, sizeof(*source));
}

static const struct {
	const char *kind;
	int (*open)(const char *values, const char *name, struct evb_sink *sink,
		    char reason[UNITS_REASON]);
} sinks[] = {
	{"check", evb_sink_check}, {"count", evb_sink_count},	  {"file", evb_sink_file},
	{"shm", evb_sink_shm},	   {"forward", evb_sink_forward},
};

const char *evb_sink_kinds(void)
{
	return "check, count, file, shm, forward";
}

int evb_sink_open(const char *text, const char *name, struct evb_sink *sink,
		  char reason[UNITS_REASON])
{
	const char *values;
	size_t i;

	memset(sink, 0, sizeof(*sink));
	for (i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		if (evb_text_is(text, sinks[i].kind, &values))
			return sinks[i].open(values, name, sink, reason);
	}
	return units_fail(reason, EINVAL, "Unknown sink \"%s\": valid are %s.", text,
			  evb_sink_kinds());
}

void evb_sink_close(struct evb_sink *sink)
{
	if (sink->close)
		sink->close(sink->self);
	memset(sink, 0, sizeof(*sink));
}
