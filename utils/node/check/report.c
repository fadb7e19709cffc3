// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the findings of the rules as text and as JSON.
 */
#include "check.h"

#include <string.h>

#include "utils/common/json.h"
#include "utils/common/output.h"

#define SENTENCE_WIDTH 80

static const char *colour(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return COLOUR_GOOD;
	case VERDICT_FAIL:
		return COLOUR_BAD;
	default:
		return COLOUR_WARN;
	}
}

static void line(FILE *out, enum verdict verdict, bool colours, const char *rule,
		 const char *subject, const char *found)
{
	fprintf(out, "%s%-7s%s  %-17s %-12s %s\n", colours ? colour(verdict) : "",
		check_verdict(verdict), colours ? COLOUR_END : "", rule, subject, found);
}

/* Print a sentence below a finding, wrapped between words. */
static void sentence(FILE *out, const char *what, const char *text, const char *end)
{
	size_t column = 0, length;

	fprintf(out, "%9s%-9s ", "", what);
	while (*text) {
		length = strcspn(text, " ");
		if (column && column + 1 + length > SENTENCE_WIDTH) {
			fprintf(out, "\n%19s", "");
			column = 0;
		}
		fprintf(out, "%s%.*s", column ? " " : "", (int)length, text);
		column += length + !!column;
		text += length;
		text += strspn(text, " ");
	}
	fprintf(out, "%s\n", end);
}

static void finding_text(FILE *out, const struct finding *f, bool verbose, bool colours)
{
	line(out, f->verdict, colours, f->rule->name, f->subject, f->found);
	if (f->nothing || (f->verdict == VERDICT_PASS && !verbose))
		return;
	sentence(out, "expected", f->expected, ".");
	if (f->cure)
		sentence(out, "cure", f->cure, ".");
}

/* Print the findings of a rule. Without --verbose, several findings of PASS are only counted. */
static void rule_text(FILE *out, const struct check *c, const struct rule *rule, bool verbose,
		      bool colours)
{
	const struct finding *right = NULL;
	bool reason = false, others = false;
	unsigned int count = 0;
	char found[32];
	size_t i;

	for (i = 0; i < c->count; i++) {
		const struct finding *f = &c->findings[i];

		if (f->rule != rule)
			continue;
		reason |= f->verdict != VERDICT_PASS && !f->nothing;
		if (f->verdict == VERDICT_PASS && !verbose) {
			right = f;
			count++;
		} else {
			finding_text(out, f, verbose, colours);
			others = true;
		}
	}
	if (reason)
		sentence(out, "why", rule->reason, "");
	if (count == 1) {
		finding_text(out, right, verbose, colours);
	} else if (count) {
		snprintf(found, sizeof(found), "%u%s passed", count, others ? " others" : "");
		line(out, VERDICT_PASS, colours, rule->name, "", found);
	}
}

void check_text(FILE *out, const struct check *c, bool verbose, bool colours)
{
	const struct rule *rule;
	unsigned int rules = 0;

	for (rule = check_rules; rule->name; rule++, rules++)
		rule_text(out, c, rule, verbose, colours);
	fprintf(out, "\n%u rules: %u PASS, %u WARN, %u FAIL, %u UNKNOWN.\n", rules,
		check_count(c, VERDICT_PASS), check_count(c, VERDICT_WARN),
		check_count(c, VERDICT_FAIL), check_count(c, VERDICT_UNKNOWN));
}

static void rule_json(struct json *j, const struct check *c, const struct rule *rule)
{
	size_t i;

	json_object(j, NULL);
	json_text(j, "rule", rule->name);
	json_text(j, "verdict", check_verdict(check_worst(c, rule)));
	json_text(j, "why", rule->reason);
	json_array(j, "findings");
	for (i = 0; i < c->count; i++) {
		const struct finding *f = &c->findings[i];

		if (f->rule != rule)
			continue;
		json_object(j, NULL);
		json_text(j, "subject", *f->subject ? f->subject : NULL);
		json_text(j, "verdict", check_verdict(f->verdict));
		json_text(j, "found", f->found);
		json_text(j, "expected", f->expected);
		json_text(j, "cure", f->cure);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void check_json(FILE *out, const struct check *c)
{
	const struct rule *rule;
	struct json j;

	json_start(&j, out);
	json_object(&j, NULL);
	json_text(&j, "verdict", check_verdict(check_worst(c, NULL)));
	json_text(&j, "limits", *c->limits.source ? c->limits.source : NULL);
	json_unsigned(&j, "pass", check_count(c, VERDICT_PASS));
	json_unsigned(&j, "warn", check_count(c, VERDICT_WARN));
	json_unsigned(&j, "fail", check_count(c, VERDICT_FAIL));
	json_unsigned(&j, "unknown", check_count(c, VERDICT_UNKNOWN));
	json_array(&j, "rules");
	for (rule = check_rules; rule->name; rule++)
		rule_json(&j, c, rule);
	json_array_end(&j);
	json_object_end(&j);
}
