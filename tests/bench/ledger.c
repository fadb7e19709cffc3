// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-ledger: run one scenario, inside the guest. It sets the cards, starts readers, reads all
 * counters at both ends of a window of steady readout, and stops the readers. Prints one JSON
 * object of raw counts; tests/bench/ledger/figures.py computes figures from them.
 */
#include "ledger.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_ROUNDS 12

static FILE *result;
static char *result_text;
static size_t result_length;

void sleep_until(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
			     .tv_nsec = (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static void pause_for(double seconds)
{
	sleep_until(now_ns() + (uint64_t)(seconds * 1e9));
}

void die(const char *fmt, ...)
{
	char sentence[400], *c;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	for (c = sentence; *c; c++) {
		if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
			*c = '\'';
	}
	counters_close();
	printf("{\"error\":\"%s\"}\n", sentence);
	exit(1);
}

static void set_cards(const struct scenario *s)
{
	unsigned int i, e;

	for (i = 0; i < s->set_count; i++) {
		const char *value = strchr(s->sets[i], '=') + 1;

		for (e = 0; e < s->count; e++)
			card_ask(s->endpoints[e].card, "set %u %.*s %s", s->endpoints[e].fn,
				 (int)(value - 1 - s->sets[i]), s->sets[i], value);
	}
	for (i = 0; i < LEDGER_CARDS; i++) {
		if (scenario_uses(s, i))
			card_ask(i, "clear");
	}
}

static void set_all(const struct scenario *s, const char *key, const char *value)
{
	unsigned int e;

	for (e = 0; e < s->count; e++)
		card_ask(s->endpoints[e].card, "set %u %s %s", s->endpoints[e].fn, key, value);
}

/* Offset of this clock from the cards' clock; the fastest reply is the most exact. */
static void synchronise(struct scenario *s)
{
	uint64_t best = UINT64_MAX;
	int64_t offset = 0;
	unsigned int i;

	for (i = 0; i < CLOCK_ROUNDS; i++) {
		uint64_t before = now_ns(), after, card;
		const char *at = strstr(card_ask(s->endpoints[0].card, "counts 0"), "\"now_ns\":");

		after = now_ns();
		if (!at)
			die("the card does not tell the time");
		card = strtoull(at + strlen("\"now_ns\":"), NULL, 10);
		if (after - before < best) {
			best = after - before;
			offset = (int64_t)(before + (after - before) / 2 - card);
		}
	}
	for (i = 0; i < s->reader_count; i++)
		s->readers[i].state->clock_offset = offset;
	fprintf(result, ",\"clock_error_ns\":%" PRIu64, best / 2);
}

/*
 * The cards' own rate with buffers always ready. Measured right before and right after the window,
 * because the host may be busy with other work, too.
 */
static void reference(const struct scenario *s, const char *name)
{
	if (s->reference <= 0)
		return;
	set_all(s, "recycle", "on");
	pause_for(0.3); /* return the driver's entries to the cards */
	fprintf(result, ",\"%s\":[{", name);
	snapshot_cards(result, s);
	pause_for(s->reference);
	fprintf(result, "},{");
	snapshot_cards(result, s);
	fprintf(result, "}]");
	set_all(s, "recycle", "off");
}

static void measure(struct scenario *s)
{
	uint64_t begin;
	unsigned int i;

	reference(s, "reference_before");
	pause_for(s->settle);
	if (s->count)
		synchronise(s);
	for (i = 0; i < s->reader_count; i++)
		s->readers[i].state->measuring = 1;
	fprintf(result, ",\"begin\":");
	begin = now_ns();
	snapshot(result, s);
	sleep_until(begin + (uint64_t)(s->window * 1e9));
	fprintf(result, ",\"end\":");
	snapshot(result, s);
	for (i = 0; i < s->reader_count; i++)
		s->readers[i].state->measuring = 0;
	reference(s, "reference_after");
}

/*
 * A program, with counters read before, twice while it runs, and after. Its output is the result.
 * Its children's system calls between the two middle readings belong to their work alone.
 */
static void run_command(struct scenario *s)
{
	static const char *const names[] = {"before", "begin", "end"};
	char line[600], *c;
	unsigned int i;
	size_t n;
	FILE *p = NULL;

	counters_open();
	set_cards(s);
	snprintf(line, sizeof(line), "exec %s", s->command);
	for (c = line; *c; c++) {
		if (*c == '_')
			*c = ' ';
	}
	for (i = 0; i < 3; i++) {
		if (i == 1) {
			p = popen(line, "re");
			if (!p)
				die("%s cannot be started", line);
			pause_for(s->settle);
		}
		if (i == 2)
			pause_for(s->window);
		fprintf(result, ",\"%s\":{", names[i]);
		snapshot_cards(result, s);
		fprintf(result, ",");
		counters_workers(result);
		fprintf(result, "}");
	}
	fprintf(result, ",\"printed\":");
	while ((n = fread(line, 1, sizeof(line), p)))
		fwrite(line, 1, n, result);
	if (pclose(p))
		die("%s failed", s->command);
	fprintf(result, ",\"after\":{");
	snapshot_cards(result, s);
	fprintf(result, "}");
	counters_close();
}

static void run(struct scenario *s)
{
	counters_open();
	set_cards(s);
	if (s->stamp)
		set_all(s, "stamp", "on");
	readers_start(s);
	readers_wait(s, s->patience);
	measure(s);
	readers_stop(s);
	if (s->stamp)
		set_all(s, "stamp", "off");
	fprintf(result, ",");
	snapshot_times(result, s);
	fprintf(result, ",\"final\":{");
	snapshot_cards(result, s);
	fprintf(result, ",\"superpages\":[");
	for (unsigned int i = 0, n = 0; i < s->reader_count; i++) {
		for (unsigned int c = 0; c < s->readers[i].channels; c++, n++) {
			const struct bench_channel *ch = &s->readers[i].state->channels[c];

			fprintf(result,
				"%s{\"superpages\":%" PRIu64 ",\"bytes\":%" PRIu64
				",\"dropped\":%" PRIu64 "}",
				n ? "," : "", ch->superpages, ch->bytes, ch->dropped);
		}
	}
	fprintf(result, "]}");
	counters_close();
}

/* CARD:FN:ID/CHANNEL,... */
static void parse_endpoints(struct scenario *s, char *text)
{
	char *item, *state;

	for (item = strtok_r(text, ",", &state); item; item = strtok_r(NULL, ",", &state)) {
		struct endpoint *e = &s->endpoints[s->count];
		int length = 0;

		if (s->count == LEDGER_ENDPOINTS ||
		    sscanf(item, "%u:%u:%n", &e->card, &e->fn, &length) != 2 || !length ||
		    e->card >= LEDGER_CARDS)
			die("endpoints: %s", item);
		e->channel = item + length;
		s->count++;
	}
}

static bool text_key(struct scenario *s, const char *key, const char *value)
{
	const struct {
		const char *name;
		const char **place;
	} keys[] = {
		{"name", &s->name},	  {"mode", &s->mode},	{"source", &s->source},
		{"rest", &s->rest},	  {"batch", &s->batch}, {"superpage", &s->superpage},
		{"buffer", &s->buffer},	  {"limit", &s->limit}, {"command", &s->command},
		{"percent", &s->percent},
	};
	unsigned int i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(keys[i].name, key)) {
			*keys[i].place = value;
			return true;
		}
	}
	return false;
}

