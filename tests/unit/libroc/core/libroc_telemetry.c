// SPDX-License-Identifier: GPL-2.0-or-later
/* Test telemetry of cards and channels in a sysfs that this test writes. */
#include <math.h>
#include <roc/telemetry.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#include "tests/unit/fake_sysfs.h"
#include "tests/unit/libroc/core/few_files.h"

static const struct roc_card card = {
	.minor = 0,
	.type = ROC_CARD_CRU,
	.serial = 245,
	.channels = 1,
	.pci_address = "0000:3b:00.0",
};

static void card_values(void)
{
	struct roc_card_telemetry t;
	struct roc_card other = card;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	show("roc0", "dropped_packets", "4294967295");
	show("roc0", "packets_per_second", "0");
	show("roc0", "ctp_clock_hz", "240474000");
	sensor("0000:3b:00.0", "45250");
	errno = 77;
	UNIT_EQ(roc_card_telemetry_read(&card, &t), 0);
	UNIT_EQ(errno, 77);
	UNIT_EQ(t.dropped_packets, 4294967295);
	UNIT_EQ(t.packets_per_second, 0);
	UNIT_EQ(t.ctp_hz, 240474000);
	/* The nearest step of the sensor is 458.44, which hwmon never reports for a CRU. */
	CU_ASSERT_DOUBLE_EQUAL(t.temperature, 458 * 693.0 / 1024 - 265, 1e-9);
	sensor("0000:3b:00.0", "44955");
	UNIT_EQ(roc_card_telemetry_read(&card, &t), 0);
	CU_ASSERT_DOUBLE_EQUAL(t.temperature, 44.955078125, 1e-9);
	other.type = ROC_CARD_P40;
	UNIT_EQ(roc_card_telemetry_read(&other, &t), 0);
	CU_ASSERT_DOUBLE_EQUAL(t.temperature, 44.955, 1e-9);
	/* A missing file means an unknown value. */
	UNIT_EQ(t.local_hz, -1);
	show("roc0", "ctp_clock_hz", "unknown");
	show("roc0", "packets_per_second", "12 monkeys");
	show("roc0", "local_clock_hz", "");
	/* A clock or a counter cannot be negative, but a temperature can. */
	show("roc0", "dropped_packets", "-1000");
	sensor("0000:3b:00.0", "-1000");
	UNIT_EQ(roc_card_telemetry_read(&card, &t), 0);
	UNIT_EQ(t.ctp_hz, -1);
	UNIT_EQ(t.packets_per_second, -1);
	UNIT_EQ(t.local_hz, -1);
	UNIT_EQ(t.dropped_packets, -1);
	CU_ASSERT_DOUBLE_EQUAL(t.temperature, 390 * 693.0 / 1024 - 265, 1e-9);
	sensor("0000:3b:00.0", "cold");
	UNIT_EQ(roc_card_telemetry_read(&card, &t), 0);
	CU_ASSERT(isnan(t.temperature));
}

/* The card has one sensor, at endpoint 0. */
static void temperature_of_both(void)
{
	struct roc_card second = card, other = card;
	struct roc_card_telemetry t;

	if (!fresh_sysfs())
		return;
	second.minor = 1;
	second.endpoint = 1;
	strcpy(second.pci_address, "0000:3c:00.0");
	other.minor = 2;
	other.serial = 246;
	strcpy(other.pci_address, "0000:af:00.0");
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	endpoint(2, "0000:af:00.0", "246", "0");
	sensor("0000:3b:00.0", "61000");
	UNIT_EQ(roc_card_telemetry_read(&second, &t), 0);
	CU_ASSERT_DOUBLE_EQUAL(t.temperature, 482 * 693.0 / 1024 - 265, 1e-9);
	UNIT_EQ(roc_card_telemetry_read(&other, &t), 0);
	CU_ASSERT(isnan(t.temperature));
	/* With another card of the same serial number, the sensor is ambiguous. */
	endpoint(3, "0000:b0:00.0", "245", "0");
	UNIT_EQ(roc_card_telemetry_read(&second, &t), 0);
	CU_ASSERT(isnan(t.temperature));
	second.serial = -1;
	UNIT_EQ(roc_card_telemetry_read(&second, &t), 0);
	CU_ASSERT(isnan(t.temperature));
}

