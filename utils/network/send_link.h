/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sending end, inside: its connections (send_link.c), and the sink above them (sink_send.c).
 */
#ifndef ROC_UTILS_SEND_LINK_H
#define ROC_UTILS_SEND_LINK_H

#include "network.h"
#include "wire.h"

#define SEND_PARCELS 4096 /* units that we can have */
#define SEND_NONE UINT32_MAX
/* Heads of parcels, and memory for a message, which nobody sends. */
#define SEND_HEADS ((SEND_PARCELS + 1) * (size_t)WIRE_HEAD)

enum link_state {
	DOWN,
	CONNECTING,
	GREETING,
	READY,
};

/* A unit that is ours. */
struct parcel {
	struct fi_context2 context; /* libfabric's, as long as it flies; the first of all */
	struct unit unit;
	uint32_t next; /* in its list */
	uint32_t slot;
	uint32_t link;	/* connection */
	uint64_t order; /* in which they were put: numbers of units begin anew in each run */
	bool in_flight; /* the provider reads it */
	bool arrived;	/* the receiver is done with it */
	bool sent;	/* once at least */
};

struct list {
	uint32_t first, last, count;
};

/* A connection. */
struct link {
	enum link_state state;
	struct control control;
	struct fabric_end end;
	struct fi_context2 message; /* that nobody should send */
	bool open;		    /* the end is */
	uint64_t since;		    /* it has been so, units_now() */
	uint64_t absent_since;	    /* no receiver that takes anything since, 0: there is one */
	uint64_t polled;	    /* at the control connection */
	struct wire_welcome welcome;
	uint32_t *slots; /* free ones, a stack */
	uint32_t slot_count;
	uint32_t *in_slot; /* parcel in each, NONE */
	struct list queue; /* to be sent */
	uint32_t in_flight;
	uint64_t units, bytes; /* arrived, at the receiver that is there now */
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
	uint64_t confirm_until; /* the receiver has said what it has; 0: it was not asked */
	struct parcel *parcels;
	uint64_t order;	      /* of the next */
	unsigned char *heads; /* of each parcel, what is written before its data */
	struct list free, done;
	struct link *links;
	char last[UNITS_REASON]; /* why a connection was lost */
	/* The receiver's, since it was there once: nobody is asked for its name while data wait. */
	char address[CONTROL_ADDRESS];
};

void parcel_push(struct send *s, struct list *l, uint32_t i);
uint32_t parcel_pop(struct send *s, struct list *l);

/*
 * Of a connection that is not there: one step further. -errno: this try failed, -EPROTO: and so
 * will every other.
 */
int link_try(struct send *s, struct link *l, char reason[UNITS_REASON]);
/* Of one that is there: hear, send what there is room for, look what was sent. */
int link_serve(struct send *s, struct link *l);
/* The receiver is gone: what it did not say it has is to be sent again, in its order. */
void link_lose(struct send *s, struct link *l, const char *reason);
void link_end(struct send *s, struct link *l);

#endif
