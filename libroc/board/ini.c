// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reader of INI files: sections, "key = value", comments after ; or # at the start of a line or
 * after a blank. Values are handed out with the line they stand in.
 *
 * Not libinih: as distributions build it, an indented "key = value" continues the value before, #
 * after a value belongs to it, text after [section] is accepted, lines end after 199 bytes, and a
 * handler learns neither the line of a value nor that a section is empty.
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
		return roc_fail(EINVAL, "%s:%u: a section is [name] and nothing else", ini->file,
				ini->line);
	*end = '\0';
	text = trim(text + 1);
	if (!*text || strlen(text) >= sizeof(ini->section))
		return roc_fail(EINVAL, "%s:%u: a section's name has 1 to %zu characters",
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
		return roc_fail(EINVAL, "%s:%u: neither [section] nor key = value: '%.60s'",
				ini->file, ini->line, text);
	*equals = '\0';
	key = trim(text);
	if (!ini->section[0])
		return roc_fail(EINVAL, "%s:%u: %.60s stands before the first [section]", ini->file,
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
