// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the file of limits: the example has all built-in values, and each error has a message.
 */
#include "unit.h"

#include <errno.h>
#include <stdbool.h>

#include "utils/node/check/check.h"

#define EXAMPLE "Documentation/examples/node-check.json"

static char path[] = "/tmp/roc-limits-XXXXXX";

static void write_limits(const char *text)
{
	FILE *file = fopen(path, "w");

	UNIT_NEED(file);
	UNIT_EQ(fputs(text, file) >= 0, true);
	UNIT_EQ(fclose(file), 0);
}

static void example(void)
{
	struct limits builtin, limits;
	char reason[256] = "";

	limits_default(&builtin);
	memset(&limits, 0, sizeof(limits));
	UNIT_EQ(limits_read(&limits, EXAMPLE, reason, sizeof(reason)), 0);
	UNIT_STR(reason, "");
	UNIT_STR(limits.source, EXAMPLE);
	memset(limits.source, 0, sizeof(limits.source));
	UNIT_EQ(memcmp(&limits, &builtin, sizeof(limits)), 0);
}

/* The manual page describes each member. */
static void manual(void)
{
	char line[512], *name, *end;
	FILE *file = fopen(EXAMPLE, "r"), *page;
	static char text[65536];
	unsigned int count = 0;
	size_t length;

	page = fopen("Documentation/man/roc-node-check.1", "r");
	UNIT_NEED(file && page);
	length = fread(text, 1, sizeof(text) - 1, page);
	text[length] = '\0';
	fclose(page);
	while (fgets(line, sizeof(line), file)) {
		name = strchr(line, '"');
		end = name ? strchr(name + 1, '"') : NULL;
		if (!end)
			continue;
		*end = '\0';
		count++;
		if (!strstr(text, name + 1))
			unit_note("the page has no %s", name + 1);
		CU_ASSERT_PTR_NOT_NULL(strstr(text, name + 1));
	}
	fclose(file);
	UNIT_EQ(count, 15);
}

static void mistakes(void)
{
	static const struct {
		const char *text, *expected;
	} wrong[] = {
		{"", "not JSON"},
		{"[]", "not a JSON object"},
		{"{\"maxPayload\": 256", "not JSON"},
		{"{\"maxPaylod\": 256}", "maxPaylod is not a limit"},
		{"{\"maxPayload\": \"256\"}", "maxPayload is not an integer"},
		{"{\"maxPayload\": 256.5}", "maxPayload is not an integer"},
		{"{\"maxPayload\": 64}", "maxPayload is out of range"},
		{"{\"maxPayload\": 99999999999999999999999}", "maxPayload is out of range"},
		{"{\"memoryPerChannel\": 1}", "not a size"},
		{"{\"memoryPerChannel\": \"1 apple\"}", "memoryPerChannel"},
		{"{\"memoryPerChannel\": \"0\"}", "is 0"},
		{"{\"drivers\": \"0.2.0\"}", "not an array of strings"},
		{"{\"drivers\": [1]}", "drivers has an element"},
		{"{\"iommu\": [\"\"]}", "iommu has an element"},
		{"{\"group\": \"a-name-that-is-much-too-long-for-a-group\"}",
		 "group is not a string"},
		{"{\"cards\": [245]}", "not an object of serial numbers"},
		{"{\"cards\": {\"first\": 0}}", "not a serial number"},
		{"{\"cards\": {\"245\": -1}}", "not a NUMA node"},
		{"{\"memoryLocators\": [\"(\"]}", "not an extended regular expression"},
		{"{\"memoryLocators\": [\"(.)\"]}", "without two groups"},
		{"{\"temperatureWarn\": 70}", "above temperatureFail"},
	};
	struct limits limits;
	char reason[256];
	int fd = mkstemp(path);
	size_t i;

	UNIT_NEED(fd >= 0);
	close(fd);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		limits_default(&limits);
		write_limits(wrong[i].text);
		reason[0] = '\0';
		UNIT_EQ(limits_read(&limits, path, reason, sizeof(reason)), -EINVAL);
		if (!strstr(reason, wrong[i].expected) || !strstr(reason, path))
			unit_note("%s: %s", wrong[i].text, reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, wrong[i].expected));
		CU_ASSERT_PTR_NOT_NULL(strstr(reason, path));
	}
	UNIT_EQ(limits_read(&limits, "/nowhere/limits.json", reason, sizeof(reason)), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(reason, "No such file"));
	UNIT_EQ(limits_read(&limits, "/tmp", reason, sizeof(reason)), -EISDIR);
	UNIT_EQ(limits_read(&limits, "/dev/zero", reason, sizeof(reason)), -EFBIG);
	unlink(path);
}

UNIT_MAIN("limits of roc-node-check", {"example has the built-in values", example},
	  {"manual page is complete", manual}, {"errors", mistakes})
