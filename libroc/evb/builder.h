/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The builder unit: blocks, from the first part of the first MFP until the sink is done with the
 * MEP. Each readout unit, a sender, has a share of the memory, cut in segments.
 */
#ifndef LIBROC_EVB_BUILDER_H
#define LIBROC_EVB_BUILDER_H

#include "pair.h"

struct roc_evb;
struct evb_known;

#define EVB_READ_MOST 1024 /* pulled: MFPs of a sender that were read and are here */
#define EVB_WAITING 8	   /* connections that have not said hello */

enum evb_segment_state {
	SEGMENT_FREE = 0, /* to be lent; pull: to be read into */
	SEGMENT_LENT,	  /* the sender may write */
	SEGMENT_WRITING,  /* it has written some of it */
	SEGMENT_HELD,	  /* data of an arrival */
};

struct evb_slot {
	uint8_t state;
	uint32_t writes, of; /* that came, of how many */
};

/* One MFP that comes, or is here. */
struct evb_arrival {
	uint32_t next; /* of the free ones, or of those that are to be read */
	bool used, whole;
	bool before;	/* it came by a connection that is no more */
	bool abandoned; /* not pulled: the block went without it, its rest comes yet */
	bool listed;	/* pulled: it is to be read */
	bool got_sent;	/* the readout unit may have its memory back */
	uint32_t block; /* slot; EVB_NONE: it was given up */
	uint64_t number, bytes;
	uint64_t epoch; /* of the table that it was sent by, */
	bool judged;	/* which was known */
	uint32_t parts, here;
	uint32_t *segments; /* in the order of parts; EVB_NONE: not here */
	struct iovec *pieces;
	struct roc_mfp_view view; /* when it is whole */
	/* Pulled: */
	uint32_t ticket, reads;
	uint32_t from_count, pieces_announced, from_next;
	uint64_t from_done, filled; /* bytes of the piece, of the MFP, that are being read */
	struct evb_piece *from;	    /* until all of it is read */
};

struct evb_sender {
	char name[ROC_EVB_NAME];
	uint64_t incarnation;
	bool used; /* the slot is somebody's, who may be away */
	bool ended, bye_sent;
	bool protocol_error;
	struct pair pair;
	unsigned char *memory; /* its share */
	uint64_t region;       /* bytes that are registered in one piece */
	uint32_t regions;
	/* As it is cut for what the sender sends: */
	uint64_t mfp_max, segment, room; /* room: without its head */
	uint32_t segments, per_region;
	struct evb_slot *slots;
	uint32_t *free_list;
	uint32_t free_count, lent;
	uint64_t free_since;
	struct evb_arrival *arrivals;
	uint32_t arrivals_max;	/* that the sender may have sent, or announced, at once */
	uint32_t arrivals_pool; /* pulled: and those that were read */
	uint32_t arrivals_used, parts_max, pieces_max;
	uint32_t arrivals_before, arrivals_abandoned;
	uint32_t announced; /* pulled: and not given back */
	uint32_t reading;   /* and that have segments */
	uint32_t free_arrival;
	uint32_t *parts;
	struct iovec *pieces;
	struct evb_piece *from, **from_list; /* pulled: of each that is announced; that are free */
	uint32_t from_count;
	uint32_t telling;		/* the arrival that is being announced */
	uint32_t first_read, last_read; /* arrivals that are to be read */
	uint32_t *gots;
	uint32_t got_count;

	uint64_t got;			      /* MFPs, on this connection */
	uint64_t passed;		      /* nothing comes of blocks below, but what is here */
	uint64_t passed_announced, passed_at; /* the same from when @passed_at MFPs are here */
	struct pair_late late;
	struct roc_evb_peer n;
};

enum evb_block_state {
	BLOCK_FREE,
	BLOCK_OPEN,
	BLOCK_READY, /* whole, or given up: waits for the sink */
	BLOCK_OUT,   /* the sink has it */
};

struct evb_block {
	enum evb_block_state state;
	uint64_t number, since, postponed;
	bool is_blocked;		/* by us, when its time was over last */
	bool lacks;			/* somebody who neither sent nor passed it */
	uint64_t epoch;			/* the newest by which somebody sent it */
	uint32_t next_hash, next, prev; /* slots */
	uint32_t waiting;		/* readout units that it waits for */
	uint32_t generation;
	uint32_t *arrivals; /* of each sender; EVB_NONE */
	struct roc_mep mep;
	struct roc_mep_source *sources;
};

struct evb_blocks {
	uint32_t first, last, count;
};

