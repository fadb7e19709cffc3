/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-stream: what its parts share.
 *
 *	stream.c	the table of options, and which part does what is asked for
 *	stream_take.c	takes data: dump and follow
 *	stream_check.c	is every byte right
 *	stream_report.c	what was taken: live line, table, JSON; a packet as text
 *	stream_stats.c	how the streams of a card are, from outside
 *	stream_set.c	settings
 */
#ifndef ROC_UTILS_STREAM_H
#define ROC_UTILS_STREAM_H

#include <roc/packet.h>
#include <roc/p40.h>
#include <roc/stream.h>

#include "utils/channel/channel_tool.h"

/* Before enum channel_action. */
enum stream_action {
	STREAM_DUMP,
	STREAM_FOLLOW,
	STREAM_ACTIONS
};

struct stream_options {
	struct channel_options channel;

	struct given_size ring;
	uint64_t bytes;
	struct given_size packets;
	const char *bin_file;

	struct given_number policy;
	struct given_number pack_events, pack_time;
	struct given_size pack_bytes;
	struct given_size throttle_on, throttle_off, truncate_on;
	struct given_size interrupt_bytes, interrupt_time, low_water;
	struct given_number align;
	bool clocked, waiting;
	struct given_number source_id, enabled;
};

/* What the generator was told to make: what the data are checked against. */
struct stream_expect {
	bool known; /* else sizes are taken as they come */
	struct roc_p40_generator generator;
};

/* Checking of one stream's data from its start on; a pure function of these. */
struct stream_check {
	enum roc_packet_kind kind;
	uint16_t stream; /* of ODIN: N of odinN */
	struct stream_expect expect;
	struct error_log *errors;

	bool from_start; /* of a run: packets and ODIN records are numbered from 0 */
	bool begun;
	uint64_t next_event;	/* expected */
	uint32_t next_number;	/* of the packet */
	uint32_t next_position; /* META: in main's ring, lines */

	uint64_t packets, events, truncated;
	uint64_t damaged; /* packets with truncated fragments, as they are flagged */
	uint64_t payload; /* bytes of fragments */
	uint64_t gaps;
	uint64_t missing; /* events in the gaps */
};

/*
 * Look at one packet: all of it, unless @headers. After a failure the sentence of it is the
 * library's: nothing behind it can be read.
 */
int stream_check_packet(struct stream_check *c, struct roc_packet *p, bool headers);

/* One taking of data. Owned by stream_take(). */
struct stream_run {
	struct channel_run run;
	const struct stream_options *opt;
	struct roc_stream *s;
	struct stream_check check;
	FILE *bin;
	uint64_t bytes, batches; /* consumed */
	unsigned int lost;	 /* events that the stop threw away */
	struct roc_st_info before, info;
};

/* Exit codes. */
int stream_take(const void *options);

/* stream_report.c */
void stream_packet_text(FILE *out, struct roc_packet *p, bool verbose);
void stream_live(struct stream_run *r, uint64_t now);
extern const struct values stream_report;

#define STREAMS_MAX 32

/* Streams, each a struct roc_st_info. */
extern const struct channel_type stream_channels;

/* stream_stats.c; see struct channel_type */
extern const struct values stream_stats;
int stream_read(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		void *info);
int stream_live_line(struct roc_endpoint *ep, unsigned int stream, double seconds, char *line,
		     size_t size);
/* Bytes in the ring, between the two positions. */
uint64_t stream_ring_level(const void *info);

/* stream_set.c; see struct channel_type */
int stream_driver_settings(const struct stream_options *o, struct roc_st_settings *s);
bool stream_changes_generator(const struct stream_options *o);
int stream_set_card(struct roc_endpoint *ep, const struct roc_card *card, const void *options,
		    struct json *j, unsigned int *last);
int stream_set_one(struct roc_endpoint *ep, const struct roc_card *card, unsigned int number,
		   const void *options, struct json *j);
void stream_settings_text(FILE *out, const char *stream, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g);
void stream_settings_json(struct json *j, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g);

#endif
