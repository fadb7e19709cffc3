// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Public functions of an event building node: open, step, stop, close, counters.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set64(uint64_t *value, uint64_t otherwise)
{
	if (!*value)
		*value = otherwise;
}

static void set32(uint32_t *value, uint32_t otherwise)
{
	if (!*value)
		*value = otherwise;
}

static int text(char *to, size_t room, const char *from, const char *what,
		char reason[ROC_EVB_REASON])
{
	if (from && strlen(from) >= room)
		return fabric_fail(reason, EINVAL,
				   "The %s \"%.100s\" has more than %zu characters.", what, from,
				   room - 1);
	snprintf(to, room, "%s", from ? from : "");
	return 0;
}

static int texts(struct roc_evb *e, const struct roc_evb_config *c, char reason[ROC_EVB_REASON])
{
	int ret =
		text(e->system, sizeof(e->system), c->system ? c->system : "roc", "system", reason);

	if (!ret)
		ret = text(e->name, sizeof(e->name), c->name, "name", reason);
	if (!ret)
		ret = text(e->host, sizeof(e->host), c->host, "address", reason);
	if (!ret)
		ret = text(e->advertise, sizeof(e->advertise),
			   c->advertise ? c->advertise
			   : c->host	? c->host
					: "127.0.0.1",
			   "address", reason);
	if (!ret)
		ret = text(e->port, sizeof(e->port), c->port, "port", reason);
	if (!ret)
		ret = text(e->provider, sizeof(e->provider), c->provider ? c->provider : "tcp",
			   "provider", reason);
	if (!ret && !e->name[0])
		ret = fabric_fail(reason, EINVAL, "A node needs a name.");
	return ret;
}

static int check(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct roc_evb_config *c = &e->cfg;
	uint64_t whole;

	set32(&c->events, 1);
	set64(&c->fragment_max, UINT64_C(1) << 20);
	set32(&c->blocks, 64);
	/* One block is packed while another one waits. */
	if (c->blocks < 2)
		c->blocks = 2;
	set32(&c->window, 2);
	set32(&c->in_flight, 64);
	set64(&c->copy_below, 8192);
	set64(&c->memory, UINT64_C(64) << 20);
	set32(&c->peers, 8);
	set64(&c->segment, UINT64_C(256) << 10);
	set64(&c->stale_ns, FABRIC_NS_PER_S);
	set64(&c->patience_ns, c->stale_ns);
	set64(&c->lease_ns, 2 * FABRIC_NS_PER_S);
	set64(&c->silence_ns, c->lease_ns);
	set64(&c->spin_ns, DOZE_SPIN_US * UINT64_C(1000));
	e->doze.spin_ns = c->spin_ns == ROC_EVB_NO_SPIN ? 0 : doze_spin(c->spin_ns);
	if (c->events > ROC_MFP_EVENTS_MAX)
		return fabric_fail(reason, EINVAL,
				   "A block cannot have %" PRIu32 " events: use 1 to %d.",
				   c->events, ROC_MFP_EVENTS_MAX);
	if (c->fragment_max > ROC_MFP_BYTES_MAX / 2 / c->events)
		return fabric_fail(
			reason, EINVAL,
			"%" PRIu32 " fragments of %" PRIu64
			" bytes exceed the size of an MFP: use fewer events per block, or smaller fragments.",
			c->events, c->fragment_max);
	whole = roc_mfp_data(c->events) + c->events * roc_mep_padded(c->fragment_max);
	set64(&c->mfp_max, whole);
	if (c->mfp_max > whole)
		c->mfp_max = whole;
	if (c->peers > ROC_EVB_NODES_MAX || c->protocol > ROC_EVB_COMMAND ||
	    c->in_flight > EVB_SEGMENTS || c->segment > ROC_MFP_BYTES_MAX)
		return fabric_fail(
			reason, EINVAL,
			"The configuration exceeds a limit: at most %d peers and %d in flight.",
			ROC_EVB_NODES_MAX, EVB_SEGMENTS);
	if (!(c->roles & ROC_EVB_READOUT) != !e->source ||
	    !(c->roles & ROC_EVB_BUILDER) != !e->sink)
		return fabric_fail(
			reason, EINVAL,
			"A readout unit needs a source, a builder unit needs a sink, and other nodes have neither.");
	return 0;
}

/* Check for libfabric and the provider. Loading it here delays no connection. */
static int try_fabric(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct fabric f;
	int ret = fabric_open(&f, e->provider, e->host[0] ? e->host : NULL, reason);

	/* This cannot fail: no memory is registered. */
	fabric_close(&f, reason);
	return ret;
}

/*
 * Pass the memory to the sink. This may take long or fail, so it comes before other nodes depend on
 * this one.
 */
static int announce_memory(struct roc_evb *e)
{
	const struct evb_builder *b = &e->bu;
	int ret = 0;

	if (e->sink->memory)
		ret = e->sink->memory(e->sink_self, b->memory_fd, b->memory, b->memory_bytes);
	return ret ? evb_fail(e, -ret, "The sink: %.400s", e->sink->reason(e->sink_self)) : 0;
}

int roc_evb_open(const struct roc_evb_config *config, const struct roc_evb_source_ops *source,
		 void *source_self, const struct roc_evb_sink_ops *sink, void *sink_self,
		 const struct roc_evb_coordinator_ops *coordinator, void *coordinator_self,
		 struct roc_evb **evb, char reason[ROC_EVB_REASON])
{
	struct roc_evb *e = calloc(1, sizeof(*e));
	int ret;

