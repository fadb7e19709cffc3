// SPDX-License-Identifier: GPL-2.0-or-later
/* roc-gpu-src: measure a GPU as a data source. */
#include "sweep.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "utils/common/tool.h"
#include "utils/node/check/tree.h"
#include "utils/units/content.h"

static const char *const sources[] = {[SWEEP_GPU] = "gpu", [SWEEP_CPU] = "cpu", NULL};
static const char *const memories[] = {
	[SWEEP_BOTH] = "both", [SWEEP_PINNED] = "pinned", [SWEEP_PAGEABLE] = "pageable", NULL};

#define AT(option_name, option_type, member)                                                       \
	.name = (option_name), .type = (option_type),                                              \
	.offset = offsetof(struct sweep_options, member)

static const struct option_spec options[] = {
	{AT("source", OPTION_CHOICE, source), .arg = "SOURCE", .fallback = "gpu",
	 .choices = sources,
	 .help = "Select the source of the records, cpu being the memory of this machine"},
	{AT("device", OPTION_NUMBER, device), .arg = "N", .fallback = "0",
	 .help = "Select the GPU by the number that its driver uses"},
	{AT("record-min", OPTION_SIZE, record_min), .arg = "SIZE", .fallback = "10k", .min = 8,
	 .max = UINT64_C(1) << 40, .help = "Set the smallest record"},
	{AT("record-max", OPTION_SIZE, record_max), .arg = "SIZE", .fallback = "2G", .min = 8,
	 .max = UINT64_C(1) << 40, .help = "Set the largest record"},
	{AT("steps", OPTION_NUMBER, steps), .arg = "N", .fallback = "2", .min = 1, .max = 20,
	 .help = "Set the number of record sizes per decade"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "1Gi",
	 .help = "Set the bytes to copy in each repeat, at least one record"},
	{AT("repeats", OPTION_NUMBER, repeats), .arg = "N", .fallback = "5", .min = 1,
	 .max = SWEEP_REPEATS, .help = "Set the repeats of each point for mean and sigma"},
	{AT("streams", OPTION_NUMBER, streams), .arg = "N", .fallback = "4", .min = 1,
	 .max = COPIER_STREAMS, .help = "Use 1, 2, 4, ... copy streams up to this number"},
	{AT("memory", OPTION_CHOICE, memory), .arg = "KIND", .fallback = "both",
	 .choices = memories, .help = "Select the type of host memory"},
	{AT("cpus", OPTION_TEXT, cpus), .arg = "LIST",
	 .help = "Run on these processors, as in 0-3,8 (default: all)"},
	FLAG_OPTION(struct sweep_options, "no-check", no_check, "Do not check the records"),
	FLAG_OPTION(struct sweep_options, "json", json, "Print the output as JSON"),
};

static int use_cpus(const char *list)
{
	struct tree_set set;
	cpu_set_t cpus;
	unsigned int i;

	if (tree_set_read(list, &set))
		return tool_usage("--cpus: \"%s\" is not a list of processors, such as 0-3,8.",
				  list);
	CPU_ZERO(&cpus);
	for (i = 0; i < CPU_SETSIZE; i++) {
		if (tree_set_has(&set, i))
			CPU_SET(i, &cpus);
	}
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return tool_fail(
			"This process may not run on processors %s: %s. See nproc, taskset -p $$.",
			list, strerror(errno));
	return TOOL_OK;
}

static int run(const void *values)
{
	const struct sweep_options *o = values;
	struct copier_options copier = {
		.device = o->device,
		.streams = o->streams,
		.memory = o->record_max + CONTENT_PLACES * 8,
	};
	static struct sweep sweep;
	char reason[UNITS_REASON] = "";
	int code;

	if (o->record_min > o->record_max)
		return tool_usage("--record-min is larger than --record-max.");
	if (o->record_max % 8)
		return tool_usage("--record-max: records are a multiple of 8 bytes.");
	code = o->cpus ? use_cpus(o->cpus) : TOOL_OK;
	if (code)
		return code;
	stop_on_signals();
	sweep.opt = o;
	sweep.copier =
		o->source == SWEEP_CPU ? copier_cpu(&copier, reason) : copier_cuda(&copier, reason);
	if (!sweep.copier)
		return tool_fail("%s", reason);
	gpu_link_read(&sweep.link, "/", sweep.copier->pci);
	code = sweep_run(&sweep);
	if (!code || sweep.count)
		sweep_report(&sweep);
	copier_close(sweep.copier);
	roc_memory_free(&sweep.memory);
	if (!code && sweep.errors)
		code = tool_fail("%s", sweep.wrong);
	return code;
}

const struct tool tool_gpu_src = {
	.name = "gpu-src",
	.summary = "Measure how fast a GPU writes to host memory, by record size",
	.example = "--record-max=2G --streams=4 --repeats=10",
	TOOL_OPTIONS(options, struct sweep_options),
	.run = run,
};
