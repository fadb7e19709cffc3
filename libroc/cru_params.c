// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The CRU's parameters by the names that configuration files and tools use: text to number and
 * back, defaults, checks, comparison.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libroc_cru.h"

static const char *const clocks[] = {"TTC", NULL, "LOCAL"};
static const char *const datapath_modes[] = {"STREAMING", "PACKET"};
static const char *const gbt_modes[] = {"GBT", "WB"};
static const char *const muxes[] = {"TTC", "DDG", "SWT", "TTCUP", "UL"};
static const char *const downstreams[] = {"CTP", "PATTERN", "MIDTRG"};

#define BOOL(key, member)                                                                          \
	{                                                                                          \
		key, LIBROC_P_BOOL, offsetof(struct roc_cru_config, member), 1, NULL               \
	}
#define NAME(key, member, names)                                                                   \
	{                                                                                          \
		key, LIBROC_P_NAME, offsetof(struct roc_cru_config, member),                       \
			LIBROC_COUNT(names) - 1, names                                             \
	}
#define DEC(key, member, last)                                                                     \
	{                                                                                          \
		key, LIBROC_P_DEC, offsetof(struct roc_cru_config, member), last, NULL             \
	}
#define HEX(key, member, last)                                                                     \
	{                                                                                          \
		key, LIBROC_P_HEX, offsetof(struct roc_cru_config, member), last, NULL             \
	}

const struct libroc_param libroc_cru_params[] = {
	BOOL("allowRejection", allow_rejection),
	NAME("clock", clock, clocks),
	HEX("cruId", cru_id, 0xfff),
	NAME("datapathMode", datapath_mode, datapath_modes),
	BOOL("loopback", loopback),
	NAME("gbtMode", gbt_mode, gbt_modes),
	NAME("downstreamData", downstream_data, downstreams),
	BOOL("ponUpstream", pon_upstream),
	DEC("onuAddress", onu_address, 0xff),
	BOOL("dynamicOffset", dynamic_offset),
	DEC("triggerWindowSize", trigger_window_size, CRU_DATAPATH_TRIGGER_WINDOW_MAX),
	BOOL("gbtEnabled", gbt_enabled),
	BOOL("userLogicEnabled", user_logic),
	BOOL("runStatsEnabled", run_stats),
	BOOL("userAndCommonLogicEnabled", user_and_common_logic),
	HEX("systemId", system_id, 0xff),
	DEC("timeFrameLength", time_frame_length, 0xfff),
	BOOL("dropBadRdhEnabled", drop_bad_rdh),
};

const size_t libroc_cru_param_count = LIBROC_COUNT(libroc_cru_params);

const struct libroc_param libroc_cru_link_params[] = {
	{"enabled", LIBROC_P_BOOL, offsetof(struct roc_cru_link_config, enabled), 1, NULL},
	{"gbtMux", LIBROC_P_NAME, offsetof(struct roc_cru_link_config, mux),
	 LIBROC_COUNT(muxes) - 1, muxes},
	{"feeId", LIBROC_P_HEX, offsetof(struct roc_cru_link_config, fee_id), 0xffff, NULL},
};

const size_t libroc_cru_link_param_count = LIBROC_COUNT(libroc_cru_link_params);

#define NAME_OF(value, names)                                                                      \
	((value) < LIBROC_COUNT(names) && (names)[value] ? (names)[value] : "N/A")

const char *roc_cru_clock_name(enum roc_cru_clock value)
{
	return NAME_OF(value, clocks);
}

const char *roc_cru_datapath_mode_name(enum roc_cru_datapath_mode value)
{
	return NAME_OF(value, datapath_modes);
}

const char *roc_cru_gbt_mode_name(enum roc_cru_gbt_mode value)
{
	return NAME_OF(value, gbt_modes);
}

const char *roc_cru_mux_name(enum roc_cru_mux value)
{
	return NAME_OF(value, muxes);
}

const char *roc_cru_downstream_name(enum roc_cru_downstream value)
{
	return NAME_OF(value, downstreams);
}

void roc_cru_config_default(struct roc_cru_config *config)
{
	memset(config, 0, sizeof(*config));
	config->clock = ROC_CRU_CLOCK_LOCAL;
	config->datapath_mode = ROC_CRU_PACKET;
	config->trigger_window_size = 1000;
	config->gbt_enabled = true;
	config->time_frame_length = CRU_TIME_FRAME_LENGTH_DEFAULT;
	config->links[0].enabled = true;
}

