// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readout unit: connect to a builder, and account for its MFPs when the connection breaks.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_LEAST (20 * EVB_MS)
#define PAUSE_MOST (500 * EVB_MS)
#define LOST_LOG_NS (500 * EVB_MS)

/* Log the losses for a builder in one message. */
static void log_lost(struct roc_evb *e, struct evb_destination *d, bool now)
{
	if (!d->lost_count || (!now && e->now - d->lost_logged < LOST_LOG_NS))
		return;
	evb_log(e,
		"Builder %s did not accept %" PRIu64 " blocks from %" PRIu64 " to %" PRIu64
		": they are lost.",
		d->name, d->lost_count, d->lost_from, d->lost_to);
	d->lost_logged = e->now;
	d->lost_count = 0;
}

/* Prepare a slot for another builder; its allocations stay. */
static void reset(struct evb_destination *d, const struct roc_evb_place *place)
{
	struct pair pair = d->pair;

	lookup_drop(&d->lookup);
	*d = (struct evb_destination){.used = true, .incarnation = place->incarnation};
	d->pair = pair;
	memcpy(d->name, place->name, sizeof(d->name));
	memcpy(d->n.name, place->name, sizeof(d->n.name));
	d->n.builder = true;
}

/*
 * Count the MFPs that the builder received completely and did not return: it is unknown whether it
 * delivered them before the connection broke.
 */
static void count_unsure(struct roc_evb *e, struct evb_destination *d)
{
	const struct evb_mfp *mfps = e->ru.mfps;
	uint64_t count = 0, events = 0;
	uint32_t i, n;

	if (e->cfg.protocol != ROC_EVB_PULL && d->queue.count && mfps[d->queue.first].sending) {
		const struct evb_mfp *half = &mfps[d->queue.first];

		for (i = 0; i < half->parts; i++)
			d->lent[half->segments[i]] = LENT_USED;
	}
	for (i = 0; d->lent && i < d->pair.peer.segments; i++) {
		if (d->lent[i] != LENT_LAST)
			continue;
		count++;
		events += d->events[i];
	}
	for (n = d->tickets.count, i = d->tickets.first; n; n--, i = mfps[i].next) {
		count++;
		events += mfps[i].count;
	}
	if (!count)
		return;
	e->n.unsure += count;
	e->n.unsure_events += events;
	evb_log(e,
		"Builder %s had %" PRIu64
		" unreturned blocks: whether the builder delivered them is unknown.",
		d->name, count);
}

void evb_destination_close(struct roc_evb *e, struct evb_destination *d, const char *reason)
{
	struct evb_readout *r = &e->ru;
	bool was = d->pair.state == PAIR_READY;
	uint32_t i;

	if (reason && (was || !d->failure_logged)) {
		evb_log(e, "Builder %s %s: %s", d->name, was ? "is lost" : "cannot be reached",
			reason);
		d->failure_logged = true;
	}
	/* A builder that sent BYE before it read everything does not have everything. */
	if (was && (!d->bye || d->tickets.count))
		count_unsure(e, d);
	evb_pair_close(e, &d->pair);
	/* Try another address of its host. */
	if (!was) {
		d->address[0] = '\0';
		d->which++;
	}
	if (was || !d->down)
		d->down = e->now;
	d->pause = was || !d->pause ? PAUSE_LEAST : d->pause * 2;
	if (d->pause > PAUSE_MOST)
		d->pause = PAUSE_MOST;
	d->retry = e->now + d->pause;
	d->end_sent = false;
	d->free_count = 0;
	free(d->free_segments);
	free(d->lent);
	free(d->events);
	d->free_segments = NULL;
	d->lent = NULL;
	d->events = NULL;
	/* An unknown part of the first MFP is at the builder: send it again from the start. */
	if (d->queue.count) {
		struct evb_mfp *m = &r->mfps[d->queue.first];

		if (m->sending) {
			m->sending = false;
			m->flying = m->part = m->pieces_announced = 0;
			m->at = (struct evb_cursor){0};
		}
	}
	while (d->tickets.count)
		evb_mfp_finish(e, evb_pop(r->mfps, &d->tickets));
	/* The connection is closed, so no operation uses these MFPs. */
	for (i = 0; i < r->mfp_count; i++) {
		struct evb_mfp *m = &r->mfps[i];

		if (!m->flying || m->destination != d - r->destinations)
			continue;
		m->flying = 0;
		evb_mfp_finish(e, i);
	}
	d->n.in_flight = 0;
	d->n.connected = false;
}

void evb_destination_drop(struct roc_evb *e, struct evb_destination *d)
{
	evb_destination_close(e, d, NULL);
	while (d->queue.count)
		evb_lose(e, d, evb_pop(e->ru.mfps, &d->queue));
	log_lost(e, d, true);
	d->used = d->wanted = false;
}

