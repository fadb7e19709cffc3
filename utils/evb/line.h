/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb: a connection on which each line is a JSON object. Nothing waits: what cannot be written
 * now is kept, up to a limit.
 */
#ifndef ROC_UTILS_EVB_LINE_H
#define ROC_UTILS_EVB_LINE_H

#include <stdbool.h>
#include <stddef.h>

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
int line_say(struct line *l, struct json_object *o);
/* Text that is a whole line. */
int line_text(struct line *l, const char *text, size_t length);
int line_flush(struct line *l);
/* Is something still to be written? */
static inline bool line_waits(const struct line *l)
{
	return l->out_have > 0;
}

#endif