static void parse(struct scenario *s, char *text)
{
	char *value = strchr(text, '=');

	if (!value)
		die("not KEY=VALUE: %s", text);
	*value++ = '\0';
	if (text_key(s, text, value))
		return;
	if (!strcmp(text, "endpoints")) {
		parse_endpoints(s, value);
	} else if (!strcmp(text, "process")) {
		s->one_process = !strcmp(value, "one");
	} else if (!strcmp(text, "settle")) {
		s->settle = atof(value);
	} else if (!strcmp(text, "patience")) {
		s->patience = atof(value);
	} else if (!strcmp(text, "window")) {
		s->window = atof(value);
	} else if (!strcmp(text, "reference")) {
		s->reference = atof(value);
	} else if (!strcmp(text, "stamp")) {
		s->stamp = !strcmp(value, "1");
	} else if (!strcmp(text, "set") && s->set_count < 32 && strchr(value, '=')) {
		s->sets[s->set_count++] = value;
	} else {
		die("unknown key %s", text);
	}
}

int main(int argc, char **argv)
{
	static struct scenario s = {
		.name = "?",
		.mode = "timer",
		.source = "ddg",
		.rest = "wait",
		.superpage = "1048576",
		.buffer = "268435456",
		.batch = "1",
		.limit = "1000",
		.percent = "100",
		.settle = 0.5,
		.patience = 5,
		.window = 3,
	};
	int i;

	for (i = 1; i < argc; i++)
		parse(&s, argv[i]);
	if (argc < 2) {
		fprintf(stderr, "usage: roc-ledger KEY=VALUE..., see the source\n");
		return 2;
	}
	result = open_memstream(&result_text, &result_length);
	if (!result)
		die("no memory");
	fprintf(result, "{\"name\":\"%s\"", s.name);
	if (s.command)
		run_command(&s);
	else
		run(&s);
	fprintf(result, "}\n");
	fclose(result);
	fputs(result_text, stdout);
	return 0;
}
