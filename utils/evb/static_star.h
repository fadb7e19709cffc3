/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: the manager's end of static:FILE: all nodes come to it, and hear who else is there and
 * which table holds.
 *
 * Lines of a node:	{"join": member, "system": NAME, "version": 1, "have": table}
 *			{"watch": true, "system": NAME, "version": 1}, of who only looks
 *			{"report": report}, {"status": line}, {"beat": true}
 * Lines to a node:	{"welcome": true, "manager": NAME}
 *			{"refused": sentence, "taken": bool}, and the connection ends
 *			{"members": [member, ...]}, {"table": table}, {"beat": true}
 *			{"node": NAME, "status": line}, to who only looks
 */
#ifndef ROC_UTILS_EVB_STATIC_STAR_H
#define ROC_UTILS_EVB_STATIC_STAR_H

#include <roc/idle.h>

#include "manage.h"
#include "static_file.h"

#define STAR_VERSION 1

struct star;

/* @times: of the manager. NULL and a sentence: the port is in use, or there is no memory. */
struct star *star_open(const struct evb_static_file *file,
		       const struct roc_evb_manager_config *times,
		       void (*say)(void *self, const char *sentence), void *say_self,
		       char why[ROC_EVB_WHY]);
void star_turn(struct star *s, uint64_t now);
void star_idle(const struct star *s, struct roc_idle *idle);
void star_close(struct star *s);
const struct manage *star_manage(const struct star *s);

#endif
