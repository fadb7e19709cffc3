/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The readout unit: packs fragments into MFPs in the order of event ids, and queues each MFP for
 * its builder.
 */
#ifndef LIBROC_EVB_READOUT_H
#define LIBROC_EVB_READOUT_H

#include "libroc/fabric/control.h"
#include "pair.h"

struct roc_evb;

/* Position in an MFP of the next byte to send. */
struct evb_cursor {
	uint32_t piece;
	size_t offset;
	uint64_t in_part; /* bytes of the current segment before it, with the head */
};

/* A MFP, from its first fragment until it is released. */
struct evb_mfp {
	uint32_t next;	    /* in a list */
	uint32_t next_turn; /* in the list of turns, or of the cycle being gathered */
	uint32_t destination;
	uint64_t block, epoch, since, time;
	uint64_t turn; /* start of its turn, 0: not yet */
	uint32_t count, flags, source, table_ru;
	uint64_t bytes; /* packed so far */
	/* Own memory: heads of segments; the first one directly precedes the head of the MFP. */
	unsigned char *heads, *head, *copies;
	size_t copied;
	struct iovec *pieces; /* the MFP: head and index, then the data */
	uint32_t piece_count;
	uint64_t *handles; /* of fragments that are sent without a copy */
	uint32_t handle_count;

	bool released; /* it may be sent */
	bool in_turns; /* barrel shift: in its turn only */
	bool sending;  /* a part was posted to libfabric */
	bool handed;   /* all of it was posted */
	uint32_t part, parts, writes, flying;
	struct evb_cursor at;
	uint32_t *segments;	   /* of the builder, for its parts */
	uint32_t pieces_announced; /* pull: pieces announced to the builder */
};

struct evb_list {
	uint32_t first, last, count;
};

enum evb_lent {
	LENT_NOT = 0,  /* owned by the builder */
	LENT_FREE = 1, /* may be written */
	LENT_USED = 2, /* written */
	LENT_LAST = 3, /* written, the last one of an MFP */
};

/* A builder to which this readout unit sends. */
struct evb_destination {
	char name[ROC_EVB_NAME];
	uint64_t incarnation; /* in the tables */
	bool used, wanted;
	bool protocol_error, failure_logged;
	bool reached;		       /* has been connected */
	bool stuck;		       /* made no progress in its turn: skipped until it does */
	struct lookup *lookup;	       /* pending resolution of its address */
	char address[CONTROL_ADDRESS]; /* of this incarnation */
	unsigned int which;	       /* index of the resolved address to use */
	struct pair pair;
	uint64_t retry, pause;	 /* time of the next attempt, pause after that one */
	uint64_t down;		 /* time of the disconnection */
	uint64_t unwanted;	 /* time since when no table has it */
	uint64_t progress;	 /* last time that it accepted data */
	uint64_t moved;		 /* last completion of a write, or return of a segment */
	uint64_t passed_sent_at; /* time of the last PASSED message */
	bool end_sent, bye;	 /* END was sent; BYE was received */
	bool send_passed;	 /* a PASSED message is due */
	struct evb_list queue;	 /* not posted yet */
	struct evb_list tickets; /* pull: announced, not read yet */
	uint32_t *free_segments; /* its segments that may be written */
	uint32_t free_count;
	uint8_t *lent;
	uint32_t *events; /* events of the MFP, for its last segment */
	uint32_t limit;	  /* maximum number of MFPs at the builder */
	uint64_t sent;	  /* MFPs, on this connection */
	uint64_t lost_from, lost_to, lost_count,
		lost_logged; /* lost blocks that were not logged yet */
	struct pair_late late;
	struct roc_evb_peer n;
};

