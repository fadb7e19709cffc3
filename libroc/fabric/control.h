/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A control connection: TCP, non-blocking. Its users have both ends send something periodically, so
 * that a silent peer can be detected with received_at and sent_at.
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
	unsigned int next; /* index of the next address to try if the connection fails */
	unsigned char in[32 << 10];
	unsigned char out[64 << 10];
};

struct addrinfo;

/* Return true if the only address is link-local and lacks the interface that it needs. */
bool control_unscoped(const struct addrinfo *a);
/* The message for such an address, after the address itself; the argument is the host. */
#define CONTROL_UNSCOPED                                                                           \
	"is a link-local address without its interface: write it as %s%%INTERFACE (ip -6 address " \
	"names them)."

/* Return a listening socket, or -errno with @reason. @host NULL: all addresses. */
int control_listen(const char *host, const char *port, char reason[FABRIC_REASON]);
/* Start to connect. Return 0, or -errno with @reason. */
int control_connect(struct control *c, const char *host, const char *port,
		    char reason[FABRIC_REASON]);
/* Return 1 if connected, 0 if not yet, -errno. */
int control_connected(struct control *c);
void control_accepted(struct control *c, int fd);
void control_close(struct control *c);

/* Get the local address of the connection, or with @other that of the peer, as text. */
bool control_address(const struct control *c, bool other, char text[CONTROL_ADDRESS]);

/* Receive available data. Return 0, or -errno if the connection is broken. */
int control_receive(struct control *c);
/* Remove the first bytes of the received data. */
void control_drop(struct control *c, size_t bytes);
/* Queue data for the next flush. Return false if there is no space. */
bool control_queue(struct control *c, const void *data, size_t bytes);
/* Send queued data with one system call. Return 0, or -errno if the connection is broken. */
int control_flush(struct control *c);
void control_sleep(const struct control *c, struct roc_idle *idle);

struct lookup;

/*
 * lookup.c: resolve @host without blocking. Return 1 with the numeric address in @address, 0 if the
 * lookup is pending, or -errno with @reason. *@lookup is NULL before the first call and when the
 * lookup is complete. Numeric hosts need no lookup. If the host has several addresses, return
 * number
 * @which, modulo their number.
 */
int lookup_address(struct lookup **lookup, const char *host, unsigned int which,
		   char address[CONTROL_ADDRESS], char reason[FABRIC_REASON]);
/* Drop a lookup whose result is not needed. */
void lookup_drop(struct lookup **lookup);

#endif
