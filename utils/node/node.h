/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output functions of roc-list-cards, roc-fw-check and roc-metrics. They take the values as
 * arguments, so that golden tests can print cards that do not exist.
 */
#ifndef ROC_UTILS_NODE_H
#define ROC_UTILS_NODE_H

#include <roc/firmware.h>
#include <roc/roc.h>
#include <roc/telemetry.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "utils/common/channels.h"

#define LIST_STREAMS 32

/* Names of the streams of a card; none: its channels are pools. */
struct list_streams {
	unsigned int count;
	char name[LIST_STREAMS][ROC_TEXT_MAX];
};

/* @streams: of each card, or NULL */
void list_cards_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count, bool verbose);
void list_cards_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		     const struct list_streams *streams, size_t count);

void fw_check_text(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count, bool colours);
void fw_check_json(FILE *out, const struct roc_firmware_list *list, const struct roc_card *cards,
		   size_t count);

/* Two arrays of @count elements; the second one has the cards. */
struct metrics {
	struct roc_card_telemetry *cards;
	struct channels *channels;
	size_t count;
};

extern const struct output_forms metrics_forms;

#endif
