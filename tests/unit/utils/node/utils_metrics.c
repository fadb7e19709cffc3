// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test roc-metrics with a sysfs that the test writes, and without device nodes, as for an
 * unprivileged user.
 */
#include "unit.h"

#include <json-c/json.h>

#include "tests/unit/fake_sysfs.h"

static char out[65536];

/* Run roc-metrics: exit code, with its output in @out. */
static int run(const char *arguments)
{
	char command[256];
	size_t length;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "timeout 20 \"$ROC_TOOL\" metrics %s 2>&1", arguments);
	pipe = popen(command, "r");
	UNIT_NEED(pipe);
	length = fread(out, 1, sizeof(out) - 1, pipe);
	out[length] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void prints(const char *text)
{
	if (!strstr(out, text))
		unit_note("\"%s\" is not in: %.1500s", text, out);
	CU_ASSERT_PTR_NOT_NULL(strstr(out, text));
}

/* A card with two endpoints; the channel of the first one runs. */
static bool card(void)
{
	if (!fresh_sysfs())
		return false;
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	sensor("0000:3b:00.0", "44955");
	show("roc0", "dropped_packets", "7");
	show("roc0", "packets_per_second", "1000");
	show("roc0", "ctp_clock_hz", "240474000");
	show("roc0", "local_clock_hz", "240000000");
	show("roc0ch0", "state", "running");
	show("roc0ch0", "mode", "timer");
	show("roc0ch0", "owner_pid", "4711");
	show("roc0ch0", "owner_name", "roc-bench-dma");
	show("roc0ch0", "bytes", "1048576");
	show("roc0ch0", "superpages", "3");
	show("roc0ch0", "retries", "2");
	show("roc0ch0", "fifo_empty", "1");
	show("roc0ch0", "gaps", "0 9 1 0 0 0 0 0 0 0 0 0 0 0 0 0");
	show("roc1ch0", "state", "stopped");
	return true;
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, key, &value))
		unit_note("there is no %s", key);
	return value;
}

static void json(void)
{
	struct json_object *all, *first, *second, *channel;

	if (!card())
		return;
	UNIT_EQ(run("--json"), 0);
	all = json_tokener_parse(out);
	if (!all)
		unit_note("no JSON: %.500s", out);
	UNIT_NEED(all && json_object_array_length(all) == 2);
	first = json_object_array_get_idx(all, 0);
	second = json_object_array_get_idx(all, 1);
	CU_ASSERT_DOUBLE_EQUAL(json_object_get_double(member(first, "temperature")), 44.955078125,
			       1e-6);
	CU_ASSERT_DOUBLE_EQUAL(json_object_get_double(member(second, "temperature")), 44.955078125,
			       1e-6);
	UNIT_EQ(json_object_get_int64(member(first, "droppedPackets")), 7);
	CU_ASSERT_PTR_NULL(member(second, "droppedPackets"));
	channel = json_object_array_get_idx(member(first, "channels"), 0);
	UNIT_STR(json_object_get_string(member(channel, "state")), "running");
	UNIT_STR(json_object_get_string(member(channel, "ownerName")), "roc-bench-dma");
	UNIT_EQ(json_object_get_int64(member(channel, "ownerPid")), 4711);
	UNIT_EQ(json_object_get_int64(member(channel, "bytes")), 1048576);
	UNIT_EQ(json_object_get_int64(member(member(channel, "gaps"), "count")), 10);
	CU_ASSERT_PTR_NULL(member(channel, "interrupts"));
	channel = json_object_array_get_idx(member(second, "channels"), 0);
	UNIT_STR(json_object_get_string(member(channel, "state")), "stopped");
	CU_ASSERT_PTR_NULL(member(channel, "ownerName"));
	CU_ASSERT_PTR_NULL(member(channel, "bytes"));
	json_object_put(all);
}

