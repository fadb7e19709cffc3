// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send messages to a client from the host pages, as many as possible with one call. A host page is
 * returned when all of its message is sent and the kernel does not read it any more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h>

#include "server.h"

#define VECTORS 512
#define SEND_BYTES (UINT32_C(1) << 20)

/*
 * Host pages that the kernel reads for a slow client cannot be reclaimed. So all clients together
 * may have at most half of the pages of any sub-unit in zero-copy sends.
 */
static bool pages_left(struct ros_server *s, unsigned int more)
{
	unsigned int unit;

	for (unit = 0; unit < s->units; unit++) {
		if (s->pinned[unit] + more > s->workers[unit].source->pages / 2)
			return false;
	}
	return true;
}

static void pin(struct ros_server *s, struct ros_out *out, int sign)
{
	struct ros_slot *slot = (struct ros_slot *)out;
	unsigned int unit;
	uint32_t links;

	if (out->type != ROS_OUT_REPLY || out->spilled)
		return;
	for (unit = 0; unit < s->units; unit++) {
		const struct ros_part *p = &slot->parts[unit];

		for (links = p->links; links; links &= links - 1)
			s->pinned[unit] +=
				p->pieces[__builtin_ctz(links)].handle ? (uint32_t)sign : 0;
	}
}

/* Return all host pages of a reply. */
static void give_back(struct ros_server *s, struct ros_slot *slot)
{
	unsigned int unit;
	uint32_t links;

	for (unit = 0; unit < s->units; unit++) {
		struct ros_part *p = &slot->parts[unit];

		for (links = p->links; links; links &= links - 1) {
			struct ros_piece *piece = &p->pieces[__builtin_ctz(links)];

			if (!piece->handle)
				continue;
			ros_worker_return_page(&s->workers[unit], piece->handle);
			piece->handle = 0;
			s->returned[unit] = true;
		}
	}
}

/* Account @bytes, which can be negative, that are copied aside for a client. */
static void spilled_add(struct ros_client *c, int64_t bytes)
{
	c->spilled += (size_t)bytes;
	c->server->spilled += (uint64_t)bytes;
	ros_count_set(&c->server->counts.aside_bytes, c->server->spilled);
}

/* Account @bytes, which can be negative, that wait for a client to read them. */
static void backlog_add(struct ros_client *c, int64_t bytes)
{
	c->backlog += (size_t)bytes;
	ros_count_add(&c->server->counts.backlog_bytes, (uint64_t)bytes);
}

/* Return a slot to its free list. */
static void slot_free(struct ros_client *c, struct ros_out *out)
{
	switch (out->type) {
	case ROS_OUT_REPLY:
		((struct ros_slot *)out)->next = c->free_slots;
		c->free_slots = (struct ros_slot *)out;
		break;
	case ROS_OUT_CLEARED:
		((struct ros_clear_slot *)out)->next = c->free_clears;
		c->free_clears = (struct ros_clear_slot *)out;
		break;
	case ROS_OUT_NOTE:
		((struct ros_note *)out)->next = c->free_notes;
		c->free_notes = (struct ros_note *)out;
		break;
	}
}

static void release(struct ros_client *c, struct ros_out *out)
{
	if (out->pinned)
		pin(c->server, out, -1);
	if (out->type == ROS_OUT_REPLY) {
		give_back(c->server, (struct ros_slot *)out);
		ros_send_aside_free((struct ros_slot *)out);
	}
	if (out->spilled) {
		spilled_add(c, -(int64_t)out->spilled_bytes);
		free(out->spilled);
		out->spilled = NULL;
	}
	slot_free(c, out);
}

void ros_send_queue(struct ros_client *c, struct ros_out *out)
{
	unsigned int i;

	out->zerocopies = 0;
	out->pinned = false;
	out->number = c->next_number++;
	out->at = 0;
	out->into = 0;
	out->left = 0;
	for (i = 0; i < out->iovs; i++)
		out->left += out->iov[i].iov_len;
	TAILQ_INSERT_TAIL(&c->out, out, entry);
	backlog_add(c, (int64_t)out->left);
	if (!c->dirty) {
		c->dirty = true;
		TAILQ_INSERT_TAIL(&c->server->dirty, c, dirty_entry);
	}
}

