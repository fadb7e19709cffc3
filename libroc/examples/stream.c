// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A complete reader of a stream: stream ID [name of the stream] [packets]. It walks through every
 * packet in place, and reports gaps in the event ids beside the number of events that the card
 * throttled.
 */
#include <roc/packet.h>
#include <roc/stream.h>
#include <stdio.h>
#include <stdlib.h>

/* However the process exits, the driver stops the card and frees the ring. */
static int64_t check(int64_t ret, const char *text)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "stream: %s\n", text ? text : roc_error());
	exit(1);
}

static struct {
	uint64_t packets, fragments, truncated, bytes, gaps;
	uint64_t next; /* event id */
} counts;

static void take_packet(struct roc_packet *p)
{
	struct roc_fragment f;

	if (counts.packets++ && p->first_event != counts.next)
		counts.gaps++;
	/* a meta record has the count of its main packet */
	counts.next = p->first_event + p->fragments;
	while (check(roc_packet_fragment(p, &f), NULL)) {
		counts.fragments++;
		counts.truncated += f.truncated;
		counts.bytes += f.size;
	}
}

/* Read the available packets as a batch and release them with one roc_stream_consume(). */
static void take_batch(struct roc_stream *s, uint64_t most)
{
	struct roc_packets walk;
	struct roc_packet p;
	const void *data = NULL;
	int64_t bytes;

	bytes = check(roc_stream_peek(s, &data), NULL);
	roc_packets_begin(&walk, data, (size_t)bytes);
	while (counts.packets < most && check(roc_packets_next(&walk, &p), NULL))
		take_packet(&p);
	check(roc_stream_consume(s, walk.done), NULL);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 3 ? strtoull(argv[3], NULL, 0) : 1000;
	struct roc_st_info info;
	struct roc_stream *s;

	check(roc_stream_open(argc > 1 ? argv[1] : "#0", argc > 2 ? argv[2] : "main", &s), NULL);
	check(roc_stream_ring(s, 0), NULL);
	check(roc_stream_start(s, 0), NULL);
	while (counts.packets < most) {
		if (!check(roc_stream_wait(s, 1, 10000), NULL))
			check(-1, "the stream stopped");
		take_batch(s, most);
	}
	check(roc_stream_info(s, &info), NULL);
	check(roc_stream_stop(s, NULL), NULL);
	roc_stream_close(s);
	printf("%llu packets, %llu fragments (%llu truncated), %llu bytes\n",
	       (unsigned long long)counts.packets, (unsigned long long)counts.fragments,
	       (unsigned long long)counts.truncated, (unsigned long long)counts.bytes);
	printf("%llu gaps; the card throttled %llu events\n", (unsigned long long)counts.gaps,
	       (unsigned long long)info.card.throttled);
}
