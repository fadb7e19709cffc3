// SPDX-License-Identifier: LGPL-2.1-or-later
/* Set up the pattern player. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_cru.h"

#define P(m) offsetof(struct roc_cru_patterns, m)

/* Bits 79 to 64 are in a 16-bit register. */
#define PATTERN_TOP 0xffff
#define WORD(n, i, bits, mask)                                                                     \
	LIBROC_VALUE(bits, LIBROC_CARD, CRU_PAT(n) + 4 * (i), mask, P(pat[n].word[i]))
#define PATTERN(n, text)                                                                           \
	WORD(n, 0, text " bits 31 to 0", 0xffffffff),                                              \
		WORD(n, 1, text " bits 63 to 32", 0xffffffff),                                     \
		WORD(n, 2, text " bits 79 to 64", PATTERN_TOP)

static const struct libroc_value parameters[] = {
	PATTERN(0, "pat0"),
	PATTERN(1, "pat1"),
	PATTERN(2, "pat2"),
	PATTERN(3, "pat3"),
	LIBROC_VALUE("pat1 delay", LIBROC_CARD, CRU_PAT1_DELAY, 0xffffffff, P(pat1_delay)),
	LIBROC_VALUE("pat2 length", LIBROC_CARD, CRU_PAT2_LENGTH, 0xffffffff, P(pat2_length)),
	LIBROC_VALUE("pat3 length", LIBROC_CARD, CRU_PAT3_LENGTH, 0xffffffff, P(pat3_length)),
	LIBROC_VALUE("pat1 trigger", LIBROC_CARD, CRU_PAT_TRIGGER(1), 0xffffffff, P(pat1_trigger),
		     .last = 31),
	LIBROC_VALUE("pat2 trigger", LIBROC_CARD, CRU_PAT_TRIGGER(2), 0xffffffff, P(pat2_trigger),
		     .last = 31),
	LIBROC_VALUE("pat3 trigger", LIBROC_CARD, CRU_PAT_TRIGGER(3), 0xffffffff, P(pat3_trigger),
		     .last = 31),
	LIBROC_VALUE("pat2 counter of time frames", LIBROC_CARD, CRU_PAT2_COUNTERS,
		     0xfffu << CRU_PAT2_COUNTERS_TF_SHIFT, P(pat2_trigger_tf)),
	LIBROC_VALUE("pat2 counter of orbits", LIBROC_CARD, CRU_PAT2_COUNTERS,
		     CRU_PAT2_COUNTERS_ORBIT, P(pat2_trigger_orbit)),
	LIBROC_VALUE("pat2 counter of bunch crossings", LIBROC_CARD, CRU_PAT2_COUNTERS,
		     CRU_PAT2_COUNTERS_BC, P(pat2_trigger_bc)),
};

/* One register holds the length plus the delay. */
static const struct libroc_value length_and_delay[] = {
	LIBROC_VALUE("pat1 length and delay", LIBROC_CARD, CRU_PAT1_LENGTH, 0xffffffff, 0),
};

static const struct libroc_value at_start[] = {
	LIBROC_VALUE("pat1 at start", LIBROC_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_PAT1_AT_START,
		     P(pat1_at_start), .kind = LIBROC_BOOL),
};

void roc_cru_patterns_default(struct roc_cru_patterns *patterns)
{
	*patterns = (struct roc_cru_patterns){
		.pat1_length = 1,
		.pat2_length = 1,
		.pat3_length = 1,
		.pat1_trigger = 29,
		.pat2_trigger = 30,
	};
}

