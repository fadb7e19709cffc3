/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that gets warmer: from where it is by so many degrees per second up (or down) to where its
 * flow of air holds it. What it is at a moment is a function of time alone. Above its cut it has no
 * power any more.
 *
 * Temperatures are in 1/1000 degC. Set under the locks of all functions; read under any.
 */
#ifndef EMU_THERMAL_H
#define EMU_THERMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THERMAL_NEVER INT64_MAX

struct thermal {
	int64_t slope; /* per second; 0: it stands still, and the rest says nothing */
	int64_t from, to;
	uint64_t since; /* ns */
	int64_t cut;	/* THERMAL_NEVER: it has none */
};

/* "SLOPE@DEGREES" from @now on; "0": it stands still. -1 and a sentence in @err. */
int thermal_set_slope(struct thermal *t, const char *text, int64_t from, uint64_t now, char *err);
void thermal_get_slope(const struct thermal *t, char *text, size_t size);
/* Degrees, or "none". */
int thermal_set_cut(struct thermal *t, const char *text, char *err);
void thermal_get_cut(const struct thermal *t, char *text, size_t size);
/* Of one with a slope. */
int64_t thermal_now(const struct thermal *t, uint64_t now);

#endif /* EMU_THERMAL_H */
