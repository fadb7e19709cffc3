// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --output: a file that is there as a whole or not at all, for collectors that read at any time.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

int output_begin(const struct output_options *options, struct output *o)
{
	int code;

	*o = (struct output){.out = stdout, .path = options->file};
	code = output_choose(options, &o->format);
	if (code || !o->path)
		return code;
	o->out = open_memstream(&o->text, &o->length);
	return o->out ? TOOL_OK : tool_fail("There is no memory left.");
}

/* Written and closed; errno says why not. */
static bool write_all(int fd, const char *text, size_t length)
{
	mode_t mask = umask(0);
	ssize_t done = 0;

	umask(mask);
	/* mkstemp() made it for us alone; who collects is another user. */
	if (fchmod(fd, 0666 & ~mask))
		done = -1;
	while (done >= 0 && length) {
		done = write(fd, text, length);
		if (done > 0) {
			text += done;
			length -= (size_t)done;
		}
	}
	if (done >= 0 && !fsync(fd))
		return !close(fd);
	close(fd);
	return false;
}

/*
 * A reader of @path finds the text before or this one, never a part. The name in between must not
 * end as the file's: the collector takes every *.prom.
 */
static int replace(const char *path, const char *text, size_t length)
{
	char work[PATH_MAX + 8], real[PATH_MAX];
	struct stat st;
	int fd;

	/* The link stays, what it points to is replaced. */
	if (realpath(path, real))
		path = real;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return tool_fail("%s is not a file.", path);
	snprintf(work, sizeof(work), "%s.XXXXXX", path);
	fd = mkostemp(work, O_CLOEXEC);
	if (fd < 0)
		return tool_fail("%s cannot be written: %s.", path, strerror(errno));
	if (write_all(fd, text, length) && !rename(work, path))
		return TOOL_OK;
	tool_fail("%s could not be written: %s.", path, strerror(errno));
	unlink(work);
	return TOOL_FAILED;
}

int output_end(struct output *o, int code)
{
	bool bad;
	int written;

	if (!o->path)
		return code;
	bad = ferror(o->out);
	bad |= fclose(o->out) != 0;
	if (bad)
		written = tool_fail("There is no memory left.");
	else
		written = o->length ? replace(o->path, o->text, o->length) : TOOL_OK;
	free(o->text);
	return code ? code : written;
}
