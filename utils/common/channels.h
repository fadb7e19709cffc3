/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver counters of a card's channels in every format, read from world-readable sysfs files.
 */
#ifndef ROC_UTILS_CHANNELS_H
#define ROC_UTILS_CHANNELS_H

#include <roc/telemetry.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "json.h"
#include "prometheus.h"

#define CHANNELS_MAX 16

/*
 * Channels of one card. Negative values are unknown. @stream: name of the stream, empty for other
 * channel types.
 */
struct channels {
	struct roc_card card;
	uint64_t time; /* output_time() when they were read */
	unsigned int count;
	struct roc_channel_telemetry channel[CHANNELS_MAX];
	struct roc_channel_losses losses[CHANNELS_MAX];
	char stream[CHANNELS_MAX][ROC_TEXT_MAX];
};

/* Return an exit code; a failure has been reported. */
int channels_read(const struct roc_card *card, struct channels *c);

/*
 * Print a table of the channels of @cards cards per channel type: pools, streams, sub-units.
 * @verbose: also the counters of the driver's work.
 */
void channels_text(FILE *out, const struct channels *c, size_t cards, bool verbose, bool colours);
/* Print the member "channels" of an object. */
void channels_json(struct json *j, const struct channels *c);
void channels_influx(FILE *out, const struct channels *c);
void channels_prometheus(struct prometheus *m, const struct channels *c, size_t cards);

#endif
