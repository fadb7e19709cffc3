// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-pat-player: program the pattern player of a CRU, or show its parameters.
 */
#include "players.h"

#include <string.h>

#include "utils/common/card.h"
#include "utils/common/json.h"
#include "utils/common/tool.h"

struct values {
	struct common_options common;
	const char *id;
	const char *pat[4];
	uint32_t pat1_length, pat1_delay, pat2_length, pat3_length;
	uint32_t pat1_trigger, pat2_trigger, pat3_trigger;
	uint32_t pat2_counters;
	bool pat1_at_start, pat1_now, pat2_now, read_back;
	bool json;
};

/* The trigger counters of pat2 are one word on the command line. */
#define COUNTERS_TF(word) ((word) >> 20 & 0xfff)
#define COUNTERS_ORBIT(word) ((word) >> 12 & 0xff)
#define COUNTERS_BC(word) ((word)&0xfff)

#define PATTERN(n, text)                                                                           \
	{                                                                                          \
		.name = "pat" #n, .type = OPTION_TEXT, .offset = offsetof(struct values, pat[n]),  \
		.arg = "NUMBER", .help = (text), .full = true                                      \
	}
#define NUMBER(option_name, member, option_fallback, highest, text)                                \
	{                                                                                          \
		.name = (option_name), .type = OPTION_NUMBER,                                      \
		.offset = offsetof(struct values, member), .arg = "N",                             \
		.fallback = (option_fallback), .max = (highest), .help = (text), .full = true      \
	}

static const struct option_spec options[] = {
	FULL_ID_OPTION(struct values),
	PATTERN(0, "Set the idle pattern, up to 80 bits (default 0)"),
	PATTERN(1, "Set the sync pattern (default 0)"),
	PATTERN(2, "Set the reset pattern (default 0)"),
	PATTERN(3, "Set the fourth pattern (default 0)"),
	NUMBER("pat1-length", pat1_length, "1", UINT32_MAX,
	       "Set the length of pat1 in clock cycles"),
	NUMBER("pat1-delay", pat1_delay, "0", UINT32_MAX,
	       "Set the delay before pat1 in clock cycles"),
	NUMBER("pat2-length", pat2_length, "1", UINT32_MAX,
	       "Set the length of pat2 in clock cycles"),
	NUMBER("pat2-trigger-counters", pat2_counters, "0", UINT32_MAX,
	       "Set when pat2 is sent: TF in bits 31..20, orbit in 19..12, BC in 11..0"),
	NUMBER("pat3-length", pat3_length, "1", UINT32_MAX,
	       "Set the length of pat3 in clock cycles"),
	NUMBER("pat1-trigger-select", pat1_trigger, "29", 31,
	       "Select the bit of the TTC word that starts pat1"),
	NUMBER("pat2-trigger-select", pat2_trigger, "30", 31,
	       "Select the bit of the TTC word that starts pat2"),
	NUMBER("pat3-trigger-select", pat3_trigger, "0", 31,
	       "Select the bit of the TTC word that starts pat3"),
	FULL_FLAG_OPTION(struct values, "execute-pat1-at-start", pat1_at_start,
			 "Send pat1 when run enable is set"),
	FULL_FLAG_OPTION(struct values, "execute-pat1-now", pat1_now,
			 "Send pat1 after programming"),
	FULL_FLAG_OPTION(struct values, "execute-pat2-now", pat2_now,
			 "Send pat2 after programming"),
	FLAG_OPTION(struct values, "read-back", read_back,
		    "Show the parameters without changing them"),
	JSON_OPTION(struct values),
};

static void pattern_text(const struct roc_cru_pattern *p, char text[24])
{
	snprintf(text, 24, "0x%04x%08x%08x", p->word[2] & 0xffff, p->word[1], p->word[0]);
}

static uint32_t counters(const struct roc_cru_patterns *p)
{
	return p->pat2_trigger_tf << 20 | p->pat2_trigger_orbit << 12 | p->pat2_trigger_bc;
}

void patterns_text(FILE *out, const struct roc_cru_patterns *p)
{
	char text[24];
	int i;

	for (i = 0; i < 4; i++) {
		pattern_text(&p->pat[i], text);
		fprintf(out, "pat%d                  %s\n", i, text);
	}
	fprintf(out, "pat1 length           %u\n", p->pat1_length);
	fprintf(out, "pat1 delay            %u\n", p->pat1_delay);
	fprintf(out, "pat1 trigger bit      %u\n", p->pat1_trigger);
	fprintf(out, "pat1 at start         %s\n", p->pat1_at_start ? "yes" : "no");
	fprintf(out, "pat2 length           %u\n", p->pat2_length);
	fprintf(out, "pat2 trigger bit      %u\n", p->pat2_trigger);
	fprintf(out, "pat2 trigger counters 0x%x (TF %u, orbit %u, BC %u)\n", counters(p),
		p->pat2_trigger_tf, p->pat2_trigger_orbit, p->pat2_trigger_bc);
	fprintf(out, "pat3 length           %u\n", p->pat3_length);
	fprintf(out, "pat3 trigger bit      %u\n", p->pat3_trigger);
}

