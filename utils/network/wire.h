/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encode and decode the control connection, as specified in Documentation/transport.md. All numbers
 * are little endian. Input from the peer is validated here before use.
 */
#ifndef ROC_UTILS_WIRE_H
#define ROC_UTILS_WIRE_H

#include "libroc/fabric/control.h"
#include "libroc/fabric/fabric.h"
#include "utils/units/units.h"

#define WIRE_MAGIC "ROC-UNIT"
#define WIRE_VERSION 1
#define WIRE_GREETING 16 /* bytes that are equal in all versions */
#define WIRE_HELLO 512	 /* including the greeting */
#define WIRE_WELCOME 768 /* including the greeting */
#define WIRE_RECORD 32
#define WIRE_HEAD 64 /* in memory, before the data of a unit */
#define WIRE_SLOTS_MAX 65536
#define WIRE_CREDITS 1024 /* slots in one record */

enum wire_status {
	WIRE_OK = 0,
	WIRE_NO_VERSION = 1,
	WIRE_NO_PROVIDER = 2,
	WIRE_TOO_LARGE = 3,
	WIRE_BUSY = 4, /* the maximum number of connections is reached, or the receiver ends */
	WIRE_OTHER_CONTENT = 5,
	WIRE_BROKEN = 6, /* the receiver could not open its end */
};

/* Sender to receiver. */
struct wire_hello {
	uint32_t version;
	uint32_t connection, connections; /* number within the run, and their count */
	uint32_t content, page_bytes, flags;
	uint64_t run, unit_max;
	char from[64];
	char provider[32];
	uint32_t name_bytes;
	unsigned char name[FABRIC_NAME];
};

/* Receiver to sender. */
struct wire_welcome {
	uint32_t version, status, slots, name_bytes;
	uint64_t base, key, stride, slot_bytes;
	char provider[32];
	char reason[256];
	unsigned char name[FABRIC_NAME];
};

enum wire_type {
	WIRE_BEAT = 1,	 /* keep-alive */
	WIRE_CREDIT = 2, /* from the receiver: @count slots, 4 bytes each, follow the record */
	WIRE_END = 3,	 /* from the sender: all units are sent: @a units, @b bytes */
	WIRE_TOTALS = 4, /* from the receiver: all units are received: @a units, @b bytes */
};

struct wire_record {
	uint32_t type, count;
	uint64_t a, b;
};

/* Description of a unit, written right before its data. */
struct wire_head {
	uint64_t bytes, sequence, first, time, run;
	int32_t link;
	uint32_t flags;
};

enum wire_wrong {
	WIRE_GOOD,
	WIRE_NOT_ROC, /* the peer does not speak this protocol */
	WIRE_VERSION_WRONG,
	WIRE_MALFORMED,
};

void wire_put_hello(unsigned char *to, const struct wire_hello *h);
enum wire_wrong wire_get_hello(const unsigned char *from, struct wire_hello *h);
void wire_put_welcome(unsigned char *to, const struct wire_welcome *w);
enum wire_wrong wire_get_welcome(const unsigned char *from, struct wire_welcome *w);
/* Decode the first 16 bytes of either message. */
enum wire_wrong wire_get_greeting(const unsigned char *from, uint32_t *version);

void wire_put_record(unsigned char *to, const struct wire_record *r);
bool wire_get_record(const unsigned char *from, struct wire_record *r);
void wire_put_slot(unsigned char *to, uint32_t slot);
uint32_t wire_get_slot(const unsigned char *from);

void wire_put_head(unsigned char *to, const struct wire_head *h);
void wire_get_head(const unsigned char *from, struct wire_head *h);

/*
 * Get the first record in the input buffer: 1 if it is complete, with its slots; 0 not yet;
 * -EPROTO.
 */
int control_record(const struct control *c, struct wire_record *r);
void control_drop_record(struct control *c, const struct wire_record *r);
/*
 * Send a keep-alive if nothing was sent for a while. Return: -ETIMEDOUT if nothing was received for
 * @silence seconds.
 */
int control_beat(struct control *c, uint64_t now, uint32_t silence);

#endif
