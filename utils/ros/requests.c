// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Process the messages of a client: take HELLO, requests and clears from its input, pass them to
 * the workers of the sub-units, and reply when all of these are done.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "server.h"

static void order(struct ros_server *s, struct ros_job *job)
{
	ros_worker_order(&s->workers[job->unit], job);
	s->ordered[job->unit] = true;
}

/*
 * Allocate space for everything that a client can have outstanding. Pages that are not used stay
 * untouched.
 */
static bool allocate(struct ros_client *c)
{
	struct ros_server *s = c->server;
	size_t slots = (size_t)s->set.limits.requests * (s->set.zerocopy ? 2 : 1);

	c->memory = calloc(1, slots * s->slot_bytes + s->set.limits.clears * s->clear_bytes);
	return c->memory;
}

static struct ros_slot *slot_new(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_slot *slot = c->free_slots;
	unsigned int unit;

	if (slot) {
		c->free_slots = slot->next;
		return slot;
	}
	if (c->fresh_slots == s->set.limits.requests * (s->set.zerocopy ? 2 : 1))
		return NULL;
	slot = (struct ros_slot *)((uint8_t *)c->memory + c->fresh_slots++ * s->slot_bytes);
	slot->client = c;
	slot->out.type = ROS_OUT_REPLY;
	slot->out.iov = (struct iovec *)&slot->parts[s->units];
	slot->head = (uint8_t *)(slot->out.iov + 1 + s->links);
	for (unit = 0; unit < s->units; unit++)
		slot->parts[unit].job = (struct ros_job){
			.type = ROS_JOB_REQUEST, .unit = (uint8_t)unit, .owner = slot};
	return slot;
}

/* Initialize a slot in memory that was not used before. */
static struct ros_clear_slot *clear_begin(struct ros_client *c, struct ros_clear_slot *slot)
{
	struct ros_server *s = c->server;
	struct ros_clear_waiter *waiters;
	unsigned int unit;

	slot->client = c;
	slot->out.type = ROS_OUT_CLEARED;
	slot->out.iov = &slot->iov;
	waiters = (struct ros_clear_waiter *)&slot->parts[s->units];
	slot->events = (uint32_t *)(waiters + (size_t)s->units * s->set.limits.events);
	slot->found = (_Atomic uint8_t *)(slot->events + s->set.limits.events);
	for (unit = 0; unit < s->units; unit++) {
		slot->parts[unit].job = (struct ros_job){
			.type = ROS_JOB_CLEAR, .unit = (uint8_t)unit, .owner = slot};
		slot->parts[unit].waiters = waiters + (size_t)unit * s->set.limits.events;
	}
	return slot;
}

static struct ros_clear_slot *clear_new(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_clear_slot *slot = c->free_clears;
	size_t before = (size_t)s->set.limits.requests * (s->set.zerocopy ? 2 : 1) * s->slot_bytes;

	if (slot) {
		c->free_clears = slot->next;
		return slot;
	}
	if (c->fresh_clears == s->set.limits.clears)
		return NULL;
	before += c->fresh_clears++ * s->clear_bytes;
	return clear_begin(c, (struct ros_clear_slot *)((uint8_t *)c->memory + before));
}

/*
 * Return a slot for a clear of a lost client. The kernel may still read replies to earlier clears:
 * these do not count as outstanding, but their slots are not free.
 */
static struct ros_clear_slot *clear_new_extra(struct ros_client *c)
{
	struct ros_clear_slot *slot = clear_new(c);

	if (slot)
		return slot;
	slot = calloc(1, c->server->clear_bytes);
	if (!slot)
		return NULL;
	slot->next_extra = c->extra_clears;
	c->extra_clears = slot;
	return clear_begin(c, slot);
}

static void hello(struct ros_client *c, const struct ros_message *m)
{
	struct ros_server *s = c->server;
	uint16_t version = ros_version(&m->hello);
	struct ros_note *note;

	if (c->state != ROS_CLIENT_NEW) {
		ros_client_refuse(c, ROS_E_MALFORMED, m->id, 0, 0);
		return;
	}
	if (!version) {
		ros_client_refuse(c, ROS_E_VERSION, m->id, ROS_VERSION, m->hello.highest);
		return;
	}
	if (!ros_client_place(s, &c->from)) {
		ros_count_add(&s->counts.refused, 1);
		ros_client_refuse(c, ROS_E_TOO_MANY_CLIENTS, m->id, s->set.clients,
				  s->client_count);
		return;
	}
	if (!allocate(c)) {
		ros_client_drop(c);
		return;
	}
	ros_client_count(c);
	c->state = ROS_CLIENT_OPEN;
	c->half = 0;
	c->zerocopy = s->set.zerocopy;
	if (c->zerocopy) {
		int one = 1;

		c->zerocopy = !setsockopt(c->fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one));
	}
	note = ros_client_note(c);
	note->iov.iov_len = ros_encode_welcome(note->bytes, m->id, version, &s->set.limits);
	ros_send_queue(c, &note->out);
}

