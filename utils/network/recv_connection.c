// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A connection from a sender, at the receiving end. Slots, sizes and numbers from the peer are
 * validated before use.
 */
#include "recv_connection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "libroc/fabric/base.h"
#include "utils/units/content.h"

#define EVENTS 64
#define GREET_NS (15 * UNITS_NS_PER_S)
/* for the hello, while other connections wait for a free entry */
#define GREET_MIN_NS UNITS_NS_PER_S
#define PEER_CLOSE_NS UNITS_NS_PER_S /* for the peer to close after the totals */

static void release_slots(struct recv_connection *c)
{
	free(c->slot);
	free(c->full);
	free(c->credits);
	free(c->recent);
	c->slot = NULL;
	c->full = NULL;
	c->credits = NULL;
	c->recent = NULL;
	c->state = UNUSED;
}

/* If no unit was taken and no sender is left, the next sender may send any content. */
static void reset_format(struct recv *r)
{
	uint32_t i;

	if (r->units)
		return;
	for (i = 0; i < r->opt.connections; i++) {
		if (r->connections[i].state == SENDING)
			return;
	}
	r->known = false;
}

/*
 * Remember the last units: their credits may be lost with the connection. There are at most as many
 * as slots.
 */
static void keep_recent(struct recv *r, const struct recv_connection *c)
{
	uint64_t n, count = c->units < c->slots ? c->units : c->slots;

	for (n = c->units - count; n != c->units; n++) {
		if (arrived_add(&r->arrived, c->recent[n % c->slots]))
			return;
	}
}

/*
 * Close a connection: the peer cannot write to its memory any more. Units that were taken stay
 * lent. The others are dropped, because the sender still has them.
 */
void recv_connection_close(struct recv *r, struct recv_connection *c)
{
	char reason[UNITS_REASON] = "";
	int ret, closed;

	if (c->state == SENDING)
		keep_recent(r, c);
	ret = fabric_end_close(&c->end, reason);
	closed = fabric_close(&c->fabric, reason);
	/* The sender may still write there, so no other connection gets this memory. */
	if (ret || closed)
		r->broken = units_fail(r->source.reason, EIO, "%s", reason);
	control_close(&c->control);
	c->head = c->tail;
	c->credit_count = 0;
	if (c->out)
		c->state = DETACHED;
	else
		release_slots(c);
	reset_format(r);
}

static void answer(struct recv_connection *c, struct wire_welcome *w)
{
	unsigned char text[WIRE_WELCOME];

	w->version = WIRE_VERSION;
	wire_put_welcome(text, w);
	control_queue(&c->control, text, sizeof(text));
	control_flush(&c->control);
}

/* Reject a sender, with a reason that it shows. */
static int refuse(struct recv *r, struct recv_connection *c, enum wire_status status,
		  const char *reason)
{
	struct wire_welcome w = {.status = status};
	char other[CONTROL_ADDRESS] = "?";

	snprintf(w.reason, sizeof(w.reason), "%s", reason);
	control_address(&c->control, true, other);
	answer(c, &w);
	snprintf(r->source.note, sizeof(r->source.note), "A sender at %s was refused: %.300s",
		 other, reason);
	return -EPROTO;
}

static bool same_content(const struct recv *r, const struct wire_hello *h)
{
	const struct unit_format *f = &r->source.format;

	return !r->known || (f->content == h->content && f->page_bytes == h->page_bytes);
}

/*
 * With --once the receiver ends with one sender. Another one is rejected as long as the first is
 * connected, because its end would count as the end of the first.
 */
static bool receives_another(const struct recv *r, const struct wire_hello *h)
{
	uint32_t i;

	for (i = 0; i < r->opt.connections && r->opt.once && r->run != h->run; i++) {
		if (r->connections[i].state == SENDING && r->connections[i].hello.run == r->run)
			return true;
	}
	return false;
}

static void update_format(struct recv *r, const struct wire_hello *h)
{
	struct unit_format *f = &r->source.format;

	if (r->run != h->run || !r->expected) {
		r->run = h->run;
		r->expected = h->connections;
		r->ended = 0;
	}
	if (!r->known)
		/* until a connection has valid link numbers */
		*f = (struct unit_format){.any_link = true};
	r->known = true;
	f->content = h->content;
	f->page_bytes = h->page_bytes;
	f->any_link &= h->flags & 1;
	if (h->unit_max > f->unit_max)
		f->unit_max = h->unit_max;
	memcpy(f->from, h->from, sizeof(f->from));
}

