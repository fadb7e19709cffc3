// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generate fragments in memory as the generators of an emulated card do: at their rate, and into a
 * limited number of pages. The worker's thread does the work that a card does in hardware.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fragment_check.h"
#include "queue.h"
#include "source.h"
#include "utils/common/clock.h"

struct page {
	uint32_t event, size;
	uint16_t busy; /* commands that refer to it */
	bool cleared;  /* free it when @busy is 0 */
};

struct link {
	uint32_t next_event;
	uint64_t due;	 /* time of the next fragment, ns */
	uint32_t *spare; /* stack of free pages of the card */
	uint32_t spares;
};

struct command {
	uint32_t page, host;
	uint64_t tag;
};

struct synthetic {
	struct ros_source source;
	struct ros_synthetic set;
	struct roc_fragment_index *index;
	struct link links[ROS_SOURCE_LINKS_MAX];
	unsigned int turn; /* link that generates next */
	struct page *pages;
	struct command *commands;
	uint64_t made, submitted, finished; /* free running, modulo any number of host pages */
	uint8_t *memory;
	size_t host_page;
	_Atomic bool *lent;
	uint32_t *free_host;
	uint32_t frees;
	struct ros_queue back; /* host pages that the network thread returned */
	bool run;
	struct roc_fragments_counts counts;
};

static struct synthetic *of(struct ros_source *s)
{
	return (struct synthetic *)s;
}

/* Two units form a card, as in a RobinNP. */
static uint32_t source_id(const struct synthetic *y, unsigned int link)
{
	return ros_source_id(y->set.source + y->set.unit / 2,
			     y->set.unit % 2 * y->set.links + link);
}

static uint64_t period(const struct synthetic *y)
{
	return y->set.rate ? UINT64_C(1000000000) / y->set.rate : 0;
}

static int start(struct ros_source *s)
{
	struct synthetic *y = of(s);
	uint64_t now = now_ns();
	unsigned int i;

	for (i = 0; i < y->set.links; i++)
		y->links[i].due = now;
	y->run = true;
	return 0;
}

static int stop(struct ros_source *s)
{
	of(s)->run = false;
	return 0;
}

static void release(struct synthetic *y, uint32_t page)
{
	struct link *l = &y->links[page / y->set.pages];

	/* A link that was throttled continues from now on and does not catch up. */
	if (!l->spares && y->set.rate) {
		uint64_t now = now_ns();

		if (l->due < now)
			l->due = now;
	}
	l->spare[l->spares++] = page;
}

static void clear_page(struct synthetic *y, uint32_t page)
{
	if (y->pages[page].busy)
		y->pages[page].cleared = true;
	else
		release(y, page);
}

static bool generate(struct synthetic *y, unsigned int link, uint64_t now,
		     struct roc_fragment_kept *kept)
{
	uint32_t dropped[ROC_FRAGMENTS_LINKS_MAX], page;
	uint32_t source = source_id(y, link);
	struct link *l = &y->links[link];
	int i, drops;

	if (!l->spares || l->due > now)
		return false;
	page = l->spare[--l->spares];
	l->due += period(y);
	y->pages[page] = (struct page){
		.event = l->next_event,
		.size = ros_fragment_size(source, l->next_event, y->set.size_min, y->set.size_max),
	};
	drops = roc_fragment_index_insert(y->index, l->next_event, link, page, now, dropped);
	for (i = 0; i < drops; i++)
		clear_page(y, dropped[i]);
	y->counts.replaced += drops > 0 ? (uint64_t)drops : 0;
	*kept = (struct roc_fragment_kept){
		.event = l->next_event,
		.link = link,
		.size = y->pages[page].size,
		.links = roc_fragment_index_find(y->index, l->next_event, NULL),
		.page = link << 28 | (page - link * y->set.pages),
	};
	l->next_event++;
	return true;
}

static int take(struct ros_source *s, struct roc_fragment_kept *kept, unsigned int n)
{
	struct synthetic *y = of(s);
	uint64_t now = now_ns();
	unsigned int count = 0, idle = 0;

	while (y->run && count < n && idle < y->set.links) {
		if (generate(y, y->turn, now, &kept[count])) {
			count++;
			idle = 0;
		} else {
			idle++;
		}
		y->turn = (y->turn + 1) % y->set.links;
	}
	y->counts.taken += count;
	return (int)count;
}

