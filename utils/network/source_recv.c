// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The receiving end as a source. All memory is allocated before the first connection and is divided
 * into slots. A sender may write to a free slot. It may write there again when the consumer has
 * completed the unit. So memory does not grow, however slow the consumer is.
 */
#include "recv_connection.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libroc/fabric/base.h"
#include "utils/units/content.h"

#define LISTEN_NS (2 * 1000 * 1000) /* between two polls of the control connections */
#define SHUTDOWN_NS UNITS_NS_PER_S  /* for senders to receive their last credits */

static struct recv *of(struct source *s)
{
	return (struct recv *)s;
}

/* Return a mask of @count bits, at most 32. */
static uint32_t all_of(uint32_t count)
{
	return UINT32_MAX >> (32 - count);
}

/* Advance all connections by one step. */
static void step(struct recv *r)
{
	uint64_t now = units_now();
	bool listen = now - r->polled > LISTEN_NS;
	uint32_t i;

	if (listen) {
		r->polled = now;
		recv_accept(r);
	}
	for (i = 0; i < r->opt.connections; i++)
		recv_connection_step(r, &r->connections[i], listen);
	/* A sender without any unit does not end a run with --once. */
	if (r->opt.once && (r->units || r->source.duplicates) && r->ended == all_of(r->expected))
		r->over = true;
}

static int start(struct source *s)
{
	return 0;
}

static void lend(struct recv *r, struct recv_connection *c, struct unit *u)
{
	uint32_t slot = c->full[c->head++ % c->slots];
	struct recording_entry e = recv_slot_entry(c, slot);

	c->slot[slot].key = arrived_key(&e);
	c->slot[slot].state = OUT;
	c->out++;
	r->units++;
	r->bytes += c->slot[slot].bytes;
	*u = (struct unit){
		.data = recv_slot_data(c, slot),
		.bytes = e.bytes,
		.handle = (uint64_t)(c - r->connections + 1) << 32 | slot,
		.sequence = e.sequence,
		.first = e.first,
		.time = e.time,
		.run = e.run,
		.link = e.link,
		.flags = e.flags,
	};
}

static int take(struct source *s, struct unit *u)
{
	struct recv *r = of(s);
	uint32_t i;

	if (r->broken)
		return r->broken;
	for (i = 0; i < r->opt.connections; i++) {
		struct recv_connection *c = &r->connections[(r->turn + i) % r->opt.connections];

		if (c->state == SENDING && c->head != c->tail) {
			r->turn = (uint32_t)(c - r->connections + 1) % r->opt.connections;
			lend(r, c, u);
			return 1;
		}
	}
	return r->over || r->stopped ? -ENODATA : 0;
}

/* Find the slot of a returned unit. Return: NULL with the reason. */
static struct recv_slot *find_returned(struct source *s, uint64_t handle,
				       struct recv_connection **connection)
{
	struct recv *r = of(s);
	uint32_t slot = (uint32_t)handle, number = (uint32_t)(handle >> 32) - 1;
	struct recv_connection *c = number < r->opt.connections ? &r->connections[number] : NULL;

	if (!c || c->state < SENDING || slot >= c->slots || c->slot[slot].state != OUT) {
		units_fail(s->reason, EINVAL,
			   "Unit 0x%" PRIx64
			   " is not lent: its handle is wrong, or it was returned before.",
			   handle);
		return NULL;
	}
	c->slot[slot].state = WITHHELD;
	c->out--;
	*connection = c;
	return &c->slot[slot];
}

static int refuse(struct source *s, uint64_t handle)
{
	struct recv_connection *c;

	return find_returned(s, handle, &c) ? 0 : -EINVAL;
}

static int give_back(struct source *s, uint64_t handle)
{
	struct recv_slot *slot;
	struct recv_connection *c;

	slot = find_returned(s, handle, &c);
	if (!slot)
		return -EINVAL;
	if (c->state == SENDING)
		recv_queue_credit(c, (uint32_t)handle);
	else if (arrived_add(&of(s)->arrived, slot->key))
		return units_fail(s->reason, ENOMEM, "Cannot allocate the key of a unit.");
	return 0;
}

static int flush(struct source *s)
{
	struct recv *r = of(s);
	uint32_t i;

	for (i = 0; i < r->opt.connections; i++) {
		struct recv_connection *c = &r->connections[i];

		if (c->state == SENDING && recv_credits_due(r, c, units_now()))
			recv_send_credits(r, c);
	}
	step(r);
	return r->broken;
}

static int stop(struct source *s)
{
	of(s)->stopped = true;
	return 0;
}

/* Sleep until a connection needs service, also when no unit can be taken. */
static void recv_sleep_blocked(struct source *s, struct units_sleep *sleep)
{
	struct recv *r = of(s);
	uint32_t i;

	if (r->no_files)
		units_sleep_ns(sleep, ACCEPT_AGAIN_NS);
	else
		units_sleep_fd(sleep, r->fd, POLLIN);
	r->polled = 0;
	for (i = 0; i < r->opt.connections && sleep->ns; i++) {
		struct recv_connection *c = &r->connections[i];

		if (c->state == SENDING && c->credit_count)
			units_sleep_ns(sleep, RECV_CREDIT_NS);
		/* After the stop the data connection is not polled. */
		if (c->state == SENDING && !r->stopped)
			fabric_end_sleep(&c->fabric, &c->end, sleep);
		if (c->state == CONFIRMED)
			units_sleep_ns(sleep, UNITS_NS_PER_S / 100);
		if (c->state != UNUSED && c->state != DETACHED)
			control_sleep(&c->control, sleep);
	}
}

