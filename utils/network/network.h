/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units over a network, as specified in Documentation/transport.md. The parts of libfabric and of
 * connections that both ends share are in libroc/fabric/.
 *
 *	wire.c		the control connection: encoding of messages and records
 *	sink_send.c, send_link.c	the sending end: a sink, and its connections
 *	source_recv.c, recv_connection.c	the receiving end: a source, and its connections
 *	arrived.c	units that a sender sends again although they have arrived
 *	send.c, recv.c	the tools
 */
#ifndef ROC_UTILS_NETWORK_H
#define ROC_UTILS_NETWORK_H

#include "utils/record/recording.h"
#include "utils/units/units.h"

#define NETWORK_PORT "4817"
#define NETWORK_CONNECTIONS 32
#define NETWORK_SILENCE "10" /* seconds */

struct send_options {
	const char *host, *port, *provider;
	uint32_t connections; /* links are distributed over them */
	uint32_t patience;    /* seconds to wait for a receiver */
	uint32_t silence;     /* seconds without a message after which a receiver is lost */
};

/* Connect to a receiver. @source must outlive the sink. Return: NULL with the reason in @reason. */
struct sink *sink_send(const struct send_options *o, const struct source *source,
		       char reason[UNITS_REASON]);

/*
 * Run one step of the end without blocking, for a caller with its own loop. Return: 1 when all
 * units have arrived and the totals of both ends agree; 0 not yet; -errno. finish() of the sink
 * calls this until it is done.
 */
int sink_send_finish(struct sink *sink);

struct recv_options {
	const char *host, *port, *provider; /* host: address to listen on, NULL: all */
	uint64_t buffer;		    /* bytes of memory, divided among the connections */
	uint32_t connections;		    /* at the same time */
	uint32_t silence; /* seconds without a message after which a sender is lost */
	bool once;	  /* end when a sender has ended in order */
};

/* Listen for senders. Return: NULL with the reason in @reason. */
struct source *source_recv(const struct recv_options *o, char reason[UNITS_REASON]);
/*
 * Acknowledge units that are in recordings in @dir, and do not lend them again. Return: 0, or
 * -ENOMEM.
 */
int source_recv_recorded(struct source *s, const char *dir);
/* Return the port that the source listens on. */
unsigned int source_recv_port(const struct source *s);

/*
 * Units that the receiver completed although their sender may not have the credit: the connection
 * broke, or the receiver was killed after the unit was in its index. The sender sends them again;
 * the receiver returns the credit and does not write them twice.
 */

/* A set of keys. */
struct arrived_keys {
	uint64_t *table; /* 0: free */
	size_t capacity, count;
};

/*
 * A sender sends again only its last units, so the receiver drops the oldest keys: when @recent has
 * ARRIVED_KEYS, they replace those in @older. Keys of recordings stay.
 */
#define ARRIVED_KEYS (1 << 20)
struct arrived {
	struct arrived_keys recorded, recent, older;
};

/* Return the key of a unit, never 0. Two units with the same key are the same unit. */
uint64_t arrived_key(const struct recording_entry *e);
/* Add a key. At least the last ARRIVED_KEYS keys stay in the set. Return: 0, or -ENOMEM. */
int arrived_add(struct arrived *a, uint64_t key);
bool arrived_has(const struct arrived *a, uint64_t key);
/* Return whether there is any key. */
bool arrived_any(const struct arrived *a);
/*
 * Add the entries of the indexes in @dir whose data are there. After a reboot, entries of a file
 * that was not closed count only if its data were synced before them. Return: 0, or -ENOMEM.
 */
int arrived_recorded(struct arrived *a, const char *dir);
void arrived_free(struct arrived *a);

#endif
