// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the driver's counters of channels. One table has the name of each counter in all formats.
 */
#include "channels.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "histogram.h"
#include "output.h"
#include "tool.h"

/* Counters beyond enum roc_counter, whose array has no free entry. */
enum {
	ERROR_INTERRUPTS = ROC_COUNTERS,
	DAMAGED,
	SHORT,
	LOST,
	LOOKS, /* deprecated name of ROC_COUNT_POLLS in JSON, InfluxDB and Prometheus */
	ALL_COUNTERS,
};

static const struct {
	const char *key;    /* JSON, InfluxDB */
	const char *head;   /* text */
	const char *metric; /* Prometheus */
	const char *help;
} counters[ALL_COUNTERS] = {
	[ROC_COUNT_SUPERPAGES] = {"superpages", ">Superpages", "roc_channel_superpages",
				  "Superpages returned with data."},
	[ROC_COUNT_BYTES] = {"bytes", ">Bytes", "roc_channel_bytes", "Bytes received."},
	[ROC_COUNT_PUSHED] = {"pushed", ">Pushed", "roc_channel_pushed_superpages",
			      "Superpages pushed to the card."},
	[ROC_COUNT_RECLAIMED] = {"reclaimed", ">Unused", "roc_channel_reclaimed_superpages",
				 "Superpages returned unused."},
	[ROC_COUNT_REFUSED] = {"refused", ">Refused", "roc_channel_refused_entries",
			       "Fill entries that the driver refused."},
	[ROC_COUNT_RETRIES] = {"retries", ">Retries", "roc_channel_retries",
			       "Pushes that the card did not accept at once."},
	[ROC_COUNT_FIFO_EMPTY] = {"fifoEmpty", ">FIFO empty", "roc_channel_fifo_empty",
				  "Times that the card had no superpage."},
	[ROC_COUNT_BAD_INDEX] = {"badIndex", ">Bad index", "roc_channel_bad_indices",
				 "Invalid ring indices written by readers."},
	[ROC_COUNT_POLLS] = {"polls", ">Polls", "roc_channel_polls",
			     "Polls of the driver for finished superpages."},
	[ROC_COUNT_TURNS] = {"turns", ">Turns", "roc_channel_thread_turns",
			     "Wakeups of the driver's thread."},
	[ROC_COUNT_MMIO_READS] = {"mmioReads", ">Reads", "roc_channel_mmio_reads",
				  "Register reads of the data path."},
	[ROC_COUNT_MMIO_WRITES] = {"mmioWrites", ">Writes", "roc_channel_mmio_writes",
				   "Register writes of the data path."},
	[ROC_COUNT_INTERRUPTS] = {"interrupts", ">Interrupts", "roc_channel_interrupts",
				  "Interrupts of the channel."},
	[ROC_COUNT_MISSED_INTERRUPTS] = {"missedInterrupts", ">Missed",
					 "roc_channel_missed_interrupts",
					 "Superpages found without an interrupt."},
	[ROC_COUNT_SPURIOUS_INTERRUPTS] = {"spuriousInterrupts", ">Spurious",
					   "roc_channel_spurious_interrupts",
					   "Interrupts without new data."},
	[ROC_COUNT_PACKETS] = {"packets", ">Packets", "roc_channel_packets",
			       "Packets or records of a stream."},
	[ROC_COUNT_OFFERED] = {"offered", ">Offered", "roc_channel_offered_events",
			       "Events offered by the source."},
	[ROC_COUNT_EVENTS] = {"events", ">Events", "roc_channel_events",
			      "Events written to the ring."},
	[ROC_COUNT_DISCARDED] = {"discarded", ">Discarded", "roc_channel_discarded_events",
				 "Events discarded by stops and resets."},
	[ROC_COUNT_THROTTLES] = {"throttles", ">Throttles", "roc_channel_throttles",
				 "Times that the card started throttling."},
	[ROC_COUNT_THROTTLED] = {"throttled", ">Throttled", "roc_channel_throttled_events",
				 "Events dropped by throttling."},
	[ROC_COUNT_TRUNCATIONS] = {"truncations", ">Truncations", "roc_channel_truncations",
				   "Times that the card started truncation."},
	[ROC_COUNT_TRUNCATED] = {"truncated", ">Truncated", "roc_channel_truncated_events",
				 "Truncated events."},
	[ROC_COUNT_TRUNCATED_BYTES] = {"truncatedBytes", ">Bytes truncated",
				       "roc_channel_truncated_bytes", "Bytes lost by truncation."},
	[ROC_COUNT_ARMS] = {"arms", ">Arms", "roc_channel_arms",
			    "Interrupts requested from the card."},
	[ROC_COUNT_DOORBELLS] = {"doorbells", ">Doorbells", "roc_channel_doorbells",
				 "Doorbells for free space written to the card."},
	[ROC_COUNT_WAKES] = {"wakes", ">Wakes", "roc_channel_wakes", "Wakeups of readers."},
	[ROC_COUNT_TRANSFERS] = {"transfers", ">Sent", "roc_channel_transferred_fragments",
				 "Fragments that the card wrote to host memory."},
	[ROC_COUNT_RELEASES] = {"releases", ">Released", "roc_channel_released_pages",
				"Pages of the card returned by commands."},
	[ROC_COUNT_FREED] = {"freed", ">Freed", "roc_channel_freed_pages",
			     "Pages of the card returned by the free-page ring."},
	[ROC_COUNT_DATA_INTERRUPTS] = {"dataInterrupts", ">Of data", "roc_channel_data_interrupts",
				       "Interrupts that report fragments."},
	[ROC_COUNT_DONE_INTERRUPTS] = {"doneInterrupts", ">Of requests",
				       "roc_channel_done_interrupts",
				       "Interrupts that report completed requests."},
	[ERROR_INTERRUPTS] = {"errorInterrupts", ">Of errors", "roc_channel_error_interrupts",
			      "Interrupts that report an error."},
	[DAMAGED] = {"damaged", ">Damaged", "roc_channel_damaged_superpages",
		     "Superpages that the card flagged as damaged; of a sub-unit, fragments."},
	[SHORT] = {"short", ">Short", "roc_channel_short_superpages",
		   "Superpages that the card returned with missing data for no known reason."},
	[LOST] = {"lost", ">Lost", "roc_channel_lost",
		  "Superpages in the card when a run failed; of a sub-unit, entries of its rings."},
	[LOOKS] = {"looks", ">Looks", "roc_channel_looks",
		   "Deprecated name of roc_channel_polls_total."},
};

