/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A control connection: TCP, non-blocking. Whoever uses it has both ends say something now and
 * then, so that one that is silent is known to be gone: heard and told are for that.
 */
#ifndef LIBROC_CONTROL_H
#define LIBROC_CONTROL_H

#include "base.h"

#define CONTROL_ADDRESS 64

struct control {
	int fd; /* -1: none */
	size_t in_bytes;
	size_t out_bytes;
	uint64_t received_at, sent_at; /* fabric_now() */
	unsigned int next; /* address of the name to be tried if this one refuses, 0: the first */
	unsigned char in[32 << 10];
	unsigned char out[64 << 10];
};

struct addrinfo;

/* Is this one address link-local and without its interface, which it cannot be used without? */
bool control_unscoped(const struct addrinfo *a);
/* What to say then, behind the address; its argument is the host. */
#define CONTROL_UNSCOPED                                                                           \
	"is a link-local address without its interface: write it as %s%%INTERFACE (ip -6 address " \
	"names them)."

/* Listening socket, or -errno with the sentence. @host NULL: all addresses. */
int control_listen(const char *host, const char *port, char reason[FABRIC_REASON]);
/* Begin to connect: 0, or -errno with the sentence. */
int control_connect(struct control *c, const char *host, const char *port,
		    char reason[FABRIC_REASON]);
/* 1 connected, 0 not yet, -errno. */
int control_connected(struct control *c);
void control_accepted(struct control *c, int fd);
void control_close(struct control *c);

/* Our own address of the connection, or the other's, as text. */
bool control_address(const struct control *c, bool other, char text[CONTROL_ADDRESS]);

/* Take in what is there: 0, or -errno: the other end is gone. */
int control_receive(struct control *c);
/* Forget the first bytes of what came. */
void control_drop(struct control *c, size_t bytes);
/* False: there is no room. What is queued goes with the next flush. */
bool control_queue(struct control *c, const void *data, size_t bytes);
/* One call; 0, or -errno: the other end is gone. */
int control_flush(struct control *c);
void control_sleep(const struct control *c, struct roc_idle *idle);

struct lookup;

/*
 * lookup.c: the address of a name, without blocking. 1: it is in @address, as a number; 0: not
 * yet; -errno with the sentence. @lookup is NULL at first and when it is over; a number needs no
 * looking up. Of several addresses number @which, modulo how many there are.
 */
int lookup_address(struct lookup **lookup, const char *host, unsigned int which,
		   char address[CONTROL_ADDRESS], char reason[FABRIC_REASON]);
/* Its result is not needed any more. */
void lookup_drop(struct lookup **lookup);

#endif
