/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of sysfs, /proc and /etc below a root directory: "/" for this machine, or a copy of another
 * one's. Paths are without a slash at the beginning. All return a value or -errno; nothing is
 * believed of what a file has.
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

/* Names of a folder, sorted as version numbers are. */
struct tree_names {
	char (*name)[TREE_NAME_MAX];
	size_t count;
};

/* -ENOTDIR: it is no folder; -ENAMETOOLONG; -ENOENT: there is no sys in it. */
int tree_open(struct tree *t, const char *root);

/* The whole path of a file. */
int tree_path(const struct tree *t, char *path, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Up to @size bytes; -EFBIG: there are more. */
ssize_t tree_bytes(const struct tree *t, void *bytes, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Without white space at its ends; -EFBIG: it is longer, -EINVAL: no text. */
int tree_text(const struct tree *t, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* One decimal number; -EINVAL: it is none. */
int tree_number(const struct tree *t, long long *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The caller frees @names->name, also of no names. -ENOENT: no such folder. */
int tree_list(const struct tree *t, struct tree_names *names, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The last name in a symbolic link. */
int tree_link(const struct tree *t, char *name, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int tree_stat(const struct tree *t, struct stat *st, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool tree_exists(const struct tree *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * A list of numbers as "0-3,8": is one in it? -EINVAL: it is no such list. The highest number is
 * TREE_LIST_MAX - 1.
 */
#define TREE_LIST_MAX 8192
struct tree_set {
	uint64_t bits[TREE_LIST_MAX / 64];
};
int tree_set_read(const char *text, struct tree_set *set);
bool tree_set_has(const struct tree_set *set, unsigned int number);
bool tree_sets_meet(const struct tree_set *a, const struct tree_set *b);
int tree_set_first(const struct tree_set *set); /* -1: it is empty */

#endif
