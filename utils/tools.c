// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tools that the roc binary provides.
 *
 * A new tool needs an entry here and a manual page.
 */
#include "tools.h"

#include <string.h>

/* clang-format off */
const struct tool *const tools[] = {
	&tool_list_cards,
	&tool_reg_read,
	&tool_reg_read_range,
	&tool_reg_write,
	&tool_reg_modify,
	&tool_reset,
	&tool_bench_dma,
	&tool_config,
	&tool_status,
	&tool_metrics,
	&tool_pkt_monitor,
	&tool_trig_monitor,
	&tool_loopback,
	&tool_pat_player,
	&tool_ctp_emulator,
	&tool_ul,
	&tool_siu_status,
	&tool_flash,
	&tool_flash_read,
	&tool_fw_check,
	&tool_bar_stress,
	&tool_stream,
	&tool_fragment,
	&tool_record,
	&tool_replay,
	&tool_node_check,
	&tool_send,
	&tool_recv,
	&tool_rosd,
	&tool_ros_load,
	&tool_gpu_src,
	&tool_evb,
	NULL,
};
/* clang-format on */

const struct tool *tool_find(const char *name)
{
	const struct tool *const *t;

	if (!strncmp(name, "roc-", 4))
		name += 4;
	for (t = tools; *t; t++) {
		if (!strcmp((*t)->name, name))
			return *t;
	}
	return NULL;
}