static void others(void)
{
	if (!card())
		return;
	UNIT_EQ(run("--id=245:0"), 0);
	prints("0245:0  0000:3b:00.0  CRU     45.0        7   240.47     240.00       1000");
	prints("running  timer  roc-bench-dma (4711)");
	UNIT_EQ(run("--monitoring"), 0);
	prints("card,serialId=245,endpoint=0,id=0,type=CRU pciAddress=\"3b:00.0\",temperature=44.9550781,");
	prints("channel,serialId=245,endpoint=0,CRU=0,id=0,type=CRU pciAddress=\"3b:00.0\",state=\"running\"");
	prints(",retries=2i,fifoEmpty=1i,");
	UNIT_EQ(run("--prometheus"), 0);
	prints("roc_channel_bytes_total{pci_address=\"0000:3b:00.0\",serial=\"245\",endpoint=\"0\",channel=\"0\"} 1048576\n");
	prints("channel=\"0\",state=\"running\"} 1\n");
	prints("roc_channel_gap_seconds_bucket{pci_address=\"0000:3b:00.0\",serial=\"245\",endpoint=\"0\",channel=\"0\",le=\"2e-06\"} 9\n");
	prints("roc_channel_gap_seconds_count{pci_address=\"0000:3b:00.0\",serial=\"245\",endpoint=\"0\",channel=\"0\"} 10\n");
}

/* The other cards are shown if one fails. */
static void serial_lost(void)
{
	if (!card())
		return;
	endpoint(2, "0000:af:00.0", "-1", "0");
	show("roc2ch0", "state", "stopped");
	UNIT_EQ(run(""), 1);
	prints("0000:af:00.0 has no valid serial number");
	prints("0245:1");
	UNIT_EQ(run("--force-report"), 0);
	prints("?:0");
}

/* Channels that are streams, beside a pool. */
static void streams(void)
{
	struct json_object *all, *channel;

	if (!card())
		return;
	endpoint(2, "0000:5e:00.0", "401", "0");
	show("roc2", "card_type", "p40");
	show("roc2ch0", "state", "running");
	show("roc2ch0", "kind", "stream");
	show("roc2ch0", "stream", "main");
	show("roc2ch0", "owner_pid", "815");
	show("roc2ch0", "owner_name", "roc-stream");
	show("roc2ch0", "units", "12");
	show("roc2ch0", "events", "3000");
	show("roc2ch0", "bytes", "786432");
	show("roc2ch0", "throttled", "41");
	show("roc2ch0", "doorbells", "2");
	UNIT_EQ(run(""), 0);
	prints("Stream  State");
	prints("main    running  roc-stream (815)       12    3000  786432         41");
	prints("Superpages");
	UNIT_EQ(run("--id=401"), 0);
	CU_ASSERT_PTR_NULL(strstr(out, "Superpages"));
	UNIT_EQ(run("--id=401 --json"), 0);
	all = json_tokener_parse(out);
	UNIT_NEED(all);
	channel =
		json_object_array_get_idx(member(json_object_array_get_idx(all, 0), "channels"), 0);
	UNIT_STR(json_object_get_string(member(channel, "stream")), "main");
	UNIT_EQ(json_object_get_int64(member(channel, "packets")), 12);
	UNIT_EQ(json_object_get_int64(member(channel, "throttled")), 41);
	CU_ASSERT_FALSE(json_object_object_get_ex(channel, "superpages", NULL));
	CU_ASSERT_FALSE(json_object_object_get_ex(channel, "gaps", NULL));
	json_object_put(all);
	UNIT_EQ(run("--id=245:0 --json"), 0);
	CU_ASSERT_PTR_NULL(strstr(out, "throttled"));
	UNIT_EQ(run("--prometheus"), 0);
	prints("roc_channel_throttled_events_total{pci_address=\"0000:5e:00.0\",serial=\"401\",endpoint=\"0\",channel=\"0\"} 41\n");
	prints("stream=\"main\"");
	UNIT_EQ(run("--monitoring"), 0);
	prints("stream=\"main\"");
	prints("packets=12i");
}

