// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of tools, and the messages that all of them print. A new tool needs its line here and a
 * manual page.
 */
#include "tool.h"

#include <roc/roc.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	NULL,
};

static const char *running = "roc";

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

void tool_set_name(const char *name)
{
	running = name;
}

static void message(const char *fmt, va_list ap)
{
	fflush(stdout);
	fprintf(stderr, "%s%s: ", strcmp(running, "roc") ? "roc-" : "", running);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int tool_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return TOOL_FAILED;
}

int tool_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	return TOOL_USAGE;
}

void tool_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
}

int tool_fail_card(int err)
{
	return err == -EINVAL ? tool_usage("--id: %s", roc_error()) : tool_fail("%s", roc_error());
}

int tool_finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		return tool_fail("The output could not be written: %s.", strerror(errno));
	return TOOL_OK;
}
