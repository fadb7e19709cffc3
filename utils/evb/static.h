/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of --coordinator=static:FILE. It has a section for the system and one for each node:
 *
 *	[system]
 *	name = testbed
 *	policy = barrel-shift	; round-robin, barrel-shift, random, least-loaded
 *	seed = 1		; of the policy random
 *	readouts = 2		; minimum of readout units for the first table
 *	builders = 2		; minimum of builders for the first table
 *	lease-ms = 2000		; a node that is silent for this time is removed
 *
 *	[node1]
 *	roles = readout builder manager
 *	host = 10.0.0.1
 *	port = 9880		; port of the builder unit; 0 or missing: any free port
 *	manager-port = 9879	; port of the manager, only for the node with this role
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

/* Read and check the file. 0, or -errno with the reason, which has file and line. */
int evb_static_read(const char *path, struct evb_static_file *f, char reason[ROC_EVB_REASON]);
void evb_static_free(struct evb_static_file *f);
/* NULL: the file has no such node. */
const struct evb_static_node *evb_static_find(const struct evb_static_file *f, const char *name);

/*
 * The manager of static:FILE. All nodes connect to it and receive the members and the table.
 *
 * Lines of a node:	{"join": member, "system": NAME, "version": 1, "have": table}
 *			{"watch": true, "system": NAME, "version": 1}, of a watcher
 *			{"report": report}, {"status": line}, {"beat": true}
 * Lines to a node:	{"welcome": true, "manager": NAME}
 *			{"refused": reason, "taken": the name is in use}, and the connection ends
 *			{"members": [member, ...]}, {"table": table}, {"beat": true}
 *			{"node": NAME, "status": line}, to a watcher
 */

#define STAR_VERSION 1

struct star;

/*
 * Listen at the address of the manager in @file. @times: timing of the manager. Return 0 with
 * @star; -EADDRINUSE if the port is in use, or another -errno, with @reason.
 */
int star_open(const struct evb_static_file *file, const struct roc_evb_manager_config *times,
	      void (*log_fn)(void *self, const char *message), void *log_self, struct star **star,
	      char reason[ROC_EVB_REASON]);
void star_turn(struct star *s, uint64_t now);
void star_idle(const struct star *s, struct roc_idle *idle);
void star_close(struct star *s);
const struct manage *star_manage(const struct star *s);

/*
 * A non-blocking connection on which each line is a JSON object. Output that cannot be written now
 * is buffered, up to 2 * LINE_MAX_BYTES.
 */

#define LINE_MAX_BYTES (1 << 18) /* twice the size of the largest table */

struct json_object;

struct line {
	int fd; /* -1: closed */
	char *in, *out;
	size_t in_room, in_have, in_taken, out_room, out_have;
	int lost; /* -errno of output that could not be buffered: the stream is incomplete */
};

void line_open(struct line *l, int fd);
void line_close(struct line *l);
/*
 * Read available input. 0; -ECONNRESET end of the connection; -EMSGSIZE a line is too long; -errno.
 */
int line_read(struct line *l);
/*
 * The next object, which the caller puts. NULL: no complete line, or with *@bad a line that is not
 * a JSON object.
 */
struct json_object *line_next(struct line *l, bool *bad);
/*
 * Send an object and put it. NULL stands for an object that could not be allocated. 0; -ENOBUFS the
 * peer does not read; -errno. After a line that cannot be buffered, line_flush() returns its error.
 */
int line_send(struct line *l, struct json_object *o);
/* Send @text as a line. */
int line_send_text(struct line *l, const char *text, size_t length);
int line_flush(struct line *l);
/* Whether buffered output waits to be written. */
static inline bool line_waits(const struct line *l)
{
	return l->out_have > 0;
}

#endif