void patterns_json(FILE *out, const struct roc_cru_patterns *p)
{
	char key[16], text[24];
	struct json j;
	int i;

	json_start(&j, out);
	json_object(&j, NULL);
	for (i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "pat%d", i);
		pattern_text(&p->pat[i], text);
		json_text(&j, key, text);
	}
	json_unsigned(&j, "pat1Length", p->pat1_length);
	json_unsigned(&j, "pat1Delay", p->pat1_delay);
	json_unsigned(&j, "pat1TriggerSelect", p->pat1_trigger);
	json_bool(&j, "executePat1AtStart", p->pat1_at_start);
	json_unsigned(&j, "pat2Length", p->pat2_length);
	json_unsigned(&j, "pat2TriggerSelect", p->pat2_trigger);
	json_unsigned(&j, "pat2TriggerCounters", counters(p));
	json_unsigned(&j, "pat2TriggerTf", p->pat2_trigger_tf);
	json_unsigned(&j, "pat2TriggerOrbit", p->pat2_trigger_orbit);
	json_unsigned(&j, "pat2TriggerBc", p->pat2_trigger_bc);
	json_unsigned(&j, "pat3Length", p->pat3_length);
	json_unsigned(&j, "pat3TriggerSelect", p->pat3_trigger);
	json_object_end(&j);
}

/* Fill in the parameters from the options. Return an exit code. */
static int patterns_from_options(const struct values *v, struct roc_cru_patterns *p)
{
	int i;

	roc_cru_patterns_default(p);
	for (i = 0; i < 4; i++) {
		if (v->pat[i] && roc_cru_pattern_parse(v->pat[i], &p->pat[i]))
			return tool_usage("--pat%d: %s", i, roc_error());
	}
	if (v->pat1_length + v->pat1_delay < v->pat1_length)
		return tool_usage(
			"--pat1-length and --pat1-delay: the sum does not fit in 32 bits.");
	p->pat1_length = v->pat1_length;
	p->pat1_delay = v->pat1_delay;
	p->pat2_length = v->pat2_length;
	p->pat3_length = v->pat3_length;
	p->pat1_trigger = v->pat1_trigger;
	p->pat2_trigger = v->pat2_trigger;
	p->pat3_trigger = v->pat3_trigger;
	p->pat2_trigger_tf = COUNTERS_TF(v->pat2_counters);
	p->pat2_trigger_orbit = COUNTERS_ORBIT(v->pat2_counters);
	p->pat2_trigger_bc = COUNTERS_BC(v->pat2_counters);
	p->pat1_at_start = v->pat1_at_start;
	return TOOL_OK;
}

static int run(const void *p)
{
	struct roc_cru_patterns patterns, untouched;
	const struct values *v = p;
	struct roc_endpoint *ep;
	unsigned int flags = 0;
	struct roc_card card;
	int code;

	code = patterns_from_options(v, &patterns);
	if (code)
		return code;
	roc_cru_patterns_default(&untouched);
	if (v->read_back &&
	    (v->pat1_now || v->pat2_now || memcmp(&patterns, &untouched, sizeof(patterns))))
		return tool_usage("--read-back changes nothing: omit the other options.");
	if (v->pat1_now)
		flags |= ROC_CRU_PAT1_NOW;
	if (v->pat2_now)
		flags |= ROC_CRU_PAT2_NOW;
	code = cru_open(v->id, &card, &ep);
	if (code)
		return code;
	if ((!v->read_back && roc_cru_patterns_set(ep, &patterns, flags)) ||
	    roc_cru_patterns_read(ep, &patterns))
		code = tool_fail("%s", roc_error());
	roc_close(ep);
	if (code)
		return code;
	if (v->json)
		patterns_json(stdout, &patterns);
	else if (v->read_back || v->common.verbose)
		patterns_text(stdout, &patterns);
	return TOOL_OK;
}

const struct tool tool_pat_player = {
	.name = "pat-player",
	.summary = "Program the pattern player of a card",
	.example = "--id=3b:00.0 --pat1=0xff --pat1-length=4 --execute-pat1-now",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
