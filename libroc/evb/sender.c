// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: the connection of a readout unit, and credits for its segments.
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

#define MUTE_NS (500 * EVB_MS) /* for a connection that has said nothing */
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
	/* Nothing reaches its memory any more. What is not whole will not become so. */
	for (i = 0; i < g->arrivals_pool; i++) {
		struct evb_arrival *a = &g->arrivals[i];

		a->reads = 0;
		if (a->used && !a->whole)
			evb_block_forget(e, g, a);
	}
	evb_recall(g);
	g->first_read = g->telling = EVB_NONE;
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
	/* Do not disclose our incarnation: a hello must contain it to be accepted. */
	g.incarnation = 0;
	pair_send_greeting(p, &g);
	e->n.refused++;
	/* Who was taken out tries again and again: that was said. */
	if (status != EVB_NOT_TRUSTED)
		evb_log(e, "Readout unit %s is refused: %s", name[0] ? name : "?", g.reason);
	return pair_fail(p, EPROTO, "%s", g.reason);
}

/* What must be the same at both ends. */
static int judge(struct roc_evb *e, struct pair *p)
{
	const struct evb_greeting *g = &p->peer;

	if (g->status)
		return refuse(e, p, "", EVB_BROKEN, "it says hello with a refusal.");
	if (g->layout != ROC_MEP_VERSION)
		return refuse(e, p, g->name, EVB_NO_LAYOUT,
			      "its MFPs have version %" PRIu32
			      " of the layout, those of %s version %d.",
			      g->layout, e->name, ROC_MEP_VERSION);
	if (strcmp(g->system, e->system))
		return refuse(e, p, g->name, EVB_NO_SYSTEM, "it is of system %s, and %s is of %s.",
			      g->system, e->name, e->system);
	if (strcmp(g->to, e->name) || g->to_incarnation != e->incarnation)
		return refuse(e, p, g->name, EVB_OTHER_NODE,
			      "it wants %s as it was started once, and this is %s, started anew.",
			      g->to, e->name);
	if (strcmp(g->provider, e->provider))
		return refuse(e, p, g->name, EVB_NO_PROVIDER,
			      "it has provider %s of libfabric, and %s has %s.", g->provider,
			      e->name, e->provider);
	if (g->protocol != e->cfg.protocol)
		return refuse(
			e, p, g->name, EVB_NO_PROTOCOL,
			"one of both pushes and the other pulls, or sends commands: give %s the same protocol.",
			e->name);
	if (g->events != e->cfg.events)
		return refuse(e, p, g->name, EVB_NO_EVENTS,
			      "its blocks have %" PRIu32 " events, those of %s %" PRIu32 ".",
			      g->events, e->name, e->cfg.events);
	if (!g->mfp_max || (e->cfg.protocol == ROC_EVB_PULL && (!g->pieces || !g->region_count)))
		return refuse(e, p, g->name, EVB_BROKEN, "it says hello without its sizes.");
	return 0;
}

/*
 * Whether the coordinator has that process among its members. A readout unit may connect
 * before the news of it comes.
 */
static bool is_member(const struct roc_evb *e, const struct evb_greeting *g)
{
	const struct roc_evb_member *m = evb_member(e, g->name);

	return m && m->incarnation == g->incarnation && m->roles & ROC_EVB_READOUT;
}

/* The slot of a readout unit of that name, or one for it; NULL: there is none. */
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
		/* Whom no table needs, and of whom nothing is here, has no claim. */
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
		/* The first is that of messages. Commands are copied: they need no key. */
		hello->regions[i] = (struct evb_region){
			.base = fabric_base(f, i + 1),
			.key = e->cfg.protocol == ROC_EVB_PUSH ? fabric_key(f, i + 1) : 0,
			.bytes = g->region,
		};
	return 0;
}

/* A place for it: the sender's own pair takes over the connection of who waited. */
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
	g->first_read = g->telling = EVB_NONE;
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
		return refuse(e, from, from->peer.name, EVB_NO_ROOM,
			      "%s has as many readout units as it may (%u): give it more peers.",
			      e->name, e->bu.count);
	if (g->used && g->protocol_error && g->incarnation == from->peer.incarnation &&
	    !strcmp(g->name, from->peer.name))
		return refuse(e, from, from->peer.name, EVB_NOT_TRUSTED,
			      "%s took it out for what it said: start it anew.", e->name);
	if (g->pair.state != PAIR_DOWN)
		evb_sender_close(e, g, "it connects anew.");
	ret = evb_cut(e, g, from->peer.mfp_max,
		      e->cfg.protocol == ROC_EVB_PULL ? from->peer.pieces : 0, e->cfg.single);
	if (ret == -EMSGSIZE)
		return refuse(e, from, from->peer.name, EVB_TOO_LARGE,
			      "its MFPs have up to %" PRIu64
			      " bytes, and its share of the memory of %s is %" PRIu32
			      " times %" PRIu64
			      "%s: give more memory, larger regions, or fewer peers.",
			      from->peer.mfp_max, e->name, g->regions, g->region,
			      e->cfg.single ? ", and each must fit one segment" : "");
	if (ret)
		return refuse(e, from, from->peer.name, EVB_NO_ROOM,
			      "the memory of %s that it had before is still in use.", e->name);
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

/* 0; -errno: it is refused, or gone. */
static int introduce(struct roc_evb *e, struct pair *p)
{
	int ret = p->introduced ? control_receive(&p->control) : judge(e, p);

	if (ret)
		return ret;
	/* What it may only send after our answer would wake us again and again. */
	if (p->control.in_bytes)
		return pair_fail(p, EPROTO, "it sent data before its hello was answered.");
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
	ret = p->introduced ? 1 : pair_receive_greeting(p, "what connects");
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

/* Do not close a connection whose complete hello was not examined yet. */
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
		/* Opening an endpoint takes time: one in a turn. */
		if (b->waiting[i].state == PAIR_GREETING && !e->opened)
			greet(e, &b->waiting[i]);
	}
}

/* Segments that are free are the sender's: not one by one, unless it has few. */
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

/* All of one that ended is delivered: it need not wait any more. */
static int send_bye(struct roc_evb *e, struct evb_sender *g)
{
	struct evb_message m = {.type = EVB_BYE};
	int ret;

	/* What was read is given back first: after this we may go. */
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
	/* Who has ended and been told so may hang up. */
	if (ret)
		evb_sender_close(e, g, g->bye_sent ? NULL : g->pair.reason);
	evb_check_clock(e, &g->pair, &g->n);
	g->n.credits = g->lent;
}