static int connect_to(struct roc_evb *e, struct evb_destination *d)
{
	const struct roc_evb_member *m = evb_member(e, d->name);
	char reason[FABRIC_REASON] = "";
	int ret;

	/*
	 * One connection per step, as only one greeting is sent per step: a builder closes
	 * connections without a greeting.
	 */
	if (e->begun)
		return 0;
	d->pair.reason[0] = '\0';
	if (!m || m->incarnation != d->incarnation || !m->port[0])
		return pair_fail(&d->pair, ENOENT,
				 "the coordinator has no address of this builder.");
	ret = 1;
	if (!d->address[0])
		ret = lookup_address(&d->lookup, m->host, d->which, d->address, reason);
	if (!ret)
		return 0;
	if (ret > 0)
		ret = control_connect(&d->pair.control, d->address, m->port, reason);
	if (ret)
		return pair_fail(&d->pair, -ret, "%.400s", reason);
	e->begun = e->progress = true;
	d->pair.state = PAIR_CONNECTING;
	d->pair.since = e->now;
	return 0;
}

/* Register the memory of MFPs. Pull: the builder may read it, so the greeting lists the regions. */
static int lend_memory(struct roc_evb *e, struct evb_destination *d, struct evb_greeting *g)
{
	struct evb_readout *r = &e->ru;
	struct fabric *f = &d->pair.fabric;
	uint64_t access = e->cfg.protocol == ROC_EVB_PULL ? FI_REMOTE_READ : FI_WRITE;
	size_t at, bytes;
	unsigned int i;
	int ret = 0;

	for (at = 0; at < r->memory_bytes && !ret; at += bytes) {
		bytes = r->memory_bytes - at < r->chunk ? r->memory_bytes - at : r->chunk;
		ret = fabric_register_for(f, r->memory + at, bytes, access, d->pair.reason);
	}
	for (i = 0; i < r->region_count && !ret; i++)
		ret = fabric_register_for(f, r->regions[i].addr, r->regions[i].length, access,
					  d->pair.reason);
	if (ret || e->cfg.protocol != ROC_EVB_PULL)
		return ret;
	/* Region 0 has the messages. */
	g->region_count = f->region_count - 1;
	if (g->region_count > EVB_REGIONS)
		return pair_fail(&d->pair, ENOSPC,
				 "the memory of this node has %" PRIu32
				 " regions, but a greeting has space for %d.",
				 g->region_count, EVB_REGIONS);
	for (i = 0; i < g->region_count; i++)
		g->regions[i] = (struct evb_region){.base = fabric_base(f, i + 1),
						    .key = fabric_key(f, i + 1),
						    .bytes = f->regions[i + 1].iov_len};
	return 0;
}

static int greet(struct roc_evb *e, struct evb_destination *d)
{
	struct evb_greeting g = {.in_flight = e->cfg.in_flight,
				 .pieces = e->ru.pieces_max,
				 .mfp_max = e->ru.mfp_max,
				 .to_incarnation = d->incarnation};
	int ret = control_connected(&d->pair.control);

	if (ret < 0)
		return pair_fail(&d->pair, -ret, "%s.", strerror(-ret));
	/* Opening an endpoint takes time: open one per step. */
	if (!ret)
		return 0;
	if (e->opened) {
		e->begun = true;
		return 0;
	}
	e->opened = e->progress = true;
	ret = pair_open_fabric(&d->pair, e->provider);
	if (!ret)
		ret = lend_memory(e, d, &g);
	if (ret)
		return ret;
	evb_introduce(e, &g);
	memcpy(g.to, d->name, sizeof(g.to));
	g.name_bytes = (uint32_t)d->pair.end.name_bytes;
	memcpy(g.end_name, d->pair.end.name, sizeof(g.end_name));
	d->pair.state = PAIR_GREETING;
	d->pair.since = e->now;
	return pair_send_greeting(&d->pair, &g);
}

/* Check the greeting of the builder. */
static int judge(struct roc_evb *e, struct evb_destination *d)
{
	const struct evb_greeting *g = &d->pair.peer;
	uint64_t room = g->segment - EVB_SEGMENT_HEAD, parts;

	if (g->status)
		return pair_fail(&d->pair, EPROTO, "the builder refused the connection: %s",
				 g->reason);
	if (strcmp(g->name, d->name) || g->incarnation != d->incarnation)
		return pair_fail(&d->pair, EPROTO, "another node (%s) listens at its address.",
				 g->name);
	if (e->cfg.protocol == ROC_EVB_PULL)
		return 0;
	if (!g->segments)
		return pair_fail(&d->pair, EPROTO, "its greeting has no segments.");
	parts = evb_parts(e->ru.mfp_max, room);
	if (parts > g->segments || parts > e->ru.parts_max)
		return pair_fail(&d->pair, EMSGSIZE,
				 "its segments of %" PRIu64
				 " bytes are too small or too few for MFPs of %" PRIu64 " bytes.",
				 g->segment, e->ru.mfp_max);
	return 0;
}

