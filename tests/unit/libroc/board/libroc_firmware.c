// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the list of firmware versions: the installed one, an override, a site's file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <roc/firmware.h>

#include "libroc/core/libroc.h"
#include "tests/unit/libroc/libroc_error.h"
#include "unit.h"

#define INSTALLED "libroc/board/data/firmware.json"

static char directory[] = "/tmp/roc-unit-XXXXXX";
static char override[64], site[64];
static struct roc_firmware_paths paths = {INSTALLED, override, site};
static struct roc_firmware_list *list;

static void begin(void)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	UNIT_NEED(mkdtemp(directory));
	snprintf(override, sizeof(override), "%s/firmware.json", directory);
	snprintf(site, sizeof(site), "%s/site.json", directory);
}

static void end(void)
{
	unlink(override);
	unlink(site);
	UNIT_EQ(rmdir(directory), 0);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	UNIT_NEED(f);
	fputs(text, f);
	fclose(f);
}

static const char *text_of(const char *hash)
{
	static char text[64];

	roc_firmware_text_for(list, ROC_CARD_CRU, hash, text, sizeof(text));
	return text;
}

static void the_list_that_comes_with_it(void)
{
	const char *tag = NULL;
	unsigned int round;

	begin();
	for (round = 0; round < 2; round++) {
		struct roc_firmware_paths none = {"", "", ""};

		/* From the file, and built in without a file. */
		UNIT_EQ(roc_firmware_open(round ? &none : &paths, &list), 0);
		UNIT_STR(roc_firmware_source(list), round ? "built into libroc" : INSTALLED);
		UNIT_STR(roc_firmware_version(list), "2026-03-31");
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "f6b5d742", &tag),
			ROC_FIRMWARE_ACCEPTED);
		UNIT_STR(tag, "v3.19.4");
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "F6B5D742", NULL),
			ROC_FIRMWARE_ACCEPTED);
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "82b4662d", NULL),
			ROC_FIRMWARE_ACCEPTED);
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "e4a5a46e", &tag),
			ROC_FIRMWARE_OLD);
		UNIT_STR(tag, "v3.10.0");
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "06955404", NULL),
			ROC_FIRMWARE_OLD);
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "6955404", NULL),
			ROC_FIRMWARE_OLD);
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "deadbeef", &tag),
			ROC_FIRMWARE_UNKNOWN);
		CU_ASSERT_PTR_NULL(tag);
		UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "", NULL), ROC_FIRMWARE_UNKNOWN);
		UNIT_STR(text_of("f6b5d742"), "v3.19.4");
		UNIT_STR(text_of("e4a5a46e"), "v3.10.0 (old)");
		UNIT_STR(text_of("deadbeef"), "deadbeef");
		UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "f6b5d742"), 0);
		CU_ASSERT_TRUE(roc_firmware_covers(list, ROC_CARD_CRU));
		CU_ASSERT_TRUE(roc_firmware_covers(list, ROC_CARD_CRORC));
		CU_ASSERT_FALSE(roc_firmware_covers(list, ROC_CARD_P40));
		UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "e4a5a46e"), -EPERM);
		ERROR_HAS("v3.10.0 is no longer accepted");
		ERROR_HAS("v3.19.4 (f6b5d742)");
		ERROR_HAS("2026-03-31");
		UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "deadbeef"), -EPERM);
		ERROR_HAS("deadbeef is not in list");
		ERROR_HAS(ROC_FIRMWARE_SITE);
		ERROR_HAS("load an accepted version: ");
		/* The list has no version of this card type that could be loaded. */
		UNIT_EQ(roc_firmware_check(list, ROC_CARD_P40, "deadbeef"), -EPERM);
		ERROR_HAS(": add this firmware to " ROC_FIRMWARE_SITE);
		CU_ASSERT_PTR_NULL(strstr(roc_error(), "load an accepted version"));
		roc_firmware_close(list);
	}
	end();
}

