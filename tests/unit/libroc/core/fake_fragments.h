/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fake the kernel and a card with fragments: the linker redirects open(), ioctl(), roc_find() and
 * roc_channel_owner() to these. The card is a table of pages and the entries that it reads from the
 * rings. Included once by each program that needs them.
 */
#ifndef ROC_UNIT_LIBROC_FAKE_FRAGMENTS_H
#define ROC_UNIT_LIBROC_FAKE_FRAGMENTS_H

#include <roc/fragment.h>

#include "libroc/core/fragment.h"

#define LINKS 3
#define PAGES 24 /* pages of each link, not a power of two */
#define ALL (LINKS * PAGES)
#define DESCRIPTORS 128
#define COMMANDS 32
#define PAGE 2048
#define HOST_PAGES 48
/* Offsets in the file that replaces the node */
#define DESCRIPTORS_AT 4096
#define COMPLETIONS_AT 8192
#define USER_AT 16384
#define FREES_AT 4096 /* offset in the second area */
#define COMMANDS_AT 8192
#define BELL_AT 32768
#define FILE_END 36864

#define FAKE_CARD ROC_CARD_ROBINNP
#define FAKE_CHANNELS 2
#define FAKE_OWNER "roc-rosd"
#define FAKE_CAPS ROC_CAP_FRAGMENTS
#define FAKE_INFO ROC_FR_INFO
#define FAKE_INFO_ARG roc_fr_info
#include "fake_node.h"

static struct {
	uint32_t start; /* initial value of the counts */
	union {
		struct roc_fr_rings rings;
		struct roc_fr_settings settings;
		struct roc_fr_reset reset;
		struct roc_fr_wait wait;
		struct roc_fr_doorbell doorbell;
		struct roc_fr_stop stop;
		struct roc_buf_register buffer;
	} in, out;
	unsigned int unregistered;
	uint32_t host_pages, skew; /* error in the answer to PAGES */
	void (*arrive)(void);	   /* called by a wait */

	struct roc_fr_kernel *kernel;
	struct roc_fr_descriptor *descriptors;
	struct roc_fr_completion *completions;
	struct roc_fr_user *user;
	__le32 *frees;
	struct roc_fr_command *commands;
	struct roc_fr_bell *bell;

	/* State of the card */
	bool has[LINKS][PAGES];	      /* free pages */
	uint32_t event[LINKS][PAGES]; /* event ids of the used pages */
	uint32_t size[LINKS][PAGES];
	uint32_t sent, done, freed, commanded; /* counts of the rings */
	uint32_t waiting[COMMANDS], n_waiting; /* outstanding commands, by slot */
} fake;

static char memory[HOST_PAGES * PAGE] __attribute__((aligned(4096)));

static void make_rings(int fd, struct roc_fr_rings *r)
{
	node_map(fd);
	fake.kernel = (void *)node.area;
	fake.kernel->flags = ROC_FR_STOPPED;
	fake.descriptors = (void *)(node.area + DESCRIPTORS_AT);
	fake.completions = (void *)(node.area + COMPLETIONS_AT);
	fake.user = (void *)(node.area + USER_AT);
	fake.frees = (void *)(node.area + USER_AT + FREES_AT);
	fake.commands = (void *)(node.area + USER_AT + COMMANDS_AT);
	fake.bell = (void *)(node.area + BELL_AT);
	r->page_size = PAGE;
	r->host_page_size = PAGE;
	r->commands = COMMANDS;
	r->links = LINKS;
	r->pages = r->pages && r->pages < PAGES ? r->pages : PAGES;
	r->descriptors = DESCRIPTORS;
	r->frees = DESCRIPTORS;
	r->kernel_length = USER_AT;
	r->user_offset = USER_AT;
	r->user_length = BELL_AT - USER_AT;
	r->bell_offset = BELL_AT;
	r->bell_length = node.no_bell ? 0 : 4096;
	r->descriptors_offset = DESCRIPTORS_AT;
	r->completions_offset = COMPLETIONS_AT;
	r->frees_offset = FREES_AT;
	r->commands_offset = COMMANDS_AT;
}

