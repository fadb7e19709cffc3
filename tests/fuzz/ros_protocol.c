// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the data that roc-rosd and its clients read. The first byte selects the sender of the rest
 * (even: a client, odd: the daemon). No input may cause a read outside of it; an incomplete message
 * is never accepted, and a decoded message encodes to the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utils/ros/protocol.h"

#define LONGEST 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct ros_limits limits = {.message = LONGEST, .events = 64};

static void must(int condition)
{
	if (!condition)
		abort();
}

static enum ros_decoded decode(int daemon, const uint8_t *at, size_t have, struct ros_message *m,
			       struct ros_refusal *reason)
{
	if (daemon)
		return ros_decode_daemon(at, have, LONGEST, m, reason);
	return ros_decode_client(at, have, &limits, m, reason);
}

static size_t encode_clear(uint8_t *out, const struct ros_message *m)
{
	uint32_t events[64], i;

	must(m->clear.count <= 64);
	for (i = 0; i < m->clear.count; i++)
		events[i] = ros_clear_event(&m->clear, i);
	return ros_encode_clear(out, m->id, events, m->clear.count);
}

static size_t encode_reply(uint8_t *out, const uint8_t *at, const struct ros_message *m)
{
	struct ros_entry entries[ROS_LINKS];
	uint32_t bytes = 0;
	size_t head;
	unsigned int i;

	for (i = 0; i < m->reply.count; i++) {
		ros_reply_entry(&m->reply, i, &entries[i]);
		bytes += entries[i].size;
	}
	head = ros_encode_reply(out, m->id, m->reply.event, m->flags, entries, m->reply.count,
				bytes);
	must(head + bytes == m->length && m->reply.data == at + head);
	memcpy(out + head, m->reply.data, bytes);
	return head + bytes;
}

/* Encode a message that this end may send; returns its length, 0: this end never sends it. */
static size_t encode(uint8_t *out, const uint8_t *at, const struct ros_message *m)
{
	switch (m->type) {
	case ROS_HELLO:
		return ros_encode_hello(out, m->id, &m->hello);
	case ROS_REQUEST:
		return ros_encode_request(out, m->id, &m->request);
	case ROS_CLEAR:
		return encode_clear(out, m);
	case ROS_REPLY:
		return encode_reply(out, at, m);
	default:
		return 0;
	}
}

/* The daemon's messages may have any value in fields that a reader must ignore. */
static void check_message(const uint8_t *at, const struct ros_message *m, int daemon)
{
	static uint8_t out[LONGEST];
	size_t length = encode(out, at, m);
	struct ros_message again;
	struct ros_refusal reason;

	if (!length)
		return;
	must(length == m->length);
	must(decode(daemon, out, length, &again, &reason) == ROS_MESSAGE && again.id == m->id);
	if (!daemon)
		must(!memcmp(out, at, length));
	else
		must(!memcmp(out + ROS_REPLY_BYTES, at + ROS_REPLY_BYTES,
			     length - ROS_REPLY_BYTES));
}

/* An incomplete message is no message, at whatever byte it is cut. */
static void check_parts(const uint8_t *at, const struct ros_message *m, int daemon)
{
	static const size_t cuts[] = {0, 1, 15, 16, 17, 23, 24, 31, 32};
	struct ros_message part;
	struct ros_refusal reason;
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		if (cuts[i] < m->length)
			must(decode(daemon, at, cuts[i], &part, &reason) == ROS_MORE);
	}
	must(decode(daemon, at, m->length - 1, &part, &reason) == ROS_MORE);
}

static void check_refusal(const struct ros_refusal *reason)
{
	uint8_t out[ROS_ERROR_MAX];
	size_t length = ros_encode_error(out, reason);
	struct ros_message m;
	struct ros_refusal none;

	must(reason->code > ROS_E_NONE && reason->code < ROS_CODES);
	must(ros_decode_daemon(out, length, sizeof(out), &m, &none) == ROS_MESSAGE);
	must(m.type == ROS_ERROR && m.error.code == reason->code && m.id == reason->id);
	must(!!(m.flags & ROS_CLOSES) == ros_closes(reason->code));
}

static void stream(const uint8_t *at, size_t have, int daemon)
{
	struct ros_message m;
	struct ros_refusal reason;

	for (;;) {
		switch (decode(daemon, at, have, &m, &reason)) {
		case ROS_MORE:
			return;
		case ROS_REFUSED:
			check_refusal(&reason);
			if (daemon || ros_closes(reason.code))
				return;
			break;
		case ROS_MESSAGE:
			check_parts(at, &m, daemon);
			check_message(at, &m, daemon);
			break;
		}
		must(m.length >= ROS_HEADER_BYTES && m.length <= have && m.length <= LONGEST);
		at += m.length;
		have -= m.length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *exact;

	if (!size)
		return 0;
	/* Of exactly its size: a sanitizer detects a read beyond it. */
	exact = malloc(size - 1 ? size - 1 : 1);
	if (!exact)
		return 0;
	memcpy(exact, data + 1, size - 1);
	stream(exact, size - 1, data[0] & 1);
	free(exact);
	return 0;
}