uint32_t libroc_param_get(const struct libroc_param *p, const void *from)
{
	const char *at = (const char *)from + p->member;

	return p->kind == LIBROC_P_BOOL ? *(const bool *)at : *(const uint32_t *)at;
}

void libroc_param_put(const struct libroc_param *p, void *to, uint32_t value)
{
	char *at = (char *)to + p->member;

	if (p->kind == LIBROC_P_BOOL)
		*(bool *)at = value;
	else
		*(uint32_t *)at = value;
}

void libroc_param_text(const struct libroc_param *p, uint32_t value, char *text, size_t size)
{
	switch (p->kind) {
	case LIBROC_P_BOOL:
		snprintf(text, size, "%s", value ? "true" : "false");
		break;
	case LIBROC_P_NAME:
		snprintf(text, size, "%s",
			 value <= p->last && p->names[value] ? p->names[value] : "N/A");
		break;
	case LIBROC_P_DEC:
		snprintf(text, size, "%u", value);
		break;
	case LIBROC_P_HEX:
		snprintf(text, size, "0x%x", value);
		break;
	}
}

const struct libroc_param *libroc_param_find(bool link, const char *key)
{
	const struct libroc_param *p = link ? libroc_cru_link_params : libroc_cru_params;
	size_t n = link ? libroc_cru_link_param_count : libroc_cru_param_count;

	for (; n; n--, p++)
		if (!strcmp(p->key, key))
			return p;
	return NULL;
}

static int parse_bool(const char *text, uint32_t *value)
{
	if (!strcasecmp(text, "true") || !strcmp(text, "1"))
		*value = 1;
	else if (!strcasecmp(text, "false") || !strcmp(text, "0"))
		*value = 0;
	else
		return -EINVAL;
	return 0;
}

/* Digits to the end; 0x is welcome in either base. */
static int parse_number(const char *text, bool hex, uint32_t last, uint32_t *value)
{
	bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = prefix ? text + 2 : text;
	unsigned long long number;

	if (!*digits ||
	    digits[strspn(digits, hex || prefix ? "0123456789abcdefABCDEF" : "0123456789")])
		return -EINVAL;
	digits += strspn(digits, "0");
	if (strlen(digits) > 10)
		return -ERANGE;
	number = strtoull(*digits ? digits : "0", NULL, hex || prefix ? 16 : 10);
	if (number > last)
		return -ERANGE;
	*value = number;
	return 0;
}

static void names_text(const struct libroc_param *p, char *text, size_t size)
{
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i <= p->last; i++)
		if (p->names[i] && used < size)
			used += snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 p->names[i]);
}

int libroc_param_parse(const struct libroc_param *p, const char *text, uint32_t *value, char *why,
		       size_t size)
{
	char names[64], last[16];
	uint32_t i;
	int ret;

	switch (p->kind) {
	case LIBROC_P_BOOL:
		ret = parse_bool(text, value);
		if (ret)
			snprintf(why, size, "'%.40s' is neither true nor false", text);
		return ret;
	case LIBROC_P_NAME:
		for (i = 0; i <= p->last; i++) {
			if (p->names[i] && !strcasecmp(p->names[i], text)) {
				*value = i;
				return 0;
			}
		}
		names_text(p, names, sizeof(names));
		snprintf(why, size, "'%.40s' is none of %s", text, names);
		return -EINVAL;
	default:
		ret = parse_number(text, p->kind == LIBROC_P_HEX, p->last, value);
		libroc_param_text(p, p->last, last, sizeof(last));
		if (ret == -ERANGE)
			snprintf(why, size, "%.40s is out of range, which ends at %s", text, last);
		else if (ret)
			snprintf(why, size, "'%.40s' is not a %s number", text,
				 p->kind == LIBROC_P_HEX ? "hexadecimal" : "decimal");
		return ret;
	}
}

int libroc_param_link(const char *section)
{
	unsigned int n;

	if (strncmp(section, "link", 4) || section[4] < '0' || section[4] > '9')
		return -1;
	n = section[4] - '0';
	if (n && section[5] >= '0' && section[5] <= '9')
		n = 10 * n + section[5] - '0';
	return section[n < 10 ? 5 : 6] || n >= ROC_CRU_LINKS ? -1 : (int)n;
}

