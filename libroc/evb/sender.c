// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: accept and serve the connection of a readout unit, and give credits for its
 * segments.
 */
#include "engine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/base.h"

#define MUTE_NS                                                                                    \
	(500 * EVB_MS) /* timeout of a connection without a greeting, if all places are used */
#define CREDIT_NS (EVB_MS / 5)
#define CREDITS (EVB_PAYLOAD / 4)

void evb_sender_close(struct roc_evb *e, struct evb_sender *g, const char *reason)
{
	bool was = g->pair.state == PAIR_READY;
	uint32_t i;

	if (reason && was)
		evb_log(e, "Readout unit %s is lost: %s", g->name, reason);
	evb_pair_close(e, &g->pair);
	g->n.connected = false;
	if (!was)
		return;
	/* The memory is unreachable now: incomplete arrivals will not be completed. */
	for (i = 0; i < g->arrivals_pool; i++) {
		struct evb_arrival *a = &g->arrivals[i];

		a->reads = 0;
		if (a->used && !a->whole)
			evb_block_forget(e, g, a);
	}
	evb_recall(g);
	g->first_read = g->announcing = EVB_NONE;
	e->progress = true;
}

static int refuse(struct roc_evb *e, struct pair *p, const char *name, enum evb_status status,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
static int refuse(struct roc_evb *e, struct pair *p, const char *name, enum evb_status status,
		  const char *fmt, ...)
{
	struct evb_greeting g = {.status = status};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(g.reason, sizeof(g.reason), fmt, ap);
	va_end(ap);
	evb_introduce(e, &g);
	/* Do not disclose the incarnation: a greeting must contain it to be accepted. */
	g.incarnation = 0;
	pair_send_greeting(p, &g);
	e->n.refused++;
	/* A disconnected violator retries periodically: the violation was logged. */
	if (status != EVB_NOT_TRUSTED)
		evb_log(e, "Readout unit %s is refused: %s", name[0] ? name : "?", g.reason);
	return pair_fail(p, EPROTO, "%s", g.reason);
}

/* Check that both ends have the same parameters. */
static int judge(struct roc_evb *e, struct pair *p)
{
	const struct evb_greeting *g = &p->peer;

	if (g->status)
		return refuse(e, p, "", EVB_BROKEN, "its greeting is a refusal.");
	if (g->layout != ROC_MEP_VERSION)
		return refuse(e, p, g->name, EVB_NO_LAYOUT,
			      "its MFPs have layout version %" PRIu32 ", those of %s version %d.",
			      g->layout, e->name, ROC_MEP_VERSION);
	if (strcmp(g->system, e->system))
		return refuse(e, p, g->name, EVB_NO_SYSTEM, "its system is %s, that of %s is %s.",
			      g->system, e->name, e->system);
	if (strcmp(g->to, e->name) || g->to_incarnation != e->incarnation)
		return refuse(
			e, p, g->name, EVB_OTHER_NODE,
			"it connects to %s, but this is another node or another incarnation (%s).",
			g->to, e->name);
	if (strcmp(g->provider, e->provider))
		return refuse(e, p, g->name, EVB_NO_PROVIDER,
			      "its libfabric provider is %s, that of %s is %s.", g->provider,
			      e->name, e->provider);
	if (g->protocol != e->cfg.protocol)
		return refuse(
			e, p, g->name, EVB_NO_PROTOCOL,
			"its protocol (push, pull or command) differs from that of %s: configure the same protocol.",
			e->name);
	if (g->events != e->cfg.events)
		return refuse(e, p, g->name, EVB_NO_EVENTS,
			      "its blocks have %" PRIu32 " events, those of %s %" PRIu32 ".",
			      g->events, e->name, e->cfg.events);
	if (!g->mfp_max || (e->cfg.protocol == ROC_EVB_PULL && (!g->pieces || !g->region_count)))
		return refuse(e, p, g->name, EVB_BROKEN, "its greeting has no sizes.");
	return 0;
}

/*
 * Return true if the coordinator lists that process as a member. A readout unit may connect before
 * the coordinator reports it.
 */
static bool is_member(const struct roc_evb *e, const struct evb_greeting *g)
{
	const struct roc_evb_member *m = evb_member(e, g->name);

	return m && m->incarnation == g->incarnation && m->roles & ROC_EVB_READOUT;
}

/* Return the slot of a readout unit, or a free one; NULL: there is none. */
static struct evb_sender *slot_for(struct roc_evb *e, const char *name)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_newest(e);
	struct evb_sender *away = NULL;
	unsigned int i;

	for (i = 0; i < b->count; i++) {
		struct evb_sender *g = &b->senders[i];

		if (g->used && !strcmp(g->name, name))
			return g;
	}
	for (i = 0; i < b->count; i++) {
		struct evb_sender *g = &b->senders[i];

		if (!g->used)
			return g;
		/* A slot can be reused if no table has its unit and none of its data are here. */
		if (g->pair.state == PAIR_DOWN && !g->arrivals_used && (!t || t->ru_of[i] < 0))
			away = g;
	}
	return away;
}

