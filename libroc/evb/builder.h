/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The builder unit: blocks from the first part of the first MFP until the sink returns the MEP.
 * Each connected readout unit, a sender, has a share of the memory that is divided into segments.
 */
#ifndef LIBROC_EVB_BUILDER_H
#define LIBROC_EVB_BUILDER_H

#include "pair.h"

struct roc_evb;
struct evb_known;

#define EVB_READ_MOST 1024 /* pull: MFPs of a sender that were read and are stored here */
#define EVB_WAITING 8	   /* connections without a greeting */

enum evb_segment_state {
	SEGMENT_FREE = 0, /* available for credit; pull: for a read */
	SEGMENT_LENT,	  /* the sender may write */
	SEGMENT_WRITING,  /* it has written a part */
	SEGMENT_HELD,	  /* has data of an arrival */
};

struct evb_slot {
	uint8_t state;
	uint32_t writes, of; /* received, expected */
};

/* A MFP that is being received, or is complete. */
struct evb_arrival {
	uint32_t next; /* in the list of free arrivals, or of those to be read */
	bool used, whole;
	bool before;	/* it arrived over a connection that is closed */
	bool abandoned; /* push: the block was closed without it, and parts are still arriving */
	bool listed;	/* pull: in the list of arrivals to be read */
	bool got_sent;	/* GOT was queued: the readout unit may reuse its memory */
	uint32_t block; /* slot; EVB_NONE: it was abandoned */
	uint64_t number, bytes;
	uint64_t epoch; /* of the sender's table, */
	bool judged;	/* which was known here */
	uint32_t parts, here;
	uint32_t *segments; /* in the order of parts; EVB_NONE: missing */
	struct iovec *pieces;
	struct roc_mfp_view view; /* valid if @whole */
	/* Pull: */
	uint32_t ticket, reads;
	uint32_t from_count, pieces_announced, from_next;
	uint64_t from_done, filled; /* bytes of the piece and of the MFP whose read was posted */
	struct evb_piece *from;	    /* pieces in the sender's memory, until all is read */
};

struct evb_sender {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	bool used; /* the slot belongs to a readout unit, connected or not */
	bool ended, bye_sent;
	bool protocol_error;
	struct pair pair;
	unsigned char *memory; /* its share of the memory */
	uint64_t region;       /* bytes of one registered region */
	uint32_t regions;
	/* Division of the share, by the largest MFP of the sender: */
	uint64_t mfp_max, segment, room; /* room: segment without its head */
	uint32_t segments, per_region;
	struct evb_slot *slots;
	uint32_t *free_list;
	uint32_t free_count, lent;
	uint64_t free_since;
	struct evb_arrival *arrivals;
	uint32_t arrivals_max;	/* limit of arrivals that are sent or announced at once */
	uint32_t arrivals_pool; /* pull: also those that were read */
	uint32_t arrivals_used, parts_max, pieces_max;
	uint32_t arrivals_before, arrivals_abandoned;
	uint32_t announced; /* pull: announced and not returned */
	uint32_t reading;   /* of these, with segments */
	uint32_t free_arrival;
	uint32_t *parts;
	struct iovec *pieces;
	struct evb_piece *from, **from_list; /* pull: of each announced arrival; free ones */
	uint32_t from_count;
	uint32_t announcing;		/* arrival whose announcement is incomplete */
	uint32_t first_read, last_read; /* list of arrivals to be read */
	uint32_t *gots;
	uint32_t got_count;

	uint64_t got;	 /* MFPs, on this connection */
	uint64_t passed; /* the sender sends nothing more of blocks below this */
	uint64_t passed_announced,
		passed_at; /* value of @passed once @passed_at MFPs have arrived */
	struct pair_late late;
	struct roc_evb_peer n;
};

enum evb_block_state {
	BLOCK_FREE,
	BLOCK_OPEN,
	BLOCK_READY, /* complete, or closed incomplete: waits for the sink */
	BLOCK_OUT,   /* the sink has it */
};

struct evb_block {
	enum evb_block_state state;
	uint64_t number, since, postponed;
	bool is_blocked; /* at its last timeout, this builder was the cause of the delay */
	bool lacks;	 /* a source has neither sent nor passed it */
	uint64_t epoch;	 /* newest epoch of the tables by which it was sent */
	uint32_t next_hash, next, prev; /* slots */
	uint32_t waiting;		/* number of readout units that are missing */
	uint32_t generation;
	uint32_t *arrivals; /* for each sender; EVB_NONE */
	struct roc_mep mep;
	struct roc_mep_source *sources;
};

struct evb_blocks {
	uint32_t first, last, count;
};

