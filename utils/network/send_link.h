/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the sending end: its connections (send_link.c), and the sink that uses them
 * (sink_send.c).
 */
#ifndef ROC_UTILS_SEND_LINK_H
#define ROC_UTILS_SEND_LINK_H

#include "network.h"
#include "wire.h"

#define SEND_PARCELS 4096 /* units with the sink at most */
#define SEND_NONE UINT32_MAX
/* Heads of parcels, and a buffer for an unexpected message. */
#define SEND_HEADS ((SEND_PARCELS + 1) * (size_t)WIRE_HEAD)

enum link_state {
	DOWN,
	CONNECTING,
	GREETING,
	READY,
};

/* A unit that the sink has. */
struct parcel {
	/* of libfabric while the write is in flight; must be the first member */
	struct fi_context2 context;
	struct unit unit;
	uint32_t next; /* in its list */
	uint32_t slot;
	uint32_t link;	/* connection */
	uint64_t order; /* order of put(): sequence numbers of units restart in each run */
	bool in_flight; /* libfabric reads it */
	bool arrived;	/* its credit has arrived */
	bool sent;	/* at least once */
};

struct list {
	uint32_t first, last, count;
};

/* A connection. */
struct link {
	enum link_state state;
	struct control control;
	struct fabric_end end;
	struct fi_context2 message; /* buffer for an unexpected message */
	bool open;		    /* @end is open */
	uint64_t since;		    /* units_now() at which @state was entered */
	/* units_now() since which no receiver completes units, 0: there is one */
	uint64_t absent_since;
	uint64_t polled; /* units_now() of the last poll of the control connection */
	struct wire_welcome welcome;
	uint32_t *slots; /* stack of free ones */
	uint32_t slot_count;
	uint32_t *in_slot; /* parcel in each slot, or SEND_NONE */
	struct list queue; /* units to send */
	uint32_t in_flight;
	uint64_t units, bytes; /* arrived at the receiver of this connection */
	bool ended, confirmed;
	struct wire_record totals;
};

struct send {
	struct sink sink;
	struct send_options opt;
	const struct source *source;
	struct fabric fabric;
	bool have_fabric;
	int broken; /* -errno: libfabric did not close a connection */
	uint64_t run;
	/* units_now() by which the totals must be received; 0: no end record was sent */
	uint64_t confirm_until;
	struct parcel *parcels;
	uint64_t order;	      /* of the next parcel */
	unsigned char *heads; /* for each parcel: the head that is written before its data */
	struct list free, done;
	struct link *links;
	char last[UNITS_REASON]; /* reason of the last loss of a connection */
	/*
	 * Address of the receiver once it was connected, so that no name is resolved while data
	 * wait.
	 */
	char address[CONTROL_ADDRESS];
};

void parcel_push(struct send *s, struct list *l, uint32_t i);
uint32_t parcel_pop(struct send *s, struct list *l);

/*
 * Advance the setup of a connection by one step. Return: -errno if this attempt failed; -EPROTO: no
 * other attempt can succeed.
 */
int link_try(struct send *s, struct link *l, char reason[UNITS_REASON]);
/*
 * Serve an established connection: receive records, send units into free slots, collect completed
 * writes.
 */
int link_serve(struct send *s, struct link *l);
/* The connection is lost: queue the units without a credit again, in their order. */
void link_lose(struct send *s, struct link *l, const char *reason);
void link_end(struct send *s, struct link *l);

#endif
