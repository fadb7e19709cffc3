// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader of fragments for tests. See taker.h.
 */
#include "taker.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu.h"
#include "limit.h"
#include "mem.h"
#include "node.h"

static bool map_all(struct taker *t)
{
	const struct roc_fr_rings *m = &t->made;
	uint8_t *kernel = find_map(&t->found, t->fd, m->kernel_length, PROT_READ, m->kernel_offset);
	uint8_t *user =
		find_map(&t->found, t->fd, m->user_length, PROT_READ | PROT_WRITE, m->user_offset);

	t->bell =
		find_map(&t->found, t->fd, m->bell_length, PROT_READ | PROT_WRITE, m->bell_offset);
	if (!kernel || !user || !t->bell)
		return false;
	t->kernel = (void *)kernel;
	t->data = (void *)(kernel + m->descriptors_offset);
	t->done = (void *)(kernel + m->completions_offset);
	t->user = (void *)user;
	t->frees = (void *)(user + m->frees_offset);
	t->commands_ring = (void *)(user + m->commands_offset);
	return true;
}

static bool make_host_pages(struct taker *t)
{
	uint32_t count = t->host_pages ?: 64, size = t->made.host_page_size;
	struct roc_buf_register reply;
	int err;

	t->length = ((size_t)count * size + 0xfff) & ~(size_t)0xfff;
	/* In hugepages if a host page is larger than a page of the machine. */
	if (size > 4096)
		t->length = (t->length + 0x1fffff) & ~(size_t)0x1fffff;
	t->memory = memory_make(t->length, size > 4096 ? 2 << 20 : 4096, LAYOUT_ASCENDING);
	err = buffer_register(t->fd, t->memory, t->length, size > 4096 ? size : 0, &reply);
	if (err)
		return find_failed(&t->found, "ROC_BUF_REGISTER", err);
	t->numbers = (struct roc_fr_pages){.size = sizeof(t->numbers), .handle = reply.handle};
	err = abi(t->fd, ROC_FR_PAGES, &t->numbers);
	if (err)
		return find_failed(&t->found, "ROC_FR_PAGES", err);
	t->busy = calloc(t->numbers.count, sizeof(*t->busy));
	t->requested = calloc(t->numbers.count, sizeof(*t->requested));
	return t->busy && t->requested;
}

bool taker_open(struct taker *t)
{
	int err;

	t->id = t->id ?: ROBINNP_ID;
	t->found.count = 0;
	t->fd = node_open(t->id, t->sub);
	if (t->fd < 0)
		return find_failed(&t->found, "open", t->fd);
	t->made = (struct roc_fr_rings){.size = sizeof(t->made),
					.page_size = t->page_size,
					.host_page_size = t->host_page_size,
					.commands = t->commands,
					.pages = t->pages ?: 256};
	err = abi(t->fd, ROC_FR_RINGS, &t->made);
	if (err)
		return find_failed(&t->found, "ROC_FR_RINGS", err);
	return map_all(t) && make_host_pages(t);
}

void taker_close(struct taker *t)
{
	const struct roc_fr_rings *m = &t->made;

	if (t->kernel)
		munmap((void *)t->kernel, m->kernel_length);
	if (t->user)
		munmap((void *)t->user, m->user_length);
	if (t->bell)
		munmap((void *)t->bell, m->bell_length);
	if (t->fd >= 0)
		close(t->fd);
	if (t->memory)
		munmap(t->memory, t->length);
	free(t->busy);
	free(t->requested);
	t->kernel = NULL;
	t->user = NULL;
	t->bell = NULL;
	t->memory = NULL;
	t->busy = NULL;
	t->requested = NULL;
	t->fd = -1;
}

static uint32_t link_offset(const struct taker *t, unsigned int link, uint32_t offset)
{
	return ROBINNP_LINK(t->sub * ROBINNP_LINKS + link) + offset;
}

bool taker_set(struct taker *t, unsigned int link, uint32_t offset, uint32_t value)
{
	int err = endpoint_write(t->id ?: ROBINNP_ID, ROBINNP_BAR_CARD,
				 link_offset(t, link, offset), value);

	return err ? find_failed(&t->found, "a setting", err) : true;
}

