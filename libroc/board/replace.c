// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A file is replaced: written beside the old one, on the disk, and then given its name. A device or
 * a pipe is not, as its name would be a file's from then on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libroc_replace.h"

#define TRIES 100

/* The file that @path means. A link to nothing would be lost. */
static int find(struct libroc_replacement *r, const char *path)
{
	struct stat st;
	int err;

	if (!stat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			return -EINVAL;
		return realpath(path, r->path) ? 0 : -errno;
	}
	err = errno;
	if (err != ENOENT || !lstat(path, &st))
		return -err;
	if (strlen(path) >= sizeof(r->path))
		return -ENAMETOOLONG;
	strcpy(r->path, path);
	return 0;
}

/*
 * As open() makes one, with the rights that the process gives; mkstemp() makes it for the owner
 * alone. The name must not end as the file's: there are collectors that take every *.prom.
 */
static int open_work(struct libroc_replacement *r)
{
	unsigned int i;
	int fd = -1;

	for (i = 0; i < TRIES; i++) {
		snprintf(r->work, sizeof(r->work), "%s.%d-%u", r->path, (int)getpid(), i);
		fd = open(r->work, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

int libroc_replace_begin(struct libroc_replacement *r, const char *path)
{
	int ret = find(r, path), fd;

	if (ret)
		return ret;
	fd = open_work(r);
	if (fd < 0)
		return -errno;
	r->passing = false;
	r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	ret = -errno;
	close(fd);
	unlink(r->work);
	return ret;
}

int libroc_replace_end(struct libroc_replacement *r)
{
	int err = ferror(r->file) ? EIO : 0;

	if (fflush(r->file) || (!err && !r->passing && fsync(fileno(r->file))))
		err = errno;
	if (fclose(r->file) && !err)
		err = errno;
	if (!err && rename(r->work, r->path))
		err = errno;
	if (err)
		unlink(r->work);
	return -err;
}

void libroc_replace_drop(struct libroc_replacement *r)
{
	fclose(r->file);
	unlink(r->work);
}
