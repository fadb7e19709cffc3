// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control socket: lines in, JSON lines out, a thread per client, so that a slow reader of a
 * long answer does not delay other clients. Clients end with the process.
 */
#include "emu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096

struct client {
	struct emu *emu;
	int fd;
};

static int write_line(int fd, const struct json *j)
{
	const char *text = j->text;
	size_t len = j->len;
	ssize_t n;

	while (len) {
		n = send(fd, text, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		text += n;
		len -= n;
	}
	return send(fd, "\n", 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static void *serve(void *arg)
{
	struct client *client = arg;
	struct json reply = {0};
	char line[LINE_MAX_BYTES];
	size_t len = 0;
	bool closed = false;

	while (!closed) {
		ssize_t n = recv(client->fd, line + len, sizeof(line) - 1 - len, 0);
		char *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		while (!closed && (end = memchr(line, '\n', len))) {
			*end = '\0';
			if (strlen(line) < (size_t)(end - line))
				line[0] = '\0'; /* a command ends at a NUL */
			control_run(client->emu, line, &reply);
			closed = write_line(client->fd, &reply);
			if (atomic_load(&client->emu->quit_requested))
				client->emu->on_quit(client->emu);
			len -= end + 1 - line;
			memmove(line, end + 1, len);
		}
		if (len == sizeof(line) - 1)
			closed = true; /* the line is too long */
	}
	json_free(&reply);
	close(client->fd);
	free(client);
	return NULL;
}

struct listener {
	struct emu *emu;
	int fd;
};

static void *listen_on(void *arg)
{
	struct listener l = *(struct listener *)arg;
	int fd;

	free(arg);
	while ((fd = emu_accept(l.emu, l.fd)) >= 0) {
		struct client *client;
		pthread_t thread;

		client = malloc(sizeof(*client));
		if (!client) {
			close(fd);
			continue;
		}
		client->emu = l.emu;
		client->fd = fd;
		if (pthread_create(&thread, NULL, serve, client)) {
			close(fd);
			free(client);
			continue;
		}
		pthread_detach(thread);
	}
	return NULL;
}

int control_listen(struct emu *emu, const char *path)
{
	struct listener *l = malloc(sizeof(*l));
	pthread_t thread;
	int rc;

	if (!l)
		return -ENOMEM;
	l->emu = emu;
	l->fd = emu_listen(path, 8);
	if (l->fd < 0) {
		rc = l->fd;
		goto free_listener;
	}
	rc = -pthread_create(&thread, NULL, listen_on, l);
	if (rc)
		goto close_socket;
	pthread_detach(thread);
	return 0;

close_socket:
	close(l->fd);
free_listener:
	free(l);
	return rc;
}
