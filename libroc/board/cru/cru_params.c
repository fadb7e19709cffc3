// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define the CRU's parameters with the names of configuration files and tools: defaults, checks,
 * comparison.
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

#define BOOL(key, member) LIBROC_PARAM(key, LIBROC_P_BOOL, roc_cru_config, member, 1)
#define NAME(key, member, names_)                                                                  \
	LIBROC_PARAM(key, LIBROC_P_NAME, roc_cru_config, member, LIBROC_COUNT(names_) - 1,         \
		     .names = names_)
#define DEC(key, member, last) LIBROC_PARAM(key, LIBROC_P_DEC, roc_cru_config, member, last)
#define HEX(key, member, last) LIBROC_PARAM(key, LIBROC_P_HEX, roc_cru_config, member, last)

static const struct libroc_param params[] = {
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

const struct libroc_params libroc_cru_params = {params, LIBROC_COUNT(params)};

static const struct libroc_param link_params[] = {
	LIBROC_PARAM("enabled", LIBROC_P_BOOL, roc_cru_link_config, enabled, 1),
	LIBROC_PARAM("gbtMux", LIBROC_P_NAME, roc_cru_link_config, mux, LIBROC_COUNT(muxes) - 1,
		     .names = muxes),
	LIBROC_PARAM("feeId", LIBROC_P_HEX, roc_cru_link_config, fee_id, 0xffff),
};

const struct libroc_params libroc_cru_link_params = {link_params, LIBROC_COUNT(link_params)};

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
	char reason[128];
	int i, ret;

	if (!all && link < 0 && strcmp(section, "cru"))
		return roc_fail(
			ENOENT,
			"unknown section '%s': the sections are cru, links, and link0 to link%d",
			section, ROC_CRU_LINKS - 1);
	p = libroc_param_find(all || link >= 0 ? &libroc_cru_link_params : &libroc_cru_params, key);
	if (!p)
		return roc_fail(ENOENT, "unknown key in section %s: '%s'", section, key);
	ret = libroc_param_parse(p, value, &number, reason, sizeof(reason));
	if (ret)
		return roc_fail(-ret, "%s.%s: %s", section, key, reason);
	if (!all && link < 0)
		libroc_param_put(p, config, number);
	for (i = 0; i < ROC_CRU_LINKS; i++)
		if (all || i == link)
			libroc_param_put(p, &config->links[i], number);
	return 0;
}

int roc_cru_config_check(const struct roc_cru_config *config)
{
	char section[16];
	size_t l;
	int ret;

	ret = libroc_params_check("cru", &libroc_cru_params, config);
	for (l = 0; l < ROC_CRU_LINKS && !ret; l++) {
		snprintf(section, sizeof(section), "link%zu", l);
		ret = libroc_params_check(section, &libroc_cru_link_params, &config->links[l]);
	}
	if (ret)
		return ret;
	if (config->user_and_common_logic && !config->user_logic)
		return roc_fail(
			EINVAL,
			"cru.userAndCommonLogicEnabled requires cru.userLogicEnabled: set both or neither");
	return 0;
}

/*
 * Check whether a parameter takes part in the comparison. gbtEnabled is compared by its effect on
 * the links. The parameters of the PON count only if the target uses it.
 */
static bool counts(const struct libroc_param *p, const struct roc_cru_config *target)
{
	switch (p->member) {
	case offsetof(struct roc_cru_config, gbt_enabled):
		return false;
	case offsetof(struct roc_cru_config, pon_upstream):
	case offsetof(struct roc_cru_config, onu_address):
		return target->pon_upstream && target->clock == ROC_CRU_CLOCK_TTC;
	default:
		return true;
	}
}

unsigned int roc_cru_config_diff(const struct roc_cru_config *target,
				 const struct roc_cru_config *have,
				 struct roc_config_difference *diffs)
{
	unsigned int n = 0;
	char section[8];
	size_t i, l;

	for (i = 0; i < LIBROC_COUNT(params); i++) {
		const struct libroc_param *p = &params[i];

		if (counts(p, target))
			libroc_param_differ("cru", p, libroc_param_get(p, target),
					    libroc_param_get(p, have), diffs, &n);
	}
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		struct roc_cru_link_config w = target->links[l], h = have->links[l];

		w.enabled &= target->gbt_enabled;
		h.enabled &= have->gbt_enabled;
		if (!w.enabled && !h.enabled)
			continue;
		snprintf(section, sizeof(section), "link%u", (unsigned int)l % 100);
		for (i = 0; i < LIBROC_COUNT(link_params); i++)
			libroc_param_differ(section, &link_params[i],
					    libroc_param_get(&link_params[i], &w),
					    libroc_param_get(&link_params[i], &h), diffs, &n);
	}
	return n;
}
