// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of sources.
 */
#include "source.h"

#include <errno.h>
#include <string.h>

#include "text.h"

static const struct {
	const char *kind;
	int (*open)(const char *values, const char *name, struct evb_source *source,
		    char why[UNITS_WHY]);
} kinds[] = {
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
		    char why[UNITS_WHY])
{
	const char *values;
	size_t i;

	memset(source, 0, sizeof(*source));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (evb_text_is(text, kinds[i].kind, &values))
			return kinds[i].open(values, name, source, why);
	}
	return units_fail(why, EINVAL, "There is no source \"%s\": known are %s.", text,
			  evb_source_kinds());
}

void evb_source_close(struct evb_source *source)
{
	if (source->close)
		source->close(source->self);
	memset(source, 0, sizeof(*source));
}
