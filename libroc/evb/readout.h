/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The readout unit: fragments are packed into MFPs, in the order of event ids, and each MFP waits
 * for its builder.
 */
#ifndef LIBROC_EVB_READOUT_H
#define LIBROC_EVB_READOUT_H

#include "libroc/fabric/control.h"
#include "pair.h"

struct roc_evb;

/* Where in a MFP the next byte to be sent is. */
struct evb_cursor {
	uint32_t piece;
	size_t offset;
	uint64_t in_part; /* bytes of the segment, with its head, that are behind it */
};

/* One MFP, from its first fragment until it is done with. */
struct evb_mfp {
	uint32_t next;	    /* in a list */
	uint32_t next_turn; /* in that of turns, or of the cycle that is gathered */
	uint32_t destination;
	uint64_t block, epoch, since, time;
	uint64_t turn; /* when its turn came, 0: not yet */
	uint32_t count, flags, source, table_ru;
	uint64_t bytes; /* of the whole MFP as far as it is packed */
	/* Memory of its own: heads of segments, the first of them right before the MFP's head. */
	unsigned char *heads, *head, *copies;
	size_t copied;
	struct iovec *pieces; /* the MFP: head and index, then the data */
	uint32_t piece_count;
	uint64_t *handles; /* of fragments that are sent from where they are */
	uint32_t handle_count;

	bool released; /* it may go as soon as it can */
	bool in_turns; /* barrel shift: but only in its turn */
	bool sending;  /* some of it is handed to libfabric */
	bool handed;   /* all of it */
	uint32_t part, parts, writes, flying;
	struct evb_cursor at;
	uint32_t *segments;	   /* of the builder, for its parts */
	uint32_t pieces_announced; /* pull: pieces that the builder was told of */
};

struct evb_list {
	uint32_t first, last, count;
};

enum evb_lent {
	LENT_NOT = 0,  /* the builder's */
	LENT_FREE = 1, /* we may write */
	LENT_USED = 2, /* we have */
	LENT_LAST = 3, /* the last of a MFP */
};

/* A builder that we send to. */
struct evb_destination {
	char name[ROC_EVB_NAME];
	uint64_t incarnation; /* that the tables mean */
	bool used, wanted;
	bool protocol_error, failure_logged;
	bool reached;		       /* it was connected once */
	bool stuck;		       /* it did not move in its turn: it has none until it does */
	struct lookup *lookup;	       /* of its address, as long as that is not known */
	char address[CONTROL_ADDRESS]; /* of this incarnation */
	unsigned int which;	       /* of its addresses */
	struct pair pair;
	uint64_t retry, pause;	 /* when to try again, and how long after that */
	uint64_t down;		 /* since when it is not connected */
	uint64_t unwanted;	 /* since when no table needs it */
	uint64_t progress;	 /* when it took something last */
	uint64_t moved;		 /* when a write was done, or it gave something back, last */
	uint64_t passed_sent_at; /* when it was told last what has passed */
	bool end_sent, bye;	 /* it knows that nothing more comes; it has everything */
	bool send_passed;	 /* it should know soon what has passed */
	struct evb_list queue;	 /* not handed over */
	struct evb_list tickets; /* pull: announced, not fetched yet */
	uint32_t *free_segments; /* its segments that we may write to */
	uint32_t free_count;
	uint8_t *lent;
	uint32_t *events; /* of the MFP of which a segment is the last */
	uint32_t limit;	  /* MFPs that it may have */
	uint64_t sent;	  /* MFPs, on this connection */
	uint64_t lost_from, lost_to, lost_count, lost_logged; /* blocks that are not said yet */
	struct pair_late late;
	struct roc_evb_peer n;
};

struct evb_readout {
	struct evb_destination *destinations;
	unsigned int count; /* that there can be */
	struct evb_mfp *mfps;
	uint32_t mfp_count;
	struct evb_list free;
	uint32_t open; /* that is being packed, EVB_NONE */
	uint64_t mfp_max, copy_space;
	uint64_t copy_each; /* of this, for each event that may come; 0: it does for all */
	uint32_t parts_max, pieces_max;
	bool stuck;	       /* libfabric may still read @memory, so it stays mapped */
	unsigned char *memory; /* of all MFPs */
	size_t memory_bytes, stride;
	size_t chunk; /* of it, that is registered in one piece */
	struct roc_evb_region regions[ROC_EVB_REGIONS];
	unsigned int region_count;
	bool in_place; /* large fragments are sent from where they are */
	uint64_t held; /* of them, in all MFPs */
	bool started, ended, finished;
	bool seen, any; /* a fragment; one of a block that is ours to send */
	uint64_t last_event, last_time, next_block, hold;
	uint64_t jump; /* an id that was too far ahead */
	bool jumped, closed_early;
	uint64_t gone_on; /* epoch of the table by which the source was told where to go on */
	uint64_t behind;  /* since when its events are of blocks before the table's; 0: they are not
			   */
	bool behind_logged;
	uint64_t rescope; /* when that block is reached, fewer builders may be wanted */
	uint64_t packed;  /* MFPs */
	/* Barrel shift: a cycle that is gathered; and what has its turn, in that order. */
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
/* The one behind the first. */
uint32_t evb_pop_second(struct evb_mfp *mfps, struct evb_list *l);
void evb_return_fragment(struct roc_evb *e, uint64_t handle);
uint32_t evb_mfp_new(struct roc_evb *e, uint64_t block);
/* False: there is no room for it. */
bool evb_mfp_add(struct roc_evb *e, struct evb_mfp *m, const struct roc_evb_fragment *f);
void evb_mfp_close(struct roc_evb *e, struct evb_mfp *m, uint32_t source, uint64_t epoch);
/* Its turn is over: whoever is behind it moves up. */
void evb_leave_turns(struct evb_readout *r, uint32_t i);
/* It is done with: fragments go back. */
void evb_mfp_finish(struct roc_evb *e, uint32_t i);
int evb_mfps_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_mfps_free(struct roc_evb *e);

/* Of send.c */
/* Give MFPs to libfabric. 0, or -errno: the destination is of no more use. */
int evb_send(struct roc_evb *e, struct evb_destination *d);
extern const struct pair_use evb_send_use;
/* The builder did not take it. */
void evb_lose(struct roc_evb *e, struct evb_destination *d, uint32_t i);

/* Of destination.c */
void evb_destination_step(struct roc_evb *e, struct evb_destination *d);
void evb_destination_close(struct roc_evb *e, struct evb_destination *d, const char *reason);
/* The same, with what waits for it. */
void evb_destination_drop(struct roc_evb *e, struct evb_destination *d);
int evb_destinations_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_destinations_free(struct roc_evb *e);
/* The slot of a builder, made if need be; -1: there are too many. */
int evb_destination_of(struct roc_evb *e, const struct roc_evb_place *place);

/* Of readout.c */
int evb_readout_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_readout_free(struct roc_evb *e);
/* Take from the source, close MFPs, send. 0 or -errno. */
int evb_readout_step(struct roc_evb *e);
/* A table has come. */
void evb_readout_tables(struct roc_evb *e);
/* Everything that is open is lost; the connections are closed. */
void evb_readout_drop(struct roc_evb *e);
void evb_readout_idle(struct roc_evb *e, struct roc_idle *idle);

#endif
