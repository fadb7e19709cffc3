// SPDX-License-Identifier: GPL-2.0-or-later
/* Encode and decode the messages between roc-rosd and its clients. */
#include "protocol.h"

#include <ctype.h>
#include <stdio.h>

#include "libroc/core/bytes.h"

static const struct {
	const char *name;
	bool closes;
	const char *text; /* arguments: limit, then value, both %u */
} codes[ROS_CODES] = {
	[ROS_E_NONE] = {"NONE", false, "Nothing is wrong."},
	[ROS_E_MALFORMED] = {"MALFORMED", true, "A message is malformed."},
	[ROS_E_TOO_LONG] = {"TOO_LONG", true,
			    "A message can have at most %u bytes, this one has %u."},
	[ROS_E_UNKNOWN_TYPE] = {"UNKNOWN_TYPE", true, "Unknown message type (limit %u): %u."},
	[ROS_E_NO_HELLO] = {"NO_HELLO", true, "The first message must be HELLO."},
	[ROS_E_VERSION] = {"VERSION", true,
			   "The daemon supports versions up to %u, the client up to %u."},
	[ROS_E_TOO_MANY_CLIENTS] =
		{"TOO_MANY_CLIENTS", true,
		 "The maximum number of %u clients is reached, %u are connected: see --max-clients."},
	[ROS_E_TOO_MANY_REQUESTS] =
		{"TOO_MANY_REQUESTS", false,
		 "At most %u requests may be outstanding, and %u are: see --max-requests."},
	[ROS_E_TOO_MANY_CLEARS] =
		{"TOO_MANY_CLEARS", false,
		 "At most %u clears may be outstanding, and %u are: see --max-clears."},
	[ROS_E_TOO_MANY_EVENTS] =
		{"TOO_MANY_EVENTS", false,
		 "A clear can have at most %u events, this one has %u: see --max-events."},
	[ROS_E_NO_LINKS] = {"NO_LINKS", false, "A request must have at least one link."},
	[ROS_E_DRAINING] = {"DRAINING", false,
			    "The daemon is shutting down and accepts no new requests."},
	[ROS_E_TIMEOUT] =
		{"TIMEOUT", true,
		 "HELLO or the rest of a message did not arrive within %u ms: see --patience."},
	[ROS_E_BAD_MAGIC] = {"BAD_MAGIC", true, "The peer does not use this protocol."},
};

static const char *const statuses[ROS_STATUSES] = {
	[ROS_OK] = "ok",
	[ROS_NOT_THERE] = "not there",
	[ROS_NO_LINK] = "no such link",
	[ROS_FAILED] = "failed",
	[ROS_GONE] = "gone",
	[ROS_BUSY] = "busy",
	[ROS_DRAINING] = "draining",
};

bool ros_closes(enum ros_code code)
{
	return code < ROS_CODES && codes[code].closes;
}

const char *ros_code_name(enum ros_code code)
{
	return code < ROS_CODES ? codes[code].name : "unknown";
}

const char *ros_code_key(enum ros_code code, char key[ROS_CODE_KEY_MAX])
{
	const char *from = ros_code_name(code);
	size_t n = 0;

	for (; *from && n < ROS_CODE_KEY_MAX - 1; from++) {
		if (*from == '_')
			key[n++] = *++from;
		else
			key[n++] = (char)tolower(*from);
	}
	key[n] = '\0';
	return key;
}

const char *ros_status_name(unsigned int status)
{
	return status < ROS_STATUSES ? statuses[status] : "unknown";
}

uint16_t ros_version(const struct ros_hello *hello)
{
	uint16_t version = hello->highest < ROS_VERSION ? hello->highest : ROS_VERSION;

	return version >= hello->lowest && version >= ROS_VERSION_LOWEST ? version : 0;
}

static enum ros_decoded refuse(struct ros_refusal *reason, const struct ros_message *m,
			       enum ros_code code, uint32_t limit, uint32_t value)
{
	*reason = (struct ros_refusal){.code = code, .id = m->id, .limit = limit, .value = value};
	return ROS_REFUSED;
}

