// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A non-blocking connection on which each line is a JSON object.
 */
#include "static.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE 4096
#define DEPTH 8 /* limit of nested objects and arrays */

void line_open(struct line *l, int fd)
{
	*l = (struct line){.fd = fd};
}

void line_close(struct line *l)
{
	if (l->fd >= 0)
		close(l->fd);
	free(l->in);
	free(l->out);
	*l = (struct line){.fd = -1};
}

static int grow(char **buffer, size_t *room, size_t needed)
{
	size_t size = *room ? *room : PIECE;
	char *larger;

	if (needed <= *room)
		return 0;
	while (size < needed)
		size *= 2;
	if (size > 2 * LINE_MAX_BYTES)
		return -ENOBUFS;
	larger = realloc(*buffer, size);
	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	*room = size;
	return 0;
}

int line_read(struct line *l)
{
	ssize_t got;

	if (l->in_taken) {
		memmove(l->in, l->in + l->in_taken, l->in_have - l->in_taken);
		l->in_have -= l->in_taken;
		l->in_taken = 0;
	}
	do {
		if (l->in_have > LINE_MAX_BYTES)
			/* Stop reading while complete lines wait in the buffer. */
			return memchr(l->in, '\n', l->in_have) ? 0 : -EMSGSIZE;
		if (grow(&l->in, &l->in_room, l->in_have + PIECE))
			return -ENOMEM;
		got = recv(l->fd, l->in + l->in_have, l->in_room - l->in_have, MSG_DONTWAIT);
		if (got > 0)
			l->in_have += (size_t)got;
	} while (got > 0);
	if (!got)
		return -ECONNRESET;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

struct json_object *line_next(struct line *l, bool *bad)
{
	char *begin = l->in + l->in_taken;
	char *end = l->in ? memchr(begin, '\n', l->in_have - l->in_taken) : NULL;
	struct json_object *o = NULL;
	struct json_tokener *t;

	*bad = false;
	if (!end)
		return NULL;
	l->in_taken += (size_t)(end + 1 - begin);
	t = json_tokener_new_ex(DEPTH);
	if (t) {
		o = json_tokener_parse_ex(t, begin, (int)(end + 1 - begin));
		json_tokener_free(t);
	}
	if (json_object_is_type(o, json_type_object))
		return o;
	json_object_put(o);
	*bad = true;
	return NULL;
}

int line_flush(struct line *l)
{
	ssize_t sent;

	if (l->lost)
		return l->lost;
	while (l->out_have) {
		sent = send(l->fd, l->out, l->out_have, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		memmove(l->out, l->out + sent, l->out_have - (size_t)sent);
		l->out_have -= (size_t)sent;
	}
	return 0;
}

int line_send_text(struct line *l, const char *text, size_t length)
{
	if (!l->lost)
		l->lost = grow(&l->out, &l->out_room, l->out_have + length + 1);
	if (l->lost)
		return l->lost;
	memcpy(l->out + l->out_have, text, length);
	l->out[l->out_have + length] = '\n';
	l->out_have += length + 1;
	return line_flush(l);
}

int line_send(struct line *l, struct json_object *o)
{
	size_t length;
	const char *text = NULL;
	int ret;

	if (o)
		text = json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN, &length);
	if (!text)
		l->lost = -ENOMEM;
	ret = text ? line_send_text(l, text, length) : l->lost;
	json_object_put(o);
	return ret;
}
