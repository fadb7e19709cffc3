// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roc-gpu-src without a GPU, and with a simulated driver library; and content that can be checked.
 */
#include "unit.h"

#include "tests/unit/utils/tool_run.h"
#include "utils/gpu/copier.h"
#include "utils/gpu/sweep.h"
#include "utils/units/content.h"

#define SMALL "--record-min=1000 --record-max=100000 --steps=1 --bytes=1Mi --repeats=3 --streams=2"

static void with_gpu(const char *breaks)
{
	setenv("LD_LIBRARY_PATH", FAKE_LIBRARIES ":" BUILT_LIBRARIES, 1);
	setenv("FAKE_CUDA", breaks, 1);
}

static void without_gpu(void)
{
	setenv("LD_LIBRARY_PATH", BUILT_LIBRARIES, 1);
}

static struct json_object *point(size_t i)
{
	struct json_object *points = json_object_object_get(tool_json, "points");

	UNIT_NEED(points && i < json_object_array_length(points));
	return json_object_array_get_idx(points, i);
}

static void all_points(void)
{
	static const int64_t sizes[] = {1000, 10000, 100000};
	size_t i;

	UNIT_EQ(json_object_array_length(json_object_object_get(tool_json, "points")), 12);
	for (i = 0; i < 12; i++) {
		struct json_object *p = point(i);

		UNIT_EQ(json_object_get_int64(json_object_object_get(p, "record")), sizes[i % 3]);
		UNIT_STR(json_object_get_string(json_object_object_get(p, "memory")),
			 i < 6 ? "pinned" : "pageable");
		UNIT_EQ(json_object_get_int64(json_object_object_get(p, "streams")),
			i / 3 % 2 ? 2 : 1);
		UNIT_EQ(json_object_get_int64(json_object_object_get(p, "repeats")), 3);
		UNIT_EQ(json_object_get_int64(json_object_object_get(p, "errors")), 0);
		CU_ASSERT_TRUE(
			json_object_get_double(json_object_object_get(p, "gigabitsPerSecond")) > 0);
		CU_ASSERT_TRUE(json_object_get_double(json_object_object_get(p, "least")) <=
			       json_object_get_double(json_object_object_get(p, "most")));
	}
}

static void by_cpu(void)
{
	without_gpu();
	UNIT_EQ(tool_run("gpu-src --source=cpu --json " SMALL), 0);
	all_points();
	CU_ASSERT_TRUE(tool_printed("\"source\": \"cpu\""));
	CU_ASSERT_TRUE(tool_printed("\"link\": null"));
}

static void by_gpu(void)
{
	with_gpu("");
	UNIT_EQ(tool_run("gpu-src --json " SMALL), 0);
	all_points();
	CU_ASSERT_TRUE(tool_printed("\"device\": \"Stand-in\""));
	CU_ASSERT_TRUE(tool_printed("\"pciAddress\": \"0000:af:00.0\""));
	UNIT_EQ(tool_run("gpu-src " SMALL), 0);
	CU_ASSERT_TRUE(tool_printed("From Stand-in at 0000:af:00.0"));
}

static void nothing_there(void)
{
	without_gpu();
	UNIT_EQ(tool_run("gpu-src " SMALL), 1);
	CU_ASSERT_TRUE(tool_printed("--source=cpu"));
	with_gpu("none");
	UNIT_EQ(tool_run("gpu-src " SMALL), 1);
	CU_ASSERT_TRUE(tool_printed("GPU 0 does not exist: the driver reports 0."));
}

static void fails(const char *breaks, const char *printed)
{
	with_gpu(breaks);
	UNIT_EQ(tool_run("gpu-src " SMALL), 1);
	CU_ASSERT_TRUE(tool_printed(printed));
}

static void what_breaks(void)
{
	fails("init", "the driver cannot be initialized");
	fails("memory", "the device memory cannot be allocated");
	fails("pin", "memory cannot be pinned");
	fails("copy", "a copy failed: unspecified launch failure (error 719)");
	fails("begin", "a copy cannot be started: it does not (error 2)");
	fails("byte", "A record of 1000 bytes was copied wrongly: byte 500 ");
}

static void link_capacity(void)
{
	struct gpu_link l;

	/* Capacity of a Gen3 x16 slot with packets of 256 bytes. */
	gpu_link_set(&l, 8.0, 16, 256);
	CU_ASSERT_DOUBLE_EQUAL(l.ceiling, 8 * 16 * (128.0 / 130) * (256.0 / 280), 1e-9);
	gpu_link_set(&l, 5.0, 8, 128);
	CU_ASSERT_DOUBLE_EQUAL(l.ceiling, 5 * 8 * 0.8 * (128.0 / 152), 1e-9);
	gpu_link_read(&l, "/", "");
	CU_ASSERT_FALSE(l.known);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:af:00.0/%s", dir, name);
	f = fopen(path, "w");
	UNIT_NEED(f);
	fputs(text, f);
	fclose(f);
}