uint64_t taker_link(struct taker *t, unsigned int link, unsigned int counter)
{
	int fd = node_open(t->id ?: ROBINNP_ID, -1);
	uint32_t low = 0, high = 0;
	uint32_t at = link_offset(t, link, FRAGMENT_LINK_COUNTERS + 8 * counter);

	if (fd < 0 || reg_read(fd, ROBINNP_BAR_CARD, at + 4, &high) ||
	    reg_read(fd, ROBINNP_BAR_CARD, at, &low))
		find_failed(&t->found, "a counter", -EIO);
	close(fd);
	return (uint64_t)high << 32 | low;
}

bool taker_generate(struct taker *t, uint32_t links, uint32_t min, uint32_t max, uint32_t rate,
		    uint32_t first, uint64_t limit)
{
	unsigned int l;
	bool ok = true;

	t->min = min;
	t->max = max;
	for (l = 0; l < ROBINNP_LINKS; l++) {
		uint32_t run =
			FRAGMENT_GENERATOR_RUN | (min < max ? FRAGMENT_GENERATOR_DISTRIBUTED : 0);

		ok = ok && taker_set(t, l, FRAGMENT_LINK_GENERATOR, 0);
		if (!(links & 1u << l))
			continue;
		ok = ok && taker_set(t, l, FRAGMENT_LINK_SIZE_MIN, min) &&
		     taker_set(t, l, FRAGMENT_LINK_SIZE_MAX, max) &&
		     taker_set(t, l, FRAGMENT_LINK_RATE, rate) &&
		     taker_set(t, l, FRAGMENT_LINK_FIRST, first) &&
		     taker_set(t, l, FRAGMENT_LINK_LIMIT, limit) &&
		     taker_set(t, l, FRAGMENT_LINK_LIMIT + 4, limit >> 32) &&
		     taker_set(t, l, FRAGMENT_LINK_GENERATOR, run);
	}
	return ok;
}

int taker_begin(struct taker *t, struct roc_fr_start *reply)
{
	*reply = (struct roc_fr_start){.size = sizeof(*reply), .start = t->start};
	t->data_count = t->done_count = t->free_count = t->command_count = t->start;
	t->free_reported = t->command_reported = t->start;
	t->fragments = t->transferred = t->released = t->bytes = t->truncated = 0;
	memset(t->begun, 0, sizeof(t->begun));
	memset(t->busy, 0, t->numbers.count * sizeof(*t->busy));
	return abi(t->fd, ROC_FR_START, reply);
}

void taker_submit_pages(struct taker *t, uint32_t pages)
{
	unsigned int l;
	uint32_t p;

	for (p = 0; p < (pages ?: t->made.pages); p++)
		for (l = 0; l < t->made.links; l++)
			taker_free(t, ROC_FR_PAGE(l, p));
	taker_ring(t);
}

bool taker_start(struct taker *t, uint32_t pages)
{
	struct roc_fr_start reply;
	int err = taker_begin(t, &reply);

	if (err)
		return find_failed(&t->found, "ROC_FR_START", err);
	taker_submit_pages(t, pages);
	return true;
}

bool taker_stop(struct taker *t)
{
	struct roc_fr_stop stop = {.size = sizeof(stop)};
	int err = abi(t->fd, ROC_FR_STOP, &stop);

	return err ? find_failed(&t->found, "ROC_FR_STOP", err) : true;
}

void taker_free(struct taker *t, uint32_t page)
{
	t->frees[t->free_count++ & (t->made.frees - 1)] = htole32(page);
}

void taker_command(struct taker *t, uint32_t page, uint32_t host_page, uint32_t tag, uint32_t op)
{
	t->commands_ring[t->command_count++ & (t->made.commands - 1)] = (struct roc_fr_command){
		.page = htole32(page),
		.host_page = htole32(host_page),
		.tag = htole32(tag),
		.op = htole32(op),
	};
}

void taker_ring(struct taker *t)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (t->free_count != t->free_reported)
		t->bell->free = htole32(t->free_count);
	if (t->command_count != t->command_reported)
		t->bell->command = htole32(t->command_count);
	t->free_reported = t->free_count;
	t->command_reported = t->command_count;
}