struct evb_builder {
	int fd; /* listening socket, -1 */
	unsigned int port;
	uint64_t looked;      /* time of the last accept() */
	bool no_files;	      /* accept() failed for lack of descriptors */
	struct pair *waiting; /* connections without a greeting: TCP only */
	int memory_fd;
	unsigned char *memory;
	size_t memory_bytes;
	struct evb_sender *senders;
	unsigned int count;
	struct evb_block *blocks;
	uint32_t block_count, free_first;
	uint32_t *hash;
	uint32_t hash_mask;
	struct evb_blocks open, ready;
	uint32_t out;
	uint64_t *delivered; /* indexed by the lower bits of a block number: number + 1 */
	uint64_t *odd;	     /* likewise: incomplete blocks far from the others */
	bool any;
	bool closed;   /* no sender is admitted */
	bool ending;   /* the sink has everything and was requested to end */
	bool finished; /* the sink has ended */
	bool has_built;
	uint64_t whole; /* highest delivered block that all sources had sent or passed */
	uint64_t built; /* highest delivered block that is near @whole */
};

static inline struct evb_sender *evb_sender_of_pair(struct pair *p)
{
	return (struct evb_sender *)((char *)p - offsetof(struct evb_sender, pair));
}

/* Of arrival.c */
/*
 * Divide the share for a sender's MFPs. Return 0, -EMSGSIZE if they do not fit, or -EBUSY if the
 * share is in use with another division.
 */
int evb_cut(struct roc_evb *e, struct evb_sender *g, uint64_t mfp_max, uint32_t pieces_max,
	    bool single);
void evb_uncut(struct evb_sender *g);
unsigned char *evb_segment_at(const struct evb_sender *g, uint32_t segment);
void evb_segment_free(struct roc_evb *e, struct evb_sender *g, uint32_t segment);
/* Return NULL if all arrivals are in use. */
struct evb_arrival *evb_arrival_new(struct evb_sender *g, uint64_t number, uint64_t bytes);
/* Pull: the sender's memory is not needed any more; queue a GOT. */
void evb_arrival_got(struct evb_sender *g, struct evb_arrival *a);
/* Free an arrival and return its segments to the sender's credit. */
void evb_arrival_free(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* The block is closed without this arrival. Parts in transit are still accepted. */
void evb_arrival_abandon(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* Return the abandoned arrival of a block, NULL: there is none. */
struct evb_arrival *evb_arrival_abandoned(struct evb_sender *g, uint64_t number);
/* The sender is disconnected: reclaim its segments; complete arrivals stay. */
void evb_recall(struct evb_sender *g);

/* Of blocks.c, block_slots.c (new and free) */
int evb_blocks_new(struct roc_evb *e);
void evb_blocks_free(struct roc_evb *e);
/* Return the slot of the open block of that number, EVB_NONE: it is not open. */
uint32_t evb_block_find(struct roc_evb *e, uint64_t number);
/* The same, opening it if necessary; EVB_NONE: it was abandoned or delivered. */
uint32_t evb_block_of(struct roc_evb *e, uint64_t number);
void evb_block_join(struct roc_evb *e, uint32_t block, struct evb_sender *g, struct evb_arrival *a,
		    uint64_t epoch);
/* Note that the arrival is complete. */
void evb_block_has(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* Free the block if it has no arrival. */
void evb_block_unless_begun(struct roc_evb *e, uint32_t block);
/* Detach an incomplete arrival that will not be completed. */
void evb_block_forget(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* The senders or the expected sources have changed: check all open blocks. */
void evb_blocks_check(struct roc_evb *e);
/* Deliver blocks that are ready or too old; collect those that the sink returns. 0 or -errno. */
int evb_blocks_step(struct roc_evb *e);
/* Deliver all open blocks as they are. */
void evb_blocks_abandon(struct roc_evb *e);
void evb_blocks_tables(struct roc_evb *e);

/* Of arrive.c */
extern const struct pair_use evb_arrive_use;
/*
 * Read announced MFPs, report those that were read. Return -errno if the connection must be closed.
 */
int evb_arrive_step(struct roc_evb *e, struct evb_sender *g);
/* Check earlier arrivals against a new table. Return 0 or -errno, as evb_arrive_step(). */
int evb_arrive_tables(struct roc_evb *e, struct evb_sender *g);

/* Of sender.c */
/* Return true if the limit of connections without a greeting is reached. */
bool evb_senders_full(const struct evb_builder *b);
void evb_senders_admit(struct roc_evb *e);
void evb_sender_step(struct roc_evb *e, struct evb_sender *g);
void evb_sender_tables(struct roc_evb *e, struct evb_sender *g);
void evb_sender_close(struct roc_evb *e, struct evb_sender *g, const char *reason);

/* Of builder.c */
int evb_builder_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_builder_free(struct roc_evb *e);
/* Serve connections, arrivals, blocks and the sink. Return 0 or -errno. */
int evb_builder_step(struct roc_evb *e);
void evb_builder_tables(struct roc_evb *e);
/* Deliver open blocks as they are, and close the connections. */
void evb_builder_drop(struct roc_evb *e);
void evb_builder_idle(struct roc_evb *e, struct roc_idle *idle);

#endif