static int start(struct roc_fr_start *arg)
{
	memset(node.area + DESCRIPTORS_AT, 0, USER_AT - DESCRIPTORS_AT);
	memset(fake.has, 0, sizeof(fake.has));
	arg->start = fake.start;
	fake.sent = fake.start;
	fake.done = fake.start;
	fake.freed = fake.start;
	fake.commanded = fake.start;
	fake.n_waiting = 0;
	fake.user->descriptors = fake.start;
	fake.user->completions = fake.start;
	fake.bell->free = fake.start;
	fake.bell->command = fake.start;
	if (node.start_errno) {
		errno = node.start_errno;
		return -1;
	}
	fake.kernel->flags = 0;
	fake.kernel->run++;
	return 0;
}

static bool fake_info(struct roc_fr_info *info)
{
	if (info->sub >= FAKE_CHANNELS)
		return false;
	snprintf(info->name, sizeof(info->name), "sub%u", info->sub);
	info->links = LINKS;
	info->host_pages_max = HOST_PAGES;
	return true;
}

static void *on_mmap(void *at, size_t length, int prot, int flags, int fd, off_t offset)
{
	return __real_mmap(at, length, prot, flags, fd, offset);
}

static void fake_refuse(unsigned long request, void *arg)
{
	struct roc_fr_rings *rings = arg;

	if (request != ROC_FR_RINGS)
		return;
	rings->reason = fake.out.rings.reason;
	rings->limit = fake.out.rings.limit;
	rings->pinned = fake.out.rings.pinned;
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case ROC_FR_RINGS:
		fake.in.rings = *(struct roc_fr_rings *)arg;
		make_rings(fd, arg);
		return 0;
	case ROC_BUF_REGISTER:
		fake.in.buffer = *(struct roc_buf_register *)arg;
		((struct roc_buf_register *)arg)->handle = 7;
		return 0;
	case ROC_BUF_UNREGISTER:
		fake.unregistered = ((struct roc_buf_unregister *)arg)->handle;
		return 0;
	case ROC_FR_PAGES:
		((struct roc_fr_pages *)arg)->first = fake.host_pages + fake.skew;
		((struct roc_fr_pages *)arg)->count = fake.in.buffer.length / PAGE;
		fake.host_pages += fake.in.buffer.length / PAGE;
		return 0;
	case ROC_FR_START:
		return start(arg);
	case ROC_FR_STOP:
		fake.in.stop = *(struct roc_fr_stop *)arg;
		fake.kernel->flags = ROC_FR_STOPPED;
		return 0;
	case ROC_FR_DOORBELL:
		fake.in.doorbell = *(struct roc_fr_doorbell *)arg;
		if (fake.in.doorbell.what & ROC_FR_DOORBELL_FREE)
			fake.bell->free = htole32(fake.in.doorbell.free);
		if (fake.in.doorbell.what & ROC_FR_DOORBELL_COMMAND)
			fake.bell->command = htole32(fake.in.doorbell.command);
		return 0;
	case ROC_FR_SETTINGS:
		fake.in.settings = *(struct roc_fr_settings *)arg;
		*(struct roc_fr_settings *)arg = fake.out.settings;
		return 0;
	case ROC_FR_RESET:
		fake.in.reset = *(struct roc_fr_reset *)arg;
		return 0;
	case ROC_FR_WAIT:
		fake.in.wait = *(struct roc_fr_wait *)arg;
		if (!fake.arrive) {
			errno = ETIME;
			return -1;
		}
		fake.arrive();
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

/*
 * Read the entries that the doorbells reported to the card: pages, none of which it owns yet, and
 * commands.
 */
__attribute__((unused)) static void card_looks(void)
{
	uint32_t word;

	for (; fake.freed != le32toh(fake.bell->free); fake.freed++) {
		word = le32toh(fake.frees[fake.freed % DESCRIPTORS]);
		UNIT_NEED(word >> 28 < LINKS && (word & 0xfffffff) < PAGES);
		CU_ASSERT_FALSE(fake.has[word >> 28][word & 0xfffffff]);
		fake.has[word >> 28][word & 0xfffffff] = true;
	}
	for (; fake.commanded != le32toh(fake.bell->command); fake.commanded++) {
		UNIT_NEED(fake.n_waiting < COMMANDS);
		fake.waiting[fake.n_waiting++] = fake.commanded % COMMANDS;
	}
}

static uint32_t phase(uint32_t count, uint32_t entries)
{
	return (count - fake.start) / entries % 2 ? 0 : ROC_FR_PHASE;
}

__attribute__((unused)) static void card_writes(uint32_t event, uint32_t page, uint32_t size,
						uint32_t status)
{
	fake.descriptors[fake.sent % DESCRIPTORS] =
		(struct roc_fr_descriptor){htole32(event), htole32(page), htole32(size),
					   htole32(status | phase(fake.sent, DESCRIPTORS))};
	fake.sent++;
}

/* Send a fragment. Return false if the link has no free page. */
__attribute__((unused)) static bool card_sends(uint32_t event, uint32_t link, uint32_t size,
					       uint32_t status)
{
	uint32_t number;

	card_looks();
	for (number = 0; number < PAGES && !fake.has[link][number]; number++)
		;
	if (number == PAGES)
		return false;
	fake.has[link][number] = false;
	fake.event[link][number] = event;
	fake.size[link][number] = size;
	card_writes(event, ROC_FR_PAGE(link, number), size, status);
	return true;
}

__attribute__((unused)) static void card_writes_done(uint32_t tag, uint32_t size, uint32_t event,
						     uint32_t status)
{
	fake.completions[fake.done % COMMANDS] =
		(struct roc_fr_completion){htole32(tag), htole32(size), htole32(event),
					   htole32(status | phase(fake.done, COMMANDS))};
	fake.done++;
}

/* Complete outstanding command number @i. */
__attribute__((unused)) static void card_does_with(unsigned int i, uint32_t status)
{
	struct roc_fr_command *c = &fake.commands[fake.waiting[i]];
	uint32_t link = le32toh(c->page) >> 28, number = le32toh(c->page) & 0xfffffff;
	uint32_t *to = (void *)(memory + le32toh(c->host_page) * PAGE);

	UNIT_NEED(le32toh(c->op) == ROC_FR_TRANSFER && link < LINKS && number < PAGES &&
		  le32toh(c->host_page) < HOST_PAGES);
	CU_ASSERT_FALSE(fake.has[link][number]); /* the page was released too early */
	if (status == ROC_FR_OK) {
		to[0] = fake.event[link][number];
		to[1] = link;
	}
	card_writes_done(le32toh(c->tag), status ? 0 : fake.size[link][number],
			 fake.event[link][number], status);
	fake.waiting[i] = fake.waiting[--fake.n_waiting];
}

__attribute__((unused)) static void card_does(void)
{
	card_looks();
	UNIT_NEED(fake.n_waiting);
	card_does_with(0, ROC_FR_OK);
}

__attribute__((unused)) static struct roc_fragments *opened(const char *name)
{
	struct roc_fragments *f = NULL;

	memset(&fake, 0, sizeof(fake));
	memset(&node, 0, sizeof(node));
	UNIT_NEED(!roc_fragments_open("245", name, &f));
	return f;
}

/* Open and start a sub-unit with rings and all host pages; counts begin at @start. */
__attribute__((unused)) static struct roc_fragments *running(uint32_t start)
{
	struct roc_fragments *f = opened("sub0");

	fake.start = start;
	UNIT_NEED(!roc_fragments_rings(f, PAGE, PAGES, PAGE, COMMANDS));
	UNIT_NEED(!roc_fragments_add(f, memory, sizeof(memory)));
	UNIT_NEED(!roc_fragments_start(f));
	return f;
}

__attribute__((unused)) static void finish(struct roc_fragments *f)
{
	roc_fragments_close(f);
	node_unmap();
}

__attribute__((unused)) static struct roc_fragments_counts counts(const struct roc_fragments *f)
{
	struct roc_fragments_counts c;

	roc_fragments_counts(f, &c);
	return c;
}

#endif /* ROC_UNIT_LIBROC_FAKE_FRAGMENTS_H */
