/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared structures of a node, and the functions of its files. Calls go down this list:
 *
 *	evb.c		public functions: open, one step of the loop, counters
 *	node.c		coordinator: members, assignment tables, joining again, reports
 *	readout.c	readout unit: packs fragments into MFPs and assigns their builders
 *	destination.c	readout unit: connection to a builder
 *	send.c		readout unit: sends MFPs
 *	mfp.c		readout unit: memory of an MFP
 *	builder.c	builder unit: memory, one step of the loop
 *	sender.c	builder unit: connection of a readout unit
 *	arrive.c	builder unit: checks data and messages of a readout unit
 *	blocks.c	builder unit: blocks from their first part to the return by the sink
 *	block_close.c	builder unit: turns a block into a MEP, or abandons it
 *	block_slots.c	builder unit: storage of blocks
 *	arrival.c	builder unit: segments, and the MFPs in them
 *	pair.c		common part of both ends of a connection
 *	message.c	encoding of messages
 *	log.c		log messages; lookup of tables
 *	table.c		assignment of blocks to builders
 *
 * One thread calls all of it, so there are no locks.
 */
#ifndef LIBROC_EVB_ENGINE_H
#define LIBROC_EVB_ENGINE_H

#include "libroc/fabric/doze.h"
#include "libroc/fabric/base.h"
#include "builder.h"
#include "readout.h"

/* An assignment table, and the place of this node in it. */
struct evb_known {
	struct roc_evb_table table;
	int ru; /* index of this node's readout unit, -1: none */
	/* Slots of the destinations of its builders and of the senders of its readout units; -1. */
	int16_t destination[ROC_EVB_NODES_MAX];
	int16_t sender[ROC_EVB_NODES_MAX];
	int16_t ru_of[ROC_EVB_NODES_MAX]; /* index of the readout unit for each sender; -1 */
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
	uint64_t now; /* CLOCK_MONOTONIC at the start of this step */
	uint64_t reported;
	struct rate_limit log_limit;
	uint64_t reported_packed;
	bool turning, joined, tables_new, progress;
	bool opened, begun; /* in this step: opened an endpoint, began a connection to a builder */
	int failed;	    /* -errno of a function that cannot return it */
	volatile bool stop; /* set by a signal handler */
	struct doze doze;
	uint64_t stopped; /* when the source was requested to stop */

	struct roc_evb_member *members;
	unsigned int member_count;
	struct evb_known *tables; /* ROC_EVB_TABLES, oldest first */
	unsigned int table_count;
	bool table_missed; /* a table was superseded before it became valid, or never arrived */

	struct evb_readout ru;
	struct evb_builder bu;
	struct roc_evb_counts n;
	char reason[ROC_EVB_REASON];
};

#define EVB_MS UINT64_C(1000000)
/* Timeout of a greeting. The peer may have to greet many nodes, one in each step. */
#define EVB_GREET_NS(e) (3000 * EVB_MS + 2 * (e)->cfg.silence_ns)

/* Of log.c */
/* Log a message for users, rate-limited. */
void evb_log(struct roc_evb *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Log without the rate limit. For messages that appear once in a run and that no peer can cause. */
void evb_log_always(struct roc_evb *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Fail the node: store the message, return -@err. */
int evb_fail(struct roc_evb *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Close a connection. If libfabric fails to close it, the peer may still write memory: the node
 * fails, and roc_evb_step() returns the error.
 */
void evb_pair_close(struct roc_evb *e, struct pair *p);
/* Update the clock difference of the peer in @n; log a large one once. */
void evb_check_clock(struct roc_evb *e, struct pair *p, struct roc_evb_peer *n);
/* Count a consecutive block for which the peer was late or, with @early, too early. */
void evb_count_late(const struct roc_evb *e, struct pair_late *l, struct roc_evb_peer *n,
		    bool early);
/* Return the number of consecutive blocks for the report: 0 until they span a stale timeout. */
uint32_t evb_late_row(const struct roc_evb *e, const struct pair_late *l,
		      const struct roc_evb_peer *n);
/* Return the table that is valid for a block, NULL: unknown. */
struct evb_known *evb_table(struct roc_evb *e, uint64_t block);
struct evb_known *evb_newest(struct roc_evb *e);
const struct roc_evb_member *evb_member(const struct roc_evb *e, const char *name);
/* Fill in the members of a greeting that describe this node. */
void evb_introduce(const struct roc_evb *e, struct evb_greeting *g);

/* Of node.c */
int evb_join(struct roc_evb *e);
/* Process the news of the coordinator. Return 0 or -errno. */
int evb_node_step(struct roc_evb *e);
int evb_report(struct roc_evb *e);
/* The other nodes excluded this node: drop all data and join again. */
int evb_rejoin(struct roc_evb *e, const char *reason);

#endif
