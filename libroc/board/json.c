// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read text files, and parse JSON with line numbers in error messages. */
#include <roc/roc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc_json.h"

#define FILE_MAX (1 << 20)

int libroc_text_read(const char *path, char **text)
{
	int saved = errno, ret = 0;
	FILE *f = fopen(path, "re");
	char *new = NULL;
	size_t length;

	if (!f) {
		ret = roc_fail(errno, "cannot read %s: %s", path, strerror(errno));
		goto out;
	}
	new = malloc(FILE_MAX + 1);
	if (!new) {
		ret = roc_fail(ENOMEM, "cannot allocate the text of %s", path);
		goto out;
	}
	errno = EIO;
	length = fread(new, 1, FILE_MAX + 1, f);
	if (ferror(f))
		ret = roc_fail(EIO, "cannot read %s: %s", path, strerror(errno));
	else if (length > FILE_MAX)
		ret = roc_fail(EINVAL, "cannot read %s: it is longer than %d bytes", path,
			       FILE_MAX);
	else if (memchr(new, '\0', length))
		ret = roc_fail(EINVAL, "cannot read %s: it is not a text file", path);
	else
		new[length] = '\0';
out:
	if (f)
		fclose(f);
	if (ret)
		free(new);
	else
		*text = new;
	errno = saved;
	return ret;
}

static unsigned int line_of(const char *text, size_t offset)
{
	unsigned int line = 1;

	while (offset-- && *text)
		line += *text++ == '\n';
	return line;
}

int libroc_json_parse(const char *path, const char *text, struct json_object **root)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error error;
	struct json_object *new;
	size_t end;
	int ret = 0;

	if (!tokener)
		return roc_fail(ENOMEM, "cannot allocate the text of %s", path);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* Include the terminating zero, which completes a number at the end of the text. */
	new = json_tokener_parse_ex(tokener, text, strlen(text) + 1);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (error != json_tokener_success)
		ret = roc_fail(EINVAL, "%s:%u: invalid JSON: %s", path, line_of(text, end),
			       json_tokener_error_desc(error));
	else if (end < strlen(text) && text[end + strspn(text + end, " \t\r\n")])
		ret = roc_fail(EINVAL, "%s:%u: invalid JSON: text after the end", path,
			       line_of(text, end));
	else if (!json_object_is_type(new, json_type_object))
		ret = roc_fail(EINVAL, "%s:1: invalid JSON: not an object", path);
	if (ret)
		json_object_put(new);
	else
		*root = new;
	return ret;
}
