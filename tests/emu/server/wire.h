/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of vfio-user messages of one client: message boundaries, and assignment of file
 * descriptors to messages.
 */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto.h"

/* Length of the shortest message that takes descriptors: this much may always be read ahead. */
#define WIRE_AHEAD 32

/*
 * Received file descriptors. This process owns them until they are closed, or taken out and set to
 * -1.
 */
struct descriptors {
	int fd[VU_MAX_FDS];
	unsigned int count;
	bool lost; /* this process had no space for all of them */
};

struct wire {
	int fd;
	size_t at, end; /* of what is in @ahead */
	struct descriptors along;
	uint8_t ahead[WIRE_AHEAD];
};

/* A message being handled, and its answer. */
struct message {
	struct vu_header head;
	uint8_t *body; /* VU_MAX_MESSAGE bytes */
	uint32_t len;  /* of the body */
	struct descriptors along;

	uint8_t *reply; /* VU_MAX_MESSAGE bytes */
	uint32_t reply_len;
};

void descriptors_close(struct descriptors *d);
/*
 * Read the next message. Returns 0; -1 if the client has disconnected; -EPROTO if it sent an
 * invalid message.
 */
int wire_next(struct wire *w, struct message *m);
/* Returns 0, or -1 if the client has disconnected. */
int wire_send(int fd, const void *data, size_t len);

#endif /* EMU_WIRE_H */
