// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Output of roc-config: a line per card, a summary, JSON, and the status report.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"
#include "utils/status/status.h"

const char *config_word(const struct config_outcome *o)
{
	if (o->failed)
		return "failed";
	if (o->compare)
		return o->result.count ? "differs" : "as wanted";
	return o->result.reconfigured ? "configured" : "configured already";
}

static void differences(FILE *out, const struct roc_config_result *r)
{
	static const char *const heads[] = {"  Parameter", "Expected", "Had", NULL};
	struct table t;
	unsigned int i;

	if (!r->count)
		return;
	table_start(&t, heads);
	for (i = 0; i < r->count; i++) {
		table_cell(&t, NULL, "  %s", r->diffs[i].name);
		table_cell(&t, NULL, "%s", r->diffs[i].wanted);
		table_cell(&t, NULL, "%s", r->diffs[i].have);
	}
	table_print(&t, out, false);
}

void config_text(FILE *out, const struct config_outcome *o, bool verbose)
{
	const struct roc_config_result *r = &o->result;

	fprintf(out, "%s: %s", o->card.pci_address, config_word(o));
	if (r->count)
		fprintf(out, ", %u difference%s", r->count, r->count == 1 ? "" : "s");
	if (r->reconfigured || o->failed)
		fprintf(out, ", %u registers written", r->writes);
	fputs(r->clock_programmed ? ", clock programmed\n" : "\n", out);
	if (verbose || o->compare)
		differences(out, r);
}

void config_summary(FILE *out, const struct config_outcome *o, size_t count, bool colours)
{
	static const char *const heads[] = {">#",	    "Card",    "PCI Addr", "Result",
					    ">Differences", ">Writes", NULL};
	char card[OUTPUT_CARD_MAX];
	unsigned int failed = 0;
	struct table t;
	size_t i;

	table_start(&t, heads);
	for (i = 0; i < count; i++) {
		table_cell(&t, NULL, "%d", o[i].card.sequence);
		table_cell(&t, NULL, "%s", output_card(&o[i].card, card));
		table_cell(&t, NULL, "%s", o[i].card.pci_address);
		table_cell(&t, o[i].failed ? COLOUR_BAD : COLOUR_GOOD, "%s", config_word(&o[i]));
		table_cell(&t, NULL, "%u", o[i].result.count);
		table_cell(&t, NULL, "%u", o[i].result.writes);
		failed += o[i].failed;
	}
	table_print(&t, out, colours);
	fprintf(out, "%zu of %zu done, %u failed\n", count - failed, count, failed);
}

static void json_outcome(struct json *j, const struct config_outcome *o)
{
	const struct roc_config_result *r = &o->result;
	unsigned int i;

	json_object(j, NULL);
	output_card_json(j, &o->card);
	json_text(j, "result", config_word(o));
	json_text(j, "error", o->failed ? o->reason : NULL);
	json_bool(j, "reconfigured", r->reconfigured);
	json_bool(j, "clockProgrammed", r->clock_programmed);
	json_bool(j, "restored", r->restored);
	json_unsigned(j, "reads", r->reads);
	json_unsigned(j, "writes", r->writes);
	if (r->register_name[0]) {
		json_object(j, "register");
		json_text(j, "name", r->register_name);
		json_unsigned(j, "bar", r->bar);
		json_unsigned(j, "offset", r->offset);
		json_unsigned(j, "expected", r->wanted);
		json_unsigned(j, "wanted", r->wanted); /* deprecated */
		json_unsigned(j, "got", r->got);
		json_object_end(j);
	}
	json_array(j, "differences");
	for (i = 0; i < r->count; i++) {
		json_object(j, NULL);
		json_text(j, "name", r->diffs[i].name);
		json_text(j, "expected", r->diffs[i].wanted);
		json_text(j, "wanted", r->diffs[i].wanted); /* deprecated */
		json_text(j, "had", r->diffs[i].have);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void config_json(FILE *out, const struct config_outcome *o, size_t count)
{
	struct json j;
	size_t i;

	json_start(&j, out);
	json_array(&j, NULL);
	for (i = 0; i < count; i++)
		json_outcome(&j, &o[i]);
	json_array_end(&j);
}

bool config_report_name(const char *pattern, const struct roc_card *card, time_t now, char *name,
			size_t size)
{
	FILE *out = fmemopen(name, size, "w");
	struct tm local;
	char date[32];
	bool good = true;

	if (!out)
		return false;
	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y-%m-%d_%H-%M-%S", &local);
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			fputc(*pattern, out);
			continue;
		}
		switch (*++pattern) {
		case 't':
			fprintf(out, "%lld", (long long)now);
			break;
		case 'T':
			fputs(date, out);
			break;
		case 'i':
			fputs(card->pci_address, out);
			break;
		case '%':
			fputc('%', out);
			break;
		default:
			good = false;
		}
		if (!good)
			break;
	}
	/* A name that fills the buffer may be truncated. */
	if (ftell(out) >= (long)size - 1)
		good = false;
	if (fclose(out))
		good = false;
	return good;
}

static int append(const char *path, const char *text, size_t length)
{
	FILE *file = fopen(path, "ae");
	bool written;

	if (!file)
		return tool_fail("Cannot open %s: %s.", path, strerror(errno));
	written = fwrite(text, 1, length, file) == length;
	if (fclose(file) || !written)
		return tool_fail("Cannot write %s: %s.", path, strerror(errno));
	return TOOL_OK;
}

static int replace(const char *path, const char *text, size_t length)
{
	char reason[OUTPUT_REASON];

	return output_replace(path, text, length, false, reason) ? tool_fail("%s", reason)
								 : TOOL_OK;
}

int config_report(const char *pattern, const struct roc_card *card, struct roc_endpoint *ep)
{
	const struct card_type *type = card_type_find(card->type);
	struct card_request request = {.verbose = true, .onu = type->pon, .fec = type->pon};
	char name[CONFIG_REPORT_NAME_MAX], *text = NULL;
	size_t length = 0;
	FILE *out;
	int code;

	if (!strcmp(pattern, "stdout")) {
		request.colours = output_colours(stdout);
		return type->status(stdout, ep, card, &request);
	}
	if (!config_report_name(pattern, card, time(NULL), name, sizeof(name)))
		return tool_fail("--status-report: \"%s\" is too long for this card.", pattern);
	out = open_memstream(&text, &length);
	if (!out)
		return tool_fail("Cannot allocate the status report.");
	code = type->status(out, ep, card, &request);
	if (fclose(out))
		code = tool_fail("Cannot allocate the status report.");
	if (!code)
		code = *name == '+' ? append(name + 1, text, length) : replace(name, text, length);
	free(text);
	return code;
}