/* Counters that are 0 unless there is an error. */
static const bool is_error[ALL_COUNTERS] = {
	[ROC_COUNT_REFUSED] = true,
	[ROC_COUNT_BAD_INDEX] = true,
	[ROC_COUNT_MISSED_INTERRUPTS] = true,
	[ROC_COUNT_THROTTLED] = true,
	[ROC_COUNT_TRUNCATED] = true,
	[ERROR_INTERRUPTS] = true,
	[DAMAGED] = true,
	[SHORT] = true,
	[LOST] = true,
};

/* Columns without --verbose, and the additional columns with it; of pools. */
static const unsigned int few[] = {
	ROC_COUNT_SUPERPAGES,
	ROC_COUNT_BYTES,
	ROC_COUNT_RECLAIMED,
	ROC_COUNT_REFUSED,
	DAMAGED,
	SHORT,
	LOST,
	ROC_COUNT_RETRIES,
	ROC_COUNT_FIFO_EMPTY,
};
static const unsigned int more[] = {
	ROC_COUNT_PUSHED,     ROC_COUNT_BAD_INDEX,	   ROC_COUNT_POLLS,
	ROC_COUNT_TURNS,      ROC_COUNT_MMIO_READS,	   ROC_COUNT_MMIO_WRITES,
	ROC_COUNT_INTERRUPTS, ROC_COUNT_MISSED_INTERRUPTS, ROC_COUNT_SPURIOUS_INTERRUPTS,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Of streams. */
static const unsigned int stream_few[] = {
	ROC_COUNT_PACKETS,   ROC_COUNT_EVENTS,	  ROC_COUNT_BYTES,
	ROC_COUNT_THROTTLED, ROC_COUNT_TRUNCATED,
};
static const unsigned int stream_more[] = {
	ROC_COUNT_OFFERED,
	ROC_COUNT_DISCARDED,
	ROC_COUNT_THROTTLES,
	ROC_COUNT_TRUNCATIONS,
	ROC_COUNT_TRUNCATED_BYTES,
	ROC_COUNT_BAD_INDEX,
	ROC_COUNT_ARMS,
	ROC_COUNT_DOORBELLS,
	ROC_COUNT_WAKES,
	ROC_COUNT_MMIO_READS,
	ROC_COUNT_MMIO_WRITES,
	ROC_COUNT_INTERRUPTS,
	ROC_COUNT_MISSED_INTERRUPTS,
	ROC_COUNT_SPURIOUS_INTERRUPTS,
};

/* Of sub-units. */
static const unsigned int sub_few[] = {
	ROC_COUNT_TRANSFERS, ROC_COUNT_BYTES, ROC_COUNT_FREED, DAMAGED, LOST,
};
static const unsigned int sub_more[] = {
	ROC_COUNT_RELEASES,
	ROC_COUNT_BAD_INDEX,
	ROC_COUNT_ARMS,
	ROC_COUNT_DOORBELLS,
	ROC_COUNT_WAKES,
	ROC_COUNT_MMIO_READS,
	ROC_COUNT_MMIO_WRITES,
	ROC_COUNT_INTERRUPTS,
	ROC_COUNT_DATA_INTERRUPTS,
	ROC_COUNT_DONE_INTERRUPTS,
	ERROR_INTERRUPTS,
	ROC_COUNT_MISSED_INTERRUPTS,
	ROC_COUNT_SPURIOUS_INTERRUPTS,
};

enum channel_type {
	POOL,
	STREAM,
	SUB,
	CHANNEL_TYPES,
};

#define COUNTERS(list) list, COUNT(list)

static const struct {
	const char *heads[6]; /* columns before the counters */
	const unsigned int *few;
	size_t few_count;
	const unsigned int *more;
	size_t more_count;
} types[CHANNEL_TYPES] = {
	[POOL] = {{">#", "Card", ">Channel", "State", "Mode", "Owner"},
		  COUNTERS(few),
		  COUNTERS(more)},
	[STREAM] = {{">#", "Card", ">Channel", "Stream", "State", "Owner"},
		    COUNTERS(stream_few),
		    COUNTERS(stream_more)},
	[SUB] = {{">#", "Card", ">Sub-unit", "State", "Owner"},
		 COUNTERS(sub_few),
		 COUNTERS(sub_more)},
};

/* Only sub-units count interrupts by purpose. */
static bool by_purpose(const struct roc_channel_telemetry *t)
{
	return t->counter[ROC_COUNT_DATA_INTERRUPTS] >= 0;
}

static enum channel_type type_of(const struct channels *c, unsigned int channel)
{
	if (*c->stream[channel])
		return STREAM;
	return by_purpose(&c->channel[channel]) ? SUB : POOL;
}

/* Return -1 if the value is unknown. */
static int64_t value_of(const struct channels *c, unsigned int channel, unsigned int counter)
{
	const struct roc_channel_telemetry *t = &c->channel[channel];
	const struct roc_channel_losses *losses = &c->losses[channel];

	switch (counter) {
	case ERROR_INTERRUPTS:
		return by_purpose(t) ? (int64_t)t->error_interrupts : -1;
	case DAMAGED:
		return losses->damaged;
	case SHORT:
		return losses->short_;
	case LOST:
		return losses->lost;
	case LOOKS:
		return t->counter[ROC_COUNT_POLLS];
	default:
		return t->counter[counter];
	}
}

static bool one_of(const unsigned int *list, size_t count, unsigned int counter)
{
	size_t i;

	for (i = 0; i < count && list[i] != counter; i++)
		;
	return i < count;
}

/* Return true if channels of this type have the counter. */
static bool has_counter(enum channel_type type, unsigned int counter)
{
	if (type == POOL)
		return counter < ROC_COUNT_PACKETS || counter > ERROR_INTERRUPTS;
	return one_of(types[type].few, types[type].few_count, counter) ||
	       one_of(types[type].more, types[type].more_count, counter);
}

static const char *const states[] = {"stopped", "running", "failed", "gone"};

int channels_read(const struct roc_card *card, struct channels *c)
{
	int channel;

	c->card = *card;
	c->count = 0;
	for (channel = 0; channel < card->channels && channel < CHANNELS_MAX; channel++) {
		if (roc_channel_telemetry_read(card, (unsigned int)channel,
					       &c->channel[c->count]) ||
		    roc_channel_losses_read(card, (unsigned int)channel, &c->losses[c->count]) ||
		    roc_channel_stream(card, (unsigned int)channel, c->stream[c->count]))
			return tool_fail("%s", roc_error());
		c->count++;
	}
	c->time = output_time();
	return TOOL_OK;
}

static bool has_gaps(const struct roc_channel_telemetry *t)
{
	return t->gaps[0] >= 0;
}

static void copy_gaps(const struct roc_channel_telemetry *t, uint64_t *gaps)
{
	unsigned int i;

	for (i = 0; i < ROC_GAPS; i++)
		gaps[i] = (uint64_t)t->gaps[i];
}

static void gap_cell(struct table *table, const struct roc_channel_telemetry *t)
{
	uint64_t gaps[ROC_GAPS];
	int bucket = -1;

	if (has_gaps(t)) {
		copy_gaps(t, gaps);
		bucket = gaps_bucket(gaps, 99);
	}
	if (bucket < 0)
		table_cell(table, NULL, "-");
	else if (bucket < ROC_GAPS - 1)
		table_cell(table, NULL, "< %u", 1u << bucket);
	else
		table_cell(table, NULL, ">= %u", 1u << (ROC_GAPS - 2));
}

static void counter_cell(struct table *table, const struct channels *c, unsigned int channel,
			 unsigned int counter)
{
	int64_t value = value_of(c, channel, counter);

	if (value < 0)
		table_cell(table, NULL, "-");
	else
		table_cell(table, value && is_error[counter] ? COLOUR_BAD : NULL, "%" PRId64,
			   value);
}

static void owner_cell(struct table *table, const struct roc_channel_telemetry *t)
{
	if (!*t->owner_name)
		table_cell(table, NULL, "-");
	else if (t->owner_pid > 0)
		table_cell(table, NULL, "%s (%d)", t->owner_name, (int)t->owner_pid);
	else
		table_cell(table, NULL, "%s", t->owner_name);
}

static const char *state_colour(const char *state)
{
	if (!strcmp(state, "running"))
		return COLOUR_GOOD;
	return !strcmp(state, "stopped") ? NULL : COLOUR_BAD;
}

static void row(struct table *table, const struct channels *c, unsigned int channel, bool verbose)
{
	const struct roc_channel_telemetry *t = &c->channel[channel];
	enum channel_type type = type_of(c, channel);
	char card[OUTPUT_CARD_MAX];
	size_t i;

	table_cell(table, NULL, "%d", c->card.sequence);
	table_cell(table, NULL, "%s", output_card(&c->card, card));
	table_cell(table, NULL, "%u", channel);
	if (type == STREAM)
		table_cell(table, NULL, "%s", c->stream[channel]);
	table_cell(table, state_colour(t->state), "%s", t->state);
	if (type == POOL)
		table_cell(table, NULL, "%s", *t->mode ? t->mode : "-");
	owner_cell(table, t);
	for (i = 0; i < types[type].few_count; i++)
		counter_cell(table, c, channel, types[type].few[i]);
	if (type == POOL)
		gap_cell(table, t);
	for (i = 0; verbose && i < types[type].more_count; i++)
		counter_cell(table, c, channel, types[type].more[i]);
}

static size_t add_heads(const char **heads, const unsigned int *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		heads[i] = counters[list[i]].head;
	return count;
}

static void type_text(FILE *out, const struct channels *c, size_t cards, enum channel_type type,
		      bool verbose, bool colours)
{
	const char *heads[32] = {NULL};
	struct table table;
	unsigned int channel;
	size_t card, n;

	for (n = 0; n < COUNT(types[type].heads) && types[type].heads[n]; n++)
		heads[n] = types[type].heads[n];
	n += add_heads(heads + n, types[type].few, types[type].few_count);
	if (type == POOL)
		heads[n++] = ">Gap p99 us";
	if (verbose)
		add_heads(heads + n, types[type].more, types[type].more_count);
	table_start(&table, heads);
	for (card = 0; card < cards; card++)
		for (channel = 0; channel < c[card].count; channel++)
			if (type_of(&c[card], channel) == type)
				row(&table, &c[card], channel, verbose);
	table_print(&table, out, colours);
}

void channels_text(FILE *out, const struct channels *c, size_t cards, bool verbose, bool colours)
{
	size_t card, of[CHANNEL_TYPES] = {0}, type;
	unsigned int channel;
	bool first = true;

	for (card = 0; card < cards; card++)
		for (channel = 0; channel < c[card].count; channel++)
			of[type_of(&c[card], channel)]++;
	/* Without any channel, print the empty table of pools. */
	of[POOL] += !of[POOL] && !of[STREAM] && !of[SUB];
	for (type = 0; type < CHANNEL_TYPES; type++) {
		if (!of[type])
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		type_text(out, c, cards, (enum channel_type)type, verbose, colours);
	}
}

static void json_channel(struct json *j, const struct channels *c, unsigned int number)
{
	const struct roc_channel_telemetry *t = &c->channel[number];
	enum channel_type type = type_of(c, number);
	uint64_t gaps[ROC_GAPS];
	unsigned int i;

	json_object(j, NULL);
	json_unsigned(j, "channel", number);
	if (type == STREAM)
		json_text(j, "stream", c->stream[number]);
	json_text(j, "state", t->state);
	if (type == POOL)
		json_text(j, "mode", *t->mode ? t->mode : NULL);
	json_text(j, "ownerName", *t->owner_name ? t->owner_name : NULL);
	output_number_json(j, "ownerPid", t->owner_pid > 0 ? t->owner_pid : -1);
	for (i = 0; i < ALL_COUNTERS; i++)
		if (has_counter(type, i))
			output_number_json(j, counters[i].key, value_of(c, number, i));
	if (type != POOL) {
		json_object_end(j);
		return;
	}
	if (has_gaps(t)) {
		copy_gaps(t, gaps);
		gaps_json(j, gaps);
	} else {
		json_null(j, "gaps");
	}
	json_object_end(j);
}

void channels_json(struct json *j, const struct channels *c)
{
	unsigned int i;

	json_array(j, "channels");
	for (i = 0; i < c->count; i++)
		json_channel(j, c, i);
	json_array_end(j);
}

static void influx_gaps(struct influx *l, const struct roc_channel_telemetry *t)
{
	unsigned int i;
	char key[32];

	for (i = 0; i < ROC_GAPS - 1; i++) {
		snprintf(key, sizeof(key), "gapsBelow%uUs", 1u << i);
		influx_signed(l, key, t->gaps[i]);
	}
	influx_signed(l, "gapsLonger", t->gaps[i]);
}

void channels_influx(FILE *out, const struct channels *c)
{
	unsigned int channel, i;
	struct influx l;

	for (channel = 0; channel < c->count; channel++) {
		const struct roc_channel_telemetry *t = &c->channel[channel];

		influx_start_card(&l, out, "channel", &c->card, (int)channel);
		if (*c->stream[channel])
			influx_text(&l, "stream", c->stream[channel]);
		influx_text(&l, "state", t->state);
		if (type_of(c, channel) == POOL)
			influx_text(&l, "mode", t->mode);
		influx_text(&l, "ownerName", t->owner_name);
		influx_signed(&l, "ownerPid", t->owner_pid);
		for (i = 0; i < ALL_COUNTERS; i++)
			if (value_of(c, channel, i) >= 0)
				influx_signed(&l, counters[i].key, value_of(c, channel, i));
		if (has_gaps(t))
			influx_gaps(&l, t);
		influx_end(&l, c->time);
	}
}

static void channel_labels(struct prometheus_labels *labels, const struct channels *c,
			   unsigned int channel)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", channel);
	prometheus_card(labels, &c->card, -1);
	prometheus_label(labels, "channel", number);
}

