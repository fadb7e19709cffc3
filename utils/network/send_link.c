// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection of the sending end: setup, transfer, and recovery of units when it breaks. */
#include "send_link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define IN_FLIGHT_MAX 64 /* concurrent writes of a connection */
#define EVENTS 64
#define GREET_NS (15 * UNITS_NS_PER_S) /* until an attempt to connect fails */
#define LISTEN_NS (200 * 1000)	       /* between two polls of an idle control connection */

void parcel_push(struct send *s, struct list *l, uint32_t i)
{
	s->parcels[i].next = SEND_NONE;
	if (l->count++)
		s->parcels[l->last].next = i;
	else
		l->first = i;
	l->last = i;
}

static void parcel_push_front(struct send *s, struct list *l, uint32_t i)
{
	s->parcels[i].next = l->first;
	if (!l->count++)
		l->last = i;
	l->first = i;
}

uint32_t parcel_pop(struct send *s, struct list *l)
{
	uint32_t i = l->first;

	l->first = s->parcels[i].next;
	l->count--;
	return i;
}

/* Return a unit when it has arrived and libfabric does not read it any more. */
static void finish_parcel(struct send *s, const struct parcel *p, uint32_t i)
{
	if (p->in_flight || !p->arrived)
		return;
	s->sink.n.units++;
	s->sink.n.bytes += p->unit.bytes;
	parcel_push(s, &s->done, i);
}

void link_end(struct send *s, struct link *l)
{
	char reason[UNITS_REASON] = "";

	/* libfabric may still read units: they do not go back, and the run ends. */
	if (l->open && fabric_end_close(&l->end, reason))
		s->broken = units_fail(s->sink.reason, EIO, "%s", reason);
	l->open = false;
	control_close(&l->control);
	l->state = DOWN;
	l->since = units_now();
}

static int last_first(const void *a, const void *b)
{
	const struct parcel *const *p = a, *const *q = b;

	return (*p)->order < (*q)->order ? 1 : -1;
}

/* The connection is lost: queue the units without a credit again, in their order. */
void link_lose(struct send *s, struct link *l, const char *reason)
{
	struct parcel **back = calloc(l->welcome.slots + 1, sizeof(struct parcel *));
	uint32_t i, n = 0;

	if (!s->last[0])
		snprintf(s->last, sizeof(s->last), "%s", reason);
	if (!l->absent_since)
		l->absent_since = units_now();
	link_end(s, l);
	/* libfabric may still read the units: they do not go back. */
	if (s->broken) {
		free(back);
		return;
	}
	for (i = 0; l->in_slot && i < l->welcome.slots; i++) {
		uint32_t at = l->in_slot[i];

		if (at == SEND_NONE)
			continue;
		/* The end is closed, so libfabric does not read the unit any more. */
		s->parcels[at].in_flight = false;
		if (back)
			back[n++] = &s->parcels[at];
		else
			parcel_push_front(s, &l->queue, at);
		l->in_slot[i] = SEND_NONE;
	}
	if (back) {
		qsort(back, n, sizeof(struct parcel *), last_first);
		for (i = 0; i < n; i++)
			parcel_push_front(s, &l->queue, (uint32_t)(back[i] - s->parcels));
	}
	free(back);
	/* Return the units that have arrived and were still being read. */
	for (i = 0; i < SEND_PARCELS; i++) {
		struct parcel *p = &s->parcels[i];

		if (p->link != l - s->links || !p->in_flight)
			continue;
		p->in_flight = false;
		finish_parcel(s, p, i);
	}
	l->in_flight = 0;
	l->slot_count = 0;
	l->units = l->bytes = 0;
	snprintf(s->sink.note, sizeof(s->sink.note),
		 "The receiver is lost (%.200s): %u units are sent again when it reconnects.",
		 s->last, n);
	s->sink.state = "   The receiver is lost";
}

