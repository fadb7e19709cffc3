// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Log messages of a node, and lookups that several files share.
 */
#include "engine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SKEW_LOGGED_NS (10 * (int64_t)EVB_MS)

static void emit(struct roc_evb *e, const char *fmt, va_list ap)
{
	char text[ROC_EVB_REASON], *at;

	vsnprintf(text, sizeof(text), fmt, ap);
	/* The text may come from a peer: remove control characters before it reaches a terminal. */
	for (at = text; *at; at++) {
		if (*at < ' ' || *at > '~')
			*at = '?';
	}
	e->cfg.log(e->cfg.log_self, text);
}

void evb_log(struct roc_evb *e, const char *fmt, ...)
{
	char text[ROC_EVB_REASON];
	unsigned int left_out;
	va_list ap;

	if (!e->cfg.log)
		return;
	left_out = rate_limit_dropped(&e->log_limit, e->now);
	if (left_out) {
		snprintf(text, sizeof(text), RATE_LIMIT_DROPPED, left_out);
		e->cfg.log(e->cfg.log_self, text);
	}
	if (!rate_limit_admits(&e->log_limit))
		return;
	va_start(ap, fmt);
	emit(e, fmt, ap);
	va_end(ap);
}

void evb_log_always(struct roc_evb *e, const char *fmt, ...)
{
	va_list ap;

	if (!e->cfg.log)
		return;
	va_start(ap, fmt);
	emit(e, fmt, ap);
	va_end(ap);
}

int evb_fail(struct roc_evb *e, int err, const char *fmt, ...)
{
	va_list ap;

	if (!e->reason[0]) {
		va_start(ap, fmt);
		vsnprintf(e->reason, sizeof(e->reason), fmt, ap);
		va_end(ap);
	}
	return -err;
}

void evb_check_clock(struct roc_evb *e, struct pair *p, struct roc_evb_peer *n)
{
	int64_t off = p->skew < 0 ? -p->skew : p->skew;

	n->skew_known = p->state == PAIR_READY && p->round_trip;
	n->skew_ns = p->skew;
	/* The uncertainty is half of the round trip. */
	if (!n->skew_known || p->skew_logged || off < SKEW_LOGGED_NS + (int64_t)(p->round_trip / 2))
		return;
	p->skew_logged = true;
	evb_log(e,
		"The clock of %s is %" PRId64
		" ms %s the clock of this node: latencies are corrected by it.",
		n->name, off / (int64_t)EVB_MS, p->skew > 0 ? "ahead of" : "behind");
}

void evb_count_late(const struct roc_evb *e, struct pair_late *l, struct roc_evb_peer *n,
		    bool early)
{
	if (l->early != early)
		n->stale = 0;
	l->early = early;
	if (!n->stale++)
		l->first = e->now;
	l->last = e->now;
}

/*
 * After a stall of the network of little more than a stale timeout, many blocks are late at once.
 */
uint32_t evb_late_row(const struct roc_evb *e, const struct pair_late *l,
		      const struct roc_evb_peer *n)
{
	return n->stale && l->last - l->first >= e->cfg.stale_ns ? n->stale : 0;
}

void evb_pair_close(struct roc_evb *e, struct pair *p)
{
	if (pair_close(p))
		e->failed = evb_fail(e, EIO, "%s", p->reason);
}

struct evb_known *evb_newest(struct roc_evb *e)
{
	return e->table_count ? &e->tables[e->table_count - 1] : NULL;
}

struct evb_known *evb_table(struct roc_evb *e, uint64_t block)
{
	unsigned int i = e->table_count;

	while (i--) {
		if (e->tables[i].table.from_block <= block)
			return &e->tables[i];
	}
	return NULL;
}

const struct roc_evb_member *evb_member(const struct roc_evb *e, const char *name)
{
	unsigned int i;

	for (i = 0; i < e->member_count; i++) {
		if (!strcmp(e->members[i].name, name))
			return &e->members[i];
	}
	return NULL;
}

void evb_introduce(const struct roc_evb *e, struct evb_greeting *g)
{
	g->version = EVB_VERSION;
	g->layout = ROC_MEP_VERSION;
	g->protocol = e->cfg.protocol;
	g->events = e->cfg.events;
	g->incarnation = e->incarnation;
	memcpy(g->system, e->system, sizeof(g->system));
	memcpy(g->name, e->name, sizeof(g->name));
	memcpy(g->provider, e->provider, sizeof(g->provider));
}
