// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define the configuration registers as tables, and convert between them and the parameters.
 * Registers are written in the order of the tables: the links before the datapath that enables
 * them.
 */
#include <stddef.h>
#include <string.h>

#include "libroc_cru.h"

#define S(m) offsetof(struct libroc_state, m)
#define L(m) offsetof(struct libroc_link_state, m)

/* Before the links: the sources of triggers and downstream data */
const struct libroc_value libroc_state_first[] = {
	LIBROC_VALUE("clock (source of triggers)", LIBROC_CARD, CRU_TTC_DATA, CRU_TTC_DATA_CLOCK,
		     S(trigger_source), .flags = LIBROC_V_CLOCK),
	LIBROC_VALUE("downstreamData", LIBROC_CARD, CRU_TTC_DATA, CRU_TTC_DATA_DOWNSTREAM,
		     S(downstream)),
	/* Pulses, which an interrupted pass may have left set */
	LIBROC_VALUE("ponUpstream (reset)", LIBROC_CARD, CRU_CLOCK_CONTROL,
		     CRU_CLOCK_CONTROL_FPLL_RESET, S(pon_reset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("datapathGenerator (reset)", LIBROC_DATAPATH, CRU_DATAPATH_GENERATOR,
		     CRU_DATAPATH_GENERATOR_RESET, S(generator_reset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("datapathGenerator", LIBROC_DATAPATH, CRU_DATAPATH_GENERATOR,
		     CRU_DATAPATH_GENERATOR_ENABLE, S(generator), .kind = LIBROC_BOOL),
};

const size_t libroc_state_first_count = LIBROC_COUNT(libroc_state_first);

/* Of each link; those without LIBROC_V_ENABLED also apply to disabled links */
const struct libroc_value libroc_state_links[] = {
	LIBROC_VALUE("testGenerator", LIBROC_GBT, CRU_GBT_SOURCE, CRU_GBT_SOURCE_GENERATOR,
		     L(generator), .flags = LIBROC_V_ENABLED),
	LIBROC_VALUE("loopback", LIBROC_GBT, CRU_GBT_SOURCE, CRU_GBT_SOURCE_LOOPBACK, L(loopback),
		     .flags = LIBROC_V_OFF_ALWAYS),
	LIBROC_VALUE("gbtTxMode", LIBROC_GBT, CRU_GBT_TX_CONTROL, CRU_GBT_WIDE_BUS, L(tx_mode),
		     .flags = LIBROC_V_ENABLED),
	LIBROC_VALUE("gbtMode", LIBROC_GBT, CRU_GBT_RX_CONTROL, CRU_GBT_WIDE_BUS, L(rx_mode),
		     .flags = LIBROC_V_ENABLED),
	LIBROC_VALUE("gbtMux", LIBROC_MUX, 0, CRU_MUX_MASK, L(mux), .flags = LIBROC_V_ENABLED),
	LIBROC_VALUE("wordLength", LIBROC_DPL, CRU_DPL_CONTROL, CRU_DPL_CONTROL_LENGTH, L(length),
		     .flags = LIBROC_V_MODE),
	LIBROC_VALUE("datapathMode", LIBROC_DPL, CRU_DPL_CONTROL, CRU_DPL_CONTROL_PACKET,
		     L(datapath_mode), .flags = LIBROC_V_MODE),
	LIBROC_VALUE("systemId", LIBROC_DPL, CRU_DPL_IDS, CRU_DPL_IDS_SYSTEM, L(system_id),
		     .flags = LIBROC_V_IDS),
	LIBROC_VALUE("feeId", LIBROC_DPL, CRU_DPL_IDS, CRU_DPL_IDS_FEE, L(fee_id),
		     .flags = LIBROC_V_IDS),
	LIBROC_VALUE("enabled", LIBROC_DATAPATH_LINK, CRU_DATAPATH_ENABLE, 1, L(enabled),
		     .kind = LIBROC_BOOL),
};

const size_t libroc_state_links_count = LIBROC_COUNT(libroc_state_links);

const struct libroc_value libroc_state_last[] = {
	LIBROC_VALUE("allowRejection", LIBROC_DATAPATH, CRU_DATAPATH_FLOW_CONTROL,
		     CRU_DATAPATH_FLOW_CONTROL_REJECT, S(allow_rejection), .kind = LIBROC_BOOL),
	LIBROC_VALUE("triggerWindowSize", LIBROC_DATAPATH, CRU_DATAPATH_TRIGGER_WINDOW,
		     CRU_DATAPATH_TRIGGER_WINDOW_MAX, S(trigger_window)),
	LIBROC_VALUE("dropBadRdhEnabled", LIBROC_DATAPATH, CRU_DATAPATH_DROP_BAD_RDH, 0xffffffff,
		     S(drop_bad_rdh), .kind = LIBROC_BOOL),
	LIBROC_VALUE("systemId (virtual links)", LIBROC_CARD, CRU_VIRTUAL_IDS, CRU_DPL_IDS_SYSTEM,
		     S(virtual_system_id)),
	LIBROC_VALUE("feeId (virtual links)", LIBROC_CARD, CRU_VIRTUAL_IDS, CRU_DPL_IDS_FEE,
		     S(virtual_fee_id)),
	LIBROC_VALUE("cruId", LIBROC_CARD, CRU_USER_CONTROL, CRU_USER_CONTROL_CRU_ID, S(cru_id)),
	LIBROC_VALUE("timeFrameLength", LIBROC_DMA, CRU_TIME_FRAME,
		     0xfffu << CRU_TIME_FRAME_LENGTH_SHIFT, S(time_frame_length)),
	LIBROC_VALUE("wordLength (user logic)", LIBROC_DPL_UL, CRU_DPL_CONTROL,
		     CRU_DPL_CONTROL_LENGTH, S(ul_length), .flags = LIBROC_V_UL),
	LIBROC_VALUE("datapathMode (user logic)", LIBROC_DPL_UL, CRU_DPL_CONTROL,
		     CRU_DPL_CONTROL_PACKET, S(ul_mode), .flags = LIBROC_V_UL),
	LIBROC_VALUE("dynamicOffset", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE,
		     CRU_DATAPATH_DYNAMIC_OFFSET, S(dynamic_offset), .kind = LIBROC_BOOL),
	LIBROC_VALUE("runStatsEnabled", LIBROC_DATAPATH_EP, CRU_DATAPATH_ENABLE,
		     1u << CRU_LINK_RUN_STATISTICS(0), S(run_stats), .kind = LIBROC_BOOL),
	LIBROC_VALUE("userAndCommonLogicEnabled", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE,
		     CRU_DATAPATH_USER_COMMON, S(user_and_common_logic), .kind = LIBROC_BOOL),
	LIBROC_VALUE("userLogicEnabled", LIBROC_DATAPATH, CRU_DATAPATH_ENABLE,
		     1u << CRU_LINK_USER_LOGIC, S(user_logic), .kind = LIBROC_BOOL),
};

const size_t libroc_state_last_count = LIBROC_COUNT(libroc_state_last);

void libroc_state_read(struct libroc_pass *c, struct libroc_state *state)
{
	unsigned int l;

	memset(state, 0, sizeof(*state));
	libroc_values_read(c, libroc_state_first, libroc_state_first_count, 0, state);
	for (l = 0; l < ROC_CRU_LINKS; l++)
		if (c->links & 1u << l)
			libroc_values_read(c, libroc_state_links, libroc_state_links_count, l,
					   &state->links[l]);
	libroc_values_read(c, libroc_state_last, libroc_state_last_count, 0, state);
}

void libroc_state_target(const struct roc_cru_config *config, struct libroc_state *state)
{
	unsigned int l;

	*state = (struct libroc_state){
		.clock = config->clock,
		.trigger_source = config->clock,
		.downstream = config->downstream_data,
		.cru_id = config->cru_id,
		.virtual_system_id = config->system_id,
		.trigger_window = config->trigger_window_size,
		.time_frame_length = config->time_frame_length,
		.ul_length = CRU_DPL_CONTROL_LENGTH_DEFAULT,
		.ul_mode = config->datapath_mode,
		.allow_rejection = config->allow_rejection,
		.drop_bad_rdh = config->drop_bad_rdh,
		.dynamic_offset = config->dynamic_offset,
		.user_logic = config->user_logic,
		.run_stats = config->run_stats,
		.user_and_common_logic = config->user_and_common_logic,
	};
	for (l = 0; l < ROC_CRU_LINKS; l++) {
		const struct roc_cru_link_config *link = &config->links[l];

		state->links[l] = (struct libroc_link_state){
			.length = CRU_DPL_CONTROL_LENGTH_DEFAULT,
			.datapath_mode = config->datapath_mode,
			.system_id = config->system_id,
			.fee_id = link->fee_id,
		};
		if (!config->gbt_enabled || !link->enabled)
			continue;
		state->links[l].enabled = true;
		state->links[l].loopback = config->loopback;
		state->links[l].rx_mode = config->gbt_mode;
		state->links[l].mux = link->mux;
	}
}

void libroc_state_config(const struct libroc_state *state, struct roc_cru_config *config)
{
	const struct libroc_link_state *like = &state->links[0];
	unsigned int l;

	memset(config, 0, sizeof(*config));
	for (l = ROC_CRU_LINKS; l-- > 0;) {
		config->links[l].enabled = state->links[l].enabled;
		config->links[l].mux = state->links[l].mux;
		config->links[l].fee_id = state->links[l].fee_id;
		if (state->links[l].enabled) {
			config->gbt_enabled = true;
			like = &state->links[l];
		}
	}
	config->clock = state->clock;
	config->downstream_data = state->downstream;
	config->cru_id = state->cru_id;
	config->trigger_window_size = state->trigger_window;
	config->time_frame_length = state->time_frame_length;
	config->allow_rejection = state->allow_rejection;
	config->drop_bad_rdh = state->drop_bad_rdh;
	config->dynamic_offset = state->dynamic_offset;
	config->user_logic = state->user_logic;
	config->run_stats = state->run_stats;
	config->user_and_common_logic = state->user_and_common_logic;
	config->loopback = like->loopback;
	config->gbt_mode = like->rx_mode;
	config->datapath_mode = like->datapath_mode;
	config->system_id = like->system_id;
	if (!config->gbt_enabled) {
		config->system_id = state->virtual_system_id;
		if (state->user_logic)
			config->datapath_mode = state->ul_mode;
	}
}
