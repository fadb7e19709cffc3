// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read INI files: sections, "key = value", comments after ; or # at the start of a line or after a
 * blank. Each value is reported with its line number.
 *
 * libinih is not used, because distributions build it with other rules: an indented "key = value"
 * continues the previous value, # after a value belongs to it, text after [section] is accepted,
 * and lines are cut after 199 bytes. Its handler gets neither the line of a value nor empty
 * sections.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <roc/roc.h>

#include "libroc_ini.h"

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return text;
}

static void cut_comment(char *text)
{
	char *p;

	for (p = text; *p; p++) {
		if ((*p == ';' || *p == '#') && (p == text || p[-1] == ' ' || p[-1] == '\t')) {
			*p = '\0';
			return;
		}
	}
}

static int begin_section(struct libroc_ini *ini, char *text)
{
	char *end = strchr(text, ']');
	int ret;

	if (!end || end[1])
		return roc_fail(EINVAL, "%s:%u: invalid section: write only [name] in the line",
				ini->file, ini->line);
	*end = '\0';
	text = trim(text + 1);
	if (!*text || strlen(text) >= sizeof(ini->section))
		return roc_fail(EINVAL,
				"%s:%u: the name of a section must have 1 to %zu characters",
				ini->file, ini->line, sizeof(ini->section) - 1);
	ret = ini->end(ini);
	if (ret)
		return ret;
	strcpy(ini->section, text);
	ini->section_line = ini->line;
	return ini->begin(ini);
}

static int take_line(struct libroc_ini *ini, char *text)
{
	char *equals, *key;

	cut_comment(text);
	text = trim(text);
	if (!*text)
		return 0;
	if (*text == '[')
		return begin_section(ini, text);
	equals = strchr(text, '=');
	if (!equals || equals == text)
		return roc_fail(EINVAL, "%s:%u: expected [section] or key = value, not '%.60s'",
				ini->file, ini->line, text);
	*equals = '\0';
	key = trim(text);
	if (!ini->section[0])
		return roc_fail(EINVAL, "%s:%u: %.60s precedes the first [section]", ini->file,
				ini->line, key);
	return ini->value(ini, key, trim(equals + 1));
}

int libroc_ini_read(struct libroc_ini *ini, char *text)
{
	char *line;
	int ret = 0;

	if (!strncmp(text, "\xef\xbb\xbf", 3)) /* byte order mark */
		text += 3;
	ini->line = 0;
	ini->section[0] = '\0';
	while (!ret && (line = strsep(&text, "\n"))) {
		ini->line++;
		ret = take_line(ini, line);
	}
	return ret ? ret : ini->end(ini);
}