/* Versions of another card type are not valid for this one. */
static void each_card_has_its_own(void)
{
	const char *tag;
	char text[64];

	begin();
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRORC, "828801a2"), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRORC, "0ac9dd57"), 0);
	UNIT_EQ(roc_firmware_check(list, 0, "828801a2"), 0);
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRORC, "f086417", &tag), ROC_FIRMWARE_OLD);
	UNIT_STR(tag, "v2.8.0");
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRORC, "f086417"), -EPERM);
	ERROR_HAS("v2.8.0 is no longer accepted");
	ERROR_HAS("v2.14.2 (828801a2)");
	CU_ASSERT_PTR_NULL(strstr(roc_error(), "v3.19.4"));
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "828801a2"), -EPERM);
	ERROR_HAS("828801a2 is not in list");
	CU_ASSERT_PTR_NULL(strstr(roc_error(), "v2.14.2"));
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRORC, "f6b5d742"), -EPERM);
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "f086417", NULL), ROC_FIRMWARE_UNKNOWN);
	UNIT_STR(text_of("f086417"), "f086417");
	/* In the list of any card type. */
	UNIT_EQ(roc_firmware_find(list, "f086417", &tag), ROC_FIRMWARE_OLD);
	UNIT_STR(tag, "v2.8.0");
	roc_firmware_text(list, "f086417", text, sizeof(text));
	UNIT_STR(text, "v2.8.0 (old)");
	roc_firmware_close(list);
	/* The same version of two card types has a separate state for each. */
	write_file(override, "{\"format\": 1, \"version\": \"both\", \"cru\": ["
			     "{\"hash\": \"abc\", \"tag\": \"of a CRU\", "
			     "\"state\": \"accepted\"}],"
			     "\"crorc\": [{\"hash\": \"abc\", \"tag\": \"of a C-RORC\", "
			     "\"state\": \"denied\"}]}");
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "abc", &tag), ROC_FIRMWARE_ACCEPTED);
	UNIT_STR(tag, "of a CRU");
	UNIT_STR(text_of("abc"), "of a CRU");
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRORC, "abc", &tag), ROC_FIRMWARE_DENIED);
	UNIT_STR(tag, "of a C-RORC");
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_P40, "abc", NULL), ROC_FIRMWARE_UNKNOWN);
	roc_firmware_close(list);
	UNIT_EQ(unlink(override), 0);
	/* A site's additions apply to any card type. */
	write_file(site, "{\"12345678\": \"test\"}\n");
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "12345678"), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRORC, "12345678"), 0);
	roc_firmware_close(list);
	end();
}

static void an_override_takes_its_place(void)
{
	begin();
	write_file(override, "{\"format\": 1, \"version\": \"mine\", \"cru\": ["
			     "{\"hash\": \"0abc\", \"tag\": \"test\", \"state\": \"accepted\"},"
			     "{\"hash\": \"f6b5d742\", \"tag\": \"bad\", \"state\": \"denied\"}]}");
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	UNIT_STR(roc_firmware_version(list), "mine");
	UNIT_STR(roc_firmware_source(list), override);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "abc"), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "f6b5d742"), -EPERM);
	ERROR_HAS("bad is denied");
	UNIT_STR(text_of("f6b5d742"), "bad (denied)");
	UNIT_EQ(roc_firmware_find_for(list, ROC_CARD_CRU, "b0332f4e", NULL), ROC_FIRMWARE_UNKNOWN);
	roc_firmware_close(list);
	end();
}

/* A site's entries take precedence. */
static void a_site_adds(void)
{
	begin();
	write_file(
		site,
		"{\"e4a5a46e\": \"v3.10.0 (ours)\", \"12345678\": \"test\", \"\": \"nothing\", \"87654321\": \"\"}\n");
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "e4a5a46e"), 0);
	UNIT_STR(text_of("e4a5a46e"), "v3.10.0 (ours)");
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "12345678"), 0);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "87654321"), -EPERM);
	UNIT_EQ(roc_firmware_check(list, ROC_CARD_CRU, "f6b5d742"), 0);
	UNIT_STR(roc_firmware_source(list), INSTALLED);
	roc_firmware_close(list);
	end();
}

/* Missing optional files are no failure. */
static void leaves_the_sentence(void)
{
	struct roc_firmware_paths none = {"", override, site};

	begin();
	roc_fail(EIO, "of before");
	errno = 77;
	UNIT_EQ(roc_firmware_open(&paths, &list), 0);
	roc_firmware_close(list);
	UNIT_STR(roc_error(), "of before");
	UNIT_EQ(roc_firmware_open(&none, &list), 0);
	roc_firmware_close(list);
	UNIT_STR(roc_error(), "of before");
	UNIT_EQ(errno, 77);
	/* A dangling link is a failure. */
	UNIT_NEED(!symlink(site, site));
	UNIT_EQ(roc_firmware_open(&paths, &list), -ELOOP);
	ERROR_HAS(site);
	end();
}

