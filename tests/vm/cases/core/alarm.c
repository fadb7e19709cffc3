// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the card's temperature with the standard interfaces only: hwmon, `sensors`, the alarm and
 * its uevent.
 */
#include "common/case.h"
#include "common/uevent.h"

#include <glob.h>

#define LOOK_MS 15000
#define OFTEN_MS 200

/* The hwmon device of endpoint 0 of the first card. */
static char hwmon[256];

static long value(const char *name)
{
	char path[320], text[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", hwmon, name);
	file = fopen(path, "r");
	UNIT_NEED(file);
	UNIT_NEED(fgets(text, sizeof(text), file));
	fclose(file);
	return strtol(text, NULL, 10);
}

static void find(void)
{
	char pattern[128];
	glob_t found;

	emu_normal(CARD0, FOUR_LINKS);
	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/hwmon/hwmon*",
		 pci_address(EP0));
	UNIT_EQ(glob(pattern, 0, NULL, &found), 0);
	UNIT_EQ(found.gl_pathc, 1);
	UNIT_NEED(found.gl_pathc);
	snprintf(hwmon, sizeof(hwmon), "%s", found.gl_pathv[0]);
	globfree(&found);
	UNIT_EQ(value("temp1_max"), 60000);
	UNIT_EQ(value("temp1_crit"), 80000);
	CU_ASSERT(UNIT_WAIT(labs(value("temp1_input") - 45000) < 700, LOOK_MS));
}

static bool left_alone(unsigned int ms)
{
	emu(CARD0, "clear");
	sleep_ms(ms);
	return !emu_count(CARD0, 0, "mmio_reads");
}

/* The poll interval can be set, within limits. */
static void period(void)
{
	UNIT_EQ(value("update_interval"), LOOK_USUAL_MS);
	UNIT_EQ(set_poll_interval(EP0, 0), 0);
	UNIT_EQ(value("update_interval"), 100);
	UNIT_EQ(set_poll_interval(EP0, 3600000), 0);
	UNIT_EQ(value("update_interval"), 60000);
	UNIT_EQ(RUN("as-user reader sh -c 'echo 1000 > %s/update_interval'", hwmon), 1);
	/* One poll when it is set, and one that was in progress; then none for a minute. */
	CU_ASSERT(UNIT_WAIT(left_alone(1000), LOOK_MS));
	UNIT_EQ(set_poll_interval(EP0, OFTEN_MS), 0);
	CU_ASSERT(UNIT_WAIT(emu_count(CARD0, 0, "mmio_reads") > 3, LOOK_MS));
}

/* As an administrator runs it. */
static void sensors(void)
{
	UNIT_EQ(RUN("sensors"), 0);
	if (!strstr(out, "cru-pci-"))
		unit_note("sensors: %.1000s", out);
	CU_ASSERT(strstr(out, "cru-pci-") != NULL);
	CU_ASSERT(strstr(out, "FPGA:") != NULL);
	CU_ASSERT(strstr(out, "high = +60.0") != NULL);
	CU_ASSERT(strstr(out, "crit = +80.0") != NULL);
	CU_ASSERT(strstr(out, "ALARM") == NULL);
}

/* As programs read it: each of both cards has its own temperature. */
static void sensors_json(void)
{
	static const double wanted[] = {52, 37};
	char text[160], *end;
	unsigned int card;

	emu(CARD0, "set temperature 52");
	emu(CARD1, "set temperature 37");
	for (card = 0; card < N(wanted); card++) {
		const char *address = pci_address(card ? OTHER_EP0 : EP0);
		unsigned int bus, device, function;
		double celsius = 0;
		int64_t limit = now_ms() + limit_ms(LOOK_MS);

		UNIT_EQ(sscanf(address, "%*x:%x:%x.%x", &bus, &device, &function), 3);
		snprintf(text, sizeof(text), "cru-pci-%04x", bus << 8 | device << 3 | function);
		do {
			const char *chip, *sensor;

			UNIT_EQ(shell(out, sizeof(out), TOOL_LIMIT, "sensors -j 2>/dev/null"), 0);
			CU_ASSERT(json_valid(out));
			chip = json_get(out, text);
			CU_ASSERT_PTR_NOT_NULL(chip);
			sensor = json_get(chip, "FPGA");
			celsius = json_real(json_get(sensor, "temp1_input"));
			UNIT_EQ(json_number(json_get(sensor, "temp1_max")), 60);
			UNIT_EQ(json_number(json_get(sensor, "temp1_crit")), 80);
			UNIT_EQ(json_number(json_get(sensor, "temp1_max_alarm")), 0);
			UNIT_EQ(json_number(json_get(sensor, "temp1_crit_alarm")), 0);
		} while ((celsius < wanted[card] - 0.7 || celsius > wanted[card] + 0.7) &&
			 now_ms() < limit);
		CU_ASSERT_DOUBLE_EQUAL(celsius, wanted[card], 0.7);
		end = strstr(out, text);
		CU_ASSERT(end && !strstr(end + 1, text)); /* one device for both endpoints */
	}
	emu(CARD0, "set temperature 45");
	emu(CARD1, "set temperature 45");
}

