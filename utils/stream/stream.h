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

#include <stdbool.h>
#include <stdio.h>

#include "utils/common/json.h"
#include "utils/common/options.h"
#include "utils/check/error_log.h"

enum stream_action {
	STREAM_DUMP,
	STREAM_FOLLOW,
	STREAM_STATS,
	STREAM_SET,
	STREAM_RESET,
};

struct stream_options {
	struct common_options common;
	unsigned int action; /* enum stream_action */
	const char *id;
	const char *stream;
	bool json;

	struct given_size ring;
	uint64_t bytes;
	uint64_t time;
	struct given_size packets;
	uint32_t stall_limit;
	bool busy;
	bool no_errorcheck;
	bool no_display;
	const char *bin_file;

	bool live;

	struct given_number policy;
	struct given_number pack_events, pack_time;
	struct given_size pack_bytes;
	struct given_size throttle_on, throttle_off, truncate_on;
	struct given_size interrupt_bytes, interrupt_time, low_water;
	struct given_number generator, event_rate, align;
	struct given_size fragment_min, fragment_max, first_event, event_limit;
	bool clocked, waiting;
	struct given_number source_id, enabled;

	unsigned int level;
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

/* Why it ended. */
enum stream_end {
	STREAM_END_BYTES,
	STREAM_END_PACKETS,
	STREAM_END_TIME,
	STREAM_END_SIGNAL,
	STREAM_END_STALL,
	STREAM_END_FAILED,
};

/* One taking of data. Owned by stream_take(). */
struct stream_run {
	const struct stream_options *opt;
	struct roc_card card;
	struct roc_stream *s;
	struct stream_check check;
	struct error_log errors;
	FILE *bin;
	bool live;
	enum stream_end end;
	char failure[512];
	uint64_t start, finish;	 /* CLOCK_MONOTONIC ns */
	uint64_t bytes, batches; /* consumed */
	uint64_t waits;		 /* system calls */
	unsigned int lost;	 /* events that the stop threw away */
	struct roc_st_info before, info;
};

/* Exit codes. */
int stream_take(const struct stream_options *o);
int stream_stats(const struct stream_options *o);
int stream_set(const struct stream_options *o);

/* stream_report.c */
void stream_packet_text(FILE *out, struct roc_packet *p, bool verbose);
void stream_live(struct stream_run *r, uint64_t now);
void stream_live_end(struct stream_run *r);
void stream_report_text(FILE *out, const struct stream_run *r);
void stream_report_json(FILE *out, const struct stream_run *r);

/* stream_stats.c: all streams of a card, for other tools, too */
struct stream_list {
	struct roc_card card;
	unsigned int count;
	struct roc_st_info info[ROC_P40_STREAMS];
};

int stream_list_read(struct roc_endpoint *ep, const struct roc_card *card, struct stream_list *l);
void stream_list_text(FILE *out, const struct stream_list *l, bool verbose, bool colours);
void stream_list_json(struct json *j, const struct stream_list *l);
void stream_settings_text(FILE *out, const char *stream, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g);
void stream_settings_json(struct json *j, const struct roc_st_settings *s,
			  const struct roc_p40_generator *g);

#endif
