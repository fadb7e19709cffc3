// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One end of a connection between a readout unit and a builder: greeting, messages, beats.
 */
#include "pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EVENTS 64
#define ROUNDS 8		  /* of EVENTS in one step */
#define POLL_NS (2 * 1000 * 1000) /* interval for polling TCP */
#define TEXTS (PAIR_SENDS + PAIR_RECEIVES)
#define OPS (TEXTS + PAIR_OPS)

int pair_fail(struct pair *p, int err, const char *fmt, ...)
{
	va_list ap;

	if (!p->reason[0]) {
		va_start(ap, fmt);
		vsnprintf(p->reason, sizeof(p->reason), fmt, ap);
		va_end(ap);
	}
	return -err;
}

int pair_new(struct pair *p)
{
	p->control.fd = -1;
	p->end.fd = -1;
	p->ops = calloc(OPS, sizeof(*p->ops));
	p->texts = mmap(NULL, (size_t)TEXTS * EVB_COMMAND, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->texts == MAP_FAILED)
		p->texts = NULL;
	if (p->ops && p->texts)
		return 0;
	pair_free(p);
	return -ENOMEM;
}

void pair_free(struct pair *p)
{
	/* pair_new() was not called: fd 0 of the control connection is not ours to close. */
	if (!p->ops && !p->texts)
		return;
	pair_close(p);
	if (p->stuck)
		return;
	free(p->ops);
	if (p->texts)
		munmap(p->texts, (size_t)TEXTS * EVB_COMMAND);
	p->ops = NULL;
	p->texts = NULL;
}

int pair_close(struct pair *p)
{
	char reason[FABRIC_REASON] = "";
	int ret = fabric_end_close(&p->end, reason), closed = fabric_close(&p->fabric, reason);

	if (!ret)
		ret = closed;
	/* libfabric may still access the memory: never free it. */
	if (ret) {
		memcpy(p->reason, reason, sizeof(p->reason));
		p->stuck = true;
	}
	control_close(&p->control);
	p->state = PAIR_DOWN;
	p->since = fabric_now();
	p->round_trip = 0;
	p->peer_beat_at = 0;
	return ret;
}

int pair_open_fabric(struct pair *p, const char *provider)
{
	char node[CONTROL_ADDRESS];
	unsigned int i;
	int ret;

	ret = fabric_open(&p->fabric, provider,
			  control_address(&p->control, false, node) ? node : NULL, p->reason);
	if (!ret)
		ret = fabric_register_for(&p->fabric, p->texts, (size_t)TEXTS * EVB_COMMAND,
					  FI_SEND | FI_RECV, p->reason);
	if (!ret)
		ret = fabric_end_open(&p->fabric, &p->end, p->reason);
	p->free_sends = p->free_data = NULL;
	p->data_free = PAIR_OPS;
	for (i = 0; i < OPS; i++) {
		struct pair_op *op = &p->ops[i], **list;

		*op = (struct pair_op){.what = i < PAIR_RECEIVES ? PAIR_RECEIVE
					       : i < TEXTS	 ? PAIR_SEND
								 : PAIR_DATA};
		if (i < TEXTS)
			op->text = p->texts + (size_t)i * EVB_COMMAND;
		if (op->what == PAIR_RECEIVE)
			continue;
		list = op->what == PAIR_SEND ? &p->free_sends : &p->free_data;
		op->next = *list;
		*list = op;
	}
	return ret;
}

int pair_ready(struct pair *p)
{
	unsigned int i;
	int ret;

	ret = fabric_end_peer(&p->end, p->peer.end_name, p->peer.name_bytes, p->reason);
	for (i = 0; i < PAIR_RECEIVES && !ret; i++)
		ret = fabric_end_receive(&p->fabric, &p->end, p->ops[i].text, EVB_COMMAND,
					 &p->ops[i]);
	if (ret)
		return pair_fail(p, -ret, "cannot post receive buffers: %s.", strerror(-ret));
	p->state = PAIR_READY;
	p->since = p->received_at = fabric_now();
	p->sent_at = 0;
	return 0;
}

int pair_send_greeting(struct pair *p, const struct evb_greeting *g)
{
	static const unsigned char none[EVB_GREETING];
	unsigned char text[EVB_GREETING];
	int ret;

	memcpy(text, none, sizeof(text));
	evb_put_greeting(text, g);
	control_queue(&p->control, text, sizeof(text));
	ret = control_flush(&p->control);
	return ret ? pair_fail(p, -ret, "the peer closed the connection: %s.", strerror(-ret)) : 0;
}

int pair_receive_greeting(struct pair *p, const char *what)
{
	struct control *c = &p->control;
	uint32_t version = 0;
	enum evb_wrong wrong = EVB_GOOD;
	int ret;

	ret = control_flush(c);
	if (!ret)
		ret = control_receive(c);
	/* The greeting of another version may be shorter. */
	if (c->in_bytes >= EVB_GREETING_SAME)
		wrong = evb_get_version(c->in, &version);
	if (!wrong && c->in_bytes >= EVB_GREETING)
		wrong = evb_get_greeting(c->in, &p->peer);
	else if (!wrong)
		return ret ? pair_fail(p, -ret, "%s closed the connection: %s.", what,
				       strerror(-ret))
			   : 0;
	switch (wrong) {
	case EVB_GOOD:
		control_drop(c, EVB_GREETING);
		return 1;
	case EVB_VERSION_WRONG:
		p->peer.version = version;
		return pair_fail(
			p, EPROTONOSUPPORT,
			"%s uses version %" PRIu32
			" of the protocol, this node version %d: install the same roc on all nodes.",
			what, version, EVB_VERSION);
	case EVB_STRANGER:
		return pair_fail(p, EPROTO, "%s is not a node of roc-evb.", what);
	default:
		return pair_fail(p, EBADMSG, "%s sent a greeting with inconsistent sizes.", what);
	}
}