struct evb_readout {
	struct evb_destination *destinations;
	unsigned int count; /* size of @destinations */
	struct evb_mfp *mfps;
	uint32_t mfp_count;
	struct evb_list free;
	uint32_t open; /* MFP being packed, EVB_NONE */
	uint64_t mfp_max, copy_space;
	uint64_t copy_each; /* part of copy_space reserved per event; 0: enough for all */
	uint32_t parts_max, pieces_max;
	bool stuck;	       /* libfabric may still read @memory: it stays mapped */
	unsigned char *memory; /* of all MFPs */
	size_t memory_bytes, stride;
	size_t chunk; /* bytes of one registered region */
	struct roc_evb_region regions[ROC_EVB_REGIONS];
	unsigned int region_count;
	bool in_place; /* large fragments are sent without a copy */
	uint64_t held; /* number of uncopied fragments in all MFPs */
	bool started, ended, finished;
	bool seen, any; /* got a fragment; got one of an assigned block */
	uint64_t last_event, last_time, next_block, hold;
	uint64_t jump; /* event id that was too far ahead */
	bool jumped, closed_early;
	uint64_t gone_on; /* epoch of the table whose first block was passed to the source */
	uint64_t behind;  /* time since when its events precede the table; 0: they do not */
	bool behind_logged;
	uint64_t rescope; /* at this block, destinations may become unused */
	uint64_t packed;  /* MFPs */
	/* Barrel shift: the cycle being gathered, and the MFPs in the order of their turns. */
	struct evb_list gather, turns;
	uint64_t cycle, cycle_epoch;
	uint32_t order[ROC_EVB_NODES_MAX];
	uint32_t order_count;
};

static inline struct evb_destination *evb_destination_of_pair(struct pair *p)
{
	return (struct evb_destination *)((char *)p - offsetof(struct evb_destination, pair));
}

/* Of mfp.c */
void evb_push(struct evb_mfp *mfps, struct evb_list *l, uint32_t i);
uint32_t evb_pop(struct evb_mfp *mfps, struct evb_list *l);
/* Remove the second entry. */
uint32_t evb_pop_second(struct evb_mfp *mfps, struct evb_list *l);
void evb_return_fragment(struct roc_evb *e, uint64_t handle);
uint32_t evb_mfp_new(struct roc_evb *e, uint64_t block);
/* Return false if there is no space. */
bool evb_mfp_add(struct roc_evb *e, struct evb_mfp *m, const struct roc_evb_fragment *f);
void evb_mfp_close(struct roc_evb *e, struct evb_mfp *m, uint32_t source, uint64_t epoch);
/* End the turn of an MFP: the next one in the list moves up. */
void evb_leave_turns(struct evb_readout *r, uint32_t i);
/* Release an MFP and return its fragments to the source. */
void evb_mfp_finish(struct roc_evb *e, uint32_t i);
int evb_mfps_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_mfps_free(struct roc_evb *e);

/* Of send.c */
/* Post MFPs to libfabric. Return 0, or -errno if the connection must be closed. */
int evb_send(struct roc_evb *e, struct evb_destination *d);
extern const struct pair_use evb_send_use;
/* Count an MFP that the builder did not accept as lost, and release it. */
void evb_lose(struct roc_evb *e, struct evb_destination *d, uint32_t i);

/* Of destination.c */
void evb_destination_step(struct roc_evb *e, struct evb_destination *d);
void evb_destination_close(struct roc_evb *e, struct evb_destination *d, const char *reason);
/* The same, and release the MFPs that wait for it. */
void evb_destination_drop(struct roc_evb *e, struct evb_destination *d);
int evb_destinations_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_destinations_free(struct roc_evb *e);
/* Return the slot of a builder, allocating one if necessary; -1: all are in use. */
int evb_destination_of(struct roc_evb *e, const struct roc_evb_place *place);

/* Of readout.c */
int evb_readout_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_readout_free(struct roc_evb *e);
/* Get fragments from the source, close MFPs, send them. Return 0 or -errno. */
int evb_readout_step(struct roc_evb *e);
/* Apply a new table. */
void evb_readout_tables(struct roc_evb *e);
/* Count all open MFPs as lost, and close the connections. */
void evb_readout_drop(struct roc_evb *e);
void evb_readout_idle(struct roc_evb *e, struct roc_idle *idle);

#endif