static void reply(struct ros_client *c, struct ros_slot *slot);

static void request(struct ros_client *c, const struct ros_message *m, struct ros_slot *slot)
{
	struct ros_server *s = c->server;
	unsigned int unit;

	slot->id = m->id;
	slot->event = m->request.event;
	slot->links = m->request.links;
	slot->since = s->now;
	slot->parts_left = 0;
	slot->halfway = false;
	for (unit = 0; unit < s->units; unit++) {
		struct ros_part *p = &slot->parts[unit];

		p->event = slot->event;
		p->back = false;
		p->aside = NULL;
		p->links = (uint32_t)((slot->links & s->set.limits.links) >> s->first_link[unit]) &
			   ((1u << s->workers[unit].source->link_count) - 1);
		slot->parts_left += p->links != 0;
	}
	c->requests++;
	c->jobs++;
	ros_count_add(&s->counts.requests, 1);
	if (!slot->parts_left)
		reply(c, slot);
	for (unit = 0; slot->parts_left && unit < s->units; unit++) {
		if (slot->parts[unit].links)
			order(s, &slot->parts[unit].job);
	}
}

static void clear(struct ros_client *c, const struct ros_message *m, struct ros_clear_slot *slot)
{
	struct ros_server *s = c->server;
	unsigned int unit;
	uint32_t i;

	slot->id = m->id;
	slot->count = m->clear.count;
	slot->parts_left = s->units;
	for (i = 0; i < slot->count; i++) {
		slot->events[i] = ros_clear_event(&m->clear, i);
		atomic_store_explicit(&slot->found[i], 0, memory_order_relaxed);
	}
	c->clears++;
	c->jobs++;
	ros_count_add(&s->counts.clears, 1);
	for (unit = 0; unit < s->units; unit++) {
		slot->parts[unit].events = slot->events;
		slot->parts[unit].found = slot->found;
		slot->parts[unit].count = slot->count;
		order(s, &slot->parts[unit].job);
	}
}

/* Return: false if there is no slot now; the message stays in the input. */
static bool message(struct ros_client *c, const struct ros_message *m)
{
	const struct ros_limits *limits = &c->server->set.limits;
	struct ros_clear_slot *clear_slot;
	struct ros_slot *slot;

	if (m->type == ROS_HELLO) {
		hello(c, m);
	} else if (c->state == ROS_CLIENT_NEW) {
		ros_client_refuse(c, ROS_E_NO_HELLO, m->id, 0, 0);
	} else if (m->type == ROS_REQUEST) {
		if (c->server->draining) {
			ros_client_refuse(c, ROS_E_DRAINING, m->id, 0, 0);
		} else if (c->requests >= limits->requests) {
			ros_client_refuse(c, ROS_E_TOO_MANY_REQUESTS, m->id, limits->requests,
					  c->requests);
		} else {
			slot = slot_new(c);
			if (!slot)
				return false;
			request(c, m, slot);
		}
	} else if (c->clears >= limits->clears) {
		ros_client_refuse(c, ROS_E_TOO_MANY_CLEARS, m->id, limits->clears, c->clears);
	} else {
		clear_slot = clear_new(c);
		if (!clear_slot)
			return false;
		clear(c, m, clear_slot);
	}
	return true;
}

void ros_client_parse(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_message m;
	struct ros_refusal reason;
	enum ros_decoded got;
	bool one = false;
	size_t at = 0;

	while (c->state <= ROS_CLIENT_OPEN) {
		/* Keep the last note for the error that ends the connection. */
		if (c->backlog > s->set.limits.backlog || !c->free_notes || !c->free_notes->next) {
			c->paused = true;
			break;
		}
		got = ros_decode_client(c->in + at, c->have - at, &s->set.limits, &m, &reason);
		if (got == ROS_MORE)
			break;
		if (got == ROS_REFUSED) {
			ros_client_error(c, &reason);
		} else if (!message(c, &m)) {
			c->paused = true;
			break;
		}
		at += m.length;
		one = true;
	}
	if (c->state > ROS_CLIENT_OPEN) {
		c->have = 0;
		return;
	}
	c->have -= at;
	if (at)
		memmove(c->in, c->in + at, c->have);
	if (c->state == ROS_CLIENT_NEW)
		return; /* its timeout counts from the connect */
	if (!c->have || c->paused)
		c->half = 0;
	else if (one || !c->half)
		c->half = s->now;
}

bool ros_client_parse_clears(struct ros_client *c)
{
	const struct ros_limits *limits = &c->server->set.limits;
	struct ros_clear_slot *slot;
	struct ros_refusal reason;
	enum ros_decoded got;
	struct ros_message m;
	size_t at = 0;

	while ((got = ros_decode_client(c->in + at, c->have - at, limits, &m, &reason)) !=
	       ROS_MORE) {
		if (got == ROS_REFUSED ? ros_closes(reason.code) : m.type == ROS_HELLO)
			return false;
		if (got == ROS_MESSAGE && m.type == ROS_CLEAR) {
			slot = c->clears < limits->clears ? clear_new_extra(c) : NULL;
			if (!slot)
				return false;
			clear(c, &m, slot);
		}
		at += m.length;
	}
	c->have -= at;
	memmove(c->in, c->in + at, c->have);
	return true;
}