static int lend_memory(struct roc_evb *e, struct evb_sender *g, struct evb_greeting *hello)
{
	struct fabric *f = &g->pair.fabric;
	uint64_t access = e->cfg.protocol == ROC_EVB_PUSH ? FI_REMOTE_WRITE : FI_READ;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < g->regions && !ret; i++)
		ret = fabric_register_for(f, g->memory + i * g->region, g->region, access,
					  g->pair.reason);
	if (ret || e->cfg.protocol == ROC_EVB_PULL)
		return ret;
	hello->segments = g->segments;
	hello->per_region = g->per_region;
	hello->segment = g->segment;
	hello->region_count = g->regions;
	for (i = 0; i < g->regions; i++)
		/* Region 0 has the messages. Commands are copied: they need no key. */
		hello->regions[i] = (struct evb_region){
			.base = fabric_base(f, i + 1),
			.key = e->cfg.protocol == ROC_EVB_PUSH ? fabric_key(f, i + 1) : 0,
			.bytes = g->region,
		};
	return 0;
}

/* Move an accepted connection to the pair of its sender. */
static void move_in(struct roc_evb *e, struct evb_sender *g, struct pair *from)
{
	const struct evb_greeting *hello = &from->peer;

	if (strcmp(g->name, hello->name)) {
		g->n = (struct roc_evb_peer){0};
		memcpy(g->name, hello->name, sizeof(g->name));
		memcpy(g->n.name, hello->name, sizeof(g->n.name));
		g->protocol_error = false;
	}
	g->used = true;
	g->incarnation = hello->incarnation;
	g->pair.control = from->control;
	g->pair.peer = *hello;
	g->pair.reason[0] = '\0';
	from->control.fd = -1;
	from->state = PAIR_DOWN;
	g->ended = g->bye_sent = false;
	g->got = g->passed = g->passed_announced = g->passed_at = 0;
	g->first_read = g->announcing = EVB_NONE;
	g->pair.state = PAIR_GREETING;
	g->pair.since = e->now;
}