static void recv_sleep(struct source *s, struct units_sleep *sleep)
{
	struct recv *r = of(s);
	uint32_t i;

	for (i = 0; i < r->opt.connections; i++) {
		struct recv_connection *c = &r->connections[i];

		if (c->state == SENDING && c->head != c->tail)
			sleep->ns = 0;
	}
	recv_sleep_blocked(s, sleep);
}

static void counters(struct source *s, struct unit_counters *b)
{
	struct recv *r = of(s);

	*b = (struct unit_counters){.known = true, .units = r->units, .bytes = r->bytes};
}

/* Send all credits: the sender would send completed units again to the next receiver. */
static void shutdown_connections(struct recv *r)
{
	uint64_t until = units_now() + SHUTDOWN_NS;
	struct pollfd fds[NETWORK_CONNECTIONS];
	nfds_t count;
	uint32_t i;

	do {
		for (i = count = 0; i < r->opt.connections; i++) {
			struct recv_connection *c = &r->connections[i];

			if (recv_connection_shutdown(r, c))
				fds[count++] =
					(struct pollfd){.fd = c->control.fd, .events = POLLIN};
		}
	} while (count && poll(fds, count, 10) >= 0 && units_now() < until);
}

static void close_source(struct source *s)
{
	struct recv *r = of(s);
	uint32_t i;

	if (r->connections)
		shutdown_connections(r);
	for (i = 0; r->connections && i < r->opt.connections; i++) {
		struct recv_connection *c = &r->connections[i];

		if (c->state == UNUSED)
			continue;
		c->out = 0;
		recv_connection_close(r, c);
	}
	if (r->fd >= 0)
		close(r->fd);
	if (r->memory && !r->broken)
		munmap(r->memory, r->length);
	arrived_free(&r->arrived);
	free(r->connections);
	free(r);
}

static const struct source_ops ops = {
	.name = "recv",
	.start = start,
	.take = take,
	.give_back = give_back,
	.refuse = refuse,
	.flush = flush,
	.stop = stop,
	.sleep = recv_sleep,
	.sleep_blocked = recv_sleep_blocked,
	.counters = counters,
	.close = close_source,
};

int source_recv_recorded(struct source *s, const char *dir)
{
	return arrived_recorded(&of(s)->arrived, dir);
}

unsigned int source_recv_port(const struct source *s)
{
	return ((const struct recv *)s)->port;
}

static void format_listen(struct recv *r)
{
	const char *host = r->opt.host ? r->opt.host : "";

	snprintf(r->listen, sizeof(r->listen), strchr(host, ':') ? "[%.256s]:%u" : "%.256s:%u",
		 host, r->port);
	r->source.listen = r->listen;
}

static int prepare(struct recv *r)
{
	char *reason = r->source.reason, port[16];
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	struct fabric probe;
	void *memory;
	uint32_t i;
	int ret;

	r->connections = calloc(r->opt.connections, sizeof(*r->connections));
	if (!r->connections)
		return units_fail(reason, ENOMEM, "Cannot allocate the connections.");
	for (i = 0; i < r->opt.connections; i++)
		r->connections[i].control.fd = r->connections[i].end.fd = -1;
	r->share = r->opt.buffer / r->opt.connections & ~(size_t)(RECV_ALIGN - 1);
	r->length = r->share * r->opt.connections;
	if (!r->length)
		return units_fail(reason, EINVAL,
				  "The buffer (--buffer-size) is too small for %u connections.",
				  r->opt.connections);
	memory = mmap(NULL, r->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return units_fail(reason, ENOMEM, "Cannot allocate the buffer (%zu bytes).",
				  r->length);
	r->memory = memory;
	madvise(memory, r->length, MADV_HUGEPAGE);
	/* Take all page faults now, and not during the transfer. */
	madvise(memory, r->length, MADV_POPULATE_WRITE);
	for (i = 0; i < r->opt.connections; i++)
		r->connections[i].memory = r->memory + i * r->share;
	/* Report an unusable provider now, and not to the first sender. */
	ret = fabric_open(&probe, r->opt.provider, NULL, reason);
	fabric_close(&probe, reason);
	if (ret)
		return ret;
	r->fd = control_listen(r->opt.host, r->opt.port, reason);
	if (r->fd < 0)
		return r->fd;
	if (!getsockname(r->fd, (struct sockaddr *)&address, &size) &&
	    !getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof(port),
			 NI_NUMERICSERV))
		r->port = (unsigned int)strtoul(port, NULL, 10);
	format_listen(r);
	return 0;
}

struct source *source_recv(const struct recv_options *o, char reason[UNITS_REASON])
{
	struct recv *r = calloc(1, sizeof(*r));

	if (!r) {
		units_fail(reason, ENOMEM, "Cannot allocate the source for the network.");
		return NULL;
	}
	r->source = (struct source){.ops = &ops, .format = {.from = "network"}};
	r->opt = *o;
	r->fd = -1;
	if (prepare(r)) {
		units_fail(reason, EIO, "%s", r->source.reason);
		close_source(&r->source);
		return NULL;
	}
	r->source.regions[0] = (struct unit_region){.addr = r->memory, .length = r->length};
	r->source.region_count = 1;
	return &r->source;
}