static unsigned int bucket(uint64_t ns)
{
	uint64_t us = ns / 1000;
	unsigned int i = us ? 64 - (unsigned int)__builtin_clzll(us) : 0;

	return i < ROS_TIMES ? i : ROS_TIMES - 1;
}

/* Return the result of a link that is served. */
static const struct ros_piece *piece_of(const struct ros_server *s, const struct ros_slot *slot,
					unsigned int link)
{
	unsigned int unit = s->unit_of[link];

	return &slot->parts[unit].pieces[link - s->first_link[unit]];
}

/* Send the reply after all parts of a request are done. */
static void reply(struct ros_client *c, struct ros_slot *slot)
{
	struct ros_entry entries[ROS_LINKS], *e = entries;
	struct ros_server *s = c->server;
	struct iovec *iov = slot->out.iov + 1;
	uint64_t links = slot->links;
	bool complete = true, unknown = true, served = false;
	uint16_t flags = 0;
	uint32_t bytes = 0;

	for (; links; links &= links - 1, e++) {
		unsigned int link = (unsigned int)__builtin_ctzll(links);
		const struct ros_piece *piece = NULL;

		*e = (struct ros_entry){.link = (uint8_t)link, .status = ROS_NO_LINK};
		if (s->set.limits.links >> link & 1) {
			served = true;
			piece = piece_of(s, slot, link);
			e->status = piece->status;
			e->marks = piece->marks;
			e->size = piece->size;
		}
		complete &= e->status == ROS_OK;
		unknown &= e->status == ROS_NOT_THERE || e->status == ROS_NO_LINK;
		if (!piece || !e->size)
			continue;
		bytes += e->size;
		*iov++ = (struct iovec){.iov_base = (void *)(uintptr_t)piece->data,
					.iov_len = piece->size};
	}
	if (!complete) {
		flags |= ROS_INCOMPLETE;
		ros_count_add(&s->counts.incomplete, 1);
	}
	if (unknown && served) {
		flags |= ROS_UNKNOWN;
		ros_count_add(&s->counts.unknown, 1);
	}
	c->jobs--;
	ros_count_add(&s->counts.times[bucket(s->now - slot->since)], 1);
	ros_count_add(&s->counts.reply_ns, s->now - slot->since);
	slot->out.iov[0] = (struct iovec){
		.iov_base = slot->head,
		.iov_len = ros_encode_reply(slot->head, slot->id, slot->event, flags, entries,
					    (unsigned int)(e - entries), bytes),
	};
	slot->out.iovs = (unsigned int)(iov - slot->out.iov);
	ros_send_queue(c, &slot->out);
}

/* Send the acknowledgement after all units have executed a clear. */
static void cleared(struct ros_client *c, struct ros_clear_slot *slot)
{
	struct ros_server *s = c->server;
	struct ros_cleared sum = {0};
	unsigned int unit;
	uint32_t i;

	for (i = 0; i < slot->count; i++)
		sum.events += atomic_load_explicit(&slot->found[i], memory_order_relaxed);
	sum.unknown = slot->count - sum.events;
	for (unit = 0; unit < s->units; unit++)
		sum.fragments += slot->parts[unit].fragments;
	ros_count_add(&s->counts.cleared_events, sum.events);
	ros_count_add(&s->counts.unknown_events, sum.unknown);
	c->jobs--;
	slot->out.iovs = 1;
	slot->iov.iov_base = slot->head;
	slot->iov.iov_len = ros_encode_cleared(slot->head, slot->id, &sum);
	ros_send_queue(c, &slot->out);
}

void ros_client_job_done(struct ros_server *s, struct ros_job *job)
{
	struct ros_client *c;
	struct ros_out *out;

	if (job->type == ROS_JOB_REQUEST) {
		struct ros_slot *slot = job->owner;

		((struct ros_part *)job)->back = true;
		if (--slot->parts_left) {
			if (!slot->halfway)
				TAILQ_INSERT_TAIL(&s->partial, slot, partial);
			slot->halfway = true;
			return;
		}
		if (slot->halfway)
			TAILQ_REMOVE(&s->partial, slot, partial);
		slot->halfway = false;
		c = slot->client;
		reply(c, slot);
		out = &slot->out;
	} else {
		struct ros_clear_slot *slot = job->owner;

		if (--slot->parts_left)
			return;
		c = slot->client;
		cleared(c, slot);
		out = &slot->out;
	}
	/* The client does not receive replies any more. */
	if (c->state == ROS_CLIENT_GONE || c->error_sent)
		ros_send_drop(c, out);
	ros_client_retire(c);
}
