// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --output: replace a file atomically, for collectors that read it at any time.
 */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libroc/board/libroc_replace.h"
#include "tool.h"

int output_begin(const struct output_options *options, struct output *o)
{
	int code;

	*o = (struct output){.out = stdout, .path = options->file};
	code = output_choose(options, &o->format);
	if (code || !o->path)
		return code;
	o->out = open_memstream(&o->text, &o->length);
	return o->out ? TOOL_OK : tool_fail("Cannot allocate the output buffer.");
}

int output_replace(const char *path, const char *text, size_t length, bool passing,
		   char reason[OUTPUT_REASON])
{
	struct libroc_replacement r;
	int err = libroc_replace_begin(&r, path);

	if (err) {
		if (err == -EINVAL)
			snprintf(reason, OUTPUT_REASON, "Cannot write %s: not a regular file.",
				 path);
		else
			snprintf(reason, OUTPUT_REASON, "Cannot write %s: %s.", path,
				 strerror(-err));
		return TOOL_FAILED;
	}
	r.passing = passing;
	if (fwrite(text, 1, length, r.file) == length) {
		err = libroc_replace_end(&r);
	} else {
		err = -errno;
		libroc_replace_drop(&r);
	}
	if (!err)
		return TOOL_OK;
	snprintf(reason, OUTPUT_REASON, "Cannot write %s: %s.", path, strerror(-err));
	return TOOL_FAILED;
}

int output_end(struct output *o, int code)
{
	char reason[OUTPUT_REASON];
	int written = TOOL_OK;
	bool bad;

	if (!o->path)
		return code;
	bad = ferror(o->out);
	bad |= fclose(o->out) != 0;
	if (bad)
		written = tool_fail("Cannot allocate the output buffer.");
	else if (o->length && output_replace(o->path, o->text, o->length, false, reason))
		written = tool_fail("%s", reason);
	free(o->text);
	return code ? code : written;
}
