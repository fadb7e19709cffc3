/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One end of the connection between a readout unit and a builder. TCP identifies the peer and
 * detects its end. Messages and data go over libfabric. Each pair has its own endpoint and memory
 * keys, so after it is closed, no late write can reach memory that is reused.
 */
#ifndef LIBROC_EVB_PAIR_H
#define LIBROC_EVB_PAIR_H

#include "libroc/fabric/control.h"
#include "message.h"

#define PAIR_SENDS 64	  /* pending sends */
#define PAIR_RECEIVES 128 /* posted receives */
#define PAIR_OPS 256	  /* pending writes and reads */

enum pair_state {
	PAIR_DOWN,
	PAIR_CONNECTING, /* TCP */
	PAIR_GREETING,	 /* waiting for the greeting of the peer */
	PAIR_READY,
};

/* A pending libfabric operation; libfabric owns the context until it completes. */
struct pair_op {
	struct fi_context2 context;
	enum {
		PAIR_SEND,
		PAIR_RECEIVE,
		PAIR_DATA
	} what;
	unsigned char *text; /* message: its buffer */
	void *of;	     /* data: owner, for the caller */
	uint32_t i;	     /* data: index, for the caller */
	struct pair_op *next;
};

struct pair {
	enum pair_state state;
	uint64_t since; /* start of the state */
	struct control control;
	struct fabric fabric;
	struct fabric_end end;
	struct evb_greeting peer;
	char reason[FABRIC_REASON]; /* of the last failure */
	bool introduced;	    /* greeted; its member entry has not arrived yet */
	bool stuck;		    /* libfabric failed to close an object */

	unsigned char *texts; /* registered buffers of messages */
	struct pair_op *ops;
	struct pair_op *free_sends, *free_data;
	unsigned int data_free;

	uint64_t received_at, sent_at, polled_at; /* CLOCK_MONOTONIC */
	uint64_t peer_clock, peer_beat_at; /* last beat: its clock, and our clock on arrival */
	int64_t skew;			   /* its clock minus ours */
	uint64_t round_trip;		   /* of the beat that measured the skew; 0: unknown */
	bool skew_logged;
	uint64_t calls;
};

/* Times of consecutive late blocks; their number is in struct roc_evb_peer. */
struct pair_late {
	uint64_t first, last; /* when the first and the last of them were abandoned */
	bool early;	      /* the peer was early: most others had not sent them yet */
};

/* Callbacks of the two types of ends. They return 0, or -errno with the message in pair->reason. */
struct pair_use {
	int (*message)(void *self, struct pair *p, const struct evb_message *m);
	/* The peer wrote data with this number. */
	int (*written)(void *self, struct pair *p, uint32_t number);
	/* The local write or read for @op->of completed. */
	int (*done)(void *self, struct pair *p, struct pair_op *op);
};

int pair_new(struct pair *p); /* allocate memory; 0 or -ENOMEM */
void pair_free(struct pair *p);
/*
 * Close a connection in any state. Return 0 if no operation can access local memory any more, or
 * -errno with @reason if libfabric failed to close it and may still access the memory.
 */
int pair_close(struct pair *p);
int pair_fail(struct pair *p, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Open the endpoint and register the message buffers. The caller registers all other memory. */
int pair_open_fabric(struct pair *p, const char *provider);
/* Connect to the endpoint in p->peer and enter PAIR_READY. */
int pair_ready(struct pair *p);
int pair_send_greeting(struct pair *p, const struct evb_greeting *g);
/*
 * Return 1: the greeting is in p->peer; 0: not yet; -errno. @what: the peer's role, for messages.
 */
int pair_receive_greeting(struct pair *p, const char *what);

/* Get a message buffer for pair_send(), NULL: none is free. */
unsigned char *pair_message(struct pair *p);
/* Return 0, -EAGAIN if it was not sent and the buffer was freed, or -errno. */
int pair_send(struct pair *p, unsigned char *text, const struct evb_message *m);
/* Send a message without payload. */
int pair_send_empty(struct pair *p, const struct evb_message *m);

/* Get an operation for a write or read, NULL: none is free. */
struct pair_op *pair_op(struct pair *p);
void pair_op_free(struct pair *p, struct pair_op *op);

/* Process completions. Return their number, or -errno. */
int pair_progress(struct pair *p, const struct pair_use *use, void *self);
/* In PAIR_READY: check that the peer is alive, and send a beat when due. Return 0 or -errno. */
int pair_alive(struct pair *p, uint64_t now, uint64_t silence);
void pair_idle(struct pair *p, struct roc_idle *idle);

#endif