static enum ros_decoded malformed(struct ros_refusal *reason, const struct ros_message *m)
{
	return refuse(reason, m, ROS_E_MALFORMED, 0, 0);
}

/* Decode the header, and check whether the message is complete. */
static enum ros_decoded header(const uint8_t *at, size_t have, uint32_t longest,
			       struct ros_message *m, struct ros_refusal *reason)
{
	if (have < ROS_HEADER_BYTES)
		return ROS_MORE;
	*m = (struct ros_message){
		.length = get32(at),
		.type = get16(at + 4),
		.flags = get16(at + 6),
		.id = get64(at + 8),
	};
	if (m->length < ROS_HEADER_BYTES)
		return malformed(reason, m);
	if (m->length > longest)
		return refuse(reason, m, ROS_E_TOO_LONG, longest, m->length);
	return m->length <= have ? ROS_MESSAGE : ROS_MORE;
}

static enum ros_decoded decode_hello(const uint8_t *at, struct ros_message *m,
				     struct ros_refusal *reason)
{
	if (m->length != ROS_HELLO_BYTES)
		return malformed(reason, m);
	if (get32(at + 16) != ROS_MAGIC)
		return refuse(reason, m, ROS_E_BAD_MAGIC, 0, 0);
	m->hello = (struct ros_hello){.lowest = get16(at + 20), .highest = get16(at + 22)};
	if (m->hello.lowest > m->hello.highest)
		return malformed(reason, m);
	return ROS_MESSAGE;
}

static enum ros_decoded decode_request(const uint8_t *at, struct ros_message *m,
				       struct ros_refusal *reason)
{
	if (m->length != ROS_REQUEST_BYTES || get32(at + 20))
		return malformed(reason, m);
	m->request = (struct ros_request){.event = get32(at + 16), .links = get64(at + 24)};
	if (!m->request.links)
		return refuse(reason, m, ROS_E_NO_LINKS, 0, 0);
	return ROS_MESSAGE;
}

static enum ros_decoded decode_clear(const uint8_t *at, const struct ros_limits *limits,
				     struct ros_message *m, struct ros_refusal *reason)
{
	if (m->length < ROS_CLEAR_BYTES || get32(at + 20))
		return malformed(reason, m);
	m->clear.count = get32(at + 16);
	m->clear.events = at + ROS_CLEAR_BYTES;
	if (!m->clear.count || (m->length - ROS_CLEAR_BYTES) % 4 ||
	    m->clear.count != (m->length - ROS_CLEAR_BYTES) / 4)
		return malformed(reason, m);
	if (m->clear.count > limits->events)
		return refuse(reason, m, ROS_E_TOO_MANY_EVENTS, limits->events, m->clear.count);
	return ROS_MESSAGE;
}

enum ros_decoded ros_decode_client(const void *bytes, size_t have, const struct ros_limits *limits,
				   struct ros_message *m, struct ros_refusal *reason)
{
	const uint8_t *at = bytes;
	enum ros_decoded got = header(at, have, limits->message, m, reason);

	/* Refuse a message with an invalid header at once, without waiting for the rest. */
	if (got != ROS_REFUSED && have >= ROS_HEADER_BYTES) {
		if (m->type < ROS_HELLO || m->type > ROS_CLEAR)
			return refuse(reason, m, ROS_E_UNKNOWN_TYPE, ROS_CLEAR, m->type);
		if (m->flags)
			return malformed(reason, m);
	}
	if (got != ROS_MESSAGE)
		return got;
	switch (m->type) {
	case ROS_HELLO:
		return decode_hello(at, m, reason);
	case ROS_REQUEST:
		return decode_request(at, m, reason);
	default:
		return decode_clear(at, limits, m, reason);
	}
}

static enum ros_decoded decode_welcome(const uint8_t *at, struct ros_message *m,
				       struct ros_refusal *reason)
{
	if (m->length < ROS_WELCOME_BYTES)
		return malformed(reason, m);
	if (get32(at + 16) != ROS_MAGIC)
		return refuse(reason, m, ROS_E_BAD_MAGIC, 0, 0);
	m->welcome.version = get16(at + 20);
	m->welcome.limits = (struct ros_limits){
		.links = get64(at + 24),
		.message = get32(at + 32),
		.requests = get32(at + 36),
		.clears = get32(at + 40),
		.events = get32(at + 44),
		.fragment = get32(at + 48),
		.wait = get32(at + 52),
		.patience = get32(at + 56),
		.backlog = get32(at + 60),
	};
	return ROS_MESSAGE;
}

