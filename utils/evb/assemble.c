// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assemble fragments of events from the pieces of units. Open events form a list in the order of
 * their ids; each has a chain of pieces. Units, events and pieces are in arrays of fixed size and
 * refer to each other by index.
 */
#include "assemble.h"

#include <errno.h>
#include <stdlib.h>

#define UNITS (1u << 16)
#define EVENTS (1u << 15)
#define PIECES (1u << 17)
#define NONE UINT32_MAX
#define HALF (UINT32_C(1) << 31)
#define JUMP (UINT64_C(1) << 24) /* ids; the same limit as in libroc-evb */

struct piece {
	const char *data;
	uint64_t bytes;
	uint32_t unit, next;
};

struct unit_ref {
	uint64_t handle;
	uint32_t users; /* pieces, and 1 while the unit is being split */
};

enum state {
	FREE,
	OPEN,
	OUT
};

struct event {
	uint64_t id;
	uint64_t since; /* first piece, CLOCK_MONOTONIC ns */
	uint64_t time;	/* CLOCK_REALTIME ns */
	uint64_t links; /* bit mask of the links that have sent a piece */
	uint64_t bytes;
	uint32_t before, after;
	uint32_t first, last; /* pieces */
	uint32_t pieces;
	uint32_t lent; /* times that the entry was lent: upper half of the handle */
	enum state state;
	bool damaged;
};

struct link_state {
	bool known;
	uint64_t id;   /* of the last piece of the link */
	uint64_t seen; /* CLOCK_MONOTONIC ns */
	uint32_t at;   /* index of the event of the last piece */
	uint64_t jump; /* the last id that was rejected as too far ahead */
	bool jumped;   /* the last piece was rejected for that */
	bool lost;     /* a piece was rejected for that */
};

/* A stack of indexes. */
struct stack {
	uint32_t *index;
	uint32_t count;
};

struct assemble {
	struct assemble_options opt;
	struct unit_ref *units;
	struct event *events;
	struct piece *pieces;
	struct stack free_units, free_events, free_pieces, done;
	uint32_t first, last; /* of the list of open events */
	struct link_state link_states[UNITS_LINKS];
	uint64_t begun; /* first unit, CLOCK_MONOTONIC ns; 0: none */
	uint64_t high;	/* the highest id so far */
	bool any, gone_any;
	uint64_t gone;	  /* id of the last emitted fragment */
	struct unit unit; /* that is being split */
	uint32_t unit_index;
	struct roc_evb_part parts[ROC_EVB_PARTS];
	struct assemble_counts n;
};

static bool stack_new(struct stack *s, uint32_t count, bool full)
{
	s->index = calloc(count, sizeof(*s->index));
	while (s->index && full && s->count < count) {
		s->index[s->count] = count - 1 - s->count;
		s->count++;
	}
	return s->index;
}

static uint32_t pop(struct stack *s)
{
	return s->index[--s->count];
}

static void push(struct stack *s, uint32_t index)
{
	s->index[s->count++] = index;
}

struct assemble *assemble_new(const struct assemble_options *o)
{
	struct assemble *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->opt = *o;
	a->units = calloc(UNITS, sizeof(*a->units));
	a->events = calloc(EVENTS, sizeof(*a->events));
	a->pieces = calloc(PIECES, sizeof(*a->pieces));
	a->first = a->last = NONE;
	a->high = o->high << 32;
	if (a->units && a->events && a->pieces && stack_new(&a->free_units, UNITS, true) &&
	    stack_new(&a->free_events, EVENTS, true) && stack_new(&a->free_pieces, PIECES, true) &&
	    stack_new(&a->done, UNITS, false))
		return a;
	assemble_free(a);
	return NULL;
}

void assemble_free(struct assemble *a)
{
	if (!a)
		return;
	free(a->units);
	free(a->events);
	free(a->pieces);
	free(a->free_units.index);
	free(a->free_events.index);
	free(a->free_pieces.index);
	free(a->done.index);
	free(a);
}

bool assemble_room(const struct assemble *a)
{
	return a->free_units.count && a->free_events.count && a->free_pieces.count;
}

static void unit_put(struct assemble *a, uint32_t unit)
{
	if (!--a->units[unit].users)
		push(&a->done, unit);
}

bool assemble_done(struct assemble *a, uint64_t *handle)
{
	uint32_t unit;

	if (!a->done.count)
		return false;
	unit = pop(&a->done);
	*handle = a->units[unit].handle;
	push(&a->free_units, unit);
	return true;
}

void assemble_abandon(struct assemble *a)
{
	uint32_t unit;

	for (unit = 0; unit < UNITS; unit++) {
		if (!a->units[unit].users)
			continue;
		a->units[unit].users = 0;
		push(&a->done, unit);
	}
}