static uint32_t find(struct ros_source *s, uint32_t event)
{
	return roc_fragment_index_find(of(s)->index, event, NULL);
}

static uint32_t oldest(struct ros_source *s, uint32_t *event, uint64_t *age_ns)
{
	uint32_t links = roc_fragment_index_oldest(of(s)->index, event, age_ns);
	uint64_t now = now_ns();

	if (links)
		*age_ns = now > *age_ns ? now - *age_ns : 0;
	return links;
}

static void collect(struct synthetic *y)
{
	void *entry;

	while ((entry = ros_queue_pop(&y->back)))
		y->free_host[y->frees++] = (uint32_t)(uintptr_t)entry - 1;
}

static int request(struct ros_source *s, uint32_t event, uint32_t links, uint64_t tag)
{
	struct synthetic *y = of(s);
	uint32_t pages[ROC_FRAGMENTS_LINKS_MAX];
	unsigned int link;

	links &= roc_fragment_index_find(y->index, event, pages);
	if (y->frees < (uint32_t)__builtin_popcount(links))
		collect(y);
	if (y->frees < (uint32_t)__builtin_popcount(links))
		return -EAGAIN;
	for (link = 0; link < y->set.links; link++) {
		if (!(links & 1u << link))
			continue;
		y->pages[pages[link]].busy++;
		y->commands[y->made++ % y->set.host_pages] = (struct command){
			.page = pages[link],
			.host = y->free_host[--y->frees],
			.tag = tag,
		};
		y->counts.requested++;
	}
	return (int)links;
}

static unsigned int clear(struct ros_source *s, const uint32_t *events, unsigned int n)
{
	struct synthetic *y = of(s);
	uint32_t pages[ROC_FRAGMENTS_LINKS_MAX], links;
	unsigned int i, link, count = 0;

	for (i = 0; i < n; i++) {
		links = roc_fragment_index_remove(y->index, events[i], UINT32_MAX, pages);
		count += links != 0;
		for (link = 0; link < y->set.links; link++) {
			if (!(links & 1u << link))
				continue;
			clear_page(y, pages[link]);
			y->counts.cleared++;
		}
	}
	return count;
}

static int flush(struct ros_source *s)
{
	struct synthetic *y = of(s);

	y->counts.doorbells += y->submitted != y->made;
	y->submitted = y->made;
	return 0;
}

/* Write a fragment into its host page, which a card does by DMA. */
static void transfer(struct synthetic *y, const struct command *c, struct roc_fragment_fetched *f)
{
	struct page *p = &y->pages[c->page];
	unsigned int link = c->page / y->set.pages;
	uint8_t *at = y->memory + (size_t)c->host * y->host_page;

	ros_fragment_fill(at, source_id(y, link), p->event, p->size);
	atomic_store_explicit(&y->lent[c->host], true, memory_order_relaxed);
	*f = (struct roc_fragment_fetched){
		.data = at,
		.handle = c->host + 1,
		.tag = c->tag,
		.event = p->event,
		.link = link,
		.size = p->size,
	};
	if (!--p->busy && p->cleared)
		release(y, c->page);
}

static int done(struct ros_source *s, struct roc_fragment_fetched *fetched, unsigned int n)
{
	struct synthetic *y = of(s);
	unsigned int count = 0;

	while (count < n && y->finished != y->submitted)
		transfer(y, &y->commands[y->finished++ % y->set.host_pages], &fetched[count++]);
	y->counts.fetched += count;
	return (int)count;
}

static void give_back(struct ros_source *s, uint64_t handle)
{
	struct synthetic *y = of(s);

	if (!handle || handle > y->set.host_pages ||
	    !atomic_exchange_explicit(&y->lent[handle - 1], false, memory_order_relaxed) ||
	    !ros_queue_push(&y->back, (void *)(uintptr_t)handle))
		abort(); /* a page that is returned twice would be used twice */
}