static int make_slots(struct recv *r, struct recv_connection *c)
{
	uint64_t stride = (c->hello.unit_max + 2 * RECV_ALIGN - 1) & ~(uint64_t)(RECV_ALIGN - 1);
	uint64_t slots;
	char reason[256];

	if (stride > r->share || stride < c->hello.unit_max) {
		snprintf(
			reason, sizeof(reason),
			"its units have up to %" PRIu64
			" bytes, and there are %zu bytes of memory for a connection: start roc-recv with a larger --buffer-size or fewer --connections.",
			c->hello.unit_max, r->share);
		return refuse(r, c, WIRE_TOO_LARGE, reason);
	}
	slots = r->share / stride;
	c->slots = slots < WIRE_SLOTS_MAX ? (uint32_t)slots : WIRE_SLOTS_MAX;
	c->stride = stride;
	c->slot = calloc(c->slots, sizeof(*c->slot));
	c->full = calloc(c->slots, sizeof(*c->full));
	c->credits = calloc(c->slots, 4);
	c->recent = calloc(c->slots, sizeof(*c->recent));
	if (!c->slot || !c->full || !c->credits || !c->recent)
		return refuse(r, c, WIRE_BROKEN,
			      "the receiver cannot allocate the slots of the connection.");
	c->head = c->tail = 0;
	c->out = c->credit_count = 0;
	return 0;
}

/* Accept a sender and send it the addresses of its slots. */
static int welcome(struct recv *r, struct recv_connection *c)
{
	struct wire_welcome w = {.status = WIRE_OK};
	char node[CONTROL_ADDRESS], reason[UNITS_REASON] = "";
	int ret;

	ret = make_slots(r, c);
	if (ret)
		return ret;
	ret = fabric_open(&c->fabric, r->opt.provider,
			  control_address(&c->control, false, node) ? node : NULL, reason);
	if (!ret)
		ret = fabric_register_for(&c->fabric, c->memory, c->slots * c->stride,
					  FI_REMOTE_WRITE | FI_RECV, reason);
	if (!ret)
		ret = fabric_end_open(&c->fabric, &c->end, reason);
	if (!ret)
		ret = fabric_end_peer(&c->end, c->hello.name, c->hello.name_bytes, reason);
	/*
	 * A sender sends no messages. libfabric would buffer unexpected messages without a limit,
	 * so one receive is posted to detect them.
	 */
	if (!ret && fabric_end_receive(&c->fabric, &c->end, c->memory, WIRE_HEAD, &c->message))
		ret = units_fail(reason, EIO, "libfabric accepts no receive buffer.");
	if (ret)
		return refuse(r, c, WIRE_BROKEN, reason);
	update_format(r, &c->hello);
	w.slots = c->slots;
	w.base = fabric_base(&c->fabric, 0) + RECV_ALIGN - WIRE_HEAD;
	w.key = fabric_key(&c->fabric, 0);
	w.stride = c->stride;
	w.slot_bytes = c->stride - RECV_ALIGN;
	snprintf(w.provider, sizeof(w.provider), "%s", r->opt.provider);
	w.name_bytes = (uint32_t)c->end.name_bytes;
	memcpy(w.name, c->end.name, sizeof(w.name));
	/* The time that the setup took must not count as silence of the peer. */
	c->control.received_at = units_now();
	c->state = SENDING;
	c->units = c->bytes = c->received = 0;
	answer(c, &w);
	return 0;
}

/*
 * If the sender reconnects while its old connection exists, the old one is lost. As long as units
 * of it are lent, the receiver cannot decide which of them the sender must send again.
 */
static bool reconnects_early(struct recv *r, const struct recv_connection *c)
{
	uint32_t i;

	for (i = 0; i < r->opt.connections; i++) {
		struct recv_connection *old = &r->connections[i];

		if (old == c || old->state < SENDING || old->hello.run != c->hello.run ||
		    old->hello.connection != c->hello.connection)
			continue;
		if (old->state != DETACHED)
			recv_connection_close(r, old);
		if (old->state == DETACHED && old->out)
			return true;
	}
	return false;
}