/* The entries must be in ascending order, and their sizes must match the length of the message. */
static enum ros_decoded decode_reply(const uint8_t *at, struct ros_message *m,
				     struct ros_refusal *reason)
{
	struct ros_entry entry;
	uint64_t sum = 0;
	int last = -1;
	unsigned int i;

	if (m->length < ROS_REPLY_BYTES)
		return malformed(reason, m);
	m->reply.event = get32(at + 16);
	m->reply.count = get16(at + 20);
	m->reply.entries = at + ROS_REPLY_BYTES;
	if (!m->reply.count || m->reply.count > ROS_LINKS ||
	    m->length - ROS_REPLY_BYTES < m->reply.count * ROS_ENTRY_BYTES)
		return malformed(reason, m);
	for (i = 0; i < m->reply.count; i++) {
		ros_reply_entry(&m->reply, i, &entry);
		if (entry.link <= last || entry.link >= ROS_LINKS ||
		    (entry.size && entry.status != ROS_OK))
			return malformed(reason, m);
		last = entry.link;
		sum += entry.size;
	}
	if (sum != m->length - ROS_REPLY_BYTES - m->reply.count * ROS_ENTRY_BYTES)
		return malformed(reason, m);
	m->reply.data = m->reply.entries + m->reply.count * ROS_ENTRY_BYTES;
	return ROS_MESSAGE;
}

static enum ros_decoded decode_error(const uint8_t *at, struct ros_message *m,
				     struct ros_refusal *reason)
{
	if (m->length < ROS_ERROR_BYTES)
		return malformed(reason, m);
	m->error = (struct ros_error){
		.code = get16(at + 16),
		.limit = get32(at + 20),
		.value = get32(at + 24),
		.length = get32(at + 28),
		.text = (const char *)at + ROS_ERROR_BYTES,
	};
	if (m->error.length > m->length - ROS_ERROR_BYTES)
		return malformed(reason, m);
	return ROS_MESSAGE;
}

enum ros_decoded ros_decode_daemon(const void *bytes, size_t have, uint32_t longest,
				   struct ros_message *m, struct ros_refusal *reason)
{
	const uint8_t *at = bytes;
	enum ros_decoded got = header(at, have, longest, m, reason);

	if (got != ROS_MESSAGE)
		return got;
	switch (m->type) {
	case ROS_WELCOME:
		return decode_welcome(at, m, reason);
	case ROS_REPLY:
		return decode_reply(at, m, reason);
	case ROS_CLEARED:
		if (m->length < ROS_CLEARED_BYTES)
			return malformed(reason, m);
		m->cleared = (struct ros_cleared){
			.events = get32(at + 16),
			.unknown = get32(at + 20),
			.fragments = get32(at + 24),
		};
		return ROS_MESSAGE;
	case ROS_ERROR:
		return decode_error(at, m, reason);
	default:
		return refuse(reason, m, ROS_E_UNKNOWN_TYPE, ROS_ERROR, m->type);
	}
}

uint32_t ros_clear_event(const struct ros_clear *c, uint32_t number)
{
	return get32(c->events + (size_t)number * 4);
}

void ros_reply_entry(const struct ros_reply *r, unsigned int number, struct ros_entry *entry)
{
	const uint8_t *at = r->entries + (size_t)number * ROS_ENTRY_BYTES;

	*entry = (struct ros_entry){
		.link = at[0],
		.status = at[1],
		.marks = get16(at + 2),
		.size = get32(at + 4),
	};
}

static void encode_header(uint8_t *at, uint32_t length, enum ros_type type, uint16_t flags,
			  uint64_t id)
{
	put32(at, length);
	put16(at + 4, (uint16_t)type);
	put16(at + 6, flags);
	put64(at + 8, id);
}