unsigned char *pair_message(struct pair *p)
{
	return p->free_sends ? p->free_sends->text : NULL;
}

int pair_send(struct pair *p, unsigned char *text, const struct evb_message *m)
{
	struct pair_op *op = p->free_sends;
	int ret;

	ret = fabric_end_send(&p->fabric, &p->end, text, evb_put_message(text, m), op);
	p->calls++;
	if (ret)
		return ret == -EAGAIN
			       ? ret
			       : pair_fail(p, -ret, "cannot send a message: %s.", strerror(-ret));
	p->free_sends = op->next;
	p->sent_at = fabric_now();
	return 0;
}

int pair_send_empty(struct pair *p, const struct evb_message *m)
{
	unsigned char *text = pair_message(p);

	return text ? pair_send(p, text, m) : -EAGAIN;
}

struct pair_op *pair_op(struct pair *p)
{
	struct pair_op *op = p->free_data;

	if (op) {
		p->free_data = op->next;
		p->data_free--;
	}
	return op;
}

void pair_op_free(struct pair *p, struct pair_op *op)
{
	op->next = p->free_data;
	p->free_data = op;
	p->data_free++;
}

/* At our time @m->b, the peer's clock was about @m->a minus half of the round trip. */
static void receive_beat(struct pair *p, const struct evb_message *m)
{
	uint64_t now = fabric_realtime();
	uint64_t trip = now - m->b - m->c;

	p->peer_clock = m->a;
	p->peer_beat_at = now;
	if (!m->b || now < m->b || now - m->b < m->c)
		return;
	/* The shortest round trip is the most exact. Clocks drift, so its weight decreases. */
	if (p->round_trip && trip > p->round_trip + p->round_trip / 8) {
		p->round_trip += p->round_trip / 8 + 1;
		return;
	}
	p->round_trip = trip ? trip : 1;
	p->skew = (int64_t)(m->a - (now - trip / 2));
}

static int one_message(struct pair *p, const struct pair_use *use, void *self, struct pair_op *op,
		       size_t bytes)
{
	struct evb_message m;
	int ret;

	p->received_at = fabric_now();
	if (!evb_get_message(op->text, bytes, &m))
		return pair_fail(p, EPROTO, "protocol violation: malformed message.");
	if (m.type == EVB_BEAT)
		receive_beat(p, &m);
	ret = use->message(self, p, &m);
	/* The callback may have closed the pair. */
	if (ret || p->state != PAIR_READY)
		return ret;
	ret = fabric_end_receive(&p->fabric, &p->end, op->text, EVB_COMMAND, op);
	return ret ? pair_fail(p, -ret, "cannot post receive buffers: %s.", strerror(-ret)) : 0;
}

static int one_event(struct pair *p, const struct pair_use *use, void *self,
		     const struct fabric_event *e)
{
	struct pair_op *op = e->context;

	/*
	 * A completed local send does not show that the peer is alive: its kernel may have taken
	 * it.
	 */
	if (!op) {
		p->received_at = fabric_now();
		return use->written(self, p, (uint32_t)e->data);
	}
	switch (op->what) {
	case PAIR_RECEIVE:
		return one_message(p, use, self, op, e->bytes);
	case PAIR_SEND:
		op->next = p->free_sends;
		p->free_sends = op;
		return 0;
	default:
		return use->done(self, p, op);
	}
}

int pair_progress(struct pair *p, const struct pair_use *use, void *self)
{
	struct fabric_event events[EVENTS];
	int n = EVENTS, i, ret, round, all = 0;

	for (round = 0; round < ROUNDS && n == EVENTS; round++) {
		n = fabric_end_events(&p->end, events, EVENTS, p->reason);
		if (n < 0)
			return n;
		for (i = 0; i < n; i++) {
			ret = one_event(p, use, self, &events[i]);
			if (ret)
				return ret;
			if (p->state != PAIR_READY)
				return all + i + 1;
		}
		all += n;
	}
	return all;
}

int pair_alive(struct pair *p, uint64_t now, uint64_t silence)
{
	uint64_t real = fabric_realtime();
	struct evb_message m = {.type = EVB_BEAT,
				.a = real,
				.b = p->peer_beat_at ? p->peer_clock : 0,
				.c = real - p->peer_beat_at};
	int ret;

	if (now - p->polled_at > POLL_NS) {
		p->polled_at = now;
		ret = control_receive(&p->control);
		if (ret)
			return pair_fail(p, -ret, "the peer closed the connection.");
		if (p->control.in_bytes)
			return pair_fail(p, EPROTO,
					 "protocol violation: unexpected data over TCP.");
	}
	if (now > p->received_at && now - p->received_at > silence)
		return pair_fail(p, ETIMEDOUT, "timed out: no message for %" PRIu64 " ms.",
				 silence / 1000000);
	/* sent_at can be later than @now, which is the start of this step. */
	if (now > p->sent_at && now - p->sent_at > silence / 16) {
		ret = pair_send_empty(p, &m);
		if (ret && ret != -EAGAIN)
			return ret;
	}
	return 0;
}

void pair_idle(struct pair *p, struct roc_idle *idle)
{
	if (p->control.fd >= 0)
		roc_idle_fd(idle, p->control.fd,
			    p->state == PAIR_CONNECTING || p->control.out_bytes ? POLLIN | POLLOUT
										: POLLIN);
	if (p->state == PAIR_READY)
		fabric_end_sleep(&p->fabric, &p->end, idle);
}