static int check_hello(struct recv *r, struct recv_connection *c)
{
	char reason[256];

	switch (wire_get_hello(c->control.in, &c->hello)) {
	case WIRE_GOOD:
		break;
	case WIRE_VERSION_WRONG:
		snprintf(
			reason, sizeof(reason),
			"the sender uses version %" PRIu32
			" of the protocol, this roc-recv version %d: install the same roc at both ends.",
			c->hello.version, WIRE_VERSION);
		return refuse(r, c, WIRE_NO_VERSION, reason);
	default:
		return -EPROTO;
	}
	if (strcmp(c->hello.provider, r->opt.provider)) {
		snprintf(
			reason, sizeof(reason),
			"the receiver has --provider=%s, and the sender has --provider=%s: set the same at both ends.",
			r->opt.provider, c->hello.provider);
		return refuse(r, c, WIRE_NO_PROVIDER, reason);
	}
	if (!same_content(r, &c->hello)) {
		snprintf(reason, sizeof(reason),
			 "the receiver already receives other content (%s).",
			 units_content_name(r->source.format.content));
		return refuse(r, c, WIRE_OTHER_CONTENT, reason);
	}
	if (receives_another(r, &c->hello))
		return refuse(
			r, c, WIRE_BUSY,
			"the receiver serves another sender, and ends with that one (--once).");
	/* A sender does not change its number of connections. */
	if (r->expected && r->run == c->hello.run && r->expected != c->hello.connections)
		return -EPROTO;
	/* Last check, because it closes the old connection. */
	if (reconnects_early(r, c))
		return refuse(r, c, WIRE_BUSY,
			      "units of the previous connection are still being written.");
	return 0;
}

static int greet(struct recv *r, struct recv_connection *c)
{
	uint32_t version;
	int ret;

	ret = control_receive(&c->control);
	/* The hello of an unknown version may be shorter. */
	if (c->control.in_bytes >= WIRE_GREETING &&
	    wire_get_greeting(c->control.in, &version) == WIRE_NOT_ROC)
		return -EPROTO;
	if (c->control.in_bytes < WIRE_HELLO &&
	    !(c->control.in_bytes >= WIRE_GREETING &&
	      wire_get_greeting(c->control.in, &version) == WIRE_VERSION_WRONG))
		return ret ? ret : units_now() - c->since > GREET_NS ? -ETIMEDOUT : 0;
	ret = check_hello(r, c);
	if (ret)
		return ret;
	control_drop(&c->control, WIRE_HELLO);
	return welcome(r, c);
}

/* Return an unused entry, or replace the oldest connection without a hello. */
static struct recv_connection *free_connection(struct recv *r)
{
	struct recv_connection *c, *first = NULL;
	uint32_t i;

	for (i = 0; i < r->opt.connections; i++) {
		c = &r->connections[i];
		if (c->state == UNUSED)
			return c;
		if (c->state == GREETING && (!first || c->since < first->since))
			first = c;
	}
	if (!first || units_now() - first->since < GREET_MIN_NS)
		return NULL;
	recv_connection_close(r, first);
	return first;
}