uint32_t taker_outstanding(const struct taker *t)
{
	return t->command_count - t->done_count;
}

/* The word with the phase, if entry @count of a ring of @entries is valid. */
static bool there(const struct taker *t, const __le32 *at, uint32_t count, uint32_t entries,
		  uint32_t *status)
{
	bool odd = (count - t->start) / entries & 1;

	*status = le32toh(__atomic_load_n(at, __ATOMIC_ACQUIRE));
	return !(*status & ROC_FR_PHASE) == odd;
}

static uint32_t size_of(const struct taker *t, unsigned int link, uint32_t event)
{
	uint32_t source =
		fragment_source(FRAGMENT_CARD_SOURCE_DEFAULT, t->sub * ROBINNP_LINKS + link);

	return t->min < t->max ? fragment_size(source, event, t->min, t->max) : t->min;
}

static void validate(struct taker *t, const struct taker_fragment *h)
{
	unsigned int link = ROC_FR_PAGE_LINK(h->page);
	uint32_t want;

	if (link >= t->made.links || ROC_FR_PAGE_NUMBER(h->page) >= t->made.pages) {
		find_wrong(&t->found, "descriptor with invalid page %#x", h->page);
		return;
	}
	if (t->begun[link] && h->event != t->next[link])
		find_wrong(&t->found, "link %u: event %u, not %u", link, h->event, t->next[link]);
	t->begun[link] = true;
	t->next[link] = h->event + 1;
	want = size_of(t, link, h->event);
	if (want > t->made.page_size)
		want = t->made.page_size;
	if (h->size != want)
		find_wrong(&t->found, "link %u event %u: %u bytes, not %u", link, h->event, h->size,
			   want);
	t->truncated += !!(h->status & ROC_FR_TRUNCATED);
}

bool taker_next(struct taker *t, struct taker_fragment *h)
{
	const struct roc_fr_descriptor *d = &t->data[t->data_count & (t->made.descriptors - 1)];
	uint32_t status;

	if (!there(t, &d->status, t->data_count, t->made.descriptors, &status))
		return false;
	*h = (struct taker_fragment){le32toh(d->event), le32toh(d->page), le32toh(d->size),
				     ROC_FR_STATUS(status)};
	t->data_count++;
	t->fragments++;
	validate(t, h);
	return true;
}

bool taker_finished(struct taker *t, struct roc_fr_completion *c)
{
	const struct roc_fr_completion *at = &t->done[t->done_count & (t->made.commands - 1)];
	uint32_t status;

	if (!there(t, &at->status, t->done_count, t->made.commands, &status))
		return false;
	*c = (struct roc_fr_completion){le32toh(at->tag), le32toh(at->size), le32toh(at->event),
					ROC_FR_STATUS(status)};
	t->done_count++;
	return true;
}

static void check_data(struct taker *t, const struct taker_fragment *h, const uint8_t *at)
{
	uint32_t source = fragment_source(FRAGMENT_CARD_SOURCE_DEFAULT,
					  t->sub * ROBINNP_LINKS + ROC_FR_PAGE_LINK(h->page));
	uint32_t word[4], i, w = fragment_pattern(source, h->event);

	memcpy(word, at, sizeof(word));
	if (le32toh(word[0]) != FRAGMENT_MAGIC || le32toh(word[1]) != h->event ||
	    le32toh(word[2]) != source ||
	    le32toh(word[3]) != size_of(t, ROC_FR_PAGE_LINK(h->page), h->event))
		find_wrong(&t->found, "event %u: header %#x %u %#x %u", h->event, word[0], word[1],
			   word[2], word[3]);
	for (i = sizeof(word); i < h->size; i += 4, w++) {
		memcpy(word, at + i, 4);
		if (le32toh(word[0]) != w) {
			find_wrong(&t->found, "event %u: word at %u", h->event, i);
			return;
		}
	}
}

