/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a program writes one behind the other: DIR/PREFIX-NNNNNN.END, with six digits or more.
 */
#ifndef ROC_UTILS_NUMBERED_H
#define ROC_UTILS_NUMBERED_H

#include <limits.h>

/*
 * The last of these files that are in @dir already, with any of @ends (a list that ends with NULL,
 * each with its dot). 1, its name in @name and its number in *@number; 0 there is none; -errno.
 */
int numbered_last(const char *dir, const char *prefix, const char *const *ends,
		  char name[NAME_MAX + 1], unsigned int *number);

#endif
