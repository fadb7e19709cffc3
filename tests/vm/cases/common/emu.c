// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated cards' control ports. See emu.h.
 */
#include "emu.h"

#include <roc/roc.h>
#include "kmod/cards/cru/cru_regs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "limit.h"

#include <slow.h>

#define ANSWER_MS 10000
#define OPEN_MS 10000

static void bail(const char *what, const char *line, const char *answer)
{
	printf("Bail out! emulated card: %s (line '%s', answer '%.200s')\n", what, line, answer);
	fflush(stdout);
	_exit(2);
}

/* A port has one opener at a time: retry while another process, or emuctl, has it. */
static int open_port(unsigned int card, const char *line)
{
	char path[64];
	int64_t end = now_ms() + patience_ms(OPEN_MS);
	int fd;

	snprintf(path, sizeof(path), "/dev/virtio-ports/roc.emu.%u", card);
	for (;;) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0)
			return fd;
		if ((errno != EBUSY && errno != EMFILE) || now_ms() > end)
			bail(strerror(errno), line, path);
		sleep_ms(1);
	}
}

static void send_line(int fd, const char *line)
{
	size_t length = strlen(line), done = 0;
	int64_t end = now_ms() + patience_ms(ANSWER_MS);

	while (done < length) {
		ssize_t n = write(fd, line + done, length - done);

		if (n > 0)
			done += n;
		else if (now_ms() > end || (n < 0 && errno != EAGAIN && errno != EINTR))
			bail("cannot be written to", line, strerror(errno));
		else
			sleep_ms(1);
	}
}

static char *answer;
static size_t answer_size;

static void read_answer(int fd, const char *line)
{
	int64_t end = now_ms() + patience_ms(ANSWER_MS);
	size_t used = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (used + 65536 > answer_size) {
			answer_size = used + 262144;
			answer = realloc(answer, answer_size);
			if (!answer)
				bail("no memory", line, "");
		}
		poll(&p, 1, 100);
		n = read(fd, answer + used, answer_size - used - 1);
		if (n > 0)
			used += n;
		answer[used] = '\0';
		if (used && answer[used - 1] == '\n')
			return;
		if (now_ms() > end)
			bail("does not answer", line, answer);
		if (n == 0)
			sleep_ms(1);
	}
}

static bool check_never(unsigned int card);
static bool soiled; /* a violation was counted before its count was cleared */

#define CARDS_MAX 8

static bool unordered; /* see emu_ordered() */

/* Serial number of the first card of a type, and endpoints of each. */
static const struct {
	int first;
	unsigned int endpoints;
} kinds[] = {
	[ROC_CARD_CRU] = {245, 2},
	[ROC_CARD_CRORC] = {1001, 1},
	[ROC_CARD_P40] = {4001, 1},
	[ROC_CARD_ROBINNP] = {6001, 1},
};

/* Open configuration spaces of a card's endpoints. */
static struct {
	unsigned int count;
	int fd[2];
} spaces[CARDS_MAX];

static void find_spaces(unsigned int card)
{
	struct roc_card *cards;
	unsigned int found = 0;
	size_t count, i;
	char path[96];

	if (roc_enumerate(&cards, &count))
		return;
	for (i = 0; i < count && found < 2; i++) {
		if (cards[i].serial != kinds[cards[i].type].first + (int)card)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config",
			 cards[i].pci_address);
		spaces[card].fd[found] = open(path, O_RDONLY | O_CLOEXEC);
		if (spaces[card].fd[found] < 0)
			bail(strerror(errno), path, "");
		found++;
		/* Not while one of two endpoints has no driver. */
		if (found == kinds[cards[i].type].endpoints)
			spaces[card].count = found;
	}
	for (i = 0; !spaces[card].count && i < found; i++)
		close(spaces[card].fd[i]);
	free(cards);
}

/*
 * Register writes are posted, and the control port is another way to the card: an earlier write may
 * arrive later. A read from the function returns after all of them. Read the configuration space,
 * because its reads are not counted.
 */