/* Collect as many pieces as one call accepts. Return: their bytes. */
static size_t gather(struct ros_client *c, struct iovec *iov, unsigned int *count)
{
	struct ros_out *out;
	size_t bytes = 0;
	unsigned int i;

	*count = 0;
	TAILQ_FOREACH(out, &c->out, entry)
	{
		for (i = out->at; i < out->iovs; i++) {
			size_t into = i == out->at ? out->into : 0;

			if (*count == VECTORS || bytes >= SEND_BYTES)
				return bytes;
			iov[*count].iov_base = (uint8_t *)out->iov[i].iov_base + into;
			iov[*count].iov_len = out->iov[i].iov_len - into;
			bytes += iov[*count].iov_len;
			++*count;
		}
	}
	return bytes;
}

/* Account @bytes that were sent. @zerocopy: the kernel still reads them. */
static void advance(struct ros_client *c, size_t bytes, bool zerocopy)
{
	uint64_t first = TAILQ_FIRST(&c->out)->number, last = first;
	struct ros_out *out;
	size_t step;

	backlog_add(c, -(int64_t)bytes);
	while (bytes && (out = TAILQ_FIRST(&c->out))) {
		last = out->number;
		out->zerocopies += zerocopy;
		if (zerocopy && !out->pinned) {
			out->pinned = true;
			pin(c->server, out, 1);
		}
		step = bytes < out->left ? bytes : out->left;
		bytes -= step;
		out->left -= step;
		if (!out->left) {
			TAILQ_REMOVE(&c->out, out, entry);
			/* The client may have the reply already and send another request. */
			c->requests -= out->type == ROS_OUT_REPLY;
			c->clears -= out->type == ROS_OUT_CLEARED;
			if (out->type == ROS_OUT_REPLY)
				ros_count_add(&c->server->counts.replies, 1);
			if (out->zerocopies)
				TAILQ_INSERT_TAIL(&c->sent, out, entry);
			else
				release(c, out);
			continue;
		}
		while (step >= out->iov[out->at].iov_len - out->into) {
			step -= out->iov[out->at].iov_len - out->into;
			out->into = 0;
			out->at++;
		}
		out->into += step;
	}
	if (!zerocopy)
		return;
	c->zerocopies[c->zerocopy_next % ROS_ZEROCOPIES].first = first;
	c->zerocopies[c->zerocopy_next % ROS_ZEROCOPIES].last = last;
	c->zerocopies[c->zerocopy_next % ROS_ZEROCOPIES].open = true;
	c->zerocopy_next++;
	c->zerocopy_open++;
	ros_count_add(&c->server->counts.zerocopies, 1);
}

static bool may_zerocopy(const struct ros_client *c, size_t bytes, unsigned int pieces)
{
	return c->zerocopy && bytes >= c->server->set.zerocopy &&
	       !c->zerocopies[c->zerocopy_next % ROS_ZEROCOPIES].open &&
	       pages_left(c->server, pieces);
}

static void blocked(struct ros_client *c, bool progress)
{
	c->blocked = true;
	if (progress || !c->stalled)
		c->stalled = c->server->now;
}

