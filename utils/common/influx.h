/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * InfluxDB lines, with the metric and tag names that sites use already.
 *
 * The structures live on their user's stack and own nothing.
 */
#ifndef ROC_UTILS_INFLUX_H
#define ROC_UTILS_INFLUX_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One InfluxDB line: start, tags, fields, end. Values that are no number are left out. */
struct influx {
	FILE *out;
	bool fields; /* there is one already */
};

void influx_start(struct influx *l, FILE *out, const char *measurement);
void influx_tag(struct influx *l, const char *key, const char *value);
void influx_tag_number(struct influx *l, const char *key, int value); /* below 0: unknown */
void influx_text(struct influx *l, const char *key, const char *value);
void influx_signed(struct influx *l, const char *key, int64_t value);
void influx_real(struct influx *l, const char *key, double value);
void influx_end(struct influx *l, uint64_t time_ns);

/*
 * A line about a card (@link below 0; tags serialId, endpoint, id, type) or about one of its
 * links (serialId, endpoint, CRU or CRORC, id, type), begun with the field pciAddress.
 */
void influx_start_card(struct influx *l, FILE *out, const char *measurement,
		       const struct roc_card *card, int link);

#endif
