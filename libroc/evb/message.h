/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encoding of the messages between nodes, all little endian. The decoders validate the data of a
 * peer before any other file uses it.
 */
#ifndef LIBROC_EVB_MESSAGE_H
#define LIBROC_EVB_MESSAGE_H

#include <roc/evb.h>

#include "libroc/fabric/fabric.h"

#define EVB_MAGIC "ROC-EVB"
#define EVB_VERSION 1
#define EVB_GREETING 4096    /* bytes, in both directions */
#define EVB_GREETING_SAME 16 /* bytes of it that are the same in all versions */
#define EVB_REGIONS 64	     /* registered regions of one end */
#define EVB_SEGMENTS 65535
#define EVB_COMMAND 4096 /* bytes of the longest message */
#define EVB_HEAD 48	 /* bytes before the payload */
#define EVB_PAYLOAD (EVB_COMMAND - EVB_HEAD)
#define EVB_SEGMENT_HEAD 64
#define EVB_SEGMENT_MIN 4096
#define EVB_PIECE 24
#define EVB_PIECES (EVB_PAYLOAD / EVB_PIECE) /* in one message */
#define EVB_PIECES_MAX 65536		     /* in an MFP */

#define EVB_NONE UINT32_MAX /* no index or slot */

enum evb_status {
	EVB_OK = 0,
	EVB_NO_VERSION = 1,
	EVB_NO_LAYOUT = 2,
	EVB_NO_SYSTEM = 3,
	EVB_NO_PROVIDER = 4,
	EVB_NO_PROTOCOL = 5,
	EVB_NO_EVENTS = 6,   /* different number of events in a block */
	EVB_TOO_LARGE = 7,   /* MFPs */
	EVB_NO_ROOM = 8,     /* the maximum number of peers is connected */
	EVB_NOT_TRUSTED = 9, /* it violated the protocol before */
	EVB_OTHER_NODE = 10, /* this is not the intended node, or not the intended process */
	EVB_BROKEN = 11,     /* cannot open the endpoint */
	EVB_STATUSES
};

/* Memory of one end, with the address and key that the other end needs. */
struct evb_region {
	uint64_t base, key, bytes;
};

/* The first message of each end, over TCP. */
struct evb_greeting {
	uint32_t version, status, layout, protocol;
	uint32_t events, in_flight, pieces, name_bytes, region_count;
	uint32_t segments, per_region; /* of all regions, of one region */
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

/* @to, @from: EVB_GREETING bytes; of another version at least EVB_GREETING_SAME. */
void evb_put_greeting(unsigned char *to, const struct evb_greeting *g);
enum evb_wrong evb_get_greeting(const unsigned char *from, struct evb_greeting *g);
/* Decode the version from the first EVB_GREETING_SAME bytes. */
enum evb_wrong evb_get_version(const unsigned char *from, uint32_t *version);

/* The numbers are part of the protocol. */
enum evb_type {
	EVB_BEAT = 1,	/* a: sender's clock, b: echo of the peer's, c: ns since its arrival */
	EVB_CREDIT = 2, /* builder: @count segments may be written to */
	EVB_PASSED = 3, /* readout unit: a: it sends no further block below, b: MFPs sent */
	EVB_END = 4,	/* readout unit: no further data; b: MFPs sent */
	EVB_HAVE =
		5,   /* pull, readout unit: @number: ticket, a: block, b: bytes, c: first piece here
			 and number of all (upper, lower half), d: epoch; @count pieces */
	EVB_GOT = 6, /* pull, builder: @count tickets were read */
	EVB_PIECE_OF = 7, /* command: a: offset in segment @number, b: pieces of it; @count bytes */
	EVB_BYE = 8,	  /* builder: has all data of a readout unit that ended */
	EVB_TYPES
};

struct evb_message {
	enum evb_type type;
	uint32_t count, number;
	uint64_t a, b, c, d;
	size_t bytes;		      /* of the whole message */
	const unsigned char *payload; /* in the decoded bytes */
};

struct evb_piece {
	uint32_t region;
	uint64_t offset, bytes;
};

/* @to: EVB_COMMAND bytes; the caller writes the payload at EVB_HEAD. Return the size in bytes. */
size_t evb_put_message(unsigned char *to, const struct evb_message *m);
/* Return false if it is not a valid message. */
bool evb_get_message(const unsigned char *from, size_t bytes, struct evb_message *m);
void evb_put_number(unsigned char *message, uint32_t i, uint32_t number);
uint32_t evb_get_number(const struct evb_message *m, uint32_t i);
void evb_put_piece(unsigned char *message, uint32_t i, const struct evb_piece *p);
void evb_get_piece(const struct evb_message *m, uint32_t i, struct evb_piece *p);

/* Head of each segment. */
struct evb_segment {
	uint64_t block, mfp_bytes, bytes, epoch;
	uint32_t part, parts;
};

void evb_put_segment(unsigned char *to, const struct evb_segment *s);
/* @room: bytes behind the head. Return false if the head is invalid. */
bool evb_get_segment(const unsigned char *from, uint64_t room, struct evb_segment *s);

/* Number of segments of an MFP. */
static inline uint64_t evb_parts(uint64_t mfp_bytes, uint64_t room)
{
	return (mfp_bytes + room - 1) / room;
}

/* The number of a write into a segment: the segment, and the number of all its writes. */
#define EVB_WRITES_MAX 65535
static inline uint32_t evb_notice(uint32_t segment, uint32_t writes)
{
	return segment | writes << 16;
}

#endif
