/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stop a thread at a point in the module (kmod/core/points.h), so that a test forces an order of
 * events. Only in a guest that was started with --points.
 */
#ifndef CASE_POINT_H
#define CASE_POINT_H

#include <stdbool.h>

/* True if this guest's module has points. */
bool points_there(void);

/*
 * Hold each thread that reaches this point of endpoint @id (NULL: of any) until its release, 20 s
 * at most, longer on a slow machine.
 */
void point_hold(const char *name, const char *id);
/* Hold no thread; point_hits() counts those of @id from now on. */
void point_watch(const char *name, const char *id);
/* True if a thread is held there within @ms. */
bool point_reached(const char *name, unsigned int ms);
/* True if a thread is held there now. */
bool point_holds(const char *name);
void point_release(const char *name);
void points_release(void); /* release all points */

/* Let the next @count passes fail, if the point can inject failures. */
void point_fail(const char *name, unsigned int count);

/* Passes since the module was loaded; after point_hold() those of that endpoint. */
unsigned int point_hits(const char *name);

#endif /* CASE_POINT_H */
