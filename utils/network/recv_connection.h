/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the receiving end: the connections of senders (recv_connection.c), and the source
 * that uses them (source_recv.c).
 */
#ifndef ROC_UTILS_RECV_CONNECTION_H
#define ROC_UTILS_RECV_CONNECTION_H

#include "network.h"
#include "utils/record/recording.h"
#include "wire.h"

#define RECV_ALIGN RECORDING_ALIGN /* alignment of data in memory, for direct I/O */
/*
 * Maximum delay of a credit, which is sent together with others. If the sender has few free slots,
 * it is sent at once.
 */
#define RECV_CREDIT_NS (500 * 1000)

enum recv_state {
	UNUSED,
	GREETING, /* waits for the hello of the sender */
	SENDING,
	CONFIRMED, /* the sender has sent all units and has the totals; it closes the connection */
	DETACHED,  /* the connection is closed, but units of it are lent */
};

enum slot_state {
	FREE, /* the sender may write to it */
	FULL, /* has a unit that was not taken */
	OUT,
	CREDIT_DUE, /* the unit is complete, but its credit is not sent */
	WITHHELD,   /* the unit was not completed, so the sender gets no credit */
};

struct recv_slot {
	enum slot_state state;
	uint64_t bytes; /* length of the unit, as validated when it arrived */
	uint64_t key;	/* arrived_key() of the unit, set when it is lent */
};

/* A connection of a sender, and its part of the memory. */
struct recv_connection {
	enum recv_state state;
	struct control control;
	struct fabric fabric;
	struct fabric_end end;
	struct fi_context2 message; /* buffer for an unexpected message */
	struct wire_hello hello;
	uint64_t since, polled;
	char *memory;
	uint64_t stride;
	uint32_t slots;
	struct recv_slot *slot;
	uint32_t *full; /* ring of full slots */
	uint64_t head, tail;
	uint32_t out;
	uint64_t units, bytes; /* completed */
	uint64_t *recent;      /* ring of @slots: keys of the last completed units */
	uint64_t received;
	unsigned char *credits; /* slots whose credits are due, each once */
	uint32_t credit_count;
	uint64_t credit_since; /* units_now() when the first one became due */
};

struct recv {
	struct source source;
	struct recv_options opt;
	int fd;
	unsigned int port;
	char listen[288]; /* "HOST:PORT", for messages and metrics */
	char *memory;
	size_t length, share;
	struct recv_connection *connections;
	uint32_t turn; /* connection whose unit is taken next */
	uint64_t polled;
	uint64_t run; /* number of the sender that is connected */
	uint32_t expected;
	uint32_t ended;	       /* bit mask of its connections that ended in order */
	uint64_t units, bytes; /* taken */
	struct arrived arrived;
	bool known; /* the format is fixed by a connected sender or by taken units */
	bool over, stopped;
	int broken;    /* -errno: libfabric did not close a connection */
	bool no_files; /* accept() failed for lack of file descriptors */
};

/* Return the data of a slot. The head of the unit is right before them. */
static inline char *recv_slot_data(const struct recv_connection *c, uint32_t slot)
{
	return c->memory + slot * c->stride + RECV_ALIGN;
}

/* Queue the credit of a slot whose unit is complete. */
void recv_queue_credit(struct recv_connection *c, uint32_t slot);
/* Return the description of a unit in the form of an index entry. */
struct recording_entry recv_slot_entry(const struct recv_connection *c, uint32_t slot);
/* Accept a connection that waits. */
void recv_accept(struct recv *r);
/* Advance a connection by one step. @listen: receive from the control connection, too. */
void recv_connection_step(struct recv *r, struct recv_connection *c, bool listen);
/* Return whether credits should be sent now. */
bool recv_credits_due(const struct recv *r, const struct recv_connection *c, uint64_t now);
/* Send the credits of completed slots. */
void recv_send_credits(struct recv *r, struct recv_connection *c);
/* Close a connection: the peer cannot write to its memory any more. */
void recv_connection_close(struct recv *r, struct recv_connection *c);
/*
 * At the end, advance the shutdown of a connection by one step, until the sender has its credits.
 * Return: false when there is nothing more to do.
 */
bool recv_connection_shutdown(struct recv *r, struct recv_connection *c);

#endif
