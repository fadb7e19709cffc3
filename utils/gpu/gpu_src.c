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
	 .help = "Where records come from: gpu, or cpu (this machine's memory)"},
	{AT("device", OPTION_NUMBER, device), .arg = "N", .fallback = "0",
	 .help = "Number of the GPU, as its driver counts"},
	{AT("record-min", OPTION_SIZE, record_min), .arg = "SIZE", .fallback = "10k", .min = 8,
	 .max = UINT64_C(1) << 40, .help = "Smallest record"},
	{AT("record-max", OPTION_SIZE, record_max), .arg = "SIZE", .fallback = "2G", .min = 8,
	 .max = UINT64_C(1) << 40, .help = "Largest record"},
	{AT("steps", OPTION_NUMBER, steps), .arg = "N", .fallback = "2", .min = 1, .max = 20,
	 .help = "Sizes of records in a factor of ten"},
	{AT("bytes", OPTION_SIZE, bytes), .arg = "SIZE", .fallback = "1Gi",
	 .help = "Copied in each repeat, one record at least"},
	{AT("repeats", OPTION_NUMBER, repeats), .arg = "N", .fallback = "5", .min = 1,
	 .max = SWEEP_REPEATS, .help = "Repeats of each point, of which mean and sigma are"},
	{AT("streams", OPTION_NUMBER, streams), .arg = "N", .fallback = "4", .min = 1,
	 .max = COPIER_STREAMS, .help = "Streams of copies: 1, 2, 4 and so on, up to so many"},
	{AT("memory", OPTION_CHOICE, memory), .arg = "KIND", .fallback = "both",
	 .choices = memories, .help = "Our memory: pinned, pageable or both"},
	{AT("cpus", OPTION_TEXT, cpus), .arg = "LIST",
	 .help = "Processors to run on, as in 0-3,8 (all)"},
	FLAG_OPTION(struct sweep_options, "no-check", no_check, "Do not look at the records"),
	FLAG_OPTION(struct sweep_options, "json", json, "Print JSON"),
};

static int use_cpus(const char *list)
{
	struct tree_set set;
	cpu_set_t cpus;
	unsigned int i;

	if (tree_set_read(list, &set))
		return tool_usage("--cpus: \"%s\" is no list of processors, as 0-3,8 is.", list);
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
	.summary = "Measure how fast a GPU fills our memory, by size of record",
	.example = "--record-max=2G --streams=4 --repeats=10",
	TOOL_OPTIONS(options, struct sweep_options),
	.run = run,
};
