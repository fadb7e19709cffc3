/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All tools. Short: a list.
 */
#ifndef ROC_UTILS_TOOLS_H
#define ROC_UTILS_TOOLS_H

#include "utils/common/tool.h"

extern const struct tool tool_list_cards, tool_reg_read, tool_reg_read_range, tool_reg_write,
	tool_reg_modify, tool_reset, tool_bench_dma, tool_config, tool_status, tool_metrics,
	tool_pkt_monitor, tool_trig_monitor, tool_loopback, tool_pat_player, tool_ctp_emulator,
	tool_ul, tool_fw_check, tool_bar_stress, tool_siu_status, tool_flash, tool_flash_read,
	tool_stream, tool_fragment, tool_record, tool_replay, tool_node_check, tool_send, tool_recv,
	tool_rosd, tool_ros_load, tool_gpu_src, tool_evb;

extern const struct tool *const tools[]; /* ends with NULL */

const struct tool *tool_find(const char *name); /* with or without "roc-"; NULL: unknown */

#endif
