/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of vfio-user messages of one client: where a message begins and ends, and whose the
 * file descriptors are that came along.
 */
#ifndef EMU_WIRE_H
#define EMU_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto.h"

/* As long as the shortest message that takes descriptors may be read ahead without doubt. */
#define WIRE_AHEAD 32

/* File descriptors that came along; ours until closed, or taken out and set to -1. */
struct descriptors {
	int fd[VU_MAX_FDS];
	unsigned int count;
	bool lost; /* this process had no room for them all */
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
	uint8_t *body; /* room for VU_MAX_MESSAGE */
	uint32_t len;  /* of the body */
	struct descriptors along;

	uint8_t *reply; /* room for VU_MAX_MESSAGE */
	uint32_t reply_len;
};

void descriptors_close(struct descriptors *d);
/* The next message. 0; -1 when the client is gone; -EPROTO when it sends what cannot be one. */
int wire_next(struct wire *w, struct message *m);
/* 0, or -1 when the client is gone. */
int wire_send(int fd, const void *data, size_t len);

#endif /* EMU_WIRE_H */
