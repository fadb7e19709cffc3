/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units over a network, by Documentation/transport.md. What both ends have of libfabric and of
 * connections is in libroc/fabric/.
 *
 *	wire.c		the control connection: its messages as bytes, its records
 *	sink_send.c, send_link.c	the sending end: a sink, and its connections
 *	source_recv.c, recv_connection.c	the receiving end: a source, and the senders
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
	uint32_t connections; /* links are shared out among them */
	uint32_t patience;    /* seconds that a receiver may be away */
	uint32_t silence;     /* seconds after which one that says nothing is */
};

/* Connected, or NULL and the sentence in @reason. @source must outlive the sink. */
struct sink *sink_send(const struct send_options *o, const struct source *source,
		       char reason[UNITS_REASON]);

/*
 * A round of the end, for who has a loop: 1 all has arrived, and the books of both ends are the
 * same; 0 not yet; -errno. The sink's own finish() waits for it.
 */
int sink_send_finish(struct sink *sink);

struct recv_options {
	const char *host, *port, *provider; /* host: address to listen at, NULL: all */
	uint64_t buffer;		    /* bytes of memory, shared out among the connections */
	uint32_t connections;		    /* at the same time */
	uint32_t silence; /* seconds after which a sender is gone that says nothing */
	bool once;	  /* end when a sender has ended in order */
};

/* Listening, or NULL and the sentence in @reason. */
struct source *source_recv(const struct recv_options *o, char reason[UNITS_REASON]);
/* Units in recordings in @dir get their credit and are not lent again. 0, or -ENOMEM. */
int source_recv_recorded(struct source *s, const char *dir);
/* Port that it listens at. */
unsigned int source_recv_port(const struct source *s);

/*
 * Units that were brought to their end although their sender may not have the credit: because its
 * connection broke, or because the receiver was killed after the unit was in its index. The sender
 * sends them again; the receiver returns the credit and does not write them twice.
 */

/* A set of keys. */
struct arrived_keys {
	uint64_t *table; /* 0: free */
	size_t capacity, count;
};

/*
 * A sender sends again only the last units that it sent, so the receiver forgets the oldest keys:
 * when @recent has ARRIVED_KEYS they replace those in @older. Keys of recordings stay.
 */
#define ARRIVED_KEYS (1 << 20)
struct arrived {
	struct arrived_keys recorded, recent, older;
};

/* Never 0. Two units with the same key are the same unit. */
uint64_t arrived_key(const struct recording_entry *e);
/* The last ARRIVED_KEYS that were added are known at least. 0, or -ENOMEM. */
int arrived_add(struct arrived *a, uint64_t key);
bool arrived_has(const struct arrived *a, uint64_t key);
/* Is there any key? */
bool arrived_any(const struct arrived *a);
/*
 * Add what the indexes in @dir name, as far as it is there: after a restart of the machine, files
 * that were not closed count only if they were written with synced data. 0, or -ENOMEM.
 */
int arrived_recorded(struct arrived *a, const char *dir);
void arrived_free(struct arrived *a);

#endif