static void send_hello(struct send *s, struct link *l)
{
	const struct unit_format *f = &s->source->format;
	unsigned char text[WIRE_HELLO];
	struct wire_hello h = {
		.version = WIRE_VERSION,
		.connection = (uint32_t)(l - s->links),
		.connections = s->opt.connections,
		.content = f->content,
		.page_bytes = f->page_bytes,
		.flags = f->any_link,
		.run = s->run,
		/*
		 * A recording without any data can be sent, too; a receiver rejects 0 as malformed.
		 */
		.unit_max = f->unit_max ?: 1,
		.name_bytes = (uint32_t)l->end.name_bytes,
	};

	memcpy(h.from, f->from, sizeof(h.from));
	snprintf(h.provider, sizeof(h.provider), "%s", s->opt.provider);
	memcpy(h.name, l->end.name, sizeof(h.name));
	wire_put_hello(text, &h);
	control_queue(&l->control, text, sizeof(text));
	control_flush(&l->control);
}

/* Memory is registered when the first connection determines the local address. */
static int open_fabric(struct send *s, struct link *l, char reason[UNITS_REASON])
{
	char node[CONTROL_ADDRESS];
	unsigned int i;
	int ret;

	if (s->have_fabric)
		return 0;
	ret = fabric_open(&s->fabric, s->opt.provider,
			  control_address(&l->control, false, node) ? node : NULL, reason);
	for (i = 0; i < s->source->region_count && !ret; i++)
		ret = fabric_register(&s->fabric, s->source->regions[i].addr,
				      s->source->regions[i].length, false, reason);
	if (!ret)
		ret = fabric_register_for(&s->fabric, s->heads, SEND_HEADS, FI_WRITE | FI_RECV,
					  reason);
	if (ret)
		fabric_close(&s->fabric, reason);
	s->have_fabric = !ret;
	return ret;
}

static int greet(struct send *s, struct link *l, char reason[UNITS_REASON])
{
	int ret = control_connected(&l->control);

	if (ret < 0 && ret != -ECONNRESET && l->control.next)
		return control_connect(&l->control, s->opt.host, s->opt.port, reason);
	/*
	 * The receiver may have sent a reason before it closed the connection: receive_welcome()
	 * reads it.
	 */
	if (ret < 0 && ret != -ECONNRESET)
		return units_fail(reason, -ret, "Cannot connect to %s port %s: %s.", s->opt.host,
				  s->opt.port, strerror(-ret));
	if (!ret)
		return 0;
	if (!s->address[0] && !control_address(&l->control, true, s->address))
		s->address[0] = '\0';
	ret = open_fabric(s, l, reason);
	if (!ret)
		ret = fabric_end_open(&s->fabric, &l->end, reason);
	if (ret)
		return ret;
	l->open = true;
	l->state = GREETING;
	/* If the receiver has closed the connection, its reason is read next. */
	send_hello(s, l);
	return 0;
}

static int refuse(struct send *s, const struct wire_welcome *w, enum wire_wrong wrong,
		  char reason[UNITS_REASON])
{
	switch (wrong) {
	case WIRE_NOT_ROC:
		return units_fail(reason, EPROTO, "The server at %s port %s is not a roc-recv.",
				  s->opt.host, s->opt.port);
	case WIRE_VERSION_WRONG:
		return units_fail(
			reason, EPROTO,
			"The roc-recv at %s port %s uses version %" PRIu32
			" of the protocol, this roc-send version %d: install the same roc at both ends.",
			s->opt.host, s->opt.port, w->version, WIRE_VERSION);
	case WIRE_MALFORMED:
		return units_fail(reason, EPROTO, "The answer of %s port %s is malformed.",
				  s->opt.host, s->opt.port);
	default:
		/*
		 * The receiver can have space or memory again when it has detected the loss of the
		 * old connection.
		 */
		return units_fail(
			reason, w->status == WIRE_BUSY || w->status == WIRE_BROKEN ? EBUSY : EPROTO,
			"The roc-recv at %s port %s refused the connection: %s", s->opt.host,
			s->opt.port, w->reason);
	}
}