static void prometheus_counter(struct prometheus *m, const struct channels *c, size_t cards,
			       unsigned int counter)
{
	struct prometheus_labels labels;
	unsigned int channel;
	bool first = true;
	size_t card;

	for (card = 0; card < cards; card++) {
		for (channel = 0; channel < c[card].count; channel++) {
			int64_t value = value_of(&c[card], channel, counter);

			if (value < 0)
				continue;
			if (first)
				prometheus_family(m, counters[counter].metric, PROMETHEUS_COUNTER,
						  counters[counter].help);
			first = false;
			channel_labels(&labels, &c[card], channel);
			prometheus_sample(m, &labels, (double)value);
		}
	}
}

/*
 * One sample per state, with value 1 for the current one; then an info metric with the labels that
 * seldom change.
 */
static void prometheus_states(struct prometheus *m, const struct channels *c, size_t cards)
{
	struct prometheus_labels labels;
	unsigned int channel;
	size_t card, i;

	prometheus_family(m, "roc_channel_state", PROMETHEUS_GAUGE,
			  "Whether the channel is in this state.");
	for (card = 0; card < cards; card++) {
		for (channel = 0; channel < c[card].count; channel++) {
			for (i = 0; i < COUNT(states); i++) {
				channel_labels(&labels, &c[card], channel);
				prometheus_label(&labels, "state", states[i]);
				prometheus_sample(
					m, &labels,
					!strcmp(c[card].channel[channel].state, states[i]));
			}
		}
	}
	prometheus_family(m, "roc_channel", PROMETHEUS_INFO, "Owner and mode of the channel.");
	for (card = 0; card < cards; card++) {
		for (channel = 0; channel < c[card].count; channel++) {
			channel_labels(&labels, &c[card], channel);
			if (*c[card].stream[channel])
				prometheus_label(&labels, "stream", c[card].stream[channel]);
			else if (type_of(&c[card], channel) == POOL)
				prometheus_label(&labels, "mode", c[card].channel[channel].mode);
			prometheus_label(&labels, "owner", c[card].channel[channel].owner_name);
			prometheus_sample(m, &labels, 1);
		}
	}
}

