// SPDX-License-Identifier: GPL-2.0-or-later
/* A sub-unit of a card as a fragment source, by roc/fragment.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "source.h"

#define HOST_PAGE 4096 /* memory need not be contiguous beyond this size */

struct sub_unit {
	struct ros_source source;
	struct roc_fragments *f;
	struct roc_memory memory;
};

static struct roc_fragments *of(struct ros_source *s)
{
	return ((struct sub_unit *)s)->f;
}

static int start(struct ros_source *s)
{
	return roc_fragments_start(of(s));
}

static int stop(struct ros_source *s)
{
	return roc_fragments_stop(of(s), false);
}

static void close_source(struct ros_source *s)
{
	struct sub_unit *u = (struct sub_unit *)s;

	roc_fragments_close(u->f);
	roc_memory_free(&u->memory);
	free(u);
}

static int take(struct ros_source *s, struct roc_fragment_kept *kept, unsigned int n)
{
	return roc_fragments_take(of(s), kept, n);
}

static uint32_t find(struct ros_source *s, uint32_t event)
{
	return roc_fragments_find(of(s), event);
}

static uint32_t oldest(struct ros_source *s, uint32_t *event, uint64_t *age_ns)
{
	return roc_fragments_oldest(of(s), event, age_ns);
}

static int request(struct ros_source *s, uint32_t event, uint32_t links, uint64_t tag)
{
	return roc_fragments_request(of(s), event, links, tag);
}

static unsigned int clear(struct ros_source *s, const uint32_t *events, unsigned int n)
{
	return roc_fragments_clear(of(s), events, n);
}

static int flush(struct ros_source *s)
{
	return roc_fragments_flush(of(s));
}

static int done(struct ros_source *s, struct roc_fragment_fetched *fetched, unsigned int n)
{
	return roc_fragments_done(of(s), fetched, n);
}

static void give_back(struct ros_source *s, uint64_t handle)
{
	if (roc_fragments_return(of(s), handle))
		abort(); /* a page that is returned twice would be used twice */
}

static bool running(struct ros_source *s)
{
	return roc_fragments_running(of(s));
}

static void counts(struct ros_source *s, struct roc_fragments_counts *c)
{
	roc_fragments_counts(of(s), c);
}

static void damage(struct ros_source *s, struct roc_fragments_damage *d, uint64_t *lost)
{
	struct roc_fr_info info;

	roc_fragments_damage(of(s), d);
	*lost = 0;
	if (!running(s) && !roc_fragments_info(of(s), &info))
		*lost = info.lost;
}

static const char *reason(struct ros_source *s)
{
	struct roc_fr_info info;

	if (roc_fragments_info(of(s), &info))
		return roc_error();
	return info.state == ROC_CH_FAILED ? roc_reason_text(info.reason) : NULL;
}

static bool wait(struct ros_source *s, int fd, int ms)
{
	struct pollfd fds[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = roc_fragments_fd(of(s)), .events = POLLIN},
	};

	return poll(fds, 2, ms) > 0 && fds[0].revents;
}

static const struct ros_source_ops ops = {
	.start = start,
	.stop = stop,
	.close = close_source,
	.take = take,
	.find = find,
	.oldest = oldest,
	.request = request,
	.clear = clear,
	.flush = flush,
	.done = done,
	.give_back = give_back,
	.running = running,
	.counts = counts,
	.damage = damage,
	.reason = reason,
	.wait = wait,
};

/* Set up the links. Requests do not wait for links that are disabled. */
static int links(struct sub_unit *u)
{
	struct roc_fr_settings settings = {0};
	int err = roc_fragments_settings(u->f, &settings);

	if (err)
		return err;
	u->source.link_count = roc_fragments_links(u->f);
	if (u->source.link_count > ROS_SOURCE_LINKS_MAX)
		return roc_fail(EOPNOTSUPP,
				"%s: %u links are too many: the limit of a sub-unit is %d",
				u->source.name, u->source.link_count, ROS_SOURCE_LINKS_MAX);
	u->source.links = settings.links & ((1u << u->source.link_count) - 1);
	return 0;
}

struct ros_source *ros_source_card(const struct roc_card *card, const char *id, unsigned int sub,
				   uint32_t host_pages, uint32_t page, uint32_t pages)
{
	uint32_t host_page = page > HOST_PAGE ? page : HOST_PAGE;
	struct sub_unit *u = calloc(1, sizeof(*u));
	char name[16];
	int err = -ENOMEM;

	if (!u)
		goto fail;
	snprintf(name, sizeof(name), "%u", sub);
	err = roc_fragments_open_card(card, id, name, &u->f);
	if (err)
		goto fail;
	u->source.ops = &ops;
	u->source.fragment = page;
	u->source.pages = host_pages;
	snprintf(u->source.name, sizeof(u->source.name), "%s %s", card->pci_address,
		 roc_fragments_name(u->f));
	err = links(u);
	if (!err)
		err = roc_fragments_rings(u->f, page, pages, host_page, 0);
	if (!err)
		err = roc_memory_alloc((size_t)host_pages * host_page, card->numa_node,
				       ROC_MEMORY_PLAIN_OK, &u->memory);
	if (!err)
		err = roc_fragments_add(u->f, u->memory.addr, (size_t)host_pages * host_page);
	if (!err)
		return &u->source;
	roc_fragments_close(u->f);
	roc_memory_free(&u->memory);
fail:
	free(u);
	errno = -err;
	return NULL;
}