void assemble_unit(struct assemble *a, const struct unit *u, uint64_t now)
{
	a->unit = *u;
	a->unit_index = pop(&a->free_units);
	a->units[a->unit_index] = (struct unit_ref){.handle = u->handle, .users = 1};
	if (!a->begun)
		a->begun = now;
}

void assemble_unit_end(struct assemble *a)
{
	unit_put(a, a->unit_index);
}

/* The link of the unit that is being split. */
static struct link_state *link_of(struct assemble *a)
{
	int32_t link = a->unit.link;

	return &a->link_states[link < 0 || link >= UNITS_LINKS ? 0 : link];
}

void assemble_bad(struct assemble *a)
{
	const struct link_state *l = link_of(a);

	/* The invalid rest may belong to the event of the last piece, or to a later one. */
	if (l->known && l->at != NONE && a->events[l->at].state == OPEN &&
	    a->events[l->at].id == l->id)
		a->events[l->at].damaged = true;
	a->n.disorder++;
}

static bool active(const struct assemble *a, const struct link_state *l, uint64_t now)
{
	return l->known && now - l->seen < a->opt.hold;
}

/* The id near which the next id of a link is. If the link was silent, its own last id may be more
 * than 2^31 behind the other links, so the highest id of all links counts. */
static uint64_t near(const struct assemble *a, const struct link_state *l, uint64_t now)
{
	return active(a, l, now) ? l->id : a->high;
}

/* Extend a 32-bit id to the 64-bit id near @from; false: the id goes back. */
static bool unwrap(struct assemble *a, const struct link_state *l, uint64_t from, uint64_t *id)
{
	uint32_t ahead = (uint32_t)*id - (uint32_t)from;

	if (!a->opt.wraps)
		return !l->known || *id >= l->id || a->opt.way == ASSEMBLE_EACH;
	if (!a->any) {
		*id = a->high + (uint32_t)*id;
		return true;
	}
	/* Links are at different events, and fetched fragments may overtake each other. The ids
	 * of a link that sends in order must not go back. */
	if (ahead >= HALF && from < (uint32_t)-ahead)
		return false;
	*id = ahead < HALF ? from + ahead : from - (uint32_t)-ahead;
	return !l->known || *id >= l->id || a->opt.way == ASSEMBLE_EACH;
}

/*
 * Reject an id that is far ahead, unless the next id of the link continues from it. Otherwise one
 * corrupt word would make all following pieces go back, or be late.
 */
static bool is_jump(const struct assemble *a, struct link_state *l, uint64_t from, uint64_t id)
{
	bool again = l->jumped && id > l->jump && id - l->jump < JUMP;

	l->jumped = a->any && id >= from && id - from >= JUMP && !again;
	if (l->jumped) {
		l->jump = id;
		l->lost = true;
	}
	return l->jumped;
}

static uint32_t link_in(struct assemble *a, uint32_t before, uint64_t id)
{
	uint32_t at = pop(&a->free_events);
	struct event *e = &a->events[at];
	uint32_t lent = e->lent;

	*e = (struct event){
		.id = id,
		.before = before,
		.after = before == NONE ? a->first : a->events[before].after,
		.first = NONE,
		.last = NONE,
		.lent = lent,
		.state = OPEN,
	};
	if (e->before == NONE)
		a->first = at;
	else
		a->events[e->before].after = at;
	if (e->after == NONE)
		a->last = at;
	else
		a->events[e->after].before = at;
	return at;
}

/* Find the event @id, beginning at the last event of the link; create it if it does not exist. */
static uint32_t find(struct assemble *a, const struct link_state *l, uint64_t id)
{
	uint32_t at = a->last;

	if (l->known && l->at != NONE && a->events[l->at].state == OPEN &&
	    a->events[l->at].id == l->id)
		at = l->at;
	while (at != NONE && a->events[at].id > id)
		at = a->events[at].before;
	while (at != NONE && a->events[at].after != NONE && a->events[a->events[at].after].id <= id)
		at = a->events[at].after;
	if (at != NONE && a->events[at].id == id)
		return at;
	return link_in(a, at, id);
}

static void add(struct assemble *a, struct event *e, const struct cut_piece *p)
{
	struct piece *last = e->last == NONE ? NULL : &a->pieces[e->last];
	uint32_t at;

	e->bytes += p->bytes;
	if (!p->bytes)
		return;
	if (last && last->unit == a->unit_index &&
	    last->data + last->bytes == (const char *)p->data) {
		last->bytes += p->bytes;
		return;
	}
	at = pop(&a->free_pieces);
	a->pieces[at] = (struct piece){
		.data = p->data, .bytes = p->bytes, .unit = a->unit_index, .next = NONE};
	a->units[a->unit_index].users++;
	if (last)
		last->next = at;
	else
		e->first = at;
	e->last = at;
	e->pieces++;
}