static void check_done(struct taker *t, const struct roc_fr_completion *c)
{
	const struct taker_fragment *h;

	if (c->tag >= t->numbers.count || !t->busy[c->tag]) {
		find_wrong(&t->found, "completion with unknown tag %#x", c->tag);
		return;
	}
	h = &t->requested[c->tag];
	t->busy[c->tag] = false;
	if (c->status != ROC_FR_OK || c->size != h->size || c->event != h->event)
		find_wrong(&t->found, "event %u: status %u, %u of %u bytes, event %u", h->event,
			   c->status, c->size, h->size, c->event);
	else
		check_data(t, h, t->memory + (size_t)c->tag * t->made.host_page_size);
	t->transferred++;
	t->bytes += c->size;
}

/* A free host page; -1: there is none. */
static int host_page(const struct taker *t)
{
	uint32_t i;

	if (taker_outstanding(t) >= t->made.commands)
		return -1;
	for (i = 0; i < t->numbers.count; i++)
		if (!t->busy[i])
			return i;
	return -1;
}

static void use(struct taker *t, const struct taker_fragment *h)
{
	int page = t->fragments % 100 < t->percent ? host_page(t) : -1;

	if (page < 0) {
		taker_free(t, h->page);
		t->released++;
		return;
	}
	t->busy[page] = true;
	t->requested[page] = *h;
	taker_command(t, h->page, t->numbers.first + page, page, ROC_FR_TRANSFER | ROC_FR_RELEASE);
}

#define BATCH 256

static unsigned int finish(struct taker *t)
{
	struct roc_fr_completion c;
	unsigned int seen = 0;

	for (; seen < BATCH && taker_finished(t, &c); seen++)
		check_done(t, &c);
	return seen;
}

unsigned int taker_pass(struct taker *t)
{
	unsigned int seen = finish(t);
	struct taker_fragment h;

	for (; seen < 2 * BATCH && !t->found.count && taker_next(t, &h); seen++)
		use(t, &h);
	taker_ring(t);
	return seen;
}

int taker_wait(struct taker *t, uint32_t mask, unsigned int ms)
{
	struct roc_fr_wait wait = {
		.size = sizeof(wait),
		.mask = mask,
		.descriptors = t->data_count + 1,
		.completions = t->done_count + 1,
		.deadline = (now_ms() + limit_ms(ms)) * 1000000ull,
	};

	t->user->descriptors = t->data_count;
	t->user->completions = t->done_count;
	return abi(t->fd, ROC_FR_WAIT, &wait);
}

bool taker_run(struct taker *t, uint64_t fragments, unsigned int ms)
{
	int64_t end = now_ms() + patience_ms(ms);
	int err;

	while (!t->found.count && now_ms() < end) {
		bool enough = t->fragments >= fragments;

		if (enough && !taker_outstanding(t))
			return true;
		if (enough ? finish(t) : taker_pass(t))
			continue;
		if (t->kernel->flags & ROC_FR_STOPPED)
			break;
		err = taker_wait(t, (enough ? 0 : ROC_FR_WAIT_DATA) | ROC_FR_WAIT_DONE, ms);
		if (err && err != -ETIME)
			return find_failed(&t->found, "ROC_FR_WAIT", err);
	}
	return false;
}

struct roc_fr_info taker_info(const struct taker *t)
{
	struct roc_fr_info info = {.size = sizeof(info)};

	if (abi(t->fd, ROC_FR_INFO, &info))
		memset(&info, 0xff, sizeof(info));
	return info;
}

void emu_keys_robinnp(unsigned int card)
{
	static const char *const keys[] = {"rate 0", "shuffle off", "count-start 0",
					   "temperature 45"};

	emu_keys(card, keys, sizeof(keys) / sizeof(keys[0]));
}

void emu_normal_robinnp(unsigned int card)
{
	struct roc_fr_reset reset = {
		.size = sizeof(reset), .sub = ROC_FR_ALL, .level = ROC_FR_RESET_DEFAULT};

	emu_keys_robinnp(card);
	endpoint_abi(ROBINNP_ID, ROC_FR_RESET, &reset);
	emu(card, "clear");
}

uint64_t emu_sub(unsigned int card, unsigned int sub, const char *name)
{
	return emu_channel_count(card, "subs", sub, name);
}

uint64_t emu_fragment_link(unsigned int card, unsigned int link, const char *name)
{
	return emu_channel_count(card, "links", link, name);
}