int roc_cru_config_set(struct roc_cru_config *config, const char *section, const char *key,
		       const char *value)
{
	bool all = !strcmp(section, "links");
	int link = libroc_param_link(section);
	const struct libroc_param *p;
	uint32_t number;
	char why[128];
	int i, ret;

	if (!all && link < 0 && strcmp(section, "cru"))
		return libroc_fail(ENOENT,
				   "there is no section '%s', only cru, links, and link0 to link%d",
				   section, ROC_CRU_LINKS - 1);
	p = libroc_param_find(all || link >= 0, key);
	if (!p)
		return libroc_fail(ENOENT, "section %s has no key '%s'", section, key);
	ret = libroc_param_parse(p, value, &number, why, sizeof(why));
	if (ret)
		return libroc_fail(-ret, "%s.%s: %s", section, key, why);
	if (!all && link < 0)
		libroc_param_put(p, config, number);
	for (i = 0; i < ROC_CRU_LINKS; i++)
		if (all || i == link)
			libroc_param_put(p, &config->links[i], number);
	return 0;
}

static int check_param(const char *section, const struct libroc_param *p, const void *from)
{
	uint32_t value = libroc_param_get(p, from);
	char last[16];

	libroc_param_text(p, p->last, last, sizeof(last));
	if (p->kind == LIBROC_P_NAME && (value > p->last || !p->names[value]))
		return libroc_fail(ERANGE, "%s.%s: %u is none of its values", section, p->key,
				   value);
	if (value > p->last)
		return libroc_fail(ERANGE, "%s.%s: %u is out of range, which ends at %s", section,
				   p->key, value, last);
	return 0;
}

int roc_cru_config_check(const struct roc_cru_config *config)
{
	char section[16];
	size_t i, l;
	int ret;

	for (i = 0; i < libroc_cru_param_count; i++) {
		ret = check_param("cru", &libroc_cru_params[i], config);
		if (ret)
			return ret;
	}
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		snprintf(section, sizeof(section), "link%zu", l);
		for (i = 0; i < libroc_cru_link_param_count; i++) {
			ret = check_param(section, &libroc_cru_link_params[i], &config->links[l]);
			if (ret)
				return ret;
		}
	}
	if (config->user_and_common_logic && !config->user_logic)
		return libroc_fail_text(EINVAL,
					"cru.userAndCommonLogicEnabled needs cru.userLogicEnabled: "
					"set both, or neither");
	return 0;
}

static void differ(const char *section, const struct libroc_param *p, uint32_t wanted,
		   uint32_t have, struct roc_cru_difference *diffs, unsigned int *n)
{
	if (wanted == have)
		return;
	if (diffs && *n < ROC_CRU_DIFFERENCES_MAX) {
		struct roc_cru_difference *d = &diffs[*n];

		snprintf(d->name, sizeof(d->name), "%s.%.31s", section, p->key);
		libroc_param_text(p, wanted, d->wanted, sizeof(d->wanted));
		libroc_param_text(p, have, d->have, sizeof(d->have));
	}
	(*n)++;
}

/* gbtEnabled is only what it does to the links; without a wanted PON its parameters are free. */
static bool counts(const struct libroc_param *p, const struct roc_cru_config *wanted)
{
	switch (p->member) {
	case offsetof(struct roc_cru_config, gbt_enabled):
		return false;
	case offsetof(struct roc_cru_config, pon_upstream):
	case offsetof(struct roc_cru_config, onu_address):
		return wanted->pon_upstream && wanted->clock == ROC_CRU_CLOCK_TTC;
	default:
		return true;
	}
}

unsigned int roc_cru_config_diff(const struct roc_cru_config *wanted,
				 const struct roc_cru_config *have,
				 struct roc_cru_difference *diffs)
{
	unsigned int n = 0;
	char section[8];
	size_t i, l;

	for (i = 0; i < libroc_cru_param_count; i++) {
		const struct libroc_param *p = &libroc_cru_params[i];

		if (counts(p, wanted))
			differ("cru", p, libroc_param_get(p, wanted), libroc_param_get(p, have),
			       diffs, &n);
	}
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		struct roc_cru_link_config w = wanted->links[l], h = have->links[l];

		w.enabled &= wanted->gbt_enabled;
		h.enabled &= have->gbt_enabled;
		if (!w.enabled && !h.enabled)
			continue;
		snprintf(section, sizeof(section), "link%u", (unsigned int)l % 100);
		for (i = 0; i < libroc_cru_link_param_count; i++)
			differ(section, &libroc_cru_link_params[i],
			       libroc_param_get(&libroc_cru_link_params[i], &w),
			       libroc_param_get(&libroc_cru_link_params[i], &h), diffs, &n);
	}
	return n;
}