size_t ros_encode_hello(void *out, uint64_t id, const struct ros_hello *hello)
{
	uint8_t *at = out;

	encode_header(at, ROS_HELLO_BYTES, ROS_HELLO, 0, id);
	put32(at + 16, ROS_MAGIC);
	put16(at + 20, hello->lowest);
	put16(at + 22, hello->highest);
	return ROS_HELLO_BYTES;
}

size_t ros_encode_request(void *out, uint64_t id, const struct ros_request *request)
{
	uint8_t *at = out;

	encode_header(at, ROS_REQUEST_BYTES, ROS_REQUEST, 0, id);
	put32(at + 16, request->event);
	put32(at + 20, 0);
	put64(at + 24, request->links);
	return ROS_REQUEST_BYTES;
}

size_t ros_encode_clear(void *out, uint64_t id, const uint32_t *events, uint32_t count)
{
	uint8_t *at = out;
	uint32_t i;

	encode_header(at, ROS_CLEAR_BYTES + 4 * count, ROS_CLEAR, 0, id);
	put32(at + 16, count);
	put32(at + 20, 0);
	for (i = 0; i < count; i++)
		put32(at + ROS_CLEAR_BYTES + (size_t)i * 4, events[i]);
	return ROS_CLEAR_BYTES + (size_t)count * 4;
}

size_t ros_encode_welcome(void *out, uint64_t id, uint16_t version, const struct ros_limits *limits)
{
	uint8_t *at = out;

	encode_header(at, ROS_WELCOME_BYTES, ROS_WELCOME, 0, id);
	put32(at + 16, ROS_MAGIC);
	put16(at + 20, version);
	put16(at + 22, 0);
	put64(at + 24, limits->links);
	put32(at + 32, limits->message);
	put32(at + 36, limits->requests);
	put32(at + 40, limits->clears);
	put32(at + 44, limits->events);
	put32(at + 48, limits->fragment);
	put32(at + 52, limits->wait);
	put32(at + 56, limits->patience);
	put32(at + 60, limits->backlog);
	return ROS_WELCOME_BYTES;
}

size_t ros_encode_reply(void *out, uint64_t id, uint32_t event, uint16_t flags,
			const struct ros_entry *entries, unsigned int count, uint32_t bytes)
{
	size_t head = ROS_REPLY_BYTES + (size_t)count * ROS_ENTRY_BYTES;
	uint8_t *at = out;
	unsigned int i;

	encode_header(at, (uint32_t)head + bytes, ROS_REPLY, flags, id);
	put32(at + 16, event);
	put16(at + 20, (uint16_t)count);
	put16(at + 22, 0);
	at += ROS_REPLY_BYTES;
	for (i = 0; i < count; i++, at += ROS_ENTRY_BYTES) {
		at[0] = entries[i].link;
		at[1] = entries[i].status;
		put16(at + 2, entries[i].marks);
		put32(at + 4, entries[i].size);
	}
	return head;
}

size_t ros_encode_cleared(void *out, uint64_t id, const struct ros_cleared *cleared)
{
	uint8_t *at = out;

	encode_header(at, ROS_CLEARED_BYTES, ROS_CLEARED, 0, id);
	put32(at + 16, cleared->events);
	put32(at + 20, cleared->unknown);
	put32(at + 24, cleared->fragments);
	put32(at + 28, 0);
	return ROS_CLEARED_BYTES;
}

size_t ros_encode_error(void *out, const struct ros_refusal *reason)
{
	uint8_t *at = out;
	char text[ROS_SENTENCE_MAX + 1];
	size_t length;

	/* Not every text uses both numbers. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	snprintf(text, sizeof(text), codes[reason->code].text, reason->limit, reason->value);
#pragma GCC diagnostic pop
	length = strlen(text);
	encode_header(at, (uint32_t)(ROS_ERROR_BYTES + length), ROS_ERROR,
		      ros_closes(reason->code) ? ROS_CLOSES : 0, reason->id);
	put16(at + 16, (uint16_t)reason->code);
	put16(at + 18, 0);
	put32(at + 20, reason->limit);
	put32(at + 24, reason->value);
	put32(at + 28, (uint32_t)length);
	memcpy(at + ROS_ERROR_BYTES, text, length);
	return ROS_ERROR_BYTES + length;
}