static void push_writes(unsigned int card)
{
	uint32_t word;
	unsigned int i;

	if (card >= CARDS_MAX || unordered)
		return;
	if (!spaces[card].count)
		find_spaces(card);
	for (i = 0; i < spaces[card].count; i++)
		if (pread(spaces[card].fd[i], &word, sizeof(word), PCI_CLASS_REVISION) < 0)
			break;
	if (i == spaces[card].count)
		return;
	/* The device was removed; its successor has another file. */
	for (i = 0; i < spaces[card].count; i++)
		close(spaces[card].fd[i]);
	spaces[card].count = 0;
}

void emu_ordered(bool on)
{
	unordered = !on;
}

const char *emu(unsigned int card, const char *fmt, ...)
{
	const char *ok;
	char line[256];
	va_list ap;
	int fd;

	if (!strcmp(fmt, "clear"))
		soiled = !check_never(card) || soiled;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	push_writes(card);
	fd = open_port(card, line);
	strcat(line, "\n");
	send_line(fd, line);
	read_answer(fd, line);
	close(fd);
	ok = json_get(answer, "ok");
	if (!ok || strncmp(ok, "true", 4))
		bail("refuses", line, answer);
	return answer;
}

unsigned long long emu_rate(uint64_t bytes)
{
	return bytes / slowness();
}

static const char *endpoint_counts(unsigned int card, unsigned int ep)
{
	const char *v = json_at(json_get(emu(card, "counts"), "ep"), ep);

	if (!v)
		bail("has no such endpoint", "counts", answer);
	return v;
}

uint64_t emu_count(unsigned int card, unsigned int ep, const char *name)
{
	const char *v = json_get(endpoint_counts(card, ep), name);

	if (!v)
		bail("has no such count", name, answer);
	return json_number(v);
}

uint64_t emu_channel_count(unsigned int card, const char *list, unsigned int nr, const char *name)
{
	const char *v = json_at(json_get(endpoint_counts(card, 0), list), nr);

	v = v ? json_get(v, name) : NULL;
	if (!v)
		bail("has no such count of a channel", name, answer);
	return json_number(v);
}

uint64_t emu_link_count(unsigned int card, unsigned int ep, unsigned int link, const char *name)
{
	const char *v = json_get(endpoint_counts(card, ep), "links");

	for (v = json_at(v, 0); v; v = json_next(v)) {
		const char *count = json_get(v, name);

		if (json_number(json_get(v, "link")) == link && count)
			return json_number(count);
	}
	return 0;
}

uint32_t emu_peek(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset)
{
	const char *v = json_get(emu(card, "peek %u %u 0x%x", ep, bar, offset), "value");

	if (!v)
		bail("gives no value", "peek", answer);
	return json_number(v);
}

uint32_t emu_config(unsigned int card, unsigned int ep, uint32_t offset)
{
	const char *v = json_get(emu(card, "config %u 0x%x", ep, offset), "value");

	if (!v)
		bail("gives no value", "config", answer);
	return json_number(v);
}

void emu_config_set(unsigned int card, unsigned int ep, uint32_t offset, uint32_t value)
{
	emu(card, "config %u 0x%x 0x%x", ep, offset, value);
}

void emu_poke(unsigned int card, unsigned int ep, unsigned int bar, uint32_t offset, uint32_t value)
{
	emu(card, "poke %u %u 0x%x 0x%x", ep, bar, offset, value);
}

struct emu_touched emu_touched(unsigned int card, unsigned int ep, unsigned int bar,
			       uint32_t offset)
{
	struct emu_touched t = {0};
	char key[16];
	const char *v;

	emu(card, "mmio %u", ep);
	snprintf(key, sizeof(key), "bar%u", bar);
	v = json_get(answer, key);
	snprintf(key, sizeof(key), "0x%x", offset);
	v = v ? json_get(v, key) : NULL;
	if (v) {
		t.reads = json_number(json_at(v, 0));
		t.writes = json_number(json_at(v, 1));
	}
	return t;
}

