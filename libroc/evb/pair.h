/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A readout unit and a builder: the connection between the two as either end has it. TCP says who
 * the other is and that it is there; commands and data go over libfabric, by an endpoint and memory
 * keys that are this pair's alone: when it is closed, nothing that comes late can reach memory that
 * has another use.
 */
#ifndef LIBROC_EVB_PAIR_H
#define LIBROC_EVB_PAIR_H

#include "libroc/fabric/control.h"
#include "message.h"

#define PAIR_SENDS 64	  /* messages on their way */
#define PAIR_RECEIVES 128 /* messages that may come at once */
#define PAIR_OPS 256	  /* writes and reads on their way */

enum pair_state {
	PAIR_DOWN,
	PAIR_CONNECTING, /* TCP */
	PAIR_GREETING,	 /* the other end's greeting has not come */
	PAIR_READY,
};

/* Of something that libfabric does for us; it may use the context for itself. */
struct pair_op {
	struct fi_context2 context;
	enum {
		PAIR_SEND,
		PAIR_RECEIVE,
		PAIR_DATA
	} what;
	unsigned char *text; /* of a message */
	void *of;	     /* of data: whose */
	uint32_t i;	     /* of data: what of that */
	struct pair_op *next;
};

struct pair {
	enum pair_state state;
	uint64_t since; /* of the state */
	struct control control;
	struct fabric fabric;
	struct fabric_end end;
	struct evb_greeting peer;
	char reason[FABRIC_REASON]; /* of the last failure */
	bool introduced;	    /* its greeting has come, and its member is waited for */
	bool stuck;		    /* libfabric did not close something */

	unsigned char *texts; /* of messages, registered */
	struct pair_op *ops;
	struct pair_op *free_sends, *free_data;
	unsigned int data_free;

	uint64_t received_at, sent_at, polled_at; /* CLOCK_MONOTONIC */
	uint64_t peer_clock, peer_beat_at; /* of its last beat: its clock, when that came by ours */
	int64_t skew;			   /* its clock less ours */
	uint64_t round_trip; /* of the beat by which the skew is known; 0: not known */
	bool skew_logged;
	uint64_t calls;
};

/* How long blocks have been late in a row; how many they are is in struct roc_evb_peer. */
struct pair_late {
	uint64_t first, last; /* when the first and the last of them were given up */
	bool early;	      /* most others had not sent them yet */
};

/* What the two ends do differently. Each: 0 or -errno with the sentence in pair->reason. */
struct pair_use {
	int (*message)(void *self, struct pair *p, const struct evb_message *m);
	/* The other end wrote, and said this number. */
	int (*written)(void *self, struct pair *p, uint32_t number);
	/* Our write or read of @op->of is done. */
	int (*done)(void *self, struct pair *p, struct pair_op *op);
};

int pair_new(struct pair *p); /* memory; 0 or -ENOMEM */
void pair_free(struct pair *p);
/*
 * End a connection, in any state. 0: nothing reaches our memory any more. -errno with @reason:
 * libfabric did not close it and may still use our memory.
 */
int pair_close(struct pair *p);
int pair_fail(struct pair *p, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* libfabric's end, and memory for messages; what else the other may reach, the caller registers. */
int pair_open_fabric(struct pair *p, const char *provider);
/* The other's endpoint is p->peer's: be ready. */
int pair_ready(struct pair *p);
int pair_send_greeting(struct pair *p, const struct evb_greeting *g);
/* 1: it is in p->peer; 0 not yet; -errno. @what: as sentences call the other end. */
int pair_receive_greeting(struct pair *p, const char *what);

/* A place for a message, or NULL: none is free now. It must be given to pair_send(). */
unsigned char *pair_message(struct pair *p);
/* -EAGAIN: it was not sent and the place is free again; else 0 or -errno. */
int pair_send(struct pair *p, unsigned char *text, const struct evb_message *m);
/* A message without payload. */
int pair_send_empty(struct pair *p, const struct evb_message *m);

/* For a write or read: NULL: none is free. */
struct pair_op *pair_op(struct pair *p);
void pair_op_free(struct pair *p, struct pair_op *op);

/* Take in what happened; how much, or -errno. */
int pair_progress(struct pair *p, const struct pair_use *use, void *self);
/* Of one that is ready: is the other still there, and say that we are. 0 or -errno. */
int pair_alive(struct pair *p, uint64_t now, uint64_t silence);
void pair_idle(struct pair *p, struct roc_idle *idle);

#endif