static int welcome(struct roc_evb *e, struct pair *from)
{
	struct evb_greeting hello = {0};
	struct evb_sender *g;
	struct pair *p;
	int ret;

	g = slot_for(e, from->peer.name);
	if (!g)
		return refuse(
			e, from, from->peer.name, EVB_NO_ROOM,
			"%s has the maximum number of readout units (%u): raise its number of peers.",
			e->name, e->bu.count);
	if (g->used && g->protocol_error && g->incarnation == from->peer.incarnation &&
	    !strcmp(g->name, from->peer.name))
		return refuse(
			e, from, from->peer.name, EVB_NOT_TRUSTED,
			"%s excluded this readout unit after a protocol violation: restart the readout unit.",
			e->name);
	if (g->pair.state != PAIR_DOWN)
		evb_sender_close(e, g, "the readout unit connected again.");
	ret = evb_cut(e, g, from->peer.mfp_max,
		      e->cfg.protocol == ROC_EVB_PULL ? from->peer.pieces : 0, e->cfg.single);
	if (ret == -EMSGSIZE)
		return refuse(e, from, from->peer.name, EVB_TOO_LARGE,
			      "its MFPs have up to %" PRIu64
			      " bytes, but its share of the memory of %s is %" PRIu32
			      " times %" PRIu64
			      "%s: configure more memory, larger regions, or fewer peers.",
			      from->peer.mfp_max, e->name, g->regions, g->region,
			      e->cfg.single ? ", and each must fit one segment" : "");
	if (ret)
		return refuse(e, from, from->peer.name, EVB_NO_ROOM,
			      "its previous data still occupy its share of the memory of %s.",
			      e->name);
	move_in(e, g, from);
	e->opened = true;
	p = &g->pair;
	ret = pair_open_fabric(p, e->provider);
	if (!ret)
		ret = lend_memory(e, g, &hello);
	if (!ret)
		ret = pair_ready(p);
	if (ret) {
		refuse(e, p, g->name, EVB_BROKEN, "%.200s", p->reason);
		evb_sender_close(e, g, NULL);
		return 0;
	}
	evb_introduce(e, &hello);
	hello.in_flight = g->arrivals_max;
	hello.name_bytes = (uint32_t)p->end.name_bytes;
	memcpy(hello.end_name, p->end.name, sizeof(hello.end_name));
	g->n.connected = true;
	g->protocol_error = false;
	if (pair_send_greeting(p, &hello))
		evb_sender_close(e, g, p->reason);
	evb_blocks_tables(e);
	e->progress = true;
	return 0;
}

/* Process a greeting. Return 0, or -errno if the connection is refused or closed. */
static int introduce(struct roc_evb *e, struct pair *p)
{
	int ret = p->introduced ? control_receive(&p->control) : judge(e, p);

	if (ret)
		return ret;
	/*
	 * Early data would wake this node again and again: they are allowed only after the answer.
	 */
	if (p->control.in_bytes)
		return pair_fail(p, EPROTO,
				 "protocol violation: data before the answer to its greeting.");
	p->introduced = true;
	if (is_member(e, &p->peer))
		return welcome(e, p);
	if (e->now - p->since > EVB_GREET_NS(e))
		return refuse(e, p, p->peer.name, EVB_OTHER_NODE,
			      "the coordinator does not list it as a member.");
	return 0;
}

static void greet(struct roc_evb *e, struct pair *p)
{
	int ret;

	p->reason[0] = '\0';
	ret = p->introduced ? 1 : pair_receive_greeting(p, "the connecting process");
	if (ret == -EPROTONOSUPPORT)
		refuse(e, p, "", EVB_NO_VERSION, "%.200s", p->reason);
	else if (ret > 0)
		ret = introduce(e, p);
	else if (!ret && e->now - p->since > EVB_GREET_NS(e))
		ret = -ETIMEDOUT;
	if (ret < 0)
		evb_pair_close(e, p);
}

bool evb_senders_full(const struct evb_builder *b)
{
	unsigned int i;

	for (i = 0; i < EVB_WAITING && b->waiting[i].state != PAIR_DOWN; i++)
		;
	return i == EVB_WAITING;
}

/* Do not close a connection whose complete greeting was not checked yet. */
static bool may_be_displaced(const struct roc_evb *e, const struct pair *p)
{
	return p->introduced ? !is_member(e, &p->peer) : p->control.in_bytes < EVB_GREETING;
}