/* Make the slots as announced now: none of them is in use. */
static int make_slots(struct link *l, const struct wire_welcome *w, char reason[UNITS_REASON])
{
	uint32_t *slots = calloc(w->slots, sizeof(*slots));
	uint32_t *in_slot = calloc(w->slots, sizeof(*in_slot)), i;

	if (!slots || !in_slot) {
		free(slots);
		free(in_slot);
		return units_fail(reason, ENOMEM, "Cannot allocate the slots of a connection.");
	}
	for (i = 0; i < w->slots; i++) {
		slots[i] = w->slots - 1 - i;
		in_slot[i] = SEND_NONE;
	}
	free(l->slots);
	free(l->in_slot);
	l->slots = slots;
	l->in_slot = in_slot;
	l->slot_count = w->slots;
	l->welcome = *w;
	return 0;
}

/* Validate the welcome of the receiver before any state of the connection changes. */
static int receive_welcome(struct send *s, struct link *l, char reason[UNITS_REASON])
{
	struct wire_welcome w = {0};
	enum wire_wrong wrong;
	int ret;

	ret = control_receive(&l->control);
	if (l->control.in_bytes >= WIRE_GREETING) {
		wrong = wire_get_greeting(l->control.in, &w.version);
		if (wrong)
			return refuse(s, &w, wrong, reason);
	}
	if (l->control.in_bytes < WIRE_WELCOME)
		return ret ? units_fail(reason, -ret, "%s port %s closed the connection: %s.",
					s->opt.host, s->opt.port, strerror(-ret))
			   : 0;
	wrong = wire_get_welcome(l->control.in, &w);
	if (wrong || w.status)
		return refuse(s, &w, wrong, reason);
	if (w.slot_bytes < s->source->format.unit_max)
		return refuse(s, &w, WIRE_MALFORMED, reason);
	control_drop(&l->control, WIRE_WELCOME);
	ret = fabric_end_peer(&l->end, w.name, w.name_bytes, reason);
	if (!ret && fabric_end_receive(&s->fabric, &l->end, s->heads + SEND_HEADS - WIRE_HEAD,
				       WIRE_HEAD, &l->message))
		ret = units_fail(reason, EIO, "libfabric accepts no receive buffer.");
	if (!ret)
		ret = make_slots(l, &w, reason);
	if (ret)
		return ret;
	l->state = READY;
	l->since = units_now();
	return 0;
}

/* Advance the setup of a connection by one step. Return: -errno if this attempt failed. */
int link_try(struct send *s, struct link *l, char reason[UNITS_REASON])
{
	uint64_t now = units_now();
	int ret = 0;

	if (l->state == DOWN) {
		ret = control_connect(&l->control, s->address[0] ? s->address : s->opt.host,
				      s->opt.port, reason);
		if (!ret)
			l->state = CONNECTING;
		l->since = now;
	}
	if (!ret && l->state == CONNECTING)
		ret = greet(s, l, reason);
	if (!ret && l->state == GREETING)
		ret = receive_welcome(s, l, reason);
	if (!ret && l->state != READY && now - l->since > GREET_NS)
		ret = units_fail(reason, ETIMEDOUT, "%s port %s did not answer within %u s.",
				 s->opt.host, s->opt.port,
				 (unsigned int)(GREET_NS / UNITS_NS_PER_S));
	if (ret)
		link_end(s, l);
	return ret;
}

/* Process credits: the receiver has completed the units in these slots. */
static int take_credits(struct send *s, struct link *l, uint32_t count)
{
	uint32_t n;

	for (n = 0; n < count; n++) {
		uint32_t slot = wire_get_slot(l->control.in + WIRE_RECORD + 4 * n), i;

		if (slot >= l->welcome.slots || l->in_slot[slot] == SEND_NONE)
			return -EPROTO;
		i = l->in_slot[slot];
		l->in_slot[slot] = SEND_NONE;
		l->absent_since = 0;
		l->slots[l->slot_count++] = slot;
		l->units++;
		l->bytes += s->parcels[i].unit.bytes;
		s->parcels[i].arrived = true;
		finish_parcel(s, &s->parcels[i], i);
	}
	return 0;
}