/* Channels that are sub-units. */
static void sub_units(void)
{
	struct json_object *all, *channel;

	if (!card())
		return;
	endpoint(2, "0000:5e:00.0", "417", "0");
	show("roc2", "card_type", "robinnp");
	show("roc2ch0", "state", "running");
	show("roc2ch0", "kind", "fragment");
	show("roc2ch0", "owner_pid", "816");
	show("roc2ch0", "owner_name", "roc-rosd");
	show("roc2ch0", "transfers", "300");
	show("roc2ch0", "bytes", "480000");
	show("roc2ch0", "freed", "2900");
	show("roc2ch0", "interrupts", "30");
	show("roc2ch0", "data_interrupts", "20");
	show("roc2ch0", "done_interrupts", "9");
	show("roc2ch0", "error_interrupts", "5000000000");
	UNIT_EQ(run(""), 0);
	prints("Sub-unit  State");
	prints("running  roc-rosd (816)   300  480000   2900");
	prints("Superpages");
	UNIT_EQ(run("--id=417"), 0);
	CU_ASSERT_PTR_NULL(strstr(out, "Superpages"));
	UNIT_EQ(run("--id=417 --json"), 0);
	all = json_tokener_parse(out);
	UNIT_NEED(all);
	channel =
		json_object_array_get_idx(member(json_object_array_get_idx(all, 0), "channels"), 0);
	UNIT_EQ(json_object_get_int64(member(channel, "transfers")), 300);
	UNIT_EQ(json_object_get_int64(member(channel, "doneInterrupts")), 9);
	/* The largest count of the user-space structure. */
	UNIT_EQ(json_object_get_int64(member(channel, "errorInterrupts")), UINT32_MAX);
	CU_ASSERT_FALSE(json_object_object_get_ex(channel, "superpages", NULL));
	CU_ASSERT_FALSE(json_object_object_get_ex(channel, "packets", NULL));
	CU_ASSERT_FALSE(json_object_object_get_ex(channel, "mode", NULL));
	json_object_put(all);
	show("roc2ch0", "error_interrupts", "2");
	UNIT_EQ(run("--id=245:0 --json"), 0);
	CU_ASSERT_PTR_NULL(strstr(out, "transfers"));
	CU_ASSERT_PTR_NULL(strstr(out, "errorInterrupts"));
	UNIT_EQ(run("--prometheus"), 0);
	prints("roc_channel_transferred_fragments_total{pci_address=\"0000:5e:00.0\",serial=\"417\",endpoint=\"0\",channel=\"0\"} 300\n");
	prints("roc_channel_error_interrupts_total{pci_address=\"0000:5e:00.0\",serial=\"417\",endpoint=\"0\",channel=\"0\"} 2\n");
	UNIT_EQ(run("--monitoring"), 0);
	prints("freed=2900i");
	prints("errorInterrupts=2i");
	UNIT_EQ(run("--id=245:0 --monitoring"), 0);
	CU_ASSERT_PTR_NULL(strstr(out, "errorInterrupts"));
	UNIT_EQ(run("--id=417 --verbose"), 0);
	prints("Of errors");
}

/* The name of the owner may have any characters, but the output must stay one line of text. */
static void owner_of_any_name(void)
{
	static const struct {
		const char *name, *text, *json, *influx, *prometheus;
	} owners[] = {
		{"r\xc3", "  r? (4711)", "\"r?\"", "ownerName=\"r?\"", "owner=\"r?\"} 1\n"},
		{"\033[2J", "  ?[2J (4711)", "\"?[2J\"", "ownerName=\"?[2J\"",
		 "owner=\"?[2J\"} 1\n"},
		{"a\nb\tc\177", "  a?b?c? (4711)", "\"a?b?c?\"", "ownerName=\"a?b?c?\"",
		 "owner=\"a?b?c?\"} 1\n"},
		{"a\"\\", "  a\"\\ (4711)", "\"a\\\"\\\\\"", "ownerName=\"a\\\"\\\\\"",
		 "owner=\"a\\\"\\\\\"} 1\n"},
	};
	size_t i;

	for (i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		if (!card())
			return;
		show("roc0ch0", "owner_name", owners[i].name);
		UNIT_EQ(run(""), 0);
		prints(owners[i].text);
		UNIT_EQ(run("--json"), 0);
		prints(owners[i].json);
		UNIT_EQ(run("--monitoring"), 0);
		prints(owners[i].influx);
		UNIT_EQ(run("--prometheus"), 0);
		prints(owners[i].prometheus);
	}
}

UNIT_MAIN("roc-metrics without privileges", {"JSON", json}, {"other formats", others},
	  {"card without a serial number", serial_lost}, {"streams", streams},
	  {"sub-units", sub_units}, {"owner with special characters", owner_of_any_name})
