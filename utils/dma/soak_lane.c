// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lane of a soak: a source of utils/units takes the data of any channel type, and a sink checks
 * them. The thread publishes its counters under the lane's lock.
 */
#include "soak.h"

#include <roc/telemetry.h>

#include <errno.h>
#include <math.h>
#include <numa.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"
#include "utils/units/sources.h"

static int too_many_lanes(void)
{
	return tool_fail("More than %d channels found: select a card with --id.", SOAK_LANES);
}

/* Add a lane for @channel, numbered as the driver numbers the channels of an endpoint. */
static int add_lane(struct soak_lane *lanes, unsigned int *count, const struct roc_card *card,
		    unsigned int channel, uint64_t caps)
{
	char called[OUTPUT_CARD_MAX], stream[ROC_TEXT_MAX] = "";
	struct soak_lane *l = &lanes[*count];

	if (*count == SOAK_LANES)
		return too_many_lanes();
	if (caps & ROC_CAP_STREAMS && roc_channel_stream(card, channel, stream))
		return tool_fail("%s", roc_error());
	*l = (struct soak_lane){.card = *card,
				.channel = channel,
				.pool = !(caps & (ROC_CAP_STREAMS | ROC_CAP_FRAGMENTS)),
				.fragments = caps & ROC_CAP_FRAGMENTS,
				.temperature = NAN,
				.hottest = NAN,
				.lock = PTHREAD_MUTEX_INITIALIZER};
	output_card(card, called);
	if (stream[0])
		snprintf(l->name, sizeof(l->name), "%s %s", called, stream);
	else if (l->fragments)
		snprintf(l->name, sizeof(l->name), "%s sub%u", called, channel);
	else if (card->channels > 1)
		snprintf(l->name, sizeof(l->name), "%s channel %u", called, channel);
	else
		snprintf(l->name, sizeof(l->name), "%s", called);
	(*count)++;
	return TOOL_OK;
}

static int add_card(struct soak_lane *lanes, unsigned int *count, const struct roc_card *card)
{
	struct roc_ep_info info = {0};
	struct roc_endpoint *ep;
	int code, err, i;

	err = roc_open_card(card, NULL, &ep);
	if (err)
		return tool_fail("%s", roc_error());
	err = roc_info(ep, &info);
	roc_close(ep);
	if (err)
		return tool_fail("%s", roc_error());
	for (i = 0; i < card->channels; i++) {
		code = add_lane(lanes, count, card, (unsigned int)i, info.caps);
		if (code)
			return code;
	}
	return TOOL_OK;
}

int soak_lanes_find(const struct bench_options *o, struct soak_lane **lanes, unsigned int *count)
{
	struct soak_lane *found = calloc(SOAK_LANES, sizeof(*found));
	struct roc_card one, *all = NULL, *cards = &one;
	size_t number = 1, i;
	int code = TOOL_OK, err;

	*count = 0;
	if (!found)
		return tool_fail("Cannot allocate the list of channels.");
	if (o->id) {
		err = roc_find(o->id, &one);
		if (err)
			code = tool_fail_card(err);
	} else {
		code = cards_list(&all, &number);
		cards = all;
	}
	for (i = 0; !code && i < number; i++)
		code = add_card(found, count, &cards[i]);
	free(all);
	if (code) {
		free(found);
		return code;
	}
	*lanes = found;
	return TOOL_OK;
}

int soak_lane_open(struct soak_lane *l, const struct bench_options *o)
{
	const struct check_config config = bench_check_config(o);
	char number[16];
	struct source_card_options card = {
		.id = l->card.pci_address,
		.dma_channel = l->pool ? l->channel : 0,
		.stream = l->pool || l->fragments ? NULL : number,
		.sub = l->fragments ? number : NULL,
		.data_source = o->source,
		.links = l->pool || l->fragments ? o->links : 0,
		.buffer = o->buffer_size,
		.unit = o->superpage_size,
		.plain_memory = o->plain_memory,
		.bypass_fw_check = o->bypass_fw_check,
	};
	int code;

	snprintf(number, sizeof(number), "%u", l->channel);
	code = source_card(&card, &l->source);
	if (code)
		return code;
	l->errors = (struct error_log){.path = ERROR_LOG_FILE, .card = l->name};
	l->sink = o->no_errorcheck ? sink_count()
				   : sink_check(&l->source->format, &config, &l->errors);
	return l->sink ? TOOL_OK : tool_fail("Cannot allocate the data checker.");
}

/* Publish the counters. Called in the lane's thread. */
static void publish(struct pump *p, void *context)
{
	struct soak_lane *l = context;
	struct soak_counts c = {
		.time = units_now(),
		.units = p->n.units,
		.bytes = p->n.bytes,
		.errors = p->sink->n.errors + p->n.damaged + p->source->incomplete,
	};
	struct unit_counters counters = {0};

	p->source->ops->counters(p->source, &counters);
	/* If the card does not respond, keep the last known number of drops. */
	if (!l->fragments)
		c.dropped = counters.known ? counters.dropped : l->now.dropped;
	pthread_mutex_lock(&l->lock);
	l->now = c;
	pthread_mutex_unlock(&l->lock);
}

static void *work(void *context)
{
	struct soak_lane *l = context;
	struct pump *p = &l->pump;

	/* Run on the NUMA node of the card and its memory. Failure is not an error. */
	if (l->card.numa_node >= 0 && numa_available() >= 0)
		numa_run_on_node(l->card.numa_node);
	pump_run(p);
	pthread_mutex_lock(&l->lock);
	l->over = true;
	if (p->end == PUMP_END_STALL)
		snprintf(
			l->reason, sizeof(l->reason),
			"%s: no data arrived for %u s (--stall-limit): check the trigger, the links and the data source.",
			l->name, (unsigned int)p->limits.stall);
	else if (p->reason[0])
		snprintf(l->reason, sizeof(l->reason), "%s: %s", l->name, p->reason);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int soak_lane_start(struct soak_lane *l)
{
	int err;

	l->pump.source = l->source;
	l->pump.sink = l->sink;
	l->pump.tick = publish;
	l->pump.tick_ns = SOAK_TICK_NS;
	l->pump.context = l;
	l->now.time = l->last.time = units_now();
	/* Gaps before this call are not part of its first period. */
	soak_lane_gap(l);
	err = pthread_create(&l->thread, NULL, work, l);
	l->running = !err;
	return -err;
}

void soak_lane_join(struct soak_lane *l)
{
	if (l->running)
		pthread_join(l->thread, NULL);
	l->running = false;
}

void soak_lane_close(struct soak_lane *l)
{
	error_log_close(&l->errors);
	if (l->errors.broken)
		tool_note("%s", l->errors.reason);
	sink_close(l->sink);
	source_close(l->source);
}

void soak_lane_poll(struct soak_lane *l)
{
	struct roc_card_telemetry t = {.temperature = NAN};

	roc_card_telemetry_read(&l->card, &t);
	l->temperature = t.temperature;
	l->hottest = fmax(l->hottest, t.temperature);
}

int soak_lane_gap(struct soak_lane *l)
{
	struct roc_channel_telemetry t;
	int i, longest = -1;

	if (!l->pool || roc_channel_telemetry_read(&l->card, l->channel, &t) || t.gaps[0] < 0)
		return -1;
	for (i = 0; i < ROC_GAPS; i++) {
		if (t.gaps[i] > l->gaps[i])
			longest = i;
		l->gaps[i] = t.gaps[i];
	}
	return longest;
}
