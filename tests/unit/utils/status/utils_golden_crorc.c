// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compare the tools' output for a C-RORC in every format, byte for byte.
 */
#include "unit.h"

#include "tests/unit/utils/golden.h"

#include "utils/flash/flash.h"
#include "utils/status/status.h"

static const struct roc_card crorc = {
	.sequence = 3,
	.minor = 3,
	.type = ROC_CARD_CRORC,
	.serial = 1001,
	.endpoint = 0,
	.numa_node = 1,
	.channels = 6,
	.pci_address = "0000:d8:00.0",
	.firmware = "828801a2",
	.node = "/dev/roc3",
};

static void status(void)
{
	struct status_crorc r = {
		.card = crorc, .channels = golden_channels(&crorc, 3), .time = GOLDEN_TIME};
	struct status_crorc bare = {.card = crorc, .time = GOLDEN_TIME};
	FILE *out;

	r.status = (struct roc_crorc_status){
		.crorc_id = 0x2a,
		.laser = true,
		.time_frame_detection = true,
		.time_frame_length = 256,
		.link_mask = 0x23,
	};
	r.status.links[0] = (struct roc_crorc_link_status){
		.up = true, .optical_power = 400.3, .receiving = true, .orbit_sor = 4294967295u};
	r.status.links[1].loopback = true;
	r.status.links[5] = (struct roc_crorc_link_status){.up = true, .optical_power = 6553.5};
	bare.card.serial = -1;
	bare.status.dynamic_offset = true;
	out = golden_begin();
	status_crorc_forms.text(out, &r, false, false);
	status_crorc_forms.text(out, &r, true, true);
	status_crorc_forms.text(out, &bare, true, false);
	golden_end(out, "crorc-status.txt");
	out = golden_begin();
	status_crorc_forms.json(out, &r);
	golden_end(out, "crorc-status.json");
	out = golden_begin();
	status_crorc_forms.json(out, &bare);
	golden_end(out, "crorc-status-bare.json");
	out = golden_begin();
	status_crorc_forms.influx(out, &r);
	status_crorc_forms.influx(out, &bare);
	golden_end(out, "crorc-status.influx");
	out = golden_begin();
	status_crorc_forms.prometheus(out, &r);
	golden_end(out, "crorc-status.prom");
}

static void packets(void)
{
	const struct packets_crorc r = {
		.card = crorc,
		.time = GOLDEN_TIME,
		.packets = {.rate = {0, 1, 22, 333, 4444, 4294967295u},
			    .received = {4294967295u, 0, 1, 2, 3, 4}},
	};
	FILE *out = golden_begin();

	packets_crorc_forms.text(out, &r, false, false);
	golden_end(out, "crorc-pkt-monitor.txt");
	out = golden_begin();
	packets_crorc_forms.json(out, &r);
	golden_end(out, "crorc-pkt-monitor.json");
	out = golden_begin();
	packets_crorc_forms.influx(out, &r);
	golden_end(out, "crorc-pkt-monitor.influx");
	out = golden_begin();
	packets_crorc_forms.prometheus(out, &r);
	golden_end(out, "crorc-pkt-monitor.prom");
}

static void siu(void)
{
	struct siu_report r = {
		.card = crorc,
		.channel = 2,
		.siu = {.has_diu = true,
			.diu = 0xc00120c1,
			.has_siu = true,
			.siu = 0x800380c2 | 2 << 12,
			.hardware_id = "SIU2   2.0 Ch02             S/N: 00042"},
	};
	struct siu_report down = {
		.card = crorc,
		.siu = {.has_diu = true, .diu = 0x000240c1},
		.failure = "#0 (0000:af:00.0) channel 0: the link is down",
	};
	FILE *out = golden_begin();

	siu_text(out, &r);
	siu_text(out, &down);
	golden_end(out, "siu-status.txt");
	out = golden_begin();
	siu_json(out, &r);
	golden_end(out, "siu-status.json");
	out = golden_begin();
	siu_json(out, &down);
	golden_end(out, "siu-status-down.json");
}

