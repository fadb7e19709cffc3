/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control connection as bytes: Documentation/transport.md. All little endian. Nothing that came
 * over it is believed before it was looked at here.
 */
#ifndef ROC_UTILS_WIRE_H
#define ROC_UTILS_WIRE_H

#include "libroc/fabric/control.h"
#include "libroc/fabric/fabric.h"
#include "utils/units/units.h"

#define WIRE_MAGIC "ROC-UNIT"
#define WIRE_VERSION 1
#define WIRE_GREETING 16 /* bytes that are the same in all versions */
#define WIRE_HELLO 512	 /* with these */
#define WIRE_WELCOME 768 /* with these */
#define WIRE_RECORD 32
#define WIRE_HEAD 64 /* in memory, before the data of a unit */
#define WIRE_SLOTS_MAX 65536
#define WIRE_CREDITS 1024 /* slots in one record */

enum wire_status {
	WIRE_OK = 0,
	WIRE_NO_VERSION = 1,
	WIRE_NO_PROVIDER = 2,
	WIRE_TOO_LARGE = 3,
	WIRE_BUSY = 4, /* as many connections as there can be */
	WIRE_OTHER_CONTENT = 5,
	WIRE_BROKEN = 6, /* the receiver could not open its end */
};

/* Sender to receiver. */
struct wire_hello {
	uint32_t version;
	uint32_t connection, connections; /* of the run: which one, of how many */
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
	WIRE_BEAT = 1,	 /* nothing new */
	WIRE_CREDIT = 2, /* receiver: @count slots, each as 4 bytes behind the record */
	WIRE_END = 3,	 /* sender: all was sent: @a units, @b bytes */
	WIRE_TOTALS = 4, /* receiver: all was received: @a units, @b bytes */
};

struct wire_record {
	uint32_t type, count;
	uint64_t a, b;
};

/* In front of the data of a unit, written with them. */
struct wire_head {
	uint64_t bytes, sequence, first, time, run;
	int32_t link;
	uint32_t flags;
};

enum wire_wrong {
	WIRE_GOOD,
	WIRE_NOT_ROC, /* that is no roc */
	WIRE_VERSION_WRONG,
	WIRE_MALFORMED,
};

void wire_put_hello(unsigned char *to, const struct wire_hello *h);
enum wire_wrong wire_get_hello(const unsigned char *from, struct wire_hello *h);
void wire_put_welcome(unsigned char *to, const struct wire_welcome *w);
enum wire_wrong wire_get_welcome(const unsigned char *from, struct wire_welcome *w);
/* Of the first 16 bytes of either. */
enum wire_wrong wire_get_greeting(const unsigned char *from, uint32_t *version);

void wire_put_record(unsigned char *to, const struct wire_record *r);
bool wire_get_record(const unsigned char *from, struct wire_record *r);
void wire_put_slot(unsigned char *to, uint32_t slot);
uint32_t wire_get_slot(const unsigned char *from);

void wire_put_head(unsigned char *to, const struct wire_head *h);
void wire_get_head(const unsigned char *from, struct wire_head *h);

/* A whole record at the front of what came, with its slots behind it: 1; 0 not yet; -EPROTO. */
int control_record(const struct control *c, struct wire_record *r);
void control_drop_record(struct control *c, const struct wire_record *r);
/*
 * Send a sign of life if nothing was sent for a while; -ETIMEDOUT: nothing came from the other end
 * for @silence seconds.
 */
int control_beat(struct control *c, uint64_t now, uint32_t silence);

#endif
