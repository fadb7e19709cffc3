/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interfaces between the files of roc-rosd.
 *
 *	rosd.c		the tool: options, signals, startup and shutdown
 *	rosd_report.c	counters: metrics, text, JSON
 *	server.h	the network thread
 *	worker.h	a thread per sub-unit
 *	source.h	where fragments come from
 *	protocol.h	encoding of messages
 */
#ifndef ROC_UTILS_ROS_ROSD_H
#define ROC_UTILS_ROS_ROSD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "server.h"
#include "utils/common/options.h"
#include "utils/common/prometheus.h"

struct rosd_size {
	bool given;
	uint64_t value;
};

struct rosd_options {
	struct common_options common;
	const char *id;
	const char *listen;
	unsigned int source; /* enum rosd_source */
	bool json;

	uint32_t max_clients, max_requests, max_clears, max_events;
	uint64_t max_backlog, max_spill;
	uint32_t wait, patience, drain;
	uint64_t max_age;
	uint64_t zerocopy;
	uint32_t host_pages;
	uint32_t page_size;

	const char *metrics, *metrics_socket;
	uint64_t interval;

	uint32_t units;
	uint64_t size, size_max;
	uint32_t rate, pages, source_id;
	uint32_t first_event;
};

enum rosd_source {
	ROSD_CARD,
	ROSD_SYNTHETIC,
};

struct rosd {
	const struct rosd_options *opt;
	unsigned int links; /* of all workers */
	struct ros_worker workers[ROS_UNITS];
	struct ros_server server;
	struct metrics_file metrics; /* written by the main thread */
	uint64_t began, ended;	     /* ns */
};

/* rosd_report.c */
/* @d: struct rosd */
void rosd_metrics(struct prometheus *p, void *d);
void rosd_text(FILE *out, struct rosd *d);
void rosd_json(FILE *out, struct rosd *d);

#endif
