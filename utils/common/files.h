/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many files may be open: the usual soft limit is that of programs of old (select()).
 */
#ifndef ROC_UTILS_FILES_H
#define ROC_UTILS_FILES_H

#include <stdint.h>

/* Let @wanted files be open, or as many as the hard limit allows. How many may be now. */
uint64_t files_raise(uint64_t wanted);

#endif
