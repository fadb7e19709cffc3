/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of roc-stream.
 *
 *	stream.c	table of options, selection of the action
 *	stream_take.c	takes data: dump and follow
 *	stream_check.c	checks every byte of a packet
 *	stream_report.c	results: live line, table, JSON; a packet as text
 *	stream_stats.c	state of the streams without opening one
 *	stream_set.c	settings
 */
#ifndef ROC_UTILS_STREAM_H
#define ROC_UTILS_STREAM_H

#include <roc/packet.h>
#include <roc/p40.h>
#include <roc/stream.h>

#include "utils/channel/channel_tool.h"

/* Actions before enum channel_action. */
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

/* Generator settings against which the data are checked. */
struct stream_expect {
	bool known; /* false: accept any size */
	struct roc_p40_generator generator;
};

/* Checker of one stream's data from its start; a pure function of these members. */
struct stream_check {
	enum roc_packet_kind kind;
	uint16_t stream; /* ODIN: N of odinN */
	struct stream_expect expect;
	struct error_log *errors;

	bool from_start; /* packets and ODIN records are numbered from 0 */
	bool begun;
	uint64_t next_event;	/* expected */
	uint32_t next_number;	/* expected packet number */
	uint32_t next_position; /* META: expected line in main's ring */

	uint64_t packets, events, truncated;
	uint64_t damaged; /* packets with truncated fragments, as flagged */
	uint64_t payload; /* bytes of fragments */
	uint64_t gaps;
	uint64_t missing; /* events in the gaps */
};

/*
 * Check one packet, or only its headers with @headers. Return a negative errno with the library's
 * message if nothing after the failure can be read.
 */
int stream_check_packet(struct stream_check *c, struct roc_packet *p, bool headers);

/* One run of dump or follow. Owned by stream_take(). */
struct stream_run {
	struct channel_run run;
	const struct stream_options *opt;
	struct roc_stream *s;
	struct stream_check check;
	FILE *bin;
	uint64_t bytes, batches; /* consumed */
	unsigned int lost;	 /* events that the stop discarded */
	struct roc_st_info before, info;
};

/* Return an exit code. */
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
/* Bytes in the ring, between read and write position. */
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