enum ros_sent ros_send(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct iovec iov[VECTORS];
	struct msghdr m = {.msg_iov = iov};
	bool progress = false, zerocopy;
	unsigned int count;
	ssize_t sent;
	size_t bytes;

	while (!TAILQ_EMPTY(&c->out)) {
		bytes = gather(c, iov, &count);
		m.msg_iovlen = count;
		zerocopy = may_zerocopy(c, bytes, count);
	again:
		sent = sendmsg(c->fd, &m,
			       MSG_NOSIGNAL | MSG_DONTWAIT | (zerocopy ? MSG_ZEROCOPY : 0));
		ros_count_add(&s->counts.sends, 1);
		if (sent < 0 && zerocopy && errno == ENOBUFS) {
			/*
			 * The limit of locked memory of this socket is reached: send with a copy.
			 */
			zerocopy = false;
			goto again;
		}
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN)
			return ROS_SEND_BROKEN;
		if (sent < 0) {
			blocked(c, progress);
			break;
		}
		ros_count_add(&s->counts.bytes, (uint64_t)sent);
		advance(c, (size_t)sent, zerocopy);
		progress = true;
		if ((size_t)sent < bytes) {
			/* The socket is full, so another call would fail. */
			blocked(c, true);
			break;
		}
		c->blocked = false;
	}
	if (TAILQ_EMPTY(&c->out)) {
		c->blocked = false;
		c->stalled = 0;
	}
	if (!progress)
		return ROS_SEND_NONE;
	c->active = s->now;
	return ROS_SEND_SOME;
}

void ros_send_drop(struct ros_client *c, struct ros_out *out)
{
	TAILQ_REMOVE(&c->out, out, entry);
	backlog_add(c, -(int64_t)out->left);
	out->left = 0;
	if (out->zerocopies)
		TAILQ_INSERT_TAIL(&c->sent, out, entry);
	else
		release(c, out);
}

void ros_send_drop_all(struct ros_client *c)
{
	while (!TAILQ_EMPTY(&c->out))
		ros_send_drop(c, TAILQ_FIRST(&c->out));
}

static void zerocopy_over(struct ros_client *c, uint32_t number)
{
	struct ros_out *out, *next;
	uint64_t first, last;

	if (!c->zerocopies[number % ROS_ZEROCOPIES].open)
		return;
	c->zerocopies[number % ROS_ZEROCOPIES].open = false;
	c->zerocopy_open--;
	first = c->zerocopies[number % ROS_ZEROCOPIES].first;
	last = c->zerocopies[number % ROS_ZEROCOPIES].last;
	for (out = TAILQ_FIRST(&c->sent); out && out->number <= last; out = next) {
		next = TAILQ_NEXT(out, entry);
		if (out->number < first || --out->zerocopies)
			continue;
		TAILQ_REMOVE(&c->sent, out, entry);
		release(c, out);
	}
	out = TAILQ_FIRST(&c->out); /* a message that is sent in part */
	if (out && out->number >= first && out->number <= last)
		out->zerocopies--;
}

