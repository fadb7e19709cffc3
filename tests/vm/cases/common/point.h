/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holding somebody up inside the module, so that a test forces an order of events:
 * kmod/core/points.h. Only in a guest that was started with --points.
 */
#ifndef CASE_POINT_H
#define CASE_POINT_H

#include <stdbool.h>

/* Does this guest's module have points? */
bool points_there(void);

/*
 * Whoever comes to this point of endpoint @id (NULL: of any) is held until it is let go, 20 s at
 * most, on a slow machine longer.
 */
void point_hold(const char *name, const char *id);
/* Nobody is held, and point_hits() counts those of @id from now on. */
void point_watch(const char *name, const char *id);
/* Is somebody held there, within @ms? */
bool point_reached(const char *name, unsigned int ms);
/* Is somebody held there now? */
bool point_holds(const char *name);
void point_release(const char *name);
void points_release(void); /* all of them */

/* The next @count who come there fail, if the point is of a kind that can. */
void point_fail(const char *name, unsigned int count);

/* How many came since the module was loaded; with point_hold() those of that endpoint. */
unsigned int point_hits(const char *name);

#endif /* CASE_POINT_H */
