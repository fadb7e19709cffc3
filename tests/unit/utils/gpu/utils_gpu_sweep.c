// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interruption of a sweep of roc-gpu-src, and omitted points, with a simulated copier: the signal
 * arrives with one of the copies, and the buffer is not written.
 */
#include "unit.h"

#include <errno.h>
#include <stdint.h>

#include "tests/unit/child.h"
#include "utils/common/tool.h"
#include "utils/gpu/sweep.h"

#define COPIES_MAX 1000000 /* limit if the signal is ignored */
#define STREAMS 2

static struct {
	uint64_t copies, interrupt; /* number of the copy with which the signal arrives */
	uint64_t copying[STREAMS];  /* started and not waited for */
} device;

static struct sweep_options options;
static struct sweep sweep;

bool stop_requested(void)
{
	return device.copies >= device.interrupt;
}

static int upload(struct copier *c, uint64_t at, const void *data, size_t bytes)
{
	return 0;
}

static int copy(struct copier *c, unsigned int stream, void *to, uint64_t from, size_t bytes)
{
	if (++device.copies > COPIES_MAX)
		return units_fail(c->reason, EIO, "It goes on and on.");
	device.copying[stream]++;
	return 0;
}

static int wait_for(struct copier *c, unsigned int stream)
{
	device.copying[stream] = 0;
	return 0;
}

static const struct copier_ops ops = {
	.name = "played",
	.upload = upload,
	.copy = copy,
	.wait = wait_for,
};

int __wrap_roc_memory_alloc(size_t length, int node, unsigned int flags, struct roc_memory *mem);
int __wrap_roc_memory_alloc(size_t length, int node, unsigned int flags, struct roc_memory *mem)
{
	*mem = (struct roc_memory){.addr = (void *)(uintptr_t)4096, .length = length};
	return 0;
}

/* Exit code of a sweep with the options. */
static int sweep_by_options(void)
{
	static struct copier copier;
	int code;

	copier = (struct copier){.ops = &ops, .streams = STREAMS, .memory = 4096};
	memset(&sweep, 0, sizeof(sweep));
	sweep.opt = &options;
	sweep.copier = &copier;
	code = sweep_run(&sweep);
	/* All copies are waited for, so the memory can be freed. */
	UNIT_EQ(device.copying[0], 0);
	UNIT_EQ(device.copying[1], 0);
	return code;
}

/* The same over records of one size, @records in a repeat. */
static int sweeps(uint64_t record, uint64_t records, uint64_t interrupt)
{
	memset(&device, 0, sizeof(device));
	device.interrupt = interrupt;
	options = (struct sweep_options){.record_min = record,
					 .record_max = record,
					 .steps = 1,
					 .bytes = record * records,
					 .repeats = 3,
					 .streams = STREAMS,
					 .memory = SWEEP_PAGEABLE,
					 .no_check = true};
	return sweep_by_options();
}

static void all_of_it(void)
{
	UNIT_EQ(sweeps(8, 5000, UINT64_MAX), 0);
	UNIT_EQ(sweep.count, 2);
	UNIT_EQ(sweep.points[1].repeats, 3);
	UNIT_EQ(device.copies, 2 * 3 * 5000 + 1 + 2); /* the first copies are not measured */
}

/* Days of copies, without a complete repeat. */
static void in_the_first_repeat(void)
{
	UNIT_EQ(sweeps(8, UINT64_C(1) << 37, 3000), 1);
	UNIT_EQ(sweep.count, 0);
	CU_ASSERT_TRUE(device.copies >= 3000 && device.copies < 5000);
}

/* Complete points are reported, and an incomplete repeat does not count. */
static void in_a_later_repeat(void)
{
	UNIT_EQ(sweeps(8, 200000, 300000), 0);
	UNIT_EQ(sweep.count, 1);
	UNIT_EQ(sweep.points[0].repeats, 1);
	UNIT_EQ(sweep.points[0].bytes, 8 * 200000);
	CU_ASSERT_TRUE(device.copies >= 300000 && device.copies < 302000);
}

/* After a signal no other large record is started. */
static void large_records(void)
{
	UNIT_EQ(sweeps(1 << 20, 1 << 20, 50), 1);
	UNIT_EQ(device.copies, 50);
}

/* Return the message of a sweep with @count points. */
static const char *message_of(unsigned int count)
{
	static char printed[1024];
	int ends[2];
	pid_t pid;

	memset(&device, 0, sizeof(device));
	device.interrupt = UINT64_MAX;
	pid = child_begin(ends);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		_exit(sweep_by_options() || sweep.count != count);
	}
	UNIT_EQ(child_output(pid, ends, printed, sizeof(printed)), 0);
	return printed;
}

/* Two records of 600 MiB do not fit into 1 GiB. */
static void no_space(void)
{
	options = (struct sweep_options){.record_min = 600 << 20,
					 .record_max = 600 << 20,
					 .steps = 1,
					 .repeats = 1,
					 .streams = STREAMS,
					 .memory = SWEEP_PAGEABLE,
					 .no_check = true};
	UNIT_STR(
		message_of(1),
		"roc: 1 point is omitted: a record for each stream does not fit into 1 GiB of host memory: set a smaller --record-max or fewer --streams.\n");
	options.streams = 1;
	UNIT_STR(message_of(1), "");
	/* Two records of 500 MiB fit, and four do not. */
	options.streams = 4;
	options.record_min = 500 << 20;
	UNIT_STR(
		message_of(3),
		"roc: 3 points are omitted: a record for each stream does not fit into 1 GiB of host memory: set a smaller --record-max or fewer --streams.\n");
}

static void too_many_points(void)
{
	options = (struct sweep_options){.record_min = 8,
					 .record_max = 8 * (SWEEP_POINTS + 5),
					 .steps = 100000,
					 .repeats = 1,
					 .streams = 1,
					 .memory = SWEEP_PAGEABLE,
					 .no_check = true};
	UNIT_STR(
		message_of(SWEEP_POINTS),
		"roc: 5 points are omitted: the maximum is 1024 points: set fewer --steps, or a smaller range of records.\n");
}

UNIT_MAIN("utils gpu sweep", {"complete sweep", all_of_it},
	  {"a signal in the first repeat", in_the_first_repeat},
	  {"a signal in a later repeat", in_a_later_repeat},
	  {"a signal among large records", large_records}, {"records that do not fit", no_space},
	  {"too many points", too_many_points})