struct evb_builder {
	int fd; /* listens, -1 */
	unsigned int port;
	uint64_t looked;      /* when, whether somebody came */
	bool no_files;	      /* for who waits at the door */
	struct pair *waiting; /* who has not said hello: TCP alone */
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
	uint64_t *delivered; /* by the lower bits of a number: that number + 1 */
	uint64_t *odd;	     /* likewise: that lack somebody, far from the others */
	bool any;
	bool closed;   /* nobody is let in */
	bool ending;   /* the sink has everything and is to end, */
	bool finished; /* which it has */
	bool has_built;
	uint64_t whole; /* highest that was delivered and that all had sent or passed */
	uint64_t built; /* highest that was delivered, not far from that */
};

static inline struct evb_sender *evb_sender_of_pair(struct pair *p)
{
	return (struct evb_sender *)((char *)p - offsetof(struct evb_sender, pair));
}

/* Of arrival.c */
/* Cut the share for a sender's MFPs. 0; -EMSGSIZE they do not fit; -EBUSY it is in use as it was
 * cut. */
int evb_cut(struct roc_evb *e, struct evb_sender *g, uint64_t mfp_max, uint32_t pieces_max,
	    bool single);
void evb_uncut(struct evb_sender *g);
unsigned char *evb_segment_at(const struct evb_sender *g, uint32_t segment);
void evb_segment_free(struct roc_evb *e, struct evb_sender *g, uint32_t segment);
/* NULL: there are as many as there can be. */
struct evb_arrival *evb_arrival_new(struct evb_sender *g, uint64_t number, uint64_t bytes);
/* Pulled: the sender's own memory is not needed any more. */
void evb_arrival_got(struct evb_sender *g, struct evb_arrival *a);
/* Its memory is the sender's again. */
void evb_arrival_free(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* Its block goes without it. What of it is on its way yet is taken in to its end. */
void evb_arrival_abandon(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* That of a block which is given up; NULL: there is none. */
struct evb_arrival *evb_arrival_abandoned(struct evb_sender *g, uint64_t number);
/* The sender is gone: what it may have written to is ours; whole arrivals stay. */
void evb_recall(struct evb_sender *g);

/* Of blocks.c, block_slots.c (new and free) */
int evb_blocks_new(struct roc_evb *e);
void evb_blocks_free(struct roc_evb *e);
/* Slot of the block of that number, EVB_NONE: it is not open. */
uint32_t evb_block_find(struct roc_evb *e, uint64_t number);
/* The same, opened if need be; EVB_NONE: it was given up or delivered. */
uint32_t evb_block_of(struct roc_evb *e, uint64_t number);
void evb_block_join(struct roc_evb *e, uint32_t block, struct evb_sender *g, struct evb_arrival *a,
		    uint64_t epoch);
/* The arrival is whole. */
void evb_block_has(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* It is closed if nobody has anything of it. */
void evb_block_unless_begun(struct roc_evb *e, uint32_t block);
/* An arrival that is not whole will not become so. */
void evb_block_forget(struct roc_evb *e, struct evb_sender *g, struct evb_arrival *a);
/* What senders have, or who is expected, has changed: look at all open blocks. */
void evb_blocks_check(struct roc_evb *e);
/* Deliver what is ready, or too old; take back what the sink is done with. 0 or -errno. */
int evb_blocks_step(struct roc_evb *e);
/* Deliver all open ones as they are. */
void evb_blocks_abandon(struct roc_evb *e);
void evb_blocks_tables(struct roc_evb *e);

/* Of arrive.c */
extern const struct pair_use evb_arrive_use;
/* Read what was announced; tell what was read. 0 or -errno: the sender is of no more use. */
int evb_arrive_step(struct roc_evb *e, struct evb_sender *g);
/* A table has come: may what was sent by it be here? 0 or -errno, as before. */
int evb_arrive_tables(struct roc_evb *e, struct evb_sender *g);

/* Of sender.c */
/* As many have not said hello as may: nobody is let in. */
bool evb_senders_full(const struct evb_builder *b);
void evb_senders_admit(struct roc_evb *e);
void evb_sender_step(struct roc_evb *e, struct evb_sender *g);
void evb_sender_tables(struct roc_evb *e, struct evb_sender *g);
void evb_sender_close(struct roc_evb *e, struct evb_sender *g, const char *reason);

/* Of builder.c */
int evb_builder_new(struct roc_evb *e, char reason[ROC_EVB_REASON]);
void evb_builder_free(struct roc_evb *e);
/* Connections, what comes, blocks, the sink. 0 or -errno. */
int evb_builder_step(struct roc_evb *e);
void evb_builder_tables(struct roc_evb *e);
/* What is open is delivered as it is; the connections are closed. */
void evb_builder_drop(struct roc_evb *e);
void evb_builder_idle(struct roc_evb *e, struct roc_idle *idle);

#endif
