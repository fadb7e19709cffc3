// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-status of a PCIe40: the card, and how its streams are.
 */
#include "p40_status.h"

#include <inttypes.h>
#include <math.h>

#include "utils/common/influx.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"
#include "utils/status/status.h"
#include "utils/common/tool.h"

/* Bytes in the ring, between the two positions. */
static uint64_t level(const struct roc_st_info *i)
{
	return i->ring ? (uint64_t)(uint32_t)(i->written - i->read) * ROC_ST_LINE : 0;
}

void status_p40_text(FILE *out, const struct status_p40 *r, bool verbose, bool colours)
{
	const struct roc_p40_status *s = &r->status;

	fprintf(out, "Firmware %s (%s), %s, chip %016" PRIx64 "\n", s->firmware, s->hash, s->date,
		s->chip_id);
	fprintf(out, "Source 0x%04x, streams enabled 0x%02x of %u", s->source, s->enabled,
		s->streams);
	if (!isnan(s->temperature))
		fprintf(out, ", %.1f C", s->temperature);
	fprintf(out, "\n\n");
	stream_list_text(out, &r->streams, verbose, colours);
}

void status_p40_json(FILE *out, const struct status_p40 *r)
{
	const struct roc_p40_status *s = &r->status;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	output_card_json(&j, &r->card);
	json_text(&j, "firmware", s->firmware);
	json_text(&j, "firmwareHash", s->hash);
	json_text(&j, "firmwareDate", s->date);
	json_unsigned(&j, "source", s->source);
	json_unsigned(&j, "enabled", s->enabled);
	json_real(&j, "temperature", s->temperature);
	json_unsigned(&j, "clock", s->clock);
	json_unsigned(&j, "cycles", s->cycles);
	stream_list_json(&j, &r->streams);
	json_object_end(&j);
}

void status_p40_influx(FILE *out, const struct status_p40 *r)
{
	struct influx l;
	unsigned int i;

	influx_start_card(&l, out, "PCIe40", &r->card, -1);
	influx_signed(&l, "source", r->status.source);
	influx_signed(&l, "enabled", r->status.enabled);
	influx_real(&l, "temperature", r->status.temperature);
	influx_end(&l, r->time);
	for (i = 0; i < r->streams.count; i++) {
		const struct roc_st_info *s = &r->streams.info[i];

		influx_start_card(&l, out, "stream", &r->card, (int)i);
		influx_text(&l, "stream", s->name);
		influx_signed(&l, "ringBytes", (int64_t)s->ring);
		influx_signed(&l, "ringLevel", (int64_t)level(s));
		influx_signed(&l, "cardLevel", s->level);
		influx_signed(&l, "waiting", (int64_t)s->card.waiting);
		influx_end(&l, r->time);
	}
}

static double ring_bytes(const struct roc_st_info *s)
{
	return (double)s->ring;
}

static double ring_level(const struct roc_st_info *s)
{
	return (double)level(s);
}

static double card_level(const struct roc_st_info *s)
{
	return s->level;
}

static double waiting(const struct roc_st_info *s)
{
	return (double)s->card.waiting;
}

void status_p40_prometheus(FILE *out, const struct status_p40 *r)
{
	static const struct {
		const char *name, *help;
		double (*value)(const struct roc_st_info *s);
	} families[] = {
		{"roc_stream_ring_bytes", "Size of the ring.", ring_bytes},
		{"roc_stream_ring_level_bytes", "Data in the ring.", ring_level},
		{"roc_stream_card_level_bytes", "Data in the card's own memory.", card_level},
		{"roc_stream_waiting_events", "Events in the card.", waiting},
	};
	struct prometheus_labels labels;
	struct prometheus m;
	unsigned int i;
	size_t f;

	prometheus_start(&m, out);
	prometheus_family(&m, "roc_card", PROMETHEUS_INFO, "Card endpoint.");
	prometheus_card(&labels, &r->card, -1);
	prometheus_label(&labels, "firmware", r->card.firmware);
	prometheus_sample(&m, &labels, 1);
	for (f = 0; f < sizeof(families) / sizeof(families[0]) && r->streams.count; f++) {
		prometheus_family(&m, families[f].name, PROMETHEUS_GAUGE, families[f].help);
		for (i = 0; i < r->streams.count; i++) {
			prometheus_card(&labels, &r->card, -1);
			prometheus_label(&labels, "stream", r->streams.info[i].name);
			prometheus_sample(&m, &labels, families[f].value(&r->streams.info[i]));
		}
	}
}

int status_show_p40(FILE *out, struct roc_endpoint *ep, const struct roc_card *card,
		    const struct card_request *q)
{
	struct status_p40 r = {.card = *card};

	if (roc_p40_status_read(ep, &r.status))
		return tool_fail("%s", roc_error());
	if (stream_list_read(ep, card, &r.streams))
		return TOOL_FAILED;
	r.time = output_time();
	switch (q->format) {
	case OUTPUT_TEXT:
		status_p40_text(out, &r, q->verbose, q->colours);
		break;
	case OUTPUT_JSON:
		status_p40_json(out, &r);
		break;
	case OUTPUT_MONITORING:
		status_p40_influx(out, &r);
		break;
	case OUTPUT_PROMETHEUS:
		status_p40_prometheus(out, &r);
		break;
	}
	return TOOL_OK;
}
