// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A filter process on a builder's machine: filter SOCKET [every]. It reads each event of each block
 * in place, without a copy, and keeps one of @every complete events.
 */
#include <roc/filter.h>
#include <roc/roc.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static struct roc_mep_events *events;
static unsigned long seen, kept, bytes, sum;

static int check(int ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "filter: %s\n", roc_error());
	exit(1);
}

/* Placeholder for the analysis: read each byte in place, in all segments of the fragment. */
static void look(const struct roc_mfp_fragment *fragment)
{
	struct iovec parts[64];
	unsigned int n = roc_mfp_parts(fragment, parts, 64), i;
	size_t k;

	for (i = 0; i < n && i < 64; i++) {
		for (k = 0; k < parts[i].iov_len; k++)
			sum += ((const unsigned char *)parts[i].iov_base)[k];
		bytes += parts[i].iov_len;
	}
}

/* Return the number of events of the block to keep. */
static unsigned long filter(const struct roc_mep *mep, unsigned long every)
{
	struct roc_mep_event event;
	unsigned long accepted = 0;
	unsigned int i;

	check(roc_mep_events_begin(events, mep));
	while (check(roc_mep_events_next(events, &event))) {
		for (i = 0; i < event.count; i++) {
			if (event.fragments[i].view)
				look(&event.fragments[i]);
		}
		if (event.here == event.count && event.event % every == 0)
			accepted++;
		seen++;
	}
	kept += accepted;
	return accepted;
}

int main(int argc, char **argv)
{
	unsigned long every = argc > 2 ? strtoul(argv[2], NULL, 0) : 10, blocks = 0;
	const struct roc_mep *mep;
	struct roc_filter *f;
	int ret;

	if (argc < 2 || !every) {
		fprintf(stderr, "filter SOCKET [every]\n");
		return 2;
	}
	check(roc_mep_events_new(ROC_MEP_SOURCES_MAX, &events));
	check(roc_filter_open(argv[1], &f));
	while ((ret = roc_filter_take(f, &mep)) != -ENODATA) {
		struct pollfd wait = {.fd = roc_filter_fd(f), .events = POLLIN};

		if (!check(ret)) {
			poll(&wait, 1, -1);
			continue;
		}
		ret = roc_filter_return(f, mep, filter(mep, every));
		if (ret == -ENODATA)
			break;
		check(ret);
		blocks++;
	}
	roc_filter_close(f);
	roc_mep_events_free(events);
	printf("%lu blocks, %lu events, %lu bytes, sum %lx; %lu events kept\n", blocks, seen, bytes,
	       sum, kept);
	return 0;
}