static int receive_records(struct send *s, struct link *l)
{
	struct wire_record r;
	int gone, ret;

	gone = control_receive(&l->control);
	while ((ret = control_record(&l->control, &r)) > 0) {
		if (r.type == WIRE_CREDIT) {
			ret = take_credits(s, l, r.count);
			if (ret)
				return ret;
		} else if (r.type == WIRE_TOTALS) {
			/* Totals before the end record would stop the transfer. */
			if (!l->ended)
				return -EPROTO;
			l->totals = r;
			l->confirmed = true;
		}
		control_drop_record(&l->control, &r);
	}
	if (ret)
		return ret;
	return gone && !l->confirmed ? gone : 0;
}

static int collect_events(struct send *s, struct link *l)
{
	struct fabric_event events[EVENTS];
	int n, i;

	n = fabric_end_events(&l->end, events, EVENTS, s->last);
	for (i = 0; i < n; i++) {
		struct parcel *p = events[i].context;

		/*
		 * A receiver sends no messages, and libfabric would buffer unexpected ones without
		 * a limit.
		 */
		if (events[i].received)
			return -EPROTO;
		/* The event of a remote write; a receiver makes none. */
		if (!p)
			continue;
		p->in_flight = false;
		l->in_flight--;
		finish_parcel(s, p, (uint32_t)(p - s->parcels));
	}
	return n < 0 ? n : 0;
}

static bool can_send(const struct link *l, uint32_t units)
{
	return l->queue.count >= units && l->slot_count >= units &&
	       l->in_flight + units <= IN_FLIGHT_MAX;
}

static int send_one(struct send *s, struct link *l)
{
	uint32_t i = l->queue.first, slot = l->slots[l->slot_count - 1];
	struct parcel *p = &s->parcels[i];
	unsigned char *text = s->heads + (size_t)i * WIRE_HEAD;
	struct wire_head head = {
		.bytes = p->unit.bytes,
		.sequence = p->unit.sequence,
		.first = p->unit.first,
		.time = p->unit.time,
		.run = p->unit.run,
		.link = p->unit.link,
		.flags = p->unit.flags,
	};
	struct fabric_write w = {
		.head = text,
		.data = p->unit.data,
		.head_bytes = WIRE_HEAD,
		.data_bytes = p->unit.bytes,
		.to = l->welcome.base + slot * l->welcome.stride,
		.key = l->welcome.key,
		.number = slot,
		.context = p,
		.more = can_send(l, 2),
	};
	int ret;

	wire_put_head(text, &head);
	ret = fabric_end_write(&s->fabric, &l->end, &w);
	if (ret)
		return ret;
	s->sink.n.calls++;
	parcel_pop(s, &l->queue);
	l->slot_count--;
	l->in_slot[slot] = i;
	l->in_flight++;
	if (p->sent)
		s->sink.n.again++;
	p->sent = p->in_flight = true;
	p->slot = slot;
	return 0;
}

/*
 * Serve an established connection: receive records, send units into free slots, collect completed
 * writes.
 */
int link_serve(struct send *s, struct link *l)
{
	uint64_t now = units_now();
	uint32_t sent = 0;
	int ret = 0;

	if (l->confirmed)
		return 0;
	/*
	 * A receiver that only accepts connections, and closes them again and again, counts as
	 * lost.
	 */
	if (l->absent_since && now - l->since > s->opt.patience * UNITS_NS_PER_S)
		l->absent_since = 0;
	/*
	 * Receive when slots are few. Otherwise poll from time to time, to detect a lost
	 * connection.
	 */
	if (l->slot_count < l->welcome.slots / 2 || now - l->polled > LISTEN_NS) {
		l->polled = now;
		ret = receive_records(s, l);
	}
	while (!ret && can_send(l, 1)) {
		ret = send_one(s, l);
		sent += !ret;
	}
	s->sink.n.batches += sent > 0;
	if (ret == -EAGAIN)
		ret = 0;
	if (!ret)
		ret = collect_events(s, l);
	if (!ret)
		ret = control_beat(&l->control, now, s->opt.silence);
	return ret ? ret : control_flush(&l->control);
}
