// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A complete reader of a sub-unit: fragment ID [sub-unit] [events] [n]. It fetches every n-th event
 * that the generators send, checks every word of it, and clears all events.
 */
#include <roc/fragment.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 256
#define MEMORY (2 << 20)

static struct {
	unsigned long long most, every, events, fetched, bytes, bad;
} counts;

/* However the process exits, the driver stops the card and unpins the memory. */
static int check(int ret, const char *text)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "fragment: %s\n", text ? text : roc_error());
	exit(1);
}

/*
 * Check a fragment: a header (magic, event id, source, bytes before truncation), then increasing
 * words.
 */
static bool good(const struct roc_fragment_fetched *g)
{
	const uint32_t *word = g->data;
	uint32_t i;

	if (g->error || g->size < 16 || word[0] != 0x504e5246 || word[1] != g->event)
		return false;
	for (i = 5; i < g->size / 4; i++)
		if (word[i] != word[4] + i - 4)
			return false;
	return true;
}

/* Read the completed requests and return their host pages. */
static void fetch(struct roc_fragments *f)
{
	struct roc_fragment_fetched got[BATCH];
	int i, n = check(roc_fragments_done(f, got, BATCH), NULL);

	for (i = 0; i < n; i++) {
		counts.fetched++;
		counts.bytes += got[i].size;
		counts.bad += !good(&got[i]);
		if (!got[i].error)
			check(roc_fragments_return(f, got[i].handle), NULL);
	}
}

/* Take new fragments; request or clear an event as soon as all links have sent it. */
static void take(struct roc_fragments *f, uint32_t links)
{
	struct roc_fragment_kept kept[BATCH];
	uint32_t cleared[BATCH];
	unsigned int clear = 0;
	int i, n = check(roc_fragments_take(f, kept, BATCH), NULL);

	for (i = 0; i < n; i++) {
		if (kept[i].links != links)
			continue;
		counts.events++;
		while (kept[i].event % counts.every == 0 &&
		       roc_fragments_request(f, kept[i].event, links, 0) < 0) {
			/* until a request is done */
			check(roc_fragments_wait(f, 0, 1, 10000), NULL);
			fetch(f);
		}
		cleared[clear++] = kept[i].event;
	}
	roc_fragments_clear(f, cleared, clear);
}

int main(int argc, char **argv)
{
	struct roc_fragments *f;
	struct roc_memory m;

	counts.most = argc > 3 ? strtoull(argv[3], NULL, 0) : 1000;
	counts.every = argc > 4 ? strtoull(argv[4], NULL, 0) : 10;
	check(counts.every ? 0 : -1, "n must be at least 1");
	check(roc_fragments_open(argc > 1 ? argv[1] : "#0", argc > 2 ? argv[2] : "sub0", &f), NULL);
	check(roc_memory_alloc(MEMORY, -1, ROC_MEMORY_PLAIN, &m), NULL);
	check(roc_fragments_add(f, m.addr, m.length), NULL);
	check(roc_fragments_start(f), NULL);
	while (counts.events < counts.most) {
		if (!check(roc_fragments_wait(f, 1, 1, 10000), NULL))
			check(-1, "the sub-unit stopped");
		take(f, (1u << roc_fragments_links(f)) - 1);
		fetch(f);
	}
	check(roc_fragments_stop(f, false), NULL);
	while (roc_fragments_wait(f, 0, 1, 0) > 0)
		fetch(f);
	printf("%llu events, %llu fragments fetched, %llu bytes, %llu bad\n", counts.events,
	       counts.fetched, counts.bytes, counts.bad);
	return counts.bad > 0;
}
