// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Replace a file atomically: write a temporary file in the same directory, sync it, and rename it,
 * with the mode and owner of the old one. Devices and pipes are written in place, because a rename
 * would turn their name into a regular file. So is a file that is a standard output of the process,
 * which may be a log that a shell appends to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libroc_replace.h"

#define TRIES 100

/* Return the writable standard descriptor of the process that is this file, or -1. */
static int standard(const struct stat *st)
{
	static const int all[] = {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO};
	struct stat is;
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!fstat(all[i], &is) && is.st_dev == st->st_dev && is.st_ino == st->st_ino &&
		    (fcntl(all[i], F_GETFL) & O_ACCMODE) != O_RDONLY)
			return all[i];
	}
	return -1;
}

static bool is_below(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

/* Check for names of open descriptors and of devices. /dev/shm contains regular files. */
static bool is_special(const char *path, const struct stat *st)
{
	return is_below(path, "/proc/") || is_below(path, "/dev/fd/") ||
	       is_below(path, "/dev/std") || (is_below(path, "/dev/") && !S_ISREG(st->st_mode));
}

static int open_in_place(const char *path, int fd)
{
	/* Earlier output must precede the file. */
	if (fd == STDOUT_FILENO)
		fflush(stdout);
	/* Duplicate the descriptor: a new open() would write at the start of a log. */
	return fd < 0 ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
		      : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/*
 * Open the temporary file with the mode of open(); mkstemp() would restrict it to the owner. Its
 * name must not end like that of the file, because some collectors read every *.prom.
 */
static int open_work(struct libroc_replacement *r, mode_t mode)
{
	unsigned int i;
	int fd = -1;

	for (i = 0; i < TRIES; i++) {
		snprintf(r->work, sizeof(r->work), "%s.%d-%u", r->path, (int)getpid(), i);
		fd = open(r->work, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

/* If the group cannot be kept, reduce the group's access to that of others. */
static int copy_owner(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);

	if (fchown(fd, old->st_uid, old->st_gid) && fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~S_IRWXG | (mode & S_IRWXO) << 3;
	return fchmod(fd, mode);
}

/* Create a new file. A dangling symbolic link is an error, because the rename would replace it. */
static int open_new(struct libroc_replacement *r, const char *path, int err)
{
	struct stat st;

	if (err != ENOENT || !lstat(path, &st)) {
		errno = err;
		return -1;
	}
	if (strlen(path) >= sizeof(r->path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(r->path, path);
	return open_work(r, 0666);
}

/* Return a descriptor, or -1 with errno set. */
static int open_for(struct libroc_replacement *r, const char *path)
{
	struct stat st;
	int fd;

	r->in_place = false;
	if (stat(path, &st))
		return open_new(r, path, errno);
	fd = standard(&st);
	if (!S_ISDIR(st.st_mode) && (fd >= 0 || is_special(path, &st))) {
		r->in_place = true;
		return open_in_place(path, fd);
	}
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	if (!realpath(path, r->path))
		return -1;
	fd = open_work(r, S_IRUSR | S_IWUSR);
	if (fd < 0 || !copy_owner(fd, &st))
		return fd;
	close(fd);
	unlink(r->work);
	return -1;
}

int libroc_replace_begin(struct libroc_replacement *r, const char *path)
{
	int fd = open_for(r, path), ret;

	if (fd < 0)
		return -errno;
	r->passing = false;
	r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	ret = -errno;
	close(fd);
	if (!r->in_place)
		unlink(r->work);
	return ret;
}

int libroc_replace_end(struct libroc_replacement *r)
{
	int err = ferror(r->file) ? EIO : 0;

	if (fflush(r->file) || (!err && !r->passing && !r->in_place && fsync(fileno(r->file))))
		err = errno;
	if (fclose(r->file) && !err)
		err = errno;
	if (r->in_place)
		return -err;
	if (!err && rename(r->work, r->path))
		err = errno;
	if (err)
		unlink(r->work);
	return -err;
}

void libroc_replace_drop(struct libroc_replacement *r)
{
	fclose(r->file);
	if (!r->in_place)
		unlink(r->work);
}
