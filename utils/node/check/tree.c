// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read files below a root directory, with a limit of their size. Pipes and devices in a copied tree
 * are refused, so that reading does not block.
 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE (TREE_ROOT_MAX + 512)

int tree_open(struct tree *t, const char *root)
{
	size_t length = strlen(root);
	struct stat st;

	while (length && root[length - 1] == '/')
		length--;
	if (length >= sizeof(t->root))
		return -ENAMETOOLONG;
	memcpy(t->root, root, length);
	t->root[length] = '\0';
	if (stat(length ? t->root : "/", &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return tree_exists(t, "sys") ? 0 : -ENOENT;
}

static int join(const struct tree *t, char *path, size_t size, const char *fmt, va_list ap)
{
	int used = snprintf(path, size, "%s/", t->root);
	int more = vsnprintf(path + used, size - (size_t)used, fmt, ap);

	return more < 0 || (size_t)(used + more) >= size ? -ENAMETOOLONG : 0;
}

int tree_path(const struct tree *t, char *path, size_t size, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, size, fmt, ap);
	va_end(ap);
	return err;
}

static ssize_t read_whole(const char *path, void *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t length = 0;
	ssize_t got, ret;
	struct stat st;
	char more;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		ret = -EINVAL;
		goto out;
	}
	while (length < size && (got = read(fd, (char *)bytes + length, size - length))) {
		if (got < 0) {
			ret = -errno;
			goto out;
		}
		length += (size_t)got;
	}
	ret = length == size && read(fd, &more, 1) > 0 ? -EFBIG : (ssize_t)length;
out:
	close(fd);
	return ret;
}

static int read_text(const char *path, char *text, size_t size)
{
	ssize_t length = read_whole(path, text, size - 1);
	char *start = text;

	if (length < 0) {
		text[0] = '\0';
		return (int)length;
	}
	text[length] = '\0';
	if (memchr(text, '\0', (size_t)length))
		return -EINVAL;
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	start += strspn(text, " \t\r\n");
	memmove(text, start, strlen(start) + 1);
	return 0;
}

ssize_t tree_bytes(const struct tree *t, void *bytes, size_t size, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	return err ? err : read_whole(path, bytes, size);
}

int tree_text(const struct tree *t, char *text, size_t size, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	text[0] = '\0';
	return err ? err : read_text(path, text, size);
}

int tree_number(const struct tree *t, long long *value, const char *fmt, ...)
{
	char path[PATH_SIZE], text[64], *end;
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (!err)
		err = read_text(path, text, sizeof(text));
	if (err)
		return err == -EFBIG ? -EINVAL : err;
	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int tree_list(const struct tree *t, struct tree_names *names, const char *fmt, ...)
{
	char(*more)[TREE_NAME_MAX], path[PATH_SIZE];
	const struct dirent *entry;
	size_t room = 0;
	va_list ap;
	DIR *dir;
	int err;

	names->name = NULL;
	names->count = 0;
	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (err)
		return err;
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= TREE_NAME_MAX)
			continue;
		if (names->count == room) {
			room = room ? 2 * room : 16;
			more = reallocarray(names->name, room, sizeof(*more));
			if (!more) {
				err = -ENOMEM;
				break;
			}
			names->name = more;
		}
		strcpy(names->name[names->count++], entry->d_name);
	}
	closedir(dir);
	if (names->count)
		qsort(names->name, names->count, sizeof(*names->name), by_version);
	return err;
}

int tree_link(const struct tree *t, char *name, size_t size, const char *fmt, ...)
{
	char path[PATH_SIZE], target[512];
	const char *last;
	ssize_t length;
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (err)
		return err;
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= size)
		return -ENAMETOOLONG;
	strcpy(name, last);
	return 0;
}

int tree_stat(const struct tree *t, struct stat *st, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (!err && stat(path, st))
		err = -errno;
	return err;
}

bool tree_exists(const struct tree *t, const char *fmt, ...)
{
	char path[PATH_SIZE];
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = join(t, path, sizeof(path), fmt, ap);
	va_end(ap);
	return !err && !access(path, F_OK);
}

int tree_set_read(const char *text, struct tree_set *set)
{
	unsigned long first, last;
	char *end;

	memset(set, 0, sizeof(*set));
	while (*text) {
		if (*text < '0' || *text > '9')
			return -EINVAL;
		first = strtoul(text, &end, 10);
		last = first;
		if (*end == '-') {
			text = end + 1;
			if (*text < '0' || *text > '9')
				return -EINVAL;
			last = strtoul(text, &end, 10);
		}
		if (last < first || last >= TREE_LIST_MAX || (*end && *end != ','))
			return -EINVAL;
		for (; first <= last; first++)
			set->bits[first / 64] |= 1ull << first % 64;
		text = *end ? end + 1 : end;
	}
	return 0;
}

bool tree_set_has(const struct tree_set *set, unsigned int number)
{
	return number < TREE_LIST_MAX && set->bits[number / 64] >> number % 64 & 1;
}

bool tree_sets_meet(const struct tree_set *a, const struct tree_set *b)
{
	size_t i;

	for (i = 0; i < TREE_LIST_MAX / 64; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

int tree_set_first(const struct tree_set *set)
{
	unsigned int i;

	for (i = 0; i < TREE_LIST_MAX; i++)
		if (tree_set_has(set, i))
			return (int)i;
	return -1;
}
