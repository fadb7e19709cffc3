/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The receiving end, inside: the connections of senders (recv_connection.c), and the source above
 * them (source_recv.c).
 */
#ifndef ROC_UTILS_RECV_CONNECTION_H
#define ROC_UTILS_RECV_CONNECTION_H

#include "network.h"
#include "utils/record/recording.h"
#include "wire.h"

#define RECV_ALIGN RECORDING_ALIGN /* of data in memory: direct I/O may write them */
/* A credit waits for others so long, unless the sender has few slots: each wakes it. */
#define RECV_CREDIT_NS (500 * 1000)

enum recv_state {
	UNUSED,
	GREETING, /* has not said who it is */
	SENDING,
	CONFIRMED, /* it sent everything, and was told what we have: it hangs up */
	DETACHED,  /* is gone, but units of it are out */
};

enum slot_state {
	FREE, /* the sender may write there */
	FULL, /* waits to be taken */
	OUT,
	CREDIT_DUE, /* whoever took it is done, and the sender was not told yet */
	WITHHELD,   /* it was not brought to its end, so the sender is not told */
};

struct recv_slot {
	enum slot_state state;
	uint64_t bytes; /* of the unit, as they were when it came */
	uint64_t key;	/* when it is out: arrived_key() */
};

/* A sender's connection, and its share of the memory. */
struct recv_connection {
	enum recv_state state;
	struct control control;
	struct fabric fabric;
	struct fabric_end end;
	struct fi_context2 message; /* that nobody should send */
	struct wire_hello hello;
	uint64_t since, polled;
	char *memory;
	uint64_t stride;
	uint32_t slots;
	struct recv_slot *slot;
	uint32_t *full; /* a ring of them */
	uint64_t head, tail;
	uint32_t out;
	uint64_t units, bytes; /* that whoever takes them is done with */
	uint64_t *recent;      /* a ring of @slots: keys of the last ones of them */
	uint64_t received;
	unsigned char *credits; /* slots that are owed, each once */
	uint32_t credit_count;
	uint64_t credit_since; /* units_now() of the first of them */
};

struct recv {
	struct source source;
	struct recv_options opt;
	int fd;
	unsigned int port;
	char listen[288]; /* "HOST:PORT", as roc-rosd has it */
	char *memory;
	size_t length, share;
	struct recv_connection *connections;
	uint32_t turn; /* whose unit is next */
	uint64_t polled;
	uint64_t run; /* of the sender whose connections come */
	uint32_t expected;
	uint32_t ended;	       /* a bit for each of them that ended in order */
	uint64_t units, bytes; /* that were taken */
	struct arrived arrived;
	bool known; /* the format is, by who sends or by units */
	bool over, stopped;
	int broken;    /* -errno: libfabric did not close a connection */
	bool no_files; /* for who waits at the door */
};

/* The unit's data in a slot; what describes it is right before them. */
static inline char *recv_slot_data(const struct recv_connection *g, uint32_t slot)
{
	return g->memory + slot * g->stride + RECV_ALIGN;
}

/* The unit in this slot is done with, and its sender gets the credit. */
void recv_queue_credit(struct recv_connection *g, uint32_t slot);
/* As the index has it. */
struct recording_entry recv_slot_entry(const struct recv_connection *g, uint32_t slot);
/* Whoever waits at the door. */
void recv_accept(struct recv *r);
/* One step further. */
void recv_connection_step(struct recv *r, struct recv_connection *g, bool listen);
/* Are there enough of them, or is it time? */
bool recv_credits_due(const struct recv *r, const struct recv_connection *g, uint64_t now);
/* Give slots back that are free again. */
void recv_send_credits(struct recv *r, struct recv_connection *g);
/* Nobody writes to its memory any more. */
void recv_connection_close(struct recv *r, struct recv_connection *g);
/*
 * We end: one step towards it that the sender knows what we have of it. False: there is nothing
 * more to be done for it.
 */
bool recv_connection_shutdown(struct recv *r, struct recv_connection *g);

#endif