static void channel_values(void)
{
	struct roc_channel_losses losses;
	struct roc_channel_telemetry t;
	unsigned int i;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	show("roc0ch0", "state", "running");
	show("roc0ch0", "mode", "timer");
	show("roc0ch0", "owner_pid", "4711");
	show("roc0ch0", "owner_name", "roc-bench-dma");
	show("roc0ch0", "superpages", "12");
	show("roc0ch0", "bytes", "9007199254740993");
	show("roc0ch0", "pushed", "13");
	show("roc0ch0", "reclaimed", "1");
	show("roc0ch0", "refused", "2");
	show("roc0ch0", "retries", "3");
	show("roc0ch0", "fifo_empty", "4");
	show("roc0ch0", "bad_index", "5");
	show("roc0ch0", "looks", "6");
	show("roc0ch0", "turns", "7");
	show("roc0ch0", "mmio_reads", "8");
	show("roc0ch0", "mmio_writes", "9");
	show("roc0ch0", "gaps", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 99999999999");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &t), 0);
	UNIT_STR(t.state, "running");
	UNIT_STR(t.mode, "timer");
	UNIT_STR(t.owner_name, "roc-bench-dma");
	UNIT_EQ(t.owner_pid, 4711);
	UNIT_EQ(t.counter[ROC_COUNT_SUPERPAGES], 12);
	UNIT_EQ(t.counter[ROC_COUNT_BYTES], 9007199254740993);
	UNIT_EQ(t.counter[ROC_COUNT_PUSHED], 13);
	for (i = ROC_COUNT_RECLAIMED; i <= ROC_COUNT_MMIO_WRITES; i++)
		UNIT_EQ(t.counter[i], i - ROC_COUNT_RECLAIMED + 1);
	/* Counters of a card without events, and of a later header. */
	for (i = ROC_COUNT_INTERRUPTS; i < 32; i++)
		UNIT_EQ(t.counter[i], -1);
	for (i = 0; i < ROC_GAPS - 1; i++)
		UNIT_EQ(t.gaps[i], i);
	UNIT_EQ(t.gaps[ROC_GAPS - 1], 99999999999);
	UNIT_EQ(roc_channel_losses_read(&card, 0, &losses), 0);
	UNIT_EQ(losses.damaged, -1);
	UNIT_EQ(losses.short_, -1);
	UNIT_EQ(losses.lost, -1);
	show("roc0ch0", "damaged", "11");
	show("roc0ch0", "short", "12");
	show("roc0ch0", "lost", "13");
	UNIT_EQ(roc_channel_losses_read(&card, 0, &losses), 0);
	UNIT_EQ(losses.damaged, 11);
	UNIT_EQ(losses.short_, 12);
	UNIT_EQ(losses.lost, 13);
	UNIT_EQ(roc_channel_losses_read(&card, 9, &losses), -ENOENT);
	/* A program can set its name to any bytes. */
	show("roc0ch0", "owner_name", "\n\033[2Jr\xc3");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &t), 0);
	UNIT_STR(t.owner_name, "??[2Jr?");
	show("roc0ch0", "interrupts", "1");
	show("roc0ch0", "missed_interrupts", "2");
	show("roc0ch0", "spurious_interrupts", "3");
	show("roc0ch0", "gaps", "0 1 2");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &t), 0);
	UNIT_EQ(t.counter[ROC_COUNT_INTERRUPTS], 1);
	UNIT_EQ(t.counter[ROC_COUNT_MISSED_INTERRUPTS], 2);
	UNIT_EQ(t.counter[ROC_COUNT_SPURIOUS_INTERRUPTS], 3);
	UNIT_EQ(t.gaps[0], -1);
}