/* Every state in which a job can leave the flash. */
static const struct {
	enum flash_job job;
	struct roc_crorc_flash flash;
	const char *state;
} left[] = {
	{FLASH_IMAGE,
	 {ROC_CRORC_FLASH_DONE, 71, 71, 4616222, 4616222, 4616222, true, 0, 0, 0},
	 "good"},
	{FLASH_IMAGE, {ROC_CRORC_FLASH_ERASE, 71, 0, 4616222, 0, 0, false, 0, 0, 0}, "untouched"},
	{FLASH_IMAGE,
	 {ROC_CRORC_FLASH_ERASE, 71, 5, 4616222, 0, 0, true, 0x50000, 0, 0},
	 "incomplete"},
	{FLASH_IMAGE,
	 {ROC_CRORC_FLASH_PROGRAM, 71, 71, 4616222, 6400, 0, true, 6400, 0, 0},
	 "incomplete"},
	{FLASH_IMAGE,
	 {ROC_CRORC_FLASH_VERIFY, 71, 71, 4616222, 4616222, 8192, true, 0, 0, 0},
	 "not verified"},
	{FLASH_IMAGE,
	 {ROC_CRORC_FLASH_VERIFY, 71, 71, 4616222, 4616222, 77, true, 77, 0x1234, 0x1230},
	 "different"},
	{FLASH_COMPARE, {ROC_CRORC_FLASH_DONE, 0, 0, 4616222, 0, 4616222, false, 0, 0, 0}, "good"},
	{FLASH_COMPARE,
	 {ROC_CRORC_FLASH_VERIFY, 0, 0, 4616222, 0, 77, false, 77, 1, 2},
	 "different"},
	{FLASH_COMPARE, {ROC_CRORC_FLASH_VERIFY, 0, 0, 4616222, 0, 77, false, 0, 0, 0}, "unknown"},
	{FLASH_SERIAL, {ROC_CRORC_FLASH_DONE, 1, 1, 32, 32, 32, true, 0, 0, 0}, "good"},
	{FLASH_SERIAL, {ROC_CRORC_FLASH_ERASE, 1, 0, 32, 0, 0, true, 0x470000, 0, 0}, "incomplete"},
	{FLASH_SERIAL,
	 {ROC_CRORC_FLASH_VERIFY, 1, 1, 32, 32, 3, true, 0x470003, 1, 2},
	 "different"},
	{FLASH_SERIAL,
	 {ROC_CRORC_FLASH_VERIFY, 1, 1, 32, 32, 3, true, 0x470000, 0, 0},
	 "not verified"},
};

static void flash(void)
{
	FILE *out = golden_begin();
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		flash_state_text(left[i].job, &left[i].flash, "COMMAND", text, sizeof(text));
		fprintf(out, "%s\n", text);
		UNIT_STR(flash_state(left[i].job, &left[i].flash), left[i].state);
		/* If the old firmware is lost, the message warns against a power-off. */
		if (left[i].job == FLASH_IMAGE && left[i].flash.step != ROC_CRORC_FLASH_DONE &&
		    left[i].flash.touched) {
			CU_ASSERT_PTR_NOT_NULL(strstr(text, "DO NOT power off the server"));
			CU_ASSERT_PTR_NOT_NULL(strstr(text, "COMMAND"));
		}
	}
	golden_end(out, "flash.txt");
	out = golden_begin();
	flash_json(out, &crorc, FLASH_IMAGE, &left[3].flash, false, "stopped");
	golden_end(out, "flash.json");
	out = golden_begin();
	flash_json(out, &crorc, FLASH_SERIAL, &left[1].flash, true, NULL);
	golden_end(out, "flash-dry.json");
}

UNIT_MAIN("C-RORC, byte for byte", {"roc-status", status}, {"roc-pkt-monitor", packets},
	  {"roc-siu-status", siu}, {"roc-flash", flash})