void ros_send_zerocopied(struct ros_client *c)
{
	char control[256];
	struct msghdr m;
	struct cmsghdr *cm;
	struct sock_extended_err *e;
	uint32_t i;

	for (;;) {
		m = (struct msghdr){.msg_control = control, .msg_controllen = sizeof(control)};
		if (recvmsg(c->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (cm = CMSG_FIRSTHDR(&m); cm; cm = CMSG_NXTHDR(&m, cm)) {
			e = (struct sock_extended_err *)CMSG_DATA(cm);
			if (e->ee_errno || e->ee_origin != SO_EE_ORIGIN_ZEROCOPY)
				continue;
			for (i = e->ee_info; i != e->ee_data + 1; i++)
				zerocopy_over(c, i);
			/*
			 * The path (loopback, veth, a tunnel) copied the data anyway, at extra
			 * cost: send with a copy to this client from now on.
			 */
			if (e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED) {
				ros_count_add(&c->server->counts.copied, 1);
				c->zerocopy = false;
			}
		}
	}
}

/*
 * Select the client to drop when --max-spill has no space for @bytes more for @c. Among the clients
 * with at least an equal share of the space, it is the one without progress for longest. Clients
 * with less are not dropped.
 */
static struct ros_client *too_slow(struct ros_client *c, size_t bytes)
{
	struct ros_client *one, *worst = c;
	struct ros_server *s = c->server;
	uint64_t spilled, sum = 0, clients = 0, since, longest = UINT64_MAX;
	unsigned int pass;

	for (pass = 0; pass < 2; pass++) {
		TAILQ_FOREACH(one, &s->clients, all)
		{
			spilled = one->spilled + (one == c ? bytes : 0);
			if (one->state == ROS_CLIENT_GONE || !spilled)
				continue;
			since = one->stalled ? one->stalled : s->now;
			if (!pass) {
				sum += spilled;
				clients++;
			} else if (spilled * clients >= sum && since < longest) {
				longest = since;
				worst = one;
			}
		}
	}
	return worst;
}

struct ros_client *ros_send_spill(struct ros_client *c)
{
	struct ros_server *s = c->server;
	struct ros_out *out;
	uint8_t *at;
	unsigned int i;

	TAILQ_FOREACH(out, &c->out, entry)
	{
		if (out->type != ROS_OUT_REPLY || out->spilled || out->zerocopies)
			continue;
		if (s->spilled + out->left > s->set.spill)
			return too_slow(c, out->left);
		at = malloc(out->left);
		if (!at)
			return c;
		/* The kernel has completed its part of these pages. */
		if (out->pinned)
			pin(s, out, -1);
		out->pinned = false;
		out->spilled = at;
		out->spilled_bytes = out->left;
		spilled_add(c, (int64_t)out->left);
		for (i = out->at; i < out->iovs; i++) {
			size_t into = i == out->at ? out->into : 0;

			memcpy(at, (uint8_t *)out->iov[i].iov_base + into,
			       out->iov[i].iov_len - into);
			at += out->iov[i].iov_len - into;
		}
		out->iov[0] = (struct iovec){.iov_base = out->spilled, .iov_len = out->left};
		out->iovs = 1;
		out->at = 0;
		out->into = 0;
		give_back(s, (struct ros_slot *)out);
		ros_count_add(&s->counts.spills, 1);
		ros_count_add(&s->counts.spilled_bytes, out->left);
	}
	return NULL;
}

void ros_send_aside_free(struct ros_slot *slot)
{
	unsigned int unit;

	for (unit = 0; unit < slot->client->server->units; unit++) {
		struct ros_part *p = &slot->parts[unit];

		if (!p->aside)
			continue;
		spilled_add(slot->client, -(int64_t)p->aside_bytes);
		free(p->aside);
		p->aside = NULL;
	}
}

static struct ros_client *part_spill(struct ros_client *c, struct ros_part *p)
{
	struct ros_server *s = c->server;
	const struct ros_piece *one;
	size_t bytes = 0;
	uint32_t links;
	uint8_t *at;

	for (links = p->links; links; links &= links - 1) {
		one = &p->pieces[__builtin_ctz(links)];
		bytes += one->handle ? one->size : 0;
	}
	if (!bytes)
		return NULL;
	if (s->spilled + bytes > s->set.spill)
		return too_slow(c, bytes);
	at = p->aside = malloc(bytes);
	if (!at)
		return NULL;
	p->aside_bytes = bytes;
	spilled_add(c, (int64_t)bytes);
	for (links = p->links; links; links &= links - 1) {
		struct ros_piece *piece = &p->pieces[__builtin_ctz(links)];

		if (!piece->handle)
			continue;
		memcpy(at, piece->data, piece->size);
		ros_worker_return_page(&s->workers[p->job.unit], piece->handle);
		piece->handle = 0;
		piece->data = at;
		at += piece->size;
	}
	s->returned[p->job.unit] = true;
	ros_count_add(&s->counts.spills, 1);
	ros_count_add(&s->counts.spilled_bytes, bytes);
	return NULL;
}

/*
 * Copy the finished parts of incomplete replies aside. Otherwise two replies could wait for each
 * other: each has host pages of one sub-unit and waits for pages of another.
 */
struct ros_client *ros_send_spill_partial(struct ros_server *s)
{
	struct ros_client *worst = NULL, *one;
	struct ros_slot *slot;
	unsigned int unit;

	TAILQ_FOREACH(slot, &s->partial, partial)
	{
		for (unit = 0; unit < s->units; unit++) {
			struct ros_part *p = &slot->parts[unit];

			if (!p->links || !p->back || p->aside)
				continue;
			one = part_spill(slot->client, p);
			/*
			 * Without space, this reply alone is delayed, so its client is not dropped.
			 */
			if (one && one != slot->client)
				worst = one;
		}
	}
	return worst;
}
