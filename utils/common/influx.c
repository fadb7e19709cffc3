// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print InfluxDB lines. Only this file implements the escaping rules of the format.
 */
#include "output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "card.h"

/* Print @text with a backslash before each character of @special. */
static void put_escaped(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

void influx_start(struct influx *l, FILE *out, const char *measurement)
{
	*l = (struct influx){.out = out};
	put_escaped(out, measurement, ", ");
}

void influx_tag(struct influx *l, const char *key, const char *value)
{
	fputc(',', l->out);
	put_escaped(l->out, key, ",= ");
	fputc('=', l->out);
	put_escaped(l->out, value, ",= ");
}

void influx_tag_number(struct influx *l, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	influx_tag(l, key, value < 0 ? "unknown" : text);
}

static void influx_key(struct influx *l, const char *key)
{
	fputc(l->fields ? ',' : ' ', l->out);
	l->fields = true;
	put_escaped(l->out, key, ",= ");
	fputc('=', l->out);
}

void influx_text(struct influx *l, const char *key, const char *value)
{
	influx_key(l, key);
	fputc('"', l->out);
	put_escaped(l->out, value, "\"\\");
	fputc('"', l->out);
}

void influx_signed(struct influx *l, const char *key, int64_t value)
{
	influx_key(l, key);
	fprintf(l->out, "%" PRId64 "i", value);
}

void influx_real(struct influx *l, const char *key, double value)
{
	if (!isfinite(value))
		return;
	influx_key(l, key);
	fprintf(l->out, "%.9g", value);
}

void influx_end(struct influx *l, uint64_t time_ns)
{
	fprintf(l->out, " %" PRIu64 "\n", time_ns);
}

/*
 * The established dashboards use addresses without the domain 0000. Only cards in another domain
 * are printed with it.
 */
static const char *short_address(const char *address)
{
	return strncmp(address, "0000:", 5) ? address : address + 5;
}

void influx_start_card(struct influx *l, FILE *out, const char *measurement,
		       const struct roc_card *card, int link)
{
	const struct card_type *type = card_type_find(card->type);

	influx_start(l, out, measurement);
	influx_tag_number(l, "serialId", card->serial);
	if (!type || !type->no_endpoint_tag)
		influx_tag_number(l, "endpoint", card->endpoint);
	if (link >= 0)
		influx_tag_number(l, roc_card_type_name(card->type), card->sequence);
	influx_tag_number(l, "id", link >= 0 ? link : card->sequence);
	influx_tag(l, "type", roc_card_type_name(card->type));
	influx_text(l, "pciAddress", short_address(card->pci_address));
}
