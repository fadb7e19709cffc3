/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A node: what its files share. Calls go down this list:
 *
 *	evb.c		the public functions: open, the turn of the loop, counts
 *	node.c		the coordinator: members, tables, joining anew, the report
 *	readout.c	readout unit: from the source to MFPs, and which builder gets each
 *	destination.c	readout unit: the connection to a builder
 *	send.c		readout unit: MFPs on their way
 *	mfp.c		readout unit: one MFP
 *	builder.c	builder unit: its memory, its turn
 *	sender.c		builder unit: the connection of a readout unit
 *	arrive.c	builder unit: what a readout unit writes and says, looked at
 *	blocks.c	builder unit: blocks, from their first part to the sink and back
 *	block_close.c	builder unit: a block becomes a MEP, or is given up
 *	block_slots.c	builder unit: where blocks are kept
 *	arrival.c	builder unit: segments, and a MFP in them
 *	pair.c		what both ends of a connection have in common
 *	message.c	what is said, as bytes
 *	log.c		sentences; which table holds
 *	table.c		who builds what
 *
 * Everything is one thread's.
 */
#ifndef LIBROC_EVB_ENGINE_H
#define LIBROC_EVB_ENGINE_H

#include "libroc/fabric/doze.h"
#include "libroc/fabric/base.h"
#include "builder.h"
#include "readout.h"

/* A table of assignment, and where we are in it. */
struct evb_known {
	struct roc_evb_table table;
	int ru; /* we are this readout unit of it, -1 */
	/* Destinations of its builders, senders of its readout units: slots, -1. */
	int16_t destination[ROC_EVB_NODES_MAX];
	int16_t sender[ROC_EVB_NODES_MAX];
	int16_t ru_of[ROC_EVB_NODES_MAX]; /* of each sender, its readout unit here; -1 */
};

struct roc_evb {
	struct roc_evb_config cfg;
	char system[ROC_EVB_NAME], name[ROC_EVB_NAME], host[ROC_EVB_HOST], advertise[ROC_EVB_HOST];
	char port[ROC_EVB_PORT], provider[32];
	const struct roc_evb_source_ops *source;
	void *source_self;
	const struct roc_evb_sink_ops *sink;
	void *sink_self;
	const struct roc_evb_coordinator_ops *coordinator;
	void *coordinator_self;

	uint64_t incarnation;
	uint64_t now; /* CLOCK_MONOTONIC, of this turn */
	uint64_t reported;
	struct rate_limit log_limit;
	uint64_t reported_packed;
	bool turning, joined, tables_new, progress;
	bool opened, begun; /* an endpoint, a connection with a builder, in this turn */
	int failed;	    /* by something that is called from deep below */
	volatile bool stop; /* by a signal's handler */
	struct doze doze;
	uint64_t stopped; /* when the source was told */

	struct roc_evb_member *members;
	unsigned int member_count;
	struct evb_known *tables; /* ROC_EVB_TABLES, oldest first */
	unsigned int table_count;
	bool table_missed; /* one that was overruled before it held, or never came */

	struct evb_readout ru;
	struct evb_builder bu;
	struct roc_evb_counts n;
	char reason[ROC_EVB_REASON];
};

#define EVB_MS UINT64_C(1000000)
/* Until a greeting is given up: the other end may have many to greet, one in a turn. */
#define EVB_GREET_NS(e) (3000 * EVB_MS + 2 * (e)->cfg.silence_ns)

/* Of log.c */
/* A sentence for people; more than some in a second are only counted. */
void evb_log(struct roc_evb *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One that is said once in a run, and that nobody else can bring about. */
void evb_log_always(struct roc_evb *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The node cannot go on: keeps the sentence, returns -err. */
int evb_fail(struct roc_evb *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * End a connection. If libfabric does not close it, data that come or go may still be written: the
 * node cannot go on, and roc_evb_step() returns that.
 */
void evb_pair_close(struct roc_evb *e, struct pair *p);
/* What is known of the peer's clock. */
void evb_check_clock(struct roc_evb *e, struct pair *p, struct roc_evb_peer *n);
/* One more block in a row that the peer was late for, or too early. */
void evb_count_late(const struct roc_evb *e, struct pair_late *l, struct roc_evb_peer *n,
		    bool early);
/* The row as the manager gets it: 0 until it has lasted for a stale timeout. */
uint32_t evb_late_row(const struct roc_evb *e, const struct pair_late *l,
		      const struct roc_evb_peer *n);
/* The table that holds for a block, NULL: none that is known. */
struct evb_known *evb_table(struct roc_evb *e, uint64_t block);
struct evb_known *evb_newest(struct roc_evb *e);
const struct roc_evb_member *evb_member(const struct roc_evb *e, const char *name);
/* What each greeting says of us. */
void evb_introduce(const struct roc_evb *e, struct evb_greeting *g);

/* Of node.c */
int evb_join(struct roc_evb *e);
/* What the coordinator says. 0 or -errno. */
int evb_node_step(struct roc_evb *e);
int evb_report(struct roc_evb *e);
/* We were given up by the others: drop everything and join anew. */
int evb_rejoin(struct roc_evb *e, const char *reason);

#endif
