/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encode and decode the messages between roc-rosd and its clients (Documentation/ros-protocol.md),
 * for both ends, without side effects. Input from the peer is not trusted: every length is
 * validated, and nothing beyond the given bytes is read.
 */
#ifndef ROC_UTILS_ROS_PROTOCOL_H
#define ROC_UTILS_ROS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROS_MAGIC UINT32_C(0x52534f52) /* "ROSR" */
#define ROS_VERSION_LOWEST 1
#define ROS_VERSION 1

#define ROS_LINKS 64 /* in a set of links */

enum ros_type {
	ROS_HELLO = 0x01,
	ROS_REQUEST = 0x02,
	ROS_CLEAR = 0x03,
	ROS_WELCOME = 0x81,
	ROS_REPLY = 0x82,
	ROS_CLEARED = 0x83,
	ROS_ERROR = 0x8f,
};

/* Lengths including the header. REPLY, CLEAR and ERROR: length of the fixed part. */
#define ROS_HEADER_BYTES 16
#define ROS_HELLO_BYTES 24
#define ROS_REQUEST_BYTES 32
#define ROS_CLEAR_BYTES 24
#define ROS_WELCOME_BYTES 64
#define ROS_REPLY_BYTES 24
#define ROS_ENTRY_BYTES 8
#define ROS_CLEARED_BYTES 32
#define ROS_ERROR_BYTES 32

#define ROS_REPLY_HEAD_MAX (ROS_REPLY_BYTES + ROS_LINKS * ROS_ENTRY_BYTES)
#define ROS_SENTENCE_MAX 200
#define ROS_ERROR_MAX (ROS_ERROR_BYTES + ROS_SENTENCE_MAX)

/* Flags of REPLY and of ERROR. */
#define ROS_INCOMPLETE (1u << 0)
#define ROS_UNKNOWN (1u << 1)
#define ROS_CLOSES (1u << 0)

enum ros_status {
	ROS_OK,
	ROS_NOT_THERE,
	ROS_NO_LINK,
	ROS_FAILED,
	ROS_GONE,
	ROS_BUSY,
	ROS_DRAINING,
	ROS_STATUSES
};

enum ros_code {
	ROS_E_NONE,
	ROS_E_MALFORMED,
	ROS_E_TOO_LONG,
	ROS_E_UNKNOWN_TYPE,
	ROS_E_NO_HELLO,
	ROS_E_VERSION,
	ROS_E_TOO_MANY_CLIENTS,
	ROS_E_TOO_MANY_REQUESTS,
	ROS_E_TOO_MANY_CLEARS,
	ROS_E_TOO_MANY_EVENTS,
	ROS_E_NO_LINKS,
	ROS_E_DRAINING,
	ROS_E_TIMEOUT,
	ROS_E_BAD_MAGIC,
	ROS_CODES
};

struct ros_hello {
	uint16_t lowest, highest;
};

/* Limits that the daemon announces; its decoder checks messages against them. */
struct ros_limits {
	uint64_t links;
	uint32_t message; /* maximum length of a message from a client, in bytes */
	uint32_t requests, clears;
	uint32_t events; /* of a CLEAR */
	uint32_t fragment;
	uint32_t wait, patience; /* ms */
	uint32_t backlog;
};

struct ros_request {
	uint32_t event;
	uint64_t links;
};

struct ros_clear {
	uint32_t count;
	const uint8_t *events; /* in the message: ros_clear_event() */
};

struct ros_entry {
	uint8_t link;
	uint8_t status;
	uint16_t marks;
	uint32_t size;
};

struct ros_reply {
	uint32_t event;
	unsigned int count;
	const uint8_t *entries; /* in the message: ros_reply_entry() */
	const uint8_t *data;
};

struct ros_cleared {
	uint32_t events, unknown, fragments;
};

struct ros_error {
	uint16_t code;
	uint32_t limit, value;
	uint32_t length;
	const char *text; /* decoder: in the message, not terminated */
};

struct ros_message {
	uint32_t length;
	uint16_t type;
	uint16_t flags;
	uint64_t id;
	union {
		struct ros_hello hello;
		struct ros_request request;
		struct ros_clear clear;
		struct ros_reply reply;
		struct ros_cleared cleared;
		struct ros_error error;
		struct {
			uint16_t version;
			struct ros_limits limits;
		} welcome;
	};
};

/* Why a message is refused. @id: 0 if the message is too short to have one. */
struct ros_refusal {
	enum ros_code code;
	uint64_t id;
	uint32_t limit, value;
};

enum ros_decoded {
	ROS_MORE,    /* the message is not complete yet */
	ROS_MESSAGE, /* @m is complete, m->length bytes long */
	/* see @reason; if ros_closes(reason->code), the data behind it are not valid */
	ROS_REFUSED,
};

/*
 * Decode the message of a client at @bytes, of which @have bytes are there. After a refusal that
 * does not close, m->length is valid: the next message follows.
 */
enum ros_decoded ros_decode_client(const void *bytes, size_t have, const struct ros_limits *limits,
				   struct ros_message *m, struct ros_refusal *reason);
/* Decode a message of the daemon. @longest: maximum length that the caller has a buffer for. */
enum ros_decoded ros_decode_daemon(const void *bytes, size_t have, uint32_t longest,
				   struct ros_message *m, struct ros_refusal *reason);

uint32_t ros_clear_event(const struct ros_clear *c, uint32_t number);
void ros_reply_entry(const struct ros_reply *r, unsigned int number, struct ros_entry *entry);

/*
 * Encoders return the number of bytes written; @out has space for the length above. A REPLY is
 * encoded without its fragments: @bytes is their total size.
 */
size_t ros_encode_hello(void *out, uint64_t id, const struct ros_hello *hello);
size_t ros_encode_request(void *out, uint64_t id, const struct ros_request *request);
size_t ros_encode_clear(void *out, uint64_t id, const uint32_t *events, uint32_t count);
size_t ros_encode_welcome(void *out, uint64_t id, uint16_t version,
			  const struct ros_limits *limits);
size_t ros_encode_reply(void *out, uint64_t id, uint32_t event, uint16_t flags,
			const struct ros_entry *entries, unsigned int count, uint32_t bytes);
size_t ros_encode_cleared(void *out, uint64_t id, const struct ros_cleared *cleared);
/* Includes the text for the code: at most ROS_ERROR_MAX bytes. */
size_t ros_encode_error(void *out, const struct ros_refusal *reason);

bool ros_closes(enum ros_code code);
const char *ros_code_name(enum ros_code code); /* "TOO_LONG" */
#define ROS_CODE_KEY_MAX 24
const char *ros_code_key(enum ros_code code, char key[ROS_CODE_KEY_MAX]); /* "tooLong" */
const char *ros_status_name(unsigned int status);			  /* "not there" */

/* Return the highest version that both ends support, 0: none. */
uint16_t ros_version(const struct ros_hello *hello);

#endif
