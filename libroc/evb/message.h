/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What nodes say to each other, as bytes, all little endian. What came from a peer is looked at
 * here before anybody uses it.
 */
#ifndef LIBROC_EVB_MESSAGE_H
#define LIBROC_EVB_MESSAGE_H

#include <roc/evb.h>

#include "libroc/fabric/fabric.h"

#define EVB_MAGIC "ROC-EVB"
#define EVB_VERSION 1
#define EVB_GREETING 4096    /* bytes, of either direction */
#define EVB_GREETING_SAME 16 /* of these that are the same in all versions */
#define EVB_REGIONS 64	     /* pieces of memory of one end */
#define EVB_SEGMENTS 65535
#define EVB_COMMAND 4096 /* bytes of the longest message */
#define EVB_HEAD 48	 /* of these before what it carries */
#define EVB_PAYLOAD (EVB_COMMAND - EVB_HEAD)
#define EVB_SEGMENT_HEAD 64
#define EVB_SEGMENT_MIN 4096
#define EVB_PIECE 24
#define EVB_PIECES (EVB_PAYLOAD / EVB_PIECE) /* in one message */
#define EVB_PIECES_MAX 65536		     /* of a MFP */

#define EVB_NONE UINT32_MAX /* no index or slot */

enum evb_status {
	EVB_OK = 0,
	EVB_NO_VERSION = 1,
	EVB_NO_LAYOUT = 2,
	EVB_NO_SYSTEM = 3,
	EVB_NO_PROVIDER = 4,
	EVB_NO_PROTOCOL = 5,
	EVB_NO_EVENTS = 6,   /* of a block: another number */
	EVB_TOO_LARGE = 7,   /* MFPs */
	EVB_NO_ROOM = 8,     /* as many peers as there can be */
	EVB_NOT_TRUSTED = 9, /* it lied before */
	EVB_OTHER_NODE = 10, /* it is not the node, or not the process, that was meant */
	EVB_BROKEN = 11,     /* its end could not be opened */
	EVB_STATUSES
};

/* Memory of one end, as the other end must say it to reach it. */
struct evb_region {
	uint64_t base, key, bytes;
};

/* The first thing that each end says over TCP. */
struct evb_greeting {
	uint32_t version, status, layout, protocol;
	uint32_t events, in_flight, pieces, name_bytes, region_count;
	uint32_t segments, per_region; /* of all regions, of one */
	uint64_t segment;	       /* bytes of one, with its head */
	uint64_t mfp_max, incarnation, to_incarnation;
	char system[ROC_EVB_NAME], name[ROC_EVB_NAME], to[ROC_EVB_NAME], provider[32];
	char reason[256];
	unsigned char end_name[FABRIC_NAME];
	struct evb_region regions[EVB_REGIONS];
};

enum evb_wrong {
	EVB_GOOD,
	EVB_STRANGER,
	EVB_VERSION_WRONG,
	EVB_MALFORMED,
};

/* @to, @from: EVB_GREETING bytes; of another version as many as the same ones. */
void evb_put_greeting(unsigned char *to, const struct evb_greeting *g);
enum evb_wrong evb_get_greeting(const unsigned char *from, struct evb_greeting *g);
/* Of the first bytes. */
enum evb_wrong evb_get_version(const unsigned char *from, uint32_t *version);

/* The numbers are on the wire. */
enum evb_type {
	EVB_BEAT = 1,	/* clock; a: sender's, b: echo of the other's, c: ns since that came */
	EVB_CREDIT = 2, /* builder: @count segments may be written to */
	EVB_PASSED = 3, /* readout unit: a: blocks below are sent or are none, b: MFPs sent */
	EVB_END = 4,	/* readout unit: nothing more will come; b: MFPs sent */
	EVB_HAVE = 5, /* pull, readout unit: @number ticket, a: block, b: bytes, c: first piece here
			 and pieces in all (upper, lower half), d: epoch; @count pieces */
	EVB_GOT = 6,  /* pull, builder: is done with @count tickets */
	EVB_PIECE_OF = 7, /* command: a: offset in segment @number, b: pieces of it; @count bytes */
	EVB_BYE = 8,	  /* builder: has all of a readout unit that ended */
	EVB_TYPES
};

struct evb_message {
	enum evb_type type;
	uint32_t count, number;
	uint64_t a, b, c, d;
	size_t bytes;		      /* of all of it */
	const unsigned char *payload; /* in what was decoded */
};

struct evb_piece {
	uint32_t region;
	uint64_t offset, bytes;
};

/* @to: EVB_COMMAND bytes; the payload is put behind EVB_HEAD by the caller. Bytes of all. */
size_t evb_put_message(unsigned char *to, const struct evb_message *m);
/* False: that is no message. */
bool evb_get_message(const unsigned char *from, size_t bytes, struct evb_message *m);
void evb_put_number(unsigned char *message, uint32_t i, uint32_t number);
uint32_t evb_get_number(const struct evb_message *m, uint32_t i);
void evb_put_piece(unsigned char *message, uint32_t i, const struct evb_piece *p);
void evb_get_piece(const struct evb_message *m, uint32_t i, struct evb_piece *p);

/* In front of the data in each segment. */
struct evb_segment {
	uint64_t block, mfp_bytes, bytes, epoch;
	uint32_t part, parts;
};

void evb_put_segment(unsigned char *to, const struct evb_segment *s);
/* @room: bytes behind the head. False: it cannot be. */
bool evb_get_segment(const unsigned char *from, uint64_t room, struct evb_segment *s);

/* Segments that a MFP needs. */
static inline uint64_t evb_parts(uint64_t mfp_bytes, uint64_t room)
{
	return (mfp_bytes + room - 1) / room;
}

/* What tells that a segment was written to: which, and by how many writes in all. */
#define EVB_WRITES_MAX 65535
static inline uint32_t evb_notice(uint32_t segment, uint32_t writes)
{
	return segment | writes << 16;
}

#endif