void recv_accept(struct recv *r)
{
	struct recv_connection *c, waiting = {.control.fd = -1};
	int fd;

	fd = accept4(r->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	r->no_files = fd < 0 && accept_no_files(errno);
	if (fd < 0)
		return;
	c = free_connection(r);
	if (!c || r->stopped || r->over || r->broken) {
		control_accepted(&waiting.control, fd);
		refuse(r, &waiting, WIRE_BUSY,
		       c ? "the receiver is about to end."
			 : "the receiver has its maximum number of connections (--connections).");
		control_close(&waiting.control);
		return;
	}
	control_accepted(&c->control, fd);
	c->since = units_now();
	c->end.fd = -1;
	c->state = GREETING;
}

struct recording_entry recv_slot_entry(const struct recv_connection *c, uint32_t slot)
{
	struct wire_head head;

	/* The sender may have changed the head since it was validated: use the validated length. */
	wire_get_head((unsigned char *)recv_slot_data(c, slot) - WIRE_HEAD, &head);
	return (struct recording_entry){
		.bytes = c->slot[slot].bytes,
		.sequence = head.sequence,
		.first = head.first,
		.time = head.time,
		.run = head.run ? content_mix(c->hello.run, head.run) : c->hello.run,
		.link = head.link,
		.flags = head.flags | (c->hello.flags & 1 ? UNIT_ANY_LINK : 0),
	};
}

void recv_queue_credit(struct recv_connection *c, uint32_t slot)
{
	c->recent[c->units++ % c->slots] = c->slot[slot].key;
	c->bytes += c->slot[slot].bytes;
	c->slot[slot].state = CREDIT_DUE;
	if (!c->credit_count)
		c->credit_since = units_now();
	wire_put_slot(c->credits + 4 * (size_t)c->credit_count++, slot);
}

/* A sender sends again the units without a credit, which are at most as many as it had slots. */
static bool has_arrived(const struct recv *r, const struct recv_connection *c, uint32_t slot)
{
	struct recording_entry e;

	if (!arrived_any(&r->arrived) || c->received > WIRE_SLOTS_MAX)
		return false;
	e = recv_slot_entry(c, slot);
	return arrived_has(&r->arrived, arrived_key(&e));
}

/* Collect the units that the sender has written to its slots. */
static int collect_events(struct recv *r, struct recv_connection *c, char reason[UNITS_REASON])
{
	struct fabric_event events[EVENTS];
	int n, i;

	n = fabric_end_events(&c->end, events, EVENTS, reason);
	for (i = 0; i < n; i++) {
		uint64_t slot = events[i].data;
		struct wire_head head;

		if (events[i].received)
			return units_fail(reason, EPROTO,
					  "protocol violation: the sender sent a message");
		if (events[i].context)
			continue;
		if (slot >= c->slots || c->slot[slot].state != FREE)
			return units_fail(
				reason, EPROTO,
				"protocol violation: the sender wrote to a slot without a credit for it");
		wire_get_head((unsigned char *)recv_slot_data(c, (uint32_t)slot) - WIRE_HEAD,
			      &head);
		if (head.bytes > c->stride - RECV_ALIGN)
			return units_fail(
				reason, EPROTO,
				"protocol violation: the sender sent a unit that is larger than its slot");
		c->slot[slot] = (struct recv_slot){.state = FULL, .bytes = head.bytes};
		c->received++;
		if (has_arrived(r, c, (uint32_t)slot)) {
			struct recording_entry e = recv_slot_entry(c, (uint32_t)slot);

			c->slot[slot].key = arrived_key(&e);
			recv_queue_credit(c, (uint32_t)slot);
			r->source.duplicates++;
			continue;
		}
		c->full[c->tail++ % c->slots] = (uint32_t)slot;
	}
	return n < 0 ? n : 0;
}

/*
 * The sender reports that it has sent all units and has the credits of all. So all of them must be
 * complete here. A different number is a protocol violation: such a connection would never end.
 */
static int confirm_end(struct recv *r, struct recv_connection *c, const struct wire_record *end,
		       char reason[UNITS_REASON])
{
	struct wire_record record = {.type = WIRE_TOTALS, .a = c->units, .b = c->bytes};
	unsigned char text[WIRE_RECORD];

	if (end->a != c->units || c->units != c->received)
		return units_fail(reason, EPROTO,
				  "protocol violation: the sender reports %" PRIu64
				  " completed units, but %" PRIu64 " arrived and %" PRIu64
				  " are complete",
				  end->a, c->received, c->units);
	wire_put_record(text, &record);
	control_queue(&c->control, text, sizeof(text));
	c->state = CONFIRMED;
	c->since = units_now();
	if (c->hello.run == r->run)
		r->ended |= UINT32_C(1) << c->hello.connection;
	reset_format(r);
	return 0;
}

static int receive_records(struct recv *r, struct recv_connection *c, char reason[UNITS_REASON])
{
	struct wire_record record;
	int gone, ret;

	gone = control_receive(&c->control);
	while (c->state == SENDING && (ret = control_record(&c->control, &record)) != 0) {
		if (ret > 0 && record.type == WIRE_END)
			ret = confirm_end(r, c, &record, reason);
		if (ret < 0)
			return ret;
		control_drop_record(&c->control, &record);
	}
	/* A sender that ended in order may close before its end record is read. */
	return c->state == SENDING ? gone : 0;
}

/* Return: 0, or -errno if the connection is lost or the sender violated the protocol. */
static int serve(struct recv *r, struct recv_connection *c, bool listen, char reason[UNITS_REASON])
{
	int ret = 0;

	/* Units that arrive after the stop get no credit: the sender keeps them. */
	if (!r->stopped)
		ret = collect_events(r, c, reason);
	if (ret || !listen)
		return ret;
	ret = receive_records(r, c, reason);
	if (!ret)
		ret = control_beat(&c->control, units_now(), r->opt.silence);
	if (!ret)
		ret = control_flush(&c->control);
	if (c->state == CONFIRMED)
		return 0;
	return ret ? units_fail(reason, -ret, "%s", strerror(-ret)) : 0;
}

/*
 * Discard further data of the peer. They must be read: closing a socket with unread data resets the
 * connection, and the totals would be lost.
 */
static bool peer_closed(struct recv_connection *c)
{
	int gone = control_receive(&c->control);

	control_drop(&c->control, c->control.in_bytes);
	return gone || control_flush(&c->control);
}

static void lose_connection(struct recv *r, struct recv_connection *c, const char *reason)
{
	char other[CONTROL_ADDRESS] = "?";

	control_address(&c->control, true, other);
	snprintf(r->source.note, sizeof(r->source.note),
		 "The sender at %s is lost (%.200s) after %" PRIu64 " units.", other, reason,
		 c->units);
	recv_connection_close(r, c);
}

bool recv_credits_due(const struct recv *r, const struct recv_connection *c, uint64_t now)
{
	uint32_t outstanding = (uint32_t)(c->tail - c->head) + c->out + c->credit_count;

	if (!c->credit_count)
		return false;
	/*
	 * After the stop this thread does not run again until the last file is written, so send all
	 * credits now.
	 */
	return r->stopped || outstanding > c->slots / 2 || c->credit_count >= c->slots / 4 ||
	       now - c->credit_since > RECV_CREDIT_NS;
}

/* The credits are sent: the sender may write to these slots. */
static void free_slots(struct recv_connection *c, const unsigned char *at, uint32_t count)
{
	for (; count; count--, at += 4)
		c->slot[wire_get_slot(at)].state = FREE;
}

void recv_send_credits(struct recv *r, struct recv_connection *c)
{
	struct wire_record record = {.type = WIRE_CREDIT};
	unsigned char text[WIRE_RECORD];
	uint32_t left = c->credit_count;
	unsigned char *at = c->credits;

	while (left) {
		record.count = left < WIRE_CREDITS ? left : WIRE_CREDITS;
		if (c->control.out_bytes + WIRE_RECORD + 4 * (size_t)record.count >
		    sizeof(c->control.out))
			break;
		wire_put_record(text, &record);
		control_queue(&c->control, text, sizeof(text));
		control_queue(&c->control, at, 4 * (size_t)record.count);
		free_slots(c, at, record.count);
		at += 4 * (size_t)record.count;
		left -= record.count;
	}
	memmove(c->credits, at, 4 * (size_t)left);
	c->credit_count = left;
	r->source.calls++;
	/* An error is detected at the next receive. */
	control_flush(&c->control);
}

void recv_connection_step(struct recv *r, struct recv_connection *c, bool listen)
{
	char reason[UNITS_REASON] = "";

	if (c->state == GREETING && listen && greet(r, c))
		recv_connection_close(r, c);
	else if (c->state == SENDING && serve(r, c, listen, reason))
		lose_connection(r, c, reason);
	else if (c->state == CONFIRMED && listen &&
		 (peer_closed(c) || units_now() - c->since > PEER_CLOSE_NS))
		recv_connection_close(r, c);
	else if (c->state == DETACHED && !c->out)
		release_slots(c);
}

bool recv_connection_shutdown(struct recv *r, struct recv_connection *c)
{
	if (c->state != SENDING && c->state != CONFIRMED)
		return false;
	if (c->credit_count)
		recv_send_credits(r, c);
	if (peer_closed(c))
		return false;
	if (!c->credit_count && !c->control.out_bytes)
		shutdown(c->control.fd, SHUT_WR);
	return true;
}