uint64_t emu_reads(unsigned int card, unsigned int ep)
{
	uint64_t sensor = emu_touched(card, ep, CRU_BAR_CARD, CRU_TEMPERATURE).reads, before, all;

	/* These are two requests: repeat if the driver polled the temperature in between. */
	do {
		before = sensor;
		all = emu_count(card, ep, "mmio_reads");
		sensor = emu_touched(card, ep, CRU_BAR_CARD, CRU_TEMPERATURE).reads;
	} while (sensor != before);
	return all - sensor;
}

void emu_trace_start(unsigned int card, unsigned int ep)
{
	emu(card, "trace %u start", ep);
}

unsigned int emu_trace_stop(unsigned int card, unsigned int ep, struct emu_access **list)
{
	const char *v = json_get(emu(card, "trace %u stop", ep), "trace"), *e;
	unsigned int count = 0, i = 0;

	for (e = json_at(v, 0); e; e = json_next(e))
		count++;
	*list = calloc(count + 1, sizeof(**list));
	for (e = json_at(v, 0); e; e = json_next(e), i++) {
		struct emu_access *a = &(*list)[i];

		a->write = !strncmp(json_at(e, 0), "\"w\"", 3);
		a->bar = json_number(json_at(e, 1));
		a->offset = json_number(json_at(e, 2));
		a->value = json_number(json_at(e, 3));
		a->us = json_number(json_at(e, 4));
	}
	return count;
}

void emu_keys(unsigned int card, const char *const *keys, unsigned int count)
{
	unsigned int i;

	emu(card, "fault all clear");
	for (i = 0; i < count; i++)
		emu(card, "set all %s", keys[i]);
	emu(card, "clear");
}

void emu_normal(unsigned int card, uint32_t links)
{
	static const char *const keys[] = {
		"rate 0",	  "packet 8128",	  "packets-per-tf 1000", "orbit ctp",
		"fifo-depth 128", "refill-latency-us 0",  "count-start 0",	 "source-mode free",
		"temperature 45", "temperature-cut none",
	};

	emu_keys(card, keys, sizeof(keys) / sizeof(keys[0]));
	emu(card, "set all links-enabled 0x%x", links);
	emu(card, "clear");
}

void emu_normal_crorc(unsigned int card)
{
	static const char *const keys[] = {
		"rate 0",	 "packet 8128",	     "packets-per-orbit 4", "orbit 0",
		"link-state up", "ddl-latency-us 0", "count-start 0",
	};

	emu_keys(card, keys, sizeof(keys) / sizeof(keys[0]));
}

static bool check_endpoint(unsigned int card, unsigned int ep, const char *counts)
{
	/* The last two belong to a C-RORC, the three before them to a CRU. */
	static const char *const never[] = {
		"dma_outside",	  "messages_outside", "reset_accesses",	 "fifo_overflow",
		"bad_descriptor", "size_overflow",    "protocol_errors", "bad_push",
	};
	bool clean = true;
	unsigned int i;

	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		const char *v = json_get(counts, never[i]);
		uint64_t n = v ? json_number(v) : 0;

		if (n)
			printf("# card %u endpoint %u: %s is %llu\n", card, ep, never[i],
			       (unsigned long long)n);
		clean = clean && !n;
	}
	return clean;
}

static bool check_never(unsigned int card)
{
	const char *v = json_at(json_get(emu(card, "counts"), "ep"), 0);
	unsigned int ep = 0;
	bool clean = true;

	for (; v; v = json_next(v))
		clean = check_endpoint(card, ep++, v) && clean;
	return clean;
}

bool emu_clean(unsigned int card)
{
	return check_never(card) && !soiled;
}

bool emu_idle(unsigned int card, unsigned int ep, unsigned int ms)
{
	uint64_t before = emu_count(card, ep, "dma_writes");

	sleep_ms(ms);
	return emu_count(card, ep, "dma_writes") == before;
}