static void faulty_lists_are_refused(void)
{
	static const struct {
		const char *text, *error;
	} faults[] = {
		{"", ":1: invalid JSON"},
		{"[]", "invalid JSON: not an object"},
		{"{\"format\": 1,\n ", ":2: invalid JSON"},
		{"{\n\"format\": 1,}", ":2: invalid JSON"},
		{"{}\nx", ":2: invalid JSON"},
		{"{}", "\"format\""},
		{"{\"format\": 2, \"version\": \"x\", \"cru\": []}", "\"format\""},
		{"{\"format\": 1, \"cru\": []}", "\"version\""},
		{"{\"format\": 1, \"version\": \"x\"}", "\"cru\""},
		{"{\"format\": 1, \"version\": \"x\", \"cru\": [7]}", "entry 1"},
		{"{\"format\": 1, \"version\": \"x\", \"cru\": [], \"crorc\": 7}",
		 "\"crorc\" is not a list"},
		{"{\"format\": 1, \"version\": \"x\", \"cru\": [{\"hash\": \"xyz\", \"tag\": \"t\", \"state\": \"old\"}]}",
		 "entry 1"},
		{"{\"format\": 1, \"version\": \"x\", \"cru\": [{\"hash\": \"1\", \"tag\": \"t\", \"state\": \"old\"}, {\"hash\": \"12\", \"tag\": \"t\", \"state\": \"good\"}]}",
		 "entry 2 (12)"},
	};
	struct roc_firmware_paths missing = {"/nonexistent/firmware.json", "", ""};
	size_t i;

	begin();
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		write_file(override, faults[i].text);
		list = NULL;
		UNIT_EQ(roc_firmware_open(&paths, &list), -EINVAL);
		CU_ASSERT_PTR_NULL(list);
		if (!strstr(roc_error(), override) || !strstr(roc_error(), faults[i].error))
			CU_assertImplementation(CU_FALSE, __LINE__, roc_error(), faults[i].error,
						"", CU_FALSE);
	}
	unlink(override);
	write_file(site, "{\"abc\": 1}");
	UNIT_EQ(roc_firmware_open(&paths, &list), -EINVAL);
	ERROR_HAS(site);
	ERROR_HAS("'abc'");
	write_file(site, "{\"abc\"");
	UNIT_EQ(roc_firmware_open(&paths, &list), -EINVAL);
	UNIT_EQ(roc_firmware_open(&missing, &list), -ENOENT);
	ERROR_HAS("/nonexistent/firmware.json");
	end();
}

#define BESIDE "ROC_UNIT_BESIDE"

/* In the child program below: print which list it uses. */
__attribute__((constructor)) static void beside(void)
{
	if (!getenv(BESIDE))
		return;
	if (roc_firmware_open(NULL, &list))
		_exit(1);
	puts(roc_firmware_version(list));
	fflush(stdout);
	_exit(0);
}

/*
 * A statically linked program, found by PATH, in another user's directory that has a list where the
 * library would expect its own.
 */
static void not_from_the_working_directory(void)
{
	static const char *const above[] = {"", "/a", "/a/b", "/a/b/c"};
	char path[128], command[512], exe[256], got[64] = "";
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	FILE *program;
	size_t i;

	UNIT_NEED(length > 0);
	exe[length] = '\0';
	begin();
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", directory, above[i]);
		UNIT_EQ(i ? mkdir(path, 0700) : 0, 0);
		strcat(path, "/share");
		UNIT_EQ(mkdir(path, 0700), 0);
		strcat(path, "/roc");
		UNIT_EQ(mkdir(path, 0700), 0);
		strcat(path, "/firmware.json");
		write_file(
			path,
			"{\"format\": 1, \"version\": \"planted\", \"cru\": [{\"hash\": \"0abc\", \"tag\": \"x\", \"state\": \"accepted\"}]}");
	}
	snprintf(path, sizeof(path), "%s/a/b/c", directory);
	snprintf(command, sizeof(command), "cd %s && " BESIDE "=1 PATH=%.*s:$PATH %s", path,
		 (int)(strrchr(exe, '/') - exe), exe, strrchr(exe, '/') + 1);
	program = popen(command, "r");
	UNIT_NEED(program);
	CU_ASSERT_PTR_NOT_NULL(fgets(got, sizeof(got), program));
	UNIT_EQ(pclose(program), 0);
	CU_ASSERT(strlen(got) > 1);
	CU_ASSERT_STRING_NOT_EQUAL(got, "planted\n");
	snprintf(command, sizeof(command), "rm -r %s", directory);
	UNIT_EQ(system(command), 0);
}

UNIT_MAIN("libroc_firmware", {"the installed list", the_list_that_comes_with_it},
	  {"each card type has its own list", each_card_has_its_own},
	  {"an override replaces the list", an_override_takes_its_place},
	  {"a site adds", a_site_adds}, {"success keeps the error text", leaves_the_sentence},
	  {"invalid lists are rejected", faulty_lists_are_refused},
	  {"not from the working directory", not_from_the_working_directory})
