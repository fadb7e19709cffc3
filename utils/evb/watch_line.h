/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc-evb watch: what it shows of a node's line (node_report.h).
 */
#ifndef ROC_UTILS_EVB_WATCH_LINE_H
#define ROC_UTILS_EVB_WATCH_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct watch_line {
	uint64_t time;			  /* CLOCK_REALTIME ns */
	uint64_t in, sent, received, out; /* bytes a second */
	uint64_t blocks;		  /* a second, to the sink */
	uint64_t p99_ns;
	uint64_t queue, open_blocks, free_segments, all_segments;
	uint64_t incomplete, dropped;
};

/* False: it is none. What is not in it is 0. */
bool watch_line_read(const char *text, struct watch_line *line);

#endif
