// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz the reader of packed blocks of events. The first byte selects the rest: a MEP in one piece
 * (0), or an MFP, in segments of that many bytes. No input may cause a read outside of it; an
 * accepted one can be walked to its end, and the parts of a fragment contain all of its bytes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <roc/mep.h>

#define SOURCES 8
#define SEGMENTS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

/* Read all of it. */
static void check_fragment(const struct roc_mfp_fragment *f)
{
	struct iovec parts[SEGMENTS];
	unsigned int n = roc_mfp_parts(f, parts, SEGMENTS), i;
	volatile uint8_t last = 0;
	uint64_t bytes = 0;
	uint8_t one[16];

	must(n <= SEGMENTS);
	for (i = 0; i < n; i++) {
		must(parts[i].iov_len > 0);
		bytes += parts[i].iov_len;
		last ^= *(uint8_t *)parts[i].iov_base;
		last ^= ((uint8_t *)parts[i].iov_base)[parts[i].iov_len - 1];
	}
	must(bytes == f->bytes);
	if (f->data && f->bytes)
		must(n == 1 && parts[0].iov_base == f->data);
	if (f->bytes) {
		must(roc_mfp_copy(f, one, sizeof(one)) > 0);
		must(one[0] == *(uint8_t *)parts[0].iov_base);
	}
}

static void fuzz_mfp(const uint8_t *data, size_t size, size_t piece)
{
	struct iovec segments[SEGMENTS] = {0};
	struct roc_mfp_view view;
	struct roc_mfp_walk walk;
	struct roc_mfp_fragment f;
	uint64_t before = 0;
	unsigned int n = 0;
	uint32_t seen = 0;

	while (size && n < SEGMENTS) {
		size_t here = size < piece ? size : piece;

		/* Each of exactly its size: a sanitizer detects a read beyond it. */
		segments[n] = (struct iovec){.iov_base = malloc(here), .iov_len = here};
		must(!!segments[n].iov_base);
		memcpy(segments[n++].iov_base, data, here);
		data += here;
		size -= here;
	}
	if (!roc_mfp_open(&view, segments, n)) {
		roc_mfp_begin(&walk, &view);
		while (roc_mfp_next(&walk, &f) > 0) {
			must(f.event - view.head.first_event < view.head.events);
			must(!seen || f.event - view.head.first_event > before);
			before = f.event - view.head.first_event;
			seen++;
			check_fragment(&f);
		}
		must(seen == view.head.count);
	}
	while (n)
		free(segments[--n].iov_base);
}

static void fuzz_mep(const uint8_t *data, size_t size, struct roc_mep_events *events)
{
	struct roc_mep_source sources[SOURCES];
	struct iovec segments[SOURCES];
	struct roc_mep_event event;
	struct roc_mep mep;
	uint8_t *exact = malloc(size ? size : 1), *again;
	unsigned int i;

	must(!!exact);
	memcpy(exact, data, size);
	if (!roc_mep_open(&mep, exact, size, sources, segments, SOURCES)) {
		must(roc_mep_bytes(&mep) <= size);
		must(!roc_mep_events_begin(events, &mep));
		while (roc_mep_events_next(events, &event) > 0) {
			must(event.here && event.here <= event.count);
			for (i = 0; i < event.count; i++)
				if (event.fragments[i].view)
					check_fragment(&event.fragments[i]);
		}
		again = malloc(ROC_MEP_HEAD + SOURCES * ROC_MEP_ENTRY);
		must(again &&
		     roc_mep_put(again, &mep) == ROC_MEP_HEAD + (size_t)mep.count * ROC_MEP_ENTRY);
		free(again);
	}
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct roc_mep_events *events;

	if (!size)
		return 0;
	if (!events)
		must(!roc_mep_events_new(SOURCES, &events));
	if (data[0])
		fuzz_mfp(data + 1, size - 1, data[0]);
	else
		fuzz_mep(data + 1, size - 1, events);
	return 0;
}
