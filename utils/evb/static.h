/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: the file of --coordinator static:FILE. A section for the system, and one for each node:
 *
 *	[system]
 *	name = testbed
 *	policy = barrel-shift	; round-robin, barrel-shift, random, least-loaded
 *	seed = 1		; of random
 *	readouts = 2		; readout units that the first table waits for
 *	builders = 2		; and builders
 *	lease-ms = 2000		; a node that is silent for so long is gone
 *
 *	[node1]
 *	roles = readout builder manager
 *	host = 10.0.0.1
 *	port = 9880		; where its builder unit listens; 0 or missing: any that is free
 *	manager-port = 9879	; where the manager, one of the nodes, listens
 */
#ifndef ROC_UTILS_EVB_STATIC_H
#define ROC_UTILS_EVB_STATIC_H

#include <roc/idle.h>

#include <stdbool.h>
#include <stddef.h>

#include "coordinator.h"

#define EVB_MANAGER_PORT "9879"

struct evb_static_node {
	struct roc_evb_member m;
	char manager_port[ROC_EVB_PORT];
	unsigned int line;
};

struct evb_static_file {
	char system[ROC_EVB_NAME];
	unsigned int policy;
	uint64_t seed, lease_ms;
	uint64_t readouts, builders;
	struct evb_static_node *nodes;
	unsigned int count;
	const struct evb_static_node *manager;
};

/* Read and looked at as a whole. 0, or -errno with a sentence that has file and line. */
int evb_static_read(const char *path, struct evb_static_file *f, char reason[ROC_EVB_REASON]);
void evb_static_free(struct evb_static_file *f);
/* NULL: it names no such node. */
const struct evb_static_node *evb_static_find(const struct evb_static_file *f, const char *name);

/*
 * The manager's end of static:FILE: all nodes connect to it, and hear which nodes are there and
 * which table holds.
 *
 * Lines of a node:	{"join": member, "system": NAME, "version": 1, "have": table}
 *			{"watch": true, "system": NAME, "version": 1}, of a watcher
 *			{"report": report}, {"status": line}, {"beat": true}
 * Lines to a node:	{"welcome": true, "manager": NAME}
 *			{"refused": sentence, "taken": bool}, and the connection ends
 *			{"members": [member, ...]}, {"table": table}, {"beat": true}
 *			{"node": NAME, "status": line}, to a watcher
 */

#define STAR_VERSION 1

struct star;

/* @times: of the manager. NULL and a sentence: the port is in use, or there is no memory. */
struct star *star_open(const struct evb_static_file *file,
		       const struct roc_evb_manager_config *times,
		       void (*log_fn)(void *self, const char *sentence), void *log_self,
		       char reason[ROC_EVB_REASON]);
void star_turn(struct star *s, uint64_t now);
void star_idle(const struct star *s, struct roc_idle *idle);
void star_close(struct star *s);
const struct manage *star_manage(const struct star *s);

/*
 * roc-evb: a connection on which each line is a JSON object. Nothing waits: what cannot be written
 * now is kept, up to a limit.
 */

#define LINE_MAX_BYTES (1 << 18) /* a table of all nodes there can be is half of it */

struct json_object;

struct line {
	int fd; /* -1: there is none */
	char *in, *out;
	size_t in_room, in_have, in_taken, out_room, out_have;
	int lost; /* why something could not be kept: what comes behind it is not the whole of it */
};

void line_open(struct line *l, int fd);
void line_close(struct line *l);
/* Read what is there. 0; -ECONNRESET it ended; -EMSGSIZE a line is too long; -errno. */
int line_read(struct line *l);
/*
 * The next object, the caller's to put. NULL: there is no whole line, or with @bad one that is no
 * JSON object.
 */
struct json_object *line_next(struct line *l, bool *bad);
/*
 * An object, which is put; NULL is for want of memory. 0; -ENOBUFS the other end does not read;
 * -errno. A line that cannot be kept is the last: line_flush() says so from then on.
 */
int line_send(struct line *l, struct json_object *o);
/* Text that is a whole line. */
int line_send_text(struct line *l, const char *text, size_t length);
int line_flush(struct line *l);
/* Is something still to be written? */
static inline bool line_waits(const struct line *l)
{
	return l->out_have > 0;
}

#endif
