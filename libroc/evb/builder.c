// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Builder unit: divide the memory among the readout units, and run one step of the builder.
 */
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libroc/fabric/base.h"

#define STOP_STALE 8 /* stale timeouts after a stop for which data are still accepted */

static int listen_at(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct sockaddr_storage a = {0};
	socklen_t size = sizeof(a);
	int fd = control_listen(e->host[0] ? e->host : NULL, e->port[0] ? e->port : "0", reason);

	if (fd < 0)
		return fd;
	e->bu.fd = fd;
	if (getsockname(fd, (struct sockaddr *)&a, &size))
		return -errno;
	e->bu.port = ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
						   : ((struct sockaddr_in *)&a)->sin_port);
	return 0;
}

/* Divide the memory into regions: at most max_regions of them, of at most max_region bytes. */
static int share_out(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	const struct roc_evb_config *c = &e->cfg;
	struct evb_builder *b = &e->bu;
	uint64_t share = c->memory / b->count & ~UINT64_C(4095), region = share, regions = 1;
	bool limited = c->protocol == ROC_EVB_PUSH;
	unsigned int i;

	if (limited && c->max_region && region > c->max_region)
		region = c->max_region & ~UINT64_C(4095);
	if (!region || region < EVB_SEGMENT_MIN)
		return fabric_fail(
			reason, ENOSPC,
			"%" PRIu64 " bytes of memory in regions of up to %" PRIu64
			" bytes are too small for %u readout units: configure more memory or larger regions.",
			c->memory, c->max_region ? c->max_region : c->memory, b->count);
	regions = share / region;
	if (limited && c->max_regions && regions > c->max_regions / b->count)
		regions = c->max_regions / b->count;
	if (regions > EVB_REGIONS)
		regions = EVB_REGIONS;
	if (!regions)
		return fabric_fail(reason, ENOSPC,
				   "%u readout units need a memory region each, but only %" PRIu32
				   " may be registered: configure fewer peers, or more regions.",
				   b->count, c->max_regions);
	b->memory_bytes = b->count * regions * region;
	b->memory_fd = memfd_create("roc-evb", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (b->memory_fd < 0 || ftruncate(b->memory_fd, (off_t)b->memory_bytes))
		return -ENOMEM;
	b->memory = mmap(NULL, b->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			 b->memory_fd, 0);
	if (b->memory == MAP_FAILED) {
		b->memory = NULL;
		return -ENOMEM;
	}
	/*
	 * Processes that get the descriptor from a sink can neither write the memory nor resize it.
	 */
	if (fcntl(b->memory_fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL))
		return fabric_fail(reason, errno, "Cannot seal the memory of blocks: %s.",
				   strerror(errno));
	for (i = 0; i < b->count; i++) {
		b->senders[i].memory = b->memory + i * regions * region;
		b->senders[i].region = region;
		b->senders[i].regions = (uint32_t)regions;
	}
	return 0;
}

int evb_builder_new(struct roc_evb *e, char reason[ROC_EVB_REASON])
{
	struct evb_builder *b = &e->bu;
	unsigned int i;
	int ret;

	b->count = e->cfg.peers;
	b->senders = calloc(b->count, sizeof(*b->senders));
	b->waiting = calloc(EVB_WAITING, sizeof(*b->waiting));
	for (i = 0; b->waiting && i < EVB_WAITING; i++)
		b->waiting[i].control.fd = b->waiting[i].end.fd = -1;
	if (!b->senders || !b->waiting)
		return -ENOMEM;
	for (i = 0; i < b->count; i++) {
		if (pair_new(&b->senders[i].pair))
			return -ENOMEM;
		b->senders[i].first_read = b->senders[i].announcing = EVB_NONE;
	}
	ret = share_out(e, reason);
	if (!ret)
		ret = evb_blocks_new(e);
	if (!ret)
		ret = listen_at(e, reason);
	return ret;
}

void evb_builder_free(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	bool stuck = false;
	unsigned int i;

	for (i = 0; b->waiting && i < EVB_WAITING; i++)
		control_close(&b->waiting[i].control);
	free(b->waiting);
	for (i = 0; b->senders && i < b->count; i++) {
		pair_free(&b->senders[i].pair);
		stuck |= b->senders[i].pair.stuck;
		evb_uncut(&b->senders[i]);
	}
	free(b->senders);
	b->senders = NULL;
	evb_blocks_free(e);
	if (b->memory && !stuck)
		munmap(b->memory, b->memory_bytes);
	if (b->memory_fd >= 0)
		close(b->memory_fd);
	if (b->fd >= 0)
		close(b->fd);
}

/*
 * Return true if all readout units of the newest table have ended and all their data are delivered.
 */
static bool all_delivered(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	const struct evb_known *t = evb_newest(e);
	unsigned int i;

	if (b->open.count || b->ready.count || b->out)
		return false;
	if (e->stopped && e->now - e->stopped > e->cfg.stale_ns)
		return true;
	if (!t || !t->table.ru_count)
		return e->stopped;
	for (i = 0; i < t->table.ru_count; i++) {
		if (t->sender[i] < 0 || b->senders[t->sender[i]].passed != UINT64_MAX)
			return false;
		if (!b->senders[t->sender[i]].bye_sent &&
		    b->senders[t->sender[i]].pair.state == PAIR_READY)
			return false;
	}
	return true;
}

/*
 * Return true if a stopped builder should close: readout units that end too had time to send their
 * data, and others may never end.
 */
static bool is_time_to_close(const struct roc_evb *e)
{
	return e->stopped && !e->bu.closed &&
	       e->now - e->stopped > STOP_STALE * e->cfg.stale_ns + e->cfg.patience_ns;
}

static void refuse_senders(struct evb_builder *b)
{
	unsigned int i;

	if (b->closed)
		return;
	b->closed = true;
	for (i = 0; i < EVB_WAITING; i++)
		pair_close(&b->waiting[i]);
	close(b->fd);
	b->fd = -1;
}

static void close_doors(struct roc_evb *e)
{
	refuse_senders(&e->bu);
	evb_builder_drop(e);
}

/*
 * Start the end of the sink, which may take time. The sink gets no further block, even if a new
 * table arrives. Connections stay open after BYE, which may still be in transit.
 */
static void begin_to_end(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	unsigned int i;

	b->ending = true;
	refuse_senders(b);
	for (i = 0; i < b->count; i++) {
		if (b->senders[i].pair.state == PAIR_READY && !b->senders[i].bye_sent)
			evb_sender_close(e, &b->senders[i], NULL);
	}
}

int evb_builder_step(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	uint32_t free_segments = 0, all = 0;
	unsigned int i;
	int ret;

	if (e->stop && !e->stopped)
		e->stopped = e->now;
	if (is_time_to_close(e))
		close_doors(e);
	if (!b->closed)
		evb_senders_admit(e);
	for (i = 0; i < b->count; i++) {
		struct evb_sender *g = &b->senders[i];

		evb_sender_step(e, g);
		free_segments += g->free_count + g->lent;
		all += g->segments;
	}
	e->n.free_segments = free_segments;
	e->n.all_segments = all;
	ret = evb_blocks_step(e);
	if (!ret && !b->ending && all_delivered(e))
		begin_to_end(e);
	if (ret || !b->ending || b->finished)
		return ret;
	ret = e->sink->finish ? e->sink->finish(e->sink_self) : 1;
	if (ret < 0)
		return evb_fail(e, -ret, "The sink: %.400s", e->sink->reason(e->sink_self));
	b->finished = ret > 0;
	return 0;
}

void evb_builder_tables(struct roc_evb *e)
{
	unsigned int i;

	/* Check arrivals first: the new table can complete a block. */
	for (i = 0; i < e->bu.count; i++)
		evb_sender_tables(e, &e->bu.senders[i]);
	evb_blocks_tables(e);
	/*
	 * Late blocks count per table: else a node that is readmitted would be suspected at once
	 * for blocks of the previous table.
	 */
	for (i = 0; i < e->bu.count; i++)
		e->bu.senders[i].n.stale = 0;
}

void evb_builder_drop(struct roc_evb *e)
{
	struct evb_builder *b = &e->bu;
	unsigned int i;

	for (i = 0; i < b->count; i++) {
		if (b->senders[i].pair.state != PAIR_DOWN)
			evb_sender_close(e, &b->senders[i], NULL);
	}
	evb_blocks_abandon(e);
}

void evb_builder_idle(struct roc_evb *e, struct roc_idle *idle)
{
	struct evb_builder *b = &e->bu;
	bool waits = b->ready.count || b->out || (b->ending && !b->finished); /* for the sink */
	unsigned int i;

	if (!b->closed && (b->no_files || evb_senders_full(b)))
		roc_idle_ns(idle, ACCEPT_AGAIN_NS);
	else if (!b->closed)
		roc_idle_fd(idle, b->fd, POLLIN);
	for (i = 0; i < b->count; i++) {
		pair_idle(&b->senders[i].pair, idle);
		/*
		 * Free segments of a connected sender that wait for a batch. Pull has no credits.
		 */
		if (e->cfg.protocol != ROC_EVB_PULL && b->senders[i].free_count &&
		    b->senders[i].pair.state == PAIR_READY)
			roc_idle_ns(idle, EVB_MS / 5);
	}
	for (i = 0; i < EVB_WAITING; i++)
		pair_idle(&b->waiting[i], idle);
	if (waits && e->sink->idle)
		e->sink->idle(e->sink_self, idle);
	else if (waits)
		roc_idle_ns(idle, EVB_MS / 10);
	if (b->open.count)
		roc_idle_ns(idle, e->cfg.stale_ns / 16);
}