static void capacity_from_sysfs(void)
{
	char dir[] = "/tmp/roc-gpu-XXXXXX", command[128];
	struct gpu_link l;

	UNIT_NEED(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir -p %s/sys/bus/pci/devices/0000:af:00.0", dir);
	UNIT_EQ(system(command), 0);
	write_file(dir, "current_link_speed", "8.0 GT/s PCIe\n");
	write_file(dir, "current_link_width", "16\n");
	gpu_link_read(&l, dir, "0000:af:00.0");
	CU_ASSERT_TRUE(l.known && l.payload_assumed);
	UNIT_EQ(l.payload, 256);
	UNIT_EQ(l.lanes, 16);
	write_file(dir, "current_link_width", "many\n");
	gpu_link_read(&l, dir, "0000:af:00.0");
	CU_ASSERT_FALSE(l.known);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	UNIT_EQ(system(command), 0);
}

#define BYTES 1021

/* Wherever a check starts and ends, every wrong byte is found, and the first one is reported. */
static void every_byte(void)
{
	struct content c = content_of(content_source("ru1"), 1234567, BYTES);
	unsigned char data[BYTES + 8], pieces[BYTES];
	size_t cut, i, shift;

	content_write(&c, 0, data, BYTES);
	for (cut = 0; cut < BYTES; cut += 8) {
		content_write(&c, 0, pieces, cut);
		content_write(&c, cut, pieces + cut, BYTES - cut);
		CU_ASSERT_TRUE(!memcmp(data, pieces, BYTES));
	}
	for (cut = 0; cut <= BYTES; cut++) {
		UNIT_EQ(content_check(&c, 0, data, cut), -1);
		UNIT_EQ(content_check(&c, cut, data + cut, BYTES - cut), -1);
	}
	for (i = 0; i < BYTES; i++) {
		data[i] ^= 0x40;
		UNIT_EQ(content_check(&c, 0, data, BYTES), i);
		cut = i / 2;
		UNIT_EQ(content_check(&c, cut, data + cut, BYTES - cut), i);
		data[i] ^= 0x40;
	}
	for (shift = 1; shift < 8; shift++) {
		memmove(data + shift, data + shift - 1, BYTES);
		UNIT_EQ(content_check(&c, 0, data + shift, BYTES), -1);
	}
}

/* Content of another source, event or size is detected. */
static void other_content(void)
{
	static const char *const names[] = {"ru1", "ru2", "r1u", ""};
	struct content c = content_of(content_source("ru1"), 7, 256), other;
	unsigned char data[256];
	size_t i;

	content_write(&c, 0, data, sizeof(data));
	for (i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		other = content_of(content_source(names[i]), 7, 256);
		CU_ASSERT_TRUE(content_check(&other, 0, data, 256) >= 0);
		CU_ASSERT_TRUE(content_check(&other, 64, data + 64, 192) >= 0);
	}
	other = content_of(content_source("ru1"), 7 + (UINT64_C(1) << 32), 256);
	UNIT_EQ(content_check(&other, 0, data, 8), 0);
	CU_ASSERT_TRUE(content_check(&other, 64, data + 64, 192) >= 0);
	other = content_of(content_source("ru1"), 7, 255);
	UNIT_EQ(content_check(&other, 0, data, 8), 0);
	/* A body from memory that was filled once. */
	content_body(content_source("ru1"), c.place + 8, data + 64, 192);
	UNIT_EQ(content_check(&c, 0, data, 256), -1);
}

static unsigned int polls;

static bool enough(void)
{
	return ++polls == 3;
}

/* Filling a device's memory takes seconds, and a signal interrupts it. */
static void interrupted(void)
{
	const struct copier_options o = {.streams = 1, .memory = 8 << 20};
	struct copier *c;
	char reason[UNITS_REASON], byte = 1;

	c = copier_cpu(&o, reason);
	UNIT_NEED(c);
	polls = 0;
	UNIT_EQ(copier_fill(c, 1, enough), -ECANCELED);
	UNIT_EQ(polls, 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(c->reason, "Interrupted"));
	/* The memory after the filled part is still zero. */
	UNIT_EQ(c->ops->copy(c, 0, &byte, (2 << 20) + 64, 1), 0);
	UNIT_EQ(c->ops->wait(c, 0), 0);
	UNIT_EQ(byte, 0);
	UNIT_EQ(copier_fill(c, 1, NULL), 0);
	copier_close(c);
}

UNIT_MAIN("A GPU as a source", {"this machine's memory", by_cpu},
	  {"a simulated driver library", by_gpu}, {"no GPU", nothing_there},
	  {"errors are reported", what_breaks}, {"interrupted", interrupted},
	  {"capacity of a link", link_capacity}, {"capacity from sysfs", capacity_from_sysfs},
	  {"content: every byte", every_byte}, {"content: source, event and size", other_content})
