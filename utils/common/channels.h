/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's counters of a card's channels, in every format; from sysfs, world-readable.
 * Short: one reader and the printers of one structure.
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

/* Those of one card; what is negative is not known. stream: name, empty: another kind of channel.
 */
struct channels {
	struct roc_card card;
	uint64_t time; /* output_time() of the reading */
	unsigned int count;
	struct roc_channel_telemetry channel[CHANNELS_MAX];
	struct roc_channel_losses losses[CHANNELS_MAX];
	char stream[CHANNELS_MAX][ROC_TEXT_MAX];
};

/* Exit code; after a failure the message is out. */
int channels_read(const struct roc_card *card, struct channels *c);

/*
 * A table of the channels of @cards cards, one for each kind: pools, streams, sub-units; @verbose:
 * what they cost the driver, too.
 */
void channels_text(FILE *out, const struct channels *c, size_t cards, bool verbose, bool colours);
/* The member "channels" of an object. */
void channels_json(struct json *j, const struct channels *c);
void channels_influx(FILE *out, const struct channels *c);
void channels_prometheus(struct prometheus *m, const struct channels *c, size_t cards);

#endif
