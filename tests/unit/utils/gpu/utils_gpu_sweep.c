// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a sweep of roc-gpu-src is interrupted, with a copier played here: the signal comes with one
 * of the copies.
 */
#include "unit.h"

#include <errno.h>

#include "utils/common/stop.h"
#include "utils/gpu/sweep.h"

#define COPIES_MAX 1000000 /* of who does not hear the signal */
#define STREAMS 2

static struct {
	uint64_t copies, interrupt; /* the signal comes with that one */
	uint64_t copying[STREAMS];  /* begun and not waited for */
} device;

static struct sweep_options options;
static struct sweep sweep;

bool stop_asked(void)
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
		return units_fail(c->why, EIO, "It goes on and on.");
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

/* Exit code of a sweep over records of one size, @records in a repeat. */
static int sweeps(uint64_t record, uint64_t records, uint64_t interrupt)
{
	static struct copier copier;
	int code;

	copier = (struct copier){.ops = &ops, .streams = STREAMS, .memory = 4096};
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
	memset(&sweep, 0, sizeof(sweep));
	sweep.opt = &options;
	sweep.copier = &copier;
	code = sweep_run(&sweep);
	roc_memory_free(&sweep.memory);
	/* Who frees the memory may do so. */
	UNIT_EQ(device.copying[0], 0);
	UNIT_EQ(device.copying[1], 0);
	return code;
}

static void all_of_it(void)
{
	UNIT_EQ(sweeps(8, 5000, UINT64_MAX), 0);
	UNIT_EQ(sweep.count, 2);
	UNIT_EQ(sweep.points[1].repeats, 3);
	UNIT_EQ(device.copies, 2 * 3 * 5000 + 1 + 2); /* the first ones are not measured */
}

/* Days of copies, of which none is a whole repeat. */
static void in_the_first_repeat(void)
{
	UNIT_EQ(sweeps(8, UINT64_C(1) << 37, 3000), 1);
	UNIT_EQ(sweep.count, 0);
	CU_ASSERT_TRUE(device.copies >= 3000 && device.copies < 5000);
}

/* What was measured before is shown, and no rate is made of a part. */
static void in_a_later_repeat(void)
{
	UNIT_EQ(sweeps(8, 200000, 300000), 0);
	UNIT_EQ(sweep.count, 1);
	UNIT_EQ(sweep.points[0].repeats, 1);
	UNIT_EQ(sweep.points[0].bytes, 8 * 200000);
	CU_ASSERT_TRUE(device.copies >= 300000 && device.copies < 302000);
}

/* A large record takes a while: no more of them are begun. */
static void large_records(void)
{
	UNIT_EQ(sweeps(1 << 20, 1 << 20, 50), 1);
	UNIT_EQ(device.copies, 50);
}

UNIT_MAIN("utils gpu sweep", {"all of it", all_of_it},
	  {"a signal in the first repeat", in_the_first_repeat},
	  {"a signal in a later repeat", in_a_later_repeat},
	  {"a signal among large records", large_records})
