/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What roc-node-check expects of a server: built in, and changed by a file, one JSON object. The
 * example in Documentation/examples/node-check.json has all members, with what is built in.
 */
#ifndef ROC_UTILS_NODE_LIMITS_H
#define ROC_UTILS_NODE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define LIMITS_FILE "/etc/roc/node-check.json"
#define LIMITS_TEXTS 16
#define LIMITS_TEXT_MAX 128
#define LIMITS_CARDS 32

struct limits_texts {
	char text[LIMITS_TEXTS][LIMITS_TEXT_MAX];
	size_t count;
};

struct limits {
	/* The cards that have to be here, and the NUMA node of each; -1: any. */
	struct {
		int serial, node;
	} card[LIMITS_CARDS];
	size_t cards;
	struct limits_texts drivers; /* versions; none: the one of the tools */
	int64_t temperature_warn;    /* degrees Celsius */
	int64_t temperature_fail;
	int64_t max_payload; /* bytes */
	int64_t max_read_request;
	int64_t correctable_errors;
	int64_t node_imbalance; /* cards */
	int64_t nodes_per_socket;
	uint64_t memory_per_channel; /* bytes that a reader lends to one channel of a card */
	struct limits_texts iommu;   /* types of default domain */
	struct limits_texts governors;
	int64_t memory_channels;	     /* of a socket; 0: as many as DMI names */
	struct limits_texts memory_locators; /* patterns, tried before those that are built in */
	char group[32];
	char source[256]; /* file, empty: built in */
};

void limits_default(struct limits *limits);
/*
 * On top of what is in @limits. NULL: LIMITS_FILE if there is one. 0 or -errno, and then @why has
 * the sentence.
 */
int limits_read(struct limits *limits, const char *path, char *why, size_t why_size);

#endif