static int be_welcomed(struct roc_evb *e, struct evb_destination *d)
{
	const struct evb_greeting *g = &d->pair.peer;
	int ret = pair_receive_greeting(&d->pair, "the process at this address");

	if (ret < 1)
		return ret;
	ret = judge(e, d);
	if (!ret)
		ret = pair_ready(&d->pair);
	if (ret)
		return ret;
	d->free_segments = calloc(g->segments + 1, sizeof(*d->free_segments));
	d->lent = calloc(g->segments + 1, sizeof(*d->lent));
	d->events = calloc(g->segments + 1, sizeof(*d->events));
	if (!d->free_segments || !d->lent || !d->events)
		return pair_fail(&d->pair, ENOMEM, "cannot allocate the lists of its segments.");
	d->limit =
		g->in_flight && g->in_flight < e->cfg.in_flight ? g->in_flight : e->cfg.in_flight;
	/* Pull: a builder that reads nothing must not block all MFPs of this node. */
	if (e->cfg.protocol == ROC_EVB_PULL && d->limit > (e->ru.mfp_count + 1) / 2)
		d->limit = (e->ru.mfp_count + 1) / 2;
	d->free_count = 0;
	d->sent = 0;
	d->send_passed = true;
	d->stuck = false;
	d->down = d->pause = 0;
	d->progress = e->now;
	d->failure_logged = false;
	d->n.connected = d->reached = true;
	e->progress = true;
	return 0;
}

/* Return the block below which all blocks were sent or do not exist. */
static uint64_t passed(const struct roc_evb *e, const struct evb_destination *d)
{
	const struct evb_readout *r = &e->ru;

	return d->queue.count ? r->mfps[d->queue.first].block : r->next_block;
}

/* Send PASSED or END, if due. */
static int send_progress(struct roc_evb *e, struct evb_destination *d)
{
	struct evb_readout *r = &e->ru;
	struct evb_message m = {.type = EVB_PASSED, .a = passed(e, d), .b = d->sent};
	int ret;

	if (r->ended && r->open == EVB_NONE && !d->queue.count && !d->end_sent) {
		m.type = EVB_END;
		ret = pair_send_empty(&d->pair, &m);
		d->end_sent = !ret;
		if (ret != -EAGAIN)
			e->progress = true;
		return ret == -EAGAIN ? 0 : ret;
	}
	if (d->end_sent)
		return 0;
	/* Send PASSED periodically: a block of the builder may lack all other sources. */
	if (!d->send_passed && e->now - d->passed_sent_at < e->cfg.stale_ns / 8)
		return 0;
	if (!r->any)
		return 0;
	ret = pair_send_empty(&d->pair, &m);
	if (!ret) {
		d->send_passed = false;
		d->passed_sent_at = e->now;
	}
	return ret == -EAGAIN ? 0 : ret;
}

static int serve(struct roc_evb *e, struct evb_destination *d)
{
	int ret = pair_progress(&d->pair, &evb_send_use, e);

	if (ret > 0)
		e->progress = true;
	if (ret >= 0)
		ret = evb_send(e, d);
	if (!ret)
		ret = send_progress(e, d);
	if (!ret)
		ret = pair_alive(&d->pair, e->now, e->cfg.silence_ns);
	return ret;
}

/* Drop MFPs that the builder does not accept in time. */
static void abandon(struct roc_evb *e, struct evb_destination *d)
{
	struct evb_readout *r = &e->ru;
	uint64_t patience = e->cfg.patience_ns;

	while (d->queue.count) {
		/* If the first MFP is partly sent, the ones behind it are dropped all the same. */
		bool half = r->mfps[d->queue.first].sending, ready = d->pair.state == PAIR_READY;
		struct evb_mfp *m = &r->mfps[d->queue.first];
		uint64_t since, moved = d->moved > d->progress ? d->moved : d->progress;

		if (half && d->queue.count == 1)
			return;
		if (half)
			m = &r->mfps[m->next];
		if (!m->released)
			return;
		since = m->since;
		if (ready && (moved > since || (d->stuck && d->n.stale)))
			since = moved;
		/* The patience with a disconnected builder does not restart with each MFP. */
		if (!ready && d->down && d->down < since)
			since = d->down;
		if (e->now - since < patience && (d->wanted || ready))
			return;
		evb_lose(e, d,
			 half ? evb_pop_second(r->mfps, &d->queue) : evb_pop(r->mfps, &d->queue));
	}
}

