// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Temperature over time. See thermal.h.
 */
#include "thermal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"

#define SLOPE_MAX 1000 /* degrees per second */
#define LOWEST -264    /* as the register has it */
#define HIGHEST 427

/* Parse a temperature in 1/1000 degC within the bounds; *@end is the first character after it. */
static bool number(const char *text, char **end, double low, double high, int64_t *value)
{
	double d = strtod(text, end);

	if (*end == text || !(d >= low && d <= high))
		return false;
	*value = (int64_t)(d * 1000 + (d < 0 ? -0.5 : 0.5));
	return true;
}

int thermal_set_slope(struct thermal *t, const char *text, int64_t from, uint64_t now, char *err)
{
	int64_t slope, to;
	char *end;

	if (!strcmp(text, "0")) {
		t->slope = 0;
		return 0;
	}
	if (!number(text, &end, 0.001, SLOPE_MAX, &slope) || *end != '@' ||
	    !number(end + 1, &end, LOWEST, HIGHEST, &to) || *end) {
		snprintf(
			err, CARD_ERR,
			"'%.40s' is not SLOPE@DEGREES, as 0.5@68: up to %d degrees per second, from %d to %d degrees; or 0",
			text, SLOPE_MAX, LOWEST, HIGHEST);
		return -1;
	}
	*t = (struct thermal){.slope = slope, .from = from, .to = to, .since = now, .cut = t->cut};
	return 0;
}

void thermal_get_slope(const struct thermal *t, char *text, size_t size)
{
	if (t->slope)
		snprintf(text, size, "%g@%g", t->slope / 1000.0, t->to / 1000.0);
	else
		snprintf(text, size, "0");
}

int thermal_set_cut(struct thermal *t, const char *text, char *err)
{
	int64_t cut;
	char *end;

	if (!strcmp(text, "none")) {
		t->cut = THERMAL_NEVER;
		return 0;
	}
	if (!number(text, &end, LOWEST, HIGHEST, &cut) || *end) {
		snprintf(err, CARD_ERR, "'%.40s' is not a temperature from %d to %d or none", text,
			 LOWEST, HIGHEST);
		return -1;
	}
	t->cut = cut;
	return 0;
}

void thermal_get_cut(const struct thermal *t, char *text, size_t size)
{
	if (t->cut == THERMAL_NEVER)
		snprintf(text, size, "none");
	else
		snprintf(text, size, "%g", t->cut / 1000.0);
}

int64_t thermal_now(const struct thermal *t, uint64_t now)
{
	double seconds = now > t->since ? (now - t->since) / 1e9 : 0;
	double went = seconds * t->slope, way = llabs(t->to - t->from);

	return t->from + (t->to < t->from ? -1 : 1) * (int64_t)(went < way ? went : way);
}