static void prometheus_gaps(struct prometheus *m, const struct channels *c, size_t cards)
{
	double limits[ROC_GAPS - 1];
	struct prometheus_labels labels;
	uint64_t gaps[ROC_GAPS];
	unsigned int channel, i;
	bool first = true;
	size_t card;

	for (i = 0; i < ROC_GAPS - 1; i++)
		limits[i] = (double)(1u << i) / 1e6;
	for (card = 0; card < cards; card++) {
		for (channel = 0; channel < c[card].count; channel++) {
			if (!has_gaps(&c[card].channel[channel]))
				continue;
			if (first)
				prometheus_family(
					m, "roc_channel_gap_seconds", PROMETHEUS_HISTOGRAM,
					"Time that the card had space until the next superpage; the sum is estimated.");
			first = false;
			copy_gaps(&c[card].channel[channel], gaps);
			channel_labels(&labels, &c[card], channel);
			prometheus_histogram(m, &labels, limits, gaps, ROC_GAPS,
					     prometheus_estimate_sum(limits, gaps, ROC_GAPS));
		}
	}
}

void channels_prometheus(struct prometheus *m, const struct channels *c, size_t cards)
{
	size_t i, all = 0;

	for (i = 0; i < cards; i++)
		all += c[i].count;
	if (!all)
		return;
	prometheus_states(m, c, cards);
	for (i = 0; i < ALL_COUNTERS; i++)
		prometheus_counter(m, c, cards, i);
	prometheus_gaps(m, c, cards);
}
