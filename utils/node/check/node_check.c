// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-node-check: check whether a server is suitable for its cards, by rules on files of sysfs,
 * /proc, the DMI table and /etc/group. It writes nothing and accesses no card.
 */
#include <errno.h>
#include <string.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"
#include "utils/dma/bench.h"

#include "check.h"
#include "latency.h"

struct values {
	struct common_options common;
	bool json;
	bool strict;
	const char *root;
	bool root_given;
	const char *limits;
	bool find_latency;
	struct latency_options latency;
};

#define LATENCY(option_name, option_type, member)                                                  \
	.name = (option_name), .type = (option_type), .with = "find-latency",                      \
	.offset = offsetof(struct values, latency.member)

static const struct option_spec options[] = {
	JSON_OPTION(struct values),
	FLAG_OPTION(struct values, "strict", strict,
		    "Exit with status 1 for WARN and UNKNOWN as well"),
	{.name = "limits",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, limits),
	 .arg = "FILE",
	 .help = "Read the expected values from a file (default: " LIMITS_FILE ", if it exists)"},
	{.name = "root",
	 .type = OPTION_TEXT,
	 .offset = offsetof(struct values, root),
	 .arg = "DIR",
	 .fallback = "/",
	 .given = offsetof(struct values, root_given),
	 .help = "Check a copy of the directories sys, proc, etc and dev of another machine"},
	FLAG_OPTION(
		struct values, "find-latency", find_latency,
		"Find the depth that the FIFO of a card needs on this node; reads data from the card"),
	{LATENCY("id", OPTION_TEXT, id), .arg = "ID",
	 .help = "Select the card, for --find-latency"},
	{LATENCY("dma-channel", OPTION_NUMBER, channel), .arg = "N", .fallback = "0", .max = 255,
	 .help = "Select the DMA channel"},
	{LATENCY("data-source", OPTION_CHOICE, source), .arg = "SOURCE", .fallback = "DDG",
	 .choices = bench_source_names, .help = "Select the data source"},
	{LATENCY("mode", OPTION_CHOICE, mode), .arg = "MODE", .fallback = "timer",
	 .choices = bench_mode_names,
	 .help = "Select how finished superpages are detected (not busy)"},
	{LATENCY("superpage-size", OPTION_SIZE, superpage), .arg = "SIZE", .fallback = "1Mi",
	 .min = 1, .max = 1 << 30, .help = "Set the size of a superpage, a multiple of 32 KiB"},
	{LATENCY("time", OPTION_TIME, seconds), .arg = "TIME", .fallback = "5s", .min = 1,
	 .max = 86400, .help = "Set the duration of the run with each depth"},
};

static int fail_root(const char *root, int err)
{
	switch (err) {
	case -ENOENT:
		return tool_fail("--root: %s does not exist, or has no directory sys.", root);
	case -ENOTDIR:
		return tool_fail("--root: %s is not a directory.", root);
	default:
		return tool_fail("--root: %s: %s.", root, strerror(-err));
	}
}

/* List the rules with @verdict for a message. */
static void list(const struct check *c, enum verdict verdict, char *text, size_t size)
{
	const struct rule *rule;
	size_t used = 0;

	text[0] = '\0';
	for (rule = check_rules; rule->name && used < size; rule++)
		if (check_worst(c, rule) == verdict)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 rule->name);
}

/* The exit code; a failure is reported on standard error. */
static int conclude(const struct check *c, bool strict)
{
	enum verdict worst = check_worst(c, NULL);
	char rules[1024];

	if (worst != VERDICT_FAIL && (!strict || worst == VERDICT_PASS))
		return TOOL_OK;
	list(c, worst, rules, sizeof(rules));
	return tool_fail("%s: %s.", check_verdict(worst), rules);
}

static int run(const void *p)
{
	const struct values *v = p;
	struct check c = {.count = 0};
	char reason[512];
	int code, err;

	if (v->find_latency && !v->latency.id)
		return tool_usage(
			"--find-latency needs --id. Example: roc-node-check --find-latency --id=245:0");
	if (v->find_latency && (v->root_given || v->limits || v->strict))
		return tool_usage(
			"--find-latency reads data on this node and checks no rules: remove --root, --limits and --strict.");
	if (v->latency.mode == ROC_MODE_BUSY)
		return tool_usage(
			"--mode: --find-latency supports only timer and event, with which the driver detects superpages.");
	if (v->find_latency)
		return latency_run(&v->latency, v->json);
	limits_default(&c.limits);
	if (limits_read(&c.limits, v->limits, reason, sizeof(reason)))
		return tool_fail("%s", reason);
	err = tree_open(&c.tree, v->root);
	if (err)
		return fail_root(v->root, err);
	check_run(&c);
	if (c.out_of_memory) {
		code = tool_fail("Cannot allocate the findings of the rules.");
		goto out;
	}
	if (v->json)
		check_json(stdout, &c);
	else
		check_text(stdout, &c, v->common.verbose, output_colours(stdout));
	code = conclude(&c, v->strict);
out:
	check_end(&c);
	return code;
}

const struct tool tool_node_check = {
	.name = "node-check",
	.summary = "Check that this server is suitable for its cards",
	.example = "--limits=node-check.json",
	TOOL_OPTIONS(options, struct values),
	.run = run,
};