int roc_cru_pattern_parse(const char *text, struct roc_cru_pattern *pattern)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	struct roc_cru_pattern p = {{0}};
	size_t i;

	if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return roc_fail(
			EINVAL,
			"pattern '%.40s' is neither a decimal number nor a hexadecimal one with the prefix 0x",
			text);
	for (; *digits; digits++) {
		char digit[2] = {*digits};
		uint64_t carry = strtoul(digit, NULL, 16);

		for (i = 0; i < LIBROC_COUNT(p.word); i++) {
			carry += (uint64_t)p.word[i] * (hex ? 16 : 10);
			p.word[i] = (uint32_t)carry;
			carry >>= 32;
		}
		if (carry || p.word[2] > PATTERN_TOP)
			return roc_fail(ERANGE, "pattern %.40s has more than 80 bits", text);
	}
	*pattern = p;
	return 0;
}

int roc_cru_patterns_set(struct roc_endpoint *ep, const struct roc_cru_patterns *patterns,
			 unsigned int flags)
{
	uint32_t both = patterns->pat1_length + patterns->pat1_delay;
	struct libroc_pass c;
	uint32_t before;
	bool switched;
	int ret;

	if (flags & ~(ROC_CRU_PAT1_NOW | ROC_CRU_PAT2_NOW))
		return roc_fail(EINVAL, "%s: unknown flags 0x%x for the pattern player",
				roc_endpoint_name(ep), flags);
	ret = libroc_values_check("pattern player", parameters, LIBROC_COUNT(parameters), patterns);
	if (ret)
		return ret;
	if (both < patterns->pat1_length)
		return roc_fail(
			ERANGE,
			"pattern player: the sum of pat1 length %u and delay %u does not fit into 32 bits",
			patterns->pat1_length, patterns->pat1_delay);
	ret = libroc_cru_begin(ep, &c, true);
	if (ret)
		return ret;
	before = libroc_pass_modify(&c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_DOWNSTREAM,
				    libroc_to_mask(CRU_TTC_DATA_DOWNSTREAM, CRU_TTC_DATA_PATTERN));
	switched = !c.err;
	libroc_pass_modify(&c, CRU_BAR_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_EDIT,
			   CRU_PAT_CONFIG_EDIT);
	libroc_values_write(&c, "pattern player", parameters, LIBROC_COUNT(parameters), patterns);
	libroc_values_write(&c, "pattern player", length_and_delay, LIBROC_COUNT(length_and_delay),
			    &both);
	libroc_pass_modify_anyway(&c, CRU_BAR_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_EDIT, 0);
	if (c.err && switched)
		libroc_pass_modify_anyway(&c, CRU_BAR_CARD, CRU_TTC_DATA, CRU_TTC_DATA_DOWNSTREAM,
					  before & CRU_TTC_DATA_DOWNSTREAM);
	libroc_pass_modify(&c, CRU_BAR_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_PAT1_AT_START,
			   patterns->pat1_at_start ? CRU_PAT_CONFIG_PAT1_AT_START : 0);
	if (flags & ROC_CRU_PAT2_NOW)
		libroc_pass_pulse(&c, CRU_BAR_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_RUN_PAT2);
	if (flags & ROC_CRU_PAT1_NOW)
		libroc_pass_pulse(&c, CRU_BAR_CARD, CRU_PAT_CONFIG, CRU_PAT_CONFIG_RUN_PAT1);
	return libroc_pass_end(&c);
}

int roc_cru_patterns_read(struct roc_endpoint *ep, struct roc_cru_patterns *patterns)
{
	struct roc_cru_patterns now = {0};
	struct libroc_pass c;
	uint32_t both;
	int ret;

	ret = libroc_cru_begin(ep, &c, false);
	if (ret)
		return ret;
	libroc_values_read(&c, parameters, LIBROC_COUNT(parameters), 0, &now);
	libroc_values_read(&c, length_and_delay, LIBROC_COUNT(length_and_delay), 0, &both);
	libroc_values_read(&c, at_start, LIBROC_COUNT(at_start), 0, &now);
	now.pat1_length = both - now.pat1_delay;
	ret = libroc_pass_end(&c);
	if (!ret)
		*patterns = now;
	return ret;
}
