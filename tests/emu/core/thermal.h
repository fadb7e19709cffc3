/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temperature of a card that gets warmer (or cooler) at a constant rate, up to the value that its
 * air flow keeps. The temperature is a function of time alone. Above its cut the card switches its
 * power off.
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
	int64_t slope; /* per second; 0: constant, the other members are unused */
	int64_t from, to;
	uint64_t since; /* ns */
	int64_t cut;	/* THERMAL_NEVER: no cut */
};

/* "SLOPE@DEGREES" applies from @now on; "0": constant. Returns 0, or -1 and a sentence in @err. */
int thermal_set_slope(struct thermal *t, const char *text, int64_t from, uint64_t now, char *err);
void thermal_get_slope(const struct thermal *t, char *text, size_t size);
/* Degrees, or "none". */
int thermal_set_cut(struct thermal *t, const char *text, char *err);
void thermal_get_cut(const struct thermal *t, char *text, size_t size);
/* Present temperature of a card with a slope. */
int64_t thermal_now(const struct thermal *t, uint64_t now);

#endif /* EMU_THERMAL_H */