static void missing_values(void)
{
	struct roc_channel_telemetry channel;
	struct roc_card_telemetry t;

	if (!fresh_sysfs())
		return;
	UNIT_EQ(roc_card_telemetry_read(&card, &t), -ENODEV);
	ERROR_HAS("0000:3b:00.0: the card was removed");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &channel), -ENODEV);
	ERROR_HAS("the card was removed");
	endpoint(0, "0000:3b:00.0", "245", "0");
	show("roc0ch0", "state", "stopped");
	UNIT_EQ(roc_channel_telemetry_read(&card, 1, &channel), -ENOENT);
	ERROR_HAS("no channel 1");
	/* With an older driver, missing values are unknown without an error. */
	UNIT_EQ(roc_card_telemetry_read(&card, &t), 0);
	UNIT_EQ(t.dropped_packets, -1);
	CU_ASSERT(isnan(t.temperature));
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &channel), 0);
	UNIT_EQ(channel.counter[ROC_COUNT_BYTES], -1);
	UNIT_EQ(channel.gaps[0], -1);
	UNIT_STR(channel.mode, "");
}

/* The driver reuses numbers: values of another card must not be reported for this one. */
static void another_card_with_its_number(void)
{
	char name[ROC_TEXT_MAX] = "before";
	struct roc_channel_telemetry channel;
	struct roc_card_telemetry t;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:af:00.0", "246", "0");
	show("roc0", "dropped_packets", "5");
	show("roc0ch0", "state", "running");
	show("roc0ch0", "stream", "main");
	UNIT_EQ(roc_card_telemetry_read(&card, &t), -ENODEV);
	ERROR_HAS("0000:3b:00.0: the card was removed");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &channel), -ENODEV);
	ERROR_HAS("0000:3b:00.0: the card was removed");
	UNIT_EQ(roc_channel_stream(&card, 0, name), -ENODEV);
	ERROR_HAS("0000:3b:00.0: the card was removed");
	UNIT_STR(name, "before");
	/* Nor must a channel of the other card be reported. */
	UNIT_EQ(roc_channel_stream(&card, 1, name), -ENOENT);
}

/* If no file can be opened, the call fails instead of reporting unknown values. */
static void too_few_files(void)
{
	struct roc_channel_telemetry channel;
	struct roc_card second = card;
	struct roc_card_telemetry t;
	char name[ROC_TEXT_MAX];
	int files, i, ret[4] = {-1, -1, -1, -1};
	unsigned int failed[4] = {0};

	if (!fresh_sysfs())
		return;
	second.minor = 1;
	second.endpoint = 1;
	strcpy(second.pci_address, "0000:3c:00.0");
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	show("roc0", "dropped_packets", "5");
	show("roc1", "dropped_packets", "6");
	sensor("0000:3b:00.0", "61000");
	show("roc0ch0", "state", "running");
	show("roc0ch0", "bytes", "7");
	show("roc0ch0", "stream", "main");
	for (files = 0; files <= FEW_FILES_ENOUGH; files++) {
		few_files(files);
		errno = 77;
		ret[0] = roc_card_telemetry_read(&card, &t);
		if (!ret[0])
			CU_ASSERT(t.temperature > 60 && t.dropped_packets == 5);
		ret[1] = roc_card_telemetry_read(&second, &t);
		if (!ret[1])
			CU_ASSERT(t.temperature > 60 && t.dropped_packets == 6);
		ret[2] = roc_channel_telemetry_read(&card, 0, &channel);
		if (!ret[2])
			CU_ASSERT(channel.counter[ROC_COUNT_BYTES] == 7);
		strcpy(name, "before");
		ret[3] = roc_channel_stream(&card, 0, name);
		UNIT_STR(name, ret[3] ? "before" : "main");
		UNIT_EQ(errno, 77);
		few_files(-1);
		for (i = 0; i < 4; i++) {
			if (ret[i])
				UNIT_EQ(ret[i], -EMFILE);
			failed[i] += !!ret[i];
		}
		if (ret[3])
			ERROR_HAS(
				"0000:3b:00.0: cannot read the card's attributes: Too many open files");
	}
	for (i = 0; i < 4; i++)
		CU_ASSERT(failed[i] && !ret[i]);
}

/* The library reads only documented sysfs files. */
static void files_are_documented(void)
{
	struct roc_channel_telemetry t;
	char line[256], name[64];
	unsigned int found = 0;
	FILE *abi;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	abi = fopen("Documentation/ABI/sysfs-class-roc", "r");
	UNIT_NEED(abi);
	while (fgets(line, sizeof(line), abi)) {
		const char *at = strstr(line, "/sys/class/roc/rocNchM/");

		if (at && sscanf(at, "/sys/class/roc/rocNchM/%63s", name) == 1)
			show("roc0ch0", name, "1");
	}
	fclose(abi);
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &t), 0);
	while (found < ROC_COUNTERS && t.counter[found] == 1)
		found++;
	UNIT_EQ(found, ROC_COUNTERS);
}