	reason[0] = '\0';
	if (!e)
		return fabric_fail(reason, ENOMEM, "Cannot allocate the node.");
	e->cfg = *config;
	e->source = source;
	e->source_self = source_self;
	e->sink = sink;
	e->sink_self = sink_self;
	e->coordinator = coordinator;
	e->coordinator_self = coordinator_self;
	e->bu.fd = e->bu.memory_fd = -1;
	e->ru.open = EVB_NONE;
	e->now = fabric_now();
	e->n.contact = true;
	e->members = calloc(2 * ROC_EVB_NODES_MAX, sizeof(*e->members));
	e->tables = calloc(ROC_EVB_TABLES, sizeof(*e->tables));
	ret = e->members && e->tables ? 0 : -ENOMEM;
	if (!ret)
		ret = texts(e, config, reason);
	if (!ret)
		ret = check(e, reason);
	if (!ret)
		ret = try_fabric(e, reason);
	if (!ret && source)
		ret = evb_readout_new(e, reason);
	if (!ret && sink)
		ret = evb_builder_new(e, reason);
	if (!ret && sink)
		ret = announce_memory(e);
	if (!ret)
		ret = evb_join(e);
	if (!ret) {
		*evb = e;
		return 0;
	}
	if (e->reason[0])
		fabric_fail(reason, -ret, "%s", e->reason);
	fabric_fail(reason, -ret, "%s.",
		    ret == -ENOMEM ? "Cannot allocate the tables of the node" : strerror(-ret));
	roc_evb_close(e);
	return ret;
}

static void rest(struct roc_evb *e, int timeout_ms)
{
	struct roc_idle idle = {.ns = (uint64_t)timeout_ms * EVB_MS};

	roc_evb_idle(e, &idle);
	doze(&e->doze, &idle);
}

/* Rejoin if this node made no step for so long that the other nodes have excluded it. */
static int turn(struct roc_evb *e)
{
	uint64_t before = e->now;
	char reason[128];

	e->now = fabric_now();
	if (!e->turning || e->now - before < e->cfg.lease_ns / 2) {
		e->turning = true;
		return 0;
	}
	snprintf(reason, sizeof(reason), "This node did not run for %" PRIu64 " ms.",
		 (e->now - before) / EVB_MS);
	return evb_rejoin(e, reason);
}

int roc_evb_step(struct roc_evb *evb, int timeout_ms)
{
	struct roc_evb *e = evb;
	int ret;

	e->progress = e->opened = e->begun = false;
	ret = turn(e);
	if (!ret)
		ret = evb_node_step(e);
	if (!ret && e->source)
		ret = evb_readout_step(e);
	if (!ret && e->sink)
		ret = evb_builder_step(e);
	if (!ret)
		ret = evb_report(e);
	if (!ret)
		ret = e->failed;
	if (ret)
		return ret;
	if ((!e->source || e->ru.finished) && (!e->sink || e->bu.finished) &&
	    (e->source || e->sink || e->stop))
		return 1;
	if (e->progress)
		doze_moved(&e->doze);
	else if (timeout_ms)
		rest(e, timeout_ms);
	return 0;
}

void roc_evb_idle(struct roc_evb *evb, struct roc_idle *idle)
{
	if (evb->coordinator->idle)
		evb->coordinator->idle(evb->coordinator_self, idle);
	if (evb->source)
		evb_readout_idle(evb, idle);
	if (evb->sink)
		evb_builder_idle(evb, idle);
	roc_idle_ns(idle, evb->cfg.lease_ns / 20);
}

void roc_evb_stop(struct roc_evb *evb)
{
	evb->stop = true;
}

/* Have the sink return its blocks: only those that it returns at once. */
static void empty_sink(struct roc_evb *e)
{
	uint64_t handles[64];

	if (e->sink->abandon)
		e->sink->abandon(e->sink_self);
	while (e->bu.out && e->sink->done(e->sink_self, handles, 64) > 0)
		;
}

void roc_evb_close(struct roc_evb *evb)
{
	struct roc_evb *e = evb;

	if (!e)
		return;
	if (e->joined)
		e->coordinator->leave(e->coordinator_self);
	/* Close the connections, which can access memory, before the memory is freed. */
	if (e->source && e->ru.destinations && e->ru.mfps) {
		evb_readout_drop(e);
		if (e->ru.started && e->source->flush)
			e->source->flush(e->source_self);
	}
	if (e->sink && e->bu.senders && e->bu.blocks)
		empty_sink(e);
	evb_readout_free(e);
	evb_builder_free(e);
	free(e->members);
	free(e->tables);
	free(e);
}

void roc_evb_counts(const struct roc_evb *evb, struct roc_evb_counts *counts)
{
	*counts = evb->n;
}

unsigned int roc_evb_peers(const struct roc_evb *evb, struct roc_evb_peer *peers, unsigned int room)
{
	unsigned int i, n = 0;

	for (i = 0; evb->ru.destinations && i < evb->ru.count; i++) {
		if (!evb->ru.destinations[i].used)
			continue;
		if (n < room)
			peers[n] = evb->ru.destinations[i].n;
		n++;
	}
	for (i = 0; evb->bu.senders && i < evb->bu.count; i++) {
		if (!evb->bu.senders[i].used)
			continue;
		if (n < room)
			peers[n] = evb->bu.senders[i].n;
		n++;
	}
	return n;
}

const char *roc_evb_reason(const struct roc_evb *evb)
{
	return evb->reason;
}

const char *roc_evb_why(const struct roc_evb *evb)
{
	return roc_evb_reason(evb);
}

uint64_t roc_evb_incarnation(const struct roc_evb *evb)
{
	return evb->incarnation;
}

unsigned int roc_evb_port(const struct roc_evb *evb)
{
	return evb->bu.port;
}

void roc_evb_environment(void)
{
	fabric_environment();
}