void assemble_piece(struct assemble *a, const struct cut_piece *p, uint64_t now)
{
	struct link_state *l = link_of(a);
	uint64_t id = p->event, from = near(a, l, now);
	struct event *e;
	uint32_t at;

	l->seen = now;
	if (!unwrap(a, l, from, &id) || is_jump(a, l, from, id)) {
		a->n.disorder++;
		return;
	}
	if (a->gone_any && id <= a->gone) {
		a->n.late++;
		l->known = true;
		l->id = id;
		l->at = NONE;
		return;
	}
	at = find(a, l, id);
	e = &a->events[at];
	if (!e->since) {
		e->since = now;
		e->time = a->unit.time;
	}
	e->links |= UINT64_C(1) << (l - a->link_states);
	e->damaged |= p->damaged;
	add(a, e, p);
	if (!a->any || id > a->high)
		a->high = id;
	a->any = true;
	l->known = true;
	l->id = id;
	l->at = at;
}

/* Whether all links have sent their pieces of the first event. */
static bool whole(const struct assemble *a, uint64_t now)
{
	const struct event *e = &a->events[a->first];
	uint64_t seen = 0;
	unsigned int i;

	if (a->opt.way == ASSEMBLE_AT_ONCE)
		return true;
	for (i = 0; i < UNITS_LINKS; i++) {
		const struct link_state *l = &a->link_states[i];

		seen += l->known;
		if (!active(a, l, now))
			continue;
		if (a->opt.way == ASSEMBLE_PASSED && l->id <= e->id)
			return false;
		if (a->opt.way == ASSEMBLE_EACH && !(e->links >> i & 1) &&
		    now - e->since < a->opt.hold)
			return false;
	}
	return (a->opt.links && seen >= a->opt.links) || now - a->begun >= a->opt.hold;
}

/*
 * Whether the event may lack a piece: a link that has sent before has not reached or passed this
 * event, or its piece was rejected for its id.
 */
static bool lacks_link(const struct assemble *a, const struct event *e)
{
	unsigned int i;

	for (i = 0; a->opt.way != ASSEMBLE_AT_ONCE && i < UNITS_LINKS; i++) {
		const struct link_state *l = &a->link_states[i];

		if (l->known && !(e->links >> i & 1) &&
		    (a->opt.way == ASSEMBLE_EACH || l->id < e->id || (l->lost && l->jump == e->id)))
			return true;
	}
	return false;
}

static void lend(struct assemble *a, uint32_t at, struct roc_evb_fragment *f)
{
	struct event *e = &a->events[at];
	uint32_t p;

	e->damaged |= lacks_link(a, e);

	*f = (struct roc_evb_fragment){
		.event = e->id,
		.parts = a->parts,
		.handle = (uint64_t)++e->lent << 32 | at,
		.time = e->time,
	};
	for (p = e->first; p != NONE && f->count < ROC_EVB_PARTS; p = a->pieces[p].next) {
		a->parts[f->count++] = (struct roc_evb_part){.data = a->pieces[p].data,
							     .bytes = a->pieces[p].bytes};
		f->bytes += a->pieces[p].bytes;
	}
	if (p != NONE) {
		e->damaged = true;
		a->n.cut++;
	}
	if (e->damaged) {
		f->flags = ROC_EVB_FRAGMENT_DAMAGED;
		a->n.damaged++;
	}
	a->n.events++;
	a->n.bytes += f->bytes;
	e->state = OUT;
}

int assemble_take(struct assemble *a, uint64_t now, bool end, struct roc_evb_fragment *f)
{
	uint32_t at = a->first;

	if (at == NONE || (!end && !whole(a, now)))
		return 0;
	a->first = a->events[at].after;
	if (a->first == NONE)
		a->last = NONE;
	else
		a->events[a->first].before = NONE;
	a->gone = a->events[at].id;
	a->gone_any = true;
	lend(a, at, f);
	return 1;
}

int assemble_return(struct assemble *a, uint64_t handle)
{
	uint32_t at = (uint32_t)handle, p, next;
	struct event *e = &a->events[at < EVENTS ? at : 0];

	if (at >= EVENTS || e->state != OUT || e->lent != handle >> 32)
		return -EINVAL;
	for (p = e->first; p != NONE; p = next) {
		next = a->pieces[p].next;
		unit_put(a, a->pieces[p].unit);
		push(&a->free_pieces, p);
	}
	e->state = FREE;
	push(&a->free_events, at);
	a->n.returned++;
	return 0;
}

bool assemble_waits(const struct assemble *a, uint64_t now, uint64_t *ns)
{
	if (a->first == NONE)
		return false;
	/* An approximation is enough: the caller checks again after this time. */
	*ns = a->opt.hold / 8;
	return true;
}

void assemble_counts(const struct assemble *a, struct assemble_counts *n)
{
	*n = a->n;
}