static bool running(struct ros_source *s)
{
	return of(s)->run;
}

static void counts(struct ros_source *s, struct roc_fragments_counts *c)
{
	struct synthetic *y = of(s);
	unsigned int i;

	collect(y);
	*c = y->counts;
	c->kept = roc_fragment_index_count(y->index, &c->events);
	c->outstanding = (uint32_t)(y->made - y->finished);
	c->queued = (uint32_t)(y->made - y->submitted);
	c->free = y->frees;
	c->space = y->frees;
	c->pages_out = y->set.links * y->set.pages;
	for (i = 0; i < y->set.links; i++)
		c->pages_out -= y->links[i].spares;
}

static bool wait(struct ros_source *s, int fd, int ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	uint64_t now = now_ns(), until = ms < 0 ? UINT64_MAX : now + (uint64_t)ms * 1000000;
	struct synthetic *y = of(s);
	struct timespec time;
	unsigned int i;

	flush(s);
	if (y->finished != y->submitted)
		until = now;
	for (i = 0; y->run && i < y->set.links; i++) {
		if (y->links[i].spares && y->links[i].due < until)
			until = y->links[i].due;
	}
	until = until > now ? until - now : 0;
	time = (struct timespec){
		.tv_sec = (time_t)(until / UINT64_C(1000000000)),
		.tv_nsec = (long)(until % UINT64_C(1000000000)),
	};
	return ppoll(&poll_fd, 1, until == UINT64_MAX - now ? NULL : &time, NULL) > 0;
}

static void close_source(struct ros_source *s)
{
	struct synthetic *y = of(s);

	if (y->memory)
		munmap(y->memory, y->host_page * y->set.host_pages);
	ros_queue_free(&y->back);
	roc_fragment_index_free(y->index);
	free(y->links[0].spare);
	free(y->pages);
	free(y->commands);
	free(y->lent);
	free(y->free_host);
	free(y);
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
	.wait = wait,
};

static bool allocate(struct synthetic *y)
{
	uint32_t all = y->set.links * y->set.pages, i;
	uint32_t *spare = calloc(all, sizeof(*spare));

	y->links[0].spare = spare;
	y->pages = calloc(all, sizeof(*y->pages));
	y->commands = calloc(y->set.host_pages, sizeof(*y->commands));
	y->lent = calloc(y->set.host_pages, sizeof(*y->lent));
	y->free_host = calloc(y->set.host_pages, sizeof(*y->free_host));
	y->memory = mmap(NULL, y->host_page * y->set.host_pages, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (y->memory == MAP_FAILED)
		y->memory = NULL;
	if (!spare || !y->pages || !y->commands || !y->lent || !y->free_host || !y->memory ||
	    !ros_queue_init(&y->back, y->set.host_pages) ||
	    roc_fragment_index_new(all, y->set.links, &y->index))
		return false;
	for (i = 0; i < all; i++)
		spare[i] = i;
	for (i = 0; i < y->set.links; i++) {
		y->links[i].spare = spare + (size_t)i * y->set.pages;
		y->links[i].spares = y->set.pages;
		y->links[i].next_event = y->set.first_event;
	}
	for (i = 0; i < y->set.host_pages; i++)
		y->free_host[y->frees++] = y->set.host_pages - 1 - i;
	return true;
}

struct ros_source *ros_source_synthetic(const struct ros_synthetic *settings)
{
	struct synthetic *y = calloc(1, sizeof(*y));

	if (!y)
		return NULL;
	y->set = *settings;
	for (y->host_page = 2048; y->host_page < y->set.size_max;)
		y->host_page *= 2;
	y->source = (struct ros_source){
		.ops = &ops,
		.link_count = y->set.links,
		.links = (1u << y->set.links) - 1,
		.fragment = (uint32_t)y->host_page,
		.pages = y->set.host_pages,
	};
	snprintf(y->source.name, sizeof(y->source.name), "synthetic%u", y->set.unit);
	if (!allocate(y)) {
		close_source(&y->source);
		errno = ENOMEM;
		return NULL;
	}
	return &y->source;
}
