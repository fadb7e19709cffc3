/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden files: the output of a tool for a fixed input, byte for byte, in tests/golden/. With
 * ROC_GOLDEN_UPDATE=1 in the environment they are rewritten instead of compared; check the
 * difference before you commit it. Included after unit.h by tests that run at the top of the source
 * tree.
 */
#ifndef ROC_UNIT_GOLDEN_H
#define ROC_UNIT_GOLDEN_H

#include <errno.h>
#include <stdbool.h>

#include <roc/firmware.h>

#include "utils/common/channels.h"
#include "utils/common/output.h"
#include "utils/common/prometheus.h"

/* Stream to memory between golden_begin() and golden_end(). */
static char *golden_text;
static size_t golden_length;

__attribute__((unused)) static FILE *golden_begin(void)
{
	FILE *out = open_memstream(&golden_text, &golden_length);

	UNIT_NEED(out);
	return out;
}

/* The same for a --metrics file in Debian's folder for node_exporter. */
__attribute__((unused)) static FILE *golden_metrics(struct prometheus *p, const char *name)
{
	static char path[128];
	FILE *out = golden_begin();

	snprintf(path, sizeof(path), "/var/lib/prometheus/node-exporter/%s", name);
	prometheus_start_file(p, out, path);
	return out;
}

static char *golden_read(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t length = 0, room = 0;
	char *text = NULL;

	if (!file)
		unit_note("%s: %s (the tests run at the top of the source tree)", path,
			  strerror(errno));
	UNIT_NEED(file);
	if (getdelim(&text, &room, '\0', file) < 0)
		length = 0;
	else
		length = strlen(text);
	fclose(file);
	if (!length) {
		free(text);
		text = strdup("");
	}
	return text;
}

static void golden_write(const char *path)
{
	FILE *file = fopen(path, "w");

	UNIT_NEED(file);
	UNIT_EQ(fwrite(golden_text, 1, golden_length, file), golden_length);
	UNIT_EQ(fclose(file), 0);
}

/* Report the first line that differs. */
static void golden_difference(const char *name, const char *got, const char *expected)
{
	unsigned int line = 1;

	while (*got && *expected) {
		size_t g = strcspn(got, "\n"), w = strcspn(expected, "\n");

		if (g != w || memcmp(got, expected, g))
			break;
		got += g + (got[g] == '\n');
		expected += w + (expected[w] == '\n');
		line++;
	}
	unit_note("%s:%u expected %.*s", name, line, (int)strcspn(expected, "\n"), expected);
	unit_note("%s:%u got      %.*s", name, line, (int)strcspn(got, "\n"), got);
}

/* Compare the contents of @out with tests/golden/@name. */
__attribute__((unused)) static void golden_end(FILE *out, const char *name)
{
	char path[128], *expected;
	bool same;

	UNIT_EQ(fclose(out), 0);
	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (getenv("ROC_GOLDEN_UPDATE")) {
		golden_write(path);
	} else {
		expected = golden_read(path);
		same = !strcmp(golden_text, expected);
		if (!same)
			golden_difference(name, golden_text, expected);
		CU_ASSERT_TRUE(same);
		free(expected);
	}
	free(golden_text);
	golden_text = NULL;
}

/* Two endpoints of one card, and a card that lost its serial number. */
__attribute__((unused)) static const struct roc_card golden_cards[] = {
	{.sequence = 0,
	 .type = ROC_CARD_CRU,
	 .serial = 245,
	 .endpoint = 0,
	 .numa_node = 0,
	 .channels = 1,
	 .pci_address = "0000:3b:00.0",
	 .firmware = "e1a0a6d5",
	 .node = "/dev/roc0"},
	{.sequence = 1,
	 .minor = 1,
	 .type = ROC_CARD_CRU,
	 .serial = 245,
	 .endpoint = 1,
	 .numa_node = 0,
	 .channels = 1,
	 .pci_address = "0000:3c:00.0",
	 .firmware = "e1a0a6d5",
	 .node = "/dev/roc1"},
	{.sequence = 2,
	 .minor = 2,
	 .type = ROC_CARD_CRU,
	 .serial = -1,
	 .endpoint = 0,
	 .numa_node = 1,
	 .channels = 1,
	 .pci_address = "0000:af:00.0",
	 .firmware = "12345",
	 .node = "/dev/roc2"},
};

#define GOLDEN_CARDS (sizeof(golden_cards) / sizeof(golden_cards[0]))
#define GOLDEN_TIME UINT64_C(1700000000123456789)

/*
 * Channels of a card: the first one runs and has all values but interrupts, the second belongs to
 * another process and has failed, the others have the few values of an older driver.
 */
__attribute__((unused)) static struct channels golden_channels(const struct roc_card *card,
							       unsigned int count)
{
	struct channels c = {.card = *card, .time = GOLDEN_TIME, .count = count};
	unsigned int i, k;

	for (i = 0; i < count; i++) {
		struct roc_channel_telemetry *t = &c.channel[i];

		strcpy(t->state, "stopped");
		memset(t->counter, -1, sizeof(t->counter));
		t->gaps[0] = -1;
		c.losses[i] = (struct roc_channel_losses){.damaged = -1, .short_ = -1, .lost = -1};
		if (i > 1)
			continue;
		c.losses[i] =
			(struct roc_channel_losses){.damaged = i, .short_ = 2 * i, .lost = 3 * i};
		strcpy(t->mode, i ? "busy" : "timer");
		strcpy(t->state, i ? "failed" : "running");
		strcpy(t->owner_name, i ? "o2-readout-exe" : "roc-bench-dma");
		t->owner_pid = i ? 0 : 4711;
		for (k = 0; k < ROC_COUNT_INTERRUPTS; k++)
			t->counter[k] = 100 * i + k;
		t->counter[ROC_COUNT_BYTES] = INT64_C(1234567890123456);
		for (k = 0; k < ROC_GAPS; k++)
			t->gaps[k] = i ? 0 : k;
	}
	return c;
}

/* The firmware list of tests/golden, independent of the installed one. The caller closes it. */
__attribute__((unused)) static struct roc_firmware_list *golden_firmware(void)
{
	const struct roc_firmware_paths paths = {
		.installed = "tests/golden/firmware-list.json", .override = "", .site = ""};
	struct roc_firmware_list *list;

	UNIT_NEED(!roc_firmware_open(&paths, &list));
	return list;
}

#endif
