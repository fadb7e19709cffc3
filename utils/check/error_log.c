// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log file of data errors. A faulty card can produce millions of errors: only the first
 * ERROR_LOG_MAX are formatted and written.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utils/common/tool.h"

#define LOCK_TRIES 100
#define LOCK_TRY_US 1000

static void set_broken(struct error_log *log, const char *what, const char *reason)
{
	log->broken = true;
	snprintf(log->reason, sizeof(log->reason), "%s %s: %s. Errors are only counted.", log->path,
		 what, reason);
}

/*
 * Remove the errors of an earlier run, unless another process or lane has the file open: several
 * benches in one directory, and the lanes of a soak, share one file. Without file locks nothing is
 * removed.
 */
static int prepare(const struct error_log *log, int fd)
{
	unsigned int i;

	if (!log->keep && !flock(fd, LOCK_EX | LOCK_NB) && ftruncate(fd, 0))
		return -1;
	/*
	 * A process holds the exclusive lock only while it truncates the file. Do not wait longer
	 * for one that keeps it.
	 */
	for (i = 0; i < LOCK_TRIES && flock(fd, LOCK_SH | LOCK_NB); i++)
		usleep(LOCK_TRY_US);
	return 0;
}

/*
 * All users have the same file name, and the folder may be writable for others: do not truncate the
 * target of another user's link, and do not block on a pipe.
 */
static int open_regular(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		      0666);
	struct stat st;

	if (fd < 0 && errno != ELOOP && errno != ENXIO)
		return -1;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	errno = EEXIST;
	return -1;
}

static void open_file(struct error_log *log)
{
	int fd = open_regular(log->path);

	if (fd >= 0 && !prepare(log, fd))
		log->file = fdopen(fd, "a");
	if (log->file) {
		/* Write whole lines, because other processes append theirs in between. */
		setvbuf(log->file, NULL, _IOLBF, 0);
		return;
	}
	if (errno == EEXIST)
		set_broken(log, "is not a regular file", "remove it");
	else
		set_broken(log, "cannot be opened", strerror(errno));
	if (fd >= 0)
		close(fd);
}

void error_log_add(struct error_log *log, const char *fmt, ...)
{
	va_list ap;

	if (++log->count > ERROR_LOG_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(log->last, sizeof(log->last), fmt, ap);
	va_end(ap);
	if (!log->path || log->broken)
		return;
	if (!log->file)
		open_file(log);
	if (!log->file)
		return;
	fprintf(log->file, "%s: %s\n", log->card, log->last);
	if (log->count == ERROR_LOG_MAX)
		fprintf(log->file, "%s: further errors are only counted\n", log->card);
}

void error_log_close(struct error_log *log)
{
	bool bad;

	if (!log->file)
		return;
	bad = ferror(log->file);
	if (fclose(log->file) || bad)
		set_broken(log, "could not be written", strerror(errno));
	log->file = NULL;
}

int error_log_verdict(const struct error_log *log)
{
	char which[32] = "Last";

	if (!log->count)
		return TOOL_OK;
	if (log->count > ERROR_LOG_MAX)
		snprintf(which, sizeof(which), "Number %u", ERROR_LOG_MAX);
	if (log->broken)
		return tool_fail("%" PRIu64 " errors in the data. %s %s: %s", log->count,
				 log->reason, which, log->last);
	return tool_fail("%" PRIu64 " errors in the data; the first ones are in %s. %s: %s",
			 log->count, log->path, which, log->last);
}
