// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Select the output format; helpers that all formats share.
 */
#include "output.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

int output_choose(const struct output_options *options, enum output_format *format)
{
	bool json = options->json || options->json_out;
	bool prometheus = options->prometheus || options->openmetrics;

	if (json + options->monitoring + prometheus > 1)
		return tool_usage("--json, --monitoring and --prometheus are mutually exclusive.");
	*format = OUTPUT_TEXT;
	if (json)
		*format = OUTPUT_JSON;
	if (options->monitoring)
		*format = OUTPUT_MONITORING;
	if (prometheus)
		*format = OUTPUT_PROMETHEUS;
	return TOOL_OK;
}

void output_show(FILE *out, enum output_format format, const struct output_forms *forms,
		 const void *report, bool verbose, bool colours)
{
	switch (format) {
	case OUTPUT_TEXT:
		forms->text(out, report, verbose, colours);
		break;
	case OUTPUT_JSON:
		forms->json(out, report);
		break;
	case OUTPUT_MONITORING:
		forms->influx(out, report);
		break;
	case OUTPUT_PROMETHEUS:
		forms->prometheus(out, report);
		break;
	}
}

bool output_is_live(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && strcmp(term, "dumb");
}

bool output_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return output_is_live(out) && !(no && *no);
}

/* Truncate UTF-8 text to @columns characters. */
static void cut(char *text, unsigned int columns)
{
	unsigned int used = 0;

	for (; *text; text++)
		if ((*text & 0xc0) != 0x80 && used++ == columns)
			*text = '\0';
}

void output_live(FILE *out, const char *fmt, ...)
{
	struct pollfd terminal = {.fd = fileno(out), .events = POLLOUT};
	struct winsize size;
	char line[512];
	va_list ap;

	if (poll(&terminal, 1, 0) != 1 || !(terminal.revents & POLLOUT))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* Some terminals wrap when the last column is written. */
	if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col > 1)
		cut(line, size.ws_col - 1u);
	fprintf(out, "\r%s\033[K", line);
	fflush(out);
}

uint64_t output_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

const char *output_card(const struct roc_card *card, char text[OUTPUT_CARD_MAX])
{
	int used;

	if (card->serial < 0)
		used = snprintf(text, OUTPUT_CARD_MAX, "?:");
	else
		used = snprintf(text, OUTPUT_CARD_MAX, "%04d:", card->serial);
	if (card->endpoint < 0)
		snprintf(text + used, OUTPUT_CARD_MAX - (size_t)used, "?");
	else
		snprintf(text + used, OUTPUT_CARD_MAX - (size_t)used, "%d", card->endpoint);
	return text;
}

void output_number_json(struct json *j, const char *key, int64_t number)
{
	if (number < 0)
		json_null(j, key);
	else
		json_signed(j, key, number);
}

void output_card_json(struct json *j, const struct roc_card *card)
{
	json_text(j, "pciAddress", card->pci_address);
	output_number_json(j, "serial", card->serial);
	output_number_json(j, "endpoint", card->endpoint);
	json_signed(j, "sequence", card->sequence);
	json_text(j, "type", roc_card_type_name(card->type));
}
