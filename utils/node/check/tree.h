/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of sysfs, /proc and /etc below a root directory: "/" for this machine, or a copy of the
 * files of another one. Paths have no leading slash. All functions return a value or -errno, and
 * check the content of files.
 */
#ifndef ROC_UTILS_NODE_TREE_H
#define ROC_UTILS_NODE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define TREE_ROOT_MAX 512
#define TREE_NAME_MAX 64
#define TREE_TEXT_MAX 4096

struct tree {
	char root[TREE_ROOT_MAX]; /* without a slash at the end; empty: this machine */
};

/* Names in a directory, sorted by strverscmp(). */
struct tree_names {
	char (*name)[TREE_NAME_MAX];
	size_t count;
};

/* -ENOTDIR: not a directory; -ENAMETOOLONG; -ENOENT: it has no sys. */
int tree_open(struct tree *t, const char *root);

/* The complete path of a file. */
int tree_path(const struct tree *t, char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Read up to @size bytes; -EFBIG: the file has more. */
ssize_t tree_bytes(const struct tree *t, void *bytes, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Read text and strip white space at its ends; -EFBIG: too long, -EINVAL: not text. */
int tree_text(const struct tree *t, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Read a decimal number; -EINVAL: not a number. */
int tree_number(const struct tree *t, long long *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * List a directory. The caller frees @names->name, also without names. -ENOENT: no such directory.
 */
int tree_list(const struct tree *t, struct tree_names *names, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Read the last component of a symbolic link. */
int tree_link(const struct tree *t, char *name, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int tree_stat(const struct tree *t, struct stat *st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool tree_exists(const struct tree *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * A set of numbers, read from a list as "0-3,8". -EINVAL: not such a list. The highest number is
 * TREE_LIST_MAX - 1.
 */
#define TREE_LIST_MAX 8192
struct tree_set {
	uint64_t bits[TREE_LIST_MAX / 64];
};
int tree_set_read(const char *text, struct tree_set *set);
bool tree_set_has(const struct tree_set *set, unsigned int number);
bool tree_sets_meet(const struct tree_set *a, const struct tree_set *b);
int tree_set_first(const struct tree_set *set); /* -1: the set is empty */

#endif