/* The register has 458: 44.955078125 degC, of which hwmon shows 44.955. */
static bool exact(void)
{
	double celsius;

	UNIT_EQ(shell(out, sizeof(out), TOOL_LIMIT, "roc-metrics --id=" EP0 " --json"), 0);
	celsius = json_real(json_get(json_at(out, 0), "temperature"));
	return celsius > 44.95507 && celsius < 44.95509;
}

static void exact_value(void)
{
	emu(CARD0, "set temperature 44.96");
	CU_ASSERT(UNIT_WAIT(exact(), limit_ms(LOOK_MS)));
	emu(CARD0, "set temperature 45");
}

static bool alarm_is(const char *text)
{
	return !strcmp(node_attr(EP0, -1, "alarm"), text);
}

static void raised_and_cleared(void)
{
	int fd = uevents_listen();

	UNIT_NEED(fd >= 0);
	CU_ASSERT(UNIT_WAIT(alarm_is("none"), LOOK_MS));
	UNIT_EQ(value("temp1_max_alarm"), 0);
	emu(CARD0, "set temperature 59");
	CU_ASSERT(UNIT_WAIT(value("temp1_input") > 58000, LOOK_MS));
	UNIT_EQ(value("temp1_max_alarm"), 0);
	emu(CARD0, "set temperature 61");
	CU_ASSERT(UNIT_WAIT(value("temp1_max_alarm") == 1, LOOK_MS));
	CU_ASSERT(uevent(fd, "ROC_ALARM=temperature", LOOK_MS) >= 0);
	UNIT_STR(uevent_value("ACTION"), "change");
	UNIT_STR(uevent_value("SUBSYSTEM"), "roc");
	CU_ASSERT(alarm_is("temperature"));
	UNIT_EQ(value("temp1_crit_alarm"), 0);
	UNIT_EQ(RUN("sensors"), 0);
	CU_ASSERT(strstr(out, "ALARM") != NULL);
	emu(CARD0, "set temperature 81");
	CU_ASSERT(uevent(fd, "ROC_ALARM=temperature-critical", LOOK_MS) >= 0);
	CU_ASSERT(alarm_is("temperature-critical"));
	CU_ASSERT(UNIT_WAIT(value("temp1_crit_alarm") == 1, LOOK_MS));
	emu(CARD0, "set temperature 45");
	CU_ASSERT(uevent(fd, "ROC_ALARM=none", LOOK_MS) >= 0);
	CU_ASSERT(!strncmp(uevent_value("ROC_TEMPERATURE"), "44", 2) ||
		  !strncmp(uevent_value("ROC_TEMPERATURE"), "45", 2));
	CU_ASSERT(alarm_is("none"));
	CU_ASSERT(UNIT_WAIT(value("temp1_max_alarm") == 0, LOOK_MS));
	close(fd);
	UNIT_EQ(set_poll_interval(EP0, LOOK_USUAL_MS), 0);
}

UNIT_MAIN("alarm", {"hwmon", find}, {"how often", period}, {"sensors", sensors},
	  {"sensors, JSON", sensors_json}, {"the exact value", exact_value},
	  {"raised and cleared", raised_and_cleared})