/*
 * Pull: announced MFPs that the builder does not read occupy memory of this node, and several such
 * builders can occupy all of it, so that no MFP waits that could be dropped. Count each of these
 * MFPs as late once per patience.
 */
static void check_tickets(struct roc_evb *e, struct evb_destination *d)
{
	uint64_t moved = d->moved > d->progress ? d->moved : d->progress, late;

	if (!d->tickets.count || d->pair.state != PAIR_READY)
		return;
	late = (e->now - moved) / e->cfg.patience_ns * d->tickets.count;
	if (!late)
		return;
	if (!d->n.stale)
		d->late.first = moved + e->cfg.patience_ns;
	d->late.last = e->now;
	if (late > d->n.stale)
		d->n.stale = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
}

void evb_destination_step(struct roc_evb *e, struct evb_destination *d)
{
	struct pair *p = &d->pair;
	int ret = 0;

	if (p->state == PAIR_DOWN && d->wanted && !d->protocol_error && !d->bye &&
	    e->now >= d->retry)
		ret = connect_to(e, d);
	if (!ret && p->state == PAIR_CONNECTING)
		ret = greet(e, d);
	if (!ret && p->state == PAIR_GREETING)
		ret = be_welcomed(e, d);
	if (!ret && p->state == PAIR_READY)
		ret = serve(e, d);
	else if (!ret && p->state != PAIR_DOWN && e->now - p->since > EVB_GREET_NS(e))
		ret = pair_fail(p, ETIMEDOUT, "timed out: no greeting for %" PRIu64 " ms.",
				EVB_GREET_NS(e) / EVB_MS);
	if (ret == -EPROTO && p->state == PAIR_READY && !d->protocol_error && !d->bye) {
		d->protocol_error = true;
		e->n.protocol_violations++;
	}
	/* A builder that has everything may close the connection: no message, no new connection. */
	if (ret)
		evb_destination_close(e, d, d->bye ? NULL : p->reason);
	abandon(e, d);
	check_tickets(e, d);
	log_lost(e, d, false);
	d->n.queue = d->queue.count;
	d->n.credits = d->free_count;
	evb_check_clock(e, p, &d->n);
	/* No table needs the builder, and it had time to receive the last PASSED. */
	if (!d->wanted && !d->queue.count &&
	    (p->state != PAIR_READY ||
	     (e->now - d->unwanted > e->cfg.stale_ns && !d->tickets.count && !d->n.in_flight) ||
	     e->now - d->unwanted > e->cfg.stale_ns + e->cfg.patience_ns)) {
		evb_destination_close(e, d, NULL);
		log_lost(e, d, true);
		d->used = false;
		/* A builder that had no slot can use this one. */
		e->ru.rescope = 0;
	}
}

int evb_destination_of(struct roc_evb *e, const struct roc_evb_place *place)
{
	struct evb_readout *r = &e->ru;
	struct evb_destination *d = NULL;
	unsigned int i;

	for (i = 0; i < r->count && !d; i++) {
		if (r->destinations[i].used && !strcmp(r->destinations[i].name, place->name))
			d = &r->destinations[i];
	}
	for (i = 0; i < r->count && !d; i++) {
		if (r->destinations[i].used)
			continue;
		d = &r->destinations[i];
		reset(d, place);
		d->down = e->now;
	}
	if (!d)
		return -1;
	/* The later table has the newer incarnation. */
	if (!d->wanted && d->incarnation != place->incarnation) {
		if (d->pair.state != PAIR_DOWN)
			evb_destination_close(e, d, "the builder was restarted.");
		d->incarnation = place->incarnation;
		lookup_drop(&d->lookup);
		d->address[0] = '\0';
		d->protocol_error = d->bye = d->reached = false;
		d->retry = 0;
		d->down = e->now;
	}
	d->wanted = true;
	return (int)(d - r->destinations);
}

int evb_destinations_new(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	/* Builders of the newest table and of the previous one, whose data may still be sent. */
	r->count = 2 * e->cfg.peers;
	r->destinations = calloc(r->count, sizeof(*r->destinations));
	if (!r->destinations)
		return -ENOMEM;
	for (i = 0; i < r->count; i++) {
		if (pair_new(&r->destinations[i].pair))
			return -ENOMEM;
	}
	return 0;
}

void evb_destinations_free(struct roc_evb *e)
{
	struct evb_readout *r = &e->ru;
	unsigned int i;

	for (i = 0; r->destinations && i < r->count; i++) {
		free(r->destinations[i].free_segments);
		free(r->destinations[i].lent);
		free(r->destinations[i].events);
		lookup_drop(&r->destinations[i].lookup);
		pair_free(&r->destinations[i].pair);
		r->stuck |= r->destinations[i].pair.stuck;
	}
	free(r->destinations);
	r->destinations = NULL;
}