/* Running channels of any endpoint of the card count, and no others. */
static void running_channels(void)
{
	struct roc_endpoint ep = {.backend = &libroc_driver, .node = "/dev/roc0"};

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	endpoint(2, "0000:af:00.0", "246", "0");
	show("roc0ch0", "state", "stopped");
	show("roc1ch0", "state", "failed");
	show("roc2ch0", "state", "running");
	UNIT_EQ(roc_card_running(&ep), 0);
	show("roc1ch0", "state", "running");
	UNIT_EQ(roc_card_running(&ep), 1);
	/* A start in progress on the same card counts. */
	show("roc1ch0", "state", "stopped");
	show("roc1ch0", "starting", "0");
	show("roc2ch0", "starting", "1");
	UNIT_EQ(roc_card_running(&ep), 0);
	show("roc1ch0", "starting", "1");
	UNIT_EQ(roc_card_running(&ep), 1);
	show("roc1ch0", "starting", "0");
	show("roc1ch0", "state", "gone");
	show("roc0ch0", "state", "running");
	UNIT_EQ(roc_card_running(&ep), 1);
}

/* If the state cannot be read, the card must not be reported as stopped. */
static void unreadable_state(void)
{
	struct roc_endpoint ep = {
		.backend = &libroc_driver, .node = "/dev/roc0", .name = "245 (0000:3b:00.0)"};
	int files, ret = 0;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	endpoint(1, "0000:3c:00.0", "245", "1");
	show("roc0ch0", "state", "stopped");
	show("roc1ch0", "state", "running");
	for (files = 0; files <= FEW_FILES_ENOUGH; files++) {
		few_files(files);
		ret = roc_card_running(&ep);
		few_files(-1);
		if (ret != 1)
			FAILS(ret, -EMFILE, "Too many open files");
	}
	UNIT_EQ(ret, 1);
	/* The state of a channel is missing. */
	UNIT_NEED(!unlink("/sys/class/roc/roc1ch0/state"));
	UNIT_EQ(roc_card_running(&ep), 0);
	UNIT_NEED(!mkdir("/sys/class/roc/roc1ch0/state", 0755));
	errno = 77;
	FAILS(roc_card_running(&ep), -EISDIR,
	      "245 (0000:3b:00.0): cannot check whether a channel runs: Is a directory");
	UNIT_EQ(errno, 77);
	/* The card is missing. */
	UNIT_NEED(!unlink("/sys/class/roc/roc0"));
	FAILS(roc_card_running(&ep), -ENODEV, "the card was removed or reset");
}

static void streams(void)
{
	char name[ROC_TEXT_MAX] = "before";
	struct roc_channel_telemetry t;

	if (!fresh_sysfs())
		return;
	endpoint(0, "0000:3b:00.0", "245", "0");
	show("roc0ch0", "state", "stopped");
	UNIT_EQ(roc_channel_stream(&card, 0, name), 0);
	UNIT_STR(name, "");
	show("roc0ch0", "stream", "odin4");
	show("roc0ch0", "truncated_bytes", "5000000000");
	UNIT_EQ(roc_channel_stream(&card, 0, name), 0);
	UNIT_STR(name, "odin4");
	UNIT_EQ(roc_channel_telemetry_read(&card, 0, &t), 0);
	UNIT_EQ(t.counter[ROC_COUNT_TRUNCATED_BYTES], 5000000000);
	UNIT_EQ(t.counter[ROC_COUNT_THROTTLED], -1);
	UNIT_EQ(roc_channel_stream(&card, 1, name), -ENOENT);
	ERROR_HAS("no channel 1");
}

UNIT_MAIN("telemetry", {"values of a card", card_values},
	  {"temperature of both endpoints", temperature_of_both},
	  {"values of a channel", channel_values}, {"missing values", missing_values},
	  {"another card with its number", another_card_with_its_number},
	  {"too few files", too_few_files}, {"files are documented", files_are_documented},
	  {"running channels", running_channels},
	  {"running channels, unreadable state", unreadable_state}, {"streams", streams})