void evb_senders_admit(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	unsigned int i;
	bool full;

	if (e->now - b->looked < EVB_MS && b->looked)
		goto greet;
	b->looked = e->now;
	full = evb_senders_full(b);
	for (i = 0; i < EVB_WAITING; i++) {
		struct pair *p = &b->waiting[i];
		int fd;

		/*
		 * If all places are taken, close after 500 ms each connection that is not a
		 * member's.
		 */
		if (full && p->state != PAIR_DOWN && may_be_displaced(e, p) &&
		    e->now - p->since > MUTE_NS)
			evb_pair_close(e, p);
		if (p->state != PAIR_DOWN)
			continue;
		fd = accept4(b->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		b->no_files = fd < 0 && accept_no_files(errno);
		if (fd < 0)
			break;
		control_accepted(&p->control, fd);
		p->state = PAIR_GREETING;
		p->introduced = false;
		p->since = e->now;
		e->progress = true;
	}
greet:
	for (i = 0; i < EVB_WAITING; i++) {
		/* Opening an endpoint takes time: open one per step. */
		if (b->waiting[i].state == PAIR_GREETING && !e->opened)
			greet(e, &b->waiting[i]);
	}
}

/* Give credit for free segments: in batches, unless the sender has few. */
static int give_credit(struct roc_evb *e, struct evb_sender *g)
{
	struct evb_message m = {.type = EVB_CREDIT};
	unsigned char *text;
	uint32_t i;
	int ret;

	while (g->free_count) {
		if (g->free_count < g->segments / 4 && g->lent > g->segments / 2 &&
		    e->now - g->free_since < CREDIT_NS)
			return 0;
		text = pair_message(&g->pair);
		if (!text)
			return 0;
		m.count = g->free_count < CREDITS ? g->free_count : CREDITS;
		for (i = 0; i < m.count; i++)
			evb_put_number(text, i, g->free_list[g->free_count - 1 - i]);
		ret = pair_send(&g->pair, text, &m);
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		for (i = 0; i < m.count; i++)
			g->slots[g->free_list[--g->free_count]].state = SEGMENT_LENT;
		g->lent += m.count;
		e->progress = true;
	}
	return 0;
}

/* Send BYE if all data of a sender that ended are delivered. */
static int send_bye(struct roc_evb *e, struct evb_sender *g)
{
	struct evb_message m = {.type = EVB_BYE};
	int ret;

	/* GOT comes first: after BYE the sender may exit. */
	if (g->bye_sent || !g->ended || g->passed != UINT64_MAX || g->arrivals_used || g->got_count)
		return 0;
	ret = pair_send_empty(&g->pair, &m);
	g->bye_sent = !ret;
	return ret == -EAGAIN ? 0 : ret;
}

static int serve(struct roc_evb *e, struct evb_sender *g)
{
	int ret = pair_progress(&g->pair, &evb_arrive_use, e);

	if (ret > 0)
		e->progress = true;
	if (ret >= 0)
		ret = evb_arrive_step(e, g);
	if (!ret && e->cfg.protocol != ROC_EVB_PULL)
		ret = give_credit(e, g);
	if (!ret)
		ret = send_bye(e, g);
	if (!ret)
		ret = pair_alive(&g->pair, e->now, e->cfg.silence_ns);
	return ret;
}

static void note_violation(struct roc_evb *e, struct evb_sender *g)
{
	g->protocol_error = true;
	e->n.protocol_violations++;
}

void evb_sender_tables(struct roc_evb *e, struct evb_sender *g)
{
	if (!evb_arrive_tables(e, g))
		return;
	note_violation(e, g);
	evb_sender_close(e, g, g->pair.reason);
}

void evb_sender_step(struct roc_evb *e, struct evb_sender *g)
{
	int ret;

	if (g->pair.state != PAIR_READY)
		return;
	ret = serve(e, g);
	if (ret == -EPROTO)
		note_violation(e, g);
	/* After BYE, the sender may close the connection: no message. */
	if (ret)
		evb_sender_close(e, g, g->bye_sent ? NULL : g->pair.reason);
	evb_check_clock(e, &g->pair, &g->n);
	g->n.credits = g->lent;
}
