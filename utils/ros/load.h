/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interfaces between the files of roc-ros-load.
 *
 *	load.c		the tool: options, one run from beginning to end
 *	load_client.c	one connection to the daemon
 *	load_events.c	selects events, links and clients, and clears decided events
 *	load_check.c	checks every byte of a reply
 *	load_report.c	reports: live line, text, JSON
 */
#ifndef ROC_UTILS_ROS_LOAD_H
#define ROC_UTILS_ROS_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "protocol.h"
#include "utils/check/check.h"
#include "utils/common/histogram.h"
#include "utils/common/options.h"

#define LOAD_CARD_LINKS 12 /* of a RobinNP: the daemon numbers links across cards */
#define LOAD_HOST_MAX 256  /* of --connect, including the terminating 0 */
#define LOAD_CARDS ((ROS_LINKS + LOAD_CARD_LINKS - 1) / LOAD_CARD_LINKS)

struct load_options {
	struct common_options common;
	const char *connect; /* host of less than LOAD_HOST_MAX bytes, and port */
	bool json, no_display, no_errorcheck;
	uint32_t clients, outstanding;
	uint32_t event_rate;
	uint32_t fraction, all, few;
	uint32_t clear;
	uint32_t first_event;
	uint64_t events;
	uint64_t time;
	uint32_t stall_limit;
	uint64_t size, size_max;
	uint32_t seed;
	const char *hgrm;
};

/* A request that is outstanding. */
struct load_request {
	uint32_t event;
	uint32_t uses; /* of this entry: part of the id, so that every id is unique */
	uint64_t links;
	uint64_t since; /* ns at which it was due */
	bool open;
};

struct load_client {
	struct load *load;
	int fd;
	unsigned int number;
	bool welcome;
	bool writing; /* waiting for a writable socket */
	struct ros_limits limits;
	struct load_request *requests;
	uint32_t granted; /* entries of @requests: the option, limited by the daemon */
	uint32_t *spare;  /* stack of free entries of @requests */
	uint32_t spares, clears;
	uint8_t *in, *out;
	size_t in_size, have, out_size, queued;
	uint32_t longest;
};

/* Events that are decided and must be cleared. */
struct load_clears {
	uint32_t *events;
	uint32_t count;
	uint64_t since;
};

struct load_counts {
	uint64_t events, requests, replies, fragments, bytes;
	uint64_t incomplete, unknown, status[ROS_STATUSES], marked;
	uint64_t clears, acknowledged, cleared_events, unknown_events, cleared_fragments;
	uint64_t refused[ROS_CODES];
	uint64_t delayed; /* times that a due event waited for a client or for space in the list */
	uint64_t receives, sends;
};

struct load {
	const struct load_options *opt;
	struct load_client *clients;
	int epoll;
	unsigned int welcomes;
	bool stopping;
	uint64_t began, ended, progress; /* ns */
	uint64_t now;
	uint64_t made; /* events */
	uint64_t random;
	unsigned int turn, clear_turn; /* next client */
	uint64_t links;
	struct load_clears decided;
	struct load_counts counts;
	int64_t sources[LOAD_CARDS]; /* source id of each card, -1: unknown */
	struct histogram times;	     /* ns from the due time of an event to its reply */
	struct error_log errors;
	const char *end;
	char failure[256];
};

/* load_client.c. Return: false when the run has failed; load->failure has the reason. */
bool load_connect(struct load *l, struct load_client *c);
void load_disconnect(struct load_client *c);
bool load_client_event(struct load_client *c, uint32_t events);
/* Return whether the client can send another request. Makes no system call. */
bool load_client_ready(const struct load_client *c);
void load_client_request(struct load_client *c, uint32_t event, uint64_t links, uint64_t since);
bool load_client_can_clear(const struct load_client *c);
void load_client_clear(struct load_client *c, const uint32_t *events, uint32_t count);
bool load_client_flush(struct load_client *c);
/* Add an event to the list that load_events() clears. */
void load_decided(struct load *l, uint32_t event);
bool load_fail(struct load *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* load_events.c */
void load_events(struct load *l);
/* Return the milliseconds until the next event is due, or -1. */
int load_pause(const struct load *l);
bool load_idle(const struct load *l);

/* load_check.c */
void load_check(struct load *l, const struct load_request *r, const struct ros_message *m);

/* load_report.c */
void load_live(struct load *l);
void load_live_end(struct load *l);
void load_text(FILE *out, const struct load *l);
void load_json(FILE *out, const struct load *l);

#endif
